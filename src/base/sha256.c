#include "sha256.h"

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t round_key[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t turn(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void mix(uint32_t state[8], const unsigned char *p)
{
    uint32_t w[64], v[8];
    for (unsigned i = 0; i < 16; i++)
        w[i] = load(p + 4 * i);
    for (unsigned i = 16; i < 64; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];
        w[i] = w[i - 16] + w[i - 7] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
               (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
    }
    memcpy(v, state, sizeof v);
    for (unsigned i = 0; i < 64; i++) {
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]),
                 majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
        uint32_t one =
            v[7] + (turn(v[4], 6) ^ turn(v[4], 11) ^ turn(v[4], 25)) + choice + round_key[i] + w[i];
        uint32_t two = (turn(v[0], 2) ^ turn(v[0], 13) ^ turn(v[0], 22)) + majority;
        memmove(v + 1, v, 7 * sizeof *v);
        v[4] += one;
        v[0] = one + two;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

void sha256_init(struct sha256 *h)
{
    /* of the square roots of the first 8 primes */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    memcpy(h->state, start, sizeof start);
    h->bytes = 0;
}

void sha256_put(struct sha256 *h, const void *p, size_t n)
{
    const unsigned char *at = p;
    size_t held = (size_t)(h->bytes % 64);
    h->bytes += n;
    if (held) {
        size_t take = n < 64 - held ? n : 64 - held;
        if (take)
            memcpy(h->block + held, at, take);
        if (held + take < 64)
            return;
        mix(h->state, h->block);
        at += take;
        n -= take;
    }
    for (; n >= 64; at += 64, n -= 64)
        mix(h->state, at);
    if (n)
        memcpy(h->block, at, n);
}

void sha256_end(struct sha256 *h, unsigned char out[SHA256_BYTES])
{
    static const unsigned char pad[64] = {0x80};
    uint64_t bits = h->bytes * 8;
    unsigned char length[8];
    for (unsigned i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    size_t held = (size_t)(h->bytes % 64);
    sha256_put(h, pad, held < 56 ? 56 - held : 120 - held);
    sha256_put(h, length, sizeof length);
    for (unsigned i = 0; i < SHA256_BYTES; i++)
        out[i] = (unsigned char)(h->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_of(const void *p, size_t n, unsigned char out[SHA256_BYTES])
{
    struct sha256 h;
    sha256_init(&h);
    sha256_put(&h, p, n);
    sha256_end(&h, out);
}

void sha256_hex(const unsigned char hash[SHA256_BYTES], char text[SHA256_HEX])
{
    static const char digit[] = "0123456789abcdef";
    for (unsigned i = 0; i < SHA256_BYTES; i++) {
        text[2 * i] = digit[hash[i] >> 4];
        text[2 * i + 1] = digit[hash[i] & 15];
    }
    text[2 * SHA256_BYTES] = '\0';
}

static int nibble(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool sha256_parse(struct str text, unsigned char hash[SHA256_BYTES])
{
    if (text.n != 2 * SHA256_BYTES)
        return false;
    for (unsigned i = 0; i < SHA256_BYTES; i++) {
        int high = nibble(text.p[2 * i]), low = nibble(text.p[2 * i + 1]);
        if (high < 0 || low < 0)
            return false;
        hash[i] = (unsigned char)(high << 4 | low);
    }
    return true;
}
