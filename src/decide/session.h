/*
 * session.h - what a session holds.
 *
 * The state is immutable: a change makes another one beside it, which shares what stays
 * the same, negotiates for that, and only when it is accepted is the new one copied into
 * an arena of its own and put in place of the old. So a rejection, an error or a lack of
 * memory cannot leave a trace.
 */
#ifndef CANDO_SESSION_H
#define CANDO_SESSION_H

#include "base/limits.h"
#include "catalog/engine.h"
#include "negotiate.h"

struct session_state {
    const cando_name *target;  /* what is in force */
    const cando_name *choices; /* the last model at each provider */
    size_t n_choices;
    cando_unknown unknown;
    const cando_session_parts *session;
    const cando_param *params;
    size_t n_params;
};

struct cando_session {
    const cando *c;
    struct arena ar; /* of the state */
    struct session_state state;
    struct arena waiting_ar;
    struct session_state waiting; /* for its user's yes; target is NULL: nothing does */
    char *waiting_event;          /* to be told then, as its text; NULL: nobody is told */
    size_t n_waiting_event;
    char id[LIMIT_SESSION_BYTES + 1];
    struct buf
        history; /* the conversation so far; no part of the state, which holds no prompt text */
};

/* A session with a copy of this state, which is looked at for mistakes first. Places are
 * those of the state as JSON. */
cando_session *session_open(const cando *c, struct session_state state, cando_room *room,
                            cando_error *err);

#endif
