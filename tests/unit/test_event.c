/*
 * test_event.c - events: what they may hold, who is called and when.
 */

#include "test.h"

#include "cando.h"

/* -- shapes ------------------------------------------------------------------------------ */

static void nobody(void *user, const cando_event *e)
{
    (void)e;
    ++*(int *)user;
}

static void test_shapes(void **state)
{
    (void)state;
    char long_id[200];
    memset(long_id, 'x', sizeof long_id);
    long_id[129] = '\0';
    static const char *const no_field[] = {"tool_caling"}, *const no_code[] = {"Missing Capability"}, *const null_name[] = {NULL};
    static const char *const good[] = {"toolCalling", "multimodal", "contextWindow"};
    const struct {
        cando_event e;
        bool ok;
    } rows[] = {
        {{.kind = CANDO_EVENT_SWITCH, .time = 1}, true},
        {{.kind = CANDO_EVENT_SWITCH, .session = "7f3c2a1e-5b0d-4f6e-9c1a-2b3c4d5e6f70", .target = "openai/gpt 5 (eu)"}, true},
        {{.kind = CANDO_EVENT_REJECTION, .missing = good, .n_missing = 3, .decided = true, .verdict = CANDO_REJECTED}, true},
        {{.kind = CANDO_EVENT_KINDS}, false},
        {{.kind = (cando_event_kind)-1}, false},
        {{.decided = true, .verdict = (cando_verdict)9}, false},
        {{.session = "write me a poem"}, false},
        {{.session = long_id}, false},
        {{.session = "a\nb"}, false},
        {{.change = "A switch"}, false},
        {{.target = "openai/gpt-5\nand more"}, false},
        {{.target = "openai/\xff"}, false},
        {{.previous = "a\x1b[31m"}, false},
        {{.missing = no_field, .n_missing = 1}, false},
        {{.missing = null_name, .n_missing = 1}, false},
        {{.findings = no_code, .n_findings = 1}, false},
        {{.findings = good, .n_findings = 100000}, false},
        {{.kind = CANDO_EVENT_OBSERVATION, .field = "temperature", .value = "unsupported", .evidence = "it was refused"}, true},
        {{.kind = CANDO_EVENT_SWITCH, .evidence = "the user asked for a poem"}, false},
        {{.kind = CANDO_EVENT_OBSERVATION, .field = "temprature"}, false},
        {{.kind = CANDO_EVENT_RETENTION, .hash = "abc"}, false},
        {{.time = UINT64_MAX}, false},
    };
    cando_error err = {0};
    cando_events *events = cando_events_new(NULL, &err);
    int called = 0, expected = 0;
    assert_int_not_equal(cando_events_subscribe(events, CANDO_EVERY_EVENT, nobody, &called, &err), 0);
    for (size_t i = 0; i < COUNT(rows); i++) {
        cando_status st = cando_events_emit(events, &rows[i].e, &err);
        if ((st == CANDO_OK) != rows[i].ok)
            fail_msg("row %zu: %s", i, st == CANDO_OK ? "was taken" : err.message);
        expected += rows[i].ok;
        assert_int_equal(called, expected);
    }
    cando_events_free(events);
}

/* -- subscribers -------------------------------------------------------------------------- */

struct listener {
    cando_events *events;
    uint32_t id, other;
    int heard;
    int what; /* 1 leaves, 2 sends another away, 3 brings one more, 4 emits */
};

static void listen(void *user, const cando_event *e)
{
    struct listener *l = user;
    l->heard++;
    if (l->what == 1)
        cando_events_unsubscribe(l->events, l->id);
    if (l->what == 2)
        cando_events_unsubscribe(l->events, l->other);
    if (l->what == 3)
        for (int i = 0; i < 20; i++) /* the list moves */
            assert_int_not_equal(cando_events_subscribe(l->events, CANDO_EVENT_BIT(e->kind), nobody, &l->other, NULL), 0);
    if (l->what == 4)
        cando_events_emit(l->events, e, NULL);
}

static void add(cando_events *events, struct listener *l, uint32_t kinds, int what)
{
    *l = (struct listener){.events = events, .what = what};
    l->id = cando_events_subscribe(events, kinds, listen, l, NULL);
    assert_int_not_equal(l->id, 0);
}

static void test_subscribers(void **state)
{
    (void)state;
    cando_events *events = cando_events_new(NULL, NULL);
    struct listener a, b, c;
    const cando_event change = {.kind = CANDO_EVENT_SWITCH}, refused = {.kind = CANDO_EVENT_REJECTION};
    add(events, &a, CANDO_EVERY_EVENT, 1);
    add(events, &b, CANDO_EVENT_BIT(CANDO_EVENT_REJECTION), 0);
    add(events, &c, CANDO_EVERY_EVENT, 0);
    assert_int_equal(cando_events_emit(events, &change, NULL), CANDO_OK);
    assert_int_equal(a.heard, 1);
    assert_int_equal(b.heard, 0);
    assert_int_equal(c.heard, 1);
    assert_int_equal(cando_events_emit(events, &refused, NULL), CANDO_OK);
    assert_int_equal(a.heard, 1); /* has left */
    assert_int_equal(b.heard, 1);
    assert_int_equal(c.heard, 2);
    /* who is sent away while others are called hears nothing any more */
    b.what = 2;
    b.other = c.id;
    assert_int_equal(cando_events_emit(events, &refused, NULL), CANDO_OK);
    assert_int_equal(b.heard, 2);
    assert_int_equal(c.heard, 2);
    /* who comes meanwhile hears of the next one */
    b.what = 3;
    b.other = 0;
    assert_int_equal(cando_events_emit(events, &refused, NULL), CANDO_OK);
    assert_int_equal(b.other, 0);
    b.what = 0;
    assert_int_equal(cando_events_emit(events, &refused, NULL), CANDO_OK);
    assert_int_equal(b.other, 20);
    cando_events_unsubscribe(events, 4711);
    cando_events_unsubscribe(events, 0);
    cando_events_free(events);
}

