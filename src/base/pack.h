/*
 * pack.h - texts that are kept and seldom read, in a third of their size or less.
 *
 * A text is a row of steps: plain bytes, then a piece that stood in the text before.
 *
 *     u8   how many plain bytes (high half), how long the piece is, less 4 (low half);
 *          15 goes on in the bytes that follow, each added, until one is not 255
 *     ...  the plain bytes
 *     u16  how far back the piece begins, the low byte first; the last step has none
 *
 * It is simple and fast to read, not dense: what is packed here is read whole, once.
 */
#ifndef CANDO_PACK_H
#define CANDO_PACK_H

#include "buf.h"
#include "mem.h"
#include "str.h"

/* Appends the packed text; `ar` lends four times its size. False if there is no memory, or if the
 * text is larger than 4 GB. */
bool pack_text(struct buf *out, struct str text, struct arena *ar);
/* Fills `text` with exactly `n` bytes; NULL: only looks whether it could. False if `packed` is no
 * text of that length; whatever it is, no byte outside of the two is touched. */
bool unpack_text(struct str packed, char *text, size_t n);

#endif
