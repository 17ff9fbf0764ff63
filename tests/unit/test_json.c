/*
 * test_json.c - the JSON reader and the questions to its values.
 *
 * What is accepted is compared in full (kinds, decoded text, byte ranges);
 * what is refused must name the code, the byte, the line and the column. The
 * hostile cases are those that break readers: depth, size, many keys, keys
 * whose hashes collide, and memory that runs out at every single allocation.
 */

#include "test.h"

#include "base/limits.h"
#include "text/json.h"

/* -- helpers ---------------------------------------------------------------------- */

static struct json_error refuse_n(struct str text)
{
    struct json_error err;
    memset(&err, 0xA5, sizeof err);
    if (json_parse(&arena, text, &err))
        fail_msg("accepted: %.*s", STR_ARG(str_head(text, 60)));
    assert_true(err.at <= text.n);
    assert_true(err.line >= 1 && err.column >= 1);
    assert_non_null(memchr(err.message, 0, sizeof err.message));
    assert_int_equal(utf8_check(str_of(err.message)), strlen(err.message));
    return err;
}

static void assert_text(struct str s, const char *want)
{
    assert_str(s, want);
    assert_int_equal(s.p[s.n], 0);
}

static void refused(const char *text, size_t at, uint32_t line, uint32_t column, const char *message)
{
    struct json_error e = refuse_n(str_of(text));
    assert_int_equal(e.code, CODE_json_syntax);
    assert_string_equal(e.message, message);
    assert_int_equal(e.at, at);
    assert_int_equal(e.line, line);
    assert_int_equal(e.column, column);
}

/* -- what is accepted ---------------------------------------------------------------- */

static void test_scalars(void **state)
{
    (void)state;
    assert_int_equal(json_of("null")->kind, JSON_NULL);
    assert_int_equal(json_of("true")->kind, JSON_TRUE);
    assert_int_equal(json_of("false")->kind, JSON_FALSE);
    const struct json *v = json_of(" \r\n\t-12.50e+3 ");
    assert_int_equal(v->kind, JSON_NUMBER);
    assert_text(v->text, "-12.50e+3");
    assert_int_equal(v->at, 4);
    assert_int_equal(v->end, 13);
    assert_text(json_of("0.1000000000000000055511151231257827")->text, "0.1000000000000000055511151231257827");
    assert_text(json_of("\"plain\"")->text, "plain");
    assert_text(json_of("\"\"")->text, "");
    /* the text of the caller is not needed any more */
    char *own = malloc(3);
    memcpy(own, "\"a\"", 3);
    v = json_of_str(str_make(own, 3));
    free(own);
    assert_text(v->text, "a");
}

static void test_strings(void **state)
{
    (void)state;
    assert_text(json_of("\"\\\" \\\\ \\/ \\b\\f\\n\\r\\t\"")->text, "\" \\ / \b\f\n\r\t");
    assert_text(json_of("\"\\u0041\\u00e9\\u20AC\\ud83d\\uDE00\"")->text, "A\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80");
    assert_text(json_of("\"\\ud800\\udc00\\udbff\\udfff\"")->text, "\xF0\x90\x80\x80\xF4\x8F\xBF\xBF");
    assert_text(json_of("\"\xC3\xA9 \xF0\x9F\x98\x80 \x7F\"")->text, "\xC3\xA9 \xF0\x9F\x98\x80 \x7F");
    const struct json *v = json_of("\"a\\u0000b\"");
    assert_int_equal(v->text.n, 3);
    assert_memory_equal(v->text.p, "a\0b", 4);
}

static void test_containers(void **state)
{
    (void)state;
    const struct json *v = json_of("{ \"a\" : [1, {}, [] ,\"x\"], \"b\":null }");
    assert_int_equal(v->kind, JSON_OBJECT);
    assert_int_equal(v->n, 2);
    assert_int_equal(v->at, 0);
    assert_int_equal(v->end, 36);
    assert_text(v->key[0].text, "a");
    assert_int_equal(v->key[0].at, 2);
    assert_int_equal(v->key[0].end, 5);
    const struct json *a = &v->item[0];
    assert_int_equal(a->kind, JSON_ARRAY);
    assert_int_equal(a->n, 4);
    assert_int_equal(a->at, 8);
    assert_int_equal(a->end, 24);
    assert_int_equal(a->item[1].kind, JSON_OBJECT);
    assert_int_equal(a->item[1].n, 0);
    assert_int_equal(a->item[2].kind, JSON_ARRAY);
    assert_int_equal(a->item[2].n, 0);
    assert_int_equal(a->item[2].at, 16);
    assert_int_equal(a->item[2].end, 18);
    assert_text(a->item[3].text, "x");
    assert_ptr_equal(json_get(v, "b"), &v->item[1]);
    assert_null(json_get(v, "c"));
    assert_null(json_get(a, "a"));
    assert_null(json_get(NULL, "a"));
    assert_null(json_get(a->item + 1, "a"));
}

