/*
 * main.c - finds the verb and runs it.
 *
 * A reader that goes away (cando ... | head -1) ends the program quietly by
 * SIGPIPE, whatever the parent had set. Everything else that hinders the
 * output is an error at the end.
 */
#define _POSIX_C_SOURCE 200809L
#include "help.h"
#include "out.h"
#include "verb.h"

#include <signal.h>
#include <stdlib.h>

static int unknown_verb(const char *name)
{
    cando_error err;
    bool option = name[0] == '-';
    if (option)
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "no option %s before a verb", name);
    else
        error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_verb, "no verb '%s'", name);
    const char *near = option ? NULL : verb_suggest(name);
    if (near)
        error_hint(&err, "did you mean 'cando %s'?", near);
    else
        error_hint(&err, "cando help lists the verbs");
    out_error(&err);
    return EXIT_QUESTION;
}

static int dispatch(int argc, char **argv)
{
    if (argc < 2) {
        help_overview(stderr);
        return EXIT_QUESTION;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
        help_overview(stdout);
        return EXIT_YES;
    }
    if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
        printf("cando %s\n", cando_version());
        return EXIT_YES;
    }
    const struct verb *v = verb_find(argv[1]);
    return v ? v->run(v, argc - 1, argv + 1) : unknown_verb(argv[1]);
}

/* $CANDO_TODAY: the day that counts as today. */
static bool set_today(void)
{
    cando_error err;
    const char *day = getenv("CANDO_TODAY");
    if (!day || !*day || cando_set_today(day, &err) == CANDO_OK)
        return true;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_date, "CANDO_TODAY is '%.40s', which is no day",
              day);
    error_hint(&err, "write it as 2026-11-15, or leave it out");
    out_error(&err);
    return false;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_DFL);
    out_init();
    return out_finish(set_today() ? dispatch(argc, argv) : EXIT_QUESTION);
}
