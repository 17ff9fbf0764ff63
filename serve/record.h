/*
 * record.h - POST /audit and POST /learn: what clients decided and what providers refused them goes
 * to one audit trail.
 *
 * Many threads hand events over, one writes: all that has come while it wrote is its next batch,
 * with one sync. A client gets its answer when its events are on the medium; 503 means that they
 * are not yet. What was learnt is put in force before it is acknowledged, so the next question
 * anybody asks is answered with it.
 *
 *     handlers ── texts of events ──► queue ──► writer ── append, one flush ──► trail
 *                                                 └── observations ──► rules ──► epoch
 */
#ifndef CANDO_SERVE_RECORD_H
#define CANDO_SERVE_RECORD_H

#include "cando.h"

/* `path` may be NULL: there is no trail. What it has observed is put behind the files in force, so
 * this comes before epoch_start. Gives the exit code; anything but EXIT_YES has been reported. */
int record_start(const char *path);
/* The writer's thread, once the first epoch is in force. False: it has been reported. */
bool record_run(void);
/* What others have observed: texts of events, a line each. It comes into force like what was learnt
 * here, but is not recorded: their trails have it. Never waits. */
void record_observed(cando_bytes lines);
/* All that was handed over is written. */
void record_stop(void);

#endif
