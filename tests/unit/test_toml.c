/*
 * test_toml.c - the TOML reader: values, places, errors, limits, memory.
 *
 * tests/cases/toml holds one small file for each rule of the language; here
 * is what files cannot show: the tree itself, where its parts stand, limits,
 * an allocator that fails at each point in turn, and texts of some size.
 */

#include "test.h"

#include "base/limits.h"
#include "text/toml.h"

#include <math.h>

/* -- helpers ---------------------------------------------------------------- */

struct parsed {
    struct arena ar;
    struct toml *root;
    enum code code;
    struct toml_pos at;
    char message[200];
};

static struct parsed parse_str(struct str text)
{
    struct parsed p;
    memset(&p, 0, sizeof p);
    arena_init(&p.ar, NULL);
    p.root = toml_parse(&p.ar, text, &p.code, &p.at, p.message, sizeof p.message);
    return p;
}

static struct parsed parse(const char *text)
{
    return parse_str(str_of(text));
}

static struct parsed parse_ok(const char *text)
{
    struct parsed p = parse(text);
    if (!p.root)
        fail_msg("%u:%u: %s in: %s", (unsigned)p.at.line, (unsigned)p.at.column, p.message, text);
    return p;
}

static void done(struct parsed *p)
{
    arena_free(&p->ar);
}

static void assert_text(struct str got, const char *want)
{
    assert_str(got, want);
    assert_int_equal(got.p[got.n], 0); /* texts of the reader end with a NUL */
}

static void assert_at(struct toml_pos at, unsigned line, unsigned column, unsigned width)
{
    assert_int_equal(at.line, line);
    assert_int_equal(at.column, column);
    assert_int_equal(at.width, width);
}

/* The value at a dotted path; a number is an index into an array. */
static struct toml *at_path(struct toml *v, const char *path)
{
    struct str rest = str_of(path);
    while (rest.n) {
        size_t dot = str_find_char(rest, '.');
        struct str step = str_head(rest, dot);
        if (v->kind == TOML_ARRAY) {
            size_t i = (size_t)strtoul(step.p, NULL, 10);
            assert_true(i < v->n);
            v = v->item[i];
        } else {
            v = toml_get(v, step);
        }
        if (!v)
            fail_msg("nothing at %s", path);
        rest = str_from(rest, dot + 1);
    }
    return v;
}

static void refuse(const char *text, enum code code, unsigned line, unsigned column, unsigned width,
                   const char *message)
{
    struct parsed p = parse(text);
    assert_null(p.root);
    assert_string_equal(p.message, message);
    assert_string_equal(code_name(p.code), code_name(code));
    assert_at(p.at, line, column, width);
    done(&p);
}

static void refuse_syntax(const char *text, unsigned line, unsigned column, unsigned width, const char *message)
{
    refuse(text, CODE_toml_syntax, line, column, width, message);
}

static void refuse_twice(const char *text, unsigned line, unsigned column, unsigned width, const char *message)
{
    refuse(text, CODE_toml_duplicate_key, line, column, width, message);
}

/* -- values ------------------------------------------------------------------- */

static void test_empty(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "", " \t ", "\n\n", "\r\n", "# only a comment", "\xEF\xBB\xBF", "\xEF\xBB\xBF# c\n"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct parsed p = parse_ok(texts[i]);
        assert_int_equal(p.root->kind, TOML_TABLE);
        assert_int_equal(p.root->n, 0);
        assert_null(toml_get(p.root, STR("")));
        done(&p);
    }
    struct parsed p = parse_str(STR_NONE);
    assert_non_null(p.root);
    done(&p);
}

static void test_strings(void **state)
{
    (void)state;
    struct parsed p = parse_ok("plain = \"text\"\n"
                               "empty = ''\n"
                               "escapes = \"\\b\\t\\n\\f\\r\\\"\\\\|\\u00e9\\U0001F600\"\n"
                               "literal = 'C:\\dir\\n'\n"
                               "lines = \"\"\"\none\ntwo \\\n   \n  three\"\"\"\n"
                               "quotes = \"\"\"\"a\"\"b\"\"\"\"\"\n"
                               "raw = '''\n'a'\\''''\n"
                               "crlf = \"\"\"\r\na\r\nb\"\"\"\n"
                               "tab = \"a\tb\"\n");
    assert_text(toml_get(p.root, STR("plain"))->text, "text");
    assert_text(toml_get(p.root, STR("empty"))->text, "");
    assert_text(toml_get(p.root, STR("escapes"))->text, "\b\t\n\f\r\"\\|\xC3\xA9\xF0\x9F\x98\x80");
    assert_text(toml_get(p.root, STR("literal"))->text, "C:\\dir\\n");
    assert_text(toml_get(p.root, STR("lines"))->text, "one\ntwo three");
    assert_text(toml_get(p.root, STR("quotes"))->text, "\"a\"\"b\"\"");
    assert_text(toml_get(p.root, STR("raw"))->text, "'a'\\'");
    assert_text(toml_get(p.root, STR("crlf"))->text, "a\nb");
    assert_text(toml_get(p.root, STR("tab"))->text, "a\tb");
    done(&p);
}

