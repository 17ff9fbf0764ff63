/*
 * match.c - buckets, strategies, backends.
 */
#include "match.h"

#include <stdlib.h>

/* -- strategies ----------------------------------------------------------------------------- */

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
    static const char *const special[] = {"multimodal", "tool_use", "function_calling", "vision", "image_input"};
    struct str name = n->slot >= SLOT_multimodal ? str_of(special[n->slot - SLOT_multimodal])
                                                 : vocab_name(VOCAB_ABP, slot_field(n->slot));
    for (size_t i = 0; i < sizeof strategies / sizeof strategies[0]; i++) {
        struct str row = str_of(strategies[i].name);
        bool prefix = row.p[row.n - 1] == '*';
        if (prefix ? str_starts(name, str_head(row, row.n - 1)) : str_eq(name, row))
            return strategies[i].strategy;
    }
    return "approximate";
}

/* -- one manifest ------------------------------------------------------------------------------ */

static struct match_item sort_need(struct reading *r, const struct need *n, cando_outcome o, const cando_planes *p)
{
    struct match_item item = {.bucket = BUCKET_UNSUPPORTED, .reason = STR("")};
    switch ((cando_support)o.have) {
    case CANDO_UNKNOWN:
        item.reason = STR("not declared");
        return item;
    case CANDO_UNSUPPORTED:
        item.reason = STR("declared unsupported");
        return item;
    case CANDO_NATIVE:
        item.bucket = BUCKET_NATIVE;
        return item;
    default:
        break;
    }
    struct str why = o.have == CANDO_RESTRICTED ? planes_reason(p, n->slot) : STR("");
    if (o.effect == CANDO_MET) {
        item.bucket = BUCKET_EMULATED;
        item.strategy = match_strategy(n);
        item.reason = why;
    } else if (o.have == CANDO_EMULATED) {
        item.reason = STR("emulated is below native");
    } else {
        item.reason = str_printf(r->ar, "restricted is below native%s%.*s", why.n ? ": " : "", STR_ARG(why));
    }
    return item;
}

bool match_run(struct reading *r, const struct need_list *order, const cando_planes *manifest, struct match_result *out)
{
    *out = (struct match_result){.item = arena_array(r->ar, order->n, sizeof *out->item)};
    cando_outcome *o = arena_array(r->ar, order->n, sizeof *o);
    if (!out->item || !o)
        return reading_memory(r);
    out->satisfied = check_needs(order, manifest, CANDO_UNKNOWN_DENY, o).verdict == CANDO_ACCEPTED;
    for (size_t i = 0; i < order->n; i++) {
        out->item[i] = sort_need(r, &order->need[i], o[i], manifest);
        if (!out->item[i].reason.p)
            return reading_memory(r);
        out->count[out->item[i].bucket]++;
    }
    return true;
}

/* -- backends ------------------------------------------------------------------------------------- */

/* Rules for models in general may match the name of a backend by accident. */
static void drop_general(const cando_profile *p, cando_planes *out)
{
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

static struct backend *open_backend(struct reading *r, const struct offers *o, const struct snap_row *row)
{
    struct backend *b = arena_alloc(r->ar, sizeof *b);
    if (!b)
        return NULL;
    b->provider = offer_provider(o, row);
    b->id = offer_id(o, row);
    offer_profile(o, row, &b->profile);
    cando_profile_pack(&b->profile, &b->planes);
    drop_general(&b->profile, &b->planes);
    return b;
}

static bool backend_is(const struct offers *o, const struct snap_row *row, struct str name)
{
    struct str provider = offer_provider(o, row), id = offer_id(o, row);
    size_t slash = str_find_char(name, '/');
    return str_eq_fold(id, name) ||
           (slash < name.n && str_eq_fold(provider, str_head(name, slash)) && str_eq_fold(id, str_from(name, slash + 1)));
}

bool match_backend(struct reading *r, const cando_catalog *cat, struct str name, struct str at, struct backend *out)
{
    struct offers o;
    struct str best = STR("");
    unsigned limit = str_near(name.n) + 1;
    if (!offers_open(&o, cat, r->ar))
        return reading_memory(r);
    for (size_t i = 0; i < o.n; i++) {
        if (!offer_is_backend(&o, o.row[i].provider))
            continue;
        if (backend_is(&o, &o.row[i], name)) {
            struct backend *b = open_backend(r, &o, &o.row[i]);
            if (!b)
                return reading_memory(r);
            *out = *b;
            out->planes.profile = &out->profile;
            return true;
        }
        unsigned d = limit ? str_distance(offer_id(&o, &o.row[i]), name, limit - 1) : 1;
        if (d < limit) {
            limit = d;
            best = offer_id(&o, &o.row[i]);
        }
    }
    reading_fail(r, CODE_unknown_backend, at, "no backend is called '%.*s'", STR_ARG(str_head(name, 80)));
    if (reading_no_memory(r))
        return false;
    return best.n ? reading_hint(r, "did you mean '%.*s'?", STR_ARG(best)) : reading_hint(r, "rank all of them with \"rank\":true");
}

static int rank_cmp(const void *a, const void *b)
{
    const struct ranked_backend *x = a, *y = b;
    if (x->result.satisfied != y->result.satisfied)
        return x->result.satisfied ? -1 : 1;
    if (x->result.count[BUCKET_UNSUPPORTED] != y->result.count[BUCKET_UNSUPPORTED])
        return x->result.count[BUCKET_UNSUPPORTED] < y->result.count[BUCKET_UNSUPPORTED] ? -1 : 1;
    if (x->result.count[BUCKET_NATIVE] != y->result.count[BUCKET_NATIVE])
        return x->result.count[BUCKET_NATIVE] > y->result.count[BUCKET_NATIVE] ? -1 : 1;
    int c = str_cmp(x->backend->provider, y->backend->provider);
    return c ? c : str_cmp(x->backend->id, y->backend->id);
}

bool match_rank(struct reading *r, const cando_catalog *cat, const struct need_list *order, struct ranked_backend **out, size_t *n)
{
    struct offers o;
    size_t cap = 0;
    *out = NULL;
    *n = 0;
    if (!offers_open(&o, cat, r->ar))
        return reading_memory(r);
    for (size_t i = 0; i < o.n; i++) {
        if (!offer_is_backend(&o, o.row[i].provider))
            continue;
        struct ranked_backend x = {.backend = open_backend(r, &o, &o.row[i])};
        if (!x.backend || !match_run(r, order, &x.backend->planes, &x.result) || !ARENA_GROW(r->ar, *out, *n, cap))
            return reading_memory(r);
        (*out)[(*n)++] = x;
    }
    if (*n)
        qsort(*out, *n, sizeof **out, rank_cmp);
    return true;
}
