/*
 * member.h - this daemon as a node of a fleet: what is shared comes into force here, what is
 * recorded here goes to all. stores/fleet does it, in a thread of its own; no request ever waits
 * for it.
 */
#ifndef CANDO_SERVE_MEMBER_H
#define CANDO_SERVE_MEMBER_H

#include "cli/verb.h"

/* Behind record_start and before epoch_start: what the node got last is put in force by that.
 * Without --nats nothing happens. Anything but EXIT_YES has been reported. */
int member_start(struct call *c);
/* From here on it takes part. */
bool member_run(void);
/* The trail has grown. */
void member_wake(void);
/* Behind record_stop: what can be sent in a moment is. */
void member_stop(void);
/* False: it is no member. */
bool member_state(struct fleet_state *out);

#endif
