/*
 * test_ask_preflight.c - the question preflight in C: every member, every error, on a small
 * stack, and without memory.
 */
#define _POSIX_C_SOURCE 200809L
#include "test.h"

#include "request/preflight.h"

#include <pthread.h>

static cando *c;
static cando_room *room;
static cando_error err;

static cando_bytes json(const char *text)
{
    return (cando_bytes){text, strlen(text)};
}

#define CHAT "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]"
static const cando_name gpt5 = {"openai/gpt-5", NULL};

static const cando_preflight_answer *ask(cando_preflight_question q)
{
    cando_room_clear(room);
    const cando_preflight_answer *a = cando_ask_preflight(c, &q, room, &err);
    if (!a)
        assert_true(err.code[0] && err.message[0]);
    return a;
}

static void refused(cando_preflight_question q, const char *code, const char *at)
{
    assert_null(ask(q));
    assert_string_equal(err.code, code);
    assert_string_equal(err.at, at);
    cando_room_clear(room);
    assert_null(cando_ask_preflight(c, &q, room, NULL)); /* nobody wants to know why */
}

static void test_verdicts(void **state)
{
    (void)state;
    const cando_preflight_answer *a =
        ask((cando_preflight_question){.request = json(CHAT "}"), .target = &gpt5});
    assert_non_null(a);
    assert_int_equal(a->verdict, CANDO_ACCEPTED);
    assert_string_equal(a->api, "openai-chat");
    assert_true(a->findings && a->n_findings == 0 && a->more == 0 && a->decided == SIZE_MAX);
    assert_true(!a->request.p && !a->changes);
    assert_true(a->tokens && a->tokens->expected && !a->tokens->output.known);

    a = ask(
        (cando_preflight_question){.request = json(CHAT ",\"max_tokens\":50}"), .target = &gpt5});
    assert_int_equal(a->verdict, CANDO_REWRITE);
    assert_int_equal(a->decided, 0);
    const cando_finding *f = a->findings;
    assert_string_equal(f->code, "parameter-renamed");
    assert_string_equal(f->path, "/max_tokens");
    assert_string_equal(f->hint, "rename it to 'max_completion_tokens'");
    assert_int_equal(f->fix, CANDO_FIX_SAFE);
    assert_true(f->rule && f->source && f->message[0]);
    assert_string_equal(a->request.p, CHAT ",\"max_completion_tokens\":50}");
    assert_int_equal(a->n_changes, 1);
    assert_string_equal(a->changes->op, "move");
    assert_string_equal(a->changes->from, "/max_tokens");
    assert_string_equal(a->changes->path, "/max_completion_tokens");
    assert_null(a->changes->value.p);
    assert_int_equal(a->tokens->output.value, 50);

    cando_preflight_question q = {.request = json(CHAT ",\"max_tokens\":50,\"temperature\":0}"),
                                  .target = &gpt5};
    a = ask(q);
    assert_int_equal(a->verdict, CANDO_REJECTED);
    assert_int_equal(a->decided, 1);
    assert_true(!a->request.p && !a->changes && a->n_findings == 2);
    q.fix = true;
    a = ask(q);
    assert_int_equal(a->verdict, CANDO_REWRITE);
    assert_string_equal(a->request.p, CHAT ",\"max_completion_tokens\":50}");
    assert_int_equal(a->n_changes, 2);
}

/* White space around a request is not part of it, and does not count. */
static void test_space(void **state)
{
    (void)state;
    static const char body[] =
        " \n {\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],"
        "\"max_tokens\":50} \n";
    const cando_preflight_answer *a =
        ask((cando_preflight_question){.request = json(body), .target = &gpt5});
    assert_int_equal(a->verdict, CANDO_REWRITE);
    assert_memory_equal(body + 3 + a->findings->at, "50}", 3);
    assert_int_equal(a->findings->end, a->findings->at + 2);
    assert_string_equal(
        a->request.p,
        "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\",\"content\":\"x\"}],"
        "\"max_completion_tokens\":50}");
}

