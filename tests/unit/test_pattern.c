/*
 * test_pattern.c - regular expressions of JSON Schemas: by hand, and random ones against a naive
 * matcher that works on the tree they were written from, with sets of positions.
 */
#include "test.h"

#include "base/buf.h"
#include "text/schema.h"

static const char *word_of(enum schema_says it)
{
    return it == SCHEMA_YES ? "yes" : it == SCHEMA_NO ? "no" : "unsure";
}

static void expect(const char *pattern, struct str text, enum schema_says want)
{
    enum schema_says have = pattern_check(str_of(pattern), text);
    if (have != want)
        fail_msg("%s on '%.*s': want %s, have %s", pattern, STR_ARG(text), word_of(want),
                 word_of(have));
}

static void has(const char *pattern, const char *text)
{
    expect(pattern, str_of(text), SCHEMA_YES);
}

static void lacks(const char *pattern, const char *text)
{
    expect(pattern, str_of(text), SCHEMA_NO);
}

static void unsure(const char *pattern)
{
    expect(pattern, STR("abc"), SCHEMA_UNSURE);
}

/* Each character of `in` is one match of the pattern, none of `out` is. */
static void takes(const char *pattern, const char *in, const char *out)
{
    for (; *in; in++)
        expect(pattern, str_make(in, 1), SCHEMA_YES);
    for (; *out; out++)
        expect(pattern, str_make(out, 1), SCHEMA_NO);
}

static void test_classes(void **state)
{
    (void)state;
    takes("^\\d$", "059", "/:aA_ ");
    takes("^\\D$", "/:aA_ ", "059");
    takes("^\\w$", "azAZ09_", "`{@[/:-. ");
    takes("^\\W$", "`{@[/:-. ", "azAZ09_");
    takes("^\\s$", " \t\n\v\f\r", "a_\b\x0e");
    takes("^\\S$", "a_\b\x0e", " \t\n\v\f\r");
    has("^\\s$", "\xC2\xA0");
    has("^\\s\\s\\s$", "\xE2\x80\xA8\xE2\x80\xA9\xEF\xBB\xBF");
    lacks("^\\s$", "\xC2\xA1");
    takes("^[b-d]$", "bcd", "ae-");
    takes("^[^b-d]$", "ae-", "bcd");
    takes("^[-b]$", "-b", "ac");
    takes("^[b-]$", "b-", "ac");
    takes("^[\\]\\\\-]$", "]\\-", "[a");
    takes("^[\\b]$", "\b", "b");
    takes("^[\\d_\\s]$", "0 _", "a");
    takes("^[\\x41-\\u0043]$", "ABC", "@D");
    takes("^.$", "a \t", "\n\r");
    has("^[\xC3\xA4-\xC3\xBC]$", "\xC3\xB6");
    lacks("^[\xC3\xA4-\xC3\xBC]$", "a");
    lacks("^[]$", "a");
    has("^[^]$", "a");
}

