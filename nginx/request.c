/*
 * request.c - a request on its way to a provider: read, judged, then passed, repaired or refused.
 *
 * The phase is asked twice. The first time it asks for the body; when that is there, it is judged,
 * and the phases run on: the second time the phase answers by what was decided. What cannot be
 * read passes as it came, with a reason.
 */
#include "module.h"

extern ngx_module_t ngx_http_proxy_module;

enum { BETAS = 8, FINDINGS_ROOM = 512, USUAL_BODY = 64 << 10 };

static const cando_guard_mode guards[] = {[MODE_REPORT] = CANDO_GUARD_REPORT,
                                          [MODE_REPAIR] = CANDO_GUARD_REPAIR,
                                          [MODE_REJECT] = CANDO_GUARD_REJECT};

static void say(ngx_str_t *out, const char *text)
{
    out->data = (u_char *)text;
    out->len = ngx_strlen(text);
}

static void untouched(ngx_http_request_t *r, struct guarded *g, const char *why)
{
    say(&g->action, "pass");
    if (!keep_text(r->pool, why, &g->reason))
        say(&g->reason, "no memory");
    ngx_log_error(NGX_LOG_NOTICE, r->connection->log, 0, "cando: passes unread: %V", &g->reason);
}

/* -- the body --------------------------------------------------------------------------------- */

static bool copy_buf(ngx_buf_t *b, u_char *to, size_t n)
{
    if (!ngx_buf_in_memory(b))
        return ngx_read_file(b->file, to, n, b->file_pos) == (ssize_t)n;
    ngx_memcpy(to, b->pos, n);
    return true;
}

/* Room for a body in one piece: one of the usual size is put where the last one was, which is in the
 * nearest memory still. Such a piece holds until the next body is read. */
static u_char *body_room(ngx_pool_t *pool, size_t n)
{
    static u_char usual[USUAL_BODY];
    return n > sizeof usual ? ngx_pnalloc(pool, n) : usual;
}

const char *request_body(ngx_http_request_t *r, size_t limit, ngx_str_t *out)
{
    ngx_chain_t *first = r->request_body ? r->request_body->bufs : NULL;
    size_t n = 0;
    for (ngx_chain_t *cl = first; cl; cl = cl->next) {
        off_t more = ngx_buf_size(cl->buf);
        if (more < 0 || (size_t)more > limit - n)
            return "the body is over cando_body_limit";
        n += (size_t)more;
    }
    if (!n)
        return "there is no body";
    out->len = n;
    if (!first->next && ngx_buf_in_memory(first->buf)) {
        out->data = first->buf->pos;
        return NULL;
    }
    out->data = body_room(r->pool, n);
    u_char *to = out->data;
    for (ngx_chain_t *cl = first; to && cl; cl = cl->next) {
        size_t size = (size_t)ngx_buf_size(cl->buf);
        if (size && !copy_buf(cl->buf, to, size)) /* a mark of the end is no memory and no file */
            return "the body cannot be read from its file";
        to += size;
    }
    return to ? NULL : "no memory";
}

static bool replace_body(ngx_http_request_t *r, cando_bytes body)
{
    ngx_buf_t *b = ngx_create_temp_buf(r->pool, body.n);
    ngx_chain_t *cl = b ? ngx_alloc_chain_link(r->pool) : NULL;
    u_char *digits = cl ? ngx_pnalloc(r->pool, NGX_SIZE_T_LEN) : NULL;
    if (!digits)
        return false;
    b->last = ngx_cpymem(b->pos, body.p, body.n);
    b->last_buf = 1;
    cl->buf = b;
    cl->next = NULL;
    r->request_body->bufs = cl;
    r->headers_in.content_length_n = (off_t)body.n;
    r->headers_in.chunked = 0;
    if (r->headers_in.content_length) {
        ngx_str_t *value = &r->headers_in.content_length->value;
        value->data = digits;
        value->len = (size_t)(ngx_sprintf(digits, "%uz", body.n) - digits);
    }
    return true;
}

/* -- headers ---------------------------------------------------------------------------------- */

static bool is_called(const ngx_table_elt_t *h, const ngx_str_t *name)
{
    return h->key.len == name->len && ngx_strncasecmp(h->key.data, name->data, name->len) == 0;
}

static bool is_sign(const ngx_table_elt_t *h)
{
    static const ngx_str_t names[] = {
        ngx_string("content-digest"), ngx_string("content-md5"),
        ngx_string("digest"),         ngx_string("repr-digest"),
        ngx_string("signature"),      ngx_string("x-amz-content-sha256")};
    static const ngx_str_t authorization = ngx_string("authorization");
    static const ngx_str_t aws = ngx_string("AWS4-");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (is_called(h, &names[i]))
            return true;
    return is_called(h, &authorization) && h->value.len >= aws.len &&
           ngx_strncasecmp(h->value.data, aws.data, aws.len) == 0;
}

