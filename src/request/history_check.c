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
    enum hist_api to;
    enum kinship kin;
    bool same_provider;  /* told, and the same */
    bool other_provider; /* told, and another */
    bool tools_said;
    bool done; /* nothing more is to be found: an error was, and only that was asked for */
    bool failed;
    struct str vendor;
    uint32_t major; /* of the target's version, 0: unknown */
    enum fit_images images;
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

/* A no that was merely inferred from the family only warns. */
static cando_severity no(const struct check *k, unsigned field)
{
    bool inferred =
        k->t->profile &&
        strcmp(cando_profile_why(k->t->profile, (cando_field)field).evidence, "inferred") == 0;
    return inferred ? CANDO_WARNING : CANDO_ERROR;
}

static cando_support level(const struct check *k, unsigned field)
{
    return planes_level(k->t->planes, plane_slot(field));
}

/* What the target's format refuses is an error only where the format is known. */
static cando_severity refused(const struct check *k)
{
    return k->to == HIST_NO_API ? CANDO_WARNING : CANDO_ERROR;
}

static const char *to_name(const struct check *k)
{
    return k->to == HIST_NO_API ? "the target" : hist_api_name(k->to);
}

/* -- the target ------------------------------------------------------------------------ */

static bool provider_is(const struct check *k, const char *name)
{
    const struct snapshot *s = &k->t->cat->snap;
    return k->q.provider != SNAP_NONE &&
           str_is(snap_str(s, snap_provider(s, k->q.provider).id), name);
}

static bool at_openai(const struct check *k)
{
    return provider_is(k, "openai") || provider_is(k, "azure");
}

/* The lab that alone speaks an API. */
static struct str lab_of_api(enum hist_api d)
{
    switch (d) {
    case HIST_ANTHROPIC:
    case HIST_BEDROCK: /* only Claude signs its reasoning there */
        return STR("anthropic");
    case HIST_RESPONSES:
        return STR("openai");
    case HIST_GEMINI:
        return STR("google");
    case HIST_MISTRAL:
        return STR("mistral");
    default:
        return STR("");
    }
}

