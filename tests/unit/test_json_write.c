/*
 * test_json_write.c - the JSON writer: layout, escapes, and what cannot be
 * written; and that a parsed value written again is the same value.
 */

#include "test.h"

#include "base/limits.h"
#include "text/json.h"

static struct buf out;
static struct json_writer w;

static int setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    buf_init(&out, NULL, SIZE_MAX / 2);
    jw_init(&w, &out, false);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    buf_free(&out);
    arena_free(&arena);
    return 0;
}

static void again(bool pretty)
{
    buf_clear(&out);
    jw_init(&w, &out, pretty);
}

static void wrote(const char *want)
{
    const char *got = buf_cstr(&out);
    assert_non_null(got);
    assert_string_equal(got, want);
}

static void write_sample(void)
{
    jw_object(&w);
    jw_keyz(&w, "a");
    jw_array(&w);
    jw_uint(&w, UINT64_MAX);
    jw_int(&w, INT64_MIN);
    jw_bool(&w, true);
    jw_bool(&w, false);
    jw_null(&w);
    jw_strz(&w, NULL);
    jw_strz(&w, "x");
    jw_array_end(&w);
    jw_key(&w, STR("b"));
    jw_object(&w);
    jw_object_end(&w);
    jw_keyz(&w, "c");
    jw_array(&w);
    jw_array_end(&w);
    jw_keyz(&w, "d");
    jw_raw(&w, STR("{\"raw\":1}"));
    jw_keyz(&w, "e");
    jw_value(&w, json_of_str(STR("{\"n\":[1.50,{}],\"m\":\"\"}")));
    jw_object_end(&w);
}

static void test_compact(void **state)
{
    (void)state;
    write_sample();
    wrote("{\"a\":[18446744073709551615,-9223372036854775808,true,false,null,null,\"x\"],\"b\":{},\"c\":[],"
          "\"d\":{\"raw\":1},\"e\":{\"n\":[1.50,{}],\"m\":\"\"}}");
}

static void test_pretty(void **state)
{
    (void)state;
    again(true);
    write_sample();
    wrote("{\n"
          "  \"a\": [\n"
          "    18446744073709551615,\n"
          "    -9223372036854775808,\n"
          "    true,\n"
          "    false,\n"
          "    null,\n"
          "    null,\n"
          "    \"x\"\n"
          "  ],\n"
          "  \"b\": {},\n"
          "  \"c\": [],\n"
          "  \"d\": {\"raw\":1},\n"
          "  \"e\": {\n"
          "    \"n\": [\n"
          "      1.50,\n"
          "      {}\n"
          "    ],\n"
          "    \"m\": \"\"\n"
          "  }\n"
          "}");
}

static void one_string(struct str s, const char *want)
{
    again(false);
    jw_str(&w, s);
    wrote(want);
}