static void test_kind_names(void **state)
{
    (void)state;
    const struct json *v = json_of("[null,true,false,1,\"\",[],{}]");
    static const char *const want[] = {"null", "a boolean", "a boolean", "a number", "a string", "an array", "an object"};
    for (size_t i = 0; i < 7; i++)
        assert_string_equal(json_kind_name(&v->item[i]), want[i]);
    assert_string_equal(json_kind_name(NULL), "nothing");
}

/* -- what is refused ------------------------------------------------------------------- */

static void test_messages(void **state)
{
    (void)state;
    refused("", 0, 1, 1, "expected a value, found the end of the text");
    refused(" \n ", 3, 2, 2, "expected a value, found the end of the text");
    refused("[1,\n 2,]", 7, 2, 4, "expected a value after ',', found ']'");
    refused("[,1]", 1, 1, 2, "expected a value or ']', found ','");
    refused("[1 2]", 3, 1, 4, "expected ',' or ']' after an item, found '2'");
    refused("{\"a\":1 \"b\":2}", 7, 1, 8, "expected ',' or '}' after a member, found '\"'");
    refused("{\"a\" 1}", 5, 1, 6, "expected ':' after the key, found '1'");
    refused("{\"a\":}", 5, 1, 6, "expected a value, found '}'");
    refused("{a:1}", 1, 1, 2, "expected a key in double quotes or '}', found 'a'");
    refused("{'a':1}", 1, 1, 2, "expected a key in double quotes or '}', found a single quote");
    refused("{\"a\":1,}", 7, 1, 8, "expected a key in double quotes after ',', found '}'");
    refused("[1}", 2, 1, 3, "expected ',' or ']' after an item, found '}'");
    refused("{\"a\":1]", 6, 1, 7, "expected ',' or '}' after a member, found ']'");
    refused("[1", 2, 1, 3, "expected ',' or ']' after an item, found the end of the text");
    refused("1 2", 2, 1, 3, "expected the end of the text, found '2'");
    refused("1 // x", 2, 1, 3, "expected the end of the text, found a comment, which JSON does not have");
    refused("/**/1", 0, 1, 1, "expected a value, found a comment, which JSON does not have");
    refused("/", 0, 1, 1, "expected a value, found '/'");
    refused("True", 0, 1, 1, "expected a value, found 'True'");
    refused("nul", 0, 1, 1, "expected a value, found 'nul'");
    refused("nullx", 0, 1, 1, "expected a value, found 'nullx'");
    refused("abcdefghijklmnopqrstuvwxyz", 0, 1, 1, "expected a value, found 'abcdefghijklmnopqrstuvwx'...");
    refused("[\xC3\xA9]", 1, 1, 2, "expected a value or ']', found the character U+00E9");
    refused("[\xFF]", 1, 1, 2, "expected a value or ']', found the byte 0xff, which is not UTF-8");
    refused("[\v]", 1, 1, 2, "expected a value or ']', found the character U+000B");
    refused("\xEF\xBB\xBF" "1", 0, 1, 1, "expected a value, found a byte order mark: a JSON text begins without one");
    refused("1\xEF\xBB\xBF", 1, 1, 2, "expected the end of the text, found a byte order mark");
}

static void test_number_messages(void **state)
{
    (void)state;
    refused("-", 1, 1, 2, "expected a digit after '-', found the end of the text");
    refused("-Infinity", 1, 1, 2, "expected a digit after '-', found 'Infinity'");
    refused("[01]", 1, 1, 2, "expected a number without a leading zero");
    refused("-00", 1, 1, 2, "expected a number without a leading zero");
    refused("1.", 2, 1, 3, "expected a digit after '.', found the end of the text");
    refused("1.e5", 2, 1, 3, "expected a digit after '.', found 'e5'");
    refused("[1e ]", 3, 1, 4, "expected a digit in the exponent, found white space");
    refused("1e+\n", 3, 1, 4, "expected a digit in the exponent, found the end of the line");
    refused("+1", 0, 1, 1, "expected a value, found '+'");
    refused(".5", 0, 1, 1, "expected a value, found '.'");
    refused("0x1", 1, 1, 2, "expected the end of the text, found 'x1'");
}

