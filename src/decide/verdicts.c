/*
 * verdicts.c - see verdicts.h.
 */
#include "verdicts.h"

#include "base/map.h"
#include "request/demand.h"

struct verdicts {
    struct reading *r;
    const cando_catalog *cat;
    struct str text;  /* the request */
    const char *told; /* its API, or NULL: */
    struct str shape; /* what it looks like */
    uint32_t day;
    void *memory; /* of a target */
    cando_report *report;
    char *room[2]; /* what is rewritten, in turns */
    size_t size[2];
    struct key *key;  /* of the target at hand */
    struct map known; /* by key: which verdict */
    const struct verdict **verdict;
    size_t n, cap;
};

/* -- what tells two targets apart -------------------------------------------------------------- */

struct key {
    uint32_t api, root, images, family;
    uint32_t number_known, set_known;
    uint64_t number[CANDO_MAX_NUMBERS];
    uint32_t set[CANDO_MAX_SETS];
    uint32_t flags, status, deprecated, retires;
    uint8_t asked[ASKED_COUNT];
    uint32_t provider; /* where findings name it; else SNAP_NONE */
    uint64_t rules[];  /* those that may fire, then those that only warn */
};

/* Which of an API's request shapes is this provider's? */
static uint32_t root_of(const struct snapshot *s, const struct snap_req_api *d, uint32_t provider)
{
    for (uint32_t i = 0; i + 1 < snap_req_count(s, d->roots); i += 2)
        if (snap_req_item(s, d->roots, i) == provider)
            return snap_req_item(s, d->roots, i + 1);
    return d->root;
}

/* It lies in v->key. The first and last words have rules of other APIs in them, which a target
 * that was made for this one does not have. */
static struct str key_of(struct verdicts *v, const cando_target *t, uint32_t api)
{
    struct snap_req_api d = snap_req_api(&v->cat->snap, api);
    size_t from = d.rules / 64, words = d.n_rules ? (d.rules + d.n_rules - 1) / 64 - from + 1 : 0;
    size_t size = sizeof(struct key) + 2 * words * sizeof(uint64_t);
    struct key *k = v->key;
    memset(k, 0, size);
    bool said = t->asked[ASKED_PROVIDER] || t->asked[ASKED_MODEL] || t->api != api;
    k->api = api;
    k->root = root_of(&v->cat->snap, &d, t->scan.provider);
    k->images = t->images;
    k->family = t->tokenizer;
    k->number_known = t->planes.number_known;
    k->set_known = t->planes.set_known;
    for (unsigned i = 0; i < CANDO_MAX_NUMBERS; i++)
        k->number[i] = t->planes.number_known >> i & 1 ? t->planes.number[i] : 0;
    for (unsigned i = 0; i < CANDO_MAX_SETS; i++)
        k->set[i] = t->planes.set_known >> i & 1 ? t->planes.set[i] : 0;
    k->flags = (uint32_t)(t->neutral | t->window_weak << 1 | t->denied << 2 | t->ends << 3 |
                          t->input_weak << 5);
    if (t->ends) {
        k->flags |= (uint32_t)t->end_inferred << 4;
        k->status = t->life.status;
        k->deprecated = t->life.deprecated;
        k->retires = t->life.retires;
    }
    memcpy(k->asked, t->asked, sizeof k->asked);
    k->provider = said && !t->neutral ? t->profile.provider : SNAP_NONE;
    memcpy(k->rules, t->may_fire + from, words * sizeof(uint64_t));
    memcpy(k->rules + words, t->only_warns + from, words * sizeof(uint64_t));
    return str_make((const char *)k, size);
}

/* -- one verdict ------------------------------------------------------------------------------ */

static bool judge(struct verdicts *v, const cando_target *t, const char *api, struct str text)
{
    cando_error err;
    cando_report_init(v->report);
    v->report->day = v->day;
    if (cando_preflight(t, api, text.p, text.n, false, v->report, &err) == CANDO_OK)
        return true;
    return reading_error(v->r, STR("/request"), &err);
}

/* The text as the report would have it, in the room that is not the text's own. */
static bool rewrite(struct verdicts *v, unsigned round, struct str *text)
{
    cando_error err;
    size_t n, length;
    const cando_bytes *piece = cando_report_rewrite(v->report, &n, &length, &err);
    if (!piece)
        return reading_error(v->r, STR("/request"), &err);
    unsigned k = round % 2;
    if (v->size[k] < length) {
        v->size[k] = length + length / 4;
        v->room[k] = arena_alloc_raw(v->r->ar, v->size[k]);
        if (!v->room[k])
            return reading_memory(v->r);
    }
    rewrite_join(piece, n, v->room[k]);
    *text = str_make(v->room[k], length);
    return true;
}

/* Until nothing is left to repair. */
static bool judge_whole(struct verdicts *v, const cando_target *t, const char *api)
{
    struct str text = v->text;
    if (!judge(v, t, api, text))
        return false;
    for (unsigned i = 0; i < REWRITE_ROUNDS && v->report->verdict == CANDO_REWRITE; i++)
        if (!rewrite(v, i, &text) || !judge(v, t, api, text))
            return false;
    return true;
}

