/*
 * import_firstparty.c - the model lists that labs serve themselves.
 *
 *     Anthropic   GET /v1/models          capabilities, both limits
 *     Google      GET /v1beta/models      both limits, methods, sampling
 *     OpenAI      GET /v1/models          which ids there are, and nothing else
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

static struct str id_of(const struct json *m, const char *key)
{
    const struct json *v = json_get(m, key);
    return v && v->kind == JSON_STRING ? v->text : STR("");
}

/* Each record of a list, or one skipped record if there is no list. */
static void each(struct import *im, const struct json *root, const char *key,
                 void (*model)(struct import *im, const struct json *m, struct str at))
{
    const struct json *data = json_get(root, key);
    char list[40];
    snprintf(list, sizeof list, "/%s", key);
    if (!data || data->kind != JSON_ARRAY) {
        struct str at = str_dup(im->ar, str_of(list));
        if (at.p)
            record_skip(im, SKIP_BAD_RECORD, at, STR("no list of models"));
        else
            im->failed = true;
        return;
    }
    for (size_t i = 0; i < data->n && !im->failed; i++) {
        struct str at = import_pointer_at(im, list, i);
        if (data->item[i].kind != JSON_OBJECT)
            record_skip(im, SKIP_BAD_RECORD, at, str_of(json_kind_name(&data->item[i])));
        else
            model(im, &data->item[i], at);
    }
}

/* -- Anthropic ---------------------------------------------------------------------- */

static const struct {
    const char *key;
    uint16_t field;
} anthropic_keys[] = {
    {"batch", F_batch},
    {"citations", F_citations},
    {"code_execution", F_code_execution},
    {"effort", F_reasoning_effort},
    {"image_input", F_input_image},
    {"pdf_input", F_input_pdf},
    {"structured_outputs", F_structured_output},
    {"thinking", F_reasoning},
};

static void anthropic_efforts(struct import *im, const struct json *effort)
{
    struct str *item = arena_array(im->ar, 8, sizeof *item), word;
    const char *at = vocab_row(F_reasoning_efforts)->words;
    size_t n = 0;
    if (!item) {
        im->failed = true;
        return;
    }
    while (n < 8 && words_next(&at, &word)) {
        char key[16];
        snprintf(key, sizeof key, "%.*s", STR_ARG(word));
        const struct json *on = json_get(json_get(effort, key), "supported");
        if (on && on->kind == JSON_TRUE)
            item[n++] = word;
    }
    if (n)
        say_list(im, F_reasoning_efforts, item, n);
}

static void anthropic_thinking(struct import *im, const struct json *types)
{
    static const char *const modes[] = {"enabled", "adaptive"};
    struct str *item = arena_array(im->ar, 2, sizeof *item);
    size_t n = 0;
    if (!item) {
        im->failed = true;
        return;
    }
    for (size_t i = 0; i < 2; i++) {
        const struct json *on = json_get(json_get(types, modes[i]), "supported");
        if (on && on->kind == JSON_TRUE)
            item[n++] = str_of(modes[i]);
    }
    if (n)
        say_list(im, F_thinking_modes, item, n);
    say_if(im, F_adaptive_thinking, json_get(types, "adaptive"), "supported");
    say_if(im, F_thinking_budget, json_get(types, "enabled"), "supported");
}

static void anthropic_model(struct import *im, const struct json *m, struct str at)
{
    if (!record_begin(im, STR("anthropic"), id_of(m, "id"), at, false))
        return;
    const struct json *can = json_get(m, "capabilities");
    say_text(im, F_display_name, m, "display_name");
    say_date(im, F_release_date, m, "created_at");
    say_number(im, F_context_window, m, "max_input_tokens");
    say_number(im, F_max_output, m, "max_tokens");
    for (size_t i = 0; i < sizeof anthropic_keys / sizeof *anthropic_keys; i++)
        say_if(im, anthropic_keys[i].field, json_get(can, anthropic_keys[i].key), "supported");
    say_if(im, F_compaction, json_get(json_get(can, "context_management"), "compact_20260112"),
           "supported");
    anthropic_efforts(im, json_get(can, "effort"));
    anthropic_thinking(im, json_get(json_get(can, "thinking"), "types"));
}

