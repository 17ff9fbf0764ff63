/*
 * compile_exact.c - finished profiles for ids that are named whole.
 *
 * A fact row, or an exact pattern of a rule that names its providers, is a pair
 * (provider, id) that will be asked for again and again. The draft snapshot is
 * asked once for each, and what it answers is stored; equal answers are stored
 * once. Aliases come last, over what is there by then.
 */
#include "agree.h"

#include "base/bits.h"

struct compile_pairs {
    struct snap_exact *slot;
    size_t size;
    struct map records;    /* bytes of a record -> offset */
    struct row_list rows;  /* of the facts and aliases */
    struct offering *fact; /* fact rows, which may borrow before they are put */
    size_t n_facts, cap_facts;
};

/* Which of the origins so far it is; a new one is added. */
static unsigned origin_of(uint32_t *origins, unsigned *n, uint32_t origin)
{
    unsigned i = 0;
    while (i < *n && origins[i] != origin)
        i++;
    if (i == *n)
        origins[(*n)++] = origin;
    return i;
}

/* The fact by which there is such an offering, if all that it says is in the profile. */
static uint32_t own_rule(const cando_profile *p)
{
    const struct snapshot *s = &p->catalog->snap;
    uint32_t own = SNAP_NONE, n;
    for (unsigned f = 0; f < FIELD_COUNT && own == SNAP_NONE; f++)
        if (bit_get(p->set, f) && !(p->origin[f] & ORIGIN_MARKS) &&
            snap_rule(s, p->origin[f]).flags & RULEF_FACT)
            own = p->origin[f];
    if (own == SNAP_NONE)
        return SNAP_NONE;
    uint32_t at = snap_rule_assigns(s, own, &n);
    for (uint32_t i = at; i < at + n; i++) {
        unsigned f = s->field[snap_assign_at(s, i).field];
        if (f >= FIELD_COUNT || !bit_get(p->set, f))
            return SNAP_NONE;
        if (p->origin[f] == own && p->value[f] != snap_assign_at(s, i).value)
            return SNAP_NONE;
    }
    return own;
}

static uint32_t add_record(struct compiler *c, struct compile_pairs *t, const cando_profile *p,
                           cando_identity identity)
{
    uint32_t word[RECORD_MAX_WORDS] = {0}, origins[CANDO_MAX_FIELDS];
    uint8_t which[CANDO_MAX_FIELDS];
    unsigned n = 0, n_origins = 0;
    uint32_t own = identity == CANDO_BY_EXACT ? own_rule(p) : SNAP_NONE;
    word[RECORD_OWN] = own;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (!bit_get(p->set, f) || p->origin[f] == own)
            continue;
        word[RECORD_FIELDS + f / 32] |= 1u << (f % 32);
        word[RECORD_HEAD + n] = p->value[f];
        which[n++] = (uint8_t)origin_of(origins, &n_origins, p->origin[f]);
    }
    word[0] = (uint32_t)identity | n_origins << 8;
    size_t size = RECORD_HEAD + n;
    for (unsigned i = 0; i < n_origins; i++)
        word[size++] = origins[i];
    for (unsigned i = 0; i < n; i++)
        word[size + i / 4] |= (uint32_t)which[i] << (8 * (i % 4));
    size += (n + 3) / 4;
    struct str bytes = {(const char *)word, size * 4};
    uint32_t *have = map_get(&t->records, bytes);
    if (have)
        return *have;
    uint32_t ref = compile_count(c, SEC_RECORDS);
    compile_words(c, SEC_RECORDS, word, size);
    bytes = str_dup(&c->ar, bytes);
    if (!bytes.p || !map_put(&t->records, bytes, ref))
        c->ar.failed = true;
    return ref;
}

/* The pair's slot, or the free one where it belongs. */
static struct snap_exact *find_slot(const struct compile_pairs *t, uint64_t h, uint32_t provider,
                                    uint32_t key)
{
    size_t i = (size_t)h & (t->size - 1);
    while (t->slot[i].record != SNAP_NONE &&
           (t->slot[i].provider != provider || t->slot[i].key != key))
        i = (i + 1) & (t->size - 1);
    return &t->slot[i];
}

