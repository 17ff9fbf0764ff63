/*
 * mcp.h - the Model Context Protocol: a message in, the reply to it out.
 *
 *     stdio: a line    --+                                    +--> tools      tools.c
 *     HTTP: a body and --+--> mcp_answer: JSON-RPC, eras -----+--> resources  resources.c
 *           its headers      message.c                        +--> what it is
 *
 * Nothing here reads or writes: who has a message calls mcp_answer and sends what it left. Two eras
 * are spoken, and each message tells by itself which one it is of:
 *
 *     2025-06-18, 2025-11-25   begins with `initialize`; on stdio the session remembers that
 *     2026-07-28               every request has its version and the client's capabilities in _meta
 *
 * The tools are a table over the operations. Their schemas are cut out of what cando_schema says,
 * and answers are held to them, so that a tool says nothing that its schema does not have.
 */
#ifndef CANDO_MCP_H
#define CANDO_MCP_H

#include "base/buf.h"

#define LIMIT_MCP_REPLY (128u << 20) /* bytes of one reply */

/* What is known before the first message. Once it is made it never changes: any thread may use it.
 */
struct mcp;
struct mcp *mcp_new(cando_error *err);
void mcp_free(struct mcp *m); /* NULL is legal */

/* What a process remembers of its client on stdio; it begins as zeroes. */
struct mcp_session {
    unsigned version; /* that `initialize` agreed on; 0: there was none */
};

/* What came with a message over HTTP; NULL: the header is not there. */
struct mcp_headers {
    const char *version; /* MCP-Protocol-Version */
    const char *method;  /* Mcp-Method */
    const char *name;    /* Mcp-Name */
};

/* Answers one message. The reply is in `out` (empty before), without a line end; none is left for
 * what is not answered: a notification, a client's response. The room is used and not cleared; the
 * message stays as it is until then. `session` is NULL over HTTP, where each message stands for
 * itself, and `headers` on stdio. Gives the status that the reply has over HTTP: 200, 202 if there
 * is none, 400, 404, 500 if memory ran out (and then no reply). */
unsigned mcp_answer(const struct mcp *m, const cando *engine, struct mcp_session *session,
                    const struct mcp_headers *headers, struct str message, cando_room *room,
                    struct buf *out);

/* A message that could not be read, for a reason of the transport's own: the reply to it. */
void mcp_refuse(struct buf *out, const char *why);

#endif
