#include "asked.h"

#include "base/instant.h"
#include "base/limits.h"
#include "catalog/api.h"
#include "catalog/offered.h"
#include "catalog/profile.h"

/* -- when the target is made ----------------------------------------------------------------- */

static bool serves_models(const struct snapshot *s, uint32_t provider)
{
    for (size_t i = 0; i < s->sec[SEC_RUNS].n; i++)
        if (snap_run(s, i).provider == provider)
            return true;
    return false;
}

static uint8_t unknown_model(const struct snapshot *s, const cando_profile *p)
{
    if (p->identity >= CANDO_BY_ALIAS || !serves_models(s, p->provider))
        return ASKED_NOTHING;
    struct snap_provider at = snap_provider(s, p->provider);
    struct str kind = snap_str(s, at.kind);
    bool whole = str_is(kind, "first-party") && !at.own_names;
    return whole ? ASKED_WARNING : ASKED_NOTE;
}

/* A flag that is set, or a capability that is there (`no`: is not). */
static uint8_t said_so(const cando_profile *p, unsigned field, bool no)
{
    cando_value v = profile_fact(p, field).value;
    bool is = v.type == CANDO_FLAG ? v.flag : v.support == CANDO_UNSUPPORTED;
    if (!v.known || is != no)
        return ASKED_NOTHING;
    return profile_rejects(p, field) ? ASKED_ERROR : ASKED_WARNING;
}

/* What makes vectors makes no text, unless somebody says so. Hosts and routers may take a
 * conversation for what answers in pictures. */
static uint8_t no_text(const struct snapshot *s, const cando_profile *p)
{
    uint8_t no = said_so(p, F_output_text, true);
    if (!no && !profile_fact(p, F_output_text).value.known)
        no = said_so(p, F_embeddings, false);
    bool own = str_is(snap_str(s, snap_provider(s, p->provider).kind), "first-party");
    return no == ASKED_ERROR && !own ? ASKED_WARNING : no;
}

/* Kinds of models that are asked by an API of their own. Some makers of pictures and speech write,
 * too, and then take a conversation; that a model only completes texts, reads pages, or judges what
 * others say, must be certain: many of these are asked by conversations. */
static uint8_t no_turns(const cando_profile *p)
{
    static const struct {
        const char *kind;
        bool unless_text, if_certain;
    } kinds[] = {
        {"embedding", false, false}, {"rerank", false, false},    {"transcription", false, false},
        {"moderation", false, true}, {"video", false, false},     {"realtime", false, false},
        {"image", true, false},      {"completion", false, true}, {"ocr", false, true},
    };
    cando_value v = profile_fact(p, F_model_kind).value;
    bool certain = profile_rejects(p, F_model_kind);
    for (size_t i = 0; v.known && i < COUNT_OF(kinds); i++) {
        if (!str_is(str_of(v.text), kinds[i].kind))
            continue;
        if (kinds[i].unless_text &&
            profile_fact(p, F_output_text).value.support > CANDO_UNSUPPORTED)
            return ASKED_NOTHING;
        if (certain)
            return ASKED_ERROR;
        return kinds[i].if_certain ? ASKED_NOTHING : ASKED_WARNING;
    }
    return ASKED_NOTHING;
}

void asked_prepare(cando_target *t, struct str provider, struct str model)
{
    const struct snapshot *s = &t->catalog->snap;
    memset(t->asked, ASKED_NOTHING, sizeof t->asked);
    if (!s->sec[SEC_ROWS].n)
        return;
    if (t->profile.provider == SNAP_NONE && provider.n) {
        t->asked[ASKED_PROVIDER] = ASKED_WARNING;
        return;
    }
    if (!model.n || t->profile.provider == SNAP_NONE)
        return;
    t->asked[ASKED_MODEL] = unknown_model(s, &t->profile);
    t->life = profile_life(&t->profile);
    t->ends = t->life.status >= ROW_DEPRECATED || t->life.deprecated || t->life.retires;
    t->end_inferred = !profile_rejects(&t->profile, t->life.retires ? F_retires_on : F_status);
    t->asked[ASKED_TO_CHAT] = no_text(s, &t->profile);
    t->asked[ASKED_AT_ALL] = no_turns(&t->profile);
    t->asked[ASKED_ELSEWHERE] = said_so(&t->profile, F_chat_completions, true);
}

/* -- when a request comes -------------------------------------------------------------------- */

