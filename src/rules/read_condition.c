/*
 * read_condition.c - the conditions of request rules: a path, and a test that a value there
 * may pass. docs/requests.md lists them.
 */
#include "request.h"

#include <math.h>

#define KIND_WORDS "null false true boolean number string array object"

/* -- paths ---------------------------------------------------------------------------- */

bool req_step(struct str *path, struct req_step *out)
{
    struct str s = *path;
    *out = (struct req_step){.kind = STEP_END, .key = STR("")};
    if (s.n == 0)
        return true;
    if (s.p[0] == '[') {
        if (s.n < 2 || s.p[1] != ']')
            return false;
        out->kind = STEP_ITEM;
        *path = str_from(s, 2);
    } else {
        size_t end = 0;
        while (end < s.n && s.p[end] != '.' && s.p[end] != '[')
            end++;
        out->kind = STEP_KEY;
        out->key = str_head(s, end);
        *path = str_from(s, end);
        if (end && s.p[end - 1] == '~') {
            out->schema = true;
            out->key.n--;
        }
        if (str_is(out->key, "*"))
            out->kind = STEP_STAR;
        if (out->key.n == 0)
            return false;
    }
    if (path->n && path->p[0] == '.') {
        *path = str_from(*path, 1);
        return path->n > 0 && path->p[0] != '.' && path->p[0] != '[';
    }
    return path->n == 0 || path->p[0] == '[';
}

struct str req_around(struct str home)
{
    for (size_t n = home.n > 2 ? home.n - 1 : 0; n >= 2; n--)
        if (home.p[n - 2] == '[' && home.p[n - 1] == ']')
            return str_head(home, n);
    return STR("");
}

/* A condition's path may begin with '/': it is the request's own, whatever the home; or with
 * '@': it is about what comes beside the request; or with '^': it is that of the item around. */
bool req_path_ok(struct reader *r, struct str path, struct toml_pos at)
{
    bool marked = path.n > 1 && (path.p[0] == '/' || path.p[0] == '@' || path.p[0] == '^');
    struct str rest = marked ? str_from(path, 1) : path;
    struct req_step step;
    for (unsigned n = 0;; n++) {
        if (!req_step(&rest, &step) || n == LIMIT_REQUEST_PATH) {
            READ_FATAL(r, CODE_bad_path, at, "the path '%.*s' cannot be read", STR_ARG(path));
            READ_HINT(r, "write it like messages[].content[].type");
            return false;
        }
        if (step.kind == STEP_END)
            return true;
    }
}

/* -- conditions ------------------------------------------------------------------------- */

bool req_number(struct reader *r, struct str key, const struct toml *v, double *out)
{
    if (v->kind == TOML_INTEGER)
        *out = (double)v->integer;
    else if (v->kind == TOML_FLOAT && !isnan(v->real))
        *out = v->real;
    else
        return read_wrong_type(r, key, v, "a number");
    return true;
}

bool req_range(struct reader *r, const struct toml_entry *e, double *lo, double *hi)
{
    const struct toml *v = e->value;
    if (v->kind != TOML_ARRAY || v->n != 2)
        return read_wrong_type(r, e->key, v, "two numbers: [lowest, highest]");
    return req_number(r, e->key, v->item[0], lo) && req_number(r, e->key, v->item[1], hi);
}

bool req_words(struct reader *r, const struct toml_entry *e, struct str **out, size_t *n)
{
    struct read_items items;
    if (!read_items(r, e, true, LIMIT_LIST_ITEMS, &items))
        return false;
    *out = arena_array(r->rs->ar, items.n, sizeof **out);
    if (!*out)
        return read_no_memory(r);
    for (size_t i = 0; i < items.n; i++)
        if (!read_text(r, e->key, items.item[i], &(*out)[i]))
            return false;
    *n = items.n;
    return true;
}

bool req_field(struct reader *r, const struct toml_entry *e, cando_type type, unsigned *out)
{
    struct str name;
    if (!read_text(r, e->key, e->value, &name))
        return false;
    *out = vocab_find(VOCAB_CANDO, name);
    if (*out < FIELD_COUNT && vocab_row(*out)->type == type)
        return true;
    READ_FATAL(r, CODE_unknown_word, e->value->at, "'%.*s' is no field that can stand here",
               STR_ARG(name));
    if (*out == FIELD_COUNT && read_hints(r->rs) && vocab_suggest(VOCAB_CANDO, name).n)
        READ_HINT(r, "did you mean '%.*s'?", STR_ARG(vocab_suggest(VOCAB_CANDO, name)));
    return false;
}

