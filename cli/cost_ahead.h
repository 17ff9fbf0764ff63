/*
 * cost_ahead.h - prices a request in advance: low, expected, high.
 */
#ifndef CANDO_CLI_COST_AHEAD_H
#define CANDO_CLI_COST_AHEAD_H

#include "cost_log.h"

/* Is this JSON object something to be sent, and not what came back? By its members; the
 * library finds out whether it is right. */
bool cost_is_request(struct str text);
/* `text` is one whole JSON value (cost_is_value). Gives the exit code. */
int cost_ahead(struct engine *e, const struct cost_ask *ask, struct str text);

#endif
