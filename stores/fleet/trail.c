/*
 * trail.c - the audit trail of all nodes as one store: each node's records are a chain of their
 * own, in the order in which they came to the stream.
 *
 * Records are numbered as they are read. Verify follows every chain: a record that was changed,
 * left out or put in breaks the one that it belongs to, and so does one that is there twice with
 * two texts. The same text twice is one record: a server that refuses a batch for its limits takes
 * it out of its file again, and brings it back if it is killed before that is on the disk
 * (nats-server 2.9). A stream may have dropped the oldest (its limits are the operator's); then a
 * chain begins behind those. The note says either.
 */
#define _POSIX_C_SOURCE 200809L
#include "fleet_impl.h"

#include "stores/report.h"

#include <stdio.h>
#include <stdlib.h>

enum { SEND_WAIT = 10000 }; /* milliseconds that a command waits for its records to arrive */

/* A batch that is there twice goes back no further. */
enum { REMEMBERED = OUTBOX_BATCH };

struct chain {
    char node[64];
    cando_chain c;
    bool cut;       /* it does not begin with the first record */
    uint64_t *mark; /* of its last records, by their numbers: where their hashes begin */
};

struct fleet_store {
    cando_store base;
    struct fleet_options options;
    cando_store *own; /* where records are appended, or NULL */
    const char *path;
    struct chain *chain;
    size_t n_chains, cap;
    cando_room *room;
};

/* -- chains ------------------------------------------------------------------------------------ */

static struct chain *chain_of(struct fleet_store *s, const char *subject)
{
    const char *node = subject + sizeof LINK_AUDIT_SUBJECT - 1;
    for (size_t i = 0; i < s->n_chains; i++)
        if (strcmp(s->chain[i].node, node) == 0)
            return &s->chain[i];
    if (s->n_chains == s->cap) {
        size_t cap = s->cap ? 2 * s->cap : 16;
        struct chain *more = realloc(s->chain, cap * sizeof *more);
        if (!more)
            return NULL;
        s->chain = more;
        s->cap = cap;
    }
    struct chain *c = &s->chain[s->n_chains++];
    *c = (struct chain){0};
    snprintf(c->node, sizeof c->node, "%.63s", node);
    return c;
}

static void drop_chains(struct fleet_store *s)
{
    for (size_t i = 0; i < s->n_chains; i++)
        free(s->chain[i].mark);
    s->n_chains = 0;
}

static uint64_t mark_of(const unsigned char hash[SHA256_BYTES])
{
    uint64_t mark;
    memcpy(&mark, hash, sizeof mark);
    return mark;
}

static bool remember(struct chain *c, const unsigned char hash[SHA256_BYTES])
{
    if (!c->mark)
        c->mark = calloc(REMEMBERED, sizeof *c->mark);
    if (c->mark)
        c->mark[c->c.n % REMEMBERED] = mark_of(hash);
    return c->mark != NULL;
}

/* Is this record n, which the chain has, the same text? */
static bool is_same(const struct chain *c, uint64_t n, const unsigned char hash[SHA256_BYTES])
{
    return c->mark && c->c.n - n < REMEMBERED && c->mark[n % REMEMBERED] == mark_of(hash);
}

/* The chain as it was before this record, by what the record says. */
static void begin_chain(struct chain *c, struct str line)
{
    static const char mark[] = ",\"prev\":\"";
    size_t at = str_find(line, STR(",\"prev\":\""));
    c->c.n = record_number(line) - 1;
    c->cut = c->c.n > 0;
    if (at != SIZE_MAX && at < 32)
        (void)sha256_parse(str_head(str_from(line, at + sizeof mark - 1), SHA256_HEX - 1),
                           c->c.hash);
}

/* -- reading ----------------------------------------------------------------------------------- */

struct reading {
    struct fleet_store *s;
    bool (*fn)(struct reading *r, struct chain *c, struct str line);
    bool ended, no_memory;
    uint64_t n;
    /* of a query */
    const cando_store_query *q;
    cando_store_record_fn *each;
    void *user;
    uint64_t given;
    struct held *ring; /* the newest matches, of a query that wants them first */
    size_t first, held;
    /* of a verification */
    cando_store_report *report;
    uint64_t repeated;
};

