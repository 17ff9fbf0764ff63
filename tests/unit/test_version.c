/*
 * test_version.c - versions of ids, in both readings, and their place.
 *
 * A row gives what SCHEME_HARN reads and what SCHEME_ANY reads; "" is none.
 * The numbers that are no version (sizes, windows, dates, snapshots) matter as
 * much here as those that are.
 */

#include "test.h"

#include "catalog/model_id.h"
#include "catalog/version.h"

static const struct row {
    const char *id, *harn, *any;
} rows[] = {
    /* the Anthropic scheme, both word orders */
    {"claude-opus-4-7", "4.7", "4.7"},
    {"claude-opus-4.7", "4.7", "4.7"},
    {"claude-opus-4.6-fast", "4.6", "4.6"},
    {"claude-sonnet-4", "4.0", "4.0"},
    {"claude-opus-4-100", "4.100", "4.100"},
    {"claude-haiku-5-0", "5.0", "5.0"},
    {"claude-3-5-sonnet-20241022", "3.5", "3.5"},
    {"claude-3-5-sonnet-latest", "3.5", "3.5"},
    {"claude-3.5-sonnet", "3.5", "3.5"},
    {"claude-3-opus-20240229", "3.0", "3.0"},
    {"claude-2.1", "2.1", "2.1"},
    {"Claude-Opus-4-7", "4.7", "4.7"},
    {"anthropic/claude-fable-5", "5.0", "5.0"},
    {"bedrock/anthropic.claude-opus-4-7-v1:0", "4.7", "4.7"},
    {"us.anthropic.claude-sonnet-4-5-20250929-v1:0", "4.5", "4.5"},
    {"claude-mythos-5-1", "5.1", "5.1"},
    {"claude-mythos-preview", "", ""},
    {"claude-instant-1.2", "", "1.2"},
    {"databricks-claude-opus-4-6", "", "4.6"},
    {"claude-gpt-5.4", "5.4", "5.4"},
    /* a date or a snapshot is no minor version */
    {"claude-haiku-4-5-20251001", "4.5", "4.5"},
    {"claude-sonnet-4-20250514", "4.0", "4.0"},
    {"claude-sonnet-4@20250514", "4.0", "4.0"},
    {"claude-sonnet-4-5@20250929", "4.5", "4.5"},
    {"claude-opus-4-7:thinking", "4.7", "4.7"},
    {"gpt-4-0613", "4.0", "4.0"},
    {"gpt-4-1106-preview", "4.0", "4.0"},
    {"gpt-3.5-turbo-0613", "3.5", "3.5"},
    {"gpt-4.2024", "4.0", "4.0"},
    {"gpt-20240806", "", ""},
    /* the OpenAI scheme */
    {"gpt-4", "4.0", "4.0"},
    {"gpt-4.1-mini", "4.1", "4.1"},
    {"gpt-4-7", "4.7", "4.7"},
    {"gpt-4-32k", "4.0", "4.0"},
    {"gpt-4-turbo", "4.0", "4.0"},
    {"gpt-5-codex", "5.0", "5.0"},
    {"gpt-5.12", "5.12", "5.12"},
    {"gpt-5.4.1-turbo", "5.4", "5.4"},
    {"gpt-5.4-mini-2026-03-17", "5.4", "5.4"},
    {"GPT-5.4", "5.4", "5.4"},
    {"openai/gpt-5.4-preview", "5.4", "5.4"},
    {"azure/gpt-5.5-turbo", "5.5", "5.5"},
    {"gpt-5/o3", "", "3.0"},
    {"my-gpt-5-deployment", "5.0", "5.0"},
    {"gpt-35-turbo", "3.5", "3.5"},
    {"gpt-4o", "", "4.0"},
    {"gpt-4o-2024-11-20", "", "4.0"},
    {"gpt-5.x", "", ""},
    {"gpt-oss-120b", "", ""},
    {"gpt-image-1", "", "1.0"},
    {"gpt-image-1.5", "", "1.5"},
    /* other families */
    {"o3", "", "3.0"},
    {"o4-mini", "", "4.0"},
    {"gemini-2.5-pro", "", "2.5"},
    {"gemini-2-5-pro", "", "2.5"},
    {"gemini-2.0-flash-001", "", "2.0"},
    {"gemini-2.5-flash-preview-09-2025", "", "2.5"},
    {"gemini-3-flash-preview", "", "3.0"},
    {"gemma-3n-e4b-it", "", "3.0"},
    {"Gemma-4-31B-Claude-4.6-Opus", "", "4.0"},
    {"llama-3.3-70b-instruct", "", "3.3"},
    {"llama-v3p3-70b-instruct", "", "3.3"},
    {"us.meta.llama3-3-70b-instruct-v1:0", "", "3.3"},
    {"meta-llama-3_3-70b-instruct", "", "3.3"},
    {"llama3.3:70b", "", "3.3"},
    {"llama-4-scout-17b-16e-instruct", "", "4.0"},
    {"qwen3-235b-a22b", "", "3.0"},
    {"qwen2-5-14b-instruct", "", "2.5"},
    {"qwen2.5vl:7b", "", "2.5"},
    {"qwen3-5-9b", "", "3.5"},
    {"qwen3:0.6b", "", "3.0"},
    {"grok-4", "", "4.0"},
    {"grok-4-20-0309-reasoning", "", "4.20"},
    {"grok-build-0.1", "", "0.1"},
    {"glm-4.6", "", "4.6"},
    {"glm-4-5v", "", "4.5"},
    {"kimi-k2.5", "", "2.5"},
    {"kimi-k2-0905", "", "2.0"},
    {"minimax-m2.1", "", "2.1"},
    {"deepseek-v3.2", "", "3.2"},
    {"deepseek.v3.2", "", "3.2"},
    {"deepseek-r1-0528", "", "1.0"},
    {"mimo-v2.5-pro", "", "2.5"},
    {"nemotron-nano-9b-v2", "", "2.0"},
    {"whisper-large-v3", "", "3.0"},
    {"text-embedding-3-large", "", "3.0"},
    {"step-2-16k", "", "2.0"},
    /* no version at all */
    {"", "", ""},
    {"-", "", ""},
    {"4-sonnet", "", ""},
    {"mistral-large-2411", "", ""},
    {"mistral-7b", "", ""},
    {"mixtral-8x7b", "", ""},
    {"qwen-1.5b", "", ""},
    {"minimax-m25", "", ""},
    {"command-r-08-2024", "", ""},
    {"command-r7b-12-2024", "", ""},
    {"command-a-10-2025", "", ""},
    {"model-2024-11-20", "", ""},
    {"model-12-2024", "", ""},
    /* a month and its day, or its year; but no month is above 12 */
    {"model-4-12-31", "", "4.0"},
    {"model-4-10-31", "", "4.0"},
    {"model-4-13-31", "", "4.13"},
    {"model-4-12-311", "", "4.12"},
    {"model-4-12-3", "", "4.12"},
    {"model-4-12-31b", "", "4.12"},
    {"model-4-11-2025", "", "4.0"},
    {"model-4-11-1925", "", "4.11"},
    {"model-4-11-2125", "", "4.11"},
    {"text-embedding-ada-002", "", ""},
    {"c4ai-aya-expanse-8b", "", ""},
    {"sonar-pro", "", ""},
};

