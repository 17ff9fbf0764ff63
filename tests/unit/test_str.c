/*
 * test_str.c - texts: comparing, searching, distances, hashes, UTF-8.
 */

#include "test.h"

#include "base/str.h"

static void test_compare(void **state)
{
    (void)state;
    assert_true(str_eq(STR(""), STR_NONE));
    assert_true(str_eq(STR("ab"), STR("ab")));
    assert_false(str_eq(STR("ab"), STR("aB")));
    assert_true(str_eq_fold(STR("aB-9"), STR("Ab-9")));
    assert_false(str_eq_fold(STR("a"), STR("ab")));
    assert_false(str_eq_fold(STR("["), STR("{"))); /* 0x5B and 0x7B: no letters */
    assert_false(str_eq_fold(STR("@"), STR("`")));
    assert_true(str_starts(STR("abc"), STR("")));
    assert_true(str_starts(STR("abc"), STR("ab")));
    assert_false(str_starts(STR("a"), STR("ab")));
    assert_true(str_ends(STR("abc"), STR("bc")));
    assert_false(str_ends(STR("c"), STR("bc")));
    assert_true(str_cmp(STR("a"), STR("b")) < 0);
    assert_true(str_cmp(STR("a"), STR("ab")) < 0);
    assert_true(str_cmp(STR("b"), STR("ab")) > 0);
    assert_true(str_cmp(STR("\xff"), STR("a")) > 0); /* bytes, not chars with a sign */
    assert_int_equal(str_cmp(STR(""), STR_NONE), 0);
}

static void test_search(void **state)
{
    (void)state;
    assert_int_equal(str_find_char(STR("abc"), 'c'), 2);
    assert_int_equal(str_find_char(STR("abc"), 'x'), 3);
    assert_int_equal(str_find_char(STR_NONE, 'x'), 0);
    assert_int_equal(str_behind_last(STR("a/b/c"), '/'), 4);
    assert_int_equal(str_behind_last(STR("a/"), '/'), 2);
    assert_int_equal(str_behind_last(STR("/a"), '/'), 1);
    assert_int_equal(str_behind_last(STR("abc"), '/'), 0);
    assert_int_equal(str_behind_last(STR_NONE, '/'), 0);
    assert_int_equal(str_behind_last(str_make(&"/a"[1], 1), '/'), 0); /* not before its begin */
    assert_int_equal(str_find(STR("aab"), STR("ab")), 1);
    assert_int_equal(str_find(STR("ab"), STR("")), 0);
    assert_int_equal(str_find(STR("ab"), STR("abc")), SIZE_MAX);
    assert_int_equal(str_find(STR_NONE, STR("a")), SIZE_MAX);
    assert_true(str_eq(str_from(STR("abc"), 1), STR("bc")));
    assert_true(str_eq(str_from(STR("abc"), 9), STR("")));
    assert_true(str_eq(str_head(STR("abc"), 2), STR("ab")));
    assert_true(str_eq(str_head(STR("abc"), 9), STR("abc")));
}

static void test_copies(void **state)
{
    (void)state;
    struct arena ar;
    arena_init(&ar, NULL);
    struct str s = str_dup(&ar, STR("aBc"));
    assert_string_equal(s.p, "aBc");
    s = str_dup_fold(&ar, STR("aBC[Z\xC3\x89"));
    assert_string_equal(s.p, "abc[z\xC3\x89"); /* beyond ASCII nothing is folded */
    s = str_dup(&ar, STR_NONE);
    assert_non_null(s.p);
    assert_int_equal(s.n, 0);
    s = str_printf(&ar, "%d-%s", 7, "x");
    assert_string_equal(s.p, "7-x");
    assert_int_equal(s.n, 3);
    arena_free(&ar);
}

/* The textbook's, without bounds and without rows. */
static unsigned slow_distance(struct str a, struct str b)
{
    unsigned d[16][16];
    for (size_t i = 0; i <= a.n; i++)
        for (size_t j = 0; j <= b.n; j++) {
            if (!i || !j) {
                d[i][j] = (unsigned)(i + j);
                continue;
            }
            char x = char_fold(a.p[i - 1]), y = char_fold(b.p[j - 1]);
            unsigned best = d[i - 1][j - 1] + (x != y);
            best = d[i - 1][j] + 1 < best ? d[i - 1][j] + 1 : best;
            best = d[i][j - 1] + 1 < best ? d[i][j - 1] + 1 : best;
            if (i > 1 && j > 1 && x == char_fold(b.p[j - 2]) && y == char_fold(a.p[i - 2]) && d[i - 2][j - 2] + 1 < best)
                best = d[i - 2][j - 2] + 1;
            d[i][j] = best;
        }
    return d[a.n][b.n];
}

