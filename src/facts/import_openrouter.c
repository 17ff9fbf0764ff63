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

#include <stdio.h>

static const struct {
    const char *word;
    uint16_t field;
    bool telling; /* its absence is a "no" */
} parameters[] = {
    {"tools", F_tool_calling, true},
    {"structured_outputs", F_structured_output, true},
    {"response_format", F_json_mode, true},
    {"reasoning", F_reasoning, true},
    {"temperature", F_temperature, true},
    {"tool_choice", F_tool_choice, false},
    {"include_reasoning", F_include_reasoning, false},
    {"reasoning_effort", F_reasoning_effort, false},
    {"parallel_tool_calls", F_parallel_tool_calls, false},
    {"top_p", F_top_p, false},
    {"top_k", F_top_k, false},
    {"seed", F_seed, false},
    {"stop", F_stop_sequences, false},
    {"frequency_penalty", F_frequency_penalty, false},
    {"presence_penalty", F_presence_penalty, false},
    {"logit_bias", F_logit_bias, false},
    {"logprobs", F_logprobs, false},
    {"max_tokens", F_max_tokens, false},
    {"verbosity", F_verbosity, false},
    {"prediction", F_predicted_outputs, false},
    {"web_search_options", F_web_search, false},
};

static const struct {
    const char *key;
    enum unit unit;
} units[] = {
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

static void say_parameters(struct import *im, const struct json *list)
{
    if (!list || list->kind != JSON_ARRAY || list->n == 0)
        return;
    for (size_t i = 0; i < sizeof parameters / sizeof *parameters; i++) {
        bool has = false;
        for (size_t k = 0; k < list->n && !has; k++)
            has =
                list->item[k].kind == JSON_STRING && str_is(list->item[k].text, parameters[i].word);
        if (has || parameters[i].telling)
            say_support(im, parameters[i].field, has);
    }
}

static void say_units(struct import *im, const struct json *pricing, const char *when)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        say_rate(im, units[i].unit, when, json_get(pricing, units[i].key), FOR_EACH, 0);
}

static void say_pricing(struct import *im, const struct json *pricing)
{
    const struct json *over = json_get(pricing, "overrides");
    say_units(im, pricing, "");
    for (size_t i = 0; over && over->kind == JSON_ARRAY && i < over->n; i++) {
        uint64_t from;
        char when[40];
        if (!json_uint(json_get(&over->item[i], "min_prompt_tokens"), &from))
            continue;
        snprintf(when, sizeof when, ">%llu", (unsigned long long)from);
        say_units(im, &over->item[i], when);
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
    else
        im->failed = true;
    im->evidence = evidence;
}

static void model(struct import *im, size_t i, const struct json *m)
{
    struct str at = import_pointer_at(im, "/data", i);
    const struct json *id = json_get(m, "id"), *shape = json_get(m, "architecture");
    if (m->kind != JSON_OBJECT) {
        record_skip(im, SKIP_BAD_RECORD, at, str_of(json_kind_name(m)));
        return;
    }
    if (!record_begin(im, STR("openrouter"), id && id->kind == JSON_STRING ? id->text : STR(""), at,
                      false))
        return;
    say_text(im, F_display_name, m, "name");
    say_created(im, m);
    say_date(im, F_knowledge_cutoff, m, "knowledge_cutoff");
    say_modalities(im, json_get(shape, "input_modalities"), json_get(shape, "output_modalities"));
    say_number(im, F_context_window, m, "context_length");
    say_number(im, F_max_output, json_get(m, "top_provider"), "max_completion_tokens");
    say_parameters(im, json_get(m, "supported_parameters"));
    say_efforts(im, json_get(json_get(m, "reasoning"), "supported_efforts"));
    say_pricing(im, json_get(m, "pricing"));
}

void import_openrouter(struct import *im, const struct json *root)
{
    const struct json *data = json_get(root, "data");
    if (!data || data->kind != JSON_ARRAY) {
        record_skip(im, SKIP_BAD_RECORD, STR("/data"), STR("no list of models"));
        return;
    }
    for (size_t i = 0; i < data->n && !im->failed; i++)
        model(im, i, &data->item[i]);
}
