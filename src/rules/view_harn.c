/*
 * view_harn.c - a profile in Harn's words.
 *
 * Where rules in Harn's own form answer, what they leave open has Harn's defaults: such a rule
 * is the whole truth of its route. Of all other profiles Harn's fields are told by ours: as
 * somebody said them, else by the fields that mean the same, else by the provider's API; what
 * nobody knows is unknown, since a default would be a guess.
 */
#include "catalog/api.h"
#include "match.h"
#include "view.h"

/* -- rules of Harn's own ------------------------------------------------------------------- */

static bool is_harn_file(const struct snapshot *s, uint32_t file)
{
    return snap_file(s, file).syntax == CANDO_SYNTAX_HARN;
}

/* Is this a matrix of Harn's, or did a rule of an override answer alone? */
static bool harn_answers(const struct view *v)
{
    const struct snapshot *s = &v->p->catalog->snap;
    for (uint32_t i = 0; i < s->sec[SEC_FILES].n; i++)
        if (is_harn_file(s, i) && snap_file(s, i).layer < CANDO_LAYER_USER)
            return true;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (!v->fact[f].set || v->fact[f].borrowed)
            continue;
        struct snap_rule r = snap_rule(s, v->fact[f].rule);
        bool alone = !(r.flags & (RULEF_EXTENDS | RULEF_DEFAULT | RULEF_PROVIDER_DEFAULT));
        if (alone && is_harn_file(s, r.file))
            return true;
    }
    return false;
}

/* Switches that are on unless a rule says otherwise. */
static bool default_on(unsigned f)
{
    static const uint8_t on[] = {F_temperature,
                                 F_top_p,
                                 F_top_k,
                                 F_seed,
                                 F_frequency_penalty,
                                 F_presence_penalty,
                                 F_stop_sequences,
                                 F_text_tool_wire_format};
    return memchr(on, (int)f, sizeof on) != NULL;
}

/* Harn concludes less than we do: a thinking mode does not switch the effort
 * parameter on. */
static bool harn_knows(const struct profile_fact *fact)
{
    return fact->value.known &&
           !(fact->derived && (fact->via == F_thinking_modes || fact->via == F_reasoning_efforts));
}

static cando_value default_text(unsigned f, const struct profile_fact *fact)
{
    if (harn_knows(fact)) {
        bool none = f == F_structured_output_transport && strcmp(fact->value.text, "none") == 0;
        return none ? view_unknown : fact->value;
    }
    if (f == F_server_parser)
        return view_word("none");
    if (f == F_serving_precision)
        return view_word("unverified");
    return f == F_message_wire_format ? view_word("openai") : view_unknown;
}

static const char *const enabled[] = {"enabled"};

static cando_value default_value(const struct view *v, unsigned f)
{
    const struct profile_fact *fact = &v->fact[f], *old = &v->fact[F_legacy_thinking];
    switch (vocab_row(f)->type) {
    case CANDO_SUPPORT:
        return view_flag(harn_knows(fact) ? view_usable(fact) : default_on(f));
    case CANDO_FLAG:
        return view_flag(harn_knows(fact) ? fact->value.flag : default_on(f));
    case CANDO_WORD:
    case CANDO_TEXT:
        return default_text(f, fact);
    case CANDO_LIST:
        if (harn_knows(fact))
            return fact->value;
        return value_list(enabled, f == F_thinking_modes && harn_knows(old) && old->value.flag);
    default:
        return harn_knows(fact) ? fact->value : view_unknown;
    }
}

/* -- all other profiles -------------------------------------------------------------------- */

/* The format in which the model is asked. */
static const struct api *api_of(const struct view *v)
{
    const struct snapshot *s = &v->p->catalog->snap;
    struct match_query q;
    if (v->p->provider == SNAP_NONE || !query_init(&q, s, v->provider, v->model))
        return &api_none;
    uint32_t number = snap_provider(s, v->p->provider).api;
    const struct api *a =
        number == SNAP_NONE ? NULL : api_find(snap_str(s, snap_api(s, number).name));
    query_parse(&q);
    for (size_t i = 0; a && i < a->n_instead; i++)
        if (str_eq(a->instead[i].lab, q.mid.vendor))
            return a->instead[i].api;
    return a ? a : &api_none;
}

static cando_value word_or_unknown(struct str text)
{
    return text.n ? view_word(text.p) : view_unknown;
}

/* A support field says the same or the opposite. */
static cando_value same_as(const struct view *v, unsigned f)
{
    return view_bool(&v->fact[f]);
}

static cando_value opposite_of(const struct view *v, unsigned f)
{
    const struct profile_fact *fact = &v->fact[f];
    return fact->value.known ? view_flag(view_denied(fact)) : view_unknown;
}