enum spoken provider_speaks(const struct snapshot *s, uint32_t provider, struct str api)
{
    uint32_t list = provider == SNAP_NONE ? SNAP_NONE : snap_provider(s, provider).apis;
    if (list == SNAP_NONE)
        return NOBODY_SAYS;
    for (uint32_t i = 0; i < snap_u32(s, SEC_LISTS, list); i++)
        if (str_eq(snap_str(s, snap_u32(s, SEC_LISTS, list + 1 + i)), api))
            return SPOKEN;
    return NOT_SPOKEN;
}

static bool is_spoken(const struct api *api)
{
    return api && api->spoken && (api->turns.n || api->turns_of || api->like);
}

bool api_is_spoken(struct str api)
{
    return is_spoken(api_find(api));
}

static void add(cando_report *out, uint8_t asked, enum code code, uint32_t *at)
{
    struct scan_place v;
    if (asked == ASKED_NOTHING)
        return;
    if (*at == UINT32_MAX)
        *at = request_model_at(out->text, &v) ? v.at : 0;
    report_add(out, code, (cando_severity)(asked - ASKED_NOTE), *at, NULL);
}

static void judge_life(cando_report *out, uint32_t *at)
{
    const cando_target *t = out->target;
    if (!t->ends)
        return;
    enum row_status status = life_status(&t->life, out->day ? out->day : day_today());
    if (status == ROW_RETIRED)
        add(out, t->end_inferred ? ASKED_WARNING : ASKED_ERROR, CODE_model_retired, at);
    if (status == ROW_DEPRECATED)
        add(out, ASKED_WARNING, CODE_model_deprecated, at);
}

/* What nobody knows may still be there, unless one wants to be sure. */
static uint8_t or_strict(const cando_report *out, uint8_t asked)
{
    return out->strict && asked >= ASKED_WARNING ? ASKED_ERROR : asked;
}

static void judge_api(cando_report *out, uint32_t *at)
{
    const cando_target *t = out->target;
    bool main = out->api == t->api_name; /* the provider speaks that one, of course */
    if (main && !t->asked[ASKED_ELSEWHERE] && !t->asked[ASKED_TO_CHAT] && !t->asked[ASKED_AT_ALL])
        return;
    const struct api *api = api_find(str_of(out->api));
    if (!is_spoken(api))
        return;
    if (!main &&
        provider_speaks(&t->catalog->snap, t->profile.provider, str_of(out->api)) == NOT_SPOKEN)
        add(out, ASKED_ERROR, CODE_api_not_spoken, at);
    else if (api->plain)
        add(out, t->asked[ASKED_ELSEWHERE], CODE_model_elsewhere, at);
    uint8_t no_chat = api->any_output ? ASKED_NOTHING : t->asked[ASKED_TO_CHAT];
    if (no_chat < t->asked[ASKED_AT_ALL])
        no_chat = t->asked[ASKED_AT_ALL];
    add(out, no_chat, CODE_model_no_chat, at);
}

void asked_judge(cando_report *out)
{
    const cando_target *t = out->target;
    uint32_t at = UINT32_MAX;
    if (t->neutral)
        return;
    add(out, or_strict(out, t->asked[ASKED_PROVIDER]), CODE_provider_unknown, &at);
    add(out, or_strict(out, t->asked[ASKED_MODEL]), CODE_model_unknown, &at);
    judge_api(out, &at);
    judge_life(out, &at);
}

/* -- in words ---------------------------------------------------------------------------------- */

static struct str fact_text(const cando_profile *p, unsigned field)
{
    cando_value v = profile_fact(p, field).value;
    return v.text ? str_of(v.text) : STR("");
}

static struct str provider_of(const cando_target *t)
{
    const struct snapshot *s = &t->catalog->snap;
    if (t->profile.provider == SNAP_NONE)
        return t->key.provider;
    return snap_str(s, snap_provider(s, t->profile.provider).id);
}

static struct str did_you_mean(struct arena *ar, struct str near, const char *otherwise)
{
    return near.n ? str_printf(ar, "did you mean '%.*s'?", STR_ARG(near)) : str_of(otherwise);
}

/* "gpt-5.6-sol", or what to do without such a name. */
static struct str successor(struct arena *ar, const cando_target *t)
{
    struct str to = fact_text(&t->profile, F_replaced_by);
    return to.n ? str_printf(ar, "its provider names %.*s instead", STR_ARG(to))
                : STR("cando models lists those that are active");
}

/* "since 2026-07-23" */
static struct str since(struct arena *ar, struct str what, struct str day, const char *before)
{
    if (!what.p || !day.n)
        return what;
    return str_printf(ar, "%s%s%.*s", what.p, before, STR_ARG(day));
}

