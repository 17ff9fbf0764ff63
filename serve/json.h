/*
 * json.h - texts as JSON, for the few documents that the daemon writes itself.
 */
#ifndef CANDO_SERVE_JSON_H
#define CANDO_SERVE_JSON_H

#include "base/buf.h"

/* In quotes; NULL is null. What is no UTF-8 becomes question marks. */
void json_text(struct buf *b, const char *text);
void json_str(struct buf *b, struct str text);
/* The next member of an object that is known to be good JSON: its name as it is written, without
 * quotes, and the text of its value. `*at` begins as 0. False: there are no more. */
bool object_next(struct str object, size_t *at, struct str *key, struct str *value);

#endif
