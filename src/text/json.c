/*
 * json.c - the reader of JSON texts: strict RFC 8259 into a tree.
 *
 * One loop and a stack of open containers, no recursion, so that a hostile
 * text costs neither the C stack nor more than linear time:
 *
 *     frames   [ {  [  { ]          what is open, at most LIMIT_JSON_DEPTH
 *     values   [ v v | v | v v v ]  finished values of the open containers
 *     keys     [ k k |   | k k ]    the same for the keys of open objects
 *
 * When a container closes, its values move from the top of the stack into an
 * array of their exact number in the arena. All decoded text lives in one
 * piece of the arena: decoding never makes a string longer, so the length of
 * the input is enough for every string and number with a NUL behind each.
 *
 * Equal keys are looked for when an object closes: by comparing all pairs in
 * a small one, by hashing in a large one, and by sorting where somebody chose
 * the keys so that their hashes collide.
 *
 * Lines and columns are counted when there is something to complain about,
 * and never before.
 */
#include "json_impl.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define FEW_KEYS 12     /* up to here all pairs are compared */
#define LONGEST_PROBE 64 /* a longer one is no accident */

struct frame {
    size_t at;           /* of the bracket */
    size_t values, keys; /* heights of the stacks when it opened */
    bool object;
};

struct reader {
    struct arena *ar;
    const char *p;
    size_t n, at;
    char *pool; /* decoded text */
    size_t used;
    struct buf frames, values, keys;
    struct buf table; /* the hash table of one large object */
    size_t depth, outer; /* outer: levels around the piece that is read */
    struct json_error *err;
};

/* -- errors ------------------------------------------------------------------ */

static void locate(const struct reader *r, size_t at, uint32_t *line, uint32_t *column)
{
    size_t start = 0;
    *line = 1;
    for (;;) {
        struct str rest = str_make(r->p + start, at - start);
        size_t end = str_find_char(rest, '\n');
        if (end == rest.n)
            break;
        start += end + 1;
        ++*line;
    }
    *column = (uint32_t)str_utf8_len(str_make(r->p + start, at - start)) + 1;
}

/* Fills the error and is false, so that a reader can `return fail(...)`. */
__attribute__((format(printf, 4, 5))) static bool fail(struct reader *r, enum code code, size_t at, const char *fmt, ...)
{
    struct json_error *e = r->err;
    if (!e)
        return false;
    memset(e, 0, sizeof *e);
    e->code = code;
    e->at = at;
    locate(r, at, &e->line, &e->column);
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(e->message, sizeof e->message, fmt, ap);
    va_end(ap);
    return false;
}

static bool fail_memory(struct reader *r)
{
    return fail(r, CODE_memory, r->at, "out of memory");
}

static bool is_word(char c)
{
    return char_is_alpha(c) || char_is_digit(c) || c == '_';
}

static uint32_t code_point(const char *p, unsigned step)
{
    const unsigned char *u = (const unsigned char *)p;
    uint32_t cp = step == 2 ? u[0] & 0x1Fu : step == 3 ? u[0] & 0x0Fu : step == 4 ? u[0] & 0x07u : u[0];
    for (unsigned i = 1; i < step; i++)
        cp = cp << 6 | (u[i] & 0x3Fu);
    return cp;
}

