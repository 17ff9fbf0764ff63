/*
 * test_op.c - operations from the outside: the envelope, every argument error
 * with its place, and the shape of results.
 */
#define _POSIX_C_SOURCE 200809L
#include "catalog_case.h"

#include "base/limits.h"
#include "text/json.h"

#include <unistd.h>

static const cando_catalog *catalog;
static cando *engine;

static int setup(void **state)
{
    (void)state;
    catalog = case_catalog(
        "[defaults]\nstreaming = \"native\"\n[[providers]]\nid = \"p\"\naliases = [\"pa\"]\n"
        "[[labs]]\nid = \"meta\"\nfamilies = [\"llama\"]\nmodels = [\"llama-3.3-70b\"]\n"
        "[[rules]]\nname = \"old\"\nmatch = \"m*\"\nset = { max_tools = 1, tool_calling = \"native\" }\n"
        "[[rules]]\nname = \"new\"\nproviders = \"p\"\nmatch = \"model*\"\nset = { max_tools = 2, web_fetch = { restricted = \"why\" } }\n"
        "[[rules]]\nname = \"near\"\nmatch = \"model-1\"\nversion_min = [9, 0]\nset = { max_tools = 3 }\n"
        "[[models]]\nprovider = \"p\"\nid = \"llama-3.3-70b\"\nset = { context_window = 7 }\n");
    engine = cando_new(catalog, NULL, NULL);
    return engine ? 0 : -1;
}

static int teardown(void **state)
{
    (void)state;
    cando_free(engine);
    cando_catalog_release(catalog);
    arena_free(&arena);
    return 0;
}

static int fresh(void **state)
{
    (void)state;
    arena_free(&arena);
    arena_init(&arena, NULL);
    return 0;
}

static const struct json *ask_bytes(const char *request, size_t n)
{
    char *reply;
    size_t len;
    struct json_error err;
    assert_int_equal(cando_call(engine, request, n, &reply, &len), CANDO_OK);
    assert_int_equal(strlen(reply), len);
    struct str own = str_dup(&arena, str_make(reply, len));
    cando_free_text(engine, reply, len);
    const struct json *v = json_parse(&arena, own, &err);
    if (!v)
        fail_msg("the reply is not JSON: %s", own.p);
    return v;
}

static const struct json *ask(const char *request)
{
    return ask_bytes(request, strlen(request));
}

/* The text of a value in a reply; NULL if it is not there. */
static const char *text_at(const struct json *reply, const char *pointer)
{
    const struct json *v = json_pointer(reply, str_of(pointer));
    if (!v)
        return NULL;
    return v->kind == JSON_NULL ? "null" : v->kind == JSON_TRUE ? "true" : v->kind == JSON_FALSE ? "false" : v->text.p ? str_dup(&arena, v->text).p : "";
}

static const struct json *assert_error(const char *request, const char *code, const char *at)
{
    const struct json *r = ask(request);
    if (strcmp(text_at(r, "/ok"), "false") != 0)
        fail_msg("taken: %s", request);
    assert_null(json_get(r, "result"));
    if (strcmp(text_at(r, "/error/code"), code) != 0)
        fail_msg("%s: %s instead of %s (%s)", request, text_at(r, "/error/code"), code, text_at(r, "/error/message"));
    assert_true(text_at(r, "/error/message")[0]);
    if (at)
        assert_string_equal(text_at(r, "/error/at"), at);
    else
        assert_null(json_pointer(r, STR("/error/at")));
    return r;
}

static const struct json *assert_good(const char *request)
{
    const struct json *r = ask(request);
    if (strcmp(text_at(r, "/ok"), "true") != 0)
        fail_msg("%s: %s", request, text_at(r, "/error/message"));
    assert_null(json_get(r, "error"));
    return r;
}

