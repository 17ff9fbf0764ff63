/*
 * message.c - JSON-RPC: what a message is, of which era, and which method answers it.
 *
 * The order of the checks is that of the specification: JSON, then the shape of a message, then its
 * era, then version and headers, then the method. What is wrong with the arguments of a tool is
 * the tool's to say, in its result, where the model that called it can read it.
 */
#include "message.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>

struct mcp {
    struct arena ar;
    cando_room *room;
    struct tool_texts tools;
};

/* From the newest on. Those of the old era stand behind the others. */
static const char *const versions[] = {"2026-07-28", "2025-11-25", "2025-06-18"};
enum { VERSIONS = sizeof versions / sizeof *versions, OLD = 1 };
#define SUPPORTED "[\"2026-07-28\",\"2025-11-25\",\"2025-06-18\"]"

#define META_VERSION "io.modelcontextprotocol/protocolVersion"
#define META_CAPABILITIES "io.modelcontextprotocol/clientCapabilities"
#define META_SERVER "io.modelcontextprotocol/serverInfo"
#define SERVER_INFO                                                                                \
    "{\"name\":\"cando\",\"title\":\"cando: can this model do "                                    \
    "this?\",\"version\":\"" CANDO_VERSION "\"}"
#define CAPABILITIES "{\"tools\":{},\"resources\":{},\"completions\":{}}"

static const char instructions[] =
    "cando knows, offline, what language models can do at each provider: capabilities, limits, "
    "prices, the rules of their request bodies, and when they retire. Ask it before you write or "
    "change code that calls a model, instead of relying on memory. A target is "
    "\"provider/model\", e.g. \"openai/gpt-4o\" or \"anthropic/claude-opus-4-5\". Unknown means "
    "that nobody has said: it is neither yes nor no. Prices are USD. Names of capabilities are "
    "taken in any common spelling (tools, vision, json_schema, ..). Long lists are cut: limit and "
    "offset give more.";

struct mcp *mcp_new(cando_error *err)
{
    struct mcp *m = mem_alloc(NULL, sizeof *m);
    if (!m) {
        error_memory(err);
        return NULL;
    }
    *m = (struct mcp){.room = NULL};
    arena_init(&m->ar, NULL);
    m->room = cando_room_new(NULL, err);
    if (m->room && tools_make(&m->tools, &m->ar, m->room, err))
        return m;
    mcp_free(m);
    return NULL;
}

void mcp_free(struct mcp *m)
{
    if (!m)
        return;
    cando_room_free(m->room);
    arena_free(&m->ar);
    mem_free(NULL, m, sizeof *m);
}

const struct tool_texts *mcp_tools(const struct mcp *m)
{
    return &m->tools;
}

/* -- replies -------------------------------------------------------------------------------- */

static void begin_reply(struct buf *b, const cando_json *id)
{
    buf_clear(b);
    buf_putz(b, "{\"jsonrpc\":\"2.0\"");
    if (id->kind == CANDO_JSON_STRING || id->kind == CANDO_JSON_NUMBER) {
        put_key(b, STR("id"));
        buf_puts(b, bytes_str(id->bytes));
    }
}

static void put_error(struct buf *b, const cando_json *id, int code, const char *data,
                      const char *message)
{
    begin_reply(b, id);
    buf_printf(b, ",\"error\":{\"code\":%d,\"message\":", code);
    put_string(b, str_of(message));
    if (data) {
        put_key(b, STR("data"));
        buf_putz(b, data);
    }
    buf_putz(b, "}}");
}

/* What the reply to an error has over HTTP. What a method says is an answer: 200. */
static unsigned status_of(const struct rpc *r, int code)
{
    switch (code) {
    case RPC_PARSE:
    case RPC_REQUEST:
    case RPC_HEADERS:
    case RPC_VERSION:
        return 400;
    case RPC_METHOD:
        return r->modern ? 404 : 200;
    default:
        return 200;
    }
}

void rpc_error(struct rpc *r, enum rpc_code code, const char *data, const char *fmt, ...)
{
    char message[600];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    /* a text from outside may have been cut inside of a character */
    message[utf8_check(str_of(message))] = '\0';
    put_error(r->out, &r->id, code, data, message);
    r->status = status_of(r, code);
}

void mcp_refuse(struct buf *out, const char *why)
{
    put_error(out, &(cando_json){.kind = CANDO_JSON_NONE}, RPC_REQUEST, NULL, why);
}

