/*
 * text_chars.c - a JSON string's text, character by character, however it is spelt.
 */
#include "preflight.h"

static uint32_t hex_digit(unsigned char c)
{
    return c <= '9' ? c - (uint32_t)'0' : (c | 0x20u) - 'a' + 10u;
}

static uint32_t hex4(const unsigned char *p)
{
    return hex_digit(p[0]) << 12 | hex_digit(p[1]) << 8 | hex_digit(p[2]) << 4 | hex_digit(p[3]);
}

/* The character at `at`, which is no escape here: words of rules have none. */
static uint32_t plain_char(const unsigned char *p, size_t n, size_t *at)
{
    unsigned char c = p[*at];
    if (c < 0x80) {
        ++*at;
        return c;
    }
    unsigned step = utf8_step((const char *)p + *at, n - *at);
    uint32_t cp = step == 2 ? c & 0x1Fu : step == 3 ? c & 0x0Fu : step == 4 ? c & 0x07u : c;
    for (unsigned i = 1; i < step; i++)
        cp = cp << 6 | (p[*at + i] & 0x3Fu);
    *at += step ? step : 1;
    return cp;
}

uint32_t scan_char(const unsigned char *p, size_t n, size_t *at)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    if (p[*at] != '\\' || n - *at < 2)
        return plain_char(p, n, at);
    unsigned char c = p[*at + 1];
    if (c != 'u' || n - *at < 6) {
        *at += 2;
        const char *q = c ? strchr(from, c) : NULL;
        return q ? (unsigned char)to[q - from] : c;
    }
    uint32_t cp = hex4(p + *at + 2);
    *at += 6;
    if (cp >= 0xD800 && cp < 0xDC00 && n - *at >= 6) {
        cp = 0x10000 + ((cp - 0xD800) << 10) + (hex4(p + *at + 2) - 0xDC00);
        *at += 6;
    }
    return cp;
}

size_t scan_length(const unsigned char *p, size_t n)
{
    size_t count = 0;
    for (size_t at = 0; at < n; count++)
        scan_char(p, n, &at);
    return count;
}

/* Does the text begin with `word`, and is it that word if `whole`, escapes undone? */
static bool decoded_is(const unsigned char *p, size_t n, struct str word, bool whole)
{
    size_t a = 0, b;
    while (a < n && a < word.n && p[a] == (unsigned char)word.p[a] && p[a] < 0x80 && p[a] != '\\')
        a++;
    b = a;
    while (a < n && b < word.n)
        if (scan_char(p, n, &a) != plain_char((const unsigned char *)word.p, word.n, &b))
            return false;
    return b == word.n && (!whole || a == n);
}

bool scan_text_is(const unsigned char *p, size_t n, struct str word)
{
    return decoded_is(p, n, word, true);
}

bool scan_text_begins(const unsigned char *p, size_t n, struct str word)
{
    return decoded_is(p, n, word, false);
}

/* Without escapes in the text its bytes are the word's; with them it begins with its first byte, or
 * with an escape. */
bool scan_text_has(const unsigned char *p, size_t n, struct str word)
{
    if (n < word.n)
        return false; /* an escape is longer than what it stands for */
    if (!memchr(p, '\\', n))
        return str_find(str_make((const char *)p, n), word) != SIZE_MAX;
    for (size_t at = 0; at < n;) {
        bool escape = p[at] == '\\';
        if ((escape || p[at] == (unsigned char)word.p[0]) &&
            decoded_is(p + at, n - at, word, false))
            return true;
        if (escape)
            scan_char(p, n, &at);
        else
            at++;
    }
    return false;
}
