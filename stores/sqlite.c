#define _POSIX_C_SOURCE 200809L
#include "sqlite_impl.h"

#include "base/limits.h"
#include "base/sha256.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* -- errors ---------------------------------------------------------------------------- */

cando_status sqlite_fail(struct sqlite_store *s, cando_error *err, const char *what)
{
    int rc = s->db ? sqlite3_extended_errcode(s->db) : SQLITE_CANTOPEN;
    const char *why = s->refused ? s->refused : s->db ? sqlite3_errmsg(s->db) : "no memory";
    if (rc == SQLITE_NOMEM)
        return error_memory(err);
    error_set(err, CANDO_INTERNAL, CODE_audit_store, "cannot %s %s: %s", what, s->path, why);
    error_at(err, str_of(s->path), 0, 0);
    return CANDO_INTERNAL;
}

bool sqlite_run(struct sqlite_store *s, const char *sql)
{
    return sqlite3_exec(s->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static void roll_back(struct sqlite_store *s)
{
    if (!sqlite3_get_autocommit(s->db))
        sqlite_run(s, "ROLLBACK");
}

bool sqlite_prepare(struct sqlite_store *s, const char *sql, sqlite3_stmt **out)
{
    return sqlite3_prepare_v2(s->db, sql, -1, out, NULL) == SQLITE_OK;
}

/* -- the queue ----------------------------------------------------------------------------------
 */

static cando_status enqueue(struct sqlite_store *s, const cando_event *e, cando_error *err)
{
    char *text;
    size_t len;
    cando_status st = cando_event_encode(e, s->a, &text, &len, err);
    if (st == CANDO_BAD_QUESTION)
        return st;
    if (st != CANDO_OK || s->n_queued == s->options.queue) {
        cando_event_free_text(s->a, text, len);
        s->counts.lost++;
        s->lost++;
        s->lost_at = e->time;
        return CANDO_OK;
    }
    s->last_time = e->time;
    size_t at = (s->first + s->n_queued++) % s->options.queue;
    s->queue[at] = (struct queued){text, len};
    return CANDO_OK;
}

static void drop_first(struct sqlite_store *s, size_t n)
{
    for (; n; n--) {
        struct queued *q = &s->queue[s->first];
        cando_event_free_text(s->a, q->text, q->len);
        s->first = (s->first + 1) % s->options.queue;
        s->n_queued--;
    }
}

/* -- writing
 * --------------------------------------------------------------------------------------- */

/* The newest record, or the anchor. */
bool sqlite_read_head(struct sqlite_store *s, cando_chain *out)
{
    sqlite3_reset(s->newest);
    int rc = sqlite3_step(s->newest);
    if (rc == SQLITE_ROW && sqlite3_column_bytes(s->newest, 1) == CANDO_HASH_BYTES) {
        out->n = (uint64_t)sqlite3_column_int64(s->newest, 0);
        memcpy(out->hash, sqlite3_column_blob(s->newest, 1), CANDO_HASH_BYTES);
    }
    bool ok = rc == SQLITE_ROW && sqlite3_column_bytes(s->newest, 1) == CANDO_HASH_BYTES;
    sqlite3_reset(s->newest);
    return ok;
}

static bool insert(struct sqlite_store *s, const char *text, size_t len)
{
    if (len > LIMIT_EVENT_BYTES)
        return false;
    size_t n = cando_chain_append(&s->head, text, len, s->room);
    if (!n)
        return false;
    sqlite3_bind_int64(s->insert, 1, (sqlite3_int64)s->head.n);
    sqlite3_bind_text(s->insert, 2, s->room, (int)n, SQLITE_STATIC);
    sqlite3_bind_blob(s->insert, 3, s->head.hash, CANDO_HASH_BYTES, SQLITE_STATIC);
    int rc = sqlite3_step(s->insert);
    sqlite3_reset(s->insert);
    return rc == SQLITE_DONE;
}

bool sqlite_insert_event(struct sqlite_store *s, const cando_event *e)
{
    char *text;
    size_t len;
    if (cando_event_encode(e, s->a, &text, &len, NULL) != CANDO_OK)
        return false;
    bool ok = insert(s, text, len);
    cando_event_free_text(s->a, text, len);
    return ok;
}

/* A commit that reported a failure may have reached the disk all the same. Then its last
 * record is there, and writing it again would be a second one. */
static bool was_written(struct sqlite_store *s)
{
    bool found = false;
    sqlite3_stmt *q;
    if (!s->unsure.n || !sqlite_prepare(s, "SELECT hash FROM record WHERE n = ?", &q))
        return false;
    sqlite3_bind_int64(q, 1, (sqlite3_int64)s->unsure.n);
    if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_bytes(q, 0) == CANDO_HASH_BYTES)
        found = memcmp(sqlite3_column_blob(q, 0), s->unsure.hash, CANDO_HASH_BYTES) == 0;
    sqlite3_finalize(q);
    return found;
}

static void acknowledge(struct sqlite_store *s, size_t events, bool lost)
{
    s->counts.acknowledged += events + lost;
    drop_first(s, events);
    if (lost)
        s->lost = 0;
    s->unsure.n = 0;
    sqlite_head_write(s);
}

static bool insert_batch(struct sqlite_store *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct queued *q = &s->queue[(s->first + i) % s->options.queue];
        if (!insert(s, q->text, q->len))
            return false;
    }
    if (!s->lost)
        return true;
    cando_event e = {.kind = CANDO_EVENT_LOST, .time = s->lost_at, .count = s->lost};
    return sqlite_insert_event(s, &e);
}

