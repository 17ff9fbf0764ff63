#include "put.h"

#include <inttypes.h>

bool count_of(const cando_json *v, uint64_t most, uint64_t otherwise, uint64_t *out)
{
    *out = otherwise;
    if (v->kind == CANDO_JSON_NONE)
        return true;
    struct str s = bytes_str(v->bytes);
    uint64_t n;
    if (v->kind != CANDO_JSON_NUMBER || str_number(s, 15, &n) < s.n)
        return false;
    *out = n;
    return n <= most;
}

bool is_word_of(const char *list, struct str word)
{
    return list && words_have(list, word);
}

void put_string(struct buf *b, struct str s)
{
    size_t from = 0;
    buf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c >= ' ' && c != '"' && c != '\\' && c != 0x7f)
            continue;
        buf_put(b, s.p + from, i - from);
        if (c == '\n')
            buf_putz(b, "\\n");
        else if (c == '"' || c == '\\')
            buf_printf(b, "\\%c", c);
        else
            buf_printf(b, "\\u%04x", c);
        from = i + 1;
    }
    buf_put(b, s.p + from, s.n - from);
    buf_putc(b, '"');
}

void put_json(struct buf *b, const cando_json *v)
{
    struct str s = bytes_str(v->bytes);
    bool inside = false; /* of a string */
    for (size_t i = 0; i < s.n; i++) {
        size_t from = i;
        if (!inside && strchr(" \n\r\t", s.p[i]))
            continue;
        if (inside && s.p[i] == '\\')
            i++;
        else if (s.p[i] == '"')
            inside = !inside;
        buf_put(b, s.p + from, i + 1 - from);
    }
}

void put_comma(struct buf *b)
{
    if (b->n && !strchr("{[", b->p[b->n - 1]))
        buf_putc(b, ',');
}

void put_key(struct buf *b, struct str key)
{
    put_comma(b);
    put_string(b, key);
    buf_putc(b, ':');
}

static void put_object(struct buf *b, const cando_json *v)
{
    cando_json limit = cando_json_get(v, "restricted");
    if (v->n == 1 && limit.kind == CANDO_JSON_OBJECT) {
        struct str why = text_at(&limit, "reason");
        buf_printf(b, "restricted: %.*s", STR_ARG(why));
        return;
    }
    for (struct walk w = walk_of(v); walk_next(&w);) {
        buf_printf(b, "%s%.*s = ", w.i > 1 ? ", " : "", STR_ARG(w.key));
        put_words(b, &w.value);
    }
}

void put_words(struct buf *b, const cando_json *v)
{
    switch (v->kind) {
    case CANDO_JSON_NONE:
    case CANDO_JSON_NULL:
        buf_putz(b, "unknown");
        break;
    case CANDO_JSON_STRING:
        buf_puts(b, text_of(v));
        break;
    case CANDO_JSON_NUMBER:
        put_count(b, v);
        break;
    case CANDO_JSON_BOOL:
        buf_putz(b, is_true(v) ? "yes" : "no");
        break;
    case CANDO_JSON_LIST:
        if (!v->n)
            buf_putz(b, "none");
        for (struct walk w = walk_of(v); walk_next(&w);) {
            buf_putz(b, w.i > 1 ? ", " : "");
            put_words(b, &w.value);
        }
        break;
    case CANDO_JSON_OBJECT:
        put_object(b, v);
        break;
    }
}

void put_count(struct buf *b, const cando_json *v)
{
    uint64_t n;
    struct str s = bytes_str(v->bytes);
    if (!count_of(v, UINT64_MAX, 0, &n)) {
        buf_puts(b, s);
        return;
    }
    for (size_t i = 0; i < s.n; i++) {
        if (i && (s.n - i) % 3 == 0)
            buf_putc(b, ',');
        buf_putc(b, s.p[i]);
    }
}
