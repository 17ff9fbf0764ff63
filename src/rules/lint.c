/*
 * lint.c - judges the rules of all sources together: the entry, and what the
 * passes share.
 *
 * The readers have judged every file by itself. What is left needs the whole
 * set: which rule is asked before which, which provider falls through to whom,
 * what the defaults of another file add. Three things are worked out once:
 *
 *   names     every provider by its number (order.h), with who names it
 *   programs  every pattern, of whatever kind, as glob programs, so that one
 *             proof ("is all that b matches matched by these?") serves all
 *   stages    runs of rules of one kind, in their order (order.h)
 *
 * A source that could not be read to its end takes no part: half of a file
 * proves nothing about the other half.
 *
 * Memory that runs out ends the lint: rs->failed, and what was found so far.
 */
#include "lint.h"

#include "read.h"

#include <stdlib.h>

/* -- words ---------------------------------------------------------------------- */

struct str lint_where(struct lint *l, struct place at)
{
    const struct diag_list *d = &l->rs->diag;
    struct str file = at.file < d->n_files ? d->file[at.file].name : STR("");
    return str_printf(&l->ar, "%.*s:%u", STR_ARG(file), (unsigned)at.line);
}

struct str lint_label(struct lint *l, uint32_t rule)
{
    const struct rule *r = &l->rs->rule[rule];
    struct str where = lint_where(l, r->at);
    if (r->kind == RULE_DEFAULT)
        return str_printf(&l->ar, "[defaults] (%.*s)", STR_ARG(where));
    if (r->kind == RULE_PROVIDER_DEFAULT)
        return str_printf(&l->ar, "the provider's defaults (%.*s)", STR_ARG(where));
    if (r->name.n)
        return str_printf(&l->ar, "'%.*s' (%.*s)", STR_ARG(r->name), STR_ARG(where));
    return str_printf(&l->ar, "the rule at %.*s", STR_ARG(where));
}

struct str lint_field_name(const struct lint *l, uint32_t rule, unsigned field)
{
    cando_syntax d = l->rs->source[l->rs->rule[rule].source].syntax;
    enum vocabulary v = d == CANDO_SYNTAX_NIKA   ? VOCAB_NIKA
                        : d == CANDO_SYNTAX_HARN ? VOCAB_HARN
                                                 : VOCAB_CANDO;
    struct str name = vocab_name(v, field);
    return name.n ? name : str_of(vocab_row(field)->name);
}

/* -- names ------------------------------------------------------------------------ */

uint32_t lint_name_find(const struct lint *l, struct str name)
{
    const uint32_t *n = map_get(&l->names.number, name);
    return n ? *n : LINT_NONE;
}

bool lint_rule_names(const struct lint *l, uint32_t rule, uint32_t name)
{
    const struct lint_rule *r = &l->rule[rule];
    size_t low = r->scope, high = low + r->n_scopes;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (l->scope[mid] < name)
            low = mid + 1;
        else
            high = mid;
    }
    return low < (size_t)r->scope + r->n_scopes && l->scope[low] == name;
}

/* The name, with the place where it is met for the first time. */
static struct lint_name *name_met(struct lint *l, struct str text, struct place at, uint32_t source)
{
    struct lint_name *n = &l->name[lint_name_find(l, text)];
    if (!n->seen) {
        n->seen = true;
        n->at = at;
        n->written = l->rs->source[source].syntax;
    }
    return n;
}

static unsigned api_number(struct lint *l, struct str name)
{
    const uint32_t *n = map_get(&l->api_of, name);
    if (n)
        return *n;
    map_put(&l->api_of, name, l->n_apis);
    return l->n_apis++;
}

static bool name_providers(struct lint *l)
{
    if (!providers_number(&l->names, l->rs, &l->ar))
        return false;
    l->n_names = l->names.n;
    l->name = arena_array(&l->ar, l->n_names + 1, sizeof *l->name);
    if (!l->name)
        return false;
    for (size_t i = 0; i <= l->n_names; i++)
        l->name[i] = (struct lint_name){.text = i < l->n_names ? l->names.id[i] : STR(""),
                                        .api = LINT_NO_API};
    for (size_t i = 0; i < l->rs->n_providers && !l->ar.failed; i++) {
        const struct provider *p = &l->rs->provider[i];
        struct lint_name *n = name_met(l, p->id, p->at, p->source);
        n->declared = true;
        unsigned d = p->api.n ? api_number(l, p->api) : LINT_NO_API;
        if (d < LINT_NO_API)
            n->api = d;
    }
    return !l->ar.failed;
}

static void name_scope(struct lint *l, uint32_t rule)
{
    const struct rule *r = &l->rs->rule[rule];
    struct lint_rule *lr = &l->rule[rule];
    size_t first = l->n_scopes, kept = first;
    lr->scope = (uint32_t)first;
    for (size_t i = 0; i < r->n_providers; i++) {
        struct lint_name *n = name_met(l, r->provider[i].name, r->provider[i].at, r->source);
        if (!ARENA_GROW(&l->ar, l->scope, l->n_scopes, l->cap_scopes))
            return;
        l->scope[l->n_scopes++] = (uint32_t)(n - l->name);
    }
    if (r->n_providers)
        qsort(l->scope + first, l->n_scopes - first, sizeof *l->scope, u32_order);
    for (size_t i = first; i < l->n_scopes; i++)
        if (kept == first || l->scope[kept - 1] != l->scope[i]) {
            l->scope[kept++] = l->scope[i];
            l->name[l->scope[i]].rules++;
            l->name[l->scope[i]].uses++;
        }
    l->n_scopes = kept;
    lr->n_scopes = (uint32_t)(kept - first);
}

