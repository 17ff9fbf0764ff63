/*
 * ask_conflicts.c - conflicts: where do sources disagree, and who won?
 *
 * Of the catalog in force, from the claims that its rows carry; or, with
 * `sources`, of the files that come with the question.
 */
#include "ask.h"

#include "conflicts.h"

struct filter {
    struct str provider, model, field, source;
    cando_conflict_kind kind;
    uint64_t limit;
};

static bool read_field(struct reading *r, const char *written, struct filter *f)
{
    struct str name = str_of(written ? written : "");
    if (!written || str_starts(name, STR("price"))) {
        f->field = name;
        return true;
    }
    unsigned field = name.n ? vocab_find_any(name) : FIELD_COUNT;
    if (field == FIELD_COUNT) {
        reading_fail(r, CODE_unknown_field, STR("/field"), "there is no field '%.*s'",
                     STR_ARG(str_head(name, 80)));
        return reading_suggest(r, vocab_suggest(VOCAB_CANDO, name),
                               "'cando help fields' lists them");
    }
    f->field = str_of(vocab_row(field == F_max_input ? F_context_window : field)->name);
    return true;
}

static bool read_filter(struct reading *r, const cando_conflicts_question *q,
                        const cando_catalog *cat, struct filter *f)
{
    const struct snapshot *s = &cat->snap;
    *f = (struct filter){.provider = str_of(q->provider ? q->provider : ""),
                         .model = STR(""),
                         .kind = q->kind,
                         .source = str_of(q->source ? q->source : ""),
                         .limit = q->limit.known ? q->limit.value : UINT64_MAX};
    if (!read_field(r, q->field, f))
        return false;
    if (q->target && !name_split(*q->target, &f->provider, &f->model, STR("/target"), &r->error))
        return false;
    if (f->source.n && fact_source_find(f->source) == FACT_SOURCES)
        return reading_fail(r, CODE_bad_argument, STR("/source"), "there is no source '%.*s'",
                            STR_ARG(str_head(f->source, 80)));
    uint32_t p = f->provider.n ? snapshot_provider(s, f->provider) : SNAP_NONE;
    if (p != SNAP_NONE) /* by any name of it */
        f->provider = snap_str(s, snap_provider(s, p).id);
    return true;
}

static bool passes(const struct filter *f, const struct conflict *x)
{
    bool spoke = f->source.n == 0;
    for (size_t i = 0; i < x->n && !spoke; i++)
        spoke = str_eq(x->claim[i].source, f->source);
    if (!spoke || (f->kind && f->kind != x->kind))
        return false;
    if (f->provider.n && !str_eq_fold(f->provider, x->provider))
        return false;
    if (f->model.n && !str_eq_fold(f->model, x->model))
        return false;
    if (!f->field.n || str_eq(f->field, x->field))
        return true;
    return str_is(f->field, "price") && str_starts(x->field, STR("price."));
}

static void take_conflict(struct reading *r, const struct conflict *x, cando_conflict *out)
{
    cando_claim *claims = arena_array(r->ar, x->n, sizeof *claims);
    *out = (cando_conflict){reading_copy(r, x->provider),
                            reading_copy(r, x->model),
                            reading_copy(r, x->field),
                            x->kind,
                            reading_copy(r, x->value),
                            claims,
                            x->n};
    if (!claims)
        reading_memory(r);
    for (size_t i = 0; claims && i < x->n; i++) {
        const struct conflict_claim *c = &x->claim[i];
        claims[i] = (cando_claim){reading_copy(r, c->source), reading_copy(r, c->day),
                                  reading_copy(r, c->value),
                                  c->on.n ? reading_copy(r, c->on) : NULL, c->wins};
    }
}

/* -- sums -------------------------------------------------------------------------------------- */

struct count {
    struct str name;
    size_t n, won;
};

struct counts {
    struct count *item;
    size_t n, cap;
};

static void count(struct reading *r, struct counts *t, struct str name, bool won)
{
    for (size_t i = 0; i < t->n; i++)
        if (str_eq(t->item[i].name, name)) {
            t->item[i].n++;
            t->item[i].won += won;
            return;
        }
    if (ARENA_GROW(r->ar, t->item, t->n, t->cap))
        t->item[t->n++] = (struct count){name, 1, won};
    else
        reading_memory(r);
}

