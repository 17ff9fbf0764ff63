/*
 * import_litellm.c - LiteLLM's model_prices_and_context_window.json.
 *
 *     { "azure/gpt-4o": { "litellm_provider": "azure", "mode": "chat", .. }, .. }
 *
 * Its traps:
 *   - An absent flag is unknown. Flags are mostly written only where they are
 *     true, so silence is no "no".
 *   - `max_input_tokens` bounds the prompt and says nothing of the total.
 *     `max_tokens` is the old name of either of two limits and is not read.
 *   - The key is a path: a provider's prefix (which may be missing), sometimes
 *     regions, contract terms or image sizes, and then the id. `sample_spec`,
 *     `fallback_generalizations`, classes such as `together-ai-41.1b-80b`,
 *     prefixes of fine-tuned models, and keys with `*` are no models.
 *   - Rates are dollars per token, per second, per character, per query, by
 *     suffixes: above_NNNk_tokens, above_1hr, flex, priority, batches.
 *   - A rate of 0 mostly means that the price is elsewhere (per image, per
 *     second), so it is a placeholder here.
 */
#include "claim.h"

#include <stdio.h>

/* -- the key -------------------------------------------------------------------- */

static bool all_digits(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!char_is_digit(s.p[i]))
            return false;
    return s.n > 0;
}

/* 1024-x-1024, max-x-max, 50-steps, hd, low, ... */
static bool is_size(struct str s)
{
    static const char *const words[] = {"hd", "standard", "low", "medium", "high", "auto"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(s, words[i]))
            return true;
    return str_find(s, STR("-x-")) != SIZE_MAX || str_ends(s, STR("-steps"));
}

