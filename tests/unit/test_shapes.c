/*
 * test_shapes.c - shapes of requests: the example of docs/request-shapes.md and what it says of
 * requests; and what the rule language can say of items, schemas, neighbours and keys.
 */

#include "test.h"

#include "base/buf.h"
#include "base/file.h"
#include "request/preflight.h"

static cando_report report;

static const cando_catalog *build(const char *text)
{
    cando_error err = {0};
    const void *p;
    size_t n;
    cando_sources *s = cando_sources_new(NULL, NULL);
    static const char who[] = "schema = \"cando/rules@1\"\n[[providers]]\nid = \"acme\"\n";
    assert_int_equal(cando_sources_add(s, "p.toml", who, strlen(who), CANDO_SYNTAX_AUTO,
                                       CANDO_LAYER_FAMILY, NULL),
                     CANDO_OK);
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

/* What is found, as "code pointer severity" with semicolons between. */
static const char *judge(const cando_catalog *c, const char *provider, const char *api,
                         const char *request)
{
    static char out[4096];
    static const cando_target *t; /* kept for the report, up to the next one */
    cando_error err = {0};
    if (t)
        cando_target_release(t);
    t = cando_target_new(c, (cando_name){"m", provider}, 0, NULL, &err);
    assert_non_null(t);
    if (cando_preflight(t, api, request, strlen(request), false, &report, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    size_t n = cando_report_findings(&report, NULL);
    out[0] = '\0';
    for (size_t i = 0; i < n; i++) {
        static const char *const severities[] = {"note", "warning", "error"};
        char pointer[256], line[400];
        cando_finding f = cando_report_finding(&report, i);
        cando_report_pointer(&report, i, pointer, sizeof pointer);
        snprintf(line, sizeof line, "%s%s %s%s%s", i ? "; " : "", f.code, pointer,
                 f.severity == CANDO_ERROR ? "" : " ",
                 f.severity == CANDO_ERROR ? "" : severities[f.severity]);
        strncat(out, line, sizeof out - strlen(out) - 1);
    }
    return out;
}

static void want(const cando_catalog *c, const char *provider, const char *api, const char *request,
                 const char *findings)
{
    const char *have = judge(c, provider, api, request);
    if (strcmp(have, findings) != 0)
        fail_msg("%s\n  has '%s'\n  not '%s'", request, have, findings);
}

/* -- the example of the page ---------------------------------------------------------------- */

static const cando_catalog *example(void)
{
    char *page;
    size_t n;
    cando_error err;
    if (file_read("docs/request-shapes.md", 1 << 20, NULL, &page, &n, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    char *text = strstr(page, "```toml\n");
    assert_non_null(text);
    text += 8;
    char *end = strstr(text, "\n```");
    assert_non_null(end);
    *end = '\0';
    const cando_catalog *c = build(text);
    mem_free(NULL, page, n + 1);
    return c;
}

#define USER "{\"role\":\"user\",\"content\":\"x\"}"
#define GOOD "{\"model\":\"m\",\"messages\":[" USER "]"

static void test_example(void **state)
{
    (void)state;
    static const struct {
        const char *request, *findings;
    } cases[] = {
        {GOOD "}", ""},
        {GOOD ",\"temperature\":null,\"stop\":[\"a\",\"b\"],\"tool_choice\":\"auto\"}", ""},
        {GOOD ",\"temperature\":2.5}", "value-out-of-range /temperature"},
        {GOOD ",\"temperature\":\"1\"}", "wrong-kind /temperature"},
        {GOOD ",\"max_tokens\":1.5}", "wrong-kind /max_tokens"},
        {GOOD ",\"max_tokens\":1.0}", ""},
        {GOOD ",\"max_length\":\"1\"}", "wrong-kind /max_length warning"},
        {GOOD ",\"max_token\":1}", "member-unknown /max_token"},
        {GOOD ",\"x\":null}", "member-unknown /x"},
        {GOOD ",\"x\":{\"a\":[1]},\"y\":[{}]}", "member-unknown /x; member-unknown /y"},
        {GOOD ",\"stop\":[\"a\",\"\"]}", "limit-exceeded /stop/1"},
        {GOOD ",\"stop\":[\"a\",\"b\",\"c\",\"d\",\"e\"]}", "limit-exceeded /stop"},
        {GOOD ",\"stop\":\"\"}", ""},
        {GOOD ",\"tool_choice\":\"maybe\"}", "value-unsupported /tool_choice"},
        {GOOD ",\"tool_choice\":{\"type\":\"function\"}}", "parameter-required /tool_choice"},
        {GOOD ",\"tool_choice\":7}", "wrong-kind /tool_choice"},
        {"{\"messages\":[]}", "parameter-required ; limit-exceeded /messages"},
        {"[]", "wrong-kind "},
        {"7", "wrong-kind "},
        /* which message it is, its role says, wherever that stands */
        {"{\"model\":\"m\",\"messages\":[{\"content\":\"x\",\"role\":\"user\"}]}", ""},
        {"{\"model\":\"m\",\"messages\":[{\"content\":\"x\",\"ro\\u006ce\":\"\\u0075ser\"}]}", ""},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"\"}]}",
         "limit-exceeded /messages/0/content"},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"robot\",\"content\":\"\"}]}",
         "value-unsupported /messages/0/role"},
        {"{\"model\":\"m\",\"messages\":[{\"content\":\"x\"},7]}",
         "parameter-required /messages/0; wrong-kind /messages/1"},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"system\",\"content\":\"x\",\"name\":\"n\"}]}",
         "member-unknown /messages/0/name"},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"assistant\",\"content\":null}]}",
         "parameter-required /messages/0"},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"assistant\",\"content\":null,"
         "\"tool_calls\":[]}]}",
         ""},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"tool\",\"content\":\"x\","
         "\"toolCallId\":\"i\"}]}",
         ""},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"new\"},"
         "{\"type\":\"text\"},{\"type\":\"image_url\",\"image_url\":{\"detail\":\"x\"}}]}]}",
         "parameter-required /messages/0/content/1; "
         "parameter-required /messages/0/content/2/image_url; "
         "value-unsupported /messages/0/content/2/image_url/detail"},
        {GOOD ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"a b\","
              "\"parameters\":{\"x\":[1,{}]}}}]}",
         "value-malformed /tools/0/function/name"},
        {GOOD ",\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"a\",\"parameters\":{}}},"
              "{\"type\":\"function\",\"function\":{\"name\":\"\\u0061\",\"parameters\":{}}}]}",
         "value-repeated /tools/1/function/name"},
        {GOOD ",\"metadata\":{\"a\":\"b\",\"\":\"c\",\"d\":5}}",
         "value-malformed /metadata/; wrong-kind /metadata/d"},
        {GOOD ",\"response_format\":{\"type\":\"text\",\"json_schema\":{},\"grammar\":\"g\"}}",
         "parameters-conflict /response_format/grammar"},
    };
    const cando_catalog *c = example();
    for (size_t i = 0; i < LENGTH(cases); i++)
        want(c, "acme", "mistral-chat", cases[i].request, cases[i].findings);
    /* what is adjusted for all but one */
    want(c, "other", "mistral-chat", GOOD ",\"max_token\":1,\"max_tokens\":\"\"}",
         "wrong-kind /max_tokens");
    cando_catalog_release(c);
}

