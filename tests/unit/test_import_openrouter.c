/*
 * test_import_openrouter.c - the traps of OpenRouter's list.
 */
#include "facts_case.h"

static const char file[] =
    "{\"data\":[{\"id\":\"a/m\",\"name\":\"A: M\",\"created\":1785858831,\"context_length\":131072,\"knowledge_cutoff\":null,"
    "\"architecture\":{\"input_modalities\":[\"text\",\"file\"],\"output_modalities\":[\"text\"]},"
    "\"top_provider\":{\"max_completion_tokens\":null},\"supported_parameters\":[\"tools\",\"seed\",\"temperature\"],"
    "\"reasoning\":{\"supported_efforts\":[\"high\",\"low\"]},"
    "\"pricing\":{\"prompt\":\"0.0000015\",\"completion\":\"0.0000075\",\"input_cache_write\":\"0.0000000833333333333333\",\"image\":\"0.0000015\","
    "\"web_search\":\"0.014\",\"overrides\":[{\"min_prompt_tokens\":200000,\"prompt\":\"0.000003\"}]}},"
    "{\"id\":\"a/m:free\",\"context_length\":0,\"pricing\":{\"prompt\":\"0\",\"completion\":\"0\"},\"supported_parameters\":[]},"
    "{\"id\":\"openrouter/auto\",\"context_length\":2000000,\"pricing\":{\"prompt\":\"-1\",\"completion\":\"-1\"}},"
    "{\"context_length\":1},\"text\",{\"id\":\"odd\",\"pricing\":{\"prompt\":\"cheap\"}}]}";

#define SAID(model, field) facts_said(&c, SRC_OPENROUTER, "openrouter", model, field)

static void test_fields(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_OPENROUTER, 20260805, file);
    assert_string_equal(SAID("a/m", "context_window"), "131072");
    assert_string_equal(SAID("a/m", "max_output"), "");
    assert_string_equal(SAID("a/m", "tool_calling"), "native");
    assert_string_equal(SAID("a/m", "structured_output"), "unsupported"); /* a telling absence */
    assert_string_equal(SAID("a/m", "logprobs"), "");                     /* one that tells nothing */
    assert_string_equal(SAID("a/m", "seed"), "native");
    assert_string_equal(SAID("a/m", "input_pdf"), "native");
    assert_string_equal(SAID("a/m", "reasoning_efforts"), "low high");
    assert_string_equal(SAID("a/m", "release_date"), "2026-08-04");
    assert_string_equal(SAID("a/m:free", "tool_calling"), ""); /* an empty list says nothing */
    facts_check_counts(&c, SRC_OPENROUTER, 6, 4);
    assert_int_equal(facts_skipped(&c, SRC_OPENROUTER, SKIP_NO_ID), 1);
    assert_int_equal(facts_skipped(&c, SRC_OPENROUTER, SKIP_BAD_RECORD), 1);
    assert_int_equal(c.im.count[SRC_OPENROUTER].bad_values, 1);
    facts_end(&c);
}

static void test_prices(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_OPENROUTER, 20260805, file);
    assert_string_equal(SAID("a/m", "price.input_tokens"), "1.5");
    assert_string_equal(SAID("a/m", "price.output_tokens"), "7.5");
    assert_string_equal(SAID("a/m", "price.cache_write_tokens"), "0.0833333333333333");
    assert_string_equal(SAID("a/m", "price.input_image_tokens"), "1.5");
    assert_string_equal(SAID("a/m", "price.web_searches"), "14");
    assert_string_equal(SAID("a/m", "price.input_tokens >200000"), "3");
    assert_string_equal(SAID("openrouter/auto", "price.input_tokens"), ""); /* -1: it depends */
    facts_merge(&c);
    assert_string_equal(facts_row(&c, "openrouter", "a/m:free", "price.input_tokens"), "0"); /* free is a price */
    assert_string_equal(facts_row(&c, "openrouter", "a/m:free", "context_window"), "");
    facts_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_fields), cmocka_unit_test(test_prices)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
