/*
 * shared.c - shapes and words that several operations have.
 */
#include "op.h"

static const char *const severities[] = {"note", "warning", "error"};
const struct shape_words op_severities = WORDS(severities);

static const char *const syntaxes[] = {"auto", "cando", "nika", "harn"};
const struct shape_words op_syntaxes = WORDS(syntaxes);

#define S cando_name
static const struct shape_member name[] = {
    TEXT(model, NEEDED, "its id there, in any spelling"),
    TEXT(provider, NEEDED, "who serves it"),
};
#undef S
const struct shape op_name = SHAPE("a target", cando_name, name);

#define S cando_tally
static const struct shape_member tally[] = {
    TEXT(name, NEEDED, "what is counted"),
    COUNT(n, NEEDED, "how many"),
};
#undef S
const struct shape op_tally = SHAPE("a count", cando_tally, tally);

#define S cando_fact_source
static const struct shape_member fact_source[] = {
    TEXT(source, NEEDED, "whose file: \"models.dev\", \"litellm\", .."),
    TEXT(day, NEEDED, "the day that it is of"),
    STRING(text, NEEDED, "the file"),
};
#undef S
const struct shape op_fact_source = SHAPE("a source", cando_fact_source, fact_source);
