/*
 * json_pick.c - see json_pick.h.
 *
 * The text is copied into the arena once, with a NUL and some room behind it. A NUL can
 * stand nowhere in a JSON text, so that no step has to ask whether the text ends there,
 * and strings that are wanted become texts where they lie.
 *
 *     keys     [ k k k | k | k k ]   of all open objects, to find equal ones
 *     values   [ v | v v ]           wanted ones, of all open containers
 *
 * This reader knows when a text is right. When it does not know (a mistake, a key with an
 * escape, more nesting or more keys than it has room for), json_parse reads all of it,
 * and says what is wrong if something is.
 */
#include "json_pick.h"

#include "base/limits.h"
#include "json_impl.h"
#include "json_scan.h"

#define DEPTH 64
#define KEYS 256 /* of all open objects together */
#define VALUES_ON_STACK 64
#define BEHIND 32 /* bytes that may be read behind the text */

struct seen {
    uint64_t head; /* its first eight bytes */
    const char *p;
    size_t n;
};

struct member {
    struct json value;
    struct json_key key;
};

struct picker {
    struct arena *ar;
    char *start;
    const char *end;
    unsigned depth, n_keys;
    struct member *value;
    size_t n_values, cap_values;
    bool no_memory;
    struct seen key[KEYS];
};

/* What is wanted of a value; in == NULL: all of it. */
struct want {
    const struct json_pick *in;
    unsigned n;
};

/* -- steps: each gives what is behind, or NULL where nothing is known --------------------- */

static const char *step_spaces(const char *p)
{
    for (; char_is_space(*p); p++) {
        stride_mask other = stride_not(stride_is(stride_load(p + 1), ' '));
        if (other)
            p += stride_first(other); /* a line end and then many spaces, mostly */
    }
    return p;
}

static inline const char *step_space(const char *p)
{
    if ((unsigned char)*p > ' ')
        return p;
    return *p == ' ' && (unsigned char)p[1] > ' ' ? p + 1 : step_spaces(p);
}

/* p is at the quote. Most strings end within one stride. */
static inline const char *step_string(const struct picker *x, const char *p, bool *escaped)
{
    stride_mask special = stride_special(stride_load(p + 1));
    if (special && p[1 + stride_first(special)] == '"')
        return p + 2 + stride_first(special);
    return json_step_string(p + 1, x->end, escaped);
}

static const char *step_word(const char *p, enum json_kind *kind)
{
    *kind = *p == 't' ? JSON_TRUE : *p == 'f' ? JSON_FALSE : JSON_NULL;
    if (strncmp(p, "null", 4) == 0 || strncmp(p, "true", 4) == 0)
        return p + 4;
    return strncmp(p, "false", 5) == 0 ? p + 5 : NULL;
}

static inline const char *step_scalar(const struct picker *x, const char *p, enum json_kind *kind)
{
    const char *from = p;
    if (!char_is_digit(*p) && *p != '-')
        return step_word(p, kind);
    *kind = JSON_NUMBER;
    while (char_is_digit(*p))
        p++;
    bool plain = *p == ',' || *p == '}' || *p == ']' || *p == '\n';
    return plain && (*from != '0' || p == from + 1) && p > from ? p
                                                                : json_step_number(from, x->end);
}

/* Up to eight bytes. */
static inline uint64_t head_of(const char *p, size_t n)
{
    return n < 8 ? str_le64(p) & ((UINT64_C(1) << 8 * n) - 1) : str_le64(p);
}

struct container {
    char close;     /* the bracket that ends it */
    unsigned keys;  /* where its keys begin */
    uint64_t bloom; /* a bit for each of them */
    struct str key; /* of the value that follows */
};

__attribute__((noinline)) static bool is_repeated(const struct picker *x, const struct container *c,
                                                  uint64_t head)
{
    for (unsigned i = c->keys; i < x->n_keys; i++)
        if (x->key[i].head == head && x->key[i].n == c->key.n &&
            memcmp(x->key[i].p, c->key.p, c->key.n) == 0)
            return true;
    return false;
}

