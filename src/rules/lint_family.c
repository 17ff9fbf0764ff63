/*
 * lint_family.c - the graph of provider families.
 *
 *     openrouter ──► openai        mock ──► anthropic
 *     groq ───────────┘              └────► openai
 *
 * A walk goes from a provider to its parents, depth first, and never visits a
 * name twice. What can be wrong with the graph:
 *
 *   family-cycle     an edge leads back to a name on the way to it; told at the
 *                    edge that closes the circle, once for each such edge
 *   family-unknown   a parent that no rule names, nobody declares and that has
 *                    no family of its own: nothing can be inherited from it
 *   too-long         a walk visits more names than the limit; told at the first
 *                    provider on the way out for which that is so
 *
 * Edges that no file wrote (line 0) are part of the graph and never reported.
 */
#include "lint.h"

/* -- walks ------------------------------------------------------------------------ */

size_t lint_walk(const struct lint *l, uint32_t name, uint32_t out[LIMIT_FAMILY_DEPTH])
{
    uint32_t at[LIMIT_FAMILY_DEPTH],
        next[LIMIT_FAMILY_DEPTH]; /* the way down, and the edge to try next there */
    size_t depth = 1, n = 1;
    out[0] = at[0] = name;
    next[0] = 0;
    while (depth) {
        const struct lint_name *here = &l->name[at[depth - 1]];
        if (next[depth - 1] == here->n_edges) {
            depth--;
            continue;
        }
        uint32_t parent = l->edge[here->edge + next[depth - 1]++];
        bool seen = false;
        for (size_t i = 0; i < n && !seen; i++)
            seen = out[i] == parent;
        if (seen)
            continue;
        if (n == LIMIT_FAMILY_DEPTH)
            return n + 1;
        out[n++] = at[depth] = parent;
        next[depth++] = 0;
    }
    return n;
}

static bool walk_too_long(const struct lint *l, uint32_t name)
{
    uint32_t way[LIMIT_FAMILY_DEPTH];
    return lint_walk(l, name, way) > LIMIT_FAMILY_DEPTH;
}

static void judge_lengths(struct lint *l)
{
    for (uint32_t n = 1; n < l->n_names && !l->failed; n++) {
        const struct lint_name *name = &l->name[n];
        if (name->n_edges == 0 || !walk_too_long(l, n))
            continue;
        bool first = true;
        for (uint32_t k = 0; k < name->n_edges && first; k++)
            first = !walk_too_long(l, l->edge[name->edge + k]);
        const struct family *f = &l->rs->family[l->edge_family[name->edge]];
        if (!first || f->at.line == 0)
            continue;
        diag_add(&l->rs->diag, CODE_too_long, f->at,
                 "the family of '%.*s' has more than %u providers", STR_ARG(name->text),
                 LIMIT_FAMILY_DEPTH);
        diag_hint(&l->rs->diag,
                  "a walk ends after %u; name the last provider that matters as the parent",
                  LIMIT_FAMILY_DEPTH);
    }
}

/* -- cycles ------------------------------------------------------------------------- */

enum mark { UNSEEN, ON_THE_WAY, DONE };

static void report_cycle(struct lint *l, uint32_t edge, const uint32_t *way, size_t depth)
{
    const struct family *f = &l->rs->family[l->edge_family[edge]];
    struct diag_list *d = &l->rs->diag;
    size_t from = depth - 1;
    while (way[from] != l->edge[edge])
        from--;
    if (f->at.line == 0)
        return;
    if (from == depth - 1)
        diag_add(d, CODE_family_cycle, f->at, "'%.*s' is its own family", STR_ARG(f->child));
    else
        diag_add(d, CODE_family_cycle, f->at,
                 "'%.*s' falls through to '%.*s', which leads back to it", STR_ARG(f->child),
                 STR_ARG(f->parent));
    diag_hint(d, "the circle has %zu provider%s; remove one of its edges", depth - from,
              depth - from == 1 ? "" : "s");
}

/* Depth first with a stack of its own: the graph may be as deep as it has names. */
static void judge_cycles(struct lint *l)
{
    uint8_t *mark = arena_array(&l->ar, l->n_names, sizeof *mark);
    uint32_t *way = arena_array(&l->ar, l->n_names, sizeof *way);
    uint32_t *next = arena_array(&l->ar, l->n_names, sizeof *next);
    if (!mark || !way || !next) {
        l->failed = true;
        return;
    }
    for (uint32_t start = 1; start < l->n_names; start++) {
        size_t depth = 0;
        if (mark[start] != UNSEEN)
            continue;
        way[depth++] = start;
        mark[start] = ON_THE_WAY;
        while (depth) {
            const struct lint_name *here = &l->name[way[depth - 1]];
            uint32_t *k = &next[way[depth - 1]];
            if (*k == here->n_edges) {
                mark[way[--depth]] = DONE;
                continue;
            }
            uint32_t edge = here->edge + (*k)++, parent = l->edge[edge];
            if (mark[parent] == ON_THE_WAY) {
                report_cycle(l, edge, way, depth);
            } else if (mark[parent] == UNSEEN) {
                mark[parent] = ON_THE_WAY;
                way[depth++] = parent;
            }
        }
    }
}

/* -- parents that nobody knows ---------------------------------------------------------- */

static struct str nearest_with_rules(const struct lint *l, uint32_t unknown, size_t *work)
{
    struct str best = STR("");
    struct str text = l->name[unknown].text;
    unsigned most = text.n <= LINT_NEAR_BYTES ? str_near(text.n) : 0;
    for (uint32_t n = 1; n < l->n_names && most && *work > 0; n++, --*work) {
        size_t length = l->name[n].text.n,
               gap = length > text.n ? length - text.n : text.n - length;
        if (n == unknown || gap > most || (!l->name[n].rules && !l->name[n].declared))
            continue;
        unsigned d = str_distance(l->name[n].text, text, most);
        if (d <= most && (best.n == 0 || d < most)) {
            best = l->name[n].text;
            most = d;
        }
    }
    return best;
}

static void judge_parents(struct lint *l)
{
    size_t work = LINT_NEAR_WORK;
    if (l->broken)
        return; /* what is missing may stand in the file that could not be read */
    for (uint32_t n = 1; n < l->n_names && !l->failed; n++)
        for (uint32_t k = 0; k < l->name[n].n_edges; k++) {
            uint32_t edge = l->name[n].edge + k;
            const struct lint_name *parent = &l->name[l->edge[edge]];
            const struct family *f = &l->rs->family[l->edge_family[edge]];
            if (parent->rules || parent->declared || parent->n_edges || f->at.line == 0)
                continue;
            diag_add(&l->rs->diag, CODE_family_unknown, f->at,
                     "'%.*s' falls through to '%.*s', which has no rules", STR_ARG(f->child),
                     STR_ARG(f->parent));
            struct str near = nearest_with_rules(l, l->edge[edge], &work);
            if (near.n)
                diag_hint(&l->rs->diag, "did you mean '%.*s'?", STR_ARG(near));
            else
                diag_hint(&l->rs->diag, "name a provider that has rules, or remove the line");
        }
}

void lint_families(struct lint *l)
{
    judge_cycles(l);
    if (!l->failed)
        judge_parents(l);
    if (!l->failed)
        judge_lengths(l);
}
