/*
 * cmd_explain.c - cando explain: the long text of a finding's or error's code.
 */
#include "base/limits.h"
#include "engine.h"

enum { OPTION_JSON = OPTION_LONG };

static const struct option_row options[] = {
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation explain"},
    {0},
};

static enum style style_of(enum code c)
{
    return code_severity(c) == CANDO_ERROR     ? STYLE_BAD
           : code_severity(c) == CANDO_WARNING ? STYLE_WARN
                                               : STYLE_NOTE;
}

static int list_codes(void)
{
    size_t width = 0;
    for (unsigned c = 0; c < CODE_COUNT; c++) {
        size_t n = strlen(code_name((enum code)c));
        width = n > width ? n : width;
    }
    for (unsigned c = 0; c < CODE_COUNT; c++) {
        out_cell(stdout, STYLE_BOLD, str_of(code_name((enum code)c)), width + 2);
        out_cell(stdout, style_of((enum code)c), str_of(severity_name(code_severity((enum code)c))),
                 9);
        out_print(stdout, STYLE_PLAIN, code_text((enum code)c));
        fputc('\n', stdout);
    }
    return EXIT_YES;
}

static int unknown_code(const char *name)
{
    cando_error err;
    struct nearest near = nearest_to(str_of(name));
    for (unsigned c = 0; c < CODE_COUNT; c++)
        nearest_try(&near, str_of(code_name((enum code)c)));
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_code, "no code is called '%s'", name);
    if (near.name.n)
        error_hint(&err, "did you mean %s?", near.name.p);
    else
        error_hint(&err, "cando explain lists all codes");
    out_error(&err);
    return EXIT_QUESTION;
}

static int explain_json(const char *name)
{
    struct engine e;
    cando_error err;
    engine_init(&e);
    int code = engine_open(&e);
    if (code == EXIT_YES) {
        const cando_explain_answer *a =
            cando_ask_explain(e.c, &(cando_explain_question){name}, e.room, &err);
        code = a ? engine_json(&e, "explain", a) : engine_failed(&err);
    }
    engine_close(&e);
    return code;
}

static int run(const struct verb *self, int argc, char **argv)
{
    bool json = false;
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            json = true;
        else
            return args_stop(&a, id);
    }
    if (a.n_rest > 1 || (json && !a.n_rest))
        return args_usage(&a, a.n_rest ? "one code at a time" : "which code?");
    if (a.n_rest == 0)
        return list_codes();
    enum code c = code_find(str_of(a.rest[0]));
    if (c == CODE_COUNT)
        return unknown_code(a.rest[0]);
    if (json)
        return explain_json(a.rest[0]);
    out_print(stdout, STYLE_BOLD, code_name(c));
    fputs(" (", stdout);
    out_print(stdout, style_of(c), severity_name(code_severity(c)));
    printf("): %s\n\n", code_text(c));
    out_wrapped(stdout, str_of(code_explanation(c)), 0, 0);
    return EXIT_YES;
}

const struct verb verb_explain = {
    .name = "explain",
    .summary = "what a code such as rule-shadowed means, and what to do",
    .usage = "[OPTION]... [CODE]",
    .text = "Prints the long text of the code of a finding or an error. Without a code it lists "
            "them all.",
    .options = options,
    .run = run,
};
