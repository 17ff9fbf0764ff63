/*
 * test_profile.c - reading a profile: values, origins, and what follows from
 * what (derive.def, without.def).
 */
#include "catalog_case.h"

static void assert_level(const cando_profile *p, unsigned field, cando_support want)
{
    cando_value v = case_get(p, field);
    assert_int_equal(v.type, CANDO_SUPPORT);
    assert_int_equal(v.known ? v.support : CANDO_UNKNOWN, want);
}

static void test_values(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(
        "[[rules]]\nname = \"r\"\nmatch = \"m*\"\nsource = \"https://example.org/x\"\nevidence = \"live-test\"\nchecked = 2026-02-03\n"
        "set = { web_fetch = { restricted = \"only on Sundays\" }, tool_bash = \"emulated\", preserve_thinking = false, open_weights = true, max_tools = 0, "
        "max_output = 9007199254740991, batch_max_bytes = 536870911, batch_max_requests = 536870912, tokenizer = \"qwen\", "
        "server_parser = \"p\", tool_search = [\"b\", \"a\"], auto_reasoning_overrides = { agent = \"off\", code = \"a=b\" }, seed = \"unknown\" }\n");
    cando_profile p = case_resolve(c, "x", "m1", CANDO_AS_WRITTEN);
    assert_int_equal(p.identity, CANDO_BY_FAMILY);
    assert_level(&p, F_web_fetch, CANDO_RESTRICTED);
    assert_string_equal(case_get(&p, F_web_fetch).text, "only on Sundays");
    assert_level(&p, F_tool_bash, CANDO_EMULATED);
    assert_null(case_get(&p, F_tool_bash).text);
    assert_true(case_get(&p, F_preserve_thinking).known);
    assert_false(case_get(&p, F_preserve_thinking).flag);
    assert_true(case_get(&p, F_open_weights).flag);
    assert_int_equal(case_get(&p, F_open_weights).number, 0); /* a flag is no number */
    assert_true(case_get(&p, F_max_tools).known);
    assert_int_equal(case_get(&p, F_max_tools).number, 0);
    assert_true(case_get(&p, F_max_output).number == UINT64_C(9007199254740991));
    assert_int_equal(case_get(&p, F_batch_max_bytes).number, 536870911); /* the last that fits into a value */
    assert_int_equal(case_get(&p, F_batch_max_requests).number, 536870912);
    assert_null(case_get(&p, F_batch_max_bytes).text); /* a number is no text */
    assert_null(case_get(&p, F_batch_max_requests).text);
    assert_string_equal(case_get(&p, F_tokenizer).text, "qwen");
    assert_string_equal(case_get(&p, F_server_parser).text, "p");
    cando_value list = case_get(&p, F_tool_search), map = case_get(&p, F_auto_reasoning_overrides);
    assert_int_equal(list.count, 2);
    assert_string_equal(cando_value_item(&list, 0), "b"); /* in the order in which they were written */
    assert_string_equal(cando_value_item(&list, 1), "a");
    assert_null(cando_value_item(&list, 2));
    assert_string_equal(cando_value_item(&map, 1), "code=a=b");
    assert_int_equal(cando_value_key(&map, 1), 4); /* up to the first '=' */
    assert_null(cando_value_item(&(cando_value){.known = true, .type = CANDO_TEXT, .text = "x"}, 0));
    assert_int_equal(cando_value_key(&(cando_value){.known = true, .type = CANDO_TEXT, .text = "x"}, 0), 0);
    /* cleared is not unset: somebody said that nobody knows */
    assert_false(case_get(&p, F_seed).known);
    cando_origin o = cando_profile_why(&p, F_seed);
    assert_true(o.known);
    assert_string_equal(o.rule, "r");
    assert_string_equal(o.file, "case.toml");
    assert_string_equal(o.layer, "family");
    assert_string_equal(o.source, "https://example.org/x");
    assert_string_equal(o.evidence, "live-test");
    assert_string_equal(o.checked, "2026-02-03");
    assert_int_equal(o.line, 2);
    o = cando_profile_why(&p, F_top_k);
    assert_false(o.known);
    assert_string_equal(o.rule, "");
    assert_false(cando_profile_get(&p, CANDO_NO_FIELD).known);
    assert_false(cando_profile_why(&p, CANDO_NO_FIELD).known);
    cando_catalog_release(c);
}

