/*
 * version.h - where the version stands inside an id.
 *
 *     llama-v3p3-70b-instruct            kimi-k2-6
 *     `---'~~^-^`-----------'            `----'^-^
 *     head   | |     tail                 head | |
 *       join | major.minor                join is empty
 *
 * model_version (model_id.h) wants the numbers; the id parser also wants the
 * pieces, so that it can spell the same id in another house's way.
 */
#ifndef CANDO_VERSION_H
#define CANDO_VERSION_H

#include "base/str.h"

struct version_span {
    struct str head;  /* before the version, without its dash           */
    struct str join;  /* "-", "-v" or nothing                           */
    struct str major; /* one or two digits                              */
    struct str minor; /* one or two digits, or nothing                  */
    struct str tail;  /* from there on, with its dash                   */
};

/* The first version of a folded id that has no path, no vendor and no tag in
 * front. Sizes (70b, 8x7b, a22b), dates and snapshots are passed over. */
bool version_find(struct str id, struct version_span *out);

#endif
