/*
 * target_price.h - the price of one offering, from the catalog.
 *
 * A price belongs to a provider and a model id. It is taken from the fact row
 * of exactly that offering, or from rules that the user wrote for it; never
 * from another spelling, another provider or a family.
 */
#ifndef CANDO_TARGET_PRICE_H
#define CANDO_TARGET_PRICE_H

#include "batch_price.h"

struct target_rates {
    struct pricing *pricing;
    const char *unknown; /* why nobody knows the price, and there are no rates; else NULL */
    bool discounted;     /* rates were made with this discount */
    struct batch_discount discount;
};

/* `out->pricing` is given. `tier` (cost_tier): rates of other service tiers are left out, and a
 * tier that the price does not have, and that no discount makes, is an unknown price. False: an
 * error of "/target". */
bool target_price(struct reading *r, const cando_catalog *catalog, struct str provider,
                  struct str model, struct str tier, struct target_rates *out);

#endif
