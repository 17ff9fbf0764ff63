/*
 * import_models_dev.c - models.dev's api.json.
 *
 *     { "openai": { "id": "openai", "models": { "gpt-5": { .. } } }, .. }
 *
 * Its traps:
 *   - 0 means that nobody filled the field in, for limits and for prices.
 *   - Lists of modalities are complete, booleans are required except for
 *     `structured_output` and `temperature`, where a missing one is unknown.
 *   - Embedding models carry the size of their vector as the output limit, and
 *     "text" as their output.
 *   - `context_over_200k` repeats a tier whose real threshold is in `tiers`
 *     (272,000 for some), so it counts only where there are no tiers.
 *   - Fast modes have their prices under `experimental.modes`; the body that
 *     switches one on names the service tier.
 */
#include "claim.h"

#include <stdio.h>

static bool embeds(const struct json *m)
{
    const struct json *family = json_get(m, "family");
    return family && family->kind == JSON_STRING &&
           str_find(family->text, STR("embed")) != SIZE_MAX;
}

static void limits(struct import *im, const struct json *m)
{
    const struct json *limit = json_get(m, "limit");
    if (embeds(m)) {
        say_number(im, F_max_input, limit, "context");
        say_number(im, F_embedding_dimensions, limit, "output");
        return;
    }
    say_number(im, F_context_window, limit, "context");
    say_number(im, F_max_input, limit, "input");
    say_number(im, F_max_output, limit, "output");
}

static void modalities(struct import *im, const struct json *m)
{
    const struct json *v = json_get(m, "modalities");
    if (embeds(m)) {
        say_modalities(im, json_get(v, "input"), NULL);
        say_support(im, F_embeddings, true);
    } else {
        say_modalities(im, json_get(v, "input"), json_get(v, "output"));
    }
}

static void interleaved(struct import *im, const struct json *m)
{
    const struct json *v = json_get(m, "interleaved");
    if (v && (v->kind == JSON_TRUE || v->kind == JSON_OBJECT))
        say_support(im, F_interleaved_thinking, true);
}

static void status(struct import *im, const struct json *m)
{
    const struct json *v = json_get(m, "status");
    if (!v || v->kind != JSON_STRING)
        return;
    if (str_is(v->text, "deprecated"))
        say_word(im, F_status, "deprecated");
    else if (str_is(v->text, "beta") || str_is(v->text, "alpha"))
        say_word(im, F_status, "preview");
}

/* The tier that a mode's request body asks for. */
static void modes(struct import *im, const struct json *m)
{
    const struct json *all = json_get(json_get(m, "experimental"), "modes");
    for (size_t i = 0; all && all->kind == JSON_OBJECT && i < all->n; i++) {
        const struct json *cost = json_get(&all->item[i], "cost");
        const struct json *body = json_get(json_get(&all->item[i], "provider"), "body");
        const struct json *tier = json_get(body, "service_tier");
        if (!tier)
            tier = json_get(body, "speed");
        if (!cost || !tier || tier->kind != JSON_STRING || tier->text.n > 30 ||
            str_find_char(tier->text, ' ') != tier->text.n)
            continue;
        char when[40];
        struct str name =
            str_is(tier->text, "fast") ? STR("priority") : tier->text; /* as bills call it */
        snprintf(when, sizeof when, "@%.*s", STR_ARG(name));
        say_rate(im, UNIT_input_tokens, when, json_get(cost, "input"), FOR_MEASURE, 0);
        say_rate(im, UNIT_output_tokens, when, json_get(cost, "output"), FOR_MEASURE, 0);
        say_rate(im, UNIT_cache_read_tokens, when, json_get(cost, "cache_read"), FOR_MEASURE, 0);
        say_rate(im, UNIT_cache_write_tokens, when, json_get(cost, "cache_write"), FOR_MEASURE, 0);
    }
}

static void model(struct import *im, struct str provider, struct str id, const struct json *m)
{
    struct str at = import_pointer(im, provider, STR("models"), id);
    if (m->kind != JSON_OBJECT) {
        record_skip(im, SKIP_BAD_RECORD, at, str_of(json_kind_name(m)));
        return;
    }
    if (!record_begin(im, provider, id, at, false))
        return;
    say_text(im, F_display_name, m, "name");
    say_text(im, F_model_family, m, "family");
    say_date(im, F_release_date, m, "release_date");
    say_date(im, F_knowledge_cutoff, m, "knowledge");
    status(im, m);
    say_flag(im, F_open_weights, m, "open_weights");
    say_if(im, F_tool_calling, m, "tool_call");
    say_if(im, F_reasoning, m, "reasoning");
    say_if(im, F_structured_output, m, "structured_output");
    say_if(im, F_temperature, m, "temperature");
    interleaved(im, m);
    modalities(im, m);
    limits(im, m);
    say_reasoning_options(im, json_get(m, "reasoning_options"));
    say_models_dev_cost(im, json_get(m, "cost"));
    modes(im, m);
}

void import_models_dev(struct import *im, const struct json *root)
{
    if (root->kind != JSON_OBJECT) {
        record_skip(im, SKIP_BAD_RECORD, STR(""), STR("the file is not an object of providers"));
        return;
    }
    for (size_t i = 0; i < root->n && !im->failed; i++) {
        struct str provider = root->key[i].text;
        const struct json *models = json_get(&root->item[i], "models");
        if (!models || models->kind != JSON_OBJECT) {
            record_skip(im, SKIP_BAD_RECORD, import_pointer(im, provider, STR(""), STR("")),
                        STR("no object of models"));
            continue;
        }
        for (size_t k = 0; k < models->n && !im->failed; k++)
            model(im, provider, models->key[k].text, &models->item[k]);
    }
}
