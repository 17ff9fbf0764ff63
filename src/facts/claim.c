/*
 * claim.c - the set of claims, and what all importers share.
 */
#include "claim.h"

#include <stdio.h>

static const struct fact_source_row rows[FACT_SOURCES] = {
    [SRC_ANTHROPIC] = {"anthropic", "https://api.anthropic.com/v1/models",
                       "the provider's own list", EVIDENCE_PROVIDER_API, import_anthropic},
    [SRC_GOOGLE] = {"google", "https://generativelanguage.googleapis.com/v1beta/models",
                    "the provider's own list", EVIDENCE_PROVIDER_API, import_google},
    [SRC_OPENAI] = {"openai", "https://api.openai.com/v1/models", "the provider's own list",
                    EVIDENCE_PROVIDER_API, import_openai},
    [SRC_XAI] = {"xai", "https://api.x.ai/v1/models", "the provider's own list",
                 EVIDENCE_PROVIDER_API, import_xai},
    [SRC_OPENROUTER] = {"openrouter", "https://openrouter.ai/api/v1/models",
                        "the provider's own list", EVIDENCE_PROVIDER_API, import_openrouter},
    [SRC_MODELS_DEV] = {"models.dev", "https://models.dev/api.json", "MIT", EVIDENCE_CATALOG,
                        import_models_dev},
    [SRC_LITELLM] = {"litellm",
                     "https://raw.githubusercontent.com/BerriAI/litellm/main/"
                     "model_prices_and_context_window.json",
                     "MIT", EVIDENCE_CATALOG, import_litellm},
    [SRC_GENAI_PRICES] = {"genai-prices",
                          "https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/"
                          "new_data/v2/data.json",
                          "MIT", EVIDENCE_CATALOG, import_genai_prices},
    [SRC_RUBY_LLM] =
        {"ruby_llm",
         "https://raw.githubusercontent.com/crmne/ruby_llm/main/lib/ruby_llm/models.json", "MIT",
         EVIDENCE_CATALOG, import_ruby_llm},
};

const struct fact_source_row *fact_source_row(unsigned source)
{
    return &rows[source];
}

unsigned fact_source_find(struct str name)
{
    for (unsigned i = 0; i < FACT_SOURCES; i++)
        if (str_is(name, rows[i].name))
            return i;
    return FACT_SOURCES;
}

const char *evidence_name(enum evidence e)
{
    static const char *const names[] = {"inferred", "catalog", "provider-docs", "provider-api"};
    return names[e];
}

static const struct {
    const char *word, *text;
} reasons[SKIP_REASONS] = {
    [SKIP_BAD_RECORD] = {"bad-record", "the record is not what this source's records are"},
    [SKIP_NO_ID] = {"no-id", "the record has no id"},
    [SKIP_UNKNOWN_PROVIDER] = {"unknown-provider", "no provider of the catalog is called so"},
    [SKIP_NOT_A_MODEL] = {"not-a-model", "documentation or rules of the source itself"},
    [SKIP_WILDCARD] = {"wildcard", "the key stands for any model"},
    [SKIP_PRICE_CLASS] = {"price-class", "a price for models of some size, not a model"},
    [SKIP_REGION] = {"region", "a price for one region of a model that has its own record"},
    [SKIP_COMMITMENT] = {"commitment", "a price under a contract for months"},
    [SKIP_SIZE] = {"image-size", "a price for one size or quality of an image model"},
    [SKIP_TOOL] = {"tool", "a search or storage service, not a model"},
    [SKIP_PATTERN] = {"pattern", "the id stands for a pattern, and no source lists it as an id"},
    [SKIP_NAME] = {"bad-name", "the id is too long, or has control characters"},
    [SKIP_REPEATED] = {"repeated", "the id stands in the files too often"},
};

const char *skip_word(enum skip_reason r)
{
    return reasons[r].word;
}

const char *skip_text(enum skip_reason r)
{
    return reasons[r].text;
}

void import_init(struct import *im, struct arena *ar, const struct id_tables *ids)
{
    *im = (struct import){.ar = ar, .ids = ids};
    map_init(&im->by_offering, ar, true);
}