static void test_characters(void **state)
{
    (void)state;
    has("^\\t\\n\\r\\f\\v$", "\t\n\r\f\v");
    expect("^a\\0b$", str_make("a\0b", 3), SCHEMA_YES);
    has("^\\x7a\\u007A\\x7A$", "zzz");
    has("^\\.\\*\\/\\-$", ".*/-");
    /* one, two, three and four bytes are one character each, and the right one */
    const char *const wide[] = {"z", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"};
    for (size_t i = 0; i < LENGTH(wide); i++) {
        char own[16];
        has("^.$", wide[i]);
        lacks("^..$", wide[i]);
        snprintf(own, sizeof own, "^%s$", wide[i]);
        for (size_t k = 0; k < LENGTH(wide); k++)
            expect(own, str_of(wide[k]), i == k ? SCHEMA_YES : SCHEMA_NO);
    }
    has("^\\u20ac$", "\xE2\x82\xAC");
    lacks("^\\u20ad$", "\xE2\x82\xAC");
    has("^[\xF0\x9F\x98\x80]$", "\xF0\x9F\x98\x80");
    lacks("^[\xF0\x9F\x98\x80]$", "\xF0\x9F\x98\x81");
    /* a text is not entered in the middle of a character */
    lacks("^[^a]$|^\x7F", "\xC3\xA4\xC3\xA4");
}

static void test_repeats(void **state)
{
    (void)state;
    has("^a*$", "");
    has("^a*$", "aaa");
    lacks("^a+$", "");
    has("^a+$", "aaa");
    has("^a?b$", "b");
    has("^a?b$", "ab");
    lacks("^a?b$", "aab");
    lacks("^a{2}$", "a");
    has("^a{2}$", "aa");
    lacks("^a{2}$", "aaa");
    lacks("^a{2,}$", "a");
    has("^a{2,}$", "aaaaa");
    lacks("^a{2,3}$", "a");
    has("^a{2,3}$", "aaa");
    lacks("^a{2,3}$", "aaaa");
    has("^a{0}b$", "b");
    lacks("^a{0}b$", "ab");
    has("^a{10,12}$", "aaaaaaaaaaa");
    lacks("^a{10,12}$", "aaaaaaaaa");
    has("^(ab|c){2}$", "cab");
    has("^(?:ab){1,2}?c$", "ababc");
    has("^a*?b+?$", "aab");
    has("^((a|b)c){2,}$", "acbcac");
    lacks("^((a|b)c){2,}$", "acb");
    /* a brace that counts nothing is a brace */
    has("^a{$", "a{");
    has("^a{,2}$", "a{,2}");
    has("^{}$", "{}");
    has("^a{1,2,3}$", "a{1,2,3}");
    has("^a{1234567}$", "a{1234567}");
    has("^a{2$", "a{2");
    unsure("a{201}");
    unsure("a{200,}");
    unsure("a{3,2}");
    unsure("a{123456}");
}

static void test_places_and_ways(void **state)
{
    (void)state;
    has("b", "abc");
    lacks("^b", "abc");
    lacks("b$", "abc");
    has("^(abc|x)$|^q", "abc");
    has("a|b|c", "c");
    lacks("^(a|b|c)$", "d");
    has("^(|a)$", "");
    has("", "");
    has("\\bword\\b", "a word.");
    lacks("\\bword\\b", "a sword");
    lacks("\\bword\\b", "words");
    lacks("\\bword\\b", "word_");
    lacks("\\bword\\b", "1word");
    has("\\Bord\\b", "word");
    lacks("\\Bword", "word");
    has("^\\b_", "_");
    has("0\\b", "a0");
    has("^(?=.*\\d)\\w{4,}$", "abc1");
    lacks("^(?=.*\\d)\\w{4,}$", "abcd");
    has("^(?!b)[ab]$", "a");
    lacks("^(?!b)[ab]$", "b");
    has("^((?=a)[ab]){2}$", "aa");
    lacks("^((?=a)[ab]){2}$", "ab");
    has("^(?<year>\\d{4})$", "2026");
    lacks("^(?<year>\\d{4})$", "202");
}

static void test_what_is_not_understood(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\\p{L}", "\\k<a>", "(a)\\1", "(?<=a)b", "(?<!a)b", "(?i)a", "[z-a]", "[a", "(a",  "a)",
        "\\",     "\\u{61}", "\\xzz", "\\x6", "\\u006", "[\\q]", "\xC3", "(?=a", "\\cA", "\\8",
        "(?<=a>b)c", "(?i)a>b)",
    };
    for (size_t i = 0; i < LENGTH(bad); i++)
        unsure(bad[i]);
    unsure("^(a*)*$");            /* goes round and takes nothing */
    has("(((((((((((((((a)))))))))))))))", "a"); /* 15 */
    unsure("(((((((((((((((((a)))))))))))))))))"); /* 17 */
}

/* Of so many ways, characters or steps it is sure, of one more it is not. */
static void limit_is(const char *part, size_t most, const char *before, const char *behind)
{
    for (size_t n = most; n <= most + 1; n++) {
        struct buf b;
        buf_init_arena(&b, &arena, 1 << 20);
        buf_puts(&b, str_of(before));
        for (size_t i = 0; i < n; i++)
            buf_puts(&b, str_of(part));
        buf_puts(&b, str_of(behind));
        enum schema_says it = pattern_check(str_make(b.p, b.n), STR("zz"));
        if ((it == SCHEMA_UNSURE) != (n > most))
            fail_msg("%zu times %s is %s", n, part, word_of(it));
    }
}

static void test_limits(void **state)
{
    (void)state;
    limit_is("a", 999, "", "");           /* and the end */
    limit_is("b", 400, "[", "]");         /* ranges */
    limit_is("|", 100, "", "");           /* ways, but the last */
    limit_is("a", 250, "(", ")?");        /* what is repeated */
    limit_is("(", 16, "", "a))))))))))))))))"); /* 16 end, and of 17 one does not */
}

static void makes(const char *pattern, size_t least, const char *want)
{
    struct buf b;
    buf_init_arena(&b, &arena, 4096);
    buf_puts(&b, STR("kept"));
    bool made = pattern_make(str_of(pattern), least, &b);
    if (made != (want != NULL))
        fail_msg("%s: %s", pattern, made ? "made" : "not made");
    if (made)
        assert_str(str_make(b.p + 4, b.n - 4), want);
}

static void test_texts_that_are_made(void **state)
{
    (void)state;
    makes("^[A-Z]{2}-\\d{4,6}$", 0, "AA-0000");
    makes("^[A-Z]{2}-\\d{4,6}$", 9, "AA-000000");
    makes("^[a-z]+$", 5, "aaaaa");
    makes("^x*$", 0, "");
    makes("^x*$", 3, "xxx");
    makes("^(red|green)$", 9, "red");
    makes("\\bword\\b", 0, "word");
    makes("^(?=.*\\d)\\w{4,}$", 0, "0000");
    makes("^(?!a)\\w$", 0, "0");
    makes("^[^a0A_. -]$", 0, "!");
    makes("^[\xC3\xA4\xC3\xB6]+$", 0, "\xC3\xA4");
    makes("^[\x7F\xC2\x80]$", 0, "\xC2\x80");
    makes("", 0, "");
    makes("a^", 0, NULL);
    makes("(a)\\1", 0, NULL);
}

/* -- random ones ------------------------------------------------------------------------------ */

enum kind { ONE, NOT_ONE, ANY, BEGIN, END, THEN, EITHER, TIMES, AHEAD, NOT_AHEAD, KINDS };

struct node {
    enum kind kind;
    char c;
    unsigned least, most; /* TIMES; most is 99 for no end */
    const struct node *a, *b;
};

static uint64_t chance = 20261117;

static const struct node *some_node(unsigned depth)
{
    struct node *n = arena_alloc(&arena, sizeof *n);
    assert_non_null(n);
    n->kind = dice(&chance, depth ? (uint32_t)KINDS : (uint32_t)THEN);
    if ((n->kind == BEGIN || n->kind == END) && dice(&chance, 3))
        n->kind = ONE;
    n->c = (char)('a' + dice(&chance, 2));
    n->least = dice(&chance, 3);
    n->most = dice(&chance, 2) ? 99 : n->least + dice(&chance, 3);
    if (depth) {
        n->a = some_node(depth - 1);
        n->b = some_node(depth - 1);
    }
    return n;
}

static void write_node(struct buf *out, const struct node *n)
{
    switch (n->kind) {
    case ONE:
        buf_putc(out, n->c);
        break;
    case NOT_ONE:
        buf_printf(out, "[^%c]", n->c);
        break;
    case ANY:
        buf_putc(out, '.');
        break;
    case BEGIN:
        buf_putc(out, '^');
        break;
    case END:
        buf_putc(out, '$');
        break;
    case THEN:
        write_node(out, n->a);
        write_node(out, n->b);
        break;
    case EITHER:
    case AHEAD:
    case NOT_AHEAD:
        buf_puts(out, n->kind == EITHER ? STR("(") : n->kind == AHEAD ? STR("(?=") : STR("(?!"));
        write_node(out, n->a);
        if (n->kind == EITHER) {
            buf_putc(out, '|');
            write_node(out, n->b);
        }
        buf_putc(out, ')');
        break;
    default:
        buf_puts(out, STR("(?:"));
        write_node(out, n->a);
        buf_putc(out, ')');
        if (n->most == 99)
            buf_printf(out, "{%u,}", n->least);
        else
            buf_printf(out, "{%u,%u}", n->least, n->most);
        if (n->c == 'a')
            buf_putc(out, '?');
    }
}

/* A bit for each place: those where it may end if it begins at one of these. */
static uint64_t ends_of(const struct node *n, struct str text, uint64_t begins)
{
    uint64_t out = 0, now = begins;
    switch (n->kind) {
    case ONE:
    case NOT_ONE:
    case ANY:
        for (size_t i = 0; i < text.n; i++)
            if (begins >> i & 1 && (n->kind == ANY || (text.p[i] == n->c) == (n->kind == ONE)))
                out |= UINT64_C(1) << (i + 1);
        return out;
    case BEGIN:
        return begins & 1;
    case END:
        return begins & UINT64_C(1) << text.n;
    case THEN:
        return ends_of(n->b, text, ends_of(n->a, text, begins));
    case EITHER:
        return ends_of(n->a, text, begins) | ends_of(n->b, text, begins);
    case AHEAD:
    case NOT_AHEAD:
        for (size_t i = 0; i <= text.n; i++)
            if (begins >> i & 1 &&
                (ends_of(n->a, text, UINT64_C(1) << i) != 0) == (n->kind == AHEAD))
                out |= UINT64_C(1) << i;
        return out;
    default:
        for (unsigned i = 0; i < n->least; i++)
            now = ends_of(n->a, text, now);
        out = now;
        for (unsigned i = n->least; i < n->most && i < n->least + text.n + 1; i++)
            out |= now = ends_of(n->a, text, now);
        return out;
    }
}

static bool really_has(const struct node *n, struct str text)
{
    return ends_of(n, text, (UINT64_C(2) << text.n) - 1) != 0;
}

static void test_random_patterns(void **state)
{
    (void)state;
    size_t sure = 0, made = 0, all = 6000;
    for (size_t i = 0; i < all; i++) {
        arena_clear(&arena);
        const struct node *n = some_node(3);
        struct buf b, text;
        buf_init_arena(&b, &arena, 1 << 16);
        write_node(&b, n);
        struct str pattern = str_make(b.p, b.n);
        for (unsigned k = 0; k < 8; k++) {
            char t[6];
            size_t len = dice(&chance, sizeof t + 1);
            for (size_t j = 0; j < len; j++)
                t[j] = (char)('a' + dice(&chance, 3));
            enum schema_says it = pattern_check(pattern, str_make(t, len));
            bool want = really_has(n, str_make(t, len));
            if (it != SCHEMA_UNSURE && (it == SCHEMA_YES) != want)
                fail_msg("%.*s on '%.*s' is %s", STR_ARG(pattern), (int)len, t, word_of(it));
            sure += it != SCHEMA_UNSURE;
        }
        buf_init_arena(&text, &arena, 1 << 16);
        if (!pattern_make(pattern, dice(&chance, 3), &text) || text.n > 62)
            continue;
        made++;
        if (!really_has(n, text.n ? str_make(text.p, text.n) : STR("")))
            fail_msg("%.*s does not have '%.*s'", STR_ARG(pattern), (int)text.n, text.p);
    }
    assert_true(sure > all * 8 * 9 / 10);
    assert_true(made > all / 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes),
        cmocka_unit_test(test_characters),
        cmocka_unit_test(test_repeats),
        cmocka_unit_test(test_places_and_ways),
        cmocka_unit_test(test_what_is_not_understood),
        TEST_WITH_ARENA(test_limits),
        TEST_WITH_ARENA(test_texts_that_are_made),
        TEST_WITH_ARENA(test_random_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
