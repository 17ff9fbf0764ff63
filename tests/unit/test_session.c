/*
 * test_session.c - the session object: its triggers, and that a rejection leaves no trace.
 */
#define _POSIX_C_SOURCE 200809L
#include "ask.h"

static const char rules[] =
    "schema = \"cando/rules@1\"\n"
    "[[providers]]\nid = \"a\"\naliases = [\"alpha\"]\n"
    "[[providers]]\nid = \"b\"\n"
    "[[models]]\nprovider = \"a\"\nid = \"full\"\nset = { tool_calling = \"native\", streaming = "
    "\"native\", reasoning = \"native\", prompt_caching = \"native\", context_window = 200000 }\n"
    "[[models]]\nprovider = \"a\"\nid = \"small\"\nset = { tool_calling = \"native\", streaming = "
    "\"unsupported\", reasoning = \"unsupported\", prompt_caching = \"unsupported\", "
    "context_window = 8000 }\n"
    "[[models]]\nprovider = \"a\"\nid = \"mute\"\nset = { tool_calling = \"unsupported\", "
    "streaming = \"native\", context_window = 200000 }\n"
    "[[models]]\nprovider = \"b\"\nid = \"other\"\nset = { tool_calling = \"emulated\", streaming "
    "= \"native\", reasoning = \"native\", prompt_caching = \"unsupported\", context_window = "
    "64000 }\n"
    "[[models]]\nprovider = \"b\"\nid = \"nothing\"\nset = { tool_calling = \"unsupported\", "
    "streaming = \"unsupported\", reasoning = \"unsupported\", context_window = 1000 }\n";

struct world {
    const cando_catalog *cat;
    cando *c;
    cando_room *room;
    cando_error err;
};

static int begin(void **state)
{
    static struct world w;
    const void *bytes;
    size_t n;
    cando_sources *s = cando_sources_new(NULL, &w.err);
    assert_int_equal(cando_sources_add(s, "t.toml", rules, strlen(rules), CANDO_SYNTAX_CANDO,
                                       CANDO_LAYER_FACTS, &w.err),
                     CANDO_OK);
    if (cando_sources_build(s, &bytes, &n, &w.err) != CANDO_OK)
        fail_msg("%s", w.err.message);
    w.cat = cando_catalog_open_copy(bytes, n, NULL, &w.err);
    cando_sources_free(s);
    w.c = cando_new(w.cat, NULL, &w.err);
    w.room = cando_room_new(NULL, &w.err);
    assert_non_null(w.c);
    assert_non_null(w.room);
    *state = &w;
    return 0;
}

static int end(void **state)
{
    struct world *w = *state;
    cando_room_free(w->room);
    cando_free(w->c);
    cando_catalog_release(w->cat);
    return 0;
}

static cando_session *start(struct world *w, const char *target)
{
    cando_session *s = cando_session_new(w->c, (cando_name){.model = target}, &w->err);
    assert_non_null(s);
    return s;
}

/* Valid until the room is cleared. */
static const char *state_of(struct world *w, const cando_session *s)
{
    cando_bytes text;
    assert_int_equal(cando_session_state(s, w->room, &text, &w->err), CANDO_OK);
    assert_int_equal(strlen(text.p), text.n);
    return text.p;
}

static void target_is(struct world *w, const cando_session *s, const char *provider,
                      const char *model)
{
    char want[200];
    snprintf(want, sizeof want, "{\"target\":{\"provider\":\"%s\",\"model\":\"%s\"}", provider,
             model);
    const char *have = state_of(w, s);
    if (strncmp(have, want, strlen(want)) != 0)
        fail_msg("want %s in %s", want, have);
}

static const cando_negotiate_answer *change(struct world *w, cando_session *s, cando_change c)
{
    const cando_negotiate_answer *a = cando_session_change(s, &c, w->room, &w->err);
    if (!a)
        fail_msg("%s: %s", w->err.code, w->err.message);
    return a;
}

static cando_verdict to_model(struct world *w, cando_session *s, const char *model)
{
    return change(w, s, (cando_change){.kind = CANDO_CHANGE_MODEL, .target.model = model})->verdict;
}

static cando_verdict to_provider(struct world *w, cando_session *s, const char *provider)
{
    return change(w, s, (cando_change){.kind = CANDO_CHANGE_PROVIDER, .target.provider = provider})
        ->verdict;
}

