/*
 * sha256.h - SHA-256 (FIPS 180-4), for the chain of audit records.
 *
 * Bytes go in piecewise, so that a record need not be copied together before
 * it is hashed:
 *
 *     struct sha256 h;
 *     sha256_init(&h);
 *     sha256_put(&h, p, n);
 *     sha256_end(&h, digest);
 *
 * Nothing here is secret, so nothing is done about timing.
 */
#ifndef CANDO_SHA256_H
#define CANDO_SHA256_H

#include "str.h"

#define SHA256_BYTES 32
#define SHA256_HEX 65 /* with the NUL */

struct sha256 {
    uint32_t state[8];
    uint64_t bytes;
    unsigned char block[64]; /* bytes % 64 of them wait for the rest */
};

void sha256_init(struct sha256 *h);
void sha256_put(struct sha256 *h, const void *p, size_t n);
/* The struct is used up. */
void sha256_end(struct sha256 *h, unsigned char out[SHA256_BYTES]);
/* All of it at once. */
void sha256_of(const void *p, size_t n, unsigned char out[SHA256_BYTES]);

/* Lower case, NUL-terminated. */
void sha256_hex(const unsigned char hash[SHA256_BYTES], char text[SHA256_HEX]);
/* Lower case only: one hash has one spelling. */
bool sha256_parse(struct str text, unsigned char hash[SHA256_BYTES]);

#endif
