/*
 * test_audit.c - the text of a record, and the chain.
 */

#include "test.h"

#include "base/sha256.h"
#include "text/json.h"

static char *encode(const cando_event *e, size_t *len)
{
    char *text;
    cando_error err = {0};
    if (cando_event_encode(e, NULL, &text, len, &err) != CANDO_OK)
        fail_msg("%s", err.message);
    return text;
}

static void expect(const cando_event *e, const char *want)
{
    size_t len;
    char *text = encode(e, &len);
    assert_string_equal(text, want);
    assert_int_equal(len, strlen(want));
    cando_event_free_text(NULL, text, len);
}

static void test_canonical(void **state)
{
    (void)state;
    static const char *const missing[] = {"toolCalling", "input_image"}, *const codes[] = {"missing-capability"};
    expect(&(cando_event){.kind = CANDO_EVENT_SWITCH}, "{\"time\":\"1970-01-01T00:00:00.000Z\",\"kind\":\"switch\"}");
    expect(&(cando_event){.kind = CANDO_EVENT_REJECTION, .time = 1763224205250, .session = "s-1", .change = "attach", .target = "openai/gpt-5",
                          .previous = "a/\"b\"", .decided = true, .verdict = CANDO_REJECTED, .missing = missing, .n_missing = 2,
                          .findings = codes, .n_findings = 1},
           "{\"time\":\"2025-11-15T16:30:05.250Z\",\"kind\":\"rejection\",\"session\":\"s-1\",\"change\":\"attach\",\"target\":\"openai/gpt-5\","
           "\"previous\":\"a/\\\"b\\\"\",\"verdict\":\"rejected\",\"missing\":[\"toolCalling\",\"input_image\"],\"findings\":[\"missing-capability\"]}");
    static const char *const nobody[] = {"", NULL}, *const somebody[] = {NULL, "hook"};
    cando_event needs = {.missing = missing, .n_missing = 2, .required_by = nobody};
    expect(&needs, "{\"time\":\"1970-01-01T00:00:00.000Z\",\"kind\":\"switch\","
                   "\"missing\":[\"toolCalling\",\"input_image\"]}");
    needs.required_by = somebody;
    expect(&needs, "{\"time\":\"1970-01-01T00:00:00.000Z\",\"kind\":\"switch\","
                   "\"missing\":[\"toolCalling\",\"input_image\"],"
                   "\"required_by\":[\"\",\"hook\"]}");
    expect(&(cando_event){.kind = CANDO_EVENT_OBSERVATION, .time = 253402300799999, .target = "p/m", .field = "temperature",
                          .value = "unsupported", .evidence = "refused", .expires = 86400000},
           "{\"time\":\"9999-12-31T23:59:59.999Z\",\"kind\":\"observation\",\"target\":\"p/m\",\"field\":\"temperature\",\"value\":\"unsupported\","
           "\"evidence\":\"refused\",\"expires\":\"1970-01-02T00:00:00.000Z\"}");
    expect(&(cando_event){.kind = CANDO_EVENT_LOST, .count = 12}, "{\"time\":\"1970-01-01T00:00:00.000Z\",\"kind\":\"lost\",\"count\":12}");
}

/* Secrets are gone before anything is hashed; ids of sessions and models are no secrets. */
static void test_secrets(void **state)
{
    (void)state;
    static const char *const secrets[] = {
        "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789", "AKIAIOSFODNN7EXAMPLE",
        "Bearer abcdefghijklmnopqrstuvwxyz0123456789", "xoxb-123456789012-123456789012-abcdefghijklmnopqrstuvwx",
    };
    for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
        char evidence[200];
        size_t len;
        snprintf(evidence, sizeof evidence, "Incorrect API key provided: %s.", secrets[i]);
        char *text = encode(&(cando_event){.kind = CANDO_EVENT_OBSERVATION, .evidence = evidence}, &len);
        assert_null(strstr(text, secrets[i] + 8));
        assert_non_null(strstr(text, "[REDACTED]"));
        cando_event_free_text(NULL, text, len);
    }
    static const char *const plain[] = {"7f3c2a1e-5b0d-4f6e-9c1a-2b3c4d5e6f70", "01HV4Z0Q7M3N8R5T6W9X2Y1B4C", "session-2026-11-15-42"};
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        size_t len;
        char *text = encode(&(cando_event){.session = plain[i], .target = "amazon-bedrock/us.anthropic.claude-opus-4-6-20260101-v1:0"}, &len);
        assert_non_null(strstr(text, plain[i]));
        assert_null(strstr(text, "REDACTED"));
        cando_event_free_text(NULL, text, len);
    }
}

enum { RECORDS = 20 };
struct trail {
    char text[RECORDS][400];
    size_t len[RECORDS];
    unsigned char hash[RECORDS][CANDO_HASH_BYTES];
};