static void test_string_messages(void **state)
{
    (void)state;
    refused("[\"\xC3\xA9\", \"abc", 7, 1, 7, "the string is not closed: expected '\"', found the end of the text");
    refused("\"a\nb\"", 2, 1, 3, "expected '\"' before the end of the line, a line end in a string is written \\n");
    refused("\"a\tb\"", 2, 1, 3, "a control character in a string is written as an escape: \\u0009");
    refused("\"\\x41\"", 2, 1, 3, "expected one of \" \\ / b f n r t u after '\\', found 'x41'");
    refused("\"\\", 2, 1, 3, "expected an escape after '\\', found the end of the text");
    refused("\"\\u12g4\"", 5, 1, 6, "expected four hexadecimal digits after \\u, found 'g4'");
    refused("\"\\u12", 5, 1, 6, "expected four hexadecimal digits after \\u, found the end of the text");
    refused("\"\\ud800\"", 1, 1, 2, "lone surrogate \\ud800: expected its low half (\\udc00 to \\udfff) behind it");
    refused("\"\\ud800\\u0041\"", 1, 1, 2, "lone surrogate \\ud800: expected its low half (\\udc00 to \\udfff), found \\u0041");
    refused("\"a\\uDFFF\"", 2, 1, 3, "lone surrogate \\udfff: a low half without a high half before it");
    refused("\"\xC3\xA9\xC0\x80\"", 3, 1, 3, "expected UTF-8 in a string, found the byte 0xc0");
    refused("\"\xED\xA0\x80\"", 1, 1, 2, "expected UTF-8 in a string, found the byte 0xed");
}

static void test_duplicate_keys(void **state)
{
    (void)state;
    struct json_error e = refuse_n(STR("{\"a\":1,\n \"b\":2, \"a\":3}"));
    assert_int_equal(e.code, CODE_json_duplicate_key);
    assert_int_equal(e.at, 16);
    assert_int_equal(e.line, 2);
    assert_int_equal(e.column, 9);
    assert_string_equal(e.message, "expected a new key, found \"a\" for the second time in this object");
    /* decoded keys are compared */
    e = refuse_n(STR("{\"a/\":1,\"\\u0061\\/\":2}"));
    assert_int_equal(e.code, CODE_json_duplicate_key);
    assert_int_equal(e.at, 8);
    assert_int_equal(refuse_n(STR("{\"\":1,\"\":1}")).code, CODE_json_duplicate_key);
    assert_int_equal(refuse_n(STR("{\"a\\u0000\":1,\"a\\u0000\":1}")).code, CODE_json_duplicate_key);
    json_of("{\"a\":{\"a\":{\"a\":1}},\"A\":1,\"a\\u0000\":1}");
    json_of("[{\"a\":1},{\"a\":1}]");
    /* a key that does not fit into the message is cut at a character */
    e = refuse_n(STR("{\"xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xC3\xA9\":1,\"xaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\xC3\xA9\":1}"));
    assert_non_null(strstr(e.message, "a...\""));
}

static void test_many_keys(void **state)
{
    (void)state;
    enum { KEYS = 100000 };
    struct buf b;
    buf_init(&b, NULL, SIZE_MAX / 2);
    size_t second[3] = {0};
    for (unsigned round = 0; round < 4; round++) {
        /* round 0: all differ; then a repetition late, early, and two of them */
        buf_clear(&b);
        buf_putc(&b, '{');
        for (unsigned i = 0; i < KEYS; i++) {
            unsigned k = i;
            if (round == 1 && i == KEYS - 1)
                k = 0;
            if (round == 2 && i == 13)
                k = 12;
            if (round == 3 && (i == 70000 || i == 50000))
                k = i == 70000 ? 1 : 49000;
            if (round && i == (round == 1 ? KEYS - 1u : round == 2 ? 13u : 50000u))
                second[round - 1] = b.n + (i > 0);
            buf_printf(&b, "%s\"k%u\":%u", i ? "," : "", k, i);
        }
        buf_putc(&b, '}');
        assert_false(b.failed);
        if (round == 0) {
            const struct json *v = json_of_str(str_make(b.p, b.n));
            assert_int_equal(v->n, KEYS);
            assert_text(json_get(v, "k99999")->text, "99999");
        } else {
            struct json_error e = refuse_n(str_make(b.p, b.n));
            assert_int_equal(e.code, CODE_json_duplicate_key);
            assert_int_equal(e.at, second[round - 1]);
        }
        arena_teardown(NULL);
    }
    buf_free(&b);
}

