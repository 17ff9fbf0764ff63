/*
 * test_redact.c - every shape of secret goes, what is none stays.
 */
#include "ask.h"
#include "record/redact.h"

/* Of a copy that ends with the text: sanitizers see who reads on behind it. */
static void redacts(const char *in, const char *key, const char *want)
{
    struct buf b;
    size_t len = strlen(in);
    char *copy = malloc(len ? len : 1);
    assert_non_null(copy);
    memcpy(copy, in, len);
    buf_init(&b, NULL, 1 << 20);
    size_t n = redact_text(&b, str_make(copy, len), str_of(key));
    free(copy);
    const char *have = buf_cstr(&b);
    if (strcmp(have, want) != 0)
        fail_msg("'%s' under '%s': want '%s', have '%s'", in, key, want, have);
    assert_int_equal(n != 0, strcmp(in, want) != 0);
    buf_free(&b);
}

static void test_shapes(void **state)
{
    (void)state;
    static const char *const secrets[] = {
        "sk-abc", "sk-ant-api03-AbC_dEf-123", "sk-proj-0123456789", "pk-lf-123456", "ghp_abc", "gho_abc", "ghu_16C7e42F292c6912E7",
        "ghs_16C7e42F292c6912E7", "ghr_1B4a2e77838347a7E420", "github_pat_11ABCDE_xyz", "AIza0123456789012345678_", "ya29.a0AfH6SMBx-Y_z",
        "AKIAIOSFODNN7EXAMPLE", "ASIAIOSFODNN7EXAMPLE", "xoxb-1234-5678-abc", "xoxp-1-2-3", "xapp-1-A1-2", "sk_live_4eC39HqLyjWDarjtT1zdp7dc",
        "rk_live_abc123", "pk_test_abc123", "whsec_abcdefgh12345678", "npm_0123456789abcdefghijABCDEFGHIJ0123", "hf_abcdefghijklmnopqrstuv",
        "gsk_0123456789abcdefghij", "xai-0123456789abcdefghijKL", "r8_0123456789abcdefghij", "pplx-0123456789abcdef01", "nvapi-0123456789abcdef01",
        "glpat-abcdefghij1234567890", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dozjgNryP4J3jVmNHl0w5N",
        "SG.abcdefghijklmnopqrst.uvwxyz", "dop_v1_0123456789abcdef0123",
    };
    for (size_t i = 0; i < sizeof secrets / sizeof secrets[0]; i++) {
        char in[400], want[100];
        redacts(secrets[i], "", REDACTED);
        snprintf(in, sizeof in, "use %s, please", secrets[i]);
        snprintf(want, sizeof want, "use %s, please", REDACTED);
        redacts(in, "", want);
        snprintf(in, sizeof in, "(%s)%s", secrets[i], "!");
        snprintf(want, sizeof want, "(%s)!", REDACTED);
        redacts(in, "", want);
    }
    redacts("password=", "", "password="); /* nothing was said */
    redacts("{\"password\":", "", "{\"password\":");
}

