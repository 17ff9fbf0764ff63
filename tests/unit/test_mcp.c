/*
 * test_mcp.c - the Model Context Protocol, a message at a time: eras, errors, headers, tools.
 *
 * Every reply is parsed, has the version of JSON-RPC, and either a result or an error; of the new
 * era each result says what it is.
 */
#include "test.h"

#include "mcp/mcp.h"
#include "text/json.h"

#define META                                                                                       \
    "\"_meta\":{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","                       \
    "\"io.modelcontextprotocol/clientCapabilities\":{}}"
#define NEW(id, method, more)                                                                      \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":{" META more "}}"
#define OLD(id, method, params)                                                                    \
    "{\"jsonrpc\":\"2.0\",\"id\":" id ",\"method\":\"" method "\",\"params\":" params "}"
#define TOOL(name, args) OLD("1", "tools/call", "{\"name\":\"" name "\",\"arguments\":" args "}")

static struct mcp *server;
static cando *engine;
static cando_room *room;
static struct buf out;

static int begin(void **state)
{
    (void)state;
    cando_error err = {0};
    server = mcp_new(&err);
    engine = cando_new(NULL, NULL, &err);
    room = cando_room_new(NULL, &err);
    buf_init(&out, NULL, LIMIT_MCP_REPLY);
    return server && engine && room ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    mcp_free(server);
    cando_free(engine);
    cando_room_free(room);
    buf_free(&out);
    return 0;
}

/* The reply, or NULL if there is none. */
static const struct json *answer(struct mcp_session *s, const struct mcp_headers *h,
                                 struct str text, unsigned status)
{
    buf_clear(&out);
    unsigned have = mcp_answer(server, engine, s, h, text, room, &out);
    cando_room_clear(room);
    if (have != status)
        fail_msg("want %u, have %u for %.*s: %.*s", status, have, STR_ARG(text),
                 STR_ARG(str_make(out.p, out.n)));
    if (!out.n) {
        assert_int_equal(have, 202);
        return NULL;
    }
    assert_null(memchr(out.p, '\n', out.n)); /* it is one line */
    const struct json *v = json_of_str(str_dup(&arena, str_make(out.p, out.n)));
    assert_true(str_is(json_get(v, "jsonrpc")->text, "2.0"));
    assert_true(!json_get(v, "result") != !json_get(v, "error"));
    return v;
}

/* On stdio, after the handshake unless the session is given. */
static const struct json *say(const char *text)
{
    struct mcp_session s = {.version = 1};
    buf_clear(&out);
    unsigned status = mcp_answer(server, engine, &s, NULL, str_of(text), room, &out);
    return answer(&s, NULL, str_of(text), status);
}

static const struct json *at(const struct json *v, const char *pointer)
{
    const struct json *x = json_pointer(v, str_of(pointer));
    if (!x)
        fail_msg("nothing at %s in %.*s", pointer, STR_ARG(str_make(out.p, out.n)));
    return x;
}

static void is_text(const struct json *v, const char *pointer, const char *want)
{
    const struct json *x = at(v, pointer);
    if (x->kind != JSON_STRING || !str_is(x->text, want))
        fail_msg("at %s: want '%s', have '%.*s'", pointer, want, STR_ARG(x->text));
}

static void has_text(const struct json *v, const char *pointer, const char *want)
{
    const struct json *x = at(v, pointer);
    if (x->kind != JSON_STRING || str_find(x->text, str_of(want)) == SIZE_MAX)
        fail_msg("at %s: want '%s' in '%.*s'", pointer, want, STR_ARG(x->text));
}

static void refused(const struct json *v, const char *code)
{
    const struct json *x = at(v, "/error/code");
    if (!str_is(x->text, code))
        fail_msg("want %s, have %.*s", code, STR_ARG(str_make(out.p, out.n)));
    assert_true(at(v, "/error/message")->text.n > 0);
}

/* -- JSON-RPC -- */