/* Keys of three words whose hashes are all equal: the middle word undoes what
 * the first one did. Only those that are printable count, so the search takes
 * the high bits as they come and throws most away. */
#define K1 UINT64_C(0x9E3779B97F4A7C15)

static uint64_t mixed(uint64_t h, uint64_t v)
{
    h = (h ^ v) * K1;
    return h ^ (h >> 29);
}

static bool printable(uint64_t v)
{
    for (unsigned i = 0; i < 8; i++, v >>= 8)
        if ((v & 0xFF) < 0x20 || (v & 0xFF) > 0x7E || (v & 0xFF) == '"' || (v & 0xFF) == '\\')
            return false;
    return true;
}

static void put_word(char *p, uint64_t v)
{
    for (unsigned i = 0; i < 8; i++)
        p[i] = (char)(v >> (8 * i));
}

static void test_colliding_keys(void **state)
{
    (void)state;
    enum { KEYS = 3000 };
    struct buf b;
    buf_init(&b, NULL, SIZE_MAX / 2);
    buf_putc(&b, '{');
    uint64_t h0 = (uint64_t)16 * UINT64_C(0xD6E8FEB86659FD93), state64 = 1;
    /* the state before the last word must be (goal ^ word): choose the goal so
     * that both words can be printable */
    char first[17] = "aaaaaaaaaaaaaaaa";
    uint64_t word_a = 0;
    for (unsigned i = 0; i < 8; i++)
        word_a |= (uint64_t)'a' << (8 * i);
    uint64_t goal = mixed(h0, word_a) ^ word_a;
    unsigned found = 1;
    buf_printf(&b, "\"%s\":0", first);
    for (uint64_t tries = 0; found < KEYS && tries < 60000000; tries++) {
        state64 = state64 * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint64_t w = 0;
        for (unsigned i = 0; i < 8; i++)
            w |= (uint64_t)(0x30 + ((state64 >> (8 + 6 * i)) & 0x3F) % 0x2C) << (8 * i);
        uint64_t v = mixed(h0, w) ^ goal;
        if (!printable(w) || !printable(v))
            continue;
        char key[17] = {0};
        put_word(key, w);
        put_word(key + 8, v);
        assert_true(str_hash(str_make(key, 16), 0) == str_hash(str_make(first, 16), 0));
        buf_printf(&b, ",\"%s\":0", key);
        found++;
    }
    assert_true(found > 200); /* enough for probes that are too long */
    size_t at = b.n + 1;
    buf_printf(&b, ",\"%s\":1,\"%s\":1", first, first);
    buf_putc(&b, '}');
    struct json_error e = refuse_n(str_make(b.p, b.n));
    assert_int_equal(e.code, CODE_json_duplicate_key);
    assert_int_equal(e.at, at);
    /* without the two it is fine */
    b.n = at - 1;
    buf_putc(&b, '}');
    assert_int_equal(json_of_str(str_make(b.p, b.n))->n, found);
    buf_free(&b);
}

static void test_depth(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, SIZE_MAX / 2);
    for (unsigned objects = 0; objects < 2; objects++) {
        for (unsigned depth = LIMIT_JSON_DEPTH; depth <= LIMIT_JSON_DEPTH + 1; depth++) {
            buf_clear(&b);
            for (unsigned i = 0; i < depth; i++)
                buf_putz(&b, objects ? i + 1 < depth ? "{\"a\":" : "{" : "[");
            size_t deepest = b.n - 1;
            for (unsigned i = 0; i < depth; i++)
                buf_putc(&b, objects ? '}' : ']');
            if (depth == LIMIT_JSON_DEPTH) {
                const struct json *v = json_of_str(str_make(b.p, b.n));
                assert_true(json_equal(v, json_of_str(str_make(b.p, b.n))));
                continue;
            }
            struct json_error e = refuse_n(str_make(b.p, b.n));
            assert_int_equal(e.code, CODE_json_depth);
            assert_int_equal(e.at, deepest);
        }
    }
    /* a million brackets cost nothing */
    buf_clear(&b);
    for (unsigned i = 0; i < 1000000; i++)
        buf_putc(&b, '[');
    struct json_error e = refuse_n(str_make(b.p, b.n));
    assert_int_equal(e.code, CODE_json_depth);
    assert_int_equal(e.at, LIMIT_JSON_DEPTH);
    buf_free(&b);
}

