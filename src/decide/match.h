/*
 * match.h - agent backends, for whoever holds something against one.
 */
#ifndef CANDO_MATCH_ORDER_H
#define CANDO_MATCH_ORDER_H

#include "check.h"
#include "offer.h"

/* A backend: an offering of a provider of kind `backend`, by its id or as
 * "provider/id". Only what is declared for it counts, nothing that holds for models
 * in general. */
struct backend {
    struct str provider, id;
    cando_profile profile;
    cando_planes planes;
};
/* In the reader's arena; NULL: the error is set. */
struct backend *match_backend(struct reading *r, const cando_catalog *cat, struct str name,
                              struct str at);

/* Is it a provider of backends? */
bool match_is_backend(const cando_catalog *cat, uint32_t provider);
/* What is declared for a backend itself. */
void match_declared(const cando_profile *p, cando_planes *out);

/* How a capability is made up for where it is not native. */
const char *match_strategy(const struct need *n);

#endif
