/*
 * op_learn.c - the question and the answer of `learn`.
 */
#include "op.h"

#define S cando_probe
static const struct shape_member probe[] = {
    TEXT(field, NEEDED, "a capability or limit, in any vocabulary"),
    TEXT(value, NEEDED, "\"native\", \"unsupported\", \"8192\", .."),
    TEXT(evidence, NONE, "what was seen, in one line"),
};
#undef S
static const struct shape probe_shape = SHAPE("a probe", cando_probe, probe);

#define S cando_learn_question
static const struct shape_member question[] = {
    OBJECT(target, &op_name, NEEDED | NAMED, "the model that it was about"),
    JSON(error, NONE, "the provider's error reply: JSON, or its text"),
    LIST(probe, &probe_shape, ALONE, "what a probe gave"),
    TEXT(now, NONE, "when it was seen: \"2026-11-15T16:30:05Z\""),
    NUMBER(days, NONE, "for how many days it counts; without it, for ever"),
    STRING(into, NONE, "the text of a rule file: the reply has it with the rule in it"),
};
#undef S

#define S cando_learnt
static const struct shape_member learnt[] = {
    TEXT(target, NONE, "\"provider/model\""),
    TEXT(field, NONE, "the capability or limit"),
    TEXT(value, NONE, "what it is"),
    TEXT(evidence, NONE, "what was seen"),
    TEXT(by, NONE, "\"probe\" or \"error-reply\""),
    TEXT(seen, NONE, "when"),
    TEXT(expires, NONE, "until when it counts; null: for ever"),
};
#undef S
static const struct shape learnt_shape = SHAPE("an observation", cando_learnt, learnt);

#define S cando_learn_answer
static const struct shape_member answer[] = {
    LIST(observations, &learnt_shape, NEEDED, "what was learnt"),
    TEXT(rule, NONE, "the same as a rule, for a file of one's own"),
    TEXT(why_not, OMIT, "why nothing was learnt"),
    NUMBER(added, OMIT, "rules that `into` did not have"),
    NUMBER(present, OMIT, "rules that it had"),
    STRING(text, OMIT, "`into` with the rules in it"),
};
#undef S

OP(learn, "what an error reply or a probe tells about a model", 0,
   "{\"op\":\"learn\",\"target\":\"openai/o3\",\"error\":\"Unsupported parameter: 'temperature' is "
   "not supported with this model.\"}")