static void test_string_with_nul(void **state)
{
    (void)state;
    struct parsed p = parse_ok("\"a\\u0000b\" = \"c\\u0000d\"\n\"a\" = 1\n");
    struct toml *v = toml_get(p.root, STR("a\0b"));
    assert_non_null(v);
    assert_int_equal(v->text.n, 3);
    assert_memory_equal(v->text.p, "c\0d", 3);
    assert_int_equal(toml_get(p.root, STR("a"))->integer, 1);
    done(&p);
}

static void test_integers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"0", 0},
        {"+0", 0},
        {"-0", 0},
        {"+17", 17},
        {"-9_223_372_036_854_775_808", INT64_MIN},
        {"9223372036854775807", INT64_MAX},
        {"0x7fffffffffffffff", INT64_MAX},
        {"0xDEAD_beef", 0xDEADBEEF},
        {"0o755", 0755},
        {"0b1101_0110", 0xD6},
        {"0x00", 0},
        {"0b111111111111111111111111111111111111111111111111111111111111111", INT64_MAX},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[120];
        snprintf(text, sizeof text, "a = %s", rows[i].text);
        struct parsed p = parse_ok(text);
        struct toml *v = toml_get(p.root, STR("a"));
        assert_int_equal(v->kind, TOML_INTEGER);
        assert_true(v->integer == rows[i].value);
        assert_text(v->text, rows[i].text);
        done(&p);
    }
}

static void test_floats(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } rows[] = {
        {"0.1", 0.1},
        {"+3.1415", 3.1415},
        {"-0.01", -0.01},
        {"5e+22", 5e22},
        {"1E06", 1e6},
        {"-2e-2", -2e-2},
        {"6.626e-34", 6.626e-34},
        {"224_617.445_991_228", 224617.445991228},
        {"1e1_0", 1e10},
        {"0e0", 0.0},
        {"1.7976931348623157e308", 1.7976931348623157e308},
        {"4.9e-324", 4.9e-324},
        {"2.2250738585072011e-308", 2.2250738585072011e-308},
        {"9007199254740993.0", 9007199254740992.0},
        {"1e400", INFINITY},
        {"1e-400", 0.0},
        {"1e99999999999999999999", INFINITY},
        {"1e-99999999999999999999", 0.0},
        {"0e99999999999999999999", 0.0},
        {"inf", INFINITY},
        {"+inf", INFINITY},
        {"-inf", -INFINITY},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[120];
        snprintf(text, sizeof text, "a = %s", rows[i].text);
        struct parsed p = parse_ok(text);
        struct toml *v = toml_get(p.root, STR("a"));
        assert_int_equal(v->kind, TOML_FLOAT);
        assert_true(v->real == rows[i].value);
        assert_text(v->text, rows[i].text);
        done(&p);
    }
    struct parsed p = parse_ok("a = [nan, +nan, -nan, -0.0]");
    for (size_t i = 0; i < 3; i++)
        assert_true(isnan(toml_get(p.root, STR("a"))->item[i]->real));
    assert_true(signbit(toml_get(p.root, STR("a"))->item[3]->real));
    done(&p);
}

/* More digits than any buffer on the stack: 0.000...0001e+N is 1e-1. */
static void test_long_float(void **state)
{
    (void)state;
    enum { ZEROS = 20000 };
    char *text = malloc(ZEROS + 64);
    assert_non_null(text);
    memcpy(text, "a = 0.", 6);
    memset(text + 6, '0', ZEROS);
    snprintf(text + 6 + ZEROS, 32, "1e%d", ZEROS);
    struct parsed p = parse_ok(text);
    assert_true(toml_get(p.root, STR("a"))->real == 0.1);
    done(&p);
    free(text);
}

static void test_moments(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum toml_kind kind;
    } rows[] = {
        {"1979-05-27T07:32:00Z", TOML_OFFSET_DATETIME},
        {"1979-05-27t07:32:00.123z", TOML_OFFSET_DATETIME},
        {"1979-05-27 00:32:00.999999-07:00", TOML_OFFSET_DATETIME},
        {"1990-12-31T23:59:60Z", TOML_OFFSET_DATETIME},
        {"1979-05-27T07:32:00", TOML_LOCAL_DATETIME},
        {"1979-05-27 07:32:00.5", TOML_LOCAL_DATETIME},
        {"2024-02-29", TOML_LOCAL_DATE},
        {"2000-02-29", TOML_LOCAL_DATE},
        {"0000-01-01", TOML_LOCAL_DATE},
        {"07:32:00", TOML_LOCAL_TIME},
        {"23:59:59.000000001", TOML_LOCAL_TIME},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char text[120];
        snprintf(text, sizeof text, "a = %s # and a comment", rows[i].text);
        struct parsed p = parse_ok(text);
        struct toml *v = toml_get(p.root, STR("a"));
        assert_int_equal(v->kind, rows[i].kind);
        assert_text(v->text, rows[i].text);
        assert_at(v->at, 1, 5, (unsigned)strlen(rows[i].text));
        done(&p);
    }
}

