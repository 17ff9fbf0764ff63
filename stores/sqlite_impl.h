/*
 * sqlite_impl.h - what the files of the SQLite store share.
 *
 * sqlite.c writes, sqlite_head.c knows what a trail ended with, sqlite_read.c queries,
 * verifies and drops what is old, sqlite_schema.c has the tables and triggers.
 */
#ifndef CANDO_STORE_SQLITE_IMPL_H
#define CANDO_STORE_SQLITE_IMPL_H

#include "base/diag.h"
#include "base/limits.h"
#include "cando_store.h"

#include <sqlite3.h>

#define SQLITE_HEAD_BYTES 176

struct queued {
    char *text;
    size_t len;
};

struct sqlite_store {
    cando_store base;
    const char *path;
    const cando_allocator *a;
    cando_store_options options;
    char *head_path, *fresh_path; /* of the head file, and of one that is to become it */
    size_t head_path_size;        /* of both together */
    sqlite3 *db;
    sqlite3_stmt *insert, *newest;
    cando_chain head;     /* of what was written last */
    struct queued *queue; /* a ring of options.queue items */
    size_t first, n_queued;
    size_t try_at;          /* write when so many wait */
    uint64_t lost, lost_at; /* events that did not fit since the last commit, and when */
    cando_chain unsure;     /* the end of a batch whose commit failed; n == 0: none */
    size_t unsure_events;
    bool unsure_lost;
    bool broken;         /* the head file does not go with the trail, and is left alone */
    bool gave_up;        /* the caller knows that the queue could not be written */
    uint64_t last_time;  /* of the newest event */
    const char *refused; /* why this file is not used; else the database's own message */
    int64_t late;        /* seconds: then a query on what may be no trail is ended */
    cando_store_counts counts;
    char room[LIMIT_EVENT_BYTES + CANDO_RECORD_ROOM];
};

/* Each statement as sqlite_schema holds it, in this order. */
struct schema_row {
    const char *type, *name, *table, *sql;
};
extern const struct schema_row sqlite_schema[];
extern const size_t sqlite_n_schema;
#define SQLITE_APPLICATION 1667329636 /* "cand" */
#define SQLITE_VERSION_OF_TRAIL 1
#define SQLITE_MARKS "PRAGMA application_id = 1667329636; PRAGMA user_version = 1"

/* UNREAD: the disk or the system hinders it, and it may be as it should be. */
enum head_state { HEAD_NONE, HEAD_GOOD, HEAD_BAD, HEAD_UNREAD };
#define SQLITE_HEAD_UNREAD "its head file cannot be read"
enum head_state sqlite_head_read(const struct sqlite_store *s, cando_chain *out);
/* For a trail that is being made, which is none without it. */
bool sqlite_head_create(struct sqlite_store *s);
/* s->head, after its commit. */
void sqlite_head_write(struct sqlite_store *s);
/* Does the head file say something else than the trail, whose chain begins behind `anchor` and
 * ends with `newest`? `why` tells. */
bool sqlite_is_broken(struct sqlite_store *s, enum head_state state, const cando_chain *seen,
                      const cando_chain *newest, uint64_t anchor, char *why, size_t size);
/* The record of a break that nobody has acknowledged; 0: there is none. */
uint64_t sqlite_open_break(struct sqlite_store *s);
/* Inside of a transaction, s->head being the newest record: sets s->broken, and writes the
 * record that tells of the break unless there is one. */
bool sqlite_note_break(struct sqlite_store *s, uint64_t now);

/* Are the tables those of a trail? If not, s->refused says so. */
bool sqlite_known(struct sqlite_store *s);
bool sqlite_has_table(struct sqlite_store *s, bool *out);
#define STRANGE_SECONDS 20
/* Until the tables are known all that is asked has a limit of time. (SQLite's own way,
 * trusted_schema = off, refuses json_extract in our own tables, too; that each statement is
 * compared with ours before any row is read is stronger.) */
void sqlite_trust(struct sqlite_store *s, bool known);

/* With the message of the database. */
cando_status sqlite_fail(struct sqlite_store *s, cando_error *err, const char *what);
bool sqlite_run(struct sqlite_store *s, const char *sql);
bool sqlite_prepare(struct sqlite_store *s, const char *sql, sqlite3_stmt **out);
bool sqlite_read_head(struct sqlite_store *s, cando_chain *out);
/* Inside of a transaction: the next record after s->head. */
bool sqlite_insert_event(struct sqlite_store *s, const cando_event *e);

cando_status sqlite_query(cando_store *base, const cando_store_query *q, cando_store_record_fn *fn,
                          void *user, cando_error *err);
cando_status sqlite_verify(cando_store *base, cando_store_report *out, cando_error *err);
cando_status sqlite_retain(cando_store *base, uint64_t before, uint64_t keep, uint64_t now,
                           uint64_t *dropped, cando_error *err);
cando_status sqlite_acknowledge(cando_store *base, const char *by, uint64_t now, uint64_t *n,
                                cando_error *err);

#endif
