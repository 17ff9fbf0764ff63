/*
 * history_check.c - what of a history a target takes.
 *
 * Three things decide about a part: the target's API (what its format can say),
 * the kinship of the target and the model that made the history (whose reasoning,
 * whose files), and the target's profile (what it can see and do).
 *
 *     kinship      same model    same provider    same lab    nobody knows    stranger
 *     reasoning    kept          may be refused   ...         may be refused  refused
 *
 * Who made the history is told (`previous`); else the API tells the lab, where
 * only one lab speaks it. An explicit no is an error, unless it was only inferred from
 * the model's family; what is unknown warns.
 */
#include "history.h"

#include "base/limits.h"
#include "catalog/profile.h"
#include "rules/match.h"

#include <stdarg.h>
#include <stdio.h>

enum kinship { KIN_MODEL, KIN_PROVIDER, KIN_LAB, KIN_UNKNOWN, KIN_STRANGER };

struct check {
    struct reading *r;
    const struct history *h;
    const struct hist_target *t;
    struct hist_findings *out;
    const struct api *to; /* api_none: nobody knows */
    enum kinship kin;
    bool same_provider;  /* told, and the same */
    bool other_provider; /* told, and another */
    bool tools_said;
    bool done; /* nothing more is to be found: an error was, and only that was asked for */
    bool failed;
    struct str vendor;
    uint32_t major; /* of the target's version, 0: unknown */
    enum image_rule images;
    struct match_query q, from;
};

/* -- findings -------------------------------------------------------------------------- */

static void emit(struct check *k, enum code code, cando_severity severity, unsigned field,
                 const struct hist_at *at, const char *fix, const char *fmt, ...)
    __attribute__((format(printf, 7, 8)));

static void emit(struct check *k, enum code code, cando_severity severity, unsigned field,
                 const struct hist_at *at, const char *fix, const char *fmt, ...)
{
    struct hist_findings *o = k->out;
    o->count[severity]++;
    o->pending += code == CODE_probe_pending;
    k->done |= o->count_only && severity == CANDO_ERROR;
    if (o->count_only || o->n >= LIMIT_HISTORY_FINDINGS || k->failed)
        return;
    char text[300];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    struct str message =
        str_dup(k->r->ar, str_make(text, n < 0                     ? 0
                                         : (size_t)n < sizeof text ? (size_t)n
                                                                   : sizeof text - 1));
    if (!message.p || !ARENA_GROW(k->r->ar, o->item, o->n, o->cap)) {
        k->failed = true;
        return;
    }
    o->item[o->n++] = (struct hist_finding){code, severity, field, at, message, str_of(fix)};
}

/* How loud a no is. */
static cando_severity no(const struct check *k, unsigned field)
{
    bool rejects = !k->t->profile || profile_rejects(k->t->profile, field);
    return rejects ? CANDO_ERROR : CANDO_WARNING;
}

static cando_support level(const struct check *k, unsigned field)
{
    return planes_level(k->t->planes, plane_slot(field));
}

/* What the target's format refuses is an error only where the format is known. */
static cando_severity refused(const struct check *k)
{
    return k->to == &api_none ? CANDO_WARNING : CANDO_ERROR;
}

static const char *to_name(const struct check *k)
{
    return k->to == &api_none ? "the target" : k->to->name.p;
}

/* -- the target ------------------------------------------------------------------------ */

/* Is the target's provider one of these? */
static bool is_at(const struct check *k, const char *providers)
{
    const struct snapshot *s = &k->t->cat->snap;
    return k->q.provider != SNAP_NONE &&
           api_lists_provider(providers, snap_str(s, snap_provider(s, k->q.provider).id));
}

