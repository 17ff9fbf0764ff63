/*
 * standin.c - a strict stand-in for the providers: what is asked at one of their paths is answered
 * as they would (the operation `stand_in`), with what cando says of it in headers:
 *
 *     x-cando-verdict    ok, rewrite, reject
 *     x-cando-findings   the codes of what was found, and their places
 *     x-cando-provider   whose rules held
 *     x-cando-cost       in USD, of the tokens that the reply tells
 *     x-cando-doubt      what of the reply may not be as the request wants it
 *
 * A stream is made whole and sent event by event, with pauses where somebody asks for them:
 * --pace MS, or the header x-cando-pace of the request. Nothing of a request is kept.
 */
#include "standin.h"

#include "http.h"
#include "json.h"

#include <stdlib.h>

enum { HEADERS_MOST = 100, HEADERS_BYTES = 64 << 10, FINDINGS_BYTES = 400 };

static bool strict;
static unsigned pace;

void standin_start(bool on, unsigned ms)
{
    strict = on;
    pace = ms;
}

/* -- what comes beside the body --------------------------------------------------------------- */

struct header {
    struct str name, value;
};

struct headers {
    struct header item[HEADERS_MOST];
    size_t n;
};

static bool take_header(void *ctx, struct str name, struct str value)
{
    struct headers *h = ctx;
    if (h->n == HEADERS_MOST)
        return false;
    h->item[h->n++] = (struct header){name, value};
    return true;
}

static bool came_before(const struct headers *h, size_t i)
{
    for (size_t k = 0; k < i; k++)
        if (str_eq_fold(h->item[k].name, h->item[i].name))
            return true;
    return false;
}

/* The values of one header, with commas between them. */
static const char *joined(struct request *r, const struct headers *h, size_t first)
{
    struct buf b;
    buf_init_arena(&b, r->ar, HEADERS_BYTES);
    for (size_t i = first; i < h->n; i++) {
        if (!str_eq_fold(h->item[i].name, h->item[first].name))
            continue;
        if (i > first)
            buf_putz(&b, ", ");
        buf_puts(&b, h->item[i].value);
    }
    return buf_cstr(&b);
}

/* All headers as a JSON object; n is 0: they are too many, or there is no memory. */
static cando_bytes headers_json(struct request *r)
{
    struct headers *h = arena_alloc(r->ar, sizeof *h);
    struct buf b;
    buf_init_arena(&b, r->ar, HEADERS_BYTES);
    if (!h)
        return (cando_bytes){0};
    request_each_header(r, take_header, h);
    buf_putc(&b, '{');
    for (size_t i = 0; i < h->n; i++) {
        struct str name = str_dup(r->ar, h->item[i].name);
        if (came_before(h, i))
            continue;
        if (b.n > 1)
            buf_putc(&b, ',');
        json_text(&b, name.p);
        buf_putc(&b, ':');
        json_text(&b, joined(r, h, i));
    }
    buf_putc(&b, '}');
    return b.failed ? (cando_bytes){0} : (cando_bytes){b.p, b.n};
}

/* The path, with what of the query decides about the form of a stream. */
static const char *url_of(struct request *r)
{
    const char *alt = request_query(r, "alt");
    bool sse = alt && strcmp(alt, "sse") == 0;
    return str_join(r->ar, r->path, sse ? STR("?alt=sse") : STR(""), STR("")).p;
}

/* -- streams ---------------------------------------------------------------------------------- */

struct told {
    struct stream s;
    unsigned pace; /* milliseconds between events */
    bool paused;   /* since the last one */
    size_t at, n;
    struct str event[];
};

/* What ends soon is told at once. */
static bool pauses(struct told *t)
{
    bool yes = t->pace && t->at && !t->paused && !http_is_ending();
    if (yes)
        stream_wake_in(&t->s, t->pace);
    t->paused = yes;
    return yes;
}

static enum stream_state next_event(struct stream *s, struct buf *out)
{
    struct told *t = (struct told *)s;
    if (pauses(t))
        return STREAM_WAIT;
    if (t->at < t->n)
        buf_puts(out, t->event[t->at++]);
    return t->at < t->n ? STREAM_MORE : STREAM_END;
}

static void free_told(struct stream *s)
{
    free(s);
}