static void test_booleans_and_kinds(void **state)
{
    (void)state;
    struct parsed p = parse_ok("a = true\nb = false\nc = []\nd = {}");
    assert_int_equal(toml_get(p.root, STR("a"))->kind, TOML_BOOLEAN);
    assert_true(toml_get(p.root, STR("a"))->boolean);
    assert_false(toml_get(p.root, STR("b"))->boolean);
    assert_text(toml_get(p.root, STR("b"))->text, "false");
    assert_int_equal(toml_get(p.root, STR("c"))->n, 0);
    assert_int_equal(toml_get(p.root, STR("d"))->kind, TOML_TABLE);
    assert_null(toml_get(toml_get(p.root, STR("a")), STR("x"))); /* not a table */
    assert_null(toml_get(NULL, STR("x")));
    assert_string_equal(toml_kind_name(TOML_STRING), "a string");
    assert_string_equal(toml_kind_name(TOML_INTEGER), "an integer");
    assert_string_equal(toml_kind_name(TOML_OFFSET_DATETIME), "an offset date-time");
    assert_string_equal(toml_kind_name(TOML_TABLE), "a table");
    done(&p);
}

static void test_arrays(void **state)
{
    (void)state;
    struct parsed p = parse_ok("a = [ 1, [ 'x', [true], ], # one\n  {b = [2]},\n\n 1979-05-27 ]\n");
    struct toml *a = toml_get(p.root, STR("a"));
    assert_int_equal(a->kind, TOML_ARRAY);
    assert_false(a->of_tables);
    assert_int_equal(a->n, 4);
    assert_int_equal(at_path(p.root, "a.0")->integer, 1);
    assert_text(at_path(p.root, "a.1.0")->text, "x");
    assert_true(at_path(p.root, "a.1.1.0")->boolean);
    assert_int_equal(at_path(p.root, "a.2.b.0")->integer, 2);
    assert_int_equal(at_path(p.root, "a.3")->kind, TOML_LOCAL_DATE);
    done(&p);
}

static void test_tables(void **state)
{
    (void)state;
    struct parsed p = parse_ok("top = 1\n"
                               "[a.b.c]\n"
                               "x = 1\n"
                               "[a]\n"
                               "y.z = 2\n"
                               "y.w = 3\n"
                               "[a.y.more]\n"
                               "[[list]]\n"
                               "n = 0\n"
                               "[list.sub]\n"
                               "m = 1\n"
                               "[[list.inner]]\n"
                               "[[list.inner]]\n"
                               "k = 5\n"
                               "[[list]]\n"
                               "n = 1\n"
                               "[d]\n"
                               "i = { p.q = 1, p.r = 2 }\n");
    assert_int_equal(at_path(p.root, "a.b.c.x")->integer, 1);
    assert_int_equal(at_path(p.root, "a.y.w")->integer, 3);
    assert_int_equal(at_path(p.root, "a.y.more")->n, 0);
    assert_int_equal(at_path(p.root, "list")->n, 2);
    assert_true(at_path(p.root, "list")->of_tables);
    assert_int_equal(at_path(p.root, "list.0.sub.m")->integer, 1);
    assert_int_equal(at_path(p.root, "list.0.inner.1.k")->integer, 5);
    assert_int_equal(at_path(p.root, "list.1.n")->integer, 1);
    assert_int_equal(at_path(p.root, "list.1")->n, 1);
    assert_int_equal(at_path(p.root, "d.i.p.r")->integer, 2);
    assert_int_equal(p.root->n, 4);
    done(&p);
}

static void test_order_of_entries(void **state)
{
    (void)state;
    struct parsed p = parse_ok("z = 1\n\"\" = 2\na = 3\n'm n' = 4\n[q]\n[b]\n");
    static const char *const want[] = {"z", "", "a", "m n", "q", "b"};
    assert_int_equal(p.root->n, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_text(p.root->entry[i].key, want[i]);
        assert_ptr_equal(toml_entry_of(p.root, str_of(want[i])), &p.root->entry[i]);
    }
    done(&p);
}

/* -- places --------------------------------------------------------------------- */

