#include "buf.h"

#include <stdarg.h>
#include <stdio.h>

void buf_init(struct buf *b, const cando_allocator *a, size_t max)
{
    *b = (struct buf){.a = a, .max = max};
}

void buf_init_arena(struct buf *b, struct arena *ar, size_t max)
{
    *b = (struct buf){.a = ar->a, .ar = ar, .max = max};
}

void buf_init_lent(struct buf *b, void *p, size_t size)
{
    *b = (struct buf){.p = p, .cap = size, .max = size, .lent = true};
}

void buf_free(struct buf *b)
{
    if (b->lent) {
        b->n = 0;
        return;
    }
    if (!b->ar)
        mem_free(b->a, b->p, b->cap);
    b->p = NULL;
    b->n = b->cap = 0;
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->failed = false;
}

/* Twice the room, or what is wanted, and no more than the maximum. */
static bool grow(struct buf *b, size_t want)
{
    size_t cap = b->cap ? b->cap : 256;
    while (cap < want)
        cap = cap > SIZE_MAX / 2 ? want : cap * 2;
    if (cap > b->max)
        cap = b->max;
    char *q = b->ar ? arena_resize(b->ar, b->p, b->cap, cap) : mem_resize(b->a, b->p, b->cap, cap);
    if (!q) {
        b->failed = true;
        return false;
    }
    b->p = q;
    b->cap = cap;
    return true;
}

bool buf_try(struct buf *b, size_t more)
{
    if (b->failed || more > b->max || b->n > b->max - more)
        return false;
    return more <= b->cap - b->n ? true : grow(b, b->n + more);
}

bool buf_reserve_(struct buf *b, size_t more)
{
    if (!buf_try(b, more))
        b->failed = true;
    return !b->failed;
}

void buf_zero(struct buf *b, size_t n)
{
    if (n == 0 || !buf_reserve(b, n))
        return;
    memset(b->p + b->n, 0, n);
    b->n += n;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        b->failed = true;
    else if (buf_reserve(b, (size_t)n + 1)) {
        vsnprintf(b->p + b->n, (size_t)n + 1, fmt, again);
        b->n += (size_t)n;
    }
    va_end(again);
}

void buf_align(struct buf *b, size_t align)
{
    size_t over = b->n % align;
    if (over)
        buf_zero(b, align - over);
}

char *buf_cstr(struct buf *b)
{
    if (!buf_reserve(b, 1))
        return NULL;
    b->p[b->n] = '\0';
    return b->p;
}