static enum kinship kinship_of(struct check *k)
{
    const struct hist_target *t = k->t;
    struct str lab = k->h->api->lab;
    bool told = t->from_provider.n > 0;
    if (told) {
        lab = k->from.mid.vendor;
        bool known = k->q.provider != SNAP_NONE && k->from.provider != SNAP_NONE;
        k->same_provider =
            known ? k->q.provider == k->from.provider : str_eq_fold(t->provider, t->from_provider);
        k->other_provider = !k->same_provider;
    }
    if (t->provider.n == 0)
        return KIN_UNKNOWN;
    if (k->same_provider && str_eq_fold(t->model, t->from_model))
        return KIN_MODEL;
    if (lab.n && k->vendor.n && !str_eq(lab, k->vendor))
        return KIN_STRANGER;
    if (k->same_provider)
        return KIN_PROVIDER;
    return told && lab.n && k->vendor.n ? KIN_LAB : KIN_UNKNOWN;
}

/* The format in which the target will be asked. A provider has one in the catalog, and
 * some speak two: one for the models of another lab, or one beside it, which a conversation
 * that came through it will go on with. */
static const struct api *api_of(const struct check *k)
{
    const struct api *d = hist_api_of(k->t->cat, k->t->provider);
    if (!d)
        return &api_none;
    for (size_t i = 0; i < d->n_instead; i++)
        if (str_eq(d->instead[i].lab, k->vendor))
            return d->instead[i].api;
    if (!d->also || d->also != k->h->api)
        return d;
    bool speaks =
        k->same_provider || is_at(k, d->also_at) || level(k, d->also_field) > CANDO_UNSUPPORTED;
    return speaks ? d->also : d;
}

static bool target_open(struct check *k)
{
    const struct hist_target *t = k->t;
    const struct snapshot *s = &t->cat->snap;
    if (!query_init(&k->q, s, t->provider, t->model) ||
        !query_init(&k->from, s, t->from_provider, t->from_model))
        return reading_fail(k->r, CODE_too_long, STR("/target"), "a name is over its limit");
    query_parse(&k->q);
    query_parse(&k->from);
    uint32_t minor;
    k->vendor = k->q.mid.vendor;
    if (!model_version(k->q.base, SCHEME_ANY, &k->major, &minor))
        k->major = 0;
    k->images = api_images(k->vendor, k->q.base);
    k->kin = kinship_of(k);
    k->to = api_of(k);
    return true;
}

/* -- media ----------------------------------------------------------------------------- */

static void check_place(struct check *k, const struct hist_part *p, const char *what)
{
    bool text_results =
        k->to->text_results || (k->major > 0 && k->major < k->to->media_results_from);
    if (p->in_result && text_results)
        emit(k, CODE_media_misplaced, CANDO_WARNING, FIELD_COUNT, p->at,
             "move it to a user's message, or describe it",
             "tool results are text only in %s: the %s is lost", to_name(k), what);
    else if (!p->in_result && k->h->turn[p->turn].role == ROLE_ASSISTANT &&
             !k->to->answers_with_media && k->to != &api_none)
        emit(k, CODE_media_misplaced, CANDO_WARNING, FIELD_COUNT, p->at,
             "move it to a user's message, or describe it", "%s takes no %s in an assistant's turn",
             to_name(k), what);
}

static void check_link(struct check *k, const struct hist_part *p, const char *what)
{
    if (p->by_file && (k->other_provider || (!k->same_provider && k->to != k->h->api)))
        emit(k, CODE_state_left_behind, refused(k), F_files_api, p->at, "send the data itself",
             "the %s is a file that another provider keeps", what);
    if (!p->by_url)
        return;
    if (p->kind == PART_IMAGE && level(k, F_image_urls) == CANDO_UNSUPPORTED)
        emit(k, CODE_media_by_link, no(k, F_image_urls), F_image_urls, p->at,
             "fetch it and send the data", "the target takes no links to images");
    else if (k->to->no_links)
        emit(k, CODE_media_by_link, CANDO_WARNING, FIELD_COUNT, p->at, "fetch it and send the data",
             "%s takes the data of the %s, not a link", to_name(k), what);
}

