/*
 * test_ask_cost.c - usage and cost as questions: what is answered, what is refused and
 * where, and that nothing is lost when memory runs out.
 */
#include "catalog_case.h"

#define BYTES(z) {z, sizeof(z) - 1}
#define REPLY                                                                                      \
    "{\"id\":\"chatcmpl-1\",\"created\":86400,\"model\":\"one\",\"choices\":[],"                   \
    "\"usage\":{\"prompt_tokens\":1000,\"completion_tokens\":200,"                                 \
    "\"completion_tokens_details\":{\"reasoning_tokens\":50}}}"

static const char rules[] = "[[rules]]\n"
                            "match = \"one\"\n"
                            "providers = [\"acme\"]\n"
                            "set = { price = { input_tokens = \"3\", output_tokens = \"15\", "
                            "\"input_tokens @batch\" = \"1.5\", web_searches = \"10\" } }\n";

static struct {
    const cando_catalog *cat;
    cando *c;
    cando_room *room;
    cando_error err;
} t;

static int setup(void **state)
{
    char text[1024];
    (void)state;
    snprintf(text, sizeof text, "schema = \"cando/rules@1\"\n%s", rules);
    t.cat = case_open(case_sources(text, CANDO_SYNTAX_CANDO, CANDO_LAYER_USER));
    t.c = cando_new(t.cat, NULL, NULL);
    t.room = cando_room_new(NULL, NULL);
    assert_true(t.c && t.room);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    cando_room_free(t.room);
    cando_free(t.c);
    cando_catalog_release(t.cat);
    return 0;
}

static const cando_cost_answer *cost(cando_cost_question q)
{
    t.err = (cando_error){0};
    return cando_ask_cost(t.c, &q, t.room, &t.err);
}

static void refused(cando_cost_question q, const char *code, const char *at)
{
    assert_null(cost(q));
    assert_string_equal(t.err.code, code);
    assert_string_equal(t.err.at, at);
    assert_int_equal(t.err.status, CANDO_BAD_QUESTION);
    assert_null(cando_ask_cost(t.c, &q, t.room, NULL));
}

static void test_usage(void **state)
{
    cando_usage_question q = {.response = BYTES(REPLY)};
    const cando_usage_answer *a = cando_ask_usage(t.c, &q, t.room, &t.err);
    (void)state;
    assert_non_null(a);
    assert_string_equal(a->model, "one");
    assert_string_equal(a->api, "openai-chat");
    assert_string_equal(a->created, "1970-01-02T00:00:00Z");
    assert_false(a->partial);
    assert_null(a->service_tier);
    assert_null(a->reported_cost);
    assert_int_equal(a->n_usage, 3);
    assert_string_equal(a->usage[0].unit, "input_tokens");
    assert_string_equal(a->usage[0].quantity, "1000");
    q = (cando_usage_question){.response = BYTES("[{\"type\":\"message_start\",\"message\":{"
                                                 "\"usage\":{\"input_tokens\":9}}}]")};
    a = cando_ask_usage(t.c, &q, t.room, &t.err);
    assert_non_null(a);
    assert_true(a->partial);
    assert_string_equal(a->usage[1].unit, "output_tokens");
    assert_null(a->usage[1].quantity);
}

static void test_usage_refused(void **state)
{
    static const struct {
        cando_usage_question q;
        const char *code, *at;
    } rows[] = {
        {{.response = {NULL, 0}}, "missing-argument", "/response"},
        {{.response = BYTES("{\"usage\":{\"prompt_tokens\":1,\"prompt_tokens\":2}}")},
         "json-duplicate-key", "/response"},
        {{.response = BYTES("{\"usage\":")}, "json-syntax", "/response"},
        {{.response = BYTES("{\"choices\":[]}")}, "bad-usage", "/response"},
        {{.response = BYTES("[{},{\"usage\":{\"prompt_tokens\":-1}}]")}, "bad-usage", "/response/1"},
        {{.response = BYTES(REPLY), .api = "opnai"}, "bad-argument", "/dialect"},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++) {
        assert_null(cando_ask_usage(t.c, &rows[i].q, t.room, &t.err));
        assert_string_equal(t.err.code, rows[i].code);
        assert_string_equal(t.err.at, rows[i].at);
    }
}