static void refuses(struct world *w, cando_session *s, cando_change c, const char *code,
                    const char *at)
{
    char *before = strdup(state_of(w, s));
    assert_null(cando_session_change(s, &c, w->room, &w->err));
    assert_string_equal(w->err.code, code);
    assert_string_equal(w->err.at, at);
    assert_string_equal(before, state_of(w, s));
    free(before);
}

static void test_attach(void **state)
{
    struct world *w = *state;
    cando_session *s = start(w, "alpha/mute");
    target_is(w, s, "a", "mute"); /* the canonical provider */
    char *before = strdup(state_of(w, s));
    const cando_state_machine plain = {0};
    const cando_negotiate_answer *a =
        change(w, s, (cando_change){.kind = CANDO_CHANGE_ATTACH, .state_machine = &plain});
    assert_int_equal(a->verdict, CANDO_REJECTED);
    assert_string_equal(a->missing[0].capability, "tool_calling");
    assert_string_equal(a->missing[0].required_by, "state_machine");
    assert_string_equal(a->missing[0].path, "/session/state_machine");
    assert_string_equal(a->error, "ProviderCapability/MissingCapability");
    assert_string_equal(a->target, "a/mute");
    assert_string_equal(a->active, "a/mute");
    assert_string_equal(a->suggestion, "a/full");
    assert_string_equal(before, state_of(w, s));
    free(before);
    assert_int_equal(to_model(w, s, "full"), CANDO_ACCEPTED);
    const cando_requirement needs[] = {{.name = "streaming"}};
    const cando_state_machine machine = {.id = "m", .needs = needs, .n_needs = 1};
    a = change(w, s, (cando_change){.kind = CANDO_CHANGE_ATTACH, .state_machine = &machine});
    assert_int_equal(a->verdict, CANDO_ACCEPTED);
    assert_string_equal(state_of(w, s),
                        "{\"target\":{\"provider\":\"a\",\"model\":\"full\"},\"choices\":{\"a\":"
                        "\"full\"},\"unknown\":\"warn\","
                        "\"session\":{\"state_machine\":{\"attached\":true,\"id\":\"m\",\"needs\":["
                        "{\"name\":\"streaming\",\"level\":\"hard\"}]}},"
                        "\"params\":[]}");
    /* and now no model without tools or streaming will do */
    assert_int_equal(to_model(w, s, "mute"), CANDO_REJECTED);
    assert_int_equal(to_model(w, s, "small"), CANDO_REJECTED);
    target_is(w, s, "a", "full");
    a = change(w, s, (cando_change){.kind = CANDO_CHANGE_DETACH});
    assert_int_equal(a->verdict, CANDO_ACCEPTED);
    assert_string_equal(a->active, "a/full");
    assert_int_equal(to_model(w, s, "mute"), CANDO_ACCEPTED);
    cando_session_free(s);
}

static cando_change provide(const cando_context_provider *p)
{
    return (cando_change){.kind = CANDO_CHANGE_PROVIDE, .context_provider = p};
}

static void test_other_triggers(void **state)
{
    struct world *w = *state;
    cando_session *s = start(w, "a/small");
    static const char *const produces[] = {"tool-hint"};
    cando_context_provider repo = {
        .id = "repo", .produces = produces, .n_produces = 1, .min_context = {64000, true}};
    const cando_negotiate_answer *a = change(w, s, provide(&repo));
    assert_int_equal(a->verdict, CANDO_REJECTED);
    assert_string_equal(a->missing[0].required_by, "context_provider:repo");
    assert_int_equal(a->missing[0].need.type, CANDO_NUMBER);
    assert_int_equal(a->missing[0].need.number, 64000);
    assert_int_equal(a->missing[0].have.number, 8000);
    repo.min_context.value = 4000;
    assert_int_equal(change(w, s, provide(&repo))->verdict, CANDO_ACCEPTED);
    cando_hook h = {.id = "h", .kind = CANDO_HOOK_GUARD, .on = "token"};
    assert_int_equal(change(w, s, (cando_change){.kind = CANDO_CHANGE_HOOK, .hook = &h})->verdict,
                     CANDO_REJECTED);
    h.kind = CANDO_HOOK_OBSERVER;
    assert_int_equal(change(w, s, (cando_change){.kind = CANDO_CHANGE_HOOK, .hook = &h})->verdict,
                     CANDO_ACCEPTED);
    const cando_security_mode mode = {.kind = "allowlist", .tool_oriented = true};
    assert_int_equal(
        change(w, s, (cando_change){.kind = CANDO_CHANGE_SECURE, .security_mode = &mode})->verdict,
        CANDO_ACCEPTED);
    /* the same id replaces */
    const cando_requirement cached = {.name = "promptCaching", .level = CANDO_PREFERRED};
    repo = (cando_context_provider){.id = "repo", .needs = &cached, .n_needs = 1};
    a = change(w, s, provide(&repo));
    assert_int_equal(a->verdict, CANDO_DEGRADED);
    assert_string_equal(a->warnings[0].reason, "preferred-unmet");
    assert_null(strstr(state_of(w, s), "4000"));
    assert_non_null(strstr(state_of(w, s),
                           "\"session\":{\"context_providers\":[{\"id\":\"repo\",\"needs\":[{"
                           "\"name\":\"promptCaching\",\"level\":\"preferred\"}]}],"
                           "\"hooks\":[{\"id\":\"h\",\"kind\":\"observer\",\"on\":\"token\"}],"
                           "\"security_mode\":{\"kind\":\"allowlist\",\"tool_oriented\":true}}"));
    a = change(w, s, (cando_change){.kind = CANDO_CHANGE_MODEL, .target.model = "mute"});
    assert_string_equal(a->missing[0].required_by, "security_mode");
    cando_session_free(s);
}