static void test_profiles(void **state)
{
    (void)state;
    static const char body[] = "{\"messages\":[],\"tools\":[{\"name\":\"f\"}],\"response_format\":{"
                               "\"type\":\"json_schema\"}}";
    cando_preflight_question q = {.request = json(body),
                                  .api = "allm",
                                  .profile = json("{\"tool_calling\":\"unsupported\"}")};
    const cando_preflight_answer *a = ask(q);
    assert_int_equal(a->verdict, CANDO_REJECTED);
    assert_string_equal(a->findings->capability, "tool_calling");
    q.profile = json("{\"capabilities\":{\"tools\":{\"enabled\":false}}}");
    q.profile_form = CANDO_FORM_MODEL_REF;
    assert_int_equal(ask(q)->verdict, CANDO_REJECTED);
    q.profile_form = CANDO_FORM_CANDO;
    refused(q, "unknown-field", "/profile/capabilities");
    q.profile = json("null");
    assert_int_equal(ask(q)->verdict, CANDO_ACCEPTED);
    q.adapter = &(cando_adapter){true};
    assert_int_equal(ask(q)->verdict, CANDO_REWRITE);
    q.adapter = &(cando_adapter){false};
    assert_int_equal(ask(q)->verdict, CANDO_ACCEPTED);
}

static void test_only(void **state)
{
    (void)state;
    static const char *const names[] = {"verdict", "tokens", "changes", "verdicts"};
    cando_preflight_question q = {
        .request = json(CHAT ",\"max_tokens\":50}"), .target = &gpt5, .only = names, .n_only = 1};
    const cando_preflight_answer *a = ask(q);
    assert_int_equal(a->verdict, CANDO_REWRITE);
    assert_true(!a->api && !a->findings && !a->n_findings && !a->request.p && !a->changes &&
                !a->tokens);
    q.n_only = 3;
    a = ask(q);
    assert_true(!a->api && !a->findings && !a->request.p && a->n_changes == 1 && a->tokens);
    q.n_only = 4;
    refused(q, "bad-argument", "/only/3");
    assert_string_equal(err.hint, "did you mean 'verdict'?");
}

static void test_refused(void **state)
{
    (void)state;
    refused((cando_preflight_question){0}, "missing-argument", "/request");
    refused((cando_preflight_question){.request = json("[]")}, "bad-argument", "/request");
    refused((cando_preflight_question){.request = json(" 7"), .api = "gemini"}, "bad-argument",
            "/request");
    refused((cando_preflight_question){.request = json("{}")}, "unknown-shape", "/request");
    assert_int_equal(err.status, CANDO_BAD_QUESTION);
    refused((cando_preflight_question){.request = json("")}, "json-syntax", "/request");
    refused((cando_preflight_question){.request = json(""), .api = "no-such"}, "unknown-dialect",
            "/dialect");
    refused((cando_preflight_question){.request = json("{\"a\":1,\n \"b\":tru}")}, "json-syntax",
            "/request");
    ask((cando_preflight_question){.request = json("{\"a\":1,\n \"b\":tru}")});
    assert_int_equal(err.status, CANDO_BAD_INPUT);
    assert_true(err.line == 2 && err.column == 6);
    refused(
        (cando_preflight_question){.request = json("{}"), .target = &(cando_name){"gpt-5", NULL}},
        "unknown-target", "/target");
    assert_true(strstr(err.hint, "gpt-5"));
    refused(
        (cando_preflight_question){.request = json("{}"), .target = &gpt5, .profile = json("{}")},
        "bad-argument", "/profile");
    refused(
        (cando_preflight_question){.request = json("{}"), .profile = json("{\"tool_calling\":7}")},
        "bad-claim", "/profile/tool_calling");
    refused((cando_preflight_question){.request = json("{}"), .profile = json("{")}, "json-syntax",
            "/profile");
}

