/*
 * test_scan.c - the request scanner accepts what the JSON reader accepts, on every
 * processor, wherever in a block of 64 bytes the trouble stands.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include "base/file.h"
#include "request/preflight.h"
#include "request/scan.h"
#include "text/json.h"

static struct scan scan;
static const enum scan_path paths[] = {SCAN_PLAIN, SCAN_SSE2, SCAN_AVX2, SCAN_AVX512, SCAN_BEST};

static enum code reader_says(struct str text)
{
    struct arena ar;
    struct json_error err;
    arena_init(&ar, NULL);
    enum code code = json_parse(&ar, text, &err) ? CODE_COUNT : err.code;
    arena_free(&ar);
    return code;
}

/* The text in memory of its own size, so that reading too far is seen. */
static enum code scan_says(struct str text, enum scan_path path, size_t *at)
{
    char *copy = malloc(text.n ? text.n : 1), message[200];
    assert_non_null(copy);
    if (text.n)
        memcpy(copy, text.p, text.n);
    struct str own = str_make(copy, text.n);
    enum code code = CODE_COUNT;
    *at = 0;
    if (!scan_run(&scan, NULL, SNAP_NONE, own, path)) {
        code = scan.error;
        *at = scan.error_at;
        if (code == CODE_json_syntax) {
            code = scan_error(own, at, message, sizeof message);
            assert_true(message[0]);
        }
        assert_true(*at <= text.n);
    }
    free(copy);
    return code;
}

static void assert_agree(struct str text, const char *name)
{
    enum code want = reader_says(text);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t at;
        enum code have = scan_says(text, paths[i], &at);
        if ((have == CODE_COUNT) != (want == CODE_COUNT))
            fail_msg("%s, path %zu: the reader says %s, the scan %s: %.*s", name, i, want == CODE_COUNT ? "yes" : code_name(want),
                     have == CODE_COUNT ? "yes" : code_name(have), STR_ARG(str_head(text, 300)));
    }
}

static void test_suite(void **state)
{
    (void)state;
    const char *root = getenv("CANDO_TESTS");
    struct arena ar;
    struct str *file;
    size_t n;
    char folder[512];
    arena_init(&ar, NULL);
    snprintf(folder, sizeof folder, "%s/cases/json", root ? root : "tests");
    assert_int_equal(file_list(folder, ".json", &ar, &file, &n, NULL), CANDO_OK);
    assert_true(n > 100);
    for (size_t i = 0; i < n; i++) {
        char *text;
        size_t len, at;
        assert_int_equal(file_read(file[i].p, LIMIT_JSON_BYTES, NULL, &text, &len, NULL), CANDO_OK);
        assert_agree(str_make(text, len), file[i].p);
        assert_int_equal(scan_says(str_make(text, len), SCAN_BEST, &at), reader_says(str_make(text, len)));
        mem_free(NULL, text, len + 1);
    }
    arena_free(&ar);
}

/* A string with something in it at every place of four blocks. */
static void test_places(void **state)
{
    (void)state;
    static const char *const things[] = {"\"",     "\\\"",         "\\\\",     "\\n",  "\n",           "\x01",         "\xc3\xa9",         "\xe4\xb8\xad",
                                         "\xf0\x9f\x98\x80", "\xff", "\xc3",   "\xed\xa0\x80", "\\u00e9", "\\ud83d\\ude00", "\\ud83d", "\\u12", "\\x",
                                         "{", "}", ",", ":", "\x7f", "\xf4\x90\x80\x80", "\xe0\x80\x80", "\xc0\x80", "\\\\\\\"", "\xf0\x80\x80\x80"};
    for (size_t k = 0; k < sizeof things / sizeof *things; k++)
        for (size_t before = 0; before < 200; before++) {
            char text[800];
            int n = snprintf(text, sizeof text, "{\"k\":\"%0*d%s%040d\",\"l\":[1,2]}", (int)before + 1, 0, things[k], 0);
            assert_agree(str_make(text, (size_t)n), things[k]);
        }
}