void compile_pair_put(struct compiler *c, uint32_t provider, struct str id, struct str written,
                      const cando_profile *p, cando_identity identity)
{
    struct compile_pairs *t = c->pairs;
    uint64_t h = exact_hash(provider, id);
    uint32_t key = compile_string(c, id);
    struct snap_exact *slot = find_slot(t, h, provider, key);
    if (slot->record != SNAP_NONE)
        compile_row_forget(&t->rows, provider, key);
    *slot = (struct snap_exact){(uint32_t)(h >> 32), provider, key, add_record(c, t, p, identity)};
    if (identity == CANDO_BY_EXACT || identity == CANDO_BY_ALIAS)
        compile_row(c, &t->rows, provider, id, written, slot->record, p);
}

static bool have_pair(struct compiler *c, uint32_t provider, struct str id)
{
    uint32_t key = compile_string(c, id);
    return find_slot(c->pairs, exact_hash(provider, id), provider, key)->record != SNAP_NONE;
}

/* Its slot is taken now; what goes there is known when all facts are. */
static void add_fact(struct compiler *c, struct match_query *q, const struct offering *made)
{
    struct compile_pairs *t = c->pairs;
    if (!ARENA_GROW(&c->ar, t->fact, t->n_facts, t->cap_facts)) {
        c->ar.failed = true;
        return;
    }
    struct offering *x = &t->fact[t->n_facts++];
    *x = *made;
    char room[BORROW_NAME_ROOM];
    x->canonical = str_dup_fold(&c->ar, borrow_name(q, room));
    x->listed = q->mid.canonical.n > 0;
    c->ar.failed |= !x->canonical.p;
    uint64_t h = exact_hash(x->provider, x->id);
    uint32_t key = compile_string(c, x->id);
    *find_slot(t, h, x->provider, key) =
        (struct snap_exact){(uint32_t)(h >> 32), x->provider, key, 0};
}

static void add_facts_end(struct compiler *c)
{
    struct compile_pairs *t = c->pairs;
    borrow_fill(c, t->fact, t->n_facts);
    for (size_t i = 0; i < t->n_facts && !c->ar.failed; i++) {
        const struct offering *x = &t->fact[i];
        uint32_t key = compile_string(c, x->id);
        struct snap_exact *slot = find_slot(t, exact_hash(x->provider, x->id), x->provider, key);
        slot->record = add_record(c, t, &x->profile, CANDO_BY_EXACT);
        compile_row(c, &t->rows, x->provider, x->id, x->written, slot->record, &x->profile);
    }
}

static void add_pair(struct compiler *c, const cando_catalog *draft, uint32_t provider,
                     struct str id, const struct rule *r)
{
    struct match_query q;
    struct offering x = {.provider = provider, .id = id, .written = r->id.n ? r->id : id};
    struct snap_provider rec = snap_provider(&draft->snap, provider);
    if (have_pair(c, provider, id) ||
        !query_init(&q, &draft->snap, snap_str(&draft->snap, rec.id), id))
        return;
    struct agree_heard heard = {.n = 0};
    resolve_walk(&q, draft, CANDO_AS_WRITTEN, &x.profile, agree_hear, &heard);
    if (r->kind == RULE_FACT) {
        agree_with_rules(c, &x, &heard);
        add_fact(c, &q, &x);
        return;
    }
    query_parse(&q);
    if (have_pair(c, SNAP_NONE, q.mid.canonical)) /* it borrows when it is asked for */
        return;
    compile_pair_put(c, provider, id, x.written, &x.profile, x.profile.identity);
}

/* At most so many; a fact also has a place under the names of its model, its tier and its
 * family. */
static size_t count_pairs(const struct compiler *c, size_t *facts)
{
    size_t n = c->n_alias_of;
    *facts = 0;
    for (size_t i = 0; i < c->rs->n_rules; i++) {
        size_t pairs = c->rs->rule[i].n_providers * c->rs->rule[i].n_patterns;
        bool fact = c->rs->rule[i].kind == RULE_FACT;
        n += pairs * (fact ? 4 : 1);
        *facts += fact ? pairs : 0;
    }
    return n;
}

