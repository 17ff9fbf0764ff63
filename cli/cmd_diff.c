/*
 * cmd_diff.c - cando diff: what does a switch from A to B gain and lose?
 */
#include "base/limits.h"
#include "engine.h"
#include "suggest.h"
#include "value.h"

static const struct option_row options[] = {
    {JSON("print the reply of the operation diff")},
    {.more = engine_options},
};

static const struct {
    const char *title;
    enum style style;
} groups[] = {
    [CANDO_STEP_GAIN] = {"gains", STYLE_GOOD},
    [CANDO_STEP_LOSS] = {"losses", STYLE_BAD},
    [CANDO_STEP_CHANGE] = {"changes", STYLE_PLAIN},
    [CANDO_STEP_KNOWN] = {"known of the second only", STYLE_PLAIN},
    [CANDO_STEP_UNKNOWN] = {"known of the first only", STYLE_PLAIN},
};

enum { NAME_WIDTH = 26 };

static bool is_rate(const cando_difference *x)
{
    return str_starts(str_of(x->field), STR("price."));
}

static void put_difference(const cando_difference *x, enum style style, struct arena *ar)
{
    out("  %c%-*s" END, style, NAME_WIDTH, x->field);
    struct str text = str_printf(ar, "%s -> %s", value_words(&x->a, ar), value_words(&x->b, ar));
    out_wrapped(stdout, text, NAME_WIDTH + 2, NAME_WIDTH + 2);
}

/* What is known of one of them only, all in one go. */
static void put_known(const cando_diff_answer *r, cando_step change, struct arena *ar)
{
    struct buf b;
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < r->n_changes; i++) {
        const cando_difference *x = &r->changes[i];
        if (x->change != change || is_rate(x) || strcmp(x->field, "price") == 0)
            continue;
        buf_printf(&b, "%s%s %s", b.n ? "; " : "", x->field,
                   value_words(change == CANDO_STEP_KNOWN ? &x->b : &x->a, ar));
    }
    if (!b.n)
        return;
    out(BOLD "%s" END "\n  ", groups[change].title);
    out_wrapped(stdout, STR_IN(b), 2, 2);
}

static void put_group(const cando_diff_answer *r, cando_step change, struct arena *ar)
{
    bool titled = false;
    for (size_t i = 0; i < r->n_changes; i++) {
        const cando_difference *x = &r->changes[i];
        if (x->change != change || is_rate(x))
            continue;
        if (!titled)
            out(BOLD "%s" END "\n", groups[change].title);
        titled = true;
        put_difference(x, groups[change].style, ar);
    }
}

/* What a model costs, as far as it is known. */
static struct priced price_of(struct call *c, const char *model)
{
    static const cando_value none = {.known = false};
    struct priced p = {.price = &none};
    cando_name name = {.model = model};
    cando_resolve_question q = {.target = &name};
    const cando_resolve_answer *a = cando_ask_resolve(c->engine, &q, c->room, NULL);
    bool sold = true;
    for (size_t i = 0; a && i < a->n_fields; i++) {
        const cando_value *v = &a->fields[i].value;
        if (strcmp(a->fields[i].name, "price") == 0)
            p.price = v;
        else if (strcmp(a->fields[i].name, "batch_discount_percent") == 0 && v->number <= 100)
            p.batch_percent = (unsigned)v->number;
        else if (strcmp(a->fields[i].name, "batch") == 0)
            sold = v->support != CANDO_UNSUPPORTED;
    }
    if (!sold)
        p.batch_percent = 0;
    return p;
}

/* Rates are told by the day on which they hold, so the lists are looked at whole. */
static void put_rates(struct call *c, const cando_diff_answer *r)
{
    size_t i = 0;
    while (i < r->n_changes && !is_rate(&r->changes[i]))
        i++;
    if (i == r->n_changes)
        return;
    struct priced a = price_of(c, r->a), b = price_of(c, r->b);
    out(BOLD "prices" END "\n");
    price_changes(&a, &b, NAME_WIDTH, &c->ar);
}

/* A price of one alone is unknown at the other: that is worth a line. */
static void put_prices(const cando_diff_answer *r)
{
    for (size_t i = 0; i < r->n_changes; i++) {
        const cando_difference *x = &r->changes[i];
        if (strcmp(x->field, "price") == 0 && x->a.known != x->b.known)
            out("the price of the %s is unknown\n", x->a.known ? "second" : "first");
    }
}

static int run(struct call *c)
{
    const char *of[2] = {suggest_target(c, c->operand[0]), NULL};
    of[1] = of[0] ? suggest_target(c, c->operand[1]) : NULL;
    if (!of[1])
        return EXIT_QUESTION;
    cando_side a = {.model = of[0]}, b = {.model = of[1]};
    cando_diff_question q = {&a, &b};
    const cando_diff_answer *r = cando_ask_diff(c->engine, &q, c->room, &c->err);
    if (!call_page(c, "diff", r))
        return c->code;
    for (int i = 0; i < c->n; i++)
        suggest_unknown(c, of[i]);
    out(BOLD "%s" END " -> " BOLD "%s" END "\n", r->a, r->b);
    if (!r->n_changes)
        puts("no difference that anybody knows of");
    put_group(r, CANDO_STEP_GAIN, &c->ar);
    put_group(r, CANDO_STEP_LOSS, &c->ar);
    put_rates(c, r);
    put_group(r, CANDO_STEP_CHANGE, &c->ar);
    put_prices(r);
    put_known(r, CANDO_STEP_KNOWN, &c->ar);
    put_known(r, CANDO_STEP_UNKNOWN, &c->ar);
    return EXIT_YES;
}

const struct verb verb_diff = {
    .name = "diff",
    .summary = "what changes from one model to another",
    .usage = "[OPTION]... PROVIDER/MODEL PROVIDER/MODEL",
    .text = "Compares all that is known of two models: gains, losses, other changes, and what is "
            "known of one of them alone.\n\n"
            "Backends are models of the provider \"backend\": cando diff backend/claude "
            "backend/codex.",
    .examples = "cando diff openai/gpt-4o openai/gpt-5",
    .options = options,
    OPERANDS(2, 2, "takes two models",
             "takes two models; cando matrix A B C lays several side by side"),
    .opens = OPENS_CATALOG,
    .paged = true,
    .run = run,
};
