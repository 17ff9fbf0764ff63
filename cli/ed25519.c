#define _DEFAULT_SOURCE
#include "ed25519.h"

#include "dynamic.h"

#if defined(__has_include) && !defined(__wasm__) && !defined(CANDO_STATIC)
#if __has_include(<openssl/evp.h>)
#define HAVE_CRYPTO 1
#endif
#endif

#ifdef HAVE_CRYPTO

#include <openssl/evp.h>
#include <unistd.h>


struct calls {
    EVP_PKEY *(*secret)(int, ENGINE *, const unsigned char *, size_t);
    EVP_PKEY *(*public)(int, ENGINE *, const unsigned char *, size_t);
    int (*get_public)(const EVP_PKEY *, unsigned char *, size_t *);
    void (*key_free)(EVP_PKEY *);
    EVP_MD_CTX *(*ctx)(void);
    void (*ctx_free)(EVP_MD_CTX *);
    int (*sign_init)(EVP_MD_CTX *, EVP_PKEY_CTX **, const EVP_MD *, ENGINE *, EVP_PKEY *);
    int (*sign)(EVP_MD_CTX *, unsigned char *, size_t *, const unsigned char *, size_t);
    int (*verify_init)(EVP_MD_CTX *, EVP_PKEY_CTX **, const EVP_MD *, ENGINE *, EVP_PKEY *);
    int (*verify)(EVP_MD_CTX *, const unsigned char *, size_t, const unsigned char *, size_t);
};

static bool load(struct calls *c)
{
    static const char *const names[] = {"libcrypto.so.3", "libcrypto.so.1.1", "libcrypto.so", NULL};
    static const char *const symbols[] = {
        "EVP_PKEY_new_raw_private_key",
        "EVP_PKEY_new_raw_public_key",
        "EVP_PKEY_get_raw_public_key",
        "EVP_PKEY_free",
        "EVP_MD_CTX_new",
        "EVP_MD_CTX_free",
        "EVP_DigestSignInit",
        "EVP_DigestSign",
        "EVP_DigestVerifyInit",
        "EVP_DigestVerify",
    };
    void **const slots[] = {(void **)&c->secret,    (void **)&c->public, (void **)&c->get_public,
                            (void **)&c->key_free,  (void **)&c->ctx,    (void **)&c->ctx_free,
                            (void **)&c->sign_init, (void **)&c->sign,   (void **)&c->verify_init,
                            (void **)&c->verify};
    return dynamic_load(names, symbols, slots, COUNT_OF(slots));
}

static cando_status ready(struct calls *c, cando_error *err)
{
    *c = (struct calls){0};
    if (load(c))
        return CANDO_OK;
    error_set(err, CANDO_INTERNAL, CODE_io,
              "signatures need libcrypto of OpenSSL 1.1.1 or later, which is not installed");
    error_hint(err, "install it (Debian: apt-get install libssl3)");
    return CANDO_INTERNAL;
}

cando_status ed25519_new(unsigned char secret[ED25519_KEY], cando_error *err)
{
    if (getentropy(secret, ED25519_KEY) == 0)
        return CANDO_OK;
    return error_set(err, CANDO_INTERNAL, CODE_io, "the system gives no random numbers");
}

static cando_status refused(cando_error *err, const char *what)
{
    return error_set(err, CANDO_INTERNAL, CODE_io, "libcrypto cannot %s", what);
}

cando_status ed25519_public(const unsigned char secret[ED25519_KEY], unsigned char key[ED25519_KEY],
                            cando_error *err)
{
    struct calls c;
    size_t n = ED25519_KEY;
    if (ready(&c, err) != CANDO_OK)
        return CANDO_INTERNAL;
    EVP_PKEY *k = c.secret(EVP_PKEY_ED25519, NULL, secret, ED25519_KEY);
    bool ok = k && c.get_public(k, key, &n) == 1 && n == ED25519_KEY;
    c.key_free(k);
    return ok ? CANDO_OK : refused(err, "take this key");
}

cando_status ed25519_sign(const unsigned char secret[ED25519_KEY], struct str text,
                          unsigned char signature[ED25519_SIGNATURE], cando_error *err)
{
    struct calls c;
    size_t n = ED25519_SIGNATURE;
    if (ready(&c, err) != CANDO_OK)
        return CANDO_INTERNAL;
    EVP_PKEY *k = c.secret(EVP_PKEY_ED25519, NULL, secret, ED25519_KEY);
    EVP_MD_CTX *ctx = k ? c.ctx() : NULL;
    bool ok = ctx && c.sign_init(ctx, NULL, NULL, NULL, k) == 1;
    ok = ok && c.sign(ctx, signature, &n, (const unsigned char *)text.p, text.n) == 1;
    c.ctx_free(ctx);
    c.key_free(k);
    return ok && n == ED25519_SIGNATURE ? CANDO_OK : refused(err, "sign with this key");
}

cando_status ed25519_verify(const unsigned char key[ED25519_KEY], struct str text,
                            const unsigned char signature[ED25519_SIGNATURE], bool *good,
                            cando_error *err)
{
    struct calls c;
    *good = false;
    if (ready(&c, err) != CANDO_OK)
        return CANDO_INTERNAL;
    EVP_PKEY *k = c.public(EVP_PKEY_ED25519, NULL, key, ED25519_KEY);
    EVP_MD_CTX *ctx = k ? c.ctx() : NULL;
    bool ok = ctx && c.verify_init(ctx, NULL, NULL, NULL, k) == 1;
    *good = ok &&
            c.verify(ctx, signature, ED25519_SIGNATURE, (const unsigned char *)text.p, text.n) == 1;
    c.ctx_free(ctx);
    c.key_free(k);
    return ok ? CANDO_OK : refused(err, "take this key");
}

#else

static cando_status missing(cando_error *err)
{
    error_set(err, CANDO_INTERNAL, CODE_io,
              "this program was built without libcrypto: it can neither sign nor check signatures");
    error_hint(err, "the cando of a Linux package can");
    return CANDO_INTERNAL;
}

cando_status ed25519_new(unsigned char secret[ED25519_KEY], cando_error *err)
{
    (void)secret;
    return missing(err);
}

cando_status ed25519_public(const unsigned char secret[ED25519_KEY], unsigned char key[ED25519_KEY],
                            cando_error *err)
{
    (void)secret;
    (void)key;
    return missing(err);
}

cando_status ed25519_sign(const unsigned char secret[ED25519_KEY], struct str text,
                          unsigned char signature[ED25519_SIGNATURE], cando_error *err)
{
    (void)secret;
    (void)text;
    (void)signature;
    return missing(err);
}

cando_status ed25519_verify(const unsigned char key[ED25519_KEY], struct str text,
                            const unsigned char signature[ED25519_SIGNATURE], bool *good,
                            cando_error *err)
{
    (void)key;
    (void)text;
    (void)signature;
    *good = false;
    return missing(err);
}

#endif
