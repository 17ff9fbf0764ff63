#include "json.h"

void json_text(struct buf *b, const char *text)
{
    if (!text) {
        buf_putz(b, "null");
        return;
    }
    json_str(b, str_of(text));
}

void json_str(struct buf *b, struct str s)
{
    buf_putc(b, '"');
    for (size_t i = 0; i < s.n;) {
        unsigned char c = (unsigned char)s.p[i];
        unsigned step = utf8_step(s.p + i, s.n - i);
        if (c == '"' || c == '\\')
            buf_printf(b, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            buf_printf(b, "\\u%04x", c);
        else if (!step)
            buf_putc(b, '?');
        else
            buf_put(b, s.p + i, step);
        i += step ? step : 1;
    }
    buf_putc(b, '"');
}

/* -- good JSON, step by step ------------------------------------------------------------------- */

static size_t string_end(struct str s, size_t at)
{
    for (at++; at < s.n && s.p[at] != '"'; at++)
        at += s.p[at] == '\\';
    return at + 1;
}

static size_t value_end(struct str s, size_t at)
{
    size_t depth = 0;
    while (at < s.n) {
        char c = s.p[at];
        if (!depth && (c == ',' || c == '}' || c == ']'))
            break;
        if (c == '"') {
            at = string_end(s, at);
            continue;
        }
        at++;
        if (c == '{' || c == '[')
            depth++;
        if (c == '}' || c == ']')
            depth--;
    }
    return at < s.n ? at : s.n;
}

static size_t skip_to(struct str s, size_t at, char c)
{
    while (at < s.n && s.p[at] != c)
        at++;
    return at;
}

bool object_next(struct str s, size_t *at, struct str *key, struct str *value)
{
    size_t begin = skip_to(s, *at, '"');
    if (begin >= s.n)
        return false;
    size_t end = string_end(s, begin);
    size_t colon = skip_to(s, end, ':');
    if (colon >= s.n)
        return false;
    *key = str_make(s.p + begin + 1, end - begin - 2);
    *at = value_end(s, colon + 1);
    *value = str_make(s.p + colon + 1, *at - colon - 1);
    return true;
}
