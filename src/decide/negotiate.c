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
 * It is only ever named, never taken.
 */
#include "negotiate.h"

#include "base/limits.h"

/* -- the profile of the target ------------------------------------------------------------- */

/* A claim never makes more of a target than the catalog knows of it. */
static void bound_claims(struct negotiation *n, const cando_planes *known)
{
    static const uint8_t slots[] = {F_input_image, F_input_audio, F_input_video};
    cando_planes *p = &n->planes;
    bool listed = false;
    if ((p->number_known & known->number_known) >> NUM_context_window & 1 &&
        p->number[NUM_context_window] > known->number[NUM_context_window]) {
        n->overstated[n->n_overstated++] = (struct overstated){"context_window", p->number[NUM_context_window],
                                                              known->number[NUM_context_window], true};
        p->number[NUM_context_window] = known->number[NUM_context_window];
    }
    for (unsigned i = 0; i < sizeof slots; i++) {
        cando_support claimed = planes_level(p, slots[i]), have = planes_level(known, slots[i]);
        if (claimed <= CANDO_UNSUPPORTED || have != CANDO_UNSUPPORTED)
            continue;
        n->overstated[n->n_overstated++] = (struct overstated){vocab_row(slots[i])->name, claimed, have, false};
        planes_put(p, slots[i], have);
        listed = true;
    }
    if (planes_level(known, SLOT_multimodal) != CANDO_UNSUPPORTED || planes_level(p, SLOT_multimodal) <= CANDO_UNSUPPORTED)
        return;
    if (!listed) /* a plain "yes" that does not tell which of the three */
        n->overstated[n->n_overstated++] =
            (struct overstated){"multimodal", planes_level(p, SLOT_multimodal), CANDO_UNSUPPORTED, false};
    planes_put(p, SLOT_multimodal, CANDO_UNSUPPORTED);
}

static bool find_planes(struct reading *r, struct negotiation *n)
{
    cando_planes known;
    cando_error err = {0};
    if (!n->has_target) {
        n->planes = n->claims;
        return true;
    }
    if (cando_resolve_parts(n->cat, n->provider.p, n->provider.n, n->model.p, n->model.n, CANDO_AS_WRITTEN, &n->profile, &err) != CANDO_OK)
        return reading_fail(r, CODE_too_long, STR("/target"), "%s", err.message);
    cando_profile_pack(&n->profile, &known);
    if (n->profile.identity == CANDO_BY_DEFAULT)
        planes_put(&known, F_prompt_caching, CANDO_UNKNOWN);
    n->planes = n->has_claims ? n->claims : known;
    if (n->has_claims)
        bound_claims(n, &known);
    return true;
}

/* -- suggestions ------------------------------------------------------------------------------- */

struct hunt {
    uint64_t native[2], usable[2], any[2]; /* hard slots by threshold */
    bool rows_suffice;
    uint32_t near[2];                      /* providers that are preferred */
};

static void hunt_begin(struct hunt *h, const struct negotiation *n)
{
    memset(h, 0, sizeof *h);
    h->rows_suffice = true;
    for (size_t i = 0; i < n->needs.n; i++) {
        const struct need *x = &n->needs.need[i];
        if (x->kind == NEED_SLOT && x->level == CANDO_HARD) {
            uint64_t *mask = x->min_support == CANDO_MIN_NATIVE ? h->native : x->min_support == CANDO_MIN_ANY ? h->any : h->usable;
            mask[x->slot / 64] |= UINT64_C(1) << (x->slot % 64);
        } else if (x->kind == NEED_SET || (x->kind == NEED_NUMBER && x->slot != NUM_context_window && x->slot != NUM_max_output)) {
            h->rows_suffice = false;
        }
    }
    h->near[0] = n->has_target ? snapshot_provider(&n->cat->snap, n->provider) : SNAP_NONE;
    h->near[1] = n->has_previous ? snapshot_provider(&n->cat->snap, n->previous_provider) : SNAP_NONE;
}