static void test_without(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(
        "[[rules]]\nname = \"all\"\nmatch = \"m*\"\nevidence = \"live-test\"\n"
        "set = { tool_calling = \"native\", parallel_tool_calls = \"native\", "
        "reasoning = \"unsupported\", thinking_budget = \"native\" }\n"
        "[[rules]]\nname = \"no\"\nmatch = \"m-no*\"\nevidence = \"live-test\"\n"
        "set = { tool_calling = \"unsupported\", reasoning_effort = \"native\", "
        "thinking_modes = [] }\n"
        "[[rules]]\nname = \"again\"\nmatch = \"m-no-2\"\n"
        "set = { parallel_tool_calls = \"native\" }\n");
    cando_profile p = case_resolve(c, "", "m", CANDO_AS_WRITTEN);
    assert_level(&p, F_parallel_tool_calls, CANDO_NATIVE);
    assert_level(&p, F_tool_choice, CANDO_UNKNOWN);
    assert_level(&p, F_thinking_budget, CANDO_UNSUPPORTED); /* one rule says both: no */
    p = case_resolve(c, "", "m-no", CANDO_AS_WRITTEN);
    assert_level(&p, F_parallel_tool_calls, CANDO_UNSUPPORTED);
    assert_level(&p, F_tool_choice, CANDO_UNSUPPORTED);
    assert_level(&p, F_reasoning_effort, CANDO_UNSUPPORTED); /* the no is derived itself */
    cando_origin o = cando_profile_why(&p, F_parallel_tool_calls);
    assert_true(o.derived);
    assert_int_equal(o.via, F_tool_calling);
    assert_string_equal(o.rule, "no");
    assert_string_equal(o.evidence, "inferred"); /* whatever that of the other is */
    struct profile_fact all[FIELD_COUNT];
    profile_facts(&p, all);
    assert_int_equal(all[F_tool_choice].value.support, CANDO_UNSUPPORTED);
    assert_int_equal(all[F_reasoning_effort].value.support, CANDO_UNSUPPORTED);
    p = case_resolve(c, "", "m-no-2", CANDO_AS_WRITTEN);
    assert_level(&p, F_parallel_tool_calls, CANDO_NATIVE); /* said later */
    assert_level(&p, F_tool_choice, CANDO_UNSUPPORTED);
    cando_catalog_release(c);
}

static void test_derived(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(
        "[[rules]]\nname = \"r\"\nmatch = \"m\"\nset = { input_modalities = [\"text\", \"image\"], supported_parameters = [\"citations\"], "
        "json_output = \"object\", thinking_modes = [], computer_use_style = \"grounded\", requires_completion_tokens = true, "
        "caching = \"context-caching\", chat_completions_unsupported = false }\n");
    cando_profile p = case_resolve(c, "", "m", CANDO_AS_WRITTEN);
    assert_level(&p, F_input_text, CANDO_NATIVE);
    assert_level(&p, F_input_image, CANDO_NATIVE);
    assert_level(&p, F_input_audio, CANDO_UNSUPPORTED); /* a list that is there is complete */
    assert_level(&p, F_output_text, CANDO_UNKNOWN);     /* one that is not says nothing */
    assert_level(&p, F_citations, CANDO_NATIVE);
    assert_level(&p, F_web_search, CANDO_UNKNOWN); /* parameters are only known to work */
    assert_level(&p, F_json_mode, CANDO_NATIVE);
    assert_level(&p, F_structured_output, CANDO_UNSUPPORTED);
    assert_level(&p, F_reasoning, CANDO_UNSUPPORTED);
    assert_level(&p, F_computer_use, CANDO_EMULATED);
    assert_level(&p, F_prompt_caching, CANDO_UNKNOWN);
    assert_level(&p, F_context_caching, CANDO_NATIVE);
    assert_level(&p, F_chat_completions, CANDO_UNKNOWN);
    assert_string_equal(case_get(&p, F_token_limit_param).text, "max-completion-tokens");
    cando_origin o = cando_profile_why(&p, F_input_image);
    assert_true(o.known && o.derived);
    assert_int_equal(o.via, F_input_modalities);
    assert_string_equal(o.rule, "r");
    assert_false(cando_profile_why(&p, F_input_modalities).derived);
    assert_false(cando_profile_why(&p, F_output_text).known);
    cando_catalog_release(c);
}

