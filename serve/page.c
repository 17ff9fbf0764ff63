/*
 * page.c - GET /: the page, out of the daemon's own memory.
 *
 * A file whose name has a hash in it never changes and may be kept for a year; all others are asked
 * for again, and told as unchanged by their ETag.
 */
#include "page.h"

#include "http.h"
#include "pack.h"

extern const char page_data[], page_data_end[];

static const struct page_head *page(void)
{
    const struct page_head *h = (const struct page_head *)page_data;
    return (size_t)(page_data_end - page_data) > sizeof *h ? h : NULL;
}

static const char *text_at(const struct page_head *h, uint32_t at)
{
    return (const char *)&h->file[h->n] + at;
}

static const struct page_file *find(const struct page_head *h, struct str name)
{
    uint32_t low = 0, high = h->n;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        int order = str_cmp(str_of(text_at(h, h->file[mid].name)), name);
        if (order == 0)
            return &h->file[mid];
        if (order < 0)
            low = mid + 1;
        else
            high = mid;
    }
    return NULL;
}

/* "app-3f2a9c01.js": eight digits of hexadecimal or more before the last dot. */
static bool has_hash(struct str name)
{
    size_t dot = name.n, n = 0;
    while (dot && name.p[dot - 1] != '.' && name.p[dot - 1] != '/')
        dot--;
    while (n + 1 < dot && (char_is_digit(name.p[dot - 2 - n]) ||
                           (name.p[dot - 2 - n] >= 'a' && name.p[dot - 2 - n] <= 'f')))
        n++;
    return dot && name.p[dot - 1] == '.' && n >= 8 && n + 1 < dot &&
           (name.p[dot - 2 - n] == '-' || name.p[dot - 2 - n] == '.');
}

static void send_file(struct request *r, struct reply *a, const struct page_head *h,
                      const struct page_file *f)
{
    a->type = text_at(h, f->type);
    a->no_pack = true;
    reply_header(a, "Cache-Control",
                 has_hash(str_of(text_at(h, f->name))) ? "public, max-age=31536000, immutable"
                                                       : "no-cache");
    reply_header(a, "X-Content-Type-Options", "nosniff");
    if (f->packed)
        reply_header(a, "Vary", "Accept-Encoding");
    if (reply_unchanged(r, a, f->tag))
        return;
    a->body = str_make(text_at(h, f->at), f->bytes);
    a->packed = f->packed;
    a->is_static = true;
    if (!f->packed || request_takes_gzip(r))
        return;
    a->body = pack_open(a->body, f->size, r->ar);
    a->packed = a->is_static = false;
    if (!a->body.p)
        reply_error(r, a, 503, CODE_memory, NULL, "there is no memory for the page");
}

void route_page(struct request *r, struct reply *a)
{
    const struct page_head *h = page();
    struct str name = r->rest.n ? r->rest : STR("index.html");
    const struct page_file *f = h ? find(h, name) : NULL;
    if (f)
        send_file(r, a, h, f);
    else if (!h && !r->rest.n)
        reply_error(r, a, 404, CODE_http_path, "make site, then make: the daemon then has it",
                    "this daemon was built without the page; operations are at POST /op/<name>");
    else
        reply_error(r, a, 404, CODE_http_path, "GET /openapi.json lists what there is",
                    "there is nothing at %.*s", STR_ARG(str_head(r->path, 200)));
}
