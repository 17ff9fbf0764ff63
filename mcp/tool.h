/*
 * tool.h - a tool: a row over one operation or two, and a function that says the answer in words.
 *
 * `in` lists the members of the operation's question that are arguments of the tool, `own` has
 * those that only the tool knows. `out` lists the members of the answer that are told, `inner` what
 * is left out inside of these. Schemas follow from that; see schema.h.
 */
#ifndef CANDO_MCP_TOOL_H
#define CANDO_MCP_TOOL_H

#include "message.h"

enum { TOOL_OPS = 2, TOOL_TEXT = 6000 /* bytes of what is said in words, before it is cut */ };

struct tool_call;
struct tool {
    const char *name, *title, *text;
    const char *op, *in;
    const char *own; /* {"limit":{..}}: the schema of each; or NULL */
    const char *needed;
    struct tool_part {
        const char *op, *out, *inner;
    } part[TOOL_OPS];
    bool (*run)(struct tool_call *t); /* false: t->err */
};

/* What of a list in an answer is told. */
struct cut {
    const char *list;
    uint64_t from, n;
};

struct tool_call {
    struct rpc *r;
    const struct tool *tool;
    const cando_json *schema[TOOL_OPS];
    cando_json args;
    struct arena ar;
    struct buf text;   /* for people */
    struct buf result; /* {..}: what has been told of it so far */
    cando_error err;
};

extern const struct tool tool_can_it, tool_check_request, tool_fix_request, tool_which_model,
    tool_what_cost, tool_what_breaks, tool_what_retires;

/* -- for the functions of tools -- */

/* A question with the arguments that are its own members; more can be put before it is asked. */
void ask_begin(struct tool_call *t, struct buf *q, const char *op, const char *in);
/* Asks; none: t->err is set. */
cando_json ask_end(struct tool_call *t, struct buf *q);
/* An argument that is a number from 1 (or, with `zero`, 0) to `most`. False: t->err is set. */
bool arg_count(struct tool_call *t, const char *name, bool zero, uint64_t most, uint64_t otherwise,
               uint64_t *out);
/* The argument is wrong. False. */
bool arg_fail(struct tool_call *t, const char *name, const char *hint, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Tells one member of the answer of the k-th operation, whole or cut; absent ones are not told. */
void tell(struct tool_call *t, unsigned k, const cando_json *answer, const char *member,
          const struct cut *cut);
/* Tells all that the tool has of it; `cut` may be NULL. */
void tell_all(struct tool_call *t, unsigned k, const cando_json *answer, const struct cut *cut);

/* The finding of a request or of a history as a line. */
void say_finding(struct buf *b, const cando_json *f);
/* "and 7 more: limit and offset give them", if there are. */
void say_more(struct buf *b, uint64_t all, const struct cut *cut);
/* Of an answer of `resolve` what one must know first: it is not in the catalog, or it ends. */
void say_state(struct tool_call *t, const cando_json *resolved);

#define LIMIT_ARG(usual)                                                                           \
    "\"limit\":{\"type\":\"integer\",\"minimum\":1,\"maximum\":100,\"description\":\"how many "    \
    "are "                                                                                         \
    "listed; " usual " without it\"}"
#define OFFSET_ARG                                                                                 \
    "\"offset\":{\"type\":\"integer\",\"minimum\":0,\"description\":\"how many to pass over\"}"

#endif
