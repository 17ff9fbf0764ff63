/*
 * preflight.c - the whole verdict: which API, what fires, does it fit, and
 * what can be done about it.
 */
#include "asked.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "catalog/api.h"
#include "catalog/engine.h"

/* -- the API ----------------------------------------------------------------------- */

/* The first rule that fired, in the order of the file, names the API. */
static struct scan_told shape_of(const struct scan *s)
{
    const struct scan_found *best = NULL;
    for (uint32_t i = 0; i < s->n_found; i++)
        if (!best || s->found[i].rule < best->rule)
            best = &s->found[i];
    if (!best)
        return (struct scan_told){.shape = STR("")};
    return (struct scan_told){snap_str(s->t.s, snap_req_rule(s->t.s, best->rule).message),
                              best->place.at};
}

uint32_t preflight_api_at(const struct snapshot *snap, struct str shape, struct str own,
                          bool neutral)
{
    bool plain = str_is(shape, "messages");
    if (plain || str_is(shape, API_PLAIN)) {
        const struct api *at = api_find(own);
        if (at && (plain ? at->plain_too : at->plain_tools_too))
            return snapshot_req_api(snap, own);
        shape = neutral ? STR(API_NEUTRAL) : STR(API_PLAIN);
    }
    return snapshot_req_api(snap, shape);
}

/* -- errors ------------------------------------------------------------------------------ */

/* [1,] or {"a":1,} */
static bool is_comma_too_many(struct str text, size_t at)
{
    if (at >= text.n || (text.p[at] != '}' && text.p[at] != ']'))
        return false;
    while (at && strchr(" \t\r\n", text.p[at - 1]))
        at--;
    return at && text.p[at - 1] == ',';
}

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
    if (text.n == 0)
        error_hint(err, "it is empty");
    else if (is_comma_too_many(text, at))
        error_hint(err, "take the comma before it away");
    return CANDO_BAD_INPUT;
}

/* -- reading ---------------------------------------------------------------------------------- */

/* Is the API of this target the one that is told, with peculiarities of its own? */
static bool is_like(const cando_target *t, const char *api)
{
    const struct api *own = api_find(str_of(t->api_name));
    return own && own->like && str_is(own->like->name, api);
}

static bool told_api(const cando_target *t, const char *api, uint32_t *out, cando_error *err)
{
    const struct snapshot *s = &t->catalog->snap;
    if ((strcmp(api, t->api_name) == 0 && *api) || is_like(t, api)) {
        *out = t->api;
        return true;
    }
    *out = snapshot_req_api(s, str_of(api));
    if (*out != SNAP_NONE && strcmp(api, "shape") != 0)
        return true;
    error_set(err, CANDO_BAD_QUESTION, CODE_unknown_api,
              "there is no request dialect '%.60s' in this catalog", api);
    error_hint(err, "known: " API_REQUEST_LIST);
    return false;
}

static void begin(struct scan *s, const cando_target *t, uint32_t api,
                  const struct scan_beside *beside)
{
    s->t = *target_scan(t, api);
    s->n_alias = 0;
    s->beside = beside;
}

/* By the few members that tell the APIs apart. */
static bool scan_shape_of(const cando_target *t, struct scan *s, struct str text)
{
    begin(s, t, t->shape, NULL);
    return scan_run(s, &s->t, t->shape, text, SCAN_BEST);
}

static cando_status find_api(const cando_target *t, struct scan *s, struct str text, uint32_t *out,
                             cando_error *err)
{
    if (!scan_shape_of(t, s, text))
        return not_json(s, text, err);
    s->told = shape_of(s);
    *out = preflight_api_at(s->t.s, s->told.shape, str_of(t->api_name), t->neutral);
    if (*out != SNAP_NONE)
        return CANDO_OK;
    if (s->told.shape.n) {
        error_set(err, CANDO_BAD_INPUT, CODE_unknown_shape,
                  "this is a request of another API, %.*s, which is not checked",
                  STR_ARG(s->told.shape));
        error_hint(err, "conversations are: a list of `messages`, at the API for them");
        return CANDO_BAD_INPUT;
    }
    error_set(err, CANDO_BAD_INPUT, CODE_unknown_shape, "the request is of no known dialect");
    error_hint(err, "name its dialect, such as openai-chat or anthropic-messages; a reply is no "
                    "request");
    return CANDO_BAD_INPUT;
}

