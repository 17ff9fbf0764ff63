/*
 * toml_string.c - the strings of TOML in their four forms, and comments.
 *
 *     "basic"   'literal'   """basic, lines"""   '''literal, lines'''
 *
 * A string is decoded into the reader's copy of the text, at its own offset;
 * where nothing had to be decoded, nothing is written. CR LF inside of a
 * string becomes LF, so that a file means the same however it was checked
 * out. Plain text is passed over eight bytes at a time.
 */
#include "toml_impl.h"

#define ONES UINT64_C(0x0101010101010101)

/* Is any byte of the word `c`? */
static inline uint64_t word_has(uint64_t word, char c)
{
    word ^= ONES * (unsigned char)c;
    return (word - ONES) & ~word & ONES << 7;
}

/* The end of the printable ASCII that begins at q, or its first `a` or `b`. */
static const char *skip_plain(const char *q, const char *end, char a, char b)
{
    while (end - q >= 8) {
        uint64_t word;
        memcpy(&word, q, 8);
        uint64_t control = (word - ONES * 0x20) & ~word & ONES << 7;
        if (control | (word & ONES << 7) | word_has(word, a) | word_has(word, b) |
            word_has(word, 0x7f))
            break;
        q += 8;
    }
    while (q < end && (unsigned char)*q >= 0x20 && (unsigned char)*q < 0x7f && *q != a && *q != b)
        q++;
    return q;
}

/* Moves the cursor over all that may stand in a string or a comment as it is,
 * up to `a`, `b`, another control character than tab, or the end. */
static bool pass_text(struct toml_reader *r, char a, char b, const char *inside)
{
    for (;;) {
        r->cur = skip_plain(r->cur, r->end, a, b);
        if (r->cur == r->end)
            return true;
        if (*r->cur == '\t') {
            r->cur++;
        } else if ((unsigned char)*r->cur >= 0x80) {
            unsigned step = utf8_step(r->cur, (size_t)(r->end - r->cur));
            if (!step)
                return toml_fail_char(r, r->cur, inside);
            r->cur += step;
            r->wide += step - 1;
        } else {
            return true;
        }
    }
}

bool toml_comment(struct toml_reader *r)
{
    if (!pass_text(r, '\n', '\n', "a comment"))
        return false;
    bool at_end = r->cur == r->end || *r->cur == '\n' ||
                  (*r->cur == '\r' && r->cur + 1 < r->end && r->cur[1] == '\n');
    return at_end || toml_fail_char(r, r->cur, "a comment");
}

/* pass_text for a string, and the text goes to *to. */
static bool take_text(struct toml_reader *r, char quote, char **to)
{
    const char *from = r->cur;
    if (!pass_text(r, quote, quote == '"' ? '\\' : quote, "a string"))
        return false;
    size_t n = (size_t)(r->cur - from);
    if (*to != toml_kept(r, from))
        memcpy(*to, from, n); /* from the text: the copy may be overwritten already */
    *to += n;
    return true;
}

