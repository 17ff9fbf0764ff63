/*
 * test_json_keep.c - members that are kept as they are, and strings decoded on their
 * own.
 *
 * What must hold: json_parse_keeping is json_parse but for the kept members; each of
 * these has the bytes of the value and reads to the same tree; an error is the same
 * error, be it found at once or when a kept member is read.
 */
#include "json_case.h"

#include "base/limits.h"

#define EDITED_TEXTS 20000

/* ctx: the key to keep. */
static bool keep_one(void *ctx, struct str key)
{
    return str_is(key, ctx);
}

static bool keep_all(void *ctx, struct str key)
{
    (void)ctx;
    (void)key;
    return true;
}

/* ctx: a number that decides about each key. */
static bool keep_some(void *ctx, struct str key)
{
    return str_hash(key, *(const uint64_t *)ctx) & 1;
}

static void raw_is(const struct json *v, const char *bytes, const char *name)
{
    assert_non_null(v);
    assert_int_equal(v->kind, JSON_RAW);
    assert_int_equal(v->n, 0);
    assert_true(str_is(v->text, bytes));
    assert_int_equal(v->end - v->at, strlen(bytes));
    assert_string_equal(json_kind_name(v), name);
}

static void test_kept(void **state)
{
    (void)state;
    struct str text = STR(" { \"op\" : \"x\", \"body\" :\n"
                          " {\"a\": [1, \"]}\\\"\", {}]} , \"n\": [2]}\n");
    struct json_error err;
    const struct json *v = json_parse_keeping(&arena, text, keep_one, "body", &err);
    assert_non_null(v);
    assert_int_equal(v->kind, JSON_OBJECT);
    assert_int_equal(v->n, 3);
    assert_int_equal(v->at, 1);
    assert_int_equal(v->end, text.n - 1);
    assert_true(str_is(json_get(v, "op")->text, "x"));
    assert_int_equal(json_get(v, "n")->kind, JSON_ARRAY);
    const struct json *raw = json_get(v, "body");
    raw_is(raw, "{\"a\": [1, \"]}\\\"\", {}]}", "an object");
    assert_ptr_equal(raw->text.p, text.p + raw->at);
    const struct json *body = json_raw_parse(&arena, text, raw, &err);
    assert_non_null(body);
    assert_int_equal(body->kind, JSON_OBJECT);
    assert_int_equal(body->at, raw->at);
    assert_int_equal(body->end, raw->end);
    assert_true(str_is(body->item[0].item[1].text, "]}\""));
    assert_int_equal(body->item[0].item[0].at, raw->at + 7);
    /* what is not kept is given back */
    assert_ptr_equal(json_raw_parse(&arena, text, v, &err), v);
    assert_null(json_raw_parse(&arena, text, NULL, &err));
    /* kept only at the outermost level */
    v = json_parse_keeping(&arena, STR("{\"a\":{\"body\":1}}"), keep_one, "body", &err);
    assert_int_equal(json_get(json_get(v, "a"), "body")->kind, JSON_NUMBER);
    /* keys are compared decoded */
    v = json_parse_keeping(&arena, STR("{\"b\\u006fdy\":1}"), keep_one, "body", &err);
    raw_is(&v->item[0], "1", "a number");
}

