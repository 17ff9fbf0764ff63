/*
 * op_model_id.c - model_id: what does this spelling of an id consist of?
 */
#include "op.h"

#include "base/limits.h"

static const struct op_arg args[] = {
    {"model", true, "a model's id in any spelling"},
    {"provider", false, "who serves it"},
    {0},
};

static void write_part(struct json_writer *w, const char *key, struct str s)
{
    jw_keyz(w, key);
    if (s.n)
        jw_str(w, s);
    else
        jw_null(w);
}

static bool run(struct op_call *c)
{
    struct str model, provider;
    if (!arg_text(c, "model", &model) || !arg_text(c, "provider", &provider))
        return false;
    struct model_id *id = arena_alloc(c->ar, sizeof *id);
    if (!id)
        return op_memory(c);
    struct id_tables tables = snapshot_ids(&c->catalog->snap);
    if (!model_id_parse(&tables, provider, model, id))
        return op_fail(c, CODE_too_long, model.n > LIMIT_NAME_BYTES ? STR("/model") : STR("/provider"), "a name has at most %u bytes",
                       LIMIT_NAME_BYTES);
    struct json_writer *w = c->w;
    jw_object(w);
    write_part(w, "provider", id->provider);
    write_part(w, "vendor", id->vendor);
    write_part(w, "base", id->base);
    jw_keyz(w, "version");
    if (id->has_version) {
        jw_array(w);
        jw_uint(w, id->major);
        jw_uint(w, id->minor);
        jw_array_end(w);
    } else {
        jw_null(w);
    }
    write_part(w, "date", id->date);
    write_part(w, "region", id->region);
    write_part(w, "suffix", id->suffix);
    write_part(w, "canonical", id->canonical);
    jw_keyz(w, "steps");
    jw_array(w);
    for (size_t i = 0; i < id->n_steps; i++)
        jw_strz(w, id->step[i]);
    jw_array_end(w);
    jw_object_end(w);
    return true;
}

const struct op op_model_id = {"model_id", "what a spelling of an id consists of", args, run};
