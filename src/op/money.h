/*
 * money.h - what the operations on usage and cost share.
 */
#ifndef CANDO_OP_MONEY_H
#define CANDO_OP_MONEY_H

#include "op.h"
#include "request/usage.h"

/* The argument `response`, read as `dialect` and `provider` (or, if that is
 * not given, `fallback`) say. */
bool arg_reply(struct op_call *c, struct str fallback, struct reply *out);
/* Its members: model, API, usage, partial, and what else it says. */
void write_reply(struct json_writer *w, const struct reply *r);
/* A decimal string, or null. */
void write_money(struct json_writer *w, const char *key, const struct money *m);
/* "2026-11-15T16:30:05Z" */
void write_instant(struct json_writer *w, const char *key, const struct instant *t);
/* Says what is wrong with a usage object that stands at `at`. */
bool fail_usage(struct op_call *c, struct str at, const struct usage_error *err);

#endif
