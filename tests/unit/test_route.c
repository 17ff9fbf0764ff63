/*
 * test_route.c - whom a request goes to, and how it is refused there: the typed functions, on any
 * bytes, and without memory. tests/cases/guard.jsonl has the addresses.
 */
#include "test.h"

#include "request/preflight.h"

static const cando_catalog *cat;
static cando_error err;

static const char chat[] = "https://api.openai.com/v1/chat/completions";
static const char body[] = "{\"model\":\"gpt-5.6-sol\",\"stream\":true,\"max_tokens\":5,"
                           "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}";

static const char *find(const char *url, const char *provider, const char *text, cando_route *out)
{
    return cando_route_find(cat, url, strlen(url), provider, text, text ? strlen(text) : 0, out);
}

static void test_route(void **state)
{
    (void)state;
    cando_route r;
    assert_null(find(chat, NULL, body, &r));
    assert_string_equal(r.provider, "openai");
    assert_string_equal(r.api, "openai-chat");
    assert_string_equal(r.model, "gpt-5.6-sol");
    assert_true(r.stream && r.judged);
    assert_null(find(chat, NULL, NULL, &r)); /* the body is not at hand */
    assert_true(!r.stream && r.model[0] == '\0');
    const char *nobody = find("https://example.com/", NULL, body, &r);
    assert_non_null(nobody);
    assert_string_equal(find("https://api.clarifai.com/v2/ext", NULL, body, &r), nobody);
    assert_string_not_equal(find("https://api.clarifai.com/v2/ext/openai", NULL, body, &r), nobody);
    assert_null(find("https://me.example/x/v1/chat/completions", "gpt", body, &r));
    assert_string_equal(r.provider, "openai");
    assert_null(find("https://me.example/v1/chat/completions", "acme", body, &r));
    assert_string_equal(r.provider, "acme");
    assert_null(find("https://api.cohere.com/v2/chat", NULL, body, &r));
    assert_false(r.judged);
}

static void test_nul(void **state)
{
    (void)state;
    cando_route r;
    static const char url[] = "https://api.openai.com/v1/chat/completions\0x";
    assert_non_null(cando_route_find(cat, url, sizeof url - 1, NULL, body, sizeof body - 1, &r));
    assert_non_null(cando_route_find(cat, "", 0, NULL, NULL, 0, &r));
}

/* An address may be as long as the limit says, and no byte longer. */
static void test_longest(void **state)
{
    (void)state;
    cando_route r;
    static char url[LIMIT_URL_BYTES + 2];
    memset(url, 'x', sizeof url - 1);
    memcpy(url, chat, sizeof chat - 1);
    url[sizeof chat - 1] = '?';
    assert_non_null(cando_route_find(cat, url, LIMIT_URL_BYTES + 1, NULL, NULL, 0, &r));
    assert_null(cando_route_find(cat, url, LIMIT_URL_BYTES, NULL, NULL, 0, &r));
    assert_string_equal(r.provider, "openai");
}

/* Broken bodies tell what they can, and nobody reads behind them. */
static void test_bodies(void **state)
{
    (void)state;
    cando_route r;
    for (size_t n = 0; n < sizeof body; n++) {
        char *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, body, n);
        assert_null(cando_route_find(cat, chat, strlen(chat), NULL, copy, n, &r));
        free(copy);
    }
    static const char *const broken[] = {"",
                                         "{",
                                         "{\"model\"",
                                         "{\"model\":",
                                         "{\"model\":\"",
                                         "{\"stream\":",
                                         "[]",
                                         "{,}",
                                         "{\"model\":\"\\u",
                                         "{\"a\":{\"model\":\"x\"}"};
    for (size_t i = 0; i < sizeof broken / sizeof *broken; i++) {
        assert_null(find(chat, NULL, broken[i], &r));
        assert_true(r.model[0] == '\0' || i == 4 || i == 8);
    }
}

/* Who goes from mark to mark finds what who goes from byte to byte does, with what is kept of the
 * address before and without. */