/* Sound texts with a few bytes spoilt. */
static void test_random(void **state)
{
    (void)state;
    static const char seed_text[] =
        "{\"model\":\"m\", \"messages\" : [ {\"role\":\"user\",\"content\":\"caf\xc3\xa9 \\u00e9 \\\"x\\\" \\\\\"},{\"role\":\"assistant\","
        "\"tool_calls\":[{\"id\":\"a\",\"n\":-0.5e+10}]}],\"t\":[true,false,null,0,1.5],\"o\":{\"a\":{},\"b\":[]},\n\t\"e\\u0066\":1}";
    static const char bytes[] = "{}[]:,\"\\ \n019-+.eEtfnu\x80\xc3\x01";
    uint64_t seed = 42;
    for (unsigned i = 0; i < 20000; i++) {
        char text[512];
        size_t pad = dice(&seed, 70), n = 0;
        memset(text, ' ', pad);
        n = pad;
        memcpy(text + n, seed_text, sizeof seed_text - 1);
        n += sizeof seed_text - 1;
        for (unsigned k = dice(&seed, 4); k > 0; k--)
            text[dice(&seed, (uint32_t)n)] = bytes[dice(&seed, sizeof bytes - 1)];
        if (dice(&seed, 8) == 0)
            n = dice(&seed, (uint32_t)n + 1);
        assert_agree(str_make(text, n), "random");
    }
}

/* -- the index makers, one against the other ------------------------------------------------- */

#if defined(__x86_64__)
void scan_fill_emulated(struct scan_index *x); /* scan_emulated.c */
#endif

static void index_init(struct scan_index *x, struct str text)
{
    x->p = (const unsigned char *)text.p;
    x->n = text.n;
    scan_index_begin(x);
}

/* The same marks in the same windows as plain C finds, up to where the text is bad, which all
 * must see sooner or later. */
static void assert_same_marks(struct str text, scan_fill *fill, const char *name)
{
    static struct scan_index a, b;
    index_init(&a, text);
    index_init(&b, text);
    bool bad = false, other_bad = false;
    while (!a.ended) {
        a.n_pos = b.n_pos = 0;
        scan_fill_plain(&a);
        fill(&b);
        bad |= a.bad;
        other_bad |= b.bad;
        if (!bad && !other_bad) {
            bool same = a.n_pos == b.n_pos && a.at == b.at && a.ended == b.ended;
            same = same && memcmp(a.pos, b.pos, a.n_pos * sizeof *a.pos) == 0;
            if (!same)
                fail_msg("%s, other marks: %.*s", name, STR_ARG(str_head(text, 300)));
        } else if (b.ended) {
            break;
        }
    }
    while (!b.ended) {
        b.n_pos = 0;
        fill(&b);
        other_bad |= b.bad;
    }
    while (!a.ended) {
        a.n_pos = 0;
        scan_fill_plain(&a);
        bad |= a.bad;
    }
    if (bad != other_bad)
        fail_msg("%s says %s: %.*s", name, other_bad ? "bad" : "good",
                 STR_ARG(str_head(text, 300)));
    if (!bad && (a.wide != b.wide || a.tails != b.tails || a.escapes != b.escapes))
        fail_msg("%s, other counts: %.*s", name, STR_ARG(str_head(text, 300)));
}

/* The text lies `shift` bytes behind where memory begins, and memory ends where it ends. */
static void assert_all_marks(const char *text, size_t n, size_t shift)
{
    char *room = malloc(shift + n + !(shift + n));
    assert_non_null(room);
    if (n)
        memcpy(room + shift, text, n);
    struct str own = str_make(room + shift, n);
#if defined(__x86_64__)
    assert_same_marks(own, scan_fill_128, "SSE2");
    assert_same_marks(own, scan_fill_emulated, "AVX-512 as functions");
    if (scan_fill_for(SCAN_AVX2) == scan_fill_avx2)
        assert_same_marks(own, scan_fill_avx2, "AVX2");
    if (scan_fill_for(SCAN_AVX512) == scan_fill_avx512)
        assert_same_marks(own, scan_fill_avx512, "AVX-512");
#endif
    free(room);
}