static void test_places(void **state)
{
    (void)state;
    struct parsed p = parse_ok("key = \"value\" # comment\n"
                               "  a . \"b c\" = 12\n"
                               "[t.'u']\n"
                               "x=[1,  22,\n"
                               "   {y = 3}]\n"
                               "[[r]]\n"
                               "[[r]]\n");
    struct toml_entry *e = toml_entry_of(p.root, STR("key"));
    assert_at(e->at, 1, 1, 3);
    assert_at(e->value->at, 1, 7, 7);
    e = toml_entry_of(p.root, STR("a"));
    assert_at(e->at, 2, 3, 1);
    assert_at(e->value->at, 2, 3, 1); /* a table by a dotted key */
    e = toml_entry_of(e->value, STR("b c"));
    assert_at(e->at, 2, 7, 5);
    assert_at(e->value->at, 2, 15, 2);
    e = toml_entry_of(p.root, STR("t"));
    assert_at(e->at, 3, 2, 1);
    e = toml_entry_of(e->value, STR("u"));
    assert_at(e->at, 3, 4, 3);
    assert_at(e->value->at, 3, 4, 3);
    e = toml_entry_of(e->value, STR("x"));
    assert_at(e->at, 4, 1, 1);
    assert_at(e->value->at, 4, 3, 8); /* to the end of its first line */
    assert_at(e->value->item[1]->at, 4, 8, 2);
    assert_at(e->value->item[2]->at, 5, 4, 7);
    assert_at(toml_entry_of(e->value->item[2], STR("y"))->at, 5, 5, 1);
    assert_at(toml_get(p.root, STR("r"))->at, 6, 3, 1);
    assert_at(at_path(p.root, "r.1")->at, 7, 3, 1);
    done(&p);
}

static void test_places_in_characters(void **state)
{
    (void)state;
    struct parsed p = parse_ok("\xEF\xBB\xBF\"\xC3\xA9t\xC3\xA9\" = '\xE6\x97\xA5\xE6\x9C\xAC' # \xC3\xA9\n"
                               "a = [\"\xF0\x9F\x98\x80\", 'x', 5]\n"
                               "b = \"\\u00e9\"\n");
    struct toml_entry *e = &p.root->entry[0];
    assert_text(e->key, "\xC3\xA9t\xC3\xA9");
    assert_at(e->at, 1, 1, 5);
    assert_at(e->value->at, 1, 9, 4);
    assert_at(at_path(p.root, "a.0")->at, 2, 6, 3);
    assert_at(at_path(p.root, "a.1")->at, 2, 11, 3);
    assert_at(at_path(p.root, "a.2")->at, 2, 16, 1);
    assert_at(at_path(p.root, "a")->at, 2, 5, 13);
    assert_at(at_path(p.root, "b")->at, 3, 5, 8); /* as written */
    done(&p);
}

static void test_places_with_crlf(void **state)
{
    (void)state;
    struct parsed p = parse_ok("# one\r\na = \"\"\"\xC3\xA9\r\n\r\nx\"\"\"\r\nb = [ # c\r\n 1 ]\r\n\r\n[c]\r\nd = 1");
    assert_at(at_path(p.root, "a")->at, 2, 5, 4);
    assert_text(at_path(p.root, "a")->text, "\xC3\xA9\n\nx");
    assert_at(at_path(p.root, "b")->at, 5, 5, 5);
    assert_at(at_path(p.root, "b.0")->at, 6, 2, 1);
    assert_at(at_path(p.root, "c")->at, 8, 2, 1);
    assert_at(at_path(p.root, "c.d")->at, 9, 5, 1);
    done(&p);
}

static void test_place_after_lines(void **state)
{
    (void)state;
    struct parsed p = parse_ok("a = ['''\n\xC3\xA9''', 7, \"\"\"\\\n  \xC3\xA9\"\"\", 8]\n");
    assert_at(at_path(p.root, "a.0")->at, 1, 6, 3);
    assert_at(at_path(p.root, "a.1")->at, 2, 7, 1);
    assert_at(at_path(p.root, "a.2")->at, 2, 10, 4);
    assert_at(at_path(p.root, "a.3")->at, 3, 9, 1);
    done(&p);
}

/* A table that a longer header made takes the place of its own header. */
static void test_place_of_late_header(void **state)
{
    (void)state;
    struct parsed p = parse_ok("[a.b]\n[a]\n");
    assert_at(toml_entry_of(p.root, STR("a"))->at, 2, 2, 1);
    assert_at(toml_get(p.root, STR("a"))->at, 2, 2, 1);
    assert_at(at_path(p.root, "a.b")->at, 1, 4, 1);
    done(&p);
}

/* -- errors ----------------------------------------------------------------------- */

static void test_errors_of_lines(void **state)
{
    (void)state;
    refuse_syntax("a =", 1, 4, 1, "expected a value after '=', found the end of the file");
    refuse_syntax("x = 1\na = # no\n", 2, 5, 1, "expected a value after '=', found '#'");
    refuse_syntax("a", 1, 2, 1, "expected '=' after the key, found the end of the file");
    refuse_syntax("a b = 1", 1, 3, 1, "expected '=' after the key, found \"b\"");
    refuse_syntax("= 1", 1, 1, 1, "expected a key, found '='");
    refuse_syntax("a. = 1", 1, 4, 1, "expected a key, found '='");
    refuse_syntax("a = 1 b = 2", 1, 7, 1, "expected the end of the line after the value, found \"b\"");
    refuse_syntax("[a] b = 2", 1, 5, 1, "expected the end of the line after the header, found \"b\"");
    refuse_syntax("[a\n", 1, 3, 1, "expected ']' after the name of the table, found the end of the line");
    refuse_syntax("[[a] ]", 1, 5, 1, "expected ']]' after the name of the table, found a space");
    refuse_syntax("[]", 1, 2, 1, "expected a key, found ']'");
    refuse_syntax("\"\"\"a\"\"\" = 1", 1, 1, 3, "expected a key on one line, found a multi-line string");
    refuse_syntax("\xC3\xA9 = 1", 1, 1, 1, "expected a key, found '\xC3\xA9' (U+00E9)");
    refuse_syntax("a = 1\r# x", 1, 6, 1,
                  "expected the end of the line after the value, found a carriage return without a line feed");
}

