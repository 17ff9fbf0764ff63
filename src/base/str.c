#include "str.h"

#include <stdarg.h>
#include <stdio.h>

struct str str_trim(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == '\t'))
        s = str_from(s, 1);
    while (s.n && (s.p[s.n - 1] == ' ' || s.p[s.n - 1] == '\t'))
        s.n--;
    return s;
}

bool str_starts(struct str s, struct str prefix)
{
    return s.n >= prefix.n && (prefix.n == 0 || memcmp(s.p, prefix.p, prefix.n) == 0);
}

bool str_ends(struct str s, struct str suffix)
{
    return s.n >= suffix.n && str_eq(str_from(s, s.n - suffix.n), suffix);
}

int str_cmp(struct str a, struct str b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int c = n ? memcmp(a.p, b.p, n) : 0;
    if (c)
        return c;
    return a.n < b.n ? -1 : a.n > b.n;
}

int str_order(const void *a, const void *b)
{
    return str_cmp(*(const struct str *)a, *(const struct str *)b);
}

int text_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

int u32_order(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

size_t str_find_char(struct str s, char c)
{
    const char *q = s.n ? memchr(s.p, c, s.n) : NULL;
    return q ? (size_t)(q - s.p) : s.n;
}

size_t str_behind_last(struct str s, char c)
{
    size_t n = s.n;
    while (n && s.p[n - 1] != c)
        n--;
    return n;
}

size_t str_find(struct str s, struct str needle)
{
    if (needle.n == 0)
        return 0;
    for (size_t i = 0; i + needle.n <= s.n; i++) {
        i += str_find_char(str_make(s.p + i, s.n - needle.n - i + 1), needle.p[0]);
        if (i + needle.n <= s.n && memcmp(s.p + i, needle.p, needle.n) == 0)
            return i;
    }
    return SIZE_MAX;
}

struct str str_dup(struct arena *ar, struct str s)
{
    char *q = s.n < SIZE_MAX ? arena_alloc(ar, s.n + 1) : NULL;
    if (!q)
        return STR_NONE;
    if (s.n)
        memcpy(q, s.p, s.n);
    return (struct str){q, s.n};
}

struct str str_dup_fold(struct arena *ar, struct str s)
{
    char *q = s.n < SIZE_MAX ? arena_alloc(ar, s.n + 1) : NULL;
    if (!q)
        return STR_NONE;
    for (size_t i = 0; i < s.n; i++)
        q[i] = char_fold(s.p[i]);
    return (struct str){q, s.n};
}

struct str str_join(struct arena *ar, struct str a, struct str b, struct str c)
{
    struct str part[] = {a, b, c};
    size_t n = 0;
    char *q = a.p && b.p && c.p ? arena_alloc(ar, a.n + b.n + c.n + 1) : NULL;
    for (size_t i = 0; q && i < 3; i++) {
        memcpy(q + n, part[i].p, part[i].n);
        n += part[i].n;
    }
    return q ? (struct str){q, n} : STR_NONE;
}

struct str str_printf(struct arena *ar, const char *fmt, ...)
{
    char few[256]; /* most texts fit, and are made once */
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(few, sizeof few, fmt, ap);
    va_end(ap);
    char *q = n < 0 ? NULL : arena_alloc_raw(ar, (size_t)n + 1);
    if (q && (size_t)n < sizeof few)
        memcpy(q, few, (size_t)n + 1);
    else if (q)
        vsnprintf(q, (size_t)n + 1, fmt, again);
    va_end(again);
    return q ? (struct str){q, (size_t)n} : STR_NONE;
}

#define DISTANCE_MAX 64

unsigned str_distance(struct str a, struct str b, unsigned max)
{
    if (a.n > DISTANCE_MAX || b.n > DISTANCE_MAX)
        return max + 1;
    size_t gap = a.n > b.n ? a.n - b.n : b.n - a.n;
    if (gap > max)
        return max + 1;
    unsigned row[3][DISTANCE_MAX + 1]; /* this row, the one before, and the one before that */
    unsigned *cur = row[0], *prev = row[1], *prev2 = row[2];
    for (size_t j = 0; j <= b.n; j++)
        prev[j] = (unsigned)j;
    for (size_t i = 1; i <= a.n; i++) {
        cur[0] = (unsigned)i;
        unsigned best = cur[0];
        for (size_t j = 1; j <= b.n; j++) {
            char x = char_fold(a.p[i - 1]), y = char_fold(b.p[j - 1]);
            unsigned d = prev[j - 1] + (x != y);
            if (prev[j] + 1 < d)
                d = prev[j] + 1;
            if (cur[j - 1] + 1 < d)
                d = cur[j - 1] + 1;
            bool two = i > 1 && j > 1 && prev2[j - 2] + 1 < d;
            if (two && x == char_fold(b.p[j - 2]) && char_fold(a.p[i - 2]) == y)
                d = prev2[j - 2] + 1;
            cur[j] = d;
            if (d < best)
                best = d;
        }
        if (best > max)
            return max + 1;
        unsigned *t = prev2;
        prev2 = prev;
        prev = cur;
        cur = t;
    }
    return prev[b.n] <= max ? prev[b.n] : max + 1;
}

unsigned str_near(size_t length)
{
    return length < 3 ? 0 : length < 6 ? 1 : length < 12 ? 2 : 3;
}

struct nearest nearest_to(struct str wanted)
{
    return (struct nearest){wanted, STR(""), str_near(wanted.n) + 1};
}

/* Is it the last word of the candidate, or the first: context of context_window? How far off that
 * is, the longer the more; 0: it is no part of it. */
static size_t part_distance(struct str wanted, struct str candidate)
{
    enum { LEAST = 4, FIRST = 1000 };
    if (wanted.n < LEAST || candidate.n < wanted.n + 2)
        return 0;
    char behind = candidate.p[wanted.n], before = candidate.p[candidate.n - wanted.n - 1];
    if ((before == '_' || before == '-') && str_ends(candidate, wanted))
        return candidate.n;
    if ((behind == '_' || behind == '-') && str_starts(candidate, wanted))
        return FIRST + candidate.n;
    return 0;
}

void nearest_try(struct nearest *n, struct str candidate)
{
    if (n->distance == 0)
        return;
    size_t part = part_distance(n->wanted, candidate);
    bool none = n->distance > str_near(n->wanted.n); /* what is nearer takes its place */
    if (part && none && (!n->name.n || part < part_distance(n->wanted, n->name)))
        n->name = candidate;
    unsigned d = str_distance(candidate, n->wanted, n->distance - 1);
    if (d < n->distance) {
        n->name = candidate;
        n->distance = d;
    }
}

bool str_same_but_digits(struct str a, struct str b)
{
    size_t i = 0, k = 0;
    for (;; i++, k++) {
        while (i < a.n && (char_is_digit(a.p[i]) || a.p[i] == '.' || a.p[i] == '-'))
            i++;
        while (k < b.n && (char_is_digit(b.p[k]) || b.p[k] == '.' || b.p[k] == '-'))
            k++;
        if (i == a.n || k == b.n)
            return i == a.n && k == b.n;
        if (char_fold(a.p[i]) != char_fold(b.p[k]))
            return false;
    }
}

bool nearest_is_slip(const struct nearest *n)
{
    return n->name.n && n->distance <= str_near(n->wanted.n);
}

/* Eight bytes at a time, multiplied and folded. Case folding works on the
 * eight bytes at once: a byte is an upper-case letter if it lies in 'A'..'Z'
 * and its top bit is clear. */
#define HASH_K1 UINT64_C(0x9E3779B97F4A7C15)
#define HASH_K2 UINT64_C(0xD6E8FEB86659FD93)

static inline uint64_t fold_word(uint64_t v)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t low = v & (ones * 0x7f);
    uint64_t ge_a = low + ones * (0x80 - 'A');     /* top bit: byte >= 'A' */
    uint64_t gt_z = low + ones * (0x80 - 'Z' - 1); /* top bit: byte >  'Z' */
    uint64_t upper = (ge_a & ~gt_z & ~v) & (ones * 0x80);
    return v | (upper >> 2); /* 0x80 >> 2 == 0x20, the case bit */
}

