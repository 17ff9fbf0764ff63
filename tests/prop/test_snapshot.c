/*
 * test_snapshot.c - damaged, foreign, older and newer snapshots.
 *
 * A snapshot is believed only as far as snapshot_check has looked. So every
 * byte of a small one is spoilt in turn: with its checksum as it was it must be
 * refused, and with the checksum made to fit it must be refused or harmless.
 * Harmless means that everything that can be done with a catalog can be done
 * with this one; the sanitizers watch. Then the promises to other versions:
 * unknown sections, longer records, more and other fields change no answer.
 *
 * CANDO_ROUNDS (3000; 300 with ASan) bounds the random part and how often the
 * costly checks are made.
 */
#define _POSIX_C_SOURCE 200809L
#include "unit/catalog_case.h"

#include "base/buf.h"
#include "generate.h"
#include "rules/sources.h"
#include "rules/why.h"

#include <sys/wait.h>
#include <unistd.h>

#define ALL_ROUNDS 3000

static unsigned long rounds(void)
{
    const char *text = getenv("CANDO_ROUNDS");
    if (text && *text)
        return strtoul(text, NULL, 10);
#ifdef CANDO_SANITIZED
    return ALL_ROUNDS / 10; /* ten times as slow */
#else
    return ALL_ROUNDS;
#endif
}

/* -- one small snapshot that has something in every section ------------------------------- */

static const char own_text[] =
    "schema = \"cando/rules@1\"\n"
    "[defaults]\nstreaming = \"native\"\n"
    "[provider_defaults.p]\nseed = \"native\"\n"
    "[families]\nq = [\"p\", \"r\"]\n"
    "[[providers]]\nid = \"p\"\naliases = [\"pa\"]\ndialect = \"gemini\"\nkind = \"cloud\"\n"
    "[[providers]]\nid = \"q\"\nname = \"Q\"\ndialect = \"openai-chat\"\n"
    "[[labs]]\nid = \"meta\"\naliases = [\"meta-llama\"]\nfamilies = [\"llama\"]\nmodels = [\"llama-3.3-70b\"]\n"
    "[spellings]\n\"q:llama-x\" = \"meta/llama-3.3-70b\"\n"
    "[aliases]\n\"zz/Mine\" = \"q/llama-3.3-70b\"\n"
    "[policy]\nallow = [\"q\", \"pa/a[bc]*\"]\ndeny = [\"*/{x,y}*\"]\n"
    "[[rules]]\nname = \"base\"\nmatch = [\"llama-*\", \"*x*y\"]\nset = { tool_calling = \"native\", max_output = 9007199254740991, batch_max_bytes = 5368709120 }\n"
    "source = \"https://example.org\"\nevidence = \"catalog\"\nchecked = 2026-11-01\n"
    "[[rules]]\nproviders = \"p\"\nmatch = { contains = \"b\", prefix = \"ab\" }\non = \"id\"\n"
    "set = { tool_search = [\"x\", \"y\"], auto_reasoning_overrides = { agent = \"off\" } }\n"
    "[[rules]]\ndialects = \"gemini\"\nmatch = \"*-abc-[ab]\"\non = \"id\"\nset = { web_fetch = { restricted = \"why\" } }\n"
    "[[rules]]\nmatch = \"claude-*\"\nversion_min = [4, 0]\nversion_max = [4, 9]\nset = { tokenizer = \"claude-v3\" }\n"
    "[[models]]\nprovider = \"q\"\nid = \"llama-3.3-70b\"\nset = { context_window = 128000, input_modalities = [\"text\", \"image\"] }\n";
static const char harn_text[] =
    "[provider_family]\nr = \"q\"\n"
    "[[provider.r]]\nmodel_match = [\"gpt-{4,5}*\", \"abc\"]\nversion_min = [4, 1]\nextends = true\nmax_tools = 7\n"
    "[[provider.q]]\nmodel_match = \"*\"\nserver_parser = \"x\"\npreserve_thinking = true\n";

static const char *const ids[] = {"llama-3.3-70b", "llama-x", "x-b-y", "abc", "gpt-5", "claude-opus-4-5", "q-abc-a", "MINE", ""};
static const char *const names[] = {"p", "q", "R", "pa", "zz"};

static cando_sources *small_sources(const cando_allocator *a)
{
    cando_sources *s = cando_sources_new(a, NULL);
    assert_non_null(s);
    assert_int_equal(cando_sources_add(s, "own.toml", own_text, sizeof own_text - 1, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY, NULL), CANDO_OK);
    assert_int_equal(cando_sources_add(s, "harn.toml", harn_text, sizeof harn_text - 1, CANDO_SYNTAX_HARN, CANDO_LAYER_USER, NULL), CANDO_OK);
    return s;
}

