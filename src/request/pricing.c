/*
 * pricing.c - price lists as other systems write them, read into our rates.
 *
 *     cando          {"input_tokens >200000": "6"}          docs/prices.md
 *     models.dev     {"input": 3, "tiers": [{..}]}          per million tokens
 *     model_ref      the same keys
 *     litellm        {"input_cost_per_token_flex": 1.5e-6}  per token
 *     genai-prices   {"input_mtok": {"base": 3, "tiers": [{"start": 200000, "price": 6}]}},
 *                    or {"prices": {..}}, or {"prices": [{"constraint": {..}, "prices": {..}}]}
 *
 * A rate is a decimal: a string, or a number, which is what its text says. In
 * our own form and in genai-prices' every key must be one we know; entries of
 * the others hold much that is no price, so there a key that we do not know is
 * passed over, and what it was meant to price stays unknown.
 */
#include "cost.h"

#include "catalog/api.h"

const char *const pricing_forms[PRICING_FORMS] = {"cando", "models.dev", "litellm", "genai-prices",
                                                  "model_ref"};

struct pricing_reader {
    struct reading *r;
    struct pricing *p;
    struct str at;
    const struct cost_options *o;
};

static bool fail(struct pricing_reader *r, struct str key, const char *what, const char *expected)
{
    reading_fail(r->r, CODE_bad_price, r->at, "'%.*s' %s", STR_ARG(str_head(key, 80)), what);
    return reading_hint(r->r, "expected: %s", expected);
}

static bool fail_many(struct pricing_reader *r, struct str name)
{
    return fail(r, name, "the price list has too many rates", "at most 256");
}

static bool put(struct pricing_reader *r, const struct price_key *key, struct str name,
                const struct decimal *rate)
{
    if (r->p->n == LIMIT_PRICE_RATES)
        return fail_many(r, name);
    r->p->rate[r->p->n++] = (struct price_rate){.key = *key, .rate = *rate};
    return true;
}

/* A rate in JSON. *present is false for null. */
static bool read_rate(struct pricing_reader *r, struct str name, const struct json *v,
                      struct decimal *out, bool *present)
{
    *present = v->kind != JSON_NULL;
    if (!*present)
        return true;
    if (v->kind != JSON_STRING && v->kind != JSON_NUMBER)
        return fail(r, name, "is not a rate", "a decimal string or a number");
    const char *wrong = price_rate_parse(v->text, out);
    return !wrong || fail(r, name, "is not a rate", wrong);
}

/* A threshold: a whole number, as a number or a string. */
static bool read_threshold(struct pricing_reader *r, struct str name, const struct json *v,
                           uint64_t *out)
{
    struct decimal d;
    if (v && (v->kind == JSON_NUMBER || v->kind == JSON_STRING) && decimal_parse(v->text, &d) &&
        decimal_whole(&d, out) && *out <= LIMIT_NUMBER)
        return true;
    return fail(r, name, "has a threshold that is none", "a whole number of tokens");
}

/* Puts one rate: for as many as we count by, or for each. */
static bool put_rate(struct pricing_reader *r, const struct price_key *key, struct str name,
                     const struct json *v, bool each)
{
    struct decimal rate, factor = decimal_from(each ? unit_per(key->unit) : 1);
    bool present;
    if (!read_rate(r, name, v, &rate, &present))
        return false;
    if (!present)
        return true;
    if (!decimal_mul(&rate, &factor, &rate))
        return fail(r, name, "has more digits than we keep", "a rate of at most 60 digits");
    return put(r, key, name, &rate);
}

/* -- our own ------------------------------------------------------------------------------ */

