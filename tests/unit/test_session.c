/*
 * test_session.c - the session object: its triggers, and that a rejection leaves no trace.
 */
#define _POSIX_C_SOURCE 200809L
#include "ask.h"

static const char rules[] =
    "schema = \"cando/rules@1\"\n"
    "[[providers]]\nid = \"a\"\naliases = [\"alpha\"]\n"
    "[[providers]]\nid = \"b\"\n"
    "[[models]]\nprovider = \"a\"\nid = \"full\"\nset = { tool_calling = \"native\", streaming = \"native\", reasoning = \"native\", prompt_caching = \"native\", context_window = 200000 }\n"
    "[[models]]\nprovider = \"a\"\nid = \"small\"\nset = { tool_calling = \"native\", streaming = \"unsupported\", reasoning = \"unsupported\", prompt_caching = \"unsupported\", context_window = 8000 }\n"
    "[[models]]\nprovider = \"a\"\nid = \"mute\"\nset = { tool_calling = \"unsupported\", streaming = \"native\", context_window = 200000 }\n"
    "[[models]]\nprovider = \"b\"\nid = \"other\"\nset = { tool_calling = \"emulated\", streaming = \"native\", reasoning = \"native\", prompt_caching = \"unsupported\", context_window = 64000 }\n"
    "[[models]]\nprovider = \"b\"\nid = \"nothing\"\nset = { tool_calling = \"unsupported\", streaming = \"unsupported\", reasoning = \"unsupported\", context_window = 1000 }\n";

struct world {
    const cando_catalog *cat;
    cando *c;
    struct arena ar;
};