/* Met for sure: a hard need that is unknown does not count. */
static bool fits(const struct hunt *h, const struct negotiation *n, const struct offers *o, const struct snap_row *row, uint64_t *unmet)
{
    for (unsigned w = 0; w < 2; w++)
        if ((h->native[w] & ~row_u64(&row->native[2 * w])) | (h->usable[w] & ~row_u64(&row->usable[2 * w])) |
            (h->any[w] & ~row_u64(&row->known[2 * w])))
            return false;
    cando_planes planes;
    cando_profile profile;
    if (h->rows_suffice) {
        offer_planes(row, &planes);
    } else {
        offer_profile(o, row, &profile);
        cando_profile_pack(&profile, &planes);
    }
    *unmet = 0;
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

bool negotiate_suggest(struct reading *r, struct negotiation *n)
{
    struct offers o;
    struct hunt h;
    if (!offers_open(&o, n->cat, r->ar))
        return reading_memory(r);
    hunt_begin(&h, n);
    const struct snap_row *best = NULL;
    uint64_t best_key[3] = {0};
    for (size_t i = 0; i < o.n; i++) {
        const struct snap_row *row = &o.row[i];
        uint64_t unmet;
        if (row->status >= ROW_DEPRECATED || !fits(&h, n, &o, row, &unmet) || offer_is_backend(&o, row->provider) ||
            !offer_allowed(&o, row))
            continue;
        uint64_t key[3] = {row->provider == h.near[0] ? 0u : row->provider == h.near[1] ? 1u : 2u, unmet, row_price(row)};
        bool better = !best;
        for (unsigned k = 0; k < 3 && best; k++)
            if (key[k] != best_key[k]) {
                better = key[k] < best_key[k];
                break;
            }
        if (better && (!n->admits || n->admits(n->admits_ctx, &o, row))) {
            best = row;
            memcpy(best_key, key, sizeof key);
        }
    }
    if (!best)
        return false;
    n->has_suggestion = true;
    n->suggested_provider = offer_provider(&o, best);
    n->suggested_model = offer_id(&o, best);
    return true;
}

/* -- parameters ----------------------------------------------------------------------------------- */

/* Names of parameters without case, "_" and "-", and what the target must have. */
static const struct {
    const char *name;
    unsigned field;
} param_names[] = {
    {"temperature", F_temperature},
    {"topp", F_top_p},
    {"topk", F_top_k},
    {"seed", F_seed},
    {"stop", F_stop_sequences},
    {"stopsequences", F_stop_sequences},
    {"frequencypenalty", F_frequency_penalty},
    {"presencepenalty", F_presence_penalty},
    {"logprobs", F_logprobs},
    {"toplogprobs", F_logprobs},
    {"logitbias", F_logit_bias},
    {"effort", F_reasoning_effort},
    {"reasoningeffort", F_reasoning_effort},
    {"budgettokens", F_thinking_budget},
    {"thinkingbudget", F_thinking_budget},
    {"maxthinkingtokens", F_thinking_budget},
    {"thinking", F_reasoning},
    {"thinkingconfig", F_reasoning},
    {"reasoning", F_reasoning},
    {"cachecontrol", F_prompt_caching},
    {"promptcaching", F_prompt_caching},
    {"promptcachekey", F_prompt_caching},
    {"paralleltoolcalls", F_parallel_tool_calls},
    {"toolchoice", F_tool_choice},
    {"tools", F_tool_calling},
    {"responseformat", F_structured_output},
    {"responseschema", F_structured_output},
    {"jsonschema", F_structured_output},
    {"structuredoutput", F_structured_output},
    {"verbosity", F_verbosity},
    {"prediction", F_predicted_outputs},
    {"websearch", F_web_search},
    {"websearchoptions", F_web_search},
    {"stream", F_streaming},
    {"streaming", F_streaming},
    {"maxtokens", F_max_output},
    {"maxoutputtokens", F_max_output},
    {"maxcompletiontokens", F_max_output},
};

static unsigned param_field(struct str name)
{
    char plain[40];
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        if (name.p[i] == '_' || name.p[i] == '-')
            continue;
        if (n == sizeof plain)
            return FIELD_COUNT;
        plain[n++] = char_fold(name.p[i]);
    }
    for (size_t i = 0; i < sizeof param_names / sizeof param_names[0]; i++)
        if (str_is(str_make(plain, n), param_names[i].name))
            return param_names[i].field;
    return FIELD_COUNT;
}

