#define _GNU_SOURCE
#include "http.h"

#include "base/sha256.h"
#include "epoch.h"
#include "json.h"
#include "observe.h"
#include "pack.h"
#include "wire.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    POOL_BYTES = 12 << 10,  /* of the HTTP library for a connection; a head fits into it */
    PIECE_BYTES = 16 << 10, /* of a stream */
    SPARE = 32,             /* connections over the limit, which are told so */
    DISCARD = 1 << 20,      /* bytes of a body that is too large, before it is cut off */
    PACK_LEAST = 1 << 10,   /* bytes of a body that is worth packing */
    QUICK_BYTES = 16 << 10, /* of a question, for whose answer others can wait */
    CALM = 10,              /* looks in which nobody asks, before the daemon stops */
};
#define STREAM_BYTES ((size_t)64 << 20)  /* of one piece */
#define BODIES_BYTES ((size_t)512 << 20) /* of all bodies that wait for an answer */

/* A request and its answer. */
struct exchange {
    struct request r;
    struct reply a;
    const struct route *route;
    struct MHD_Connection *connection;
    int fd;
    struct epoch *epoch;
    struct buf body;
    const char *known[H_COUNT]; /* headers that every request is asked for */
    size_t discarded;
    unsigned refused; /* the status that the body gets, once it has been read */
    bool unfit;       /* what the head says is refused, once the body has been read */
    uint64_t began;   /* nanoseconds */
    bool streams;
    _Atomic unsigned held; /* by the connection, by a response that streams, by request_finish */
    /* what other threads have to do with it */
    pthread_mutex_t lock;
    bool later;                      /* the route's own thread: request_finish answers */
    bool finished, suspended, woken; /* guarded by `lock` */
    struct MHD_Response *made;       /* of request_finish */
    unsigned made_status;
    /* of a stream */
    struct buf piece;
    size_t taken;
    bool ended;
    struct exchange *next, **link; /* of all that stream */
    uint64_t due;                  /* when it is to be woken; 0: not by the clock */
};

static struct {
    struct http_options o;
    struct MHD_Daemon *daemon;
    unsigned char token[SHA256_BYTES];
    _Atomic bool ending;
    _Atomic unsigned connections, requests, waiting; /* for request_finish */
    _Atomic size_t bodies;
    pthread_mutex_t streams_lock; /* of what follows */
    struct exchange *streams;
    pthread_t clock; /* wakes those that are due */
    bool clock_runs, clock_ends;
    pthread_cond_t sooner; /* one is due before all others */
} http = {.streams_lock = PTHREAD_MUTEX_INITIALIZER};

static uint64_t now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

bool http_is_ending(void)
{
    return atomic_load_explicit(&http.ending, memory_order_relaxed);
}

unsigned http_connections(void)
{
    return atomic_load(&http.connections);
}

unsigned http_requests(void)
{
    return atomic_load(&http.requests);
}