static void test_escapes(void **state)
{
    (void)state;
    one_string(STR(""), "\"\"");
    one_string(STR_NONE, "\"\"");
    one_string(STR("\"\\/\b\f\n\r\t"), "\"\\\"\\\\/\\b\\f\\n\\r\\t\"");
    one_string(STR("\0\x01\x1f\x7f"), "\"\\u0000\\u0001\\u001f\x7f\"");
    one_string(STR("\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80"), "\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80\"");
    one_string(STR("a\xFFz"), "\"a\xEF\xBF\xBDz\"");
    one_string(STR("\xC3"), "\"\xEF\xBF\xBD\"");
    one_string(STR("\xC3\"\xC3\n"), "\"\xEF\xBF\xBD\\\"\xEF\xBF\xBD\\n\"");
    one_string(STR("\xE2\x82"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\"");
    one_string(STR("\xC0\x80\xED\xA0\x80"), "\"\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD\"");
    again(false);
    jw_object(&w);
    jw_key(&w, STR("a\n\xFF"));
    jw_null(&w);
    jw_object_end(&w);
    wrote("{\"a\\n\xEF\xBF\xBD\":null}");
}

/* Every byte alone and between others gives a string that reads back. */
static void test_all_bytes(void **state)
{
    (void)state;
    for (unsigned c = 0; c < 256; c++) {
        char text[3] = {'x', (char)c, 'y'};
        again(false);
        jw_str(&w, str_make(text, 3));
        const struct json *v = json_of_str(str_make(out.p, out.n));
        if (c < 0x80)
            assert_memory_equal(v->text.p, text, 3);
        else
            assert_memory_equal(v->text.p, "x\xEF\xBF\xBDy", 5);
    }
}

static void test_depth(void **state)
{
    (void)state;
    for (unsigned i = 0; i < JSON_WRITER_DEPTH; i++)
        jw_array(&w);
    assert_false(out.failed);
    jw_null(&w);
    for (unsigned i = 0; i < JSON_WRITER_DEPTH; i++)
        jw_array_end(&w);
    assert_false(out.failed);
    assert_int_equal(out.n, 2 * JSON_WRITER_DEPTH + 4);
    json_of_str(str_make(out.p, out.n));

    again(false);
    for (unsigned i = 0; i < 5 * JSON_WRITER_DEPTH; i++) {
        jw_object(&w);
        jw_keyz(&w, "k");
    }
    assert_true(out.failed);
    assert_null(buf_cstr(&out));
    for (unsigned i = 0; i < 5 * JSON_WRITER_DEPTH; i++)
        jw_object_end(&w);
    assert_true(out.failed);
}

static void test_misuse(void **state)
{
    (void)state;
    jw_array_end(&w);
    assert_true(out.failed);
    again(false);
    jw_keyz(&w, "k");
    assert_true(out.failed);
    again(false);
    jw_object(&w);
    jw_keyz(&w, "k");
    jw_object_end(&w);
    assert_true(out.failed);
    again(false);
    jw_value(&w, NULL);
    wrote("null");
}

static void test_deep_value(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, NULL, SIZE_MAX / 2);
    for (unsigned i = 0; i < LIMIT_JSON_DEPTH; i++)
        buf_putz(&text, i % 2 ? "{\"a\":" : "[");
    buf_putc(&text, '1');
    for (unsigned i = LIMIT_JSON_DEPTH; i--;)
        buf_putc(&text, i % 2 ? '}' : ']');
    const struct json *v = json_of_str(str_make(text.p, text.n));
    jw_value(&w, v);
    wrote(buf_cstr(&text));
    /* also inside of the writer's own levels */
    again(true);
    jw_array(&w);
    jw_value(&w, v);
    jw_value(&w, v);
    jw_array_end(&w);
    assert_false(out.failed);
    assert_memory_equal(out.p, "[\n  [\n    {\n      \"a\": [", 24);
    buf_free(&text);
}

static void test_small_buffer(void **state)
{
    (void)state;
    struct str full = STR("[\"abc\",{\"k\":[1,2]}]");
    const struct json *v = json_of_str(full);
    for (size_t max = 0; max <= full.n; max++) {
        struct buf b;
        struct json_writer own;
        buf_init(&b, NULL, max);
        jw_init(&own, &b, false);
        jw_value(&own, v);
        /* a buffer takes memory in pieces of 256 bytes, and its maximum is
         * looked at when it wants a new one */
        if (!b.failed)
            assert_int_equal(b.n, full.n);
        else
            assert_true(b.n <= max);
        buf_free(&b);
    }
}

/* Into memory of the caller, of every size: either all of it, the same bytes, or
 * failed; a byte behind the memory is for the sanitizers to see. */
