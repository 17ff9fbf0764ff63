/*
 * op_preflight.c - preflight: will this request be taken, and what would make it so?
 *
 * The request is judged as the bytes that it came in, so that what a rewrite does
 * not touch goes back as it was. A rewrite is judged again: a change may bring
 * another one with it, and what is handed out has passed its own check.
 */
#include "decide.h"

#include "request/preflight.h"

static const struct op_arg args[] = {
    {"request", true, "the request, in the form of the provider's own API"},
    {"dialect", false, "its form, if it shall not be found by itself: 'openai-chat', 'anthropic-messages', ..."},
    {"target", false, "\"provider/model\" or {\"provider\":..,\"model\":..}"},
    {"profile", false, "claims in place of a target, or null"},
    {"profile_form", false, "'claims', 'manifest', 'model_ref' or 'cando'"},
    {"adapter", false, "{\"requires_structured_finalize\":bool}"},
    {"fix", false, "true: rewrite also where something is lost"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {0},
};

#define ROUNDS 4 /* rewrites of rewrites */

struct job {
    struct op_call *c;
    cando_target target;
    const char *api;
    bool lossy;
    struct str text;       /* as it is now */
    cando_report first;    /* what was said of it as it came */
    cando_report report;
    bool rewritten;
    struct buf changes;    /* items of a list, without its brackets */
};

static bool arg_flag(struct op_call *c, const struct json *v, struct str at, bool *out)
{
    *out = v && v->kind == JSON_TRUE;
    if (!v || v->kind == JSON_TRUE || v->kind == JSON_FALSE)
        return true;
    return op_fail(c, CODE_bad_argument, at, "true or false is wanted here, not %s", json_kind_name(v));
}

static bool arg_adapter(struct op_call *c, unsigned *flags)
{
    const struct json *v = json_get(c->args, "adapter");
    bool finalize = false;
    if (!v || v->kind == JSON_NULL)
        return true;
    if (v->kind != JSON_OBJECT)
        return op_fail(c, CODE_bad_argument, STR("/adapter"), "'adapter' must be an object, it is %s", json_kind_name(v));
    for (size_t i = 0; i < v->n; i++)
        if (!str_is(v->key[i].text, "requires_structured_finalize"))
            return op_fail(c, CODE_unknown_argument, STR("/adapter"), "an adapter has 'requires_structured_finalize', not '%.*s'",
                           STR_ARG(str_head(v->key[i].text, 80)));
    if (!arg_flag(c, json_get(v, "requires_structured_finalize"), STR("/adapter/requires_structured_finalize"), &finalize))
        return false;
    *flags |= finalize ? CANDO_TARGET_FINALIZE : 0;
    return true;
}

/* A target, claims, or nobody in particular. */
static bool make_target(struct op_call *c, struct job *j, const cando_catalog *cat)
{
    struct str provider = STR(""), model = STR("");
    const struct json *profile = json_get(c->args, "profile");
    bool has_target, has_profile = false;
    unsigned flags = 0;
    cando_planes planes;
    cando_error err = {0};
    if (!arg_adapter(c, &flags) || !arg_target_maybe(c, "target", &provider, &model, &has_target))
        return false;
    if (has_target && profile)
        return op_fail(c, CODE_bad_argument, STR("/profile"), "'target' and 'profile' exclude each other");
    planes_clear(&planes);
    if (profile && profile->kind != JSON_NULL && !arg_profile(c, &planes, &has_profile))
        return false;
    cando_status st = profile ? cando_target_init_planes(&j->target, cat, &planes, flags, &err)
                              : cando_target_init(&j->target, cat, provider.p, provider.n, model.p, model.n, flags, &err);
    return st == CANDO_OK || op_fail_error(c, STR("/target"), &err);
}

/* -- changes ------------------------------------------------------------------------------- */

static struct str pointer_of(struct op_call *c, struct str text, size_t at)
{
    size_t n = locate_pointer(text, at, NULL, 0);
    char *room = arena_alloc(c->ar, n + 1);
    if (!room)
        return STR_NONE;
    locate_pointer(text, at, room, n + 1);
    return str_make(room, n);
}

/* The pointer's parent, with another name behind it; a dot is a step. */
static bool write_beside(struct json_writer *w, struct op_call *c, struct str pointer, bool is_object, struct str name)
{
    struct buf b;
    buf_init(&b, c->a, 1 << 20);
    size_t cut = pointer.n;
    while (!is_object && cut > 0 && pointer.p[cut - 1] != '/')
        cut--;
    buf_puts(&b, str_head(pointer, is_object ? pointer.n : cut));
    if (is_object)
        buf_putc(&b, '/');
    for (size_t i = 0; i < name.n; i++)
        buf_putc(&b, name.p[i] == '.' ? '/' : name.p[i]);
    jw_str(w, str_make(b.p, b.n));
    bool ok = !b.failed;
    buf_free(&b);
    return ok;
}

static void write_op(struct json_writer *w, const char *op)
{
    jw_object(w);
    jw_keyz(w, "op");
    jw_strz(w, op);
}

static bool write_change(struct json_writer *w, struct op_call *c, const struct change *ch, struct str text)
{
    struct str at = pointer_of(c, text, ch->at);
    size_t dot = str_find_char(ch->name, '.');
    bool ok = at.p != NULL, move = strcmp(ch->op, "move") == 0;
    if (!ok)
        return false;
    if (move && dot < ch->name.n) { /* the object that it moves into has to be there */
        write_op(w, "add");
        jw_keyz(w, "path");
        ok = write_beside(w, c, at, false, str_head(ch->name, dot));
        jw_keyz(w, "value");
        jw_raw(w, STR("{}"));
        jw_object_end(w);
    }
    write_op(w, ch->op);
    if (move) {
        jw_keyz(w, "from");
        jw_str(w, at);
    }
    jw_keyz(w, "path");
    if (ch->name.n)
        ok = write_beside(w, c, at, !move, ch->name) && ok;
    else
        jw_str(w, at);
    if (ch->value.n) {
        jw_keyz(w, "value");
        jw_raw(w, ch->value);
    }
    jw_object_end(w);
    return ok;
}

static bool add_changes(struct job *j)
{
    struct json_writer w;
    struct buf list;
    buf_init(&list, j->c->a, LIMIT_JSON_BYTES);
    jw_init(&w, &list, false);
    jw_array(&w);
    bool ok = true;
    for (uint32_t i = 0; i < j->report.n_edits && ok; i++) {
        struct change ch;
        if (rewrite_change(&j->target, &j->report, i, j->text, &ch))
            ok = write_change(&w, j->c, &ch, j->text);
    }
    jw_array_end(&w);
    ok = ok && !list.failed;
    if (ok && list.n > 2) {
        if (j->changes.n)
            buf_putc(&j->changes, ',');
        buf_puts(&j->changes, str_make(list.p + 1, list.n - 2));
    }
    buf_free(&list);
    return ok && !j->changes.failed;
}

/* -- the verdict ------------------------------------------------------------------------------ */

static bool rewrite_once(struct job *j)
{
    cando_rewrite plan;
    cando_error err = {0};
    if (cando_rewrite_plan(&j->target, &j->report, j->text.p, j->text.n, &plan, &err) != CANDO_OK)
        return op_fail_error(j->c, STR("/request"), &err);
    if (!add_changes(j))
        return op_memory(j->c);
    char *room = arena_alloc(j->c->ar, plan.length + 1), *to = room;
    if (!room)
        return op_memory(j->c);
    for (uint32_t i = 0; i < plan.n_pieces; i++) {
        memcpy(to, plan.piece[i].p, plan.piece[i].n);
        to += plan.piece[i].n;
    }
    j->text = str_make(room, plan.length);
    j->rewritten = true;
    return true;
}

static bool judge(struct job *j)
{
    cando_error err = {0};
    for (unsigned round = 0;; round++) {
        cando_status st = cando_preflight(&j->target, j->api, j->text.p, j->text.n, j->lossy, &j->report, &err);
        if (st != CANDO_OK)
            return op_fail_error(j->c, st == CANDO_BAD_QUESTION ? STR("/dialect") : STR("/request"), &err);
        if (round == 0)
            j->first = j->report;
        j->api = j->report.api;
        if (j->report.answer != CANDO_REQUEST_REWRITE || round == ROUNDS)
            return true;
        if (!rewrite_once(j))
            return false;
    }
}

/* -- the reply ---------------------------------------------------------------------------------- */

static const char *const severities[] = {"note", "warning", "error"};
static const char *const fixes[] = {NULL, "advice", "safe", "lossy"};

static struct str fix_words(struct job *j, struct str original, const cando_request_finding *f)
{
    const struct snapshot *s = &j->target.catalog->snap;
    char room[64];
    struct str value;
    if (f->advice[0] || f->number == SNAP_NONE)
        return str_of(f->advice);
    struct snap_req_rule r = snap_req_rule(s, f->number);
    switch (r.fix) {
    case FIX_RENAME:
        return str_printf(j->c->ar, "rename it to '%s'", snap_str(s, r.fix_text).p);
    case FIX_DROP:
        return STR("leave it out");
    case FIX_SET:
        return str_printf(j->c->ar, "set it to %s", snap_str(s, r.fix_text).p);
    case FIX_ADD:
        return str_printf(j->c->ar, "set '%s' to %s", snap_str(s, snap_req_item(s, r.fix_text, 0)).p,
                          snap_str(s, snap_req_item(s, r.fix_text, 1)).p);
    case FIX_CLAMP:
    case FIX_MAP:
        value = rewrite_value(&j->target, &r, original, (struct scan_place){f->at, f->end}, room, sizeof room);
        return value.n ? str_printf(j->c->ar, "set it to %.*s", STR_ARG(value)) : STR("");
    default:
        return STR("");
    }
}

static struct str message_of(struct job *j, const cando_request_finding *f)
{
    const cando_report *r = &j->first;
    if (f->number == SNAP_NONE)
        return str_printf(j->c->ar, "%s: about %llu tokens (%llu to %llu)%s", f->message, (unsigned long long)r->tokens_expected,
                          (unsigned long long)r->tokens_low, (unsigned long long)r->tokens_high, r->output ? " besides the answer" : "");
    if (strcmp(f->code, "capability-unsupported") == 0 && f->capability != CANDO_NO_FIELD &&
        strcmp(f->message, code_text(CODE_capability_unsupported)) == 0)
        return str_printf(j->c->ar, "this needs %s, which the model does not have", cando_field_name(f->capability));
    return str_of(f->message);
}

static void write_maybe(struct json_writer *w, const char *key, struct str s)
{
    jw_keyz(w, key);
    if (s.n)
        jw_str(w, s);
    else
        jw_null(w);
}

static bool write_finding(struct job *j, struct str original, const cando_request_finding *f)
{
    struct json_writer *w = j->c->w;
    struct str path = pointer_of(j->c, original, f->at), message = message_of(j, f), fix = fix_words(j, original, f);
    if (!path.p || !message.p || !fix.p)
        return false;
    jw_object(w);
    jw_keyz(w, "code");
    jw_strz(w, f->code);
    jw_keyz(w, "path");
    jw_str(w, path);
    jw_keyz(w, "capability");
    jw_strz(w, f->capability == CANDO_NO_FIELD ? NULL : cando_field_name(f->capability));
    jw_keyz(w, "severity");
    jw_strz(w, severities[f->severity]);
    jw_keyz(w, "message");
    jw_str(w, message);
    write_maybe(w, "fix", fix);
    jw_keyz(w, "fix_kind");
    jw_strz(w, fixes[f->fix]);
    write_maybe(w, "rule", str_of(f->rule));
    write_maybe(w, "source", str_of(f->source));
    write_maybe(w, "confidence", str_of(f->confidence));
    jw_keyz(w, "at");
    jw_uint(w, f->at);
    jw_object_end(w);
    return true;
}

static bool write_result(struct job *j, struct str original)
{
    static const char *const verdicts[] = {"ok", "rewrite", "reject"};
    struct json_writer *w = j->c->w;
    const cando_report *r = &j->first;
    /* a rewrite that ends in a rejection was none */
    cando_answer answer = j->report.answer == CANDO_REQUEST_REJECT ? CANDO_REQUEST_REJECT
                          : j->rewritten                           ? CANDO_REQUEST_REWRITE
                                                                   : CANDO_REQUEST_OK;
    jw_object(w);
    jw_keyz(w, "verdict");
    jw_strz(w, verdicts[answer]);
    jw_keyz(w, "dialect");
    jw_strz(w, r->api);
    jw_keyz(w, "findings");
    jw_array(w);
    for (uint32_t i = 0; i < r->n_findings; i++)
        if (!write_finding(j, original, &r->finding[i]))
            return op_memory(j->c);
    jw_array_end(w);
    if (r->more) {
        jw_keyz(w, "more");
        jw_uint(w, r->more);
    }
    if (answer == CANDO_REQUEST_REWRITE) {
        jw_keyz(w, "request");
        jw_raw(w, j->text);
        jw_keyz(w, "changes");
        jw_array(w);
        jw_raw(w, str_make(j->changes.p, j->changes.n));
        jw_array_end(w);
    }
    jw_keyz(w, "tokens");
    jw_object(w);
    jw_keyz(w, "low");
    jw_uint(w, r->tokens_low);
    jw_keyz(w, "expected");
    jw_uint(w, r->tokens_expected);
    jw_keyz(w, "high");
    jw_uint(w, r->tokens_high);
    jw_keyz(w, "output");
    if (r->output)
        jw_uint(w, r->output);
    else
        jw_null(w);
    jw_object_end(w);
    jw_object_end(w);
    return true;
}

static bool run_job(struct job *j, const cando_catalog *cat)
{
    struct op_call *c = j->c;
    const struct json *request = json_get(c->args, "request");
    struct str api;
    if (request->kind != JSON_OBJECT)
        return op_fail(c, CODE_bad_argument, STR("/request"), "'request' must be an object, it is %s", json_kind_name(request));
    if (!arg_text(c, "dialect", &api) || !arg_flag(c, json_get(c->args, "fix"), STR("/fix"), &j->lossy) || !make_target(c, j, cat))
        return false;
    if (api.n) {
        struct str own = str_dup(c->ar, api);
        if (!own.p)
            return op_memory(c);
        j->api = own.p;
    }
    struct str original = str_make(c->text.p + request->at, request->end - request->at);
    j->text = original;
    return judge(j) && write_result(j, original);
}

static bool run(struct op_call *c)
{
    const cando_catalog *cat = arg_catalog(c);
    if (!cat)
        return false;
    struct job *j = arena_alloc(c->ar, sizeof *j);
    bool ok;
    if (j) {
        j->c = c;
        buf_init(&j->changes, c->a, LIMIT_JSON_BYTES);
        ok = run_job(j, cat);
        buf_free(&j->changes);
    } else {
        ok = op_memory(c);
    }
    cando_catalog_release(cat);
    return ok;
}

const struct op op_preflight = {.name = "preflight", .doc = "will a request be taken, and what would make it so", .arg = args, .run = run};
