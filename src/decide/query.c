/*
 * query.c - one scan over the rows.
 *
 * What depends on the provider alone (is it wanted, how much is it preferred) is worked
 * out once a provider. The tests that rows can answer themselves are made into two flat
 * lists, bits and ranges of words of a row, and looked at without a branch; the first that
 * fails is kept, for the count. Only tests that rows do not carry (other limits, lists)
 * open the record, and names are looked at last. The hits are kept in order as they come
 * when few are asked for, and sorted at the end otherwise.
 */
#include "query.h"

#include "base/limits.h"
#include "rules/policy.h"

#include <stdlib.h>

/* -- candidates ---------------------------------------------------------------------------- */

struct str candidate_provider(const struct candidates *c, uint32_t index)
{
    return c->own ? c->own[index].provider : offer_provider(&c->offers, &c->offers.row[index]);
}

struct str candidate_id(const struct candidates *c, uint32_t index)
{
    return c->own ? c->own[index].id : offer_id(&c->offers, &c->offers.row[index]);
}

cando_support candidate_level(const struct candidates *c, uint32_t index, unsigned slot)
{
    const struct snap_row *row = &c->offers.row[index];
    unsigned w = slot / 32, bit = slot % 32;
    if (row->native[w] >> bit & 1)
        return CANDO_NATIVE;
    if (!(row->usable[w] >> bit & 1))
        return row->known[w] >> bit & 1 ? CANDO_UNSUPPORTED : CANDO_UNKNOWN;
    if (c->own)
        return planes_level(&c->own[index].planes, slot);
    cando_profile p;
    cando_planes planes;
    offer_profile(&c->offers, row, &p);
    unsigned field = slot_field(slot);
    if (field < FIELD_COUNT)
        return profile_fact(&p, field).value.support;
    cando_profile_pack(&p, &planes);
    return planes_level(&planes, slot);
}

bool candidate_number(const struct candidates *c, uint32_t index, unsigned number, uint64_t *out)
{
    if (c->own) {
        *out = c->own[index].planes.number[number];
        return c->own[index].planes.number_known >> number & 1;
    }
    cando_profile p;
    offer_profile(&c->offers, &c->offers.row[index], &p);
    cando_value v = profile_fact(&p, number_field(number)).value;
    *out = v.number;
    return v.known;
}

static bool candidate_set(const struct candidates *c, uint32_t index, unsigned set, uint32_t *out)
{
    if (c->own) {
        *out = c->own[index].planes.set[set];
        return c->own[index].planes.set_known >> set & 1;
    }
    cando_profile p;
    unsigned field = set_field(set);
    offer_profile(&c->offers, &c->offers.row[index], &p);
    cando_value v = profile_fact(&p, field).value;
    *out = 0;
    for (uint32_t i = 0; v.known && i < v.count; i++)
        *out |= set_bit(field, value_item(&c->offers.cat->snap, v, i));
    return v.known;
}

/* -- what is made of a query --------------------------------------------------------------- */

/* Words of a row, and what they must be. */
#define WORD_OF(member) (uint8_t)(offsetof(struct snap_row, member) / 4)

struct bit_test {
    uint8_t plane, known; /* words */
    uint8_t bit;
    uint32_t or_unknown, invert; /* all ones: what is unknown passes; the answer is turned around */
    uint32_t order;              /* in the list of tests */
};

struct range_test {
    uint8_t at; /* the lower word */
    uint32_t order;
    uint64_t mask, least, span;
    uint64_t passes; /* a value that is fine, too: unknown */
};

struct provider_place {
    uint8_t out;   /* enum query_reason; FITS: it is wanted */
    bool skip;     /* it is no candidate at all */
    uint16_t rank; /* smaller is preferred */
};

struct scan {
    const struct query *q;
    struct provider_place *provider; /* by number; a catalog's only */
    struct bit_test *bit, *prefer;
    struct range_test *range;
    uint32_t *slow, *slow_prefer; /* orders of tests that rows cannot answer */
    size_t n_bits, n_prefer, n_ranges, n_slow, n_slow_prefer;
    uint8_t by_status[4]; /* enum query_reason */
    bool patterns, policy, names;
};

