/*
 * ask_negotiate.c - the question `negotiate`: from its members to a negotiation, and from
 * what came of that to the answer.
 */
#include "base/limits.h"
#include "catalog/engine.h"
#include "catalog/offered.h"
#include "claims.h"
#include "negotiate.h"
#include "record/redact.h"
#include "text/shape.h"

static const char *const layers[] = {"defaultParams", "launch", "/params"};
const struct shape_words param_layer_words = WORDS(layers);

/* -- parameters ------------------------------------------------------------------------ */

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
    for (size_t i = 0; i < COUNT_OF(param_names); i++)
        if (str_is(str_make(plain, n), param_names[i].name))
            return param_names[i].field;
    return FIELD_COUNT;
}

/* Why it does not apply; empty: it does. p is NULL: no memory. */
static struct str param_reason(struct reading *r, struct negotiation *n, const cando_param *p,
                               const struct json *value)
{
    const cando_planes *planes = n->planes;
    unsigned field = FIELD_COUNT;
    uint64_t asked;
    for (size_t i = p->n_path; i > 0 && field == FIELD_COUNT; i--)
        field = param_field(str_of(p->path[i - 1]));
    if (field == FIELD_COUNT)
        return STR("");
    negotiate_know(n, field);
    if (field == F_max_output) {
        uint64_t most = planes->number[NUM_max_output];
        if (value->kind != JSON_NUMBER || !json_uint(value, &asked) ||
            !(planes->number_known >> NUM_max_output & 1) || asked <= most)
            return STR("");
        return str_printf(r->ar, "above max_output: %llu", (unsigned long long)most);
    }
    cando_support have = planes_level(planes, plane_slot(field));
    if (field == F_reasoning_effort && value->kind == JSON_STRING) {
        negotiate_know(n, F_reasoning_efforts);
        unsigned set = plane_set(F_reasoning_efforts);
        uint32_t bit = set_bit(F_reasoning_efforts, value->text);
        /* a word that there is none of may be anything, a secret too: it is only the value */
        if (planes->set_known >> set & 1 && have > CANDO_UNSUPPORTED && !(planes->set[set] & bit))
            return str_printf(r->ar, "not among reasoning_efforts%s%.*s", bit ? ": " : "",
                              STR_ARG(str_head(value->text, bit ? 40 : 0)));
    }
    if (have > CANDO_UNSUPPORTED)
        return STR("");
    bool reasons = field == F_reasoning_effort || field == F_thinking_budget;
    if (have == CANDO_UNKNOWN && reasons) {
        negotiate_know(n, F_reasoning);
        if (planes_level(planes, F_reasoning) == CANDO_UNSUPPORTED)
            return STR("unsupported: reasoning");
    }
    const char *why = have == CANDO_UNKNOWN ? "probe-pending" : "unsupported";
    return str_join(r->ar, str_of(why), STR(": "), str_of(vocab_row(field)->name));
}

static bool check_param(struct reading *r, const cando_param *p, struct str at)
{
    if (!p->path || !p->value.p)
        return reading_fail(r, CODE_missing_argument, at,
                            "a parameter has 'path', 'value' and 'layer'");
    for (size_t i = 0; i < p->n_path; i++)
        if (!p->path[i])
            return reading_fail(r, CODE_bad_argument,
                                reading_at_index(r, reading_at(r, at, "path"), i),
                                "a part of a path is a string");
    return need_word(r, p->layer, &param_layer_words, at, "layer");
}

bool negotiate_params(struct reading *r, const cando_param *list, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct str at = reading_at_index(r, STR("/params"), i);
        if (!check_param(r, &list[i], at) ||
            !reading_json(r, list[i].value, reading_at(r, at, "value")))
            return false;
    }
    return true;
}

/* The value as it may be shown. */
static bool redact(struct reading *r, const struct json *value, struct str key, cando_bytes *out)
{
    struct buf b;
    struct json_writer w;
    buf_init_arena(&b, r->ar, LIMIT_JSON_BYTES);
    jw_init(&w, &b, false);
    redact_value(&w, value, key, r->ar->a);
    *out = (cando_bytes){b.p, b.n};
    return !b.failed || reading_memory(r);
}

