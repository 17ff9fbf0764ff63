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
#define ARENA_LARGEST ARENA_KEEP

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
    ar->failed = false;
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
    ar->failed = false;
}

#ifdef CANDO_DEBUG_ARENA
void arena_clear(struct arena *ar)
{
    arena_free(ar);
}
#else
/* One block is kept, the largest that may be. If there were more, the next one
 * that is opened will have the size of all together, so that after it one is
 * enough. */
void arena_clear(struct arena *ar)
{
    struct arena_block *b = ar->head;
    ar->failed = false;
    if (b && !b->next && b->size <= ARENA_KEEP) {
        b->used = sizeof *b;
        return;
    }
    struct arena_block *kept = NULL;
    size_t total = 0;
    while (b) {
        struct arena_block *next = b->next, *gone = b;
        total = total > ARENA_KEEP ? total : total + b->size;
        if (b->size <= ARENA_KEEP && (!kept || b->size > kept->size)) {
            gone = kept;
            kept = b;
        }
        if (gone)
            mem_free(ar->a, gone, gone->size);
        b = next;
    }
    ar->head = kept;
    if (kept) {
        kept->next = NULL;
        kept->used = sizeof *kept;
    }
    ar->next_size = ARENA_FIRST;
    while (ar->next_size < total && ar->next_size < ARENA_LARGEST)
        ar->next_size *= 2;
}
#endif

static void *fail(struct arena *ar)
{
    ar->failed = true;
    return NULL;
}

static struct arena_block *block_new(struct arena *ar, size_t size)
{
    struct arena_block *b = mem_alloc(ar->a, size);
    if (!b)
        return fail(ar);
    b->size = size;
    b->used = sizeof *b;
    b->next = ar->head;
    ar->head = b;
    return b;
}

#ifdef CANDO_DEBUG_ARENA
void *arena_alloc_raw(struct arena *ar, size_t n)
{
    if (n > SIZE_MAX / 2)
        return fail(ar);
    struct arena_block *b = block_new(ar, sizeof *b + n);
    if (!b)
        return NULL;
    b->used += n;
    return b + 1;
}

void *arena_resize(struct arena *ar, void *p, size_t old_n, size_t n)
{
    void *q = arena_alloc_raw(ar, n);
    if (q && p)
        memcpy(q, p, old_n < n ? old_n : n);
    return q;
}
#else
static size_t aligned(size_t n)
{
    return (n + ARENA_ALIGN - 1) & ~(ARENA_ALIGN - 1);
}

void *arena_alloc_raw(struct arena *ar, size_t n)
{
    if (n > SIZE_MAX / 2)
        return fail(ar);
    size_t need = aligned(n);
    struct arena_block *b = ar->head;
    if (!b || b->size - b->used < need) {
        size_t size = sizeof *b + need;
        if (size < ar->next_size) {
            size = ar->next_size;
            if (ar->next_size < ARENA_LARGEST)
                ar->next_size *= 2;
        }
        b = block_new(ar, size);
        if (!b)
            return NULL;
    }
    void *p = (char *)b + b->used;
    b->used += need;
    return p;
}

void *arena_resize(struct arena *ar, void *p, size_t old_n, size_t n)
{
    struct arena_block *b = ar->head;
    if (n > SIZE_MAX / 2)
        return fail(ar);
    if (b && p && (char *)p + aligned(old_n) == (char *)b + b->used) {
        size_t at = (size_t)((char *)p - (char *)b);
        if (aligned(n) <= b->size - at) {
            b->used = at + aligned(n);
            return p;
        }
    }
    void *q = arena_alloc_raw(ar, n);
    if (q && p)
        memcpy(q, p, old_n < n ? old_n : n);
    return q;
}
#endif

void *arena_alloc(struct arena *ar, size_t n)
{
    void *p = arena_alloc_raw(ar, n);
    if (p)
        memset(p, 0, n);
    return p;
}

void *arena_array(struct arena *ar, size_t n, size_t size)
{
    size_t bytes = mem_size(n, size, 0);
    if (bytes == 0 && n != 0 && size != 0)
        return fail(ar);
    return arena_alloc(ar, bytes);
}

void *arena_copy(struct arena *ar, const void *p, size_t n)
{
    void *q = arena_alloc_raw(ar, n);
    if (q && n)
        memcpy(q, p, n);
    return q;
}

bool arena_grow_(struct arena *ar, void **p, size_t n, size_t *cap, size_t size)
{
    size_t want = *cap ? *cap * 2 : 8;
    if (want < *cap)
        return fail(ar) != NULL;
    void *q = arena_array(ar, want, size);
    if (!q)
        return false;
    if (n)
        memcpy(q, *p, n * size);
    *p = q;
    *cap = want;
    return true;
}
