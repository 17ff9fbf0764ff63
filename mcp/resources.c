/*
 * resources.c - what can be read: the profile of a model, the catalog, the vocabulary.
 *
 *     cando://model/openai/gpt-4o     all that is known of it, with who says so
 *     cando://catalog                 how large it is, from which sources, of which day
 *     cando://fields                  the names of capabilities, limits and settings
 *
 * There are thousands of models, so they are a template, and their names are completed.
 */
#include "message.h"

#include "base/limits.h"

#include <stdio.h>

#define SCHEME "cando://"
#define MODEL SCHEME "model/"
#define TEMPLATE MODEL "{provider}/{+model}"
enum { VALUES = 100 /* completions that may be sent at once */, SOURCES = 32 };

void resources_list(struct rpc *r)
{
    if (!rpc_one_page(r))
        return;
    rpc_result(r);
    rpc_may_keep(r, 3600);
    buf_putz(r->out, r->modern ? ",\"resources\":" : "\"resources\":");
    buf_putz(r->out,
             "[{\"uri\":\"" SCHEME "catalog\",\"name\":\"catalog\",\"title\":\"The catalog\","
             "\"description\":\"how many models and providers cando knows, from which sources, and "
             "of which day\",\"mimeType\":\"application/json\"},"
             "{\"uri\":\"" SCHEME
             "fields\",\"name\":\"fields\",\"title\":\"Names of capabilities\","
             "\"description\":\"every capability, limit and setting that can be asked about, a "
             "line each\",\"mimeType\":\"text/plain\"}]");
    rpc_result_end(r);
}

void resources_templates(struct rpc *r)
{
    if (!rpc_one_page(r))
        return;
    rpc_result(r);
    rpc_may_keep(r, 3600);
    buf_putz(r->out, r->modern ? ",\"resourceTemplates\":" : "\"resourceTemplates\":");
    buf_putz(r->out,
             "[{\"uriTemplate\":\"" TEMPLATE "\",\"name\":\"model\",\"title\":\"The profile "
             "of a model\",\"description\":\"all that is known of one model at one "
             "provider, and who says so\",\"mimeType\":\"application/json\"}]");
    rpc_result_end(r);
}

/* -- reading -------------------------------------------------------------------------------- */

static int hex(char c)
{
    return char_is_digit(c)                             ? c - '0'
           : char_fold(c) >= 'a' && char_fold(c) <= 'f' ? char_fold(c) - 'a' + 10
                                                        : -1;
}

/* %2F as '/'; false: it is no good name. */
static bool decode_name(struct str s, char *out, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '%' && i + 2 < s.n && hex(s.p[i + 1]) >= 0 && hex(s.p[i + 2]) >= 0) {
            c = (char)(hex(s.p[i + 1]) << 4 | hex(s.p[i + 2]));
            i += 2;
        }
        if (!c || n + 1 >= size)
            return false;
        out[n++] = c;
    }
    out[n] = '\0';
    return n && utf8_check(str_of(out)) == n;
}

static void put_contents(struct rpc *r, struct str uri, const char *type, struct str text)
{
    rpc_result(r);
    rpc_may_keep(r, 60);
    buf_putz(r->out, r->modern ? ",\"contents\":[{\"uri\":" : "\"contents\":[{\"uri\":");
    put_string(r->out, uri);
    put_key(r->out, STR("mimeType"));
    put_string(r->out, str_of(type));
    put_key(r->out, STR("text"));
    put_string(r->out, text);
    buf_putz(r->out, "}]");
    rpc_result_end(r);
}

static void no_resource(struct rpc *r, struct str uri, const char *why)
{
    struct buf data;
    buf_init(&data, NULL, LIMIT_MCP_REPLY);
    buf_putz(&data, "{\"uri\":");
    put_string(&data, uri);
    buf_putz(&data, "}");
    rpc_error(r, r->modern ? RPC_PARAMS : RPC_NO_RESOURCE, buf_cstr(&data),
              "there is no resource '%.*s': %s", STR_ARG(str_head(uri, 200)), why);
    buf_free(&data);
}

static void read_model(struct rpc *r, struct str uri)
{
    char name[2 * LIMIT_NAME_BYTES];
    cando_error err = {0};
    struct buf q;
    if (!decode_name(str_from(uri, sizeof MODEL - 1), name, sizeof name)) {
        no_resource(r, uri, "it is " TEMPLATE);
        return;
    }
    buf_init(&q, NULL, 1u << 16);
    buf_putz(&q, "{\"op\":\"resolve\",\"why\":true,\"target\":");
    put_string(&q, str_of(name));
    buf_putc(&q, '}');
    cando_json v = rpc_ask(r->engine, r->room, &q, &err);
    buf_free(&q);
    if (v.kind == CANDO_JSON_NONE)
        no_resource(r, uri, err.message);
    else if (str_is(text_at(&v, "identity"), "default"))
        no_resource(r, uri, "nothing is known of such a model");
    else
        put_contents(r, uri, "application/json", bytes_str(v.bytes));
}

