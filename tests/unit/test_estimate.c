/*
 * test_estimate.c - what a request will use: reading it, and the bills of the three ends.
 */
#include "test.h"

#include "request/estimate.h"

static struct estimate_bill bill, room;

static struct estimate reads(const char *api, const char *request)
{
    struct estimate e;
    estimate_read(json_of(request), api_find(str_of(api)), FIT_OTHER, &e);
    return e;
}

/* -- reading ------------------------------------------------------------------------------ */

static void test_model(void **state)
{
    (void)state;
    assert_str(reads("openai-chat", "{\"model\":\"m\"}").model, "m");
    assert_str(reads("bedrock-converse", "{\"modelId\":\"b\"}").model, "b");
    assert_str(reads("gemini", "{\"model\":\"models/g\"}").model, "g");
    assert_str(reads("gemini", "{\"model\":7}").model, "");
}

static void test_tier(void **state)
{
    (void)state;
    assert_str(reads("openai-chat", "{\"service_tier\":\"flex\"}").tier, "flex");
    assert_str(reads("gemini", "{\"serviceTier\":\"priority\"}").tier, "priority");
    assert_str(reads("bedrock-converse", "{\"serviceTier\":{\"type\":\"flex\"}}").tier, "flex");
    assert_str(reads("anthropic-messages", "{\"service_tier\":\"auto\",\"speed\":\"fast\"}").tier, "fast");
    assert_str(reads("openai-chat", "{\"service_tier\":null}").tier, "");
}

static void test_choices(void **state)
{
    (void)state;
    assert_int_equal(reads("openai-chat", "{\"n\":3}").choices, 3);
    assert_int_equal(reads("openai-chat", "{\"n\":0}").choices, 1);
    assert_int_equal(reads("openai-chat", "{\"n\":-2}").choices, 1);
    assert_int_equal(reads("openai-chat", "{\"n\":\"3\"}").choices, 1);
    assert_int_equal(reads("gemini", "{\"n\":3,\"generationConfig\":{\"candidateCount\":2}}").choices, 2);
    assert_int_equal(reads("gemini", "{\"generationConfig\":7}").choices, 1);
}

static void test_cache_marks(void **state)
{
    (void)state;
    const char *d = "anthropic-messages";
    assert_int_equal(reads(d, "{\"messages\":[{\"content\":\"x\"}]}").cache, CACHE_UNMARKED);
    assert_int_equal(reads(d, "{\"cache_control\":{\"type\":\"ephemeral\"}}").cache, CACHE_MARKED);
    assert_int_equal(reads(d, "{\"tools\":[{\"cache_control\":{}}]}").cache, CACHE_MARKED);
    assert_int_equal(reads(d, "{\"system\":[{\"cache_control\":{\"ttl\":\"5m\"}}]}").cache, CACHE_MARKED);
    assert_int_equal(reads(d, "{\"system\":[{\"cache_control\":{}},{\"cache_control\":{\"ttl\":\"1h\"}}]}").cache, CACHE_MARKED_1H);
    assert_int_equal(reads(d, "{\"system\":[{\"cache_control\":{\"ttl\":\"1h\"}},{\"cache_control\":{}}]}").cache, CACHE_MARKED_1H);
    assert_int_equal(reads(d, "{\"messages\":[{\"content\":[{\"content\":[{\"cache_control\":{}}]}]}]}").cache, CACHE_MARKED);
    assert_int_equal(reads(d, "{\"messages\":[{\"content\":[{\"cache_control\":null}]}]}").cache, CACHE_UNMARKED);
    /* lists within lists are not followed without end */
    assert_int_equal(reads(d, "{\"messages\":[[[[[[[[{\"cache_control\":{}}]]]]]]]]}").cache,
                     CACHE_MARKED);
    assert_int_equal(reads(d, "{\"messages\":[[[[[[[[[{\"cache_control\":{}}]]]]]]]]]}").cache,
                     CACHE_UNMARKED);
    /* a property of a tool's schema is no mark */
    assert_int_equal(reads(d, "{\"tools\":[{\"input_schema\":{\"properties\":{\"cache_control\":{}}}}]}").cache, CACHE_UNMARKED);
    assert_int_equal(reads("bedrock-converse", "{\"toolConfig\":{\"tools\":[{\"cachePoint\":{\"type\":\"default\"}}]}}").cache, CACHE_MARKED);
}

