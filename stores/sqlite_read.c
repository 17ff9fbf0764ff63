/*
 * sqlite_read.c - queries, verification and retention of a trail in SQLite.
 *
 * Verify trusts nothing that it can compute: the statements of the schema, the
 * structure of the file (SQLite's own check, which also holds every index against its
 * table), the type of every column, each hash, each link, the anchor against the
 * record that tells of it, and the head file against the end.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/instant.h"
#include "base/sha256.h"
#include "report.h"
#include "sqlite_impl.h"

#include <stdio.h>

/* -- queries ------------------------------------------------------------------------------ */

static void bind_text(sqlite3_stmt *q, int at, const char *text)
{
    if (text && *text)
        sqlite3_bind_text(q, at, text, -1, SQLITE_TRANSIENT);
}

static void bind_time(sqlite3_stmt *q, int at, uint64_t ms)
{
    char text[INSTANT_TEXT];
    if (ms)
        sqlite3_bind_text(q, at, instant_text(ms, text).p, -1, SQLITE_TRANSIENT);
}

/* A model by its own id at any provider, or with its provider. */
#define IS_MODEL(column)                                                                           \
    "(" column " = ?4 COLLATE NOCASE OR substr(" column                                            \
    ", -length(?4) - 1) COLLATE NOCASE IN ('/' || ?4, ':' || ?4))"

static cando_status run_query(struct sqlite_store *s, const cando_store_query *query,
                              cando_store_record_fn *fn, void *user, cando_error *err)
{
    sqlite3_stmt *q;
    char sql[1024];
    snprintf(
        sql, sizeof sql,
        "SELECT n, text, hash FROM record WHERE n >= ?7%s%s%s%s%s%s ORDER BY n%s LIMIT %jd",
        query->session && *query->session ? " AND session = ?1" : "",
        query->since ? " AND time >= ?2" : "", query->until ? " AND time < ?3" : "",
        query->model && *query->model ? " AND (" IS_MODEL("target") " OR " IS_MODEL("previous") ")"
                                      : "",
        query->verdict && *query->verdict ? " AND verdict = ?5" : "",
        query->kind && *query->kind ? " AND kind = ?6" : "", query->newest_first ? " DESC" : "",
        query->limit && query->limit < INT64_MAX ? (intmax_t)query->limit : (intmax_t)-1);
    if (!sqlite_prepare(s, sql, &q))
        return sqlite_fail(s, err, "read");
    bind_text(q, 1, query->session);
    bind_time(q, 2, query->since);
    bind_time(q, 3, query->until);
    bind_text(q, 4, query->model);
    bind_text(q, 5, query->verdict);
    bind_text(q, 6, query->kind);
    sqlite3_bind_int64(q, 7, query->first < INT64_MAX ? (sqlite3_int64)query->first : INT64_MAX);
    int rc;
    bool more = true;
    while (more && (rc = sqlite3_step(q)) == SQLITE_ROW) {
        static const unsigned char none[CANDO_HASH_BYTES];
        const char *text = (const char *)sqlite3_column_text(q, 1);
        cando_store_record r = {.n = (uint64_t)sqlite3_column_int64(q, 0),
                                 .text = {text, (size_t)sqlite3_column_bytes(q, 1)},
                                 .hash = sqlite3_column_blob(q, 2)};
        if (sqlite3_column_bytes(q, 2) != CANDO_HASH_BYTES)
            r.hash = none;
        more = fn(user, &r);
    }
    cando_status st = more && rc != SQLITE_DONE ? sqlite_fail(s, err, "read") : CANDO_OK;
    sqlite3_finalize(q);
    return st;
}

/* -- verification ---------------------------------------------------------------------------- */

static bool column_is(sqlite3_stmt *q, int at, const char *want)
{
    const char *text =
        sqlite3_column_type(q, at) == SQLITE_TEXT ? (const char *)sqlite3_column_text(q, at) : NULL;
    return text && (size_t)sqlite3_column_bytes(q, at) == strlen(want) && strcmp(text, want) == 0;
}

/* One number that a pragma or a query gives; -1 if it cannot be had. */
static int64_t number_of(struct sqlite_store *s, const char *sql)
{
    sqlite3_stmt *q;
    if (!sqlite_prepare(s, sql, &q))
        return -1;
    int64_t n = sqlite3_step(q) == SQLITE_ROW ? sqlite3_column_int64(q, 0) : -1;
    sqlite3_finalize(q);
    return n;
}

