/*
 * test_check.c - enough is enough: every level against every threshold, level of need
 * and policy; numbers and sets; and the fast ways against the slow one.
 */
#include "ask.h"
#include "decide/check.h"
#include "decide/claims.h"

/* The rules once more, from the words of the documentation. */
static cando_effect expected(cando_level level, cando_min_support min, cando_support have,
                             cando_unknown unknown)
{
    bool native = have == CANDO_NATIVE,
         usable = native || have == CANDO_EMULATED || have == CANDO_RESTRICTED;
    if (level == CANDO_PROBED)
        return CANDO_PENDING;
    if (have == CANDO_UNKNOWN) {
        if (level == CANDO_PREFERRED || unknown == CANDO_UNKNOWN_WARN)
            return CANDO_PENDING;
        return unknown == CANDO_UNKNOWN_ALLOW ? CANDO_MET : CANDO_MISSING;
    }
    bool ok = min == CANDO_MIN_NATIVE ? native : min == CANDO_MIN_EMULATED ? usable : true;
    return ok ? CANDO_MET : level == CANDO_HARD ? CANDO_MISSING : CANDO_UNMET;
}

static void test_table(void **state)
{
    (void)state;
    cando_planes p;
    unsigned cases = 0;
    for (unsigned slot = 0; slot < SLOT_COUNT; slot += 13)
        for (unsigned have = CANDO_UNKNOWN; have <= CANDO_NATIVE; have++) {
            planes_clear(&p);
            planes_put(&p, slot, (cando_support)have);
            assert_int_equal(planes_level(&p, slot), have);
            for (unsigned level = 0; level < 3; level++)
                for (unsigned min = 0; min < 3; min++)
                    for (unsigned unknown = 0; unknown < 3; unknown++, cases++) {
                        struct need n = {.slot = (uint8_t)slot,
                                         .level = (uint8_t)level,
                                         .min_support = (uint8_t)min};
                        cando_outcome o = check_need(&n, &p, (cando_unknown)unknown);
                        assert_int_equal(o.effect,
                                         expected((cando_level)level, (cando_min_support)min,
                                                  (cando_support)have, (cando_unknown)unknown));
                        assert_int_equal(o.have, have);
                    }
        }
    assert_true(cases > 500);
}

static void test_numbers(void **state)
{
    (void)state;
    cando_planes p;
    planes_clear(&p);
    struct need n = {.kind = NEED_NUMBER, .slot = NUM_context_window, .minimum = 32000};
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_PENDING);
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_DENY).effect, CANDO_MISSING);
    planes_put_number(&p, NUM_context_window, 31999);
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_MISSING);
    planes_put_number(&p, NUM_context_window, 32000);
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_MET);
    n.minimum = 0;
    planes_put_number(&p, NUM_context_window, 0);
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_MET);
    n.level = CANDO_PROBED;
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_PENDING);
    n = (struct need){
        .kind = NEED_NUMBER, .slot = NUM_context_window, .minimum = 5, .level = CANDO_PREFERRED};
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_UNMET);
}

static void test_sets(void **state)
{
    (void)state;
    cando_planes p;
    planes_clear(&p);
    uint32_t low = set_bit(F_reasoning_efforts, STR("low")),
             high = set_bit(F_reasoning_efforts, STR("high"));
    assert_true(low && high && low != high);
    assert_int_equal(set_bit(F_reasoning_efforts, STR("huge")), 0);
    struct need n = {.kind = NEED_SET, .slot = SET_reasoning_efforts, .set = low | high};
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_PENDING);
    p.set_known |= 1u << SET_reasoning_efforts;
    p.set[SET_reasoning_efforts] = low;
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_MISSING);
    p.set[SET_reasoning_efforts] |= high;
    assert_int_equal(check_need(&n, &p, CANDO_UNKNOWN_WARN).effect, CANDO_MET);
}