static struct bit_test bit_of(const struct query_test *t, bool include, uint32_t order)
{
    uint8_t w = t->slot / 32;
    bool no = t->word == TEST_FORBID || t->word == TEST_CANNOT;
    bool unknown_is_yes = t->word == TEST_CANNOT ? !include : include && !no;
    uint8_t plane = no                                   ? WORD_OF(usable)
                    : t->min_support == CANDO_MIN_NATIVE ? WORD_OF(native)
                    : t->min_support == CANDO_MIN_ANY    ? WORD_OF(known)
                                                         : WORD_OF(usable);
    return (struct bit_test){.plane = (uint8_t)(plane + w),
                             .known = (uint8_t)(WORD_OF(known) + w),
                             .bit = t->slot % 32,
                             .or_unknown = unknown_is_yes ? UINT32_MAX : 0,
                             .invert = no ? UINT32_MAX : 0,
                             .order = order};
}

/* False: the rows do not have it. */
static bool range_of(const struct query_test *t, bool include, uint32_t order,
                     struct range_test *out)
{
    uint64_t unknown = t->kind == TEST_PRICE ? CANDO_NO_PRICE : 0;
    *out = (struct range_test){.order = order, .mask = UINT64_MAX, .least = t->least};
    if (t->kind == TEST_PRICE) {
        out->at = t->slot ? WORD_OF(price[1]) : WORD_OF(price[0]);
    } else if (t->kind == TEST_DAY) {
        out->at = WORD_OF(release);
        out->mask = UINT32_MAX;
    } else if (t->kind == TEST_NUMBER &&
               (t->slot == NUM_context_window || t->slot == NUM_max_output)) {
        out->at = t->slot == NUM_max_output ? WORD_OF(max_output) : WORD_OF(context_window);
    } else {
        return false;
    }
    uint64_t most = unknown ? t->most - (t->most == unknown) : t->most;
    if (unknown == 0 && out->least == 0)
        out->least = 1;
    out->span = most - out->least;
    if (most < out->least) { /* nothing: no row has such a number */
        out->least = UINT64_MAX - 1;
        out->span = 0;
    }
    out->passes = include ? unknown : out->least;
    return true;
}

static bool make_tests(struct reading *r, struct scan *x)
{
    const struct query *q = x->q;
    x->bit = arena_array(r->ar, q->n_tests, sizeof *x->bit);
    x->range = arena_array(r->ar, q->n_tests, sizeof *x->range);
    x->slow = arena_array(r->ar, q->n_tests, sizeof *x->slow);
    x->prefer = arena_array(r->ar, q->n_prefer, sizeof *x->prefer);
    x->slow_prefer = arena_array(r->ar, q->n_prefer, sizeof *x->slow_prefer);
    if (!x->bit || !x->range || !x->slow || !x->prefer || !x->slow_prefer)
        return reading_memory(r);
    for (uint32_t i = 0; i < q->n_tests; i++) {
        const struct query_test *t = &q->test[i];
        if (t->kind == TEST_SLOT)
            x->bit[x->n_bits++] = bit_of(t, q->include_unknown, i);
        else if (range_of(t, q->include_unknown, i, &x->range[x->n_ranges]))
            x->n_ranges++;
        else
            x->slow[x->n_slow++] = i;
    }
    for (uint32_t i = 0; i < q->n_prefer; i++) {
        if (q->prefer[i].kind == TEST_SLOT)
            x->prefer[x->n_prefer++] = bit_of(&q->prefer[i], false, i);
        else
            x->slow_prefer[x->n_slow_prefer++] = i;
    }
    return true;
}

static bool in_fold(const struct str *list, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_fold(list[i], name))
            return true;
    return false;
}

static bool place_providers(struct reading *r, struct scan *x)
{
    const struct query *q = x->q;
    const struct snapshot *s = &q->from.offers.cat->snap;
    size_t n = s->sec[SEC_PROVIDERS].n;
    x->provider = arena_array(r->ar, n, sizeof *x->provider);
    if (!x->provider)
        return reading_memory(r);
    for (uint32_t p = 0; p < n; p++) {
        struct str kind = snap_str(s, snap_provider(s, p).kind);
        bool kind_fits = in_fold(q->kind, q->n_kinds, kind);
        x->provider[p] = (struct provider_place){
            .out = q->has_providers           ? OUT_PROVIDERS
                   : q->n_kinds && !kind_fits ? OUT_KINDS
                                              : FITS,
            .skip = !q->n_kinds && str_is(kind, "backend"), /* no model, but what runs one */
            .rank = UINT16_MAX,
        };
    }
    for (size_t i = 0; i < q->n_providers; i++) {
        uint32_t p = snapshot_provider(s, q->provider[i]);
        if (p == SNAP_NONE)
            continue;
        bool out =
            q->n_kinds && !in_fold(q->kind, q->n_kinds, snap_str(s, snap_provider(s, p).kind));
        x->provider[p].out = out ? OUT_KINDS : FITS;
        x->provider[p].skip = false;
    }
    for (size_t i = 0; i < q->n_favourites && i < UINT16_MAX; i++) {
        uint32_t p = snapshot_provider(s, q->favourite[i]);
        if (p != SNAP_NONE && x->provider[p].rank == UINT16_MAX)
            x->provider[p].rank = (uint16_t)i;
    }
    return true;
}

