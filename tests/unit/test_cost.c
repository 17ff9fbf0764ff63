/*
 * test_cost.c - the bill: which rate holds, who pays, what is unknown.
 *
 * Prices and counts are written as in requests. The property at the end pays
 * every single token on its own and compares with what the shares come to: no
 * token is billed twice and none is lost.
 */

#include "test.h"

#include "request/usage.h"

static struct cost bill;
static struct reading reading = {.ar = &arena};

static bool compute(const char *usage, const char *price, const char *at, const char *tier)
{
    struct cost_options o = {.tier = str_of(tier ? tier : "")};
    struct pricing p;
    struct usage u;
    if (at) {
        o.dated = true;
        assert_true(instant_parse(str_of(at), &o.at));
    }
    assert_true(usage_from_units(&reading, json_of(usage), STR("/usage"), &u));
    assert_true(pricing_read(&reading, json_of(price), STR("/pricing"), PRICING_CANDO, &o, &p));
    return cost_compute(&reading, &u, &p, &o, &bill);
}

/* The unit that one without a rate of its own was paid with. */
static unsigned paid_as(unsigned unit)
{
    for (unsigned i = 0; i < bill.n_guests; i++)
        if (bill.guest[i].unit == unit)
            return bill.guest[i].payer;
    return UNIT_COUNT;
}

static const char *amount(const struct money *m)
{
    static char text[4][DECIMAL_TEXT];
    static unsigned at;
    at = (at + 1) % 4;
    return m->known ? decimal_text(&m->value, text[at]).p : "null";
}

#define WANT(in, out, all)                              \
    do {                                                \
        assert_string_equal(amount(&bill.input), in);   \
        assert_string_equal(amount(&bill.output), out); \
        assert_string_equal(amount(&bill.total), all);  \
    } while (0)
#define COMPUTE(usage, price, at, tier) assert_true(compute(usage, price, at, tier))

#define PLAIN "{\"input_tokens\":\"3\",\"output_tokens\":\"15\",\"cache_read_tokens\":\"0.3\",\"cache_write_tokens\":\"3.75\",\"cache_write_1h_tokens\":\"6\"}"

static void test_shares(void **state)
{
    (void)state;
    COMPUTE("{\"input_tokens\":1000,\"output_tokens\":100}", PLAIN, NULL, NULL);
    WANT("0.003", "0.0015", "0.0045");
    assert_int_equal(bill.n, 2);
    COMPUTE("{\"input_tokens\":1000,\"cache_read_tokens\":1000}", PLAIN, NULL, NULL);
    WANT("0.0003", "0", "0.0003");
    assert_int_equal(bill.n, 1);
    COMPUTE("{\"input_tokens\":400,\"cache_write_tokens\":300,\"cache_write_5m_tokens\":200,\"cache_write_1h_tokens\":100}", PLAIN, NULL, NULL);
    WANT("0.00165", "0", "0.00165");
    COMPUTE("{}", PLAIN, NULL, NULL);
    WANT("0", "0", "0");
    assert_int_equal(bill.n, 0);
}

/* A unit without a rate is paid with the one around it, and the bill says so. */
static void test_enclosing(void **state)
{
    (void)state;
    COMPUTE("{\"output_tokens\":100,\"output_reasoning_tokens\":60}", PLAIN, NULL, NULL);
    WANT("0", "0.0015", "0.0015");
    assert_int_equal(bill.n, 1);
    assert_int_equal(paid_as(UNIT_output_reasoning_tokens), UNIT_output_tokens);
    assert_int_equal(paid_as(UNIT_output_tokens), UNIT_COUNT);
    /* Cached audio lies in two that have a rate: it is audio, and paid once. */
    COMPUTE("{\"input_tokens\":1000,\"cache_read_tokens\":400,\"input_audio_tokens\":250,\"cache_audio_read_tokens\":100}",
            "{\"input_tokens\":\"1\",\"cache_read_tokens\":\"0.1\",\"input_audio_tokens\":\"10\"}", NULL, NULL);
    WANT("0.00298", "0", "0.00298"); /* 450 + 300 * 0.1 + 150 * 10 + 100 * 10 */
    assert_int_equal(paid_as(UNIT_cache_audio_read_tokens), UNIT_input_audio_tokens);
}