static bool write_batch(struct sqlite_store *s)
{
    size_t n = s->n_queued;
    bool lost = s->lost > 0;
    if (s->unsure.n && was_written(s)) {
        s->head = s->unsure;
        acknowledge(s, s->unsure_events, s->unsure_lost);
        return true;
    }
    s->unsure.n = 0;
    if (!sqlite_run(s, "BEGIN IMMEDIATE"))
        return false;
    if (!sqlite_known(s) || !sqlite_read_head(s, &s->head))
        return false;
    if (!sqlite_note_break(s, s->n_queued ? s->last_time : s->lost_at) || !insert_batch(s, n))
        return false;
    s->unsure = s->head;
    s->unsure_events = n;
    s->unsure_lost = lost;
    if (!sqlite_run(s, "COMMIT"))
        return false;
    acknowledge(s, n, lost);
    return true;
}

static cando_status write_queue(struct sqlite_store *s, cando_error *err)
{
    while (s->n_queued || s->lost) {
        if (write_batch(s))
            continue;
        cando_status st = sqlite_fail(s, err, "write to");
        s->counts.failures++;
        snprintf(s->counts.last_failure, sizeof s->counts.last_failure, "%s",
                 s->refused ? s->refused : sqlite3_errmsg(s->db));
        roll_back(s);
        s->try_at = s->n_queued + s->options.batch;
        return st;
    }
    s->try_at = s->options.batch;
    return CANDO_OK;
}

/* Who was told that it failed is not surprised by a success behind his back: closing does not
 * try again. */
static cando_status flush(cando_store *base, cando_error *err)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    cando_status st = write_queue(s, err);
    s->gave_up = st != CANDO_OK;
    return st;
}

/* After a failure the next attempt waits for another batch of events: a locked file must
 * not cost every single event its waiting time. */
static cando_status append(cando_store *base, const cando_event *events, size_t n,
                           cando_error *err)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    for (size_t i = 0; i < n; i++) {
        cando_status st = enqueue(s, &events[i], err);
        if (st != CANDO_OK)
            return st;
        size_t full = s->try_at < s->options.queue ? s->try_at : s->options.queue;
        if (s->n_queued >= full &&
            (s->n_queued < s->options.queue || s->lost % s->options.batch == 0))
            (void)write_queue(s, NULL);
        s->gave_up = false;
    }
    return CANDO_OK;
}

static void counts(const cando_store *base, cando_store_counts *out)
{
    const struct sqlite_store *s = (const struct sqlite_store *)base;
    *out = s->counts;
    out->queued = s->n_queued;
}

/* -- opening and closing
 * --------------------------------------------------------------------------------- */

