/*
 * test_diag.c - codes, errors, and lists of findings.
 */

#include "test.h"

#include "base/diag.h"
#include "base/limits.h"

static void test_codes(void **state)
{
    (void)state;
    for (unsigned c = 0; c < CODE_COUNT; c++) {
        const char *name = code_name((enum code)c);
        assert_int_equal(code_find(str_of(name)), c); /* no name stands twice */
        assert_true(strlen(name) < sizeof((cando_error *)0)->code);
        for (const char *p = name; *p; p++)
            assert_true((*p >= 'a' && *p <= 'z') || *p == '-' || *p == '_'); /* ALLM's own codes have underscores */
        assert_true(code_text((enum code)c)[0]);
        assert_true(code_explanation((enum code)c)[0]);
        assert_ptr_equal(cando_explain(name), code_explanation((enum code)c));
    }
    assert_int_equal(code_find(STR("RULE_Shadowed")), CODE_rule_shadowed);
    assert_int_equal(code_find(STR("rule-shadowe")), CODE_COUNT);
    assert_int_equal(code_find(STR("")), CODE_COUNT);
    char longer[13 + 256] = "rule-shadowed"; /* as long as it, in eight bits */
    assert_int_equal(code_find(str_make(longer, sizeof longer)), CODE_COUNT);
    assert_null(cando_explain("nonsense"));
    assert_null(cando_explain(NULL));
    assert_string_equal(severity_name(CANDO_ERROR), "error");
    assert_string_equal(severity_name(CANDO_WARNING), "warning");
    assert_string_equal(severity_name(CANDO_NOTE), "note");
}

static void test_error(void **state)
{
    (void)state;
    cando_error err;
    memset(&err, 'x', sizeof err);
    assert_int_equal(error_set(&err, CANDO_BAD_INPUT, CODE_io, "cannot %s", "x"), CANDO_BAD_INPUT);
    assert_string_equal(err.code, "io");
    assert_string_equal(err.message, "cannot x");
    assert_string_equal(err.hint, "");
    assert_string_equal(err.at, "");
    assert_int_equal(err.line, 0);
    error_hint(&err, "try %d", 2);
    error_at(&err, STR("file.toml"), 3, 4);
    assert_string_equal(err.hint, "try 2");
    assert_string_equal(err.at, "file.toml");
    assert_int_equal(err.line, 3);
    char longer[2000];
    memset(longer, 'y', sizeof longer);
    longer[sizeof longer - 1] = '\0';
    error_set(&err, CANDO_BAD_INPUT, CODE_io, "%s", longer);
    error_hint(&err, "%s", longer);
    error_at(&err, str_of(longer), 1, 1);
    assert_int_equal(strlen(err.message), sizeof err.message - 1);
    assert_int_equal(strlen(err.hint), sizeof err.hint - 1);
    assert_int_equal(strlen(err.at), sizeof err.at - 1);
    assert_int_equal(error_memory(&err), CANDO_INTERNAL);
    assert_string_equal(err.code, "memory");
    assert_int_equal(error_set(NULL, CANDO_BAD_QUESTION, CODE_io, "x"), CANDO_BAD_QUESTION);
    error_hint(NULL, "x");
    error_at(NULL, STR("x"), 1, 1);
}

static void test_lines(void **state)
{
    (void)state;
    struct arena ar;
    struct diag_list d;
    arena_init(&ar, NULL);
    diag_init(&d, &ar);
    uint32_t f = diag_add_file(&d, STR("a"), STR("one\ntwo\r\n\nfour"));
    uint32_t empty = diag_add_file(&d, STR("b"), STR_NONE);
    assert_true(str_is(diag_line(&d, f, 1), "one"));
    assert_true(str_is(diag_line(&d, f, 2), "two"));
    assert_true(str_is(diag_line(&d, f, 3), ""));
    assert_true(str_is(diag_line(&d, f, 4), "four"));
    assert_int_equal(diag_line(&d, f, 5).n, 0);
    assert_int_equal(diag_line(&d, f, 0).n, 0);
    assert_int_equal(diag_line(&d, empty, 1).n, 0);
    assert_int_equal(diag_line(&d, 99, 1).n, 0);
    /* excerpts, whatever the order in which lines are asked for */
    static const uint32_t order[] = {4, 1, 2, 4, 3, 9, 2, 1, 0};
    static const char *const want[] = {"four", "one", "two", "four", "", "", "two", "one", ""};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++) {
        diag_add(&d, CODE_unknown_key, (struct place){f, order[i], 1, 1}, "finding %zu", i);
        assert_true(str_is(d.item[d.n - 1].excerpt, want[i]));
    }
    arena_free(&ar);
}