static void test_no_messages(void **state)
{
    (void)state;
    static const struct {
        const char *text, *code;
    } row[] = {
        {"{", "-32700"},
        {"nothing", "-32700"},
        {"", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":1,\"method\":\"ping\"}", "-32700"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"pi\xff\"}", "-32700"},
        {"[]", "-32600"},
        {"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", "-32600"},
        {"17", "-32600"},
        {"{}", "-32600"},
        {"{\"id\":1,\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":7}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":true,\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", "-32600"},
        {"{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}", "-32600"},
        {OLD("1", "ping", "[]"), "-32602"},
        {OLD("1", "ping", "null"), "-32602"},
        {OLD("1", "nothing/like/this", "{}"), "-32601"},
        {OLD("1", "prompts/list", "{}"), "-32601"},
        {OLD("1", "server/discover", "{}"), "-32601"},
        {OLD("1", "tools/list", "{\"cursor\":\"x\"}"), "-32602"},
        {OLD("1", "tools/call", "{}"), "-32602"},
        {OLD("1", "tools/call", "{\"name\":\"can_it\",\"arguments\":[]}"), "-32602"},
        {OLD("1", "tools/call", "{\"name\":\"can\"}"), "-32602"},
        {OLD("1", "resources/read", "{}"), "-32602"},
        {OLD("1", "initialize", "{}"), "-32602"},
    };
    for (size_t i = 0; i < LENGTH(row); i++)
        refused(say(row[i].text), row[i].code);
}

static void test_depth_is_bounded(void **state)
{
    (void)state;
    struct buf deep;
    buf_init(&deep, NULL, 1 << 20);
    buf_putz(&deep, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":{\"a\":");
    for (unsigned i = 0; i < 100000; i++)
        buf_putc(&deep, '[');
    refused(say(buf_cstr(&deep)), "-32700");
    buf_free(&deep);
}

static void test_ids_come_back(void **state)
{
    (void)state;
    static const char *const ids[] = {"1",       "0",   "-7",   "12345678901234567890",
                                      "1.50",    "1e3", "\"\"", "\"a\\u00e4\\\"b\"",
                                      "\"null\""};
    for (size_t i = 0; i < LENGTH(ids); i++) {
        char text[200];
        snprintf(text, sizeof text, OLD("%s", "ping", "{}"), ids[i]);
        const struct json *v = say(text);
        const struct json *id = at(v, "/id"), *want = json_of(ids[i]);
        assert_true(json_equal(id, want));
        assert_true(id->kind != JSON_NUMBER || str_eq(id->text, want->text));
        snprintf(text, sizeof text, OLD("%s", "no/method", "{}"), ids[i]);
        assert_true(json_equal(at(say(text), "/id"), want));
    }
}

/* What is no request gets no answer, however strange it is. */
static void test_notifications(void **state)
{
    (void)state;
    static const char *const text[] = {
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":9}}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"no/such\",\"params\":7}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"tools/list\"}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}",
        "{\"jsonrpc\":\"2.0\",\"id\":3,\"error\":{\"code\":1,\"message\":\"\"}}",
    };
    for (size_t i = 0; i < LENGTH(text); i++)
        assert_null(say(text[i]));
}

/* -- eras -- */

static void test_handshake(void **state)
{
    (void)state;
    static const char *const asked[][2] = {{"2025-06-18", "2025-06-18"},
                                           {"2025-11-25", "2025-11-25"},
                                           {"2024-11-05", "2025-11-25"},
                                           {"2026-07-28", "2025-11-25"},
                                           {"", "2025-11-25"}};
    for (size_t i = 0; i < LENGTH(asked); i++) {
        struct mcp_session s = {0};
        char text[300];
        refused(answer(&s, NULL, STR(OLD("1", "tools/list", "{}")), 400), "-32602");
        answer(&s, NULL, STR(OLD("1", "ping", "{}")), 200);
        snprintf(
            text, sizeof text,
            OLD("1", "initialize",
                "{\"protocolVersion\":\"%s\",\"capabilities\":{},\"clientInfo\":{\"name\":\"t\","
                "\"version\":\"1\"}}"),
            asked[i][0]);
        const struct json *v = answer(&s, NULL, str_of(text), 200);
        is_text(v, "/result/protocolVersion", asked[i][1]);
        is_text(v, "/result/serverInfo/name", "cando");
        is_text(v, "/result/serverInfo/version", CANDO_VERSION);
        assert_null(json_pointer(v, STR("/result/resultType")));
        assert_true(at(v, "/result/capabilities/tools")->kind == JSON_OBJECT);
        v = answer(&s, NULL, STR(OLD("1", "tools/list", "{}")), 200);
        assert_null(json_pointer(v, STR("/result/resultType")));
    }
}