bool import_read(struct import *im, unsigned source, struct str text, uint32_t day,
                 struct json_error *err)
{
    const struct json *root = json_parse(im->ar, text, err);
    if (!root)
        return false;
    im->source = im->voice = (uint8_t)source;
    im->evidence = (uint8_t)rows[source].evidence;
    im->day = day;
    im->count[source].given = true;
    im->count[source].day = day;
    rows[source].read(im, root);
    if (im->failed)
        *err = (struct json_error){.code = CODE_memory, .message = "out of memory"};
    return !im->failed;
}

/* -- places -------------------------------------------------------------------------- */

struct str import_pointer(struct import *im, struct str a, struct str b, struct str c)
{
    struct buf out;
    buf_init(&out, im->ar->a, 4 * LIMIT_NAME_BYTES);
    const struct str part[] = {a, b, c};
    for (int i = 0; i < 3; i++) {
        if (!part[i].n)
            continue;
        buf_putc(&out, '/');
        json_pointer_token(&out, str_head(part[i], LIMIT_NAME_BYTES));
    }
    struct str s = out.failed ? STR_NONE : str_dup(im->ar, str_make(out.p, out.n));
    buf_free(&out);
    if (!s.p)
        im->failed = true;
    return s;
}

struct str import_pointer_at(struct import *im, const char *list, size_t i)
{
    struct str s = str_printf(im->ar, "%s/%zu", list, i);
    if (!s.p)
        im->failed = true;
    return s;
}

/* -- records ------------------------------------------------------------------------------ */

struct str import_provider(const struct import *im, struct str name)
{
    char folded[LIMIT_NAME_BYTES];
    struct str value;
    if (!im->ids || !name.n || name.n > sizeof folded)
        return STR("");
    for (size_t i = 0; i < name.n; i++)
        folded[i] = char_fold(name.p[i]);
    return im->ids->find(im->ids->ctx, ID_PROVIDER, str_make(folded, name.n), &value) ? value
                                                                                      : STR("");
}

static bool good_name(struct str id)
{
    if (!id.n || id.n > LIMIT_NAME_BYTES)
        return false;
    for (size_t i = 0; i < id.n; i++)
        if ((unsigned char)id.p[i] < 0x20 || id.p[i] == 0x7f)
            return false;
    return true;
}

static bool open_offering(struct import *im, struct str provider, struct str id, bool weak)
{
    size_t n = provider.n + 1 + id.n;
    char *key = arena_alloc(im->ar, n + 1);
    if (!key) {
        im->failed = true;
        return false;
    }
    memcpy(key, provider.p, provider.n);
    key[provider.n] = '\n';
    memcpy(key + provider.n + 1, id.p, id.n);
    uint32_t *have = map_get(&im->by_offering, str_make(key, n));
    if (have) {
        im->current = *have;
    } else {
        im->current = (uint32_t)im->n_offerings;
        if (im->n_offerings >= LIMIT_RULES ||
            !ARENA_GROW(im->ar, im->offering, im->n_offerings, im->cap_offerings) ||
            !map_put(&im->by_offering, str_make(key, n), im->current)) {
            im->failed = true;
            return false;
        }
        im->offering[im->n_offerings++] =
            (struct offering){.provider = provider, .id = str_make(key + provider.n + 1, id.n)};
    }
    struct offering *o = &im->offering[im->current];
    if (o->records >= IMPORT_RECORDS)
        return false;
    o->records++;
    o->established |= !weak;
    return true;
}

void record_skip(struct import *im, enum skip_reason reason, struct str at, struct str detail)
{
    struct import_count *c = &im->count[im->source];
    c->read++;
    c->skipped[reason]++;
    if (!ARENA_GROW(im->ar, im->skip, im->n_skips, im->cap_skips)) {
        im->failed = true;
        return;
    }
    im->skip[im->n_skips++] = (struct skip){im->source, (uint8_t)reason, at, detail};
}

bool record_also(struct import *im, struct str provider, struct str id, bool weak)
{
    struct str canonical = import_provider(im, provider);
    return canonical.n && good_name(id) && open_offering(im, canonical, id, weak);
}

