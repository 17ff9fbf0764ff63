/*
 * claim.c - the set of claims, and what all importers share.
 */
#include "claim.h"

#include "catalog/api.h"

#include <stdio.h>

static const struct fact_source_row rows[FACT_SOURCES] = {
    [SRC_ANTHROPIC] = {"anthropic", "https://api.anthropic.com/v1/models", EVIDENCE_PROVIDER_API,
                       import_anthropic, false},
    [SRC_GOOGLE] = {"google", "https://generativelanguage.googleapis.com/v1beta/models",
                    EVIDENCE_PROVIDER_API, import_google, false},
    [SRC_OPENAI] = {"openai", "https://api.openai.com/v1/models", EVIDENCE_PROVIDER_API,
                    import_openai, false},
    [SRC_XAI] = {"xai", "https://api.x.ai/v1/models", EVIDENCE_PROVIDER_API, import_xai, false},
    [SRC_OPENROUTER] = {"openrouter", "https://openrouter.ai/api/v1/models", EVIDENCE_PROVIDER_API,
                        import_openrouter, false},
    [SRC_VLLM] = {"vllm", "http://localhost:8000/v1/models", EVIDENCE_PROVIDER_API, import_local,
                  true},
    [SRC_LMSTUDIO] = {"lmstudio", "http://localhost:1234/api/v0/models", EVIDENCE_PROVIDER_API,
                      import_local, true},
    [SRC_OLLAMA] = {"ollama", "http://localhost:11434/api/show", EVIDENCE_PROVIDER_API,
                    import_local, true},
    [SRC_LLAMACPP] = {"llamacpp", "http://localhost:8080/props", EVIDENCE_PROVIDER_API,
                      import_local, true},
    [SRC_MODELS_DEV] = {"models.dev", "https://models.dev/api.json", EVIDENCE_CATALOG,
                        import_models_dev, false},
    [SRC_LITELLM] = {"litellm",
                     "https://raw.githubusercontent.com/BerriAI/litellm/main/"
                     "model_prices_and_context_window.json",
                     EVIDENCE_CATALOG, import_litellm, false},
    [SRC_GENAI_PRICES] = {"genai-prices",
                          "https://raw.githubusercontent.com/pydantic/genai-prices/main/prices/"
                          "new_data/v2/data.json",
                          EVIDENCE_CATALOG, import_genai_prices, false},
    [SRC_RUBY_LLM] =
        {"ruby_llm",
         "https://raw.githubusercontent.com/crmne/ruby_llm/main/lib/ruby_llm/models.json",
         EVIDENCE_CATALOG, import_ruby_llm, false},
    [SRC_CATWALK] = {"catwalk", "https://catwalk.charm.sh/v2/providers", EVIDENCE_CATALOG,
                     import_catwalk, false},
    [SRC_MASTRA] = {"mastra",
                    "https://raw.githubusercontent.com/mastra-ai/mastra/main/packages/core/src/llm/"
                    "model/provider-registry.json",
                    EVIDENCE_CATALOG, import_mastra, false},
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

const char *skip_word(enum skip_reason r)
{
    static const char *const words[] = {
        [SKIP_BAD_RECORD] = "bad-record",
        [SKIP_NO_ID] = "no-id",
        [SKIP_UNKNOWN_PROVIDER] = "unknown-provider",
        [SKIP_NOT_A_MODEL] = "not-a-model",
        [SKIP_WILDCARD] = "wildcard",
        [SKIP_PRICE_CLASS] = "price-class",
        [SKIP_REGION] = "region",
        [SKIP_COMMITMENT] = "commitment",
        [SKIP_SIZE] = "image-size",
        [SKIP_TOOL] = "tool",
        [SKIP_PATTERN] = "pattern",
        [SKIP_NAME] = "bad-name",
        [SKIP_REPEATED] = "repeated",
        [BAD_VALUE] = "bad-value",
    };
    return words[r];
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
    if (im->ar->failed)
        *err = (struct json_error){.code = CODE_memory, .message = "out of memory"};
    return !im->ar->failed;
}

/* -- places -------------------------------------------------------------------------- */

struct str import_at(struct import *im, struct str at, struct str key)
{
    struct buf out;
    buf_init_arena(&out, im->ar, 8 * LIMIT_NAME_BYTES);
    buf_puts(&out, at);
    buf_putc(&out, '/');
    json_pointer_token(&out, str_head(key, LIMIT_NAME_BYTES));
    return str_make(buf_cstr(&out), out.n);
}

struct str import_text(const struct json *object, const char *key)
{
    const struct json *v = json_get(object, key);
    return v && v->kind == JSON_STRING ? v->text : STR("");
}

const struct json *import_list(const struct json *object, const char *key)
{
    static const struct json none = {.kind = JSON_ARRAY};
    const struct json *v = json_get(object, key);
    return v && v->kind == JSON_ARRAY ? v : &none;
}

void import_each(struct import *im, const struct json *list, enum json_kind kind, struct str at,
                 const char *otherwise, import_record_fn *fn)
{
    if (!list || list->kind != kind) {
        record_skip(im, SKIP_BAD_RECORD, at, str_of(otherwise));
        return;
    }
    for (size_t i = 0; i < list->n && !im->ar->failed; i++) {
        const struct json *m = &list->item[i];
        char number[24];
        snprintf(number, sizeof number, "%zu", i);
        struct str key = kind == JSON_OBJECT ? list->key[i].text : str_of(number);
        struct str place = import_at(im, at, key);
        im->key = kind == JSON_OBJECT ? key : STR("");
        if (m->kind == JSON_OBJECT)
            fn(im, m, place);
        else
            record_skip(im, SKIP_BAD_RECORD, place, str_of(json_kind_name(m)));
    }
}

void import_models(struct import *im, const struct json *object, struct str at, const char *key,
                   import_record_fn *fn)
{
    import_each(im, json_get(object, key), JSON_ARRAY, import_at(im, at, str_of(key)),
                "no list of models", fn);
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
    if (!key)
        return false;
    memcpy(key, provider.p, provider.n);
    key[provider.n] = '\n';
    memcpy(key + provider.n + 1, id.p, id.n);
    uint32_t *have = map_get(&im->by_offering, str_make(key, n));
    if (have) {
        im->current = *have;
    } else {
        im->current = (uint32_t)im->n_offerings;
        im->ar->failed |= im->n_offerings >= LIMIT_RULES; /* no more than there is memory for */
        if (im->ar->failed ||
            !ARENA_GROW(im->ar, im->offering, im->n_offerings, im->cap_offerings) ||
            !map_put(&im->by_offering, str_make(key, n), im->current))
            return false;
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
    if (!ARENA_GROW(im->ar, im->skip, im->n_skips, im->cap_skips))
        return;
    im->skip[im->n_skips++] = (struct skip){im->source, (uint8_t)reason, at, detail};
}

bool record_also(struct import *im, struct str provider, struct str id, bool weak)
{
    struct str canonical = import_provider(im, provider);
    return canonical.n && good_name(id) && open_offering(im, canonical, id, weak);
}

bool record_begin(struct import *im, struct str provider, struct str id, struct str at, bool weak)
{
    if (im->ar->failed)
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
    } else if (!im->ar->failed)
        record_skip(im, SKIP_REPEATED, at, str_head(id, 80));
    return false;
}

void record_weak(struct import *im)
{
    if (!ARENA_GROW(im->ar, im->weak, im->n_weak, im->cap_weak))
        return;
    im->weak[im->n_weak++] = (struct weak_record){im->source, im->current, im->at};
}

void import_finish(struct import *im)
{
    for (size_t i = 0; i < im->n_weak && !im->ar->failed; i++) {
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
    if (!detail.p || !ARENA_GROW(im->ar, im->bad, im->n_bad, im->cap_bad))
        return;
    im->bad[im->n_bad++] = (struct skip){im->source, BAD_VALUE, im->at, detail};
}

/* -- claims ------------------------------------------------------------------------------------ */

static struct claim *claim_add(struct import *im, unsigned field)
{
    if (im->ar->failed || !ARENA_GROW(im->ar, im->claim, im->n_claims, im->cap_claims))
        return NULL;
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
    struct claim *c = claim_add(im, field);
    if (c)
        c->value.support = yes ? CANDO_NATIVE : CANDO_UNSUPPORTED;
}

void say_word(struct import *im, unsigned field, const char *word)
{
    struct claim *c = claim_add(im, field);
    if (c)
        c->value.text = str_of(word);
}

static void say_flag(struct import *im, unsigned field, struct str key, const struct json *v)
{
    if (v->kind != JSON_TRUE && v->kind != JSON_FALSE) {
        record_bad_value(im, key, v, "true or false");
        return;
    }
    struct claim *c = claim_add(im, field);
    if (!c)
        return;
    c->value.flag = v->kind == JSON_TRUE;
    if (vocab_row(field)->type == CANDO_SUPPORT)
        c->value.support = c->value.flag ? CANDO_NATIVE : CANDO_UNSUPPORTED;
}

static void say_number(struct import *im, unsigned field, struct str key, const struct json *v)
{
    uint64_t n;
    if (!json_uint(v, &n)) {
        record_bad_value(im, key, v, "a whole number");
        return;
    }
    struct claim *c = claim_add(im, field);
    if (!c)
        return;
    c->value.number = n;
    if (n == 0)
        c->flags |= CLAIM_PLACEHOLDER;
}

static void say_text(struct import *im, unsigned field, struct str key, const struct json *v)
{
    if (v->kind != JSON_STRING || str_find_char(v->text, '\0') != v->text.n) {
        record_bad_value(im, key, v, "a text");
        return;
    }
    struct claim *c = v->text.n && v->text.n <= LIMIT_NAME_BYTES ? claim_add(im, field) : NULL;
    if (c)
        c->value.text = v->text;
}

/* 2026, 2026-11 or 2026-11-15. */
static size_t date_length(struct str s)
{
    size_t n = 0;
    while (n < 10 && n < s.n && (n == 4 || n == 7 ? s.p[n] == '-' : char_is_digit(s.p[n])))
        n++;
    return n == 10 ? 10 : n == 7 || n == 8 ? 7 : n == 4 || n == 5 ? 4 : 0;
}

/* There is no 2025-25-11. */
static bool is_date(struct str s)
{
    int32_t day;
    char whole[12];
    const char *rest = s.n == 4 ? "-01-01" : s.n == 7 ? "-01" : "";
    snprintf(whole, sizeof whole, "%.*s%s", STR_ARG(s), rest);
    return day_parse(str_of(whole), &day);
}

static void say_date(struct import *im, unsigned field, struct str key, const struct json *v)
{
    if (v->kind == JSON_STRING && v->text.n == 0)
        return;
    size_t n = v->kind == JSON_STRING ? date_length(v->text) : 0;
    if (!n || !is_date(str_head(v->text, n))) {
        record_bad_value(im, key, v, "a date");
        return;
    }
    struct claim *c = claim_add(im, field);
    if (c)
        c->value.text = str_head(v->text, n);
}

void say_value(struct import *im, unsigned field, struct str key, const struct json *v)
{
    if (nothing(v))
        return;
    switch (vocab_row(field)->type) {
    case CANDO_SUPPORT:
    case CANDO_FLAG:
        say_flag(im, field, key, v);
        break;
    case CANDO_NUMBER:
        say_number(im, field, key, v);
        break;
    default:
        if (vocab_is_date(field))
            say_date(im, field, key, v);
        else
            say_text(im, field, key, v);
    }
}

void say(struct import *im, unsigned field, const struct json *object, const char *path)
{
    struct str rest = str_of(path), key = STR("");
    while (rest.n) {
        key = str_head(rest, str_find_char(rest, '/'));
        rest = str_from(rest, key.n + 1);
        object = json_member(object, key);
    }
    say_value(im, field, key, object);
}

void say_keys(struct import *im, const struct json *object, const struct fact_key *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        say(im, row[i].field, object, row[i].path);
}

bool import_has_word(const struct json *list, struct str word)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->item[i].kind == JSON_STRING && str_eq(list->item[i].text, word))
            return true;
    return false;
}