void rpc_result(struct rpc *r)
{
    begin_reply(r->out, &r->id);
    buf_putz(r->out, ",\"result\":{");
    if (r->modern)
        buf_putz(r->out,
                 "\"resultType\":\"complete\",\"_meta\":{\"" META_SERVER "\":" SERVER_INFO "}");
}

void rpc_result_end(struct rpc *r)
{
    buf_putz(r->out, "}}");
}

void rpc_may_keep(struct rpc *r, unsigned seconds)
{
    if (r->modern)
        buf_printf(r->out, ",\"ttlMs\":%u,\"cacheScope\":\"private\"", seconds * 1000);
}

bool rpc_one_page(struct rpc *r)
{
    cando_json cursor = cando_json_get(&r->params, "cursor");
    if (cursor.kind == CANDO_JSON_NONE)
        return true;
    rpc_error(r, RPC_PARAMS, NULL, "there is no page with this cursor: the list has one page");
    return false;
}

cando_json rpc_ask(const cando *engine, cando_room *room, struct buf *question, cando_error *err)
{
    const cando_json none = {.kind = CANDO_JSON_NONE};
    cando_bytes reply;
    cando_json v;
    if (question->failed || cando_call_in(engine, question->p, question->n, room, &reply)) {
        error_memory(err);
        return none;
    }
    if (cando_json_read(reply.p, reply.n, room, &v, err) != CANDO_OK)
        return none;
    cando_json error = cando_json_get(&v, "error");
    if (error.kind == CANDO_JSON_NONE)
        return cando_json_get(&v, "result");
    *err = (cando_error){.status = CANDO_BAD_QUESTION};
    snprintf(err->code, sizeof err->code, "%.*s", STR_ARG(text_at(&error, "code")));
    snprintf(err->message, sizeof err->message, "%.*s", STR_ARG(text_at(&error, "message")));
    snprintf(err->hint, sizeof err->hint, "%.*s", STR_ARG(text_at(&error, "hint")));
    snprintf(err->at, sizeof err->at, "%.*s", STR_ARG(text_at(&error, "at")));
    return none;
}

/* -- methods -------------------------------------------------------------------------------- */

static unsigned version_find(struct str name, unsigned from)
{
    for (unsigned i = from; i < VERSIONS; i++)
        if (str_is(name, versions[i]))
            return i;
    return VERSIONS;
}

/* The version that the client asks for, if it is of the old era, or else the newest that is. */
static void initialize(struct rpc *r)
{
    cando_json wanted = cando_json_get(&r->params, "protocolVersion");
    if (wanted.kind != CANDO_JSON_STRING) {
        rpc_error(r, RPC_PARAMS, "{\"supported\":" SUPPORTED "}",
                  "initialize needs a protocolVersion");
        return;
    }
    unsigned version = version_find(text_of(&wanted), OLD);
    version = version < VERSIONS ? version : OLD;
    if (r->session)
        r->session->version = version;
    rpc_result(r);
    put_key(r->out, STR("protocolVersion"));
    put_string(r->out, str_of(versions[version]));
    buf_putz(r->out,
             ",\"capabilities\":" CAPABILITIES ",\"serverInfo\":" SERVER_INFO ",\"instructions\":");
    put_string(r->out, STR(instructions));
    rpc_result_end(r);
}

static void ping(struct rpc *r)
{
    rpc_result(r);
    rpc_result_end(r);
}

static void discover(struct rpc *r)
{
    rpc_result(r);
    rpc_may_keep(r, 3600);
    buf_putz(r->out, ",\"supportedVersions\":" SUPPORTED ",\"capabilities\":" CAPABILITIES
                     ",\"instructions\":");
    put_string(r->out, STR(instructions));
    rpc_result_end(r);
}

enum { ERA_OLD = 1, ERA_NEW = 2, ERA_BOTH = 3, UNASKED = 4 /* also before `initialize` */ };
static const struct method {
    const char *name;
    unsigned flags;
    const char *named; /* the member of the parameters that Mcp-Name repeats, or NULL */
    void (*answer)(struct rpc *r);
} methods[] = {
    {"initialize", ERA_OLD | UNASKED, NULL, initialize},
    {"ping", ERA_OLD | UNASKED, NULL, ping},
    {"server/discover", ERA_NEW, NULL, discover},
    {"tools/list", ERA_BOTH, NULL, tools_list},
    {"tools/call", ERA_BOTH, "name", tools_call},
    {"resources/list", ERA_BOTH, NULL, resources_list},
    {"resources/templates/list", ERA_BOTH, NULL, resources_templates},
    {"resources/read", ERA_BOTH, "uri", resources_read},
    {"completion/complete", ERA_BOTH, NULL, complete},
};