static bool add(struct pricing_reader *r, struct str key, struct str rate)
{
    if (r->p->n == LIMIT_PRICE_RATES)
        return fail_many(r, key);
    struct price_rate *out = &r->p->rate[r->p->n];
    const char *wrong = price_key_parse(key, &out->key);
    if (wrong) {
        reading_fail(r->r, CODE_bad_price, r->at, "'%.*s' is no price key: %s",
                     STR_ARG(str_head(key, 80)), wrong);
        reading_hint(r->r, "prices in another's words tell so: \"form\":\"model_ref\"");
        return reading_suggest(r->r, unit_near(str_head(key, str_find_char(key, ' '))), NULL);
    }
    wrong = price_rate_parse(rate, &out->rate);
    if (wrong)
        return fail(r, key, "is not a rate", wrong);
    out->off = 0;
    out->unsaid = false;
    r->p->n++;
    return true;
}

bool pricing_add(struct reading *r, struct pricing *p, struct str at, struct str key,
                 struct str rate)
{
    return add(&(struct pricing_reader){.r = r, .p = p, .at = at}, key, rate);
}

static bool read_cando(struct pricing_reader *r, const struct json *v)
{
    for (size_t i = 0; i < v->n; i++) {
        const struct json *x = &v->item[i];
        if (str_is(v->key[i].text, "form") || x->kind == JSON_NULL)
            continue;
        if (x->kind != JSON_STRING && x->kind != JSON_NUMBER)
            return fail(r, v->key[i].text, "is not a rate", "a decimal string or a number");
        if (!add(r, v->key[i].text, x->text))
            return false;
    }
    return true;
}

/* -- models.dev, model_ref ------------------------------------------------------------------- */

static bool models_dev_rates(struct pricing_reader *r, const struct json *v, enum price_step step,
                             uint64_t threshold)
{
    for (size_t i = 0; i < v->n; i++)
        for (size_t k = 0; k < price_names.n_models_dev; k++) {
            const struct price_name *row = &price_names.models_dev[k];
            if (!str_eq(v->key[i].text, row->name))
                continue;
            struct price_key key = price_key_plain(row->unit);
            key.step = (uint8_t)step;
            key.threshold = threshold;
            if (!put_rate(r, &key, v->key[i].text, &v->item[i], row->unit == UNIT_requests))
                return false;
        }
    return true;
}

/* One of `tiers`: rates and {"tier":{"type":"context","size":n}}. */
static bool models_dev_tier(struct pricing_reader *r, const struct json *v)
{
    const struct json *tier = v->kind == JSON_OBJECT ? json_get(v, "tier") : NULL;
    const struct json *type = tier && tier->kind == JSON_OBJECT ? json_get(tier, "type") : NULL;
    uint64_t size;
    if (!type || type->kind != JSON_STRING || !str_is(type->text, "context"))
        return fail(r, STR("tiers"), "has a tier that we do not know",
                    "{\"tier\":{\"type\":\"context\",\"size\":n}, ..}");
    return read_threshold(r, STR("tiers"), json_get(tier, "size"), &size) &&
           models_dev_rates(r, v, PRICE_ABOVE, size);
}

static bool read_models_dev(struct pricing_reader *r, const struct json *v)
{
    const struct json *tiers = json_get(v, "tiers"), *over = json_get(v, "context_over_200k");
    if (!models_dev_rates(r, v, PRICE_FLAT, 0))
        return false;
    if (tiers && tiers->kind == JSON_ARRAY) { /* says the same as context_over_200k, more exactly */
        for (size_t i = 0; i < tiers->n; i++)
            if (!models_dev_tier(r, &tiers->item[i]))
                return false;
        return true;
    }
    if (tiers && tiers->kind != JSON_NULL)
        return fail(r, STR("tiers"), "is not a list", "a list of tiers");
    if (over && over->kind == JSON_OBJECT)
        return models_dev_rates(r, over, PRICE_ABOVE, 200000);
    return true;
}

/* -- litellm ---------------------------------------------------------------------------------- */

/* {"search_context_size_medium": rate, ..}: what a search costs if nothing is
 * said about its size. */