static enum kinship kinship_of(struct check *k)
{
    const struct hist_target *t = k->t;
    struct str lab = lab_of_api(k->h->api);
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
 * some speak two: Claude models on a Google cloud, and the Responses API beside Chat
 * Completions, which a conversation that came through it will go on with. */
static enum hist_api api_of(const struct check *k)
{
    enum hist_api d = hist_api_of(k->t->cat, k->t->provider);
    if (d == HIST_GEMINI && str_is(k->vendor, "anthropic"))
        return HIST_ANTHROPIC;
    bool responses =
        k->same_provider || at_openai(k) || level(k, F_responses_api) > CANDO_UNSUPPORTED;
    return d == HIST_OPENAI_CHAT && k->h->api == HIST_RESPONSES && responses ? HIST_RESPONSES : d;
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
    k->images = fit_images_of(k->vendor, k->q.base);
    k->kin = kinship_of(k);
    k->to = api_of(k);
    return true;
}

/* -- media ----------------------------------------------------------------------------- */

static void check_place(struct check *k, const struct hist_part *p, const char *what)
{
    bool text_results = k->to == HIST_OPENAI_CHAT || k->to == HIST_MISTRAL ||
                        k->to == HIST_OLLAMA ||
                        (k->to == HIST_GEMINI && k->major > 0 && k->major < 3);
    if (p->in_result && text_results)
        emit(k, CODE_media_misplaced, CANDO_WARNING, FIELD_COUNT, p->at,
             "move it to a user's message, or describe it",
             "tool results are text only in %s: the %s is lost", to_name(k), what);
    else if (!p->in_result && k->h->turn[p->turn].role == ROLE_ASSISTANT && k->to != HIST_GEMINI &&
             k->to != HIST_NO_API)
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
    else if (k->to == HIST_BEDROCK || k->to == HIST_OLLAMA || k->to == HIST_GEMINI)
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

static bool made_of(struct str s, const char *more, size_t most)
{
    for (size_t i = 0; i < s.n; i++)
        if (!char_is_alpha(s.p[i]) && !char_is_digit(s.p[i]) &&
            (s.p[i] == '\0' || !strchr(more, s.p[i])))
            return false;
    return s.n <= most;
}

/* What the target's format wants of an id that it refuses, or NULL. */
static const char *id_refused(const struct check *k, struct str id)
{
    bool nine = k->to == HIST_MISTRAL || (k->to == HIST_BEDROCK && str_is(k->vendor, "mistral"));
    if (nine)
        return id.n == 9 && made_of(id, "", 9) ? NULL : "9 letters and digits";
    if (k->to == HIST_ANTHROPIC)
        return made_of(id, "_-", SIZE_MAX) ? NULL : "letters, digits, _ and -";
    if (k->to == HIST_BEDROCK)
        return made_of(id, "_-", 64) ? NULL : "up to 64 letters, digits, _ and -";
    if (k->to == HIST_OPENAI_CHAT && at_openai(k))
        return id.n <= 40 ? NULL : "at most 40 characters";
    if (k->to == HIST_RESPONSES && at_openai(k))
        return id.n <= 64 ? NULL : "at most 64 characters";
    return NULL;
}

/* Where the id of a call or result stands below its part. */
static const struct hist_at *id_place(struct check *k, const struct hist_part *p)
{
    static const char *const keys[HIST_APIS][2] = {
        [HIST_OPENAI_CHAT] = {"id", "tool_call_id"},
        [HIST_RESPONSES] = {"call_id", "call_id"},
        [HIST_ANTHROPIC] = {"id", "tool_use_id"},
        [HIST_GEMINI] = {"functionCall/id", "functionResponse/id"},
        [HIST_BEDROCK] = {"toolUse/toolUseId", "toolResult/toolUseId"},
        [HIST_MISTRAL] = {"id", "tool_call_id"},
        [HIST_OLLAMA] = {"id", "tool_call_id"},
    };
    struct hist_at *at = k->out->count_only ? NULL : arena_alloc(k->r->ar, sizeof *at);
    if (!at) {
        k->failed |= !k->out->count_only;
        return p->at;
    }
    *at = (struct hist_at){p->at, keys[k->h->api][p->kind == PART_RESULT], 0};
    return at;
}

static void check_id(struct check *k, const struct hist_part *p)
{
    const char *want = p->id.n ? id_refused(k, p->id) : NULL;
    if (want)
        emit(k, CODE_tool_call_id, CANDO_ERROR, F_tool_calling, id_place(k, p),
             "give the call and its result a new id, the same on both sides",
             "%s wants ids of %s, not '%.*s'", to_name(k), want, STR_ARG(str_head(p->id, 60)));
}

static void check_name(struct check *k, const struct hist_part *p)
{
    bool plain = k->to == HIST_ANTHROPIC || k->to == HIST_BEDROCK ||
                 (at_openai(k) && (k->to == HIST_OPENAI_CHAT || k->to == HIST_RESPONSES));
    size_t most = k->to == HIST_ANTHROPIC || k->to == HIST_RESPONSES ? 128 : 64;
    if (plain && p->name.n && !made_of(p->name, "_-", most))
        emit(k, CODE_tool_name, CANDO_ERROR, F_tool_calling, p->at,
             "rename the tool, in the history and in the tools",
             "%s wants tool names of up to %u letters, digits, _ and -, not '%.*s'", to_name(k),
             (unsigned)most, STR_ARG(str_head(p->name, 60)));
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

/* Gemini 3 and later want their own signature at the first call of each step. */
static void check_call_signature(struct check *k, const struct hist_part *p)
{
    const struct hist_turn *t = &k->h->turn[p->turn];
    if (k->to != HIST_GEMINI || !str_is(k->vendor, "google") || k->major < 3 || p->has_signature ||
        p->turn < k->h->tail)
        return;
    for (uint32_t i = t->part; &k->h->part[i] != p; i++)
        if (k->h->part[i].kind == PART_CALL)
            return;
    emit(k, CODE_reasoning_missing, k->h->api == HIST_GEMINI ? CANDO_ERROR : CANDO_WARNING,
         F_reasoning, p->at, "set thoughtSignature to \"skip_thought_signature_validator\"",
         "the target wants a thoughtSignature at the calls of the current turn");
}

/* Ollama does not look; the others refuse. */
static cando_severity broken_pair(const struct check *k)
{
    return k->to == HIST_OLLAMA ? CANDO_WARNING : refused(k);
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

/* Is there a place for this kind of reasoning in the target's format? */
static bool has_place(const struct check *k, enum hist_reasoning what)
{
    switch (what) {
    case REASON_SIGNED:
        return k->to == HIST_ANTHROPIC || k->to == HIST_BEDROCK;
    case REASON_FIELD:
    case REASON_DETAILS:
        return k->to == HIST_OPENAI_CHAT || k->to == HIST_OLLAMA;
    case REASON_ITEM:
    case REASON_SEALED:
        return k->to == HIST_RESPONSES;
    case REASON_THOUGHT:
        return k->to == HIST_GEMINI;
    default:
        return true;
    }
}

/* What becomes of reasoning at a target that is not a stranger. */
static cando_severity among_kin(const struct check *k, enum hist_reasoning what, bool *kept)
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
        return (k->kin == KIN_PROVIDER || k->kin == KIN_LAB) && k->major >= 3 ? CANDO_ERROR
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
    enum hist_reasoning kind = (enum hist_reasoning)p->reasoning;
    bool kept = false, claude = str_is(k->vendor, "anthropic") &&
                                (k->to == HIST_ANTHROPIC || k->to == HIST_BEDROCK);
    if (kind == REASON_PLAIN && claude) {
        emit(k, CODE_reasoning_foreign, CANDO_ERROR, F_reasoning, p->at, "drop the whole block",
             "the target refuses thinking without its signature");
        return;
    }
    bool stranger = k->kin == KIN_STRANGER ||
                    (k->kin == KIN_UNKNOWN && k->to != HIST_NO_API &&
                     (!has_place(k, kind) || (kind == REASON_PLAIN && k->to != k->h->api)));
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
    bool foreign = k->to != k->h->api && k->to != HIST_NO_API;
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
    else if (have == CANDO_UNKNOWN && k->to == HIST_GEMINI)
        emit(k, CODE_role_unsupported, CANDO_ERROR, F_mid_system_message, t->at, fix,
             "gemini has no place for a system message between the turns");
    else if (have == CANDO_UNKNOWN &&
             (k->to == HIST_ANTHROPIC || k->to == HIST_BEDROCK || k->to == HIST_NO_API))
        emit(k, CODE_role_unsupported, CANDO_WARNING, F_mid_system_message, t->at, fix,
             "most models of this API refuse a system message between the turns");
}

static void check_developer(struct check *k, const struct hist_turn *t)
{
    static const char *const refuse[] = {"deepseek", "alibaba", "alibaba-cn", "zai", "zhipuai"};
    if (k->to != HIST_OPENAI_CHAT && k->to != HIST_MISTRAL && k->to != HIST_OLLAMA)
        return;
    if (at_openai(k) || provider_is(k, "openrouter") || k->kin == KIN_MODEL)
        return;
    cando_severity severity = k->to == HIST_MISTRAL ? CANDO_ERROR : CANDO_WARNING;
    for (size_t i = 0; i < sizeof refuse / sizeof *refuse; i++)
        if (provider_is(k, refuse[i]))
            severity = CANDO_ERROR;
    emit(k, CODE_role_unsupported, severity, F_system_message, t->at, "make it the role 'system'",
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
        if (k->to == HIST_OPENAI_CHAT && (at_openai(k) || k->kin == KIN_MODEL))
            break;
        emit(k, CODE_role_unsupported, k->to == HIST_OPENAI_CHAT ? CANDO_WARNING : refused(k),
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
    bool strict = k->to == HIST_ANTHROPIC || k->to == HIST_BEDROCK;
    if (!begun && t->role == ROLE_ASSISTANT && strict)
        emit(k, CODE_structure_invalid, CANDO_ERROR, FIELD_COUNT, t->at,
             "put a user's message before it", "the first message must be a user's");
    if (t->empty && (strict || k->to == HIST_GEMINI) && t != &k->h->turn[k->h->n_turns - 1])
        emit(k, CODE_structure_invalid, CANDO_ERROR, FIELD_COUNT, t->at, "drop it",
             "%s refuses messages that are empty", to_name(k));
    if (k->to == HIST_MISTRAL && before && before->results && t->role == ROLE_USER && !t->results)
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

/* An assistant's text at the end is the begin of the answer. Claude models without
 * prefill refuse it; elsewhere a new answer comes, unless the message says itself
 * that it is to be continued. */
static void check_prefill(struct check *k)
{
    const struct hist_turn *t = k->h->n_turns ? &k->h->turn[k->h->n_turns - 1] : NULL;
    if (!t || t->role != ROLE_ASSISTANT || !t->text || t->calls || !t->at)
        return;
    bool meant = t->prefix || k->to == HIST_ANTHROPIC || k->to == HIST_BEDROCK;
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

/* -- the window
 * -----------------------------------------------------------------------------------------------------
 */

#define MEDIA_HIGH 200000u /* tokens of a long recording or document */
#define MEDIA_LINK 20000u  /* of one that cannot be seen */

static struct fit_range tokens_of(const struct check *k)
{
    const struct history *h = k->h;
    struct fit f = {.image_rule = k->images,
                    .text_bytes = h->text_bytes,
                    .json_bytes = h->json_bytes,
                    .turns = h->n_turns};
    cando_value tokenizer = {0};
    if (k->t->profile)
        tokenizer = profile_fact(k->t->profile, F_tokenizer).value;
    f.family =
        tokenizer.known && tokenizer.text ? fit_family_of(str_of(tokenizer.text)) : FIT_OTHER;
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
    struct fit_range t = fit_input(&f, h->wide, h->tails, 0);
    t.expected += expected;
    t.high += high;
    return t;
}

/* Ollama cuts what is too long, and says nothing. */
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
        emit(k, CODE_context_exceeded, k->to == HIST_OLLAMA ? CANDO_WARNING : CANDO_ERROR, field,
             k->h->list, "shorten or summarize the history, or take a model with a larger window",
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