static bool take_batch(void *ctx, const struct link_message *m)
{
    struct reading *r = ctx;
    struct chain *c = chain_of(r->s, m->subject);
    r->no_memory = !c;
    for (struct str left = str_make(m->data->p, m->data->n); c && left.n && !r->ended;) {
        struct str line = str_head(left, str_find_char(left, '\n'));
        left = str_from(left, line.n + 1);
        if (!c->c.n && record_number(line))
            begin_chain(c, line);
        r->ended = !r->fn(r, c, line);
    }
    return c && !r->ended;
}

static cando_status read_all(struct reading *r, cando_error *err)
{
    uint64_t until, seq = 0;
    struct link *l = fleet_connect(&r->s->options, &until, err);
    enum node_result result;
    if (!l)
        return err->status;
    drop_chains(r->s);
    do
        result = link_read(l, &seq, take_batch, r);
    while (fleet_again(l, result, until));
    cando_status st = CANDO_OK;
    if (r->no_memory)
        st = error_memory(err);
    else if (result != NODE_DONE)
        st = fleet_fail(l, "read the trail of the fleet", err);
    link_free(l);
    return st;
}

/* -- queries ----------------------------------------------------------------------------------- */

struct held {
    char *text;
    size_t len;
    uint64_t n;
    char node[64];
    unsigned char hash[CANDO_HASH_BYTES];
};

static bool is_model(const char *name, const char *want)
{
    size_t n = name ? strlen(name) : 0, m = strlen(want);
    if (n < m || !str_eq_fold(str_make(name + n - m, m), str_make(want, m)))
        return false;
    return n == m || name[n - m - 1] == '/' || name[n - m - 1] == ':';
}

static bool is_text(const char *want, const char *is)
{
    return !want || !*want || (is && strcmp(want, is) == 0);
}

static bool matches(struct reading *r, struct str line)
{
    static const char *const verdicts[] = {"accepted", "degraded", "rejected"};
    const cando_store_query *q = r->q;
    cando_event e;
    cando_room_clear(r->s->room);
    if (cando_event_decode(line.p, line.n, r->s->room, &e, NULL) != CANDO_OK)
        return false;
    if ((q->since && e.time < q->since) || (q->until && e.time >= q->until))
        return false;
    if (q->model && *q->model && !is_model(e.target, q->model) && !is_model(e.previous, q->model))
        return false;
    const char *verdict = e.decided && e.verdict <= CANDO_REJECTED ? verdicts[e.verdict] : NULL;
    return is_text(q->session, e.session) && is_text(q->verdict, verdict) &&
           is_text(q->kind, cando_event_kind_name(e.kind));
}

static bool give(struct reading *r, const struct held *h)
{
    cando_store_record record = {
        .n = h->n, .text = {h->text, h->len}, .hash = h->hash, .node = h->node};
    r->given++;
    return r->each(r->user, &record) && (!r->q->limit || r->given < r->q->limit);
}

static bool hold(struct reading *r, const struct held *h)
{
    size_t room = (size_t)r->q->limit;
    struct held *to = &r->ring[(r->first + r->held) % room];
    char *own = malloc(h->len + 1);
    r->no_memory = !own;
    if (!own)
        return false;
    memcpy(own, h->text, h->len);
    if (r->held == room) {
        free(to->text);
        r->first = (r->first + 1) % room;
    } else {
        r->held++;
    }
    *to = *h;
    to->text = own;
    return true;
}

/* What is there twice is given once. */
static bool query_record(struct reading *r, struct chain *c, struct str line)
{
    uint64_t n = record_number(line);
    if (n && n <= c->c.n)
        return true;
    c->c.n = n ? n : c->c.n;
    r->n++;
    if (r->n < r->q->first || !matches(r, line))
        return true;
    struct held h = {.text = (char *)line.p, .len = line.n, .n = r->n};
    snprintf(h.node, sizeof h.node, "%s", c->node);
    sha256_of(line.p, line.n, h.hash);
    return r->ring ? hold(r, &h) : give(r, &h);
}

static cando_status verify_all(struct fleet_store *s, cando_store_report *out, cando_error *err);

