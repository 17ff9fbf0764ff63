/*
 * json_keep.c - the JSON reader that leaves some members of the outermost object
 * as they are.
 *
 *     {"op": "preflight", "request": {"model": ...}, "api": "openai"}
 *            ^ read                   ^ stepped over         ^ read
 *
 * Stepping over a value finds its end and judges as little as that takes:
 * strings end, brackets match. Where the text cannot be stepped over or what is
 * read is bad, json_parse reads all of it once more and says why, so that there
 * is one place that finds the words.
 */
#include "json_impl.h"
#include "json_scan.h"

#include "base/limits.h"

/* -- stepping over --------------------------------------------------------------- */

/* From behind the opening quote to behind the closing one; NULL: there is none. */
static inline const char *step_string(const char *p, const char *end)
{
    for (;;) {
        while (end - p >= STRIDE) {
            stride_mask found = stride_string_end(stride_load(p));
            if (found) {
                p += stride_first(found);
                break;
            }
            p += STRIDE;
        }
        while (p < end && *p != '"' && *p != '\\')
            p++;
        if (end - p < 1)
            return NULL;
        if (*p == '"')
            return p + 1;
        if (end - p < 2)
            return NULL;
        p += 2;
    }
}

/* Numbers and words: what can stand in one. */
static const char *step_word(const char *p, const char *end)
{
    if (*p != '-' && *p != 't' && *p != 'f' && *p != 'n' && !char_is_digit(*p))
        return NULL;
    while (p < end && (json_is_word(*p) || *p == '-' || *p == '+' || *p == '.'))
        p++;
    return p;
}

struct steps {
    char closing[LIMIT_JSON_DEPTH]; /* what closes each open bracket */
    size_t depth;
    uint64_t escaped; /* 1: the first byte of the next block is */
    uint64_t within;  /* all ones: the next block begins within a string */
};

/* One block. Gives the number of bytes up to behind the bracket that closes the
 * container; 0: not in this block; BLOCK + 1: there is none. */
static inline size_t step_block(struct steps *s, const char *p)
{
    if (s->within && !s->escaped && block_is_text(p))
        return 0;
    struct block b = block_load(p);
    uint64_t quote = b.quote & ~block_escaped(b.slash, &s->escaped);
    uint64_t text = block_within(quote) ^ s->within;
    s->within = 0 - (text >> 63);
    for (uint64_t bits = b.bracket & ~text; bits; bits &= bits - 1) {
        size_t at = (size_t)__builtin_ctzll(bits);
        char c = p[at];
        if (c == '{' || c == '[') {
            if (s->depth == LIMIT_JSON_DEPTH - 1) /* one is around it */
                return BLOCK + 1;
            s->closing[s->depth++] = (char)(c + 2); /* '}' or ']' */
        } else if (s->closing[--s->depth] != c) {
            return BLOCK + 1;
        } else if (s->depth == 0) {
            return at + 1;
        }
    }
    return 0;
}

/* From an opening bracket to behind the one that closes it. */
static const char *step_container(const char *p, const char *end)
{
    struct steps s;
    s.depth = 0;
    s.escaped = s.within = 0;
    while (p < end) {
        size_t left = (size_t)(end - p);
        char last[BLOCK];
        const char *block = p;
        if (left < BLOCK) {
            memset(last, ' ', sizeof last);
            memcpy(last, p, left);
            block = last;
        }
        size_t n = step_block(&s, block);
        if (n)
            return n <= BLOCK ? p + n : NULL;
        p += left < BLOCK ? left : BLOCK;
    }
    return NULL;
}

/* Behind the value that begins at p; NULL if there is none or it has no end. */
static const char *step_value(const char *p, const char *end)
{
    if (p == end)
        return NULL;
    if (*p == '"')
        return step_string(p + 1, end);
    if (*p == '{' || *p == '[')
        return step_container(p, end);
    return step_word(p, end);
}

/* -- the outermost object ----------------------------------------------------------- */

struct members {
    struct arena *ar;
    const char *start, *end;
    json_keep_fn *keep;
    void *ctx;
    struct json *item;
    struct json_key *key;
    size_t n, item_cap, key_cap;
    bool no_memory;
};

static const char *no_memory(struct members *m)
{
    m->no_memory = true;
    return NULL;
}

/* The string in the bytes [p, behind). */
static bool read_key(struct members *m, const char *p, const char *behind, struct json_key *key)
{
    size_t n = (size_t)(behind - p);
    char *text = arena_alloc_raw(m->ar, n + JSON_SLACK), *out = text;
    if (!text)
        return no_memory(m) != NULL;
    if (!json_read_string(p + 1, behind, &out))
        return false;
    key->text = str_make(text, (size_t)(out - text) - 1);
    key->at = (uint32_t)(p - m->start);
    key->end = (uint32_t)(behind - m->start);
    return true;
}

