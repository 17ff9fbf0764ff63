/*
 * usage.c - counts from replies and streams.
 *
 *     reply or events --find the body--> object with a usage --shape--> counts
 *
 * Providers' counters only ever grow within one stream, and some events repeat
 * them in part, so the events of a stream are merged by the larger count.
 * Replies of a realtime session are bills of their own and are added up.
 *
 * Two providers leave the reasoning out of what they call the completion: xAI
 * (unless its total shows that it did not) and Perplexity (always, and its
 * citations too). Our output contains both.
 */
#include "usage.h"

enum path_how { ADD, SET };

struct path_row {
    uint8_t unit, how;
    struct str first;   /* a member of the usage object */
    struct str filter;  /* it is a list: "key=word" of the items that count */
    struct str step[2]; /* from there: a member, and a member of that; empty: no further */
};

#define TEXT_(z)                                                                                   \
    {                                                                                              \
        z, sizeof(z) - 1                                                                           \
    }
static const struct path_row paths[] = {
#define REPLY(id, name)
#define ROW(unit, how, first, filter, inner, last)                                                 \
    {UNIT_##unit, how, TEXT_(first), TEXT_(filter), {TEXT_(inner), TEXT_(last)}},
#define PATH(shape, key, unit, how) ROW(unit, how, key, "", "", "")
#define WITHIN(shape, object, key, unit, how) ROW(unit, how, object, "", key, "")
#define DEEPER(shape, object, inner, key, unit, how) ROW(unit, how, object, "", inner, key)
#define EACH(shape, list, filter, key, unit, how) ROW(unit, how, list, filter, key, "")
#include "usage_paths.def"
};

/* Where the rows of a shape begin: a REPLY takes no number of its own. */
#define JOIN_(a, b) a##b
#define ROW_(line) JOIN_(ROW_, line),
enum {
#define REPLY(id, name) FIRST_##id, BEFORE_##id = FIRST_##id - 1,
#define PATH(shape, key, unit, how) ROW_(__LINE__)
#define WITHIN(shape, object, key, unit, how) ROW_(__LINE__)
#define DEEPER(shape, object, inner, key, unit, how) ROW_(__LINE__)
#define EACH(shape, list, filter, key, unit, how) ROW_(__LINE__)
#include "usage_paths.def"
    N_PATHS
};
_Static_assert(N_PATHS == sizeof paths / sizeof *paths, "a number each");

static const uint8_t first_path[REPLY_COUNT + 1] = {
#define REPLY(id, name) FIRST_##id,
#define PATH(shape, key, unit, how)
#include "usage_paths.def"
    N_PATHS,
};

static const char *const scan_shape_names[REPLY_COUNT] = {
#define REPLY(id, name) name,
#define PATH(shape, key, unit, how)
#include "usage_paths.def"
};

const char *usage_shape_name(enum usage_shape shape)
{
    return shape < REPLY_COUNT ? scan_shape_names[shape] : NULL;
}

bool usage_shape_find(struct str api, enum usage_shape *out)
{
    for (unsigned i = 0; i < REPLY_COUNT; i++)
        if (str_is(api, scan_shape_names[i])) {
            *out = (enum usage_shape)i;
            return true;
        }
    *out = REPLY_chat;
    return str_is(api, "mistral-chat") || str_is(api, "openai-embeddings");
}

/* What is read: the place of it, for an error. */
struct source {
    struct reading *r;
    struct str at;
    size_t event; /* SIZE_MAX: the reply is no list */
    struct str provider;
};

static struct str place(const struct source *s)
{
    return s->event == SIZE_MAX ? s->at : reading_at_index(s->r, s->at, s->event);
}

static bool fail(const struct source *s, const char *what)
{
    return reading_fail(s->r, CODE_bad_usage, place(s), "this %s", what);
}

static bool fail_key(const struct source *s, struct str key, const char *what)
{
    return reading_fail(s->r, CODE_bad_usage, place(s), "'%.*s' %s", STR_ARG(str_head(key, 120)),
                        what);
}

static bool fail_path(const struct source *s, const struct path_row *row, const char *what)
{
    return reading_fail(s->r, CODE_bad_usage, place(s), "'%s%s%s%s%s%s%s%s' %s", row->first.p,
                        row->filter.n ? "[" : "", row->filter.p, row->filter.n ? "]" : "",
                        row->step[0].n ? "/" : "", row->step[0].p, row->step[1].n ? "/" : "",
                        row->step[1].p, what);
}

/* -- members ------------------------------------------------------------------------------ */

static const struct json_pick finish[] = {
    {TEXT_("finish_reason"), NULL, 0},
    {TEXT_("finishReason"), NULL, 0},
};

#define ALL(key)                                                                                   \
    {                                                                                              \
        TEXT_(key), NULL, 0                                                                        \
    }
#define ENDS(key)                                                                                  \
    {                                                                                              \
        TEXT_(key), finish, 2                                                                      \
    }
#define NONE_OF(key)                                                                               \
    {                                                                                              \
        TEXT_(key), finish, 0                                                                      \
    } /* that it is there */
#define SAME(key)                                                                                  \
    {                                                                                              \
        TEXT_(key), usage_picks, USAGE_PICKS                                                       \
    }
/* The most frequent ones first. */
const struct json_pick usage_picks[USAGE_PICKS] = {
    ALL("usage"),
    ALL("model"),
    ALL("id"),
    ALL("object"),
    ALL("type"),
    ALL("created"),
    ENDS("choices"),
    SAME("delta"),
    ALL("service_tier"),
    SAME("message"),
    SAME("response"),
    ALL("created_at"),
    ENDS("candidates"),
    ALL("modelVersion"),
    ALL("usageMetadata"),
    ALL("createTime"),
    ALL("done"),
    SAME("metadata"),
    ALL("eval_count"),
    SAME("data"),
    ALL("prompt_eval_count"),
    ALL("stop_reason"),
    ALL("x_groq"),
    SAME("body"),
    SAME("result"),
    ALL("meta"),
    ALL("usage_metadata"),
    ALL("create_time"),
    ALL("target"),
    ALL("provider"),
    ALL("at"),
    ALL("cost"),
    ALL("estimated_cost"),
    ALL("cost_in_usd_ticks"),
    NONE_OF("prompt_filter_results"),
};

static inline const struct json *get_str(const struct json *v, struct str key)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->key[i].text.n == key.n && str_same(v->key[i].text.p, key.p, key.n))
            return &v->item[i];
    return NULL;
}
/* Of an object; the key is a literal. */
#define get(v, key) get_str((v), STR(key))

