/*
 * args.c - reads a verb's options with getopt_long and suggests what was meant.
 *
 * getopt keeps its place in globals, so one verb is read at a time, which is
 * all that a command line needs. Its own messages are switched off: ours name
 * the verb and the nearest option.
 */
#include "verb.h"

#include "out.h"

#include <getopt.h>
#include <stdio.h>

#define MAX_OPTIONS 32

const struct verb *const verbs[] = {
#define VERB(name) &verb_##name,
#include "verbs.def"
#undef VERB
    NULL,
};

const struct verb *verb_find(const char *name)
{
    for (size_t i = 0; verbs[i]; i++)
        if (strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    return NULL;
}

const char *verb_suggest(const char *name)
{
    struct nearest near = nearest_to(str_of(name));
    for (size_t i = 0; verbs[i]; i++)
        nearest_try(&near, str_of(verbs[i]->name));
    return near.name.p && near.name.n ? near.name.p : NULL;
}

struct args args_begin(const struct verb *v, int argc, char **argv)
{
    optind = 0; /* glibc: start over, and forget a half-read group of letters */
    opterr = 0;
    return (struct args){.verb = v, .argc = argc, .argv = argv};
}

static const struct option_row *row_of(const struct verb *v, int id)
{
    for (const struct option_row *o = v->options; o && o->id; o++)
        if (o->id == id)
            return o;
    return NULL;
}

/* The option as it was typed, "--jsno" or "-x", for messages. */
static void report_unknown(const struct args *a)
{
    cando_error err;
    if (optopt && optopt < OPTION_LONG) {
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "%s has no option -%c", a->verb->name,
                  optopt);
        error_hint(&err, "cando help %s lists its options", a->verb->name);
        out_error(&err);
        return;
    }
    struct str typed = str_of(a->argv[optind - 1]);
    struct str name = str_head(typed, str_find_char(typed, '='));
    if (optopt) { /* a switch was given a value */
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "%.*s takes no value", STR_ARG(name));
        out_error(&err);
        return;
    }
    struct nearest near = nearest_to(str_from(name, 2));
    for (const struct option_row *o = a->verb->options; o && o->id; o++)
        nearest_try(&near, str_of(o->name));
    nearest_try(&near, str_of("help"));
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "%s has no option %.*s", a->verb->name,
              STR_ARG(name));
    if (near.name.n)
        error_hint(&err, "did you mean --%s?", near.name.p);
    else
        error_hint(&err, "cando help %s lists its options", a->verb->name);
    out_error(&err);
}

static void report_no_value(const struct args *a)
{
    const struct option_row *o = row_of(a->verb, optopt);
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--%s wants a value: --%s %s",
              o ? o->name : "?", o ? o->name : "?", o && o->arg ? o->arg : "VALUE");
    out_error(&err);
}

int args_next(struct args *a)
{
    struct option longs[MAX_OPTIONS + 2];
    char shorts[2 * MAX_OPTIONS + 4] = ":h";
    size_t n = 0, m = 2;
    for (const struct option_row *o = a->verb->options; o && o->id && n < MAX_OPTIONS; o++) {
        longs[n++] =
            (struct option){o->name, o->arg ? required_argument : no_argument, NULL, o->id};
        if (o->id < OPTION_LONG) {
            shorts[m++] = (char)o->id;
            if (o->arg)
                shorts[m++] = ':';
        }
    }
    shorts[m] = '\0';
    longs[n++] = (struct option){"help", no_argument, NULL, OPTION_HELP};
    longs[n] = (struct option){NULL, 0, NULL, 0};

    int id = getopt_long(a->argc, a->argv, shorts, longs, NULL);
    a->value = optarg;
    if (id == '?')
        report_unknown(a);
    else if (id == ':')
        report_no_value(a);
    if (id == '?' || id == ':')
        return ARGS_BAD;
    if (id == -1) {
        a->rest = a->argv + optind;
        a->n_rest = a->argc - optind;
        return ARGS_END;
    }
    return id;
}

int args_stop(const struct args *a, int id)
{
    if (id != OPTION_HELP)
        return EXIT_QUESTION;
    help_verb(a->verb);
    return EXIT_YES;
}

int args_usage(const struct args *a, const char *message)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_missing_argument, "%s: %s", a->verb->name, message);
    error_hint(&err, "usage: cando %s %s", a->verb->name, a->verb->usage);
    out_error(&err);
    return EXIT_QUESTION;
}

bool args_word(const struct args *a, int id)
{
    const struct option_row *o = row_of(a->verb, id);
    struct str rest = str_of(o && o->words ? o->words : "");
    char word[64];
    while (rest.n) {
        size_t n = str_find_char(rest, ' ');
        snprintf(word, sizeof word, "%.*s", (int)n, rest.p);
        if (strcmp(word, a->value) == 0)
            return true;
        rest = str_from(rest, n + 1);
    }
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--%s does not take '%s'",
              o ? o->name : "?", a->value);
    error_hint(&err, "one of: %s", o && o->words ? o->words : "");
    out_error(&err);
    return false;
}

bool args_number(const struct args *a, uint64_t *out)
{
    uint64_t n = 0;
    if (!*a->value || strlen(a->value) > 18)
        return false;
    for (const char *p = a->value; *p; p++) {
        if (!char_is_digit(*p))
            return false;
        n = n * 10 + (uint64_t)(*p - '0');
    }
    *out = n;
    return true;
}