static void test_words(void **state)
{
    (void)state;
    static const struct {
        const char *request, *message, *rule;
    } cases[] = {
        {GOOD ",\"max_token\":1}", "unknown member \"max_token\"; did you mean \"max_tokens\"?",
         "request"},
        {GOOD ",\"tool_choice\":\"maybe\"}",
         "must be one of \"auto\", \"none\", \"any\", \"required\"; it is \"maybe\"",
         "request.tool_choice"},
        {GOOD ",\"stop\":7}", "must be a string, an array or null; it is a number", "request.stop"},
        {GOOD ",\"max_tokens\":0}", "must be at least 1; it is 0", "request.max_tokens"},
        {GOOD ",\"temperature\":9}", "must be from 0 to 2; it is 9", "request.temperature"},
        {GOOD ",\"max_tokens\":1.5}", "must be a whole number or null; it is a number, 1.5",
         "request.max_tokens"},
        {"{\"model\":\"m\"}", "\"messages\" is required", "request.messages"},
        {"{\"model\":\"m\",\"messages\":[]}", "must have at least 1 items; has 0",
         "request.messages"},
        {GOOD ",\"stop\":[\"a\",\"b\",\"c\",\"d\",\"e\",\"f\"]}",
         "must have at most 4 items; has 6", "request.stop"},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"assistant\"}]}",
         "must have at least one of \"content\", \"tool_calls\"; has none", "assistant_message"},
        {"{\"model\":\"m\",\"messages\":[{\"role\":\"robot\"}]}",
         "must be one of \"system\", \"user\", \"assistant\", \"tool\"; it is \"robot\"",
         "message"},
    };
    const cando_catalog *c = example();
    cando_room *room = cando_room_new(NULL, NULL);
    for (size_t i = 0; i < LENGTH(cases); i++) {
        size_t n;
        judge(c, "acme", "mistral-chat", cases[i].request);
        const cando_finding *f = cando_report_words(&report, room, &n, NULL);
        assert_non_null(f);
        assert_int_equal(n, 1);
        assert_string_equal(f->message, cases[i].message);
        assert_string_equal(f->rule, cases[i].rule);
        assert_string_equal(f->source, "https://docs.acme.example/openapi.json");
    }
    cando_room_free(room);
    cando_catalog_release(c);
}