static void test_unknown(void **state)
{
    (void)state;
    COMPUTE("{\"input_tokens\":1000,\"output_tokens\":5}", "{\"input_tokens\":\"3\"}", NULL, NULL);
    WANT("0.003", "null", "null");
    assert_int_equal(bill.n_unknown, 1);
    assert_int_equal(bill.unknown[0].unit, UNIT_output_tokens);
    assert_int_equal(bill.unknown[0].reason, COST_NO_RATE);
    COMPUTE("{\"input_tokens\":1000,\"output_tokens\":0}", "{\"input_tokens\":\"3\"}", NULL, NULL);
    WANT("0.003", "0", "0.003");
    COMPUTE("{\"input_tokens\":null,\"output_tokens\":5}", PLAIN, NULL, NULL);
    WANT("null", "0.000075", "null");
    assert_int_equal(bill.unknown[0].reason, COST_NO_COUNT);
    COMPUTE("{\"input_tokens\":100,\"cache_read_tokens\":null}", PLAIN, NULL, NULL);
    WANT("null", "0", "null");
    COMPUTE("{\"web_searches\":3}", PLAIN, NULL, NULL);
    WANT("0", "0", "null");
    /* Its parts cover the whole, so that the whole needs no rate. */
    COMPUTE("{\"input_tokens\":100,\"cache_read_tokens\":100}", "{\"cache_read_tokens\":\"1\"}", NULL, NULL);
    WANT("0.0001", "0", "0.0001");
    COMPUTE("{\"input_tokens\":101,\"cache_read_tokens\":100}", "{\"cache_read_tokens\":\"1\"}", NULL, NULL);
    WANT("null", "0", "null");
    /* Whether the threshold is passed depends on what nobody knows. */
    COMPUTE("{\"input_tokens\":null,\"output_tokens\":5}", "{\"input_tokens\":\"1\",\"output_tokens\":\"1\",\"output_tokens >100\":\"2\"}", NULL, NULL);
    WANT("null", "null", "null");
    assert_int_equal(bill.unknown[1].reason, COST_NO_THRESHOLD);
}

static void test_contradictions(void **state)
{
    (void)state;
    assert_false(compute("{\"input_tokens\":10,\"cache_read_tokens\":11}", PLAIN, NULL, NULL));
    assert_string_equal(reading.error.message, "cache_read_tokens is larger than input_tokens, which it is a part of");
    assert_string_equal(reading.error.code, "bad-usage");
    assert_false(compute("{\"input_tokens\":10,\"input_audio_tokens\":11}", "{\"input_tokens\":\"1\"}", NULL, NULL));
    assert_false(compute("{\"input_tokens\":10,\"cache_read_tokens\":6,\"cache_write_tokens\":6}", PLAIN, NULL, NULL));
    assert_string_equal(reading.error.message, "the parts of input_tokens are more than input_tokens");
    assert_false(compute("{\"cache_read_tokens\":1}", PLAIN, NULL, NULL)); /* absent counts 0 */
    COMPUTE("{\"input_tokens\":10,\"input_text_tokens\":8,\"cache_read_tokens\":8}", PLAIN, NULL, NULL);
}

static void test_thresholds(void **state)
{
    static const char price[] = "{\"input_tokens\":\"1\",\"input_tokens >100\":\"2\",\"input_tokens >1000\":\"3\",\"output_tokens\":\"4\",\"output_tokens >100\":\"5\","
                                "\"cache_read_tokens\":\"0.5\"}";
    (void)state;
    COMPUTE("{\"input_tokens\":100,\"output_tokens\":1000}", price, NULL, NULL);
    WANT("0.0001", "0.004", "0.0041");
    COMPUTE("{\"input_tokens\":101,\"output_tokens\":1000}", price, NULL, NULL);
    WANT("0.000202", "0.005", "0.005202");
    COMPUTE("{\"input_tokens\":2000,\"cache_read_tokens\":1900,\"output_tokens\":1}", price, NULL, NULL);
    WANT("0.00125", "0.000005", "0.001255");
}

