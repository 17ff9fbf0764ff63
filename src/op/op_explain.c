/*
 * op_explain.c - the question and the answer of `explain`.
 */
#include "op.h"

#define S cando_explain_question
static const struct shape_member question[] = {
    TEXT(code, NEEDED, "the code of a finding or an error"),
};
#undef S

#define S cando_explain_answer
static const struct shape_member answer[] = {
    TEXT(code, NEEDED, "the code, as it is written"),
    WORD(severity, &op_severities, NEEDED, "what it is if nothing makes it more or less"),
    TEXT(summary, NEEDED, "one line"),
    TEXT(text, NEEDED, "what it means and what to do"),
};
#undef S

OP(explain, "what a finding's code means", 0, "{\"op\":\"explain\",\"code\":\"rule-shadowed\"}")
