/* op_negotiate.c - the tables of `negotiate`, and its answers back from JSON. */
#include "decide.h"

#include "decide/negotiate.h"

static const char *const verdicts[] = {"accepted", "degraded", NULL, "rejected"};
static const struct shape_words verdict_words = WORDS(verdicts);

#define S cando_negotiate_question
static const struct shape_member question[] = {
    LIST(requirements, &op_requirement, NONE, "what is needed, one by one"),
    OBJECT(session, &op_session, NONE,
           "instead, or besides: the parts of a session, each of which needs something"),
    JSON(request, NONE,
         "instead: a request whose needs they are, and which preflight must not reject"),
    TEXT_AS(api, "dialect", NONE, "the form of the request, if it shall not be found by itself"),
    OBJECT(target, &op_name, NAMED | NULLS, "\"provider/model\": where to"),
    JSON(profile, NONE, "claims given inline; beside a target they are claims of that target"),
    WORD(profile_form, &claim_form_words, NONE,
         "the form of these claims, if it shall not be guessed"),
    OBJECT(previous, &op_name, NAMED | NULLS, "the target that is in force"),
    LIST(params, &op_param, LEAVES,
         "the session's parameters, to see which will not apply; or a plain object of them"),
    JSON(history, NULLS,
         "the conversation so far: {\"dialect\"?:..,\"messages\"|\"contents\"|\"input\":[..]}"),
    WORD(unknown, &unknown_words, NONE, "what an unknown capability does to a hard need"),
    FLAG(spawn, NONE, "it is a child's: a rejection is 'Subagent/ModelCapabilityMismatch'"),
};
#undef S

/* A level, a number or words, as the capability has it; null where nobody knows. */
#define AMOUNT "{\"type\":[\"string\",\"integer\",\"array\",\"null\"],\"description\":"

static void write_amount(struct json_writer *w, const void *amount)
{
    const cando_amount *a = amount;
    if (!a->known) {
        jw_null(w);
    } else if (a->type == CANDO_NUMBER) {
        jw_uint(w, a->number);
    } else if (a->type == CANDO_SUPPORT) {
        jw_strz(w, a->level);
    } else {
        jw_array(w);
        for (size_t i = 0; i < a->n_words; i++)
            jw_strz(w, a->words[i]);
        jw_array_end(w);
    }
}

static const struct shape_other need = {write_amount,
                                        AMOUNT "\"what is enough: a level, a number or words\"}"},
                                have = {write_amount,
                                        AMOUNT "\"what there is; null: nobody knows\"}"},
                                claimed = {write_amount, AMOUNT "\"by the profile\"}"},
                                known = {write_amount, AMOUNT "\"by the catalog\"}"};

#define S cando_unmet
static const struct shape_member missing[] = {
    TEXT(capability, NEEDED, "our name of it"),
    TEXT(required_by, NONE, "who needs it"),
    OTHER_IN(need, &need, NONE, "what is enough"),
    OTHER_IN(have, &have, NONE, "what there is"),
    TEXT(path, NEEDED, "where the need stands in the question"),
};
static const struct shape_member warning[] = {
    TEXT(capability, NEEDED, "our name of it"),
    TEXT(reason, NEEDED, "'preferred-unmet' or 'probe-pending'"),
    TEXT(required_by, NONE, "who needs it"),
    WORD(level, &level_words, NEEDED, "how strongly"),
    OTHER_IN(need, &need, NONE, "what is enough"),
    OTHER_IN(have, &have, NONE, "what there is"),
};
#undef S
static const struct shape missing_shape = SHAPE("a missing capability", cando_unmet, missing),
                          warning_shape = SHAPE("a warning", cando_unmet, warning);

#define S cando_param_affected
static const struct shape_member affected[] = {
    TEXTS(param_path, NEEDED, "as it was given"),
    TEXT(reason, NEEDED,
         "\"unsupported: temperature\", \"probe-pending: ..\", \"above max_output: 8192\""),
    TEXT(active_model_id, NONE, "the model that it does not apply to"),
    JSON(current_value, NEEDED, "every secret in it replaced by [REDACTED]"),
    TEXT(source_layer, NEEDED, "where it came from"),
};
#undef S
static const struct shape affected_shape = SHAPE("a parameter", cando_param_affected, affected);

#define S cando_overstated
static const struct shape_member overstated[] = {
    TEXT(capability, NEEDED, "our name of it"),
    OTHER_IN(claimed, &claimed, NONE, "by the profile"),
    OTHER_IN(known, &known, NONE, "by the catalog"),
};
#undef S
static const struct shape overstated_shape = SHAPE("a claim", cando_overstated, overstated);

