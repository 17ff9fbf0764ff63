/*
 * view.h - a profile in the words of one system or another.
 */
#ifndef CANDO_VIEW_H
#define CANDO_VIEW_H

#include "catalog/profile.h"

struct view {
    struct profile_fact fact[FIELD_COUNT];
    cando_field_value *field; /* in the arena, without `said` */
    size_t n;
};

/* False: no memory. */
bool view_make(struct view *v, struct arena *ar, const cando_profile *p, cando_view words);

#endif