static void check_media(struct check *k, const struct hist_part *p)
{
    static const struct {
        unsigned field;
        const char *what, *fix;
    } kinds[] = {
        [PART_IMAGE] = {F_input_image, "image",
                        "replace it by a note, and keep the original for the way back"},
        [PART_AUDIO] = {F_input_audio, "audio",
                        "replace it by a transcript, and keep the original for the way back"},
        [PART_VIDEO] = {F_input_video, "video",
                        "replace it by a note, and keep the original for the way back"},
        [PART_PDF] = {F_input_pdf, "document",
                      "extract its text, and keep the original for the way back"},
    };
    unsigned field = kinds[p->kind].field;
    const char *what = kinds[p->kind].what;
    switch (level(k, field)) {
    case CANDO_UNSUPPORTED:
        emit(k, CODE_capability_unsupported, no(k, field), field, p->at, kinds[p->kind].fix,
             "the target takes no %s: every later turn would fail", what);
        return;
    case CANDO_UNKNOWN:
        emit(k, CODE_probe_pending, CANDO_WARNING, field, p->at, kinds[p->kind].fix,
             "nobody knows whether the target takes this %s", what);
        break;
    default:
        break;
    }
    check_place(k, p, what);
    check_link(k, p, what);
}

/* -- tools ----------------------------------------------------------------------------- */

static bool is_spelt(const struct api_spelling *rule, struct str s)
{
    if (s.n < rule->least || (rule->most && s.n > rule->most))
        return false;
    for (size_t i = 0; !rule->any && i < s.n; i++)
        if (!char_is_alpha(s.p[i]) && !char_is_digit(s.p[i]) &&
            str_find_char(rule->marks, s.p[i]) == rule->marks.n)
            return false;
    return true;
}

/* The rule by which the target refuses this spelling, or NULL. */
static const struct api_spelling *misspelt(const struct check *k, const struct api_spelling *rule,
                                           size_t n, struct str s)
{
    for (size_t i = 0; s.n && i < n; i++, rule++) {
        if (*rule->providers && !is_at(k, rule->providers))
            continue;
        if (rule->lab.n && !str_eq(rule->lab, k->vendor))
            continue;
        return is_spelt(rule, s) ? NULL : rule;
    }
    return NULL;
}

/* Where the id of a call or result stands below its part. */
static const struct hist_at *id_place(struct check *k, const struct hist_part *p)
{
    struct hist_at *at = k->out->count_only ? NULL : arena_alloc(k->r->ar, sizeof *at);
    if (!at) {
        k->failed |= !k->out->count_only;
        return p->at;
    }
    *at = (struct hist_at){p->at, p->id_at, 0};
    return at;
}

static void check_id(struct check *k, const struct hist_part *p)
{
    const struct api_spelling *rule = misspelt(k, k->to->call_ids, k->to->n_call_ids, p->id);
    if (rule)
        emit(k, CODE_tool_call_id, CANDO_ERROR, F_tool_calling, id_place(k, p),
             "give the call and its result a new id, the same on both sides",
             "%s wants ids of %s, not '%.*s'", to_name(k), rule->wants.p,
             STR_ARG(str_head(p->id, 60)));
}

static void check_name(struct check *k, const struct hist_part *p)
{
    const struct api_spelling *rule = misspelt(k, k->to->tool_names, k->to->n_tool_names, p->name);
    if (rule)
        emit(k, CODE_tool_name, CANDO_ERROR, F_tool_calling, p->at,
             "rename the tool, in the history and in the tools",
             "%s wants tool names of up to %u letters, digits, _ and -, not '%.*s'", to_name(k),
             rule->most, STR_ARG(str_head(p->name, 60)));
}

static void check_tools_known(struct check *k, const struct hist_part *p)
{
    if (k->tools_said)
        return;
    k->tools_said = true;
    if (level(k, F_tool_calling) == CANDO_UNSUPPORTED)
        emit(k, CODE_capability_unsupported, no(k, F_tool_calling), F_tool_calling, p->at,
             "write calls and results as text",
             "the history has tool calls, and the target has no tools");
    else if (level(k, F_tool_calling) == CANDO_UNKNOWN)
        emit(k, CODE_probe_pending, CANDO_WARNING, F_tool_calling, p->at,
             "write calls and results as text",
             "the history has tool calls, and nobody knows whether the target has tools");
}