cando_status preflight_scan(const cando_target *t, struct scan *s, struct scan *shape, bool once,
                            const char *api, struct str text, const struct scan_beside *beside,
                            cando_error *err)
{
    uint32_t number;
    if (api && !told_api(t, api, &number, err))
        return CANDO_BAD_QUESTION;
    cando_status st = api ? CANDO_OK : find_api(t, shape, text, &number, err);
    if (st != CANDO_OK)
        return st;
    if (!api)
        scan_take_marks(s, shape);
    begin(s, t, number, beside);
    s->t.once = once;
    return scan_run(s, &s->t, number, text, SCAN_BEST) ? CANDO_OK : not_json(s, text, err);
}

/* The scan of a report, which a rewrite may have taken the memory of. */
static struct scan *scan_of(cando_report *r)
{
    struct scan *s = &r->work.scan;
    if (!r->scanned) {
        s->kept_of = 0;
        s->marked = false;
    }
    r->scanned = true;
    return s;
}

/* That by which it is found whose API a request is of. */
static struct scan *shape_scan(cando_report *r)
{
    if (!r->shaped) {
        r->shape.kept_of = 0;
        r->shape.marked = false;
    }
    r->shaped = true;
    return &r->shape;
}

const struct scan_index *report_mark(cando_report *r, struct str text)
{
    struct scan *s = scan_of(r);
    return scan_mark(s, text) ? &s->x : NULL;
}

void report_unmark(cando_report *r)
{
    if (r->scanned)
        r->work.scan.marked = false;
}

cando_status preflight_api(const cando_target *t, cando_report *work, struct str text,
                           struct str *out, cando_error *err)
{
    struct scan *s = shape_scan(work);
    uint32_t number;
    cando_status st = find_api(t, s, text, &number, err);
    if (st == CANDO_OK)
        *out = snap_str(s->t.s, snap_req_api(s->t.s, number).name);
    return st;
}

bool preflight_shape(const cando_target *t, cando_report *work, struct str text, struct str *out)
{
    struct scan *s = shape_scan(work);
    bool sound = scan_shape_of(t, s, text);
    *out = sound ? shape_of(s).shape : STR("");
    return sound;
}

bool preflight_try(void *memory, const cando_catalog *cat, cando_report *work, uint32_t api,
                   struct str text, struct scan_trial *out)
{
    const struct snapshot *snap = &cat->snap;
    struct scan *s = scan_of(work);
    struct snap_req_api d = snap_req_api(snap, api);
    s->t = *target_scan(target_init_any(memory, cat, api), api);
    s->t.trial = out;
    s->n_alias = 0;
    s->beside = NULL;
    out->sets = 0;
    for (unsigned i = 0; i < CANDO_MAX_NUMBERS; i++)
        out->most[i] = -1;
    if (!scan_run(s, &s->t, api, text, SCAN_BEST))
        return false;
    for (uint32_t i = d.rules; i < d.rules + d.n_rules; i++) {
        struct snap_req_rule room;
        const struct snap_req_rule *r = snap_peek_req_rule(snap, i, &room);
        /* what a check says depends on who logs events; what was lost may be anything */
        if (r->effect == REQ_ADJUST || r->effect == REQ_EVENT || r->check != CHECK_NONE ||
            r->flags & REQF_COMPARES || s->events_lost)
            bit_put(out->fired, i);
    }
    return true;
}

/* -- findings ------------------------------------------------------------------------------- */

/* What meets an edit that is there already waits for the next round: the rewrite
 * is judged again. */
static void add_edit(cando_report *out, uint32_t rule, struct scan_place place)
{
    const cando_target *t = out->target;
    struct snap_req_rule r = target_rule(t, rule);
    for (uint32_t k = 0; k < out->n_edits; k++) {
        struct snap_req_rule other = target_rule(t, out->edit[k].rule);
        if (rewrite_meets(t, out->text, &r, place, &other, out->edit[k].place))
            return;
    }
    out->edited = true;
    if (out->n_edits < LIMIT_REQUEST_FINDINGS)
        out->edit[out->n_edits++] = (struct report_edit){rule, place};
}

