/*
 * test_import_lists.c - the traps of Catwalk's list and of Mastra's registry.
 */
#include "facts_case.h"

static const char catwalk[] = "[{\"id\":\"acme\",\"models\":[{\"id\":\"m-1\",\"name\":\"M "
                              "1\",\"cost_per_1m_in\":0.5,\"cost_per_1m_out\":0,"
                              "\"cost_per_1m_in_cached\":9,\"cost_per_1m_out_cached\":8,\"context_"
                              "window\":131072,\"default_max_tokens\":4096,"
                              "\"can_reason\":true,\"reasoning_levels\":[\"low\"],\"supports_"
                              "attachments\":false},{\"name\":\"nameless\"}]},"
                              "{\"id\":\"openrouter\",\"models\":[{\"id\":\"lab/"
                              "new\",\"can_reason\":false}]},{\"id\":\"acme\"}]";

static const char mastra[] =
    "{\"providers\":{\"acme\":{\"models\":[\"m-1\",\"m-2\",7]},\"nobody\":{\"models\":[\"x\"]}},"
    "\"capabilities\":{\"acme\":{\"temperature\":[\"m-1\"],\"structuredOutput\":[\"m-2\"],"
    "\"attachment\":[\"m-1\"]}}}";

static void test_catwalk(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_CATWALK, 20260822, catwalk);
    facts_check_counts(&c, SRC_CATWALK, 4, 2);
#define SAID(field) facts_said(&c, SRC_CATWALK, "acme", "m-1", field)
    assert_string_equal(SAID("reasoning"), "native");
    assert_string_equal(SAID("input_image"), ""); /* a no is no word */
    assert_string_equal(SAID("reasoning_efforts"), "");
    assert_string_equal(SAID("context_window"), "131072");
    assert_string_equal(SAID("max_output"), "");
    assert_string_equal(SAID("model_kind"), "chat");
    assert_string_equal(facts_said(&c, SRC_CATWALK, "openrouter", "lab/new", "reasoning"), "");
#undef SAID
    for (size_t i = 0; i < c.im.n_claims; i++) {
        assert_true(c.im.claim[i].field != F_price || str_is(c.im.claim[i].key, "input_tokens") ||
                    (c.im.claim[i].flags & CLAIM_PLACEHOLDER));
        if (str_is(c.im.offering[c.im.claim[i].offering].provider, "openrouter"))
            assert_int_equal(c.im.claim[i].voice, SRC_OPENROUTER); /* its own list, later */
    }
    facts_end(&c);
}

static void test_mastra(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MASTRA, 20260822, mastra);
    facts_check_counts(&c, SRC_MASTRA, 4, 2);
    assert_string_equal(facts_said(&c, SRC_MASTRA, "acme", "m-1", "temperature"), "native");
    assert_string_equal(facts_said(&c, SRC_MASTRA, "acme", "m-1", "input_image"), "");
    assert_string_equal(facts_said(&c, SRC_MASTRA, "acme", "m-2", "temperature"), "");
    assert_string_equal(facts_said(&c, SRC_MASTRA, "acme", "m-2", "structured_output"), "native");
    for (size_t i = 0; i < c.im.n_claims; i++)
        assert_int_equal(c.im.claim[i].voice, SRC_MODELS_DEV);
    facts_end(&c);
}

static void test_no_lists(void **state)
{
    (void)state;
    static const char *const texts[] = {"{}", "[]", "7", "[{\"id\":1,\"models\":{}}]",
                                        "{\"providers\":[]}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct facts_case c;
        facts_begin(&c);
        facts_read(&c, SRC_CATWALK, 20260822, texts[i]);
        facts_read(&c, SRC_MASTRA, 20260822, texts[i]);
        assert_int_equal(c.im.n_claims, 0);
        facts_end(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_catwalk),
        cmocka_unit_test(test_mastra),
        cmocka_unit_test(test_no_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
