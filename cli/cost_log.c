/*
 * cost_log.c - prices a log of replies, one a line, and sums it up.
 *
 * One pass, one line at a time: what is kept is a row for each model and each
 * day, and there is a limit to both, beyond which they share one row. So the
 * memory does not depend on the length of the log. All sums are exact.
 *
 * A line is a reply, or the list of a stream's events, or an envelope with the
 * reply in "response" and, where the log says so, its "target", "provider",
 * "service_tier" and "at".
 */
#define _POSIX_C_SOURCE 200809L
#include "cost.h"

#include "base/decimal.h"
#include "base/limits.h"
#include "base/map.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MODELS_MAX = 2000,
    DAYS_MAX = 4000,
    BROKEN_SHOWN = 5, /* lines that could not be priced, shown one by one */
    PROGRESS_LINES = 8192,
};

struct row {
    const char *name;
    uint64_t replies, unknown;
    uint64_t input, output; /* tokens */
    struct decimal cost;    /* of those that are known */
};

struct rows {
    const char *title;
    struct row *row;
    size_t n, cap, max;
    struct map index;
};

struct log {
    struct call *c;
    const struct ask *ask;
    const char *name;
    struct lines *in;
    struct rows models, days, compare;
    struct row all, reported;
    uint64_t broken, partial;
    uint64_t size; /* of the file; 0: it is none */
    bool failed, progress;
};

/* -- sums ------------------------------------------------------------------------------- */

static void rows_init(struct log *s, struct rows *t, const char *title, size_t max)
{
    t->title = title;
    t->max = max;
    map_init(&t->index, &s->c->ar, false);
}

static struct row *find_row(struct log *s, struct rows *t, struct str name)
{
    uint32_t *at = map_get(&t->index, name);
    if (at)
        return &t->row[*at];
    if (t->n == t->max) { /* the last row takes all further names */
        t->row[t->n - 1].name = "(others)";
        return &t->row[t->n - 1];
    }
    struct str own = str_dup(&s->c->ar, name);
    if (!own.p || !ARENA_GROW(&s->c->ar, t->row, t->n, t->cap) ||
        !map_put(&t->index, own, (uint32_t)t->n)) {
        s->failed = true;
        return NULL;
    }
    t->row[t->n] = (struct row){.name = own.p};
    return &t->row[t->n++];
}

/* What one reply adds to a row. `cost` NULL: not known. */
static void add_row(struct log *s, struct row *r, const char *cost, uint64_t input, uint64_t output)
{
    struct decimal d;
    if (!r)
        return;
    r->replies++;
    r->input += input;
    r->output += output;
    if (!cost || !decimal_parse(str_of(cost), &d))
        r->unknown++;
    else if (!decimal_add(&r->cost, &d, &r->cost))
        s->failed = true;
}

/* How many of a unit the reply counts; 0 if it does not say. */
static uint64_t count_of(const cando_usage_answer *reply, const char *unit)
{
    uint64_t n = 0;
    for (size_t i = 0; i < reply->n_usage; i++)
        if (strcmp(reply->usage[i].unit, unit) == 0)
            cost_whole(reply->usage[i].quantity, &n);
    return n;
}

static void add_reply(struct log *s, const cando_cost_answer *a)
{
    const char *name = a->target ? a->target : a->reply->model, *theirs = a->reply->reported_cost;
    struct str day = a->at ? str_head(str_of(a->at), 10) : STR("(no date)");
    struct row *rows[] = {&s->all, find_row(s, &s->models, str_of(name ? name : "(no model)")),
                          find_row(s, &s->days, day)};
    uint64_t input = count_of(a->reply, "input_tokens");
    uint64_t output = count_of(a->reply, "output_tokens");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        add_row(s, rows[i], a->total_cost, input, output);
    s->partial += a->reply->partial;
    if (theirs && decimal_parse(str_of(theirs), &(struct decimal){0}))
        add_row(s, &s->reported, theirs, 0, 0);
}

/* -- lines ---------------------------------------------------------------------------------- */

