/*
 * usage.c - counts from replies and streams.
 *
 *     reply or events --find the body--> object with a usage --form--> counts
 *
 * Where an API has its usage object, by what it is known and where its counts stand is
 * said in catalog/apis (struct api_form). Providers' counters only ever grow within one
 * stream, and some events repeat them in part, so the events of a stream are merged by the
 * larger count. Replies of a realtime session are bills of their own and are added up.
 */
#include "usage.h"

#define TEXT_(z)                                                                                   \
    {                                                                                              \
        z, sizeof(z) - 1                                                                           \
    }

#define WORD(z) TEXT_(z),

static bool is_called(const struct api_form *f, struct str name)
{
    return str_eq(f->name, name) || words_have(f->aliases, name);
}

const struct api_form *usage_form_find(struct str api)
{
    const struct api *a = api_find(api);
    if (a && a->like)
        return a->like->usage;
    for (a = apis; api.n && a < apis + API_COUNT; a++)
        for (size_t i = 0; i < a->n_usage; i++)
            if (is_called(&a->usage[i], api))
                return &a->usage[i];
    return NULL;
}

/* What is read: the place of it, for an error. */
struct reply_place {
    struct reading *r;
    struct str at;
    size_t event; /* SIZE_MAX: the reply is no list */
    struct str provider;
};

static struct str place(const struct reply_place *s)
{
    return s->event == SIZE_MAX ? s->at : reading_at_index(s->r, s->at, s->event);
}

static bool fail(const struct reply_place *s, const char *what)
{
    return reading_fail(s->r, CODE_bad_usage, place(s), "this %s", what);
}

static bool fail_key(const struct reply_place *s, struct str key, const char *what)
{
    return reading_fail(s->r, CODE_bad_usage, place(s), "'%.*s' %s", STR_ARG(str_head(key, 120)),
                        what);
}

static bool fail_path(const struct reply_place *s, const struct api_path *row, const char *what)
{
    return reading_fail(s->r, CODE_bad_usage, place(s), "'%s' %s", row->text, what);
}

/* -- members ------------------------------------------------------------------------------ */

#define PICK(key, in, n)                                                                           \
    {                                                                                              \
        TEXT_(key), in, n                                                                          \
    }
#define ALL(key) PICK(key, NULL, 0)
#define LIST(key) PICK(key, item_picks, COUNT_OF(item_picks))
#define HAS(key) PICK(key, item_picks, 0)
#define SAME(key) PICK(key, usage_picks, USAGE_PICKS)
static const struct json_pick item_picks[] = {API_ITEM_PICKS};

