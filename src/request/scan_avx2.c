/*
 * scan_avx2.c - the index of marks with AVX2, chosen at run time.
 *
 * Classes come from one table lookup within a register; whether a byte is
 * inside of a string is the parity of the quotes before it, which is one
 * carry-less multiplication. UTF-8 is judged 32 bytes at a time (scan_utf8.h).
 */
#include "scan_index.h"
#include "scan_utf8.h"

#if defined(__x86_64__)
#include <immintrin.h>

/* Tuned for processors whose tzcnt does not wait for what its target held before: all since
 * 2015. */
#define FILL_TARGET __attribute__((target("avx2,bmi,popcnt,pclmul,tune=znver3")))
#define FILL_INLINE FILL_TARGET __attribute__((always_inline)) static inline

FILL_TARGET static inline __m256i load32(const unsigned char *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

FILL_TARGET static inline uint64_t bits_of(__m256i a, __m256i b)
{
    return (uint64_t)(uint32_t)_mm256_movemask_epi8(a) | (uint64_t)(uint32_t)_mm256_movemask_epi8(b)
                                                             << 32;
}

/* What each block is compared with. The compiler would make these anew for every
 * block, a move and a broadcast each; from memory they cost nothing.
 *
 * Classes: the lower and the upper half of a byte each select a set of bits, and
 * what both have is what it is: 0x80 a bracket, any other one something between
 * values, none a part of a value. */
#define SIXTEEN(c) c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c
#define TWICE(...) __VA_ARGS__, __VA_ARGS__
enum { IN_00 = 1, IN_20 = 2, IN_30 = 4, BRACKET = -128 };
enum {
    K_QUOTE,
    K_BACKSLASH,
    K_LOW,
    K_HIGH,
    K_NIBBLE,
    K_SPACE,
    K_CONTROL,
    K_ESCAPE,
    K_TEXT,
    K_COUNT
};
static const _Alignas(32) signed char block_constants[K_COUNT][32] = {
    [K_QUOTE] = {TWICE(SIXTEEN('"'))},
    [K_BACKSLASH] = {TWICE(SIXTEEN('\\'))},
    [K_LOW] = {TWICE(IN_20, 0, 0, 0, 0, 0, 0, 0, 0, IN_00, IN_00 | IN_30, BRACKET, IN_20,
                     IN_00 | BRACKET, 0, 0)},
    [K_HIGH] = {TWICE(IN_00, 0, IN_20, IN_30, 0, BRACKET, 0, BRACKET, 0, 0, 0, 0, 0, 0, 0, 0)},
    [K_NIBBLE] = {TWICE(SIXTEEN(0x0F))},
    [K_SPACE] = {TWICE(SIXTEEN(0x20))},
    [K_CONTROL] = {TWICE(SIXTEEN(0x1F))},
    /* by its lower half a byte is looked up; \b has the same as \r and is looked at more closely */
    [K_ESCAPE] = {TWICE(0, 0, 'r', 0, 't', 0, 'f', 0, 0, 0, 0, 0, 0, 0, 'n', '/')},
    /* what stands for nothing is of another lower half */
    [K_TEXT] = {TWICE(1, 0, '"', 0, 0, 0, 0, 0, 0, 0, 0, 0, '\\', 0, 0, 0)},
};

FILL_INLINE const __m256i *constants(void)
{
    const __m256i *k = (const __m256i *)(const void *)block_constants;
    __asm__("" : "+r"(k)); /* or the compiler sees through it */
    return k;
}

FILL_INLINE __m256i class_of(__m256i v, const __m256i *k)
{
    __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), k[K_NIBBLE]);
    return _mm256_and_si256(_mm256_shuffle_epi8(k[K_LOW], v), _mm256_shuffle_epi8(k[K_HIGH], high));
}

FILL_INLINE struct scan_text read_text(const unsigned char *p)
{
    const __m256i *k = constants();
    __m256i a = load32(p), b = load32(p + 32);
    return (struct scan_text){
        .quote = bits_of(_mm256_cmpeq_epi8(a, k[K_QUOTE]), _mm256_cmpeq_epi8(b, k[K_QUOTE])),
        .backslash =
            bits_of(_mm256_cmpeq_epi8(a, k[K_BACKSLASH]), _mm256_cmpeq_epi8(b, k[K_BACKSLASH])),
        /* as signed numbers both control characters and bytes beyond ASCII are below the space */
        .special =
            (unsigned)_mm256_movemask_epi8(_mm256_cmpgt_epi8(k[K_SPACE], _mm256_min_epi8(a, b))),
    };
}

FILL_INLINE struct scan_outside read_outside(const unsigned char *p)
{
    const __m256i *k = constants(), none = _mm256_setzero_si256();
    __m256i a = class_of(load32(p), k), b = class_of(load32(p + 32), k);
    return (struct scan_outside){bits_of(a, b),
                                 bits_of(_mm256_cmpeq_epi8(a, none), _mm256_cmpeq_epi8(b, none))};
}

FILL_INLINE uint64_t control_bits(const unsigned char *p)
{
    __m256i a = load32(p), b = load32(p + 32), limit = constants()[K_CONTROL];
    return bits_of(_mm256_cmpeq_epi8(_mm256_min_epu8(a, limit), a),
                   _mm256_cmpeq_epi8(_mm256_min_epu8(b, limit), b));
}

FILL_INLINE uint64_t escape_bits(const unsigned char *p, uint64_t escaped)
{
    __m256i a = load32(p), b = load32(p + 32), by_low = constants()[K_ESCAPE];
    (void)escaped;
    return bits_of(_mm256_cmpeq_epi8(a, _mm256_shuffle_epi8(by_low, a)),
                   _mm256_cmpeq_epi8(b, _mm256_shuffle_epi8(by_low, b)));
}