static void test_envelope(void **state)
{
    (void)state;
    assert_error("", "json-syntax", NULL);
    assert_error("{\"op\":", "json-syntax", NULL);
    assert_error("{\"op\":\"explain\",\"op\":\"explain\"}", "json-duplicate-key", NULL);
    assert_error("{\"op\":\"explain\"} x", "json-syntax", NULL);
    assert_error("[]", "bad-argument", NULL);
    assert_error("null", "bad-argument", NULL);
    assert_error("{}", "missing-argument", "/op");
    assert_error("{\"op\":null}", "bad-argument", "/op");
    const struct json *r = assert_error("{\"op\":\"resolv\"}", "unknown-op", "/op");
    assert_non_null(strstr(text_at(r, "/error/hint"), "resolve"));
    r = assert_error("{\"op\":\"qqqqqqqqqqqqqqqqqqqqqqqq\"}", "unknown-op", "/op");
    assert_true(text_at(r, "/error/hint")[0]);
    r = assert_error("{\"op\":\"explain\",\"code\":\"io\",\"cod\":1}", "unknown-argument", "/cod");
    assert_non_null(strstr(text_at(r, "/error/hint"), "code"));
    assert_error("{\"op\":\"explain\",\"code\":\"io\",\"a~/b\":1}", "unknown-argument", "/a~0~1b");
    assert_error("{\"op\":\"explain\"}", "missing-argument", "/code");
    const struct json *bytes = ask_bytes("{\"op\":\"explain\"\0}", 17);
    assert_string_equal(text_at(bytes, "/error/code"), "json-syntax");
}

/* The id comes back as it was, whatever it is. */
static void test_id(void **state)
{
    (void)state;
    static const char *const values[] = {"null", "true", "0", "-1.50e3", "\"x\\u00e9\\n\"", "[1,{\"a\":[]}]", "{\"b\":1,\"a\":2}"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        for (int good = 0; good < 2; good++) {
            struct str q = str_printf(&arena, "{\"id\":%s,\"op\":\"explain\",\"code\":\"%s\"}", values[i], good ? "io" : "qq");
            const struct json *r = ask(q.p);
            struct json_error err;
            const struct json *want = json_parse(&arena, str_of(values[i]), &err);
            assert_true(json_equal(json_get(r, "id"), want));
            assert_string_equal(text_at(r, "/ok"), good ? "true" : "false");
        }
    }
    assert_int_equal(json_get(assert_good("{\"op\":\"explain\",\"code\":\"io\"}"), "id")->kind, JSON_NULL);
    assert_int_equal(json_get(ask("{"), "id")->kind, JSON_NULL);
}

static void test_resolve_arguments(void **state)
{
    (void)state;
    assert_error("{\"op\":\"resolve\"}", "missing-argument", "/target");
    assert_error("{\"op\":\"resolve\",\"target\":7}", "bad-argument", "/target");
    assert_error("{\"op\":\"resolve\",\"target\":\"\"}", "unknown-target", "/target");
    assert_error("{\"op\":\"resolve\",\"target\":\"model\"}", "unknown-target", "/target");
    assert_error("{\"op\":\"resolve\",\"target\":\"/model\"}", "unknown-target", "/target");
    assert_error("{\"op\":\"resolve\",\"target\":{\"provider\":\"p\"}}", "missing-argument", "/target/model");
    assert_error("{\"op\":\"resolve\",\"target\":{\"model\":\"m\"}}", "missing-argument", "/target/provider");
    assert_error("{\"op\":\"resolve\",\"target\":{\"provider\":\"p\",\"model\":null}}", "bad-argument", "/target/model");
    assert_error("{\"op\":\"resolve\",\"target\":{\"provider\":\"p\",\"model\":\"m\",\"x\":1}}", "unknown-argument", "/target/x");
    assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"view\":\"Nika\"}", "bad-argument", "/view");
    assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"view\":[]}", "bad-argument", "/view");
    const struct json *r = assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"resolution\":\"x\"}", "bad-argument", "/resolution");
    assert_non_null(strstr(text_at(r, "/error/hint"), "'first-match'"));
    assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"why\":\"some\"}", "bad-argument", "/why");
    assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"rules\":\"x\"}", "bad-argument", "/rules");
    assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"rules\":{\"dialect\":\"nika\"}}", "missing-argument", "/rules/text");
    assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"rules\":[{\"text\":\"\",\"dialect\":\"x\"}]}", "bad-argument", "/rules/0/dialect");
    assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"overlay\":[{\"text\":\"schema = \\\"cando/rules@1\\\"\"},{\"text\":1}]}", "bad-argument", "/overlay/1/text");
    assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"overlay\":{\"text\":\"\",\"why\":\"\"}}", "unknown-argument", "/overlay/why");
    r = assert_error("{\"op\":\"resolve\",\"target\":\"p/m\",\"overlay\":{\"text\":\"a = \",\"name\":\"mine\"}}", "toml-syntax", "/overlay");
    assert_non_null(strstr(text_at(r, "/error/message"), "mine:1:"));
    char longer[LIMIT_NAME_BYTES + 64];
    memset(longer, 'x', sizeof longer);
    memcpy(longer, "{\"op\":\"resolve\",\"target\":\"p/", 28);
    strcpy(longer + sizeof longer - 3, "\"}");
    assert_error(longer, "too-long", "/target");
}

