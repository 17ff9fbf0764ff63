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

/* The units that matter here, those inside of others first. */
struct active {
    unsigned n;
    uint8_t unit[UNIT_COUNT];
};

/* What was chosen for a unit. */
struct choice {
    bool priced;                  /* some rate of its own holds */
    bool open;                    /* ... but which one depends on an unknown input */
    bool tiered;                  /* ... and it is for the tier that was asked for */
    const struct price_rate *rate;
    int32_t from;                 /* the price list it belongs to: */
    bool timed;                   /* graduated rates must be of the same */
};

struct work {
    const struct usage *u;
    const struct pricing *p;
    const struct cost_options *o;
    struct str tier;
    struct usage *counts;         /* with the one request that a price per request counts */
    struct active a;
    struct choice choice[UNIT_COUNT];
    uint8_t payer[UNIT_COUNT];    /* the unit whose rate pays; UNIT_COUNT: none */
    bool billed[UNIT_COUNT];      /* has a share of its own */
    struct money share[UNIT_COUNT];
};

struct str cost_tier(struct str asked, char buf[40])
{
    static const char *const standard[] = {"default", "auto", "standard", "standard_only", "on_demand", "none"};
    size_t n = asked.n < 39 ? asked.n : 39;
    for (size_t i = 0; i < n; i++)
        buf[i] = char_fold(asked.p[i]);
    buf[n] = '\0';
    struct str s = str_make(buf, n);
    for (size_t i = 0; i < sizeof standard / sizeof *standard; i++)
        if (str_is(s, standard[i]))
            return STR("");
    if (str_is(s, "fast"))
        return STR("priority");
    if (str_is(s, "batches"))
        return STR("batch");
    return s;
}

/* -- which rate holds -------------------------------------------------------------- */