const char *http_reason(unsigned status)
{
    static const struct {
        unsigned status;
        const char *reason;
    } known[] = {
        {200, "OK"},
        {400, "Bad Request"},
        {408, "Request Timeout"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {431, "Request Header Fields Too Large"},
        {501, "Not Implemented"},
        {505, "HTTP Version Not Supported"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].status == status)
            return known[i].reason;
    return "Error";
}

/* -- a thread's own ---------------------------------------------------------------------------- */

static pthread_key_t worker_key;

static void free_worker(void *p)
{
    struct worker *w = p;
    cando_room_free(w->room);
    arena_free(&w->ar);
    free(w);
}

static struct worker *new_worker(void)
{
    struct worker *w = calloc(1, sizeof *w);
    if (!w)
        return NULL;
    arena_init(&w->ar, NULL);
    w->room = cando_room_new(NULL, NULL);
    if (w->room && pthread_setspecific(worker_key, w) == 0)
        return w;
    free_worker(w);
    return NULL;
}

static void clear_worker(struct worker *w)
{
    cando_room_clear(w->room);
    arena_clear(&w->ar);
}

struct worker *http_worker(void)
{
    struct worker *w = pthread_getspecific(worker_key);
    if (!w)
        return new_worker();
    clear_worker(w);
    return w;
}

/* A room holds on to the catalog of its last answer: a thread that nobody asks any more would keep
 * one that was replaced long ago. */
static void rest_worker(void)
{
    struct worker *w = pthread_getspecific(worker_key);
    if (w)
        clear_worker(w);
}

/* -- what a route sees ------------------------------------------------------------------------- */

const char *request_route(const struct request *r)
{
    return r->x->route ? r->x->route->path : "none";
}

const char *request_header(const struct request *r, const char *name)
{
    return MHD_lookup_connection_value(r->x->connection, MHD_HEADER_KIND, name);
}

const char *request_known(const struct request *r, enum known_header which)
{
    return r->x->known[which];
}

/* One walk for all of them: to look one up compares it with each that is there. */
static enum MHD_Result each_known(void *cls, enum MHD_ValueKind kind, const char *name, size_t n,
                                  const char *value, size_t size)
{
#define KNOWN(which, name) [which] = STR(name),
    static const struct str known[H_COUNT] = {KNOWN_HEADERS};
#undef KNOWN
    struct exchange *x = cls;
    (void)kind;
    (void)size;
    for (unsigned i = 0; i < H_COUNT; i++)
        if (known[i].n == n && !x->known[i] && str_eq_fold(known[i], str_make(name, n)))
            x->known[i] = value ? value : "";
    return MHD_YES;
}

struct each {
    bool (*fn)(void *ctx, struct str name, struct str value);
    void *ctx;
};

static enum MHD_Result each_header(void *cls, enum MHD_ValueKind kind, const char *name,
                                   const char *value)
{
    const struct each *e = cls;
    (void)kind;
    return e->fn(e->ctx, str_of(name), str_of(value ? value : "")) ? MHD_YES : MHD_NO;
}

void request_each_header(const struct request *r,
                         bool (*fn)(void *ctx, struct str name, struct str value), void *ctx)
{
    struct each e = {fn, ctx};
    MHD_get_connection_values(r->x->connection, MHD_HEADER_KIND, each_header, &e);
}

static int hex_digit(char c)
{
    c = char_fold(c);
    return char_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool unescape(struct str s, char *out, size_t *n)
{
    *n = 0;
    for (size_t i = 0; i < s.n; i++) {
        char c = s.p[i];
        if (c == '%') {
            int high = i + 2 < s.n ? hex_digit(s.p[i + 1]) : -1;
            int low = i + 2 < s.n ? hex_digit(s.p[i + 2]) : -1;
            if (high < 0 || low < 0 || high + low == 0)
                return false;
            c = (char)(high << 4 | low);
            i += 2;
        }
        out[(*n)++] = c;
    }
    return utf8_check(str_make(out, *n)) == *n;
}

struct str request_decode(const struct request *r, struct str s)
{
    size_t n;
    char *out = arena_alloc_raw(r->ar, s.n + 1);
    if (!out || !unescape(s, out, &n))
        return STR_NONE;
    out[n] = '\0';
    return str_make(out, n);
}

const char *request_query(const struct request *r, const char *name)
{
    const char *v = MHD_lookup_connection_value(r->x->connection, MHD_GET_ARGUMENT_KIND, name);
    return v ? request_decode(r, str_of(v)).p : NULL;
}

void reply_header(struct reply *a, const char *name, const char *value)
{
    if (a->n_headers < REPLY_HEADERS && value)
        a->header[a->n_headers++] = (struct reply_header){name, value};
}

/* The list of If-None-Match, in which weak tags count as the strong ones do. */
static bool tag_is_listed(struct str list, struct str tag)
{
    if (str_starts(tag, STR("W/")))
        tag = str_from(tag, 2);
    while (list.n) {
        struct str item = str_head(list, str_find_char(list, ','));
        list = str_from(list, item.n + 1);
        while (item.n && item.p[0] == ' ')
            item = str_from(item, 1);
        while (item.n && item.p[item.n - 1] == ' ')
            item.n--;
        if (str_starts(item, STR("W/")))
            item = str_from(item, 2);
        if (str_eq(item, tag) || str_eq(item, STR("*")))
            return true;
    }
    return false;
}

bool reply_unchanged(struct request *r, struct reply *a, const char *tag)
{
    const char *had = request_header(r, "If-None-Match");
    reply_header(a, MHD_HTTP_HEADER_ETAG, tag);
    if (!had || !tag_is_listed(str_of(had), str_of(tag)))
        return false;
    a->status = 304;
    return true;
}

void reply_error(struct request *r, struct reply *a, unsigned status, enum code code,
                 const char *hint, const char *fmt, ...)
{
    char message[480];
    va_list args;
    struct buf b;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    buf_init_arena(&b, r->ar, 4096);
    buf_printf(
        &b, "{\"id\":null,\"ok\":false,\"error\":{\"code\":\"%s\",\"message\":", code_name(code));
    json_text(&b, message);
    if (hint) {
        buf_putz(&b, ",\"hint\":");
        json_text(&b, hint);
    }
    buf_putz(&b, "}}\n");
    a->status = status;
    a->type = NULL;
    a->stream = NULL;
    a->code = code_name(code);
    a->body = b.failed ? STR_NONE : str_make(b.p, b.n);
}

/* -- the reply on its way out ------------------------------------------------------------------ */

bool request_takes_gzip(const struct request *r)
{
    const char *v = request_known(r, H_ACCEPT_ENCODING);
    return v && pack_is_accepted(str_of(v));
}

static void pack_body(struct exchange *x, struct reply *a)
{
    struct str packed;
    if (a->packed || a->no_pack || a->body.n < PACK_LEAST || !request_takes_gzip(&x->r))
        return;
    packed = pack_gzip(a->body, x->r.ar);
    if (!packed.p || packed.n >= a->body.n)
        return;
    a->body = packed;
    a->packed = true;
    a->is_static = false;
}

static void add_headers(struct MHD_Response *out, const struct reply *a)
{
    if (a->status != 304 && a->status != 204)
        MHD_add_response_header(out, MHD_HTTP_HEADER_CONTENT_TYPE,
                                a->type ? a->type : "application/json");
    if (a->packed)
        MHD_add_response_header(out, MHD_HTTP_HEADER_CONTENT_ENCODING, "gzip");
    if (a->body.n >= PACK_LEAST && !a->no_pack)
        MHD_add_response_header(out, MHD_HTTP_HEADER_VARY, "Accept-Encoding");
    for (size_t i = 0; i < a->n_headers; i++)
        MHD_add_response_header(out, a->header[i].name, a->header[i].value);
    if (a->close || http_is_ending())
        MHD_add_response_header(out, MHD_HTTP_HEADER_CONNECTION, "close");
}

static ssize_t read_stream(void *cls, uint64_t pos, char *out, size_t max);
static void free_stream(void *cls);
static void exchange_drop(struct exchange *x);
static void list_stream(struct exchange *x);

static struct MHD_Response *make_response(struct exchange *x, struct reply *a)
{
    struct MHD_Response *out;
    if (a->stream) {
        x->a.stream = a->stream;
        x->a.stream->x = x;
        x->streams = true;
        buf_init(&x->piece, NULL, STREAM_BYTES);
        list_stream(x);
        out = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, PIECE_BYTES, read_stream, x,
                                                free_stream);
        if (out)
            atomic_fetch_add(&x->held, 1);
    } else {
        pack_body(x, a);
        out = MHD_create_response_from_buffer(a->body.n, (void *)a->body.p,
                                              a->is_static ? MHD_RESPMEM_PERSISTENT
                                                           : MHD_RESPMEM_MUST_COPY);
    }
    if (out)
        add_headers(out, a);
    return out;
}

static enum MHD_Result queue(struct exchange *x, unsigned status, struct MHD_Response *response)
{
    x->made = NULL;
    if (!response)
        return MHD_NO;
    wire_reply(x->fd, true, x->streams);
    enum MHD_Result ok = MHD_queue_response(x->connection, status, response);
    MHD_destroy_response(response);
    return ok;
}

static enum MHD_Result send_reply(struct exchange *x)
{
    struct reply *a = &x->a;
    if (!a->status)
        a->status = 200;
    observe_reply(&x->r, a, now_ns() - x->began);
    return queue(x, a->status, make_response(x, a));
}

/* -- streams ----------------------------------------------------------------------------------- */

static void list_stream(struct exchange *x)
{
    pthread_mutex_lock(&http.streams_lock);
    x->next = http.streams;
    x->link = &http.streams;
    if (x->next)
        x->next->link = &x->next;
    http.streams = x;
    pthread_mutex_unlock(&http.streams_lock);
}

static void unlist_stream(struct exchange *x)
{
    pthread_mutex_lock(&http.streams_lock);
    if (x->link)
        *x->link = x->next;
    if (x->link && x->next)
        x->next->link = x->link;
    x->link = NULL;
    pthread_mutex_unlock(&http.streams_lock);
}

/* Somebody may have woken it since it said that it would wait. */
static bool wait_for_more(struct exchange *x)
{
    pthread_mutex_lock(&x->lock);
    bool wait = !x->woken && !http_is_ending();
    x->woken = false;
    x->suspended = wait;
    if (wait)
        MHD_suspend_connection(x->connection);
    pthread_mutex_unlock(&x->lock);
    return wait;
}

static void wake(struct exchange *x)
{
    pthread_mutex_lock(&x->lock);
    if (x->suspended)
        MHD_resume_connection(x->connection);
    else
        x->woken = true;
    x->suspended = false;
    pthread_mutex_unlock(&x->lock);
}

void stream_wake(struct stream *s)
{
    wake(s->x);
}

void http_wake_streams(void)
{
    pthread_mutex_lock(&http.streams_lock);
    for (struct exchange *x = http.streams; x; x = x->next)
        wake(x);
    pthread_mutex_unlock(&http.streams_lock);
}

/* When the next one is due; 0: none is. */
static uint64_t wake_due(uint64_t now)
{
    uint64_t next = 0;
    for (struct exchange *x = http.streams; x; x = x->next) {
        bool due = x->due && x->due <= now;
        if (due) {
            x->due = 0;
            wake(x);
        }
        if (x->due && (!next || x->due < next))
            next = x->due;
    }
    return next;
}

static void *run_clock(void *ctx)
{
    pthread_mutex_lock(&http.streams_lock);
    while (!http.clock_ends) {
        uint64_t next = wake_due(now_ns());
        struct timespec until = {(time_t)(next / 1000000000), (long)(next % 1000000000)};
        if (next)
            pthread_cond_timedwait(&http.sooner, &http.streams_lock, &until);
        else
            pthread_cond_wait(&http.sooner, &http.streams_lock);
    }
    pthread_mutex_unlock(&http.streams_lock);
    return ctx;
}

/* Without a thread for it the wait is that of all streams. */
void stream_wake_in(struct stream *s, unsigned ms)
{
    pthread_mutex_lock(&http.streams_lock);
    s->x->due = now_ns() + (uint64_t)ms * 1000000;
    if (!http.clock_runs)
        http.clock_runs = pthread_create(&http.clock, NULL, run_clock, NULL) == 0;
    pthread_cond_signal(&http.sooner);
    pthread_mutex_unlock(&http.streams_lock);
}

static void stop_clock(void)
{
    pthread_mutex_lock(&http.streams_lock);
    http.clock_ends = true;
    bool runs = http.clock_runs;
    pthread_cond_signal(&http.sooner);
    pthread_mutex_unlock(&http.streams_lock);
    if (runs)
        pthread_join(http.clock, NULL);
    pthread_cond_destroy(&http.sooner);
}

static bool init_clock(void)
{
    pthread_condattr_t attr;
    if (pthread_condattr_init(&attr) != 0)
        return false;
    bool ok = pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&http.sooner, &attr) == 0;
    pthread_condattr_destroy(&attr);
    return ok;
}