static void broken_line(struct log *s, struct str line)
{
    const char *why =
        cost_is_value(line) ? s->c->err.message : "this line is not one JSON object or list";
    if (++s->broken <= BROKEN_SHOWN)
        out_to(stderr, "%s:%ju: %.300s\n", s->name, (uintmax_t)s->in->number, why);
}

static void price_line(struct log *s, struct str line)
{
    while (line.n && (line.p[0] == ' ' || line.p[0] == '\t' || line.p[0] == '\r'))
        line = str_from(line, 1);
    if (!line.n)
        return;
    cando_room_clear(s->c->room);
    const cando_cost_answer *a = cost_reply(s->c, s->ask->target, line);
    s->failed |= !a && s->c->err.status == CANDO_INTERNAL;
    if (!a && !s->failed)
        broken_line(s, line);
    if (!a)
        return;
    add_reply(s, a);
    for (size_t i = 0; i < s->ask->n_compare; i++) {
        a = cost_reply(s->c, s->ask->compare[i], line);
        s->failed |= !a && s->c->err.status == CANDO_INTERNAL;
        add_row(s, &s->compare.row[i], a ? a->total_cost : NULL, 0, 0);
    }
}

static void show_progress(const struct log *s, bool end)
{
    if (!s->progress)
        return;
    fputs("\r\033[K", stderr);
    if (!end)
        out_to(stderr, "%'ju replies", (uintmax_t)s->all.replies);
    if (!end && s->size)
        out_to(stderr, ", %ju%%", (uintmax_t)(s->in->bytes * 100 / s->size));
    fflush(stderr);
}

static int read_log(struct log *s)
{
    struct str line = lines_last(s->in);
    enum line got = LINE_TEXT;
    for (; got == LINE_TEXT && !s->failed; got = lines_next(s->in, &line)) {
        price_line(s, line);
        if (s->in->number % PROGRESS_LINES == 0)
            show_progress(s, false);
    }
    if (got == LINE_LONG)
        return fail_with(CANDO_BAD_INPUT, CODE_too_long, NULL,
                         "%s:%ju: the line is longer than %u bytes", s->name,
                         (uintmax_t)s->in->number, LIMIT_LINE_BYTES);
    if (s->failed || s->in->in.failed)
        return fail_memory();
    if (got == LINE_FAILED)
        return fail_with(CANDO_BAD_INPUT, CODE_io, NULL, "cannot read %s: %s", s->name,
                         strerror(errno));
    return EXIT_YES;
}

/* -- the answer ------------------------------------------------------------------------------- */

static int by_cost(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    int c = decimal_cmp(&y->cost, &x->cost);
    return c ? c : strcmp(x->name, y->name);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct row *)a)->name, ((const struct row *)b)->name);
}

/* The cost of a row, and what of it is not known. */
static void put_cost(const struct row *r)
{
    char money[DECIMAL_TEXT];
    out("$%s", decimal_text(&r->cost, money).p);
    if (r->unknown)
        out("  and %'ju unknown", (uintmax_t)r->unknown);
    out("\n");
}

/* Of the first column. */
static int width_of(const struct rows *t, size_t width)
{
    for (size_t i = 0; i < t->n; i++) {
        size_t n = out_width(str_of(t->row[i].name));
        width = n > width ? n : width;
    }
    return (int)width + 2;
}

static void put_rows(const struct rows *t)
{
    int width = width_of(t, strlen(t->title));
    out("  " BOLD "%-*s" END "%12s%16s%16s  cost\n", width, t->title, "replies", "input", "output");
    for (size_t i = 0; i < t->n; i++) {
        const struct row *r = &t->row[i];
        out("  %-*s%'12ju%'16ju%'16ju  ", width, r->name, (uintmax_t)r->replies,
            (uintmax_t)r->input, (uintmax_t)r->output);
        put_cost(r);
    }
    out("\n");
}

