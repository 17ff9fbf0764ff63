/*
 * node.h - what one node of a fleet does next: when it connects, asks, sends, looks, and when it
 * waits. It decides and does nothing: no clock, no network, no file. fleet.c carries it out
 * against a cluster, tests/fleet/simulate.c against a thousand others in virtual time.
 *
 *     node_next --> CONNECT   to any of the servers
 *                   SYNC      ask the stream for the last it has of this node
 *                   SEND      the next batch of records, behind that one and nowhere else
 *                   LOOK      what has changed in a bucket since the last look
 *                   WAIT      until then, or until something happens
 *     node_end  <-- how it went
 *
 * Sending. One batch is under way at a time. It carries the sequence of the batch before it, and
 * the server refuses it where that is not the last of this node; so a batch that was thought lost
 * and turns up hours later changes nothing, and what is sent twice is kept once. Whatever goes
 * wrong, the stream is asked first (SYNC) what it has; then it goes on behind that. Batches have
 * a distance: a busy node sends larger ones, not more of them.
 *
 * Looking. A word that a key has changed comes before the change can be read, may come twice or
 * not at all. So it is only a reason to look, several times at growing distances; and without any
 * word each bucket is looked at now and then. A look costs one request
 * where nothing has changed.
 *
 * Failing. What has no answer is tried again at growing distances, with chance in them, so that a
 * thousand nodes that lost the same server do not come back as one.
 */
#ifndef CANDO_FLEET_NODE_H
#define CANDO_FLEET_NODE_H

#include <stdbool.h>
#include <stdint.h>

/* Milliseconds. */
enum {
    NODE_GATHER = 20,      /* from the first new record to its batch, */
    NODE_SEND_EVERY = 200, /* from one batch to the next; what fills more than one goes at once */
    NODE_RETRY = 250,      /* the first distance; doubled each time up to */
    NODE_RETRY_MOST = 8000,
    NODE_LOOK_SOON = 30,   /* after a word: so long, and as much again by chance; then */
    NODE_LOOK_AGAIN = 3,   /* times as long, */
    NODE_LOOKS = 5,        /* so often */
    NODE_LOOK_EVERY = 30000,
    NODE_SILENT_MOST = 2,  /* calls without an answer until another server is tried */
};

enum node_bucket { NODE_CATALOG, NODE_OBSERVED, NODE_BUCKETS };
enum node_act { NODE_WAIT, NODE_CONNECT, NODE_SYNC, NODE_SEND, NODE_LOOK };
/* SILENT: no answer, so it may have happened. REFUSED: the server said no. CONFLICT: another
 * batch is the last one. CUT: there is no connection any more. */
enum node_result { NODE_DONE, NODE_NOTHING, NODE_CONFLICT, NODE_REFUSED, NODE_SILENT, NODE_CUT };

struct node_step {
    enum node_act act;
    enum node_bucket bucket; /* of LOOK */
    uint64_t until;          /* of WAIT */
};

struct node {
    uint64_t chance;
    bool connected, synced;
    unsigned failures, silent;    /* in a row */
    uint64_t retry_at;            /* connecting or sending, not before */
    uint64_t newest, sent;        /* records: the last there is, the last the stream has */
    uint64_t send_at, calm_until;
    struct {
        uint64_t at;
        unsigned words, failures; /* looks that a word has still to get; in a row */
        uint64_t distance;
    } look[NODE_BUCKETS];
};

void node_init(struct node *n, uint64_t seed, uint64_t now);
/* There are records up to this one. */
void node_spool(struct node *n, uint64_t newest, uint64_t now);
/* A key of the bucket may have changed. */
void node_hint(struct node *n, enum node_bucket b, uint64_t now);
/* The connection is gone. */
void node_cut(struct node *n, uint64_t now);

struct node_step node_next(const struct node *n, uint64_t now);
/* What the step came to. `last`: of SYNC and SEND that are DONE, the last record that the stream
 * has. LOOK is DONE if there was something, else NOTHING. */
void node_end(struct node *n, struct node_step s, enum node_result r, uint64_t last, uint64_t now);

#endif
