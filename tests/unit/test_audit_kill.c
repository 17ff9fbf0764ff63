/*
 * test_audit_kill.c - a process that is killed at any moment loses no record that was
 * acknowledged, and leaves a chain that verifies.
 *
 * A child appends batches as fast as it can and, after each flush that succeeded, tells
 * the number of its last record through a pipe. The parent reads some of these
 * acknowledgements, waits for a random number of turns, and kills it. Checkpoints are
 * made small, so that kills hit them too. Every trail takes many kills, one after the
 * other.
 */
#define _POSIX_C_SOURCE 200809L
#include "trail_case.h"

#include <signal.h>
#include <sys/wait.h>

enum { KILLS = 200, KILLS_PER_TRAIL = 20 };

static uint64_t random_state = 0x9e3779b97f4a7c15;

/* Never returns. The number of the last record is known from the counts: nobody else writes. */
static void child(int pipe, uint64_t from)
{
    cando_store_options options = {.create = true, .batch = 64, .checkpoint = 8, .busy_ms = 1000};
    cando_store *s = cando_store_open(trail_path, &options, NULL, NULL);
    cando_store_counts c;
    if (!s)
        _exit(3);
    for (uint64_t i = 0;; i++) {
        for (uint64_t k = 0; k < 1 + i % 7; k++) {
            cando_event e = trail_event(i * 7 + k);
            s->ops->append(s, &e, 1, NULL);
        }
        if (s->ops->flush(s, NULL) != CANDO_OK)
            _exit(4);
        s->ops->counts(s, &c);
        uint64_t last = from + c.acknowledged;
        if (write(pipe, &last, sizeof last) != sizeof last)
            _exit(5);
    }
}

/* Kills it after a while; gives the last record that was acknowledged. */
static uint64_t run_and_kill(uint64_t from)
{
    int ends[2], status;
    uint64_t last = from, told;
    assert_int_equal(pipe(ends), 0);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        close(ends[0]);
        child(ends[1], from);
    }
    close(ends[1]);
    for (uint64_t acks = 1 + random64(&random_state) % 8; acks; acks--) {
        if (read(ends[0], &told, sizeof told) != sizeof told)
            fail_msg("the child ended by itself");
        last = told;
    }
    for (volatile uint64_t turns = random64(&random_state) % 200000; turns; turns--) {
    }
    assert_int_equal(kill(pid, SIGKILL), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFSIGNALED(status));
    while (read(ends[0], &told, sizeof told) == sizeof told)
        last = told;
    close(ends[0]);
    return last;
}

static void test_kills(void **state)
{
    (void)state;
    uint64_t records = 0;
    for (unsigned kills = 0; kills < KILLS; kills++) {
        if (kills % KILLS_PER_TRAIL == 0) {
            trail_remove();
            records = 0;
        }
        uint64_t acknowledged = run_and_kill(records);
        cando_store *s = trail_open();
        cando_store_report r = trail_verify(s);
        if (r.problems)
            fail_msg("after kill %u: %s", kills, r.problem);
        if (r.last < acknowledged)
            fail_msg("after kill %u: record %ju was acknowledged, the last is %ju", kills, (uintmax_t)acknowledged, (uintmax_t)r.last);
        records = r.last;
        s->ops->close(s);
    }
    trail_remove();
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_kills)};
    return cmocka_run_group_tests(tests, trail_setup, trail_teardown);
}
