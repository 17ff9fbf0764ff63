/*
 * test_import_genai.c - the traps of genai-prices' file.
 */
#include "facts_case.h"

static const char file[] =
    "[{\"id\":\"openai\",\"models\":["
    "{\"id\":\"gpt-x\",\"name\":\"GPT X\",\"match\":{\"or\":[{\"equals\":\"gpt-x\"},{\"equals\":\"gpt-ex\"},{\"regex\":\"^gpt-x-.*$\"}]},"
    "\"context_window\":400000,\"prices\":{\"input_mtok\":{\"base\":1.25,\"tiers\":[{\"start\":200000,\"price\":2.5}]},\"output_mtok\":10,"
    "\"web_searches_kcount\":10,\"requests_kcount\":5,\"wishes_mtok\":1}},"
    "{\"id\":\"dated\",\"match\":{\"equals\":\"dated\"},\"prices\":[{\"prices\":{\"input_mtok\":10}},"
    "{\"constraint\":{\"start_date\":\"2025-06-10\"},\"prices\":{\"input_mtok\":2}},"
    "{\"constraint\":{\"start_date\":\"2026-12-01\"},\"prices\":{\"input_mtok\":3}}]},"
    "{\"id\":\"night\",\"match\":{\"equals\":\"night\"},\"prices\":[{\"prices\":{\"input_mtok\":0.135}},"
    "{\"constraint\":{\"start_time\":\"00:30:00Z\",\"end_time\":\"16:30:00Z\"},\"prices\":{\"input_mtok\":0.27}}]},"
    "{\"id\":\"regional.gpt-x\",\"match\":{\"contains\":\"us.gpt-x\"},\"prices\":{\"input_mtok\":9}},"
    "{\"id\":\"known\",\"match\":{\"starts_with\":\"known\"},\"prices\":{\"input_mtok\":4}}]},"
    "{\"id\":\"google\",\"models\":[{\"id\":\"claude-y\",\"match\":{\"equals\":\"claude-y\"},\"prices\":{\"input_mtok\":1}}]},"
    "{\"id\":\"huggingface_nebius\",\"models\":[{\"id\":\"a/m\",\"match\":{\"equals\":\"a/m\"},\"prices\":{\"input_mtok\":1}}]},"
    "{\"models\":[]}]";

#define SAID(provider, model, field) facts_said(&c, SRC_GENAI_PRICES, provider, model, field)

static void test_prices(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_GENAI_PRICES, 20260821, file);
    assert_string_equal(SAID("openai", "gpt-x", "price.input_tokens"), "1.25");
    assert_string_equal(SAID("openai", "gpt-x", "price.input_tokens >200000"), "2.5");
    assert_string_equal(SAID("openai", "gpt-x", "price.web_searches"), "10");
    assert_string_equal(SAID("openai", "gpt-x", "price.requests"), "5");
    assert_string_equal(SAID("openai", "gpt-x", "context_window"), "400000");
    assert_int_equal(c.im.count[SRC_GENAI_PRICES].bad_values, 2); /* the unknown unit, under two ids */
    facts_end(&c);
}

/* What was replaced is gone, what is to come has its day, hours are kept. */
static void test_dates_and_hours(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_GENAI_PRICES, 20260821, file);
    assert_string_equal(SAID("openai", "dated", "price.input_tokens"), "2");
    assert_string_equal(SAID("openai", "dated", "price.input_tokens from=2026-12-01"), "3");
    assert_string_equal(SAID("openai", "night", "price.input_tokens"), "0.135");
    assert_string_equal(SAID("openai", "night", "price.input_tokens time=00:30-16:30"), "0.27");
    facts_end(&c);
}

/* A pattern is no model, unless somebody lists its id. */
static void test_patterns(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_GENAI_PRICES, 20260821, file);
    facts_read(&c, SRC_OPENAI, 20260805, "{\"data\":[{\"id\":\"known\"}]}");
    facts_merge(&c);
    facts_check_counts(&c, SRC_GENAI_PRICES, 8, 6);
    assert_int_equal(facts_skipped(&c, SRC_GENAI_PRICES, SKIP_PATTERN), 1);
    assert_int_equal(facts_skipped(&c, SRC_GENAI_PRICES, SKIP_BAD_RECORD), 1);
    assert_string_equal(facts_row(&c, "openai", "known", "price.input_tokens"), "4");
    assert_string_equal(facts_row(&c, "openai", "regional.gpt-x", "price.input_tokens"), "");
    assert_string_equal(facts_row(&c, "openai", "gpt-ex", "price.input_tokens"), ""); /* a spelling, not an id */
    assert_string_equal(facts_row(&c, "google-vertex", "claude-y", "price.input_tokens"), "1");
    assert_string_equal(facts_row(&c, "huggingface", "a/m:nebius", "price.input_tokens"), "1");
    facts_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_prices),
        cmocka_unit_test(test_dates_and_hours),
        cmocka_unit_test(test_patterns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
