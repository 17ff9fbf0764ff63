/*
 * named.h - whose model is it that a request names, where the question does not say?
 */
#ifndef CANDO_NAMED_H
#define CANDO_NAMED_H

#include "preflight.h"

enum named_by {
    NAMED_BY_CALLER, /* the provider was given */
    NAMED_BY_API,    /* the API's own vendor has it, */
    NAMED_BY_LAB,    /* or the lab that its name leads to */
    NAMED_BY_ALIAS,  /* or one provider alone has an alias of this name, */
    NAMED_BY_POLICY, /* or the lab's is denied */
};

struct named {
    struct str provider, model; /* empty: nobody in particular */
    enum named_by by;
};

/* The model that the request itself names: at `provider` (NULL: nobody said), or at its API's own
 * vendor if that is known to have it, or one that is a slip away, or others of its name, or at
 * its lab, or where it is an alias, or where a policy denies it. `api` NULL: found by its shape.
 * False: nobody in particular, or no memory. */
bool request_named(const cando *c, const cando_catalog *cat, cando_report *work, struct arena *ar,
                   struct str text, const char *api, const char *provider, struct named *out);

#endif