static bool litellm_searches(struct pricing_reader *r, struct str name, const struct json *v)
{
    static const char *const sizes[] = {"search_context_size_medium", "search_context_size_low",
                                        "search_context_size_high"};
    struct price_key key = price_key_plain(UNIT_web_searches);
    if (v->kind != JSON_OBJECT)
        return true;
    for (size_t i = 0; i < 3; i++) {
        const struct json *rate = json_get(v, sizes[i]);
        if (rate && rate->kind != JSON_NULL)
            return put_rate(r, &key, name, rate, true);
    }
    return true;
}

static bool litellm_rates(struct pricing_reader *r, const struct json *v, enum price_step step,
                          uint64_t threshold)
{
    struct str mode = api_text(v, "mode");
    for (size_t i = 0; i < v->n; i++) {
        struct price_key key;
        struct str name = v->key[i].text;
        if (str_is(name, "search_context_cost_per_query")) {
            if (!litellm_searches(r, name, &v->item[i]))
                return false;
            continue;
        }
        if (!price_key_litellm(name, mode, true, &key))
            continue;
        if (key.step == PRICE_FLAT) {
            key.step = (uint8_t)step;
            key.threshold = threshold;
        }
        bool each = !str_is(name, "file_search_cost_per_1k_calls");
        if (!put_rate(r, &key, name, &v->item[i], each))
            return false;
    }
    return true;
}

static bool read_litellm(struct pricing_reader *r, const struct json *v)
{
    struct str name = STR("tiered_pricing");
    const struct json *tiers = json_get(v, "tiered_pricing");
    if (!litellm_rates(r, v, PRICE_FLAT, 0))
        return false;
    if (!tiers || tiers->kind == JSON_NULL)
        return true;
    if (tiers->kind != JSON_ARRAY)
        return fail(r, name, "is not a list", "a list of {\"range\":[from,to], ..}");
    for (size_t i = 0; i < tiers->n; i++) {
        const struct json *t = &tiers->item[i],
                          *range = t->kind == JSON_OBJECT ? json_get(t, "range") : NULL;
        uint64_t start;
        if (!range || range->kind != JSON_ARRAY || range->n == 0)
            return fail(r, name, "has a tier without a range", "{\"range\":[from,to], ..}");
        if (!read_threshold(r, name, &range->item[0], &start) ||
            !litellm_rates(r, t, start ? PRICE_ABOVE : PRICE_FLAT, start))
            return false;
    }
    return true;
}

/* -- genai-prices ----------------------------------------------------------------------------- */

static bool genai_rate(struct pricing_reader *r, unsigned unit, struct str name,
                       const struct json *v)
{
    struct price_key key = price_key_plain(unit);
    if (v->kind != JSON_OBJECT)
        return put_rate(r, &key, name, v, false);
    const struct json *base = json_get(v, "base"), *tiers = json_get(v, "tiers");
    if (!base || (tiers && tiers->kind != JSON_ARRAY))
        return fail(r, name, "is not a rate",
                    "a rate, or {\"base\":rate,\"tiers\":[{\"start\":n,\"price\":rate}]}");
    if (!put_rate(r, &key, name, base, false))
        return false;
    key.step = PRICE_ABOVE;
    for (size_t i = 0; tiers && i < tiers->n; i++) {
        const struct json *t = &tiers->item[i],
                          *price = t->kind == JSON_OBJECT ? json_get(t, "price") : NULL;
        if (!price)
            return fail(r, name, "has a tier without a price", "{\"start\":n,\"price\":rate}");
        if (!read_threshold(r, name, json_get(t, "start"), &key.threshold) ||
            !put_rate(r, &key, name, price, false))
            return false;
    }
    return true;
}

