/*
 * cost_log.c - prices replies of any number of files, and sums them up.
 *
 * One pass, one reply at a time: what is kept is a row for each group (a model, a day, or
 * what --by names), and there is a limit to their number, beyond which they share one row. So
 * the memory does not depend on the length of the log. All sums are exact.
 *
 * A reply is one as it came, or the list of a stream's events, or an envelope with the
 * reply in "response" and, where the log says so, its "target", "provider",
 * "service_tier" and "at".
 */
#define _POSIX_C_SOURCE 200809L
#include "cost.h"

#include "base/decimal.h"
#include "base/instant.h"
#include "base/limits.h"
#include "base/map.h"
#include "screen.h"
#include "table.h"
#include "value.h"

#include <stdlib.h>

enum {
    ROWS_MAX = 4000,
    BROKEN_SHOWN = 5, /* replies that could not be priced, shown one by one */
    GROUPS = 4,
};

/* What replies can be grouped by, in the order of COST_BY_WORDS. */
enum { BY_DAY, BY_MONTH, BY_MODEL, BY_PROVIDER };
static const char *const group_names[GROUPS] = {"day", "month", "model", "provider"};

struct row {
    const char *name; /* of each group, with tabs between them */
    uint64_t replies, unknown;
    uint64_t input, output; /* tokens */
    struct decimal cost;    /* of those that are known */
    bool unpriced;          /* of one whose provider is known, the cost is not */
};

struct rows {
    unsigned by[GROUPS];
    size_t n_by;
    struct row *row;
    size_t n, cap;
    struct map index;
};

struct cost_log {
    struct call *c;
    const struct ask *ask;
    struct rows models, days, by, compare;
    struct row all, reported;
    uint64_t broken, partial, left_out, undated;
    uint64_t nobodys; /* replies of which nobody says who gave them */
    bool failed;
};

/* -- sums -- */

