/*
 * op_select.c - select: the tables of its question and its answer.
 */
#include "query_rows.h"

static const char *const views[] = {NULL, "nika", "harn", "manifest", "claims", "model_ref"};
static const struct shape_words view_words = WORDS(views);

#define S cando_select_question
static const struct shape_member question[] = {
    QUERY_ROWS(NONE),
    WORD(view, &view_words, NONE, "describe each match in the words of this view of 'resolve'"),
    FLAG(refused, NONE, "list those that would fit but refuse the request, each with the reason"),
    JSON(models, NONE, "an inline catalog: [{\"provider\":..,\"id\":..,\"capabilities\":{..}}]"),
};
#undef S

static void write_fields(struct json_writer *w, const void *object)
{
    const cando_choice *x = object;
    op_put_fields(w, x->fields, x->n_fields);
}

static const struct shape_other fields_written = {
    write_fields, "{\"type\":\"object\",\"description\":\"in the words of 'view'\"}"};

#define S cando_choice
static const struct shape_member choice[] = {
    TEXT(target, NEEDED, "\"provider/model\""),
    TEXTS(why, NEEDED, "a line for each criterion"),
    OTHER_OF(fields, &fields_written, OMIT, "in the words of 'view'"),
};
#undef S
static const struct shape choice_shape = SHAPE("a match", cando_choice, choice);

#define S cando_excluded
static const struct shape_member excluded[] = {
    TEXT(reason, NEEDED, "a criterion"),
    COUNT(count, NEEDED, "how many it excluded"),
};
#undef S
static const struct shape excluded_shape = SHAPE("a reason", cando_excluded, excluded);

#define S cando_runner_up
static const struct shape_member runner_up[] = {
    TEXT(target, NEEDED, "\"provider/model\""),
    TEXT(decided_by, NEEDED, "the first key of the order that differs"),
    TEXTS(lacks, NEEDED, "what the first has more"),
};
#undef S
static const struct shape runner_up_shape = SHAPE("the second", cando_runner_up, runner_up);

#define S cando_refused
static const struct shape_member refused[] = {
    TEXT(target, NEEDED, "\"provider/model\""),
    TEXT(code, NEEDED, "of the finding that decided"),
    TEXT(path, NEEDED, "its place in the request, as a JSON Pointer"),
    TEXT(message, NEEDED, "what it says"),
};
#undef S
static const struct shape refused_shape = SHAPE("a refusal", cando_refused, refused);

#define S cando_select_answer
static const struct shape_member answer[] = {
    LIST(matches, &choice_shape, NEEDED, "the best first"),
    COUNT(considered, NEEDED, "how many candidates there are"),
    COUNT(matched, NEEDED, "how many fit, listed or not"),
    MAP(excluded, &excluded_shape, NEEDED, "how many each criterion excluded"),
    OBJECT(runner_up, &runner_up_shape, NONE, "the second best"),
    LIST(refused, &refused_shape, OMIT, "would have fit, but preflight rejects the request there"),
};
#undef S

OP(select, "which models fit, in which order", OP_RULES,
   "{\"op\":\"select\",\"require\":[\"tool_calling\",\"input_image\"],\"sort\":\"price\",\"limit\":"
   "3}")
