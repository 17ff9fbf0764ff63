#include "buf.h"

#include <stdarg.h>
#include <stdio.h>

void buf_init(struct buf *b, const cando_allocator *a, size_t max)
{
    *b = (struct buf){.a = a, .max = max};
}

void buf_free(struct buf *b)
{
    mem_free(b->a, b->p, b->cap);
    b->p = NULL;
    b->n = b->cap = 0;
}

void buf_clear(struct buf *b)
{
    b->n = 0;
    b->failed = false;
}

bool buf_reserve(struct buf *b, size_t more)
{
    if (b->failed)
        return false;
    if (more > b->max || b->n > b->max - more) {
        b->failed = true;
        return false;
    }
    if (more <= b->cap - b->n)
        return true;
    size_t want = b->n + more;
    size_t cap = b->cap ? b->cap : 256;
    while (cap < want)
        cap = cap > SIZE_MAX / 2 ? want : cap * 2;
    char *q = mem_resize(b->a, b->p, b->cap, cap);
    if (!q) {
        b->failed = true;
        return false;
    }
    b->p = q;
    b->cap = cap;
    return true;
}

void buf_put(struct buf *b, const void *p, size_t n)
{
    if (n == 0 || !buf_reserve(b, n))
        return;
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

void buf_puts(struct buf *b, struct str s)
{
    buf_put(b, s.p, s.n);
}

void buf_putz(struct buf *b, const char *z)
{
    buf_put(b, z, strlen(z));
}

void buf_putc(struct buf *b, char c)
{
    if (!buf_reserve(b, 1))
        return;
    b->p[b->n++] = c;
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
