/*
 * negotiate.c - resolves the target, checks, and looks for a way out.
 *
 * The suggestion is the best offering of the catalog that is neither a backend nor
 * deprecated nor forbidden by its lists, for which every hard need is known to be met, by
 *
 *     the provider that was asked for, then that of the previous target, then others
 *     more of the preferred needs met
 *     the price of input and output together, unknown last
 *     the name
 *
 * If there is a history it must survive there: without an error, without anything that
 * nobody knows, at a model that writes text. The suggestion is only ever named, never
 * taken.
 */
#include "negotiate.h"

#include "base/limits.h"
#include "offer.h"

/* -- the profile of the target --------------------------------------------------------- */

static const uint8_t modal[] = {F_input_image, F_input_audio, F_input_video};

void negotiate_know(struct negotiation *n, unsigned field)
{
    bool probed = field == F_prompt_caching && n->profile->identity == CANDO_BY_DEFAULT;
    if (n->partly && !probed)
        planes_take(n->planes, n->profile, field);
}

static void overstate(struct negotiation *n, const char *capability, uint64_t claimed,
                      uint64_t known, bool number)
{
    n->overstated[n->n_overstated++] = (struct overstated){capability, claimed, known, number};
}

/* A claim never makes more of a target than the catalog knows of it. */
static void bound_claims(struct negotiation *n)
{
    cando_planes *p = n->planes, known;
    bool listed = false;
    planes_clear(&known);
    planes_take(&known, n->profile, F_context_window);
    for (unsigned i = 0; i < sizeof modal; i++)
        planes_take(&known, n->profile, modal[i]);
    planes_finish(&known);
    uint64_t claimed = p->number[NUM_context_window], window = known.number[NUM_context_window];
    if ((p->number_known & known.number_known) >> NUM_context_window & 1 && claimed > window) {
        overstate(n, "context_window", claimed, window, true);
        p->number[NUM_context_window] = window;
    }
    for (unsigned i = 0; i < sizeof modal; i++) {
        cando_support level = planes_level(p, modal[i]), have = planes_level(&known, modal[i]);
        if (level <= CANDO_UNSUPPORTED || have != CANDO_UNSUPPORTED)
            continue;
        overstate(n, vocab_row(modal[i])->name, level, have, false);
        planes_put(p, modal[i], have);
        listed = true;
    }
    cando_support any = planes_level(p, SLOT_multimodal);
    if (planes_level(&known, SLOT_multimodal) != CANDO_UNSUPPORTED || any <= CANDO_UNSUPPORTED)
        return;
    if (!listed) /* a plain "yes" that does not tell which of the three */
        overstate(n, "multimodal", any, CANDO_UNSUPPORTED, false);
    planes_put(p, SLOT_multimodal, CANDO_UNSUPPORTED);
}

/* Only what is asked for is looked up: a whole profile takes longer than all the rest. */
static void know_needs(struct negotiation *n)
{
    planes_clear(n->planes);
    n->partly = true;
    for (size_t i = 0; i < n->needs.n; i++) {
        const struct need *x = &n->needs.need[i];
        if (x->kind == NEED_NUMBER)
            negotiate_know(n, number_field(x->slot));
        else if (x->kind == NEED_SET)
            negotiate_know(n, set_field(x->slot));
        else if (x->slot != SLOT_multimodal)
            negotiate_know(n, slot_field(x->slot));
        for (unsigned m = 0; m < sizeof modal && x->kind == NEED_SLOT && x->slot == SLOT_multimodal;
             m++)
            negotiate_know(n, modal[m]);
    }
    planes_finish(n->planes);
}

static bool find_planes(struct reading *r, struct negotiation *n)
{
    n->planes = arena_alloc_raw(r->ar, sizeof *n->planes);
    n->profile = n->has_target ? arena_alloc_raw(r->ar, sizeof *n->profile) : NULL;
    if (!n->planes || (n->has_target && !n->profile))
        return reading_memory(r);
    if (n->claims)
        *n->planes = *n->claims;
    if (!n->has_target)
        return true;
    cando_status st = cando_resolve_parts(n->cat, n->provider.p, n->provider.n, n->model.p,
                                          n->model.n, CANDO_AS_WRITTEN, n->profile, &r->error);
    if (st != CANDO_OK) {
        error_at(&r->error, STR("/target"), 0, 0);
        return false;
    }
    if (n->claims) {
        bound_claims(n);
    } else if (n->history.p) {
        cando_profile_pack(n->profile, n->planes);
        if (n->profile->identity == CANDO_BY_DEFAULT)
            planes_put(n->planes, F_prompt_caching, CANDO_UNKNOWN);
    } else {
        know_needs(n);
    }
    return true;
}