/* Whatever is asked for, it is what the processor has, or less. */
static void test_choice(void **state)
{
    (void)state;
    scan_fill *best = scan_fill_for(SCAN_BEST);
    assert_ptr_equal(scan_fill_for(SCAN_PLAIN), scan_fill_plain);
#if defined(__x86_64__)
    assert_ptr_equal(scan_fill_for(SCAN_SSE2), scan_fill_128);
    assert_ptr_equal(scan_fill_for(SCAN_AVX512), best);
    if (best == scan_fill_avx512)
        assert_ptr_equal(scan_fill_for(SCAN_AVX2), scan_fill_avx2);
    else
        assert_ptr_equal(scan_fill_for(SCAN_AVX2), best);
#else
    assert_ptr_equal(best, scan_fill_plain);
#endif
}

/* Every byte at every place of a block and its neighbours, inside of a string and outside. */
static void test_marks_of_bytes(void **state)
{
    (void)state;
    char text[256];
    for (unsigned c = 0; c < 256; c++)
        for (size_t at = c % 3; at < 130; at += 3)
            for (unsigned outside = 0; outside < 2; outside++) {
                memset(text, outside ? ' ' : 'x', sizeof text);
                if (!outside)
                    text[0] = '"', text[150] = '"';
                text[at] = (char)c;
                assert_all_marks(text, 152, 0);
            }
}

/* Texts of few kinds of bytes, which then meet in all ways, of all lengths. */
static void test_marks_of_soup(void **state)
{
    (void)state;
    static const char *const soups[] = {
        "\"\\",
        "\"\\n u/bfrt",
        "{}[]:, \n\r\t\"1x",
        "\"ab\xc3\xa9",
        "\\\\\\u0aD8cd\"",
        "\xe2\x80\x94 \xf0\x9f\x98\x80\"\\\xed\xa0",
        "\"{[,:]}\\ \x01\x1f\x7f\x80\xff",
    };
    char text[700];
    uint64_t seed = 7;
    for (unsigned i = 0; i < 6000; i++) {
        const char *soup = soups[i % (sizeof soups / sizeof *soups)];
        size_t kinds = strlen(soup), n = random64(&seed) % (i % 8 ? 200 : sizeof text);
        for (size_t k = 0; k < n; k++)
            text[k] = soup[random64(&seed) % kinds];
        assert_all_marks(text, n, random64(&seed) % 64);
    }
}

/* Characters of one to four bytes, most of them broken, around the end of a block. */
static void test_marks_of_utf8(void **state)
{
    (void)state;
    static const unsigned char tails[] = {0x00, 0x22, 0x41, 0x7F, 0x80, 0x8F, 0x90,
                                          0x9F, 0xA0, 0xBF, 0xC0, 0xE0, 0xF4, 0xFF};
    char text[200];
    uint64_t seed = 3;
    for (unsigned i = 0; i < 20000; i++) {
        size_t at = 58 + random64(&seed) % 8, n = 128 + random64(&seed) % 70;
        memset(text, 'x', sizeof text);
        if (n > 140) /* sound again */
            memcpy(text + 130, "\xc3\xa9", 2);
        text[0] = text[n - 1] = '"';
        text[at] = (char)(0x80 + i % 128);
        for (unsigned k = 1; k < 4; k++)
            text[at + k] = (char)tails[random64(&seed) % sizeof tails];
        if (random64(&seed) % 2) /* sound ones, for the most part */
            for (unsigned k = 1; k < 4; k++)
                text[at + k] = (char)(i % 128 < 64 + 16 * (k - 1) ? 'x' : 0x80 + random64(&seed) % 64);
        if (random64(&seed) % 8 == 0)
            n = at + random64(&seed) % 5;
        assert_all_marks(text, n, i % 64);
    }
}