static cando_severity severity_of(const cando_target *t, uint32_t rule)
{
    cando_severity said = (cando_severity)target_rule(t, rule).severity;
    bool only_warns = !is_shape_rule(rule) && bit_get_shared(t->only_warns, rule);
    return only_warns && said == CANDO_ERROR ? CANDO_WARNING : said;
}

/* What a shape finds where a rule has found something goes without saying. */
static bool is_overruled(const cando_report *out, const struct scan *s, const struct scan_found *f)
{
    bool group = f->wrong == WRONG_REQUIRED && f->bit >= SHAPE_GROUP && f->bit < SHAPE_CHOICE;
    for (uint32_t i = 0; i < s->n_found; i++) {
        const struct scan_found *g = &s->found[i];
        /* one of several is missing, and a rule refuses what is there instead */
        if (group && g->rule != SNAP_NONE && g->place.at > f->place.at &&
            g->place.at < f->place.end && target_rule(out->target, g->rule).fix == FIX_NONE)
            return true;
        if (g->rule == SNAP_NONE || g->place.at != f->place.at)
            continue;
        struct snap_req_rule r = target_rule(out->target, g->rule);
        if (f->wrong != WRONG_REQUIRED && f->wrong != WRONG_ONE)
            return severity_of(out->target, g->rule) >= f->severity || r.effect == REQ_SILENT ||
                   r.fix != FIX_NONE;
        if (code_find(snap_str(&out->target->catalog->snap, r.code)) == CODE_parameter_required)
            return true;
    }
    return false;
}

static enum code code_of(const cando_report *out, uint32_t rule)
{
    return code_find(snap_str(&out->target->catalog->snap, target_rule(out->target, rule).code));
}

static bool is_of_value(enum code code)
{
    return code == CODE_value_unsupported || code == CODE_value_out_of_range ||
           code == CODE_limit_exceeded;
}

/* Which values there are is of no interest where the member itself is refused, as loudly. */
static bool is_moot(const cando_report *out, const struct scan *s, const struct scan_found *f)
{
    const cando_target *t = out->target;
    if (s->n_found == 1 || !is_of_value(code_of(out, f->rule)))
        return false;
    for (uint32_t i = 0; i < s->n_found; i++) {
        const struct scan_found *g = &s->found[i];
        if (g->rule == SNAP_NONE || g->place.at != f->place.at ||
            code_of(out, g->rule) != CODE_parameter_unsupported)
            continue;
        struct snap_req_rule r = target_rule(t, g->rule);
        if (r.effect != REQ_SILENT && r.fix == FIX_DROP &&
            severity_of(t, g->rule) >= severity_of(t, f->rule))
            return true;
    }
    return false;
}

/* What `uses` says in general goes without saying where another rule says as loudly what is wrong
 * with this very value. */
static bool is_said_better(const cando_report *out, const struct scan *s,
                           const struct scan_found *f)
{
    const cando_target *t = out->target;
    if (!(target_rule(t, f->rule).flags & REQF_GENERAL))
        return false;
    bool refused = code_of(out, f->rule) == CODE_parameter_unsupported;
    for (uint32_t i = 0; i < s->n_found; i++) {
        const struct scan_found *g = &s->found[i];
        if (g->rule == SNAP_NONE || g->place.at != f->place.at)
            continue;
        struct snap_req_rule r = target_rule(t, g->rule);
        if (!(r.flags & REQF_GENERAL) && r.effect != REQ_SILENT &&
            severity_of(t, g->rule) >= severity_of(t, f->rule) &&
            !(refused && is_of_value(code_of(out, g->rule))))
            return true;
    }
    return false;
}

/* A rule that knows a repair speaks for a shape that found the same value wrong, and as loudly. */
static cando_severity said_louder(const struct scan *s, const struct scan_found *f,
                                  cando_severity own)
{
    for (uint32_t i = 0; i < s->n_found; i++) {
        const struct scan_found *g = &s->found[i];
        if (g->rule == SNAP_NONE && g->place.at == f->place.at && g->wrong != WRONG_REQUIRED &&
            g->wrong != WRONG_ONE && g->severity > own)
            own = (cando_severity)g->severity;
    }
    return own;
}

static bool is_unknown_member(const struct scan *s, uint32_t at)
{
    for (uint32_t i = 0; i < s->n_found; i++)
        if (s->found[i].rule == SNAP_NONE && s->found[i].wrong == WRONG_UNKNOWN &&
            s->found[i].place.at == at)
            return true;
    return false;
}

