/*
 * cost_plan.c - many requests priced in advance, and summed up: a batch file, a log of what was
 * sent, several files.
 *
 * A row a model: what its requests cost at least, usually and at most. One request at a time, as
 * the log of replies is read (cost_log.c); all sums are exact.
 */
#include "cost.h"

#include "base/decimal.h"
#include "base/map.h"
#include "screen.h"
#include "table.h"

enum { ENDS = 3, ROWS_MAX = 1000, SHOWN = 5 }; /* SHOWN: reasons, told one by one */
static const char *const ends[ENDS] = {"low", "expected", "high"};

struct row {
    const char *name, *tier;
    uint64_t requests, unknown;
    uint64_t input, output; /* tokens that are expected */
    struct decimal cost[ENDS];
};

struct cost_plan {
    struct call *c;
    const struct ask *ask;
    struct row *model, *compare, all;
    size_t n, cap;
    struct map index;
    uint64_t broken, told;
    bool failed;
};

/* -- sums -- */

static struct row *row_of(struct cost_plan *p, const cando_cost_answer *a)
{
    const char *tier = a->estimate->service_tier ? a->estimate->service_tier : "";
    const char *name = a->target ? a->target : a->estimate->model;
    if (!name)
        name = "(no model)";
    struct str own = str_printf(&p->c->ar, "%s%s%s", name, *tier ? "\t" : "", tier);
    uint32_t *at = own.p ? map_get(&p->index, own) : NULL;
    if (at)
        return &p->model[*at];
    if (p->n == ROWS_MAX) { /* the last row takes all further names */
        p->model[p->n - 1].name = "(others)";
        return &p->model[p->n - 1];
    }
    if (!own.p || !ARENA_GROW(&p->c->ar, p->model, p->n, p->cap) ||
        !map_put(&p->index, own, (uint32_t)p->n)) {
        p->failed = true;
        return NULL;
    }
    struct row *r = &p->model[p->n];
    *r = (struct row){.name = str_dup(&p->c->ar, str_of(name)).p};
    r->tier = *tier ? own.p + strlen(name) + 1 : NULL;
    p->failed |= !r->name;
    return &p->model[p->n++];
}

/* What one request adds to a row; a price that is not known at one end is not known. */
static void add_to(struct cost_plan *p, struct row *r, const cando_cost_answer *a)
{
    struct decimal d[ENDS];
    uint64_t in = 0, made = 0;
    bool known = a != NULL;
    if (!r)
        return;
    r->requests++;
    for (size_t i = 0; known && i < ENDS; i++) {
        const char *cost = cost_bill(a, i)->total_cost;
        known = cost && decimal_parse(str_of(cost), &d[i]);
    }
    if (a && cost_whole(cost_bill(a, 1)->input_tokens, &in))
        r->input += in;
    if (a && cost_whole(cost_bill(a, 1)->output_tokens, &made))
        r->output += made;
    r->unknown += !known;
    for (size_t i = 0; known && i < ENDS; i++)
        p->failed |= !decimal_add(&r->cost[i], &d[i], &r->cost[i]);
}

/* Why one of them has no price. */
static void tell(struct cost_plan *p, const char *file, uint64_t line, const char *why)
{
    if (++p->told > SHOWN)
        return;
    lines_complain(file, line, why);
}

void cost_plan_add(struct cost_plan *p, const char *file, uint64_t line, struct str text)
{
    text = str_trim(text);
    if (!text.n)
        return;
    cando_room_clear(p->c->room);
    const cando_cost_answer *a = cost_request(p->c, p->ask->target, p->ask->api, text);
    p->failed |= !a && p->c->err.status == CANDO_INTERNAL;
    if (!a) {
        p->broken++;
        tell(p, file, line, p->c->err.message);
        return;
    }
    uint64_t before = p->all.unknown;
    add_to(p, &p->all, a);
    add_to(p, row_of(p, a), a);
    if (p->all.unknown > before && a->estimate->high->n_unknown)
        tell(p, file, line, a->estimate->high->unknown[0].reason);
    const char *api = a->estimate->api;
    for (size_t i = 0; i < p->ask->n_compare; i++)
        add_to(p, &p->compare[i], cost_request(p->c, p->ask->compare[i], api, text));
}

int cost_plan_lines(struct cost_plan *p, const char *file, struct lines *l)
{
    struct str line = lines_last(l);
    enum line got = LINE_TEXT;
    for (; got == LINE_TEXT && !p->failed; got = lines_next(l, &line)) {
        cost_plan_add(p, file, l->number, line);
        if (screen_progress_due())
            out_to(stderr, "%s: %'ju requests", file, p->all.requests);
    }
    screen_progress_end();
    return lines_ended(l, got, file, p->failed);
}

/* -- the answer -- */

static bool is_unknown(const struct row *r)
{
    return r->unknown && r->unknown == r->requests;
}

static void add_row(struct table *t, const struct row *r, bool people)
{
    char text[DECIMAL_TEXT], digits[32];
    table_cell(t, STYLE_PLAIN, "%s%s%s%s", r->name, r->tier ? " (" : "", r->tier ? r->tier : "",
               r->tier ? ")" : "");
    for (size_t i = 0; i < 3; i++) {
        uint64_t n = i == 0 ? r->requests : i == 1 ? r->input : r->output;
        if (people)
            table_cell(t, STYLE_PLAIN, "%s", out_number(n, digits).p);
        else
            table_cell(t, STYLE_PLAIN, "%ju", (uintmax_t)n);
    }
    for (size_t i = 0; i < ENDS; i++)
        table_cell(t, is_unknown(r) ? STYLE_WARN : STYLE_PLAIN, "%s%s",
                   people && !is_unknown(r) ? "$" : "",
                   !is_unknown(r) ? decimal_text(&r->cost[i], text).p
                   : people       ? "unknown"
                                  : "");
    if (people && !r->unknown)
        table_cell(t, STYLE_PLAIN, "%s", "");
    else
        table_cell(t, STYLE_PLAIN, "%ju", (uintmax_t)r->unknown);
}