/* -- the history ----------------------------------------------------------------------- */

/* Steps that the search for a suggestion may spend on the history. */
#define LOOK_STEPS (UINT64_C(1) << 25)

static void target_from(const struct negotiation *n, struct hist_target *t)
{
    *t = (struct hist_target){.cat = n->cat};
    if (n->has_previous) {
        t->from_provider = n->previous_provider;
        t->from_model = n->previous_model;
    }
}

/* By what the row knows: packing whole profiles would take longer than all the rest. */
static bool survives(struct reading *r, const struct negotiation *n, const struct history *h,
                     const struct offers *o, const struct snap_row *row, uint64_t *steps)
{
    struct hist_target t;
    cando_profile profile;
    cando_planes planes;
    uint64_t cost = h->n_parts + h->n_turns + 64;
    if (*steps < cost)
        return false;
    offer_planes(row, &planes);
    if (planes_level(&planes, F_output_text) <= CANDO_UNSUPPORTED ||
        planes_level(&planes, F_embeddings) > CANDO_UNSUPPORTED)
        return false;
    *steps -= cost;
    offer_profile(o, row, &profile);
    planes_take(&planes, &profile, F_max_input);
    target_from(n, &t);
    t.provider = offer_provider(o, row);
    t.model = offer_id(o, row);
    t.profile = &profile;
    t.planes = &planes;
    struct hist_findings found = {.count_only = true};
    return history_check(r, h, &t, &found) && found.count[CANDO_ERROR] == 0 && found.pending == 0;
}

static bool judge_history(struct reading *r, struct negotiation *n, const struct history *h)
{
    struct hist_target t;
    target_from(n, &t);
    t.planes = n->planes;
    if (n->has_target) {
        t.provider = n->provider;
        t.model = n->model;
        t.profile = n->claims ? NULL : n->profile;
    }
    if (!history_check(r, h, &t, &n->found))
        return false;
    if (n->found.count[CANDO_ERROR])
        n->result.verdict = CANDO_REJECTED;
    else if (n->found.count[CANDO_WARNING] && n->result.verdict == CANDO_ACCEPTED)
        n->result.verdict = CANDO_DEGRADED;
    return true;
}

/* -- suggestions ----------------------------------------------------------------------- */

struct hunt {
    uint64_t native[2], usable[2], any[2]; /* hard slots by threshold */
    uint64_t window, output;               /* hard limits; 0: none is asked for */
    bool rows_suffice;                     /* to check every need */
    bool prefers;                          /* there are preferred needs */
    uint32_t near[2];                      /* providers that come first */
};

static uint64_t *mask_of(struct hunt *h, unsigned min_support)
{
    return min_support == CANDO_MIN_NATIVE ? h->native
           : min_support == CANDO_MIN_ANY  ? h->any
                                           : h->usable;
}

static bool in_rows(unsigned number)
{
    return number == NUM_context_window || number == NUM_max_output;
}

static void hunt_begin(struct hunt *h, const struct negotiation *n)
{
    *h = (struct hunt){.rows_suffice = true};
    for (size_t i = 0; i < n->needs.n; i++) {
        const struct need *x = &n->needs.need[i];
        uint64_t least = x->minimum ? x->minimum : 1; /* a limit that nobody knows is 0 */
        bool hard = x->level == CANDO_HARD;
        h->prefers |= x->level == CANDO_PREFERRED;
        if (x->kind == NEED_SLOT && hard)
            mask_of(h, x->min_support)[x->slot / 64] |= UINT64_C(1) << (x->slot % 64);
        else if (x->kind == NEED_NUMBER && x->slot == NUM_context_window && hard)
            h->window = least > h->window ? least : h->window;
        else if (x->kind == NEED_NUMBER && x->slot == NUM_max_output && hard)
            h->output = least > h->output ? least : h->output;
        else if (x->kind == NEED_SET || (x->kind == NEED_NUMBER && !in_rows(x->slot)))
            h->rows_suffice = false;
    }
    h->near[0] = n->has_target ? snapshot_provider(&n->cat->snap, n->provider) : SNAP_NONE;
    h->near[1] =
        n->has_previous ? snapshot_provider(&n->cat->snap, n->previous_provider) : SNAP_NONE;
}

