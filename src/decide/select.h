/*
 * select.h - which offerings fit, and in which order.
 *
 * Criteria exclude or order, and say so. A candidate is excluded by the first of
 * these that it fails, and counted there:
 *
 *     providers, allow, deny, policy, retired, require, forbid, minimum, maximum
 *
 * (`policy`: the allow and deny lists of the catalog itself.)
 *
 * `require` takes an explicit yes only, `forbid` excludes an explicit yes only, and
 * a limit or price that nobody knows meets no minimum and no maximum. The rest is
 * ordered, totally:
 *
 *     preferred providers in their order
 *     more of the preferred capabilities
 *     `sort`: price (cheapest first), context (largest), release (newest); unknown last
 *     the name "provider/id", in lower case, byte by byte
 *
 * A choice over a whole catalog is one scan of packed rows.
 */
#ifndef CANDO_SELECT_H
#define CANDO_SELECT_H

#include "claims.h"
#include "offer.h"

enum select_sort { SORT_NAME, SORT_PRICE, SORT_CONTEXT, SORT_RELEASE, SORT_COUNT };
extern const char *const select_sorts[SORT_COUNT];

enum select_limit { LIMIT_NUMBER_FIELD, LIMIT_INPUT_PRICE, LIMIT_OUTPUT_PRICE };

struct select_bound {
    uint8_t kind, number;  /* enum select_limit; the number's index */
    uint64_t value;
    struct str name;       /* as it was written */
};

/* "openai", "openai/gpt-*": a provider, or a glob over "provider/id". */
struct select_pattern {
    struct str text;
    bool whole;            /* names providers alone */
    struct glob_programs {
        struct str *program;
        size_t n;
    } glob;
};

struct criteria {
    struct need_list require, forbid, prefer; /* each one a slot (require also sets) */
    struct str *provider, *prefer_provider;
    size_t n_providers, n_prefer_providers;
    bool has_providers, has_allow;
    struct select_pattern *allow, *deny;
    size_t n_allow, n_deny;
    struct select_bound *minimum, *maximum;
    size_t n_minimum, n_maximum;
    enum select_sort sort;
    size_t limit;          /* SIZE_MAX: all */
};

/* Where candidates come from: a catalog, or models that were given inline. */
struct select_source {
    struct offers offers;  /* offers.cat is NULL for inline models */
    struct str *provider, *id;   /* inline, in the order of their names */
    const cando_planes *planes;  /* inline */
};

struct select_match {
    uint64_t rank, value;  /* smaller is better; then the index */
    uint32_t index;
};

struct selection {
    struct select_match *match;
    size_t n;              /* listed */
    size_t matched;        /* found, listed or not */
    size_t considered;
    size_t n_reasons;      /* criteria that can exclude, in their order */
    struct str *reason;
    size_t *excluded;      /* by reason */
};

/* Reads require, forbid, prefer, minimum, maximum, providers, allow, deny, sort and
 * limit from an object; other members are not looked at. */
bool criteria_read(struct reading *r, const struct json *args, struct criteria *out);
/* Adds the needs of somebody else: capabilities to `require` unless they are there, numbers to
 * `minimum`, or raises what is there. */
bool criteria_add(struct reading *r, struct criteria *c, const struct need_list *needs);
bool select_inline(struct reading *r, const struct json *models, struct str at, struct select_source *out);
bool select_catalog(struct reading *r, const cando_catalog *cat, struct select_source *out);

/* False: no memory. */
bool select_run(struct reading *r, const struct criteria *c, const struct select_source *src, struct selection *out);

struct str select_provider(const struct select_source *s, uint32_t index);
struct str select_id(const struct select_source *s, uint32_t index);
/* All that is known of a candidate. `room` is where a catalog's profile goes. */
void select_planes(const struct select_source *s, uint32_t index, cando_profile *room, cando_planes *out);

#endif
