/*
 * test_json_suite.c - the JSON texts of tests/cases/json, judged by the first
 * letter of their names: y_ is accepted and survives being written again, n_
 * is refused, i_ does what the table here (and the README there) says.
 *
 * CANDO_TESTS names the tests folder; "tests" if it is not set.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include "base/file.h"
#include "base/limits.h"
#include "text/json.h"

/* CODE_COUNT: accepted. */
static const struct {
    const char *name;
    enum code code;
} pinned[] = {
    {"i_duplicate_key.json", CODE_json_duplicate_key},
    {"i_duplicate_key_same_value.json", CODE_json_duplicate_key},
    {"i_duplicate_key_escaped.json", CODE_json_duplicate_key},
    {"i_duplicate_key_far.json", CODE_json_duplicate_key},
    {"i_number_huge_exponent.json", CODE_COUNT},
    {"i_number_tiny_exponent.json", CODE_COUNT},
    {"i_number_exponent_beyond_64_bits.json", CODE_COUNT},
    {"i_number_integer_beyond_64_bits.json", CODE_COUNT},
    {"i_number_thousand_digits.json", CODE_COUNT},
    {"i_string_escaped_nul.json", CODE_COUNT},
    {"i_string_lone_high_surrogate.json", CODE_json_syntax},
    {"i_string_lone_low_surrogate.json", CODE_json_syntax},
    {"i_string_high_surrogate_then_text.json", CODE_json_syntax},
    {"i_string_two_high_surrogates.json", CODE_json_syntax},
    {"i_string_surrogates_swapped.json", CODE_json_syntax},
    {"i_string_high_surrogate_then_escape.json", CODE_json_syntax},
    {"i_string_noncharacter.json", CODE_COUNT},
    {"i_string_noncharacter_escaped.json", CODE_COUNT},
    {"i_utf8_byte_ff.json", CODE_json_syntax},
    {"i_utf8_continuation_alone.json", CODE_json_syntax},
    {"i_utf8_cut.json", CODE_json_syntax},
    {"i_utf8_overlong_slash.json", CODE_json_syntax},
    {"i_utf8_overlong_nul.json", CODE_json_syntax},
    {"i_utf8_surrogate.json", CODE_json_syntax},
    {"i_utf8_beyond_10ffff.json", CODE_json_syntax},
    {"i_utf8_in_key.json", CODE_json_syntax},
    {"i_text_bom.json", CODE_json_syntax},
    {"i_text_utf16_le.json", CODE_json_syntax},
    {"i_text_utf16_be.json", CODE_json_syntax},
    {"i_depth_512.json", CODE_COUNT},
    {"i_depth_513.json", CODE_json_depth},
};

#define PINNED (sizeof pinned / sizeof *pinned)

static struct str base_name(struct str path)
{
    size_t at = path.n;
    while (at && path.p[at - 1] != '/')
        at--;
    return str_from(path, at);
}

static void write_back(struct arena *ar, const struct json *v, struct str name)
{
    for (unsigned pretty = 0; pretty < 2; pretty++) {
        struct buf out;
        struct json_writer w;
        struct json_error err;
        buf_init(&out, NULL, SIZE_MAX / 2);
        jw_init(&w, &out, pretty);
        jw_value(&w, v);
        assert_false(out.failed);
        const struct json *again = json_parse(ar, str_make(out.p, out.n), &err);
        if (!again || !json_equal(v, again))
            fail_msg("%.*s: does not survive being written", STR_ARG(name));
        buf_free(&out);
    }
}

/* The code that the text is refused with; CODE_COUNT if it is accepted. */
static enum code judge(struct str path)
{
    struct arena ar;
    struct json_error err;
    cando_error io;
    char *text;
    size_t n;
    if (file_read(path.p, LIMIT_JSON_BYTES, NULL, &text, &n, &io) != CANDO_OK)
        fail_msg("%s", io.message);
    arena_init(&ar, NULL);
    memset(&err, 0, sizeof err);
    const struct json *v = json_parse(&ar, str_make(text, n), &err);
    if (v) {
        write_back(&ar, v, base_name(path));
    } else {
        assert_true(err.at <= n);
        assert_true(err.line >= 1 && err.column >= 1);
        assert_true(err.message[0] != '\0');
    }
    mem_free(NULL, text, n + 1);
    arena_free(&ar);
    return v ? CODE_COUNT : err.code;
}

static const char *verdict(enum code c)
{
    return c == CODE_COUNT ? "accepted" : code_name(c);
}

static void test_suite(void **state)
{
    (void)state;
    const char *tests = getenv("CANDO_TESTS");
    char folder[2000];
    struct arena ar;
    struct str *path;
    size_t n, count[3] = {0}, wrong = 0;
    cando_error err;
    snprintf(folder, sizeof folder, "%s/cases/json", tests && *tests ? tests : "tests");
    arena_init(&ar, NULL);
    if (file_list(folder, ".json", &ar, &path, &n, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < n; i++) {
        struct str name = base_name(path[i]);
        enum code got = judge(path[i]), want = CODE_COUNT;
        bool fine;
        if (str_starts(name, STR("y_"))) {
            count[0]++;
            fine = got == CODE_COUNT;
        } else if (str_starts(name, STR("n_"))) {
            count[1]++;
            fine = got == CODE_json_syntax || got == CODE_json_depth;
            want = CODE_json_syntax;
        } else {
            size_t k = 0;
            while (k < PINNED && !str_is(name, pinned[k].name))
                k++;
            if (k == PINNED)
                fail_msg("%.*s: not in the table", STR_ARG(name));
            count[2]++;
            want = pinned[k].code;
            fine = got == want;
        }
        if (!fine) {
            print_error("%.*s: %s instead of %s\n", STR_ARG(name), verdict(got), verdict(want));
            wrong++;
        }
    }
    arena_free(&ar);
    assert_int_equal(wrong, 0);
    assert_true(count[0] >= 60 && count[1] >= 150);
    assert_int_equal(count[2], PINNED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_suite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
