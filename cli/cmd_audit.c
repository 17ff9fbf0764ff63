/*
 * cmd_audit.c - cando audit: what was decided, and the proof that nobody changed it.
 *
 *     list     records, for people or with --json
 *     verify   the chain, the file and its end; exit code 1 if anything is wrong
 *     export   records as JSON lines, each with its hash
 *     add      diagnostics (JSON lines from stdin) become records
 *     retain   drops what is old, and says so in the trail
 */
#define _POSIX_C_SOURCE 200809L
#include "base/instant.h"
#include "base/limits.h"
#include "base/sha256.h"
#include "engine.h"
#include "trail.h"

#include <stdlib.h>

enum {
    OPTION_SESSION = OPTION_LONG,
    OPTION_SINCE,
    OPTION_UNTIL,
    OPTION_MODEL,
    OPTION_VERDICT,
    OPTION_KIND,
    OPTION_BEFORE,
    OPTION_KEEP,
    OPTION_EXPECT,
    OPTION_CHANGE,
    OPTION_JSON,
};

static const struct option_row options[] = {
    TRAIL_OPTION,
    {OPTION_SESSION, "session", "ID", NULL, "only this session; add: of this session"},
    {OPTION_MODEL, "model", "[PROVIDER/]MODEL", NULL, "only what concerns this model"},
    {OPTION_VERDICT, "verdict", "WORD", "accepted degraded rejected", "only these verdicts"},
    {OPTION_KIND, "kind", "WORD",
     "switch downgrade rejection spawn catalog observation retention lost",
     "only this kind; add: switch or spawn"},
    {OPTION_SINCE, "since", "TIME", NULL,
     "from this time on: 2026-11-15, 2026-11-15T16:30:05Z, 30d"},
    {OPTION_UNTIL, "until", "TIME", NULL, "before this time"},
    {'n', "limit", "N", NULL, "at most N records; list shows the newest"},
    {OPTION_EXPECT, "expect", "N:HASH", NULL, "verify: this record must still be there, as it was"},
    {OPTION_BEFORE, "before", "TIME", NULL, "retain: drop what is older"},
    {OPTION_KEEP, "keep", "N", NULL, "retain: drop all but the newest N"},
    {OPTION_CHANGE, "change", "WORD", NULL, "add: what was tried (switch)"},
    {OPTION_JSON, "json", NULL, NULL, "print JSON"},
    {0},
};

struct audit {
    struct store *s;
    struct store_query q;
    bool json;
    uint64_t before, keep;
    const char *expect, *change;
    uint64_t shown;
    struct buf b;
    cando_room *room; /* of one record, or one line */
};

/* -- list and export ------------------------------------------------------------------- */

/* The record with its hash as the last member. */
static void put_json(struct buf *b, const struct store_record *r)
{
    char hex[SHA256_HEX];
    sha256_hex(r->hash, hex);
    buf_put(b, r->text.p, r->text.n ? r->text.n - 1 : 0);
    buf_printf(b, ",\"hash\":\"%s\"}", hex);
}

static bool export_record(void *user, const struct store_record *r)
{
    struct audit *a = user;
    buf_clear(&a->b);
    put_json(&a->b, r);
    out_line(str_make(a->b.p, a->b.n));
    a->shown++;
    return !a->b.failed;
}

static enum style style_of(const cando_event *e)
{
    return e->verdict == CANDO_REJECTED   ? STYLE_BAD
           : e->verdict == CANDO_DEGRADED ? STYLE_WARN
                                          : STYLE_GOOD;
}

static void put_text(const char *before, const char *text)
{
    fputs(before, stdout);
    out_safe(stdout, str_of(text));
}

static void put_event(const cando_event *e)
{
    char time[INSTANT_TEXT];
    out_cell(stdout, STYLE_DIM, str_head(instant_text(e->time, time), 19), 19);
    fputs("  ", stdout);
    out_cell(stdout, STYLE_BOLD, str_of(cando_event_kind_name(e->kind)), 11);
    fputc(' ', stdout);
    out_cell(stdout, style_of(e), e->decided ? str_of(verdict_word(e->verdict)) : STR("-"), 8);
    fputc(' ', stdout);
    out_cell(stdout, STYLE_PLAIN, str_of(e->session), 10);
    fputc(' ', stdout);
    put_text("", e->previous);
    put_text(e->previous ? " -> " : "", e->target);
    if (e->field) {
        put_text("  ", e->field);
        put_text(" = ", e->value);
    }
    for (size_t i = 0; i < e->n_missing; i++)
        put_text(i ? ", " : "  ", e->missing[i]);
    if (e->count && e->kind == CANDO_EVENT_RETENTION)
        printf("up to record %ju", (uintmax_t)e->count);
    else if (e->count)
        out_count(stdout, e->count, "record", "");
    fputc('\n', stdout);
}