static void test_every_maximum(void **state)
{
    (void)state;
    for (unsigned pretty = 0; pretty < 2; pretty++) {
        again(pretty);
        write_sample();
        jw_str(&w, STR("\xC3\xA9 and \"more\" than a stride of text"));
        assert_false(out.failed);
        struct buf whole = out, lent;
        for (size_t max = 0; max <= whole.n; max++) {
            char *room = malloc(max ? max : 1);
            assert_non_null(room);
            buf_init_lent(&lent, room, max);
            out = lent;
            jw_init(&w, &out, pretty);
            write_sample();
            jw_str(&w, STR("\xC3\xA9 and \"more\" than a stride of text"));
            assert_int_equal(out.failed, max < whole.n);
            assert_true(out.n <= max);
            assert_memory_equal(out.p, whole.p, max < whole.n ? 0 : max);
            free(room);
        }
        out = whole;
    }
}

/* A literal key that needs no look gives the same as one that gets it. */
static void test_literal_keys(void **state)
{
    (void)state;
    for (unsigned pretty = 0; pretty < 2; pretty++) {
        again(pretty);
        jw_object(&w);
        jw_lit(&w, "");
        jw_object(&w);
        jw_lit(&w, "a");
        jw_uint(&w, 0);
        jw_lit(&w, "longer_key");
        jw_uint(&w, 1234567890);
        jw_key_plain(&w, STR("a key that is longer than a stride, or two of them"));
        jw_null(&w);
        jw_object_end(&w);
        jw_lit(&w, "seven_b");
        jw_bool(&w, true);
        jw_object_end(&w);
        wrote(pretty ? "{\n  \"\": {\n    \"a\": 0,\n    \"longer_key\": 1234567890,\n"
                       "    \"a key that is longer than a stride, or two of them\": null\n  },\n"
                       "  \"seven_b\": true\n}"
                     : "{\"\":{\"a\":0,\"longer_key\":1234567890,"
                       "\"a key that is longer than a stride, or two of them\":null},"
                       "\"seven_b\":true}");
    }
    again(false);
    jw_lit(&w, "k");
    assert_true(out.failed);
    again(false);
    jw_object(&w);
    jw_lit(&w, "k");
    jw_lit(&w, "k");
    assert_true(out.failed);
}

/* What is not plain, at every place of texts of every length around a stride. */
static void test_every_place(void **state)
{
    (void)state;
    static const struct {
        const char *in, *written;
    } rows[] = {{"\"", "\\\""}, {"\\", "\\\\"}, {"\x1f", "\\u001f"}, {"\x7f", "\x7f"},
                {"\xC3\xA9", "\xC3\xA9"}, {"\xE2\x82", "\xEF\xBF\xBD\xEF\xBF\xBD"}, {" ", " "}};
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    for (size_t n = 0; n < 40; n++)
        for (size_t at = 0; at <= n; at++)
            for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
                char want[80];
                struct buf text;
                buf_init(&text, NULL, 1000);
                buf_put(&text, letters, at);
                buf_putz(&text, rows[k].in);
                buf_put(&text, letters + at, n - at);
                snprintf(want, sizeof want, "\"%.*s%s%.*s\"", (int)at, letters, rows[k].written,
                         (int)(n - at), letters + at);
                char *exact = malloc(text.n);
                assert_non_null(exact);
                memcpy(exact, text.p, text.n);
                one_string(str_make(exact, text.n), want);
                free(exact);
                buf_free(&text);
            }
}

static void test_numbers(void **state)
{
    (void)state;
    uint64_t v = 1;
    for (unsigned i = 0; i < 64; i++, v = v * 2 + i % 3) {
        char want[80];
        int64_t same = (int64_t)v, below = -(int64_t)(v >> 1);
        snprintf(want, sizeof want, "[%ju,%jd,%jd]", (uintmax_t)v, (intmax_t)same, (intmax_t)below);
        again(false);
        jw_array(&w);
        jw_uint(&w, v);
        jw_int(&w, same);
        jw_int(&w, below);
        jw_array_end(&w);
        wrote(want);
    }
}

