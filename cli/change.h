/*
 * change.h - what is different in another catalog: offerings that came or went,
 * prices and limits that changed.
 */
#ifndef CANDO_CLI_CHANGE_H
#define CANDO_CLI_CHANGE_H

#include "base/map.h"
#include "out.h"

enum change_kind { CHANGE_ADDED, CHANGE_GONE, CHANGE_PRICE, CHANGE_LIMIT, CHANGES };

struct change {
    enum change_kind kind;
    const char *provider, *id;  /* lie in a catalog */
    const char *what;           /* PRICE, LIMIT: what of it; lies in the list */
    const char *before, *after; /* the same; NULL: unknown */
    bool collapsed;             /* far below what it was; a price also far above */
};

struct change_list {
    struct arena *ar;
    struct change *item;
    size_t n, cap, count[CHANGES];
    bool failed;
};

/* A key for each offering, "provider/id", and for each provider; false: no memory. */
bool change_index(struct arena *ar, const cando_catalog *c, struct map *out);
/* What a catalog says of one of its own offerings. */
bool change_resolve(const cando_catalog *c, cando_model m, cando_profile *out);
bool change_has(const struct map *index, struct arena *ar, cando_model m);
/* The catalogs must outlive the list, which lives in the arena. */
void change_find(struct change_list *l, const cando_catalog *old, const cando_catalog *new);

/* Who said what an old catalog knows. */
struct voices {
    const cando_catalog *old;
    const cando_import_answer *read; /* what was imported now */
    cando_catalog_source source[32]; /* of the old catalog */
    size_t n;
    struct map there; /* what the sources have now: change_index */
};
/* `fresh` is what was imported, alone. False: no memory. */
bool voices_init(struct voices *v, struct arena *ar, const cando_catalog *old,
                 const cando_catalog *fresh, const cando_import_answer *read);
/* Has the old catalog this model from sources that were read now and no longer have it? */
bool voices_gone(const struct voices *v, struct arena *ar, cando_model m);

/* Whether a source has lost a provider or most of its models, or many of a provider's limits or
 * prices collapse: then it is broken rather than news. Writes what is lost to stderr, a line a
 * provider; how many providers. */
size_t change_losses(const struct change_list *l, const struct voices *v);

/* At most `most` of each kind, to stdout. */
void change_print(const struct change_list *l, size_t most);
void change_json(const struct change_list *l);

#endif
