/*
 * price.h - a price list in words for people.
 *
 *     input $3.00 / output $15.00 per million tokens
 *     cache read $0.30, cache write $3.75 per million tokens
 *     web searches $10.00 per thousand
 *     above 200,000 tokens of input: input $6.00 / output $22.50
 *
 * The keys are those of docs/prices.md. A key that is not understood is
 * printed as it stands: a price is never left out.
 */
#ifndef CANDO_CLI_PRICE_H
#define CANDO_CLI_PRICE_H

#include "out.h"

/* `price` is a map. Lines begin behind `indent` spaces. */
void price_page(const cando_value *price, size_t indent);
/* Adds "2.5" as "$2.50": at least two decimals, never fewer than there are. */
void price_words(struct str decimal, struct buf *out);

#endif
