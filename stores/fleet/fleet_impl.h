/*
 * fleet_impl.h - what the files of the fleet share.
 *
 * node.c decides what is next, fleet.c does it, link.c speaks with the cluster, outbox.c with the
 * disk; shared.c takes what all nodes share, give.c gives it, trail.c reads the trail of all.
 */
#ifndef CANDO_FLEET_IMPL_H
#define CANDO_FLEET_IMPL_H

#include "link.h"
#include "outbox.h"

#include "base/sha256.h"

#include <pthread.h>

enum {
    FLEET_ITEMS = 257,            /* the catalog, and overlays */
    FLEET_KEY = 96,               /* bytes of "overlay.NAME", with the NUL */
    FLEET_GIFT_MOST = 64 << 20,   /* bytes of a catalog or a rule file */
    FLEET_PIECES_MOST = 16384,
};

#define FLEET_BUCKET(b) "KV_" b
#define FLEET_SUBJECT(b) "$KV." b "."

/* Something that all nodes share. */
struct shared_item {
    char key[FLEET_KEY];          /* "catalog", "overlay.NAME" */
    char hash[SHA256_HEX];
    char *data;                   /* n bytes, on the heap */
    size_t n;
    const cando_catalog *catalog; /* of the one whose key is "catalog" */
};

struct shared {
    struct shared_item *item[FLEET_ITEMS];
    size_t n;
};

/* What a manifest says: where the bytes are, and which. */
struct manifest {
    char hash[SHA256_HEX];
    size_t bytes, packed, pieces;
};

/* "catalog", or "overlay." and a name of letters, digits, - and _. */
bool manifest_key_ok(struct str key);
bool manifest_read(struct str text, struct manifest *out);
int manifest_write(const struct manifest *m, char out[160]);
/* The subject of a piece; `i` "*": of all. */
void manifest_piece(const char *key, const char *hash, const char *i, char out[256]);

struct fleet {
    struct fleet_hooks hooks;
    struct outbox outbox;
    struct link *link;
    struct node node;
    struct shared shared;
    cando_room *room;
    struct buf lines, value;
    uint64_t looked; /* at the trail, the last time */
    char said[LINK_PROBLEM];
    unsigned said_of; /* 0: sending; or looking at a bucket */
    bool doubt[NODE_BUCKETS]; /* there may be more in it than behind what was read */
    const char *why; /* of a step that failed on this side, or NULL */
    pthread_t thread;
    bool runs;
    pthread_mutex_t lock; /* of all that follows */
    pthread_cond_t come;
    uint64_t wakes, heard; /* how often the trail has grown, and how much of that was looked at */
    bool hint[NODE_BUCKETS], ends, done;
    struct fleet_state state;
};

/* Writes a line for the log. */
void fleet_say(fleet *f, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* One step, or waiting for one until `latest` (fleet_clock) at most. */
void fleet_turn(fleet *f, uint64_t latest);
uint64_t fleet_clock(void);
fleet *fleet_open(const struct fleet_options *o, const char *store, const struct fleet_hooks *h,
                  cando_error *err);
void fleet_stop(fleet *f, unsigned ms);

/* What was kept is handed to the hooks. */
void shared_begin(fleet *f);
enum node_result shared_look(fleet *f, enum node_bucket b);
void shared_free(struct shared *s);
/* A record that observed something is put where all nodes find it. */
enum node_result shared_observe(fleet *f, struct str line);

cando_status fleet_give(const struct fleet_options *o, const struct fleet_gift *g, size_t n,
                        cando_error *err);
cando_store *fleet_trail(const struct fleet_options *o, const char *store, cando_error *err);
/* Connects for a command that somebody waits for, until then (fleet_clock). A fleet of which no
 * server answers at all is not waited for. */
struct link *fleet_connect(const struct fleet_options *o, uint64_t *until, cando_error *err);
/* Is it worth a further try? Then there is a connection. */
bool fleet_again(struct link *l, enum node_result r, uint64_t until);
cando_status fleet_fail(struct link *l, const char *what, cando_error *err);

/* The number of a record, from its text; 0: it is none. */
uint64_t record_number(struct str line);

#endif
