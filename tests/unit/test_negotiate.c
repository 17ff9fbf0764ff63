/*
 * test_negotiate.c - the matrix of levels and capabilities, the sources of a session,
 * parameters, claims against the catalog, and suggestions that hold what they promise.
 */
#include "ask.h"

static const char *const names[] = {"streaming",  "toolCalling", "structuredOutput",
                                    "multimodal", "reasoning",   "promptCaching"};
static const char *const ours[] = {"streaming",  "tool_calling", "structured_output",
                                   "multimodal", "reasoning",    "prompt_caching"};

/* Six capabilities by three levels by four claims and silence. */
static void test_matrix(void **state)
{
    struct asker *a = *state;
    static const char *const levels[] = {"hard", "preferred", "probed"};
    static const char *const claims[] = {"\"hard\"", "\"preferred\"", "\"probed\"", "\"absent\"",
                                         NULL};
    for (unsigned c = 0; c < 6; c++)
        for (unsigned l = 0; l < 3; l++)
            for (unsigned k = 0; k < 5; k++) {
                char profile[100] = "{}";
                if (claims[k])
                    snprintf(profile, sizeof profile, "{\"%s\":%s}", names[c], claims[k]);
                const struct json *r =
                    ask(a,
                        "{\"op\":\"negotiate\",\"requirements\":[{\"name\":\"%s\",\"level\":\"%s\"}"
                        "],\"profile\":%s,\"profile_form\":\"claims\"}",
                        names[c], levels[l], profile);
                bool unknown = k == 2 || k == 4, no = k == 3;
                if (l == 2 || unknown) {
                    is_text(r, "/verdict", "degraded");
                    is_text(r, "/warnings/0/reason", "probe-pending");
                    is_text(r, "/warnings/0/capability", ours[c]);
                } else if (!no) {
                    is_text(r, "/verdict", "accepted");
                    is_count(r, "/warnings", 0);
                } else if (l == 0) {
                    is_text(r, "/verdict", "rejected");
                    is_text(r, "/error", "ProviderCapability/MissingCapability");
                    is_text(r, "/missing/0/capability", ours[c]);
                    is_text(r, "/missing/0/have", "unsupported");
                } else {
                    is_text(r, "/verdict", "degraded");
                    is_text(r, "/warnings/0/reason", "preferred-unmet");
                }
            }
}

