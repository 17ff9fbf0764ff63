/*
 * cmd_conflicts.c - cando conflicts: where sources disagree, worst first.
 */
#include "base/limits.h"
#include "engine.h"
#include "facts.h"
#include "suggest.h"
#include "value.h"

struct ask {
    const struct source *source;
    size_t n_source;
    unsigned kind; /* its word, from 1 on */
    cando_conflicts_question q;
};

#define KINDS "absurd conflict input-window rounding silent placeholder"

static const struct option_row options[] = {
    {SOURCES("NAME[@DAY]=FILE",
             "compare these files instead of what the catalog keeps; may be repeated")},
    {TEXT("field", q.field, "NAME", "only this field; price is every rate")},
    {TEXT("provider", q.provider, "NAME", "only this provider")},
    {TEXT("by", q.source, "SOURCE", "only where this source spoke")},
    {WORD("kind", kind, "KIND", KINDS, "only this kind"), .value = 1},
    {NUMBER("limit", q.limit, "N", "list at most N (30; 0: all)"), .letter = 'n'},
    {JSON("print the reply of the operation conflicts")},
    {.more = engine_options},
};

static struct str kind_word(cando_conflict_kind kind)
{
    struct str word = STR("");
    const char *words = KINDS; /* the worst first */
    for (unsigned k = CANDO_CONFLICT_ABSURD + 1; k > kind && words_next(&words, &word);)
        k--;
    return word;
}

/* "1,048,576", "$0.55", or the word as it is. */
static const char *claim_words(const cando_conflict *x, const cando_claim *claim, struct arena *ar)
{
    struct buf b;
    char digits[32];
    uint64_t n;
    const char *value = claim->value ? claim->value : "nothing";
    buf_init_arena(&b, ar, LIMIT_JSON_BYTES);
    if (!claim->value)
        return value;
    if (str_starts(str_of(x->field), STR("price.")))
        price_words(str_of(value), &b);
    else if (char_is_digit(*value) && read_number(value, &n))
        buf_puts(&b, out_number(n, digits));
    else
        return value;
    return buf_cstr(&b) ? b.p : value;
}

void conflict_print(const cando_conflict *x, size_t indent, struct arena *ar)
{
    out("%s  %c%.*s" END "\n", x->field, x->kind >= CANDO_CONFLICT_REAL ? STYLE_BAD : STYLE_NOTE,
        STR_ARG(kind_word(x->kind)));
    for (size_t i = 0; i < x->n_claims; i++) {
        const cando_claim *c = &x->claims[i];
        out("%*s%s %c%-16s" END " " DIM "%-12s" END " " DIM "%s" END MAYBE("  as %s") "\n",
            (int)indent, "", c->wins ? "*" : " ", c->wins ? STYLE_GOOD : STYLE_PLAIN,
            claim_words(x, c, ar), c->source, c->day, c->on);
    }
}

static void put_conflict(const cando_conflict *x, struct arena *ar)
{
    out(BOLD "%s/%s" END "  ", x->provider, x->model);
    conflict_print(x, 2, ar);
}

static void put_name(const char *title, bool first, const char *name)
{
    out(DIM "%-10s" END " %-28s", first ? title : "", name);
}

static void put_tallies(const char *title, const cando_tally *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        put_name(title, i == 0, t[i].name);
        out(" %8ju\n", t[i].n);
    }
}

static void put_page(const cando_conflicts_answer *a, uint64_t limit, struct arena *ar)
{
    for (size_t i = 0; i < a->n_conflicts; i++)
        put_conflict(&a->conflicts[i], ar);
    if (a->n_conflicts)
        out("\n");
    if (a->total > a->n_conflicts)
        out("%'ju more; --limit %ju shows more of them\n\n", (a->total - a->n_conflicts),
            (limit * 4));
    out("%'ju disagreement" PLURAL "\n", a->total);
    put_tallies("by kind", a->by_kind, a->n_by_kind);
    put_tallies("by field", a->by_field, a->n_by_field);
    for (size_t i = 0; i < a->n_by_source; i++) {
        const cando_score *s = a->by_source[i].score;
        put_name("by source", i == 0, a->by_source[i].name);
        out(" %8ju won, %ju lost\n", s->won, s->lost);
    }
}

/* An operand that is no model: a field, or a provider. False: it is a model. */
static bool take_operand(struct call *c, struct ask *k, const char *word)
{
    cando_query q = {.providers = &word, .n_providers = 1, .limit = {0, true}};
    if (strpbrk(word, "/:"))
        return false;
    if (field_meant(word) != CANDO_NO_FIELD) {
        k->q.field = cando_field_name(field_meant(word));
        return true;
    }
    if (k->n_source || !*word || !cando_ask_models(c->engine, &q, c->room, NULL))
        return false;
    k->q.provider = word;
    return true;
}

static int run(struct call *c)
{
    struct ask *k = c->ask;
    cando_name target = {.model = c->n ? c->operand[0] : NULL};
    if (c->n && take_operand(c, k, target.model))
        c->n = 0;
    target.model = c->n ? suggest_target(c, target.model) : NULL;
    if (c->n && !target.model)
        return EXIT_QUESTION;
    if (k->q.field && field_meant(k->q.field) != CANDO_NO_FIELD)
        k->q.field = cando_field_name(field_meant(k->q.field));
    cando_fact_source *sources = facts_read(c, k->source, k->n_source, NULL);
    if (!sources)
        return fail(&c->err);
    if (!k->q.limit.known)
        k->q.limit.value = 30;
    k->q.limit.known = k->q.limit.value != 0;
    if (k->kind)
        k->q.kind = (cando_conflict_kind)(CANDO_CONFLICT_ABSURD + 1 - k->kind);
    k->q.target = c->n ? &target : NULL;
    k->q.sources = k->n_source ? sources : NULL;
    k->q.n_sources = k->n_source;
    const cando_conflicts_answer *a = cando_ask_conflicts(c->engine, &k->q, c->room, &c->err);
    if (call_page(c, "conflicts", a)) {
        if (c->n && !k->n_source)
            suggest_unknown(c, target.model);
        put_page(a, k->q.limit.value, &c->ar);
    }
    facts_free(sources, k->n_source);
    return c->code;
}

const struct verb verb_conflicts = {
    .name = "conflicts",
    .summary = "where the sources of the catalog disagree",
    .usage = "[OPTION]... [PROVIDER/MODEL | PROVIDER | FIELD]",
    .text = "What each source said, and which won (*). From the claims that the catalog keeps with "
            "its facts, or, with --source, from files as models.dev, litellm and the others serve "
            "them.\n\n"
            "Told apart are prices that are out of all proportion (absurd), real conflicts, limits "
            "of the prompt against limits of the total (input-window), roundings, a yes against "
            "silence (silent), and zeros that nobody filled in (placeholder).",
    .examples = "cando conflicts openai/gpt-5\n"
                "cando conflicts context_window --provider openai",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 1, NULL, "one model, provider or field"),
    .opens = OPENS_CATALOG,
    .paged = true,
    .run = run,
};
