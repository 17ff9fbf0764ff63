/*
 * negotiate.h - a session's needs against a target, and what to say about it.
 *
 * The profile of the target comes from the catalog, or from claims that were given
 * inline, or from both: claims are untrusted, and where the catalog knows better
 * (the context window, image, audio and video input) it counts and the claim is
 * listed as overstated. A pair that nobody knows has the default vector: what
 * [defaults] say, and prompt caching probed.
 */
#ifndef CANDO_NEGOTIATE_H
#define CANDO_NEGOTIATE_H

#include "check.h"
#include "offer.h"

/* A parameter of the session, and what becomes of it on the target. */
struct param {
    const struct json *path, *value;
    struct str layer;      /* "defaultParams", "launch", "/params" */
    struct str reason;     /* empty: it applies */
};

struct overstated {
    const char *capability;
    uint64_t claimed, known; /* of numbers; levels of the others */
    bool number;
};

#define OVERSTATED_MAX 4

struct negotiation {
    const cando_catalog *cat;
    struct need_list needs;
    cando_unknown unknown;
    bool has_target, has_claims, has_previous;
    struct str provider, model;            /* the target */
    struct str previous_provider, previous_model;
    cando_planes claims;                   /* valid if has_claims */
    struct param *param;
    size_t n_params;
    /* A further condition on what is suggested, or NULL. */
    bool (*admits)(void *ctx, const struct offers *o, const struct snap_row *row);
    void *admits_ctx;

    /* the answer */
    cando_profile profile;                 /* valid if has_target */
    cando_planes planes;
    cando_outcome *outcome;                /* one a need */
    cando_check_result result;
    struct overstated overstated[OVERSTATED_MAX];
    unsigned n_overstated;
    bool has_suggestion;
    struct str suggested_provider, suggested_model;
};

/* False: r->error is set. */
bool negotiate_run(struct reading *r, struct negotiation *n);
/* Rejects what the needs alone would have accepted, and looks for a way out. False:
 * r->error is set. */
bool negotiate_reject(struct reading *r, struct negotiation *n);
/* [{"path":[..],"value":..,"layer":..}, ..] */
bool negotiate_params(struct reading *r, const struct json *v, struct str at, struct negotiation *n);

/* An offering of the catalog that meets every hard need, known for sure, and that
 * n->admits takes; see
 * docs/deciding.md for the order. False: there is none, or no memory. */
bool negotiate_suggest(struct reading *r, struct negotiation *n);

#endif
