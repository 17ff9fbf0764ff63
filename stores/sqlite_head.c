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

/* -1: there is none, or (with `*other`) something that is no regular file. */
static int open_head(const struct sqlite_store *s, int flags, bool *other)
{
    struct stat st;
    *other = false;
    int fd = open(s->head_path, flags | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
    if (fd < 0) {
        *other = errno != ENOENT;
        return -1;
    }
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        return fd;
    *other = true;
    close(fd);
    return -1;
}

static enum head_state read_head(int fd, cando_chain *out)
{
    char text[SQLITE_HEAD_BYTES], again[SQLITE_HEAD_BYTES];
    ssize_t n = pread(fd, text, sizeof text, 0);
    uint64_t number = 0;
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
    bool other;
    int fd = open_head(s, O_RDONLY, &other);
    if (fd < 0)
        return other ? HEAD_BAD : HEAD_NONE;
    enum head_state state = read_head(fd, out);
    /* it may be being written: once more, when that is done */
    struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    if (state == HEAD_BAD && fcntl(fd, F_SETLKW, &lock) == 0)
        state = read_head(fd, out);
    close(fd);
    return state;
}

static bool put_head(struct sqlite_store *s, int fd, const cando_chain *c)
{
    char text[SQLITE_HEAD_BYTES];
    size_t n = head_text(c, text);
    if (pwrite(fd, text, n, 0) == (ssize_t)n)
        return true;
    s->counts.failures++;
    return false;
}

static void sync_folder(const char *path)
{
    char folder[4096];
    const char *slash = strrchr(path, '/');
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                     slash ? path : ".");
    int fd = n > 0 && (size_t)n < sizeof folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

/* A head that is there already tells of an older trail, and stays. */
void sqlite_head_create(struct sqlite_store *s)
{
    bool other;
    const cando_chain begin = {.n = 0};
    int fd = open_head(s, O_RDWR | O_CREAT | O_EXCL, &other);
    if (fd < 0)
        return;
    if (put_head(s, fd, &begin))
        (void)fsync(fd);
    close(fd);
    sync_folder(s->head_path);
}

/* It is a help for verify and no part of the acknowledgement: failing is no failure. Another
 * process may have written a newer one meanwhile. */
void sqlite_head_write(struct sqlite_store *s, bool anew)
{
    bool other;
    cando_chain seen = {.n = 0};
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    if (s->broken && !anew)
        return;
    if (anew)
        unlink(s->head_path); /* whatever it is */
    int fd = open_head(s, O_RDWR | O_CREAT, &other);
    if (fd < 0)
        return;
    if (fcntl(fd, F_SETLKW, &lock) == 0) {
        enum head_state state = read_head(fd, &seen);
        if (anew || state != HEAD_GOOD || seen.n < s->head.n)
            (void)put_head(s, fd, &s->head);
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

cando_status sqlite_acknowledge(struct store *base, const char *by, uint64_t now, uint64_t *n,
                                cando_error *err)
{
    struct sqlite_store *s = (struct sqlite_store *)base;
    *n = 0;
    cando_status st = base->ops->flush(base, err);
    if (st != CANDO_OK)
        return st;
    bool ok = sqlite_run(s, "BEGIN IMMEDIATE") && sqlite_known(s) &&
              sqlite_read_head(s, &s->head) && sqlite_note_break(s, now);
    uint64_t broken = ok ? sqlite_open_break(s) : 0;
    if (broken) {
        const cando_event e = {
            .kind = CANDO_EVENT_ACKNOWLEDGE, .time = now, .evidence = by, .count = broken};
        char *text;
        size_t len;
        st = cando_event_encode(&e, s->a, &text, &len, err); /* a name that is none is told */
        cando_event_free_text(s->a, text, len);
        ok = st == CANDO_OK && sqlite_insert_event(s, &e);
    }
    ok = ok && sqlite_run(s, "COMMIT");
    if (!ok) {
        st = st == CANDO_OK ? sqlite_fail(s, err, "write to") : st;
        if (!sqlite3_get_autocommit(s->db))
            sqlite_run(s, "ROLLBACK");
        return st;
    }
    if (broken) {
        sqlite_head_write(s, true);
        s->broken = false;
    }
    *n = broken;
    return CANDO_OK;
}