/* What is not known can be left out, and a number moved into its range; both lose something. */
static void test_repairs(void **state)
{
    (void)state;
    static const char request[] = GOOD ",\"max_token\":[1],\"temperature\":9}";
    static const char repaired[] = GOOD ",\"temperature\":2}";
    const cando_catalog *c = example();
    const cando_target *t = cando_target_new(c, (cando_name){"m", "acme"}, 0, NULL, NULL);
    cando_error err = {0};
    size_t n, length, used = 0;
    char out[sizeof request];
    assert_int_equal(
        cando_preflight(t, "mistral-chat", request, strlen(request), true, &report, &err),
        CANDO_OK);
    assert_int_equal(cando_report_verdict(&report), CANDO_REWRITE);
    const cando_bytes *piece = cando_report_rewrite(&report, &n, &length, &err);
    assert_int_equal(length, strlen(repaired));
    for (size_t i = 0; i < n; used += piece[i++].n)
        memcpy(out + used, piece[i].p, piece[i].n);
    assert_memory_equal(out, repaired, length);
    cando_target_release(t);
    cando_catalog_release(c);
}

/* -- the language ----------------------------------------------------------------------------- */

#define HEAD "schema = \"cando/requests@1\"\ndialect = \"openai-chat\"\n"
#define RULE "[[rules]]\nkind = \"structure\"\nmessage = \"m\"\nsource = \"s\"\nname = "
#define FOUND "structure-invalid "

struct language {
    const char *rules, *request, *findings;
};

static void speak(const struct language *cases, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        char text[4096];
        snprintf(text, sizeof text, HEAD "%s", cases[i].rules);
        const cando_catalog *c = build(text);
        want(c, "p", "openai-chat", cases[i].request, cases[i].findings);
        cando_catalog_release(c);
    }
}

static void test_star(void **state)
{
    (void)state;
    static const char rules[] =
        RULE "\"a\"\nat = \"m[]\"\nwhen = \"*\"\nknown = [\"x\", \"y\"]\n" RULE
             "\"b\"\nat = \"m[]\"\nwhen = { path = \"z\", is = \"never\" }\n";
    static const struct language cases[] = {
        {rules, "{\"m\":[{\"x\":1,\"y\":2}]}", ""},
        {rules, "{\"m\":[{\"z\":1}]}",
         FOUND "/m/0/z"}, /* that another rule names it is no matter */
        {rules, "{\"m\":[{\"x\":1,\"w\":{}}]}", FOUND "/m/0/w"},
    };
    speak(cases, LENGTH(cases));
}

