/*
 * toml.c - the reader of TOML 1.0: the document and its rules.
 *
 * A recursive descent over one cursor. Lines are key/value pairs, which go
 * into the table of the last header, or headers, which find or make a table.
 * Keys are followed part by part while they are read, so no list of parts is
 * ever kept. Arrays and inline tables are the only recursion; each level and
 * each part of a key inside of an inline table counts against
 * LIMIT_TOML_DEPTH, so that a tree is at most
 *
 *     2 * LIMIT_TOML_KEY_PARTS   [a.b.c...], each part possibly an array
 *       + LIMIT_TOML_KEY_PARTS   a.b.c... = below it
 *       + LIMIT_TOML_DEPTH       [[[{...}]]]
 *
 * deep and may be walked by recursion. The fine part of TOML is who may add
 * to a table that is there already; enum toml_origin says it once and
 * `step_into` and `define` are the only code that asks.
 */
#include "toml_impl.h"

#include "base/limits.h"

static bool read_value(struct toml_reader *r, struct toml **out, unsigned depth);

static struct toml *new_value(struct toml_reader *r, enum toml_kind kind, struct toml_pos at)
{
    struct toml *v = arena_alloc(r->ar, sizeof *v);
    if (!v) {
        toml_fail_memory(r);
        return NULL;
    }
    v->kind = kind;
    v->at = at;
    return v;
}

static struct toml *new_table(struct toml_reader *r, enum toml_origin origin, struct toml_pos at)
{
    struct toml *v = new_value(r, TOML_TABLE, at);
    if (v)
        v->closed = (uint8_t)origin;
    return v;
}

/* Adds to a list of values that lies in the arena. */
static bool push(struct toml_reader *r, struct toml ***list, size_t *n, size_t *cap,
                 struct toml *item)
{
    if (!ARENA_GROW(r->ar, *list, *n,
                    *cap)) /* NOLINT(bugprone-sizeof-expression): it is of pointers */
        return toml_fail_memory(r);
    (*list)[(*n)++] = item;
    return true;
}

/* -- white space ---------------------------------------------------------------- */

static void skip_space(struct toml_reader *r)
{
    while (r->cur < r->end && (*r->cur == ' ' || *r->cur == '\t'))
        r->cur++;
}

/* Space, comments and line ends, as between the items of an array. */
static bool skip_blank(struct toml_reader *r)
{
    for (;;) {
        skip_space(r);
        if (toml_at(r, '#')) {
            if (!toml_comment(r))
                return false;
        } else if (!toml_newline(r)) {
            return true;
        }
    }
}

/* What must follow a line's content. */
static bool end_line(struct toml_reader *r, const char *after)
{
    skip_space(r);
    if (toml_at(r, '#') && !toml_comment(r))
        return false;
    if (r->cur == r->end || toml_newline(r))
        return true;
    return toml_fail(r, CODE_toml_syntax, r->cur, r->cur,
                     "expected the end of the line after %s, found %s", after,
                     TOML_FOUND(r, r->cur));
}

/* The width of what began at `from`, and ends at the cursor or, if that is on
 * another line by now, with its first line. */
static uint32_t width_since(const struct toml_reader *r, const char *from, struct toml_pos at)
{
    if (r->line == at.line)
        return toml_column(r) - at.column;
    struct str line = str_make(from, (size_t)(r->cur - from));
    line.n = str_find_char(line, '\n');
    if (line.n && line.p[line.n - 1] == '\r')
        line.n--;
    return (uint32_t)str_utf8_len(line);
}

/* -- keys ------------------------------------------------------------------------- */

/* One part of a key with the space around it; *more: a dot follows, which is
 * consumed. `n` counts the parts, from 1. */
static bool read_part(struct toml_reader *r, unsigned n, struct toml_part *part, bool *more)
{
    skip_space(r);
    const char *from = r->cur;
    part->from = from;
    part->at = toml_here(r);
    if (n > LIMIT_TOML_KEY_PARTS)
        return toml_fail(r, CODE_toml_depth, from, from, "the key has more than %u parts",
                         LIMIT_TOML_KEY_PARTS);
    if (toml_at(r, '"') || toml_at(r, '\'')) {
        if (r->end - from >= 3 && from[1] == from[0] && from[2] == from[0])
            return toml_fail(r, CODE_toml_syntax, from, from + 3,
                             "expected a key on one line, found a multi-line string");
        if (!toml_string(r, &part->key))
            return false;
    } else {
        while (r->cur < r->end && toml_is_bare(*r->cur))
            r->cur++;
        if (r->cur == from)
            return toml_fail(r, CODE_toml_syntax, from, from, "expected a key, found %s",
                             TOML_FOUND(r, from));
        part->key = toml_keep(r, from, r->cur);
    }
    part->to = r->cur;
    part->at.width = toml_column(r) - part->at.column;
    skip_space(r);
    *more = toml_at(r, '.');
    r->cur += *more;
    return true;
}