static void test_without_handshake(void **state)
{
    (void)state;
    struct mcp_session s = {0};
    const struct json *v = answer(&s, NULL, STR(NEW("1", "server/discover", "")), 200);
    is_text(v, "/result/resultType", "complete");
    is_text(v, "/result/supportedVersions/0", "2026-07-28");
    is_text(v, "/result/cacheScope", "private");
    assert_true(at(v, "/result/ttlMs")->kind == JSON_NUMBER);
    is_text(v, "/result/_meta/io.modelcontextprotocol~1serverInfo/name", "cando");
    v = answer(&s, NULL, STR(NEW("1", "tools/list", "")), 200);
    is_text(v, "/result/resultType", "complete");
    assert_int_equal(s.version, 0); /* nothing is remembered */
    refused(answer(&s, NULL, STR(NEW("1", "initialize", "")), 404), "-32601");
    refused(answer(&s, NULL, STR(NEW("1", "ping", "")), 404), "-32601");
}

static void test_meta_is_judged(void **state)
{
    (void)state;
#define WITH(meta) OLD("5", "tools/list", "{\"_meta\":" meta "}")
    static const struct {
        const char *text, *code;
    } row[] = {
        {WITH("{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\"}"), "-32602"},
        {WITH("{\"io.modelcontextprotocol/protocolVersion\":\"2026-07-28\","
              "\"io.modelcontextprotocol/clientCapabilities\":[]}"),
         "-32602"},
        {WITH("{\"io.modelcontextprotocol/protocolVersion\":7}"), "-32602"},
        {WITH("{\"io.modelcontextprotocol/protocolVersion\":null}"), "-32602"},
        {WITH("{\"io.modelcontextprotocol/protocolVersion\":\"1900-01-01\"}"), "-32022"},
        {WITH("{\"io.modelcontextprotocol/protocolVersion\":\"2025-11-25\"}"), "-32022"},
    };
    struct mcp_session s = {0};
    for (size_t i = 0; i < LENGTH(row); i++) {
        const struct json *v = answer(&s, NULL, str_of(row[i].text), 400);
        refused(v, row[i].code);
        assert_true(str_is(at(v, "/id")->text, "5"));
        if (strcmp(row[i].code, "-32022") != 0)
            continue;
        is_text(v, "/error/data/supported/0", "2026-07-28");
        assert_true(at(v, "/error/data/requested")->kind == JSON_STRING);
    }
}

/* -- headers -- */

static void with_headers(const char *version, const char *method, const char *name,
                         const char *text, unsigned status, const char *code)
{
    const struct mcp_headers h = {version, method, name};
    const struct json *v = answer(NULL, &h, str_of(text), status);
    if (code)
        refused(v, code);
    else
        assert_non_null(json_get(v, "result"));
}