static int put_rows(const struct cost_plan *p, const char *title, const struct row *row, size_t n)
{
    struct table t = {.ar = &p->c->ar, .whole = "--csv"};
    bool people = !p->ask->csv;
    table_column(&t, title, COLUMN_LEFT);
    table_column(&t, "requests", COLUMN_RIGHT);
    table_column(&t, people ? "input" : "input_tokens", COLUMN_RIGHT | COLUMN_SPARE);
    table_column(&t, people ? "output" : "output_tokens", COLUMN_RIGHT | COLUMN_SPARE);
    for (size_t i = 0; i < ENDS; i++)
        table_column(&t, ends[i], COLUMN_POINT);
    table_column(&t, "unknown", COLUMN_RIGHT | COLUMN_SPARE);
    for (size_t i = 0; i < n; i++)
        add_row(&t, &row[i], people);
    return people ? table_print(&t, screen_room()) : table_csv(&t);
}

static void put_sum(const struct cost_plan *p)
{
    char low[DECIMAL_TEXT], usual[DECIMAL_TEXT], high[DECIMAL_TEXT];
    const struct row *r = &p->all;
    if (is_unknown(r)) {
        out("what %'ju request" PLURAL " will cost is unknown\n", r->requests);
        return;
    }
    out("%'ju request" PLURAL " will cost about " BOLD "$%s" END "%s ($%s to $%s)\n", r->requests,
        decimal_text(&r->cost[1], usual).p, r->unknown || p->broken ? " or more" : "",
        decimal_text(&r->cost[0], low).p, decimal_text(&r->cost[2], high).p);
    if (r->unknown)
        out("%'ju of them ha%s a cost that is not known\n", r->unknown,
            r->unknown == 1 ? "s" : "ve");
    if (!p->ask->output.known)
        out(DIM "answers are expected to have 500 tokens; --output N if you know better" END "\n");
}

static int put_page(const struct cost_plan *p)
{
    int code = put_rows(p, "model", p->model, p->n);
    out("\n");
    put_sum(p);
    if (code != EXIT_YES || !p->ask->n_compare)
        return code;
    out("\n");
    return put_rows(p, "the same requests at", p->compare, p->ask->n_compare);
}

static void json_row(const struct row *r, bool whole)
{
    char text[DECIMAL_TEXT];
    json("'requests':%ju,'unknown':%ju,'input_tokens':%ju,'output_tokens':%ju", r->requests,
         r->unknown, r->input, r->output);
    for (size_t i = 0; i < ENDS; i++)
        json(",%s:%s", ends[i], whole && !r->unknown ? decimal_text(&r->cost[i], text).p : NULL);
}

static void json_rows(const char *name, const struct row *row, size_t n)
{
    json(",%s:[", name);
    for (size_t i = 0; i < n; i++) {
        json(i ? ",{'target':%s,'service_tier':%s," : "{'target':%s,'service_tier':%s,",
             row[i].name, row[i].tier);
        json_row(&row[i], true);
        json("}");
    }
    json("]");
}

static void put_json(const struct cost_plan *p)
{
    json("{'currency':'USD','broken':%ju,", p->broken);
    json_row(&p->all, !p->broken);
    json_rows("models", p->model, p->n);
    json_rows("compare", p->compare, p->ask->n_compare);
    json("}\n");
}

/* -- all of it -- */

int cost_plan_begin(struct call *c, struct cost_plan **out)
{
    struct cost_plan *p = arena_alloc(&c->ar, sizeof *p);
    const struct ask *k = c->ask;
    if (k->since || k->until || k->n_by)
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, NULL,
                         "--since, --until and --by are for replies: a request has no date");
    if (!p)
        return fail_memory();
    *p = (struct cost_plan){.c = c, .ask = k};
    map_init(&p->index, &c->ar, false);
    p->compare = arena_array(&c->ar, k->n_compare, sizeof *p->compare);
    if (!p->compare)
        return fail_memory();
    for (size_t i = 0; i < k->n_compare; i++)
        p->compare[i].name = k->compare[i];
    *out = p;
    return EXIT_YES;
}

int cost_plan_end(struct cost_plan *p)
{
    char high[DECIMAL_TEXT];
    int code = EXIT_YES;
    if (p->failed)
        return fail_memory();
    if (p->told > SHOWN)
        out_to(stderr, "and %ju more like that\n", p->told - SHOWN);
    if (p->c->json)
        put_json(p);
    else if (p->ask->csv)
        code = put_rows(p, "target", p->model, p->n);
    else
        code = put_page(p);
    if (code != EXIT_YES)
        return code;
    bool known = !p->all.unknown;
    for (size_t i = 0; i < p->ask->n_compare; i++)
        known = known && !p->compare[i].unknown;
    code = p->broken ? EXIT_INPUT : known ? EXIT_YES : EXIT_NO;
    return cost_in_budget(p->c, decimal_text(&p->all.cost[2], high).p, code);
}
