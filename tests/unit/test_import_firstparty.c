/*
 * test_import_firstparty.c - the lists of Anthropic, Google, OpenAI and xAI.
 */
#include "facts_case.h"

static void test_anthropic(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_ANTHROPIC, 20260805,
               "{\"data\":[{\"id\":\"claude-z\",\"display_name\":\"Claude Z\",\"created_at\":\"2026-07-24T00:00:00Z\",\"max_input_tokens\":1000000,"
               "\"max_tokens\":128000,\"capabilities\":{\"batch\":{\"supported\":true},\"structured_outputs\":{\"supported\":false},"
               "\"effort\":{\"supported\":true,\"max\":{\"supported\":true},\"low\":{\"supported\":true},\"xhigh\":{\"supported\":false}},"
               "\"thinking\":{\"supported\":true,\"types\":{\"adaptive\":{\"supported\":true},\"enabled\":{\"supported\":false}}}}},{}]}");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "context_window"), "1000000");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "max_output"), "128000");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "batch"), "native");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "structured_output"), "unsupported");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "citations"), "");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "reasoning_efforts"), "low max");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "thinking_modes"), "adaptive");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "thinking_budget"), "unsupported");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "release_date"), "2026-07-24");
    assert_string_equal(facts_said(&c, SRC_ANTHROPIC, "anthropic", "claude-z", "display_name"),
                        "Claude Z");
    facts_check_counts(&c, SRC_ANTHROPIC, 2, 1);
    facts_end(&c);
}

static void test_google(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_GOOGLE, 20260805,
               "{\"models\":[{\"name\":\"models/gemini-z\",\"displayName\":\"Gemini Z\",\"inputTokenLimit\":1048576,\"outputTokenLimit\":65536,"
               "\"temperature\":1,\"topK\":64,\"thinking\":true,\"supportedGenerationMethods\":[\"generateContent\",\"batchGenerateContent\"]},"
               "{\"name\":\"models/embed-z\",\"inputTokenLimit\":2048,\"outputTokenLimit\":1,\"supportedGenerationMethods\":[\"embedContent\"]}]}");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "gemini-z", "max_input"), "1048576");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "gemini-z", "context_window"), "");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "gemini-z", "display_name"),
                        "Gemini Z");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "gemini-z", "batch"), "native");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "gemini-z", "reasoning"), "native");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "gemini-z", "top_k"), "native");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "gemini-z", "top_p"), "");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "embed-z", "embeddings"), "native");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "embed-z", "max_output"), "");
    assert_string_equal(facts_said(&c, SRC_GOOGLE, "google", "embed-z", "reasoning"), "");
    facts_check_counts(&c, SRC_GOOGLE, 2, 2);
    facts_end(&c);
}

/* The day on which a model ends, or null. */
static void test_shutdown(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_OPENAI, 20261105,
               "{\"object\":\"list\",\"data\":[{\"id\":\"gpt-z\",\"shutdown_date\":\"2027-01-14\"},"
               "{\"id\":\"gpt-y\",\"shutdown_date\":null},"
               "{\"id\":\"gpt-x\",\"shutdown_date\":\"soon\"}]}");
    assert_string_equal(facts_said(&c, SRC_OPENAI, "openai", "gpt-z", "retires_on"), "2027-01-14");
    assert_string_equal(facts_said(&c, SRC_OPENAI, "openai", "gpt-y", "retires_on"), "");
    assert_string_equal(facts_said(&c, SRC_OPENAI, "openai", "gpt-x", "retires_on"), "");
    assert_int_equal(c.im.count[SRC_OPENAI].bad_values, 1);
    facts_check_counts(&c, SRC_OPENAI, 3, 3);
    facts_end(&c);
}

/* Cents for a hundred million tokens, and other names of the same model. */
static void test_xai(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_XAI, 20260805,
               "{\"data\":[{\"id\":\"grok-z-0309\",\"aliases\":[\"grok-z\",\"grok-z-latest\"],\"context_length\":1000000,"
               "\"prompt_text_token_price\":12500,\"completion_text_token_price\":25000,\"cached_prompt_text_token_price\":2000,"
               "\"long_context_threshold\":200000,\"prompt_text_token_price_long_context\":25000},"
               "{\"id\":\"grok-pictures\",\"context_length\":8000,\"image_price\":200000000}]}");
    assert_string_equal(facts_said(&c, SRC_XAI, "xai", "grok-z-0309", "price.input_tokens"), "1.25");
    assert_string_equal(facts_said(&c, SRC_XAI, "xai", "grok-z-0309", "price.output_tokens"), "2.5");
    assert_string_equal(facts_said(&c, SRC_XAI, "xai", "grok-z-0309", "price.cache_read_tokens"), "0.2");
    assert_string_equal(facts_said(&c, SRC_XAI, "xai", "grok-z-latest", "price.input_tokens >200000"), "2.5");
    assert_string_equal(facts_said(&c, SRC_XAI, "xai", "grok-pictures", "price.output_images"), "0.02");
    assert_string_equal(facts_said(&c, SRC_XAI, "xai", "grok-pictures", "output_image"), "native");
    facts_check_counts(&c, SRC_XAI, 2, 2);
    facts_end(&c);
}

/* OpenAI says which ids there are: enough to know them, not enough for a row. */
static void test_openai(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_OPENAI, 20260805, "{\"object\":\"list\",\"data\":[{\"id\":\"gpt-x\",\"created\":1671217299},[]]}");
    facts_check_counts(&c, SRC_OPENAI, 2, 1);
    facts_merge(&c);
    assert_int_equal(c.m.n_rows, 1);
    assert_false(row_is_written(&c.m.row[0]));
    facts_end(&c);
}

static void test_no_list(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_XAI, 20260805, "{\"error\":\"no key\"}");
    facts_read(&c, SRC_GOOGLE, 20260805, "null");
    facts_check_counts(&c, SRC_XAI, 1, 0);
    facts_check_counts(&c, SRC_GOOGLE, 1, 0);
    facts_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_anthropic), cmocka_unit_test(test_google),
        cmocka_unit_test(test_shutdown),  cmocka_unit_test(test_xai),
        cmocka_unit_test(test_openai),    cmocka_unit_test(test_no_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
