/*
 * port.h - a request of one API that goes to a model whose own API is another: what that one
 * cannot say.
 */
#ifndef CANDO_PORT_H
#define CANDO_PORT_H

#include "negotiate.h"

/* Fills n->lost with notes: members of the request that the target's own API has no counterpart
 * of, by what they are for, and parts of its conversation that do not survive there. Nothing is
 * added to what the other findings say of the same place. False: r->error is set. */
bool port_request(struct reading *r, struct negotiation *n);

#endif
