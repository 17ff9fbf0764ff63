/*
 * scan_avx512.c - the index of marks with AVX-512, chosen at run time.
 *
 * A block of 64 bytes is one register, and what is asked of its bytes is answered
 * as one mask. Classes come from one lookup by the lower six bits of a byte: no two
 * of those that matter outside of strings share them. The numbers of the marks are
 * packed from 0..63 by their mask, without a loop over its bits.
 *
 * The tests run this file on any processor: they include it with SCAN_EMULATED, and
 * the instructions are then functions of their own.
 */
#include "scan_index.h"
#include "scan_utf8.h"

#if defined(SCAN_EMULATED)
#define FILL_TARGET
#define FILL_INLINE __attribute__((noinline)) static
#elif defined(__x86_64__)
#include <immintrin.h>
#define FILL_TARGET                                                                                \
    __attribute__((target("avx512f,avx512bw,avx512vl,avx512vbmi,avx512vbmi2,bmi,popcnt,pclmul")))
#define FILL_INLINE FILL_TARGET __attribute__((always_inline)) static inline
#endif

#if defined(FILL_TARGET)
FILL_INLINE __m512i load64(const void *p)
{
    return _mm512_loadu_si512(p);
}

/* What each block is compared with: the compiler would make the first ones anew for every block,
 * a move and a broadcast each; from memory they cost nothing.
 *
 * The next ones have, by the lower six bits of a byte, the byte that matters and has them. Any
 * other byte differs from what it finds: what stands for nothing there has other lower bits. */
#define SIXTEEN(c) c, c, c, c, c, c, c, c, c, c, c, c, c, c, c, c
#define ALL(c) SIXTEEN(c), SIXTEEN(c), SIXTEEN(c), SIXTEEN(c)
#define FROM(n) n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6, n + 7
enum { K_QUOTE, K_BACKSLASH, K_SPACE, K_40, K_OUTSIDE, K_ESCAPE, K_TEXT, K_NUMBERS, K_COUNT };
static const _Alignas(64) unsigned char block_constants[K_COUNT][64] = {
    [K_QUOTE] = {ALL('"')},
    [K_BACKSLASH] = {ALL('\\')},
    [K_SPACE] = {ALL(0x20)},
    [K_40] = {ALL(0x40)},
    [K_OUTSIDE] =
        {1, ['\t'] = '\t', ['\n'] = '\n', ['\r'] = '\r', [' '] = ' ', [','] = ',', [':'] = ':',
         ['[' & 63] = '[', [']' & 63] = ']', ['{' & 63] = '{', ['}' & 63] = '}'},
    [K_ESCAPE] = {1, ['/'] = '/', ['b' & 63] = 'b', ['f' & 63] = 'f', ['n' & 63] = 'n',
                  ['r' & 63] = 'r', ['t' & 63] = 't'},
    [K_TEXT] = {1, ['"'] = '"', ['\\' & 63] = '\\'},
    [K_NUMBERS] = {FROM(0), FROM(8), FROM(16), FROM(24), FROM(32), FROM(40), FROM(48), FROM(56)},
};

FILL_INLINE __m512i constant(unsigned number)
{
    const unsigned char *k = block_constants[0];
    __asm__("" : "+r"(k)); /* or the compiler sees through it */
    return load64(k + 64 * number);
}

FILL_INLINE struct scan_text read_text(const unsigned char *p)
{
    __m512i v = load64(p);
    return (struct scan_text){
        .quote = _mm512_cmpeq_epi8_mask(v, constant(K_QUOTE)),
        .backslash = _mm512_cmpeq_epi8_mask(v, constant(K_BACKSLASH)),
        /* as signed numbers both control characters and bytes beyond ASCII are below the space */
        .special = _mm512_cmplt_epi8_mask(v, constant(K_SPACE)),
    };
}

FILL_INLINE struct scan_outside read_outside(const unsigned char *p)
{
    __m512i v = load64(p);
    uint64_t some = _mm512_cmpeq_epi8_mask(v, _mm512_permutexvar_epi8(v, constant(K_OUTSIDE)));
    /* of them the brackets alone have this bit */
    uint64_t bracket = _mm512_mask_test_epi8_mask(some, v, constant(K_40));
    return (struct scan_outside){bracket, ~some};
}

FILL_INLINE uint64_t control_bits(const unsigned char *p)
{
    return _mm512_cmplt_epu8_mask(load64(p), constant(K_SPACE));
}

FILL_INLINE uint64_t escape_bits(const unsigned char *p, uint64_t escaped)
{
    __m512i v = load64(p);
    (void)escaped;
    return _mm512_cmpeq_epi8_mask(v, _mm512_permutexvar_epi8(v, constant(K_ESCAPE)));
}

FILL_INLINE uint64_t prefix_xor(uint64_t bits)
{
    __m128i all = _mm_set1_epi8(-1), one = _mm_set_epi64x(0, (long long)bits);
    return (uint64_t)_mm_cvtsi128_si64(_mm_clmulepi64_si128(one, all, 0));
}

FILL_INLINE void put16(uint32_t *out, __m512i from, __m128i which)
{
    _mm512_storeu_si512(out, _mm512_add_epi32(from, _mm512_cvtepu8_epi32(which)));
}

