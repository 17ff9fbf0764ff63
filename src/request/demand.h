/*
 * demand.h - a request read for what it demands and how large it is.
 *
 * Operations that decide or price want to know that of a request, not whether it is
 * right: for that there is preflight, which scans it in the same way.
 */
#ifndef CANDO_DEMAND_H
#define CANDO_DEMAND_H

#include "preflight.h"
#include "text/reading.h"

/* One demand of a request: the first rule that makes it. */
struct demand {
    unsigned slot;
    bool general; /* of `uses`: a no is judged with the whole request */
    uint32_t at;  /* byte of the request */
    const char *rule;
};

struct demands {
    const struct json *body; /* the request itself, without the envelope of a batch job */
    struct str text;         /* its bytes */
    struct str at;           /* its place in the question */
    bool batch;              /* it came in such an envelope */
    const char *told;        /* the API that the question names, or NULL */
    /* after demands_scan */
    const char *api; /* static, or of the catalog */
    struct fit_range tokens;
    uint64_t output;                  /* the longest answer asked for; 0: not said */
    uint32_t output_at;               /* where; 0: not known */
    unsigned tokenizer;               /* enum fit_family */
    cando_planes planes;              /* of the target */
    struct demand demand[SLOT_COUNT]; /* each slot once, in the order of the request */
    unsigned n_demands;
};

/* `request` is the question's member of that name, JSON; `api` may be NULL. */
bool demands_read(struct reading *r, cando_bytes request, const char *api, struct demands *out);
/* Scans it for a target, which may be empty: then nothing is known of the model. */
bool demands_scan(struct reading *r, const cando_catalog *cat, struct str provider,
                  struct str model, struct demands *d);
bool demands_has(const struct demands *d, unsigned slot);
/* The JSON Pointer of a byte of the request, in the question; p is NULL: no memory. */
struct str demands_place(struct reading *r, const struct demands *d, uint32_t at);

#endif
