/*
 * op_preflight.c - preflight: will this request be taken, and what would make it so?
 */
#include "op.h"

#include "decide/claims.h"

static const char *const verdicts[] = {"ok", "ok", "rewrite", "reject"};
static const struct shape_words verdict_words = WORDS(verdicts);

#define S cando_adapter
static const struct shape_member adapter[] = {
    FLAG(requires_structured_finalize, NONE, "it wants that for tools with a schema"),
};
#undef S
static const struct shape adapter_shape = SHAPE("an adapter", cando_adapter, adapter);

#define S cando_preflight_question
static const struct shape_member question[] = {
    JSON(request, NEEDED, "the request, in the form of the provider's own API"),
    TEXT_AS(api, "dialect", NONE, "its form, if it shall not be found by itself: \"openai-chat\""),
    OBJECT(target, &op_name, NAMED | NULLS,
           "the model; without one that which the request names, if its API's own vendor has it"),
    TEXT(provider, NONE, "without a target: who has the model that the request names"),
    JSON(profile, NONE, "claims in place of a target, or null"),
    WORD(profile_form, &claim_form_words, NONE, "their form, if it shall not be guessed"),
    OBJECT(adapter, &adapter_shape, NULLS, "what is between the caller and the provider"),
    FLAG(fix, NONE, "rewrite also where something is lost"),
    TEXTS(allow, NONE, "the same for findings with these codes alone"),
    FLAG(strict, NONE, "a provider or model that nobody knows is an error"),
    TEXT(at, NONE, "the day that is asked about, instead of today"),
    TEXTS(betas, NONE, "beta features that the request is sent with"),
    JSON(headers, NONE, "its headers; those of beta features and of the API's version are read"),
    FLAG(partial, NONE,
         "rewrite also what is rejected all the same: what can be repaired, nothing else"),
    TEXTS(only, NONE, "which members of the answer, besides the verdict; without it all"),
};
#undef S

#define S cando_patch
static const struct shape_member change[] = {
    TEXT(op, NEEDED, "\"add\", \"remove\", \"replace\" or \"move\""),
    TEXT(from, OMIT, "of a move: the old place"),
    TEXT(path, NEEDED, "the place, as a JSON Pointer"),
    JSON(value, OMIT, "the new value"),
};
#undef S
static const struct shape change_shape = SHAPE("a change", cando_patch, change);

#define S cando_preflight_answer
static const struct shape_member answer[] = {
    WORD(verdict, &verdict_words, NEEDED, "is it taken as it is, when rewritten, or not at all"),
    TEXT_AS(api, "dialect", OMIT, "the API that it was judged by"),
    LIST(findings, &op_finding, OMIT, "all that is to say, in the order of the request"),
    COUNT(more, OMIT, "how many findings there are besides"),
    JSON(request, OMIT, "as it should be; what needs no change is as it was, byte for byte"),
    LIST(changes, &change_shape, OMIT, "what was changed, as JSON Patch"),
    OBJECT(tokens, &op_tokens, OMIT, "of the input, estimated"),
    TEXT(target, OMIT, "without one in the question: the model that the request names"),
    LIST(left, &op_finding, OMIT, "what there is still to say when all that was repaired"),
    TEXT_AS(api_by, "dialect_by", OMIT, "by what the API was told, if the question does not"),
};
#undef S

const struct shape op_preflight_answer = SHAPE("a verdict", cando_preflight_answer, answer);

OP(preflight, "will a request be taken, and what would make it so", OP_RULES | OP_REQUESTS,
   "{\"op\":\"preflight\",\"target\":\"openai/gpt-5\",\"request\":{\"model\":\"gpt-5\","
   "\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}],\"max_tokens\":100}}")