static struct str apis_of(struct arena *ar, const struct snapshot *s, uint32_t provider)
{
    uint32_t list = snap_provider(s, provider).apis;
    struct str all = STR("");
    for (uint32_t i = 0; all.p && i < snap_u32(s, SEC_LISTS, list); i++)
        all = str_join(ar, all, i ? STR(", ") : STR(""),
                       snap_str(s, snap_u32(s, SEC_LISTS, list + 1 + i)));
    return all;
}

/* Where to send it instead: what who speaks this API speaks as well. */
static struct str served_by(struct arena *ar, const cando_report *r)
{
    const struct api *api = api_find(str_of(r->api));
    if (!api || !api->also)
        return STR("cando show says what it is for");
    return str_printf(ar, "send it to %.*s", STR_ARG(api->also->name));
}

/* "a policy denies this model: openai/gpt-4* at cando.toml:3" */
static struct str denied_by(struct arena *ar, const cando_target *t)
{
    struct str provider = t->key.provider, model = t->key.model;
    cando_policy by = cando_catalog_policy(t->catalog, provider.p, provider.n, model.p, model.n);
    const char *what = !by.list                        ? ""
                       : strcmp(by.list, "allow") == 0 ? ": it is not in the allow list"
                       : strcmp(by.list, "deny") == 0  ? ": "
                                                       : ": a list cannot be read";
    struct str at = by.file && by.line ? str_printf(ar, " at %s:%u", by.file, by.line)
                    : by.file          ? str_printf(ar, " at %s", by.file)
                                       : STR("");
    return str_printf(ar, "%s%s%s%s", code_text(CODE_denied), what, by.pattern ? by.pattern : "",
                      at.p ? at.p : "");
}

/* "the model", or its name where the request names another one. p is NULL: no memory. */
static struct str subject(struct arena *ar, const cando_report *r, const struct report_finding *f,
                          const char *verb)
{
    char name[LIMIT_NAME_BYTES + 1];
    struct scan_place v;
    struct str provider = provider_of(r->target), model = r->target->key.model;
    size_t n = request_model_at(r->text, &v) && v.at == f->at
                   ? request_text(r->text, v, name, sizeof name)
                   : 0;
    if (!n || n >= sizeof name || str_ends(str_make(name, n), model))
        return str_printf(ar, "the model %s", verb);
    return str_printf(ar, "%.*s/%.*s %s", STR_ARG(provider), STR_ARG(model), verb);
}

bool asked_words(struct arena *ar, const cando_report *r, const struct report_finding *f,
                 struct str *message, struct str *hint)
{
    const cando_target *t = r->target;
    if (t->neutral) /* it has no profile */
        return false;
    const struct snapshot *s = &t->catalog->snap;
    struct str provider = provider_of(t), model = t->key.model;
    struct str retires = fact_text(&t->profile, F_retires_on);
    switch (f->code) {
    case CODE_provider_unknown:
        *message = str_printf(ar, "no provider is called '%.*s'", STR_ARG(provider));
        *hint =
            did_you_mean(ar, offered_near_provider(s, provider), "cando where lists what is known");
        break;
    case CODE_model_unknown:
        *message = str_printf(ar, "%.*s is not known to have a model '%.*s'", STR_ARG(provider),
                              STR_ARG(model));
        *hint = did_you_mean(ar, offered_near_model(s, t->profile.provider, model).name,
                             "cando models lists those that are known; what you call one yourself "
                             "goes into cando.toml (cando init)");
        break;
    case CODE_api_not_spoken:
        *message = str_printf(ar, "%.*s does not speak %s", STR_ARG(provider), r->api);
        *hint = str_printf(ar, "it speaks %s", apis_of(ar, s, t->profile.provider).p);
        break;
    case CODE_model_elsewhere:
        *message = str_printf(ar, "the model is not served by %s", r->api);
        *hint = served_by(ar, r);
        break;
    case CODE_model_no_chat:
        *message = str_of(code_text(f->code));
        *hint = STR("cando show says what it is for");
        break;
    case CODE_denied:
        *message = denied_by(ar, t);
        *hint = STR("cando where prints the files that are in force");
        break;
    case CODE_model_retired:
        *message = since(ar, subject(ar, r, f, "is retired"), retires, " since ");
        *hint = successor(ar, t);
        break;
    case CODE_model_deprecated:
        *message = since(ar, subject(ar, r, f, "is deprecated"), retires, " and ends on ");
        *hint = successor(ar, t);
        break;
    default:
        return false;
    }
    return message->p && hint->p;
}
