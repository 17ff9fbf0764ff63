/*
 * decompile.h - a snapshot back as rules, to be compiled together with others.
 */
#ifndef CANDO_DECOMPILE_H
#define CANDO_DECOMPILE_H

#include "catalog/snapshot.h"
#include "rule.h"

/* Adds all that a snapshot holds to an empty set, as if its sources had been read,
 * but for the rules and lists of the layers in `without`. Texts are shared with the
 * snapshot, which must outlive the set. Places have lines but no columns. Sets
 * rs->failed if there is no memory. */
void ruleset_decompile(struct ruleset *rs, const struct snapshot *s, uint32_t without);

#endif
