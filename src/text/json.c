/*
 * json.c - the reader of JSON texts: strict RFC 8259 into a tree.
 *
 * One loop and a stack of values, no recursion, so that a hostile text costs
 * neither the C stack nor more than linear time:
 *
 *     values   [ {  v  [  v  v  {  v ]     an open container, then what is in it
 *                ^-----|        ^
 *                ^-----+--------open       each open one knows the one around it
 *     keys     [ k     k        k ]        the keys of all open objects
 *
 * When a container closes, its values and keys move from the tops of the stacks
 * into an array of their exact number in the arena. The stacks begin on the C
 * stack and move to the arena when they grow out of it.
 *
 * All decoded text lives in one piece of the arena: decoding never makes a
 * string longer, so the length of the input is enough for every string and
 * number with a NUL behind each. Where members are kept, most of a long text is
 * never decoded; then there is room for one member of the object at a time.
 */
#include "json_impl.h"
#include "json_scan.h"

#include "base/limits.h"

#define VALUES_ON_STACK 80
#define KEYS_ON_STACK 80
#define ROOM_FOR_ALL 16384 /* up to here a text with kept members is like any other */
#define ROOM_FOR_ONE 4096

struct reader {
    const struct json_piece *piece;
    const char *start, *end;
    char *out;     /* where the next decoded text goes */
    char *out_end; /* where the room for it ends, but for JSON_SLACK */
    struct json *value;
    struct json_key *key;
    size_t n_values, value_cap, n_keys, key_cap;
    size_t open;    /* the innermost open container, a number in `value` */
    unsigned depth; /* how many are open */
};

/* An open container keeps these where a finished one has its end and number. */
#define KEYS_BEFORE(v) (v)->end
#define AROUND(v) (v)->n

static uint32_t place(const struct reader *r, const char *p)
{
    return (uint32_t)(p - r->start);
}

static bool at(const struct reader *r, const char *p, char c)
{
    return p < r->end && *p == c;
}

/* -- the stacks --------------------------------------------------------------------- */

/* The array with twice the room, in the arena. The first one is not there. */
static void *grown(struct reader *r, void *p, size_t *cap, size_t first_cap, size_t size)
{
    struct arena *ar = r->piece->ar;
    size_t bytes = mem_size(*cap, 2 * size, 0);
    if (!bytes)
        return NULL;
    void *q;
    if (*cap == first_cap) {
        q = arena_alloc_raw(ar, bytes);
        if (q)
            memcpy(q, p, *cap * size);
    } else {
        q = arena_resize(ar, p, *cap * size, bytes);
    }
    if (q)
        *cap *= 2;
    return q;
}

__attribute__((noinline)) static bool grow_values(struct reader *r)
{
    struct json *q = grown(r, r->value, &r->value_cap, VALUES_ON_STACK, sizeof *q);
    if (q)
        r->value = q;
    return q != NULL;
}

__attribute__((noinline)) static bool grow_keys(struct reader *r)
{
    struct json_key *q = grown(r, r->key, &r->key_cap, KEYS_ON_STACK, sizeof *q);
    if (q)
        r->key = q;
    return q != NULL;
}

/* Room for what is decoded of the next n bytes. */
static bool make_room(struct reader *r, size_t n)
{
    r->out = arena_alloc_raw(r->piece->ar, n + JSON_SLACK);
    if (!r->out)
        return false;
    r->out_end = r->out + n;
    return true;
}

/* Before a key or a value of the outermost object, if members of it are kept: the
 * room may not be enough for all that follows. */
__attribute__((noinline)) static bool room_for_one(struct reader *r, const char *p)
{
    size_t room = (size_t)(r->out_end - r->out);
    if ((size_t)(r->end - p) < room)
        return true;
    const char *behind = json_step_value(p, r->end);
    if (!behind)
        return false;
    size_t n = (size_t)(behind - p) + 1;
    if (n <= room)
        return true;
    if (make_room(r, n < ROOM_FOR_ONE ? ROOM_FOR_ONE : n))
        return true;
    return json_fail_memory(r->piece, p);
}

static inline bool outermost(const struct reader *r)
{
    return r->depth == 1 && r->piece->keep;
}

/* -- scalars ------------------------------------------------------------------------ */

static inline const char *read_number(struct reader *r, const char *p, struct json *v)
{
    const char *behind = json_step_number(p, r->end);
    if (!behind) {
        json_bad_number(r->piece, p);
        return NULL;
    }
    size_t n = (size_t)(behind - p);
    if (n <= STRIDE && r->end - p >= STRIDE)
        stride_store(r->out, stride_load(p));
    else
        memcpy(r->out, p, n);
    v->kind = JSON_NUMBER;
    v->text = str_make(r->out, n);
    r->out += n;
    *r->out++ = '\0';
    return behind;
}

