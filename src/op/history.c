/*
 * history.c - a negotiation that has a conversation to take along.
 *
 * The needs are checked first, as always; then the history against the target. An
 * error among its findings rejects, a warning degrades. What is suggested after a
 * rejection must take the history as well: without an error, without anything that
 * nobody knows, and it must be a model that writes text.
 */
#include "decide.h"

#include "catalog/profile.h"

/* Steps that the search for a suggestion may spend on the history. */
#define LOOK_STEPS (UINT64_C(1) << 25)

struct look {
    struct reading *r;
    const struct negotiation *n;
    const struct history *h;
    uint64_t steps;
};

static void target_from(const struct negotiation *n, struct hist_target *t)
{
    *t = (struct hist_target){.cat = n->cat};
    if (n->has_previous) {
        t->from_provider = n->previous_provider;
        t->from_model = n->previous_model;
    }
}

/* By what the row knows: packing whole profiles would take longer than all the rest. */
static bool admits(void *ctx, const struct offers *o, const struct snap_row *row)
{
    struct look *k = ctx;
    struct hist_target t;
    cando_profile profile;
    cando_planes planes;
    uint64_t cost = k->h->n_parts + k->h->n_turns + 64;
    if (k->steps < cost)
        return false;
    offer_planes(row, &planes);
    if (planes_level(&planes, F_output_text) <= CANDO_UNSUPPORTED ||
        planes_level(&planes, F_embeddings) > CANDO_UNSUPPORTED)
        return false;
    k->steps -= cost;
    offer_profile(o, row, &profile);
    cando_value limit = profile_fact(&profile, F_max_input).value;
    if (limit.known)
        planes_put_number(&planes, NUM_max_input, limit.number);
    target_from(k->n, &t);
    t.provider = offer_provider(o, row);
    t.model = offer_id(o, row);
    t.profile = &profile;
    t.planes = &planes;
    struct hist_findings found = {.count_only = true};
    return history_check(k->r, k->h, &t, &found) && found.count[CANDO_ERROR] == 0 && found.pending == 0;
}

static bool judge(struct reading *r, struct negotiation *n, const struct history *h, struct hist_findings *found)
{
    struct hist_target t;
    target_from(n, &t);
    t.planes = &n->planes;
    if (n->has_target) {
        t.provider = n->provider;
        t.model = n->model;
        t.profile = n->has_claims ? NULL : &n->profile;
    }
    if (!history_check(r, h, &t, found))
        return false;
    if (found->count[CANDO_ERROR] && n->result.verdict != CANDO_REJECTED)
        return negotiate_reject(r, n);
    if (found->count[CANDO_WARNING] && n->result.verdict == CANDO_ACCEPTED)
        n->result.verdict = CANDO_DEGRADED;
    return true;
}

bool negotiate_history(struct reading *r, struct negotiation *n, const struct json *history, struct str at,
                       struct hist_findings *found)
{
    struct history h;
    *found = (struct hist_findings){0};
    if (!history || history->kind == JSON_NULL)
        return negotiate_run(r, n);
    struct str speaker = n->has_previous ? n->previous_provider : n->has_target ? n->provider : STR("");
    if (!history_read(r, history, at, hist_api_of(n->cat, speaker), &h))
        return false;
    struct look look = {.r = r, .n = n, .h = &h, .steps = LOOK_STEPS};
    n->admits = admits;
    n->admits_ctx = &look;
    bool ok = negotiate_run(r, n) && judge(r, n, &h, found);
    n->admits = NULL;
    return ok;
}
