/*
 * toml_error.c - the place and the words of an error in a TOML text.
 *
 * The first error ends the reading, so its place may cost a walk over the
 * text: line, column and width are counted here, from the bytes alone, and
 * no other code has to carry places around just in case. What a message
 * quotes from the text is cut and cleaned, for the text is not trusted and
 * the message may end on a terminal.
 */
#include "toml_impl.h"

#include <stdarg.h>
#include <stdio.h>

#define QUOTED_BYTES 48 /* of a key or a word in a message */

/* Where `from` stands, and how far `to` is from it on the same line. An empty
 * range stands for the word or the character there, as in toml_found. */
static struct toml_pos place_of(const struct toml_reader *r, const char *from, const char *to)
{
    struct toml_pos at = {1, 1, 1};
    const char *line = r->start, *q;
    while (line < from && (q = memchr(line, '\n', (size_t)(from - line)))) {
        line = q + 1;
        at.line++;
    }
    at.column = (uint32_t)str_utf8_len(str_make(line, (size_t)(from - line))) + 1;
    if (to == from)
        while (to < r->end && to - from < QUOTED_BYTES && toml_is_bare(*to))
            to++;
    struct str culprit = str_make(from, (size_t)(to - from));
    culprit = str_head(culprit, str_find_char(culprit, '\n'));
    if (culprit.n && culprit.p[culprit.n - 1] == '\r')
        culprit.n--;
    uint32_t width = (uint32_t)str_utf8_len(culprit);
    at.width = width ? width : 1;
    return at;
}

bool toml_fail(struct toml_reader *r, enum code code, const char *from, const char *to,
               const char *fmt, ...)
{
    r->code = code;
    r->at = place_of(r, from, to);
    if (!r->size)
        return false;
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(r->message, r->size, fmt, ap);
    va_end(ap);
    if (n < 0)
        r->message[0] = '\0';
    else if ((size_t)n >= r->size)
        r->message[utf8_check(str_of(r->message))] = '\0'; /* a cut character at the end */
    return false;
}

bool toml_fail_memory(struct toml_reader *r)
{
    return toml_fail(r, CODE_memory, r->cur, r->cur, "out of memory");
}

bool toml_fail_char(struct toml_reader *r, const char *q, const char *inside)
{
    unsigned char c = (unsigned char)*q;
    if (c >= 0x80)
        return toml_fail(r, CODE_toml_syntax, q, q, "byte 0x%02X in %s is not valid UTF-8", c,
                         inside);
    if (c == '\r')
        return toml_fail(r, CODE_toml_syntax, q, q,
                         "carriage return in %s without a line feed after it", inside);
    return toml_fail(r, CODE_toml_syntax, q, q, "control character U+%04X in %s is not allowed", c,
                     inside);
}

/* The code point of a valid sequence of `n` bytes. */
static unsigned code_point(const char *q, unsigned n)
{
    unsigned cp = (unsigned char)*q;
    if (n > 1)
        cp &= 0x7Fu >> n;
    for (unsigned i = 1; i < n; i++)
        cp = cp << 6 | ((unsigned char)q[i] & 0x3F);
    return cp;
}

/* One character. What is not ASCII gets its number too: it may be invisible,
 * or look like something that it is not. */
static void found_char(const char *q, size_t rest, char out[TOML_WORDS])
{
    unsigned char c = (unsigned char)*q;
    unsigned step = utf8_step(q, rest);
    if (c == ' ' || c == '\t')
        snprintf(out, TOML_WORDS, "a %s", c == ' ' ? "space" : "tab");
    else if (c == '\'')
        snprintf(out, TOML_WORDS, "\"'\"");
    else if (c < 0x20 || c == 0x7f)
        snprintf(out, TOML_WORDS, "control character U+%04X", c);
    else if (!step)
        snprintf(out, TOML_WORDS, "byte 0x%02X, which is not valid UTF-8", c);
    else if (step == 1)
        snprintf(out, TOML_WORDS, "'%c'", c);
    else
        snprintf(out, TOML_WORDS, "'%.*s' (U+%04X)", (int)step, q, code_point(q, step));
}

const char *toml_found(const struct toml_reader *r, const char *q, char out[TOML_WORDS])
{
    size_t rest = (size_t)(r->end - q), n = 0;
    while (n < rest && n < QUOTED_BYTES && toml_is_bare(q[n]))
        n++;
    if (!rest)
        snprintf(out, TOML_WORDS, "the end of the file");
    else if (*q == '\n' || (*q == '\r' && rest > 1 && q[1] == '\n'))
        snprintf(out, TOML_WORDS, "the end of the line");
    else if (*q == '\r')
        snprintf(out, TOML_WORDS, "a carriage return without a line feed");
    else if (n)
        snprintf(out, TOML_WORDS, "\"%.*s%s\"", (int)n, q,
                 n < rest && toml_is_bare(q[n]) ? "..." : "");
    else
        found_char(q, rest, out);
    return out;
}

const char *toml_show(struct str key, char out[TOML_WORDS])
{
    size_t n = key.n < QUOTED_BYTES ? key.n : QUOTED_BYTES;
    while (n < key.n && ((unsigned char)key.p[n] & 0xC0) == 0x80)
        n--;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)key.p[i];
        out[i] = c < 0x20 || c == 0x7f ? '?' : key.p[i];
    }
    snprintf(out + n, TOML_WORDS - n, "%s", n < key.n ? "..." : "");
    return out;
}
