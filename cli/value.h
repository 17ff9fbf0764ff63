/*
 * value.h - a field's value in words for people.
 *
 *     unknown, native, restricted: only on Sundays
 *     200,000
 *     low, high
 *     agent = off
 */
#ifndef CANDO_CLI_VALUE_H
#define CANDO_CLI_VALUE_H

#include "out.h"

/* A field of an answer by its name; NULL: nobody knows its value. */
const cando_value *value_find(const cando_resolve_answer *a, const char *name);
/* The words lie in the arena; "" if there is no memory. */
const char *value_words(const cando_value *v, struct arena *ar);
/* The style that fits them. */
enum style value_style(const cando_value *v, const char *words);
/* The words to stdout, in their style. */
void value_print(const cando_value *v, struct arena *ar);

/* A price list, which is a map, in lines behind `indent` spaces; the first begins at `column`:
 *
 *     input $3.00 / output $15.00 per million tokens
 *     cache read $0.30, cache write $3.75 per million tokens
 *     web searches $10.00 per thousand
 *     above 200,000 tokens of input: input $6.00 / output $22.50
 *
 * The keys are those of docs/prices.md. A key that is not understood is
 * printed as it stands. Without `all` the conditions of other rates are only named. */
void price_page(const cando_value *price, size_t indent, size_t column, bool all);
/* A price list, and what a batch costs less; 0: that is not known. */
struct priced {
    const cando_value *price;
    unsigned batch_percent;
};
/* What is different in another price list, a line a rate, named in `width` columns; tiers that one
 * of them has alone are only named. */
void price_changes(const struct priced *before, const struct priced *after, size_t width,
                   struct arena *ar);
/* Adds "2.5" as "$2.50": at least two decimals, never fewer than there are. */
void price_words(struct str decimal, struct buf *out);
const char *money_text(const char *decimal, struct arena *ar);

#endif
