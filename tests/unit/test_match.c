/*
 * test_match.c - work orders: thresholds by levels, reasons, strategies, the matrix of
 * the built-in backends, ranking.
 */
#include "ask.h"
#include "decide/match.h"

static void test_thresholds(void **state)
{
    struct asker *a = *state;
    static const char *const levels[] = {"\"native\"", "\"emulated\"", "{\"restricted\":{\"reason\":\"sandbox only\"}}", "\"unsupported\"", NULL};
    static const char *const mins[] = {"native", "emulated", "any"};
    static const char *const reasons[5][3] = {
        {NULL, NULL, NULL},
        {"emulated is below native", NULL, NULL},
        {"restricted is below native: sandbox only", NULL, NULL},
        {"declared unsupported", "declared unsupported", NULL},
        {"not declared", "not declared", "not declared"},
    };
    for (unsigned l = 0; l < 5; l++)
        for (unsigned m = 0; m < 3; m++) {
            char manifest[120] = "{}";
            if (levels[l])
                snprintf(manifest, sizeof manifest, "{\"tool_bash\":%s}", levels[l]);
            const struct json *r = ask(a, "{\"op\":\"match\",\"required\":[{\"capability\":\"tool_bash\",\"min_support\":\"%s\"}],\"manifest\":%s}", mins[m], manifest);
            assert_int_equal(is_true(r, "/satisfied"), !reasons[l][m]);
            if (reasons[l][m]) {
                is_text(r, "/unsupported/0/reason", reasons[l][m]);
            } else if (l == 0) {
                is_text(r, "/native/0", "tool_bash");
            } else if (l < 3) {
                is_text(r, "/emulated/0/strategy", "client_side");
                if (l == 2)
                    is_text(r, "/emulated/0/reason", "sandbox only");
            }
        }
}

/* Columns: claude copilot gemini kimi codex; n native, e emulated, - not advertised. */
static const struct {
    const char *capability, *cells;
} matrix[] = {
    {"streaming", "nnnnn"},         {"tool_read", "ennnn"},        {"tool_write", "ennnn"},        {"tool_edit", "ennnn"},
    {"tool_bash", "ennnn"},         {"tool_glob", "ennnn"},        {"tool_grep", "ennnn"},         {"tool_web_search", "ennnn"},
    {"tool_web_fetch", "ennnn"},    {"tool_ask_user", "-nnn-"},    {"hooks_pre_tool_use", "neeen"}, {"hooks_post_tool_use", "neeen"},
    {"session_resume", "ennne"},    {"session_fork", "-nnn-"},     {"checkpointing", "eeee-"},     {"structured_output_json_schema", "eneen"},
    {"mcp_client", "ennn-"},        {"mcp_server", "-eee-"},
};

static void test_backends(void **state)
{
    struct asker *a = *state;
    static const char *const backends[] = {"claude", "copilot", "gemini", "kimi", "codex"};
    for (size_t i = 0; i < sizeof matrix / sizeof matrix[0]; i++)
        for (unsigned b = 0; b < 5; b++) {
            char cell = matrix[i].cells[b];
            const struct json *r = ask(a, "{\"op\":\"match\",\"required\":[{\"capability\":\"%s\",\"min_support\":\"emulated\"}],\"backend\":\"%s\"}", matrix[i].capability, backends[b]);
            assert_int_equal(is_true(r, "/satisfied"), cell != '-');
            is_count(r, "/native", cell == 'n');
            is_count(r, "/emulated", cell == 'e');
            if (cell == '-')
                is_text(r, "/unsupported/0/reason", "not declared");
            r = ask(a, "{\"op\":\"match\",\"required\":[{\"capability\":\"%s\",\"min_support\":\"native\"}],\"backend\":\"backend/%s\"}", matrix[i].capability, backends[b]);
            assert_int_equal(is_true(r, "/satisfied"), cell == 'n');
        }
    assert_null(ask(a, "{\"op\":\"match\",\"required\":[],\"backend\":\"cluade\"}"));
    refused(a, "unknown-backend");
    is_text(a->reply, "/error/hint", "did you mean 'claude'?");
}

/* Nothing that is true of models in general leaks into a backend. */
static void test_backends_are_their_own(void **state)
{
    struct asker *a = *state;
    static const char *const backends[] = {"claude", "copilot", "gemini", "kimi", "codex"};
    for (unsigned b = 0; b < 5; b++) {
        const struct json *r = ask(a, "{\"op\":\"match\",\"required\":[{\"capability\":\"vision\",\"min_support\":\"any\"},{\"capability\":\"temperature\",\"min_support\":\"any\"},"
                                      "{\"capability\":\"tool_use\",\"min_support\":\"any\"},{\"capability\":\"system_message\",\"min_support\":\"any\"}],\"backend\":\"%s\"}", backends[b]);
        is_count(r, "/unsupported", 4);
    }
}

