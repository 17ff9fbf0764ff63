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
        out(BOLD "%-*s" END "%c%-9s" END, width + 2, code_name(c), out_severity(severity),
            severity_name(severity));
        out_note(stdout, str_of(code_text(c)), (size_t)width + 11, (size_t)width + 11);
    }
    return EXIT_YES;
}

/* The words that a capability's value is told in: people ask for those, too. */
static bool put_level(const char *name)
{
    static const char *const levels[][2] = {
        {"native", "the provider does it itself"},
        {"emulated", "something before the model makes up for it"},
        {"restricted", "only some of it, or only sometimes; the words behind it say which"},
        {"unsupported", "somebody says that it does not; cando why tells who"},
        {"unknown", "nobody says, neither yes nor no; it is never guessed"},
        {"inferred", "nobody said it of this offering, but of the same model elsewhere or of its "
                     "predecessor"},
    };
    for (size_t i = 0; i < COUNT_OF(levels); i++)
        if (strcmp(name, levels[i][0]) == 0) {
            out(BOLD "%s" END " (a value, no code)\n\n", name);
            out_wrapped(stdout, str_of(levels[i][1]), 0, 0);
            return true;
        }
    return false;
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
        return !c->json && put_level(c->operand[0]) ? EXIT_YES : unknown_code(c->operand[0]);
    cando_explain_question q = {c->operand[0]};
    const cando_explain_answer *a = cando_ask_explain(c->engine, &q, c->room, &c->err);
    if (!call_page(c, "explain", a))
        return c->code;
    out(BOLD "%s" END " (%c%s" END "): ", a->code, out_severity(a->severity),
        severity_name(a->severity));
    out_note(stdout, str_of(a->summary), 4,
             strlen(a->code) + strlen(severity_name(a->severity)) + 5);
    out("\n");
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
