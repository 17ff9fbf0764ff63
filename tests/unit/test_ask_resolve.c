/*
 * test_ask_resolve.c - the question `resolve` without JSON: views, evidence, policies, and
 * every way in which it can fail.
 */
#include "catalog_case.h"

#include "base/limits.h"

struct asked {
    const cando_catalog *catalog;
    cando *c;
    cando_room *room;
};

static const char rules[] =
    "[defaults]\nstreaming = \"native\"\n[[providers]]\nid = \"p\"\naliases = [\"pa\"]\n"
    "[[labs]]\nid = \"meta\"\nfamilies = [\"llama\"]\nmodels = [\"llama-3.3-70b\"]\n"
    "[[rules]]\nname = \"old\"\nmatch = \"m*\"\n"
    "set = { max_tools = 1, tool_calling = \"native\" }\n"
    "[[rules]]\nname = \"new\"\nproviders = \"p\"\nmatch = \"model*\"\n"
    "source = \"https://example.org\"\nchecked = 2026-01-02\nevidence = \"live-test\"\n"
    "set = { max_tools = 2, web_fetch = { restricted = \"why\" }, json_output = \"object\" }\n"
    "[[rules]]\nname = \"near\"\nmatch = \"model-1\"\nversion_min = [9, 0]\n"
    "set = { max_tools = 3 }\n"
    "[[models]]\nprovider = \"p\"\nid = \"llama-3.3-70b\"\n"
    "set = { context_window = 7, price = { input_tokens = \"1\" } }\n";

static struct asked begin(const char *text)
{
    struct asked a = {.catalog = case_catalog(text)};
    a.c = cando_new(a.catalog, NULL, NULL);
    a.room = cando_room_new(NULL, NULL);
    assert_non_null(a.c);
    assert_non_null(a.room);
    return a;
}

static void end(struct asked *a)
{
    cando_room_free(a->room);
    cando_free(a->c);
    cando_catalog_release(a->catalog);
}

static const cando_resolve_answer *ask(struct asked *a, const char *target, cando_view view,
                                       cando_why why)
{
    cando_error err = {0};
    cando_name name = {.model = target};
    const cando_resolve_question q = {.target = &name, .view = view, .why = why};
    const cando_resolve_answer *r = cando_ask_resolve(a->c, &q, a->room, &err);
    if (!r)
        fail_msg("%s", err.message);
    return r;
}

static const cando_field_value *field(const cando_resolve_answer *a, const char *name)
{
    for (size_t i = 0; i < a->n_fields; i++)
        if (strcmp(a->fields[i].name, name) == 0)
            return &a->fields[i];
    return NULL;
}

static const cando_value *value(const cando_resolve_answer *a, const char *name)
{
    const cando_field_value *x = field(a, name);
    if (!x)
        fail_msg("there is no %s", name);
    return &x->value;
}

static void test_answer(void **state)
{
    (void)state;
    struct asked x = begin(rules);
    const cando_resolve_answer *a = ask(&x, "pa:Model-1", CANDO_VIEW_CANDO, CANDO_WHY_NOT);
    assert_string_equal(a->provider, "p"); /* the id behind the alias */
    assert_string_equal(a->model, "Model-1");
    assert_int_equal(a->identity, CANDO_BY_FAMILY);
    assert_null(a->canonical);
    assert_null(a->policy);
    assert_null(a->why);
    assert_null(a->near_misses);
    assert_int_equal(value(a, "max_tools")->number, 2);
    assert_int_equal(value(a, "web_fetch")->support, CANDO_RESTRICTED);
    assert_string_equal(value(a, "web_fetch")->text, "why");
    assert_false(value(a, "context_window")->known); /* main fields are always there */
    assert_null(field(a, "server_parser"));
    assert_null(field(a, "max_tools")->said);
    for (size_t i = 0; i < a->n_fields; i++) {
        cando_value v = cando_profile_get(a->profile, a->fields[i].field);
        assert_string_equal(cando_field_name(a->fields[i].field), a->fields[i].name);
        assert_int_equal(v.known, a->fields[i].value.known);
        assert_int_equal(v.type, a->fields[i].value.type);
    }
    a = ask(&x, "p/llama-3.3-70b:free", CANDO_VIEW_CANDO, CANDO_WHY_ALL);
    assert_int_equal(a->identity, CANDO_BY_ALIAS);
    assert_string_equal(a->canonical, "llama-3.3-70b");
    assert_false(value(a, "price")->known); /* its price is its own */
    a = ask(&x, "Zz/", CANDO_VIEW_CANDO, CANDO_WHY_NOT);
    assert_string_equal(a->provider, "Zz");
    assert_string_equal(a->model, "");
    assert_int_equal(a->identity, CANDO_BY_DEFAULT);
    end(&x);
}

