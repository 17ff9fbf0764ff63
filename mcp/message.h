/*
 * message.h - one message while it is answered: what all methods share.
 */
#ifndef CANDO_MCP_MESSAGE_H
#define CANDO_MCP_MESSAGE_H

#include "mcp.h"
#include "put.h"

#include "base/diag.h"

enum rpc_code {
    RPC_PARSE = -32700,
    RPC_REQUEST = -32600,
    RPC_METHOD = -32601,
    RPC_PARAMS = -32602,
    RPC_INTERNAL = -32603,
    RPC_NO_RESOURCE = -32002, /* of the old era alone */
    RPC_HEADERS = -32020,     /* the headers are missing, or say something else than the body */
    RPC_VERSION = -32022,
};

struct rpc {
    const struct mcp *m;
    const cando *engine;
    struct mcp_session *session;
    const struct mcp_headers *headers;
    cando_room *room;
    cando_json message, id, params;
    struct str method;
    bool modern; /* of the era without a handshake */
    struct buf *out;
    unsigned status;
};

/* The reply is this error, whatever has been written so far; `data` is JSON, or NULL. */
void rpc_error(struct rpc *r, enum rpc_code code, const char *data, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* The beginning and the end of a result, which is an object. Between them: put_key, a value. */
void rpc_result(struct rpc *r);
void rpc_result_end(struct rpc *r);
/* For how long a client may keep it: a member of results of the new era. */
void rpc_may_keep(struct rpc *r, unsigned seconds);
/* All lists are of one page: a cursor is one that we never gave. False: refused. */
bool rpc_one_page(struct rpc *r);
/* A question as JSON, `{"op":..}`: its result, or none with *err. */
cando_json rpc_ask(const cando *engine, cando_room *room, struct buf *question, cando_error *err);

/* tools.c */
void tools_list(struct rpc *r);
void tools_call(struct rpc *r);
/* The tools' part of struct mcp: texts and schemas, made once. */
struct tool_texts {
    struct buf list;       /* [{"name":..},..] */
    cando_json *schema[2]; /* for each tool, of its answers: what is told of them */
};
bool tools_make(struct tool_texts *t, struct arena *ar, cando_room *room, cando_error *err);
const struct tool_texts *mcp_tools(const struct mcp *m);

/* resources.c */
void resources_list(struct rpc *r);
void resources_templates(struct rpc *r);
void resources_read(struct rpc *r);
void complete(struct rpc *r);

#endif
