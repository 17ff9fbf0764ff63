/* Our own rule files: every key, every mistake with its place, order, layers. */
#include "read_case.h"

#include "rules/request.h"

#define SCHEMA "schema = \"cando/rules@1\"\n"

static const char whole[] =
    SCHEMA
    "resolution = \"first-match\"\n"                       /*  2 */
    "[defaults]\n"                                         /*  3 */
    "streaming = \"native\"\n"                             /*  4 */
    "[provider_defaults.GROQ]\n"                           /*  5 */
    "seed = \"unknown\"\n"                                 /*  6 */
    "[families]\n"                                         /*  7 */
    "OpenRouter = \"OpenAI\"\n"                            /*  8 */
    "router = [\"openai\", \"Anthropic\"]\n"               /*  9 */
    "[[providers]]\n"                                      /* 10 */
    "id = \"Anthropic\"\n"                                 /* 11 */
    "name = \"Anthropic\"\n"                               /* 12 */
    "aliases = [\"Claude\", \"claude-ai\"]\n"              /* 13 */
    "dialect = \"anthropic-messages\"\n"                   /* 14 */
    "kind = \"first-party\"\n"                             /* 15 */
    "[[providers]]\n"                                      /* 16 */
    "id = \"groq\"\n"                                      /* 17 */
    "[[rules]]\n"                                          /* 18 */
    "name = \"Claude-Computer\"\n"                         /* 19 */
    "providers = [\"Anthropic\", \"claude\"]\n"            /* 20 */
    "dialects = \"anthropic-messages\"\n"                  /* 21 */
    "match = \"Claude-Opus-4*\"\n"                         /* 22 */
    "on = \"id\"\n"                                        /* 23 */
    "version_min = [4, 5]\n"                               /* 24 */
    "version_max = [4, 9]\n"                               /* 25 */
    "extends = true\n"                                     /* 26 */
    "set = { computer_use = \"native\", tool_calling = { restricted = \"beta\" } }\n" /* 27 */
    "source = \"https://example.org\"\n"                   /* 28 */
    "evidence = \"provider-docs\"\n"                       /* 29 */
    "checked = 2026-11-01\n"                               /* 30 */
    "[[models]]\n"                                         /* 31 */
    "provider = \"Groq\"\n"                                /* 32 */
    "id = \"Llama-3\"\n"                                   /* 33 */
    "set = { context_window = 200000 }\n"                  /* 34 */
    "source = \"x\"\n"                                     /* 35 */
    "evidence = \"catalog\"\n"                             /* 36 */
    "checked = 2026-01-31\n"                               /* 37 */
    "[[labs]]\n"                                           /* 38 */
    "id = \"Meta\"\n"                                      /* 39 */
    "name = \"Meta\"\n"                                    /* 40 */
    "aliases = [\"Meta-Llama\"]\n"                         /* 41 */
    "families = [\"llama\"]\n"                             /* 42 */
    "models = [\"Llama-3.3-70B\"]\n"                       /* 43 */
    "[labs.spellings]\n"                                   /* 44 */
    "\"Llama-Versatile\" = \"Llama-3.3-70B\"\n"            /* 45 */
    "[spellings]\n"                                        /* 46 */
    "\"Groq:Llama-V\" = \"meta/Llama-3.3-70B\"\n"          /* 47 */
    "[[rules]]\n"                                          /* 48 */
    "match = { prefix = \"GPT-\", exact = [\"a\", \"B\"], glob = \"x*\", contains = \"Mini\", any = true }\n" /* 49 */
    "source = \"y\"\n"                                     /* 50 */
    "[rules.set]\n"                                        /* 51 */
    "max_tools = 0\n";                                     /* 52 */

static const struct id_entry *id_of(const struct ruleset *rs, enum id_table table, const char *key)
{
    for (size_t i = 0; i < rs->n_ids; i++)
        if (rs->id[i].table == table && str_is(rs->id[i].key, key))
            return &rs->id[i];
    return NULL;
}

static void assert_id(const struct ruleset *rs, enum id_table table, const char *key, const char *value)
{
    const struct id_entry *e = id_of(rs, table, key);
    assert_non_null(e);
    assert_str(e->value, value);
}

static void test_defaults(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, whole, CANDO_SYNTAX_AUTO);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.n_sources, 1);
    assert_int_equal(s.rs.source[0].syntax, CANDO_SYNTAX_CANDO);
    assert_int_equal(s.rs.source[0].layer, CANDO_LAYER_PROJECT);
    assert_true(s.rs.source[0].first_match);
    assert_false(s.rs.source[0].broken);
    assert_int_equal(s.rs.n_rules, 5);

    const struct rule *d = &s.rs.rule[0];
    assert_int_equal(d->kind, RULE_DEFAULT);
    assert_int_equal(d->n_providers, 0);
    assert_int_equal(d->n_patterns, 1);
    assert_int_equal(d->pattern[0].kind, MATCH_ANY);
    assert_place(d->at, 3, 2, 8);
    assert_int_equal(d->n_assigns, 1);
    assert_int_equal(d->assign[0].field, F_streaming);
    assert_int_equal(d->assign[0].value.support, CANDO_NATIVE);
    assert_place(d->assign[0].at, 4, 1, 9);

    const struct rule *p = &s.rs.rule[1];
    assert_int_equal(p->kind, RULE_PROVIDER_DEFAULT);
    assert_int_equal(p->n_providers, 1);
    assert_str(p->provider[0].name, "groq");
    assert_true(p->assign[0].value.cleared);
    set_close(&s);
}

