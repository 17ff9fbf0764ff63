/* Nika's rules and provider table: every key, every check with its place. */
#include "read_case.h"

#define SCHEMA "schema = \"nika/model-capabilities@1.0\"\n"
#define DEFAULTS                                                                                                 \
    SCHEMA "[defaults]\ntoken_limit_param = \"max-tokens\"\nsupports_temperature = true\n"                       \
           "supports_stop_sequences = true\nreasoning = false\ninput_modalities = [\"text\", \"image\"]\n"       \
           "output_modalities = [\"text\"]\nsupported_parameters = []\nsupports_system_messages = true\n"
/* ten lines; the rule's header is line 11 */
#define RULE "[[rules]]\nname = \"r\"\n"
#define ANY RULE "match = { kind = \"any\" }\n"
#define CAPS "caps.reasoning = true\n"

static void test_rules(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s,
             DEFAULTS "[[rules]]\n"                                                                /* 11 */
                      "name = \"One\"\n"
                      "scope.providers = [\"OpenAI\", \"openai\"]\n"                               /* 13 */
                      "scope.api_dialect = \"openai-chat\"\n"
                      "scope.region = []\n"
                      "match = { kind = \"prefix_any\", prefixes = [\"GPT-5\", \"gpt-4\"] }\n"     /* 16 */
                      "routing_complete = true\n"
                      "caps.tool_calling = true\n"
                      "caps.json_mode = \"schema\"\n"
                      "caps.context_window_tokens = 8192\n"
                      "caps.max_output_tokens = 8192\n"
                      "caps.reasoning_efforts = [\"low\", \"high\", \"max\"]\n"
                      "caps.supported_parameters = [\"file-search\", \"web-search\"]\n"
                      "[[rules]]\nname = \"Two\"\nmatch = { kind = \"exact\", model = \"O1\" }\ncaps.reasoning = false\n"
                      "[[rules]]\nname = \"Three\"\nmatch = { kind = \"exact_any\", models = [\"a\", \"A\"] }\n" CAPS
                      "[[rules]]\nname = \"Four\"\nmatch = { kind = \"contains_any\", patterns = [\"Sonnet\"] }\n"
                      "scope.api_dialect = [\"gemini\", \"mock\"]\n" CAPS
                      "[[rules]]\nname = \"Five\"\nmatch = { kind = \"any\" }\n" CAPS,
             CANDO_SYNTAX_AUTO);
    ruleset_check_scopes(&s.rs);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.source[0].syntax, CANDO_SYNTAX_NIKA);
    assert_false(s.rs.source[0].first_match);
    assert_int_equal(s.rs.n_rules, 6);

    const struct rule *d = &s.rs.rule[0];
    assert_int_equal(d->kind, RULE_DEFAULT);
    assert_int_equal(d->n_assigns, 8);
    assert_int_equal(assign_for(d, F_temperature)->value.support, CANDO_NATIVE);
    assert_int_equal(assign_for(d, F_reasoning)->value.support, CANDO_UNSUPPORTED);
    assert_int_equal(assign_for(d, F_input_modalities)->value.n, 2);

    const struct rule *r = &s.rs.rule[1];
    assert_str(r->name, "One");
    assert_false(r->on_base);
    assert_place(r->at, 11, 3, 5);
    assert_int_equal(r->n_providers, 2);
    assert_str(r->provider[0].name, "openai");
    assert_place(r->provider[1].at, 13, 30, 8);
    assert_int_equal(r->n_apis, 1);
    assert_false(r->never);
    assert_int_equal(r->n_patterns, 2);
    assert_int_equal(r->pattern[0].kind, MATCH_PREFIX);
    assert_str(r->pattern[0].text, "gpt-5");
    assert_place(r->pattern[1].at, 16, 53, 7);
    assert_str(assign_for(r, F_json_output)->value.text, "schema");
    assert_int_equal(assign_for(r, F_context_window)->value.number, 8192);
    assert_int_equal(assign_for(r, F_reasoning_efforts)->value.n, 3);
    assert_int_equal(assign_for(r, F_supported_parameters)->value.n, 2);

    assert_int_equal(s.rs.rule[2].pattern[0].kind, MATCH_EXACT);
    assert_str(s.rs.rule[2].pattern[0].text, "o1");
    assert_int_equal(s.rs.rule[3].n_patterns, 2);
    assert_int_equal(s.rs.rule[4].pattern[0].kind, MATCH_CONTAINS);
    assert_int_equal(s.rs.rule[4].n_apis, 2);
    assert_int_equal(s.rs.rule[5].pattern[0].kind, MATCH_ANY);
    set_close(&s);

    set_open(&s);
    set_read(&s, "resolution = \"first-match\"\n" DEFAULTS, CANDO_SYNTAX_NIKA);
    assert_clean(&s.rs);
    assert_true(s.rs.source[0].first_match);
    set_close(&s);
}