/* Long strings are run through: to the byte where they are no plain text any more. */
static void test_marks_of_runs(void **state)
{
    (void)state;
    static const char *const ends[] = {"\"", "\\\"", "\\n", "\n", "\xc3\xa9", "\xff", "\x7f", ""};
    static char text[2400];
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++)
        for (size_t length = 380; length < 1100; length += 1 + k) {
            memset(text, 'q', sizeof text);
            text[0] = '"';
            memcpy(text + length, ends[k], strlen(ends[k]));
            memcpy(text + length + 900, "\",[1]", 5);
            assert_all_marks(text, length + 905, length % 64);
        }
}

/* More marks than a window has, 64 of them in a block. */
static void test_marks_of_windows(void **state)
{
    (void)state;
    static char text[8000];
    uint64_t seed = 11;
    memset(text, '[', sizeof text);
    assert_all_marks(text, sizeof text, 0);
    for (unsigned i = 0; i < 60; i++) {
        for (size_t k = 0; k < sizeof text; k++)
            text[k] = "[]{}1,\" "[random64(&seed) % (i % 2 ? 8 : 4)];
        assert_all_marks(text, sizeof text - random64(&seed) % 70, i);
    }
}

/* -- keys ----------------------------------------------------------------------------------- */

static void test_duplicates(void **state)
{
    (void)state;
    char text[16384];
    for (unsigned keys = 2; keys < 600; keys += keys < 40 ? 1 : 37)
        for (unsigned twice = 0; twice < 2; twice++) {
            size_t n = 0, at;
            text[n++] = '{';
            for (unsigned i = 0; i < keys; i++)
                n += (size_t)snprintf(text + n, sizeof text - n, "%s\"key%u\":{\"key%u\":0}", i ? "," : "", i, i);
            n += (size_t)snprintf(text + n, sizeof text - n, ",\"%s%u\":0}", twice ? "k\\u0065y" : "kay", keys / 2);
            assert_int_equal(scan_says(str_make(text, n), SCAN_BEST, &at), twice ? CODE_json_duplicate_key : CODE_COUNT);
            if (twice)
                assert_memory_equal(text + at, "\"k\\u0065y", 9);
        }
}

static size_t put_object(char *text, size_t size, size_t n, unsigned keys, unsigned depth)
{
    n += (size_t)snprintf(text + n, size - n, "{");
    for (unsigned i = 0; i < keys; i++) {
        n += (size_t)snprintf(text + n, size - n, "%s\"key%u\":", i ? "," : "", i);
        if (depth && i % 8 == 7)
            n = put_object(text, size, n, keys, depth - 1);
        else
            text[n++] = '1';
    }
    return n + (size_t)snprintf(text + n, size - n, "}");
}

/* Names that differ in a few digits, wherever these stand: none is a second one, but the last. */
static void test_alike_keys(void **state)
{
    (void)state;
    static const char *const forms[] = {"field_%u", "item_%u", "prop%03u", "%u", "key%u_name", "a_longer_name_of_a_property_%u", "%u-x"};
    static char text[60000];
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++)
        for (unsigned keys = 17; keys < 400; keys += 29)
            for (unsigned twice = 0; twice < 2; twice++) {
                size_t n = 1, at;
                text[0] = '{';
                for (unsigned i = 0; i <= keys; i++) {
                    char name[64];
                    snprintf(name, sizeof name, forms[f], twice && i == keys ? keys / 2 : i);
                    n += (size_t)snprintf(text + n, sizeof text - n, "%s\"%s\":0", i ? "," : "", name);
                }
                text[n++] = '}';
                assert_int_equal(scan_says(str_make(text, n), SCAN_BEST, &at), twice ? CODE_json_duplicate_key : CODE_COUNT);
            }
}