static void test_marked(void **state)
{
    (void)state;
    static const char *const bodies[] = {
        "{\"model\":\"a\"}",
        " {\n\"x\":[{\"model\":\"no\",\"stream\":true}], \"model\" : \"b\\u0063\" } \n",
        "{\"stream\":false,\"model\":\"a\",\"stream\":true,\"model\":\"b\"}",
        "{\"stream\":true,\"y\":{\"stream\":false},\"stream\":null}",
        "{\"models\":\"a\",\"\\u006dodel\":\"b\",\"z\":\"\\\"model\\\":\"}",
        "{\"model\":{\"model\":\"a\"},\"streams\":[],\"a\":[[]],\"b\":1e3,\"stream\":true}",
        "{}",
        "[\"model\",\"a\"]",
        "\"model\"",
    };
    static const char *const urls[] = {
        chat, chat, "https://api.openai.com/v1/responses",
        "https://generativelanguage.googleapis.com/v1beta/models/m-1:generateContent", chat};
    struct route_kept *k = calloc(1, route_kept_size());
    cando_report *report = cando_report_new(NULL, &err);
    assert_true(k && report);
    for (size_t u = 0; u < sizeof urls / sizeof *urls; u++)
        for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
            cando_route a, b;
            const char *provider = i % 3 ? NULL : i % 2 ? "mistral" : "openai";
            const char *no = find(urls[u], provider, bodies[i], &b);
            assert_ptr_equal(
                route_find(k, cat, str_of(urls[u]), provider, str_of(bodies[i]), report, &a), no);
            assert_string_equal(a.model, b.model);
            assert_string_equal(a.api, b.api);
            assert_string_equal(a.provider, b.provider);
            assert_int_equal(a.stream, b.stream);
        }
    for (size_t n = 0; n < sizeof body; n++) { /* cut off anywhere: nothing behind it is read */
        cando_route a;
        char *copy = malloc(n ? n : 1);
        assert_non_null(copy);
        memcpy(copy, body, n);
        assert_null(route_find(k, cat, str_of(chat), NULL, str_make(copy, n), report, &a));
        free(copy);
    }
    free(k);
    cando_report_free(report);
}

/* Other bytes at the same place are another request, whatever came of the first. */
static void test_same_place(void **state)
{
    (void)state;
    char text[sizeof body];
    cando *c = cando_new(NULL, NULL, &err);
    cando_room *room = cando_room_new(NULL, &err);
    const cando_name target = {"openai/gpt-5.6-sol", NULL};
    assert_true(c && room);
    memcpy(text, body, sizeof body);
    cando_guard_question q = {.request = {text, sizeof text - 1}, .url = chat, .at = "no day"};
    assert_null(cando_ask_guard(c, &q, room, &err)); /* before it is judged */
    memset(text, ' ', sizeof text - 1);
    memcpy(text, "{\"model\":7", 10);
    text[sizeof text - 2] = '}';
    cando_preflight_question p = {.request = q.request, .target = &target, .api = "openai-chat"};
    const cando_preflight_answer *a = cando_ask_preflight(c, &p, room, &err);
    assert_true(a && a->verdict == CANDO_REJECTED);
    text[sizeof text - 2] = ']';
    assert_null(cando_ask_preflight(c, &p, room, &err)); /* no JSON any more */
    cando_room_free(room);
    cando_free(c);
}

/* Any change of a byte of an address gives an answer. */
static void test_any_address(void **state)
{
    (void)state;
    static const char *const urls[] = {
        chat,
        "http://[::1]:11434/api/chat",
        "https://u:p@res.openai.azure.com:443/openai/deployments/a%20b/chat/completions?x=y#z",
        "https://bedrock-runtime.eu-west-1.amazonaws.com/model/arn%3Aaws%3Abedrock%3Aeu-west-1%3A1"
        "%3Ainference-profile%2Feu.anthropic.claude/converse",
    };
    static const char marks[] = "/\\:@?#%.[]*\0 \n\x7f\xff\xc3{}$~0fZ";
    cando_route r;
    for (size_t u = 0; u < sizeof urls / sizeof *urls; u++) {
        size_t n = strlen(urls[u]);
        char *copy = malloc(n);
        assert_non_null(copy);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < sizeof marks; k++) {
                memcpy(copy, urls[u], n);
                copy[i] = marks[k];
                cando_route_find(cat, copy, n, NULL, body, sizeof body - 1, &r);
                cando_route_find(cat, copy, i, NULL, body, sizeof body - 1, &r);
                cando_route_find(cat, copy, n, "azure", NULL, 0, &r);
            }
        free(copy);
    }
}

static void judge(cando_report *report, const cando_target *t, const char *api, const char *text)
{
    assert_int_equal(cando_preflight(t, api, text, strlen(text), false, report, &err), CANDO_OK);
}