/* Sixteen at once, needed or not; few blocks have more. */
FILL_INLINE uint32_t *put_marks(uint32_t *out, uint64_t bits, uint32_t base)
{
    __m512i from = _mm512_set1_epi32((int)base);
    __m512i which = _mm512_maskz_compress_epi8(bits, constant(K_NUMBERS));
    uint32_t *end = out + __builtin_popcountll(bits);
    put16(out, from, _mm512_castsi512_si128(which));
    if (__builtin_expect(end - out > 16, 0)) {
        put16(out + 16, from, _mm512_extracti32x4_epi32(which, 1));
        put16(out + 32, from, _mm512_extracti32x4_epi32(which, 2));
        put16(out + 48, from, _mm512_extracti32x4_epi32(which, 3));
    }
    return end;
}

/* Quotes and backslashes are looked up; for the rest the least of all bytes tells. */
struct looked {
    __m512i same, least; /* 0 in `same`: one was found */
};

FILL_INLINE struct looked look(struct looked l, const unsigned char *p)
{
    __m512i v = load64(p), found = _mm512_permutexvar_epi8(v, constant(K_TEXT));
    return (struct looked){
        _mm512_min_epu8(l.same, _mm512_xor_si512(v, found)),
        _mm512_min_epi8(l.least, v),
    };
}

FILL_INLINE bool are_plain(struct looked l)
{
    uint64_t odd = _mm512_cmplt_epi8_mask(l.least, constant(K_SPACE));
    return (odd | _mm512_cmpeq_epi8_mask(l.same, _mm512_setzero_si512())) == 0;
}

/* Behind the first block from one line of the cache to the next, wherever the text lies. */
FILL_INLINE size_t skip_plain(const unsigned char *p, size_t n)
{
    const struct looked none = {_mm512_set1_epi8(0x7F), _mm512_set1_epi8(0x7F)};
    if (n < 64 || !are_plain(look(none, p)))
        return 0;
    size_t at = 64 - (uintptr_t)p % 64;
    for (; n - at >= 256; at += 256) {
        struct looked l = look(look(none, p + at), p + at + 64);
        if (!are_plain(look(look(l, p + at + 128), p + at + 192)))
            break;
    }
    while (n - at >= 64 && are_plain(look(none, p + at)))
        at += 64;
    return at < 64 ? 64 : at & ~(size_t)63;
}

#define FILL_REST
FILL_INLINE void read_rest(unsigned char last[64], const unsigned char *p, size_t n)
{
    uint64_t there = ~(~UINT64_C(0) << n);
    _mm512_storeu_si512(last, _mm512_mask_loadu_epi8(constant(K_SPACE), there, p));
}

FILL_INLINE __m512i table(const unsigned char *p)
{
    return _mm512_broadcast_i32x4(_mm_load_si128((const __m128i *)(const void *)p));
}

FILL_INLINE __m512i upper_half(__m512i v)
{
    return _mm512_and_si512(_mm512_srli_epi16(v, 4), _mm512_set1_epi8(0x0F));
}

/* Of the 64 bytes at p; the three before them can be read as well. */
FILL_INLINE __m512i utf8_faults(const unsigned char *p)
{
    __m512i v = load64(p), one = load64(p - 1), two = load64(p - 2), three = load64(p - 3);
    __m512i low = _mm512_and_si512(one, _mm512_set1_epi8(0x0F));
    __m512i a = _mm512_shuffle_epi8(table(utf8_first_high), upper_half(one));
    __m512i b = _mm512_shuffle_epi8(table(utf8_first_low), low);
    __m512i c = _mm512_shuffle_epi8(table(utf8_second_high), upper_half(v));
    __m512i pair = _mm512_and_si512(_mm512_and_si512(a, b), c);
    /* E0 and above two places before, F0 and above three: a continuation is due here */
    __m512i due = _mm512_or_si512(_mm512_subs_epu8(two, _mm512_set1_epi8(0x60)),
                                  _mm512_subs_epu8(three, _mm512_set1_epi8(0x70)));
    due = _mm512_and_si512(due, _mm512_set1_epi8((char)UTF8_TWO));
    return _mm512_xor_si512(due, pair);
}

FILL_TARGET __attribute__((noinline)) static bool check_wide(struct scan_index *x, size_t at,
                                                             const unsigned char *p, size_t left)
{
    unsigned char room[3 + 64];
    __m512i v = load64(p);
    uint64_t wide = _mm512_movepi8_mask(v);
    (void)left; /* a short block ends in spaces, which end a cut character as well */
    if (!x->pending && !wide)
        return true;
    /* as signed numbers continuations are those below -64 */
    x->wide += (unsigned)__builtin_popcountll(wide);
    x->tails += (unsigned)__builtin_popcountll(_mm512_cmplt_epi8_mask(v, _mm512_set1_epi8(-64)));
    x->pending = p[63] >= 0xC0 || p[62] >= 0xE0 || p[61] >= 0xF0;
    if (at == 0 || p != x->p + at) { /* a block of its own, or nothing is before it */
        memset(room, 0, 3);
        if (at)
            memcpy(room, x->p + at - 3, 3);
        memcpy(room + 3, p, 64);
        p = room + 3;
    }
    __m512i faults = utf8_faults(p);
    return _mm512_test_epi8_mask(faults, faults) == 0;
}

#include "scan_fill.h"

FILL_TARGET void scan_fill_avx512(struct scan_index *x)
{
    fill(x);
}
#else
typedef int scan_avx512_is_empty;
#endif
