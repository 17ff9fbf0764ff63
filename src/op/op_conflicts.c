/*
 * op_conflicts.c - conflicts: where do sources disagree, and who won?
 *
 * Of the catalog in force, from the claims that its rows carry; or, with
 * `sources`, of the files that come with the question.
 */
#include "op.h"

#include "facts/conflicts.h"

static const struct op_arg args[] = {
    {"target", false, "only this model: \"provider/model\" or {\"provider\":..,\"model\":..}"},
    {"provider", false, "only this provider"},
    {"field", false, "only this field; 'price' is every rate"},
    {"source", false, "only where this source spoke"},
    {"kind", false, "'absurd', 'conflict', 'input-window', 'rounding', 'silent' or 'placeholder'"},
    {"limit", false, "list at most so many"},
    {"sources", false, "[{\"source\":..,\"day\":..,\"text\":..},..]: compare these files, not the catalog's claims"},
    {0},
};

struct filter {
    struct str provider, model, field, source;
    unsigned kind;  /* CONFLICT_KINDS: all */
    uint64_t limit;
};

static bool arg_field(struct op_call *c, struct filter *f)
{
    struct str name;
    if (!arg_text(c, "field", &name) || !name.n)
        return !json_get(c->args, "field") || name.n || op_fail(c, CODE_unknown_field, STR("/field"), "'field' is empty");
    if (str_starts(name, STR("price"))) {
        f->field = name;
        return true;
    }
    unsigned field = vocab_find_any(name);
    if (field == FIELD_COUNT) {
        op_fail(c, CODE_unknown_field, STR("/field"), "there is no field '%.*s'", STR_ARG(str_head(name, 80)));
        struct str near = vocab_suggest(VOCAB_CANDO, name);
        return near.n ? op_hint(c, "did you mean '%.*s'?", STR_ARG(near)) : op_hint(c, "'cando help fields' lists them");
    }
    f->field = str_of(vocab_row(field == F_max_input ? F_context_window : field)->name);
    return true;
}

static bool arg_filter(struct op_call *c, struct filter *f)
{
    static const char *const kinds[] = {"placeholder", "silent", "rounding", "input-window", "conflict", "absurd"};
    const struct json *limit = json_get(c->args, "limit");
    *f = (struct filter){.provider = STR(""), .model = STR(""), .field = STR(""), .source = STR(""), .limit = UINT64_MAX};
    if (!arg_text(c, "provider", &f->provider) || !arg_text(c, "source", &f->source) || !arg_field(c, f) ||
        !arg_word(c, "kind", kinds, CONFLICT_KINDS, CONFLICT_KINDS, &f->kind))
        return false;
    if (json_get(c->args, "target") && !arg_target(c, "target", &f->provider, &f->model))
        return false;
    if (f->source.n && fact_source_find(f->source) == FACT_SOURCES)
        return op_fail(c, CODE_bad_argument, STR("/source"), "there is no source '%.*s'", STR_ARG(str_head(f->source, 80)));
    if (limit && !json_uint(limit, &f->limit))
        return op_fail(c, CODE_bad_argument, STR("/limit"), "'limit' must be a whole number, it is %s", json_kind_name(limit));
    if (f->provider.n) { /* by any name of it */
        uint32_t p = snapshot_provider(&c->catalog->snap, f->provider);
        if (p != SNAP_NONE)
            f->provider = snap_str(&c->catalog->snap, snap_provider(&c->catalog->snap, p).id);
    }
    return true;
}

static bool passes(const struct filter *f, const struct conflict *x)
{
    bool spoke = f->source.n == 0;
    for (size_t i = 0; i < x->n && !spoke; i++)
        spoke = str_eq(x->claim[i].source, f->source);
    return spoke && (f->kind == CONFLICT_KINDS || f->kind == x->kind) && (!f->provider.n || str_eq_fold(f->provider, x->provider)) &&
           (!f->model.n || str_eq_fold(f->model, x->model)) &&
           (!f->field.n || str_eq(f->field, x->field) || (str_is(f->field, "price") && str_starts(x->field, STR("price."))));
}

static void write_text(struct json_writer *w, struct str s)
{
    if (s.p)
        jw_str(w, s);
    else
        jw_null(w);
}

