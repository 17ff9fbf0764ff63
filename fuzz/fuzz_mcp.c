/*
 * fuzz_mcp.c - any bytes as messages of the Model Context Protocol.
 *
 * The first byte says where they come from: stdio, before or after the handshake, or HTTP with one
 * set of headers or another. The rest is messages, a line each, to one session.
 *
 * What must hold: a reply is JSON of one line, with a result or an error and never both; an id
 * comes back as it was; what has no id gets no reply, but for what is no message at all; the status
 * fits the reply; the same message is answered with the same bytes.
 */
#include "fuzz.h"

#include "mcp/mcp.h"
#include "text/json.h"

static struct mcp *server;
static cando *engine;
static cando_room *room;

static void check_error(const struct json *reply, const struct json *error, unsigned status)
{
    const struct json *code = json_get(error, "code"), *message = json_get(error, "message");
    MUST(code && code->kind == JSON_NUMBER);
    MUST(message && message->kind == JSON_STRING && message->text.n);
    MUST(status == 200 || status == 400 || status == 404);
    MUST(json_get(reply, "result") == NULL);
}

static void check_result(const struct json *result)
{
    const struct json *list = json_get(result, "content"), *wrong = json_get(result, "isError");
    MUST(result->kind == JSON_OBJECT);
    if (!list)
        return;
    MUST(list->kind == JSON_ARRAY && list->n == 1);
    const struct json *text = json_get(&list->item[0], "text");
    MUST(text && text->kind == JSON_STRING && text->text.n && text->text.n < 8192);
    MUST(wrong && !json_get(result, "structuredContent") == (wrong->kind == JSON_TRUE));
}

static void check_reply(struct arena *ar, struct str message, struct str text, unsigned status)
{
    struct json_error bad;
    const struct json *asked = json_parse(ar, message, &bad);
    const struct json *reply = json_parse(ar, text, &bad);
    MUST(reply && reply->kind == JSON_OBJECT);
    /* what a message brought may have been written over several lines */
    MUST(memchr(message.p, '\n', message.n) || !memchr(text.p, '\n', text.n));
    const struct json *id = json_get(reply, "id"), *error = json_get(reply, "error");
    const struct json *own = asked && asked->kind == JSON_OBJECT ? json_get(asked, "id") : NULL;
    MUST(!id || (own && json_equal(id, own)));
    if (error) {
        check_error(reply, error, status);
        return;
    }
    MUST(status == 200 && id && json_get(reply, "result"));
    check_result(json_get(reply, "result"));
}

static void ask(struct arena *ar, struct mcp_session *s, const struct mcp_headers *h,
                struct str message)
{
    struct buf one, two;
    struct mcp_session before = s ? *s : (struct mcp_session){0};
    buf_init(&one, NULL, LIMIT_MCP_REPLY);
    buf_init(&two, NULL, LIMIT_MCP_REPLY);
    unsigned status = mcp_answer(server, engine, s, h, message, room, &one);
    cando_room_clear(room);
    unsigned again = mcp_answer(server, engine, s ? &before : NULL, h, message, room, &two);
    cando_room_clear(room);
    MUST(status == again && one.n == two.n &&
         memcmp(one.p ? one.p : "", two.p ? two.p : "", one.n) == 0);
    MUST((status == 202) == (one.n == 0));
    if (one.n)
        check_reply(ar, message, str_make(one.p, one.n), status);
    buf_free(&one);
    buf_free(&two);
}

static bool begin(void)
{
    if (engine)
        return true;
    cando_set_today("2026-11-16", NULL);
    server = mcp_new(NULL);
    engine = cando_new(NULL, NULL, NULL);
    room = cando_room_new(NULL, NULL);
    return server && engine && room;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct mcp_headers headers[] = {
        {0},
        {.version = "2025-11-25"},
        {"2026-07-28", "tools/call", "can_it"},
        {"2026-07-28", "tools/list", NULL},
        {"2026-07-28", "resources/read", "=?base64?Y2FuZG86Ly9maWVsZHM=?="},
    };
    enum { WAYS = 2 + sizeof headers / sizeof *headers };
    struct mcp_session session = {0};
    struct arena ar;
    if (size < 1 || !begin())
        return 0;
    unsigned way = data[0] % WAYS;
    struct str rest = str_make((const char *)data + 1, size - 1);
    session.version = way == 1;
    arena_init(&ar, NULL);
    while (rest.n) {
        struct str line = way < 2 ? str_head(rest, str_find_char(rest, '\n')) : rest;
        rest = str_from(rest, line.n + 1);
        ask(&ar, way < 2 ? &session : NULL, way < 2 ? NULL : &headers[way - 2], line);
    }
    arena_free(&ar);
    return 0;
}
