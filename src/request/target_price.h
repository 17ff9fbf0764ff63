/*
 * target_price.h - the price of one offering, from the catalog.
 *
 * A price belongs to a provider and a model id. It is taken from the fact row
 * of exactly that offering, or from rules that the user wrote for it; never
 * from another spelling, another provider or a family.
 */
#ifndef CANDO_TARGET_PRICE_H
#define CANDO_TARGET_PRICE_H

#include "cost.h"

/* If nobody knows the price, *unknown is a text that says why, and *out is empty; else it is
 * NULL. `tier` (cost_tier): rates of other service tiers are left out, and a tier that the
 * price does not have is an unknown price. False: an error of "/target". */
bool target_price(struct reading *r, const cando_catalog *catalog, struct str provider,
                  struct str model, struct str tier, struct pricing *out, const char **unknown);

#endif
