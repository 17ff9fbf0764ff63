#include "trust.h"

#include "base/instant.h"

#include <stdio.h>

/* "2026-11-15T16:30:05Z" */
static const char *when(uint64_t ms, char text[INSTANT_TEXT])
{
    struct instant t;
    if (!instant_from_unix(ms / 1000, &t))
        return "a time that is no time";
    return instant_seconds(&t, text).p;
}

/* -- the file -- */

cando_status trust_read(const char *path, struct arena *ar, struct trust *out, cando_error *err)
{
    struct signed_file f;
    *out = (struct trust){0};
    cando_status st = signed_read(path, true, ar, &f, err);
    for (size_t i = 0; st == CANDO_OK && i < f.n; i++) {
        const struct document *d = &f.document[i];
        if (d->kind == SIGNED_ROOT)
            out->root = *d;
        if (d->kind == SIGNED_CATALOG)
            out->catalog = *d;
        out->has_root |= d->kind == SIGNED_ROOT;
        out->has_catalog |= d->kind == SIGNED_CATALOG;
    }
    return st;
}

cando_status trust_save(const char *path, const struct trust *t, cando_error *err)
{
    struct document d[2];
    struct signed_file f = {.path = path, .document = d};
    if (t->has_root)
        d[f.n++] = t->root;
    if (t->has_catalog)
        d[f.n++] = t->catalog;
    return signed_save(&f, err);
}

/* -- signatures -- */

/* The first key that has signed and is not of the role: most likely the one that was meant. */
static void hint_stranger(const struct document *d, const struct role *r, cando_error *err)
{
    char hex[SHA256_HEX];
    for (size_t i = 0; i < d->n; i++)
        if (!role_has(r, d->signature[i].key)) {
            sha256_hex(d->signature[i].key, hex);
            error_hint(err, "key %.16s signed it, which is not, or no longer, one of these", hex);
            return;
        }
    if (d->n)
        error_hint(err, "a signature is there, and is not of these bytes: something was changed");
    else
        error_hint(err, "nobody has signed it");
}

cando_status trust_signed(const struct document *d, const struct role *r, const char *whose,
                          const char *path, cando_error *err)
{
    unsigned good;
    cando_status st = signed_count(d, r, &good, err);
    if (st != CANDO_OK)
        return st;
    if (r->threshold && good >= r->threshold)
        return CANDO_OK;
    error_set(err, CANDO_BAD_INPUT, CODE_signature_missing,
              "%s: version %ju is signed by %u of the %u keys that %s wants", path,
              (uintmax_t)d->version, good, r->threshold, whose);
    hint_stranger(d, r, err);
    return CANDO_BAD_INPUT;
}

static cando_status by_root(const struct document *d, const struct document *root, const char *path,
                            cando_error *err)
{
    char whose[64];
    snprintf(whose, sizeof whose, "version %ju of the root", (uintmax_t)root->version);
    return trust_signed(d, &root->role[d->kind], whose, path, err);
}

/* -- roots -- */

/* A manifest that the root's keys no longer cover could have been a thief's. */
static cando_status forget_strangers(struct trust *t, cando_error *err)
{
    unsigned good;
    const struct role *r = &t->root.role[SIGNED_CATALOG];
    if (!t->has_catalog)
        return CANDO_OK;
    cando_status st = signed_count(&t->catalog, r, &good, err);
    if (st == CANDO_OK && (!r->threshold || good < r->threshold))
        t->has_catalog = false;
    return st;
}

static cando_status not_next(const struct trust *t, const struct document *d, const char *path,
                             cando_error *err)
{
    if (d->version == t->root.version)
        error_set(err, CANDO_BAD_INPUT, CODE_root_refused,
                  "%s has another version %ju of the root than the one that is pinned", path,
                  (uintmax_t)d->version);
    else
        error_set(err, CANDO_BAD_INPUT, CODE_root_refused,
                  "%s has version %ju of the root, and version %ju is pinned: those between are "
                  "missing",
                  path, (uintmax_t)d->version, (uintmax_t)t->root.version);
    error_hint(err, "'cando key trust --replace ROOT' pins another one, if you know whose it is");
    return CANDO_BAD_INPUT;
}

static cando_status follow_one(struct trust *t, const struct document *d, const char *path,
                               cando_error *err)
{
    if (d->version < t->root.version)
        return CANDO_OK;
    if (d->version == t->root.version && str_eq(d->line, t->root.line))
        return CANDO_OK;
    if (d->version != t->root.version + 1)
        return not_next(t, d, path, err);
    cando_status st = by_root(d, &t->root, path, err);
    if (st == CANDO_OK)
        st = by_root(d, d, path, err);
    if (st != CANDO_OK)
        return st;
    t->root = *d;
    return forget_strangers(t, err);
}