static const struct json *of_kind(const struct json *v, enum json_kind kind)
{
    return v && v->kind == kind ? v : NULL;
}

static struct str text_of(const struct json *v)
{
    return v && v->kind == JSON_STRING ? v->text : STR_NONE;
}

/* Something that is there and not null. */
static bool says(const struct json *v)
{
    return v && v->kind != JSON_NULL;
}

static const struct json *inside(const struct json *v, struct str key)
{
    return v && v->kind == JSON_OBJECT ? get_str(v, key) : NULL;
}

/* -- one count ---------------------------------------------------------------------------- */

static bool count_parse(const struct json *v, unsigned unit, struct decimal *out)
{
    uint64_t n;
    if (v->kind != JSON_NUMBER)
        return false;
    if (unit_is_duration(unit))
        return decimal_parse(v->text, out) && !out->negative;
    if (!json_uint(v, &n))
        return false;
    *out = decimal_from(n);
    return true;
}

static bool usage_add(struct usage *u, unsigned unit, const struct decimal *n)
{
    if (u->state[unit] == COUNT_KNOWN)
        return decimal_add(&u->count[unit], n, &u->count[unit]);
    u->state[unit] = COUNT_KNOWN;
    u->count[unit] = *n;
    return true;
}

static bool add_count(const struct source *s, const struct path_row *row, const struct json *v,
                      struct usage *u)
{
    struct decimal n;
    if (v->kind == JSON_NULL || (row->how == SET && u->state[row->unit] == COUNT_KNOWN))
        return true;
    if (!count_parse(v, row->unit, &n))
        return fail_path(s, row, "is not a count");
    return usage_add(u, row->unit, &n) || fail_path(s, row, "is too large");
}

