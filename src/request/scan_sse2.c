/*
 * scan_sse2.c - the index of marks with SSE2, which every x86-64 processor has.
 *
 * No table lookup within a register here, so that each class is a handful of
 * comparisons; text beyond ASCII is checked a character at a time.
 */
#include "scan_common.h"

#if defined(__x86_64__)
#include <emmintrin.h>

static inline uint64_t bits_of(__m128i v, unsigned part)
{
    return (uint64_t)(uint32_t)_mm_movemask_epi8(v) << (16 * part);
}

static inline __m128i is(__m128i v, char c)
{
    return _mm_cmpeq_epi8(v, _mm_set1_epi8(c));
}

static inline __m128i load16(const unsigned char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline struct scan_text read_text(const unsigned char *p)
{
    struct scan_text m = {0};
    __m128i special = _mm_setzero_si128();
    for (unsigned k = 0; k < 4; k++) {
        __m128i v = load16(p + 16 * k);
        m.quote |= bits_of(is(v, '"'), k);
        m.backslash |= bits_of(is(v, '\\'), k);
        /* as signed numbers both control characters and bytes beyond ASCII are below the space */
        special = _mm_or_si128(special, _mm_cmplt_epi8(v, _mm_set1_epi8(0x20)));
    }
    m.special = (unsigned)_mm_movemask_epi8(special);
    return m;
}

static inline struct scan_outside read_outside(const unsigned char *p)
{
    struct scan_outside m = {0};
    for (unsigned k = 0; k < 4; k++) {
        __m128i v = load16(p + 16 * k);
        __m128i low = _mm_or_si128(v, _mm_set1_epi8(0x20)); /* [ { and ] } differ in this bit */
        __m128i bracket = _mm_or_si128(is(low, '{'), is(low, '}'));
        __m128i between = _mm_or_si128(_mm_or_si128(is(v, ' '), is(v, '\n')),
                                       _mm_or_si128(is(v, '\r'), is(v, '\t')));
        between = _mm_or_si128(between, _mm_or_si128(is(v, ':'), is(v, ',')));
        m.bracket |= bits_of(bracket, k);
        m.scalar |= bits_of(_mm_cmpeq_epi8(_mm_or_si128(bracket, between), _mm_setzero_si128()), k);
    }
    return m;
}

static inline uint64_t control_bits(const unsigned char *p)
{
    uint64_t bits = 0;
    for (unsigned k = 0; k < 4; k++) {
        __m128i v = load16(p + 16 * k);
        bits |= bits_of(_mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v), k);
    }
    return bits;
}

static inline size_t skip_plain(const unsigned char *p, size_t n)
{
    size_t at = 0;
    for (; n - at >= 64; at += 64) {
        __m128i any = _mm_setzero_si128();
        for (unsigned k = 0; k < 4; k++) {
            __m128i v = load16(p + at + 16 * k);
            any = _mm_or_si128(any, _mm_or_si128(_mm_cmplt_epi8(v, _mm_set1_epi8(0x20)),
                                                 _mm_or_si128(is(v, '"'), is(v, '\\'))));
        }
        if (_mm_movemask_epi8(any))
            return at;
    }
    return at;
}

#include "scan_fill.h"

void scan_fill_sse2(struct scan_index *x)
{
    fill(x);
}
#else
typedef int scan_sse2_is_empty;
#endif
