/* usage: the members of its question and answer. */
#include "op.h"

#define S cando_usage_question
static const struct shape_member question[] = {
    JSON(response, NEEDED, "a provider's reply, or the list of its stream's events"),
    TEXT_AS(api, "dialect", NONE,
            "the form of the reply: 'openai-chat', 'anthropic-messages', ..; "
            "found by its members if not told"),
    TEXT(provider, NONE, "who answered"),
};
#undef S

#define S cando_count
static const struct shape_member count[] = {
    TEXT(unit, NEEDED, "what is counted"),
    TEXT(quantity, NUMBERS, "how many; null: not known"),
};
#undef S
static const struct shape count_shape = SHAPE("a count", cando_count, count);

#define S cando_usage_answer
static const struct shape_member answer[] = {
    TEXT(model, NONE, "that answered, as the reply says"),
    TEXT_AS(api, "dialect", NONE, "the form of the reply"),
    MAP(usage, &count_shape, NEEDED,
        "counts in our units: input_tokens contains the cached ones, "
        "output_tokens the reasoning ones"),
    FLAG(partial, NEEDED, "the stream was cut before its usage was complete"),
    TEXT(service_tier, OMIT, "as the reply says"),
    TEXT(created, OMIT, "when the reply was made"),
    MONEY(reported_cost, OMIT, "the provider's own account of the cost"),
};
#undef S
const struct shape op_reply = SHAPE("a reply", cando_usage_answer, answer);

OP(usage, "what a reply says was used", 0,
   "{\"op\":\"usage\",\"response\":{\"model\":\"gpt-5\",\"usage\":{\"prompt_tokens\":120,"
   "\"completion_tokens\":30}}}")