/* Inline models are few: their providers are looked for by name. */
static struct provider_place place_inline(const struct query *q, struct str name)
{
    struct provider_place place = {.rank = UINT16_MAX};
    if (q->has_providers && !in_fold(q->provider, q->n_providers, name))
        place.out = OUT_PROVIDERS;
    else if (q->n_kinds)
        place.out = OUT_KINDS;
    for (size_t i = 0; i < q->n_favourites && i < UINT16_MAX && place.rank == UINT16_MAX; i++)
        if (str_eq_fold(q->favourite[i], name))
            place.rank = (uint16_t)i;
    return place;
}

/* -- one row against it -------------------------------------------------------------------- */

static bool bit_passes(const struct bit_test *t, const uint32_t *word)
{
    uint32_t has = word[t->plane] | (~word[t->known] & t->or_unknown);
    return (has ^ t->invert) >> t->bit & 1;
}

/* The first test that the row itself fails; n_tests: none. */
static size_t first_failing(const struct scan *x, const struct snap_row *row)
{
    const uint32_t *word = (const uint32_t *)(const void *)row;
    size_t first = x->q->n_tests;
    for (size_t i = x->n_ranges; i-- > 0;) {
        const struct range_test *t = &x->range[i];
        uint64_t v = row_u64(word + t->at) & t->mask;
        bool ok = (v - t->least <= t->span) | (v == t->passes);
        first = ok ? first : t->order;
    }
    for (size_t i = x->n_bits; i-- > 0;) { /* these come before all ranges */
        const struct bit_test *t = &x->bit[i];
        first = bit_passes(t, word) ? first : t->order;
    }
    return first;
}

static bool slow_passes(const struct query *q, const struct query_test *t, uint32_t index,
                        bool include)
{
    uint64_t v;
    uint32_t set;
    if (t->kind == TEST_SET)
        return candidate_set(&q->from, index, t->slot, &set) ? (t->set & ~set) == 0 : include;
    return candidate_number(&q->from, index, t->slot, &v) ? v >= t->least && v <= t->most : include;
}

bool query_prefers(const struct query *q, const struct query_test *t, uint32_t index)
{
    if (t->kind != TEST_SLOT)
        return slow_passes(q, t, index, false);
    struct bit_test bit = bit_of(t, false, 0);
    return bit_passes(&bit, (const uint32_t *)(const void *)&q->from.offers.row[index]);
}

static size_t first_slow_failing(const struct scan *x, uint32_t index, size_t first)
{
    for (size_t i = 0; i < x->n_slow && x->slow[i] < first; i++)
        if (!slow_passes(x->q, &x->q->test[x->slow[i]], index, x->q->include_unknown))
            return x->slow[i];
    return first;
}

/* "provider/id" in lower case. */
struct folded {
    struct str whole, provider, id;
    char room[2 * LIMIT_NAME_BYTES + 1];
};

static bool fold_name(const struct query *q, uint32_t index, struct folded *out)
{
    struct str provider = candidate_provider(&q->from, index), id = candidate_id(&q->from, index);
    if (provider.n > LIMIT_NAME_BYTES || id.n > LIMIT_NAME_BYTES)
        return false;
    size_t n = 0;
    for (size_t i = 0; i < provider.n; i++)
        out->room[n++] = char_fold(provider.p[i]);
    out->room[n++] = '/';
    for (size_t i = 0; i < id.n; i++)
        out->room[n++] = char_fold(id.p[i]);
    out->whole = str_make(out->room, n);
    out->provider = str_head(out->whole, provider.n);
    out->id = str_from(out->whole, provider.n + 1);
    return true;
}

static bool in_pattern(const struct query_pattern *p, struct str a, struct str b)
{
    for (size_t k = 0; k < p->glob.n; k++)
        if (glob_run(p->glob.program[k], a) || (b.p && glob_run(p->glob.program[k], b)))
            return true;
    return false;
}

static bool in_patterns(const struct query_pattern *p, size_t n, const struct folded *name)
{
    for (size_t i = 0; i < n; i++)
        if (in_pattern(&p[i], p[i].whole ? name->provider : name->whole, STR_NONE))
            return true;
    return false;
}

