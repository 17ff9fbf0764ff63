/*
 * buf.h - a byte buffer that grows, with a named maximum.
 *
 * Failure is sticky: after the first append that did not fit, `failed` is set
 * and all later appends do nothing, so a writer checks once, at its end.
 */
#ifndef CANDO_BUF_H
#define CANDO_BUF_H

#include "str.h"

struct buf {
    const cando_allocator *a;
    char *p;
    size_t n, cap, max;
    bool failed;
};

void buf_init(struct buf *b, const cando_allocator *a, size_t max);
void buf_free(struct buf *b);
void buf_clear(struct buf *b); /* keeps the memory, forgets the failure */

bool buf_reserve(struct buf *b, size_t more);
void buf_put(struct buf *b, const void *p, size_t n);
void buf_puts(struct buf *b, struct str s);
void buf_putz(struct buf *b, const char *z);
void buf_putc(struct buf *b, char c);
void buf_zero(struct buf *b, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Pads with zero bytes to a multiple of `align`. */
void buf_align(struct buf *b, size_t align);
/* Appends a NUL that does not count and gives the text; NULL if failed. */
char *buf_cstr(struct buf *b);

#endif