/* Parts go, and come several at once. */
static void test_parts_change(void **state)
{
    struct world *w = *state;
    cando_session *s = start(w, "a/full");
    const cando_context_provider docs = {.id = "docs", .min_context = {64000, true}};
    const cando_hook guard = {.id = "g", .kind = CANDO_HOOK_GUARD, .on = "token"};
    assert_int_equal(change(w, s, provide(&docs))->verdict, CANDO_ACCEPTED);
    assert_int_equal(
        change(w, s, (cando_change){.kind = CANDO_CHANGE_HOOK, .hook = &guard})->verdict,
        CANDO_ACCEPTED);
    assert_int_equal(to_model(w, s, "small"), CANDO_REJECTED);
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_UNHOOK, .hook = &(cando_hook){.id = "x"}},
            "bad-argument", "/hook");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_WITHDRAW}, "missing-argument",
            "/context_provider");
    change(w, s, (cando_change){.kind = CANDO_CHANGE_UNHOOK, .hook = &guard});
    change(w, s, (cando_change){.kind = CANDO_CHANGE_WITHDRAW, .context_provider = &docs});
    assert_null(strstr(state_of(w, s), "docs"));
    assert_int_equal(to_model(w, s, "small"), CANDO_ACCEPTED);
    const cando_session_parts both = {
        .context_providers = &docs, .n_context_providers = 1, .hooks = &guard, .n_hooks = 1};
    const cando_negotiate_answer *a =
        change(w, s, (cando_change){.kind = CANDO_CHANGE_RELOAD, .session = &both});
    assert_int_equal(a->verdict, CANDO_REJECTED);
    assert_int_equal(a->n_missing, 2); /* one step, all that is missing */
    assert_null(strstr(state_of(w, s), "docs"));
    assert_int_equal(to_model(w, s, "full"), CANDO_ACCEPTED);
    a = change(w, s, (cando_change){.kind = CANDO_CHANGE_RELOAD, .session = &both});
    assert_int_equal(a->verdict, CANDO_ACCEPTED);
    assert_non_null(strstr(state_of(w, s), "docs"));
    cando_session_free(s);
}

/* A degraded switch waits for its user; what a provider claims is a hint. */
static void test_ask_and_claims(void **state)
{
    struct world *w = *state;
    cando_session *s = start(w, "a/full");
    const cando_requirement cached = {.name = "promptCaching", .level = CANDO_PREFERRED};
    const cando_context_provider repo = {.id = "repo", .needs = &cached, .n_needs = 1};
    assert_int_equal(change(w, s, provide(&repo))->verdict, CANDO_ACCEPTED);
    assert_int_equal(cando_session_accept(s, &w->err), CANDO_BAD_QUESTION);
    cando_change to = {.kind = CANDO_CHANGE_MODEL, .target.model = "small", .ask = true};
    const cando_negotiate_answer *a = change(w, s, to);
    assert_int_equal(a->verdict, CANDO_DEGRADED);
    assert_string_equal(a->active, "a/full");
    target_is(w, s, "a", "full");
    assert_int_equal(cando_session_accept(s, &w->err), CANDO_OK);
    target_is(w, s, "a", "small");
    assert_int_equal(cando_session_accept(s, &w->err), CANDO_BAD_QUESTION);
    change(w, s, (cando_change){.kind = CANDO_CHANGE_MODEL, .target.model = "full"});
    change(w, s, to); /* another change forgets what waits */
    change(w, s, (cando_change){.kind = CANDO_CHANGE_CHOOSE, .target.model = "b/other"});
    assert_int_equal(cando_session_accept(s, &w->err), CANDO_BAD_QUESTION);
    change(w, s, to); /* so does the end */

    static const char claims[] = "{\"promptCaching\":\"hard\",\"contextWindow\":900000}";
    to = (cando_change){
        .kind = CANDO_CHANGE_MODEL, .target.model = "small", .claims = {claims, sizeof claims - 1}};
    a = change(w, s, to);
    assert_int_equal(a->verdict, CANDO_ACCEPTED);
    assert_int_equal(a->n_overstated, 1);
    assert_string_equal(a->overstated[0].capability, "context_window");
    to.claims = (cando_bytes){"[]", 2};
    refuses(w, s, to, "bad-argument", "/claims");
    to = (cando_change){.kind = CANDO_CHANGE_MODEL, .target.model = "small", .ask = true};
    change(w, s, (cando_change){.kind = CANDO_CHANGE_MODEL, .target.model = "full"});
    change(w, s, to); /* freed with the session */
    cando_session_free(s);
}