/* What resolve takes although lint does not: nothing of it is fatal. */
static void test_tolerated(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, "[[rules]]\nmatch = { kind = \"any\" }\n" CAPS, CANDO_SYNTAX_NIKA);
    assert_int_equal(s.rs.fatal, 0);
    assert_int_equal(s.rs.n_rules, 1);
    assert_clean(&s.rs); /* without the schema line it is a part of a file */
    set_close(&s);
}

static const struct mistake rule_mistakes[] = {
    {ANY "caps = {}\n", CODE_empty_rule, 14, 1, false, NULL, NULL},
    {ANY, CODE_missing_key, 11, 3, false, "'caps'", NULL},
    {"[[rules]]\nmatch = { kind = \"any\" }\n" CAPS, CODE_missing_key, 11, 3, false, "'name'", NULL},
    {"[[rules]]\nname = \"\"\nmatch = { kind = \"any\" }\n" CAPS, CODE_empty_value, 12, 8, false, NULL, NULL},
    {"[[rules]]\nname = 1\nmatch = { kind = \"any\" }\n" CAPS, CODE_wrong_type, 12, 8, true, NULL, NULL},
    {ANY CAPS ANY CAPS, CODE_duplicate_name, 15, 3, false, "'r'", NULL},
    {RULE CAPS, CODE_missing_key, 11, 3, true, "'match'", NULL},
    {RULE CAPS "match = \"gpt\"\n", CODE_wrong_type, 14, 9, true, NULL, NULL},
    {RULE CAPS "match = {}\n", CODE_missing_key, 14, 9, true, "'kind'", "prefix_any"},
    {RULE CAPS "match = { kind = \"regex\", pattern = \"x\" }\n", CODE_unknown_word, 14, 18, true, NULL, NULL},
    {RULE CAPS "match = { kind = \"exactany\" }\n", CODE_unknown_word, 14, 18, true, NULL, "'exact_any'"},
    {RULE CAPS "match = { kind = 1 }\n", CODE_wrong_type, 14, 18, true, NULL, NULL},
    {RULE CAPS "match = { kind = \"exact\" }\n", CODE_missing_key, 14, 9, true, "'model'", NULL},
    {RULE CAPS "match = { kind = \"exact\", model = \"\" }\n", CODE_empty_value, 14, 35, true, NULL, NULL},
    {RULE CAPS "match = { kind = \"exact\", model = [\"a\"] }\n", CODE_wrong_type, 14, 35, true, NULL, NULL},
    {RULE CAPS "match = { kind = \"exact\", model = \"a\", models = [] }\n", CODE_unknown_key, 14, 40, true, NULL, "takes 'model'"},
    {RULE CAPS "match = { kind = \"any\", model = \"a\" }\n", CODE_unknown_key, 14, 25, true, NULL, "nothing else"},
    {RULE CAPS "match = { kind = \"exact_any\", models = [] }\n", CODE_empty_value, 14, 40, true, NULL, NULL},
    {RULE CAPS "match = { kind = \"exact_any\", models = \"a\" }\n", CODE_wrong_type, 14, 40, true, NULL, NULL},
    {RULE CAPS "match = { kind = \"prefix_any\", prefixes = [\"\"] }\n", CODE_empty_value, 14, 44, true, NULL, NULL},
    {RULE CAPS "match = { kind = \"contains_any\", patterns = [1] }\n", CODE_wrong_type, 14, 46, true, NULL, NULL},
    {ANY CAPS "colour = \"red\"\n", CODE_unknown_key, 15, 1, true, "[[rules]]", NULL},
    {ANY CAPS "routing_complete = 1\n", CODE_wrong_type, 15, 20, true, NULL, NULL},
    {ANY CAPS "scope = 1\n", CODE_wrong_type, 15, 9, true, NULL, NULL},
    {ANY CAPS "scope.provider = []\n", CODE_unknown_key, 15, 7, true, NULL, "'providers'"},
    {ANY CAPS "scope.providers = \"openai\"\n", CODE_wrong_type, 15, 19, true, NULL, NULL},
    {ANY CAPS "scope.providers = [\"unknown\"]\n", CODE_unknown_provider, 15, 20, false, NULL, NULL},
    {ANY CAPS "scope.providers = [\"opneai\"]\n", CODE_unknown_provider, 15, 20, false, NULL, "'openai'"},
    {ANY CAPS "scope.providers = [\"Google\"]\n", CODE_provider_alias, 15, 20, false, NULL, "'gemini'"},
    {ANY CAPS "scope.api_dialect = \"openai\"\n", CODE_unknown_api, 15, 21, true, NULL, NULL},
    {ANY CAPS "scope.region = [\"eu\"]\n", CODE_region_scope, 15, 7, false, NULL, NULL},
    {ANY CAPS "scope.region = \"eu\"\n", CODE_wrong_type, 15, 16, true, NULL, NULL},
};

