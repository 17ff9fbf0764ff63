/*
 * ask_resolve.c - the question `resolve`: what does this model do, and who says so?
 */
#include "catalog/engine.h"
#include "catalog/offered.h"
#include "policy.h"
#include "view.h"
#include "why.h"

/* What statements are made of. */
struct teller {
    struct arena *ar;
    const struct snapshot *s;
    const cando_profile *p;
    struct why *all; /* NULL: what did not hold is not asked for */
};

static const char *or_null(const char *text)
{
    return text && *text ? text : NULL;
}

static cando_from from_of(const struct snap_rule *r)
{
    if (r->flags & (RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT))
        return CANDO_FROM_DEFAULT;
    if (r->layer >= CANDO_LAYER_USER)
        return CANDO_FROM_OVERLAY;
    return r->flags & RULEF_FACT ? CANDO_FROM_FACT : CANDO_FROM_RULE;
}

static bool tell_rule(const struct teller *t, uint32_t rule, cando_statement *out)
{
    struct snap_rule r = snap_rule(t->s, rule);
    cando_origin o = rule_origin(t->s, rule);
    out->from = from_of(&r);
    out->layer = or_null(o.layer);
    out->rule = or_null(o.rule);
    out->file = or_null(o.file);
    out->line = (cando_number){o.line, o.line != 0};
    out->source = or_null(o.source);
    out->evidence = or_null(o.evidence);
    if (!o.checked[0])
        return true;
    out->checked = str_dup(t->ar, str_of(o.checked)).p;
    return out->checked != NULL;
}

/* Of `n` rules those that say something of the field (FIELD_COUNT: all of them), but for
 * the one that holds. */
static bool tell_others(const struct teller *t, const struct why_rule *list, size_t n, unsigned field, uint32_t winner,
                        const cando_statement **out, size_t *n_out)
{
    cando_statement *told = arena_array(t->ar, n, sizeof *told);
    if (!told)
        return false;
    *out = told;
    *n_out = 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t value = field < FIELD_COUNT ? why_value(t->s, list[i].rule, field) : 0;
        if (list[i].rule == winner || (field < FIELD_COUNT && !value))
            continue;
        cando_statement *one = &told[(*n_out)++];
        if (value)
            one->value = value_decode(t->s, field, value);
        one->reason = list[i].reason.p;
        if (!tell_rule(t, list[i].rule, one))
            return false;
    }
    return true;
}

/* Who said a field; a value that was derived was said of its source. */
static bool tell_field(const struct teller *t, const struct profile_fact *fact, unsigned field, const cando_statement **out)
{
    cando_statement *said = arena_alloc(t->ar, sizeof *said);
    if (!said || !tell_rule(t, fact->rule, said))
        return false;
    *out = said;
    if (fact->derived) {
        said->from = CANDO_FROM_DERIVED;
        said->via = vocab_row(fact->via)->name;
    }
    if (!t->all || (t->p->identity == CANDO_BY_ALIAS && profile_is_price(field))) /* no other's price was in question */
        return true;
    unsigned about = fact->derived ? fact->via : field;
    const struct why *all = t->all;
    return tell_others(t, all->matched, all->n_matched, about, fact->rule, &said->overrode, &said->n_overrode) &&
           tell_others(t, all->near, all->n_near, about, SNAP_NONE, &said->near_misses, &said->n_near_misses);
}

/* The row that answered, for explanations: an alias of a file leads to another
 * provider, another spelling does not. */
static bool query_answer(struct query *q, const cando_profile *p, struct str provider, struct str model)
{
    const struct snapshot *s = &p->catalog->snap;
    const char *target = snapshot_alias(s, p->provider, model);
    struct str as = target ? str_of(target) : p->canonical ? str_of(p->canonical) : model;
    size_t cut = target ? str_find_char(as, '/') : 0;
    return query_init(q, s, target ? str_head(as, cut) : provider, target ? str_from(as, cut + 1) : as);
}

static bool collect(struct teller *t, struct str provider, struct str model, cando_resolution how)
{
    struct query *q = arena_alloc(t->ar, sizeof *q);
    t->all = arena_alloc(t->ar, sizeof *t->all);
    return q && t->all && query_answer(q, t->p, provider, model) && why_collect(t->all, t->ar, q, t->p, how);
}

static bool tell(const cando_resolve_question *q, struct teller *t, struct view *v, struct str provider, struct str model,
                 cando_resolve_answer *a)
{
    if (q->why == CANDO_WHY_ALL && !collect(t, provider, model, q->resolution))
        return false;
    a->why = v->field;
    for (size_t i = 0; i < v->n; i++) {
        cando_field_value *x = &v->field[i];
        const struct profile_fact *fact = x->field < FIELD_COUNT ? &v->fact[x->field] : NULL;
        if (fact && fact->set && !tell_field(t, fact, x->field, &x->said))
            return false;
    }
    return !t->all || tell_others(t, t->all->near, t->all->n_near, FIELD_COUNT, SNAP_NONE, &a->near_misses, &a->n_near_misses);
}

/* Only where some file has lists of what is allowed. */
static bool tell_policy(struct arena *ar, const cando_profile *p, struct str provider, struct str model,
                        const cando_allowance **out)
{
    if (!policy_any(&p->catalog->snap))
        return true;
    struct allowance {
        cando_allowance allowance;
        cando_policy policy;
    } *x = arena_alloc(ar, sizeof *x);
    if (!x)
        return false;
    x->policy = cando_catalog_policy(p->catalog, provider.p, provider.n, model.p, model.n);
    x->allowance = (cando_allowance){x->policy.allowed, x->policy.allowed ? NULL : &x->policy};
    *out = &x->allowance;
    return true;
}

static bool answer(const cando_resolve_question *q, struct arena *ar, const cando_profile *p, struct str provider,
                   struct str model, cando_resolve_answer *a)
{
    const struct snapshot *s = &p->catalog->snap;
    struct view v;
    a->profile = p;
    a->provider = p->provider == SNAP_NONE ? str_dup(ar, provider).p : snap_str(s, snap_provider(s, p->provider).id).p;
    a->model = str_dup(ar, model).p;
    a->identity = p->identity;
    a->canonical = p->canonical;
    if (!a->provider || !a->model || !tell_policy(ar, p, provider, model, &a->policy) || !view_make(&v, ar, p, q->view))
        return false;
    a->fields = v.field;
    a->n_fields = v.n;
    struct teller t = {.ar = ar, .s = s, .p = p};
    return q->why == CANDO_WHY_NOT || tell(q, &t, &v, provider, model, a);
}

const cando_resolve_answer *cando_ask_resolve(const cando *c, const cando_resolve_question *q, cando_room *room,
                                              cando_error *err)
{
    struct str provider, model;
    const cando_catalog *cat = room_catalog(room, c);
    cando_profile *p = arena_alloc(&room->ar, sizeof *p);
    cando_resolve_answer *a = arena_alloc(&room->ar, sizeof *a);
    if (!cat || !p || !a) {
        error_memory(err);
        return NULL;
    }
    cando_name name = q->target ? *q->target : (cando_name){0};
    if (!name_split(name, &provider, &model, STR("/target"), err)) {
        offered_hint(cat, str_of(name.model), err);
        return NULL;
    }
    if (cando_resolve_parts(cat, provider.p, provider.n, model.p, model.n, q->resolution, p, err) != CANDO_OK) {
        error_at(err, STR("/resolution"), 0, 0); /* the names fit already */
        return NULL;
    }
    if (answer(q, &room->ar, p, provider, model, a))
        return a;
    error_memory(err);
    return NULL;
}