static void test_elsewhere(void **state)
{
    (void)state;
    assert_non_null(reads("openai-responses", "{\"previous_response_id\":\"r\"}").elsewhere);
    assert_non_null(reads("openai-responses", "{\"conversation\":{\"id\":\"c\"}}").elsewhere);
    assert_non_null(reads("openai-responses", "{\"prompt\":{\"id\":\"p\"}}").elsewhere);
    assert_non_null(reads("gemini", "{\"cachedContent\":\"c\"}").elsewhere);
    assert_null(reads("openai-responses", "{\"previous_response_id\":null}").elsewhere);
    assert_null(reads("openai-responses", "{\"conversation\":\"\"}").elsewhere);
    assert_null(reads("openai-chat", "{\"previous_response_id\":\"r\"}").elsewhere);
}

static void test_far_files(void **state)
{
    (void)state;
    assert_non_null(reads("anthropic-messages", "{\"messages\":[{\"content\":[{\"source\":{\"type\":\"file\",\"file_id\":\"f\"}}]}]}").unsized);
    assert_null(reads("anthropic-messages", "{\"messages\":[{\"content\":[{\"source\":{\"type\":\"url\",\"url\":\"u\"}}]}]}").unsized);
    assert_null(reads("anthropic-messages", "{\"messages\":[{\"content\":[{\"source\":\"x\"}]}]}").unsized);
    assert_non_null(
        reads("bedrock-converse", "{\"messages\":[{\"content\":[{\"image\":{\"source\":{\"s3Location\":{\"uri\":\"s3://x\"}}}}]}]}").unsized);
    assert_null(reads("bedrock-converse", "{\"messages\":[{\"content\":[{\"image\":{\"source\":{\"bytes\":\"AA\"}}}]}]}").unsized);
}

/* Embeddings are counted here: as texts, or as the tokens that they are. */
static void test_inputs(void **state)
{
    (void)state;
    struct estimate e = reads("allm-embedding", "{\"input\":[\"aaaaaaaa\",\"bbbbbbbb\"]}");
    assert_true(e.counts);
    assert_false(e.generates);
    assert_int_equal(e.input.low, 2); /* 16 bytes by 8 */
    assert_int_equal(e.input.expected, 7); /* by 3.9, and 3 */
    e = reads("allm-embedding", "{\"input\":[[1,2,3],[4]]}");
    assert_int_equal(e.input.low, 4);
    assert_int_equal(e.input.high, 4);
    e = reads("allm-embedding", "{\"input\":\"\xc3\xa4\xc3\xa4\xc3\xa4\xc3\xa4\"}");
    assert_int_equal(e.input.low, 1); /* four characters by a quarter */
    e = reads("allm-embedding", "{}");
    assert_int_equal(e.input.high, 0);
    assert_false(reads("openai-chat", "{\"input\":\"x\"}").counts);
    assert_non_null(reads("allm-image", "{\"prompt\":\"x\"}").no_tokens);
}

/* -- what follows -------------------------------------------------------------------------- */

static struct estimate settled(int asked, int max, int told)
{
    struct estimate e = {.generates = true, .choices = 1, .input = {100, 200, 300}};
    e.has_asked = asked >= 0;
    e.asked = asked >= 0 ? (uint64_t)asked : 0;
    e.has_max = max >= 0;
    e.max_output = max >= 0 ? (uint64_t)max : 0;
    e.has_told = told >= 0;
    e.told = told >= 0 ? (uint64_t)told : 0;
    estimate_settle(&e);
    return e;
}