/* The rest of a path; what is absent or null ends it in silence, what is of another
 * kind is an error. */
static bool follow(const struct source *s, const struct path_row *row, const struct json *v,
                   struct usage *u)
{
    for (unsigned i = 0; i < 2 && row->step[i].n; i++) {
        if (v->kind == JSON_NULL)
            return true;
        if (v->kind != JSON_OBJECT)
            return fail_path(s, row, "is not an object");
        v = get_str(v, row->step[i]);
        if (!v)
            return true;
    }
    return add_count(s, row, v, u);
}

static bool follow_list(const struct source *s, const struct path_row *row, const struct json *list,
                        struct usage *u)
{
    size_t cut = str_find_char(row->filter, '=');
    struct str key = str_head(row->filter, cut), word = str_from(row->filter, cut + 1);
    if (list->kind == JSON_NULL)
        return true;
    if (list->kind != JSON_ARRAY)
        return fail_path(s, row, "is not a list");
    for (size_t i = 0; i < list->n; i++) {
        const struct json *item = &list->item[i];
        if (item->kind != JSON_OBJECT)
            return fail_path(s, row, "has an item that is no object");
        if (str_eq(text_of(get_str(item, key)), word) && !follow(s, row, item, u))
            return false;
    }
    return true;
}

/* -- what some providers do otherwise ------------------------------------------------------- */

static bool is_xai(struct str p)
{
    return str_eq_fold(p, STR("xai")) || str_eq_fold(p, STR("x-ai")) || str_eq_fold(p, STR("grok"));
}

/* Reasoning that stands beside the completion: is it inside or not? */
static bool reasoning_outside(const struct json *v, const struct usage *u, struct str provider)
{
    const struct json *total = of_kind(get(v, "total_tokens"), JSON_NUMBER);
    struct decimal sum, all;
    if (provider.n && !is_xai(provider))
        return false;
    if (!decimal_add(&u->count[UNIT_input_tokens], &u->count[UNIT_output_tokens], &sum))
        return false;
    if (!total || !decimal_parse(total->text, &all))
        return is_xai(provider);
    if (is_xai(provider))
        return decimal_cmp(&all, &sum) != 0;
    return decimal_add(&sum, &u->count[UNIT_output_reasoning_tokens], &sum) &&
           decimal_cmp(&all, &sum) == 0;
}

static bool chat_extras(const struct json *v, struct str provider, struct usage *u)
{
    const struct decimal *reasoning = &u->count[UNIT_output_reasoning_tokens];
    bool perplexity = provider.n ? str_eq_fold(provider, STR("perplexity"))
                                 : get(v, "citation_tokens") || get(v, "num_search_queries");
    if (u->state[UNIT_output_tokens] != COUNT_KNOWN)
        return true;
    if (perplexity) { /* what stands in the details of the completion is a part of it, here too */
        if (of_kind(get(v, "reasoning_tokens"), JSON_NUMBER) &&
            !usage_add(u, UNIT_output_tokens, reasoning))
            return false;
        return usage_add(u, UNIT_output_tokens, &u->count[UNIT_output_citation_tokens]);
    }
    if (!decimal_is_zero(reasoning) && reasoning_outside(v, u, provider))
        return usage_add(u, UNIT_output_tokens, reasoning);
    return true;
}

/* Both lifetimes without their sum. */
static bool anthropic_extras(struct usage *u)
{
    static const uint8_t parts[] = {UNIT_cache_write_5m_tokens, UNIT_cache_write_1h_tokens};
    if (u->state[UNIT_cache_write_tokens] == COUNT_KNOWN)
        return true;
    if (u->state[UNIT_input_tokens] != COUNT_KNOWN)
        return true;
    for (unsigned i = 0; i < 2; i++) {
        const struct decimal *n = &u->count[parts[i]];
        if (u->state[parts[i]] != COUNT_KNOWN)
            continue;
        if (!usage_add(u, UNIT_cache_write_tokens, n) || !usage_add(u, UNIT_input_tokens, n))
            return false;
    }
    return true;
}

