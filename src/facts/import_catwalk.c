/*
 * import_catwalk.c - Catwalk's list of providers.
 *
 *     [ { "id": "venice", "models": [ { "id", "cost_per_1m_in", "can_reason", .. } ] }, .. ]
 *
 * Its traps:
 *   - `can_reason` and `supports_attachments` are set by hand or by a script, by provider: a yes
 *     agrees with others nearly always, a no only says that nobody filled it in.
 *   - `default_max_tokens` is what its own program asks for, not a limit.
 *   - `reasoning_levels` are those that its own program offers, for every model of a host alike.
 *   - The two columns for cached tokens mean reading and writing at some providers, and the
 *     reverse at others: neither is read. 0 dollars is a placeholder.
 *   - What it has of OpenRouter is that list, of a later day.
 */
#include "claim.h"

static const struct fact_key keys[] = {
    {"name", F_display_name},
    {"context_window", F_context_window},
};

static const struct rate_key rates[] = {
    {"cost_per_1m_in", UNIT_input_tokens},
    {"cost_per_1m_out", UNIT_output_tokens},
};

static void say_yes(struct import *im, unsigned field, const struct json *v)
{
    if (json_is_true(v))
        say_support(im, field, true);
}

static void model(struct import *im, const struct json *m, struct str at)
{
    if (!record_begin(im, im->provider, import_text(m, "id"), at, false))
        return;
    SAY_KEYS(im, m, keys);
    say_word(im, F_model_kind, "chat");
    say_yes(im, F_reasoning, json_get(m, "can_reason"));
    say_yes(im, F_input_image, json_get(m, "supports_attachments"));
    SAY_RATES(im, m, rates, "", FOR_MEASURE);
}

static void provider(struct import *im, const struct json *p, struct str at)
{
    im->provider = import_text(p, "id");
    bool copied = fact_source_find(im->provider) == SRC_OPENROUTER;
    im->voice = copied ? SRC_OPENROUTER : SRC_CATWALK;
    import_each(im, json_get(p, "models"), JSON_ARRAY, import_at(im, at, STR("models")),
                "a provider without models", model);
}

void import_catwalk(struct import *im, const struct json *root)
{
    import_each(im, root, JSON_ARRAY, STR(""), "the file is not a list of providers", provider);
}