static void test_plain(void **state)
{
    (void)state;
    static const char *const plain[] = {
        "", "task-abc", "risk-averse", "disk-full", "ask-me", "AIzaTooShort", "AKIASHORT", "the token is spent", "a bearer of news",
        "anthropic/claude-opus-4-5-20251101", "gpt-4o-2024-08-06", "us.anthropic.claude-opus-4-5-20251101-v1:0", "2026-11-15T20:30:16Z",
        "https://example.com/a/b?c=d", "https://example.com:8080/path@x", "123e4567-e89b-12d3-a456-426614174000", "npm_install", "hf_hub",
        "max_tokens: 4096", "token count = 17", "basic training for new colleagues", "eyJ", "-----BEGIN CERTIFICATE-----", "sk-", "xask-1",
        "the key: do not panic", "sk---",
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        redacts(plain[i], "text", plain[i]);
}

static void test_headers_and_urls(void **state)
{
    (void)state;
    redacts("Authorization: Bearer abcDEF123456", "", "Authorization: Bearer " REDACTED);
    redacts("bearer   abcDEF123456==", "", "bearer   " REDACTED);
    redacts("Bearer abcde123", "", "Bearer " REDACTED); /* eight characters, and no fewer */
    redacts("Bearer abcd123", "", "Bearer abcd123");
    redacts("Basic dXNlcjpwYXNzd29yZA==", "", "Basic " REDACTED);
    redacts("postgres://user:hunter22@db/x", "", "postgres://user:" REDACTED "@db/x");
    redacts("https://user@host/x", "", "https://user@host/x");
    redacts("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "", "aws_secret_access_key = " REDACTED);
    redacts("password=correct-horse", "", "password=" REDACTED);
    redacts("api_key: \"9f8e7d6c5b4a39281706\"", "", "api_key: \"" REDACTED "\"");
    redacts("a\n-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----\nb", "", "a\n" REDACTED "\nb");
    redacts("-----BEGIN PRIVATE KEY-----\ncut off", "", REDACTED);
    /* a title has at most 64 characters */
    redacts("-----BEGIN 0123456789 0123456789 0123456789 0123456789 01234567 PRIVATE KEY-----\ncut",
            "", REDACTED);
    const char *prose = "-----BEGIN 0123456789 0123456789 0123456789 0123456789 012345678 "
                        "PRIVATE KEY-----\ncut";
    redacts(prose, "", prose);
    redacts("-----BEGIN OPENSSH PRIVATE KEY-----\nx\n-----END OPENSSH PRIVATE KEY-----", "", REDACTED);
}

static void test_keys(void **state)
{
    (void)state;
    const char *random = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
    static const char *const telling[] = {"apiKey", "api_key", "X-Api-Key", "client_secret", "Authorization", "access_token", "password", "privateKey", "AWS_SECRET_ACCESS_KEY", "token"};
    static const char *const harmless[] = {"model", "max_tokens", "prompt", "token_count", "name", "id"};
    for (size_t i = 0; i < sizeof telling / sizeof telling[0]; i++) {
        redacts(random, telling[i], REDACTED);
        if (strcmp(telling[i], "token") != 0) /* a token of a text is called so as well */
            redacts("high", telling[i], REDACTED);
    }
    redacts("high", "token", "high");
    for (size_t i = 0; i < sizeof harmless / sizeof harmless[0]; i++)
        redacts(random, harmless[i], random);
}

/* A random key of a known shape, somewhere in a random text, never survives; what is
 * redacted stays so. */
static void test_never_survives(void **state)
{
    (void)state;
    static const char *const prefixes[] = {"sk-", "ghp_", "AIza", "xoxb-", "AKIA", "hf_", "npm_"};
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
    uint64_t seed = 5;
    for (unsigned round = 0; round < 5000; round++) {
        char secret[80], text[400];
        size_t n = (size_t)snprintf(secret, sizeof secret, "%s", prefixes[dice(&seed, 7)]);
        for (unsigned i = 0; i < 40; i++)
            secret[n++] = letters[dice(&seed, 36)];
        secret[n] = '\0';
        size_t m = 0;
        for (unsigned i = dice(&seed, 60); i > 0; i--)
            text[m++] = " .,:;\n\"'()abcxyz{}[]/=-"[dice(&seed, 23)];
        text[m++] = " \n\"(=/"[dice(&seed, 6)];
        memcpy(text + m, secret, n);
        m += n;
        text[m++] = " \n\")."[dice(&seed, 5)];
        struct buf once, twice;
        buf_init(&once, NULL, 1 << 20);
        buf_init(&twice, NULL, 1 << 20);
        assert_true(redact_text(&once, str_make(text, m), STR("")) >= 1);
        assert_true(str_find(str_make(once.p, once.n), str_make(secret, n)) == SIZE_MAX);
        redact_text(&twice, str_make(once.p, once.n), STR(""));
        assert_true(str_eq(str_make(once.p, once.n), str_make(twice.p, twice.n)));
        buf_free(&once);
        buf_free(&twice);
    }
}

static void test_values(void **state)
{
    struct asker *a = *state;
    const struct json *r = ask(a, "{\"op\":\"redact\",\"value\":{\"sk-key\":[1,null,true,\"x sk-abc y\",{\"apiKey\":\"Zm9vYmFyYmF6cXV4MTIz\"}],\"n\":1.50}}");
    is_text(r, "/value/[REDACTED]/3", "x [REDACTED] y");
    is_text(r, "/value/[REDACTED]/4/apiKey", "[REDACTED]");
    assert_true(str_is(at(r, "/value/n")->text, "1.50"));
    r = ask(a, "%s",
            "{\"op\":\"redact\",\"value\":{\"sk-a\":1,\"sk-b\":2,\"password\":1234,\"pin\":7,"
            "\"env\":[{\"name\":\"DB_PASSWORD\",\"value\":\"tiger\"},"
            "{\"name\":\"HOST\",\"value\":\"tiger\"}]}}");
    assert_non_null(at(r, "/value/[REDACTED]"));
    assert_non_null(at(r, "/value/[REDACTED] 2"));
    is_text(r, "/value/password", "[REDACTED]");
    is_text(r, "/value/env/0/value", "[REDACTED]");
    is_text(r, "/value/env/1/value", "tiger");
    assert_true(str_is(at(r, "/value/pin")->text, "7"));
    assert_true(str_is(at(r, "/redacted")->text, "4"));
    char deep[2000] = "{\"op\":\"redact\",\"value\":";
    size_t n = strlen(deep);
    for (unsigned i = 0; i < 300; i++)
        deep[n++] = '[';
    n += (size_t)snprintf(deep + n, sizeof deep - n, "\"ghp_x\"");
    for (unsigned i = 0; i < 300; i++)
        deep[n++] = ']';
    deep[n++] = '}';
    deep[n] = '\0';
    r = ask(a, "%s", deep);
    assert_non_null(r);
    assert_true(str_find(str_make(a->text, a->len), STR("ghp_x")) == SIZE_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shapes), cmocka_unit_test(test_plain), cmocka_unit_test(test_headers_and_urls),
        cmocka_unit_test(test_keys),   cmocka_unit_test(test_never_survives), cmocka_unit_test(test_values),
    };
    return cmocka_run_group_tests(tests, ask_setup, ask_teardown);
}