/* Reads the counts into `u`, which is empty. */
static bool read_counts(const struct source *s, const struct json *v, enum usage_shape shape,
                        struct usage *u)
{
    const struct path_row *row = &paths[first_path[shape]], *end = &paths[first_path[shape + 1]];
    const struct json *first = NULL;
    const char *name = NULL; /* what was looked for last: rows of one object follow each other */
    for (; row < end; row++) {
        if (row->first.p != name)
            first = get_str(v, row->first);
        name = row->first.p;
        if (first && !(row->filter.n ? follow_list(s, row, first, u) : follow(s, row, first, u)))
            return false;
    }
    bool fits = shape == REPLY_chat        ? chat_extras(v, s->provider, u)
                : shape == REPLY_anthropic ? anthropic_extras(u)
                                           : true;
    return fits || fail(s, "is too large");
}

bool usage_from_object(struct reading *r, const struct json *v, struct str at,
                       enum usage_shape shape, struct str provider, struct usage *out)
{
    const struct source s = {r, at, SIZE_MAX, provider};
    *out = (struct usage){0};
    if (v->kind != JSON_OBJECT)
        return fail(&s, "is not an object");
    return read_counts(&s, v, shape, out);
}

/* -- our own units ---------------------------------------------------------------------------- */

/* Names that other neutral forms have for our units. */
static unsigned unit_alias(struct str key)
{
    static const struct {
        const char *name;
        uint8_t unit;
    } alias[] = {
        {"reasoning_tokens", UNIT_output_reasoning_tokens},
        {"cached_tokens", UNIT_cache_read_tokens},
        {"cached_input_tokens", UNIT_cache_read_tokens},
        {"cache_creation_tokens", UNIT_cache_write_tokens},
    };
    for (size_t i = 0; i < sizeof alias / sizeof *alias; i++)
        if (str_is(key, alias[i].name))
            return alias[i].unit;
    return UNIT_COUNT;
}

bool usage_from_units(struct reading *r, const struct json *v, struct str at, struct usage *out)
{
    const struct source s = {.r = r, .at = at, .event = SIZE_MAX};
    *out = (struct usage){0};
    for (size_t i = 0; i < v->n; i++) {
        struct str key = v->key[i].text;
        const struct json *x = &v->item[i];
        unsigned unit = unit_find(key);
        if (unit == UNIT_COUNT)
            unit = unit_alias(key);
        if (unit == UNIT_COUNT && str_is(key, "total_tokens"))
            continue; /* the sum of two others, whatever it says */
        if (unit == UNIT_COUNT) {
            fail_key(&s, key, "is no unit");
            return reading_suggest(r, unit_near(key), NULL);
        }
        if (out->state[unit] != COUNT_ABSENT)
            return fail_key(&s, key, "names a unit a second time");
        out->state[unit] = x->kind == JSON_NULL ? COUNT_UNKNOWN : COUNT_KNOWN;
        if (x->kind != JSON_NULL && !count_parse(x, unit, &out->count[unit]))
            return fail_key(&s, key, "is not a count");
    }
    return true;
}

/* -- the body of a reply ---------------------------------------------------------------------- */

enum { BODY_DEPTH = 4 };

static bool has_usage(const struct json *v)
{
    if (says(get(v, "usage")) || says(get(v, "usageMetadata")) || says(get(v, "usage_metadata")))
        return true;
    if (says(get(v, "eval_count")) || says(get(v, "prompt_eval_count")))
        return true;
    return says(inside(get(v, "meta"), STR("billed_units"))) ||
           of_kind(inside(get(v, "x_groq"), STR("usage")), JSON_OBJECT);
}

/* The object that has the usage: the reply itself, or what its envelope
 * holds. NULL if there is none. */