/* What stands at `at`, for "expected ..., found ...". Always printable ASCII. */
static void describe(const struct reader *r, size_t at, char *out, size_t size)
{
    if (at >= r->n) {
        snprintf(out, size, "the end of the text");
        return;
    }
    const char *p = r->p + at;
    size_t left = r->n - at;
    unsigned char c = (unsigned char)*p;
    unsigned step = utf8_step(p, left);
    if (is_word(*p)) {
        size_t n = 1;
        while (n < left && n < 24 && is_word(p[n]))
            n++;
        snprintf(out, size, "'%.*s'%s", (int)n, p, n < left && is_word(p[n]) ? "..." : "");
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

static bool expected(struct reader *r, size_t at, const char *what)
{
    char found[64];
    describe(r, at, found, sizeof found);
    return fail(r, CODE_json_syntax, at, "expected %s, found %s", what, found);
}

/* -- scalars ----------------------------------------------------------------- */

static void skip_space(struct reader *r)
{
    while (r->at < r->n && (r->p[r->at] == ' ' || r->p[r->at] == '\n' || r->p[r->at] == '\r' || r->p[r->at] == '\t'))
        r->at++;
}

static bool here(const struct reader *r, char c)
{
    return r->at < r->n && r->p[r->at] == c;
}

/* The text of the pool from `start` on becomes a string with a NUL behind it
 * (the arena's memory is zeroed). */
static struct str pool_take(struct reader *r, size_t start)
{
    struct str s = str_make(r->pool + start, r->used - start);
    r->used++;
    return s;
}

static bool read_hex4(struct reader *r, size_t at, uint32_t *out)
{
    uint32_t v = 0;
    for (size_t i = 0; i < 4; i++) {
        char c = at + i < r->n ? char_fold(r->p[at + i]) : '\0';
        if (char_is_digit(c))
            v = v << 4 | (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            v = v << 4 | (uint32_t)(c - 'a' + 10);
        else
            return expected(r, at + i < r->n ? at + i : r->n, "four hexadecimal digits after \\u");
    }
    *out = v;
    return true;
}

/* \uXXXX, or a pair of them for a character beyond U+FFFF. r->at is at the
 * backslash. */
static bool read_unicode_escape(struct reader *r)
{
    size_t at = r->at;
    uint32_t cp, low;
    if (!read_hex4(r, at + 2, &cp))
        return false;
    r->at += 6;
    if (cp >= 0xDC00 && cp < 0xE000)
        return fail(r, CODE_json_syntax, at, "lone surrogate \\u%04x: a low half without a high half before it", (unsigned)cp);
    if (cp >= 0xD800 && cp < 0xDC00) {
        if (r->n - r->at < 2 || r->p[r->at] != '\\' || r->p[r->at + 1] != 'u')
            return fail(r, CODE_json_syntax, at, "lone surrogate \\u%04x: expected its low half (\\udc00 to \\udfff) behind it",
                        (unsigned)cp);
        if (!read_hex4(r, r->at + 2, &low))
            return false;
        if (low < 0xDC00 || low >= 0xE000)
            return fail(r, CODE_json_syntax, at, "lone surrogate \\u%04x: expected its low half (\\udc00 to \\udfff), found \\u%04x",
                        (unsigned)cp, (unsigned)low);
        r->at += 6;
        cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
    }
    r->used += utf8_put(cp, r->pool + r->used);
    return true;
}

static bool read_escape(struct reader *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    if (r->n - r->at < 2)
        return expected(r, r->n, "an escape after '\\'");
    char c = r->p[r->at + 1];
    if (c == 'u')
        return read_unicode_escape(r);
    const char *q = c ? strchr(from, c) : NULL;
    if (!q)
        return expected(r, r->at + 1, "one of \" \\ / b f n r t u after '\\'");
    r->pool[r->used++] = to[q - from];
    r->at += 2;
    return true;
}

/* One piece of a string that is not plain ASCII: an escape, a longer
 * character, or what must not stand there. */
static bool read_string_special(struct reader *r, size_t open)
{
    if (r->at >= r->n)
        return fail(r, CODE_json_syntax, open, "the string is not closed: expected '\"', found the end of the text");
    unsigned char c = (unsigned char)r->p[r->at];
    if (c == '\\')
        return read_escape(r);
    if (c == '\n' || c == '\r')
        return fail(r, CODE_json_syntax, r->at, "expected '\"' before the end of the line, a line end in a string is written \\%c",
                    c == '\n' ? 'n' : 'r');
    if (c < 0x20)
        return fail(r, CODE_json_syntax, r->at, "a control character in a string is written as an escape: \\u%04x", c);
    unsigned step = utf8_step(r->p + r->at, r->n - r->at);
    if (step == 0)
        return fail(r, CODE_json_syntax, r->at, "expected UTF-8 in a string, found the byte 0x%02x", c);
    memcpy(r->pool + r->used, r->p + r->at, step);
    r->used += step;
    r->at += step;
    return true;
}

static bool read_string(struct reader *r, struct str *out)
{
    size_t open = r->at++, start = r->used;
    for (;;) {
        size_t from = r->at;
        while (r->at < r->n) {
            unsigned char c = (unsigned char)r->p[r->at];
            if (c < 0x20 || c >= 0x80 || c == '"' || c == '\\')
                break;
            r->at++;
        }
        if (r->at > from) {
            memcpy(r->pool + r->used, r->p + from, r->at - from);
            r->used += r->at - from;
        }
        if (here(r, '"')) {
            r->at++;
            *out = pool_take(r, start);
            return true;
        }
        if (!read_string_special(r, open))
            return false;
    }
}

static bool read_digits(struct reader *r, const char *what)
{
    if (r->at >= r->n || !char_is_digit(r->p[r->at]))
        return expected(r, r->at, what);
    while (r->at < r->n && char_is_digit(r->p[r->at]))
        r->at++;
    return true;
}

static bool read_number(struct reader *r, struct json *v)
{
    size_t from = r->at, start = r->used;
    if (here(r, '-'))
        r->at++;
    if (here(r, '0')) {
        r->at++;
        if (r->at < r->n && char_is_digit(r->p[r->at]))
            return fail(r, CODE_json_syntax, r->at - 1, "expected a number without a leading zero");
    } else if (!read_digits(r, "a digit after '-'")) {
        return false;
    }
    if (here(r, '.')) {
        r->at++;
        if (!read_digits(r, "a digit after '.'"))
            return false;
    }
    if (here(r, 'e') || here(r, 'E')) {
        r->at++;
        if (here(r, '+') || here(r, '-'))
            r->at++;
        if (!read_digits(r, "a digit in the exponent"))
            return false;
    }
    v->kind = JSON_NUMBER;
    memcpy(r->pool + r->used, r->p + from, r->at - from);
    r->used += r->at - from;
    v->text = pool_take(r, start);
    return true;
}

static bool read_word(struct reader *r, struct json *v)
{
    static const struct {
        struct str word;
        enum json_kind kind;
    } words[] = {{{"null", 4}, JSON_NULL}, {{"true", 4}, JSON_TRUE}, {{"false", 5}, JSON_FALSE}};
    struct str rest = str_make(r->p + r->at, r->n - r->at);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t n = words[i].word.n;
        if (str_starts(rest, words[i].word) && (rest.n == n || !is_word(rest.p[n]))) {
            v->kind = words[i].kind;
            r->at += n;
            return true;
        }
    }
    return expected(r, r->at, "a value");
}

/* -- equal keys --------------------------------------------------------------- */

static int key_order(const void *a, const void *b)
{
    const struct json_key *x = *(const struct json_key *const *)a, *y = *(const struct json_key *const *)b;
    int c = str_cmp(x->text, y->text);
    return c ? c : x < y ? -1 : x > y;
}

/* The three searches give the first key, in the order of the text, that equals
 * one before it; NULL in *found if there is none. False: no memory. */
static bool repeated_sorted(struct reader *r, const struct json_key *key, size_t n, const struct json_key **found)
{
    size_t bytes = mem_size(n, sizeof(const struct json_key *), 0);
    const struct json_key **order = bytes ? mem_alloc(r->ar->a, bytes) : NULL;
    if (!order)
        return false;
    for (size_t i = 0; i < n; i++)
        order[i] = &key[i];
    qsort(order, n, sizeof *order, key_order);
    *found = NULL;
    for (size_t i = 1; i < n; i++)
        if (str_eq(order[i - 1]->text, order[i]->text) && (!*found || order[i] < *found))
            *found = order[i];
    mem_free(r->ar->a, order, bytes);
    return true;
}

static bool repeated_hashed(struct reader *r, const struct json_key *key, size_t n, const struct json_key **found)
{
    size_t cap = 64;
    while (cap < n * 2)
        cap *= 2;
    size_t bytes = mem_size(cap, sizeof(uint32_t), 0);
    buf_clear(&r->table);
    if (n >= UINT32_MAX || !bytes || !buf_reserve(&r->table, bytes))
        return false;
    uint32_t *slot = (uint32_t *)(void *)r->table.p; /* number of the key + 1, 0: free */
    memset(slot, 0, bytes);
    *found = NULL;
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)str_hash(key[i].text, 0) & (cap - 1);
        for (unsigned probe = 0; slot[at]; probe++) {
            if (str_eq(key[slot[at] - 1].text, key[i].text)) {
                *found = &key[i];
                return true;
            }
            if (probe == LONGEST_PROBE)
                return repeated_sorted(r, key, n, found);
            at = (at + 1) & (cap - 1);
        }
        slot[at] = (uint32_t)i + 1;
    }
    return true;
}