/* The name that the value stands under: the last step of its path that tells of a secret, since
 * an index or "value" may follow it. */
static struct str telling_step(const cando_param *p)
{
    for (size_t i = p->n_path; i > 0; i--)
        if (redact_tells(str_of(p->path[i - 1])))
            return str_of(p->path[i - 1]);
    return str_of(p->path[p->n_path - 1]);
}

/* The question's texts are the caller's, the answer's are the room's. */
static bool own_text(struct reading *r, struct str text, const char **out)
{
    *out = str_dup(r->ar, text).p;
    return *out || reading_memory(r);
}

/* -- the answer ------------------------------------------------------------------------ */

static cando_amount level_amount(unsigned level)
{
    return (cando_amount){CANDO_SUPPORT, level != CANDO_UNKNOWN,
                          .level = support_name((cando_support)level)};
}

/* What was wanted and what is there, in the type of the capability. */
static bool put_amounts(struct reading *r, const struct negotiation *n, const struct need *x,
                        cando_outcome o, cando_unmet *out)
{
    const cando_planes *p = n->planes;
    bool known = o.have != CANDO_UNKNOWN;
    switch ((enum need_kind)x->kind) {
    case NEED_NUMBER:
        out->need = (cando_amount){CANDO_NUMBER, true, .number = x->minimum};
        out->have = (cando_amount){CANDO_NUMBER, known, .number = p->number[x->slot]};
        return true;
    case NEED_SET:
        out->need = (cando_amount){.type = CANDO_LIST, .known = true};
        out->have = (cando_amount){.type = CANDO_LIST, .known = known};
        return need_set_words(r, x->slot, x->set, &out->need.words, &out->need.n_words) &&
               need_set_words(r, x->slot, p->set[x->slot], &out->have.words, &out->have.n_words);
    default:
        out->need =
            (cando_amount){CANDO_SUPPORT, true, .level = min_support_words.word[x->min_support]};
        out->have = level_amount(o.have);
        return true;
    }
}

static bool put_unmet(struct reading *r, const struct negotiation *n, cando_negotiate_answer *a)
{
    cando_unmet *missing = arena_array(r->ar, n->result.missing, sizeof *missing);
    cando_unmet *warnings = arena_array(r->ar, n->result.warnings, sizeof *warnings);
    if (!missing || !warnings)
        return reading_memory(r);
    for (size_t i = 0; i < n->needs.n; i++) {
        const struct need *x = &n->needs.need[i];
        cando_outcome o = n->outcome[i];
        if (o.effect == CANDO_MET)
            continue;
        cando_unmet *u =
            o.effect == CANDO_MISSING ? &missing[a->n_missing++] : &warnings[a->n_warnings++];
        *u = (cando_unmet){
            .capability = need_capability(x),
            .reason = code_name(need_not_strict(x, o) ? CODE_not_strict : check_code(o.effect)),
            .level = (cando_level)x->level,
            .path = x->path.p,
        };
        if (x->required_by.n && !own_text(r, x->required_by, &u->required_by))
            return false;
        if (!put_amounts(r, n, x, o, u))
            return false;
    }
    a->missing = missing;
    a->warnings = warnings;
    return true;
}

static bool own_path(struct reading *r, const cando_param *p, cando_param_affected *out)
{
    const char **path = arena_array(r->ar, p->n_path, sizeof *path);
    if (!path)
        return reading_memory(r);
    for (size_t i = 0; i < p->n_path; i++) {
        struct buf b;
        buf_init_arena(&b, r->ar, LIMIT_JSON_BYTES);
        redact_text(&b, str_of(p->path[i]), STR(""));
        path[i] = buf_cstr(&b);
        if (!path[i])
            return reading_memory(r);
    }
    out->param_path = path;
    out->n_param_path = p->n_path;
    return true;
}

