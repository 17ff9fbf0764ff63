/*
 * decide.h - shapes that the deciding operations share.
 */
#ifndef CANDO_OP_DECIDE_H
#define CANDO_OP_DECIDE_H

#include "decide/check.h"
#include "decide/claims.h"
#include "op.h"

extern const struct shape op_requirement, op_session, op_work_order, op_order_need, op_param;

/* Reads a JSON text by a shape, into `out`; false: `err` is set. */
bool op_decode(const struct shape *s, cando_bytes text, cando_room *room, void *out,
               cando_error *err);

/* -- for operations of the old form ---------------------------------------------------- */

/* A reader's error as the operation's. Returns false. */
bool op_fail_need(struct op_call *c, const struct reading *r);
/* The needs of `requirements`, `session`, `work_order`, `required` or `request`; at most
 * one of them may be there, and if `required` one must. The catalog has the rules by
 * which a request is read. */
bool arg_needs(struct op_call *c, const cando_catalog *cat, bool required, struct need_list *out);
/* `profile` and `profile_form`; *has is false if there is none. */
bool arg_profile(struct op_call *c, cando_planes *out, bool *has);
/* A target where one may be left out. */
bool arg_target_maybe(struct op_call *c, const char *name, struct str *provider, struct str *model,
                      bool *has);
/* "provider/model", or null where there is none. */
void write_target(struct json_writer *w, bool has, struct str provider, struct str model);

#endif
