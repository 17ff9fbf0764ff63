/*
 * cmd_help.c - cando help: the overview, a verb, the vocabulary, the papers.
 */
#include "verb.h"

#include <getopt.h>

enum { PAPER_MAN = 1, PAPER_BASH, PAPER_ZSH, PAPER_FISH };

struct ask {
    unsigned paper;
};

/* All behind it is what has been typed so far, with options that are not ours to read. */
static bool take_words(struct call *c, const struct option_row *o, const char *value)
{
    char **word = c->argv + optind;
    int n = 0;
    (void)o;
    (void)value;
    if (*word && strcmp(*word, "--") == 0)
        word++;
    while (word[n])
        n++;
    complete_words(word, n);
    c->code = EXIT_YES;
    return false;
}

static const struct option_row options[] = {
    {SETS("man", paper, PAPER_MAN, "print the manual page as scdoc source")},
    {SETS("bash", paper, PAPER_BASH, "print the bash completion: source <(cando help --bash)")},
    {SETS("zsh", paper, PAPER_ZSH, "print the zsh completion: source <(cando help --zsh)")},
    {SETS("fish", paper, PAPER_FISH, "print the fish completion: cando help --fish | source")},
    {TAKES("complete", take_words, NULL, "for these: what may stand for the last of the words")},
    {0},
};

static int run(struct call *c)
{
    const struct ask *k = c->ask;
    bool fields = c->n && strcmp(c->operand[0], "fields") == 0; /* not those of an API */
    const struct verb *v = c->n && !fields ? verb_find(c->operand[0]) : NULL;
    if (k->paper == PAPER_MAN)
        help_man();
    else if (k->paper)
        complete_script((enum shell)(k->paper - PAPER_BASH));
    else if (c->n > 1)
        return call_usage(c, "one verb at a time");
    else if (c->n == 0)
        help_overview(stdout);
    else if (v)
        help_verb(v);
    else if (fields)
        help_fields();
    else {
        struct nearest near = verb_nearest(c->operand[0]);
        return fail_unknown(CODE_unknown_verb, "there is no help on '%s'", c->operand[0], &near,
                            "did you mean cando help %s?", "cando help lists the verbs");
    }
    return EXIT_YES;
}

const struct verb verb_help = {
    .name = "help",
    .summary = "tells of the verbs, or lists the capabilities and other fields",
    .usage = "[OPTION]... [VERB | fields]",
    .text =
        "Without an operand it lists the verbs, with a verb it tells how to use it. cando help "
        "fields lists every field that a profile can have, with its type and what it says; cando "
        "fields --help tells of the verb.",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, MANY, NULL, NULL),
    .paged = true,
    .run = run,
};