/* After a rejection nothing changes, and so nothing is affected. */
static bool put_params(struct reading *r, struct negotiation *n, cando_negotiate_answer *a)
{
    if (!n->n_params || n->result.verdict == CANDO_REJECTED)
        return true;
    cando_param_affected *list = arena_array(r->ar, n->n_params, sizeof *list);
    const char *model = NULL;
    if (!list)
        return reading_memory(r);
    if (n->has_target && n->model.n && !own_text(r, n->model, &model))
        return false;
    for (size_t i = 0; i < n->n_params; i++) {
        const cando_param *p = &n->param[i];
        const struct json *value = reading_json(r, p->value, STR("/params"));
        struct str reason = value ? param_reason(r, n, p, value) : STR_NONE;
        if (!value || !reason.p)
            return reading_memory(r);
        if (!reason.n)
            continue;
        cando_param_affected *x = &list[a->n_params_affected++];
        *x = (cando_param_affected){
            .reason = reason.p, .active_model_id = model, .source_layer = layers[p->layer]};
        if (!own_path(r, p, x))
            return false;
        if (!redact(r, value, telling_step(p), &x->current_value))
            return false;
    }
    a->params_affected = list;
    return true;
}

static cando_amount overstated_amount(const struct overstated *o, uint64_t amount)
{
    return o->number ? (cando_amount){CANDO_NUMBER, true, .number = amount}
                     : level_amount((unsigned)amount);
}

static bool put_overstated(struct reading *r, const struct negotiation *n,
                           cando_negotiate_answer *a)
{
    cando_overstated *list = arena_array(r->ar, n->n_overstated, sizeof *list);
    if (!list)
        return reading_memory(r);
    for (unsigned i = 0; i < n->n_overstated; i++) {
        const struct overstated *o = &n->overstated[i];
        list[i] = (cando_overstated){o->capability, overstated_amount(o, o->claimed),
                                     overstated_amount(o, o->known)};
    }
    a->overstated = list;
    a->n_overstated = n->n_overstated;
    return true;
}

/* Of the history, then of the request, then what is lost in another API. */
static bool put_findings(struct reading *r, const struct negotiation *n, cando_negotiate_answer *a)
{
    const struct hist_findings *found = &n->found;
    size_t count = found->n + n->n_refused + n->n_lost;
    cando_finding *list = arena_array(r->ar, count, sizeof *list);
    if (!list)
        return reading_memory(r);
    for (size_t i = 0; i < found->n; i++) {
        const struct hist_finding *f = &found->item[i];
        list[i] = (cando_finding){
            .code = code_name(f->code),
            .path = hist_pointer(r, f->at).p,
            .capability = f->field < FIELD_COUNT ? vocab_row(f->field)->name : NULL,
            .severity = f->severity,
            .message = f->message.p,
            .hint = f->fix.n ? f->fix.p : NULL,
        };
        if (!list[i].path)
            return reading_memory(r);
    }
    for (size_t i = 0; i < n->n_refused; i++)
        list[found->n + i] = n->refused[i];
    for (size_t i = 0; i < n->n_lost; i++)
        list[found->n + n->n_refused + i] = n->lost[i];
    a->findings = list;
    a->n_findings = count;
    return true;
}

/* "provider/model", or NULL where there is none. */
static bool put_target(struct reading *r, bool has, struct str provider, struct str model,
                       const char **out)
{
    *out = has ? str_join(r->ar, provider, STR("/"), model).p : NULL;
    return !has || *out || reading_memory(r);
}

