/*
 * offered.h - who offers a model that was named without its provider?
 */
#ifndef CANDO_OFFERED_H
#define CANDO_OFFERED_H

#include "snapshot.h"

/* A model that is looked for, under whatever spelling. Large; do not copy it. */
struct offered {
    const struct snapshot *snap;
    struct id_tables ids;
    struct str model; /* folded */
    char room[LIMIT_NAME_BYTES];
    struct model_id id, scratch;
};

/* A name that is too long is that of no offering. */
void offered_begin(struct offered *o, const struct snapshot *s, struct str model);
/* Is `key` (an id in lower case) at `provider` that model? */
bool offered_is(struct offered *o, struct str provider, struct str key);

/* The provider whose name is nearest to this one; empty: none is near. */
struct str offered_near_provider(const struct snapshot *s, struct str name);

/* The model of that provider whose name is nearest, of equals one that stays; none where they
 * differ in the version alone. */
struct nearest offered_near_model(const struct snapshot *s, uint32_t provider, struct str name);

/* Is the name, which is none of that provider's, one of them but for a slip of the pen? Nobody else
 * offers such a model, and it is no other version. */
bool offered_slip(const struct snapshot *s, uint32_t provider, struct str name);

/* As name_split, with the offerings of the model in the hint where its provider is not named. */
bool offered_name(const cando_catalog *cat, cando_name name, struct str *provider,
                  struct str *model, struct str at, cando_error *err);
/* Hints at the offerings of the model, for a name that is refused because it has no
 * provider; without any the hint stays as it is. */
void offered_hint(const cando_catalog *cat, struct str model, cando_error *err);

#endif
