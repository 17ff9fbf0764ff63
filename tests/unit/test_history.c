/*
 * test_history.c - reading conversations, and what of them a target takes.
 *
 * The findings of each API are cases in tests/cases/history.jsonl. Here stand
 * what cases cannot say: how turns and parts are read, sessions that carry a
 * history, limits, and memory that runs out at any point.
 */
#include "request/history.h"

#include "ask.h"
#include "base/limits.h"

/* -- reading --------------------------------------------------------------------------- */

struct fixture {
    struct arena ar;
    struct reading r;
    struct history h;
};

static bool read_text(struct fixture *f, const char *text)
{
    struct json_error bad;
    arena_init(&f->ar, NULL);
    f->r = (struct reading){.ar = &f->ar};
    const struct json *v = json_parse(&f->ar, str_of(text), &bad);
    assert_non_null(v);
    return history_read(&f->r, v, STR("/history"), NULL, &f->h);
}

static void assert_place(struct fixture *f, const struct hist_at *at, const char *want)
{
    assert_string_equal(hist_pointer(&f->r, at).p, want);
}

static void test_parts(void **state)
{
    (void)state;
    struct fixture f;
    assert_true(read_text(
        &f,
        "{\"messages\":[{\"role\":\"user\",\"content\":\"h\xc3\xa9\"},"
        "{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":\"x\","
        "\"signature\":\"s\"},"
        "{\"type\":\"tool_use\",\"id\":\"t1\",\"name\":\"look\",\"input\":{}}]},"
        "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"t1\","
        "\"content\":"
        "[{\"type\":\"image\",\"source\":{\"type\":\"url\",\"url\":\"https://x.org/a\"}}]}]}]}"));
    assert_string_equal(f.h.api->name.p, "anthropic-messages");
    assert_int_equal(f.h.n_turns, 3);
    assert_int_equal(f.h.n_parts, 4);
    assert_true(f.h.turn[0].text);
    assert_int_equal(f.h.wide, 2);
    assert_int_equal(f.h.tails, 1);
    assert_int_equal(f.h.part[0].kind, PART_REASONING);
    assert_int_equal(f.h.part[0].reasoning, REASON_SIGNED);
    assert_int_equal(f.h.part[1].kind, PART_CALL);
    assert_true(f.h.part[1].paired);
    assert_int_equal(f.h.part[2].kind, PART_RESULT);
    assert_true(f.h.part[2].paired && !f.h.part[2].late);
    assert_int_equal(f.h.part[3].kind, PART_IMAGE);
    assert_true(f.h.part[3].in_result && f.h.part[3].by_url);
    assert_place(&f, f.h.part[3].at, "/messages/2/content/0/content/0");
    assert_place(&f, f.h.part[0].at, "/messages/1/content/0");
    assert_int_equal(f.h.tail, 1);
    arena_free(&f.ar);
}

static void test_shapes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *api;
    } shapes[] = {
        {"{\"messages\":[]}", "openai-chat"},
        {"{\"contents\":[]}", "gemini"},
        {"{\"input\":\"hi\"}", "openai-responses"},
        {"{\"messages\":[],\"system\":\"x\"}", "anthropic-messages"},
        {"{\"messages\":[],\"system\":[{\"text\":\"x\"}]}", "bedrock-converse"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":[{\"text\":\"x\"}]}]}", "bedrock-converse"},
        {"{\"messages\":[{\"role\":\"assistant\",\"content\":\"x\",\"prefix\":true}]}",
         "mistral-chat"},
        {"{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"document_url\",\"document_"
         "url\":\"https://"
         "x.org\"}]}]}",
         "mistral-chat"},
        {"{\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":\"thinking\",\"thinking\":["
         "]}]}]}",
         "mistral-chat"},
        {"{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"f\","
         "\"arguments\":{}}}]}]}",
         "ollama-chat"},
        {"{\"messages\":[{\"role\":\"assistant\",\"tool_calls\":[{\"function\":{\"name\":\"f\","
         "\"arguments\":\"{}\"}}]}"
         "]}",
         "openai-chat"},
        {"{\"messages\":[{\"role\":\"assistant\",\"content\":[{\"type\":\"web_search_tool_result\"}"
         "]}]}",
         "anthropic-messages"},
        {"{\"dialect\":\"ollama-chat\",\"messages\":[]}", "ollama-chat"},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        struct fixture f;
        assert_true(read_text(&f, shapes[i].text));
        assert_string_equal(f.h.api->name.p, shapes[i].api);
        arena_free(&f.ar);
    }
}

