/*
 * test_json_pick.c - the reader that leaves out what nobody wants: what it keeps, and that
 * it accepts and refuses what json_parse does.
 */
#include "json_case.h"

#include "text/json_pick.h"

#define EDITED_TEXTS 20000
#define PICK(z, in, n) {{z, sizeof(z) - 1}, in, n}

static const struct json_pick leaf[] = {PICK("b", NULL, 0)};
static const struct json_pick picks[] = {
    PICK("all", NULL, 0),
    PICK("some", leaf, 1),
    PICK("none", leaf, 0),
};

static const char *picked(const char *text)
{
    struct buf b;
    struct json_writer w;
    const struct json *v = json_parse_picking(&arena, str_of(text), picks, LENGTH(picks), NULL);
    assert_non_null(v);
    buf_init_arena(&b, &arena, 1 << 20);
    jw_init(&w, &b, false);
    jw_value(&w, v);
    return buf_cstr(&b);
}

static void test_picks(void **state)
{
    (void)state;
    assert_string_equal(picked("{}"), "{}");
    assert_string_equal(picked(" [ ] "), "[]");
    assert_string_equal(picked("7"), "7");
    assert_string_equal(picked("{\"x\":1,\"all\":{\"x\":[1,{\"y\":null}]},\"y\":\"\\u00e9\"}"),
                        "{\"all\":{\"x\":[1,{\"y\":null}]}}");
    assert_string_equal(picked("{\"some\":{\"a\":1,\"b\":2,\"c\":{}},\"none\":{\"b\":3}}"),
                        "{\"some\":{\"b\":2},\"none\":{}}");
    assert_string_equal(picked("{\"some\":[{\"a\":1},{\"b\":true},4,[{\"b\":5,\"c\":6}]]}"),
                        "{\"some\":[{},{\"b\":true},4,[{\"b\":5}]]}");
    assert_string_equal(picked("[{\"all\":1,\"x\":2},{\"x\":3}]"), "[{\"all\":1},{}]");
}

/* Strings are texts with a NUL behind them, decoded; everything knows its place. */
static void test_texts(void **state)
{
    static const char text[] = "{\"x\":0, \"all\": \"a\\n\\ud83d\\ude00\", \"some\" : -1.50e+3 }";
    (void)state;
    const struct json *v = json_parse_picking(&arena, str_of(text), picks, LENGTH(picks), NULL);
    assert_non_null(v);
    assert_int_equal(v->n, 2);
    assert_string_equal(v->item[0].text.p, "a\n\xF0\x9F\x98\x80");
    assert_str(v->item[1].text, "-1.50e+3");
    for (size_t i = 0; i < v->n; i++) {
        const struct json *x = json_get(json_of(text), i ? "some" : "all");
        assert_int_equal(v->item[i].at, x->at);
        assert_int_equal(v->item[i].end, x->end);
        assert_str(v->key[i].text, i ? "some" : "all");
        assert_int_equal(v->key[i].at, strstr(text, i ? "\"some" : "\"all") - text);
        assert_int_equal(v->key[i].end, v->key[i].at + (i ? 6 : 5));
    }
}

/* More than it has room for: it must find that out, and the answer stays the same. */
static void test_large(void **state)
{
    struct buf b;
    (void)state;
    buf_init_arena(&b, &arena, 1 << 20);
    buf_putz(&b, "{\"all\":[");
    for (unsigned i = 0; i < 1000; i++)
        buf_printf(&b, "%s{\"n\":%u}", i ? "," : "", i);
    buf_putz(&b, "],\"keys\":{");
    for (unsigned i = 0; i < 400; i++)
        buf_printf(&b, "%s\"key%u\":%u", i ? "," : "", i, i);
    buf_putz(&b, "},\"deep\":");
    for (unsigned i = 0; i < 200; i++)
        buf_putc(&b, '[');
    for (unsigned i = 0; i < 200; i++)
        buf_putc(&b, ']');
    buf_putc(&b, '}');
    const char *text = buf_cstr(&b);
    const struct json *v = json_parse_picking(&arena, str_of(text), picks, LENGTH(picks), NULL);
    assert_non_null(v);
    assert_true(json_equal(json_get(v, "all"), json_get(json_of(text), "all")));
    assert_int_equal(json_get(v, "all")->n, 1000);
}

