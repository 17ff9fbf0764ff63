#define _GNU_SOURCE
#include "observe.h"

#include "cli/out.h"
#include "cli/trail.h"
#include "epoch.h"
#include "http.h"
#include "json.h"
#include "member.h"
#include "wire.h"

#include "base/instant.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

/* -- the log ----------------------------------------------------------------------------------- */

enum { LOG_BYTES = 64 << 10, LOG_MOST = 4 << 20 };

static struct {
    pthread_mutex_t lock;
    const char *path;
    int fd; /* -1: there is no log */
    bool cost_names;
    struct buf lines;
    uint64_t lost;
} log_file = {.lock = PTHREAD_MUTEX_INITIALIZER, .fd = -1};

static int open_log(const char *path)
{
    if (strcmp(path, "-") == 0)
        return STDOUT_FILENO;
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY, 0600);
}

/* A member, unless there is nothing to say. */
static void put_member(struct buf *b, const char *name, const char *value)
{
    if (!value)
        return;
    buf_printf(b, ",\"%s\":", name);
    json_text(b, value);
}

static void put_line(struct buf *b, const struct request *r, const struct reply *a, uint64_t ns)
{
    char time[INSTANT_TEXT];
    buf_printf(b, "{\"time\":\"%s\",\"http.request.method\":\"%s\",\"url.path\":",
               instant_text(trail_now(), time).p, r->head ? "HEAD" : r->method);
    json_str(b, str_head(r->path, 512));
    buf_printf(b, ",\"http.response.status_code\":%u,\"duration_us\":%ju", a->status,
               (uintmax_t)(ns / 1000));
    buf_printf(b, ",\"http.request.body.size\":%zu", r->body.n);
    if (!a->stream)
        buf_printf(b, ",\"http.response.body.size\":%zu", a->body.n);
    put_member(b, "cando.op", a->op);
    put_member(b, "cando.verdict", a->verdict);
    put_member(b, "error.type", a->code);
    put_member(b, "gen_ai.provider.name", a->provider);
    put_member(b, "gen_ai.request.model", a->model);
    if (log_file.cost_names)
        put_member(b, "gen_ai.usage.cost", a->cost);
    buf_putz(b, "}\n");
}

/* Inside of the lock. What cannot be written is dropped and counted: an answer never waits. */
static void write_lines(void)
{
    size_t at = 0;
    while (at < log_file.lines.n) {
        ssize_t n = write(log_file.fd, log_file.lines.p + at, log_file.lines.n - at);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            log_file.lost++;
            break;
        }
        at += (size_t)n;
    }
    buf_clear(&log_file.lines);
}

static void log_reply(const struct request *r, const struct reply *a, uint64_t ns)
{
    if (log_file.fd < 0)
        return;
    pthread_mutex_lock(&log_file.lock);
    put_line(&log_file.lines, r, a, ns);
    if (log_file.lines.n >= LOG_BYTES)
        write_lines();
    pthread_mutex_unlock(&log_file.lock);
}

void observe_flush(void)
{
    if (log_file.fd < 0)
        return;
    pthread_mutex_lock(&log_file.lock);
    write_lines();
    pthread_mutex_unlock(&log_file.lock);
}

void observe_reopen(void)
{
    if (log_file.fd < 0 || strcmp(log_file.path, "-") == 0)
        return;
    int fd = open_log(log_file.path);
    pthread_mutex_lock(&log_file.lock);
    write_lines();
    if (fd >= 0) {
        close(log_file.fd);
        log_file.fd = fd;
    }
    pthread_mutex_unlock(&log_file.lock);
}

/* -- the numbers --
 *
 * A series is a route or operation with its status, verdict and provider; the table is filled
 * without a lock, and what does not fit counts as "other". */

enum { SERIES = 1024, NAMES = 256, BUCKETS = 14 };

static const double bounds[BUCKETS] = {0.00001, 0.000025, 0.00005, 0.0001, 0.00025, 0.0005, 0.001,
                                       0.0025,  0.005,    0.01,    0.025,  0.05,    0.25,   1};

struct series {
    _Atomic uint64_t key; /* name + 1, status, verdict, provider; 0: free */
    _Atomic uint64_t count;
};

static struct {
    struct series of[SERIES];
    _Atomic uint64_t bucket[BUCKETS + 1], ns, other;
    pthread_mutex_t lock; /* of the names */
    _Atomic(const char *) name[NAMES];
    _Atomic uint32_t n_names;
} numbers = {.lock = PTHREAD_MUTEX_INITIALIZER};

