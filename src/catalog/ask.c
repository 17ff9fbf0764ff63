/*
 * ask.c - the questions that need nothing but names and codes: explain, model_id.
 */
#include "engine.h"

const cando_explain_answer *cando_ask_explain(const cando *c, const cando_explain_question *q,
                                              cando_room *room, cando_error *err)
{
    (void)c;
    struct str name = str_of(q->code ? q->code : "");
    enum code code = code_find(name);
    if (code == CODE_COUNT) {
        struct nearest near = nearest_to(name);
        for (unsigned i = 0; i < CODE_COUNT; i++)
            nearest_try(&near, str_of(code_name((enum code)i)));
        error_set(err, CANDO_BAD_QUESTION, CODE_unknown_code, "there is no code '%.*s'",
                  STR_ARG(str_head(name, 80)));
        if (near.name.n)
            error_hint(err, "did you mean '%.*s'?", STR_ARG(near.name));
        else
            error_hint(err, "cando explain lists them");
        error_at(err, STR("/code"), 0, 0);
        return NULL;
    }
    cando_explain_answer *a = arena_alloc(&room->ar, sizeof *a);
    if (!a)
        return no_memory(err);
    *a = (cando_explain_answer){code_name(code), code_severity(code), code_text(code),
                                code_explanation(code)};
    return a;
}

static const char *part(struct arena *ar, struct str s, bool *ok)
{
    if (!s.n)
        return NULL;
    struct str own = str_dup(ar, s);
    *ok = *ok && own.p;
    return own.p;
}

const cando_model_id_answer *cando_ask_model_id(const cando *c, const cando_model_id_question *q,
                                                cando_room *room, cando_error *err)
{
    struct arena *ar = &room->ar;
    struct str model = str_of(q->model ? q->model : ""),
               provider = str_of(q->provider ? q->provider : "");
    const cando_catalog *cat = room_catalog(room, c);
    struct model_id *id = cat ? arena_alloc(ar, sizeof *id) : NULL;
    cando_model_id_answer *a = id ? arena_alloc(ar, sizeof *a) : NULL;
    if (!a)
        return no_memory(err);
    struct id_tables tables = snapshot_ids(&cat->snap);
    if (!model_id_parse(&tables, provider, model, id)) {
        error_set(err, CANDO_BAD_QUESTION, CODE_too_long, "a name has at most %u bytes",
                  LIMIT_NAME_BYTES);
        error_at(err, model.n > LIMIT_NAME_BYTES ? STR("/model") : STR("/provider"), 0, 0);
        return NULL;
    }
    bool ok = true;
    a->provider = part(ar, id->provider, &ok);
    a->vendor = part(ar, id->vendor, &ok);
    a->base = part(ar, id->base, &ok);
    a->major = (cando_number){id->major, id->has_version};
    a->minor = (cando_number){id->minor, id->has_version};
    a->date = part(ar, id->date, &ok);
    a->region = part(ar, id->region, &ok);
    a->suffix = part(ar, id->suffix, &ok);
    a->canonical = part(ar, id->canonical, &ok);
    a->steps = id->step;
    a->n_steps = id->n_steps;
    if (ok)
        return a;
    return no_memory(err);
}
