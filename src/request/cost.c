/*
 * cost.c - the bill: which rate holds, who pays for which share, what it sums
 * to.
 *
 * Which rate of a unit holds is decided in two steps. First by date: of the
 * rates for the service tier that was asked for, and of those for the standard
 * one, only the newest in force remain (and of these, the ones for this time
 * of day, if there are any): a new price list replaces the old one whole, with
 * its thresholds. Then by what was asked: with threshold and tier, with
 * threshold, with tier, plain.
 */
#include "cost.h"

/* The units that matter here. */
struct active {
    unsigned n;
    uint8_t unit[UNIT_COUNT];               /* those inside of others first */
    uint8_t table[UNIT_COUNT];              /* in the order of the table */
    const struct unit_row *row[UNIT_COUNT]; /* of `unit` */
};

/* Does the i-th active unit lie inside of the k-th, a later one? */
static inline bool lies_in(const struct active *a, unsigned i, unsigned k)
{
    return (a->row[i]->dims & a->row[k]->says) == a->row[k]->dims;
}

/* A price list: the newest that holds. */
struct list_date {
    bool any, timed;
    int32_t from;
};

/* What was chosen for a unit. */
struct choice {
    bool priced; /* some rate of its own holds */
    bool open;   /* ... but which one depends on an unknown input */
    bool tiered; /* ... and it is for the tier that was asked for */
    const struct price_rate *rate;
    uint64_t rank;            /* of it */
    struct list_date list[2]; /* of the standard tier and of the one asked for */
};

struct work {
    struct reading *r;
    const struct usage *counts;
    const struct pricing *p;
    const struct cost_options *o;
    struct str tier;
    struct active a;
    bool graduated;                   /* some rate is */
    struct choice choice[UNIT_COUNT]; /* of active units */
    uint8_t payer[UNIT_COUNT];        /* the unit whose rate pays; UNIT_COUNT: none */
    bool billed[UNIT_COUNT];          /* has a share of its own, */
    struct money share[UNIT_COUNT];   /* this one */
};

struct str cost_tier(struct str asked, char buf[40])
{
    static const struct {
        struct str name, tier;
    } same[] = {
        {{"default", 7}, {"", 0}},        {{"auto", 4}, {"", 0}},
        {{"standard", 8}, {"", 0}},       {{"none", 4}, {"", 0}},
        {{"standard_only", 13}, {"", 0}}, {{"on_demand", 9}, {"", 0}},
        {{"fast", 4}, {"priority", 8}},   {{"batches", 7}, {"batch", 5}},
    };
    size_t n = asked.n < 39 ? asked.n : 39;
    for (size_t i = 0; i < n; i++)
        buf[i] = char_fold(asked.p[i]);
    buf[n] = '\0';
    struct str s = str_make(buf, n);
    for (size_t i = 0; n && i < COUNT_OF(same); i++)
        if (str_eq(s, same[i].name))
            return same[i].tier;
    return s;
}

/* -- which rate holds -------------------------------------------------------------- */

static bool in_force(const struct price_key *k, const struct cost_options *o)
{
    if (k->from != PRICE_NO_DAY && o->dated && o->at.day < k->from)
        return false;
    if (k->begin == -1)
        return true;
    if (!o->dated || !price_on_day(k, o->at.day))
        return false;
    int32_t t = o->at.second;
    return k->begin < k->end ? k->begin <= t && t < k->end : t >= k->begin || t < k->end;
}

/* 0: standard, 1: the tier asked for, -1: another one. */
static int tier_of(const struct work *w, const struct price_key *k)
{
    if (!k->tier.n)
        return 0;
    return str_eq(k->tier, w->tier) ? 1 : -1;
}

static bool newer(const struct list_date *than, const struct price_key *k)
{
    if (!than->any || k->from != than->from)
        return !than->any || k->from > than->from;
    return k->begin != -1 && !than->timed;
}

static bool on_list(const struct list_date *d, const struct price_key *k)
{
    return d->any && k->from == d->from && (k->begin != -1) == d->timed;
}

/* Larger is better; 0: does not hold. */
static uint64_t rank(const struct work *w, const struct price_key *k, int tier)
{
    const struct decimal *input = &w->counts->count[UNIT_input_tokens];
    if (k->step == PRICE_GRADUATED && k->threshold > 0)
        return 0; /* bill() looks for those */
    if (k->step != PRICE_ABOVE)
        return 1 + (uint64_t)tier;
    struct decimal threshold = decimal_from(k->threshold);
    return decimal_cmp(input, &threshold) > 0 ? 2 * (k->threshold + 2) + (uint64_t)tier : 0;
}