static void test_schemas(void **state)
{
    (void)state;
    static const char items[] =
        RULE "\"a\"\nat = \"s~\"\nwhen = { path = \"type\", is = \"array\" }\nnone = \"items\"\n";
    static const char root[] = RULE "\"a\"\nwhen = \"s\"\nnone = \"s.closed\"\n" RULE
                                    "\"b\"\nwhen = { path = \"s~.closed\", is = \"never\" }\n";
    static const char both[] =
        RULE "\"a\"\nat = \"s\"\nnone = \"k\"\n" RULE "\"b\"\nat = \"s~\"\nwhen = \"bad\"\n";
    static const struct language cases[] = {
        {items, "{\"s\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}", ""},
        {items, "{\"s\":{\"type\":\"array\",\"items\":true}}", ""},
        {items, "{\"s\":{\"items\":{\"type\":\"array\"},\"type\":\"array\"}}",
         FOUND "/s/items/type"},
        {items,
         "{\"s\":{\"properties\":{\"a\":{\"type\":\"array\"},\"items\":{\"type\":\"array\","
         "\"items\":{}}}}}",
         FOUND "/s/properties/a/type"},
        {root, "{\"s\":{\"properties\":{\"x\":{\"closed\":1}}}}", FOUND "/s"},
        {root, "{\"s\":{\"closed\":1}}", ""},
        {both, "{\"s\":{\"properties\":{\"x\":{\"k\":1,\"bad\":2}}}}",
         FOUND "/s; " FOUND "/s/properties/x/bad"},
        {both, "{\"s\":{\"k\":1,\"bad\":2}}", FOUND "/s/bad"},
    };
    speak(cases, LENGTH(cases));
}

/* Of an item and of the request, whichever comes first. */
static void test_joined(void **state)
{
    (void)state;
    static const char rules[] =
        RULE "\"a\"\nat = \"m[]\"\nwhen = [\"x\", { path = \"/k\", is = \"on\" }]\n"
             "none = \"/off\"\n";
    static const char last[] = RULE "\"a\"\nat = \"m[-1]\"\nwhen = [\"x\", \"/k\"]\n";
    static const struct language cases[] = {
        {rules, "{\"k\":\"on\",\"m\":[{\"x\":1},{},{\"x\":2}]}", FOUND "/m/0/x; " FOUND "/m/2/x"},
        {rules, "{\"m\":[{\"x\":1}],\"k\":\"on\"}", FOUND "/m/0/x"},
        {rules, "{\"m\":[{\"x\":1}],\"k\":\"no\"}", ""},
        {rules, "{\"m\":[{\"x\":1}],\"k\":\"on\",\"off\":1}", ""},
        {rules, "{\"m\":[{}],\"k\":\"on\"}", ""},
        {last, "{\"m\":[{\"x\":1},{\"x\":2}],\"k\":1}", FOUND "/m/1/x"},
        {last, "{\"m\":[{\"x\":1},{}],\"k\":1}", ""},
        {last, "{\"m\":[{\"x\":1}]}", ""},
    };
    speak(cases, LENGTH(cases));
}

/* Of an item and of the one around it. */
static void test_around(void **state)
{
    (void)state;
    static const char rules[] =
        RULE "\"a\"\nat = \"t[].f.s~\"\nwhen = [{ path = \"type\", is = \"object\" }, "
             "{ path = \"^f.strict\", is = true }]\nnone = [\"closed\", \"^off\"]\n";
#define OPEN "\"s\":{\"type\":\"object\",\"closed\":1,\"items\":{\"type\":\"object\"}}"
    static const struct language cases[] = {
        {rules, "{\"t\":[{\"f\":{\"strict\":true," OPEN "}},{\"f\":{" OPEN "}}]}",
         FOUND "/t/0/f/s/items/type"},
        {rules, "{\"t\":[{\"f\":{" OPEN ",\"strict\":true}}]}", FOUND "/t/0/f/s/items/type"},
        {rules, "{\"t\":[{\"f\":{" OPEN "}},{\"f\":{\"strict\":true}}]}", ""},
        {rules, "{\"t\":[{\"f\":{" OPEN ",\"strict\":true},\"off\":1}]}", ""},
    };
#undef OPEN
    speak(cases, LENGTH(cases));
}

