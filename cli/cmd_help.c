/*
 * cmd_help.c - cando help: the overview, a verb, the vocabulary, the papers.
 */
#include "help.h"
#include "out.h"
#include "verb.h"

enum { OPTION_MAN = OPTION_LONG, OPTION_BASH };

static const struct option_row options[] = {
    {OPTION_MAN, "man", NULL, NULL, "print the manual page as scdoc source"},
    {OPTION_BASH, "bash", NULL, NULL, "print the bash completion: source <(cando help --bash)"},
    {0},
};

static int unknown_topic(const char *name)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_verb, "there is no help on '%s'", name);
    const char *near = verb_suggest(name);
    if (near)
        error_hint(&err, "did you mean cando help %s?", near);
    else
        error_hint(&err, "cando help lists the verbs");
    out_error(&err);
    return EXIT_QUESTION;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id != OPTION_MAN && id != OPTION_BASH)
            return args_stop(&a, id);
        (id == OPTION_MAN ? help_man : help_bash)();
        return EXIT_YES;
    }
    if (a.n_rest > 1)
        return args_usage(&a, "one verb at a time");
    if (a.n_rest == 0) {
        help_overview(stdout);
        return EXIT_YES;
    }
    if (strcmp(a.rest[0], "fields") == 0) {
        help_fields();
        return EXIT_YES;
    }
    const struct verb *v = verb_find(a.rest[0]);
    if (!v)
        return unknown_topic(a.rest[0]);
    help_verb(v);
    return EXIT_YES;
}

const struct verb verb_help = {
    .name = "help",
    .summary = "tells of the verbs, or lists the fields of the vocabulary",
    .usage = "[OPTION]... [VERB | fields]",
    .text = "Without an operand it lists the verbs, with a verb it tells how to use it. cando help "
            "fields lists every field that "
            "a profile can have, with its type and what it says.",
    .options = options,
    .run = run,
};