/* A request that is signed cannot be changed any more. */
static bool is_signed(const ngx_http_request_t *r)
{
    for (const ngx_list_part_t *part = &r->headers_in.headers.part; part; part = part->next) {
        const ngx_table_elt_t *h = part->elts;
        for (ngx_uint_t i = 0; i < part->nelts; i++)
            if (is_sign(&h[i]))
                return true;
    }
    return false;
}

/* The headers that switch features on: how many. */
static size_t read_betas(const ngx_http_request_t *r, const char *out[BETAS])
{
    size_t n = 0;
    for (const ngx_list_part_t *part = &r->headers_in.headers.part; part; part = part->next) {
        const ngx_table_elt_t *h = part->elts;
        for (ngx_uint_t i = 0; i < part->nelts; i++)
            if (n < BETAS && cando_is_beta_header((const char *)h[i].key.data, h[i].key.len))
                out[n++] = (const char *)h[i].value.data;
    }
    return n;
}

/* -- whom it goes to -------------------------------------------------------------------------- */

/* The host of proxy_pass. Every module that has an upstream begins its configuration with it. */
static ngx_str_t upstream_host(ngx_http_request_t *r)
{
    static const ngx_str_t none = ngx_string("localhost");
    ngx_http_upstream_conf_t *u = ngx_http_get_module_loc_conf(r, ngx_http_proxy_module);
    return u && u->upstream && u->upstream->host.len ? u->upstream->host : none;
}

/* "https://HOST/PATH", without its query. */
static const char *url_of(ngx_http_request_t *r)
{
    static const char scheme[] = "https://";
    ngx_str_t host = upstream_host(r), path = r->unparsed_uri;
    u_char *query = ngx_strlchr(path.data, path.data + path.len, '?');
    if (query)
        path.len = (size_t)(query - path.data);
    u_char *url = ngx_pnalloc(r->pool, sizeof scheme + host.len + path.len), *p = url;
    if (!url)
        return NULL;
    p = ngx_cpymem(p, scheme, sizeof scheme - 1);
    p = ngx_cpymem(p, host.data, host.len);
    p = ngx_cpymem(p, path.data, path.len);
    *p = 0;
    return (const char *)url;
}

static bool provider_of(ngx_http_request_t *r, const struct place_conf *p, const char **out)
{
    ngx_str_t name;
    *out = NULL;
    if (!p->provider)
        return true;
    if (ngx_http_complex_value(r, p->provider, &name) != NGX_OK)
        return false;
    u_char *text = ngx_pnalloc(r->pool, name.len + 1);
    if (!text)
        return false;
    *ngx_cpymem(text, name.data, name.len) = 0;
    *out = name.len ? (const char *)text : NULL;
    return true;
}

/* -- the verdict ------------------------------------------------------------------------------ */

/* The codes of what was found, each once: they are ours, so they are safe in any log. */
static bool keep_findings(ngx_http_request_t *r, const cando_preflight_answer *a, ngx_str_t *out)
{
    char text[FINDINGS_ROOM];
    size_t n = 0;
    text[0] = 0;
    for (size_t i = 0; i < a->n_findings; i++) {
        const char *code = a->findings[i].code;
        size_t len = ngx_strlen(code);
        bool again = false;
        for (size_t k = 0; k < i && !again; k++)
            again = ngx_strcmp(a->findings[k].code, code) == 0;
        if (again || len + 2 > sizeof text - n)
            continue;
        n += (size_t)snprintf(text + n, sizeof text - n, "%s%s", n ? "," : "", code);
    }
    return keep_text(r->pool, text, out);
}

static bool keep_refusal(ngx_http_request_t *r, struct guarded *g, const cando_guard_reply *reply)
{
    ngx_str_t body = {reply->body.n, (u_char *)reply->body.p};
    g->refusal = reply->status;
    g->refusal_body.data = ngx_pstrdup(r->pool, &body);
    g->refusal_body.len = body.len;
    bool ok = g->refusal_body.data != NULL;
    for (size_t i = 0; ok && i < reply->n_headers; i++) {
        const cando_guard_header *h = &reply->headers[i];
        if (ngx_strcasecmp((u_char *)h->name, (u_char *)"content-type") == 0)
            continue;
        ok = keep_text(r->pool, h->name, &g->refusal_header) &&
             keep_text(r->pool, h->value, &g->refusal_value);
    }
    return ok;
}

static bool act(ngx_http_request_t *r, struct guarded *g, const cando_guard_answer *a)
{
    say(&g->action, "pass");
    if (a->action == CANDO_GUARD_REFUSE) {
        say(&g->action, "refuse");
        return keep_refusal(r, g, a->reply);
    }
    if (a->action != CANDO_GUARD_SEND)
        return true;
    if (is_signed(r)) {
        say(&g->reason, "it is signed, so it is not repaired");
        return true;
    }
    say(&g->action, "repair");
    return replace_body(r, a->judged->request);
}