/* The most first; names decide between equals. */
static void counts_sort(struct counts *t)
{
    for (size_t i = 1; i < t->n; i++)
        for (size_t k = i; k > 0; k--) {
            struct count *a = &t->item[k - 1], *b = &t->item[k], keep = *a;
            if (a->n > b->n || (a->n == b->n && str_cmp(a->name, b->name) <= 0))
                break;
            *a = *b;
            *b = keep;
        }
}

static const cando_tally *take_counts(struct reading *r, struct counts *t, size_t *n)
{
    cando_tally *list = arena_array(r->ar, t->n, sizeof *list);
    counts_sort(t);
    if (!list)
        reading_memory(r);
    for (size_t i = 0; list && i < t->n; i++)
        list[i] = (cando_tally){reading_copy(r, t->item[i].name), t->item[i].n};
    *n = t->n;
    return list;
}

static const cando_source_score *take_scores(struct reading *r, struct counts *t, size_t *n)
{
    cando_source_score *list = arena_array(r->ar, t->n, sizeof *list);
    cando_score *score = arena_array(r->ar, t->n, sizeof *score);
    counts_sort(t);
    if (!list || !score)
        reading_memory(r);
    for (size_t i = 0; list && score && i < t->n; i++) {
        score[i] = (cando_score){t->item[i].won, t->item[i].n - t->item[i].won};
        list[i] = (cando_source_score){reading_copy(r, t->item[i].name), &score[i]};
    }
    *n = t->n;
    return list;
}

/* -- the answer -------------------------------------------------------------------------- */

static bool take_all(struct reading *r, const struct conflict_list *l, const struct filter *f,
                     cando_conflicts_answer *a)
{
    struct counts kinds = {0}, fields = {0}, sources = {0};
    cando_conflict *list = NULL;
    size_t cap = 0;
    for (size_t i = 0; i < l->n && !reading_no_memory(r); i++) {
        const struct conflict *x = &l->item[i];
        if (!passes(f, x))
            continue;
        if (a->total++ < f->limit) {
            if (!ARENA_GROW(r->ar, list, a->n_conflicts, cap))
                return reading_memory(r);
            take_conflict(r, x, &list[a->n_conflicts++]);
        }
        count(r, &kinds, str_of(conflict_words[x->kind]), false);
        count(r, &fields, x->field, false);
        for (size_t k = 0; k < x->n; k++)
            if (x->claim[k].value.p)
                count(r, &sources, x->claim[k].source, x->claim[k].wins);
    }
    a->conflicts = list;
    a->by_kind = take_counts(r, &kinds, &a->n_by_kind);
    a->by_field = take_counts(r, &fields, &a->n_by_field);
    a->by_source = take_scores(r, &sources, &a->n_by_source);
    return !reading_no_memory(r);
}

static bool find_conflicts(struct reading *r, const cando_conflicts_question *q,
                           const cando_catalog *cat, struct conflict_list *l)
{
    conflicts_init(l, r->ar);
    if (q->sources) {
        struct id_tables ids = snapshot_ids(&cat->snap);
        struct import *im = arena_alloc(r->ar, sizeof *im);
        struct merged m;
        if (!im)
            return reading_memory(r);
        if (!ask_sources(r, q->sources, q->n_sources, &ids, im))
            return false;
        if (!merge_claims(im, &m))
            return reading_memory(r);
        conflicts_from_merge(l, im, &m);
    } else {
        conflicts_from_catalog(l, cat);
    }
    if (l->ar->failed)
        return reading_memory(r);
    conflicts_sort(l);
    return true;
}

static bool answer(struct reading *r, const cando_conflicts_question *q, const cando_catalog *cat,
                   cando_conflicts_answer *a)
{
    struct filter f;
    struct conflict_list l;
    if (!read_filter(r, q, cat, &f))
        return false;
    if (!find_conflicts(r, q, cat, &l))
        return false;
    return take_all(r, &l, &f, a);
}

const cando_conflicts_answer *cando_ask_conflicts(const cando *c, const cando_conflicts_question *q,
                                                  cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const cando_catalog *cat = room_catalog(room, c);
    cando_conflicts_answer *a = cat ? arena_alloc(&room->ar, sizeof *a) : NULL;
    if (!a)
        error_memory(&r.error);
    else if (answer(&r, q, cat, a))
        return a;
    reading_end(&r, err);
    return NULL;
}