static void test_headers(void **state)
{
    (void)state;
    const char *list = NEW("1", "tools/list", "");
    const char *call = NEW("1", "tools/call", ",\"name\":\"what_retires\"");
    const char *read = NEW("1", "resources/read", ",\"uri\":\"cando://fields\"");
    const char *old = OLD("1", "tools/list", "{}");
    const char *first = OLD("1", "initialize", "{\"protocolVersion\":\"2025-11-25\"}");
    with_headers("2026-07-28", "tools/list", NULL, list, 200, NULL);
    with_headers(" 2026-07-28\t", " tools/list ", NULL, list, 200, NULL);
    with_headers(NULL, "tools/list", NULL, list, 400, "-32020");
    with_headers("2025-11-25", "tools/list", NULL, list, 400, "-32020");
    with_headers("2026-07-28", NULL, NULL, list, 400, "-32020");
    with_headers("2026-07-28", "TOOLS/LIST", NULL, list, 400, "-32020");
    with_headers("2026-07-28", "tools/call", "what_retires", call, 200, NULL);
    with_headers("2026-07-28", "tools/call", "=?base64?d2hhdF9yZXRpcmVz?=", call, 200, NULL);
    with_headers("2026-07-28", "tools/call", "=?base64?d2hhdF9yZXRpcmU=?=", call, 400, "-32020");
    with_headers("2026-07-28", "tools/call", "=?base64?d2hhdF9yZXRpcm!z?=", call, 400, "-32020");
    with_headers("2026-07-28", "tools/call", "=?base64?d2hhdF9yZXRpcmV?=", call, 400, "-32020");
    with_headers("2026-07-28", "tools/call", "=?base64?=", call, 400, "-32020");
    with_headers("2026-07-28", "tools/call", NULL, call, 400, "-32020");
    with_headers("2026-07-28", "tools/call", "can_it", call, 400, "-32020");
    with_headers("2026-07-28", "resources/read", "cando://fields", read, 200, NULL);
    with_headers("2026-07-28", "tools/list", NULL, old, 400, "-32602");
    with_headers("2026-07-28", NULL, NULL, first, 400, "-32020");
    with_headers("2026-07-28", "no/such", NULL, NEW("1", "no/such", ""), 404, "-32601");
    with_headers("2025-11-25", NULL, NULL, old, 200, NULL);
    with_headers("2025-06-18", NULL, NULL, old, 200, NULL);
    with_headers(NULL, NULL, NULL, old, 200, NULL); /* of before there was that header */
    with_headers("1900-01-01", NULL, NULL, old, 400, "-32022");
    with_headers(NULL, NULL, NULL, first, 200, NULL);
    with_headers("2025-11-25", NULL, NULL, OLD("1", "no/such", "{}"), 200, "-32601");
}

/* -- tools -- */

static void test_list(void **state)
{
    (void)state;
    const struct json *v = say(OLD("1", "tools/list", "{}")), *list = at(v, "/result/tools");
    assert_true(out.n < 24 * 1024);
    assert_true(list->n >= 5);
    for (size_t i = 0; i < list->n; i++) {
        const struct json *t = &list->item[i];
        is_text(t, "/inputSchema/type", "object");
        is_text(t, "/outputSchema/type", "object");
        assert_int_equal(at(t, "/annotations/readOnlyHint")->kind, JSON_TRUE);
        assert_int_equal(at(t, "/annotations/openWorldHint")->kind, JSON_FALSE);
        assert_true(at(t, "/inputSchema/properties")->n > 0);
        assert_true(at(t, "/outputSchema/properties")->n > 0);
        const struct json *needed = at(t, "/inputSchema/required");
        for (size_t k = 0; k < needed->n; k++)
            assert_non_null(json_member(at(t, "/inputSchema/properties"), needed->item[k].text));
    }
    for (size_t i = 0; i < list->n; i++)
        if (str_is(at(&list->item[i], "/name")->text, "check_request")) {
            at(&list->item[i], "/inputSchema/properties/request");
            is_text(&list->item[i], "/inputSchema/properties/target/type", "string");
        }
}

#define HELLO                                                                                      \
    "{\"model\":\"gpt-5.6-sol\",\"max_tokens\":500,\"messages\":[{\"role\":\"user\",\"content\":"  \
    "\"hi\"}]}"