/* Most names are written alike. */
static inline bool word_eq_fold(uint64_t a, uint64_t b)
{
    return a == b || fold_word(a) == fold_word(b);
}

bool str_eq_fold(struct str a, struct str b)
{
    if (a.n != b.n)
        return false;
    size_t n = a.n;
    for (size_t i = 0; i + 8 <= n; i += 8)
        if (!word_eq_fold(str_le64(a.p + i), str_le64(b.p + i)))
            return false;
    if (n >= 8) /* the last eight, some of them again */
        return word_eq_fold(str_le64(a.p + n - 8), str_le64(b.p + n - 8));
    return word_eq_fold(str_load_le(a.p, n), str_load_le(b.p, n));
}

static inline uint64_t mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * HASH_K1;
    return h ^ (h >> 29);
}

static inline uint64_t finish(uint64_t h)
{
    h ^= h >> 32;
    h *= HASH_K2;
    h ^= h >> 29;
    return h;
}

/* The bytes from i on, fewer than eight, the rest zero. */
static inline uint64_t tail_word(struct str s, size_t i)
{
    if (i == 0)
        return str_load_le(s.p, s.n);
    return str_le64(s.p + s.n - 8) >> (8 * (8 - (s.n - i)));
}

uint64_t str_hash(struct str s, uint64_t seed)
{
    uint64_t h = seed ^ ((uint64_t)s.n * HASH_K2);
    size_t i = 0;
    for (; i + 8 <= s.n; i += 8)
        h = mix(h, str_le64(s.p + i));
    if (i < s.n)
        h = mix(h, tail_word(s, i));
    return finish(h);
}

uint64_t str_hash_fold(struct str s, uint64_t seed)
{
    uint64_t h = seed ^ ((uint64_t)s.n * HASH_K2);
    size_t i = 0;
    for (; i + 8 <= s.n; i += 8)
        h = mix(h, fold_word(str_le64(s.p + i)));
    if (i < s.n)
        h = mix(h, fold_word(tail_word(s, i)));
    return finish(h);
}