cando_status trust_follow(struct trust *t, const struct signed_file *f, bool first,
                          cando_error *err)
{
    bool none = true;
    for (size_t i = 0; i < f->n; i++) {
        const struct document *d = &f->document[i];
        cando_status st = CANDO_OK;
        if (d->kind != SIGNED_ROOT)
            continue;
        none = false;
        if (t->has_root) {
            st = follow_one(t, d, f->path, err);
        } else if (first) {
            st = by_root(d, d, f->path, err);
            t->root = *d;
            t->has_root = st == CANDO_OK;
        }
        if (st != CANDO_OK)
            return st;
    }
    if (first && none)
        return error_set(err, CANDO_BAD_INPUT, CODE_signed_file, "%s has no root in it", f->path);
    if (t->has_root)
        return CANDO_OK;
    error_set(err, CANDO_BAD_INPUT, CODE_root_refused,
              "no root is pinned here: nobody's signature counts");
    error_hint(err,
               "get the root from whoever signs, by another way than %.200s, and pin it: "
               "cando key trust ROOT",
               f->path);
    return CANDO_BAD_INPUT;
}

cando_status trust_fresh(const struct trust *t, uint64_t now, cando_error *err)
{
    char text[INSTANT_TEXT];
    if (now < t->root.expires)
        return CANDO_OK;
    error_set(err, CANDO_BAD_INPUT, CODE_signed_expired, "version %ju of the root expired at %s",
              (uintmax_t)t->root.version, when(t->root.expires, text));
    error_hint(err, "its owner makes the next one (cando key root) and signs it with the old keys");
    return CANDO_BAD_INPUT;
}

/* -- catalogs -- */

static const struct document *last_manifest(const struct signed_file *f)
{
    for (size_t i = f->n; i > 0; i--)
        if (f->document[i - 1].kind == SIGNED_CATALOG)
            return &f->document[i - 1];
    return NULL;
}

/* Rollback, and two catalogs under one number. */
static cando_status not_older(const struct trust *t, const struct document *d, const char *path,
                              cando_error *err)
{
    if (!t->has_catalog || d->version > t->catalog.version)
        return CANDO_OK;
    if (d->version < t->catalog.version) {
        error_set(err, CANDO_BAD_INPUT, CODE_catalog_older,
                  "%s: version %ju is older than version %ju, which was taken before", path,
                  (uintmax_t)d->version, (uintmax_t)t->catalog.version);
        error_hint(err, "'cando update --undo' puts the catalog before in force, if that is it");
        return CANDO_BAD_INPUT;
    }
    if (memcmp(d->hash, t->catalog.hash, sizeof d->hash) == 0)
        return CANDO_OK;
    return error_set(err, CANDO_BAD_INPUT, CODE_catalog_older,
                     "%s: version %ju is another catalog than the version %ju that was taken "
                     "before",
                     path, (uintmax_t)d->version, (uintmax_t)d->version);
}

cando_status trust_catalog(struct trust *t, const struct signed_file *f, uint64_t now,
                           cando_error *err)
{
    char text[INSTANT_TEXT];
    const struct document *d = last_manifest(f);
    if (!d)
        return error_set(err, CANDO_BAD_INPUT, CODE_signed_file, "%s has no manifest in it",
                         f->path);
    cando_status st = by_root(d, &t->root, f->path, err);
    if (st == CANDO_OK)
        st = not_older(t, d, f->path, err);
    if (st != CANDO_OK)
        return st;
    if (now >= d->expires) {
        error_set(err, CANDO_BAD_INPUT, CODE_signed_expired,
                  "%s: the manifest of version %ju expired at %s", f->path, (uintmax_t)d->version,
                  when(d->expires, text));
        error_hint(err, "nobody has signed a newer one, or somebody keeps it from you");
        return CANDO_BAD_INPUT;
    }
    t->catalog = *d;
    t->has_catalog = true;
    return CANDO_OK;
}

cando_status trust_snapshot(const struct document *catalog, const void *data, size_t n,
                            cando_error *err)
{
    unsigned char hash[SHA256_BYTES];
    if (n != catalog->bytes)
        return error_set(err, CANDO_BAD_INPUT, CODE_snapshot_other,
                         "the snapshot has %zu bytes, and %ju by the manifest of version %ju", n,
                         (uintmax_t)catalog->bytes, (uintmax_t)catalog->version);
    sha256_of(data, n, hash);
    if (memcmp(hash, catalog->hash, sizeof hash) == 0)
        return CANDO_OK;
    return error_set(err, CANDO_BAD_INPUT, CODE_snapshot_other,
                     "the snapshot is not the one that the manifest of version %ju names",
                     (uintmax_t)catalog->version);
}