static void test_rule(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, whole, CANDO_SYNTAX_CANDO);
    const struct rule *r = &s.rs.rule[2];
    assert_int_equal(r->kind, RULE_MATCH);
    assert_str(r->name, "Claude-Computer");
    assert_place(r->at, 18, 3, 5);
    assert_int_equal(r->n_providers, 2);
    assert_str(r->provider[0].name, "anthropic");
    assert_place(r->provider[1].at, 20, 27, 8);
    assert_int_equal(r->n_apis, 1);
    assert_str(r->api[0].name, "anthropic-messages");
    assert_int_equal(r->n_patterns, 1);
    assert_int_equal(r->pattern[0].kind, MATCH_GLOB);
    assert_str(r->pattern[0].text, "claude-opus-4*");
    assert_int_equal(r->pattern[0].n_programs, 1);
    assert_true(glob_run(r->pattern[0].program[0], STR("claude-opus-4-5")));
    assert_false(glob_run(r->pattern[0].program[0], STR("claude-opus-3")));
    assert_false(r->pattern[0].literal);
    assert_place(r->pattern[0].at, 22, 9, 16);
    assert_false(r->on_base);
    assert_true(r->min.set && r->max.set && r->extends && !r->never);
    assert_int_equal(r->min.major, 4);
    assert_int_equal(r->min.minor, 5);
    assert_int_equal(r->max.minor, 9);
    assert_place(r->min.at, 24, 15, 6);
    assert_int_equal(r->scheme, SCHEME_ANY);
    assert_int_equal(r->n_assigns, 2);
    assert_place(r->assign[0].at, 27, 9, 12);
    const struct assign *t = assign_for(r, F_tool_calling);
    assert_int_equal(t->value.support, CANDO_RESTRICTED);
    assert_str(t->value.text, "beta");
    assert_str(r->origin, "https://example.org");
    assert_str(r->evidence, "provider-docs");
    assert_int_equal(r->checked, 20261101);
    set_close(&s);
}

static void test_match_table(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, whole, CANDO_SYNTAX_CANDO);
    const struct rule *r = &s.rs.rule[4];
    assert_int_equal(r->at.line, 48);
    assert_str(r->name, "");
    assert_true(r->on_base);
    assert_int_equal(r->n_patterns, 6);
    static const enum match_kind kind[] = {MATCH_PREFIX, MATCH_EXACT, MATCH_EXACT, MATCH_GLOB, MATCH_CONTAINS, MATCH_ANY};
    static const char *const text[] = {"gpt-", "a", "b", "x*", "mini", ""};
    for (size_t i = 0; i < 6; i++) {
        assert_int_equal(r->pattern[i].kind, kind[i]);
        assert_str(r->pattern[i].text, text[i]);
    }
    assert_int_equal(r->assign[0].field, F_max_tools);
    assert_int_equal(r->assign[0].value.number, 0);
    set_close(&s);
}

static void test_fact(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, whole, CANDO_SYNTAX_CANDO);
    const struct rule *r = &s.rs.rule[3];
    assert_int_equal(r->kind, RULE_FACT);
    assert_str(r->name, "groq/llama-3");
    assert_str(r->provider[0].name, "groq");
    assert_int_equal(r->n_patterns, 1);
    assert_int_equal(r->pattern[0].kind, MATCH_EXACT);
    assert_str(r->pattern[0].text, "llama-3");
    assert_false(r->on_base);
    assert_int_equal(r->checked, 20260131);
    assert_str(r->evidence, "catalog");
    set_close(&s);

    set_open(&s);
    set_read(&s, SCHEMA "[[models]]\nprovider = \"p\"\nid = \"m\"\nname = \"n\"\n[[models]]\nprovider = \"p\"\nid = \"o\"\nset = {}\n",
             CANDO_SYNTAX_CANDO);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.n_rules, 2);
    assert_str(s.rs.rule[0].name, "n");
    assert_int_equal(s.rs.rule[0].n_assigns, 0);
    set_close(&s);
}

static void test_tables(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, whole, CANDO_SYNTAX_CANDO);
    assert_int_equal(s.rs.n_providers, 2);
    const struct provider *p = &s.rs.provider[0];
    assert_str(p->id, "anthropic");
    assert_str(p->name, "Anthropic");
    assert_str(p->api, "anthropic-messages");
    assert_str(p->kind, "first-party");
    assert_int_equal(p->n_aliases, 2);
    assert_str(p->alias[0].name, "claude");
    assert_place(p->at, 10, 3, 9);
    assert_int_equal(s.rs.n_families, 3);
    assert_str(s.rs.family[0].child, "openrouter");
    assert_str(s.rs.family[0].parent, "openai");
    assert_int_equal(s.rs.family[0].at.line, 8);
    assert_str(s.rs.family[1].parent, "openai");
    assert_str(s.rs.family[2].child, "router");
    assert_str(s.rs.family[2].parent, "anthropic");

    assert_id(&s.rs, ID_PROVIDER, "anthropic", "anthropic");
    assert_id(&s.rs, ID_PROVIDER, "claude-ai", "anthropic");
    assert_id(&s.rs, ID_PROVIDER, "groq", "groq");
    assert_id(&s.rs, ID_LAB, "meta", "meta");
    assert_id(&s.rs, ID_LAB, "meta-llama", "meta");
    assert_id(&s.rs, ID_FAMILY, "llama", "meta");
    assert_id(&s.rs, ID_MODEL, "meta/llama-3.3-70b", "Llama-3.3-70B");
    assert_id(&s.rs, ID_SPELLING, "meta/llama-versatile", "meta/Llama-3.3-70B");
    assert_id(&s.rs, ID_SPELLING, "groq:llama-v", "meta/Llama-3.3-70B");
    set_close(&s);
}

