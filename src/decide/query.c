/*
 * query.c - one scan over the rows, a criterion at a time.
 *
 * What is left is a list of rows. Each criterion goes over it once and keeps what
 * passes, in place and without a branch; how many it excluded is how much shorter the list
 * has become. So the cheap ones, which look at a word or two of a row, come down to a few
 * operations a row, and only what is still there is asked the dear ones: limits that rows
 * do not carry, lists, names. The hits are kept in order as they come when few are asked
 * for, and sorted at the end otherwise.
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

/* -- who serves it ------------------------------------------------------------------------- */

struct provider_place {
    uint8_t out;   /* enum query_reason; FITS: it is wanted */
    bool skip;     /* it is no candidate at all */
    uint16_t rank; /* smaller is preferred */
};

#define ROW_WORDS (sizeof(struct snap_row) / 4)

struct scan {
    const struct query *q;
    const struct snap_row *row;
    struct provider_place *provider; /* by number; a catalog's only */
    uint32_t *left; /* where the rows begin that nothing has excluded so far, in words */
    size_t n;
    uint32_t *count;    /* the result's */
    uint32_t *distance; /* with `like`: of each row that is left, by its number */
};

static bool in_fold(const struct str *list, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_fold(list[i], name))
            return true;
    return false;
}

static uint8_t kind_reason(const struct query *q, struct str kind)
{
    return !q->n_kinds || in_fold(q->kind, q->n_kinds, kind) ? FITS : OUT_KINDS;
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
        x->provider[p] = (struct provider_place){
            .out = q->has_providers ? OUT_PROVIDERS : kind_reason(q, kind),
            .skip = !q->n_kinds && str_is(kind, "backend"), /* no model, but what runs one */
            .rank = UINT16_MAX,
        };
    }
    for (size_t i = 0; i < q->n_providers; i++) {
        uint32_t p = snapshot_provider(s, q->provider[i]);
        if (p == SNAP_NONE)
            continue;
        x->provider[p].out = kind_reason(q, snap_str(s, snap_provider(s, p).kind));
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
    struct provider_place place = {.out = q->n_kinds ? OUT_KINDS : FITS, .rank = UINT16_MAX};
    if (q->has_providers && !in_fold(q->provider, q->n_providers, name))
        place.out = OUT_PROVIDERS;
    for (size_t i = 0; i < q->n_favourites && place.rank == UINT16_MAX; i++)
        if (str_eq_fold(q->favourite[i], name))
            place.rank = (uint16_t)i;
    return place;
}

static struct provider_place place_of(const struct scan *x, uint32_t i)
{
    if (x->provider)
        return x->provider[x->row[i].provider];
    return place_inline(x->q, x->q->from.own[i].provider);
}

/* Offerings of a provider stand together: where do those end that begin with row i? */
static size_t end_of_provider(const struct scan *x, size_t i)
{
    size_t n = x->q->from.offers.n, from = i + 1, step = 1;
    uint32_t provider = x->row[i].provider;
    while (from < n && x->row[from].provider == provider) {
        from += step;
        step *= 2;
    }
    size_t to = from < n ? from : n; /* it is between the last step and here */
    from -= from > i + 1 ? step / 2 : 0;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        if (x->row[middle].provider == provider)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* Everything that is a candidate, less what is served by others. */
static size_t begin_list(struct scan *x)
{
    size_t considered = 0, end;
    for (size_t i = 0; i < x->q->from.offers.n; i = end) {
        struct provider_place place = place_of(x, (uint32_t)i);
        end = x->provider ? end_of_provider(x, i) : i + 1;
        if (place.skip)
            continue;
        considered += end - i;
        x->count[place.out] += (uint32_t)(end - i);
        for (; place.out == FITS && i < end; i++)
            x->left[x->n++] = (uint32_t)(i * ROW_WORDS);
    }
    return considered;
}

/* -- what the rows themselves tell --------------------------------------------------------- */

/* Words of a row, and what they must be. */
#define WORD_OF(member) (uint8_t)(offsetof(struct snap_row, member) / 4)

static const uint32_t *words_of(const struct scan *x)
{
    return (const uint32_t *)(const void *)x->row;
}

struct bit_test {
    uint8_t plane, known; /* words */
    uint8_t bit;
    uint32_t or_unknown, invert; /* all ones: what is unknown passes; the answer is turned around */
};

static struct bit_test bit_of(const struct query_test *t, bool include)
{
    uint8_t w = t->slot / 32;
    bool no = t->word == TEST_FORBID || t->word == TEST_CANNOT;
    bool unknown_is_yes = t->word == TEST_CANNOT ? !include : include && !no;
    uint8_t plane = no || t->min_support == CANDO_MIN_EMULATED ? WORD_OF(usable)
                    : t->min_support == CANDO_MIN_NATIVE       ? WORD_OF(native)
                                                               : WORD_OF(known);
    return (struct bit_test){
        .plane = (uint8_t)(plane + w),
        .known = (uint8_t)(WORD_OF(known) + w),
        .bit = t->slot % 32,
        .or_unknown = unknown_is_yes ? UINT32_MAX : 0,
        .invert = no ? UINT32_MAX : 0,
    };
}

static inline bool bit_passes(const struct bit_test *t, const struct snap_row *row)
{
    const uint32_t *word = (const uint32_t *)(const void *)row;
    uint32_t has = word[t->plane] | (~word[t->known] & t->or_unknown);
    return (has ^ t->invert) >> t->bit & 1;
}

static void filter_bit(struct scan *x, struct bit_test t)
{
    const uint32_t *plane = words_of(x) + t.plane, *known = words_of(x) + t.known;
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++) {
        uint32_t at = x->left[i], has = plane[at] | (~known[at] & t.or_unknown);
        x->left[n] = at;
        n += (has ^ t.invert) >> t.bit & 1;
    }
    x->n = n;
}

