#include "offered.h"

#include "base/instant.h"
#include "engine.h"

#include <stdio.h>

void offered_begin(struct offered *o, const struct snapshot *s, struct str model)
{
    o->snap = s;
    o->ids = snapshot_ids(s);
    o->id.canonical = STR("");
    o->model = str_make(o->room, model.n > LIMIT_NAME_BYTES ? 0 : model.n);
    for (size_t i = 0; i < o->model.n; i++)
        o->room[i] = char_fold(model.p[i]);
    if (o->model.n && !model_id_parse(s->has_ids ? &o->ids : NULL, STR(""), o->model, &o->id))
        o->id.canonical = STR("");
}

bool offered_is(struct offered *o, struct str provider, struct str key)
{
    if (!o->model.n)
        return false;
    if (str_eq(key, o->model) || (str_ends(key, o->model) && key.p[key.n - o->model.n - 1] == '/'))
        return true;
    if (!o->id.canonical.n ||
        !model_id_parse(o->snap->has_ids ? &o->ids : NULL, provider, key, &o->scratch))
        return false;
    return str_eq_fold(o->scratch.canonical, o->id.canonical);
}

struct str offered_near_provider(const struct snapshot *s, struct str name)
{
    struct nearest near = nearest_to(name);
    for (uint32_t p = 0; p < s->sec[SEC_PROVIDERS].n; p++)
        nearest_try(&near, snap_str(s, snap_provider(s, p).id));
    return near.name;
}

struct nearest offered_near_model(const struct snapshot *s, uint32_t provider, struct str name)
{
    struct nearest near = nearest_to(name);
    uint32_t today = day_today();
    for (unsigned ending = 0; ending < 2; ending++)
        for (size_t i = 0; i < s->sec[SEC_ROWS].n; i++) {
            struct snap_row row = snap_row(s, i);
            bool ends = row.status >= ROW_DEPRECATED || row.retires;
            bool gone = row.status == ROW_RETIRED || (row.retires && row.retires <= today);
            if (row.provider == provider && !gone && ends == ending)
                nearest_try(&near, snap_str(s, row.id ? row.id : row.key));
        }
    if (str_same_but_digits(near.name, name)) /* another version is no slip of the pen */
        near.name = STR("");
    return near;
}

bool offered_slip(const struct snapshot *s, uint32_t provider, struct str name)
{
    struct nearest near = offered_near_model(s, provider, name);
    struct offered o;
    if (!near.name.n || !nearest_is_slip(&near))
        return false;
    offered_begin(&o, s, name);
    for (size_t i = 0; i < s->sec[SEC_ROWS].n; i++) {
        struct snap_row row = snap_row(s, i);
        if (offered_is(&o, snap_str(s, snap_provider(s, row.provider).id), snap_str(s, row.key)))
            return false;
    }
    return true;
}

void offered_hint(const cando_catalog *cat, struct str model, cando_error *err)
{
    enum { NAMED = 4 };
    const struct snapshot *s = &cat->snap;
    struct offered o;
    char text[sizeof err->hint];
    size_t n = 0, used = 0;
    offered_begin(&o, s, model);
    for (size_t i = 0; i < s->sec[SEC_ROWS].n; i++) {
        struct snap_row row = snap_row(s, i);
        struct str provider = snap_str(s, snap_provider(s, row.provider).id);
        if (!offered_is(&o, provider, snap_str(s, row.key)) || ++n > NAMED || used >= sizeof text)
            continue;
        struct str id = snap_str(s, row.id ? row.id : row.key);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s/%.*s", n > 1 ? ", " : "",
                                 STR_ARG(provider), STR_ARG(id));
    }
    if (n > NAMED)
        error_hint(err, "it is offered as %.400s and %zu more", text, n - NAMED);
    else if (n)
        error_hint(err, "it is offered as %s", text);
}

bool offered_name(const cando_catalog *cat, cando_name name, struct str *provider,
                  struct str *model, struct str at, cando_error *err)
{
    if (name_split(name, provider, model, at, err))
        return true;
    offered_hint(cat, str_of(name.model), err);
    return false;
}
