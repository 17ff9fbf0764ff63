/*
 * op_redact.c - the question and the answer of `redact`.
 */
#include "op.h"

#define S cando_redact_question
static const struct shape_member question[] = {
    JSON(value, NEEDED, "any JSON value"),
};
#undef S

#define S cando_redact_answer
static const struct shape_member answer[] = {
    JSON(value, NEEDED, "the value, every secret in it replaced by [REDACTED]"),
    COUNT(redacted, NEEDED, "how many there were"),
};
#undef S

OP(redact, "a value without its secrets", 0,
   "{\"op\":\"redact\",\"value\":{\"api_key\":\"sk-0123456789abcdefghij\"}}")