static void test_distance(void **state)
{
    (void)state;
    assert_int_equal(str_distance(STR("streaming"), STR("streming"), 3), 1);
    assert_int_equal(str_distance(STR("abc"), STR("ACB"), 3), 1);
    assert_int_equal(str_distance(STR("abc"), STR("xyz"), 1), 2); /* max + 1 */
    assert_int_equal(str_distance(STR(""), STR(""), 0), 0);
    assert_int_equal(str_distance(STR("a"), STR("A"), 0), 0);
    char longer[200];
    memset(longer, 'a', sizeof longer);
    assert_int_equal(str_distance(str_make(longer, 200), str_make(longer, 200), 3), 4); /* too long to be worth it */
    uint64_t seed = 1;
    for (int round = 0; round < 20000; round++) {
        char text[2][12];
        struct str s[2];
        for (int k = 0; k < 2; k++) {
            s[k] = str_make(text[k], dice(&seed, 8));
            for (size_t i = 0; i < s[k].n; i++)
                text[k][i] = "abAB"[dice(&seed, 4)];
        }
        unsigned want = slow_distance(s[0], s[1]);
        for (unsigned max = 0; max < 9; max++)
            assert_int_equal(str_distance(s[0], s[1], max), want <= max ? want : max + 1);
    }
    assert_int_equal(str_near(2), 0);
    assert_true(str_near(20) >= str_near(4));
}

static void test_nearest(void **state)
{
    (void)state;
    struct nearest n = nearest_to(STR("streming"));
    nearest_try(&n, STR("seed"));
    assert_int_equal(n.name.n, 0);
    nearest_try(&n, STR("steaming"));
    nearest_try(&n, STR("streaming"));
    assert_true(str_is(n.name, "streaming") || str_is(n.name, "steaming"));
    nearest_try(&n, STR("STREMING"));
    assert_true(str_is(n.name, "STREMING"));
    nearest_try(&n, STR("streming")); /* no better */
    assert_true(str_is(n.name, "STREMING"));
}

static void test_hash(void **state)
{
    (void)state;
    unsigned char text[80];
    char folded[80];
    for (size_t n = 0; n <= sizeof text; n++)
        for (unsigned shift = 0; shift < 256; shift++) { /* every byte at every place of a word */
            for (size_t i = 0; i < n; i++) {
                text[i] = (unsigned char)(i * 37 + shift);
                folded[i] = char_fold((char)text[i]);
            }
            struct str s = {(char *)text, n}, f = {folded, n};
            assert_int_equal(str_hash_fold(s, 5), str_hash(f, 5));
            assert_int_equal(str_hash_fold(f, 5), str_hash(f, 5));
            const uint64_t key[2] = {3, 4};
            assert_int_equal(str_hash_keyed(s, true, key), str_hash_keyed(f, false, key));
        }
    /* stored in files: it may never change */
    assert_true(str_hash(STR("claude-opus-4-5"), 1) != str_hash(STR("claude-opus-4-6"), 1));
    assert_true(str_hash(STR("a"), 1) != str_hash(STR("a"), 2));
    assert_true(str_hash(STR("a"), 1) != str_hash(str_make("a\0", 2), 1));
    assert_int_equal(str_hash(STR(""), 0), 0);
}

/* A changed byte or a swapped pair always changes it, for whatever length. */
/* SipHash-1-3 with its authors' key and texts (0, 1, 2, ...); and what is stored in snapshots. */
static void test_hash_is_known(void **state)
{
    (void)state;
    static const struct {
        size_t n;
        uint64_t hash;
    } known[] = {{0, UINT64_C(0xabac0158050fc4dc)},
                 {1, UINT64_C(0xc9f49bf37d57ca93)},
                 {7, UINT64_C(0xd3927d989bb11140)},
                 {8, UINT64_C(0x369095118d299a8e)},
                 {15, UINT64_C(0xd320d86d2a519956)}};
    const uint64_t key[2] = {UINT64_C(0x0706050403020100), UINT64_C(0x0f0e0d0c0b0a0908)};
    char text[16];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)i;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        assert_true(str_hash_keyed(str_make(text, known[i].n), false, key) == known[i].hash);
    assert_true(str_hash(STR("a"), 1) == UINT64_C(0x5067522cb41cd2a9));
    assert_true(str_hash(STR("claude-opus-4-5"), 1) == UINT64_C(0x9a938fa121696c63));
    assert_true(str_hash(STR("claude-opus-4-5-x"), 7) == UINT64_C(0x5c884ded572761ab));
}

