/*
 * test_catalog.c - catalogs as objects: opening, sharing, and the identity of
 * what is asked for.
 */
#define _POSIX_C_SOURCE 200809L
#include "catalog_case.h"

#include "base/limits.h"
#include "rules/sources.h"

#include <unistd.h>

static const char rules[] = "[[providers]]\nid = \"p\"\naliases = [\"pa\"]\n[[models]]\nprovider = "
                            "\"pa\"\nid = \"m\"\nset = { max_tools = 1 }\n"
                            "[[rules]]\nmatch = \"x*\"\nset = { max_tools = 2 }\n";

static void test_references(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(rules);
    struct failing memory = {0};
    cando_allocator a = {failing_resize, &memory};
    const cando_catalog *own = cando_catalog_open_copy(c->snap.data, c->snap.size, &a, NULL);
    assert_non_null(own);
    assert_true(memory.live >= c->snap.size);
    assert_ptr_equal(cando_catalog_retain(own), own);
    cando_catalog_release(own);
    assert_int_equal(case_resolve(own, "p", "m", CANDO_AS_WRITTEN).identity, CANDO_BY_EXACT);
    cando *engine = cando_new(own, &a, NULL);
    cando_catalog_release(own);
    const cando_catalog *got = cando_get_catalog(engine);
    assert_ptr_equal(got, own);
    cando_set_catalog(engine, NULL);
    assert_int_equal(case_resolve(got, "p", "m", CANDO_AS_WRITTEN).identity, CANDO_BY_EXACT);
    cando_catalog_release(got);
    cando_free(engine);
    assert_int_equal(memory.live, 0);
    cando_catalog_release(NULL);
    assert_null(cando_catalog_retain(NULL));
    cando_free(NULL);
    cando_catalog_release(c);
}

static void test_builtin(void **state)
{
    (void)state;
    const cando_catalog *c = cando_catalog_builtin();
    assert_non_null(c);
    for (int i = 0; i < 3; i++)
        cando_catalog_release(c); /* does nothing */
    assert_ptr_equal(cando_catalog_builtin(), c);
    cando_profile p = case_resolve(c, "nobody", "no-such-model", CANDO_AS_WRITTEN);
    assert_true(p.identity <= CANDO_BY_FAMILY);
    if (c->snap.size) /* it is opened without the checks; here they are */
        assert_int_equal(snapshot_check(&c->snap, NULL), CANDO_OK);
}

static void test_describe(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(rules);
    cando_catalog_info info;
    cando_catalog_describe(c, &info);
    assert_int_equal(info.format_version, SNAP_MAJOR);
    assert_int_equal(info.models, 1);
    assert_int_equal(info.rules, 1);
    assert_int_equal(info.providers, 1);
    assert_int_equal(info.fields, FIELD_COUNT);
    assert_int_equal(info.bytes, c->snap.size);
    const cando_catalog *other =
        case_catalog("[[rules]]\nmatch = \"x*\"\nset = { max_tools = 3 }\n");
    cando_catalog_info info2;
    cando_catalog_describe(other, &info2);
    assert_true(info.source_hash != info2.source_hash);
    assert_string_equal(cando_version(), CANDO_VERSION);
    cando_catalog_release(other);
    cando_catalog_release(c);
}

/* Facts of models are no rules, whichever there are more of. */
static void test_describe_counts(void **state)
{
    (void)state;
    cando_catalog_info info;
    const cando_catalog *c =
        case_catalog("[[providers]]\nid = \"p\"\n[[rules]]\nmatch = \"a*\"\nset = { seed = true }\n"
                     "[[rules]]\nmatch = \"b*\"\nset = { seed = true }\n"
                     "[[rules]]\nmatch = \"c*\"\nset = { seed = true }\n"
                     "[[models]]\nprovider = \"p\"\nid = \"m\"\nset = { seed = true }\n");
    cando_catalog_describe(c, &info);
    assert_int_equal(info.rules, 3);
    assert_int_equal(info.models, 1);
    cando_catalog_release(c);
}