static void finalize(struct sqlite_store *s)
{
    sqlite3_finalize(s->insert);
    sqlite3_finalize(s->newest);
    sqlite3_close(s->db);
}

static void close_store(cando_store *base)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    if (!s)
        return;
    if (s->insert && !s->gave_up)
        (void)write_queue(s, NULL);
    drop_first(s, s->n_queued);
    finalize(s);
    mem_free(s->a, s->queue, s->options.queue * sizeof *s->queue);
    mem_free(s->a, s->head_path, s->head_path_size);
    mem_free(s->a, s, sizeof *s);
}

static const cando_store_ops ops = {
    append, flush,       sqlite_query, sqlite_verify, sqlite_retain, sqlite_acknowledge,
    counts, close_store,
};

bool sqlite_has_table(struct sqlite_store *s, bool *out)
{
    sqlite3_stmt *q;
    if (!sqlite_prepare(s, "SELECT count(*) FROM sqlite_schema", &q))
        return false;
    bool ok = sqlite3_step(q) == SQLITE_ROW;
    *out = ok && sqlite3_column_int64(q, 0) > 0;
    sqlite3_finalize(q);
    return ok;
}

/* Another way of journalling needs the file alone for a moment, and SQLite does not wait for that
 * by itself. */
static bool journal_ahead(struct sqlite_store *s)
{
    unsigned waited = 0;
    while (!sqlite_run(s, "PRAGMA journal_mode = WAL")) {
        if ((sqlite3_errcode(s->db) & 0xff) != SQLITE_BUSY || waited >= s->options.busy_ms)
            return false;
        waited += (unsigned)sqlite3_sleep(5);
    }
    return true;
}

/* An empty file becomes a trail, in one transaction: whoever comes second finds it done. */
static bool create_tables(struct sqlite_store *s)
{
    bool there = true;
    sqlite_trust(s, true); /* the tables are our own */
    if (!sqlite_run(s, "PRAGMA auto_vacuum = INCREMENTAL") || !journal_ahead(s) ||
        !sqlite_run(s, "BEGIN IMMEDIATE") || !sqlite_has_table(s, &there))
        return false;
    for (size_t i = 0; !there && i < sqlite_n_schema; i++)
        if (!sqlite_run(s, sqlite_schema[i].sql))
            return false;
    if (!there && (!sqlite_run(s, "INSERT INTO anchor VALUES (1, 0, zeroblob(32))") ||
                   !sqlite_run(s, SQLITE_MARKS)))
        return false;
    if (!there && !sqlite_head_create(s)) { /* before anybody sees a trail without one */
        s->refused = "its head file cannot be made";
        return false;
    }
    return sqlite_run(s, "COMMIT");
}

static bool settings(struct sqlite_store *s)
{
    char sql[160];
    sqlite3_busy_timeout(s->db, (int)s->options.busy_ms);
    sqlite3_db_config(s->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    return sqlite_run(s, "PRAGMA synchronous = FULL") &&
           sqlite_run(s, "PRAGMA cell_size_check = ON") &&
           sqlite_run(s, "PRAGMA secure_delete = ON") &&
           (!s->options.checkpoint ||
            (snprintf(sql, sizeof sql, "PRAGMA wal_autocheckpoint = %u", s->options.checkpoint) &&
             sqlite_run(s, sql)));
}

static bool limit_size(struct sqlite_store *s)
{
    sqlite3_stmt *q;
    char sql[80];
    if (!s->options.max_bytes)
        return true;
    if (!sqlite_prepare(s, "PRAGMA page_size", &q))
        return false;
    uint64_t page = sqlite3_step(q) == SQLITE_ROW ? (uint64_t)sqlite3_column_int64(q, 0) : 4096;
    sqlite3_finalize(q);
    snprintf(sql, sizeof sql, "PRAGMA max_page_count = %ju",
             (uintmax_t)(s->options.max_bytes / page));
    return sqlite_run(s, sql);
}

/* The statements that writing needs. A damaged trail may not have them, and can be
 * verified all the same. */
static bool prepare_writing(struct sqlite_store *s)
{
    return sqlite_known(s) &&
           sqlite_prepare(s, "INSERT INTO record (n, text, hash) VALUES (?, ?, ?)", &s->insert) &&
           sqlite_prepare(
               s,
               "SELECT n, hash FROM (SELECT n, hash FROM record ORDER BY n DESC LIMIT 1) "
               "UNION ALL SELECT n, hash FROM anchor ORDER BY n DESC LIMIT 1",
               &s->newest);
}

/* What has no known tables may be made so that a query never ends: then it is ended. */
static int is_late(void *user)
{
    const struct sqlite_store *s = user;
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return s->late && t.tv_sec >= s->late;
}

void sqlite_trust(struct sqlite_store *s, bool known)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    s->late = known ? 0 : t.tv_sec + STRANGE_SECONDS;
    sqlite3_progress_handler(s->db, known ? 0 : 100000, known ? NULL : is_late, s);
}

