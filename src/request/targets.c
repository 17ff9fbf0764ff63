/*
 * targets.c - the targets that an engine keeps ready.
 *
 * A table belongs to the catalog that was in force when it was begun; another catalog begins
 * another table, so that nothing in it is ever stale. Targets are counted: the table has a
 * reference, and each caller one of its own, so that what falls out of the table lives on
 * while somebody uses it. The engine's lock is held to find one and to count it, and to put
 * one in; never while one is made or freed. Two threads that miss the same target at once
 * make it twice, and one of them is kept.
 *
 *     hash ──► a set of WAYS places: found here, or takes the one that was used longest ago
 */
#include "targets.h"

#include "catalog/engine.h"

#define SETS 16u
#define WAYS 4u

struct kept {
    const cando_target *target; /* NULL: free */
    uint64_t used;              /* when it was asked for last */
};

struct targets {
    uint64_t clock;
    struct kept way[SETS][WAYS];
};

static bool has_key(const cando_target *t, const struct target_key *k)
{
    return t->key.hash == k->hash && t->key.flags == k->flags && str_eq(t->key.model, k->model) &&
           str_eq(t->key.provider, k->provider);
}

static void targets_free(struct targets *t, const cando_allocator *a)
{
    for (unsigned i = 0; i < SETS * WAYS; i++)
        cando_target_release(t->way[i / WAYS][i % WAYS].target);
    mem_free(a, t, sizeof *t);
}

/* In the table of this catalog; counted for the caller. NULL: it is not there. */
static const cando_target *find(const cando *c, const cando_catalog *cat,
                                const struct target_key *k)
{
    const cando_target *found = NULL;
    engine_lock(c);
    struct targets *table = c->catalog == cat ? c->targets : NULL;
    struct kept *p = table ? table->way[k->hash % SETS] : NULL;
    for (unsigned i = 0; p && i < WAYS && !found; i++)
        if (p[i].target && has_key(p[i].target, k)) {
            p[i].used = ++table->clock;
            found = target_retain(p[i].target);
        }
    engine_unlock(c);
    return found;
}

/* Puts a target in, unless another catalog is in force by now or it is there already. `spare`
 * is a new table, in case there is none. Both are NULL if they are not to be freed again. */
static void keep(struct cando *c, const cando_target **target, struct targets **spare)
{
    const cando_target *t = *target;
    engine_lock(c);
    bool ours = c->catalog == t->catalog;
    if (ours && !c->targets) {
        c->targets = *spare;
        c->free_targets = targets_free;
        *spare = NULL;
    }
    if (ours) {
        struct kept *p = c->targets->way[t->key.hash % SETS], *oldest = p;
        for (unsigned i = 0; i < WAYS && ours; i++) {
            ours = !p[i].target || !has_key(p[i].target, &t->key);
            oldest = p[i].used < oldest->used ? &p[i] : oldest;
        }
        if (ours) {
            *target = oldest->target;
            *oldest = (struct kept){t, ++c->targets->clock};
        }
    }
    engine_unlock(c);
}

static struct targets *table_new(const cando_allocator *a)
{
    struct targets *t = mem_alloc(a, sizeof *t);
    if (t)
        memset(t, 0, sizeof *t);
    return t;
}

const cando_target *targets_take(const cando *c, const cando_catalog *cat, struct str provider,
                                 struct str model, unsigned flags, cando_error *err)
{
    struct target_key k = target_key(provider, model, flags);
    const cando_target *t = c->borrowed ? NULL : find(c, cat, &k);
    if (t)
        return t;
    t = target_make(cat, &k, c->a, err);
    if (!t || c->borrowed)
        return t;
    struct targets *spare = table_new(c->a);
    const cando_target *other = t;
    if (spare) { /* without memory for it nothing is kept */
        target_retain(t);
        keep((struct cando *)c, &other, &spare);
        cando_target_release(other);
        mem_free(c->a, spare, sizeof *spare);
    }
    return t;
}

const cando_target *cando_target_of(const cando *c, cando_name name, unsigned flags,
                                    cando_error *err)
{
    struct str provider, model;
    if (!target_name(name, &provider, &model, err))
        return NULL;
    const cando_catalog *cat = cando_get_catalog(c);
    const cando_target *t = targets_take(c, cat, provider, model, flags, err);
    cando_catalog_release(cat);
    return t;
}

cando_status cando_request_api(const cando *c, const char *request, size_t len, cando_report *work,
                               char *out, size_t size, cando_error *err)
{
    const cando_target *t = cando_target_of(c, (cando_name){0}, 0, err);
    struct str api;
    if (size)
        *out = '\0';
    if (!t)
        return CANDO_INTERNAL;
    cando_status st = preflight_api(t, work, str_make(request, len), &api, err);
    if (st == CANDO_OK && size) {
        api = str_head(api, size - 1);
        memcpy(out, api.p, api.n);
        out[api.n] = '\0';
    }
    cando_target_release(t);
    return st;
}
