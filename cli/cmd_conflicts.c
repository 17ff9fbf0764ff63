/*
 * cmd_conflicts.c - cando conflicts: where sources disagree, worst first.
 */
#include "base/limits.h"
#include "engine.h"
#include "facts.h"
#include "pull.h"

enum { OPTION_SOURCE = OPTION_LONG, OPTION_FIELD, OPTION_PROVIDER, OPTION_BY, OPTION_KIND, OPTION_JSON };

static const struct option_row options[] = {
    {OPTION_SOURCE, "source", "NAME[@DAY]=FILE", NULL, "compare these files instead of what the catalog keeps; may be repeated"},
    {OPTION_FIELD, "field", "NAME", NULL, "only this field; price is every rate"},
    {OPTION_PROVIDER, "provider", "NAME", NULL, "only this provider"},
    {OPTION_BY, "by", "SOURCE", NULL, "only where this source spoke"},
    {OPTION_KIND, "kind", "KIND", "absurd conflict input-window rounding silent placeholder", "only this kind"},
    {'n', "limit", "N", NULL, "list at most N (30; 0: all)"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation conflicts"},
    ENGINE_OPTIONS,
    {0},
};

static void put_decoded(FILE *f, enum style style, struct str v, struct buf *b, size_t width)
{
    buf_clear(b);
    if (!pull_string(v, b))
        buf_putz(b, "nothing");
    out_cell(f, style, str_make(b->p, b->n), width);
}

static void put_conflict(struct str x, struct buf *b)
{
    put_decoded(stdout, STYLE_BOLD, pull_get(x, "provider"), b, 0);
    out_print(stdout, STYLE_BOLD, "/");
    put_decoded(stdout, STYLE_BOLD, pull_get(x, "model"), b, 0);
    fputs("  ", stdout);
    put_decoded(stdout, STYLE_PLAIN, pull_get(x, "field"), b, 0);
    fputs("  ", stdout);
    struct str kind = pull_get(x, "kind");
    bool bad = str_is(kind, "\"absurd\"") || str_is(kind, "\"conflict\"");
    put_decoded(stdout, bad ? STYLE_BAD : STYLE_NOTE, kind, b, 0);
    fputc('\n', stdout);
    for (struct str at = pull_get(x, "claims"), c; pull_next(&at, NULL, &c);) {
        bool wins = pull_kind(pull_get(c, "wins")) == PULL_TRUE;
        fputs(wins ? "  * " : "    ", stdout);
        put_decoded(stdout, wins ? STYLE_GOOD : STYLE_PLAIN, pull_get(c, "value"), b, 16);
        fputc(' ', stdout);
        put_decoded(stdout, STYLE_DIM, pull_get(c, "source"), b, 12);
        fputc(' ', stdout);
        put_decoded(stdout, STYLE_DIM, pull_get(c, "day"), b, 0);
        if (pull_kind(pull_get(c, "on")) == PULL_STRING) {
            fputs("  as ", stdout);
            put_decoded(stdout, STYLE_PLAIN, pull_get(c, "on"), b, 0);
        }
        fputc('\n', stdout);
    }
}

static void put_sums(struct str result, const char *key, const char *title, struct buf *b)
{
    bool first = true;
    for (struct str at = pull_get(result, key), k, v; pull_next(&at, &k, &v);) {
        uint64_t n = 0, lost = 0;
        if (first)
            out_cell(stdout, STYLE_DIM, str_of(title), 10);
        else
            fputs("          ", stdout);
        first = false;
        fputc(' ', stdout);
        put_decoded(stdout, STYLE_PLAIN, k, b, 28);
        if (pull_number(v, &n))
            printf(" %8ju\n", (uintmax_t)n);
        else {
            pull_number(pull_get(v, "won"), &n);
            pull_number(pull_get(v, "lost"), &lost);
            printf(" %8ju won, %ju lost\n", (uintmax_t)n, (uintmax_t)lost);
        }
    }
}

static void put_page(struct str result, uint64_t limit)
{
    struct buf b;
    uint64_t total = 0, shown = 0;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    for (struct str at = pull_get(result, "conflicts"), x; pull_next(&at, NULL, &x); shown++)
        put_conflict(x, &b);
    pull_number(pull_get(result, "total"), &total);
    if (shown)
        fputc('\n', stdout);
    if (total > shown)
        printf("%ju more; --limit %ju shows more of them\n\n", (uintmax_t)(total - shown), (uintmax_t)(limit * 4));
    out_count(stdout, total, "disagreement", "\n");
    put_sums(result, "by_kind", "by kind", &b);
    put_sums(result, "by_field", "by field", &b);
    put_sums(result, "by_source", "by source", &b);
    buf_free(&b);
}

struct question {
    struct facts_files files;
    const char *target, *text[4]; /* field, provider, source, kind */
    uint64_t limit;
    bool json;
};

static void put_text(struct buf *q, const char *key, const char *value)
{
    if (!value)
        return;
    buf_printf(q, ",\"%s\":", key);
    out_quoted(q, str_of(value));
}

static int ask(struct engine *e, const struct question *w)
{
    static const char *const keys[] = {"field", "provider", "source", "kind"};
    struct buf q;
    cando_error err;
    cando_status st = CANDO_OK;
    struct str reply = STR_NONE, result;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"conflicts\"");
    put_text(&q, "target", w->target);
    for (size_t i = 0; i < 4; i++)
        put_text(&q, keys[i], w->text[i]);
    if (w->limit)
        buf_printf(&q, ",\"limit\":%ju", (uintmax_t)w->limit);
    if (w->files.n)
        st = facts_put(&w->files, &q, &err);
    buf_putc(&q, '}');
    if (st == CANDO_OK && q.failed)
        st = error_memory(&err);
    int code = (int)st;
    if (st != CANDO_OK)
        out_error(&err);
    else if ((code = engine_ask(e, str_make(q.p, q.n), &reply, &result)) == EXIT_YES) {
        if (w->json)
            out_line(result);
        else
            put_page(result, w->limit);
    }
    engine_done(e, reply);
    buf_free(&q);
    return code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct question w = {.limit = 30};
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_SOURCE) {
            if (!facts_option(&w.files, a.value))
                return EXIT_QUESTION;
        } else if (id == OPTION_FIELD)
            w.text[0] = a.value;
        else if (id == OPTION_PROVIDER)
            w.text[1] = a.value;
        else if (id == OPTION_BY)
            w.text[2] = a.value;
        else if (id == OPTION_KIND && args_word(&a, id))
            w.text[3] = a.value;
        else if (id == 'n' && pull_number(str_of(a.value), &w.limit))
            continue;
        else if (id == OPTION_JSON)
            w.json = true;
        else if (!engine_option(&e, id, a.value))
            return id == 'n' ? args_usage(&a, "--limit takes a whole number") : args_stop(&a, id);
    }
    if (a.n_rest > 1)
        return args_usage(&a, "at most one model");
    w.target = a.n_rest ? a.rest[0] : NULL;
    int code = engine_open(&e);
    if (code == EXIT_YES)
        code = ask(&e, &w);
    engine_close(&e);
    return code;
}

const struct verb verb_conflicts = {
    .name = "conflicts",
    .summary = "shows where sources disagree, worst first",
    .usage = "[OPTION]... [PROVIDER/MODEL]",
    .text = "What each source said, and which won (*). From the claims that the catalog keeps with its facts, or, with --source, "
            "from files as models.dev, litellm and the others serve them.\n\n"
            "Told apart are prices that are out of all proportion (absurd), real conflicts, limits of the prompt against limits of the "
            "total (input-window), roundings, a yes against silence (silent), and zeros that nobody filled in (placeholder).",
    .options = options,
    .run = run,
};