static void test_size(void **state)
{
    (void)state;
    /* the length is judged before any byte is read */
    struct json_error e;
    assert_null(json_parse(&arena, str_make("1", (size_t)LIMIT_JSON_BYTES + 1), &e));
    assert_int_equal(e.code, CODE_json_size);
    assert_int_equal(e.at, 0);
    assert_non_null(strstr(e.message, "the limit is 268435456"));
    assert_null(json_parse(&arena, STR_NONE, NULL));
    assert_null(json_parse(&arena, STR("["), NULL));
}

static void test_wide(void **state)
{
    (void)state;
    enum { ITEMS = 1000000 };
    struct buf b;
    buf_init(&b, NULL, SIZE_MAX / 2);
    buf_putc(&b, '[');
    for (unsigned i = 0; i < ITEMS; i++)
        buf_putz(&b, i ? ",7" : "7");
    buf_putc(&b, ']');
    const struct json *v = json_of_str(str_make(b.p, b.n));
    assert_int_equal(v->n, ITEMS);
    for (size_t i = 0; i < ITEMS; i += 99999) {
        assert_text(v->item[i].text, "7");
        assert_int_equal(v->item[i].at, 1 + 2 * i);
    }
    buf_free(&b);
}

/* Containers in containers, each with more than the reader's first stacks hold: the
 * values before, in and behind them stay what they are when the stacks move. */
static void test_stacks(void **state)
{
    (void)state;
    enum { DEEP = 30, WIDE = 40 };
    struct buf b;
    buf_init(&b, NULL, SIZE_MAX / 2);
    for (unsigned d = 0; d < DEEP; d++) {
        buf_putc(&b, '{');
        for (unsigned i = 0; i < WIDE; i++)
            buf_printf(&b, "\"%u.%u\":[%u,\"%u\"],", d, i, d * WIDE + i, i);
        buf_putz(&b, "\"in\":");
    }
    buf_putz(&b, "null");
    for (unsigned d = 0; d < DEEP; d++)
        buf_printf(&b, ",\"behind\":%u}", d);
    const struct json *v = json_of_str(str_make(b.p, b.n));
    for (unsigned d = 0; d < DEEP; d++) {
        assert_int_equal(v->kind, JSON_OBJECT);
        assert_int_equal(v->n, WIDE + 2);
        for (unsigned i = 0; i < WIDE; i++) {
            char want[24];
            snprintf(want, sizeof want, "%u.%u", d, i);
            assert_text(v->key[i].text, want);
            assert_int_equal(v->item[i].n, 2);
            snprintf(want, sizeof want, "%u", d * WIDE + i);
            assert_text(v->item[i].item[0].text, want);
        }
        uint64_t behind;
        assert_true(json_uint(json_get(v, "behind"), &behind));
        assert_int_equal(behind, DEEP - 1 - d);
        v = json_get(v, "in");
    }
    assert_int_equal(v->kind, JSON_NULL);
    buf_free(&b);
}

/* Strings and numbers of every length around a stride, and at the very end of the text,
 * in a malloc of exactly that size. */
static void test_lengths(void **state)
{
    (void)state;
    static const char *const special[] = {"", "\\n", "\xC3\xA9", "\\u00e9", "\xF0\x9F\x98\x80"};
    static const char *const decoded[] = {"", "\n", "\xC3\xA9", "\xC3\xA9", "\xF0\x9F\x98\x80"};
    for (size_t n = 0; n < 70; n++)
        for (size_t k = 0; k < 5; k++)
            for (size_t behind = 0; behind < 20; behind++) {
                char want[100] = {0}, text[110];
                memset(want, 'a', n);
                strcat(want, decoded[k]);
                memset(want + strlen(want), 'b', behind);
                int size = snprintf(text, sizeof text, "\"%.*s%s%s\"", (int)n, want, special[k],
                                    want + n + strlen(decoded[k]));
                char *exact = malloc((size_t)size);
                memcpy(exact, text, (size_t)size);
                assert_text(json_of_str(str_make(exact, (size_t)size))->text, want);
                free(exact);
            }
    for (size_t n = 1; n < 70; n++) {
        char want[80] = {0};
        memset(want, '7', n);
        char *exact = malloc(n);
        memcpy(exact, want, n);
        assert_text(json_of_str(str_make(exact, n))->text, want);
        free(exact);
    }
    arena_free(&arena);
}

