/*
 * test_preflight.c - verdicts through the library's own interface, the rule
 * language as lint sees it, and request rules in damaged snapshots.
 */

#include "test.h"

#include "base/buf.h"
#include "catalog/requests.h"
#include "request/demand.h"

static const cando_target *target;
static cando_report report;

static void aim_in(const cando_catalog *c, const char *provider, const char *model, unsigned flags)
{
    cando_target_release(target);
    target = cando_target_new(c, (cando_name){model, provider}, flags, NULL, NULL);
    assert_non_null(target);
}

static void aim(const char *provider, const char *model)
{
    aim_in(cando_catalog_builtin(), provider, model, 0);
}

static cando_status judge(const char *api, const char *request)
{
    cando_error err = {0};
    cando_status st = cando_preflight(target, api, request, strlen(request), false, &report, &err);
    if (st != CANDO_OK)
        assert_true(err.message[0] && err.code[0]);
    return st;
}

static const char *pointer(size_t i)
{
    static char room[256];
    cando_report_pointer(&report, i, room, sizeof room);
    return room;
}

static void test_verdicts(void **state)
{
    (void)state;
    static const char request[] = " {\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\","
                                  "\"content\":\"hi\"}],\"max_tokens\":50,\"temperature\":0}\n";
    aim("openai", "gpt-5");
    assert_int_equal(judge("openai-chat", request), CANDO_OK);
    assert_int_equal(report.verdict, CANDO_REJECTED);
    assert_int_equal(report.n_findings, 2);
    assert_string_equal(cando_report_finding(&report, 0).code, "parameter-renamed");
    assert_int_equal(report.finding[0].fix, CANDO_FIX_SAFE);
    assert_string_equal(pointer(0), "/max_tokens");
    assert_string_equal(cando_report_finding(&report, 1).code, "parameter-unsupported");
    assert_int_equal(report.finding[1].fix, CANDO_FIX_LOSSY);
    assert_string_equal(pointer(1), "/temperature");
    assert_memory_equal(request + report.finding[1].at, "0}", 2);
    assert_int_equal(cando_report_tokens(&report).output.value, 50);
    assert_int_equal(cando_report_decided(&report), 1);
    aim("openai", "gpt-4o");
    assert_int_equal(judge(NULL, request), CANDO_OK);
    assert_int_equal(report.verdict, CANDO_ACCEPTED);
    assert_string_equal(report.api, "openai-chat");
    assert_int_equal(report.n_findings, 0);
}

/* A model that nobody knows is never rejected for being unknown. */
static void test_unknown(void **state)
{
    (void)state;
    static const char request[] = "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":"
                                  "\"image_url\",\"image_url\":{\"url\":\"data:,\"}}]}],"
                                  "\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"a\"}}"
                                  "],\"reasoning_effort\":\"low\"}";
    aim("nobody", "nothing-1");
    assert_int_equal(judge("openai-chat", request), CANDO_OK);
    assert_int_equal(report.verdict, CANDO_DEGRADED);
    assert_int_equal(report.n_findings, 1);
    assert_int_equal(report.finding[0].code, CODE_provider_unknown);
}

static void test_refused(void **state)
{
    (void)state;
    cando_error err = {0};
    aim("openai", "gpt-4o");
    static const char broken[] = "{\"a\":1,\n \"b\":tru}";
    assert_int_equal(
        cando_preflight(target, "openai-chat", broken, strlen(broken), false, &report, &err),
        CANDO_BAD_INPUT);
    assert_string_equal(err.code, "json-syntax");
    assert_int_equal(err.line, 2);
    assert_int_equal(err.column, 6);
    assert_int_equal(judge("openai-chat", "{\"a\":1,\"a\":2}"), CANDO_BAD_INPUT);
    assert_int_equal(judge(NULL, "{}"), CANDO_BAD_INPUT);
    assert_int_equal(judge("no-such", "{}"), CANDO_BAD_QUESTION);
    assert_int_equal(judge("openai-chat", "\"text\""), CANDO_OK);
    assert_int_equal(judge("openai-chat", "[]"), CANDO_OK);
}

/* More findings than there is room for: the first ones, and how many more. */
static void test_many(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 1 << 20);
    buf_putz(&b, "{\"model\":\"gpt-4o\",\"messages\":[");
    for (unsigned i = 0; i < 200; i++)
        buf_printf(&b, "%s{\"role\":\"assistant\"}", i ? "," : "");
    buf_putz(&b, "]}");
    aim("openai", "gpt-4o");
    assert_int_equal(judge("openai-chat", buf_cstr(&b)), CANDO_OK);
    assert_int_equal(report.n_findings, LIMIT_REQUEST_FINDINGS);
    assert_int_equal(report.more, 200 - LIMIT_REQUEST_FINDINGS);
    assert_int_equal(report.verdict, CANDO_REJECTED);
    /* what is beyond the room decides as well: notes and repairs before, an error behind */
    buf_clear(&b);
    buf_putz(&b, "{\"messages\":[");
    for (unsigned i = 0; i < 150; i++)
        buf_putz(&b, "{\"role\":\"developer\",\"content\":\"x\"},");
    buf_putz(&b, "{\"role\":\"user\",\"content\":\"x\"}]}");
    aim("mistral", "mistral-large-latest");
    assert_int_equal(judge("mistral-chat", buf_cstr(&b)), CANDO_OK);
    assert_true(report.more > 0);
    assert_int_equal(report.verdict, CANDO_REWRITE);
    b.n -= 2;
    buf_putz(&b, ",{\"role\":\"tool\",\"content\":\"x\"}]}");
    assert_int_equal(judge("mistral-chat", buf_cstr(&b)), CANDO_OK);
    assert_int_equal(report.verdict, CANDO_REJECTED);
    buf_free(&b);
}

/* A long session: up to a limit each call is paired, and beyond it the report says that none were.
 * What waits for the end of the request takes nothing of that. */
