/*
 * test_invariant.c - an invariant that does not hold ends the program, in the builds that look.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include "base/invariant.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#ifdef CANDO_INVARIANTS
enum { ACTIVE = 1 };
#else
enum { ACTIVE = 0 };
#endif

/* How a process ends that comes by this invariant. */
static int status_of(bool holds)
{
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        for (int s = 1; s < 16; s++) /* neither cmocka nor a sanitizer has a say in it */
            signal(s, SIG_DFL);
        invariant(holds);
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    return status;
}

static void test_fires(void **state)
{
    (void)state;
    int status = status_of(false);
    assert_int_equal(WIFSIGNALED(status), ACTIVE);
    if (!ACTIVE)
        assert_int_equal(status, 0);
}

static void test_holds(void **state)
{
    (void)state;
    assert_int_equal(status_of(true), 0);
}

static unsigned asked;

static bool ask_once(void)
{
    asked++;
    return true;
}

static void test_evaluated(void **state)
{
    (void)state;
    asked = 0;
    invariant(ask_once());
    assert_int_equal(asked, ACTIVE);
    const char *pointer = "x";
    unsigned bits = 6;
    invariant(pointer); /* whatever an if takes */
    invariant(bits & 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fires),
        cmocka_unit_test(test_holds),
        cmocka_unit_test(test_evaluated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