struct bytes {
    unsigned char *p;
    size_t n;
};

static struct bytes bytes_of(const void *p, size_t n)
{
    struct bytes b = {malloc(n), n};
    assert_non_null(b.p);
    memcpy(b.p, p, n);
    return b;
}

static struct bytes build(cando_sources *s)
{
    const void *p;
    size_t n;
    assert_int_equal(cando_sources_build(s, &p, &n, NULL), CANDO_OK);
    struct bytes b = bytes_of(p, n);
    cando_sources_free(s);
    return b;
}

static struct bytes small;

static int make_small(void **state)
{
    (void)state;
    small = build(small_sources(NULL));
    return 0;
}

static int free_small(void **state)
{
    (void)state;
    free(small.p);
    return 0;
}

static void fix_checksum(struct bytes b)
{
    if (b.n >= sizeof(struct snap_header))
        put64(b.p + offsetof(struct snap_header, checksum), snapshot_checksum(b.p, b.n));
}

/* -- everything that can be done with a catalog ----------------------------------------------- */

static volatile size_t sink; /* so that nothing that is read is read for nothing */

static void read_profile(const cando_profile *p)
{
    for (unsigned f = 0; f < cando_field_count(); f++) {
        cando_value v = cando_profile_get(p, (cando_field)f);
        cando_origin o = cando_profile_why(p, (cando_field)f);
        sink += strlen(o.layer) + strlen(o.rule) + strlen(o.file) + strlen(o.source) + strlen(o.evidence) + strlen(o.checked);
        if (v.known && v.text)
            sink += strlen(v.text);
        for (uint32_t i = 0; v.known && i < v.count; i++)
            sink += strlen(cando_value_item(&v, i));
    }
}

static void use_lightly(const cando_catalog *cat)
{
    cando_profile p;
    for (size_t i = 0; i < LENGTH(ids); i++) {
        const char *name = names[i % LENGTH(names)];
        assert_int_equal(cando_resolve_parts(cat, name, strlen(name), ids[i], strlen(ids[i]), (cando_resolution)(i % 3), &p, NULL), CANDO_OK);
        if (i == 0 || i == 3)
            read_profile(&p);
    }
}

static void use_call(const cando_catalog *cat, const char *request)
{
    char *reply;
    size_t len;
    cando *c = cando_new(cat, NULL, NULL);
    assert_non_null(c);
    assert_int_equal(cando_call(c, request, strlen(request), &reply, &len), CANDO_OK);
    assert_int_equal(strlen(reply), len);
    cando_free_text(c, reply, len);
    cando_free(c);
}

static void use_import(const cando_catalog *cat)
{
    cando_sources *s = cando_sources_new(NULL, NULL);
    const void *p;
    size_t n;
    static const char overlay[] = "schema = \"cando/rules@1\"\n[[providers]]\nid = \"q\"\n[[rules]]\nmatch = \"*\"\nset = { batch = true }\n";
    assert_int_equal(sources_add_catalog(s, cat, NULL), CANDO_OK);
    assert_int_equal(cando_sources_add(s, "over.toml", overlay, sizeof overlay - 1, CANDO_SYNTAX_CANDO, CANDO_LAYER_PROJECT, NULL), CANDO_OK);
    cando_error err = {0};
    if (cando_sources_build(s, &p, &n, &err) == CANDO_OK) {
        const cando_catalog *again = cando_catalog_open_copy(p, n, NULL, &err);
        if (!again)
            fail_msg("what was imported and built is refused: %s", err.message);
        use_lightly(again);
        cando_catalog_release(again);
    } else {
        assert_int_equal(err.status, CANDO_BAD_INPUT);
    }
    cando_sources_free(s);
}

static void use_wholly(const cando_catalog *cat)
{
    cando_profile p;
    for (size_t i = 0; i < LENGTH(ids); i++)
        for (size_t k = 0; k < LENGTH(names); k++) {
            assert_int_equal(cando_resolve_parts(cat, names[k], strlen(names[k]), ids[i], strlen(ids[i]), (cando_resolution)((i + k) % 3), &p, NULL), CANDO_OK);
            read_profile(&p);
        }
    use_call(cat, "{\"op\":\"resolve\",\"target\":\"q/llama-3.3-70b\",\"why\":\"all\"}");
    use_call(cat, "{\"op\":\"resolve\",\"target\":\"pa/x-b-y\",\"why\":\"all\",\"view\":\"nika\",\"resolution\":\"layered\"}");
    use_call(cat, "{\"op\":\"resolve\",\"target\":\"r/gpt-5\",\"why\":\"all\",\"view\":\"harn\",\"resolution\":\"first-match\"}");
    use_call(cat, "{\"op\":\"model_id\",\"provider\":\"q\",\"model\":\"meta-llama/llama-x:free\"}");
    cando_catalog_info info;
    cando_catalog_describe(cat, &info);
    assert_int_equal(info.bytes, cat->snap.size);
    use_import(cat);
}

