/*
 * overlay.h - a catalog with rules of one's own on top; for engines that keep theirs.
 */
#ifndef CANDO_BINDING_OVERLAY_H
#define CANDO_BINDING_OVERLAY_H

#include "cando.h"

/* What `base` holds, and the rule file `text` (of any syntax) as a project's on top of it. NULL:
 * there was no memory, or the text has errors; the first of them is in err. */
static inline const cando_catalog *binding_overlay(const cando_catalog *base, const char *name,
                                                   const char *text, size_t n, cando_error *err)
{
    const cando_catalog *out = NULL;
    const void *snapshot;
    size_t size;
    cando_sources *s = cando_sources_new(NULL, err);
    if (!s)
        return NULL;
    if (cando_sources_add_catalog(s, base, 0, err) == CANDO_OK &&
        cando_sources_add(s, name, text, n, CANDO_SYNTAX_AUTO, CANDO_LAYER_PROJECT, err) ==
            CANDO_OK &&
        cando_sources_build(s, &snapshot, &size, err) == CANDO_OK)
        out = cando_catalog_open_copy(snapshot, size, NULL, err);
    cando_sources_free(s);
    return out;
}

#endif
