/*
 * engine.h - the engine that questions are asked of, and the rooms that answers live in.
 *
 * An engine is a catalog in force, which may be swapped while questions are being
 * answered. A question therefore takes the catalog once, at its start; the room of its
 * answer holds on to it, because answers point into it.
 */
#ifndef CANDO_ENGINE_H
#define CANDO_ENGINE_H

#include "snapshot.h"

#define ENGINE_ROOMS 8 /* that are kept for the next calls */

struct targets; /* the cache of ready targets: request/targets.h */

struct cando {
    const cando_allocator *a;
    const cando_catalog *catalog; /* guarded by `lock` */
    struct cando_room *idle;      /* rooms of calls that have ended; guarded by `lock` */
    unsigned n_idle;
    struct targets *targets;      /* or NULL: nothing is kept */
    _Atomic uint32_t lock;
};

struct cando_room {
    const cando_allocator *a;
    struct arena ar;
    const cando_catalog **held; /* in the arena */
    size_t n_held, cap_held;
    struct cando_room *next;    /* of the engine's idle ones */
};

/* An engine over a catalog for the length of one question; nothing to free. */
void engine_borrow(struct cando *out, const cando_catalog *catalog, const cando_allocator *a);
/* The catalog in force, which lives until the room is cleared. NULL: no memory. */
const cando_catalog *room_catalog(struct cando_room *room, const cando *c);
/* A room of the engine's own, empty; to be given back. NULL: no memory. */
struct cando_room *engine_room(const cando *c);
void engine_room_back(const cando *c, struct cando_room *room);

/* "provider/model", or both apart, from a question; false: `err` is set, at `at`. */
bool name_split(cando_name name, struct str *provider, struct str *model, struct str at, cando_error *err);

#endif