static bool list_record(void *user, const struct store_record *r)
{
    struct audit *a = user;
    cando_event e;
    cando_error err;
    cando_room_clear(a->room);
    if (cando_event_decode(r->text.p, r->text.n, a->room, &e, &err) != CANDO_OK) {
        out_error(&err);
        return true;
    }
    printf("%6ju  ", (uintmax_t)r->n);
    put_event(&e);
    a->shown++;
    return true;
}

static int run_query(struct audit *a, store_record_fn *fn)
{
    cando_error err;
    cando_status st = a->s->ops->query(a->s, &a->q, fn, a, &err);
    if (st != CANDO_OK)
        out_error(&err);
    return st != CANDO_OK ? EXIT_INPUT : EXIT_YES;
}

static bool find_first(void *user, const struct store_record *r)
{
    *(uint64_t *)user = r->n;
    return true;
}

/* The newest N, oldest first: that is how a log reads. */
static int run_list(struct audit *a)
{
    cando_error err;
    a->q.limit = a->q.limit ? a->q.limit : 50;
    a->q.newest_first = true;
    if (a->s->ops->query(a->s, &a->q, find_first, &a->q.first, &err) != CANDO_OK) {
        out_error(&err);
        return EXIT_INPUT;
    }
    a->q.newest_first = false;
    int code = a->q.first ? run_query(a, a->json ? export_record : list_record) : EXIT_YES;
    if (!a->shown && !a->json)
        fputs("cando: no records\n", stderr);
    return code;
}

/* -- verify ---------------------------------------------------------------------------- */

struct expected {
    uint64_t n;
    unsigned char hash[SHA256_BYTES];
    bool found;
};

static bool compare(void *user, const struct store_record *r)
{
    struct expected *e = user;
    e->found = r->n == e->n && memcmp(r->hash, e->hash, sizeof e->hash) == 0;
    return true;
}

/* 12:<hash>, as verify printed it some time ago. */
static int check_expected(struct audit *a, struct store_report *r)
{
    struct expected e = {0};
    struct str s = str_of(a->expect);
    size_t colon = str_find_char(s, ':');
    cando_error err;
    for (size_t i = 0; i < colon && i < 18; i++)
        e.n = char_is_digit(s.p[i]) ? e.n * 10 + (uint64_t)(s.p[i] - '0') : UINT64_MAX / 20;
    if (!e.n || e.n > LIMIT_NUMBER || !sha256_parse(str_from(s, colon + 1), e.hash)) {
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--expect does not take '%s'",
                  a->expect);
        error_hint(&err, "the number and the hash of a record, as verify prints them: 12:ab34...");
        out_error(&err);
        return EXIT_QUESTION;
    }
    struct store_query q = {.first = e.n, .limit = 1};
    if (e.n >= r->first && e.n <= r->last &&
        a->s->ops->query(a->s, &q, compare, &e, &err) != CANDO_OK) {
        out_error(&err);
        return EXIT_INPUT;
    }
    if (!e.found && !r->problems++)
        snprintf(r->problem, sizeof r->problem, "record %ju is not the one that was expected%s",
                 (uintmax_t)e.n,
                 e.n < r->first  ? ": it was dropped"
                 : e.n > r->last ? ": the trail ends before it"
                                 : "");
    return EXIT_YES;
}