/* Only a regular file is a trail, and only its owner reads it: SQLite takes the mode of what
 * it finds, for the files beside it, too. */
static bool is_for_a_trail(struct sqlite_store *s)
{
    struct stat st;
    if (s->options.create) {
        int fd = open(s->path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
    }
    if (lstat(s->path, &st) != 0 || S_ISREG(st.st_mode))
        return true;
    s->refused =
        S_ISLNK(st.st_mode) ? "it is a link, and links are not followed" : "it is no regular file";
    return false;
}

static cando_status open_db(struct sqlite_store *s, cando_error *err)
{
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (s->options.create ? SQLITE_OPEN_CREATE : 0);
    bool there = false;
    if (!is_for_a_trail(s) || sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK)
        return sqlite_fail(s, err, "open");
    sqlite3_extended_result_codes(s->db, 1);
    sqlite_trust(s, false);
    if (!settings(s) || !sqlite_has_table(s, &there) ||
        (!there && s->options.create && !create_tables(s))) {
        cando_status st = sqlite_fail(s, err, "open");
        roll_back(s);
        return st;
    }
    return limit_size(s) ? CANDO_OK : sqlite_fail(s, err, "open");
}

static struct sqlite_store *make(const char *path, const cando_store_options *options,
                                 const cando_allocator *a)
{
    struct sqlite_store *s = mem_alloc(a, sizeof *s);
    if (!s)
        return NULL;
    memset(s, 0, sizeof *s);
    s->base.ops = &ops;
    s->path = path;
    s->a = a;
    if (options)
        s->options = *options;
    s->options.busy_ms = s->options.busy_ms ? s->options.busy_ms : 20;
    s->options.queue = s->options.queue ? s->options.queue : 8192;
    s->options.batch = s->options.batch ? s->options.batch : 256;
    if (s->options.batch > s->options.queue)
        s->options.batch = s->options.queue;
    s->try_at = s->options.batch;
    s->head_path_size = 2 * (strlen(path) + 12);
    s->head_path = mem_alloc(a, s->head_path_size);
    s->queue = mem_alloc(a, s->options.queue * sizeof *s->queue);
    if (s->head_path && s->queue) {
        s->fresh_path = s->head_path + s->head_path_size / 2;
        snprintf(s->head_path, s->head_path_size / 2, "%s-head", path);
        snprintf(s->fresh_path, s->head_path_size / 2, "%s.new", s->head_path);
        return s;
    }
    if (s->head_path)
        mem_free(a, s->head_path, s->head_path_size);
    if (s->queue)
        mem_free(a, s->queue, s->options.queue * sizeof *s->queue);
    mem_free(a, s, sizeof *s);
    return NULL;
}

cando_store *cando_store_open(const char *path, const cando_store_options *options,
                                const cando_allocator *a, cando_error *err)
{
    struct sqlite_store *s = make(path, options, a);
    if (!s) {
        error_memory(err);
        return NULL;
    }
    cando_status st = open_db(s, err);
    if (st == CANDO_OK && !prepare_writing(s) && s->options.create)
        st = sqlite_fail(s, err, "write to");
    if (st == CANDO_OK)
        return &s->base;
    close_store(&s->base);
    return NULL;
}
