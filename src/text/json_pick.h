/*
 * json_pick.h - JSON read for a few of its members.
 *
 * All of the text is checked as strictly as json_parse does it, but only what somebody
 * will look at becomes a tree. A reply of a provider is text, mostly, and the few numbers
 * that say what it cost; this is how to get at them without carrying all the rest about.
 */
#ifndef CANDO_JSON_PICK_H
#define CANDO_JSON_PICK_H

#include "json.h"

/* A member that is wanted, and what of it. In a list this holds of every item. */
struct json_pick {
    struct str key;
    const struct json_pick *in; /* NULL: all of it */
    unsigned n_in;
};

/* The text as a tree of the picked members of the outermost object (or of each object, if
 * it is a list of them). Where json_parse refuses it, NULL and that error. There may be
 * more in the tree than was asked for. Of the texts only strings that are values have a
 * NUL behind them. */
const struct json *json_parse_picking(struct arena *ar, struct str text,
                                      const struct json_pick *pick, unsigned n,
                                      struct json_error *err);

#endif
