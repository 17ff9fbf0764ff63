/*
 * inherit.h - what a model is likely to do because the models before it do.
 *
 *     kimi-k2.7-code      tier kimi-k#-code, family kimi, version 2.7
 *
 * A lab's next version does what the last one of its tier did, and what the newest two of its
 * family (the first word of its name) agree on: a yes holds nearly always, a no does not (new
 * models learn). So only a yes is taken, where nobody says anything of the model itself, and only
 * of fields for which [borrow] has the words `version` and `family`; `make catalog-report` measures
 * which these may be. A family gives nothing that the newest model with the same word in its
 * version denies: the coders of a family that thinks may not.
 *
 * What the newest of each tier and family say is kept under their names ("moonshotai/kimi-k#-code",
 * "moonshotai/#kimi"), for models that nobody has listed, from their version on. What they have in
 * common with the last of an earlier first number is kept under that ("moonshotai/kimi-k# 2"): a
 * 2.8 may follow 3.
 */
#ifndef CANDO_INHERIT_H
#define CANDO_INHERIT_H

#include "borrow.h"

#define LINEAGE_ROOM (4 * LIMIT_NAME_BYTES)

struct lineage {
    struct str tier, family; /* with the lab in front; empty: the id has no version */
    struct str rest;         /* what follows the family's word, in `tier` */
    uint32_t version;        /* 2.7: 2 << 16 | 7 */
};
/* Of a lab's id, folded; the texts lie in `room`. */
struct lineage lineage_of(struct str lab, struct str id, char room[LINEAGE_ROOM]);

/* A canonical name without the date at its end. */
struct str model_undated(struct str name);

/* A model, and what its offerings say together, by field. */
struct inherit_model {
    struct str name; /* canonical */
    const struct borrow_said *word;
    bool talks; /* it is no model of another kind */
    bool lends; /* it talks, and its lab lists it: others may go by it */
    struct lineage line;
    const struct inherit_model *before; /* the version before it */
    bool newest;                        /* of its tier */
    bool last;                          /* of its tier with this first number: 2.7 beside 3 */
    size_t first, end;                  /* of its family */
};

/* All models of a catalog. Finds out who came before whom; `model` gets another order. */
struct inherit {
    struct inherit_model *model; /* by family, then by version */
    size_t n;
    struct map by_name;
};
bool inherit_link(struct inherit *in, struct arena *ar);
const struct inherit_model *inherit_find(const struct inherit *in, struct str name);
/* What a model takes of field number `i`, which has the words of `mask`; NULL: nothing. */
const struct borrow_said *inherit_word(const struct inherit *in, const struct inherit_model *m,
                                       size_t i, uint16_t mask);
/* Calls compile_pair_put for the newest of each tier and family. */
void inherit_keep(struct compiler *c, const struct inherit *in, const unsigned *field,
                  size_t n_fields, const cando_catalog *catalog);

/* Did a user say on purpose that nobody knows? That is not filled. */
static inline bool inherit_refused(const struct snapshot *s, const struct profile_fact *have)
{
    return have->set && !have->value.known && snap_rule(s, have->rule).layer >= CANDO_LAYER_USER;
}

/* For an offering that is in no list, when all else is known of it. */
void inherit_apply(struct match_query *q, cando_profile *out);

#endif