/* What the row itself can tell of the hard needs; most have one of this kind and fail there. */
static bool may_fit(const struct hunt *h, const struct snap_row *row)
{
    for (unsigned w = 0; w < 2; w++)
        if (h->usable[w] & ~row_u64(&row->usable[2 * w]))
            return false;
    for (unsigned w = 0; w < 2; w++)
        if ((h->native[w] & ~row_u64(&row->native[2 * w])) |
            (h->any[w] & ~row_u64(&row->known[2 * w])))
            return false;
    return row_u64(row->context_window) >= h->window && row_u64(row->max_output) >= h->output;
}

/* Met for sure: a hard need that is unknown does not count. *unmet: preferred ones. */
static bool fits(const struct hunt *h, const struct negotiation *n, const struct offers *o,
                 const struct snap_row *row, uint64_t *unmet)
{
    cando_planes planes;
    cando_profile profile;
    *unmet = 0;
    if (h->rows_suffice && !h->prefers)
        return true;
    if (h->rows_suffice) {
        offer_planes(row, &planes);
    } else {
        offer_profile(o, row, &profile);
        cando_profile_pack(&profile, &planes);
    }
    for (size_t i = 0; i < n->needs.n; i++) {
        if (n->needs.need[i].level == CANDO_PROBED)
            continue;
        unsigned effect = check_need(&n->needs.need[i], &planes, CANDO_UNKNOWN_DENY).effect;
        if (effect == CANDO_MISSING)
            return false;
        *unmet += effect != CANDO_MET;
    }
    return true;
}

/* What an offering is compared by; smaller is better, and the rows stand in the order of names. */
struct rank {
    uint64_t near, unmet, price;
};

static bool better(const struct rank *a, const struct rank *b)
{
    if (a->near != b->near)
        return a->near < b->near;
    return a->unmet != b->unmet ? a->unmet < b->unmet : a->price < b->price;
}

/* False: no memory. */
static bool suggest(struct reading *r, struct negotiation *n, const struct history *history)
{
    struct offers o;
    struct hunt h;
    uint64_t steps = LOOK_STEPS;
    if (!offers_open(&o, n->cat, r->ar))
        return reading_memory(r);
    hunt_begin(&h, n);
    const struct snap_row *best = NULL;
    struct rank top = {UINT64_MAX, 0, 0};
    for (size_t i = 0; i < o.n; i++) {
        const struct snap_row *row = &o.row[i];
        if (!may_fit(&h, row) || row->status >= ROW_DEPRECATED)
            continue;
        struct rank rank = {row->provider == h.near[0]   ? 0u
                            : row->provider == h.near[1] ? 1u
                                                         : 2u,
                            0, row_price(row)};
        if (!fits(&h, n, &o, row, &rank.unmet) || !better(&rank, &top))
            continue;
        if (offer_is_backend(&o, row->provider) || !offer_allowed(&o, row))
            continue;
        if (history && !survives(r, n, history, &o, row, &steps))
            continue;
        best = row;
        top = rank;
    }
    if (reading_no_memory(r))
        return false;
    if (best)
        n->suggestion = str_join(r->ar, offer_provider(&o, best), STR("/"), offer_id(&o, best));
    return !best || n->suggestion.p || reading_memory(r);
}

/* -- all of it ------------------------------------------------------------------------- */

bool negotiate_run(struct reading *r, struct negotiation *n)
{
    struct history h;
    if (n->history.p) {
        struct str speaker = n->has_previous ? n->previous_provider
                             : n->has_target ? n->provider
                                             : STR("");
        const struct json *v = reading_json(r, n->history, n->history_at);
        if (!v || !history_read(r, v, n->history_at, hist_api_of(n->cat, speaker), &h))
            return false;
    }
    if (!find_planes(r, n))
        return false;
    n->outcome = arena_array(r->ar, n->needs.n, sizeof *n->outcome);
    if (!n->outcome)
        return reading_memory(r);
    n->result = check_needs(&n->needs, n->planes, n->unknown, n->outcome);
    if (n->history.p && !judge_history(r, n, &h))
        return false;
    return n->result.verdict != CANDO_REJECTED || suggest(r, n, n->history.p ? &h : NULL);
}
