/*
 * match.c - match: work orders against the manifests of agent backends.
 *
 * A manifest satisfies an order if it satisfies each requirement. What it offers falls
 * into three buckets, in the order of the requirements: native, emulated (with the strategy
 * by which it is made up for, and the reason of a restriction), and unsupported with the
 * reason. A capability that is declared unsupported and asked for with threshold `any`
 * satisfies, and is listed as what it is.
 */
#include "match.h"

#include "catalog/engine.h"
#include "catalog/offered.h"
#include "claims.h"

#include <stdlib.h>

/* -- strategies ---------------------------------------------------------------------------- */

/* Names of the vocabulary of backends; "x_*" is a prefix. The first row counts. */
static const struct {
    const char *name, *strategy;
} strategies[] = {
    {"tool_use", "server_fallback"},
    {"tool_*", "client_side"},
    {"hooks_*", "client_side"},
    {"structured_output_json_schema", "client_side"},
    {"json_mode", "client_side"},
    {"pdf_input", "client_side"},
    {"code_execution", "client_side"},
    {"checkpointing", "client_side"},
    {"function_calling", "server_fallback"},
    {"extended_thinking", "server_fallback"},
    {"batch_mode", "server_fallback"},
    {"session_*", "server_fallback"},
    {"mcp_*", "server_fallback"},
    {"system_message", "server_fallback"},
};

const char *match_strategy(const struct need *n)
{
    static const char *const special[] = {"multimodal", "tool_use", "function_calling", "vision",
                                          "image_input"};
    struct str name = n->slot >= SLOT_multimodal ? str_of(special[n->slot - SLOT_multimodal])
                                                 : vocab_name(VOCAB_ABP, slot_field(n->slot));
    for (size_t i = 0; i < COUNT_OF(strategies); i++) {
        struct str row = str_of(strategies[i].name);
        bool prefix = row.p[row.n - 1] == '*';
        if (prefix ? str_starts(name, str_head(row, row.n - 1)) : str_eq(name, row))
            return strategies[i].strategy;
    }
    return "approximate";
}

/* -- one manifest -------------------------------------------------------------------------- */

struct buckets {
    const char **native;
    cando_matched_need *emulated, *unsupported;
};

static void sort_need(struct reading *r, const struct need *n, cando_outcome o,
                      const cando_planes *p, struct buckets *b, cando_matched *out)
{
    const char *name = n->name.p;
    struct str why = o.have == CANDO_RESTRICTED ? planes_reason(p, n->slot) : STR("");
    if (o.have == CANDO_NATIVE) {
        b->native[out->n_native++] = name;
        return;
    }
    if (o.have >= CANDO_RESTRICTED && o.effect == CANDO_MET) {
        b->emulated[out->n_emulated++] =
            (cando_matched_need){name, match_strategy(n), why.n ? why.p : NULL};
        return;
    }
    cando_matched_need *x = &b->unsupported[out->n_unsupported++];
    *x = (cando_matched_need){.capability = name, .reason = "emulated is below native"};
    if (o.have == CANDO_UNKNOWN)
        x->reason = "not declared";
    else if (o.have == CANDO_UNSUPPORTED)
        x->reason = "declared unsupported";
    else if (o.have == CANDO_RESTRICTED)
        x->reason =
            str_printf(r->ar, "restricted is below native%s%.*s", why.n ? ": " : "", STR_ARG(why))
                .p;
    if (!x->reason)
        reading_memory(r);
}