/* The later statement wins; within one rule the direct one. */
static void test_later_wins(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(
        "[[rules]]\nname = \"list\"\nmatch = \"a*\"\nset = { input_modalities = [\"text\"] }\n"
        "[[rules]]\nname = \"direct\"\nmatch = \"ab*\"\nset = { input_image = \"native\" }\n"
        "[[rules]]\nname = \"again\"\nmatch = \"abc*\"\nset = { input_modalities = [\"text\", \"audio\"] }\n"
        "[[rules]]\nname = \"both\"\nmatch = \"x\"\nset = { input_modalities = [\"text\"], input_image = \"native\" }\n"
        "[[rules]]\nname = \"cleared\"\nmatch = \"abcd*\"\nset = { input_image = \"unknown\" }\n"
        "[[rules]]\nname = \"no list\"\nmatch = \"abcde*\"\nset = { input_modalities = \"unknown\" }\n");
    cando_profile p = case_resolve(c, "", "a", CANDO_AS_WRITTEN);
    assert_level(&p, F_input_image, CANDO_UNSUPPORTED);
    p = case_resolve(c, "", "ab", CANDO_AS_WRITTEN);
    assert_level(&p, F_input_image, CANDO_NATIVE);
    assert_string_equal(cando_profile_why(&p, F_input_image).rule, "direct");
    p = case_resolve(c, "", "abc", CANDO_AS_WRITTEN);
    assert_level(&p, F_input_image, CANDO_UNSUPPORTED);
    assert_string_equal(cando_profile_why(&p, F_input_image).rule, "again");
    assert_level(&p, F_input_audio, CANDO_NATIVE);
    p = case_resolve(c, "", "x", CANDO_AS_WRITTEN);
    assert_level(&p, F_input_image, CANDO_NATIVE);
    assert_false(cando_profile_why(&p, F_input_image).derived);
    p = case_resolve(c, "", "abcd", CANDO_AS_WRITTEN); /* "nobody knows" is a statement, too */
    assert_level(&p, F_input_image, CANDO_UNKNOWN);
    assert_string_equal(cando_profile_why(&p, F_input_image).rule, "cleared");
    p = case_resolve(c, "", "abcde", CANDO_AS_WRITTEN); /* a list that was cleared concludes nothing */
    assert_level(&p, F_input_audio, CANDO_UNKNOWN);
    assert_level(&p, F_input_image, CANDO_UNKNOWN);
    cando_catalog_release(c);
}

/* In first-match order the rule that is asked first is the stronger one. */
static void test_first_match_wins(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(
        "resolution = \"first-match\"\n[defaults]\ninput_modalities = [\"text\"]\n"
        "[[rules]]\nmatch = \"a*\"\nextends = true\nset = { image_blocks = true }\n"
        "[[rules]]\nmatch = \"*\"\nset = { input_modalities = [\"text\"], input_image = \"emulated\" }\n");
    cando_profile p = case_resolve(c, "", "a", CANDO_AS_WRITTEN);
    assert_level(&p, F_input_image, CANDO_NATIVE);
    p = case_resolve(c, "", "b", CANDO_AS_WRITTEN);
    assert_level(&p, F_input_image, CANDO_EMULATED);
    p = case_resolve(c, "", "a", CANDO_LAYERED); /* the same rules, the other way round */
    assert_level(&p, F_input_image, CANDO_EMULATED);
    cando_catalog_release(c);
}

/* A finished record reads like the arrays of a walk. */
static void test_record(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(
        "[[models]]\nprovider = \"p\"\nid = \"Fact-1\"\nset = { context_window = 5, output_modalities = [\"image-gen\"] }\n"
        "[[rules]]\nmatch = \"fact*\"\nset = { streaming = \"native\" }\n");
    cando_profile p = case_resolve(c, "P", "FACT-1", CANDO_AS_WRITTEN);
    assert_non_null(p.record);
    assert_int_equal(p.identity, CANDO_BY_EXACT);
    assert_int_equal(case_get(&p, F_context_window).number, 5);
    assert_level(&p, F_output_image, CANDO_NATIVE);
    assert_level(&p, F_output_text, CANDO_UNSUPPORTED);
    assert_level(&p, F_streaming, CANDO_NATIVE);
    assert_string_equal(cando_profile_why(&p, F_context_window).rule, "p/fact-1");
    cando_profile q = case_resolve(c, "p", "fact-1", CANDO_LAYERED);
    assert_null(q.record);
    assert_int_equal(q.identity, CANDO_BY_EXACT); /* a fact row is one, however it is asked for */
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        assert_int_equal(case_get(&p, f).known, case_get(&q, f).known);
    cando_catalog_release(c);
}

