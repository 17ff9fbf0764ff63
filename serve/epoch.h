/*
 * epoch.h - the engine in force, and how another takes its place.
 *
 * A request holds the epoch that it began in until its answer has gone out, so all that it says,
 * a thousand lines too, is of one catalog. A reload compiles the files anew beside it and then
 * swaps one pointer; the old epoch goes when the last request that holds it does. Files that are
 * broken change nothing: the old epoch stays in force, and /readyz says what is wrong.
 */
#ifndef CANDO_SERVE_EPOCH_H
#define CANDO_SERVE_EPOCH_H

#include "cli/engine.h"

struct epoch {
    const cando *engine;
    uint64_t hash;   /* of the catalog's sources */
    uint64_t number; /* 1, 2, ... */
    uint64_t since;  /* milliseconds since 1970 */
    char newest[11]; /* the last day of its facts, or "" */
};

/* The first one, as the options of the call say. Anything but EXIT_YES has been reported. */
int epoch_start(struct call *c);
void epoch_stop(void);
/* Reads all files again. False: they are broken, which has been reported, and nothing changes. */
bool epoch_reload(void);
/* The same if any of the files has changed since they were read. */
bool epoch_reload_changed(void);
/* Rules on top of all files, instead of those of the last call: what was observed. The text is
 * copied. `reload`: they are put in force at once. */
bool epoch_observe(struct str rules, bool reload);

/* What all nodes of a fleet share: a catalog instead of the one that is found here (NULL: none),
 * and rules on top of it; instead of those of the last call. Nothing of it is kept by reference.
 * False: they cannot be put in force, and nothing changes. Before epoch_start nothing is tried. */
bool epoch_share(const cando_catalog *catalog, const struct fleet_rules *rules, size_t n);

/* The one in force, held until it is dropped. */
struct epoch *epoch_hold(void);
void epoch_drop(struct epoch *e);

/* A catalog is some megabytes: memory of those that are gone goes back to the system. Now and
 * then. */
void epoch_trim(void);

struct epoch_state {
    uint64_t reloads, failures;
    bool broken;       /* the last reload has failed */
    char message[480]; /* and why */
};
void epoch_state(struct epoch_state *out);
/* Which files and folders to watch: calls fn for each. */
void epoch_files(void (*fn)(void *ctx, const char *path), void *ctx);

#endif
