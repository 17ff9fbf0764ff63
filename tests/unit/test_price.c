/*
 * test_price.c - units, price keys, and the five forms of a price list.
 */

#include "test.h"

#include "base/buf.h"
#include "request/cost.h"

/* -- units ------------------------------------------------------------------------------ */

static unsigned unit(const char *name)
{
    unsigned u = unit_find(str_of(name));
    assert_true(u < UNIT_COUNT);
    return u;
}

static void test_units(void **state)
{
    (void)state;
    for (unsigned u = 0; u < UNIT_COUNT; u++) {
        assert_int_equal(unit_find(str_of(unit_name(u))), u);
        assert_true(unit_per(u) > 0);
        assert_false(unit_inside(u, u));
        for (unsigned v = 0; v < UNIT_COUNT; v++) {
            if (!unit_inside(u, v))
                continue;
            assert_false(unit_inside(v, u));
            assert_true(unit_depth(u) > unit_depth(v));
            for (unsigned w = 0; w < UNIT_COUNT; w++)
                assert_true(!unit_inside(v, w) || unit_inside(u, w));
        }
    }
    assert_true(unit_inside(unit("cache_audio_read_tokens"), unit("cache_read_tokens")));
    assert_true(unit_inside(unit("cache_audio_read_tokens"), unit("input_audio_tokens")));
    assert_true(unit_inside(unit("cache_write_1h_tokens"), unit("cache_write_tokens")));
    assert_true(unit_inside(unit("input_audio_seconds"), unit("audio_seconds")));
    assert_false(unit_inside(unit("input_audio_tokens"), unit("cache_read_tokens")));
    assert_false(unit_inside(unit("output_reasoning_tokens"), unit("input_tokens")));
    assert_false(unit_inside(unit("web_searches"), unit("input_tokens")));
    assert_int_equal(unit_direction(unit("web_searches")), UNIT_NO_DIRECTION);
    assert_int_equal(unit_direction(unit("cache_read_tokens")), UNIT_INPUT);
    assert_int_equal(unit_direction(unit("output_audio_tokens")), UNIT_OUTPUT);
    assert_int_equal(unit_find_price_key(STR("web_searches_kcount")), unit("web_searches"));
    assert_int_equal(unit_find_price_key(STR("input_tokens")), UNIT_COUNT);
    assert_str(unit_near(STR("input_token")), "input_tokens");
    assert_str(unit_near(STR("input_tokens")), "");
    assert_str(unit_near(STR("qqqqqqqqqqqq")), "");
}

/* -- keys ---------------------------------------------------------------------------------- */

static void test_good_keys(void **state)
{
    static const char *const keys[] = {
        "input_tokens", "input_tokens @batch", "input_tokens >200000", "output_tokens ^1000", "input_tokens from=2026-12-01",
        "input_tokens time=16:30-00:30", "input_tokens @batch >200000 from=2026-12-01 time=16:30-00:30", "web_searches",
        "cache_write_1h_tokens @priority", "input_tokens >0", "input_tokens time=00:30:05-16:30",
        "input_tokens time=01:00-04:00 days=mon-fri", "input_tokens time=01:00-04:00 days=sun",
    };
    struct price_key k;
    struct buf b;
    (void)state;
    buf_init(&b, NULL, 1000);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        assert_null(price_key_parse(str_of(keys[i]), &k));
        buf_clear(&b);
        price_key_write(&b, &k);
        assert_string_equal(buf_cstr(&b), keys[i]);
    }
    buf_free(&b);
    assert_null(price_key_parse(STR("input_tokens from=1970-01-11 >7 time=00:01-00:00 @flex"), &k));
    assert_int_equal(k.from, 10);
    assert_int_equal(k.threshold, 7);
    assert_int_equal(k.step, PRICE_ABOVE);
    assert_int_equal(k.begin, 60);
    assert_int_equal(k.end, 0);
    assert_true(str_is(k.tier, "flex"));
}

