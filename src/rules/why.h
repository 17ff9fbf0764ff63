/*
 * why.h - the evidence behind an answer.
 */
#ifndef CANDO_WHY_H
#define CANDO_WHY_H

#include "resolve.h"

/* A rule that spoke of a field and did not win, or that nearly matched. */
struct why_rule {
    uint32_t rule;
    uint32_t prec;
    struct str reason;
    bool whole; /* told of the model, not of single fields */
};

struct why {
    struct arena *ar;
    struct match_query *q;
    const cando_profile *p;
    cando_profile walked;     /* the answer again, by the walk: the same, with a trace */
    struct why_rule *matched; /* all that matched, strongest first, each once */
    size_t n_matched, cap_matched;
    struct why_rule *near; /* nearest first */
    size_t n_near;
    unsigned field; /* these speak of it; FIELD_COUNT: of anything */
    bool failed;
};

#define WHY_NEAR 8 /* near misses that are worth a reader's time */

/* Collects the evidence for a profile that `q` gave; near misses are those that speak of the
 * field, or all if it is FIELD_COUNT. False if there is no memory. q and p must outlive it. */
bool why_collect(struct why *w, struct arena *ar, struct match_query *q, const cando_profile *p,
                 cando_resolution how, unsigned field);

/* The value that a rule gives to a field, or 0 if it gives none. */
uint32_t why_value(const struct snapshot *s, uint32_t rule, unsigned field);

#endif
