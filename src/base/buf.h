/*
 * buf.h - a byte buffer that grows, with a named maximum.
 *
 * Failure is sticky: after the first append that did not fit, `failed` is set
 * and all later appends do nothing, so a writer checks once, at its end.
 *
 * Its memory comes from the allocator, from an arena (then nothing is freed
 * singly), or from the caller (then it does not grow). The room is never larger
 * than the maximum, so an append that finds room needs no other check.
 */
#ifndef CANDO_BUF_H
#define CANDO_BUF_H

#include "str.h"

struct buf {
    const cando_allocator *a;
    struct arena *ar; /* where it grows, or NULL: by the allocator */
    char *p;
    size_t n, cap, max;
    bool failed;
    bool lent; /* p is the caller's */
};

void buf_init(struct buf *b, const cando_allocator *a, size_t max);
/* Lives in the arena and is gone with it; buf_free is allowed and frees nothing. */
void buf_init_arena(struct buf *b, struct arena *ar, size_t max);
/* At most the `size` bytes at `p`, which stay the caller's. */
void buf_init_lent(struct buf *b, void *p, size_t size);
void buf_free(struct buf *b);
void buf_clear(struct buf *b); /* keeps the memory, forgets the failure */

/* Room for `more` bytes, or false and failed. */
bool buf_reserve_(struct buf *b, size_t more);
/* Room for `more` bytes, or false: for those who could use more room than they need.
 * Beyond the maximum nothing has happened; without memory the buffer has failed. */
bool buf_try(struct buf *b, size_t more);
void buf_zero(struct buf *b, size_t n);
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Pads with zero bytes to a multiple of `align`. */
void buf_align(struct buf *b, size_t align);
/* Appends a NUL that does not count and gives the text; NULL if failed. */
char *buf_cstr(struct buf *b);

static inline bool buf_reserve(struct buf *b, size_t more)
{
    return more <= b->cap - b->n && !b->failed ? true : buf_reserve_(b, more);
}

static inline void buf_put(struct buf *b, const void *p, size_t n)
{
    if (n == 0 || !buf_reserve(b, n))
        return;
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

static inline void buf_putc(struct buf *b, char c)
{
    if (!buf_reserve(b, 1))
        return;
    b->p[b->n++] = c;
}

static inline void buf_puts(struct buf *b, struct str s)
{
    buf_put(b, s.p, s.n);
}

static inline void buf_putz(struct buf *b, const char *z)
{
    buf_put(b, z, strlen(z));
}

#endif