/* What a request says of itself, sound or not. */
static void test_names(void **state)
{
    (void)state;
    static const struct {
        const char *body, *model;
    } names[] = {
        {CHAT "}", "gpt-5"},
        {" {\"messages\":[{\"model\":\"no\"}],\"a\":{\"model\":\"no\"}, \"model\" : "
         "\"a\\/b\\u00e9\"}",
         "a/b\xc3\xa9"},
        {"{\"model\":7}", ""},
        {"{\"model\":\"", ""},
        {"{\"model\"", ""},
        {"{\"model\":\"x", ""},
        {"{:::", ""},
        {"[\"model\",\"x\"]", ""},
        {"", ""},
        {"{\"a\":[{\"b\":\"model", ""},
    };
    char out[16];
    assert_int_equal(cando_request_model("{\"a\":[\0\0\"x\0\":\0]", 16, out, sizeof out), 0);
    for (size_t i = 0; i < LENGTH(names); i++) {
        size_t n = cando_request_model(names[i].body, strlen(names[i].body), out, sizeof out);
        assert_string_equal(out, names[i].model);
        assert_int_equal(n, strlen(names[i].model));
    }
    assert_int_equal(cando_request_model(names[1].body, strlen(names[1].body), out, 5), 5);
    assert_string_equal(out, "a/b"); /* a character is not cut */
    assert_int_equal(cando_request_model(CHAT "}", strlen(CHAT) + 1, NULL, 0), 5);

    cando_report *work = cando_report_new(NULL, &err);
    assert_int_equal(cando_request_api(c, CHAT "}", strlen(CHAT) + 1, work, out, sizeof out, &err),
                     CANDO_OK);
    assert_string_equal(out, "openai-chat");
    static const char gemini[] = "{\"contents\":[{\"parts\":[{\"text\":\"x\"}]}]}";
    assert_int_equal(cando_request_api(c, gemini, sizeof gemini - 1, work, out, 4, &err), CANDO_OK);
    assert_string_equal(out, "gem");
    assert_int_equal(cando_request_api(c, "{}", 2, work, out, sizeof out, &err), CANDO_BAD_INPUT);
    assert_string_equal(err.code, "unknown-shape");
    assert_int_equal(cando_request_api(c, "{", 1, work, out, sizeof out, &err), CANDO_BAD_INPUT);
    cando_report_free(work);
}

/* -- a thread with 128 KB of stack ------------------------------------------------------------ */

#ifdef CANDO_SANITIZED
#define STACK_BYTES (1024 * 1024) /* what sanitizers put between variables is not ours */
#else
#define STACK_BYTES (128 * 1024)
#endif

static const char *failure; /* cmocka's asserts are for the main thread only */

#define WANT(x) ((x) ? (void)0 : (void)(failure = #x))

static void *in_own_memory(void *arg)
{
    const cando_catalog *cat = cando_catalog_builtin();
    const char *body = arg;
    void *memory = malloc(cando_target_size(cat)), *more = malloc(cando_report_size());
    cando_target *t = cando_target_init(memory, cat, gpt5, 0, NULL);
    cando_report *r = cando_report_init(more);
    size_t n, length;
    WANT(t && cando_preflight(t, NULL, body, strlen(body), true, r, NULL) == CANDO_OK);
    WANT(cando_report_words(r, room, &n, NULL));
    WANT(cando_report_verdict(r) != CANDO_REWRITE || cando_report_rewrite(r, &n, &length, NULL));
    cando_target_release(t); /* does nothing */
    free(more);
    free(memory);
    return NULL;
}

static void *in_a_room(void *arg)
{
    cando_preflight_question q = {.request = json(arg), .target = &gpt5, .fix = true};
    WANT(cando_ask_preflight(c, &q, room, NULL));
    return NULL;
}

static void *in_a_call(void *arg)
{
    char *text = malloc(strlen(arg) + 100);
    sprintf(text, "{\"op\":\"preflight\",\"target\":\"openai/gpt-5\",\"fix\":true,\"request\":%s}",
            (const char *)arg);
    cando_bytes reply;
    WANT(cando_call_in(c, text, strlen(text), room, &reply) == CANDO_OK &&
         strstr(reply.p, "\"ok\":true"));
    free(text);
    return NULL;
}