static const struct mistake caps_mistakes[] = {
    {ANY "caps = 1\n", CODE_wrong_type, 14, 8, true, NULL, NULL},
    {ANY "caps.resoning = true\n", CODE_unknown_key, 14, 6, true, NULL, "'reasoning'"},
    {ANY "caps.temperature = true\n", CODE_unknown_key, 14, 6, true, NULL, "nika calls it 'supports_temperature'"},
    {ANY "caps.reasoning = \"native\"\n", CODE_wrong_type, 14, 18, true, NULL, NULL},
    {ANY "caps.supports_temperature = \"unknown\"\n", CODE_wrong_type, 14, 29, true, NULL, NULL},
    {ANY "caps.token_limit_param = \"invalid\"\n", CODE_unknown_word, 14, 26, true, NULL, NULL},
    {ANY "caps.json_mode = \"strict\"\n", CODE_unknown_word, 14, 18, true, NULL, NULL},
    {ANY "caps.tokenizer = \"abacus\"\n", CODE_unknown_word, 14, 18, true, NULL, NULL},
    {ANY "caps.caching = \"prompt\"\n", CODE_unknown_word, 14, 16, true, NULL, NULL},
    {ANY "caps.reasoning_efforts = [\"medium\"]\n", CODE_unknown_word, 14, 27, true, NULL, "low high max"},
    {ANY "caps.supported_parameters = \"web-search\"\n", CODE_wrong_type, 14, 29, true, NULL, NULL},
    {ANY "caps.supported_parameters = [\"websearch\"]\n", CODE_unknown_word, 14, 30, true, NULL, "'web-search'"},
    {ANY "caps.input_modalities = [\"text\", \"magic\"]\n", CODE_unknown_word, 14, 34, true, NULL, NULL},
    {ANY "caps.input_modalities = [\"image\"]\n", CODE_missing_text_input, 14, 25, false, NULL, NULL},
    {ANY "caps.input_modalities = []\n", CODE_empty_value, 14, 25, false, NULL, NULL},
    {ANY "caps.output_modalities = []\n", CODE_empty_value, 14, 26, false, NULL, NULL},
    {ANY "caps.context_window_tokens = 1000\ncaps.max_output_tokens = 2000\n", CODE_output_above_window, 15, 6, false, NULL, NULL},
    {ANY "caps.context_window_tokens = 0\n", CODE_bad_number, 14, 30, true, NULL, NULL},
    {ANY "caps.max_output_tokens = -5\n", CODE_bad_number, 14, 26, true, NULL, NULL},
    {ANY "caps.max_output_tokens = 1.0\n", CODE_wrong_type, 14, 26, true, NULL, NULL},
};

