/*
 * trust.h - whose signatures count on this machine, and what was taken from them last.
 *
 *     pinned root v1 --signed by v1's and v2's keys--> root v2 --> ...  --> catalog v7 --> snapshot
 *
 * The first root is pinned by hand (cando key trust), having come another way than the catalogs.
 * Later ones come with the catalogs: each follows the one before by one, and is signed by the
 * threshold of the old root's keys and by that of its own. So whoever has an old key that was taken
 * out can sign nothing that counts, and whoever withholds a new root can do so until the old one
 * expires.
 *
 * What this refuses, and by what:
 *
 *     rollback        a version that is lower than that of the last manifest, which is kept
 *     freeze          a manifest or a root that has expired
 *     mix and match   a snapshot whose length or hash is not that of the manifest
 *     a stolen key    once a root without it was seen, its signatures are those of a stranger
 *
 * A kept manifest that the keys of a new root no longer cover is forgotten: with a stolen key
 * somebody could have signed the highest version that there is.
 *
 * Root and manifest are kept as they came, in one signed file (signed.h).
 */
#ifndef CANDO_CLI_TRUST_H
#define CANDO_CLI_TRUST_H

#include "signed.h"

struct trust {
    bool has_root, has_catalog;
    struct document root, catalog;
};

/* What is pinned; a file that is not there is nothing. */
cando_status trust_read(const char *path, struct arena *ar, struct trust *out, cando_error *err);
cando_status trust_save(const char *path, const struct trust *t, cando_error *err);

/* Follows the roots of a file as far as they go. Without a pinned one the first is taken, if
 * `first` says so; a first one vouches for itself. What was followed up to a failure stays. */
cando_status trust_follow(struct trust *t, const struct signed_file *f, bool first,
                          cando_error *err);
/* The root in force must not have expired, */
cando_status trust_fresh(const struct trust *t, uint64_t now, cando_error *err);
/* and then the last manifest of the file is judged. It is kept in `t`. */
cando_status trust_catalog(struct trust *t, const struct signed_file *f, uint64_t now,
                           cando_error *err);
/* Are these bytes those of the manifest? */
cando_status trust_snapshot(const struct document *catalog, const void *data, size_t n,
                            cando_error *err);

/* As many keys of the role as its threshold says have signed this document of `path`. */
cando_status trust_signed(const struct document *d, const struct role *r, const char *whose,
                          const char *path, cando_error *err);

#endif