static void test_why(void **state)
{
    (void)state;
    struct asked x = begin(rules);
    const cando_resolve_answer *a = ask(&x, "p/model-1", CANDO_VIEW_CANDO, CANDO_WHY_ALL);
    assert_ptr_equal(a->why, a->fields);
    const cando_statement *s = field(a, "max_tools")->said;
    assert_int_equal(s->from, CANDO_FROM_RULE);
    assert_string_equal(s->rule, "new");
    assert_string_equal(s->layer, "family");
    assert_string_equal(s->file, "case.toml");
    assert_true(s->line.known);
    assert_string_equal(s->source, "https://example.org");
    assert_string_equal(s->checked, "2026-01-02");
    assert_string_equal(s->evidence, "live-test");
    assert_null(s->via);
    assert_null(s->reason);
    assert_int_equal(s->n_overrode, 1);
    assert_string_equal(s->overrode[0].rule, "old");
    assert_int_equal(s->overrode[0].value.number, 1);
    assert_string_equal(s->overrode[0].reason, "a later rule set it");
    assert_null(s->overrode[0].source);
    assert_int_equal(s->n_near_misses, 1);
    assert_string_equal(s->near_misses[0].rule, "near");
    assert_int_equal(s->near_misses[0].value.number, 3);
    assert_int_equal(a->n_near_misses, 1);
    assert_string_equal(a->near_misses[0].reason, "it is for version 9.0 or later, the id has 1.0");
    s = field(a, "json_mode")->said;
    assert_int_equal(s->from, CANDO_FROM_DERIVED);
    assert_string_equal(s->via, "json_output");
    assert_int_equal(field(a, "streaming")->said->from, CANDO_FROM_DEFAULT);
    assert_null(field(a, "context_window")->said);
    a = ask(&x, "p/llama-3.3-70b", CANDO_VIEW_CANDO, CANDO_WHY_SAID);
    assert_int_equal(field(a, "context_window")->said->from, CANDO_FROM_FACT);
    assert_null(field(a, "context_window")->said->overrode);
    assert_null(a->near_misses);
    end(&x);
}

static const char many_ways[] =
    "[families]\nq = [\"p\"]\n"
    "[[providers]]\nid = \"p\"\ndialect = \"gemini\"\n"
    "[[providers]]\nid = \"q\"\ndialect = \"gemini\"\n[[providers]]\nid = \"r\"\n"
    "[[providers]]\nid = \"s\"\n"
    "[[rules]]\nname = \"own\"\nproviders = \"q\"\nmatch = \"model*\"\nset = { seed = true }\n"
    "[[rules]]\nname = \"a\"\nmatch = \"model-2*\"\nset = { max_tools = 1 }\n"
    "[[rules]]\nname = \"b\"\nproviders = \"r\"\nmatch = \"model-1*\"\nset = { max_tools = 2 }\n"
    "[[rules]]\nname = \"c\"\nproviders = [\"r\", \"s\"]\nmatch = \"model-1*\"\nset = { max_tools "
    "= 3 }\n"
    "[[rules]]\nname = \"d\"\ndialects = \"openai-chat\"\nmatch = \"model-1*\"\nset = { max_tools "
    "= 4 }\n"
    "[[rules]]\nname = \"e\"\nmatch = \"model-1*\"\nversion_min = [2, 5]\nversion_max = [3, 0]\n"
    "set = { max_tools = 5 }\n"
    "[[rules]]\nname = \"f\"\nmatch = \"model-1*\"\nversion_max = [0, 4]\nset = { max_tools = 6 }\n"
    "[[rules]]\nname = \"g\"\nproviders = \"p\"\nmatch = \"model-1*\"\nset = { max_tools = 7 }\n"
    /* more than one thing keeps these away */
    "[[rules]]\nname = \"x\"\nproviders = \"r\"\nmatch = \"model-2*\"\nset = { max_tools = 8 }\n"
    "[[rules]]\nname = \"y\"\nproviders = \"r\"\nmatch = \"*\"\nset = { max_tools = 9 }\n"
    "[[rules]]\nname = \"z\"\nmatch = \"mod-*\"\nset = { max_tools = 9 }\n";

