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

#include "catalog/api.h"

#include <stdio.h>

/* -- the key -------------------------------------------------------------------- */

/* 1024-x-1024, max-x-max, 50-steps, hd, low, ... */
static bool is_size(struct str s)
{
    static const char *const words[] = {"hd", "standard", "low", "medium", "high", "auto"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(s, words[i]))
            return true;
    return str_find(s, STR("-x-")) != SIZE_MAX || str_ends(s, STR("-steps"));
}

/* us-east-1, us-gov-west-1, and Azure's us, eu, global, global-standard. */
static bool is_region(struct str s)
{
    static const char *const words[] = {"us", "eu", "global", "global-standard", "apac"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(s, words[i]))
            return true;
    size_t dashes = 0;
    for (size_t i = 0; i < s.n; i++)
        dashes += s.p[i] == '-';
    return dashes >= 2 && s.p[s.n - 2] == '-' && str_is_digits(str_from(s, s.n - 1));
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

/* By the names that the vocabulary has for them. */
static void say_flags(struct import *im, const struct json *m)
{
    for (unsigned f = 0; f < SUPPORT_COUNT; f++) {
        struct str name = vocab_name(VOCAB_LITELLM, f);
        if (name.n)
            say_value(im, f, name, json_member(m, name));
    }
}

/* The mode says what comes out; what goes in is a matter of other fields. */
static const struct fact_key modes[] = {
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

static const struct import_kind kinds[] = {
    {"chat", "chat"},
    {"responses", "chat"},
    {"completion", "completion"},
    {"embedding", "embedding"},
    {"image_generation", "image"},
    {"image_edit", "image"},
    {"rerank", "rerank"},
    {"moderation", "moderation"},
    {"audio_speech", "speech"},
    {"audio_transcription", "transcription"},
    {"video_generation", "video"},
    {"ocr", "ocr"},
    {"realtime", "realtime"},
};

static void say_mode(struct import *im, struct str mode)
{
    SAY_KIND(im, mode, kinds);
    for (size_t i = 0; i < COUNT_OF(modes); i++)
        if (str_is(mode, modes[i].path))
            say_support(im, modes[i].field, true);
}

/* -- rates ------------------------------------------------------------------------------ */

/* The unit and the condition of a rate: "_above_200k_tokens_priority" is "@priority >200000". */
static bool rate_of(struct str name, struct str mode, unsigned *unit, char when[WHEN_TEXT])
{
    struct price_key key;
    if (!price_key_litellm(name, mode, false, &key))
        return false;
    *unit = key.unit;
    const char *mark = key.tier.n ? "@" : "", *tier = key.tier.p;
    if (key.step == PRICE_ABOVE)
        snprintf(when, WHEN_TEXT, "%s%.8s%s>%llu", mark, tier, key.tier.n ? " " : "",
                 (unsigned long long)key.threshold);
    else
        snprintf(when, WHEN_TEXT, "%s%.8s", mark, tier);
    return true;
}

/* One of several ranges; the first has no condition. A range that begins at
 * 32,000 holds above 32,000 tokens. */
static void tiered(struct import *im, const struct json *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct json *t = &list->item[i], *range = import_list(t, "range");
        uint64_t from;
        char when[WHEN_TEXT] = "", suffix[WHEN_TEXT];
        unsigned unit;
        if (range->n != 2 || !json_uint(&range->item[0], &from))
            continue; /* search tools have ranges of results */
        if (from)
            when_above(when, from);
        for (size_t k = 0; k < t->n; k++) {
            if (rate_of(t->key[k].text, STR(""), &unit, suffix) && !*suffix)
                say_rate(im, unit, when, &t->item[k], FOR_EACH, 0);
        }
    }
}

static void prices(struct import *im, const struct json *m, struct str mode)
{
    char when[WHEN_TEXT];
    unsigned unit;
    bool own_hit = json_get(m, "cache_read_input_token_cost") != NULL;
    for (size_t i = 0; i < m->n; i++) {
        struct str key = m->key[i].text;
        if (own_hit && str_is(key, "input_cost_per_token_cache_hit"))
            continue;
        if (rate_of(key, mode, &unit, when))
            say_rate(im, unit, when, &m->item[i], FOR_EACH, 0);
    }
    tiered(im, import_list(m, "tiered_pricing"));
    if (str_is(mode, "image_generation") && !json_get(m, "output_cost_per_image") &&
        !json_get(m, "input_cost_per_token")) /* the image that is made, whatever the key says */
        say_rate(im, UNIT_output_images, "", json_get(m, "input_cost_per_image"), FOR_EACH, 0);
    /* what a search costs depends on how much it may read; the middle is what
     * one gets without asking */
    const struct json *search = json_get(m, "search_context_cost_per_query");
    say_rate(im, UNIT_web_searches, "", json_get(search, "search_context_size_medium"), FOR_EACH,
             0);
}

/* -- records --------------------------------------------------------------------------------- */

static void efforts(struct import *im, const struct json *m)
{
    static const char *const named[] = {"none", "minimal", "xhigh", "max", "low"};
    /* they name single efforts, never the whole list: proof of the parameter alone */
    for (size_t i = 0; i < COUNT_OF(named); i++) {
        char key[60];
        snprintf(key, sizeof key, "supports_%s_reasoning_effort", named[i]);
        if (json_is_true(json_get(m, key))) {
            say_support(im, F_reasoning_effort, true);
            return;
        }
    }
}

/* A day that has passed when the file was made. */
static void status(struct import *im, const struct json *m)
{
    struct str text = import_text(m, "deprecation_date");
    uint32_t day = text.n < 10 ? 0 : day_number(str_head(text, 10));
    if (day > 20000000 && day <= im->day)
        say_word(im, F_status, "deprecated");
}

static const struct fact_key limits[] = {
    {"max_input_tokens", F_max_input},
    {"output_vector_size", F_embedding_dimensions},
    {"prompt_cache_min_tokens", F_cache_min_tokens},
};

static void model(struct import *im, const struct json *m, struct str at)
{
    struct str mode = import_text(m, "mode"), who = import_text(m, "litellm_provider");
    struct str path = key_path(im, im->key, who);
    enum skip_reason reason = key_reason(im->key, path);
    if (reason != SKIP_REASONS) {
        record_skip(im, reason, at, STR(""));
        return;
    }
    if (str_is(mode, "search") || str_is(mode, "vector_store")) {
        record_skip(im, SKIP_TOOL, at, mode);
        return;
    }
    if (!record_begin(im, who, path, at, false))
        return;
    say_flags(im, m);
    say_mode(im, mode);
    SAY_KEYS(im, m, limits);
    if (!str_is(mode, "embedding") && !str_is(mode, "rerank"))
        say(im, F_max_output, m, "max_output_tokens");
    efforts(im, m);
    status(im, m);
    prices(im, m, mode);
}

void import_litellm(struct import *im, const struct json *root)
{
    import_each(im, root, JSON_OBJECT, STR(""), "the file is not an object of models", model);
}