static void test_long_session(void **state)
{
    (void)state;
    aim("openai", "gpt-4o");
    for (unsigned calls = 400; calls <= 600; calls += 200)
        for (unsigned alone = 0; alone < 2; alone++) {
            struct buf b;
            buf_init(&b, NULL, 1 << 20);
            buf_putz(&b, "{\"model\":\"gpt-4o\",\"messages\":[");
            for (unsigned i = 0; i < calls; i++)
                buf_printf(&b,
                           "%s{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c%u\",\"type\":"
                           "\"function\",\"function\":"
                           "{\"name\":\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_"
                           "call_id\":\"c%u\",\"content\":\"x\"}",
                           i ? "," : "", i, alone && i == 77 ? 9999 : i);
            buf_putz(&b, "]}");
            assert_int_equal(judge("openai-chat", buf_cstr(&b)), CANDO_OK);
            if (calls > 500) {
                assert_int_equal(report.n_findings, 1);
                assert_string_equal(cando_report_finding(&report, 0).code, "check-incomplete");
                assert_int_equal(report.verdict, CANDO_ACCEPTED);
            } else {
                assert_int_equal(report.n_findings, alone ? 2 : 0);
                assert_int_equal(report.verdict, alone ? CANDO_REJECTED : CANDO_ACCEPTED);
            }
            buf_free(&b);
        }
}

/* A tool of many parts that a rule of strict ones would be about, and a call that nobody answers:
 * what a rule about parts waits for is told at the tool's end, and the call is found. */
static void test_large_tool(void **state)
{
    static const struct {
        const char *before, *after;
        bool strict;
    } rows[] = {{"", "", false},
                {"\"strict\":false,", "", false},
                {"", ",\"strict\":true", true},
                {"\"strict\":true,", "", true}};
    (void)state;
    aim("anthropic", "claude-opus-4-5");
    for (size_t i = 0; i < 2 * LENGTH(rows); i++) {
        unsigned parts = i % 2 ? 300 : 50, paired = 0, incomplete = 0, bounds = 0;
        struct buf b;
        buf_init(&b, NULL, 1 << 20);
        buf_printf(&b,
                   "{\"model\":\"m\",\"max_tokens\":9,\"tools\":[{%s\"name\":\"f\","
                   "\"input_schema\":{\"type\":\"object\",\"additionalProperties\":false,"
                   "\"properties\":{",
                   rows[i / 2].before);
        for (unsigned k = 0; k < parts; k++)
            buf_printf(&b, "%s\"p%u\":{\"type\":\"string\",\"minLength\":1}", k ? "," : "", k);
        buf_printf(&b,
                   "}}%s}],\"messages\":[{\"role\":\"user\",\"content\":\"x\"},"
                   "{\"role\":\"assistant\",\"content\":[{\"type\":\"tool_use\",\"id\":\"a\","
                   "\"name\":\"f\",\"input\":{}}]},{\"role\":\"user\",\"content\":\"x\"}]}",
                   rows[i / 2].after);
        assert_int_equal(judge("anthropic-messages", buf_cstr(&b)), CANDO_OK);
        for (size_t k = 0; k < report.n_findings; k++) {
            const cando_finding f = cando_report_finding(&report, k);
            paired += strcmp(f.rule, "anthropic-pair") == 0;
            bounds += strcmp(f.rule, "anthropic-strict-bounds") == 0;
            incomplete += strcmp(f.code, "check-incomplete") == 0;
        }
        assert_int_equal(report.verdict, CANDO_REJECTED);
        if (!rows[i / 2].strict) {
            assert_int_equal(report.n_findings, 1);
            assert_int_equal(paired, 1);
        } else if (parts == 50) {
            assert_int_equal(bounds, 50);
            assert_int_equal(paired, 1);
        } else {
            assert_int_equal(bounds, LIMIT_REQUEST_FINDINGS);
            assert_true(report.more > 300 - LIMIT_REQUEST_FINDINGS); /* none is lost */
        }
        assert_int_equal(incomplete, 0);
        buf_free(&b);
    }
}

/* A long session before a schema: what one rule has waiting for the request's end, which it may be
 * about, takes no room from the others. */
static void test_session_with_schema(void **state)
{
    static const char *const schemas[] = {
        "\"required\":[\"a\"],\"additionalProperties\":false", /* sound */
        "\"required\":[\"a\"]",
        "\"required\":[],\"additionalProperties\":false",
    };
    (void)state;
    aim("openai", "gpt-4o");
    for (unsigned i = 0; i < 2 * LENGTH(schemas); i++) {
        struct buf b;
        buf_init(&b, NULL, 1 << 20);
        buf_putz(&b, "{\"model\":\"gpt-4o\",\"messages\":[");
        for (unsigned k = 0; k < 400; k++)
            buf_printf(&b,
                       "{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c%u\",\"type\":"
                       "\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},"
                       "{\"role\":\"tool\",\"tool_call_id\":\"c%u\",\"content\":\"x\"},",
                       k, k);
        buf_printf(&b,
                   "{\"role\":\"user\",\"content\":\"x\"}],\"response_format\":{\"type\":"
                   "\"json_schema\",\"json_schema\":{\"name\":\"x\",\"strict\":%s,\"schema\":{"
                   "\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"string\"}},%s}}}}",
                   i % 2 ? "true" : "false", schemas[i / 2]);
        assert_int_equal(judge("openai-chat", buf_cstr(&b)), CANDO_OK);
        bool wrong = i > 1 && i % 2;
        assert_int_equal(report.n_findings, wrong);
        assert_int_equal(report.verdict, wrong ? CANDO_REJECTED : CANDO_ACCEPTED);
        buf_free(&b);
    }
}

/* -- one request, spelled in other ways ------------------------------------------------- */

enum spelling { AS_IT_IS, ESCAPED, SPREAD, SPELLINGS };

/* The same JSON: every letter of its strings as an escape, or white space around everything. */
static void spell(struct buf *b, const char *text, enum spelling how)
{
    bool inside = false;
    for (const char *p = text; *p; p++) {
        if (inside && *p == '\\') {
            buf_put(b, p++, 2);
        } else if (*p == '"') {
            inside = !inside;
            buf_putc(b, *p);
        } else if (inside && how == ESCAPED) {
            buf_printf(b, "\\u%04x", (unsigned)(unsigned char)*p);
        } else {
            bool sign = !inside && how == SPREAD && strchr("{}[],:", *p);
            buf_printf(b, sign ? " \n\t            %c  \r\n" : "%c", *p);
        }
    }
}