static void test_mistakes(void **state)
{
    (void)state;
    CHECK_MISTAKES(rule_mistakes, DEFAULTS, CANDO_SYNTAX_NIKA);
    CHECK_MISTAKES(caps_mistakes, DEFAULTS, CANDO_SYNTAX_AUTO);
    static const struct mistake files[] = {
        {"colour = \"red\"\n" DEFAULTS, CODE_unknown_key, 1, 1, true, "'colour'", NULL},
        {"resolution = \"first\"\n" DEFAULTS, CODE_unknown_word, 1, 14, true, NULL, NULL},
        {"rules = 1\n" DEFAULTS, CODE_wrong_type, 1, 9, true, NULL, NULL},
        {SCHEMA, CODE_missing_key, 1, 1, false, "token_limit_param supports_temperature", NULL},
        {SCHEMA "[defaults]\n", CODE_missing_key, 2, 2, false, NULL, NULL},
        {DEFAULTS "tokeniser = \"qwen\"\n", CODE_unknown_key, 11, 1, true, "[defaults]", "'tokenizer'"},
        {"schema = \"nika/model-capabilities@2.0\"\n", CODE_schema_unknown, 1, 10, true, NULL, NULL},
        {"schema = \"cando/rules@1\"\n", CODE_schema_unknown, 1, 10, true, NULL, "'cando'"},
    };
    CHECK_MISTAKES(files, "", CANDO_SYNTAX_NIKA);

    /* a [defaults] that is no table lacks its fields as well */
    struct set s;
    set_open(&s);
    set_read(&s, SCHEMA "defaults = 1\n", CANDO_SYNTAX_NIKA);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], 2);
    assert_int_equal(s.rs.fatal, 1);
    set_close(&s);
}

static void test_region_never_matches(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, DEFAULTS ANY CAPS "scope.region = [\"eu\"]\n", CANDO_SYNTAX_NIKA);
    assert_true(s.rs.rule[1].never);
    set_close(&s);
}

/* -- the provider table --------------------------------------------------------------- */

#define PROVIDERS "schema = \"nika/llm-providers@1.0\"\n"
#define PROVIDER(id, alias, variable, first, cheap, syntax, tags)                                            \
    "[[providers]]\nid = \"" id "\"\nname = \"Demo\"\naliases = [" alias "]\nenv_var = \"" variable "\"\n"     \
    "key_prefixes = [\"dk-\"]\ndefault_model = \"" first "\"\ncheap_model = \"" cheap "\"\nrequires_key = true\n" \
    "description = \"An example.\"\napi_dialect = \"" syntax "\"\ntags = [" tags "]\n" /* 12 lines */
#define MODEL(id, wire, window, output)                                                                     \
    "[[providers.models]]\nid = \"" id "\"\nmodel = \"" wire "\"\ncontext_window_tokens = " window           \
    "\nmax_output_tokens = " output "\n" /* 5 lines */
#define DEMO PROVIDER("demo", "\"DM\"", "KEY", "demo-large", "demo-small", "openai-chat", "\"agent\", \"vision\"")
#define LARGE MODEL("large", "demo-large", "128000", "8192")
#define SMALL MODEL("small", "demo-small", "32000", "32000")

static void test_providers(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, PROVIDERS DEMO LARGE SMALL, CANDO_SYNTAX_AUTO);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.n_rules, 2);
    assert_int_equal(s.rs.rule[0].kind, RULE_FACT);
    assert_str(s.rs.rule[0].provider[0].name, "demo");
    assert_str(s.rs.rule[0].pattern[0].text, "demo-large");
    assert_int_equal(assign_for(&s.rs.rule[0], F_context_window)->value.number, 128000);
    assert_int_equal(s.rs.n_providers, 1);
    const struct provider *p = &s.rs.provider[0];
    assert_str(p->id, "demo");
    assert_str(p->name, "Demo");
    assert_str(p->api, "openai-chat");
    assert_str(p->alias[0].name, "dm");
    assert_int_equal(s.rs.n_ids, 2);
    assert_int_equal(s.rs.id[1].table, ID_PROVIDER);
    assert_str(s.rs.id[1].key, "dm");
    assert_str(s.rs.id[1].value, "demo");

    /* with a table in the set, scopes are checked against it, in any order */
    set_read(&s, DEFAULTS "[[rules]]\nname = \"a\"\nmatch = { kind = \"any\" }\nscope.providers = [\"demo\", \"dm\", \"openai\"]\n" CAPS,
             CANDO_SYNTAX_AUTO);
    ruleset_check_scopes(&s.rs);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], 2);
    assert_int_equal(s.rs.diag.item[0].code, CODE_provider_alias);
    assert_true(str_has(s.rs.diag.item[0].hint, "'demo'"));
    assert_int_equal(s.rs.diag.item[1].code, CODE_unknown_provider);
    assert_int_equal(s.rs.fatal, 0);
    set_close(&s);

    /* a model without its id on the wire, or of nobody, is a fact of none */
    static const char *const nothing[] = {
        DEMO LARGE "[[providers.models]]\nid = \"small\"\ncontext_window_tokens = 5\n"
                   "max_output_tokens = 5\n",
        DEMO LARGE MODEL("small", "", "5", "5"),
        DEMO LARGE "[[providers]]\nname = \"Nobody\"\n" SMALL,
        DEMO LARGE "[[providers]]\nid = \"\"\n" SMALL,
        DEMO LARGE "[[providers]]\nid = 7\n" SMALL,
    };
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++) {
        char text[2000];
        snprintf(text, sizeof text, PROVIDERS "%s", nothing[i]);
        set_open(&s);
        set_read(&s, text, CANDO_SYNTAX_NIKA);
        assert_true(s.rs.diag.count[CANDO_ERROR] > 0);
        assert_int_equal(s.rs.n_rules, 1);
        assert_str(s.rs.rule[0].pattern[0].text, "demo-large");
        set_close(&s);
    }

    /* a short table is enough for resolve */
    set_open(&s);
    set_read(&s, PROVIDERS "[[providers]]\nid = \"mock\"\napi_dialect = \"mock\"\n", CANDO_SYNTAX_NIKA);
    assert_int_equal(s.rs.fatal, 0);
    assert_int_equal(s.rs.n_providers, 1);
    assert_true(s.rs.diag.count[CANDO_ERROR] > 0);
    set_close(&s);
}

