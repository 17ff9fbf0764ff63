/*
 * module.c - requests to language models, judged on their way through nginx.
 *
 *     location /v1/ {
 *         cando repair;
 *         proxy_pass https://api.openai.com;
 *     }
 *
 * The engine is made once, while the configuration is read, and workers inherit it when they are
 * forked: they share its memory, and a reload makes another one beside it. A request is judged in
 * the precontent phase, before anything is sent to the provider.
 */
#include "module.h"

static cando_room *room;

cando_room *worker_room(void)
{
    if (!room)
        room = cando_room_new(NULL, NULL);
    return room;
}

bool keep_text(ngx_pool_t *pool, const char *text, ngx_str_t *out)
{
    size_t n = text ? ngx_strlen(text) : 0;
    ngx_str_null(out);
    if (!n)
        return true;
    out->data = ngx_pnalloc(pool, n + 1);
    if (!out->data)
        return false;
    ngx_memcpy(out->data, text, n + 1);
    out->len = n;
    return true;
}

/* -- the engine ------------------------------------------------------------------------------- */

static void *no_engine(ngx_conf_t *cf, const char *what, const cando_error *err)
{
    ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "cando: %s: %s%s%s%s%s [%s]", what,
                       err->at[0] ? err->at : "", err->at[0] ? ": " : "", err->message,
                       err->hint[0] ? "; " : "", err->hint, err->code);
    return NULL;
}

static const char *full_name(ngx_conf_t *cf, ngx_str_t name)
{
    return ngx_conf_full_name(cf->cycle, &name, 1) == NGX_OK ? (const char *)name.data : NULL;
}

static const cando_catalog *open_catalog(ngx_conf_t *cf, const struct main_conf *m)
{
    cando_error err = {0};
    if (!m->catalog.len)
        return cando_catalog_builtin();
    const char *path = full_name(cf, m->catalog);
    const cando_catalog *c = path ? cando_catalog_open_file(path, NULL, &err) : NULL;
    return c || !path ? c : no_engine(cf, path, &err);
}

/* The first finding that is an error, as a line of the log. */
static void tell_findings(ngx_conf_t *cf, const cando_sources *s)
{
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding f = cando_sources_finding(s, i);
        if (f.severity == CANDO_ERROR)
            ngx_conf_log_error(NGX_LOG_EMERG, cf, 0, "cando: %s:%ui:%ui: %s [%s]", f.file,
                               (ngx_uint_t)f.line, (ngx_uint_t)f.column, f.message, f.code);
    }
}

static const cando_catalog *lay_over(ngx_conf_t *cf, const struct main_conf *m,
                                     const cando_catalog *base)
{
    cando_error err = {0};
    const void *snap;
    size_t len;
    const cando_catalog *made = NULL;
    ngx_str_t *file = m->overlays.elts;
    cando_sources *s = cando_sources_new(NULL, &err);
    cando_status st = s ? cando_sources_add_catalog(s, base, 0, &err) : CANDO_INTERNAL;
    for (ngx_uint_t i = 0; st == CANDO_OK && i < m->overlays.nelts; i++) {
        const char *path = full_name(cf, file[i]);
        st = path ? cando_sources_add_path(s, path, CANDO_SYNTAX_AUTO, CANDO_LAYER_USER, &err)
                  : CANDO_INTERNAL;
    }
    if (st == CANDO_OK)
        st = cando_sources_build(s, &snap, &len, &err);
    if (st == CANDO_OK)
        made = cando_catalog_open_copy(snap, len, NULL, &err);
    if (!made) {
        if (s)
            tell_findings(cf, s);
        no_engine(cf, "the overlays cannot be used", &err);
    }
    cando_sources_free(s);
    return made;
}

static void free_engine(void *engine)
{
    cando_free(engine);
}

static cando *make_engine(ngx_conf_t *cf, const struct main_conf *m)
{
    cando_error err = {0};
    const cando_catalog *c = open_catalog(cf, m);
    if (c && m->overlays.nelts) {
        const cando_catalog *over = lay_over(cf, m, c);
        cando_catalog_release(c);
        c = over;
    }
    if (!c)
        return NULL;
    cando *engine = cando_new(c, NULL, &err);
    cando_catalog_release(c);
    if (!engine)
        return no_engine(cf, "the engine cannot be made", &err);
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(cf->pool, 0);
    if (!cleanup) {
        cando_free(engine);
        return NULL;
    }
    cleanup->handler = free_engine;
    cleanup->data = engine;
    return engine;
}

/* -- directives ------------------------------------------------------------------------------- */

static ngx_conf_enum_t modes[] = {
    {ngx_string("off"), MODE_OFF},
    {ngx_string("report"), MODE_REPORT},
    {ngx_string("repair"), MODE_REPAIR},
    {ngx_string("reject"), MODE_REJECT},
    {ngx_null_string, 0},
};

static char *take_overlay(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    struct main_conf *m = conf;
    ngx_str_t *value = cf->args->elts, *file = ngx_array_push(&m->overlays);
    (void)cmd;
    if (!file)
        return NGX_CONF_ERROR;
    *file = value[1];
    return NGX_CONF_OK;
}

