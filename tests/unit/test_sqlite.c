/*
 * test_sqlite.c - the trail in SQLite: what is asked is found, what is written stays,
 * and a file that is locked or full costs no answer.
 */
#define _POSIX_C_SOURCE 200809L
#include "trail_case.h"

#include "stores/sqlite_impl.h"

struct found {
    size_t n;
    uint64_t number[64];
    char text[4096];
};

static bool collect(void *user, const cando_store_record *r)
{
    struct found *f = user;
    if (f->n < 64)
        f->number[f->n] = r->n;
    f->n++;
    snprintf(f->text, sizeof f->text, "%.*s", (int)r->text.n, r->text.p);
    return true;
}

static struct found ask(cando_store *s, cando_store_query q)
{
    struct found f = {.n = 0};
    cando_error err = {0};
    if (s->ops->query(s, &q, collect, &f, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    return f;
}

static void test_queries(void **state)
{
    (void)state;
    cando_store *s = trail_open();
    trail_add(s, 0, 24);
    assert_int_equal(ask(s, (cando_store_query){0}).n, 24);
    assert_int_equal(ask(s, (cando_store_query){.session = "s-2"}).n, 8);
    assert_int_equal(ask(s, (cando_store_query){.session = "s-9"}).n, 0);
    assert_int_equal(ask(s, (cando_store_query){.verdict = "rejected"}).n, 8);
    assert_int_equal(ask(s, (cando_store_query){.kind = "downgrade"}).n, 8);
    /* of the target or of what was before it; with its provider, or at any */
    assert_int_equal(ask(s, (cando_store_query){.model = "openai/gpt-5"}).n, 24);
    assert_int_equal(ask(s, (cando_store_query){.model = "google/gemini-2.5-pro"}).n, 12);
    assert_int_equal(ask(s, (cando_store_query){.model = "Gemini-2.5-Pro"}).n, 12);
    assert_int_equal(ask(s, (cando_store_query){.model = "2.5-pro"}).n, 0);
    assert_int_equal(ask(s, (cando_store_query){.model = "%"}).n, 0);
    uint64_t t0 = trail_event(0).time;
    assert_int_equal(ask(s, (cando_store_query){.since = t0 + 3000}).n, 21);
    assert_int_equal(ask(s, (cando_store_query){.since = t0 + 3000, .until = t0 + 5000}).n, 2);
    assert_int_equal(ask(s, (cando_store_query){.session = "s-1", .verdict = "accepted", .since = t0 + 1000}).n, 7);
    struct found f = ask(s, (cando_store_query){.limit = 3, .newest_first = true});
    assert_int_equal(f.n, 3);
    assert_int_equal(f.number[0], 24);
    assert_int_equal(f.number[2], 22);
    f = ask(s, (cando_store_query){.limit = 1});
    assert_string_equal(f.text,
                        "{\"n\":1,\"prev\":\"0000000000000000000000000000000000000000000000000000000000000000\",\"time\":\"2025-11-15T16:30:05.000Z\","
                        "\"kind\":\"switch\",\"session\":\"s-1\",\"change\":\"switch\",\"target\":\"openai/gpt-5\","
                        "\"previous\":\"anthropic/claude-opus-4-5\",\"verdict\":\"accepted\"}");
    s->ops->close(s);
    trail_remove();
}

static void test_stays_over_reopening(void **state)
{
    (void)state;
    for (uint64_t i = 0; i < 5; i++) {
        cando_store *s = trail_open();
        trail_add(s, i * 7, 7);
        trail_is_whole(s, 1, (i + 1) * 7);
        s->ops->close(s);
    }
    trail_remove();
}

/* A batch is written by itself when it is full; what waits is written at the end. */
static void test_batches(void **state)
{
    (void)state;
    cando_store_counts c;
    cando_store *s = trail_open_with((cando_store_options){.create = true, .batch = 10});
    for (uint64_t i = 0; i < 25; i++) {
        cando_event e = trail_event(i);
        assert_int_equal(s->ops->append(s, &e, 1, NULL), CANDO_OK);
    }
    s->ops->counts(s, &c);
    assert_int_equal(c.acknowledged, 20);
    assert_int_equal(c.queued, 5);
    s->ops->close(s);
    s = trail_open();
    trail_is_whole(s, 1, 25);
    s->ops->close(s);
    trail_remove();
}

static void test_bad_events(void **state)
{
    (void)state;
    cando_error err = {0};
    cando_store *s = trail_open();
    cando_event e = trail_event(0);
    e.session = "please summarise the following letter";
    assert_int_equal(s->ops->append(s, &e, 1, &err), CANDO_BAD_QUESTION);
    assert_string_equal(err.code, "bad-event");
    s->ops->close(s);
    s = trail_open();
    trail_is_whole(s, 0, 0);
    s->ops->close(s);
    trail_remove();
}

static void test_secrets(void **state)
{
    (void)state;
    cando_store *s = trail_open();
    cando_event e = trail_event(0);
    e.target = "openai/gpt-5?key=sk-proj-abcdefghijklmnopqrstuvwxyz0123456789";
    assert_int_equal(s->ops->append(s, &e, 1, NULL), CANDO_OK);
    assert_int_equal(s->ops->flush(s, NULL), CANDO_OK);
    struct found f = ask(s, (cando_store_query){0});
    assert_null(strstr(f.text, "sk-proj"));
    assert_non_null(strstr(f.text, "[REDACTED]"));
    s->ops->close(s);
    trail_remove();
}

/* -- append-only --------------------------------------------------------------------------- */

static sqlite3 *raw_open(void)
{
    sqlite3 *db;
    assert_int_equal(sqlite3_open(trail_path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 1000);
    return db;
}

static void test_append_only(void **state)
{
    (void)state;
    cando_store *s = trail_open();
    trail_add(s, 0, 9);
    s->ops->close(s);
    static const char *const tries[] = {
        "UPDATE record SET text = '{}' WHERE n = 3",
        "UPDATE record SET n = 30 WHERE n = 9",
        "DELETE FROM record WHERE n = 9",
        "DELETE FROM record WHERE n = 1",
        "DELETE FROM record",
        "INSERT INTO record (n, text, hash) VALUES (11, '{}', x'00')",
        "INSERT INTO record (text, hash) VALUES ('{}', x'00')",
        "INSERT OR REPLACE INTO record (n, text, hash) VALUES (5, '{}', x'00')",
        "UPDATE anchor SET n = 5",
        "UPDATE anchor SET n = 5, hash = zeroblob(32)",
        "UPDATE anchor SET hash = zeroblob(31)",
        "DELETE FROM anchor",
        "INSERT INTO anchor VALUES (2, 5, x'00')",
        "REPLACE INTO anchor VALUES (1, 5, x'00')",
    };
    sqlite3 *db = raw_open();
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++)
        if (sqlite3_exec(db, tries[i], NULL, NULL, NULL) == SQLITE_OK)
            fail_msg("was done: %s", tries[i]);
    sqlite3_close(db);
    s = trail_open();
    trail_is_whole(s, 1, 9);
    s->ops->close(s);
    trail_remove();
}

/* Somebody who can take the triggers away can change records, and is found. */
static void test_forgeries(void **state)
{
    (void)state;
    static const char *const tries[] = {
        "DROP TRIGGER record_update",
        "DROP TRIGGER record_update; UPDATE record SET text = replace(text, 'rejected', 'accepted')",
        "DROP TRIGGER record_delete; DELETE FROM record WHERE n = 4",
        "DROP TRIGGER record_delete; DELETE FROM record WHERE n >= 8",
        "DROP TRIGGER record_delete; DELETE FROM record",
        "DROP TRIGGER anchor_update; UPDATE anchor SET n = 5, hash = (SELECT hash FROM record WHERE n = 5)",
        "UPDATE anchor SET n = 5, hash = (SELECT hash FROM record WHERE n = 5); DELETE FROM record WHERE n <= 5",
        "PRAGMA user_version = 2",
        "PRAGMA application_id = 7",
        "CREATE TABLE more (x)",
        "DROP INDEX record_time",
    };
    for (size_t i = 0; i < sizeof tries / sizeof *tries; i++) {
        cando_store *s = trail_open();
        trail_add(s, 0, 9);
        s->ops->close(s);
        sqlite3 *db = raw_open();
        assert_int_equal(sqlite3_exec(db, tries[i], NULL, NULL, NULL), SQLITE_OK);
        /* and puts the triggers back */
        sqlite3_exec(db,
                     "CREATE TRIGGER record_update BEFORE UPDATE ON record BEGIN SELECT RAISE(ABORT, 'the audit trail is append-only'); END", NULL,
                     NULL, NULL);
        sqlite3_close(db);
        s = trail_open_with((cando_store_options){.create = false});
        if (!trail_verify(s).problems)
            fail_msg("not found: %s", tries[i]);
        s->ops->close(s);
        trail_remove();
    }
}

/* The end of the chain is cut off with the file otherwise in order: only the head knows. */
static void test_cut_end(void **state)
{
    (void)state;
    char old[128], command[300];
    cando_store *s = trail_open();
    trail_add(s, 0, 5);
    s->ops->close(s);
    snprintf(old, sizeof old, "%s.old", trail_path);
    snprintf(command, sizeof command, "cp %s %s", trail_path, old);
    assert_int_equal(system(command), 0);
    s = trail_open();
    trail_add(s, 5, 5);
    s->ops->close(s);
    assert_int_equal(rename(old, trail_path), 0);
    s = trail_open();
    cando_store_report r = trail_verify(s);
    assert_int_equal(r.problems, 1);
    assert_string_equal(r.problem, "the end is cut off: record 10 was acknowledged, the last one here is 5");
    s->ops->close(s);
    trail_remove();
}

/* -- retention ------------------------------------------------------------------------------- */

static void test_retention(void **state)
{
    (void)state;
    uint64_t dropped;
    cando_error err = {0};
    cando_store *s = trail_open();
    trail_add(s, 0, 100);
    assert_int_equal(s->ops->retain(s, trail_event(40).time, UINT64_MAX, trail_event(200).time, &dropped, &err), CANDO_OK);
    assert_int_equal(dropped, 40);
    trail_is_whole(s, 41, 101);
    struct found f = ask(s, (cando_store_query){.kind = "retention"});
    assert_int_equal(f.n, 1);
    assert_non_null(strstr(f.text, "\"through\":40,\"through_hash\":\""));
    trail_add(s, 300, 10);
    trail_is_whole(s, 41, 111);
    /* by number, over the record of the first one */
    assert_int_equal(s->ops->retain(s, 0, 5, trail_event(400).time, &dropped, &err), CANDO_OK);
    assert_int_equal(dropped, 66);
    trail_is_whole(s, 107, 112);
    /* nothing to do is no record */
    assert_int_equal(s->ops->retain(s, trail_event(0).time, UINT64_MAX, trail_event(400).time, &dropped, &err), CANDO_OK);
    assert_int_equal(dropped, 0);
    trail_is_whole(s, 107, 112);
    /* all of it: what is left tells of it */
    assert_int_equal(s->ops->retain(s, 0, 0, trail_event(500).time, &dropped, &err), CANDO_OK);
    assert_int_equal(dropped, 6);
    trail_is_whole(s, 113, 113);
    s->ops->close(s);
    s = trail_open();
    trail_add(s, 600, 3);
    trail_is_whole(s, 113, 116);
    s->ops->close(s);
    trail_remove();
}

/* -- trouble ------------------------------------------------------------------------------------ */

static void test_locked(void **state)
{
    (void)state;
    cando_store_counts c;
    cando_error err = {0};
    cando_store *s = trail_open_with((cando_store_options){.create = true, .batch = 4, .queue = 12, .busy_ms = 1});
    trail_add(s, 0, 2);
    sqlite3 *other = raw_open();
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    for (uint64_t i = 2; i < 22; i++) {
        cando_event e = trail_event(i);
        assert_int_equal(s->ops->append(s, &e, 1, &err), CANDO_OK);
    }
    assert_int_equal(s->ops->flush(s, &err), CANDO_INTERNAL);
    assert_string_equal(err.code, "audit-store");
    s->ops->counts(s, &c);
    assert_int_equal(c.queued, 12);
    assert_int_equal(c.lost, 8);
    assert_true(c.failures >= 3);
    assert_true(c.failures <= 8); /* not one an event */
    assert_non_null(strstr(c.last_failure, "locked"));
    trail_is_whole(s, 1, 2); /* reading goes on */
    assert_int_equal(sqlite3_exec(other, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(other);
    assert_int_equal(s->ops->flush(s, &err), CANDO_OK);
    trail_is_whole(s, 1, 15); /* 2 + 12, and one that tells of the lost ones */
    struct found f = ask(s, (cando_store_query){.kind = "lost"});
    assert_int_equal(f.n, 1);
    assert_non_null(strstr(f.text, "\"count\":8"));
    s->ops->counts(s, &c);
    assert_int_equal(c.queued, 0);
    assert_int_equal(c.acknowledged, 15);
    s->ops->close(s);
    trail_remove();
}

static void test_full(void **state)
{
    (void)state;
    cando_store_counts c;
    cando_store *s = trail_open_with((cando_store_options){.create = true, .batch = 8, .max_bytes = 100u << 10});
    uint64_t n = 0;
    do {
        cando_event e = trail_event(n++);
        assert_int_equal(s->ops->append(s, &e, 1, NULL), CANDO_OK);
        s->ops->counts(s, &c);
    } while (!c.failures && n < 5000);
    assert_in_range(n, 50, 4999);
    assert_non_null(strstr(c.last_failure, "full"));
    trail_is_whole(s, 1, c.acknowledged);
    assert_int_equal(c.acknowledged + c.queued, n);
    s->ops->close(s); /* what waits is lost, and the trail is whole */
    s = trail_open(); /* without the limit */
    trail_is_whole(s, 1, c.acknowledged);
    trail_add(s, 0, 50);
    trail_is_whole(s, 1, c.acknowledged + 50);
    s->ops->close(s);
    trail_remove();
}

static void test_two_writers(void **state)
{
    (void)state;
    cando_store *a = trail_open(), *b = trail_open();
    for (uint64_t i = 0; i < 20; i++) {
        trail_add(a, i, 3);
        trail_add(b, i, 2);
    }
    trail_is_whole(a, 1, 100);
    trail_is_whole(b, 1, 100);
    a->ops->close(a);
    b->ops->close(b);
    trail_remove();
}

/* Behind each statement of a reader another process writes a record. */
static int write_between(unsigned what, void *writer, void *statement, void *text)
{
    (void)what, (void)statement, (void)text;
    trail_add(writer, 0, 1);
    return 0;
}

/* What is checked before it is used is found whole while others write: the head that it is held
 * against is not newer than what is read of the trail. */
static void test_checked_beside_a_writer(void **state)
{
    (void)state;
    cando_store *s = trail_open(), *other = trail_open();
    trail_add(s, 0, 3);
    sqlite3_trace_v2(((struct sqlite_store *)s)->db, SQLITE_TRACE_PROFILE, write_between, other);
    assert_true(ask(s, (cando_store_query){.checked = true}).n >= 3);
    assert_int_equal(trail_verify(s).problems, 0);
    s->ops->close(s);
    other->ops->close(other);
    trail_remove();
}

/* A trail begins: before and behind each statement of that somebody asks whether it is whole. */
struct beginning {
    unsigned asked, whole;
    bool inside;
};
static struct beginning beginning;

static int verify_between(unsigned what, void *user, void *statement, void *text)
{
    cando_error err = {0};
    cando_store_report r;
    (void)what, (void)user, (void)statement, (void)text;
    if (beginning.inside)
        return 0;
    beginning.inside = true;
    beginning.asked++;
    cando_store *s = cando_store_open(trail_path, NULL, NULL, &err);
    if (s && s->ops->verify(s, &r, &err) == CANDO_OK) {
        if (r.problems)
            fail_msg("a false alarm: %s", r.problem);
        beginning.whole++;
    }
    if (s)
        s->ops->close(s);
    beginning.inside = false;
    return 0;
}

static int watch(sqlite3 *db, const char **message, const struct sqlite3_api_routines *api)
{
    (void)message, (void)api;
    return sqlite3_trace_v2(db, SQLITE_TRACE_STMT | SQLITE_TRACE_PROFILE, verify_between, NULL);
}

/* Behind that many statements of a reader the trail begins, unless the reader is in its way. */
static int begin_between(unsigned what, void *left, void *statement, void *text)
{
    (void)what, (void)statement, (void)text;
    if ((*(int *)left)-- == 0) {
        const cando_store_options options = {.create = true, .busy_ms = 1};
        cando_store *s = cando_store_open(trail_path, &options, NULL, NULL);
        if (s) {
            trail_add(s, 0, 1);
            s->ops->close(s);
            beginning.asked++;
        }
    }
    return 0;
}

/* Nobody is told of damage while a trail is made and gets its first records. */
static void test_verified_while_it_begins(void **state)
{
    (void)state;
    beginning = (struct beginning){0};
    assert_int_equal(sqlite3_auto_extension((void (*)(void))watch), SQLITE_OK);
    cando_store *s = trail_open();
    trail_add(s, 0, 3);
    s->ops->close(s);
    sqlite3_cancel_auto_extension((void (*)(void))watch);
    assert_true(beginning.asked > 40);
    assert_true(beginning.whole > 40);
    trail_remove();
    beginning.asked = 0;
    for (int n = 0, left = -1; left < 0; n++) { /* until it is not reached any more */
        cando_store_report r;
        cando_error err = {0};
        FILE *empty = fopen(trail_path, "w");
        fclose(empty);
        s = trail_open_with((cando_store_options){.create = false});
        left = n;
        sqlite3_trace_v2(((struct sqlite_store *)s)->db, SQLITE_TRACE_PROFILE, begin_between,
                         &left);
        if (s->ops->verify(s, &r, &err) == CANDO_OK && r.problems)
            fail_msg("a false alarm at %d: %s", n, r.problem);
        s->ops->close(s);
        trail_remove();
    }
    assert_true(beginning.asked > 0);
}

/* A database that was taken away leaves its head behind: what is there instead is not obeyed. */
static void test_checked_without_its_records(void **state)
{
    (void)state;
    cando_error err = {0};
    struct found f = {.n = 0};
    cando_store *s = trail_open();
    trail_add(s, 0, 3);
    s->ops->close(s);
    unlink(trail_path);
    FILE *empty = fopen(trail_path, "w");
    fclose(empty);
    s = trail_open_with((cando_store_options){.create = false});
    assert_int_equal(s->ops->query(s, &(cando_store_query){.checked = true}, collect, &f, &err),
                     CANDO_BAD_INPUT);
    assert_string_equal(err.code, "audit-damaged");
    assert_int_equal(f.n, 0);
    s->ops->close(s);
    trail_remove();
}

static void test_no_trail(void **state)
{
    (void)state;
    cando_error err = {0};
    assert_null(cando_store_open(trail_path, NULL, NULL, &err));
    assert_string_equal(err.code, "audit-store");
    assert_int_equal(access(trail_path, F_OK), -1);
    FILE *f = fopen(trail_path, "w");
    fputs("this is a letter, and not a database at all; it is long enough to have a header of one hundred bytes, though.", f);
    fclose(f);
    assert_null(cando_store_open(trail_path, &(cando_store_options){.create = true}, NULL, &err));
    assert_string_equal(err.code, "audit-store");
    trail_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_queries),     cmocka_unit_test(test_stays_over_reopening),
        cmocka_unit_test(test_batches),     cmocka_unit_test(test_bad_events),
        cmocka_unit_test(test_secrets),     cmocka_unit_test(test_append_only),
        cmocka_unit_test(test_forgeries),   cmocka_unit_test(test_cut_end),
        cmocka_unit_test(test_retention),   cmocka_unit_test(test_locked),
        cmocka_unit_test(test_full),        cmocka_unit_test(test_two_writers),
        cmocka_unit_test(test_no_trail),    cmocka_unit_test(test_checked_beside_a_writer),
        cmocka_unit_test(test_verified_while_it_begins),
        cmocka_unit_test(test_checked_without_its_records),
    };
    return cmocka_run_group_tests(tests, trail_setup, trail_teardown);
}
