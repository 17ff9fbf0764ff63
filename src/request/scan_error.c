/*
 * scan_error.c - says where a text that is not JSON goes wrong, and how.
 *
 * The fast scan knows only that something is wrong somewhere. This reader goes
 * a byte at a time, keeps no more than a bit for each open bracket, and stops
 * at the first fault in the order of the text. It is run when there is one.
 */
#include "scan.h"

#include <stdio.h>

struct slow {
    const unsigned char *p;
    size_t n, at;
    size_t depth;
    uint64_t objects[LIMIT_JSON_DEPTH / 64]; /* a bit a level: an object, not an array */
    enum code code;
    size_t wrong;
    char *message;
    size_t size;
};

static bool wrong(struct slow *r, enum code code, size_t at, const char *message)
{
    r->code = code;
    r->wrong = at;
    snprintf(r->message, r->size, "%s", message);
    return false;
}

static bool expected(struct slow *r, const char *what)
{
    char text[160];
    if (r->at >= r->n)
        snprintf(text, sizeof text, "expected %s, found the end of the text", what);
    else if (r->p[r->at] > 0x20 && r->p[r->at] < 0x7F)
        snprintf(text, sizeof text, "expected %s, found '%c'", what, r->p[r->at]);
    else
        snprintf(text, sizeof text, "expected %s, found the byte 0x%02x", what, r->p[r->at]);
    return wrong(r, CODE_json_syntax, r->at, text);
}

static unsigned char here(const struct slow *r)
{
    return r->at < r->n ? r->p[r->at] : 0;
}

static void space(struct slow *r)
{
    while (r->at < r->n && (r->p[r->at] == ' ' || r->p[r->at] == '\n' || r->p[r->at] == '\r' ||
                            r->p[r->at] == '\t'))
        r->at++;
}

static bool string(struct slow *r)
{
    size_t open = r->at++;
    struct scan_index x = {.p = r->p, .n = r->n, .low_half = SIZE_MAX};
    while (r->at < r->n && r->p[r->at] != '"') {
        unsigned char c = r->p[r->at];
        if (c < 0x20)
            return wrong(r, CODE_json_syntax, r->at,
                         "a control character in a string is written as an escape");
        if (c == '\\') {
            if (!scan_escape(&x, r->at))
                return wrong(r, CODE_json_syntax, r->at,
                             "expected an escape: one of \" \\ / b f n r t, or u with four "
                             "hexadecimal digits, surrogates in pairs");
            r->at += 2;
            continue;
        }
        unsigned step = utf8_step((const char *)r->p + r->at, r->n - r->at);
        if (step == 0)
            return wrong(r, CODE_json_syntax, r->at, "expected UTF-8 in a string");
        r->at += step;
    }
    if (r->at >= r->n)
        return wrong(r, CODE_json_syntax, open, "the string is not closed");
    r->at++;
    return true;
}

static bool digits(struct slow *r, const char *what)
{
    if (here(r) < '0' || here(r) > '9')
        return expected(r, what);
    while (here(r) >= '0' && here(r) <= '9')
        r->at++;
    return true;
}

static bool number(struct slow *r)
{
    size_t from = r->at + (here(r) == '-');
    r->at = from;
    if (!digits(r, "a digit"))
        return false;
    if (r->p[from] == '0' && r->at > from + 1)
        return wrong(r, CODE_json_syntax, from, "expected a number without a leading zero");
    if (here(r) == '.') {
        r->at++;
        if (!digits(r, "a digit after '.'"))
            return false;
    }
    if (here(r) == 'e' || here(r) == 'E') {
        r->at++;
        if (here(r) == '+' || here(r) == '-')
            r->at++;
        return digits(r, "a digit in the exponent");
    }
    return true;
}

static bool word(struct slow *r)
{
    static const char *const words[] = {"true", "false", "null"};
    for (unsigned i = 0; i < 3; i++) {
        size_t n = strlen(words[i]);
        if (r->n - r->at < n || memcmp(r->p + r->at, words[i], n) != 0)
            continue;
        if (r->n - r->at > n &&
            (char_is_alpha((char)r->p[r->at + n]) || char_is_digit((char)r->p[r->at + n])))
            break;
        r->at += n;
        return true;
    }
    return expected(r, "a value");
}

static bool in_object(const struct slow *r)
{
    return r->objects[(r->depth - 1) / 64] >> ((r->depth - 1) % 64) & 1;
}

static bool open_bracket(struct slow *r)
{
    if (r->depth == LIMIT_JSON_DEPTH) {
        char text[80];
        snprintf(text, sizeof text, "arrays and objects are nested deeper than %u levels",
                 LIMIT_JSON_DEPTH);
        return wrong(r, CODE_json_depth, r->at, text);
    }
    uint64_t bit = UINT64_C(1) << (r->depth % 64);
    uint64_t *w = &r->objects[r->depth / 64];
    *w = r->p[r->at] == '{' ? *w | bit : *w & ~bit;
    r->depth++;
    r->at++;
    return true;
}

static bool key(struct slow *r)
{
    space(r);
    if (here(r) != '"')
        return expected(r, "a key in double quotes");
    if (!string(r))
        return false;
    space(r);
    if (here(r) != ':')
        return expected(r, "':' after the key");
    r->at++;
    return true;
}

/* A scalar, or an opening bracket with what must stand behind it. `*whole`: the
 * value is finished. */
static bool value(struct slow *r, bool *whole)
{
    space(r);
    *whole = true;
    unsigned char c = here(r);
    if (c == '"')
        return string(r);
    if (c == '-' || (c >= '0' && c <= '9'))
        return number(r);
    if (c != '{' && c != '[')
        return word(r);
    if (!open_bracket(r))
        return false;
    space(r);
    if (here(r) == (c == '{' ? '}' : ']')) {
        r->at++;
        r->depth--;
        return true;
    }
    *whole = false;
    return c == '[' || key(r);
}

static bool text(struct slow *r)
{
    bool whole;
    if (r->n >= 3 && memcmp(r->p, "\xEF\xBB\xBF", 3) == 0)
        return wrong(r, CODE_json_syntax, 0, "a byte order mark: a JSON text begins without one");
    for (;;) {
        if (!value(r, &whole))
            return false;
        while (whole) {
            space(r);
            if (r->depth == 0)
                return r->at == r->n ? true : expected(r, "the end of the text");
            bool object = in_object(r);
            if (here(r) == (object ? '}' : ']')) {
                r->at++;
                r->depth--;
                continue;
            }
            if (here(r) != ',')
                return expected(r, object ? "',' or '}'" : "',' or ']'");
            r->at++;
            if (object && !key(r))
                return false;
            break;
        }
    }
}

enum code scan_error(struct str s, size_t *at, char *message, size_t size)
{
    struct slow r = {
        .p = (const unsigned char *)(s.n ? s.p : ""), .n = s.n, .message = message, .size = size};
    if (s.n > LIMIT_JSON_BYTES)
        wrong(&r, CODE_json_size, 0, "the text is over the size limit");
    else if (text(&r))
        wrong(&r, CODE_internal, 0, "two readers of JSON disagree");
    *at = r.wrong;
    return r.code;
}