static void test_refusal(void **state)
{
    (void)state;
    char out[CANDO_REFUSAL_ROOM];
    cando_report *report = cando_report_new(NULL, &err);
    const cando_name name = {"openai/gpt-5.6-sol", NULL};
    const cando_target *t = cando_target_new(cat, name, 0, NULL, &err);
    assert_true(report && t);
    judge(report, t, "openai-chat", body);
    cando_refusal r = cando_report_refusal(report, out, sizeof out);
    static const char want[] =
        "{\"error\":{\"message\":\"the model takes max_completion_tokens in place of max_tokens; "
        "rename it to 'max_completion_tokens'\",\"type\":\"invalid_request_error\","
        "\"param\":\"max_tokens\",\"code\":\"unsupported_parameter\"}}";
    assert_int_equal(r.status, 400);
    assert_null(r.header);
    assert_int_equal(r.length, sizeof want - 1);
    assert_memory_equal(out, want, r.length);
    judge(report, t, "openai-chat",
          "{\"model\":\"gpt-5.6-sol\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}");
    assert_int_equal(cando_report_refusal(report, out, sizeof out).status, 0);
    judge(report, t, "openai-embeddings", "{\"model\":\"gpt-5.6-sol\",\"input\":1}");
    r = cando_report_refusal(report, out, sizeof out);
    assert_int_equal(r.status, 400);
    assert_memory_equal(out, want, sizeof "{\"error\":{\"message\":" - 1);
    cando_target_release(t);
    cando_report_free(report);
}

/* The question in C: what only a caller without JSON can do. */
static void test_ask(void **state)
{
    (void)state;
    cando *c = cando_new(NULL, NULL, &err);
    cando_room *room = cando_room_new(NULL, &err);
    assert_true(c && room);
    cando_guard_question q = {.request = {body, sizeof body - 1}, .mode = CANDO_GUARD_REPAIR};
    assert_null(cando_ask_guard(c, &q, room, NULL)); /* nobody wants to know why */
    assert_null(cando_ask_guard(c, &q, room, &err));
    assert_string_equal(err.at, "/url");
    q.url = chat;
    const cando_guard_answer *a = cando_ask_guard(c, &q, room, NULL);
    assert_true(a && a->known && a->stream && a->action == CANDO_GUARD_SEND && !a->reply);
    assert_true(a->judged && a->judged->request.p && a->judged->n_changes == 1);
    q.request = (cando_bytes){NULL, 0};
    a = cando_ask_guard(c, &q, room, &err);
    assert_true(a && a->known && !a->judged && a->reason && a->action == CANDO_GUARD_PASS);
    q.request = (cando_bytes){"{\"model\":", 9};
    assert_null(cando_ask_guard(c, &q, room, &err)); /* no JSON */
    assert_string_equal(err.at, "/request");
    cando_room_free(room);
    cando_free(c);
}

/* A name that is longer than all room: the place is left out, and the body is whole. */
static void test_long_place(void **state)
{
    (void)state;
    enum { NAME = 20000 };
    char *text = malloc(NAME + 200), out[CANDO_REFUSAL_ROOM];
    cando_report *report = cando_report_new(NULL, &err);
    const cando_target *t =
        cando_target_new(cat, (cando_name){"openai/gpt-5.6-sol", NULL}, 0, NULL, &err);
    assert_true(text && report && t);
    size_t n = (size_t)sprintf(
        text, "{\"model\":\"m\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"");
    memset(text + n, 'x', NAME);
    strcpy(text + n + NAME, "\":1}");
    judge(report, t, "openai-chat", text);
    cando_refusal r = cando_report_refusal(report, out, sizeof out);
    assert_int_equal(r.status, 400);
    assert_true(r.length > 50 && r.length < sizeof out);
    assert_memory_equal(out, "{\"error\":{\"message\":", 20);
    assert_memory_equal(out + r.length - 2, "}}", 2);
    assert_true(cando_report_refusal(report, out, 10).length <= 10);
    cando_target_release(t);
    cando_report_free(report);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_route),      cmocka_unit_test(test_nul),
        cmocka_unit_test(test_longest),
        cmocka_unit_test(test_bodies),     cmocka_unit_test(test_any_address),
        cmocka_unit_test(test_refusal),    cmocka_unit_test(test_long_place),
        cmocka_unit_test(test_ask),        cmocka_unit_test(test_marked),
        cmocka_unit_test(test_same_place),
    };
    cat = cando_catalog_builtin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