static void test_neighbours(void **state)
{
    (void)state;
    static const char follows[] =
        RULE "\"a\"\nat = \"m[]\"\nwhen = \"call\"\nnext_none = \"answer\"\n";
    static const char before[] =
        RULE "\"a\"\nat = \"m[]\"\nwhen = \"answer\"\nprev_none = [\"call\", \"answer\"]\n";
    static const char twice[] = RULE "\"a\"\nat = \"m[].c[]\"\nwhen = \"x\"\nnext = \"x\"\n";
    static const struct language cases[] = {
        {follows, "{\"m\":[{\"call\":1},{\"answer\":1}]}", ""},
        {follows, "{\"m\":[{\"call\":1},{},{\"answer\":1}]}", FOUND "/m/0/call"},
        {follows, "{\"m\":[{},{\"call\":1}]}", FOUND "/m/1/call"},
        {before, "{\"m\":[{\"answer\":1},{\"call\":1},{\"answer\":1},{\"answer\":1}]}",
         FOUND "/m/0/answer"},
        {twice, "{\"m\":[{\"c\":[{\"x\":1}]},{\"c\":[{\"x\":1},{},{\"x\":1},{\"x\":2}]}]}",
         FOUND "/m/1/c/2/x"},
    };
    speak(cases, LENGTH(cases));
}

