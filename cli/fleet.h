/*
 * fleet.h - the fleet as the verbs see it: the library of stores/fleet, loaded where --nats is
 * given. It lies beside the program, or where `make install` puts it.
 */
#ifndef CANDO_CLI_FLEET_H
#define CANDO_CLI_FLEET_H

#include "verb.h"

/* NULL: err says what is missing. */
const struct fleet_calls *fleet_load(cando_error *err);
/* The trail of all nodes; without --nats that of --store (trail_open). `create`: to append to it,
 * to the fleet's by way of --store. NULL: reported. */
cando_store *fleet_trail(struct call *c, bool create, uint64_t wait, int *code);
/* Rule files (*.toml) and snapshots, given to all nodes; withdrawn overlays, taken back. Gives the
 * exit code. */
int fleet_give_files(struct call *c, const char *const *file, size_t n, const char *const *name,
                     size_t n_names);

#endif