static void test_out_of_memory(void **state)
{
    (void)state;
    struct buf text;
    buf_init(&text, NULL, SIZE_MAX / 2);
    buf_putz(&text, "{\"list\":[1,2.5,\"x\\u00e9\",[[],{}],null]");
    for (unsigned i = 0; i < 40; i++)
        buf_printf(&text, ",\"key%u\":{\"a\":[true,false]}", i);
    buf_putc(&text, '}');
    bool done = false;
    for (size_t n = 0; !done; n++) {
        struct failing budget = failing_after(n);
        cando_allocator al = {failing_resize, &budget};
        struct arena ar;
        struct json_error err;
        arena_init(&ar, &al);
        const struct json *v = json_parse(&ar, str_make(text.p, text.n), &err);
        done = v != NULL;
        if (!v) {
            assert_int_equal(err.code, CODE_memory);
            assert_true(budget.calls > n);
        } else {
            assert_int_equal(v->n, 41);
        }
        arena_free(&ar);
        assert_int_equal(budget.live, 0);
        assert_true(n < 1000);
    }
    buf_free(&text);
}

/* -- questions ------------------------------------------------------------------------ */

static void test_uint(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t want; /* -1: refused */
    } rows[] = {
        {"0", 0}, {"-0", 0}, {"0.000", 0}, {"0e999999999999999999999", 0}, {"-0.0e-5", 0}, {"1", 1}, {"2.0", 2},
        {"1e3", 1000}, {"1E+3", 1000}, {"10e-1", 1}, {"1.5e1", 15}, {"1.25e2", 125}, {"120.50e1", 1205}, {"0.001e3", 1},
        {"100", 100}, {"100.000", 100}, {"1000e-2", 10}, {"0.5", -1}, {"1.5", -1}, {"1e-1", -1}, {"-1", -1}, {"-1e5", -1},
        {"9007199254740991", 9007199254740991}, {"9007199254740992", -1}, {"9007199254740991.0", 9007199254740991},
        {"9.007199254740991e15", 9007199254740991}, {"90071992547409910e-1", 9007199254740991},
        {"9999999999999999", -1}, {"10000000000000000", -1}, {"1e15", 1000000000000000}, {"1e16", -1},
        {"1e99999999999999999999", -1}, {"1e-99999999999999999999", -1},
        {"100000000000000000000000000000000000000000e-40", 10}, {"0.00000000000000000000000000000000000001e40", 100},
        {"18446744073709551617", -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint64_t got = 77;
        bool ok = json_uint(json_of(rows[i].text), &got);
        if (ok != (rows[i].want >= 0) || (ok && got != (uint64_t)rows[i].want))
            fail_msg("%s: %d %ju", rows[i].text, ok, (uintmax_t)got);
        if (!ok)
            assert_int_equal(got, 77);
    }
    uint64_t out;
    assert_false(json_uint(json_of("\"1\""), &out));
    assert_false(json_uint(NULL, &out));
}

