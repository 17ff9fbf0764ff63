/*
 * test_sha256.c - the hash against the published vectors of NIST (FIPS 180-4 and
 * the SHAVS short and Monte Carlo messages), whole and in pieces of every size.
 */

#include "test.h"

#include "base/sha256.h"

static void expect(const void *p, size_t n, const char *hex)
{
    unsigned char out[SHA256_BYTES];
    char text[SHA256_HEX];
    sha256_of(p, n, out);
    sha256_hex(out, text);
    assert_string_equal(text, hex);
}

static void test_examples(void **state)
{
    (void)state;
    expect("", 0, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    expect("abc", 3, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    expect("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 56,
           "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    expect("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu", 112,
           "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
    char *million = malloc(1000000);
    assert_non_null(million);
    memset(million, 'a', 1000000);
    expect(million, 1000000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    free(million);
}

static void test_short_messages(void **state)
{
    (void)state;
    expect("\xd3", 1, "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1");
    expect("\x11\xaf", 2, "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98");
    expect("\xb4\x19\x0e", 3, "dff2e73091f6c05e528896c4c831b9448653dc2ff043528f6769437bc7b975c2");
    expect("\x74\xba\x25\x21", 4, "b16aa56be3880d18cd41e68384cf1ec8c17680c45a02b1575dc1518923ae8b0e");
}

/* The lengths at which the padding changes its shape: 55, 56, 63, 64, 65, ... */
static void test_pieces(void **state)
{
    (void)state;
    unsigned char text[300];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * 131 + 7);
    for (size_t n = 0; n <= sizeof text; n++) {
        unsigned char whole[SHA256_BYTES], parts[SHA256_BYTES];
        sha256_of(text, n, whole);
        for (size_t step = 1; step < 70; step += 3) {
            struct sha256 h;
            sha256_init(&h);
            for (size_t at = 0; at < n; at += step)
                sha256_put(&h, text + at, n - at < step ? n - at : step);
            sha256_end(&h, parts);
            assert_memory_equal(whole, parts, SHA256_BYTES);
        }
    }
}

/* SHAVS Monte Carlo: a thousand hashes of the last three, from a seed. */
static void test_monte_carlo(void **state)
{
    (void)state;
    unsigned char m[4][SHA256_BYTES];
    assert_true(sha256_parse(STR("6d1e72ad03ddeb5de891e572e2396f8da015d899ef0e79503152d6010a3fe691"), m[0]));
    memcpy(m[1], m[0], SHA256_BYTES);
    memcpy(m[2], m[0], SHA256_BYTES);
    for (unsigned i = 0; i < 1000; i++) {
        struct sha256 h;
        sha256_init(&h);
        sha256_put(&h, m, (size_t)3 * SHA256_BYTES);
        sha256_end(&h, m[3]);
        memmove(m[0], m[1], (size_t)3 * SHA256_BYTES);
    }
    char text[SHA256_HEX];
    sha256_hex(m[2], text);
    assert_string_equal(text, "e93c330ae5447738c8aa85d71a6c80f2a58381d05872d26bdd39f1fcd4f2b788");
}

static void test_hex(void **state)
{
    (void)state;
    unsigned char hash[SHA256_BYTES];
    char text[SHA256_HEX];
    assert_true(sha256_parse(STR("00ff10e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b78"), hash));
    sha256_hex(hash, text);
    assert_string_equal(text, "00ff10e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b78");
    assert_false(sha256_parse(STR("00"), hash));
    assert_false(sha256_parse(STR("00FF10e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b78"), hash));
    assert_false(sha256_parse(STR("g0ff10e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b78"), hash));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples), cmocka_unit_test(test_short_messages), cmocka_unit_test(test_pieces),
        cmocka_unit_test(test_monte_carlo), cmocka_unit_test(test_hex),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
