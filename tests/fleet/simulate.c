/*
 * simulate.c - a thousand nodes in one process, in virtual time: node.c decides, as it does in a
 * daemon, and what it decides meets a cluster that is only counted here.
 *
 * What is shown: what the cluster has to do grows with what is recorded and with what changes, and
 * not with what the nodes are asked. And, with servers that die, leaders that are away, answers
 * that get lost and messages that turn up minutes later: every record is stored once, and every
 * node ends with the last revision.
 *
 *     events (a heap by time) --> node_next --> call to the cluster --> answer, late or never
 *
 * Prints a table, and "N passed, M failed".
 */
#include "stores/fleet/node.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 1000, MINUTE = 60000, CALL_WAIT = 3000, BATCH = 2000 };

struct scenario {
    const char *name;
    double requests, records; /* of a node, a second */
    double changes;           /* of each bucket, a minute */
    bool faults;
};

enum event { WAKE, END, REQUEST, RECORD, CHANGE, HINT, STORE_LATE, CRASH, LEADERLESS };

struct item {
    uint64_t at, order;
    enum event what;
    unsigned node;
    uint64_t a, b;
};

struct member {
    struct node n;
    bool busy;
    struct node_step step;
    uint64_t token;              /* of the newest WAKE */
    uint64_t recorded, expected; /* records here; what the stream is thought to have */
    uint64_t stored, kept;       /* the last that it has, and how many came to it */
    uint64_t seen[NODE_BUCKETS]; /* revisions */
    uint64_t result, last;       /* of the step under way */
    uint64_t asked, old;         /* requests answered; of these by a revision that went back */
    uint64_t answered_by;
};

static struct member member[NODES];
static struct item *heap;
static size_t n_heap, cap_heap;
static uint64_t now, order, revision[NODE_BUCKETS], visible_at[NODE_BUCKETS];
static uint64_t calls, leaderless_until;
static uint64_t seed[3]; /* of the world, of requests, of faults: one does not change the other */

static double chance(unsigned which)
{
    seed[which] = seed[which] * 6364136223846793005ull + 1442695040888963407ull;
    return (double)(seed[which] >> 11) / 9007199254740992.0;
}

/* Milliseconds to the next of things that happen so often a second. */
static uint64_t next(unsigned which, double rate)
{
    return 1 + (uint64_t)(-log(1 - chance(which)) * 1000 / rate);
}

static bool sooner(const struct item *a, const struct item *b)
{
    return a->at != b->at ? a->at < b->at : a->order < b->order;
}

static void push(uint64_t at, enum event what, unsigned node, uint64_t a, uint64_t b)
{
    if (n_heap == cap_heap) {
        cap_heap = cap_heap ? 2 * cap_heap : 4096;
        heap = realloc(heap, cap_heap * sizeof *heap);
        if (!heap)
            exit(4);
    }
    size_t i = n_heap++;
    struct item x = {at, order++, what, node, a, b};
    for (; i && sooner(&x, &heap[(i - 1) / 2]); i = (i - 1) / 2)
        heap[i] = heap[(i - 1) / 2];
    heap[i] = x;
}

static void push_until(uint64_t until, uint64_t wait, enum event what, unsigned node)
{
    if (now + wait < until)
        push(now + wait, what, node, 0, 0);
}

static struct item pop(void)
{
    struct item top = heap[0], x = heap[--n_heap];
    size_t i = 0;
    for (size_t c; (c = 2 * i + 1) < n_heap; i = c) {
        if (c + 1 < n_heap && sooner(&heap[c + 1], &heap[c]))
            c++;
        if (!sooner(&heap[c], &x))
            break;
        heap[i] = heap[c];
    }
    heap[i] = x;
    return top;
}

/* -- the cluster ------------------------------------------------------------------------------- */

/* Takes the records from `first` to `last` behind `expected`, as the stream does: there, or
 * nowhere. */
static bool store(struct member *m, uint64_t expected, uint64_t first, uint64_t last)
{
    if (m->stored != expected)
        return false;
    m->kept += last - first + 1;
    m->stored = last;
    return true;
}

