/*
 * json_keys.c - equal keys in one object.
 *
 * A few keys are compared each with each, by their first eight bytes and, where
 * these are equal, in full. Many are hashed; and where somebody chose the keys
 * so that their hashes collide, they are sorted.
 */
#include "json_impl.h"

#include <stdlib.h>

#define FEW_KEYS 16
#define SLOTS_ON_STACK 256
#define LONGEST_PROBE 64 /* a longer one is no accident */

static const struct json_key *repeated_few(const struct json_key *key, size_t n)
{
    uint64_t first[FEW_KEYS];
    for (size_t i = 0; i < n; i++) {
        struct str text = key[i].text;
        uint64_t v = str_le64(text.p);
        first[i] = text.n >= 8 ? v : v & ((UINT64_C(1) << 8 * text.n) - 1);
        for (size_t j = 0; j < i; j++)
            if (first[j] == first[i] && str_eq(text, key[j].text))
                return &key[i];
    }
    return NULL;
}

static int key_order(const void *a, const void *b)
{
    const struct json_key *x = *(const struct json_key *const *)a;
    const struct json_key *y = *(const struct json_key *const *)b;
    int c = str_cmp(x->text, y->text);
    return c ? c : x < y ? -1 : x > y;
}

static bool repeated_sorted(struct arena *ar, const struct json_key *key, size_t n,
                            const struct json_key **found)
{
    const struct json_key **order = arena_array(ar, n, sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < n; i++)
        order[i] = &key[i];
    qsort(order, n, sizeof *order, key_order);
    for (size_t i = 1; i < n; i++)
        if (str_eq(order[i - 1]->text, order[i]->text) && (!*found || order[i] < *found))
            *found = order[i];
    return true;
}

/* slot: number of the key + 1, 0 if free; cap of them, a power of two. */
static bool repeated_hashed(struct arena *ar, const struct json_key *key, size_t n, uint32_t *slot,
                            size_t cap, const struct json_key **found)
{
    for (size_t i = 0; i < n; i++) {
        size_t at = (size_t)str_hash(key[i].text, 0) & (cap - 1);
        for (unsigned probe = 0; slot[at]; probe++) {
            if (str_eq(key[slot[at] - 1].text, key[i].text)) {
                *found = &key[i];
                return true;
            }
            if (probe == LONGEST_PROBE)
                return repeated_sorted(ar, key, n, found);
            at = (at + 1) & (cap - 1);
        }
        slot[at] = (uint32_t)i + 1;
    }
    return true;
}

bool json_repeated(struct arena *ar, const struct json_key *key, size_t n,
                   const struct json_key **found)
{
    *found = NULL;
    if (n <= FEW_KEYS) {
        *found = repeated_few(key, n);
        return true;
    }
    size_t cap = 64;
    while (cap < n * 2)
        cap *= 2;
    if (cap <= SLOTS_ON_STACK) {
        uint32_t few[SLOTS_ON_STACK];
        memset(few, 0, cap * sizeof *few);
        return repeated_hashed(ar, key, n, few, cap, found);
    }
    uint32_t *many = arena_array(ar, cap, sizeof *many);
    return many && repeated_hashed(ar, key, n, many, cap, found);
}
