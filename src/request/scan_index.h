/*
 * scan_index.h - where the marks of a JSON text stand, found 64 bytes at a time.
 *
 * A mark is a bracket or brace outside of strings, the quote that opens a
 * string, or the first byte of any other value. Colons and commas have none:
 * whoever goes from one mark to the next looks at the few bytes between them.
 * Four makers of the same list exist: plain C, 128 bits (SSE2, WebAssembly), AVX2 and AVX-512;
 * scan_fill.h is their common frame.
 * On the way they find what no later step could see any more: broken UTF-8,
 * control characters in strings, escapes that are none. They do not say where;
 * a text that fails is read again by scan_error.c, slowly and exactly.
 *
 *     {"a": [1, "x\"y"]}        text
 *     ^^    ^^  ^      ^^       marks
 *
 * The list is a window: it is filled anew when it has been used up, so that no
 * memory is needed however long the text is.
 */
#ifndef CANDO_SCAN_INDEX_H
#define CANDO_SCAN_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define SCAN_POSITIONS 1024u
#define SCAN_SPARE 80u /* what one block may add, and the ends of the text */
#define SCAN_AHEAD 4u  /* marks that a reader may look at before it asks for more */
#define SCAN_ENDS 4u   /* how often the text's end stands behind its last mark */

struct scan_index {
    const unsigned char *p;
    size_t n;
    size_t low_half; /* the backslash of a low surrogate that belongs to a high one */
    /* from here on all is 0 at the beginning */
    size_t at;          /* first byte that is not indexed yet */
    size_t utf8_at;     /* UTF-8 is known to be sound up to here (plain C and SSE2) */
    uint64_t in_string; /* all ones: the block begins inside of a string */
    uint64_t wide;      /* bytes beyond ASCII, */
    uint64_t tails;     /* those of them that continue a character, */
    uint64_t escapes;   /* backslashes, so far */
    uint32_t n_pos;
    bool scalar;  /* the byte before was part of a number or word */
    bool escaped; /* the first byte is escaped */
    bool pending; /* the block before ended within a character (AVX2, AVX-512) */
    bool spelt;   /* an ASCII character was spelt by its number */
    bool bad;
    bool ended;
    uint32_t pos[SCAN_POSITIONS + SCAN_SPARE];
};

/* The text is set. */
static inline void scan_index_begin(struct scan_index *x)
{
    x->low_half = SIZE_MAX;
    size_t from = offsetof(struct scan_index, at), to = offsetof(struct scan_index, pos);
    memset((char *)x + from, 0, to - from);
}

/* 64 bytes as bit masks: what matters inside of strings, */
struct scan_text {
    uint64_t quote, backslash;
    uint64_t special; /* not 0: there are control characters, or bytes beyond ASCII */
};
/* and outside of them. */
struct scan_outside {
    uint64_t bracket;
    uint64_t scalar; /* neither a bracket, a separator nor white space */
};

/* Appends marks until the window is full or the text ends; then the length of
 * the text is appended, a few times, as marks that no byte stands for. */
typedef void scan_fill(struct scan_index *x);

enum scan_path { SCAN_BEST, SCAN_PLAIN, SCAN_SSE2, SCAN_AVX2, SCAN_AVX512, SCAN_PATHS };

void scan_fill_plain(struct scan_index *x);
void scan_fill_128(struct scan_index *x);
void scan_fill_avx2(struct scan_index *x);
void scan_fill_avx512(struct scan_index *x);
/* What this processor can do; `path` asks for less. */
scan_fill *scan_fill_for(enum scan_path path);

/* By the byte behind the backslash: an escape that needs no further look. */
extern const unsigned char scan_simple_escape[256];

/* The escape at p[at] (a backslash). False if it is none. Notes pairs of
 * surrogates in x. */
bool scan_escape(struct scan_index *x, size_t at);
/* Checks UTF-8 from `at` up to `end` at least, a character at a time. */
bool scan_utf8(struct scan_index *x, size_t at, size_t end);

#endif
