/*
 * need.c - lists of needs, and the names in them.
 *
 * A name may come from any vocabulary. Names that mean several fields, or that
 * only agent backends tell apart, have slots of their own (planes.h) and come before
 * what other vocabularies call so.
 */
#include "need.h"

#include "base/bits.h"
#include "text/shape.h"

/* -- names ----------------------------------------------------------------------------- */

bool need_find(struct str name, uint8_t *kind, uint8_t *slot)
{
    unsigned f = vocab_find(VOCAB_CANDO, name);
    unsigned s = f == FIELD_COUNT ? slot_special(name) : SLOT_NONE;
    if (s != SLOT_NONE) {
        *kind = NEED_SLOT;
        *slot = (uint8_t)s;
        return true;
    }
    if (f == FIELD_COUNT)
        f = vocab_find_any(name);
    if (f == FIELD_COUNT)
        return false;
    unsigned place[3] = {plane_slot(f), plane_number(f), plane_set(f)};
    for (unsigned k = 0; k < 3; k++)
        if (place[k] != SLOT_NONE) {
            *kind = (uint8_t)k;
            *slot = (uint8_t)place[k];
            return true;
        }
    return false;
}

bool need_name(struct reading *r, struct str name, struct str at, uint8_t *kind, uint8_t *slot)
{
    if (need_find(name, kind, slot))
        return true;
    if (vocab_find_any(name) < FIELD_COUNT)
        return reading_fail(r, CODE_bad_argument, at,
                            "'%.*s' is no capability, limit or closed list",
                            STR_ARG(str_head(name, 80)));
    reading_fail(r, CODE_unknown_field, at, "no capability is called '%.*s'",
                 STR_ARG(str_head(name, 80)));
    for (unsigned v = 0; v < VOCAB_COUNT; v++) {
        struct str near = vocab_suggest((enum vocabulary)v, name);
        if (near.n)
            return reading_hint(r, "did you mean '%.*s'?", STR_ARG(near));
    }
    return reading_hint(r, "'cando help fields' lists them");
}

const char *need_capability(const struct need *n)
{
    if (n->kind == NEED_SLOT)
        return slot_name(n->slot);
    return vocab_row(n->kind == NEED_NUMBER ? number_field(n->slot) : set_field(n->slot))->name;
}

bool need_set_words(struct reading *r, unsigned set, uint32_t bits, const char *const **out,
                    size_t *n)
{
    const char *cursor = vocab_row(set_field(set))->words;
    const char **list = arena_array(r->ar, 32, sizeof *list);
    struct str word;
    *out = list;
    *n = 0;
    if (!list)
        return reading_memory(r);
    for (unsigned i = 0; i < 32 && words_next(&cursor, &word); i++)
        if (bits >> i & 1) {
            list[*n] = str_dup(r->ar, word).p;
            if (!list[(*n)++])
                return reading_memory(r);
        }
    return true;
}

static const char *const levels[] = {"hard", "preferred", "probed"};
static const char *const min_supports[] = {"emulated", "native", "any"};
static const char *const hook_kinds[] = {"guard", "transform", "observer"};
const struct shape_words level_words = WORDS(levels), min_support_words = WORDS(min_supports),
                         hook_kind_words = WORDS(hook_kinds);

/* -- lists ----------------------------------------------------------------------------- */

void need_list_init(struct need_list *l)
{
    *l = (struct need_list){0};
}

bool need_add(struct reading *r, struct need_list *l, struct need n)
{
    if (!n.path.p || !n.required_by.p || !ARENA_GROW(r->ar, l->need, l->n, l->cap) ||
        !ARENA_GROW(r->ar, l->key, l->n, l->cap_keys))
        return reading_memory(r);
    l->key[l->n] = (struct need_key){n.slot, (uint8_t)(n.level << 2 | n.min_support)};
    l->need[l->n++] = n;
    l->levels |= (uint8_t)(1u << n.level);
    if (n.kind == NEED_SLOT)
        bit_put(l->want, n.slot);
    if (n.kind != NEED_SLOT || n.general)
        l->others = true;
    return true;
}
