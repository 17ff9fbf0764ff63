/* What a node of a fleet does next: no network, no clock, only time that passes as it is told. */
#include "test.h"

#include "stores/fleet/node.h"

static struct node n;

static void take(enum node_act act, enum node_result r, uint64_t last, uint64_t now)
{
    struct node_step s = node_next(&n, now);
    assert_int_equal(s.act, act);
    node_end(&n, s, r, last, now);
}

/* Connected, both buckets looked at, the stream asked. */
static void begin(void)
{
    node_init(&n, 7, 0);
    take(NODE_CONNECT, NODE_DONE, 0, 0);
    take(NODE_LOOK, NODE_NOTHING, 0, 0);
    take(NODE_LOOK, NODE_NOTHING, 0, 0);
    take(NODE_SYNC, NODE_DONE, 0, 0);
}

static void nothing_is_done_for_nothing(void **state)
{
    (void)state;
    begin();
    struct node_step s = node_next(&n, 0);
    assert_int_equal(s.act, NODE_WAIT);
    assert_true(s.until >= NODE_LOOK_EVERY * 3 / 4);
}

static void records_are_gathered(void **state)
{
    (void)state;
    begin();
    node_spool(&n, 1, 100);
    assert_int_equal(node_next(&n, 100).act, NODE_WAIT);
    assert_int_equal(node_next(&n, 100).until, 100 + NODE_GATHER);
    node_spool(&n, 9, 110);
    take(NODE_SEND, NODE_DONE, 9, 100 + NODE_GATHER);
    assert_int_equal(node_next(&n, 121).act, NODE_WAIT);
    node_spool(&n, 10, 125); /* soon after a batch: not at once */
    assert_int_equal(node_next(&n, 125).until, 100 + NODE_GATHER + NODE_SEND_EVERY);
}

static void a_backlog_goes_at_once(void **state)
{
    (void)state;
    begin();
    node_spool(&n, 5000, 100);
    take(NODE_SEND, NODE_DONE, 2000, 200);
    take(NODE_SEND, NODE_DONE, 4000, 201);
    take(NODE_SEND, NODE_DONE, 5000, 202);
    assert_int_equal(node_next(&n, 203).act, NODE_WAIT);
}

static void silence_is_asked_about_before_it_is_sent_again(void **state)
{
    (void)state;
    begin();
    node_spool(&n, 3, 100);
    take(NODE_SEND, NODE_SILENT, 0, 200);
    struct node_step s = node_next(&n, 200);
    assert_int_equal(s.act, NODE_WAIT);
    assert_in_range(s.until, 200 + NODE_RETRY / 2, 200 + NODE_RETRY);
    take(NODE_SYNC, NODE_DONE, 3, s.until); /* it had arrived */
    assert_int_equal(node_next(&n, s.until).act, NODE_WAIT);
    assert_int_equal(n.sent, 3);
}

static void a_conflict_is_asked_about_at_once_and_only_once(void **state)
{
    (void)state;
    begin();
    node_spool(&n, 3, 100);
    take(NODE_SEND, NODE_CONFLICT, 0, 200);
    take(NODE_SYNC, NODE_DONE, 0, 200);
    take(NODE_SEND, NODE_DONE, 3, 200);
    node_spool(&n, 4, 500);
    take(NODE_SEND, NODE_CONFLICT, 0, 600);
    n.failures = 1;
    take(NODE_SYNC, NODE_REFUSED, 0, 600);
    assert_int_equal(node_next(&n, 600).act, NODE_WAIT);
}

static void after_silence_another_server_is_tried(void **state)
{
    (void)state;
    begin();
    node_spool(&n, 3, 100);
    take(NODE_SEND, NODE_SILENT, 0, 200);
    take(NODE_SYNC, NODE_SILENT, 0, 1000);
    assert_false(n.connected);
    assert_int_equal(node_next(&n, 100000).act, NODE_CONNECT);
}

static void distances_grow_and_end(void **state)
{
    uint64_t now = 0, before = 0;
    (void)state;
    node_init(&n, 3, 0);
    for (int i = 0; i < 20; i++) {
        struct node_step s = node_next(&n, now);
        assert_int_equal(s.act, NODE_CONNECT);
        node_end(&n, s, NODE_SILENT, 0, now);
        s = node_next(&n, now);
        assert_int_equal(s.act, NODE_WAIT);
        assert_in_range(s.until - now, NODE_RETRY / 2, NODE_RETRY_MOST);
        if (i > 8)
            assert_true(s.until - now >= NODE_RETRY_MOST / 2);
        before = now;
        now = s.until;
        assert_true(now > before);
    }
}

/* A word comes before the change can be read: looks follow at growing distances, and end. */
static void a_word_is_followed_by_looks(void **state)
{
    uint64_t now = 1000;
    int looks = 0;
    (void)state;
    begin();
    node_hint(&n, NODE_OBSERVED, now);
    for (;;) {
        struct node_step s = node_next(&n, now);
        if (s.act == NODE_WAIT && s.until - now > 10000)
            break;
        if (s.act == NODE_WAIT) {
            now = s.until;
            continue;
        }
        assert_int_equal(s.act, NODE_LOOK);
        assert_int_equal(s.bucket, NODE_OBSERVED);
        node_end(&n, s, looks == 1 ? NODE_DONE : NODE_NOTHING, 0, now);
        looks++;
    }
    assert_int_equal(looks, NODE_LOOKS);
    assert_in_range(now, 1000 + 2000, 1000 + 10000);
}

static void a_look_that_fails_does_not_stop_sending(void **state)
{
    (void)state;
    begin();
    node_hint(&n, NODE_CATALOG, 100);
    node_spool(&n, 1, 100);
    take(NODE_LOOK, NODE_REFUSED, 0, 200);
    take(NODE_SEND, NODE_DONE, 1, 200);
}

static void a_cut_is_one_however_it_is_found(void **state)
{
    (void)state;
    begin();
    node_spool(&n, 1, 100);
    take(NODE_SEND, NODE_CUT, 0, 200);
    assert_false(n.connected);
    assert_false(n.synced);
    struct node_step s = node_next(&n, 200);
    assert_int_equal(s.act, NODE_WAIT);
    take(NODE_CONNECT, NODE_DONE, 0, s.until);
    assert_int_equal(node_next(&n, s.until).act, NODE_LOOK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_done_for_nothing),
        cmocka_unit_test(records_are_gathered),
        cmocka_unit_test(a_backlog_goes_at_once),
        cmocka_unit_test(silence_is_asked_about_before_it_is_sent_again),
        cmocka_unit_test(a_conflict_is_asked_about_at_once_and_only_once),
        cmocka_unit_test(after_silence_another_server_is_tried),
        cmocka_unit_test(distances_grow_and_end),
        cmocka_unit_test(a_word_is_followed_by_looks),
        cmocka_unit_test(a_look_that_fails_does_not_stop_sending),
        cmocka_unit_test(a_cut_is_one_however_it_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
