/*
 * preflight.c - the whole verdict: which API, what fires, does it fit, and
 * what can be done about it.
 */
#include "preflight.h"

static struct scan_target scan_target_of(const cando_target *t)
{
    return (struct scan_target){&t->catalog->snap, &t->planes, t->live, t->soft, t->node, t->op, t->home, (enum fit_images)t->images,
                               (enum fit_family)t->tokenizer};
}

static bool bit_get(const uint64_t *set, uint32_t bit)
{
    return set[bit / 64] >> (bit % 64) & 1;
}

/* -- the API ----------------------------------------------------------------------- */

/* Dialects whose requests may look as OpenAI's do, with its tools and roles; */
static bool speaks_alike(struct str api)
{
    return str_is(api, "mistral-chat") || str_is(api, "ollama-chat");
}

/* and those that a list of messages and little else may be for. */
static bool speaks_messages(struct str api)
{
    return speaks_alike(api) || str_is(api, "anthropic-messages") || str_is(api, "bedrock-converse");
}

/* The first rule that fired, in the order of the file, names the API. */
static struct str shape_of(const struct scan *s, const struct snapshot *snap)
{
    uint32_t best = SNAP_NONE;
    for (uint32_t i = 0; i < s->n_found; i++)
        if (s->found[i].rule < best)
            best = s->found[i].rule;
    return best == SNAP_NONE ? STR("") : snap_str(snap, snap_req_rule(snap, best).message);
}

static uint32_t api_of(const cando_target *t, const struct scan *s)
{
    const struct snapshot *snap = &t->catalog->snap;
    struct str name = shape_of(s, snap);
    bool plain = str_is(name, "messages");
    if (plain || str_is(name, "openai-chat")) {
        struct str own = t->api == SNAP_NONE ? STR("") : snap_str(snap, snap_req_api(snap, t->api).name);
        if (plain ? speaks_messages(own) : speaks_alike(own))
            return t->api;
        name = t->neutral ? STR("allm") : STR("openai-chat");
    }
    return snapshot_req_api(snap, name);
}

/* -- errors ------------------------------------------------------------------------------ */

static cando_status not_json(const struct scan *s, struct str text, cando_error *err)
{
    size_t at = s->error_at;
    char message[200] = "";
    enum code code = s->error;
    if (code == CODE_json_syntax)
        code = scan_error(text, &at, message, sizeof message);
    else
        memcpy(message, code_text(code), strlen(code_text(code)) + 1);
    uint32_t line = 1, column = 1;
    for (size_t i = 0; i < at; i++) {
        bool end = text.p[i] == '\n';
        line += end;
        column = end ? 1 : column + (((unsigned char)text.p[i] & 0xC0) != 0x80);
    }
    error_set(err, CANDO_BAD_INPUT, code, "the request is not JSON at byte %zu: %s", at, message);
    error_at(err, STR(""), line, column);
    return CANDO_BAD_INPUT;
}

/* -- findings ------------------------------------------------------------------------------- */

static const char *text_of(const struct snapshot *s, uint32_t ref)
{
    return snap_str(s, ref).p;
}

/* What meets an edit that is there already waits for the next round: the rewrite
 * is judged again. */
static void add_edit(const cando_target *t, cando_report *out, uint32_t rule, struct str text, struct scan_place place)
{
    const struct snapshot *s = &t->catalog->snap;
    struct snap_req_rule r = snap_req_rule(s, rule);
    struct scan_place mine = rewrite_range(t, &r, text, place);
    for (uint32_t k = 0; k < out->n_edits; k++) {
        struct snap_req_rule other = snap_req_rule(s, out->edit[k]);
        struct scan_place o = rewrite_range(t, &other, text, (struct scan_place){out->edit_at[k], out->edit_end[k]});
        bool one_name = r.fix == FIX_RENAME && other.fix == FIX_RENAME && str_eq(snap_str(s, r.fix_text), snap_str(s, other.fix_text)) &&
                        locate_parent(text, place.at) == locate_parent(text, out->edit_at[k]);
        if ((mine.at < o.end && o.at < mine.end) || one_name)
            return;
    }
    if (out->n_edits == CANDO_MAX_REQUEST_FINDINGS)
        return;
    uint32_t i = out->n_edits++;
    out->edit[i] = rule;
    out->edit_at[i] = place.at;
    out->edit_end[i] = place.end;
}