/* Refused with a proper error, or harmless. True if it was taken. */
static bool survive(struct bytes b, bool wholly)
{
    cando_error err = {0};
    const cando_catalog *cat = cando_catalog_open_copy(b.p, b.n, NULL, &err);
    if (!cat) {
        assert_int_equal(err.status, CANDO_BAD_INPUT);
        assert_true(strcmp(err.code, "snapshot-bad") == 0 || strcmp(err.code, "snapshot-newer") == 0);
        assert_true(err.message[0]);
        return false;
    }
    use_lightly(cat);
    if (wholly)
        use_wholly(cat);
    cando_catalog_release(cat);
    return true;
}

static void assert_refused(struct bytes b)
{
    cando_error err = {0};
    const cando_catalog *cat = cando_catalog_open_copy(b.p, b.n, NULL, &err);
    assert_null(cat);
    assert_int_equal(err.status, CANDO_BAD_INPUT);
}

static void test_whole(void **state)
{
    (void)state;
    assert_true(survive(small, true));
    struct snapshot s;
    assert_int_equal(snapshot_open(&s, small.p, small.n, NULL), CANDO_OK);
    for (unsigned id = 1; id <= SEC_EXACT; id++) /* the tests below would miss what is not there */
        if (s.sec[id].n == 0)
            fail_msg("section %u is empty", id);
}

/* -- damage ------------------------------------------------------------------------------------ */

static const unsigned char other[8] = {0x00, 0xff, 0x01, 0x02, 0x80, 0x7f, 0x04, 0x10}; /* 0 and 255, else flips */

/* The k-th way to spoil a byte; the byte itself if there is no such. */
static unsigned char spoilt(unsigned char was, bool all, unsigned k)
{
    if (all)
        return (unsigned char)(was + 1 + k);
    return k < 2 ? other[k] : (unsigned char)(was ^ other[k]);
}

static size_t table_end(void)
{
    return sizeof(struct snap_header) + (SEC_END - 1) * sizeof(struct snap_section_entry);
}

static void test_each_byte(void **state)
{
    (void)state;
    struct bytes b = bytes_of(small.p, small.n);
    for (size_t i = 0; i < b.n; i++) {
        bool all = i < table_end();
        for (unsigned k = 0; k < (all ? 255u : 8u); k++) {
            b.p[i] = spoilt(small.p[i], all, k);
            if (b.p[i] != small.p[i])
                assert_refused(b);
        }
        b.p[i] = small.p[i];
    }
    free(b.p);
}

static void test_each_byte_signed(void **state)
{
    (void)state;
    struct bytes b = bytes_of(small.p, small.n);
    size_t taken = 0, step = b.n * 8 / (rounds() + 1) + 1, tries = 0;
    for (size_t i = 0; i < b.n; i++) {
        if (i >= offsetof(struct snap_header, checksum) && i < sizeof(struct snap_header))
            continue;
        bool all = i < table_end() && rounds() >= ALL_ROUNDS;
        for (unsigned k = 0; k < (all ? 255u : 8u); k++) {
            b.p[i] = spoilt(small.p[i], all, k);
            if (b.p[i] == small.p[i])
                continue;
            fix_checksum(b);
            taken += survive(b, tries++ % step == 0);
        }
        b.p[i] = small.p[i];
    }
    assert_true(taken > 0);
    free(b.p);
}

static void test_truncated(void **state)
{
    (void)state;
    for (size_t n = 0; n < small.n; n++) {
        struct bytes b = bytes_of(small.p, n);
        assert_refused(b);
        if (n >= sizeof(struct snap_header)) {
            put64(b.p + offsetof(struct snap_header, file_size), n);
            fix_checksum(b);
            survive(b, n % 512 == 0);
        }
        free(b.p);
    }
    struct bytes longer = bytes_of(small.p, small.n);
    longer.p = realloc(longer.p, small.n + 8);
    memset(longer.p + small.n, 0, 8);
    longer.n += 8;
    assert_refused(longer);
    free(longer.p);
}

