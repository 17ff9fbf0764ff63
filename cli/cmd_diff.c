/*
 * cmd_diff.c - cando diff: what does a switch from A to B gain and lose?
 */
#include "base/limits.h"
#include "engine.h"
#include "value.h"

enum { OPTION_JSON = OPTION_LONG };

static const struct option_row options[] = {
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation diff"},
    ENGINE_OPTIONS,
    {0},
};

static void put_group(const cando_diff_answer *r, cando_step change, const char *title,
                      enum style style, struct buf *b)
{
    bool titled = false;
    for (size_t i = 0; i < r->n_changes; i++) {
        const cando_difference *x = &r->changes[i];
        if (x->change != change)
            continue;
        if (!titled) {
            out_print(stdout, STYLE_BOLD, title);
            fputc('\n', stdout);
        }
        titled = true;
        fputs("  ", stdout);
        out_cell(stdout, style, str_of(x->field), 24);
        value_words(&x->a, b);
        out_safe(stdout, str_make(b->p, b->n));
        fputs(" -> ", stdout);
        value_words(&x->b, b);
        out_safe(stdout, str_make(b->p, b->n));
        fputc('\n', stdout);
    }
}

static void put_page(const cando_diff_answer *r)
{
    struct buf b;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    out_cell(stdout, STYLE_BOLD, str_of(r->a), 0);
    fputs(" -> ", stdout);
    out_cell(stdout, STYLE_BOLD, str_of(r->b), 0);
    fputc('\n', stdout);
    if (!r->n_changes)
        puts("no difference that anybody knows of");
    put_group(r, CANDO_STEP_GAIN, "gains", STYLE_GOOD, &b);
    put_group(r, CANDO_STEP_LOSS, "losses", STYLE_BAD, &b);
    put_group(r, CANDO_STEP_CHANGE, "changes", STYLE_PLAIN, &b);
    put_group(r, CANDO_STEP_KNOWN, "known of the second only", STYLE_DIM, &b);
    put_group(r, CANDO_STEP_UNKNOWN, "known of the first only", STYLE_DIM, &b);
    buf_free(&b);
}

static int ask(const struct engine *e, const char *from, const char *to, bool json)
{
    cando_error err;
    cando_side a = {.model = from}, b = {.model = to};
    const cando_diff_answer *r =
        cando_ask_diff(e->c, &(cando_diff_question){&a, &b}, e->room, &err);
    if (!r)
        return engine_failed(&err);
    if (json)
        return engine_json(e, "diff", r);
    put_page(r);
    return EXIT_YES;
}

static int run(const struct verb *self, int argc, char **argv)
{
    bool json = false;
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            json = true;
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest != 2)
        return args_usage(&a, "takes two models");
    int code = engine_open(&e);
    if (code == EXIT_YES)
        code = ask(&e, a.rest[0], a.rest[1], json);
    engine_close(&e);
    return code;
}

const struct verb verb_diff = {
    .name = "diff",
    .summary = "what a switch from one model to another gains and loses",
    .usage = "[OPTION]... PROVIDER/MODEL PROVIDER/MODEL",
    .text =
        "Compares all that is known of two models: gains, losses, other changes, and what is known "
        "of one of them alone.\n\n"
        "Backends are models of the provider \"backend\": cando diff backend/claude backend/codex.",
    .options = options,
    .run = run,
};
