/*
 * test_signed.c - signatures against the vectors of RFC 8032, and signed files that somebody has
 * changed: no byte of one can be another without a refusal. How catalogs are refused is in
 * tests/cli/signing.sh.
 */
#include "test.h"

#include "cli/trust.h"

static struct arena *ar;

static int setup(void **state)
{
    ar = malloc(sizeof *ar);
    arena_init(ar, NULL);
    *state = ar;
    return 0;
}

static int teardown(void **state)
{
    arena_free(*state);
    free(*state);
    return 0;
}

static void bytes_of(const char *hex, unsigned char *out)
{
    for (size_t i = 0; hex[2 * i]; i++) {
        char two[3] = {hex[2 * i], hex[2 * i + 1], 0};
        out[i] = (unsigned char)strtoul(two, NULL, 16);
    }
}

/* -- RFC 8032, 7.1 -- */

static const struct {
    const char *secret, *key, *text, *signature;
} vectors[] = {
    {"9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
     "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
     "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155"
     "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b"},
    {"4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
     "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
     "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da"
     "085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00"},
    {"c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
     "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
     "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac"
     "18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a"},
};

static void test_vectors(void **state)
{
    (void)state;
    for (size_t i = 0; i < LENGTH(vectors); i++) {
        unsigned char secret[32], want[64], key[32], have[64], text[8];
        bool good;
        struct str message = {(char *)text, strlen(vectors[i].text) / 2};
        bytes_of(vectors[i].secret, secret);
        bytes_of(vectors[i].text, text);
        bytes_of(vectors[i].key, want);
        assert_int_equal(ed25519_public(secret, key, NULL), CANDO_OK);
        assert_memory_equal(key, want, 32);
        bytes_of(vectors[i].signature, want);
        assert_int_equal(ed25519_sign(secret, message, have, NULL), CANDO_OK);
        assert_memory_equal(have, want, 64);
        assert_int_equal(ed25519_verify(key, message, have, &good, NULL), CANDO_OK);
        assert_true(good);
        for (size_t at = 0; at < 64; at++) {
            have[at] ^= (unsigned char)(1u << at % 8);
            assert_int_equal(ed25519_verify(key, message, have, &good, NULL), CANDO_OK);
            assert_false(good);
            have[at] ^= (unsigned char)(1u << at % 8);
        }
    }
}

/* The order of the group added to S gives the same point: it must not be a second signature. */
static void test_malleable(void **state)
{
    (void)state;
    static const unsigned char order[32] = {0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58,
                                            0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14,
                                            0,    0,    0,    0,    0,    0,    0,    0,
                                            0,    0,    0,    0,    0,    0,    0,    0x10};
    unsigned char key[32], signature[64];
    unsigned carry = 0;
    bool good;
    bytes_of(vectors[0].key, key);
    bytes_of(vectors[0].signature, signature);
    for (size_t i = 0; i < 32; i++) {
        carry += signature[32 + i] + order[i];
        signature[32 + i] = (unsigned char)carry;
        carry >>= 8;
    }
    assert_int_equal(ed25519_verify(key, STR(""), signature, &good, NULL), CANDO_OK);
    assert_false(good);
}

/* -- files -- */

#define NOW UINT64_C(1790000000000)

static struct document signed_line(const char *line, const char *secret_hex)
{
    unsigned char secret[32];
    struct document d;
    bytes_of(secret_hex, secret);
    assert_int_equal(signed_make(str_of(line), ar, &d, NULL), CANDO_OK);
    assert_int_equal(signed_sign(&d, secret, ar, NULL), CANDO_OK);
    assert_int_equal(signed_sign(&d, secret, ar, NULL), CANDO_OK);
    assert_int_equal(d.n, 1);
    return d;
}

/* A root of the first key, whose catalogs the second one signs, and a manifest. */
static struct str whole_file(void)
{
    char line[512];
    struct buf b;
    snprintf(line, sizeof line,
             "{\"cando\":\"root\",\"version\":1,\"expires\":\"2999-01-01\",\"root\":{\"threshold\":"
             "1,\"keys\":[\"%s\"]},\"catalog\":{\"threshold\":1,\"keys\":[\"%s\"]}}",
             vectors[0].key, vectors[1].key);
    struct document root = signed_line(str_dup(ar, str_of(line)).p, vectors[0].secret);
    snprintf(line, sizeof line,
             "{\"cando\":\"catalog\",\"version\":7,\"expires\":\"2999-01-01\",\"bytes\":3,"
             "\"sha256\":\"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad\"}");
    struct document manifest = signed_line(str_dup(ar, str_of(line)).p, vectors[1].secret);
    buf_init_arena(&b, ar, 1 << 20);
    signed_write(&b, &root);
    signed_write(&b, &manifest);
    assert_false(b.failed);
    return str_make(b.p, b.n);
}

static cando_status judge(struct str text, struct trust *t, struct arena *room, cando_error *err)
{
    struct signed_file f;
    cando_status st = signed_parse(text, "file", room, &f, err);
    if (st == CANDO_OK)
        st = trust_follow(t, &f, false, err);
    if (st == CANDO_OK)
        st = trust_fresh(t, NOW, err);
    return st == CANDO_OK ? trust_catalog(t, &f, NOW, err) : st;
}

static void pin(struct trust *t, struct str text)
{
    struct signed_file f;
    *t = (struct trust){0};
    assert_int_equal(signed_parse(text, "file", ar, &f, NULL), CANDO_OK);
    assert_int_equal(trust_follow(t, &f, true, NULL), CANDO_OK);
}

