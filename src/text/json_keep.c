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

#include "base/limits.h"

/* -- stepping over --------------------------------------------------------------- */

static const char *step_space(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\n' || *p == '\r' || *p == '\t'))
        p++;
    return p;
}

/* From behind the opening quote to behind the closing one; NULL: there is none. */
static const char *step_string(const char *p, const char *end)
{
    for (; p < end; p++) {
        if (*p == '"')
            return p + 1;
        if (*p == '\\')
            p++;
    }
    return NULL;
}

/* Numbers and words: what can stand in one. */
static const char *step_word(const char *p, const char *end)
{
    if (*p != '-' && *p != 't' && *p != 'f' && *p != 'n' && !char_is_digit(*p))
        return NULL;
    while (p < end && (char_is_alpha(*p) || char_is_digit(*p) || *p == '-' || *p == '+' || *p == '.'))
        p++;
    return p;
}

/* From an opening bracket to behind the one that closes it. */
static const char *step_container(const char *p, const char *end)
{
    char closing[LIMIT_JSON_DEPTH];
    size_t depth = 0;
    do {
        if (p == end)
            return NULL;
        char c = *p++;
        if (c == '"') {
            p = step_string(p, end);
            if (!p)
                return NULL;
        } else if (c == '{' || c == '[') {
            if (depth == LIMIT_JSON_DEPTH - 1)
                return NULL;
            closing[depth++] = c == '{' ? '}' : ']';
        } else if (c == '}' || c == ']') {
            if (closing[--depth] != c)
                return NULL;
        }
    } while (depth);
    return p;
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
    struct str text;
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

/* A key at p, its colon and its value. Returns where the value ends. */
static const char *read_member(struct members *m, const char *p, json_keep_fn *keep, void *ctx)
{
    const char *from = p, *start = m->text.p, *end = start + m->text.n;
    if (!ARENA_GROW(m->ar, m->item, m->n, m->item_cap))
        return no_memory(m);
    if (!ARENA_GROW(m->ar, m->key, m->n, m->key_cap))
        return no_memory(m);
    struct json *v = &m->item[m->n];
    struct json_key *key = &m->key[m->n++];
    if (p == end || *p != '"')
        return NULL;
    p = step_string(p + 1, end);
    if (!p)
        return NULL;
    if (!json_read_key(m->ar, m->text, (size_t)(from - start), (size_t)(p - start), key))
        return NULL;
    p = step_space(p, end);
    if (p == end || *p != ':')
        return NULL;
    from = step_space(p + 1, end);
    p = step_value(from, end);
    if (!p)
        return NULL;
    size_t at = (size_t)(from - start), behind = (size_t)(p - start);
    if (keep(ctx, key->text)) {
        *v = (struct json){.kind = JSON_RAW, .at = (uint32_t)at, .end = (uint32_t)behind};
        v->text = str_make(from, behind - at);
        return p;
    }
    struct json_error err = {0};
    if (json_read_piece(m->ar, m->text, at, behind, v, &err))
        return p;
    m->no_memory = err.code == CODE_memory;
    return NULL;
}

/* The members, up to behind the closing bracket; NULL: something is wrong. */
static const char *read_members(struct members *m, const char *p, json_keep_fn *keep, void *ctx)
{
    const char *end = m->text.p + m->text.n;
    p = step_space(p + 1, end);
    if (p < end && *p == '}')
        return p + 1;
    for (;;) {
        p = read_member(m, p, keep, ctx);
        if (!p)
            return NULL;
        p = step_space(p, end);
        if (p == end)
            return NULL;
        if (*p == '}')
            return p + 1;
        if (*p != ',')
            return NULL;
        p = step_space(p + 1, end);
    }
}

static struct json *read_keeping(struct members *m, const char *p, json_keep_fn *keep, void *ctx)
{
    const char *behind = read_members(m, p, keep, ctx), *end = m->text.p + m->text.n;
    if (!behind || step_space(behind, end) != end)
        return NULL;
    if (!json_keys_differ(m->ar, m->key, m->n))
        return NULL;
    struct json *root = arena_alloc(m->ar, sizeof *root);
    if (!root) {
        m->no_memory = true;
        return NULL;
    }
    root->kind = JSON_OBJECT;
    root->at = (uint32_t)(p - m->text.p);
    root->end = (uint32_t)(behind - m->text.p);
    root->n = m->n;
    root->item = m->item;
    root->key = m->key;
    return root;
}

struct json *json_parse_keeping(struct arena *ar, struct str text, json_keep_fn *keep, void *ctx,
                                struct json_error *err)
{
    if (text.n == 0 || text.n > LIMIT_JSON_BYTES)
        return json_parse(ar, text, err);
    const char *p = step_space(text.p, text.p + text.n);
    if (p == text.p + text.n || *p != '{')
        return json_parse(ar, text, err);
    struct members m = {.ar = ar, .text = text};
    struct json *root = read_keeping(&m, p, keep, ctx);
    if (root)
        return root;
    struct json *all = json_parse(ar, text, err);
    if (!all || !m.no_memory)
        return all;
    if (err)
        *err = (struct json_error){CODE_memory, 0, 1, 1, "out of memory"};
    return NULL;
}

const struct json *json_raw_parse(struct arena *ar, struct str text, const struct json *v,
                                  struct json_error *err)
{
    if (!v || v->kind != JSON_RAW)
        return v;
    struct json *out = arena_alloc(ar, sizeof *out);
    if (out && json_read_piece(ar, text, v->at, v->end, out, err))
        return out;
    /* what stands around the value belongs to the message */
    struct json_error own;
    if (!out || json_parse(ar, text, &own))
        own = (struct json_error){CODE_memory, v->at, 1, 1, "out of memory"};
    if (err)
        *err = own;
    return NULL;
}

/* -- strings that are known to be valid --------------------------------------------- */

static uint32_t hex4(const char *p)
{
    uint32_t v = 0;
    for (unsigned i = 0; i < 4; i++)
        v = v << 4 | (uint32_t)(char_is_digit(p[i]) ? p[i] - '0' : char_fold(p[i]) - 'a' + 10);
    return v;
}

size_t json_unescape(struct str escaped, char *out)
{
    static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
    const char *p = escaped.p, *end = p + escaped.n;
    char *o = out;
    while (p < end) {
        if (*p != '\\' || end - p < 2) {
            *o++ = *p++;
            continue;
        }
        const char *q = strchr(from, p[1]);
        if (p[1] != 'u' || end - p < 6) {
            *o++ = q && *q ? to[q - from] : p[1];
            p += 2;
            continue;
        }
        uint32_t cp = hex4(p + 2);
        p += 6;
        if (cp >= 0xD800 && cp < 0xDC00 && end - p >= 6) {
            cp = 0x10000 + ((cp - 0xD800) << 10) + (hex4(p + 2) - 0xDC00);
            p += 6;
        }
        o += utf8_put(cp, o);
    }
    return (size_t)(o - out);
}