static int base64_digit(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* What the library has written in base64, as bytes. */
static size_t decode(const char *text, char *out)
{
    size_t n = 0;
    uint32_t bits = 0;
    unsigned have = 0;
    for (; base64_digit(*text) >= 0; text++) {
        bits = bits << 6 | (uint32_t)base64_digit(*text);
        have += 6;
        if (have < 8)
            continue;
        have -= 8;
        out[n++] = (char)(bits >> have & 255);
    }
    return n;
}

/* Of its own, since the room is cleared before the last event is sent. */
static struct stream *new_stream(const cando_stand_in_reply *p, unsigned ms)
{
    size_t bytes = sizeof(struct told) + p->n_events * sizeof(struct str);
    for (size_t i = 0; i < p->n_events; i++)
        bytes += strlen(p->events[i]);
    struct told *t = malloc(bytes);
    if (!t)
        return NULL;
    *t = (struct told){.s = {.next = next_event, .free = free_told}, .pace = ms, .n = p->n_events};
    char *text = (char *)&t->event[t->n];
    for (size_t i = 0; i < t->n; i++) {
        size_t n = strlen(p->events[i]);
        if (p->base64)
            n = decode(p->events[i], text);
        else
            memcpy(text, p->events[i], n);
        t->event[i] = str_make(text, n);
        text += n;
    }
    return &t->s;
}

/* -- the reply -------------------------------------------------------------------------------- */

static const char *const verdicts[] = {
    [CANDO_ACCEPTED] = "ok",
    [CANDO_DEGRADED] = "ok",
    [CANDO_REWRITE] = "rewrite",
    [CANDO_REJECTED] = "reject",
};

/* "parameter-renamed /max_tokens, ..", as far as there is room, in ASCII. */
static const char *findings(struct request *r, const cando_preflight_answer *p)
{
    struct buf b;
    buf_init_arena(&b, r->ar, FINDINGS_BYTES + 1);
    for (size_t i = 0; i < p->n_findings; i++) {
        struct str code = str_of(p->findings[i].code), path = str_of(p->findings[i].path);
        if (b.n + code.n + path.n + 3 > FINDINGS_BYTES)
            break;
        buf_printf(&b, "%s%s ", b.n ? ", " : "", code.p);
        for (size_t k = 0; k < path.n; k++)
            buf_putc(&b, path.p[k] > ' ' && path.p[k] <= '~' ? path.p[k] : '?');
    }
    return b.n ? buf_cstr(&b) : NULL;
}

static const char *keep(struct request *r, const char *text)
{
    return text ? str_dup(r->ar, str_of(text)).p : NULL;
}

static void tell(struct request *r, struct reply *a, const cando_stand_in_answer *s)
{
    a->op = "stand_in";
    a->provider = keep(r, s->provider);
    a->model = keep(r, s->model);
    a->cost = keep(r, s->cost);
    a->verdict = s->judged ? verdicts[s->judged->verdict] : NULL;
    reply_header(a, "x-cando-verdict", a->verdict);
    reply_header(a, "x-cando-findings", s->judged ? findings(r, s->judged) : NULL);
    reply_header(a, "x-cando-provider", a->provider);
    reply_header(a, "x-cando-cost", a->cost);
    reply_header(a, "x-cando-doubt", s->doubt);
}

/* What the request says of it, or the option; false: it says something else. */
static bool read_pace(struct request *r, struct reply *a, unsigned *out)
{
    const char *text = request_header(r, "x-cando-pace");
    *out = pace;
    if (!text)
        return true;
    size_t n = strspn(text, "0123456789");
    if (n && n < 6 && !text[n])
        *out = (unsigned)strtoul(text, NULL, 10);
    if (n && n < 6 && !text[n] && *out <= STANDIN_PACE)
        return true;
    reply_error(r, a, 400, CODE_bad_argument, "send x-cando-pace: 50",
                "x-cando-pace is a number of milliseconds, at most %u", STANDIN_PACE);
    return false;
}

static void send_stream(struct request *r, struct reply *a, const cando_stand_in_reply *p)
{
    unsigned ms;
    reply_header(a, "Cache-Control", "no-store");
    reply_header(a, "X-Accel-Buffering", "no");
    if (!read_pace(r, a, &ms))
        return;
    a->stream = new_stream(p, ms);
    if (!a->stream)
        reply_error(r, a, 503, CODE_memory, NULL, "there is no memory for one more stream");
}

static void send_reply(struct request *r, struct reply *a, const cando_stand_in_answer *s)
{
    const cando_stand_in_reply *p = s->reply;
    a->status = p->status;
    for (size_t i = 0; i < p->n_headers; i++) {
        if (strcmp(p->headers[i].name, "content-type") == 0)
            a->type = p->headers[i].value;
        else
            reply_header(a, p->headers[i].name, keep(r, p->headers[i].value));
    }
    tell(r, a, s);
    if (p->events)
        send_stream(r, a, p);
    else
        a->body = str_make(p->body.p, p->body.n);
}

static void ask(struct request *r, struct reply *a, cando_bytes body)
{
    cando_error err;
    const cando_stand_in_question q = {
        .url = url_of(r),
        .request = body,
        .headers = headers_json(r),
        .strict = strict,
    };
    const cando_stand_in_answer *s = NULL;
    if (q.url && q.headers.p)
        s = cando_ask_stand_in(r->engine, &q, r->room, &err);
    else
        error_memory(&err);
    if (s && s->known)
        send_reply(r, a, s);
    else if (s)
        reply_error(r, a, 404, CODE_http_path, "GET /openapi.json lists what there is",
                    "there is nothing at %.*s: %s", STR_ARG(str_head(r->path, 200)), s->reason);
    else
        reply_error(r, a, err.status == CANDO_INTERNAL ? 503 : 400, code_find(str_of(err.code)),
                    err.hint[0] ? err.hint : NULL, "%s", err.message);
}

void route_stand_in(struct request *r, struct reply *a)
{
    ask(r, a, (cando_bytes){r->body.p ? r->body.p : "", r->body.n});
}

void route_stand_in_list(struct request *r, struct reply *a)
{
    ask(r, a, (cando_bytes){0});
}
