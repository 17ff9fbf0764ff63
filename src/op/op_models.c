/*
 * op_models.c - models: the tables of its question and its answer.
 */
#include "query_rows.h"

static const char *const least[] = {"emulated", "native"};
static const struct shape_words least_words = WORDS(least);

static const char *const sorts[] = {"name",  "provider",    "context",      "output",
                                    "price", "input_price", "output_price", "release"};
const struct shape_words op_sorts = WORDS(sorts);

static const char *const or_unknown[] = {"exclude", "include"};
const struct shape_words op_or_unknown = WORDS(or_unknown);

#define S cando_wanted
static const struct shape_member wanted[] = {
    TEXT(capability, NEEDED, "its name, in any vocabulary"),
    WORD(min_support, &least_words, NONE, "what is enough; emulated if it is not said"),
    TEXTS(includes, NONE, "of a closed list: words that must be in it"),
};
#undef S
const struct shape op_wanted = SHAPE("a capability", cando_wanted, wanted);

#define S cando_bound
static const struct shape_member bound[] = {
    TEXT(field, NEEDED, "a number of the vocabulary, or a price"),
    TEXT(value, NEEDED | NUMBERS, "a number"),
};
#undef S
const struct shape op_bound = SHAPE("a bound", cando_bound, bound);

#define S cando_models_question
static const struct shape_member question[] = {
    QUERY_ROWS(ALONE),
    TEXTS(fields, ALONE, "names of fields to add to each, or \"all\""),
    FLAG(marks, NONE, "say of each whose model it is, and which of these fields are in doubt"),
};
#undef S

#define S cando_offering
static const struct shape_member offering[] = {
    TEXT(provider, NEEDED, "who serves it"),
    TEXT(model, NEEDED, "its id there"),
    TEXT(alias_of, OMIT, "\"provider/model\", where it is an alias"),
    TEXT(name, NONE, "for people"),
    NUMBER(context_window, NONE, "in tokens"),
    NUMBER(max_output, NONE, "in tokens"),
    TEXT(input_price, NONE, "USD per million tokens"),
    TEXT(output_price, NONE, "USD per million tokens"),
    TEXT(release_date, NONE, "a day, a month or a year"),
    TEXT(status, NONE, "\"active\", \"preview\", \"unlisted\", \"deprecated\", \"retired\""),
    MAP(fields, &op_field_value, OMIT, "those that were asked for"),
    TEXT(canonical, OMIT, "with 'marks': \"lab/model\", the same for every host"),
    TEXTS(inferred, OMIT, "with 'marks': fields that nobody said of this offering itself"),
    TEXTS(contested, OMIT, "with 'marks': fields about which sources disagree"),
};
#undef S
static const struct shape offering_shape = SHAPE("an offering", cando_offering, offering);

#define S cando_models_answer
static const struct shape_member answer[] = {
    LIST(models, &offering_shape, NEEDED, "the best first"),
    COUNT(matched, NEEDED, "how many fit, listed or not"),
    COUNT(considered, NEEDED, "how many there are"),
    COUNT(denied, NEEDED, "how many would fit, but a policy leaves them out"),
};
#undef S

OP(models, "the offerings that fit, as a list", OP_RULES,
   "{\"op\":\"models\",\"providers\":\"anthropic\",\"can\":\"tool_calling\",\"sort\":\"price\","
   "\"limit\":3}")