static ssize_t read_stream(void *cls, uint64_t pos, char *out, size_t max)
{
    struct exchange *x = cls;
    struct stream *s = x->a.stream;
    (void)pos;
    while (x->taken == x->piece.n) {
        if (x->ended)
            return MHD_CONTENT_READER_END_OF_STREAM;
        buf_clear(&x->piece);
        x->taken = 0;
        enum stream_state state = s->next(s, &x->piece);
        if (x->piece.failed)
            return MHD_CONTENT_READER_END_WITH_ERROR;
        x->ended = state == STREAM_END || (state == STREAM_WAIT && http_is_ending());
        if (!x->piece.n && state == STREAM_WAIT && !x->ended && wait_for_more(x))
            return 0;
    }
    size_t n = x->piece.n - x->taken < max ? x->piece.n - x->taken : max;
    memcpy(out, x->piece.p + x->taken, n);
    x->taken += n;
    return (ssize_t)n;
}

static void free_stream(void *cls)
{
    exchange_drop(cls);
}

/* -- answers that come later ------------------------------------------------------------------- */

void request_later(struct request *r)
{
    atomic_fetch_add(&http.waiting, 1);
    atomic_fetch_add(&r->x->held, 1); /* request_finish's own: the client may be gone by then */
    r->x->later = true;
}

