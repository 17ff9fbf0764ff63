/*
 * json_scan.h - looking at many bytes of a JSON text at once.
 *
 * A stride is 16 bytes with SSE2 or WebAssembly's vectors and 8 bytes in plain C elsewhere.
 * A question about a stride is answered by a mask: stride_first() of it is the number of
 * the first byte that was asked for. Bytes of a mask beyond that one may be
 * wrong (in plain C a borrow runs on), so nothing else may be read from it.
 *
 * The plain form finds a zero byte in x by (x - 0x01..) & ~x & 0x80.. and a
 * byte below 0x20 in the same way.
 */
#ifndef CANDO_JSON_SCAN_H
#define CANDO_JSON_SCAN_H

#include "base/str.h"

/* -- eight bytes in plain C ----------------------------------------------------------- */

#define WORD_ONES UINT64_C(0x0101010101010101)
#define WORD_TOPS UINT64_C(0x8080808080808080)

static inline void word_store(char *p, uint64_t x)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    x = __builtin_bswap64(x);
#endif
    memcpy(p, &x, sizeof x);
}

static inline uint64_t word_zero(uint64_t x)
{
    return (x - WORD_ONES) & ~x & WORD_TOPS;
}

/* What cannot stand as it is between quotes, or must be looked at: '"', '\',
 * control characters, and all that is not ASCII. */
static inline uint64_t word_special(uint64_t x)
{
    uint64_t quote = word_zero(x ^ WORD_ONES * '"');
    uint64_t slash = word_zero(x ^ WORD_ONES * '\\');
    uint64_t low = (x - WORD_ONES * 0x20) & ~x;
    return (quote | slash | low | x) & WORD_TOPS;
}

static inline size_t word_first(uint64_t mask)
{
    return (size_t)__builtin_ctzll(mask) / 8;
}

/* -- a stride ------------------------------------------------------------------------- */

#if defined(__SSE2__) || defined(__wasm_simd128__)

#define STRIDE 16
typedef uint32_t stride_mask;

static inline stride_mask stride_not(stride_mask m)
{
    return m ^ 0xFFFF;
}

static inline size_t stride_first(stride_mask m)
{
    return (size_t)__builtin_ctz(m);
}

#endif

#ifdef __SSE2__
#include <emmintrin.h>

typedef __m128i stride;

static inline stride stride_load(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline void stride_store(char *p, stride x)
{
    _mm_storeu_si128((__m128i *)(void *)p, x);
}

static inline stride_mask stride_is(stride x, char c)
{
    return (stride_mask)_mm_movemask_epi8(_mm_cmpeq_epi8(x, _mm_set1_epi8(c)));
}

/* As word_special: as a signed number what is not ASCII is below the space, too. */
static inline stride_mask stride_special(stride x)
{
    __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
    __m128i low = _mm_cmplt_epi8(x, _mm_set1_epi8(0x20));
    return (stride_mask)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, slash), low));
}

/* '"' and '\'. */
static inline stride_mask stride_string_end(stride x)
{
    __m128i quote = _mm_cmpeq_epi8(x, _mm_set1_epi8('"'));
    __m128i slash = _mm_cmpeq_epi8(x, _mm_set1_epi8('\\'));
    return (stride_mask)_mm_movemask_epi8(_mm_or_si128(quote, slash));
}

#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>

typedef v128_t stride;

static inline stride stride_load(const char *p)
{
    return wasm_v128_load(p);
}

static inline void stride_store(char *p, stride x)
{
    wasm_v128_store(p, x);
}

static inline stride_mask stride_is(stride x, char c)
{
    return wasm_i8x16_bitmask(wasm_i8x16_eq(x, wasm_i8x16_splat(c)));
}

static inline stride stride_quotes(stride x)
{
    return wasm_v128_or(wasm_i8x16_eq(x, wasm_i8x16_splat('"')),
                        wasm_i8x16_eq(x, wasm_i8x16_splat('\\')));
}

static inline stride_mask stride_special(stride x)
{
    return wasm_i8x16_bitmask(
        wasm_v128_or(stride_quotes(x), wasm_i8x16_lt(x, wasm_i8x16_splat(0x20))));
}

static inline stride_mask stride_string_end(stride x)
{
    return wasm_i8x16_bitmask(stride_quotes(x));
}

#else

#define STRIDE 8
typedef uint64_t stride;
typedef uint64_t stride_mask;

static inline stride stride_load(const char *p)
{
    return str_le64(p);
}

static inline void stride_store(char *p, stride x)
{
    word_store(p, x);
}

/* Exact in every byte: no sum leaves one. */
static inline stride_mask stride_is(stride x, char c)
{
    uint64_t other = x ^ WORD_ONES * (unsigned char)c;
    uint64_t low = (other & ~WORD_TOPS) + ~WORD_TOPS;
    return ~(low | other) & WORD_TOPS;
}

static inline stride_mask stride_special(stride x)
{
    return word_special(x);
}

static inline stride_mask stride_string_end(stride x)
{
    return word_zero(x ^ WORD_ONES * '"') | word_zero(x ^ WORD_ONES * '\\');
}