static uint32_t find_name(const char *text, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (strcmp(atomic_load(&numbers.name[i]), text) == 0)
            return i;
    return n;
}

/* The number of a text; 0 is none. Texts are known ones: routes, operations, verdicts, providers
 * of the catalog. */
static uint32_t number_of(const char *text)
{
    if (!text)
        return 0;
    uint32_t n = atomic_load(&numbers.n_names), i = find_name(text, n);
    if (i < n)
        return i + 1;
    pthread_mutex_lock(&numbers.lock);
    n = atomic_load(&numbers.n_names);
    i = find_name(text, n);
    char *own = i == n && n < NAMES ? strdup(text) : NULL;
    if (own) {
        atomic_store(&numbers.name[n], own);
        atomic_store(&numbers.n_names, n + 1);
    }
    pthread_mutex_unlock(&numbers.lock);
    return i < n || own ? i + 1 : 0;
}

static void count(uint64_t key)
{
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 54) % SERIES;
    for (size_t i = 0; i < SERIES; i++, at = (at + 1) % SERIES) {
        struct series *s = &numbers.of[at];
        uint64_t was = atomic_load_explicit(&s->key, memory_order_relaxed);
        if (was == 0 && atomic_compare_exchange_strong(&s->key, &was, key))
            was = key;
        if (was != key)
            continue;
        atomic_fetch_add_explicit(&s->count, 1, memory_order_relaxed);
        return;
    }
    atomic_fetch_add(&numbers.other, 1);
}

/* A provider is a label only if the catalog knows it: a client cannot make up series. */
static const char *known_provider(const struct request *r, const char *name)
{
    cando_profile p;
    size_t n = name ? strlen(name) : 0;
    uint32_t names = atomic_load(&numbers.n_names);
    if (!n || !r->engine)
        return NULL;
    if (find_name(name, names) < names)
        return name;
    const cando_catalog *c = cando_get_catalog(r->engine);
    bool known = cando_resolve_parts(c, name, n, "?", 1, CANDO_AS_WRITTEN, &p, NULL) == CANDO_OK &&
                 p.provider != UINT32_MAX;
    cando_catalog_release(c);
    return known ? name : NULL;
}

void observe_reply(const struct request *r, const struct reply *a, uint64_t ns)
{
    bool known = a->status == 200 || a->status == 400; /* then there is such an operation */
    const char *what = a->op && known ? a->op : request_route(r);
    uint64_t key = (uint64_t)(number_of(what) + 1) | (uint64_t)a->status << 16 |
                   (uint64_t)number_of(a->verdict) << 32 |
                   (uint64_t)number_of(known_provider(r, a->provider)) << 48;
    size_t i = 0;
    while (i < BUCKETS && (double)ns * 1e-9 > bounds[i])
        i++;
    count(key);
    atomic_fetch_add_explicit(&numbers.bucket[i], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&numbers.ns, ns, memory_order_relaxed);
    log_reply(r, a, ns);
}

static const char *name_of(uint64_t number)
{
    return number ? atomic_load(&numbers.name[number - 1]) : "";
}

