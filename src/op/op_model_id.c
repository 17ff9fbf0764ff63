/*
 * op_model_id.c - the question and the answer of `model_id`.
 */
#include "op.h"

#define S cando_model_id_question
static const struct shape_member question[] = {
    TEXT(model, NEEDED, "a model's id in any spelling"),
    TEXT(provider, NONE, "who serves it"),
};
#undef S

static void write_version(struct json_writer *w, const void *object)
{
    const cando_model_id_answer *a = object;
    if (!a->major.known) {
        jw_null(w);
        return;
    }
    jw_array(w);
    jw_uint(w, a->major.value);
    jw_uint(w, a->minor.value);
    jw_array_end(w);
}

static const struct shape_other version = {
    write_version,
    "{\"type\":[\"array\",\"null\"],\"items\":{\"type\":\"integer\"},\"description\":\"[major, "
    "minor]\"}",
};

#define S cando_model_id_answer
static const struct shape_member answer[] = {
    TEXT(provider, NONE, "canonical, or as it was given"),
    TEXT(vendor, NONE, "the lab"),
    TEXT(base, NONE, "the id without vendor, region, date and suffix"),
    OTHER("version", &version, NONE, "[major, minor]"),
    TEXT(date, NONE, "as it stands in the id"),
    TEXT(region, NONE, "\"us\", \"global\", .."),
    TEXT(suffix, NONE, "\"free\", \"v1:0\", .."),
    TEXT(canonical, NONE, "\"lab/model\", or null: nobody can know"),
    TEXTS(steps, NONE, "what was taken apart, in order"),
};
#undef S

OP(model_id, "what a spelling of an id consists of", 0,
   "{\"op\":\"model_id\",\"model\":\"us.anthropic.claude-opus-4-6-v1:0\"}")