static cando_status query(cando_store *base, const cando_store_query *q, cando_store_record_fn *fn,
                          void *user, cando_error *err)
{
    struct fleet_store *s = (struct fleet_store *)base;
    struct reading r = {.s = s, .fn = query_record, .q = q, .each = fn, .user = user};
    cando_store_report report;
    cando_store_query all = *q;
    cando_status st = q->checked ? verify_all(s, &report, err) : CANDO_OK;
    if (st == CANDO_OK && q->checked && report.problems)
        st = error_set(err, CANDO_BAD_INPUT, CODE_audit_damaged, "%s", report.problem);
    if (st != CANDO_OK)
        return st;
    if (q->newest_first) {
        all.limit = q->limit && q->limit < 100000 ? q->limit : 100000;
        r.q = &all;
        r.ring = calloc((size_t)all.limit, sizeof *r.ring);
        if (!r.ring)
            return error_memory(err);
    }
    st = read_all(&r, err);
    bool more = st == CANDO_OK;
    for (size_t i = r.held; i-- > 0;) {
        struct held *h = &r.ring[(r.first + i) % (size_t)all.limit];
        more = more && give(&r, h);
        free(h->text);
    }
    free(r.ring);
    return st;
}

/* -- verification ------------------------------------------------------------------------------ */

static bool verify_record(struct reading *r, struct chain *c, struct str line)
{
    unsigned char hash[SHA256_BYTES];
    uint64_t n = record_number(line);
    const char *wrong;
    sha256_of(line.p, line.n, hash);
    if (n && n <= c->c.n && is_same(c, n, hash)) {
        r->repeated++;
        return true;
    }
    r->n++;
    if (!n)
        problem(r->report, r->n, "what node %s sent behind its record %ju is no record", c->node,
                (uintmax_t)c->c.n);
    else if (n <= c->c.n)
        problem(r->report, r->n, "record %ju of node %s is there twice, and not the same",
                (uintmax_t)n, c->node);
    else if (n != c->c.n + 1)
        problem(r->report, r->n, "record %ju of node %s is missing: the next one is %ju",
                (uintmax_t)c->c.n + 1, c->node, (uintmax_t)n);
    if (r->report->problems)
        return false;
    wrong = cando_chain_follow(&c->c, line.p, line.n, hash);
    if (wrong)
        problem(r->report, r->n, "record %ju of node %s was changed, or one before it: %s",
                (uintmax_t)n, c->node, wrong);
    r->no_memory = !wrong && !remember(c, hash);
    return !wrong && !r->no_memory;
}

static int by_node(const void *a, const void *b)
{
    return strcmp(((const struct chain *)a)->node, ((const struct chain *)b)->node);
}

/* One hash of the ends of all chains, in the order of the nodes' names. */
static void head_of_all(struct fleet_store *s, uint64_t repeated, cando_store_report *out)
{
    char twice[64] = "";
    struct sha256 h;
    size_t cut = 0;
    qsort(s->chain, s->n_chains, sizeof *s->chain, by_node);
    sha256_init(&h);
    for (size_t i = 0; i < s->n_chains; i++) {
        sha256_put(&h, s->chain[i].node, strlen(s->chain[i].node) + 1);
        sha256_put(&h, s->chain[i].c.hash, CANDO_HASH_BYTES);
        cut += s->chain[i].cut;
    }
    sha256_end(&h, out->head);
    if (repeated)
        snprintf(twice, sizeof twice, "; %ju came twice, and count once", (uintmax_t)repeated);
    snprintf(out->note, sizeof out->note, "%zu node%s%s%s", s->n_chains,
             s->n_chains == 1 ? "" : "s", cut ? "; the stream has dropped the oldest records" : "",
             twice);
}

static cando_status verify_all(struct fleet_store *s, cando_store_report *out, cando_error *err)
{
    struct reading r = {.s = s, .fn = verify_record, .report = out};
    *out = (cando_store_report){0};
    cando_status st = read_all(&r, err);
    out->records = out->last = r.n;
    out->first = r.n ? 1 : 0;
    if (st == CANDO_OK)
        head_of_all(s, r.repeated, out);
    return st;
}

static cando_status verify(cando_store *base, cando_store_report *out, cando_error *err)
{
    return verify_all((struct fleet_store *)base, out, err);
}

/* -- writing ----------------------------------------------------------------------------------- */

