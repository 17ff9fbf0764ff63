/*
 * str.h - a borrowed piece of text, and what we do with names.
 *
 * Names of providers, models and capabilities compare with ASCII case folded
 * and nothing else: no locale, no Unicode tables.
 */
#ifndef CANDO_STR_H
#define CANDO_STR_H

#include "mem.h"

#include <string.h>

struct str {
    const char *p;
    size_t n;
};

#define STR(lit) ((struct str){(lit), sizeof(lit) - 1})
#define STR_NONE ((struct str){NULL, 0})
/* What a buffer holds, or any other struct with p and n. */
#define STR_IN(x) ((struct str){(x).p, (x).n})
/* for printf("%.*s") */
#define STR_ARG(s) (int)((s).n > 2000 ? 2000 : (s).n), (s).p ? (s).p : ""

static inline struct str str_of(const char *z)
{
    return (struct str){z, z ? strlen(z) : 0};
}

static inline struct str str_make(const char *p, size_t n)
{
    return (struct str){p, n};
}

static inline bool str_eq(struct str a, struct str b)
{
    return a.n == b.n && (a.n == 0 || memcmp(a.p, b.p, a.n) == 0);
}

static inline bool str_is(struct str a, const char *z)
{
    if (a.n && z && a.p[0] != z[0]) /* most are not, and it saves the call */
        return false;
    return str_eq(a, str_of(z));
}