/* Values of every type, and the ways to clear them. */
static void test_values(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s,
             SCHEMA "[defaults]\n"
                    "streaming = \"emulated\"\ntool_calling = true\nreasoning = false\nseed = \"unsupported\"\n"
                    "image_blocks = true\nimage_urls = \"unknown\"\n"
                    "max_output = 9007199254740991\ncontext_window = \"unknown\"\n"
                    "tokenizer = \"o200k\"\ncaching = \"unknown\"\ntool_mode_parity = \"unknown\"\n"
                    "server_parser = \"\"\n"
                    "input_modalities = [\"image\"]\nsupported_parameters = []\nthinking_modes = \"unknown\"\n"
                    "auto_reasoning_overrides = { agent = \"off\", code = \"\" }\n",
             CANDO_SYNTAX_CANDO);
    assert_clean(&s.rs);
    const struct rule *r = &s.rs.rule[0];
    assert_int_equal(r->n_assigns, 16);
    assert_int_equal(assign_for(r, F_streaming)->value.support, CANDO_EMULATED);
    assert_int_equal(assign_for(r, F_tool_calling)->value.support, CANDO_NATIVE);
    assert_int_equal(assign_for(r, F_reasoning)->value.support, CANDO_UNSUPPORTED);
    assert_int_equal(assign_for(r, F_seed)->value.support, CANDO_UNSUPPORTED);
    assert_true(assign_for(r, F_image_blocks)->value.flag);
    assert_true(assign_for(r, F_image_urls)->value.cleared);
    assert_true(assign_for(r, F_max_output)->value.number == LIMIT_NUMBER);
    assert_true(assign_for(r, F_context_window)->value.cleared);
    assert_str(assign_for(r, F_tokenizer)->value.text, "o200k");
    assert_true(assign_for(r, F_caching)->value.cleared);
    assert_true(assign_for(r, F_tool_mode_parity)->value.cleared);
    assert_false(assign_for(r, F_server_parser)->value.cleared);
    assert_int_equal(assign_for(r, F_input_modalities)->value.n, 1);
    assert_int_equal(assign_for(r, F_supported_parameters)->value.n, 0);
    assert_true(assign_for(r, F_thinking_modes)->value.cleared);
    const struct rule_value *map = &assign_for(r, F_auto_reasoning_overrides)->value;
    assert_int_equal(map->n, 2);
    assert_str(map->item[0], "agent=off");
    assert_str(map->item[1], "code=");
    set_close(&s);
}

#define RULE "[[rules]]\nsource = \"s\"\n"                     /* lines 2 and 3 */
#define MATCHED RULE "match = \"a\"\n"                         /* and 4 */
#define SETS MATCHED "set = { seed = true }\n"                 /* and 5 */
#define FACT "[[models]]\nprovider = \"p\"\nid = \"m\"\n"      /* 2 to 4 */

static const struct mistake file_mistakes[] = {
    {"colour = 1\n", CODE_unknown_key, 2, 1, true, "'colour'", "schema, resolution, defaults"},
    {"rule = []\n", CODE_unknown_key, 2, 1, true, NULL, "'rules'"},
    {"resolution = \"layerd\"\n", CODE_unknown_word, 2, 14, true, NULL, "'layered'"},
    {"resolution = 1\n", CODE_wrong_type, 2, 14, true, "an integer", NULL},
    {"defaults = 1\n", CODE_wrong_type, 2, 12, true, NULL, NULL},
    {"[defaults]\nstreamin = true\n", CODE_unknown_key, 3, 1, true, NULL, "'streaming'"},
    {"[defaults]\nStreaming = true\n", CODE_unknown_key, 3, 1, true, NULL, "'streaming'"},
    {"[defaults]\nnative_tools = true\n", CODE_unknown_key, 3, 1, true, NULL, "cando calls it 'tool_calling'"},
    {"[defaults]\nzzzzzzzz = true\n", CODE_unknown_key, 3, 1, true, NULL, ""},
    {"provider_defaults = 1\n", CODE_wrong_type, 2, 21, true, NULL, NULL},
    {"[provider_defaults]\ngroq = 1\n", CODE_wrong_type, 3, 8, true, NULL, NULL},
    {"[provider_defaults.\"\"]\nseed = true\n", CODE_empty_value, 2, 20, true, NULL, NULL},
    {"[families]\na = 1\n", CODE_wrong_type, 3, 5, true, NULL, NULL},
    {"[families]\na = []\n", CODE_empty_value, 3, 5, true, NULL, NULL},
    {"[families]\na = [\"b\", \"B\"]\n", CODE_duplicate_item, 3, 11, false, NULL, NULL},
    {"[families]\na = [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\", \"10\", "
     "\"11\", \"12\", \"13\", \"14\", \"b\", \"B\"]\n",
     CODE_duplicate_item, 3, 86, false, "'B' stands twice", NULL},
    {"[families]\na = [\"1\", \"2\", \"3\", \"4\", \"5\", \"6\", \"7\", \"8\", \"9\", \"10\", "
     "\"11\", \"12\", \"13\", \"14\", \"15\", \"b\", \"B\"]\n",
     CODE_duplicate_item, 3, 92, false, "'B' stands twice", NULL},
    {"[families]\na = [\"b\", \"\"]\n", CODE_empty_value, 3, 11, true, NULL, NULL},
    {"[families]\na = \"b\"\nA = \"c\"\n", CODE_duplicate_item, 4, 1, false, "line 3", NULL},
    {"[rules]\n", CODE_wrong_type, 2, 2, true, NULL, "[[rules]]"},
    {"rules = [1]\n", CODE_wrong_type, 2, 10, true, "expected a table", NULL},
    {"a = \n", CODE_toml_syntax, 2, 5, true, NULL, NULL},
    {"a = 1\na = 2\n", CODE_toml_duplicate_key, 3, 1, true, NULL, NULL},
};

