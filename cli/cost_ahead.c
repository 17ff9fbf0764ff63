/*
 * cost_ahead.c - a request priced in advance, as a page: what it costs at least, usually
 * and at most, and what was assumed to say so.
 *
 * A comparison asks anew for each model, since each has its own tokenizer and its own
 * longest answer; only the form of the request stays the one that was found first.
 */
#include "cost.h"

#include "suggest.h"
#include "table.h"
#include "value.h"

#define ENDS 3
static const char *const ends[ENDS] = {"low", "expected", "high"};

const cando_bill *cost_bill(const cando_cost_answer *a, size_t end)
{
    const cando_bill *const bill[ENDS] = {a->estimate->low, a->estimate->expected,
                                          a->estimate->high};
    return bill[end];
}

/* -- the page -- */

static void add_count(struct table *t, const char *count)
{
    char text[32];
    table_cell(t, count ? STYLE_PLAIN : STYLE_WARN, "%s", cost_count(count, text));
}

static void add_ends(struct table *t)
{
    for (size_t k = 0; k < ENDS; k++)
        table_column(t, ends[k], COLUMN_RIGHT);
}

static int put_ends(const cando_cost_answer *a, struct arena *ar)
{
    static const char *const rows[] = {"  input tokens", "  output tokens", "  input", "  output",
                                       "  total"};
    struct table t = {.ar = ar};
    table_column(&t, "", COLUMN_LEFT);
    add_ends(&t);
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        table_cell(&t, STYLE_PLAIN, "%s", rows[i]);
        for (size_t k = 0; k < ENDS; k++) {
            const cando_bill *b = cost_bill(a, k);
            const char *const value[] = {b->input_tokens, b->output_tokens, b->input_cost,
                                         b->output_cost, b->total_cost};
            if (i < 2)
                add_count(&t, value[i]);
            else
                cost_money(&t, value[i], i == 4 ? STYLE_BOLD : STYLE_PLAIN);
        }
    }
    return table_print(&t, 0);
}

/* A line behind two spaces, built in the buffer, which is empty again. */
static void put_line(struct buf *b)
{
    out("  ");
    out_note(stdout, STR_IN(*b), 4, 4);
    buf_clear(b);
}

static void put_text(const char *text)
{
    out("  ");
    out_note(stdout, str_of(text), 4, 4);
}

static void put_found(const char *from)
{
    out_notef(stdout, 4, "  note: the provider is taken from %s; --provider says another", from);
}

static void put_assumptions(const cando_estimate *e, const struct ask *k, struct arena *ar)
{
    struct buf b;
    char times[40] = "", limit[32], assumed[32];
    buf_init_arena(&b, ar, 1u << 16);
    if (e->choices > 1)
        snprintf(times, sizeof times, "%ju times ", (uintmax_t)e->choices);
    bool told = !e->assumed_output_tokens || k->output.known;
    buf_printf(&b, "expected: %s%s tokens of output; %s%s", times,
               out_number(e->assumed_output_tokens, assumed).p, e->why,
               told ? "" : " (--output N if you know better)");
    put_line(&b);
    for (size_t i = 0; i < e->n_assumes; i++) {
        buf_putz(&b, e->assumes[i]);
        put_line(&b);
    }
    if (!e->output_limit.known)
        return;
    bool request = strcmp(e->output_limit_from, "request") == 0;
    buf_printf(&b, "high: an answer of %s tokens is the longest that %s",
               out_number(e->output_limit.value, limit).p,
               request ? "the request allows" : "the model gives");
    if (e->choices > 1)
        buf_printf(&b, ", %ju times", (uintmax_t)e->choices);
    put_line(&b);
}

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool has_unknown(const cando_bill *b, const cando_cost_unknown *x)
{
    for (size_t i = 0; i < b->n_unknown; i++)
        if (same_text(b->unknown[i].unit, x->unit) && same_text(b->unknown[i].reason, x->reason))
            return true;
    return false;
}

/* What is unknown, once, and at which ends. Without a price nothing has a rate: that
 * there is none is enough. */
