/*
 * test_locate.c - places within a request: ends of values, keys, members. The texts are parts of
 * larger ones, so that a step too far reads what would change the answer.
 */
#include "test.h"

#include "request/preflight.h"

/* The value at the start of the text ends behind so many bytes. */
static void ends(const char *text, size_t want)
{
    size_t have = locate_end(str_of(text), 0);
    if (have != want)
        fail_msg("%s ends at %zu, not at %zu", text, have, want);
}

static void test_ends(void **state)
{
    (void)state;
    ends("\"a\" ", 3);
    ends("\"a\\\"b\",1", 6);      /* "a\"b" */
    ends("\"a\\\\\",\"b\"", 5);   /* "a\\" */
    ends("\"\\\\\\\"b\",1", 7);   /* "\\\"b" */
    ends("\"\\\"\\\"\\\"\"x", 8); /* "\"\"\"" */
    ends("\"a\\\"", 4);           /* never ends */
    ends("\"", 1);
    ends("12,3", 2);
    ends("12]", 2);
    ends("12}", 2);
    ends("12 ", 2);
    ends("12", 2);
    ends("true\n", 4);
    ends("[],1", 2);
    ends("[1,[2,\"]\"],{}] ,", 14);
    ends("{\"a\":{\"b\":[]}}}", 14);
    ends("{\"}\\\"\":1}x", 9);
    ends("[1", 2);
    ends(",", 0);
    ends("]", 1);
}

static void test_next(void **state)
{
    (void)state;
    static const char text[] = "{ \"a\" : 1 , \"b\\\"c\":[2], \"d\":\"e\"}";
    struct str all = str_of(text), key;
    struct scan_place v;
    size_t at = 1;
    assert_true(locate_next(all, &at, &key, &v));
    assert_str(key, "a");
    assert_str(str_make(text + v.at, v.end - v.at), "1");
    assert_true(locate_next(all, &at, &key, &v));
    assert_str(key, "b\\\"c");
    assert_str(str_make(text + v.at, v.end - v.at), "[2]");
    assert_true(locate_next(all, &at, &key, &v));
    assert_str(key, "d");
    assert_str(str_make(text + v.at, v.end - v.at), "\"e\"");
    assert_false(locate_next(all, &at, &key, &v));
    at = 0; /* the end of a list, and texts in it */
    assert_true(locate_next(STR("\"a\", 2"), &at, &key, &v));
    assert_str(key, "");
    assert_true(locate_next(STR("\"a\", 2"), &at, &key, &v));
    assert_int_equal(v.at, 5);
    assert_false(locate_next(STR("\"a\", 2"), &at, &key, &v));
    at = 0; /* what stands behind the text is none of it */
    assert_true(locate_next(str_make("\"a\":1", 3), &at, &key, &v));
    assert_str(key, "");
    assert_int_equal(v.end, 3);
    at = 0;
    assert_false(locate_next(str_make("\"a\":1", 4), &at, &key, &v));
    at = 0;
    assert_false(locate_next(STR("]"), &at, &key, &v));
    at = 0;
    assert_false(locate_next(STR(", }"), &at, &key, &v));
}

static void test_back(void **state)
{
    (void)state;
    static const char text[] = "x  \n 7";
    assert_int_equal(locate_back(str_of(text), 5), 0);
    /* what stands before the text is none of it */
    assert_int_equal(locate_back(str_make(text + 2, 4), 3), SIZE_MAX);
    assert_int_equal(locate_back(str_of(text), 0), SIZE_MAX);
}

static void test_keys_and_members(void **state)
{
    (void)state;
    static const char text[] = "{\"a\\\"\\\\\" : 7, \"b\":[8], \"\\u0063\":9}";
    struct str all = str_of(text);
    struct scan_place v;
    size_t key = 99;
    assert_true(locate_key(all, (size_t)(strchr(text, '7') - text), &key));
    assert_int_equal(key, 1);
    assert_false(locate_key(all, (size_t)(strchr(text, '8') - text), &key));
    assert_false(locate_key(all, 0, &key));
    assert_false(locate_key(STR("a:1"), 2, &key));
    assert_false(locate_key(STR("a\":1"), 3, &key));
    assert_true(locate_member(all, 0, STR("b"), &v));
    assert_int_equal(text[v.at], '[');
    assert_int_equal(text[v.end - 1], ']');
    assert_true(locate_member(all, 0, STR("c"), &v)); /* however it is written */
    assert_int_equal(text[v.at], '9');
    assert_true(locate_member(all, 0, STR("a\"\\"), &v));
    assert_false(locate_member(all, 0, STR("a"), &v));
    assert_false(locate_member(all, 0, STR("bb"), &v));
    assert_false(locate_member(all, 0, STR(""), &v));
    assert_false(locate_member(all, 1, STR("b"), &v));
    assert_false(locate_member(str_make("{", 0), 0, STR("b"), &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_next),
        cmocka_unit_test(test_back),
        cmocka_unit_test(test_keys_and_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
