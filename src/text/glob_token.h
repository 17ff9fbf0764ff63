/*
 * glob_token.h - one step of a compiled glob (inside of text/ only).
 *
 * The matcher and the proofs about programs read them through this one
 * function, so that both agree on what a character is: a well-formed UTF-8
 * sequence, or else a single byte. A program that is cut or malformed gives
 * GLOB_T_BROKEN, which matches nothing, and is never read past its end.
 */
#ifndef CANDO_GLOB_TOKEN_H
#define CANDO_GLOB_TOKEN_H

#include "glob.h"

enum glob_kind { GLOB_T_END, GLOB_T_RUN, GLOB_T_ONE, GLOB_T_CLASS, GLOB_T_CHAR, GLOB_T_BROKEN };

struct glob_token {
    enum glob_kind kind;
    const char *p; /* CHAR: its bytes. CLASS: bitmap and flag */
    unsigned n;    /* CHAR: how many bytes */
    size_t size;   /* of the step in the program */
};

/* Length of the character at s.p[at]; at < s.n. */
static inline unsigned glob_char_size(struct str s, size_t at)
{
    if ((unsigned char)s.p[at] < 0x80)
        return 1;
    unsigned step = utf8_step(s.p + at, s.n - at);
    return step ? step : 1;
}

static inline bool glob_class_has(const char *class_bytes, unsigned char c)
{
    if (c >= 0x80)
        return class_bytes[16] != 0;
    return (unsigned char)class_bytes[c >> 3] >> (c & 7) & 1;
}

static inline struct glob_token glob_token_at(struct str program, size_t at)
{
    struct glob_token t = {GLOB_T_END, NULL, 0, 0};
    if (at >= program.n)
        return t;
    size_t left = program.n - at;
    switch ((unsigned char)program.p[at]) {
    case GLOB_ANY_RUN:
        return (struct glob_token){GLOB_T_RUN, NULL, 0, 1};
    case GLOB_ANY_ONE:
        return (struct glob_token){GLOB_T_ONE, NULL, 0, 1};
    case GLOB_CLASS:
        if (left < GLOB_CLASS_BYTES || (unsigned char)program.p[at + GLOB_CLASS_BYTES - 1] > 1)
            return (struct glob_token){GLOB_T_BROKEN, NULL, 0, left};
        return (struct glob_token){GLOB_T_CLASS, program.p + at + 1, 0, GLOB_CLASS_BYTES};
    case GLOB_QUOTE:
        if (left < 2 || program.p[at + 1] < GLOB_ANY_RUN || program.p[at + 1] > GLOB_QUOTE)
            return (struct glob_token){GLOB_T_BROKEN, NULL, 0, left};
        return (struct glob_token){GLOB_T_CHAR, program.p + at + 1, 1, 2};
    default:
        t.kind = GLOB_T_CHAR;
        t.p = program.p + at;
        t.n = glob_char_size(program, at);
        t.size = t.n;
        return t;
    }
}

#endif
