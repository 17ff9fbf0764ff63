/*
 * view.h - a profile in the words of one system or another.
 */
#ifndef CANDO_VIEW_H
#define CANDO_VIEW_H

#include "catalog/profile.h"

struct view {
    struct profile_fact fact[FIELD_COUNT];
    const cando_profile *p;
    struct str provider, model; /* canonical, or as they were asked for */
    cando_field_value *field; /* in the arena, without `said`; a name "a/b" is the member b of a */
    size_t n;
};

/* False: no memory. The names must live as long as the arena. */
bool view_make(struct view *v, struct arena *ar, const cando_profile *p, cando_view words,
               struct str provider, struct str model);

/* A list that stands for capabilities, of all FIELD_COUNT facts: as it was written, less what
 * single fields deny, plus what they grant; without a list what the fields grant, or unknown if
 * they say nothing. False: no memory. */
bool view_list(const struct profile_fact *all, struct arena *ar, unsigned list, cando_value *out);

/* Is it shown so in our own view, too? */
static inline bool view_is_corrected(unsigned field)
{
    return field == F_input_modalities || field == F_output_modalities;
}

/* -- between the files of the views -- */

bool view_harn(struct view *v, struct arena *ar);
bool view_manifest(struct view *v, struct arena *ar);
bool view_claims(struct view *v, struct arena *ar);
bool view_model_ref(struct view *v, struct arena *ar);

/* Room for n fields; false: no memory. */
bool view_room(struct view *v, struct arena *ar, size_t n);

static const cando_value view_unknown = {.type = CANDO_TEXT};

static inline cando_value view_flag(bool on)
{
    return (cando_value){.known = true, .type = CANDO_FLAG, .flag = on};
}

static inline cando_value view_word(const char *text)
{
    return (cando_value){.known = true, .type = CANDO_WORD, .text = text};
}

static inline bool view_usable(const struct profile_fact *fact)
{
    return fact->value.known && fact->value.support > CANDO_UNSUPPORTED;
}

static inline bool view_denied(const struct profile_fact *fact)
{
    return fact->value.known && fact->value.support == CANDO_UNSUPPORTED;
}

/* Yes or no, or unknown. */
static inline cando_value view_bool(const struct profile_fact *fact)
{
    return fact->value.known ? view_flag(view_usable(fact)) : view_unknown;
}

static inline void view_put(struct view *v, const char *name, unsigned field, cando_value value)
{
    v->field[v->n++] =
        (cando_field_value){.name = name, .field = (cando_field)field, .value = value};
}

#endif
