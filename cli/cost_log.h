/*
 * cost_log.h - prices a log of replies, one a line, and sums it up.
 */
#ifndef CANDO_CLI_COST_LOG_H
#define CANDO_CLI_COST_LOG_H

#include "engine.h"

#define COST_COMPARE_MAX 16

/* What the command line says about every reply, or about a request. NULL: nothing. */
struct cost_ask {
    const char *target, *provider, *at, *tier, *api;
    cando_number output; /* of a request: tokens that the answer is expected to have */
    bool request;        /* it is a request, whatever it looks like */
    const char *compare[COST_COMPARE_MAX];
    unsigned n_compare;
    bool json;
};

/* What one reply costs, `text` being its JSON. With `target` that one is priced, whatever
 * the reply says. It lives in the engine's room. */
const cando_cost_answer *cost_reply(const struct engine *e, const struct cost_ask *ask,
                                    const char *target, struct str text, cando_error *err);
/* A count for people: "1,047,576", "1.5", "unknown". */
struct str cost_count(const char *decimal, char text[32]);
/* Is this one JSON object or list, from its first byte to its last? What is
 * inside is left to the library. */
bool cost_is_value(struct str text);

/* `head` is what was read already, and `in` the rest. Gives the exit code. */
int cost_log(struct engine *e, const struct cost_ask *ask, const char *name, struct buf *head,
             FILE *in);

#endif
