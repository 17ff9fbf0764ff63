/*
 * match.h - work orders against the manifests of agent backends.
 *
 * A manifest satisfies an order if it satisfies each requirement. What it offers
 * falls into three buckets, in the order of the requirements: native, emulated (with
 * the strategy by which it is made up for, and the reason of a restriction), and
 * unsupported with the reason. A capability that is declared unsupported and asked
 * for with threshold `any` satisfies, and is listed as what it is.
 */
#ifndef CANDO_MATCH_ORDER_H
#define CANDO_MATCH_ORDER_H

#include "check.h"
#include "offer.h"

enum match_bucket { BUCKET_NATIVE, BUCKET_EMULATED, BUCKET_UNSUPPORTED };

struct match_item {
    enum match_bucket bucket;
    const char *strategy; /* EMULATED */
    struct str reason;    /* may be empty */
};

struct match_result {
    bool satisfied;
    struct match_item *item; /* one a need */
    unsigned count[3];       /* by bucket */
};

/* False: no memory. */
bool match_run(struct reading *r, const struct need_list *order, const cando_planes *manifest, struct match_result *out);
/* How a capability is made up for where it is not native. */
const char *match_strategy(const struct need *n);

/* A backend: an offering of a provider of kind `backend`, by its id or as
 * "provider/id". Only what is declared for it counts, nothing that holds for models
 * in general. */
struct backend {
    struct str provider, id;
    cando_profile profile;
    cando_planes planes;
};
bool match_backend(struct reading *r, const cando_catalog *cat, struct str name, struct str at, struct backend *out);

/* All backends for an order: those that satisfy it first, then fewer unsupported,
 * more native, then by name. */
struct ranked_backend {
    struct backend *backend;
    struct match_result result;
};
bool match_rank(struct reading *r, const cando_catalog *cat, const struct need_list *order, struct ranked_backend **out, size_t *n);

#endif
