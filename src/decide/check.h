/*
 * check.h - needs against a profile: the only place where "enough" is decided.
 *
 * A support level is enough by its threshold, a number by its minimum, a set by
 * what it includes. What follows from that is a table of level, answer and
 * policy, and the verdict is a fold over it:
 *
 *                enough     not enough        unknown
 *     hard       met        missing           pending (warn), met (allow), missing (deny)
 *     preferred  met        unmet             pending
 *     probed     pending    pending           pending
 *
 *     missing -> rejected; else unmet or pending -> degraded; else accepted
 *
 * A check takes no memory.
 */
#ifndef CANDO_CHECK_H
#define CANDO_CHECK_H

#include "need.h"

cando_check_result check_needs(const struct need_list *l, const cando_planes *p,
                               cando_unknown unknown, cando_outcome *out);
/* One need; what check_needs does for each. */
cando_outcome check_need(const struct need *n, const cando_planes *p, cando_unknown unknown);

/* The code of an effect: missing-capability, preferred-unmet, probe-pending. */
enum code check_code(unsigned effect);

extern const struct shape_words unknown_words;

#endif
