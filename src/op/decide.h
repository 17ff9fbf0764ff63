/*
 * decide.h - arguments and replies that the deciding operations share.
 */
#ifndef CANDO_OP_DECIDE_H
#define CANDO_OP_DECIDE_H

#include "decide/claims.h"
#include "decide/negotiate.h"
#include "op.h"
#include "request/history.h"

/* A reader's error as the operation's. Returns false. */
bool op_fail_need(struct op_call *c, const struct reading *r);

/* The needs of `requirements`, `session`, `work_order`, `required` or `request`; at most
 * one of them may be there, and if `required` one must. The catalog has the rules by
 * which a request is read. */
bool arg_needs(struct op_call *c, const cando_catalog *cat, bool required, struct need_list *out);
/* `profile` and `profile_form`; *has is false if there is none. */
bool arg_profile(struct op_call *c, cando_planes *out, bool *has);
/* `unknown`: "warn", "allow" or "deny". */
bool arg_unknown(struct op_call *c, cando_unknown *out);
/* A target where one may be left out. */
bool arg_target_maybe(struct op_call *c, const char *name, struct str *provider, struct str *model, bool *has);

/* "provider/model", or null where there is none. */
void write_target(struct json_writer *w, bool has, struct str provider, struct str model);
/* Negotiates, with a conversation so far that has to survive on the target (`history`
 * may be NULL; `at` is its place in the question). What of it does not is in *found. */
bool negotiate_history(struct reading *r, struct negotiation *n, const struct json *history, struct str at,
                       struct hist_findings *found);
/* The reply of `negotiate`. `error` is the name of what a rejection is. False: no memory. */
bool write_negotiation(struct json_writer *w, const struct negotiation *n, const struct hist_findings *found, const char *error,
                       const cando_allocator *a);

#endif