static bool repeated(struct reader *r, const struct json_key *key, size_t n, const struct json_key **found)
{
    if (n > FEW_KEYS)
        return repeated_hashed(r, key, n, found);
    for (size_t i = 1; i < n; i++)
        for (size_t j = 0; j < i; j++)
            if (str_eq(key[i].text, key[j].text)) {
                *found = &key[i];
                return true;
            }
    *found = NULL;
    return true;
}

static bool fail_repeated(struct reader *r, const struct json_key *key)
{
    char shown[64];
    size_t n = 0;
    for (size_t i = 0; i < key->text.n && n < 40; i++) {
        char c = key->text.p[i];
        shown[n++] = (unsigned char)c < 0x20 || c == 0x7F ? '?' : c;
    }
    while (n && utf8_check(str_make(shown, n)) != n)
        n--; /* a cut character at the end */
    shown[n] = '\0';
    return fail(r, CODE_json_duplicate_key, key->at, "expected a new key, found \"%s%s\" for the second time in this object", shown,
                n < key->text.n ? "..." : "");
}

/* -- containers ---------------------------------------------------------------- */

static struct frame *top(struct reader *r)
{
    return (struct frame *)(void *)r->frames.p + (r->depth - 1);
}

static bool push(struct reader *r, struct buf *stack, const void *item, size_t size)
{
    buf_put(stack, item, size);
    return stack->failed ? fail_memory(r) : true;
}

