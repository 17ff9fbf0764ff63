#define _DEFAULT_SOURCE
#include "outbox.h"

#include "base/sha256.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

/* -- the file ---------------------------------------------------------------------------------- */

static bool run(struct outbox *o, const char *sql)
{
    bool ok = sqlite3_exec(o->db, sql, NULL, NULL, NULL) == SQLITE_OK;
    o->failed = !ok;
    return ok;
}

/* One statement with up to two values; its first row, if it has any, is seen by `row`. */
static bool ask(struct outbox *o, const char *sql, const char *key, struct str value,
                void (*row)(void *ctx, sqlite3_stmt *q), void *ctx)
{
    sqlite3_stmt *q;
    int rc;
    if (sqlite3_prepare_v2(o->db, sql, -1, &q, NULL) != SQLITE_OK) {
        o->failed = true;
        return false;
    }
    sqlite3_bind_text(q, 1, key, -1, SQLITE_STATIC);
    if (value.p)
        sqlite3_bind_blob64(q, 2, value.p, value.n, SQLITE_STATIC);
    while ((rc = sqlite3_step(q)) == SQLITE_ROW && row)
        row(ctx, q);
    sqlite3_finalize(q);
    o->failed = rc != SQLITE_DONE && rc != SQLITE_ROW;
    return !o->failed;
}

static void put(struct outbox *o, const char *key, struct str value)
{
    ask(o, "INSERT OR REPLACE INTO meta VALUES (?1, ?2)", key, value, NULL, NULL);
}

static void put_number(struct outbox *o, const char *key, uint64_t n)
{
    char text[24];
    snprintf(text, sizeof text, "%ju", (uintmax_t)n);
    put(o, key, str_of(text));
}

/* A value of at most 79 bytes; none is "". */
static void take_text(void *ctx, sqlite3_stmt *q)
{
    char *out = ctx;
    int n = sqlite3_column_bytes(q, 0);
    const void *p = sqlite3_column_blob(q, 0);
    if (!p || n > 79)
        n = 0;
    if (n)
        memcpy(out, p, (size_t)n);
    out[n] = '\0';
}

static bool get(struct outbox *o, const char *key, char out[80])
{
    out[0] = '\0';
    return ask(o, "SELECT value FROM meta WHERE key = ?1", key, STR_NONE, take_text, out);
}

static uint64_t get_number(struct outbox *o, const char *key)
{
    char text[80];
    uint64_t n = 0;
    if (get(o, key, text))
        for (const char *p = text; *p >= '0' && *p <= '9' && n < UINT64_MAX / 16; p++)
            n = n * 10 + (uint64_t)(*p - '0');
    return n;
}

static const char *const read_key[NODE_BUCKETS][3] = {
    {"catalog", "catalog.highest", "catalog.time"},
    {"observed", "observed.highest", "observed.time"},
};

/* -- who the node is --------------------------------------------------------------------------- */

static void make_name(struct outbox *o)
{
    unsigned char chance[4];
    char host[40] = "";
    if (getentropy(chance, sizeof chance) != 0)
        memset(chance, (int)getpid(), sizeof chance);
    if (gethostname(host, sizeof host - 1) != 0 || !host[0])
        memcpy(host, "node", 5);
    for (char *p = host; *p; p++) /* it is a part of a subject */
        if (!char_is_alpha(*p) && !char_is_digit(*p) && *p != '-')
            *p = '-';
    snprintf(o->node, sizeof o->node, "%s-%02x%02x%02x%02x", host, chance[0], chance[1], chance[2],
             chance[3]);
}

void outbox_renew(struct outbox *o)
{
    make_name(o);
    o->sent = (cando_chain){0};
    o->seq = 0;
    o->trying = 0;
    o->renewed = true;
    outbox_begin(o);
    put(o, "node", str_of(o->node));
    outbox_sent(o, &o->sent, 0);
    outbox_commit(o);
}

