/*
 * test_import_litellm.c - the traps of LiteLLM's file.
 */
#include "facts_case.h"

static const char file[] =
    "{\"sample_spec\":{\"litellm_provider\":\"one of ..\",\"max_tokens\":\"legacy\"},\"fallback_generalizations\":{\"rules\":[]},"
    "\"gpt-x\":{\"litellm_provider\":\"openai\",\"mode\":\"chat\",\"max_tokens\":128000,\"max_input_tokens\":1050000.0,"
    "\"max_output_tokens\":128000,\"supports_function_calling\":true,\"supports_vision\":false,\"supports_none_reasoning_effort\":true,"
    "\"input_cost_per_token\":2.5e-06,\"input_cost_per_token_flex\":1.25e-06,\"input_cost_per_token_batches\":1.25e-06,"
    "\"input_cost_per_token_above_272k_tokens\":5e-06,\"input_cost_per_token_above_272k_tokens_priority\":1e-05,"
    "\"output_cost_per_token\":1.5e-05,\"cache_read_input_token_cost\":2.5e-07,\"cache_creation_input_token_cost\":3.125e-06,"
    "\"cache_creation_input_token_cost_above_1hr\":5e-06,\"cache_creation_input_token_cost_above_1hr_above_200k_tokens\":1e-05,"
    "\"input_cost_per_audio_token\":4e-05,\"deprecation_date\":\"2026-01-31\",\"input_cost_per_token_cache_hit\":9.0,"
    "\"search_context_cost_per_query\":{\"search_context_size_low\":0.01,\"search_context_size_medium\":0.0125,\"search_context_size_high\":0.02}},"
    "\"azure/gpt-x\":{\"litellm_provider\":\"azure\",\"mode\":\"chat\",\"input_cost_per_token\":3e-06},"
    "\"azure/eu/gpt-x\":{\"litellm_provider\":\"azure\",\"mode\":\"chat\"},"
    "\"bedrock/us-east-1/anthropic.claude-x\":{\"litellm_provider\":\"bedrock\",\"mode\":\"chat\"},"
    "\"bedrock/us-east-1/1-month-commitment/anthropic.claude-x\":{\"litellm_provider\":\"bedrock\"},"
    "\"bedrock/*/6-month-commitment/cohere.command\":{\"litellm_provider\":\"bedrock\"},"
    "\"us.anthropic.claude-x-v1:0\":{\"litellm_provider\":\"bedrock_converse\",\"mode\":\"chat\",\"max_input_tokens\":200000},"
    "\"1024-x-1024/dall-e-2\":{\"litellm_provider\":\"openai\",\"mode\":\"image_generation\"},"
    "\"hd/1024-x-1792/dall-e-3\":{\"litellm_provider\":\"openai\",\"mode\":\"image_generation\"},"
    "\"dall-e-2\":{\"litellm_provider\":\"openai\",\"mode\":\"image_generation\",\"input_cost_per_image\":0.02},"
    "\"fireworks-ai-above-16b\":{\"litellm_provider\":\"fireworks_ai\"},\"together-ai-41.1b-80b\":{\"litellm_provider\":\"together_ai\"},"
    "\"fireworks_ai/accounts/fireworks/models/\":{\"litellm_provider\":\"fireworks_ai\"},"
    "\"fireworks_ai/accounts/fireworks/models/m\":{\"litellm_provider\":\"fireworks_ai\",\"mode\":\"chat\"},"
    "\"azure/*\":{\"litellm_provider\":\"azure\"},\"ft:gpt-x\":{\"litellm_provider\":\"openai\"},"
    "\"tavily/search\":{\"litellm_provider\":\"tavily\",\"mode\":\"search\"},\"other/m\":{\"litellm_provider\":\"other\"},"
    "\"openrouter/deepseek/deepseek-chat\":{\"litellm_provider\":\"openrouter\",\"mode\":\"chat\"},"
    "\"acme/tiers\":{\"litellm_provider\":\"acme\",\"mode\":\"chat\",\"tiered_pricing\":["
    "{\"input_cost_per_token\":1e-06,\"range\":[0,32000.0]},{\"input_cost_per_token\":1.8e-06,\"range\":[32000.0,128000.0]}]},"
    "\"acme/rerank\":{\"litellm_provider\":\"acme\",\"mode\":\"rerank\",\"input_cost_per_query\":0.002,\"input_cost_per_token\":0.0},"
    "\"acme/ears\":{\"litellm_provider\":\"acme\",\"mode\":\"audio_transcription\",\"input_cost_per_second\":0.0001},"
    "\"list\":[]}";

