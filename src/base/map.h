/*
 * map.h - a hash map from text to a number, in an arena.
 *
 * Open addressing with linear probing; keys are borrowed. Used while reading
 * and compiling, never on the way to an answer (a snapshot has its own index).
 * The hash is keyed with the map's place in memory, so that a file of chosen
 * names cannot make it slow; the order of the slots means nothing therefore,
 * and nobody may walk them.
 */
#ifndef CANDO_MAP_H
#define CANDO_MAP_H

#include "str.h"

struct map_slot {
    struct str key; /* p == NULL: free */
    uint64_t hash;
    uint32_t value;
};

struct map {
    struct arena *ar;
    struct map_slot *slot;
    size_t n, cap;
    bool fold; /* keys compare with ASCII case folded */
    uint64_t secret[2];
};

void map_init(struct map *m, struct arena *ar, bool fold);
/* NULL if absent. The pointer is valid until the next put. */
uint32_t *map_get(const struct map *m, struct str key);
/* Sets, or overwrites. False if there was no memory. The key is borrowed. */
bool map_put(struct map *m, struct str key, uint32_t value);

#endif