static void test_equal_keys(void **state)
{
    static const char *const bad[] = {
        "{\"x\":{\"a\":1,\"b\":2,\"a\":3}}",
        "{\"prompt_tokens\":1,\"prompt_tokens_details\":{},\"prompt_tokens\":1}",
        "{\"\":1,\"\":2}",
        "{\"a\":1,\"\\u0061\":2}",
        "[{\"x\":[{\"y\":1,\"y\":1}]}]",
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(bad); i++) {
        struct json_error err;
        assert_null(json_parse_picking(&arena, str_of(bad[i]), picks, LENGTH(picks), &err));
        assert_int_equal(err.code, CODE_json_duplicate_key);
    }
    char many[4000] = "{";
    for (int i = 0; i < 300; i++)
        snprintf(many + strlen(many), 16, "\"k%d\":1,", i);
    strcat(many, "\"z\":1,\"z\":2}");
    assert_null(json_parse_picking(&arena, str_of(many), picks, LENGTH(picks), NULL));
    assert_string_equal(picked("{\"a\":{\"a\":{\"a\":1}},\"all\":{\"a\":{\"a\":2}}}"),
                        "{\"all\":{\"a\":{\"a\":2}}}");
}

/* The same verdict and the same tree as json_parse. */
static bool agree(struct arena *ar, struct str s)
{
    struct json_error err = {0}, other = {0};
    arena_clear(ar);
    const struct json *v = json_parse(ar, s, &err);
    const struct json *all = json_parse_picking(ar, s, NULL, 0, &other);
    const struct json *some = json_parse_picking(ar, s, picks, LENGTH(picks), NULL);
    if (!v != !all || !v != !some || (v && !json_equal(v, all)))
        fail_msg("of %.*s: %s, %s, %s", STR_ARG(s), err.message, other.message, some ? "some" : "");
    if (!v)
        assert_memory_equal(&err, &other, sizeof err);
    return v;
}

static void test_same_verdict(void **state)
{
    struct json_texts texts;
    struct arena ar;
    unsigned accepted = 0;
    (void)state;
    json_texts_read(&texts);
    arena_init(&ar, NULL);
    for (size_t i = 0; i < texts.n; i++)
        agree(&ar, texts.text[i]);
    for (unsigned i = 0; i < EDITED_TEXTS; i++) {
        struct str s = json_text_edited(&texts);
        accepted += agree(&ar, s);
        json_text_free(s);
    }
    assert_true(accepted > EDITED_TEXTS / 20 && accepted < EDITED_TEXTS / 2);
    arena_free(&ar);
    json_texts_free(&texts);
}

static void test_memory(void **state)
{
    static const char text[] = "{\"all\":{\"a\":[\"b\\n\",{\"c\":1}]},\"some\":[{\"b\":2}]}";
    bool done = false;
    (void)state;
    for (size_t n = 0; !done; n++) {
        struct failing f = failing_after(n);
        cando_allocator a = {failing_resize, &f};
        struct arena ar;
        struct json_error err = {0};
        arena_init(&ar, &a);
        done = json_parse_picking(&ar, str_of(text), picks, LENGTH(picks), &err);
        assert_true(done ? !f.failed : err.code == CODE_memory);
        arena_free(&ar);
        assert_int_equal(f.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_ARENA(test_picks),      TEST_WITH_ARENA(test_texts),
        TEST_WITH_ARENA(test_large),      TEST_WITH_ARENA(test_equal_keys),
        cmocka_unit_test(test_same_verdict), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
