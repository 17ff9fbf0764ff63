/*
 * import_openrouter.c - OpenRouter's list of models (GET /api/v1/models).
 *
 *     { "data": [ { "id": "anthropic/claude-opus-4.5", "pricing": { .. }, .. } ] }
 *
 * It is the provider's own list, so it outranks catalogs, for this provider.
 * Its traps:
 *   - Rates are strings in dollars for each token or search. -1 means that the
 *     price depends on where a request goes; 0 is the price of `:free` models
 *     alone, else what the list has no column for (videos, vector images).
 *   - `image` is the rate of an image token in the prompt. `image_output` and
 *     `image_token` are the same rate under two names.
 *   - `supported_parameters` is what at least one upstream takes. Parameters of
 *     every chat model are telling when they lack; of rare ones only presence is.
 *   - A context of 0 tokens is no context.
 */
#include "claim.h"

static const struct fact_key keys[] = {
    {"name", F_display_name},
    {"knowledge_cutoff", F_knowledge_cutoff},
    {"context_length", F_context_window},
    {"top_provider/max_completion_tokens", F_max_output},
};

static const struct rate_key units[] = {
    {"prompt", UNIT_input_tokens},
    {"completion", UNIT_output_tokens},
    {"input_cache_read", UNIT_cache_read_tokens},
    {"input_cache_write", UNIT_cache_write_tokens},
    {"input_cache_write_1h", UNIT_cache_write_1h_tokens},
    {"internal_reasoning", UNIT_output_reasoning_tokens},
    {"audio", UNIT_input_audio_tokens},
    {"input_audio_cache", UNIT_cache_audio_read_tokens},
    {"audio_output", UNIT_output_audio_tokens},
    {"image", UNIT_input_image_tokens},
    {"image_output", UNIT_output_image_tokens},
    {"web_search", UNIT_web_searches},
    {"request", UNIT_requests},
};

/* Parameters whose absence is a "no". */
static bool telling(unsigned field)
{
    return field == F_tool_calling || field == F_structured_output || field == F_json_mode ||
           field == F_reasoning || field == F_temperature;
}

/* By the names that the vocabulary has for them. */
static void say_parameters(struct import *im, const struct json *list)
{
    for (unsigned f = 0; f < SUPPORT_COUNT && list->n; f++) {
        struct str name = vocab_name(VOCAB_OPENROUTER, f);
        bool has = name.n && import_has_word(list, name);
        if (has || telling(f))
            say_support(im, f, has);
    }
}

static void say_pricing(struct import *im, const struct json *pricing)
{
    const struct json *over = import_list(pricing, "overrides");
    SAY_RATES(im, pricing, units, "", FOR_EACH);
    for (size_t i = 0; i < over->n; i++) {
        uint64_t from;
        char when[WHEN_TEXT];
        if (json_uint(json_get(&over->item[i], "min_prompt_tokens"), &from))
            SAY_RATES(im, &over->item[i], units, when_above(when, from), FOR_EACH);
    }
}

static void say_created(struct import *im, const struct json *m)
{
    uint64_t seconds;
    struct instant t;
    char text[16];
    if (!json_uint(json_get(m, "created"), &seconds) || !seconds || !instant_from_unix(seconds, &t))
        return;
    uint8_t evidence = im->evidence;
    im->evidence = EVIDENCE_INFERRED; /* when it came to OpenRouter, which is near its release */
    struct str day = str_dup(im->ar, day_text(t.day, text));
    if (day.p)
        say_word(im, F_release_date, day.p);
    im->evidence = evidence;
}

static void model(struct import *im, const struct json *m, struct str at)
{
    const struct json *kinds = json_get(m, "architecture");
    if (!record_begin(im, import_own(im), import_text(m, "id"), at, false))
        return;
    SAY_KEYS(im, m, keys);
    say_created(im, m);
    say_modalities(im, json_get(kinds, "input_modalities"), json_get(kinds, "output_modalities"));
    if (import_has_word(import_list(kinds, "output_modalities"), STR("text")))
        say_word(im, F_model_kind, "chat");
    say_parameters(im, import_list(m, "supported_parameters"));
    say_choices(im, F_reasoning_efforts, json_get(json_get(m, "reasoning"), "supported_efforts"));
    say_pricing(im, json_get(m, "pricing"));
}

void import_openrouter(struct import *im, const struct json *root)
{
    import_models(im, root, STR(""), "data", model);
}
