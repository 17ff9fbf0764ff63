/*
 * import_genai.c - genai-prices' data.json.
 *
 *     [ { "id": "anthropic", "models": [ { "id", "match", "prices", .. } ] } ]
 *
 * Its traps:
 *   - A model is a pattern: `match` says which spellings it covers. Its `id` is
 *     an id if `match` names it whole (`equals`); else it may be only a name for
 *     the pattern (`regional.anthropic.claude-...`) and counts if another source
 *     lists it. The other spellings that it names whole (`gpt-5-4`) are what
 *     people write, not what a provider lists, and count on the same condition.
 *   - `prices` is an object, or a list of which the last entry in force counts.
 *     What has been replaced before the file was made is left out; what begins
 *     later is kept with its day; hours of the day are kept too.
 *   - A rate is a number, or has tiers: once the input is above `start`, all of
 *     it is paid so.
 *   - `google` is both AI Studio and Vertex: Claude is sold by the latter.
 *     `huggingface_x` is Hugging Face with x behind it, which is asked for as
 *     `model:x`.
 */
#include "claim.h"

#include <stdio.h>

#define HF "huggingface_"

/* Calls fn for each `equals` of a match tree, which nests by `or` and `and`. */
static void each_equal(const struct json *match, unsigned depth,
                       void (*fn)(void *ctx, struct str id), void *ctx)
{
    const struct json *equal = json_get(match, "equals"), *any = import_list(match, "or");
    if (equal && equal->kind == JSON_STRING)
        fn(ctx, equal->text);
    for (size_t i = 0; i < any->n && depth < 8; i++)
        each_equal(&any->item[i], depth + 1, fn, ctx);
}

/* -- prices ------------------------------------------------------------------------ */

static void say_unit(struct import *im, unsigned unit, const struct json *v, const char *when)
{
    if (v->kind != JSON_OBJECT) {
        say_rate(im, unit, when, v, FOR_MEASURE, 0);
        return;
    }
    const struct json *tiers = import_list(v, "tiers");
    say_rate(im, unit, when, json_get(v, "base"), FOR_MEASURE, 0);
    for (size_t i = 0; i < tiers->n; i++) {
        uint64_t start;
        char text[120];
        if (!json_uint(json_get(&tiers->item[i], "start"), &start)) {
            record_bad_value(im, STR("tiers"), &tiers->item[i], "a tier with its start");
            continue;
        }
        snprintf(text, sizeof text, ">%llu%s%s", (unsigned long long)start, *when ? " " : "", when);
        say_rate(im, unit, text, json_get(&tiers->item[i], "price"), FOR_MEASURE, 0);
    }
}

static void say_prices(struct import *im, const struct json *prices, const char *when)
{
    for (size_t i = 0; prices && prices->kind == JSON_OBJECT && i < prices->n; i++) {
        unsigned unit = unit_find_price_key(prices->key[i].text);
        if (unit == UNIT_COUNT)
            record_bad_value(im, prices->key[i].text, &prices->item[i], "a unit that is known");
        else
            say_unit(im, unit, &prices->item[i], when);
    }
}

/* yyyymmdd, 0 if it is no date. */
static uint32_t day_of(const struct json *v)
{
    int32_t day;
    bool is_day = v && v->kind == JSON_STRING && day_parse(v->text, &day);
    return is_day ? day_number(v->text) : 0;
}

static bool hours_of(const struct json *c, char *when, size_t size)
{
    int32_t a, b;
    if (!time_parse(import_text(c, "start_time"), &a) ||
        !time_parse(import_text(c, "end_time"), &b))
        return false;
    snprintf(when, size, "time=%02d:%02d-%02d:%02d", a / 3600, a / 60 % 60, b / 3600, b / 60 % 60);
    return true;
}

static void say_dated(struct import *im, const struct json *list)
{
    const struct json *now = NULL;
    for (size_t i = 0; i < list->n; i++) {
        const struct json *c = json_get(&list->item[i], "constraint");
        if (!json_get(c, "start_time") && (!c || (day_of(json_get(c, "start_date")) &&
                                                  day_of(json_get(c, "start_date")) <= im->day)))
            now = &list->item[i];
    }
    say_prices(im, json_get(now, "prices"), "");
    for (size_t i = 0; i < list->n; i++) {
        const struct json *c = json_get(&list->item[i], "constraint"),
                          *start = json_get(c, "start_date");
        char when[60];
        if (!c)
            continue;
        if (day_of(start) > im->day)
            snprintf(when, sizeof when, "from=%.*s", STR_ARG(start->text));
        else if (!start && !hours_of(c, when, sizeof when)) {
            record_bad_value(im, STR("constraint"), c, "a day or hours");
            continue;
        } else if (start)
            continue;
        say_prices(im, json_get(&list->item[i], "prices"), when);
    }
}

/* -- records -------------------------------------------------------------------------- */

static void facts(struct import *im, const struct json *m)
{
    const struct json *prices = json_get(m, "prices");
    say(im, F_display_name, m, "name");
    say(im, F_context_window, m, "context_window");
    if (json_is_true(json_get(m, "deprecated")))
        say_word(im, F_status, "deprecated");
    if (prices && prices->kind == JSON_ARRAY)
        say_dated(im, prices);
    else
        say_prices(im, prices, "");
}

struct spellings {
    struct import *im;
    const struct json *m;
    struct str provider, own, suffix;
    bool named; /* `own` is one of the ids that it names */
};

/* With the suffix by which Hugging Face picks who serves it. */
static struct str full_id(struct spellings *n, struct str id)
{
    if (!n->suffix.n)
        return id;
    return str_printf(n->im->ar, "%.*s:%.*s", STR_ARG(id), STR_ARG(n->suffix));
}

static void look(void *ctx, struct str id)
{
    struct spellings *n = ctx;
    n->named |= str_eq(id, n->own);
}

static void also(void *ctx, struct str id)
{
    struct spellings *n = ctx;
    if (!n->im->ar->failed && !str_eq(id, n->own) &&
        record_also(n->im, n->provider, full_id(n, id), true))
        facts(n->im, n->m);
}

static void model(struct import *im, const struct json *m, struct str at)
{
    const struct json *match = json_get(m, "match");
    struct str provider = im->provider;
    struct spellings n = {.im = im, .m = m, .provider = provider, .own = import_text(m, "id")};
    if (str_is(provider, "google") && str_starts(n.own, STR("claude")))
        n.provider = STR("google-vertex");
    if (str_starts(provider, STR(HF)))
        n.suffix = str_from(provider, sizeof HF - 1);
    each_equal(match, 0, look, &n);
    if (!record_begin(im, n.provider, n.own.n ? full_id(&n, n.own) : n.own, at, !n.named))
        return;
    if (!n.named)
        record_weak(im);
    facts(im, m);
    each_equal(match, 0, also, &n);
}

void import_genai_prices(struct import *im, const struct json *root)
{
    if (root->kind != JSON_ARRAY) {
        record_skip(im, SKIP_BAD_RECORD, STR(""), STR("the file is not a list of providers"));
        return;
    }
    for (size_t i = 0; i < root->n && !im->ar->failed; i++) {
        const struct json *id = json_get(&root->item[i], "id"),
                          *models = json_get(&root->item[i], "models");
        bool there = id && id->kind == JSON_STRING && models && models->kind == JSON_ARRAY;
        struct str at = str_printf(im->ar, "/%zu%s", i, there ? "/models" : "");
        im->provider = there ? id->text : STR("");
        import_each(im, there ? models : NULL, JSON_ARRAY, at, "a provider without id or models",
                    model);
    }
}