static bool verify_schema(struct sqlite_store *s, cando_store_report *r)
{
    sqlite3_stmt *q;
    size_t i = 0;
    int rc = SQLITE_ERROR;
    bool same = true;
    if (number_of(s, "PRAGMA application_id") != SQLITE_APPLICATION ||
        number_of(s, "PRAGMA user_version") != SQLITE_VERSION_OF_TRAIL) {
        problem(r, 0, "the file is not marked as an audit trail of this version");
        return false;
    }
    if (!sqlite_prepare(s, "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY rowid",
                        &q)) {
        problem(r, 0, "the file cannot be read: %.120s", sqlite3_errmsg(s->db));
        return false;
    }
    for (; (rc = sqlite3_step(q)) == SQLITE_ROW && same; i++)
        same = i < sqlite_n_schema && column_is(q, 0, sqlite_schema[i].type) &&
               column_is(q, 1, sqlite_schema[i].name) && column_is(q, 2, sqlite_schema[i].table) &&
               column_is(q, 3, sqlite_schema[i].sql);
    sqlite3_finalize(q);
    if (!same || i != sqlite_n_schema || rc != SQLITE_DONE)
        problem(r, 0, "the tables and triggers are not those of a trail");
    return r->problems == 0;
}

static bool verify_file(struct sqlite_store *s, cando_store_report *r)
{
    sqlite3_stmt *q;
    if (!sqlite_prepare(s, "PRAGMA integrity_check(1)", &q)) {
        problem(r, 0, "the file cannot be read: %.120s", sqlite3_errmsg(s->db));
        return false;
    }
    int rc = sqlite3_step(q);
    if (rc != SQLITE_ROW)
        problem(r, 0, "the file is damaged: %.120s", sqlite3_errmsg(s->db));
    else if (!column_is(q, 0, "ok"))
        problem(r, 0, "the file is damaged: %.120s", (const char *)sqlite3_column_text(q, 0));
    sqlite3_finalize(q);
    return r->problems == 0;
}

static bool read_anchor(struct sqlite_store *s, cando_store_report *r, cando_chain *out)
{
    static const unsigned char zeros[CANDO_HASH_BYTES];
    sqlite3_stmt *q;
    if (!sqlite_prepare(s, "SELECT n, hash, one FROM anchor", &q)) {
        problem(r, 0, "the anchor of the trail cannot be read");
        return false;
    }
    bool ok = sqlite3_step(q) == SQLITE_ROW && sqlite3_column_type(q, 0) == SQLITE_INTEGER &&
              sqlite3_column_type(q, 1) == SQLITE_BLOB && sqlite3_column_int64(q, 0) >= 0 &&
              sqlite3_column_bytes(q, 1) == CANDO_HASH_BYTES && sqlite3_column_int64(q, 2) == 1;
    if (ok) {
        out->n = (uint64_t)sqlite3_column_int64(q, 0);
        memcpy(out->hash, sqlite3_column_blob(q, 1), CANDO_HASH_BYTES);
        ok = sqlite3_step(q) == SQLITE_DONE &&
             (out->n || memcmp(out->hash, zeros, sizeof zeros) == 0);
    }
    sqlite3_finalize(q);
    if (!ok)
        problem(r, 0, "the anchor of the trail is not one");
    return ok;
}

/* Retention tells in the trail what it dropped, so the anchor has a witness. */
static void verify_anchor(struct sqlite_store *s, cando_store_report *r, const cando_chain *anchor)
{
    sqlite3_stmt *q;
    char hex[SHA256_HEX];
    if (!anchor->n)
        return;
    sha256_hex(anchor->hash, hex);
    if (!sqlite_prepare(s,
                        "SELECT json_extract(text, '$.through'), json_extract(text, "
                        "'$.through_hash') FROM record "
                        "WHERE kind = 'retention' ORDER BY n DESC LIMIT 1",
                        &q)) {
        problem(r, 0, "the record of the last retention cannot be read");
        return;
    }
    if (sqlite3_step(q) != SQLITE_ROW || (uint64_t)sqlite3_column_int64(q, 0) != anchor->n ||
        !column_is(q, 1, hex))
        problem(r, 0, "no record tells that the records up to %ju were dropped",
                (uintmax_t)anchor->n);
    sqlite3_finalize(q);
}

struct walk {
    cando_chain chain, seen; /* where we are; what the head file has seen */
};

static bool verify_row(sqlite3_stmt *q, cando_store_report *r, struct walk *w)
{
    uint64_t want = w->chain.n + 1;
    if (sqlite3_column_type(q, 0) != SQLITE_INTEGER || sqlite3_column_type(q, 1) != SQLITE_TEXT ||
        sqlite3_column_type(q, 2) != SQLITE_BLOB ||
        sqlite3_column_bytes(q, 2) != CANDO_HASH_BYTES) {
        problem(r, want, "record %ju is not of the form of a record", (uintmax_t)want);
        return false;
    }
    if ((uint64_t)sqlite3_column_int64(q, 0) != want) {
        problem(r, want, "record %ju is missing: the next one is %jd", (uintmax_t)want,
                (intmax_t)sqlite3_column_int64(q, 0));
        return false;
    }
    const char *text = (const char *)sqlite3_column_text(q, 1);
    const char *wrong = cando_chain_follow(&w->chain, text, (size_t)sqlite3_column_bytes(q, 1),
                                           sqlite3_column_blob(q, 2));
    if (wrong) {
        problem(r, want, "record %ju was changed: %s", (uintmax_t)want, wrong);
        return false;
    }
    return true;
}

