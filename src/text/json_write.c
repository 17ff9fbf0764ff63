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
#include "json_scan.h"

#include "base/limits.h"

void jw_init(struct json_writer *w, struct buf *out, bool pretty)
{
    *w = (struct json_writer){.out = out, .pretty = pretty};
}

/* -- room --------------------------------------------------------------------------
 *
 * A piece asks once for its bytes and SLACK, writes behind a pointer without any
 * further check, and copies by strides. In the pretty layout, and near the maximum
 * of a buffer, there is no such room: then each part of it is put on its own. */
#define SLACK 32

/* Can n bytes and SLACK be written? */
static inline bool room(struct buf *out, size_t n)
{
    n += SLACK;
    if (n > out->cap - out->n && !buf_try(out, n))
        return false;
    return !out->failed;
}

static inline bool compact_room(struct json_writer *w, size_t n)
{
    return !w->pretty && room(w->out, n);
}

static inline char *writing(struct buf *out)
{
    return out->p + out->n;
}

static inline void wrote(struct buf *out, const char *end)
{
    out->n = (size_t)(end - out->p);
}

/* Copies n bytes into room for them and SLACK. */
static inline char *copy(char *to, const char *p, size_t n)
{
    if (n < 8) {
        word_store(to, str_load_le(p, n));
    } else if (n < 16) {
        uint64_t last = str_le64(p + n - 8);
        word_store(to, str_le64(p));
        word_store(to + n - 8, last);
    } else {
        memcpy(to, p, n);
    }
    return to + n;
}

/* -- between values ---------------------------------------------------------------- */

static void put_line(struct buf *out, size_t level)
{
    buf_putc(out, '\n');
    while (level--)
        buf_put(out, "  ", 2);
}

/* Is there a comma before the value or key that comes? */
static inline bool comma(struct json_writer *w)
{
    bool *more = &w->more[w->depth], yes = *more & !w->after_key;
    *more = w->depth != 0;
    w->after_key = false;
    return yes;
}

/* What stands between the value or key that comes and the one before it. */
static inline char *before(struct json_writer *w, char *to)
{
    *to = ',';
    return to + comma(w);
}

static void put_before(struct json_writer *w)
{
    bool line = w->pretty && w->depth && !w->after_key;
    if (comma(w))
        buf_putc(w->out, ',');
    if (line)
        put_line(w->out, w->depth);
}

static inline void put_open(struct json_writer *w, char bracket)
{
    if (compact_room(w, 2))
        wrote(w->out, before(w, writing(w->out)));
    else
        put_before(w);
    if (w->depth == JSON_WRITER_DEPTH) {
        w->out->failed = true;
        return;
    }
    buf_putc(w->out, bracket);
    w->more[++w->depth] = false;
}

static inline void put_close(struct json_writer *w, char bracket)
{
    if (w->depth == 0 || w->after_key) {
        w->out->failed = true;
        return;
    }
    bool some = w->more[w->depth--];
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
    static const char letter[0x60] = {['"'] = '"',  ['\\'] = '\\', ['\b'] = 'b', ['\f'] = 'f',
                                      ['\n'] = 'n', ['\r'] = 'r',  ['\t'] = 't'};
    static const char digit[] = "0123456789abcdef";
    char text[6] = {'\\', 'u', '0', '0', digit[c >> 4], digit[c & 15]};
    if (letter[c]) {
        text[1] = letter[c];
        buf_put(out, text, 2);
    } else {
        buf_put(out, text, 6);
    }
}

/* Characters that act on a terminal, or turn what follows them around, are escaped as well: C1
 * and the marks of direction. Gives the code point, 0: it is none of these. */
static unsigned acting(const unsigned char *p, unsigned step)
{
    if (step == 2 && p[0] == 0xC2 && p[1] < 0xA0)
        return p[1];
    if (step != 3 || p[0] != 0xE2)
        return 0;
    unsigned cp = 0x2000u | (unsigned)(p[1] & 0x3F) << 6 | (p[2] & 0x3Fu);
    return (cp >= 0x202A && cp <= 0x202E) || (cp >= 0x2066 && cp <= 0x2069) ? cp : 0;
}

/* How many bytes from p on can stand in a string as they are. */
static size_t valid_run(const char *p, size_t n, bool *bad)
{
    size_t i = 0;
    *bad = false;
    while (i < n) {
        if (n - i >= STRIDE) {
            stride_mask special = stride_special(stride_load(p + i));
            i += special ? stride_first(special) : STRIDE;
            if (!special)
                continue;
        }
        unsigned char c = (unsigned char)p[i];
        if (c < 0x20 || c == '"' || c == '\\')
            break;
        unsigned step = utf8_step(p + i, n - i);
        if (step == 0) {
            *bad = true;
            break;
        }
        if (step > 1 && acting((const unsigned char *)p + i, step))
            break;
        i += step;
    }
    return i;
}

