/*
 * member_rules.h - the rules about one member of requests that a model wakes.
 */
#ifndef CANDO_MEMBER_RULES_H
#define CANDO_MEMBER_RULES_H

#include "preflight.h"
#include "text/reading.h"

#define MEMBER_RULES 128u /* at most so many are told */

/* `member` is its name, at any place of a request ("temperature"), or a capability: then the rules
 * that need it are among them; "*": all that are about such models, and not about each. All APIs in
 * which the model is asked; the grave ones first. */
bool member_rules(struct reading *r, const cando_catalog *cat, struct str provider,
                  struct str model, struct str member, const cando_member_rule **list, size_t *n);

#endif