/* Keys of any length, written with and without escapes. */
static void test_long_keys(void **state)
{
    (void)state;
    static char text[9000];
    for (unsigned length = 1; length < 2000; length += length < 40 || (length > 500 && length < 530) ? 1 : 61)
        for (unsigned same = 0; same < 2; same++) {
            size_t n = (size_t)snprintf(text, sizeof text, "{\"%0*u\":0,\"\\u0030", (int)length, 0u), at;
            for (unsigned i = 1; i < length; i++)
                text[n++] = '0';
            n += (size_t)snprintf(text + n, sizeof text - n, "%s\":1,\"\\u0031%0*u\":2}", same ? "" : "1", (int)length, 0u);
            assert_int_equal(scan_says(str_make(text, n), SCAN_BEST, &at), same ? CODE_json_duplicate_key : CODE_COUNT);
            assert_int_equal(reader_says(str_make(text, n)), same ? CODE_json_duplicate_key : CODE_COUNT);
        }
}

/* Objects within objects, all with more keys than are compared one by one, and all with
 * the same: none of them is a second one, until one is. */
static void test_far_keys(void **state)
{
    (void)state;
    static char text[200000], twice[200064];
    size_t n = put_object(text, sizeof text, 0, 24, 3), at, objects = 0;
    assert_int_equal(scan_says(str_make(text, n), SCAN_BEST, &at), CODE_COUNT);
    for (size_t i = 0; i < n; i++) {
        if (text[i] != '}')
            continue;
        size_t m = (size_t)snprintf(twice, sizeof twice, "%.*s,\"key%u\":0%.*s", (int)i, text, (unsigned)(objects % 24), (int)(n - i), text + i);
        assert_int_equal(scan_says(str_make(twice, m), SCAN_BEST, &at), CODE_json_duplicate_key);
        assert_int_equal(at, i + 1);
        objects++;
    }
    assert_int_equal(objects, 1 + 3 + 9 + 27);
}

static const char *const shape_keys[] = {
    "a",
    "b",
    "role",
    "r\\u006fle",
    "content",
    "sixteen_letters_",
    "sixteen_letters",
    "type",
    "ty\\u0070e",
    "",
    "\\u0062",
    "additionalProperties",
    "additionalPropertie\\u0073",
};
#define SHAPE_KEYS (sizeof shape_keys / sizeof *shape_keys)

/* An object that has the keys of `order`, the most of them; sometimes there is one inside of it. */
static void put_shape(struct buf *b, const unsigned *order, unsigned n, unsigned depth,
                      uint64_t *seed)
{
    const char *space = random64(seed) % 4 ? "" : " ";
    buf_putc(b, '{');
    for (unsigned i = 0; i < n; i++) {
        unsigned key = random64(seed) % 16 ? order[i] : random64(seed) % SHAPE_KEYS;
        buf_printf(b, "%s%s\"%s\":%s", i ? "," : "", space, shape_keys[key], space);
        if (depth && random64(seed) % 3 == 0)
            put_shape(b, order + random64(seed) % 2, n - 1, depth - 1, seed);
        else
            buf_puts(b, str_of(random64(seed) % 2 ? "\"x\"" : "[1,{}]"));
    }
    buf_putc(b, '}');
}

/* Objects one after the other with nearly the same keys in the same order. */
static void test_shapes(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (unsigned round = 0; round < 3000; round++) {
        struct buf b;
        unsigned order[SHAPE_KEYS];
        for (unsigned i = 0; i < SHAPE_KEYS; i++)
            order[i] = i;
        for (unsigned i = SHAPE_KEYS - 1; i > 0; i--) {
            unsigned k = random64(&seed) % (i + 1), kept = order[i];
            order[i] = order[k];
            order[k] = kept;
        }
        buf_init(&b, NULL, 1 << 20);
        buf_putc(&b, '[');
        for (unsigned i = 0; i < 5; i++) {
            buf_puts(&b, str_of(i ? "," : ""));
            put_shape(&b, order, 2 + random64(&seed) % 3, 2, &seed);
        }
        buf_putc(&b, ']');
        assert_false(b.failed);
        assert_agree(str_make(b.p, b.n), "shapes");
        buf_free(&b);
    }
}