static bool read_kinds(struct reader *r, const struct toml_entry *e, uint32_t *out)
{
    static const uint32_t masks[] = {REQ_NULL,   REQ_FALSE,  REQ_TRUE,  REQ_FALSE | REQ_TRUE,
                                     REQ_NUMBER, REQ_STRING, REQ_ARRAY, REQ_OBJECT};
    struct read_items items;
    if (!read_items(r, e, true, 16, &items))
        return false;
    for (size_t i = 0; i < items.n; i++) {
        struct str word;
        if (!read_word(r, e->key, items.item[i], KIND_WORDS, CODE_unknown_word, &word))
            return false;
        *out |= masks[words_find(KIND_WORDS, word)];
    }
    return true;
}

/* "word", ["a", "b"] or a number. */
static bool cond_equal(struct reader *r, const struct toml_entry *e, enum req_test number,
                       enum req_test words, struct req_cond *c)
{
    if (e->value->kind == TOML_INTEGER || e->value->kind == TOML_FLOAT) {
        c->test = number;
        if (!req_number(r, e->key, e->value, &c->lo))
            return false;
        c->hi = c->lo;
        return true;
    }
    c->test = words;
    return req_words(r, e, &c->word, &c->n_words);
}

/* is = "word", ["a", "b"], true, false or a number. */
static bool cond_is(struct reader *r, const struct toml_entry *e, struct req_cond *c)
{
    if (e->value->kind == TOML_BOOLEAN) {
        c->test = TEST_KIND;
        c->kinds = e->value->boolean ? REQ_TRUE : REQ_FALSE;
        return true;
    }
    return cond_equal(r, e, TEST_INSIDE, TEST_WORDS, c);
}

/* One class of characters for all of the text, or two: of its first, of the rest. */
bool req_chars(struct reader *r, const struct toml_entry *e, struct str out[2])
{
    struct str *word;
    size_t n;
    if (!req_words(r, e, &word, &n))
        return false;
    if (n == 0 || n > 2)
        return read_wrong_type(r, e->key, e->value, "one or two classes of characters");
    out[0] = word[0];
    out[1] = word[n - 1];
    return true;
}

static bool cond_chars(struct reader *r, const struct toml_entry *e, struct req_cond *c)
{
    c->word = arena_array(r->rs->ar, 2, sizeof *c->word);
    if (!c->word)
        return read_no_memory(r);
    c->n_words = 2;
    return req_chars(r, e, c->word);
}