static void test_tools_answer(void **state)
{
    (void)state;
    const struct json *v;
    v = say(
        TOOL("can_it",
             "{\"target\":\"openai/gpt-4o\",\"capabilities\":[\"function calling\",\"vision\"]}"));
    is_text(v, "/result/structuredContent/fields/tool_calling", "native");
    is_text(v, "/result/structuredContent/fields/input_image", "native");
    assert_int_equal(at(v, "/result/structuredContent/fields")->n, 2);
    at(v, "/result/structuredContent/why/tool_calling/checked");
    has_text(v, "/result/content/0/text", "tool_calling: native");
    v = say(TOOL("check_request", "{\"request\":" HELLO "}"));
    is_text(v, "/result/structuredContent/verdict", "rewrite");
    is_text(v, "/result/structuredContent/findings/0/path", "/max_tokens");
    has_text(v, "/result/content/0/text", "max_completion_tokens");
    v = say(TOOL("check_request", "{\"request\":\"{\\\"model\\\":\\\"gpt-5.6-sol\\\",\\n"
                                  "\\\"max_tokens\\\":5,\\\"messages\\\":[]}\"}"));
    is_text(v, "/result/structuredContent/dialect", "openai-chat"); /* JSON in a string will do */
    v = say(TOOL("fix_request", "{\"request\":" HELLO "}"));
    at(v, "/result/structuredContent/request/max_completion_tokens");
    is_text(v, "/result/structuredContent/changes/0/op", "move");
    v = say(TOOL("which_model", "{\"require\":[\"tool_calling\"],\"providers\":[\"openai\"],"
                                "\"limit\":2,\"offset\":1}"));
    assert_int_equal(at(v, "/result/structuredContent/models")->n, 2);
    is_text(v, "/result/structuredContent/models/0/provider", "openai");
    v = say(TOOL("what_cost", "{\"target\":\"openai/gpt-4o\",\"usage\":{\"input_tokens\":1000000,"
                              "\"output_tokens\":0}}"));
    is_text(v, "/result/structuredContent/total_cost", "2.5");
    v = say(TOOL("what_breaks", "{\"from\":\"openai/gpt-4o\",\"to\":\"anthropic/claude-opus-4-5\","
                                "\"need\":[\"input_audio\"]}"));
    is_text(v, "/result/structuredContent/verdict", "rejected");
    is_text(v, "/result/structuredContent/missing/0/capability", "input_audio");
    is_text(v, "/result/structuredContent/a", "openai/gpt-4o");
    v = say(TOOL("what_retires", "{\"models\":[\"claude-3-opus-20240229\"]}"));
    is_text(v, "/result/structuredContent/retiring/0/ending", "stopped");
}

static void test_tools_refuse(void **state)
{
    (void)state;
    static const struct {
        const char *text, *says;
    } row[] = {
        {TOOL("can_it", "{}"), "needs 'target'"},
        {TOOL("can_it", "{\"target\":\"gpt-4o\"}"), "openai/gpt-4o"},
        {TOOL("can_it", "{\"target\":\"openai/gpt-4o\",\"capabilities\":\"tools\"}"), "list"},
        {TOOL("can_it", "{\"target\":\"openai/gpt-4o\",\"capabilities\":[7]}"),
         "nothing is called"},
        {TOOL("can_it", "{\"target\":\"openai/gpt-4o\",\"capabilities\":[\"tools\\u0000x\"]}"),
         "nothing is called"},
        {TOOL("can_it", "{\"target\":\"openai/gpt-4o\",\"capabilities\":[\"tool_caling\"]}"),
         "did you mean tool_calling?"},
        {TOOL("can_it", "{\"targt\":\"openai/gpt-4o\"}"), "did you mean 'target'?"},
        {TOOL("can_it", "{\"target\":\"openai/gpt-4o\",\"rules\":{\"text\":\"\"}}"), "no argument"},
        {TOOL("check_request", "{\"request\":7}"), "error"},
        {TOOL("check_request", "{\"request\":" HELLO ",\"limit\":0}"), "from 1 to 100"},
        {TOOL("check_request", "{\"request\":" HELLO ",\"limit\":101}"), "from 1 to 100"},
        {TOOL("check_request", "{\"request\":" HELLO ",\"limit\":1.5}"), "from 1 to 100"},
        {TOOL("which_model", "{\"require\":[\"no_such\"]}"), "no_such"},
        {TOOL("which_model", "{\"offset\":-1}"), "whole number"},
        {TOOL("what_cost", "{\"target\":\"openai/gpt-4o\"}"), "usage"},
        {TOOL("what_breaks", "{\"from\":\"openai/gpt-4o\"}"), "needs 'to'"},
        {TOOL("what_breaks", "{\"from\":\"openai/gpt-4o\",\"to\":\"x\"}"), "provider"},
        {TOOL("what_breaks", "{\"from\":\"openai/gpt-4o\",\"to\":\"openai/gpt-4o\",\"need\":{}}"),
         "list"},
        {TOOL("what_retires", "{\"models\":[\"x\"],\"texts\":[]}"), "not both"},
        {TOOL("what_retires", "{\"models\":[7]}"), "list of names"},
    };
    for (size_t i = 0; i < LENGTH(row); i++) {
        const struct json *v = say(row[i].text);
        assert_int_equal(at(v, "/result/isError")->kind, JSON_TRUE);
        has_text(v, "/result/content/0/text", row[i].says);
        assert_null(json_pointer(v, STR("/result/structuredContent")));
    }
}