static bool genai_rates(struct pricing_reader *r, const struct json *v)
{
    if (v->kind != JSON_OBJECT)
        return fail(r, STR("prices"), "is not an object of rates", "{\"input_mtok\":rate, ..}");
    for (size_t i = 0; i < v->n; i++) {
        struct str name = v->key[i].text;
        if (str_is(name, "form"))
            continue;
        unsigned unit = unit_find_price_key(name);
        if (unit == UNIT_COUNT)
            unit = unit_find(name);
        if (unit == UNIT_COUNT)
            return fail(r, name, "is no price key of genai-prices", "input_mtok, output_mtok, ..");
        if (!genai_rate(r, unit, name, &v->item[i]))
            return false;
    }
    return true;
}

static bool constraint_text(struct pricing_reader *r, const struct json *c, const char *key,
                            struct str *out)
{
    const struct json *v = json_get(c, key);
    *out = STR("");
    if (!v || v->kind == JSON_NULL)
        return true;
    if (v->kind != JSON_STRING)
        return fail(r, str_of(key), "is not a text", "a date, or a time of day");
    *out = v->text;
    return true;
}

/* Is an entry of a dated list in force? Without an instant those with a date
 * are, and those of a time of day are not. */
static bool genai_in_force(struct pricing_reader *r, const struct json *entry, bool *out)
{
    const struct json *c = json_get(entry, "constraint");
    struct str start, begin, end;
    int32_t day, from, to;
    *out = true;
    if (!c || c->kind == JSON_NULL)
        return true;
    if (c->kind != JSON_OBJECT)
        return fail(r, STR("constraint"), "is not an object",
                    "{\"start_date\":..} or {\"start_time\":..,\"end_time\":..}");
    if (!constraint_text(r, c, "start_date", &start) ||
        !constraint_text(r, c, "start_time", &begin) || !constraint_text(r, c, "end_time", &end))
        return false;
    if (start.n) {
        if (!day_parse(start, &day))
            return fail(r, STR("start_date"), "is not a date", "2026-12-01");
        *out = !r->o->dated || r->o->at.day >= day;
    }
    if (!begin.n && !end.n)
        return true;
    if (!time_parse(begin, &from) || !time_parse(end, &to))
        return fail(r, STR("constraint"), "has no time of day",
                    "\"start_time\":\"16:30:00Z\",\"end_time\":\"00:30:00Z\"");
    int32_t t = r->o->at.second;
    bool inside = from < to ? from <= t && t < to : t >= from || t < to;
    *out = *out && r->o->dated && inside;
    return true;
}

static bool read_genai(struct pricing_reader *r, const struct json *v)
{
    const struct json *prices = json_get(v, "prices"), *last = NULL;
    if (!prices)
        return genai_rates(r, v);
    if (prices->kind != JSON_ARRAY)
        return genai_rates(r, prices);
    for (size_t i = 0; i < prices->n; i++) {
        const struct json *entry = &prices->item[i];
        bool holds;
        if (entry->kind != JSON_OBJECT || !json_get(entry, "prices"))
            return fail(r, STR("prices"), "has an entry without prices",
                        "{\"constraint\":{..},\"prices\":{..}}");
        if (!genai_in_force(r, entry, &holds))
            return false;
        if (holds)
            last = json_get(entry, "prices");
    }
    return !last || genai_rates(r, last);
}

/* ------------------------------------------------------------------------------------------ */

bool pricing_read(struct reading *reading, const struct json *v, struct str at,
                  enum pricing_form form, const struct cost_options *options, struct pricing *out)
{
    struct pricing_reader r = {reading, out, at, options};
    out->n = 0;
    if (v->kind != JSON_OBJECT)
        return fail(&r, STR(""), "is not a price list", "an object");
    switch (form) {
    case PRICING_CANDO:
        return read_cando(&r, v);
    case PRICING_MODELS_DEV:
    case PRICING_MODEL_REF:
        return read_models_dev(&r, v);
    case PRICING_LITELLM:
        return read_litellm(&r, v);
    case PRICING_GENAI:
        return read_genai(&r, v);
    case PRICING_FORMS:
        break;
    }
    return fail(&r, STR("form"), "is no form of a price list",
                "cando, models.dev, litellm, genai-prices or model_ref");
}
