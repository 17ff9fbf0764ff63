/*
 * scan_128.c - the index of marks with 128 bits at a time: SSE2, which every x86-64 processor
 * has, and the vectors of WebAssembly.
 *
 * No table lookup within a register here, so that each class is a handful of
 * comparisons; text beyond ASCII is checked a character at a time.
 */
#include "scan_common.h"

#if defined(__x86_64__)
#include <emmintrin.h>

typedef __m128i vector;
#define load16(p) _mm_loadu_si128((const __m128i *)(const void *)(p))
#define all_of(c) _mm_set1_epi8(c)
#define equal _mm_cmpeq_epi8
#define below _mm_cmplt_epi8 /* as signed numbers */
#define least _mm_min_epu8
#define either _mm_or_si128
#define top_bits(v) (uint32_t) _mm_movemask_epi8(v)
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>

typedef v128_t vector;
#define load16 wasm_v128_load
#define all_of(c) wasm_i8x16_splat(c)
#define equal wasm_i8x16_eq
#define below wasm_i8x16_lt
#define least wasm_u8x16_min
#define either wasm_v128_or
#define top_bits(v) wasm_i8x16_bitmask(v)
#endif

#if defined(load16)

static inline uint64_t bits_of(vector v, unsigned part)
{
    return (uint64_t)top_bits(v) << (16 * part);
}

static inline vector is(vector v, char c)
{
    return equal(v, all_of(c));
}

static inline struct scan_text read_text(const unsigned char *p)
{
    struct scan_text m = {0};
    vector special = all_of(0);
    for (unsigned k = 0; k < 4; k++) {
        vector v = load16(p + 16 * k);
        m.quote |= bits_of(is(v, '"'), k);
        m.backslash |= bits_of(is(v, '\\'), k);
        /* as signed numbers both control characters and bytes beyond ASCII are below the space */
        special = either(special, below(v, all_of(0x20)));
    }
    m.special = top_bits(special);
    return m;
}

static inline struct scan_outside read_outside(const unsigned char *p)
{
    struct scan_outside m = {0};
    for (unsigned k = 0; k < 4; k++) {
        vector v = load16(p + 16 * k);
        vector low = either(v, all_of(0x20)); /* [ { and ] } differ in this bit */
        vector bracket = either(is(low, '{'), is(low, '}'));
        vector between = either(either(is(v, ' '), is(v, '\n')), either(is(v, '\r'), is(v, '\t')));
        between = either(between, either(is(v, ':'), is(v, ',')));
        m.bracket |= bits_of(bracket, k);
        m.scalar |= bits_of(equal(either(bracket, between), all_of(0)), k);
    }
    return m;
}

static inline uint64_t control_bits(const unsigned char *p)
{
    uint64_t bits = 0;
    for (unsigned k = 0; k < 4; k++) {
        vector v = load16(p + 16 * k);
        bits |= bits_of(equal(least(v, all_of(0x1F)), v), k);
    }
    return bits;
}

static inline size_t skip_plain(const unsigned char *p, size_t n)
{
    size_t at = 0;
    for (; n - at >= 64; at += 64) {
        vector any = all_of(0);
        for (unsigned k = 0; k < 4; k++) {
            vector v = load16(p + at + 16 * k);
            any = either(any, either(below(v, all_of(0x20)), either(is(v, '"'), is(v, '\\'))));
        }
        if (top_bits(any))
            return at;
    }
    return at;
}

#include "scan_fill.h"

void scan_fill_128(struct scan_index *x)
{
    fill(x);
}
#else
typedef int scan_128_is_empty;
#endif
