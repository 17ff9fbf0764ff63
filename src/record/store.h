/*
 * store.h - where records are kept: one small interface, for every store.
 *
 *     append   events into a bounded queue, a batch at a time to the medium
 *     flush    all that is queued; CANDO_OK is the acknowledgement
 *     query    records by session, time, model, verdict, kind
 *     verify   the chain, from its anchor to its head
 *     retain   drops the oldest records; the rest can still be verified
 *     acknowledge   somebody has seen that the trail is not what it was, and says so
 *
 * A store never stops an answer. Append fails only for an event that is wrong in
 * itself; a locked file or a full disk is counted, the queue holds what it can, and
 * the next append or flush tries again. What did not fit is counted too, and the
 * trail says how many were lost as soon as it can be written again.
 *
 * stores/ has the implementations. They use the public interface and src/base, so
 * that a program can link one without the inside of the library.
 */
#ifndef CANDO_STORE_H
#define CANDO_STORE_H

#include "base/diag.h"

struct store_record {
    uint64_t n;
    struct str text; /* the bytes that are hashed */
    const unsigned char *hash;
};

/* Empty members ask for everything. Times are milliseconds since 1970. */
struct store_query {
    const char *session;
    const char *model;     /* "gpt-5", or "openai/gpt-5": of the target or of what was before it */
    const char *verdict;   /* "accepted", "degraded", "rejected" */
    const char *kind;      /* "switch", ... */
    uint64_t since, until; /* from `since` on, before `until`; 0: no bound */
    uint64_t first;        /* from this record on */
    uint64_t limit;        /* 0: all */
    bool newest_first;
    bool checked; /* first the whole chain is verified; if it is not whole there are no records */
};

/* False ends the query, which is then a success. */
typedef bool store_record_fn(void *user, const struct store_record *r);

struct store_report {
    uint64_t records, first, last; /* numbers; 0 if there is no record */
    unsigned char head[CANDO_HASH_BYTES];
    uint64_t problems; /* the trail is whole if there are none */
    uint64_t at;       /* the record of the first problem, or 0 */
    bool breaks;       /* that is one that somebody can acknowledge */
    char problem[256], note[160];
};

struct store_counts {
    uint64_t acknowledged; /* records that are on the medium, by this store */
    uint64_t queued, lost;
    uint64_t failures; /* attempts that did not succeed */
    char last_failure[160];
};

struct store;
struct store_ops {
    cando_status (*append)(struct store *s, const cando_event *events, size_t n, cando_error *err);
    cando_status (*flush)(struct store *s, cando_error *err);
    cando_status (*query)(struct store *s, const struct store_query *q, store_record_fn *fn,
                          void *user, cando_error *err);
    /* A damaged trail is a report with problems, not a failure. */
    cando_status (*verify)(struct store *s, struct store_report *out, cando_error *err);
    /* Drops records before the time `before` (0: no matter), and all but the newest `keep`
     * (UINT64_MAX: no matter). `now` is when it is done. */
    cando_status (*retain)(struct store *s, uint64_t before, uint64_t keep, uint64_t now,
                           uint64_t *dropped, cando_error *err);
    /* A break that verify finds is acknowledged by somebody's name, in a record; `*n` is the
     * record of the break, 0 if there was none. */
    cando_status (*acknowledge)(struct store *s, const char *by, uint64_t now, uint64_t *n,
                                cando_error *err);
    void (*counts)(const struct store *s, struct store_counts *out);
    /* Flushes once more, unless a flush has failed; what could not be written is lost. */
    void (*close)(struct store *s);
};

struct store {
    const struct store_ops *ops;
};

#endif
