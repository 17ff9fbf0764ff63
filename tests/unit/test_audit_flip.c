/*
 * test_audit_flip.c - a flipped byte anywhere in a trail is found.
 *
 * Every byte of a small trail is changed, one at a time: of the database, of its head
 * file, and of a WAL that a killed process left. Each time verify must report a
 * problem, or else what the trail says must be what it said before: a byte in the free
 * space of a page says nothing.
 *
 * The sanitizers make it slow, so they look at every eleventh byte only.
 */
#define _POSIX_C_SOURCE 200809L
#include "trail_case.h"

#include <sqlite3.h>
#include <sys/wait.h>

#ifdef CANDO_SANITIZED
enum { STEP = 11, WAL_STEP = 101 };
#else
enum { STEP = 1, WAL_STEP = 23 };
#endif

struct bytes {
    unsigned char *p;
    size_t n;
};

static void file_name(char out[128], const char *end)
{
    snprintf(out, 128, "%s%s", trail_path, end);
}

static struct bytes take_file(const char *end)
{
    char name[128];
    struct bytes b = {NULL, 0};
    file_name(name, end);
    FILE *f = fopen(name, "rb");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    b.n = (size_t)ftell(f);
    rewind(f);
    b.p = malloc(b.n);
    assert_non_null(b.p);
    assert_int_equal(fread(b.p, 1, b.n, f), b.n);
    fclose(f);
    return b;
}

static void put_file(const char *end, struct bytes b)
{
    char name[128];
    file_name(name, end);
    FILE *f = fopen(name, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(b.p, 1, b.n, f), b.n);
    fclose(f);
}

/* -- what a trail says ----------------------------------------------------------------------- */

struct saying {
    char *p;
    size_t n, cap;
};

static int say_row(void *user, int n, char **value, char **name)
{
    struct saying *s = user;
    (void)name;
    for (int i = 0; i < n; i++) {
        const char *v = value[i] ? value[i] : "(none)";
        size_t len = strlen(v) + 1;
        if (s->n + len > s->cap) {
            s->cap = (s->n + len) * 2;
            s->p = realloc(s->p, s->cap);
            assert_non_null(s->p);
        }
        memcpy(s->p + s->n, v, len);
        s->n += len;
    }
    return 0;
}

static struct saying say_all(void)
{
    struct saying s = {0};
    sqlite3 *db;
    static const char *const questions[] = {
        "SELECT type, name, tbl_name, sql FROM sqlite_schema",
        "PRAGMA application_id", "PRAGMA user_version",
        "SELECT typeof(n), n, typeof(text), text, typeof(hash), hex(hash) FROM record ORDER BY n",
        "SELECT one, typeof(n), n, typeof(hash), hex(hash) FROM anchor",
        "SELECT n FROM record INDEXED BY record_time WHERE time > ''",
        "SELECT n FROM record INDEXED BY record_session WHERE session = 's-1'",
        "SELECT n FROM record INDEXED BY record_verdict WHERE verdict = 'rejected'",
    };
    if (sqlite3_open(trail_path, &db) == SQLITE_OK)
        for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
            if (sqlite3_exec(db, questions[i], say_row, &s, NULL) != SQLITE_OK)
                say_row(&s, 1, (char *[]){(char *)"(failed)"}, NULL);
    sqlite3_close(db);
    return s;
}

static bool is_found(void)
{
    cando_error err = {0};
    cando_store_report r;
    cando_store *s = cando_store_open(trail_path, &(cando_store_options){.busy_ms = 1}, NULL, &err);
    if (!s)
        return true;
    bool found = s->ops->verify(s, &r, &err) != CANDO_OK || r.problems;
    s->ops->close(s);
    return found;
}

static void put_files(struct bytes db, struct bytes head, struct bytes wal)
{
    trail_remove();
    put_file("", db);
    put_file("-head", head);
    if (wal.p)
        put_file("-wal", wal);
}

static void put_byte(const char *end, size_t at, unsigned char byte)
{
    char name[128];
    file_name(name, end);
    FILE *f = fopen(name, "r+b");
    assert_non_null(f);
    assert_int_equal(fseek(f, (long)at, SEEK_SET), 0);
    assert_int_equal(fputc(byte, f), byte);
    fclose(f);
}

/* Flips byte after byte of `file`. Opening a trail with a WAL changes its files, so they
 * are made anew each time then. */
static size_t flip_all(const char *file, struct bytes db, struct bytes head, struct bytes wal, size_t step)
{
    struct bytes *b = strcmp(file, "-wal") == 0 ? &wal : strcmp(file, "-head") == 0 ? &head : &db;
    struct saying before;
    size_t found = 0;
    put_files(db, head, wal);
    before = say_all();
    for (size_t at = 0; at < b->n; at += step) {
        unsigned char was = b->p[at];
        if (wal.p || at % 64 == 0)
            put_files(db, head, wal);
        put_byte(file, at, (unsigned char)(was ^ (at % 3 ? 1u << at % 8 : 0xff)));
        if (is_found()) {
            found++;
        } else {
            struct saying after = say_all();
            if (after.n != before.n || memcmp(after.p, before.p, after.n) != 0)
                fail_msg("byte %zu of the file%s: not found, and it says something else now", at, file);
            free(after.p);
        }
        if (!wal.p)
            put_byte(file, at, was);
    }
    free(before.p);
    trail_remove();
    return found;
}

/* Small pages make a small file. */
static cando_store *open_small(void)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(trail_path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA page_size = 1024; PRAGMA auto_vacuum = INCREMENTAL; VACUUM", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
    return trail_open();
}

static void test_database(void **state)
{
    (void)state;
    uint64_t dropped;
    cando_store *s = open_small();
    trail_add(s, 0, 9);
    assert_int_equal(s->ops->retain(s, 0, 6, trail_event(20).time, &dropped, NULL), CANDO_OK);
    assert_int_equal(dropped, 3);
    s->ops->close(s);
    struct bytes db = take_file(""), head = take_file("-head"), none = {NULL, 0};
    assert_false(is_found());
    size_t found = flip_all("", db, head, none, STEP);
    assert_in_range(found, 3000 / STEP, db.n / STEP);
    assert_int_equal(flip_all("-head", db, head, none, 1), head.n);
    free(db.p);
    free(head.p);
}

static void leave_wal(void)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        cando_store *s = trail_open();
        trail_add(s, 3, 4);
        trail_add(s, 7, 4);
        _exit(0); /* without closing */
    }
    int status;
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/* SQLite takes a WAL up to its first wrong frame and forgets the rest without a word. */
static void test_wal(void **state)
{
    (void)state;
    cando_store *s = open_small();
    trail_add(s, 0, 3);
    s->ops->close(s);
    leave_wal();
    struct bytes db = take_file(""), head = take_file("-head"), wal = take_file("-wal");
    assert_true(wal.n > 4096);
    size_t found = flip_all("-wal", db, head, wal, WAL_STEP);
    assert_true(found > wal.n / WAL_STEP / 2);
    free(db.p);
    free(head.p);
    free(wal.p);
}

int main(void)
{
    if (access("/dev/shm", W_OK) == 0) /* a hundred thousand files are made and removed */
        setenv("TMPDIR", "/dev/shm", 1);
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_database), cmocka_unit_test(test_wal)};
    return cmocka_run_group_tests(tests, trail_setup, trail_teardown);
}