static void test_order_and_names(void **state)
{
    struct asker *a = *state;
    const struct json *r = ask(a, "{\"op\":\"match\",\"work_order\":{\"task\":\"x\",\"requirements\":{\"required\":[{\"capability\":\"streaming\",\"min_support\":\"native\"},"
                                  "{\"capability\":\"function_calling\",\"min_support\":\"native\"},{\"capability\":\"streaming\",\"min_support\":\"any\"},{\"capability\":\"toolCalling\",\"min_support\":\"native\"},"
                                  "{\"capability\":\"tool_use\",\"min_support\":\"native\"}]}},\"manifest\":{\"streaming\":\"native\",\"function_calling\":\"native\"}}");
    is_count(r, "/native", 4);
    is_text(r, "/native/1", "function_calling");
    is_text(r, "/native/2", "streaming");
    is_text(r, "/native/3", "toolCalling"); /* our name: either of theirs */
    is_text(r, "/unsupported/0/capability", "tool_use"); /* another capability of theirs */
    is_text(r, "/unsupported/0/reason", "not declared");
}

static void test_strategies(void **state)
{
    (void)state;
    static const char *const rows[][2] = {
        {"tool_read", "client_side"},     {"tool_ask_user", "client_side"},        {"tool_use", "server_fallback"},
        {"function_calling", "server_fallback"}, {"hooks_pre_tool_use", "client_side"}, {"structured_output_json_schema", "client_side"},
        {"json_mode", "client_side"},     {"pdf_input", "client_side"},            {"code_execution", "client_side"},
        {"checkpointing", "client_side"}, {"extended_thinking", "server_fallback"}, {"batch_mode", "server_fallback"},
        {"session_resume", "server_fallback"}, {"session_fork", "server_fallback"}, {"mcp_client", "server_fallback"},
        {"mcp_server", "server_fallback"}, {"system_message", "server_fallback"},  {"streaming", "approximate"},
        {"vision", "approximate"},        {"image_input", "approximate"},          {"audio", "approximate"},
        {"logprobs", "approximate"},      {"seed_determinism", "approximate"},     {"cache_control", "approximate"},
        {"embeddings", "approximate"},    {"image_generation", "approximate"},     {"temperature", "approximate"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct need n = {0};
        assert_true(need_find(str_of(rows[i][0]), &n.kind, &n.slot));
        assert_string_equal(match_strategy(&n), rows[i][1]);
    }
}

static void test_refusals(void **state)
{
    struct asker *a = *state;
    static const char *const rows[][2] = {
        {"\"required\":[{\"capability\":\"tool_raed\",\"min_support\":\"native\"}],\"manifest\":{}", "unknown-field"},
        {"\"required\":[{\"capability\":\"tool_read\",\"min_support\":\"some\"}],\"manifest\":{}", "bad-argument"},
        {"\"required\":[{\"capability\":\"tool_read\"}],\"manifest\":{}", "missing-argument"},
        {"\"required\":[{\"capability\":\"context_window\",\"min_support\":\"any\"}],\"manifest\":{}", "bad-argument"},
        {"\"required\":[],\"manifest\":{\"tool_read\":\"restricted\"}", "bad-claim"},
        {"\"required\":[],\"manifest\":{\"tool_read\":true}", "bad-claim"},
        {"\"required\":[],\"manifest\":{\"tool_read\":{\"restricted\":{}}}", "bad-claim"},
        {"\"required\":[],\"manifest\":{\"tool_raed\":\"native\"}", "unknown-field"},
        {"\"required\":[]", "missing-argument"},
        {"\"manifest\":{}", "missing-argument"},
        {"\"required\":[],\"manifest\":{},\"backend\":\"claude\"", "bad-argument"},
        {"\"work_order\":{\"requirements\":{\"needed\":[]}},\"manifest\":{}", "unknown-argument"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(ask(a, "{\"op\":\"match\",%s}", rows[i][0]));
        refused(a, rows[i][1]);
    }
}

static void test_ranking(void **state)
{
    struct asker *a = *state;
    const struct json *r = ask(a, "{\"op\":\"match\",\"rank\":true,\"required\":[{\"capability\":\"hooks_pre_tool_use\",\"min_support\":\"native\"},{\"capability\":\"tool_read\",\"min_support\":\"emulated\"}]}");
    static const char *const want[] = {"codex", "claude", "copilot", "gemini", "kimi"};
    is_count(r, "/ranking", 5);
    for (unsigned i = 0; i < 5; i++) {
        char p[40];
        snprintf(p, sizeof p, "/ranking/%u/backend", i);
        is_text(r, p, want[i]);
    }
    assert_true(is_true(r, "/ranking/1/satisfied"));
    assert_false(is_true(r, "/ranking/2/satisfied"));
}

/* A model of the catalog is held against an order like a backend. */
static void test_target(void **state)
{
    struct asker *a = *state;
    const struct json *r = ask(a, "{\"op\":\"match\",\"required\":[{\"capability\":\"tool_use\",\"min_support\":\"native\"},{\"capability\":\"tool_bash\",\"min_support\":\"any\"}],\"target\":\"anthropic/claude-opus-4-5\"}");
    is_text(r, "/native/0", "tool_use");
    is_text(r, "/unsupported/0/reason", "not declared");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thresholds), cmocka_unit_test(test_backends), cmocka_unit_test(test_backends_are_their_own),
        cmocka_unit_test(test_order_and_names), cmocka_unit_test(test_strategies), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_ranking), cmocka_unit_test(test_target),
    };
    return cmocka_run_group_tests(tests, ask_setup, ask_teardown);
}