static void test_resolve(void **state)
{
    (void)state;
    const struct json *r = assert_good("{\"op\":\"resolve\",\"target\":\"pa/model-1\",\"why\":\"all\"}");
    assert_string_equal(text_at(r, "/result/provider"), "p"); /* the id behind the alias */
    assert_string_equal(text_at(r, "/result/model"), "model-1");
    assert_string_equal(text_at(r, "/result/identity"), "family");
    assert_string_equal(text_at(r, "/result/fields/max_tools"), "2");
    assert_string_equal(text_at(r, "/result/fields/web_fetch/restricted/reason"), "why");
    assert_string_equal(text_at(r, "/result/fields/context_window"), "null"); /* main fields are always there */
    assert_null(text_at(r, "/result/fields/server_parser"));
    assert_string_equal(text_at(r, "/result/why/max_tools/rule"), "new");
    assert_string_equal(text_at(r, "/result/why/max_tools/from"), "rule");
    assert_string_equal(text_at(r, "/result/why/max_tools/overrode/0/rule"), "old");
    assert_string_equal(text_at(r, "/result/why/max_tools/overrode/0/value"), "1");
    assert_string_equal(text_at(r, "/result/why/max_tools/near_misses/0/rule"), "near");
    assert_string_equal(text_at(r, "/result/near_misses/0/rule"), "near");
    assert_string_equal(text_at(r, "/result/why/streaming/from"), "default");
    r = assert_good("{\"op\":\"resolve\",\"target\":\"p/llama-3.3-70b:free\"}");
    assert_string_equal(text_at(r, "/result/identity"), "alias");
    assert_string_equal(text_at(r, "/result/canonical"), "llama-3.3-70b");
    assert_null(text_at(r, "/result/why"));
    r = assert_good("{\"op\":\"resolve\",\"target\":\"p/llama-3.3-70b\",\"resolution\":\"layered\"}");
    assert_string_equal(text_at(r, "/result/identity"), "exact");
    r = assert_good("{\"op\":\"resolve\",\"target\":{\"provider\":\"Zz\",\"model\":\"\"}}");
    assert_string_equal(text_at(r, "/result/provider"), "Zz");
    assert_string_equal(text_at(r, "/result/identity"), "default");
}

static void test_resolve_rules(void **state)
{
    (void)state;
    const struct json *r = assert_good("{\"op\":\"resolve\",\"target\":\"p/model\",\"why\":true,"
                                       "\"overlay\":{\"text\":\"schema = \\\"cando/rules@1\\\"\\n[[rules]]\\nmatch = \\\"*\\\"\\nset = { max_tools = 9 }\"}}");
    assert_string_equal(text_at(r, "/result/fields/max_tools"), "9");
    assert_string_equal(text_at(r, "/result/why/max_tools/from"), "overlay");
    assert_string_equal(text_at(r, "/result/fields/tool_calling"), "native"); /* from below */
    r = assert_good("{\"op\":\"resolve\",\"target\":\"p/model\",\"view\":\"harn\","
                    "\"rules\":{\"dialect\":\"harn\",\"text\":\"[[provider.p]]\\nmodel_match = \\\"*\\\"\\nmax_tools = 4\"}}");
    assert_string_equal(text_at(r, "/result/fields/max_tools"), "4");
    assert_string_equal(text_at(r, "/result/fields/native_tools"), "false"); /* rules stand in for the catalog */
    assert_string_equal(text_at(r, "/result/fields/message_wire_format"), "openai");
    r = assert_good("{\"op\":\"resolve\",\"target\":\"p/model\",\"rules\":[]}");
    assert_string_equal(text_at(r, "/result/identity"), "default");
    r = assert_good("{\"op\":\"resolve\",\"target\":\"p/model\",\"view\":\"nika\"}");
    assert_string_equal(text_at(r, "/result/fields/tool_calling"), "true");
    assert_string_equal(text_at(r, "/result/fields/json_mode"), "null");
}