static void test_scalars(void **state)
{
    (void)state;
    struct json_error err;
    struct str text = STR("{\"a\":null,\"b\":true ,\"c\":false\n,\"d\":-1.5e+3,"
                          "\"e\":\"\\\\\",\"f\":[],\"g\":{}}");
    const struct json *v = json_parse_keeping(&arena, text, keep_all, NULL, &err);
    assert_non_null(v);
    assert_int_equal(v->n, 7);
    raw_is(&v->item[0], "null", "null");
    raw_is(&v->item[1], "true", "a boolean");
    raw_is(&v->item[2], "false", "a boolean");
    raw_is(&v->item[3], "-1.5e+3", "a number");
    raw_is(&v->item[4], "\"\\\\\"", "a string");
    raw_is(&v->item[5], "[]", "an array");
    raw_is(&v->item[6], "{}", "an object");
    /* written as they are, equal if their bytes are */
    struct buf out;
    struct json_writer w;
    buf_init(&out, NULL, 1000);
    jw_init(&w, &out, false);
    jw_value(&w, v);
    assert_string_equal(buf_cstr(&out), "{\"a\":null,\"b\":true,\"c\":false,\"d\":-1.5e+3,"
                                        "\"e\":\"\\\\\",\"f\":[],\"g\":{}}");
    buf_free(&out);
    assert_true(json_equal(v, json_parse_keeping(&arena, text, keep_all, NULL, &err)));
    assert_false(json_equal(v, json_parse(&arena, text, &err)));
    /* any other text is read as ever */
    v = json_parse_keeping(&arena, STR("[1]"), keep_all, NULL, &err);
    assert_int_equal(v->item[0].kind, JSON_NUMBER);
    assert_int_equal(json_parse_keeping(&arena, STR("{ }"), keep_all, NULL, &err)->n, 0);
    assert_null(json_parse_keeping(&arena, STR_NONE, keep_all, NULL, &err));
    text = str_make("{", LIMIT_JSON_BYTES + 1u);
    assert_null(json_parse_keeping(&arena, text, keep_all, NULL, &err));
    assert_int_equal(err.code, CODE_json_size);
}

static void test_depth(void **state)
{
    (void)state;
    struct buf b;
    struct json_error err;
    buf_init(&b, NULL, 1 << 20);
    for (unsigned depth = LIMIT_JSON_DEPTH - 1; depth <= LIMIT_JSON_DEPTH; depth++) {
        buf_clear(&b);
        buf_putz(&b, "{\"a\":");
        for (unsigned i = 0; i < depth; i++)
            buf_putc(&b, '[');
        for (unsigned i = 0; i < depth; i++)
            buf_putc(&b, ']');
        buf_putc(&b, '}');
        struct str text = str_make(b.p, b.n);
        const struct json *v = json_parse_keeping(&arena, text, keep_all, NULL, &err);
        if (depth < LIMIT_JSON_DEPTH) {
            assert_non_null(v);
            assert_non_null(json_raw_parse(&arena, text, &v->item[0], &err));
        } else {
            assert_null(v);
            assert_int_equal(err.code, CODE_json_depth);
            assert_int_equal(err.at, 5 + LIMIT_JSON_DEPTH - 1);
        }
    }
    /* what is too deep ends nowhere, whatever stands behind it */
    buf_clear(&b);
    buf_putz(&b, "{\"a\":");
    for (unsigned i = 0; i < LIMIT_JSON_DEPTH; i++)
        buf_putc(&b, '[');
    buf_putc(&b, '}');
    assert_null(json_parse_keeping(&arena, str_make(b.p, b.n), keep_all, NULL, &err));
    assert_int_equal(err.code, CODE_json_depth);
    buf_free(&b);
}

/* -- the property ------------------------------------------------------------------- */

static void same_error(const struct json_error *a, const struct json_error *b, struct str text)
{
    if (a->code != b->code || a->at != b->at || a->line != b->line || a->column != b->column ||
        strcmp(a->message, b->message) != 0)
        fail_msg("of %.*s: '%s' at %zu is not '%s' at %zu", STR_ARG(text), a->message, a->at,
                 b->message, b->at);
}

static void same_value(const struct json *a, const struct json *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->at, b->at);
    assert_int_equal(a->end, b->end);
    assert_int_equal(a->n, b->n);
    assert_true(str_eq(a->text, b->text));
    for (size_t i = 0; i < a->n; i++) {
        if (a->kind == JSON_OBJECT) {
            assert_int_equal(a->key[i].at, b->key[i].at);
            assert_int_equal(a->key[i].end, b->key[i].end);
            assert_true(str_eq(a->key[i].text, b->key[i].text));
        }
        same_value(&a->item[i], &b->item[i]);
    }
}