struct heard {
    char text[8][512]; /* of each event */
    size_t n;
};

static void hear(void *user, const cando_event *e)
{
    struct heard *h = user;
    char *text;
    size_t len;
    assert_true(h->n < 8);
    assert_int_equal(cando_event_encode(e, NULL, &text, &len, NULL), CANDO_OK);
    snprintf(h->text[h->n++], sizeof h->text[0], "%s", text);
    cando_event_free_text(NULL, text, len);
}

static uint64_t ticking(void *user)
{
    return *(uint64_t *)user += 1000;
}

/* What sessions decide is told to the subscribers of their engine, by themselves. */
static void test_events(void **state)
{
    struct world *w = *state;
    struct heard h = {.n = 0};
    uint64_t now = 0;
    cando_events *events = cando_events_new(NULL, &w->err);
    cando_events_subscribe(events, CANDO_EVERY_EVENT, hear, &h, &w->err);
    cando_set_events(w->c, events, ticking, &now);
    cando_session *s = start(w, "a/full"), *child;
    assert_int_equal(cando_session_name(s, "two words", &w->err), CANDO_BAD_QUESTION);
    assert_int_equal(cando_session_name(s, "s-1", &w->err), CANDO_OK);

    static const char *const path[] = {"reasoning_effort"}, *const key[] = {"api_key"};
    const cando_param params[] = {
        {.path = path, .n_path = 1, .value = {"\"high\"", 6}, .layer = CANDO_PARAM_LAUNCH},
        {.path = key, .n_path = 1, .value = {"\"hunter2\"", 9}}};
    const cando_state_machine machine = {.attached = true, .id = "m"};
    change(w, s, (cando_change){.kind = CANDO_CHANGE_ATTACH, .state_machine = &machine});
    change(w, s, (cando_change){.kind = CANDO_CHANGE_MODEL, .target.model = "mute"});
    const cando_requirement cached = {.name = "prompt_caching", .level = CANDO_PREFERRED};
    const cando_context_provider repo = {.id = "repo", .needs = &cached, .n_needs = 1};
    change(w, s, provide(&repo));
    change(w, s, (cando_change){.kind = CANDO_CHANGE_PARAMS, .params = params, .n_params = 2});
    cando_change to = {.kind = CANDO_CHANGE_MODEL, .target.model = "small", .ask = true};
    change(w, s, to);
    assert_int_equal(h.n, 3); /* nothing of the one that waits */
    assert_int_equal(cando_session_accept(s, &w->err), CANDO_OK);
    cando_session_spawn(s, NULL, w->room, &child, &w->err);
    cando_session_free(child);
    cando_session_free(s);
    cando_set_events(w->c, NULL, NULL, NULL);
    cando_events_free(events);

#define HEAD(second, kind, change)                                                                 \
    "{\"time\":\"1970-01-01T00:00:0" second ".000Z\",\"kind\":\"" kind                                \
    "\",\"session\":\"s-1\",\"change\":\"" change "\""
    static const char *const expected[] = {
        HEAD("1", "switch", "attach") ",\"target\":\"a/full\"",
        HEAD("2", "rejection", "switch") ",\"target\":\"a/mute\",\"previous\":\"a/full\","
        "\"verdict\":\"rejected\",\"missing\":[\"tool_calling\"],\"required_by\":"
        "[\"state_machine\"],\"findings\":[\"missing-capability\"],\"suggestion\":",
        HEAD("3", "switch", "provide"),
        HEAD("5", "downgrade", "switch") ",\"target\":\"a/small\",\"previous\":\"a/full\","
        "\"verdict\":\"degraded\",\"missing\":[\"prompt_caching\"]",
        HEAD("6", "downgrade", "spawn"),
    };
    assert_int_equal(h.n, sizeof expected / sizeof *expected);
    for (size_t i = 0; i < h.n; i++) {
        if (strncmp(h.text[i], expected[i], strlen(expected[i])) != 0)
            fail_msg("%s\nexpected %s", h.text[i], expected[i]);
        assert_null(strstr(h.text[i], "hunter2"));
    }
    assert_non_null(strstr(h.text[3], "\"param_path\":[\"reasoning_effort\"]"));
    assert_non_null(strstr(h.text[3], "\"current_value\":\"high\",\"source_layer\":\"launch\""));
}