static void test_random_damage(void **state)
{
    (void)state;
    struct rng r = {7};
    struct bytes b = bytes_of(small.p, small.n);
    unsigned long n = rounds() * 4;
    for (unsigned long i = 0; i < n; i++) {
        for (unsigned k = 1 + rng_below(&r, 6); k > 0; k--) {
            size_t at = (table_end() + rng_below(&r, (uint32_t)(b.n - table_end()))) & ~(size_t)3;
            uint32_t v = rng_below(&r, 8);
            v = v == 0 ? 0 : v == 1 ? UINT32_MAX : v == 2 ? rng_next(&r) : v < 5 ? rng_below(&r, 64) : v == 5 ? get32(b.p + at) + 1
                : v == 6 ? rng_below(&r, (uint32_t)b.n) : get32(b.p + ((at + 4 * rng_below(&r, 40)) % (b.n - 4) & ~(size_t)3));
            put32(b.p + at, v);
        }
        fix_checksum(b);
        survive(b, i % 8 == 0);
        memcpy(b.p, small.p, small.n);
    }
    free(b.p);
}

/* -- other versions ------------------------------------------------------------------------------ */

struct part {
    uint32_t id, stride;
    unsigned char *p;
    size_t n;
};

struct parts {
    struct part part[SEC_END + 4];
    size_t n;
    uint32_t flags;
};

static struct parts take_apart(struct bytes b)
{
    struct parts out = {.n = get32(b.p + offsetof(struct snap_header, n_sections)),
                        .flags = get32(b.p + offsetof(struct snap_header, flags))};
    for (size_t i = 0; i < out.n; i++) {
        const unsigned char *e = b.p + sizeof(struct snap_header) + i * sizeof(struct snap_section_entry);
        struct bytes copy = bytes_of(b.p + get64(e + 8), (size_t)get64(e + 16));
        out.part[i] = (struct part){get32(e), get32(e + 4), copy.p, copy.n};
    }
    return out;
}

static struct part *part_of(struct parts *parts, uint32_t id)
{
    for (size_t i = 0; i < parts->n; i++)
        if (parts->part[i].id == id)
            return &parts->part[i];
    fail_msg("no section %u", id);
    return NULL;
}

/* Frees the parts. The header may be longer than ours. */
static struct bytes put_together(struct parts *parts, unsigned major, unsigned minor, size_t header)
{
    size_t at = header + parts->n * sizeof(struct snap_section_entry), size = at;
    for (size_t i = 0; i < parts->n; i++)
        size = ((size + 7) & ~(size_t)7) + parts->part[i].n;
    struct bytes b = {calloc(1, size), size};
    assert_non_null(b.p);
    memcpy(b.p, snap_magic, 8);
    b.p[8] = (unsigned char)major;
    b.p[10] = (unsigned char)minor;
    put32(b.p + 12, (uint32_t)header);
    put32(b.p + 16, (uint32_t)parts->n);
    put32(b.p + 20, parts->flags);
    put64(b.p + offsetof(struct snap_header, file_size), size);
    memset(b.p + sizeof(struct snap_header), 0xAA, header - sizeof(struct snap_header));
    for (size_t i = 0; i < parts->n; i++) {
        unsigned char *e = b.p + header + i * sizeof(struct snap_section_entry);
        at = (at + 7) & ~(size_t)7;
        put32(e, parts->part[i].id);
        put32(e + 4, parts->part[i].stride);
        put64(e + 8, at);
        put64(e + 16, parts->part[i].n);
        memcpy(b.p + at, parts->part[i].p, parts->part[i].n);
        at += parts->part[i].n;
        free(parts->part[i].p);
    }
    fix_checksum(b);
    return b;
}

static void write_value(struct buf *out, cando_value v)
{
    buf_printf(out, "%d %d %d %llu %s", v.known, v.known ? (int)v.support : 0, v.known && v.flag, v.known ? (unsigned long long)v.number : 0,
               v.known && v.text ? v.text : "");
    for (uint32_t i = 0; v.known && i < v.count; i++)
        buf_printf(out, ",%s", cando_value_item(&v, i));
}

