/*
 * op_resolve.c - resolve: what does this model do, and who says so?
 */
#include "op.h"

#include "catalog/profile.h"
#include "rules/policy.h"
#include "rules/why.h"

static const struct op_arg args[] = {
    {"target", true, "\"provider/model\" or {\"provider\":..,\"model\":..}"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {"view", false, "'cando', 'nika' or 'harn'"},
    {"resolution", false, "'layered' or 'first-match', whatever the files say"},
    {"why", false, "true, or \"all\" for what was overridden and what nearly matched"},
    {0},
};

enum why_depth { WHY_NOT, WHY_SHORT, WHY_ALL };

static bool arg_why(struct op_call *c, enum why_depth *out)
{
    const struct json *v = json_get(c->args, "why");
    *out = WHY_NOT;
    if (!v || v->kind == JSON_FALSE)
        return true;
    *out = v->kind == JSON_TRUE ? WHY_SHORT : WHY_ALL;
    if (v->kind == JSON_TRUE || (v->kind == JSON_STRING && str_is(v->text, "all")))
        return true;
    return op_fail(c, CODE_bad_argument, STR("/why"), "'why' is true, false or \"all\"");
}

static const char *from_word(const struct snapshot *s, uint32_t rule, bool derived)
{
    struct snap_rule r = snap_rule(s, rule);
    if (derived)
        return "derived";
    if (r.flags & (RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT))
        return "default";
    if (r.layer >= CANDO_LAYER_USER)
        return "overlay";
    return r.flags & RULEF_FACT ? "fact" : "rule";
}

static void write_text(struct json_writer *w, const char *key, const char *text)
{
    jw_keyz(w, key);
    jw_strz(w, text && *text ? text : NULL);
}

static void write_origin(struct json_writer *w, const struct snapshot *s, uint32_t rule, bool derived)
{
    cando_origin o = rule_origin(s, rule);
    write_text(w, "from", from_word(s, rule, derived));
    write_text(w, "layer", o.layer);
    write_text(w, "rule", o.rule);
    write_text(w, "file", o.file);
    jw_keyz(w, "line");
    if (o.line)
        jw_uint(w, o.line);
    else
        jw_null(w);
    write_text(w, "source", o.source);
    write_text(w, "checked", o.checked);
    write_text(w, "evidence", o.evidence);
}

static void write_other(struct json_writer *w, const struct snapshot *s, const struct why_rule *r, unsigned field)
{
    uint32_t value = field < FIELD_COUNT ? why_value(s, r->rule, field) : 0;
    jw_object(w);
    write_origin(w, s, r->rule, false);
    if (value) {
        jw_keyz(w, "value");
        view_value(w, s, value_decode(s, field, value));
    }
    jw_keyz(w, "reason");
    jw_str(w, r->reason);
    jw_object_end(w);
}

/* `field` is the one that rules set: the source, where a value was derived. */
static void write_others(struct json_writer *w, const struct why *why, unsigned field, uint32_t winner)
{
    const struct snapshot *s = why->q->s;
    jw_keyz(w, "overrode");
    jw_array(w);
    for (size_t i = 0; i < why->n_matched; i++)
        if (why->matched[i].rule != winner && why_value(s, why->matched[i].rule, field))
            write_other(w, s, &why->matched[i], field);
    jw_array_end(w);
    jw_keyz(w, "near_misses");
    jw_array(w);
    for (size_t i = 0; i < why->n_near; i++)
        if (why_value(s, why->near[i].rule, field))
            write_other(w, s, &why->near[i], field);
    jw_array_end(w);
}

static void write_why(struct json_writer *w, const cando_profile *p, enum view view, const struct why *all)
{
    unsigned cursor = 0, field;
    struct str name;
    jw_keyz(w, "why");
    jw_object(w);
    while (view_next(view, p, &cursor, &name, &field)) {
        struct profile_fact fact = profile_fact(p, field);
        if (!fact.set)
            continue;
        jw_key(w, name);
        jw_object(w);
        write_origin(w, &p->catalog->snap, fact.rule, fact.derived);
        if (fact.derived)
            write_text(w, "via", vocab_row(fact.via)->name);
        if (all && !(p->identity == CANDO_BY_ALIAS && profile_is_price(field))) /* no other's price was in question */
            write_others(w, all, fact.derived ? fact.via : field, fact.rule);
        jw_object_end(w);
    }
    jw_object_end(w);
    if (!all)
        return;
    jw_keyz(w, "near_misses");
    jw_array(w);
    for (size_t i = 0; i < all->n_near; i++)
        write_other(w, &p->catalog->snap, &all->near[i], FIELD_COUNT);
    jw_array_end(w);
}

static const char *const identities[] = {"default", "family", "alias", "exact"};

static void write_head(struct op_call *c, const cando_profile *p, struct str provider, struct str model)
{
    const struct snapshot *s = &p->catalog->snap;
    struct json_writer *w = c->w;
    jw_keyz(w, "provider");
    jw_str(w, p->provider == SNAP_NONE ? provider : snap_str(s, snap_provider(s, p->provider).id));
    jw_keyz(w, "model");
    jw_str(w, model);
    jw_keyz(w, "identity");
    jw_strz(w, identities[p->identity]);
    if (p->canonical)
        write_text(w, "canonical", p->canonical);
}

/* Only where some file has lists of what is allowed. */
static void write_policy(struct op_call *c, const cando_profile *p, struct str provider, struct str model)
{
    const struct snapshot *s = &p->catalog->snap;
    struct json_writer *w = c->w;
    if (!policy_any(s))
        return;
    cando_policy policy = cando_catalog_policy(p->catalog, provider.p, provider.n, model.p, model.n);
    jw_keyz(w, "policy");
    jw_object(w);
    jw_keyz(w, "allowed");
    jw_bool(w, policy.allowed);
    if (!policy.allowed) {
        write_text(w, "list", policy.list);
        write_text(w, "pattern", policy.pattern);
        write_text(w, "file", policy.file);
        jw_keyz(w, "line");
        jw_uint(w, policy.line);
    }
    jw_object_end(w);
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

static bool write_result(struct op_call *c, const cando_catalog *cat, struct str provider, struct str model, enum view view,
                         cando_resolution how, enum why_depth depth)
{
    cando_profile p;
    cando_error err = {0};
    if (cando_resolve(cat, provider.p, provider.n, model.p, model.n, how, &p, &err) != CANDO_OK)
        return op_fail_error(c, STR("/target"), &err);
    struct why *all = NULL;
    struct query *q = NULL;
    if (depth == WHY_ALL) {
        all = arena_alloc(c->ar, sizeof *all);
        q = arena_alloc(c->ar, sizeof *q);
        if (!all || !q || !query_answer(q, &p, provider, model) || !why_collect(all, c->ar, q, &p, how))
            return op_memory(c);
    }
    jw_object(c->w);
    write_head(c, &p, provider, model);
    write_policy(c, &p, provider, model);
    jw_keyz(c->w, "fields");
    view_fields(c->w, &p, view);
    if (depth != WHY_NOT)
        write_why(c->w, &p, view, all);
    jw_object_end(c->w);
    return true;
}

static bool run(struct op_call *c)
{
    static const char *const views[] = {"cando", "nika", "harn"}, *const ways[] = {"as-written", "layered", "first-match"};
    struct str provider, model;
    unsigned view, how;
    enum why_depth depth;
    if (!arg_target(c, "target", &provider, &model) || !arg_word(c, "view", views, 3, VIEW_CANDO, &view) ||
        !arg_word(c, "resolution", ways, 3, CANDO_AS_WRITTEN, &how) || !arg_why(c, &depth))
        return false;
    const cando_catalog *cat = arg_catalog(c);
    if (!cat)
        return false;
    bool ok = write_result(c, cat, provider, model, (enum view)view, (cando_resolution)how, depth);
    cando_catalog_release(cat);
    return ok;
}

const struct op op_resolve = {.name = "resolve", .doc = "what a model does, and who says so", .arg = args, .run = run};
