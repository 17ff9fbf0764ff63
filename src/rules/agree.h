/*
 * agree.h - who else says what a catalog says of an offering.
 *
 * The row that `cando import` wrote knows which of its sources agree. Two more confirm it, and
 * only the compiler sees them: a rule of another layer with better evidence (the documentation
 * says of a family what the catalog says of the model), and the provider's own word on another
 * offering of the same model, for a no that may be borrowed. Either becomes a flag of the row's
 * rule, so that it costs no room.
 */
#ifndef CANDO_AGREE_H
#define CANDO_AGREE_H

#include "borrow.h"

/* The rules that spoke of an offering while it was resolved; for resolve_walk. */
struct agree_heard {
    uint32_t rule[64];
    size_t n;
};
resolve_trace agree_hear;

/* Flags what rules with better evidence confirm. */
void agree_with_rules(struct compiler *c, const struct offering *x, const struct agree_heard *h);
/* Flags a field of a row, by its rule, that somebody else's word confirms. */
void agree_on(struct compiler *c, uint32_t rule, unsigned field);

#endif
