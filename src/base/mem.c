#include "mem.h"

#include <stdlib.h>
#include <string.h>

static void *libc_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(ptr);
        return NULL;
    }
    return realloc(ptr, new_size);
}

static const cando_allocator libc_allocator = {libc_resize, NULL};

void *mem_alloc(const cando_allocator *a, size_t n)
{
    if (!a)
        a = &libc_allocator;
    return a->resize(a->user, NULL, 0, n ? n : 1);
}

void *mem_resize(const cando_allocator *a, void *p, size_t old_n, size_t n)
{
    if (!a)
        a = &libc_allocator;
    return a->resize(a->user, p, p ? (old_n ? old_n : 1) : 0, n ? n : 1);
}

void mem_free(const cando_allocator *a, void *p, size_t n)
{
    if (!p)
        return;
    if (!a)
        a = &libc_allocator;
    a->resize(a->user, p, n ? n : 1, 0);
}

size_t mem_size(size_t n, size_t size, size_t extra)
{
    if (size != 0 && n > (SIZE_MAX - extra) / size)
        return 0;
    return n * size + extra;
}

#define ARENA_ALIGN ((size_t)16)
#define ARENA_FIRST ((size_t)4096)
#define ARENA_LARGEST ((size_t)1 << 20)

struct arena_block {
    struct arena_block *next;
    size_t size; /* of the whole block */
    size_t used;
    size_t pad;
};

void arena_init(struct arena *ar, const cando_allocator *a)
{
    ar->a = a;
    ar->head = NULL;
    ar->next_size = ARENA_FIRST;
}

void arena_free(struct arena *ar)
{
    struct arena_block *b = ar->head;
    while (b) {
        struct arena_block *next = b->next;
        mem_free(ar->a, b, b->size);
        b = next;
    }
    ar->head = NULL;
    ar->next_size = ARENA_FIRST;
}

void arena_clear(struct arena *ar)
{
    arena_free(ar);
}

static struct arena_block *block_new(struct arena *ar, size_t size)
{
    struct arena_block *b = mem_alloc(ar->a, size);
    if (!b)
        return NULL;
    b->size = size;
    b->used = sizeof *b;
    b->next = ar->head;
    ar->head = b;
    return b;
}

void *arena_alloc(struct arena *ar, size_t n)
{
    if (n > SIZE_MAX / 2)
        return NULL;
#ifdef CANDO_DEBUG_ARENA
    size_t need = n;
#else
    size_t need = (n + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
#endif
    struct arena_block *b = ar->head;
#ifdef CANDO_DEBUG_ARENA
    b = NULL;
#endif
    if (!b || b->size - b->used < need) {
        size_t size = sizeof *b + need;
#ifndef CANDO_DEBUG_ARENA
        if (size < ar->next_size) {
            size = ar->next_size;
            if (ar->next_size < ARENA_LARGEST)
                ar->next_size *= 2;
        }
#endif
        b = block_new(ar, size);
        if (!b)
            return NULL;
    }
    void *p = (char *)b + b->used;
    b->used += need;
    memset(p, 0, n);
    return p;
}

void *arena_array(struct arena *ar, size_t n, size_t size)
{
    size_t bytes = mem_size(n, size, 0);
    if (bytes == 0 && n != 0 && size != 0)
        return NULL;
    return arena_alloc(ar, bytes);
}

void *arena_copy(struct arena *ar, const void *p, size_t n)
{
    void *q = arena_alloc(ar, n);
    if (q && n)
        memcpy(q, p, n);
    return q;
}

bool arena_grow_(struct arena *ar, void **p, size_t n, size_t *cap, size_t size)
{
    size_t want = *cap ? *cap * 2 : 8;
    if (want < *cap)
        return false;
    void *q = arena_array(ar, want, size);
    if (!q)
        return false;
    if (n)
        memcpy(q, *p, n * size);
    *p = q;
    *cap = want;
    return true;
}