static inline const char *read_text(struct reader *r, const char *p, struct str *text)
{
    char *from = r->out;
    const char *behind = json_read_string(p + 1, r->end, &r->out);
    if (!behind) {
        json_bad_string(r->piece, p);
        return NULL;
    }
    *text = str_make(from, (size_t)(r->out - from) - 1);
    return behind;
}

static const char *read_word(struct reader *r, const char *p, struct json *v)
{
    struct str rest = str_make(p, (size_t)(r->end - p)), word = STR("null");
    v->kind = JSON_NULL;
    if (*p == 't') {
        v->kind = JSON_TRUE;
        word = STR("true");
    } else if (*p == 'f') {
        v->kind = JSON_FALSE;
        word = STR("false");
    }
    if (str_starts(rest, word) && (rest.n == word.n || !json_is_word(p[word.n])))
        return p + word.n;
    json_expected(r->piece, p, "a value");
    return NULL;
}

/* -- containers ---------------------------------------------------------------------- */

/* A key at p with its colon. */
static inline const char *read_key(struct reader *r, const char *p, const char *what)
{
    if (!at(r, p, '"')) {
        json_expected(r->piece, p, what);
        return NULL;
    }
    if (r->n_keys == r->key_cap && !grow_keys(r)) {
        json_fail_memory(r->piece, p);
        return NULL;
    }
    if (outermost(r) && !room_for_one(r, p))
        return NULL;
    struct json_key *key = &r->key[r->n_keys++];
    key->at = place(r, p);
    p = read_text(r, p, &key->text);
    if (!p)
        return NULL;
    key->end = place(r, p);
    p = json_skip_space(p, r->end);
    if (at(r, p, ':'))
        return p + 1;
    json_expected(r->piece, p, "':' after the key");
    return NULL;
}

/* Moves the keys that are on the stack from number `from` on into v. */
static bool take_keys(struct reader *r, struct json *v, size_t from, struct json_key *to)
{
    const struct json_key *second;
    memcpy(to, r->key + from, v->n * sizeof *to);
    r->n_keys = from;
    v->key = to;
    if (v->n < 2)
        return true;
    if (!json_repeated(r->piece->ar, to, v->n, &second))
        return json_fail_memory(r->piece, r->start + v->end);
    return second ? json_fail_key(r->piece, second) : true;
}

/* The innermost container ends with the bracket at p. */
static inline const char *close_container(struct reader *r, const char *p)
{
    struct json *v = &r->value[r->open];
    size_t n = r->n_values - r->open - 1, keys = KEYS_BEFORE(v);
    bool object = v->kind == JSON_OBJECT;
    r->n_values = r->open + 1;
    r->open = AROUND(v);
    r->depth--;
    v->end = place(r, p + 1);
    v->n = n;
    if (n == 0)
        return p + 1;
    size_t each = sizeof *v + (object ? sizeof *v->key : 0);
    struct json *item = arena_alloc_raw(r->piece->ar, n * each);
    if (!item) {
        json_fail_memory(r->piece, p);
        return NULL;
    }
    memcpy(item, v + 1, n * sizeof *v);
    v->item = item;
    if (object && !take_keys(r, v, keys, (struct json_key *)(void *)(item + n)))
        return NULL;
    return p + 1;
}

/* The bracket at p opens the container v, the topmost value. */
static inline bool open_container(struct reader *r, const char *p, struct json *v)
{
    if (r->depth + r->piece->outer == LIMIT_JSON_DEPTH)
        return json_fail(r->piece, CODE_json_depth, p,
                         "arrays and objects are nested deeper than %u levels", LIMIT_JSON_DEPTH);
    v->kind = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
    KEYS_BEFORE(v) = (uint32_t)r->n_keys;
    AROUND(v) = r->open;
    r->open = r->n_values - 1;
    r->depth++;
    return true;
}

/* What was expected where no value begins: looks back over white space. */
static bool no_value(const struct reader *r, const char *p)
{
    if (r->depth == 0 || r->value[r->open].kind == JSON_OBJECT)
        return json_expected(r->piece, p, "a value");
    const char *before = p - 1;
    while (char_is_space(*before))
        before--;
    return json_expected(r->piece, p, *before == '[' ? "a value or ']'" : "a value after ','");
}