static const struct method *method_find(struct str name)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (str_is(name, methods[i].name))
            return &methods[i];
    return NULL;
}

/* -- headers -------------------------------------------------------------------------------- */

static int sextet(char c)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = c ? strchr(digits, c) : NULL;
    return at ? (int)(at - digits) : -1;
}

/* Base64 into `out`; false: it is none. */
static bool decode(struct str s, struct buf *out)
{
    unsigned bits = 0, n = 0;
    if (s.n % 4)
        return false;
    for (unsigned pads = 0; pads < 2 && s.n && s.p[s.n - 1] == '='; pads++)
        s.n--;
    for (size_t i = 0; i < s.n; i++) {
        int six = sextet(s.p[i]);
        if (six < 0)
            return false;
        bits = bits << 6 | (unsigned)six;
        n += 6;
        if (n >= 8)
            buf_putc(out, (char)(bits >> (n -= 8) & 0xff));
    }
    return true;
}

/* The value of a header, which white space around it is no part of. */
static struct str header_text(const char *header)
{
    return str_trim(str_of(header));
}

/* Does the header say this? It may be written as =?base64?..?=. */
static bool header_says(const char *header, struct str want)
{
    static const struct str begin = {"=?base64?", 9}, end = {"?=", 2};
    struct str s = header_text(header);
    struct buf own;
    if (s.n < begin.n + end.n || !str_starts(s, begin) || !str_ends(s, end))
        return str_eq(s, want);
    buf_init(&own, NULL, s.n);
    bool same = decode(str_make(s.p + begin.n, s.n - begin.n - end.n), &own) && !own.failed &&
                str_eq(str_make(own.p, own.n), want);
    buf_free(&own);
    return same;
}

static bool headers_fail(struct rpc *r, const char *name, const char *have, struct str want)
{
    if (have)
        rpc_error(r, RPC_HEADERS, NULL, "the header %s is '%.100s', the body says '%.*s'", name,
                  have, STR_ARG(str_head(want, 100)));
    else
        rpc_error(r, RPC_HEADERS, NULL, "the header %s is missing; the body says '%.*s'", name,
                  STR_ARG(str_head(want, 100)));
    return false;
}

/* Requests of the new era repeat in headers what they are about. */
static bool headers_fit(struct rpc *r, struct str version, const struct method *method)
{
    const struct mcp_headers *h = r->headers;
    if (!h)
        return true;
    if (!h->version || !str_eq(header_text(h->version), version))
        return headers_fail(r, "MCP-Protocol-Version", h->version, version);
    if (!h->method || !str_eq(header_text(h->method), r->method))
        return headers_fail(r, "Mcp-Method", h->method, r->method);
    if (!method || !method->named)
        return true;
    struct str name = text_at(&r->params, method->named);
    if (!h->name || !header_says(h->name, name))
        return headers_fail(r, "Mcp-Name", h->name, name);
    return true;
}

/* -- eras ------------------------------------------------------------------------------------- */

static bool version_refuse(struct rpc *r, struct str asked)
{
    struct buf data;
    buf_init(&data, NULL, LIMIT_MCP_REPLY);
    buf_putz(&data, "{\"supported\":" SUPPORTED ",\"requested\":");
    put_string(&data, asked);
    buf_putz(&data, "}");
    rpc_error(r, RPC_VERSION, buf_cstr(&data), "protocol version '%.*s' is not supported here",
              STR_ARG(str_head(asked, 40)));
    buf_free(&data);
    return false;
}

static bool meta_refuse(struct rpc *r, const char *why)
{
    rpc_error(r, RPC_PARAMS, NULL, "%s", why);
    r->status = 400;
    return false;
}

/* A request with a version in its _meta. */
static bool judge_modern(struct rpc *r, const cando_json *meta, const cando_json *version,
                         const struct method *method)
{
    r->modern = true;
    if (version->kind != CANDO_JSON_STRING)
        return meta_refuse(r, "_meta: " META_VERSION " must be a string");
    const char *said = r->headers ? r->headers->version : NULL;
    if (said && !str_eq(header_text(said), text_of(version)))
        return headers_fail(r, "MCP-Protocol-Version", said, text_of(version));
    if (version_find(text_of(version), 0) >= OLD)
        return version_refuse(r, text_of(version));
    cando_json able = cando_json_get(meta, META_CAPABILITIES);
    if (able.kind != CANDO_JSON_OBJECT)
        return meta_refuse(r, "_meta: " META_CAPABILITIES " must be an object");
    return headers_fit(r, text_of(version), method);
}