/* A call that waits at the end is told from one that the conversation passed by. */
static void test_pairs(void **state)
{
    (void)state;
    struct fixture f;
    assert_true(
        read_text(&f, "{\"input\":[{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\"},"
                      "{\"type\":\"function_call\",\"call_id\":\"a\",\"name\":\"f\"},"
                      "{\"type\":\"function_call_output\",\"call_id\":\"a\",\"output\":\"x\"},"
                      "{\"role\":\"user\",\"content\":\"hm\"},"
                      "{\"type\":\"function_call\",\"call_id\":\"b\",\"name\":\"f\"}]}"));
    assert_false(f.h.part[0].paired); /* the newer call of the same id is answered */
    assert_true(f.h.part[1].paired);
    assert_false(f.h.part[3].paired);
    assert_int_equal(f.h.tail, 4);
    arena_free(&f.ar);
    /* without ids a result answers a call of its name, and not across a user's turn */
    assert_true(read_text(
        &f, "{\"contents\":[{\"role\":\"model\",\"parts\":[{\"functionCall\":{\"name\":\"f\"}},{"
            "\"functionCall\":{\"name\":\"g\"}}]},"
            "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"g\"}}]},"
            "{\"role\":\"user\",\"parts\":[{\"text\":\"hm\"}]},"
            "{\"role\":\"user\",\"parts\":[{\"functionResponse\":{\"name\":\"f\"}}]}]}"));
    assert_false(f.h.part[0].paired);
    assert_true(f.h.part[1].paired && f.h.part[2].paired);
    assert_false(f.h.part[3].paired);
    arena_free(&f.ar);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"[]",
                                        "{}",
                                        "{\"dialect\":1,\"messages\":[]}",
                                        "{\"dialect\":\"morse\",\"messages\":[]}",
                                        "{\"messages\":1}",
                                        "{\"messages\":[1]}",
                                        "{\"contents\":\"x\"}"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct fixture f;
        assert_false(read_text(&f, texts[i]));
        assert_true(f.r.error.message[0] > 0);
        assert_true(str_starts(str_of(f.r.error.at), STR("/history")));
        arena_free(&f.ar);
    }
}

/* -- through the operation ------------------------------------------------------------- */

#define RULES                                                                                      \
    "{\"dialect\":\"cando\",\"text\":\"schema = \\\"cando/rules@1\\\"\\n"                          \
    "[[labs]]\\nid = \\\"anthropic\\\"\\nfamilies = [\\\"claude\\\"]\\n"                           \
    "[[providers]]\\nid = \\\"p\\\"\\ndialect = \\\"openai-chat\\\"\\n[[providers]]\\nid = "       \
    "\\\"m\\\"\\ndialect = "                                                                       \
    "\\\"mistral-chat\\\"\\n"                                                                      \
    "[[models]]\\nprovider = \\\"p\\\"\\nid = \\\"blind\\\"\\nset = { input_image = "              \
    "\\\"unsupported\\\", output_text "                                                            \
    "= \\\"native\\\" }\\n"                                                                        \
    "[[models]]\\nprovider = \\\"p\\\"\\nid = \\\"maybe\\\"\\nset = { output_text = "              \
    "\\\"native\\\" }\\n"                                                                          \
    "[[models]]\\nprovider = \\\"p\\\"\\nid = \\\"vector\\\"\\nset = { input_image = "             \
    "\\\"native\\\", embeddings = "                                                                \
    "\\\"native\\\" }\\n"                                                                          \
    "[[models]]\\nprovider = \\\"p\\\"\\nid = \\\"sees\\\"\\nset = { input_image = "               \
    "\\\"native\\\", output_text = "                                                               \
    "\\\"native\\\" }\\n\"}"