/* The rate of each unit: first which lists are in force, then which of their rates. */
static void choose(struct work *w)
{
    int8_t tier[LIMIT_PRICE_RATES];
    bool input_known = w->counts->state[UNIT_input_tokens] != COUNT_UNKNOWN;
    w->graduated = false;
    for (unsigned i = 0; i < w->p->n; i++) {
        const struct price_key *k = &w->p->rate[i].key;
        tier[i] = in_force(k, w->o) ? (int8_t)tier_of(w, k) : -1;
        if (tier[i] < 0)
            continue;
        struct list_date *list = &w->choice[k->unit].list[tier[i]];
        if (newer(list, k))
            *list = (struct list_date){true, k->begin != -1, k->from};
        w->graduated |= k->step == PRICE_GRADUATED;
    }
    for (unsigned i = 0; i < w->p->n; i++) {
        const struct price_key *k = &w->p->rate[i].key;
        struct choice *c = &w->choice[k->unit];
        if (tier[i] < 0 || !on_list(&c->list[tier[i]], k))
            continue;
        if (k->step == PRICE_ABOVE && !input_known)
            c->open = c->priced = true;
        uint64_t r = rank(w, k, tier[i]);
        if (r <= c->rank)
            continue;
        c->rank = r;
        c->priced = true;
        c->tiered = tier[i] == 1;
        c->rate = &w->p->rate[i];
    }
}

/* A reasoning rate that is not for the tier gives way to an output rate that is. */
static void yield_reasoning(struct work *w)
{
    const struct choice *output = &w->choice[UNIT_output_tokens];
    if (!memchr(w->a.unit, UNIT_output_tokens, w->a.n) || !output->priced || !output->tiered)
        return;
    for (unsigned i = 0; i < w->a.n; i++) {
        struct choice *c = &w->choice[w->a.unit[i]];
        if (unit_is_reasoning(w->a.unit[i]) && c->priced && !c->tiered)
            *c = (struct choice){0};
    }
}

/* -- who pays --------------------------------------------------------------------------- */

static inline bool counted(const struct work *w, unsigned unit)
{
    uint8_t s = w->counts->state[unit];
    return s == COUNT_UNKNOWN || (s == COUNT_KNOWN && !decimal_is_zero(&w->counts->count[unit]));
}

static void collect(struct work *w, struct usage *own)
{
    uint8_t mark[UNIT_COUNT] = {0};
    const uint8_t *state = w->counts->state;
    struct active *a = &w->a;
    for (unsigned i = 0; i < w->p->n; i++)
        mark[w->p->rate[i].key.unit] = 1;
    if (mark[UNIT_requests] && state[UNIT_requests] == COUNT_ABSENT) {
        *own = *w->counts; /* with the one request that a price per request counts */
        own->state[UNIT_requests] = COUNT_KNOWN;
        own->count[UNIT_requests] = decimal_from(1);
        w->counts = own;
    }
    for (unsigned u = unit_next(state, 0); u < UNIT_COUNT; u = unit_next(state, u + 1))
        mark[u] |= counted(w, u);
    a->n = 0;
    for (unsigned u = unit_next(mark, 0); u < UNIT_COUNT; u = unit_next(mark, u + 1)) {
        a->table[a->n++] = (uint8_t)u;
        w->choice[u] = (struct choice){0};
        w->billed[u] = false;
        w->payer[u] = UNIT_COUNT;
    }
    unsigned n = 0;
    for (unsigned depth = UNIT_DEPTH; n < a->n; depth--)
        for (unsigned i = 0; i < a->n; i++)
            if (unit_depth(a->table[i]) == depth) {
                a->row[n] = &unit_rows[a->table[i]];
                a->unit[n++] = a->table[i];
            }
}

/* Is the unit the one that a unit without a rate is paid with? Of several that
 * enclose it the innermost; of these the one of its modality (cached audio is
 * paid as audio, not as cached). *shared tells that there was a choice. */
static unsigned find_payer(const struct work *w, unsigned unit, bool *shared)
{
    unsigned best = UNIT_COUNT;
    *shared = false;
    for (unsigned i = 0; i < w->a.n; i++) {
        unsigned u = w->a.unit[i];
        if (!w->choice[u].priced || !unit_inside(unit, u))
            continue;
        if (best == UNIT_COUNT) {
            best = u;
        } else if (!unit_inside(best, u)) {
            *shared = true;
            if (unit_depth(u) == unit_depth(best) && unit_has_modality(u) &&
                !unit_has_modality(best))
                best = u;
        }
    }
    return best;
}

/* Lies the unit inside of a counted one that has no rate either? */
static bool within_unpaid(const struct work *w, unsigned unit)
{
    for (unsigned i = 0; i < w->a.n; i++) {
        unsigned u = w->a.unit[i];
        if (unit_inside(unit, u) && counted(w, u) && !w->choice[u].priced)
            return true;
    }
    return false;
}

