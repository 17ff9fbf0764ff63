/*
 * target_price.c - the price of one offering, from the catalog.
 */
#include "target_price.h"

#include "catalog/profile.h"

static const char *not_its_own(const cando_profile *p, const struct profile_fact *f)
{
    if (p->identity == CANDO_BY_EXACT || snap_rule(&p->catalog->snap, f->rule).layer >= CANDO_LAYER_USER)
        return NULL;
    return p->identity == CANDO_BY_ALIAS ? "the price that is known is of another spelling of this model, and a price is never borrowed"
                                         : "the price that is known is of its family, and a price is never borrowed";
}

cando_status target_price(const cando_catalog *catalog, struct str provider, struct str model, struct pricing *out,
                          const char **unknown, cando_error *err)
{
    cando_profile p;
    out->n = 0;
    *unknown = NULL;
    cando_status status = cando_resolve_parts(catalog, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN, &p, err);
    if (status != CANDO_OK)
        return status;
    struct profile_fact f = profile_fact(&p, F_price);
    if (!f.set || !f.value.known || f.value.count == 0)
        *unknown = p.identity == CANDO_BY_EXACT ? "nobody has said what this model costs at this provider"
                                                : "this model is not known at this provider";
    else
        *unknown = not_its_own(&p, &f);
    for (uint32_t i = 0; !*unknown && i < f.value.count; i++) {
        struct str item = value_item(&catalog->snap, f.value, i);
        size_t cut = price_item_cut(item);
        struct pricing_error bad = {0};
        if (!pricing_add(out, str_head(item, cut), str_from(item, cut + 1), &bad))
            return error_set(err, CANDO_BAD_INPUT, CODE_bad_price, "the catalog's price of '%.*s/%.*s' has the key '%.*s': %s (%s)",
                             STR_ARG(str_head(provider, 80)), STR_ARG(str_head(model, 80)), STR_ARG(str_head(bad.key, 80)), bad.what,
                             bad.expected);
    }
    return CANDO_OK;
}