/* A snapshot may be of a writer that did not know a field, or called it otherwise. */
static void test_unknown_field(void **state)
{
    (void)state;
    const cando_catalog *c =
        case_catalog("[[providers]]\nid = \"p\"\n[[models]]\nprovider = \"p\"\nid = \"m\"\n"
                     "set = { seed = true, max_tools = 5 }\n");
    const struct snap_view *fields = &c->snap.sec[SEC_FIELDS];
    unsigned char *copy = malloc(c->snap.size);
    memcpy(copy, c->snap.data, c->snap.size);
    put32(copy + (fields->p - c->snap.data) + F_seed * fields->stride +
              offsetof(struct snap_field, name),
          snap_provider(&c->snap, 0).id);
    put64(copy + offsetof(struct snap_header, checksum), snapshot_checksum(copy, c->snap.size));
    cando_error err = {0};
    const cando_catalog *other = cando_catalog_open_copy(copy, c->snap.size, NULL, &err);
    if (!other)
        fail_msg("%s", err.message);
    cando_profile p = case_resolve(other, "p", "m", CANDO_AS_WRITTEN);
    uint32_t value, origin;
    assert_false(profile_raw(&p, F_seed, &value, &origin));
    assert_false(case_get(&p, F_seed).known);
    assert_int_equal(case_get(&p, F_max_tools).number, 5);
    cando_catalog_release(other);
    cando_catalog_release(c);
    free(copy);
}

/* Who has room for fewer sources gets the first ones, with all that they said. */
static void test_sources(void **state)
{
    (void)state;
    const cando_catalog *c = cando_catalog_builtin();
    cando_catalog_source all[64];
    size_t n = cando_catalog_sources(c, all, 64);
    assert_in_range(n, 2, 63);
    for (size_t max = 0; max <= n; max++) {
        cando_catalog_source *some = malloc(max ? max * sizeof *some : 1);
        assert_non_null(some);
        assert_int_equal(cando_catalog_sources(c, some, max), max);
        for (size_t i = 0; i < max; i++) {
            assert_string_equal(some[i].url, all[i].url);
            assert_string_equal(some[i].checked, all[i].checked);
            assert_int_equal(some[i].models, all[i].models);
        }
        free(some);
    }
}

static void test_open(void **state)
{
    (void)state;
    cando_error err;
    const cando_catalog *c = case_catalog(rules);
    const cando_catalog *same = cando_catalog_open(c->snap.data, c->snap.size, NULL, &err);
    assert_non_null(same);
    assert_ptr_equal(same->snap.data, c->snap.data); /* in place */
    cando_catalog_release(same);
    unsigned char *odd = malloc(c->snap.size + 1);
    memcpy(odd + 1, c->snap.data, c->snap.size);
    assert_null(cando_catalog_open(odd + 1, c->snap.size, NULL, &err)); /* not aligned */
    assert_string_equal(err.code, "snapshot-bad");
    same = cando_catalog_open_copy(odd + 1, c->snap.size, NULL, &err); /* a copy is */
    assert_non_null(same);
    cando_catalog_release(same);
    free(odd);
    assert_null(cando_catalog_open(c->snap.data, (size_t)LIMIT_SNAPSHOT_BYTES + 1, NULL, &err));
    assert_string_equal(err.code, "too-long");
    assert_null(cando_catalog_open_copy("", 0, NULL, &err));
    assert_string_equal(err.code, "snapshot-bad");
    assert_null(cando_catalog_open_copy("", 0, NULL, NULL));
    cando_catalog_release(c);
}

static void test_open_file(void **state)
{
    (void)state;
    cando_error err;
    char path[] = "/tmp/cando-test-catalog-XXXXXX";
    const cando_catalog *c = case_catalog(rules);
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, c->snap.data, c->snap.size), c->snap.size);
    struct failing memory = {0};
    cando_allocator a = {failing_resize, &memory};
    const cando_catalog *file = cando_catalog_open_file(path, &a, &err);
    assert_non_null(file);
    assert_int_equal(ftruncate(fd, 0), 0); /* whatever becomes of the file, */
    unlink(path);                          /* what is open stays readable */
    assert_int_equal(case_resolve(file, "p", "m", CANDO_AS_WRITTEN).identity, CANDO_BY_EXACT);
    cando_catalog_release(file);
    assert_int_equal(memory.live, 0);
    assert_null(cando_catalog_open_file(path, &a, &err));
    assert_string_equal(err.code, "io");
    assert_string_equal(err.at, path);
    assert_int_equal(memory.live, 0);
    close(fd);
    cando_catalog_release(c);
}

