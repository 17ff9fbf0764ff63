/*
 * main.c - finds the verb, reads its options, opens its catalog and runs it.
 *
 * A reader that goes away (cando ... | head -1) ends the program quietly by
 * SIGPIPE, whatever the parent had set. Everything else that hinders the
 * output is an error at the end.
 */
#define _POSIX_C_SOURCE 200809L
#include "engine.h"
#include "screen.h"
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

/* What other programs call it. */
static const char *const other_words[][2] = {
    {"compare", "diff"},   {"completions", "completion"},
    {"find", "models"},    {"info", "show"},
    {"list", "models"},    {"ls", "models"},
    {"prices", "models"},  {"price", "show"},
    {"repair", "fix"},     {"search", "models"},
    {"validate", "check"}, {"preflight", "check"},
    {"select", "pick"},    {"resolve", "show"},
    {"negotiate", "switch"},
};

/* Does anybody offer a model of this id? */
static bool is_model(const char *name)
{
    const cando_catalog *c = cando_catalog_builtin();
    for (size_t i = 0; i < cando_catalog_models(c); i++)
        if (strcmp(cando_catalog_model(c, i).id, name) == 0)
            return true;
    return false;
}

/* A file or a model where a verb should be, or the verb of another program: what is meant.
 * False: nobody knows. */
static bool hint_verb(const char *name, cando_error *err)
{
    const char *meant = NULL;
    for (size_t i = 0; i < COUNT_OF(other_words); i++)
        if (strcmp(name, other_words[i][0]) == 0)
            meant = other_words[i][1];
    if (meant)
        error_hint(err, "did you mean 'cando %s'?", meant);
    else if (access(name, F_OK) == 0)
        error_hint(err, "cando check %.200s judges a request", name);
    else if (strchr(name, '/') || is_model(name))
        error_hint(err, "cando show %.200s shows a model", name);
    return err->hint[0] != '\0';
}

static int unknown_verb(const char *name)
{
    struct nearest near = verb_nearest(name);
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_unknown_verb, "no verb '%.200s'", name);
    if (name[0] != '-' && hint_verb(name, &err))
        return fail(&err);
    if (name[0] == '-')
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_option, "cando help lists the verbs",
                         "no option %s before a verb", name);
    return fail_unknown(CODE_unknown_verb, "no verb '%s'", name, &near, "did you mean 'cando %s'?",
                        "cando help lists the verbs");
}

static int run(struct call *c, int argc, char **argv)
{
    const struct verb *v = c->verb;
    c->plain = v->opens == OPENS_PLAIN;
    c->argv = argv;
    c->ask = arena_alloc(&c->ar, v->ask);
    c->room = cando_room_new(NULL, &c->err);
    if (!c->ask || !c->room)
        return fail_memory();
    if (!call_read(c, argc, argv))
        return c->code;
    int code = v->check ? v->check(c) : EXIT_YES;
    if (code == EXIT_YES && v->opens != OPENS_NOTHING)
        code = engine_open(c);
    if (code != EXIT_YES)
        return code;
    if (v->paged && !c->no_pager)
        screen_pager();
    return v->run(c);
}

static int dispatch(int argc, char **argv)
{
    struct call c = {0};
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
    c.verb = verb_find(argv[1]);
    if (!c.verb)
        return unknown_verb(argv[1]);
    arena_init(&c.ar, NULL);
    int code = run(&c, argc - 1, argv + 1);
    cando_room_free(c.room);
    if (c.engine)
        cando_free(c.engine);
    arena_free(&c.ar);
    return code;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_DFL);
    screen_init();
    int code = engine_today();
    return out_finish(code == EXIT_YES ? dispatch(argc, argv) : code);
}