static bool open_container(struct reader *r)
{
    struct frame f = {.at = r->at, .values = r->values.n, .keys = r->keys.n, .object = r->p[r->at] == '{'};
    if (r->depth + r->outer == LIMIT_JSON_DEPTH)
        return fail(r, CODE_json_depth, r->at, "arrays and objects are nested deeper than %u levels", LIMIT_JSON_DEPTH);
    if (!push(r, &r->frames, &f, sizeof f))
        return false;
    r->depth++;
    r->at++;
    return true;
}

/* The bracket is at r->at: makes the finished container of the topmost frame. */
static bool close_container(struct reader *r, struct json *v)
{
    struct frame f = *top(r);
    size_t bytes = r->values.n - f.values;
    r->at++;
    *v = (struct json){.kind = f.object ? JSON_OBJECT : JSON_ARRAY, .at = (uint32_t)f.at, .end = (uint32_t)r->at, .n = bytes / sizeof *v};
    if (v->n) {
        v->item = arena_copy(r->ar, r->values.p + f.values, bytes);
        if (!v->item)
            return fail_memory(r);
    }
    if (v->n && f.object) {
        v->key = arena_copy(r->ar, r->keys.p + f.keys, r->keys.n - f.keys);
        const struct json_key *second = NULL;
        if (!v->key || !repeated(r, v->key, v->n, &second))
            return fail_memory(r);
        if (second)
            return fail_repeated(r, second);
    }
    r->values.n = f.values;
    r->keys.n = f.keys;
    r->frames.n -= sizeof f;
    r->depth--;
    return true;
}

/* A key with its colon. */
static bool read_key(struct reader *r, const char *what)
{
    struct json_key key = {.at = (uint32_t)r->at};
    if (!here(r, '"'))
        return expected(r, r->at, what);
    if (!read_string(r, &key.text))
        return false;
    key.end = (uint32_t)r->at;
    skip_space(r);
    if (!here(r, ':'))
        return expected(r, r->at, "':' after the key");
    r->at++;
    return push(r, &r->keys, &key, sizeof key);
}

/* The start of a value: a scalar is read whole; of a container only what
 * stands before its first value, or all of it if it is empty. `*whole` tells
 * whether v is finished. */
static bool read_value(struct reader *r, struct json *v, const char *what, bool *whole)
{
    skip_space(r);
    *v = (struct json){.at = (uint32_t)r->at};
    *whole = true;
    char c = r->at < r->n ? r->p[r->at] : '\0';
    bool ok;
    if (c == '{' || c == '[') {
        if (!open_container(r))
            return false;
        skip_space(r);
        if (here(r, c == '{' ? '}' : ']'))
            return close_container(r, v);
        *whole = false;
        return c == '[' || read_key(r, "a key in double quotes or '}'");
    }
    if (c == '"') {
        v->kind = JSON_STRING;
        ok = read_string(r, &v->text);
    } else if (c == '-' || char_is_digit(c)) {
        ok = read_number(r, v);
    } else if (c == 't' || c == 'f' || c == 'n') {
        ok = read_word(r, v);
    } else {
        ok = expected(r, r->at, what);
    }
    v->end = (uint32_t)r->at;
    return ok;
}