static void put_head(struct buf *b, const char *name, const char *type, const char *help)
{
    buf_printf(b, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void put_series(struct buf *b)
{
    put_head(b, "cando_requests_total", "counter",
             "Replies by operation or route, status, verdict and provider.");
    for (size_t i = 0; i < SERIES; i++) {
        uint64_t key = atomic_load(&numbers.of[i].key);
        if (!key)
            continue;
        buf_printf(b,
                   "cando_requests_total{op=\"%s\",http_response_status_code=\"%u\",verdict=\"%s\","
                   "gen_ai_provider_name=\"%s\"} %ju\n",
                   name_of((key & 0xffff) - 1), (unsigned)(key >> 16 & 0xffff),
                   name_of(key >> 32 & 0xffff), name_of(key >> 48),
                   (uintmax_t)atomic_load(&numbers.of[i].count));
    }
}

static void put_histogram(struct buf *b)
{
    uint64_t sum = 0;
    put_head(b, "http_server_request_duration_seconds", "histogram",
             "From the end of a request's head to its reply.");
    for (size_t i = 0; i < BUCKETS; i++) {
        sum += atomic_load(&numbers.bucket[i]);
        buf_printf(b, "http_server_request_duration_seconds_bucket{le=\"%g\"} %ju\n", bounds[i],
                   (uintmax_t)sum);
    }
    sum += atomic_load(&numbers.bucket[BUCKETS]);
    buf_printf(b,
               "http_server_request_duration_seconds_bucket{le=\"+Inf\"} %ju\n"
               "http_server_request_duration_seconds_sum %.9f\n"
               "http_server_request_duration_seconds_count %ju\n",
               (uintmax_t)sum, (double)atomic_load(&numbers.ns) * 1e-9, (uintmax_t)sum);
}

static void put_number(struct buf *b, const char *name, const char *type, const char *help,
                       uint64_t n)
{
    put_head(b, name, type, help);
    buf_printf(b, "%s %ju\n", name, (uintmax_t)n);
}

static void put_catalog(struct buf *b)
{
    struct epoch_state s;
    struct epoch *e = epoch_hold();
    struct instant day;
    uint64_t ms;
    epoch_state(&s);
    put_head(b, "cando_catalog_info", "gauge", "The catalog in force, by its hash.");
    buf_printf(b, "cando_catalog_info{hash=\"%016jx\",newest=\"%s\",version=\"%s\"} 1\n",
               (uintmax_t)e->hash, e->newest, cando_version());
    if (instant_parse(str_of(e->newest), &day) && instant_to_ms(&day, &ms))
        put_number(b, "cando_catalog_age_seconds", "gauge",
                   "Since the last day of the catalog's facts.", (trail_now() - ms) / 1000);
    put_number(b, "cando_catalog_epoch", "gauge", "How often a catalog came into force.",
               e->number);
    epoch_drop(e);
    put_number(b, "cando_reloads_total", "counter", "Reloads that succeeded.", s.reloads);
    put_number(b, "cando_reload_failures_total", "counter", "Reloads that did not.", s.failures);
    put_number(b, "cando_reload_broken", "gauge", "Are the files on disk broken?", s.broken);
}

static void put_fleet(struct buf *b)
{
    struct fleet_state f;
    if (!member_state(&f))
        return;
    put_number(b, "cando_fleet_connected", "gauge", "Can the fleet be reached?", f.connected);
    put_number(b, "cando_fleet_unsent", "gauge", "Records that wait here for the fleet.", f.unsent);
    put_number(b, "cando_fleet_sent", "gauge", "The last record that the fleet has.", f.sent);
    put_number(b, "cando_fleet_batches_total", "counter", "Messages that carried records.",
               f.batches);
    put_number(b, "cando_fleet_looks_total", "counter", "Looks for what others have changed.",
               f.looks);
    put_number(b, "cando_fleet_overlays", "gauge", "Overlays of the fleet that are in force.",
               f.overlays);
}

void route_metrics(struct request *r, struct reply *a)
{
    struct buf b;
    buf_init_arena(&b, r->ar, 4u << 20);
    put_series(&b);
    put_histogram(&b);
    put_number(&b, "cando_connections", "gauge", "Connections that are open.", http_connections());
    put_number(&b, "http_server_active_requests", "gauge", "Requests that are being answered.",
               http_requests());
    put_number(&b, "cando_refused_total", "counter", "Connections that sent no good HTTP.",
               wire_refused());
    put_number(&b, "cando_slow_total", "counter", "Connections that were too slow.", wire_slow());
    put_number(&b, "cando_log_lost_total", "counter", "Times that the log could not be written.",
               log_file.lost);
    put_catalog(&b);
    put_fleet(&b);
    a->body = b.failed ? STR_NONE : str_make(b.p, b.n);
    a->type = "text/plain; version=0.0.4; charset=utf-8";
}

bool observe_start(const char *path, bool cost_names)
{
    log_file.cost_names = cost_names;
    buf_init(&log_file.lines, NULL, LOG_MOST);
    if (!path)
        return true;
    log_file.path = path;
    log_file.fd = open_log(path);
    if (log_file.fd >= 0)
        return true;
    fail_with(CANDO_BAD_INPUT, CODE_io, NULL, "cannot write the log %s: %s", path, strerror(errno));
    return false;
}

void observe_stop(void)
{
    observe_flush();
    if (log_file.fd >= 0 && strcmp(log_file.path, "-") != 0)
        close(log_file.fd);
    log_file.fd = -1;
    buf_free(&log_file.lines);
    for (uint32_t i = 0; i < atomic_load(&numbers.n_names); i++)
        free((char *)atomic_load(&numbers.name[i]));
    atomic_store(&numbers.n_names, 0);
}
