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

static bool walk_too_long(const struct lint *l, uint32_t name)
{
    uint32_t way[LIMIT_FAMILY_DEPTH];
    return family_walk(&l->families, name, way) > LIMIT_FAMILY_DEPTH;
}

static const struct family *edge_family(const struct lint *l, uint32_t edge)
{
    return &l->rs->family[l->families.family[edge]];
}

static void judge_lengths(struct lint *l)
{
    const struct family_graph *g = &l->families;
    for (uint32_t n = 0; n < l->n_names && !l->ar.failed; n++) {
        const struct lint_name *name = &l->name[n];
        if (g->n_edges[n] == 0 || !walk_too_long(l, n))
            continue;
        bool first = true;
        for (uint32_t k = 0; k < g->n_edges[n] && first; k++)
            first = !walk_too_long(l, g->parent[g->edge[n] + k]);
        const struct family *f = edge_family(l, g->edge[n]);
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
    const struct family *f = edge_family(l, edge);
    struct diag_list *d = &l->rs->diag;
    size_t from = depth - 1;
    while (way[from] != l->families.parent[edge])
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
    const struct family_graph *g = &l->families;
    uint8_t *mark = arena_array(&l->ar, l->n_names, sizeof *mark);
    uint32_t *way = arena_array(&l->ar, l->n_names, sizeof *way);
    uint32_t *next = arena_array(&l->ar, l->n_names, sizeof *next);
    if (!mark || !way || !next)
        return;
    for (uint32_t start = 0; start < l->n_names; start++) {
        size_t depth = 0;
        if (mark[start] != UNSEEN)
            continue;
        way[depth++] = start;
        mark[start] = ON_THE_WAY;
        while (depth) {
            uint32_t here = way[depth - 1];
            if (next[here] == g->n_edges[here]) {
                mark[way[--depth]] = DONE;
                continue;
            }
            uint32_t edge = g->edge[here] + next[here]++, parent = g->parent[edge];
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
    struct nearest near = nearest_to(l->name[unknown].text);
    if (near.wanted.n > LINT_NEAR_BYTES)
        return STR("");
    for (uint32_t n = 0; n<l->n_names && * work> 0; n++, --*work)
        if (n != unknown && (l->name[n].rules || l->name[n].declared))
            nearest_try(&near, l->name[n].text);
    return near.name;
}

static void judge_parents(struct lint *l)
{
    const struct family_graph *g = &l->families;
    size_t work = LINT_NEAR_WORK;
    if (l->broken)
        return; /* what is missing may stand in the file that could not be read */
    for (uint32_t n = 0; n < l->n_names && !l->ar.failed; n++)
        for (uint32_t k = 0; k < g->n_edges[n]; k++) {
            uint32_t edge = g->edge[n] + k, p = g->parent[edge];
            const struct family *f = edge_family(l, edge);
            if (l->name[p].rules || l->name[p].declared || g->n_edges[p] || f->at.line == 0)
                continue;
            diag_add(&l->rs->diag, CODE_family_unknown, f->at,
                     "'%.*s' falls through to '%.*s', which has no rules", STR_ARG(f->child),
                     STR_ARG(f->parent));
            diag_suggest(&l->rs->diag, nearest_with_rules(l, p, &work),
                         "name a provider that has rules, or remove the line");
        }
}

void lint_families(struct lint *l)
{
    judge_cycles(l);
    if (!l->ar.failed)
        judge_parents(l);
    if (!l->ar.failed)
        judge_lengths(l);
}