/* Of an exact mask. */
static inline stride_mask stride_not(stride_mask m)
{
    return m ^ WORD_TOPS;
}

static inline size_t stride_first(stride_mask m)
{
    return word_first(m);
}

#endif

/* -- a block of 64 bytes, a bit for each ------------------------------------------------ */

#define BLOCK 64

struct block {
    uint64_t quote, slash, bracket;
};

#ifdef __SSE2__

static inline struct block block_load(const char *p)
{
    struct block b = {0};
    for (unsigned i = 0; i < BLOCK; i += STRIDE) {
        stride x = stride_load(p + i);
        stride folded = _mm_or_si128(x, _mm_set1_epi8(0x20)); /* "[{" and "]}" differ in this */
        stride open = _mm_cmpeq_epi8(folded, _mm_set1_epi8('{'));
        stride close = _mm_cmpeq_epi8(folded, _mm_set1_epi8('}'));
        uint32_t bracket = (uint32_t)_mm_movemask_epi8(_mm_or_si128(open, close));
        b.quote |= (uint64_t)stride_is(x, '"') << i;
        b.slash |= (uint64_t)stride_is(x, '\\') << i;
        b.bracket |= (uint64_t)bracket << i;
    }
    return b;
}

/* Neither '"' nor '\': all that matters within a string. */
static inline bool block_is_text(const char *p)
{
    stride any = _mm_setzero_si128();
    for (unsigned i = 0; i < BLOCK; i += STRIDE) {
        stride x = stride_load(p + i);
        any = _mm_or_si128(any, _mm_cmpeq_epi8(x, _mm_set1_epi8('"')));
        any = _mm_or_si128(any, _mm_cmpeq_epi8(x, _mm_set1_epi8('\\')));
    }
    return _mm_movemask_epi8(any) == 0;
}

#elif defined(__wasm_simd128__)

static inline struct block block_load(const char *p)
{
    struct block b = {0};
    for (unsigned i = 0; i < BLOCK; i += STRIDE) {
        stride x = stride_load(p + i);
        stride folded = wasm_v128_or(x, wasm_i8x16_splat(0x20));
        uint32_t bracket = stride_is(folded, '{') | stride_is(folded, '}');
        b.quote |= (uint64_t)stride_is(x, '"') << i;
        b.slash |= (uint64_t)stride_is(x, '\\') << i;
        b.bracket |= (uint64_t)bracket << i;
    }
    return b;
}

static inline bool block_is_text(const char *p)
{
    stride any = wasm_i8x16_splat(0);
    for (unsigned i = 0; i < BLOCK; i += STRIDE)
        any = wasm_v128_or(any, stride_quotes(stride_load(p + i)));
    return !wasm_v128_any_true(any);
}

#else

/* The top bits of the bytes of an exact mask, next to each other. */
static inline uint64_t word_bits(uint64_t mask)
{
    return (mask >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline struct block block_load(const char *p)
{
    struct block b = {0};
    for (unsigned i = 0; i < BLOCK; i += STRIDE) {
        stride x = stride_load(p + i), folded = x | WORD_ONES * 0x20;
        b.quote |= word_bits(stride_is(x, '"')) << i;
        b.slash |= word_bits(stride_is(x, '\\')) << i;
        b.bracket |= word_bits(stride_is(folded, '{') | stride_is(folded, '}')) << i;
    }
    return b;
}

static inline bool block_is_text(const char *p)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < BLOCK; i += STRIDE)
        any |= stride_string_end(stride_load(p + i));
    return any == 0;
}

#endif

/* For each byte: does an odd number of those up to it have their bits set? */
static inline uint64_t block_within(uint64_t bits)
{
    for (unsigned i = 1; i < BLOCK; i *= 2)
        bits ^= bits << i;
    return bits;
}

/* The bytes that a backslash stands before that counts. *carry: whether the first
 * one of the block is, and then of the next. In a row of backslashes every other
 * one counts, from the first of the row on; of rows in a block there are few. */
static inline uint64_t block_escaped(uint64_t slash, uint64_t *carry)
{
    uint64_t escaped = *carry;
    slash &= ~escaped;
    *carry = 0;
    while (slash) {
        uint64_t first = slash & -slash;
        if (first >> 63)
            *carry = 1;
        escaped |= first << 1;
        slash &= ~(first | first << 1);
    }
    return escaped;
}

static inline bool json_is_special(char c)
{
    return (unsigned char)c < 0x20 || (unsigned char)c >= 0x80 || c == '"' || c == '\\';
}

/* Over white space. Texts for people have a line end and then many spaces. */
static inline const char *json_skip_space(const char *p, const char *end)
{
    while (p < end && (unsigned char)*p <= ' ') {
        if (!char_is_space(*p))
            return p;
        p++;
        while (end - p >= STRIDE && *p == ' ') {
            stride_mask other = stride_not(stride_is(stride_load(p), ' '));
            if (other) {
                p += stride_first(other);
                break;
            }
            p += STRIDE;
        }
    }
    return p;
}

#endif
