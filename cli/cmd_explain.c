/*
 * cmd_explain.c - cando explain: the long text of a finding's or error's code.
 */
#include "verb.h"

static const struct option_row options[] = {
    {JSON("print the reply of the operation explain")},
    {0},
};

static int list_codes(void)
{
    int width = 0;
    for (unsigned c = 0; c < CODE_COUNT; c++) {
        int n = (int)strlen(code_name((enum code)c));
        width = n > width ? n : width;
    }
    for (unsigned i = 0; i < CODE_COUNT; i++) {
        enum code c = (enum code)i;
        cando_severity severity = code_severity(c);
        out(BOLD "%-*s" END "%c%-9s" END "%s\n", width + 2, code_name(c), out_severity(severity),
            severity_name(severity), code_text(c));
    }
    return EXIT_YES;
}

static int unknown_code(const char *name)
{
    struct nearest near = nearest_to(str_of(name));
    for (unsigned c = 0; c < CODE_COUNT; c++)
        nearest_try(&near, str_of(code_name((enum code)c)));
    if (strchr(name, ' '))
        return fail_with(CANDO_BAD_QUESTION, CODE_unknown_code,
                         "a code is one word; what a provider's message means: cando learn --help",
                         "'%.60s' is no code", name);
    return fail_unknown(CODE_unknown_code, "no code is called '%s'", name, &near,
                        "did you mean %s?", "cando explain lists all codes");
}

static int run(struct call *c)
{
    if (c->n == 0)
        return c->json ? call_usage(c, "which code?") : list_codes();
    if (code_find(str_of(c->operand[0])) == CODE_COUNT)
        return unknown_code(c->operand[0]);
    cando_explain_question q = {c->operand[0]};
    const cando_explain_answer *a = cando_ask_explain(c->engine, &q, c->room, &c->err);
    if (!call_page(c, "explain", a))
        return c->code;
    out(BOLD "%s" END " (%c%s" END "): %s\n\n", a->code, out_severity(a->severity),
        severity_name(a->severity), a->summary);
    out_wrapped(stdout, str_of(a->text), 0, 0);
    return EXIT_YES;
}

const struct verb verb_explain = {
    .name = "explain",
    .summary = "what a code such as parameter-renamed means, and what to do",
    .usage = "[OPTION]... [CODE]",
    .text = "Prints the long text of the code of a finding or an error. Without a code it lists "
            "them all.",
    .examples = "cando explain parameter-renamed",
    .options = options,
    OPERANDS(0, 1, NULL, "one code at a time"),
    .opens = OPENS_PLAIN,
    .paged = true,
    .run = run,
};
