/*
 * test_instant.c - days as numbers, and what counts as today.
 */
#include "base/instant.h"
#include "test.h"

/* A month is its day 0, a year its month 0. */
static void test_day_number(void **state)
{
    (void)state;
    assert_int_equal(day_number(STR("2026-11-15")), 20261115);
    assert_int_equal(day_number(STR("2026-11")), 20261100);
    assert_int_equal(day_number(STR("2026")), 20260000);
    static const char *const none[] = {"",           "26-11-15",  "2026-13",  "2026-00",
                                       "2026-02-30", "2026-11-1", "20261115", "2026-11-15x",
                                       "soon",       "2026-"};
    for (size_t i = 0; i < LENGTH(none); i++)
        assert_int_equal(day_number(str_of(none[i])), 0);
}

static void test_today(void **state)
{
    (void)state;
    assert_in_range(day_today(), 20260101, 29991231);
    day_set_today(20240229);
    assert_int_equal(day_today(), 20240229);
    day_set_today(0);
    assert_in_range(day_today(), 20260101, 29991231);
}

/* Milliseconds begin with 1970: what was before has none. */
static void test_to_ms(void **state)
{
    (void)state;
    struct instant t;
    uint64_t ms = 7;
    assert_true(instant_parse(STR("1970-01-01T00:00:01Z"), &t) && instant_to_ms(&t, &ms));
    assert_int_equal(ms, 1000);
    assert_true(instant_parse(STR("1969-12-31T23:59:59Z"), &t));
    assert_false(instant_to_ms(&t, &ms));
}

/* How far a place is from UTC: up to 23:59, either way. */
static void test_zone(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t ms;
    } good[] = {
        {"1970-01-03T00:00:00+00:59", 172800000 - 59 * 60000},
        {"1970-01-03T00:00:00+23:00", 172800000 - 23 * 3600000},
        {"1970-01-03T00:00:00-23:59", 172800000 + (23 * 60 + 59) * 60000},
        {"1970-01-03T00:00:00-0130", 172800000 + 90 * 60000},
    };
    struct instant t;
    uint64_t ms;
    for (size_t i = 0; i < LENGTH(good); i++) {
        assert_true(instant_parse(str_of(good[i].text), &t) && instant_to_ms(&t, &ms));
        assert_int_equal(ms, good[i].ms);
    }
    assert_false(instant_parse(STR("1970-01-03T00:00:00+00:60"), &t));
    assert_false(instant_parse(STR("1970-01-03T00:00:00+24:00"), &t));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_day_number),
                                       cmocka_unit_test(test_to_ms), cmocka_unit_test(test_today),
                                       cmocka_unit_test(test_zone)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