/* What a text is taken for: a snapshot by its first bytes, be there no more of it; else rules. */
static void test_sources_add(void **state)
{
    (void)state;
    cando_error err;
    char *large = calloc(1, (size_t)LIMIT_TOML_BYTES + 1);
    assert_non_null(large);
    memset(large, '\n', (size_t)LIMIT_TOML_BYTES + 1);
    cando_sources *s = cando_sources_new(NULL, &err);
    assert_non_null(s);
    for (size_t n = 0; n <= sizeof snap_magic; n++) {
        cando_status st = cando_sources_add(s, "x", (const char *)snap_magic, n, CANDO_SYNTAX_CANDO,
                                            CANDO_LAYER_FAMILY, &err);
        assert_int_equal(st, n < sizeof snap_magic ? CANDO_OK : CANDO_BAD_INPUT);
    }
    assert_string_equal(err.code, "snapshot-bad");
    assert_string_equal(err.at, "x");
    assert_int_equal(cando_sources_add(s, NULL, large, (size_t)LIMIT_TOML_BYTES + 1,
                                       CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY, &err),
                     CANDO_BAD_INPUT);
    assert_string_equal(err.code, "toml-size");
    assert_int_equal(cando_sources_add(s, NULL, large, LIMIT_TOML_BYTES, CANDO_SYNTAX_CANDO,
                                       CANDO_LAYER_FAMILY, &err),
                     CANDO_OK);
    assert_int_equal(cando_sources_add(s, "x", "", 0, (cando_syntax)99, CANDO_LAYER_FAMILY, &err),
                     CANDO_BAD_QUESTION);
    assert_int_equal(cando_sources_add(s, "x", "", 0, CANDO_SYNTAX_CANDO, CANDO_LAYER_COUNT, &err),
                     CANDO_BAD_QUESTION);
    assert_int_equal(cando_sources_add(s, "x", "", 0, CANDO_SYNTAX_HARN,
                                       (cando_layer)(CANDO_LAYER_COUNT - 1), &err),
                     CANDO_OK);
    cando_sources_free(s);
    free(large);
}

static void test_limits(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(rules);
    char name[LIMIT_NAME_BYTES + 1];
    cando_profile p;
    cando_error err;
    memset(name, 'x', sizeof name);
    assert_int_equal(cando_resolve_parts(c, name, LIMIT_NAME_BYTES, name, LIMIT_NAME_BYTES,
                                         CANDO_AS_WRITTEN, &p, &err),
                     CANDO_OK);
    assert_int_equal(case_get(&p, F_max_tools).number, 2);
    assert_int_equal(cando_resolve_parts(c, "p", 1, name, sizeof name, CANDO_AS_WRITTEN, &p, &err),
                     CANDO_BAD_QUESTION);
    assert_string_equal(err.code, "too-long");
    assert_int_equal(cando_resolve_parts(c, name, sizeof name, "m", 1, CANDO_LAYERED, &p, &err),
                     CANDO_BAD_QUESTION);
    assert_int_equal(cando_resolve_parts(c, "p", 1, "m", 1, (cando_resolution)3, &p, &err),
                     CANDO_BAD_QUESTION);
    assert_int_equal(cando_resolve_parts(c, "p", 1, "m", 1, (cando_resolution)-1, &p, NULL),
                     CANDO_BAD_QUESTION);
    /* by its name */
    static const char *const wrong[] = {"", "m", "/m", ":m"};
    assert_int_equal(cando_resolve(c, "p/m", &p, &err), CANDO_OK);
    assert_int_equal(case_get(&p, F_max_tools).number, 1);
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_int_equal(cando_resolve(c, wrong[i], &p, &err), CANDO_BAD_QUESTION);
        assert_string_equal(err.code, "unknown-target");
        assert_int_equal(cando_resolve(c, wrong[i], &p, NULL), CANDO_BAD_QUESTION);
    }
    assert_int_equal(cando_resolve(c, NULL, &p, &err), CANDO_BAD_QUESTION);
    cando_catalog_release(c);
}

/* A fact row under another spelling answers, in every way to resolve. */
static void test_alias(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(
        "[[providers]]\nid = \"p\"\n[[labs]]\nid = \"meta\"\nfamilies = [\"llama\"]\nmodels = "
        "[\"llama-3.3-70b\"]\n"
        "[spellings]\n\"p:other-name\" = \"meta/llama-3.3-70b\"\n"
        "[[models]]\nprovider = \"p\"\nid = \"llama-3.3-70b\"\nset = { max_tools = 5 }\n"
        "[[rules]]\nmatch = \"other*\"\non = \"id\"\nset = { max_tools = 6 }\n");
    for (int how = 0; how < 3; how++) {
        cando_profile p = case_resolve(c, "p", "Other-Name", (cando_resolution)how);
        assert_int_equal(p.identity, CANDO_BY_ALIAS);
        assert_string_equal(p.canonical, "llama-3.3-70b");
        assert_int_equal(case_get(&p, F_max_tools).number, 5);
        p = case_resolve(c, "p", "llama-3.3-70b:free", (cando_resolution)how);
        assert_int_equal(p.identity, CANDO_BY_ALIAS);
        p = case_resolve(c, "p", "llama-3.3-70b", (cando_resolution)how);
        assert_int_equal(p.identity, CANDO_BY_EXACT);
        assert_null(p.canonical);
        p = case_resolve(c, "q", "llama-3.3-70b",
                         (cando_resolution)how); /* facts belong to one provider */
        assert_int_equal(p.identity, CANDO_BY_DEFAULT);
    }
    cando_catalog_release(c);
}

