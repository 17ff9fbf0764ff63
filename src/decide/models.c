/*
 * models.c - models: the offerings that fit, as a list.
 *
 * Selection (select.c) answers "which one shall I take"; this is the catalog to look
 * through. An offering is listed with what is known of it.
 */
#include "query.h"

#include "catalog/engine.h"
#include "catalog/model_id.h"
#include "catalog/price.h"
#include "rules/view.h"

/* Which fields are wanted of each. */
struct wanted_fields {
    bool all;
    const unsigned *field;
    size_t n;
};

static bool read_fields(struct reading *r, const cando_query *q, struct wanted_fields *out)
{
    out->all = q->n_fields == 1 && str_is(str_of(q->fields[0]), "all");
    unsigned *field = arena_array(r->ar, q->n_fields, sizeof *field);
    if (!field)
        return reading_memory(r);
    for (size_t i = 0; i < q->n_fields && !out->all; i++) {
        struct str name = str_of(q->fields[i]);
        field[i] = vocab_find_any(name);
        if (field[i] < FIELD_COUNT)
            continue;
        reading_fail(r, CODE_unknown_field, str_printf(r->ar, "/fields/%zu", i),
                     "no field is called '%.*s'", STR_ARG(str_head(name, 80)));
        return reading_suggest(r, vocab_suggest(VOCAB_CANDO, name), NULL);
    }
    out->field = field;
    out->n = out->all ? 0 : q->n_fields;
    return true;
}

static bool add_fields(struct reading *r, const struct wanted_fields *w, const cando_profile *p,
                       cando_offering *out)
{
    size_t most = w->all ? FIELD_COUNT : w->n;
    if (!most)
        return true;
    cando_field_value *list = arena_array(r->ar, most, sizeof *list);
    if (!list)
        return reading_memory(r);
    struct profile_fact fact[FIELD_COUNT];
    bool all = w->all;
    for (unsigned i = 0; i < w->n; i++)
        all |= view_is_corrected(w->field[i]);
    if (all)
        profile_facts(p, fact);
    for (unsigned i = 0; i < most; i++) {
        unsigned f = w->all ? i : w->field[i];
        if (w->all && !vocab_row(f)->main && !fact[f].set)
            continue;
        cando_value v = all ? fact[f].value : profile_fact(p, f).value;
        if (view_is_corrected(f) && v.known && !view_list(fact, r->ar, f, &v))
            return reading_memory(r);
        list[out->n_fields++] = (cando_field_value){vocab_row(f)->name, (cando_field)f, v, NULL};
    }
    out->fields = list;
    return true;
}

/* Which of its fields are in doubt, by the word that `why` has for their evidence. */
static bool add_doubts(struct reading *r, const cando_profile *p, cando_offering *out)
{
    const char **inferred = arena_array(r->ar, out->n_fields, sizeof *inferred);
    const char **contested = arena_array(r->ar, out->n_fields, sizeof *contested);
    if (!inferred || !contested)
        return reading_memory(r);
    for (size_t i = 0; i < out->n_fields; i++) {
        if (!out->fields[i].value.known)
            continue;
        const char *word = profile_evidence(p, (unsigned)out->fields[i].field, NULL);
        if (strcmp(word, "inferred") == 0)
            inferred[out->n_inferred++] = out->fields[i].name;
        else if (strcmp(word, "contested") == 0)
            contested[out->n_contested++] = out->fields[i].name;
    }
    out->inferred = inferred;
    out->contested = contested;
    return true;
}

/* Whose model it is; `id` is room to take the name apart in. */
static bool add_canonical(struct reading *r, const struct snapshot *s, struct model_id *id,
                          cando_offering *out)
{
    struct id_tables tables = snapshot_ids(s);
    if (!model_id_parse(&tables, str_of(out->provider), str_of(out->model), id))
        return true;
    if (!id->canonical.n)
        return true;
    out->canonical = str_dup(r->ar, id->canonical).p;
    return out->canonical || reading_memory(r);
}

static cando_number number_fact(const cando_profile *p, unsigned field)
{
    cando_value v = profile_fact(p, field).value;
    return (cando_number){v.number, v.known};
}

/* The rate that is in force on the day, whatever the other conditions. */
static const char *price_fact(const cando_profile *p, unsigned unit)
{
    cando_value v = profile_fact(p, F_price).value;
    struct str rate = price_on(&v, unit, p->day ? p->day : day_today());
    return rate.n ? rate.p : NULL;
}

static bool add_offering(struct reading *r, const struct offers *o, const struct snap_row *row,
                         const struct wanted_fields *w, struct model_id *marks,
                         cando_offering *out)
{
    const struct snapshot *s = &o->cat->snap;
    cando_profile p;
    offer_profile(o, row, &p);
    *out = (cando_offering){
        .provider = offer_provider(o, row).p,
        .model = offer_id(o, row).p,
        .alias_of = snapshot_alias(s, row->provider, snap_str(s, row->key)),
        .name = profile_text(&p, F_display_name),
        .context_window = number_fact(&p, F_context_window),
        .max_output = number_fact(&p, F_max_output),
        .release_date = profile_text(&p, F_release_date),
        .status = profile_text(&p, F_status),
        .input_price = price_fact(&p, UNIT_input_tokens),
        .output_price = price_fact(&p, UNIT_output_tokens),
    };
    if (!add_fields(r, w, &p, out))
        return false;
    if (!marks)
        return true;
    return add_doubts(r, &p, out) && add_canonical(r, s, marks, out);
}

static bool list_models(struct reading *r, const cando_catalog *cat, const cando_query *q,
                        cando_models_answer *out)
{
    struct query x;
    struct query_result found;
    struct wanted_fields fields = {0};
    if (q->models.p)
        return reading_fail(r, CODE_bad_argument, STR("/models"),
                            "a list of models is of the catalog's");
    if (!read_fields(r, q, &fields) || !query_read(r, cat, q, true, &x) ||
        !query_run(r, &x, &found))
        return false;
    cando_offering *list = arena_array(r->ar, found.n, sizeof *list);
    struct model_id *marks = q->marks ? arena_alloc(r->ar, sizeof *marks) : NULL;
    if (!list || (q->marks && !marks))
        return reading_memory(r);
    for (size_t i = 0; i < found.n; i++)
        if (!add_offering(r, &x.from.offers, &x.from.offers.row[found.hit[i].index], &fields,
                          marks, &list[i]))
            return false;
    *out = (cando_models_answer){list, found.n, found.count[FITS], x.from.offers.n,
                                 found.count[OUT_POLICY]};
    return true;
}

const cando_models_answer *cando_ask_models(const cando *c, const cando_models_question *q,
                                            cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const cando_catalog *cat = room_catalog(room, c);
    cando_models_answer *out = arena_alloc(&room->ar, sizeof *out);
    if (!cat || !out)
        reading_memory(&r);
    else if (list_models(&r, cat, q, out))
        return out;
    reading_end(&r, err);
    return NULL;
}
