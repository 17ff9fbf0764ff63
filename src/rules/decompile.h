/*
 * decompile.h - a snapshot back as rules, to be compiled together with others.
 */
#ifndef CANDO_DECOMPILE_H
#define CANDO_DECOMPILE_H

#include "catalog/snapshot.h"
#include "rule.h"

/* Adds all that a snapshot holds to a set, as if its sources had been read into their layers,
 * or all into one that is a user's or above, but for the rules and lists of the layers in
 * `without`. A provider or an id that the set has already stays as it is. Texts are shared with the
 * snapshot, which must outlive the set. Places have lines but no columns. Sets
 * rs->failed if there is no memory. */
/* Only what it says of requests. */
void ruleset_take_requests(struct ruleset *rs, const struct snapshot *s);
void ruleset_decompile(struct ruleset *rs, const struct snapshot *s, cando_layer layer,
                       uint32_t without);

#endif