static bool cond_key(struct reader *r, const struct toml_entry *e, struct req_cond *c, bool *tested)
{
    static const struct {
        const char *key;
        enum req_test test;
    } ranges[] = {{"inside", TEST_INSIDE},
                  {"outside", TEST_OUTSIDE},
                  {"length", TEST_LENGTH},
                  {"not_length", TEST_NOT_LENGTH},
                  {"key_not_length", TEST_KEY_LENGTH},
                  {"side_outside", TEST_SIDE}},
      words[] = {{"prefix", TEST_PREFIX}, {"not_prefix", TEST_NOT_PREFIX}, {"holds", TEST_HOLDS}};
    bool flag = false;
    for (size_t i = 0; i < COUNT_OF(ranges); i++)
        if (str_is(e->key, ranges[i].key)) {
            *tested = true;
            c->test = ranges[i].test;
            return req_range(r, e, &c->lo, &c->hi);
        }
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(e->key, words[i].key)) {
            *tested = true;
            c->test = words[i].test;
            return req_words(r, e, &c->word, &c->n_words);
        }
    if (str_is(e->key, "point"))
        return read_bool(r, e, &c->point);
    if (str_is(e->key, "at_least")) {
        if (e->value->kind != TOML_INTEGER || e->value->integer < 1 || e->value->integer > 1000000)
            return read_wrong_type(r, e->key, e->value, "a whole number from 1 up");
        c->at_least = (uint32_t)e->value->integer;
        return true;
    }
    *tested = true;
    if (str_is(e->key, "is"))
        return cond_is(r, e, c);
    if (str_is(e->key, "not"))
        return cond_equal(r, e, TEST_OUTSIDE, TEST_NOT_WORDS, c);
    if (str_is(e->key, "not_chars") || str_is(e->key, "key_not_chars")) {
        c->test = str_is(e->key, "not_chars") ? TEST_NOT_CHARS : TEST_KEY_CHARS;
        return cond_chars(r, e, c);
    }
    if (str_is(e->key, "kind")) {
        c->test = TEST_KIND;
        c->kinds = 0;
        return read_kinds(r, e, &c->kinds);
    }
    if (str_is(e->key, "above")) {
        c->test = TEST_ABOVE_FACT;
        return req_field(r, e, CANDO_NUMBER, &c->field);
    }
    if (str_is(e->key, "not_in")) {
        c->test = TEST_NOT_IN_FACT;
        return req_field(r, e, CANDO_LIST, &c->field);
    }
    if (str_is(e->key, "whole")) {
        c->test = TEST_NOT_WHOLE;
        return read_bool(r, e, &flag);
    }
    if (str_is(e->key, "json")) {
        c->test = TEST_NOT_JSON;
        return read_bool(r, e, &flag);
    }
    if (str_is(e->key, "ends_in_space") || str_is(e->key, "blank")) {
        c->test = str_is(e->key, "blank") ? TEST_BLANK : TEST_ENDS_SPACE;
        return read_bool(r, e, &flag);
    }
    READ_FATAL(r, CODE_unknown_key, e->at, "a condition has no key '%.*s'", STR_ARG(e->key));
    READ_HINT(r, "known here: path, is, not, prefix, not_prefix, inside, outside, length, "
                 "not_length, not_chars, key_not_length, key_not_chars, side_outside, kind, above, "
                 "not_in, whole, ends_in_space, blank, holds, json, at_least, point");
    return false;
}

static bool cond_path(struct reader *r, struct str key, const struct toml *v, struct req_cond *c)
{
    if (!read_text(r, key, v, &c->path) || !req_path_ok(r, c->path, v->at))
        return false;
    c->absolute = c->path.n > 1 && (c->path.p[0] == '/' || c->path.p[0] == '@');
    c->outer = c->path.n > 1 && c->path.p[0] == '^';
    if (c->outer || (c->absolute && c->path.p[0] == '/'))
        c->path = str_from(c->path, 1);
    return true;
}

/* A path alone (there, and not null), or a table. */
static bool read_cond(struct reader *r, struct str key, const struct toml *v, struct req_cond *c)
{
    *c = (struct req_cond){.path = STR(""),
                           .test = TEST_KIND,
                           .kinds = 127u & ~(uint32_t)REQ_NULL,
                           .at_least = 1,
                           .at = read_place(r, v->at)};
    if (v->kind == TOML_STRING)
        return cond_path(r, key, v, c);
    if (v->kind != TOML_TABLE)
        return read_wrong_type(r, key, v, "a path or a condition");
    bool tested = false;
    for (size_t i = 0; i < v->n; i++) {
        const struct toml_entry *e = &v->entry[i];
        if (str_is(e->key, "path")) {
            if (!cond_path(r, e->key, e->value, c))
                return false;
            continue;
        }
        bool had = tested;
        if (!cond_key(r, e, c, &tested))
            return false;
        if (had && tested && !str_is(e->key, "point") && !str_is(e->key, "at_least")) {
            READ_FATAL(r, CODE_wrong_type, e->at, "a condition makes one test");
            READ_HINT(r, "write two conditions for the same path");
            return false;
        }
    }
    return true;
}

bool req_conds(struct reader *r, const struct toml_entry *e, struct req_conds *out)
{
    const struct toml *v = e->value;
    size_t n = v->kind == TOML_ARRAY ? v->n : 1;
    for (size_t i = 0; i < n; i++) {
        struct req_cond c;
        if (!read_cond(r, e->key, v->kind == TOML_ARRAY ? v->item[i] : v, &c))
            return false;
        if (!ARENA_GROW(r->rs->ar, out->item, out->n, out->cap))
            return read_no_memory(r);
        c.uses = FIELD_COUNT;
        out->item[out->n++] = c;
    }
    return true;
}
