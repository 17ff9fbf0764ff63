/*
 * import_ruby_llm.c - RubyLLM's models.json.
 *
 *     [ { "id", "provider", "context_window", "modalities", "pricing", "metadata" } ]
 *
 * Its traps:
 *   - Most rows are models.dev's of a later day (`metadata.source`): they are a
 *     later word of that voice, not a second opinion. The rows of OpenRouter
 *     without a source are that list's.
 *   - The other rows come from the providers' lists of ids, and their limits,
 *     prices and capabilities are guessed from the name (128,000 tokens with
 *     an output of 400,000 for a dated gpt-5.4). They count as inferred: good
 *     enough to say that a model exists, and never to win against anybody.
 *   - A row of models.dev has that price in `metadata.cost`; without it the
 *     `pricing` beside it is guessed as well, and so are all capabilities that
 *     models.dev has no word for.
 *   - `capabilities` names what there is; what it does not name is unknown.
 *   - Empty lists of modalities say nothing.
 */
#include "claim.h"

static const struct {
    const char *word;
    uint16_t field;
    bool repeated; /* models.dev says it too: in its rows the rest is guessed */
} words[] = {
    {"function_calling", F_tool_calling, true},
    {"structured_output", F_structured_output, true},
    {"reasoning", F_reasoning, true},
    {"vision", F_input_image, false},
    {"streaming", F_streaming, false},
    {"tool_choice", F_tool_choice, false},
    {"parallel_tool_calls", F_parallel_tool_calls, false},
    {"citations", F_citations, false},
    {"batch", F_batch, false},
    {"predicted_outputs", F_predicted_outputs, false},
    {"moderation", F_moderation, false},
};

static const struct fact_key keys[] = {
    {"name", F_display_name},
    {"family", F_model_family},
    {"created_at", F_release_date},
    {"knowledge_cutoff", F_knowledge_cutoff},
};

static const struct fact_key limits[] = {
    {"context_window", F_context_window},
    {"max_output_tokens", F_max_output},
};

/* What a row of models.dev has of its own. */
static const struct fact_key repeated[] = {
    {"metadata/temperature", F_temperature},
    {"metadata/open_weights", F_open_weights},
    {"metadata/limit/input", F_max_input},
};

static const struct {
    const char *kind, *key;
    enum unit unit;
} units[] = {
    {"text_tokens", "input_per_million", UNIT_input_tokens},
    {"text_tokens", "output_per_million", UNIT_output_tokens},
    {"text_tokens", "cache_read_input_per_million", UNIT_cache_read_tokens},
    {"text_tokens", "cache_write_input_per_million", UNIT_cache_write_tokens},
    {"text_tokens", "reasoning_output_per_million", UNIT_output_reasoning_tokens},
    {"audio_tokens", "input_per_million", UNIT_input_audio_tokens},
    {"audio_tokens", "output_per_million", UNIT_output_audio_tokens},
    {"images", "input_per_million", UNIT_input_image_tokens},
    {"images", "output_per_million", UNIT_output_image_tokens},
    {"images", "cache_read_input_per_million", UNIT_cache_image_read_tokens},
};

static void say_pricing(struct import *im, const struct json *pricing)
{
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        const struct json *kind = json_get(pricing, units[i].kind);
        uint64_t above;
        char when[WHEN_TEXT];
        say_rate(im, units[i].unit, "", json_get(json_get(kind, "standard"), units[i].key),
                 FOR_MEASURE, 0);
        if (json_uint(json_get(kind, "long_context_threshold"), &above) && above)
            say_rate(im, units[i].unit, when_above(when, above),
                     json_get(json_get(kind, "long_context"), units[i].key), FOR_MEASURE, 0);
    }
}

static void say_capabilities(struct import *im, const struct json *list)
{
    uint8_t evidence = im->evidence;
    for (size_t i = 0; i < list->n; i++)
        for (size_t k = 0; k < COUNT_OF(words); k++)
            if (list->item[i].kind == JSON_STRING && str_is(list->item[i].text, words[k].word)) {
                im->evidence = words[k].repeated ? evidence : EVIDENCE_INFERRED;
                say_support(im, words[k].field, true);
            }
    im->evidence = evidence;
}

/* Who spoke, and how sure. */
static void set_voice(struct import *im, const struct json *m, struct str provider)
{
    const struct json *meta = json_get(m, "metadata");
    im->voice = SRC_RUBY_LLM;
    im->evidence = EVIDENCE_INFERRED;
    if (str_is(import_text(meta, "source"), "models.dev")) {
        im->voice = SRC_MODELS_DEV;
        im->evidence = EVIDENCE_CATALOG;
    } else if (!json_get(meta, "source") && str_is(provider, "openrouter")) {
        im->voice = SRC_OPENROUTER;
        im->evidence = EVIDENCE_CATALOG;
    }
}

static void model(struct import *im, const struct json *m, struct str at)
{
    const struct json *who = json_get(m, "provider"), *kinds = json_get(m, "modalities");
    bool embeds = import_embeds(m);
    if (!who || who->kind != JSON_STRING) {
        record_skip(im, SKIP_BAD_RECORD, at, str_of(json_kind_name(m)));
        return;
    }
    if (!record_begin(im, who->text, import_text(m, "id"), at, false))
        return;
    set_voice(im, m, who->text);
    SAY_KEYS(im, m, keys);
    say_modalities(im, json_get(kinds, "input"), embeds ? NULL : json_get(kinds, "output"));
    if (embeds) {
        say(im, F_max_input, m, "context_window");
        say_support(im, F_embeddings, true);
        say_word(im, F_model_kind, "embedding");
    } else {
        SAY_KEYS(im, m, limits);
    }
    say_capabilities(im, import_list(m, "capabilities"));
    if (im->voice == SRC_MODELS_DEV) {
        const struct json *meta = json_get(m, "metadata");
        SAY_KEYS(im, m, repeated);
        say_reasoning_options(im, import_list(meta, "reasoning_options"));
        say_models_dev_cost(im, json_get(meta, "cost"));
    } else {
        say_pricing(im, json_get(m, "pricing"));
    }
}

void import_ruby_llm(struct import *im, const struct json *root)
{
    import_each(im, root, JSON_ARRAY, STR(""), "the file is not a list of models", model);
}