static bool in_force(const struct price_key *k, const struct cost_options *o)
{
    if (k->from != PRICE_NO_DAY && o->dated && o->at.day < k->from)
        return false;
    if (k->begin == -1)
        return true;
    if (!o->dated)
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

struct list_date {
    bool any, timed;
    int32_t from;
};

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

static void choose(const struct work *w, unsigned unit, struct choice *out)
{
    struct list_date date[2] = {{0}};
    bool input_known = w->counts->state[UNIT_input_tokens] != COUNT_UNKNOWN;
    uint64_t best = 0;
    *out = (struct choice){0};
    for (unsigned i = 0; i < w->p->n; i++) {
        const struct price_key *k = &w->p->rate[i].key;
        int tier = k->unit == unit && in_force(k, w->o) ? tier_of(w, k) : -1;
        if (tier >= 0 && newer(&date[tier], k))
            date[tier] = (struct list_date){true, k->begin != -1, k->from};
    }
    for (unsigned i = 0; i < w->p->n; i++) {
        const struct price_key *k = &w->p->rate[i].key;
        int tier = k->unit == unit && in_force(k, w->o) ? tier_of(w, k) : -1;
        if (tier < 0 || !on_list(&date[tier], k))
            continue;
        if (k->step == PRICE_ABOVE && !input_known)
            out->open = out->priced = true;
        uint64_t r = rank(w, k, tier);
        if (r > best) {
            best = r;
            out->priced = true;
            out->rate = &w->p->rate[i];
            out->tiered = tier == 1;
            out->from = k->from;
            out->timed = k->begin != -1;
        }
    }
    if (out->open)
        out->rate = NULL;
}

/* A reasoning rate that is not for the tier gives way to an output rate that is. */
static void yield_reasoning(struct work *w)
{
    const struct choice *output = &w->choice[UNIT_output_tokens];
    if (!output->priced || !output->tiered)
        return;
    for (unsigned i = 0; i < w->a.n; i++) {
        struct choice *c = &w->choice[w->a.unit[i]];
        if (unit_is_reasoning(w->a.unit[i]) && c->priced && !c->tiered)
            *c = (struct choice){0};
    }
}

/* -- who pays --------------------------------------------------------------------------- */

static bool counted(const struct work *w, unsigned unit)
{
    uint8_t s = w->counts->state[unit];
    return s == COUNT_UNKNOWN || (s == COUNT_KNOWN && !decimal_is_zero(&w->counts->count[unit]));
}

static void collect(struct work *w)
{
    bool has_rate[UNIT_COUNT] = {false};
    for (unsigned i = 0; i < w->p->n; i++)
        has_rate[w->p->rate[i].key.unit] = true;
    if (has_rate[UNIT_requests] && w->counts->state[UNIT_requests] == COUNT_ABSENT) {
        w->counts->state[UNIT_requests] = COUNT_KNOWN;
        w->counts->count[UNIT_requests] = decimal_from(1);
    }
    for (unsigned depth = 4;; depth--) {
        for (unsigned u = 0; u < UNIT_COUNT; u++)
            if (unit_depth(u) == depth && (has_rate[u] || counted(w, u)))
                w->a.unit[w->a.n++] = (uint8_t)u;
        if (depth == 0)
            return;
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
            if (unit_depth(u) == unit_depth(best) && unit_has_modality(u) && !unit_has_modality(best))
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
        out->paid_as[u] = w->payer[u];
        w->billed[u] = w->payer[u] == UNIT_COUNT ? !within_unpaid(w, u) : shared;
    }
}

/* -- shares -------------------------------------------------------------------------------- */

static enum cost_status contradiction(struct cost_problem *p, unsigned part, unsigned whole)
{
    *p = (struct cost_problem){(uint8_t)part, (uint8_t)whole};
    return COST_CONTRADICTION;
}

static enum cost_status check_parts(const struct work *w, struct cost_problem *problem)
{
    const struct usage *c = w->counts;
    for (unsigned i = 0; i < w->a.n; i++)
        for (unsigned k = i + 1; k < w->a.n; k++) {
            unsigned part = w->a.unit[i], whole = w->a.unit[k];
            if (c->state[part] == COUNT_KNOWN && c->state[whole] == COUNT_KNOWN && unit_inside(part, whole) &&
                decimal_cmp(&c->count[part], &c->count[whole]) > 0)
                return contradiction(problem, part, whole);
        }
    return COST_OK;
}

static enum cost_status make_shares(struct work *w, struct cost_problem *problem)
{
    for (unsigned i = 0; i < w->a.n; i++) {
        unsigned u = w->a.unit[i];
        struct money m = {w->counts->state[u] != COUNT_UNKNOWN, w->counts->count[u]};
        if (!w->billed[u])
            continue;
        for (unsigned k = 0; k < i && m.known; k++) {
            unsigned part = w->a.unit[k];
            if (!w->billed[part] || !unit_inside(part, u))
                continue;
            m.known = w->share[part].known;
            if (m.known && !decimal_sub(&m.value, &w->share[part].value, &m.value))
                return COST_OVERFLOW;
        }
        if (m.known && m.value.negative)
            return contradiction(problem, UNIT_COUNT, u);
        w->share[u] = m;
    }
    return COST_OK;
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

static bool add_item(struct cost *out, unsigned unit, unsigned payer, const struct decimal *quantity, const struct price_rate *rate)
{
    bool exact;
    if (out->n == COST_ITEMS)
        return false;
    struct cost_item *it = &out->item[out->n++];
    *it = (struct cost_item){.unit = (uint8_t)unit, .rate_unit = (uint8_t)payer, .quantity_known = true, .quantity = *quantity,
                             .rate = rate};
    it->cost.known = true;
    if (!decimal_mul(quantity, &rate->rate, &it->cost.value) ||
        !decimal_div(&it->cost.value, unit_per(payer), &it->cost.value, &exact))
        return false;
    it->rounded = !exact;
    return sum_into(pot(out, unit), &it->cost);
}

static bool add_unknown(struct cost *out, unsigned unit, unsigned payer, const struct money *share, enum cost_reason reason)
{
    if (out->n == COST_ITEMS)
        return false;
    out->item[out->n++] = (struct cost_item){.unit = (uint8_t)unit, .rate_unit = (uint8_t)payer, .quantity_known = share->known,
                                             .quantity = share->known ? share->value : DECIMAL_ZERO};
    out->unknown[out->n_unknown++] = (struct cost_unknown){(uint8_t)unit, (uint8_t)reason};
    pot(out, unit)->known = false;
    return true;
}

/* The graduated rate of the same list that begins at or above `from`, the
 * lowest; NULL if there is none. */
static const struct price_rate *next_step(const struct work *w, unsigned unit, const struct choice *c, uint64_t from)
{
    const struct price_rate *best = NULL;
    for (unsigned i = 0; i < w->p->n; i++) {
        const struct price_key *k = &w->p->rate[i].key;
        if (k->unit != unit || k->step != PRICE_GRADUATED || !in_force(k, w->o) || tier_of(w, k) != (int)c->tiered ||
            k->from != c->from || (k->begin != -1) != c->timed || k->threshold < from)
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
        const struct price_rate *next = c->rate->key.step != PRICE_ABOVE ? next_step(w, payer, c, from) : NULL;
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
        if (!decimal_add(&done, &part, &done) || !decimal_sub(&left, &part, &left))
            return false;
        if (next) {
            rate = next;
            from = next->key.threshold + 1;
        }
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
        return add_unknown(out, unit, payer, share, w->counts->state[unit] == COUNT_UNKNOWN ? COST_NO_COUNT : COST_NO_RATE);
    if (!share->known)
        return add_unknown(out, unit, payer, share, COST_NO_COUNT);
    if (w->choice[payer].open)
        return add_unknown(out, unit, payer, share, COST_NO_THRESHOLD);
    return bill(w, unit, out);
}

static bool total(struct cost *c)
{
    c->total = (struct money){true, DECIMAL_ZERO};
    return sum_into(&c->total, &c->input) && sum_into(&c->total, &c->output) && sum_into(&c->total, &c->other);
}

enum cost_status cost_compute(const struct usage *u, const struct pricing *p, const struct cost_options *o, struct cost *out,
                              struct cost_problem *problem)
{
    char tier[40];
    struct usage counts = *u;
    struct work w = {.u = u, .p = p, .o = o, .counts = &counts};
    w.tier = cost_tier(o->tier, tier);
    out->n = out->n_unknown = 0;
    out->input = out->output = out->other = out->total = (struct money){true, DECIMAL_ZERO};
    memset(out->paid_as, UNIT_COUNT, sizeof out->paid_as);
    memset(w.payer, UNIT_COUNT, sizeof w.payer);
    collect(&w);
    for (unsigned i = 0; i < w.a.n; i++)
        choose(&w, w.a.unit[i], &w.choice[w.a.unit[i]]);
    yield_reasoning(&w);
    assign_payers(&w, out);
    enum cost_status status = check_parts(&w, problem);
    if (status == COST_OK)
        status = make_shares(&w, problem);
    if (status != COST_OK)
        return status;
    for (unsigned u_ = 0; u_ < UNIT_COUNT; u_++) /* in the order of the table */
        if (w.billed[u_] && !bill_unit(&w, u_, out))
            return COST_OVERFLOW;
    return total(out) ? COST_OK : COST_OVERFLOW;
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
