/*
 * query.h - one query over offerings: what excludes, what orders, and one scan.
 *
 * A candidate is excluded by the first of these that it fails, and counted there:
 *
 *     providers, kinds      who serves it
 *     deny, allow           patterns of the question
 *     policy                the allow and deny lists of the catalog itself
 *     retired, unlisted,    what is retired is never recommended, what is deprecated or named by
 *     deprecated            a price list alone only where `status` asks for it
 *     status                where it is in its life on the day that is asked about
 *     the tests             require, forbid, cannot, minimum, maximum, released
 *     model, match, words, like    its name
 *     for                   what it is made for: a conversation, vectors, sound, ..
 *     request               what preflight says of a request that shall run there
 *
 * (A list of models counts the policy last: those that it alone leaves out. It also lists
 * what is retired.) `require` takes an explicit yes only, `forbid` excludes an explicit
 * yes only, `cannot` takes an explicit no only, and a number that nobody knows meets no
 * bound; where unknown offerings are included they pass all of these. What fits is
 * ordered, totally:
 *
 *     preferred providers in their order
 *     more of the preferred capabilities
 *     how near the name is to `like`, or else the key of `sort`; unknown last
 *     the name "provider/id", in lower case, byte by byte
 *
 * The candidates are the rows of a catalog, or models that were given inline.
 */
#ifndef CANDO_QUERY_H
#define CANDO_QUERY_H

#include "catalog/offered.h"
#include "need.h"
#include "offer.h"
#include "text/glob.h"
#include "verdicts.h"

/* -- candidates ---------------------------------------------------------------------------- */

struct inline_model {
    struct str name, provider, id;
    cando_planes planes;
    uint32_t release;
};

struct candidates {
    struct offers offers;           /* offers.cat is NULL for inline models */
    const struct inline_model *own; /* these, in the order of their names */
};

bool candidates_inline(struct reading *r, const struct json *models, struct str at,
                       struct candidates *out);
struct str candidate_provider(const struct candidates *c, uint32_t index);
struct str candidate_id(const struct candidates *c, uint32_t index);
/* How well a candidate has what a slot stands for. */
cando_support candidate_level(const struct candidates *c, uint32_t index, unsigned slot);
bool candidate_number(const struct candidates *c, uint32_t index, unsigned number, uint64_t *out);
bool candidate_set(const struct candidates *c, uint32_t index, unsigned set, uint32_t *out);

/* -- a query ------------------------------------------------------------------------------- */

enum test_word {
    TEST_REQUIRE,
    TEST_FORBID,
    TEST_CANNOT,
    TEST_MINIMUM,
    TEST_MAXIMUM,
    TEST_RELEASED,
    TEST_PREFER
};
enum test_kind {
    TEST_SLOT,
    TEST_NUMBER,
    TEST_SET,
    TEST_PRICE,
    TEST_DAY
}; /* the first three as in need.h */

struct query_test {
    uint8_t word, kind;   /* enum test_word, enum test_kind */
    uint8_t slot;         /* in the planes; a number's or set's index; 1: the price of output */
    uint8_t min_support;  /* SLOT: cando_min_support */
    uint32_t set;         /* SET: words that must be there */
    uint64_t least, most; /* NUMBER, PRICE, DAY */
    struct str name;      /* as it was written */
};

/* "openai", "openai/gpt-*" */
struct query_pattern {
    bool whole; /* names providers alone */
    struct glob_set glob;
};

struct query {
    struct candidates from;
    bool lists; /* a list of models: see above */
    bool include_unknown;
    const struct str *provider, *kind, *favourite; /* `favourite`: providers that are preferred */
    size_t n_providers, n_kinds, n_favourites;
    bool has_providers, has_allow;
    const struct query_pattern *allow, *deny, *match;
    size_t n_allow, n_deny, n_match;
    const struct str *words; /* folded; all are in the name */
    size_t n_words;
    const struct str *purpose; /* words of model_kind: one of them, if there are any */
    size_t n_purpose;
    struct offered *model; /* NULL: any */
    struct str like;       /* empty: any */
    unsigned status;       /* a bit for each that fits; 0: any */
    struct query_test *test, *prefer;
    size_t n_tests, n_prefer, cap_tests, cap_prefer;
    struct verdicts *verdicts; /* NULL: there is no request */
    bool wants_refused;        /* those that it excludes are listed */
    cando_sort sort;
    bool reverse;
    size_t limit; /* SIZE_MAX: all */
};

/* `q` over the catalog, or over q->models. */
bool query_read(struct reading *r, const cando_catalog *cat, const cando_query *q, bool lists,
                struct query *out);
/* Adds the needs of somebody else: capabilities to what is required (hard) or preferred,
 * numbers to what is least, unless they are there. */
bool query_add_needs(struct reading *r, struct query *x, const struct need_list *needs);

/* -- its result ---------------------------------------------------------------------------- */

enum query_reason {
    FITS, /* none: it fits */
    OUT_PROVIDERS,
    OUT_KINDS,
    OUT_ALLOW,
    OUT_DENY,
    OUT_POLICY,
    OUT_RETIRED,
    OUT_UNLISTED,
    OUT_DEPRECATED,
    OUT_STATUS,
    OUT_MODEL,
    OUT_MATCH,
    OUT_LIKE,
    OUT_PURPOSE,
    OUT_REQUEST,
    OUT_TESTS, /* from here on: the tests */
};

struct query_hit {
    uint64_t rank;  /* smaller is better: provider, preferred capabilities, is the value unknown? */
    uint64_t value; /* smaller is better; then the index */
    uint32_t index;
};

static inline size_t hit_favourite(const struct query_hit *h)
{
    return (size_t)(h->rank >> 32);
}

/* Excluded by what preflight says. */
struct query_refused {
    uint32_t index;
    const struct verdict *verdict;
};

struct query_result {
    struct query_hit *hit;
    size_t n; /* listed */
    size_t considered;
    uint32_t *count; /* by enum query_reason; [FITS]: how many fit, listed or not */
    uint32_t *codes; /* of OUT_REQUEST by the code that decided; NULL: there is no request */
    struct query_refused *refused; /* in the order of names, if they are wanted */
    size_t n_refused;
};

/* False: no memory. */
bool query_run(struct reading *r, const struct query *q, struct query_result *out);
/* Does a candidate have what is preferred? */
bool query_prefers(const struct query *q, const struct query_test *t, uint32_t index);
struct suggestion {
    struct str near[2]; /* providers that come first; may be empty */
    /* A last condition, or NULL; asked only of what is better than all before it. */
    bool (*admits)(void *ctx, const struct offers *o, uint32_t index);
    void *ctx;
};

/* "provider/model" of the best offering that meets every hard need, known for sure, and is
 * neither a backend nor deprecated nor forbidden: by provider, then with more of the
 * preferred needs met, then the cheapest. False: there is none, or no memory. */
bool query_suggest(struct reading *r, const cando_catalog *cat, const struct need_list *needs,
                   const struct suggestion *s, struct str *out);

#endif
