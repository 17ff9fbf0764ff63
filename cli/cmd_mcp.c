/*
 * cmd_mcp.c - cando mcp: the tools for agents, over stdin and stdout.
 *
 * One message a line in, at most one a line out (mcp/mcp.h). A reply is flushed before the next
 * message would have to be waited for (lines.h). It ends when the input does.
 */
#define _POSIX_C_SOURCE 200809L
#include "engine.h"
#include "lines.h"

#include "mcp/mcp.h"

#include <unistd.h>

struct ask {
    const char *call;
};

static const struct option_row options[] = {
    {TEXT("call", call, "TOOL", "call one tool with these arguments, and print its words")},
    {.more = engine_options},
};

static int answer(struct call *c, const struct mcp *m, struct mcp_session *s, struct str line)
{
    struct buf reply;
    if (!line.n)
        return EXIT_YES;
    buf_init(&reply, NULL, LIMIT_MCP_REPLY);
    unsigned status = mcp_answer(m, c->engine, s, NULL, line, c->room, &reply);
    if (reply.n)
        out_line(STR_IN(reply));
    buf_free(&reply);
    cando_room_clear(c->room);
    return status == 500 ? fail_memory() : EXIT_YES;
}

static void refuse_long(void)
{
    struct buf reply;
    buf_init(&reply, NULL, LIMIT_MCP_REPLY);
    mcp_refuse(&reply, "the message is longer than the limit for a line");
    out_line(STR_IN(reply));
    buf_free(&reply);
}

static int serve(struct call *c, const struct mcp *m, struct lines *l)
{
    struct mcp_session session = {0};
    struct str line;
    for (int code = EXIT_YES; code == EXIT_YES;) {
        switch (lines_next(l, &line)) {
        case LINE_TEXT:
            code = answer(c, m, &session, line);
            break;
        case LINE_LONG:
            refuse_long();
            break;
        case LINE_FAILED:
            return lines_failed(l);
        case LINE_NONE:
            return EXIT_YES;
        }
    }
    return EXIT_INTERNAL;
}

/* What an agent would read of a reply: the words of the tool, or the error. */
static int put_words(struct call *c, struct str reply)
{
    cando_json v, list;
    cando_bytes key;
    if (cando_json_read(reply.p, reply.n, c->room, &v, &c->err) != CANDO_OK)
        return fail(&c->err);
    cando_json error = cando_json_get(&v, "error");
    if (error.kind == CANDO_JSON_OBJECT) {
        error = cando_json_get(&error, "message");
        return fail_with(CANDO_BAD_QUESTION, CODE_bad_argument, NULL, "%s", error.text.p);
    }
    v = cando_json_get(&v, "result");
    list = cando_json_get(&v, "content");
    list = cando_json_item(&list, 0, &key);
    list = cando_json_get(&list, "text");
    v = cando_json_get(&v, "isError");
    bool ok = v.bytes.n && v.bytes.p[0] == 'f';
    for (struct str rest = STR_IN(list.text), line; rest.n;) {
        line = str_head(rest, str_find_char(rest, '\n'));
        out_safe(stdout, line);
        out("\n");
        rest = str_from(rest, line.n + 1);
    }
    return ok ? EXIT_YES : EXIT_QUESTION;
}

static int call_tool(struct call *c, const struct mcp *m, const char *tool)
{
    struct buf message, reply;
    struct mcp_session session = {.version = 1};
    buf_init_arena(&message, &c->ar, LIMIT_MCP_REPLY);
    buf_init_arena(&reply, &c->ar, LIMIT_MCP_REPLY);
    buf_putz(&message, "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":"
                       "{\"name\":\"");
    for (const char *p = tool; *p; p++)
        buf_putc(&message, *p == '"' || *p == '\\' || (unsigned char)*p < ' ' ? '?' : *p);
    buf_printf(&message, "\",\"arguments\":%s}}", c->n ? c->operand[0] : "{}");
    if (message.failed)
        return fail_memory();
    struct str text = STR_IN(message);
    if (mcp_answer(m, c->engine, &session, NULL, text, c->room, &reply) == 500)
        return fail_memory();
    return put_words(c, STR_IN(reply));
}

static int run(struct call *c)
{
    struct lines l;
    const struct ask *k = c->ask;
    if (c->n && !k->call)
        return call_usage(c, "messages come from the standard input");
    struct mcp *m = mcp_new(&c->err);
    if (!m)
        return fail(&c->err);
    if (k->call) {
        int code = call_tool(c, m, k->call);
        mcp_free(m);
        return code;
    }
    setvbuf(stdout, NULL, _IOFBF, 1 << 16); /* flushed when no input waits */
    lines_init(&l, STDIN_FILENO);
    int code = serve(c, m, &l);
    lines_free(&l);
    mcp_free(m);
    return code;
}

const struct verb verb_mcp = {
    .name = "mcp",
    .summary = "the tools for agents: the Model Context Protocol on stdio",
    .usage = "[OPTION]... [--call TOOL [ARGUMENTS]]",
    .text =
        "A server of the Model Context Protocol, to be started by an agent's program: it reads "
        "a message a line from the standard input and writes replies to the standard output. "
        "Its tools answer what an agent asks before it writes or sends a request: can_it, "
        "check_request, fix_request, which_model, what_cost, what_breaks, what_retires. "
        "Protocol versions 2025-06-18, 2025-11-25 and 2026-07-28. Claude Code is told of it by the "
        "first example below, editors by a file such as .cursor/mcp.json:\n\n"
        "{\"mcpServers\":{\"cando\":{\"command\":\"cando\",\"args\":[\"mcp\"]}}}\n\n"
        "The user's and the project's files count, as for other verbs; the project is that of "
        "the folder in which it is started.\n\n"
        "With --call it prints what an agent would read as the answer of one tool; ARGUMENTS is "
        "a JSON object.",
    .examples = "claude mcp add cando -- cando mcp\n"
                "cando mcp --call can_it '{\"target\":\"openai/gpt-4o\"}'",
    .options = options,
    .ask = sizeof(struct ask),
    OPERANDS(0, 1, NULL, "the arguments of a tool are one JSON object"),
    .opens = OPENS_CATALOG,
    .requests = true,
    .run = run,
};