static void test_errors_of_values(void **state)
{
    (void)state;
    refuse_syntax("a = yes", 1, 5, 3, "expected a value, found \"yes\" (a string needs quotes)");
    refuse_syntax("a = True", 1, 5, 4, "expected a value, found \"True\" (write it in lower case)");
    refuse_syntax("a = 9223372036854775808", 1, 5, 19,
                  "the integer does not fit into 64 bits: expected -9223372036854775808 to 9223372036854775807");
    refuse_syntax("a = 0123", 1, 5, 4, "expected no zeros before the first digit of a number");
    refuse_syntax("a = 1__0", 1, 7, 1, "expected a digit, found '_': an underscore stands between two digits");
    refuse_syntax("a = 1.", 1, 7, 1, "expected a digit, found the end of the file");
    refuse_syntax("a = +0x1", 1, 5, 1, "expected no sign before '0x', found '+'");
    refuse_syntax("a = -0x1", 1, 5, 1, "expected no sign before '0x', found '-'");
    refuse_syntax("a = 0b12", 1, 8, 1, "expected a digit of base 2, found \"2\"");
    refuse_syntax("a = 2023-02-29", 1, 13, 2, "expected the day to be from 01 to 28, found 29");
    refuse_syntax("a = 1900-02-29", 1, 13, 2, "expected the day to be from 01 to 28, found 29");
    refuse_syntax("a = 12:60:00", 1, 8, 2, "expected the minute to be from 00 to 59, found 60");
    refuse_syntax("a = 12:00:61", 1, 11, 2, "expected the second to be from 00 to 60, found 61");
    refuse_syntax("a = 12:30", 1, 10, 1, "expected ':' (a time is HH:MM:SS), found the end of the file");
    refuse_syntax("a = [1\nb = 2\n", 2, 1, 1, "expected ',' or ']' in the array of line 1, found \"b\"");
    refuse_syntax("a = [1,\n", 1, 5, 1, "the array is not closed: expected ']' before the end of the file");
    refuse_syntax("a = {b = 1,}", 1, 12, 1, "expected a key after ',' in an inline table, found '}'");
    refuse_syntax("a = {b = 1\n}", 1, 5, 6, "the inline table is not closed: expected '}' before the end of the line");
}

static void test_errors_of_strings(void **state)
{
    (void)state;
    refuse_syntax("a = \"b\nc = 1", 1, 5, 2,
                  "the string is not closed: expected a closing \" before the end of the line");
    refuse_syntax("x = 1\na = '''b\nc", 2, 5, 4,
                  "the string is not closed: expected a closing ''' before the end of the file");
    refuse_syntax("a = \"\xC3\xA9\\q\"", 1, 7, 2,
                  "expected \\b \\t \\n \\f \\r \\\" \\\\ \\uXXXX or \\UXXXXXXXX after '\\', found \"q\" (write \\\\ "
                  "for a backslash)");
    refuse_syntax("a = \"\\u12g4\"", 1, 6, 4, "expected 4 hexadecimal digits after '\\u', found \"g4\"");
    refuse_syntax("a = \"\\uD800\"", 1, 6, 6, "U+D800 is not a Unicode character, but half of a surrogate pair");
    refuse_syntax("a = \"\\U00110000\"", 1, 6, 10, "U+110000 is not a Unicode character");
    refuse_syntax("a = '\x01'", 1, 6, 1, "control character U+0001 in a string is not allowed");
    refuse_syntax("# \x7f", 1, 3, 1, "control character U+007F in a comment is not allowed");
    refuse_syntax("# a\rb", 1, 4, 1, "carriage return in a comment without a line feed after it");
    refuse_syntax("a = 1 # \xC3\xA9 \xFF", 1, 11, 1, "byte 0xFF in a comment is not valid UTF-8");
    refuse_syntax("a = \"\xC0\x80\"", 1, 6, 1, "byte 0xC0 in a string is not valid UTF-8");
    refuse_syntax("\xFF\xFE"
                  "a",
                  1, 1, 1, "the text is UTF-16: expected UTF-8");
}