static struct str text_of(const struct json *v, const char *key)
{
    const struct json *m = json_get(v, key);
    assert_non_null(m);
    return m->kind == JSON_STRING ? m->text : STR("");
}

/* What is suggested takes the history: known to see, and a model that writes. */
static void test_suggestion(void **state)
{
    (void)state;
    struct asker a;
    ask_begin(&a);
    const struct json *r = ask(
        &a, "{\"op\":\"negotiate\",\"target\":\"p/blind\",\"rules\":" RULES
            ",\"history\":{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"image_url\","
            "\"image_url\":{\"url\":\"data:image/png;base64,AA\"}}]}]}}");
    assert_non_null(r);
    assert_true(str_is(text_of(r, "verdict"), "rejected"));
    assert_true(str_is(text_of(r, "error"), "History/DoesNotSurvive"));
    assert_true(str_is(text_of(r, "suggestion"), "p/sees"));
    r = ask(&a,
            "{\"op\":\"negotiate\",\"target\":\"p/sees\",\"previous\":\"p/blind\",\"rules\":" RULES
            ",\"history\":{\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}}");
    assert_true(str_is(text_of(r, "verdict"), "accepted"));
    assert_int_equal(json_get(r, "findings")->n, 0);
    ask_end(&a);
}

static void test_many(void **state)
{
    (void)state;
    struct asker a;
    struct buf q;
    char *reply;
    size_t len;
    ask_begin(&a);
    buf_init(&q, NULL, 1 << 22);
    buf_putz(&q, "{\"op\":\"negotiate\",\"target\":\"p/blind\",\"rules\":" RULES
                 ",\"history\":{\"messages\":[{\"role\":\"user\",\"content\":[");
    for (unsigned i = 0; i < LIMIT_HISTORY_FINDINGS + 5; i++)
        buf_printf(&q, "%s{\"type\":\"image_url\",\"image_url\":{\"url\":\"x\"}}", i ? "," : "");
    buf_putz(&q, "]}]}}");
    assert_int_equal(cando_call(a.c, q.p, q.n, &reply, &len), CANDO_OK);
    struct json_error bad;
    const struct json *v = json_parse(&a.ar, str_make(reply, len), &bad),
                      *found = json_get(json_get(v, "result"), "findings");
    assert_int_equal(found->n, LIMIT_HISTORY_FINDINGS + 1);
    assert_true(str_is(text_of(&found->item[LIMIT_HISTORY_FINDINGS], "code"), "too-many"));
    cando_free_text(a.c, reply, len);
    buf_free(&q);
    ask_end(&a);
}

/* -- sessions -------------------------------------------------------------------------- */

static const char picture[] =
    "{\"messages\":[{\"role\":\"user\",\"content\":[{\"type\":\"input_audio\",\"input_"
    "audio\":{\"data\":\"AA\",\"format\":\"wav\"}}]}]}";

static const cando_negotiate_answer *go(cando_session *s, const char *target, cando_room *room)
{
    return cando_session_change(
        s, &(cando_change){.kind = CANDO_CHANGE_TARGET, .target = {target, NULL}}, room, NULL);
}