/* Is this key new? Then it is kept. */
static inline bool keep_key(struct picker *x, struct container *c)
{
    uint64_t head = head_of(c->key.p, c->key.n);
    uint64_t bit = UINT64_C(1) << ((head ^ c->key.n) * UINT64_C(0x9E3779B97F4A7C15) >> 58);
    if (c->bloom & bit && is_repeated(x, c, head))
        return false;
    if (x->n_keys == KEYS)
        return false;
    c->bloom |= bit;
    x->key[x->n_keys++] = (struct seen){head, c->key.p, c->key.n};
    return true;
}

/* A key with its colon, up to the value. */
static inline const char *step_key(struct picker *x, struct container *c, const char *p)
{
    bool escaped = false;
    if (*p != '"')
        return NULL;
    const char *behind = step_string(x, p, &escaped);
    if (!behind || escaped)
        return NULL;
    c->key = str_make(p + 1, (size_t)(behind - p) - 2);
    if (!keep_key(x, c))
        return NULL;
    p = step_space(behind);
    return *p == ':' ? step_space(p + 1) : NULL;
}

/* Into a container, up to its first value or its bracket. */
static inline const char *step_in(struct picker *x, struct container *c, const char *p)
{
    *c = (struct container){.close = (char)(*p + 2), .keys = x->n_keys};
    return x->depth++ == DEPTH ? NULL : step_space(p + 1);
}

static inline const char *step_out(struct picker *x, const struct container *c, const char *p)
{
    x->n_keys = c->keys;
    x->depth--;
    return p + 1;
}

/* Behind a value, up to the next one or to the bracket. */
static inline const char *step_on(const struct container *c, const char *p)
{
    p = step_space(p);
    if (*p == ',') {
        p = step_space(p + 1);
        return *p == c->close ? NULL : p;
    }
    return *p == c->close ? p : NULL;
}

/* -- what nobody wants ---------------------------------------------------------------------- */

static const char *skip(struct picker *x, const char *p)
{
    struct container c;
    enum json_kind kind;
    bool escaped;
    if (*p == '"')
        return step_string(x, p, &escaped);
    if (*p != '{' && *p != '[')
        return step_scalar(x, p, &kind);
    p = step_in(x, &c, p);
    if (!p)
        return NULL;
    while (*p != c.close) {
        if (c.close == '}' && !(p = step_key(x, &c, p)))
            return NULL;
        if (!(p = skip(x, p)) || !(p = step_on(&c, p)))
            return NULL;
    }
    return step_out(x, &c, p);
}

/* -- what somebody wants --------------------------------------------------------------------- */

static const char *pick_failed(struct picker *x)
{
    x->no_memory = true;
    return NULL;
}

/* Room for one more on the stack of values. */
static inline bool grow(struct picker *x)
{
    if (x->n_values < x->cap_values)
        return true;
    size_t bytes = mem_size(x->cap_values, 2 * sizeof *x->value, 0);
    struct member *more = bytes ? arena_alloc_raw(x->ar, bytes) : NULL;
    if (!more)
        return pick_failed(x) != NULL;
    memcpy(more, x->value, x->n_values * sizeof *more);
    x->value = more;
    x->cap_values *= 2;
    return true;
}

/* Moves the values from number `from` on into their container. */
static bool take_values(struct picker *x, size_t from, struct json *out)
{
    const struct member *m = &x->value[from];
    size_t n = x->n_values - from;
    bool object = out->kind == JSON_OBJECT;
    x->n_values = from;
    out->n = n;
    if (n == 0)
        return true;
    out->item = arena_alloc_raw(x->ar, n * (sizeof *out->item + (object ? sizeof *out->key : 0)));
    if (!out->item)
        return pick_failed(x) != NULL;
    if (object)
        out->key = (struct json_key *)(void *)(out->item + n);
    for (size_t i = 0; i < n; i++) {
        out->item[i] = m[i].value;
        if (object)
            out->key[i] = m[i].key;
    }
    return true;
}

static inline const char *pick_string(struct picker *x, const char *p, struct json *out)
{
    bool escaped = false;
    const char *behind = step_string(x, p, &escaped);
    if (!behind)
        return NULL;
    out->kind = JSON_STRING;
    out->text = str_make(p + 1, (size_t)(behind - p) - 2);
    char *own = x->start + (p + 1 - x->start);
    if (escaped)
        out->text.n = json_unescape(out->text, own);
    own[out->text.n] = '\0';
    return behind;
}

