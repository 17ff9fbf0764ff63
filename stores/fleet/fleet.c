/*
 * fleet.c - a node at work: one thread does what node.c says is next, against the cluster.
 *
 * Nobody waits for this thread. Who has written to the trail tells it so (fleet_wake), threads of
 * libnats tell it that a key may have changed, and both only set a flag.
 */
#define _POSIX_C_SOURCE 200809L
#include "fleet_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { LOOK_AT_TRAIL = 1000 }; /* milliseconds: others may write to it, too */

uint64_t fleet_clock(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

void fleet_say(fleet *f, const char *fmt, ...)
{
    char line[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    if (f->hooks.say)
        f->hooks.say(line);
}

/* -- steps ------------------------------------------------------------------------------------- */

uint64_t record_number(struct str line)
{
    struct str begin = STR("{\"n\":");
    uint64_t n = 0;
    if (!str_starts(line, begin))
        return 0;
    for (size_t i = begin.n; i < line.n && char_is_digit(line.p[i]); i++) {
        if (n > UINT64_MAX / 16)
            return 0;
        n = n * 10 + (uint64_t)(line.p[i] - '0');
    }
    return n;
}

static struct str last_line(struct str text)
{
    if (text.n && text.p[text.n - 1] == '\n')
        text.n--;
    size_t at = text.n;
    while (at && text.p[at - 1] != '\n')
        at--;
    return str_from(text, at);
}

static void audit_subject(const fleet *f, char out[128])
{
    snprintf(out, 128, LINK_AUDIT_SUBJECT "%s", f->outbox.node);
}

/* What the stream has last of this node is where it goes on, whatever the file says: an answer
 * may have got lost. If the trail has no such record, it is not the trail that was sent. */
static enum node_result sync_up(fleet *f)
{
    struct link_message m = {.data = &f->value};
    struct outbox *o = &f->outbox;
    char subject[128];
    cando_chain there = {0};
    audit_subject(f, subject);
    enum node_result r = link_last(f->link, LINK_AUDIT, subject, &m);
    if (r == NODE_NOTHING) { /* nothing was sent, or the stream has dropped it as too old */
        o->seq = 0;
        return NODE_DONE;
    }
    if (r != NODE_DONE)
        return r;
    struct str line = last_line(str_make(f->value.p, f->value.n));
    there.n = record_number(line);
    if (there.n)
        sha256_of(line.p, line.n, there.hash);
    if (!there.n || !outbox_has(o, there.n, there.hash)) {
        fleet_say(f, "the trail is not the one that node %s has sent: a new node begins", o->node);
        outbox_renew(o);
        return NODE_DONE;
    }
    outbox_sent(o, &there, m.seq);
    return NODE_DONE;
}

static enum node_result share_observations(fleet *f)
{
    enum node_result r = NODE_DONE;
    for (struct str left = str_make(f->lines.p, f->lines.n); left.n && r == NODE_DONE;) {
        struct str line = str_head(left, str_find_char(left, '\n'));
        left = str_from(left, line.n + 1);
        if (str_find(line, STR("\"kind\":\"observation\"")) != SIZE_MAX)
            r = shared_observe(f, line);
    }
    return r == NODE_CONFLICT ? NODE_REFUSED : r;
}

static enum node_result send_batch(fleet *f)
{
    struct outbox *o = &f->outbox;
    cando_chain end;
    char subject[128], id[128];
    uint64_t seq = 0, first = o->sent.n + 1;
    if (!outbox_batch(o, link_room(f->link), &f->lines, &end)) {
        o->trying = 0; /* of a batch that can no longer be made */
        f->why = "the trail cannot be read";
        return NODE_REFUSED;
    }
    outbox_trying(o, end.n);
    enum node_result r = share_observations(f);
    if (r != NODE_DONE)
        return r;
    audit_subject(f, subject);
    snprintf(id, sizeof id, "%s:%ju-%ju", o->node, (uintmax_t)first, (uintmax_t)end.n);
    r = link_put(f->link, subject, id, o->seq, f->lines.p, f->lines.n, &seq);
    if (r == NODE_DONE)
        outbox_sent(o, &end, seq);
    else if (r == NODE_REFUSED) /* it is nowhere, and may be made otherwise */
        outbox_trying(o, 0);
    return r;
}

/* Something that went wrong is said once. */
static void tell(fleet *f, struct node_step s, enum node_result r)
{
    char problem[LINK_PROBLEM] = "";
    bool bad = r == NODE_REFUSED || r == NODE_SILENT || r == NODE_CUT;
    if (bad)
        link_problem(f->link, problem);
    if (bad && f->why)
        snprintf(problem, sizeof problem, "%s", f->why);
    f->why = NULL;
    if (!bad && f->outbox.failed)
        snprintf(problem, sizeof problem, "%.120s cannot be written", f->outbox.path);
    if (s.act == NODE_CONNECT && r == NODE_DONE)
        fleet_say(f, "node %s is connected to the fleet", f->outbox.node);
    if (problem[0] && strcmp(problem, f->said) != 0)
        fleet_say(f, "the fleet: %s%s", problem, bad ? "; what there is to send waits" : "");
    unsigned of = s.act == NODE_LOOK ? 1 + s.bucket : 0; /* what helps against one, not the other */
    if (problem[0] || f->said_of == of) {
        memcpy(f->said, problem, sizeof f->said);
        f->said_of = of;
    }
    pthread_mutex_lock(&f->lock);
    snprintf(f->state.problem, sizeof f->state.problem, "%s", f->said);
    pthread_mutex_unlock(&f->lock);
}

static enum node_result carry_out(fleet *f, struct node_step s)
{
    switch (s.act) {
    case NODE_CONNECT:
        memset(f->doubt, true, sizeof f->doubt);
        return link_connect(f->link);
    case NODE_SYNC:
        return sync_up(f);
    case NODE_SEND:
        return send_batch(f);
    default:
        return shared_look(f, s.bucket);
    }
}

static uint64_t unsent(const fleet *f)
{
    return f->node.newest > f->node.sent ? f->node.newest - f->node.sent : 0;
}

static void count(fleet *f, struct node_step s, enum node_result r)
{
    const struct node *n = &f->node;
    pthread_mutex_lock(&f->lock);
    f->state.connected = n->connected;
    f->state.sent = n->sent;
    f->state.unsent = unsent(f);
    f->state.batches += s.act == NODE_SEND && r == NODE_DONE;
    f->state.looks += s.act == NODE_LOOK;
    memcpy(f->state.node, f->outbox.node, sizeof f->state.node);
    pthread_mutex_unlock(&f->lock);
}

/* -- turns ------------------------------------------------------------------------------------- */

static void wait_until(fleet *f, uint64_t until)
{
    struct timespec t;
    t.tv_sec = (time_t)(until / 1000);
    t.tv_nsec = (long)(until % 1000) * 1000000;
    pthread_mutex_lock(&f->lock);
    bool now = f->wakes != f->heard;
    for (unsigned b = 0; b < NODE_BUCKETS; b++)
        now |= f->hint[b];
    if (!now)
        pthread_cond_timedwait(&f->come, &f->lock, &t);
    pthread_mutex_unlock(&f->lock);
}

static void take_words(fleet *f, uint64_t now)
{
    bool hint[NODE_BUCKETS];
    uint64_t newest, wakes;
    pthread_mutex_lock(&f->lock);
    memcpy(hint, f->hint, sizeof hint);
    memset(f->hint, 0, sizeof f->hint);
    wakes = f->wakes;
    bool woke = wakes != f->heard;
    pthread_mutex_unlock(&f->lock);
    for (unsigned b = 0; b < NODE_BUCKETS; b++)
        if (hint[b]) {
            f->doubt[b] = true;
            node_hint(&f->node, b, now);
        }
    if (!woke && now - f->looked < LOOK_AT_TRAIL)
        return;
    f->looked = now;
    if (outbox_newest(&f->outbox, &newest))
        node_spool(&f->node, newest, now);
    pthread_mutex_lock(&f->lock);
    f->heard = wakes;
    f->state.unsent = unsent(f);
    pthread_mutex_unlock(&f->lock);
}

void fleet_turn(fleet *f, uint64_t latest)
{
    uint64_t now = fleet_clock();
    take_words(f, now);
    if (f->node.connected && link_is_cut(f->link))
        node_cut(&f->node, now);
    struct node_step s = node_next(&f->node, now);
    if (s.act == NODE_WAIT) {
        uint64_t until = s.until < latest ? s.until : latest;
        count(f, s, NODE_NOTHING);
        wait_until(f, until < now + LOOK_AT_TRAIL ? until : now + LOOK_AT_TRAIL);
        return;
    }
    enum node_result r = carry_out(f, s);
    node_end(&f->node, s, r, f->outbox.sent.n, fleet_clock());
    if (!f->node.connected)
        link_disconnect(f->link);
    tell(f, s, r);
    count(f, s, r);
}

static void *run(void *user)
{
    fleet *f = user;
    for (bool ends = false; !ends;) {
        fleet_turn(f, UINT64_MAX);
        pthread_mutex_lock(&f->lock);
        ends = f->ends && f->wakes == f->heard && (!f->state.connected || !f->state.unsent);
        pthread_mutex_unlock(&f->lock);
    }
    pthread_mutex_lock(&f->lock);
    f->done = true;
    pthread_cond_broadcast(&f->come);
    pthread_mutex_unlock(&f->lock);
    return NULL;
}

static void take_hint(void *ctx, enum node_bucket b)
{
    fleet *f = ctx;
    pthread_mutex_lock(&f->lock);
    f->hint[b] = true;
    pthread_cond_broadcast(&f->come);
    pthread_mutex_unlock(&f->lock);
}

/* -- opening and closing ----------------------------------------------------------------------- */

static void fleet_free(fleet *f)
{
    link_free(f->link);
    outbox_close(&f->outbox);
    shared_free(&f->shared);
    cando_room_free(f->room);
    buf_free(&f->lines);
    buf_free(&f->value);
    pthread_cond_destroy(&f->come);
    pthread_mutex_destroy(&f->lock);
    free(f);
}

fleet *fleet_open(const struct fleet_options *o, const char *store, const struct fleet_hooks *h,
                  cando_error *err)
{
    fleet *f = calloc(1, sizeof *f);
    pthread_condattr_t clock;
    if (!f) {
        error_memory(err);
        return NULL;
    }
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&f->come, &clock);
    pthread_condattr_destroy(&clock);
    pthread_mutex_init(&f->lock, NULL);
    f->hooks = *h;
    buf_init(&f->lines, NULL, 4 * LINK_VALUE_MOST);
    buf_init(&f->value, NULL, LINK_VALUE_MOST);
    f->room = cando_room_new(NULL, err);
    cando_status st = f->room ? outbox_open(&f->outbox, store, err) : CANDO_INTERNAL;
    if (st == CANDO_OK)
        f->link = link_new(o, f->outbox.node, err);
    if (!f->link) {
        fleet_free(f);
        return NULL;
    }
    if (f->outbox.renewed)
        fleet_say(f, "the trail is not the one that was sent from: a new node begins");
    link_on_hint(f->link, take_hint, f);
    uint64_t now = fleet_clock();
    node_init(&f->node, str_hash(str_of(f->outbox.node), 1), now);
    f->node.sent = f->node.newest = f->outbox.sent.n;
    f->wakes = 1;
    memcpy(f->state.node, f->outbox.node, sizeof f->state.node);
    shared_begin(f);
    return f;
}

static bool fleet_start(fleet *f)
{
    f->runs = pthread_create(&f->thread, NULL, run, f) == 0;
    return f->runs;
}

static void fleet_wake(fleet *f)
{
    pthread_mutex_lock(&f->lock);
    f->wakes++;
    pthread_cond_broadcast(&f->come);
    pthread_mutex_unlock(&f->lock);
}

static void fleet_state(fleet *f, struct fleet_state *out)
{
    pthread_mutex_lock(&f->lock);
    *out = f->state;
    if (f->wakes != f->heard && !out->unsent)
        out->unsent = 1; /* there is something new, and it has not been looked at */
    pthread_mutex_unlock(&f->lock);
}

void fleet_stop(fleet *f, unsigned ms)
{
    struct timespec t;
    uint64_t until = fleet_clock() + ms;
    t.tv_sec = (time_t)(until / 1000);
    t.tv_nsec = (long)(until % 1000) * 1000000;
    if (f->runs) {
        pthread_mutex_lock(&f->lock);
        f->ends = true;
        f->wakes++;
        pthread_cond_broadcast(&f->come);
        int late = 0;
        while (!f->done && !late)
            late = pthread_cond_timedwait(&f->come, &f->lock, &t);
        pthread_mutex_unlock(&f->lock);
        link_interrupt(f->link);
        pthread_join(f->thread, NULL);
    }
    fleet_free(f);
}

const struct fleet_calls __attribute__((visibility("default"))) cando_fleet_calls = {
    .version = CANDO_VERSION,
    .open = fleet_open,
    .start = fleet_start,
    .wake = fleet_wake,
    .state = fleet_state,
    .stop = fleet_stop,
    .trail = fleet_trail,
    .give = fleet_give,
};