static cando_status need_own(const struct fleet_store *s, cando_error *err)
{
    if (s->own)
        return CANDO_OK;
    error_set(err, CANDO_BAD_QUESTION, CODE_missing_argument,
              "records go to a fleet by way of a trail of one's own");
    error_hint(err, "give --store FILE, too");
    return CANDO_BAD_QUESTION;
}

static cando_status append(cando_store *base, const cando_event *events, size_t n, cando_error *err)
{
    struct fleet_store *s = (struct fleet_store *)base;
    cando_status st = need_own(s, err);
    return st == CANDO_OK ? s->own->ops->append(s->own, events, n, err) : st;
}

static void say_to_stderr(const char *line)
{
    fprintf(stderr, "cando: %s\n", line);
}

/* Acknowledged is what is in the trail of one's own; that it reaches the stream now is waited for
 * a while, and else it goes with the next call, or by a daemon that has the same trail. */
static cando_status flush(cando_store *base, cando_error *err)
{
    struct fleet_store *s = (struct fleet_store *)base;
    const struct fleet_hooks hooks = {.say = say_to_stderr};
    cando_error why;
    cando_status st = need_own(s, err);
    if (st == CANDO_OK)
        st = s->own->ops->flush(s->own, err);
    if (st != CANDO_OK)
        return st;
    fleet *f = fleet_open(&s->options, s->path, &hooks, &why);
    if (!f) {
        fprintf(stderr, "cando: note: %s\n", why.message);
        return CANDO_OK;
    }
    f->hooks.say = NULL;
    uint64_t until = fleet_clock() + SEND_WAIT;
    do
        fleet_turn(f, until);
    while ((!f->node.synced || f->node.sent < f->node.newest) && fleet_clock() < until);
    if (!f->node.synced || f->node.sent < f->node.newest)
        fprintf(stderr, "cando: note: the fleet has not got the records yet, %s keeps them: %s\n",
                s->path, f->state.problem);
    fleet_stop(f, 0);
    return CANDO_OK;
}

static cando_status retain(cando_store *base, uint64_t before, uint64_t keep, uint64_t now,
                           uint64_t *dropped, cando_error *err)
{
    (void)base;
    (void)before;
    (void)keep;
    (void)now;
    *dropped = 0;
    error_set(err, CANDO_BAD_QUESTION, CODE_bad_option,
              "the limits of the stream " LINK_AUDIT " say how long a fleet keeps its records");
    error_hint(err, "nats stream edit " LINK_AUDIT " --max-age 365d; without --nats it is about "
                    "the trail of one node");
    return CANDO_BAD_QUESTION;
}

static cando_status acknowledge(cando_store *base, const char *by, uint64_t now, uint64_t *n,
                                cando_error *err)
{
    (void)base;
    (void)by;
    (void)now;
    *n = 0;
    return error_set(err, CANDO_BAD_QUESTION, CODE_bad_option,
                     "a break is acknowledged in the trail of its node: without --nats");
}

static void counts(const cando_store *base, cando_store_counts *out)
{
    const struct fleet_store *s = (const struct fleet_store *)base;
    *out = (cando_store_counts){0};
    if (s->own)
        s->own->ops->counts(s->own, out);
}

static void close_store(cando_store *base)
{
    struct fleet_store *s = (struct fleet_store *)base;
    if (s->own)
        s->own->ops->close(s->own);
    cando_room_free(s->room);
    drop_chains(s);
    free(s->chain);
    free(s);
}

static const cando_store_ops ops = {append, flush,       query,  verify,
                                    retain, acknowledge, counts, close_store};

cando_store *fleet_trail(const struct fleet_options *o, const char *store, cando_error *err)
{
    struct fleet_store *s = calloc(1, sizeof *s);
    if (!s) {
        error_memory(err);
        return NULL;
    }
    s->base.ops = &ops;
    s->options = *o;
    s->path = store;
    struct link *tried = link_new(o, "cando", err); /* are the options good ones? */
    s->room = tried ? cando_room_new(NULL, err) : NULL;
    link_free(tried);
    const cando_store_options options = {.create = true, .busy_ms = 10000, .batch = 4096};
    if (s->room && store)
        s->own = cando_store_open(store, &options, NULL, err);
    if (s->room && (s->own || !store))
        return &s->base;
    close_store(&s->base);
    return NULL;
}