void request_finish(struct request *r, const struct reply *a)
{
    struct exchange *x = r->x;
    struct reply own = *a;
    if (!own.status)
        own.status = 200;
    own.no_pack = true; /* the arena is another thread's */
    observe_reply(r, &own, now_ns() - x->began);
    struct MHD_Response *made = make_response(x, &own);
    pthread_mutex_lock(&x->lock);
    x->made = made;
    x->made_status = own.status;
    x->finished = true;
    if (x->suspended)
        MHD_resume_connection(x->connection);
    x->suspended = false;
    pthread_mutex_unlock(&x->lock);
    exchange_drop(x);
    atomic_fetch_sub(&http.waiting, 1);
}

/* Waits for request_finish, unless that was faster. */
static enum MHD_Result wait_for_answer(struct exchange *x)
{
    pthread_mutex_lock(&x->lock);
    bool wait = !x->finished;
    x->suspended = wait;
    if (wait)
        MHD_suspend_connection(x->connection);
    pthread_mutex_unlock(&x->lock);
    return wait ? MHD_YES : queue(x, x->made_status, x->made);
}

/* -- judging a request ------------------------------------------------------------------------- */

static bool path_fits(const struct route *t, struct str path, struct str *rest)
{
    struct str pattern = str_of(t->path);
    bool prefix = pattern.n && pattern.p[pattern.n - 1] == '*';
    if (pattern.n && pattern.p[0] == '*')
        return *rest = path, str_find(path, str_from(pattern, 1)) != SIZE_MAX;
    if (!prefix)
        return *rest = STR(""), str_eq(pattern, path);
    pattern.n--;
    *rest = str_from(path, pattern.n);
    return str_starts(path, pattern);
}

