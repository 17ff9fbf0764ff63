/*
 * pull.h - reads the replies of cando_call without building a tree.
 *
 * A value is the piece of text that it stands in; asking for a member walks
 * over it once more. That is quadratic in principle and of no weight for the
 * one reply that a person waits for. The text is our own library's, so it is
 * well formed; on any other the functions find nothing rather than read past
 * the end.
 */
#ifndef CANDO_CLI_PULL_H
#define CANDO_CLI_PULL_H

#include "out.h"

enum pull_kind { PULL_NONE, PULL_NULL, PULL_TRUE, PULL_FALSE, PULL_NUMBER, PULL_STRING, PULL_LIST, PULL_OBJECT };

/* The kind of the value that `v` begins with. */
enum pull_kind pull_kind(struct str v);
/* The member of an object, or an empty text. Keys are compared as written. */
struct str pull_get(struct str object, const char *key);
/* Steps through a list or an object; `key` (with its quotes) may be NULL:
 *
 *     for (struct str at = list, v; pull_next(&at, NULL, &v);)
 */
bool pull_next(struct str *at, struct str *key, struct str *value);
/* A string value decoded and appended; false if it is none. */
bool pull_string(struct str v, struct buf *out);
/* A whole number from 0 up; false if it is none. */
bool pull_number(struct str v, uint64_t *out);
/* A field's value in words, in place of the text in `out`, and the style that fits it. */
enum style pull_words(struct str json, struct buf *out);

#endif
