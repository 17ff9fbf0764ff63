#include "order.h"

#include <stdlib.h>

/* -- providers --------------------------------------------------------------------- */

static bool add_name(struct provider_names *p, struct arena *ar, struct str name, uint32_t number)
{
    if (map_get(&p->number, name))
        return true;
    if (!map_put(&p->number, name, number) || !ARENA_GROW(ar, p->name, p->n_names, p->cap_names))
        return false;
    p->name[p->n_names++] = (struct provider_name){name, number};
    return true;
}

static bool add_provider(struct provider_names *p, struct arena *ar, struct str id)
{
    if (map_get(&p->number, id))
        return true;
    if (!ARENA_GROW(ar, p->id, p->n, p->cap))
        return false;
    p->id[p->n] = id;
    return add_name(p, ar, id, (uint32_t)p->n++);
}

/* An id beats an alias, an earlier alias a later. */
bool providers_number(struct provider_names *p, const struct ruleset *rs, struct arena *ar)
{
    bool ok = true;
    *p = (struct provider_names){.n = 0};
    map_init(&p->number, ar, false);
    for (size_t i = 0; i < rs->n_providers && ok; i++)
        ok = add_provider(p, ar, rs->provider[i].id);
    for (size_t i = 0; i < rs->n_providers && ok; i++) {
        uint32_t number = *map_get(&p->number, rs->provider[i].id);
        for (size_t k = 0; k < rs->provider[i].n_aliases && ok; k++)
            ok = add_name(p, ar, rs->provider[i].alias[k].name, number);
    }
    for (size_t i = 0; i < rs->n_rules && ok; i++)
        for (size_t k = 0; k < rs->rule[i].n_providers && ok; k++)
            ok = add_provider(p, ar, rs->rule[i].provider[k].name);
    for (size_t i = 0; i < rs->n_families && ok; i++)
        ok = add_provider(p, ar, rs->family[i].child) && add_provider(p, ar, rs->family[i].parent);
    for (size_t i = 0; i < rs->n_aliases && ok; i++)
        ok = add_provider(p, ar, rs->alias[i].provider);
    return ok;
}

/* -- families ---------------------------------------------------------------------- */

static bool has_edge(const struct family_graph *g, uint32_t child, uint32_t parent)
{
    for (uint32_t k = 0; k < g->n_edges[child]; k++)
        if (g->parent[g->edge[child] + k] == parent)
            return true;
    return false;
}

bool families_link(struct family_graph *g, const struct provider_names *p, const struct ruleset *rs,
                   struct arena *ar)
{
    g->edge = arena_array(ar, p->n + 1, sizeof *g->edge);
    g->n_edges = arena_array(ar, p->n + 1, sizeof *g->n_edges);
    g->parent = arena_array(ar, rs->n_families, sizeof *g->parent);
    g->family = arena_array(ar, rs->n_families, sizeof *g->family);
    if (!g->edge || !g->n_edges || !g->parent || !g->family)
        return false;
    for (size_t i = 0; i < rs->n_families; i++)
        g->edge[*map_get(&p->number, rs->family[i].child)]++;
    for (size_t i = 0, at = 0; i < p->n; i++) {
        size_t room = g->edge[i];
        g->edge[i] = (uint32_t)at;
        at += room;
    }
    for (uint32_t i = 0; i < rs->n_families; i++) {
        uint32_t child = *map_get(&p->number, rs->family[i].child),
                 parent = *map_get(&p->number, rs->family[i].parent);
        if (has_edge(g, child, parent))
            continue;
        uint32_t edge = g->edge[child] + g->n_edges[child]++;
        g->parent[edge] = parent;
        g->family[edge] = i;
    }
    return true;
}