static void test_switch_provider(void **state)
{
    struct world *w = *state;
    cando_session *s = start(w, "a/full");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_PROVIDER, .target.provider = "b"},
            "no-choice", "/target");
    target_is(w, s, "a", "full");
    change(w, s, (cando_change){.kind = CANDO_CHANGE_CHOOSE, .target.model = "b/other"});
    target_is(w, s, "a", "full");
    assert_int_equal(to_provider(w, s, "b"), CANDO_ACCEPTED);
    target_is(w, s, "b", "other");
    assert_int_equal(to_provider(w, s, "alpha"), CANDO_ACCEPTED);
    target_is(w, s, "a", "full");
    assert_non_null(strstr(state_of(w, s), "\"choices\":{\"a\":\"full\",\"b\":\"other\"}"));
    cando_session_free(s);
}

static void test_spawn(void **state)
{
    struct world *w = *state;
    cando_session *s = start(w, "a/full"), *child, *grandchild;
    static const char *const efforts[] = {"low"};
    const cando_requirement needs[] = {
        {.name = "promptCaching", .level = CANDO_PREFERRED},
        {.name = "contextWindow", .minimum = {50000, true}},
        {.name = "reasoning_efforts", .level = CANDO_PROBED, .includes = efforts, .n_includes = 1},
    };
    const cando_state_machine machine = {.needs = needs, .n_needs = 3};
    change(w, s, (cando_change){.kind = CANDO_CHANGE_ATTACH, .state_machine = &machine});
    char *before = strdup(state_of(w, s));
    const cando_name nothing = {"b/nothing", NULL}, other = {"other", "b"},
                     nowhere = {"nowhere", NULL};
    const cando_negotiate_answer *a = cando_session_spawn(s, &nothing, w->room, &child, &w->err);
    assert_int_equal(a->verdict, CANDO_REJECTED);
    assert_null(child);
    assert_string_equal(a->error, "Subagent/ModelCapabilityMismatch");
    assert_string_equal(a->missing[0].required_by, "inherited:state_machine");
    assert_int_equal(a->n_missing, 2);
    assert_null(cando_session_spawn(s, &nowhere, w->room, &child, &w->err));
    assert_string_equal(w->err.code, "unknown-target");
    a = cando_session_spawn(s, &other, w->room, &child, &w->err);
    assert_int_equal(a->verdict, CANDO_DEGRADED);
    assert_non_null(child);
    target_is(w, child, "b", "other");
    assert_string_equal(before, state_of(w, s));
    assert_non_null(strstr(state_of(w, child),
                           "{\"name\":\"reasoning_efforts\",\"level\":\"probed\","
                           "\"includes\":[\"low\"],\"required_by\":\"state_machine\"}"));
    /* the child keeps the set, and hands it on */
    assert_int_equal(to_model(w, child, "nothing"), CANDO_REJECTED);
    assert_non_null(cando_session_spawn(child, NULL, w->room, &grandchild, &w->err));
    assert_non_null(grandchild);
    assert_non_null(strstr(state_of(w, grandchild), "\"required_by\":\"state_machine\""));
    target_is(w, grandchild, "b", "other");
    cando_session_free(grandchild);
    cando_session_free(child);
    cando_session_free(s);
    free(before);
}