/* Some models want their own signature at the first call of each step. */
static void check_call_signature(struct check *k, const struct hist_part *p)
{
    const struct hist_turn *t = &k->h->turn[p->turn];
    const struct api *to = k->to;
    if (!to->signed_calls_from || k->major < to->signed_calls_from || !str_eq(k->vendor, to->lab))
        return;
    if (p->has_signature || p->turn < k->h->tail)
        return;
    for (uint32_t i = t->part; &k->h->part[i] != p; i++)
        if (k->h->part[i].kind == PART_CALL)
            return;
    emit(k, CODE_reasoning_missing, k->h->api == to ? CANDO_ERROR : CANDO_WARNING, F_reasoning,
         p->at, to->signed_calls_fix.p, "the target wants %s at the calls of the current turn",
         to->signed_calls_want.p);
}

static cando_severity broken_pair(const struct check *k)
{
    return k->to->pairs_unchecked ? CANDO_WARNING : refused(k);
}

static void check_call(struct check *k, const struct hist_part *p)
{
    check_tools_known(k, p);
    check_name(k, p);
    check_id(k, p);
    if (p->paired) {
        check_call_signature(k, p);
        return;
    }
    if (p->turn >= k->h->tail)
        emit(k, CODE_tool_call_unanswered, CANDO_WARNING, F_tool_calling, p->at,
             "answer it before the next request", "the call has no result yet");
    else
        emit(k, CODE_tool_call_unanswered, broken_pair(k), F_tool_calling, p->at,
             "add a result, or drop the call",
             "the conversation goes on without a result of this call");
}

static void check_result(struct check *k, const struct hist_part *p)
{
    check_tools_known(k, p);
    check_id(k, p);
    if (!p->paired)
        emit(k, CODE_tool_result_orphaned, broken_pair(k), F_tool_calling, p->at,
             "drop the result, or put its call back", "no call before this result waits for it");
    else if (p->late)
        emit(k, CODE_tool_result_orphaned, broken_pair(k), F_tool_calling, p->at,
             "move the result behind its call", "the result does not follow its call at once");
}

/* -- reasoning ------------------------------------------------------------------------- */

/* What becomes of reasoning at a target that is not a stranger. */
static cando_severity among_kin(const struct check *k, enum reasoning_kind what, bool *kept)
{
    *kept = k->kin == KIN_MODEL;
    switch (what) {
    case REASON_FIELD:
    case REASON_PLAIN:
        *kept |= k->kin == KIN_PROVIDER ||
                 (k->kin == KIN_UNKNOWN && !k->other_provider && k->to == k->h->api);
        return CANDO_WARNING;
    case REASON_ITEM:
        *kept |= k->kin == KIN_PROVIDER;
        return k->kin == KIN_LAB ? CANDO_ERROR : CANDO_WARNING;
    case REASON_SEALED:
        return k->kin == KIN_LAB ? CANDO_ERROR : CANDO_WARNING;
    case REASON_THOUGHT:
        return (k->kin == KIN_PROVIDER || k->kin == KIN_LAB) &&
                       k->major >= k->h->api->signed_calls_from
                   ? CANDO_ERROR
                   : CANDO_WARNING;
    default:
        return CANDO_WARNING;
    }
}

static void check_reasoning(struct check *k, const struct hist_part *p)
{
    static const char *const what[] = {
        [REASON_SIGNED] = "signed thinking",      [REASON_PLAIN] = "thinking",
        [REASON_FIELD] = "a reasoning field",     [REASON_DETAILS] = "reasoning_details",
        [REASON_ITEM] = "a reasoning item",       [REASON_SEALED] = "encrypted reasoning",
        [REASON_THOUGHT] = "a thought signature",
    };
    enum reasoning_kind kind = (enum reasoning_kind)p->reasoning;
    bool kept = false;
    if (kind == REASON_PLAIN && k->to->signed_by.n && str_eq(k->vendor, k->to->signed_by)) {
        emit(k, CODE_reasoning_foreign, CANDO_ERROR, F_reasoning, p->at, "drop the whole block",
             "the target refuses thinking without its signature");
        return;
    }
    bool stranger =
        k->kin == KIN_STRANGER ||
        (k->kin == KIN_UNKNOWN && k->to != &api_none &&
         (!(k->to->reasoning >> kind & 1) || (kind == REASON_PLAIN && k->to != k->h->api)));
    cando_severity severity =
        stranger ? (kind == REASON_PLAIN ? CANDO_WARNING : CANDO_ERROR) : among_kin(k, kind, &kept);
    if (kept)
        return;
    if (severity == CANDO_ERROR || stranger)
        emit(k, CODE_reasoning_foreign, severity, F_reasoning, p->at,
             "strip it, and keep the original for the way back", "%s does not cross to this target",
             what[kind]);
    else
        emit(k, CODE_reasoning_foreign, severity, F_reasoning, p->at,
             "strip it if the target refuses it",
             "%s of another model: the target may refuse or ignore it", what[kind]);
}