static enum query_reason barred(const struct query *q, uint32_t index)
{
    struct folded name;
    if (!fold_name(q, index, &name) || in_patterns(q->deny, q->n_deny, &name))
        return OUT_DENY;
    return q->has_allow && !in_patterns(q->allow, q->n_allow, &name) ? OUT_ALLOW : FITS;
}

/* Edits from what was typed to an id, or to what stands behind its last slash. */
static unsigned name_distance(struct str like, struct str id, unsigned max)
{
    unsigned d = str_distance(like, id, max);
    size_t slash = id.n;
    while (slash > 0 && id.p[slash - 1] != '/')
        slash--;
    if (slash && d) {
        unsigned tail = str_distance(like, str_from(id, slash), max);
        d = tail < d ? tail : d;
    }
    return d;
}

static enum query_reason misnamed(const struct query *q, uint32_t index, uint64_t *distance)
{
    struct folded name;
    if (!fold_name(q, index, &name))
        return OUT_MATCH;
    if (q->model && !offered_is(q->model, candidate_provider(&q->from, index), name.id))
        return OUT_MODEL;
    bool found = q->n_match == 0;
    for (size_t i = 0; i < q->n_match && !found; i++)
        found = in_pattern(&q->match[i], name.id, name.whole);
    if (!found)
        return OUT_MATCH;
    if (!q->like.n)
        return FITS;
    unsigned near = str_near(q->like.n);
    *distance = name_distance(q->like, name.id, near);
    return *distance <= near ? FITS : OUT_LIKE;
}

static size_t excluded_by(const struct scan *x, const struct snap_row *row, uint32_t index,
                          uint64_t *distance)
{
    const struct query *q = x->q;
    size_t reason;
    if (x->patterns && (reason = barred(q, index)) != FITS)
        return reason;
    if (x->policy && !q->lists && !offer_allowed(&q->from.offers, row))
        return OUT_POLICY;
    if (x->by_status[row->status & 3] != FITS)
        return x->by_status[row->status & 3];
    size_t first = first_failing(x, row);
    if (x->n_slow)
        first = first_slow_failing(x, index, first);
    if (first < q->n_tests)
        return OUT_TESTS + first;
    if (x->names && (reason = misnamed(q, index, distance)) != FITS)
        return reason;
    return x->policy && q->lists && !offer_allowed(&q->from.offers, row) ? OUT_POLICY : FITS;
}

/* -- the order ----------------------------------------------------------------------------- */

static bool sort_value(const struct query *q, const struct snap_row *row, uint32_t index,
                       uint64_t *out)
{
    uint64_t v;
    switch (q->sort) {
    case CANDO_SORT_CONTEXT:
        v = row_u64(row->context_window);
        break;
    case CANDO_SORT_OUTPUT:
        v = row_u64(row->max_output);
        break;
    case CANDO_SORT_RELEASE:
        v = row->release;
        break;
    case CANDO_SORT_PRICE:
    case CANDO_SORT_INPUT_PRICE:
    case CANDO_SORT_OUTPUT_PRICE:
        v = q->sort == CANDO_SORT_PRICE ? row_price(row)
                                        : row_u64(row->price[q->sort - CANDO_SORT_INPUT_PRICE]);
        *out = q->reverse ? ~v : v;
        return v != CANDO_NO_PRICE;
    default: /* the rows are in the order of names */
        *out = q->reverse ? ~(uint64_t)index : 0;
        return true;
    }
    *out = q->reverse ? v : ~v;
    return v != 0;
}

static struct query_hit rank_row(const struct scan *x, const struct snap_row *row, uint32_t index,
                                 uint16_t rank, uint64_t distance)
{
    const struct query *q = x->q;
    struct query_hit h = {.index = index, .value = distance};
    uint32_t lacks = 0;
    for (size_t i = 0; i < x->n_prefer; i++)
        lacks += !bit_passes(&x->prefer[i], (const uint32_t *)(const void *)row);
    for (size_t i = 0; i < x->n_slow_prefer; i++)
        lacks += !slow_passes(q, &q->prefer[x->slow_prefer[i]], index, false);
    bool known = q->like.n || sort_value(q, row, index, &h.value);
    if (!known)
        h.value = 0;
    h.rank = (uint64_t)rank << 32 | lacks << 1 | !known;
    return h;
}

