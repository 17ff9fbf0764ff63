/*
 * test_pack.c - texts come back as they went, and what is no packed text does no harm.
 */
#include "base/pack.h"
#include "test.h"

static void there_and_back(struct str text)
{
    struct buf b;
    char *room = malloc(text.n + 1);
    struct arena ar;
    arena_init(&ar, NULL);
    buf_init(&b, NULL, 1u << 22);
    assert_true(pack_text(&b, text, &ar));
    assert_true(unpack_text(str_make(b.p, b.n), NULL, text.n));
    assert_true(unpack_text(str_make(b.p, b.n), room, text.n));
    assert_memory_equal(room, text.p, text.n);
    assert_false(unpack_text(str_make(b.p, b.n), NULL, text.n + 1));
    if (text.n)
        assert_false(unpack_text(str_make(b.p, b.n), NULL, text.n - 1));
    for (size_t cut = 0; cut + 1 < b.n && cut < 300; cut++)
        assert_false(unpack_text(str_make(b.p, cut), NULL, text.n) && text.n);
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
    static char text[50000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = "source = \"https://docs\" "[i % 24];
    struct arena ar;
    arena_init(&ar, NULL);
    buf_init(&b, NULL, 1u << 20);
    assert_true(pack_text(&b, str_make(text, sizeof text), &ar));
    assert_true(b.n < 300);
    buf_free(&b);
    struct str four = STR("abcd1abcd2abcd3abcd4abcd5"); /* a piece of four bytes is worth it */
    buf_init(&b, NULL, 1u << 20);
    assert_true(pack_text(&b, four, &ar));
    assert_int_equal(b.n, 1 + 5 + 2 + 3 * 4 + 2);
    buf_free(&b);
    arena_free(&ar);
}

/* What a text takes that says the same 100 bytes twice, this far apart, and noise between. */
static size_t packed_size(size_t apart)
{
    static char text[70000];
    unsigned x = 1;
    for (size_t i = 0; i < apart; i++) {
        x = x * 1103515245u + 12345u;
        text[i] = (char)(x >> 16);
    }
    memcpy(text + apart, text, 100);
    struct str whole = str_make(text, apart + 100);
    struct buf b;
    struct arena ar;
    arena_init(&ar, NULL);
    buf_init(&b, NULL, 1u << 20);
    assert_true(pack_text(&b, whole, &ar));
    size_t n = b.n;
    buf_free(&b);
    arena_free(&ar);
    there_and_back(whole);
    return n;
}

/* Two bytes say how far back a piece stands: what stands at their limit is still found. */
static void test_far(void **state)
{
    (void)state;
    assert_in_range(packed_size(65535), 65535, 65535 + 300);
    assert_in_range(packed_size(65536), packed_size(65535) + 80, 70000);
}

static void test_hostile(void **state)
{
    (void)state;
    char room[64];
    static const struct str bad[] = {STR("\x00"),          STR("\xf0"),
                                     STR("\xff\xff\xff"),  STR("\020a\x00\x00"),
                                     STR("\020a\x02\x00"), STR("\020a\x01")};
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
        cmocka_unit_test(test_far),
        cmocka_unit_test(test_hostile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