/* What the file says; a new one, or one of another trail, is begun anew. */
static void read_state(struct outbox *o)
{
    char text[80];
    get(o, "node", text);
    snprintf(o->node, sizeof o->node, "%.63s", text);
    o->sent.n = get_number(o, "sent");
    get(o, "hash", text);
    if (o->sent.n && !sha256_parse(str_of(text), o->sent.hash))
        o->node[0] = '\0';
    o->seq = get_number(o, "seq");
    o->trying = get_number(o, "trying");
    for (unsigned b = 0; b < NODE_BUCKETS; b++)
        o->read[b] =
            (struct outbox_read){get_number(o, read_key[b][0]), get_number(o, read_key[b][1]),
                                 get_number(o, read_key[b][2])};
    bool fresh = !o->node[0];
    if (fresh || (o->sent.n && !outbox_has(o, o->sent.n, o->sent.hash)))
        outbox_renew(o);
    if (fresh)
        o->renewed = false;
}

static cando_status fail(struct outbox *o, cando_error *err)
{
    bool busy = o->db && sqlite3_errcode(o->db) == SQLITE_BUSY;
    error_set(err, CANDO_BAD_INPUT, CODE_audit_store, "cannot use %s: %s", o->path,
              busy    ? "another process sends this trail to the fleet"
              : o->db ? sqlite3_errmsg(o->db)
                      : "it is no regular file, or cannot be made");
    error_at(err, str_of(o->path), 0, 0);
    return CANDO_BAD_INPUT;
}

static bool open_file(struct outbox *o)
{
    int fd = open(o->path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    struct stat st;
    bool regular = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode);
    if (fd >= 0)
        close(fd);
    if (!regular)
        return false;
    return sqlite3_open_v2(o->path, &o->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL) ==
               SQLITE_OK &&
           run(o, "PRAGMA locking_mode = EXCLUSIVE") && run(o, "PRAGMA journal_mode = WAL") &&
           run(o, "PRAGMA synchronous = NORMAL") &&
           run(o, "CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value BLOB)") &&
           run(o, "CREATE TABLE IF NOT EXISTS kept (key TEXT PRIMARY KEY, data BLOB)") &&
           run(o, "BEGIN IMMEDIATE; COMMIT");
}

cando_status outbox_open(struct outbox *o, const char *store, cando_error *err)
{
    *o = (struct outbox){0};
    if (snprintf(o->path, sizeof o->path, "%s-fleet", store) >= (int)sizeof o->path)
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long, "%.80s... is too long", store);
    o->trail = cando_store_open(store, &(cando_store_options){.busy_ms = 2000}, NULL, err);
    if (!o->trail)
        return err->status;
    cando_status st = open_file(o) ? CANDO_OK : fail(o, err);
    if (st == CANDO_OK)
        read_state(o);
    else
        outbox_close(o);
    return st;
}

void outbox_close(struct outbox *o)
{
    if (o->trail)
        o->trail->ops->close(o->trail);
    sqlite3_close(o->db);
    o->trail = NULL;
    o->db = NULL;
}

void outbox_begin(struct outbox *o)
{
    run(o, "BEGIN");
}

void outbox_commit(struct outbox *o)
{
    if (!run(o, "COMMIT"))
        sqlite3_exec(o->db, "ROLLBACK", NULL, NULL, NULL);
}

void outbox_trying(struct outbox *o, uint64_t last)
{
    o->trying = last;
    put_number(o, "trying", last);
}

void outbox_sent(struct outbox *o, const cando_chain *end, uint64_t seq)
{
    char hex[SHA256_HEX];
    bool own = sqlite3_get_autocommit(o->db);
    o->sent = *end;
    o->seq = seq;
    o->trying = 0;
    sha256_hex(end->hash, hex);
    if (own)
        outbox_begin(o);
    put_number(o, "sent", end->n);
    put(o, "hash", str_of(hex));
    put_number(o, "seq", seq);
    put_number(o, "trying", 0);
    if (own)
        outbox_commit(o);
}

