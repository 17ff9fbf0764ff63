/*
 * variables.c - $cando_verdict and the others: what is known of a request and its reply, for logs,
 * limits and routing. What is not known is not there ("-" in a log). Costs are worked out when
 * somebody asks, and a reply is only read if somebody can ask.
 */
#include "module.h"

static void estimate(ngx_http_request_t *r, struct guarded *g)
{
    struct main_conf *m = ngx_http_get_module_main_conf(r, ngx_http_cando_module);
    ngx_str_t body;
    if (g->estimate.len || !g->verdict.len || !g->model.len || !worker_room() ||
        request_body(r->main, SIZE_MAX, &body))
        return;
    cando_name target = {(const char *)g->model.data, (const char *)g->provider.data};
    cando_cost_question q = {
        .request = {(const char *)body.data, body.len},
        .api = (const char *)g->api.data,
        .target = &target,
    };
    const cando_cost_answer *a = cando_ask_cost(m->engine, &q, worker_room(), NULL);
    if (a)
        keep_text(r->pool, a->total_cost, &g->estimate);
    cando_room_clear(worker_room());
}

static ngx_int_t give(ngx_http_variable_value_t *v, const ngx_str_t *text)
{
    v->valid = 1;
    v->no_cacheable = 1;
    v->not_found = text->len == 0;
    v->len = (unsigned)text->len;
    v->data = text->data;
    return NGX_OK;
}

/* `data` is where in struct guarded the text is. */
static ngx_int_t get_text(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    static const ngx_str_t none = ngx_null_string;
    struct guarded *g = ngx_http_get_module_ctx(r->main, ngx_http_cando_module);
    return give(v, g ? (ngx_str_t *)(void *)((char *)g + data) : &none);
}

static ngx_int_t get_estimate(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    struct guarded *g = ngx_http_get_module_ctx(r->main, ngx_http_cando_module);
    if (g)
        estimate(r, g);
    return get_text(r, v, data);
}

static ngx_int_t get_reply(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    struct guarded *g = ngx_http_get_module_ctx(r->main, ngx_http_cando_module);
    if (g)
        reply_price(r, g);
    return get_text(r, v, data);
}

static ngx_int_t get_tokens(ngx_http_request_t *r, ngx_http_variable_value_t *v, uintptr_t data)
{
    ngx_str_t text = ngx_null_string;
    struct guarded *g = ngx_http_get_module_ctx(r->main, ngx_http_cando_module);
    (void)data;
    if (g && g->tokens) {
        text.data = ngx_pnalloc(r->pool, NGX_INT64_LEN);
        if (!text.data)
            return NGX_ERROR;
        text.len = (size_t)(ngx_sprintf(text.data, "%uL", g->tokens) - text.data);
    }
    return give(v, &text);
}

#define TEXT(name, member, get)                                                                    \
    {                                                                                              \
        ngx_string("cando_" name), offsetof(struct guarded, member), get                           \
    }

static const struct {
    ngx_str_t name;
    uintptr_t data;
    ngx_http_get_variable_pt get;
} rows[] = {
    TEXT("verdict", verdict, get_text), /* ok, rewrite, reject */
    TEXT("action", action, get_text),   /* pass, repair, refuse */
    TEXT("findings", findings, get_text),
    TEXT("provider", provider, get_text),
    TEXT("api", api, get_text),
    TEXT("model", model, get_text),
    TEXT("reason", reason, get_text), /* why it was not judged or not repaired */
    TEXT("tokens", tokens, get_tokens),
    TEXT("estimate", estimate, get_estimate),
    TEXT("cost", cost, get_reply),
    TEXT("input_tokens", input_tokens, get_reply),
    TEXT("output_tokens", output_tokens, get_reply),
};

/* Does the configuration name one of those that are read from the reply? */
static bool is_named(const ngx_array_t *named)
{
    const ngx_http_variable_t *v = named->elts;
    for (ngx_uint_t i = 0; i < named->nelts; i++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++)
            if (rows[k].get == get_reply && v[i].name.len == rows[k].name.len &&
                ngx_strncmp(v[i].name.data, rows[k].name.data, v[i].name.len) == 0)
                return true;
    return false;
}

/* Languages inside of nginx find variables by their names, while a request runs. */
static bool is_language(const char *module)
{
    static const char *const names[] = {"ngx_http_lua_module", "ngx_http_js_module",
                                        "ngx_http_perl_module"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (ngx_strcmp(module, names[i]) == 0)
            return true;
    return false;
}

bool variables_want_reply(ngx_cycle_t *cycle)
{
    ngx_http_core_main_conf_t *core =
        ngx_http_cycle_get_module_main_conf(cycle, ngx_http_core_module);
    for (ngx_uint_t i = 0; cycle->modules[i]; i++)
        if (is_language(cycle->modules[i]->name))
            return true;
    return core && is_named(&core->variables);
}

ngx_int_t variables_add(ngx_conf_t *cf)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ngx_str_t name = rows[i].name;
        ngx_http_variable_t *v = ngx_http_add_variable(cf, &name, NGX_HTTP_VAR_NOCACHEABLE);
        if (!v)
            return NGX_ERROR;
        v->get_handler = rows[i].get;
        v->data = rows[i].data;
    }
    return NGX_OK;
}