/* -- catalogs that are read back into rules ------------------------------------------------- */

static const cando_catalog *with_overlay(const cando_catalog *base, const char *text)
{
    cando_sources *s = cando_sources_new(NULL, NULL);
    assert_int_equal(sources_add_catalog(s, base, NULL), CANDO_OK);
    assert_int_equal(sources_add_catalog(s, base, NULL), CANDO_INTERNAL); /* once */
    assert_int_equal(cando_sources_add(s, "over.toml", text, strlen(text), CANDO_SYNTAX_CANDO,
                                       CANDO_LAYER_PROJECT, NULL),
                     CANDO_OK);
    return case_open(s);
}

/* An overlay that declares a provider anew adds to it, and takes nothing away. */
static void test_overlay_provider(void **state)
{
    (void)state;
    const cando_catalog *base = case_catalog(
        "[[providers]]\nid = \"p\"\naliases = [\"pa\"]\ndialect = \"gemini\"\n[[rules]]\ndialects "
        "= \"gemini\"\nmatch = \"*\"\nset = { max_tools = 1 }\n"
        "[[rules]]\nproviders = \"later\"\nmatch = \"*\"\nset = { max_output = 1 }\n");
    const cando_catalog *c = with_overlay(
        base, "schema = \"cando/rules@1\"\n[[providers]]\nid = \"p\"\naliases = [\"pb\"]\n"
              "[[providers]]\nid = \"q\"\naliases = [\"later\"]\n");
    static const char *const names[] = {"p", "pa", "pb"};
    for (int i = 0; i < 3; i++) {
        cando_profile p = case_resolve(c, names[i], "m", CANDO_AS_WRITTEN);
        assert_true(case_get(&p, F_max_tools).known);
    }
    cando_profile p =
        case_resolve(c, "q", "m", CANDO_AS_WRITTEN); /* a name in a scope may become an alias */
    assert_true(case_get(&p, F_max_output).known);
    cando_catalog_release(c);
    c = with_overlay(
        base, "schema = \"cando/rules@1\"\n[[providers]]\nid = \"p\"\ndialect = \"openai-chat\"\n");
    p = case_resolve(c, "p", "m", CANDO_AS_WRITTEN);
    assert_false(case_get(&p, F_max_tools).known);
    cando_catalog_release(c);
    cando_catalog_release(base);
}

static void test_overlay_identities(void **state)
{
    (void)state;
    const cando_catalog *base = case_catalog(
        "[[providers]]\nid = \"p\"\n[spellings]\n\"p:x\" = \"lab/a\"\n[[models]]\nprovider = "
        "\"p\"\nid = \"a\"\n[[models]]\nprovider = \"p\"\nid = \"b\"\n");
    const cando_catalog *c =
        with_overlay(base, "schema = \"cando/rules@1\"\n[spellings]\n\"p:x\" = \"lab/b\"\n");
    assert_string_equal(case_resolve(base, "p", "x", CANDO_AS_WRITTEN).canonical, "a");
    assert_string_equal(case_resolve(c, "p", "x", CANDO_AS_WRITTEN).canonical, "b");
    cando_catalog_release(c);
    cando_catalog_release(base);
}

/* One alternative of the glob is the empty text, and stays it. */
static void test_import_empty_alternative(void **state)
{
    (void)state;
    const cando_catalog *base =
        case_catalog("[[rules]]\nmatch = \"{,a*}\"\non = \"id\"\nset = { max_tools = 1 }\n");
    const cando_catalog *c = with_overlay(base, "schema = \"cando/rules@1\"\n");
    static const char *const ids[] = {"", "a", "b", "{,a*}"};
    for (int i = 0; i < 4; i++) {
        cando_profile p = case_resolve(base, "", ids[i], CANDO_AS_WRITTEN),
                      q = case_resolve(c, "", ids[i], CANDO_AS_WRITTEN);
        assert_int_equal(case_get(&p, F_max_tools).known, i < 2);
        assert_int_equal(case_get(&q, F_max_tools).known, i < 2);
    }
    cando_catalog_release(c);
    cando_catalog_release(base);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_references),
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_describe),
        cmocka_unit_test(test_describe_counts),
        cmocka_unit_test(test_unknown_field),
        cmocka_unit_test(test_sources),
        cmocka_unit_test(test_open),
        cmocka_unit_test(test_open_file),
        cmocka_unit_test(test_sources_add), cmocka_unit_test(test_limits),
        cmocka_unit_test(test_alias),
        cmocka_unit_test(test_overlay_provider),
        cmocka_unit_test(test_overlay_identities),
        cmocka_unit_test(test_import_empty_alternative),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
