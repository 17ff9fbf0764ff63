/*
 * words.c - findings for people: what is wrong, where, and what to do; and the changes of a
 * rewrite as JSON Patch.
 *
 * None of it is made before somebody asks: most requests have nothing wrong with them.
 */
#include "asked.h"

#include "catalog/engine.h"

/* -- findings ----------------------------------------------------------------------------- */

/* What a text of the catalog says, or NULL. */
static const char *said(const struct snapshot *s, uint32_t text)
{
    struct str t = snap_str(s, text);
    return t.n ? t.p : NULL;
}

static const char *name_of(cando_field f)
{
    return f == CANDO_NO_FIELD ? NULL : cando_field_name(f);
}

static bool is_of_window(const struct report_finding *f)
{
    return f->code == CODE_context_exceeded || f->code == CODE_context_may_exceed;
}

static cando_finding own_finding(const struct report_finding *f)
{
    return (cando_finding){
        .code = code_name(f->code),
        .severity = f->severity,
        .message = code_text(f->code),
        .hint = f->advice,
        .fix = f->fix,
        .at = f->at,
        .end = f->end,
        .capability = is_of_window(f) ? name_of(F_context_window) : NULL,
    };
}

static struct snap_req_said said_of(const struct snapshot *s, const struct report_finding *f)
{
    if (f->member != SNAP_NONE)
        return snap_req_said(s, snap_req_member(s, f->member).said);
    return snap_req_said(s, snap_req_object(s, f->object).said);
}

static cando_finding shape_finding(const struct snapshot *s, const struct report_finding *f)
{
    struct snap_req_said by = said_of(s, f);
    return (cando_finding){
        .code = code_name(f->code),
        .severity = f->severity,
        .message = code_text(f->code),
        .fix = f->fix,
        .at = f->at,
        .end = f->end,
        .source = said(s, by.source),
        .confidence = said(s, by.confidence),
    };
}

static const char *evidence_of(const cando_target *t, uint32_t rule)
{
    const char *word = target_evidence(t, rule);
    return *word ? word : NULL;
}

cando_finding cando_report_finding(const cando_report *r, size_t i)
{
    if (i >= r->n_findings)
        return (cando_finding){.code = "", .message = ""};
    const struct report_finding *f = &r->finding[i];
    const struct snapshot *s = &r->target->catalog->snap;
    if (f->rule == SNAP_NONE)
        return own_finding(f);
    if (is_shape_rule(f->rule))
        return shape_finding(s, f);
    struct snap_req_rule rule = snap_req_rule(s, f->rule);
    bool has_field = rule.field < CANDO_MAX_FIELDS && s->field[rule.field] < FIELD_COUNT;
    const char *message = said(s, rule.message);
    return (cando_finding){
        .code = code_name(f->code),
        .severity = f->severity,
        .message = message ? message : code_text(f->code),
        .hint = said(s, rule.advice),
        .fix = f->fix,
        .at = f->at,
        .end = f->end,
        .capability = has_field ? name_of(s->field[rule.field]) : NULL,
        .rule = said(s, rule.name),
        .source = said(s, rule.source),
        .confidence = said(s, rule.confidence),
        .evidence = evidence_of(r->target, f->rule),
    };
}

#define SHOWN_VALUE 40 /* bytes of a value that a message repeats */

/* A number, a word or a boolean of the request, if it is short; else empty. */
static struct str plain_value(const cando_report *r, uint32_t at)
{
    if (at >= r->text.n || strchr("{[", r->text.p[at]))
        return STR("");
    size_t n = locate_end(r->text, at) - at;
    return n <= SHOWN_VALUE ? str_make(r->text.p + at, n) : STR("");
}

/* "required names every key of properties; lacks "city"" */
static struct str with_missing(struct arena *ar, const cando_report *r,
                               const struct report_finding *f, const cando_finding *x)
{
    size_t key, n;
    if (f->other == UINT32_MAX || !locate_key(r->text, f->other, &key))
        return str_of(x->message);
    n = locate_end(r->text, key) - key;
    if (n > SHOWN_VALUE)
        return str_of(x->message);
    return str_printf(ar, "%s; lacks %.*s", x->message, (int)n, r->text.p + key);
}

