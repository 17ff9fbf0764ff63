/*
 * resolve.c - the answer: which value each field has, and by which rule.
 *
 * An id that is named whole has a finished profile: one hash probe, nothing is
 * copied. Every other id takes the walk that rule.h describes. Rules arrive
 * from the matchers in any order; a field belongs to the rule of the largest
 * precedence, so no list of matches is kept and nothing is sorted.
 *
 * First match needs one thing more: rules below the best one that does not
 * extend must not count. A step collects into scratch arrays, remembers that
 * bar, and then keeps only what lies at or above it:
 *
 *     precedence  9 8 7 6 5        7 is the first without `extends`
 *     matches     x   x   x        9 and 7 give their fields, 5 gives nothing
 */
#include "resolve.h"

#include "borrow.h"

#include "base/bits.h"
#include "catalog/engine.h"

_Static_assert(CANDO_MAX_FIELDS % 64 == 0, "whole words");
#define SET_WORDS (CANDO_MAX_FIELDS / 64)

uint32_t resolve_stages(const struct snapshot *s, cando_resolution how)
{
    return how == CANDO_AS_WRITTEN ? (uint32_t)s->sec[SEC_STAGES].n : 1;
}

bool resolve_first_match(const struct snapshot *s, cando_resolution how, uint32_t stage)
{
    return how == CANDO_AS_WRITTEN ? s->sec[SEC_STAGES].p[stage] == 1 : how == CANDO_FIRST_MATCH;
}

uint32_t resolve_stage_of(const struct snap_rule *r, cando_resolution how)
{
    return how == CANDO_AS_WRITTEN ? r->stage : 0;
}

struct resolver {
    const struct snapshot *s;
    cando_profile *out;
    cando_resolution how;
    uint32_t stage, step;
    bool matched;
    bool fact; /* a fact row of the provider itself matched */
    resolve_trace *trace;
    void *trace_ctx;
    /* layered */
    bool named;           /* the rules that come now name the provider */
    uint32_t layers_done; /* layers whose walk has ended */
    uint32_t layers_hit;  /* layers that end after this step */
    /* first match: the step's own findings */
    uint64_t set[SET_WORDS];
    uint32_t bar; /* precedence of the best rule without `extends`; 0: none */
    uint32_t value[CANDO_MAX_FIELDS], prec[CANDO_MAX_FIELDS], origin[CANDO_MAX_FIELDS];
};

/* The row is there, whether or not it is the one that answers. */
static void note_fact(struct resolver *x, const struct snap_rule *r)
{
    if (x->step == 0 && (r->flags & RULEF_FACT))
        x->fact = true;
}

static void take_layered(void *ctx, uint32_t rule, const struct snap_rule *r)
{
    struct resolver *x = ctx;
    if (resolve_stage_of(r, x->how) != x->stage || (x->named && (x->layers_done >> r->layer & 1)))
        return;
    x->matched = true;
    note_fact(x, r);
    if (x->trace)
        x->trace(x->trace_ctx, rule, x->step);
    if (x->named && !(r->flags & RULEF_EXTENDS))
        x->layers_hit |= 1u << r->layer;
    uint32_t prec = r->prec[x->how];
    cando_profile *out = x->out;
    for (uint32_t i = 0; i < r->n_assigns; i++) {
        struct snap_assign a = snap_assign_at(x->s, r->assigns + i);
        unsigned f = x->s->field[a.field];
        if (f >= FIELD_COUNT)
            continue;
        if (bit_get(out->set, f) && snap_rule_prec(x->s, out->origin[f], x->how) > prec)
            continue;
        bit_put(out->set, f);
        out->value[f] = a.value;
        out->origin[f] = rule;
    }
}

