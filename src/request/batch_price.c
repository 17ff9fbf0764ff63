/*
 * batch_price.c - what a batch costs where its discount is known, and not each of its rates.
 *
 *     input_tokens          2    -->  input_tokens @batch          1
 *     input_tokens >200000  4    -->  input_tokens @batch >200000  2
 *     web_searches         10         stays: only tokens are sold for less
 *
 * Of a unit that has rates of the batch, only the thresholds that are missing in the same price
 * list are added.
 */
#include "batch_price.h"

static const struct str batch = {"batch", 5};

bool batch_discount(const cando_profile *p, uint32_t price_rule, struct batch_discount *out)
{
    cando_value percent = cando_profile_get(p, F_batch_discount_percent);
    cando_value cached = cando_profile_get(p, F_batch_cached_tokens);
    cando_value sold = cando_profile_get(p, F_batch);
    uint32_t value, rule;
    if (!percent.known || percent.number > 100)
        return false;
    if (sold.known && sold.support == CANDO_UNSUPPORTED)
        return false;
    if (!profile_raw(p, F_batch_discount_percent, &value, &rule))
        return false;
    const struct snapshot *s = &p->catalog->snap;
    if (snap_rule(s, price_rule).layer >= CANDO_LAYER_USER &&
        snap_rule(s, rule).layer < CANDO_LAYER_USER)
        return false;
    out->percent = (unsigned)percent.number;
    out->cached = cached.known ? cached.text : NULL;
    out->origin = cando_profile_why(p, F_batch_discount_percent);
    return true;
}

static bool same_list(const struct price_key *a, const struct price_key *b)
{
    return a->from == b->from && a->begin == b->begin && a->end == b->end && a->days == b->days;
}

/* Did somebody say what the batch costs instead of this standard rate? */
static bool stated(const struct pricing *p, const struct price_key *k)
{
    bool unit = false, list = false;
    for (unsigned i = 0; i < p->n; i++) {
        const struct price_rate *r = &p->rate[i];
        if (!r->key.tier.n || r->key.unit != k->unit)
            continue;
        unit = true;
        list |= same_list(&r->key, k);
        if (same_list(&r->key, k) && r->key.step == k->step && r->key.threshold == k->threshold)
            return true;
    }
    return unit && !list;
}

static bool cheaper(struct price_rate *r, unsigned percent)
{
    struct decimal rest = decimal_from(100 - percent), rate;
    if (!decimal_mul(&r->rate, &rest, &rate) || !decimal_shift(&rate, -2, &r->rate))
        return false;
    r->key.tier = batch;
    r->off = (uint8_t)percent;
    return true;
}

/* One standard rate of tokens. False: it is no rate of this batch at all. */
static bool turn(const struct batch_discount *d, struct price_rate *r)
{
    bool cached = unit_is_cached(r->key.unit);
    struct str how = cached && d->cached ? str_of(d->cached) : STR("");
    if (str_is(how, "standard"))
        return true;
    if (str_is(how, "input"))
        return false; /* what encloses them pays */
    r->unsaid = (cached && !how.n) || !cheaper(r, d->percent);
    return true;
}

bool batch_price(const struct batch_discount *d, struct pricing *p, bool *used)
{
    bool mine[LIMIT_PRICE_RATES], sold = false;
    unsigned n = 0;
    for (unsigned i = 0; i < p->n; i++) {
        const struct price_key *k = &p->rate[i].key;
        mine[i] = !k->tier.n && unit_is_tokens(k->unit) && !stated(p, k);
    }
    *used = false;
    for (unsigned i = 0; i < p->n; i++) {
        struct price_rate *r = &p->rate[i];
        *used |= mine[i];
        if (mine[i] && !turn(d, r))
            continue;
        sold |= r->key.tier.n != 0;
        p->rate[n++] = *r;
    }
    p->n = n;
    return sold;
}