static void test_equal(void **state)
{
    (void)state;
    static const struct {
        const char *a, *b;
        bool want;
    } rows[] = {
        {"1", "1.0", true}, {"100", "1e2", true}, {"0", "-0", true}, {"0.10", "1e-1", true}, {"1", "2", false},
        {"1", "-1", false}, {"10", "1", false}, {"12", "21", false}, {"1.2", "12", false}, {"12.5", "1.25e1", true},
        {"1e99999999999999999999", "1e99999999999999999999", true},
        {"1e100000000000000000000", "1e1000000000000000000000", false},
        {"123456789012345678901234567890", "123456789012345678901234567891", false},
        {"\"a\"", "\"\\u0061\"", true}, {"\"a\"", "\"b\"", false}, {"\"1\"", "1", false}, {"null", "false", false},
        {"[1,2]", "[1,2]", true}, {"[1,2]", "[2,1]", false}, {"[1]", "[1,1]", false}, {"[]", "{}", false},
        {"{\"a\":1,\"b\":[{}]}", "{\"b\":[{}],\"a\":1}", true}, {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1,\"b\":2}", "{\"a\":1}", false}, {"{\"a\":1,\"b\":2}", "{\"a\":2,\"b\":1}", false},
        {"[[1],[2],{\"x\":[3]}]", "[[1],[2],{\"x\":[4]}]", false}, {"[[],[],[[]]]", "[[],[],[[]]]", true},
        {"{\"a\":1,\"b\":2,\"c\":3}", "{\"c\":3,\"a\":1,\"b\":2}", true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (json_equal(json_of(rows[i].a), json_of(rows[i].b)) != rows[i].want || json_equal(json_of(rows[i].b), json_of(rows[i].a)) != rows[i].want)
            fail_msg("%s and %s", rows[i].a, rows[i].b);
    }
    assert_true(json_equal(NULL, NULL));
    assert_false(json_equal(NULL, json_of("null")));
}

static void test_pointer(void **state)
{
    (void)state;
    const struct json *v = json_of("{\"foo\":[\"bar\",\"baz\"],\"\":0,\"a/b\":1,\"m~n\":8,\"~1\":9,\"x\":{\"\":{\"\":5}},\" \":7}");
    assert_ptr_equal(json_pointer(v, STR("")), v);
    assert_ptr_equal(json_pointer(v, STR("/foo")), json_get(v, "foo"));
    assert_text(json_pointer(v, STR("/foo/1"))->text, "baz");
    assert_text(json_pointer(v, STR("/"))->text, "0");
    assert_text(json_pointer(v, STR("/a~1b"))->text, "1");
    assert_text(json_pointer(v, STR("/m~0n"))->text, "8");
    assert_text(json_pointer(v, STR("/~01"))->text, "9");
    assert_text(json_pointer(v, STR("/x//"))->text, "5");
    assert_text(json_pointer(v, STR("/ "))->text, "7");
    static const char *const bad[] = {"foo", "/foo/2", "/foo/-", "/foo/01", "/foo/", "/foo/+1", "/foo/0/x", "/foo/99999999999999999999999",
                                      "/a~2b", "/a~", "/fo", "/fooo", "/x/y", "#/foo"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_null(json_pointer(v, str_of(bad[i])));
    assert_null(json_pointer(NULL, STR("/a")));

    struct buf b;
    buf_init(&b, NULL, 1000);
    json_pointer_token(&b, STR("a/b~c~1"));
    assert_string_equal(buf_cstr(&b), "a~1b~0c~01");
    buf_free(&b);
}

/* Any cut and any changed byte of a good text is read to an end, and what is
 * refused is refused inside the text. */
static void test_mutations(void **state)
{
    (void)state;
    static const char good[] = "{\"k\\u00e9y\": [1.5e+10, -0, \"\\ud83d\\ude00\xC3\xA9\", {\"x\": null}, [true, false]], \"z\": \"\\n\"}";
    static const char insert[] = "\"\\{}[]:,0-.eEtu \n\x01\x80\xC3\xF0";
    char text[sizeof good];
    for (size_t cut = 0; cut < sizeof good - 1; cut++) {
        char *exact = malloc(cut ? cut : 1);
        memcpy(exact, good, cut);
        refuse_n(str_make(exact, cut));
        free(exact);
    }
    for (size_t i = 0; i < sizeof good - 1; i++)
        for (size_t k = 0; k < sizeof insert; k++) {
            memcpy(text, good, sizeof good);
            text[i] = insert[k];
            struct json_error e = {0};
            if (!json_parse(&arena, str_make(text, sizeof good - 1), &e))
                assert_true(e.at <= sizeof good - 1 && e.line >= 1 && e.message[0]);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define T(name) TEST_WITH_ARENA(name)
        T(test_scalars), T(test_strings), T(test_containers), T(test_kind_names), T(test_messages),
        T(test_number_messages), T(test_string_messages), T(test_duplicate_keys), T(test_many_keys), T(test_colliding_keys),
        T(test_depth), T(test_size), T(test_wide), T(test_stacks), T(test_lengths),
        T(test_out_of_memory), T(test_uint), T(test_equal), T(test_pointer),
        T(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
