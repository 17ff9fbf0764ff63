/*
 * sqlite.h - the audit trail in one SQLite file.
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
 * The files are their owner's alone (0600). Links are not followed.
 */
#ifndef CANDO_STORE_SQLITE_H
#define CANDO_STORE_SQLITE_H

#include "record/store.h"

struct sqlite_options {
    bool create;         /* make the file if there is none */
    unsigned busy_ms;    /* how long a locked file is waited for; 0: 20 */
    size_t batch;        /* events that are written at once; 0: 256 */
    size_t queue;        /* events that wait at most; 0: 8192 */
    uint64_t max_bytes;  /* of the file; 0: no limit */
    unsigned checkpoint; /* pages of the WAL; 0: SQLite's default */
};

/* NULL: the file cannot be opened, or is not a trail. `options` may be NULL. The path and
 * the allocator must outlive the store. */
struct store *sqlite_store_open(const char *path, const struct sqlite_options *options,
                                const cando_allocator *a, cando_error *err);

#endif
