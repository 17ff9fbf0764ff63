/*
 * query.h - which offerings: the options that `models` and `pick` share.
 *
 * One set of filters with one syntax. The struct ask of a verb that takes them begins with
 * `cando_query q`; q.sort is the number of its word from 1 on, or 0, until query_sort.
 */
#ifndef CANDO_CLI_QUERY_H
#define CANDO_CLI_QUERY_H

#include "engine.h"
#include "table.h"

/* And those of the engine behind them. */
extern const struct option_row query_options[];
/* A table of offerings (cmd_models.c): its columns, and a row. Without `people` it is for a
 * spreadsheet. */
void offering_columns(struct table *t, bool people);
void offering_row(struct table *t, const cando_offering *x, bool people);
/* Are the providers known? Anything but EXIT_YES has been reported, with a suggestion. */
int query_check(struct call *c, const cando_query *q);
/* Orders by what was asked for, or as is usual. */
void query_sort(cando_query *q, cando_sort usual);

#endif
