/*
 * lint_name.c - provider names that are almost another.
 *
 * Where a set declares its providers, a scope that names none of them is an
 * error already. Where it does not, any name is as good as another, and a
 * misspelt one silently matches nobody. A name is suspected if
 *
 *   - nobody declares it and a single rule or family names it, while
 *   - a declared name, or one that is used often, is a letter or two away.
 *
 * "often" is NEAR_OFTEN times; a set with two rules for each of two providers
 * proves nothing. Names that only add a number or a word with a dash ("openai2",
 * "azure-eu") are taken to be meant.
 *
 * Names that are used often are compared with those used once, so the work is
 * their product; LINT_NEAR_WORK bounds it.
 */
#include "lint.h"

#define NEAR_OFTEN 3u

/* Is the name checked elsewhere? A scope in Nika's syntax always is, one in
 * ours if there is a table of providers to check it against. */
static bool has_hard_error(const struct lint_name *n, bool own_table)
{
    return n->rules &&
           (n->written == CANDO_SYNTAX_NIKA || (n->written == CANDO_SYNTAX_CANDO && own_table));
}

static bool only_adds(struct str longer, struct str shorter)
{
    if (longer.n <= shorter.n || !str_starts(longer, shorter))
        return false;
    char c = longer.p[shorter.n];
    return char_is_digit(c) || c == '-' || c == '_' || c == '.';
}

static bool looks_meant(struct str a, struct str b)
{
    return only_adds(a, b) || only_adds(b, a);
}

static void judge_name(struct lint *l, uint32_t rare, const uint32_t *often, size_t n_often)
{
    struct str text = l->name[rare].text;
    struct nearest near = nearest_to(text);
    for (size_t i = 0; i < n_often && text.n <= LINT_NEAR_BYTES; i++)
        if (!looks_meant(l->name[often[i]].text, text))
            nearest_try(&near, l->name[often[i]].text);
    if (!nearest_is_slip(&near))
        return;
    diag_add(&l->rs->diag, CODE_near_miss_name, l->name[rare].at,
             "the provider '%.*s' is named only here", STR_ARG(text));
    diag_suggest(&l->rs->diag, near.name, NULL);
}

void lint_names(struct lint *l)
{
    uint32_t *often = arena_array(&l->ar, l->n_names, sizeof *often);
    size_t n_often = 0, work = 0;
    bool own_table = false;
    if (!often)
        return;
    for (uint32_t n = 0; n < l->n_names; n++) {
        own_table |= l->name[n].declared && l->name[n].written == CANDO_SYNTAX_CANDO;
        if (l->name[n].declared || l->name[n].uses >= NEAR_OFTEN)
            often[n_often++] = n;
    }
    for (uint32_t n = 0; n < l->n_names && work < LINT_NEAR_WORK && !l->ar.failed; n++) {
        const struct lint_name *name = &l->name[n];
        bool parent_only =
            name->rules == 0 && l->families.n_edges[n] == 0; /* family-unknown says it */
        if (name->declared || name->at.line == 0 || name->uses != 1 || parent_only ||
            has_hard_error(name, own_table))
            continue;
        judge_name(l, n, often, n_often);
        work += n_often;
    }
}