static bool put_verdict(struct verdicts *v, struct verdict *out)
{
    size_t i = cando_report_decided(v->report);
    cando_finding f;
    *out = (struct verdict){v->report->verdict, CODE_COUNT, "", ""};
    if (out->verdict != CANDO_REJECTED || i == SIZE_MAX)
        return true;
    if (!report_words(v->r->ar, v->report, i, &f))
        return reading_memory(v->r);
    out->code = code_find(str_of(f.code));
    out->path = f.path;
    out->message = f.message;
    return true;
}

/* -- many ------------------------------------------------------------------------------------- */

static uint32_t api_asked(const struct verdicts *v, struct str own, bool neutral)
{
    const struct snapshot *s = &v->cat->snap;
    return v->told ? snapshot_req_api(s, str_of(v->told))
                   : preflight_api_at(s, v->shape, own, neutral);
}

/* The API that a provider speaks, before there is a target. */
static struct str api_of(const struct verdicts *v, struct str provider)
{
    const struct snapshot *s = &v->cat->snap;
    uint32_t p = snapshot_provider(s, provider);
    uint32_t api = p == SNAP_NONE ? SNAP_NONE : snap_provider(s, p).api;
    struct str name = api == SNAP_NONE ? STR("") : snap_str(s, snap_api(s, api).name);
    return snapshot_req_api(s, name) == SNAP_NONE ? STR("") : name;
}

/* A model, or claims (then the names are empty). NULL: r->error is set. */
static const cando_target *target_for(struct verdicts *v, struct str provider, struct str model,
                                      const cando_planes *claims, uint32_t *api)
{
    cando_error err;
    *api = api_asked(v, claims ? STR("") : api_of(v, provider), claims != NULL);
    if (*api == SNAP_NONE) {
        reading_fail(v->r, CODE_unknown_shape, STR("/request"),
                     "the request is of no known dialect");
        return NULL;
    }
    if (claims)
        return target_claimed_for(v->memory, v->cat, claims, *api);
    const cando_target *t = target_init_for(v->memory, v->cat, provider, model, *api, &err);
    if (!t)
        reading_error(v->r, STR("/target"), &err);
    return t;
}

static const char *api_name(const struct verdicts *v, uint32_t api)
{
    return snap_str(&v->cat->snap, snap_req_api(&v->cat->snap, api).name).p;
}

static const struct verdict *add(struct verdicts *v, const cando_target *t, const char *api,
                                 struct str key)
{
    struct verdict *one = arena_alloc(v->r->ar, sizeof *one);
    struct str own = str_dup(v->r->ar, key);
    if (!one || !own.p || !ARENA_GROW(v->r->ar, v->verdict, v->n, v->cap) ||
        !map_put(&v->known, own, (uint32_t)v->n)) {
        reading_memory(v->r);
        return NULL;
    }
    v->verdict[v->n++] = one;
    return judge_whole(v, t, api) && put_verdict(v, one) ? one : NULL;
}

static const struct verdict *find(struct verdicts *v, struct str provider, struct str model,
                                  const cando_planes *claims)
{
    uint32_t api;
    const cando_target *t = target_for(v, provider, model, claims, &api);
    if (!t)
        return NULL;
    struct str key = key_of(v, t, api);
    const uint32_t *known = map_get(&v->known, key);
    return known ? v->verdict[*known] : add(v, t, api_name(v, api), key);
}

const struct verdict *verdicts_of(struct verdicts *v, struct str provider, struct str model)
{
    return find(v, provider, model, NULL);
}

const struct verdict *verdicts_claimed(struct verdicts *v, const cando_planes *claims)
{
    return find(v, STR(""), STR(""), claims);
}

const cando_report *verdicts_report(struct verdicts *v, struct str provider, struct str model,
                                    const cando_planes *claims, cando_verdict *out)
{
    uint32_t api;
    const cando_target *t = target_for(v, provider, model, claims, &api);
    if (!t || !judge_whole(v, t, api_name(v, api)))
        return NULL;
    *out = v->report->verdict;
    return judge(v, t, api_name(v, api), v->text) ? v->report : NULL;
}

struct verdicts *verdicts_open(struct reading *r, const cando_catalog *cat, cando_bytes request,
                               const char *api, uint32_t day)
{
    cando_error err;
    struct demands d;
    struct verdicts *v = arena_alloc(r->ar, sizeof *v);
    if (!demands_read(r, request, api, STR("/request"), &d))
        return NULL;
    uint32_t shape = snapshot_req_api(&cat->snap, STR("shape"));
    void *memory = arena_alloc_raw(r->ar, cando_target_size(cat));
    cando_report *report = arena_alloc_raw(r->ar, cando_report_size());
    struct key *key =
        arena_alloc_raw(r->ar, sizeof *key + 2 * (LIMIT_REQUEST_RULES / 64 + 1) * sizeof(uint64_t));
    if (!v || !memory || !report || !key) {
        reading_memory(r);
        return NULL;
    }
    *v = (struct verdicts){.r = r, .cat = cat, .text = d.text, .told = api, .day = day};
    v->memory = memory;
    v->report = report;
    v->key = key;
    map_init(&v->known, r->ar, false);
    if (api)
        return v;
    const cando_target *t = target_init_for(memory, cat, STR(""), STR(""), shape, &err);
    if (t && preflight_shape(t, report, d.text, &v->shape))
        return v;
    reading_fail(r, CODE_json_syntax, STR("/request"), "the request is not JSON");
    return NULL;
}
