#define _GNU_SOURCE
#include "record.h"

#include "cli/trail.h"
#include "epoch.h"
#include "events.h"
#include "http.h"
#include "json.h"
#include "member.h"

#include "base/instant.h"
#include "base/limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

enum { JOB_EVENTS = 10000, JOB_BYTES = 32 << 20, LOOK_SECONDS = 30, BUSY_MS = 2000 };

/* What one request brought. */
struct job {
    struct job *next;
    struct request *r; /* NULL: from other nodes, and recorded there */
    struct buf texts; /* of its events, a line each */
    size_t n;
    struct buf reply; /* if all goes well */
    bool learnt;      /* what it brought changes answers */
};

static struct {
    pthread_mutex_t lock;
    pthread_cond_t come;
    pthread_t thread;
    bool runs, ends;
    struct job *first, **last;
    /* the writer's own */
    cando_store *store;
    cando_observations *observed;
    cando_room *room;
    char path[4096];
} rec = {.lock = PTHREAD_MUTEX_INITIALIZER, .come = PTHREAD_COND_INITIALIZER, .last = &rec.first};

/* -- jobs -------------------------------------------------------------------------------------- */

static struct job *job_new(struct request *r)
{
    struct job *j = calloc(1, sizeof *j);
    if (!j)
        return NULL;
    j->r = r;
    buf_init(&j->texts, NULL, JOB_BYTES);
    buf_init(&j->reply, NULL, JOB_BYTES);
    return j;
}

static void job_free(struct job *j)
{
    buf_free(&j->texts);
    buf_free(&j->reply);
    free(j);
}

/* A subscriber: the event's text is one more of the job's. */
static void job_take(void *user, const cando_event *e)
{
    struct job *j = user;
    char *text;
    size_t n;
    if (cando_event_encode(e, NULL, &text, &n, NULL) != CANDO_OK) {
        j->texts.failed = true;
        return;
    }
    buf_put(&j->texts, text, n);
    buf_putc(&j->texts, '\n');
    cando_event_free_text(NULL, text, n);
    j->n++;
}

static void job_queue(struct job *j)
{
    if (j->r)
        request_later(j->r);
    pthread_mutex_lock(&rec.lock);
    *rec.last = j;
    rec.last = &j->next;
    pthread_cond_signal(&rec.come);
    pthread_mutex_unlock(&rec.lock);
}

/* Queues it, unless it could not be put together. */
static void job_end(struct job *j, struct reply *a)
{
    struct request *r = j->r;
    if (!j->texts.failed && !j->reply.failed) {
        job_queue(j);
        return;
    }
    job_free(j);
    reply_error(r, a, 503, CODE_memory, NULL, "there is no memory for the records");
}

static bool has_store(struct request *r, struct reply *a)
{
    if (rec.store)
        return true;
    reply_error(r, a, 404, CODE_audit_store, "cando serve --store FILE gives it one",
                "this daemon has no audit trail");
    return false;
}

/* -- POST /audit ------------------------------------------------------------------------------- */

static bool add_event(struct job *j, const cando_event *e, cando_error *err)
{
    if (e->kind >= CANDO_EVENT_RETENTION) {
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "'%s' is said by a store alone",
                  cando_event_kind_name(e->kind));
        return false;
    }
    job_take(j, e);
    j->learnt |= e->kind == CANDO_EVENT_OBSERVATION;
    return true;
}

/* A line is an event, a diagnostic, or the reply of `negotiate` around that. */
static bool add_line(struct job *j, struct str line, cando_error *err)
{
    struct request *r = j->r;
    const char *session = request_query(r, "session"), *change = request_query(r, "change");
    cando_event e;
    cando_error other;
    cando_room_clear(r->room);
    if (cando_event_decode(line.p, line.n, r->room, &e, err) == CANDO_OK)
        return add_event(j, &e, err);
    const cando_negotiate_answer *d = cando_negotiate_read(line.p, line.n, r->room, &other);
    if (!d && str_find(line, STR("\"kind\"")) == SIZE_MAX)
        *err = other;
    cando_events *events = d ? cando_events_new(NULL, err) : NULL;
    bool ok = events && cando_events_subscribe(events, CANDO_EVERY_EVENT, job_take, j, err) &&
              cando_events_diagnostic(events, CANDO_EVENT_SWITCH, trail_now(), session,
                                      change ? change : "switch", d, err) == CANDO_OK;
    cando_events_free(events);
    return ok;
}

