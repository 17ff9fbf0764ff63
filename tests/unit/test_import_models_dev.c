/*
 * test_import_models_dev.c - the traps of models.dev's file.
 */
#include "facts_case.h"

static const char file[] =
    "{\"openai\":{\"id\":\"openai\",\"models\":{"
    "\"gpt-x\":{\"id\":\"gpt-x\",\"name\":\"GPT X\",\"family\":\"gpt\",\"reasoning\":true,\"tool_call\":true,\"temperature\":false,"
    "\"reasoning_options\":[{\"type\":\"effort\",\"values\":[\"high\",\"low\",\"default\",null]},{\"type\":\"budget_tokens\",\"max\":4096}],"
    "\"release_date\":\"2026-03-05\",\"knowledge\":\"2025-08\",\"modalities\":{\"input\":[\"text\",\"pdf\"],\"output\":[\"text\"]},"
    "\"open_weights\":false,\"limit\":{\"context\":1050000,\"input\":922000,\"output\":128000},\"status\":\"beta\","
    "\"experimental\":{\"modes\":{\"fast\":{\"cost\":{\"input\":5,\"output\":30},\"provider\":{\"body\":{\"service_tier\":\"priority\"}}}}},"
    "\"cost\":{\"input\":2.5,\"output\":15,\"cache_read\":0.25,\"tiers\":[{\"input\":5,\"output\":22.5,\"tier\":{\"type\":\"context\",\"size\":272000}}],"
    "\"context_over_200k\":{\"input\":5,\"output\":22.5}}},"
    "\"zeros\":{\"id\":\"zeros\",\"name\":\"Zeros\",\"tool_call\":false,\"reasoning\":false,"
    "\"modalities\":{\"input\":[\"text\"],\"output\":[\"text\"]},\"limit\":{\"context\":0,\"output\":0},\"cost\":{\"input\":0,\"output\":0}},"
    "\"embed-1\":{\"id\":\"embed-1\",\"name\":\"E\",\"family\":\"text-embedding\",\"tool_call\":false,\"reasoning\":false,"
    "\"modalities\":{\"input\":[\"text\"],\"output\":[\"text\"]},\"limit\":{\"context\":8191,\"output\":1536},\"cost\":{\"input\":0.02,\"output\":0}},"
    "\"old\":{\"id\":\"old\",\"name\":\"Old\",\"tool_call\":false,\"reasoning\":false,\"modalities\":{\"input\":[\"text\"],\"output\":[\"text\"]},"
    "\"limit\":{\"context\":10,\"output\":5},\"cost\":{\"input\":1,\"output\":2,\"context_over_200k\":{\"input\":3}}},"
    "\"bad\":7,\"odd\":{\"tool_call\":\"yes\",\"limit\":{\"context\":\"many\",\"output\":100}}}},"
    "\"nobody\":{\"id\":\"nobody\",\"models\":{\"m\":{\"name\":\"M\"}}},\"broken\":{\"id\":\"broken\"}}";

#define SAID(model, field) facts_said(&c, SRC_MODELS_DEV, "openai", model, field)

static void test_fields(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, file);
    assert_string_equal(SAID("gpt-x", "display_name"), "GPT X");
    assert_string_equal(SAID("gpt-x", "tool_calling"), "native");
    assert_string_equal(SAID("gpt-x", "model_kind"), "chat"); /* it writes, and calls tools */
    assert_string_equal(SAID("old", "model_kind"), "");
    assert_string_equal(SAID("gpt-x", "temperature"), "unsupported");
    assert_string_equal(SAID("gpt-x", "structured_output"), ""); /* absent is unknown */
    assert_string_equal(SAID("gpt-x", "context_window"), "1050000");
    assert_string_equal(SAID("gpt-x", "max_input"), "922000");
    assert_string_equal(SAID("gpt-x", "max_output"), "128000");
    assert_string_equal(SAID("gpt-x", "reasoning_efforts"), "low high"); /* our order, our words */
    assert_string_equal(SAID("gpt-x", "max_thinking_budget"), "4096");
    assert_string_equal(SAID("gpt-x", "input_pdf"), "native");
    assert_string_equal(SAID("gpt-x", "input_image"), "unsupported"); /* the list is complete */
    assert_string_equal(SAID("gpt-x", "status"), "preview");
    assert_string_equal(SAID("gpt-x", "knowledge_cutoff"), "2025-08");
    assert_string_equal(SAID("gpt-x", "release_date"), "2026-03-05");
    facts_end(&c);
}

static void test_prices(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, file);
    assert_string_equal(SAID("gpt-x", "price.input_tokens"), "2.5");
    assert_string_equal(SAID("gpt-x", "price.cache_read_tokens"), "0.25");
    assert_string_equal(SAID("gpt-x", "price.input_tokens >272000"), "5");
    assert_string_equal(SAID("gpt-x", "price.input_tokens >200000"), ""); /* only repeats the tier */
    assert_string_equal(SAID("gpt-x", "price.output_tokens @priority"), "30");
    assert_string_equal(SAID("old", "price.input_tokens >200000"), "3"); /* the older way to say it */
    facts_end(&c);
}

/* 0 is not filled in, and the output limit of an embedding model is its vector. */
static void test_zero_and_vectors(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, file);
    for (size_t i = 0; i < c.im.n_claims; i++) {
        const struct claim *x = &c.im.claim[i];
        bool zero = (x->field == F_price && str_is(x->value.text, "0")) ||
                    (vocab_row(x->field)->type == CANDO_NUMBER && x->value.number == 0);
        assert_int_equal((x->flags & CLAIM_PLACEHOLDER) != 0, zero);
    }
    assert_string_equal(SAID("embed-1", "max_output"), "");
    assert_string_equal(SAID("embed-1", "embedding_dimensions"), "1536");
    assert_string_equal(SAID("embed-1", "max_input"), "8191");
    assert_string_equal(SAID("embed-1", "embeddings"), "native");
    assert_string_equal(SAID("embed-1", "output_text"), "");
    facts_end(&c);
}

static void test_counts(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, file);
    facts_check_counts(&c, SRC_MODELS_DEV, 8, 5);
    assert_int_equal(facts_skipped(&c, SRC_MODELS_DEV, SKIP_BAD_RECORD), 2);
    assert_int_equal(facts_skipped(&c, SRC_MODELS_DEV, SKIP_UNKNOWN_PROVIDER), 1);
    assert_true(str_is(c.im.skip[0].at, "/openai/models/bad"));
    /* what cannot be read is reported with its place; the rest of the record counts */
    assert_int_equal(c.im.count[SRC_MODELS_DEV].bad_values, 2);
    assert_true(str_is(c.im.bad[0].at, "/openai/models/odd"));
    assert_true(str_is(c.im.bad[0].detail, "'tool_call' is a string, expected true or false"));
    assert_string_equal(SAID("odd", "max_output"), "100");
    assert_string_equal(SAID("odd", "context_window"), "");
    facts_end(&c);
}

static void test_not_the_file(void **state)
{
    (void)state;
    struct facts_case c;
    struct json_error err;
    facts_begin(&c);
    facts_read(&c, SRC_MODELS_DEV, 20260702, "[]");
    facts_check_counts(&c, SRC_MODELS_DEV, 1, 0);
    assert_false(import_read(&c.im, SRC_MODELS_DEV, STR("{\"a\":"), 20260702, &err));
    assert_int_equal(err.code, CODE_json_syntax);
    facts_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields), cmocka_unit_test(test_prices),       cmocka_unit_test(test_zero_and_vectors),
        cmocka_unit_test(test_counts), cmocka_unit_test(test_not_the_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
