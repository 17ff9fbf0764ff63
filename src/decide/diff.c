/*
 * diff.c - diff: what does a switch from one to the other gain and lose?
 *
 * Each side is a model of the catalog, a backend, or claims that are given inline. Fields of
 * the catalog are compared whole; where one side is inline, only what needs can ask for
 * (capabilities, flags, limits, closed lists) is.
 */
#include "catalog/engine.h"
#include "catalog/offered.h"
#include "catalog/profile.h"
#include "claims.h"
#include "match.h"
#include "rules/view.h"

struct side {
    const char *name; /* for the answer */
    bool whole;       /* a profile tells all fields */
    bool declared;    /* a backend or a manifest: what it does not advertise is not there */
    cando_profile profile;
    const cando_planes *planes; /* where it does not, or the other side's does not */
    cando_planes room;
    cando_value value[FIELD_COUNT];
};

/* -- the sides ----------------------------------------------------------------------------- */

static bool read_claims(struct reading *r, const cando_side *q, struct str at, struct side *out)
{
    bool manifest = q->manifest.p != NULL;
    out->name = manifest ? "manifest" : "profile";
    out->planes = &out->room;
    out->declared = manifest || q->profile_form == CANDO_FORM_MANIFEST;
    return claims_read_text(r, manifest ? CANDO_FORM_MANIFEST : q->profile_form,
                            manifest ? q->manifest : q->profile, reading_at(r, at, out->name),
                            &out->room);
}

static bool read_backend(struct reading *r, const cando_catalog *cat, const cando_side *q,
                         struct str at, struct side *out)
{
    const struct backend *b =
        match_backend(r, cat, str_of(q->backend), reading_at(r, at, "backend"));
    if (!b)
        return false;
    out->name = str_dup(r->ar, str_of(q->backend)).p;
    out->planes = &b->planes;
    out->declared = true;
    return out->name || reading_memory(r);
}

static bool read_model(struct reading *r, const cando_catalog *cat, const cando_side *q,
                       struct str at, struct side *out)
{
    struct str provider, model;
    cando_error err = {0};
    if (!q->model)
        return reading_fail(r, CODE_missing_argument, reading_at(r, at, "model"),
                            "the side has no 'model'");
    if (!offered_name(cat, (cando_name){q->model, q->provider}, &provider, &model, at, &err))
        return reading_error(r, at, &err);
    if (cando_resolve_parts(cat, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN,
                            &out->profile, &err) != CANDO_OK)
        return reading_error(r, at, &err);
    out->whole = true;
    out->declared = match_is_backend(cat, out->profile.provider);
    out->name = str_printf(r->ar, "%.*s/%.*s", STR_ARG(provider), STR_ARG(model)).p;
    return out->name || reading_memory(r);
}

static bool read_side(struct reading *r, const cando_catalog *cat, const cando_side *q,
                      struct str at, struct side *out)
{
    static const cando_side none;
    if (!q)
        q = &none;
    bool named = q->model || q->provider;
    if (named + !!q->backend + !!q->manifest.p + !!q->profile.p > 1)
        return reading_fail(r, CODE_bad_argument, at,
                            "a side is a model, a backend, a manifest or a profile");
    if (q->profile_form && !q->profile.p)
        return reading_fail(r, CODE_missing_argument, reading_at(r, at, "profile"),
                            "there is a 'profile_form' and no 'profile'");
    if (q->manifest.p || q->profile.p)
        return read_claims(r, q, at, out);
    return q->backend ? read_backend(r, cat, q, at, out) : read_model(r, cat, q, at, out);
}

/* -- values -------------------------------------------------------------------------------- */

