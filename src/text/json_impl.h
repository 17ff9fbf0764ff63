/*
 * json_impl.h - what the files of the JSON reader share.
 */
#ifndef CANDO_JSON_IMPL_H
#define CANDO_JSON_IMPL_H

#include "json.h"

/* Reads the value that is all there is in the bytes [at, end) of the text and
 * that stands in one container. */
bool json_read_piece(struct arena *ar, struct str text, size_t at, size_t end, struct json *v,
                     struct json_error *err);
/* The string with its quotes in the bytes [at, end). False: bad, or no memory. */
bool json_read_key(struct arena *ar, struct str text, size_t at, size_t end, struct json_key *key);
/* False also if there was no memory to find out. */
bool json_keys_differ(struct arena *ar, const struct json_key *key, size_t n);

#endif
