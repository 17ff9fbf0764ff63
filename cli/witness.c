#include "witness.h"

#include "base/instant.h"
#include "config.h"
#include "trail.h"
#include "trust.h"

/* -- whose signatures count -- */

static cando_status given_role(const struct witness_keys *keys, struct role *out, cando_error *err)
{
    if (keys->n_trust > SIGNED_KEYS)
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long, "at most %d keys can be given",
                         SIGNED_KEYS);
    *out = (struct role){0};
    for (size_t i = 0; i < keys->n_trust; i++) {
        cando_status st = key_read_public(keys->trust[i], out->key[out->n], err);
        if (st != CANDO_OK)
            return st;
        out->n += !role_has(out, out->key[out->n]);
    }
    out->threshold = out->n;
    return CANDO_OK;
}

static cando_status pinned_role(struct arena *ar, struct role *out, cando_error *err)
{
    struct config config;
    struct trust t = {0};
    cando_status st = config_init(&config, ar, err);
    if (st == CANDO_OK && config.trust)
        st = trust_read(config.trust, ar, &t, err);
    if (st == CANDO_OK && t.has_root)
        st = trust_fresh(&t, latest_now(), err);
    if (st != CANDO_OK)
        return st;
    *out = t.root.role[SIGNED_HEAD];
    if (out->threshold)
        return CANDO_OK;
    error_set(err, CANDO_BAD_QUESTION, CODE_root_refused,
              "nobody's signature of an audit trail counts here");
    error_hint(err, "give --trust KEY.pub, or pin a root with keys for audit (cando key)");
    return CANDO_BAD_QUESTION;
}

static cando_status role_of(const struct witness_keys *keys, struct arena *ar, struct role *out,
                            cando_error *err)
{
    return keys->n_trust ? given_role(keys, out, err) : pinned_role(ar, out, err);
}

/* -- signing -- */

cando_status witness_sign(const cando_store_report *r, const struct witness_keys *keys,
                          struct arena *ar, cando_error *err)
{
    struct document d;
    struct buf b;
    char hex[SHA256_HEX], time[INSTANT_TEXT];
    sha256_hex(r->head, hex);
    struct str line =
        str_printf(ar, "{\"cando\":\"head\",\"version\":%ju,\"hash\":\"%s\",\"time\":\"%s\"}",
                   (uintmax_t)r->last, hex, instant_text(trail_now(), time).p);
    cando_status st = line.p ? signed_make(line, ar, &d, err) : error_memory(err);
    if (st == CANDO_OK)
        st = signed_sign_by(&d, keys->sign, keys->n_sign, ar, err);
    if (st != CANDO_OK)
        return st;
    buf_init_arena(&b, ar, SIGNED_BYTES);
    signed_write(&b, &d);
    if (b.failed)
        return error_memory(err);
    fwrite(b.p, 1, b.n, stdout);
    return CANDO_OK;
}

/* -- the heads of a file -- */

static cando_status only_heads(struct signed_file *f, cando_error *err)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->document[i].kind != SIGNED_HEAD)
            return error_set(err, CANDO_BAD_INPUT, CODE_signed_file,
                             "%s has something else in it than heads of a trail", f->path);
    return CANDO_OK;
}

/* `next` may stand behind `last`. */
static cando_status goes_on(const struct document *last, const struct document *next,
                            const char *path, cando_error *err)
{
    if (next->version > last->version)
        return CANDO_OK;
    if (next->version < last->version) {
        error_set(err, CANDO_BAD_INPUT, CODE_audit_damaged,
                  "%s: the head is record %ju, and record %ju was witnessed before: the trail has "
                  "gone back",
                  path, (uintmax_t)next->version, (uintmax_t)last->version);
        return CANDO_BAD_INPUT;
    }
    if (memcmp(next->hash, last->hash, sizeof next->hash) == 0)
        return CANDO_OK;
    return error_set(err, CANDO_BAD_INPUT, CODE_audit_damaged,
                     "%s: record %ju has another hash than the one that was witnessed before", path,
                     (uintmax_t)next->version);
}

cando_status witness_read(const char *path, const struct witness_keys *keys, struct arena *ar,
                          struct signed_file *out, cando_error *err)
{
    struct role role;
    cando_status st = role_of(keys, ar, &role, err);
    if (st == CANDO_OK)
        st = signed_read(path, false, ar, out, err);
    if (st == CANDO_OK)
        st = only_heads(out, err);
    if (st == CANDO_OK && !out->n)
        st = error_set(err, CANDO_BAD_INPUT, CODE_signed_file, "%s has no head in it", path);
    for (size_t i = 0; st == CANDO_OK && i < out->n; i++) {
        st = trust_signed(&out->document[i], &role, "whoever asks", path, err);
        if (st == CANDO_OK && i)
            st = goes_on(&out->document[i - 1], &out->document[i], path, err);
    }
    return st;
}

/* -- keeping them -- */

/* One of the keys that count is enough for a head that is not witnessed yet. */
static cando_status keep_one(struct signed_file *kept, struct document *d, struct role role,
                             const struct witness_keys *keys, const char *path, struct arena *ar,
                             uint64_t *n, cando_error *err)
{
    const struct document *last = kept->n ? &kept->document[kept->n - 1] : NULL;
    cando_status st = CANDO_OK;
    role.threshold = 1;
    st = trust_signed(d, &role, "the witness", path, err);
    if (st == CANDO_OK && last)
        st = goes_on(last, d, path, err);
    if (st != CANDO_OK || (last && last->version == d->version))
        return st;
    st = signed_sign_by(d, keys->sign, keys->n_sign, ar, err);
    if (st != CANDO_OK)
        return st;
    if (!ARENA_GROW(ar, kept->document, kept->n, kept->cap))
        return error_memory(err);
    kept->document[kept->n++] = *d;
    ++*n;
    return CANDO_OK;
}

cando_status witness_keep(const char *path, const char *kept, const struct witness_keys *keys,
                          struct arena *ar, uint64_t *n, cando_error *err)
{
    struct signed_file heads, own;
    struct role role;
    *n = 0;
    cando_status st = role_of(keys, ar, &role, err);
    if (st == CANDO_OK)
        st = signed_read(path, false, ar, &heads, err);
    if (st == CANDO_OK)
        st = signed_read(kept, true, ar, &own, err);
    if (st == CANDO_OK)
        st = only_heads(&heads, err);
    if (st == CANDO_OK)
        st = only_heads(&own, err);
    for (size_t i = 0; st == CANDO_OK && i < heads.n; i++)
        st = keep_one(&own, &heads.document[i], role, keys, path, ar, n, err);
    return st == CANDO_OK && *n ? signed_save(&own, err) : st;
}
