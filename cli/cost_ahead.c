/*
 * cost_ahead.c - a request priced in advance, as a page: what it costs at least, usually
 * and at most, and what was assumed to say so.
 *
 * A comparison asks anew for each model, since each has its own tokenizer and its own
 * longest answer; only the form of the request stays the one that was found first.
 */
#include "cost_ahead.h"

#include "table.h"

#define ENDS 3
static const char *const ends[ENDS] = {"low", "expected", "high"};

static const cando_bill *bill_at(const cando_cost_answer *a, size_t end)
{
    const cando_bill *const bill[ENDS] = {a->estimate->low, a->estimate->expected,
                                          a->estimate->high};
    return bill[end];
}

/* `api`: of the request, where it is known. */
static const cando_cost_answer *ask_one(struct engine *e, const struct cost_ask *ask,
                                        const char *target, const char *api, struct str text,
                                        cando_error *err)
{
    cando_name name = {.model = target};
    cando_cost_question q = {.request = {text.p, text.n},
                             .api = api,
                             .at = ask->at,
                             .service_tier = ask->tier,
                             .output_tokens = ask->output};
    if (target)
        q.target = &name;
    else
        q.provider = ask->provider;
    return cando_ask_cost(e->c, &q, e->room, err);
}

/* -- the page ------------------------------------------------------------------------------- */

static void add_count(struct table *t, const char *count)
{
    char text[32];
    table_add(t, cost_count(count, text), count ? STYLE_PLAIN : STYLE_WARN);
}

static void add_money(struct table *t, const char *amount, enum style style)
{
    char text[256];
    snprintf(text, sizeof text, "$%s", amount ? amount : "");
    table_add(t, str_of(amount ? text : "unknown"), amount ? style : STYLE_WARN);
}

static bool put_ends(const cando_cost_answer *a)
{
    static const char *const rows[] = {"  input tokens", "  output tokens", "  input", "  output",
                                       "  total"};
    struct table t;
    table_init(&t);
    table_column(&t, "", false, false);
    for (size_t k = 0; k < ENDS; k++)
        table_column(&t, ends[k], true, false);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table_add(&t, str_of(rows[i]), STYLE_PLAIN);
        for (size_t k = 0; k < ENDS; k++) {
            const cando_bill *b = bill_at(a, k);
            const char *const value[] = {b->input_tokens, b->output_tokens, b->input_cost,
                                         b->output_cost, b->total_cost};
            if (i < 2)
                add_count(&t, value[i]);
            else
                add_money(&t, value[i], i == 4 ? STYLE_BOLD : STYLE_PLAIN);
        }
    }
    bool ok = table_print(&t, 0);
    table_free(&t);
    return ok;
}

