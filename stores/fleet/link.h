/*
 * link.h - one connection to a cluster, and the few things that a node asks of it. The only file
 * that knows libnats is link.c.
 *
 * Every call waits for its answer, for LINK_WAIT at most; those who may not wait do not call.
 * A connection that is lost stays lost: node.c decides when there is a new one. Results are those
 * of node.h; what went wrong is in link_problem.
 */
#ifndef CANDO_FLEET_LINK_H
#define CANDO_FLEET_LINK_H

#include "base/buf.h"
#include "node.h"
#include "stores/fleet.h"

enum {
    LINK_WAIT = 3000,             /* milliseconds */
    LINK_CONNECT_WAIT = 2000,     /* for each server */
    LINK_BATCH = 256 << 10,       /* bytes of a message, at most; less where the server says so */
    LINK_VALUE_MOST = 1 << 20,    /* of a message that is read; those that we write are smaller */
    LINK_DUPLICATES = 30,         /* seconds in which an id is known to a server */
    LINK_REPLICAS = 3,
    LINK_SERVERS = 16,            /* in an URL */
};

#define LINK_AUDIT "cando_audit"
#define LINK_AUDIT_SUBJECT "cando.audit."
#define LINK_CATALOG "cando_catalog"
#define LINK_OBSERVED "cando_observed"

struct link;

/* Options that cannot be right are found here, before there is any network. NULL: err. */
struct link *link_new(const struct fleet_options *o, const char *name, cando_error *err);
/* `hint` is called, by another thread, when a manifest or an observation may have changed. */
void link_on_hint(struct link *l, void (*hint)(void *ctx, enum node_bucket b), void *ctx);
void link_free(struct link *l);

/* Connects, and makes stream and buckets where they are missing. */
enum node_result link_connect(struct link *l);
void link_disconnect(struct link *l);
/* From another thread: whoever waits for an answer gets none. */
void link_interrupt(struct link *l);
bool link_is_cut(struct link *l);
/* Did a server answer when it was connected to, the last time? Then waiting may help. */
bool link_was_there(const struct link *l);
#define LINK_PROBLEM 200
void link_problem(struct link *l, char out[LINK_PROBLEM]);
/* Bytes that a message may have. */
size_t link_room(const struct link *l);

/* A message that was stored. */
struct link_message {
    uint64_t seq;
    uint64_t time; /* microseconds; 0: of one that link_read reads */
    char subject[256];
    bool deleted;      /* a marker of a bucket: there is nothing any more */
    struct buf *data;
};

/* The last message of a subject: DONE or NOTHING. By the leader, which knows. */
enum node_result link_last(struct link *l, const char *stream, const char *subject,
                           struct link_message *m);
/* The first one from `seq` on whose subject is like this; by any server, which may be late. */
enum node_result link_next(struct link *l, const char *stream, const char *like, uint64_t seq,
                           struct link_message *m);
/* Stores it if `last` is the sequence of the subject's last message (0: there is none), or, where
 * that is LINK_ANY, in any case. `*seq` is its sequence. `id` may be NULL. */
#define LINK_ANY UINT64_MAX
enum node_result link_put(struct link *l, const char *subject, const char *id, uint64_t last,
                          const void *data, size_t n, uint64_t *seq);
/* As link_put, and says that the key is gone. */
enum node_result link_delete(struct link *l, const char *subject);
/* Forgets all messages whose subject is like this. */
enum node_result link_purge(struct link *l, const char *stream, const char *like);
/* The newest sequence of a stream. */
enum node_result link_newest(struct link *l, const char *stream, uint64_t *seq);
/* Calls fn for each message of the audit stream behind `*seq` up to the newest. `*seq` is the last
 * one that it was called for, so that a reading that was cut off can go on. False ends it. */
enum node_result link_read(struct link *l, uint64_t *seq,
                           bool (*fn)(void *ctx, const struct link_message *m), void *ctx);

#endif