/* Random lists of needs against random planes: the whole check is the single ones. */
static void test_fold(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (unsigned round = 0; round < 2000; round++) {
        struct arena ar;
        arena_init(&ar, NULL);
        struct reading r = {.ar = &ar};
        struct need_list l;
        cando_planes p;
        planes_clear(&p);
        bool uniform = round % 4 == 0;
        for (unsigned s = 0; s < SLOT_COUNT; s++)
            planes_put(&p, s, uniform ? CANDO_NATIVE : (cando_support)dice(&seed, 5));
        need_list_init(&l);
        for (unsigned i = dice(&seed, 50); i > 0; i--) {
            struct need n = {
                .kind = dice(&seed, 8) ? NEED_SLOT : NEED_NUMBER,
                .level = (uint8_t)dice(&seed, uniform ? 2 : 3),
                .min_support = (uint8_t)dice(&seed, 3),
                .name = STR("x"),
                .required_by = STR(""),
                .path = STR(""),
            };
            n.slot = (uint8_t)dice(&seed, n.kind == NEED_SLOT ? SLOT_COUNT : NUM_COUNT);
            n.minimum = n.kind == NEED_NUMBER ? 1 : 0;
            assert_true(need_add(&r, &l, n));
        }
        cando_unknown policy = (cando_unknown)dice(&seed, 3);
        cando_outcome out[64];
        cando_check_result got = check_needs(&l, &p, policy, out);
        uint32_t missing = 0, warnings = 0;
        for (size_t i = 0; i < l.n; i++) {
            cando_outcome one = check_need(&l.need[i], &p, policy);
            assert_int_equal(one.effect, out[i].effect);
            assert_int_equal(one.have, out[i].have);
            missing += one.effect == CANDO_MISSING;
            warnings += one.effect == CANDO_UNMET || one.effect == CANDO_PENDING;
        }
        assert_int_equal(got.missing, missing);
        assert_int_equal(got.warnings, warnings);
        assert_int_equal(got.verdict, missing    ? CANDO_REJECTED
                                      : warnings ? CANDO_DEGRADED
                                                 : CANDO_ACCEPTED);
        assert_int_equal(check_needs(&l, &p, policy, NULL).verdict, got.verdict);
        arena_free(&ar);
    }
}

/* Every field of the vocabulary has its place, once, and the way back leads to it. */
static void test_places(void **state)
{
    (void)state;
    unsigned slots = 0;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        cando_type t = vocab_row(f)->type;
        if (t == CANDO_SUPPORT || t == CANDO_FLAG) {
            assert_int_equal(slot_field(plane_slot(f)), f);
            assert_string_equal(slot_name(plane_slot(f)), vocab_row(f)->name);
            slots++;
        }
        if (t == CANDO_NUMBER)
            assert_int_equal(number_field(plane_number(f)), f);
        if (plane_set(f) != SLOT_NONE)
            assert_int_equal(set_field(plane_set(f)), f);
    }
    assert_int_equal(slots, SLOT_multimodal);
    uint8_t kind, slot;
    assert_true(need_find(STR("toolCalling"), &kind, &slot));
    assert_int_equal(slot, F_tool_calling);
    assert_true(need_find(STR("supports_function_calling"), &kind, &slot));
    assert_int_equal(slot, F_tool_calling);
    assert_true(need_find(STR("MULTIMODAL"), &kind, &slot));
    assert_int_equal(slot, SLOT_multimodal);
    assert_false(need_find(STR("display_name"), &kind, &slot));
    assert_false(need_find(STR("no such thing"), &kind, &slot));
}

static void test_multimodal(void **state)
{
    (void)state;
    cando_planes p;
    planes_clear(&p);
    planes_finish(&p);
    assert_int_equal(planes_level(&p, SLOT_multimodal), CANDO_UNKNOWN);
    planes_put(&p, F_input_image, CANDO_UNSUPPORTED);
    planes_put(&p, F_input_audio, CANDO_UNSUPPORTED);
    planes_finish(&p);
    assert_int_equal(planes_level(&p, SLOT_multimodal), CANDO_UNKNOWN);
    planes_put(&p, F_input_video, CANDO_UNSUPPORTED);
    planes_finish(&p);
    assert_int_equal(planes_level(&p, SLOT_multimodal), CANDO_UNSUPPORTED);
    planes_clear(&p);
    planes_put(&p, F_input_audio, CANDO_EMULATED);
    planes_finish(&p);
    assert_int_equal(planes_level(&p, SLOT_multimodal), CANDO_EMULATED);
}