/* The same of all rows there are. */
static void begin_bit(struct scan *x, struct bit_test t)
{
    const uint32_t *plane = words_of(x) + t.plane, *known = words_of(x) + t.known;
    uint32_t end = (uint32_t)(x->q->from.offers.n * ROW_WORDS);
    size_t n = 0;
    for (uint32_t at = 0; at < end; at += ROW_WORDS) {
        uint32_t has = plane[at] | (~known[at] & t.or_unknown);
        x->left[n] = at;
        n += (has ^ t.invert) >> t.bit & 1;
    }
    x->n = n;
}

struct range_test {
    uint8_t at; /* the lower word */
    uint64_t mask, least, span;
    uint64_t passes; /* a value that is fine, too: unknown */
};

/* False: the rows do not have it. */
static bool range_of(const struct query_test *t, bool include, struct range_test *out)
{
    uint64_t unknown = t->kind == TEST_PRICE ? CANDO_NO_PRICE : 0;
    *out = (struct range_test){.mask = UINT64_MAX, .least = t->least};
    if (t->kind == TEST_PRICE) {
        out->at = t->slot ? WORD_OF(price[1]) : WORD_OF(price[0]);
    } else if (t->kind == TEST_DAY) {
        out->at = WORD_OF(release);
        out->mask = UINT32_MAX;
    } else if (t->kind == TEST_NUMBER && t->slot == NUM_context_window) {
        out->at = WORD_OF(context_window);
    } else if (t->kind == TEST_NUMBER && t->slot == NUM_max_output) {
        out->at = WORD_OF(max_output);
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

static void filter_range(struct scan *x, struct range_test t)
{
    const uint32_t *word = words_of(x) + t.at;
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++) {
        uint32_t at = x->left[i];
        uint64_t v = row_u64(word + at) & t.mask;
        x->left[n] = at;
        n += (v - t.least <= t.span) | (v == t.passes);
    }
    x->n = n;
}

/* -- what their records tell --------------------------------------------------------------- */

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
    struct bit_test bit = bit_of(t, false);
    return bit_passes(&bit, &q->from.offers.row[index]);
}

static void filter_test(struct scan *x, const struct query_test *t)
{
    bool include = x->q->include_unknown;
    struct range_test range;
    if (t->kind == TEST_SLOT) {
        filter_bit(x, bit_of(t, include));
        return;
    }
    if (range_of(t, include, &range)) {
        filter_range(x, range);
        return;
    }
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++)
        if (slow_passes(x->q, t, x->left[i] / ROW_WORDS, include))
            x->left[n++] = x->left[i];
    x->n = n;
}

/* -- names --------------------------------------------------------------------------------- */

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

static enum query_reason misnamed(const struct query *q, uint32_t index, uint32_t *distance)
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

/* -- all criteria, one after the other ----------------------------------------------------- */

/* What is retired is only listed, never recommended. */
static void filter_retired(struct scan *x)
{
    size_t before = x->n;
    filter_range(
        x, (struct range_test){.at = WORD_OF(status), .mask = UINT32_MAX, .span = ROW_RETIRED - 1});
    x->count[OUT_RETIRED] = (uint32_t)(before - x->n);
}

enum step { BY_PATTERNS, BY_POLICY, BY_STATUS, BY_NAME };

static void filter_by(struct scan *x, enum step step)
{
    const struct query *q = x->q;
    size_t n = 0;
    for (size_t i = 0; i < x->n; i++) {
        uint32_t at = x->left[i] / ROW_WORDS;
        const struct snap_row *row = &x->row[at];
        enum query_reason out = step == BY_PATTERNS ? barred(q, at)
                                : step == BY_STATUS
                                    ? (q->status >> (row->status & 3) & 1 ? FITS : OUT_STATUS)
                                : step == BY_NAME ? misnamed(q, at, &x->distance[at])
                                : offer_allowed(&q->from.offers, row) ? FITS
                                                                      : OUT_POLICY;
        x->count[out]++;
        x->left[n] = x->left[i];
        n += out == FITS;
    }
    x->n = n;
}

