/*
 * test_usage.c - counts from replies: shapes, envelopes, streams, mistakes.
 *
 * The many forms of replies are in tests/cases/usage.jsonl; here is what the
 * operation does not show, and streams cut at every single event.
 */

#include "test.h"

#include "request/ask_cost.h"

static struct reply reply;
static struct reading bad = {.ar = &arena};

static bool read_reply(const char *text, const char *provider)
{
    return usage_from_reply(&bad, json_of(text), STR("/response"), NULL, str_of(provider),
                            &reply);
}

static const char *shown(const struct usage *u)
{
    struct reading fresh = {.ar = &arena};
    struct reply r = {.usage = *u};
    const cando_usage_answer *a = reply_answer(&(struct texts){.r = &fresh}, &r);
    struct buf b;
    buf_init_arena(&b, &arena, 10000);
    for (size_t i = 0; i < a->n_usage; i++)
        buf_printf(&b, "%s%s %s", i ? ", " : "", a->usage[i].unit,
                   a->usage[i].quantity ? a->usage[i].quantity : "null");
    return buf_cstr(&b);
}

/* Every form can be asked for by its name; an API that is like another has that one's. */
static void test_forms(void **state)
{
    static const char *const rows[][2] = {
        {"openai-chat", "openai-chat"},   {"mistral-chat", "openai-chat"},
        {"gemini", "gemini"},             {"openai-embeddings", "openai-chat"},
        {"ollama-chat", "ollama-chat"},   {"embeddings", "embeddings"},
        {"cohere", "cohere"},             {"cohere-tokens", "cohere-tokens"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_string_equal(usage_form_find(str_of(rows[i][0]))->name.p, rows[i][1]);
    assert_null(usage_form_find(STR("allm")));
    assert_null(usage_form_find(STR("")));
    for (const struct api *a = apis; a < apis + API_COUNT; a++)
        for (size_t i = 0; i < a->n_usage; i++)
            assert_ptr_equal(usage_form_find(a->usage[i].name), &a->usage[i]);
}

static void test_units(void **state)
{
    struct usage u;
    (void)state;
    assert_true(usage_from_units(&bad, json_of("{\"input_tokens\":5,\"cache_read_tokens\":null,\"audio_seconds\":1.50,\"total_tokens\":\"x\",\"reasoning_tokens\":0}"), STR("/usage"), &u));
    assert_string_equal(shown(&u), "input_tokens 5, cache_read_tokens null, output_reasoning_tokens 0, audio_seconds 1.5");
    assert_false(usage_from_units(&bad, json_of("{\"inputs\":5}"), STR("/usage"), &u));
    assert_string_equal(bad.error.message, "'inputs' is no unit");
    assert_string_equal(bad.error.at, "/usage");
    assert_false(usage_from_units(&bad, json_of("{\"input_tokens\":1.5}"), STR("/usage"), &u));
    assert_false(usage_from_units(&bad, json_of("{\"audio_seconds\":-1}"), STR("/usage"), &u));
    assert_false(usage_from_units(&bad, json_of("{\"cached_tokens\":1,\"cache_read_tokens\":1}"), STR("/usage"), &u));
}

static void test_places(void **state)
{
    (void)state;
    assert_false(read_reply("{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2,\"prompt_tokens_details\":{\"cached_tokens\":[]}}}", ""));
    assert_string_equal(bad.error.message, "'prompt_tokens_details/cached_tokens' is not a count");
    assert_string_equal(bad.error.at, "/response");
    assert_false(read_reply("[{\"type\":\"ping\"},{\"type\":\"message_delta\",\"usage\":{\"output_tokens\":{}}}]", ""));
    assert_string_equal(bad.error.message, "'output_tokens' is not a count");
    assert_string_equal(bad.error.at, "/response/1");
}

/* Deep and odd envelopes are looked into, but not for ever. */
static void test_envelopes(void **state)
{
    (void)state;
    assert_true(read_reply("{\"response\":{\"body\":{\"data\":{\"result\":{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}}}}}", ""));
    assert_false(read_reply("{\"response\":{\"body\":{\"data\":{\"result\":{\"response\":{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}}}}}}}", ""));
    assert_true(read_reply("{\"created\":5,\"response\":{\"created\":86400,\"model\":\"inner\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":2}},\"model\":\"outer\"}", ""));
    assert_true(str_is(reply.model, "inner"));
    assert_int_equal(reply.at.day, 1);
}