static void test_keys(void **state)
{
    (void)state;
    static const char rules[] =
        RULE "\"a\"\nany = [{ path = \"s~.properties.*\", key_not_length = [1, 3] }, "
             "{ path = \"s~.properties.*\", key_not_chars = \"a-z\" }]\n";
    static const char covers[] =
        RULE "\"a\"\nat = \"s~\"\nwhen = \"properties\"\ncheck = \"required-covers\"\n";
    static const char strict[] =
        RULE "\"a\"\nat = \"t[].s~\"\nwhen = [\"properties\", { path = \"^on\", is = true }]\n"
             "check = \"required-covers\"\n";
    static const char unique[] = RULE "\"a\"\nwhen = \"t\"\ncheck = \"unique\"\n"
                                      "[[rules]]\nname = \"e\"\nat = \"t[]\"\nwhen = \"n\"\n"
                                      "event = \"name\"\n";
    static const char calls[] = RULE "\"a\"\nwhen = \"t\"\ncheck = \"calls-once\"\n"
                                     "[[rules]]\nname = \"e\"\nat = \"t[]\"\nwhen = \"n\"\n"
                                     "event = \"call\"\n";
    static const char chosen[] = RULE "\"a\"\nwhen = \"c\"\ncheck = \"chosen-known\"\n"
                                      "[[rules]]\nname = \"e\"\nat = \"t[]\"\nwhen = \"n\"\n"
                                      "event = \"name\"\n"
                                      "[[rules]]\nname = \"f\"\nat = \"c[]\"\nwhen = \"n\"\n"
                                      "event = \"chosen\"\n";
    static const char blank[] = RULE "\"a\"\nwhen = { path = \"s\", blank = true }\n";
    static const char holds[] = RULE "\"a\"\nwhen = { path = \"s\", holds = [\"  \", \"/x\"] }\n";
    static const char later[] =
        RULE "\"a\"\nat = \"t[]\"\nwhen = \"c\"\nunless_later = [\"u\", \"w\"]\n"
             "unless_later_any = \"e\"\n";
    static const struct language cases[] = {
        {calls, "{\"t\":[{\"n\":\"a\"},{\"n\":\"b\"},{\"n\":\"\\u0061\"}]}", FOUND "/t/2/n"},
        {chosen, "{\"c\":[{\"n\":\"b\"}],\"t\":[{\"n\":\"a\"},{\"n\":\"\\u0062\"}]}", ""},
        {chosen, "{\"t\":[{\"n\":\"a\"},{\"n\":\"b\"}],\"c\":[{\"n\":\"c\"}]}", FOUND "/c/0/n"},
        {blank, "{\"s\":\"\"}", FOUND "/s"},
        {blank, "{\"s\":\" \\n\\u0020\\t\"}", FOUND "/s"},
        {blank, "{\"s\":\" \\n.\"}", ""},
        {holds, "{\"s\":\"a b c\"}", ""},
        {holds, "{\"s\":\"a \\u0020c\"}", FOUND "/s"},
        {holds, "{\"s\":\"a/x\"}", FOUND "/s"},
        {later, "{\"t\":[{\"c\":1},{\"u\":1},{\"w\":1}]}", FOUND "/t/0/c"},
        {later, "{\"t\":[{\"c\":1},{\"c\":2},{\"u\":1,\"w\":1},{}]}", ""},
        {later, "{\"t\":[{\"c\":1},{\"u\":1,\"w\":1},{\"c\":1},{\"c\":2},{}]}", FOUND "/t/2/c"},
        {later, "{\"t\":[{\"c\":1},{},{\"e\":1}]}", ""},
        {later, "{\"t\":[{\"u\":1,\"w\":1},{\"c\":1}]}", FOUND "/t/1/c"},
        {rules, "{\"s\":{\"properties\":{\"abc\":{},\"x\":true}}}", ""},
        {rules, "{\"s\":{\"properties\":{\"a\":{\"properties\":{\"abcd\":{}}}}}}",
         FOUND "/s/properties/a/properties/abcd"},
        {rules, "{\"s\":{\"properties\":{\"a\\u0062\":{}, \"A\" : 1}}}", FOUND "/s/properties/A"},
        {covers, "{\"s\":{\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"b\",\"\\u0061\"]}}",
         ""},
        {covers, "{\"s\":{\"properties\":{\"a\":{},\"b\":{}},\"required\":[\"a\"]}}",
         FOUND "/s/required"},
        {covers,
         "{\"s\":{\"properties\":{\"a\":{\"properties\":{\"x\":{}}}},\"required\":[\"a\"]}}",
         FOUND "/s/properties/a"},
        {strict,
         "{\"t\":[{\"s\":{\"properties\":{\"a\":{}}}},"
         "{\"s\":{\"properties\":{\"a\":{}}},\"on\":true}]}",
         FOUND "/t/1/s"},
        {unique, "{\"t\":[{\"n\":\"a\"},{\"n\":\"b\"},{\"n\":\"\\u0061\"}]}", FOUND "/t/2/n"},
    };
    speak(cases, LENGTH(cases));
}

static void test_pictures(void **state)
{
    (void)state;
    static const char rules[] = RULE "\"a\"\nwhen = { path = \"i\", side_outside = [1, 8000] }\n";
    /* a PNG of 9000 by 16, and one of 16 by 16 */
    static const struct language cases[] = {
        {rules, "{\"i\":\"iVBORw0KGgoAAAANSUhEUgAAIygAAAAQCAYAAAA=\"}", FOUND "/i"},
        {rules, "{\"i\":\"data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAABAAAAAQCAYAAAA=\"}", ""},
        {rules, "{\"i\":\"https://x.example/y.png\"}", ""},
    };
    speak(cases, LENGTH(cases));
}

/* An API that takes both spellings of all its names. */
static void test_snake(void **state)
{
    (void)state;
    static const char rules[] =
        "also_snake = true\nroot = \"r\"\nsource = \"s\"\n" RULE
        "\"a\"\nwhen = { path = \"oneTwo.threeFour\", is = \"x\" }\n"
        "[shape.r]\nclosed = true\nrequired = [\"oneTwo\"]\n"
        "members = { oneTwo = \"in\" }\n[shape.in]\nmembers = { threeFour = \"string\" }\n";
    static const struct language cases[] = {
        {rules, "{\"oneTwo\":{\"threeFour\":\"x\"}}", FOUND "/oneTwo/threeFour"},
        {rules, "{\"one_two\":{\"three_four\":\"x\"}}", FOUND "/one_two/three_four"},
        {rules, "{\"one_two\":{\"three_four\":1}}", "wrong-kind /one_two/three_four"},
        {rules, "{\"one_tow\":{}}", "parameter-required ; member-unknown /one_tow"},
    };
    speak(cases, LENGTH(cases));
}