/* Has the object of an unknown member no others? Without them all it would be empty, which is
 * another mistake. */
static bool leaves_nothing(const cando_report *out, const struct scan_found *f)
{
    size_t at = locate_parent(out->text, f->place.at) + 1;
    struct str key;
    struct scan_place value;
    while (locate_next(out->text, &at, &key, &value))
        if (!is_unknown_member(&out->work.scan, value.at))
            return false;
    return true;
}

void report_allow(cando_report *out, enum code code)
{
    bit_put(out->allow, code);
}

/* Whatever it loses, and be it only a note's. */
static bool is_allowed(const cando_report *out, enum code code)
{
    return out->lossy || (code < CODE_COUNT && bit_get(out->allow, code));
}

static void add_finding(cando_report *out, const struct scan_found *found)
{
    const cando_target *t = out->target;
    struct scan_found f = *found;
    uint32_t rule = found_rule(&f);
    struct snap_req_rule r = target_rule(t, rule);
    bool shape = is_shape_rule(rule);
    enum code code = shape ? scan_shape_code(f.wrong) : code_of(out, rule);
    if (shape) {
        r.severity = f.severity;
        f.place.end = (uint32_t)locate_end(out->text, f.place.at);
    }
    cando_fix fix = rewrite_possible(t, &r, out->text, f.place);
    if (shape && f.wrong == WRONG_UNKNOWN && leaves_nothing(out, &f))
        fix = CANDO_FIX_NONE;
    /* a note asks for nothing: its fix waits until somebody asks for all of them */
    bool applied = fix == CANDO_FIX_SAFE && r.severity != CANDO_NOTE;
    if (fix == CANDO_FIX_LOSSY || (fix == CANDO_FIX_SAFE && !applied))
        applied = is_allowed(out, code);
    if (applied)
        add_edit(out, rule, f.place);
    if (r.effect == REQ_SILENT)
        return;
    out->finding[out->n_findings++] = (struct report_finding){
        .rule = rule,
        .code = code,
        .severity = shape               ? (cando_severity)r.severity
                    : r.fix == FIX_NONE ? severity_of(t, rule)
                                        : said_louder(&out->work.scan, &f, severity_of(t, rule)),
        .fix = fix,
        .applied = applied,
        .at = f.place.at,
        .end = f.place.end,
        .other = shape ? UINT32_MAX : f.other.at,
        .wrong = f.wrong,
        .member = f.member,
        .object = f.object,
        .bit = f.bit,
    };
}

/* The last finding goes to where the text has it. */
static void sort_last(cando_report *out)
{
    uint32_t i = out->n_findings - 1;
    struct report_finding last = out->finding[i];
    for (; i > 0 && out->finding[i - 1].at > last.at; i--)
        out->finding[i] = out->finding[i - 1];
    out->finding[i] = last;
}

/* Was this said already? Silent rules say nothing. */
static bool is_said(const cando_report *out, const struct scan_found *f)
{
    uint32_t rule = found_rule(f);
    if (target_rule(out->target, rule).effect == REQ_SILENT)
        return true;
    for (uint32_t k = 0; k < out->n_findings; k++)
        if (out->finding[k].rule == rule && out->finding[k].at == f->place.at)
            return true;
    return false;
}

/* Is it in a member that gets another name? */
static bool is_in_renamed(const cando_report *out, const struct scan_found *f)
{
    for (uint32_t i = 0; i < out->n_edits; i++) {
        const struct report_edit *e = &out->edit[i];
        if (target_rule(out->target, e->rule).fix == FIX_RENAME && e->place.at <= f->place.at &&
            f->place.at < e->place.end)
            return true;
    }
    return false;
}

/* Members that get another name must be right under that one as well: the request is read
 * again, as it will be, and what is said then and was not before is said now. Of shapes only what
 * they say of these members: the rest was weighed before. */
