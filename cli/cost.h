/*
 * cost.h - what the three pages of `cando cost` share: one reply (cmd_cost.c), a log of them
 * (cost_log.c), a request in advance (cost_ahead.c).
 */
#ifndef CANDO_CLI_COST_H
#define CANDO_CLI_COST_H

#include "engine.h"
#include "lines.h"

/* What the command line says about every reply, or about a request. NULL: nothing. */
struct ask {
    const char *target, *provider, *at, *tier, *api;
    cando_number output; /* of a request: tokens that the answer is expected to have */
    bool request;        /* it is a request, whatever it looks like */
    const char *const *compare;
    size_t n_compare;
};

/* What one reply, or a request of this API, costs; `text` is its JSON. With `target` that one
 * is priced, whatever the reply says. It lives in the room; NULL: c->err. */
const cando_cost_answer *cost_reply(struct call *c, const char *target, struct str text);
const cando_cost_answer *cost_request(struct call *c, const char *target, const char *api,
                                      struct str text);
/* A count for people: "1,047,576", "1.5", "unknown". */
const char *cost_count(const char *decimal, char text[32]);
bool cost_whole(const char *decimal, uint64_t *out);
/* Is this one JSON object or list, from its first byte to its last? What is
 * inside is left to the library. */
bool cost_is_value(struct str text);

/* Prices a request in advance: low, expected, high. Gives the exit code, as the next one. */
int cost_ahead(struct call *c, struct str text);
/* Prices a log of replies, one a line, from the line that was read last, and sums it up. */
int cost_log(struct call *c, const char *name, struct lines *l);

#endif
