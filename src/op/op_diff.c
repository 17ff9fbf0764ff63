/*
 * op_diff.c - diff: what does a switch from one to the other gain and lose?
 *
 * Each side is a model of the catalog, a backend, or claims given inline. Fields of
 * the catalog are compared whole; where one side is inline, only what needs can ask
 * for (capabilities, flags, limits, closed lists) is.
 */
#include "decide.h"

#include "catalog/profile.h"
#include "decide/match.h"

static const struct op_arg args[] = {
    {"a", true, "\"provider/model\", {\"manifest\":{..}}, {\"backend\":..} or {\"profile\":..,\"profile_form\":..}"},
    {"b", true, "the same, for the other side"},
    {"rules", false, "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"},
    {"overlay", false, "rules on top, in the same shape"},
    {0},
};

struct side {
    struct str name;        /* for the reply */
    struct backend room;    /* its profile, where it has one */
    bool whole;             /* the profile tells all fields */
    cando_planes planes;
};

static bool side_inline(struct op_call *c, struct reading *r, const struct json *v, const char *arg, struct side *out)
{
    const struct json *profile = json_get(v, "profile"), *manifest = json_get(v, "manifest"), *form = json_get(v, "profile_form");
    struct str at = str_printf(c->ar, "/%s", arg);
    enum claim_form f = FORM_MANIFEST;
    if (!reading_keys(r, v, at, "a side", manifest ? "manifest" : "profile profile_form"))
        return op_fail_need(c, r);
    if (!manifest) {
        f = claims_guess(profile);
        bool known = !form;
        for (unsigned i = 0; i < FORM_COUNT && form && form->kind == JSON_STRING; i++)
            if (str_is(form->text, claim_forms[i])) {
                f = (enum claim_form)i;
                known = true;
            }
        if (!known) {
            op_fail(c, CODE_bad_argument, str_printf(c->ar, "/%s/profile_form", arg), "no such form of a profile");
            return op_hint(c, "known: 'claims', 'manifest', 'model_ref', 'cando'");
        }
    }
    out->name = manifest ? STR("manifest") : STR("profile");
    return claims_read(r, f, manifest ? manifest : profile, str_printf(c->ar, "/%s/%s", arg, manifest ? "manifest" : "profile"),
                       &out->planes) ||
           op_fail_need(c, r);
}

static bool read_side(struct op_call *c, const cando_catalog *cat, const char *arg, struct side *out)
{
    struct reading r = {.ar = c->ar};
    const struct json *v = json_get(c->args, arg);
    cando_error err = {0};
    if (v->kind == JSON_OBJECT && (json_get(v, "profile") || json_get(v, "manifest")))
        return side_inline(c, &r, v, arg, out);
    if (v->kind == JSON_OBJECT && json_get(v, "backend")) {
        const struct json *b = json_get(v, "backend");
        struct str at = str_printf(c->ar, "/%s/backend", arg);
        if (!reading_keys(&r, v, at, "a side", "backend") || !reading_text(&r, v, at, "backend", true, &out->name) ||
            !match_backend(&r, cat, b->text, at, &out->room))
            return op_fail_need(c, &r);
        out->planes = out->room.planes;
        return true;
    }
    struct str provider, model;
    if (!arg_target(c, arg, &provider, &model))
        return false;
    if (cando_resolve_parts(cat, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN, &out->room.profile, &err) != CANDO_OK)
        return op_fail_error(c, str_printf(c->ar, "/%s", arg), &err);
    out->name = str_printf(c->ar, "%.*s/%.*s", STR_ARG(provider), STR_ARG(model));
    out->whole = true;
    cando_profile_pack(&out->room.profile, &out->planes);
    return out->name.p || op_memory(c);
}

/* -- values --------------------------------------------------------------------------------- */

/* A field of a side. `*set` is used where the value is a list of an inline side. */
static cando_value side_value(const struct side *s, unsigned f, uint32_t *set)
{
    *set = 0;
    if (s->whole)
        return profile_fact(&s->room.profile, f).value;
    cando_value v = {.type = vocab_row(f)->type};
    if (plane_slot(f) != SLOT_NONE) {
        v.support = planes_level(&s->planes, plane_slot(f));
        v.known = v.support != CANDO_UNKNOWN;
        v.flag = v.support == CANDO_NATIVE;
        if (v.support == CANDO_RESTRICTED)
            v.text = planes_reason(&s->planes, plane_slot(f)).p;
    } else if (plane_number(f) != SLOT_NONE) {
        v.known = s->planes.number_known >> plane_number(f) & 1;
        v.number = s->planes.number[plane_number(f)];
    } else if (plane_set(f) != SLOT_NONE) {
        v.known = s->planes.set_known >> plane_set(f) & 1;
        *set = s->planes.set[plane_set(f)];
    }
    return v;
}

