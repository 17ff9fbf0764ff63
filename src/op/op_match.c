/*
 * op_match.c - match: the tables of its question and its answer.
 */
#include "decide.h"

#define S cando_match_question
static const struct shape_member question[] = {
    OBJECT(work_order, &op_work_order, NONE, "{\"requirements\":{\"required\":[..]}}"),
    LIST(required, &op_order_need, NONE, "the requirements of a work order"),
    JSON(manifest, NONE,
         "{\"tool_read\":\"native\"|\"emulated\"|\"unsupported\"|{\"restricted\":{\"reason\":..}},."
         ".}"),
    TEXT(backend, NONE, "an agent backend of the catalog: \"claude\""),
    OBJECT(target, &op_name, NAMED, "\"provider/model\""),
    FLAG(rank, NONE, "true: every backend of the catalog, the best first"),
};
#undef S

#define S cando_matched_need
static const struct shape_member matched_need[] = {
    TEXT(capability, NEEDED, "as the order wrote it"),
    TEXT(strategy, OMIT,
         "how it is made up for: \"client_side\", \"server_fallback\", \"approximate\""),
    TEXT(reason, OMIT, "of a restriction, or why it is not enough"),
};
#undef S
static const struct shape need_shape = SHAPE("a requirement", cando_matched_need, matched_need);

#define S cando_matched
static const struct shape_member matched[] = {
    TEXT(backend, OMIT, "its name; in a ranking"),
    TEXT(target, OMIT, "\"provider/model\"; in a ranking"),
    FLAG(satisfied, NEEDED, "is every requirement met?"),
    TEXTS(native, NEEDED, "names, in the order of the requirements"),
    LIST(emulated, &need_shape, NEEDED, "what is made up for"),
    LIST(unsupported, &need_shape, NEEDED, "what is not there"),
};
#undef S
static const struct shape matched_shape = SHAPE("a match", cando_matched, matched);

#define S cando_match_answer
static const struct shape_member answer[] = {
    SPREAD(match, &matched_shape),
    LIST(ranking, &matched_shape, OMIT, "with 'rank': the same of every backend"),
};
#undef S

OP(match, "does a backend satisfy this work order?", OP_RULES,
   "{\"op\":\"match\",\"backend\":\"claude\",\"required\":[{\"capability\":\"streaming\",\"min_"
   "support\":\"native\"}]}")