static void test_settle(void **state)
{
    (void)state;
    struct estimate e = settled(-1, -1, -1);
    assert_int_equal(e.bound, BOUND_NOBODY);
    assert_int_equal(e.assumed, ESTIMATE_ANSWER);
    assert_int_equal(e.answer, ANSWER_USUAL);
    e = settled(1000, 4000, -1);
    assert_int_equal(e.bound, BOUND_REQUEST);
    assert_int_equal(e.limit, 1000);
    e = settled(9000, 4000, -1);
    assert_int_equal(e.bound, BOUND_MODEL);
    assert_int_equal(e.limit, 4000);
    e = settled(-1, 100, -1);
    assert_int_equal(e.assumed, 100);
    assert_int_equal(e.answer, ANSWER_CUT);
    e = settled(1000, -1, 700);
    assert_int_equal(e.assumed, 700);
    assert_int_equal(e.answer, ANSWER_TOLD);
    e = settled(1000, -1, 7000);
    assert_int_equal(e.assumed, 1000);
    assert_int_equal(e.answer, ANSWER_CUT);
    e = settled(0, 4000, -1);
    assert_int_equal(e.limit, 0);
    assert_int_equal(e.assumed, 0);
}

/* -- bills ------------------------------------------------------------------------------------- */

static struct pricing prices(const char *text)
{
    struct pricing p = {0};
    struct reading r = {.ar = &arena};
    struct cost_options o = {.tier = STR("")};
    assert_true(pricing_read(&r, json_of(text), STR("/pricing"), PRICING_CANDO, &o, &p));
    return p;
}

/* Prices one end and compares the total; NULL: it is unknown. */
static void costs(const struct estimate *e, enum estimate_end end, const struct pricing *p, const char *want)
{
    struct cost_options o = {.tier = STR("")};
    char text[DECIMAL_TEXT];
    struct reading r = {.ar = &arena};
    assert_true(estimate_price(&r, e, end, p, &o, &bill, &room));
    assert_int_equal(bill.cost.total.known, want != NULL);
    if (want)
        assert_string_equal(decimal_text(&bill.cost.total.value, text).p, want);
}

#define PLAIN "{\"input_tokens\":\"1\",\"output_tokens\":\"10\"}"

static void test_three_ends(void **state)
{
    (void)state;
    struct pricing p = prices(PLAIN);
    struct estimate e = settled(1000, -1, -1);
    costs(&e, ESTIMATE_LOW, &p, "0.0001");
    costs(&e, ESTIMATE_EXPECTED, &p, "0.0052");
    costs(&e, ESTIMATE_HIGH, &p, "0.0103");
    e.choices = 3;
    costs(&e, ESTIMATE_LOW, &p, "0.0001");
    costs(&e, ESTIMATE_EXPECTED, &p, "0.0152");
    costs(&e, ESTIMATE_HIGH, &p, "0.0303");
}

static void test_no_bound(void **state)
{
    (void)state;
    struct pricing p = prices(PLAIN);
    struct estimate e = settled(-1, -1, -1);
    costs(&e, ESTIMATE_EXPECTED, &p, "0.0052");
    costs(&e, ESTIMATE_HIGH, &p, NULL);
    assert_non_null(bill.no_output);
    assert_null(bill.no_input);
    assert_true(bill.cost.input.known);
}

static void test_nothing_generated(void **state)
{
    (void)state;
    struct pricing p = prices(PLAIN);
    struct estimate e = settled(-1, -1, -1);
    e.generates = false;
    estimate_settle(&e);
    costs(&e, ESTIMATE_EXPECTED, &p, "0.0002");
    costs(&e, ESTIMATE_HIGH, &p, "0.0003");
}

static void test_cache_ways(void **state)
{
    (void)state;
    struct pricing p = prices("{\"input_tokens\":\"1\",\"output_tokens\":\"10\",\"cache_read_tokens\":\"0.1\",\"cache_write_tokens\":\"2\","
                              "\"cache_write_1h_tokens\":\"3\"}");
    struct estimate e = settled(0, -1, -1);
    e.cache = CACHE_MARKED;
    costs(&e, ESTIMATE_LOW, &p, "0.00001");
    costs(&e, ESTIMATE_EXPECTED, &p, "0.0002");
    costs(&e, ESTIMATE_HIGH, &p, "0.0006");
    e.cache = CACHE_MARKED_1H;
    costs(&e, ESTIMATE_HIGH, &p, "0.0009");
    /* a cache that is dearer to read and cheaper to write is not used for these ends */
    p = prices("{\"input_tokens\":\"1\",\"output_tokens\":\"10\",\"cache_read_tokens\":\"5\",\"cache_write_tokens\":\"0.5\"}");
    e.cache = CACHE_MARKED;
    costs(&e, ESTIMATE_LOW, &p, "0.0001");
    costs(&e, ESTIMATE_HIGH, &p, "0.0003");
}

