/*
 * cmd_diff.c - cando diff: what does a switch from A to B gain and lose?
 */
#include "base/limits.h"
#include "decide.h"

enum { OPTION_JSON = OPTION_LONG };

static const struct option_row options[] = {
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation diff"},
    ENGINE_OPTIONS,
    {0},
};

static void put_group(struct str changes, const char *kind, const char *title, enum style style, struct buf *b)
{
    bool titled = false;
    for (struct str at = changes, v; pull_next(&at, NULL, &v);) {
        if (!str_is(text_of(v, "change", b), kind))
            continue;
        if (!titled) {
            out_print(stdout, STYLE_BOLD, title);
            fputc('\n', stdout);
        }
        titled = true;
        fputs("  ", stdout);
        out_cell(stdout, style, text_of(v, "field", b), 24);
        pull_words(pull_get(v, "a"), b);
        out_safe(stdout, str_make(b->p, b->n));
        fputs(" -> ", stdout);
        pull_words(pull_get(v, "b"), b);
        out_safe(stdout, str_make(b->p, b->n));
        fputc('\n', stdout);
    }
}

static void put_page(struct str result, struct buf *b)
{
    struct str changes = pull_get(result, "changes"), v, at = changes;
    out_cell(stdout, STYLE_BOLD, text_of(result, "a", b), 0);
    fputs(" -> ", stdout);
    out_cell(stdout, STYLE_BOLD, text_of(result, "b", b), 0);
    fputc('\n', stdout);
    if (!pull_next(&at, NULL, &v))
        puts("no difference that anybody knows of");
    put_group(changes, "gain", "gains", STYLE_GOOD, b);
    put_group(changes, "loss", "losses", STYLE_BAD, b);
    put_group(changes, "change", "changes", STYLE_PLAIN, b);
    put_group(changes, "known", "known of the second only", STYLE_DIM, b);
    put_group(changes, "unknown", "known of the first only", STYLE_DIM, b);
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
    if (code != EXIT_YES) {
        engine_close(&e);
        return code;
    }
    struct buf q, b;
    struct str reply = STR_NONE, result;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"diff\",\"a\":");
    out_quoted(&q, str_of(a.rest[0]));
    buf_putz(&q, ",\"b\":");
    out_quoted(&q, str_of(a.rest[1]));
    code = decide_ask(&e, &q, json, &reply, &result);
    if (code == EXIT_YES && !json)
        put_page(result, &b);
    engine_done(&e, reply);
    buf_free(&q);
    buf_free(&b);
    engine_close(&e);
    return code;
}

const struct verb verb_diff = {
    .name = "diff",
    .summary = "what a switch from one model to another gains and loses",
    .usage = "[OPTION]... PROVIDER/MODEL PROVIDER/MODEL",
    .text = "Compares all that is known of two models: gains, losses, other changes, and what is known of one of them alone.\n\n"
            "Backends are models of the provider \"backend\": cando diff backend/claude backend/codex.",
    .options = options,
    .run = run,
};
