/*
 * decide.c - what the deciding operations share: reading needs and profiles out of
 * their arguments, and writing what came of a negotiation.
 */
#include "decide.h"

#include "catalog/profile.h"
#include "record/redact.h"

bool op_fail_need(struct op_call *c, const struct reading *r)
{
    return op_fail_error(c, str_dup(c->ar, str_of(r->error.at)), &r->error);
}

/* -- arguments ------------------------------------------------------------------------------ */

bool arg_needs(struct op_call *c, const cando_catalog *cat, bool required, struct need_list *out)
{
    static const char *const names[] = {"requirements", "session", "work_order", "required", "request"};
    const struct json *found = NULL;
    unsigned which = 0;
    need_list_init(out);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        const struct json *v = json_get(c->args, names[i]);
        if (v && found) {
            op_fail(c, CODE_bad_argument, str_printf(c->ar, "/%s", names[i]), "'%s' and '%s' exclude each other", names[which], names[i]);
            return op_hint(c, "needs come from one source");
        }
        if (v) {
            found = v;
            which = i;
        }
    }
    if (!found && required)
        return op_fail(c, CODE_missing_argument, STR(""), "there is nothing that needs anything");
    struct reading r = {.ar = c->ar};
    if (found && which == 4) {
        struct str api;
        if (!arg_text(c, "dialect", &api))
            return false;
        cando_bytes body = {c->text.p + found->at, found->end - found->at};
        return need_read_request(&r, cat, body, api.n ? api.p : NULL, STR("/request"), out) || op_fail_need(c, &r);
    }
    if (json_get(c->args, "dialect"))
        return op_fail(c, CODE_bad_argument, STR("/dialect"), "'dialect' goes with 'request'");
    struct str at = str_printf(c->ar, "/%s", names[which]);
    bool ok = !found || (which == 0   ? need_read_requirements(&r, found, at, STR(""), false, out)
                         : which == 1 ? need_read_session(&r, found, at, out)
                         : which == 2 ? need_read_work_order(&r, found, at, out)
                                      : need_read_required(&r, found, at, out));
    return ok || op_fail_need(c, &r);
}

bool arg_profile(struct op_call *c, cando_planes *out, bool *has)
{
    const struct json *v = json_get(c->args, "profile");
    unsigned form;
    *has = v != NULL;
    if (!arg_word(c, "profile_form", claim_forms, FORM_COUNT, v ? claims_guess(v) : FORM_CANDO, &form))
        return false;
    if (!v)
        return !json_get(c->args, "profile_form") ||
               op_fail(c, CODE_missing_argument, STR("/profile"), "there is a 'profile_form' and no 'profile'");
    struct reading r = {.ar = c->ar};
    return claims_read(&r, (enum claim_form)form, v, STR("/profile"), out) || op_fail_need(c, &r);
}

bool arg_unknown(struct op_call *c, cando_unknown *out)
{
    static const char *const words[] = {"warn", "allow", "deny"};
    unsigned i;
    if (!arg_word(c, "unknown", words, 3, CANDO_UNKNOWN_WARN, &i))
        return false;
    *out = (cando_unknown)i;
    return true;
}

bool arg_target_maybe(struct op_call *c, const char *name, struct str *provider, struct str *model, bool *has)
{
    const struct json *v = json_get(c->args, name);
    *has = v && v->kind != JSON_NULL;
    return !*has || arg_target(c, name, provider, model);
}

/* -- replies ------------------------------------------------------------------------------------ */

void write_target(struct json_writer *w, bool has, struct str provider, struct str model)
{
    if (!has) {
        jw_null(w);
        return;
    }
    char room[1100];
    size_t n = 0;
    if (provider.n + model.n + 1 > sizeof room) {
        jw_null(w);
        return;
    }
    memcpy(room, provider.p, provider.n);
    n = provider.n;
    room[n++] = '/';
    if (model.n)
        memcpy(room + n, model.p, model.n);
    jw_str(w, str_make(room, n + model.n));
}

static void write_text_or_null(struct json_writer *w, const char *key, struct str s)
{
    jw_keyz(w, key);
    if (s.n)
        jw_str(w, s);
    else
        jw_null(w);
}

static void write_words(struct json_writer *w, unsigned field, uint32_t bits)
{
    const char *cursor = vocab_row(field)->words;
    struct str word;
    jw_array(w);
    for (unsigned i = 0; i < 32 && words_next(&cursor, &word); i++)
        if (bits >> i & 1)
            jw_str(w, word);
    jw_array_end(w);
}

static void write_level(struct json_writer *w, unsigned level)
{
    if (level == CANDO_UNKNOWN)
        jw_null(w);
    else
        jw_strz(w, support_name((cando_support)level));
}

/* What was wanted and what is there, in the type of the capability. */
static void write_need_have(struct json_writer *w, const struct need *x, const cando_planes *p, cando_outcome o)
{
    jw_keyz(w, "need");
    if (x->kind == NEED_NUMBER)
        jw_uint(w, x->minimum);
    else if (x->kind == NEED_SET)
        write_words(w, set_field(x->slot), x->set);
    else
        jw_strz(w, min_support_word(x->min_support));
    jw_keyz(w, "have");
    if (o.have == CANDO_UNKNOWN)
        jw_null(w);
    else if (x->kind == NEED_NUMBER)
        jw_uint(w, p->number[x->slot]);
    else if (x->kind == NEED_SET)
        write_words(w, set_field(x->slot), p->set[x->slot]);
    else
        write_level(w, o.have);
}