/* All fields at once are the same as one after the other. */
static void test_facts(void **state)
{
    (void)state;
    const cando_catalog *c = cando_catalog_builtin();
    for (size_t i = 0; i < cando_catalog_models(c); i += 37)
        for (int how = 0; how < 3; how++) {
            cando_model m = cando_catalog_model(c, i);
            cando_profile p = case_resolve(c, m.provider, m.id, (cando_resolution)how);
            struct profile_fact all[FIELD_COUNT];
            profile_facts(&p, all);
            for (unsigned f = 0; f < FIELD_COUNT; f++) {
                struct profile_fact one = profile_fact(&p, f);
                assert_int_equal(one.set, all[f].set);
                assert_int_equal(one.derived, all[f].derived);
                assert_int_equal(one.via, all[f].via);
                assert_int_equal(one.set ? one.rule : 0, all[f].set ? all[f].rule : 0);
                assert_int_equal(one.value.known, all[f].value.known);
                assert_int_equal(one.value.type, all[f].value.type);
                assert_int_equal(one.value.support, all[f].value.support);
                assert_int_equal(one.value.number, all[f].value.number);
                assert_ptr_equal(one.value.text, all[f].value.text);
                assert_int_equal(one.value.list, all[f].value.list);
            }
        }
}

static void test_layers(void **state)
{
    (void)state;
    for (unsigned l = 0; l < CANDO_LAYER_COUNT; l++) {
        cando_layer back;
        assert_true(layer_by_name(str_of(layer_name((cando_layer)l)), &back));
        assert_int_equal(back, l);
    }
    cando_layer none;
    assert_false(layer_by_name(STR("Family"), &none));
    assert_string_equal(layer_name(CANDO_LAYER_COUNT), "");
}

/* From which day on a model is what: a day counts where the status changes by it. */
static void test_life(void **state)
{
    (void)state;
    static const struct {
        const char *set;
        struct profile_life want;
    } rows[] = {
        {"tool_calling = \"native\"", {ROW_ACTIVE, 0, 0}},
        {"deprecated_on = \"2026-03-01\", retires_on = \"2026-09-15\"",
         {ROW_ACTIVE, 20260301, 20260915}},
        {"status = \"preview\", retires_on = \"2026-09\"", {ROW_PREVIEW, 0, 20260999}},
        {"status = \"deprecated\", deprecated_on = \"2026-03-01\"", {ROW_DEPRECATED, 0, 0}},
        {"status = \"retired\", deprecated_on = \"2026-03-01\"", {ROW_RETIRED, 0, 0}},
        {"status = \"retired\", retires_on = \"2026-09-15\"", {ROW_RETIRED, 0, 0}},
        {"deprecated_on = \"2026-10-01\", retires_on = \"2026-09-15\"", {ROW_ACTIVE, 0, 20260915}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char rules[400];
        snprintf(rules, sizeof rules, "[[models]]\nprovider = \"x\"\nid = \"m\"\nset = { %s }\n",
                 rows[i].set);
        const cando_catalog *c = case_catalog(rules);
        cando_profile p = case_resolve(c, "x", "m", CANDO_AS_WRITTEN);
        struct profile_life have = profile_life(&p);
        if (memcmp(&have, &rows[i].want, sizeof have) != 0)
            fail_msg("%s: %u, deprecated %u, retires %u", rows[i].set, have.status, have.deprecated,
                     have.retires);
        cando_catalog_release(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values), cmocka_unit_test(test_derived), cmocka_unit_test(test_without),          cmocka_unit_test(test_later_wins),
        cmocka_unit_test(test_record), cmocka_unit_test(test_first_match_wins), cmocka_unit_test(test_layers),
        cmocka_unit_test(test_facts),  cmocka_unit_test(test_life),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
