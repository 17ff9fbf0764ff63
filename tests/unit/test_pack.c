/*
 * test_pack.c - texts come back as they went, and what is no packed text does no harm.
 */
#include "base/pack.h"
#include "test.h"

static void there_and_back(struct str text)
{
    struct buf b;
    struct arena ar;
    char *room = malloc(text.n + 1);
    arena_init(&ar, NULL);
    buf_init(&b, NULL, 1u << 22);
    assert_true(pack_text(&b, &ar, text));
    room[text.n] = '!';
    assert_true(unpack_text(str_make(b.p, b.n), room, text.n));
    assert_memory_equal(room, text.p, text.n);
    assert_int_equal(room[text.n], '!');
    assert_false(unpack_text(str_make(b.p, b.n), room, text.n + 1));
    if (text.n > 1)
        assert_false(unpack_text(str_make(b.p, b.n), room, text.n / 2));
    for (size_t cut = 0; cut < b.n && cut < 300; cut++)
        assert_false(unpack_text(str_make(b.p, cut), room, text.n));
    assert_false(unpack_text(str_make(b.p, b.n - 1), room, text.n));
    free(room);
    buf_free(&b);
    arena_free(&ar);
}

static void test_texts(void **state)
{
    (void)state;
    there_and_back(STR(""));
    there_and_back(STR("a"));
    there_and_back(STR("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"));
    there_and_back(STR("set = { tool_calling = 1 }\nset = { tool_choice = 1 }\n"));
    static char large[200000];
    for (size_t i = 0, x = 1; i < sizeof large; i++) {
        x = x * 1103515245u + 12345u;
        large[i] = i % 7000 < 3500 ? (char)(x >> 16) : (char)('a' + i % 300 % 26);
    }
    there_and_back(str_make(large, sizeof large));
}

static void test_small(void **state)
{
    (void)state;
    struct buf b;
    struct arena ar;
    static char text[50000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "source = \"https://docs\" "[i % 24];
    arena_init(&ar, NULL);
    buf_init(&b, NULL, 1u << 20);
    assert_true(pack_text(&b, &ar, str_make(text, sizeof text)));
    assert_true(b.n < 64);
    buf_free(&b);
    arena_free(&ar);
}

static void test_hostile(void **state)
{
    (void)state;
    char room[64];
    static const struct str bad[] = {STR(""),
                                     STR("\xf0"),
                                     STR("\x00\xff\xff\xff"),
                                     STR("\x00\xff\xff\xff\xff\xff\xff\xff"),
                                     STR("\x00\xfe\x00\x00\x00\x00\x00\x00")};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(unpack_text(bad[i], room, sizeof room));
    unsigned x = 7;
    for (int round = 0; round < 20000; round++) {
        char noise[40];
        for (size_t i = 0; i < sizeof noise; i++) {
            x = x * 1103515245u + 12345u;
            noise[i] = (char)(x >> 16 & (x >> 28 ? 255u : 17u));
        }
        unpack_text(str_make(noise, sizeof noise), room, sizeof room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_small),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