/* The value in the bytes [p, behind). */
static bool read_value(struct members *m, const char *p, const char *behind, struct json *v)
{
    struct json_error err = {0};
    struct json_piece piece = {m->ar, m->start, p, behind, 1, &err};
    if (json_read(&piece, v))
        return true;
    m->no_memory = err.code == CODE_memory;
    return false;
}

/* A key at p, its colon and its value. Returns where the value ends. */
static const char *read_member(struct members *m, const char *p)
{
    if (!ARENA_GROW(m->ar, m->item, m->n, m->item_cap))
        return no_memory(m);
    if (!ARENA_GROW(m->ar, m->key, m->n, m->key_cap))
        return no_memory(m);
    struct json *v = &m->item[m->n];
    struct json_key *key = &m->key[m->n++];
    if (p == m->end || *p != '"')
        return NULL;
    const char *behind = step_string(p + 1, m->end);
    if (!behind || !read_key(m, p, behind, key))
        return NULL;
    p = json_skip_space(behind, m->end);
    if (p == m->end || *p != ':')
        return NULL;
    p = json_skip_space(p + 1, m->end);
    behind = step_value(p, m->end);
    if (!behind)
        return NULL;
    if (!m->keep(m->ctx, key->text))
        return read_value(m, p, behind, v) ? behind : NULL;
    *v = (struct json){.kind = JSON_RAW};
    v->at = (uint32_t)(p - m->start);
    v->end = (uint32_t)(behind - m->start);
    v->text = str_make(p, (size_t)(behind - p));
    return behind;
}

/* The members, up to behind the closing bracket; NULL: something is wrong. */
static const char *read_members(struct members *m, const char *p)
{
    p = json_skip_space(p + 1, m->end);
    if (p < m->end && *p == '}')
        return p + 1;
    for (;;) {
        p = read_member(m, p);
        if (!p)
            return NULL;
        p = json_skip_space(p, m->end);
        if (p == m->end)
            return NULL;
        if (*p == '}')
            return p + 1;
        if (*p != ',')
            return NULL;
        p = json_skip_space(p + 1, m->end);
    }
}

/* The object at p and nothing behind it; NULL: something is wrong. */
static struct json *read_object(struct members *m, const char *p)
{
    const char *behind = read_members(m, p);
    const struct json_key *second;
    if (!behind || json_skip_space(behind, m->end) != m->end)
        return NULL;
    struct json *v = arena_alloc_raw(m->ar, sizeof *v);
    if (!v || !json_repeated(m->ar, m->key, m->n, &second)) {
        m->no_memory = true;
        return NULL;
    }
    if (second)
        return NULL;
    *v = (struct json){.kind = JSON_OBJECT, .n = m->n, .item = m->item, .key = m->key};
    v->at = (uint32_t)(p - m->start);
    v->end = (uint32_t)(behind - m->start);
    return v;
}

struct json *json_parse_keeping(struct arena *ar, struct str text, json_keep_fn *keep, void *ctx,
                                struct json_error *err)
{
    if (text.n == 0 || text.n > LIMIT_JSON_BYTES)
        return json_parse(ar, text, err);
    struct members m = {.ar = ar, .start = text.p, .end = text.p + text.n, .keep = keep, .ctx = ctx};
    const char *p = json_skip_space(m.start, m.end);
    if (p == m.end || *p != '{')
        return json_parse(ar, text, err);
    struct json *v = read_object(&m, p);
    if (v)
        return v;
    if (!m.no_memory)
        return json_parse(ar, text, err);
    json_fail_memory(&(struct json_piece){.start = m.start, .err = err}, p);
    return NULL;
}

const struct json *json_raw_parse(struct arena *ar, struct str text, const struct json *v,
                                  struct json_error *err)
{
    if (!v || v->kind != JSON_RAW)
        return v;
    struct json_error own = {0};
    struct json_piece piece = {ar, text.p, text.p + v->at, text.p + v->end, 1, &own};
    struct json *out = arena_alloc_raw(ar, sizeof *out);
    if (out && json_read(&piece, out))
        return out;
    if (!out)
        json_fail_memory(&piece, piece.p);
    else if (own.code != CODE_memory)
        json_parse(ar, text, &own); /* what stands around it belongs to the message */
    if (err)
        *err = own;
    return NULL;
}
