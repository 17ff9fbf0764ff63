/*
 * cmd_audit.c - cando audit: what was decided, and the proof that nobody changed it.
 *
 *     list     records, for people or with --json
 *     verify   the chain, the file and its end; exit code 1 if anything is wrong
 *     export   records as JSON lines, each with its hash
 *     add      diagnostics (JSON lines from stdin) become records
 *     retain   drops what is old, and says so in the trail
 *     acknowledge   somebody has seen that the trail is not what it was
 *     sign     the trail's head, signed; witness: another's head, signed as well and kept
 */
#define _POSIX_C_SOURCE 200809L
#include "base/instant.h"
#include "base/sha256.h"
#include "fleet.h"
#include "lines.h"
#include "trail.h"
#include "witness.h"

#include <unistd.h>

struct ask {
    cando_store_query q;
    cando_number limit, keep, wait;
    uint64_t before;
    const char *expect, *change, *by;
    const char *witness, *kept;
    struct witness_keys keys;
    int (*action)(struct call *c); /* what is to be done, */
    cando_store *s;                /* with what, */
    uint64_t n;                    /* and to how many records it was done */
    uint64_t failures;             /* attempts to write it that failed, */
    bool stuck;                    /* and the last one, too: it cannot be written */
};

static const struct option_row options[] = {
    {STORE},
    {TEXT("session", q.session, "ID", "only this session; add: of this session")},
    {TEXT("model", q.model, "[PROVIDER/]MODEL", "only what concerns this model")},
    {ONE_OF("verdict", q.verdict, "WORD", "accepted degraded rejected", "only these verdicts")},
    {ONE_OF("kind", q.kind, "WORD",
            "switch downgrade rejection spawn catalog observation retention lost break acknowledge",
            "only this kind; add: switch or spawn")},
    {TIME("since", q.since, "from this time on: 2026-11-15, 2026-11-15T16:30:05Z, 30d, 6m")},
    {TIME("until", q.until, "before this time")},
    {NUMBER("limit", limit, "N", "at most N records; list shows the newest"), .letter = 'n'},
    {TEXT("expect", expect, "N:HASH", "verify: this record must still be there, as it was")},
    {TIME("before", before, "retain: drop what is older")},
    {NUMBER("keep", keep, "N", "retain: drop all but the newest N")},
    {TEXT("change", change, "WORD", "add: what was tried (switch)")},
    {NUMBER("wait", wait, "SECONDS", "how long a locked trail is waited for (10)")},
    {TEXT("by", by, "NAME", "acknowledge: who has seen the break")},
    {TEXTS("sign", keys.sign, keys.n_sign, "KEY",
           "sign, witness: with this secret key; may be repeated")},
    {TEXTS("trust", keys.trust, keys.n_trust, "KEY.pub",
           "witness, verify: this key must have signed (else the pinned root's); may be repeated")},
    {TEXT("kept", kept, "FILE", "witness: where the heads are kept that were seen")},
    {TEXT("witness", witness, "FILE", "verify: every head in here must still be there, as it was")},
    NATS_ROWS,
    {JSON("print JSON")},
    {0},
};

/* Whatever the trail says of itself, it is the input that is bad. */
static int store_failed(struct call *c)
{
    fail(&c->err);
    return EXIT_INPUT;
}

/* "dropped 3 records" */
static int put_done(const struct call *c, const char *done, uint64_t n)
{
    if (c->json)
        json("{%s:%ju}\n", done, n);
    else
        out("%s %'ju record" PLURAL "\n", done, n);
    return EXIT_YES;
}

/* -- list and export -- */

/* A record has no control characters; one that was put there must not reach a terminal. */
static void put_text(struct str s)
{
    size_t from = 0;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char ch = (unsigned char)s.p[i];
        if (ch >= 0x20 && ch != 0x7f)
            continue;
        fwrite(s.p + from, 1, i - from, stdout);
        printf("\\u%04x", ch);
        from = i + 1;
    }
    fwrite(s.p + from, 1, s.n - from, stdout);
}

/* The record with its hash as the last member. */
static bool export_record(void *user, const cando_store_record *r)
{
    struct call *c = user;
    struct ask *k = c->ask;
    char hex[SHA256_HEX];
    sha256_hex(r->hash, hex);
    put_text(str_make(r->text.p, r->text.n ? r->text.n - 1 : 0));
    if (r->node)
        json(",'node':%s", r->node);
    printf(",\"hash\":\"%s\"}\n", hex);
    k->n++;
    return true;
}

