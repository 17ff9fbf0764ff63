/*
 * fleet.h - several nodes that share catalog, overlays, observations and the audit trail by way of
 * NATS JetStream. This is what the doors see of it; stores/fleet/ is a library of its own, which is
 * loaded where --nats is given (cli/fleet.c), since it needs libnats.
 *
 *     stream  cando_audit      cando.audit.NODE     batches of records, a line each: a chain a node
 *     bucket  cando_catalog    set.catalog          a manifest: hash, length and number of pieces
 *                              set.overlay.NAME     the same, of a rule file
 *                              piece.KEY.HASH.I     the bytes themselves, written before it
 *     bucket  cando_observed   a key for each offering and field: the newest record about it
 *
 * The trail of a node (one SQLite file) is its outbox: what is in it was acknowledged, and goes to
 * the stream in its own time. FILE-fleet beside it says how far that has come, and keeps what the
 * node got last from the others, so that it starts with that when nobody can be reached.
 * docs/fleet.md says what is promised.
 */
#ifndef CANDO_STORES_FLEET_H
#define CANDO_STORES_FLEET_H

#include "cando_store.h"

struct fleet_options {
    const char *url;               /* of one server, or of several, with commas between them */
    const char *creds;             /* a file with a user's JWT and seed, or NULL */
    const char *ca, *cert, *key;   /* files: who may sign the servers; who we are; or NULL */
};

struct fleet_rules {
    const char *name;
    cando_bytes text;
};

/* What a node does with what the others give it. All are called by one thread, or by fleet_open. */
struct fleet_hooks {
    /* Everything that is shared now, instead of what was given before. `catalog` NULL: nobody has
     * given one. False: it cannot be put in force, which has been said, and what was before
     * stays. */
    bool (*share)(const cando_catalog *catalog, const struct fleet_rules *rules, size_t n);
    /* Observations of other nodes, and of this one: texts of events, a line each. */
    void (*observe)(cando_bytes lines);
    /* Something for the log. */
    void (*say)(const char *line);
};

struct fleet_state {
    char node[64];
    bool connected;
    uint64_t sent, unsent; /* records: that the stream has, that wait here */
    uint64_t batches;      /* messages that carried them */
    uint64_t looks;        /* requests that asked a bucket for what has changed */
    char catalog[65];      /* the hash of the catalog that was given, or "" */
    uint64_t overlays;
    char problem[240];     /* the last thing that went wrong and still does, or "" */
};

/* What is given to all nodes: a snapshot (`key` is "catalog") or a rule file ("overlay.NAME"). No
 * bytes: it is taken back. */
struct fleet_gift {
    const char *key;
    cando_bytes data;
};

typedef struct fleet fleet;

struct fleet_calls {
    const char *version; /* that of the program, or they do not fit */
    /* A node: what it got last is handed to the hooks before this returns. `store` is a trail that
     * is there. Nothing goes over the network yet. NULL: err. */
    fleet *(*open)(const struct fleet_options *o, const char *store, const struct fleet_hooks *h,
                   cando_error *err);
    bool (*start)(fleet *f);
    /* The trail has grown. Never waits. */
    void (*wake)(fleet *f);
    void (*state)(fleet *f, struct fleet_state *out);
    /* What can be sent within `ms` is; the rest stays in the trail. */
    void (*stop)(fleet *f, unsigned ms);
    /* The trail of all nodes, to be queried and verified. With `store` (which is created) records
     * can be appended: to that file, and from there to the stream. */
    cando_store *(*trail)(const struct fleet_options *o, const char *store, cando_error *err);
    /* CANDO_OK: all of it is kept by the cluster, and the nodes take it from there. */
    cando_status (*give)(const struct fleet_options *o, const struct fleet_gift *g, size_t n,
                         cando_error *err);
};

#define FLEET_LIBRARY "libcando_fleet.so"
/* The one name that the library shows. */
extern const struct fleet_calls cando_fleet_calls;

#endif