static void take_first(void *ctx, uint32_t rule, const struct snap_rule *r)
{
    struct resolver *x = ctx;
    uint32_t prec = r->prec[x->how];
    if (resolve_stage_of(r, x->how) != x->stage)
        return;
    note_fact(x, r);
    if (x->trace)
        x->trace(x->trace_ctx, rule, x->step);
    if (prec < x->bar)
        return;
    x->matched = true;
    if (!(r->flags & RULEF_EXTENDS))
        x->bar = prec;
    for (uint32_t i = 0; i < r->n_assigns; i++) {
        struct snap_assign a = snap_assign_at(x->s, r->assigns + i);
        unsigned f = x->s->field[a.field];
        if (f >= FIELD_COUNT || (bit_get(x->set, f) && x->prec[f] > prec))
            continue;
        bit_put(x->set, f);
        x->value[f] = a.value;
        x->prec[f] = prec;
        x->origin[f] = rule;
    }
}

static void visit_step(struct resolver *x, struct match_query *q, uint32_t step, match_visit *visit)
{
    uint32_t scope[3];
    unsigned named, n = query_scopes(q, step, scope, &named);
    x->step = step;
    for (unsigned i = 0; i < n; i++) {
        x->named = i >= named;
        match_scope(q, scope[i], visit, x);
    }
}

/* Returns how many steps of the walk were taken. */
static uint32_t stage_layered(struct resolver *x, struct match_query *q)
{
    uint32_t steps = query_steps(q), step = 0;
    x->layers_done = 0;
    for (; step < steps; step++) {
        x->layers_hit = 0;
        visit_step(x, q, step, take_layered);
        x->layers_done |= x->layers_hit;
        if (x->layers_done == (1u << CANDO_LAYER_COUNT) - 1)
            break;
    }
    return step < steps ? step + 1 : steps;
}

static uint32_t stage_first_match(struct resolver *x, struct match_query *q)
{
    uint32_t steps = query_steps(q);
    uint64_t nearer[SET_WORDS] = {0};
    for (uint32_t step = 0; step < steps; step++) {
        memset(x->set, 0, sizeof x->set);
        x->bar = 0;
        visit_step(x, q, step, take_first);
        for (unsigned w = 0; w < SET_WORDS; w++) {
            for (uint64_t bits = x->set[w] & ~nearer[w]; bits; bits &= bits - 1) {
                unsigned f = w * 64 + (unsigned)__builtin_ctzll(bits);
                if (x->prec[f] < x->bar)
                    continue;
                bit_put(nearer, f);
                bit_put(x->out->set, f);
                x->out->value[f] = x->value[f];
                x->out->origin[f] = x->origin[f];
            }
        }
        if (x->bar)
            return step + 1;
    }
    return steps;
}

static bool is_harn(const struct snapshot *s, uint32_t rule)
{
    return snap_file(s, snap_rule(s, rule).file).syntax == CANDO_SYNTAX_HARN;
}

/* May a default fill it? Also what a rule of Harn's left open, if the default is Harn's. */
static bool is_open(const struct snapshot *s, const cando_profile *p, unsigned f, uint32_t by)
{
    if (!bit_get(p->set, f))
        return true;
    return VAL_TAG(p->value[f]) == VAL_CLEARED && is_harn(s, by) && is_harn(s, p->origin[f]);
}

static void apply_defaults(const struct snapshot *s, cando_profile *out, uint32_t postings,
                           bool provider)
{
    uint32_t n = snap_posting_count(s, postings);
    for (uint32_t k = n; k > 0; k--) { /* later files first: what is set stays */
        uint32_t rule = snap_u32(s, SEC_POSTINGS, postings + k);
        struct snap_rule r = snap_rule(s, rule);
        bool is_provider = r.flags & RULEF_PROVIDER_DEFAULT;
        if (is_provider != provider)
            continue;
        for (uint32_t i = 0; i < r.n_assigns; i++) {
            struct snap_assign a = snap_assign_at(s, r.assigns + i);
            unsigned f = s->field[a.field];
            if (f >= FIELD_COUNT || !is_open(s, out, f, rule))
                continue;
            bit_put(out->set, f);
            out->value[f] = a.value;
            out->origin[f] = rule;
        }
    }
}

/* Fill what no rule set: defaults of the providers as far as the walk got, the
 * nearest first, then everybody's. */