/* Why a rule that nearly applied did not: each reason there is. */
static void test_near_misses(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *reason;
    } want[] = {
        {"a", "the pattern 'model-2*' does not match 'model-1'"},
        {"b", "it is for the provider r"},
        {"c", "it is for 2 other providers, r first"},
        {"d", "it is for another API dialect"},
        {"e", "it is for version 2.5 to 3.0, the id has 1.0"},
        {"f", "it is for version 0.4 or earlier, the id has 1.0"},
        {"g", "a nearer provider of the family had a match"},
    };
    struct asked x = begin(many_ways);
    cando_name name = {.model = "q/model-1"};
    const cando_resolve_question q = {
        .target = &name, .resolution = CANDO_FIRST_MATCH, .why = CANDO_WHY_ALL};
    const cando_resolve_answer *a = cando_ask_resolve(x.c, &q, x.room, NULL);
    assert_non_null(a);
    for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
        const char *reason = "no near miss";
        for (size_t k = 0; k < a->n_near_misses; k++)
            if (strcmp(a->near_misses[k].rule, want[i].rule) == 0)
                reason = a->near_misses[k].reason;
        assert_string_equal(reason, want[i].reason);
    }
    assert_int_equal(a->n_near_misses, sizeof want / sizeof *want);
    /* what a version kept away is nearest, and then what needed no look at the text */
    assert_string_equal(a->near_misses[0].rule, "e");
    assert_string_equal(a->near_misses[a->n_near_misses - 1].rule, "a");
    end(&x);
    x = begin("[[rules]]\nname = \"v\"\nmatch = \"model*\"\nversion_min = [2, 5]\n"
              "set = { max_tools = 1 }\n");
    a = ask(&x, "p/model", CANDO_VIEW_CANDO, CANDO_WHY_ALL);
    assert_int_equal(a->n_near_misses, 1);
    assert_string_equal(a->near_misses[0].reason,
                        "it is for version 2.5 or later, and the id has none");
    end(&x);
}

/* More of them than anybody wants to read: the nearest are kept, and no more. */
static void test_many_near_misses(void **state)
{
    (void)state;
    char text[4096];
    int n = 0;
    for (unsigned i = 0; i < 12; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "[[rules]]\nname = \"r%u\"\nmatch = \"model-%.*s*\"\nset = { seed = true }\n",
                      i, (int)i + 1, "xxxxxxxxxxxx");
    struct asked x = begin(text);
    const cando_resolve_answer *a =
        ask(&x, "p/model-xxxxxxxxxxx9", CANDO_VIEW_CANDO, CANDO_WHY_ALL);
    assert_int_equal(a->n_near_misses, 1); /* all others match */
    a = ask(&x, "p/model-9", CANDO_VIEW_CANDO, CANDO_WHY_ALL);
    size_t few = a->n_near_misses;
    assert_true(few >= 3 && few <= 8);
    end(&x);
    n = 0;
    for (unsigned i = 0; i < 12; i++)
        n += snprintf(text + n, sizeof text - (size_t)n,
                      "[[rules]]\nname = \"r%u\"\nmatch = \"model-1*\"\nversion_min = [%u, 0]\n"
                      "set = { seed = true }\n",
                      i, i + 2);
    x = begin(text);
    a = ask(&x, "p/model-1", CANDO_VIEW_CANDO, CANDO_WHY_ALL);
    assert_int_equal(a->n_near_misses, 8);
    assert_string_equal(a->near_misses[0].rule, "r0");
    assert_string_equal(a->near_misses[7].rule, "r7");
    end(&x);
}

