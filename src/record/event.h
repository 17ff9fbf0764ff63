/*
 * event.h - events: what they may hold, and who hears of them.
 *
 * An event has no member for free text. Names are checked against their shape and
 * capabilities against the vocabulary, so that a program cannot put a prompt into
 * the trail by mistake; the one line of evidence is the provider's, not a user's,
 * and is cut short. The check is done where an event enters (emit, encode).
 */
#ifndef CANDO_EVENT_H
#define CANDO_EVENT_H

#include "base/diag.h"

/* Is every member of its shape? */
cando_status event_check(const cando_event *e, cando_error *err);

/* Who needs something, a part of a parameter's path, a reason: one short line. */
bool event_is_name(const char *text);
/* A value of a parameter that an event may hold: a number, true, false, null or a word. */
bool event_is_value(cando_bytes json);
/* An id of a session. */
bool event_is_id(const char *text);

#endif