/* The row for a path and method. Without one: `allow` is what the path has, or empty. */
static const struct route *find_route(struct request *r, struct buf *allow)
{
    struct str rest;
    for (const struct route *t = routes; t->method; t++) {
        bool anything = strcmp(t->path, "/*") == 0; /* what other rows leave */
        if (!path_fits(t, r->path, &rest) || (anything && allow->n))
            continue;
        if (strcmp(t->method, r->method) == 0) {
            r->rest = rest;
            return t;
        }
        if (anything || str_find(str_make(allow->p, allow->n), str_of(t->method)) != SIZE_MAX)
            continue;
        buf_printf(allow, "%s%s%s", allow->n ? ", " : "", t->method,
                   strcmp(t->method, "GET") == 0 ? ", HEAD" : "");
    }
    return NULL;
}

static bool no_route(struct exchange *x, struct buf *allow)
{
    struct request *r = &x->r;
    const char *list = allow->n ? buf_cstr(allow) : NULL;
    if (!list) {
        reply_error(r, &x->a, 404, CODE_http_path, "GET /openapi.json lists what there is",
                    "there is nothing at %.*s", STR_ARG(str_head(r->path, 200)));
        return false;
    }
    reply_header(&x->a, MHD_HTTP_HEADER_ALLOW, list);
    if (strcmp(r->method, "OPTIONS") == 0) {
        x->a.status = 204;
        return false;
    }
    reply_error(r, &x->a, 405, CODE_http_method, NULL, "%.*s takes %s",
                STR_ARG(str_head(r->path, 200)), list);
    return false;
}

