/*
 * test_policy.c - allow and deny lists and aliases, through the public functions.
 */

#include "test.h"

#include "cando.h"

static const char base[] = "schema = \"cando/rules@1\"\n"
                           "[[providers]]\nid = \"acme\"\naliases = [\"acme-cloud\"]\n"
                           "[[providers]]\nid = \"other\"\n"
                           "[[models]]\nprovider = \"acme\"\nid = \"Big-1\"\n"
                           "set = { tool_calling = \"native\", context_window = 1000, price = { input_tokens = \"3\" } }\n"
                           "[[models]]\nprovider = \"other\"\nid = \"small\"\n";

static cando_sources *sources(const char *user, const char *project)
{
    cando_sources *s = cando_sources_new(NULL, NULL);
    assert_non_null(s);
    assert_int_equal(cando_sources_add(s, "base.toml", base, strlen(base), CANDO_SYNTAX_CANDO, CANDO_LAYER_FACTS, NULL), CANDO_OK);
    const char *text[2] = {user, project};
    for (int i = 0; i < 2; i++) {
        char all[2000];
        if (!text[i])
            continue;
        strcpy(all, "schema = \"cando/rules@1\"\n");
        strcat(all, text[i]);
        assert_int_equal(cando_sources_add(s, i ? "cando.toml" : "user.toml", all, strlen(all), CANDO_SYNTAX_CANDO,
                                           i ? CANDO_LAYER_PROJECT : CANDO_LAYER_USER, NULL),
                         CANDO_OK);
    }
    return s;
}

static const cando_catalog *open_sources(cando_sources *s)
{
    const void *data;
    size_t size;
    cando_error err = {0};
    assert_int_equal(cando_sources_build(s, &data, &size, &err), CANDO_OK);
    const cando_catalog *c = cando_catalog_open_copy(data, size, NULL, &err);
    assert_non_null(c);
    cando_sources_free(s);
    return c;
}

static cando_policy policy(const cando_catalog *c, const char *provider, const char *model)
{
    return cando_catalog_policy(c, provider, strlen(provider), model, strlen(model));
}

static bool allowed(const cando_catalog *c, const char *provider, const char *model)
{
    return policy(c, provider, model).allowed;
}

static void test_without_lists(void **state)
{
    (void)state;
    const cando_catalog *c = open_sources(sources(NULL, NULL));
    assert_true(allowed(c, "acme", "big-1"));
    assert_true(allowed(c, "nobody", "nothing"));
    assert_null(policy(c, "acme", "big-1").list);
    cando_catalog_release(c);
}

static void test_deny(void **state)
{
    (void)state;
    const cando_catalog *c = open_sources(sources("[policy]\ndeny = [\"acme/big*\", \"other\"]\n", NULL));
    cando_policy p = policy(c, "ACME", "BIG-2");
    assert_false(p.allowed);
    assert_string_equal(p.list, "deny");
    assert_string_equal(p.pattern, "acme/big*");
    assert_string_equal(p.file, "user.toml");
    assert_int_equal(p.line, 3);
    assert_false(allowed(c, "acme-cloud", "big-1"));
    assert_true(allowed(c, "acme", "small"));
    assert_false(allowed(c, "other", "anything/at:all"));
    assert_true(allowed(c, "third", "x"));
    cando_catalog_release(c);
}

/* Deny reaches other spellings of a model; allow lets through what it says alone. */
static void test_spellings(void **state)
{
    (void)state;
    const cando_catalog *c = open_sources(sources("[policy]\ndeny = [\"acme/big-1\"]\n", NULL));
    assert_false(allowed(c, "acme", "big-1:free"));
    cando_catalog_release(c);
    c = open_sources(sources("[policy]\nallow = [\"acme/big-1\"]\n", NULL));
    assert_true(allowed(c, "acme", "Big-1"));
    assert_false(allowed(c, "acme", "big-1:free"));
    cando_catalog_release(c);
}

static void test_layers(void **state)
{
    (void)state;
    const cando_catalog *c = open_sources(sources("[policy]\nallow = [\"acme\"]\n", "[policy]\nallow = [\"*\"]\ndeny = [\"acme/x\"]\n"));
    assert_true(allowed(c, "acme", "y"));
    assert_false(allowed(c, "acme", "x"));
    assert_false(allowed(c, "other", "small"));
    assert_string_equal(policy(c, "other", "small").file, "user.toml");
    cando_catalog_release(c);
}

static void test_malformed_closes(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "policy = 1\n",
        "[policy]\nallow = \"acme\"\n",
        "[policy]\nallow = [\"acme\", 1]\n",
        "[policy]\ndeny = [\"\"]\n",
        "[policy]\ndeny = [\"x/\"]\n",
        "[policy]\ndeny = [\"[z-a\"]\n",
        "[policy]\nallow = [\"acme\"]\ndenied = []\n",
        "[policy]\nallow = [\"acme \"]\n",
        "[policy]\ndeny = [\"acme/{a,b}\"]\n",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        cando_sources *s = sources(bad[i], "[policy]\nallow = [\"*\"]\n");
        assert_int_equal(cando_sources_count(s, CANDO_ERROR), 1);
        for (size_t k = 0; k < cando_sources_findings(s); k++)
            if (cando_sources_finding(s, k).severity == CANDO_ERROR)
                assert_string_equal(cando_sources_finding(s, k).code, "policy-malformed");
        const cando_catalog *c = open_sources(s);
        assert_false(allowed(c, "acme", "big-1"));
        assert_string_equal(policy(c, "acme", "big-1").list, "closed");
        assert_false(allowed(c, "nobody", "x"));
        cando_catalog_release(c);
    }
}

