/*
 * scan_common.h - what the index makers without better means share: included by
 * scan_plain.c and scan_128.c before scan_fill.h.
 */
#ifndef CANDO_SCAN_COMMON_H
#define CANDO_SCAN_COMMON_H

#include "scan_index.h"

#define FILL_TARGET
#define FILL_INLINE __attribute__((always_inline)) static inline

static inline uint64_t prefix_xor(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

static inline uint64_t escape_bits(const unsigned char *p, uint64_t escaped)
{
    uint64_t simple = 0;
    for (; escaped; escaped &= escaped - 1) {
        unsigned k = (unsigned)__builtin_ctzll(escaped);
        simple |= (uint64_t)scan_simple_escape[p[k]] << k;
    }
    return simple;
}

static inline uint32_t *put_marks(uint32_t *out, uint64_t bits, uint32_t base)
{
    for (; bits; bits &= bits - 1)
        *out++ = base + (uint32_t)__builtin_ctzll(bits);
    return out;
}

static inline bool check_wide(struct scan_index *x, size_t at, const unsigned char *p, size_t left)
{
    for (size_t i = 0; i < left; i++) {
        x->wide += p[i] >> 7;
        x->tails += (p[i] & 0xC0) == 0x80;
    }
    return scan_utf8(x, at, at + left);
}

#endif
