/*
 * json_error.c - the words for a JSON text that is refused.
 *
 * The reader knows that something is wrong with a string or a number and does
 * not keep what it would take to say why. Here the bad piece is read a second
 * time, slowly, up to the byte that is to blame. Lines and columns are counted
 * here as well, and never before.
 */
#include "json_impl.h"

#include <stdarg.h>
#include <stdio.h>

static void locate(const char *start, const char *at, struct json_error *e)
{
    const char *line = start;
    e->at = (size_t)(at - start);
    e->line = 1;
    for (;;) {
        struct str rest = str_make(line, (size_t)(at - line));
        size_t end = str_find_char(rest, '\n');
        if (end == rest.n)
            break;
        line += end + 1;
        e->line++;
    }
    e->column = (uint32_t)str_utf8_len(str_make(line, (size_t)(at - line))) + 1;
}

bool json_fail(const struct json_piece *piece, enum code code, const char *at, const char *fmt, ...)
{
    struct json_error *e = piece->err;
    if (!e)
        return false;
    memset(e, 0, sizeof *e);
    e->code = code;
    locate(piece->start, at, e);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->message, sizeof e->message, fmt, ap);
    va_end(ap);
    return false;
}

bool json_fail_memory(const struct json_piece *piece, const char *at)
{
    return json_fail(piece, CODE_memory, at, "out of memory");
}

bool json_fail_key(const struct json_piece *piece, const struct json_key *second)
{
    char shown[64];
    size_t n = 0;
    for (size_t i = 0; i < second->text.n && n < 40; i++) {
        char c = second->text.p[i];
        shown[n++] = (unsigned char)c < 0x20 || c == 0x7F ? '?' : c;
    }
    while (n && utf8_check(str_make(shown, n)) != n)
        n--; /* a cut character at the end */
    shown[n] = '\0';
    return json_fail(piece, CODE_json_duplicate_key, piece->start + second->at,
                     "expected a new key, found \"%s%s\" for the second time in this object", shown,
                     n < second->text.n ? "..." : "");
}

/* -- what stands there ------------------------------------------------------------- */

static uint32_t code_point(const char *p, unsigned step)
{
    static const unsigned char lead[] = {0, 0x7F, 0x1F, 0x0F, 0x07};
    const unsigned char *u = (const unsigned char *)p;
    uint32_t cp = u[0] & lead[step];
    for (unsigned i = 1; i < step; i++)
        cp = cp << 6 | (u[i] & 0x3Fu);
    return cp;
}

/* What stands at p, for "expected ..., found ...". Always printable ASCII. */
static void describe(const char *p, const char *end, char *out, size_t size)
{
    if (p >= end) {
        snprintf(out, size, "the end of the text");
        return;
    }
    size_t left = (size_t)(end - p);
    unsigned char c = (unsigned char)*p;
    unsigned step = utf8_step(p, left);
    if (json_is_word(*p)) {
        size_t n = 1;
        while (n < left && n < 24 && json_is_word(p[n]))
            n++;
        snprintf(out, size, "'%.*s'%s", (int)n, p, n < left && json_is_word(p[n]) ? "..." : "");
    } else if (c == '/' && left > 1 && (p[1] == '/' || p[1] == '*')) {
        snprintf(out, size, "a comment, which JSON does not have");
    } else if (c == '\'') {
        snprintf(out, size, "a single quote");
    } else if (c == ' ' || c == '\t') {
        snprintf(out, size, "white space");
    } else if (c == '\n' || c == '\r') {
        snprintf(out, size, "the end of the line");
    } else if (c > 0x20 && c < 0x7F) {
        snprintf(out, size, "'%c'", c);
    } else if (step == 0) {
        snprintf(out, size, "the byte 0x%02x, which is not UTF-8", c);
    } else if (code_point(p, step) == 0xFEFF) {
        snprintf(out, size, "a byte order mark");
    } else {
        snprintf(out, size, "the character U+%04X", (unsigned)code_point(p, step));
    }
}

bool json_expected(const struct json_piece *piece, const char *at, const char *what)
{
    char found[64];
    describe(at, piece->end, found, sizeof found);
    return json_fail(piece, CODE_json_syntax, at, "expected %s, found %s", what, found);
}