static void test_nika(void **state)
{
    (void)state;
    struct asked x = begin(
        "[[rules]]\nmatch = \"a*\"\nset = { input_modalities = [\"text\", \"image\", \"pdf\"], "
        "supported_parameters = [\"citations\"] }\n"
        "[[rules]]\nmatch = \"ab*\"\nset = { input_image = \"unsupported\", "
        "input_audio = \"emulated\", web_search = \"native\" }\n"
        "[[rules]]\nmatch = \"b*\"\nset = { prompt_caching = \"native\", json_mode = \"native\", "
        "structured_output = \"unsupported\", tool_calling = \"emulated\", context_window = 9 }\n"
        "[[rules]]\nmatch = \"c*\"\nset = { supported_parameters = [\"parallel-tool-calls\"] }\n");
    const cando_resolve_answer *a = ask(&x, "p/ab", CANDO_VIEW_NIKA, CANDO_WHY_SAID);
    assert_int_equal(a->n_fields, 17);
    const cando_value *list = value(a, "input_modalities");
    assert_true(list->known);
    assert_int_equal(list->type, CANDO_LIST);
    assert_int_equal(list->count, 3); /* less what a field denies, plus what it grants */
    assert_string_equal(cando_value_item(list, 0), "text");
    assert_string_equal(cando_value_item(list, 1), "pdf");
    assert_string_equal(cando_value_item(list, 2), "audio");
    assert_null(cando_value_item(list, 3));
    assert_int_equal(value(a, "supported_parameters")->count, 1); /* what was written */
    assert_non_null(field(a, "input_modalities")->said);
    a = ask(&x, "p/b", CANDO_VIEW_NIKA, CANDO_WHY_NOT);
    assert_string_equal(value(a, "json_mode")->text, "object");
    assert_string_equal(value(a, "caching")->text, "prompt-caching");
    assert_int_equal(value(a, "tool_calling")->type, CANDO_FLAG);
    assert_true(value(a, "tool_calling")->flag);
    assert_false(value(a, "streaming")->known);
    assert_false(value(a, "input_modalities")->known);
    assert_int_equal(value(a, "context_window_tokens")->number, 9);
    assert_int_equal(value(a, "supported_parameters")->count, 1); /* made of what fields grant */
    assert_string_equal(cando_value_item(value(a, "supported_parameters"), 0), "prompt-caching");
    a = ask(&x, "p/c", CANDO_VIEW_NIKA, CANDO_WHY_NOT);
    assert_false(value(a, "parallel_tool_calls")->known); /* the list alone does not make it true */
    assert_false(value(a, "caching")->known);
    assert_false(value(a, "json_mode")->known);
    end(&x);
}

static void test_harn(void **state)
{
    (void)state;
    struct asked x = begin(
        "[[rules]]\nmatch = \"a*\"\nset = { legacy_thinking = true, input_image = \"native\", "
        "thinking_block_style = \"inline\", structured_output_transport = \"none\", "
        "reasoning_efforts = [\"low\"], max_tools = 4 }\n");
    const cando_resolve_answer *a = ask(&x, "p/a", CANDO_VIEW_HARN, CANDO_WHY_SAID);
    assert_true(value(a, "vision")->flag);
    assert_int_equal(value(a, "thinking_modes")->count, 2); /* and by its efforts */
    assert_string_equal(cando_value_item(value(a, "thinking_modes"), 0), "enabled");
    assert_true(value(a, "emits_inline_reasoning")->flag);
    assert_int_equal(field(a, "emits_inline_reasoning")->field, CANDO_NO_FIELD);
    assert_null(field(a, "emits_inline_reasoning")->said);
    assert_string_equal(value(a, "structured_output")->text, "none");
    assert_true(value(a, "vision_supported")->flag);
    assert_true(value(a, "reasoning_effort_supported")->flag);
    assert_false(value(a, "reasoning_none_supported")->flag);
    assert_int_equal(value(a, "max_tools")->number, 4);
    /* nobody knows the model: nothing is guessed */
    a = ask(&x, "p/b", CANDO_VIEW_HARN, CANDO_WHY_NOT);
    for (size_t i = 0; i < a->n_fields; i++)
        assert_int_equal(a->fields[i].value.known,
                         strcmp(a->fields[i].name, "serving_precision") == 0);
    assert_string_equal(value(a, "serving_precision")->text, "unverified");
    end(&x);
}

/* Rules in Harn's own form: what they leave open has Harn's defaults. */
static void test_harn_defaults(void **state)
{
    (void)state;
    cando_sources *s = case_sources("[[provider.p]]\nmodel_match = \"a*\"\nthinking = true\n"
                                    "vision = true\nstructured_output = \"none\"\n"
                                    "reasoning_effort_levels = [\"low\"]\n",
                                    CANDO_SYNTAX_HARN, CANDO_LAYER_FAMILY);
    struct asked x = {.catalog = case_open(s)};
    x.c = cando_new(x.catalog, NULL, NULL);
    x.room = cando_room_new(NULL, NULL);
    const cando_resolve_answer *a = ask(&x, "p/a", CANDO_VIEW_HARN, CANDO_WHY_NOT);
    assert_true(value(a, "vision")->flag);
    assert_false(value(a, "vision_supported")->flag);
    assert_string_equal(cando_value_item(value(a, "thinking_modes"), 0), "enabled");
    assert_false(value(a, "structured_output")->known); /* "none" */
    /* efforts alone do not switch it on */
    assert_false(value(a, "reasoning_effort_supported")->flag);
    a = ask(&x, "p/b", CANDO_VIEW_HARN, CANDO_WHY_NOT);
    assert_int_equal(value(a, "thinking_modes")->count, 0);
    assert_true(value(a, "thinking_modes")->known);
    assert_string_equal(value(a, "message_wire_format")->text, "openai");
    assert_string_equal(value(a, "serving_precision")->text, "unverified");
    assert_false(value(a, "native_tools")->flag);
    assert_false(value(a, "max_tools")->known);
    assert_false(value(a, "emits_inline_reasoning")->flag);
    end(&x);
}