static bool has_word(const struct json *list, const char *word)
{
    return import_has_word(list, str_of(word));
}

void say_words(struct import *im, const struct json *list, const struct fact_key *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (has_word(list, row[i].path))
            say_support(im, row[i].field, true);
}

static bool has_choice(const struct json *v, struct str word)
{
    if (v->kind == JSON_ARRAY)
        return import_has_word(v, word);
    return json_is_true(json_get(json_member(v, word), "supported"));
}

/* In the order of the vocabulary, so that two sources' lists compare. */
void say_choices(struct import *im, unsigned field, const struct json *v)
{
    const char *at = vocab_row(field)->words;
    struct rule_value list = {.text = STR("")};
    struct str word;
    size_t cap = 0;
    if (!v)
        return;
    while (words_next(&at, &word)) {
        if (!has_choice(v, word))
            continue;
        if (!ARENA_GROW(im->ar, list.item, list.n, cap))
            return;
        list.item[list.n++] = word;
    }
    struct claim *c = list.n ? claim_add(im, field) : NULL;
    if (c)
        c->value = list;
}

/* What makes one thing alone is of one kind; what makes text may be of several, unless it
 * hears and does nothing else. */
static void say_kind_of(struct import *im, const struct json *in, const struct json *out)
{
    static const struct import_kind kinds[] = {
        {"embeddings", "embedding"},
        {"embedding", "embedding"},
        {"rerank", "rerank"},
        {"speech", "speech"},
        {"transcription", "transcription"},
        {"audio", "speech"},
        {"image", "image"},
        {"video", "video"},
    };
    bool hears = in && in->kind == JSON_ARRAY && in->n == 1 && has_word(in, "audio");
    if (out->n != 1 || out->item[0].kind != JSON_STRING)
        return;
    if (hears && has_word(out, "text"))
        say_word(im, F_model_kind, "transcription");
    else
        SAY_KIND(im, out->item[0].text, kinds);
}