/* All that a snapshot says, as text. */
static char *all_answers(struct bytes b, struct buf *out)
{
    cando_error err = {0};
    const cando_catalog *cat = cando_catalog_open_copy(b.p, b.n, NULL, &err);
    if (!cat)
        fail_msg("refused: %s", err.message);
    for (size_t i = 0; i < LENGTH(ids) * LENGTH(names) * 3; i++) {
        const char *id = ids[i / 3 / LENGTH(names)], *name = names[i / 3 % LENGTH(names)];
        cando_profile p;
        cando_resolve_parts(cat, name, strlen(name), id, strlen(id), (cando_resolution)(i % 3), &p, NULL);
        buf_printf(out, "%s/%s %zu: %d %s\n", name, id, i % 3, (int)p.identity, p.canonical ? p.canonical : "");
        for (unsigned f = 0; f < cando_field_count(); f++) {
            cando_origin o = cando_profile_why(&p, (cando_field)f);
            if (!o.known)
                continue;
            buf_printf(out, "  %s ", cando_field_name((cando_field)f));
            write_value(out, cando_profile_get(&p, (cando_field)f));
            buf_printf(out, " %d %s %s %s:%u %s %s %s\n", o.derived, o.layer, o.rule, o.file, o.line, o.source, o.evidence, o.checked);
        }
    }
    use_wholly(cat);
    cando_catalog_release(cat);
    return buf_cstr(out);
}

static void assert_same_answers(struct bytes b)
{
    struct buf ours, theirs;
    buf_init(&ours, NULL, 1 << 26);
    buf_init(&theirs, NULL, 1 << 26);
    const char *x = all_answers(small, &ours), *y = all_answers(b, &theirs);
    while (*x && *x != '\n' && *x == *y) {
        const char *end = strchr(x, '\n'); /* a line at a time, so that the one that differs is shown */
        if (!end || strncmp(x, y, (size_t)(end - x) + 1) != 0)
            fail_msg("ours:   %.200s\ntheirs: %.200s", x, y);
        y += end - x + 1;
        x = end + 1;
    }
    assert_true(*x == '\0' && *y == '\0');
    buf_free(&ours);
    buf_free(&theirs);
    free(b.p);
}

static void test_taken_apart(void **state)
{
    (void)state;
    struct parts parts = take_apart(small);
    assert_same_answers(put_together(&parts, SNAP_MAJOR, SNAP_MINOR, sizeof(struct snap_header)));
}

static void test_newer_minor(void **state)
{
    (void)state;
    struct parts parts = take_apart(small);
    parts.part[parts.n++] = (struct part){200, 12, bytes_of("more of everything..", 20).p, 20};
    parts.part[parts.n++] = (struct part){SEC_END, 1, bytes_of("x", 1).p, 1};
    parts.flags |= 1u << 31;
    assert_same_answers(put_together(&parts, SNAP_MAJOR, SNAP_MINOR + 1, sizeof(struct snap_header) + 16));
}

static void test_other_major(void **state)
{
    (void)state;
    cando_error err = {0};
    struct parts parts = take_apart(small);
    struct bytes b = put_together(&parts, SNAP_MAJOR + 1, 0, sizeof(struct snap_header));
    assert_null(cando_catalog_open_copy(b.p, b.n, NULL, &err));
    assert_string_equal(err.code, "snapshot-newer");
    assert_int_equal(err.status, CANDO_BAD_INPUT);
    free(b.p);
    parts = take_apart(small);
    b = put_together(&parts, SNAP_MAJOR - 1, 0, sizeof(struct snap_header));
    assert_null(cando_catalog_open_copy(b.p, b.n, NULL, &err));
    assert_string_equal(err.code, "snapshot-bad");
    free(b.p);
}

/* The same, with so many more bytes in each record. */
static struct bytes longer(struct bytes b, uint32_t more)
{
    struct parts parts = take_apart(b);
    for (size_t i = 0; i < parts.n; i++) {
        struct part *p = &parts.part[i];
        if (p->stride <= 4)
            continue;
        size_t n = p->n / p->stride;
        unsigned char *wide = malloc(n * (p->stride + more) + 1);
        memset(wide, 0xAA, n * (p->stride + more) + 1);
        for (size_t k = 0; k < n; k++)
            memcpy(wide + k * (p->stride + more), p->p + k * p->stride, p->stride);
        free(p->p);
        p->p = wide;
        p->stride += more;
        p->n = n * p->stride;
    }
    return put_together(&parts, SNAP_MAJOR, SNAP_MINOR + 1, sizeof(struct snap_header));
}

static void test_longer_records(void **state)
{
    (void)state;
    for (uint32_t more = 4; more <= 12; more += 4)
        assert_same_answers(longer(small, more));
}