void route_audit(struct request *r, struct reply *a)
{
    cando_error err;
    size_t number = 0;
    a->op = "audit";
    if (!has_store(r, a))
        return;
    struct job *j = job_new(r);
    for (struct str left = r->body; j && left.n;) {
        struct str line = str_head(left, str_find_char(left, '\n'));
        left = str_from(left, line.n + 1);
        number++;
        if (!line.n || (line.n == 1 && line.p[0] == '\r'))
            continue;
        if (j->n < JOB_EVENTS && add_line(j, line, &err))
            continue;
        if (j->n >= JOB_EVENTS)
            error_set(&err, CANDO_BAD_QUESTION, CODE_too_long, "more than %d records", JOB_EVENTS);
        reply_error(r, a, 400, code_find(str_of(err.code)), "nothing of this request was stored",
                    "line %zu: %s", number, err.message);
        job_free(j);
        return;
    }
    if (!j) {
        reply_error(r, a, 503, CODE_memory, NULL, "there is no memory for the records");
        return;
    }
    buf_printf(&j->reply, "{\"id\":null,\"ok\":true,\"result\":{\"stored\":%zu}}\n", j->n);
    job_end(j, a);
}

/* -- POST /learn ------------------------------------------------------------------------------- */

/* The members of a question that has been found to be a good one. */
static bool read_question(struct request *r, cando_learn_question *q, struct str *id,
                          cando_error *err)
{
    struct str key, value;
    for (size_t at = 0; object_next(r->body, &at, &key, &value);) {
        if (str_is(key, "op"))
            continue;
        if (str_is(key, "id")) {
            *id = value;
            continue;
        }
        const char *name = str_dup(r->ar, key).p;
        if (!name || cando_decode("learn", name, value.p, value.n, r->room, q, err) != CANDO_OK)
            return false;
    }
    return true;
}

static void learn(struct job *j, const cando_learn_answer *answer, uint64_t now)
{
    for (size_t i = 0; i < answer->n_observations; i++) {
        cando_event e = trail_event(&answer->observations[i], now);
        job_take(j, &e);
    }
    j->learnt = j->n > 0;
}

void route_learn(struct request *r, struct reply *a)
{
    cando_learn_question q = {0};
    cando_bytes text;
    cando_error err;
    char now[INSTANT_TEXT];
    uint64_t ms = trail_now();
    struct str id = STR("null");
    a->op = "learn";
    if (!has_store(r, a))
        return;
    if (cando_call_op(r->engine, "learn", r->body.p ? r->body.p : "", r->body.n, r->room, &text,
                      &err) != CANDO_OK) {
        a->status = text.p ? 400 : 503;
        a->code = code_name(code_find(str_of(err.code)));
        a->body = str_make(text.p, text.n);
        return;
    }
    bool ok = read_question(r, &q, &id, &err);
    q.now = instant_text(ms, now).p;
    const cando_learn_answer *answer = ok ? cando_ask_learn(r->engine, &q, r->room, &err) : NULL;
    struct job *j = answer ? job_new(r) : NULL;
    if (!j || cando_encode("learn", answer, r->room, &text, &err) != CANDO_OK) {
        if (j)
            job_free(j);
        reply_error(r, a, answer ? 503 : 400, answer ? CODE_memory : code_find(str_of(err.code)),
                    err.hint[0] ? err.hint : NULL, "%s",
                    answer ? "there is no memory for the answer" : err.message);
        return;
    }
    learn(j, answer, ms);
    buf_putz(&j->reply, "{\"id\":");
    buf_puts(&j->reply, id);
    buf_putz(&j->reply, ",\"ok\":true,\"result\":");
    buf_put(&j->reply, text.p, text.n);
    buf_putz(&j->reply, "}\n");
    job_end(j, a);
}

/* -- the writer -------------------------------------------------------------------------------- */

/* Calls fn for each event of a job. */
static cando_status each_event(struct job *j,
                               cando_status (*fn)(const cando_event *e, cando_error *err),
                               cando_error *err)
{
    cando_event e;
    cando_status st = CANDO_OK;
    for (struct str left = str_make(j->texts.p, j->texts.n); left.n && st == CANDO_OK;) {
        struct str line = str_head(left, str_find_char(left, '\n'));
        left = str_from(left, line.n + 1);
        cando_room_clear(rec.room);
        st = cando_event_decode(line.p, line.n, rec.room, &e, err);
        if (st == CANDO_OK)
            st = fn(&e, err);
    }
    return st;
}

static cando_status append(const cando_event *e, cando_error *err)
{
    return rec.store->ops->append(rec.store, e, 1, err);
}

static cando_status observe(const cando_event *e, cando_error *err)
{
    if (e->kind == CANDO_EVENT_OBSERVATION)
        trail_observe(rec.observed, e, err);
    return CANDO_OK;
}

static cando_status publish(const cando_event *e, cando_error *err)
{
    observe(e, err);
    events_tell(e);
    return CANDO_OK;
}

static void finish(struct job *j, bool stored, const cando_error *err)
{
    struct reply a = {.op = j->learnt ? "learn" : "audit"};
    char text[1200];
    a.body = str_make(j->reply.p, j->reply.n);
    if (!stored) {
        struct buf b;
        buf_init_lent(&b, text, sizeof text);
        buf_printf(&b, "{\"id\":null,\"ok\":false,\"error\":{\"code\":\"%s\",\"message\":",
                   code_name(CODE_audit_store));
        json_text(&b, err->message);
        buf_putz(&b, ",\"hint\":\"what was sent is tried again; send it again to be sure\"}}\n");
        a.status = 503;
        a.code = code_name(CODE_audit_store);
        a.body = str_make(b.p, b.n);
    }
    if (j->r)
        request_finish(j->r, &a);
    job_free(j);
}

