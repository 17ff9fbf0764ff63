/*
 * cost.h - what a usage costs at a price, exactly.
 *
 *     pricing.c   a price list in one of five forms  -> struct pricing
 *     usage.c     a provider's reply                 -> struct usage
 *     cost.c      both, and when and how it was sold -> struct cost
 *
 * All three are structs of fixed size without pointers to the heap; computing
 * allocates nothing. Counts are inclusive and overlap (cached audio is counted
 * as cached, as audio and as input), so they are taken apart first:
 *
 *     own share of a unit = its count - own shares of the priced units inside
 *
 * Each token is then paid once, at the rate of the smallest priced unit that
 * it lies in. What cannot be known (a count that is null, a unit that no rate
 * covers) makes its direction and the total unknown and says why.
 */
#ifndef CANDO_COST_H
#define CANDO_COST_H

#include "base/limits.h"
#include "catalog/price.h"
#include "text/reading.h"

/* -- counts ----------------------------------------------------------------------- */

enum count_state { COUNT_ABSENT, COUNT_UNKNOWN, COUNT_KNOWN };

struct usage {
    uint8_t state[UNIT_COUNT];        /* enum count_state */
    struct decimal count[UNIT_COUNT]; /* valid where KNOWN, zero elsewhere */
};

/* The next unit from `unit` on whose byte is not 0; UNIT_COUNT behind the last.
 *
 *     unsigned u = unit_next(usage.state, 0);
 *     for (; u < UNIT_COUNT; u = unit_next(usage.state, u + 1))
 */
static inline unsigned unit_next(const uint8_t mark[UNIT_COUNT], unsigned unit)
{
    uint64_t eight;
    for (; unit + 8 <= UNIT_COUNT; unit += 8) {
        memcpy(&eight, mark + unit, 8);
        if (eight)
            break;
    }
    while (unit < UNIT_COUNT && !mark[unit])
        unit++;
    return unit;
}

/* -- prices ------------------------------------------------------------------------- */

struct pricing {
    unsigned n;
    struct price_rate rate[LIMIT_PRICE_RATES];
};

enum pricing_form {
    PRICING_CANDO,
    PRICING_MODELS_DEV,
    PRICING_LITELLM,
    PRICING_GENAI,
    PRICING_MODEL_REF,
    PRICING_FORMS
};
extern const char *const pricing_forms[PRICING_FORMS];

struct cost_options {
    bool dated; /* is `at` known? If not, the latest dated rates hold
                   and those of a time of day do not */
    struct instant at;
    struct str tier; /* as asked for; see cost_tier */
};

/* The name of a service tier as price keys write it: lower case, "fast" is
 * "priority"; empty for the standard one ("default", "auto", "standard").
 * Longer names than any tier has are cut. */
struct str cost_tier(struct str asked, char buf[40]);

/* Reads a price list that stands at `at` in the question; `options` decides which entry
 * of a dated genai-prices list counts. Borrows texts of `v`. */
bool pricing_read(struct reading *r, const struct json *v, struct str at, enum pricing_form form,
                  const struct cost_options *options, struct pricing *out);
/* Adds one "key", "rate" of our own form. */
bool pricing_add(struct reading *r, struct pricing *p, struct str at, struct str key,
                 struct str rate);

/* -- the bill ------------------------------------------------------------------------ */

struct money {
    bool known;
    struct decimal value;
};

enum cost_reason {
    COST_NO_RATE,      /* no rate, its own or an enclosing unit's             */
    COST_NO_COUNT,     /* the count is null                                   */
    COST_NO_THRESHOLD, /* the rate depends on an input count that is null     */
    COST_UNSAID,       /* there is a rate, but nobody says that it holds here */
};

struct cost_item {
    uint8_t unit;
    uint8_t rate_unit; /* whose rate it is; UNIT_COUNT: there is none */
    bool rounded;      /* the quotient does not end */
    struct money quantity;
    const struct price_rate *rate; /* in the pricing; NULL: unknown */
    struct money cost;
};

struct cost_unknown {
    uint8_t unit;
    uint8_t reason; /* enum cost_reason */
};

/* A counted unit without a rate of its own. */
struct cost_guest {
    uint8_t unit;
    uint8_t payer; /* the unit that it was paid with; UNIT_COUNT: none */
};

/* Every unit can have one item; the rest is for the steps of graduated prices,
 * and a bill that needs more is refused. */
#define COST_ITEMS (UNIT_COUNT + 64)

struct cost {
    struct money input, output, other, total; /* other: what has no direction */
    unsigned n, n_unknown;
    struct cost_item item[COST_ITEMS];
    struct cost_unknown unknown[UNIT_COUNT];
    unsigned n_guests;
    struct cost_guest guest[UNIT_COUNT];
};

/* False: the counts contradict each other (an error of "/usage"), or a number has more
 * digits than we keep (of "/pricing"). */
bool cost_compute(struct reading *r, const struct usage *u, const struct pricing *p,
                  const struct cost_options *o, struct cost *out);

/* Costs that are known already: never overwritten. The total is then that of
 * what is kept and what is computed. False if the sum does not fit. */
struct cost_keep {
    struct money input, output, total;
};
bool cost_keep(struct cost *c, const struct cost_keep *keep);

#endif
