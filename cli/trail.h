/*
 * trail.h - the audit trail as the verbs see it: which file, what time it is, a
 * record as an event.
 *
 * The file is that of --store, or else of the environment variable CANDO_STORE.
 */
#ifndef CANDO_CLI_TRAIL_H
#define CANDO_CLI_TRAIL_H

#include "cando_store.h"
#include "config.h"
#include "verb.h"

/* The path: what was given, or the environment's; NULL if there is none. */
const char *trail_path(const char *given);
/* Opens it; NULL: it has been reported, and `*code` is the exit code. A trail that is locked is
 * waited for: so many seconds, 0: TRAIL_WAIT. */
#define TRAIL_WAIT 10
cando_store *trail_open(const char *path, bool create, uint64_t wait, int *code);
/* Milliseconds since 1970. */
uint64_t trail_now(void);
/* The same on the day that counts as today. */
uint64_t asked_now(void);
/* What expires has expired if it has by either: nobody sets the day back for that. */
uint64_t latest_now(void);
/* An option that is a time, a uint64_t: "2026-11-15", "2026-11-15T16:30:05Z", or so long
 * ago (when.h). */
#define TIME(name, m, help) ROW_(name, "TIME", help, take_time), .at = AT_(ask, m, uint64_t)
take_fn take_time;

/* What was learnt at a time, as an event; and what an event observed, among observations. */
cando_event trail_event(const cando_learnt *o, uint64_t time);
cando_status trail_observe(cando_observations *to, const cando_event *e, cando_error *err);
/* All observations of a trail, also those that have expired; closes it. NULL: reported. */
cando_observations *trail_observed(cando_store *s, int *code);
/* The same of a file. */
cando_observations *trail_observations(const char *path, int *code);
/* Puts what a trail has observed, and what still counts, behind the files in force. Without
 * observations nothing changes. */
cando_status trail_add(const char *path, struct config *out, cando_error *err);

#endif