/* A capability that several need is there for each of them. */
static bool is_named_before(const cando_event *e, size_t at)
{
    for (size_t i = 0; i < at; i++)
        if (strcmp(e->missing[i], e->missing[at]) == 0)
            return true;
    return false;
}

/* What a record is about, behind its kind and verdict. */
static void event_words(const cando_event *e, struct buf *b)
{
    char digits[32];
    buf_printf(b, "%s%s%s%s%s", e->session ? e->session : "", e->session && *e->session ? " " : "",
               e->previous ? e->previous : "", e->previous ? " -> " : "",
               e->target ? e->target : "");
    if (e->field)
        buf_printf(b, "  %s = %s", e->field, e->value ? e->value : "");
    for (size_t i = 0; i < e->n_missing; i++)
        if (!is_named_before(e, i))
            buf_printf(b, "%s%s", i ? ", " : "  ", e->missing[i]);
    if (e->kind == CANDO_EVENT_BREAK)
        buf_putz(b, e->evidence ? e->evidence : "");
    else if (e->kind == CANDO_EVENT_ACKNOWLEDGE)
        buf_printf(b, "of record %ju, by %s", (uintmax_t)e->count, e->evidence ? e->evidence : "");
    else if (e->count && e->kind == CANDO_EVENT_RETENTION)
        buf_printf(b, "up to record %ju", (uintmax_t)e->count);
    else if (e->count)
        buf_printf(b, "%s record%s", out_number(e->count, digits).p, e->count == 1 ? "" : "s");
}

static void put_event(uint64_t n, const cando_event *e)
{
    enum { WORDS_AT = 5 + 17 + 10 + 9, INDENT = 6 };
    char time[INSTANT_TEXT];
    struct buf b;
    enum style style = e->verdict == CANDO_REJECTED   ? STYLE_BAD
                       : e->verdict == CANDO_DEGRADED ? STYLE_WARN
                                                      : STYLE_GOOD;
    buf_init(&b, NULL, 1u << 20);
    event_words(e, &b);
    out("%4ju " DIM "%-16.16s" END " " BOLD "%-9s" END " %c%-8s" END " ", n,
        instant_text(e->time, time).p, cando_event_kind_name(e->kind), style,
        e->decided ? verdict_word(e->verdict) : "-");
    out_note(stdout, STR_IN(b), INDENT, WORDS_AT);
    buf_free(&b);
}

static bool list_record(void *user, const cando_store_record *r)
{
    struct call *c = user;
    struct ask *k = c->ask;
    cando_event e;
    cando_room_clear(c->room);
    if (cando_event_decode(r->text.p, r->text.n, c->room, &e, &c->err) != CANDO_OK) {
        fail(&c->err);
        return true;
    }
    put_event(r->n, &e);
    k->n++;
    return true;
}

static int query(struct call *c, cando_store_record_fn *fn, void *user)
{
    const struct ask *k = c->ask;
    return k->s->ops->query(k->s, &k->q, fn, user, &c->err) == CANDO_OK ? EXIT_YES
                                                                        : store_failed(c);
}

static int run_export(struct call *c)
{
    return query(c, export_record, c);
}

static bool find_first(void *user, const cando_store_record *r)
{
    *(uint64_t *)user = r->n;
    return true;
}

/* The newest N, oldest first: that is how a log reads. */
static int run_list(struct call *c)
{
    struct ask *k = c->ask;
    k->q.limit = k->q.limit ? k->q.limit : 50;
    k->q.newest_first = true;
    int code = query(c, find_first, &k->q.first);
    k->q.newest_first = false;
    if (code == EXIT_YES && k->q.first)
        code = query(c, c->json ? export_record : list_record, c);
    if (code == EXIT_YES && !k->n && !c->json)
        fputs("cando: no records\n", stderr);
    return code;
}

/* -- verify -- */

struct expected {
    uint64_t n;
    unsigned char hash[SHA256_BYTES];
    bool found;
};

static bool compare(void *user, const cando_store_record *r)
{
    struct expected *e = user;
    e->found = r->n == e->n && memcmp(r->hash, e->hash, sizeof e->hash) == 0;
    return true;
}

