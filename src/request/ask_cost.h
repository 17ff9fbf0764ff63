/*
 * ask_cost.h - what the questions about usage and cost share.
 *
 *     ask_usage.c       what a reply says was used
 *     ask_cost.c        usages and replies: what it was
 *     ask_cost_ahead.c  requests: what it will be, low, expected and high
 *     bill.c            a bill in words
 */
#ifndef CANDO_ASK_COST_H
#define CANDO_ASK_COST_H

#include "catalog/engine.h"
#include "usage.h"

/* -- bill.c: texts of an answer -- */

/* Many short ones, side by side in the arena. */
struct texts {
    struct reading *r; /* has the error, if there is no memory */
    char *p;
    size_t left;
};

/* NULL: not known, or no memory. */
const char *text_money(struct texts *t, const struct money *m);
const char *text_count(struct texts *t, const struct usage *u, unsigned unit);
const char *text_join(struct texts *t, struct str a, struct str b, struct str c);

/* What a bill itself does not know. */
struct bill_words {
    const char *no_price;             /* why there is no rate at all */
    const char *no_input, *no_output; /* better reasons than "the count is not known" */
    bool dated;                       /* somebody said when */
    bool cut;                         /* the stream was */
};
bool bill_write(struct texts *t, const struct cost *c, const struct bill_words *words,
                cando_bill *out);

/* All that one question about a cost works on. */
struct cost_job {
    const cando *c;
    cando_room *room;
    const cando_cost_question *q;
    struct reading r;
    const cando_catalog *cat;
    struct str provider, model; /* of the target; empty: there is none */
    const char *target_from;    /* how it was found, if nobody said it */
    struct cost_options options;
    struct pricing *pricing; /* large, and not cleared before */
    const char *no_price;    /* why the target's price is unknown, or NULL */
    bool referred;           /* it comes with a model reference */
    struct cost_keep keep;   /* costs that the usage has already */
    struct texts t;
    cando_cost_answer *a;
};

/* -- ask_usage.c: a reply that stands at "/response" -- */
const struct json *reply_parse(struct reading *r, cando_bytes response);
bool reply_read(struct reading *r, const struct json *v, const char *api, struct str provider,
                struct reply *out);
const cando_usage_answer *reply_answer(struct texts *t, const struct reply *reply);

/* -- ask_cost.c -- */
/* When, and at which service tier. If the question does not say: what the envelope says
 * (`when`), the reply (`at`), and one of them (`tier`); NULL: nothing. */
bool cost_options(struct cost_job *j, const struct instant *at, const char *when, struct str tier);
bool cost_price_given(struct cost_job *j);
bool cost_price_of_target(struct cost_job *j);
/* The answer's target, costs and lists. */
bool cost_answer(struct cost_job *j, const cando_bill *bill);

/* -- ask_cost_ahead.c: all of the answer for a request -- */
bool cost_ahead(struct cost_job *j);

#endif