/* False if the rule names more APIs than a word has bits. */
static bool name_apis(struct lint *l, uint32_t rule)
{
    const struct rule *r = &l->rs->rule[rule];
    for (size_t i = 0; i < r->n_apis && !l->ar.failed; i++) {
        unsigned d = api_number(l, r->api[i].name);
        if (d >= LINT_NO_API)
            return false;
        l->rule[rule].apis |= UINT64_C(1) << d;
    }
    return true;
}

/* -- the graph of families ------------------------------------------------------------ */

static void name_families(struct lint *l)
{
    const struct ruleset *rs = l->rs;
    const struct family_graph *g = &l->families;
    for (size_t i = 0; i < rs->n_families; i++) {
        name_met(l, rs->family[i].child, rs->family[i].at, rs->family[i].source);
        name_met(l, rs->family[i].parent, rs->family[i].at, rs->family[i].source);
    }
    if (!families_link(&l->families, &l->names, rs, &l->ar))
        return;
    for (size_t n = 0; n < l->n_names; n++)
        for (uint32_t k = g->edge[n]; k < g->edge[n] + g->n_edges[n]; k++) {
            l->name[g->parent[k]].children++;
            if (rs->family[g->family[k]].at.line) {
                l->name[g->parent[k]].uses++;
                l->name[n].uses += k == g->edge[n];
            }
        }
}

/* -- all of it ----------------------------------------------------------------------------- */

static bool prepare_rules(struct lint *l)
{
    struct ruleset *rs = l->rs;
    l->rule = arena_array(&l->ar, rs->n_rules, sizeof *l->rule);
    if (!l->rule || !rules_order(&l->rules, rs, &l->ar))
        return false;
    for (size_t i = 0; i < rs->n_rules; i++)
        l->rule[l->rules.rule[i]].stage = l->rules.stage[i];
    for (size_t i = 0; i < rs->n_rules && !l->ar.failed; i++) {
        const struct rule *r = &rs->rule[i];
        struct lint_rule *lr = &l->rule[i];
        for (size_t k = 0; k < r->n_assigns; k++)
            if (r->assign[k].field < FIELD_COUNT)
                lint_mask_set(&lr->fields, r->assign[k].field);
        name_scope(l, (uint32_t)i);
        bool judged = name_apis(l, (uint32_t)i) && !r->never && !rs->source[r->source].broken;
        if (judged && !rule_is_default(r))
            lint_programs_add(l, (uint32_t)i);
    }
    return !l->ar.failed;
}

static void lint_prepare(struct lint *l)
{
    size_t share = LINT_WORK / (l->rs->n_rules + 1);
    l->rule_work = share > LINT_RULE_WORK ? share : LINT_RULE_WORK;
    map_init(&l->api_of, &l->ar, false);
    for (size_t i = 0; i < l->rs->n_sources; i++)
        l->broken |= l->rs->source[i].broken;
    if (name_providers(l) && prepare_rules(l))
        name_families(l);
}

static void *count_resize(void *user, void *p, size_t old_n, size_t n)
{
    struct lint_memory *m = user;
    if (n == 0) {
        mem_free(m->inner, p, old_n);
        return NULL;
    }
    m->bytes += n;
    void *q = p ? mem_resize(m->inner, p, old_n, n) : mem_alloc(m->inner, n);
    if (!q)
        m->failed = true;
    return q;
}

/* Runs the passes over the set. */
static void lint_run(struct ruleset *rs, void (*const *pass)(struct lint *), size_t n)
{
    struct lint l = {.rs = rs, .memory = {.inner = rs->ar->a}};
    l.proof = (cando_allocator){count_resize, &l.memory};
    arena_init(&l.ar, rs->ar->a);
    if (!rs->failed)
        lint_prepare(&l);
    for (size_t i = 0; i < n; i++)
        if (!rs->failed && !l.ar.failed && !l.memory.failed && !rs->diag.failed)
            pass[i](&l);
    if (l.ar.failed || l.memory.failed || rs->diag.failed)
        rs->failed = true;
    arena_free(&l.ar);
}

void ruleset_lint(struct ruleset *rs)
{
    static void (*const passes[])(struct lint *) = {lint_families, lint_names,   lint_versions,
                                                    lint_bases,    lint_shadows, lint_overwrites,
                                                    lint_routes};
    if (rs->linted)
        return;
    rs->linted = true;
    ruleset_check_scopes(rs);
    ruleset_check_overlay(rs);
    ruleset_check_shapes(rs);
    lint_run(rs, passes, COUNT_OF(passes));
    diag_sort(&rs->diag);
}

void ruleset_lint_routes(struct ruleset *rs)
{
    static void (*const passes[])(struct lint *) = {lint_order, lint_routes};
    lint_run(rs, passes, COUNT_OF(passes));
}