static bool keep_answer(ngx_http_request_t *r, struct guarded *g, const cando_guard_answer *a)
{
    static const char *const verdicts[] = {
        [CANDO_ACCEPTED] = "ok",
        [CANDO_DEGRADED] = "ok",
        [CANDO_REWRITE] = "rewrite",
        [CANDO_REJECTED] = "reject",
    };
    bool ok = keep_text(r->pool, a->provider, &g->provider) &&
              keep_text(r->pool, a->api, &g->api) && keep_text(r->pool, a->model, &g->model);
    if (!ok || !a->judged)
        return ok;
    say(&g->verdict, verdicts[a->judged->verdict]);
    if (a->judged->tokens)
        g->tokens = a->judged->tokens->expected;
    return keep_findings(r, a->judged, &g->findings) && act(r, g, a);
}

static void judge(ngx_http_request_t *r, struct guarded *g)
{
    struct place_conf *p = ngx_http_get_module_loc_conf(r, ngx_http_cando_module);
    struct main_conf *m = ngx_http_get_module_main_conf(r, ngx_http_cando_module);
    const char *betas[BETAS];
    cando_error err;
    cando_guard_question q = {.mode = guards[p->mode], .strict = p->strict};
    ngx_str_t body;
    const char *why = request_body(r, p->body_limit, &body);
    err.message[0] = '\0';
    if (why)
        return untouched(r, g, why);
    q.url = url_of(r);
    if (!q.url || !worker_room() || !provider_of(r, p, &q.provider))
        return untouched(r, g, "no memory");
    q.request = (cando_bytes){(const char *)body.data, body.len};
    q.betas = betas;
    q.n_betas = read_betas(r, betas);
    const cando_guard_answer *a = cando_ask_guard(m->engine, &q, worker_room(), &err);
    if (!a)
        untouched(r, g, err.message);
    else if (!keep_answer(r, g, a))
        untouched(r, g, "no memory");
    else if (!a->judged)
        untouched(r, g, a->reason ? a->reason : "it is not judged");
    else if (m->zone)
        warm_note(m->zone, &g->provider, &g->model);
    cando_room_clear(worker_room());
    if (g->findings.len)
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0, "cando: %V, %V: %V", &g->verdict,
                      &g->action, &g->findings);
}

/* -- the answer ------------------------------------------------------------------------------- */

static bool add_header(ngx_http_request_t *r, const ngx_str_t *name, const ngx_str_t *value)
{
    if (!name->len || !value->len)
        return true;
    ngx_table_elt_t *h = ngx_list_push(&r->headers_out.headers);
    if (!h)
        return false;
    ngx_memzero(h, sizeof *h);
    h->hash = 1;
    h->key = *name;
    h->value = *value;
    return true;
}

static ngx_int_t refuse(ngx_http_request_t *r, const struct guarded *g)
{
    static const ngx_str_t mark = ngx_string("X-Cando"), refused = ngx_string("refused");
    ngx_buf_t *b = ngx_calloc_buf(r->pool);
    if (!b || !add_header(r, &mark, &refused) ||
        !add_header(r, &g->refusal_header, &g->refusal_value))
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    r->headers_out.status = g->refusal;
    r->headers_out.content_length_n = (off_t)g->refusal_body.len;
    ngx_str_set(&r->headers_out.content_type, "application/json");
    r->headers_out.content_type_len = r->headers_out.content_type.len;
    ngx_int_t rc = ngx_http_send_header(r);
    if (rc == NGX_ERROR || rc > NGX_OK || r->header_only)
        return rc;
    b->pos = g->refusal_body.data;
    b->last = b->pos + g->refusal_body.len;
    b->memory = b->last > b->pos;
    b->last_buf = 1;
    b->last_in_chain = 1;
    ngx_chain_t out = {b, NULL};
    return ngx_http_output_filter(r, &out);
}

static void body_is_there(ngx_http_request_t *r)
{
    struct guarded *g = ngx_http_get_module_ctx(r, ngx_http_cando_module);
    judge(r, g);
    g->status = NGX_DECLINED;
    r->preserve_body = 1;
    r->write_event_handler = ngx_http_core_run_phases;
    ngx_http_core_run_phases(r);
}

static ngx_int_t read_first(ngx_http_request_t *r)
{
    struct guarded *g = ngx_pcalloc(r->pool, sizeof *g);
    if (!g)
        return NGX_HTTP_INTERNAL_SERVER_ERROR;
    g->status = NGX_DONE;
    ngx_http_set_ctx(r, g, ngx_http_cando_module);
    ngx_int_t rc = ngx_http_read_client_request_body(r, body_is_there);
    if (rc >= NGX_HTTP_SPECIAL_RESPONSE)
        return rc;
    ngx_http_finalize_request(r, NGX_DONE);
    return NGX_DONE;
}

ngx_int_t request_phase(ngx_http_request_t *r)
{
    struct place_conf *p = ngx_http_get_module_loc_conf(r, ngx_http_cando_module);
    struct guarded *g = ngx_http_get_module_ctx(r, ngx_http_cando_module);
    if (p->mode == MODE_OFF || r != r->main || r->method != NGX_HTTP_POST)
        return NGX_DECLINED;
    if (!g)
        return read_first(r);
    if (!g->refusal || g->status != NGX_DECLINED)
        return g->status;
    ngx_http_finalize_request(r, refuse(r, g));
    return NGX_DONE;
}