static void fill_defaults(struct match_query *q, cando_profile *out, uint32_t steps)
{
    const struct snapshot *s = q->s;
    if (q->provider != SNAP_NONE) {
        struct snap_provider p = snap_provider(s, q->provider);
        for (uint32_t i = 0; i < steps && i < p.n_walk; i++) {
            struct snap_provider at = snap_provider(s, snap_u32(s, SEC_WALKS, p.walk + i));
            if (at.scope != SNAP_NONE)
                apply_defaults(s, out, snap_scope(s, at.scope).defaults, true);
        }
    }
    apply_defaults(s, out, snap_scope(s, SCOPE_ALL).defaults, false);
}

void resolve_walk(struct match_query *q, const cando_catalog *cat, cando_resolution how,
                  cando_profile *out, resolve_trace *trace, void *ctx)
{
    struct resolver x; /* most of it is scratch that is written before it is read */
    x.trace = trace;
    x.trace_ctx = ctx;
    x.s = q->s;
    x.out = out;
    x.how = how;
    x.matched = false;
    x.fact = false;
    out->catalog = cat;
    out->record = NULL;
    out->canonical = NULL;
    out->how = how;
    out->day = 0;
    out->provider = q->provider;
    memset(out->set, 0, sizeof out->set);
    uint32_t stages = resolve_stages(q->s, how), steps = 1;
    for (x.stage = 0; x.stage < stages; x.stage++) {
        uint32_t n = resolve_first_match(q->s, how, x.stage) ? stage_first_match(&x, q)
                                                             : stage_layered(&x, q);
        if (n > steps)
            steps = n;
    }
    fill_defaults(q, out, steps);
    out->identity = x.fact ? CANDO_BY_EXACT : x.matched ? CANDO_BY_FAMILY : CANDO_BY_DEFAULT;
}

static cando_identity identity_at(const struct snapshot *s, uint32_t record)
{
    return (cando_identity)RECORD_IDENTITY(snap_u32(s, SEC_RECORDS, record));
}

static void use_record(cando_profile *out, const cando_catalog *cat, uint32_t provider, uint32_t at,
                       cando_identity identity)
{
    out->catalog = cat;
    out->how = CANDO_AS_WRITTEN;
    out->day = 0;
    out->provider = provider;
    out->record = (const uint32_t *)(const void *)(cat->snap.sec[SEC_RECORDS].p + (size_t)at * 4);
    out->identity = identity;
    out->canonical = NULL;
}

/* The id of a fact row of the same provider that this is another spelling of:
 * without the suffix, as the lab writes it, or as its base. NULL if there is none. */
static const char *find_alias(struct match_query *q, uint32_t *at)
{
    if (q->provider == SNAP_NONE || !q->s->has_facts)
        return NULL;
    query_parse(q);
    struct str canonical = q->mid.canonical;
    size_t slash = str_find_char(canonical, '/');
    struct str tries[4] = {
        str_head(q->id, str_find_char(q->id, ':')),
        canonical,
        slash < canonical.n ? str_from(canonical, slash + 1) : STR(""),
        q->base,
    };
    for (unsigned i = 0; i < 4; i++) {
        if (tries[i].n == 0 || str_eq_fold(tries[i], q->id))
            continue;
        *at = snapshot_exact(q->s, q->provider, tries[i]);
        if (*at != SNAP_NONE && identity_at(q->s, *at) == CANDO_BY_EXACT)
            return snapshot_exact_key(q->s, q->provider, tries[i]);
    }
    return NULL;
}

/* A price belongs to one spelling at one provider and is never borrowed. */
static void drop_price(cando_profile *out)
{
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (profile_is_price(f))
            out->set[f / 64] &= ~(UINT64_C(1) << (f % 64));
}

/* By the finished profile, another spelling, or the walk; an alias of [aliases] is
 * not followed. False if a name is over its limit. */
static bool resolve_plain(const cando_catalog *catalog, struct str name, struct str id,
                          cando_resolution how, uint32_t at, cando_profile *out)
{
    const struct snapshot *s = &catalog->snap;
    struct match_query q;
    if (!query_init(&q, s, name, id))
        return false;
    if (at != SNAP_NONE && how == CANDO_AS_WRITTEN) {
        use_record(out, catalog, q.provider, at, identity_at(s, at));
        return true;
    }
    const char *alias = at == SNAP_NONE ? find_alias(&q, &at) : NULL;
    if (alias && how == CANDO_AS_WRITTEN) {
        use_record(out, catalog, q.provider, at, CANDO_BY_ALIAS);
    } else {
        if (alias)
            query_init(&q, s, name, str_of(alias));
        resolve_walk(&q, catalog, how, out, NULL, NULL);
        borrow_apply(&q, out);
        if (alias) {
            out->identity = CANDO_BY_ALIAS;
            drop_price(out);
        }
    }
    out->canonical = alias;
    return true;
}