static size_t allocated;

static void *counting(void *ctx, void *p, size_t old, size_t new)
{
    (void)ctx;
    (void)old;
    if (!new) {
        free(p);
        return NULL;
    }
    allocated += new;
    return realloc(p, new);
}

/* A question whose overlay says how many tools there may be; what the answer says of them. */
static int tools_by_overlay(const cando *c, int tools, const char *name)
{
    static char question[20480];
    char *reply;
    size_t len;
    struct json_error err;
    snprintf(question, sizeof question,
             "{\"op\":\"resolve\",\"target\":\"p/model\",\"overlay\":{\"name\":\"of\",\"text\":"
             "\"schema = \\\"cando/rules@1\\\" # %s\\n[[rules]]\\nmatch = \\\"*\\\"\\n"
             "set = { max_tools = %d }\"}}",
             name, tools);
    assert_int_equal(cando_call(c, question, strlen(question), &reply, &len), CANDO_OK);
    struct str own = str_dup(&arena, str_make(reply, len));
    cando_free_text(c, reply, len);
    const char *said = text_at(json_parse(&arena, own, &err), "/result/fields/max_tools");
    assert_non_null(said);
    return atoi(said);
}

/* Rules that come with a question are compiled once while the catalog stays, and never mixed. */
static void test_rules_are_kept(void **state)
{
    (void)state;
    const cando_allocator a = {.resize = counting};
    cando *own = cando_new(catalog, &a, NULL);
    assert_int_equal(tools_by_overlay(own, 9, "a"), 9);
    size_t first = allocated;
    assert_int_equal(tools_by_overlay(own, 9, "a"), 9);
    assert_true(allocated - first < first / 10);
    static char lots[16384]; /* of comments: a file of some length is kept as well */
    memset(lots, 'a', sizeof lots - 1);
    size_t start = allocated;
    assert_int_equal(tools_by_overlay(own, 9, lots), 9);
    size_t compiled = allocated - start;
    start = allocated;
    assert_int_equal(tools_by_overlay(own, 9, lots), 9);
    assert_true(allocated - start < compiled / 2);
    for (int i = 0; i < 12; i++) /* more than are kept */
        assert_int_equal(tools_by_overlay(own, 10 + i % 4, i % 3 ? "a" : "b"), 10 + i % 4);
    size_t before = allocated;
    const cando_catalog *other =
        case_catalog("[defaults]\nbatch = \"native\"\n[[providers]]\nid = \"p\"\n");
    cando_set_catalog(own, other);
    cando_catalog_release(other);
    assert_int_equal(tools_by_overlay(own, 13, "a"), 13);
    assert_true(allocated - before > first / 10); /* that of the old catalog was not taken */
    cando_free(own);
}

static void test_lint(void **state)
{
    (void)state;
    assert_error("{\"op\":\"lint\"}", "missing-argument", "/text");
    assert_error("{\"op\":\"lint\",\"text\":\"\",\"path\":\"x\"}", "bad-argument", "/text");
    assert_error("{\"op\":\"lint\",\"text\":null}", "bad-argument", "/text");
    assert_error("{\"op\":\"lint\",\"path\":[]}", "bad-argument", "/path");
    assert_error("{\"op\":\"lint\",\"path\":\"a\\u0000b\"}", "bad-argument", "/path");
    assert_error("{\"op\":\"lint\",\"path\":\"/no/such/place\"}", "io", "/path");
    assert_error("{\"op\":\"lint\",\"text\":\"\",\"dialect\":\"x\"}", "bad-argument", "/dialect");
    assert_error("{\"op\":\"lint\",\"text\":\"\",\"dialect\":1}", "bad-argument", "/dialect");
    const struct json *r = assert_good("{\"op\":\"lint\",\"text\":\"schema = \\\"cando/rules@1\\\"\\n[[rules]]\\nmatch = \\\"a\\\"\\nset = { streming = true }\"}");
    assert_string_equal(text_at(r, "/result/errors"), "1");
    assert_string_equal(text_at(r, "/result/notes"), "1");
    bool found = false;
    for (size_t i = 0; i < json_pointer(r, STR("/result/findings"))->n; i++) {
        const struct json *f = &json_pointer(r, STR("/result/findings"))->item[i];
        if (!str_is(json_get(f, "code")->text, "unknown-key"))
            continue;
        found = true;
        assert_string_equal(text_at(f, "/line"), "4");
        assert_string_equal(text_at(f, "/column"), "9");
        assert_string_equal(text_at(f, "/severity"), "error");
        assert_non_null(strstr(text_at(f, "/hint"), "streaming"));
    }
    assert_true(found);
    r = assert_good("{\"op\":\"lint\",\"text\":\"= broken\",\"dialect\":\"harn\"}"); /* a finding, no error of the question */
    assert_string_equal(text_at(r, "/result/findings/0/code"), "toml-syntax");
}

