/*
 * value.h - a field's value, as a reply has it, in words for people.
 *
 *     null                              unknown
 *     "native"                          native
 *     {"restricted":{"reason":"r"}}     restricted: r
 *     200000                            200,000
 *     ["low","high"]                    low, high
 *     {"agent":"off"}                   agent = off
 */
#ifndef CANDO_CLI_VALUE_H
#define CANDO_CLI_VALUE_H

#include "out.h"

/* Replaces the text in `out` and gives the style that fits it. */
enum style value_words(struct str json, struct buf *out);

#endif
