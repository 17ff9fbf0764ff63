/*
 * json_impl.h - what the files of the JSON reader share.
 *
 *     json.c         the reader: quick, and silent about what is wrong
 *     json_string.c  strings and their escapes
 *     json_keys.c    equal keys
 *     json_error.c   looks at a bad place again and finds the words
 *     json_keep.c    the reader that leaves some members as they are
 *     json_pick.c    the reader that leaves out what nobody wants
 */
#ifndef CANDO_JSON_IMPL_H
#define CANDO_JSON_IMPL_H

#include "json.h"

/* A piece of a text that is read on its own; places are those in the text. */
struct json_piece {
    struct arena *ar;
    const char *start; /* of the text */
    const char *p;     /* where the piece begins */
    const char *end;   /* where it ends */
    unsigned outer;    /* containers around it, for the limit of the depth */
    struct json_error *err;
    json_keep_fn *keep; /* NULL, or the piece is an object and this is asked */
    void *ctx;
};

/* The one value that is all there is in the piece. Where members are kept, a piece
 * that is refused may have left the error as it was. */
bool json_read(const struct json_piece *piece, struct json *v);

/* Behind the value that begins at p; NULL if there is none or it has no end. */
const char *json_step_value(const char *p, const char *end);

/* Decoded text is written a stride at a time, so there are this many bytes of
 * room behind it; they may be read, too. */
#define JSON_SLACK 16

/* Decodes a string. p is behind the opening quote; returns what is behind the
 * closing one, or NULL if the string is bad. *out moves behind the decoded text
 * and its NUL, which together are never longer than the string in its quotes. */
const char *json_read_string(const char *p, const char *end, char **out);

/* The same without writing it; *escaped becomes true if there is an escape. */
const char *json_step_string(const char *p, const char *end, bool *escaped);

/* Gives the first key, in the order of the text, that equals one before it, or
 * NULL. The bytes behind a key's text may be read, see JSON_SLACK. False: no
 * memory to find out. */
bool json_repeated(struct arena *ar, const struct json_key *key, size_t n,
                   const struct json_key **found);

/* All of these fill the error and are false. */
__attribute__((format(printf, 4, 5))) bool json_fail(const struct json_piece *piece, enum code code,
                                                     const char *at, const char *fmt, ...);
bool json_fail_memory(const struct json_piece *piece, const char *at);
bool json_fail_key(const struct json_piece *piece, const struct json_key *second);
/* "expected <what>, found <what stands at `at`>" */
bool json_expected(const struct json_piece *piece, const char *at, const char *what);
/* What is wrong with the string whose quote is at `open`, with the number at `at`. */
bool json_bad_string(const struct json_piece *piece, const char *open);
bool json_bad_number(const struct json_piece *piece, const char *at);

/* -- numbers -- */

static inline const char *json_step_digits(const char *p, const char *end)
{
    while (p < end && char_is_digit(*p))
        p++;
    return p;
}

/* Behind the number at p, or NULL. */
static inline const char *json_step_number(const char *p, const char *end)
{
    p += *p == '-';
    const char *digits = p;
    p = json_step_digits(p, end);
    if (p == digits || (*digits == '0' && p - digits > 1))
        return NULL;
    if (p < end && *p == '.') {
        digits = ++p;
        p = json_step_digits(p, end);
        if (p == digits)
            return NULL;
    }
    if (p < end && (*p == 'e' || *p == 'E')) {
        p++;
        p += p < end && (*p == '+' || *p == '-');
        digits = p;
        p = json_step_digits(p, end);
        if (p == digits)
            return NULL;
    }
    return p;
}

static inline bool json_is_word(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_';
}

#endif
