/*
 * op_lint.c - the question and the answer of `lint`.
 */
#include "op.h"

#define S cando_lint_question
static const struct shape_member question[] = {
    STRING(text, NONE, "the text of a rule file; or"),
    TEXT(path, NONE, "a file, or a folder of *.toml"),
    WORD_AS(syntax, "dialect", &op_syntaxes, NONE,
            "whose format it has; found by itself if it is not said"),
    FLAG(over, NONE, "judge it on top of the catalog, too: what contradicts rules that lie below"),
};
#undef S

#define S cando_finding
static const struct shape_member finding[] = {
    TEXT(code, NEEDED, "stable; the operation explain has its long text"),
    WORD(severity, &op_severities, NEEDED, "how bad it is"),
    TEXT(file, OMIT, "where it stands"),
    COUNT(line, NEEDED, "from 1 on; 0: of the whole file"),
    COUNT(column, NEEDED, "in characters, from 1 on"),
    TEXT(message, NEEDED, "what is wrong"),
    TEXT(hint, NONE, "what to do"),
};
#undef S
static const struct shape finding_shape = SHAPE("a finding", cando_finding, finding);

#define S cando_lint_answer
static const struct shape_member answer[] = {
    LIST(findings, &finding_shape, NEEDED, "in the order of file and line"),
    COUNT(errors, NEEDED, "how many of them are errors"),
    COUNT(warnings, NEEDED, "how many are warnings"),
    COUNT(notes, NEEDED, "how many are notes"),
};
#undef S

OP(lint, "what is wrong with these rules", 0,
   "{\"op\":\"lint\",\"text\":\"schema = 'cando/1'\\n\"}")
