/*
 * test_map.c - the hash map from text to a number.
 */

#include "test.h"

#include "base/map.h"

static void test_put_get(void **state)
{
    (void)state;
    struct arena ar;
    struct map m;
    arena_init(&ar, NULL);
    map_init(&m, &ar, false);
    assert_null(map_get(&m, STR("a")));
    assert_null(map_get(&m, STR("")));
    for (uint32_t i = 0; i < 5000; i++)
        assert_true(map_put(&m, str_printf(&ar, "key %u", i), i));
    assert_int_equal(m.n, 5000);
    for (uint32_t i = 0; i < 5000; i++) {
        uint32_t *v = map_get(&m, str_printf(&ar, "key %u", i));
        assert_non_null(v);
        assert_int_equal(*v, i);
    }
    assert_null(map_get(&m, STR("key 5000")));
    assert_null(map_get(&m, STR("KEY 1")));
    assert_true(map_put(&m, STR("key 7"), 70));
    assert_int_equal(*map_get(&m, STR("key 7")), 70);
    assert_int_equal(m.n, 5000);
    assert_true(map_put(&m, STR_NONE, 3)); /* the empty text is a key, too */
    assert_int_equal(*map_get(&m, STR("")), 3);
    assert_true(map_put(&m, str_make("a\0b", 3), 4));
    assert_null(map_get(&m, STR("a")));
    assert_int_equal(*map_get(&m, str_make("a\0b", 3)), 4);
    arena_free(&ar);
}

static void test_fold(void **state)
{
    (void)state;
    struct arena ar;
    struct map m;
    arena_init(&ar, NULL);
    map_init(&m, &ar, true);
    assert_true(map_put(&m, STR("Claude"), 1));
    assert_int_equal(*map_get(&m, STR("cLAUDE")), 1);
    assert_true(map_put(&m, STR("CLAUDE"), 2));
    assert_int_equal(*map_get(&m, STR("claude")), 2);
    assert_int_equal(m.n, 1);
    arena_free(&ar);
}

/* Without memory a put fails and all that was there stays. */
static void test_no_memory(void **state)
{
    (void)state;
    static char key[2000][8];
    for (size_t allow = 0; allow < 6; allow++) {
        struct failing f = failing_after(allow);
        cando_allocator a = {failing_resize, &f};
        struct arena ar;
        struct map m;
        arena_init(&ar, &a);
        map_init(&m, &ar, false);
        uint32_t n = 0;
        for (; n < 2000; n++) {
            for (uint32_t i = 0, v = n; i < 7; i++, v /= 10)
                key[n][i] = (char)('0' + v % 10);
            if (!map_put(&m, str_make(key[n], 7), n))
                break;
        }
        assert_int_equal(m.n, n);
        assert_true(allow > 0 || n == 0);
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(*map_get(&m, str_make(key[i], 7)), i);
        arena_free(&ar);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_put_get),
        cmocka_unit_test(test_fold),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