/* Puts a finished value into its container and closes as many containers as
 * end behind it. `*done` if that was the whole text, whose value is v then. */
static bool finish_value(struct reader *r, struct json *v, bool *done)
{
    for (;;) {
        skip_space(r);
        if (r->depth == 0) {
            *done = true;
            return r->at == r->n ? true : expected(r, r->at, "the end of the text");
        }
        if (!push(r, &r->values, v, sizeof *v))
            return false;
        bool object = top(r)->object;
        if (here(r, object ? '}' : ']')) {
            if (!close_container(r, v))
                return false;
            continue;
        }
        if (!here(r, ','))
            return expected(r, r->at, object ? "',' or '}' after a member" : "',' or ']' after an item");
        r->at++;
        if (!object)
            return true;
        skip_space(r);
        return read_key(r, "a key in double quotes after ','");
    }
}

static bool read_text(struct reader *r, struct json *v)
{
    bool done = false, whole;
    const char *what = "a value";
    while (!done) {
        if (!read_value(r, v, what, &whole))
            return false;
        what = whole ? "a value after ','" : top(r)->object ? "a value" : "a value or ']'";
        if (whole) {
            if (!finish_value(r, v, &done))
                return false;
            if (!done && top(r)->object)
                what = "a value";
        }
    }
    return true;
}

/* Reads the value in the bytes [at, end) of the text into v. */
static bool read_piece(struct reader *r, struct json *v)
{
    buf_init(&r->frames, r->ar->a, SIZE_MAX / 2);
    buf_init(&r->values, r->ar->a, SIZE_MAX / 2);
    buf_init(&r->keys, r->ar->a, SIZE_MAX / 2);
    buf_init(&r->table, r->ar->a, SIZE_MAX / 2);
    r->pool = arena_alloc(r->ar, r->n - r->at + 1);
    bool ok = r->pool ? read_text(r, v) : fail_memory(r);
    buf_free(&r->frames);
    buf_free(&r->values);
    buf_free(&r->keys);
    buf_free(&r->table);
    return ok;
}

bool json_read_piece(struct arena *ar, struct str text, size_t at, size_t end, struct json *v,
                     struct json_error *err)
{
    struct reader r = {.ar = ar, .p = text.p, .n = end, .at = at, .outer = 1, .err = err};
    return read_piece(&r, v);
}

bool json_read_key(struct arena *ar, struct str text, size_t at, size_t end, struct json_key *key)
{
    struct reader r = {.ar = ar, .p = text.p, .n = end, .at = at};
    r.pool = arena_alloc(ar, end - at + 1);
    if (!r.pool)
        return false;
    key->at = (uint32_t)at;
    key->end = (uint32_t)end;
    return read_string(&r, &key->text);
}

bool json_keys_differ(struct arena *ar, const struct json_key *key, size_t n)
{
    struct reader r = {.ar = ar};
    const struct json_key *found = NULL;
    buf_init(&r.table, ar->a, SIZE_MAX / 2);
    bool ok = repeated(&r, key, n, &found);
    buf_free(&r.table);
    return ok && !found;
}

struct json *json_parse(struct arena *ar, struct str text, struct json_error *err)
{
    struct reader r = {.ar = ar, .p = text.n ? text.p : "", .n = text.n, .err = err};
    if (text.n > LIMIT_JSON_BYTES) {
        fail(&r, CODE_json_size, 0, "the text has %zu bytes, the limit is %u", text.n, LIMIT_JSON_BYTES);
        return NULL;
    }
    if (str_starts(text, STR("\xEF\xBB\xBF"))) {
        fail(&r, CODE_json_syntax, 0, "expected a value, found a byte order mark: a JSON text begins without one");
        return NULL;
    }
    struct json *root = arena_alloc(ar, sizeof *root);
    bool ok = root ? read_piece(&r, root) : fail_memory(&r);
    return ok ? root : NULL;
}
