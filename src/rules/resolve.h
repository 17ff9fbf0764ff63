/*
 * resolve.h - from a question to a profile.
 */
#ifndef CANDO_RESOLVE_H
#define CANDO_RESOLVE_H

#include "catalog/profile.h"
#include "match.h"

/* Told of every rule that matched at a step of the walk, in no order, more than
 * once perhaps, also those that an earlier match keeps from answering. */
typedef void resolve_trace(void *ctx, uint32_t rule, uint32_t step);

/* Through the matchers, whatever finished profiles there are. Fills set, value,
 * origin and identity (all but alias) of `out`. `trace` may be NULL. */
void resolve_walk(struct match_query *q, const cando_catalog *cat, cando_resolution how,
                  cando_profile *out, resolve_trace *trace, void *ctx);

/* What is offered as (provider, id) and is the model `target`, "provider/model": all
 * that is said of that model, but for its price, and over it what rules and facts
 * say of the offering itself. */
void resolve_alias(const cando_catalog *cat, struct str provider, struct str id, struct str target,
                   cando_resolution how, cando_profile *out);

/* The modes of the stages under `how`: how many, and whether one is first-match. */
uint32_t resolve_stages(const struct snapshot *s, cando_resolution how);
bool resolve_first_match(const struct snapshot *s, cando_resolution how, uint32_t stage);
uint32_t resolve_stage_of(const struct snap_rule *r, cando_resolution how);

#endif