static void test_models(void **state)
{
    (void)state;
    const cando_catalog *c = open_sources(sources(NULL, "[aliases]\n\"azure/Mine\" = \"acme/big-1\"\n"));
    assert_int_equal(cando_catalog_models(c), 3);
    assert_string_equal(cando_catalog_model(c, 0).provider, "acme");
    assert_string_equal(cando_catalog_model(c, 0).id, "Big-1");
    assert_string_equal(cando_catalog_model(c, 1).id, "Mine");
    assert_string_equal(cando_catalog_model(c, 2).id, "small");
    assert_null(cando_catalog_model(c, 3).provider);
    cando_catalog_release(c);
}

static cando_profile resolve(const cando_catalog *c, const char *provider, const char *model, cando_resolution how)
{
    cando_profile p;
    assert_int_equal(cando_resolve_parts(c, provider, strlen(provider), model, strlen(model), how, &p, NULL), CANDO_OK);
    return p;
}

/* All but the price is taken over, whichever way is asked; what is said of the
 * offering itself stands. */
static void test_alias(void **state)
{
    (void)state;
    const cando_catalog *c = open_sources(sources(
        NULL, "[aliases]\n\"azure/mine\" = \"acme/big-1\"\n\"azure/two\" = \"acme-cloud/BIG-1\"\n"
              "[[models]]\nprovider = \"azure\"\nid = \"two\"\nset = { context_window = 5, price = { input_tokens = \"9\" } }\n"));
    cando_field tools = cando_field_find("tool_calling"), window = cando_field_find("context_window"), price = cando_field_find("price");
    for (int how = CANDO_AS_WRITTEN; how <= CANDO_FIRST_MATCH; how++) {
        cando_profile p = resolve(c, "azure", "MINE", (cando_resolution)how);
        assert_int_equal(p.identity, CANDO_BY_ALIAS);
        assert_string_equal(p.canonical, "acme/big-1");
        assert_int_equal(cando_profile_get(&p, tools).support, CANDO_NATIVE);
        assert_int_equal(cando_profile_get(&p, window).number, 1000);
        assert_false(cando_profile_get(&p, price).known);
        p = resolve(c, "azure", "two", (cando_resolution)how);
        assert_int_equal(cando_profile_get(&p, tools).support, CANDO_NATIVE);
        assert_int_equal(cando_profile_get(&p, window).number, 5);
        cando_value v = cando_profile_get(&p, price);
        assert_string_equal(cando_value_item(&v, 0), "input_tokens=9");
        p = resolve(c, "acme", "big-1:free", (cando_resolution)how); /* nor across spellings */
        assert_int_equal(p.identity, CANDO_BY_ALIAS);
        assert_int_equal(cando_profile_get(&p, window).number, 1000);
        assert_false(cando_profile_get(&p, price).known);
    }
    cando_catalog_release(c);
}

/* A catalog that is built on says the same as one that was built at once. */
static void test_built_on(void **state)
{
    (void)state;
    const cando_catalog *c = open_sources(
        sources("[policy]\nallow = [\"acme-c*\", \"azure\"]\ndeny = [\"*/{x,y}*\"]\n", "[aliases]\n\"azure/Mine\" = \"acme/big-1\"\n"));
    cando_sources *s = cando_sources_new(NULL, NULL);
    assert_int_equal(cando_sources_add_catalog(s, c, 0, NULL), CANDO_OK);
    const cando_catalog *again = open_sources(s);
    assert_true(allowed(again, "acme", "z"));
    assert_false(allowed(again, "acme", "x"));
    assert_false(allowed(again, "other", "small"));
    assert_string_equal(policy(again, "other", "small").file, "user.toml");
    assert_string_equal(cando_catalog_model(again, 1).id, "Mine");
    cando_profile p = resolve(again, "azure", "mine", CANDO_AS_WRITTEN);
    assert_string_equal(p.canonical, "acme/big-1");
    s = cando_sources_new(NULL, NULL);
    assert_int_equal(cando_sources_add_catalog(s, c, 1u << CANDO_LAYER_USER | 1u << CANDO_LAYER_FACTS, NULL), CANDO_OK);
    const cando_catalog *less = open_sources(s);
    assert_true(allowed(less, "other", "small"));
    assert_int_equal(cando_catalog_models(less), 1); /* the alias alone */
    cando_catalog_release(less);
    cando_catalog_release(again);
    cando_catalog_release(c);
}

static void test_forget(void **state)
{
    (void)state;
    cando_sources *s = sources(NULL, NULL);
    assert_int_equal(cando_sources_forget(s, "Acme", "BIG-1", NULL), CANDO_OK);
    assert_int_equal(cando_sources_forget(s, "acme", "never", NULL), CANDO_OK);
    const cando_catalog *c = open_sources(s);
    assert_int_equal(cando_catalog_models(c), 1);
    assert_string_equal(cando_catalog_model(c, 0).id, "small");
    cando_catalog_release(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_lists), cmocka_unit_test(test_deny),   cmocka_unit_test(test_spellings),
        cmocka_unit_test(test_layers),        cmocka_unit_test(test_malformed_closes), cmocka_unit_test(test_models),
        cmocka_unit_test(test_alias),         cmocka_unit_test(test_built_on), cmocka_unit_test(test_forget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
