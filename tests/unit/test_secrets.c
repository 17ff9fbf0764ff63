/*
 * test_secrets.c - the corpus: tests/secrets/shapes.txt goes, tests/secrets/plain.txt stays.
 *
 * The files have no secret in them: what would look like one is put together here.
 */
#include "base/file.h"
#include "base/limits.h"
#include "record/redact.h"
#include "test.h"

#include <ctype.h>

#define OPEN "\xc2\xab"
#define CLOSE "\xc2\xbb"

static uint64_t seed = 13;

static const struct {
    const char *name, *of;
} kinds[] = {
    {"alnum", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"},
    {"dash", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"},
    {"b64", "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+/"},
    {"hex", "0123456789abcdef"},
    {"upper", "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"},
    {"lower", "abcdefghijklmnopqrstuvwxyz0123456789"},
    {"digit", "123456789"},
};

/* {kind n}: n characters, letters and digits in turn at its ends, so that it looks random and
 * no boundary moves. Returns how much of `s` it was, 0: it is no hole. */
static size_t fill(struct buf *b, struct str s)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        size_t len = strlen(kinds[i].name);
        if (s.n < len + 4 || memcmp(s.p + 1, kinds[i].name, len) != 0 || s.p[len + 1] != ' ')
            continue;
        size_t at = len + 2, n = 0;
        while (at < s.n && char_is_digit(s.p[at]))
            n = n * 10 + (size_t)(s.p[at++] - '0');
        if (at >= s.n || s.p[at] != '}')
            continue;
        unsigned many = (unsigned)strlen(kinds[i].of);
        for (size_t k = 0; k < n; k++) {
            bool edge = k < 2 || k + 2 > n; /* no - or / at an end */
            bool digit = many > 9 && k % 5 == 2;
            char c = kinds[i].of[dice(&seed, edge && many > 60 ? 52 : many)];
            buf_putc(b, digit && i != 4 ? "23456789"[dice(&seed, 8)] : c);
        }
        return at + 1;
    }
    return 0;
}

/* The line as it is meant, and what is left of it: what stands between the marks goes. */
static void assemble(struct str line, struct buf *text, struct buf *left)
{
    size_t from = 0;
    bool inside = false;
    for (size_t i = 0; i < line.n;) {
        struct str rest = str_from(line, i);
        size_t hole = rest.p[0] == '{' ? fill(text, rest) : 0;
        if (hole) {
            i += hole;
        } else if (str_starts(rest, STR("~~"))) {
            buf_putc(text, '~');
            i += 2;
        } else if (str_starts(rest, STR("\\n"))) {
            buf_putc(text, '\n');
            i += 2;
        } else if (str_starts(rest, STR("\\\\"))) {
            buf_putc(text, '\\');
            i += 2;
        } else if (str_starts(rest, STR(OPEN)) || str_starts(rest, STR(CLOSE))) {
            if (inside)
                buf_putz(left, REDACTED);
            else if (from < text->n)
                buf_put(left, text->p + from, text->n - from);
            inside = !inside;
            from = text->n;
            i += 2;
        } else {
            if (rest.p[0] != '~')
                buf_putc(text, rest.p[0]);
            i++;
        }
    }
    if (from < text->n)
        buf_put(left, text->p + from, text->n - from);
}

/* How many lines of the file are not as they should be; they are printed. */
static unsigned run(const char *path, bool gone, unsigned *lines)
{
    char *file;
    size_t len;
    unsigned wrong = 0;
    *lines = 0;
    assert_int_equal(file_read(path, LIMIT_JSON_BYTES, NULL, &file, &len, NULL), CANDO_OK);
    for (struct str rest = str_make(file, len), line; rest.n; rest = str_from(rest, line.n + 1)) {
        struct buf text, left, have;
        line = str_head(rest, str_find_char(rest, '\n'));
        if (!line.n || line.p[0] == '#')
            continue;
        struct str key = STR(""), body = line;
        if (line.p[0] == '@') {
            size_t space = str_find_char(line, ' ');
            key = str_make(line.p + 1, space - 1);
            body = str_from(line, space + 1);
        }
        buf_init(&text, NULL, 1 << 20);
        buf_init(&left, NULL, 1 << 20);
        buf_init(&have, NULL, 1 << 20);
        assemble(body, &text, &left);
        redact_text(&have, str_make(text.p, text.n), key);
        struct str h = str_make(have.p, have.n), want = str_make(left.p, left.n);
        bool none = str_eq(want, str_make(text.p, text.n));
        if (none == gone || !str_eq(h, want)) {
            print_message("%s: %.*s\n    %.*s\n", path, STR_ARG(line), STR_ARG(h));
            wrong++;
        }
        ++*lines;
        buf_free(&text);
        buf_free(&left);
        buf_free(&have);
    }
    mem_free(NULL, file, len + 1);
    return wrong;
}

static void test_shapes(void **state)
{
    unsigned lines;
    (void)state;
    assert_int_equal(run("tests/secrets/shapes.txt", true, &lines), 0);
    assert_true(lines >= 200);
}

static void test_plain(void **state)
{
    unsigned lines;
    (void)state;
    assert_int_equal(run("tests/secrets/plain.txt", false, &lines), 0);
    assert_true(lines >= 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_shapes), cmocka_unit_test(test_plain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