bool record_begin(struct import *im, struct str provider, struct str id, struct str at, bool weak)
{
    if (im->failed)
        return false;
    struct str canonical = import_provider(im, provider);
    im->at = at;
    if (!canonical.n)
        record_skip(im, SKIP_UNKNOWN_PROVIDER, at, provider);
    else if (!id.n)
        record_skip(im, SKIP_NO_ID, at, STR(""));
    else if (!good_name(id))
        record_skip(im, SKIP_NAME, at, str_head(id, 80));
    else if (open_offering(im, canonical, id, weak)) {
        im->count[im->source].read++;
        im->count[im->source].imported++;
        return true;
    } else if (!im->failed)
        record_skip(im, SKIP_REPEATED, at, str_head(id, 80));
    return false;
}

void record_weak(struct import *im)
{
    if (!ARENA_GROW(im->ar, im->weak, im->n_weak, im->cap_weak)) {
        im->failed = true;
        return;
    }
    im->weak[im->n_weak++] = (struct weak_record){im->source, im->current, im->at};
}

void import_finish(struct import *im)
{
    for (size_t i = 0; i < im->n_weak && !im->failed; i++) {
        const struct weak_record *w = &im->weak[i];
        if (im->offering[w->offering].established)
            continue;
        im->source = w->source;
        im->count[w->source].read--; /* it was counted when it was begun */
        im->count[w->source].imported--;
        record_skip(im, SKIP_PATTERN, w->at, im->offering[w->offering].id);
    }
    im->n_weak = 0;
}

void record_bad_value(struct import *im, struct str name, const struct json *v,
                      const char *expected)
{
    im->count[im->source].bad_values++;
    struct str detail = str_printf(im->ar, "'%.*s' is %s, expected %s", STR_ARG(str_head(name, 80)),
                                   json_kind_name(v), expected);
    if (!detail.p || !ARENA_GROW(im->ar, im->bad, im->n_bad, im->cap_bad)) {
        im->failed = true;
        return;
    }
    im->bad[im->n_bad++] = (struct bad_value){im->source, im->at, detail};
}

/* -- claims ------------------------------------------------------------------------------------ */

static struct claim *say(struct import *im, unsigned field)
{
    if (im->failed || !ARENA_GROW(im->ar, im->claim, im->n_claims, im->cap_claims)) {
        im->failed = true;
        return NULL;
    }
    struct claim *c = &im->claim[im->n_claims++];
    *c = (struct claim){.offering = im->current,
                        .day = im->day,
                        .field = (uint16_t)field,
                        .source = im->source,
                        .voice = im->voice,
                        .evidence = im->evidence,
                        .key = STR(""),
                        .at = im->at};
    c->value.text = STR("");
    return c;
}

static bool nothing(const struct json *v)
{
    return !v || v->kind == JSON_NULL;
}

void say_support(struct import *im, unsigned field, bool yes)
{
    struct claim *c = say(im, field);
    if (c)
        c->value.support = yes ? CANDO_NATIVE : CANDO_UNSUPPORTED;
}

void say_if(struct import *im, unsigned field, const struct json *object, const char *key)
{
    const struct json *v = json_get(object, key);
    if (nothing(v))
        return;
    if (v->kind != JSON_TRUE && v->kind != JSON_FALSE)
        record_bad_value(im, str_of(key), v, "true or false");
    else
        say_support(im, field, v->kind == JSON_TRUE);
}

void say_flag(struct import *im, unsigned field, const struct json *object, const char *key)
{
    const struct json *v = json_get(object, key);
    if (nothing(v))
        return;
    if (v->kind != JSON_TRUE && v->kind != JSON_FALSE) {
        record_bad_value(im, str_of(key), v, "true or false");
        return;
    }
    struct claim *c = say(im, field);
    if (c)
        c->value.flag = v->kind == JSON_TRUE;
}

void say_number(struct import *im, unsigned field, const struct json *object, const char *key)
{
    const struct json *v = json_get(object, key);
    uint64_t n;
    if (nothing(v))
        return;
    if (!json_uint(v, &n)) {
        record_bad_value(im, str_of(key), v, "a whole number");
        return;
    }
    struct claim *c = say(im, field);
    if (!c)
        return;
    c->value.number = n;
    if (n == 0)
        c->flags |= CLAIM_PLACEHOLDER;
}