static void put_notes(const cando_estimate *e, bool priced)
{
    for (size_t i = 0; i < e->high->n_unknown; i++) {
        const cando_cost_unknown *x = &e->high->unknown[i];
        const char *where = has_unknown(e->low, x)        ? ""
                            : has_unknown(e->expected, x) ? "expected and high: "
                                                          : "high: ";
        if (priced || !x->unit)
            cost_note(where, x);
    }
    for (size_t i = 0; priced && i < e->expected->n_unknown; i++)
        if (!has_unknown(e->high, &e->expected->unknown[i]))
            cost_note("expected: ", &e->expected->unknown[i]);
}

static int put_page(struct call *c, const cando_cost_answer *a)
{
    const struct ask *k = c->ask;
    const cando_estimate *e = a->estimate;
    /* if the price is unknown altogether, the first reason has no unit */
    bool priced = !a->n_unknown || a->unknown[0].unit;
    const char *name = a->target ? a->target : e->model ? e->model : "an unnamed model";
    const char *tier = e->service_tier ? e->service_tier : "";
    struct str what = str_printf(&c->ar, ": what this request will cost (%s%s%.40s)", e->api,
                                 *tier ? ", service tier " : "", tier);
    out(BOLD "%s" END, name);
    out_note(stdout, what, 4, out_width(str_of(name)));
    out("\n");
    int code = put_ends(a, &c->ar);
    out("\n");
    put_assumptions(e, k, &c->ar);
    cost_discount(a);
    put_notes(e, priced);
    if (a->target_from)
        put_found(a->target_from);
    else if (!priced && !k->target)
        put_text("hint: --target PROVIDER/MODEL says who shall answer; a price of your own goes "
                 "into cando.toml (cando init)");
    return code;
}

/* -- elsewhere -- */

static void add_row(struct table *t, const char *name, const cando_cost_answer *a)
{
    table_cell(t, STYLE_PLAIN, "  %s", name);
    add_count(t, a->estimate->expected->input_tokens);
    for (size_t k = 0; k < ENDS; k++)
        cost_money(t, cost_bill(a, k)->total_cost, STYLE_PLAIN);
}

static int put_compared(struct call *c, const cando_cost_answer *const *compared)
{
    const struct ask *k = c->ask;
    struct table t = {.ar = &c->ar}, notes = t; /* the notes come behind the table */
    table_column(&t, "  the same request at", COLUMN_LEFT);
    table_column(&t, "input tokens", COLUMN_RIGHT | COLUMN_SPARE);
    add_ends(&t);
    for (size_t i = 0; i < k->n_compare; i++) {
        add_row(&t, k->compare[i], compared[i]);
        const cando_bill *high = compared[i]->estimate->high;
        if (high->n_unknown) /* why a row has no price */
            table_cell(&notes, STYLE_PLAIN, "  note: %s: %s", k->compare[i],
                       high->unknown[0].reason);
    }
    if (!t.n)
        return EXIT_YES;
    out("\n");
    int code = table_print(&t, 0);
    for (size_t i = 0; i < notes.n; i++)
        out(i ? "%s\n" : "\n%s\n", notes.cell[i].text);
    return code;
}

int cost_of_request(struct call *c, struct str text)
{
    const struct ask *k = c->ask;
    const cando_cost_answer *a = cost_request(c, k->target, k->api, text);
    bool known = true;
    if (!a)
        return fail(&c->err);
    if (a->target && !a->estimate->low->total_cost && !c->json)
        suggest_unknown(c, a->target);
    const cando_cost_answer **compared = cost_compared(c, a->estimate->api, text);
    if (!compared)
        return c->code;
    if (c->json)
        c->code = cost_json(c, a, compared);
    else
        c->code = put_page(c, a);
    if (c->code == EXIT_YES && !c->json)
        c->code = put_compared(c, compared);
    for (size_t end = 0; end < ENDS; end++)
        known = known && cost_bill(a, end)->total_cost;
    known = known && cost_all_known(c, compared);
    return cost_in_budget(c, a->estimate->high->total_cost, call_end(c, known));
}