const struct json_pick usage_picks[USAGE_PICKS] = {
    API_PICKS /* what the APIs are known by comes first: every reply has some of it */
        ALL("service_tier"),
    SAME("message"),
    SAME("response"),
    SAME("data"),
    SAME("body"),
    SAME("result"),
    ALL("target"),
    ALL("provider"),
    ALL("at"),
    ALL("cost"),
    ALL("estimated_cost"),
    ALL("cost_in_usd_ticks"),
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

static bool add_count(const struct reply_place *s, const struct api_path *row, const struct json *v,
                      struct usage *u)
{
    struct decimal n;
    if (v->kind == JSON_NULL || (!row->add && u->state[row->unit] == COUNT_KNOWN))
        return true;
    if (!count_parse(v, row->unit, &n))
        return fail_path(s, row, "is not a count");
    return usage_add(u, row->unit, &n) || fail_path(s, row, "is too large");
}

/* The rest of a path; what is absent or null ends it in silence, what is of another
 * kind is an error. */
static bool follow(const struct reply_place *s, const struct api_path *row, const struct json *v,
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

static bool follow_list(const struct reply_place *s, const struct api_path *row,
                        const struct json *list, struct usage *u)
{
    if (list->kind == JSON_NULL)
        return true;
    if (list->kind != JSON_ARRAY)
        return fail_path(s, row, "is not a list");
    for (size_t i = 0; i < list->n; i++) {
        const struct json *item = &list->item[i];
        if (item->kind != JSON_OBJECT)
            return fail_path(s, row, "has an item that is no object");
        if (str_eq(text_of(get_str(item, row->filter)), row->word) && !follow(s, row, item, u))
            return false;
    }
    return true;
}

/* -- what some providers do otherwise ------------------------------------------------------- */

/* Reasoning that stands beside the output: is it inside or not? */
static bool reasoning_outside(const struct api_form *f, const struct json *v, const struct usage *u,
                              struct str provider)
{
    const struct json *total = of_kind(get(v, "total_tokens"), JSON_NUMBER);
    bool known = provider.n && api_lists_provider(f->reasoning_beside, provider);
    struct decimal sum, all;
    if (provider.n && !known)
        return false;
    if (!decimal_add(&u->count[UNIT_input_tokens], &u->count[UNIT_output_tokens], &sum))
        return false;
    if (!total || !decimal_parse(total->text, &all))
        return known;
    if (known)
        return decimal_cmp(&all, &sum) != 0;
    return decimal_add(&sum, &u->count[UNIT_output_reasoning_tokens], &sum) &&
           decimal_cmp(&all, &sum) == 0;
}

/* Our output contains what some providers count beside it. */
static bool add_beside(const struct api_form *f, const struct json *v, struct str provider,
                       struct usage *u)
{
    const struct decimal *reasoning = &u->count[UNIT_output_reasoning_tokens];
    if (u->state[UNIT_output_tokens] != COUNT_KNOWN)
        return true;
    bool all = provider.n ? api_lists_provider(f->all_beside, provider)
                          : api_signs(f->all_beside_signs, f->n_all_beside_signs, v);
    if (all) { /* what stands in the details of the output is a part of it, here too */
        if (of_kind(get(v, "reasoning_tokens"), JSON_NUMBER) &&
            !usage_add(u, UNIT_output_tokens, reasoning))
            return false;
        return usage_add(u, UNIT_output_tokens, &u->count[UNIT_output_citation_tokens]);
    }
    if (decimal_is_zero(reasoning) || !reasoning_outside(f, v, u, provider))
        return true;
    return usage_add(u, UNIT_output_tokens, reasoning);
}

/* Both lifetimes of what was written to the cache without their sum. */
static bool add_lifetimes(struct usage *u)
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
static bool read_counts(const struct reply_place *s, const struct json *v, const struct api_form *f,
                        struct usage *u)
{
    const struct api_path *row = f->counts;
    const struct json *first = NULL;
    const char *name = NULL; /* what was looked for last: rows of one object follow each other */
    for (size_t i = 0; i < f->n_counts; i++, row++) {
        if (row->first.p != name)
            first = get_str(v, row->first);
        name = row->first.p;
        if (first && !(row->filter.n ? follow_list(s, row, first, u) : follow(s, row, first, u)))
            return false;
    }
    if (*f->reasoning_beside && !add_beside(f, v, s->provider, u))
        return fail(s, "is too large");
    return add_lifetimes(u) || fail(s, "is too large");
}

/* Calls of tools that the provider ran, where the usage does not count them. */
static bool read_called(const struct reply_place *s, const struct json *body,
                        const struct api_form *f, struct usage *u)
{
    uint8_t counted[UNIT_COUNT];
    const struct decimal one = decimal_from(1);
    memcpy(counted, u->state, sizeof counted);
    for (size_t k = 0; k < f->n_called; k++) {
        const struct api_called *row = &f->called[k];
        const struct json *list = of_kind(get_str(body, row->in), JSON_ARRAY);
        for (size_t i = 0; list && i < list->n && counted[row->unit] == COUNT_ABSENT; i++)
            if (api_signs(row->when, row->n_when, &list->item[i]) && !usage_add(u, row->unit, &one))
                return fail(s, "is too large");
    }
    return true;
}

bool usage_from_object(struct reading *r, const struct json *v, struct str at,
                       const struct api_form *form, struct str provider, struct usage *out)
{
    const struct reply_place s = {r, at, SIZE_MAX, provider};
    *out = (struct usage){0};
    if (v->kind != JSON_OBJECT)
        return fail(&s, "is not an object");
    return read_counts(&s, v, form, out);
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
    for (size_t i = 0; i < COUNT_OF(alias); i++)
        if (str_is(key, alias[i].name))
            return alias[i].unit;
    return UNIT_COUNT;
}

bool usage_is_cost(struct str key)
{
    return str_is(key, "input_cost") || str_is(key, "output_cost") || str_is(key, "total_cost");
}

bool usage_from_units(struct reading *r, const struct json *v, struct str at, struct usage *out)
{
    const struct reply_place s = {.r = r, .at = at, .event = SIZE_MAX};
    *out = (struct usage){0};
    for (size_t i = 0; i < v->n; i++) {
        struct str key = v->key[i].text;
        const struct json *x = &v->item[i];
        unsigned unit = unit_find(key);
        if (unit == UNIT_COUNT)
            unit = unit_alias(key);
        if (unit == UNIT_COUNT && str_is(key, "total_tokens"))
            continue; /* the sum of two others, whatever it says */
        if (unit == UNIT_COUNT && usage_is_cost(key))
            continue;
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

/* Where the form has its usage object, besides in `usage`; NULL: nowhere. */
static const struct json *usage_at(const struct api_form *f, const struct json *body)
{
    for (size_t i = 0; i < f->n_at; i++) {
        const struct json *v = api_at(&f->at[i], body);
        if (says(v))
            return v;
    }
    if (!f->in_reply || says(get(body, "usage")))
        return NULL;
    return api_signs(f->signs, f->n_signs, body) ? body : NULL;
}

/* A usage object that stands where only one form has it. */
static const struct json *usage_placed(const struct json *body, const struct api_form **form)
{
    for (const struct api *a = apis; a < apis + API_COUNT; a++)
        for (size_t i = 0; i < a->n_usage; i++) {
            const struct json *v = usage_at(&a->usage[i], body);
            if (v && v->kind == JSON_OBJECT) {
                *form = &a->usage[i];
                return v;
            }
        }
    return NULL;
}

static bool has_usage(const struct json *v)
{
    const struct api_form *form;
    return says(get(v, "usage")) || usage_placed(v, &form);
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
    for (size_t i = 0; depth > 0 && i < COUNT_OF(envelopes); i++) {
        const struct json *inner = of_kind(get_str(v, envelopes[i]), JSON_OBJECT);
        const struct json *found = inner ? find_body(inner, depth - 1) : NULL;
        if (found)
            return found;
    }
    return NULL;
}

static const struct api_form *form_by_signs(const struct json *body, const struct json *u)
{
    for (const struct api *a = apis; a < apis + API_COUNT; a++)
        for (size_t i = 0; i < a->n_usage; i++) {
            const struct api_form *f = &a->usage[i];
            if (api_signs(f->signs, f->n_signs, u) ||
                api_signs(f->reply_signs, f->n_reply_signs, body))
                return f;
        }
    return NULL;
}

/* From the last API to the first: what is special comes before what is general. */
static const struct api_form *form_by_weak_signs(const struct json *u)
{
    for (const struct api *a = apis + API_COUNT; a-- > apis;)
        for (size_t i = 0; i < a->n_usage; i++)
            if (api_signs(a->usage[i].weak_signs, a->usage[i].n_weak_signs, u))
                return &a->usage[i];
    return NULL;
}

/* The usage object of a body, and its form if its signs or the place tell it. */
static const struct json *usage_object(const struct json *body, const struct api_form *told,
                                       const struct api_form **form)
{
    const struct json *u = get(body, "usage"), *v;
    *form = told;
    if (told) {
        v = told->in_reply ? body : usage_at(told, body);
        return v ? v : u;
    }
    if (u && u->kind == JSON_OBJECT)
        *form = form_by_signs(body, u);
    if (*form)
        return u;
    v = usage_placed(body, form);
    return v ? v : u;
}

/* -- what else a reply says ------------------------------------------------------------------- */

static void read_time(const struct json *v, struct reply *out)
{
    static const struct str keys[] = {API_REPLY_TIMES};
    uint64_t seconds;
    for (size_t i = 0; i < COUNT_OF(keys) && !out->dated; i++) {
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
    static const struct str keys[] = {API_REPLY_MODELS};
    struct str tier = text_of(get(v, "service_tier"));
    for (size_t i = 0; i < COUNT_OF(keys) && !out->model.p; i++)
        out->model = text_of(get_str(v, keys[i]));
    if (tier.p)
        out->service_tier = tier;
    read_time(v, out);
}

/* -- streams ---------------------------------------------------------------------------------- */

/* Does this event end its stream? A whole reply does. */
static bool ends_stream(const struct json *e)
{
    for (const struct api *a = apis; a < apis + API_COUNT; a++)
        if (api_signs(a->ends, a->n_ends, e))
            return true;
    return false;
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

static bool read_usage(const struct reply_place *s, const struct json *e, const struct json *body,
                       const struct api_form *told, struct reply *out)
{
    const struct api_form *form;
    const struct json *u = usage_object(body, told, &form);
    bool more = out->form;
    if (!u)
        return fail(s, "has its usage where another form has it");
    if (u->kind != JSON_OBJECT)
        return fail_key(s, STR("usage"), "is not an object");
    if (!form)
        form = more ? out->form : form_by_weak_signs(u);
    if (!form)
        return fail_key(s, STR("usage"), "has no counts that we know");
    struct str tier = text_of(get(u, "service_tier"));
    if (tier.p)
        out->service_tier = tier;
    read_reported(u, out);
    out->form = form;
    if (!more)
        return read_counts(s, u, form, &out->usage) && read_called(s, body, form, &out->usage);
    struct usage counts = {0};
    if (!read_counts(s, u, form, &counts) || !read_called(s, body, form, &counts))
        return false;
    return merge(&out->usage, &counts, api_signs(form->sums, form->n_sums, e)) ||
           fail_key(s, STR("usage"), "is too large");
}

/* One reply or one event: adds what it says to *out. *body: where its usage stands. */
static bool read_one(const struct reply_place *s, const struct json *e, const struct api_form *told,
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

/* Input and output that a finished reply of this form always has: if they are
 * not there they are unknown, not nothing. */
static void settle_usage(struct reply *r, bool answered)
{
    static const uint8_t both[] = {UNIT_input_tokens, UNIT_output_tokens};
    bool embedding = r->form && r->form->embeds && !(r->form->answer.n && answered);
    for (unsigned i = 0; i < 2; i++)
        if (r->usage.state[both[i]] == COUNT_ABSENT && (r->partial || !embedding))
            r->usage.state[both[i]] = COUNT_UNKNOWN;
}

static bool nothing_counted(const struct usage *u)
{
    return !memchr(u->state, COUNT_KNOWN, sizeof u->state);
}

static bool read_events(struct reply_place *s, const struct json *list, const struct api_form *told,
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
        ended = ended || ends_stream(e);
    }
    out->partial = !(ended && counted);
    settle_usage(out, true);
    return true;
}

bool usage_from_reply(struct reading *r, const struct json *reply, struct str at,
                      const struct api_form *told, struct str provider, struct reply *out)
{
    struct reply_place s = {r, at, SIZE_MAX, provider};
    const struct json *body;
    *out = (struct reply){0};
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
    const struct api_form *f = out->form;
    out->partial = api_signs(f->begins, f->n_begins, reply);
    settle_usage(out, f->answer.n && get_str(reply, f->answer));
    return true;
}

/* -- who answered ----------------------------------------------------------------------------- */

struct str usage_provider(const struct json *reply, const struct reply *r)
{
    const struct json *first = reply->kind == JSON_ARRAY ? event_data(&reply->item[0]) : reply;
    const struct json *body = find_body(first, BODY_DEPTH);
    if (!body)
        body = first;
    for (size_t i = 0; r->form && i < r->form->n_told; i++) {
        const struct api_told *t = &r->form->told[i];
        if (!t->n_when || api_signs(t->when, t->n_when, body))
            return t->provider;
    }
    return STR("");
}