void say_text(struct import *im, unsigned field, const struct json *object, const char *key)
{
    const struct json *v = json_get(object, key);
    if (nothing(v))
        return;
    if (v->kind != JSON_STRING || str_find_char(v->text, '\0') != v->text.n) {
        record_bad_value(im, str_of(key), v, "a text");
        return;
    }
    struct claim *c = v->text.n && v->text.n <= LIMIT_NAME_BYTES ? say(im, field) : NULL;
    if (c)
        c->value.text = v->text;
}

void say_word(struct import *im, unsigned field, const char *word)
{
    struct claim *c = say(im, field);
    if (c)
        c->value.text = str_of(word);
}

void say_list(struct import *im, unsigned field, struct str *item, size_t n)
{
    struct claim *c = say(im, field);
    if (!c)
        return;
    c->value.item = item;
    c->value.n = n;
}

/* 2026, 2026-11 or 2026-11-15. */
static size_t date_length(struct str s)
{
    size_t n = 0;
    while (n < 10 && n < s.n && (n == 4 || n == 7 ? s.p[n] == '-' : char_is_digit(s.p[n])))
        n++;
    return n == 10 ? 10 : n == 7 || n == 8 ? 7 : n == 4 || n == 5 ? 4 : 0;
}

void say_date(struct import *im, unsigned field, const struct json *object, const char *key)
{
    const struct json *v = json_get(object, key);
    if (nothing(v) || (v->kind == JSON_STRING && v->text.n == 0))
        return;
    size_t n = v->kind == JSON_STRING ? date_length(v->text) : 0;
    if (!n) {
        record_bad_value(im, str_of(key), v, "a date");
        return;
    }
    struct claim *c = say(im, field);
    if (c)
        c->value.text = str_head(v->text, n);
}

static bool has_word(const struct json *list, const char *word)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->item[i].kind == JSON_STRING && str_is(list->item[i].text, word))
            return true;
    return false;
}

/* In the order of the vocabulary, so that two sources' lists compare. */
void say_efforts(struct import *im, const struct json *list)
{
    if (!list || list->kind != JSON_ARRAY || list->n == 0)
        return;
    struct str *item = arena_array(im->ar, 8, sizeof *item), word;
    const char *at = vocab_row(F_reasoning_efforts)->words;
    size_t n = 0;
    if (!item) {
        im->failed = true;
        return;
    }
    while (n < 8 && words_next(&at, &word)) {
        for (size_t i = 0; i < list->n; i++)
            if (list->item[i].kind == JSON_STRING && str_eq(list->item[i].text, word)) {
                item[n++] = word;
                break;
            }
    }
    if (n)
        say_list(im, F_reasoning_efforts, item, n);
}

void say_modalities(struct import *im, const struct json *in, const struct json *out)
{
    static const struct {
        const char *word, *other;
        uint16_t in, out;
    } kinds[] = {
        {"text", "text", F_input_text, F_output_text},
        {"image", "image", F_input_image, F_output_image},
        {"audio", "speech", F_input_audio, F_output_audio},
        {"video", "video", F_input_video, F_output_video},
        {"pdf", "file", F_input_pdf, FIELD_COUNT},
    };
    bool has_in = in && in->kind == JSON_ARRAY && in->n,
         has_out = out && out->kind == JSON_ARRAY && out->n;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (has_in)
            say_support(im, kinds[i].in,
                        has_word(in, kinds[i].word) || has_word(in, kinds[i].other));
        if (has_out && kinds[i].out < FIELD_COUNT)
            say_support(im, kinds[i].out,
                        has_word(out, kinds[i].word) || has_word(out, kinds[i].other) ||
                            (kinds[i].out == F_output_text && has_word(out, "transcription")));
    }
    if (has_out && (has_word(out, "embeddings") || has_word(out, "embedding")))
        say_support(im, F_embeddings, true);
    if (has_out && has_word(out, "rerank"))
        say_support(im, F_rerank, true);
}

