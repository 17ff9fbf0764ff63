#define _POSIX_C_SOURCE 200809L
#include "sqlite_impl.h"

#include "base/limits.h"
#include "base/sha256.h"

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

/* -- errors ---------------------------------------------------------------------------- */

cando_status sqlite_fail(struct sqlite_store *s, cando_error *err, const char *what)
{
    int rc = s->db ? sqlite3_extended_errcode(s->db) : SQLITE_CANTOPEN;
    if (rc == SQLITE_NOMEM)
        return error_memory(err);
    error_set(err, CANDO_INTERNAL, CODE_audit_store, "cannot %s %s: %s", what, s->path,
              s->db ? sqlite3_errmsg(s->db) : "no memory");
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

/* -- the head file -------------------------------------------------------------------------- */

/* "cando-head 00000000000000000012 <hash> <hash of all before it>\n": always as long, so
 * that it can be overwritten in place. */
static size_t head_text(const cando_chain *c, char out[SQLITE_HEAD_BYTES])
{
    char hex[SHA256_HEX];
    unsigned char sum[SHA256_BYTES];
    sha256_hex(c->hash, hex);
    int n = snprintf(out, SQLITE_HEAD_BYTES, "cando-head %020ju %s ", (uintmax_t)c->n, hex);
    sha256_of(out, (size_t)n, sum);
    sha256_hex(sum, hex);
    return (size_t)n + (size_t)snprintf(out + n, SQLITE_HEAD_BYTES - (size_t)n, "%s\n", hex);
}

/* It is a help for verify and no part of the acknowledgement: failing is no failure. */
void sqlite_head_write(struct sqlite_store *s)
{
    char text[SQLITE_HEAD_BYTES];
    size_t n = head_text(&s->head, text);
    int fd = open(s->head_path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0)
        return;
    if (pwrite(fd, text, n, 0) != (ssize_t)n)
        s->counts.failures++;
    close(fd);
}

enum head_state sqlite_head_read(const struct sqlite_store *s, cando_chain *out)
{
    char text[SQLITE_HEAD_BYTES], again[SQLITE_HEAD_BYTES];
    int fd = open(s->head_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return HEAD_NONE;
    ssize_t n = pread(fd, text, sizeof text, 0);
    close(fd);
    uint64_t number = 0;
    for (size_t i = 11; i < 31 && n > 31; i++) {
        if (!char_is_digit(text[i]))
            return HEAD_BAD;
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    *out = (cando_chain){.n = number};
    if (n < 96 || !sha256_parse(str_make(text + 32, 64), out->hash))
        return HEAD_BAD;
    return (size_t)n == head_text(out, again) && memcmp(text, again, (size_t)n) == 0 ? HEAD_GOOD
                                                                                     : HEAD_BAD;
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
    if (!sqlite_read_head(s, &s->head) || !insert_batch(s, n))
        return false;
    s->unsure = s->head;
    s->unsure_events = n;
    s->unsure_lost = lost;
    if (!sqlite_run(s, "COMMIT"))
        return false;
    acknowledge(s, n, lost);
    return true;
}

static cando_status flush(struct store *base, cando_error *err)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    while (s->n_queued || s->lost) {
        if (write_batch(s))
            continue;
        cando_status st = sqlite_fail(s, err, "write to");
        s->counts.failures++;
        snprintf(s->counts.last_failure, sizeof s->counts.last_failure, "%s",
                 sqlite3_errmsg(s->db));
        roll_back(s);
        s->try_at = s->n_queued + s->options.batch;
        return st;
    }
    s->try_at = s->options.batch;
    return CANDO_OK;
}

/* After a failure the next attempt waits for another batch of events: a locked file must
 * not cost every single event its waiting time. */
static cando_status append(struct store *base, const cando_event *events, size_t n,
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
            (void)flush(base, NULL);
    }
    return CANDO_OK;
}

static void counts(const struct store *base, struct store_counts *out)
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

static void close_store(struct store *base)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    if (!s)
        return;
    if (s->insert)
        (void)flush(base, NULL);
    drop_first(s, s->n_queued);
    finalize(s);
    mem_free(s->a, s->queue, s->options.queue * sizeof *s->queue);
    mem_free(s->a, s->head_path, s->head_path_size);
    mem_free(s->a, s, sizeof *s);
}

static const struct store_ops ops = {
    append, flush, sqlite_query, sqlite_verify, sqlite_retain, counts, close_store,
};

static bool has_table(struct sqlite_store *s, bool *out)
{
    sqlite3_stmt *q;
    if (!sqlite_prepare(s, "SELECT count(*) FROM sqlite_schema", &q))
        return false;
    bool ok = sqlite3_step(q) == SQLITE_ROW;
    *out = ok && sqlite3_column_int64(q, 0) > 0;
    sqlite3_finalize(q);
    return ok;
}

/* An empty file becomes a trail, in one transaction: whoever comes second finds it done. */
static bool create_tables(struct sqlite_store *s)
{
    bool there = true;
    if (!sqlite_run(s, "PRAGMA auto_vacuum = INCREMENTAL") ||
        !sqlite_run(s, "PRAGMA journal_mode = WAL") || !sqlite_run(s, "BEGIN IMMEDIATE") ||
        !has_table(s, &there))
        return false;
    for (size_t i = 0; !there && i < sqlite_n_schema; i++)
        if (!sqlite_run(s, sqlite_schema[i].sql))
            return false;
    if (!there && (!sqlite_run(s, "INSERT INTO anchor VALUES (1, 0, zeroblob(32))") ||
                   !sqlite_run(s, SQLITE_MARKS)))
        return false;
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
    return sqlite_prepare(s, "INSERT INTO record (n, text, hash) VALUES (?, ?, ?)", &s->insert) &&
           sqlite_prepare(
               s,
               "SELECT n, hash FROM (SELECT n, hash FROM record ORDER BY n DESC LIMIT 1) "
               "UNION ALL SELECT n, hash FROM anchor ORDER BY n DESC LIMIT 1",
               &s->newest);
}

static cando_status open_db(struct sqlite_store *s, cando_error *err)
{
    int flags =
        SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | (s->options.create ? SQLITE_OPEN_CREATE : 0);
    bool there = false;
    if (sqlite3_open_v2(s->path, &s->db, flags, NULL) != SQLITE_OK)
        return sqlite_fail(s, err, "open");
    sqlite3_extended_result_codes(s->db, 1);
    if (!settings(s) || !has_table(s, &there) ||
        (!there && s->options.create && !create_tables(s))) {
        cando_status st = sqlite_fail(s, err, "open");
        roll_back(s);
        return st;
    }
    return limit_size(s) ? CANDO_OK : sqlite_fail(s, err, "open");
}

static struct sqlite_store *make(const char *path, const struct sqlite_options *options,
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
    s->head_path_size = strlen(path) + 8;
    s->head_path = mem_alloc(a, s->head_path_size);
    s->queue = mem_alloc(a, s->options.queue * sizeof *s->queue);
    if (s->head_path && s->queue) {
        snprintf(s->head_path, s->head_path_size, "%s-head", path);
        return s;
    }
    if (s->head_path)
        mem_free(a, s->head_path, s->head_path_size);
    if (s->queue)
        mem_free(a, s->queue, s->options.queue * sizeof *s->queue);
    mem_free(a, s, sizeof *s);
    return NULL;
}

struct store *sqlite_store_open(const char *path, const struct sqlite_options *options,
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