size_t family_walk(const struct family_graph *g, uint32_t from, uint32_t out[LIMIT_FAMILY_DEPTH])
{
    uint32_t at[LIMIT_FAMILY_DEPTH],
        next[LIMIT_FAMILY_DEPTH]; /* the way down, and the edge to try next there */
    size_t depth = 1, n = 1;
    out[0] = at[0] = from;
    next[0] = 0;
    while (depth) {
        uint32_t here = at[depth - 1];
        if (next[depth - 1] == g->n_edges[here]) {
            depth--;
            continue;
        }
        uint32_t parent = g->parent[g->edge[here] + next[depth - 1]++];
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

/* -- rules ------------------------------------------------------------------------- */

struct ranked {
    uint64_t rank;
    uint32_t rule;
};

static int ranked_cmp(const void *a, const void *b)
{
    uint64_t x = ((const struct ranked *)a)->rank, y = ((const struct ranked *)b)->rank;
    return x < y ? -1 : x > y;
}

/* The readers append rules in the order of source and line. */
static uint64_t rule_rank(const struct ruleset *rs, uint32_t i)
{
    const struct rule *r = &rs->rule[i];
    uint64_t kind = r->kind == RULE_DEFAULT ? 0 : r->kind == RULE_PROVIDER_DEFAULT ? 1 : 2;
    return kind << 60 | (uint64_t)rs->source[r->source].layer << 56 | (uint64_t)r->source << 32 | i;
}

/* How first match asks: higher layers first, then source and line. */
static uint64_t asked_rank(const struct ruleset *rs, uint32_t i)
{
    const struct rule *r = &rs->rule[i];
    return (uint64_t)(CANDO_LAYER_COUNT - rs->source[r->source].layer) << 56 |
           (uint64_t)r->source << 32 | i;
}

/* Numbers for one run of rules that first match asks in turn: the first one
 * asked gets the largest. */
static void asked_prec(const struct rule_order *o, const struct ruleset *rs, size_t from, size_t to,
                       struct ranked *scratch, uint32_t *prec)
{
    for (size_t i = from; i < to; i++)
        scratch[i - from] = (struct ranked){asked_rank(rs, o->rule[i]), (uint32_t)i};
    if (to > from)
        qsort(scratch, to - from, sizeof *scratch, ranked_cmp);
    for (size_t i = 0; i < to - from; i++)
        prec[scratch[i].rule] = (uint32_t)(to - i);
}

bool rules_order(struct rule_order *o, const struct ruleset *rs, struct arena *ar)
{
    size_t n = rs->n_rules;
    struct ranked *ranked = arena_array(ar, n, sizeof *ranked);
    uint32_t **arrays[] = {&o->rule, &o->stage, &o->prec[0], &o->prec[1], &o->prec[2]};
    *o = (struct rule_order){.first = 0};
    for (size_t i = 0; i < COUNT_OF(arrays); i++)
        if (!(*arrays[i] = arena_array(ar, n, sizeof **arrays[i])))
            return false;
    if (!ranked)
        return false;
    for (uint32_t i = 0; i < n; i++)
        ranked[i] = (struct ranked){rule_rank(rs, i), i};
    if (n)
        qsort(ranked, n, sizeof *ranked, ranked_cmp);
    for (uint32_t i = 0; i < n; i++) {
        o->rule[i] = ranked[i].rule;
        for (int how = 0; how < 3; how++)
            o->prec[how][i] = i + 1;
    }
    while (o->first < n && rule_is_default(&rs->rule[o->rule[o->first]]))
        o->first++;
    asked_prec(o, rs, o->first, n, ranked, o->prec[CANDO_FIRST_MATCH]);
    for (size_t from = o->first, to; from < n; from = to) {
        bool first_match = rule_is_first_match(rs, o->rule[from]);
        for (to = from; to < n && rule_is_first_match(rs, o->rule[to]) == first_match; to++)
            o->stage[to] = o->n_stages;
        if (first_match)
            asked_prec(o, rs, from, to, ranked, o->prec[CANDO_AS_WRITTEN]);
        o->n_stages++;
    }
    return true;
}