static const struct mistake rule_mistakes[] = {
    {RULE "set = { seed = true }\n", CODE_missing_key, 2, 3, true, "'match'", "any = true"},
    {MATCHED, CODE_missing_key, 2, 3, false, "'set'", NULL},
    {MATCHED "set = {}\n", CODE_empty_rule, 5, 1, false, NULL, NULL},
    {MATCHED "set = 1\n", CODE_wrong_type, 5, 7, true, NULL, NULL},
    {SETS "colour = 1\n", CODE_unknown_key, 6, 1, true, "[[rules]]", NULL},
    {SETS "version_mn = [1, 2]\n", CODE_unknown_key, 6, 1, true, NULL, "'version_min'"},
    {SETS "name = \"\"\n", CODE_empty_value, 6, 8, false, NULL, NULL},
    {SETS "name = 1\n", CODE_wrong_type, 6, 8, true, NULL, NULL},
    {SETS "name = \"a\\u0000b\"\n", CODE_wrong_type, 6, 8, true, "NUL", NULL},
    {SETS "name = \"x\"\n" SETS "name = \"x\"\n", CODE_duplicate_name, 7, 3, false, "a.toml, line 2", NULL},
    {SETS "providers = 1\n", CODE_wrong_type, 6, 13, true, NULL, NULL},
    {SETS "providers = []\n", CODE_empty_value, 6, 13, true, NULL, NULL},
    {SETS "providers = [\"\"]\n", CODE_empty_value, 6, 14, true, NULL, NULL},
    {SETS "providers = [1]\n", CODE_wrong_type, 6, 14, true, NULL, NULL},
    {SETS "dialects = \"openai\"\n", CODE_unknown_api, 6, 12, true, NULL, "openai-chat"},
    {SETS "dialects = [\"openai-chta\"]\n", CODE_unknown_api, 6, 13, true, NULL, "did you mean 'openai-chat'?"},
    {SETS "dialects = []\n", CODE_empty_value, 6, 12, true, NULL, NULL},
    {SETS "on = \"bas\"\n", CODE_unknown_word, 6, 6, true, NULL, "'base'"},
    {SETS "version_min = [4]\n", CODE_version_malformed, 6, 15, false, NULL, "[4, 5]"},
    {SETS "version_min = [4, -1]\n", CODE_version_malformed, 6, 15, false, NULL, NULL},
    {SETS "version_max = \"4.5\"\n", CODE_version_malformed, 6, 15, false, NULL, NULL},
    {SETS "version_max = [1, 4294967296]\n", CODE_version_malformed, 6, 15, false, NULL, NULL},
    {SETS "extends = 1\n", CODE_wrong_type, 6, 11, true, NULL, NULL},
    {SETS "evidence = \"rumour\"\n", CODE_unknown_word, 6, 12, true, NULL, "provider-api"},
    {SETS "checked = \"2026-11-01\"\n", CODE_bad_date, 6, 11, false, NULL, "without quotes"},
    {SETS "checked = 2026-11-01T00:00:00Z\n", CODE_bad_date, 6, 11, false, NULL, NULL},
    {"[[rules]]\nsource = \"\"\nmatch = \"a\"\nset = { seed = true }\n", CODE_empty_value, 3, 10, false, NULL, NULL},
    {"[[rules]]\nsource = 1\nmatch = \"a\"\nset = { seed = true }\n", CODE_wrong_type, 3, 10, true, NULL, NULL},
};

#define MATCH_IS(text) RULE "set = { seed = true }\nmatch = " text "\n" /* line 5, column 9 */

static const struct mistake match_mistakes[] = {
    {MATCH_IS("1"), CODE_wrong_type, 5, 9, true, NULL, NULL},
    {MATCH_IS("\"\""), CODE_empty_value, 5, 9, true, NULL, NULL},
    {MATCH_IS("[]"), CODE_empty_value, 5, 9, true, NULL, NULL},
    {MATCH_IS("[\"a\", \"\"]"), CODE_empty_value, 5, 15, true, NULL, NULL},
    {MATCH_IS("[\"a\", 1]"), CODE_wrong_type, 5, 15, true, NULL, NULL},
    {MATCH_IS("[\"a\", \"A\"]"), CODE_duplicate_item, 5, 15, false, NULL, NULL},
    {MATCH_IS("{}"), CODE_empty_value, 5, 9, true, NULL, "any = true"},
    {MATCH_IS("{ any = false }"), CODE_empty_value, 5, 9, true, NULL, NULL},
    {MATCH_IS("{ any = 1 }"), CODE_wrong_type, 5, 17, true, NULL, NULL},
    {MATCH_IS("{ regex = \"a\" }"), CODE_unknown_key, 5, 11, true, NULL, "glob, exact, prefix"},
    {MATCH_IS("{ prefx = \"a\" }"), CODE_unknown_key, 5, 11, true, NULL, "'prefix'"},
    {MATCH_IS("{ exact = \"\" }"), CODE_empty_value, 5, 19, true, NULL, NULL},
    {MATCH_IS("\"a*[\""), CODE_pattern_literal, 5, 9, false, NULL, NULL},
    {MATCH_IS("\"f[oo\""), CODE_pattern_literal, 5, 9, false, NULL, NULL},
    {MATCH_IS("\"*{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}{0,1}\""), CODE_too_long, 5, 9, true, NULL, NULL},
};

#define VALUE(text) "[defaults]\n" text "\n" /* line 3 */