static bool match_one(struct reading *r, const struct need_list *order,
                      const cando_planes *manifest, cando_matched *out)
{
    struct buckets b = {
        .native = arena_array(r->ar, order->n, sizeof *b.native),
        .emulated = arena_array(r->ar, order->n, sizeof *b.emulated),
        .unsupported = arena_array(r->ar, order->n, sizeof *b.unsupported),
    };
    cando_outcome *o = arena_array(r->ar, order->n, sizeof *o);
    if (!b.native || !b.emulated || !b.unsupported || !o)
        return reading_memory(r);
    out->satisfied = check_needs(order, manifest, CANDO_UNKNOWN_DENY, o).verdict == CANDO_ACCEPTED;
    for (size_t i = 0; i < order->n; i++)
        sort_need(r, &order->need[i], o[i], manifest, &b, out);
    out->native = b.native;
    out->emulated = b.emulated;
    out->unsupported = b.unsupported;
    return !reading_no_memory(r);
}

/* -- backends ------------------------------------------------------------------------------ */

bool match_is_backend(const cando_catalog *cat, uint32_t provider)
{
    return snap_is_backend(&cat->snap, provider);
}

/* Rules for models in general may match the name of a backend by accident. */
void match_declared(const cando_profile *p, cando_planes *out)
{
    cando_profile_pack(p, out);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (plane_slot(f) == SLOT_NONE)
            continue;
        struct profile_fact fact = profile_fact(p, f);
        if (fact.set && snap_rule(&p->catalog->snap, fact.rule).n_providers == 0)
            planes_put(out, plane_slot(f), CANDO_UNKNOWN);
    }
    for (unsigned s = SLOT_multimodal; s < SLOT_COUNT; s++)
        planes_put(out, s, CANDO_UNKNOWN);
    planes_finish(out);
}

static struct backend *open_backend(struct reading *r, const struct offers *o,
                                    const struct snap_row *row)
{
    struct backend *b = arena_alloc(r->ar, sizeof *b);
    if (!b)
        return reading_memory(r);
    b->provider = offer_provider(o, row);
    b->id = offer_id(o, row);
    offer_profile(o, row, &b->profile);
    match_declared(&b->profile, &b->planes);
    return b;
}

static bool backend_is(const struct offers *o, const struct snap_row *row, struct str name)
{
    struct str provider = offer_provider(o, row), id = offer_id(o, row);
    size_t slash = str_find_char(name, '/');
    return str_eq_fold(id, name) ||
           (slash < name.n && str_eq_fold(provider, str_head(name, slash)) &&
            str_eq_fold(id, str_from(name, slash + 1)));
}

struct backend *match_backend(struct reading *r, const cando_catalog *cat, struct str name,
                              struct str at)
{
    struct offers o;
    struct nearest near = nearest_to(name);
    if (!offers_open(&o, cat, r->ar))
        return reading_memory(r);
    for (size_t i = 0; i < o.n; i++) {
        if (!offer_is_backend(&o, o.row[i].provider))
            continue;
        if (backend_is(&o, &o.row[i], name))
            return open_backend(r, &o, &o.row[i]);
        nearest_try(&near, offer_id(&o, &o.row[i]));
    }
    reading_fail(r, CODE_unknown_backend, at, "no backend is called '%.*s'",
                 STR_ARG(str_head(name, 80)));
    reading_suggest(r, near.name, "rank all of them with \"rank\":true");
    return NULL;
}

/* Those that satisfy the order first, then fewer unsupported, more native, then by name. */
static int rank_cmp(const void *a, const void *b)
{
    const cando_matched *x = a, *y = b;
    if (x->satisfied != y->satisfied)
        return x->satisfied ? -1 : 1;
    if (x->n_unsupported != y->n_unsupported)
        return x->n_unsupported < y->n_unsupported ? -1 : 1;
    if (x->n_native != y->n_native)
        return x->n_native > y->n_native ? -1 : 1;
    return strcmp(x->target, y->target);
}