static void test_prices(void **state)
{
    (void)state;
    static const struct {
        const char *in, *out;
    } ok[] = {{"1.5", "1.5"},
              {"0", "0"},
              {"0.000000000001", "0.000000000001"},
              {"10", "10"},
              {"007.50", "7.5"},
              {"0.15", "0.15"},
              {"0.0000000000001", "0.000000000001"},
              {"123456.789", "123456.789"}};
    uint64_t v;
    char room[40];
    for (size_t i = 0; i < sizeof ok / sizeof ok[0]; i++) {
        assert_true(price_parse(str_of(ok[i].in), &v));
        assert_string_equal(price_text(v, room).p, ok[i].out);
    }
    static const char *const bad[] = {
        "", ".", "-1", "1e3", "1.2.3", "x", "99999999999999999999", "18446744073709551615"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_false(price_parse(str_of(bad[i]), &v));
}

/* The public way: read, check, free. */
static void test_public(void **state)
{
    (void)state;
    cando_error err = {0};
    const char *json = "{\"required\":[{\"capability\":\"streaming\",\"min_support\":\"native\"},{"
                       "\"capability\":\"tool_read\",\"min_support\":\"emulated\"}]}";
    cando_needs *n = cando_needs_read(json, strlen(json), NULL, &err);
    assert_non_null(n);
    assert_int_equal(cando_needs_count(n), 2);
    assert_string_equal(cando_needs_get(n, 1).capability, "tool_read");
    assert_string_equal(cando_needs_get(n, 1).path, "/required/1");
    assert_string_equal(cando_needs_get(n, 9).capability, "");
    const char *manifest =
        "{\"streaming\":\"native\",\"tool_read\":{\"restricted\":{\"reason\":\"sandbox\"}}}";
    cando_claims *c = cando_claims_read("manifest", manifest, strlen(manifest), NULL, &err);
    assert_non_null(c);
    cando_outcome out[2];
    assert_int_equal(cando_check(n, cando_claims_planes(c), CANDO_UNKNOWN_DENY, out).verdict,
                     CANDO_ACCEPTED);
    assert_int_equal(out[1].have, CANDO_RESTRICTED);
    cando_claims_free(c);
    cando_needs_free(n);
    /* the same without JSON */
    const cando_order_need required[] = {{"streaming", CANDO_MIN_NATIVE},
                                         {"tool_read", CANDO_MIN_EMULATED}};
    cando *engine = cando_new(NULL, NULL, &err);
    char name[] = "context_window";
    const cando_requirement window = {
        .name = name, .minimum = {64000, true}, .level = CANDO_PREFERRED};
    n = cando_needs_new(engine, &(cando_needs_question){.required = required, .n_required = 2},
                        &err);
    assert_non_null(n);
    assert_int_equal(cando_needs_count(n), 2);
    assert_int_equal(cando_needs_get(n, 0).min_support, CANDO_MIN_NATIVE);
    assert_string_equal(cando_needs_get(n, 1).required_by, "work_order");
    cando_needs_free(n);
    n = cando_needs_new(
        engine, &(cando_needs_question){.requirements = &window, .n_requirements = 1}, &err);
    memset(name, 'x', strlen(name)); /* nothing of the question has to stay */
    cando_need need = cando_needs_get(n, 0);
    assert_string_equal(need.written, "context_window");
    assert_int_equal(need.type, CANDO_NUMBER);
    assert_int_equal(need.minimum.value, 64000);
    assert_int_equal(need.level, CANDO_PREFERRED);
    assert_null(need.required_by);
    cando_needs_free(n);
    assert_null(cando_needs_new(
        engine, &(cando_needs_question){.requirements = &window, .n_requirements = 1}, &err));
    assert_string_equal(err.code, "unknown-field");
    assert_string_equal(err.at, "/requirements/0/name");
    assert_null(cando_needs_new(engine, &(cando_needs_question){0}, &err));
    assert_string_equal(err.code, "missing-argument");
    cando_free(engine);
    assert_null(cando_needs_read("{}", 2, NULL, &err));
    assert_string_equal(err.code, "missing-argument");
    assert_null(cando_needs_read("{", 1, NULL, &err));
    assert_string_equal(err.code, "json-syntax");
    assert_null(cando_claims_read("nothing", "{}", 2, NULL, &err));
    assert_null(cando_claims_read("claims", "{\"streaming\":\"maybe\"}", 21, NULL, &err));
    assert_string_equal(err.code, "bad-claim");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),  cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_sets),   cmocka_unit_test(test_fold),
        cmocka_unit_test(test_places), cmocka_unit_test(test_multimodal),
        cmocka_unit_test(test_prices), cmocka_unit_test(test_public),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