void say_reasoning_options(struct import *im, const struct json *list)
{
    if (!list || list->kind != JSON_ARRAY)
        return;
    for (size_t i = 0; i < list->n; i++) {
        const struct json *o = &list->item[i], *type = json_get(o, "type");
        if (!type || type->kind != JSON_STRING)
            continue;
        if (str_is(type->text, "effort")) {
            say_support(im, F_reasoning_effort, true);
            say_efforts(im, json_get(o, "values"));
        } else if (str_is(type->text, "budget_tokens")) {
            say_support(im, F_thinking_budget, true);
            if (json_get(o, "max"))
                say_number(im, F_max_thinking_budget, o, "max");
        }
    }
}

/* -- prices
 * ---------------------------------------------------------------------------------------- */

static bool rate_of(const struct json *v, unsigned unit, enum rate_for per, int shift,
                    struct decimal *out)
{
    struct decimal measure = decimal_from(unit_per(unit));
    return (v->kind == JSON_NUMBER || v->kind == JSON_STRING) && decimal_parse(v->text, out) &&
           decimal_shift(out, shift, out) &&
           (per == FOR_MEASURE || decimal_mul(out, &measure, out));
}

void say_rate(struct import *im, unsigned unit, const char *when, const struct json *v,
              enum rate_for per, int shift)
{
    struct decimal d;
    char text[DECIMAL_TEXT];
    if (nothing(v))
        return;
    if (!rate_of(v, unit, per, shift, &d)) {
        record_bad_value(im, str_of(unit_name(unit)), v, "a decimal number");
        return;
    }
    if (d.negative) /* "it depends", at OpenRouter */
        return;
    if (im->offering[im->current].rates >= IMPORT_RATES) {
        record_bad_value(im, str_of(unit_name(unit)), v, "fewer rates for one model");
        return;
    }
    im->offering[im->current].rates++;
    struct str key = str_printf(im->ar, "%s%s%s", unit_name(unit), *when ? " " : "", when);
    struct str rate = str_dup(im->ar, decimal_text(&d, text));
    struct claim *c = say(im, F_price);
    if (!c || !key.p || !rate.p) {
        im->failed = true;
        return;
    }
    c->key = key;
    c->value.text = rate;
    if (decimal_is_zero(&d))
        c->flags |= CLAIM_PLACEHOLDER;
}

static const struct {
    const char *key;
    enum unit unit;
} cost_units[] = {
    {"input", UNIT_input_tokens},
    {"output", UNIT_output_tokens},
    {"cache_read", UNIT_cache_read_tokens},
    {"cache_write", UNIT_cache_write_tokens},
    {"reasoning", UNIT_output_reasoning_tokens},
    {"input_audio", UNIT_input_audio_tokens},
    {"output_audio", UNIT_output_audio_tokens},
};

static void say_cost_units(struct import *im, const struct json *cost, const char *when)
{
    for (size_t i = 0; i < sizeof cost_units / sizeof *cost_units; i++)
        say_rate(im, cost_units[i].unit, when, json_get(cost, cost_units[i].key), FOR_MEASURE, 0);
}

void say_models_dev_cost(struct import *im, const struct json *cost)
{
    if (!cost || cost->kind != JSON_OBJECT)
        return;
    say_cost_units(im, cost, "");
    const struct json *tiers = json_get(cost, "tiers"), *over = json_get(cost, "context_over_200k");
    bool tiered = false;
    for (size_t i = 0; tiers && tiers->kind == JSON_ARRAY && i < tiers->n; i++) {
        const struct json *tier = json_get(&tiers->item[i], "tier"), *type = json_get(tier, "type");
        uint64_t size;
        if (!tier || !json_uint(json_get(tier, "size"), &size) || !type ||
            type->kind != JSON_STRING || !str_is(type->text, "context"))
            continue;
        char when[40];
        snprintf(when, sizeof when, ">%llu", (unsigned long long)size);
        say_cost_units(im, &tiers->item[i], when);
        tiered = true;
    }
    /* the older way to write the same; with tiers it repeats one of them */
    if (!tiered && over && over->kind == JSON_OBJECT)
        say_cost_units(im, over, ">200000");
}