static bool plane_value(struct reading *r, const cando_planes *p, unsigned f, cando_value *out)
{
    unsigned slot = plane_slot(f), number = plane_number(f), set = plane_set(f);
    *out = (cando_value){.type = vocab_row(f)->type};
    if (slot != SLOT_NONE) {
        out->support = planes_level(p, slot);
        out->known = out->support != CANDO_UNKNOWN;
        out->flag = out->support == CANDO_NATIVE;
        if (out->support == CANDO_RESTRICTED)
            out->text = planes_reason(p, slot).p;
    } else if (number != SLOT_NONE) {
        out->known = p->number_known >> number & 1;
        out->number = p->number[number];
    } else if (set != SLOT_NONE && p->set_known >> set & 1) {
        const char *const *words;
        size_t n;
        if (!need_set_words(r, set, p->set[set], &words, &n))
            return false;
        *out = value_list(words, (uint32_t)n);
    }
    return true;
}

static bool read_values(struct reading *r, struct side *s)
{
    if (s->whole) {
        struct profile_fact fact[FIELD_COUNT];
        profile_facts(&s->profile, fact);
        for (unsigned f = 0; f < FIELD_COUNT; f++) {
            s->value[f] = fact[f].value;
            /* a list of modalities as `resolve` tells it: single fields correct what was listed */
            if (view_is_corrected(f) && fact[f].value.known &&
                !view_list(fact, r->ar, f, &s->value[f]))
                return reading_memory(r);
        }
        cando_profile_pack(&s->profile, &s->room);
        s->planes = &s->room;
        return true;
    }
    for (unsigned f = 0; f < FIELD_COUNT; f++)
        if (!plane_value(r, s->planes, f, &s->value[f]))
            return false;
    return true;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "") == 0;
}

/* The same words, in whatever order. */
static bool same_set(const cando_value *x, const cando_value *y)
{
    for (uint32_t i = 0; x->count == y->count && i < x->count; i++)
        if (!value_has(y, value_item_of(x, i)))
            return false;
    return x->count == y->count;
}

static bool same_items(const cando_value *x, const cando_value *y)
{
    for (uint32_t i = 0; x->count == y->count && i < x->count; i++)
        if (!str_eq(value_item_of(x, i), value_item_of(y, i)))
            return false;
    return x->count == y->count;
}

static bool same(const struct side *a, const struct side *b, unsigned f)
{
    const cando_value *x = &a->value[f], *y = &b->value[f];
    if (x->known != y->known || !x->known)
        return x->known == y->known;
    switch (x->type) {
    case CANDO_SUPPORT:
        return x->support == y->support && same_text(x->text, y->text);
    case CANDO_FLAG:
        return x->flag == y->flag;
    case CANDO_NUMBER:
        return x->number == y->number;
    case CANDO_LIST: /* inline ones have no order */
        if (!a->whole || !b->whole)
            return a->planes->set[plane_set(f)] == b->planes->set[plane_set(f)];
        return view_is_corrected(f) ? same_set(x, y) : same_items(x, y);
    case CANDO_MAP:
        return same_items(x, y);
    default:
        return same_text(x->text, y->text);
    }
}

static bool is_usable(const cando_value *v)
{
    return v->type == CANDO_SUPPORT && v->known && v->support > CANDO_UNSUPPORTED;
}

/* What the step from a to b is. */
static cando_step step(const struct side *a, const struct side *b, unsigned f)
{
    const cando_value *x = &a->value[f], *y = &b->value[f];
    if (x->known && !y->known)
        return b->declared && is_usable(x) ? CANDO_STEP_LOSS : CANDO_STEP_UNKNOWN;
    if (y->known && !x->known)
        return a->declared && is_usable(y) ? CANDO_STEP_GAIN : CANDO_STEP_KNOWN;
    if (x->type == CANDO_SUPPORT && x->support != y->support)
        return y->support > x->support ? CANDO_STEP_GAIN : CANDO_STEP_LOSS;
    if (x->type == CANDO_NUMBER)
        return (y->number > x->number) != vocab_less(f) ? CANDO_STEP_GAIN : CANDO_STEP_LOSS;
    return CANDO_STEP_CHANGE;
}

/* Can the field be compared at all between these two? Who claimed what is no part of
 * what a model does. */
static bool comparable(const struct side *a, const struct side *b, unsigned f)
{
    if (f == F_claims)
        return false;
    return (a->whole && b->whole) || plane_slot(f) != SLOT_NONE || plane_number(f) != SLOT_NONE ||
           plane_set(f) != SLOT_NONE;
}

