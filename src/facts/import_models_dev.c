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

static const struct fact_key keys[] = {
    {"name", F_display_name},         {"family", F_model_family},
    {"release_date", F_release_date}, {"knowledge", F_knowledge_cutoff},
    {"open_weights", F_open_weights}, {"tool_call", F_tool_calling},
    {"reasoning", F_reasoning},       {"structured_output", F_structured_output},
    {"temperature", F_temperature},
};

static const struct fact_key limits[] = {
    {"limit/context", F_context_window},
    {"limit/input", F_max_input},
    {"limit/output", F_max_output},
};

static const struct fact_key embedding_limits[] = {
    {"limit/context", F_max_input},
    {"limit/output", F_embedding_dimensions},
};

static void interleaved(struct import *im, const struct json *m)
{
    const struct json *v = json_get(m, "interleaved");
    if (v && (v->kind == JSON_TRUE || v->kind == JSON_OBJECT))
        say_support(im, F_interleaved_thinking, true);
}

static void status(struct import *im, const struct json *m)
{
    struct str word = import_text(m, "status");
    if (str_is(word, "deprecated"))
        say_word(im, F_status, "deprecated");
    else if (str_is(word, "beta") || str_is(word, "alpha"))
        say_word(im, F_status, "preview");
}

/* The tier that a mode's request body asks for. */
static void modes(struct import *im, const struct json *m)
{
    const struct json *all = json_get(json_get(m, "experimental"), "modes");
    for (size_t i = 0; all && all->kind == JSON_OBJECT && i < all->n; i++) {
        const struct json *body = json_get(json_get(&all->item[i], "provider"), "body");
        struct str tier =
            import_text(body, json_get(body, "service_tier") ? "service_tier" : "speed");
        if (!tier.n || tier.n > 30 || str_find_char(tier, ' ') != tier.n)
            continue;
        char when[40];
        if (str_is(tier, "fast"))
            tier = STR("priority"); /* as bills call it */
        snprintf(when, sizeof when, "@%.*s", STR_ARG(tier));
        say_models_dev_rates(im, json_get(&all->item[i], "cost"), when);
    }
}

/* What writes and calls tools is one to talk to. */
static void talks(struct import *im, const struct json *m, const struct json *out)
{
    const struct json *tools = json_get(m, "tool_call");
    bool writes = out && out->kind == JSON_ARRAY && import_has_word(out, STR("text"));
    if (writes && json_is_true(tools))
        say_word(im, F_model_kind, "chat");
}

static void model(struct import *im, const struct json *m, struct str at)
{
    const struct json *kinds = json_get(m, "modalities");
    bool embeds = import_embeds(m);
    if (!record_begin(im, im->provider, im->key, at, false))
        return;
    SAY_KEYS(im, m, keys);
    status(im, m);
    interleaved(im, m);
    say_modalities(im, json_get(kinds, "input"), embeds ? NULL : json_get(kinds, "output"));
    if (embeds) {
        say_support(im, F_embeddings, true);
        say_word(im, F_model_kind, "embedding");
        SAY_KEYS(im, m, embedding_limits);
    } else {
        talks(im, m, json_get(kinds, "output"));
        SAY_KEYS(im, m, limits);
    }
    say_reasoning_options(im, import_list(m, "reasoning_options"));
    say_models_dev_cost(im, json_get(m, "cost"));
    modes(im, m);
}

void import_models_dev(struct import *im, const struct json *root)
{
    if (root->kind != JSON_OBJECT) {
        record_skip(im, SKIP_BAD_RECORD, STR(""), STR("the file is not an object of providers"));
        return;
    }
    for (size_t i = 0; i < root->n && !im->ar->failed; i++) {
        const struct json *models = json_get(&root->item[i], "models");
        bool there = models && models->kind == JSON_OBJECT;
        struct str at = import_at(im, STR(""), root->key[i].text);
        im->provider = root->key[i].text;
        import_each(im, models, JSON_OBJECT, there ? import_at(im, at, STR("models")) : at,
                    "no object of models", model);
    }
}
