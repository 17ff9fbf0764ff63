/*
 * sources.h - the object behind cando_sources.
 */
#ifndef CANDO_SOURCES_H
#define CANDO_SOURCES_H

#include "catalog/snapshot.h"
#include "rule.h"

struct cando_sources {
    const cando_allocator *a;
    struct arena ar;
    struct ruleset rs;
    const cando_catalog **held; /* catalogs that the rules point into */
    size_t n_held, cap_held;
    void *built;
    size_t built_len;
};

/* Begins with all that a catalog holds. Only before the first add, once. */
static inline cando_status sources_add_catalog(cando_sources *s, const cando_catalog *c,
                                               cando_error *err)
{
    return cando_sources_add_catalog(s, c, 0, err);
}
/* Builds and opens. NULL with err, also if the sources have fatal findings: the
 * first of them is the error. */
const cando_catalog *sources_open(cando_sources *s, cando_error *err);

#endif
