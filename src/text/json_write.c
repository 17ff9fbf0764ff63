/*
 * json_write.c - JSON out: a streaming writer into a buffer.
 *
 * The caller says what comes next and the writer puts the commas, the line
 * ends and the escapes. It keeps one bit a level, "something stands before",
 * so it needs no memory of its own. What cannot be written (a level beyond
 * JSON_WRITER_DEPTH, an end without a start) marks the buffer as failed, like
 * a buffer that is full: there is one thing to check, at the end.
 *
 * The output is always valid UTF-8. Each byte of an input that belongs to no
 * character becomes U+FFFD; control characters become escapes; all else
 * stands as it is.
 */
#include "json.h"

#include "base/limits.h"

#include <stdio.h>

void jw_init(struct json_writer *w, struct buf *out, bool pretty)
{
    *w = (struct json_writer){.out = out, .pretty = pretty};
}

static void put_line(struct buf *out, size_t level)
{
    buf_putc(out, '\n');
    while (level--)
        buf_put(out, "  ", 2);
}

/* What stands between the value or key that comes and the one before it. */
static void put_before(struct json_writer *w)
{
    if (w->after_key) {
        w->after_key = false;
        return;
    }
    if (w->depth == 0)
        return;
    if (w->more[w->depth - 1])
        buf_putc(w->out, ',');
    w->more[w->depth - 1] = true;
    if (w->pretty)
        put_line(w->out, w->depth);
}

static void put_open(struct json_writer *w, char bracket)
{
    put_before(w);
    if (w->depth == JSON_WRITER_DEPTH) {
        w->out->failed = true;
        return;
    }
    buf_putc(w->out, bracket);
    w->more[w->depth++] = false;
}

static void put_close(struct json_writer *w, char bracket)
{
    if (w->depth == 0 || w->after_key) {
        w->out->failed = true;
        return;
    }
    bool some = w->more[--w->depth];
    if (some && w->pretty)
        put_line(w->out, w->depth);
    buf_putc(w->out, bracket);
}

void jw_object(struct json_writer *w)
{
    put_open(w, '{');
}

void jw_object_end(struct json_writer *w)
{
    put_close(w, '}');
}

void jw_array(struct json_writer *w)
{
    put_open(w, '[');
}

void jw_array_end(struct json_writer *w)
{
    put_close(w, ']');
}

/* -- strings -------------------------------------------------------------------- */

static void put_escape(struct buf *out, unsigned char c)
{
    static const char named[] = "\"\\\b\f\n\r\t", letter[] = "\"\\bfnrt";
    const char *q = c ? strchr(named, c) : NULL;
    char text[8] = {'\\', 0};
    if (q) {
        text[1] = letter[q - named];
        buf_put(out, text, 2);
    } else {
        snprintf(text, sizeof text, "\\u%04x", (unsigned)c);
        buf_put(out, text, 6);
    }
}

static void put_string(struct buf *out, struct str s)
{
    size_t i = 0;
    buf_putc(out, '"');
    while (i < s.n) {
        size_t from = i;
        unsigned step = 1;
        while (i < s.n) {
            unsigned char c = (unsigned char)s.p[i];
            if (c < 0x20 || c == '"' || c == '\\')
                break;
            step = c < 0x80 ? 1 : utf8_step(s.p + i, s.n - i);
            if (step == 0)
                break;
            i += step;
        }
        buf_put(out, s.p + from, i - from);
        if (i == s.n)
            break;
        if (step == 0)
            buf_put(out, "\xEF\xBF\xBD", 3);
        else
            put_escape(out, (unsigned char)s.p[i]);
        i++;
    }
    buf_putc(out, '"');
}

void jw_key(struct json_writer *w, struct str key)
{
    if (w->depth == 0 || w->after_key)
        w->out->failed = true;
    put_before(w);
    put_string(w->out, key);
    if (w->pretty)
        buf_put(w->out, ": ", 2);
    else
        buf_putc(w->out, ':');
    w->after_key = true;
}

void jw_key_plain(struct json_writer *w, struct str key)
{
    jw_key(w, key);
}

void jw_keyz(struct json_writer *w, const char *key)
{
    jw_key(w, str_of(key));
}

void jw_str(struct json_writer *w, struct str s)
{
    put_before(w);
    put_string(w->out, s);
}

void jw_strz(struct json_writer *w, const char *z)
{
    if (z)
        jw_str(w, str_of(z));
    else
        jw_null(w);
}

/* -- other scalars --------------------------------------------------------------- */

void jw_uint(struct json_writer *w, uint64_t v)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%ju", (uintmax_t)v);
    jw_raw(w, str_make(text, (size_t)n));
}

void jw_int(struct json_writer *w, int64_t v)
{
    char text[24];
    int n = snprintf(text, sizeof text, "%jd", (intmax_t)v);
    jw_raw(w, str_make(text, (size_t)n));
}

void jw_bool(struct json_writer *w, bool v)
{
    jw_raw(w, v ? STR("true") : STR("false"));
}

void jw_null(struct json_writer *w)
{
    jw_raw(w, STR("null"));
}

void jw_raw(struct json_writer *w, struct str json)
{
    put_before(w);
    buf_puts(w->out, json);
}

/* -- parsed values ---------------------------------------------------------------- */

/* A scalar, or the opening bracket of a container that has something in it. */
static void put_head(struct buf *out, const struct json *v)
{
    switch (v->kind) {
    case JSON_NULL:
        buf_put(out, "null", 4);
        break;
    case JSON_FALSE:
        buf_put(out, "false", 5);
        break;
    case JSON_TRUE:
        buf_put(out, "true", 4);
        break;
    case JSON_NUMBER:
    case JSON_RAW:
        buf_puts(out, v->text);
        break;
    case JSON_STRING:
        put_string(out, v->text);
        break;
    case JSON_ARRAY:
        buf_put(out, "[]", v->n ? 1 : 2);
        break;
    case JSON_OBJECT:
        buf_put(out, "{}", v->n ? 1 : 2);
        break;
    }
}

/* A parsed tree may be deeper than the writer's own levels, so it is walked
 * with a stack of its own height. */
void jw_value(struct json_writer *w, const struct json *v)
{
    struct level {
        const struct json *v;
        size_t i;
    } up[LIMIT_JSON_DEPTH];
    size_t depth = 0;
    struct buf *out = w->out;
    if (!v) {
        jw_null(w);
        return;
    }
    put_before(w);
    put_head(out, v);
    if (v->kind >= JSON_ARRAY && v->n)
        up[depth++] = (struct level){v, 0};
    while (depth && !out->failed) {
        struct level *top = &up[depth - 1];
        bool object = top->v->kind == JSON_OBJECT, end = top->i == top->v->n;
        if (!end && top->i)
            buf_putc(out, ',');
        if (w->pretty)
            put_line(out, w->depth + depth - end);
        if (end) {
            buf_putc(out, object ? '}' : ']');
            depth--;
            continue;
        }
        if (object) {
            put_string(out, top->v->key[top->i].text);
            buf_put(out, ": ", w->pretty ? 2 : 1);
        }
        const struct json *item = &top->v->item[top->i++];
        put_head(out, item);
        if (item->kind < JSON_ARRAY || !item->n)
            continue;
        if (depth == LIMIT_JSON_DEPTH)
            out->failed = true; /* no parsed value */
        else
            up[depth++] = (struct level){item, 0};
    }
}
