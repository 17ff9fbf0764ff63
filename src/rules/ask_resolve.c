/*
 * ask_resolve.c - the question `resolve`: what does this model do, and who says so?
 */
#include "catalog/engine.h"
#include "catalog/offered.h"
#include "policy.h"
#include "text/reading.h"
#include "view.h"
#include "why.h"

/* One question while it is answered. */
struct explaining {
    const cando_resolve_question *q;
    struct arena *ar;
    const struct snapshot *s;
    cando_profile *p;
    struct str provider, model; /* as they were asked for */
    struct why *all;            /* NULL: what did not hold is not asked for */
    unsigned field;             /* of this alone; FIELD_COUNT: of all */
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

static bool tell_rule(const struct explaining *t, uint32_t rule, cando_statement *out)
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

/* Of some rules those that say something of a field, but for the one that holds. */
struct others {
    const struct why_rule *rule;
    size_t n;
    unsigned field; /* FIELD_COUNT: all rules, whatever they say */
    uint32_t holds; /* SNAP_NONE: none of them */
    bool whole;     /* also what is told of the model */
};

static struct others near_misses(const struct explaining *t, unsigned field)
{
    return (struct others){t->all->near, t->all->n_near, field, SNAP_NONE, false};
}

static bool tell_others(const struct explaining *t, struct others list, const cando_statement **out,
                        size_t *n)
{
    cando_statement *told = arena_array(t->ar, list.n, sizeof *told);
    if (!told)
        return false;
    *out = told;
    *n = 0;
    for (size_t i = 0; i < list.n; i++) {
        uint32_t rule = list.rule[i].rule, value = 0;
        if (list.field < FIELD_COUNT)
            value = why_value(t->s, rule, list.field);
        bool told_of = value && (list.whole || !list.rule[i].whole);
        if (rule == list.holds || (list.field < FIELD_COUNT && !told_of))
            continue;
        cando_statement *one = &told[(*n)++];
        if (value)
            one->value = value_decode(t->s, list.field, value);
        one->reason = list.rule[i].reason.p;
        if (!tell_rule(t, rule, one))
            return false;
    }
    return true;
}

/* Who said a field; a value that was derived was said of its source. */
static bool tell_field(const struct explaining *t, const struct profile_fact *fact, unsigned field,
                       const cando_statement **out)
{
    cando_statement *said = arena_alloc(t->ar, sizeof *said);
    if (!said || !tell_rule(t, fact->rule, said))
        return false;
    *out = said;
    said->evidence = or_null(profile_evidence(t->p, field, fact));
    if (fact->borrowed)
        said->from = fact->inherited ? CANDO_FROM_INHERITED : CANDO_FROM_BORROWED;
    if (fact->derived) {
        said->from = CANDO_FROM_DERIVED;
        said->via = vocab_row(fact->via)->name;
    }
    if (!t->all)
        return true;
    if (t->p->identity == CANDO_BY_ALIAS && profile_is_price(field))
        return true; /* no other's price was in question */
    struct others list = {t->all->matched, t->all->n_matched, fact->derived ? fact->via : field,
                          fact->rule, false};
    if (!tell_others(t, list, &said->overrode, &said->n_overrode))
        return false;
    return tell_others(t, near_misses(t, list.field), &said->near_misses, &said->n_near_misses);
}

/* The row that answered, for explanations: an alias of a file leads to another
 * provider, another spelling does not. */
static bool query_answer(struct match_query *q, const struct explaining *t)
{
    const char *target = snapshot_alias(t->s, t->p->provider, t->model);
    if (!target)
        return query_init(q, t->s, t->provider,
                          t->p->canonical ? str_of(t->p->canonical) : t->model);
    struct str as = str_of(target);
    size_t cut = str_find_char(as, '/');
    return query_init(q, t->s, str_head(as, cut), str_from(as, cut + 1));
}

static bool collect(struct explaining *t)
{
    struct match_query *q = arena_alloc(t->ar, sizeof *q);
    t->all = arena_alloc(t->ar, sizeof *t->all);
    if (!q || !t->all)
        return false;
    if (!query_answer(q, t))
        return false;
    if (t->field < FIELD_COUNT && profile_fact(t->p, t->field).derived)
        t->field = profile_fact(t->p, t->field).via;
    return why_collect(t->all, t->ar, q, t->p, t->q->resolution, t->field);
}

/* Who said what the view shows. */
static bool tell(struct explaining *t, const struct view *v, cando_resolve_answer *a)
{
    if (t->q->why == CANDO_WHY_ALL && !collect(t))
        return false;
    a->why = v->field;
    for (size_t i = 0; i < v->n; i++) {
        unsigned f = v->field[i].field;
        if (f >= FIELD_COUNT || !v->fact[f].set)
            continue;
        if (!tell_field(t, &v->fact[f], f, &v->field[i].said))
            return false;
    }
    if (!t->all)
        return true;
    struct others near = near_misses(t, t->field);
    near.whole = true;
    return tell_others(t, near, &a->near_misses, &a->n_near_misses);
}

/* Only where some file has lists of what is allowed. */
static bool tell_policy(const struct explaining *t, const cando_allowance **out)
{
    struct allowance {
        cando_allowance allowance;
        cando_policy policy;
    } * x;
    if (!policy_any(t->s))
        return true;
    x = arena_alloc(t->ar, sizeof *x);
    if (!x)
        return false;
    x->policy =
        cando_catalog_policy(t->p->catalog, t->provider.p, t->provider.n, t->model.p, t->model.n);
    x->allowance.allowed = x->policy.allowed;
    x->allowance.denial = x->policy.allowed ? NULL : &x->policy;
    *out = &x->allowance;
    return true;
}

/* The provider by its id, or as it was asked for. */
static const char *provider_of(const struct explaining *t)
{
    if (t->p->provider == SNAP_NONE)
        return str_dup(t->ar, t->provider).p;
    return snap_str(t->s, snap_provider(t->s, t->p->provider).id).p;
}

static bool answer(struct explaining *t, cando_resolve_answer *a)
{
    struct view v;
    a->profile = t->p;
    a->identity = t->p->identity;
    a->canonical = t->p->canonical;
    a->provider = provider_of(t);
    a->model = str_dup(t->ar, t->model).p;
    if (!a->provider || !a->model)
        return false;
    if (!tell_policy(t, &a->policy))
        return false;
    if (!view_make(&v, t->ar, t->p, t->q->view, str_of(a->provider), str_of(a->model)))
        return false;
    a->fields = v.field;
    a->n_fields = v.n;
    return t->q->why == CANDO_WHY_NOT || tell(t, &v, a);
}

static bool read_question(struct explaining *t, struct reading *r, uint32_t *day)
{
    const char *field = t->q->field;
    t->field = FIELD_COUNT;
    if (!reading_day(r, t->q->at, day))
        return false;
    if (!field)
        return true;
    cando_field f = cando_field_find(field);
    if (f == CANDO_NO_FIELD) {
        reading_fail(r, CODE_unknown_field, STR("/field"), "there is no field '%.80s'", field);
        return reading_suggest(r, vocab_suggest(VOCAB_CANDO, str_of(field)),
                               "'cando help fields' lists them");
    }
    t->field = (unsigned)f;
    return true;
}

const cando_resolve_answer *cando_ask_resolve(const cando *c, const cando_resolve_question *q,
                                              cando_room *room, cando_error *err)
{
    const cando_catalog *cat = room_catalog(room, c);
    struct explaining t = {.q = q, .ar = &room->ar, .p = arena_alloc(&room->ar, sizeof *t.p)};
    cando_resolve_answer *a = arena_alloc(&room->ar, sizeof *a);
    if (!cat || !t.p || !a)
        return no_memory(err);
    t.s = &cat->snap;
    struct reading r = {.ar = &room->ar};
    uint32_t day;
    if (!read_question(&t, &r, &day)) {
        reading_end(&r, err);
        return NULL;
    }
    cando_name name = q->target ? *q->target : (cando_name){0};
    if (!name_split(name, &t.provider, &t.model, STR("/target"), err)) {
        offered_hint(cat, str_of(name.model), err);
        return NULL;
    }
    if (cando_resolve_parts(cat, t.provider.p, t.provider.n, t.model.p, t.model.n, q->resolution,
                            t.p, err) != CANDO_OK) {
        error_at(err, STR("/resolution"), 0, 0); /* the names fit already */
        return NULL;
    }
    t.p->day = day;
    if (answer(&t, a))
        return a;
    return no_memory(err);
}