/* "localhost:8080" or "[::1]:80" without its port. */
static struct str host_name(struct str host)
{
    while (host.n && (host.p[host.n - 1] == ' ' || host.p[host.n - 1] == '\t'))
        host.n--;
    size_t bracket = str_find_char(host, ']');
    if (host.n && host.p[0] == '[' && bracket < host.n)
        return str_head(host, bracket + 1);
    return str_head(host, str_find_char(host, ':'));
}

static bool is_four_numbers(struct str s)
{
    unsigned dots = 0;
    for (size_t i = 0; i < s.n; i++) {
        dots += s.p[i] == '.';
        if (s.p[i] != '.' && !char_is_digit(s.p[i]))
            return false;
    }
    return dots == 3 && s.n <= 15;
}

static bool host_is_ours(struct str host)
{
    struct str name = host_name(host);
    if (http.o.any_host || str_eq_fold(name, STR("localhost")) || str_eq(name, STR("[::1]")))
        return true;
    if (str_starts(name, STR("127.")) && is_four_numbers(name))
        return true;
    for (size_t i = 0; i < http.o.n_hosts; i++)
        if (str_eq_fold(name, str_of(http.o.host[i])))
            return true;
    return false;
}

/* A page may ask the daemon that it came from, and no other. */
static bool origin_is_ours(struct str origin, struct str host)
{
    size_t scheme = str_find(origin, STR("://"));
    return scheme != SIZE_MAX && str_eq_fold(str_from(origin, scheme + 3), host);
}

static bool judge_host(struct exchange *x)
{
    const char *host = x->known[H_HOST], *origin = x->known[H_ORIGIN];
    if (!host || !host_is_ours(str_of(host))) {
        reply_error(&x->r, &x->a, 421, CODE_http_host, "cando serve --allow-host NAME takes it",
                    "'%.80s' is no name of this daemon", host ? host : "");
        return false;
    }
    if (origin && !origin_is_ours(str_of(origin), str_of(host))) {
        reply_error(&x->r, &x->a, 403, CODE_http_host, NULL,
                    "a page of %.80s may not ask this daemon", origin);
        return false;
    }
    return true;
}

/* Compared as hashes, all bytes of them: how long it takes tells nothing. */
static bool token_is(struct str given)
{
    unsigned char hash[SHA256_BYTES], differ = 0;
    struct sha256 h;
    sha256_init(&h);
    sha256_put(&h, given.p, given.n);
    sha256_end(&h, hash);
    for (size_t i = 0; i < sizeof hash; i++)
        differ |= hash[i] ^ http.token[i];
    return differ == 0;
}

static bool judge_token(struct exchange *x)
{
    static const char *const headers[] = {"x-api-key", "x-goog-api-key"};
    if (!http.o.token || x->route->flags & OPEN)
        return true;
    const char *v = x->known[H_AUTHORIZATION];
    struct str given = str_of(v);
    if (v && given.n > 7 && str_eq_fold(str_head(given, 7), STR("Bearer ")) &&
        token_is(str_from(given, 7)))
        return true;
    for (size_t i = 0; i < 2; i++)
        if ((v = request_header(&x->r, headers[i])) && token_is(str_of(v)))
            return true;
    reply_header(&x->a, MHD_HTTP_HEADER_WWW_AUTHENTICATE, "Bearer");
    reply_error(&x->r, &x->a, 401, CODE_http_token, "send Authorization: Bearer TOKEN",
                "this daemon wants a token");
    return false;
}

static bool too_large(struct exchange *x)
{
    reply_error(&x->r, &x->a, 413, CODE_http_size, "cando serve --max-body BYTES says otherwise",
                "a body has at most %zu bytes", http.o.body);
    x->a.close = true;
    return false;
}

static bool busy(struct exchange *x, const char *what)
{
    reply_header(&x->a, MHD_HTTP_HEADER_RETRY_AFTER, "1");
    reply_error(&x->r, &x->a, 503, CODE_http_busy, "try again", "there are too many %s", what);
    x->a.close = true;
    return false;
}