/* A string, or the rest of one, without its opening quote. */
__attribute__((noinline)) static void put_special(struct buf *out, const char *p, size_t n)
{
    size_t i = 0;
    while (i < n) {
        bool bad;
        size_t run = valid_run(p + i, n - i, &bad);
        buf_put(out, p + i, run);
        i += run;
        if (i == n)
            break;
        unsigned step = bad ? 0 : utf8_step(p + i, n - i);
        if (bad)
            buf_put(out, "\xEF\xBF\xBD", 3);
        else if (step > 1)
            buf_printf(out, "\\u%04x", acting((const unsigned char *)p + i, step));
        else
            put_escape(out, (unsigned char)p[i]);
        i += step > 1 ? step : 1;
    }
    buf_putc(out, '"');
}

/* Copies plain text of fewer than 16 bytes. Returns how much of it is plain. */
static inline size_t copy_plain_short(char *to, const char *p, size_t n)
{
    const uint64_t spaces = WORD_ONES * ' ';
    if (n < 8) {
        uint64_t x = str_load_le(p, n), special = word_special(x | spaces << 8 * n);
        word_store(to, x);
        return special ? word_first(special) : n;
    }
    uint64_t first = str_le64(p), last = str_le64(p + n - 8);
    word_store(to, first);
    word_store(to + n - 8, last);
    uint64_t special = word_special(first);
    if (special)
        return word_first(special);
    special = word_special(last);
    return special ? n - 8 + word_first(special) : n;
}

/* The same for any length: the last stride overlaps the one before it, in which
 * all was plain. Bytes of `to` behind those that are plain mean nothing. */
static inline size_t copy_plain(char *to, const char *p, size_t n)
{
    if (n < 16)
        return copy_plain_short(to, p, n);
    for (size_t i = 0;; i += STRIDE) {
        if (i > n - STRIDE)
            i = n - STRIDE;
        stride x = stride_load(p + i);
        stride_mask special = stride_special(x);
        stride_store(to + i, x);
        if (special)
            return i + stride_first(special);
        if (i == n - STRIDE)
            return n;
    }
}

/* A string into room for it, two quotes and SLACK, of which it leaves two bytes for
 * what may stand behind. NULL if it is not plain: all of it has been put then. */
static inline char *put_quoted(struct buf *out, char *to, struct str s)
{
    *to++ = '"';
    size_t n = copy_plain(to, s.p, s.n);
    to += n;
    if (n == s.n) {
        *to++ = '"';
        return to;
    }
    wrote(out, to);
    put_special(out, s.p + n, s.n - n);
    return NULL;
}

static void put_string(struct buf *out, struct str s)
{
    if (!room(out, s.n + 2)) {
        buf_putc(out, '"');
        put_special(out, s.p, s.n);
        return;
    }
    char *to = put_quoted(out, writing(out), s);
    if (to)
        wrote(out, to);
}

/* A key belongs into an object and not behind another key. */
static inline void judge_key(struct json_writer *w)
{
    if (w->depth == 0 || w->after_key)
        w->out->failed = true;
}

static inline void put_colon(struct json_writer *w)
{
    buf_put(w->out, ": ", w->pretty ? 2 : 1);
    w->after_key = true;
}

void jw_key(struct json_writer *w, struct str key)
{
    judge_key(w);
    if (!compact_room(w, key.n + 4)) {
        put_before(w);
        put_string(w->out, key);
        put_colon(w);
        return;
    }
    char *to = put_quoted(w->out, before(w, writing(w->out)), key);
    if (to) {
        *to++ = ':';
        wrote(w->out, to);
        w->after_key = true;
    } else {
        put_colon(w);
    }
}

void jw_key_plain(struct json_writer *w, struct str key)
{
    judge_key(w);
    if (!compact_room(w, key.n + 4)) {
        put_before(w);
        put_string(w->out, key);
        put_colon(w);
        return;
    }
    char *to = before(w, writing(w->out));
    *to++ = '"';
    to = copy(to, key.p, key.n);
    *to++ = '"';
    *to++ = ':';
    wrote(w->out, to);
    w->after_key = true;
}

void jw_str(struct json_writer *w, struct str s)
{
    if (!compact_room(w, s.n + 3)) {
        put_before(w);
        put_string(w->out, s);
        return;
    }
    char *to = put_quoted(w->out, before(w, writing(w->out)), s);
    if (to)
        wrote(w->out, to);
}

/* -- other scalars --------------------------------------------------------------- */

#define DIGITS 20 /* of the largest number */

/* Writes the number so that it ends at `end`; returns where it begins. */
static inline char *digits_before(char *end, uint64_t v)
{
    do {
        *--end = (char)('0' + v % 10);
        v /= 10;
    } while (v);
    return end;
}

void jw_uint(struct json_writer *w, uint64_t v)
{
    char text[DIGITS], *end = text + DIGITS, *from = digits_before(end, v);
    jw_raw(w, str_make(from, (size_t)(end - from)));
}

void jw_int(struct json_writer *w, int64_t v)
{
    char text[1 + DIGITS], *end = text + 1 + DIGITS;
    char *from = digits_before(end, v < 0 ? -(uint64_t)v : (uint64_t)v);
    if (v < 0)
        *--from = '-';
    jw_raw(w, str_make(from, (size_t)(end - from)));
}

void jw_raw(struct json_writer *w, struct str json)
{
    if (!compact_room(w, json.n + 1)) {
        put_before(w);
        buf_puts(w->out, json);
        return;
    }
    wrote(w->out, copy(before(w, writing(w->out)), json.p, json.n));
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
