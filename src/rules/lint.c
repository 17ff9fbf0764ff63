/*
 * lint.c - judges the rules of all sources together: the entry, and what the
 * passes share.
 *
 * The readers have judged every file by itself. What is left needs the whole
 * set: which rule is asked before which, which provider falls through to whom,
 * what the defaults of another file add. Three things are worked out once:
 *
 *   names     a number for every provider name that rules, families or
 *             declarations use; an alias has the number of its id
 *   programs  every pattern, of whatever kind, as glob programs, so that one
 *             proof ("is all that b matches matched by these?") serves all
 *   stages    runs of sources of one kind, in the order of layer and source
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
    struct str s = str_printf(&l->ar, "%.*s:%u", STR_ARG(file), (unsigned)at.line);
    if (!s.p)
        l->failed = true;
    return s;
}

struct str lint_label(struct lint *l, uint32_t rule)
{
    const struct rule *r = &l->rs->rule[rule];
    struct str where = lint_where(l, r->at), s;
    if (r->kind == RULE_DEFAULT)
        s = str_printf(&l->ar, "[defaults] (%.*s)", STR_ARG(where));
    else if (r->kind == RULE_PROVIDER_DEFAULT)
        s = str_printf(&l->ar, "the provider's defaults (%.*s)", STR_ARG(where));
    else if (r->name.n)
        s = str_printf(&l->ar, "'%.*s' (%.*s)", STR_ARG(r->name), STR_ARG(where));
    else
        s = str_printf(&l->ar, "the rule at %.*s", STR_ARG(where));
    if (!s.p)
        l->failed = true;
    return s;
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
    const uint32_t *n = map_get(&l->name_of, name);
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

/* The number of the name, a new one if it is met for the first time. */
static uint32_t name_number(struct lint *l, struct str name, struct place at, cando_syntax written)
{
    uint32_t found = lint_name_find(l, name);
    if (found != LINT_NONE || l->failed)
        return found == LINT_NONE ? LINT_EVERYBODY : found;
    uint32_t n = (uint32_t)l->n_names;
    if (!ARENA_GROW(&l->ar, l->name, l->n_names, l->cap_names) || !map_put(&l->name_of, name, n)) {
        l->failed = true;
        return LINT_EVERYBODY;
    }
    l->name[l->n_names++] =
        (struct lint_name){.text = name, .api = LINT_NO_API, .at = at, .written = written};
    return n;
}

static unsigned api_number(struct lint *l, struct str name)
{
    const uint32_t *n = map_get(&l->api_of, name);
    if (n)
        return *n;
    if (!map_put(&l->api_of, name, l->n_apis))
        l->failed = true;
    return l->n_apis++;
}

static cando_syntax source_syntax(const struct lint *l, uint32_t source)
{
    return l->rs->source[source].syntax;
}

static void name_providers(struct lint *l)
{
    for (size_t i = 0; i < l->rs->n_providers && !l->failed; i++) {
        const struct provider *p = &l->rs->provider[i];
        uint32_t n = name_number(l, p->id, p->at, source_syntax(l, p->source));
        l->name[n].declared = true;
        if (p->api.n) {
            unsigned d = api_number(l, p->api);
            l->name[n].api = d < LINT_NO_API ? d : LINT_NO_API;
        }
        for (size_t k = 0; k < p->n_aliases && !l->failed; k++)
            if (lint_name_find(l, p->alias[k].name) == LINT_NONE &&
                !map_put(&l->name_of, p->alias[k].name, n))
                l->failed = true;
    }
}