/* v is the text with some members kept: reads these in their places. False, and the
 * error, if one is bad. */
static bool read_kept(struct arena *ar, struct str text, struct json *v, struct json_error *err)
{
    bool ok = true;
    for (size_t i = 0; v->kind == JSON_OBJECT && i < v->n; i++) {
        struct json *item = &v->item[i];
        if (item->kind != JSON_RAW)
            continue;
        assert_true(str_eq(item->text, str_make(text.p + item->at, item->end - item->at)));
        const struct json *read = json_raw_parse(ar, text, item, err);
        if (read) {
            assert_string_equal(json_kind_name(item), json_kind_name(read));
            *item = *read;
        }
        ok = ok && read;
    }
    return ok;
}

/* 0: refused, 1: kept members were bad, 2: accepted. */
static unsigned check_text(struct str text, uint64_t salt)
{
    struct json_error whole = {0}, kept = {0};
    arena_clear(&arena);
    struct json *a = json_parse(&arena, text, &whole);
    struct json *b = json_parse_keeping(&arena, text, keep_some, &salt, &kept);
    if (!b) {
        assert_null(a);
        same_error(&whole, &kept, text);
        return 0;
    }
    if (!read_kept(&arena, text, b, &kept)) {
        assert_null(a);
        same_error(&whole, &kept, text);
        return 1;
    }
    assert_non_null(a);
    same_value(a, b);
    return 2;
}

static void test_like_parse(void **state)
{
    (void)state;
    struct json_texts texts;
    unsigned count[3] = {0};
    json_texts_read(&texts);
    for (size_t i = 0; i < texts.n; i++)
        for (uint64_t salt = 0; salt < 4; salt++)
            count[check_text(texts.text[i], salt)]++;
    for (unsigned i = 0; i < EDITED_TEXTS; i++) {
        struct str s = json_text_edited(&texts);
        count[check_text(s, i)]++;
        json_text_free(s);
    }
    assert_true(count[0] > 1000 && count[1] > 100 && count[2] > 1000);
    json_texts_free(&texts);
}

static void put_long_value(struct buf *b, unsigned i)
{
    static const char *const piece[] = {"plain text", "\\u00e9", "\xE2\x82\xAC", "\\\\", "\\\"",
                                        "}]"};
    if (i % 4 == 3) {
        buf_putz(b, "[");
        for (unsigned k = 0; k < 50 * i; k++)
            buf_printf(b, "%s{\"n\":%u,\"s\":\"%s\"}", k ? ", " : "", k, piece[k % 6]);
        buf_putz(b, "]");
        return;
    }
    buf_putc(b, '"');
    for (unsigned k = 0; k < 300 * i; k++)
        buf_putz(b, piece[(k + i * k / 7) % 6]);
    buf_putc(b, '"');
}

/* Texts for which the reader has room for one member at a time. */
static void test_long(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 32 << 20);
    for (unsigned round = 0; round < 12; round++) {
        buf_clear(&b);
        buf_putz(&b, "{\n");
        for (unsigned i = 0; i < 2 + round * 3; i++) {
            buf_printf(&b, "%s\"key %u\\n\": ", i ? ", " : "", i);
            put_long_value(&b, i);
            buf_printf(&b, ", \"n%u\": 1%u, \"z%u\": true", i, i, i);
        }
        buf_putz(&b, "}");
        for (uint64_t salt = 0; salt < 8; salt++)
            assert_int_equal(check_text(str_make(b.p, b.n), salt), 2);
        b.n -= 2; /* the last word and the bracket are gone */
        assert_int_equal(check_text(str_make(b.p, b.n), round), 0);
    }
    assert_true(b.n > 500000);
    buf_free(&b);
}