static bool judge_body(struct exchange *x)
{
    const char *length = x->known[H_LENGTH], *coding = x->known[H_CODING];
    size_t n = length ? strtoull(length, NULL, 10) : 0;
    bool some = n || x->known[H_TRANSFER];
    if (some && !(x->route->flags & TAKES_BODY)) {
        reply_error(&x->r, &x->a, 400, CODE_http_request, NULL, "%s %.*s takes no body",
                    x->r.method, STR_ARG(str_head(x->r.path, 200)));
        x->a.close = true;
        return false;
    }
    if (some && coding) {
        reply_error(&x->r, &x->a, 415, CODE_http_type, "send it as it is",
                    "a body that is compressed is not taken");
        return false;
    }
    return n <= http.o.body || too_large(x);
}

static bool judge(struct exchange *x)
{
    struct buf allow;
    buf_init_arena(&allow, x->r.ar, 256);
    if (http_connections() > http.o.connections)
        return busy(x, "connections");
    if (!judge_host(x))
        return false;
    x->route = find_route(&x->r, &allow);
    if (!x->route)
        return no_route(x, &allow);
    return judge_token(x) && judge_body(x);
}

/* -- what libmicrohttpd calls ------------------------------------------------------------------ */

static struct exchange *exchange_new(struct MHD_Connection *connection, const char *url,
                                     const char *method)
{
    struct exchange *x = calloc(1, sizeof *x);
    if (!x)
        return NULL;
    x->r = (struct request){.method = method, .path = str_of(url), .x = x};
    x->r.head = strcmp(method, "HEAD") == 0;
    if (x->r.head)
        x->r.method = "GET";
    x->connection = connection;
    x->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, each_known, x);
    x->began = now_ns();
    pthread_mutex_init(&x->lock, NULL);
    buf_init(&x->body, NULL, http.o.body);
    wire_asked(x->fd);
    atomic_init(&x->held, 1);
    atomic_fetch_add(&http.requests, 1);
    return x;
}

static void exchange_drop(struct exchange *x)
{
    if (atomic_fetch_sub(&x->held, 1) != 1)
        return;
    if (x->a.stream)
        x->a.stream->free(x->a.stream);
    if (x->made)
        MHD_destroy_response(x->made);
    atomic_fetch_sub(&http.bodies, x->body.cap);
    buf_free(&x->body);
    if (x->streams)
        buf_free(&x->piece);
    if (x->epoch)
        epoch_drop(x->epoch);
    pthread_mutex_destroy(&x->lock);
    atomic_fetch_sub(&http.requests, 1);
    free(x);
}

static bool take_body(struct exchange *x, const char *data, size_t n)
{
    size_t before = x->body.cap;
    if (x->refused || x->unfit) {
        x->discarded += n;
        return x->discarded < DISCARD;
    }
    if (n > http.o.body - x->body.n)
        x->refused = 413;
    else if (atomic_load(&http.bodies) + n > BODIES_BYTES)
        x->refused = 503;
    else
        buf_put(&x->body, data, n);
    atomic_fetch_add(&http.bodies, x->body.cap - before);
    return !x->body.failed;
}

static void answer(struct exchange *x)
{
    if (x->refused == 413) {
        too_large(x);
        return;
    }
    if (x->refused) {
        busy(x, "bytes that wait for an answer");
        return;
    }
    x->epoch = epoch_hold();
    x->r.engine = x->epoch->engine;
    x->r.body = str_make(x->body.p, x->body.n);
    if (x->body.n > QUICK_BYTES)
        wire_push();
    x->route->answer(&x->r, &x->a);
}

/* A body that is not too long is read even if nobody wants it: so the connection stays. */
static enum MHD_Result begin_exchange(struct exchange *x)
{
    const char *length = x->known[H_LENGTH];
    x->unfit = !judge(x);
    bool at_once = x->unfit && length && strtoull(length, NULL, 10) >= DISCARD;
    return at_once ? send_reply(x) : MHD_YES;
}

static enum MHD_Result end_exchange(struct exchange *x)
{
    x->a = (struct reply){0};
    if (!x->unfit || judge(x))
        answer(x);
    if (x->later)
        return wait_for_answer(x);
    return send_reply(x);
}

