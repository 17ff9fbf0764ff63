/*
 * test_threads.c - one engine, many threads.
 *
 * Some threads ask, through cando_call and through cando_resolve, while others
 * put catalogs in force and let go of them. Every answer must be wholly that of
 * one catalog or of the other, and so must the targets that the engine keeps, which some
 * thread uses while they fall out of the cache. Run under TSan, which sees what luck hides.
 */

#include "test.h"

#include "cando.h"

#include <pthread.h>
#include <stdatomic.h>

#define ASKERS 3
#define SWAPPERS 2
#define ROUNDS 300

static const char form[] = "schema = \"cando/rules@1\"\n[[rules]]\nname = \"n%d\"\nproviders = "
                           "\"p\"\nmatch = \"m*\"\non = \"id\"\n"
                           "set = { max_tools = %d, max_output = %d, server_parser = \"t%d\" }\n"
                           "[[models]]\nprovider = \"p\"\nid = \"fact\"\nset = { max_tools = %d, "
                           "max_output = %d, server_parser = \"t%d\" }\n";

static const char requests[] =
    "schema = \"cando/requests@1\"\ndialect = \"openai-chat\"\n[[rules]]\nname = \"t%d\"\nkind = "
    "\"note\"\nwhen = \"a\"\n"
    "message = \"%d\"\nsource = \"s\"\n";

static const cando_catalog *catalog(int n)
{
    char text[1024], more[512];
    const void *bytes;
    size_t len;
    snprintf(text, sizeof text, form, n, n, n, n, n, n, n);
    snprintf(more, sizeof more, requests, n, n);
    cando_sources *s = cando_sources_new(NULL, NULL);
    if (!s ||
        cando_sources_add(s, "x.toml", text, strlen(text), CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY,
                          NULL) != CANDO_OK ||
        cando_sources_add(s, "y.toml", more, strlen(more), CANDO_SYNTAX_CANDO, CANDO_LAYER_FAMILY,
                          NULL) != CANDO_OK ||
        cando_sources_build(s, &bytes, &len, NULL) != CANDO_OK)
        return NULL;
    const cando_catalog *c = cando_catalog_open_copy(bytes, len, NULL, NULL);
    cando_sources_free(s);
    return c;
}

static cando *engine;
static cando_field tools, output, parser;
static atomic_int wrong; /* cmocka's asserts are for the main thread only */

/* All three fields must come from one catalog. */
static void ask_profile(const char *id)
{
    const cando_catalog *c = cando_get_catalog(engine);
    cando_profile p;
    char text[16];
    if (cando_resolve_parts(c, "p", 1, id, strlen(id), CANDO_AS_WRITTEN, &p, NULL) != CANDO_OK) {
        wrong++;
    } else {
        cando_value a = cando_profile_get(&p, tools), b = cando_profile_get(&p, output),
                    t = cando_profile_get(&p, parser);
        snprintf(text, sizeof text, "t%d", (int)a.number);
        if (!a.known || a.number != b.number || !t.known || strcmp(t.text, text) != 0)
            wrong++;
    }
    cando_catalog_release(c);
}

static long number_after(const char *reply, const char *key)
{
    const char *at = strstr(reply, key);
    return at ? strtol(at + strlen(key), NULL, 10) : -1;
}

static void ask_call(const char *request)
{
    char *reply;
    size_t len;
    if (cando_call(engine, request, strlen(request), &reply, &len) != CANDO_OK) {
        wrong++;
        return;
    }
    long n = number_after(reply, "\"max_tools\":");
    if (n < 1 || n != number_after(reply, "\"max_output\":") ||
        n != number_after(reply, "\"server_parser\":\"t"))
        wrong++;
    cando_free_text(engine, reply, len);
}

static void check_finding(const cando_finding *f)
{
    char text[16];
    snprintf(text, sizeof text, "t%s", f->message);
    if (!f->rule || strcmp(f->rule, text) != 0)
        wrong++;
}

/* Through the engine's targets: now and then one that nobody has asked for. */
static void ask_target(int i, cando_report *r, cando_room *room)
{
    static const char body[] = "{\"a\":1}";
    char model[16];
    snprintf(model, sizeof model, "m%d", i % 7 ? i % 5 : i);
    cando_name name = {model, "p"};
    const cando_target *t = cando_target_of(engine, name, i % 3 ? 0 : CANDO_TARGET_FINALIZE, NULL);
    if (!t ||
        cando_preflight(t, "openai-chat", body, sizeof body - 1, false, r, NULL) != CANDO_OK ||
        cando_report_findings(r, NULL) != 2) {
        wrong++;
    } else {
        cando_finding f = cando_report_finding(r, 1);
        check_finding(&f);
    }
    cando_target_release(t);
    cando_preflight_question q = {
        .request = {body, sizeof body - 1}, .api = "openai-chat", .target = &name};
    const cando_preflight_answer *a = cando_ask_preflight(engine, &q, room, NULL);
    if (!a || a->n_findings != 2) /* the first: nobody knows the model */
        wrong++;
    else
        check_finding(&a->findings[1]);
    cando_room_clear(room);
}

