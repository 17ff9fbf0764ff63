/*
 * op_fields.c - the question and the answer of `fields`.
 */
#include "op.h"

#define S cando_fields_question
static const struct shape_member question[] = {
    TEXT_AS(api, "dialect", NEEDED,
            "an API: \"openai-chat\"; or a provider or a model, for the API that it is served "
            "through"),
    TEXT(path, NONE,
         "of what in its requests: \"messages.user.content\"; a word that decides is a step, too"),
    TEXT(provider, NONE, "as this one has it, where several speak the API"),
    TEXT(member, NONE,
         "with a model for 'dialect': the rules about this member, or capability, that it wakes; "
         "\"*\": all that are about such models"),
};
#undef S

#define S cando_api_field
static const struct shape_member field[] = {
    TEXT(name, NEEDED, "the member"),
    TEXTS(kinds, NEEDED,
          "\"string\", \"number\", \"integer\", \"boolean\", \"object\", \"array\", "
          "\"null\"; none: any"),
    TEXT(of, OMIT, "the name of the object, or of those in the array: a path leads there"),
    FLAG(required, NEEDED, "must it be there"),
    TEXTS(values, OMIT, "the words that are taken"),
    FLAG(open, OMIT, "others may be"),
    TEXT(least, OMIT, "of a number"),
    TEXT(most, OMIT, "of a number"),
    TEXT(fewest, OMIT, "items of an array, else characters of a string, else members"),
    TEXT(longest, OMIT, "the most of these"),
    FLAG(warns, OMIT, "what breaks this only warns"),
    TEXT(source, OMIT, "who says so"),
};
#undef S
static const struct shape field_shape = SHAPE("a member", cando_api_field, field);

#define S cando_member_rule
static const struct shape_member rule[] = {
    TEXT_AS(api, "dialect", NEEDED, "the API whose requests it is about"),
    TEXT(rule, NONE, "its name"),
    TEXT(code, NEEDED, "of its finding"),
    WORD(severity, &op_severities, NEEDED, "for this model"),
    TEXT(message, NEEDED, "what it finds"),
    TEXT(advice, OMIT, "what to do"),
    TEXT(file, NONE, "the file that it stands in"),
    COUNT(line, NEEDED, "in the file"),
    TEXT(source, NONE, "where it was found"),
    TEXT(confidence, NONE, "how sure that is"),
};
#undef S
static const struct shape rule_shape = SHAPE("a rule", cando_member_rule, rule);

#define S cando_fields_answer
static const struct shape_member answer[] = {
    TEXT_AS(api, "dialect", NEEDED, "the API"),
    TEXT(path, NEEDED, "where"),
    TEXT(object, NONE, "the name of what is there"),
    FLAG(closed, NEEDED, "are other members refused"),
    TEXT(by, NONE, "the member whose word decides what it is; then there are cases and no fields"),
    TEXTS(cases, NEEDED, "these words"),
    TEXTS(groups, NEEDED, "what holds for several members together"),
    LIST(fields, &field_shape, NEEDED, "the members"),
    LIST(rules, &rule_shape, OMIT,
         "about 'member', of all APIs in which the model is asked; the grave ones first"),
};
#undef S

OP(fields, "what an API takes", OP_RULES,
   "{\"op\":\"fields\",\"dialect\":\"anthropic-messages\",\"path\":\"tool_choice\"}")