static void test_params_and_restore(void **state)
{
    struct world *w = *state;
    cando_session *s = start(w, "a/full");
    static const char *const path[] = {"reasoning"};
    cando_param p = {
        .path = path, .n_path = 1, .value = {"\"sk-secret1\"", 12}, .layer = CANDO_PARAM_LAUNCH};
    change(w, s, (cando_change){.kind = CANDO_CHANGE_PARAMS, .params = &p, .n_params = 1});
    const cando_negotiate_answer *a =
        change(w, s, (cando_change){.kind = CANDO_CHANGE_MODEL, .target.model = "small"});
    assert_int_equal(a->n_params_affected, 1);
    assert_int_equal(a->params_affected[0].current_value.n, 12);
    assert_memory_equal(a->params_affected[0].current_value.p, "\"[REDACTED]\"", 12);
    assert_string_equal(a->params_affected[0].active_model_id, "small");
    assert_string_equal(a->params_affected[0].source_layer, "launch");
    change(w, s, (cando_change){.kind = CANDO_CHANGE_UNKNOWN, .unknown = CANDO_UNKNOWN_DENY});
    const char *text = state_of(w, s);
    cando_session *again = cando_session_restore(w->c, text, strlen(text), &w->err);
    assert_non_null(again);
    assert_string_equal(text, state_of(w, again));
    assert_non_null(strstr(text, "\"unknown\":\"deny\",\"session\":{},\"params\":[{\"path\":["
                                 "\"reasoning\"],\"value\":\"sk-secret1\",\"layer\":\"launch\"}]"));
    cando_session_free(again);
#define TARGET "{\"target\":{\"provider\":\"a\",\"model\":\"m\"}"
    static const char *const bad[][2] = {
        {"", ""},
        {"[]", ""},
        {"{}", "/target"},
        {"{\"target\":{\"provider\":\"a\"}}", "/target/model"},
        {TARGET ",\"x\":1}", "/x"},
        {TARGET ",\"unknown\":\"so\"}", "/unknown"},
        {TARGET ",\"choices\":{\"a\":1}}", "/choices/a"},
        {TARGET ",\"session\":{\"hooks\":1}}", "/session/hooks"},
        {TARGET ",\"session\":{\"inherited\":[\"bogus\"]}}", "/session/inherited/0"},
        {TARGET ",\"session\":{\"inherited\":[{\"name\":\"bogus\",\"level\":\"probed\"}]}}",
         "/session/inherited/0/name"},
        {TARGET ",\"params\":[{\"path\":[\"a\"],\"layer\":\"launch\"}]}", "/params/0/value"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_null(cando_session_restore(w->c, bad[i][0], strlen(bad[i][0]), &w->err));
        assert_string_equal(w->err.at, bad[i][1]);
    }
    /* what an older version wrote: strings alone, no choices */
    const char *old = TARGET ",\"session\":{\"state_machine\":{\"needs\":[\"streaming\"]}}}";
    again = cando_session_restore(w->c, old, strlen(old), &w->err);
    assert_non_null(again);
    assert_non_null(strstr(state_of(w, again), "\"choices\":{\"a\":\"m\"}"));
    cando_session_free(again);
    assert_null(cando_session_new(w->c, (cando_name){"nowhere", NULL}, &w->err));
    assert_string_equal(w->err.code, "unknown-target");
    cando_session_free(s);
}

/* What a caller in C can get wrong and JSON cannot say. */
static void test_mistakes(void **state)
{
    struct world *w = *state;
    cando_session *s = start(w, "a/full");
    static const char *const path[] = {"a", NULL};
    char long_name[600];
    memset(long_name, 'x', sizeof long_name);
    long_name[599] = '\0';
    const cando_hook no_id = {.on = "token"},
                     no_kind = {.id = "h", .kind = (cando_hook_kind)7, .on = "x"};
    const cando_requirement no_name = {0},
                            no_level = {.name = "streaming", .level = (cando_level)9},
                            no_support = {.name = "streaming", .min_support = (cando_min_support)9},
                            too_long = {.name = "streaming", .required_by = long_name};
    const cando_state_machine m[] = {{.needs = &no_name, .n_needs = 1},
                                     {.needs = &no_level, .n_needs = 1},
                                     {.needs = &no_support, .n_needs = 1},
                                     {.needs = &too_long, .n_needs = 1}};
    const cando_security_mode no_mode = {0};
    const cando_param params[] = {
        {.path = path, .n_path = 2, .value = {"1", 1}},
        {.path = path, .n_path = 1},
        {.path = path, .n_path = 1, .value = {"{", 1}},
        {.path = path, .n_path = 1, .value = {"1", 1}, .layer = (cando_param_layer)5}};
    refuses(w, s, (cando_change){.kind = (cando_change_kind)99}, "bad-argument", "/kind");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_TARGET}, "unknown-target", "/target");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_MODEL}, "bad-argument", "/target");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_MODEL, .target.model = long_name},
            "bad-argument", "/target");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_PROVIDER}, "no-choice", "/target");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_ATTACH}, "missing-argument",
            "/state_machine");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_PROVIDE}, "missing-argument",
            "/context_provider");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_HOOK}, "missing-argument", "/hook");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_SECURE}, "missing-argument",
            "/security_mode");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_HOOK, .hook = &no_id}, "missing-argument",
            "/session/hooks/0/id");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_HOOK, .hook = &no_kind}, "bad-argument",
            "/session/hooks/0/kind");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_SECURE, .security_mode = &no_mode},
            "missing-argument", "/session/security_mode/kind");
    static const char *const at[] = {"name", "level", "min_support", "required_by"};
    static const char *const codes[] = {"missing-argument", "bad-argument", "bad-argument",
                                        "too-long"};
    for (unsigned i = 0; i < 4; i++) {
        char place[80];
        snprintf(place, sizeof place, "/session/state_machine/needs/0/%s", at[i]);
        refuses(w, s, (cando_change){.kind = CANDO_CHANGE_ATTACH, .state_machine = &m[i]}, codes[i],
                place);
    }
    static const char *const param_at[] = {"/params/0/path/1", "/params/0", "/params/0/value",
                                           "/params/0/layer"};
    static const char *const param_code[] = {"bad-argument", "missing-argument", "json-syntax",
                                             "bad-argument"};
    for (unsigned i = 0; i < 4; i++)
        refuses(w, s,
                (cando_change){.kind = CANDO_CHANGE_PARAMS, .params = &params[i], .n_params = 1},
                param_code[i], param_at[i]);
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_UNKNOWN, .unknown = (cando_unknown)3},
            "bad-argument", "/unknown");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_CHOOSE}, "unknown-target", "/target");
    refuses(w, s, (cando_change){.kind = CANDO_CHANGE_HISTORY, .history = {"{", 1}}, "json-syntax",
            "/history");
    refuses(w, s,
            (cando_change){.kind = CANDO_CHANGE_HISTORY, .history = {"{\"messages\":[7]}", 16}},
            "bad-argument", "/history/messages/0");
    cando_session_free(s);
}

