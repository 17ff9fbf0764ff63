/*
 * cmd_conflicts.c - cando conflicts: where sources disagree, worst first.
 */
#include "engine.h"
#include "facts.h"

enum {
    OPTION_SOURCE = OPTION_LONG,
    OPTION_FIELD,
    OPTION_PROVIDER,
    OPTION_BY,
    OPTION_KIND,
    OPTION_JSON
};

static const struct option_row options[] = {
    {OPTION_SOURCE, "source", "NAME[@DAY]=FILE", NULL,
     "compare these files instead of what the catalog keeps; may be repeated"},
    {OPTION_FIELD, "field", "NAME", NULL, "only this field; price is every rate"},
    {OPTION_PROVIDER, "provider", "NAME", NULL, "only this provider"},
    {OPTION_BY, "by", "SOURCE", NULL, "only where this source spoke"},
    {OPTION_KIND, "kind", "KIND", "absurd conflict input-window rounding silent placeholder",
     "only this kind"},
    {'n', "limit", "N", NULL, "list at most N (30; 0: all)"},
    {OPTION_JSON, "json", NULL, NULL, "print the reply of the operation conflicts"},
    ENGINE_OPTIONS,
    {0},
};

static const char *const kinds[] = {"",         "placeholder", "silent", "rounding", "input-window",
                                    "conflict", "absurd"};

static void put_conflict(const cando_conflict *x)
{
    out_print(stdout, STYLE_BOLD, x->provider);
    out_print(stdout, STYLE_BOLD, "/");
    out_print(stdout, STYLE_BOLD, x->model);
    fputs("  ", stdout);
    out_print(stdout, STYLE_PLAIN, x->field);
    fputs("  ", stdout);
    out_print(stdout, x->kind >= CANDO_CONFLICT_REAL ? STYLE_BAD : STYLE_NOTE, kinds[x->kind]);
    fputc('\n', stdout);
    for (size_t i = 0; i < x->n_claims; i++) {
        const cando_claim *c = &x->claims[i];
        fputs(c->wins ? "  * " : "    ", stdout);
        out_cell(stdout, c->wins ? STYLE_GOOD : STYLE_PLAIN,
                 str_of(c->value ? c->value : "nothing"), 16);
        fputc(' ', stdout);
        out_cell(stdout, STYLE_DIM, str_of(c->source), 12);
        fputc(' ', stdout);
        out_print(stdout, STYLE_DIM, c->day);
        if (c->on) {
            fputs("  as ", stdout);
            out_print(stdout, STYLE_PLAIN, c->on);
        }
        fputc('\n', stdout);
    }
}

static void put_name(const char *title, bool first, const char *name)
{
    if (first)
        out_cell(stdout, STYLE_DIM, str_of(title), 10);
    else
        fputs("          ", stdout);
    fputc(' ', stdout);
    out_cell(stdout, STYLE_PLAIN, str_of(name), 28);
}

static void put_tallies(const char *title, const cando_tally *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_name(title, i == 0, t[i].name);
        printf(" %8ju\n", (uintmax_t)t[i].n);
    }
}

static void put_page(const cando_conflicts_answer *a, uint64_t limit)
{
    for (size_t i = 0; i < a->n_conflicts; i++)
        put_conflict(&a->conflicts[i]);
    if (a->n_conflicts)
        fputc('\n', stdout);
    if (a->total > a->n_conflicts)
        printf("%ju more; --limit %ju shows more of them\n\n",
               (uintmax_t)(a->total - a->n_conflicts), (uintmax_t)(limit * 4));
    out_count(stdout, a->total, "disagreement", "\n");
    put_tallies("by kind", a->by_kind, a->n_by_kind);
    put_tallies("by field", a->by_field, a->n_by_field);
    for (size_t i = 0; i < a->n_by_source; i++) {
        const cando_score *s = a->by_source[i].score;
        put_name("by source", i == 0, a->by_source[i].name);
        printf(" %8ju won, %ju lost\n", (uintmax_t)s->won, (uintmax_t)s->lost);
    }
}

static int ask(struct engine *e, cando_conflicts_question *q, const struct facts_files *files,
               bool json)
{
    cando_error err;
    struct facts_texts texts = {0};
    const cando_conflicts_answer *a = NULL;
    if (facts_read(files, &texts, &err) == CANDO_OK) {
        q->sources = texts.n ? texts.source : NULL;
        q->n_sources = texts.n;
        a = cando_ask_conflicts(e->c, q, e->room, &err);
    }
    int code = !a ? engine_failed(&err) : json ? engine_json(e, "conflicts", a) : EXIT_YES;
    if (a && !json)
        put_page(a, q->limit.known ? q->limit.value : 0);
    facts_free(&texts);
    return code;
}

static cando_conflict_kind kind_of(const char *word)
{
    unsigned k = 1;
    while (strcmp(kinds[k], word) != 0)
        k++;
    return (cando_conflict_kind)k;
}

static int run(const struct verb *self, int argc, char **argv)
{
    cando_conflicts_question q = {0};
    struct facts_files files = {0};
    uint64_t limit = 30;
    bool json = false;
    struct engine e;
    engine_init(&e);
    struct args a = args_begin(self, argc, argv);
    for (int id; (id = args_next(&a)) != ARGS_END;) {
        if (id == OPTION_SOURCE) {
            if (!facts_option(&files, a.value))
                return EXIT_QUESTION;
        } else if (id == OPTION_FIELD)
            q.field = a.value;
        else if (id == OPTION_PROVIDER)
            q.provider = a.value;
        else if (id == OPTION_BY)
            q.source = a.value;
        else if (id == OPTION_KIND && args_word(&a, id))
            q.kind = kind_of(a.value);
        else if (id == 'n' && args_number(&a, &limit))
            continue;
        else if (id == OPTION_JSON)
            json = true;
        else if (!engine_option(&e, id, a.value))
            return id == 'n' ? args_usage(&a, "--limit takes a whole number") : args_stop(&a, id);
    }
    if (a.n_rest > 1)
        return args_usage(&a, "at most one model");
    cando_name target = {a.n_rest ? a.rest[0] : NULL, NULL};
    q.target = a.n_rest ? &target : NULL;
    q.limit = (cando_number){limit, limit > 0};
    int code = engine_open(&e);
    if (code == EXIT_YES)
        code = ask(&e, &q, &files, json);
    engine_close(&e);
    return code;
}

const struct verb verb_conflicts = {
    .name = "conflicts",
    .summary = "shows where sources disagree, worst first",
    .usage = "[OPTION]... [PROVIDER/MODEL]",
    .text = "What each source said, and which won (*). From the claims that the catalog keeps with "
            "its facts, or, with --source, "
            "from files as models.dev, litellm and the others serve them.\n\n"
            "Told apart are prices that are out of all proportion (absurd), real conflicts, limits "
            "of the prompt against limits of the "
            "total (input-window), roundings, a yes against silence (silent), and zeros that "
            "nobody filled in (placeholder).",
    .options = options,
    .run = run,
};