static void test_errors_of_definitions(void **state)
{
    (void)state;
    refuse_twice("b = 1\n\na = 1\na = 2", 4, 1, 1, "key \"a\" is defined twice (first at line 3)");
    refuse_twice("a = 1\n\"a\" = 2", 2, 1, 3, "key \"a\" is defined twice (first at line 1)");
    refuse_twice("[a]\n[b]\n[a]\n", 3, 2, 1, "table \"a\" is defined twice (first at line 1)");
    refuse_twice("a = 1\n[a.b]\n", 2, 2, 1, "\"a\" is an integer (line 1) and cannot have keys below it");
    refuse_twice("a = {}\n[a.b]\n", 2, 2, 1, "\"a\" is an inline table (line 1), to which nothing can be added");
    refuse_twice("a = {}\na.b = 1\n", 2, 1, 1, "\"a\" is an inline table (line 1), to which nothing can be added");
    refuse_twice("[a]\nb.c = 1\n[a.b]\n", 3, 4, 1,
                 "table \"b\" is defined by dotted keys (line 2) and cannot have a header");
    refuse_twice("[a.b]\n[a]\nb.c = 1\n", 3, 1, 1,
                 "table \"b\" has its own header (line 1): dotted keys cannot add to it");
    refuse_twice("[[a]]\n[a]\n", 2, 2, 1,
                 "\"a\" is an array of tables (line 1): expected [[ ]], which adds a table to it");
    refuse_twice("[a]\n[[a]]\n", 2, 3, 1, "\"a\" is a table already (line 1) and cannot be an array of tables");
    refuse_twice("a = []\n[[a]]\n", 2, 3, 1, "\"a\" is an array already (line 1) and cannot be an array of tables");
    refuse_twice("[[a.b]]\n[a]\nb.c = 1\n", 3, 1, 1,
                 "\"b\" is an array of tables (line 1): dotted keys cannot add to it");
}

/* What a message quotes is cut to length and free of control characters. */
static void test_error_quotes_safely(void **state)
{
    (void)state;
    refuse_twice("\"\\u001b[2J\" = 1\n\"\\u001b[2J\" = 2", 2, 1, 11, "key \"?[2J\" is defined twice (first at line 1)");
    char text[700] = "", *q = text;
    for (int i = 0; i < 2; i++) {
        *q++ = '"';
        for (int k = 0; k < 100; k++)
            q += sprintf(q, "\xE6\x97\xA5");
        q += sprintf(q, "\" = 1\n");
    }
    struct parsed p = parse(text);
    assert_null(p.root);
    assert_int_equal(utf8_check(str_of(p.message)), strlen(p.message));
    assert_non_null(strstr(p.message, "...\" is defined twice"));
    assert_at(p.at, 2, 1, 102);
    done(&p);
}

/* A word that ends with the text is quoted whole, whatever stands behind it in memory. */
static void test_error_at_the_end(void **state)
{
    (void)state;
    struct parsed p = parse_str(str_make("a = 1 yesterday", 9));
    assert_null(p.root);
    assert_non_null(strstr(p.message, "found \"yes\""));
    done(&p);
}

static void test_message_is_cut_to_fit(void **state)
{
    (void)state;
    struct arena ar;
    arena_init(&ar, NULL);
    enum code code = CODE_internal;
    struct toml_pos at;
    char message[16];
    memset(message, 'x', sizeof message);
    assert_null(toml_parse(&ar, STR("\xC3\xA9 = 1"), &code, &at, message, sizeof message));
    assert_string_equal(message, "expected a key,");
    assert_null(toml_parse(&ar, STR("="), &code, &at, message, 0));
    assert_null(toml_parse(&ar, STR("="), NULL, NULL, NULL, 99));
    arena_free(&ar);
}

/* -- limits --------------------------------------------------------------------------- */

static struct parsed parse_repeated(const char *head, const char *unit, size_t times, const char *tail)
{
    size_t h = strlen(head), u = strlen(unit), t = strlen(tail);
    char *text = malloc(h + u * times + t + 1);
    assert_non_null(text);
    memcpy(text, head, h);
    for (size_t i = 0; i < times; i++)
        memcpy(text + h + i * u, unit, u);
    memcpy(text + h + u * times, tail, t + 1);
    struct parsed p = parse_str(str_make(text, h + u * times + t));
    free(text); /* the tree must not need it */
    return p;
}

static void test_depth(void **state)
{
    (void)state;
    char closing[LIMIT_TOML_DEPTH + 2];
    memset(closing, ']', sizeof closing);
    closing[LIMIT_TOML_DEPTH] = '\0';
    struct parsed p = parse_repeated("a = ", "[", LIMIT_TOML_DEPTH, closing);
    assert_non_null(p.root);
    done(&p);

    p = parse_repeated("a = ", "[", LIMIT_TOML_DEPTH + 1, "");
    assert_null(p.root);
    assert_int_equal(p.code, CODE_toml_depth);
    assert_at(p.at, 1, 5 + LIMIT_TOML_DEPTH, 1);
    done(&p);

    p = parse_repeated("a = ", "{ a = ", 100000, "");
    assert_int_equal(p.code, CODE_toml_depth);
    done(&p);

    /* parts of keys count inside of inline tables */
    p = parse_repeated("x = { ", "a.", LIMIT_TOML_DEPTH - 1, "b = 1 }");
    assert_non_null(p.root);
    done(&p);
    p = parse_repeated("x = [{ ", "a.", LIMIT_TOML_DEPTH - 1, "b = 1 }]");
    assert_null(p.root);
    assert_int_equal(p.code, CODE_toml_depth);
    done(&p);
}

