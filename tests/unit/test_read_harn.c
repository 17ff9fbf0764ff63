/* Harn's capability matrix: rules, families, defaults, overrides, mistakes. */
#include "read_case.h"

#define RULE "[[provider.acme]]\nmodel_match = \"a-*\"\n" /* lines 1 and 2 */

static void test_rule(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s,
             "[[provider.ACME]]\n"                                         /*  1 */
             "model_match = [\"Claude-*\", \"x/{a,b}*\"]\n"                /*  2 */
             "version_min = [4, 7]\n"                                      /*  3 */
             "extends = true\n"                                            /*  4 */
             "native_tools = true\n"                                       /*  5 */
             "vision = false\n"                                            /*  6 */
             "vision_supported = true\n"                                   /*  7 */
             "max_tools = 10000\n"                                         /*  8 */
             "tool_search = [\"bm25\", \"regex\"]\n"                       /*  9 */
             "json_schema = \"format_kw\"\n"                               /* 10 */
             "structured_output = \"none\"\n"                              /* 11 */
             "server_parser = \"vllm\"\n"                                  /* 12 */
             "thinking_modes = [\"effort\"]\n"                             /* 13 */
             "auto_reasoning_overrides = { agent = \"off\" }\n"            /* 14 */
             "audio_supported = true\n"                                    /* 15 */
             "audio = false\n",                                            /* 16 */
             CANDO_SYNTAX_AUTO);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.source[0].syntax, CANDO_SYNTAX_HARN);
    assert_true(s.rs.source[0].first_match);
    assert_int_equal(s.rs.n_rules, 1);
    const struct rule *r = &s.rs.rule[0];
    assert_int_equal(r->kind, RULE_MATCH);
    assert_place(r->at, 1, 12, 4);
    assert_int_equal(r->n_providers, 1);
    assert_str(r->provider[0].name, "acme");
    assert_int_equal(r->scheme, SCHEME_HARN);
    assert_false(r->on_base);
    assert_true(r->extends && r->min.set && !r->max.set && !r->never);
    assert_int_equal(r->min.minor, 7);
    assert_int_equal(r->n_patterns, 2);
    assert_str(r->pattern[0].text, "claude-*");
    assert_int_equal(r->pattern[1].n_programs, 2);
    assert_place(r->pattern[1].at, 2, 28, 10);
    assert_int_equal(r->n_assigns, 10);
    assert_int_equal(assign_for(r, F_tool_calling)->value.support, CANDO_NATIVE);
    assert_int_equal(assign_for(r, F_input_image)->value.support, CANDO_UNSUPPORTED);
    assert_true(assign_for(r, F_image_blocks)->value.flag);
    assert_int_equal(assign_for(r, F_max_tools)->value.number, 10000);
    assert_int_equal(assign_for(r, F_tool_search)->value.n, 2);
    assert_str(assign_for(r, F_tool_search)->value.item[1], "regex");
    assert_str(assign_for(r, F_structured_output_transport)->value.text, "none");
    assert_place(assign_for(r, F_structured_output_transport)->at, 11, 1, 17);
    assert_str(assign_for(r, F_server_parser)->value.text, "vllm");
    assert_str(assign_for(r, F_auto_reasoning_overrides)->value.item[0], "agent=off");
    assert_int_equal(assign_for(r, F_input_audio)->value.support, CANDO_UNSUPPORTED);
    set_close(&s);

    /* the other way round, structured_output still wins */
    set_open(&s);
    set_read(&s, RULE "structured_output = \"native\"\njson_schema = \"tool_use\"\n", CANDO_SYNTAX_HARN);
    assert_int_equal(s.rs.rule[0].n_assigns, 1);
    assert_str(s.rs.rule[0].assign[0].value.text, "native");
    set_close(&s);
}