/* "temperature is from 0 to 2; it is 9", "..is below max_tokens; it is 2000, max_tokens is 1000" */
static struct str with_value(struct arena *ar, const cando_report *r,
                             const struct report_finding *f, const cando_finding *x)
{
    enum code code = f->code;
    struct str value = plain_value(r, f->at), other = plain_value(r, f->other);
    size_t key;
    if (!value.n)
        return str_of(x->message);
    if (code == CODE_relation_broken && other.n && locate_key(r->text, f->other, &key)) {
        size_t n = locate_end(r->text, key) - key;
        return str_printf(ar, "%s; it is %.*s, %.*s is %.*s", x->message, STR_ARG(value),
                          (int)(n - 2), r->text.p + key + 1, STR_ARG(other));
    }
    bool word = code == CODE_structure_invalid && value.p[0] == '"';
    if (!word && code != CODE_value_unsupported && code != CODE_value_out_of_range &&
        code != CODE_limit_exceeded)
        return str_of(x->message);
    if (str_is(value, "\"\"") && code == CODE_value_unsupported)
        return str_of(x->message); /* nothing is there to be seen */
    return str_printf(ar, "%s; it is %.*s", x->message, STR_ARG(value));
}

static struct str message_of(struct arena *ar, const cando_report *r,
                             const struct report_finding *f, const cando_finding *x)
{
    if (is_shape_rule(f->rule))
        return report_shape_words(ar, r, f);
    if (f->rule == SNAP_NONE && is_of_window(f))
        return str_printf(ar, "%s: about %llu tokens (%llu to %llu)%s", x->message,
                          (unsigned long long)r->tokens.expected, (unsigned long long)r->tokens.low,
                          (unsigned long long)r->tokens.high,
                          r->output.known ? " besides the answer" : "");
    if (x->capability && x->message == code_text(CODE_capability_unsupported))
        return str_printf(ar, "this needs %s, which the model does not have", x->capability);
    if (f->rule == SNAP_NONE)
        return str_of(x->message);
    if (target_rule(r->target, f->rule).check == CHECK_COVERS)
        return with_missing(ar, r, f, x);
    return with_value(ar, r, f, x);
}

/* What the rewrite would do; empty: there is none. */
static struct str repair_of(struct arena *ar, const cando_report *r, const struct report_finding *f)
{
    const struct snapshot *s = &r->target->catalog->snap;
    struct snap_req_rule rule = target_rule(r->target, f->rule);
    char room[REWRITE_LIST];
    struct str value = rewrite_value(r->target, &rule, r->text, (struct scan_place){f->at, f->end},
                                     room, sizeof room);
    struct str meant;
    switch (rule.fix) {
    case FIX_RENAME:
        meant = snap_str(s, rule.fix_text);
        return str_printf(ar, "%s it to '%s'",
                          str_find_char(meant, '.') < meant.n ? "move" : "rename", meant.p);
    case FIX_DROP:
        meant = is_shape_rule(f->rule) ? report_shape_meant(r, f) : STR("");
        if (!meant.n)
            return STR("leave it out");
        return str_printf(ar, "rename it to '%.*s'; if it is not wanted, leave it out",
                          STR_ARG(meant));
    case FIX_SET:
        return str_join(ar, STR("set it to "), value, STR(""));
    case FIX_ADD:
        return str_printf(ar, "set '%s' to %.*s", snap_str(s, snap_req_item(s, rule.fix_text, 0)).p,
                          STR_ARG(value));
    case FIX_CLAMP:
    case FIX_MAP:
        return value.n ? str_join(ar, STR("set it to "), value, STR("")) : STR("");
    default:
        return STR("");
    }
}

/* "message.role": what stands for the name of a rule. */
static struct str shape_name(struct arena *ar, const cando_report *r,
                             const struct report_finding *f)
{
    struct str object, member;
    struct scan_found found = {
        .wrong = f->wrong, .member = f->member, .object = f->object, .bit = f->bit};
    scan_shape_names(&r->target->catalog->snap, &found, &object, &member);
    if (object.n == 0 || member.n == 0)
        return str_dup(ar, object.n ? object : member);
    return str_printf(ar, "%.*s.%.*s", STR_ARG(object), STR_ARG(member));
}

/* A rule may speak of a member that is not there. */
static struct str path_of(struct arena *ar, const cando_report *r, const struct report_finding *f)
{
    const struct snapshot *s = &r->target->catalog->snap;
    struct str path = locate_path(ar, r->text, f->at);
    if (!path.p || f->rule == SNAP_NONE || is_shape_rule(f->rule))
        return path;
    struct snap_req_rule rule = snap_req_rule(s, f->rule);
    struct str member = rule.fix == FIX_NONE ? snap_str(s, rule.fix_text) : STR("");
    return member.n ? str_join(ar, path, STR("/"), member) : path;
}

bool report_words(struct arena *ar, const cando_report *r, size_t i, cando_finding *out)
{
    const struct report_finding *f = &r->finding[i];
    cando_finding x = cando_report_finding(r, i);
    struct str path = path_of(ar, r, f), message = message_of(ar, r, f, &x);
    struct str hint = x.hint || f->rule == SNAP_NONE ? STR("") : repair_of(ar, r, f);
    if (f->rule == SNAP_NONE)
        asked_words(ar, r, f, &message, &hint);
    if (!path.p || !message.p || !hint.p)
        return false;
    x.path = path.p;
    x.message = message.p;
    if (hint.n)
        x.hint = hint.p;
    if (is_shape_rule(f->rule)) {
        struct str name = shape_name(ar, r, f);
        if (!name.p)
            return false;
        x.rule = name.p;
    }
    *out = x;
    return true;
}