/* -- what only its own API knows ------------------------------------------------------- */

static void check_hosted(struct check *k, const struct hist_part *p)
{
    if (k->to == k->h->api && !k->other_provider)
        return;
    bool foreign = k->to != k->h->api && k->to != &api_none;
    emit(k, CODE_hosted_item_foreign, foreign ? CANDO_ERROR : CANDO_WARNING, p->field, p->at,
         "make text of it, or drop call and result together",
         "'%.*s' is of a tool that the provider runs, and %s", STR_ARG(str_head(p->name, 60)),
         foreign ? "no part of the target's dialect" : "nobody knows whether the target knows it");
}

static void check_state(struct check *k, const struct hist_part *p)
{
    if (k->same_provider || (!k->other_provider && k->to == k->h->api))
        return;
    emit(k, CODE_state_left_behind, refused(k), F_conversation_state, p->at,
         "send the whole content instead", "'%.*s' refers to what another provider keeps",
         STR_ARG(str_head(p->name, 60)));
}

static void check_other(struct check *k, const struct hist_part *p)
{
    if (k->to != k->h->api)
        emit(k, CODE_part_unknown, CANDO_WARNING, FIELD_COUNT, p->at, NULL,
             "nobody knows what becomes of a part of type '%.*s'", STR_ARG(str_head(p->name, 60)));
}

static void check_part(struct check *k, const struct hist_part *p)
{
    switch (p->kind) {
    case PART_CALL:
        check_call(k, p);
        break;
    case PART_RESULT:
        check_result(k, p);
        break;
    case PART_REASONING:
        check_reasoning(k, p);
        break;
    case PART_HOSTED:
        check_hosted(k, p);
        break;
    case PART_STATE:
        check_state(k, p);
        break;
    case PART_OTHER:
        check_other(k, p);
        break;
    default:
        check_media(k, p);
    }
}

/* -- turns ----------------------------------------------------------------------------- */

static void check_system(struct check *k, const struct hist_at *at)
{
    if (level(k, F_system_message) == CANDO_UNSUPPORTED)
        emit(k, CODE_capability_unsupported, no(k, F_system_message), F_system_message, at,
             "put the instructions into the first user's message",
             "the target takes no system message");
}

static void check_late_system(struct check *k, const struct hist_turn *t)
{
    const char *fix = "move it to the begin, or into a user's message";
    cando_support have = level(k, F_mid_system_message);
    if (have == CANDO_UNSUPPORTED)
        emit(k, CODE_role_unsupported, no(k, F_mid_system_message), F_mid_system_message, t->at,
             fix, "the target takes system messages only before the conversation");
    else if (have == CANDO_UNKNOWN && k->to->no_late_system)
        emit(k, CODE_role_unsupported, CANDO_ERROR, F_mid_system_message, t->at, fix,
             "%s has no place for a system message between the turns", to_name(k));
    else if (have == CANDO_UNKNOWN && (k->to->late_system_refused || k->to == &api_none))
        emit(k, CODE_role_unsupported, CANDO_WARNING, F_mid_system_message, t->at, fix,
             "most models of this API refuse a system message between the turns");
}

