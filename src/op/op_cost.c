/* cost: the members of its question and answer. */
#include "op.h"

/* -- the question ------------------------------------------------------------------------ */

#define S cando_cost_keep
static const struct shape_member keep[] = {
    MONEY(input_cost, NULLS, "of the input"),
    MONEY(output_cost, NULLS, "of the output"),
    MONEY(total_cost, NULLS, "of all"),
};
#undef S
static const struct shape keep_shape = SHAPE("'keep'", cando_cost_keep, keep);

#define S cando_cost_question
static const struct shape_member question[] = {
    JSON(usage, NONE, "counts in our units, or in the form that 'usage_form' names"),
    TEXT(usage_form, NONE, "'cando', or the API whose usage object it is: 'openai-chat', .."),
    JSON(response, NONE, "a provider's reply, or the list of its stream's events"),
    JSON(request, NONE, "a request, priced in advance: low, expected, high"),
    TEXT_AS(api, "dialect", NONE,
            "the form of the reply or request; found by its members if not told"),
    FLAG(logged, NONE,
         "the reply may stand in an envelope, {\"response\":..}, whose 'target' or "
         "'provider', 'at' and 'service_tier' hold where the question says nothing"),
    NUMBER(output_tokens, NULLS, "how long the answer to the request is expected to be"),
    TEXT(provider, NONE, "who answered, or shall answer"),
    OBJECT(target, &op_name, NAMED, "whose price"),
    JSON(pricing, NONE, "the price itself: an object with a 'form', or null for no information"),
    TEXT(at, NUMBERS | NULLS, "when: \"2026-11-15T16:30:00Z\", or seconds since 1970"),
    TEXT(service_tier, NULLS, "'batch', 'flex', 'priority', .."),
    OBJECT(keep, &keep_shape, NULLS, "costs that are known already, never overwritten"),
};
#undef S

/* -- bills --------------------------------------------------------------------------------- */

#define S cando_cost_item
static const struct shape_member item[] = {
    TEXT(unit, NEEDED, "what is paid for"),
    TEXT(quantity, NUMBERS, "how many; null: not known"),
    MONEY(rate, NONE, "of so many as 'per' says"),
    COUNT(per, NEEDED, "how many the rate is for"),
    MONEY(cost, NONE, "quantity times rate"),
    TEXT(why, NEEDED, "why this rate, or none"),
};
#undef S
static const struct shape item_shape = SHAPE("an item", cando_cost_item, item);

#define S cando_cost_unknown
static const struct shape_member unknown[] = {
    TEXT(unit, NONE, "null: all of them"),
    TEXT(reason, NEEDED, "why its cost is not known"),
};
#undef S
static const struct shape unknown_shape = SHAPE("a gap", cando_cost_unknown, unknown);

#define COSTS                                                                                      \
    MONEY(input_cost, NONE, "null: not known"), MONEY(output_cost, NONE, "null: not known"),       \
        MONEY(total_cost, NONE, "null: not known, since a part is not")
#define LISTS                                                                                      \
    LIST(items, &item_shape, NEEDED, "what it consists of"),                                       \
        LIST(unknown, &unknown_shape, NEEDED, "what is not known, and why")

#define S cando_bill
static const struct shape_member bill[] = {
    TEXT(input_tokens, NUMBERS, "of the prompt; null: there is no bound"),
    TEXT(output_tokens, NUMBERS, "of all answers"),
    COSTS,
    LISTS,
};
#undef S
static const struct shape bill_shape = SHAPE("a bill", cando_bill, bill);

/* -- a request in advance --------------------------------------------------------------------- */

#define S cando_estimate
static const struct shape_member request[] = {
    TEXT(model, NONE, "that the request names"),
    TEXT_AS(api, "dialect", NEEDED, "the form of the request"),
    TEXT(service_tier, OMIT, "that is asked for"),
};
static const struct shape_member estimate[] = {
    OBJECT(tokens, &op_tokens, NEEDED, "what the scan of the request counted"),
    NUMBER(output_limit, NONE, "tokens of the longest answer allowed"),
    TEXT(output_limit_from, NONE, "who says so: 'request' or 'model'"),
    COUNT(choices, NEEDED, "how many answers"),
    COUNT(assumed_output_tokens, NEEDED, "of one answer, at 'expected'"),
    TEXT(why, NEEDED, "why so many"),
    TEXTS(assumes, NEEDED, "what else was assumed"),
    OBJECT(low, &bill_shape, NEEDED, "the smallest prompt that it can be, and no answer"),
    OBJECT(expected, &bill_shape, NEEDED, "the usual prompt and the assumed answer"),
    OBJECT(high, &bill_shape, NEEDED, "the largest prompt and the longest answers"),
};
#undef S
static const struct shape request_shape = SHAPE("a request", cando_estimate, request);
static const struct shape estimate_shape = SHAPE("an estimate", cando_estimate, estimate);

#define S cando_discount
static const struct shape_member discount[] = {
    TEXT(tier, NEEDED, "the service tier that costs less"),
    COUNT(percent, NEEDED, "how much less"),
    TEXT(cached, NONE,
         "what cached tokens cost there: 'discounted', 'standard', as 'input'; null: not said"),
    TEXT(rule, NONE, "who says so: its name"),
    TEXT(file, NONE, "the file that it stands in"),
    TEXT(source, NONE, "where it was found"),
    TEXT(checked, NONE, "the day on which the source was looked at"),
    TEXT(evidence, NONE, "what kind of source it is"),
};
#undef S
static const struct shape discount_shape = SHAPE("a discount", cando_discount, discount);

/* -- the answer ------------------------------------------------------------------------------- */

#define S cando_cost_answer
static const struct shape_member answer[] = {
    TEXT(target, OMIT, "whose price it is"),
    TEXT(target_from, OMIT, "how it was found, if nobody said it"),
    TEXT(currency, NEEDED, "\"USD\""),
    COSTS,
    MONEY(at_least, OMIT,
          "of a stream that was cut: what was counted before; of tools without a rate: the rest"),
    SPREAD(reply, &op_reply),
    SPREAD(estimate, &request_shape),
    TEXT(at, OMIT, "when it was, or shall be"),
    OBJECT(estimate, &estimate_shape, OMIT,
           "of a request; the costs around it are the expected ones"),
    LISTS,
    OBJECT(discount, &discount_shape, OMIT,
           "of the service tier, where rates were made of the standard ones with it"),
};
#undef S

OP(cost, "what a usage, a reply or a request costs, to the last digit", OP_RULES,
   "{\"op\":\"cost\",\"target\":\"anthropic/claude-opus-4-5\",\"usage\":{\"input_tokens\":1000,"
   "\"cache_read_tokens\":400,\"output_tokens\":50}}")