static enum MHD_Result handle(void *cls, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data,
                              size_t *size, void **context)
{
    struct exchange *x = *context;
    (void)cls;
    (void)version;
    if (x && *size) {
        size_t n = *size;
        *size = 0;
        return take_body(x, data, n) ? MHD_YES : MHD_NO;
    }
    if (x && x->later)
        return wait_for_answer(x);
    bool first = !x;
    if (first)
        *context = x = exchange_new(connection, url, method);
    struct worker *w = http_worker();
    if (!x || !w)
        return MHD_NO;
    x->r.room = w->room;
    x->r.ar = &w->ar;
    return first ? begin_exchange(x) : end_exchange(x);
}

static void completed(void *cls, struct MHD_Connection *connection, void **context,
                      enum MHD_RequestTerminationCode code)
{
    (void)cls;
    (void)connection;
    (void)code;
    struct exchange *x = *context;
    *context = NULL;
    if (!x)
        return;
    if (x->streams)
        unlist_stream(x);
    wire_reply(x->fd, false, false);
    rest_worker();
    exchange_drop(x);
}

static void connected(void *cls, struct MHD_Connection *connection, void **context,
                      enum MHD_ConnectionNotificationCode code)
{
    int fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    (void)cls;
    (void)context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        atomic_fetch_add(&http.connections, 1);
        wire_open(fd);
        return;
    }
    atomic_fetch_sub(&http.connections, 1);
    wire_close(fd);
}

/* Paths stay as they came. */
static size_t as_it_is(void *cls, struct MHD_Connection *connection, char *text)
{
    (void)cls;
    (void)connection;
    return strlen(text);
}

static void no_log(void *cls, const char *fmt, va_list args)
{
    (void)cls;
    (void)fmt;
    (void)args;
}

bool http_start(const struct http_options *o)
{
    http.o = *o;
    if (o->token) {
        struct sha256 h;
        sha256_init(&h);
        sha256_put(&h, o->token, strlen(o->token));
        sha256_end(&h, http.token);
    }
    if (pthread_key_create(&worker_key, free_worker) != 0 || !init_clock())
        return false;
    struct MHD_OptionItem more[] = {
        {o->threads > 1 ? MHD_OPTION_THREAD_POOL_SIZE : MHD_OPTION_END, (intptr_t)o->threads, NULL},
        {MHD_OPTION_END, 0, NULL},
    };
    http.daemon = MHD_start_daemon(
        MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
        handle, NULL, MHD_OPTION_EXTERNAL_LOGGER, no_log, NULL, MHD_OPTION_LISTEN_SOCKET, o->socket,
        MHD_OPTION_CONNECTION_LIMIT, o->connections + SPARE, MHD_OPTION_CONNECTION_TIMEOUT, o->idle,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES, MHD_OPTION_STRICT_FOR_CLIENT, 1,
        MHD_OPTION_UNESCAPE_CALLBACK, as_it_is, NULL, MHD_OPTION_NOTIFY_COMPLETED, completed, NULL,
        MHD_OPTION_NOTIFY_CONNECTION, connected, NULL, MHD_OPTION_ARRAY, more, MHD_OPTION_END);
    return http.daemon != NULL;
}

static void pause_ms(unsigned ms)
{
    nanosleep(&(struct timespec){.tv_nsec = (long)ms * 1000000}, NULL);
}

void http_stop(unsigned seconds)
{
    uint64_t until = now_ns() + (uint64_t)seconds * 1000000000;
    int socket = MHD_quiesce_daemon(http.daemon);
    if (socket >= 0 && !http.o.given)
        shutdown(socket, SHUT_RDWR); /* nobody is to wait in its queue; the library has it still */
    atomic_store(&http.ending, true);
    http_wake_streams();
    /* a thread that was about to take a connection may still do so */
    for (unsigned calm = 0; calm < CALM && now_ns() < until; pause_ms(5))
        calm = http_requests() || wire_inside() ? 0 : calm + 1;
    while (atomic_load(&http.waiting)) /* the library may not stop while one is suspended */
        pause_ms(5);
    http_wake_streams();
    MHD_stop_daemon(http.daemon);
    stop_clock();
    if (socket >= 0)
        close(socket);
    struct worker *w = pthread_getspecific(worker_key);
    if (w)
        free_worker(w);
    pthread_key_delete(worker_key);
}