#define S cando_finding
static const struct shape_member finding[] = {
    TEXT(code, NEEDED, "what it is; 'explain' tells more"),
    TEXT(path, NEEDED, "where in the history"),
    TEXT(capability, NONE, "that it hangs on"),
    WORD(severity, &op_severities, NEEDED, "an error rejects, a warning degrades"),
    TEXT(message, NEEDED, "what the target will not take"),
    TEXT_AS(hint, "fix", NONE, "what to do about it"),
};
#undef S
static const struct shape finding_shape = SHAPE("a finding", cando_finding, finding);

#define S cando_negotiate_answer
static const struct shape_member answer[] = {
    WORD(verdict, &verdict_words, NEEDED, "degraded is accepted with warnings"),
    TEXT(error, NONE, "the name of the rejection"),
    LIST(missing, &missing_shape, NEEDED,
         "every hard need that is not met, in the order of the needs"),
    LIST(warnings, &warning_shape, NEEDED,
         "preferred needs that are not met, and what nobody knows"),
    TEXT(target, NONE, "\"provider/model\""),
    TEXT(identity, NONE, "how well it is known: 'exact', 'alias', 'family', 'default'"),
    TEXT(previous, NONE, "what was in force"),
    TEXT(active, NONE, "what is in force now: after a rejection what was before"),
    TEXT(suggestion, NONE, "after a rejection a model that would fit; it is never taken by itself"),
    LIST(params_affected, &affected_shape, NEEDED, "parameters that will not apply"),
    LIST(overstated, &overstated_shape, NEEDED, "claims that the catalog knows better"),
    LIST(findings, &finding_shape, NEEDED,
         "what of the history does not survive, and what preflight says of the request"),
};
#undef S

OP(negotiate, "may a session go to this model?", OP_RULES,
   "{\"op\":\"negotiate\",\"target\":\"anthropic/claude-opus-4-5\","
   "\"requirements\":[{\"name\":\"tool_calling\",\"level\":\"hard\"}]}")

/* -- an answer that was kept ----------------------------------------------------------- */

/* What an event is made of; the rest may be there or not. */
#define S cando_unmet
static const struct shape_member kept_unmet[] = {
    TEXT(capability, NULLS, ""),
    TEXT(reason, NULLS, ""),
    TEXT(required_by, NULLS, ""),
};
#undef S
#define S cando_param_affected
static const struct shape_member kept_param[] = {
    TEXTS(param_path, NULLS, ""),
    TEXT(reason, NULLS, ""),
    JSON(current_value, NULLS, ""),
    TEXT(source_layer, NULLS, ""),
};
#undef S
#define S cando_finding
static const struct shape_member kept_finding[] = {TEXT(code, NULLS, "")};
#undef S
static const struct shape kept_unmet_shape = SHAPE_OPEN("an item", cando_unmet, kept_unmet),
                          kept_param_shape =
                              SHAPE_OPEN("a parameter", cando_param_affected, kept_param),
                          kept_finding_shape = SHAPE_OPEN("a finding", cando_finding, kept_finding);

#define S cando_negotiate_answer
static const struct shape_member kept[] = {
    WORD(verdict, &verdict_words, NEEDED, "'accepted', 'degraded' or 'rejected'"),
    LIST(missing, &kept_unmet_shape, NULLS, ""),
    LIST(warnings, &kept_unmet_shape, NULLS, ""),
    TEXT(target, NULLS, ""),
    TEXT(previous, NULLS, ""),
    TEXT(suggestion, NULLS, ""),
    LIST(params_affected, &kept_param_shape, NULLS, ""),
    LIST(findings, &kept_finding_shape, NULLS, ""),
};
#undef S
static const struct shape kept_shape = SHAPE_OPEN("a diagnostic", cando_negotiate_answer, kept);

const cando_negotiate_answer *cando_negotiate_read(const char *json, size_t len, cando_room *room,
                                                   cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    cando_negotiate_answer *a = arena_alloc(&room->ar, sizeof *a);
    const struct json *v = a ? reading_json(&r, (cando_bytes){json, len}, STR("")) : NULL;
    const struct json *result = v ? json_get(v, "result") : NULL;
    if (!a)
        reading_memory(&r);
    if (result && result->kind == JSON_OBJECT)
        v = result;
    if (v && shape_read(&r, &kept_shape, v, str_make(json, len), "", a))
        return a;
    if (reading_no_memory(&r))
        error_memory(err);
    else
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_event,
                  "the diagnostic is not a JSON object with a verdict");
    return NULL;
}
