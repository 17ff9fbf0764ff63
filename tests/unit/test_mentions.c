/*
 * test_mentions.c - ids in texts that have a length and no end: what stands behind is not read.
 * What counts as a mention is in tests/cases/retiring.jsonl.
 */
#include "test.h"

#include <cando.h>

static uint64_t mentioned(const cando *c, cando_room *room, const char *text, size_t n)
{
    const cando_text one = {.name = "a", .text = {text, n}};
    const cando_retiring_question q = {.texts = &one, .n_texts = 1, .at = "2026-11-16"};
    cando_room_clear(room);
    const cando_retiring_answer *a = cando_ask_retiring(c, &q, room, NULL);
    assert_non_null(a);
    return a->n_retiring ? a->retiring[0].mentions : 0;
}

/* Whatever follows, an id at the end is the same one; and none is made whole by what follows. */
static void test_end(void **state)
{
    (void)state;
    static const char id[] = "model = gpt-4-0314";
    static const char *const behind[] = {"",  "x", "0",  "-mini",       "/",
                                         ".", ":", "\"", " gpt-4-0314", "\xc3\xa9"};
    cando *c = cando_new(NULL, NULL, NULL);
    cando_room *room = cando_room_new(NULL, NULL);
    assert_true(c && room);
    size_t n = sizeof id - 1;
    for (size_t i = 0; i < sizeof behind / sizeof *behind; i++) {
        size_t more = strlen(behind[i]);
        char *text = malloc(n + more); /* no NUL: the sanitizer sees who looks for one */
        assert_non_null(text);
        memcpy(text, id, n);
        memcpy(text + n, behind[i], more);
        assert_int_equal(mentioned(c, room, text, n), 1);
        assert_int_equal(mentioned(c, room, text, n - 1), 0);
        assert_int_equal(mentioned(c, room, text, 0), 0);
        free(text);
    }
    cando_room_free(room);
    cando_free(c);
}

/* What stands before a point is a region, or the whole is no id: how ever it begins. */
static void test_no_region(void **state)
{
    (void)state;
    static const char *const is[] = {"us.anthropic.claude-instant-v1", "us.anthropic.claude-v2:1",
                                     "gpt-4-0314"};
    static const char *const is_not[] = {"gptX.gpt-4-0314", "gpt.gpt-4-0314", "gpt4.gpt-4-0314",
                                         "xx.gpt-4-0314", "GPT.gpt-4-0314"};
    cando *c = cando_new(NULL, NULL, NULL);
    cando_room *room = cando_room_new(NULL, NULL);
    char text[80];
    assert_true(c && room);
    for (size_t i = 0; i < sizeof is / sizeof *is; i++) {
        size_t n = (size_t)snprintf(text, sizeof text, "model: \"%s\"", is[i]);
        assert_int_equal(mentioned(c, room, text, n), 1);
    }
    for (size_t i = 0; i < sizeof is_not / sizeof *is_not; i++) {
        size_t n = (size_t)snprintf(text, sizeof text, "model: \"%s\"", is_not[i]);
        if (mentioned(c, room, text, n))
            fail_msg("%s", text);
    }
    cando_room_free(room);
    cando_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_end),
        cmocka_unit_test(test_no_region),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