static inline const struct json_pick *find_pick(struct want want, struct str key)
{
    for (unsigned i = 0; i < want.n; i++)
        if (want.in[i].key.n == key.n && str_same(want.in[i].key.p, key.p, key.n))
            return &want.in[i];
    return NULL;
}

static const char *pick_container(struct picker *x, const char *p, struct want want,
                                  struct json *out);

static inline const char *pick_scalar(struct picker *x, const char *p, struct json *out)
{
    const char *at = p;
    *out = (struct json){.at = (uint32_t)(p - x->start)};
    if (*p == '"') {
        p = pick_string(x, p, out);
    } else {
        p = step_scalar(x, p, &out->kind);
        out->text = str_make(at, p ? (size_t)(p - at) : 0);
    }
    out->end = (uint32_t)((p ? p : at) - x->start);
    return p;
}

/* One value of a container, which is kept if it is wanted. */
static inline const char *pick_one(struct picker *x, const struct container *c, const char *p,
                                   struct want want)
{
    if (c->key.p && want.in) {
        const struct json_pick *pick = find_pick(want, c->key);
        if (!pick)
            return skip(x, p);
        want = (struct want){pick->in, pick->n_in};
    }
    if (!grow(x))
        return NULL;
    struct member *m = &x->value[x->n_values++];
    uint32_t at = c->key.p ? (uint32_t)(c->key.p - x->start) - 1 : 0;
    m->key = (struct json_key){c->key, at, at + (uint32_t)c->key.n + 2};
    if (*p != '{' && *p != '[')
        return pick_scalar(x, p, &m->value);
    struct json v = {.at = (uint32_t)(p - x->start)};
    size_t i = x->n_values - 1; /* the stack may move */
    p = pick_container(x, p, want, &v);
    x->value[i].value = v;
    return p;
}

static const char *pick_container(struct picker *x, const char *p, struct want want,
                                  struct json *out)
{
    struct container c;
    size_t from = x->n_values;
    out->kind = *p == '{' ? JSON_OBJECT : JSON_ARRAY;
    p = step_in(x, &c, p);
    if (!p)
        return NULL;
    while (*p != c.close) {
        if (c.close == '}' && !(p = step_key(x, &c, p)))
            return NULL;
        if (!(p = pick_one(x, &c, p, want)) || !(p = step_on(&c, p)))
            return NULL;
    }
    if (!take_values(x, from, out))
        return NULL;
    p = step_out(x, &c, p);
    out->end = (uint32_t)(p - x->start);
    return p;
}

const struct json *json_parse_picking(struct arena *ar, struct str text,
                                      const struct json_pick *pick, unsigned n,
                                      struct json_error *err)
{
    struct member values[VALUES_ON_STACK];
    struct picker x;
    struct json *v = NULL;
    if (text.n == 0 || text.n > LIMIT_JSON_BYTES)
        return json_parse(ar, text, err);
    x.ar = ar;
    x.depth = x.n_keys = 0;
    x.value = values;
    x.n_values = 0;
    x.cap_values = VALUES_ON_STACK;
    x.start = arena_alloc_raw(ar, text.n + BEHIND);
    x.no_memory = !x.start || !(v = arena_alloc_raw(ar, sizeof *v));
    if (!x.no_memory) {
        x.end = x.start + text.n;
        memcpy(x.start, text.p, text.n);
        memset(x.start + text.n, 0, BEHIND);
        const char *p = step_space(x.start);
        *v = (struct json){.at = (uint32_t)(p - x.start)};
        if (*p == '{' || *p == '[')
            p = pick_container(&x, p, (struct want){pick, n}, v);
        else
            p = pick_scalar(&x, p, v);
        if (p && step_space(p) == x.end)
            return v;
    }
    if (!x.no_memory)
        return json_parse(ar, text, err);
    json_fail_memory(&(struct json_piece){.start = text.p, .err = err}, text.p);
    return NULL;
}
