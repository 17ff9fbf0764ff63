/*
 * negotiate.c - resolves the target, checks, and looks for a way out.
 *
 * What is suggested after a rejection is of the provider that was asked for, then of that
 * of the previous target, then of others (query.h has the whole order). If there is a
 * history it must survive there: without an error, without anything that nobody knows, at
 * a model that writes text. It is only ever named, never taken.
 */
#include "negotiate.h"

#include "port.h"
#include "match.h"
#include "query.h"
#include "request/preflight.h"

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
    } else if (match_is_backend(n->cat, n->profile->provider)) {
        match_declared(n->profile, n->planes);
        n->declared = true;
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

/* What the search for a suggestion asks of an offering. */
struct look {
    struct reading *r;
    const struct negotiation *n;
    const struct history *h; /* or NULL */
    uint64_t steps;
};

/* By what the row knows: packing whole profiles would take longer than all the rest. */
static bool survives(void *ctx, const struct offers *o, uint32_t index)
{
    struct look *k = ctx;
    struct hist_target t;
    cando_profile profile;
    cando_planes planes;
    uint64_t cost = k->h->n_parts + k->h->n_turns + 64;
    if (k->steps < cost)
        return false;
    if (!offer_has(o, index, F_output_text, BITS_USABLE) ||
        offer_has(o, index, F_embeddings, BITS_USABLE))
        return false;
    k->steps -= cost;
    const struct snap_row *row = &o->row[index];
    offer_planes(o, index, &planes);
    offer_profile(o, row, &profile);
    planes_take(&planes, &profile, F_max_input);
    target_from(k->n, &t);
    t.provider = offer_provider(o, row);
    t.model = offer_id(o, row);
    t.profile = &profile;
    t.planes = &planes;
    struct hist_findings found = {.count_only = true};
    return history_check(k->r, k->h, &t, &found) && found.count[CANDO_ERROR] == 0 &&
           found.pending == 0;
}

static bool admits(void *ctx, const struct offers *o, uint32_t index)
{
    const struct look *k = ctx;
    const struct snap_row *row = &o->row[index];
    if (k->h && !survives(ctx, o, index))
        return false;
    if (!k->n->verdicts)
        return true;
    const struct verdict *v =
        verdicts_of(k->n->verdicts, offer_provider(o, row), offer_id(o, row), false);
    return v && v->verdict != CANDO_REJECTED;
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

/* -- the request ------------------------------------------------------------------------- */

/* What a missing capability says already is not said twice. */
static bool is_missing(const struct negotiation *n, const cando_finding *f)
{
    for (size_t i = 0; f->capability && i < n->needs.n; i++)
        if (n->outcome[i].effect == CANDO_MISSING &&
            strcmp(need_capability(&n->needs.need[i]), f->capability) == 0)
            return true;
    return false;
}

/* What would be repaired is no reason to stay away. */
static bool judge_request(struct reading *r, struct negotiation *n)
{
    cando_verdict verdict;
    const cando_report *report =
        verdicts_report(n->verdicts, n->provider, n->model, n->claims ? n->planes : NULL, &verdict);
    size_t count = report ? cando_report_findings(report, NULL) : 0;
    cando_finding *list = arena_array(r->ar, count, sizeof *list);
    if (!report)
        return false;
    if (!list)
        return reading_memory(r);
    n->refuses = verdict == CANDO_REJECTED;
    for (size_t i = 0; i < count; i++) {
        cando_finding *f = &list[n->n_refused];
        if (!report_words(r->ar, report, i, f))
            return reading_memory(r);
        if (f->severity == CANDO_ERROR && !n->refuses)
            f->severity = CANDO_WARNING;
        n->n_refused += f->severity != CANDO_NOTE && !is_missing(n, f);
    }
    n->refused = list;
    if (n->refuses)
        n->result.verdict = CANDO_REJECTED;
    else if (verdict != CANDO_ACCEPTED && n->result.verdict == CANDO_ACCEPTED)
        n->result.verdict = CANDO_DEGRADED;
    return true;
}

/* -- suggestions ----------------------------------------------------------------------- */

/* False: no memory. */
static bool suggest(struct reading *r, struct negotiation *n, const struct history *history)
{
    struct look look = {.r = r, .n = n, .h = history, .steps = LOOK_STEPS};
    struct suggestion s = {.admits = admits, .ctx = &look};
    if (n->has_target)
        s.near[0] = n->provider;
    if (n->has_previous)
        s.near[1] = n->previous_provider;
    query_suggest(r, n->cat, &n->needs, &s, &n->suggestion);
    return !reading_no_memory(r);
}

/* What a backend does not advertise is not there: a wish for it is unmet, not open. */
static void check(struct negotiation *n)
{
    bool closed = n->declared && n->unknown == CANDO_UNKNOWN_WARN;
    n->result =
        check_needs(&n->needs, n->planes, closed ? CANDO_UNKNOWN_DENY : n->unknown, n->outcome);
    for (size_t i = 0; i < n->needs.n; i++) {
        const struct need *x = &n->needs.need[i];
        cando_outcome *o = &n->outcome[i];
        if (closed && x->level == CANDO_PREFERRED && o->have == CANDO_UNKNOWN)
            o->effect = CANDO_UNMET;
        if (!need_not_strict(x, *o))
            continue;
        o->effect = CANDO_UNMET;
        n->result.warnings++;
        if (n->result.verdict == CANDO_ACCEPTED)
            n->result.verdict = CANDO_DEGRADED;
    }
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
    check(n);
    if (n->history.p && !judge_history(r, n, &h))
        return false;
    if (n->verdicts && !judge_request(r, n))
        return false;
    if (n->verdicts && n->has_target && !port_request(r, n))
        return false;
    return n->result.verdict != CANDO_REJECTED || suggest(r, n, n->history.p ? &h : NULL);
}