static bool rank_backends(struct reading *r, const cando_catalog *cat,
                          const struct need_list *order, cando_match_answer *out)
{
    struct offers o;
    size_t cap = 0;
    cando_matched *list = NULL;
    if (!offers_open(&o, cat, r->ar) || !ARENA_GROW(r->ar, list, 0, cap))
        return reading_memory(r);
    for (size_t i = 0; i < o.n; i++) {
        if (!offer_is_backend(&o, o.row[i].provider))
            continue;
        const struct backend *b = open_backend(r, &o, &o.row[i]);
        if (!b)
            return false;
        cando_matched x = {.backend = b->id.p};
        x.target = str_printf(r->ar, "%.*s/%.*s", STR_ARG(b->provider), STR_ARG(b->id)).p;
        if (!x.target || !ARENA_GROW(r->ar, list, out->n_ranking, cap))
            return reading_memory(r);
        if (!match_one(r, order, &b->planes, &x))
            return false;
        list[out->n_ranking++] = x;
    }
    if (out->n_ranking)
        qsort(list, out->n_ranking, sizeof *list, rank_cmp);
    out->ranking = list;
    return true;
}

/* -- the question -------------------------------------------------------------------------- */

/* The planes of whatever the order is held against. */
static const cando_planes *find_side(struct reading *r, const cando_catalog *cat,
                                     const cando_match_question *q)
{
    if (q->backend) {
        const struct backend *b = match_backend(r, cat, str_of(q->backend), STR("/backend"));
        return b ? &b->planes : NULL;
    }
    struct backend *x = arena_alloc(r->ar, sizeof *x);
    cando_error err = {0};
    if (!x)
        return reading_memory(r);
    if (q->manifest.p)
        return claims_read_text(r, CANDO_FORM_MANIFEST, q->manifest, STR("/manifest"), &x->planes)
                   ? &x->planes
                   : NULL;
    if (!offered_name(cat, *q->target, &x->provider, &x->id, STR("/target"), &err) ||
        cando_resolve_parts(cat, x->provider.p, x->provider.n, x->id.p, x->id.n, CANDO_AS_WRITTEN,
                            &x->profile, &err) != CANDO_OK) {
        reading_error(r, STR("/target"), &err);
        return NULL;
    }
    cando_profile_pack(&x->profile, &x->planes);
    return &x->planes;
}

static bool read_order(struct reading *r, const cando_catalog *cat, const cando_match_question *q,
                       struct need_list *out)
{
    cando_needs_question needs = {
        .work_order = q->work_order, .required = q->required, .n_required = q->n_required};
    if (!need_read_question(r, cat, &needs, "give 'work_order' or 'required'", out))
        return false;
    for (size_t i = 0; i < out->n; i++) {
        out->need[i].name = str_dup(r->ar, out->need[i].name);
        if (!out->need[i].name.p)
            return reading_memory(r);
    }
    unsigned given = q->rank + !!q->manifest.p + !!q->backend + !!q->target;
    if (given == 1)
        return true;
    reading_fail(r, given ? CODE_bad_argument : CODE_missing_argument, STR(""),
                 "an order is held against one thing");
    return reading_hint(r, "give one of 'manifest', 'backend', 'target', or \"rank\":true");
}

static bool answer(struct reading *r, const cando_catalog *cat, const cando_match_question *q,
                   cando_match_answer *out)
{
    struct need_list order;
    if (!read_order(r, cat, q, &order))
        return false;
    if (q->rank)
        return rank_backends(r, cat, &order, out);
    const cando_planes *planes = find_side(r, cat, q);
    cando_matched *one = planes ? arena_alloc(r->ar, sizeof *one) : NULL;
    if (!one)
        return planes && reading_memory(r);
    out->match = one;
    return match_one(r, &order, planes, one);
}

const cando_match_answer *cando_ask_match(const cando *c, const cando_match_question *q,
                                          cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const cando_catalog *cat = room_catalog(room, c);
    cando_match_answer *out = arena_alloc(&room->ar, sizeof *out);
    if (!cat || !out)
        reading_memory(&r);
    else if (answer(&r, cat, q, out))
        return out;
    reading_end(&r, err);
    return NULL;
}