static void test_session(void **state)
{
    (void)state;
    cando *c = cando_new(NULL, NULL, NULL);
    cando_room *room = cando_room_new(NULL, NULL);
    assert_non_null(c);
    cando_session *s = cando_session_new(c, (cando_name){"google/gemini-2.5-pro", NULL}, NULL);
    assert_non_null(s);
    cando_bytes before, after;
    cando_change keep = {.kind = CANDO_CHANGE_HISTORY, .history = {picture, sizeof picture - 1}};
    assert_int_equal(cando_session_state(s, room, &before, NULL), CANDO_OK);
    assert_non_null(cando_session_change(s, &keep, room, NULL));
    assert_int_equal(cando_session_state(s, room, &after, NULL), CANDO_OK);
    assert_string_equal(after.p, before.p); /* no part of the state */
    cando_error err = {0};
    const cando_change broken = {.kind = CANDO_CHANGE_HISTORY,
                                 .history = {"{\"messages\":[7]}", 16}};
    assert_null(cando_session_change(s, &broken, room, &err));
    assert_int_equal(err.status, CANDO_BAD_QUESTION);
    const cando_negotiate_answer *a = go(s, "openai/gpt-4o", room);
    assert_non_null(a);
    assert_int_equal(a->verdict, CANDO_REJECTED);
    assert_string_equal(a->error, "History/DoesNotSurvive");
    assert_string_equal(a->findings[0].capability, "input_audio");
    assert_string_equal(a->findings[0].path, "/messages/0/content/0");
    assert_int_equal(a->findings[0].severity, CANDO_ERROR);
    assert_int_equal(cando_session_state(s, room, &after, NULL), CANDO_OK);
    assert_string_equal(after.p, before.p);
    /* a change of needs is none of the history's business */
    static const char *const texts[] = {"text"};
    const cando_context_provider x = {.id = "x", .produces = texts, .n_produces = 1};
    a = cando_session_change(
        s, &(cando_change){.kind = CANDO_CHANGE_PROVIDE, .context_provider = &x}, room, NULL);
    assert_non_null(a);
    assert_int_not_equal(a->verdict, CANDO_REJECTED);
    keep.history = (cando_bytes){NULL, 0};
    assert_non_null(cando_session_change(s, &keep, room, NULL));
    a = go(s, "openai/gpt-4o", room);
    assert_non_null(a);
    assert_int_not_equal(a->verdict, CANDO_REJECTED);
    cando_session_free(s);
    cando_room_free(room);
    cando_free(c);
}

/* -- memory ---------------------------------------------------------------------------- */

/* Whichever allocation fails, reading and checking say so and go no further. */
static void test_memory(void **state)
{
    (void)state;
    static const char text[] =
        "{\"messages\":[{\"role\":\"assistant\",\"content\":null,\"reasoning_content\":\"x\","
        "\"tool_calls\":[{\"id\":"
        "\"c:1\","
        "\"function\":{\"name\":\"f\",\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":"
        "\"c:2\",\"content\":"
        "[{\"type\":\"image_url\",\"image_url\":{\"url\":\"https://x.org\"}}]}]}";
    const cando *c = cando_new(NULL, NULL, NULL);
    const cando_catalog *cat = cando_get_catalog(c);
    bool done = false;
    for (size_t at = 0; !done && at < 10000; at++) {
        struct failing m = failing_after(at);
        cando_allocator a = {failing_resize, &m};
        struct arena ar, parsed;
        struct json_error bad;
        arena_init(&ar, &a);
        arena_init(&parsed, NULL);
        struct reading r = {.ar = &ar};
        struct history h;
        struct hist_findings found = {0};
        cando_planes planes;
        planes_clear(&planes);
        planes_put(&planes, F_input_image, CANDO_UNSUPPORTED);
        struct hist_target t = {.cat = cat,
                                .provider = STR("mistral"),
                                .model = STR("mistral-large"),
                                .planes = &planes};
        const struct json *v = json_parse(&parsed, STR(text), &bad);
        done = history_read(&r, v, STR(""), NULL, &h) && history_check(&r, &h, &t, &found);
        assert_true(done || reading_no_memory(&r));
        if (done)
            assert_int_equal(found.n, found.count[0] + found.count[1] + found.count[2]);
        arena_free(&ar);
        arena_free(&parsed);
    }
    assert_true(done);
    cando_catalog_release(cat);
    cando_free((cando *)c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parts),      cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_pairs),      cmocka_unit_test(test_refused),
        cmocka_unit_test(test_suggestion), cmocka_unit_test(test_many),
        cmocka_unit_test(test_session),    cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