static const struct mistake value_mistakes[] = {
    {VALUE("seed = 1"), CODE_wrong_type, 3, 8, true, NULL, NULL},
    {VALUE("seed = \"nativ\""), CODE_unknown_word, 3, 8, true, NULL, "'native'"},
    {VALUE("seed = \"restricted\""), CODE_unknown_word, 3, 8, true, NULL, "{ restricted = \"why\" }"},
    {VALUE("seed = { restricted = \"\" }"), CODE_empty_value, 3, 23, true, NULL, NULL},
    {VALUE("seed = { restricted = 1 }"), CODE_wrong_type, 3, 23, true, NULL, NULL},
    {VALUE("seed = { because = \"x\" }"), CODE_wrong_type, 3, 8, true, NULL, NULL},
    {VALUE("seed = {}"), CODE_wrong_type, 3, 8, true, NULL, NULL},
    {VALUE("image_blocks = \"native\""), CODE_wrong_type, 3, 16, true, NULL, NULL},
    {VALUE("max_tools = -1"), CODE_bad_number, 3, 13, true, "expected 0 to", NULL},
    {VALUE("max_tools = 9007199254740992"), CODE_bad_number, 3, 13, true, NULL, NULL},
    {VALUE("max_tools = 1.5"), CODE_wrong_type, 3, 13, true, NULL, NULL},
    {VALUE("context_window = 0"), CODE_bad_number, 3, 18, true, "expected 1 to", NULL},
    {VALUE("max_input = 0"), CODE_bad_number, 3, 13, true, NULL, NULL},
    {VALUE("max_output = 0"), CODE_bad_number, 3, 14, true, NULL, NULL},
    {VALUE("context_window = 10\nmax_output = 11"), CODE_output_above_window, 4, 1, false, "11", NULL},
    {VALUE("tokenizer = \"abacus\""), CODE_unknown_word, 3, 13, true, NULL, "expected one of: cl100k"},
    {VALUE("tokenizer = true"), CODE_wrong_type, 3, 13, true, NULL, NULL},
    {VALUE("server_parser = 1"), CODE_wrong_type, 3, 17, true, NULL, NULL},
    {VALUE("retires_on = \"soon\""), CODE_bad_date, 3, 14, true, "\"soon\"", "2026-11-15"},
    {VALUE("retires_on = 2026-11-15T00:00:00Z"), CODE_wrong_type, 3, 14, true, NULL, NULL},
    {VALUE("retires_not_before = \"\""), CODE_bad_date, 3, 22, true, NULL, NULL},
    {VALUE("deprecated_on = \"2026-02-30\""), CODE_bad_date, 3, 17, true, NULL, NULL},
    {VALUE("release_date = \"2026-13\""), CODE_bad_date, 3, 16, true, NULL, NULL},
    {VALUE("knowledge_cutoff = \"15.11.2026\""), CODE_bad_date, 3, 20, true, NULL, NULL},
    {VALUE("thinking_modes = \"effort\""), CODE_wrong_type, 3, 18, true, NULL, NULL},
    {VALUE("thinking_modes = [\"efort\"]"), CODE_unknown_word, 3, 19, true, NULL, "'effort'"},
    {VALUE("thinking_modes = [1]"), CODE_wrong_type, 3, 19, true, NULL, NULL},
    {VALUE("thinking_modes = [\"effort\", \"effort\"]"), CODE_duplicate_item, 3, 29, false, NULL, NULL},
    {VALUE("hosted_tools = [\"\"]"), CODE_empty_value, 3, 17, false, NULL, NULL},
    {VALUE("auto_reasoning_overrides = 1"), CODE_wrong_type, 3, 28, true, NULL, NULL},
    {VALUE("auto_reasoning_overrides = { a = 1 }"), CODE_wrong_type, 3, 34, true, NULL, NULL},
    {VALUE("auto_reasoning_overrides = { \"a=b\" = \"c\" }"), CODE_wrong_type, 3, 30, true, NULL, NULL},
};

static const struct mistake table_mistakes[] = {
    {"[[providers]]\nname = \"x\"\n", CODE_missing_key, 2, 3, true, "'id'", NULL},
    {"[[providers]]\nid = \"\"\n", CODE_empty_value, 3, 6, true, NULL, NULL},
    {"[[providers]]\nid = \"a\"\nkind = \"cluod\"\n", CODE_unknown_word, 4, 8, true, NULL, "'cloud'"},
    {"[[providers]]\nid = \"a\"\ndialect = \"x\"\n", CODE_unknown_api, 4, 11, true, NULL, NULL},
    {"[[providers]]\nid = \"a\"\naliases = \"b\"\n", CODE_wrong_type, 4, 11, true, NULL, NULL},
    {"[[providers]]\nid = \"a\"\naliases = [\"c\", \"b\"]\n", CODE_not_sorted, 4, 17, false, NULL, "'b' goes before 'c'"},
    {"[[providers]]\nid = \"a\"\naliases = [\"b\", \"b\"]\n", CODE_duplicate_item, 4, 17, false, NULL, NULL},
    {"[[providers]]\nid = \"a\"\naliases = [\"A\"]\n", CODE_duplicate_item, 4, 12, false, NULL, NULL},
    {"[[providers]]\nid = \"a\"\n[[providers]]\nid = \"A\"\n", CODE_duplicate_item, 4, 3, false, "line 2", NULL},
    {"[[providers]]\nid = \"a\"\naliases = [\"b\"]\n[[providers]]\nid = \"b\"\n", CODE_duplicate_item, 5, 3, false, "'a'", NULL},
    {"[[providers]]\nid = \"a\"\nurl = \"b\"\n", CODE_unknown_key, 4, 1, true, NULL, NULL},
    {"[[models]]\nid = \"m\"\n", CODE_missing_key, 2, 3, true, "'provider'", NULL},
    {"[[models]]\nprovider = \"p\"\n", CODE_missing_key, 2, 3, true, "'id'", NULL},
    {"[[models]]\nprovider = \"p\"\nid = [\"m\"]\n", CODE_wrong_type, 4, 6, true, NULL, NULL},
    {FACT "match = \"m\"\n", CODE_unknown_key, 5, 1, true, NULL, NULL},
    {FACT FACT, CODE_duplicate_name, 5, 3, false, "'p/m'", NULL},
    {"[[labs]]\nname = \"x\"\n", CODE_missing_key, 2, 3, true, NULL, NULL},
    {"[[labs]]\nid = \"a\"\nmodel = []\n", CODE_unknown_key, 4, 1, true, NULL, "'models'"},
    {"[[labs]]\nid = \"a\"\nmodels = \"m\"\n", CODE_wrong_type, 4, 10, true, NULL, NULL},
    {"[[labs]]\nid = \"a\"\nmodels = [\"m\", \"M\"]\n", CODE_duplicate_item, 4, 16, false, NULL, NULL},
    {"[[labs]]\nid = \"a\"\nfamilies = [\"f\"]\n[[labs]]\nid = \"b\"\nfamilies = [\"f\"]\n", CODE_duplicate_item, 7, 13, false, NULL, NULL},
    {"[[labs]]\nid = \"a\"\nspellings = 1\n", CODE_wrong_type, 4, 13, true, NULL, NULL},
    {"[[labs]]\nid = \"a\"\n[labs.spellings]\nx = 1\n", CODE_wrong_type, 5, 5, true, NULL, NULL},
    {"[spellings]\nx = \"lab/m\"\n", CODE_wrong_type, 3, 1, true, "provider:id", NULL},
    {"[spellings]\n\"p:x\" = \"m\"\n", CODE_wrong_type, 3, 9, true, "lab/model", NULL},
    {"[spellings]\n\"p:x\" = \"/m\"\n", CODE_wrong_type, 3, 9, true, NULL, NULL},
};