/* Random sessions: whatever is tried, a rejection or an error changes no byte, and what
 * is accepted is in force. */
static void test_no_trace(void **state)
{
    struct world *w = *state;
    static const char *const models[] = {"full", "small", "mute", "other", "nothing", "new-one"};
    static const char *const names[] = {"streaming",  "toolCalling", "reasoning", "promptCaching",
                                        "multimodal", "json_mode",   "bogus"};
    static const char *const ids[] = {"p0", "p1", "p2"}, *const produces[] = {"tool-hint"};
    uint64_t seed = 17;
    unsigned rejected = 0, accepted = 0, errors = 0;
    for (unsigned session = 0; session < 300; session++) {
        cando_session *s = start(w, dice(&seed, 2) ? "a/full" : "b/other");
        for (unsigned step = 0; step < 15; step++) {
            cando_room_clear(w->room);
            char *before = strdup(state_of(w, s));
            cando_change c = {.kind = CANDO_CHANGE_TARGET};
            cando_requirement need;
            cando_state_machine machine;
            cando_context_provider provider;
            cando_hook hook;
            cando_session *child = NULL;
            const cando_negotiate_answer *a;
            unsigned kind = dice(&seed, 8);
            switch (kind) {
            case 3:
                need = (cando_requirement){.name = names[dice(&seed, 7)],
                                           .level = (cando_level)dice(&seed, 3)};
                machine = (cando_state_machine){.needs = &need, .n_needs = 1};
                c = (cando_change){.kind = CANDO_CHANGE_ATTACH, .state_machine = &machine};
                break;
            case 4:
                provider = (cando_context_provider){.id = ids[dice(&seed, 3)],
                                                    .produces = produces,
                                                    .n_produces = dice(&seed, 2),
                                                    .min_context = {dice(&seed, 3) * 50000, true}};
                c = provide(&provider);
                break;
            case 5:
                hook = (cando_hook){.id = "h",
                                    .kind = dice(&seed, 2) ? CANDO_HOOK_GUARD : CANDO_HOOK_OBSERVER,
                                    .on = "token"};
                c = (cando_change){.kind = CANDO_CHANGE_HOOK, .hook = &hook};
                break;
            case 6:
                c = (cando_change){.kind = CANDO_CHANGE_PROVIDER,
                                   .target.provider = dice(&seed, 2) ? "a" : "b"};
                break;
            default:
                c.target =
                    (cando_name){models[dice(&seed, 6)], kind == 7 || dice(&seed, 2) ? "b" : "a"};
            }
            if (kind == 7) {
                a = cando_session_spawn(s, &c.target, w->room, &child, &w->err);
                assert_true((child != NULL) == (a && a->verdict != CANDO_REJECTED));
                cando_session_free(child);
                assert_string_equal(before, state_of(w, s));
            } else {
                a = cando_session_change(s, &c, w->room, &w->err);
            }
            if (!a || a->verdict == CANDO_REJECTED)
                assert_string_equal(before, state_of(w, s));
            if (a && a->verdict == CANDO_REJECTED)
                assert_true(a->n_missing > 0);
            rejected += a && a->verdict == CANDO_REJECTED;
            accepted += a && a->verdict != CANDO_REJECTED;
            errors += !a;
            free(before);
        }
        cando_session_free(s);
    }
    assert_true(rejected > 200 && accepted > 500 && errors > 100);
}

