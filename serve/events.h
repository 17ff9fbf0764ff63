/*
 * events.h - GET /events: what the daemon decides, learns and reloads, as server-sent events.
 *
 * The last EVENTS_KEPT events stay, each with a number. A client that comes back says which it had
 * last (Last-Event-ID) and gets what it missed; one that missed more than is kept is told so by an
 * event "missed". An event is the canonical text of cando_event_encode: names and codes, no prompt.
 */
#ifndef CANDO_SERVE_EVENTS_H
#define CANDO_SERVE_EVENTS_H

#include "cando.h"
#include "base/str.h"

#define EVENTS_KEPT 512

void events_start(void);
void events_stop(void);
/* Tells everybody who listens. */
void events_tell(const cando_event *e);
/* The catalog in force is another one. */
void events_reloaded(void);
/* An operation has answered: a negotiation is told. `op` may be NULL: it stands in the question. */
void events_decided(const char *op, struct str reply);

#endif