static void test_bad_keys(void **state)
{
    static const char *const keys[] = {
        "", " ", "input", "tokens", "input_tokens ", " input_tokens", "input_tokens  @batch", "input_tokens @", "input_tokens @Batch",
        "input_tokens @batch @flex", "input_tokens >", "input_tokens >-1", "input_tokens >1e5", "input_tokens >1 ^2", "input_tokens >1 >2",
        "input_tokens >9999999999999999", "input_tokens from=2026-02-30", "input_tokens from=", "input_tokens from=2026-01-01 from=2026-01-02",
        "input_tokens time=16:30", "input_tokens time=16:30-16:30", "input_tokens time=16:30-25:00", "input_tokens time=1:00-2:00",
        "input_tokens time=01:00-02:00 time=03:00-04:00", "input_tokens until=2026-01-01", "input_tokens batch", "INPUT_TOKENS",
        "input_tokens >01", "input_tokens days=mon-fri", "input_tokens time=01:00-02:00 days=",
        "input_tokens time=01:00-02:00 days=fri-mon",
        "input_tokens time=01:00-02:00 days=mon days=tue", "input_tokens time=01:00-02:00 days=Mon",
    };
    struct price_key k;
    (void)state;
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (!price_key_parse(str_of(keys[i]), &k))
            fail_msg("'%s' was read as a price key", keys[i]);
}

static void test_rates(void **state)
{
    static const char *const bad[] = {"", "-1", "NaN", "Infinity", "free", "1,5", "$3", "1e-70", "3 "};
    struct decimal d;
    (void)state;
    assert_null(price_rate_parse(STR("0"), &d));
    assert_null(price_rate_parse(STR("0.08333333333333334"), &d));
    assert_null(price_rate_parse(STR("1.5e-06"), &d));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_non_null(price_rate_parse(str_of(bad[i]), &d));
    assert_null(price_wrong(STR("input_tokens"), STR("3")));
    assert_non_null(price_wrong(STR("input_tokens"), STR("three")));
    assert_non_null(price_wrong(STR("input"), STR("3")));
}

static void test_item_cut(void **state)
{
    (void)state;
    assert_int_equal(price_item_cut(STR("agent=off")), 5);
    assert_int_equal(price_item_cut(STR("agent=a=b")), 5);
    assert_int_equal(price_item_cut(STR("input_tokens=3")), 12);
    assert_int_equal(price_item_cut(STR("input_tokens from=2026-12-01=2")), 28);
    assert_int_equal(price_item_cut(STR("input_tokens from=2026-12-01 time=16:30-00:30=0.5")), 45);
    assert_int_equal(price_item_cut(STR("nothing")), 7);
    assert_int_equal(price_item_cut(STR("")), 0);
    assert_int_equal(price_item_cut(STR("=")), 0);
    assert_int_equal(price_item_cut(STR("==")), 0);
}

/* -- forms ------------------------------------------------------------------------------------ */

/* The list as our own keys and rates, separated by "; ". */
static const char *listed(const char *text, enum pricing_form form, const char *at)
{
    struct cost_options o = {.tier = STR("")};
    struct pricing p;
    struct reading r = {.ar = &arena};
    struct buf b;
    char rate[DECIMAL_TEXT];
    o.dated = at && instant_parse(str_of(at), &o.at);
    if (!pricing_read(&r, json_of(text), STR("/pricing"), form, &o, &p)) {
        assert_string_equal(r.error.code, "bad-price");
        return "error";
    }
    buf_init(&b, NULL, 10000);
    for (unsigned i = 0; i < p.n; i++) {
        if (i)
            buf_putz(&b, "; ");
        price_key_write(&b, &p.rate[i].key);
        buf_putc(&b, '=');
        buf_puts(&b, decimal_text(&p.rate[i].rate, rate));
    }
    struct str s = str_dup(&arena, str_make(b.p ? b.p : "", b.n));
    buf_free(&b);
    return s.p;
}