const cando_finding *cando_report_words(const cando_report *r, cando_room *room, size_t *n,
                                        cando_error *err)
{
    cando_finding *list = arena_array(&room->ar, r->n_findings ? r->n_findings : 1, sizeof *list);
    bool ok = list != NULL;
    for (size_t i = 0; i < r->n_findings && ok; i++)
        ok = report_words(&room->ar, r, i, &list[i]);
    *n = ok ? r->n_findings : 0;
    if (!ok)
        error_memory(err);
    return ok ? list : NULL;
}

/* -- changes -------------------------------------------------------------------------------- */

static bool add_change(struct arena *ar, struct change_list *list, cando_patch c)
{
    if (!c.path || !ARENA_GROW(ar, list->item, list->n, list->cap))
        return false;
    list->item[list->n++] = c;
    return true;
}

/* A pointer with a name behind it; a dot is a step. NULL: no memory. */
static const char *below(struct arena *ar, struct str pointer, struct str name)
{
    struct str own = str_printf(ar, "%.*s/%.*s", STR_ARG(pointer), STR_ARG(name));
    for (size_t i = pointer.n; own.p && i < own.n; i++)
        if (own.p[i] == '.')
            ((char *)own.p)[i] = '/';
    return own.p;
}

/* The member goes to another name of its object; the object that it moves into has to be there. */
static bool add_move(struct arena *ar, struct change_list *list, struct str at, struct str name,
                     bool there)
{
    size_t dot = str_find_char(name, '.'), cut = str_behind_last(at, '/');
    struct str object = str_head(at, cut ? cut - 1 : 0);
    if (dot < name.n && !there) {
        cando_patch add = {"add", NULL, below(ar, object, str_head(name, dot)), {"{}", 2}};
        if (!add_change(ar, list, add))
            return false;
    }
    return add_change(ar, list, (cando_patch){"move", at.p, below(ar, object, name), {0}});
}

static bool add_value(struct arena *ar, struct change_list *list, const char *op, const char *path,
                      struct str value)
{
    if (!value.p)
        return false;
    return add_change(ar, list, (cando_patch){op, NULL, path, {value.p, value.n}});
}

/* A member of the request, "a" or "a.b"; the object around it is made if it is not there. */
static bool add_member(struct arena *ar, struct change_list *list, struct str text, struct str name,
                       struct str value)
{
    struct str whole = name;
    struct scan_place old;
    size_t in = rewrite_add_place(text, &name), dot = str_find_char(name, '.');
    bool there = locate_member(text, in, name, &old);
    if (dot == name.n)
        return add_value(ar, list, there ? "replace" : "add", below(ar, STR(""), whole), value);
    struct str object =
        str_printf(ar, "{\"%.*s\":%.*s}", STR_ARG(str_from(name, dot + 1)), STR_ARG(value));
    return add_value(ar, list, "add", below(ar, STR(""), str_head(name, dot)), object);
}

static bool add_edit(const cando_report *r, const struct report_edit *e, struct arena *ar,
                     struct change_list *list)
{
    const struct snapshot *s = &r->target->catalog->snap;
    struct snap_req_rule rule = target_rule(r->target, e->rule);
    struct str at = locate_path(ar, r->text, e->place.at), name, value;
    struct scan_place object;
    bool there;
    char room[REWRITE_LIST];
    if (!at.p)
        return false;
    value = rewrite_value(r->target, &rule, r->text, e->place, room, sizeof room);
    switch (rule.fix) {
    case FIX_RENAME:
        name = snap_str(s, rule.fix_text);
        there = rewrite_into(r->text, e->place.at, name, &object);
        return add_move(ar, list, at, name, there);
    case FIX_DROP:
        return add_change(ar, list, (cando_patch){"remove", NULL, at.p, {0}});
    case FIX_SET:
    case FIX_MAP:
    case FIX_CLAMP:
        return add_value(ar, list, "replace", at.p, str_dup(ar, value));
    case FIX_ADD:
        name = snap_str(s, snap_req_item(s, rule.fix_text, 0));
        return add_member(ar, list, r->text, name, str_dup(ar, value));
    default:
        return true;
    }
}

bool report_changes(const cando_report *r, struct arena *ar, struct change_list *list)
{
    for (uint32_t i = 0; i < r->n_edits; i++)
        if (!add_edit(r, &r->edit[i], ar, list))
            return false;
    return true;
}