static void put_report(struct audit *a, const struct store_report *r, const char *hex)
{
    if (a->json) {
        buf_clear(&a->b);
        buf_printf(
            &a->b,
            "{\"whole\":%s,\"records\":%ju,\"first\":%ju,\"last\":%ju,\"head\":\"%s\",\"problem\":",
            r->problems ? "false" : "true", (uintmax_t)r->records, (uintmax_t)r->first,
            (uintmax_t)r->last, hex);
        if (r->problems)
            out_quoted(&a->b, str_of(r->problem));
        else
            buf_putz(&a->b, "null");
        buf_putz(&a->b, ",\"note\":");
        if (r->note[0])
            out_quoted(&a->b, str_of(r->note));
        else
            buf_putz(&a->b, "null");
        buf_putc(&a->b, '}');
        out_line(str_make(a->b.p, a->b.n));
        return;
    }
    if (r->problems) {
        cando_error err;
        error_set(&err, CANDO_BAD_INPUT, CODE_audit_damaged, "%s", r->problem);
        out_error(&err);
        return;
    }
    fputs("whole: ", stdout);
    out_count(stdout, r->records, "record", "");
    if (r->records)
        printf(", %ju to %ju, head %ju:%s", (uintmax_t)r->first, (uintmax_t)r->last,
               (uintmax_t)r->last, hex);
    fputc('\n', stdout);
    if (r->note[0])
        fprintf(stderr, "cando: note: %s\n", r->note);
}

static int run_verify(struct audit *a)
{
    cando_error err;
    struct store_report r;
    char hex[SHA256_HEX];
    if (a->s->ops->verify(a->s, &r, &err) != CANDO_OK) {
        out_error(&err);
        return EXIT_INPUT;
    }
    int code = a->expect ? check_expected(a, &r) : EXIT_YES;
    if (code != EXIT_YES)
        return code;
    sha256_hex(r.head, hex);
    put_report(a, &r, hex);
    return r.problems ? EXIT_NO : EXIT_YES;
}

/* -- retain and add -------------------------------------------------------------------- */

static int run_retain(struct audit *a)
{
    cando_error err;
    uint64_t dropped;
    if (a->s->ops->retain(a->s, a->before, a->keep, trail_now(), &dropped, &err) != CANDO_OK) {
        out_error(&err);
        return EXIT_INPUT;
    }
    if (a->json) {
        printf("{\"dropped\":%ju}\n", (uintmax_t)dropped);
    } else {
        fputs("dropped ", stdout);
        out_count(stdout, dropped, "record", "\n");
    }
    return EXIT_YES;
}

static void record_event(void *user, const cando_event *e)
{
    struct audit *a = user;
    cando_error err;
    if (a->s->ops->append(a->s, e, 1, &err) != CANDO_OK)
        out_error(&err);
    else
        a->shown++;
}

/* A line is a diagnostic, or the reply of `negotiate` around it. */
static int add_line(struct audit *a, cando_events *events, struct str line, uint64_t number)
{
    cando_error err;
    cando_event_kind kind =
        a->q.kind && strcmp(a->q.kind, "spawn") == 0 ? CANDO_EVENT_SPAWN : CANDO_EVENT_SWITCH;
    const char *change = a->change ? a->change : "switch";
    cando_room_clear(a->room);
    const cando_negotiate_answer *d = cando_negotiate_read(line.p, line.n, a->room, &err);
    if (d && cando_events_diagnostic(events, kind, trail_now(), a->q.session, change, d, &err) ==
                 CANDO_OK)
        return EXIT_YES;
    error_at(&err, STR("stdin"), (uint32_t)number, 0);
    out_error(&err);
    return (int)err.status;
}

static int run_add(struct audit *a)
{
    cando_error err;
    char *line = NULL;
    size_t cap = 0;
    ssize_t n;
    int code = EXIT_YES;
    cando_events *events = cando_events_new(NULL, &err);
    if (!events || !cando_events_subscribe(events, CANDO_EVERY_EVENT, record_event, a, &err)) {
        cando_events_free(events);
        out_error(&err);
        return EXIT_INTERNAL;
    }
    for (uint64_t number = 1; (n = getline(&line, &cap, stdin)) > 0; number++) {
        struct str s = str_make(line, (size_t)n);
        while (s.n && (s.p[s.n - 1] == '\n' || s.p[s.n - 1] == '\r' || s.p[s.n - 1] == ' '))
            s.n--;
        int one = s.n ? add_line(a, events, s, number) : EXIT_YES;
        code = one > code ? one : code;
    }
    free(line);
    cando_events_free(events);
    if (a->s->ops->flush(a->s, &err) != CANDO_OK) {
        out_error(&err);
        return EXIT_INPUT;
    }
    if (a->json) {
        printf("{\"added\":%ju}\n", (uintmax_t)a->shown);
    } else {
        fputs("added ", stdout);
        out_count(stdout, a->shown, "record", "\n");
    }
    return code;
}