static void on_a_small_stack(void *(*run)(void *), char *body)
{
    pthread_attr_t small;
    pthread_t thread;
    assert_int_equal(pthread_attr_init(&small), 0);
    assert_int_equal(pthread_attr_setstacksize(&small, STACK_BYTES), 0);
    cando_room_clear(room);
    failure = NULL;
    assert_int_equal(pthread_create(&thread, &small, run, body), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    if (failure)
        fail_msg("%s", failure);
    pthread_attr_destroy(&small);
}

/* Calls to be paired, a picture, schemas in schemas, much to rename. */
static void test_small_stack(void **state)
{
    (void)state;
    struct buf b;
    buf_init(&b, NULL, 1 << 20);
    buf_putz(&b, "{\"model\":\"gpt-5\",\"max_tokens\":5,\"temperature\":9,\"messages\":[{\"role\":"
                 "\"user\",\"content\":[{\"type\":"
                 "\"image_url\",\"image_url\":{\"url\":\"data:image/"
                 "png;base64,iVBORw0KGgoAAAANSUhEUgAABAAAAAMA\"}}]}");
    for (unsigned i = 0; i < 300; i++)
        buf_printf(&b,
                   ",{\"role\":\"assistant\",\"tool_calls\":[{\"id\":\"c%u\",\"type\":\"function\","
                   "\"function\":{\"name\":\"f\","
                   "\"arguments\":\"{}\"}}]},{\"role\":\"tool\",\"tool_call_id\":\"c%u\","
                   "\"content\":\"x\"}",
                   i, i);
    buf_putz(&b, "],\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\",\"strict\":true,"
                 "\"parameters\":");
    for (unsigned i = 0; i < 200; i++)
        buf_putz(&b, "{\"type\":\"object\",\"properties\":{\"a\":");
    buf_putz(&b, "{}");
    for (unsigned i = 0; i < 200; i++)
        buf_putz(&b, "}}");
    buf_putz(&b, "}}],\"metadata\":");
    for (unsigned i = 0; i < 480; i++)
        buf_putc(&b, '[');
    for (unsigned i = 0; i < 480; i++)
        buf_putc(&b, ']');
    buf_putc(&b, '}');
    char *body = buf_cstr(&b);
    assert_non_null(body);
    on_a_small_stack(in_own_memory, body);
    on_a_small_stack(in_a_room, body);
    on_a_small_stack(in_a_call, body);
    buf_free(&b);
}

/* -- memory ------------------------------------------------------------ */

/* Each allocation fails once; the answer is there or it says that there is no memory. */
static void test_memory(void **state)
{
    (void)state;
    cando_preflight_question q = {.request = json(CHAT ",\"max_tokens\":50,\"temperature\":0}"),
                                  .target = &gpt5,
                                  .fix = true};
    for (size_t n = 1;; n++) {
        struct failing f = {.fail_at = n};
        cando_allocator a = {failing_resize, &f};
        cando *own = cando_new(NULL, &a, NULL);
        cando_room *r = own ? cando_room_new(&a, NULL) : NULL;
        const cando_preflight_answer *x = r ? cando_ask_preflight(own, &q, r, &err) : NULL;
        if (r && !x)
            assert_string_equal(err.code, "memory");
        if (x)
            assert_int_equal(x->verdict, CANDO_REWRITE);
        cando_room_free(r);
        cando_free(own);
        assert_int_equal(f.live, 0);
        if (!f.failed)
            break;
    }
}

/* A warm engine and room allocate nothing, whatever is asked. */
static void test_steady(void **state)
{
    (void)state;
    struct failing f = {0};
    cando_allocator a = {failing_resize, &f};
    cando *own = cando_new(NULL, &a, NULL);
    cando_room *r = cando_room_new(&a, NULL);
    cando_preflight_question q = {.request = json(CHAT ",\"max_tokens\":50,\"temperature\":0}"),
                                  .target = &gpt5,
                                  .fix = true};
    size_t before = 0;
    for (unsigned i = 0; i < 8; i++) {
        before = f.calls;
        assert_non_null(cando_ask_preflight(own, &q, r, &err));
        cando_room_clear(r);
    }
#ifndef CANDO_DEBUG_ARENA
    assert_int_equal(f.calls, before);
#else
    (void)before;
#endif
    cando_room_free(r);
    cando_free(own);
    assert_int_equal(f.live, 0);
}

/* -- kept targets ------------------------------------------------------------ */

static void test_kept(void **state)
{
    (void)state;
    cando *own = cando_new(NULL, NULL, NULL);
    const cando_target *a = cando_target_of(own, gpt5, 0, NULL),
                       *b = cando_target_of(own, (cando_name){"gpt-5", "openai"}, 0, NULL);
    assert_ptr_equal(a, b);
    const cando_target *other = cando_target_of(own, gpt5, CANDO_TARGET_FINALIZE, NULL);
    assert_ptr_not_equal(a, other);
    cando_target_release(other);
    cando_target_release(b);
    /* many others: it falls out, and lives on while it is used */
    for (unsigned i = 0; i < 300; i++) {
        char name[32];
        snprintf(name, sizeof name, "p/m%u", i);
        const cando_target *t = cando_target_of(own, (cando_name){name, NULL}, 0, NULL);
        assert_non_null(t);
        cando_target_release(t);
    }
    b = cando_target_of(own, gpt5, 0, NULL);
    assert_ptr_not_equal(a, b);
    cando_target_release(b);
    cando_report *r = cando_report_new(NULL, NULL);
    assert_int_equal(cando_preflight(a, NULL, CHAT "}", strlen(CHAT) + 1, false, r, &err),
                     CANDO_OK);
    /* another catalog, another target */
    b = cando_target_of(own, gpt5, 0, NULL);
    cando_sources *s = cando_sources_new(NULL, NULL);
    const void *bytes;
    size_t len;
    assert_int_equal(cando_sources_add(s, "x", "schema = \"cando/rules@1\"\n", 25,
                                       CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY, NULL),
                     CANDO_OK);
    assert_int_equal(cando_sources_build(s, &bytes, &len, NULL), CANDO_OK);
    const cando_catalog *cat = cando_catalog_open_copy(bytes, len, NULL, NULL);
    cando_set_catalog(own, cat);
    const cando_target *now = cando_target_of(own, gpt5, 0, NULL);
    assert_ptr_not_equal(now, b);
    assert_ptr_equal(now->catalog, cat);
    cando_catalog_release(cat);
    cando_sources_free(s);
    cando_free(own); /* targets outlive their engine */
    assert_int_equal(cando_preflight(now, "openai-chat", "{}", 2, false, r, &err),
                     CANDO_BAD_QUESTION);
    cando_target_release(now);
    assert_int_equal(cando_preflight(b, NULL, CHAT "}", strlen(CHAT) + 1, false, r, &err),
                     CANDO_OK);
    cando_target_release(b);
    cando_target_release(a);
    cando_report_free(r);
    assert_null(cando_target_of(c, (cando_name){"gpt-5", NULL}, 0, &err));
    assert_string_equal(err.code, "unknown-target");
    char longest[1000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_null(cando_target_of(c, (cando_name){longest, "p"}, 0, &err));
    assert_string_equal(err.code, "too-long");
}

int main(void)
{
    cando_set_today("2023-01-01", NULL); /* nothing has ended yet */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_verdicts), cmocka_unit_test(test_space),
        cmocka_unit_test(test_profiles), cmocka_unit_test(test_only),
        cmocka_unit_test(test_refused),  cmocka_unit_test(test_names),
        cmocka_unit_test(test_kept),     cmocka_unit_test(test_small_stack),
        cmocka_unit_test(test_memory),   cmocka_unit_test(test_steady),
    };
    c = cando_new(NULL, NULL, NULL);
    room = cando_room_new(NULL, NULL);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    cando_room_free(room);
    cando_free(c);
    return failed;
}
