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

#include <stdio.h>

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
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        const struct json *kind = json_get(pricing, units[i].kind);
        uint64_t above;
        char when[40];
        say_rate(im, units[i].unit, "", json_get(json_get(kind, "standard"), units[i].key),
                 FOR_MEASURE, 0);
        if (!json_uint(json_get(kind, "long_context_threshold"), &above) || !above)
            continue;
        snprintf(when, sizeof when, ">%llu", (unsigned long long)above);
        say_rate(im, units[i].unit, when, json_get(json_get(kind, "long_context"), units[i].key),
                 FOR_MEASURE, 0);
    }
}

static void say_capabilities(struct import *im, const struct json *list)
{
    uint8_t evidence = im->evidence;
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++)
        for (size_t k = 0; k < sizeof words / sizeof *words; k++)
            if (list->item[i].kind == JSON_STRING && str_is(list->item[i].text, words[k].word)) {
                im->evidence = words[k].repeated ? evidence : EVIDENCE_INFERRED;
                say_support(im, words[k].field, true);
            }
    im->evidence = evidence;
}

/* Who spoke, and how sure. */
static void set_voice(struct import *im, const struct json *m, struct str provider)
{
    const struct json *source = json_get(json_get(m, "metadata"), "source");
    im->voice = SRC_RUBY_LLM;
    im->evidence = EVIDENCE_INFERRED;
    if (source && source->kind == JSON_STRING && str_is(source->text, "models.dev")) {
        im->voice = SRC_MODELS_DEV;
        im->evidence = EVIDENCE_CATALOG;
    } else if (!source && str_is(provider, "openrouter")) {
        im->voice = SRC_OPENROUTER;
        im->evidence = EVIDENCE_CATALOG;
    }
}

static bool embeds(const struct json *m)
{
    const struct json *family = json_get(m, "family");
    return family && family->kind == JSON_STRING &&
           str_find(family->text, STR("embed")) != SIZE_MAX;
}

static void model(struct import *im, size_t i, const struct json *m)
{
    struct str at = import_pointer_at(im, "", i);
    const struct json *id = json_get(m, "id"), *who = json_get(m, "provider"),
                      *meta = json_get(m, "metadata");
    if (m->kind != JSON_OBJECT || !who || who->kind != JSON_STRING) {
        record_skip(im, SKIP_BAD_RECORD, at, str_of(json_kind_name(m)));
        return;
    }
    if (!record_begin(im, who->text, id && id->kind == JSON_STRING ? id->text : STR(""), at, false))
        return;
    set_voice(im, m, who->text);
    const struct json *kinds = json_get(m, "modalities");
    say_text(im, F_display_name, m, "name");
    say_text(im, F_model_family, m, "family");
    say_date(im, F_release_date, m, "created_at");
    say_date(im, F_knowledge_cutoff, m, "knowledge_cutoff");
    if (embeds(m)) {
        say_number(im, F_max_input, m, "context_window");
        say_modalities(im, json_get(kinds, "input"), NULL);
        say_support(im, F_embeddings, true);
    } else {
        say_number(im, F_context_window, m, "context_window");
        say_number(im, F_max_output, m, "max_output_tokens");
        say_modalities(im, json_get(kinds, "input"), json_get(kinds, "output"));
    }
    say_capabilities(im, json_get(m, "capabilities"));
    if (im->voice == SRC_MODELS_DEV) {
        say_if(im, F_temperature, meta, "temperature");
        say_flag(im, F_open_weights, meta, "open_weights");
        say_number(im, F_max_input, json_get(meta, "limit"), "input");
        say_reasoning_options(im, json_get(meta, "reasoning_options"));
        say_models_dev_cost(im, json_get(meta, "cost"));
    } else {
        say_pricing(im, json_get(m, "pricing"));
    }
}

void import_ruby_llm(struct import *im, const struct json *root)
{
    if (root->kind != JSON_ARRAY) {
        record_skip(im, SKIP_BAD_RECORD, STR(""), STR("the file is not a list of models"));
        return;
    }
    for (size_t i = 0; i < root->n && !im->failed; i++)
        model(im, i, &root->item[i]);
}
