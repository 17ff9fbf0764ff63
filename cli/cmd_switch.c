/*
 * cmd_switch.c - cando switch: may a session go to this model?
 */
#include "base/limits.h"
#include "decide.h"
#include "request.h"

#include <stdlib.h>

enum {
    OPTION_JSON = OPTION_LONG,
    OPTION_SESSION,
    OPTION_REQUEST,
    OPTION_NEED,
    OPTION_WANT,
    OPTION_FROM,
    OPTION_PARAMS,
    OPTION_HISTORY,
    OPTION_CLAIMS,
    OPTION_FORM,
    OPTION_UNKNOWN,
};

#define FORM_WORDS "claims manifest model_ref cando"
#define UNKNOWN_WORDS "warn allow deny"

static const struct option_row options[] = {
    {OPTION_SESSION, "session", "FILE", NULL, "the session's sources, as JSON; \"-\" is stdin"},
    {OPTION_REQUEST, "request", "FILE", NULL, "instead: a request whose needs they are, as JSON"},
    {'d', "dialect", "NAME", API_REQUEST_WORDS,
     "the API that the request is for, where its shape does not tell"},
    {OPTION_NEED, "need", "NAME", NULL, "a hard need, NAME=N with a least number; may be repeated"},
    {OPTION_WANT, "want", "NAME", NULL, "the same, but only preferred"},
    {OPTION_FROM, "from", "TARGET", NULL, "the model that is in force now"},
    {OPTION_PARAMS, "params", "FILE", NULL, "the session's parameters, as JSON"},
    {OPTION_HISTORY, "history", "FILE", NULL, "the conversation so far, as JSON of any dialect"},
    {OPTION_CLAIMS, "claims", "FILE", NULL, "what the provider claims of the model, as JSON"},
    {OPTION_FORM, "claims-form", "FORM", FORM_WORDS, "the form of these claims"},
    {OPTION_UNKNOWN, "unknown", "WORD", UNKNOWN_WORDS,
     "what an unknown capability does to a hard need"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation negotiate"},
    ENGINE_OPTIONS,
    {0},
};

struct ask {
    const char *session, *request, *params, *history, *claims;
    struct values need, want;
    cando_name target, from;
    cando_negotiate_question q;
    bool json;
};

static unsigned nth(const char *words, const char *wanted)
{
    struct str word;
    unsigned n = 0;
    while (words_next(&words, &word) && !str_is(word, wanted))
        n++;
    return n;
}

/* NAME, or NAME=N. */
static cando_status put_requirement(struct arena *ar, const char *spec, cando_level level,
                                    cando_requirement *out, cando_error *err)
{
    struct str text = str_of(spec), name = str_dup(ar, str_head(text, str_find_char(text, '=')));
    *out = (cando_requirement){.name = name.p, .level = level, .required_by = "command line"};
    if (!name.p)
        return error_memory(err);
    if (name.n == text.n)
        return CANDO_OK;
    const char *digits = spec + name.n + 1;
    char *end;
    out->minimum = (cando_number){strtoull(digits, &end, 10), true};
    if (char_is_digit(*digits) && !*end && out->minimum.value && out->minimum.value <= LIMIT_NUMBER)
        return CANDO_OK;
    return error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument,
                     "'minimum' must be a whole number of at least 1");
}

/* The needs of the command line. */
static cando_status put_requirements(struct arena *ar, struct ask *k, cando_error *err)
{
    const struct values *from[] = {&k->need, &k->want};
    size_t n = k->need.n + k->want.n, at = 0;
    cando_requirement *list = arena_array(ar, n, sizeof *list);
    cando_status st = list ? CANDO_OK : error_memory(err);
    for (unsigned w = 0; w < 2; w++)
        for (size_t i = 0; st == CANDO_OK && i < from[w]->n; i++)
            st = put_requirement(ar, from[w]->v[i], w ? CANDO_PREFERRED : CANDO_HARD, &list[at++],
                                 err);
    k->q.requirements = n ? list : NULL;
    k->q.n_requirements = n;
    return st;
}

static int put_files(const struct engine *e, struct ask *k)
{
    const struct {
        const char *member, *path;
    } file[] = {
        {"session", k->session}, {"request", k->request}, {"params", k->params},
        {"history", k->history}, {"profile", k->claims},
    };
    for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
        int code = file[i].path ? decide_file(e, "negotiate", file[i].member, file[i].path, &k->q)
                                : EXIT_YES;
        if (code != EXIT_YES)
            return code;
    }
    return EXIT_YES;
}

static void put_text(const char *before, const char *text)
{
    fputs(before, stdout);
    out_safe(stdout, str_of(text));
}

static void put_amount(const char *before, const cando_amount *a)
{
    char digits[32];
    fputs(before, stdout);
    if (!a->known)
        fputs("unknown", stdout);
    else if (a->type == CANDO_NUMBER)
        out_safe(stdout, out_number(a->number, digits));
    else if (a->type == CANDO_SUPPORT)
        out_safe(stdout, str_of(a->level));
    else if (!a->n_words)
        fputs("none", stdout);
    for (size_t i = 0; a->known && i < a->n_words; i++)
        put_text(i ? ", " : "", a->words[i]);
}