/* What is switched on beside the request; where nobody says what is, nothing is said of it. */
static void test_betas(void **state)
{
    (void)state;
    static const char text[] =
        HEAD RULE "\"a\"\nwhen = [\"x\", \"@betas\"]\nnone = { path = "
                  "\"@betas[]\", is = \"new-2026\" }\n" RULE "\"b\"\nat = \"m[]\"\nwhen = [\"y\", "
                  "{ path = \"@betas[]\", prefix = \"new-\" }]\n";
    static const char request[] = "{\"x\":1,\"m\":[{\"y\":2}],\"@betas\":[\"new-2026\"]}";
    const cando_catalog *c = build(text);
    const cando_target *t = cando_target_new(c, (cando_name){"m", "p"}, 0, NULL, NULL);
    static const struct {
        bool known;
        const char *beta, *pointer;
    } cases[] = {{false, NULL, ""}, {true, NULL, "/x"}, {true, "new-2026", "/m/0/y"}};
    for (size_t i = 0; i < LENGTH(cases); i++) {
        char pointer[32] = "";
        struct str beta = str_of(cases[i].beta ? cases[i].beta : "");
        report.beside = (struct scan_beside){
            .known = cases[i].known, .beta = &beta, .n_betas = beta.n > 0};
        assert_int_equal(
            cando_preflight(t, "openai-chat", request, strlen(request), false, &report, NULL),
            CANDO_OK);
        assert_int_equal(cando_report_findings(&report, NULL), i > 0);
        cando_report_pointer(&report, 0, pointer, sizeof pointer);
        assert_string_equal(pointer, cases[i].pointer);
    }
    report.beside = (struct scan_beside){0};
    cando_target_release(t);
    cando_catalog_release(c);
}

/* More conditions about the items of one array than a word has bits. */
static void test_many_slots(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 1 << 20);
    buf_putz(&b, HEAD);
    for (unsigned i = 0; i < 200; i++)
        buf_printf(&b, RULE "\"r%u\"\nat = \"m[]\"\nwhen = \"k%u\"\nprev = \"j%u\"\n", i, i, i);
    const cando_catalog *c = build(buf_cstr(&b));
    want(c, "p", "openai-chat", "{\"m\":[{\"j7\":1,\"j150\":1},{\"k7\":1,\"k150\":2,\"k3\":1}]}",
         FOUND "/m/1/k7; " FOUND "/m/1/k150");
    cando_catalog_release(c);
    buf_free(&b);
}

/* One rule may have as many conditions about an item as a word has bits, and no more. */
static void test_most_slots(void **state)
{
    (void)state;
    for (unsigned n = 64; n <= 65; n++) {
        struct buf b, request;
        cando_error err = {0};
        const void *p;
        size_t size;
        buf_init(&b, NULL, 1 << 20);
        buf_init(&request, NULL, 1 << 20);
        buf_putz(&b, HEAD RULE "\"r\"\nat = \"m[]\"\nwhen = [");
        buf_putz(&request, "{\"m\":[{");
        for (unsigned i = 0; i < n; i++) {
            buf_printf(&b, "%s\"k%u\"", i ? ", " : "", i);
            buf_printf(&request, "%s\"k%u\":1", i ? "," : "", i);
        }
        buf_putz(&b, "]\n");
        buf_putz(&request, "}]}");
        cando_sources *s = cando_sources_new(NULL, NULL);
        assert_int_equal(cando_sources_add(s, "t.toml", b.p, b.n, CANDO_SYNTAX_AUTO,
                                           CANDO_LAYER_FAMILY, NULL),
                         CANDO_OK);
        cando_status st = cando_sources_build(s, &p, &size, &err);
        if (n == 64) {
            assert_int_equal(st, CANDO_OK);
            const cando_catalog *c = cando_catalog_open_copy(p, size, NULL, &err);
            assert_non_null(c);
            want(c, "p", "openai-chat", buf_cstr(&request), FOUND "/m/0/k0");
            cando_catalog_release(c);
        } else {
            assert_int_equal(st, CANDO_BAD_INPUT);
            assert_string_equal(err.code, "too-long");
        }
        cando_sources_free(s);
        buf_free(&b);
        buf_free(&request);
    }
}