static void make_trail(struct trail *t)
{
    cando_chain c = {0};
    for (unsigned i = 0; i < RECORDS; i++) {
        size_t len;
        char *event = encode(&(cando_event){.kind = CANDO_EVENT_SWITCH, .time = i, .target = "openai/gpt-5"}, &len);
        t->len[i] = cando_chain_append(&c, event, len, t->text[i]);
        assert_in_range(t->len[i], len + 1, len + CANDO_RECORD_ROOM);
        memcpy(t->hash[i], c.hash, sizeof c.hash);
        assert_int_equal(c.n, i + 1);
        cando_event_free_text(NULL, event, len);
    }
}

static size_t follow(const struct trail *t)
{
    cando_chain c = {0};
    size_t i = 0;
    while (i < RECORDS && !cando_chain_follow(&c, t->text[i], t->len[i], t->hash[i]))
        i++;
    return i;
}

static void test_chain(void **state)
{
    (void)state;
    static struct trail t, other;
    make_trail(&t);
    assert_int_equal(follow(&t), RECORDS);
    /* a record is JSON, and names the hash of the one before it */
    struct arena ar;
    struct json_error bad;
    arena_init(&ar, NULL);
    const struct json *v = json_parse(&ar, str_make(t.text[5], t.len[5]), &bad);
    assert_non_null(v);
    char hex[SHA256_HEX];
    uint64_t n;
    sha256_hex(t.hash[4], hex);
    assert_true(json_uint(json_get(v, "n"), &n) && n == 6);
    assert_true(str_is(json_get(v, "prev")->text, hex));
    arena_free(&ar);
    unsigned char own[SHA256_BYTES];
    sha256_of(t.text[5], t.len[5], own);
    assert_memory_equal(own, t.hash[5], sizeof own);
    /* every flipped byte, of the text and of the hash, is found where it is */
    for (unsigned i = 0; i < RECORDS; i++) {
        for (size_t k = 0; k < t.len[i]; k++) {
            other = t;
            other.text[i][k] ^= (char)(1 << k % 8);
            assert_int_equal(follow(&other), i);
        }
        for (size_t k = 0; k < CANDO_HASH_BYTES; k++) {
            other = t;
            other.hash[i][k] ^= 0x80;
            assert_int_equal(follow(&other), i);
        }
    }
    /* a record that was left out, swapped or written anew with its hash */
    other = t;
    memmove(other.text[3], other.text[4], sizeof other.text[3] * (RECORDS - 4));
    memmove(other.len + 3, other.len + 4, sizeof *other.len * (RECORDS - 4));
    memmove(other.hash[3], other.hash[4], sizeof other.hash[3] * (RECORDS - 4));
    assert_int_equal(follow(&other), 3);
    other = t;
    *strstr(other.text[7], "gpt-5") = 'G';
    sha256_of(other.text[7], other.len[7], other.hash[7]);
    assert_int_equal(follow(&other), 8);
}

static void test_no_event(void **state)
{
    (void)state;
    cando_chain c = {0}, zero = {0};
    char out[256];
    static const char *const bad[] = {"", "{}", "[]", "{\"a\":1", "x", "{1}"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(cando_chain_append(&c, bad[i], strlen(bad[i]), out), 0);
    assert_memory_equal(&c, &zero, sizeof c);
}

static void test_limits(void **state)
{
    (void)state;
    static const char *names[256];
    cando_error err = {0};
    char *text;
    size_t len;
    for (size_t i = 0; i < 256; i++)
        names[i] = "include_reasoning";
    cando_event e = {.missing = names, .n_missing = 256};
    assert_int_equal(cando_event_encode(&e, NULL, &text, &len, &err), CANDO_OK);
    cando_event_free_text(NULL, text, len);
    e.n_missing = 257;
    assert_int_equal(cando_event_encode(&e, NULL, &text, &len, &err), CANDO_BAD_QUESTION);
    assert_null(text);
}

static void test_no_memory(void **state)
{
    (void)state;
    bool all = false;
    for (size_t n = 1; !all; n++) {
        struct failing f = {.fail_at = n};
        cando_allocator a = {failing_resize, &f};
        cando_error err = {0};
        char *text;
        size_t len;
        cando_event e = {.session = "s", .target = "openai/gpt-5?key=sk-abcdefghijklmnopqrstuvwxyz012345"};
        cando_status st = cando_event_encode(&e, &a, &text, &len, &err);
        all = !f.failed;
        assert_true(st == CANDO_OK || (f.failed && st == CANDO_INTERNAL)); /* less room may do as well */
        cando_event_free_text(&a, text, len);
        assert_int_equal(f.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_canonical), cmocka_unit_test(test_secrets), cmocka_unit_test(test_chain),
        cmocka_unit_test(test_no_event),  cmocka_unit_test(test_limits),  cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
