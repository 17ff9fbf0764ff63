/*
 * test_ask_query.c - models, select, match and diff without JSON: what each takes of the
 * others, where it points when it refuses, and that it gives up cleanly without memory.
 */
#include "catalog_case.h"

#include "base/limits.h"
#include "decide/query.h"

static const char rules[] =
    "[[providers]]\nid = \"acme\"\naliases = [\"acme-cloud\"]\nkind = \"first-party\"\n"
    "[[providers]]\nid = \"host\"\nkind = \"host\"\n"
    "[[providers]]\nid = \"agents\"\nkind = \"backend\"\n"
    "[[models]]\nprovider = \"acme\"\nid = \"Big-1\"\n"
    "set = { tool_calling = \"native\", reasoning = \"native\", input_image = \"native\", context_window = 400000, max_tools = 64, "
    "reasoning_efforts = [\"low\", \"high\"], release_date = \"2026-05-20\", price = { input_tokens = \"3\", output_tokens = \"15\" } }\n"
    "[[models]]\nprovider = \"acme\"\nid = \"small-1\"\n"
    "set = { tool_calling = \"emulated\", reasoning = \"unsupported\", context_window = 128000, release_date = \"2026-05\", "
    "price = { input_tokens = \"0.1\", output_tokens = \"0.3\" } }\n"
    "[[models]]\nprovider = \"host\"\nid = \"acme/big-1\"\n"
    "set = { tool_calling = { restricted = \"one tool\" }, status = \"deprecated\" }\n"
    "[[models]]\nprovider = \"host\"\nid = \"old\"\nset = { status = \"retired\" }\n"
    "[[models]]\nprovider = \"agents\"\nid = \"claude\"\n"
    "set = { streaming = \"native\", tool_read = { restricted = \"sandbox\" }, mcp_server = \"unsupported\" }\n"
    "[[models]]\nprovider = \"agents\"\nid = \"codex\"\nset = { streaming = \"emulated\" }\n";

static cando *engine;
static cando_room *room;
static cando_error err;

static const char request_rules[] =
    "schema = \"cando/requests@1\"\ndialect = \"openai-chat\"\n[measure]\n"
    "text = [\"messages[].content\"]\nturn = [\"messages[]\"]\n[[rules]]\nname = \"heat\"\n"
    "kind = \"range\"\nwhen = { path = \"temperature\", outside = [0, 1] }\nmessage = \"m\"\n"
    "source = \"s\"\n";

static int begin(void **state)
{
    (void)state;
    const cando_catalog *cat = case_catalog(rules);
    engine = cando_new(cat, NULL, NULL);
    room = cando_room_new(NULL, NULL);
    cando_catalog_release(cat);
    return engine && room ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    cando_room_free(room);
    cando_free(engine);
    return 0;
}

/* The names that fit, separated by spaces. */
static void listed(const cando_query *q, const char *want)
{
    char have[400] = "";
    const cando_models_answer *r = cando_ask_models(engine, q, room, &err);
    if (!r)
        fail_msg("%s at %s", err.message, err.at);
    for (size_t i = 0; i < r->n_models; i++)
        snprintf(have + strlen(have), sizeof have - strlen(have), "%s%s/%s", i ? " " : "", r->models[i].provider,
                 r->models[i].model);
    assert_string_equal(have, want);
}

static void selected(const cando_query *q, const char *want)
{
    char have[400] = "";
    const cando_select_answer *r = cando_ask_select(engine, q, room, &err);
    if (!r)
        fail_msg("%s at %s", err.message, err.at);
    for (size_t i = 0; i < r->n_matches; i++)
        snprintf(have + strlen(have), sizeof have - strlen(have), "%s%s", i ? " " : "", r->matches[i].target);
    assert_string_equal(have, want);
}

static void both(const cando_query *q, const char *want)
{
    listed(q, want);
    selected(q, want);
}

#define TEXTS_OF(member, ...) .member = (const char *const[]){__VA_ARGS__}, .n_##member = LENGTH(((const char *const[]){__VA_ARGS__}))
#define WANTED(member, ...) .member = (const cando_wanted[]){__VA_ARGS__}, .n_##member = LENGTH(((const cando_wanted[]){__VA_ARGS__}))
#define BOUNDS(member, ...) .member = (const cando_bound[]){__VA_ARGS__}, .n_##member = LENGTH(((const cando_bound[]){__VA_ARGS__}))
#define CAP(name) {.capability = name}
#define WITH_OLD TEXTS_OF(status, "active", "deprecated")
#define Q(...) &(const cando_query){__VA_ARGS__}

static void test_nothing_asked(void **state)
{
    (void)state;
    listed(Q(.limit = {0}), "acme/Big-1 acme/small-1 host/acme/big-1 host/old");
    selected(Q(.limit = {0}), "acme/Big-1 acme/small-1"); /* nothing that is retired or deprecated */
    both(Q(.limit = {0, true}), "");
}