static void test_key_parts(void **state)
{
    (void)state;
    struct parsed p = parse_repeated("", "a.", LIMIT_TOML_KEY_PARTS - 1, "a = 1");
    assert_non_null(p.root);
    done(&p);
    p = parse_repeated("[", "a.", LIMIT_TOML_KEY_PARTS - 1, "a]");
    assert_non_null(p.root);
    done(&p);
    p = parse_repeated("[", "a.", LIMIT_TOML_KEY_PARTS, "a]");
    assert_null(p.root);
    assert_int_equal(p.code, CODE_toml_depth);
    assert_string_equal(p.message, "the key has more than 64 parts");
    assert_at(p.at, 1, 2 + 2 * LIMIT_TOML_KEY_PARTS, 1);
    done(&p);
}

static void test_size(void **state)
{
    (void)state;
    size_t n = (size_t)LIMIT_TOML_BYTES + 1;
    char *text = malloc(n);
    assert_non_null(text);
    memset(text, '\n', n);
    struct parsed p = parse_str(str_make(text, n));
    assert_null(p.root);
    assert_int_equal(p.code, CODE_toml_size);
    assert_at(p.at, 1, 1, 1);
    done(&p);
    p = parse_str(str_make(text, n - 1));
    assert_non_null(p.root);
    done(&p);
    free(text);
}

/* -- memory ------------------------------------------------------------------------------ */

/* Enough of everything that each kind of allocation is the first of a new
 * arena block at some point: the blocks double, so lengths vary. */
static char *torture_text(size_t rows)
{
    char *text = malloc(rows * 400 + 100), *q = text;
    assert_non_null(text);
    q += sprintf(q, "a.b = 1\n[wide]\n");
    for (size_t i = 0; i < rows; i++)
        q += sprintf(q, "key%zu = [%zu, [\"\\u00e9\"], {x = 1, y.z = 2}]\n", i, i);
    for (size_t i = 0; i < rows; i++)
        q += sprintf(q, "[[rule]]\nname = 'n%zu'\n[rule.sub.s%zu]\nlong = 0.%0130zu\n", i, i, i);
    return text;
}

static void test_every_allocation_fails(void **state)
{
    (void)state;
    for (size_t rows = 1; rows <= 160; rows = rows * 3 / 2 + 1) {
        char *text = torture_text(rows);
        for (size_t n = 0;; n++) {
            struct failing f = failing_after(n);
            cando_allocator a = {failing_resize, &f};
            struct arena ar;
            arena_init(&ar, &a);
            enum code code = CODE_internal;
            struct toml_pos at = {0, 0, 0};
            char message[80] = "";
            struct toml *root = toml_parse(&ar, str_of(text), &code, &at, message, sizeof message);
            if (!root) {
                assert_int_equal(code, CODE_memory);
                assert_string_equal(message, "out of memory");
                assert_true(at.line >= 1 && at.column >= 1);
            }
            arena_free(&ar);
            assert_int_equal(f.live, 0);
            if (root) {
                assert_int_equal(f.calls, n);
                break;
            }
        }
        free(text);
    }
}

/* Wherever a block of memory ends while a table gets its index, which its 17th key asks for; and
 * there is memory again behind it. */
static void test_no_memory_for_index(void **state)
{
    (void)state;
    char text[8192];
    for (size_t pad = 1; pad < 4096; pad += 16) {
        size_t at = (size_t)sprintf(text, "pad = \"\\t%0*d\"\n", (int)pad, 0);
        for (unsigned i = 0; i < 16; i++)
            at += (size_t)sprintf(text + at, "k%u = %u\n", i, i);
        for (size_t n = 1;; n++) {
            struct failing f = {.fail_at = n};
            cando_allocator a = {failing_resize, &f};
            struct arena ar;
            arena_init(&ar, &a);
            enum code code = CODE_internal;
            struct toml_pos where;
            char message[80];
            struct toml *root =
                toml_parse(&ar, str_make(text, at), &code, &where, message, sizeof message);
            bool failed = f.failed;
            assert_int_equal(root == NULL, failed);
            arena_free(&ar);
            assert_int_equal(f.live, 0);
            if (!failed)
                break;
        }
    }
}

/* -- size ------------------------------------------------------------------------------------ */

static void test_many_keys(void **state)
{
    (void)state;
    enum { KEYS = 200000 };
    char *text = malloc(KEYS * 32), *q = text;
    assert_non_null(text);
    for (unsigned i = 0; i < KEYS; i++)
        q += sprintf(q, "k%u = %u\n", i * 2654435761u, i);
    struct parsed p = parse_str(str_make(text, (size_t)(q - text)));
    free(text);
    assert_non_null(p.root);
    assert_int_equal(p.root->n, KEYS);
    for (unsigned i = 0; i < KEYS; i += 37) {
        char key[32];
        snprintf(key, sizeof key, "k%u", i * 2654435761u);
        struct toml_entry *e = toml_entry_of(p.root, str_of(key));
        assert_non_null(e);
        assert_int_equal(e->value->integer, i);
        assert_at(e->at, i + 1, 1, (unsigned)strlen(key));
        snprintf(key, sizeof key, "k%ux", i * 2654435761u);
        assert_null(toml_entry_of(p.root, str_of(key)));
    }
    done(&p);
}