static const struct mistake provider_mistakes[] = {
    {DEMO LARGE MODEL("small", "demo-small", "0", "10"), CODE_bad_number, 22, 25, false, NULL, NULL},
    {DEMO LARGE MODEL("small", "demo-small", "10", "11"), CODE_output_above_window, 23, 21, false, NULL, NULL},
    {DEMO LARGE MODEL("small", "demo-small", "10", "1.5"), CODE_wrong_type, 23, 21, true, NULL, NULL},
    {DEMO LARGE MODEL("LARGE", "demo-small", "10", "10"), CODE_duplicate_item, 20, 6, false, "nickname", NULL},
    {DEMO LARGE SMALL MODEL("x", "demo-small", "10", "10"), CODE_duplicate_item, 26, 9, false, "wire id", NULL},
    {DEMO LARGE SMALL MODEL("", "x", "10", "10"), CODE_empty_value, 25, 6, false, NULL, NULL},
    {DEMO LARGE SMALL "colour = 1\n", CODE_unknown_key, 24, 1, true, "[[providers.models]]", NULL},
    {DEMO LARGE "[[providers.models]]\nmodel = \"demo-small\"\ncontext_window_tokens = 1\nmax_output_tokens = 1\n",
     CODE_missing_key, 19, 13, false, "'id'", NULL},
    {PROVIDER("demo", "", "", "demo-large", "demo-large", "mock", "") LARGE, CODE_missing_key_variable, 10, 16, false, NULL, NULL},
    {PROVIDER("demo", "", "K", "x", "demo-large", "mock", "") LARGE, CODE_bad_model_ref, 8, 17, false, "'default_model'", NULL},
    {PROVIDER("demo", "", "K", "demo-large", "x", "mock", "") LARGE, CODE_bad_model_ref, 9, 15, false, "'cheap_model'", NULL},
    {PROVIDER("demo", "", "K", "demo-large", "demo-large", "nope", "") LARGE, CODE_unknown_api, 12, 15, true, NULL, NULL},
    {PROVIDER("demo", "", "K", "demo-large", "demo-large", "mock", "\"b\", \"a\"") LARGE, CODE_not_sorted, 13, 14, false, NULL, NULL},
    {PROVIDER("demo", "", "K", "demo-large", "demo-large", "mock", "\"a\", \"a\"") LARGE, CODE_duplicate_item, 13, 14, false, NULL, NULL},
    {PROVIDER("demo", "\"demo\"", "K", "demo-large", "demo-large", "mock", "") LARGE, CODE_duplicate_item, 5, 12, false, NULL, NULL},
    {PROVIDER("", "", "K", "demo-large", "demo-large", "mock", "") LARGE, CODE_empty_value, 3, 6, true, NULL, NULL},
    {DEMO LARGE SMALL PROVIDER("DEMO", "", "K", "demo-large", "demo-large", "mock", "") LARGE, CODE_duplicate_item, 24, 3, false, NULL, NULL},
    {DEMO LARGE SMALL PROVIDER("x", "\"dm\"", "K", "demo-large", "demo-large", "mock", "") LARGE, CODE_duplicate_item, 27, 12, false, "'demo'", NULL},
    {DEMO "url = \"x\"\n" LARGE SMALL, CODE_unknown_key, 14, 1, true, "[[providers]]", NULL},
    {"[[provider]]\n", CODE_unknown_key, 2, 3, true, NULL, "'providers'"},
    {"providers = 1\n", CODE_wrong_type, 2, 13, true, NULL, NULL},
    {"[defaults]\n", CODE_unknown_key, 2, 2, true, NULL, NULL},
};