static void test_policy(void **state)
{
    (void)state;
    struct asked x = begin("[[rules]]\nmatch = \"*\"\nset = { max_tools = 4 }\n");
    cando_sources *s = case_sources("schema = \"cando/rules@1\"\n[policy]\ndeny = [\"p/a*\"]\n",
                                    CANDO_SYNTAX_CANDO, CANDO_LAYER_USER);
    const cando_catalog *c = case_open(s);
    cando_set_catalog(x.c, c);
    cando_catalog_release(c);
    const cando_resolve_answer *a = ask(&x, "p/ab", CANDO_VIEW_CANDO, CANDO_WHY_NOT);
    assert_false(a->policy->allowed);
    assert_string_equal(a->policy->denial->list, "deny");
    assert_string_equal(a->policy->denial->pattern, "p/a*");
    assert_int_equal(a->policy->denial->line, 3);
    a = ask(&x, "p/b", CANDO_VIEW_CANDO, CANDO_WHY_NOT);
    assert_true(a->policy->allowed);
    assert_null(a->policy->denial);
    end(&x);
}

static void refused(struct asked *x, const cando_name *name, cando_resolution how, const char *code,
                    const char *at, const char *hint)
{
    cando_error err = {0};
    cando_resolve_question q = {.target = name, .resolution = how};
    assert_null(cando_ask_resolve(x->c, &q, x->room, NULL));
    assert_null(cando_ask_resolve(x->c, &q, x->room, &err));
    assert_int_equal(err.status, CANDO_BAD_QUESTION);
    assert_string_equal(err.code, code);
    assert_string_equal(err.at, at);
    if (hint)
        assert_string_equal(err.hint, hint);
}

static void test_refused(void **state)
{
    (void)state;
    struct asked x = begin(rules);
    char longer[LIMIT_NAME_BYTES + 2];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    const char *form = "write it as provider/model, for example openai/gpt-4o";
    refused(&x, NULL, CANDO_AS_WRITTEN, "unknown-target", "/target", form);
    refused(&x, &(cando_name){0}, CANDO_AS_WRITTEN, "unknown-target", "/target", form);
    refused(&x, &(cando_name){.model = "/m"}, CANDO_AS_WRITTEN, "unknown-target", "/target", form);
    refused(&x, &(cando_name){.model = "LLAMA-3.3-70b"}, CANDO_AS_WRITTEN, "unknown-target",
            "/target", "it is offered as p/llama-3.3-70b");
    refused(&x, &(cando_name){.model = "m", .provider = longer}, CANDO_AS_WRITTEN, "too-long",
            "/target", NULL);
    refused(&x, &(cando_name){.model = longer, .provider = "p"}, CANDO_AS_WRITTEN, "too-long",
            "/target", NULL);
    refused(&x, &(cando_name){.model = "p/m"}, (cando_resolution)3, "bad-argument", "/resolution",
            NULL);
    end(&x);
}

/* The n-th allocation fails, for every n: no answer, and nothing is left over. */
static void test_no_memory(void **state)
{
    (void)state;
    const cando_catalog *c = case_catalog(rules);
    for (unsigned v = 0; v <= CANDO_VIEW_MODEL_REF; v++) {
        bool done = false;
        for (size_t n = 1; !done && n < 10000; n++) {
            struct failing f = {.fail_at = n};
            cando_allocator a = {failing_resize, &f};
            cando_error err = {0};
            cando_name name = {.model = "p/model-1"};
            cando_resolve_question q = {
                .target = &name, .view = (cando_view)v, .why = CANDO_WHY_ALL};
            cando *engine = cando_new(c, &a, &err);
            cando_room *room = cando_room_new(&a, &err);
            if (engine && room && !cando_ask_resolve(engine, &q, room, &err))
                assert_string_equal(err.code, "memory");
            cando_room_free(room);
            cando_free(engine);
            assert_int_equal(f.live, 0);
            done = !f.failed;
        }
        assert_true(done);
    }
    cando_catalog_release(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_answer),        cmocka_unit_test(test_why),
        cmocka_unit_test(test_nika),          cmocka_unit_test(test_harn),
        cmocka_unit_test(test_harn_defaults), cmocka_unit_test(test_policy),
        cmocka_unit_test(test_refused),       cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_near_misses),   cmocka_unit_test(test_many_near_misses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
