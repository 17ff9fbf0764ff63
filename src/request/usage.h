/*
 * usage.h - what a reply says was used, in our units, inclusive.
 *
 * A reply is a provider's whole answer, the list of the events of its stream,
 * or one of the two in an envelope (an event with its data, a line of a batch
 * job). What it does not say stays absent: a count that nobody reported is
 * never 0.
 */
#ifndef CANDO_USAGE_H
#define CANDO_USAGE_H

#include "catalog/api.h"
#include "cost.h"

struct reply {
    struct usage usage;
    const struct api_form *form; /* NULL: no usage was found */
    struct str model;            /* borrowed, with a NUL behind; p == NULL: not said */
    struct str service_tier;     /* the same */
    bool dated;
    struct instant at;     /* when the reply was made, if it says so */
    bool partial;          /* the stream ends before its usage does */
    struct money reported; /* the provider's own account of the cost */
};

/* The form that an API's usage objects have, by its name in a question; NULL if no reply has
 * that form. */
const struct api_form *usage_form_find(struct str api);

/* The members of a reply that anything here looks at, and those of a log's envelope. */
#define USAGE_PICKS (API_PICK_COUNT + 12)
extern const struct json_pick usage_picks[USAGE_PICKS];

/* `at` is where it stands in the question; `told` is NULL if its form shall be found; the
 * provider may be empty: some count differently. */
bool usage_from_reply(struct reading *r, const struct json *reply, struct str at,
                      const struct api_form *told, struct str provider, struct reply *out);
/* From a bare usage object of that form. */
bool usage_from_object(struct reading *r, const struct json *v, struct str at,
                       const struct api_form *form, struct str provider, struct usage *out);
/* From an object in our own units: {"input_tokens":1000,"cache_read_tokens":null}. */
/* A cost that stands among the counts: it is none. */
bool usage_is_cost(struct str key);
bool usage_from_units(struct reading *r, const struct json *v, struct str at, struct usage *out);

/* Who answered, as far as the form of the reply gives it away (the prefix of
 * an id, a key that one provider alone has); empty if it does not. */
struct str usage_provider(const struct json *reply, const struct reply *r);

#endif