/* \uXXXX or \UXXXXXXXX, `digits` being 4 or 8. */
static bool take_code_point(struct toml_reader *r, unsigned digits, char **to)
{
    const char *from = r->cur, *q = from + 2;
    uint32_t cp = 0;
    for (unsigned i = 0; i < digits; i++, q++) {
        char c = q < r->end ? char_fold(*q) : '\0';
        if (char_is_digit(c))
            cp = cp << 4 | (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            cp = cp << 4 | (uint32_t)(c - 'a' + 10);
        else
            return toml_fail(r, CODE_toml_syntax, from, q,
                             "expected %u hexadecimal digits after '\\%c', found %s", digits,
                             from[1], TOML_FOUND(r, q));
    }
    char bytes[4];
    unsigned n = utf8_put(cp, bytes);
    if (!n)
        return toml_fail(r, CODE_toml_syntax, from, q, "U+%04X is not a Unicode character%s",
                         (unsigned)cp, cp < 0x10000 ? ", but half of a surrogate pair" : "");
    memcpy(*to, bytes, n);
    *to += n;
    r->cur = q;
    return true;
}

static bool take_escape(struct toml_reader *r, char **to)
{
    static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
    const char *q = r->cur + 1;
    char c = q < r->end ? *q : '\0';
    if (c == 'u' || c == 'U')
        return take_code_point(r, c == 'u' ? 4 : 8, to);
    const char *name = c ? strchr(names, c) : NULL;
    if (!name)
        return toml_fail(
            r, CODE_toml_syntax, r->cur, q < r->end ? q + 1 : q,
            "expected \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX or \\UXXXXXXXX after '\\', "
            "found %s (write \\\\ for a backslash)",
            TOML_FOUND(r, q));
    *(*to)++ = values[name - names];
    r->cur += 2;
    return true;
}

/* A string on one line. */
static bool take_line(struct toml_reader *r, char quote, struct str *out)
{
    const char *open = r->cur++;
    char *first = toml_kept(r, r->cur), *to = first;
    for (;;) {
        if (!take_text(r, quote, &to))
            return false;
        const char *q = r->cur;
        if (q == r->end || *q == '\n' || (*q == '\r' && q + 1 < r->end && q[1] == '\n'))
            return toml_fail(
                r, CODE_toml_syntax, open, q,
                "the string is not closed: expected a closing %c before the end of the line",
                quote);
        if (*q == quote)
            break;
        if (*q != '\\')
            return toml_fail_char(r, q, "a string");
        if (!take_escape(r, &to))
            return false;
    }
    r->cur++;
    *to = '\0';
    *out = str_make(first, (size_t)(to - first));
    return true;
}

/* A backslash at the end of a line takes away all white space up to the next
 * character. False without an error: there is no line end behind it. */
static bool skip_line_end(struct toml_reader *r)
{
    const char *q = r->cur + 1;
    while (q < r->end && (*q == ' ' || *q == '\t'))
        q++;
    const char *back = r->cur;
    r->cur = q;
    if (!toml_newline(r)) {
        r->cur = back;
        return false;
    }
    do {
        while (toml_at(r, ' ') || toml_at(r, '\t'))
            r->cur++;
    } while (toml_newline(r));
    return true;
}

/* The quotes at the cursor: less than three are text, and one or two may
 * stand before the three that close the string. */
static bool take_quotes(struct toml_reader *r, char quote, char **to)
{
    size_t n = 0;
    while (n < 5 && r->cur + n < r->end && r->cur[n] == quote)
        n++;
    size_t text = n < 3 ? n : n - 3;
    memset(*to, quote, text);
    *to += text;
    r->cur += n;
    return n >= 3;
}

/* A string on many lines. */
static bool take_lines(struct toml_reader *r, char quote, struct str *out)
{
    const char *open = r->cur;
    r->cur += 3;
    toml_newline(r);
    char *first = toml_kept(r, r->cur), *to = first;
    for (;;) {
        if (!take_text(r, quote, &to))
            return false;
        if (r->cur == r->end)
            return toml_fail(
                r, CODE_toml_syntax, open, r->cur,
                "the string is not closed: expected a closing %c%c%c before the end of the file",
                quote, quote, quote);
        if (*r->cur == quote) {
            if (take_quotes(r, quote, &to))
                break;
        } else if (toml_newline(r)) {
            *to++ = '\n';
        } else if (*r->cur != '\\') {
            return toml_fail_char(r, r->cur, "a string");
        } else if (!skip_line_end(r) && !take_escape(r, &to)) {
            return false;
        }
    }
    *to = '\0';
    *out = str_make(first, (size_t)(to - first));
    return true;
}

bool toml_string(struct toml_reader *r, struct str *out)
{
    char quote = *r->cur;
    bool lines = r->end - r->cur >= 3 && r->cur[1] == quote && r->cur[2] == quote;
    return lines ? take_lines(r, quote, out) : take_line(r, quote, out);
}