void say_kind(struct import *im, struct str word, const struct import_kind *row, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (str_is(word, row[i].word)) {
            say_word(im, F_model_kind, row[i].kind);
            return;
        }
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
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
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
    if (has_out)
        say_kind_of(im, in, out);
}

void say_reasoning_options(struct import *im, const struct json *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct json *o = &list->item[i];
        struct str type = import_text(o, "type");
        if (str_is(type, "effort")) {
            say_support(im, F_reasoning_effort, true);
            say_choices(im, F_reasoning_efforts, json_get(o, "values"));
        } else if (str_is(type, "budget_tokens")) {
            say_support(im, F_thinking_budget, true);
            say(im, F_max_thinking_budget, o, "max");
        }
    }
}

bool import_embeds(const struct json *m)
{
    return str_find(import_text(m, "family"), STR("embed")) != SIZE_MAX;
}

/* -- prices ------------------------------------------------------------------------------ */

static bool rate_of(const struct json *v, unsigned unit, enum rate_for per, int shift,
                    struct decimal *out)
{
    struct decimal measure = decimal_from(unit_per(unit));
    if (v->kind != JSON_NUMBER && v->kind != JSON_STRING)
        return false;
    if (!decimal_parse(v->text, out))
        return false;
    if (!decimal_shift(out, shift, out))
        return false;
    return per == FOR_MEASURE || decimal_mul(out, &measure, out);
}

