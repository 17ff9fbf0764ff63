/*
 * test_toml_write.c - what is written is TOML, and is read back as it was given.
 */
#include "text/toml.h"
#include "text/toml_write.h"

#include "test.h"

static void writes_lines_and_nests(void **state)
{
    (void)state;
    struct buf b;
    struct toml_writer w;
    buf_init(&b, NULL, 4096);
    tw_init(&w, &b, "\r\n");
    tw_line(&w, "[[rules]]");
    tw_pair(&w, STR("name"), STR("a"));
    tw_key(&w, STR("set"));
    tw_table(&w);
    tw_key(&w, STR("n"));
    tw_plain(&w, "%d", 7);
    tw_key(&w, STR("list"));
    tw_list(&w);
    tw_str(&w, STR("x"));
    tw_str(&w, STR("y"));
    tw_list_end(&w);
    tw_key(&w, STR("none"));
    tw_list(&w);
    tw_list_end(&w);
    tw_table_end(&w);
    tw_pair(&w, STR("end"), STR(""));
    assert_string_equal(buf_cstr(&b), "[[rules]]\r\nname = \"a\"\r\n"
                                      "set = { n = 7, list = [\"x\", \"y\"], none = [] }\r\n"
                                      "end = \"\"\r\n");
    buf_free(&b);
}

static void reads_back_what_it_wrote(void **state)
{
    (void)state;
    static const struct str texts[] = {
        STR("plain-key_1"),    STR(""), STR("a b"), STR("\"\\\""), STR("tab\tand\nline\x7f"),
        STR("caf\xc3\xa9 = [")};
    struct arena ar;
    arena_init(&ar, NULL);
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct buf b;
        struct toml_writer w;
        enum code code;
        struct toml_pos at;
        char message[100];
        buf_init(&b, NULL, 4096);
        tw_init(&w, &b, "\n");
        tw_pair(&w, texts[i], texts[i]);
        struct toml *t = toml_parse(&ar, str_make(b.p, b.n), &code, &at, message, sizeof message);
        assert_non_null(t);
        const struct toml *v = toml_get(t, texts[i]);
        assert_non_null(v);
        assert_true(str_eq(v->text, texts[i]));
        buf_free(&b);
    }
    arena_free(&ar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_lines_and_nests),
        cmocka_unit_test(reads_back_what_it_wrote),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
