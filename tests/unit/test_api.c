/*
 * test_api.c - the table of wire APIs: signs, paths, and that what the files say fits together.
 */
#include "catalog/api.h"

#include "test.h"

#define TEXT(z)                                                                                    \
    {                                                                                              \
        z, sizeof(z) - 1                                                                           \
    }

/* A sign as gen_apis makes it of "path" with one step. */
static bool holds(struct api_sign sign, const char *text)
{
    sign.n_steps = sign.n_steps ? sign.n_steps : 1;
    return api_signs(&sign, 1, json_of(text));
}

static void test_signs(void **state)
{
    (void)state;
    const struct api_sign there = {.step = {TEXT("a")}, .test = SIGN_THERE},
                          exists = {.step = {TEXT("a")}, .test = SIGN_EXISTS},
                          not_there = {.step = {TEXT("a")}, .test = SIGN_THERE, .no = true},
                          is = {.step = {TEXT("a")}, .test = SIGN_IS, .words = "x true []"},
                          starts = {.step = {TEXT("a")}, .test = SIGN_STARTS, .words = "ab cd"},
                          list = {.step = {TEXT("a")}, .test = SIGN_KIND, .kind = JSON_ARRAY},
                          deep = {.step = {TEXT("a"), TEXT("b")}, .n_steps = 2, .each = 1};
    static const char *const empty[] = {"{}",         "{\"a\":null}", "{\"a\":\"\"}",
                                        "{\"a\":[]}", "[1]",          "7"};
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        assert_false(holds(there, empty[i]));
        assert_true(holds(not_there, empty[i]));
        assert_int_equal(holds(exists, empty[i]), i >= 1 && i <= 3);
    }
    assert_true(holds(there, "{\"a\":0}") && holds(there, "{\"a\":false}") &&
                holds(there, "{\"a\":{}}"));
    assert_true(holds(is, "{\"a\":\"x\"}") && holds(is, "{\"a\":true}") && holds(is, "{\"a\":[]}"));
    assert_false(holds(is, "{\"a\":\"xx\"}") || holds(is, "{\"a\":false}") ||
                 holds(is, "{\"a\":[1]}"));
    assert_true(holds(starts, "{\"a\":\"cde\"}"));
    assert_false(holds(starts, "{\"a\":\"c\"}") || holds(starts, "{\"a\":[\"cd\"]}"));
    assert_true(holds(list, "{\"a\":[]}"));
    assert_false(holds(list, "{\"a\":{}}"));
    assert_true(holds(deep, "{\"a\":[{},7,{\"b\":1}]}"));
    assert_false(holds(deep, "{\"a\":[{},{\"b\":null}]}") || holds(deep, "{\"a\":{\"b\":1}}"));
}

/* Of a list any counts, of what is joined by `more` all. */
static void test_signs_joined(void **state)
{
    (void)state;
    const struct api_sign both[] = {
        {.step = {TEXT("a")}, .n_steps = 1, .more = true},
        {.step = {TEXT("b")}, .n_steps = 1},
        {.step = {TEXT("c")}, .n_steps = 1},
    };
    assert_false(api_signs(both, 3, json_of("{\"a\":1}")));
    assert_false(api_signs(both, 3, json_of("{\"b\":1}")));
    assert_true(api_signs(both, 3, json_of("{\"a\":1,\"b\":1}")));
    assert_true(api_signs(both, 3, json_of("{\"c\":1}")));
    assert_false(api_signs(NULL, 0, json_of("{\"c\":1}")));
}

static void test_paths(void **state)
{
    (void)state;
    const struct json *v = json_of("{\"a\":null,\"b\":{\"c\":\"\",\"d\":\"x\"},\"e\":[1]}");
    struct str path;
    assert_ptr_equal(api_value(v, "a b/z e b", &path), json_get(v, "e"));
    assert_true(str_is(path, "e"));
    assert_ptr_equal(api_value(v, ".", NULL), v);
    assert_null(api_value(v, "a e/0 b/c/d", NULL));
    assert_null(api_value(v, "", NULL));
    assert_true(str_is(api_text(v, "a b/c e b/d"), "x"));
    assert_true(str_is(api_text(v, "b"), ""));
    assert_true(str_is(api_text(json_of("\"s\""), "x ."), "s"));
}

static void test_names(void **state)
{
    (void)state;
    assert_null(api_find(STR("")));
    assert_true(words_have("ab cd", STR("cd")) && !words_have("ab cd", STR("CD")));
    assert_true(api_lists_provider("ab cd", STR("CD")) && api_lists_provider("*", STR("x")));
    assert_false(api_lists_provider("", STR("x")) || words_have("ab", STR("a")));
    assert_true(api_find(STR(API_PLAIN))->plain && api_find(STR(API_NEUTRAL))->neutral);
    for (size_t i = 0; i < API_COUNT; i++)
        assert_ptr_equal(api_find(apis[i].name), &apis[i]);
}

/* What the code takes for granted of every file. */
static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < API_COUNT; i++) {
        const struct api *a = &apis[i];
        assert_true(a->name.n && a->name.p[a->name.n] == '\0');
        assert_true(i == 0 || apis[i - 1].order < a->order);
        assert_true(!a->like || (a->like->n_usage && a->like->n_turn));
        const struct api *rows = a->turns_of ? a->turns_of : a,
                         *parts = rows->parts_of ? rows->parts_of : rows;
        assert_true(!a->turns.n || (rows->n_turn && parts->n_parts));
        for (size_t k = 0; k < a->n_usage; k++) {
            const struct api_form *f = &a->usage[k];
            assert_true(f->name.n && f->n_counts);
            assert_true(f->n_signs || f->n_weak_signs || f->n_at); /* something tells it */
            for (size_t n = 0; n < f->n_counts; n++)
                assert_true(f->counts[n].unit < UNIT_COUNT && f->counts[n].first.n);
        }
        for (size_t k = 0; k < rows->n_turn; k++)
            assert_true(!rows->turn[k].each || *rows->turn[k].members);
        for (size_t k = 0; k < a->n_call_ids; k++)
            assert_true(a->call_ids[k].wants.n);
        for (size_t k = 0; k < a->n_tool_names; k++)
            assert_true(a->tool_names[k].most);
    }
    assert_true(api_none.name.n == 0 && !*api_none.developer_role &&
                api_none.also_field == FIELD_COUNT);
}

int main(void)
{
#define TEST(name) TEST_WITH_ARENA(name)
    const struct CMUnitTest tests[] = {
        TEST(test_signs), TEST(test_signs_joined), TEST(test_paths),
        TEST(test_names), TEST(test_table),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
