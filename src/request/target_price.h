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

/* CANDO_OK: *out holds the rates. If nobody knows the price, *unknown is a
 * static text that says why, and *out is empty; else it is NULL. */
cando_status target_price(const cando_catalog *catalog, struct str provider, struct str model, struct pricing *out,
                          const char **unknown, cando_error *err);

#endif