static void test_many_tables(void **state)
{
    (void)state;
    enum { TABLES = 50000 };
    char *text = malloc(TABLES * 64), *q = text;
    assert_non_null(text);
    for (unsigned i = 0; i < TABLES; i++)
        q += sprintf(q, "[[rules]]\nname = \"r%u\"\nn = %u\n\n", i, i);
    struct parsed p = parse_str(str_make(text, (size_t)(q - text)));
    free(text);
    assert_non_null(p.root);
    struct toml *rules = toml_get(p.root, STR("rules"));
    assert_int_equal(rules->n, TABLES);
    for (unsigned i = 0; i < TABLES; i++) {
        assert_int_equal(toml_get(rules->item[i], STR("n"))->integer, i);
        assert_at(rules->item[i]->at, 4 * i + 1, 3, 5);
    }
    done(&p);
}

/* Keys that are beginnings of one another, below and above the number of
 * entries at which a table gets its index; then one of them once more. */
static void test_keys_with_common_beginnings(void **state)
{
    (void)state;
    enum { KEYS = 41 }; /* a prime, so that i * 7 % KEYS meets every length once */
    char name[KEYS];
    memset(name, 'a', sizeof name);
    for (unsigned keys = 1; keys <= KEYS; keys++) {
        char text[3000], *q = text;
        for (unsigned i = 0; i < keys; i++)
            q += sprintf(q, "\"%.*s\" = %u\n", (int)(i * 7 % KEYS), name, i);
        struct parsed p = parse_ok(text);
        for (unsigned i = 0; i < KEYS; i++) {
            struct toml *v = toml_get(p.root, str_make(name, i * 7 % KEYS));
            assert_true(i < keys ? v && v->integer == i : !v);
        }
        done(&p);
        sprintf(q, "\"%.*s\" = 0\n", (int)(keys / 2 * 7 % KEYS), name);
        p = parse(text);
        assert_null(p.root);
        assert_int_equal(p.code, CODE_toml_duplicate_key);
        assert_int_equal(p.at.line, keys + 1);
        done(&p);
    }
}

/* A text that is cut says the same, whether something follows in memory or not. */
static void test_cut(void **state)
{
    (void)state;
    static const char text[] =
        "[a-b.\"c d\"]\nk = \"\\u0041\\U0001F600\\t\" # x\r\nl = '''\n'q'''\n"
        "m = [1_000, 0x1f, -1.5e+10, inf, true, 2026-11-15T10:00:00.5+01:00]\n"
        "n = \"\"\"a\\\n  b\"\"\"\nabcdefghijklmnopqrstuvwxyz_0123456789-more = { x.y = 1979-05-27 "
        "}\n";
    for (size_t n = 0; n < sizeof text; n++) {
        char *alone = malloc(n + 1);
        assert_non_null(alone);
        memcpy(alone, text, n);
        alone[n] = '\0';
        struct parsed p = parse_str(str_make(text, n)), q = parse_str(str_make(alone, n));
        assert_int_equal(p.root == NULL, q.root == NULL);
        if (!p.root) {
            assert_int_equal(p.code, q.code);
            assert_string_equal(p.message, q.message);
            assert_int_equal(p.at.line, q.at.line);
            assert_int_equal(p.at.column, q.at.column);
        }
        done(&p);
        done(&q);
        free(alone);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_string_with_nul),
        cmocka_unit_test(test_integers),
        cmocka_unit_test(test_floats),
        cmocka_unit_test(test_long_float),
        cmocka_unit_test(test_moments),
        cmocka_unit_test(test_booleans_and_kinds),
        cmocka_unit_test(test_arrays),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_order_of_entries),
        cmocka_unit_test(test_places),
        cmocka_unit_test(test_places_in_characters),
        cmocka_unit_test(test_places_with_crlf),
        cmocka_unit_test(test_place_after_lines),
        cmocka_unit_test(test_place_of_late_header),
        cmocka_unit_test(test_errors_of_lines),
        cmocka_unit_test(test_errors_of_values),
        cmocka_unit_test(test_errors_of_strings),
        cmocka_unit_test(test_errors_of_definitions),
        cmocka_unit_test(test_error_quotes_safely),
        cmocka_unit_test(test_message_is_cut_to_fit),
        cmocka_unit_test(test_error_at_the_end),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_key_parts),
        cmocka_unit_test(test_size),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_no_memory_for_index),
        cmocka_unit_test(test_many_keys),
        cmocka_unit_test(test_many_tables),
        cmocka_unit_test(test_keys_with_common_beginnings),
        cmocka_unit_test(test_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