/* In the order of the table. */
static void add_guest(struct cost *out, unsigned unit, unsigned payer)
{
    unsigned at = out->n_guests++;
    for (; at > 0 && out->guest[at - 1].unit > unit; at--)
        out->guest[at] = out->guest[at - 1];
    out->guest[at] = (struct cost_guest){(uint8_t)unit, (uint8_t)payer};
}

static void assign_payers(struct work *w, struct cost *out)
{
    for (unsigned i = 0; i < w->a.n; i++) {
        unsigned u = w->a.unit[i];
        bool shared;
        if (w->choice[u].priced) {
            w->billed[u] = true;
            w->payer[u] = (uint8_t)u;
            continue;
        }
        if (!counted(w, u))
            continue;
        w->payer[u] = (uint8_t)find_payer(w, u, &shared);
        add_guest(out, u, w->payer[u]);
        w->billed[u] = w->payer[u] == UNIT_COUNT ? !within_unpaid(w, u) : shared;
    }
}

/* -- shares -------------------------------------------------------------------------------- */

/* `part` may be UNIT_COUNT: the parts together. */
static bool contradiction(const struct work *w, unsigned part, unsigned whole)
{
    const char *name = unit_name(whole);
    if (part == UNIT_COUNT)
        reading_fail(w->r, CODE_bad_usage, STR("/usage"), "the parts of %s are more than %s", name,
                     name);
    else
        reading_fail(w->r, CODE_bad_usage, STR("/usage"),
                     "%s is larger than %s, which it is a part of", unit_name(part), name);
    return reading_hint(w->r, "counts are inclusive: input_tokens contains the cached ones, "
                              "output_tokens the reasoning ones");
}

static bool overflow(struct reading *r)
{
    return reading_fail(r, CODE_bad_argument, STR("/pricing"),
                        "a number of this bill has more digits than we keep");
}

static bool check_parts(const struct work *w)
{
    const struct usage *c = w->counts;
    for (unsigned i = 0; i < w->a.n; i++)
        for (unsigned k = i + 1; k < w->a.n; k++) {
            unsigned part = w->a.unit[i], whole = w->a.unit[k];
            if (!lies_in(&w->a, i, k))
                continue;
            if (c->state[part] == COUNT_KNOWN && c->state[whole] == COUNT_KNOWN &&
                decimal_cmp(&c->count[part], &c->count[whole]) > 0)
                return contradiction(w, part, whole);
        }
    return true;
}

static bool make_shares(struct work *w)
{
    for (unsigned i = 0; i < w->a.n; i++) {
        unsigned u = w->a.unit[i];
        struct money m = {w->counts->state[u] != COUNT_UNKNOWN, w->counts->count[u]};
        if (!w->billed[u])
            continue;
        for (unsigned k = 0; k < i && m.known; k++) {
            unsigned part = w->a.unit[k];
            if (!w->billed[part] || !lies_in(&w->a, k, i))
                continue;
            m.known = w->share[part].known;
            if (m.known && !decimal_sub(&m.value, &w->share[part].value, &m.value))
                return overflow(w->r);
        }
        if (m.known && m.value.negative)
            return contradiction(w, UNIT_COUNT, u);
        w->share[u] = m;
    }
    return true;
}

/* -- sums ------------------------------------------------------------------------------------ */

static struct money *pot(struct cost *c, unsigned unit)
{
    switch (unit_direction(unit)) {
    case UNIT_INPUT:
        return &c->input;
    case UNIT_OUTPUT:
        return &c->output;
    case UNIT_NO_DIRECTION:
        break;
    }
    return &c->other;
}

static bool sum_into(struct money *sum, const struct money *m)
{
    sum->known = sum->known && m->known;
    return !sum->known || decimal_add(&sum->value, &m->value, &sum->value);
}

static bool add_item(struct cost *out, unsigned unit, unsigned payer,
                     const struct decimal *quantity, const struct price_rate *rate)
{
    bool exact;
    if (out->n == COST_ITEMS)
        return false;
    struct cost_item *it = &out->item[out->n++];
    it->unit = (uint8_t)unit;
    it->rate_unit = (uint8_t)payer;
    it->quantity = (struct money){true, *quantity};
    it->rate = rate;
    it->cost.known = true;
    if (!decimal_mul(quantity, &rate->rate, &it->cost.value) ||
        !decimal_div(&it->cost.value, unit_per(payer), &it->cost.value, &exact))
        return false;
    it->rounded = !exact;
    return sum_into(pot(out, unit), &it->cost);
}