/* However much there is to say, it is cut, and how to get the rest is told. */
static void test_answers_are_short(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 1 << 22);
    buf_putz(&b,
             "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
             "\"check_request\",\"arguments\":{\"request\":{\"model\":\"gpt-4o\",\"messages\":[");
    for (unsigned i = 0; i < 80; i++)
        buf_printf(&b, "%s{\"role\":\"wrong\",\"content\":\"x\"}", i ? "," : "");
    buf_putz(&b, "]}}}}");
    const struct json *v = say(buf_cstr(&b));
    assert_int_equal(at(v, "/result/structuredContent/findings")->n, 10);
    at(v, "/result/structuredContent/more");
    assert_true(out.n < 12000);
    buf_clear(&b);
    buf_putz(&b, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":"
                 "\"fix_request\",\"arguments\":{\"request\":{\"model\":\"gpt-5.6-sol\","
                 "\"max_tokens\":5,\"messages\":[{\"role\":\"user\",\"content\":\"");
    for (unsigned i = 0; i < 100000; i++)
        buf_putc(&b, 'x');
    buf_putz(&b, "\"}]}}}}");
    v = say(buf_cstr(&b));
    is_text(v, "/result/structuredContent/changes/0/path", "/max_completion_tokens");
    assert_null(json_pointer(v, STR("/result/structuredContent/request")));
    has_text(v, "/result/content/0/text", "\"full\":true");
    assert_true(out.n < 2000);
    v = say(TOOL("which_model", "{}"));
    has_text(v, "/result/content/0/text", "\"offset\":5");
    assert_true(out.n < 6000);
    v = say(TOOL("what_retires", "{}"));
    has_text(v, "/result/content/0/text", "\"offset\":0");
    assert_true(out.n < 12000);
    v = say(TOOL("can_it", "{\"target\":\"anthropic/claude-opus-4-5\"}"));
    assert_true(out.n < 6000);
    buf_free(&b);
}

/* -- resources -- */

static void test_resources(void **state)
{
    (void)state;
#define READ(uri) OLD("1", "resources/read", "{\"uri\":\"" uri "\"}")
    const struct json *v = say(OLD("1", "resources/list", "{}"));
    is_text(v, "/result/resources/0/uri", "cando://catalog");
    v = say(OLD("1", "resources/templates/list", "{}"));
    is_text(v, "/result/resourceTemplates/0/uriTemplate", "cando://model/{provider}/{+model}");
    static const char *const same[] = {READ("cando://model/openai/gpt-4o"),
                                       READ("cando://model/openai/gpt%2D4o"),
                                       READ("cando://model/openai%2Fgpt-4o")};
    for (size_t i = 0; i < LENGTH(same); i++) {
        v = say(same[i]);
        const struct json *profile = json_of_str(at(v, "/result/contents/0/text")->text);
        is_text(profile, "/provider", "openai");
        is_text(profile, "/fields/tool_calling", "native");
        at(profile, "/why/tool_calling/source");
    }
    v = say(READ("cando://model/openrouter/openai/gpt-4o"));
    has_text(v, "/result/contents/0/text", "\"model\":\"openai/gpt-4o\"");
    v = say(READ("cando://catalog"));
    at(json_of_str(at(v, "/result/contents/0/text")->text), "/sources/0/checked");
    v = say(READ("cando://fields"));
    has_text(v, "/result/contents/0/text", "tool_calling: ");
    static const char *const none[] = {READ("cando://model/nobody/nothing"),
                                       READ("cando://model/"),
                                       READ("cando://model/%00"),
                                       READ("cando://model/openai"),
                                       READ("cando://model/%ff%ff/x"),
                                       READ("file:///etc/passwd"),
                                       READ("cando://"),
                                       READ("")};
    for (size_t i = 0; i < LENGTH(none); i++) {
        refused(say(none[i]), "-32002");
        assert_int_equal(at(say(none[i]), "/error/data/uri")->kind, JSON_STRING);
    }
    refused(say(NEW("1", "resources/read", ",\"uri\":\"cando://nothing\"")), "-32602");
}