/* us-east-1, us-gov-west-1, and Azure's us, eu, global, global-standard. */
static bool is_region(struct str s)
{
    static const char *const words[] = {"us", "eu", "global", "global-standard", "apac"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (str_is(s, words[i]))
            return true;
    size_t dashes = 0;
    for (size_t i = 0; i < s.n; i++)
        dashes += s.p[i] == '-';
    return dashes >= 2 && s.n > 2 && s.p[s.n - 2] == '-' && all_digits(str_from(s, s.n - 1));
}

/* What is wrong with a key as the name of one model; SKIP_REASONS if nothing. */
static enum skip_reason key_reason(struct str key, struct str path)
{
    if (str_is(key, "sample_spec") || str_is(key, "fallback_generalizations"))
        return SKIP_NOT_A_MODEL;
    if (str_find_char(key, '/') == key.n &&
        (str_starts(key, STR("fireworks-ai-")) || str_starts(key, STR("together-ai-"))))
        return SKIP_PRICE_CLASS;
    for (struct str rest = path;;) {
        size_t cut = str_find_char(rest, '/');
        if (cut == rest.n)
            break;
        struct str part = str_head(rest, cut);
        rest = str_from(rest, cut + 1);
        if (str_ends(part, STR("-month-commitment")) || str_starts(rest, STR("1-month")) ||
            str_starts(rest, STR("6-month")))
            return SKIP_COMMITMENT;
        if (is_size(part))
            return SKIP_SIZE;
        if (is_region(part))
            return SKIP_REGION;
    }
    if (!path.n || path.p[path.n - 1] == '/' || str_find_char(key, '*') != key.n ||
        str_starts(path, STR("ft:")))
        return SKIP_WILDCARD;
    return SKIP_REASONS;
}

/* The id behind the provider's prefix, if the key has one. */
static struct str key_path(const struct import *im, struct str key, struct str provider)
{
    size_t cut = str_find_char(key, '/');
    if (cut == key.n)
        return key;
    struct str own = import_provider(im, provider),
               prefix = import_provider(im, str_head(key, cut));
    return own.n && str_eq(own, prefix) ? str_from(key, cut + 1) : key;
}

/* -- flags --------------------------------------------------------------------------- */

static const struct {
    const char *key;
    uint16_t field;
} flags[] = {
    {"supports_function_calling", F_tool_calling},
    {"supports_parallel_function_calling", F_parallel_tool_calls},
    {"supports_tool_choice", F_tool_choice},
    {"supports_response_schema", F_structured_output},
    {"supports_reasoning", F_reasoning},
    {"supports_adaptive_thinking", F_adaptive_thinking},
    {"supports_prompt_caching", F_prompt_caching},
    {"supports_vision", F_input_image},
    {"supports_audio_input", F_input_audio},
    {"supports_audio_output", F_output_audio},
    {"supports_video_input", F_input_video},
    {"supports_pdf_input", F_input_pdf},
    {"supports_system_messages", F_system_message},
    {"supports_mid_conversation_system", F_mid_system_message},
    {"supports_assistant_prefill", F_assistant_prefill},
    {"supports_web_search", F_web_search},
    {"supports_url_context", F_web_fetch},
    {"supports_computer_use", F_computer_use},
    {"supports_native_streaming", F_streaming},
    {"supports_sampling_params", F_temperature},
};

/* The mode says what comes out; what goes in is a matter of other fields. */
static const struct {
    const char *mode;
    uint16_t field;
} modes[] = {
    {"chat", F_output_text},
    {"responses", F_output_text},
    {"completion", F_output_text},
    {"embedding", F_embeddings},
    {"image_generation", F_output_image},
    {"image_edit", F_output_image},
    {"rerank", F_rerank},
    {"moderation", F_moderation},
    {"audio_speech", F_output_audio},
    {"audio_transcription", F_input_audio},
    {"video_generation", F_output_video},
};

/* `supports_function_calling` is false on rerankers and the like by habit; it
 * tells nothing there that anybody would ask. */
static struct str mode_of(const struct json *m)
{
    const struct json *v = json_get(m, "mode");
    return v && v->kind == JSON_STRING ? v->text : STR("");
}

static void say_mode(struct import *im, struct str mode)
{
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
        if (str_is(mode, modes[i].mode))
            say_support(im, modes[i].field, true);
}

/* -- rates ------------------------------------------------------------------------------ */

/* The beginning of a key, and the unit that one of is paid so. */
static const struct rate {
    const char *key;
    enum unit unit;
} rates[] = {
    {"input_cost_per_token", UNIT_input_tokens},
    {"output_cost_per_token", UNIT_output_tokens},
    {"cache_read_input_token_cost", UNIT_cache_read_tokens},
    {"input_cost_per_token_cache_hit", UNIT_cache_read_tokens},
    {"cache_creation_input_token_cost", UNIT_cache_write_tokens},
    {"cache_creation_input_token_cost_above_1hr", UNIT_cache_write_1h_tokens},
    {"output_cost_per_reasoning_token", UNIT_output_reasoning_tokens},
    {"input_cost_per_audio_token", UNIT_input_audio_tokens},
    {"output_cost_per_audio_token", UNIT_output_audio_tokens},
    {"cache_read_input_audio_token_cost", UNIT_cache_audio_read_tokens},
    {"cache_creation_input_audio_token_cost", UNIT_cache_audio_write_tokens},
    {"input_cost_per_image_token", UNIT_input_image_tokens},
    {"output_cost_per_image_token", UNIT_output_image_tokens},
    {"output_cost_per_video_token", UNIT_output_video_tokens},
    {"citation_cost_per_token", UNIT_output_citation_tokens},
    {"input_cost_per_character", UNIT_input_characters},
    {"output_cost_per_character", UNIT_output_characters},
    {"input_cost_per_request", UNIT_requests},
    {"input_cost_per_pixel", UNIT_input_pixels},
    {"output_cost_per_pixel", UNIT_output_pixels},
    {"ocr_cost_per_page", UNIT_input_document_pages},
    {"annotation_cost_per_page", UNIT_input_annotated_document_pages},
    {"output_cost_per_image", UNIT_output_images},
    {"input_cost_per_video_per_second", UNIT_input_video_seconds},
    {"output_cost_per_video_per_second", UNIT_output_video_seconds},
    {"input_cost_per_audio_per_second", UNIT_input_audio_seconds},
};

/* "_above_200k_tokens_priority" to ">200000 @priority"; false if it is none. */
static bool rate_suffix(struct str s, char *when, size_t size)
{
    unsigned long long above = 0;
    const char *tier = "";
    if (str_starts(s, STR("_above_"))) {
        size_t n = 7;
        while (n < s.n && char_is_digit(s.p[n]) && above < 1000000)
            above = above * 10 + (unsigned)(s.p[n++] - '0');
        s = str_from(s, n);
        if (!above || !str_starts(s, STR("k_tokens")))
            return false;
        s = str_from(s, 8);
    }
    if (str_is(s, "_batches"))
        tier = "@batch";
    else if (str_is(s, "_flex"))
        tier = "@flex";
    else if (str_is(s, "_priority"))
        tier = "@priority";
    else if (s.n)
        return false;
    if (above)
        snprintf(when, size, "%s%s>%llu", tier, *tier ? " " : "", above * 1000);
    else
        snprintf(when, size, "%s", tier);
    return true;
}

/* The row with the longest beginning that leaves a legal rest. */
static const struct rate *rate_of(struct str key, char *when, size_t size)
{
    const struct rate *best = NULL;
    size_t most = 0;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        struct str own = str_of(rates[i].key);
        char text[60];
        if (own.n <= most || !str_starts(key, own) ||
            !rate_suffix(str_from(key, own.n), text, sizeof text))
            continue;
        best = &rates[i];
        most = own.n;
        snprintf(when, size, "%s", text);
    }
    return best;
}

/* One of several ranges; the first has no condition. A range that begins at
 * 32,000 holds above 32,000 tokens. */
static void tiered(struct import *im, const struct json *list)
{
    for (size_t i = 0; list && list->kind == JSON_ARRAY && i < list->n; i++) {
        const struct json *t = &list->item[i], *range = json_get(t, "range");
        uint64_t from;
        char when[40] = "", suffix[60];
        if (!range || range->kind != JSON_ARRAY || range->n != 2 ||
            !json_uint(&range->item[0], &from))
            continue; /* search tools have ranges of results */
        if (from)
            snprintf(when, sizeof when, ">%llu", (unsigned long long)from);
        for (size_t k = 0; k < t->n; k++) {
            const struct rate *r = rate_of(t->key[k].text, suffix, sizeof suffix);
            if (r && !*suffix)
                say_rate(im, r->unit, when, &t->item[k], FOR_EACH, 0);
        }
    }
}