static void test_others(void **state)
{
    (void)state;
    const struct json *r = assert_good("{\"op\":\"explain\",\"code\":\"Rule_Shadowed\"}");
    assert_string_equal(text_at(r, "/result/code"), "rule-shadowed");
    assert_string_equal(text_at(r, "/result/severity"), "warning");
    assert_true(text_at(r, "/result/text")[0]);
    r = assert_error("{\"op\":\"explain\",\"code\":\"rule-shadowd\"}", "unknown-code", "/code");
    assert_non_null(strstr(text_at(r, "/error/hint"), "rule-shadowed"));
    assert_error("{\"op\":\"explain\",\"code\":7}", "bad-argument", "/code");
    assert_error("{\"op\":\"model_id\"}", "missing-argument", "/model");
    assert_error("{\"op\":\"model_id\",\"model\":{}}", "bad-argument", "/model");
    assert_error("{\"op\":\"model_id\",\"model\":\"x\",\"provider\":1}", "bad-argument", "/provider");
    r = assert_good("{\"op\":\"model_id\",\"provider\":\"PA\",\"model\":\"Llama-3.3-70B:free\"}");
    assert_string_equal(text_at(r, "/result/provider"), "p");
    assert_string_equal(text_at(r, "/result/base"), "llama-3.3-70b");
    assert_string_equal(text_at(r, "/result/suffix"), "free");
    assert_string_equal(text_at(r, "/result/version/0"), "3");
    assert_string_equal(text_at(r, "/result/canonical"), "meta/llama-3.3-70b");
    char longer[LIMIT_NAME_BYTES + 64];
    memset(longer, 'x', sizeof longer);
    memcpy(longer, "{\"op\":\"model_id\",\"model\":\"", 26);
    strcpy(longer + sizeof longer - 3, "\"}");
    assert_error(longer, "too-long", "/model");
}

/* As the header promises of whatever is freed or released. */
static void test_nothing_is_freed(void **state)
{
    (void)state;
    cando_free(NULL);
    cando_room_free(NULL);
    cando_catalog_release(NULL);
    assert_null(cando_catalog_retain(NULL));
    cando_sources_free(NULL);
    cando_claims_free(NULL);
    cando_needs_free(NULL);
    cando_events_free(NULL);
    cando_event_free_text(NULL, NULL, 0);
    cando_observations_free(NULL);
    cando_target_release(NULL);
    cando_report_free(NULL);
    cando_session_free(NULL);
}

/* JSON as it is easier to read in C; its length. */
static size_t double_quotes(const char *single, char out[64])
{
    size_t n = strlen(single);
    assert_true(n < 64);
    for (size_t i = 0; i < n; i++)
        out[i] = single[i] == '\'' ? '"' : single[i];
    return n;
}

/* The operation stands beside its question: the same answer, and the status says whether it was
 * a good one. */