/* -- the verb -------------------------------------------------------------------------- */

static bool read_number(const char *text, const char *option, uint64_t *out)
{
    char *end;
    if (char_is_digit(text[0]) && strlen(text) < 17) {
        *out = strtoull(text, &end, 10);
        if (!*end)
            return true;
    }
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--%s does not take '%s'", option, text);
    error_hint(&err, "a whole number");
    out_error(&err);
    return false;
}

static bool take_option(struct audit *a, struct args *args, int id, const char **path)
{
    switch (id) {
    case OPTION_STORE:
        *path = args->value;
        return true;
    case OPTION_SESSION:
        a->q.session = args->value;
        return true;
    case OPTION_MODEL:
        a->q.model = args->value;
        return true;
    case OPTION_VERDICT:
        a->q.verdict = args->value;
        return args_word(args, id);
    case OPTION_KIND:
        a->q.kind = args->value;
        return args_word(args, id);
    case OPTION_SINCE:
        return trail_time(args->value, "since", &a->q.since);
    case OPTION_UNTIL:
        return trail_time(args->value, "until", &a->q.until);
    case OPTION_BEFORE:
        return trail_time(args->value, "before", &a->before);
    case OPTION_KEEP:
        return read_number(args->value, "keep", &a->keep);
    case 'n':
        return read_number(args->value, "limit", &a->q.limit);
    case OPTION_EXPECT:
        a->expect = args->value;
        return true;
    case OPTION_CHANGE:
        a->change = args->value;
        return true;
    case OPTION_JSON:
        a->json = true;
        return true;
    default:
        return false;
    }
}

static int dispatch(struct audit *a, const char *what)
{
    if (strcmp(what, "verify") == 0)
        return run_verify(a);
    if (strcmp(what, "export") == 0)
        return run_query(a, export_record);
    if (strcmp(what, "retain") == 0)
        return run_retain(a);
    return strcmp(what, "add") == 0 ? run_add(a) : run_list(a);
}

static int run(const struct verb *self, int argc, char **argv)
{
    static const char *const actions[] = {"list", "verify", "export", "retain", "add"};
    struct audit a = {.keep = UINT64_MAX};
    const char *path = NULL, *what = "list";
    struct args args = args_begin(self, argc, argv);
    for (int id; (id = args_next(&args)) != ARGS_END;)
        if (!take_option(&a, &args, id, &path))
            return args_stop(&args, id);
    if (args.n_rest > 1)
        return args_usage(&args, "one of list, verify, export, retain, add");
    if (args.n_rest == 1) {
        what = NULL;
        for (size_t i = 0; i < sizeof actions / sizeof *actions; i++)
            if (strcmp(actions[i], args.rest[0]) == 0)
                what = actions[i];
        if (!what)
            return args_usage(&args, "one of list, verify, export, retain, add");
    }
    if (strcmp(what, "retain") == 0 && !a.before && a.keep == UINT64_MAX)
        return args_usage(&args, "what is to be dropped? --before TIME, or --keep N");
    int code;
    a.s = trail_open(trail_path(path), strcmp(what, "add") == 0, &code);
    if (!a.s)
        return code;
    cando_error err;
    buf_init(&a.b, NULL, 4 * LIMIT_EVENT_BYTES);
    a.room = cando_room_new(NULL, &err);
    code = a.room ? dispatch(&a, what) : engine_failed(&err);
    cando_room_free(a.room);
    buf_free(&a.b);
    a.s->ops->close(a.s);
    return code;
}

const struct verb verb_audit = {
    .name = "audit",
    .summary = "what was decided: list, verify, export, retain, add",
    .usage = "[OPTION]... [list|verify|export|retain|add]",
    .text = "The audit trail holds accepted downgrades, rejections, switches, spawns, catalog "
            "changes and observations; names and codes, never the text of a prompt. It is one "
            "SQLite file, append-only and chained by hashes.\n\n"
            "verify ends with 1 if any byte of it was changed or its end was cut off, and "
            "prints the number and hash of the newest record; keep these elsewhere and give "
            "them to --expect later. export prints JSON lines, each the record as it was "
            "hashed, with its hash added as the last member. add reads diagnostics, as the "
            "operation negotiate gives them, one a line. retain drops the oldest records; a new "
            "record says so, and the rest can still be verified.",
    .options = options,
    .run = run,
};