/* The same filters have the same names and the same meaning in both. */
static void test_filters(void **state)
{
    (void)state;
    both(Q(TEXTS_OF(providers, "acme-cloud")), "acme/Big-1 acme/small-1");
    both(Q(TEXTS_OF(kinds, "host"), TEXTS_OF(status, "deprecated")), "host/acme/big-1");
    both(Q(TEXTS_OF(kinds, "backend")), "agents/claude agents/codex");
    both(Q(TEXTS_OF(allow, "acme", "host/*big*"), TEXTS_OF(deny, "acme/small*"), WITH_OLD), "acme/Big-1 host/acme/big-1");
    both(Q(.model = "BIG-1", WITH_OLD), "acme/Big-1 host/acme/big-1");
    both(Q(TEXTS_OF(match, "big-*", "host/acme*"), WITH_OLD), "acme/Big-1 host/acme/big-1");
    both(Q(TEXTS_OF(words, "BIG"), WITH_OLD), "acme/Big-1 host/acme/big-1");
    both(Q(TEXTS_OF(words, "BIG", "host"), WITH_OLD), "host/acme/big-1");
    both(Q(.like = "smal-1"), "acme/small-1");
    both(Q(WANTED(require, CAP("tools")), WITH_OLD), "acme/Big-1 acme/small-1 host/acme/big-1");
    both(Q(WANTED(can, {"tools", CANDO_MIN_NATIVE, NULL, 0})), "acme/Big-1");
    both(Q(WANTED(can, {"reasoning_efforts", 0, (const char *const[]){"low"}, 1})), "acme/Big-1");
    both(Q(WANTED(can, {"reasoning_efforts", 0, (const char *const[]){"medium"}, 1})), "");
    both(Q(WANTED(forbid, CAP("reasoning")), TEXTS_OF(providers, "acme")), "acme/small-1");
    both(Q(WANTED(forbid, CAP("reasoning")), TEXTS_OF(status, "active", "deprecated")), "acme/small-1 host/acme/big-1");
    both(Q(WANTED(cannot, CAP("reasoning"))), "acme/small-1");
    both(Q(TEXTS_OF(input, "image")), "acme/Big-1");
    both(Q(BOUNDS(minimum, {"context_window", "128001"})), "acme/Big-1");
    both(Q(BOUNDS(minimum, {"max_tools", "64"})), "acme/Big-1");
    both(Q(BOUNDS(minimum, {"max_tools", "65"})), "");
    both(Q(BOUNDS(maximum, {"context_window", "1.28e5"})), "acme/small-1");
    both(Q(BOUNDS(maximum, {"output_price", "0.3"})), "acme/small-1");
    both(Q(BOUNDS(minimum, {"input_price", "1e-1"}, {"output_price", "1"})), "acme/Big-1");
    both(Q(.released_after = "2026-05"), "acme/Big-1 acme/small-1");
    both(Q(.released_after = "2026-05-10"), "acme/Big-1");
    both(Q(.released_before = "2026-05-10"), "acme/small-1");
    both(Q(.released_before = "2020"), "");
}

/* What a request needs is required, and raises what is asked for already. */
static void test_request(void **state)
{
    (void)state;
    static const char body[] = "{\"model\":\"m\",\"max_tokens\":9000,\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],"
                               "\"messages\":[{\"role\":\"user\",\"content\":\"hello\"}]}";
    cando *c = cando_new(NULL, NULL, &err);
    const cando_query *q = Q(.request = {body, sizeof body - 1}, .limit = {1, true}, BOUNDS(minimum, {"max_output", "10"}));
    const cando_select_answer *r = cando_ask_select(c, q, room, &err);
    assert_non_null(r);
    assert_string_equal(r->matches[0].why[0], "tool_calling native");
    assert_non_null(strstr(r->matches[0].why[1], ", at least 9000"));
    const cando_models_answer *m = cando_ask_models(c, q, room, &err);
    assert_true(m && m->matched >= r->matched);
    cando_free(c);
}