/* A record that was there some time ago; `how` that is known. */
static int check_record(struct call *c, cando_store_report *r, struct expected *e, const char *how)
{
    struct ask *k = c->ask;
    k->q = (cando_store_query){.first = e->n, .limit = 1};
    int code = e->n >= r->first && e->n <= r->last ? query(c, compare, e) : EXIT_YES;
    if (code == EXIT_YES && !e->found && !r->problems++)
        snprintf(r->problem, sizeof r->problem, "record %ju is not the one that was %s%s",
                 (uintmax_t)e->n, how,
                 e->n < r->first  ? ": it was dropped"
                 : e->n > r->last ? ": the trail ends before it"
                                  : "");
    return code;
}

/* 12:<hash>, as verify printed it some time ago. */
static int check_expected(struct call *c, cando_store_report *r)
{
    struct ask *k = c->ask;
    struct expected e = {0};
    struct str s = str_of(k->expect);
    size_t colon = str_find_char(s, ':');
    char digits[24];
    snprintf(digits, sizeof digits, "%.*s", (int)colon, s.p);
    if (colon >= sizeof digits || !read_number(digits, &e.n) || !e.n ||
        !sha256_parse(str_from(s, colon + 1), e.hash))
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option,
                         "the number and the hash of a record, as verify prints them: 12:ab34...",
                         "--expect does not take '%s'", k->expect);
    return check_record(c, r, &e, "expected");
}

/* Heads that a witness has kept. Of records that retention has dropped nothing can be said; the
 * newest head must be there. */
static int check_witnessed(struct call *c, cando_store_report *r)
{
    const struct ask *k = c->ask;
    struct signed_file f;
    int code = EXIT_YES;
    if (witness_read(k->witness, &k->keys, &c->ar, &f, &c->err) != CANDO_OK)
        return fail(&c->err);
    for (size_t i = 0; code == EXIT_YES && i < f.n; i++) {
        struct expected e = {.n = f.document[i].version};
        memcpy(e.hash, f.document[i].hash, sizeof e.hash);
        if (e.n >= r->first || i + 1 == f.n)
            code = check_record(c, r, &e, "witnessed");
    }
    return code;
}

static const char acknowledge_hint[] =
    "when you know why, say so: cando audit acknowledge --store FILE --by NAME";

static void put_report(const struct call *c, const cando_store_report *r)
{
    char hex[SHA256_HEX];
    sha256_hex(r->head, hex);
    if (c->json) {
        json("{'whole':%d,'records':%ju,'first':%ju,'last':%ju,'head':%s,'problem':%s,'note':%s}\n",
             !r->problems, r->records, r->first, r->last, hex, r->problems ? r->problem : NULL,
             r->note[0] ? r->note : NULL);
        return;
    }
    if (r->problems) {
        fail_with(CANDO_BAD_INPUT, CODE_audit_damaged, r->breaks ? acknowledge_hint : NULL, "%s",
                  r->problem);
        return;
    }
    out("whole: %'ju record" PLURAL, r->records);
    if (r->records)
        out(", %ju to %ju, head %ju:%s", r->first, r->last, r->last, hex);
    out("\n");
    out_to(stderr, MAYBE("cando: note: %s\n"), r->note);
}

static int run_verify(struct call *c)
{
    const struct ask *k = c->ask;
    cando_store_report r;
    if (k->s->ops->verify(k->s, &r, &c->err) != CANDO_OK)
        return store_failed(c);
    int code = k->expect ? check_expected(c, &r) : EXIT_YES;
    if (code == EXIT_YES && k->witness)
        code = check_witnessed(c, &r);
    if (code != EXIT_YES)
        return code;
    put_report(c, &r);
    return r.problems ? EXIT_NO : EXIT_YES;
}

/* Only what is whole is signed. */
static int run_sign(struct call *c)
{
    const struct ask *k = c->ask;
    cando_store_report r;
    if (k->s->ops->verify(k->s, &r, &c->err) != CANDO_OK)
        return store_failed(c);
    if (r.problems) {
        put_report(c, &r);
        return EXIT_NO;
    }
    if (!r.records)
        return fail_with(CANDO_BAD_INPUT, CODE_audit_store, NULL, "there is no record to sign");
    return witness_sign(&r, &k->keys, &c->ar, &c->err) == CANDO_OK ? EXIT_YES : fail(&c->err);
}