static const struct mistake scope_mistakes[] = {
    {"[[providers]]\nid = \"anthropic\"\naliases = [\"claude\"]\n" SETS "providers = [\"Claude\", \"antropic\"]\n",
     CODE_unknown_provider, 9, 24, false, "'antropic'", "'anthropic'"},
    {"[[providers]]\nid = \"anthropic\"\n[[models]]\nprovider = \"zzz\"\nid = \"m\"\n", CODE_unknown_provider, 5, 12, false,
     NULL, "[[providers]]"},
    {"[[providers]]\nid = \"groq\"\n[provider_defaults.grok]\nseed = true\n", CODE_unknown_provider, 4, 20, false, NULL,
     "'groq'"},
};

static void test_mistakes(void **state)
{
    (void)state;
    CHECK_MISTAKES(file_mistakes, SCHEMA, CANDO_SYNTAX_CANDO);
    CHECK_MISTAKES(rule_mistakes, SCHEMA, CANDO_SYNTAX_CANDO);
    CHECK_MISTAKES(match_mistakes, SCHEMA, CANDO_SYNTAX_AUTO);
    CHECK_MISTAKES(value_mistakes, SCHEMA, CANDO_SYNTAX_CANDO);
    CHECK_MISTAKES(table_mistakes, SCHEMA, CANDO_SYNTAX_CANDO);
    CHECK_MISTAKES(scope_mistakes, SCHEMA, CANDO_SYNTAX_CANDO);
}

static void test_schema(void **state)
{
    (void)state;
    static const struct mistake told[] = {
        {"", CODE_schema_missing, 1, 1, false, NULL, "cando/rules@1"},
        {"schema = 1\n", CODE_wrong_type, 1, 10, true, NULL, NULL},
        {"schema = \"cando/rules@2\"\n", CODE_schema_unknown, 1, 10, true, NULL, "cando/rules@1"},
        {"schema = \"nika/model-capabilities@1.0\"\n", CODE_schema_unknown, 1, 10, true, "'cando'", "'nika'"},
    };
    static const struct mistake asked[] = {
        {"", CODE_schema_missing, 1, 1, true, NULL, NULL},
        {"[[rules]]\n", CODE_schema_missing, 1, 1, true, NULL, NULL},
        {"provider = 1\n", CODE_schema_missing, 1, 1, true, NULL, NULL},
        {"schema = \"x\"\n", CODE_schema_unknown, 1, 10, true, NULL, NULL},
    };
    CHECK_MISTAKES(told, "", CANDO_SYNTAX_CANDO);
    CHECK_MISTAKES(asked, "", CANDO_SYNTAX_AUTO);

    struct set s;
    set_open(&s);
    set_read(&s, "a = ", CANDO_SYNTAX_AUTO);
    assert_true(s.rs.source[0].broken);
    set_read(&s, SCHEMA, CANDO_SYNTAX_AUTO);
    assert_false(s.rs.source[1].broken);
    ruleset_read(&s.rs, STR("none"), STR_NONE, CANDO_SYNTAX_CANDO, CANDO_LAYER_USER);
    assert_false(s.rs.failed);
    assert_int_equal(s.rs.n_sources, 3);
    assert_int_equal(s.rs.source[2].file, 2);
    set_close(&s);
}

/* Without any provider declared, scopes are free. */
static void test_free_scopes(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, SCHEMA SETS "providers = \"whoever\"\n", CANDO_SYNTAX_CANDO);
    ruleset_check_scopes(&s.rs);
    assert_clean(&s.rs);
    set_close(&s);
}

/* One note a rule that names no source. */
static void test_notes(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, SCHEMA SETS "[[rules]]\nmatch = \"b\"\nset = { seed = true }\n" FACT, CANDO_SYNTAX_CANDO);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.diag.count[CANDO_NOTE], 2);
    assert_int_equal(s.rs.diag.item[0].code, CODE_no_source);
    assert_place(s.rs.diag.item[0].at, 6, 3, 5);
    set_close(&s);
}

/* Tables of different kinds come out in the order of their lines. */
static void test_order(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, SCHEMA FACT SETS FACT "name = \"x\"\n" SETS "[defaults]\nseed = true\n", CANDO_SYNTAX_CANDO);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.n_rules, 5);
    static const enum rule_kind kind[] = {RULE_FACT, RULE_MATCH, RULE_FACT, RULE_MATCH, RULE_DEFAULT};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(s.rs.rule[i].kind, kind[i]);
        assert_true(i == 0 || s.rs.rule[i - 1].at.line < s.rs.rule[i].at.line);
    }
    set_close(&s);
}

static void test_layers(void **state)
{
    (void)state;
    static const char low[] = SCHEMA "[[providers]]\nid = \"a\"\nname = \"Low\"\naliases = [\"x\"]\ndialect = \"gemini\"\n"
                                     "[families]\nf = \"low\"\n" FACT "[spellings]\n\"p:m\" = \"l/low\"\n";
    static const char high[] = SCHEMA "[[providers]]\nid = \"A\"\nname = \"High\"\naliases = [\"x\", \"y\"]\n"
                                      "[families]\nF = [\"high\", \"higher\"]\n" FACT "[spellings]\n\"p:m\" = \"l/high\"\n";
    for (int order = 0; order < 2; order++) {
        struct set s;
        set_open(&s);
        if (order == 0)
            set_read_in(&s, "low.toml", low, CANDO_SYNTAX_AUTO, CANDO_LAYER_FACTS);
        set_read_in(&s, "high.toml", high, CANDO_SYNTAX_AUTO, CANDO_LAYER_USER);
        if (order == 1)
            set_read_in(&s, "low.toml", low, CANDO_SYNTAX_AUTO, CANDO_LAYER_FACTS);
        assert_clean(&s.rs);
        assert_int_equal(s.rs.n_providers, 1);
        assert_str(s.rs.provider[0].name, "High");
        assert_str(s.rs.provider[0].api, "gemini");
        assert_int_equal(s.rs.provider[0].n_aliases, 2);
        assert_int_equal(s.rs.n_families, 2);
        assert_str(s.rs.family[0].parent, "high");
        assert_str(s.rs.family[1].parent, "higher");
        assert_id(&s.rs, ID_SPELLING, "p:m", "l/high");
        assert_int_equal(s.rs.n_rules, 2);
        set_close(&s);
    }
    struct set s;
    set_open(&s);
    set_read_in(&s, "one.toml", low, CANDO_SYNTAX_AUTO, CANDO_LAYER_USER);
    set_read_in(&s, "two.toml", high, CANDO_SYNTAX_AUTO, CANDO_LAYER_USER);
    assert_int_equal(s.rs.fatal, 0);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], 4); /* provider, family, fact, spelling */
    assert_int_equal(s.rs.n_providers, 1);
    set_close(&s);
}