void import_anthropic(struct import *im, const struct json *root)
{
    each(im, root, "data", anthropic_model);
}

/* -- Google --------------------------------------------------------------------------- */

static const struct {
    const char *method;
    uint16_t field;
} google_methods[] = {
    {"batchGenerateContent", F_batch},
    {"createCachedContent", F_context_caching},
    {"embedContent", F_embeddings},
};

static void google_model(struct import *im, const struct json *m, struct str at)
{
    struct str id = id_of(m, "name");
    if (str_starts(id, STR("models/")))
        id = str_from(id, 7);
    if (!record_begin(im, STR("google"), id, at, false))
        return;
    const struct json *methods = json_get(m, "supportedGenerationMethods");
    bool embeds = false;
    say_text(im, F_display_name, m, "displayName");
    for (size_t i = 0; methods && methods->kind == JSON_ARRAY && i < methods->n; i++)
        for (size_t k = 0; k < sizeof google_methods / sizeof *google_methods; k++)
            if (methods->item[i].kind == JSON_STRING &&
                str_is(methods->item[i].text, google_methods[k].method)) {
                say_support(im, google_methods[k].field, true);
                embeds |= google_methods[k].field == F_embeddings;
            }
    say_number(im, F_max_input, m, "inputTokenLimit");
    if (!embeds)
        say_number(im, F_max_output, m, "outputTokenLimit");
    say_if(im, F_reasoning, m, "thinking");
    if (json_get(m, "temperature"))
        say_support(im, F_temperature, true);
    if (json_get(m, "topP"))
        say_support(im, F_top_p, true);
    if (json_get(m, "topK"))
        say_support(im, F_top_k, true);
}

void import_google(struct import *im, const struct json *root)
{
    each(im, root, "models", google_model);
}

/* -- OpenAI ----------------------------------------------------------------------------- */

static void openai_model(struct import *im, const struct json *m, struct str at)
{
    record_begin(im, STR("openai"), id_of(m, "id"), at, false);
}

void import_openai(struct import *im, const struct json *root)
{
    each(im, root, "data", openai_model);
}

/* -- xAI ---------------------------------------------------------------------------------- */

#define XAI_TOKENS (-4)
#define XAI_IMAGE (-10)

static const struct {
    const char *key;
    enum unit unit;
} xai_units[] = {
    {"prompt_text_token_price", UNIT_input_tokens},
    {"completion_text_token_price", UNIT_output_tokens},
    {"cached_prompt_text_token_price", UNIT_cache_read_tokens},
    {"prompt_image_token_price", UNIT_input_image_tokens},
};

static void xai_facts(struct import *im, const struct json *m)
{
    uint64_t above;
    bool tiers = json_uint(json_get(m, "long_context_threshold"), &above) && above;
    say_number(im, F_context_window, m, "context_length");
    for (size_t i = 0; i < sizeof xai_units / sizeof *xai_units; i++) {
        char key[80], when[40];
        say_rate(im, xai_units[i].unit, "", json_get(m, xai_units[i].key), FOR_MEASURE, XAI_TOKENS);
        if (!tiers)
            continue;
        snprintf(key, sizeof key, "%s_long_context", xai_units[i].key);
        snprintf(when, sizeof when, ">%llu", (unsigned long long)above);
        say_rate(im, xai_units[i].unit, when, json_get(m, key), FOR_MEASURE, XAI_TOKENS);
    }
    say_rate(im, UNIT_output_images, "", json_get(m, "image_price"), FOR_EACH, XAI_IMAGE);
    if (json_get(m, "image_price"))
        say_support(im, F_output_image, true);
}

static void xai_model(struct import *im, const struct json *m, struct str at)
{
    const struct json *aliases = json_get(m, "aliases");
    if (!record_begin(im, STR("xai"), id_of(m, "id"), at, false))
        return;
    xai_facts(im, m);
    for (size_t i = 0; aliases && aliases->kind == JSON_ARRAY && i < aliases->n && !im->failed; i++)
        if (aliases->item[i].kind == JSON_STRING &&
            record_also(im, STR("xai"), aliases->item[i].text, false))
            xai_facts(im, m);
}

void import_xai(struct import *im, const struct json *root)
{
    each(im, root, "data", xai_model);
}
