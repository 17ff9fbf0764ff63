/*
 * lint_cover.c - rules, patterns and values that can never be seen.
 *
 * First match. Rules are taken in the order in which they are asked; each is
 * put to the index of those before it and then joins them, unless it `extends`
 * (then the search goes on behind it, so it hides nobody). Findings:
 *
 *   rule-shadowed         every pattern is taken, in every scope
 *   pattern-shadowed      some are; or one is covered by the rule's other ones
 *   any-before-narrower   once, at a rule for any model that takes part in
 *                         hiding others, with how many and which is the first
 *
 * The hidden rules keep their own findings: they are the lines to be moved, and
 * the rule for any model is why. A second rule for any model with the same
 * scope is not narrower, so it is only reported as shadowed.
 *
 * Layered. Rules are taken from the one that wins over all others downwards; a
 * field of a rule is overwritten if those above it that set the same field
 * cover all of its patterns in all of its scopes. Clearing a field overwrites,
 * too. A pattern that another one of the same rule covers is reported here as
 * well: it does nothing in any order.
 */
#include "lint.h"

/* -- the order of rules ---------------------------------------------------------- */

struct judged {
    uint32_t *rule;
    size_t n;
};

static void judge_next(struct lint *l, struct judged *list, uint32_t rule)
{
    if (l->rule[rule].n_programs == 0)
        return;
    l->rule[rule].order = (uint32_t)list->n;
    list->rule[list->n++] = rule;
}

/* The rules of one kind of source that are judged; l->rule[].order is set. First match
 * stage by stage, as they are asked; layered ones with the last, which wins, first.
 * False if there is no memory. */
static bool rules_in_order(struct lint *l, bool first_match, struct judged *list)
{
    const struct rule_order *o = &l->rules;
    size_t n = l->rs->n_rules;
    uint32_t *by_prec = arena_array(&l->ar, n, sizeof *by_prec);
    *list = (struct judged){arena_array(&l->ar, n, sizeof *list->rule), 0};
    if (!by_prec || !list->rule)
        return false;
    for (size_t i = 0; i < n; i++)
        by_prec[o->prec[CANDO_AS_WRITTEN][i] - 1] = o->rule[i];
    for (size_t i = n; i-- > o->first && !first_match;)
        if (!rule_is_first_match(l->rs, o->rule[i]))
            judge_next(l, list, o->rule[i]);
    for (size_t from = o->first, to; from < n && first_match; from = to) {
        for (to = from; to < n && o->stage[to] == o->stage[from];)
            to++;
        for (size_t i = to; i-- > from && rule_is_first_match(l->rs, o->rule[from]);)
            judge_next(l, list, by_prec[i]);
    }
    return true;
}

void lint_order(struct lint *l)
{
    struct judged list;
    if (rules_in_order(l, true, &list))
        rules_in_order(l, false, &list);
}

/* -- patterns of one rule -------------------------------------------------------------- */

/* The programs of the pattern that begins at l->program[at]; 0 at the end. */
static uint32_t pattern_programs(const struct lint *l, uint32_t rule, uint32_t at)
{
    const struct lint_rule *r = &l->rule[rule];
    uint32_t n = 0;
    while (at + n < r->program + r->n_programs &&
           l->program[at + n].pattern == l->program[at].pattern)
        n++;
    return n;
}

/* Which of the wanted fields do others give for all of these programs? */
static struct lint_mask ask_programs(struct lint_index *x, const struct lint_ask *ask, uint32_t at,
                                     uint32_t n, struct lint_mask want, struct lint_takers *t)
{
    for (uint32_t i = 0; i < n && lint_mask_any(want); i++)
        want = lint_index_ask(x, ask, at + i, want, t);
    return want;
}

static void set_off(struct lint *l, uint32_t at, uint32_t n, bool off)
{
    for (uint32_t i = 0; i < n; i++)
        l->program[at + i].off = off;
}

static void hint_takers(struct lint *l, uint32_t first, bool several, const char *advice)
{
    struct str label = lint_label(l, first);
    diag_hint(&l->rs->diag, "%.*s%s comes first; %s", STR_ARG(label),
              several ? ", with others," : "", advice);
}