static void read_catalog(struct rpc *r, struct str uri)
{
    const cando_catalog *c = cando_get_catalog(r->engine);
    cando_catalog_info info;
    cando_catalog_source source[SOURCES];
    struct buf b;
    cando_catalog_describe(c, &info);
    size_t n = cando_catalog_sources(c, source, SOURCES);
    buf_init(&b, NULL, 1u << 16);
    buf_printf(&b, "{\"version\":\"%s\",\"models\":%u,\"providers\":%u,\"rules\":%u,\"sources\":[",
               cando_version(), info.models, info.providers, info.rules);
    for (size_t i = 0; i < n; i++) {
        put_comma(&b);
        buf_putz(&b, "{\"source\":");
        put_string(&b, str_of(source[i].name ? source[i].name : source[i].url));
        buf_putz(&b, ",\"checked\":");
        put_string(&b, str_of(source[i].checked));
        buf_printf(&b, ",\"models\":%u}", source[i].models);
    }
    buf_putz(&b, "]}");
    put_contents(r, uri, "application/json", str_make(b.p, b.n));
    buf_free(&b);
    cando_catalog_release(c);
}

static void read_fields(struct rpc *r, struct str uri)
{
    struct buf b;
    buf_init(&b, NULL, 1u << 20);
    for (unsigned i = 0; i < cando_field_count(); i++)
        buf_printf(&b, "%s: %s\n", cando_field_name((cando_field)i),
                   cando_field_doc((cando_field)i));
    put_contents(r, uri, "text/plain", str_make(b.p, b.n));
    buf_free(&b);
}

void resources_read(struct rpc *r)
{
    cando_json uri = cando_json_get(&r->params, "uri");
    struct str text = text_of(&uri);
    if (uri.kind != CANDO_JSON_STRING)
        rpc_error(r, RPC_PARAMS, NULL, "resources/read needs the uri of a resource");
    else if (str_is(text, SCHEME "catalog"))
        read_catalog(r, text);
    else if (str_is(text, SCHEME "fields"))
        read_fields(r, text);
    else if (str_starts(text, STR(MODEL)))
        read_model(r, text);
    else
        no_resource(r, text, "resources/list and resources/templates/list name all");
}

/* -- completion ----------------------------------------------------------------------------- */

struct completion {
    struct buf values;
    size_t n, total;
    const char *last; /* names come in order, so the same ones stand together */
};

static void offer(struct completion *c, const char *name)
{
    if (c->last && strcmp(c->last, name) == 0)
        return;
    c->last = name;
    c->total++;
    if (c->n == VALUES)
        return;
    c->n++;
    put_comma(&c->values);
    put_string(&c->values, str_of(name));
}

/* The models of the catalog whose names begin so; of all providers together each only once. */
static void find_names(struct completion *c, const cando_catalog *catalog, bool providers,
                       struct str begun, struct str provider)
{
    for (size_t i = 0, n = cando_catalog_models(catalog); i < n; i++) {
        cando_model m = cando_catalog_model(catalog, i);
        const char *name = providers ? m.provider : m.id;
        if (!providers && provider.n && !str_eq_fold(str_of(m.provider), provider))
            continue;
        if (str_eq_fold(str_head(str_of(name), begun.n), begun))
            offer(c, name);
    }
}

void complete(struct rpc *r)
{
    cando_json ref = cando_json_get(&r->params, "ref"),
               arg = cando_json_get(&r->params, "argument");
    cando_json context = cando_json_get(&r->params, "context");
    cando_json before = cando_json_get(&context, "arguments");
    struct str name = text_at(&arg, "name"), value = text_at(&arg, "value");
    cando_json given = cando_json_get(&arg, "value");
    bool providers = str_is(name, "provider");
    if (!str_is(text_at(&ref, "type"), "ref/resource") || !str_is(text_at(&ref, "uri"), TEMPLATE)) {
        rpc_error(r, RPC_PARAMS, NULL, "what can be completed is the resource %s", TEMPLATE);
        return;
    }
    if ((!providers && !str_is(name, "model")) || given.kind != CANDO_JSON_STRING) {
        rpc_error(r, RPC_PARAMS, NULL, "the arguments of %s are provider and model", TEMPLATE);
        return;
    }
    struct completion c = {.n = 0};
    const cando_catalog *catalog = cando_get_catalog(r->engine);
    buf_init(&c.values, NULL, LIMIT_MCP_REPLY);
    buf_putc(&c.values, '[');
    find_names(&c, catalog, providers, value, text_at(&before, "provider"));
    buf_putc(&c.values, ']');
    rpc_result(r);
    put_key(r->out, STR("completion"));
    buf_putz(r->out, "{\"values\":");
    buf_put(r->out, c.values.p, c.values.n);
    buf_printf(r->out, ",\"total\":%zu,\"hasMore\":%s}", c.total, c.total > c.n ? "true" : "false");
    rpc_result_end(r);
    buf_free(&c.values);
    cando_catalog_release(catalog);
}