/* How a schema is enforced, where it is known that it is. */
static cando_value schema_transport(const struct view *v, const struct api *api)
{
    const struct profile_fact *fact = &v->fact[F_structured_output];
    if (view_denied(fact))
        return view_word("none");
    if (!fact->value.known || fact->value.support == CANDO_EMULATED)
        return view_unknown;
    return api->schema_wire.n ? view_word(api->schema_wire.p) : view_word("native");
}

/* In the order of the vocabulary. */
static cando_value thinking_modes(const struct view *v, struct arena *ar)
{
    static const struct {
        const char *word;
        uint8_t field;
    } modes[] = {{"enabled", F_thinking_budget},
                 {"adaptive", F_adaptive_thinking},
                 {"effort", F_reasoning_effort}};
    const char **item = arena_array(ar, 3, sizeof *item);
    uint32_t n = 0;
    if (!item || view_denied(&v->fact[F_reasoning]))
        return value_list(item, 0);
    if (v->fact[F_thinking_modes].value.known)
        return v->fact[F_thinking_modes].value;
    const cando_value *old = &v->fact[F_legacy_thinking].value;
    for (size_t i = 0; i < 3; i++)
        if (view_usable(&v->fact[modes[i].field]) || (i == 0 && old->known && old->flag))
            item[n++] = modes[i].word;
    return n ? value_list(item, n) : view_unknown;
}

static cando_value legacy_thinking(const struct view *v, struct arena *ar)
{
    cando_value modes = thinking_modes(v, ar);
    return modes.known ? view_flag(value_has(&modes, STR("enabled"))) : view_unknown;
}

static cando_value effort_levels(const struct view *v)
{
    bool none = view_denied(&v->fact[F_reasoning_effort]) || view_denied(&v->fact[F_reasoning]);
    return none ? value_list(enabled, 0) : view_unknown;
}

static cando_value completion_tokens(const struct view *v)
{
    const cando_value *param = &v->fact[F_token_limit_param].value;
    if (!param->known)
        return view_unknown;
    return view_flag(strcmp(param->text, "max-completion-tokens") == 0);
}

/* What others tell of a field that nobody set. */
static cando_value told_value(const struct view *v, struct arena *ar, unsigned f)
{
    const cando_value *efforts = &v->fact[F_reasoning_efforts].value;
    const struct api *api = api_of(v);
    switch (f) {
    case F_message_wire_format:
        return word_or_unknown(api->message_wire);
    case F_native_tool_wire_format:
        return view_denied(&v->fact[F_tool_calling]) ? view_unknown
                                                     : word_or_unknown(api->tool_wire);
    case F_structured_output_transport:
        return schema_transport(v, api);
    case F_image_blocks:
        return same_as(v, F_input_image);
    case F_image_urls:
        return view_denied(&v->fact[F_input_image]) || api->no_links ? view_flag(false)
                                                                     : view_unknown;
    case F_requires_completion_tokens:
        return completion_tokens(v);
    case F_thinking_modes:
        return thinking_modes(v, ar);
    case F_legacy_thinking:
        return legacy_thinking(v, ar);
    case F_reasoning_efforts:
        return effort_levels(v);
    case F_reasoning_none:
        return efforts->known ? view_flag(value_has(efforts, STR("none"))) : view_unknown;
    case F_chat_completions_unsupported:
        return opposite_of(v, F_chat_completions);
    case F_serving_precision:
        return view_word("unverified");
    default:
        return view_unknown;
    }
}

static cando_value own_value(const struct view *v, struct arena *ar, unsigned f)
{
    const struct profile_fact *fact = &v->fact[f];
    if (!fact->value.known || f == F_thinking_modes)
        return told_value(v, ar, f);
    return fact->value.type == CANDO_SUPPORT ? view_bool(fact) : fact->value;
}

/* -- both ---------------------------------------------------------------------------------- */

static cando_value inline_reasoning(const struct view *v, bool defaults)
{
    const cando_value *style = &v->fact[F_thinking_block_style].value;
    if (!style->known && !defaults)
        return view_unknown;
    return view_flag(style->known && strcmp(style->text, "inline") == 0);
}

/* A field has as many places as it has names. */
bool view_harn(struct view *v, struct arena *ar)
{
    bool defaults = harn_answers(v);
    size_t cap = 0;
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *at = vocab_row(f)->names;
        struct str name;
        while (words_next(&at, &name)) {
            if (!str_starts(name, STR("harn:")))
                continue;
            struct str own = str_dup(ar, str_from(name, 5));
            if (!own.p || !ARENA_GROW(ar, v->field, v->n, cap))
                return false;
            view_put(v, own.p, f, defaults ? default_value(v, f) : own_value(v, ar, f));
        }
    }
    if (!ARENA_GROW(ar, v->field, v->n, cap))
        return false;
    view_put(v, "emits_inline_reasoning", CANDO_NO_FIELD, inline_reasoning(v, defaults));
    return !ar->failed;
}
