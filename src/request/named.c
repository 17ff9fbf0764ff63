/*
 * named.c - see named.h.
 *
 * Most requests name a model and no provider: the form of the request and the name together tell
 * whom it goes to, or that nobody knows.
 */
#include "named.h"

#include "catalog/api.h"
#include "catalog/offered.h"
#include "targets.h"

/* Is it a model of that provider's, or one but for a slip of the pen? */
static bool is_model_of(const cando_catalog *cat, struct str provider, struct str model,
                        cando_profile *p)
{
    cando_error err;
    if (cando_resolve_parts(cat, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN, p,
                            &err) != CANDO_OK)
        return false;
    if (p->identity >= CANDO_BY_ALIAS)
        return true;
    return p->provider != SNAP_NONE && offered_slip(&cat->snap, p->provider, model);
}

static bool is_open(const cando_profile *p)
{
    cando_value open = cando_profile_get(p, F_open_weights);
    return open.known && open.flag;
}

/* Is it of that provider's own models by its name, but none that is known? What everybody may
 * serve has no home. */
static bool would_be_of(const cando_catalog *cat, struct str provider, struct str model,
                        const cando_profile *p)
{
    struct model_id parts;
    struct id_tables ids = snapshot_ids(&cat->snap);
    if (p->provider == SNAP_NONE || p->identity != CANDO_BY_FAMILY)
        return false;
    if (!model_id_parse(&ids, STR(""), model, &parts) || !parts.has_version)
        return false;
    return str_eq(parts.vendor, provider) && !is_open(p);
}

/* The provider of the lab that the name leads to, if it has that model, is not one of many who
 * serve it, and would take such a request by an API of its own: others than that which everybody
 * speaks. Empty: there is none. */
static struct str lab_of(const cando *c, const cando_catalog *cat, cando_report *work,
                         struct str text, struct str model)
{
    cando_error err;
    cando_profile p;
    struct model_id parts;
    struct str api = STR("");
    struct id_tables ids = snapshot_ids(&cat->snap);
    if (memchr(model.p, '/', model.n) || !model_id_parse(&ids, STR(""), model, &parts))
        return STR("");
    uint32_t number = parts.vendor.n ? snapshot_provider(&cat->snap, parts.vendor) : SNAP_NONE;
    if (number == SNAP_NONE)
        return STR("");
    struct snap_provider row = snap_provider(&cat->snap, number);
    struct str provider = snap_str(&cat->snap, row.id);
    struct str own = row.api == SNAP_NONE
                         ? STR(API_PLAIN)
                         : snap_str(&cat->snap, snap_api(&cat->snap, row.api).name);
    if (str_is(own, API_PLAIN) || !is_model_of(cat, provider, model, &p))
        return STR("");
    if (is_open(&p))
        return STR("");
    const cando_target *t = targets_take(c, cat, provider, model, 0, &err);
    bool told = t && preflight_api(t, work, text, &api, &err) == CANDO_OK;
    cando_target_release(t);
    return told && str_eq(api, own) ? provider : STR("");
}

/* Does the API's own vendor have it, by all that is known? */
static bool is_vendors(const cando_catalog *cat, const struct api *api, const struct named *n)
{
    cando_profile p;
    bool known = is_model_of(cat, n->provider, n->model, &p);
    if (known)
        return !(api->plain && is_open(&p));
    return would_be_of(cat, n->provider, n->model, &p);
}

static const struct api *api_of(const cando *c, const cando_catalog *cat, cando_report *work,
                                struct str text, const char *told)
{
    cando_error err;
    struct str name = str_of(told);
    if (told)
        return api_find(name);
    const cando_target *nobody = targets_take(c, cat, STR(""), STR(""), 0, &err);
    bool found = nobody && preflight_api(nobody, work, text, &name, &err) == CANDO_OK;
    cando_target_release(nobody);
    return found ? api_find(name) : NULL;
}

/* At the API's own vendor, or at the lab. */
static bool find_provider(const cando *c, const cando_catalog *cat, cando_report *work,
                          struct str text, const char *told, struct named *out)
{
    const struct api *api = api_of(c, cat, work, text, told);
    if (!api || !api->vendor.n)
        return false;
    out->provider = api->vendor;
    out->by = NAMED_BY_API;
    if (is_vendors(cat, api, out))
        return true;
    out->provider = told ? STR("") : lab_of(c, cat, work, text, out->model);
    out->by = NAMED_BY_LAB;
    return out->provider.n;
}

/* At the only provider of whom another name like this one is known: a deployment of the user's. */
static bool find_alias(const cando_catalog *cat, struct named *out)
{
    const struct snapshot *s = &cat->snap;
    uint32_t found = SNAP_NONE;
    for (uint32_t i = 0; i < s->sec[SEC_PROVIDERS].n; i++) {
        if (!snapshot_alias(s, i, out->model))
            continue;
        if (found != SNAP_NONE)
            return false;
        found = i;
    }
    if (found == SNAP_NONE)
        return false;
    out->provider = snap_str(s, snap_provider(s, found).id);
    out->by = NAMED_BY_ALIAS;
    return true;
}

/* Is it denied at the provider of that name? */
static bool is_denied(const cando_catalog *cat, struct str name, struct str model,
                      struct str *provider)
{
    uint32_t number = name.n ? snapshot_provider(&cat->snap, name) : SNAP_NONE;
    if (number == SNAP_NONE)
        return false;
    *provider = snap_str(&cat->snap, snap_provider(&cat->snap, number).id);
    cando_policy p = cando_catalog_policy(cat, provider->p, provider->n, model.p, model.n);
    return p.list && strcmp(p.list, "deny") == 0;
}

/* Who serves it is not known, but a policy forbids it at its lab, or at the one before its slash:
 * it is not to slip through because nobody says so. */
static bool find_denied(const cando_catalog *cat, struct named *out)
{
    struct model_id parts;
    struct id_tables ids = snapshot_ids(&cat->snap);
    size_t cut = str_find_char(out->model, '/');
    struct str rest = cut < out->model.n ? str_from(out->model, cut + 1) : STR("");
    out->by = NAMED_BY_POLICY;
    if (rest.n && is_denied(cat, str_head(out->model, cut), rest, &out->provider)) {
        out->model = rest;
        return true;
    }
    return model_id_parse(&ids, STR(""), out->model, &parts) &&
           is_denied(cat, parts.vendor, out->model, &out->provider);
}

bool request_named(const cando *c, const cando_catalog *cat, cando_report *work, struct arena *ar,
                   struct str text, const char *api, const char *provider, struct named *out)
{
    char *name = arena_alloc_raw(ar, LIMIT_NAME_BYTES + 1);
    size_t n = name ? cando_request_model(text.p, text.n, name, LIMIT_NAME_BYTES + 1) : 0;
    *out = (struct named){.provider = str_of(provider), .model = str_make(name, n)};
    bool found = name && n <= LIMIT_NAME_BYTES;
    if (!provider)
        found = found && n &&
                (find_provider(c, cat, work, text, api, out) || find_alias(cat, out) ||
                 find_denied(cat, out));
    if (!found || !out->provider.n)
        *out = (struct named){.provider = STR(""), .model = STR("")};
    return out->provider.n;
}