static void put_assumptions(const cando_estimate *e, const struct cost_ask *ask)
{
    char text[32];
    fputs("  expected: ", stdout);
    if (e->choices > 1)
        printf("%s times ", out_number(e->choices, text).p);
    printf("%s tokens of output; %s", out_number(e->assumed_output_tokens, text).p, e->why);
    fputs(e->assumed_output_tokens && !ask->output.known ? " (--output N if you know better)\n"
                                                         : "\n",
          stdout);
    for (size_t i = 0; i < e->n_assumes; i++)
        printf("  %s\n", e->assumes[i]);
    if (!e->output_limit.known)
        return;
    printf("  high: an answer of %s tokens is the longest that ",
           out_number(e->output_limit.value, text).p);
    fputs(strcmp(e->output_limit_from, "request") == 0 ? "the request allows" : "the model gives",
          stdout);
    if (e->choices > 1)
        printf(", %s times", out_number(e->choices, text).p);
    fputc('\n', stdout);
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

static void put_note(const char *where, const cando_cost_unknown *x)
{
    printf("  note: %s%s%s%s%s\n", where, *where ? ": " : "", x->unit ? x->unit : "",
           x->unit ? ": " : "", x->reason);
}

/* What is unknown, once, and at which ends. Without a price nothing has a rate: that
 * there is none is enough. */
static void put_notes(const cando_estimate *e, bool priced)
{
    for (size_t i = 0; i < e->high->n_unknown; i++) {
        const cando_cost_unknown *x = &e->high->unknown[i];
        const char *where = has_unknown(e->low, x)        ? ""
                            : has_unknown(e->expected, x) ? "expected and high"
                                                          : "high";
        if (priced || !x->unit)
            put_note(where, x);
    }
    for (size_t i = 0; priced && i < e->expected->n_unknown; i++)
        if (!has_unknown(e->high, &e->expected->unknown[i]))
            put_note("expected", &e->expected->unknown[i]);
}

static bool show_page(const cando_cost_answer *a, const struct cost_ask *ask)
{
    const cando_estimate *e = a->estimate;
    /* if the price is unknown altogether, the first reason has no unit */
    bool priced = !a->n_unknown || a->unknown[0].unit;
    const char *name = a->target ? a->target : e->model ? e->model : "an unnamed model";
    out_cell(stdout, STYLE_BOLD, str_of(name), 0);
    printf(": what this request will cost (%s", e->api);
    if (e->service_tier) {
        fputs(", service tier ", stdout);
        out_safe(stdout, str_of(e->service_tier));
    }
    fputs(")\n\n", stdout);
    bool ok = put_ends(a);
    fputc('\n', stdout);
    put_assumptions(e, ask);
    put_notes(e, priced);
    if (a->target_from)
        fputs("  note: nobody said who shall answer, so it is the one whose API this is; "
              "--provider or --target says another\n",
              stdout);
    else if (!priced && !ask->target)
        fputs("  hint: --target PROVIDER/MODEL says who shall answer\n", stdout);
    return ok;
}

/* -- elsewhere --------------------------------------------------------------------------------- */

static void add_row(struct table *t, const char *name, const cando_cost_answer *a)
{
    char text[1100];
    snprintf(text, sizeof text, "  %s", name);
    table_add(t, str_of(text), STYLE_PLAIN);
    add_count(t, a->estimate->expected->input_tokens);
    for (size_t k = 0; k < ENDS; k++)
        add_money(t, bill_at(a, k)->total_cost, STYLE_PLAIN);
}

static int compare(struct engine *e, const struct cost_ask *ask, const char *api, struct str text)
{
    const cando_cost_answer *a[COST_COMPARE_MAX];
    struct table t;
    cando_error err;
    int code = EXIT_YES;
    for (unsigned i = 0; i < ask->n_compare; i++) {
        a[i] = ask_one(e, ask, ask->compare[i], api, text, &err);
        code = !a[i] ? engine_failed(&err) : ask->json ? engine_json(e, "cost", a[i]) : EXIT_YES;
        if (code != EXIT_YES)
            return code;
    }
    if (!ask->n_compare || ask->json)
        return code;
    table_init(&t);
    table_column(&t, "  the same request at", false, false);
    table_column(&t, "input tokens", true, true);
    for (size_t k = 0; k < ENDS; k++)
        table_column(&t, ends[k], true, false);
    for (unsigned i = 0; i < ask->n_compare; i++)
        add_row(&t, ask->compare[i], a[i]);
    fputc('\n', stdout);
    if (!table_print(&t, 0))
        code = EXIT_INTERNAL;
    table_free(&t);
    bool any = false;
    for (unsigned i = 0; i < ask->n_compare; i++) {
        const cando_bill *high = a[i]->estimate->high;
        if (high->n_unknown) /* why a row has no price */
            printf("%s  note: %s: %s\n", any ? "" : "\n", ask->compare[i], high->unknown[0].reason);
        any |= high->n_unknown != 0;
    }
    return code;
}

int cost_ahead(struct engine *e, const struct cost_ask *ask, struct str text)
{
    cando_error err;
    int code = EXIT_YES;
    const cando_cost_answer *a = ask_one(e, ask, ask->target, ask->api, text, &err);
    if (!a)
        return engine_failed(&err);
    if (ask->json)
        code = engine_json(e, "cost", a);
    else if (!show_page(a, ask))
        code = EXIT_INTERNAL;
    if (code == EXIT_YES)
        code = compare(e, ask, a->estimate->api, text);
    for (size_t k = 0; k < ENDS && code == EXIT_YES; k++)
        if (!bill_at(a, k)->total_cost)
            code = EXIT_NO;
    return code;
}
