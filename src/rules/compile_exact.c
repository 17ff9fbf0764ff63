/*
 * compile_exact.c - finished profiles for ids that are named whole.
 *
 * A fact row, or an exact pattern of a rule that names its providers, is a pair
 * (provider, id) that will be asked for again and again. The draft snapshot is
 * asked once for each, and what it answers is stored; equal answers are stored
 * once.
 */
#include "compile.h"
#include "resolve.h"

struct pairs {
    struct snap_exact *slot;
    size_t size, n;
    struct map records; /* bytes of a record -> offset */
};

static uint32_t add_record(struct compiler *c, struct pairs *t, const cando_profile *p, bool fact)
{
    uint32_t word[RECORD_HEAD + 2 * CANDO_MAX_FIELDS] = {fact ? CANDO_BY_EXACT : (uint32_t)p->identity};
    uint32_t n = 0, at = 0;
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        n += p->set[f / 64] >> (f % 64) & 1;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (!(p->set[f / 64] >> (f % 64) & 1))
            continue;
        word[1 + f / 32] |= 1u << (f % 32);
        word[RECORD_HEAD + at] = p->value[f];
        word[RECORD_HEAD + n + at] = p->origin[f];
        at++;
    }
    struct str bytes = {(const char *)word, (RECORD_HEAD + 2 * (size_t)n) * 4};
    uint32_t *have = map_get(&t->records, bytes);
    if (have)
        return *have;
    uint32_t ref = (uint32_t)(c->sec[SEC_RECORDS].n / 4);
    compile_put(c, SEC_RECORDS, word, RECORD_HEAD + 2 * (size_t)n);
    bytes = str_dup(&c->ar, bytes);
    if (!bytes.p || !map_put(&t->records, bytes, ref))
        c->failed = true;
    return ref;
}

static void add_pair(struct compiler *c, struct pairs *t, const cando_catalog *draft, uint32_t provider, struct str id, bool fact)
{
    uint64_t h = exact_hash(provider, id);
    uint32_t key = compile_string(c, id);
    size_t i = (size_t)h & (t->size - 1);
    while (t->slot[i].record != SNAP_NONE) {
        if (t->slot[i].provider == provider && t->slot[i].key == key)
            return;
        i = (i + 1) & (t->size - 1);
    }
    struct query q;
    cando_profile p;
    struct snap_provider rec = snap_provider(&draft->snap, provider);
    if (!query_init(&q, &draft->snap, snap_str(&draft->snap, rec.id), id))
        return;
    resolve_walk(&q, draft, CANDO_AS_WRITTEN, &p, NULL, NULL);
    t->slot[i] = (struct snap_exact){(uint32_t)(h >> 32), provider, key, add_record(c, t, &p, fact)};
}

static size_t count_pairs(const struct ruleset *rs)
{
    size_t n = 0;
    for (size_t i = 0; i < rs->n_rules; i++)
        n += rs->rule[i].n_providers * rs->rule[i].n_patterns;
    return n;
}

static void add_rule_pairs(struct compiler *c, struct pairs *t, const cando_catalog *draft, const struct rule *r)
{
    bool fact = r->kind == RULE_FACT;
    for (size_t k = 0; k < r->n_patterns; k++) {
        if (r->pattern[k].kind != MATCH_EXACT)
            continue;
        for (size_t p = 0; p < r->n_providers && !c->failed; p++)
            add_pair(c, t, draft, *map_get(&c->alias, r->provider[p].name), r->pattern[k].text, fact);
    }
}

void compile_exact(struct compiler *c, const cando_catalog *draft)
{
    const struct ruleset *rs = c->rs;
    size_t n = count_pairs(rs);
    if (n == 0)
        return;
    struct pairs t = {.size = 8};
    while (t.size < n * 2)
        t.size *= 2;
    t.slot = arena_array(&c->ar, t.size, sizeof *t.slot);
    if (!t.slot) {
        c->failed = true;
        return;
    }
    map_init(&t.records, &c->ar, false);
    for (size_t i = 0; i < t.size; i++)
        t.slot[i].record = SNAP_NONE;
    for (int facts = 1; facts >= 0; facts--) /* a fact row decides the identity of its pair */
        for (size_t i = 0; i < rs->n_rules && !c->failed; i++)
            if ((rs->rule[i].kind == RULE_FACT) == facts && (facts || rs->rule[i].kind == RULE_MATCH))
                add_rule_pairs(c, &t, draft, &rs->rule[i]);
    for (size_t i = 0; i < t.size; i++)
        compile_put(c, SEC_EXACT, &t.slot[i], sizeof *t.slot / 4);
}