static void test_findings(void **state)
{
    (void)state;
    struct arena ar;
    struct diag_list d;
    arena_init(&ar, NULL);
    diag_init(&d, &ar);
    diag_add_file(&d, STR("a"), STR("x\ny\n"));
    diag_hint(&d, "before any finding");
    diag_add(&d, CODE_unknown_key, (struct place){0, 2, 1, 1}, "second");
    diag_hint(&d, "hint %d", 2);
    diag_add(&d, CODE_rule_shadowed, (struct place){0, 1, 5, 1}, "later column");
    diag_add(&d, CODE_no_source, (struct place){0, 1, 1, 1}, "first");
    diag_sort(&d);
    assert_int_equal(d.n, 3);
    assert_true(str_is(d.item[0].message, "first"));
    assert_true(str_is(d.item[1].message, "later column"));
    assert_true(str_is(d.item[2].message, "second"));
    assert_true(str_is(d.item[2].hint, "hint 2"));
    assert_string_equal(d.item[0].hint.p, "");
    assert_int_equal(d.item[0].severity, CANDO_NOTE);
    assert_int_equal(d.count[CANDO_NOTE], 1);
    assert_int_equal(d.count[CANDO_WARNING], 1);
    assert_int_equal(d.count[CANDO_ERROR], 1);
    assert_false(d.failed);
    arena_free(&ar);
}

/* A message that is cut is not cut inside a character. */
static void test_long_message(void **state)
{
    (void)state;
    struct arena ar;
    struct diag_list d;
    char text[3001];
    for (size_t i = 0; i < 3000; i += 2)
        memcpy(text + i, "\xC3\xA9", 2);
    text[3000] = '\0';
    arena_init(&ar, NULL);
    diag_init(&d, &ar);
    diag_add_file(&d, STR("a"), STR(""));
    for (int shift = 0; shift < 2; shift++) {
        diag_add(&d, CODE_unknown_key, (struct place){0, 1, 1, 1}, "%s%s", shift ? "x" : "", text);
        struct str m = d.item[d.n - 1].message;
        assert_true(m.n > 900);
        assert_int_equal(utf8_check(m), m.n);
        assert_int_equal(m.p[m.n], '\0');
    }
    arena_free(&ar);
}

static void test_limit(void **state)
{
    (void)state;
    struct arena ar;
    struct diag_list d;
    arena_init(&ar, NULL);
    diag_init(&d, &ar);
    diag_add_file(&d, STR("a"), STR("x"));
    size_t n = LIMIT_FINDINGS + 10u;
    for (size_t i = 0; i < n; i++) {
        diag_add(&d, CODE_unknown_key, (struct place){0, 1, 1, 1}, "%zu", i);
        diag_hint(&d, "h");
    }
    diag_add(&d, CODE_rule_shadowed, (struct place){0, 1, 1, 1}, "a warning has room of its own");
    assert_true(d.n <= LIMIT_FINDINGS + 1u);
    assert_int_equal(d.count[CANDO_ERROR], n); /* all are counted */
    assert_int_equal(d.count[CANDO_WARNING], 1);
    assert_false(d.failed);
    arena_free(&ar);
}

static void test_no_memory(void **state)
{
    (void)state;
    bool worked = false;
    for (size_t allow = 0; !worked; allow++) {
        struct failing f = failing_after(allow);
        cando_allocator a = {failing_resize, &f};
        struct arena ar;
        struct diag_list d;
        arena_init(&ar, &a);
        diag_init(&d, &ar);
        uint32_t file = diag_add_file(&d, STR("a"), STR("x"));
        assert_int_equal(file == UINT32_MAX, d.failed);
        for (int i = 0; i < 30; i++) {
            diag_add(&d, CODE_unknown_key, (struct place){0, 1, 1, 1}, "message %d", i);
            diag_hint(&d, "hint %d", i);
        }
        diag_sort(&d);
        worked = !d.failed;
        assert_true(worked ? d.n == 30 : f.failed);
        arena_free(&ar);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_codes),        cmocka_unit_test(test_error), cmocka_unit_test(test_lines), cmocka_unit_test(test_findings),
        cmocka_unit_test(test_long_message), cmocka_unit_test(test_limit), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
