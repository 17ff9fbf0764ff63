/*
 * sqlite_head.c - the head file: what a trail was known to end with.
 *
 *     cando-head 00000000000000000012 <hash> <hash of all before it>\n
 *
 * It is there from the creation of a trail on, and follows each commit, so it is at most as
 * new as the trail. A head that is missing, was changed, is ahead of the trail, or names a
 * record that is another one by now is a *break*: somebody cut the end off, put an old copy
 * back, or made a new database. Such a head is evidence, and is never overwritten. The trail
 * goes on, with a record that tells of the break, and verify fails until somebody
 * acknowledges it by name; that is a record, too, and the head follows again.
 *
 * No link is followed, and nothing but a regular file is opened.
 */
#define _POSIX_C_SOURCE 200809L
#include "base/file.h"
#include "base/sha256.h"
#include "sqlite_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* Always as long, so that it can be overwritten in place. */
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

/* What stands there is another thing than a file that we may read; all else that can hinder
 * its opening says nothing of it. */
static bool is_other(int error)
{
    static const int errors[] = {ELOOP, ENXIO, ENODEV, EISDIR, ENOTDIR, EACCES, EPERM};
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++)
        if (error == errors[i])
            return true;
    return false;
}

/* HEAD_GOOD: it is open; HEAD_BAD: it is no regular file. */
static enum head_state open_head(const struct sqlite_store *s, int flags, int *fd)
{
    struct stat st;
    *fd = open(s->head_path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (*fd < 0 && errno == ENOENT)
        return HEAD_NONE;
    if (*fd < 0)
        return is_other(errno) ? HEAD_BAD : HEAD_UNREAD;
    if (fstat(*fd, &st) == 0 && S_ISREG(st.st_mode))
        return HEAD_GOOD;
    close(*fd);
    return HEAD_BAD;
}

static enum head_state read_head(int fd, cando_chain *out)
{
    char text[SQLITE_HEAD_BYTES], again[SQLITE_HEAD_BYTES];
    ssize_t n = pread(fd, text, sizeof text, 0);
    uint64_t number = 0;
    if (n < 0)
        return HEAD_UNREAD;
    for (size_t i = 11; i < 31 && n > 31; i++) {
        if (!char_is_digit(text[i]))
            return HEAD_BAD;
        number = number * 10 + (uint64_t)(text[i] - '0');
    }
    *out = (cando_chain){.n = number};
    if (n < 96 || !sha256_parse(str_make(text + 32, 64), out->hash))
        return HEAD_BAD;
    if ((size_t)n != head_text(out, again))
        return HEAD_BAD;
    return memcmp(text, again, (size_t)n) == 0 ? HEAD_GOOD : HEAD_BAD;
}

enum head_state sqlite_head_read(const struct sqlite_store *s, cando_chain *out)
{
    int fd;
    enum head_state state = open_head(s, O_RDONLY, &fd);
    if (state != HEAD_GOOD)
        return state;
    state = read_head(fd, out);
    /* it may be being written: once more, when that is done */
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    if (state == HEAD_BAD && fcntl(fd, F_SETLKW, &lock) == 0)
        state = read_head(fd, out);
    close(fd);
    return state;
}

static bool write_text(int fd, const char *text, size_t n)
{
    for (size_t at = 0; at < n;) {
        ssize_t put = pwrite(fd, text + at, n - at, (off_t)at);
        if (put <= 0)
            return false;
        at += (size_t)put;
    }
    return true;
}

static bool put_head(int fd, const cando_chain *c)
{
    char text[SQLITE_HEAD_BYTES];
    return write_text(fd, text, head_text(c, text));
}

/* A new head beside the place of the one that counts: nobody ever sees half of it there. */
static bool prepare_head(const struct sqlite_store *s, const cando_chain *c)
{
    unlink(s->fresh_path);
    int fd = open(s->fresh_path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool ok = put_head(fd, c) && fsync(fd) == 0;
    ok &= close(fd) == 0;
    if (!ok)
        unlink(s->fresh_path);
    return ok;
}

/* A head that is there already tells of an older trail, and stays. */
bool sqlite_head_create(struct sqlite_store *s)
{
    const cando_chain begin = {.n = 0};
    if (!prepare_head(s, &begin))
        return false;
    bool ok = link(s->fresh_path, s->head_path) == 0 || errno == EEXIST;
    unlink(s->fresh_path);
    file_sync_folder(s->head_path);
    return ok;
}

/* Over what stands there, which comes back if that does not succeed: half a head would look like
 * one that somebody changed. */
static bool overwrite(int fd, const cando_chain *c)
{
    char old[SQLITE_HEAD_BYTES];
    ssize_t n = pread(fd, old, sizeof old, 0);
    if (n < 0)
        return false;
    if (put_head(fd, c))
        return true;
    (void)write_text(fd, old, (size_t)n);
    return false;
}

/* It is a help for verify and no part of the acknowledgement: failing is no failure. Another
 * process may have written a newer one meanwhile. */
void sqlite_head_write(struct sqlite_store *s)
{
    int fd;
    cando_chain seen = {.n = 0};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (s->broken || open_head(s, O_RDWR, &fd) != HEAD_GOOD)
        return;
    if (fcntl(fd, F_SETLKW, &lock) == 0) {
        enum head_state state = read_head(fd, &seen);
        bool older = state == HEAD_BAD || (state == HEAD_GOOD && seen.n < s->head.n);
        if (older && !overwrite(fd, &s->head))
            s->counts.failures++;
    }
    close(fd);
}

/* -- breaks ------------------------------------------------------------------------------------ */

/* The hash of record n, or of the anchor; false: it is not there. */
static bool hash_of(struct sqlite_store *s, uint64_t n, unsigned char out[CANDO_HASH_BYTES])
{
    sqlite3_stmt *q;
    bool found = false;
    if (!sqlite_prepare(s,
                        "SELECT hash FROM record WHERE n = ?1 UNION ALL "
                        "SELECT hash FROM anchor WHERE n = ?1",
                        &q))
        return false;
    sqlite3_bind_int64(q, 1, (sqlite3_int64)n);
    if (sqlite3_step(q) == SQLITE_ROW && sqlite3_column_bytes(q, 0) == CANDO_HASH_BYTES) {
        memcpy(out, sqlite3_column_blob(q, 0), CANDO_HASH_BYTES);
        found = true;
    }
    sqlite3_finalize(q);
    return found;
}

bool sqlite_is_broken(struct sqlite_store *s, enum head_state state, const cando_chain *seen,
                      const cando_chain *newest, uint64_t anchor, char *why, size_t size)
{
    unsigned char hash[CANDO_HASH_BYTES];
    why[0] = '\0';
    if (state == HEAD_BAD)
        snprintf(why, size, "the head file was changed");
    else if (state == HEAD_NONE && newest->n)
        snprintf(why, size, "there is no head file beside it");
    else if (state == HEAD_GOOD && seen->n > newest->n)
        snprintf(why, size,
                 "the end is cut off: record %ju was acknowledged, the last one here is %ju",
                 (uintmax_t)seen->n, (uintmax_t)newest->n);
    else if (state == HEAD_GOOD && seen->n >= anchor && seen->n &&
             (!hash_of(s, seen->n, hash) || memcmp(hash, seen->hash, sizeof hash) != 0))
        snprintf(why, size, "record %ju is not the one that was acknowledged", (uintmax_t)seen->n);
    return why[0] != '\0';
}

uint64_t sqlite_open_break(struct sqlite_store *s)
{
    sqlite3_stmt *q;
    uint64_t n = 0;
    if (!sqlite_prepare(s,
                        "SELECT n FROM record WHERE kind = 'break' AND n > coalesce((SELECT max(n) "
                        "FROM record WHERE kind = 'acknowledge'), 0) LIMIT 1",
                        &q))
        return 0;
    if (sqlite3_step(q) == SQLITE_ROW)
        n = (uint64_t)sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return n;
}

static uint64_t anchor_of(struct sqlite_store *s)
{
    sqlite3_stmt *q;
    uint64_t n = 0;
    if (!sqlite_prepare(s, "SELECT n FROM anchor", &q))
        return 0;
    if (sqlite3_step(q) == SQLITE_ROW)
        n = (uint64_t)sqlite3_column_int64(q, 0);
    sqlite3_finalize(q);
    return n;
}

bool sqlite_note_break(struct sqlite_store *s, uint64_t now)
{
    char why[200], hex[SHA256_HEX];
    cando_chain seen = {.n = 0};
    enum head_state state = sqlite_head_read(s, &seen);
    if (state == HEAD_UNREAD) {
        s->refused = SQLITE_HEAD_UNREAD;
        return false;
    }
    s->broken = sqlite_is_broken(s, state, &seen, &s->head, anchor_of(s), why, sizeof why);
    if (!s->broken || sqlite_open_break(s))
        return true;
    sha256_hex(seen.hash, hex);
    const cando_event e = {.kind = CANDO_EVENT_BREAK,
                           .time = now,
                           .evidence = why,
                           .count = seen.n,
                           .hash = state == HEAD_GOOD ? hex : NULL};
    return sqlite_insert_event(s, &e);
}

/* The records of it, and the new head beside the old. False: `*st` may tell why already. */
static bool write_acknowledge(struct sqlite_store *s, const char *by, uint64_t now,
                              uint64_t *broken, cando_status *st, cando_error *err)
{
    char *text;
    size_t len;
    if (!sqlite_run(s, "BEGIN IMMEDIATE") || !sqlite_known(s))
        return false;
    if (!sqlite_read_head(s, &s->head) || !sqlite_note_break(s, now))
        return false;
    *broken = sqlite_open_break(s);
    if (!*broken)
        return sqlite_run(s, "COMMIT");
    const cando_event e = {
        .kind = CANDO_EVENT_ACKNOWLEDGE, .time = now, .evidence = by, .count = *broken};
    *st = cando_event_encode(&e, s->a, &text, &len, err); /* a name that is none is told */
    cando_event_free_text(s->a, text, len);
    if (*st != CANDO_OK || !sqlite_insert_event(s, &e))
        return false;
    if (!prepare_head(s, &s->head)) {
        s->refused = "its new head file cannot be written";
        return false;
    }
    return sqlite_run(s, "COMMIT");
}

cando_status sqlite_acknowledge(cando_store *base, const char *by, uint64_t now, uint64_t *n,
                                cando_error *err)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    *n = 0;
    cando_status st = base->ops->flush(base, err);
    if (st != CANDO_OK)
        return st;
    bool ok = write_acknowledge(s, by, now, n, &st, err);
    if (ok && *n && rename(s->fresh_path, s->head_path) != 0) {
        s->refused = "the break is acknowledged, but its head file cannot be put in place";
        ok = false;
    }
    if (!ok) {
        st = st == CANDO_OK ? sqlite_fail(s, err, "write to") : st;
        if (!sqlite3_get_autocommit(s->db))
            sqlite_run(s, "ROLLBACK");
        unlink(s->fresh_path);
        *n = 0;
    } else if (*n) {
        file_sync_folder(s->head_path);
        s->broken = false;
    }
    return st;
}