static void test_provider_mistakes(void **state)
{
    (void)state;
    CHECK_MISTAKES(provider_mistakes, PROVIDERS, CANDO_SYNTAX_NIKA);
    static const char *const required[] = {"name", "env_var", "default_model", "cheap_model", "requires_key", "description"};
    struct set s;
    set_open(&s);
    set_read(&s, PROVIDERS "[[providers]]\nid = \"a\"\n", CANDO_SYNTAX_NIKA);
    assert_int_equal(s.rs.diag.n, 7); /* and no models */
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(s.rs.diag.item[i].code, CODE_missing_key);
        assert_true(str_has(s.rs.diag.item[i].message, required[i]));
        assert_place(s.rs.diag.item[i].at, 2, 3, 9);
    }
    assert_int_equal(s.rs.fatal, 0);
    set_read(&s, PROVIDERS "[[providers]]\nname = \"a\"\n", CANDO_SYNTAX_NIKA);
    assert_int_equal(s.rs.fatal, 1); /* no id */
    assert_int_equal(s.rs.n_providers, 1);
    set_close(&s);
}

static void test_limits(void **state)
{
    (void)state;
    struct text t = {0};
    for (int over = 0; over < 2; over++) {
        text_add(&t, DEFAULTS "[[rules]]\nname = \"%s\"\nmatch = { kind = \"any\" }\n" CAPS, letters(LIMIT_NAME_BYTES + (size_t)over));
        check_too_long(&t, CANDO_SYNTAX_NIKA, over);
        text_add(&t, DEFAULTS RULE CAPS "match = { kind = \"exact\", model = \"%s\" }\n", letters(LIMIT_PATTERN_BYTES + (size_t)over));
        check_too_long(&t, CANDO_SYNTAX_NIKA, over);
        text_add(&t, DEFAULTS RULE CAPS "match = { kind = \"prefix_any\", prefixes = [");
        for (size_t i = 0; i < LIMIT_PATTERNS_PER_RULE + (size_t)over; i++)
            text_add(&t, "\"p\",");
        text_add(&t, "] }\n");
        check_too_long(&t, CANDO_SYNTAX_NIKA, over);
        text_add(&t, DEFAULTS ANY "caps.supported_parameters = [");
        for (size_t i = 0; i < LIMIT_LIST_ITEMS + (size_t)over; i++)
            text_add(&t, "\"web-search\",");
        text_add(&t, "]\n");
        check_too_long(&t, CANDO_SYNTAX_NIKA, over);
        text_add(&t, DEFAULTS ANY CAPS "scope.providers = [");
        for (size_t i = 0; i < LIMIT_LIST_ITEMS + (size_t)over; i++)
            text_add(&t, "\"openai\",");
        text_add(&t, "]\n");
        check_too_long(&t, CANDO_SYNTAX_NIKA, over);
    }
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(DEFAULTS ANY CAPS "scope.providers = [\"OpenAI\", \"google\", \"x\"]\n" ANY CAPS, CANDO_SYNTAX_AUTO);
    check_memory(PROVIDERS DEMO LARGE SMALL, CANDO_SYNTAX_AUTO);
    check_memory("colour = 1\n[[rules]]\nmatch = { kind = \"exact_any\", models = [\"a\", \"B\"] }\n", CANDO_SYNTAX_NIKA);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules),
        cmocka_unit_test(test_tolerated),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_region_never_matches),
        cmocka_unit_test(test_providers),
        cmocka_unit_test(test_provider_mistakes),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