static void write_conflict(struct json_writer *w, const struct conflict *x)
{
    jw_object(w);
    jw_keyz(w, "provider");
    jw_str(w, x->provider);
    jw_keyz(w, "model");
    jw_str(w, x->model);
    jw_keyz(w, "field");
    jw_str(w, x->field);
    jw_keyz(w, "kind");
    jw_strz(w, conflict_kind_name(x->kind));
    jw_keyz(w, "value");
    write_text(w, x->value);
    jw_keyz(w, "claims");
    jw_array(w);
    for (size_t i = 0; i < x->n; i++) {
        const struct conflict_claim *c = &x->claim[i];
        jw_object(w);
        jw_keyz(w, "source");
        jw_str(w, c->source);
        jw_keyz(w, "day");
        jw_str(w, c->day);
        jw_keyz(w, "value");
        write_text(w, c->value);
        if (c->on.n) {
            jw_keyz(w, "on");
            jw_str(w, c->on);
        }
        jw_keyz(w, "wins");
        jw_bool(w, c->wins);
        jw_object_end(w);
    }
    jw_array_end(w);
    jw_object_end(w);
}

/* -- sums -------------------------------------------------------------------------------------- */

struct tally {
    struct str name;
    size_t n, won;
};

struct tallies {
    struct tally *item;
    size_t n, cap;
};

static bool tally(struct op_call *c, struct tallies *t, struct str name, bool won)
{
    for (size_t i = 0; i < t->n; i++)
        if (str_eq(t->item[i].name, name)) {
            t->item[i].n++;
            t->item[i].won += won;
            return true;
        }
    if (!ARENA_GROW(c->ar, t->item, t->n, t->cap))
        return op_memory(c);
    t->item[t->n++] = (struct tally){name, 1, won};
    return true;
}

/* The most first; names decide between equals. */
static void tallies_sort(struct tallies *t)
{
    for (size_t i = 1; i < t->n; i++)
        for (size_t k = i; k > 0; k--) {
            struct tally *a = &t->item[k - 1], *b = &t->item[k], keep = *a;
            if (a->n > b->n || (a->n == b->n && str_cmp(a->name, b->name) <= 0))
                break;
            *a = *b;
            *b = keep;
        }
}

static void write_tallies(struct json_writer *w, const char *key, struct tallies *t, bool won)
{
    tallies_sort(t);
    jw_keyz(w, key);
    jw_object(w);
    for (size_t i = 0; i < t->n; i++) {
        jw_key(w, t->item[i].name);
        if (!won) {
            jw_uint(w, t->item[i].n);
            continue;
        }
        jw_object(w);
        jw_keyz(w, "won");
        jw_uint(w, t->item[i].won);
        jw_keyz(w, "lost");
        jw_uint(w, t->item[i].n - t->item[i].won);
        jw_object_end(w);
    }
    jw_object_end(w);
}

static bool write_list(struct op_call *c, const struct conflict_list *l, const struct filter *f)
{
    struct tallies kinds = {0}, fields = {0}, sources = {0};
    uint64_t total = 0;
    jw_object(c->w);
    jw_keyz(c->w, "conflicts");
    jw_array(c->w);
    for (size_t i = 0; i < l->n; i++) {
        const struct conflict *x = &l->item[i];
        if (!passes(f, x))
            continue;
        if (total++ < f->limit)
            write_conflict(c->w, x);
        if (!tally(c, &kinds, str_of(conflict_kind_name(x->kind)), false) || !tally(c, &fields, x->field, false))
            return false;
        for (size_t k = 0; k < x->n; k++)
            if (x->claim[k].value.p && !tally(c, &sources, x->claim[k].source, x->claim[k].wins))
                return false;
    }
    jw_array_end(c->w);
    jw_keyz(c->w, "total");
    jw_uint(c->w, total);
    write_tallies(c->w, "by_kind", &kinds, false);
    write_tallies(c->w, "by_field", &fields, false);
    write_tallies(c->w, "by_source", &sources, true);
    jw_object_end(c->w);
    return true;
}

static bool run(struct op_call *c)
{
    struct filter f;
    struct conflict_list l;
    struct id_tables ids = snapshot_ids(&c->catalog->snap);
    struct import *im = NULL;
    struct merged m;
    conflicts_init(&l, c->ar);
    if (!arg_filter(c, &f))
        return false;
    if (json_get(c->args, "sources")) {
        im = arena_alloc(c->ar, sizeof *im);
        if (!im)
            return op_memory(c);
        if (!arg_fact_sources(c, &ids, im))
            return false;
        if (!merge_claims(im, &m))
            return op_memory(c);
        conflicts_from_merge(&l, im, &m);
    } else {
        conflicts_from_catalog(&l, c->catalog);
    }
    if (l.failed)
        return op_memory(c);
    conflicts_sort(&l);
    return write_list(c, &l, &f);
}

const struct op op_conflicts = {.name = "conflicts", .doc = "where sources disagree, what each said and which won", .arg = args, .run = run};
