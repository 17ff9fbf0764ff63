/*
 * cost.h - what the pages of `cando cost` share: one reply (cmd_cost.c), many of them
 * (cost_log.c), a request in advance (cost_ahead.c), many of these (cost_plan.c).
 */
#ifndef CANDO_CLI_COST_H
#define CANDO_CLI_COST_H

#include "engine.h"
#include "lines.h"

/* What the command line says about every reply, or about a request. NULL: nothing. */
struct ask {
    const char *target, *at, *tier, *api;
    const char *const *providers; /* the first that has a price for the model */
    size_t n_providers;
    cando_number output; /* of a request: tokens that the answer is expected to have */
    bool request;        /* it is a request, whatever it looks like */
    const char *const *compare;
    size_t n_compare;
    const char *since, *until; /* of many: days or times, as replies have them */
    const char *const *by;
    size_t n_by;
    bool csv;
    const char *budget; /* US dollars, a decimal; NULL: as much as it likes */
    const char *file;   /* that it is of, for messages */
};
#define COST_BY_WORDS "day month model provider"

/* What one reply, or a request of this API, costs; `text` is its JSON. With `target` that one
 * is priced, whatever the reply says. It lives in the room; NULL: c->err. */
const cando_cost_answer *cost_reply(struct call *c, const char *target, struct str text);
const cando_cost_answer *cost_request(struct call *c, const char *target, const char *api,
                                      struct str text);
/* A count for people: "1,047,576", "1.5", "unknown". */
const char *cost_count(const char *decimal, char text[32]);
struct table;
/* "9.17" as "$9.17" in a cell of a table, or unknown. */
void cost_money(struct table *t, const char *amount, enum style style);
/* A line below a bill: what is unknown, and why. */
void cost_note(const char *where, const cando_cost_unknown *x);
/* A line for the discount that the rates were made with, if they were, and who says so. */
void cost_discount(const cando_cost_answer *a);
bool cost_whole(const char *decimal, uint64_t *out);
/* The exit code with the budget in mind: no more than `code` where `cost`, a decimal or NULL, is
 * within it; else that is told, and the answer is no. */
int cost_in_budget(struct call *c, const char *cost, int code);
/* Is this one JSON object or list, from its first byte to its last? What is
 * inside is left to the library. */
bool cost_is_value(struct str text);

/* The bill of an estimate at one of its ends: 0 low, 1 expected, 2 high. */
const cando_bill *cost_bill(const cando_cost_answer *a, size_t end);
/* The same at each of --compare, in c->ar; `api` NULL: of a reply. NULL: c->code. Those that
 * nobody knows have been told of. */
const cando_cost_answer **cost_compared(struct call *c, const char *api, struct str text);
/* An answer as JSON, with those of the comparison in it; gives the exit code. */
int cost_json(struct call *c, const cando_cost_answer *a, const cando_cost_answer *const *compared);
/* Is each of them known, at every end? */
bool cost_all_known(const struct call *c, const cando_cost_answer *const *compared);

/* Prices a request in advance: low, expected, high. Gives the exit code, as the next one. */
int cost_of_request(struct call *c, struct str text);

/* Many replies: begin, add them one by one or a file of lines, sum them up. Each gives the exit
 * code; anything but EXIT_YES of the first ones has been reported. */
struct cost_log;
int cost_log_begin(struct call *c, struct cost_log **out);
/* `line` is 0 where the file is one reply. */
void cost_log_add(struct cost_log *s, const char *file, uint64_t line, struct str text);
/* From the line that was read last on. */
int cost_log_lines(struct cost_log *s, const char *file, struct lines *l);
int cost_log_end(struct cost_log *s);

/* The same for many requests in advance (cost_plan.c). */
struct cost_plan;
int cost_plan_begin(struct call *c, struct cost_plan **out);
void cost_plan_add(struct cost_plan *p, const char *file, uint64_t line, struct str text);
int cost_plan_lines(struct cost_plan *p, const char *file, struct lines *l);
int cost_plan_end(struct cost_plan *p);

#endif
