/*
 * pack.h - texts that are kept and seldom read, in an eighth of their size.
 *
 * A text is a row of steps: a plain byte, or a piece that stood in the text before. Each step is
 * told by yes and no, each of these by how often it was said in the same place before:
 *
 *     is it a piece?          by what the last two steps were
 *     a plain byte            eight answers, by the byte before it
 *     is it as far back as    one of the last four pieces? which of them?
 *     how long, how far back  how many bits the number has, then these
 *
 * What is likely costs a small part of a bit: the answers narrow a range down (a range coder, as in
 * LZMA), and the packed bytes are a number inside of the last one. So many texts are best packed
 * together. It is dense, not fast: some 10 ms a megabyte to read, 60 to write.
 */
#ifndef CANDO_PACK_H
#define CANDO_PACK_H

#include "buf.h"
#include "mem.h"
#include "str.h"

/* Appends the packed text; `ar` is for what is needed on the way. False if there is no memory, or
 * the text is longer than PACK_MAX. */
bool pack_text(struct buf *out, struct arena *ar, struct str text);
/* Fills `text` with exactly `n` bytes. False if `packed` is no text of that length; whatever it
 * is, no byte outside of the two is touched. */
bool unpack_text(struct str packed, char *text, size_t n);

#define PACK_MAX ((size_t)1 << 27)

#endif