static int u32_cmp(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void name_scope(struct lint *l, uint32_t rule)
{
    const struct rule *r = &l->rs->rule[rule];
    struct lint_rule *lr = &l->rule[rule];
    size_t first = l->n_scopes, kept = first;
    lr->scope = (uint32_t)first;
    for (size_t i = 0; i < r->n_providers; i++) {
        uint32_t n =
            name_number(l, r->provider[i].name, r->provider[i].at, source_syntax(l, r->source));
        if (l->failed || !ARENA_GROW(&l->ar, l->scope, l->n_scopes, l->cap_scopes)) {
            l->failed = true;
            return;
        }
        l->scope[l->n_scopes++] = n;
    }
    if (r->n_providers)
        qsort(l->scope + first, l->n_scopes - first, sizeof *l->scope, u32_cmp);
    for (size_t i = first; i < l->n_scopes; i++)
        if (kept == first || l->scope[kept - 1] != l->scope[i]) {
            l->scope[kept++] = l->scope[i];
            l->name[l->scope[i]].rules++;
            l->name[l->scope[i]].uses++;
        }
    l->n_scopes = kept;
    lr->n_scopes = (uint32_t)(kept - first);
}

/* False if the rule names more dialects than a word has bits. */
static bool name_apis(struct lint *l, uint32_t rule)
{
    const struct rule *r = &l->rs->rule[rule];
    for (size_t i = 0; i < r->n_apis && !l->failed; i++) {
        unsigned d = api_number(l, r->api[i].name);
        if (d >= LINT_NO_API)
            return false;
        l->rule[rule].apis |= UINT64_C(1) << d;
    }
    return true;
}

/* -- the graph of families ------------------------------------------------------------ */

/* Edges by child, in the order in which they were written, each once. */
static void name_families(struct lint *l)
{
    struct ruleset *rs = l->rs;
    l->edge = arena_array(&l->ar, rs->n_families, sizeof *l->edge);
    l->edge_family = arena_array(&l->ar, rs->n_families, sizeof *l->edge_family);
    uint32_t *child = arena_array(&l->ar, rs->n_families, sizeof *child);
    uint32_t *parent = arena_array(&l->ar, rs->n_families, sizeof *parent);
    if (!l->edge || !l->edge_family || !child || !parent) {
        l->failed = true;
        return;
    }
    for (size_t i = 0; i < rs->n_families && !l->failed; i++) {
        const struct family *f = &rs->family[i];
        child[i] = name_number(l, f->child, f->at, source_syntax(l, f->source));
        parent[i] = name_number(l, f->parent, f->at, source_syntax(l, f->source));
        if (!l->failed)
            l->name[child[i]].n_edges++;
    }
    if (l->failed)
        return;
    uint32_t at = 0;
    for (size_t n = 0; n < l->n_names; n++) {
        l->name[n].edge = at;
        at += l->name[n].n_edges;
        l->name[n].n_edges = 0;
    }
    l->n_edges = at;
    for (size_t i = 0; i < rs->n_families; i++) {
        struct lint_name *c = &l->name[child[i]];
        bool known = false;
        for (uint32_t k = 0; k < c->n_edges && !known; k++)
            known = l->edge[c->edge + k] == parent[i];
        if (known)
            continue;
        if (rs->family[i].at.line) {
            l->name[parent[i]].uses++;
            c->uses += c->n_edges == 0;
        }
        l->edge[c->edge + c->n_edges] = parent[i];
        l->edge_family[c->edge + c->n_edges++] = (uint32_t)i;
        l->name[parent[i]].children++;
    }
}

/* -- stages ------------------------------------------------------------------------------ */

static void find_stages(struct lint *l)
{
    const struct ruleset *rs = l->rs;
    l->stage_of = arena_array(&l->ar, rs->n_sources, sizeof *l->stage_of);
    bool *has_rules = arena_array(&l->ar, rs->n_sources, sizeof *has_rules);
    if (!l->stage_of || !has_rules) {
        l->failed = true;
        return;
    }
    for (size_t i = 0; i < rs->n_rules; i++)
        if (!lint_is_default(&rs->rule[i]))
            has_rules[rs->rule[i].source] = true;
    const struct source *before = NULL;
    for (unsigned layer = 0; layer < CANDO_LAYER_COUNT; layer++)
        for (size_t s = 0; s < rs->n_sources; s++) {
            const struct source *src = &rs->source[s];
            if ((unsigned)src->layer != layer)
                continue;
            l->stage_of[s] = LINT_NONE;
            if (!has_rules[s])
                continue;
            if (!before || before->first_match != src->first_match)
                l->n_stages++;
            l->stage_of[s] = l->n_stages - 1;
            before = src;
        }
}

/* -- all of it ----------------------------------------------------------------------------- */

static void prepare_rules(struct lint *l)
{
    struct ruleset *rs = l->rs;
    l->rule = arena_array(&l->ar, rs->n_rules, sizeof *l->rule);
    if (!l->rule) {
        l->failed = true;
        return;
    }
    for (size_t i = 0; i < rs->n_rules && !l->failed; i++) {
        const struct rule *r = &rs->rule[i];
        struct lint_rule *lr = &l->rule[i];
        for (size_t k = 0; k < r->n_assigns; k++)
            if (r->assign[k].field < FIELD_COUNT)
                lint_mask_set(&lr->fields, r->assign[k].field);
        name_scope(l, (uint32_t)i);
        bool judged = name_apis(l, (uint32_t)i) && !r->never && !rs->source[r->source].broken;
        if (judged && !lint_is_default(r) && !l->failed && !lint_programs_add(l, (uint32_t)i))
            l->failed = true;
    }
}

static void lint_prepare(struct lint *l)
{
    size_t share = LINT_WORK / (l->rs->n_rules + 1);
    l->rule_work = share > LINT_RULE_WORK ? share : LINT_RULE_WORK;
    map_init(&l->name_of, &l->ar, false);
    map_init(&l->api_of, &l->ar, false);
    for (size_t i = 0; i < l->rs->n_sources; i++)
        l->broken |= l->rs->source[i].broken;
    if (!ARENA_GROW(&l->ar, l->name, l->n_names, l->cap_names)) {
        l->failed = true;
        return;
    }
    l->name[l->n_names++] = (struct lint_name){.text = STR(""), .api = LINT_NO_API};
    name_providers(l);
    if (!l->failed)
        prepare_rules(l);
    if (!l->failed)
        name_families(l);
    if (!l->failed)
        find_stages(l);
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

void ruleset_lint(struct ruleset *rs)
{
    static void (*const passes[])(struct lint *) = {lint_families, lint_names,      lint_versions,
                                                    lint_shadows,  lint_overwrites, lint_routes};
    if (rs->linted)
        return;
    rs->linted = true;
    ruleset_check_scopes(rs);
    ruleset_check_overlay(rs);
    ruleset_check_shapes(rs);
    struct lint l = {.rs = rs, .memory = {.inner = rs->ar->a}};
    l.proof = (cando_allocator){count_resize, &l.memory};
    arena_init(&l.ar, rs->ar->a);
    if (!rs->failed)
        lint_prepare(&l);
    for (size_t i = 0; i < sizeof passes / sizeof *passes; i++)
        if (!rs->failed && !l.failed && !l.memory.failed && !rs->diag.failed)
            passes[i](&l);
    if (l.failed || l.memory.failed || rs->diag.failed)
        rs->failed = true;
    arena_free(&l.ar);
    diag_sort(&rs->diag);
}