#define SAID(provider, model, field) facts_said(&c, SRC_LITELLM, provider, model, field)

static void test_fields(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_LITELLM, 20260808, file);
    assert_string_equal(SAID("openai", "gpt-x", "tool_calling"), "native");
    assert_string_equal(SAID("openai", "gpt-x", "input_image"), "unsupported");
    assert_string_equal(SAID("openai", "gpt-x", "structured_output"), ""); /* an absent flag is unknown */
    assert_string_equal(SAID("openai", "gpt-x", "context_window"), "");    /* max_input_tokens is not the total */
    assert_string_equal(SAID("openai", "gpt-x", "max_input"), "1050000");
    assert_string_equal(SAID("openai", "gpt-x", "max_output"), "128000");
    assert_string_equal(SAID("openai", "gpt-x", "reasoning_effort"), "native");
    assert_string_equal(SAID("openai", "gpt-x", "status"), "deprecated");
    assert_string_equal(SAID("openai", "dall-e-2", "output_image"), "native");
    assert_string_equal(SAID("acme", "rerank", "rerank"), "native");
    assert_string_equal(SAID("openai", "gpt-x", "model_kind"), "chat");
    assert_string_equal(SAID("acme", "ears", "model_kind"), "transcription");
    facts_end(&c);
}

/* Exact decimals, per million, with every suffix. */
static void test_rates(void **state)
{
    (void)state;
    static const struct {
        const char *key, *rate;
    } want[] = {
        {"price.input_tokens", "2.5"},
        {"price.input_tokens @flex", "1.25"},
        {"price.input_tokens @batch", "1.25"},
        {"price.input_tokens >272000", "5"},
        {"price.input_tokens @priority >272000", "10"},
        {"price.output_tokens", "15"},
        {"price.cache_read_tokens", "0.25"}, /* its own key, not the cache hit's */
        {"price.cache_write_tokens", "3.125"},
        {"price.cache_write_1h_tokens", "5"},
        {"price.cache_write_1h_tokens >200000", "10"},
        {"price.input_audio_tokens", "40"},
        {"price.web_searches", "12.5"},
    };
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_LITELLM, 20260808, file);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_string_equal(SAID("openai", "gpt-x", want[i].key), want[i].rate);
    assert_string_equal(SAID("acme", "tiers", "price.input_tokens"), "1");
    assert_string_equal(SAID("acme", "tiers", "price.input_tokens >32000"), "1.8");
    assert_string_equal(SAID("acme", "rerank", "price.rerank_searches"), "2");
    assert_string_equal(SAID("acme", "ears", "price.input_audio_seconds"), "0.36"); /* an hour */
    assert_string_equal(SAID("openai", "dall-e-2", "price.output_images"), "0.02");
    for (size_t i = 0; i < c.im.n_claims; i++) { /* every key is one that bills can read */
        struct price_key key;
        if (c.im.claim[i].field == F_price)
            assert_null(price_key_parse(c.im.claim[i].key, &key));
    }
    facts_end(&c);
}

static void test_keys(void **state)
{
    (void)state;
    struct facts_case c;
    facts_begin(&c);
    facts_read(&c, SRC_LITELLM, 20260808, file);
    assert_string_equal(SAID("azure", "gpt-x", "price.input_tokens"), "3");
    assert_string_equal(SAID("amazon-bedrock", "us.anthropic.claude-x-v1:0", "max_input"), "200000");
    assert_string_equal(SAID("openrouter", "deepseek/deepseek-chat", "output_text"), "native");
    assert_string_equal(SAID("fireworks-ai", "accounts/fireworks/models/m", "output_text"), "native");
    facts_check_counts(&c, SRC_LITELLM, 25, 9);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_NOT_A_MODEL), 2);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_PRICE_CLASS), 2);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_REGION), 2);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_COMMITMENT), 2);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_SIZE), 2);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_WILDCARD), 3);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_TOOL), 1);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_UNKNOWN_PROVIDER), 1);
    assert_int_equal(facts_skipped(&c, SRC_LITELLM, SKIP_BAD_RECORD), 1);
    facts_end(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