/* What is found in requests, a line each. */
static char *all_findings(const cando_catalog *cat, struct buf *out)
{
    static const struct {
        const char *provider, *model, *api, *text;
    } asked[] = {
        {"openai", "gpt-5", "openai-chat",
         "{\"model\":\"gpt-5\",\"temperature\":0,\"max_tokens\":9,"
         "\"messages\":[{\"role\":\"usr\",\"content\":[{\"type\":\"txt\"}]}],"
         "\"tools\":[{\"type\":\"function\","
         "\"function\":{\"name\":\"a b\",\"parameters\":{\"type\":\"objct\"}}}]}"},
        {"anthropic", "claude-opus-4-5", "anthropic-messages",
         "{\"model\":\"m\",\"max_tokens\":\"5\",\"mesages\":[],"
         "\"messages\":[{\"role\":\"system\",\"content\":\"hi\"},{\"role\":\"user\"}],"
         "\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":3}}"},
        {"google", "gemini-2.5-pro", "gemini",
         "{\"contents\":[{\"role\":\"assistant\",\"parts\":[{\"txt\":\"hi\"}]}],"
         "\"generationConfig\":{\"topK\":\"x\",\"candidateCount\":99}}"},
    };
    cando_report *r = cando_report_new(NULL, NULL);
    for (size_t i = 0; i < LENGTH(asked); i++) {
        const char *text = asked[i].text;
        cando_name name = {asked[i].model, asked[i].provider};
        const cando_target *t = cando_target_new(cat, name, 0, NULL, NULL);
        assert_non_null(t);
        assert_int_equal(cando_preflight(t, asked[i].api, text, strlen(text), false, r, NULL),
                         CANDO_OK);
        assert_true(cando_report_findings(r, NULL) > 1);
        for (size_t k = 0; k < cando_report_findings(r, NULL); k++) {
            char at[256];
            cando_report_pointer(r, k, at, sizeof at);
            buf_printf(out, "%s %s %s\n", asked[i].api, at, cando_report_finding(r, k).message);
        }
        cando_target_release(t);
    }
    cando_report_free(r);
    return buf_cstr(out);
}

/* Requests are read by the compiled paths: where their records are longer, as well. */
static void test_longer_requests(void **state)
{
    (void)state;
    const cando_catalog *ours = cando_catalog_builtin();
    struct bytes plain = bytes_of(ours->snap.data, ours->snap.size), b = longer(plain, 8);
    free(plain.p);
    const cando_catalog *theirs = cando_catalog_open_copy(b.p, b.n, NULL, NULL);
    assert_non_null(theirs);
    struct buf x, y;
    buf_init(&x, NULL, 1 << 20);
    buf_init(&y, NULL, 1 << 20);
    assert_string_equal(all_findings(theirs, &y), all_findings(ours, &x));
    buf_free(&x);
    buf_free(&y);
    cando_catalog_release(theirs);
    free(b.p);
}

/* Fields in another order, with three that we do not know, which every rule
 * and every finished profile sets. */
#define MORE_FIELDS 3

struct fields {
    unsigned to[CANDO_MAX_FIELDS]; /* our number -> the file's */
    unsigned n;
};

static uint32_t add_text(struct part *strings, const char *text)
{
    size_t len = strlen(text), at = strings->n;
    strings->p = realloc(strings->p, at + 2 + len + 1);
    strings->p[at] = (unsigned char)len;
    strings->p[at + 1] = 0;
    memcpy(strings->p + at + 2, text, len + 1);
    strings->n = at + 2 + len + 1;
    return (uint32_t)at + 2;
}

static void shuffle_fields(struct parts *parts, struct fields *f)
{
    struct part *rows = part_of(parts, SEC_FIELDS);
    struct rng r = {5};
    size_t size = rows->stride;
    unsigned old = (unsigned)(rows->n / size);
    f->n = old + MORE_FIELDS;
    for (unsigned i = 0; i < f->n; i++)
        f->to[i] = i;
    for (unsigned i = f->n - 1; i > 0; i--) {
        unsigned k = rng_below(&r, i + 1), t = f->to[i];
        f->to[i] = f->to[k];
        f->to[k] = t;
    }
    unsigned char *shuffled = calloc(f->n, size);
    for (unsigned i = 0; i < f->n; i++) {
        unsigned char *row = shuffled + f->to[i] * size;
        if (i < old) {
            memcpy(row, rows->p + i * size, size);
        } else { /* the last one has a name that we know, and another type */
            put32(row, add_text(part_of(parts, SEC_STRINGS), i == f->n - 1 ? "max_tools" : i == old ? "telepathy" : "levitation"));
            put32(row + 4, CANDO_FLAG);
        }
    }
    free(rows->p);
    rows->p = shuffled;
    rows->n = f->n * size;
}