static int failures;

static void check(const struct row *row, enum version_scheme scheme, const char *want)
{
    uint32_t major = 0, minor = 0;
    char got[32] = "";
    if (model_version(str_of(row->id), scheme, &major, &minor))
        snprintf(got, sizeof got, "%u.%u", major, minor);
    if (strcmp(got, want) != 0) {
        print_error("%s, %s: '%s', not '%s'\n", row->id, scheme == SCHEME_HARN ? "harn" : "any", got, want);
        failures++;
    }
}

static void test_rows(void **state)
{
    (void)state;
    failures = 0;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        check(&rows[i], SCHEME_HARN, rows[i].harn);
        check(&rows[i], SCHEME_ANY, rows[i].any);
    }
    assert_int_equal(failures, 0);
}

/* The pieces lie side by side and are the whole id again. */
static void test_spans(void **state)
{
    (void)state;
    static const struct {
        const char *id, *head, *join, *major, *minor, *tail;
    } spans[] = {
        {"llama-v3p3-70b-instruct", "llama", "-v", "3", "3", "-70b-instruct"},
        {"llama3.3-70b", "llama", "", "3", "3", "-70b"},
        {"kimi-k2-6", "kimi-k", "", "2", "6", ""},
        {"claude-opus-41", "claude-opus", "-", "41", "", ""},
        {"claude-4.6-opus", "claude", "-", "4", "6", "-opus"},
        {"glm-4.5v", "glm", "-", "4", "5", "v"},
        {"gpt-4o-mini", "gpt", "-", "4", "", "o-mini"},
        {"qwen3-235b-a22b", "qwen", "", "3", "", "-235b-a22b"},
    };
    for (size_t i = 0; i < LENGTH(spans); i++) {
        struct version_span v;
        assert_true(version_find(str_of(spans[i].id), &v));
        assert_true(str_is(v.head, spans[i].head));
        assert_true(str_is(v.join, spans[i].join));
        assert_true(str_is(v.major, spans[i].major));
        assert_true(str_is(v.minor, spans[i].minor));
        assert_true(str_is(v.tail, spans[i].tail));
        assert_ptr_equal(v.head.p, spans[i].id);
        assert_ptr_equal(v.tail.p + v.tail.n, spans[i].id + strlen(spans[i].id));
    }
}

