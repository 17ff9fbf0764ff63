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

static void fill(struct arena *ar, size_t items, size_t size)
{
    for (size_t i = 0; i < items; i++) {
        unsigned char *p = arena_alloc(ar, size);
        assert_non_null(p);
        for (size_t k = 0; k < size; k++)
            assert_int_equal(p[k], 0); /* whoever had it before */
        memset(p, 0xA5, size);
    }
}

static void test_clear(void **state)
{
    (void)state;
    struct failing c = {0};
    cando_allocator a = {failing_resize, &c};
    struct arena ar;
    arena_init(&ar, &a);
    arena_clear(&ar); /* an empty one, too */
    static const size_t sizes[][2] = {{3, 10}, {200, 64}, {40, 5000}, {1, 100000}, {3, 250000}};
    for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++) {
        size_t calls = 0;
        for (unsigned round = 0; round < 6; round++) {
            if (round == 3)
                calls = c.calls;
            fill(&ar, sizes[k][0], sizes[k][1]);
            fill(&ar, 5, 24);
            arena_clear(&ar);
        }
#ifndef CANDO_DEBUG_ARENA
        assert_int_equal(c.calls, calls);
        assert_true(c.live > 0);
#else
        assert_true(c.calls > calls);
        assert_int_equal(c.live, 0);
#endif
    }
    /* what is kept has a bound */
    fill(&ar, 1, 5 << 20);
    fill(&ar, 100, 60000);
    arena_clear(&ar);
    assert_true(c.live <= ARENA_KEEP);
    fill(&ar, 1, 5 << 20);
    arena_clear(&ar);
    assert_true(c.live <= ARENA_KEEP);
    arena_free(&ar);
    assert_int_equal(c.live, 0);
}

static void test_resize(void **state)
{
    (void)state;
    struct arena ar;
    arena_init(&ar, NULL);
    char *p = arena_resize(&ar, NULL, 0, 5);
    assert_non_null(p);
    memcpy(p, "12345", 5);
    size_t n = 5;
    for (unsigned i = 0; i < 12; i++) {
        char *q = arena_resize(&ar, p, n, n * 3);
        assert_non_null(q);
        assert_memory_equal(q, "12345", 5);
        memset(q + n, 'x', n * 2);
        p = q;
        n *= 3;
        if (i % 3 == 2)
            memset(arena_alloc(&ar, 7), 'y', 7); /* no longer the last one */
    }
    for (size_t i = 5; i < n; i++)
        assert_int_equal(p[i], 'x');
    assert_memory_equal(arena_resize(&ar, p, n, 4), "1234", 4);
    assert_null(arena_resize(&ar, p, n, SIZE_MAX - 2));
    arena_free(&ar);
#ifndef CANDO_DEBUG_ARENA
    /* the last one grows where it is */
    p = arena_alloc_raw(&ar, 100);
    assert_ptr_equal(arena_resize(&ar, p, 100, 1000), p);
    assert_ptr_equal(arena_resize(&ar, p, 1000, 10), p);
    assert_ptr_equal(arena_alloc(&ar, 1), p + 16);
    arena_free(&ar);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hook), cmocka_unit_test(test_size),  cmocka_unit_test(test_arena),
        cmocka_unit_test(test_arena_no_memory), cmocka_unit_test(test_grow),
        cmocka_unit_test(test_clear), cmocka_unit_test(test_resize),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