static void check_developer(struct check *k, const struct hist_turn *t)
{
    if (!k->to->foreign_developer || is_at(k, k->to->developer_role) || k->kin == KIN_MODEL)
        return;
    emit(k, CODE_role_unsupported, is_at(k, k->to->no_developer_role) ? CANDO_ERROR : CANDO_WARNING,
         F_system_message, t->at, "make it the role 'system'",
         "the role 'developer' is OpenAI's own");
}

static void check_role(struct check *k, const struct hist_turn *t, bool begun)
{
    switch (t->role) {
    case ROLE_SYSTEM:
    case ROLE_DEVELOPER:
        check_system(k, t->at);
        if (t->role == ROLE_DEVELOPER)
            check_developer(k, t);
        if (begun)
            check_late_system(k, t);
        break;
    case ROLE_FUNCTION:
        if (is_at(k, k->to->function_role) || (*k->to->function_role && k->kin == KIN_MODEL))
            break;
        emit(k, CODE_role_unsupported, *k->to->function_role ? CANDO_WARNING : refused(k),
             F_tool_calling, t->at, "make it a tool result with the id of its call",
             "the role 'function' is of an old API");
        break;
    case ROLE_OTHER:
        emit(k, CODE_role_unsupported, refused(k), FIELD_COUNT, t->at,
             "make it 'user' or 'assistant'", "%s has no role '%.*s'", to_name(k),
             STR_ARG(str_head(t->role_name, 60)));
        break;
    default:
        break;
    }
}

/* `before` is the turn before it, or NULL. */
static void check_order(struct check *k, const struct hist_turn *t, const struct hist_turn *before,
                        bool begun)
{
    if (!begun && t->role == ROLE_ASSISTANT && k->to->user_first)
        emit(k, CODE_structure_invalid, CANDO_ERROR, FIELD_COUNT, t->at,
             "put a user's message before it", "the first message must be a user's");
    if (t->empty && k->to->no_empty && t != &k->h->turn[k->h->n_turns - 1])
        emit(k, CODE_structure_invalid, CANDO_ERROR, FIELD_COUNT, t->at, "drop it",
             "%s refuses messages that are empty", to_name(k));
    if (k->to->answer_after_result && before && before->results && t->role == ROLE_USER &&
        !t->results)
        emit(k, CODE_structure_invalid, CANDO_ERROR, FIELD_COUNT, t->at,
             "put an assistant's message between them",
             "a user's message must not follow a tool result at once");
}

static void check_turns(struct check *k)
{
    const struct history *h = k->h;
    const struct hist_turn *before = NULL;
    bool begun = false;
    if (h->system)
        check_system(k, h->system);
    for (size_t i = 0; i < h->n_turns && !k->failed && !k->done; i++) {
        const struct hist_turn *t = &h->turn[i];
        if (t->at) {
            check_role(k, t, begun);
            check_order(k, t, before, begun);
            begun |= t->role != ROLE_SYSTEM && t->role != ROLE_DEVELOPER;
            before = t;
        }
        for (uint32_t j = t->part; j < t->part + t->n_parts && !k->failed && !k->done; j++)
            check_part(k, &h->part[j]);
    }
}

/* An assistant's text at the end is the begin of the answer in some APIs, and models without
 * prefill refuse it; elsewhere a new answer comes, unless the message says itself that it is
 * to be continued. */
static void check_prefill(struct check *k)
{
    const struct hist_turn *t = k->h->n_turns ? &k->h->turn[k->h->n_turns - 1] : NULL;
    if (!t || t->role != ROLE_ASSISTANT || !t->text || t->calls || !t->at)
        return;
    bool meant = t->prefix || k->to->continues;
    cando_support have = level(k, F_assistant_prefill);
    const char *fix = "append a user's message";
    if (have == CANDO_UNSUPPORTED)
        emit(k, CODE_capability_unsupported, meant ? no(k, F_assistant_prefill) : CANDO_WARNING,
             F_assistant_prefill, t->at, fix,
             meant ? "the history ends with an assistant's message, and the target refuses to "
                     "continue it"
                   : "the history ends with an assistant's message, and the target does not "
                     "continue it");
    else if (have == CANDO_UNKNOWN && meant)
        emit(k, CODE_probe_pending, CANDO_WARNING, F_assistant_prefill, t->at, fix,
             "the history ends with an assistant's message, and nobody knows whether the target "
             "continues it");
}