/* A request without. Over HTTP its header tells the version, or that of the newest is meant. */
static bool judge_old(struct rpc *r, const struct method *method)
{
    const char *said = r->headers ? r->headers->version : NULL;
    bool first = method && method->answer == initialize;
    unsigned version = said ? version_find(header_text(said), 0) : OLD;
    if (version < OLD) {
        r->modern = true;
        if (first)
            return headers_fail(r, "MCP-Protocol-Version", said, STR("initialize"));
        return meta_refuse(r, "a request of this version needs a _meta with " META_VERSION
                              " and " META_CAPABILITIES);
    }
    if (version >= VERSIONS && !first)
        return version_refuse(r, header_text(said));
    if (r->session && !r->session->version && !(method && method->flags & UNASKED))
        return meta_refuse(r,
                           "nothing was agreed on: send initialize first, or give each request a "
                           "_meta with " META_VERSION " and " META_CAPABILITIES);
    return true;
}

static bool judge(struct rpc *r, const struct method *method)
{
    if (r->params.kind != CANDO_JSON_NONE && r->params.kind != CANDO_JSON_OBJECT) {
        rpc_error(r, RPC_PARAMS, NULL, "params must be an object");
        return false;
    }
    cando_json meta = cando_json_get(&r->params, "_meta");
    cando_json version = cando_json_get(&meta, META_VERSION);
    return version.kind != CANDO_JSON_NONE ? judge_modern(r, &meta, &version, method)
                                           : judge_old(r, method);
}

static void request(struct rpc *r)
{
    const struct method *method = method_find(r->method);
    if (!judge(r, method))
        return;
    if (!method || !(method->flags & (r->modern ? ERA_NEW : ERA_OLD)))
        rpc_error(r, RPC_METHOD, NULL, "there is no method '%.*s' here",
                  STR_ARG(str_head(r->method, 100)));
    else
        method->answer(r);
}

/* -- messages --------------------------------------------------------------------------------- */

/* What is no request: nothing is said, or why it is no message. */
static void other(struct rpc *r, bool named)
{
    cando_json result = cando_json_get(&r->message, "result");
    cando_json error = cando_json_get(&r->message, "error");
    bool response = !named && (result.kind != CANDO_JSON_NONE || error.kind != CANDO_JSON_NONE);
    if (named || response)
        r->status = 202;
    else
        rpc_error(r, RPC_REQUEST, NULL, "a message needs a method, which is a string");
}

static void answer(struct rpc *r)
{
    cando_json method = cando_json_get(&r->message, "method");
    bool named = method.kind == CANDO_JSON_STRING;
    if (r->message.kind == CANDO_JSON_LIST) {
        rpc_error(r, RPC_REQUEST, NULL, "a batch is no message of this protocol: send one by one");
        return;
    }
    if (r->message.kind != CANDO_JSON_OBJECT || !str_is(text_at(&r->message, "jsonrpc"), "2.0")) {
        rpc_error(r, RPC_REQUEST, NULL, "a message is an object with \"jsonrpc\":\"2.0\"");
        return;
    }
    cando_json id = cando_json_get(&r->message, "id");
    bool usable = id.kind == CANDO_JSON_STRING || id.kind == CANDO_JSON_NUMBER;
    if (usable)
        r->id = id;
    if (!named || id.kind == CANDO_JSON_NONE) {
        other(r, named);
        return;
    }
    if (!usable) {
        rpc_error(r, RPC_REQUEST, NULL, "the id of a request is a string or a number");
        return;
    }
    r->method = text_of(&method);
    r->params = cando_json_get(&r->message, "params");
    request(r);
}

unsigned mcp_answer(const struct mcp *m, const cando *engine, struct mcp_session *session,
                    const struct mcp_headers *headers, struct str message, cando_room *room,
                    struct buf *out)
{
    cando_error err = {0};
    struct rpc r = {.m = m, .engine = engine, .session = session, .headers = headers};
    r.room = room;
    r.out = out;
    r.status = 200;
    if (cando_json_read(message.p, message.n, room, &r.message, &err) == CANDO_OK)
        answer(&r);
    else if (err.status != CANDO_INTERNAL)
        rpc_error(&r, RPC_PARSE, NULL, "no JSON: %s", err.message);
    if (!out->failed && err.status != CANDO_INTERNAL)
        return r.status;
    buf_clear(out);
    return 500;
}