/* Any bytes: no step outside, small numbers, and the same in capitals. */
static void test_any_bytes(void **state)
{
    (void)state;
    static const char marks[] = "0123456789-._:@/pvbkxclaudegpt ";
    uint32_t seed = 4711;
    for (int round = 0; round < 300000; round++) {
        seed = seed * 1664525u + 1013904223u;
        size_t n = (seed >> 24) % 24;
        char *id = test_malloc(n ? n : 1);
        for (size_t i = 0; i < n; i++) {
            seed = seed * 1664525u + 1013904223u;
            id[i] = seed >> 30 ? marks[(seed >> 8) % (sizeof marks - 1)] : (char)(seed >> 16);
        }
        uint32_t a[2], b[2];
        bool harn = model_version(str_make(id, n), SCHEME_HARN, &a[0], &a[1]);
        bool any = model_version(str_make(id, n), SCHEME_ANY, &b[0], &b[1]);
        if (harn) {
            assert_true(any);
            assert_true(a[0] == b[0] && a[1] == b[1]);
        }
        if (any)
            assert_true(b[0] < 1000 && b[1] < 1000);
        for (size_t i = 0; i < n; i++)
            id[i] = (char)(id[i] >= 'a' && id[i] <= 'z' ? id[i] - 32 : id[i]);
        assert_true(model_version(str_make(id, n), SCHEME_ANY, &a[0], &a[1]) == any);
        if (any)
            assert_true(a[0] == b[0] && a[1] == b[1]);
        test_free(id);
    }
}

static void test_limit(void **state)
{
    (void)state;
    static char id[LIMIT_NAME_BYTES + 1];
    uint32_t major, minor;
    memset(id, 'x', sizeof id);
    memcpy(id + LIMIT_NAME_BYTES - 6, "/gpt-5", 6);
    assert_true(model_version(str_make(id, LIMIT_NAME_BYTES), SCHEME_HARN, &major, &minor));
    assert_int_equal(major, 5);
    assert_false(model_version(str_make(id, LIMIT_NAME_BYTES + 1), SCHEME_HARN, &major, &minor));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_spans),
        cmocka_unit_test(test_any_bytes),
        cmocka_unit_test(test_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
