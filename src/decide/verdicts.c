/*
 * verdicts.c - see verdicts.h.
 */
#include "verdicts.h"

#include "base/map.h"
#include "request/asked.h"
#include "request/demand.h"

#define RULE_WORDS (LIMIT_REQUEST_RULES / 64 + 1)
#define APIS_MAX 32u  /* that one request may be of, depending on who is asked */
#define SIZES_MAX 64u /* the same of ways to count its tokens */

/* An API, and what of it counts for this request. */
struct asked_api {
    struct target_scope scope;
    struct snap_req_api d;
    struct scan_trial trial;
};

/* How large the request is for targets that count so. */
struct sizes {
    uint32_t api, images, family;
    uint64_t low, high, asked;
};

/* A verdict that is kept; `edited`: it holds for one target alone. */
struct kept {
    struct verdict verdict;
    bool edited;
};

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
    struct asked_api api[APIS_MAX];
    struct sizes sizes[SIZES_MAX];
    unsigned n_apis, n_sizes;
    struct key *key;  /* of the target at hand */
    struct map known; /* by key: which verdict */
    struct kept **kept;
    size_t n, cap;
};

/* -- what counts of an API --------------------------------------------------------------------- */

/* NULL: r->error is set. */
static const struct asked_api *api_of_number(struct verdicts *v, uint32_t api)
{
    const struct snapshot *s = &v->cat->snap;
    for (unsigned i = 0; i < v->n_apis; i++)
        if (v->api[i].scope.api == api)
            return &v->api[i];
    uint64_t *rules = arena_array(v->r->ar, RULE_WORDS, sizeof *rules);
    if (!rules || v->n_apis == APIS_MAX)
        return reading_memory(v->r);
    struct asked_api *a = &v->api[v->n_apis];
    *a = (struct asked_api){.scope = {api, rules}, .d = snap_req_api(s, api), .trial.fired = rules};
    if (!preflight_try(v->memory, v->cat, v->report, api, v->text, &a->trial)) {
        reading_fail(v->r, CODE_json_syntax, STR("/request"), "the request is not JSON");
        return NULL;
    }
    v->n_apis++;
    return a;
}

/* -- does it fit ------------------------------------------------------------------------------- */

static const struct sizes *sizes_of(const struct verdicts *v, const cando_target *t, uint32_t api)
{
    for (unsigned i = 0; i < v->n_sizes; i++)
        if (v->sizes[i].api == api && v->sizes[i].images == t->images &&
            v->sizes[i].family == t->tokenizer)
            return &v->sizes[i];
    return NULL;
}

/* From the report of a request that has just been read. */
static void note_sizes(struct verdicts *v, const cando_target *t, uint32_t api)
{
    const struct fit *f = &v->report->work.scan.fit;
    if (v->n_sizes < SIZES_MAX)
        v->sizes[v->n_sizes++] = (struct sizes){
            .api = api,
            .images = t->images,
            .family = t->tokenizer,
            .low = v->report->tokens.low,
            .high = v->report->tokens.high - f->media * FIT_MEDIA_HIGH,
            .asked = f->has_output ? f->output : 0,
        };
}

/* All that the window and the longest input have to do with it: what is compared when the
 * findings are made (check_fit), a bit each. */
static uint32_t fit_class(const struct sizes *z, const cando_planes *p)
{
    uint32_t is = 0;
    if (p->number_known >> NUM_context_window & 1) {
        uint64_t window = p->number[NUM_context_window];
        is |= (uint32_t)(z->low > window) | (uint32_t)(z->low + z->asked > window) << 1 |
              (uint32_t)(z->high + z->asked > window) << 2;
    }
    if (p->number_known >> NUM_max_input & 1)
        is |= (uint32_t)(z->low > p->number[NUM_max_input]) << 3 |
              (uint32_t)(z->high > p->number[NUM_max_input]) << 4;
    return is;
}

/* -- what tells two targets apart -------------------------------------------------------------- */