static void verify_records(struct sqlite_store *s, cando_store_report *r, struct walk *w)
{
    sqlite3_stmt *q;
    int rc = SQLITE_ERROR;
    uint64_t first = w->chain.n + 1;
    if (!sqlite_prepare(s, "SELECT n, text, hash FROM record ORDER BY n", &q)) {
        problem(r, 0, "the records cannot be read: %.120s", sqlite3_errmsg(s->db));
        return;
    }
    while ((rc = sqlite3_step(q)) == SQLITE_ROW && verify_row(q, r, w)) {
    }
    if (rc != SQLITE_DONE && rc != SQLITE_ROW)
        problem(r, w->chain.n + 1, "record %ju cannot be read: %.120s", (uintmax_t)w->chain.n + 1,
                sqlite3_errmsg(s->db));
    sqlite3_finalize(q);
    r->records = w->chain.n + 1 - first;
    r->first = r->records ? first : 0;
    r->last = r->records ? w->chain.n : 0;
    memcpy(r->head, w->chain.hash, sizeof r->head);
}

static void verify_head(struct sqlite_store *s, cando_store_report *r, enum head_state state,
                        const struct walk *w, uint64_t anchor)
{
    char why[200];
    uint64_t open = 0;
    if (sqlite_is_broken(s, state, &w->seen, &w->chain, anchor, why, sizeof why))
        problem(r, state == HEAD_GOOD ? w->seen.n : 0, "%s", why);
    else if ((open = sqlite_open_break(s)))
        problem(r, open, "record %ju tells of a break that nobody has acknowledged",
                (uintmax_t)open);
    r->breaks = r->problems > 0;
}

/* Nothing is wrong with the file, and asking again may succeed. */
static bool is_hindered(const struct sqlite_store *s)
{
    int rc = sqlite3_errcode(s->db) & 0xff;
    return rc == SQLITE_BUSY || rc == SQLITE_NOMEM;
}

/* False: it cannot be said, and s->refused or the database tells why. The head file is read first:
 * while others write, it may be older than the trail, never newer. */
static bool verify_all(struct sqlite_store *s, cando_store_report *out, bool file)
{
    struct walk w = {0};
    bool there = true;
    enum head_state state = sqlite_head_read(s, &w.seen);
    if (state == HEAD_UNREAD) {
        s->refused = SQLITE_HEAD_UNREAD;
        return false;
    }
    bool known = sqlite_has_table(s, &there);
    if (!known && is_hindered(s))
        return false;
    /* a file that is being made has no tables yet, and no head or an empty one */
    if (known && !there && state != HEAD_BAD && !w.seen.n) {
        snprintf(out->note, sizeof out->note, "the file is empty: nothing was ever written to it");
        return true;
    }
    if (!verify_schema(s, out))
        return true;
    sqlite_trust(s, true);
    if ((file && !verify_file(s, out)) || !read_anchor(s, out, &w.chain))
        return true;
    cando_chain anchor = w.chain;
    verify_records(s, out, &w);
    if (!out->problems)
        verify_anchor(s, out, &anchor);
    if (!out->problems)
        verify_head(s, out, state, &w, anchor.n);
    return true;
}

/* All but the head file is read in one transaction, which begins with its first read. */
cando_status sqlite_verify(cando_store *base, cando_store_report *out, cando_error *err)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    *out = (cando_store_report){0};
    if (!sqlite_run(s, "BEGIN")) {
        if (is_hindered(s))
            return sqlite_fail(s, err, "read");
        problem(out, 0, "the file cannot be read: %.120s", sqlite3_errmsg(s->db));
        return CANDO_OK;
    }
    cando_status st = verify_all(s, out, true) ? CANDO_OK : sqlite_fail(s, err, "read");
    sqlite_run(s, "ROLLBACK");
    return st;
}

bool sqlite_known(struct sqlite_store *s)
{
    cando_store_report r = {0};
    if (verify_schema(s, &r)) {
        s->refused = NULL;
        sqlite_trust(s, true);
        return true;
    }
    sqlite_trust(s, false);
    s->refused = "its tables and triggers are not those of a trail";
    return false;
}

/* No row is used before the tables are known to be those of a trail, and, if the caller acts
 * on what it reads, before the whole chain was followed: that comes first, since it reads the
 * head before the trail. */
