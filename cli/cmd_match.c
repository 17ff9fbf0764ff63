/*
 * cmd_match.c - cando match: does a backend satisfy this work order?
 */
#include "decide.h"

enum { OPTION_JSON = OPTION_LONG, OPTION_ORDER, OPTION_NEED, OPTION_MANIFEST };

static const struct option_row options[] = {
    {OPTION_ORDER, "order", "FILE", NULL, "the work order, as JSON; \"-\" is stdin"},
    {OPTION_NEED, "need", "NAME", NULL,
     "a capability, NAME=native or NAME=any for another threshold; may be repeated"},
    {OPTION_MANIFEST, "manifest", "FILE", NULL, "a manifest, as JSON, instead of a backend"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation match"},
    ENGINE_OPTIONS,
    {0},
};

struct ask {
    const char *order, *manifest;
    struct values need;
    bool json;
};

/* "NAME", or "NAME=native" */
static bool add_need(struct arena *ar, const char *text, cando_order_need *out)
{
    static const char *const words[] = {"emulated", "native", "any"};
    const char *eq = strchr(text, '=');
    struct str name = str_make(text, eq ? (size_t)(eq - text) : strlen(text));
    unsigned level = 0;
    while (eq && level < 3 && strcmp(eq + 1, words[level]) != 0)
        level++;
    *out = (cando_order_need){str_dup(ar, name).p, (cando_min_support)level};
    if (level < 3)
        return true;
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_argument, "no threshold is called '%s'", eq + 1);
    error_hint(&err, "known: 'native', 'emulated', 'any'");
    out_error(&err);
    return false;
}

static int build(const struct engine *e, struct arena *ar, const struct ask *k,
                 cando_match_question *q)
{
    cando_order_need *need = arena_array(ar, k->need.n, sizeof *need);
    int code = need ? EXIT_YES : EXIT_INTERNAL;
    if (k->order)
        code = decide_file(e, "match", "work_order", k->order, q);
    if (code == EXIT_YES && k->manifest)
        code = decide_file(e, "match", "manifest", k->manifest, q);
    for (size_t i = 0; code == EXIT_YES && i < k->need.n; i++)
        if (!add_need(ar, k->need.v[i], &need[i]))
            code = EXIT_QUESTION;
    if (k->need.n) {
        q->required = need;
        q->n_required = k->need.n;
    }
    return code;
}

static void put_need(const char *word, enum style style, const cando_matched_need *x)
{
    fputs("  ", stdout);
    out_cell(stdout, style, str_of(word), 13);
    out_cell(stdout, STYLE_PLAIN, str_of(x->capability), 32);
    out_safe(stdout, str_of(x->strategy));
    if (x->reason && x->strategy)
        fputs(": ", stdout);
    out_safe(stdout, str_of(x->reason));
    fputc('\n', stdout);
}

static int put_page(const cando_matched *m)
{
    out_print(stdout, m->satisfied ? STYLE_GOOD : STYLE_BAD,
              m->satisfied ? "satisfied" : "not satisfied");
    fputc('\n', stdout);
    for (size_t i = 0; i < m->n_native; i++) {
        fputs("  ", stdout);
        out_cell(stdout, STYLE_GOOD, STR("native"), 13);
        out_safe(stdout, str_of(m->native[i]));
        fputc('\n', stdout);
    }
    for (size_t i = 0; i < m->n_emulated; i++)
        put_need("emulated", STYLE_WARN, &m->emulated[i]);
    for (size_t i = 0; i < m->n_unsupported; i++)
        put_need("unsupported", STYLE_BAD, &m->unsupported[i]);
    return m->satisfied ? EXIT_YES : EXIT_NO;
}

/* The exit code is that of the best one. */
static int put_ranking(const cando_match_answer *r)
{
    int code = EXIT_NO;
    for (size_t i = 0; i < r->n_ranking; i++) {
        const cando_matched *m = &r->ranking[i];
        code = m->satisfied ? EXIT_YES : code;
        out_cell(stdout, m->satisfied ? STYLE_GOOD : STYLE_BAD,
                 m->satisfied ? STR("yes") : STR("no"), 5);
        out_cell(stdout, STYLE_BOLD, str_of(m->backend), 14);
        printf("%zu native, %zu emulated, %zu unsupported", m->n_native, m->n_emulated,
               m->n_unsupported);
        for (size_t k = 0; k < m->n_unsupported; k++) {
            fputs(k ? ", " : ": ", stdout);
            out_safe(stdout, str_of(m->unsupported[k].capability));
        }
        fputc('\n', stdout);
    }
    return code;
}

static int answer(const struct engine *e, const cando_match_question *q, bool json)
{
    cando_error err;
    const cando_match_answer *r = cando_ask_match(e->c, q, e->room, &err);
    if (!r)
        return engine_failed(&err);
    if (!json)
        return r->match ? put_page(r->match) : put_ranking(r);
    const cando_matched *best = r->match ? r->match : r->n_ranking ? r->ranking : NULL;
    int code = engine_json(e, "match", r);
    return code != EXIT_YES ? code : best && best->satisfied ? EXIT_YES : EXIT_NO;
}

static int run(const struct verb *self, int argc, char **argv)
{
    struct ask k = {0};
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_JSON)
            k.json = true;
        else if (id == OPTION_ORDER)
            k.order = a.value;
        else if (id == OPTION_MANIFEST)
            k.manifest = a.value;
        else if (id == OPTION_NEED && values_add(&k.need, a.value))
            continue;
        else if (!engine_option(&e, id, a.value))
            return args_stop(&a, id);
    }
    if (a.n_rest > 1 || (a.n_rest && k.manifest))
        return args_usage(&a, "one backend, model or manifest at a time");
    if (!k.order && !k.need.n)
        return args_usage(&a, "what is needed? give --order or --need");
    if (k.order && k.need.n)
        return args_usage(&a, "--order and --need exclude each other");
    cando_match_question q = {.rank = !a.n_rest && !k.manifest};
    cando_name target = {a.n_rest ? a.rest[0] : NULL, NULL};
    /* a backend has a plain name, or is the provider "backend"'s */
    bool model = target.model && strchr(target.model, '/') &&
                 !str_starts(str_of(target.model), STR("backend/"));
    if (model)
        q.target = &target;
    else
        q.backend = target.model;
    struct arena ar;
    arena_init(&ar, NULL);
    int code = engine_open(&e);
    if (code == EXIT_YES)
        code = build(&e, &ar, &k, &q);
    if (code == EXIT_YES)
        code = answer(&e, &q, k.json);
    engine_close(&e);
    arena_free(&ar);
    return code;
}

const struct verb verb_match = {
    .name = "match",
    .summary = "does an agent backend satisfy a work order, and which does best?",
    .usage = "[OPTION]... [BACKEND | PROVIDER/MODEL]",
    .text =
        "Holds a work order against the manifest of a backend: what is native, what is emulated "
        "and how, what is missing and why. "
        "Without a backend all of the catalog's are ranked, the best first.\n\n"
        "The exit code is 0 if the order is satisfied, by the best one where several were asked.",
    .options = options,
    .run = run,
};
