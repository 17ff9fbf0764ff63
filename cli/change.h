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
};

struct change_list {
    struct arena *ar;
    struct change *item;
    size_t n, cap, count[CHANGES];
    bool failed;
};

/* A key for each offering, "provider/id", and for each provider; false: no memory. */
bool change_index(struct arena *ar, const cando_catalog *c, struct map *out);
bool change_has(const struct map *index, struct arena *ar, cando_model m);
/* The catalogs must outlive the list, which lives in the arena. */
void change_find(struct change_list *l, const cando_catalog *old, const cando_catalog *new);
/* At most `most` of each kind, to stdout. */
void change_print(const struct change_list *l, size_t most);
void change_json(const struct change_list *l);

#endif