static struct str param_reason(struct reading *r, const struct param *p, const cando_planes *planes)
{
    unsigned field = FIELD_COUNT;
    for (size_t i = p->path->n; i > 0 && field == FIELD_COUNT; i--)
        field = param_field(p->path->item[i - 1].text);
    if (field == FIELD_COUNT)
        return STR("");
    if (field == F_max_output) {
        uint64_t asked;
        if (p->value->kind != JSON_NUMBER || !json_uint(p->value, &asked) || !(planes->number_known >> NUM_max_output & 1) ||
            asked <= planes->number[NUM_max_output])
            return STR("");
        return str_printf(r->ar, "above max_output: %llu", (unsigned long long)planes->number[NUM_max_output]);
    }
    cando_support have = planes_level(planes, plane_slot(field));
    if (have == CANDO_UNKNOWN && (field == F_reasoning_effort || field == F_thinking_budget) &&
        planes_level(planes, F_reasoning) == CANDO_UNSUPPORTED)
        return STR("unsupported: reasoning");
    if (have > CANDO_UNSUPPORTED)
        return STR("");
    return str_printf(r->ar, "%s: %s", have == CANDO_UNKNOWN ? "probe-pending" : "unsupported", vocab_row(field)->name);
}

static bool read_param(struct reading *r, const struct json *v, struct str at, struct param *out)
{
    if (!reading_object(r, v, at, "a parameter") || !reading_keys(r, v, at, "a parameter", "path value layer") ||
        !reading_text(r, v, at, "layer", true, &out->layer))
        return false;
    out->path = json_get(v, "path");
    out->value = json_get(v, "value");
    out->reason = STR("");
    if (!out->path || !out->value)
        return reading_fail(r, CODE_missing_argument, at, "a parameter has 'path', 'value' and 'layer'");
    if (!reading_array(r, out->path, reading_at(r, at, "path"), "'path'"))
        return false;
    for (size_t i = 0; i < out->path->n; i++)
        if (out->path->item[i].kind != JSON_STRING)
            return reading_fail(r, CODE_bad_argument, reading_at_index(r, reading_at(r, at, "path"), i), "a part of a path is a string");
    if (str_is(out->layer, "defaultParams") || str_is(out->layer, "launch") || str_is(out->layer, "/params"))
        return true;
    reading_fail(r, CODE_bad_argument, reading_at(r, at, "layer"), "no layer is called '%.*s'", STR_ARG(str_head(out->layer, 80)));
    return reading_hint(r, "known: 'defaultParams', 'launch', '/params'");
}

bool negotiate_params(struct reading *r, const struct json *v, struct str at, struct negotiation *n)
{
    if (!reading_array(r, v, at, "'params'"))
        return false;
    n->param = arena_array(r->ar, v->n, sizeof *n->param);
    if (!n->param)
        return reading_memory(r);
    for (size_t i = 0; i < v->n; i++)
        if (!read_param(r, &v->item[i], reading_at_index(r, at, i), &n->param[n->n_params++]))
            return false;
    return true;
}

/* -- all of it ---------------------------------------------------------------------------------------- */

bool negotiate_run(struct reading *r, struct negotiation *n)
{
    if (!find_planes(r, n))
        return false;
    n->outcome = arena_array(r->ar, n->needs.n, sizeof *n->outcome);
    if (!n->outcome)
        return reading_memory(r);
    n->result = check_needs(&n->needs, &n->planes, n->unknown, n->outcome);
    if (n->result.verdict == CANDO_REJECTED && !negotiate_suggest(r, n) && reading_no_memory(r))
        return false;
    for (size_t i = 0; i < n->n_params && n->result.verdict != CANDO_REJECTED; i++) {
        n->param[i].reason = param_reason(r, &n->param[i], &n->planes);
        if (!n->param[i].reason.p)
            return reading_memory(r);
    }
    return true;
}

bool negotiate_reject(struct reading *r, struct negotiation *n)
{
    n->result.verdict = CANDO_REJECTED;
    for (size_t i = 0; i < n->n_params; i++)
        n->param[i].reason = STR("");
    return negotiate_suggest(r, n) || !reading_no_memory(r);
}