static void add_finding(const cando_target *t, const struct scan_found *f, struct str text, bool lossy, cando_report *out)
{
    const struct snapshot *s = &t->catalog->snap;
    struct snap_req_rule r = snap_req_rule(s, f->rule);
    cando_fix fix = rewrite_possible(t, &r, text, f->place);
    /* a note asks for nothing: its fix waits until somebody asks for all of them */
    bool applied = (fix == CANDO_FIX_SAFE && (lossy || r.severity != CANDO_NOTE)) || (lossy && fix == CANDO_FIX_LOSSY);
    if (r.effect == REQ_SILENT) {
        if (applied)
            add_edit(t, out, f->rule, text, f->place);
        return;
    }
    cando_request_finding *g = &out->finding[out->n_findings++];
    *g = (cando_request_finding){
        .code = code_name(code_find(snap_str(s, r.code))),
        .rule = text_of(s, r.name),
        .message = text_of(s, r.message),
        .advice = text_of(s, r.advice),
        .source = text_of(s, r.source),
        .confidence = text_of(s, r.confidence),
        .severity = (cando_severity)r.severity,
        .capability = r.field < CANDO_MAX_FIELDS && s->field[r.field] < FIELD_COUNT ? s->field[r.field] : CANDO_NO_FIELD,
        .fix = fix,
        .at = f->place.at,
        .end = f->place.end,
        .number = f->rule,
    };
    if (bit_get(t->soft, f->rule) && g->severity == CANDO_ERROR)
        g->severity = CANDO_WARNING;
    if (g->message[0] == '\0')
        g->message = code_text(code_find(snap_str(s, r.code)));
    if (applied)
        add_edit(t, out, f->rule, text, f->place);
    if (g->severity == CANDO_ERROR && !applied)
        out->answer = CANDO_REQUEST_REJECT;
}

/* The last finding goes to where the text has it. */
static void sort_last(cando_report *out)
{
    uint32_t i = out->n_findings - 1;
    cando_request_finding last = out->finding[i];
    for (; i > 0 && out->finding[i - 1].at > last.at; i--)
        out->finding[i] = out->finding[i - 1];
    out->finding[i] = last;
}

/* Members that get another name must be right under that one as well: the request is read
 * again, as it will be, and what is said then and was not before is said now. */
static bool judge_renamed(const cando_target *t, struct scan *s, uint32_t api, struct str text, bool lossy, cando_report *out)
{
    for (uint32_t i = 0; i < out->n_edits && s->n_alias < SCAN_ALIASES; i++) {
        struct snap_req_rule r = snap_req_rule(s->t.s, out->edit[i]);
        struct str name = r.fix == FIX_RENAME ? snap_str(s->t.s, r.fix_text) : STR("");
        size_t key;
        if (name.n && str_find_char(name, '.') == name.n && locate_key(text, out->edit_at[i], &key))
            s->alias[s->n_alias++] = (struct scan_alias){(uint32_t)key, name};
    }
    if (s->n_alias == 0)
        return true;
    bool ok = scan_run(s, &s->t, api, text, SCAN_BEST);
    s->n_alias = 0;
    for (uint32_t i = 0; ok && i < s->n_found && out->n_findings < CANDO_MAX_REQUEST_FINDINGS; i++) {
        const struct scan_found *f = &s->found[i];
        bool said = snap_req_rule(s->t.s, f->rule).effect == REQ_SILENT;
        for (uint32_t k = 0; k < out->n_findings && !said; k++)
            said = out->finding[k].number == f->rule && out->finding[k].at == f->place.at;
        if (said)
            continue;
        add_finding(t, f, text, lossy, out);
        sort_last(out);
    }
    return ok;
}

/* A finding that no rule has made. */
static void add_own(enum code code, cando_severity severity, uint32_t capability, uint32_t at, const char *advice, cando_report *out)
{
    if (out->n_findings == CANDO_MAX_REQUEST_FINDINGS) {
        out->more++;
        return;
    }
    out->finding[out->n_findings++] = (cando_request_finding){
        .code = code_name(code),
        .rule = "",
        .message = code_text(code),
        .advice = advice,
        .source = "",
        .confidence = "",
        .severity = severity,
        .capability = capability,
        .fix = *advice ? CANDO_FIX_ADVICE : CANDO_FIX_NONE,
        .at = at,
        .end = at,
        .number = SNAP_NONE,
    };
    sort_last(out);
    if (severity == CANDO_ERROR)
        out->answer = CANDO_REQUEST_REJECT;
}

static bool number_of(const cando_target *t, unsigned number, uint64_t *out)
{
    *out = t->planes.number[number];
    return t->planes.number_known >> number & 1;
}

/* The answer that is asked for once the repairs at its place are made, now or in a later round. */
static uint64_t asked_after(const cando_target *t, const struct fit *f, bool lossy, const cando_report *out)
{
    uint64_t asked = f->output;
    for (uint32_t i = 0; i < out->n_findings; i++) {
        const cando_request_finding *g = &out->finding[i];
        if (g->at != f->output_at || g->number == SNAP_NONE || !(g->fix == CANDO_FIX_SAFE || (lossy && g->fix == CANDO_FIX_LOSSY)))
            continue;
        struct snap_req_rule r = snap_req_rule(&t->catalog->snap, g->number);
        if (r.fix == FIX_CLAMP)
            asked = (uint64_t)(int64_t)rewrite_clamped(t, &r, (double)(int64_t)asked);
        else if (r.fix == FIX_DROP)
            asked = 0;
    }
    return asked;
}

