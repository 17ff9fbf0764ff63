/*
 * insert.h - puts observations as rules into a rule file of the user's.
 *
 * The file is the user's own text: every byte of it stays, comments and line ends
 * too, and the new rules are added in one place. In a layered file that is the end,
 * where the last word is; in a first-match file it is before the first rule, which
 * answers alone otherwise. A rule that is there already is not added again. What
 * comes out has been read back: it has no errors that the file did not have before.
 */
#ifndef CANDO_INSERT_H
#define CANDO_INSERT_H

#include "observe.h"

struct insert_result {
    size_t added, present;
};

/* Writes the new text to `out`. An empty file becomes one of our own form. */
cando_status insert_rules(struct buf *out, struct str file, const struct cando_observations *o,
                          uint64_t now, struct insert_result *result, cando_error *err);

#endif