static const struct spelled {
    const char *provider, *model, *api, *request;
} spelled[] = {
    {"openai", "gpt-5", "openai-chat",
     "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"tool\",\"content\":\"x\"},{\"role\":"
     "\"assistant\"},{\"role\":\"developer\",\"content\":\"y\"},"
     "{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\",\"input_audio\":{\"data\":\"QQ==\","
     "\"format\":\"wav\"}}]}],\"temperature\":0.25,"
     "\"max_tokens\":16,\"stream_options\":{},\"reasoning_effort\":\"none at all\",\"n\":0}"},
    {"openai", "gpt-4o", "openai-chat",
     "{\"messages\":[{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a1\","
     "\"type\":\"function\",\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},"
     "{\"role\":\"user\",\"content\":\"hi\"}],\"tools\":[{\"type\":\"function\",\"function\":{"
     "\"name\":\"no good name\",\"strict\":true,\"parameters\":"
     "{\"type\":\"object\",\"properties\":{\"a\":{\"type\":\"object\",\"properties\":{}}}}}}],"
     "\"temperature\":3,\"top_logprobs\":5,\"frequency_penalty\":-2.5}"},
    {"anthropic", "claude-sonnet-4-5", "anthropic-messages",
     "{\"model\":\"claude-sonnet-4-5\",\"messages\":[{\"role\":\"system\",\"content\":\"x\"},{"
     "\"role\":\"user\",\"content\":[{\"type\":\"tool_result\","
     "\"tool_use_id\":\"t1\",\"content\":\"y\"}]}],\"temperature\":1.5,\"thinking\":{\"type\":"
     "\"enabled\",\"budget_tokens\":100}}"},
    {"anthropic", "claude-opus-4-6", "anthropic-messages",
     "{\"model\":\"m\",\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],"
     "\"output_config\":{\"effort\":\"low\"}}"},
    {"google", "gemini-2.5-pro", "gemini",
     "{\"contents\":[{\"role\":\"assistant\",\"parts\":[{\"text\":\"a\"}]}],\"generationConfig\":{"
     "\"temperature\":2.5,\"responseSchema\":{\"type\":\"OBJECT\"}}}"},
    {"mistral", "mistral-large-latest", "mistral-chat",
     "{\"model\":\"m\",\"messages\":[{\"role\":\"developer\",\"content\":\"x\"},{\"role\":\"tool\","
     "\"content\":\"y\"}],\"temperature\":2,\"tool_choice\":\"sometimes\"}"},
    {"ollama", "llama3", "ollama-chat",
     "{\"model\":\"llama3\",\"messages\":[{\"role\":\"nobody\",\"content\":\"x\"}],\"max_tokens\":"
     "5}"},
};

/* Whatever the spelling, and wherever in a block of 64 bytes it stands, the findings are
 * the same, at the same places of the document. */
static void test_spelling(void **state)
{
    (void)state;
    size_t findings = 0;
    for (size_t i = 0; i < sizeof spelled / sizeof *spelled; i++) {
        aim(spelled[i].provider, spelled[i].model);
        assert_int_equal(judge(spelled[i].api, spelled[i].request), CANDO_OK);
        static cando_report want;
        want = report;
        char place[LIMIT_REQUEST_FINDINGS][256];
        for (uint32_t k = 0; k < want.n_findings; k++)
            snprintf(place[k], sizeof place[k], "%s", pointer(k));
        findings += want.n_findings;
        for (unsigned how = 0; how < SPELLINGS; how++)
            for (unsigned shift = 0; shift < 70; shift++) {
                struct buf b;
                buf_init(&b, NULL, 1 << 20);
                for (unsigned k = 0; k < shift; k++)
                    buf_putc(&b, ' ');
                spell(&b, spelled[i].request, (enum spelling)how);
                char *own = malloc(b.n); /* of its own size, so that reading too far is seen */
                assert_non_null(own);
                memcpy(own, b.p, b.n);
                assert_int_equal(
                    cando_preflight(target, spelled[i].api, own, b.n, false, &report, NULL),
                    CANDO_OK);
                assert_int_equal(report.verdict, want.verdict);
                assert_int_equal(report.n_findings, want.n_findings);
                for (uint32_t k = 0; k < want.n_findings; k++) {
                    char have[256];
                    cando_report_pointer(&report, k, have, sizeof have);
                    assert_int_equal(report.finding[k].rule, want.finding[k].rule);
                    assert_string_equal(have, place[k]);
                }
                free(own);
                buf_free(&b);
            }
    }
    assert_true(findings >= 25);
}

/* Each demand once, at its first place, however often it is made; and where the limit stands. */
static void test_demands(void **state)
{
    (void)state;
    struct arena ar;
    struct buf b;
    struct demands d;
    arena_init(&ar, NULL);
    buf_init(&b, NULL, 1 << 20);
    buf_putz(&b, "{\"messages\":[{\"role\":\"user\",\"content\":\"x\"}");
    for (unsigned i = 0; i < 500; i++)
        buf_putz(&b, ",{\"role\":\"user\",\"content\":[{\"type\":\"image_url\",\"image_url\":{"
                     "\"url\":\"data:,\"}}]}");
    buf_putz(&b, "],\"tools\":[{\"function\":{\"name\":\"x\"}}],\"response_format\":{\"type\":"
                 "\"json_schema\"},\"max_tokens\":77}");
    struct reading r = {.ar = &ar};
    assert_true(demands_read(&r, (cando_bytes){b.p, b.n}, NULL, &d));
    assert_true(demands_scan(&r, cando_catalog_builtin(), STR(""), STR(""), &d));
    assert_string_equal(d.api, "openai-chat");
    static const char *const want[] = {"input_image", "tool_calling", "structured_output"};
    static const char *const at[] = {"/request/messages/1/content/0", "/request/tools",
                                     "/request/response_format"};
    assert_int_equal(d.n_demands, 3);
    for (unsigned i = 0; i < 3; i++) {
        assert_string_equal(slot_name(d.demand[i].slot), want[i]);
        struct str place = demands_place(&r, &d, d.demand[i].at);
        assert_true(str_starts(place, str_of(at[i])));
    }
    assert_int_equal(d.output, 77);
    assert_string_equal(demands_place(&r, &d, d.output_at).p, "/request/max_tokens");
    assert_true(d.tokens.low < d.tokens.expected && d.tokens.expected < d.tokens.high);
    buf_free(&b);
    arena_free(&ar);
}

