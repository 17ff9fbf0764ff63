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

/* The words lie in the arena; "" if there is no memory. */
const char *value_words(const cando_value *v, struct arena *ar);
/* The style that fits them. */
enum style value_style(const cando_value *v, const char *words);
/* The words to stdout, in their style. */
void value_print(const cando_value *v, struct arena *ar);

#endif
