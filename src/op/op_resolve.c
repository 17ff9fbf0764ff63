/*
 * op_resolve.c - resolve: what does this model do, and who says so?
 */
#include "op.h"

static const char *const views[] = {"cando", "nika", "harn", "manifest", "claims", "model_ref"};
static const struct shape_words view_words = WORDS(views);
static const char *const resolutions[] = {"as-written", "layered", "first-match"};
static const struct shape_words resolution_words = WORDS(resolutions);
static const char *const whys[] = {NULL, NULL, "all"}; /* false, true */
static const struct shape_words why_words = WORDS(whys);
static const char *const identities[] = {"default", "family", "alias", "exact"};
static const struct shape_words identity_words = WORDS(identities);
static const char *const froms[] = {"rule",    "fact",     "default",  "overlay",
                                    "derived", "borrowed", "inherited"};
static const struct shape_words from_words = WORDS(froms);

#define S cando_resolve_question
static const struct shape_member question[] = {
    OBJECT(target, &op_name, NEEDED | NAMED,
           "\"provider/model\" or {\"provider\":..,\"model\":..}"),
    WORD(view, &view_words, NONE,
         "in whose names and types: 'cando', 'nika', 'harn', or as others give a profile"),
    WORD(resolution, &resolution_words, NONE, "'layered' or 'first-match', whatever the files say"),
    WORD(why, &why_words, BOOLS,
         "true, or \"all\" for what was overridden and what nearly matched, too"),
    TEXT(at, NONE, "the day that is asked about, instead of today"),
    TEXT(field, NONE, "with \"why\":\"all\": what nearly matched is told of this field alone"),
};
#undef S

#define S cando_policy
static const struct shape_member denial[] = {
    TEXT(list, NEEDED,
         "\"deny\"; \"allow\": it is not in the list; \"closed\": a list could not be read"),
    TEXT(pattern, NONE, "of the deny list"),
    TEXT(file, NONE, "where the list stands"),
    COUNT(line, NEEDED, "in the file"),
};
#undef S
static const struct shape denial_shape = SHAPE("a denial", cando_policy, denial);

#define S cando_allowance
static const struct shape_member allowance[] = {
    FLAG(allowed, NEEDED, "may it be used, as far as allow and deny lists say?"),
    SPREAD(denial, &denial_shape),
};
#undef S
static const struct shape allowance_shape = SHAPE("a policy", cando_allowance, allowance);

#define S cando_statement
#define ORIGIN                                                                                     \
    WORD(from, &from_words, NEEDED, "what kind of statement it is"),                               \
        TEXT(layer, NONE, "\"defaults\", \"family\", \"facts\", .., \"project\""),                 \
        TEXT(rule, NONE, "its name"), TEXT(file, NONE, "the file that it stands in"),              \
        NUMBER(line, NONE, "in the file"), TEXT(source, NONE, "where it was found"),               \
        TEXT(checked, NONE, "the day on which the source was looked at"),                          \
        TEXT(evidence, NONE, "what kind of source it is")
static const struct shape_member near_miss[] = {
    ORIGIN,
    TEXT(reason, NEEDED, "what kept it away"),
};
static const struct shape near_miss_shape = SHAPE("a statement", cando_statement, near_miss);
static const struct shape_member other[] = {
    ORIGIN,
    OTHER_IN(value, &op_value, NONE, "what it says"),
    TEXT(reason, NEEDED, "why that does not hold"),
};
static const struct shape other_shape = SHAPE("a statement", cando_statement, other);
static const struct shape_member said[] = {
    ORIGIN,
    TEXT(via, OMIT, "a derived value: the field that was set"),
    LIST(overrode, &other_shape, OMIT,
         "with \"all\": statements that do not hold, the strongest first"),
    LIST(near_misses, &other_shape, OMIT, "with \"all\": rules that nearly applied"),
};
#undef ORIGIN
#undef S
static const struct shape said_shape = SHAPE("a statement", cando_statement, said);

#define S cando_field_value
static const struct shape_member field_said[] = {
    TEXT(name, NEEDED, "of the field"),
    OBJECT(said, &said_shape, OMIT, ""),
};
#undef S
static const struct shape field_said_shape = SHAPE("a field", cando_field_value, field_said);

static void write_fields(struct json_writer *w, const void *object)
{
    const cando_resolve_answer *a = object;
    op_put_fields(w, a->fields, a->n_fields);
}

static const struct shape_other fields_written = {
    write_fields, "{\"type\":\"object\",\"description\":\"its values; null: nobody said\"}"};

#define S cando_resolve_answer
static const struct shape_member answer[] = {
    TEXT(provider, NEEDED, "canonical, or as it was given"),
    TEXT(model, NEEDED, "as it was given"),
    WORD(identity, &identity_words, NEEDED,
         "by what it is known: a fact row, one under another spelling, rules, nothing"),
    TEXT(canonical, OMIT, "by alias: the spelling of the fact row"),
    OBJECT(policy, &allowance_shape, OMIT, "where there are allow or deny lists"),
    OTHER("fields", &fields_written, NEEDED, "its values; null: nobody said"),
    MAP_OF(why, n_fields, &field_said_shape, OMIT, "who said so, for each field that somebody set"),
    LIST(near_misses, &near_miss_shape, OMIT,
         "with \"all\": rules that nearly applied, to any field"),
};
#undef S

OP(resolve, "what a model does, and who says so", OP_RULES,
   "{\"op\":\"resolve\",\"target\":\"anthropic/claude-opus-4-5\",\"why\":true}")
