/*
 * order.h - the set in numbers, for lint and compiler alike: who is which provider, who
 * falls through to whom, and which rule is asked before which.
 */
#ifndef CANDO_ORDER_H
#define CANDO_ORDER_H

#include "rule.h"

/* Every provider that the set knows has a number: those that are declared first, then
 * names that only stand in scopes, families and aliases of models. */
struct provider_names {
    struct map number; /* id or alias, folded -> number */
    struct str *id;    /* by number */
    size_t n, cap;
    struct provider_name {
        struct str name;
        uint32_t provider;
    } * name; /* ids and aliases, in the order in which they came */
    size_t n_names, cap_names;
};

/* Both are false without memory. */
bool providers_number(struct provider_names *p, const struct ruleset *rs, struct arena *ar);

/* Families as edges from child to parent, in the order in which they were written, each
 * once. There is one place more than there are providers: nobody's, without edges. */
struct family_graph {
    uint32_t *edge, *n_edges; /* by number: the first one, and how many */
    uint32_t *parent;         /* by edge */
    uint32_t *family;         /* by edge: index in ruleset.family */
};
bool families_link(struct family_graph *g, const struct provider_names *p, const struct ruleset *rs,
                   struct arena *ar);
/* The providers that a walk from one of them visits, itself first, depth first, each
 * once; at most LIMIT_FAMILY_DEPTH are written, the result may be one more. */
size_t family_walk(const struct family_graph *g, uint32_t from, uint32_t out[LIMIT_FAMILY_DEPTH]);

/* Rules are numbered by layer, source and line, defaults below all others; that is also
 * their order in layered resolution. A stage is a run of rules of one kind of source. */
struct rule_order {
    uint32_t *rule;    /* number -> index in ruleset.rule */
    uint32_t *stage;   /* by number */
    uint32_t *prec[3]; /* by cando_resolution, then number: the larger wins */
    size_t first;      /* the first number that is no default */
    uint32_t n_stages;
};
bool rules_order(struct rule_order *o, const struct ruleset *rs, struct arena *ar);
static inline bool rule_is_first_match(const struct ruleset *rs, uint32_t rule)
{
    return rs->source[rs->rule[rule].source].first_match;
}
/* Is it a rule in Harn's form that lies over rules of another kind, and does not extend them?
 * What it leaves open of Harn's fields (profile_harn_fields) is then open. */
static inline bool rule_is_alone(const struct ruleset *rs, uint32_t rule, uint32_t stage)
{
    const struct rule *r = &rs->rule[rule];
    return r->kind == RULE_MATCH && stage > 0 && !r->extends &&
           rs->source[r->source].syntax == CANDO_SYNTAX_HARN;
}

#endif
