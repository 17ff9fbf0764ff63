/*
 * verb.h - what a verb of the command line is, and how its options are read.
 *
 * Each verb is one file, cmd_<name>.c, that holds its summary, its options and
 * its code, and exports one `const struct verb verb_<name>`. verbs.def lists
 * them. The help texts, the man page and the completion are all made from
 * these tables, so they cannot disagree with what the program does.
 *
 * Exit codes: 0 yes, 1 no, 2 bad question, 3 bad input file, 4 internal.
 */
#ifndef CANDO_CLI_VERB_H
#define CANDO_CLI_VERB_H

#include "base/diag.h"

enum { EXIT_YES = 0, EXIT_NO = 1, EXIT_QUESTION = 2, EXIT_INPUT = 3, EXIT_INTERNAL = 4 };

struct option_row {
    int id;            /* its letter, or a number from OPTION_LONG up; 0 ends the table */
    const char *name;  /* "json" */
    const char *arg;   /* "FILE"; NULL: a switch */
    const char *words; /* the legal values, separated by spaces, or NULL */
    const char *help;
};
#define OPTION_LONG 256
#define OPTION_HELP 'h' /* every verb has it without a row */

struct verb {
    const char *name, *summary;
    const char *usage;                /* what follows the name: "[OPTION]... FILE..." */
    const char *text;                 /* paragraphs, separated by empty lines */
    const struct option_row *options; /* may be NULL */
    int (*run)(const struct verb *v, int argc,
               char **argv); /* argv[0] is the verb; gives the exit code */
};

#define VERB(name) extern const struct verb verb_##name;
#include "verbs.def"
#undef VERB

/* All verbs in the order of verbs.def; NULL ends the list. */
extern const struct verb *const verbs[];
const struct verb *verb_find(const char *name);
/* The nearest verb's name, or NULL. */
const char *verb_suggest(const char *name);

/* Steps through the options of a verb:
 *
 *     struct args a = args_begin(v, argc, argv);
 *     for (int id; (id = args_next(&a)) != ARGS_END;) {
 *         if (id == 'o')
 *             out = a.value;
 *         else
 *             return args_stop(&a, id);
 *     }
 *     a.rest[0 .. a.n_rest - 1] are the operands
 */
enum { ARGS_END = -1, ARGS_BAD = -2 };
struct args {
    const struct verb *verb;
    int argc;
    char **argv;
    const char *value; /* of the option just read */
    char **rest;
    int n_rest;
};
struct args args_begin(const struct verb *v, int argc, char **argv);
/* The id of the next option. A mistake has been reported when ARGS_BAD comes. */
int args_next(struct args *a);
/* For what a verb does not take: prints the help asked for, or ends a mistake
 * that has been reported. Gives the exit code. */
int args_stop(const struct args *a, int id);
/* Reports a wrong number of operands; gives the exit code. */
int args_usage(const struct args *a, const char *message);
/* Is the value just read one of the option's words? Reports it if not; the
 * caller then goes to args_stop. */
bool args_word(const struct args *a, int id);

/* The value just read as a whole number; false if it is none. */
bool args_number(const struct args *a, uint64_t *out);

void help_verb(const struct verb *v); /* to stdout */

#endif