/* What decides may be behind all that is kept of a report: then no code tells why. */
static void test_refused_unseen(void **state)
{
    (void)state;
    static const char requests[] =
        "schema = \"cando/requests@1\"\ndialect = \"openai-chat\"\n"
        "[[rules]]\nname = \"n\"\nkind = \"note\"\nmessage = \"m\"\nsource = \"s\"\n"
        "at = \"messages[]\"\nwhen = \"content\"\n"
        "[[rules]]\nname = \"e\"\nkind = \"range\"\nmessage = \"m\"\nsource = \"s\"\nwhen = "
        "\"z\"\n";
    cando_sources *s = case_sources(
        "schema = \"cando/rules@1\"\n[[providers]]\nid = \"p\"\n"
        "[[models]]\nprovider = \"p\"\nid = \"m\"\nset = { context_window = 100000 }\n",
        CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    assert_int_equal(cando_sources_add(s, "r.toml", requests, sizeof requests - 1,
                                       CANDO_SYNTAX_AUTO, CANDO_LAYER_FAMILY, NULL),
                     CANDO_OK);
    const cando_catalog *cat = case_open(s);
    cando *c = cando_new(cat, NULL, NULL);
    for (unsigned n = 1; n <= 100; n += 99) {
        char body[8192] = "{\"messages\":[";
        for (unsigned i = 0; i < n; i++)
            snprintf(body + strlen(body), sizeof body - strlen(body),
                     "%s{\"role\":\"user\",\"content\":\"hi\"}", i ? "," : "");
        strcat(body, "],\"z\":1}");
        const cando_select_answer *r = cando_ask_select(
            c, Q(.request = {body, strlen(body)}, .api = "openai-chat"), room, &err);
        if (!r)
            fail_msg("%s at %s", err.message, err.at);
        assert_int_equal(r->n_excluded, 1);
        assert_string_equal(r->excluded[0].reason,
                            n == 1 ? "request value-out-of-range" : "request");
    }
    cando_free(c);
    cando_catalog_release(cat);
}

static void test_unknown(void **state)
{
    (void)state;
    both(Q(.unknown = CANDO_INCLUDE_UNKNOWN, BOUNDS(minimum, {"context_window", "400000"}),
           TEXTS_OF(status, "active", "deprecated")),
         "acme/Big-1 host/acme/big-1");
    both(Q(.unknown = CANDO_INCLUDE_UNKNOWN, BOUNDS(minimum, {"max_tools", "65"}), TEXTS_OF(status, "active", "deprecated")),
         "acme/small-1 host/acme/big-1");
    both(Q(.unknown = CANDO_INCLUDE_UNKNOWN, WANTED(cannot, CAP("reasoning")), TEXTS_OF(status, "active", "deprecated")),
         "acme/small-1 host/acme/big-1");
    both(Q(.unknown = CANDO_INCLUDE_UNKNOWN, BOUNDS(maximum, {"input_price", "0.05"}), TEXTS_OF(status, "deprecated")), "host/acme/big-1");
    both(Q(.unknown = CANDO_INCLUDE_UNKNOWN, .released_after = "2027", TEXTS_OF(status, "deprecated")), "host/acme/big-1");
    both(Q(.unknown = CANDO_INCLUDE_UNKNOWN, WANTED(require, CAP("reasoning_efforts")), TEXTS_OF(status, "active")), "acme/Big-1 acme/small-1");
}

static void test_order(void **state)
{
    (void)state;
    both(Q(.sort = CANDO_SORT_PRICE, TEXTS_OF(status, "active", "deprecated")), "acme/small-1 acme/Big-1 host/acme/big-1");
    both(Q(.sort = CANDO_SORT_OUTPUT_PRICE, .reverse = true, TEXTS_OF(status, "active", "deprecated")),
         "acme/Big-1 acme/small-1 host/acme/big-1");
    both(Q(.sort = CANDO_SORT_RELEASE, .limit = {1, true}), "acme/Big-1");
    both(Q(.reverse = true, TEXTS_OF(status, "active")), "acme/small-1 acme/Big-1");
    both(Q(WANTED(prefer, CAP("host"), CAP("input_image")), TEXTS_OF(status, "active", "deprecated")),
         "host/acme/big-1 acme/Big-1 acme/small-1");
    both(Q(WANTED(prefer, {"reasoning_efforts", 0, (const char *const[]){"high"}, 1}), .sort = CANDO_SORT_PRICE, TEXTS_OF(status, "active")),
         "acme/Big-1 acme/small-1");
}

static void test_listing(void **state)
{
    (void)state;
    const cando_models_answer *r =
        cando_ask_models(engine, Q(TEXTS_OF(providers, "acme"), TEXTS_OF(fields, "tools", "price", "max_output")), room, &err);
    assert_non_null(r);
    assert_int_equal(r->matched, 2);
    assert_int_equal(r->considered, 6);
    assert_int_equal(r->denied, 0);
    const cando_offering *m = &r->models[0];
    assert_true(m->context_window.known && m->context_window.value == 400000);
    assert_false(m->max_output.known);
    assert_string_equal(m->input_price, "3");
    assert_string_equal(m->output_price, "15");
    assert_string_equal(m->release_date, "2026-05-20");
    assert_null(m->name);
    assert_null(m->status);
    assert_null(m->alias_of);
    assert_int_equal(m->n_fields, 3);
    assert_string_equal(m->fields[0].name, "tool_calling");
    assert_int_equal(m->fields[0].value.support, CANDO_NATIVE);
    assert_int_equal(m->fields[1].value.count, 2);
    assert_false(m->fields[2].value.known);
    r = cando_ask_models(engine, Q(TEXTS_OF(fields, "all"), .limit = {1, true}), room, &err);
    assert_true(r && r->n_models == 1 && r->models[0].n_fields > 20);
}

static void test_choice(void **state)
{
    (void)state;
    const cando_select_answer *r = cando_ask_select(
        engine, Q(WANTED(require, CAP("tools"), {"tools", CANDO_MIN_NATIVE, NULL, 0}), WANTED(forbid, CAP("embeddings")), .sort = CANDO_SORT_OUTPUT), room, &err);
    assert_non_null(r);
    assert_int_equal(r->n_matches, 1);
    assert_string_equal(r->matches[0].why[0], "tool_calling native");
    assert_string_equal(r->matches[0].why[2], "its output limit is unknown");
    assert_int_equal(r->n_excluded, 3); /* the same criterion twice is one reason */
    assert_string_equal(r->excluded[0].reason, "retired");
    assert_string_equal(r->excluded[1].reason, "deprecated");
    assert_string_equal(r->excluded[2].reason, "require tools");
    assert_int_equal(r->excluded[2].count, 1);
    assert_null(r->runner_up);
    r = cando_ask_select(engine, Q(WANTED(require, CAP("tools")), WITH_OLD, .sort = CANDO_SORT_CONTEXT), room, &err);
    assert_string_equal(r->matches[2].why[0], "tool_calling restricted");
    assert_string_equal(r->runner_up->decided_by, "context");
    assert_string_equal(r->runner_up->lacks[0], "context_window 128000 against context_window 400000");
    r = cando_ask_select(engine, Q(.sort = CANDO_SORT_INPUT_PRICE, WANTED(prefer, CAP("reasoning"))), room, &err);
    assert_string_equal(r->matches[0].why[1], "price 3 in (USD per million tokens)");
    assert_string_equal(r->runner_up->decided_by, "preferred capabilities");
    assert_string_equal(r->runner_up->lacks[0], "reasoning is unsupported");
    r = cando_ask_select(engine, Q(.like = "smal-1", BOUNDS(minimum, {"max_tools", "1"})), room, &err);
    assert_true(r && r->n_matches == 0 && r->matched == 0 && r->considered == 4);
}

/* -- match and diff ------------------------------------------------------------------------------- */

static const cando_order_need order[] = {{"streaming", CANDO_MIN_NATIVE}, {"tool_read", CANDO_MIN_EMULATED}, {"mcp_server", CANDO_MIN_ANY}};

static void test_match(void **state)
{
    (void)state;
    const cando_match_answer *r =
        cando_ask_match(engine, &(cando_match_question){.required = order, .n_required = 3, .backend = "claude"}, room, &err);
    assert_non_null(r);
    assert_true(r->match && r->match->satisfied && !r->ranking);
    assert_string_equal(r->match->native[0], "streaming");
    assert_string_equal(r->match->emulated[0].strategy, "client_side");
    assert_string_equal(r->match->emulated[0].reason, "sandbox");
    assert_string_equal(r->match->unsupported[0].reason, "declared unsupported");
    r = cando_ask_match(engine, &(cando_match_question){.required = order, .n_required = 3, .rank = true}, room, &err);
    assert_int_equal(r->n_ranking, 2);
    assert_string_equal(r->ranking[0].target, "agents/claude");
    assert_string_equal(r->ranking[1].backend, "codex");
    assert_false(r->ranking[1].satisfied);
    assert_string_equal(r->ranking[1].unsupported[0].reason, "emulated is below native");
    const cando_name target = {"acme/Big-1", NULL};
    r = cando_ask_match(engine, &(cando_match_question){.required = order, .n_required = 1, .target = &target}, room, &err);
    assert_string_equal(r->match->unsupported[0].reason, "not declared");
    r = cando_ask_match(engine, &(cando_match_question){.required = order, .n_required = 2, .manifest = {"{\"tool_read\":\"native\"}", 22}}, room, &err);
    assert_int_equal(r->match->n_native, 1);
}

static void test_diff(void **state)
{
    (void)state;
    cando_side a = {.model = "acme/Big-1"}, b = {.model = "small-1", .provider = "acme"};
    const cando_diff_answer *r = cando_ask_diff(engine, &(cando_diff_question){&a, &b}, room, &err);
    assert_non_null(r);
    assert_string_equal(r->b, "acme/small-1");
    assert_int_equal(r->n_gains, 0);
    assert_string_equal(r->losses[0], "tool_calling");
    assert_int_equal(r->changes[0].change, CANDO_STEP_LOSS);
    assert_int_equal(r->changes[0].b.support, CANDO_EMULATED);
    cando_side list = {.profile = {"{\"reasoning_efforts\":[\"high\",\"low\"]}", 36}, .profile_form = CANDO_FORM_CANDO};
    r = cando_ask_diff(engine, &(cando_diff_question){&a, &list}, room, &err);
    assert_non_null(r);
    assert_string_equal(r->b, "profile");
    for (size_t i = 0; i < r->n_changes; i++) /* a set has no order */
        assert_string_not_equal(r->changes[i].field, "reasoning_efforts");
    cando_side backend = {.backend = "claude"};
    r = cando_ask_diff(engine, &(cando_diff_question){&list, &backend}, room, &err);
    assert_string_equal(r->b, "claude");
    for (size_t i = 0; i < r->n_changes; i++)
        if (strcmp(r->changes[i].field, "reasoning_efforts") == 0) {
            assert_int_equal(r->changes[i].a.count, 2);
            assert_string_equal(cando_value_item(&r->changes[i].a, 1), "high");
        }
    r = cando_ask_diff(engine, &(cando_diff_question){&a, &a}, room, &err);
    assert_int_equal(r->n_changes, 0);
}

/* -- refusals ----------------------------------------------------------------------------------------- */

static void refused(const void *answer, const char *code, const char *at)
{
    assert_null(answer);
    assert_string_equal(err.code, code);
    assert_string_equal(err.at, at);
}

static void test_refused(void **state)
{
    (void)state;
    char longest[LIMIT_NAME_BYTES + 2];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    const struct {
        const cando_query *q;
        const char *code, *at;
    } rows[] = {
        {Q(WANTED(require, CAP("tools"), CAP("tolls"))), "unknown-field", "/require/1"},
        {Q(WANTED(can, CAP("context_window"))), "bad-argument", "/can/0"},
        {Q(WANTED(can, CAP(NULL))), "bad-argument", "/can/0"},
        {Q(WANTED(can, CAP("price"))), "bad-argument", "/can/0"},
        {Q(WANTED(forbid, CAP("reasoning_efforts"))), "bad-argument", "/forbid/0"},
        {Q(WANTED(require, {"tools", 0, (const char *const[]){"x"}, 1})), "unknown-word", "/require/0/includes/0"},
        {Q(WANTED(prefer, CAP("resoning"))), "unknown-field", "/prefer/0"},
        {Q(TEXTS_OF(input, "image", "smell")), "bad-argument", "/input/1"},
        {Q(TEXTS_OF(output, "")), "bad-argument", "/output/0"},
        {Q(TEXTS_OF(match, NULL)), "bad-argument", "/match/0"},
        {Q(TEXTS_OF(allow, "{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}{a,b}*")), "bad-argument", "/allow/0"},
        {Q(.model = longest), "too-long", "/model"},
        {Q(.like = longest), "too-long", "/like"},
        {Q(TEXTS_OF(status, "old")), "bad-argument", "/status/0"},
        {Q(BOUNDS(minimum, {"context_window", "-1"})), "bad-argument", "/minimum/context_window"},
        {Q(BOUNDS(maximum, {"input_price", "cheap"})), "bad-argument", "/maximum/input_price"},
        {Q(.released_before = "soon"), "bad-argument", "/released_before"},
        {Q(.api = "openai-chat"), "bad-argument", "/dialect"},
        {Q(.request = {"[1]", 3}), "bad-argument", "/request"},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        refused(cando_ask_models(engine, rows[i].q, room, &err), rows[i].code, rows[i].at);
        refused(cando_ask_select(engine, rows[i].q, room, &err), rows[i].code, rows[i].at);
    }
    refused(cando_ask_models(engine, Q(TEXTS_OF(providers, "acmee")), room, &err), "unknown-provider", "/providers/0");
    assert_string_equal(err.hint, "did you mean 'acme'?");
    selected(Q(TEXTS_OF(providers, "acmee")), "");
    refused(cando_ask_models(engine, Q(TEXTS_OF(fields, "tools", "colour")), room, &err), "unknown-field", "/fields/1");
    refused(cando_ask_models(engine, Q(.models = {"[]", 2}), room, &err), "bad-argument", "/models");
    refused(cando_ask_select(engine, Q(.models = {"{}", 2}), room, &err), "bad-argument", "/models");
}

static void test_match_refused(void **state)
{
    (void)state;
    const cando_name bare = {"big-1", NULL};
    cando_match_question q = {0};
    refused(cando_ask_match(engine, &q, room, &err), "missing-argument", "");
    q = (cando_match_question){.required = order, .n_required = 1};
    refused(cando_ask_match(engine, &q, room, &err), "missing-argument", "");
    q.rank = true;
    q.backend = "claude";
    refused(cando_ask_match(engine, &q, room, &err), "bad-argument", "");
    q.rank = false;
    q.backend = "cluade";
    refused(cando_ask_match(engine, &q, room, &err), "unknown-backend", "/backend");
    assert_string_equal(err.hint, "did you mean 'claude'?");
    q = (cando_match_question){.required = order, .n_required = 1, .target = &bare};
    refused(cando_ask_match(engine, &q, room, &err), "unknown-target", "/target");
    assert_string_equal(err.hint, "it is offered as acme/Big-1, host/acme/big-1");
    q = (cando_match_question){.required = order, .n_required = 1, .manifest = {"{\"x\":1}", 7}};
    refused(cando_ask_match(engine, &q, room, &err), "unknown-field", "/manifest/x");
}

/* A word that does not exist is refused wherever a question of C may have one. */
static void test_no_such_word(void **state)
{
    (void)state;
    enum { NO_WORD = 99 };
    const cando_name target = {"acme/Big-1", NULL};
    const char *const path[] = {"temperature"};
    const cando_order_need ordered = {"streaming", (cando_min_support)NO_WORD};
    const cando_requirement level = {.name = "tools", .level = (cando_level)NO_WORD};
    const cando_requirement support = {.name = "tools", .min_support = (cando_min_support)NO_WORD};
    const cando_context_provider from = {.id = "a", .level = (cando_level)NO_WORD};
    const cando_hook kind = {.id = "a", .on = "token", .kind = (cando_hook_kind)NO_WORD};
    const cando_hook hard = {.id = "a", .on = "token", .level = (cando_level)NO_WORD};
    const cando_security_mode mode = {.kind = "allowlist", .level = (cando_level)NO_WORD};
    const cando_param param = {path, 1, {"1", 1}, (cando_param_layer)NO_WORD};
    const cando_session_parts parts[] = {
        {.context_providers = &from, .n_context_providers = 1}, {.hooks = &kind, .n_hooks = 1},
        {.hooks = &hard, .n_hooks = 1}, {.security_mode = &mode},
        {.inherited = &level, .n_inherited = 1}};
    static const char *const places[] = {
        "/session/context_providers/0/level", "/session/hooks/0/kind", "/session/hooks/0/level",
        "/session/security_mode/level", "/session/inherited/0/level"};
    cando_match_question m = {.required = &ordered, .n_required = 1, .backend = "claude"};
    cando_needs_question q = {.required = &ordered, .n_required = 1};
    refused(cando_ask_match(engine, &m, room, &err), "bad-argument", "/required/0/min_support");
    refused(cando_ask_needs(engine, &q, room, &err), "bad-argument", "/required/0/min_support");
    q = (cando_needs_question){.requirements = &level, .n_requirements = 1};
    refused(cando_ask_needs(engine, &q, room, &err), "bad-argument", "/requirements/0/level");
    q.requirements = &support;
    refused(cando_ask_needs(engine, &q, room, &err), "bad-argument", "/requirements/0/min_support");
    for (size_t i = 0; i < LENGTH(parts); i++) {
        q = (cando_needs_question){.session = &parts[i]};
        refused(cando_ask_needs(engine, &q, room, &err), "bad-argument", places[i]);
    }
    cando_negotiate_question n = {.target = &target, .unknown = (cando_unknown)NO_WORD};
    refused(cando_ask_negotiate(engine, &n, room, &err), "bad-argument", "/unknown");
    n = (cando_negotiate_question){.target = &target, .params = &param, .n_params = 1};
    refused(cando_ask_negotiate(engine, &n, room, &err), "bad-argument", "/params/0/layer");
}

static void test_diff_refused(void **state)
{
    (void)state;
    cando_side good = {.model = "a/b"}, none = {0}, two = {.model = "a/b", .backend = "c"};
    cando_side bare = {.model = "big-1"}, form = {.profile_form = CANDO_FORM_CLAIMS}, backend = {.backend = "nobody"};
    refused(cando_ask_diff(engine, &(cando_diff_question){&good, &none}, room, &err), "missing-argument", "/b/model");
    refused(cando_ask_diff(engine, &(cando_diff_question){NULL, &good}, room, &err), "missing-argument", "/a/model");
    refused(cando_ask_diff(engine, &(cando_diff_question){&good, &two}, room, &err), "bad-argument", "/b");
    refused(cando_ask_diff(engine, &(cando_diff_question){&bare, &good}, room, &err), "unknown-target", "/a");
    assert_string_equal(err.hint, "it is offered as acme/Big-1, host/acme/big-1");
    refused(cando_ask_diff(engine, &(cando_diff_question){&good, &form}, room, &err), "missing-argument", "/b/profile");
    refused(cando_ask_diff(engine, &(cando_diff_question){&backend, &good}, room, &err), "unknown-backend", "/a/backend");
}

/* -- suggestions, and memory that runs out ---------------------------------------------------------------- */

static void test_suggest(void **state)
{
    (void)state;
    const cando_catalog *cat = cando_get_catalog(engine);
    struct arena ar;
    arena_init(&ar, NULL);
    struct reading r = {.ar = &ar};
    struct need_list needs;
    struct str name;
    const struct suggestion near = {.near = {STR(""), STR("acme")}};
    need_list_init(&needs);
    struct need n = {.kind = NEED_SLOT, .slot = F_tool_calling, .level = CANDO_HARD, .min_support = CANDO_MIN_EMULATED,
                     .name = STR("x"), .required_by = STR(""), .path = STR("")};
    assert_true(need_add(&r, &needs, n));
    assert_true(query_suggest(&r, cat, &needs, &near, &name));
    assert_str(name, "acme/small-1"); /* the cheaper one; what is deprecated is not suggested */
    n.slot = F_reasoning;
    n.level = CANDO_PREFERRED;
    assert_true(need_add(&r, &needs, n));
    assert_true(query_suggest(&r, cat, &needs, &near, &name));
    assert_str(name, "acme/Big-1");
    n = (struct need){.kind = NEED_NUMBER, .slot = NUM_context_window, .level = CANDO_HARD, .minimum = 500000,
                      .name = STR("x"), .required_by = STR(""), .path = STR("")};
    assert_true(need_add(&r, &needs, n));
    assert_false(query_suggest(&r, cat, &needs, &near, &name));
    assert_false(reading_no_memory(&r));
    arena_free(&ar);
    cando_catalog_release(cat);
}

static const void *ask_any(unsigned which, const cando *c, cando_room *into)
{
    static const char inline_models[] = "[{\"provider\":\"p\",\"id\":\"a\",\"capabilities\":{\"tools\":true}}]";
    const cando_query *q = Q(TEXTS_OF(providers, "acme", "host"), TEXTS_OF(allow, "a*", "host/*"), TEXTS_OF(match, "*"), .model = "big-1",
                             WANTED(require, CAP("tools")), WANTED(prefer, CAP("host"), CAP("reasoning")), TEXTS_OF(input, "image"),
                             BOUNDS(minimum, {"max_tools", "1"}), .unknown = CANDO_INCLUDE_UNKNOWN, .sort = CANDO_SORT_RELEASE,
                             TEXTS_OF(fields, "all"));
    cando_query own = *q;
    cando_side a = {.model = "acme/Big-1"}, b = {.profile = {"{\"reasoning_efforts\":[\"low\"]}", 29}, .profile_form = CANDO_FORM_CANDO};
    static const char request[] =
        "{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"temperature\":9}";
    const cando_query asks = {.request = {request, sizeof request - 1},
                              .api = "openai-chat",
                              .refused = true,
                              .unknown = CANDO_INCLUDE_UNKNOWN};
    own.models = (cando_bytes){inline_models, sizeof inline_models - 1};
    own.model = NULL;
    own.allow = own.providers = NULL;
    own.n_allow = own.n_providers = 0;
    switch (which) {
    case 0:
        return cando_ask_models(c, q, into, &err);
    case 1:
        return cando_ask_select(c, q, into, &err);
    case 2:
        return cando_ask_select(c, &own, into, &err);
    case 3:
        return cando_ask_match(c, &(cando_match_question){.required = order, .n_required = 3, .rank = true}, into, &err);
    case 4:
        return cando_ask_match(c, &(cando_match_question){.required = order, .n_required = 3, .backend = "claude"}, into, &err);
    case 5:
        return cando_ask_select(c, &asks, into, &err);
    default:
        return cando_ask_diff(c, &(cando_diff_question){&a, &b}, into, &err);
    }
}

static void test_no_memory(void **state)
{
    (void)state;
    char text[4096];
    snprintf(text, sizeof text, "schema = \"cando/rules@1\"\n%s", rules);
    cando_sources *both = case_sources(text, CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY);
    assert_int_equal(cando_sources_add(both, "requests.toml", request_rules, strlen(request_rules),
                                       CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY, &err),
                     CANDO_OK);
    const cando_catalog *cat = case_open(both);
    for (unsigned which = 0; which < 7; which++) {
        bool done = false;
        for (size_t n = 1; !done && n < 1000; n++) {
            struct failing f = {.fail_at = n};
            cando_allocator a = {failing_resize, &f};
            cando *c = cando_new(cat, &a, &err);
            cando_room *into = cando_room_new(&a, &err);
            if (c && into && !ask_any(which, c, into))
                assert_string_equal(err.code, "memory");
            cando_room_free(into);
            cando_free(c);
            assert_int_equal(f.live, 0);
            done = !f.failed;
        }
        assert_true(done);
    }
    cando_catalog_release(cat);
}

/* Lists of many sizes, so that memory ends before each of a model's parts. Where each part is an
 * allocation of its own it does so anyhow: there only the last list is long. */
static void test_no_memory_for_many(void **state)
{
    (void)state;
#ifdef CANDO_DEBUG_ARENA
    const uint32_t few = 20;
#else
    const uint32_t few = 200;
#endif
    static const char *const names[] = {
        "tools",          "price",     "max_output",  "context_window",
        "display_name",   "streaming", "input_image", "input_audio",
        "release_date",   "reasoning", "json_mode",   "web_search",
        "prompt_caching", "status",    "logprobs",    "seed"};
    for (size_t fields = 1; fields <= LENGTH(names); fields++) {
        const uint32_t limit = fields < LENGTH(names) ? few : 200;
        bool done = false;
        for (size_t n = 1; !done && n < 5000; n++) {
            struct failing f = {.fail_at = n};
            cando_allocator a = {failing_resize, &f};
            cando *c = cando_new(NULL, &a, &err);
            cando_room *into = cando_room_new(&a, &err);
            const cando_models_answer *m =
                c && into ? cando_ask_models(c,
                                             Q(.fields = names, .n_fields = fields,
                                               .limit = {limit, true}, .marks = true),
                                             into, &err)
                          : NULL;
            if (!m)
                assert_string_equal(err.code, "memory");
            for (size_t i = 0; m && i < m->n_models; i++)
                assert_true(m->models[i].inferred && m->models[i].contested);
            cando_room_free(into);
            cando_free(c);
            assert_int_equal(f.live, 0);
            done = !f.failed;
        }
        assert_true(done);
    }
}

/* Whoever fits takes the request, by the word of preflight itself; whoever is refused does not, for
 * the reason that is given. */
static void test_request_agrees(void **state)
{
    static const char *const requests[] = {
        "{\"model\":\"x\",\"max_tokens\":100,\"temperature\":0.5,\"messages\":[{\"role\":\"user\","
        "\"content\":\"hi\"}]}",
        "{\"model\":\"x\",\"max_tokens\":2000,\"thinking\":{\"type\":\"enabled\",\"budget_tokens\":"
        "1024},"
        "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"},{\"role\":\"assistant\",\"content\":"
        "\"{\"}]}",
        "{\"contents\":[{\"role\":\"user\",\"parts\":[{\"text\":\"hi\"}]}],\"generationConfig\":{"
        "\"topK\":3}}",
    };
    (void)state;
    cando *c = cando_new(NULL, NULL, &err);
    cando_room *own = cando_room_new(NULL, &err);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++) {
        cando_bytes body = {requests[i], strlen(requests[i])};
        const cando_query q = {
            .request = body, .refused = true, .at = "2026-11-16", .unknown = CANDO_INCLUDE_UNKNOWN};
        const cando_select_answer *a = cando_ask_select(c, &q, own, &err);
        assert_non_null(a);
        assert_true(a->n_matches && a->n_refused);
        for (size_t k = 0; k < a->n_matches + a->n_refused; k += 7) {
            bool fits = k < a->n_matches;
            cando_name name = {.model = fits ? a->matches[k].target
                                             : a->refused[k - a->n_matches].target};
            const cando_preflight_question p = {
                .request = body, .target = &name, .at = "2026-11-16"};
            /* what preflight lets pass, since nobody says what the provider speaks, nobody picks */
            if (!fits && strstr(a->refused[k - a->n_matches].message, "nobody says"))
                continue;
            const cando_preflight_answer *r = cando_ask_preflight(c, &p, room, &err);
            assert_non_null(r);
            if (fits != (r->verdict != CANDO_REJECTED))
                fail_msg("%s of request %zu", name.model, i);
            if (!fits && r->decided < r->n_findings)
                assert_string_equal(a->refused[k - a->n_matches].message,
                                    r->findings[r->decided].message);
            cando_room_clear(room);
        }
        cando_room_clear(own);
    }
    cando_room_free(own);
    cando_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nothing_asked),  cmocka_unit_test(test_filters),
        cmocka_unit_test(test_unknown),        cmocka_unit_test(test_request),
        cmocka_unit_test(test_refused_unseen), cmocka_unit_test(test_request_agrees),
        cmocka_unit_test(test_order),          cmocka_unit_test(test_listing),
        cmocka_unit_test(test_choice),         cmocka_unit_test(test_match),
        cmocka_unit_test(test_diff),           cmocka_unit_test(test_refused),
        cmocka_unit_test(test_match_refused),  cmocka_unit_test(test_no_such_word),
        cmocka_unit_test(test_diff_refused),   cmocka_unit_test(test_suggest),
        cmocka_unit_test(test_no_memory),      cmocka_unit_test(test_no_memory_for_many),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