const cando_negotiate_answer *negotiate_answer(struct reading *r, struct negotiation *n)
{
    static const char *const identities[] = {"default", "family", "alias", "exact"};
    cando_negotiate_answer *a = arena_alloc(r->ar, sizeof *a);
    if (!a)
        return reading_memory(r);
    if (!negotiate_run(r, n))
        return NULL;
    a->verdict = n->result.verdict;
    bool rejected = a->verdict == CANDO_REJECTED;
    if (rejected) /* if nothing is missing it is the history that does not go there, or the request
                   */
        a->error = n->result.missing             ? n->error
                   : n->found.count[CANDO_ERROR] ? "History/DoesNotSurvive"
                                                 : "Request/Refused";
    if (n->has_target)
        a->identity = identities[n->profile->identity];
    bool ok =
        put_unmet(r, n, a) && put_target(r, n->has_target, n->provider, n->model, &a->target) &&
        put_target(r, n->has_previous, n->previous_provider, n->previous_model, &a->previous) &&
        put_params(r, n, a) && put_overstated(r, n, a) && put_findings(r, n, a);
    a->active = rejected ? a->previous : a->target;
    a->suggestion = n->suggestion.p;
    return ok ? a : NULL;
}

/* -- the question ---------------------------------------------------------------------- */

bool negotiate_name(struct reading *r, const cando_catalog *cat, cando_name name, struct str at,
                    struct str *provider, struct str *model)
{
    if (name_split(name, provider, model, at, &r->error))
        return true;
    offered_hint(cat, str_of(name.model), &r->error);
    return false;
}

static bool read_profile(struct reading *r, const cando_negotiate_question *q,
                         struct negotiation *n)
{
    if (!q->profile.p && q->profile_form)
        return reading_fail(r, CODE_missing_argument, STR("/profile"),
                            "there is a 'profile_form' and no 'profile'");
    if (!q->profile.p)
        return true;
    cando_planes *claims = arena_alloc_raw(r->ar, sizeof *claims);
    if (!claims)
        return reading_memory(r);
    n->claims = claims;
    n->declared = q->profile_form == CANDO_FORM_MANIFEST;
    return claims_read_text(r, q->profile_form, q->profile, STR("/profile"), claims);
}

static bool read_question(struct reading *r, const cando_negotiate_question *q,
                          struct negotiation *n)
{
    const cando_needs_question needs = {
        .request = q->request,
        .api = q->api,
        .requirements = q->requirements,
        .n_requirements = q->n_requirements,
        .session = q->session,
    };
    if (!need_read_question(r, n->cat, &needs, NULL, &n->needs))
        return false;
    n->has_target = q->target != NULL;
    n->has_previous = q->previous != NULL;
    if (q->target &&
        !negotiate_name(r, n->cat, *q->target, STR("/target"), &n->provider, &n->model))
        return false;
    if (!read_profile(r, q, n))
        return false;
    if (q->previous && !negotiate_name(r, n->cat, *q->previous, STR("/previous"),
                                       &n->previous_provider, &n->previous_model))
        return false;
    if (!need_word(r, q->unknown, &unknown_words, STR(""), "unknown"))
        return false;
    if (!n->has_target && !n->claims) {
        reading_fail(r, CODE_missing_argument, STR("/target"),
                     "there is nothing to negotiate with");
        return reading_hint(r, "give a 'target' or a 'profile'");
    }
    n->request = q->request;
    n->request_api = q->api;
    if (q->request.p)
        n->verdicts = verdicts_open(r, n->cat, q->request, q->api, 0);
    if (q->request.p && !n->verdicts)
        return false;
    return negotiate_params(r, q->params, q->n_params);
}

const cando_negotiate_answer *cando_ask_negotiate(const cando *c, const cando_negotiate_question *q,
                                                  cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const cando_negotiate_answer *a = NULL;
    struct negotiation *n = arena_alloc(&room->ar, sizeof *n);
    if (n)
        n->cat = room_catalog(room, c);
    if (!n || !n->cat)
        return no_memory(err);
    n->unknown = q->unknown;
    n->param = q->params;
    n->n_params = q->n_params;
    n->history = q->history;
    n->history_at = STR("/history");
    n->error =
        q->spawn ? "Subagent/ModelCapabilityMismatch" : "ProviderCapability/MissingCapability";
    if (read_question(&r, q, n))
        a = negotiate_answer(&r, n);
    if (!a)
        reading_end(&r, err);
    return a;
}