static void test_hash_differs(void **state)
{
    (void)state;
    char text[64];
    for (size_t n = 1; n <= sizeof text; n++) {
        memset(text, 'a', sizeof text);
        uint64_t h = str_hash(str_make(text, n), 9);
        for (size_t i = 0; i < n; i++)
            for (int bit = 0; bit < 8; bit++) {
                text[i] ^= (char)(1 << bit);
                assert_true(str_hash(str_make(text, n), 9) != h);
                text[i] ^= (char)(1 << bit);
            }
    }
}

static void test_utf8(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp < 0x110400; cp++) {
        char out[4];
        unsigned n = utf8_put(cp, out);
        bool legal = cp < 0x110000 && (cp < 0xD800 || cp > 0xDFFF);
        assert_int_equal(n != 0, legal);
        if (!n)
            continue;
        assert_int_equal(utf8_step(out, n), n);
        for (unsigned cut = 1; cut < n; cut++)
            assert_int_equal(utf8_step(out, cut), 0);
        assert_int_equal(str_utf8_len(str_make(out, n)), 1);
    }
    assert_int_equal(utf8_step("\xC0\x80", 2), 0);             /* too long a form */
    assert_int_equal(utf8_step("\xE0\x80\x80", 3), 0);
    assert_int_equal(utf8_step("\xED\xA0\x80", 3), 0);         /* a surrogate */
    assert_int_equal(utf8_step("\xF4\x90\x80\x80", 4), 0);     /* beyond the last */
    assert_int_equal(utf8_step("\xF8\x88\x80\x80\x80", 5), 0);
    assert_int_equal(utf8_step("\x80", 1), 0);
    assert_int_equal(utf8_check(STR("a\xC3\xA9z")), 4);
    assert_int_equal(utf8_check(STR("a\xC3z")), 1);
    assert_int_equal(utf8_check(STR("")), 0);
    assert_int_equal(str_utf8_len(STR("a\xC3\xA9\xF0\x9F\x98\x80")), 3);
}

/* Of copies that end with the text: sanitizers see who reads on behind it. */
static bool same_but_digits(const char *a, const char *b)
{
    size_t n = strlen(a), k = strlen(b);
    char *x = malloc(n + 1), *y = malloc(k + 1);
    assert_true(x && y);
    memcpy(x + 1, a, n);
    memcpy(y + 1, b, k);
    bool same = str_same_but_digits(str_make(x + 1, n), str_make(y + 1, k));
    free(x);
    free(y);
    return same;
}

/* Another version of a model is no slip of the pen. */
static void test_same_but_digits(void **state)
{
    (void)state;
    assert_true(same_but_digits("gpt-4.1-mini", "GPT-5-mini"));
    assert_true(same_but_digits("gpt", "gpt-5"));
    assert_true(same_but_digits("", "4"));
    assert_false(same_but_digits("gpt-4", "gpt-4o"));
    assert_false(same_but_digits("gpt-4o", "gpt-4"));
    assert_false(same_but_digits("claude-3-opus", "claude-3-haiku"));
}

static void words_by_place(void **state)
{
    (void)state;
    assert_int_equal(words_find(" ab  cd ab", STR("ab")), 0);
    assert_int_equal(words_find(" ab  cd ab", STR("cd")), 1);
    assert_true(words_find("ab cd", STR("c")) == SIZE_MAX && words_find("", STR("")) == SIZE_MAX);
    assert_true(words_have("ab cd", STR("cd")) && !words_have("ab cd", STR("CD")));
}

static void numbers_at_the_front(void **state)
{
    (void)state;
    uint64_t n;
    assert_int_equal(str_number(STR("200k"), 18, &n), 3);
    assert_int_equal(n, 200);
    assert_int_equal(str_number(STR("2026-11"), 2, &n), 2);
    assert_int_equal(n, 20);
    assert_int_equal(str_number(STR("1234567890123456789"), 18, &n), 18);
    assert_int_equal(n, 123456789012345678);
    assert_true(str_number(STR("x1"), 18, &n) == 0 && n == 0);
    assert_true(str_is_digits(STR("09")) && !str_is_digits(STR("")) && !str_is_digits(STR("0x")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_by_place),
        cmocka_unit_test(numbers_at_the_front),
        cmocka_unit_test(test_compare), cmocka_unit_test(test_search), cmocka_unit_test(test_copies),
        cmocka_unit_test(test_distance), cmocka_unit_test(test_nearest), cmocka_unit_test(test_hash),
        cmocka_unit_test(test_hash_differs), cmocka_unit_test(test_hash_is_known),
        cmocka_unit_test(test_utf8), cmocka_unit_test(test_same_but_digits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
