/*
 * cost_job.h - what the halves of the operation `cost` share.
 *
 *     op_cost.c     usages and replies: what it was
 *     cost_ahead.c  requests: what it will be, low, expected and high
 *     cost_write.c  bills as JSON
 */
#ifndef CANDO_OP_COST_JOB_H
#define CANDO_OP_COST_JOB_H

#include "money.h"

/* All that one call works on; large, so it lives in the call's arena. */
struct cost_job {
    struct op_call *c;
    const cando_catalog *cat;   /* from cost_catalog on; released when the call ends */
    bool has_reply;
    struct reply reply;
    struct usage usage;
    struct str provider, model; /* of the target; empty: there is none */
    const char *target_from;    /* how it was found, if nobody said it */
    struct cost_options options;
    struct pricing pricing;
    const char *no_price;       /* why the target's price is unknown, or NULL */
    struct cost cost;
    struct cost_keep keep;
    struct money at_least;      /* of a stream that was cut */
};

/* -- op_cost.c -- */
bool cost_catalog(struct cost_job *j);
/* `at` and `service_tier`, or what is said instead. */
bool cost_options(struct cost_job *j, const struct instant *at, struct str tier);
bool cost_pricing(struct cost_job *j, const struct json *pricing);
bool cost_target_price(struct cost_job *j);

/* -- cost_ahead.c: the whole answer for a request -- */
bool cost_ahead(struct cost_job *j);

/* -- cost_write.c -- */

/* A reason that is better than the bill's own "the count is not known". */
struct cost_excuse {
    const char *input, *output; /* or NULL */
};

bool write_cost_target(struct cost_job *j);
/* input_cost, output_cost and total_cost */
void write_costs(struct json_writer *w, const struct cost *c);
/* `items`. False: no memory. */
bool write_items(const struct cost_job *j, const struct cost *c, const struct cost_excuse *excuse);
/* `unknown` */
void write_unknowns(const struct cost_job *j, const struct cost *c, const struct cost_excuse *excuse);

#endif