static void test_form_cando(void **state)
{
    (void)state;
    assert_string_equal(listed("{\"form\":\"cando\",\"input_tokens\":\"3\",\"input_tokens >200000\":6,\"output_tokens\":null}", PRICING_CANDO, NULL),
                        "input_tokens=3; input_tokens >200000=6");
    assert_string_equal(listed("{\"input_mtok\":\"3\"}", PRICING_CANDO, NULL), "error");
    assert_string_equal(listed("{\"input_tokens\":{}}", PRICING_CANDO, NULL), "error");
    assert_string_equal(listed("{\"input_tokens\":\"-3\"}", PRICING_CANDO, NULL), "error");
    assert_string_equal(listed("[]", PRICING_CANDO, NULL), "error");
}

static void test_form_models_dev(void **state)
{
    (void)state;
    assert_string_equal(listed("{\"input\":2.5,\"output\":15,\"cache_read\":0.25,\"reasoning\":20,\"input_audio\":3,\"name\":\"x\","
                               "\"tiers\":[{\"input\":5,\"tier\":{\"type\":\"context\",\"size\":272000}}],\"context_over_200k\":{\"input\":5}}",
                               PRICING_MODELS_DEV, NULL),
                        "input_tokens=2.5; output_tokens=15; cache_read_tokens=0.25; output_reasoning_tokens=20; input_audio_tokens=3; "
                        "input_tokens >272000=5");
    assert_string_equal(listed("{\"input\":1,\"context_over_200k\":{\"input\":2,\"cache_write\":3}}", PRICING_MODEL_REF, NULL),
                        "input_tokens=1; input_tokens >200000=2; cache_write_tokens >200000=3");
    assert_string_equal(listed("{\"input\":\"x\"}", PRICING_MODELS_DEV, NULL), "error");
    assert_string_equal(listed("{\"input\":1,\"tiers\":[{\"input\":2}]}", PRICING_MODELS_DEV, NULL), "error");
    assert_string_equal(listed("{\"input\":1,\"tiers\":{}}", PRICING_MODELS_DEV, NULL), "error");
}

static void test_form_litellm(void **state)
{
    (void)state;
    assert_string_equal(listed("{\"input_cost_per_token\":3e-06,\"input_cost_per_token_above_200k_tokens_priority\":\"0.00001\","
                               "\"cache_creation_input_token_cost_above_1hr\":6e-06,\"cache_creation_input_token_cost_above_1hr_above_200k_tokens\":1.2e-05,"
                               "\"output_cost_per_token_batches\":7.5e-06,\"max_tokens\":8192,\"mode\":\"chat\",\"output_cost_per_token\":null}",
                               PRICING_LITELLM, NULL),
                        "input_tokens=3; input_tokens @priority >200000=10; cache_write_1h_tokens=6; cache_write_1h_tokens >200000=12; "
                        "output_tokens @batch=7.5");
    assert_string_equal(listed("{\"input_cost_per_second\":0.0001,\"output_cost_per_image\":0.04,\"search_context_cost_per_query\":"
                               "{\"search_context_size_low\":0.03,\"search_context_size_medium\":0.035}}",
                               PRICING_LITELLM, NULL),
                        "input_audio_seconds=0.36; output_images=0.04; web_searches=35");
    assert_string_equal(listed("{\"output_cost_per_second\":0.5,\"mode\":\"video_generation\"}", PRICING_LITELLM, NULL), "output_video_seconds=0.5");
    assert_string_equal(listed("{\"tiered_pricing\":[{\"range\":[0,32000.0],\"input_cost_per_token\":1e-6},{\"range\":[\"32000\",1e6],"
                               "\"input_cost_per_token\":2e-6}]}",
                               PRICING_LITELLM, NULL),
                        "input_tokens=1; input_tokens >32000=2");
    assert_string_equal(listed("{\"tiered_pricing\":[{\"input_cost_per_token\":1e-6}]}", PRICING_LITELLM, NULL), "error");
    assert_string_equal(listed("{\"input_cost_per_token\":-1}", PRICING_LITELLM, NULL), "error");
    assert_string_equal(listed("{\"input_cost_per_token_above_xk_tokens\":1,\"input_cost_per_token_above_k_tokens\":1}", PRICING_LITELLM, NULL), "");
}

