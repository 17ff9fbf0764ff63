#include "ruled.h"

#include <stdatomic.h>

struct ruled {
    const cando_allocator *a;
    _Atomic uint32_t refs;
    cando *engine;
    uint64_t hash;
    size_t n;
    char key[];
};

static struct ruled *retain(struct ruled *r)
{
    atomic_fetch_add_explicit(&r->refs, 1, memory_order_relaxed);
    return r;
}

void ruled_release(struct ruled *r)
{
    if (!r || atomic_fetch_sub_explicit(&r->refs, 1, memory_order_acq_rel) != 1)
        return;
    cando_free(r->engine);
    mem_free(r->a, r, sizeof *r + r->n);
}

const cando *ruled_engine(const struct ruled *r)
{
    return r->engine;
}

struct ruled *ruled_find(const cando *c, struct str key)
{
    struct cando *own = (struct cando *)c;
    struct ruled *found = NULL;
    uint64_t hash = str_hash(key, 0);
    engine_lock(c);
    for (unsigned i = 0; i < ENGINE_RULED && own->ruled[i]; i++)
        if (own->ruled[i]->hash == hash && own->ruled[i]->n == key.n) {
            found = retain(own->ruled[i]);
            for (; i > 0; i--) /* the one that was used last comes first */
                own->ruled[i] = own->ruled[i - 1];
            own->ruled[0] = found;
            break;
        }
    engine_unlock(c);
    if (found && !str_eq(str_make(found->key, found->n), key)) {
        ruled_release(found);
        return NULL;
    }
    return found;
}

/* In front, unless another catalog is in force by now. Two threads that miss the same rules at once
 * compile them twice, and both stand here. */
static void keep(struct cando *c, const cando_catalog *base, struct ruled *r)
{
    struct ruled *last = r;
    engine_lock(c);
    if (c->catalog == base) {
        last = c->ruled[ENGINE_RULED - 1];
        for (unsigned i = ENGINE_RULED - 1; i > 0; i--)
            c->ruled[i] = c->ruled[i - 1];
        c->ruled[0] = r;
        c->release_ruled = ruled_release;
    }
    engine_unlock(c);
    ruled_release(last);
}

struct ruled *ruled_new(const cando *c, const cando_catalog *base, struct str key,
                        const cando_catalog *made)
{
    size_t n = key.n;
    struct ruled *r = mem_alloc(c->a, sizeof *r + n);
    if (!r)
        return NULL;
    r->a = c->a;
    atomic_init(&r->refs, 1);
    r->n = n;
    r->hash = str_hash(key, 0);
    memcpy(r->key, key.p, n);
    r->engine = cando_new(made, c->a, NULL);
    if (!r->engine) {
        mem_free(c->a, r, sizeof *r + n);
        return NULL;
    }
    if (n)
        keep((struct cando *)c, base, retain(r));
    return r;
}