struct sip {
    uint64_t a, b, c, d;
};

static inline uint64_t rotate(uint64_t v, unsigned n)
{
    return v << n | v >> (64 - n);
}

static inline void sip_round(struct sip *s)
{
    s->a += s->b;
    s->b = rotate(s->b, 13) ^ s->a;
    s->a = rotate(s->a, 32);
    s->c += s->d;
    s->d = rotate(s->d, 16) ^ s->c;
    s->a += s->d;
    s->d = rotate(s->d, 21) ^ s->a;
    s->c += s->b;
    s->b = rotate(s->b, 17) ^ s->c;
    s->c = rotate(s->c, 32);
}

uint64_t str_hash_keyed(struct str s, bool fold, const uint64_t key[2])
{
    struct sip v = {key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                    key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573)};
    size_t i = 0;
    for (;; i += 8) {
        size_t left = s.n - i;
        uint64_t m = left ? str_load_le(s.p + i, left) : 0;
        if (fold)
            m = fold_word(m);
        if (left < 8)
            m |= (uint64_t)(s.n & 0xff) << 56;
        v.d ^= m;
        sip_round(&v);
        v.a ^= m;
        if (left < 8)
            break;
    }
    v.c ^= 0xff;
    for (int r = 0; r < 3; r++)
        sip_round(&v);
    return v.a ^ v.b ^ v.c ^ v.d;
}

size_t str_utf8_len(struct str s)
{
    size_t n = 0;
    for (size_t i = 0; i < s.n; i++)
        n += ((unsigned char)s.p[i] & 0xC0) != 0x80;
    return n;
}

unsigned utf8_step(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (u[0] < 0x80)
        return 1;
    if (u[0] < 0xC2)
        return 0;
    if (u[0] < 0xE0)
        return n >= 2 && (u[1] & 0xC0) == 0x80 ? 2 : 0;
    if (u[0] < 0xF0) {
        if (n < 3 || (u[1] & 0xC0) != 0x80 || (u[2] & 0xC0) != 0x80)
            return 0;
        if (u[0] == 0xE0 && u[1] < 0xA0)
            return 0;
        if (u[0] == 0xED && u[1] > 0x9F)
            return 0;
        return 3;
    }
    if (u[0] < 0xF5) {
        if (n < 4 || (u[1] & 0xC0) != 0x80 || (u[2] & 0xC0) != 0x80 || (u[3] & 0xC0) != 0x80)
            return 0;
        if (u[0] == 0xF0 && u[1] < 0x90)
            return 0;
        if (u[0] == 0xF4 && u[1] > 0x8F)
            return 0;
        return 4;
    }
    return 0;
}

size_t utf8_check(struct str s)
{
    size_t i = 0;
    while (i < s.n) {
        if ((unsigned char)s.p[i] < 0x80) {
            i++;
            continue;
        }
        unsigned step = utf8_step(s.p + i, s.n - i);
        if (!step)
            return i;
        i += step;
    }
    return s.n;
}

unsigned utf8_put(uint32_t cp, char out[4])
{
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    if (cp < 0x800) {
        out[0] = (char)(0xC0 | cp >> 6);
        out[1] = (char)(0x80 | (cp & 0x3F));
        return 2;
    }
    if (cp >= 0xD800 && cp < 0xE000)
        return 0;
    if (cp < 0x10000) {
        out[0] = (char)(0xE0 | cp >> 12);
        out[1] = (char)(0x80 | (cp >> 6 & 0x3F));
        out[2] = (char)(0x80 | (cp & 0x3F));
        return 3;
    }
    if (cp < 0x110000) {
        out[0] = (char)(0xF0 | cp >> 18);
        out[1] = (char)(0x80 | (cp >> 12 & 0x3F));
        out[2] = (char)(0x80 | (cp >> 6 & 0x3F));
        out[3] = (char)(0x80 | (cp & 0x3F));
        return 4;
    }
    return 0;
}

size_t str_number(struct str s, size_t most, uint64_t *out)
{
    size_t n = 0;
    for (*out = 0; n < s.n && n < most && char_is_digit(s.p[n]); n++)
        *out = *out * 10 + (uint64_t)(s.p[n] - '0');
    return n;
}

bool str_made_of(struct str s, const char *marks)
{
    size_t n = 0;
    while (n < s.n &&
           (char_is_alpha(s.p[n]) || char_is_digit(s.p[n]) || (s.p[n] && strchr(marks, s.p[n]))))
        n++;
    return n == s.n;
}

bool words_next(const char **cursor, struct str *word)
{
    const char *p = *cursor;
    while (*p == ' ')
        p++;
    if (!*p)
        return false;
    const char *end = p;
    while (*end && *end != ' ')
        end++;
    *word = (struct str){p, (size_t)(end - p)};
    *cursor = end;
    return true;
}

size_t words_find(const char *words, struct str word)
{
    struct str one;
    for (size_t i = 0; words_next(&words, &one); i++)
        if (str_eq(one, word))
            return i;
    return SIZE_MAX;
}