static void test_form_genai(void **state)
{
    static const char dated[] = "{\"prices\":[{\"prices\":{\"input_mtok\":1}},{\"constraint\":{\"start_date\":\"2026-07-30\"},\"prices\":"
                                "{\"input_mtok\":2}},{\"constraint\":{\"start_time\":\"22:00:00Z\",\"end_time\":\"02:00:00Z\"},\"prices\":"
                                "{\"input_mtok\":3}}]}";
    (void)state;
    assert_string_equal(listed("{\"input_mtok\":{\"base\":\"3\",\"tiers\":[{\"start\":200000,\"price\":\"6\"}]},\"requests_kcount\":12}", PRICING_GENAI, NULL),
                        "input_tokens=3; input_tokens >200000=6; requests=12");
    assert_string_equal(listed("{\"prices\":{\"input_mtok\":1},\"id\":\"x\"}", PRICING_GENAI, NULL), "input_tokens=1");
    assert_string_equal(listed(dated, PRICING_GENAI, "2026-07-29T12:00:00Z"), "input_tokens=1");
    assert_string_equal(listed(dated, PRICING_GENAI, "2026-07-30"), "input_tokens=3");
    assert_string_equal(listed(dated, PRICING_GENAI, "2026-07-30T02:00:00Z"), "input_tokens=2");
    assert_string_equal(listed(dated, PRICING_GENAI, "2026-01-30T22:00:00Z"), "input_tokens=3");
    assert_string_equal(listed(dated, PRICING_GENAI, "2026-07-30T01:00:00+02:00"), "input_tokens=3");
    assert_string_equal(listed(dated, PRICING_GENAI, NULL), "input_tokens=2");
    assert_string_equal(listed("{\"prices\":[{\"constraint\":{\"start_date\":\"2027-01-01\"},\"prices\":{\"input_mtok\":1}}]}", PRICING_GENAI, "2026-01-01"), "");
    static const char *const bad[] = {
        "{\"input_mtok\":{\"tiers\":[]}}", "{\"input_mtok\":{\"base\":1,\"tiers\":[{\"start\":-1,\"price\":2}]}}", "{\"inputmtok\":1}",
        "{\"input_mtok\":{\"base\":1,\"tiers\":[{\"start\":1.5,\"price\":2}]}}", "{\"input_mtok\":true}", "{\"prices\":[1]}", "{\"prices\":5}",
        "{\"prices\":[{\"constraint\":{\"start_date\":\"soon\"},\"prices\":{}}]}", "{\"prices\":[{\"constraint\":3,\"prices\":{}}]}",
        "{\"prices\":[{\"constraint\":{\"start_time\":\"12:00\"},\"prices\":{}}]}", "{\"input_mtok\":{\"base\":1,\"tiers\":[{\"start\":5}]}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_string_equal(listed(bad[i], PRICING_GENAI, NULL), "error");
}

static void test_too_many_rates(void **state)
{
    struct pricing p = {0};
    struct reading r = {.ar = &arena};
    (void)state;
    for (unsigned i = 0; i < LIMIT_PRICE_RATES; i++)
        assert_true(pricing_add(&r, &p, STR(""), STR("input_tokens"), STR("3")));
    assert_false(pricing_add(&r, &p, STR(""), STR("input_tokens"), STR("3")));
    assert_int_equal(p.n, LIMIT_PRICE_RATES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_units),
        cmocka_unit_test(test_good_keys),
        cmocka_unit_test(test_bad_keys),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_item_cut),
        TEST_WITH_ARENA(test_form_cando),
        TEST_WITH_ARENA(test_form_models_dev),
        TEST_WITH_ARENA(test_form_litellm),
        TEST_WITH_ARENA(test_form_genai),
        cmocka_unit_test(test_too_many_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