static const struct json *find_body(const struct json *v, unsigned depth)
{
    static const struct str envelopes[] = {TEXT_("response"), TEXT_("body"),     TEXT_("result"),
                                           TEXT_("message"),  TEXT_("metadata"), TEXT_("delta"),
                                           TEXT_("data")};
    if (has_usage(v))
        return v;
    for (size_t i = 0; depth > 0 && i < sizeof envelopes / sizeof *envelopes; i++) {
        const struct json *inner = of_kind(get_str(v, envelopes[i]), JSON_OBJECT);
        const struct json *found = inner ? find_body(inner, depth - 1) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

/* The usage object of a body and its shape. */
static const struct json *usage_object(const struct json *body, enum usage_shape told,
                                       enum usage_shape *shape)
{
    const struct json *u = get(body, "usage"), *m;
    *shape = told;
    bool ollama =
        !says(u) && (says(get(body, "eval_count")) || says(get(body, "prompt_eval_count")));
    if (told == REPLY_ollama || (told == REPLY_COUNT && ollama)) {
        *shape = REPLY_ollama;
        return body;
    }
    m = get(body, "usageMetadata");
    if (!m)
        m = get(body, "usage_metadata");
    if (m) {
        *shape = told == REPLY_COUNT ? REPLY_gemini : told;
        return m;
    }
    m = of_kind(inside(get(body, "meta"), STR("billed_units")), JSON_OBJECT);
    if (!m)
        m = of_kind(inside(u, STR("billed_units")), JSON_OBJECT);
    if (m && (told == REPLY_COUNT || told == REPLY_cohere)) {
        *shape = REPLY_cohere;
        return m;
    }
    return says(u) ? u : of_kind(inside(get(body, "x_groq"), STR("usage")), JSON_OBJECT);
}

static enum usage_shape shape_of(const struct json *body, const struct json *u)
{
    if (get(u, "inputTokens") || get(u, "outputTokens"))
        return REPLY_bedrock;
    if (get(u, "tokens"))
        return REPLY_cohere_tokens;
    if (get(u, "prompt_tokens") || get(u, "completion_tokens"))
        return REPLY_chat;
    if (get(u, "promptTokenCount") || get(u, "candidatesTokenCount"))
        return REPLY_gemini;
    if (get(u, "input_tokens_details") || get(u, "input_token_details"))
        return REPLY_responses;
    struct str type = text_of(get(body, "type"));
    if (str_is(type, "message") || str_is(type, "message_delta"))
        return REPLY_anthropic;
    if (get(u, "cache_creation_input_tokens") || get(u, "cache_read_input_tokens") ||
        get(u, "cache_creation"))
        return REPLY_anthropic;
    if (get(u, "input_tokens") || get(u, "output_tokens"))
        return REPLY_responses;
    return get(u, "total_tokens") ? REPLY_total : REPLY_COUNT;
}

/* -- what else a reply says ------------------------------------------------------------------- */

static void read_time(const struct json *v, struct reply *out)
{
    static const struct str keys[] = {TEXT_("created"), TEXT_("created_at"), TEXT_("createTime"),
                                      TEXT_("create_time")};
    uint64_t seconds;
    for (size_t i = 0; i < 4 && !out->dated; i++) {
        const struct json *t = get_str(v, keys[i]);
        if (t && t->kind == JSON_STRING)
            out->dated = instant_parse(t->text, &out->at);
        else if (t && json_uint(t, &seconds) && seconds > 0)
            out->dated = instant_from_unix(seconds, &out->at);
    }
}

/* The provider's own account: OpenRouter and others in dollars, Perplexity in
 * an object, xAI in ticks of 10^-10 dollars. */
static void read_reported(const struct json *usage, struct reply *out)
{
    const struct json *cost = get(usage, "cost");
    const struct json *ticks = of_kind(get(usage, "cost_in_usd_ticks"), JSON_NUMBER);
    struct decimal d;
    bool ok = false;
    if (cost && cost->kind == JSON_OBJECT)
        cost = get(cost, "total_cost");
    if (!cost)
        cost = get(usage, "estimated_cost");
    if (cost && cost->kind == JSON_NUMBER)
        ok = decimal_parse(cost->text, &d);
    else if (ticks)
        ok = decimal_parse(ticks->text, &d) && decimal_shift(&d, -10, &d);
    if (ok && !d.negative)
        out->reported = (struct money){true, d};
}

static void read_about(const struct json *v, struct reply *out)
{
    struct str tier = text_of(get(v, "service_tier"));
    if (!out->model.p)
        out->model = text_of(get(v, "model"));
    if (!out->model.p)
        out->model = text_of(get(v, "modelVersion"));
    if (tier.p)
        out->service_tier = tier;
    read_time(v, out);
}

/* -- streams ---------------------------------------------------------------------------------- */

static bool any_finished(const struct json *list, struct str key)
{
    for (size_t i = 0; list && i < list->n; i++)
        if (says(inside(&list->item[i], key)))
            return true;
    return false;
}

/* Does this event end its stream? A whole reply does. */
static bool ends_stream(const struct json *e, const struct json *body)
{
    static const char *const last[] = {
        "message_stop",    "response.completed", "response.incomplete",
        "response.failed", "response.done",      "message-end",
        "message"};
    struct str type = text_of(get(e, "type")), object = text_of(get(e, "object"));
    const struct json *choices = of_kind(get(e, "choices"), JSON_ARRAY), *done = get(e, "done");
    for (size_t i = 0; type.n && i < sizeof last / sizeof *last; i++)
        if (str_is(type, last[i]))
            return true;
    if (str_is(type, "message_delta"))
        return says(get(e, "usage")) && says(inside(get(e, "delta"), STR("stop_reason")));
    if (done)
        return done->kind == JSON_TRUE;
    if (any_finished(choices, STR("finish_reason")))
        return true;
    if (any_finished(of_kind(get(e, "candidates"), JSON_ARRAY), STR("finishReason")))
        return true;
    if (choices && body && choices->n == 0)
        return true;
    if (body == get(e, "metadata"))
        return body != NULL;
    return str_is(object, "chat.completion") || str_is(object, "response");
}

/* The event itself, out of {"event":..,"data":{..}}. */
static const struct json *event_data(const struct json *e)
{
    const struct json *data = of_kind(get(e, "data"), JSON_OBJECT);
    return data && !has_usage(e) && !get(e, "type") && !get(e, "object") ? data : e;
}

static bool merge(struct usage *into, const struct usage *u, bool sum)
{
    for (unsigned i = 0; i < UNIT_COUNT; i++) {
        if (u->state[i] != COUNT_KNOWN)
            continue;
        if (sum) {
            if (!usage_add(into, i, &u->count[i]))
                return false;
        } else if (into->state[i] != COUNT_KNOWN ||
                   decimal_cmp(&u->count[i], &into->count[i]) > 0) {
            into->state[i] = COUNT_KNOWN;
            into->count[i] = u->count[i];
        }
    }
    return true;
}

static bool read_usage(const struct source *s, const struct json *e, const struct json *body,
                       enum usage_shape told, struct reply *out)
{
    enum usage_shape shape;
    const struct json *u = usage_object(body, told, &shape);
    bool more = out->shape != REPLY_COUNT;
    if (!u || u->kind != JSON_OBJECT)
        return fail_key(s, STR("usage"), "is not an object");
    if (shape == REPLY_COUNT)
        shape = more ? out->shape : shape_of(body, u);
    if (shape == REPLY_COUNT)
        return fail_key(s, STR("usage"), "has no counts that we know");
    struct str tier = text_of(get(u, "service_tier"));
    if (tier.p)
        out->service_tier = tier;
    read_reported(u, out);
    out->shape = shape;
    if (!more)
        return read_counts(s, u, shape, &out->usage);
    struct usage counts = {0};
    if (!read_counts(s, u, shape, &counts))
        return false;
    return merge(&out->usage, &counts, str_is(text_of(get(e, "type")), "response.done")) ||
           fail_key(s, STR("usage"), "is too large");
}

/* One reply or one event: adds what it says to *out. *body: where its usage stands. */
static bool read_one(const struct source *s, const struct json *e, enum usage_shape told,
                     struct reply *out, const struct json **body)
{
    *body = find_body(e, BODY_DEPTH);
    if (*body && *body != e)
        read_about(*body, out);
    read_about(e, out);
    if (*body)
        return read_usage(s, e, *body, told, out);
    const struct json *inner = of_kind(get(e, "message"), JSON_OBJECT); /* it may name its model */
    if (!inner)
        inner = of_kind(get(e, "response"), JSON_OBJECT);
    if (inner)
        read_about(inner, out);
    return true;
}

/* Input and output that a finished reply of this shape always has: if they are
 * not there they are unknown, not nothing. */
static void settle_usage(struct reply *r, bool answered)
{
    static const uint8_t both[] = {UNIT_input_tokens, UNIT_output_tokens};
    bool embedding = r->shape == REPLY_total || r->shape == REPLY_cohere ||
                     r->shape == REPLY_gemini || (r->shape == REPLY_chat && !answered);
    for (unsigned i = 0; i < 2; i++)
        if (r->usage.state[both[i]] == COUNT_ABSENT && (r->partial || !embedding))
            r->usage.state[both[i]] = COUNT_UNKNOWN;
}

static bool nothing_counted(const struct usage *u)
{
    return !memchr(u->state, COUNT_KNOWN, sizeof u->state);
}

static bool read_events(struct source *s, const struct json *list, enum usage_shape told,
                        struct reply *out)
{
    bool ended = false, counted = false;
    if (list->n == 0)
        return fail(s, "is an empty list");
    for (s->event = 0; s->event < list->n; s->event++) {
        const struct json *e = &list->item[s->event], *body;
        if (e->kind != JSON_OBJECT)
            return fail(s, "is not an event");
        e = event_data(e);
        if (!read_one(s, e, told, out, &body))
            return false;
        counted = counted || body;
        ended = ended || ends_stream(e, body);
    }
    out->partial = !(ended && counted);
    settle_usage(out, true);
    return true;
}

bool usage_from_reply(struct reading *r, const struct json *reply, struct str at,
                      enum usage_shape told, struct str provider, struct reply *out)
{
    struct source s = {r, at, SIZE_MAX, provider};
    const struct json *body;
    *out = (struct reply){.shape = REPLY_COUNT};
    if (reply->kind == JSON_ARRAY)
        return read_events(&s, reply, told, out);
    if (reply->kind != JSON_OBJECT)
        return fail(&s, "is neither an object nor a list of events");
    if (!read_one(&s, reply, told, out, &body))
        return false;
    if (!body)
        return fail(&s, "has no usage");
    if (nothing_counted(&out->usage))
        return fail_key(&s, STR("usage"), "has none of the counts of its form");
    out->partial = str_is(text_of(get(reply, "type")), "message_start");
    settle_usage(out, get(reply, "choices") != NULL);
    return true;
}

/* -- who answered ----------------------------------------------------------------------------- */

static bool openai_model(struct str m)
{
    static const struct str starts[] = {TEXT_("gpt-"), TEXT_("o1"),       TEXT_("o3"),
                                        TEXT_("o4"),   TEXT_("chatgpt-"), TEXT_("text-embedding-")};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (str_starts(m, starts[i]))
            return true;
    return false;
}

static const char *anthropic_host(struct str id)
{
    if (str_starts(id, STR("msg_bdrk_")))
        return "amazon-bedrock";
    if (str_starts(id, STR("msg_vrtx_")))
        return "google-vertex";
    return str_starts(id, STR("msg_")) ? "anthropic" : "";
}

static const char *chat_host(const struct json *body, struct str id, struct str model)
{
    if (get(body, "x_groq"))
        return "groq";
    if (get(body, "prompt_filter_results"))
        return "azure";
    if (str_starts(id, STR("gen-")))
        return "openrouter";
    return str_starts(id, STR("chatcmpl-")) && openai_model(model) ? "openai" : "";
}

const char *usage_provider(const struct json *reply, const struct reply *r)
{
    const struct json *first = reply->kind == JSON_ARRAY ? event_data(&reply->item[0]) : reply;
    const struct json *body = find_body(first, BODY_DEPTH);
    if (!body)
        body = first;
    struct str id = text_of(get(body, "id"));
    switch (r->shape) {
    case REPLY_anthropic:
        return anthropic_host(id);
    case REPLY_gemini:
        return inside(get(body, "usageMetadata"), STR("trafficType")) ? "google-vertex" : "google";
    case REPLY_bedrock:
        return "amazon-bedrock";
    case REPLY_ollama:
        return "ollama";
    case REPLY_cohere:
    case REPLY_cohere_tokens:
        return "cohere";
    case REPLY_responses:
        return str_starts(id, STR("resp_")) && openai_model(r->model) ? "openai" : "";
    case REPLY_chat:
        return chat_host(body, id, r->model);
    case REPLY_total:
    case REPLY_COUNT:
        break;
    }
    return "";
}