static void prices(struct import *im, const struct json *m, struct str mode)
{
    char when[60];
    bool own_hit = json_get(m, "cache_read_input_token_cost") != NULL;
    for (size_t i = 0; i < m->n; i++) {
        struct str key = m->key[i].text;
        const struct rate *r = rate_of(key, when, sizeof when);
        if (r && !(own_hit && str_is(key, "input_cost_per_token_cache_hit")))
            say_rate(im, r->unit, when, &m->item[i], FOR_EACH, 0);
    }
    tiered(im, json_get(m, "tiered_pricing"));
    const struct json *image = json_get(m, "input_cost_per_image"),
                      *search = json_get(m, "search_context_cost_per_query");
    if (str_is(mode, "embedding"))
        say_rate(im, UNIT_input_images, "", image, FOR_EACH, 0);
    if (str_is(mode, "image_generation") && !json_get(m, "output_cost_per_image") &&
        !json_get(m, "input_cost_per_token"))
        say_rate(im, UNIT_output_images, "", image, FOR_EACH,
                 0); /* the image that is made, whatever the key says */
    if (str_is(mode, "audio_transcription"))
        say_rate(im, UNIT_input_audio_seconds, "", json_get(m, "input_cost_per_second"), FOR_EACH,
                 0);
    if (str_is(mode, "video_generation"))
        say_rate(im, UNIT_output_video_seconds, "", json_get(m, "output_cost_per_second"), FOR_EACH,
                 0);
    if (str_is(mode, "rerank"))
        say_rate(im, UNIT_rerank_searches, "", json_get(m, "input_cost_per_query"), FOR_EACH, 0);
    /* what a search costs depends on how much it may read; the middle is what
     * one gets without asking */
    say_rate(im, UNIT_web_searches, "", json_get(search, "search_context_size_medium"), FOR_EACH,
             0);
}

/* -- records --------------------------------------------------------------------------------- */

static void efforts(struct import *im, const struct json *m)
{
    static const struct {
        const char *key, *word;
    } named[] = {{"supports_none_reasoning_effort", "none"},
                 {"supports_minimal_reasoning_effort", "minimal"},
                 {"supports_xhigh_reasoning_effort", "xhigh"},
                 {"supports_max_reasoning_effort", "max"},
                 {"supports_low_reasoning_effort", "low"}};
    /* they name single efforts, never the whole list: proof of the parameter alone */
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const struct json *v = json_get(m, named[i].key);
        if (v && v->kind == JSON_TRUE) {
            say_support(im, F_reasoning_effort, true);
            return;
        }
    }
}

/* A day that has passed when the file was made. */
static void status(struct import *im, const struct json *m)
{
    const struct json *v = json_get(m, "deprecation_date");
    if (!v || v->kind != JSON_STRING || v->text.n < 10)
        return;
    uint32_t day = 0;
    for (size_t i = 0; i < 10; i++)
        if (char_is_digit(v->text.p[i]))
            day = day * 10 + (uint32_t)(v->text.p[i] - '0');
    if (day > 20000000 && day <= im->day)
        say_word(im, F_status, "deprecated");
}

static void model(struct import *im, struct str key, const struct json *m)
{
    struct str at = import_pointer(im, key, STR(""), STR(""));
    const struct json *provider = json_get(m, "litellm_provider");
    struct str mode = mode_of(m),
               who = provider && provider->kind == JSON_STRING ? provider->text : STR("");
    struct str path = key_path(im, key, who);
    enum skip_reason reason = key_reason(key, path);
    if (m->kind != JSON_OBJECT)
        record_skip(im, SKIP_BAD_RECORD, at, str_of(json_kind_name(m)));
    else if (reason != SKIP_REASONS)
        record_skip(im, reason, at, STR(""));
    else if (str_is(mode, "search") || str_is(mode, "vector_store"))
        record_skip(im, SKIP_TOOL, at, mode);
    else if (record_begin(im, who, path, at, false)) {
        for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
            say_if(im, flags[i].field, m, flags[i].key);
        say_mode(im, mode);
        say_number(im, F_max_input, m, "max_input_tokens");
        if (!str_is(mode, "embedding") && !str_is(mode, "rerank"))
            say_number(im, F_max_output, m, "max_output_tokens");
        say_number(im, F_embedding_dimensions, m, "output_vector_size");
        say_number(im, F_cache_min_tokens, m, "prompt_cache_min_tokens");
        efforts(im, m);
        status(im, m);
        prices(im, m, mode);
    }
}

void import_litellm(struct import *im, const struct json *root)
{
    if (root->kind != JSON_OBJECT) {
        record_skip(im, SKIP_BAD_RECORD, STR(""), STR("the file is not an object of models"));
        return;
    }
    for (size_t i = 0; i < root->n && !im->failed; i++)
        model(im, root->key[i].text, &root->item[i]);
}
