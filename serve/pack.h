/*
 * pack.h - gzip: who takes it, and a text in it and out of it.
 */
#ifndef CANDO_SERVE_PACK_H
#define CANDO_SERVE_PACK_H

#include "base/str.h"

/* Does this Accept-Encoding take gzip? */
bool pack_is_accepted(struct str accept);
/* In the arena; p is NULL: no memory, or it is no gzip. */
struct str pack_gzip(struct str text, struct arena *ar);
struct str pack_open(struct str packed, size_t size, struct arena *ar);

#endif