/* TOML groups the rules by provider; the set has them in the order of lines. */
static void test_order(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s,
             "[[provider.b]]\nmodel_match = \"1\"\n[[provider.a]]\nmodel_match = \"2\"\n"
             "[provider_defaults.C]\nseed_supported = false\n"
             "[[provider.b]]\nmodel_match = \"3\"\n[[provider.a]]\nmodel_match = \"4\"\n",
             CANDO_SYNTAX_HARN);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.n_rules, 5);
    static const char *const provider[] = {"b", "a", "c", "b", "a"};
    static const char *const pattern[] = {"1", "2", "", "3", "4"};
    for (size_t i = 0; i < 5; i++) {
        assert_str(s.rs.rule[i].provider[0].name, provider[i]);
        assert_str(s.rs.rule[i].pattern[0].text, pattern[i]);
        assert_int_equal(s.rs.rule[i].at.line, 1 + 2 * i);
    }
    assert_int_equal(s.rs.rule[2].kind, RULE_PROVIDER_DEFAULT);
    assert_int_equal(s.rs.rule[2].assign[0].field, F_seed);
    assert_false(s.rs.rule[0].pattern[0].literal);
    set_close(&s);
}

static size_t parents(const struct ruleset *rs, const char *child, const char *first)
{
    size_t n = 0;
    for (size_t i = 0; i < rs->n_families; i++)
        if (str_is(rs->family[i].child, child)) {
            if (n++ == 0)
                assert_str(rs->family[i].parent, first);
        }
    return n;
}

static void test_families(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, "[provider_family]\nOpenRouter = \"OpenAI\"\n[provider_limits.x]\nrpm = 1\n", CANDO_SYNTAX_AUTO);
    assert_clean(&s.rs);
    assert_int_equal(parents(&s.rs, "openrouter", "openai"), 1);
    assert_place(s.rs.family[0].at, 2, 1, 10);
    assert_int_equal(parents(&s.rs, "mock", "anthropic"), 2);
    assert_str(s.rs.family[2].parent, "openai");
    assert_int_equal(s.rs.family[1].at.line, 0);

    /* once for the set, however many files */
    set_read(&s, "", CANDO_SYNTAX_HARN);
    assert_int_equal(s.rs.n_families, 3);
    /* until somebody says otherwise */
    set_read(&s, "[provider_family]\nmock = \"ollama\"\n", CANDO_SYNTAX_HARN);
    assert_clean(&s.rs);
    assert_int_equal(parents(&s.rs, "mock", "ollama"), 1);
    set_close(&s);

    set_open(&s);
    set_read(&s, "[provider_family]\nMock = \"x\"\n", CANDO_SYNTAX_HARN);
    assert_int_equal(parents(&s.rs, "mock", "x"), 1);
    set_close(&s);

    /* nobody gets one without a Harn file */
    set_open(&s);
    set_read(&s, "schema = \"cando/rules@1\"\n", CANDO_SYNTAX_AUTO);
    assert_int_equal(s.rs.n_families, 0);
    set_close(&s);

    /* an overlay's family takes the place of the matrix' own */
    set_open(&s);
    set_read_in(&s, "m.toml", "[provider_family]\na = \"low\"\n", CANDO_SYNTAX_HARN, CANDO_LAYER_FAMILY);
    set_read_in(&s, "o.toml", "[provider_family]\na = \"high\"\n", CANDO_SYNTAX_HARN, CANDO_LAYER_PROJECT);
    set_read_in(&s, "m2.toml", "[provider_family]\na = \"lower\"\n", CANDO_SYNTAX_HARN, CANDO_LAYER_DEFAULTS);
    assert_clean(&s.rs);
    assert_int_equal(parents(&s.rs, "a", "high"), 1);
    set_close(&s);
}

/* In a harn.toml, only what is below [capabilities] is ours. */
static void test_project_file(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s,
             "schema = 7\n[package]\nname = \"demo\"\n[provider]\nx = 1\n"
             "[[capabilities.provider.my-proxy]]\nmodel_match = \"*\"\nnative_tools = true\n"
             "[capabilities.provider_family]\na = \"b\"\n"
             "[capabilities.provider_defaults.my-proxy]\nvision = true\n[capabilities.provider_limits.q]\nx = 1\n",
             CANDO_SYNTAX_HARN);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.n_rules, 2);
    assert_str(s.rs.rule[0].provider[0].name, "my-proxy");
    assert_int_equal(parents(&s.rs, "a", "b"), 1);
    set_close(&s);

    set_open(&s);
    set_read(&s, "[package]\nname = \"demo\"\n[capabilities]\n", CANDO_SYNTAX_AUTO);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.source[0].syntax, CANDO_SYNTAX_HARN);
    set_close(&s);
}

