/*
 * json_string.c - JSON strings: the one place where escapes are decoded.
 *
 * Plain text is copied a stride at a time while it is looked at. What stops the
 * stride is the quote at the end in nearly all strings; an escape, a longer
 * character or a mistake is rare enough to be dealt with one by one.
 */
#include "json_impl.h"
#include "json_scan.h"

_Static_assert(STRIDE <= JSON_SLACK, "a stride is stored behind the text");

/* The value of a hexadecimal digit, or more than 15. */
static inline uint32_t hex_digit(char c)
{
    if (char_is_digit(c))
        return (uint32_t)(c - '0');
    c = char_fold(c);
    return c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10) : 16;
}

/* Four hexadecimal digits, or more than 0xFFFF. */
static inline uint32_t hex4(const char *p)
{
    uint32_t a = hex_digit(p[0]), b = hex_digit(p[1]), c = hex_digit(p[2]), d = hex_digit(p[3]);
    return (a | b | c | d) > 15 ? UINT32_MAX : a << 12 | b << 8 | c << 4 | d;
}

/* The escape at p, of which a whole character becomes *out. Returns what is
 * behind it, or NULL if it is none. */
static const char *read_escape(const char *p, const char *end, char **out)
{
    static const char plain[128] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    if (end - p < 2)
        return NULL;
    unsigned char c = (unsigned char)p[1];
    if (c < 128 && plain[c]) {
        *(*out)++ = plain[c];
        return p + 2;
    }
    if (c != 'u' || end - p < 6)
        return NULL;
    uint32_t cp = hex4(p + 2);
    if (cp > 0xFFFF || (cp >= 0xDC00 && cp < 0xE000))
        return NULL;
    p += 6;
    if (cp >= 0xD800 && cp < 0xDC00) {
        if (end - p < 6 || p[0] != '\\' || p[1] != 'u')
            return NULL;
        uint32_t low = hex4(p + 2);
        if (low < 0xDC00 || low >= 0xE000)
            return NULL;
        cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
        p += 6;
    }
    *out += utf8_put(cp, *out);
    return p;
}

/* Copies plain text and stops at what is not plain, or at the end. */
static inline const char *copy_plain(const char *p, const char *end, char **out)
{
    char *o = *out;
    while (end - p >= STRIDE) {
        stride x = stride_load(p);
        stride_mask special = stride_special(x);
        stride_store(o, x);
        if (special) {
            size_t n = stride_first(special);
            *out = o + n;
            return p + n;
        }
        p += STRIDE;
        o += STRIDE;
    }
    while (p < end && !json_is_special(*p))
        *o++ = *p++;
    *out = o;
    return p;
}

/* Copies characters beyond ASCII as long as there are any; NULL: not UTF-8. */
static const char *copy_characters(const char *p, const char *end, char **out)
{
    while (p < end && (unsigned char)*p >= 0x80) {
        unsigned step = utf8_step(p, (size_t)(end - p));
        if (step == 0)
            return NULL;
        memcpy(*out, p, step);
        p += step;
        *out += step;
    }
    return p;
}

const char *json_read_string(const char *p, const char *end, char **out)
{
    for (;;) {
        p = copy_plain(p, end, out);
        if (p == end)
            return NULL;
        if (*p == '"') {
            *(*out)++ = '\0';
            return p + 1;
        }
        if (*p == '\\')
            p = read_escape(p, end, out);
        else if ((unsigned char)*p >= 0x80)
            p = copy_characters(p, end, out);
        else
            return NULL;
        if (!p)
            return NULL;
    }
}

const char *json_step_string(const char *p, const char *end, bool *escaped)
{
    char nobody[4];
    for (;;) {
        stride_mask special = 0;
        while (end - p >= STRIDE && !(special = stride_special(stride_load(p))))
            p += STRIDE;
        if (special)
            p += stride_first(special);
        else
            while (p < end && !json_is_special(*p))
                p++;
        if (p == end)
            return NULL;
        if (*p == '"')
            return p + 1;
        if (*p == '\\') {
            char *out = nobody;
            *escaped = true;
            p = read_escape(p, end, &out);
        } else {
            unsigned step = (unsigned char)*p >= 0x80 ? utf8_step(p, (size_t)(end - p)) : 0;
            p = step ? p + step : NULL;
        }
        if (!p)
            return NULL;
    }
}

/* Bytes are moved between escapes only: text and result may be one. */
size_t json_unescape(struct str escaped, char *out)
{
    char *o = out;
    while (escaped.n) {
        size_t n = str_find_char(escaped, '\\');
        memmove(o, escaped.p, n);
        o += n;
        escaped = str_from(escaped, n);
        if (escaped.n == 0)
            break;
        const char *behind = read_escape(escaped.p, escaped.p + escaped.n, &o);
        if (!behind) { /* no valid string: as it is */
            *o++ = '\\';
            behind = escaped.p + 1;
        }
        escaped = str_from(escaped, (size_t)(behind - escaped.p));
    }
    return (size_t)(o - out);
}