static void report_pattern(struct lint *l, uint32_t rule, uint32_t pattern,
                           const struct lint_takers *t, unsigned bit)
{
    const struct rule *r = &l->rs->rule[rule];
    struct diag_list *d = &l->rs->diag;
    diag_add(d, CODE_pattern_shadowed, r->pattern[pattern].at,
             "the pattern '%.*s' can never decide anything", STR_ARG(r->pattern[pattern].text));
    if (t->rule[bit] == rule) /* the last in order, so there is no other */
        diag_hint(d, "another pattern of the same rule matches all that it matches; delete it");
    else
        hint_takers(l, t->rule[bit], t->several[bit], "move the pattern up, or delete it");
}

/* Patterns that the rule's other patterns cover, from the last one backwards,
 * so that of two equal ones the first is kept. */
static void own_patterns(struct lint_index *x, uint32_t rule, const bool *dead, enum lint_own own)
{
    struct lint *l = x->l;
    const struct lint_rule *lr = &l->rule[rule];
    struct lint_mask want = {{1, 0, 0}};
    if (x->layered)
        want = lr->fields;
    if (l->rs->rule[rule].n_patterns < 2 || !lint_mask_any(want))
        return;
    unsigned bit = 0;
    while (!lint_mask_has(want, bit))
        bit++;
    want = (struct lint_mask){{0}};
    lint_mask_set(&want, bit);
    for (uint32_t end = lr->program + lr->n_programs; end > lr->program && !l->ar.failed;) {
        uint32_t at = end - 1, pattern = l->program[at].pattern;
        while (at > lr->program && l->program[at - 1].pattern == pattern)
            at--;
        struct lint_takers t;
        lint_takers_init(&t);
        struct lint_ask ask = {rule, own};
        if (!(dead && dead[pattern]) &&
            lint_mask_any(ask_programs(x, &ask, at, end - at, want, &t))) {
            report_pattern(l, rule, pattern, &t, bit);
            set_off(l, at, end - at, true);
        }
        end = at;
    }
    set_off(l, lr->program, lr->n_programs, false);
}

/* -- first match ------------------------------------------------------------------------- */

/* For each rule for any model: what it hides. */
struct hidden {
    uint32_t count, first;
};

static bool is_any_rule(const struct lint *l, uint32_t rule)
{
    const struct lint_rule *r = &l->rule[rule];
    for (uint32_t i = 0; i < r->n_programs; i++)
        if (lint_is_any(&l->program[r->program + i]))
            return true;
    return false;
}

/* Is `b` narrower than the rule for any model `a` that hides it? */
static bool is_narrower(const struct lint *l, uint32_t a, uint32_t b)
{
    const struct rule *rb = &l->rs->rule[b];
    return !is_any_rule(l, b) || l->rule[a].n_scopes != l->rule[b].n_scopes ||
           l->rule[a].apis != l->rule[b].apis || rb->min.set || rb->max.set;
}

static void report_rule(struct lint *l, uint32_t rule, const struct lint_takers *t,
                        struct hidden *hidden)
{
    const struct rule *r = &l->rs->rule[rule];
    struct diag_list *d = &l->rs->diag;
    if (r->name.n)
        diag_add(d, CODE_rule_shadowed, r->at, "the rule '%.*s' can never decide anything",
                 STR_ARG(r->name));
    else
        diag_add(d, CODE_rule_shadowed, r->at, "the rule can never decide anything");
    hint_takers(l, t->rule[0], t->several[0], "move this rule up, or delete it");
    if (t->any != LINT_NONE && is_narrower(l, t->any, rule)) {
        struct hidden *h = &hidden[t->any];
        if (h->count++ == 0)
            h->first = rule;
    }
}

/* Attribution is asked for again, one pattern at a time: it is seldom needed. */
static void report_dead_patterns(struct lint_index *x, uint32_t rule, const bool *dead)
{
    struct lint *l = x->l;
    const struct lint_ask ask = {rule, OWN_NOT};
    for (uint32_t at = l->rule[rule].program, n; (n = pattern_programs(l, rule, at)) > 0; at += n) {
        struct lint_takers t;
        lint_takers_init(&t);
        if (!dead[l->program[at].pattern])
            continue;
        x->work = l->rule_work;
        if (lint_mask_any(ask_programs(x, &ask, at, n, (struct lint_mask){{1, 0, 0}}, &t)))
            report_pattern(l, rule, l->program[at].pattern, &t, 0);
    }
}