static int hit_cmp(const void *a, const void *b)
{
    const struct query_hit *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

#define QUERY_KEPT 64 /* up to here the list is kept in order while scanning */

static void keep(const struct query *q, struct query_result *out, struct query_hit h)
{
    size_t at = out->n;
    if (q->limit >= QUERY_KEPT) {
        out->hit[out->n++] = h;
        return;
    }
    if (out->n == q->limit && (q->limit == 0 || hit_cmp(&h, &out->hit[q->limit - 1]) > 0))
        return;
    if (q->admits && !q->admits(q->admits_ctx, &q->from.offers, &q->from.offers.row[h.index]))
        return;
    if (out->n == q->limit)
        at--;
    else
        out->n++;
    for (; at > 0 && hit_cmp(&h, &out->hit[at - 1]) < 0; at--)
        out->hit[at] = out->hit[at - 1];
    out->hit[at] = h;
}

static void sort_hits(const struct query *q, struct query_result *out)
{
    bool sorted = true;
    for (size_t i = 1; i < out->n && sorted; i++)
        sorted = hit_cmp(&out->hit[i - 1], &out->hit[i]) < 0;
    if (!sorted)
        qsort(out->hit, out->n, sizeof *out->hit, hit_cmp);
    if (out->n > q->limit)
        out->n = q->limit;
}

/* -- all of it ----------------------------------------------------------------------------- */

static bool scan_begin(struct reading *r, const struct query *q, struct scan *x,
                       struct query_result *out)
{
    const cando_catalog *cat = q->from.offers.cat;
    *x = (struct scan){.q = q,
                       .patterns = q->has_allow || q->n_deny,
                       .names = q->model || q->n_match || q->like.n};
    x->policy = cat && policy_any(&cat->snap);
    for (unsigned s = ROW_ACTIVE; s <= ROW_RETIRED; s++)
        x->by_status[s] = s == ROW_RETIRED && !q->lists        ? OUT_RETIRED
                          : q->status && !(q->status >> s & 1) ? OUT_STATUS
                                                               : FITS;
    memset(out, 0, sizeof *out);
    out->hit =
        arena_array(r->ar, q->limit < QUERY_KEPT ? QUERY_KEPT : q->from.offers.n, sizeof *out->hit);
    out->count = arena_array(r->ar, OUT_TESTS + q->n_tests, sizeof *out->count);
    if (!out->hit || !out->count)
        return reading_memory(r);
    return make_tests(r, x) && (!cat || place_providers(r, x));
}

bool query_run(struct reading *r, const struct query *q, struct query_result *out)
{
    struct scan x;
    if (!scan_begin(r, q, &x, out))
        return false;
    for (uint32_t i = 0; i < q->from.offers.n; i++) {
        const struct snap_row *row = &q->from.offers.row[i];
        struct provider_place place =
            x.provider ? x.provider[row->provider] : place_inline(q, q->from.own[i].provider);
        uint64_t distance = 0;
        if (place.skip)
            continue;
        size_t reason = place.out ? place.out : excluded_by(&x, row, i, &distance);
        out->considered++;
        out->count[reason]++;
        if (reason == FITS)
            keep(q, out, rank_row(&x, row, i, place.rank, distance));
    }
    if (q->limit >= QUERY_KEPT)
        sort_hits(q, out);
    return true;
}

struct str query_reason_text(struct arena *ar, const struct query *q, size_t reason)
{
    static const char *const fixed[OUT_TESTS] = {"",      "providers", "kinds",   "allow",
                                                 "deny",  "policy",    "retired", "status",
                                                 "model", "match",     "like"};
    static const char *const words[] = {"require", "forbid",  "cannot",
                                        "minimum", "maximum", "released"};
    if (reason < OUT_TESTS)
        return str_of(fixed[reason]);
    const struct query_test *t = &q->test[reason - OUT_TESTS];
    return t->word == TEST_RELEASED ? STR("released")
                                    : str_printf(ar, "%s %.*s", words[t->word], STR_ARG(t->name));
}

bool query_suggest(struct reading *r, const cando_catalog *cat, const struct need_list *needs,
                   const struct str near[2],
                   bool (*admits)(void *ctx, const struct offers *o, const struct snap_row *row),
                   void *ctx, struct str *provider, struct str *id)
{
    struct query q = {.favourite = near,
                      .n_favourites = 2,
                      .status = 1u << ROW_ACTIVE | 1u << ROW_PREVIEW,
                      .sort = CANDO_SORT_PRICE,
                      .limit = 1,
                      .admits = admits,
                      .admits_ctx = ctx};
    struct query_result found;
    if (!offers_open(&q.from.offers, cat, r->ar))
        return reading_memory(r);
    if (!query_add_needs(r, &q, needs) || !query_run(r, &q, &found) || !found.n)
        return false;
    *provider = candidate_provider(&q.from, found.hit[0].index);
    *id = candidate_id(&q.from, found.hit[0].index);
    return true;
}