static int begin(void **state)
{
    static struct world w;
    cando_error err = {0};
    const void *bytes;
    size_t n;
    cando_sources *s = cando_sources_new(NULL, &err);
    assert_int_equal(cando_sources_add(s, "t.toml", rules, strlen(rules), CANDO_SYNTAX_CANDO, CANDO_LAYER_FACTS, &err), CANDO_OK);
    if (cando_sources_build(s, &bytes, &n, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    w.cat = cando_catalog_open_copy(bytes, n, NULL, &err);
    cando_sources_free(s);
    w.c = cando_new(w.cat, NULL, &err);
    assert_non_null(w.c);
    arena_init(&w.ar, NULL);
    *state = &w;
    return 0;
}

static int end(void **state)
{
    struct world *w = *state;
    cando_free(w->c);
    cando_catalog_release(w->cat);
    arena_free(&w->ar);
    return 0;
}

/* One trigger: its verdict, and its diagnostic parsed. */
static const struct json *diag(struct world *w, char *text, size_t len)
{
    struct json_error bad;
    char *copy = arena_copy(&w->ar, text, len);
    cando_free_text(w->c, text, len);
    const struct json *v = json_parse(&w->ar, str_make(copy, len), &bad);
    assert_non_null(v);
    return v;
}

static void target_is(const cando_session *s, const char *provider, const char *model)
{
    char want[200];
    snprintf(want, sizeof want, "{\"target\":{\"provider\":\"%s\",\"model\":\"%s\"}", provider, model);
    if (strncmp(cando_session_state(s, NULL), want, strlen(want)) != 0)
        fail_msg("want %s in %s", want, cando_session_state(s, NULL));
}

static void test_attach(void **state)
{
    struct world *w = *state;
    cando_error err = {0};
    cando_verdict v;
    char *text;
    size_t len;
    cando_session *s = cando_session_start(w->c, "alpha/mute", &err);
    assert_non_null(s);
    target_is(s, "a", "mute"); /* the canonical provider */
    char *before = strdup(cando_session_state(s, NULL));
    assert_int_equal(cando_session_attach(s, "{}", &v, &text, &len, &err), CANDO_OK);
    assert_int_equal(v, CANDO_REJECTED);
    const struct json *d = diag(w, text, len);
    is_text(d, "/missing/0/capability", "tool_calling");
    is_text(d, "/missing/0/required_by", "state_machine");
    is_text(d, "/target", "a/mute");
    is_text(d, "/active", "a/mute");
    is_text(d, "/suggestion", "a/full");
    assert_string_equal(before, cando_session_state(s, NULL));
    free(before);
    assert_int_equal(cando_session_switch_model(s, "full", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_ACCEPTED);
    assert_int_equal(cando_session_attach(s, "{\"needs\":[\"streaming\"]}", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_ACCEPTED);
    /* and now no model without tools or streaming will do */
    assert_int_equal(cando_session_switch_model(s, "mute", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_REJECTED);
    assert_int_equal(cando_session_switch_model(s, "small", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_REJECTED);
    target_is(s, "a", "full");
    assert_int_equal(cando_session_detach(s, &err), CANDO_OK);
    assert_int_equal(cando_session_switch_model(s, "mute", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_ACCEPTED);
    cando_session_free(s);
}

static void test_other_triggers(void **state)
{
    struct world *w = *state;
    cando_error err = {0};
    cando_verdict v;
    char *text;
    size_t len;
    cando_session *s = cando_session_start(w->c, "a/small", &err);
    assert_int_equal(cando_session_provide(s, "{\"id\":\"repo\",\"produces\":[\"tool-hint\"],\"min_context\":64000}", &v, &text, &len, &err), CANDO_OK);
    assert_int_equal(v, CANDO_REJECTED);
    is_text(diag(w, text, len), "/missing/0/required_by", "context_provider:repo");
    assert_int_equal(cando_session_provide(s, "{\"id\":\"repo\",\"produces\":[\"tool-hint\"],\"min_context\":4000}", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_ACCEPTED);
    assert_int_equal(cando_session_hook(s, "{\"id\":\"h\",\"kind\":\"guard\",\"on\":\"token\"}", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_REJECTED);
    assert_int_equal(cando_session_hook(s, "{\"id\":\"h\",\"kind\":\"observer\",\"on\":\"token\"}", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_ACCEPTED);
    assert_int_equal(cando_session_secure(s, "{\"kind\":\"allowlist\",\"tool_oriented\":true}", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_ACCEPTED);
    /* the same id replaces */
    assert_int_equal(cando_session_provide(s, "{\"id\":\"repo\",\"needs\":[{\"name\":\"promptCaching\",\"level\":\"preferred\"}]}", &v, &text, &len, &err), CANDO_OK);
    assert_int_equal(v, CANDO_DEGRADED);
    is_text(diag(w, text, len), "/warnings/0/reason", "preferred-unmet");
    assert_null(strstr(cando_session_state(s, NULL), "4000"));
    assert_int_equal(cando_session_switch_model(s, "mute", &v, &text, &len, &err), CANDO_OK);
    is_text(diag(w, text, len), "/missing/0/required_by", "security_mode");
    cando_session_free(s);
}

static void test_switch_provider(void **state)
{
    struct world *w = *state;
    cando_error err = {0};
    cando_verdict v;
    cando_session *s = cando_session_start(w->c, "a/full", &err);
    assert_int_equal(cando_session_switch_provider(s, "b", &v, NULL, NULL, &err), CANDO_BAD_QUESTION);
    assert_string_equal(err.code, "no-choice");
    target_is(s, "a", "full");
    assert_int_equal(cando_session_choose(s, "b/other", &err), CANDO_OK);
    target_is(s, "a", "full");
    assert_int_equal(cando_session_switch_provider(s, "b", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_ACCEPTED);
    target_is(s, "b", "other");
    assert_int_equal(cando_session_switch_provider(s, "alpha", &v, NULL, NULL, &err), CANDO_OK);
    target_is(s, "a", "full");
    cando_session_free(s);
}

static void test_spawn(void **state)
{
    struct world *w = *state;
    cando_error err = {0};
    cando_verdict v;
    char *text;
    size_t len;
    cando_session *s = cando_session_start(w->c, "a/full", &err), *child, *grandchild;
    assert_int_equal(cando_session_attach(s, "{\"needs\":[{\"name\":\"promptCaching\",\"level\":\"preferred\"},{\"name\":\"contextWindow\",\"level\":\"hard\",\"minimum\":50000}]}", &v, NULL, NULL, &err), CANDO_OK);
    char *before = strdup(cando_session_state(s, NULL));
    assert_int_equal(cando_session_spawn(s, "b/nothing", &child, &v, &text, &len, &err), CANDO_OK);
    assert_int_equal(v, CANDO_REJECTED);
    assert_null(child);
    const struct json *d = diag(w, text, len);
    is_text(d, "/error", "Subagent/ModelCapabilityMismatch");
    is_text(d, "/missing/0/required_by", "inherited:state_machine");
    is_count(d, "/missing", 2);
    assert_int_equal(cando_session_spawn(s, "b/other", &child, &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_DEGRADED);
    assert_non_null(child);
    target_is(child, "b", "other");
    assert_string_equal(before, cando_session_state(s, NULL));
    /* the child keeps the set, and hands it on */
    assert_int_equal(cando_session_switch_model(child, "nothing", &v, NULL, NULL, &err), CANDO_OK);
    assert_int_equal(v, CANDO_REJECTED);
    assert_int_equal(cando_session_spawn(child, NULL, &grandchild, &v, NULL, NULL, &err), CANDO_OK);
    assert_non_null(grandchild);
    assert_non_null(strstr(cando_session_state(grandchild, NULL), "\"required_by\":\"state_machine\""));
    target_is(grandchild, "b", "other");
    cando_session_free(grandchild);
    cando_session_free(child);
    cando_session_free(s);
    free(before);
}

static void test_params_and_restore(void **state)
{
    struct world *w = *state;
    cando_error err = {0};
    cando_verdict v;
    char *text;
    size_t len, n;
    cando_session *s = cando_session_start(w->c, "a/full", &err);
    assert_int_equal(cando_session_set_params(s, "[{\"path\":[\"reasoning\"],\"value\":\"sk-secret1\",\"layer\":\"launch\"}]", &err), CANDO_OK);
    assert_int_equal(cando_session_switch_model(s, "small", &v, &text, &len, &err), CANDO_OK);
    const struct json *d = diag(w, text, len);
    is_text(d, "/params_affected/0/current_value", "[REDACTED]");
    is_text(d, "/params_affected/0/active_model_id", "small");
    assert_int_equal(cando_session_set_unknown(s, CANDO_UNKNOWN_DENY, &err), CANDO_OK);
    const char *text_of_state = cando_session_state(s, &n);
    cando_session *again = cando_session_restore(w->c, text_of_state, n, &err);
    assert_non_null(again);
    assert_string_equal(text_of_state, cando_session_state(again, NULL));
    cando_session_free(again);
    static const char *const bad[] = {"", "[]", "{}", "{\"target\":{\"provider\":\"a\"}}", "{\"target\":{\"provider\":\"a\",\"model\":\"m\"},\"x\":1}",
                                      "{\"target\":{\"provider\":\"a\",\"model\":\"m\"},\"unknown\":\"so\"}",
                                      "{\"target\":{\"provider\":\"a\",\"model\":\"m\"},\"choices\":{\"a\":1}}",
                                      "{\"target\":{\"provider\":\"a\",\"model\":\"m\"},\"session\":{\"hooks\":1}}"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_null(cando_session_restore(w->c, bad[i], strlen(bad[i]), &err));
    assert_null(cando_session_start(w->c, "nowhere", &err));
    assert_string_equal(err.code, "unknown-target");
    cando_session_free(s);
}

/* Random sessions: whatever is tried, a rejection or an error changes no byte, and what
 * is accepted is in force. */
static void test_no_trace(void **state)
{
    struct world *w = *state;
    static const char *const models[] = {"full", "small", "mute", "other", "nothing", "new-one"};
    static const char *const names[] = {"streaming", "toolCalling", "reasoning", "promptCaching", "multimodal", "json_mode", "bogus"};
    static const char *const levels[] = {"hard", "preferred", "probed"};
    uint64_t seed = 17;
    unsigned rejected = 0, accepted = 0, errors = 0;
    for (unsigned session = 0; session < 300; session++) {
        cando_error err = {0};
        cando_session *s = cando_session_start(w->c, dice(&seed, 2) ? "a/full" : "b/other", &err);
        assert_non_null(s);
        for (unsigned step = 0; step < 15; step++) {
            char json[400], *text = NULL;
            size_t len = 0, n;
            cando_verdict v = CANDO_ACCEPTED;
            cando_status st;
            const char *now = cando_session_state(s, &n);
            char *before = strdup(now);
            unsigned kind = dice(&seed, 8);
            switch (kind) {
            case 0:
            case 1:
            case 2:
                snprintf(json, sizeof json, "%s/%s", dice(&seed, 2) ? "a" : "b", models[dice(&seed, 6)]);
                st = cando_session_switch_target(s, json, &v, &text, &len, &err);
                break;
            case 3:
                snprintf(json, sizeof json, "{\"needs\":[{\"name\":\"%s\",\"level\":\"%s\"}]}", names[dice(&seed, 7)], levels[dice(&seed, 3)]);
                st = cando_session_attach(s, json, &v, &text, &len, &err);
                break;
            case 4:
                snprintf(json, sizeof json, "{\"id\":\"p%u\",\"produces\":[%s],\"min_context\":%u}", dice(&seed, 3), dice(&seed, 2) ? "\"tool-hint\"" : "", dice(&seed, 3) * 50000);
                st = cando_session_provide(s, json, &v, &text, &len, &err);
                break;
            case 5:
                snprintf(json, sizeof json, "{\"id\":\"h\",\"kind\":\"%s\",\"on\":\"token\"}", dice(&seed, 2) ? "guard" : "observer");
                st = cando_session_hook(s, json, &v, &text, &len, &err);
                break;
            case 6:
                st = cando_session_switch_provider(s, dice(&seed, 2) ? "a" : "b", &v, &text, &len, &err);
                break;
            default: {
                cando_session *child = NULL;
                snprintf(json, sizeof json, "b/%s", models[dice(&seed, 6)]);
                st = cando_session_spawn(s, json, &child, &v, &text, &len, &err);
                assert_true((child != NULL) == (st == CANDO_OK && v != CANDO_REJECTED));
                cando_session_free(child);
                assert_string_equal(before, cando_session_state(s, NULL));
            }
            }
            size_t after;
            now = cando_session_state(s, &after);
            if (st != CANDO_OK || v == CANDO_REJECTED) {
                assert_int_equal(n, after);
                assert_memory_equal(before, now, n + 1);
            }
            if (st == CANDO_OK) {
                const struct json *d = diag(w, text, len);
                is_text(d, "/verdict", v == CANDO_REJECTED ? "rejected" : v == CANDO_DEGRADED ? "degraded" : "accepted");
                if (v == CANDO_REJECTED)
                    assert_true(at(d, "/missing")->n > 0);
            } else {
                assert_null(text);
            }
            rejected += st == CANDO_OK && v == CANDO_REJECTED;
            accepted += st == CANDO_OK && v != CANDO_REJECTED;
            errors += st != CANDO_OK;
            free(before);
        }
        cando_session_free(s);
        arena_free(&w->ar);
        arena_init(&w->ar, NULL);
    }
    assert_true(rejected > 200 && accepted > 500 && errors > 100);
}

/* An allocation that fails at any point changes nothing either. */
static void test_no_memory(void **state)
{
    struct world *w = *state;
    for (unsigned limit = 1;; limit++) {
        struct failing f = {.for_good = false};
        cando_allocator a = {failing_resize, &f};
        cando_error err = {0};
        cando *c = cando_new(w->cat, &a, &err);
        cando_session *s = cando_session_start(c, "a/full", &err);
        cando_verdict v;
        char *text;
        size_t len;
        char *before = strdup(cando_session_state(s, NULL));
        f.fail_at = f.calls + limit + 1;
        f.for_good = true;
        cando_status st = cando_session_attach(s, "{\"needs\":[\"streaming\",\"reasoning\"]}", &v, &text, &len, &err);
        f.fail_at = 0;
        f.for_good = false;
        if (st != CANDO_OK) {
            assert_int_equal(st, CANDO_INTERNAL);
            assert_string_equal(before, cando_session_state(s, NULL));
            assert_null(text);
        } else {
            cando_free_text(c, text, len);
        }
        free(before);
        cando_session_free(s);
        cando_free(c);
        if (st == CANDO_OK)
            break;
        assert_true(limit < 1000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attach), cmocka_unit_test(test_other_triggers), cmocka_unit_test(test_switch_provider),
        cmocka_unit_test(test_spawn),  cmocka_unit_test(test_params_and_restore), cmocka_unit_test(test_no_trace),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
