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

/* Replaces the text in `out` and gives the style that fits it. */
enum style value_words(const cando_value *v, struct buf *out);
/* The same to stdout, in its style; `room` is for the words. */
void value_print(const cando_value *v, struct buf *room);

#endif
