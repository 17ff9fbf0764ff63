/*
 * demand.c - see demand.h.
 *
 * The rules name what they need. One scan with all of those that need something, whatever the
 * model has, gives each demand once, with its first place; and the sizes on the way.
 */
#include "demand.h"

#include "catalog/api.h"

/* -- the argument ---------------------------------------------------------------------- */

/* A line of a batch job: the request stands in an envelope that names it. */
static const struct json *unwrap(const struct json *v, const char **key)
{
    static const char *const names[] = {"custom_id", "key"};
    static const char *const inner[] = {"body", "params", "request"};
    bool named = false;
    for (size_t i = 0; i < 2; i++) {
        const struct json *x = json_get(v, names[i]);
        named |= x && x->kind == JSON_STRING;
    }
    for (size_t i = 0; named && i < 3; i++) {
        const struct json *x = json_get(v, inner[i]);
        if (x && x->kind == JSON_OBJECT) {
            *key = inner[i];
            return x;
        }
    }
    *key = NULL;
    return v;
}

bool demands_read(struct reading *r, cando_bytes request, const char *api, struct demands *out)
{
    const struct str at = STR("/request");
    const char *key;
    const struct json *v = reading_json(r, request, at);
    *out = (struct demands){0};
    if (!v)
        return false;
    if (v->kind != JSON_OBJECT)
        return reading_fail(r, CODE_bad_argument, at, "a request must be an object, it is %s",
                            json_kind_name(v));
    out->body = unwrap(v, &key);
    out->batch = key != NULL;
    out->at = key ? reading_at(r, at, key) : at;
    out->text = str_make(request.p + out->body->at, out->body->end - out->body->at);
    out->told = api;
    return out->at.p || reading_memory(r);
}

/* -- the scan ----------------------------------------------------------------------------- */

/* Into the one scan's memory, which is the call's. */
static bool scan_as(struct reading *r, const cando_target *t, const char *api, struct scan *s,
                    struct demands *d)
{
    cando_error err = {0};
    cando_status st = preflight_scan(t, s, s, true, api, d->text, NULL, &err);
    if (st == CANDO_OK) {
        d->tokens = fit_input(&s->fit, s->x.wide, s->x.tails, s->x.escapes);
        d->output = s->fit.has_output ? s->fit.output : 0;
        d->output_at = s->fit.has_output ? s->fit.output_at : 0;
        return true;
    }
    reading_error(r, st == CANDO_BAD_QUESTION ? STR("/dialect") : d->at, &err);
    if (t->catalog->snap.sec[SEC_REQ_APIS].n == 0)
        reading_hint(r, "these rules have no request rules: put them on top of the catalog's, "
                        "as an overlay");
    return false;
}

static void take_demands(const struct scan *s, struct demands *d)
{
    for (uint32_t i = 0; i < s->n_found; i++) {
        struct snap_req_rule rule = snap_req_rule(s->t.s, s->found[i].rule);
        unsigned field = snap_our_field(s->t.s, rule.field);
        if (plane_slot(field) == SLOT_NONE || d->n_demands == SLOT_COUNT)
            continue;
        d->demand[d->n_demands++] =
            (struct demand){plane_slot(field), rule.flags & REQF_GENERAL, s->found[i].place.at,
                            snap_str(s->t.s, rule.name).p};
    }
}

bool demands_scan(struct reading *r, const cando_catalog *cat, struct str provider,
                  struct str model, struct demands *d)
{
    cando_error err = {0};
    struct scan *s = arena_alloc_raw(r->ar, sizeof *s);
    void *memory = arena_alloc_raw(r->ar, cando_target_size(cat));
    if (!s || !memory)
        return reading_memory(r);
    s->kept_of = 0;
    s->marked = false;
    const cando_target *t = target_init(memory, cat, provider, model, TARGET_NEEDS, &err);
    if (!t)
        return reading_error(r, STR("/target"), &err);
    d->planes = t->planes;
    d->tokenizer = t->tokenizer;
    d->n_demands = 0;
    if (!scan_as(r, t, d->told, s, d))
        return false;
    d->api = snap_str(s->t.s, s->d.name).p;
    take_demands(s, d);
    const struct api *a = api_find(str_of(d->api));
    if (!a || !a->measured_as || snapshot_req_api(&cat->snap, a->measured_as->name) == SNAP_NONE)
        return true;
    return scan_as(r, t, a->measured_as->name.p, s, d);
}

bool demands_has(const struct demands *d, unsigned slot)
{
    for (unsigned i = 0; i < d->n_demands; i++)
        if (d->demand[i].slot == slot)
            return true;
    return false;
}

struct str demands_place(struct reading *r, const struct demands *d, uint32_t at)
{
    struct str path = locate_path(r->ar, d->text, at);
    return path.p ? str_printf(r->ar, "%.*s%.*s", STR_ARG(d->at), STR_ARG(path)) : STR_NONE;
}