/* A rule's name is unique in all files, a broken rule is left out. */
static void test_across_files(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read_in(&s, "one.toml", SCHEMA SETS "name = \"x\"\n", CANDO_SYNTAX_AUTO, CANDO_LAYER_FAMILY);
    set_read_in(&s, "two.toml", SCHEMA SETS "name = \"x\"\n", CANDO_SYNTAX_AUTO, CANDO_LAYER_USER);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], 1);
    const struct finding *f = &s.rs.diag.item[s.rs.diag.n - 1];
    assert_int_equal(f->code, CODE_duplicate_name);
    assert_int_equal(f->at.file, 1);
    assert_true(str_has(f->message, "one.toml, line 2"));
    set_read(&s, SCHEMA MATCH_IS("[]"), CANDO_SYNTAX_AUTO);
    assert_int_equal(s.rs.n_rules, 2);
    assert_false(s.rs.source[2].broken);
    set_close(&s);
}

/* A set that was filled without a reader: its names are known, and give way. */
static void test_filled_before(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    static struct rule_source source = {.layer = CANDO_LAYER_PROJECT, .syntax = CANDO_SYNTAX_CANDO};
    static struct scope_name alias = {.name = {"claude", 6}};
    static struct provider provider[2] = {{.id = {"anthropic", 9}, .alias = &alias, .n_aliases = 1, .api = {"gemini", 6}},
                                          {.id = {"groq", 4}}};
    static struct id_entry id = {.table = ID_SPELLING, .key = {"p:m", 3}, .value = {"l/old", 5}};
    static struct rule rule = {.kind = RULE_MATCH, .name = {"taken", 5}, .at = {.line = 7}};
    source.name = STR("old.toml");
    source.file = diag_add_file(&s.rs.diag, source.name, STR(""));
    s.rs.source = &source;
    s.rs.provider = provider;
    s.rs.id = &id;
    s.rs.rule = &rule;
    s.rs.n_sources = s.rs.n_ids = s.rs.n_rules = 1;
    s.rs.n_providers = 2;
    /* no capacity: whatever is added moves to the arena */
    set_read(&s,
             SCHEMA "[[providers]]\nid = \"anthropic\"\naliases = [\"ant\", \"claude\"]\n"
                    "[spellings]\n\"p:m\" = \"l/new\"\n" SETS "providers = [\"groq\", \"claude\", \"ant\"]\n",
             CANDO_SYNTAX_CANDO);
    ruleset_check_scopes(&s.rs);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.n_providers, 2);
    assert_int_equal(s.rs.provider[0].n_aliases, 2);
    assert_str(s.rs.provider[0].api, "gemini");
    assert_int_equal(s.rs.provider[0].source, 1);
    assert_id(&s.rs, ID_SPELLING, "p:m", "l/new");
    set_read(&s, SCHEMA SETS "name = \"taken\"\n", CANDO_SYNTAX_CANDO);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], 1);
    assert_true(str_has(s.rs.diag.item[s.rs.diag.n - 1].message, "old.toml, line 7"));
    set_close(&s);
}

/* A lab may be spoken of in several files. */
static void test_lab_again(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, SCHEMA "[[labs]]\nid = \"l\"\nmodels = [\"one\"]\n", CANDO_SYNTAX_CANDO);
    set_read(&s, SCHEMA "[[labs]]\nid = \"L\"\nmodels = [\"two\"]\n", CANDO_SYNTAX_CANDO);
    assert_clean(&s.rs);
    assert_id(&s.rs, ID_MODEL, "l/one", "one");
    assert_id(&s.rs, ID_MODEL, "l/two", "two");
    set_close(&s);
}

/* Each of them may be the first that finds no memory. */
static void test_filled_without_memory(void **state)
{
    (void)state;
    static struct rule rule = {.kind = RULE_MATCH, .name = {"taken", 5}};
    static struct provider provider = {.id = {"groq", 4}};
    static struct id_entry id = {.table = ID_SPELLING, .key = {"p:m", 3}, .value = {"l/m", 3}};
    for (unsigned which = 0; which < 3; which++)
        for (size_t n = 0;; n++) {
            struct failing scarce = failing_after(n);
            cando_allocator a = {failing_resize, &scarce};
            struct arena ar;
            struct ruleset rs;
            arena_init(&ar, &a);
            ruleset_init(&rs, &ar);
            rs.rule = &rule;
            rs.provider = &provider;
            rs.id = &id;
            rs.n_rules = which == 0;
            rs.n_providers = which == 1;
            rs.n_ids = which == 2;
            bool done = ruleset_index(&rs);
            assert_true(done == !scarce.failed);
            arena_free(&ar);
            if (done)
                break;
        }
}

static void test_malformed_version_never_matches(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    set_read(&s, SCHEMA SETS "version_min = [4]\n", CANDO_SYNTAX_CANDO);
    assert_true(s.rs.rule[0].never);
    assert_false(s.rs.rule[0].min.set);
    set_close(&s);
}

