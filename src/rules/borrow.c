#include "agree.h"
#include "catalog/evidence.h"

#include <stdlib.h>

/* What one offering says itself of the fields that can be borrowed. */
struct said {
    enum { SAID_NOTHING, SAID_YES, SAID_NO } what;
    uint32_t value, rule;
};

/* The offerings of one model. */
struct group {
    const struct snapshot *s;
    const uint8_t *mask;   /* by field: a bit for each word of BORROW_WORDS */
    const unsigned *field; /* those that have one */
    size_t n_fields;
    struct offering **member;
    uint8_t *own;      /* by member: 1 if the lab itself serves it, 2 under the model's very name */
    struct said *said; /* by member, then by field */
    size_t n;
};

unsigned borrow_word(struct str word)
{
    static const char *const words[] = {"lab", "lab-no", "hosts", "hosts-no", "host", "host-no"};
    unsigned i = 0;
    while (!str_is(word, words[i]))
        i++;
    return i;
}

/* Is it said of the offering itself? Rules for families are not. */
static bool is_fact(const struct snapshot *s, const struct profile_fact *f)
{
    if (!f->set)
        return false;
    struct snap_rule r = snap_rule(s, f->rule);
    return r.layer >= CANDO_LAYER_FACTS || r.flags & RULEF_FACT;
}

/* What a user says of one offering is said of no other. */
static bool is_lent(const struct snapshot *s, const struct profile_fact *f)
{
    return is_fact(s, f) && snap_rule(s, f->rule).layer < CANDO_LAYER_USER;
}

static uint32_t encode(const cando_value *v)
{
    switch (v->type) {
    case CANDO_SUPPORT:
        return VAL(VAL_SUPPORT, v->support);
    case CANDO_FLAG:
        return VAL(VAL_FLAG, v->flag);
    default:
        return v->number <= VAL_PAYLOAD_MAX ? VAL(VAL_NUMBER, v->number) : 0;
    }
}

static void listen(struct group *g, size_t member)
{
    struct profile_fact fact[FIELD_COUNT];
    profile_facts(&g->member[member]->profile, fact);
    for (size_t i = 0; i < g->n_fields; i++) {
        const struct profile_fact *f = &fact[g->field[i]];
        struct said *x = &g->said[member * g->n_fields + i];
        *x = (struct said){SAID_NOTHING, 0, 0};
        if (!is_lent(g->s, f) || !f->value.known || !encode(&f->value))
            continue;
        bool no = f->value.type == CANDO_SUPPORT && f->value.support == CANDO_UNSUPPORTED;
        *x = (struct said){no ? SAID_NO : SAID_YES, encode(&f->value), f->rule};
    }
}

static bool agree(const struct said *a, const struct said *b, bool numbers)
{
    return a->what == b->what && (!numbers || a->value == b->value);
}

/* What the others say of a field to `self`; to nobody in particular, if that is SIZE_MAX. */
static const struct said *donor(const struct group *g, size_t self, size_t field)
{
    uint8_t mask = g->mask[g->field[field]];
    bool numbers = vocab_row(g->field[field])->type != CANDO_SUPPORT;
    uint32_t at = self == SIZE_MAX ? SNAP_NONE : g->member[self]->provider;
    const struct said *host = NULL, *lab = NULL;
    uint8_t rank = 0;
    size_t hosts = 0;
    for (size_t i = 0; i < g->n; i++) {
        const struct said *x = &g->said[i * g->n_fields + field];
        if (x->what == SAID_NOTHING || i == self || g->member[i]->provider == at)
            continue;
        if (g->own[i]) {
            lab = lab && g->own[i] <= rank ? lab : x;
            rank = g->own[i] > rank ? g->own[i] : rank;
        } else if (host && !agree(host, x, numbers)) {
            hosts = SIZE_MAX / 2; /* they disagree: far more than any number of hosts */
        } else {
            host = host ? host : x;
            hosts++;
        }
    }
    const struct said *x = lab ? lab : hosts < SIZE_MAX / 2 ? host : NULL;
    if (!x)
        return NULL;
    unsigned from = lab ? BORROW_LAB : hosts > 1 ? BORROW_HOSTS : BORROW_HOST;
    return mask >> (from + (x->what == SAID_NO)) & 1 ? x : NULL;
}

static void take(cando_profile *p, unsigned field, const struct said *x)
{
    p->set[field / 64] |= UINT64_C(1) << (field % 64);
    p->value[field] = x->value;
    p->origin[field] = x->rule | ORIGIN_BORROWED;
}

/* Does the provider of another offering say the same no, and none of those that say anything a
 * yes? Only where such a no may be borrowed: there it is one of the model itself. */
