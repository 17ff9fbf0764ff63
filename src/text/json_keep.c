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

const char *json_step_value(const char *p, const char *end)
{
    if (p == end)
        return NULL;
    if (*p == '"')
        return step_string(p + 1, end);
    if (*p == '{' || *p == '[')
        return step_container(p, end);
    return step_word(p, end);
}

/* -- reading ------------------------------------------------------------------------ */

struct json *json_parse_keeping(struct arena *ar, struct str text, json_keep_fn *keep, void *ctx,
                                struct json_error *err)
{
    if (text.n == 0 || text.n > LIMIT_JSON_BYTES)
        return json_parse(ar, text, err);
    struct json_error own = {0};
    struct json_piece all = {.ar = ar, .start = text.p, .end = text.p + text.n, .err = &own};
    all.keep = keep;
    all.ctx = ctx;
    all.p = json_skip_space(all.start, all.end);
    if (all.p == all.end || *all.p != '{')
        return json_parse(ar, text, err);
    struct json *v = arena_alloc_raw(ar, sizeof *v);
    if (!v)
        json_fail_memory(&all, all.p);
    else if (json_read(&all, v))
        return v;
    if (own.code != CODE_memory) /* what comes first may be in what is kept */
        return json_parse(ar, text, err);
    if (err)
        *err = own;
    return NULL;
}

const struct json *json_raw_parse(struct arena *ar, struct str text, const struct json *v,
                                  struct json_error *err)
{
    if (!v || v->kind != JSON_RAW)
        return v;
    struct json_error own = {0};
    struct json_piece piece = {.ar = ar, .start = text.p, .outer = 1, .err = &own};
    piece.p = text.p + v->at;
    piece.end = text.p + v->end;
    struct json *out = arena_alloc_raw(ar, sizeof *out);
    if (!out)
        json_fail_memory(&piece, piece.p);
    else if (json_read(&piece, out))
        return out;
    if (own.code != CODE_memory)
        json_parse(ar, text, &own); /* what stands around it belongs to the message */
    if (err)
        *err = own;
    return NULL;
}
