#include "agree.h"

#include "base/bits.h"
#include "catalog/evidence.h"

void agree_hear(void *ctx, uint32_t rule, uint32_t step)
{
    struct agree_heard *h = ctx;
    (void)step;
    if (h->n < COUNT_OF(h->rule)) /* a few more would confirm the same */
        h->rule[h->n++] = rule;
}

void agree_on(struct compiler *c, uint32_t rule, unsigned field)
{
    struct snap_rule_packed r;
    char *at = c->sec[SEC_RULES].p + rule * sizeof r;
    memcpy(&r, at, sizeof r);
    uint32_t flags = snap_le32(r.flags);
    if (flags & RULEF_FACT) /* what a family's rule says is not of this model alone */
        flags |= agreed_bit(field) << RULEF_AGREED;
    r.flags = snap_le32(flags);
    memcpy(at, &r, sizeof r);
}

static bool same_value(const cando_value *a, const cando_value *b)
{
    if (!a->known || !b->known || a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (!str_eq(value_item_of(a, i), value_item_of(b, i)))
            return false;
    if ((a->text || b->text) && (!a->text || !b->text || strcmp(a->text, b->text) != 0))
        return false;
    return a->support == b->support && a->number == b->number;
}

/* What one rule says by itself, as a profile. */
static void profile_of(const cando_profile *like, uint32_t rule, cando_profile *out)
{
    const struct snapshot *s = &like->catalog->snap;
    struct snap_rule r = snap_rule(s, rule);
    *out = *like;
    memset(out->set, 0, sizeof out->set);
    for (uint32_t i = 0; i < r.n_assigns; i++) {
        struct snap_assign a = snap_assign_at(s, r.assigns + i);
        unsigned f = s->field[a.field];
        if (f >= FIELD_COUNT)
            continue;
        bit_put(out->set, f);
        out->value[f] = a.value;
        out->origin[f] = rule;
    }
}

/* The fields whose value another rule says as well. */
static void agree_with_rule(struct compiler *c, const cando_profile *p, uint32_t rule)
{
    cando_profile alone;
    profile_of(p, rule, &alone);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        struct profile_fact said, own;
        if (!agreed_bit(f))
            continue;
        said = profile_fact(&alone, f);
        if (!said.value.known)
            continue;
        own = profile_fact(p, f);
        if (own.set && own.rule != rule && same_value(&own.value, &said.value))
            agree_on(c, own.rule, f);
    }
}

void agree_with_rules(struct compiler *c, const struct offering *x, const struct agree_heard *h)
{
    const struct snapshot *s = &x->profile.catalog->snap;
    for (size_t i = 0; i < h->n; i++) {
        struct snap_rule r = snap_rule(s, h->rule[i]);
        if (!(r.flags & RULEF_FACT) && evidence_rejects(snap_str(s, r.evidence)))
            agree_with_rule(c, &x->profile, h->rule[i]);
    }
}
