/*
 * conflicts.c - gathers disagreements and judges them.
 */
#include "conflicts.h"

#include "catalog/profile.h"
#include "write.h"

#include <math.h>
#include <stdlib.h>

const char *const conflict_words[] = {NULL,           "placeholder", "silent", "rounding",
                                      "input-window", "conflict",    "absurd"};

void conflicts_init(struct conflict_list *l, struct arena *ar)
{
    *l = (struct conflict_list){.ar = ar};
}

/* -- judging --------------------------------------------------------------------------- */

/* Where kinds begin on the scale; a conflict grows with how far apart its values
 * are, up to the place of the absurd. */
#define SCORE_ABSURD 2000.0
#define SCORE_REAL 100.0
#define SCORE_MOST 1900.0
#define SCORE_CONTRADICTION 250.0 /* yes against no */

static bool numeric(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!char_is_digit(s.p[i]) && s.p[i] != '.')
            return false;
    return s.n > 0;
}

static bool is_price(struct str field)
{
    return str_starts(field, STR("price."));
}

static double times_apart(double a, double b)
{
    return b <= 0 ? 1e9 : a > b ? a / b : b / a;
}

static cando_conflict_kind judge_numbers(const struct conflict *c,
                                         const struct conflict_claim *claim, double max_output)
{
    double value = rate_about(claim->value), winner = rate_about(c->value),
           apart = times_apart(value, winner);
    if (value <= 0)
        return CANDO_CONFLICT_PLACEHOLDER;
    if (is_price(c->field))
        return claim->absurd || apart >= MERGE_ABSURD_TIMES ? CANDO_CONFLICT_ABSURD
                                                            : CANDO_CONFLICT_REAL;
    if (claim->on.n && max_output > 0 && winner - value == max_output)
        return CANDO_CONFLICT_INPUT_WINDOW;
    return apart <= 1.05 ? CANDO_CONFLICT_ROUNDING : CANDO_CONFLICT_REAL;
}

static double score_of(cando_conflict_kind kind, double apart, bool numbers)
{
    double magnitude = log2(apart);
    switch (kind) {
    case CANDO_CONFLICT_ABSURD:
        return SCORE_ABSURD + 10 * magnitude;
    case CANDO_CONFLICT_REAL:
        if (!numbers)
            return SCORE_CONTRADICTION;
        return fmin(SCORE_REAL + SCORE_REAL * magnitude, SCORE_MOST);
    case CANDO_CONFLICT_INPUT_WINDOW:
        return 40;
    case CANDO_CONFLICT_ROUNDING:
        return 20 + magnitude;
    case CANDO_CONFLICT_SILENT:
        return 10;
    default:
        return 1;
    }
}

/* The worst that any claim is to what is in force. False if all agree. */
static bool judge(struct conflict *c, double max_output)
{
    c->score = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct conflict_claim *claim = &c->claim[i];
        cando_conflict_kind kind = CANDO_CONFLICT_REAL;
        double apart = 1;
        if (claim->wins)
            continue;
        bool numbers = c->value.p && claim->value.p && numeric(claim->value) && numeric(c->value);
        if (!claim->value.p)
            kind = CANDO_CONFLICT_SILENT;
        else if (numbers) {
            apart = times_apart(rate_about(claim->value), rate_about(c->value));
            if (apart == 1)
                continue;
            kind = judge_numbers(c, claim, max_output);
        } else if (!c->value.p) {
            kind = claim->absurd ? CANDO_CONFLICT_ABSURD : CANDO_CONFLICT_REAL;
        } else if (str_eq(claim->value, c->value)) {
            continue;
        }
        double score = score_of(kind, apart, numbers);
        if (score > c->score) {
            c->score = score;
            c->kind = kind;
        }
    }
    return c->score > 0;
}

static int worst_first(const void *a, const void *b)
{
    const struct conflict *x = a, *y = b;
    if (x->score != y->score)
        return x->score > y->score ? -1 : 1;
    int c = str_cmp(x->provider, y->provider);
    if (!c)
        c = str_cmp(x->model, y->model);
    return c ? c : str_cmp(x->field, y->field);
}