static bool judge_renamed(cando_report *out, uint32_t api)
{
    struct scan *s = &out->work.scan;
    for (uint32_t i = 0; i < out->n_edits && s->n_alias < SCAN_ALIASES; i++) {
        struct snap_req_rule r = target_rule(out->target, out->edit[i].rule);
        struct str name = r.fix == FIX_RENAME ? snap_str(s->t.s, r.fix_text) : STR("");
        size_t key;
        if (name.n && str_find_char(name, '.') == name.n &&
            locate_key(out->text, out->edit[i].place.at, &key))
            s->alias[s->n_alias++] = (struct scan_alias){(uint32_t)key, name};
    }
    if (s->n_alias == 0)
        return true;
    bool ok = scan_run(s, &s->t, api, out->text, SCAN_BEST);
    s->n_alias = 0;
    for (uint32_t i = 0; ok && i < s->n_found && out->n_findings < LIMIT_REQUEST_FINDINGS; i++) {
        const struct scan_found *f = &s->found[i];
        if (is_said(out, f) ||
            (f->rule == SNAP_NONE && (!is_in_renamed(out, f) || is_overruled(out, s, f))))
            continue;
        add_finding(out, f);
        sort_last(out);
    }
    return ok;
}

/* A finding that no rule has made. */
void report_add(cando_report *out, enum code code, cando_severity severity, uint32_t at,
                const char *advice)
{
    if (out->n_findings == LIMIT_REQUEST_FINDINGS) {
        out->more++;
        if (severity == CANDO_ERROR)
            out->verdict = CANDO_REJECTED;
        return;
    }
    out->finding[out->n_findings++] = (struct report_finding){
        .rule = SNAP_NONE,
        .code = code,
        .advice = advice,
        .severity = severity,
        .fix = advice ? CANDO_FIX_ADVICE : CANDO_FIX_NONE,
        .at = at,
        .end = at,
        .other = UINT32_MAX,
    };
    sort_last(out);
}

/* -- the window ------------------------------------------------------------ */

static bool number_of(const cando_target *t, unsigned number, uint64_t *out)
{
    *out = t->planes.number[number];
    return t->planes.number_known >> number & 1;
}

/* The answer that is asked for once the repairs at its place are made, now or in a later round. */
static uint64_t asked_after(const cando_report *out, const struct fit *f)
{
    uint64_t asked = f->output;
    for (uint32_t i = 0; i < out->n_findings; i++) {
        const struct report_finding *g = &out->finding[i];
        bool repaired =
            g->fix == CANDO_FIX_SAFE || (g->fix == CANDO_FIX_LOSSY && is_allowed(out, g->code));
        if (g->at != f->output_at || g->rule == SNAP_NONE || !repaired)
            continue;
        struct snap_req_rule r = target_rule(out->target, g->rule);
        if (r.fix == FIX_CLAMP)
            asked = (uint64_t)(int64_t)rewrite_clamped(out->target, &r, (double)(int64_t)asked);
        else if (r.fix == FIX_DROP)
            asked = 0;
    }
    return asked;
}

/* Where old messages are cut off instead of refused, that is worth a warning. So is a limit
 * that another source puts higher. */
static void check_fit(cando_report *out)
{
    const struct scan *s = &out->work.scan;
    const struct fit *f = &s->fit;
    const cando_target *t = out->target;
    struct fit_range in = fit_input(f, s->x.wide, s->x.tails, s->x.escapes);
    out->tokens = in;
    out->output = (cando_number){f->output, f->has_output && f->output};
    if (f->text_bytes + f->json_bytes + f->images == 0)
        return;
    uint64_t window, limit, asked = f->has_output ? asked_after(out, f) : 0;
    bool has_window = number_of(t, NUM_context_window, &window),
         has_input = number_of(t, NUM_max_input, &limit);
    bool over = has_window && (in.low > window || in.low + asked > window),
         over_input = has_input && in.low > limit;
    bool firm = (over && !t->window_weak) || (over_input && !t->input_weak);
    /* a file may have any size: that it may be too long is true of every one, and helps nobody */
    uint64_t high = in.high - f->media * FIT_MEDIA_HIGH;
    bool may_not = (has_window && high + asked > window) || (has_input && high > limit);
    uint32_t at = f->has_output ? f->output_at : 0;
    if (over || over_input)
        report_add(out, CODE_context_exceeded, s->cuts || !firm ? CANDO_WARNING : CANDO_ERROR, at,
                   asked ? "shorten the prompt, or ask for a shorter answer"
                         : "shorten the prompt, or take a model with a larger window");
    else if (may_not)
        report_add(out, CODE_context_may_exceed, CANDO_WARNING, at,
                   "count the tokens with the provider's own tokenizer");
}