static void test_every_byte(void **state)
{
    (void)state;
    struct str text = whole_file();
    struct trust pinned, t;
    cando_error err;
    struct arena room;
    pin(&pinned, text);
    t = pinned;
    assert_int_equal(judge(text, &t, ar, &err), CANDO_OK);
    assert_int_equal(t.catalog.version, 7);
    const char *pinned_line = str_dup(ar, t.catalog.line).p;
    size_t root = t.root.line.n + 1, root_end = (size_t)(t.catalog.line.p - text.p);
    assert_int_equal(trust_snapshot(&t.catalog, "abc", 3, &err), CANDO_OK);
    assert_int_equal(trust_snapshot(&t.catalog, "abd", 3, &err), CANDO_BAD_INPUT);
    assert_int_equal(trust_snapshot(&t.catalog, "abcd", 4, &err), CANDO_BAD_INPUT);
    char *copy = malloc(text.n);
    arena_init(&room, NULL);
    for (size_t at = 0; at < text.n; at++)
        for (unsigned bit = 0; bit < 8; bit++) {
            memcpy(copy, text.p, text.n);
            copy[at] ^= (char)(1u << bit);
            t = pinned;
            bool taken = judge(str_make(copy, text.n), &t, &room, &err) == CANDO_OK;
            /* a root that is known already need not be signed again; all else is refused */
            if (taken && !(at >= root && at < root_end))
                fail_msg("byte %zu, bit %u was taken", at, bit);
            if (taken)
                assert_str(t.catalog.line, pinned_line);
            arena_clear(&room);
        }
    arena_free(&room);
    free(copy);
}

/* Shorter by any number of bytes it is refused, but for the last line end. */
static void test_every_length(void **state)
{
    (void)state;
    struct str text = whole_file();
    struct trust pinned, t;
    cando_error err;
    pin(&pinned, text);
    for (size_t n = 0; n < text.n - 1; n++) {
        t = pinned;
        assert_int_equal(judge(str_head(text, n), &t, ar, &err), CANDO_BAD_INPUT);
    }
}

static void refused(const char *line, const char *why)
{
    struct signed_file f;
    cando_error err = {0};
    assert_int_equal(signed_parse(str_of(line), "f", ar, &f, &err), CANDO_BAD_INPUT);
    if (!strstr(err.message, why))
        fail_msg("want '%s', have '%s'", why, err.message);
    assert_int_equal(err.line, 1);
}

#define KEY_A "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a"
#define ROOT "{\"cando\":\"root\",\"version\":1,\"expires\":\"2999-01-01\",\"root\":"

static void test_bounds(void **state)
{
    (void)state;
    refused(ROOT "{\"threshold\":2,\"keys\":[\"" KEY_A "\"]}}", "more signatures than it has keys");
    refused(ROOT "{\"threshold\":2,\"keys\":[\"" KEY_A "\",\"" KEY_A "\"]}}", "same key twice");
    refused(ROOT "{\"threshold\":0,\"keys\":[\"" KEY_A "\"]}}", "no threshold");
    refused(ROOT "{\"threshold\":1,\"keys\":[\"D75A\"]}}", "64 hexadecimal");
    refused(ROOT "{\"threshold\":1,\"keys\":[]}}", "more signatures than it has keys");
    refused(ROOT "null}", "no threshold");
    refused("{\"cando\":\"root\",\"version\":1.5,\"expires\":\"2999-01-01\"}", "\"version\"");
    refused("{\"cando\":\"root\",\"version\":9007199254740992}", "\"version\"");
    refused("{\"cando\":\"root\",\"version\":1,\"expires\":\"soon\"}", "\"expires\"");
    refused("{\"cando\":\"head\",\"version\":1,\"expires\":\"2999-01-01\"}", "\"time\"");
    refused("{\"key\":\"" KEY_A "\",\"signature\":\"00\"}", "128 hexadecimal");
    struct buf b;
    buf_init_arena(&b, ar, 1 << 20);
    buf_putz(&b, ROOT "{\"threshold\":1,\"keys\":[");
    for (unsigned i = 0; i < SIGNED_KEYS + 1; i++)
        buf_printf(&b, "%s\"%064u\"", i ? "," : "", i);
    buf_putz(&b, "]}}");
    refused(buf_cstr(&b), "more keys than one may have");
    buf_clear(&b);
    buf_printf(&b, "{\"cando\":\"%*s\"}", (int)SIGNED_LINE_BYTES, "x");
    refused(buf_cstr(&b), "longer than one may be");
}

static void test_many_signatures(void **state)
{
    (void)state;
    struct buf b;
    struct signed_file f;
    cando_error err;
    buf_init_arena(&b, ar, 1 << 20);
    buf_printf(&b, "{\"cando\":\"head\",\"version\":1,\"time\":\"2026-11-17\",\"hash\":\"%s\"}\n",
               KEY_A);
    for (unsigned i = 0; i < SIGNED_SIGNATURES; i++)
        buf_printf(&b, "{\"key\":\"%064u\",\"signature\":\"%0128u\"}\n", i, i);
    assert_int_equal(signed_parse(str_make(b.p, b.n), "f", ar, &f, &err), CANDO_OK);
    assert_int_equal(f.document[0].n, SIGNED_SIGNATURES);
    buf_printf(&b, "{\"key\":\"%064u\",\"signature\":\"%0128u\"}\n", 99u, 99u);
    assert_int_equal(signed_parse(str_make(b.p, b.n), "f", ar, &f, &err), CANDO_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_vectors, setup, teardown),
        cmocka_unit_test_setup_teardown(test_malleable, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_byte, setup, teardown),
        cmocka_unit_test_setup_teardown(test_every_length, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bounds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_many_signatures, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