static inline const char *read_scalar(struct reader *r, const char *p, struct json *v)
{
    char c = p < r->end ? *p : '\0';
    if (c == '"') {
        v->kind = JSON_STRING;
        return read_text(r, p, &v->text);
    }
    if (c == '-' || char_is_digit(c))
        return read_number(r, p, v);
    if (c == 't' || c == 'f' || c == 'n')
        return read_word(r, p, v);
    no_value(r, p);
    return NULL;
}

/* Makes v of the bytes from p on what is kept. Returns what is behind them. */
__attribute__((noinline)) static const char *keep_value(const struct reader *r, const char *p,
                                                        struct json *v)
{
    const char *behind = json_step_value(p, r->end);
    if (!behind)
        return NULL;
    v->kind = JSON_RAW;
    v->text = str_make(p, (size_t)(behind - p));
    v->end = place(r, behind);
    return behind;
}

/* The start of a value: a scalar is read whole; of a container only what stands
 * before its first value, or all of it if it is empty. `*whole` tells whether
 * it is finished. */
static inline const char *read_value(struct reader *r, const char *p, bool *whole)
{
    p = json_skip_space(p, r->end);
    if (r->n_values == r->value_cap && !grow_values(r)) {
        json_fail_memory(r->piece, p);
        return NULL;
    }
    struct json *v = &r->value[r->n_values++];
    *v = (struct json){.at = place(r, p)};
    *whole = true;
    if (outermost(r)) {
        if (r->piece->keep(r->piece->ctx, r->key[r->n_keys - 1].text))
            return keep_value(r, p, v);
        if (!room_for_one(r, p))
            return NULL;
    }
    char c = p < r->end ? *p : '\0';
    if (c != '{' && c != '[') {
        p = read_scalar(r, p, v);
        if (p)
            v->end = place(r, p);
        return p;
    }
    if (!open_container(r, p, v))
        return NULL;
    p = json_skip_space(p + 1, r->end);
    if (at(r, p, c == '{' ? '}' : ']'))
        return close_container(r, p);
    *whole = false;
    return c == '[' ? p : read_key(r, p, "a key in double quotes or '}'");
}

/* Behind a finished value: closes what ends there and stops where the next value
 * begins, or where the piece ends. */
static inline const char *finish_value(struct reader *r, const char *p)
{
    for (;;) {
        p = json_skip_space(p, r->end);
        if (r->depth == 0)
            return p;
        bool object = r->value[r->open].kind == JSON_OBJECT;
        if (at(r, p, ',')) {
            if (!object)
                return p + 1;
            p = json_skip_space(p + 1, r->end);
            return read_key(r, p, "a key in double quotes after ','");
        }
        if (!at(r, p, object ? '}' : ']')) {
            json_expected(r->piece, p,
                          object ? "',' or '}' after a member" : "',' or ']' after an item");
            return NULL;
        }
        p = close_container(r, p);
        if (!p)
            return NULL;
    }
}

bool json_read(const struct json_piece *piece, struct json *v)
{
    struct json value[VALUES_ON_STACK];
    struct json_key key[KEYS_ON_STACK];
    struct reader r = {.piece = piece, .start = piece->start, .end = piece->end};
    const char *p = piece->p;
    size_t n = (size_t)(r.end - p) + 1;
    r.value = value;
    r.value_cap = VALUES_ON_STACK;
    r.key = key;
    r.key_cap = KEYS_ON_STACK;
    if (!make_room(&r, piece->keep && n > ROOM_FOR_ALL ? ROOM_FOR_ONE : n))
        return json_fail_memory(piece, p);
    do {
        bool whole;
        p = read_value(&r, p, &whole);
        if (p && whole)
            p = finish_value(&r, p);
        if (!p)
            return false;
    } while (r.depth);
    *v = r.value[0];
    return p == r.end ? true : json_expected(piece, p, "the end of the text");
}

struct json *json_parse(struct arena *ar, struct str text, struct json_error *err)
{
    const char *p = text.n ? text.p : "";
    struct json_piece all = {.ar = ar, .start = p, .p = p, .end = p, .err = err};
    if (text.n > LIMIT_JSON_BYTES) {
        json_fail(&all, CODE_json_size, p, "the text has %zu bytes, the limit is %u", text.n,
                  LIMIT_JSON_BYTES);
        return NULL;
    }
    if (str_starts(text, STR("\xEF\xBB\xBF"))) {
        json_fail(&all, CODE_json_syntax, p,
                  "expected a value, found a byte order mark: a JSON text begins without one");
        return NULL;
    }
    struct json root;
    all.end = p + text.n;
    if (!json_read(&all, &root))
        return NULL;
    struct json *v = arena_copy(ar, &root, sizeof root);
    if (!v)
        json_fail_memory(&all, p);
    return v;
}
