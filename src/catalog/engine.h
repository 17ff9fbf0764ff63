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
#define ENGINE_RULED 2 /* rule sets of questions that are kept compiled: some megabytes each */

struct targets; /* those made ready for the catalog in force: request/targets.c */
struct ruled;   /* an engine over the rules of a question: op/ruled.c */

struct cando {
    const cando_allocator *a;
    bool borrowed;                /* for one question: nothing is kept */
    const cando_catalog *catalog; /* guarded by `lock`, as all below */
    struct cando_room *idle;      /* rooms of calls that have ended */
    unsigned n_idle;
    struct targets *targets; /* or NULL: there are none yet */
    void (*free_targets)(struct targets *t, const cando_allocator *a);
    struct ruled *ruled[ENGINE_RULED]; /* over the catalog in force, the last used first */
    void (*release_ruled)(struct ruled *r);
    cando_events *events; /* who hears what sessions decide, or NULL; not guarded */
    cando_clock_fn *now;
    void *now_user;
    _Atomic uint32_t lock;
};

/* What a room keeps memory for; see room_scratch. */
enum room_use { ROOM_REPORT, ROOM_ROUTE, ROOM_USES };

struct cando_room {
    const cando_allocator *a;
    struct arena ar;
    const cando_catalog **held; /* in the arena */
    size_t n_held, cap_held;
    struct cando_room *next; /* of the engine's idle ones */
    struct {
        void *p;
        size_t size;
    } scratch[ROOM_USES];
};

/* An engine over a catalog for the length of one question; nothing to free. */
void engine_borrow(struct cando *out, const cando_catalog *catalog, const cando_allocator *a);
/* The catalog in force, which lives until the room is cleared. NULL: no memory. */
const cando_catalog *room_catalog(struct cando_room *room, const cando *c);
/* A room of the engine's own, empty; to be given back. NULL: no memory. */
struct cando_room *engine_room(const cando *c);
void engine_room_back(const cando *c, struct cando_room *room);
/* Memory to work in, its head all 0 at first and then as it was left, which stays the room's when
 * the room is cleared: for one user of its kind at a time. NULL: no memory. */
void *room_scratch(struct cando_room *room, enum room_use use, size_t size, size_t head);

/* For the few instructions in which something guarded is looked at or changed. */
void engine_lock(const cando *c);
void engine_unlock(const cando *c);

/* "provider/model", or both apart, from a question; false: `err` is set, at `at`. */
bool name_split(cando_name name, struct str *provider, struct str *model, struct str at,
                cando_error *err);

#endif