/* -- the verdict ------------------------------------------------------------ */

/* What one finding alone comes to. */
static cando_verdict weigh(const struct report_finding *f)
{
    if (f->applied)
        return CANDO_REWRITE;
    return f->severity == CANDO_ERROR     ? CANDO_REJECTED
           : f->severity == CANDO_WARNING ? CANDO_DEGRADED
                                          : CANDO_ACCEPTED;
}

/* The codes that say that a value is wrong: two of them at one place say it twice. */
static enum code wrong_value(const cando_report *out, const struct report_finding *f)
{
    enum code code = f->code;
    if (f->rule == SNAP_NONE)
        return CODE_COUNT;
    bool value = code == CODE_value_unsupported || code == CODE_value_out_of_range ||
                 code == CODE_limit_exceeded || code == CODE_wrong_kind ||
                 (code == CODE_structure_invalid && out->text.p[f->at] == '"');
    return value ? code : CODE_COUNT;
}

/* Does `a` say all that `b` does, and as loudly? Of equals the one about this very model counts. */
static bool says_more(const cando_report *out, const struct report_finding *a,
                      const struct report_finding *b)
{
    const struct snapshot *s = &out->target->catalog->snap;
    invariant(a < out->finding + out->n_findings && b < out->finding + out->n_findings);
    if (a->at != b->at || wrong_value(out, a) != wrong_value(out, b))
        return false;
    if (b->fix > CANDO_FIX_ADVICE && a->fix <= CANDO_FIX_ADVICE)
        return false;
    if (weigh(a) != weigh(b))
        return weigh(a) > weigh(b);
    bool special[2] = {false, false};
    for (unsigned i = 0; i < 2; i++) {
        uint32_t rule = i ? b->rule : a->rule;
        special[i] = !is_shape_rule(rule) && snap_req_rule(s, rule).n_patterns;
    }
    return special[0] != special[1] ? special[0] : a < b;
}

/* One wrong value is one finding. */
static void drop_repeated(cando_report *out)
{
    uint32_t kept = 0;
    bool repeated[LIMIT_REQUEST_FINDINGS] = {false};
    for (uint32_t i = 0; i < out->n_findings; i++) {
        if (wrong_value(out, &out->finding[i]) == CODE_COUNT)
            continue;
        for (uint32_t k = 0; k < out->n_findings && !repeated[i]; k++)
            repeated[i] =
                k != i && !repeated[k] && says_more(out, &out->finding[k], &out->finding[i]);
    }
    for (uint32_t i = 0; i < out->n_findings; i++)
        if (!repeated[i])
            out->finding[kept++] = out->finding[i];
    out->n_findings = kept;
}

static void fold(cando_report *out)
{
    if (out->n_edits && out->verdict < CANDO_REWRITE)
        out->verdict = CANDO_REWRITE;
    for (uint32_t i = 0; i < out->n_findings; i++) {
        cando_verdict v = weigh(&out->finding[i]);
        out->verdict = v > out->verdict ? v : out->verdict;
    }
    if (out->verdict == CANDO_REJECTED && !out->partial)
        out->n_edits = 0;
}

cando_status cando_preflight(const cando_target *target, const char *api, const char *request,
                             size_t len, bool lossy, cando_report *out, cando_error *err)
{
    struct scan *s = scan_of(out);
    out->target = target;
    out->text = str_make(request, len);
    out->verdict = CANDO_ACCEPTED;
    out->lossy = lossy;
    out->n_findings = out->more = out->n_edits = 0;
    out->edited = false;
    cando_status st =
        preflight_scan(target, s, shape_scan(out), false, api, out->text, &out->beside, err);
    if (st != CANDO_OK)
        return st;
    out->api = snap_str(s->t.s, s->d.name).p;
    out->more = s->more;
    for (uint32_t i = 0; i < s->n_found; i++) {
        const struct scan_found *f = &s->found[i];
        bool said = f->rule == SNAP_NONE ? is_overruled(out, s, f)
                                         : is_said_better(out, s, f) || is_moot(out, s, f);
        if (!said)
            add_finding(out, f);
    }
    if (s->more_errors || (s->more_lossy && !lossy))
        out->verdict = CANDO_REJECTED;
    if (target->denied)
        report_add(out, CODE_denied, CANDO_ERROR, 0, NULL);
    asked_judge(out);
    if (s->events_lost)
        report_add(out, CODE_check_incomplete, CANDO_NOTE, 0, NULL);
    if (out->n_edits && !judge_renamed(out, snapshot_req_api(s->t.s, str_of(out->api))))
        return not_json(s, out->text, err);
    check_fit(out);
    if (out->n_findings > 1)
        drop_repeated(out);
    fold(out);
    return CANDO_OK;
}