#define FAIL_PART(r, part, ...)                                                                    \
    toml_fail(r, CODE_toml_duplicate_key, (part)->from, (part)->to, __VA_ARGS__)

/* Why `e`, which is there, cannot have the keys that `part` wants below it. */
static bool fail_step(struct toml_reader *r, const struct toml_part *part,
                      const struct toml_entry *e)
{
    const struct toml *v = e->value;
    const char *key = TOML_SHOW(e->key);
    unsigned line = e->at.line;
    if (v->kind == TOML_TABLE && v->closed == TABLE_INLINE)
        return FAIL_PART(r, part,
                         "\"%s\" is an inline table (line %u), to which nothing can be added", key,
                         line);
    if (v->kind == TOML_TABLE)
        return FAIL_PART(r, part,
                         "table \"%s\" has its own header (line %u): dotted keys cannot add to it",
                         key, line);
    if (v->kind == TOML_ARRAY && v->of_tables)
        return FAIL_PART(r, part,
                         "\"%s\" is an array of tables (line %u): dotted keys cannot add to it",
                         key, line);
    return FAIL_PART(r, part, "\"%s\" is %s (line %u) and cannot have keys below it", key,
                     toml_kind_name(v->kind), line);
}

/* The table that a part of a key, other than the last, leads to; made if there
 * is none. `origin` is how: TABLE_IMPLICIT in headers, else TABLE_DOTTED. */
static struct toml *step_into(struct toml_reader *r, struct toml *table,
                              const struct toml_part *part, enum toml_origin origin)
{
    struct toml_entry *e = toml_put(r, table, part);
    if (!e)
        return NULL;
    bool dotted = origin == TABLE_DOTTED;
    struct toml *v = e->value;
    if (!v)
        return e->value = new_table(r, origin, part->at);
    if (v->kind == TOML_ARRAY && v->of_tables && !dotted)
        return v->item[v->n - 1];
    if (v->kind != TOML_TABLE || v->closed == TABLE_INLINE ||
        (v->closed == TABLE_HEADER && dotted)) {
        fail_step(r, part, e);
        return NULL;
    }
    if (dotted)
        v->closed = TABLE_DOTTED;
    return v;
}

/* key = value, into `table`. `depth` is that of an inline table's content, or
 * 0 on a line of its own. */
static bool read_pair(struct toml_reader *r, struct toml *table, unsigned depth)
{
    struct toml_part part = {0};
    bool more = false;
    for (unsigned n = 1;; n++) {
        if (!read_part(r, n, &part, &more))
            return false;
        if (!more)
            break;
        if (depth && ++depth > LIMIT_TOML_DEPTH)
            return toml_fail(r, CODE_toml_depth, part.from, part.to,
                             "more than %u levels of nesting", LIMIT_TOML_DEPTH);
        if (!(table = step_into(r, table, &part, TABLE_DOTTED)))
            return false;
    }
    if (!toml_at(r, '='))
        return toml_fail(r, CODE_toml_syntax, r->cur, r->cur,
                         "expected '=' after the key, found %s", TOML_FOUND(r, r->cur));
    r->cur++;
    struct toml_entry *e = toml_put(r, table, &part);
    if (!e)
        return false;
    if (e->value)
        return toml_fail(r, CODE_toml_duplicate_key, part.from, part.to,
                         "key \"%s\" is defined twice (first at line %u)", TOML_SHOW(e->key),
                         (unsigned)e->at.line);
    skip_space(r);
    if (r->cur == r->end || *r->cur == '\n' || *r->cur == '\r' || *r->cur == '#')
        return toml_fail(r, CODE_toml_syntax, r->cur, r->cur,
                         "expected a value after '=', found %s", TOML_FOUND(r, r->cur));
    return read_value(r, &e->value, depth); /* adds nothing to `table`, so e stays where it is */
}

/* -- values ------------------------------------------------------------------------ */