struct key {
    uint32_t api, root, images, family;
    uint32_t number_known, set_known;
    uint64_t number[CANDO_MAX_NUMBERS];
    uint32_t set[CANDO_MAX_SETS];
    uint32_t flags, status, deprecated, retires;
    uint32_t fits; /* or UINT32_MAX: by all numbers */
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

/* A limit that nothing comes near is as good as none. */
static void put_limits(struct key *k, const cando_planes *p, const struct scan_trial *trial)
{
    k->set_known = p->set_known & (trial ? trial->sets : UINT32_MAX);
    for (unsigned i = 0; i < CANDO_MAX_NUMBERS; i++) {
        if (!(p->number_known >> i & 1) || (trial && (double)p->number[i] >= trial->most[i]))
            continue;
        k->number_known |= UINT32_C(1) << i;
        k->number[i] = p->number[i];
    }
    for (unsigned i = 0; i < CANDO_MAX_SETS; i++)
        k->set[i] = k->set_known >> i & 1 ? p->set[i] : 0;
}

/* It lies in v->key. Without sizes all limits count. The first and last words have rules of other
 * APIs in them, which a target that was made for this one does not have. */
static struct str key_of(struct verdicts *v, const cando_target *t, const struct asked_api *a,
                         const struct sizes *sizes)
{
    uint32_t rules = a->d.rules, n_rules = a->d.n_rules;
    size_t from = rules / 64, words = n_rules ? (rules + n_rules - 1) / 64 - from + 1 : 0;
    size_t size = sizeof(struct key) + 2 * words * sizeof(uint64_t);
    struct key *k = v->key;
    memset(k, 0, size);
    bool said = t->asked[ASKED_PROVIDER] || t->asked[ASKED_MODEL] || t->api != a->scope.api;
    k->api = a->scope.api;
    k->root = root_of(&v->cat->snap, &a->d, t->scan.provider);
    k->fits = sizes ? fit_class(sizes, &t->planes) : UINT32_MAX;
    if (k->fits) { /* what is said then tells how many tokens there are */
        k->images = t->images;
        k->family = t->tokenizer;
        k->flags = (uint32_t)(t->window_weak | t->input_weak << 5);
    }
    put_limits(k, &t->planes, sizes ? &a->trial : NULL);
    k->flags |= (uint32_t)(t->neutral << 1 | t->denied << 2 | t->ends << 3);
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
static bool judge_whole(struct verdicts *v, const cando_target *t, const char *api, bool *edited)
{
    struct str text = v->text;
    if (!judge(v, t, api, text))
        return false;
    *edited = v->report->edited;
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
    out->code = v->report->finding[i].code;
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

static const char *api_name(const struct verdicts *v, uint32_t api)
{
    return snap_str(&v->cat->snap, snap_req_api(&v->cat->snap, api).name).p;
}

/* What is asked about: a model, or claims (then the names are empty). */
struct who {
    struct str provider, model;
    const cando_planes *claims;
    const struct asked_api *api;
};

static bool find_who(struct verdicts *v, struct who *w)
{
    uint32_t api = api_asked(v, w->claims ? STR("") : api_of(v, w->provider), w->claims != NULL);
    if (api == SNAP_NONE)
        return reading_fail(v->r, CODE_unknown_shape, STR("/request"),
                            "the request is of no known dialect");
    w->api = api_of_number(v, api);
    return w->api != NULL;
}

/* With all rules, or with those that count. NULL: r->error is set. */
static cando_target *target_for(struct verdicts *v, const struct who *w, bool all)
{
    cando_error err;
    struct target_scope scope = {w->api->scope.api, all ? NULL : w->api->scope.rules};
    cando_target *t =
        target_init_for(v->memory, v->cat, w->provider, w->model, w->claims, &scope, &err);
    if (!t)
        reading_error(v->r, STR("/target"), &err);
    return t;
}

static struct kept *keep(struct verdicts *v, struct str key)
{
    struct kept *one = arena_alloc(v->r->ar, sizeof *one);
    struct str own = str_dup(v->r->ar, key);
    if (!one || !own.p || !ARENA_GROW(v->r->ar, v->kept, v->n, v->cap) ||
        !map_put(&v->known, own, (uint32_t)v->n))
        return reading_memory(v->r);
    v->kept[v->n++] = one;
    return one;
}

/* One verdict for all that have the key of this target. */
static struct kept *find(struct verdicts *v, const struct who *w, bool all)
{
    uint32_t api = w->api->scope.api;
    cando_target *t = target_for(v, w, all);
    const struct sizes *sizes = t && !all ? sizes_of(v, t, api) : NULL;
    if (!t)
        return NULL;
    if (!all && !sizes) { /* the first that counts so */
        if (!judge(v, t, api_name(v, api), v->text))
            return NULL;
        note_sizes(v, t, api);
        sizes = sizes_of(v, t, api);
    }
    struct str key = key_of(v, t, w->api, sizes);
    const uint32_t *known = map_get(&v->known, key);
    if (known)
        return v->kept[*known];
    struct kept *one = keep(v, key);
    if (!one)
        return NULL;
    return judge_whole(v, t, api_name(v, api), &one->edited) && put_verdict(v, &one->verdict)
               ? one
               : NULL;
}

static const struct verdict *verdict_on(struct verdicts *v, struct who w)
{
    if (!find_who(v, &w))
        return NULL;
    struct kept *one = find(v, &w, false);
    if (one && one->edited)
        one = find(v, &w, true);
    return one ? &one->verdict : NULL;
}

/* Nobody says whether its provider speaks the API of the request. The plain one is everybody's who
 * has none of its own. */
static bool may_not_speak(const struct verdicts *v, struct str provider)
{
    const struct snapshot *s = &v->cat->snap;
    struct str own = api_of(v, provider);
    uint32_t p = snapshot_provider(s, provider), api = api_asked(v, own, false);
    if (p == SNAP_NONE || api == SNAP_NONE)
        return false;
    struct str asked = snap_str(s, snap_req_api(s, api).name);
    if (str_eq(asked, own.n ? own : STR(API_PLAIN)) || !api_is_spoken(asked))
        return false;
    return provider_speaks(s, p, asked) == NOBODY_SAYS;
}

const struct verdict *verdicts_of(struct verdicts *v, struct str provider, struct str model,
                                  bool or_unknown)
{
    static const struct verdict unsure = {CANDO_REJECTED, CODE_api_not_spoken, "",
                                          "nobody says that the provider speaks this API"};
    if (!or_unknown && may_not_speak(v, provider))
        return &unsure;
    return verdict_on(v, (struct who){.provider = provider, .model = model});
}

const struct verdict *verdicts_claimed(struct verdicts *v, const cando_planes *claims)
{
    return verdict_on(v, (struct who){.provider = STR(""), .model = STR(""), .claims = claims});
}

const cando_report *verdicts_report(struct verdicts *v, struct str provider, struct str model,
                                    const cando_planes *claims, cando_verdict *out)
{
    struct who w = {.provider = provider, .model = model, .claims = claims};
    bool edited;
    if (!find_who(v, &w))
        return NULL;
    const char *api = api_name(v, w.api->scope.api);
    cando_target *t = target_for(v, &w, true);
    if (!t)
        return NULL;
    if (!judge_whole(v, t, api, &edited))
        return NULL;
    *out = v->report->verdict;
    return judge(v, t, api, v->text) ? v->report : NULL;
}

struct verdicts *verdicts_open(struct reading *r, const cando_catalog *cat, cando_bytes request,
                               const char *api, uint32_t day)
{
    cando_error err;
    struct demands d;
    struct verdicts *v = arena_alloc(r->ar, sizeof *v);
    if (!demands_read(r, request, api, &d))
        return NULL;
    uint32_t shape = snapshot_req_api(&cat->snap, STR("shape"));
    void *memory = arena_alloc_raw(r->ar, cando_target_size(cat));
    cando_report *report = arena_alloc_raw(r->ar, cando_report_size());
    struct key *key = arena_alloc_raw(r->ar, sizeof *key + 2 * RULE_WORDS * sizeof(uint64_t));
    if (!v || !memory || !report || !key)
        return reading_memory(r);
    *v = (struct verdicts){.r = r, .cat = cat, .text = d.text, .told = api, .day = day};
    v->memory = memory;
    v->report = cando_report_init(report);
    v->key = key;
    map_init(&v->known, r->ar, false);
    if (api)
        return v;
    const struct target_scope scope = {.api = shape};
    cando_target *t = target_init_for(memory, cat, STR(""), STR(""), NULL, &scope, &err);
    if (t && preflight_shape(t, report, d.text, &v->shape))
        return v;
    reading_fail(r, CODE_json_syntax, STR("/request"), "the request is not JSON");
    return NULL;
}
