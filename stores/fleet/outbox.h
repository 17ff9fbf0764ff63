/*
 * outbox.h - the trail of a node as the place where records wait to be sent, and FILE-fleet beside
 * it: who the node is, how far its records have come, and what it got last from the others.
 *
 *     meta   node, sent (number, hash, sequence of its batch), trying (the last record of the
 *            batch that is under way); of each bucket how far it was read, and the highest
 *            revision and the newest time that were seen
 *     kept   set.catalog, set.overlay.NAME, observed.KEY: the bytes that were put in force
 *
 * A batch is noted before it is sent, so one that has to be sent again has the same records and
 * the same id, after a crash too. None of this is needed for a record to be kept: if the file is
 * lost or cannot be written, the stream says what it has. One process at a time has the file.
 */
#ifndef CANDO_FLEET_OUTBOX_H
#define CANDO_FLEET_OUTBOX_H

#include "base/buf.h"
#include "base/diag.h"
#include "cando_store.h"
#include "node.h"

#include <sqlite3.h>

enum { OUTBOX_BATCH = 2000 }; /* records of one batch, at most */

struct outbox {
    cando_store *trail;
    sqlite3 *db;
    char path[4096];
    char node[64];
    cando_chain sent; /* the last record that the stream has */
    uint64_t seq;     /* of the batch that it came in, or 0 */
    uint64_t trying;  /* the last record of a batch that was sent, or 0 */
    struct outbox_read {
        uint64_t revision;      /* up to here; 0: it is read from its beginning */
        uint64_t highest, time; /* that were ever seen, the time in microseconds */
    } read[NODE_BUCKETS];
    bool renewed; /* the trail is not the one that was sent from */
    bool failed;  /* the file could not be written, the last time */
};

/* `store` is a trail that is there. */
cando_status outbox_open(struct outbox *o, const char *store, cando_error *err);
void outbox_close(struct outbox *o);

bool outbox_newest(struct outbox *o, uint64_t *n);
/* Is record `n` of the trail the one with this hash? */
bool outbox_has(struct outbox *o, uint64_t n, const unsigned char hash[CANDO_HASH_BYTES]);
/* The next records, a line each, of at most `room` bytes (but at least one), the last of them as
 * `*end`. */
bool outbox_batch(struct outbox *o, size_t room, struct buf *lines, cando_chain *end);

void outbox_trying(struct outbox *o, uint64_t last);
void outbox_sent(struct outbox *o, const cando_chain *end, uint64_t seq);
/* The trail is another one: another node, all of whose records are to be sent. */
void outbox_renew(struct outbox *o);

void outbox_revise(struct outbox *o, enum node_bucket b, struct outbox_read r);
/* data.p NULL: forgets it. */
void outbox_keep(struct outbox *o, const char *key, struct str data);
/* What was kept under keys that begin so. */
void outbox_kept(struct outbox *o, const char *begin,
                 void (*fn)(void *ctx, const char *key, struct str data), void *ctx);
/* Several changes as one; they are there together or not at all. */
void outbox_begin(struct outbox *o);
void outbox_commit(struct outbox *o);

#endif