/* After '['. */
static bool read_array(struct toml_reader *r, struct toml *array, const char *open, unsigned depth)
{
    size_t base = r->n_items;
    for (bool first = true;; first = false) {
        if (!skip_blank(r))
            return false;
        if (!first && !toml_at(r, ']')) {
            if (r->cur < r->end && *r->cur != ',')
                return toml_fail(r, CODE_toml_syntax, r->cur, r->cur,
                                 "expected ',' or ']' in the array of line %u, found %s",
                                 (unsigned)array->at.line, TOML_FOUND(r, r->cur));
            r->cur += r->cur < r->end;
            if (!skip_blank(r))
                return false;
        }
        if (r->cur == r->end)
            return toml_fail(r, CODE_toml_syntax, open, open + 1,
                             "the array is not closed: expected ']' before the end of the file");
        if (*r->cur == ']')
            break;
        struct toml *item;
        if (!read_value(r, &item, depth) || !push(r, &r->items, &r->n_items, &r->cap_items, item))
            return false;
    }
    r->cur++;
    array->n = array->cap = r->n_items - base;
    r->n_items = base;
    if (array->n &&
        !(array->item = arena_copy(r->ar, r->items + base, array->n * sizeof(struct toml *))))
        return toml_fail_memory(r);
    return true;
}

/* After '{'. */
static bool read_inline(struct toml_reader *r, struct toml *table, const char *open, unsigned depth)
{
    skip_space(r);
    for (bool first = true; !(first && toml_at(r, '}')); first = false) {
        if (r->cur == r->end || *r->cur == '\n' || *r->cur == '\r')
            return toml_fail(
                r, CODE_toml_syntax, open, r->cur,
                "the inline table is not closed: expected '}' before the end of the line");
        if (!first && toml_at(r, '}'))
            return toml_fail(r, CODE_toml_syntax, r->cur, r->cur,
                             "expected a key after ',' in an inline table, found '}'");
        if (!read_pair(r, table, depth))
            return false;
        skip_space(r);
        if (toml_at(r, '}'))
            break;
        if (toml_at(r, ',')) {
            r->cur++;
            skip_space(r);
        } else if (r->cur < r->end && *r->cur != '\n' && *r->cur != '\r') {
            return toml_fail(r, CODE_toml_syntax, r->cur, r->cur,
                             "expected ',' or '}' in an inline table, found %s",
                             TOML_FOUND(r, r->cur));
        }
    }
    r->cur++;
    return true;
}

/* `depth` arrays and inline tables are around the value. */
static bool read_value(struct toml_reader *r, struct toml **out, unsigned depth)
{
    const char *from = r->cur;
    struct toml *v = new_value(r, TOML_STRING, toml_here(r));
    if (!v)
        return false;
    char c = from < r->end ? *from : '\0';
    bool ok;
    if (c == '"' || c == '\'') {
        ok = toml_string(r, &v->text);
    } else if (c == '[' || c == '{') {
        if (depth >= LIMIT_TOML_DEPTH)
            return toml_fail(r, CODE_toml_depth, from, from + 1, "more than %u levels of nesting",
                             LIMIT_TOML_DEPTH);
        r->cur++;
        v->kind = c == '[' ? TOML_ARRAY : TOML_TABLE;
        v->closed = TABLE_INLINE;
        ok = c == '[' ? read_array(r, v, from, depth + 1) : read_inline(r, v, from, depth + 1);
    } else {
        ok = toml_scalar(r, v);
    }
    if (ok)
        v->at.width = width_since(r, from, v->at);
    *out = v;
    return ok;
}

/* -- headers ------------------------------------------------------------------------ */

static bool fail_define(struct toml_reader *r, const struct toml_part *part,
                        const struct toml_entry *e, bool in_array)
{
    const struct toml *v = e->value;
    const char *key = TOML_SHOW(e->key);
    unsigned line = e->at.line;
    if (v->kind == TOML_TABLE && v->closed == TABLE_HEADER && !in_array)
        return FAIL_PART(r, part, "table \"%s\" is defined twice (first at line %u)", key, line);
    if (v->kind == TOML_TABLE && v->closed == TABLE_DOTTED && !in_array)
        return FAIL_PART(
            r, part, "table \"%s\" is defined by dotted keys (line %u) and cannot have a header",
            key, line);
    if (v->kind == TOML_ARRAY && v->of_tables)
        return FAIL_PART(
            r, part,
            "\"%s\" is an array of tables (line %u): expected [[ ]], which adds a table to it", key,
            line);
    const char *what = v->kind == TOML_TABLE && v->closed == TABLE_INLINE ? "an inline table"
                                                                          : toml_kind_name(v->kind);
    return FAIL_PART(r, part, "\"%s\" is %s already (line %u) and cannot be %s", key, what, line,
                     in_array ? "an array of tables" : "a table");
}