FILL_TARGET static inline uint64_t prefix_xor(uint64_t bits)
{
    __m128i all = _mm_set1_epi8(-1);
    return (uint64_t)_mm_cvtsi128_si64(
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), all, 0));
}

/* Four at a time, needed or not: how many there are can not be guessed. Volatile keeps
 * the compiler from gathering them into one store, which takes longer. */
FILL_INLINE uint32_t *put_marks(uint32_t *out, uint64_t bits, uint32_t base)
{
    uint32_t *end = out + __builtin_popcountll(bits);
    volatile uint32_t *to = out;
#define PUT(i) to[i] = base + (uint32_t)_tzcnt_u64(bits), bits = _blsr_u64(bits)
    do {
        PUT(0), PUT(1), PUT(2), PUT(3);
        to += 4;
    } while (bits);
#undef PUT
    return end;
}

/* Quotes and backslashes are looked up by their lower half; as signed numbers both control
 * characters and bytes beyond ASCII are below the space, so that the least of all bytes tells. */
struct looked {
    __m256i found, least;
};

FILL_INLINE struct looked look(struct looked l, const unsigned char *p)
{
    __m256i v = load32(p);
    __asm__("" : "+x"(v)); /* or it is loaded for each use */
    __m256i found = _mm256_cmpeq_epi8(v, _mm256_shuffle_epi8(constants()[K_TEXT], v));
    return (struct looked){_mm256_or_si256(l.found, found), _mm256_min_epi8(l.least, v)};
}

FILL_INLINE bool are_plain(struct looked l)
{
    __m256i any = _mm256_or_si256(l.found, _mm256_cmpgt_epi8(constants()[K_SPACE], l.least));
    return _mm256_testz_si256(any, any);
}

/* Behind the first block from one line of the cache to the next, wherever the text lies. */
FILL_TARGET static inline size_t skip_plain(const unsigned char *p, size_t n)
{
    const struct looked none = {_mm256_setzero_si256(), _mm256_set1_epi8(0x7F)};
    if (n < 64 || !are_plain(look(look(none, p), p + 32)))
        return 0;
    size_t at = 64 - (uintptr_t)p % 64;
    for (; n - at >= 256; at += 256) {
        const unsigned char *q = p + at;
        struct looked l = look(look(look(look(none, q), q + 32), q + 64), q + 96);
        l = look(look(look(look(l, q + 128), q + 160), q + 192), q + 224);
        if (!are_plain(l))
            break;
    }
    while (n - at >= 64 && are_plain(look(look(none, p + at), p + at + 32)))
        at += 64;
    return at < 64 ? 64 : at & ~(size_t)63;
}

FILL_TARGET static inline __m256i table(const unsigned char *p)
{
    return _mm256_broadcastsi128_si256(_mm_load_si128((const __m128i *)(const void *)p));
}

FILL_TARGET static inline __m256i upper_half(__m256i v)
{
    return _mm256_and_si256(_mm256_srli_epi16(v, 4), _mm256_set1_epi8(0x0F));
}

/* Of the bytes of `v`; those of `before` stand before them. */
FILL_TARGET static inline __m256i utf8_faults(__m256i v, __m256i before)
{
    __m256i across = _mm256_permute2x128_si256(before, v, 0x21);
    __m256i one = _mm256_alignr_epi8(v, across, 15), two = _mm256_alignr_epi8(v, across, 14);
    __m256i three = _mm256_alignr_epi8(v, across, 13);
    __m256i low = _mm256_and_si256(one, _mm256_set1_epi8(0x0F));
    __m256i a = _mm256_shuffle_epi8(table(utf8_first_high), upper_half(one));
    __m256i b = _mm256_shuffle_epi8(table(utf8_first_low), low);
    __m256i c = _mm256_shuffle_epi8(table(utf8_second_high), upper_half(v));
    __m256i pair = _mm256_and_si256(_mm256_and_si256(a, b), c);
    /* E0 and above two places before, F0 and above three: a continuation is due here */
    __m256i due = _mm256_or_si256(_mm256_subs_epu8(two, _mm256_set1_epi8(0x60)),
                                  _mm256_subs_epu8(three, _mm256_set1_epi8(0x70)));
    due = _mm256_and_si256(due, _mm256_set1_epi8((char)UTF8_TWO));
    return _mm256_xor_si256(due, pair);
}

FILL_TARGET __attribute__((noinline)) static bool check_wide(struct scan_index *x, size_t at,
                                                             const unsigned char *p, size_t left)
{
    (void)left; /* a short block ends in spaces, which end a cut character as well */
    __m256i a = load32(p), b = load32(p + 32), before = _mm256_setzero_si256();
    if (!x->pending && !_mm256_movemask_epi8(_mm256_or_si256(a, b)))
        return true;
    if (at >= 32)
        before = load32(x->p + at - 32);
    __m256i faults = _mm256_or_si256(utf8_faults(a, before), utf8_faults(b, a));
    /* as signed numbers continuations are those below -64 */
    const __m256i limit = _mm256_set1_epi8(-64);
    x->wide += (unsigned)__builtin_popcountll(bits_of(a, b));
    x->tails += (unsigned)__builtin_popcountll(
        bits_of(_mm256_cmpgt_epi8(limit, a), _mm256_cmpgt_epi8(limit, b)));
    x->pending = p[63] >= 0xC0 || p[62] >= 0xE0 || p[61] >= 0xF0;
    return _mm256_testz_si256(faults, faults);
}

#include "scan_fill.h"

FILL_TARGET void scan_fill_avx2(struct scan_index *x)
{
    fill(x);
}
#else
typedef int scan_avx2_is_empty;
#endif