static void put_page(const struct log *s)
{
    char money[DECIMAL_TEXT];
    put_rows(&s->models);
    put_rows(&s->days);
    out("  %'ju replies cost %s" BOLD "$%s" END "\n", (uintmax_t)s->all.replies,
        s->all.unknown || s->broken ? "at least " : "", decimal_text(&s->all.cost, money).p);
    if (s->all.unknown)
        out("  %'ju of them have a cost that is not known\n", (uintmax_t)s->all.unknown);
    if (s->partial)
        out("  %'ju streams were cut\n", (uintmax_t)s->partial);
    if (s->broken)
        out("  %'ju lines could not be read\n", (uintmax_t)s->broken);
    if (s->reported.replies)
        out("  %'ju say themselves what they cost: $%s\n", (uintmax_t)s->reported.replies,
            decimal_text(&s->reported.cost, money).p);
    if (s->compare.n)
        out("\n  the same replies at\n");
    for (size_t i = 0; i < s->compare.n; i++) {
        out("  %-*s", width_of(&s->compare, 0), s->compare.row[i].name);
        put_cost(&s->compare.row[i]);
    }
}

static void json_rows(const char *list, const struct rows *t)
{
    char money[DECIMAL_TEXT];
    json(",%s:[", list);
    for (size_t i = 0; i < t->n; i++) {
        const struct row *r = &t->row[i];
        decimal_text(&r->cost, money);
        if (i)
            json(",");
        json("{%s:%s,'replies':%ju,'unknown':%ju,'input_tokens':%ju,'output_tokens':%ju,"
             "'known_cost':%s,'total_cost':%s}",
             t->title, r->name, (uintmax_t)r->replies, (uintmax_t)r->unknown, (uintmax_t)r->input,
             (uintmax_t)r->output, money, r->unknown ? NULL : money);
    }
    json("]");
}

static void put_json(const struct log *s)
{
    char money[DECIMAL_TEXT];
    decimal_text(&s->all.cost, money);
    json("{'currency':'USD','replies':%ju,'unknown':%ju,'broken':%ju,'partial':%ju,"
         "'known_cost':%s,'total_cost':%s",
         (uintmax_t)s->all.replies, (uintmax_t)s->all.unknown, (uintmax_t)s->broken,
         (uintmax_t)s->partial, money, s->all.unknown || s->broken ? NULL : money);
    if (s->reported.replies)
        json(",'reported':{'replies':%ju,'cost':%s}", (uintmax_t)s->reported.replies,
             decimal_text(&s->reported.cost, money).p);
    json_rows("models", &s->models);
    json_rows("days", &s->days);
    json_rows("compare", &s->compare);
    json("}\n");
}

int cost_log(struct call *c, const char *name, struct lines *l)
{
    struct log s = {
        .c = c, .ask = c->ask, .name = name, .in = l, .progress = isatty(STDERR_FILENO) == 1};
    struct stat st;
    rows_init(&s, &s.models, "model", MODELS_MAX);
    rows_init(&s, &s.days, "day", DAYS_MAX);
    s.compare = (struct rows){.title = "target", .n = s.ask->n_compare};
    s.compare.row = arena_array(&c->ar, s.compare.n, sizeof *s.compare.row);
    if (!s.compare.row)
        return fail_memory();
    for (size_t i = 0; i < s.compare.n; i++)
        s.compare.row[i].name = s.ask->compare[i];
    if (fstat(l->fd, &st) == 0 && S_ISREG(st.st_mode))
        s.size = (uint64_t)st.st_size;
    int code = read_log(&s);
    show_progress(&s, true);
    if (code != EXIT_YES)
        return code;
    qsort(s.models.row, s.models.n, sizeof *s.models.row, by_cost);
    qsort(s.days.row, s.days.n, sizeof *s.days.row, by_name);
    if (s.broken > BROKEN_SHOWN)
        out_to(stderr, "%s: and %ju more lines that could not be priced\n", name,
               (uintmax_t)(s.broken - BROKEN_SHOWN));
    if (c->json)
        put_json(&s);
    else
        put_page(&s);
    return s.broken ? EXIT_INPUT : s.all.unknown ? EXIT_NO : EXIT_YES;
}