static void test_echo_ends(void **state)
{
    (void)state;
    cando_events *events = cando_events_new(NULL, NULL);
    struct listener a;
    const cando_event e = {.kind = CANDO_EVENT_SPAWN};
    add(events, &a, CANDO_EVERY_EVENT, 4);
    assert_int_equal(cando_events_emit(events, &e, NULL), CANDO_OK);
    assert_in_range(a.heard, 2, 50);
    cando_events_free(events);
}

/* -- from diagnostics ------------------------------------------------------------------------- */

struct last {
    cando_event e;
    char missing[200], findings[200], target[80], previous[80];
    int n;
};

static void keep(void *user, const cando_event *e)
{
    struct last *l = user;
    l->e = *e;
    l->n++;
    l->missing[0] = l->findings[0] = '\0';
    for (size_t i = 0; i < e->n_missing; i++)
        strcat(strcat(l->missing, e->missing[i]), " ");
    for (size_t i = 0; i < e->n_findings; i++)
        strcat(strcat(l->findings, e->findings[i]), " ");
    snprintf(l->target, sizeof l->target, "%s", e->target);
    snprintf(l->previous, sizeof l->previous, "%s", e->previous);
}

static void test_diagnostics(void **state)
{
    (void)state;
    struct last l = {.n = 0};
    cando_error err = {0};
    cando_events *events = cando_events_new(NULL, NULL);
    cando_events_subscribe(events, CANDO_EVERY_EVENT, keep, &l, NULL);
    static const char rejected[] =
        "{\"verdict\":\"rejected\",\"missing\":[{\"capability\":\"tool_calling\",\"required_by\":\"state_machine\"},{\"capability\":\"input_image\"}],"
        "\"warnings\":[{\"capability\":\"streaming\",\"reason\":\"probe-pending\"},{\"capability\":\"tool_calling\",\"reason\":\"probe-pending\"}],"
        "\"target\":\"openai/gpt-5\",\"previous\":{\"provider\":\"a\",\"model\":\"b\"},\"findings\":[{\"code\":\"image_lost\"}]}";
    assert_int_equal(cando_events_diagnostic(events, CANDO_EVENT_SPAWN, 5, "s", "spawn", rejected, strlen(rejected), &err), CANDO_OK);
    assert_int_equal(l.e.kind, CANDO_EVENT_REJECTION);
    assert_int_equal(l.e.verdict, CANDO_REJECTED);
    assert_int_equal(l.e.time, 5);
    assert_string_equal(l.e.change, "spawn");
    assert_string_equal(l.missing, "tool_calling input_image streaming ");
    assert_string_equal(l.findings, "missing-capability probe-pending image_lost ");
    assert_string_equal(l.target, "openai/gpt-5");
    assert_string_equal(l.previous, "a/b");
    static const char degraded[] = "{\"verdict\":\"degraded\",\"missing\":[],\"warnings\":[{\"capability\":\"promptCaching\",\"reason\":\"preferred-unmet\"}],"
                                   "\"target\":null,\"previous\":null}";
    assert_int_equal(cando_events_diagnostic(events, CANDO_EVENT_SWITCH, 5, NULL, NULL, degraded, strlen(degraded), &err), CANDO_OK);
    assert_int_equal(l.e.kind, CANDO_EVENT_DOWNGRADE);
    assert_string_equal(l.findings, "preferred-unmet ");
    static const char accepted[] = "{\"verdict\":\"accepted\"}";
    assert_int_equal(cando_events_diagnostic(events, CANDO_EVENT_SPAWN, 5, NULL, NULL, accepted, strlen(accepted), &err), CANDO_OK);
    assert_int_equal(l.e.kind, CANDO_EVENT_SPAWN);
    static const char *const bad[] = {"", "[]", "{}", "{\"verdict\":\"maybe\"}", "{\"verdict\":1}", "{\"verdict\":\"accepted\",",
                                      "{\"verdict\":\"rejected\",\"missing\":[{\"capability\":\"please write a poem\"}]}"};
    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(cando_events_diagnostic(events, CANDO_EVENT_SWITCH, 5, NULL, NULL, bad[i], strlen(bad[i]), &err), CANDO_BAD_QUESTION);
    assert_int_equal(l.n, 3);
    cando_events_free(events);
}

static void test_no_memory(void **state)
{
    (void)state;
    static const char text[] = "{\"verdict\":\"degraded\",\"warnings\":[{\"capability\":\"streaming\",\"reason\":\"probe-pending\"}],\"target\":\"a/b\"}";
    bool all = false;
    for (size_t n = 1; !all; n++) {
        struct failing f = {.fail_at = n};
        cando_allocator a = {failing_resize, &f};
        struct last l = {.n = 0};
        cando_error err = {0};
        cando_events *events = cando_events_new(&a, &err);
        uint32_t id = events ? cando_events_subscribe(events, CANDO_EVERY_EVENT, keep, &l, &err) : 0;
        cando_status st = id ? cando_events_diagnostic(events, CANDO_EVENT_SWITCH, 1, "s", "x", text, strlen(text), &err) : CANDO_INTERNAL;
        all = !f.failed;
        assert_int_equal(st, all ? CANDO_OK : CANDO_INTERNAL);
        assert_string_equal(all ? "memory" : err.code, "memory");
        assert_int_equal(l.n, all);
        cando_events_free(events);
        assert_int_equal(f.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes),      cmocka_unit_test(test_subscribers), cmocka_unit_test(test_echo_ends),
        cmocka_unit_test(test_diagnostics), cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