void conflicts_sort(struct conflict_list *l)
{
    if (l->n)
        qsort(l->item, l->n, sizeof *l->item, worst_first);
}

/* -- from a merge ------------------------------------------------------------------------- */

/* The winners before the others, each in the order in which they came. */
static void winners_first(struct conflict *c)
{
    for (size_t i = 1; i < c->n; i++)
        for (size_t k = i; k > 0 && c->claim[k].wins && !c->claim[k - 1].wins; k--) {
            struct conflict_claim keep = c->claim[k];
            c->claim[k] = c->claim[k - 1];
            c->claim[k - 1] = keep;
        }
}

static void add(struct conflict_list *l, struct conflict *c, double max_output)
{
    if (!judge(c, max_output))
        return;
    winners_first(c);
    if (!ARENA_GROW(l->ar, l->item, l->n, l->cap))
        return;
    l->item[l->n++] = *c;
}

static struct str day_str(struct conflict_list *l, uint32_t day)
{
    char text[16];
    return str_dup(l->ar, str_of(day_dashed(day, text)));
}

static struct conflict_claim claim_of(struct conflict_list *l, const struct claim *c,
                                      unsigned field)
{
    struct conflict_claim out = {.source = str_of(fact_source_row(c->source)->name),
                                 .day = day_str(l, c->day),
                                 .value = claim_text(l->ar, c),
                                 .on = STR(""),
                                 .absurd = (c->flags & CLAIM_ABSURD) != 0};
    if (c->field != field)
        out.on = str_of(vocab_row(c->field)->name);
    return out;
}

static void add_dispute(struct conflict_list *l, const struct import *im, const struct dispute *d,
                        double max_output)
{
    const struct offering *o = &im->offering[d->offering];
    struct conflict c = {.provider = o->provider, .model = o->id, .value = STR_NONE};
    c.field = d->key.n ? str_printf(l->ar, "price.%.*s", STR_ARG(d->key))
                       : str_of(vocab_row(d->field)->name);
    c.claim = arena_array(l->ar, d->n + 1, sizeof *c.claim);
    if (!c.field.p || !c.claim)
        return;
    for (size_t i = 0; i < d->n; i++) {
        c.claim[c.n] = claim_of(l, &im->claim[d->claim[i]], d->field);
        if (d->has_winner && i == 0)
            c.value = c.claim[0].value;
        c.claim[c.n].wins = c.value.p && str_eq(c.claim[c.n].value, c.value);
        c.n++;
    }
    if (d->silent != FACT_SOURCES)
        c.claim[c.n++] = (struct conflict_claim){.source = str_of(fact_source_row(d->silent)->name),
                                                 .day = day_str(l, im->count[d->silent].day),
                                                 .value = STR_NONE,
                                                 .on = STR("")};
    if (!l->ar->failed)
        add(l, &c, max_output);
}

void conflicts_from_merge(struct conflict_list *l, const struct import *im, const struct merged *m)
{
    for (size_t i = 0; i < m->n_rows && !l->ar->failed; i++)
        for (size_t k = 0; k < m->row[i].n_disputes && !l->ar->failed; k++)
            add_dispute(l, im, &m->dispute[m->row[i].dispute + k], (double)m->row[i].max_output);
}

/* -- from a catalog --------------------------------------------------------------------------- */

/* "field|source|day=value" */
struct kept_claim {
    struct str field, source, day, value;
};

static bool split(struct str item, struct kept_claim *out)
{
    size_t a = str_find_char(item, '|');
    struct str rest = str_from(item, a + 1);
    size_t b = str_find_char(rest, '|');
    struct str tail = str_from(rest, b + 1);
    size_t eq = str_find_char(tail, '=');
    if (a >= item.n || b >= rest.n || eq >= tail.n || str_is(str_head(item, a), "*"))
        return false;
    *out = (struct kept_claim){str_head(item, a), str_head(rest, b), str_head(tail, eq),
                               str_from(tail, eq + 1)};
    return true;
}

/* Limits of the prompt belong to the window. */
static struct str group_of(struct str field)
{
    return str_is(field, "max_input") ? STR("context_window") : field;
}

