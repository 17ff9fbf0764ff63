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

#endif
