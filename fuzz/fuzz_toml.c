/*
 * fuzz_toml.c - libFuzzer target of the TOML reader.
 *
 * Whatever the bytes are, the reader must end with a tree or with an error,
 * and both must be sound: every place lies in the text, every key is found
 * under its own name and only once, texts end with the NUL that follows them,
 * the tree is no deeper than the reader promises, an error has a code, a
 * place and a message that is UTF-8. A text is read a second time with an
 * allocator that fails at a point taken from the bytes; that may only give
 * the same answer or "out of memory", and must leave nothing behind.
 */
#include "fuzz.h"

#include "base/limits.h"
#include "text/toml.h"

#include <stdio.h>

#define CHECK(holds)                                                                               \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #holds);             \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

#define DEPTH_MAX (3 * LIMIT_TOML_KEY_PARTS + LIMIT_TOML_DEPTH)

/* -- the lines of the text, to judge places ------------------------------- */

struct lines {
    size_t *length; /* in characters, the line end not counted */
    size_t n;
};

static struct lines lines_of(struct str text)
{
    struct lines l = {malloc((text.n + 1) * sizeof(size_t)), 0};
    CHECK(l.length);
    if (text.n >= 3 && memcmp(text.p, "\xEF\xBB\xBF", 3) == 0)
        text = str_from(text, 3);
    for (;;) {
        size_t end = str_find_char(text, '\n');
        l.length[l.n++] = str_utf8_len(str_head(text, end));
        if (end == text.n)
            return l;
        text = str_from(text, end + 1);
    }
}

/* `extra`: an error may also point just behind the line. */
static void check_place(const struct lines *l, struct toml_pos at, size_t extra)
{
    CHECK(at.line >= 1 && at.line <= l->n);
    CHECK(at.column >= 1 && at.width >= 1);
    CHECK((size_t)at.column + at.width - 1 <= l->length[at.line - 1] + extra);
}

/* -- the tree ---------------------------------------------------------------- */

static void check_value(const struct lines *l, const struct toml *v, unsigned depth);

static void check_table(const struct lines *l, const struct toml *v, unsigned depth)
{
    for (size_t i = 0; i < v->n; i++) {
        struct toml_entry *e = &v->entry[i];
        CHECK(e->key.p && e->key.p[e->key.n] == '\0' && e->value);
        CHECK(toml_entry_of(v, e->key) == e && toml_get(v, e->key) == e->value);
        CHECK(utf8_check(e->key) == e->key.n);
        check_place(l, e->at, 0);
        check_value(l, e->value, depth + 1);
    }
    CHECK(!toml_get(v, STR("\xFF")));
}

static void check_value(const struct lines *l, const struct toml *v, unsigned depth)
{
    CHECK(depth <= DEPTH_MAX);
    if (depth) /* the document itself stands at 1:1, even of an empty text */
        check_place(l, v->at, 0);
    switch (v->kind) {
    case TOML_TABLE:
        check_table(l, v, depth);
        return;
    case TOML_ARRAY:
        CHECK(!v->of_tables || v->n > 0);
        for (size_t i = 0; i < v->n; i++) {
            CHECK(!v->of_tables || v->item[i]->kind == TOML_TABLE);
            check_value(l, v->item[i], depth + 1);
        }
        return;
    default:
        CHECK(v->text.p && v->text.p[v->text.n] == '\0');
        CHECK(utf8_check(v->text) == v->text.n);
        CHECK(v->kind == TOML_STRING || v->text.n > 0);
    }
}

/* -- an allocator that fails --------------------------------------------------- */

struct failing {
    size_t left; /* allocations that still succeed */
    size_t live;
};

static void *failing_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    struct failing *f = user;
    if (new_size == 0) {
        f->live -= old_size;
        free(ptr);
        return NULL;
    }
    if (f->left == 0)
        return NULL;
    f->left--;
    void *p = realloc(ptr, new_size);
    if (p)
        f->live += new_size - old_size;
    return p;
}

static void parse_failing(struct str text, size_t left, bool was_good, enum code was)
{
    struct failing f = {left, 0};
    cando_allocator a = {failing_resize, &f};
    struct arena ar;
    arena_init(&ar, &a);
    enum code code = CODE_internal;
    struct toml *root = toml_parse(&ar, text, &code, NULL, NULL, 0);
    CHECK(root ? was_good : code == CODE_memory || (!was_good && code == was));
    arena_free(&ar);
    CHECK(f.live == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *copy = malloc(size ? size : 1); /* exact, so that reading past its end is seen */
    CHECK(copy);
    if (size)
        memcpy(copy, data, size);
    struct str text = str_make(copy, size);
    struct lines l = lines_of(text);
    struct arena ar;
    arena_init(&ar, NULL);
    enum code code = CODE_internal;
    struct toml_pos at = {0, 0, 0};
    char message[160] = "";
    struct toml *root = toml_parse(&ar, text, &code, &at, message, sizeof message);
    if (root) {
        check_value(&l, root, 0);
    } else {
        CHECK(code == CODE_toml_syntax || code == CODE_toml_duplicate_key ||
              code == CODE_toml_depth || code == CODE_toml_size);
        check_place(&l, at, 1);
        CHECK(message[0] && utf8_check(str_of(message)) == strlen(message));
    }
    parse_failing(text, size ? data[size - 1] % 64 : 0, root != NULL, code);
    arena_free(&ar);
    free(l.length);
    free(copy);
    return 0;
}
