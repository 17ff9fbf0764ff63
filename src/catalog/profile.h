/*
 * profile.h - reading a resolved profile from inside the library.
 */
#ifndef CANDO_PROFILE_H
#define CANDO_PROFILE_H

#include "snapshot.h"

/* One field, with what derive.def concludes. */
struct profile_fact {
    cando_value value; /* value.known is false for cleared, too */
    bool set;          /* somebody said something (also "unknown") */
    bool derived;
    bool borrowed;  /* said of another offering of the same model, */
    bool inherited; /* or of a model before it */
    unsigned via;  /* derived: the field that was set */
    uint32_t rule; /* who said so; valid if set */
};

struct profile_fact profile_fact(const cando_profile *p, unsigned field);
/* Of a field with a text; NULL: nobody knows. */
static inline const char *profile_text(const cando_profile *p, unsigned field)
{
    cando_value v = profile_fact(p, field).value;
    return v.known ? v.text : NULL;
}
/* Does it only follow from another thing's absence (without.def)? Nobody has said it, then. */
bool profile_follows(const cando_profile *p, unsigned field);

/* All FIELD_COUNT of them, for those who want many. */
void profile_facts(const cando_profile *p, struct profile_fact *out);
/* Where it is in its life, whatever the day, and the days that change it: 20261115, 0 for none. */
struct profile_life {
    uint32_t status; /* enum row_status */
    uint32_t deprecated, retires;
};
struct profile_life profile_life(const cando_profile *p);
/* "active" and so on; ROW_STATUSES: it is no such word. */
enum row_status row_status_find(struct str word);

static inline enum row_status life_status(const struct profile_life *l, uint32_t day)
{
    if (l->retires && l->retires <= day)
        return ROW_RETIRED;
    return l->deprecated && l->deprecated <= day ? ROW_DEPRECATED : (enum row_status)l->status;
}

/* What a field rests on, as a word of evidence.h: that of the rule, and for a row that was merged
 * from several sources that of the one which gave the field. "inferred" if it was said of other
 * offerings, "agreed" if a second source confirms a catalog, "contested" if one contradicts it;
 * "" if nobody says what it rests on. `of` is the fact, if it is at hand, or NULL. */
const char *profile_evidence(const cando_profile *p, unsigned field, const struct profile_fact *of);
/* Is that good enough to reject? */
bool profile_rejects(const cando_profile *p, unsigned field);
/* Only what rules set themselves. The origin may be ORIGIN_BORROWED. */
bool profile_raw(const cando_profile *p, unsigned field, uint32_t *value, uint32_t *origin);
/* Is this a field that no other spelling or offering may borrow? */
bool profile_is_price(unsigned field);
cando_value value_decode(const struct snapshot *s, unsigned field, uint32_t value);
/* Of a list in a snapshot; of any list. */
struct str value_item(const struct snapshot *s, cando_value v, uint32_t i);
struct str value_item_of(const cando_value *v, uint32_t i);
bool value_has(const cando_value *v, struct str item);
/* A list that lies in no catalog. */
cando_value value_list(const char *const *items, uint32_t n);
/* The fields that Harn's matrix has a word for, and those that say the same in other words:
 * where a rule of Harn's answers alone, nobody else says anything of these. What kind of model
 * it is stays: it only ever says no, as Harn's defaults do. */
void profile_harn_fields(bool out[FIELD_COUNT]);
const char *layer_name(cando_layer layer);
bool layer_by_name(struct str name, cando_layer *out);

/* Writes the pieces of a rule's origin. */
cando_origin rule_origin(const struct snapshot *s, uint32_t rule);

#endif