/* The same with somebody watching: a scan that compares no shapes finds the same. An alias that
 * stands for nothing keeps a scan from it. */
static void test_watched_shapes(void **state)
{
    (void)state;
    static const char *const members[] = {
        "\"role\":\"user\"",
        "\"role\":\"tool\"",
        "\"content\":\"x\"",
        "\"content\":null",
        "\"name\":\"n n\"",
        "\"tool_call_id\":\"a\"",
        "\"tool_calls\":[]",
        "\"refusal\":\"\"",
        "\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"f\"}}]",
    };
    const unsigned n_members = sizeof members / sizeof *members;
    static struct scan plain;
    const cando_catalog *catalog = cando_catalog_builtin();
    uint64_t seed = 9;
    void *memory = malloc(cando_target_size(catalog));
    const cando_target *target = cando_target_init(memory, catalog, (cando_name){"openai/gpt-4o", NULL}, 0, NULL);
    assert_non_null(target);
    const struct snapshot *snap = &target->catalog->snap;
    uint32_t api = snapshot_req_api(snap, STR("openai-chat"));
    assert_int_not_equal(api, SNAP_NONE);
    const struct scan_target *ready = target_scan(target, api);
    struct scan_target t = {
        .s = snap,
        .planes = ready->planes,
        .may_fire = ready->may_fire,
        .only_warns = ready->only_warns,
        .watch = ready->watch,
        .op = ready->op,
        .pivot = ready->pivot,
    };
    uint32_t found = 0;
    for (unsigned round = 0; round < 2000; round++) {
        struct buf b;
        buf_init(&b, NULL, 1 << 20);
        buf_puts(&b, STR("{\"model\":\"m\",\"messages\":["));
        for (unsigned i = 0; i < 6; i++) {
            buf_puts(&b, str_of(i ? ",{" : "{"));
            for (unsigned k = random64(&seed) % 4; k > 0; k--)
                buf_printf(&b, "%s%s", members[random64(&seed) % n_members], k > 1 ? "," : "");
            buf_putc(&b, '}');
        }
        buf_puts(&b, STR("],\"temperature\":3}"));
        assert_false(b.failed);
        struct str text = str_make(b.p, b.n);
        scan.n_alias = 0;
        plain.n_alias = 1;
        plain.alias[0] = (struct scan_alias){UINT32_MAX, STR("")};
        bool good = scan_run(&scan, &t, api, text, SCAN_BEST);
        assert_int_equal(scan_run(&plain, &t, api, text, SCAN_BEST), good);
        if (good) {
            assert_int_equal(scan.n_found, plain.n_found);
            assert_int_equal(scan.fit.turns, plain.fit.turns);
            assert_int_equal(scan.fit.text_bytes, plain.fit.text_bytes);
            for (uint32_t i = 0; i < scan.n_found; i++) {
                assert_int_equal(scan.found[i].rule, plain.found[i].rule);
                assert_int_equal(scan.found[i].place.at, plain.found[i].place.at);
            }
            found += scan.n_found;
        }
        buf_free(&b);
    }
    assert_true(found > 1000);
    free(memory);
}

/* Objects within objects, deeper than each has room of its own for its keys. */
static void test_deep_keys(void **state)
{
    (void)state;
    static char text[40000];
    for (unsigned depth = 1; depth < 500; depth += depth < 70 ? 1 : 31)
        for (unsigned twice = 0; twice < 2; twice++) {
            size_t n = 0, at, size = sizeof text;
            for (unsigned i = 0; i < depth; i++)
                n += (size_t)snprintf(text + n, size - n, "{\"a\":0,\"b\":{\"a\":1},\"c\":");
            text[n++] = '1';
            for (unsigned i = 0; i < depth; i++) {
                const char *last = twice && i == depth / 2 ? "b" : "d";
                n += (size_t)snprintf(text + n, size - n, ",\"%s\":0}", last);
            }
            enum code code = scan_says(str_make(text, n), SCAN_BEST, &at);
            assert_int_equal(code, twice ? CODE_json_duplicate_key : CODE_COUNT);
        }
}

