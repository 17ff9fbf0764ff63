/*
 * mem.h - the allocator hook and the arena on top of it.
 *
 * An arena hands out zeroed memory and is freed whole. A catalog, a parse, an
 * operation each have one; nothing inside is freed singly. Every allocation
 * may fail: the arena then returns NULL, remembers it, and stays usable; who fills
 * one in many small steps may ask at the end. An arena that is
 * cleared and filled again with about as much asks the allocator for nothing.
 *
 *     block -> block -> block        newest first; a request that does not fit
 *     [hdr|........####]             opens a block of twice the size
 *
 * Built with CANDO_DEBUG_ARENA each item is a malloc of its own, so that the
 * sanitizers see a write past its end.
 */
#ifndef CANDO_MEM_H
#define CANDO_MEM_H

#include "cando.h"

void *mem_alloc(const cando_allocator *a, size_t n);                         /* not zeroed */
void *mem_resize(const cando_allocator *a, void *p, size_t old_n, size_t n); /* n > 0 */
void mem_free(const cando_allocator *a, void *p, size_t n);                  /* p may be NULL */

/* n * size + extra, or 0 if that does not fit into a size_t. */
size_t mem_size(size_t n, size_t size, size_t extra);

#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

struct arena_block;
struct arena {
    const cando_allocator *a;
    struct arena_block *head;
    size_t next_size;
    bool failed; /* some request was not met since it was made or cleared */
};

void arena_init(struct arena *ar, const cando_allocator *a);
void arena_free(struct arena *ar);
/* Forgets all items and keeps a block of at most ARENA_KEEP bytes to fill
 * again. From the third filling of one size on, which fits, nothing is
 * allocated. */
#define ARENA_KEEP ((size_t)1 << 20)
void arena_clear(struct arena *ar);

/* Zeroed, aligned for anything. n == 0 gives a valid pointer. NULL: no memory. */
void *arena_alloc(struct arena *ar, size_t n);
/* The same, not zeroed: for what is written at once. */
void *arena_alloc_raw(struct arena *ar, size_t n);
/* An item of n bytes with the first old_n of p, not zeroed behind them: p itself
 * where it was the last one and there is room. p may be NULL if old_n is 0. */
void *arena_resize(struct arena *ar, void *p, size_t old_n, size_t n);
/* n items of `size`; NULL also if the product overflows. */
void *arena_array(struct arena *ar, size_t n, size_t size);
void *arena_copy(struct arena *ar, const void *p, size_t n);

/* Makes room for one more item in a growing array that lives in the arena:
 *
 *     if (!ARENA_GROW(ar, list, n, cap)) return NULL;
 *     list[n++] = item;
 */
#define ARENA_GROW(ar, p, n, cap)                                                                  \
    ((n) < (cap) ? true : arena_grow_((ar), (void **)&(p), (n), &(cap), sizeof *(p)))
bool arena_grow_(struct arena *ar, void **p, size_t n, size_t *cap, size_t size);

#endif