/* An allocation that fails at any point changes nothing either. */
static void test_no_memory(void **state)
{
    struct world *w = *state;
    static const char *const path[] = {"temperature"}, *const efforts[] = {"low"};
    const cando_requirement needs[] = {
        {.name = "streaming"}, {.name = "reasoning_efforts", .includes = efforts, .n_includes = 1}};
    const cando_state_machine machine = {.id = "m", .needs = needs, .n_needs = 2};
    const cando_hook hook = {.id = "h", .on = "token", .needs = needs, .n_needs = 1};
    const cando_context_provider provider = {.id = "p", .needs = needs, .n_needs = 1};
    const cando_security_mode mode = {.kind = "allowlist"};
    const cando_param param = {.path = path, .n_path = 1, .value = {"1", 1}};
    const cando_change changes[] = {
        {.kind = CANDO_CHANGE_ATTACH, .state_machine = &machine},
        {.kind = CANDO_CHANGE_HOOK, .hook = &hook},
        {.kind = CANDO_CHANGE_PROVIDE, .context_provider = &provider},
        {.kind = CANDO_CHANGE_SECURE, .security_mode = &mode},
        {.kind = CANDO_CHANGE_PARAMS, .params = &param, .n_params = 1},
        {.kind = CANDO_CHANGE_HISTORY, .history = {"{\"messages\":[]}", 15}},
        {.kind = CANDO_CHANGE_CHOOSE, .target = {"x", "b"}},
        {.kind = CANDO_CHANGE_TARGET, .target = {"other", "b"}},
        {.kind = CANDO_CHANGE_TARGET, .target = {"nothing", "b"}},
    };
    for (size_t at = 1;; at++) {
        struct failing f = {.fail_at = at};
        cando_allocator a = {failing_resize, &f};
        cando *c = cando_new(w->cat, &a, &w->err);
        cando_session *s = c ? cando_session_new(c, (cando_name){"a/full", NULL}, &w->err) : NULL,
                      *child = NULL;
        for (size_t i = 0; s && i < sizeof changes / sizeof *changes; i++) {
            cando_room *room = cando_room_new(&a, &w->err);
            char *before = strdup(state_of(w, s));
            if (!room || !cando_session_change(s, &changes[i], room, &w->err)) {
                assert_string_equal(w->err.code, "memory");
                assert_string_equal(before, state_of(w, s));
            }
            free(before);
            cando_room_free(room);
        }
        cando_room *room = s ? cando_room_new(&a, &w->err) : NULL;
        cando_bytes text;
        if (room && cando_session_spawn(s, NULL, room, &child, &w->err) && child &&
            cando_session_state(child, room, &text, &w->err) == CANDO_OK)
            cando_session_free(cando_session_restore(c, text.p, text.n, &w->err));
        cando_session_free(child);
        cando_room_free(room);
        cando_session_free(s);
        cando_free(c);
        assert_int_equal(f.live, 0);
        if (!f.failed)
            break;
        assert_true(at < 10000);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attach),
        cmocka_unit_test(test_other_triggers),
        cmocka_unit_test(test_parts_change),
        cmocka_unit_test(test_ask_and_claims),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_switch_provider),
        cmocka_unit_test(test_spawn),
        cmocka_unit_test(test_params_and_restore),
        cmocka_unit_test(test_mistakes),
        cmocka_unit_test(test_no_trace),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