static bool is_default(const struct snapshot *s, uint32_t rule)
{
    return snap_rule(s, rule).flags & (RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT);
}

void resolve_alias(const cando_catalog *cat, struct str provider, struct str id, struct str target,
                   cando_resolution how, cando_profile *out)
{
    const struct snapshot *s = &cat->snap;
    size_t cut = str_find_char(target, '/');
    struct str there = str_head(target, cut), model = str_from(target, cut + 1);
    uint32_t number = snapshot_provider(s, there);
    uint32_t at = number == SNAP_NONE ? SNAP_NONE : snapshot_exact(s, number, model);
    struct match_query q;
    cando_profile of;
    query_init(&q, s, provider, id);
    resolve_walk(&q, cat, how, out, NULL, NULL);
    out->identity = CANDO_BY_ALIAS;
    out->canonical = target.p;
    if (!resolve_plain(cat, there, model, how, at, &of))
        return;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t value, origin;
        if (profile_is_price(f) || !profile_raw(&of, f, &value, &origin))
            continue;
        uint32_t rule = origin & ~ORIGIN_MARKS;
        if (bit_get(out->set, f) && (is_default(s, rule) || !is_default(s, out->origin[f])))
            continue;
        bit_put(out->set, f);
        out->value[f] = value;
        out->origin[f] = origin;
    }
}

cando_status cando_resolve(const cando_catalog *catalog, const char *name, cando_profile *out,
                           cando_error *err)
{
    struct str provider, model;
    if (!name_split((cando_name){.model = name}, &provider, &model, STR(""), err))
        return CANDO_BAD_QUESTION;
    return cando_resolve_parts(catalog, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN,
                               out, err);
}

cando_status cando_resolve_parts(const cando_catalog *catalog, const char *provider,
                                 size_t provider_len, const char *model, size_t model_len,
                                 cando_resolution how, cando_profile *out, cando_error *err)
{
    const struct snapshot *s = &catalog->snap;
    struct str id = {model, model_len}, name = {provider, provider_len};
    if (provider_len > LIMIT_NAME_BYTES || model_len > LIMIT_NAME_BYTES)
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long,
                         "the name of the %s has %zu bytes, the limit is %u",
                         provider_len > LIMIT_NAME_BYTES ? "provider" : "model",
                         provider_len > LIMIT_NAME_BYTES ? provider_len : model_len,
                         LIMIT_NAME_BYTES);
    if ((unsigned)how > CANDO_FIRST_MATCH)
        return error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "no such way to resolve");
    uint32_t number = snapshot_provider(s, name);
    uint32_t at = number == SNAP_NONE ? SNAP_NONE : snapshot_exact(s, number, id);
    struct str in_arn = at == SNAP_NONE ? model_id_in_arn(id) : STR_NONE;
    if (in_arn.n)
        return cando_resolve_parts(catalog, provider, provider_len, in_arn.p, in_arn.n, how, out,
                                   err);
    cando_identity identity = at == SNAP_NONE ? CANDO_BY_DEFAULT : identity_at(s, at);
    if (identity == CANDO_BY_ALIAS) {
        const char *target = snapshot_alias(s, number, id);
        if (target && how != CANDO_AS_WRITTEN)
            resolve_alias(catalog, name, id, str_of(target), how, out);
        else
            use_record(out, catalog, number, at, identity);
        out->canonical = target;
    } else if (at != SNAP_NONE && how == CANDO_AS_WRITTEN) {
        use_record(out, catalog, number, at, identity);
    } else if (!resolve_plain(catalog, name, id, how, at, out)) {
        return error_set(err, CANDO_BAD_QUESTION, CODE_too_long, "a name is over its limit");
    }
    return CANDO_OK;
}
