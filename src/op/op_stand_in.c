/*
 * op_stand_in.c - stand_in: what would a provider answer?
 */
#include "op.h"

#define S cando_stand_in_question
static const struct shape_member question[] = {
    TEXT(url, NEEDED, "a path, which may begin with a provider's id, or a whole address"),
    JSON(request, NONE,
         "the body, in the form of the provider's own API; none: the address is "
         "one of a list of models"),
    TEXT(provider, NONE, "whose rules hold, whatever the address says"),
    JSON(headers, NONE, "its headers; those of beta features and of the API's version are read"),
    TEXTS(betas, NONE, "beta features that the request is sent with"),
    FLAG(strict, NONE, "a model that nobody knows is an error"),
    TEXT(at, NONE, "when it is asked, instead of now"),
    TEXT(seed, NONE, "makes other ids; without it they follow from the request alone"),
};
#undef S

#define S cando_stand_in_reply
static const struct shape_member reply[] = {
    COUNT(status, NEEDED, "of HTTP"),
    MAP(headers, &op_header, NEEDED, "by name"),
    JSON(body, OMIT, "the reply or the error, as the provider writes it"),
    TEXTS(events, OMIT, "of a stream: what is sent, one after the other, as it is sent"),
    FLAG(base64, OMIT, "the events are no texts, and in base64 therefore"),
};
#undef S
static const struct shape reply_shape = SHAPE("a reply", cando_stand_in_reply, reply);

#define S cando_stand_in_answer
static const struct shape_member answer[] = {
    FLAG(known, NEEDED, "does the address belong to a provider's API"),
    TEXT(reason, OMIT, "why not"),
    TEXT(provider, OMIT, "whose rules hold"),
    TEXT_AS(api, "dialect", OMIT, "the API"),
    TEXT(model, OMIT, "that is asked, by the address or the body"),
    FLAG(stream, NEEDED, "is it answered by a stream"),
    SPREAD(judged, &op_preflight_answer),
    NUMBER(input_tokens, OMIT, "that the reply tells, estimated"),
    NUMBER(output_tokens, OMIT, "that the reply tells, estimated"),
    MONEY(cost, OMIT, "of these tokens, in USD"),
    TEXT(doubt, OMIT, "what of the reply may not be as the request wants it"),
    OBJECT(reply, &reply_shape, OMIT, "what the provider would answer"),
};
#undef S

OP(stand_in, "what a provider would answer, without asking it", OP_RULES | OP_REQUESTS,
   "{\"op\":\"stand_in\",\"url\":\"/v1/chat/completions\","
   "\"request\":{\"model\":\"gpt-5.6-sol\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}}")
