/*
 * test_glob.c - globs: parsing, running, and what is proven about them.
 *
 * Two references share no code with the engine. A naive matcher works by
 * recursion on the text of the pattern, braces included. Cover and overlap
 * are compared with the truth over all short texts of a tiny alphabet. Both
 * run over random patterns of a fixed seed.
 */

#include "test.h"

#include "base/buf.h"
#include "base/limits.h"
#include "text/glob.h"

static struct glob_set compile(const char *pattern)
{
    struct glob_set set;
    bool too_many = true;
    assert_true(glob_compile(&arena, str_of(pattern), &set, &too_many));
    assert_false(too_many);
    assert_true(set.n >= 1);
    for (size_t i = 0; i < set.n; i++)
        assert_true(glob_valid(set.program[i]));
    return set;
}

static bool any_matches(const struct glob_set *set, struct str text)
{
    for (size_t i = 0; i < set->n; i++)
        if (glob_run(set->program[i], text))
            return true;
    return false;
}

static bool matches(const char *pattern, const char *text)
{
    struct glob_set set = compile(pattern);
    return any_matches(&set, str_of(text));
}

/* -- the meaning of patterns, row by row ------------------------------------------------ */

static void test_table(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool want;
    } rows[] = {
        {"*claude*", "anthropic/claude-opus-4-7", true},
        {"*", "", true},
        {"*", "a/b", true},
        {"", "", true},
        {"", "a", false},
        {"gpt-*", "gpt-4o", true},
        {"gpt-*", "gpt-", true},
        {"gpt-*", "gpt", false},
        {"claude-*", "gpt-4o", false},
        {"*-latest", "llama3.2-latest", true},
        {"*-latest", "llama3.2", false},
        {"gpt-4o", "gpt-4o", true},
        {"gpt-4o", "gpt-4o-mini", false},
        {"GPT-4O", "gpt-4o", true},
        {"claude-*-latest", "claude-sonnet-latest", true},
        {"claude-*-latest", "claude-sonnet-beta", false},
        {"claude-*-latest", "claude-latest", false},
        {"tool/*", "tool/a/b", true},
        {"*svc", "a/b/svc", true},
        {"a*b*c", "a-x-b-y-c", true},
        {"a*b*c", "a-x-c-y-b", false},
        {"pre*mid*", "pre-anything-mid-tail", true},
        {"gpt-?o", "gpt-4o", true},
        {"gpt-?o", "gpt-44o", false},
        {"gpt-?o", "gpt-o", false},
        {"file[12]", "file1", true},
        {"file[12]", "file3", false},
        {"file[12]", "file", false},
        {"[a-c]x", "bx", true},
        {"[a-c]x", "dx", false},
        {"[A-C]X", "bx", true},
        {"[!a-c]", "d", true},
        {"[!a-c]", "b", false},
        {"[^a-c]", "d", true},
        {"[^a-c]", "b", false},
        {"[!a]", "/", true},
        {"[]abc]", "]", true},
        {"[]abc]", "b", true},
        {"[]abc]", "d", false},
        {"[!]a]", "b", true},
        {"[!]a]", "]", false},
        {"[a-]", "-", true},
        {"[-a]", "-", true},
        {"[a-]", "b", false},
        {"[a-c-e]", "-", true},
        {"[a-c-e]", "d", false},
        {"[a-c-e]", "e", true},
        {"[--0]", ".", true},
        {"[!-]", "-", false},
        {"[a^!]", "^", true},
        {"[a^!]", "!", true},
        {"[[]x", "[x", true},
        {"[*]", "*", true},
        {"[*]", "a", false},
        {"[?]", "a", false},
        {"x[{]y", "x{y", true},
        /* braces */
        {"gpt-{4,5}*", "gpt-4o", true},
        {"gpt-{4,5}*", "gpt-5", true},
        {"gpt-{4,5}*", "gpt-6", false},
        {"{a,b}", "a", false},
        {"{a,b}", "{a,b}", true},
        {"x{a,}?", "xab", true},
        {"x{a,}?", "xb", true},
        {"x{a,}?", "xabc", false},
        {"{a,{b,c}d}?", "cdz", true},
        {"{a,{b,c}d}?", "dz", false},
        {"{a,{b,c}d}?", "az", true},
        {"{}*", "abc", true},
        {"{a}?", "ab", true},
        {"{{a}}?", "ab", true},
        {"{[,],b}*", ",", true},
        {"{[,],b}*", "c", false},
        {"{[}],b}*", "}", true},
        {"a,b*", "a,bc", true},
        {"{*,a}{*,b}", "zzz", true},
        /* what does not parse is literal */
        {"f[oo", "f[oo", true},
        {"f[oo", "fo", false},
        {"f[oo*", "f[oo-bar", true},
        {"*f[oo", "my-f[oo", true},
        {"*f[oo*", "my-f[oo-bar", true},
        {"*f[oo*", "my-foo-bar", false},
        {"a*b[c", "a*b[c", true},
        {"a*b[c", "axb[c", false},
        {"x{a,b*", "x{a,bcd", true},
        {"x{a,b*", "xa", false},
        {"xa}*", "xa}z", true},
        {"xa}?", "xa}z", false},
        {"xa}?", "xa}?", true},
        {"[]", "[]", true},
        {"[!]", "[!]", true},
        {"[c-a]", "[c-a]", true},
        {"[c-a]", "b", false},
        {"[a", "[a", true},
        {"[a-", "[a-", true},
        {"*[", "x[", true},
        {"[*", "[x", true},
        {"\\*", "\\x", true},
        /* beyond ASCII */
        {"?", "\xC3\xA9", true},
        {"??", "\xC3\xA9", false},
        {"?\xC3\xA9", "a\xC3\xA9", true},
        {"[!a]", "\xF0\x9F\x98\x80", true},
        {"[a-z]", "\xC3\xA9", false},
        {"[a\xC3\xA9]x", "\xC3\xA9x", true},
        {"[a\xC3\xA9]x", "ax", true},
        {"[a\xC3\xA9]x", "\xC3\xA8x", false},
        {"[\xC3\xA0-\xC3\xA9]", "\xC3\xA5", true},
        {"[\xC3\xA0-\xC3\xA9]", "\xC3\xAA", false},
        {"[z-\xC2\x81]", "~", true},
        {"[z-\xC2\x81]", "\xC2\x80", true},
        {"[z-\xC2\x81]", "\xC2\x82", false},
        {"[!\xC3\xA9]", "a", false}, /* cannot be written exactly: literal */
        {"[!\xC3\xA9]", "[!\xC3\xA9]", true},
        {"*\xA9", "\xC3\xA9", false}, /* half a character is not in it */
        {"?", "\xFF", true},
        {"??", "\xC3\xC3", true},
        {"\xC3?", "\xC3\xA9", false},
        /* bytes that are also codes of programs */
        {"\x01", "\x01", true},
        {"\x01", "a", false},
        {"\x02*", "\x02zz", true},
        {"\x02*", "azz", false},
        {"[\x03]", "\x03", true},
        {"\x04", "\x04", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (matches(rows[i].pattern, rows[i].text) != rows[i].want)
            fail_msg("%s with %s is not %d", rows[i].pattern, rows[i].text, rows[i].want);
}

static void test_literal_flag(void **state)
{
    (void)state;
    static const char *const literal[] = {"gpt-4o", "", "{a,b}", "f[oo", "f[oo*", "a}*", "[!\xC3\xA9]", "a{*"};
    static const char *const glob[] = {"*", "?", "[a]", "{a,b}*", "[[]", "[]a]"};
    for (size_t i = 0; i < sizeof literal / sizeof *literal; i++) {
        assert_true(compile(literal[i]).literal);
        assert_int_equal(compile(literal[i]).n, 1);
    }
    for (size_t i = 0; i < sizeof glob / sizeof *glob; i++)
        assert_false(compile(glob[i]).literal);
}

static void test_programs(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t n;
        struct str first;
    } rows[] = {
        {"Ab*?c", 1, {"ab\x01\x02" "c", 5}},
        {"a***b", 1, {"a\x01" "b", 3}},
        {"[x]*", 1, {"x\x01", 2}},
        {"{a,b}*", 2, {"a\x01", 2}},
        {"{a,a}*", 1, {"a\x01", 2}},
        {"{*,a*}{*,b}", 4, {"\x01", 1}},
        {"x\x01*", 1, {"x\x04\x01\x01", 4}},
        {"[!a]*", 1, {NULL, 19}},
        {"[!a]**", 1, {NULL, 19}},
        {"[ab]", 1, {"\x03\0\0\0\0\0\0\0\0\0\0\0\0\x06\0\0\0\0", 18}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct glob_set set = compile(rows[i].pattern);
        assert_int_equal(set.n, rows[i].n);
        assert_int_equal(set.program[0].n, rows[i].first.n);
        if (rows[i].first.p)
            assert_memory_equal(set.program[0].p, rows[i].first.p, rows[i].first.n);
    }
    assert_int_equal(compile("[!a]*").program[0].p[18], GLOB_ANY_RUN);
}

static void test_too_many(void **state)
{
    (void)state;
    static const struct {
        const char *pattern;
        size_t n; /* 0: too many */
    } rows[] = {
        {"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*", 256},
        {"{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{c,d}*", 0},
        {"{,}{,}{,}{,}{,}{,}{,}{,}{,}*", 0},
        {"{,}{,}{,}{,}{,}{,}{,}{,}*", 1},
        {"{{a,b}{a,b}{a,b}{a,b},{c,d}{c,d}}{{x,y,z},{u,v}}*", 100},
        {"[\xC4\x80-\xC7\xBF]", 256},
        {"[\xC4\x80-\xC8\x80]", 0},
        {"[\xC2\x80-\xF4\x8F\xBF\xBF]", 0},
        {"[\xED\x9F\xBF-\xEE\x80\x80]", 0}, /* more than 256 surrogates between */
        {"[\xC4\x80-\xC5\x80]{a,b,c,d}", 0},
        {"[\xC4\x80-\xC4\xBF]{a,b,c,d}", 256},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct glob_set set;
        bool too_many = rows[i].n != 0;
        bool ok = glob_compile(&arena, str_of(rows[i].pattern), &set, &too_many);
        if (ok != (rows[i].n != 0) || too_many != (rows[i].n == 0) || set.n != rows[i].n)
            fail_msg("%s: %d, %zu programs", rows[i].pattern, ok, set.n);
    }
    struct glob_set set;
    assert_false(glob_compile(&arena, str_of(rows[1].pattern), &set, NULL));
}

static void test_deep_braces(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    struct buf b;
    buf_init(&b, NULL, SIZE_MAX / 2);
    for (unsigned i = 0; i < DEPTH; i++)
        buf_putc(&b, '{');
    buf_putz(&b, "a,b");
    for (unsigned i = 0; i < DEPTH; i++)
        buf_putc(&b, '}');
    buf_putc(&b, '*');
    struct glob_set set;
    assert_true(glob_compile(&arena, str_make(b.p, b.n), &set, NULL));
    assert_int_equal(set.n, 2);
    assert_true(any_matches(&set, STR("bx")));
    assert_false(any_matches(&set, STR("cx")));
    buf_free(&b);
}

static void test_hostile_stars(void **state)
{
    (void)state;
    /* exponential for a matcher that tries all ways */
    char pattern[400], text[2000];
    for (size_t i = 0; i < sizeof pattern; i += 2) {
        pattern[i] = '*';
        pattern[i + 1] = 'a';
    }
    pattern[sizeof pattern - 1] = 'b';
    memset(text, 'a', sizeof text);
    struct glob_set set;
    assert_true(glob_compile(&arena, str_make(pattern, sizeof pattern), &set, NULL));
    assert_false(any_matches(&set, str_make(text, sizeof text)));
    text[sizeof text - 1] = 'b';
    assert_true(any_matches(&set, str_make(text, sizeof text)));
}

static void test_valid(void **state)
{
    (void)state;
    assert_true(glob_valid(STR("")));
    assert_true(glob_valid(STR("ab\x01\x02\xC3\xA9")));
    assert_true(glob_valid(STR("\x04\x01\x04\x04")));
    assert_true(glob_valid(STR("\x03" "0123456789abcdef\x01")));
    assert_false(glob_valid(STR("\x03" "0123456789abcdef\x02")));
    assert_false(glob_valid(STR("\x03" "0123456789abcdef")));
    assert_false(glob_valid(STR("a\x03")));
    assert_false(glob_valid(STR("a\x04")));
    assert_false(glob_valid(STR("\x04" "a")));
    assert_false(glob_valid(STR("\x04\x05")));
    /* a broken one is harmless all the same */
    assert_false(glob_run(STR("a\x03"), STR("a")));
    assert_false(glob_run(STR("\x01\x04"), STR("aaa")));
    assert_false(glob_run(STR("\x03" "0123456789abcdef"), STR("a")));
}

/* -- exact, prefix, contains ----------------------------------------------------------------- */

static void test_exact_and_prefix(void **state)
{
    (void)state;
    struct glob_set set;
    assert_true(glob_exact(&arena, STR("GPT-*\x01"), &set));
    assert_true(set.literal);
    assert_true(any_matches(&set, STR("gpt-*\x01")));
    assert_false(any_matches(&set, STR("gpt-4\x01")));
    assert_false(any_matches(&set, STR("gpt-*")));
    assert_true(glob_prefix(&arena, STR("Gpt-["), &set));
    assert_true(any_matches(&set, STR("gpt-[")));
    assert_true(any_matches(&set, STR("gpt-[x/y")));
    assert_false(any_matches(&set, STR("gpt-x")));
    assert_true(glob_prefix(&arena, STR_NONE, &set));
    assert_true(any_matches(&set, STR("")));
    assert_true(any_matches(&set, STR("x")));
    assert_true(glob_exact(&arena, STR_NONE, &set));
    assert_true(any_matches(&set, STR("")));
    assert_false(any_matches(&set, STR("x")));
}

static void test_contains(void **state)
{
    (void)state;
    static const struct {
        const char *needle, *text;
        bool want;
    } rows[] = {
        {"o1", "o1", true}, {"o1", "o1-mini", true}, {"o1", "openai/o1", true}, {"o1", "openai/o1@2024", true},
        {"o1", "o10", false}, {"o1", "go1", false}, {"o1", "x.o1_y", true}, {"o1", "@o1", false}, {"o1", "x@o1", false},
        {"o1", "go1-o1", true}, {"o1", "o1o1", false}, {"a-a", "a-a-a", true}, {"o1", "o", false}, {"o1", "", false},
        {"gpt-4", "azure/gpt-4:free", false}, {"gpt-4", "azure/gpt-4", true}, {"", "", true}, {"", "-a", true}, {"", "a", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct glob_set set;
        assert_true(glob_contains(&arena, str_of(rows[i].needle), &set));
        assert_int_equal(set.n, 4);
        if (any_matches(&set, str_of(rows[i].text)) != rows[i].want || word_contains(str_of(rows[i].text), str_of(rows[i].needle)) != rows[i].want)
            fail_msg("%s in %s", rows[i].needle, rows[i].text);
    }
}

/* -- literals of programs ---------------------------------------------------------------------- */

static void test_literals(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *prefix, *longest;
        bool whole;
    } rows[] = {
        {"claude-*", "claude-", "claude-", false}, {"*claude-*-x", "", "claude-", false}, {"gpt-4o", "gpt-4o", "gpt-4o", true},
        {"ab?cde[xy]f", "ab", "cde", false}, {"*", "", "", false}, {"?[ab]*", "", "", false}, {"", "", "", true},
        {"a\x01" "b*", "a\x01" "b", "a\x01" "b", false}, {"[x]y*", "xy", "xy", false}, {"*ab*cd*", "", "ab", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct str program = compile(rows[i].pattern).program[0];
        char out[64];
        bool whole = !rows[i].whole;
        size_t n = glob_literal_prefix(program, out, sizeof out, &whole);
        assert_int_equal(n, strlen(rows[i].prefix));
        assert_memory_equal(out, rows[i].prefix, n);
        assert_int_equal(whole, rows[i].whole);
        n = glob_literal_longest(program, out, sizeof out);
        assert_int_equal(n, strlen(rows[i].longest));
        assert_memory_equal(out, rows[i].longest, n);
    }
    struct str program = compile("abcdef").program[0];
    char out[3];
    bool whole = true;
    assert_int_equal(glob_literal_prefix(program, out, 3, &whole), 3);
    assert_memory_equal(out, "abc", 3);
    assert_false(whole);
    assert_int_equal(glob_literal_longest(program, out, 2), 2);
    assert_int_equal(glob_literal_prefix(program, NULL, 0, NULL), 0);
}

/* -- a naive matcher over the text of the pattern ------------------------------------------------ */

static size_t char_size(const char *p, size_t n)
{
    unsigned step = utf8_step(p, n);
    return step ? step : 1;
}

static long naive_code(const char *p, size_t n)
{
    const unsigned char *u = (const unsigned char *)p;
    switch (utf8_step(p, n)) {
    case 1:
        return u[0];
    case 2:
        return (u[0] & 31) << 6 | (u[1] & 63);
    case 3:
        return (u[0] & 15) << 12 | (u[1] & 63) << 6 | (u[2] & 63);
    case 4:
        return (long)(u[0] & 7) << 18 | (u[1] & 63) << 12 | (u[2] & 63) << 6 | (u[3] & 63);
    }
    return -1;
}

/* The length of the class at the start of s (with both brackets), 0 if it does
 * not parse. `*in` tells whether c is a member. */
static size_t naive_class(struct str s, long c, bool *in)
{
    size_t i = 1;
    bool negated = i < s.n && (s.p[i] == '!' || s.p[i] == '^'), beyond = false;
    i += negated;
    *in = false;
    for (size_t first = i;; ) {
        if (i >= s.n)
            return 0;
        if (s.p[i] == ']' && i != first)
            break;
        long low = naive_code(s.p + i, s.n - i), high = low;
        i += char_size(s.p + i, s.n - i);
        if (i + 1 < s.n && s.p[i] == '-' && s.p[i + 1] != ']') {
            high = naive_code(s.p + i + 1, s.n - i - 1);
            i += 1 + char_size(s.p + i + 1, s.n - i - 1);
        }
        if (low < 0 || high < low)
            return 0;
        beyond = beyond || high >= 128;
        *in = *in || (c >= low && c <= high);
    }
    if (negated && beyond)
        return 0;
    *in = *in != negated;
    return i + 1;
}

static bool naive_parses(struct str s)
{
    size_t depth = 0;
    bool special = false, in;
    for (size_t i = 0; i < s.n;) {
        size_t step = 1;
        special = special || s.p[i] == '*' || s.p[i] == '?' || s.p[i] == '[';
        if (s.p[i] == '[')
            step = naive_class(str_from(s, i), 0, &in);
        else if (s.p[i] == '{')
            depth++;
        else if (s.p[i] == '}' && depth-- == 0)
            return false;
        if (step == 0)
            return false;
        i += step;
    }
    return special && depth == 0;
}

static bool naive_run(struct str p, struct str t);

/* {x,y}rest: tries xrest, yrest. */
static bool naive_braces(struct str p, struct str t)
{
    size_t depth = 0, start = 1, close = 0, cut[64], n = 0;
    for (size_t i = 0; !close; i++) {
        bool in;
        if (p.p[i] == '[')
            i += naive_class(str_from(p, i), 0, &in) - 1;
        else if (p.p[i] == '{')
            depth++;
        else if (p.p[i] == '}' && --depth == 0)
            close = i;
        else if (p.p[i] == ',' && depth == 1)
            cut[n++] = i;
    }
    cut[n++] = close;
    for (size_t k = 0; k < n; k++) {
        char joined[256];
        size_t len = cut[k] - start, rest = p.n - close - 1;
        memcpy(joined, p.p + start, len);
        memcpy(joined + len, p.p + close + 1, rest);
        if (naive_run(str_make(joined, len + rest), t))
            return true;
        start = cut[k] + 1;
    }
    return false;
}

static bool naive_run(struct str p, struct str t)
{
    if (p.n == 0)
        return t.n == 0;
    if (p.p[0] == '{')
        return naive_braces(p, t);
    if (p.p[0] == '*')
        return naive_run(str_from(p, 1), t) || (t.n && naive_run(p, str_from(t, char_size(t.p, t.n))));
    if (t.n == 0)
        return false;
    size_t size = char_size(t.p, t.n);
    if (p.p[0] == '?')
        return naive_run(str_from(p, 1), str_from(t, size));
    if (p.p[0] == '[') {
        bool in;
        size_t len = naive_class(p, naive_code(t.p, t.n), &in);
        return in && naive_run(str_from(p, len), str_from(t, size));
    }
    return char_size(p.p, p.n) == size && memcmp(p.p, t.p, size) == 0 && naive_run(str_from(p, size), str_from(t, size));
}

static bool naive_match(struct str pattern, struct str text)
{
    if (naive_parses(pattern))
        return naive_run(pattern, text);
    bool front = pattern.n && pattern.p[0] == '*';
    if (front)
        pattern = str_from(pattern, 1);
    bool back = pattern.n && pattern.p[pattern.n - 1] == '*';
    if (back)
        pattern.n--;
    if (front && back)
        return str_find(text, pattern) != SIZE_MAX;
    return front ? str_ends(text, pattern) : back ? str_starts(text, pattern) : str_eq(text, pattern);
}

/* -- random patterns --------------------------------------------------------------------------------- */

static uint64_t seed;

static unsigned pick(unsigned n)
{
    return dice(&seed, n);
}

static struct str join(char *out, const char *const *part, unsigned n_parts, unsigned most)
{
    size_t n = 0;
    for (unsigned i = pick(most + 1); i--;) {
        const char *p = part[pick(n_parts)];
        memcpy(out + n, p, strlen(p));
        n += strlen(p);
    }
    return str_make(out, n);
}

static void test_against_naive(void **state)
{
    (void)state;
    /* the first set makes patterns that mostly parse, the second mostly not */
    static const char *const well[] = {"a", "b", "-", "*", "*", "?", "[ab]", "[!a]", "[a-c]", "[]a]", "{a,b}", "{a,b*}", "{,b?}", "{a,{b,-}a}",
                                       "\xC3\xA9", "[b\xC3\xA9]", "\x01", "[--b]", "[^]b-]"};
    static const char *const ill[] = {"a", "b", "*", "?", "[", "]", "{", "}", ",", "!", "-", "^", "\xC3\xA9", "*"};
    static const char *const letters[] = {"a", "b", "-", "c", "]", "\xC3\xA9", "a", "b"};
    static const char *const marks[] = {"a", "b", "*", "?", "[", "]", "{", "}", ",", "!", "-", "\xC3\xA9", "\x01", "\xC3"};
    unsigned hits = 0, parsed = 0;
    seed = 7;
    for (unsigned round = 0; round < 60000; round++) {
        char p[256], t[64];
        bool good = round % 2;
        struct str pattern = good ? join(p, well, LENGTH(well), 7) : join(p, ill, LENGTH(ill), 8);
        struct glob_set set;
        assert_true(glob_compile(&arena, pattern, &set, NULL));
        assert_int_equal(set.literal, !naive_parses(pattern));
        parsed += !set.literal;
        for (unsigned k = 0; k < 10; k++) {
            struct str text = k % 2 ? join(t, letters, LENGTH(letters), 6) : join(t, marks, LENGTH(marks), 5);
            if (k == 0)
                text = pattern.n <= sizeof t ? pattern : text;
            bool want = naive_match(pattern, text);
            hits += want;
            if (any_matches(&set, text) != want)
                fail_msg("%.*s with %.*s is not %d", STR_ARG(pattern), STR_ARG(text), want);
        }
        if (round % 500 == 0)
            arena_free(&arena);
    }
    assert_true(hits > 20000 && parsed > 25000); /* the test tests something */
}

/* Every match begins with the literal prefix and contains the longest literal. */
static void test_literals_hold(void **state)
{
    (void)state;
    static const char *const parts[] = {"a", "b", "ab", "*", "?", "[ab]", "[b]", "\x01"};
    static const char *const letters[] = {"a", "b", "\x01"};
    unsigned hits = 0;
    seed = 8;
    for (unsigned round = 0; round < 20000; round++) {
        char p[64], t[32], lit[64];
        struct glob_set set;
        bool whole;
        assert_true(glob_compile(&arena, join(p, parts, LENGTH(parts), 5), &set, NULL));
        for (unsigned k = 0; k < 10; k++) {
            struct str text = join(t, letters, LENGTH(letters), 6);
            if (!glob_run(set.program[0], text))
                continue;
            hits++;
            size_t n = glob_literal_prefix(set.program[0], lit, sizeof lit, &whole);
            assert_true(str_starts(text, str_make(lit, n)));
            if (whole)
                assert_int_equal(n, text.n);
            n = glob_literal_longest(set.program[0], lit, 1 + k);
            assert_true(str_find(text, str_make(lit, n)) != SIZE_MAX);
        }
        if (round % 500 == 0)
            arena_free(&arena);
    }
    assert_true(hits > 2000);
}

/* -- cover and overlap ---------------------------------------------------------------------------------- */

static bool covered(const char *b, const char *const *a, size_t n)
{
    struct str program[8];
    for (size_t i = 0; i < n; i++)
        program[i] = compile(a[i]).program[0];
    return glob_covered(&arena, compile(b).program[0], program, n);
}

#define COVERED(b, ...) covered(b, (const char *const[]){__VA_ARGS__}, sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

static void test_covered(void **state)
{
    (void)state;
    assert_true(COVERED("claude-3-*", "claude-*"));
    assert_false(COVERED("claude-*", "claude-3-*"));
    assert_true(COVERED("claude-3-opus", "claude-*-opus"));
    assert_true(COVERED("gpt-4o", "gpt-5", "gpt-4o"));
    assert_false(COVERED("gpt-4o", "gpt-5", "gpt-4"));
    assert_true(COVERED("*", "*"));
    assert_true(COVERED("a*b*c", "a*c"));
    assert_false(COVERED("a*c", "a*b*c"));
    assert_true(COVERED("*ab*", "*a*b*"));
    assert_false(COVERED("*a*b*", "*ab*"));
    assert_true(COVERED("?*", "*?"));
    assert_true(COVERED("*?", "?*"));
    assert_true(COVERED("[a-c]x", "[a-b]x", "[c-d]x"));
    assert_false(COVERED("[a-c]x", "[a-b]x", "[d-e]x"));
    assert_true(COVERED("?", "[a-z]", "[!a-z]"));
    assert_true(COVERED("?", "[a-y]", "[!a-z]", "z"));
    assert_false(COVERED("?", "[a-y]", "[!a-z]", "y"));
    assert_true(COVERED("*", "", "?*"));
    assert_false(COVERED("*", "?*"));
    assert_false(COVERED("*", ""));
    /* only together, and only by looking ahead */
    assert_true(COVERED("x*", "x", "xa*", "x[!a]*"));
    assert_true(COVERED("*aba*", "*ab*", "zzz"));
    assert_true(COVERED("a*a", "a*a", "b"));
    assert_true(COVERED("??*", "?*?"));
    assert_true(COVERED("?*?", "??*"));
    assert_false(COVERED("?*", "??*"));
    /* upper case letters are in no text */
    assert_true(COVERED("[@-z]", "[@a-z]", "[[-`]"));
    /* beyond ASCII */
    assert_true(COVERED("\xC3\xA9*", "?*"));
    assert_true(COVERED("\xC3\xA9?", "[!a]?"));
    assert_false(COVERED("?", "[a-z]", "\xC3\xA9", "[!a-z\x7f]"));
    assert_false(COVERED("[!a]", "\xC3\xA9", "\xC3\xA8"));
    assert_true(COVERED("[\xC3\xA9]?", "\xC3\xA9*"));
    assert_false(COVERED("?", "??", "???"));
    /* nothing covers something */
    struct str b = compile("a*").program[0];
    assert_false(glob_covered(&arena, b, NULL, 0));
    assert_false(glob_covered(&arena, compile("a").program[0], NULL, 0));
}

static void test_contains_covers(void **state)
{
    (void)state;
    struct glob_set word;
    assert_true(glob_contains(&arena, STR("opus"), &word));
    assert_true(glob_covered(&arena, compile("claude-opus-*").program[0], word.program, word.n));
    assert_true(glob_covered(&arena, compile("*-opus").program[0], word.program, word.n));
    assert_true(glob_covered(&arena, compile("opus[-@]*").program[0], word.program, word.n));
    assert_false(glob_covered(&arena, compile("claude-opus*").program[0], word.program, word.n));
    assert_false(glob_covered(&arena, compile("*opus").program[0], word.program, word.n));
    struct glob_set longer;
    assert_true(glob_contains(&arena, STR("claude-opus"), &longer));
    for (size_t i = 0; i < longer.n; i++)
        assert_true(glob_covered(&arena, longer.program[i], word.program, word.n));
    assert_false(glob_covered(&arena, word.program[1], longer.program, longer.n));
}

static bool overlap(const char *a, const char *b)
{
    struct str x = compile(a).program[0], y = compile(b).program[0];
    bool got = glob_overlap(&arena, x, y);
    assert_int_equal(glob_overlap(&arena, y, x), got);
    return got;
}

static void test_overlap(void **state)
{
    (void)state;
    assert_true(overlap("claude-*", "*-latest"));
    assert_false(overlap("claude-*", "gpt-*"));
    assert_false(overlap("*-a", "*-b"));
    assert_true(overlap("a*b", "ab"));
    assert_false(overlap("a?b", "ab"));
    assert_true(overlap("[a-c]", "[c-e]"));
    assert_false(overlap("[a-b]", "[c-e]"));
    assert_true(overlap("[!a]", "[!b]"));
    assert_false(overlap("[@-z]", "[!@[-`a-z]")); /* only upper case between */
    assert_true(overlap("\xC3\xA9", "?"));
    assert_true(overlap("\xC3\xA9", "[!a]"));
    assert_false(overlap("\xC3\xA9", "[a-z]"));
    assert_false(overlap("\xC3\xA9", "\xC3\xA8"));
    assert_false(overlap("", "?"));
    assert_true(overlap("", "*"));
    assert_true(overlap("*x*", "*y*"));
    assert_false(overlap("?", "??"));
    assert_false(overlap("a*a", "a"));
}

/* Patterns that would need more than the bound: the answer is "not proven",
 * and it comes. */
static void test_bound(void **state)
{
    (void)state;
    struct str a[128];
    for (unsigned i = 0; i < 128; i++) {
        struct buf p;
        buf_init(&p, NULL, 1000);
        buf_putc(&p, '*');
        for (unsigned k = 0; k < 7; k++)
            buf_putc(&p, (char)('a' + (i >> k & 1)));
        for (unsigned k = 0; k < 20; k++)
            buf_putc(&p, '?');
        a[i] = compile(buf_cstr(&p)).program[0];
        buf_free(&p);
    }
    assert_false(glob_covered(&arena, compile("*[ab][ab][ab][ab][ab][ab][ab]????????????????????").program[0], a, 128)); /* covered, in fact */
    struct buf p;
    buf_init(&p, NULL, 1000);
    for (unsigned k = 0; k < 250; k++)
        buf_putz(&p, "*?");
    buf_putc(&p, 'b');
    struct str x = compile(buf_cstr(&p)).program[0];
    p.p[p.n - 1] = 'c';
    struct str y = compile(buf_cstr(&p)).program[0];
    assert_true(glob_overlap(&arena, x, y)); /* wrong, but allowed: not proven otherwise */
    buf_free(&p);
}

/* All texts of at most `most` symbols. */
#define TEXTS 4000

struct texts {
    size_t n;
    size_t len[TEXTS];
    char text[TEXTS][24];
};

static void make_texts(struct texts *ts, const char *const *symbol, unsigned symbols, unsigned most)
{
    size_t from = 0;
    ts->n = 1;
    ts->len[0] = 0;
    for (unsigned round = 0; round < most; round++)
        for (size_t end = ts->n; from < end; from++)
            for (unsigned s = 0; s < symbols; s++) {
                size_t k = strlen(symbol[s]), old = ts->len[from];
                assert_true(ts->n < TEXTS);
                memcpy(ts->text[ts->n], ts->text[from], old);
                memcpy(ts->text[ts->n] + old, symbol[s], k);
                ts->len[ts->n++] = old + k;
            }
}

/* Compares with the truth over these texts. The patterns are small enough, and
 * the symbols stand for enough, that a text that refutes a claim is one of
 * them if there is any. */
static void brute_force(const struct texts *ts, const char *const *part, unsigned parts, uint64_t from, unsigned rounds)
{
    static bool hit[4][TEXTS];
    unsigned yes = 0, no = 0, meet = 0, apart = 0;
    seed = from;
    for (unsigned round = 0; round < rounds; round++) {
        struct str program[4];
        unsigned n = 1 + pick(3); /* of a's; program[0] is b */
        for (unsigned i = 0; i <= n; i++) {
            char p[64];
            struct glob_set set;
            struct str pattern = join(p, part, parts, 3);
            assert_true(glob_compile(&arena, pattern, &set, NULL));
            program[i] = set.program[0];
            for (size_t t = 0; t < ts->n; t++)
                hit[i][t] = glob_run(program[i], str_make(ts->text[t], ts->len[t]));
        }
        bool cover = true, both = false;
        for (size_t t = 0; t < ts->n; t++) {
            bool some = false;
            for (unsigned i = 1; i <= n; i++)
                some = some || hit[i][t];
            cover = cover && (some || !hit[0][t]);
            both = both || (hit[0][t] && hit[1][t]);
        }
        bool got = glob_covered(&arena, program[0], program + 1, n);
        if (got != cover)
            fail_msg("round %u: covered is %d, the truth %d", round, got, cover);
        *(cover ? &yes : &no) += 1;
        got = glob_overlap(&arena, program[0], program[1]);
        if (got != both)
            fail_msg("round %u: overlap is %d, the truth %d", round, got, both);
        *(both ? &meet : &apart) += 1;
        if (round % 100 == 0)
            arena_free(&arena);
    }
    assert_true(yes > rounds / 20 && no > rounds / 20 && meet > rounds / 20 && apart > rounds / 20);
}

static struct texts texts;

static void test_brute_ascii(void **state)
{
    (void)state;
    static const char *const symbol[] = {"a", "b", "-", "z"};
    static const char *const part[] = {"a", "b", "-", "*", "*", "?", "[ab]", "[!a]", "[!ab]", "[-a]"};
    make_texts(&texts, symbol, 4, 5);
    brute_force(&texts, part, LENGTH(part), 11, 6000);
}

static void test_brute_beyond(void **state)
{
    (void)state;
    static const char *const symbol[] = {"a", "z", "\xC3\xA9", "\xE2\x82\xAC"};
    static const char *const part[] = {"a", "\xC3\xA9", "*", "*", "?", "[a-z]", "[!a]", "[!a-z]", "a"};
    make_texts(&texts, symbol, 4, 5);
    brute_force(&texts, part, LENGTH(part), 12, 4000);
}

static void test_brute_stars(void **state)
{
    (void)state;
    static const char *const symbol[] = {"a", "b", "z"};
    static const char *const part[] = {"a", "b", "*", "*", "ab", "aa", "?*"};
    make_texts(&texts, symbol, 3, 7);
    brute_force(&texts, part, LENGTH(part), 13, 3000);
}

/* -- memory that runs out ------------------------------------------------------------------------- */

static void test_out_of_memory(void **state)
{
    (void)state;
    struct buf wide;
    buf_init(&wide, NULL, 100000);
    for (unsigned i = 0; i < 300; i++)
        buf_putz(&wide, "[ab]");
    buf_putz(&wide, "{a,{b,[\xC3\xA9\xC3\xA8x]}}{c,d}*");
    struct str b_program = compile("*ab*ba*[!c]").program[0];
    struct str a_program[3] = {compile("*ab*").program[0], compile("*[ab]").program[0], compile("a*b*\xC3\xA9").program[0]};
    unsigned done = 0;
    for (size_t n = 0; done != 63; n++) {
        struct failing budget;
        cando_allocator al = {failing_resize, &budget};
        struct arena ar;
        struct glob_set set;
        for (unsigned what = 0; what < 6; what++) {
            bool too_many = true, ok;
            budget = failing_after(n);
            arena_init(&ar, &al);
            switch (what) {
            case 0:
                ok = glob_compile(&ar, str_make(wide.p, wide.n), &set, &too_many);
                assert_false(too_many);
                break;
            case 1:
                ok = glob_compile(&ar, STR("f[oo"), &set, NULL);
                break;
            case 2:
                ok = glob_contains(&ar, STR("word"), &set);
                break;
            case 3:
                ok = glob_exact(&ar, STR("word"), &set) && glob_prefix(&ar, STR("word"), &set);
                break;
            case 4:
                ok = glob_covered(&ar, b_program, a_program, 3);
                break;
            default: /* apart: true only if it could not be proven */
                ok = !glob_overlap(&ar, STR("abcdefghij\x01"), STR("abcdefghik\x01"));
            }
            done |= (unsigned)ok << what;
            arena_free(&ar);
            assert_int_equal(budget.live, 0);
        }
        assert_true(n < 500);
    }
    buf_free(&wide);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) TEST_WITH_ARENA(name)
        T(test_table), T(test_literal_flag), T(test_programs), T(test_too_many), T(test_deep_braces), T(test_hostile_stars),
        T(test_valid), T(test_exact_and_prefix), T(test_contains), T(test_literals), T(test_against_naive),
        T(test_literals_hold), T(test_covered), T(test_contains_covers), T(test_overlap), T(test_bound),
        T(test_brute_ascii), T(test_brute_beyond), T(test_brute_stars), T(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