/* What has been observed, as rules over all others. */
static bool put_in_force(bool reload)
{
    const char *text = "";
    size_t n = 0;
    cando_error err;
    cando_observations_expire(rec.observed, trail_now());
    if (cando_observations_count(rec.observed) &&
        cando_observations_rules(rec.observed, trail_now(), &text, &n, &err) != CANDO_OK) {
        fail(&err);
        return false;
    }
    return epoch_observe(str_make(text, n), reload);
}

void record_observed(cando_bytes lines)
{
    struct job *j = rec.store ? job_new(NULL) : NULL;
    cando_error err;
    if (!j)
        return;
    buf_put(&j->texts, lines.p, lines.n);
    j->learnt = true;
    pthread_mutex_lock(&rec.lock);
    bool runs = rec.runs, ends = rec.ends;
    pthread_mutex_unlock(&rec.lock);
    if (runs && !ends) {
        job_queue(j);
        return;
    }
    if (!ends) { /* the first of all, before there is anybody to tell */
        each_event(j, observe, &err);
        put_in_force(false);
    }
    job_free(j);
}

static void write_batch(struct job *first)
{
    cando_error err = {0};
    bool learnt = false, ok = true;
    for (struct job *j = first; j; j = j->next)
        if (j->r && each_event(j, append, &err) != CANDO_OK)
            ok = false;
    ok = rec.store->ops->flush(rec.store, &err) == CANDO_OK && ok;
    if (ok)
        member_wake();
    else
        fail(&err);
    struct job *wait = NULL;
    while (first) {
        struct job *j = first;
        bool good = ok || !j->r;
        first = j->next;
        if (good)
            each_event(j, publish, &err);
        learnt |= good && j->learnt;
        if (good && j->learnt) {
            j->next = wait;
            wait = j;
        } else {
            finish(j, ok, &err);
        }
    }
    if (learnt)
        put_in_force(true);
    while (wait) {
        struct job *j = wait;
        wait = j->next;
        finish(j, true, &err);
    }
}

/* All that waits. Without any for a while: what has expired is put out of force. */
static struct job *take_all(bool *ends)
{
    struct timespec until;
    int late = 0;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += LOOK_SECONDS;
    pthread_mutex_lock(&rec.lock);
    while (!rec.first && !rec.ends && !late)
        late = pthread_cond_timedwait(&rec.come, &rec.lock, &until);
    struct job *first = rec.first;
    rec.first = NULL;
    rec.last = &rec.first;
    *ends = rec.ends;
    pthread_mutex_unlock(&rec.lock);
    return first;
}

static void *run_writer(void *unused)
{
    bool ends = false;
    (void)unused;
    for (;;) {
        struct job *first = take_all(&ends);
        if (first)
            write_batch(first);
        else if (ends)
            return NULL;
        else if (cando_observations_expire(rec.observed, trail_now()))
            put_in_force(true);
    }
}

/* -- starting and stopping --------------------------------------------------------------------- */

int record_start(const char *path)
{
    const cando_store_options options = {.create = true, .busy_ms = BUSY_MS, .batch = 4096};
    cando_error err;
    int code = EXIT_YES;
    if (!path)
        return EXIT_YES;
    snprintf(rec.path, sizeof rec.path, "%s", path);
    unsetenv("CANDO_STORE"); /* what it has observed comes from here */
    rec.store = cando_store_open(rec.path, &options, NULL, &err);
    if (!rec.store) {
        fail(&err);
        return EXIT_INPUT;
    }
    rec.room = cando_room_new(NULL, NULL);
    rec.observed = trail_observations(rec.path, &code);
    if (!rec.room || !rec.observed)
        return code == EXIT_YES ? fail_memory() : code;
    return put_in_force(false) ? EXIT_YES : EXIT_INTERNAL;
}

bool record_run(void)
{
    if (!rec.store)
        return true;
    pthread_mutex_lock(&rec.lock);
    rec.runs = pthread_create(&rec.thread, NULL, run_writer, NULL) == 0;
    pthread_mutex_unlock(&rec.lock);
    return rec.runs;
}

void record_stop(void)
{
    if (rec.runs) {
        pthread_mutex_lock(&rec.lock);
        rec.ends = true;
        pthread_cond_signal(&rec.come);
        pthread_mutex_unlock(&rec.lock);
        pthread_join(rec.thread, NULL);
    }
    if (rec.store)
        rec.store->ops->close(rec.store);
    cando_observations_free(rec.observed);
    cando_room_free(rec.room);
    rec.store = NULL;
}
