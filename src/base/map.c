#include "map.h"

void map_init(struct map *m, struct arena *ar, bool fold)
{
    *m = (struct map){
        .ar = ar, .fold = fold, .secret = {(uint64_t)(uintptr_t)ar, (uint64_t)(uintptr_t)m}};
}

static uint64_t key_hash(const struct map *m, struct str key)
{
    return str_hash_keyed(key, m->fold, m->secret);
}

static bool key_eq(const struct map *m, struct str a, struct str b)
{
    return m->fold ? str_eq_fold(a, b) : str_eq(a, b);
}

/* The slot of the key, or the free one where it would go. */
static struct map_slot *find(const struct map *m, struct str key, uint64_t hash)
{
    size_t i = (size_t)hash & (m->cap - 1);
    while (m->slot[i].key.p && !(m->slot[i].hash == hash && key_eq(m, m->slot[i].key, key)))
        i = (i + 1) & (m->cap - 1);
    return &m->slot[i];
}

uint32_t *map_get(const struct map *m, struct str key)
{
    if (m->n == 0)
        return NULL;
    struct map_slot *s = find(m, key, key_hash(m, key));
    return s->key.p ? &s->value : NULL;
}

static bool grow(struct map *m)
{
    struct map bigger = *m;
    bigger.cap = m->cap ? m->cap * 2 : 16;
    bigger.slot = arena_array(m->ar, bigger.cap, sizeof *bigger.slot);
    if (!bigger.slot)
        return false;
    for (size_t i = 0; i < m->cap; i++)
        if (m->slot[i].key.p)
            *find(&bigger, m->slot[i].key, m->slot[i].hash) = m->slot[i];
    *m = bigger;
    return true;
}

bool map_put(struct map *m, struct str key, uint32_t value)
{
    if ((m->n + 1) * 4 > m->cap * 3 && !grow(m))
        return false;
    uint64_t hash = key_hash(m, key);
    struct map_slot *s = find(m, key, hash);
    if (!s->key.p) {
        s->key = key.p ? key : STR("");
        s->hash = hash;
        m->n++;
    }
    s->value = value;
    return true;
}