static void add_rule_pairs(struct compiler *c, const cando_catalog *draft, const struct rule *r)
{
    for (size_t k = 0; k < r->n_patterns; k++) {
        if (r->pattern[k].kind != MATCH_EXACT)
            continue;
        for (size_t p = 0; p < r->n_providers && !c->ar.failed; p++)
            add_pair(c, draft, *map_get(&c->alias, r->provider[p].name), r->pattern[k].text, r);
    }
}

static void add_rules_of(struct compiler *c, const cando_catalog *draft, enum rule_kind kind)
{
    for (size_t i = 0; i < c->rs->n_rules && !c->ar.failed; i++)
        if (c->rs->rule[i].kind == kind)
            add_rule_pairs(c, draft, &c->rs->rule[i]);
}

static struct str written_string(const struct compiler *c, uint32_t ref)
{
    const char *p = c->sec[SEC_STRINGS].p + ref;
    return str_make(p, snap_length((const unsigned char *)p));
}

/* There were places for all that might have come: what did come needs far fewer. */
static void write_pairs(struct compiler *c, const struct compile_pairs *t)
{
    struct compile_pairs out = {.size = 8};
    size_t used = 0;
    for (size_t i = 0; i < t->size; i++)
        used += t->slot[i].record != SNAP_NONE;
    while (out.size < used + used / 4)
        out.size *= 2;
    out.slot = arena_array(&c->ar, out.size, sizeof *out.slot);
    if (!out.slot || c->sec[SEC_STRINGS].failed)
        return;
    for (size_t i = 0; i < out.size; i++)
        out.slot[i].record = SNAP_NONE;
    for (size_t i = 0; i < t->size; i++) {
        const struct snap_exact *x = &t->slot[i];
        if (x->record == SNAP_NONE)
            continue;
        struct str id = written_string(c, x->key);
        *find_slot(&out, exact_hash(x->provider, id), x->provider, x->key) = *x;
    }
    for (size_t i = 0; i < out.size; i++)
        compile_put(c, SEC_EXACT, &out.slot[i]);
}

void compile_pairs_end(struct compiler *c)
{
    struct compile_pairs *t = c->pairs;
    if (!t || c->ar.failed)
        return;
    static const enum snap_section anew[] = {SEC_EXACT, SEC_ROWS, SEC_RUNS, SEC_SUPPORT, SEC_DATED};
    for (size_t i = 0; i < COUNT_OF(anew); i++) {
        c->ar.failed |= c->sec[anew[i]].failed;
        buf_clear(&c->sec[anew[i]]);
    }
    write_pairs(c, t);
    compile_rows(c, &t->rows);
}

void compile_exact(struct compiler *c, const cando_catalog *draft)
{
    size_t facts, n = count_pairs(c, &facts);
    if (n == 0)
        return;
    struct compile_pairs *t = c->pairs = arena_alloc(&c->ar, sizeof *t);
    if (!t)
        return;
    t->size = 8;
    while (t->size < n * 2)
        t->size *= 2;
    t->slot = arena_array(&c->ar, t->size, sizeof *t->slot);
    t->fact = arena_array(&c->ar, facts, sizeof *t->fact); /* large: it does not grow in steps */
    t->rows.item = arena_array(&c->ar, facts, sizeof *t->rows.item);
    if (!t->slot || !t->fact || !t->rows.item)
        return;
    t->cap_facts = t->rows.cap = facts;
    map_init(&t->records, &c->ar, false);
    for (size_t i = 0; i < t->size; i++)
        t->slot[i].record = SNAP_NONE;
    /* a fact row decides the identity of its pair */
    add_rules_of(c, draft, RULE_FACT);
    add_facts_end(c);
    add_rules_of(c, draft, RULE_MATCH);
    compile_pairs_end(c);
}