/* -- the report ------------------------------------------------------------ */

size_t cando_report_size(void)
{
    return sizeof(cando_report);
}

/* Most of it is never touched. */
cando_report *cando_report_init(void *memory)
{
    cando_report *r = memory;
    memset(r, 0, offsetof(cando_report, finding));
    r->api = "";
    return r;
}

cando_report *report_room(struct cando_room *room)
{
    return room_scratch(room, ROOM_REPORT, sizeof(cando_report), offsetof(cando_report, finding));
}

void report_begin(cando_report *r)
{
    bool scanned = r->scanned, shaped = r->shaped;
    cando_report_init(r);
    r->scanned = scanned;
    r->shaped = shaped;
}

cando_report *cando_report_new(const cando_allocator *a, cando_error *err)
{
    cando_report *r = mem_alloc(a, sizeof *r);
    if (!r)
        return no_memory(err);
    cando_report_init(r);
    r->a = a;
    return r;
}

void cando_report_free(cando_report *r)
{
    if (r)
        mem_free(r->a, r, sizeof *r);
}

cando_verdict cando_report_verdict(const cando_report *r)
{
    return r->verdict;
}

const char *cando_report_api(const cando_report *r)
{
    return r->api;
}

cando_tokens cando_report_tokens(const cando_report *r)
{
    return (cando_tokens){r->tokens.low, r->tokens.expected, r->tokens.high, r->output};
}

size_t cando_report_findings(const cando_report *r, size_t *more)
{
    if (more)
        *more = r->more;
    return r->n_findings;
}

size_t cando_report_decided(const cando_report *r)
{
    for (uint32_t i = 0; i < r->n_findings && r->verdict != CANDO_ACCEPTED; i++)
        if (weigh(&r->finding[i]) == r->verdict)
            return i;
    return SIZE_MAX;
}

size_t cando_report_pointer(const cando_report *r, size_t i, char *out, size_t size)
{
    if (i < r->n_findings)
        return locate_pointer(r->text, r->finding[i].at, out, size);
    if (size)
        *out = '\0';
    return 0;
}

/* -- before there is a target ------------------------------------------------------------ */

/* Bytes that stand for themselves: of most names all. */
static size_t plain_run(const unsigned char *p, size_t end)
{
    size_t n = 0;
    while (n < end && p[n] < 0x80 && p[n] != '\\')
        n++;
    return n;
}

size_t request_text(struct str text, struct scan_place v, char *out, size_t size)
{
    if (size)
        *out = '\0';
    if (text.p[v.at] != '"')
        return 0;
    const unsigned char *p = (const unsigned char *)text.p + v.at + 1;
    size_t end = v.end - v.at < 2 ? 0 : v.end - v.at - 2;
    size_t n = plain_run(p, end), used = n < size ? n : size ? size - 1 : 0;
    if (used)
        memcpy(out, p, used);
    for (size_t at = n; at < end;) {
        char c[4] = {(char)p[at]};
        bool plain = p[at] < 0x80 && p[at] != '\\';
        size_t step = plain ? 1 : utf8_put(scan_char(p, end, &at), c);
        at += plain;
        n += step;
        if (n < size) {
            memcpy(out + used, c, step);
            used = n;
        }
    }
    if (size)
        out[used] = '\0';
    return n;
}

bool request_model_at(struct str text, struct scan_place *v)
{
#define WORD(path) " " path
    const char *words = "" API_MODEL_PATHS;
#undef WORD
    struct str word;
    while (words_next(&words, &word))
        if (locate_member(text, locate_space(text, 0), word, v))
            return true;
    return false;
}

size_t cando_request_model(const char *request, size_t len, char *out, size_t size)
{
    struct str text = str_make(request, len);
    struct scan_place v;
    if (size)
        *out = '\0';
    if (len > LIMIT_JSON_BYTES || !request_model_at(text, &v))
        return 0;
    return request_text(text, v, out, size);
}