static void test_graduated(void **state)
{
    static const char price[] = "{\"output_tokens\":\"10\",\"output_tokens ^100\":\"5\",\"output_tokens ^1000\":\"1\"}";
    (void)state;
    COMPUTE("{\"output_tokens\":100}", price, NULL, NULL);
    WANT("0", "0.001", "0.001");
    assert_int_equal(bill.n, 1);
    COMPUTE("{\"output_tokens\":101}", price, NULL, NULL);
    WANT("0", "0.001005", "0.001005");
    COMPUTE("{\"output_tokens\":1500}", price, NULL, NULL);
    WANT("0", "0.006", "0.006");
    assert_int_equal(bill.n, 3);
    COMPUTE("{\"output_tokens\":10}", "{\"output_tokens ^0\":\"3\",\"output_tokens ^4\":\"2\"}", NULL, NULL);
    WANT("0", "0.000024", "0.000024");
    COMPUTE("{\"output_tokens\":10}", "{\"output_tokens ^4\":\"2\"}", NULL, NULL);
    WANT("0", "null", "null"); /* nobody says what the first four cost */
}

static void test_tiers(void **state)
{
    static const char price[] = "{\"input_tokens\":\"4\",\"input_tokens @batch\":\"2\",\"input_tokens >100\":\"8\",\"input_tokens @flex >100\":\"3\","
                                "\"output_tokens\":\"10\",\"output_tokens @batch\":\"5\",\"output_reasoning_tokens\":\"20\"}";
    (void)state;
    COMPUTE("{\"input_tokens\":100}", price, NULL, "batch");
    WANT("0.0002", "0", "0.0002");
    COMPUTE("{\"input_tokens\":200}", price, NULL, "batch"); /* the threshold comes first */
    WANT("0.0016", "0", "0.0016");
    COMPUTE("{\"input_tokens\":200}", price, NULL, "FLEX");
    WANT("0.0006", "0", "0.0006");
    COMPUTE("{\"input_tokens\":100}", price, NULL, "gold");
    WANT("0.0004", "0", "0.0004");
    COMPUTE("{\"input_tokens\":100}", price, NULL, "default");
    WANT("0.0004", "0", "0.0004");
    COMPUTE("{\"output_tokens\":100,\"output_reasoning_tokens\":50}", price, NULL, NULL);
    WANT("0", "0.0015", "0.0015");
    COMPUTE("{\"output_tokens\":100,\"output_reasoning_tokens\":50}", price, NULL, "batch"); /* reasoning gives way */
    WANT("0", "0.0005", "0.0005");
    char buf[40];
    assert_true(str_is(cost_tier(STR("Fast"), buf), "priority"));
    assert_true(str_is(cost_tier(STR("batches"), buf), "batch"));
    assert_true(str_is(cost_tier(STR("Standard"), buf), ""));
    assert_int_equal(cost_tier(STR("a-name-that-is-longer-than-any-service-tier-is"), buf).n, 39);
}

static void test_dates(void **state)
{
    static const char price[] = "{\"input_tokens\":\"4\",\"input_tokens >100\":\"8\",\"input_tokens @batch\":\"2\",\"input_tokens from=2026-03-01\":\"3\","
                                "\"input_tokens from=2026-06-01\":\"2.5\",\"input_tokens >100 from=2026-06-01\":\"5\"}";
    (void)state;
    COMPUTE("{\"input_tokens\":1000}", price, "2026-02-28T23:59:59Z", NULL);
    WANT("0.008", "0", "0.008");
    COMPUTE("{\"input_tokens\":1000}", price, "2026-03-01T00:00:00Z", NULL); /* the old list's threshold went with it */
    WANT("0.003", "0", "0.003");
    COMPUTE("{\"input_tokens\":1000}", price, "2026-05-31T22:00:00-04:00", NULL); /* June already, in UTC */
    WANT("0.005", "0", "0.005");
    COMPUTE("{\"input_tokens\":1000}", price, NULL, NULL);
    WANT("0.005", "0", "0.005");
    COMPUTE("{\"input_tokens\":10}", price, "2026-07-01", "batch"); /* a tier has dates of its own */
    WANT("0.00002", "0", "0.00002");
}

