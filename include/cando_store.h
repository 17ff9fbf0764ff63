/*
 * cando_store.h - where records are kept: one small interface, and the store in one SQLite file.
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
 *     cc program.c $(pkg-config --cflags --libs cando-store)
 *
 * The library is apart from libcando because it needs SQLite. Owners, NULL and errors are as in
 * cando.h; a store is used by one thread at a time.
 */
#ifndef CANDO_STORE_H
#define CANDO_STORE_H

#include "cando.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct cando_store_record {
    uint64_t n;
    cando_bytes text; /* the bytes that are hashed */
    const unsigned char *hash;
    const char *node; /* of a fleet: whose record it is; else NULL */
} cando_store_record;

/* Empty members ask for everything. Times are milliseconds since 1970. */
typedef struct cando_store_query {
    const char *session;
    const char *model;     /* "gpt-5", or "openai/gpt-5": of the target or of what was before it */
    const char *verdict;   /* "accepted", "degraded", "rejected" */
    const char *kind;      /* "switch", ... */
    uint64_t since, until; /* from `since` on, before `until`; 0: no bound */
    uint64_t first;        /* from this record on */
    uint64_t limit;        /* 0: all */
    bool newest_first;
    bool checked; /* first the whole chain is verified; if it is not whole there are no records */
} cando_store_query;

/* False ends the query, which is then a success. */
typedef bool cando_store_record_fn(void *user, const cando_store_record *r);

typedef struct cando_store_report {
    uint64_t records, first, last; /* numbers; 0 if there is no record */
    unsigned char head[CANDO_HASH_BYTES];
    uint64_t problems; /* the trail is whole if there are none */
    uint64_t at;       /* the record of the first problem, or 0 */
    bool breaks;       /* that is one that somebody can acknowledge */
    char problem[256], note[160];
} cando_store_report;

typedef struct cando_store_counts {
    uint64_t acknowledged; /* records that are on the medium, by this store */
    uint64_t queued, lost;
    uint64_t failures; /* attempts that did not succeed */
    char last_failure[160];
} cando_store_counts;

typedef struct cando_store cando_store;
typedef struct cando_store_ops {
    cando_status (*append)(cando_store *s, const cando_event *events, size_t n, cando_error *err);
    cando_status (*flush)(cando_store *s, cando_error *err);
    cando_status (*query)(cando_store *s, const cando_store_query *q, cando_store_record_fn *fn,
                          void *user, cando_error *err);
    /* A damaged trail is a report with problems, not a failure. */
    cando_status (*verify)(cando_store *s, cando_store_report *out, cando_error *err);
    /* Drops records before the time `before` (0: no matter), and all but the newest `keep`
     * (UINT64_MAX: no matter). `now` is when it is done. */
    cando_status (*retain)(cando_store *s, uint64_t before, uint64_t keep, uint64_t now,
                           uint64_t *dropped, cando_error *err);
    /* A break that verify finds is acknowledged by somebody's name, in a record; `*n` is the
     * record of the break, 0 if there was none. */
    cando_status (*acknowledge)(cando_store *s, const char *by, uint64_t now, uint64_t *n,
                                cando_error *err);
    void (*counts)(const cando_store *s, cando_store_counts *out);
    /* Flushes once more, unless a flush has failed; what could not be written is lost. */
    void (*close)(cando_store *s);
} cando_store_ops;

struct cando_store {
    const cando_store_ops *ops;
};

/* -- in one SQLite file --
 *
 *     trail.db        records, numbered and chained; append-only by its own triggers
 *     trail.db-wal    (SQLite's) what was committed last; gone after a clean close
 *     trail.db-head   number and hash of the newest record that was acknowledged
 *
 * One writer at a time, many readers. A batch is one transaction with one sync, and
 * is acknowledged when that is done. The number and the hash of a record are taken
 * inside of the transaction, so several processes may append to one trail.
 *
 * A chain alone cannot tell that its end was cut off. The head file can: it is
 * written after each commit, never before, so it is at most as new as the trail.
 * One that is not is evidence, and stays until somebody acknowledges it.
 *
 * The files are their owner's alone (0600). Links are not followed. */
typedef struct cando_store_options {
    bool create;         /* make the file if there is none */
    unsigned busy_ms;    /* how long a locked file is waited for; 0: 20 */
    size_t batch;        /* events that are written at once; 0: 256 */
    size_t queue;        /* events that wait at most; 0: 8192 */
    uint64_t max_bytes;  /* of the file; 0: no limit */
    unsigned checkpoint; /* pages of the WAL; 0: SQLite's default */
} cando_store_options;

/* NULL: the file cannot be opened, or is not a trail. `options` may be NULL. The path and
 * the allocator must outlive the store. */
CANDO_API cando_store *cando_store_open(const char *path, const cando_store_options *options,
                                        const cando_allocator *a, cando_error *err);

#ifdef __cplusplus
}
#endif
#endif
