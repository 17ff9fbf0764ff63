/*
 * request_arg.h - `request` and `dialect` as arguments: a request read, and what it needs.
 *
 * Operations that decide or price want to know of a request what it demands and how
 * large it is, not whether it is right: for that there is preflight, which scans it in
 * the same way.
 */
#ifndef CANDO_OP_REQUEST_ARG_H
#define CANDO_OP_REQUEST_ARG_H

#include "decide/need.h"
#include "op.h"
#include "request/preflight.h"

/* One demand of a request: the first rule that makes it. */
struct demand {
    unsigned slot;
    uint32_t at;          /* byte of the request */
    const char *rule;
};

struct request_arg {
    const struct json *body; /* the request itself, without the envelope of a batch job */
    struct str text;         /* its bytes */
    struct str at;           /* its place in the question */
    bool batch;              /* it came in such an envelope */
    const char *told;        /* the API that the question names, or NULL */
    /* after request_scan */
    const char *api;     /* static, or of the catalog */
    struct fit_range tokens;
    uint64_t output;         /* the longest answer asked for; 0: not said */
    uint32_t output_at;      /* where; 0: not known */
    unsigned tokenizer;      /* enum fit_family */
    cando_planes planes;     /* of the target */
    struct demand demand[SLOT_COUNT]; /* each slot once, in the order of the request */
    unsigned n_demands;
};

/* The arguments; `request` must be there. */
bool arg_request(struct op_call *c, struct request_arg *out);
/* Scans it for a target, which may be empty: then nothing is known of the model. */
bool request_scan(struct op_call *c, const cando_catalog *cat, struct str provider, struct str model, struct request_arg *r);
bool request_demands(const struct request_arg *r, unsigned slot);
/* The provider whose API the request's API is; empty: nobody's. */
struct str request_vendor(const cando_catalog *cat, const struct request_arg *r);

/* What it needs: each capability once, the window for the prompt and the answer, the
 * length of the answer if it asks for one. */
bool request_needs(struct op_call *c, const cando_catalog *cat, struct need_list *out);

#endif
