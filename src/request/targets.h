/*
 * targets.h - targets by name, from those that an engine keeps ready.
 */
#ifndef CANDO_TARGETS_H
#define CANDO_TARGETS_H

#include "preflight.h"

/* `cat` is the catalog that the caller has taken from the engine, and keeps. To be released.
 * NULL: `err` is set. */
const cando_target *targets_take(const cando *c, const cando_catalog *cat, struct str provider,
                                 struct str model, unsigned flags, cando_error *err);

#endif