static void test_limits(void **state)
{
    (void)state;
    struct text t = {0};
    for (int over = 0; over < 2; over++) {
        text_add(&t, SCHEMA SETS "name = \"%s\"\n", letters(LIMIT_NAME_BYTES + (size_t)over));
        check_too_long(&t, CANDO_SYNTAX_CANDO, over);
        text_add(&t, SCHEMA "[provider_defaults.%s]\nseed = true\n", letters(LIMIT_NAME_BYTES + (size_t)over));
        check_too_long(&t, CANDO_SYNTAX_CANDO, over);
        text_add(&t, SCHEMA RULE "set.seed = true\nmatch = \"%s\"\n", letters(LIMIT_PATTERN_BYTES + (size_t)over));
        check_too_long(&t, CANDO_SYNTAX_CANDO, over);

        text_add(&t, SCHEMA RULE "set.seed = true\nmatch.exact = [");
        for (size_t i = 0; i < LIMIT_PATTERNS_PER_RULE / 2; i++)
            text_add(&t, "\"p%zu\",", i);
        text_add(&t, "]\nmatch.prefix = [");
        for (size_t i = 0; i < LIMIT_PATTERNS_PER_RULE / 2 + (size_t)over; i++)
            text_add(&t, "\"p%zu\",", i);
        text_add(&t, "]\n");
        check_too_long(&t, CANDO_SYNTAX_CANDO, over);

        text_add(&t, SCHEMA "[defaults]\nhosted_tools = [");
        for (size_t i = 0; i < LIMIT_LIST_ITEMS + (size_t)over; i++)
            text_add(&t, "\"t%zu\",", i);
        text_add(&t, "]\n");
        check_too_long(&t, CANDO_SYNTAX_CANDO, over);

        text_add(&t, SCHEMA "[defaults.auto_reasoning_overrides]\n");
        for (size_t i = 0; i < LIMIT_LIST_ITEMS + (size_t)over; i++)
            text_add(&t, "t%zu = \"\"\n", i);
        check_too_long(&t, CANDO_SYNTAX_CANDO, over);

        text_add(&t, SCHEMA);
        for (size_t i = 0; i < LIMIT_PROVIDERS + 2 * (size_t)over; i++)
            text_add(&t, "[[providers]]\nid = \"p%zu\"\n", i);
        check_too_long(&t, CANDO_SYNTAX_CANDO, over);

        text_add(&t, SCHEMA "[families]\n");
        for (size_t i = 0; i < LIMIT_PROVIDERS + 2 * (size_t)over; i++)
            text_add(&t, "f%zu = \"p\"\n", i);
        check_too_long(&t, CANDO_SYNTAX_CANDO, over);
    }
}

/* A set that is full takes one more finding and no more rules. (The counter is
 * set by hand: a million real rules would need a gigabyte.) */
static void test_rule_limit(void **state)
{
    (void)state;
    struct set s;
    set_open(&s);
    s.rs.rule = arena_array(&s.ar, LIMIT_RULES, sizeof *s.rs.rule);
    assert_non_null(s.rs.rule);
    s.rs.cap_rules = LIMIT_RULES;
    s.rs.n_rules = LIMIT_RULES - 1;
    set_read(&s, SCHEMA SETS SETS SETS, CANDO_SYNTAX_CANDO);
    assert_int_equal(s.rs.n_rules, LIMIT_RULES);
    assert_int_equal(s.rs.diag.count[CANDO_ERROR], 1);
    assert_int_equal(s.rs.diag.item[0].code, CODE_too_long);
    assert_place(s.rs.diag.item[0].at, 6, 3, 5);
    assert_int_equal(s.rs.fatal, 1);
    assert_true(s.rs.source[0].broken);
    set_close(&s);
}

/* Of request rules there are as many as may be, and no more. */
static void test_request_rule_limit(void **state)
{
    (void)state;
    struct set s;
    struct buf b;
    set_open(&s);
    buf_init_arena(&b, &s.ar, 8u << 20);
    buf_puts(&b, STR("schema = \"cando/requests@1\"\ndialect = \"openai-chat\"\n"));
    for (unsigned i = 0; i < LIMIT_REQUEST_RULES; i++)
        buf_printf(&b,
                   "[[rules]]\nname = \"r%u\"\ncode = \"structure-invalid\"\nwhen = \"seed\"\n"
                   "message = \"m\"\nsource = \"https://example.com/\"\n",
                   i);
    set_read(&s, buf_cstr(&b), CANDO_SYNTAX_CANDO);
    assert_clean(&s.rs);
    assert_int_equal(s.rs.requests->n, LIMIT_REQUEST_RULES);
    *strstr(b.p, "[[rules]]\nname = \"r2\"") = '\0';
    set_read_in(&s, "b.toml", b.p, CANDO_SYNTAX_CANDO, CANDO_LAYER_USER);
    assert_int_equal(s.rs.requests->n, LIMIT_REQUEST_RULES);
    assert_int_equal(s.rs.fatal, 1);
    assert_int_equal(s.rs.diag.item[s.rs.diag.n - 1].code, CODE_too_long);
    set_close(&s);
}

static void test_memory(void **state)
{
    (void)state;
    check_memory(whole, CANDO_SYNTAX_AUTO);
    check_memory(SCHEMA "[[rules]]\nmatch = [\"a*[\"]\nset = { sed = 1 }\n[families]\na = \"b\"\nA = \"b\"\n", CANDO_SYNTAX_CANDO);
    check_memory(SCHEMA "[[providers]]\nid = \"a\"\n[[rules]]\nmatch = \"a\"\nproviders = \"b\"\nset.seed = true\n",
                 CANDO_SYNTAX_CANDO);
    check_memory("a = [", CANDO_SYNTAX_CANDO);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_rule),
        cmocka_unit_test(test_match_table),
        cmocka_unit_test(test_fact),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_schema),
        cmocka_unit_test(test_free_scopes),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_layers),
        cmocka_unit_test(test_across_files),
        cmocka_unit_test(test_filled_before),
        cmocka_unit_test(test_filled_without_memory),
        cmocka_unit_test(test_lab_again),
        cmocka_unit_test(test_malformed_version_never_matches),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_rule_limit),
        cmocka_unit_test(test_request_rule_limit),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