static void judge_shadow(struct lint_index *x, uint32_t rule, struct hidden *hidden)
{
    struct lint *l = x->l;
    const struct lint_ask ask = {rule, OWN_NOT};
    struct lint_takers t;
    size_t n_dead = 0, n_patterns = 0;
    bool *dead = arena_array(&l->ar, l->rs->rule[rule].n_patterns, sizeof *dead);
    if (!dead)
        return;
    lint_takers_init(&t);
    x->work = l->rule_work;
    for (uint32_t at = l->rule[rule].program, n; (n = pattern_programs(l, rule, at)) > 0;
         at += n, n_patterns++) {
        bool taken = lint_mask_any(ask_programs(x, &ask, at, n, (struct lint_mask){{1, 0, 0}}, &t));
        dead[l->program[at].pattern] = taken;
        n_dead += taken;
    }
    bool whole = n_dead == n_patterns;
    if (whole)
        report_rule(l, rule, &t, hidden);
    else if (n_dead)
        report_dead_patterns(x, rule, dead);
    lint_index_add(x, rule);
    x->work = l->rule_work;
    if (!whole)
        own_patterns(x, rule, dead, OWN_TOO);
    if (l->rs->rule[rule].extends)
        set_off(l, l->rule[rule].program, l->rule[rule].n_programs, true);
}

static void report_any(struct lint *l, uint32_t rule, struct hidden h)
{
    const struct rule *r = &l->rs->rule[rule];
    struct diag_list *d = &l->rs->diag;
    struct str first = lint_label(l, h.first);
    diag_add(d, CODE_any_before_narrower, r->at,
             "the rule matches any model and hides %u narrower rule%s", (unsigned)h.count,
             h.count == 1 ? "" : "s");
    diag_hint(d, "move it behind them; the first is %.*s", STR_ARG(first));
}

void lint_shadows(struct lint *l)
{
    struct judged list;
    struct hidden *hidden = arena_array(&l->ar, l->rs->n_rules, sizeof *hidden);
    struct lint_index x;
    uint32_t stage = LINT_NONE;
    if (!hidden || !rules_in_order(l, true, &list))
        return;
    for (size_t i = 0; i < list.n && !l->ar.failed && !l->memory.failed; i++) {
        uint32_t here = l->rule[list.rule[i]].stage;
        if (here != stage && !lint_index_init(&x, l, false))
            return;
        stage = here;
        judge_shadow(&x, list.rule[i], hidden);
    }
    for (size_t i = 0; i < list.n && !l->ar.failed; i++)
        if (hidden[list.rule[i]].count)
            report_any(l, list.rule[i], hidden[list.rule[i]]);
}

/* -- layered ------------------------------------------------------------------------------- */

static void report_overwritten(struct lint *l, uint32_t rule, struct lint_mask fields,
                               const struct lint_takers *t)
{
    const struct rule *r = &l->rs->rule[rule];
    struct diag_list *d = &l->rs->diag;
    for (size_t i = 0; i < r->n_assigns && !l->ar.failed; i++) {
        unsigned f = r->assign[i].field;
        if (f >= FIELD_COUNT || !lint_mask_has(fields, f))
            continue;
        struct str by = lint_label(l, t->rule[f]), name = lint_field_name(l, rule, f);
        diag_add(d, CODE_value_overwritten, r->assign[i].at, "later rules always overwrite '%.*s'",
                 STR_ARG(name));
        diag_hint(d, "%.*s%s for every model of this rule; put the wider rule first, or delete one",
                  STR_ARG(by), t->several[f] ? " and others set it" : " sets it");
    }
}

static void judge_values(struct lint_index *x, uint32_t rule)
{
    struct lint *l = x->l;
    const struct lint_rule *lr = &l->rule[rule];
    const struct lint_ask ask = {rule, OWN_NOT};
    struct lint_takers t;
    lint_takers_init(&t);
    x->work = l->rule_work;
    struct lint_mask left = ask_programs(x, &ask, lr->program, lr->n_programs, lr->fields, &t);
    if (lint_mask_any(left))
        report_overwritten(l, rule, left, &t);
    lint_index_add(x, rule);
    x->work = l->rule_work;
    own_patterns(x, rule, NULL, OWN_ONLY);
}

void lint_overwrites(struct lint *l)
{
    struct judged list;
    struct lint_index x;
    if (!rules_in_order(l, false, &list) || !lint_index_init(&x, l, true))
        return;
    for (size_t i = 0; i < list.n && !l->ar.failed && !l->memory.failed; i++)
        judge_values(&x, list.rule[i]);
}
