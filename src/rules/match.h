/*
 * match.h - one question against the matchers of a snapshot.
 *
 * Resolving and explaining go through the same matcher, so that `why` cannot
 * tell another story than the answer. Nothing here takes memory.
 */
#ifndef CANDO_MATCH_H
#define CANDO_MATCH_H

#include "base/limits.h"
#include "catalog/snapshot.h"

struct match_query {
    const struct snapshot *s;
    uint32_t provider; /* SNAP_NONE: no rule or alias knows it */
    uint32_t api;      /* SNAP_NONE: unknown */
    struct str given;  /* the provider as it was asked for */
    struct str id;     /* folded */
    struct str base;   /* valid once parsed */
    bool parsed;
    uint8_t version_known[2]; /* by version_scheme: 0 not looked, 1 none, 2 there */
    uint32_t major[2], minor[2];
    char id_room[LIMIT_NAME_BYTES];
    struct model_id mid; /* valid once parsed */
};

/* False if a name is over its limit. */
bool query_init(struct match_query *q, const struct snapshot *s, struct str provider,
                struct str model);
/* Takes the id apart, once. */
void query_parse(struct match_query *q);
/* The id's version in a scheme; false if it has none. */
bool query_version(struct match_query *q, enum version_scheme scheme, uint32_t *major,
                   uint32_t *minor);

/* Why a rule does not apply although its pattern matched. */
enum match_bar { BAR_NONE, BAR_NEVER, BAR_API, BAR_VERSION };
enum match_bar query_bar(struct match_query *q, const struct snap_rule *r);

typedef void match_visit(void *ctx, uint32_t rule, const struct snap_rule *r);

/* Calls `visit` for each rule of a scope that matches; a rule with several
 * matching patterns may come more than once. */
void match_scope(struct match_query *q, uint32_t scope, match_visit *visit, void *ctx);
/* Does this one pattern match the query's id (or base)? For explanations. */
bool match_pattern(struct match_query *q, const struct snap_rule *r, uint32_t pattern);

/* What the walk of a provider consists of: step 0 is everybody, its API and
 * itself, the further steps are its parents. */
uint32_t query_steps(const struct match_query *q);
/* The scopes of a step, up to three; returns how many. `*named` is set to the
 * index of the first one whose rules name the provider. */
unsigned query_scopes(const struct match_query *q, uint32_t step, uint32_t scope[3],
                      unsigned *named);

#endif