/* Rows of backslashes of every length, across the ends of blocks. */
static void test_backslashes(void **state)
{
    (void)state;
    for (unsigned before = 0; before < 70; before++)
        for (unsigned slashes = 0; slashes < 70; slashes += 1 + slashes / 9) {
            struct buf b;
            buf_init(&b, NULL, 10000);
            buf_putz(&b, "{\"k\":[\"");
            for (unsigned i = 0; i < before; i++)
                buf_putc(&b, 'x');
            for (unsigned i = 0; i < slashes; i++)
                buf_putc(&b, '\\');
            buf_putz(&b, "\",{\"]\":[]}]}");
            for (uint64_t salt = 0; salt < 3; salt++)
                assert_int_equal(check_text(str_make(b.p, b.n), salt) == 2, slashes % 2 == 0);
            buf_free(&b);
        }
}

/* No memory is said to be that, and never a tree without what was to be kept. */
static void test_out_of_memory(void **state)
{
    (void)state;
    struct str text = STR("{\"a\":[1,{\"b\":\"\\n\"}],\"body\":{\"c\":[2]},\"d\":{},"
                          "\"e\":1,\"f\":2,\"g\":3,\"h\":4,\"i\":5,\"j\":6}");
    bool done = false;
    for (size_t n = 1; !done; n++) {
        struct failing f = {.fail_at = n};
        cando_allocator a = {failing_resize, &f};
        struct arena ar;
        struct json_error err = {0};
        arena_init(&ar, &a);
        const struct json *v = json_parse_keeping(&ar, text, keep_one, "body", &err);
        if (v) {
            raw_is(json_get(v, "body"), "{\"c\":[2]}", "an object");
            const struct json *body = json_raw_parse(&ar, text, json_get(v, "body"), &err);
            done = body != NULL && !f.failed;
            v = body;
        }
        if (!v)
            assert_int_equal(err.code, CODE_memory);
        arena_free(&ar);
        assert_int_equal(f.live, 0);
        assert_true(n < 1000);
    }
}

/* -- strings ------------------------------------------------------------------------- */

static void test_unescape(void **state)
{
    (void)state;
    static const struct {
        struct str from, to;
    } rows[] = {
        {{"", 0}, {"", 0}},
        {{"plain", 5}, {"plain", 5}},
        {{"\\\"\\\\\\/\\b\\f\\n\\r\\t", 16}, {"\"\\/\b\f\n\r\t", 8}},
        {{"a\\u0000b", 8}, {"a\0b", 3}},
        {{"\\u00E9x\\u20ac", 13}, {"\xC3\xA9x\xE2\x82\xAC", 6}},
        {{"<\\ud83d\\uDE00>", 14}, {"<\xF0\x9F\x98\x80>", 6}},
        {{"\xC3\xA9 and a row of plain text\\n", 29}, {"\xC3\xA9 and a row of plain text\n", 28}},
        /* no valid string: as it is, and never longer */
        {{"\\", 1}, {"\\", 1}},
        {{"\\u12", 4}, {"\\u12", 4}},
        {{"\\ud800x", 7}, {"\\ud800x", 7}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *out = malloc(rows[i].from.n + 1), *own = malloc(rows[i].from.n + 1);
        assert_true(out && own);
        size_t n = json_unescape(rows[i].from, out);
        assert_true(str_eq(str_make(out, n), rows[i].to));
        memcpy(own, rows[i].from.p, rows[i].from.n);
        n = json_unescape(str_make(own, rows[i].from.n), own); /* in its place */
        assert_true(str_eq(str_make(own, n), rows[i].to));
        free(out);
        free(own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) TEST_WITH_ARENA(name)
        T(test_kept), T(test_scalars), T(test_depth), T(test_like_parse), T(test_long),
        T(test_backslashes), T(test_out_of_memory), T(test_unescape),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