/* -- the rule language -------------------------------------------------------------------- */

#define HEAD "schema = \"cando/requests@1\"\ndialect = \"openai-chat\"\n"
#define RULE HEAD "[[rules]]\nname = \"r\"\nkind = \"range\"\nmessage = \"m\"\nsource = \"s\"\n"

static size_t findings(const char *text, const char *code)
{
    cando_sources *s = cando_sources_new(NULL, NULL);
    assert_int_equal(cando_sources_add(s, "t.toml", text, strlen(text), CANDO_SYNTAX_AUTO,
                                       CANDO_LAYER_FAMILY, NULL),
                     CANDO_OK);
    assert_int_equal(cando_sources_lint(s, NULL), CANDO_OK);
    size_t n = 0;
    for (size_t i = 0; i < cando_sources_findings(s); i++)
        n += strcmp(cando_sources_finding(s, i).code, code) == 0;
    cando_sources_free(s);
    return n;
}

/* As many steps as a path may have. */
#define PATH11 "a.a.a.a.a.a.a.a.a.a.a"
#define PATH23 PATH11 "." PATH11 ".a"

static void test_lint(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code;
    } cases[] = {
        {"schema = \"cando/requests@1\"\n", "missing-key"},
        {"schema = \"cando/requests@1\"\ndialect = \"opnai-chat\"\n", "unknown-dialect"},
        {HEAD "[[rule]]\n", "unknown-key"},
        {HEAD "[measure]\ntexts = [\"a\"]\n", "unknown-key"},
        {HEAD "[[rules]]\nkind = \"range\"\nwhen = \"a\"\nmessage = \"m\"\nsource = \"s\"\n",
         "missing-key"},
        {RULE, "missing-key"},
        {HEAD "[[rules]]\nname = \"r\"\nwhen = \"a\"\nmessage = \"m\"\nsource = \"s\"\n",
         "missing-key"},
        {RULE "when = \"a..b\"\n", "bad-path"},
        {RULE "when = \"a[0]\"\n", "bad-path"},
        {RULE "when = \"" PATH23 ".a\"\n", "bad-path"},
        {RULE "at = \"a[]\"\nwhen = \"/.b\"\n", "bad-path"},
        {RULE "at = \"a[]\"\nwhen = \"^.b\"\n", "bad-path"},
        {RULE "when = \"@.b\"\n", "bad-path"},
        {RULE "when = { path = \"a\", insied = [0, 1] }\n", "unknown-key"},
        {RULE "when = { path = \"a\", inside = [0, 1], is = 3 }\n", "wrong-type"},
        {RULE "when = { path = \"a\", inside = 3 }\n", "wrong-type"},
        {RULE "when = { path = \"a\", above = \"tool_calling\" }\n", "unknown-word"},
        {RULE "when = \"a\"\nneeds = \"tool_caling\"\n", "unknown-word"},
        {RULE "when = \"a\"\nprofile = { nothing = true }\n", "unknown-key"},
        {RULE "when = \"a\"\nfix = { set = \"{\" }\n", "wrong-type"},
        {RULE "when = \"a\"\nfix = { remove = true }\n", "unknown-key"},
        {RULE "when = \"a\"\ncheck = \"magic\"\n", "unknown-word"},
        {RULE "when = \"a\"\nconfidence = \"contested\"\nseverity = \"error\"\n", "likely-rejects"},
        {RULE "when = \"a\"\nversion_min = 4\n", "version-malformed"},
        {RULE "at = \"a[].b[-1]\"\nwhen = \"c\"\n", "bad-path"},
        {HEAD "[[rules]]\nname = \"r\"\nkind = \"range\"\nwhen = \"a\"\nmessage = \"m\"\n",
         "no-source"},
        {HEAD "[[adjust]]\nname = \"r\"\nof = \"x\"\nseverity = \"off\"\n", "no-source"},
        {HEAD "root = \"r\"\n[shape.r]\nis = \"object\"\n", "no-source"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (findings(cases[i].text, cases[i].code) != 1)
            fail_msg("no finding %s for:\n%s", cases[i].code, cases[i].text);
    assert_int_equal(findings(RULE "when = \"a\"\n", "missing-key"), 0);
    assert_int_equal(findings(RULE "when = \"" PATH23 "\"\n", "bad-path"), 0);
}

static const cando_catalog *build(const char *text)
{
    cando_error err = {0};
    const void *p;
    size_t n;
    cando_sources *s = cando_sources_new(NULL, NULL);
    assert_int_equal(cando_sources_add(s, "t.toml", text, strlen(text), CANDO_SYNTAX_AUTO,
                                       CANDO_LAYER_FAMILY, NULL),
                     CANDO_OK);
    if (cando_sources_build(s, &p, &n, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    const cando_catalog *c = cando_catalog_open_copy(p, n, NULL, &err);
    if (!c)
        fail_msg("%s", err.message);
    cando_sources_free(s);
    return c;
}

/* One rule; how many findings it has in a request. */
static uint32_t fires(const char *rule, const char *request)
{
    char text[2048];
    snprintf(text, sizeof text,
             HEAD "[[rules]]\nname = \"r\"\nkind = \"note\"\nmessage = \"m\"\nsource = \"s\"\n%s\n",
             rule);
    const cando_catalog *c = build(text);
    aim_in(c, "p", "claude-opus-4-5", 0);
    assert_int_equal(judge("openai-chat", request), CANDO_OK);
    cando_catalog_release(c);
    return (uint32_t)cando_report_findings(&report, NULL);
}

/* The last item of an array is known by the end of the item around, which the rule is also about.
 */
static void test_last_within(void **state)
{
    static const char rule[] = "at = \"a[].b[]\"\nwhen = [{ path = \"t\", is = \"x\" }, { path = "
                               "\"^r\", is = \"u\" }]\n%s = \"t\"\n";
    static const struct {
        const char *request;
        unsigned last, later;
    } rows[] = {
        {"{\"a\":[{\"r\":\"u\",\"b\":[{\"t\":\"x\"},{\"t\":\"x\"}]}]}", 1, 1},
        {"{\"a\":[{\"b\":[{\"t\":\"x\"}],\"r\":\"u\"},{\"r\":\"v\",\"b\":[{\"t\":\"x\"}]}]}", 1, 1},
        {"{\"a\":[{\"r\":\"v\",\"b\":[{\"t\":\"x\"}]},{\"r\":\"u\",\"b\":[{\"s\":1}]}]}", 0, 0},
        {"{\"a\":[{\"r\":\"u\",\"b\":[{\"t\":\"x\"}]},{\"r\":\"u\",\"b\":[]},{\"r\":\"u\",\"b\":[{"
         "\"t\":\"x\"},"
         "{\"s\":1}]}]}",
         2, 2},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char text[256];
        snprintf(text, sizeof text, rule, "next_none");
        assert_int_equal(fires(text, rows[i].request), rows[i].last);
        snprintf(text, sizeof text, rule, "unless_later");
        assert_int_equal(fires(text, rows[i].request), rows[i].later);
    }
}

/* Rules about the last item, of which there is no end. */
static void test_many_about_last(void **state)
{
    (void)state;
    for (unsigned rules = 30; rules <= 50; rules += 20) {
        struct buf b;
        buf_init(&b, NULL, 1 << 20);
        buf_putz(&b, HEAD);
        for (unsigned i = 0; i < rules; i++)
            buf_printf(&b,
                       "[[rules]]\nname = \"r%u\"\nkind = \"note\"\nat = \"messages[-1]\"\nwhen = "
                       "\"content\"\nmessage = \"m%u\"\nsource = \"s\"\n",
                       i, i);
        const cando_catalog *c = build(buf_cstr(&b));
        aim_in(c, "p", "m", 0);
        assert_int_equal(judge("openai-chat", "{\"messages\":[{\"content\":\"a\"},{\"content\":"
                                              "\"b\"}]}"),
                         CANDO_OK);
        unsigned incomplete = 0;
        for (size_t i = 0; i < report.n_findings; i++)
            incomplete += strcmp(cando_report_finding(&report, i).code, "check-incomplete") == 0;
        assert_int_equal(incomplete, rules > SCAN_LATER);
        if (!incomplete)
            assert_int_equal(report.n_findings, rules);
        cando_catalog_release(c);
        buf_free(&b);
    }
}

/* How many words the lists of two rules take, of which the second has these words. */
static size_t words_of_lists(const char *second)
{
    char text[1024];
    snprintf(text, sizeof text,
             RULE "when = { path = \"a\", is = [\"x\", \"y\", \"z\"] }\n"
                  "[[rules]]\nname = \"s\"\nkind = \"range\"\nmessage = \"m\"\n"
                  "source = \"s\"\nwhen = { path = \"b\", is = [%s] }\n",
             second);
    const cando_catalog *c = build(text);
    size_t n = c->snap.sec[SEC_REQ_WORDS].n;
    cando_catalog_release(c);
    return n;
}

/* The built-in catalog has thousands: what is equal is stored once. */
static void test_equal_lists(void **state)
{
    (void)state;
    size_t once = words_of_lists("\"x\", \"y\", \"z\"");
    assert_int_equal(words_of_lists("\"x\", \"z\", \"y\""), once + 1 + 3);
}

static void test_conditions(void **state)
{
    (void)state;
    static const struct {
        const char *rule, *yes, *no;
    } cases[] = {
        {"when = \"a\"", "{\"a\":0}", "{\"a\":null}"},
        {"when = \"a.b\"", "{\"a\":{\"b\":1}}", "{\"b\":1,\"a\":[]}"},
        {"when = \"a[].b\"", "{\"a\":[1,{\"b\":2}]}", "{\"a\":{\"b\":1}}"},
        {"when = \"a[][]\"", "{\"a\":[[1]]}", "{\"a\":[1]}"},
        {"when = \"a.*\"", "{\"a\":{\"x\":1}}", "{\"a\":{}}"},
        {"when = { path = \"a\", is = \"x\" }", "{\"a\":\"x\"}", "{\"a\":\"xy\"}"},
        {"when = { path = \"a\", is = \"x\" }", "{\"a\":\"\\u0078\"}", "{\"a\":[\"x\"]}"},
        {"when = { path = \"a\", is = [\"x\", \"y\"] }", "{\"a\":\"y\"}", "{\"a\":\"z\"}"},
        {"when = { path = \"a\", is = true }", "{\"a\":true}", "{\"a\":\"true\"}"},
        {"when = { path = \"a\", is = 3 }", "{\"a\":3.0}", "{\"a\":4}"},
        {"when = { path = \"a\", not = [\"x\"] }", "{\"a\":\"y\"}", "{\"a\":\"x\"}"},
        {"when = { path = \"a\", not = 1 }", "{\"a\":2}", "{\"a\":1}"},
        {"when = { path = \"a\", prefix = \"image/\" }", "{\"a\":\"image/png\"}",
         "{\"a\":\"image\"}"},
        {"when = { path = \"a\", not_prefix = [\"data:\"] }", "{\"a\":\"http:\"}",
         "{\"a\":\"data:x\"}"},
        {"when = { path = \"a\", holds = [\"-v\", \"\xc3\xa9t\"] }", "{\"a\":\"gpt--v2\"}",
         "{\"a\":\"-\xc3\xa9-t\"}"},
        {"when = { path = \"a\", holds = [\"-v\", \"\xc3\xa9t\"] }", "{\"a\":\"x\\u00e9\\u0074\"}",
         "{\"a\":\"\\\\u002dv\"}"},
        {"when = { path = \"a\", holds = '\\b' }", "{\"a\":\"x\\\\by\"}", "{\"a\":\"x\\by\"}"},
        {"when = { path = \"a\", inside = [1, 2] }", "{\"a\":2}", "{\"a\":2.01}"},
        {"when = { path = \"a\", outside = [1, 2] }", "{\"a\":0.99}", "{\"a\":1}"},
        {"when = { path = \"a\", whole = false }", "{\"a\":1.5}", "{\"a\":1.0}"},
        {"when = { path = \"a\", length = [2, 3] }", "{\"a\":\"\xc3\xa9\\n\"}",
         "{\"a\":\"\\u00e9\"}"},
        {"when = { path = \"a\", length = [1, inf] }", "{\"a\":[0]}", "{\"a\":[]}"},
        {"when = { path = \"a\", not_length = [1, 2] }", "{\"a\":{}}", "{\"a\":{\"x\":1}}"},
        {"when = { path = \"a\", not_chars = \"a-z_-\" }", "{\"a\":\"aB\"}", "{\"a\":\"a-_z\"}"},
        {"when = { path = \"a\", not_chars = [\"a-z\", \"0-9\"] }", "{\"a\":\"1\"}",
         "{\"a\":\"a12\"}"},
        {"when = { path = \"a\", kind = \"array\" }", "{\"a\":[]}", "{\"a\":{}}"},
        {"when = { path = \"a\", kind = [\"null\", \"number\"] }", "{\"a\":null}", "{\"a\":\"1\"}"},
        {"when = { path = \"a\", ends_in_space = true }", "{\"a\":\"x \"}", "{\"a\":\"x\"}"},
        {"when = { path = \"a[]\", at_least = 3 }", "{\"a\":[1,2,3]}", "{\"a\":[1,2]}"},
        {"when = [\"a\", \"b\"]", "{\"b\":1,\"a\":1}", "{\"a\":1}"},
        {"any = [\"a\", \"b\"]", "{\"b\":1}", "{\"c\":1}"},
        {"when = \"a\"\nnone = \"b\"", "{\"a\":1}", "{\"a\":1,\"b\":2}"},
        {"none = \"a\"", "{}", "{\"a\":1}"},
        {"at = \"a[]\"\nwhen = [\"b\", \"c\"]", "{\"a\":[{\"b\":1},{\"c\":1,\"b\":1}]}",
         "{\"a\":[{\"b\":1},{\"c\":1}]}"},
        {"at = \"a[0]\"\nwhen = \"b\"", "{\"a\":[{\"b\":1}]}", "{\"a\":[{},{\"b\":1}]}"},
        {"at = \"a[-1]\"\nwhen = \"b\"", "{\"a\":[{},{\"b\":1}]}", "{\"a\":[{\"b\":1},{}]}"},
        {"at = \"a[]\"\nwhen = { path = \"r\", is = \"x\" }\nprev = { path = \"r\", is = \"y\" }",
         "{\"a\":[{\"r\":\"y\"},{\"r\":\"x\"}]}", "{\"a\":[{\"r\":\"x\"},{\"r\":\"y\"}]}"},
        {"at = \"a[]\"\nwhen = \"*\"\nknown = [\"b\"]", "{\"a\":[{\"b\":1,\"c\":2}]}",
         "{\"a\":[{\"b\":1}]}"},
        {"when = \"s~.minimum\"",
         "{\"s\":{\"properties\":{\"x\":{\"items\":{\"anyOf\":[{\"minimum\":1}]}}}}}",
         "{\"s\":{\"properties\":{\"minimum\":{}}}}"},
        {"when = \"s~.not\"", "{\"s\":{\"$defs\":{\"x\":{\"not\":{}}}}}", "{\"s\":{\"items\":{}}}"},
        {"at = \"s~\"\nwhen = { path = \"type\", is = \"object\" }\nnone = \"closed\"",
         "{\"s\":{\"type\":\"object\",\"closed\":1,\"items\":{\"type\":\"object\"}}}",
         "{\"s\":{\"type\":\"object\",\"items\":{\"type\":\"object\",\"closed\":1},\"closed\":1}}"},
        {"when = [{ path = \"a\", kind = \"number\" }, { path = \"b\", kind = \"number\" }]\ncheck "
         "= \"not-less\"",
         "{\"a\":3,\"b\":3}", "{\"a\":2,\"b\":3}"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (fires(cases[i].rule, cases[i].yes) != 1)
            fail_msg("%s does not fire once for %s", cases[i].rule, cases[i].yes);
        if (fires(cases[i].rule, cases[i].no) != 0)
            fail_msg("%s fires for %s", cases[i].rule, cases[i].no);
    }
    assert_int_equal(fires("each = [\"a\", \"b\"]", "{\"b\":1,\"a\":1}"), 2);
}

static void test_scope(void **state)
{
    (void)state;
    static const char request[] = "{\"a\":1}";
    assert_int_equal(fires("when = \"a\"\nmatch = \"claude-*\"", request), 1);
    assert_int_equal(fires("when = \"a\"\nmatch = \"gpt-*\"", request), 0);
    assert_int_equal(fires("when = \"a\"\nmatch = \"claude-*\"\nexcept = \"*opus*\"", request), 0);
    assert_int_equal(fires("when = \"a\"\nmatch = \"claude-*\"\nversion_min = [4, 5]", request), 1);
    assert_int_equal(fires("when = \"a\"\nmatch = \"claude-*\"\nversion_min = [4, 6]", request), 0);
    assert_int_equal(fires("when = \"a\"\nmatch = \"claude-*\"\nversion_max = [4, 4]", request), 0);
    assert_int_equal(fires("when = \"a\"\nmatch = { prefix = \"claude-opus\" }", request), 1);
    assert_int_equal(fires("when = \"a\"\nproviders = [\"q\"]", request), 0);
    assert_int_equal(fires("when = \"a\"\nneeds = \"tool_calling\"", request), 0);
    assert_int_equal(fires("when = \"a\"\nprofile = { tool_calling = \"unsupported\" }", request),
                     0);
}

/* What the profile knows, and what it says. */
static void test_profile(void **state)
{
    (void)state;
    static const struct {
        const char *facts, *profile;
        uint32_t fires;
    } cases[] = {
        {"", "tool_calling = \"known\"", 0},
        {"tool_calling = \"native\"", "tool_calling = \"known\"", 1},
        {"tool_calling = \"unsupported\"", "tool_calling = \"known\"", 1},
        {"", "tool_calling = \"unsupported\"", 0},
        {"tool_calling = \"native\"", "tool_calling = \"native\"", 1},
        {"tool_calling = \"native\"", "tool_calling = \"usable\"", 1},
        {"tool_calling = \"unsupported\"", "tool_calling = \"usable\"", 0},
        {"tool_calling = \"unsupported\"", "tool_calling = \"native\"", 0},
        {"", "input_modalities = \"known\"", 0},
        {"input_modalities = [\"text\"]", "input_modalities = \"known\"", 1},
        {"input_modalities = [\"text\"]", "input_modalities = { has = \"text\" }", 1},
        {"input_modalities = [\"text\"]", "input_modalities = { has = \"image\" }", 0},
        {"input_modalities = [\"text\"]", "input_modalities = { lacks = \"image\" }", 1},
        {"input_modalities = [\"text\"]", "input_modalities = { lacks = \"text\" }", 0},
        {"", "input_modalities = { lacks = \"text\" }", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char facts[256], rules[512];
        snprintf(facts, sizeof facts,
                 "schema = \"cando/rules@1\"\n[[models]]\nprovider = \"p\"\nid = \"m\"\n"
                 "set = { %s }\n",
                 cases[i].facts);
        snprintf(rules, sizeof rules, RULE "when = \"a\"\nprofile = { %s }\n", cases[i].profile);
        cando_sources *s = cando_sources_new(NULL, NULL);
        const void *p;
        size_t n;
        cando_error err = {0};
        cando_sources_add(s, "f.toml", facts, strlen(facts), CANDO_SYNTAX_AUTO, CANDO_LAYER_FAMILY,
                          NULL);
        cando_sources_add(s, "r.toml", rules, strlen(rules), CANDO_SYNTAX_AUTO, CANDO_LAYER_FAMILY,
                          NULL);
        if (cando_sources_build(s, &p, &n, &err) != CANDO_OK)
            fail_msg("%s: %s", cases[i].facts, err.message);
        const cando_catalog *c = cando_catalog_open_copy(p, n, NULL, &err);
        assert_non_null(c);
        cando_sources_free(s);
        aim_in(c, "p", "m", 0);
        assert_int_equal(judge("openai-chat", "{\"a\":1}"), CANDO_OK);
        if (cando_report_findings(&report, NULL) != cases[i].fires)
            fail_msg("with %s, %s fires %zu times", cases[i].facts, cases[i].profile,
                     cando_report_findings(&report, NULL));
        cando_catalog_release(c);
    }
}

/* -- damage --------------------------------------------------------------------------------------
 */

/* Uses a snapshot whose bytes may say anything, its checksum made right. Is it taken? */
static bool use_damaged(unsigned char *bytes, size_t n, const char *request)
{
    uint64_t sum = snapshot_checksum(bytes, n);
    for (unsigned i = 0; i < 8; i++)
        bytes[offsetof(struct snap_header, checksum) + i] = (unsigned char)(sum >> (8 * i));
    cando_error err = {0};
    const cando_catalog *bad = cando_catalog_open_copy(bytes, n, NULL, &err);
    if (!bad) {
        assert_string_equal(err.code, "snapshot-bad");
        return false;
    }
    const cando_target *t = cando_target_new(bad, (cando_name){"p/c1", NULL}, 0, NULL, NULL);
    size_t pieces, length;
    if (t && cando_preflight(t, "openai-chat", request, strlen(request), true, &report, NULL) ==
                 CANDO_OK)
        cando_report_rewrite(&report, &pieces, &length, NULL);
    cando_target_release(t);
    cando_catalog_release(bad);
    return true;
}

static void test_damaged(void **state)
{
    (void)state;
    static const char text[] = HEAD
        "vendor = \"p\"\nroot = \"r\"\nsource = \"s\"\n[measure]\ntext = "
        "\"m[].c\"\n[[rules]]\nname = \"a\"\nkind = "
        "\"range\"\nat = \"m[]\"\nwhen = [{ path = \"x\", "
        "outside = [0, 1] }, { path = \"s~.k\", is = [\"v\", \"w\"] }]\nnone = \"y\"\nmessage "
        "= \"m\"\nsource = \"s\"\nfix = { map "
        "= { v = \"w\" } }\nmatch = \"c*\"\n[[rules]]\nname = \"b\"\nkind = \"forbid\"\nwhen "
        "= \"z\"\nmessage = \"m\"\nsource = "
        "\"s\"\nfix = { drop = true }\n[[rules]]\nname = \"c\"\nkind = \"demand\"\nany = "
        "[\"q\", \"r\"]\nneeds = "
        "\"tool_calling\"\nsource = \"s\"\n[[rules]]\nname = \"e\"\nat = \"m[]\"\nwhen = "
        "\"id\"\nevent = \"call\"\n[[rules]]\nname = \"f\"\nkind = \"structure\"\nat = \"m[]\"\n"
        "when = [\"x\", \"/z\"]\nnext_none = \"x\"\nmessage = \"m\"\nsource = \"s\"\n"
        "[[adjust]]\nname = \"g\"\nof = [\"item.x\", \"part\"]\nwhat = \"kind\"\n"
        "severity = \"warning\"\nsource = \"s\"\n"
        "[shape.r]\nclosed = true\nrequired = [\"m\", \"n\"]\n"
        "members = { m = { is = \"item[]\", unique = \"id\" }, z = \"string\", "
        "l = { is = \"string{}\", keys = { length = [1, 2] } } }\n"
        "[shape.item]\none = [[\"x\", \"c\"]]\nmembers = { id = \"string\", x = \"string\", "
        "c = { is = \"string\", length = [2, 3], chars = \"a\" }, s = \"part\" }\n"
        "[shape.part]\nby = \"k\"\ncases = { v = \"r\", w = \"item\" }\n";
    static const char request[] =
        "{\"m\":[{\"x\":3,\"c\":\"t\",\"id\":\"i\",\"s\":{\"k\":\"v\","
        "\"items\":{\"k\":\"w\"}}},{\"id\":\"i\"}],\"z\":1,\"q\":2,\"l\":{\"abc\":1}}";
    const cando_catalog *c = build(text);
    size_t n = c->snap.size, taken = 0;
    unsigned char *bytes = malloc(n);
    assert_non_null(bytes);
    const unsigned char *first = c->snap.sec[SEC_REQ_TEXTS].p;
    for (size_t at = (size_t)(first - c->snap.data); at < n; at++)
        for (unsigned k = 0; k < 4; k++) {
            static const unsigned char spoil[] = {0xff, 0x01, 0x80, 0x10};
            memcpy(bytes, c->snap.data, n);
            bytes[at] ^= spoil[k];
            taken += use_damaged(bytes, n, request);
        }
    /* a node that leads anywhere */
    const struct snap_view *v = c->snap.sec;
    memcpy(bytes, c->snap.data, n);
    memset(bytes + (size_t)(v[SEC_REQ_NODES].p - c->snap.data) +
               offsetof(struct snap_req_node, star),
           0x7f, 4);
    assert_false(use_damaged(bytes, n, request));
    /* several numbers at once, all over the request rules */
    uint32_t seed = 1;
    for (unsigned round = 0; round < 20000; round++) {
        memcpy(bytes, c->snap.data, n);
        for (unsigned k = 0; k < 3; k++) {
            seed = seed * 1664525 + 1013904223;
            size_t at =
                (size_t)(first - c->snap.data) + (seed >> 8) % (n - (size_t)(first - c->snap.data));
            bytes[at & ~(size_t)3] = (unsigned char)(seed >> 4 & 15);
        }
        taken += use_damaged(bytes, n, request);
    }
    assert_true(taken > 0);
    free(bytes);
    cando_catalog_release(c);
}

/* The answer of a report that has seen others before is that of one that has not. */
static void same_as_fresh(const char *request)
{
    static cando_report fresh;
    cando_error err;
    size_t n = strlen(request);
    memset(&fresh, 0xA5, sizeof fresh);
    cando_report_init(&fresh);
    cando_status st = judge("openai-chat", request);
    assert_int_equal(cando_preflight(target, "openai-chat", request, n, false, &fresh, &err), st);
    if (st != CANDO_OK)
        return;
    assert_int_equal(report.verdict, fresh.verdict);
    assert_int_equal(report.tokens.expected, fresh.tokens.expected);
    assert_int_equal(report.n_findings, fresh.n_findings);
    for (uint32_t i = 0; i < fresh.n_findings; i++) {
        assert_int_equal(report.finding[i].rule, fresh.finding[i].rule);
        assert_int_equal(report.finding[i].at, fresh.finding[i].at);
    }
}

/* What a report remembers of requests holds for one target, and is gone after a rewrite. */
static void test_again(void **state)
{
    (void)state;
    static const char *const model[] = {"gpt-5", "gpt-4o", "gpt-5"};
#define SAID(role) "{\"role\":\"" role "\",\"content\":\"hi\"}"
#define ASKED(messages, rest) "{\"model\":\"m\",\"messages\":[" messages "]" rest "}"
    static const char *const request[] = {
        ASKED(SAID("user"), ",\"max_tokens\":5"),
        ASKED(SAID("system") "," SAID("user") "," SAID("assistant") "," SAID("user"), ""),
        ASKED(SAID("user") "," SAID("tool"), ",\"temperature\":0"),
        ASKED(SAID("user") "," SAID("nobody") ",{\"role\":\"user\",\"role\":1}", ""),
        ASKED(SAID("user") ",{\"role\" : \"user\",\"content\":1}", ",\"max_tokens\":\"5\""),
        ASKED(SAID("user") "," SAID("user") ",{\"content\":\"hi\"},{\"role\":\"user\"}", ""),
    };
    for (unsigned k = 0; k < 3 * 6 * 6; k++) {
        if (k % 36 == 0)
            aim("openai", model[k / 36]);
        size_t pieces, length;
        same_as_fresh(request[k % 6]);
        same_as_fresh(request[k / 6 % 6]);
        if (k % 5 == 0 && report.n_edits)
            assert_non_null(cando_report_rewrite(&report, &pieces, &length, NULL));
    }
}

/* One buffer for one request after the other, of the same length: each is looked at anew, though
 * nobody says for which API it is. */
static void test_same_memory(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        cando_verdict verdict;
    } rows[] = {
        {"{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"n\":1}",
         CANDO_ACCEPTED},
        {"{\"n\":1,\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}",
         CANDO_ACCEPTED},
        {"{\"model\":\"gpt-4o\",\"messages\":[{\"role\":\"u\\\"er\",\"content\":\"h\"}],\"n\":1}",
         CANDO_REJECTED},
        {"{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"n\":1,\"model\":\"gpt-4o\"}",
         CANDO_ACCEPTED},
    };
    char room[80];
    aim("openai", "gpt-4o");
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_int_equal(strlen(rows[i].text), strlen(rows[0].text));
        strcpy(room, rows[i].text);
        assert_int_equal(judge(NULL, room), CANDO_OK);
        assert_int_equal(report.verdict, rows[i].verdict);
    }
}

int main(void)
{
    cando_set_today("2023-01-01", NULL); /* nothing has ended yet */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts),    cmocka_unit_test(test_unknown),
        cmocka_unit_test(test_refused),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_spelling),    cmocka_unit_test(test_long_session),
        cmocka_unit_test(test_large_tool),  cmocka_unit_test(test_session_with_schema),
        cmocka_unit_test(test_demands),     cmocka_unit_test(test_lint),
        cmocka_unit_test(test_conditions),  cmocka_unit_test(test_scope),
        cmocka_unit_test(test_profile),     cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_again),       cmocka_unit_test(test_equal_lists),
        cmocka_unit_test(test_last_within), cmocka_unit_test(test_many_about_last),
        cmocka_unit_test(test_same_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