static bool same_list(const struct side *a, cando_value x, const struct side *b, cando_value y)
{
    if (x.count != y.count)
        return false;
    for (uint32_t i = 0; i < x.count; i++)
        if (!str_eq(value_item(&a->room.profile.catalog->snap, x, i), value_item(&b->room.profile.catalog->snap, y, i)))
            return false;
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

static bool same(const struct side *a, cando_value x, const struct side *b, cando_value y, unsigned f)
{
    if (x.known != y.known || !x.known)
        return x.known == y.known;
    switch (x.type) {
    case CANDO_SUPPORT:
        return x.support == y.support && same_text(x.text, y.text);
    case CANDO_FLAG:
        return x.flag == y.flag;
    case CANDO_NUMBER:
        return x.number == y.number;
    case CANDO_LIST:
        if (!a->whole || !b->whole)
            return a->planes.set[plane_set(f)] == b->planes.set[plane_set(f)];
        return same_list(a, x, b, y);
    case CANDO_MAP:
        return same_list(a, x, b, y);
    default:
        return same_text(x.text, y.text);
    }
}

static void write_side(struct json_writer *w, const struct side *s, unsigned f, cando_value v, uint32_t set)
{
    if (s->whole || !v.known || v.type != CANDO_LIST) {
        op_value(w, &v);
        return;
    }
    const char *cursor = vocab_row(f)->words;
    struct str word;
    jw_array(w);
    for (unsigned i = 0; i < 32 && words_next(&cursor, &word); i++)
        if (set >> i & 1)
            jw_str(w, word);
    jw_array_end(w);
}

/* What the step from x to y is: a capability won or lost, a limit raised or lowered,
 * something that is now known or no longer, or just a change. */
static const char *change(cando_value x, cando_value y)
{
    if (x.known != y.known)
        return x.known ? "unknown" : "known";
    if (x.type == CANDO_SUPPORT && x.support != y.support)
        return y.support > x.support ? "gain" : "loss";
    if (x.type == CANDO_NUMBER)
        return y.number > x.number ? "gain" : "loss";
    return "change";
}

/* -- the reply -------------------------------------------------------------------------------- */

/* Can the field be compared at all between these two? Who claimed what is no part of
 * what a model does. */
static bool comparable(const struct side *a, const struct side *b, unsigned f)
{
    if (f == F_claims)
        return false;
    return (a->whole && b->whole) || plane_slot(f) != SLOT_NONE || plane_number(f) != SLOT_NONE || plane_set(f) != SLOT_NONE;
}

static void write_changes(struct json_writer *w, const struct side *a, const struct side *b)
{
    jw_keyz(w, "changes");
    jw_array(w);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t sa, sb;
        if (!comparable(a, b, f))
            continue;
        cando_value x = side_value(a, f, &sa), y = side_value(b, f, &sb);
        if (same(a, x, b, y, f))
            continue;
        jw_object(w);
        jw_keyz(w, "field");
        jw_strz(w, vocab_row(f)->name);
        jw_keyz(w, "a");
        write_side(w, a, f, x, sa);
        jw_keyz(w, "b");
        write_side(w, b, f, y, sb);
        jw_keyz(w, "change");
        jw_strz(w, change(x, y));
        jw_object_end(w);
    }
    jw_array_end(w);
}

/* Names of the fields with one kind of change; `usable` only where what was there is
 * gone, or the other way round. */
static void write_names(struct json_writer *w, const char *key, const struct side *a, const struct side *b, const char *kind)
{
    jw_keyz(w, key);
    jw_array(w);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        uint32_t sa, sb;
        if (!comparable(a, b, f))
            continue;
        cando_value x = side_value(a, f, &sa), y = side_value(b, f, &sb);
        if (!same(a, x, b, y, f) && strcmp(change(x, y), kind) == 0)
            jw_strz(w, vocab_row(f)->name);
    }
    jw_array_end(w);
}

static bool run_with(struct op_call *c, const cando_catalog *cat)
{
    struct side *a = arena_alloc(c->ar, sizeof *a), *b = arena_alloc(c->ar, sizeof *b);
    if (!a || !b)
        return op_memory(c);
    if (!read_side(c, cat, "a", a) || !read_side(c, cat, "b", b))
        return false;
    jw_object(c->w);
    jw_keyz(c->w, "a");
    jw_str(c->w, a->name);
    jw_keyz(c->w, "b");
    jw_str(c->w, b->name);
    write_names(c->w, "gains", a, b, "gain");
    write_names(c->w, "losses", a, b, "loss");
    write_changes(c->w, a, b);
    jw_object_end(c->w);
    return true;
}

static bool run(struct op_call *c)
{
    const cando_catalog *cat = arg_catalog(c);
    if (!cat)
        return false;
    bool ok = run_with(c, cat);
    cando_catalog_release(cat);
    return ok;
}

const struct op op_diff = {.name = "diff", .doc = "what a switch from one to the other gains and loses", .arg = args, .run = run};