static void put_unmet(const cando_unmet *x, bool missing)
{
    fputs("  ", stdout);
    out_cell(stdout, missing ? STYLE_BAD : STYLE_WARN, str_of(x->capability), 20);
    put_amount(" needs at least ", &x->need);
    put_amount(", has ", &x->have);
    if (x->required_by)
        put_text("; required by ", x->required_by);
    if (!missing)
        put_text("; ", x->reason);
    fputc('\n', stdout);
}

static void put_param(const cando_param_affected *x)
{
    for (size_t i = 0; i < x->n_param_path; i++)
        put_text(i ? "." : "  ", x->param_path[i]);
    put_text(" will not apply: ", x->reason);
    put_text(" (from ", x->source_layer);
    fputs(")\n", stdout);
}

static void put_finding(const cando_finding *x)
{
    fputs("  ", stdout);
    out_cell(stdout, x->severity == CANDO_ERROR ? STYLE_BAD : STYLE_WARN, str_of(x->code), 20);
    put_text(" ", x->path[0] ? x->path : "the history");
    put_text(": ", x->message);
    if (x->hint)
        put_text("; ", x->hint);
    fputc('\n', stdout);
}

static void put_page(const cando_negotiate_answer *a)
{
    static const enum style styles[] = {
        [CANDO_ACCEPTED] = STYLE_GOOD, [CANDO_DEGRADED] = STYLE_WARN, [CANDO_REJECTED] = STYLE_BAD};
    out_cell(stdout, styles[a->verdict], str_of(verdict_word(a->verdict)), 0);
    put_text(": ", a->target);
    fputc('\n', stdout);
    for (size_t i = 0; i < a->n_missing; i++)
        put_unmet(&a->missing[i], true);
    for (size_t i = 0; i < a->n_warnings; i++)
        put_unmet(&a->warnings[i], false);
    for (size_t i = 0; i < a->n_findings; i++)
        put_finding(&a->findings[i]);
    for (size_t i = 0; i < a->n_params_affected; i++)
        put_param(&a->params_affected[i]);
    if (a->verdict == CANDO_REJECTED && a->active) {
        put_text("still on ", a->active);
        fputc('\n', stdout);
    }
    if (a->suggestion) {
        put_text("would fit: ", a->suggestion);
        fputc('\n', stdout);
    }
}

static int ask(const struct engine *e, struct arena *ar, struct ask *k)
{
    cando_error err;
    if (put_requirements(ar, k, &err) != CANDO_OK)
        return engine_failed(&err);
    int code = put_files(e, k);
    if (code != EXIT_YES)
        return code;
    const cando_negotiate_answer *a = cando_ask_negotiate(e->c, &k->q, e->room, &err);
    if (!a)
        return engine_failed(&err);
    if (k->json)
        code = engine_json(e, "negotiate", a);
    else
        put_page(a);
    return code == EXIT_YES && a->verdict == CANDO_REJECTED ? EXIT_NO : code;
}

static bool take_option(struct ask *k, struct args *a, int id)
{
    switch (id) {
    case OPTION_JSON:
        k->json = true;
        return true;
    case OPTION_SESSION:
        k->session = a->value;
        return true;
    case OPTION_REQUEST:
        k->request = a->value;
        return true;
    case 'd':
        k->q.api = a->value;
        return args_word(a, id);
    case OPTION_FROM:
        k->from.model = a->value;
        k->q.previous = &k->from;
        return true;
    case OPTION_PARAMS:
        k->params = a->value;
        return true;
    case OPTION_HISTORY:
        k->history = a->value;
        return true;
    case OPTION_CLAIMS:
        k->claims = a->value;
        return true;
    case OPTION_FORM:
        k->q.profile_form = (cando_claim_form)(1 + nth(FORM_WORDS, a->value));
        return args_word(a, id);
    case OPTION_UNKNOWN:
        k->q.unknown = (cando_unknown)nth(UNKNOWN_WORDS, a->value);
        return args_word(a, id);
    case OPTION_NEED:
        return values_add(&k->need, a->value);
    case OPTION_WANT:
        return values_add(&k->want, a->value);
    default:
        return false;
    }
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct ask k = {.q.target = &k.target};
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;)
        if (!take_option(&k, &a, id) && !engine_option(&e, id, a.value))
            return args_stop(&a, id);
    if (a.n_rest != 1)
        return args_usage(&a, a.n_rest ? "one target at a time" : "to which model?");
    k.target.model = a.rest[0];
    int code = engine_open(&e);
    struct arena ar;
    arena_init(&ar, NULL);
    if (code == EXIT_YES)
        code = ask(&e, &ar, &k);
    arena_free(&ar);
    engine_close(&e);
    return code;
}

const struct verb verb_switch = {
    .name = "switch",
    .summary = "may a session go to this model, and what would it lose?",
    .usage = "[OPTION]... PROVIDER/MODEL",
    .text = "Negotiates what a session needs against what the model has. Rejected (exit code 1) "
            "if a hard need is not met; degraded, and still accepted, if a preferred one is not "
            "or nobody knows. With --history also what of the conversation the model would "
            "refuse (rejected) or lose (degraded).\n\n"
            "Nothing is picked by itself: a model that would fit is only named.",
    .options = options,
    .run = run,
};