void outbox_revise(struct outbox *o, enum node_bucket b, struct outbox_read r)
{
    o->read[b] = r;
    put_number(o, read_key[b][0], r.revision);
    put_number(o, read_key[b][1], r.highest);
    put_number(o, read_key[b][2], r.time);
}

void outbox_keep(struct outbox *o, const char *key, struct str data)
{
    ask(o,
        data.p ? "INSERT OR REPLACE INTO kept VALUES (?1, ?2)" : "DELETE FROM kept WHERE key = ?1",
        key, data, NULL, NULL);
}

struct kept {
    void (*fn)(void *ctx, const char *key, struct str data);
    void *ctx;
};

static void take_kept(void *ctx, sqlite3_stmt *q)
{
    struct kept *k = ctx;
    const void *p = sqlite3_column_blob(q, 1);
    k->fn(k->ctx, (const char *)sqlite3_column_text(q, 0),
          str_make(p ? p : "", (size_t)sqlite3_column_bytes(q, 1)));
}

void outbox_kept(struct outbox *o, const char *begin,
                 void (*fn)(void *ctx, const char *key, struct str data), void *ctx)
{
    struct kept k = {fn, ctx};
    ask(o, "SELECT key, data FROM kept WHERE substr(key, 1, length(?1)) = ?1 ORDER BY key", begin,
        STR_NONE, take_kept, &k);
}

/* -- the trail --------------------------------------------------------------------------------- */

static bool take_number(void *user, const cando_store_record *r)
{
    *(uint64_t *)user = r->n;
    return false;
}

bool outbox_newest(struct outbox *o, uint64_t *n)
{
    *n = 0;
    return o->trail->ops->query(o->trail, &(cando_store_query){.newest_first = true, .limit = 1},
                                take_number, n, NULL) == CANDO_OK;
}

struct sought {
    cando_chain chain;
    bool other;
};

static bool compare(void *user, const cando_store_record *r)
{
    struct sought *s = user;
    s->other = r->n == s->chain.n && memcmp(r->hash, s->chain.hash, CANDO_HASH_BYTES) != 0;
    s->chain.n = 0;
    return false;
}

/* One that retention has dropped cannot be compared, and is believed. */
bool outbox_has(struct outbox *o, uint64_t n, const unsigned char hash[CANDO_HASH_BYTES])
{
    struct sought s = {.chain.n = n};
    memcpy(s.chain.hash, hash, CANDO_HASH_BYTES);
    if (o->trail->ops->query(o->trail, &(cando_store_query){.first = n, .limit = 1}, compare, &s,
                             NULL) != CANDO_OK)
        return true; /* it cannot be said now, and nothing is to be changed for that */
    return !s.other && !s.chain.n;
}

struct gather {
    struct buf *lines;
    size_t room;
    uint64_t last; /* not beyond this one; 0: no matter */
    cando_chain *end;
};

static bool gather_record(void *user, const cando_store_record *r)
{
    struct gather *g = user;
    if (g->last && r->n > g->last)
        return false;
    if (!g->last && g->lines->n && g->lines->n + r->text.n + 1 > g->room)
        return false;
    buf_put(g->lines, r->text.p, r->text.n);
    buf_putc(g->lines, '\n');
    g->end->n = r->n;
    memcpy(g->end->hash, r->hash, CANDO_HASH_BYTES);
    return !g->lines->failed;
}

bool outbox_batch(struct outbox *o, size_t room, struct buf *lines, cando_chain *end)
{
    bool again = o->trying > o->sent.n;
    struct gather g = {lines, room, again ? o->trying : 0, end};
    buf_clear(lines);
    *end = (cando_chain){0};
    cando_store_query q = {.first = o->sent.n + 1, .limit = OUTBOX_BATCH};
    return o->trail->ops->query(o->trail, &q, gather_record, &g, NULL) == CANDO_OK && end->n &&
           !lines->failed;
}
