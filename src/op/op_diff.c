/*
 * op_diff.c - diff: the tables of its question and its answer.
 */
#include "decide.h"

#define S cando_side
static const struct shape_member side[] = {
    TEXT(model, NONE, "its id at the provider"),
    TEXT(provider, NONE, "who serves it"),
    TEXT(backend, NONE, "an agent backend of the catalog"),
    JSON(manifest, NONE, "of an agent backend"),
    JSON(profile, NONE, "claims"),
    WORD(profile_form, &claim_form_words, NONE,
         "the form of the profile, if it shall not be found by itself"),
};
#undef S
static const struct shape side_shape = SHAPE("a side", cando_side, side);

#define S cando_diff_question
static const struct shape_member question[] = {
    OBJECT(a, &side_shape, NEEDED | NAMED,
           "\"provider/model\", {\"backend\":..}, {\"manifest\":{..}} or {\"profile\":{..}}"),
    OBJECT(b, &side_shape, NEEDED | NAMED, "the same, for the other side"),
};
#undef S

static const char *const steps[] = {"gain", "loss", "change", "known", "unknown"};
static const struct shape_words step_words = WORDS(steps);

#define S cando_difference
static const struct shape_member difference[] = {
    TEXT(field, NEEDED, "its name; of prices each rate, \"price.input_tokens\""),
    OTHER_IN(a, &op_value, NONE, "what the first has"),
    OTHER_IN(b, &op_value, NONE, "what the second has"),
    WORD(change, &step_words, NEEDED,
         "what the step is: 'known' and 'unknown' are of one side alone"),
};
#undef S
static const struct shape difference_shape = SHAPE("a difference", cando_difference, difference);

#define S cando_diff_answer
static const struct shape_member answer[] = {
    TEXT(a, NEEDED, "the name of the first"),
    TEXT(b, NEEDED, "the name of the second"),
    TEXTS(gains, NEEDED, "fields that get better"),
    TEXTS(losses, NEEDED, "fields that get worse"),
    LIST(changes, &difference_shape, NEEDED, "every field that differs"),
};
#undef S

OP(diff, "what a switch from one to the other gains and loses", OP_RULES,
   "{\"op\":\"diff\",\"a\":\"openai/gpt-4o\",\"b\":\"anthropic/claude-opus-4-5\"}")