static void test_times(void **state)
{
    static const char price[] = "{\"input_tokens\":\"4\",\"input_tokens time=16:30-00:30\":\"1\"}";
    (void)state;
    COMPUTE("{\"input_tokens\":1000}", price, "2026-03-01T16:29:59Z", NULL);
    WANT("0.004", "0", "0.004");
    COMPUTE("{\"input_tokens\":1000}", price, "2026-03-01T16:30:00Z", NULL);
    WANT("0.001", "0", "0.001");
    COMPUTE("{\"input_tokens\":1000}", price, "2026-03-02T00:29:59Z", NULL);
    WANT("0.001", "0", "0.001");
    COMPUTE("{\"input_tokens\":1000}", price, "2026-03-02T00:30:00Z", NULL);
    WANT("0.004", "0", "0.004");
    COMPUTE("{\"input_tokens\":1000}", price, NULL, NULL);
    WANT("0.004", "0", "0.004");
}

static void test_other_units(void **state)
{
    (void)state;
    COMPUTE("{\"web_searches\":3,\"input_tokens\":0}", "{\"web_searches\":\"10\",\"requests\":\"5\",\"input_tokens\":\"1\"}", NULL, NULL);
    WANT("0", "0", "0.035");
    COMPUTE("{\"requests\":4}", "{\"requests\":\"5\"}", NULL, NULL);
    WANT("0", "0", "0.02");
    COMPUTE("{\"audio_seconds\":90.5}", "{\"audio_seconds\":\"0.36\"}", NULL, NULL);
    WANT("0", "0", "0.00905");
    assert_false(bill.item[0].rounded);
    COMPUTE("{\"input_audio_seconds\":1}", "{\"input_audio_seconds\":\"0.25\"}", NULL, NULL);
    WANT("0.00006944444444444444444444444444", "0", "0.00006944444444444444444444444444");
    assert_true(bill.item[0].rounded);
    COMPUTE("{\"output_images\":2}", "{\"output_images\":\"0.04\"}", NULL, NULL);
    WANT("0", "0.08", "0.08");
}

static void test_keep(void **state)
{
    struct cost_keep keep = {0};
    (void)state;
    COMPUTE("{\"input_tokens\":1000,\"output_tokens\":500,\"web_searches\":1}",
            "{\"input_tokens\":\"1\",\"output_tokens\":\"2\",\"web_searches\":\"10\"}", NULL, NULL);
    keep.input = (struct money){true, decimal_from(99)};
    assert_true(cost_keep(&bill, &keep));
    WANT("99", "0.001", "99.011");
    keep.total = (struct money){true, decimal_from(7)};
    assert_true(cost_keep(&bill, &keep));
    WANT("99", "0.001", "7");
    COMPUTE("{\"input_tokens\":null,\"output_tokens\":500}", PLAIN, NULL, NULL);
    keep.total.known = false;
    assert_true(cost_keep(&bill, &keep));
    WANT("99", "0.0075", "99.0075");
}

static void test_overflow(void **state)
{
    (void)state;
    assert_false(compute("{\"input_tokens\":9007199254740991}", "{\"input_tokens\":\"1e70\"}", NULL, NULL));
    assert_true(compute("{\"input_tokens\":9007199254740991}", "{\"input_tokens\":\"1e50\"}", NULL, NULL));
}

/* -- every token on its own ------------------------------------------------------------------- */

static uint64_t seed = 0x2545F4914F6CDD1Du;

static unsigned pick(unsigned n)
{
    return dice(&seed, n);
}