static void test_out_of_memory(void **state)
{
    (void)state;
    char long_text[5000];
    memset(long_text, 'x', sizeof long_text);
    bool done = false;
    for (size_t n = 0; !done; n++) {
        struct failing budget = failing_after(n);
        cando_allocator al = {failing_resize, &budget};
        struct buf b;
        struct json_writer own;
        buf_init(&b, &al, SIZE_MAX / 2);
        jw_init(&own, &b, true);
        jw_object(&own);
        for (unsigned i = 0; i < 100; i++) {
            jw_keyz(&own, "key");
            jw_str(&own, str_make(long_text, i * 50));
        }
        jw_object_end(&own);
        done = !b.failed;
        buf_free(&b);
        assert_int_equal(budget.live, 0);
        assert_true(n < 100);
    }
}

/* -- random values ------------------------------------------------------------------- */

static uint64_t seed = 20240611;

static unsigned pick(unsigned n)
{
    return dice(&seed, n);
}

static void random_string(struct buf *b, unsigned salt)
{
    static const char *const part[] = {"a", "\\n", "\\u0000", "\\ud83d\\ude00", "\xC3\xA9", "\\\"", "\\\\", "/", "\\/", "\x7F", "\\u001f", " "};
    buf_putc(b, '"');
    if (salt)
        buf_printf(b, "%u", salt);
    for (unsigned i = pick(6); i--;)
        buf_putz(b, part[pick(sizeof part / sizeof *part)]);
    buf_putc(b, '"');
}

static void random_space(struct buf *b)
{
    static const char *const space[] = {"", "", "", " ", "\n", "\t", "\r\n  "};
    buf_putz(b, space[pick(7)]);
}

static void random_value(struct buf *b, unsigned depth)
{
    static const char *const number[] = {"0", "-0", "1", "-1.5", "1e5", "1E-7", "123456789012345678901234567890", "0.10", "2e+3"};
    unsigned n = pick(5);
    random_space(b);
    switch (pick(depth ? 8 : 5)) {
    case 0:
        buf_putz(b, "null");
        break;
    case 1:
        buf_putz(b, pick(2) ? "true" : "false");
        break;
    case 2:
        buf_putz(b, number[pick(sizeof number / sizeof *number)]);
        break;
    case 3:
    case 4:
        random_string(b, 0);
        break;
    case 5:
        buf_putc(b, '[');
        for (unsigned i = 0; i < n; i++) {
            buf_putz(b, i ? "," : "");
            random_value(b, depth - 1);
        }
        buf_putc(b, ']');
        break;
    default:
        if (pick(10) == 0)
            n += 20;
        buf_putc(b, '{');
        for (unsigned i = 0; i < n; i++) {
            buf_putz(b, i ? "," : "");
            random_space(b);
            random_string(b, i + 1);
            random_space(b);
            buf_putc(b, ':');
            random_value(b, depth - 1);
        }
        buf_putc(b, '}');
    }
    random_space(b);
}

static void test_round_trip(void **state)
{
    (void)state;
    struct buf text, first;
    buf_init(&text, NULL, SIZE_MAX / 2);
    buf_init(&first, NULL, SIZE_MAX / 2);
    for (unsigned round = 0; round < 2000; round++) {
        buf_clear(&text);
        random_value(&text, 5);
        const struct json *v = json_of_str(str_make(text.p, text.n));
        for (unsigned pretty = 0; pretty < 2; pretty++) {
            again(pretty);
            jw_value(&w, v);
            const struct json *back = json_of_str(str_make(out.p, out.n));
            assert_true(json_equal(v, back));
            if (!pretty) { /* compact is a fixed point */
                buf_clear(&first);
                buf_put(&first, out.p, out.n);
                again(false);
                jw_value(&w, back);
                assert_int_equal(out.n, first.n);
                assert_memory_equal(out.p, first.p, first.n);
            }
        }
        arena_free(&arena);
    }
    buf_free(&text);
    buf_free(&first);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        T(test_compact), T(test_pretty), T(test_escapes), T(test_all_bytes), T(test_depth), T(test_misuse),
        T(test_deep_value), T(test_small_buffer), T(test_every_maximum), T(test_literal_keys),
        T(test_every_place), T(test_numbers), T(test_out_of_memory), T(test_round_trip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
