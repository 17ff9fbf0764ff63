/*
 * trail_case.h - what the tests of the audit trail share: a folder of their own, a
 * trail in it, and an event.
 */
#ifndef TRAIL_CASE_H
#define TRAIL_CASE_H

#include "test.h"

#include <unistd.h>

#include "cando_store.h"

static char trail_folder[64], trail_path[96];

static inline int trail_setup(void **state)
{
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(trail_folder, sizeof trail_folder, "%s/cando-trail-XXXXXX", root && strlen(root) < 30 ? root : "/tm" "p");
    if (!mkdtemp(trail_folder))
        return -1;
    snprintf(trail_path, sizeof trail_path, "%s/trail.db", trail_folder);
    return 0;
}

static inline void trail_remove(void)
{
    static const char *const ends[] = {"", "-wal", "-shm", "-head", "-journal"};
    char name[128];
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        snprintf(name, sizeof name, "%s%s", trail_path, ends[i]);
        unlink(name);
    }
}

static inline int trail_teardown(void **state)
{
    (void)state;
    trail_remove();
    return rmdir(trail_folder);
}

static inline cando_store *trail_open_with(cando_store_options options)
{
    cando_error err = {0};
    cando_store *s = cando_store_open(trail_path, &options, NULL, &err);
    if (!s)
        fail_msg("%s", err.message);
    return s;
}

static inline cando_store *trail_open(void)
{
    return trail_open_with((cando_store_options){.create = true});
}

static inline cando_event trail_event(uint64_t i)
{
    static const char *const models[] = {"openai/gpt-5", "anthropic/claude-opus-4-5", "openrouter/openai/gpt-5", "google/gemini-2.5-pro"};
    static const char *const sessions[] = {"s-1", "s-2", "s-3"};
    static const char *const missing[] = {"tool_calling", "input_image"}, *const codes[] = {"missing-capability"};
    static const cando_verdict verdicts[] = {CANDO_ACCEPTED, CANDO_DEGRADED, CANDO_REJECTED};
    cando_event e = {.kind = (cando_event_kind)(i % 3), .time = 1763224205000 + i * 1000, .session = sessions[i % 3], .change = "switch",
                     .target = models[i % 4], .previous = models[(i + 1) % 4], .decided = true, .verdict = verdicts[i % 3]};
    if (e.verdict == CANDO_REJECTED) {
        e.missing = missing;
        e.n_missing = 2;
        e.findings = codes;
        e.n_findings = 1;
    }
    return e;
}

static inline void trail_add(cando_store *s, uint64_t from, uint64_t n)
{
    for (uint64_t i = from; i < from + n; i++) {
        cando_event e = trail_event(i);
        assert_int_equal(s->ops->append(s, &e, 1, NULL), CANDO_OK);
    }
    assert_int_equal(s->ops->flush(s, NULL), CANDO_OK);
}

static inline cando_store_report trail_verify(cando_store *s)
{
    cando_store_report r;
    cando_error err = {0};
    if (s->ops->verify(s, &r, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    return r;
}

static inline void trail_is_whole(cando_store *s, uint64_t first, uint64_t last)
{
    cando_store_report r = trail_verify(s);
    if (r.problems)
        fail_msg("%s", r.problem);
    assert_int_equal(r.first, first);
    assert_int_equal(r.last, last);
}

#endif