static bool no_is_confirmed(const struct group *g, size_t self, size_t field)
{
    unsigned f = g->field[field];
    bool confirmed = false;
    for (size_t i = 0; i < g->n; i++) {
        const struct said *x = &g->said[i * g->n_fields + field];
        unsigned from = g->own[i] ? BORROW_LAB : BORROW_HOSTS;
        if (x->what == SAID_YES)
            return false;
        if (i == self || x->what != SAID_NO || g->member[i]->provider == g->member[self]->provider)
            continue;
        confirmed |= (g->mask[f] >> (from + 1) & 1) && profile_rejects(&g->member[i]->profile, f);
    }
    return confirmed;
}

static void confirm_noes(struct compiler *c, const struct group *g, size_t self)
{
    for (size_t i = 0; i < g->n_fields; i++) {
        const struct said *x = &g->said[self * g->n_fields + i];
        if (x->what == SAID_NO && agreed_bit(g->field[i]) && no_is_confirmed(g, self, i))
            agree_on(c, x->rule, g->field[i]);
    }
}

static void fill_group(struct compiler *c, struct group *g)
{
    cando_profile all = {.catalog = g->member[0]->profile.catalog};
    for (size_t i = 0; i < g->n; i++)
        listen(g, i);
    for (size_t i = 0; i < g->n && g->n > 1; i++)
        confirm_noes(c, g, i);
    for (size_t i = 0; i < g->n; i++) {
        struct profile_fact fact[FIELD_COUNT];
        profile_facts(&g->member[i]->profile, fact);
        for (size_t f = 0; f < g->n_fields; f++) {
            const struct said *x = donor(g, i, f);
            if (x && !is_fact(g->s, &fact[g->field[f]]))
                take(&g->member[i]->profile, g->field[f], x);
        }
    }
    for (size_t f = 0; f < g->n_fields; f++) {
        const struct said *x = donor(g, SIZE_MAX, f);
        if (x)
            take(&all, g->field[f], x);
    }
    compile_pair_put(c, SNAP_NONE, g->member[0]->canonical, g->member[0]->canonical, &all,
                     CANDO_BY_FAMILY);
}

static int by_canonical(const void *a, const void *b)
{
    const struct offering *x = *(struct offering *const *)a, *y = *(struct offering *const *)b;
    int c = str_cmp(x->canonical, y->canonical);
    return c ? c : x < y ? -1 : x > y;
}

static void mark_own(const struct compiler *c, struct group *g)
{
    struct str lab = str_head(g->member[0]->canonical, str_find_char(g->member[0]->canonical, '/'));
    struct str name = str_from(g->member[0]->canonical, lab.n + 1);
    for (size_t i = 0; i < g->n; i++) {
        bool own = str_eq(c->providers.id[g->member[i]->provider], lab);
        g->own[i] = own ? 1 + str_eq_fold(g->member[i]->id, name) : 0;
    }
}

void borrow_fill(struct compiler *c, struct offering *list, size_t n)
{
    unsigned field[FIELD_COUNT];
    struct group g = {.mask = c->rs->borrow, .field = field};
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (c->rs->borrow[f])
            field[g.n_fields++] = f;
    if (!g.n_fields || !n)
        return;
    struct offering **order = arena_array(&c->ar, n, sizeof *order);
    g.own = arena_array(&c->ar, n, sizeof *g.own);
    g.said = arena_array(&c->ar, n * g.n_fields, sizeof *g.said);
    if (!order || !g.own || !g.said)
        return;
    g.s = &list[0].profile.catalog->snap;
    for (size_t i = 0; i < n; i++)
        order[i] = &list[i];
    qsort(order, n, sizeof *order, by_canonical);
    for (size_t i = 0; i < n && !c->ar.failed; i += g.n) {
        for (g.n = 1; i + g.n < n && str_eq(order[i + g.n]->canonical, order[i]->canonical);)
            g.n++;
        g.member = order + i;
        if (!order[i]->canonical.n)
            continue;
        mark_own(c, &g);
        fill_group(c, &g);
    }
}

void borrow_apply(struct match_query *q, cando_profile *out)
{
    const struct snapshot *s = q->s;
    if (!s->has_facts)
        return;
    query_parse(q);
    uint32_t at = q->mid.canonical.n ? snapshot_exact(s, SNAP_NONE, q->mid.canonical) : SNAP_NONE;
    if (at == SNAP_NONE)
        return;
    cando_profile all = *out;
    all.record = (const uint32_t *)(const void *)(s->sec[SEC_RECORDS].p + (size_t)at * 4);
    all.identity = CANDO_BY_FAMILY;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t value, origin;
        if (!profile_raw(&all, f, &value, &origin))
            continue;
        struct profile_fact have = profile_fact(out, f);
        if (is_fact(s, &have))
            continue;
        out->set[f / 64] |= UINT64_C(1) << (f % 64);
        out->value[f] = value;
        out->origin[f] = origin;
        if (out->identity == CANDO_BY_DEFAULT)
            out->identity = CANDO_BY_FAMILY;
    }
}