static void filter(struct scan *x)
{
    const struct query *q = x->q;
    bool policy = q->from.offers.cat && policy_any(&q->from.offers.cat->snap);
    if (q->has_allow || q->n_deny)
        filter_by(x, BY_PATTERNS);
    if (policy && !q->lists)
        filter_by(x, BY_POLICY);
    if (!q->lists)
        filter_retired(x);
    if (q->status)
        filter_by(x, BY_STATUS);
    for (size_t i = 0; i < q->n_tests; i++) {
        size_t before = x->n;
        filter_test(x, &q->test[i]);
        x->count[OUT_TESTS + i] = (uint32_t)(before - x->n);
    }
    if (q->model || q->n_match || q->like.n)
        filter_by(x, BY_NAME);
    if (policy && q->lists)
        filter_by(x, BY_POLICY);
    x->count[FITS] = (uint32_t)x->n;
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

static struct query_hit rank_row(const struct scan *x, uint32_t index, unsigned rank)
{
    const struct query *q = x->q;
    struct query_hit h = {.index = index};
    uint32_t lacks = 0;
    for (size_t i = 0; i < q->n_prefer; i++)
        lacks += !query_prefers(q, &q->prefer[i], index);
    bool known = true;
    if (q->like.n)
        h.value = x->distance[index];
    else
        known = sort_value(q, &x->row[index], index, &h.value);
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

bool query_run(struct reading *r, const struct query *q, struct query_result *out)
{
    size_t n = q->from.offers.n;
    struct scan x = {.q = q, .row = q->from.offers.row};
    memset(out, 0, sizeof *out);
    x.left = arena_array(r->ar, n, sizeof *x.left);
    x.count = out->count = arena_array(r->ar, OUT_TESTS + q->n_tests, sizeof *out->count);
    x.distance = arena_array(r->ar, q->like.n ? n : 1, sizeof *x.distance);
    if (!x.left || !x.count || !x.distance)
        return reading_memory(r);
    if (q->from.offers.cat && !place_providers(r, &x))
        return false;
    out->considered = begin_list(&x);
    filter(&x);
    out->hit = arena_array(r->ar, q->limit < QUERY_KEPT ? QUERY_KEPT : x.n, sizeof *out->hit);
    if (!out->hit)
        return reading_memory(r);
    for (size_t i = 0; i < x.n; i++) {
        uint32_t index = x.left[i] / ROW_WORDS;
        keep(q, out, rank_row(&x, index, place_of(&x, index).rank));
    }
    if (q->limit >= QUERY_KEPT)
        sort_hits(q, out);
    return true;
}

/* Nobody asks what excluded the others, so what excludes most comes first. */
static bool best_offering(struct reading *r, struct scan *x, const struct suggestion *s,
                          struct query_hit *best)
{
    const struct query *q = x->q;
    const struct offers *o = &q->from.offers;
    uint32_t first = snapshot_provider(&o->cat->snap, s->near[0]);
    uint32_t second = snapshot_provider(&o->cat->snap, s->near[1]);
    bool found = false;
    x->left = arena_array(r->ar, o->n, sizeof *x->left);
    if (!x->left)
        return reading_memory(r);
    size_t done = q->n_tests && q->test[0].kind == TEST_SLOT;
    if (done)
        begin_bit(x, bit_of(&q->test[0], false));
    for (; !done && x->n < o->n; x->n++)
        x->left[x->n] = (uint32_t)(x->n * ROW_WORDS);
    for (size_t i = done; i < q->n_tests; i++)
        filter_test(x, &q->test[i]);
    for (size_t i = 0; i < x->n; i++) {
        uint32_t index = x->left[i] / ROW_WORDS;
        const struct snap_row *row = &x->row[index];
        if (row->status >= ROW_DEPRECATED)
            continue;
        unsigned rank = row->provider == first ? 0 : row->provider == second ? 1 : 2;
        struct query_hit h = rank_row(x, index, rank);
        if (found && hit_cmp(&h, best) > 0)
            continue;
        if (offer_is_backend(o, row->provider) || !offer_allowed(o, row))
            continue;
        if (s->admits && !s->admits(s->ctx, o, row))
            continue;
        *best = h;
        found = true;
    }
    return found;
}

bool query_suggest(struct reading *r, const cando_catalog *cat, const struct need_list *needs,
                   const struct suggestion *s, struct str *out)
{
    struct query q = {.sort = CANDO_SORT_PRICE};
    struct query_hit best = {0};
    if (!offers_open(&q.from.offers, cat, r->ar))
        return reading_memory(r);
    if (!query_add_needs(r, &q, needs))
        return false;
    struct scan x = {.q = &q, .row = q.from.offers.row};
    if (!best_offering(r, &x, s, &best))
        return false;
    *out = str_join(r->ar, candidate_provider(&q.from, best.index), STR("/"),
                    candidate_id(&q.from, best.index));
    return out->p || reading_memory(r);
}