cando_status sqlite_query(cando_store *base, const cando_store_query *query,
                          cando_store_record_fn *fn,
                          void *user, cando_error *err)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    cando_store_report r = {0};
    cando_status st = CANDO_OK;
    bool own = sqlite3_get_autocommit(s->db), there = true;
    if (own && !sqlite_run(s, "BEGIN"))
        return sqlite_fail(s, err, "read");
    if (query->checked && !verify_all(s, &r, false))
        st = sqlite_fail(s, err, "read");
    else if (!sqlite_has_table(s, &there))
        st = sqlite_fail(s, err, "read");
    else if (there && !query->checked && !sqlite_known(s))
        st = sqlite_fail(s, err, "read");
    if (r.problems) {
        st = error_set(err, CANDO_BAD_INPUT, CODE_audit_damaged, "%s: %s", s->path, r.problem);
        error_at(err, str_of(s->path), 0, 0);
    }
    if (st == CANDO_OK && there)
        st = run_query(s, query, fn, user, err);
    if (own)
        sqlite_run(s, "ROLLBACK");
    return st;
}

/* -- retention ----------------------------------------------------------------------------------
 */

/* The last record to drop: all before `before`, and all but the newest `keep`. A record
 * that is newer than its neighbours keeps those behind it: only a beginning is dropped. */
static bool last_to_drop(struct sqlite_store *s, uint64_t before, uint64_t keep, uint64_t newest,
                         uint64_t *out)
{
    sqlite3_stmt *q;
    *out = keep < newest ? newest - keep : 0;
    if (!before)
        return true;
    if (!sqlite_prepare(s, "SELECT min(n) FROM record WHERE time >= ?1", &q))
        return false;
    bind_time(q, 1, before);
    bool ok = sqlite3_step(q) == SQLITE_ROW;
    uint64_t last = ok && sqlite3_column_type(q, 0) == SQLITE_INTEGER
                        ? (uint64_t)sqlite3_column_int64(q, 0) - 1
                        : newest;
    sqlite3_finalize(q);
    if (last > *out)
        *out = last;
    return ok;
}

static bool drop_through(struct sqlite_store *s, uint64_t last, uint64_t now, uint64_t *dropped)
{
    sqlite3_stmt *q;
    char hex[SHA256_HEX], sql[256];
    unsigned char hash[CANDO_HASH_BYTES];
    bool found = false;
    if (!sqlite_prepare(s, "SELECT hash FROM record WHERE n = ?1", &q))
        return false;
    sqlite3_bind_int64(q, 1, (sqlite3_int64)last);
    if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_bytes(q, 0) == CANDO_HASH_BYTES) {
        memcpy(hash, sqlite3_column_blob(q, 0), sizeof hash);
        found = true;
    }
    sqlite3_finalize(q);
    if (!found) /* nothing to drop, or dropped already */
        return sqlite3_errcode(s->db) == SQLITE_OK || sqlite3_errcode(s->db) == SQLITE_DONE;
    sha256_hex(hash, hex);
    cando_event e = {.kind = CANDO_EVENT_RETENTION, .time = now, .count = last, .hash = hex};
    snprintf(sql, sizeof sql,
             "UPDATE anchor SET n = %ju, hash = x'%s'; DELETE FROM record WHERE n <= %ju",
             (uintmax_t)last, hex, (uintmax_t)last);
    if (!sqlite_insert_event(s, &e) || !sqlite_run(s, sql))
        return false;
    *dropped = (uint64_t)sqlite3_changes64(s->db);
    return true;
}

cando_status sqlite_retain(cando_store *base, uint64_t before, uint64_t keep, uint64_t now,
                           uint64_t *dropped, cando_error *err)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    uint64_t last;
    *dropped = 0;
    cando_status st = base->ops->flush(base, err);
    if (st != CANDO_OK)
        return st;
    bool ok = sqlite_run(s, "BEGIN IMMEDIATE") && sqlite_known(s) &&
              sqlite_read_head(s, &s->head) && sqlite_note_break(s, now) &&
              last_to_drop(s, before, keep, s->head.n, &last) &&
              drop_through(s, last, now, dropped) && sqlite_run(s, "COMMIT");
    if (!ok) {
        *dropped = 0;
        st = sqlite_fail(s, err, "write to");
        if (!sqlite3_get_autocommit(s->db))
            sqlite_run(s, "ROLLBACK");
        return st;
    }
    sqlite_head_write(s);
    /* only for the size of the file: a reader that holds it up is no failure */
    (void)sqlite_run(s, "PRAGMA incremental_vacuum");
    (void)sqlite_run(s, "PRAGMA wal_checkpoint(TRUNCATE)");
    return CANDO_OK;
}
