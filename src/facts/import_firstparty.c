/*
 * import_firstparty.c - the model lists that labs serve themselves.
 *
 *     Anthropic   GET /v1/models          capabilities, both limits
 *     Google      GET /v1beta/models      both limits, methods, sampling
 *     OpenAI      GET /v1/models          which ids there are, and the day on which they end
 *     xAI         GET /v1/language-models prices, context, other names
 *
 * Nobody knows better than these, so they win over every catalog. Their traps:
 * Anthropic's `max_tokens` is the output limit and `max_input_tokens`, by its
 * own documentation, the context window; Google prefixes ids with `models/`; xAI counts in cents
 * for a hundred million tokens (12500 is $1.25 for a million) and prices an image in units of
 * 10^-10 dollars; its `aliases` are ids of the same model, named by itself.
 */
#include "claim.h"

#include <stdio.h>

/* -- Anthropic ---------------------------------------------------------------------- */

static const struct fact_key anthropic_keys[] = {
    {"display_name", F_display_name},
    {"created_at", F_release_date},
    {"max_input_tokens", F_context_window},
    {"max_tokens", F_max_output},
    {"capabilities/batch/supported", F_batch},
    {"capabilities/citations/supported", F_citations},
    {"capabilities/code_execution/supported", F_code_execution},
    {"capabilities/effort/supported", F_reasoning_effort},
    {"capabilities/image_input/supported", F_input_image},
    {"capabilities/pdf_input/supported", F_input_pdf},
    {"capabilities/structured_outputs/supported", F_structured_output},
    {"capabilities/thinking/supported", F_reasoning},
    {"capabilities/context_management/compact_20260112/supported", F_compaction},
    {"capabilities/thinking/types/adaptive/supported", F_adaptive_thinking},
    {"capabilities/thinking/types/enabled/supported", F_thinking_budget},
};

static void anthropic_model(struct import *im, const struct json *m, struct str at)
{
    if (!record_begin(im, import_own(im), import_text(m, "id"), at, false))
        return;
    const struct json *can = json_get(m, "capabilities");
    SAY_KEYS(im, m, anthropic_keys);
    say_choices(im, F_reasoning_efforts, json_get(can, "effort"));
    say_choices(im, F_thinking_modes, json_get(json_get(can, "thinking"), "types"));
}

void import_anthropic(struct import *im, const struct json *root)
{
    import_models(im, root, STR(""), "data", anthropic_model);
}

/* -- Google --------------------------------------------------------------------------- */

static const struct fact_key google_keys[] = {
    {"displayName", F_display_name},
    {"inputTokenLimit", F_max_input},
    {"thinking", F_reasoning},
};

static const struct fact_key google_methods[] = {
    {"batchGenerateContent", F_batch},
    {"createCachedContent", F_context_caching},
    {"embedContent", F_embeddings},
};

static const struct import_kind google_kinds[] = {
    {"embedContent", "embedding"},
    {"predict", "image"},
    {"predictLongRunning", "video"},
    {"bidiGenerateContent", "realtime"},
};

/* What has a value can be set. */
static const struct fact_key google_sampling[] = {
    {"temperature", F_temperature},
    {"topP", F_top_p},
    {"topK", F_top_k},
};

static void google_model(struct import *im, const struct json *m, struct str at)
{
    struct str id = import_text(m, "name");
    if (str_starts(id, STR("models/")))
        id = str_from(id, 7);
    if (!record_begin(im, import_own(im), id, at, false))
        return;
    const struct json *methods = import_list(m, "supportedGenerationMethods");
    SAY_KEYS(im, m, google_keys);
    SAY_WORDS(im, methods, google_methods);
    bool talks = import_has_word(methods, STR("generateContent"));
    for (size_t i = 0; i < COUNT_OF(google_kinds) && !talks; i++)
        if (import_has_word(methods, str_of(google_kinds[i].word)))
            say_word(im, F_model_kind, google_kinds[i].kind);
    if (!import_has_word(methods, STR("embedContent")))
        say(im, F_max_output, m, "outputTokenLimit");
    for (size_t i = 0; i < COUNT_OF(google_sampling); i++)
        if (json_get(m, google_sampling[i].path))
            say_support(im, google_sampling[i].field, true);
}

void import_google(struct import *im, const struct json *root)
{
    import_models(im, root, STR(""), "models", google_model);
}

/* -- OpenAI ----------------------------------------------------------------------------- */

static void openai_model(struct import *im, const struct json *m, struct str at)
{
    if (record_begin(im, import_own(im), import_text(m, "id"), at, false))
        say(im, F_retires_on, m, "shutdown_date");
}

void import_openai(struct import *im, const struct json *root)
{
    import_models(im, root, STR(""), "data", openai_model);
}

/* -- xAI ---------------------------------------------------------------------------------- */

#define XAI_TOKENS (-4)
#define XAI_IMAGE (-10)

static const struct rate_key xai_units[] = {
    {"prompt_text_token_price", UNIT_input_tokens},
    {"completion_text_token_price", UNIT_output_tokens},
    {"cached_prompt_text_token_price", UNIT_cache_read_tokens},
    {"prompt_image_token_price", UNIT_input_image_tokens},
};

static void xai_facts(struct import *im, const struct json *m)
{
    uint64_t above = 0;
    bool tiers = json_uint(json_get(m, "long_context_threshold"), &above) && above;
    say(im, F_context_window, m, "context_length");
    for (size_t i = 0; i < COUNT_OF(xai_units); i++) {
        char key[80], when[WHEN_TEXT];
        say_rate(im, xai_units[i].unit, "", json_get(m, xai_units[i].key), FOR_MEASURE, XAI_TOKENS);
        snprintf(key, sizeof key, "%s_long_context", xai_units[i].key);
        if (tiers)
            say_rate(im, xai_units[i].unit, when_above(when, above), json_get(m, key), FOR_MEASURE,
                     XAI_TOKENS);
    }
    say_rate(im, UNIT_output_images, "", json_get(m, "image_price"), FOR_EACH, XAI_IMAGE);
    if (json_get(m, "image_price"))
        say_support(im, F_output_image, true);
}

static void xai_model(struct import *im, const struct json *m, struct str at)
{
    const struct json *aliases = import_list(m, "aliases");
    if (!record_begin(im, import_own(im), import_text(m, "id"), at, false))
        return;
    xai_facts(im, m);
    for (size_t i = 0; i < aliases->n && !im->ar->failed; i++)
        if (aliases->item[i].kind == JSON_STRING &&
            record_also(im, import_own(im), aliases->item[i].text, false))
            xai_facts(im, m);
}

void import_xai(struct import *im, const struct json *root)
{
    import_models(im, root, STR(""), "data", xai_model);
}