/* New words are findings, and yet the rule keeps them. */
static void test_new_words(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, RULE "serving_precision = \"excellent\"\nthinking_modes = [\"effort\", \"dream\"]\ntool_mode_parity = \"unknown\"\n",
             CANDO_SYNTAX_HARN);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], 2);
    assert_int_equal(s.rs.fatal, 0);
    const struct rule *r = &s.rs.rule[0];
    assert_str(assign_for(r, F_serving_precision)->value.text, "excellent");
    assert_str(assign_for(r, F_thinking_modes)->value.item[1], "dream");
    assert_str(assign_for(r, F_tool_mode_parity)->value.text, "unknown");
    assert_false(assign_for(r, F_tool_mode_parity)->value.cleared);
    set_close(&s);
}

static const struct mistake mistakes[] = {
    {"colour = 1\n", CODE_unknown_key, 1, 1, true, "the file", "provider_family"},
    {"[provider_famly]\n", CODE_unknown_key, 1, 2, true, NULL, "'provider_family'"},
    {"schema = \"x\"\n", CODE_unknown_key, 1, 1, true, NULL, NULL},
    {"capabilities = 1\n", CODE_wrong_type, 1, 16, true, NULL, NULL},
    {"[capabilities]\ncolour = 1\n", CODE_unknown_key, 2, 1, true, "[capabilities]", NULL},
    {"provider = 1\n", CODE_wrong_type, 1, 12, true, NULL, NULL},
    {"[provider.acme]\nmodel_match = \"a\"\n", CODE_wrong_type, 1, 11, true, NULL, "[[provider.NAME]]"},
    {"[[provider.\"\"]]\nmodel_match = \"a\"\n", CODE_empty_value, 1, 12, true, NULL, NULL},
    {"[[provider.acme]]\nvision = true\n", CODE_missing_key, 1, 12, true, "'model_match'", NULL},
    {"[[provider.acme]]\nmodel_match = 1\n", CODE_wrong_type, 2, 15, true, NULL, NULL},
    {"[[provider.acme]]\nmodel_match = []\n", CODE_empty_value, 2, 15, true, NULL, NULL},
    {"[[provider.acme]]\nmodel_match = ['']\n", CODE_empty_value, 2, 16, true, NULL, NULL},
    {"[[provider.acme]]\nmodel_match = ''\n", CODE_empty_value, 2, 15, true, NULL, NULL},
    {"[[provider.acme]]\nmodel_match = ['GPT-A', 'gpt-a']\n", CODE_duplicate_item, 2, 25, false, NULL, NULL},
    {"[[provider.acme]]\nmodel_match = 'f[oo'\n", CODE_pattern_literal, 2, 15, false, NULL, NULL},
    {RULE "version_min = [4]\n", CODE_version_malformed, 3, 15, false, NULL, NULL},
    {RULE "version_min = \"4.5\"\n", CODE_version_malformed, 3, 15, false, NULL, NULL},
    {RULE "version_min = [4, 5, 6]\n", CODE_version_malformed, 3, 15, false, NULL, NULL},
    {RULE "extends = \"yes\"\n", CODE_wrong_type, 3, 11, true, NULL, NULL},
    {RULE "extend = true\n", CODE_unknown_key, 3, 1, true, NULL, "'extends'"},
    {RULE "native_tool = true\n", CODE_unknown_key, 3, 1, true, "[[provider.NAME]]", "'native_tools'"},
    {RULE "tool_calling = true\n", CODE_unknown_key, 3, 1, true, NULL, "harn calls it 'native_tools'"},
    {RULE "Vision = true\n", CODE_unknown_key, 3, 1, true, NULL, "'vision'"},
    {RULE "vision = \"native\"\n", CODE_wrong_type, 3, 10, true, "true or false", NULL},
    {RULE "vision_supported = 1\n", CODE_wrong_type, 3, 20, true, NULL, NULL},
    {RULE "max_tools = -1\n", CODE_bad_number, 3, 13, true, NULL, NULL},
    {RULE "tool_search = \"bm25\"\n", CODE_wrong_type, 3, 15, true, NULL, NULL},
    {RULE "structured_output = \"natve\"\n", CODE_unknown_word, 3, 21, false, NULL, "'native'"},
    {RULE "structured_output = 1\n", CODE_wrong_type, 3, 21, true, NULL, NULL},
    {RULE "thinking_modes = [\"efort\"]\n", CODE_unknown_word, 3, 19, false, NULL, "'effort'"},
    {RULE "auto_reasoning_overrides = { agent = true }\n", CODE_wrong_type, 3, 38, true, NULL, NULL},
    {"provider_family = 1\n", CODE_wrong_type, 1, 19, true, NULL, NULL},
    {"[provider_family]\na = [\"b\"]\n", CODE_wrong_type, 2, 5, true, NULL, NULL},
    {"[provider_family]\na = \"\"\n", CODE_empty_value, 2, 5, true, NULL, NULL},
    {"[provider_defaults.a]\nmodel_match = \"a\"\n", CODE_unknown_key, 2, 1, true, "[provider_defaults.NAME]", NULL},
    {"[provider_defaults]\na = 1\n", CODE_wrong_type, 2, 5, true, NULL, NULL},
    {"[[provider.acme]\n", CODE_toml_syntax, 1, 17, true, NULL, NULL},
};