static void test_reply(void **state)
{
    cando_name one = {.model = "acme/one"};
    const cando_cost_answer *a = cost((cando_cost_question){.response = BYTES(REPLY), .target = &one});
    (void)state;
    assert_non_null(a);
    assert_string_equal(a->target, "acme/one");
    assert_null(a->target_from);
    assert_string_equal(a->total_cost, "0.006");
    assert_string_equal(a->at, "1970-01-02T00:00:00Z");
    assert_string_equal(a->reply->model, "one");
    assert_null(a->estimate);
    assert_null(a->at_least);
    assert_int_equal(a->n_items, 2);
    assert_string_equal(a->items[1].why,
                        "its own rate; with output_reasoning_tokens, which has no rate of its own");
    assert_int_equal(a->items[1].per, 1000000);
    assert_int_equal(a->n_unknown, 0);
    a = cost((cando_cost_question){.response = BYTES(REPLY), .provider = "acme", .service_tier = "Batch",
                                   .at = "2026-11-15"});
    assert_string_equal(a->input_cost, "0.0015");
    assert_string_equal(a->items[0].why, "its own rate, tier batch");
    assert_string_equal(a->at, "2026-11-15T00:00:00Z");
    a = cost((cando_cost_question){.response = BYTES(REPLY)});
    assert_null(a->target);
    assert_null(a->total_cost);
    assert_null(a->unknown[0].unit);
}

/* What a log says about a reply counts where the question is silent. */
static void test_logged(void **state)
{
    cando_name two = {"two", "acme"};
    cando_cost_question q = {
        .response = BYTES("{\"provider\":\"nobody\",\"target\":\"acme/one\",\"at\":172800,"
                          "\"service_tier\":\"batch\",\"response\":" REPLY "}"),
    };
    (void)state;
    assert_null(cost(q)->total_cost);
    q.logged = true;
    const cando_cost_answer *a = cost(q);
    assert_string_equal(a->target, "acme/one");
    assert_string_equal(a->input_cost, "0.0015");
    assert_string_equal(a->at, "1970-01-03T00:00:00Z");
    q.at = "86400";
    q.service_tier = "default";
    q.target = &two;
    a = cost(q);
    assert_string_equal(a->target, "acme/two");
    assert_string_equal(a->at, "1970-01-02T00:00:00Z");
    assert_null(a->total_cost);
}

static void test_usage_and_pricing(void **state)
{
    cando_cost_keep keep = {.output_cost = "1.25"};
    cando_cost_question q = {.usage = BYTES("{\"input_tokens\":3,\"output_tokens\":null}"),
                             .pricing = BYTES("{\"input_tokens\":\"0.5\",\"output_tokens\":2}")};
    (void)state;
    const cando_cost_answer *a = cost(q);
    assert_string_equal(a->input_cost, "0.0000015");
    assert_null(a->output_cost);
    assert_null(a->reply);
    assert_string_equal(a->unknown[0].reason, "the count is not known");
    q.keep = &keep;
    a = cost(q);
    assert_string_equal(a->total_cost, "1.2500015");
    q.pricing = (cando_bytes)BYTES("null");
    q.keep = NULL;
    assert_string_equal(cost(q)->unknown[0].reason, "there is no price");
}

static void test_request(void **state)
{
    cando_cost_question q = {
        .request = BYTES("{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
                         "\"max_completion_tokens\":100}"),
        .pricing = BYTES("{\"input_tokens\":\"1\",\"output_tokens\":\"10\"}"),
        .output_tokens = {40, true},
    };
    cando *builtin = cando_new(NULL, NULL, NULL);
    const cando_cost_answer *a = cando_ask_cost(builtin, &q, t.room, &t.err);
    (void)state;
    assert_non_null(a);
    assert_string_equal(a->target, "openai/gpt-5");
    assert_string_equal(a->target_from, "the API that the request is for");
    assert_string_equal(a->estimate->api, "openai-chat");
    assert_int_equal(a->estimate->assumed_output_tokens, 40);
    assert_string_equal(a->estimate->expected->output_tokens, "40");
    assert_string_equal(a->estimate->high->output_cost, "0.001");
    assert_string_equal(a->output_cost, a->estimate->expected->output_cost);
    assert_string_equal(a->estimate->low->output_cost, "0");
    cando_free(builtin);
}

#define USAGE BYTES("{\"input_tokens\":1}")
#define PRICE BYTES("{\"input_tokens\":1}")

