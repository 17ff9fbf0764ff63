/*
 * policy.h - may this model be used, as far as allow and deny lists say?
 */
#ifndef CANDO_POLICY_H
#define CANDO_POLICY_H

#include "catalog/snapshot.h"

/* Is there any list at all? Without one everything is allowed. */
static inline bool policy_any(const struct snapshot *s)
{
    return s->sec[SEC_POLICY].n != 0;
}

/* `provider` is its number, or SNAP_NONE and then `name` is compared alone. An id
 * in any case; `canonical` is what it is another spelling of, or NULL: a list that
 * denies a model denies its other spellings, its dated ids and the names that stand
 * for it, one that allows it allows no more than what it says. */
cando_policy policy_check(const struct snapshot *s, uint32_t provider, struct str name,
                          struct str id, const char *canonical);

#endif