static void test_mistakes(void **state)
{
    (void)state;
    CHECK_MISTAKES(mistakes, "", CANDO_SYNTAX_HARN);
    struct set s;
    set_open(&s);
    set_read(&s, RULE "version_min = [4]\n", CANDO_SYNTAX_HARN);
    assert_true(s.rs.rule[0].never);
    set_close(&s);
}

/* What makes a text without schema a Harn file. */
static void test_detection(void **state)
{
    (void)state;
    static const char *const harn[] = {RULE, "[provider_family]\n", "[provider_defaults.a]\n", "[capabilities]\n"};
    static const char *const other[] = {"", "[provider]\n", "[provider.a]\nx = 1\n", "[provider_limits.a]\n"};
    for (size_t i = 0; i < 4; i++) {
        struct set s;
        set_open(&s);
        set_read(&s, harn[i], CANDO_SYNTAX_AUTO);
        assert_clean(&s.rs);
        assert_int_equal(s.rs.source[0].syntax, CANDO_SYNTAX_HARN);
        set_read(&s, other[i], CANDO_SYNTAX_AUTO);
        assert_int_equal(s.rs.fatal, 1);
        assert_int_equal(s.rs.diag.item[0].code, CODE_schema_missing);
        assert_true(s.rs.source[1].broken);
        set_close(&s);
    }
}

static void test_limits(void **state)
{
    (void)state;
    struct text t = {0};
    for (int over = 0; over < 2; over++) {
        text_add(&t, "[[provider.%s]]\nmodel_match = \"a\"\n", letters(LIMIT_NAME_BYTES + (size_t)over));
        check_too_long(&t, CANDO_SYNTAX_HARN, over);
        text_add(&t, "[[provider.a]]\nmodel_match = \"%s\"\n", letters(LIMIT_PATTERN_BYTES + (size_t)over));
        check_too_long(&t, CANDO_SYNTAX_HARN, over);
        text_add(&t, "[[provider.a]]\nmodel_match = [");
        for (size_t i = 0; i < LIMIT_PATTERNS_PER_RULE + (size_t)over; i++)
            text_add(&t, "\"p%zu\",", i);
        text_add(&t, "]\n");
        check_too_long(&t, CANDO_SYNTAX_HARN, over);
        text_add(&t, RULE "tool_search = [");
        for (size_t i = 0; i < LIMIT_LIST_ITEMS + (size_t)over; i++)
            text_add(&t, "\"x\",");
        text_add(&t, "]\n");
        check_too_long(&t, CANDO_SYNTAX_HARN, over);
    }
}

static void test_memory(void **state)
{
    (void)state;
    check_memory("[[provider.ACME]]\nmodel_match = [\"Claude-*\", \"x/{a,b}*\"]\nversion_min = [4]\nnative_tools = true\n"
                 "tool_search = [\"bm25\"]\nauto_reasoning_overrides = { agent = \"off\" }\nstructured_output = \"x\"\n"
                 "[provider_family]\nA = \"B\"\n[provider_defaults.x]\nvision = true\n",
                 CANDO_SYNTAX_AUTO);
    check_memory(RULE "vison = true\nmax_tools = -1\n", CANDO_SYNTAX_HARN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_families),
        cmocka_unit_test(test_project_file),
        cmocka_unit_test(test_new_words),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_detection),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
