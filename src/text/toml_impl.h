/*
 * toml_impl.h - what the files of the TOML reader share.
 *
 *     toml.c         the document: keys, headers, arrays, who may define what
 *     toml_string.c  strings in their four forms, and comments
 *     toml_scalar.c  numbers, booleans, dates and times
 *     toml_table.c   tables: entries, lookup, the index of large ones
 *     toml_error.c   the place and the words of an error
 *
 * The reader makes one pass over the text with one cursor. Nothing outside of
 * strings and comments may be other than ASCII, so counting the continuation
 * bytes that strings skip is all it takes to know the column of the cursor.
 * Decoded text never grows, so one copy of the input in the arena has room
 * for every decoded string at the very offset where it was written; whatever
 * follows a token is a delimiter, and its place takes a NUL.
 *
 *     text   n a m e   =   " a \ n b " \n         read, never changed
 *     copy   n a m e 0 =   " a ⏎ b 0 " \n         keys and strings point here
 */
#ifndef CANDO_TOML_IMPL_H
#define CANDO_TOML_IMPL_H

#include "toml.h"

/* How a table came to be, in toml.closed: it decides who may still add to it. */
enum toml_origin {
    TABLE_IMPLICIT, /* the `a` of [a.b]: [a] or dotted keys may still define it */
    TABLE_HEADER,   /* [a], [[a]], the document: keys of its own section, headers below */
    TABLE_DOTTED,   /* the `a` of a.b = 1: dotted keys of that section, headers below */
    TABLE_INLINE,   /* { }: complete at its brace */
};

struct toml_reader {
    struct arena *ar;
    const char *start, *end;
    const char *cur;
    const char *line_start;
    uint32_t line;
    uint32_t wide; /* continuation bytes between line_start and cur */
    char *copy;    /* of the whole text, see above */
    struct toml *root;
    struct toml *table; /* of the last header */

    /* Room for lists whose length is not known yet, used again and again; a
     * list moves to an array of its own size when it is complete. */
    struct toml_entry *entries; /* of `table`, while it is the owner */
    size_t cap_entries;
    bool entries_lent;
    struct toml **items; /* of the open arrays, the inner ones on top */
    size_t n_items, cap_items;

    enum code code; /* of the first error, with its place and its message */
    struct toml_pos at;
    char *message;
    size_t size;
};

/* One part of a dotted key: decoded, and where it stands. */
struct toml_part {
    struct str key;
    const char *from, *to;
    struct toml_pos at;
};

/* -- toml_error.c ---------------------------------------------------------- */

/* Every error goes through here: the culprit is [from, to) of the text, or the
 * word or character at `from` if that is empty. Gives false, to be returned. */
bool toml_fail(struct toml_reader *r, enum code code, const char *from, const char *to,
               const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool toml_fail_memory(struct toml_reader *r);
/* A control character or a byte that is not UTF-8 at `q`. */
bool toml_fail_char(struct toml_reader *r, const char *q, const char *inside);

#define TOML_WORDS 80
/* What stands at `q`, in words: "the end of the line", "'%'", "\"word\"". */
const char *toml_found(const struct toml_reader *r, const char *q, char out[TOML_WORDS]);
#define TOML_FOUND(r, q) toml_found((r), (q), (char[TOML_WORDS]){0})
/* A key, fit to be printed: cut to length, control characters replaced. */
const char *toml_show(struct str key, char out[TOML_WORDS]);
#define TOML_SHOW(key) toml_show((key), (char[TOML_WORDS]){0})

/* -- toml_string.c --------------------------------------------------------- */

/* A string in any of the four forms; the cursor is at its first quote. */
bool toml_string(struct toml_reader *r, struct str *out);
/* From '#' up to the end of the line, which is not consumed. */
bool toml_comment(struct toml_reader *r);

/* -- toml_scalar.c --------------------------------------------------------- */

/* A number, boolean, date or time; the cursor is at what should be one. */
bool toml_scalar(struct toml_reader *r, struct toml *out);

/* -- toml_table.c ---------------------------------------------------------- */

/* The entry of a key, made (with value NULL) if there was none. NULL: no
 * memory, and the error is set. Valid until the next put into this table. */
struct toml_entry *toml_put(struct toml_reader *r, struct toml *table,
                            const struct toml_part *part);
/* Makes `table` the one that keys go to from now on, or (end) no longer so. */
void toml_section(struct toml_reader *r, struct toml *table);
bool toml_section_end(struct toml_reader *r);

/* -- the cursor ------------------------------------------------------------- */

static inline bool toml_at(const struct toml_reader *r, char c)
{
    return r->cur < r->end && *r->cur == c;
}

static inline uint32_t toml_column(const struct toml_reader *r)
{
    return (uint32_t)(r->cur - r->line_start) - r->wide + 1;
}

static inline struct toml_pos toml_here(const struct toml_reader *r)
{
    return (struct toml_pos){r->line, toml_column(r), 0};
}

/* Steps over LF or CR LF; false if the cursor is at neither. */
static inline bool toml_newline(struct toml_reader *r)
{
    const char *q = r->cur;
    if (q < r->end && *q == '\r')
        q++;
    if (q >= r->end || *q != '\n')
        return false;
    r->cur = r->line_start = q + 1;
    r->line++;
    r->wide = 0;
    return true;
}

/* The place in the copy that belongs to a place in the text. */
static inline char *toml_kept(const struct toml_reader *r, const char *q)
{
    return r->copy + (q - r->start);
}

/* [from, to) of the text as it is, NUL-terminated. */
static inline struct str toml_keep(const struct toml_reader *r, const char *from, const char *to)
{
    *toml_kept(r, to) = '\0';
    return (struct str){toml_kept(r, from), (size_t)(to - from)};
}

/* Characters of bare keys: letters, digits, - and _ */
static inline bool toml_is_bare(char c)
{
    const uint64_t low = UINT64_C(1) << '-' | UINT64_C(0x3ff) << '0';
    const uint64_t high = UINT64_C(0x3ffffff) << ('A' - 64) | UINT64_C(1) << ('_' - 64) |
                          UINT64_C(0x3ffffff) << ('a' - 64);
    unsigned char u = (unsigned char)c;
    return u < 128 && ((u < 64 ? low : high) >> (u & 63) & 1);
}

#endif