/* -- prices: a difference a rate ------------------------------------------------------------ */

static struct str key_at(const cando_value *price, uint32_t i)
{
    return str_make(cando_value_item(price, i), cando_value_key(price, i));
}

/* The rate under a key, as a text; what is not there is unknown. */
static cando_value rate_under(const cando_value *price, struct str key)
{
    for (uint32_t i = 0; i < price->count; i++)
        if (str_eq(key_at(price, i), key))
            return (cando_value){
                .type = CANDO_TEXT, .known = true, .text = cando_value_item(price, i) + key.n + 1};
    return (cando_value){.type = CANDO_TEXT};
}

/* The rates of `of` that differ; with `rest` only those that the first does not have. */
static bool add_rates(struct reading *r, const cando_value *x, const cando_value *y, bool rest,
                      cando_difference *change, size_t *n)
{
    const cando_value *of = rest ? y : x;
    for (uint32_t i = 0; i < of->count; i++) {
        struct str key = key_at(of, i);
        cando_value a = rate_under(x, key), b = rate_under(y, key);
        if ((rest && a.known) || (a.known && b.known && same_text(a.text, b.text)))
            continue;
        const char *name = str_printf(r->ar, "price.%.*s", STR_ARG(key)).p;
        if (!name)
            return reading_memory(r);
        cando_step to = !b.known   ? CANDO_STEP_UNKNOWN
                        : !a.known ? CANDO_STEP_KNOWN
                                   : CANDO_STEP_CHANGE;
        change[(*n)++] = (cando_difference){name, a, b, to};
    }
    return true;
}

/* -- the question -------------------------------------------------------------------------- */

static bool compare(struct reading *r, const struct side *a, const struct side *b,
                    cando_diff_answer *out)
{
    const cando_value *price_a = &a->value[F_price], *price_b = &b->value[F_price];
    bool rates = price_a->known && price_b->known;
    size_t most = FIELD_COUNT + (rates ? (size_t)price_a->count + price_b->count : 0);
    cando_difference *change = arena_array(r->ar, most, sizeof *change);
    const char **gain = arena_array(r->ar, FIELD_COUNT, sizeof *gain);
    const char **loss = arena_array(r->ar, FIELD_COUNT, sizeof *loss);
    if (!change || !gain || !loss)
        return reading_memory(r);
    *out = (cando_diff_answer){
        .a = a->name, .b = b->name, .gains = gain, .losses = loss, .changes = change};
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        if (!comparable(a, b, f) || same(a, b, f))
            continue;
        if (f == F_price && rates) {
            if (!add_rates(r, price_a, price_b, false, change, &out->n_changes) ||
                !add_rates(r, price_a, price_b, true, change, &out->n_changes))
                return false;
            continue;
        }
        const char *name = vocab_row(f)->name;
        cando_step to = step(a, b, f);
        change[out->n_changes++] = (cando_difference){name, a->value[f], b->value[f], to};
        if (to == CANDO_STEP_GAIN)
            gain[out->n_gains++] = name;
        if (to == CANDO_STEP_LOSS)
            loss[out->n_losses++] = name;
    }
    return true;
}

static bool answer(struct reading *r, const cando_catalog *cat, const cando_diff_question *q,
                   cando_diff_answer *out)
{
    struct side *a = arena_alloc(r->ar, sizeof *a), *b = arena_alloc(r->ar, sizeof *b);
    if (!a || !b)
        return reading_memory(r);
    return read_side(r, cat, q->a, STR("/a"), a) && read_side(r, cat, q->b, STR("/b"), b) &&
           read_values(r, a) && read_values(r, b) && compare(r, a, b, out);
}

const cando_diff_answer *cando_ask_diff(const cando *c, const cando_diff_question *q,
                                        cando_room *room, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const cando_catalog *cat = room_catalog(room, c);
    cando_diff_answer *out = arena_alloc(&room->ar, sizeof *out);
    if (!cat || !out)
        reading_memory(&r);
    else if (answer(&r, cat, q, out))
        return out;
    reading_end(&r, err);
    return NULL;
}