static struct row *find_row(struct cost_log *s, struct rows *t, struct str name)
{
    uint32_t *at = map_get(&t->index, name);
    if (at)
        return &t->row[*at];
    if (t->n == ROWS_MAX) { /* the last row takes all further names */
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
static void add_row(struct cost_log *s, struct row *r, const char *cost, uint64_t input,
                    uint64_t output)
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

/* The group that a reply belongs to. */
static struct str group_of(const cando_cost_answer *a, unsigned by)
{
    struct str at = str_of(a->at), name = str_of(a->target ? a->target : a->reply->model);
    if (by == BY_DAY || by == BY_MONTH)
        return at.n ? str_head(at, by == BY_DAY ? 10 : 7) : STR("(no date)");
    if (by == BY_PROVIDER)
        return a->target ? str_head(name, str_find_char(name, '/')) : STR("(no provider)");
    return name.n ? name : STR("(no model)");
}

static struct row *row_of(struct cost_log *s, struct rows *t, const cando_cost_answer *a)
{
    char text[2048];
    size_t n = 0;
    for (size_t i = 0; i < t->n_by; i++) {
        struct str part = group_of(a, t->by[i]);
        int k = snprintf(text + n, sizeof text - n, "%s%.*s", i ? "\t" : "",
                         STR_ARG(str_head(part, 400)));
        n += k > 0 ? (size_t)k : 0;
    }
    return t->n_by ? find_row(s, t, str_make(text, n)) : NULL;
}

static void add_reply(struct cost_log *s, const cando_cost_answer *a)
{
    const char *theirs = a->reply->reported_cost;
    struct row *rows[] = {&s->all, row_of(s, &s->models, a), row_of(s, &s->days, a),
                          row_of(s, &s->by, a)};
    uint64_t input = count_of(a->reply, "input_tokens");
    uint64_t output = count_of(a->reply, "output_tokens");
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        add_row(s, rows[i], a->total_cost, input, output);
    s->nobodys += !a->target;
    if (rows[1] && a->target && !a->total_cost)
        rows[1]->unpriced = true;
    s->partial += a->reply->partial;
    if (theirs && decimal_parse(str_of(theirs), &(struct decimal){0}))
        add_row(s, &s->reported, theirs, 0, 0);
}

/* Is it of the time that was asked for? What has no date is not known to be. */
static bool is_asked_for(struct cost_log *s, const cando_cost_answer *a)
{
    const struct ask *k = s->ask;
    if (!k->since && !k->until)
        return true;
    bool inside = a->at && (!k->since || strcmp(a->at, k->since) >= 0) &&
                  (!k->until || strncmp(a->at, k->until, strlen(k->until)) <= 0);
    s->left_out += !inside;
    s->undated += !a->at;
    return inside;
}

/* -- replies -- */

static void broken_reply(struct cost_log *s, const char *file, uint64_t line, struct str text)
{
    const char *why =
        cost_is_value(text) ? s->c->err.message : "this line is not one JSON object or list";
    if (++s->broken > BROKEN_SHOWN)
        return;
    lines_complain(file, line, why);
}

void cost_log_add(struct cost_log *s, const char *file, uint64_t line, struct str text)
{
    while (text.n && strchr(" \t\r\n", text.p[0]))
        text = str_from(text, 1);
    if (!text.n)
        return;
    cando_room_clear(s->c->room);
    const cando_cost_answer *a = cost_reply(s->c, s->ask->target, text);
    s->failed |= !a && s->c->err.status == CANDO_INTERNAL;
    if (!a && !s->failed)
        broken_reply(s, file, line, text);
    if (!a || !is_asked_for(s, a))
        return;
    add_reply(s, a);
    for (size_t i = 0; i < s->ask->n_compare; i++) {
        a = cost_reply(s->c, s->ask->compare[i], text);
        s->failed |= !a && s->c->err.status == CANDO_INTERNAL;
        add_row(s, &s->compare.row[i], a ? a->total_cost : NULL, 0, 0);
    }
}

static void show_progress(const struct cost_log *s, const char *file, const struct lines *l)
{
    if (!screen_progress_due())
        return;
    out_to(stderr, "%s: %'ju replies", file, s->all.replies);
    if (l->size)
        out_to(stderr, ", %ju%%", l->bytes * 100 / l->size);
}

int cost_log_lines(struct cost_log *s, const char *file, struct lines *l)
{
    struct str line = lines_last(l);
    enum line got = LINE_TEXT;
    for (; got == LINE_TEXT && !s->failed; got = lines_next(l, &line)) {
        cost_log_add(s, file, l->number, line);
        show_progress(s, file, l);
    }
    screen_progress_end();
    return lines_ended(l, got, file, s->failed);
}

/* -- the answer -- */

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

/* The i-th group of a row; the last has the rest. */
static struct str group_name(const struct row *r, size_t i)
{
    struct str s = str_of(r->name);
    for (; i; i--)
        s = str_from(s, str_find_char(s, '\t') + 1);
    return str_head(s, str_find_char(s, '\t'));
}

static void add_money(struct table *t, const struct row *r, bool people)
{
    char money[DECIMAL_TEXT];
    bool none = r->unknown && r->unknown == r->replies;
    decimal_text(&r->cost, money);
    if (none)
        table_cell(t, STYLE_WARN, "%s", people ? "unknown" : "");
    else
        table_cell(t, STYLE_PLAIN, "%s", people ? money_text(money, t->ar) : money);
    if (people && !r->unknown)
        table_cell(t, STYLE_PLAIN, "%s", "");
    else
        table_cell(t, STYLE_PLAIN, "%ju", (uintmax_t)r->unknown);
}

static void add_count(struct table *t, uint64_t n, bool people)
{
    char text[32];
    if (people)
        table_cell(t, STYLE_PLAIN, "%s", out_number(n, text).p);
    else
        table_cell(t, STYLE_PLAIN, "%ju", (uintmax_t)n);
}

static void fill_table(const struct rows *g, struct table *t, bool people)
{
    for (size_t i = 0; i < g->n_by; i++)
        table_column(t, group_names[g->by[i]], COLUMN_LEFT);
    table_column(t, "replies", COLUMN_RIGHT);
    table_column(t, people ? "input" : "input_tokens", COLUMN_RIGHT);
    table_column(t, people ? "output" : "output_tokens", COLUMN_RIGHT);
    table_column(t, people ? "cost" : "known_cost", COLUMN_POINT);
    table_column(t, people ? "unpriced" : "unknown", COLUMN_RIGHT | COLUMN_SPARE);
    for (size_t k = 0; k < g->n; k++) {
        const struct row *r = &g->row[k];
        for (size_t i = 0; i < g->n_by; i++)
            table_cell(t, STYLE_PLAIN, "%.*s", STR_ARG(group_name(r, i)));
        add_count(t, r->replies, people);
        add_count(t, r->input, people);
        add_count(t, r->output, people);
        add_money(t, r, people);
    }
}

static int put_rows(const struct cost_log *s, const struct rows *g)
{
    struct table t = {.ar = &s->c->ar, .whole = "--csv"};
    if (!g->n)
        return EXIT_YES;
    fill_table(g, &t, true);
    int code = table_print(&t, screen_room());
    out("\n");
    return code;
}

static int put_compared(const struct cost_log *s)
{
    struct table t = {.ar = &s->c->ar, .whole = "--json"};
    if (!s->compare.n)
        return EXIT_YES;
    table_column(&t, "the same replies at", COLUMN_LEFT);
    table_column(&t, "cost", COLUMN_POINT);
    table_column(&t, "unpriced", COLUMN_RIGHT | COLUMN_SPARE);
    for (size_t i = 0; i < s->compare.n; i++) {
        table_cell(&t, STYLE_PLAIN, "%s", s->compare.row[i].name);
        add_money(&t, &s->compare.row[i], true);
    }
    out("\n");
    return table_print(&t, screen_room());
}

/* Models that answered and that have no price, or none for all that was used. */
static void put_unpriced(const struct cost_log *s)
{
    enum { NAMED = 3 };
    struct buf b;
    size_t n = 0;
    buf_init_arena(&b, &s->c->ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < s->models.n; i++)
        if (s->models.row[i].unpriced && ++n <= NAMED)
            buf_printf(&b, "%s%s", n > 1 ? ", " : "no price, or not for all that was used: ",
                       s->models.row[i].name);
    if (n > NAMED)
        buf_printf(&b, " and %zu more", n - NAMED);
    if (!n)
        return;
    buf_putz(&b, "; one of your own goes into cando.toml (cando init)");
    out(DIM);
    out_note(stdout, STR_IN(b), 0, 0);
    out(END);
}

static int put_page(const struct cost_log *s)
{
    char money[DECIMAL_TEXT];
    int code = s->by.n_by ? put_rows(s, &s->by) : put_rows(s, &s->models);
    if (code == EXIT_YES && !s->by.n_by)
        code = put_rows(s, &s->days);
    const char *plural = s->all.replies == 1 ? "y" : "ies";
    bool none = s->all.unknown && s->all.unknown == s->all.replies;
    if (none)
        out("what %'ju repl%s cost is unknown; %s\n", s->all.replies, plural,
            s->ask->n_providers || s->ask->target ? "no price of these models is known there"
                                                  : "--provider says who answered");
    else
        out("%'ju repl%s cost %s" BOLD "%s" END "\n", s->all.replies, plural,
            s->all.unknown || s->broken ? "at least " : "",
            money_text(decimal_text(&s->all.cost, money).p, &s->c->ar));
    if (s->all.unknown && !none)
        out("%'ju of them ha%s a cost that is not known\n", s->all.unknown,
            s->all.unknown == 1 ? "s" : "ve");
    put_unpriced(s);
    if ((s->nobodys || s->ask->n_providers) && s->all.unknown && !s->ask->target)
        out(DIM "--provider openai,anthropic names all who answered; a line of the log may say it\n"
                "itself: {\"provider\":..,\"response\":{..}}" END "\n");
    if (s->partial)
        out("%'zu stream" PLURAL " %s cut\n", (size_t)s->partial, s->partial == 1 ? "was" : "were");
    if (s->broken)
        out("%'zu line" PLURAL " could not be read\n", (size_t)s->broken);
    if (s->left_out > s->undated)
        out("%'ju of another time left out\n", s->left_out - s->undated);
    if (s->undated)
        out("%'ju without a date left out\n", s->undated);
    if (s->reported.replies)
        out("%'ju say themselves what they cost: %s\n", s->reported.replies,
            money_text(decimal_text(&s->reported.cost, money).p, &s->c->ar));
    return code == EXIT_YES ? put_compared(s) : code;
}

static int put_csv(const struct cost_log *s)
{
    struct table t = {.ar = &s->c->ar};
    fill_table(s->by.n_by ? &s->by : &s->models, &t, false);
    return table_csv(&t);
}

static void json_groups(const struct rows *t, const struct row *r, struct arena *ar)
{
    if (!t->n_by)
        json("'target':%s,", r->name);
    for (size_t i = 0; i < t->n_by; i++)
        json("%s:%s,", group_names[t->by[i]], str_dup(ar, group_name(r, i)).p);
}

static void json_rows(const char *list, const struct rows *t, struct arena *ar)
{
    char money[DECIMAL_TEXT];
    json(",%s:[", list);
    for (size_t i = 0; i < t->n; i++) {
        const struct row *r = &t->row[i];
        decimal_text(&r->cost, money);
        json(i ? ",{" : "{");
        json_groups(t, r, ar);
        json("'replies':%ju,'unknown':%ju,'input_tokens':%ju,'output_tokens':%ju,"
             "'known_cost':%s,'total_cost':%s}",
             r->replies, r->unknown, r->input, r->output, money, r->unknown ? NULL : money);
    }
    json("]");
}

static void put_json(const struct cost_log *s)
{
    char money[DECIMAL_TEXT];
    struct arena *ar = &s->c->ar;
    decimal_text(&s->all.cost, money);
    json("{'currency':'USD','replies':%ju,'unknown':%ju,'broken':%ju,'partial':%ju,"
         "'known_cost':%s,'total_cost':%s",
         s->all.replies, s->all.unknown, s->broken, s->partial, money,
         s->all.unknown || s->broken ? NULL : money);
    if (s->reported.replies)
        json(",'reported':{'replies':%ju,'cost':%s}", s->reported.replies,
             decimal_text(&s->reported.cost, money).p);
    json_rows("models", &s->models, ar);
    json_rows("days", &s->days, ar);
    if (s->by.n_by)
        json_rows("by", &s->by, ar);
    json_rows("compare", &s->compare, ar);
    json("}\n");
}

/* -- all of it -- */

static void rows_init(struct cost_log *s, struct rows *t, unsigned by)
{
    *t = (struct rows){.by = {by}, .n_by = 1};
    map_init(&t->index, &s->c->ar, false);
}

/* What --by names; each once. */
static int read_groups(struct cost_log *s)
{
    rows_init(s, &s->by, 0);
    s->by.n_by = 0;
    for (size_t i = 0; i < s->ask->n_by; i++) {
        unsigned by = 0;
        while (by < GROUPS && strcmp(group_names[by], s->ask->by[i]) != 0)
            by++;
        for (size_t k = 0; k < s->by.n_by; k++)
            by = s->by.by[k] == by ? GROUPS : by;
        if (by == GROUPS)
            return fail_with(CANDO_BAD_QUESTION, CODE_bad_option,
                             "one of: " COST_BY_WORDS ", each once", "--by does not take '%.80s'",
                             s->ask->by[i]);
        s->by.by[s->by.n_by++] = by;
    }
    return EXIT_YES;
}

int cost_log_begin(struct call *c, struct cost_log **out)
{
    struct cost_log *s = arena_alloc(&c->ar, sizeof *s);
    if (!s)
        return fail_memory();
    *out = s;
    *s = (struct cost_log){.c = c, .ask = c->ask};
    rows_init(s, &s->models, BY_MODEL);
    rows_init(s, &s->days, BY_DAY);
    s->compare.n = s->ask->n_compare;
    s->compare.row = arena_array(&c->ar, s->compare.n, sizeof *s->compare.row);
    if (!s->compare.row)
        return fail_memory();
    for (size_t i = 0; i < s->compare.n; i++)
        s->compare.row[i].name = s->ask->compare[i];
    return read_groups(s);
}

int cost_log_end(struct cost_log *s)
{
    int code = EXIT_YES;
    char known[DECIMAL_TEXT];
    if (s->failed)
        return fail_memory();
    if (s->models.n)
        qsort(s->models.row, s->models.n, sizeof *s->models.row, by_cost);
    if (s->days.n)
        qsort(s->days.row, s->days.n, sizeof *s->days.row, by_name);
    if (s->by.n)
        qsort(s->by.row, s->by.n, sizeof *s->by.row, by_name);
    if (s->broken > BROKEN_SHOWN)
        out_to(stderr, "and %ju more that could not be priced\n", s->broken - BROKEN_SHOWN);
    if (s->c->json)
        put_json(s);
    else
        code = s->ask->csv ? put_csv(s) : put_page(s);
    if (code != EXIT_YES)
        return code;
    code = s->broken ? EXIT_INPUT : s->all.unknown ? EXIT_NO : EXIT_YES;
    return cost_in_budget(s->c, decimal_text(&s->all.cost, known).p, code);
}
