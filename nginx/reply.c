/*
 * reply.c - the reply goes by, and what its cost is read from is kept. No byte of it waits for
 * that or is changed. A packed reply is unpacked on the side.
 */
#include "module.h"

#include <zlib.h>

enum { UNPACKED_AT_ONCE = 16384 };
#define UNPACKED_MOST ((uLong)256 << 20) /* a reply that unpacks to more is not read */

static ngx_http_output_header_filter_pt next_header;
static ngx_http_output_body_filter_pt next_body;

static void forget(void *data)
{
    struct guarded *g = data;
    cando_reader_free(g->reader);
    g->reader = NULL;
    if (g->inflating)
        inflateEnd(g->inflating);
    g->inflating = NULL;
}

/* Runs before the request is logged, whether all of the reply came or not. */
static void ended(void *data)
{
    struct guarded *g = data;
    g->ended = true;
}

/* How it is packed: false if that is not known here. */
static bool begin_unpacking(ngx_http_request_t *r, struct guarded *g)
{
    ngx_table_elt_t *packed = r->headers_out.content_encoding;
    if (!packed || !packed->value.len)
        return true;
    if (!ngx_strlcasestrn(packed->value.data, packed->value.data + packed->value.len,
                          (u_char *)"gzip", 3))
        return false;
    z_stream *z = ngx_pcalloc(r->pool, sizeof *z);
    if (!z || inflateInit2(z, MAX_WBITS + 32) != Z_OK)
        return false;
    g->inflating = z;
    return true;
}

static void begin(ngx_http_request_t *r, struct guarded *g, size_t limit)
{
    ngx_pool_cleanup_t *cleanup = ngx_pool_cleanup_add(r->pool, 0);
    ngx_http_cleanup_t *end = ngx_http_cleanup_add(r, 0);
    u_char *type = ngx_pnalloc(r->pool, r->headers_out.content_type.len + 1);
    if (!cleanup || !end || !type)
        return;
    *ngx_cpymem(type, r->headers_out.content_type.data, r->headers_out.content_type.len) = 0;
    cleanup->handler = forget;
    cleanup->data = g;
    end->handler = ended;
    end->data = g;
    if (!begin_unpacking(r, g)) {
        ngx_log_error(NGX_LOG_INFO, r->connection->log, 0,
                      "cando: the reply is packed in a way that is not read");
        return;
    }
    g->reader = cando_reader_new((const char *)type, limit, NULL, NULL);
    if (g->reader)
        r->filter_need_in_memory = 1;
}

static ngx_int_t header_filter(ngx_http_request_t *r)
{
    struct guarded *g = ngx_http_get_module_ctx(r, ngx_http_cando_module);
    struct place_conf *p = ngx_http_get_module_loc_conf(r, ngx_http_cando_module);
    struct main_conf *m = ngx_http_get_module_main_conf(r, ngx_http_cando_module);
    bool good = r->headers_out.status >= 200 && r->headers_out.status < 300;
    if (g && m->sees_replies && r == r->main && good && g->api.len && !g->refusal && !g->reader && p->reply_limit)
        begin(r, g, p->reply_limit);
    return next_header(r);
}

static void see_packed(struct guarded *g, u_char *bytes, size_t n)
{
    z_stream *z = g->inflating;
    u_char out[UNPACKED_AT_ONCE];
    int rc = Z_OK;
    z->next_in = bytes;
    z->avail_in = (uInt)n;
    while (rc == Z_OK && (z->avail_in || z->avail_out == 0)) {
        z->next_out = out;
        z->avail_out = sizeof out;
        rc = inflate(z, Z_NO_FLUSH);
        cando_reader_see(g->reader, out, sizeof out - z->avail_out);
        if (z->total_out > UNPACKED_MOST)
            rc = Z_DATA_ERROR;
    }
    if (rc != Z_OK && rc != Z_BUF_ERROR && rc != Z_STREAM_END) {
        cando_reader_free(g->reader);
        g->reader = NULL;
    }
}

static ngx_int_t body_filter(ngx_http_request_t *r, ngx_chain_t *in)
{
    struct guarded *g = ngx_http_get_module_ctx(r, ngx_http_cando_module);
    for (ngx_chain_t *cl = in; g && g->reader && cl; cl = cl->next) {
        ngx_buf_t *b = cl->buf;
        size_t n = ngx_buf_in_memory(b) ? (size_t)(b->last - b->pos) : 0;
        if (n && g->inflating)
            see_packed(g, b->pos, n);
        else if (n)
            cando_reader_see(g->reader, b->pos, n);
    }
    return next_body(r, in);
}

void reply_install(void)
{
    next_header = ngx_http_top_header_filter;
    ngx_http_top_header_filter = header_filter;
    next_body = ngx_http_top_body_filter;
    ngx_http_top_body_filter = body_filter;
}

static const char *count_of(const cando_usage_answer *u, const char *unit)
{
    for (size_t i = 0; u && i < u->n_usage; i++)
        if (ngx_strcmp(u->usage[i].unit, unit) == 0)
            return u->usage[i].quantity;
    return NULL;
}

void reply_price(ngx_http_request_t *r, struct guarded *g)
{
    struct main_conf *m = ngx_http_get_module_main_conf(r, ngx_http_cando_module);
    if (g->priced || !g->ended || !g->reader || !worker_room())
        return;
    g->priced = true;
    cando_name target = {(const char *)g->model.data, (const char *)g->provider.data};
    cando_cost_question q = {
        .response = cando_reader_end(g->reader, NULL),
        .api = (const char *)g->api.data,
        .provider = (const char *)g->provider.data,
        .target = g->model.len ? &target : NULL,
    };
    if (!q.response.p)
        return;
    const cando_cost_answer *a = cando_ask_cost(m->engine, &q, worker_room(), NULL);
    if (a) {
        keep_text(r->pool, a->total_cost, &g->cost);
        keep_text(r->pool, count_of(a->reply, "input_tokens"), &g->input_tokens);
        keep_text(r->pool, count_of(a->reply, "output_tokens"), &g->output_tokens);
    }
    cando_room_clear(worker_room());
}
