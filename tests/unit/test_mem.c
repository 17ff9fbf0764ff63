/*
 * test_mem.c - the allocator hook and the arena.
 */

#include "test.h"

#include "base/mem.h"

static void test_hook(void **state)
{
    (void)state;
    struct failing c = {0};
    cando_allocator a = {failing_resize, &c};
    char *p = mem_alloc(&a, 10);
    memcpy(p, "123456789", 10);
    p = mem_resize(&a, p, 10, 1000);
    assert_string_equal(p, "123456789");
    assert_int_equal(c.live, 1000);
    c.fail_at = c.calls + 1;
    assert_null(mem_resize(&a, p, 1000, 2000));
    assert_string_equal(p, "123456789"); /* the old block stays */
    mem_free(&a, p, 1000);
    mem_free(&a, NULL, 0);
    assert_int_equal(c.live, 0);
    /* nothing is something: a block that can be freed */
    p = mem_alloc(&a, 0);
    assert_non_null(p);
    p = mem_resize(&a, p, 0, 5);
    mem_free(&a, p, 5);
    assert_int_equal(c.live, 0);
    p = mem_alloc(NULL, 3);
    assert_non_null(p);
    mem_free(NULL, p, 3);
}

static void test_size(void **state)
{
    (void)state;
    assert_int_equal(mem_size(3, 4, 5), 17);
    assert_int_equal(mem_size(0, 4, 0), 0);
    assert_int_equal(mem_size(5, 0, 2), 2);
    assert_int_equal(mem_size(SIZE_MAX, 1, 0), SIZE_MAX);
    assert_int_equal(mem_size(SIZE_MAX, 2, 0), 0);
    assert_int_equal(mem_size(SIZE_MAX / 2, 2, 2), 0);
    assert_int_equal(mem_size(1, SIZE_MAX, 1), 0);
}

static void test_arena(void **state)
{
    (void)state;
    struct failing c = {0};
    cando_allocator a = {failing_resize, &c};
    struct arena ar;
    arena_init(&ar, &a);
    unsigned char *item[300];
    for (size_t i = 0; i < 300; i++) {
        item[i] = arena_alloc(&ar, i);
        assert_non_null(item[i]);
#ifndef CANDO_DEBUG_ARENA
        assert_int_equal((uintptr_t)item[i] % 16, 0);
#endif
        for (size_t k = 0; k < i; k++)
            assert_int_equal(item[i][k], 0);
        memset(item[i], (int)(i % 255 + 1), i);
    }
    for (size_t i = 0; i < 300; i++) /* nobody wrote into a neighbour */
        for (size_t k = 0; k < i; k++)
            assert_int_equal(item[i][k], i % 255 + 1);
    assert_non_null(arena_alloc(&ar, 3 << 20));
    assert_null(arena_alloc(&ar, SIZE_MAX - 3));
    assert_null(arena_array(&ar, SIZE_MAX / 2, 3));
    assert_non_null(arena_array(&ar, 0, 8));
    assert_string_equal(arena_copy(&ar, "abc", 4), "abc");
    assert_non_null(arena_copy(&ar, NULL, 0));
    arena_free(&ar);
    assert_int_equal(c.live, 0);
    assert_non_null(arena_alloc(&ar, 8)); /* as good as new */
    arena_free(&ar);
    assert_int_equal(c.live, 0);
}

static void test_arena_no_memory(void **state)
{
    (void)state;
    for (size_t n = 1; n < 40; n++) {
        struct failing c = {.fail_at = n};
        cando_allocator a = {failing_resize, &c};
        struct arena ar;
        arena_init(&ar, &a);
        unsigned failed = 0;
        for (size_t i = 0; i < 200; i++) {
            char *p = arena_alloc(&ar, 700);
            failed += p == NULL;
            if (p)
                memset(p, 1, 700);
        }
        assert_int_equal(failed, c.calls >= n ? 1 : 0); /* it goes on with the next */
        arena_free(&ar);
        assert_int_equal(c.live, 0);
    }
}

static void test_grow(void **state)
{
    (void)state;
    struct arena ar;
    arena_init(&ar, NULL);
    int *list = NULL;
    size_t n = 0, cap = 0;
    for (int i = 0; i < 1000; i++) {
        assert_true(ARENA_GROW(&ar, list, n, cap));
        list[n++] = i;
    }
    for (int i = 0; i < 1000; i++)
        assert_int_equal(list[i], i);
    arena_free(&ar);
    struct failing c = {.fail_at = 1};
    cando_allocator a = {failing_resize, &c};
    arena_init(&ar, &a);
    list = NULL;
    n = cap = 0;
    assert_false(ARENA_GROW(&ar, list, n, cap));
    assert_null(list);
    assert_int_equal(cap, 0);
    arena_free(&ar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hook), cmocka_unit_test(test_size),  cmocka_unit_test(test_arena),
        cmocka_unit_test(test_arena_no_memory), cmocka_unit_test(test_grow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
