/*
 * target_price.c - the price of one offering, from the catalog.
 */
#include "target_price.h"

#include "catalog/profile.h"

static const char *not_its_own(const cando_profile *p, uint32_t rule)
{
    if (p->identity == CANDO_BY_EXACT)
        return NULL;
    if (snap_rule(&p->catalog->snap, rule).layer >= CANDO_LAYER_USER)
        return NULL;
    return p->identity == CANDO_BY_ALIAS
               ? "the price that is known is of another spelling of this model, and a price is "
                 "never borrowed"
               : "the price that is known is of its family, and a price is never borrowed";
}

/* The tier that a rate is for; empty: the standard one. */
static struct str tier_of(struct str key)
{
    struct str own = str_from(key, str_find_char(key, '@'));
    return own.n ? str_head(str_from(own, 1), str_find_char(own, ' ') - 1) : own;
}

/* A tier is sold below or above the standard rates: where the price has none for it, they are
 * not its price. */
static const char *without_tier(struct reading *r, bool own, struct str tier)
{
    struct str why = str_printf(r->ar,
                                "%s has no rates for the service tier '%.*s'; the tier 'standard' "
                                "prices it in full",
                                own ? "the price in your own rules" : "the price that is known",
                                (int)tier.n, tier.p);
    if (!why.p)
        reading_memory(r);
    return why.p;
}

/* The rates of the price's items that this tier can be billed with. *sold: it has some. */
static bool add_rates(struct reading *r, const struct snapshot *s, cando_value v, struct str tier,
                      struct pricing *out, bool *sold)
{
    *sold = !tier.n;
    for (uint32_t i = 0; i < v.count; i++) {
        struct str item = value_item(s, v, i);
        size_t cut = str_behind_last(item, '='); /* a rate has no '=' */
        struct str key = str_head(item, cut ? cut - 1 : 0), of = tier_of(key);
        bool same = str_eq(of, tier);
        *sold |= same;
        /* no bill can use another tier's; that requests are sold at all it may tell */
        if (of.n && !same && !str_starts(key, STR("requests")))
            continue;
        if (!pricing_add(r, out, STR("/target"), key, str_from(item, cut)))
            return false;
    }
    return true;
}

static const char *why_unknown(const cando_profile *p, bool known, uint32_t rule)
{
    const struct snapshot *s = &p->catalog->snap;
    if (known)
        return not_its_own(p, rule);
    bool kind = p->provider != SNAP_NONE;
    if (kind && str_is(snap_str(s, snap_provider_kind(s, p->provider)), "local"))
        return "it runs on a machine of your own, which has no price a token";
    return p->identity == CANDO_BY_EXACT ? "nobody has said what this model costs at this provider"
           : p->identity == CANDO_BY_ALIAS
               ? "it has no price under this name, and takes none over from the model meant"
               : "this model is not known at this provider";
}

bool target_price(struct reading *r, const cando_catalog *catalog, struct str provider,
                  struct str model, struct str tier, struct target_rates *out)
{
    cando_profile p;
    cando_error err;
    bool sold;
    out->pricing->n = 0;
    out->unknown = NULL;
    out->discounted = false;
    if (cando_resolve_parts(catalog, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN, &p,
                            &err))
        return reading_error(r, STR("/target"), &err);
    const struct snapshot *s = &catalog->snap;
    uint32_t value, rule = 0; /* nothing is concluded about a price: what was said is all */
    cando_value v = {0};
    if (profile_raw(&p, F_price, &value, &rule))
        v = value_decode(s, F_price, value);
    out->unknown = why_unknown(&p, v.known && v.count, rule);
    if (out->unknown)
        return true;
    if (!add_rates(r, s, v, tier, out->pricing, &sold))
        return false;
    if (str_is(tier, "batch") && batch_discount(&p, rule, &out->discount))
        sold = batch_price(&out->discount, out->pricing, &out->discounted);
    if (sold)
        return true;
    out->pricing->n = 0;
    out->unknown = without_tier(r, snap_rule(s, rule).layer >= CANDO_LAYER_USER, tier);
    return out->unknown != NULL;
}