/* Where a binary fraction was in between, 0.025 has become 0.024999999999999998: nobody wrote
 * that. No price has as many digits as such a number. */
#define RATE_DIGITS 12u
#define RATE_NOISE 16u
static void drop_noise(struct decimal *d)
{
    char text[DECIMAL_TEXT], step[24];
    struct str s = decimal_text(d, text);
    size_t point = str_find_char(s, '.'), cut = 0, digits = 0;
    bool begun = false;
    for (size_t i = 0; i < s.n; i++) {
        begun |= char_is_digit(s.p[i]) && s.p[i] != '0';
        digits += begun && s.p[i] != '.';
        if (digits == RATE_DIGITS && !cut)
            cut = i + 1;
    }
    if (digits < RATE_NOISE || cut <= point)
        return;
    struct decimal up;
    snprintf(step, sizeof step, "1e-%zu", cut - point - 1);
    if (!decimal_parse(str_head(s, cut), d) || !decimal_parse(str_of(step), &up))
        return;
    if (s.p[cut] >= '5')
        decimal_add(d, &up, d);
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
    drop_noise(&d);
    if (im->offering[im->current].rates >= IMPORT_RATES) {
        record_bad_value(im, str_of(unit_name(unit)), v, "fewer rates for one model");
        return;
    }
    im->offering[im->current].rates++;
    struct str key = str_printf(im->ar, "%s%s%s", unit_name(unit), *when ? " " : "", when);
    struct str rate = str_dup(im->ar, decimal_text(&d, text));
    struct claim *c = claim_add(im, F_price);
    if (!c || !key.p || !rate.p)
        return;
    c->key = key;
    c->value.text = rate;
    if (decimal_is_zero(&d))
        c->flags |= CLAIM_PLACEHOLDER;
}

void say_rates(struct import *im, const struct json *object, const struct rate_key *row, size_t n,
               const char *when, enum rate_for per)
{
    for (size_t i = 0; i < n; i++)
        say_rate(im, row[i].unit, when, json_get(object, row[i].key), per, 0);
}

const char *when_above(char when[WHEN_TEXT], uint64_t tokens)
{
    snprintf(when, WHEN_TEXT, ">%llu", (unsigned long long)tokens);
    return when;
}

void say_models_dev_rates(struct import *im, const struct json *object, const char *when)
{
    for (size_t i = 0; i < price_names.n_models_dev; i++) {
        const struct price_name *row = &price_names.models_dev[i];
        if (!row->list_only)
            say_rate(im, row->unit, when, json_get(object, row->name.p), FOR_MEASURE, 0);
    }
}

void say_models_dev_cost(struct import *im, const struct json *cost)
{
    const struct json *tiers = import_list(cost, "tiers");
    bool tiered = false;
    say_models_dev_rates(im, cost, "");
    for (size_t i = 0; i < tiers->n; i++) {
        const struct json *tier = json_get(&tiers->item[i], "tier");
        uint64_t above;
        char when[WHEN_TEXT];
        if (!json_uint(json_get(tier, "size"), &above) ||
            !str_is(import_text(tier, "type"), "context"))
            continue;
        say_models_dev_rates(im, &tiers->item[i], when_above(when, above));
        tiered = true;
    }
    /* the older way to write the same; with tiers it repeats one of them */
    if (!tiered)
        say_models_dev_rates(im, json_get(cost, "context_over_200k"), ">200000");
}
