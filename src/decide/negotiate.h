/*
 * negotiate.h - a session's needs against a target, and what to say about it.
 *
 * The profile of the target comes from the catalog, or from claims that were given
 * inline, or from both: claims are untrusted, and where the catalog knows better
 * (the context window, image, audio and video input) it counts and the claim is
 * listed as overstated. A pair that nobody knows has the default vector: what
 * [defaults] say, and prompt caching probed.
 *
 * A backend has what it declares and nothing else: what it does not advertise is not there,
 * so a hard need for it is missing.
 *
 * A conversation so far has to survive on the target: an error among the findings
 * about it rejects, a warning degrades. So does what preflight says of a request; what it
 * can repair without a loss is a warning.
 */
#ifndef CANDO_NEGOTIATE_H
#define CANDO_NEGOTIATE_H

#include "check.h"
#include "request/history.h"
#include "verdicts.h"

struct overstated {
    const char *capability;
    uint64_t claimed, known; /* of numbers; levels of the others */
    bool number;
};

#define OVERSTATED_MAX 5

struct negotiation {
    const cando_catalog *cat;
    struct need_list needs;
    cando_unknown unknown;
    bool has_target, has_previous;
    struct str provider, model; /* the target */
    struct str previous_provider, previous_model;
    const cando_planes *claims; /* or NULL */
    bool declared;              /* they are a manifest: what it leaves out is not there */
    const cando_param *param;
    size_t n_params;
    cando_bytes history;       /* p is NULL: none */
    struct str history_at;     /* its place in the question */
    cando_bytes request;       /* or p is NULL: none */
    const char *request_api;   /* as the question names it, or NULL */
    struct verdicts *verdicts; /* of a request; NULL: none */
    const char *error;         /* what it is called if a capability is missing */

    /* what came of it */
    cando_profile *profile; /* of the target */
    cando_planes *planes;   /* of what was asked for */
    bool partly;            /* the profile knows more than the planes */
    cando_outcome *outcome; /* one a need */
    cando_check_result result;
    struct overstated overstated[OVERSTATED_MAX];
    unsigned n_overstated;
    struct hist_findings found;
    cando_finding *refused; /* what preflight says of the request */
    size_t n_refused;
    cando_finding *lost; /* what of it the target's own API cannot say: notes */
    size_t n_lost;
    bool refuses;          /* it rejects */
    struct str suggestion; /* "provider/model"; p is NULL: there is none */
};

/* Is it met by something that only looks like it? */
static inline bool need_not_strict(const struct need *x, cando_outcome o)
{
    return x->strict && (o.have == CANDO_EMULATED || o.have == CANDO_RESTRICTED) &&
           o.effect != CANDO_MISSING;
}

/* Decides; false: r->error is set. */
bool negotiate_run(struct reading *r, struct negotiation *n);
/* What the target has of a field is in n->planes from now on. */
void negotiate_know(struct negotiation *n, unsigned field);
/* Decides, and says so. NULL: r->error is set. */
const cando_negotiate_answer *negotiate_answer(struct reading *r, struct negotiation *n);

/* name_split, with a hint at who offers a model that is named alone. */
bool negotiate_name(struct reading *r, const cando_catalog *cat, cando_name name, struct str at,
                    struct str *provider, struct str *model);

extern const struct shape_words param_layer_words;

/* Are these parameters well formed? */
bool negotiate_params(struct reading *r, const cando_param *list, size_t n);

#endif