/* -- strings ------------------------------------------------------------------------- */

/* True and the number, or false and the error is filled. */
static bool hex4(const struct json_piece *piece, const char *p, unsigned *out)
{
    unsigned v = 0;
    for (unsigned i = 0; i < 4; i++) {
        char c = p + i < piece->end ? char_fold(p[i]) : '\0';
        if (char_is_digit(c))
            v = v << 4 | (unsigned)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (unsigned)(c - 'a' + 10);
        else
            return json_expected(piece, p + i < piece->end ? p + i : piece->end,
                                 "four hexadecimal digits after \\u");
    }
    *out = v;
    return true;
}

#define LOW_HALF "its low half (\\udc00 to \\udfff)"

/* Steps over \uXXXX, or over a pair of them, at *p. */
static bool step_unicode(const struct json_piece *piece, const char **p)
{
    const char *at = *p;
    unsigned high, low;
    if (!hex4(piece, at + 2, &high))
        return false;
    *p += 6;
    if (high >= 0xDC00 && high < 0xE000)
        return json_fail(piece, CODE_json_syntax, at,
                         "lone surrogate \\u%04x: a low half without a high half before it", high);
    if (high < 0xD800 || high >= 0xE000)
        return true;
    if (piece->end - *p < 2 || (*p)[0] != '\\' || (*p)[1] != 'u')
        return json_fail(piece, CODE_json_syntax, at,
                         "lone surrogate \\u%04x: expected " LOW_HALF " behind it", high);
    if (!hex4(piece, *p + 2, &low))
        return false;
    if (low < 0xDC00 || low >= 0xE000)
        return json_fail(piece, CODE_json_syntax, at,
                         "lone surrogate \\u%04x: expected " LOW_HALF ", found \\u%04x", high, low);
    *p += 6;
    return true;
}

static bool step_escape(const struct json_piece *piece, const char **p)
{
    if (piece->end - *p < 2)
        return json_expected(piece, piece->end, "an escape after '\\'");
    char c = (*p)[1];
    if (c == 'u')
        return step_unicode(piece, p);
    if (!c || !strchr("\"\\/bfnrt", c))
        return json_expected(piece, *p + 1, "one of \" \\ / b f n r t u after '\\'");
    *p += 2;
    return true;
}

bool json_bad_string(const struct json_piece *piece, const char *open)
{
    const char *p = open + 1;
    while (p < piece->end) {
        unsigned char c = (unsigned char)*p;
        if (c == '\\') {
            if (!step_escape(piece, &p))
                return false;
            continue;
        }
        if (c == '\n' || c == '\r')
            return json_fail(piece, CODE_json_syntax, p,
                             "expected '\"' before the end of the line, a line end in a string is "
                             "written \\%c",
                             c == '\n' ? 'n' : 'r');
        if (c < 0x20)
            return json_fail(piece, CODE_json_syntax, p,
                             "a control character in a string is written as an escape: \\u%04x", c);
        unsigned step = utf8_step(p, (size_t)(piece->end - p));
        if (step == 0)
            return json_fail(piece, CODE_json_syntax, p,
                             "expected UTF-8 in a string, found the byte 0x%02x", c);
        p += step;
    }
    return json_fail(piece, CODE_json_syntax, open,
                     "the string is not closed: expected '\"', found the end of the text");
}

/* -- numbers -------------------------------------------------------------------------- */

bool json_bad_number(const struct json_piece *piece, const char *at)
{
    const char *p = at + (*at == '-'), *end = piece->end;
    if (p == end || !char_is_digit(*p))
        return json_expected(piece, p, "a digit after '-'");
    if (*p == '0' && end - p > 1 && char_is_digit(p[1]))
        return json_fail(piece, CODE_json_syntax, p, "expected a number without a leading zero");
    while (p < end && char_is_digit(*p))
        p++;
    if (p < end && *p == '.') {
        p++;
        if (p == end || !char_is_digit(*p))
            return json_expected(piece, p, "a digit after '.'");
        while (p < end && char_is_digit(*p))
            p++;
    }
    p++; /* the letter of the exponent: all before it was right */
    p += p < end && (*p == '+' || *p == '-');
    return json_expected(piece, p, "a digit in the exponent");
}