static int run_witness(struct call *c)
{
    const struct ask *k = c->ask;
    uint64_t n;
    if (witness_keep(c->operand[1], k->kept, &k->keys, &c->ar, &n, &c->err) != CANDO_OK)
        return fail(&c->err);
    if (c->json)
        json("{'kept':%ju}\n", n);
    else
        out("%s: %'ju new head" PLURAL "\n", k->kept, n);
    return EXIT_YES;
}

/* -- acknowledge, retain and add -- */

static int run_acknowledge(struct call *c)
{
    const struct ask *k = c->ask;
    uint64_t n;
    if (k->s->ops->acknowledge(k->s, k->by, trail_now(), &n, &c->err) != CANDO_OK)
        return c->err.status == CANDO_BAD_QUESTION ? fail(&c->err) : store_failed(c);
    if (c->json)
        json("{'acknowledged':%ju}\n", n);
    else if (n)
        out("the break of record %ju is acknowledged by %s\n", n, k->by);
    else
        out("there is nothing to acknowledge\n");
    return EXIT_YES;
}

static int run_retain(struct call *c)
{
    const struct ask *k = c->ask;
    uint64_t dropped, keep = k->keep.known ? k->keep.value : UINT64_MAX;
    if (k->s->ops->retain(k->s, k->before, keep, trail_now(), &dropped, &c->err) != CANDO_OK)
        return store_failed(c);
    return put_done(c, "dropped", dropped);
}

static void record_event(void *user, const cando_event *e)
{
    struct call *c = user;
    struct ask *k = c->ask;
    cando_store_counts counts;
    if (k->s->ops->append(k->s, e, 1, &c->err) != CANDO_OK) {
        fail(&c->err);
        return;
    }
    k->n++;
    k->s->ops->counts(k->s, &counts);
    if (counts.failures == k->failures)
        return;
    /* it was waited for, in vain; if it is so a second time, what comes now would be lost */
    k->failures = counts.failures;
    k->stuck = k->s->ops->flush(k->s, &c->err) != CANDO_OK;
}

/* A line is a diagnostic, or the reply of `negotiate` around it. */
static int add_line(struct call *c, cando_events *events, struct str line, uint64_t number)
{
    const struct ask *k = c->ask;
    cando_error err;
    cando_event_kind kind =
        k->q.kind && strcmp(k->q.kind, "spawn") == 0 ? CANDO_EVENT_SPAWN : CANDO_EVENT_SWITCH;
    const char *change = k->change ? k->change : "switch";
    cando_room_clear(c->room);
    const cando_negotiate_answer *d = cando_negotiate_read(line.p, line.n, c->room, &err);
    if (d && cando_events_diagnostic(events, kind, trail_now(), k->q.session, change, d, &err) ==
                 CANDO_OK)
        return EXIT_YES;
    error_at(&err, STR("stdin"), (uint32_t)number, 0);
    return fail(&err);
}

static int add_lines(struct call *c, cando_events *events)
{
    const struct ask *k = c->ask;
    struct lines l;
    struct str line;
    enum line got = LINE_NONE;
    int code = EXIT_YES;
    lines_init(&l, STDIN_FILENO);
    while (!k->stuck && (got = lines_next(&l, &line)) == LINE_TEXT) {
        int one = line.n ? add_line(c, events, line, l.number) : EXIT_YES;
        code = one > code ? one : code;
    }
    if (!k->stuck && got != LINE_NONE)
        code = fail_with(CANDO_BAD_INPUT, CODE_io, NULL,
                         "stdin cannot be read, or has a line over the limit");
    lines_free(&l);
    return code;
}

static int run_add(struct call *c)
{
    const struct ask *k = c->ask;
    int code;
    cando_events *events = cando_events_new(NULL, &c->err);
    if (events && cando_events_subscribe(events, CANDO_EVERY_EVENT, record_event, c, &c->err))
        code = add_lines(c, events);
    else
        code = fail(&c->err);
    cando_events_free(events);
    cando_store_counts counts;
    cando_status st = k->stuck ? c->err.status : k->s->ops->flush(k->s, &c->err);
    k->s->ops->counts(k->s, &counts);
    uint64_t lost = counts.queued + counts.lost;
    put_done(c, "added", k->n - lost);
    if (!k->n && code == EXIT_YES)
        fputs("cando: note: there was nothing to add; add reads what cando switch --json prints\n",
              stderr);
    if (st == CANDO_OK && !lost)
        return code;
    error_hint(&c->err, "%ju record(s) are lost%s", (uintmax_t)lost,
               k->stuck ? ", and the rest of the input was not read" : "");
    return store_failed(c);
}

