/*
 * ed25519.h - signatures (RFC 8032). The only code that needs OpenSSL's libcrypto.
 *
 * The library is loaded when the first signature is made or checked: no other verb pays for it,
 * and the program starts where it is not installed.
 */
#ifndef CANDO_CLI_ED25519_H
#define CANDO_CLI_ED25519_H

#include "base/diag.h"

#define ED25519_KEY 32 /* bytes of a public key, and of a secret one (the seed) */
#define ED25519_SIGNATURE 64

/* A secret key of the system's randomness. */
cando_status ed25519_new(unsigned char secret[ED25519_KEY], cando_error *err);
cando_status ed25519_public(const unsigned char secret[ED25519_KEY], unsigned char key[ED25519_KEY],
                            cando_error *err);
cando_status ed25519_sign(const unsigned char secret[ED25519_KEY], struct str text,
                          unsigned char signature[ED25519_SIGNATURE], cando_error *err);
/* `*good`: it is this key's signature of this text. An error is that nobody can tell. */
cando_status ed25519_verify(const unsigned char key[ED25519_KEY], struct str text,
                            const unsigned char signature[ED25519_SIGNATURE], bool *good,
                            cando_error *err);

#endif