/* Where old messages are cut off instead of refused, that is worth a warning. So is a limit
 * that another source puts higher. */
static void check_fit(const cando_target *t, const struct scan *s, bool lossy, cando_report *out)
{
    const struct fit *f = &s->fit;
    struct fit_range in = fit_input(f, s->x.wide, s->x.tails, s->x.escapes);
    out->tokens_low = in.low;
    out->tokens_expected = in.expected;
    out->tokens_high = in.high;
    out->output = f->has_output ? f->output : 0;
    if (f->text_bytes + f->json_bytes + f->images == 0)
        return;
    uint64_t window, limit, asked = f->has_output ? asked_after(t, f, lossy, out) : 0;
    bool has_window = number_of(t, NUM_context_window, &window), has_input = number_of(t, NUM_max_input, &limit);
    bool cannot = (has_window && (in.low > window || in.low + asked > window)) || (has_input && in.low > limit);
    /* a file may have any size: that it may be too long is true of every one, and helps nobody */
    uint64_t high = in.high - f->media * FIT_MEDIA_HIGH;
    bool may_not = (has_window && high + asked > window) || (has_input && high > limit);
    uint32_t at = f->has_output ? f->output_at : 0;
    if (cannot)
        add_own(CODE_context_exceeded, s->cuts || t->room_contested ? CANDO_WARNING : CANDO_ERROR, F_context_window, at,
                asked ? "shorten the prompt, or ask for a shorter answer"
                      : "shorten the prompt, or take a model with a larger window",
                out);
    else if (may_not)
        add_own(CODE_context_may_exceed, CANDO_WARNING, F_context_window, at, "count the tokens with the provider's own tokenizer", out);
}

static bool told_api(const cando_target *t, const char *api, uint32_t *out, cando_error *err)
{
    const struct snapshot *s = &t->catalog->snap;
    if (t->api != SNAP_NONE && strcmp(api, snap_str(s, snap_req_api(s, t->api).name).p) == 0) {
        *out = t->api;
        return true;
    }
    *out = snapshot_req_api(s, str_of(api));
    if (*out != SNAP_NONE && strcmp(api, "shape") != 0)
        return true;
    error_set(err, CANDO_BAD_QUESTION, CODE_unknown_api, "there is no request dialect '%.60s' in this catalog", api);
    error_hint(err, "known: openai-chat, openai-responses, anthropic-messages, gemini, bedrock-converse, mistral-chat, ollama-chat, allm, "
                    "allm-image, allm-embedding, allm-moderation");
    return false;
}

cando_status cando_preflight(const cando_target *target, const char *api, const char *request, size_t len, bool lossy,
                             cando_report *out, cando_error *err)
{
    struct scan s; /* large, and for the most part never touched */
    s.t = scan_target_of(target);
    s.n_alias = 0;
    struct str text = str_make(request, len);
    uint32_t number;
    out->answer = CANDO_REQUEST_OK;
    out->n_findings = out->more = out->n_edits = 0;
    if (api) {
        if (!told_api(target, api, &number, err))
            return CANDO_BAD_QUESTION;
    } else {
        if (!scan_run(&s, &s.t, snapshot_req_api(s.t.s, STR("shape")), text, SCAN_BEST))
            return not_json(&s, text, err);
        number = api_of(target, &s);
        if (number == SNAP_NONE) {
            error_set(err, CANDO_BAD_INPUT, CODE_unknown_shape, "the request is of no known dialect");
            error_hint(err, "name the dialect");
            return CANDO_BAD_INPUT;
        }
    }
    if (!scan_run(&s, &s.t, number, text, SCAN_BEST))
        return not_json(&s, text, err);
    out->api = snap_str(s.t.s, s.d.name).p;
    out->more = s.more;
    for (uint32_t i = 0; i < s.n_found; i++)
        add_finding(target, &s.found[i], text, lossy, out);
    if (s.more_errors || (s.more_lossy && !lossy))
        out->answer = CANDO_REQUEST_REJECT;
    if (target->denied)
        add_own(CODE_denied, CANDO_ERROR, CANDO_NO_FIELD, 0, "`cando where` prints the files that are in force", out);
    if (s.events_lost)
        add_own(CODE_check_incomplete, CANDO_NOTE, CANDO_NO_FIELD, 0, "", out);
    if (out->n_edits && !judge_renamed(target, &s, number, text, lossy, out))
        return not_json(&s, text, err);
    check_fit(target, &s, lossy, out);
    if (out->answer == CANDO_REQUEST_OK && out->n_edits)
        out->answer = CANDO_REQUEST_REWRITE;
    if (out->answer == CANDO_REQUEST_REJECT)
        out->n_edits = 0;
    return CANDO_OK;
}