/* Alternatives that nobody can tell apart may hold anything; a shape may hold itself. */
static void test_alternatives(void **state)
{
    (void)state;
    static const char rules[] =
        "root = \"r\"\nsource = \"s\"\nnulls = true\n[shape.r]\n"
        "members = { two = \"a | b\", any = \"object | a\", list = \"a[] | names\", deep = \"r\", "
        "odd = \"odd\" }\n"
        "[shape.a]\nrequired = [\"x\"]\nmembers = { x = \"string\" }\n"
        "[shape.b]\nrequired = [\"y\"]\nmembers = { y = \"string\" }\n"
        "[shape.names]\nis = \"string[]\"\n[shape.odd]\nis = \"odd\"\n";
    static const struct language cases[] = {
        {rules, "{\"two\":{\"x\":\"\"},\"deep\":{\"two\":{\"y\":\"\"}},\"odd\":7}", ""},
        {rules, "{\"any\":{\"z\":1},\"list\":[\"n\"],\"two\":null}", ""},
        {rules, "{\"deep\":{\"deep\":{\"two\":[]}}}", "wrong-kind /deep/deep/two"},
    };
    speak(cases, LENGTH(cases));
}

/* A shape of one provider, beside everybody's. */
static void test_providers(void **state)
{
    (void)state;
    cando_error err = {0};
    static const char all[] = HEAD "root = \"r\"\nsource = \"s\"\n[shape.r]\nmembers = { x = "
                                   "\"string\" }\n",
                      own[] = HEAD "root = \"r\"\nproviders = [\"mine\"]\nsource = \"s\"\n"
                                   "[shape.r]\nmembers = { x = \"number\" }\n",
                      who[] = "schema = \"cando/rules@1\"\n[[providers]]\nid = \"mine\"\n";
    const void *p;
    size_t n;
    cando_sources *s = cando_sources_new(NULL, NULL);
    const char *const texts[] = {all, own, who};
    for (size_t i = 0; i < 3; i++) {
        char name[16];
        snprintf(name, sizeof name, "t%zu.toml", i);
        assert_int_equal(cando_sources_add(s, name, texts[i], strlen(texts[i]), CANDO_SYNTAX_AUTO,
                                           CANDO_LAYER_FAMILY, NULL),
                         CANDO_OK);
    }
    assert_int_equal(cando_sources_build(s, &p, &n, &err), CANDO_OK);
    const cando_catalog *c = cando_catalog_open_copy(p, n, NULL, &err);
    assert_non_null(c);
    cando_sources_free(s);
    want(c, "mine", "openai-chat", "{\"x\":1}", "");
    want(c, "mine", "openai-chat", "{\"x\":\"\"}", "wrong-kind /x");
    want(c, "yours", "openai-chat", "{\"x\":1}", "wrong-kind /x");
    cando_catalog_release(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),      cmocka_unit_test(test_words),
        cmocka_unit_test(test_repairs),      cmocka_unit_test(test_star),
        cmocka_unit_test(test_schemas),      cmocka_unit_test(test_joined),
        cmocka_unit_test(test_neighbours),   cmocka_unit_test(test_keys),
        cmocka_unit_test(test_pictures),     cmocka_unit_test(test_snake),
        cmocka_unit_test(test_many_slots),
        cmocka_unit_test(test_most_slots),   cmocka_unit_test(test_around),
        cmocka_unit_test(test_alternatives), cmocka_unit_test(test_betas),
        cmocka_unit_test(test_providers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
