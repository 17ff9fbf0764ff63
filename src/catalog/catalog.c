/*
 * catalog.c - catalogs: a snapshot, where its bytes come from, and how many
 * hold on to it.
 *
 * A catalog is immutable. Its count of references is the only thing that
 * changes, and it is atomic, so that any thread may let go last.
 */
#include "snapshot.h"

#include "base/file.h"
#include "base/limits.h"

#include <stdatomic.h>

#define REFS_STATIC UINT32_MAX

const char *cando_version(void)
{
    return CANDO_VERSION;
}

static struct cando_catalog *catalog_new(const cando_allocator *a, cando_error *err)
{
    struct cando_catalog *c = mem_alloc(a, sizeof *c);
    if (!c)
        return no_memory(err);
    memset(c, 0, sizeof *c);
    c->a = a;
    atomic_init(&c->refs, 1);
    return c;
}

const cando_catalog *cando_catalog_open(const void *data, size_t size, const cando_allocator *a,
                                        cando_error *err)
{
    if (size > LIMIT_SNAPSHOT_BYTES) {
        error_set(err, CANDO_BAD_INPUT, CODE_too_long,
                  "the snapshot has %zu bytes, the limit is %u", size, LIMIT_SNAPSHOT_BYTES);
        return NULL;
    }
    struct cando_catalog *c = catalog_new(a, err);
    if (!c)
        return NULL;
    if (snapshot_open(&c->snap, data, size, err) != CANDO_OK ||
        snapshot_check(&c->snap, err) != CANDO_OK) {
        mem_free(a, c, sizeof *c);
        return NULL;
    }
    return c;
}

const cando_catalog *cando_catalog_open_copy(const void *data, size_t size,
                                             const cando_allocator *a, cando_error *err)
{
    void *copy = mem_alloc(a, size);
    if (!copy)
        return no_memory(err);
    memcpy(copy, data, size);
    struct cando_catalog *c = (struct cando_catalog *)cando_catalog_open(copy, size, a, err);
    if (!c) {
        mem_free(a, copy, size);
        return NULL;
    }
    c->owned = copy;
    c->owned_size = size;
    return c;
}

const cando_catalog *catalog_open_trusted(void *owned, size_t size, const cando_allocator *a,
                                          cando_error *err)
{
    struct cando_catalog *c = catalog_new(a, err);
    if (!c)
        return NULL;
    if (snapshot_open(&c->snap, owned, size, err) != CANDO_OK) {
        mem_free(a, c, sizeof *c);
        return NULL;
    }
    c->owned = owned;
    c->owned_size = size;
    return c;
}

const cando_catalog *cando_catalog_open_file(const char *path, const cando_allocator *a,
                                             cando_error *err)
{
    char *text;
    size_t len;
    if (file_read(path, LIMIT_SNAPSHOT_BYTES, a, &text, &len, err) != CANDO_OK)
        return NULL;
    struct cando_catalog *c = (struct cando_catalog *)cando_catalog_open(text, len, a, err);
    if (!c) {
        error_at(err, str_of(path), 0, 0);
        mem_free(a, text, len + 1);
        return NULL;
    }
    c->owned = text;
    c->owned_size = len + 1;
    return c;
}

const cando_catalog *cando_catalog_retain(const cando_catalog *c)
{
    struct cando_catalog *own = (struct cando_catalog *)c;
    if (own && atomic_load_explicit(&own->refs, memory_order_relaxed) != REFS_STATIC)
        atomic_fetch_add_explicit(&own->refs, 1, memory_order_relaxed);
    return c;
}

void cando_catalog_release(const cando_catalog *c)
{
    struct cando_catalog *own = (struct cando_catalog *)c;
    if (!own || atomic_load_explicit(&own->refs, memory_order_relaxed) == REFS_STATIC)
        return;
    if (atomic_fetch_sub_explicit(&own->refs, 1, memory_order_acq_rel) != 1)
        return;
    const cando_allocator *a = own->a;
    mem_free(a, own->owned, own->owned_size);
    mem_free(a, own, sizeof *own);
}

size_t cando_catalog_models(const cando_catalog *c)
{
    return c->snap.sec[SEC_ROWS].n;
}

cando_model cando_catalog_model(const cando_catalog *c, size_t i)
{
    const struct snapshot *s = &c->snap;
    if (i >= s->sec[SEC_ROWS].n)
        return (cando_model){NULL, NULL};
    struct snap_row row = snap_row(s, i);
    return (cando_model){snap_str(s, snap_provider(s, row.provider).id).p, snap_str(s, row.id).p};
}

void cando_catalog_describe(const cando_catalog *c, cando_catalog_info *out)
{
    const struct snapshot *s = &c->snap;
    uint32_t facts = 0;
    for (size_t i = 0; i < s->sec[SEC_RULES].n; i++)
        facts += (snap_rule(s, i).flags & RULEF_FACT) != 0;
    *out = (cando_catalog_info){
        .format_version = SNAP_MAJOR,
        .rules = (uint32_t)s->sec[SEC_RULES].n - facts,
        .models = (uint32_t)s->sec[SEC_ROWS].n, /* several layers may have facts of one */
        .providers = (uint32_t)s->sec[SEC_PROVIDERS].n,
        .fields = s->n_fields,
        .bytes = s->size,
        .source_hash = s->source_hash,
    };
}