static void shuffle_assigns(struct parts *parts, const struct fields *f)
{
    struct part *rules = part_of(parts, SEC_RULES), *assigns = part_of(parts, SEC_ASSIGNS);
    size_t n_rules = rules->n / rules->stride;
    unsigned char *all = malloc(assigns->n + n_rules * SNAP_ASSIGN_SIZE * 2), *to = all;
    for (size_t i = 0; i < n_rules; i++) {
        unsigned char *rule = rules->p + i * rules->stride;
        unsigned char *first = rule + offsetof(struct snap_rule_packed, assigns);
        unsigned char *count = rule + offsetof(struct snap_rule_packed, kinds);
        uint32_t n = count[0]; /* of 8 bits */
        const unsigned char *from = assigns->p + get32(first) * SNAP_ASSIGN_SIZE;
        put32(first, (uint32_t)((to - all) / SNAP_ASSIGN_SIZE));
        count[0] = (unsigned char)(n + 2);
        for (uint32_t k = 0; k < n + 2; k++, to += SNAP_ASSIGN_SIZE) {
            bool more = k == 0 || k == n + 1;
            const unsigned char *was = more ? NULL : from + (k - 1) * SNAP_ASSIGN_SIZE;
            put32(to, more ? VAL(VAL_FLAG, 1) : get32(was));
            to[4] = (unsigned char)f->to[more ? f->n - (k == 0 ? 2 : 1) : was[4]];
        }
    }
    free(assigns->p);
    assigns->p = all;
    assigns->n = (size_t)(to - all);
}

static size_t shuffle_record(const unsigned char *from, const struct fields *f, uint32_t *to)
{
    uint32_t value[CANDO_MAX_FIELDS], origin[CANDO_MAX_FIELDS], n = 0;
    bool set[CANDO_MAX_FIELDS] = {0};
    for (unsigned i = 0; i < CANDO_MAX_FIELDS; i++)
        n += get32(from + (RECORD_FIELDS + i / 32) * 4) >> (i % 32) & 1;
    for (unsigned i = 0, k = 0; i < CANDO_MAX_FIELDS; i++) {
        bool unknown = i + 1 == f->n;
        if (!unknown && !(get32(from + (RECORD_FIELDS + i / 32) * 4) >> (i % 32) & 1))
            continue;
        unsigned t = f->to[i];
        set[t] = true;
        value[t] = unknown ? VAL(VAL_FLAG, 1) : get32(from + (RECORD_HEAD + k) * 4);
        const unsigned char *rules = from + (RECORD_HEAD + n) * 4;
        const unsigned char *which = rules + RECORD_ORIGINS(get32(from)) * 4;
        origin[t] = unknown ? 0 : get32(rules + which[k] * 4);
        k += !unknown;
    }
    memset(to, 0, RECORD_HEAD * 4);
    size_t at = RECORD_HEAD, many = 0;
    for (unsigned t = 0; t < CANDO_MAX_FIELDS; t++)
        if (set[t]) {
            to[RECORD_FIELDS + t / 32] |= 1u << (t % 32);
            to[at++] = value[t];
        }
    for (unsigned t = 0; t < CANDO_MAX_FIELDS; t++)
        if (set[t]) {
            to[at + many] = origin[t]; /* one each: nobody says that they differ */
            many++;
        }
    to[0] = RECORD_IDENTITY(get32(from)) | (uint32_t)many << 8;
    to[RECORD_OWN] = get32(from + RECORD_OWN * 4);
    at += many;
    memset(to + at, 0, (many + 3) / 4 * 4);
    for (size_t i = 0; i < many; i++)
        to[at + i / 4] |= (uint32_t)i << (8 * (i % 4));
    return at + (many + 3) / 4;
}

static void shuffle_records(struct parts *parts, const struct fields *f)
{
    struct part *records = part_of(parts, SEC_RECORDS), *exact = part_of(parts, SEC_EXACT), *rows = part_of(parts, SEC_ROWS);
    size_t n = exact->n / exact->stride, words = 0;
    uint32_t *all = malloc((n + 1) * RECORD_MAX_WORDS * 4);
    for (size_t i = 0; i < n; i++) {
        unsigned char *row = exact->p + i * exact->stride + offsetof(struct snap_exact, record);
        if (get32(row) == SNAP_NONE)
            continue;
        size_t size = shuffle_record(records->p + get32(row) * 4, f, all + words);
        for (size_t k = 0; k < rows->n; k += rows->stride) { /* the same offering, packed */
            unsigned char *packed = rows->p + k, *x = exact->p + i * exact->stride;
            if (get32(packed + offsetof(struct snap_row, provider)) == get32(x + offsetof(struct snap_exact, provider)) &&
                get32(packed + offsetof(struct snap_row, key)) == get32(x + offsetof(struct snap_exact, key)))
                put32(packed + offsetof(struct snap_row, record), (uint32_t)words);
        }
        put32(row, (uint32_t)words);
        words += size;
    }
    free(records->p);
    records->p = (unsigned char *)all;
    records->n = words * 4;
    for (size_t i = 0; i < words; i++)
        put32(records->p + i * 4, all[i]);
}