static void test_error_places(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t at;
        enum code code;
    } cases[] = {
        {"", 0, CODE_json_syntax},          {"[1,]", 3, CODE_json_syntax},      {"{\"a\" 1}", 5, CODE_json_syntax},
        {"{\"a\":1,}", 7, CODE_json_syntax}, {"[01]", 1, CODE_json_syntax},      {"[1 2]", 3, CODE_json_syntax},
        {"\"abc", 0, CODE_json_syntax},      {"[\"a\tb\"]", 3, CODE_json_syntax}, {"[\"\\q\"]", 2, CODE_json_syntax},
        {"[nul]", 1, CODE_json_syntax},      {"{} x", 3, CODE_json_syntax},       {"{\"a\":1,\"a\":2}", 7, CODE_json_duplicate_key},
        {"[1.]", 3, CODE_json_syntax},       {"[-]", 2, CODE_json_syntax},        {"[\"\xff\"]", 2, CODE_json_syntax},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t at;
        enum code code = scan_says(str_of(cases[i].text), SCAN_BEST, &at);
        if (code != cases[i].code || at != cases[i].at)
            fail_msg("%s: %s at %zu", cases[i].text, code_name(code), at);
    }
}

static void test_many_windows(void **state)
{
    (void)state;
    struct buf b;
    size_t at;
    buf_init(&b, NULL, 1 << 24);
    buf_putc(&b, '[');
    for (unsigned i = 0; i < 20000; i++)
        buf_printf(&b, "%s{\"a\":[%u,\"x\"],\"b\":{}}", i ? "," : "", i);
    buf_putc(&b, ']');
    assert_false(b.failed);
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        assert_int_equal(scan_says(str_make(b.p, b.n), paths[i], &at), CODE_COUNT);
    b.p[b.n - 2] = ']';
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        assert_int_equal(scan_says(str_make(b.p, b.n), paths[i], &at), CODE_json_syntax);
        assert_int_equal(at, b.n - 2);
    }
    buf_free(&b);
}

static void test_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {{"0", 0}, {"-1", -1}, {"0.7", 0.7}, {"1.9", 1.9}, {"2e3", 2000}, {"-2.5E-1", -0.25}, {"1e400", 1e308 * 10}, {"123456789012345678901", 123456789012345678901.0}, {"1e-400", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(scan_number((const unsigned char *)cases[i].text, strlen(cases[i].text)) == cases[i].value);
    assert_int_equal(scan_length((const unsigned char *)"a\\n\xc3\xa9\\ud83d\\ude00", 17), 4);
    /* a text may be as long as the limit says, and no byte longer */
    char said[80], *zeros = calloc(1, LIMIT_JSON_BYTES + 1u);
    size_t at;
    assert_non_null(zeros);
    assert_int_equal(scan_error(str_make(zeros, LIMIT_JSON_BYTES), &at, said, sizeof said),
                     CODE_json_syntax);
    assert_int_equal(scan_error(str_make(zeros, LIMIT_JSON_BYTES + 1u), &at, said, sizeof said),
                     CODE_json_size);
    free(zeros);
    assert_int_equal(scan_length((const unsigned char *)"\\ud800\\udc00\\udbff\\udfff", 24), 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suite),        cmocka_unit_test(test_places),       cmocka_unit_test(test_random),
        cmocka_unit_test(test_duplicates),   cmocka_unit_test(test_alike_keys),   cmocka_unit_test(test_long_keys),    cmocka_unit_test(test_far_keys),
        cmocka_unit_test(test_error_places), cmocka_unit_test(test_many_windows), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_marks_of_bytes),
        cmocka_unit_test(test_marks_of_soup),
        cmocka_unit_test(test_marks_of_utf8),
        cmocka_unit_test(test_marks_of_runs),
        cmocka_unit_test(test_marks_of_windows),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_watched_shapes),
        cmocka_unit_test(test_deep_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
