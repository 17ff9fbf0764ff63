/*
 * standin_read.c - what a request wants to be answered: a call of a tool that it forces, JSON of a
 * schema that it gives, or any text.
 */
#include "standin.h"

#include "base/limits.h"
#include "text/schema.h"

static const char any_text[] =
    "This is a stand-in: nobody was asked, and the provider would take this request.";
static const char any_object[] = "{\"answer\":\"This is a stand-in.\"}";

/* -- places ------------------------------------------------------------------------------------ */

/* Called for each value that a path leads to, through lists; true ends it. */
typedef bool visit_fn(void *ctx, const struct json *v);

static bool visit(const struct json *v, struct str path, visit_fn *f, void *ctx)
{
    if (v->kind == JSON_ARRAY) {
        for (size_t i = 0; i < v->n; i++)
            if (visit(&v->item[i], path, f, ctx))
                return true;
        return false;
    }
    if (!path.n)
        return f(ctx, v);
    size_t cut = str_find_char(path, '/');
    const struct json *next = json_member(v, str_head(path, cut));
    return next && visit(next, str_from(path, cut + 1), f, ctx);
}

/* -- tools ------------------------------------------------------------------------------------- */

struct search {
    struct standin *s;
    const struct api_forced *forced;
    const struct api_tool *row;
    const struct json *schema; /* of the tool that was found, or NULL */
    struct str name;
    bool found;
};

static bool is_name(void *ctx, const struct json *v)
{
    const struct search *x = ctx;
    return v->kind == JSON_STRING && str_eq(v->text, x->name);
}

static bool try_tool(void *ctx, const struct json *v)
{
    struct search *x = ctx;
    struct str names = x->forced->names;
    if (v->kind != JSON_OBJECT)
        return false;
    if (x->row->n_when && !api_signs(x->row->when, x->row->n_when, v))
        return false;
    x->name = api_text(v, x->row->name.p);
    if (!x->name.n)
        return false;
    if (names.n && !visit(x->s->request, names, is_name, x))
        return false;
    x->schema = x->row->schema.n ? api_value(v, x->row->schema.p, NULL) : NULL;
    x->found = true;
    return true;
}

/* The first tool that the request brings and may be called, if one must. */
static bool find_tool(struct search *x)
{
    const struct api *api = x->s->api, *tools = api, *forced = api;
    if (!tools->n_tools && api->like)
        tools = api->like;
    if (!forced->n_forced && api->like)
        forced = api->like;
    for (size_t i = 0; i < forced->n_forced && !x->forced; i++)
        if (api_signs(forced->forced[i].when, forced->forced[i].n_when, x->s->request))
            x->forced = &forced->forced[i];
    for (size_t i = 0; x->forced && i < tools->n_tools && !x->found; i++) {
        x->row = &tools->tools[i];
        visit(x->s->request, x->row->in, try_tool, x);
    }
    return x->found;
}

/* -- values ------------------------------------------------------------------------------------ */

/* JSON that stands in a text. */
static const struct json *as_json(struct standin *s, const struct json *v)
{
    struct json_error err;
    return v && v->kind == JSON_STRING ? json_parse(s->ar, v->text, &err) : v;
}

/* An instance of the schema, or what is taken if there is none. */
static bool say_instance(struct standin *s, const struct json *schema, const char *none, bool bare)
{
    const char *doubt = NULL;
    struct buf b;
    struct json_writer w;
    schema = as_json(s, schema);
    const struct json *v = schema ? schema_make(s->ar, schema, &doubt) : NULL;
    if (doubt)
        s->doubt = doubt;
    if (!v) {
        s->said = str_of(none);
        return !s->ar->failed;
    }
    if (bare && v->kind == JSON_STRING) {
        s->said = v->text;
        return true;
    }
    buf_init_arena(&b, s->ar, LIMIT_STAND_IN_BYTES);
    jw_init(&w, &b, false);
    jw_value(&w, v);
    s->said = STR_IN(b);
    return !b.failed;
}

static bool say_call(struct standin *s, const struct search *x)
{
    s->name = x->name;
    s->kind = x->row->kind;
    s->plain = x->row->plain;
    s->said = STR("text");
    return s->plain || say_instance(s, x->schema, "{}", false);
}

static bool say_json(struct standin *s, const struct api_wants *row)
{
    const struct json *schema = row->schema.n ? api_value(s->request, row->schema.p, NULL) : NULL;
    return say_instance(s, schema, any_object, row->bare);
}

static const struct api_wants *wanted_json(const struct standin *s)
{
    const struct api *api = s->api;
    if (!api->n_wants_json && api->like)
        api = api->like;
    for (size_t i = 0; i < api->n_wants_json; i++)
        if (api_signs(api->wants_json[i].when, api->wants_json[i].n_when, s->request))
            return &api->wants_json[i];
    return NULL;
}

static uint64_t count(struct str text, enum fit_family family)
{
    struct fit_text t = {0};
    fit_text(&t, text);
    const struct fit_ratio *r = &fit_ratios[family];
    double n = (double)(int64_t)(t.bytes - t.wide) * r->expected +
               (double)(int64_t)(t.wide - t.tails) * r->wide;
    return text.n ? 1 + (uint64_t)n : 0;
}

/* Plain text ends where the request allows no more of it. JSON does not: nobody knows for certain
 * how many tokens it has, and half of it is of no use. */
static void say_text(struct standin *s, cando_number limit, enum fit_family family)
{
    s->said = STR(any_text);
    if (!limit.known)
        return;
    while (s->said.n && count(s->said, family) > limit.value)
        s->said.n--;
    s->cut = s->said.n < sizeof any_text - 1;
}

static size_t read_choices(const struct standin *s)
{
    const struct json *v = api_value(s->request, s->api->choices.n ? s->api->choices.p : "n", NULL);
    uint64_t n;
    if (!v || !json_uint(v, &n) || n == 0)
        return 1;
    return n < LIMIT_STAND_IN_CHOICES ? (size_t)n : LIMIT_STAND_IN_CHOICES;
}

bool standin_read(struct standin *s, cando_number limit, enum fit_family family)
{
    struct search x = {.s = s};
    const struct api_wants *json = wanted_json(s);
    bool ok = true;
    s->choices = read_choices(s);
    if (find_tool(&x))
        ok = say_call(s, &x);
    else if (json)
        ok = say_json(s, json);
    else
        say_text(s, limit, family);
    s->output = s->choices * count(s->said, family);
    return ok;
}
