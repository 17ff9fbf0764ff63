/*
 * variables.c - $cando_verdict and the others: what is known of a request and its reply, for logs,
 * limits and routing. What is not known is not there ("-" in a log). Costs are worked out when
 * somebody asks.
 */
#include "module.h"

static void estimate(ngx_http_request_t *r, struct guarded *g)
{
    struct main_conf *m = ngx_http_get_module_main_conf(r, ngx_http_cando_module);
    if (g->estimate.len || !g->verdict.len || !g->model.len || !worker_room())
        return;
    cando_name target = {(const char *)g->model.data, (const char *)g->provider.data};
    cando_cost_question q = {
        .request = {(const char *)g->body.data, g->body.len},
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

#define TEXT(name, member, get) {ngx_string("cando_" name), offsetof(struct guarded, member), get}

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
