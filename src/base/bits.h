/*
 * bits.h - sets of small numbers: a bit each, in words of 64.
 */
#ifndef CANDO_BITS_H
#define CANDO_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool bit_get(const uint64_t *set, size_t bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

static inline void bit_put(uint64_t *set, size_t bit)
{
    set[bit / 64] |= UINT64_C(1) << (bit % 64);
}

/* The same of words in which other threads put other bits. */
static inline bool bit_get_shared(const uint64_t *set, size_t bit)
{
    return __atomic_load_n(&set[bit / 64], __ATOMIC_RELAXED) >> (bit % 64) & 1;
}

static inline void bits_put_shared(uint64_t *word, uint64_t bits)
{
    if (bits)
        __atomic_fetch_or(word, bits, __ATOMIC_RELAXED);
}

#endif