/* -- the verb -- */

static int check(struct call *c)
{
    static const struct {
        const char *name;
        int (*run)(struct call *c);
    } actions[] = {{"list", run_list},     {"verify", run_verify},           {"export", run_export},
                   {"retain", run_retain}, {"acknowledge", run_acknowledge}, {"add", run_add},
                   {"sign", run_sign},     {"witness", run_witness}};
    struct ask *k = c->ask;
    for (size_t i = 0; i < COUNT_OF(actions); i++)
        if (strcmp(actions[i].name, c->n ? c->operand[0] : "list") == 0)
            k->action = actions[i].run;
    if (!k->action)
        return call_usage(c, c->verb->too_many);
    if (k->action == run_retain && !k->before && !k->keep.known)
        return call_usage(c, "what is to be dropped? --before TIME, or --keep N");
    if (k->action == run_acknowledge && (!k->by || !*k->by))
        return call_usage(c, "who has seen it? --by NAME");
    bool witness = k->action == run_witness;
    if ((c->n == 2) != witness)
        return call_usage(c, witness ? "which heads? those that cando audit sign printed, in a file"
                                     : c->verb->too_many);
    if (witness && !k->kept)
        return call_usage(c, "where are the heads kept? --kept FILE");
    if ((witness || k->action == run_sign) && !k->keys.n_sign)
        return call_usage(c, "with which secret key? --sign KEY");
    if (c->nats.url && (k->expect || k->witness || k->action == run_sign))
        return call_usage(c, "heads are of the trail of one node: without --nats");
    return EXIT_YES;
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    int code;
    k->q.limit = k->limit.value;
    if (k->action == run_witness)
        return run_witness(c);
    k->s = fleet_trail(c, k->action == run_add, k->wait.value, &code);
    if (!k->s)
        return code;
    code = k->action(c);
    k->s->ops->close(k->s);
    return code;
}

const struct verb verb_audit = {
    .name = "audit",
    .summary = "what was decided: the audit trail",
    .usage = "[OPTION]... [list | verify | export | retain | add | acknowledge | sign | witness "
             "HEADS]",
    .text =
        "The audit trail holds accepted downgrades, rejections, switches, spawns, catalog "
        "changes and observations; names and codes, never the text of a prompt. It is one "
        "SQLite file, append-only and chained by hashes.\n\n"
        "verify ends with 1 if any byte of it was changed or its end was cut off, and "
        "prints the number and hash of the newest record; keep these elsewhere and give "
        "them to --expect later. export prints JSON lines, each the record as it was "
        "hashed, with its hash added as the last member. add reads what cando switch --json "
        "prints (or the operation negotiate gives), one a line; other verbs record nothing by "
        "themselves, but cando learn and cando serve with --store do. retain drops the oldest "
        "records; a new "
        "record says so, and the rest can still be verified.\n\n"
        "If the trail does not go with what is known of its end (the file beside it, "
        "FILE-head), a record tells of that break, and verify fails until somebody "
        "acknowledges it: acknowledge --by NAME.\n\n"
        "sign prints the head of a whole trail, signed. Another machine adds it to those that it "
        "keeps (witness), with a signature of its own, unless the trail has gone back. With "
        "--witness verify holds the trail against them, so that an end that was cut off is found "
        "whoever could write to the trail.\n\n"
        "With --nats it is the trail of all nodes of a fleet, a chain for each; add needs "
        "--store, too, and sends from there.",
    .examples = "cando switch openai/gpt-5 --need tools --json | cando audit add --store t.db\n"
                "cando audit --store t.db --verdict rejected --since 30d\n"
                "cando audit verify --store t.db",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 2, NULL, "one of list, verify, export, retain, add, acknowledge, sign, witness"),
    .check = check,
    .paged = true,
    .run = run,
};
