/*
 * redact.h - secrets do not leave.
 *
 * Every part of a text that looks like a secret is replaced by [REDACTED], before
 * anything is stored, sent or shown. What a secret looks like is data:
 * catalog/secrets.toml has the shapes (prefixes and what follows them) and the names
 * that tell of one ("api_key", "Authorization"). Better one word too many than one key
 * too few; plain words, hashes and ids of models pass.
 */
#ifndef CANDO_REDACT_H
#define CANDO_REDACT_H

#include "text/json.h"

#define REDACTED "[REDACTED]"

/* Appends the text with its secrets replaced; returns how many there were. `key` is
 * the name under which the text stands, or empty. */
size_t redact_text(struct buf *out, struct str text, struct str key);
/* Is what stands under this name a secret, whatever it looks like? */
bool redact_tells(struct str key);
/* Writes a value with every string and every key in it redacted. Returns how
 * many secrets there were; w's buffer fails if there is no memory. */
size_t redact_value(struct json_writer *w, const struct json *v, struct str key,
                    const cando_allocator *a);

#endif