static void test_context_window(void **state)
{
    struct asker *a = *state;
    static const struct {
        const char *claim, *level;
        unsigned minimum;
        const char *verdict;
    } rows[] = {
        {"128000", "hard", 128000, "accepted"},      {"128000", "hard", 128001, "rejected"},
        {"128000", "hard", 0, "accepted"},           {"128000", "preferred", 128000, "accepted"},
        {"128000", "preferred", 128001, "degraded"}, {"128000", "probed", 1, "degraded"},
        {"\"probed\"", "hard", 1, "degraded"},       {"\"probed\"", "preferred", 1, "degraded"},
        {"\"probed\"", "hard", 0, "degraded"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char minimum[40] = "";
        if (rows[i].minimum)
            snprintf(minimum, sizeof minimum, ",\"minimum\":%u", rows[i].minimum);
        const struct json *r =
            ask(a,
                "{\"op\":\"negotiate\",\"requirements\":[{\"name\":\"contextWindow\",\"level\":\"%"
                "s\"%s}],\"profile\":{\"contextWindow\":%s},\"profile_form\":\"claims\"}",
                rows[i].level, minimum, rows[i].claim);
        is_text(r, "/verdict", rows[i].verdict);
    }
}

static void test_policies(void **state)
{
    struct asker *a = *state;
    static const struct {
        const char *policy, *level, *verdict;
    } rows[] = {{"warn", "hard", "degraded"},   {"allow", "hard", "accepted"},
                {"deny", "hard", "rejected"},   {"deny", "preferred", "degraded"},
                {"deny", "probed", "degraded"}, {"allow", "preferred", "degraded"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct json *r =
            ask(a,
                "{\"op\":\"negotiate\",\"requirements\":[{\"name\":\"reasoning\",\"level\":\"%s\"}]"
                ",\"profile\":{},\"profile_form\":\"claims\",\"unknown\":\"%s\"}",
                rows[i].level, rows[i].policy);
        is_text(r, "/verdict", rows[i].verdict);
    }
}

static void test_sources(void **state)
{
    struct asker *a = *state;
    const struct json *r = ask(
        a,
        "{\"op\":\"needs\",\"session\":{\"inherited\":[{\"name\":\"reasoning\",\"level\":"
        "\"probed\"},\"streaming\"],"
        "\"security_mode\":{\"kind\":\"allowlist\",\"tool_oriented\":true},"
        "\"hooks\":[{\"id\":\"h\",\"kind\":\"guard\",\"on\":\"token\"},{\"id\":\"o\",\"kind\":"
        "\"observer\",\"on\":\"token\"}],"
        "\"context_providers\":[{\"id\":\"docs\",\"produces\":[\"tool-hint\",\"resource-binding\"],"
        "\"min_context\":9,\"needs\":[{\"name\":\"promptCaching\",\"level\":\"preferred\"}]}],"
        "\"state_machine\":{\"attached\":true,\"needs\":[\"json_mode\"]}}}");
    static const struct {
        const char *capability, *level, *by;
    } want[] = {
        {"tool_calling", "hard", "state_machine"},
        {"json_mode", "hard", "state_machine"},
        {"tool_calling", "hard", "context_provider:docs"},
        {"context_window", "hard", "context_provider:docs"},
        {"prompt_caching", "preferred", "context_provider:docs"},
        {"streaming", "hard", "hook:h"},
        {"tool_calling", "hard", "security_mode"},
        {"reasoning", "probed", "inherited"},
        {"streaming", "hard", "inherited"},
    };
    is_count(r, "/needs", sizeof want / sizeof want[0]);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        char p[40];
        snprintf(p, sizeof p, "/needs/%zu/capability", i);
        is_text(r, p, want[i].capability);
        snprintf(p, sizeof p, "/needs/%zu/level", i);
        is_text(r, p, want[i].level);
        snprintf(p, sizeof p, "/needs/%zu/required_by", i);
        is_text(r, p, want[i].by);
    }
    is_text(r, "/needs/3/path", "/session/context_providers/0");
    is_text(r, "/needs/4/path", "/session/context_providers/0/needs/0");
}

static void test_refusals(void **state)
{
    struct asker *a = *state;
    static const struct {
        const char *needs, *code;
    } rows[] = {
        {"\"requirements\":[{\"name\":\"streming\",\"level\":\"hard\"}]", "unknown-field"},
        {"\"requirements\":[{\"name\":\"streaming\",\"level\":\"must\"}]", "bad-argument"},
        {"\"requirements\":[{\"name\":\"streaming\"}]", "missing-argument"},
        {"\"requirements\":[{\"level\":\"hard\"}]", "missing-argument"},
        {"\"requirements\":[{\"name\":\"streaming\",\"level\":\"hard\",\"why\":1}]",
         "unknown-argument"},
        {"\"requirements\":[{\"name\":\"contextWindow\",\"level\":\"hard\",\"minimum\":0}]",
         "bad-argument"},
        {"\"requirements\":[{\"name\":\"contextWindow\",\"level\":\"hard\",\"minimum\":1.5}]",
         "bad-argument"},
        {"\"requirements\":[{\"name\":\"contextWindow\",\"level\":\"hard\",\"minimum\":\"9\"}]",
         "bad-argument"},
        {"\"requirements\":{}", "bad-argument"},
        {"\"requirements\":[7]", "bad-argument"},
        {"\"request\":{},\"session\":{}", "bad-argument"},
        {"\"session\":{\"hook\":[]}", "unknown-argument"},
        {"\"session\":{\"hooks\":[{\"id\":\"h\",\"kind\":\"gaurd\",\"on\":\"token\"}]}",
         "bad-argument"},
        {"\"session\":{\"hooks\":[{\"kind\":\"guard\",\"on\":\"token\"}]}", "missing-argument"},
        {"\"session\":{\"context_providers\":[{\"id\":\"d\",\"min_context\":-1}]}", "bad-argument"},
        {"\"session\":{\"state_machine\":{\"attached\":1}}", "bad-argument"},
        {"\"requirements\":[],\"unknown\":\"perhaps\"", "bad-argument"},
        {"\"requirements\":[],\"params\":[{\"path\":[\"a\"],\"value\":1,\"layer\":\"env\"}]",
         "bad-argument"},
        {"\"requirements\":[],\"params\":[{\"path\":\"a\",\"value\":1,\"layer\":\"launch\"}]",
         "bad-argument"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_null(ask(a, "{\"op\":\"negotiate\",\"profile\":{},\"profile_form\":\"claims\",%s}",
                        rows[i].needs));
        refused(a, rows[i].code);
    }
    assert_null(ask(a, "{\"op\":\"negotiate\"}"));
    refused(a, "missing-argument");
    assert_null(ask(a, "{\"op\":\"negotiate\",\"profile\":{\"streaming\":\"native\"},\"profile_"
                       "form\":\"claims\"}"));
    refused(a, "bad-claim");
    assert_null(ask(a, "{\"op\":\"negotiate\",\"profile\":{},\"profile_form\":\"yaml\"}"));
    refused(a, "bad-argument");
}

/* The four forms say the same thing. */
static void test_forms(void **state)
{
    struct asker *a = *state;
    static const char *const forms[][2] = {
        {"claims", "{\"toolCalling\":\"absent\",\"streaming\":\"hard\"}"},
        {"manifest", "{\"tool_use\":\"unsupported\",\"streaming\":\"native\"}"},
        {"model_ref",
         "{\"capabilities\":{\"tools\":{\"enabled\":false},\"streaming\":{\"text\":true}}}"},
        {"cando", "{\"tool_calling\":\"unsupported\",\"streaming\":\"native\",\"reasoning\":null}"},
    };
    for (unsigned i = 0; i < 4; i++) {
        const struct json *r =
            ask(a,
                "{\"op\":\"negotiate\",\"requirements\":[{\"name\":\"streaming\",\"level\":"
                "\"hard\"},{\"name\":\"tool_calling\",\"level\":\"hard\"},{\"name\":\"reasoning\","
                "\"level\":\"hard\"}],\"profile\":%s,\"profile_form\":\"%s\"}",
                forms[i][1], forms[i][0]);
        bool manifest = strcmp(forms[i][0], "manifest") == 0; /* what it leaves out is not there */
        is_text(r, "/verdict", "rejected");
        is_count(r, "/missing", manifest ? 2 : 1);
        is_text(r, "/missing/0/capability", "tool_calling");
        is_count(r, "/warnings", manifest ? 0 : 1);
        is_text(r, manifest ? "/missing/1/capability" : "/warnings/0/capability", "reasoning");
    }
}

#define RULES                                                                                      \
    "\"rules\":{\"dialect\":\"cando\",\"text\":\"schema = \\\"cando/rules@1\\\"\\n"                \
    "[defaults]\\nstreaming = \\\"native\\\"\\nprompt_caching = \\\"native\\\"\\n"                 \
    "[[models]]\\nprovider = \\\"a\\\"\\nid = \\\"small\\\"\\nset = { tool_calling = "             \
    "\\\"unsupported\\\", context_window = 8000, temperature = \\\"unsupported\\\", max_output = " \
    "100, input_image = \\\"unsupported\\\", input_audio = \\\"unsupported\\\", input_video = "    \
    "\\\"unsupported\\\", price = { input_tokens = \\\"1\\\", output_tokens = \\\"1\\\" } }\\n"    \
    "[[models]]\\nprovider = \\\"a\\\"\\nid = \\\"dear\\\"\\nset = { tool_calling = "              \
    "\\\"native\\\", context_window = 200000, price = { input_tokens = \\\"9\\\", output_tokens "  \
    "= \\\"9\\\" } }\\n"                                                                           \
    "[[models]]\\nprovider = \\\"a\\\"\\nid = \\\"old\\\"\\nset = { tool_calling = "               \
    "\\\"native\\\", context_window = 200000, status = \\\"deprecated\\\", price = { "             \
    "input_tokens = \\\"0.1\\\", output_tokens = \\\"0.1\\\" } }\\n"                               \
    "[[models]]\\nprovider = \\\"a\\\"\\nid = \\\"unpriced\\\"\\nset = { tool_calling = "          \
    "\\\"native\\\", context_window = 200000 }\\n"                                                 \
    "[[models]]\\nprovider = \\\"a\\\"\\nid = \\\"silent\\\"\\nset = { context_window = 200000, "  \
    "price = { input_tokens = \\\"0.1\\\", output_tokens = \\\"0.1\\\" } }\\n"                     \
    "[[models]]\\nprovider = \\\"b\\\"\\nid = \\\"cheap\\\"\\nset = { tool_calling = "             \
    "\\\"native\\\", reasoning = \\\"native\\\", context_window = 200000, price = { input_tokens " \
    "= \\\"0.5\\\", output_tokens = \\\"0.5\\\" } }\\n"                                            \
    "\"}"

static void test_suggestion_order(void **state)
{
    struct asker *a = *state;
    static const struct {
        const char *target, *requirements, *previous, *want;
    } rows[] = {
        /* the same provider beats a cheaper one elsewhere; deprecated and silent ones are passed
           over */
        {"a/small", "{\"name\":\"tool_calling\",\"level\":\"hard\"}", "", "a/dear"},
        {"b/none", "{\"name\":\"contextWindow\",\"level\":\"hard\",\"minimum\":300000}", "", NULL},
        {"a/small",
         "{\"name\":\"tool_calling\",\"level\":\"hard\"},{\"name\":\"reasoning\",\"level\":"
         "\"hard\"}",
         "", "b/cheap"},
        {"x/small", "{\"name\":\"tool_calling\",\"level\":\"hard\"}", "",
         NULL}, /* unknown: nothing is rejected */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct json *r =
            ask(a, "{\"op\":\"negotiate\",\"target\":\"%s\",\"requirements\":[%s]%s," RULES "}",
                rows[i].target, rows[i].requirements, rows[i].previous);
        if (rows[i].want)
            is_text(r, "/suggestion", rows[i].want);
        else
            assert_int_equal(at(r, "/suggestion")->kind, JSON_NULL);
    }
}

/* Of a model that nobody knows the default of prompt caching is not believed, whether there is a
 * history to judge or not; of one that is known it is. */
static void test_default_vector(void **state)
{
    struct asker *a = *state;
    static const char *const with[] = {
        "", "\"history\":{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]},"};
    for (size_t i = 0; i < 2; i++) {
        const struct json *r =
            ask(a,
                "{\"op\":\"negotiate\",\"target\":\"x/"
                "new\",\"requirements\":[{\"name\":\"streaming\",\"level\":\"hard\"},{\"name\":"
                "\"promptCaching\",\"level\":\"hard\"}],%s" RULES "}",
                with[i]);
        is_text(r, "/verdict", "degraded");
        is_text(r, "/identity", "default");
        is_count(r, "/warnings", 1);
        is_text(r, "/warnings/0/capability", "prompt_caching");
        r = ask(a,
                "{\"op\":\"negotiate\",\"target\":\"a/"
                "dear\",\"requirements\":[{\"name\":\"promptCaching\",\"level\":\"hard\"}],%s" RULES
                "}",
                with[i]);
        is_text(r, "/verdict", "accepted");
    }
}

static void test_overstated(void **state)
{
    struct asker *a = *state;
    const struct json *r =
        ask(a, "{\"op\":\"negotiate\",\"target\":\"a/"
               "small\",\"profile\":{\"contextWindow\":1000000,\"multimodal\":{\"image\":true},"
               "\"toolCalling\":\"hard\"},\"profile_form\":\"claims\","
               "\"requirements\":[{\"name\":\"contextWindow\",\"level\":\"hard\",\"minimum\":64000}"
               ",{\"name\":\"multimodal\",\"level\":\"hard\"},{\"name\":\"toolCalling\",\"level\":"
               "\"hard\"}]," RULES "}");
    is_text(r, "/verdict", "rejected");
    is_count(r, "/missing", 2);
    is_text(r, "/overstated/0/capability", "context_window");
    is_text(r, "/overstated/1/capability", "input_image");
    /* a smaller claim than the catalog's is believed */
    r = ask(
        a,
        "{\"op\":\"negotiate\",\"target\":\"a/"
        "dear\",\"profile\":{\"contextWindow\":1000},\"profile_form\":\"claims\",\"requirements\":["
        "{\"name\":\"contextWindow\",\"level\":\"hard\",\"minimum\":64000}]," RULES "}");
    is_text(r, "/verdict", "rejected");
    is_count(r, "/overstated", 0);
}

static void test_params(void **state)
{
    struct asker *a = *state;
    const char *params =
        "[{\"path\":[\"temperature\"],\"value\":0.5,\"layer\":\"launch\"},{\"path\":["
        "\"providerOptions\",\"maxOutputTokens\"],\"value\":4096,\"layer\":\"defaultParams\"},"
        "{\"path\":[\"reasoning\",\"effort\"],\"value\":\"use sk-live-1234 "
        "high\",\"layer\":\"/params\"},{\"path\":[\"user\"],\"value\":\"sk-zzz\",\"layer\":\"/"
        "params\"}]";
    const struct json *r = ask(
        a,
        "{\"op\":\"negotiate\",\"target\":\"a/small\",\"previous\":\"a/dear\",\"params\":%s," RULES
        "}",
        params);
    is_count(r, "/params_affected", 3);
    is_text(r, "/params_affected/0/reason", "unsupported: temperature");
    is_text(r, "/params_affected/0/active_model_id", "small");
    is_text(r, "/params_affected/0/source_layer", "launch");
    is_text(r, "/params_affected/1/reason", "above max_output: 100");
    is_text(r, "/params_affected/1/param_path/1", "maxOutputTokens");
    is_text(r, "/params_affected/2/reason", "probe-pending: reasoning_effort");
    is_text(r, "/params_affected/2/current_value", "use [REDACTED] high");
    /* a rejection changes nothing, so nothing is affected */
    r = ask(a,
            "{\"op\":\"negotiate\",\"target\":\"a/small\",\"previous\":\"a/"
            "dear\",\"requirements\":[{\"name\":\"toolCalling\",\"level\":\"hard\"}],\"params\":%"
            "s," RULES "}",
            params);
    is_text(r, "/verdict", "rejected");
    is_text(r, "/active", "a/dear");
    is_count(r, "/params_affected", 0);
}

/* Whatever is asked for, a suggestion of the built-in catalog holds. */
static void test_suggestion_holds(void **state)
{
    struct asker *a = *state;
    static const char *const wanted[] = {"tool_calling", "streaming",         "reasoning",
                                         "input_image",  "structured_output", "prompt_caching",
                                         "input_audio",  "input_pdf",         "temperature"};
    uint64_t seed = 11;
    unsigned found = 0;
    for (unsigned round = 0; round < 60; round++) {
        char needs[1024] = "";
        size_t n = 0;
        for (unsigned i = 0; i < 9; i++)
            if (dice(&seed, 3) == 0)
                n += (size_t)snprintf(needs + n, sizeof needs - n,
                                      "{\"name\":\"%s\",\"level\":\"%s\"},", wanted[i],
                                      dice(&seed, 4) ? "hard" : "preferred");
        snprintf(needs + n, sizeof needs - n,
                 "{\"name\":\"context_window\",\"level\":\"hard\",\"minimum\":%u}",
                 1000u << dice(&seed, 11));
        const struct json *r = ask(a,
                                   "{\"op\":\"negotiate\",\"target\":\"openai/"
                                   "gpt-4\",\"unknown\":\"deny\",\"requirements\":[%s]}",
                                   needs);
        const struct json *s = at(r, "/suggestion");
        if (s->kind != JSON_STRING)
            continue;
        char target[400];
        snprintf(target, sizeof target, "%.*s", (int)s->text.n, s->text.p);
        found++;
        r = ask(
            a,
            "{\"op\":\"negotiate\",\"target\":\"%s\",\"unknown\":\"deny\",\"requirements\":[%s]}",
            target, needs);
        is_count(r, "/missing", 0);
    }
    assert_true(found > 10);
}

/* -- without JSON ---------------------------------------------------------------------- */

struct typed {
    cando *c;
    cando_room *room;
    cando_error err;
};

static const cando_negotiate_answer *negotiate(struct typed *t, cando_negotiate_question q)
{
    cando_room_clear(t->room);
    return cando_ask_negotiate(t->c, &q, t->room, &t->err);
}

static void fails(struct typed *t, cando_negotiate_question q, const char *code, const char *at)
{
    assert_null(negotiate(t, q));
    assert_string_equal(t->err.code, code);
    assert_string_equal(t->err.at, at);
}

static void begin_typed(struct typed *t)
{
    *t = (struct typed){.c = cando_new(NULL, NULL, NULL), .room = cando_room_new(NULL, NULL)};
    assert_non_null(t->c);
    assert_non_null(t->room);
}

static void end_typed(struct typed *t)
{
    cando_room_free(t->room);
    cando_free(t->c);
}

static void test_typed_unmet(void **state)
{
    (void)state;
    struct typed t;
    begin_typed(&t);
    const cando_name target = {"gpt-4o", "openai"}, whole = {"openai/gpt-4o", NULL};
    static const char *const efforts[] = {"low", "high"};
    char by[] = "somebody";
    cando_requirement needs[] = {
        {.name = "tool_calling"},
        {.name = "contextWindow", .minimum = {9000000, true}, .required_by = by},
        {.name = "reasoning_efforts",
         .level = CANDO_PREFERRED,
         .includes = efforts,
         .n_includes = 2},
        {.name = "input_audio", .min_support = CANDO_MIN_NATIVE, .level = CANDO_PROBED},
    };
    cando_negotiate_question q = {
        .target = &target, .previous = &whole, .requirements = needs, .n_requirements = 4};
    const cando_negotiate_answer *a = negotiate(&t, q);
    assert_non_null(a);
    memset(by, 'x', sizeof by - 1); /* the answer is the room's */
    assert_int_equal(a->verdict, CANDO_REJECTED);
    assert_string_equal(a->error, "ProviderCapability/MissingCapability");
    assert_string_equal(a->target, "openai/gpt-4o");
    assert_string_equal(a->active, "openai/gpt-4o");
    assert_string_equal(a->identity, "exact");
    assert_int_equal(a->n_missing, 1);
    assert_string_equal(a->missing[0].capability, "context_window");
    assert_string_equal(a->missing[0].required_by, "somebody");
    assert_string_equal(a->missing[0].path, "/requirements/1");
    assert_int_equal(a->missing[0].need.type, CANDO_NUMBER);
    assert_int_equal(a->missing[0].need.number, 9000000);
    assert_true(a->missing[0].have.known);
    assert_int_equal(a->n_warnings, 2);
    assert_string_equal(a->warnings[0].capability, "reasoning_efforts");
    assert_int_equal(a->warnings[0].need.type, CANDO_LIST);
    assert_int_equal(a->warnings[0].need.n_words, 2);
    assert_string_equal(a->warnings[0].need.words[0], "low");
    assert_string_equal(a->warnings[1].reason, "probe-pending");
    assert_string_equal(a->warnings[1].need.level, "native");
    needs[0].level = (cando_level)7;
    fails(&t, q, "bad-argument", "/requirements/0/level");
    end_typed(&t);
}

static void test_typed_parts(void **state)
{
    (void)state;
    struct typed t;
    begin_typed(&t);
    const cando_name whole = {"openai/gpt-4o", NULL};
    static const char *const path[] = {"reasoning", "effort"};
    const char *claims = "{\"contextWindow\":900000000}";
    const cando_requirement tools = {.name = "tool_calling"};
    const cando_param param = {path, 2, {"\"sk-live-12345678\"", 18}, CANDO_PARAM_SESSION};
    cando_negotiate_question q = {.target = &whole, .params = &param, .n_params = 1};
    const cando_negotiate_answer *a = negotiate(&t, q);
    assert_int_equal(a->n_params_affected, 1);
    assert_string_equal(a->params_affected[0].param_path[1], "effort");
    assert_string_equal(a->params_affected[0].source_layer, "/params");
    assert_int_equal(a->params_affected[0].current_value.n, 12); /* "[REDACTED]" */
    q = (cando_negotiate_question){.target = &whole, .profile = {claims, strlen(claims)}};
    q.profile_form = CANDO_FORM_CLAIMS;
    a = negotiate(&t, q);
    assert_int_equal(a->n_overstated, 1);
    assert_int_equal(a->overstated[0].claimed.number, 900000000);
    q = (cando_negotiate_question){
        .profile = {"null", 4}, .requirements = &tools, .n_requirements = 1};
    a = negotiate(&t, q);
    assert_int_equal(a->verdict, CANDO_DEGRADED);
    assert_null(a->target);
    assert_null(a->identity);
    end_typed(&t);
}

static void test_typed_mistakes(void **state)
{
    (void)state;
    struct typed t;
    begin_typed(&t);
    typedef cando_negotiate_question question;
    const cando_name whole = {"openai/gpt-4o", NULL}, nowhere = {"gpt-4o", NULL};
    fails(&t, (question){0}, "missing-argument", "/target");
    fails(&t, (question){.target = &nowhere}, "unknown-target", "/target");
    fails(&t, (question){.target = &whole, .previous = &nowhere}, "unknown-target", "/previous");
    fails(&t, (question){.target = &whole, .unknown = (cando_unknown)9}, "bad-argument",
          "/unknown");
    fails(&t, (question){.target = &whole, .profile_form = CANDO_FORM_CANDO}, "missing-argument",
          "/profile");
    fails(&t, (question){.profile = {"{", 1}}, "json-syntax", "/profile");
    fails(&t, (question){.profile = {"{}", 2}, .profile_form = (cando_claim_form)9}, "bad-argument",
          "/profile");
    fails(&t, (question){.target = &whole, .api = "gemini"}, "bad-argument", "/dialect");
    fails(&t, (question){.target = &whole, .history = {"[]", 2}}, "bad-argument", "/history");
    end_typed(&t);
}

/* One member of a question from JSON, and an answer as JSON again. */
static void test_decode(void **state)
{
    (void)state;
    struct typed t;
    begin_typed(&t);
    cando_needs_question q = {0};
    cando_bytes json;
    char text[] = "{\"hooks\":[{\"id\":\"h\",\"kind\":\"guard\",\"on\":\"token\"}]}";
    cando_status st = cando_decode("needs", "session", text, strlen(text), t.room, &q, &t.err);
    assert_int_equal(st, CANDO_OK);
    memset(text, ' ', sizeof text - 1);
    const cando_needs_answer *a = cando_ask_needs(t.c, &q, t.room, &t.err);
    assert_non_null(a);
    assert_int_equal(a->n_needs, 1);
    assert_string_equal(a->needs[0].capability, "streaming");
    assert_int_equal(cando_encode("needs", a, t.room, &json, &t.err), CANDO_OK);
    assert_string_equal(json.p, "{\"needs\":[{\"capability\":\"streaming\",\"level\":\"hard\","
                                "\"min_support\":\"emulated\",\"minimum\":null,"
                                "\"required_by\":\"hook:h\",\"path\":\"/session/hooks/0\"}]}");
    static const char *const bad[][4] = {
        {"needs", "session", "{\"hook\":1}", "unknown-argument"},
        {"needs", "sesion", "{}", "unknown-argument"},
        {"needs", "session", "{", "json-syntax"},
        {"needz", "session", "{}", "unknown-op"},
    };
    for (size_t i = 0; i < LENGTH(bad); i++) {
        st = cando_decode(bad[i][0], bad[i][1], bad[i][2], strlen(bad[i][2]), t.room, &q, &t.err);
        assert_int_equal(st, CANDO_BAD_QUESTION);
        assert_string_equal(t.err.code, bad[i][3]);
    }
    end_typed(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_matrix),           cmocka_unit_test(test_context_window),
        cmocka_unit_test(test_policies),         cmocka_unit_test(test_sources),
        cmocka_unit_test(test_refusals),         cmocka_unit_test(test_forms),
        cmocka_unit_test(test_suggestion_order), cmocka_unit_test(test_default_vector),
        cmocka_unit_test(test_overstated),       cmocka_unit_test(test_params),
        cmocka_unit_test(test_suggestion_holds), cmocka_unit_test(test_typed_unmet),
        cmocka_unit_test(test_typed_parts),      cmocka_unit_test(test_typed_mistakes),
        cmocka_unit_test(test_decode),
    };
    return cmocka_run_group_tests(tests, ask_setup, ask_teardown);
}
