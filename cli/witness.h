/*
 * witness.h - heads of audit trails, signed by their own machine and kept by another.
 *
 *     node      cando audit sign        head of record 120, signed by the node
 *     witness   cando audit witness     the same, signed by the witness too, behind those before
 *     anybody   cando audit verify --witness FILE
 *
 * Whoever can write the trail, its head file and the node's key can make a new trail, but not one
 * that has the records whose hashes the witness keeps. The witness keeps all heads, since a new
 * one need not lead back to those before.
 */
#ifndef CANDO_CLI_WITNESS_H
#define CANDO_CLI_WITNESS_H

#include "cando_store.h"
#include "signed.h"

struct witness_keys {
    const char *const *sign; /* files of secret keys */
    size_t n_sign;
    const char *const
        *trust;     /* of public ones: each must have signed; none: as many as the pinned */
    size_t n_trust; /* root wants of its role audit */
};

/* Prints the head of a trail, signed. */
cando_status witness_sign(const cando_store_report *r, const struct witness_keys *keys,
                          struct arena *ar, cando_error *err);
/* Adds the heads of `path` to the file `kept`, signed once more; `*n` are new. Those that go back,
 * or that say something else of a record than one that is kept, are refused. */
cando_status witness_keep(const char *path, const char *kept, const struct witness_keys *keys,
                          struct arena *ar, uint64_t *n, cando_error *err);
/* The heads of a file, in the order of their records; there is at least one, and all have the
 * signatures that are wanted. */
cando_status witness_read(const char *path, const struct witness_keys *keys, struct arena *ar,
                          struct signed_file *out, cando_error *err);

#endif
