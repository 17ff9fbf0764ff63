/*
 * scan_plain.c - the index of marks in plain C: a table lookup a byte. Also
 * what all makers share: the judge of escapes, the slow check of UTF-8, and
 * the choice by what the processor can do.
 */
#include "scan_common.h"

#include "base/str.h"

enum { CLASS_QUOTE = 1, CLASS_BACKSLASH = 2, CLASS_BRACKET = 4, CLASS_BETWEEN = 8 };

static const unsigned char classes[256] = {
    [' '] = CLASS_BETWEEN, ['\t'] = CLASS_BETWEEN, ['\n'] = CLASS_BETWEEN, ['\r'] = CLASS_BETWEEN,
    [':'] = CLASS_BETWEEN, [','] = CLASS_BETWEEN,  ['"'] = CLASS_QUOTE,    ['\\'] = CLASS_BACKSLASH,
    ['{'] = CLASS_BRACKET, ['}'] = CLASS_BRACKET,  ['['] = CLASS_BRACKET,  [']'] = CLASS_BRACKET,
};

/* Which of the 64 bytes are of a class. */
static inline uint64_t bits_of(const unsigned char *p, unsigned class)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i++)
        bits |= (uint64_t)((classes[p[i]] & class) != 0) << i;
    return bits;
}

static inline struct scan_text read_text(const unsigned char *p)
{
    struct scan_text m = {bits_of(p, CLASS_QUOTE), bits_of(p, CLASS_BACKSLASH), 0};
    for (unsigned i = 0; i < 64; i++)
        m.special |= p[i] < 0x20 || p[i] >= 0x80;
    return m;
}

static inline struct scan_outside read_outside(const unsigned char *p)
{
    return (struct scan_outside){bits_of(p, CLASS_BRACKET),
                                 ~bits_of(p, CLASS_BRACKET | CLASS_BETWEEN)};
}

static inline uint64_t control_bits(const unsigned char *p)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < 64; i++)
        bits |= (uint64_t)(p[i] < 0x20) << i;
    return bits;
}

/* Eight bytes at a time: is none of them a quote, a backslash, a control
 * character or beyond ASCII? */
static inline bool plain8(const unsigned char *p)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), tops = ones << 7;
    uint64_t v;
    memcpy(&v, p, 8);
    uint64_t q = v ^ ones * '"', b = v ^ ones * '\\';
    return ((v | (v - ones * 0x20) | ((q - ones) & ~q) | ((b - ones) & ~b)) & tops) == 0;
}

static inline size_t skip_plain(const unsigned char *p, size_t n)
{
    size_t at = 0;
    for (; n - at >= 64; at += 64)
        for (unsigned k = 0; k < 64; k += 8)
            if (!plain8(p + at + k))
                return at;
    return at;
}

#include "scan_fill.h"

void scan_fill_plain(struct scan_index *x)
{
    fill(x);
}

/* -- what all makers share ------------------------------------------------------ */

bool scan_utf8(struct scan_index *x, size_t at, size_t end)
{
    at = x->utf8_at > at ? x->utf8_at : at;
    while (at < end) {
        unsigned step = x->p[at] < 0x80 ? 1 : utf8_step((const char *)x->p + at, x->n - at);
        if (step == 0)
            return false;
        at += step;
    }
    x->utf8_at = at;
    return true;
}

static int hex4(const unsigned char *p)
{
    int v = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned c = p[i];
        unsigned d = c - '0' < 10 ? c - '0' : (c | 0x20) - 'a' < 6 ? (c | 0x20) - 'a' + 10 : 16;
        if (d == 16)
            return -1;
        v = v << 4 | (int)d;
    }
    return v;
}

static bool unicode_escape(struct scan_index *x, size_t at)
{
    if (x->n - at < 6)
        return false;
    int cp = hex4(x->p + at + 2);
    if (cp < 0)
        return false;
    x->spelt |= cp < 0x80;
    if (cp < 0xD800 || cp > 0xDFFF)
        return true;
    if (cp >= 0xDC00)
        return x->low_half == at;
    if (x->n - at < 12 || x->p[at + 6] != '\\' || x->p[at + 7] != 'u')
        return false;
    int low = hex4(x->p + at + 8);
    x->low_half = at + 6;
    return low >= 0xDC00 && low <= 0xDFFF;
}

const unsigned char scan_simple_escape[256] = {
    ['"'] = 1, ['\\'] = 1, ['/'] = 1, ['b'] = 1, ['f'] = 1, ['n'] = 1, ['r'] = 1, ['t'] = 1,
};

bool scan_escape(struct scan_index *x, size_t at)
{
    if (x->n - at < 2)
        return false;
    return scan_simple_escape[x->p[at + 1]] || (x->p[at + 1] == 'u' && unicode_escape(x, at));
}

#if defined(__x86_64__)
static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("popcnt") && __builtin_cpu_supports("pclmul");
}

/* All that scan_avx512.c is compiled for; the last one came last. */
static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512vbmi") &&
           __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports("avx512f") && has_avx2();
}

scan_fill *scan_fill_for(enum scan_path path)
{
    if (path == SCAN_PLAIN)
        return scan_fill_plain;
    if ((path == SCAN_BEST || path == SCAN_AVX512) && has_avx512())
        return scan_fill_avx512;
    if (path != SCAN_SSE2 && has_avx2())
        return scan_fill_avx2;
    return scan_fill_128;
}
#else
scan_fill *scan_fill_for(enum scan_path path)
{
#if defined(__wasm_simd128__)
    return path == SCAN_PLAIN ? scan_fill_plain : scan_fill_128;
#else
    (void)path;
    return scan_fill_plain;
#endif
}
#endif
