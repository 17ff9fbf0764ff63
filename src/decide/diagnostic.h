/*
 * diagnostic.h - what a negotiation came to, as an event.
 */
#ifndef CANDO_DIAGNOSTIC_H
#define CANDO_DIAGNOSTIC_H

#include "base/limits.h"
#include "record/event.h"

/* What an event that is made of a diagnostic points into. */
struct diagnostic {
    const char *missing[LIMIT_EVENT_NAMES], *required_by[LIMIT_EVENT_NAMES];
    const char *findings[LIMIT_EVENT_NAMES];
    cando_param_affected params[LIMIT_EVENT_NAMES];
    size_t n_missing, n_findings, n_params;
};

/* A rejection, a downgrade, or else an event of this kind. Each name once; what is over the limit,
 * or is no name at all, is left out. */
cando_event diagnostic_event(struct diagnostic *d, cando_event_kind kind,
                             const cando_negotiate_answer *a);

#endif