static void test_completion(void **state)
{
    (void)state;
#define COMPLETE(arg, more)                                                                        \
    OLD("1", "completion/complete",                                                                \
        "{\"ref\":{\"type\":\"ref/resource\",\"uri\":\"cando://model/{provider}/{+model}\"},"      \
        "\"argument\":" arg more "}")
    const struct json *v = say(COMPLETE("{\"name\":\"provider\",\"value\":\"anth\"}", ""));
    is_text(v, "/result/completion/values/0", "anthropic");
    assert_int_equal(at(v, "/result/completion/values")->n, 1);
    v = say(COMPLETE("{\"name\":\"model\",\"value\":\"gpt-4o\"}",
                     ",\"context\":{\"arguments\":{\"provider\":\"openai\"}}"));
    is_text(v, "/result/completion/values/0", "gpt-4o");
    v = say(COMPLETE("{\"name\":\"model\",\"value\":\"\"}", ""));
    assert_int_equal(at(v, "/result/completion/values")->n, 100);
    assert_int_equal(at(v, "/result/completion/hasMore")->kind, JSON_TRUE);
    v = say(COMPLETE("{\"name\":\"model\",\"value\":\"zzzzz\"}", ""));
    assert_int_equal(at(v, "/result/completion/values")->n, 0);
    refused(say(COMPLETE("{\"name\":\"other\",\"value\":\"\"}", "")), "-32602");
    refused(say(COMPLETE("{\"name\":\"model\"}", "")), "-32602");
    refused(
        say(OLD("1", "completion/complete",
                "{\"ref\":{\"type\":\"ref/prompt\",\"name\":\"x\"},\"argument\":{\"name\":\"a\","
                "\"value\":\"\"}}")),
        "-32602");
}

/* JSON as the public functions show it. */
static void test_views(void **state)
{
    (void)state;
    static const char text[] = " {\"a\" : [1, \"x\\u0000y\", {\"b\":null}], \"c\":true} ";
    cando_json v, x;
    cando_bytes key;
    cando_error err = {0};
    assert_int_equal(cando_json_read(text, sizeof text - 1, room, &v, &err), CANDO_OK);
    assert_int_equal(v.kind, CANDO_JSON_OBJECT);
    assert_int_equal(v.n, 2);
    x = cando_json_get(&v, "a");
    assert_int_equal(x.n, 3);
    x = cando_json_item(&x, 1, &key);
    assert_null(key.p);
    assert_int_equal(x.text.n, 3);
    assert_true(str_is(str_make(x.bytes.p, x.bytes.n), "\"x\\u0000y\""));
    x = cando_json_item(&v, 1, &key);
    assert_true(str_is(str_make(key.p, key.n), "c"));
    assert_int_equal(x.kind, CANDO_JSON_BOOL);
    x = cando_json_item(&v, 2, &key);
    assert_int_equal(x.kind, CANDO_JSON_NONE);
    x = cando_json_get(&x, "a");
    assert_int_equal(x.kind, CANDO_JSON_NONE);
    x = cando_json_item(&x, 0, &key);
    assert_int_equal(x.kind, CANDO_JSON_NONE);
    assert_int_equal(cando_json_read("{", 1, room, &v, &err), CANDO_BAD_INPUT);
    assert_int_equal(v.kind, CANDO_JSON_NONE);
    cando_room_clear(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_ARENA(test_no_messages),    TEST_WITH_ARENA(test_depth_is_bounded),
        TEST_WITH_ARENA(test_ids_come_back),  TEST_WITH_ARENA(test_notifications),
        TEST_WITH_ARENA(test_handshake),      TEST_WITH_ARENA(test_without_handshake),
        TEST_WITH_ARENA(test_meta_is_judged), TEST_WITH_ARENA(test_headers),
        TEST_WITH_ARENA(test_list),           TEST_WITH_ARENA(test_tools_answer),
        TEST_WITH_ARENA(test_tools_refuse),   TEST_WITH_ARENA(test_answers_are_short),
        TEST_WITH_ARENA(test_resources),      TEST_WITH_ARENA(test_completion),
        TEST_WITH_ARENA(test_views),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