static void test_other_fields(void **state)
{
    (void)state;
    struct parts parts = take_apart(small);
    struct fields f;
    shuffle_fields(&parts, &f);
    shuffle_assigns(&parts, &f);
    shuffle_records(&parts, &f);
    assert_same_answers(put_together(&parts, SNAP_MAJOR, SNAP_MINOR + 1, sizeof(struct snap_header)));
}

/* -- identical sources, identical bytes ------------------------------------------------------------- */

/* Moves every block at every chance, and fills it with rubbish. */
static void *restless(void *user, void *ptr, size_t old_size, size_t new_size)
{
    (void)user;
    unsigned char *p = new_size ? malloc(new_size + 16) : NULL;
    if (p) {
        memset(p, 0xA5, new_size);
        if (ptr)
            memcpy(p, ptr, old_size < new_size ? old_size : new_size);
    }
    free(ptr);
    return p;
}

static void assert_same_bytes(struct bytes a, struct bytes b)
{
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.p, b.p, a.n);
    free(a.p);
    free(b.p);
}

static void test_identical(void **state)
{
    (void)state;
    static const cando_allocator other_allocator = {restless, NULL};
    assert_same_bytes(bytes_of(small.p, small.n), build(small_sources(NULL)));
    assert_same_bytes(bytes_of(small.p, small.n), build(small_sources(&other_allocator)));
    cando_sources *s = small_sources(NULL);
    assert_int_equal(cando_sources_lint(s, NULL), CANDO_OK); /* judging changes nothing */
    assert_same_bytes(bytes_of(small.p, small.n), build(s));
}

static void test_identical_in_another_process(void **state)
{
    (void)state;
    int fd[2];
    assert_int_equal(pipe(fd), 0);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        void *shift = malloc(12345); /* other addresses */
        struct bytes b = build(small_sources(NULL));
        bool ok = shift && write(fd[1], b.p, b.n) == (ssize_t)b.n;
        free(shift);
        free(b.p);
        _exit(ok ? 0 : 1);
    }
    close(fd[1]);
    struct bytes b = {malloc(small.n + 1), 0};
    ssize_t got;
    while ((got = read(fd[0], b.p + b.n, small.n + 1 - b.n)) > 0)
        b.n += (size_t)got;
    close(fd[0]);
    int status;
    waitpid(child, &status, 0);
    assert_same_bytes(bytes_of(small.p, small.n), b);
}

static struct bytes build_generated(const struct gen *g, const cando_allocator *a)
{
    cando_sources *s = cando_sources_new(a, NULL);
    for (size_t i = 0; i < g->n_sources; i++)
        assert_int_equal(cando_sources_add(s, g->source[i].name, g->source[i].text, g->source[i].len,
                                           (cando_syntax)g->source[i].syntax, (cando_layer)g->source[i].layer, NULL), CANDO_OK);
    return build(s);
}

static void test_identical_random(void **state)
{
    (void)state;
    static const cando_allocator other_allocator = {restless, NULL};
    for (uint64_t seed = 1; seed <= rounds() / 30 + 1; seed++) {
        struct gen g;
        gen_make(&g, seed);
        assert_same_bytes(build_generated(&g, NULL), build_generated(&g, &other_allocator));
        gen_free(&g);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),
        cmocka_unit_test(test_each_byte),
        cmocka_unit_test(test_each_byte_signed),
        cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_taken_apart),
        cmocka_unit_test(test_newer_minor),
        cmocka_unit_test(test_other_major),
        cmocka_unit_test(test_longer_records),
        cmocka_unit_test(test_longer_requests),
        cmocka_unit_test(test_other_fields),
        cmocka_unit_test(test_identical),
        cmocka_unit_test(test_identical_in_another_process),
        cmocka_unit_test(test_identical_random),
    };
    return cmocka_run_group_tests(tests, make_small, free_small);
}
