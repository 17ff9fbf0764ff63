/*
 * test_buf.c - the buffer that grows up to its maximum and then stays failed.
 */

#include "test.h"

#include "base/buf.h"

static void test_append(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 1 << 20);
    assert_string_equal(buf_cstr(&b), "");
    buf_putz(&b, "ab");
    buf_putc(&b, 'c');
    buf_puts(&b, STR("de"));
    buf_puts(&b, STR_NONE);
    buf_put(&b, NULL, 0);
    buf_printf(&b, "-%d-%s", 7, "x");
    assert_string_equal(buf_cstr(&b), "abcde-7-x");
    assert_int_equal(b.n, 9);
    buf_align(&b, 8);
    assert_int_equal(b.n, 16);
    buf_align(&b, 8);
    assert_int_equal(b.n, 16);
    for (size_t i = 9; i < 16; i++)
        assert_int_equal(b.p[i], 0);
    buf_zero(&b, 1000);
    assert_int_equal(b.n, 1016);
    assert_int_equal(b.p[1015], 0);
    buf_clear(&b);
    assert_int_equal(b.n, 0);
    for (int i = 0; i < 10000; i++)
        buf_printf(&b, "%d,", i);
    assert_false(b.failed);
    assert_string_equal(buf_cstr(&b) + b.n - 5, "9999,");
    buf_clear(&b);
    size_t cap = b.cap;
    buf_printf(&b, "%*d", (int)cap, 7); /* the end that printf writes needs room, too */
    assert_int_equal(b.n, cap);
    assert_true(b.cap > cap);
    buf_free(&b);
    assert_null(b.p);
}

static void test_maximum(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 300);
    buf_zero(&b, 300); /* as much as it may have */
    assert_false(b.failed);
    buf_zero(&b, b.cap); /* more than the room there happens to be */
    assert_true(b.failed);
    size_t n = b.n;
    buf_putc(&b, 'x'); /* sticky */
    assert_int_equal(b.n, n);
    assert_null(buf_cstr(&b));
    buf_clear(&b);
    buf_putc(&b, 'x');
    assert_string_equal(buf_cstr(&b), "x");
    assert_false(buf_reserve(&b, SIZE_MAX));
    buf_free(&b);
}

static void test_no_memory(void **state)
{
    (void)state;
    struct failing f = failing_after(1);
    cando_allocator a = {failing_resize, &f};
    struct buf b;
    buf_init(&b, &a, 1 << 20);
    buf_putz(&b, "kept");
    assert_false(buf_try(&b, 5000)); /* this is no question of the maximum */
    assert_true(b.failed);
    buf_clear(&b);
    buf_putz(&b, "kept");
    buf_zero(&b, 5000);
    assert_true(b.failed);
    assert_memory_equal(b.p, "kept", 4);
    assert_int_equal(b.n, 4);
    buf_free(&b);
}

static void test_arena(void **state)
{
    (void)state;
    struct arena ar;
    struct buf b;
    arena_init(&ar, NULL);
    buf_init_arena(&b, &ar, 100000);
    for (unsigned i = 0; i < 10000; i++) {
        buf_printf(&b, "%u,", i % 10);
        if (i % 1000 == 0)
            memset(arena_alloc(&ar, 10), 'x', 10); /* somebody else is there */
    }
    assert_false(b.failed);
    assert_int_equal(b.n, 20000);
    for (unsigned i = 0; i < 10000; i++) {
        assert_int_equal(b.p[2 * i], '0' + i % 10);
        assert_int_equal(b.p[2 * i + 1], ',');
    }
    buf_zero(&b, 80001);
    assert_true(b.failed);
    buf_free(&b);
    assert_null(b.p);
    buf_putc(&b, 'x'); /* failed as before */
    buf_clear(&b);
    buf_putc(&b, 'x');
    assert_string_equal(buf_cstr(&b), "x");
    arena_free(&ar);
}

static void test_lent(void **state)
{
    (void)state;
    char *room = malloc(10);
    struct buf b;
    buf_init_lent(&b, room, 10);
    buf_putz(&b, "0123456789");
    assert_false(b.failed);
    assert_ptr_equal(b.p, room);
    buf_putc(&b, 'x');
    assert_true(b.failed);
    buf_clear(&b);
    buf_putz(&b, "ab");
    assert_string_equal(buf_cstr(&b), "ab");
    buf_free(&b);
    buf_putz(&b, "cd"); /* still there */
    assert_memory_equal(room, "cd", 2);
    free(room);
}

static void test_try(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 1000);
    assert_true(buf_try(&b, 1000));
    assert_false(buf_try(&b, 1001));
    assert_false(b.failed);
    assert_true(b.cap <= b.max);
    buf_zero(&b, 999);
    assert_true(buf_try(&b, 1));
    assert_false(buf_try(&b, 2));
    assert_false(b.failed);
    buf_putz(&b, "ab");
    assert_true(b.failed);
    assert_false(buf_try(&b, 1));
    buf_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_maximum),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_arena),
        cmocka_unit_test(test_lent),
        cmocka_unit_test(test_try),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