static char *take_zone(ngx_conf_t *cf, ngx_command_t *cmd, void *conf)
{
    struct main_conf *m = conf;
    ngx_str_t *value = cf->args->elts;
    (void)cmd;
    if (m->zone)
        return "is duplicate";
    return warm_zone(cf, &value[1], &m->zone);
}

#define ANYWHERE (NGX_HTTP_MAIN_CONF | NGX_HTTP_SRV_CONF | NGX_HTTP_LOC_CONF)
#define IN_PLACE(member) NGX_HTTP_LOC_CONF_OFFSET, offsetof(struct place_conf, member)

static ngx_command_t commands[] = {
    {ngx_string("cando"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_enum_slot, IN_PLACE(mode),
     &modes},
    {ngx_string("cando_provider"), ANYWHERE | NGX_CONF_TAKE1, ngx_http_set_complex_value_slot,
     IN_PLACE(provider), NULL},
    {ngx_string("cando_body_limit"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_size_slot,
     IN_PLACE(body_limit), NULL},
    {ngx_string("cando_reply_limit"), ANYWHERE | NGX_CONF_TAKE1, ngx_conf_set_size_slot,
     IN_PLACE(reply_limit), NULL},
    {ngx_string("cando_strict"), ANYWHERE | NGX_CONF_FLAG, ngx_conf_set_flag_slot,
     IN_PLACE(strict), NULL},
    {ngx_string("cando_catalog"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, ngx_conf_set_str_slot,
     NGX_HTTP_MAIN_CONF_OFFSET, offsetof(struct main_conf, catalog), NULL},
    {ngx_string("cando_overlay"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, take_overlay,
     NGX_HTTP_MAIN_CONF_OFFSET, 0, NULL},
    {ngx_string("cando_zone"), NGX_HTTP_MAIN_CONF | NGX_CONF_TAKE1, take_zone,
     NGX_HTTP_MAIN_CONF_OFFSET, 0, NULL},
    ngx_null_command,
};

static void *make_main(ngx_conf_t *cf)
{
    struct main_conf *m = ngx_pcalloc(cf->pool, sizeof *m);
    if (!m || ngx_array_init(&m->overlays, cf->pool, 2, sizeof(ngx_str_t)) != NGX_OK)
        return NULL;
    return m;
}

static void *make_place(ngx_conf_t *cf)
{
    struct place_conf *p = ngx_pcalloc(cf->pool, sizeof *p);
    if (!p)
        return NULL;
    p->mode = NGX_CONF_UNSET_UINT;
    p->provider = NGX_CONF_UNSET_PTR;
    p->body_limit = NGX_CONF_UNSET_SIZE;
    p->reply_limit = NGX_CONF_UNSET_SIZE;
    p->strict = NGX_CONF_UNSET;
    return p;
}

static char *merge_place(ngx_conf_t *cf, void *parent, void *child)
{
    struct place_conf *from = parent, *p = child;
    (void)cf;
    ngx_conf_merge_uint_value(p->mode, from->mode, MODE_OFF);
    ngx_conf_merge_ptr_value(p->provider, from->provider, NULL);
    ngx_conf_merge_size_value(p->body_limit, from->body_limit, 16u << 20);
    ngx_conf_merge_size_value(p->reply_limit, from->reply_limit, 1u << 20);
    ngx_conf_merge_value(p->strict, from->strict, 0);
    return NGX_CONF_OK;
}

static ngx_int_t before(ngx_conf_t *cf)
{
    return variables_add(cf);
}

static ngx_int_t after(ngx_conf_t *cf)
{
    struct main_conf *m = ngx_http_conf_get_module_main_conf(cf, ngx_http_cando_module);
    ngx_http_core_main_conf_t *core =
        ngx_http_conf_get_module_main_conf(cf, ngx_http_core_module);
    ngx_http_handler_pt *h = ngx_array_push(&core->phases[NGX_HTTP_PRECONTENT_PHASE].handlers);
    m->engine = make_engine(cf, m);
    if (!h || !m->engine)
        return NGX_ERROR;
    *h = request_phase;
    reply_install();
    return NGX_OK;
}

/* The configuration is whole, that of other modules too. */
static ngx_int_t all_is_read(ngx_cycle_t *cycle)
{
    struct main_conf *m = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_cando_module);
    if (m)
        m->sees_replies = variables_want_reply(cycle);
    return NGX_OK;
}

static ngx_int_t worker_begins(ngx_cycle_t *cycle)
{
    struct main_conf *m = ngx_http_cycle_get_module_main_conf(cycle, ngx_http_cando_module);
    if (m && m->zone)
        warm_start(m->zone, m->engine, cycle->log);
    return NGX_OK;
}

static void worker_ends(ngx_cycle_t *cycle)
{
    (void)cycle;
    cando_room_free(room);
    room = NULL;
}

static ngx_http_module_t context = {
    .preconfiguration = before,
    .postconfiguration = after,
    .create_main_conf = make_main,
    .create_loc_conf = make_place,
    .merge_loc_conf = merge_place,
};

ngx_module_t ngx_http_cando_module = {
    NGX_MODULE_V1,
    &context,
    commands,
    NGX_HTTP_MODULE,
    NULL,
    all_is_read,
    worker_begins,
    NULL,
    NULL,
    worker_ends,
    NULL,
    NGX_MODULE_V1_PADDING,
};
