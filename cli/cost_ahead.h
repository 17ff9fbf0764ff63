/*
 * cost_ahead.h - prices a request in advance: low, expected, high.
 */
#ifndef CANDO_CLI_COST_AHEAD_H
#define CANDO_CLI_COST_AHEAD_H

#include "cost_log.h"

/* `text` is the JSON of the request. Gives the exit code. */
int cost_ahead(struct engine *e, const struct cost_ask *ask, struct str text);

#endif
