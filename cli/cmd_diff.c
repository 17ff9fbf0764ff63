/*
 * cmd_diff.c - cando diff: what does a switch from A to B gain and lose?
 */
#include "engine.h"
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
    [CANDO_STEP_KNOWN] = {"known of the second only", STYLE_DIM},
    [CANDO_STEP_UNKNOWN] = {"known of the first only", STYLE_DIM},
};

static void put_group(const cando_diff_answer *r, cando_step change, struct arena *ar)
{
    bool titled = false;
    for (size_t i = 0; i < r->n_changes; i++) {
        const cando_difference *x = &r->changes[i];
        if (x->change != change)
            continue;
        if (!titled)
            out(BOLD "%s" END "\n", groups[change].title);
        titled = true;
        out("  %c%-24s" END "%s -> %s\n", groups[change].style, x->field, value_words(&x->a, ar),
            value_words(&x->b, ar));
    }
}

static int run(struct call *c)
{
    cando_side a = {.model = c->operand[0]}, b = {.model = c->operand[1]};
    cando_diff_question q = {&a, &b};
    const cando_diff_answer *r = cando_ask_diff(c->engine, &q, c->room, &c->err);
    if (!call_page(c, "diff", r))
        return c->code;
    out(BOLD "%s" END " -> " BOLD "%s" END "\n", r->a, r->b);
    if (!r->n_changes)
        puts("no difference that anybody knows of");
    for (unsigned g = 0; g < sizeof groups / sizeof *groups; g++)
        put_group(r, (cando_step)g, &c->ar);
    return EXIT_YES;
}

const struct verb verb_diff = {
    .name = "diff",
    .summary = "what a switch from one model to another gains and loses",
    .usage = "[OPTION]... PROVIDER/MODEL PROVIDER/MODEL",
    .text = "Compares all that is known of two models: gains, losses, other changes, and what is "
            "known of one of them alone.\n\n"
            "Backends are models of the provider \"backend\": cando diff backend/claude "
            "backend/codex.",
    .options = options,
    .least = 2,
    .most = 2,
    .too_few = "takes two models",
    .too_many = "takes two models",
    .opens = OPENS_CATALOG,
    .run = run,
};