/* -- the window ------------------------------------------------------------------------ */

#define MEDIA_HIGH 200000u /* tokens of a long recording or document */
#define MEDIA_LINK 20000u  /* of one that cannot be seen */

static struct fit_range tokens_of(const struct check *k)
{
    const struct history *h = k->h;
    struct fit f = {.image_rule = k->images,
                    .text_bytes = h->text.bytes,
                    .json_bytes = h->json_bytes,
                    .turns = h->n_turns};
    cando_value tokenizer = {0};
    if (k->t->profile)
        tokenizer = profile_fact(k->t->profile, F_tokenizer).value;
    f.family = fit_family_of(str_of(tokenizer.text));
    uint64_t expected = 0, high = 0;
    for (size_t i = 0; i < h->n_parts; i++) {
        const struct hist_part *p = &h->part[i];
        if (p->kind == PART_IMAGE) {
            fit_image(&f, (const unsigned char *)(p->data.p ? p->data.p : ""), p->data.n);
        } else if (p->kind == PART_AUDIO || p->kind == PART_VIDEO || p->kind == PART_PDF) {
            uint64_t most = p->by_url || p->by_file || !p->data.n ? MEDIA_LINK
                            : p->data.n < MEDIA_HIGH              ? p->data.n
                                                                  : MEDIA_HIGH;
            expected += most < 1500 ? most : 1500;
            high += most;
        }
    }
    struct fit_range t = fit_input(&f, h->text.wide, h->text.tails, 0);
    t.expected += expected;
    t.high += high;
    return t;
}

static void check_window(struct check *k)
{
    const cando_planes *p = k->t->planes;
    static const unsigned numbers[] = {NUM_context_window, NUM_max_input};
    uint64_t limit = UINT64_MAX;
    unsigned field = F_context_window;
    for (unsigned i = 0; i < 2; i++)
        if (p->number_known >> numbers[i] & 1 && p->number[numbers[i]] < limit) {
            limit = p->number[numbers[i]];
            field = number_field(numbers[i]);
        }
    if (limit == UINT64_MAX || k->h->n_turns == 0)
        return;
    struct fit_range in = tokens_of(k);
    if (in.low > limit)
        emit(k, CODE_context_exceeded, k->to->cuts ? CANDO_WARNING : CANDO_ERROR, field, k->h->list,
             "shorten or summarize the history, or take a model with a larger window",
             "the history has at least %llu tokens (about %llu), the target takes %llu",
             (unsigned long long)in.low, (unsigned long long)in.expected,
             (unsigned long long)limit);
    else if (in.high > limit)
        emit(k, CODE_context_may_exceed, CANDO_WARNING, field, k->h->list,
             "count the tokens with the target's own tokenizer",
             "the history has about %llu tokens (up to %llu), the target takes %llu",
             (unsigned long long)in.expected, (unsigned long long)in.high,
             (unsigned long long)limit);
}

bool history_check(struct reading *r, const struct history *h, const struct hist_target *t,
                   struct hist_findings *out)
{
    struct check k = {.r = r, .h = h, .t = t, .out = out};
    if (!target_open(&k))
        return false;
    out->to = k.to == &api_none ? NULL : k.to;
    check_turns(&k);
    if (!k.done)
        check_prefill(&k);
    if (!k.done)
        check_window(&k);
    size_t all = out->count[0] + out->count[1] + out->count[2];
    if (!k.failed && !out->count_only && all > out->n) {
        if (!ARENA_GROW(r->ar, out->item, out->n, out->cap))
            return reading_memory(r);
        struct str message = str_printf(r->ar, "%zu more findings are not listed", all - out->n);
        out->item[out->n++] = (struct hist_finding){
            CODE_too_many, CANDO_WARNING, FIELD_COUNT, NULL, message, STR("fix these first")};
        k.failed = !message.p;
    }
    return !k.failed || reading_memory(r);
}