static void send(struct member *m, unsigned id, bool faults)
{
    uint64_t first = m->n.sent + 1;
    uint64_t last = m->n.newest - m->n.sent > BATCH ? m->n.sent + BATCH : m->n.newest;
    double dice = faults ? chance(2) : 1;
    m->last = last;
    m->result = NODE_DONE;
    if (now < leaderless_until || dice < 0.02) { /* lost, or held up somewhere */
        m->result = NODE_SILENT;
        if (chance(2) < 0.5)
            push(now + (uint64_t)(chance(2) * MINUTE), STORE_LATE, id, m->expected, last);
    } else if (!store(m, m->expected, first, last)) {
        m->result = NODE_CONFLICT;
    } else if (dice < 0.04) { /* stored, and the answer is lost */
        m->result = NODE_SILENT;
    }
}

static void look(struct member *m, unsigned b, bool faults)
{
    uint64_t there = revision[b] && now < visible_at[b] ? revision[b] - 1 : revision[b];
    if (faults && chance(2) < 0.02) {
        m->result = NODE_SILENT;
        return;
    }
    m->result = there > m->seen[b] ? NODE_DONE : NODE_NOTHING;
    calls += there - m->seen[b]; /* each change is fetched */
    m->seen[b] = there;
}

/* Starts the step, and says when its answer is there. */
static void call(unsigned id, bool faults)
{
    struct member *m = &member[id];
    m->busy = true;
    m->result = NODE_DONE;
    m->last = m->n.sent;
    calls++;
    if (m->step.act == NODE_CONNECT)
        calls += 5; /* stream, buckets and their newest revisions */
    else if (m->step.act == NODE_SYNC)
        m->last = m->expected = m->stored;
    else if (m->step.act == NODE_SEND)
        send(m, id, faults);
    else
        look(m, m->step.bucket, faults);
    if (m->step.act == NODE_SYNC && now < leaderless_until)
        m->result = NODE_SILENT;
    push(now + (m->result == NODE_SILENT ? CALL_WAIT : 1 + (uint64_t)(chance(0) * 4)), END, id, 0,
         0);
}

/* -- nodes ------------------------------------------------------------------------------------- */

static void turn(unsigned id, bool faults)
{
    struct member *m = &member[id];
    if (m->busy)
        return;
    node_spool(&m->n, m->recorded, now);
    m->step = node_next(&m->n, now);
    if (m->step.act != NODE_WAIT)
        call(id, faults);
    else if (m->step.until != UINT64_MAX)
        push(m->step.until, WAKE, id, ++m->token, 0);
}

static void end(unsigned id, bool faults)
{
    struct member *m = &member[id];
    m->busy = false;
    if (m->step.act == NODE_SEND && m->result == NODE_DONE)
        m->expected = m->last;
    node_end(&m->n, m->step, m->result, m->last, now);
    turn(id, faults);
}

static void change(unsigned b)
{
    revision[b]++;
    visible_at[b] = now + (uint64_t)(chance(0) * 100);
    for (unsigned i = 0; i < NODES; i++)
        if (member[i].n.connected && chance(0) < 0.99)
            push(now + 1 + (uint64_t)(chance(0) * 3), HINT, i, b, 0);
}

static void answer(struct member *m)
{
    m->asked++;
    m->old += m->seen[NODE_CATALOG] < m->answered_by;
    m->answered_by = m->seen[NODE_CATALOG];
}

static void crash(void)
{
    for (unsigned i = 0; i < NODES; i++) /* those that were on one of three servers */
        if (chance(2) < 1.0 / 3 && member[i].n.connected && !member[i].busy) {
            node_cut(&member[i].n, now);
            turn(i, true);
        }
}

static void happen(const struct scenario *s, const struct item *e, uint64_t until)
{
    struct member *m = &member[e->node];
    switch (e->what) {
    case WAKE:
        if (e->a == m->token)
            turn(e->node, s->faults);
        break;
    case END:
        end(e->node, s->faults);
        break;
    case REQUEST:
        answer(m);
        push_until(until, next(1, s->requests), REQUEST, e->node);
        break;
    case RECORD:
        m->recorded++;
        turn(e->node, s->faults);
        push_until(until, next(0, s->records), RECORD, e->node);
        break;
    case CHANGE:
        change(e->node);
        push_until(until, next(0, s->changes / 60), CHANGE, e->node);
        break;
    case HINT:
        node_hint(&m->n, (enum node_bucket)e->a, now);
        turn(e->node, s->faults);
        break;
    case STORE_LATE:
        store(m, e->a, e->a + 1, e->b);
        break;
    case CRASH:
        crash();
        push_until(until, next(2, 1.0 / 20), CRASH, 0);
        break;
    case LEADERLESS:
        leaderless_until = now + 5000;
        push_until(until, next(2, 1.0 / 30), LEADERLESS, 0);
        break;
    }
}