static bool add_unknown(struct cost *out, unsigned unit, unsigned payer, const struct money *share,
                        enum cost_reason reason)
{
    if (out->n == COST_ITEMS)
        return false;
    out->item[out->n++] =
        (struct cost_item){.unit = (uint8_t)unit, .rate_unit = (uint8_t)payer, .quantity = *share};
    out->unknown[out->n_unknown++] = (struct cost_unknown){(uint8_t)unit, (uint8_t)reason};
    pot(out, unit)->known = false;
    return true;
}

/* The graduated rate of the same list that begins at or above `from`, the
 * lowest; NULL if there is none. */
static const struct price_rate *next_step(const struct work *w, unsigned unit,
                                          const struct choice *c, uint64_t from)
{
    const struct price_rate *best = NULL;
    for (unsigned i = 0; i < w->p->n; i++) {
        const struct price_key *k = &w->p->rate[i].key;
        if (k->unit != unit || k->step != PRICE_GRADUATED || k->threshold < from)
            continue;
        if (!in_force(k, w->o) || tier_of(w, k) != (int)c->tiered ||
            !on_list(&c->list[c->tiered], k))
            continue;
        if (!best || k->threshold < best->key.threshold)
            best = &w->p->rate[i];
    }
    return best;
}

/* A share at its rate: one item, or one for each step of a graduated price. */
static bool bill(const struct work *w, unsigned unit, struct cost *out)
{
    unsigned payer = w->payer[unit];
    const struct choice *c = &w->choice[payer];
    const struct price_rate *rate = c->rate;
    struct decimal left = w->share[unit].value, done = DECIMAL_ZERO;
    uint64_t from = 0;
    while (!decimal_is_zero(&left)) {
        bool steps = w->graduated && c->rate->key.step != PRICE_ABOVE;
        const struct price_rate *next = steps ? next_step(w, payer, c, from) : NULL;
        struct decimal part = left;
        if (next) {
            struct decimal edge = decimal_from(next->key.threshold);
            if (!decimal_sub(&edge, &done, &part))
                return false;
            if (decimal_cmp(&part, &left) > 0)
                part = left;
        }
        if (!decimal_is_zero(&part) && !add_item(out, unit, payer, &part, rate))
            return false;
        if (!next)
            return true;
        if (!decimal_add(&done, &part, &done) || !decimal_sub(&left, &part, &left))
            return false;
        rate = next;
        from = next->key.threshold + 1;
    }
    return true;
}

static bool bill_unit(const struct work *w, unsigned unit, struct cost *out)
{
    unsigned payer = w->payer[unit];
    const struct money *share = &w->share[unit];
    if (share->known && decimal_is_zero(&share->value))
        return true;
    if (payer == UNIT_COUNT)
        return add_unknown(out, unit, payer, share,
                           w->counts->state[unit] == COUNT_UNKNOWN ? COST_NO_COUNT : COST_NO_RATE);
    if (!share->known)
        return add_unknown(out, unit, payer, share, COST_NO_COUNT);
    if (w->choice[payer].open)
        return add_unknown(out, unit, payer, share, COST_NO_THRESHOLD);
    if (w->choice[payer].rate->unsaid)
        return add_unknown(out, unit, payer, share, COST_UNSAID);
    return bill(w, unit, out);
}

static bool total(struct cost *c)
{
    c->total = (struct money){true, DECIMAL_ZERO};
    return sum_into(&c->total, &c->input) && sum_into(&c->total, &c->output) &&
           sum_into(&c->total, &c->other);
}

bool cost_compute(struct reading *r, const struct usage *u, const struct pricing *p,
                  const struct cost_options *o, struct cost *out)
{
    char tier[40];
    struct usage own;
    struct work w;
    w.r = r;
    w.counts = u;
    w.p = p;
    w.o = o;
    w.tier = cost_tier(o->tier, tier);
    out->n = out->n_unknown = out->n_guests = 0;
    out->input = out->output = out->other = out->total = (struct money){true, DECIMAL_ZERO};
    collect(&w, &own);
    choose(&w);
    yield_reasoning(&w);
    assign_payers(&w, out);
    if (!check_parts(&w) || !make_shares(&w))
        return false;
    for (unsigned i = 0; i < w.a.n; i++)
        if (w.billed[w.a.table[i]] && !bill_unit(&w, w.a.table[i], out))
            return overflow(r);
    return total(out) || overflow(r);
}

bool cost_keep(struct cost *c, const struct cost_keep *keep)
{
    if (keep->input.known)
        c->input = keep->input;
    if (keep->output.known)
        c->output = keep->output;
    if (!total(c))
        return false;
    if (keep->total.known)
        c->total = keep->total;
    return true;
}
