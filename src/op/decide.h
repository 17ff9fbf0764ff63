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

#endif