static void *target_asker(void *arg)
{
    (void)arg;
    cando_report *r = cando_report_new(NULL, NULL);
    cando_room *room = cando_room_new(NULL, NULL);
    for (int i = 0; r && room && i < 10 * ROUNDS; i++)
        ask_target(i, r, room);
    cando_room_free(room);
    cando_report_free(r);
    return NULL;
}

static void *asker(void *arg)
{
    (void)arg;
    for (int i = 0; i < ROUNDS; i++) {
        ask_profile("fact");
        ask_profile("m1");
        ask_call("{\"op\":\"resolve\",\"target\":\"p/mx\",\"why\":\"all\"}");
        ask_call("{\"op\":\"resolve\",\"target\":\"p/fact\",\"overlay\":{\"text\":\"schema = "
                 "\\\"cando/rules@1\\\"\"}}");
        cando_catalog_release(cando_catalog_retain(cando_catalog_builtin()));
    }
    return NULL;
}

/* The engine's reference is the only one that is left after the release. */
static void *swapper(void *arg)
{
    int first = *(const int *)arg;
    for (int i = 0; i < ROUNDS; i++) {
        const cando_catalog *c = catalog(first + i % 50);
        if (!c)
            wrong++;
        else
            cando_set_catalog(engine, c);
        cando_catalog_release(c);
    }
    return NULL;
}

static void test_swaps(void **state)
{
    (void)state;
    static const int first[SWAPPERS] = {100, 500};
    pthread_t thread[2 * ASKERS + SWAPPERS];
    tools = cando_field_find("max_tools");
    output = cando_field_find("max_output");
    parser = cando_field_find("server_parser");
    const cando_catalog *c = catalog(1);
    assert_non_null(c);
    engine = cando_new(c, NULL, NULL);
    cando_catalog_release(c);
    assert_non_null(engine);
    for (int i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, asker, NULL), 0);
    for (int i = 0; i < ASKERS; i++)
        assert_int_equal(pthread_create(&thread[ASKERS + i], NULL, target_asker, NULL), 0);
    for (int i = 0; i < SWAPPERS; i++)
        assert_int_equal(pthread_create(&thread[2 * ASKERS + i], NULL, swapper, (void *)&first[i]),
                         0);
    for (int i = 0; i < 2 * ASKERS + SWAPPERS; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    assert_int_equal(atomic_load(&wrong), 0);
    cando_free(engine);
}

/* Whoever asks first opens the built-in catalog; all get the same. */
static void *take_builtin(void *arg)
{
    *(const cando_catalog **)arg = cando_catalog_builtin();
    return NULL;
}

static void test_builtin(void **state)
{
    (void)state;
    pthread_t thread[8];
    const cando_catalog *got[8] = {0};
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, take_builtin, &got[i]), 0);
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_join(thread[i], NULL), 0);
    for (int i = 0; i < 8; i++)
        assert_ptr_equal(got[i], cando_catalog_builtin());
}

/* The tables of an API are made by whoever asks first: several do at once, of two APIs. Each must
 * find what is wrong by then. */
static const cando_target *fresh;

static void *first_asker(void *arg)
{
    static const char chat[] = "{\"model\":\"gpt-5\",\"messages\":[{\"role\":\"user\","
                               "\"content\":\"x\"}],\"temperature\":0.5}";
    static const char responses[] =
        "{\"model\":\"gpt-5\",\"input\":\"x\",\"temperature\":0.5}";
    bool second = *(int *)arg % 2;
    cando_report *r = cando_report_new(NULL, NULL);
    const char *text = second ? responses : chat;
    if (!r ||
        cando_preflight(fresh, second ? "openai-responses" : "openai-chat", text, strlen(text),
                        false, r, NULL) != CANDO_OK ||
        cando_report_findings(r, NULL) != 1)
        wrong++;
    cando_report_free(r);
    return NULL;
}

static void test_first_requests(void **state)
{
    (void)state;
    int number[4] = {0, 1, 2, 3};
    wrong = 0;
    for (unsigned round = 0; round < 50; round++) {
        pthread_t thread[4];
        fresh = cando_target_new(cando_catalog_builtin(), (cando_name){"openai/gpt-5", NULL}, 0,
                                 NULL, NULL);
        assert_non_null(fresh);
        for (unsigned i = 0; i < 4; i++)
            assert_int_equal(pthread_create(&thread[i], NULL, first_asker, &number[i]), 0);
        for (unsigned i = 0; i < 4; i++)
            pthread_join(thread[i], NULL);
        cando_target_release(fresh);
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    cando_set_today("2023-01-01", NULL); /* nothing has ended yet */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_builtin),
        cmocka_unit_test(test_first_requests),
        cmocka_unit_test(test_swaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
