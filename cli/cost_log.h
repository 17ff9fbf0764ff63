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
    const char *output;  /* of a request: tokens that the answer is expected to have */
    bool request;        /* it is a request, whatever it looks like */
    const char *compare[COST_COMPARE_MAX];
    unsigned n_compare;
    bool json;
};

/* The request for one reply, `text` being one whole JSON value (cost_is_value).
 * With `target` that one is priced, whatever the reply says. */
void cost_request(const struct cost_ask *ask, const char *target, struct str text, struct buf *b);
/* Is this one JSON object or list, from its first byte to its last? What is
 * inside is left to the library. */
bool cost_is_value(struct str text);

/* `head` is what was read already, and `in` the rest. Gives the exit code. */
int cost_log(struct engine *e, const struct cost_ask *ask, const char *name, struct buf *head, FILE *in);

#endif