/* The table of [..part] or, in_array, a new one of [[..part]]. */
static struct toml *define(struct toml_reader *r, struct toml *table, const struct toml_part *part,
                           bool in_array)
{
    struct toml_entry *e = toml_put(r, table, part);
    if (!e)
        return NULL;
    struct toml *v = e->value;
    if (v && v->kind == TOML_TABLE && v->closed == TABLE_IMPLICIT && !in_array) {
        v->closed = TABLE_HEADER;
        v->at = e->at = part->at;
        return v;
    }
    if (v && !(in_array && v->kind == TOML_ARRAY && v->of_tables)) {
        fail_define(r, part, e, in_array);
        return NULL;
    }
    struct toml *fresh = new_table(r, TABLE_HEADER, part->at);
    if (!fresh || !in_array)
        return e->value = fresh;
    if (!v) {
        if (!(v = e->value = new_value(r, TOML_ARRAY, part->at)))
            return NULL;
        v->of_tables = true;
    }
    return push(r, &v->item, &v->n, &v->cap, fresh) ? fresh : NULL;
}

static bool read_header(struct toml_reader *r)
{
    if (!toml_section_end(r))
        return false;
    r->cur++;
    bool in_array = toml_at(r, '[');
    r->cur += in_array;
    struct toml *table = r->root;
    struct toml_part part = {0};
    bool more = false;
    for (unsigned n = 1;; n++) {
        if (!read_part(r, n, &part, &more))
            return false;
        if (!more)
            break;
        if (!(table = step_into(r, table, &part, TABLE_IMPLICIT)))
            return false;
    }
    for (unsigned i = 0; i < 1u + in_array; i++) {
        if (!toml_at(r, ']'))
            return toml_fail(r, CODE_toml_syntax, r->cur, r->cur,
                             "expected '%s' after the name of the table, found %s",
                             in_array ? "]]" : "]", TOML_FOUND(r, r->cur));
        r->cur++;
    }
    if (!(table = define(r, table, &part, in_array)))
        return false;
    toml_section(r, table);
    return end_line(r, "the header");
}

/* -- the document ---------------------------------------------------------------------- */

static bool read_document(struct toml_reader *r)
{
    for (;;) {
        if (!skip_blank(r))
            return false;
        if (r->cur == r->end)
            return toml_section_end(r);
        bool ok =
            *r->cur == '[' ? read_header(r) : read_pair(r, r->table, 0) && end_line(r, "the value");
        if (!ok)
            return false;
    }
}

static bool read_text(struct toml_reader *r)
{
    size_t n = (size_t)(r->end - r->start);
    if (n > LIMIT_TOML_BYTES)
        return toml_fail(r, CODE_toml_size, r->start, r->start,
                         "the text has %zu bytes: expected at most %u", n, LIMIT_TOML_BYTES);
    if (n >= 2 && (memcmp(r->start, "\xFF\xFE", 2) == 0 || memcmp(r->start, "\xFE\xFF", 2) == 0))
        return toml_fail(r, CODE_toml_syntax, r->start, r->start,
                         "the text is UTF-16: expected UTF-8");
    r->root = new_table(r, TABLE_HEADER, (struct toml_pos){1, 1, 1});
    if (!r->root)
        return false;
    toml_section(r, r->root);
    r->copy = arena_alloc(r->ar, n + 1);
    if (!r->copy)
        return toml_fail_memory(r);
    memcpy(r->copy, r->start, n);
    return read_document(r);
}

struct toml *toml_parse(struct arena *ar, struct str text, enum code *code, struct toml_pos *at,
                        char *message, size_t size)
{
    if (!text.p)
        text = STR("");
    else if (text.n >= 3 && memcmp(text.p, "\xEF\xBB\xBF", 3) == 0)
        text = str_from(text, 3);
    struct toml_reader r = {
        .ar = ar,
        .start = text.p,
        .end = text.p + text.n,
        .cur = text.p,
        .line_start = text.p,
        .line = 1,
        .message = message,
        .size = message ? size : 0,
    };
    if (read_text(&r))
        return r.root;
    if (code)
        *code = r.code;
    if (at)
        *at = r.at;
    return NULL;
}
