/*
 * op_guard.c - guard: what to do with a request that is on its way to a provider?
 */
#include "op.h"

static const char *const modes[] = {"report", "repair", "reject"};
static const struct shape_words mode_words = WORDS(modes);
static const char *const actions[] = {"pass", "send", "refuse"};
static const struct shape_words action_words = WORDS(actions);

#define S cando_guard_question
static const struct shape_member question[] = {
    TEXT(url, NEEDED, "the address that it is sent to"),
    JSON(request, NEEDED, "the body, in the form of the provider's own API"),
    WORD(mode, &mode_words, NONE,
         "only tell, send the safe rewrite, or refuse in the provider's own form"),
    TEXT(provider, NONE, "whose API it is, at an address of one's own"),
    JSON(headers, NONE, "its headers; those of beta features and of the API's version are read"),
    TEXTS(betas, NONE, "beta features that the request is sent with"),
    FLAG(strict, NONE, "a model that nobody knows is an error"),
    TEXT(at, NONE, "the day that is asked about, instead of today"),
};
#undef S

#define S cando_guard_header
static const struct shape_member header[] = {
    TEXT(name, NEEDED, "of the header"),
    TEXT(value, NEEDED, "its value"),
};
#undef S
const struct shape op_header = SHAPE("a header", cando_guard_header, header);

#define S cando_guard_reply
static const struct shape_member reply[] = {
    COUNT(status, NEEDED, "of HTTP"),
    MAP(headers, &op_header, NEEDED, "by name"),
    JSON(body, NEEDED, "the error, as the provider writes it"),
};
#undef S
static const struct shape reply_shape = SHAPE("a reply", cando_guard_reply, reply);

#define S cando_guard_answer
static const struct shape_member answer[] = {
    FLAG(known, NEEDED, "does the address belong to a provider's API"),
    TEXT(provider, OMIT, "whose it is"),
    TEXT_AS(api, "dialect", OMIT, "the API"),
    TEXT(model, OMIT, "that is asked, by the address or the body"),
    FLAG(stream, NEEDED, "will it be answered by a stream"),
    WORD(action, &action_words, NEEDED,
         "send it as it is, send `request` instead, or answer with `reply`"),
    TEXT(reason, OMIT, "why it was not judged"),
    SPREAD(judged, &op_preflight_answer),
    OBJECT(reply, &reply_shape, OMIT, "what the provider itself would answer"),
};
#undef S

OP(guard, "what to do with a request that is on its way", OP_RULES | OP_REQUESTS,
   "{\"op\":\"guard\",\"mode\":\"repair\",\"url\":\"https://api.openai.com/v1/chat/completions\","
   "\"request\":{\"model\":\"gpt-5.6-sol\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],"
   "\"max_tokens\":100}}")
