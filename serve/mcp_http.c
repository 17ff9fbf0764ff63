/*
 * mcp_http.c - POST /mcp: the Model Context Protocol over Streamable HTTP.
 *
 * A message is a body, its reply another, always as JSON: nothing here takes long enough to be
 * streamed, and nothing is told unasked, so there is no GET and no session either. Origin, Host and
 * token have been judged before; what the headers say of the message mcp_answer holds against it.
 */
#include "route.h"

#include "mcp/mcp.h"

#include <pthread.h>

static struct mcp *server;
static pthread_once_t made = PTHREAD_ONCE_INIT;

static void make(void)
{
    server = mcp_new(NULL);
}

static bool names(const char *header, const char *type)
{
    struct str s = str_of(header), want = str_of(type);
    for (; s.n >= want.n; s = str_from(s, 1))
        if (str_eq_fold(str_head(s, want.n), want))
            return true;
    return false;
}

static void answer(struct request *r, struct reply *a)
{
    const struct mcp_headers headers = {
        .version = request_header(r, "MCP-Protocol-Version"),
        .method = request_header(r, "Mcp-Method"),
        .name = request_header(r, "Mcp-Name"),
    };
    struct buf out;
    buf_init_arena(&out, r->ar, LIMIT_MCP_REPLY);
    a->status = mcp_answer(server, r->engine, NULL, &headers, r->body, r->room, &out);
    a->body = str_make(out.p, out.n);
    if (a->status == 500)
        reply_error(r, a, 500, CODE_memory, NULL, "there is no memory for the answer");
}

void route_mcp(struct request *r, struct reply *a)
{
    const char *type = request_known(r, H_TYPE), *accept = request_header(r, "Accept");
    a->op = "mcp";
    pthread_once(&made, make);
    if (!type || !names(type, "application/json"))
        reply_error(r, a, 415, CODE_http_type, "send Content-Type: application/json",
                    "a message is JSON, and this says that it is %.80s", type ? type : "nothing");
    else if (accept && !names(accept, "application/json") && !names(accept, "*/*"))
        reply_error(r, a, 406, CODE_http_type, "send Accept: application/json, text/event-stream",
                    "a reply is JSON, and only %.80s is taken", accept);
    else if (!server)
        reply_error(r, a, 500, CODE_memory, NULL, "there is no memory for the tools");
    else
        answer(r, a);
}

/* Clients of the old era try to open a stream, and know by this status that there is none. */
void route_no_stream(struct request *r, struct reply *a)
{
    reply_header(a, "Allow", "POST");
    reply_error(r, a, 405, CODE_http_method, NULL, "messages are sent to /mcp by POST");
}
