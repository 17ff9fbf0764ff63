/*
 * shared.c - shapes and words that several operations have.
 */
#include "op.h"

static const char *const severities[] = {"note", "warning", "error"};
const struct shape_words op_severities = WORDS(severities);

#define S cando_name
static const struct shape_member name[] = {
    TEXT(model, NEEDED, "its id there, in any spelling"),
    TEXT(provider, NEEDED, "who serves it"),
};
#undef S
const struct shape op_name = SHAPE("a target", cando_name, name);