struct result {
    uint64_t calls, asked, recorded, missing, kept, behind, old;
};

static void begin(const struct scenario *s)
{
    n_heap = 0;
    now = order = calls = leaderless_until = 0;
    for (unsigned i = 0; i < 3; i++)
        seed[i] = 12345 + i;
    for (unsigned b = 0; b < NODE_BUCKETS; b++) {
        revision[b] = visible_at[b] = 0;
        push(next(0, s->changes / 60), CHANGE, b, 0, 0);
    }
    for (unsigned i = 0; i < NODES; i++) {
        member[i] = (struct member){0};
        node_init(&member[i].n, i + 1, 0);
        push((uint64_t)(chance(0) * 2000), WAKE, i, 0, 0);
        push(next(1, s->requests), REQUEST, i, 0, 0);
        push(next(0, s->records), RECORD, i, 0, 0);
    }
    if (s->faults) {
        push(20000, CRASH, 0, 0, 0);
        push(10000, LEADERLESS, 0, 0, 0);
    }
}

/* So many minutes of the world, and three in which nothing new comes. */
static struct result run(const struct scenario *s, uint64_t minutes)
{
    struct result r = {0};
    uint64_t until = minutes * MINUTE;
    begin(s);
    while (n_heap && heap[0].at <= until + 3 * MINUTE) {
        struct item e = pop();
        now = e.at;
        happen(s, &e, until);
    }
    r.calls = calls;
    for (unsigned i = 0; i < NODES; i++) {
        const struct member *m = &member[i];
        r.asked += m->asked;
        r.recorded += m->recorded;
        r.missing += m->recorded - m->stored;
        r.kept += m->kept;
        r.old += m->old;
        for (unsigned b = 0; b < NODE_BUCKETS; b++)
            r.behind += m->seen[b] != revision[b];
    }
    return r;
}

static unsigned good, bad;

static void check(bool ok, const char *what)
{
    *(ok ? &good : &bad) += 1;
    if (!ok)
        printf("not so: %s\n", what);
}

int main(void)
{
    enum { BASE, ASKED, RECORDED, BUSY, CHANGED, FAULTS, N, MINUTES = 5 };
    static const struct scenario s[N] = {
        [BASE] = {"as it is on a quiet day", 1, 0.05, 1, false},
        [ASKED] = {"asked 20 times as much", 20, 0.05, 1, false},
        [RECORDED] = {"20 times as many records", 1, 1, 1, false},
        [BUSY] = {"400 times as many records", 1, 20, 1, false},
        [CHANGED] = {"changed 10 times as often", 1, 0.05, 10, false},
        [FAULTS] = {"faults all the time", 1, 1, 1, true},
    };
    struct result r[N];
    printf("%d nodes, %d minutes            requests    records    calls to the cluster\n", NODES,
           MINUTES);
    for (unsigned i = 0; i < N; i++) {
        r[i] = run(&s[i], MINUTES);
        printf("%-28s %14ju %10ju %10ju  (%.1f a second)\n", s[i].name, (uintmax_t)r[i].asked,
               (uintmax_t)r[i].recorded, (uintmax_t)r[i].calls,
               (double)r[i].calls / ((MINUTES + 3) * 60));
        check(r[i].missing == 0, "every record is stored");
        check(r[i].kept == r[i].recorded, "and only once");
        check(r[i].behind == 0, "every node has the last revision");
        check(r[i].old == 0, "no answer goes back");
        check(r[i].recorded && r[i].asked, "there was something to do");
    }
    check(r[ASKED].calls == r[BASE].calls, "questions cost the cluster nothing");
    check(r[RECORDED].calls < 20 * r[BASE].calls, "records are gathered");
    check(r[BUSY].calls < (uint64_t)NODES * MINUTES * 60 * 6, "a node sends five batches a second");
    check(r[BUSY].recorded > 3 * r[BUSY].calls, "of several records each");
    check(r[CHANGED].calls < 10 * r[BASE].calls, "changes cost what they are");
    check(r[FAULTS].calls < 3 * r[RECORDED].calls, "faults make no storm");
    free(heap);
    printf("%u passed, %u failed\n", good, bad);
    return bad != 0;
}