static void write_missing(struct json_writer *w, const struct negotiation *n)
{
    jw_keyz(w, "missing");
    jw_array(w);
    for (size_t i = 0; i < n->needs.n; i++) {
        const struct need *x = &n->needs.need[i];
        if (n->outcome[i].effect != CANDO_MISSING)
            continue;
        jw_object(w);
        jw_keyz(w, "capability");
        jw_strz(w, need_capability(x));
        write_text_or_null(w, "required_by", x->required_by);
        write_need_have(w, x, &n->planes, n->outcome[i]);
        write_text_or_null(w, "path", x->path);
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void write_warnings(struct json_writer *w, const struct negotiation *n)
{
    jw_keyz(w, "warnings");
    jw_array(w);
    for (size_t i = 0; i < n->needs.n; i++) {
        const struct need *x = &n->needs.need[i];
        unsigned effect = n->outcome[i].effect;
        if (effect != CANDO_UNMET && effect != CANDO_PENDING)
            continue;
        jw_object(w);
        jw_keyz(w, "capability");
        jw_strz(w, need_capability(x));
        jw_keyz(w, "reason");
        jw_strz(w, code_name(check_code(effect)));
        write_text_or_null(w, "required_by", x->required_by);
        jw_keyz(w, "level");
        jw_strz(w, level_word(x->level));
        write_need_have(w, x, &n->planes, n->outcome[i]);
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void write_params(struct json_writer *w, const struct negotiation *n, const cando_allocator *a)
{
    jw_keyz(w, "params_affected");
    jw_array(w);
    for (size_t i = 0; i < n->n_params; i++) {
        const struct param *p = &n->param[i];
        if (!p->reason.n)
            continue;
        jw_object(w);
        jw_keyz(w, "param_path");
        jw_array(w);
        for (size_t k = 0; k < p->path->n; k++)
            jw_str(w, p->path->item[k].text);
        jw_array_end(w);
        jw_keyz(w, "reason");
        jw_str(w, p->reason);
        write_text_or_null(w, "active_model_id", n->has_target ? n->model : STR(""));
        jw_keyz(w, "current_value");
        redact_value(w, p->value, p->path->n ? p->path->item[p->path->n - 1].text : STR(""), a);
        jw_keyz(w, "source_layer");
        jw_str(w, p->layer);
        jw_object_end(w);
    }
    jw_array_end(w);
}

static void write_overstated(struct json_writer *w, const struct negotiation *n)
{
    jw_keyz(w, "overstated");
    jw_array(w);
    for (unsigned i = 0; i < n->n_overstated; i++) {
        const struct overstated *o = &n->overstated[i];
        jw_object(w);
        jw_keyz(w, "capability");
        jw_strz(w, o->capability);
        jw_keyz(w, "claimed");
        if (o->number)
            jw_uint(w, o->claimed);
        else
            write_level(w, (unsigned)o->claimed);
        jw_keyz(w, "known");
        if (o->number)
            jw_uint(w, o->known);
        else
            write_level(w, (unsigned)o->known);
        jw_object_end(w);
    }
    jw_array_end(w);
}

static bool write_finding(struct json_writer *w, const struct hist_finding *f, const cando_allocator *a)
{
    struct buf path;
    buf_init(&path, a, 1 << 16);
    hist_pointer(&path, f->at);
    jw_object(w);
    jw_keyz(w, "code");
    jw_strz(w, code_name(f->code));
    jw_keyz(w, "path");
    jw_str(w, str_make(path.p ? path.p : "", path.n));
    jw_keyz(w, "capability");
    jw_strz(w, f->field < FIELD_COUNT ? vocab_row(f->field)->name : NULL);
    jw_keyz(w, "severity");
    jw_strz(w, severity_name(f->severity));
    jw_keyz(w, "message");
    jw_str(w, f->message);
    write_text_or_null(w, "fix", f->fix);
    jw_object_end(w);
    bool ok = !path.failed;
    buf_free(&path);
    return ok;
}

bool write_negotiation(struct json_writer *w, const struct negotiation *n, const struct hist_findings *found, const char *error,
                       const cando_allocator *a)
{
    bool ok = true;
    static const char *const identities[] = {"default", "family", "alias", "exact"};
    bool rejected = n->result.verdict == CANDO_REJECTED;
    jw_object(w);
    jw_keyz(w, "verdict");
    jw_strz(w, verdict_word(n->result.verdict));
    jw_keyz(w, "error");
    /* nothing is missing: it is the history that does not go there */
    jw_strz(w, !rejected ? NULL : n->result.missing ? error : "History/DoesNotSurvive");
    write_missing(w, n);
    write_warnings(w, n);
    jw_keyz(w, "target");
    write_target(w, n->has_target, n->provider, n->model);
    jw_keyz(w, "identity");
    jw_strz(w, n->has_target ? identities[n->profile.identity] : NULL);
    jw_keyz(w, "previous");
    write_target(w, n->has_previous, n->previous_provider, n->previous_model);
    jw_keyz(w, "active");
    if (rejected)
        write_target(w, n->has_previous, n->previous_provider, n->previous_model);
    else
        write_target(w, n->has_target, n->provider, n->model);
    jw_keyz(w, "suggestion");
    write_target(w, n->has_suggestion, n->suggested_provider, n->suggested_model);
    write_params(w, n, a);
    write_overstated(w, n);
    jw_keyz(w, "findings");
    jw_array(w);
    for (size_t i = 0; found && i < found->n && ok; i++)
        ok = write_finding(w, &found->item[i], a);
    jw_array_end(w);
    jw_object_end(w);
    return ok && !w->out->failed;
}
