/*
 * batch_price.h - what a batch costs where its discount is known, and not each of its rates.
 *
 * Providers say once for all models what a batch costs less. So it is a fact of its own
 * (batch_discount_percent), with source and day, and what it means for cached tokens another
 * (batch_cached_tokens); rates that somebody stated for the batch go before it.
 */
#ifndef CANDO_BATCH_PRICE_H
#define CANDO_BATCH_PRICE_H

#include "catalog/profile.h"
#include "cost.h"

/* The origin's texts lie in the catalog. */
struct batch_discount {
    unsigned percent;
    const char *cached; /* a word of batch_cached_tokens; NULL: nobody said */
    cando_origin origin;
};

/* Is there one, and does it hold for a price that `price_rule` states? Whoever wrote a price of
 * their own has to say themselves what a batch costs. */
bool batch_discount(const cando_profile *p, uint32_t price_rule, struct batch_discount *out);

/* Turns the standard rates of tokens into those of the batch, whose own stay. True if it is sold
 * then. *used: there were some to turn. */
bool batch_price(const struct batch_discount *d, struct pricing *p, bool *used);

#endif