static struct str text_of(struct arena *ar, const struct snapshot *s, cando_value v)
{
    struct rule_value out = {.support = v.support, .flag = v.flag, .number = v.number};
    if (!v.known)
        return STR_NONE;
    if (v.type == CANDO_LIST) {
        out.item = arena_array(ar, v.count, sizeof *out.item);
        for (; out.item && out.n < v.count; out.n++)
            out.item[out.n] = value_item(s, v, (uint32_t)out.n);
    } else {
        out.text = str_of(v.text);
    }
    return value_text(ar, v.type, &out);
}

/* What is in force for a field, or for a key of the price. */
static struct str in_force(struct arena *ar, const cando_profile *p, struct str field)
{
    const struct snapshot *s = &p->catalog->snap;
    if (!is_price(field)) {
        unsigned f = vocab_find(VOCAB_CANDO, field);
        if (f == FIELD_COUNT)
            return STR_NONE;
        struct str v = text_of(ar, s, profile_fact(p, f).value);
        return v.p || f != F_context_window ? v
                                            : text_of(ar, s, profile_fact(p, F_max_input).value);
    }
    cando_value v = profile_fact(p, F_price).value;
    struct str key = str_from(field, 6);
    for (uint32_t i = 0; v.known && i < v.count; i++) {
        struct str item = value_item(s, v, i);
        size_t cut = price_item_cut(item);
        if (str_eq(str_head(item, cut), key))
            return str_from(item, cut + 1);
    }
    return STR_NONE;
}

static void add_group(struct conflict_list *l, const cando_profile *p, struct conflict *c,
                      cando_value v, struct str group)
{
    const struct snapshot *s = &p->catalog->snap;
    struct kept_claim k;
    c->field = group;
    c->value = in_force(l->ar, p, group);
    c->n = 0;
    c->claim = arena_array(l->ar, v.count, sizeof *c->claim);
    if (!c->claim)
        return;
    for (uint32_t i = 0; i < v.count; i++) {
        if (!split(value_item(s, v, i), &k) || !str_eq(group_of(k.field), group))
            continue;
        c->claim[c->n++] = (struct conflict_claim){.source = k.source,
                                                   .day = k.day,
                                                   .value = k.value,
                                                   .on = str_eq(k.field, group) ? STR("") : k.field,
                                                   .wins = c->value.p && str_eq(k.value, c->value),
                                                   .absurd = is_price(group) && !c->value.p};
    }
    cando_value out = profile_fact(p, F_max_output).value;
    add(l, c, out.known ? (double)out.number : 0);
}

/* Every field that the row's claims speak of, once. */
static void add_row(struct conflict_list *l, const cando_profile *p, struct str provider,
                    struct str model, cando_value v)
{
    const struct snapshot *s = &p->catalog->snap;
    struct conflict c = {.provider = provider, .model = model};
    for (uint32_t i = 0; i < v.count && !l->ar->failed; i++) {
        struct kept_claim k, before;
        bool seen = false;
        if (!split(value_item(s, v, i), &k))
            continue;
        for (uint32_t j = 0; j < i && !seen; j++)
            seen = split(value_item(s, v, j), &before) &&
                   str_eq(group_of(before.field), group_of(k.field));
        if (!seen)
            add_group(l, p, &c, v, group_of(k.field));
    }
}

void conflicts_from_catalog(struct conflict_list *l, const cando_catalog *c)
{
    const struct snapshot *s = &c->snap;
    for (size_t i = 0; i < s->sec[SEC_EXACT].n && !l->ar->failed; i++) {
        struct snap_exact e = snap_exact(s, i);
        if (e.record == SNAP_NONE || e.provider == SNAP_NONE)
            continue;
        struct str provider = snap_str(s, snap_provider(s, e.provider).id),
                   model = snap_str(s, e.key);
        cando_profile p;
        if (cando_resolve_parts(c, provider.p, provider.n, model.p, model.n, CANDO_AS_WRITTEN, &p,
                                NULL) != CANDO_OK)
            continue;
        cando_value v = profile_fact(&p, F_claims).value;
        if (v.known)
            add_row(l, &p, provider, model, v);
    }
}