static void test_reasoning_way(void **state)
{
    (void)state;
    struct pricing p = prices("{\"input_tokens\":\"1\",\"output_tokens\":\"10\",\"output_reasoning_tokens\":\"40\",\"cache_write_tokens\":\"2\"}");
    struct estimate e = settled(1000, -1, -1);
    costs(&e, ESTIMATE_EXPECTED, &p, "0.0052");
    costs(&e, ESTIMATE_HIGH, &p, "0.0403");
    e.cache = CACHE_MARKED; /* both at once */
    costs(&e, ESTIMATE_HIGH, &p, "0.0406");
}

static void test_media(void **state)
{
    (void)state;
    struct pricing p = prices(PLAIN), own = prices("{\"input_tokens\":\"1\",\"output_tokens\":\"10\",\"input_audio_tokens\":\"5\"}");
    struct estimate e = settled(0, -1, -1);
    e.media[e.n_media++] = UNIT_input_audio_tokens;
    costs(&e, ESTIMATE_HIGH, &p, "0.0003"); /* the price makes no difference */
    costs(&e, ESTIMATE_LOW, &own, "0.0001");
    costs(&e, ESTIMATE_EXPECTED, &own, NULL);
    costs(&e, ESTIMATE_HIGH, &own, NULL);
}

static void test_open_input(void **state)
{
    (void)state;
    struct pricing p = prices(PLAIN);
    struct estimate e = settled(0, -1, -1);
    e.elsewhere = "why";
    costs(&e, ESTIMATE_LOW, &p, "0.0001");
    costs(&e, ESTIMATE_EXPECTED, &p, NULL);
    assert_string_equal(bill.no_input, "why");
    costs(&e, ESTIMATE_HIGH, &p, NULL);
    e.has_window = true;
    e.window = 1000;
    costs(&e, ESTIMATE_HIGH, &p, "0.001");
    e.window = 10; /* less than what is there: the window is wrong, or nothing fits */
    costs(&e, ESTIMATE_HIGH, &p, "0.0003");
    e.hosted = true;
    costs(&e, ESTIMATE_HIGH, &p, NULL);
    e.elsewhere = NULL;
    costs(&e, ESTIMATE_EXPECTED, &p, "0.0002");
    e.unsized = "how large";
    costs(&e, ESTIMATE_EXPECTED, &p, NULL);
    assert_string_equal(bill.no_input, "how large");
    costs(&e, ESTIMATE_LOW, &p, "0.0001");
}

/* Numbers that no bill has are exact, or refused: never wrong. */
static void test_extremes(void **state)
{
    (void)state;
    struct pricing p = prices(PLAIN);
    struct estimate e = settled(-1, -1, -1);
    e.has_asked = true;
    e.asked = e.choices = UINT64_MAX;
    estimate_settle(&e);
    costs(&e, ESTIMATE_HIGH, &p, "3402823669209384634264811192843491.08255");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),      cmocka_unit_test(test_tier),       cmocka_unit_test(test_choices),
        cmocka_unit_test(test_cache_marks), cmocka_unit_test(test_elsewhere), cmocka_unit_test(test_far_files),
        cmocka_unit_test(test_inputs),     cmocka_unit_test(test_settle),     cmocka_unit_test(test_three_ends),
        cmocka_unit_test(test_no_bound),   cmocka_unit_test(test_nothing_generated), cmocka_unit_test(test_cache_ways),
        cmocka_unit_test(test_reasoning_way), cmocka_unit_test(test_media),   cmocka_unit_test(test_open_input),
        cmocka_unit_test(test_extremes),
    };
    return cmocka_run_group_tests(tests, arena_setup, arena_teardown);
}