static void test_providers(void **state)
{
    static const struct {
        const char *text, *provider;
    } rows[] = {
        {"{\"id\":\"msg_01AB\",\"type\":\"message\",\"model\":\"c\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}", "anthropic"},
        {"{\"id\":\"msg_bdrk_01AB\",\"type\":\"message\",\"model\":\"c\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}", "amazon-bedrock"},
        {"{\"id\":\"msg_vrtx_01AB\",\"type\":\"message\",\"model\":\"c\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}", "google-vertex"},
        {"{\"usageMetadata\":{\"promptTokenCount\":1}}", "google"},
        {"{\"usageMetadata\":{\"promptTokenCount\":1,\"trafficType\":\"ON_DEMAND\"}}", "google-vertex"},
        {"{\"id\":\"chatcmpl-1\",\"model\":\"gpt-5\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}", "openai"},
        {"{\"id\":\"chatcmpl-1\",\"model\":\"gpt-5\",\"prompt_filter_results\":[],\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}", "azure"},
        {"{\"id\":\"chatcmpl-1\",\"model\":\"llama\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}", ""},
        {"{\"id\":\"gen-1\",\"model\":\"openai/gpt-5\",\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1}}", "openrouter"},
        {"{\"id\":\"resp_1\",\"model\":\"gpt-5\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}", "openai"},
        {"{\"usage\":{\"inputTokens\":1,\"outputTokens\":1}}", "amazon-bedrock"},
        {"{\"model\":\"llama3\",\"eval_count\":1,\"prompt_eval_count\":1}", "ollama"},
        {"{\"usage\":{\"billed_units\":{\"input_tokens\":1}}}", "cohere"},
        {"{\"usage\":{\"total_tokens\":1}}", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct json *v = json_of(rows[i].text);
        assert_true(usage_from_reply(&bad, v, STR("/response"), NULL, STR(""), &reply));
        struct str p = usage_provider(v, &reply);
        if (!str_is(p, rows[i].provider))
            fail_msg("%s: '%.*s'", rows[i].text, STR_ARG(p));
    }
}

/* Wherever a stream is cut, it is partial, and what is not known is not 0. */
static void test_cut_everywhere(void **state)
{
    static const char *const events[][6] = {
        {"{\"type\":\"message_start\",\"message\":{\"type\":\"message\",\"model\":\"c\",\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}",
         "{\"type\":\"content_block_delta\",\"delta\":{\"type\":\"text_delta\",\"text\":\"a\"}}",
         "{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":7}}"},
        {"{\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{},\"finish_reason\":null}],\"usage\":null}",
         "{\"object\":\"chat.completion.chunk\",\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}],\"usage\":null}",
         "{\"object\":\"chat.completion.chunk\",\"choices\":[],\"usage\":{\"prompt_tokens\":9,\"completion_tokens\":7}}"},
        {"{\"type\":\"response.created\",\"response\":{\"usage\":null}}", "{\"type\":\"response.output_text.delta\",\"delta\":\"a\"}",
         "{\"type\":\"response.completed\",\"response\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":7}}}"},
        {"{\"candidates\":[{\"content\":{}}]}", "{\"candidates\":[{\"content\":{}}],\"usageMetadata\":{\"promptTokenCount\":9,\"candidatesTokenCount\":3}}",
         "{\"candidates\":[{\"finishReason\":\"STOP\"}],\"usageMetadata\":{\"promptTokenCount\":9,\"candidatesTokenCount\":7}}"},
        {"{\"messageStart\":{}}", "{\"messageStop\":{\"stopReason\":\"end_turn\"}}", "{\"metadata\":{\"usage\":{\"inputTokens\":9,\"outputTokens\":7}}}"},
        {"{\"done\":false}", "{\"done\":false,\"message\":{\"content\":\"a\"}}", "{\"done\":true,\"prompt_eval_count\":9,\"eval_count\":7}"},
    };
    char text[2000];
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        for (int n = 1; n <= 3; n++) {
            int at = snprintf(text, sizeof text, "[");
            for (int k = 0; k < n; k++)
                at += snprintf(text + at, sizeof text - (size_t)at, "%s%s", k ? "," : "", events[i][k]);
            snprintf(text + at, sizeof text - (size_t)at, "]");
            assert_true(read_reply(text, ""));
            assert_int_equal(reply.partial, n < 3);
            assert_true(reply.usage.state[UNIT_input_tokens] != COUNT_ABSENT);
            assert_true(reply.usage.state[UNIT_output_tokens] != COUNT_ABSENT);
            if (n == 3)
                assert_string_equal(shown(&reply.usage), "input_tokens 9, output_tokens 7");
            else
                assert_false(reply.usage.state[UNIT_output_tokens] == COUNT_KNOWN && decimal_is_zero(&reply.usage.count[UNIT_output_tokens]));
        }
}

static void test_reported(void **state)
{
    char text[DECIMAL_TEXT];
    (void)state;
    assert_true(read_reply("{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"cost\":1e-5}}", ""));
    assert_string_equal(decimal_text(&reply.reported.value, text).p, "0.00001");
    assert_true(read_reply("{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"cost\":-1}}", ""));
    assert_false(reply.reported.known);
    assert_true(read_reply("{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"cost\":\"1\"}}", ""));
    assert_false(reply.reported.known);
    assert_true(read_reply("{\"usage\":{\"prompt_tokens\":1,\"completion_tokens\":1,\"estimated_cost\":0.25}}", ""));
    assert_string_equal(decimal_text(&reply.reported.value, text).p, "0.25");
}

int main(void)
{
#define TEST(name) TEST_WITH_ARENA(name)
    const struct CMUnitTest tests[] = {
        TEST(test_forms),    TEST(test_units),          TEST(test_places),   TEST(test_envelopes),
        TEST(test_providers), TEST(test_cut_everywhere), TEST(test_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