/* Kinds of input tokens, each by the units that count it. */
static const uint8_t kinds[][6] = {
    {UNIT_input_tokens, UNIT_COUNT},
    {UNIT_input_tokens, UNIT_input_text_tokens, UNIT_COUNT},
    {UNIT_input_tokens, UNIT_input_audio_tokens, UNIT_COUNT},
    {UNIT_input_tokens, UNIT_cache_read_tokens, UNIT_COUNT},
    {UNIT_input_tokens, UNIT_cache_read_tokens, UNIT_input_audio_tokens, UNIT_cache_audio_read_tokens, UNIT_COUNT},
    {UNIT_input_tokens, UNIT_cache_read_tokens, UNIT_input_text_tokens, UNIT_cache_text_read_tokens, UNIT_COUNT},
    {UNIT_input_tokens, UNIT_cache_write_tokens, UNIT_COUNT},
    {UNIT_input_tokens, UNIT_cache_write_tokens, UNIT_cache_write_1h_tokens, UNIT_COUNT},
    {UNIT_input_tokens, UNIT_input_tool_tokens, UNIT_COUNT},
};
#define N_KINDS (sizeof kinds / sizeof *kinds)

static bool has_rate(const struct pricing *p, unsigned unit, const struct decimal **rate)
{
    for (unsigned i = 0; i < p->n; i++)
        if (p->rate[i].key.unit == unit) {
            *rate = &p->rate[i].rate;
            return true;
        }
    return false;
}

/* The rate of the innermost priced unit that counts this kind; of two, the one
 * with the modality. */
static const struct decimal *token_rate(const struct pricing *p, const uint8_t *units)
{
    const struct decimal *best = NULL, *rate;
    unsigned of = UNIT_COUNT;
    for (; *units != UNIT_COUNT; units++) {
        if (!has_rate(p, *units, &rate))
            continue;
        if (of == UNIT_COUNT || unit_inside(*units, of) ||
            (unit_depth(*units) == unit_depth(of) && unit_has_modality(*units) && !unit_has_modality(of))) {
            best = rate;
            of = *units;
        }
    }
    return best;
}

static void test_no_token_twice(void **state)
{
    (void)state;
    for (int round = 0; round < 20000; round++) {
        struct usage u = {0};
        struct pricing p = {0};
        struct cost_options o = {.tier = STR("")};
        uint64_t n[N_KINDS];
        struct decimal want = DECIMAL_ZERO;
        char rate[16];
        assert_true(pricing_add(&reading, &p, STR(""), STR("input_tokens"), STR("1.5")));
        for (unsigned unit = UNIT_input_tokens + 1; unit < UNIT_COUNT; unit++)
            if (unit_inside(unit, UNIT_input_tokens) && pick(3) == 0) {
                snprintf(rate, sizeof rate, "%u.%02u", pick(20), pick(100));
                assert_true(pricing_add(&reading, &p, STR(""), str_of(unit_name(unit)), str_of(rate)));
            }
        for (size_t k = 0; k < N_KINDS; k++) {
            n[k] = pick(2) ? pick(1000) : 0;
            struct decimal count = decimal_from(n[k]), part;
            for (const uint8_t *unit = kinds[k]; *unit != UNIT_COUNT; unit++) {
                u.state[*unit] = COUNT_KNOWN;
                assert_true(decimal_add(&u.count[*unit], &count, &u.count[*unit]));
            }
            assert_true(decimal_mul(&count, token_rate(&p, kinds[k]), &part) && decimal_shift(&part, -6, &part));
            assert_true(decimal_add(&want, &part, &want));
        }
        assert_true(cost_compute(&reading, &u, &p, &o, &bill));
        assert_true(bill.input.known && bill.total.known);
        assert_int_equal(decimal_cmp(&bill.input.value, &want), 0);
        assert_int_equal(decimal_cmp(&bill.total.value, &want), 0);
    }
}

int main(void)
{
#define TEST(name) TEST_WITH_ARENA(name)
    const struct CMUnitTest tests[] = {
        TEST(test_shares), TEST(test_enclosing), TEST(test_unknown), TEST(test_contradictions), TEST(test_thresholds), TEST(test_graduated),
        TEST(test_tiers),  TEST(test_dates),     TEST(test_times),   TEST(test_other_units),    TEST(test_keep),       TEST(test_overflow),
        TEST(test_no_token_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