static void test_beside(void **state)
{
    static const struct {
        const char *op, *question;
        cando_status status;
        const char *code, *reply;
    } rows[] = {
        {"model_id", "{'id':1,'model':'m'}", CANDO_OK, "", "{'id':1,'ok':true,"},
        {"model_id", "{'op':'model_id','model':'m'}", CANDO_OK, "", "{'id':null,'ok':true,"},
        {NULL, "{'op':'model_id','model':'m'}", CANDO_OK, "", "{'id':null,'ok':true,"},
        {NULL, "{'model':'m'}", CANDO_BAD_QUESTION, "missing-argument", "{'id':null,'ok':false,"},
        {"model_id", "{'id':2,'op':'lint'}", CANDO_BAD_QUESTION, "bad-argument", "{'id':2,'ok':f"},
        {"model_id", "{'id':2,'op':5}", CANDO_BAD_QUESTION, "bad-argument", "{'id':2,'ok':false,"},
        {"model_ix", "{'id':3}", CANDO_BAD_QUESTION, "unknown-op", "{'id':3,'ok':false,"},
        {"", "{}", CANDO_BAD_QUESTION, "unknown-op", "{'id':null,'ok':false,"},
        {"model_id", "{", CANDO_BAD_QUESTION, "json-syntax", "{'id':null,'ok':false,"},
    };
    cando_room *room = cando_room_new(NULL, NULL);
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        cando_bytes reply;
        cando_error err = {0};
        char question[64], want[64];
        size_t n = double_quotes(rows[i].question, question);
        cando_status st = cando_call_op(engine, rows[i].op, question, n, room, &reply, &err);
        assert_int_equal(st, rows[i].status);
        assert_string_equal(err.code, rows[i].code);
        n = double_quotes(rows[i].reply, want);
        assert_memory_equal(reply.p, want, n);
        n = double_quotes(rows[i].question, question);
        st = cando_call_op(engine, rows[i].op, question, n, room, &reply, NULL);
        assert_int_equal(st, rows[i].status);
        cando_room_clear(room);
    }
    cando_room_free(room);
}

static const struct json *find_within(const struct json *v, const char *key)
{
    const struct json *found = v->kind == JSON_OBJECT ? json_get(v, key) : NULL;
    for (size_t i = 0; !found && i < v->n; i++)
        found = find_within(&v->item[i], key);
    return found;
}

/* What may be missing may be null, a count of things not. */
static void test_schema(void **state)
{
    (void)state;
    static const struct {
        const char *op, *name;
        size_t types; /* 0: one, and no list */
    } rows[] = {{"cost", "output_limit", 2}, {"conflicts", "won", 0}, {"lint", "line", 0}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        cando_room *room = cando_room_new(NULL, NULL);
        cando_bytes text;
        assert_int_equal(cando_schema(rows[i].op, room, &text, NULL), CANDO_OK);
        const struct json *member =
            find_within(json_of_str(str_make(text.p, text.n)), rows[i].name);
        assert_non_null(member);
        const struct json *type = json_get(member, "type");
        assert_int_equal(type->n, rows[i].types);
        assert_str(type->n ? type->item[0].text : type->text, "integer");
        if (type->n)
            assert_str(type->item[1].text, "null");
        cando_room_free(room);
    }
}

/* What is a name or an object is said once: one of two, and what it is for. */
static void test_schema_of_either(void **state)
{
    (void)state;
    cando_room *room = cando_room_new(NULL, NULL);
    cando_bytes text;
    assert_int_equal(cando_schema("resolve", room, &text, NULL), CANDO_OK);
    const struct json *members = find_within(json_of_str(str_make(text.p, text.n)), "properties"),
                      *target = json_get(members, "target"), *either = json_get(target, "anyOf");
    assert_int_equal(target->n, 2);
    assert_non_null(json_get(target, "description"));
    assert_int_equal(either->n, 2);
    assert_str(json_get(&either->item[0], "type")->text, "string");
    assert_str(json_get(&either->item[1], "type")->text, "object");
    cando_room_free(room);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST_WITH_ARENA(test_schema),
        TEST_WITH_ARENA(test_schema_of_either),
        cmocka_unit_test_setup(test_beside, fresh),
        cmocka_unit_test_setup(test_envelope, fresh),      cmocka_unit_test_setup(test_id, fresh),
        cmocka_unit_test_setup(test_resolve_arguments, fresh), cmocka_unit_test_setup(test_resolve, fresh),
        cmocka_unit_test_setup(test_resolve_rules, fresh), cmocka_unit_test_setup(test_lint, fresh),
        cmocka_unit_test_setup(test_rules_are_kept, fresh),
        cmocka_unit_test_setup(test_others, fresh),
        cmocka_unit_test(test_nothing_is_freed),
    };
    arena_init(&arena, NULL);
    return cmocka_run_group_tests(tests, setup, teardown);
}