static inline char char_fold(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static inline bool char_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool char_is_alpha(char c)
{
    c = char_fold(c);
    return c >= 'a' && c <= 'z';
}

/* White space, as JSON has it. */
static inline bool char_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* What ids and names are made of. */
static inline bool char_is_name(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_' || c == '-' || c == '.';
}

/* The value of a hexadecimal digit; -1: it is none. */
static inline int char_hex(char c)
{
    c = char_fold(c);
    return char_is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static inline struct str str_from(struct str s, size_t at)
{
    return at >= s.n ? (struct str){s.p + s.n, 0} : (struct str){s.p + at, s.n - at};
}

static inline struct str str_head(struct str s, size_t n)
{
    return (struct str){s.p, n < s.n ? n : s.n};
}

/* Without the spaces and tabs around it. */
struct str str_trim(struct str s);

/* Eight or four bytes as a number, the first byte in its lowest bits. */
static inline uint64_t str_le64(const char *p)
{
    uint64_t v;
    memcpy(&v, p, 8);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

static inline uint32_t str_le32(const char *p)
{
    uint32_t v;
    memcpy(&v, p, 4);
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    v = __builtin_bswap32(v);
#endif
    return v;
}

/* The first n bytes (at most eight) as a number, the rest zero. Short ones are
 * put together from pieces that may overlap: equal bytes in equal places. */
static inline uint64_t str_load_le(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    if (n >= 8)
        return str_le64(p);
    if (n >= 4)
        return str_le32(p) | (uint64_t)str_le32(p + n - 4) << (8 * (n - 4));
    if (n == 0)
        return 0;
    return u[0] | (uint64_t)u[n / 2] << (8 * (n / 2)) | (uint64_t)u[n - 1] << (8 * (n - 1));
}

/* Are these n > 0 bytes the same? For names: without a call. */
static inline bool str_same(const char *a, const char *b, size_t n)
{
    if (n < 4)
        return a[0] == b[0] && a[n / 2] == b[n / 2] && a[n - 1] == b[n - 1];
    if (n < 8)
        return str_le32(a) == str_le32(b) && str_le32(a + n - 4) == str_le32(b + n - 4);
    for (size_t i = 0; i + 8 < n; i += 8)
        if (str_le64(a + i) != str_le64(b + i))
            return false;
    return str_le64(a + n - 8) == str_le64(b + n - 8);
}

bool str_eq_fold(struct str a, struct str b);
bool str_starts(struct str s, struct str prefix);
bool str_ends(struct str s, struct str suffix);
int str_cmp(struct str a, struct str b); /* bytes, then length */
/* The same for qsort; of a list of texts that end in a NUL; and of numbers. */
int str_order(const void *a, const void *b);
int text_order(const void *a, const void *b);
int u32_order(const void *a, const void *b);
/* Where `c` first stands in s, or s.n. */
size_t str_find_char(struct str s, char c);
/* Behind the last `c` of s; 0: it has none. */
size_t str_behind_last(struct str s, char c);
/* Where `needle` first stands in s, or SIZE_MAX. */
size_t str_find(struct str s, struct str needle);

/* The number that s begins with, of at most `most` digits (18 fit); gives how many these are. */
size_t str_number(struct str s, size_t most, uint64_t *out);

/* Are these digits, and any? */
static inline bool str_is_digits(struct str s)
{
    size_t n = 0;
    while (n < s.n && char_is_digit(s.p[n]))
        n++;
    return n == s.n && n > 0;
}

/* Are there only letters, digits and these marks in it? */
bool str_made_of(struct str s, const char *marks);

/* Steps through a list of words separated by spaces. */
bool words_next(const char **cursor, struct str *word);
/* Which of them it is, from 0 on; SIZE_MAX: none. */
size_t words_find(const char *words, struct str word);

static inline bool words_have(const char *words, struct str word)
{
    return words_find(words, word) != SIZE_MAX;
}

/* NUL-terminated copies in the arena; p is NULL if there was no memory. */
struct str str_dup(struct arena *ar, struct str s);
struct str str_dup_fold(struct arena *ar, struct str s);
/* Three pieces, one behind the other; of a piece whose p is NULL nothing comes. */
struct str str_join(struct arena *ar, struct str a, struct str b, struct str c);
struct str str_printf(struct arena *ar, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Edits (insert, delete, replace, swap of neighbours) from a to b, case
 * folded; at most `max`, else max + 1. For "did you mean". */
unsigned str_distance(struct str a, struct str b, unsigned max);
/* Do names differ in nothing but digits, dots and dashes? One is then another version of the other,
 * and no typing mistake. Case folded. */
bool str_same_but_digits(struct str a, struct str b);
/* How far a word of this length may be off to be worth suggesting. */
unsigned str_near(size_t length);

/* The known name that is nearest to a mistyped one, or one that it is a part of:
 *
 *     struct nearest near = nearest_to(name);
 *     for (...)
 *         nearest_try(&near, candidate);
 *     if (near.name.n) "did you mean near.name?"
 */
struct nearest {
    struct str wanted, name; /* name is empty if none is near */
    unsigned distance;
};
struct nearest nearest_to(struct str wanted);
void nearest_try(struct nearest *n, struct str candidate);
/* Is the name found a slip of the pen away, and not one that the wanted is a part of? */
bool nearest_is_slip(const struct nearest *n);

/* 64-bit hash of bytes; the same on every machine, so that it can be stored.
 * Fast, and no defence against keys that were chosen to collide. */
uint64_t str_hash(struct str s, uint64_t seed);
/* The same hash as str_hash of the case-folded text. */
uint64_t str_hash_fold(struct str s, uint64_t seed);
/* A keyed hash (SipHash-1-3) for tables over hostile keys. */
uint64_t str_hash_keyed(struct str s, bool fold, const uint64_t key[2]);

/* Characters (UTF-8 code points) in s: for columns. */
size_t str_utf8_len(struct str s);
/* Length of the valid UTF-8 sequence at p (1..4), 0 if invalid. n > 0. */
unsigned utf8_step(const char *p, size_t n);
/* First byte that is not valid UTF-8, or s.n. */
size_t utf8_check(struct str s);
/* Writes a code point (not a surrogate) as 1..4 bytes, returns how many; 0 if
 * it is none. */
unsigned utf8_put(uint32_t cp, char out[4]);

#endif
