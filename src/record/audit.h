/*
 * audit.h - the text of a record, and the chain that holds records together.
 *
 *     event      {"time":"2026-11-15T16:30:05.250Z","kind":"switch",...}
 *     record 7   {"n":7,"prev":"<hash of record 6>","time":...}
 *     hash 7     SHA-256 of these bytes
 *
 * The bytes of a record are what is hashed, stored and exported, so nobody has to
 * agree on how to write JSON again in order to verify. There is one way to write an
 * event: fixed order of keys, empty members left out, no white space. Secrets are
 * replaced before anything is hashed, since what was hashed cannot be mended.
 */
#ifndef CANDO_AUDIT_H
#define CANDO_AUDIT_H

#include "event.h"

/* How a record begins: {"n":7,"prev":"..",  Gives its length. */
size_t audit_head(const cando_chain *before, char out[CANDO_RECORD_ROOM]);

#endif