static void test_refused(void **state)
{
    cando_name one = {.model = "acme/one"}, bare = {.model = "one"};
    cando_cost_keep bad = {.total_cost = "much"};
    char name[LIMIT_NAME_BYTES + 10];
    (void)state;
    memset(name, 'x', sizeof name);
    name[1] = '/';
    name[sizeof name - 1] = '\0';
    cando_name large = {.model = name};
    refused((cando_cost_question){0}, "missing-argument", "/usage");
    refused((cando_cost_question){.usage = USAGE, .response = BYTES(REPLY)}, "bad-argument", "/usage");
    refused((cando_cost_question){.usage = USAGE}, "missing-argument", "/target");
    refused((cando_cost_question){.usage = USAGE, .target = &bare}, "unknown-target", "/target");
    refused((cando_cost_question){.usage = USAGE, .target = &large}, "too-long", "/target");
    refused((cando_cost_question){.usage = USAGE, .target = &one, .pricing = PRICE}, "bad-argument",
            "/pricing");
    refused((cando_cost_question){.usage = BYTES("[]"), .target = &one}, "bad-argument", "/usage");
    refused((cando_cost_question){.usage = BYTES("{\"inputs\":1}"), .target = &one}, "bad-usage",
            "/usage");
    assert_null(strstr(t.err.hint, "input_tokens"));
    refused((cando_cost_question){.usage = BYTES("{\"input_token\":1}"), .target = &one}, "bad-usage",
            "/usage");
    refused((cando_cost_question){.usage = USAGE, .usage_form = "x", .target = &one}, "bad-argument",
            "/usage_form");
    refused((cando_cost_question){.response = BYTES(REPLY), .usage_form = "cando"}, "bad-argument",
            "/usage_form");
    refused((cando_cost_question){.usage = USAGE, .pricing = BYTES("{\"form\":\"x\"}")},
            "bad-argument", "/pricing/form");
    refused((cando_cost_question){.usage = USAGE, .pricing = BYTES("{\"inputs\":1}")}, "bad-price",
            "/pricing");
    refused((cando_cost_question){.usage = USAGE, .pricing = BYTES("5")}, "bad-price", "/pricing");
    refused((cando_cost_question){.usage = USAGE, .target = &one, .at = "soon"}, "bad-argument", "/at");
    refused((cando_cost_question){.usage = USAGE, .target = &one, .keep = &bad}, "bad-argument",
            "/keep/total_cost");
    refused((cando_cost_question){.usage = USAGE, .target = &one, .output_tokens = {1, true}},
            "bad-argument", "/output_tokens");
    refused((cando_cost_question){.request = BYTES("{}"), .keep = &bad}, "bad-argument", "/keep");
    refused((cando_cost_question){.request = BYTES("{}"), .target = &one, .provider = "acme"},
            "bad-argument", "/provider");
    refused((cando_cost_question){.request = BYTES("{\"a\":1,}")}, "json-syntax", "/request");
}

static void test_is_request(void **state)
{
    static const struct {
        const char *text;
        bool is;
    } rows[] = {
        {"{\"messages\":[]}", true},
        {"{\"contents\":[],\"model\":\"x\"}", true},
        {"{\"messages\":[],\"choices\":[]}", false},
        {"{\"messages\":[],\"usage\":{\"include\":true}}", true},
        {"{\"messages\":[],\"usage\":{\"prompt_tokens\":1}}", false},
        {"{\"custom_id\":\"1\",\"body\":{}}", true},
        {"{\"body\":{}}", false},
        {"[]", false},
        {"{\"messages\":", false},
        {"", false},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(rows); i++)
        assert_int_equal(cando_is_request(rows[i].text, strlen(rows[i].text)), rows[i].is);
}

/* Whichever allocation fails, the question is answered or refused for want of memory. */
static void test_memory(void **state)
{
    static const cando_cost_question questions[] = {
        {.response = BYTES(REPLY), .provider = "acme"},
        {.response = BYTES("{\"at\":\"2026-01-01\",\"target\":\"acme/one\",\"response\":" REPLY "}"),
         .logged = true},
        {.usage = USAGE, .pricing = BYTES("{\"form\":\"models.dev\",\"input\":3}")},
    };
    (void)state;
    for (size_t i = 0; i < LENGTH(questions); i++) {
        bool done = false;
        for (size_t n = 0; !done; n++) {
            struct failing f = failing_after(n);
            cando_allocator a = {failing_resize, &f};
            cando_error err = {0};
            cando_room *room = cando_room_new(&a, &err);
            if (room)
                done = cando_ask_cost(t.c, &questions[i], room, &err) != NULL;
            assert_true(done ? !f.failed : strcmp(err.code, "memory") == 0);
            cando_room_free(room);
            assert_int_equal(f.live, 0);
        }
    }
}

/* A room that is cleared and used again allocates nothing. */
static void test_steady(void **state)
{
    struct failing f = {0};
    cando_allocator a = {failing_resize, &f};
    cando_room *room = cando_room_new(&a, NULL);
    cando_cost_question q = {.response = BYTES(REPLY), .provider = "acme"};
    size_t calls = 0;
    (void)state;
    for (unsigned i = 0; i < 10; i++) {
        calls = f.calls;
        cando_room_clear(room);
        assert_non_null(cando_ask_cost(t.c, &q, room, NULL));
    }
#ifndef CANDO_DEBUG_ARENA
    assert_int_equal(f.calls, calls);
#endif
    (void)calls;
    cando_room_free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_usage),   cmocka_unit_test(test_usage_refused),
        cmocka_unit_test(test_reply),   cmocka_unit_test(test_logged),
        cmocka_unit_test(test_request), cmocka_unit_test(test_usage_and_pricing),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_is_request),
        cmocka_unit_test(test_memory),  cmocka_unit_test(test_steady),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
