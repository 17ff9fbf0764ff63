/*
 * query.c - one criterion after the other over all rows.
 *
 * What is left is a set of rows, a bit each. A capability is such a set in the catalog, so
 * that requiring it takes a few operations for 32 rows; how many a criterion excluded is
 * how much smaller the set has become. Only what is still there is asked the dear ones:
 * prices and windows, limits that rows do not carry, lists, names, a request. The hits are kept in
 * order as they come when few are asked for, and sorted at the end otherwise.
 */
#include "query.h"

#include "base/instant.h"
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
    const struct offers *o = &c->offers;
    if (offer_has(o, index, slot, BITS_NATIVE))
        return CANDO_NATIVE;
    if (!offer_has(o, index, slot, BITS_USABLE))
        return offer_has(o, index, slot, BITS_KNOWN) ? CANDO_UNSUPPORTED : CANDO_UNKNOWN;
    if (c->own)
        return planes_level(&c->own[index].planes, slot);
    cando_profile p;
    cando_planes planes;
    offer_profile(o, &o->row[index], &p);
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

bool candidate_set(const struct candidates *c, uint32_t index, unsigned set, uint32_t *out)
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

struct dated_price {
    bool known;
    struct offer_price price;
};

struct scan {
    const struct query *q;
    const struct offers *offers;     /* the query's */
    struct provider_place *provider; /* by number; a catalog's only */
    uint32_t *left;                  /* a bit for each row that nothing has excluded so far */
    size_t words;
    uint32_t day, early; /* that is asked about; all ones: the catalog's bits are of a later one */
    struct query_result *result;
    uint32_t *count;    /* the result's */
    uint32_t *distance; /* with `like`: of each row that is left, by its number */
    uint32_t *dated;    /* a bit for each row whose price depends on the day; NULL: there is none */
    struct dated_price *price; /* of these, as far as it was looked up, in their order */
};

/* Every row that is left, in order. The loop may take out the one that it looks at. */
#define EACH_LEFT(x, i)                                                                            \
    for (size_t w_ = 0; w_ < (x)->words; w_++)                                                     \
        for (uint32_t m_ = (x)->left[w_], i; m_ && (i = row_of(w_, m_), true); m_ &= m_ - 1)

static inline uint32_t row_of(size_t word, uint32_t bits)
{
    return (uint32_t)(word * 32) + (uint32_t)__builtin_ctz(bits);
}

static inline void take_out(struct scan *x, uint32_t i, bool out)
{
    x->left[i / 32] &= ~((uint32_t)out << (i % 32));
}

/* Four words at a time: `left` is that much longer, and what is there is zero. */
typedef uint64_t quad __attribute__((vector_size(16)));
#define QUAD 4
#define QUADS_AT_ONCE 30 /* whose bytes, up to 8 each, fit a byte together */

static uint32_t count_left(const struct scan *x)
{
    const uint64_t twos = UINT64_C(0x5555555555555555), fours = UINT64_C(0x3333333333333333),
                   bytes = UINT64_C(0x0F0F0F0F0F0F0F0F), wide = UINT64_C(0x00FF00FF00FF00FF);
    uint32_t n = 0;
    for (size_t w = 0; w < x->words;) {
        quad sum = {0}, v;
        size_t most = w + (size_t)QUAD * QUADS_AT_ONCE;
        for (size_t end = most < x->words ? most : x->words; w < end; w += QUAD) {
            memcpy(&v, x->left + w, sizeof v);
            v -= v >> 1 & twos;
            v = (v & fours) + (v >> 2 & fours);
            sum += (v + (v >> 4)) & bytes;
        }
        sum = (sum & wide) + (sum >> 8 & wide);
        n += (uint32_t)(((sum[0] + sum[1]) * UINT64_C(0x0001000100010001)) >> 48);
    }
    return n;
}

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

static struct provider_place place_of_kind(const struct query *q, struct str kind)
{
    return (struct provider_place){
        .out = q->has_providers ? OUT_PROVIDERS : kind_reason(q, kind),
        .skip = !q->n_kinds && str_is(kind, "backend"), /* no model, but what runs one */
        .rank = UINT16_MAX,
    };
}

static bool place_providers(struct reading *r, struct scan *x)
{
    const struct query *q = x->q;
    const struct snapshot *s = &q->from.offers.cat->snap;
    size_t n = s->sec[SEC_PROVIDERS].n;
    x->provider = arena_array(r->ar, n, sizeof *x->provider);
    if (!x->provider)
        return reading_memory(r);
    uint32_t kind[2] = {SNAP_NONE, SNAP_NONE}; /* most are of one of two kinds */
    struct provider_place of_kind[2] = {{0}};
    for (uint32_t p = 0, last = 0; p < n; p++) {
        uint32_t own = snap_provider_kind(s, p);
        if (own != kind[last])
            last ^= 1;
        if (own != kind[last]) {
            kind[last] = own;
            of_kind[last] = place_of_kind(q, snap_str(s, own));
        }
        x->provider[p] = of_kind[last];
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
        return x->provider[x->offers->row[i].provider];
    return place_inline(x->q, x->q->from.own[i].provider);
}

/* The bits from `from` up to `to`. */
static void put_in(struct scan *x, uint32_t from, uint32_t to)
{
    for (uint32_t w = from / 32; w * 32 < to; w++) {
        uint32_t below = w * 32 < from ? from % 32 : 0, above = to - w * 32;
        uint32_t all = above < 32 ? (1u << above) - 1 : UINT32_MAX;
        x->left[w] |= all & UINT32_MAX << below;
    }
}

/* Everything that is a candidate, less what is served by others. */
static size_t begin_list(struct scan *x)
{
    const struct offers *o = x->offers;
    size_t considered = 0;
    uint32_t end, n = (uint32_t)(x->provider ? o->n_runs : o->n);
    for (uint32_t i = 0, from = 0; i < n; i++, from = end) {
        struct provider_place place = place_of(x, from);
        end = x->provider ? o->run[i].end : i + 1;
        if (place.skip)
            continue;
        considered += end - from;
        x->count[place.out] += end - from;
        if (place.out == FITS)
            put_in(x, from, end);
    }
    return considered;
}

/* -- what the catalog's bits tell ---------------------------------------------------------- */

struct bit_test {
    const uint32_t *bits, *known;
    uint32_t or_unknown, invert; /* all ones: what is unknown passes; the answer is turned around */
};

static struct bit_test bit_of(const struct offers *o, const struct query_test *t, bool include)
{
    bool no = t->word == TEST_FORBID || t->word == TEST_CANNOT;
    bool unknown_is_yes = t->word == TEST_CANNOT ? !include : include && !no;
    unsigned bits = no || t->min_support == CANDO_MIN_EMULATED ? BITS_USABLE
                    : t->min_support == CANDO_MIN_NATIVE       ? BITS_NATIVE
                                                               : BITS_KNOWN;
    return (struct bit_test){
        .bits = offer_bits(o, t->slot, bits),
        .known = offer_bits(o, t->slot, BITS_KNOWN),
        .or_unknown = unknown_is_yes ? UINT32_MAX : 0,
        .invert = no ? UINT32_MAX : 0,
    };
}

static inline uint32_t bits_passing(const struct bit_test *t, size_t word)
{
    return (t->bits[word] | (~t->known[word] & t->or_unknown)) ^ t->invert;
}

static inline uint64_t pair_passing(const struct bit_test *t, size_t word)
{
    uint64_t bits, known, or_unknown = (uint64_t)t->or_unknown << 32 | t->or_unknown;
    memcpy(&bits, t->bits + word, sizeof bits);
    memcpy(&known, t->known + word, sizeof known);
    return (bits | (~known & or_unknown)) ^ ((uint64_t)t->invert << 32 | t->invert);
}

static void filter_bit(struct scan *x, struct bit_test t)
{
    size_t w = 0;
    for (uint64_t left; w + 2 <= x->words; w += 2) {
        memcpy(&left, x->left + w, sizeof left);
        left &= pair_passing(&t, w);
        memcpy(x->left + w, &left, sizeof left);
    }
    for (; w < x->words; w++)
        x->left[w] &= bits_passing(&t, w);
}

/* -- what the rows tell -------------------------------------------------------------------- */

/* Words of a row, and what they must be. */
#define WORD_OF(member) (uint8_t)(offsetof(struct snap_row, member) / 4)

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

/* Most tests are of all 64 bits, and let nothing unknown pass: `plain`. Rows that are `apart`, if
 * not NULL, stay. */
__attribute__((always_inline)) static inline void filter_rows(struct scan *x, struct range_test t,
                                                              bool plain, const uint32_t *apart)
{
    const uint32_t *row = (const uint32_t *)(const void *)x->offers->row + t.at;
    for (size_t w = 0; w < x->words; w++, row += 32 * sizeof(struct snap_row) / 4) {
        uint32_t passing = apart ? x->left[w] & apart[w] : 0;
        for (uint32_t left = x->left[w] ^ passing; left; left &= left - 1) {
            unsigned i = (unsigned)__builtin_ctz(left);
            uint64_t v = row_u64(row + i * sizeof(struct snap_row) / 4);
            v = plain ? v : v & t.mask;
            bool passes = v - t.least <= t.span || (!plain && v == t.passes);
            passing |= (uint32_t)passes << i;
        }
        x->left[w] = passing;
    }
}

static void filter_range(struct scan *x, struct range_test t, const uint32_t *apart)
{
    if (t.mask == UINT64_MAX && t.passes == t.least)
        filter_rows(x, t, true, apart);
    else
        filter_rows(x, t, false, apart);
}

/* The price of a row with a bit in `dated`, which is looked up once. */
__attribute__((noinline)) static struct offer_price price_of_day(const struct scan *x,
                                                                 uint32_t index)
{
    struct dated_price *p = &x->price[offer_dated_before(x->offers, index)];
    if (!p->known)
        *p = (struct dated_price){true, offer_price_dated(x->offers, index)};
    return p->price;
}

/* Prices that depend on the day are not in the rows. */
static void filter_price(struct scan *x, const struct query_test *t, struct range_test range)
{
    filter_range(x, range, x->dated);
    for (size_t w = 0; x->dated && w < x->words; w++)
        for (uint32_t bits = x->left[w] & x->dated[w]; bits; bits &= bits - 1) {
            uint32_t i = row_of(w, bits);
            uint64_t v = price_of_day(x, i).side[t->slot];
            take_out(x, i, v - range.least > range.span && v != range.passes);
        }
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
    struct bit_test bit = bit_of(&q->from.offers, t, false);
    return bits_passing(&bit, index / 32) >> (index % 32) & 1;
}

static void filter_test(struct scan *x, const struct query_test *t)
{
    bool include = x->q->include_unknown;
    struct range_test range;
    if (t->kind == TEST_SLOT) {
        filter_bit(x, bit_of(x->offers, t, include));
        return;
    }
    if (range_of(t, include, &range)) {
        if (t->kind == TEST_PRICE)
            filter_price(x, t, range);
        else
            filter_range(x, range, NULL);
        return;
    }
    EACH_LEFT(x, i)
    take_out(x, i, !slow_passes(x->q, t, i, include));
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
    return glob_run_any(&p->glob, a) || (b.p && glob_run_any(&p->glob, b));
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
    size_t slash = str_behind_last(id, '/');
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
    for (size_t i = 0; i < q->n_words && found; i++)
        found = str_find(name.whole, q->words[i]) != SIZE_MAX;
    if (!found)
        return OUT_MATCH;
    if (!q->like.n)
        return FITS;
    unsigned near = str_near(q->like.n);
    *distance = name_distance(q->like, name.id, near);
    return *distance <= near ? FITS : OUT_LIKE;
}

/* -- what it is for ------------------------------------------------------------------------ */

/* Where nobody says what it is for: what streams or calls tools converses, but not the tier of a
 * model that answers jobs only. */
static bool seems_chat(const struct candidates *c, uint32_t index)
{
    const struct offers *o = &c->offers;
    if (str_ends(candidate_id(c, index), STR(":batch")))
        return false;
    return offer_has(o, index, plane_slot(F_streaming), BITS_USABLE) ||
           offer_has(o, index, plane_slot(F_tool_calling), BITS_USABLE);
}

static enum query_reason mistaken(const struct query *q, uint32_t index)
{
    const struct offers *o = &q->from.offers;
    cando_value kind = {0};
    if (!q->from.own) {
        cando_profile p;
        offer_profile(o, &o->row[index], &p);
        kind = profile_fact(&p, F_model_kind).value;
    }
    if (kind.known)
        return in_fold(q->purpose, q->n_purpose, str_of(kind.text)) ? FITS : OUT_PURPOSE;
    if (q->include_unknown)
        return FITS;
    bool chat = in_fold(q->purpose, q->n_purpose, STR("chat"));
    return chat && seems_chat(&q->from, index) ? FITS : OUT_PURPOSE;
}

/* -- all criteria, one after the other ----------------------------------------------------- */

/* Rows 32 * w and so on, as bits: their status has to be looked up for the day. */
static inline uint32_t unsettled(const struct scan *x, size_t w)
{
    return offer_dated(x->offers)[w] | x->early;
}

/* Takes out what has this status, as far as it is settled. */
static void drop_status(struct scan *x, enum row_status status)
{
    const uint32_t *has = offer_status(x->offers, status);
    for (size_t w = 0; w < x->words; w++)
        x->left[w] &= ~has[w] | unsettled(x, w);
}

/* Takes out what does not have one of these on the day, a bit for each status. Returns how many are
 * retired of those whose status depends on the day. */
static uint32_t filter_status(struct scan *x, unsigned fits)
{
    uint32_t retired = 0;
    for (unsigned status = 0; status < ROW_STATUSES; status++)
        if (!(fits >> status & 1))
            drop_status(x, status);
    for (size_t w = 0; w < x->words; w++) {
        uint32_t out = 0;
        for (uint32_t bits = x->left[w] & unsettled(x, w); bits; bits &= bits - 1) {
            enum row_status status = offer_status_on(x->offers, row_of(w, bits), x->day);
            bool leaves = !(fits >> status & 1);
            retired += status == ROW_RETIRED;
            out |= bits & -bits & -(uint32_t)leaves;
        }
        x->left[w] &= ~out;
    }
    return retired;
}

/* What is retired is counted first, then what nobody lists, then what is deprecated, and all take
 * one look at the days. */
static void exclude_ended(struct scan *x, bool retired_alone)
{
    static const unsigned others = 1u << ROW_UNLISTED | 1u << ROW_DEPRECATED;
    uint32_t before = count_left(x);
    drop_status(x, ROW_RETIRED);
    uint32_t left = count_left(x), listed = left;
    if (!retired_alone) {
        drop_status(x, ROW_UNLISTED);
        listed = count_left(x);
    }
    uint32_t ended = filter_status(x, ~(1u << ROW_RETIRED | (retired_alone ? 0 : others)));
    x->count[OUT_RETIRED] = before - left + ended;
    x->count[OUT_UNLISTED] = left - listed;
    x->count[OUT_DEPRECATED] = listed - ended - count_left(x);
}

static void exclude_others(struct scan *x, unsigned fits)
{
    uint32_t before = count_left(x);
    filter_status(x, fits);
    x->count[OUT_STATUS] = before - count_left(x);
}

enum step { BY_PATTERNS, BY_POLICY, BY_NAME, BY_PURPOSE };

static void filter_by(struct scan *x, enum step step)
{
    const struct query *q = x->q;
    EACH_LEFT(x, i)
    {
        const struct snap_row *row = &x->offers->row[i];
        enum query_reason out = step == BY_PATTERNS             ? barred(q, i)
                                : step == BY_NAME               ? misnamed(q, i, &x->distance[i])
                                : step == BY_PURPOSE            ? mistaken(q, i)
                                : offer_allowed(x->offers, row) ? FITS
                                                                : OUT_POLICY;
        x->count[out]++;
        take_out(x, i, out != FITS);
    }
}

static const struct verdict *verdict_on(const struct query *q, uint32_t index)
{
    if (q->from.own)
        return verdicts_claimed(q->verdicts, &q->from.own[index].planes);
    return verdicts_of(q->verdicts, candidate_provider(&q->from, index),
                       candidate_id(&q->from, index), q->include_unknown);
}

/* The dearest comes last: of what is left it asks preflight. False: the reading has failed. */
static bool filter_verdict(struct reading *r, struct scan *x)
{
    struct query_result *out = x->result;
    size_t most = x->q->wants_refused ? count_left(x) : 0;
    out->codes = arena_array(r->ar, CODE_COUNT + 1, sizeof *out->codes);
    out->refused = arena_array(r->ar, most, sizeof *out->refused);
    if (!out->codes || !out->refused)
        return reading_memory(r);
    EACH_LEFT(x, i)
    {
        const struct verdict *v = verdict_on(x->q, i);
        if (!v)
            return false;
        if (v->verdict != CANDO_REJECTED)
            continue;
        take_out(x, i, true);
        x->count[OUT_REQUEST]++;
        out->codes[v->code]++;
        if (most)
            out->refused[out->n_refused++] = (struct query_refused){i, v};
    }
    return true;
}

static bool filter(struct reading *r, struct scan *x)
{
    const struct query *q = x->q;
    bool policy = q->from.offers.cat && policy_any(&q->from.offers.cat->snap);
    if (q->has_allow || q->n_deny)
        filter_by(x, BY_PATTERNS);
    if (policy && !q->lists)
        filter_by(x, BY_POLICY);
    if (!q->lists)
        exclude_ended(x, q->status != 0);
    if (q->status)
        exclude_others(x, q->status);
    uint32_t left = count_left(x);
    for (size_t i = 0; i < q->n_tests; i++) {
        uint32_t before = left;
        filter_test(x, &q->test[i]);
        left = count_left(x);
        x->count[OUT_TESTS + i] = before - left;
    }
    if (q->model || q->n_match || q->n_words || q->like.n)
        filter_by(x, BY_NAME);
    if (q->n_purpose)
        filter_by(x, BY_PURPOSE);
    if (policy && q->lists)
        filter_by(x, BY_POLICY);
    if (q->verdicts && !filter_verdict(r, x))
        return false;
    x->count[FITS] = count_left(x);
    return true;
}

/* -- the order ----------------------------------------------------------------------------- */

static inline bool is_dated(const struct scan *x, uint32_t index)
{
    return x->dated && x->dated[index / 32] >> (index % 32) & 1;
}

/* The one that is sorted by; both sides together. */
static inline uint64_t sort_price(const struct scan *x, uint32_t index)
{
    const struct snap_row *row = &x->offers->row[index];
    cando_sort sort = x->q->sort;
    if (is_dated(x, index)) {
        struct offer_price p = price_of_day(x, index);
        return sort == CANDO_SORT_PRICE ? price_sum(p.side[0], p.side[1])
                                        : p.side[sort - CANDO_SORT_INPUT_PRICE];
    }
    return sort == CANDO_SORT_PRICE ? row_price(row)
                                    : row_u64(row->price[sort - CANDO_SORT_INPUT_PRICE]);
}

static inline bool sort_value(const struct scan *x, uint32_t index, uint64_t *out)
{
    const struct query *q = x->q;
    const struct snap_row *row = &x->offers->row[index];
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
        v = sort_price(x, index);
        *out = q->reverse ? ~v : v;
        return v != CANDO_NO_PRICE;
    default: /* the rows are in the order of names */
        *out = q->reverse ? ~(uint64_t)index : 0;
        return true;
    }
    *out = q->reverse ? v : ~v;
    return v != 0;
}

__attribute__((noinline)) static uint32_t count_lacks(const struct query *q, uint32_t index)
{
    uint32_t lacks = 0;
    for (size_t i = 0; i < q->n_prefer; i++)
        lacks += !query_prefers(q, &q->prefer[i], index);
    return lacks;
}

__attribute__((always_inline)) static inline void rank_row(const struct scan *x, uint32_t index,
                                                           uint64_t rank, struct query_hit *out)
{
    const struct query *q = x->q;
    uint32_t lacks = q->n_prefer ? count_lacks(q, index) : 0;
    bool known = true;
    uint64_t value = 0;
    if (q->like.n)
        value = x->distance[index];
    else
        known = sort_value(x, index, &value);
    out->index = index;
    out->value = known ? value : 0;
    out->rank = rank << 32 | lacks << 1 | !known;
}

static inline bool is_better(const struct query_hit *a, const struct query_hit *b)
{
    if (a->rank != b->rank)
        return a->rank < b->rank;
    return a->value != b->value ? a->value < b->value : a->index < b->index;
}

static int hit_cmp(const void *a, const void *b)
{
    return is_better(a, b) ? -1 : is_better(b, a);
}

#define QUERY_KEPT 64 /* up to here the list is kept in order while scanning */

/* Is it one of those that are kept, as far as can be said now? */
static inline bool is_kept(const struct query *q, const struct query_result *out,
                           const struct query_hit *h)
{
    if (q->limit >= QUERY_KEPT || out->n < q->limit)
        return true;
    return q->limit && is_better(h, &out->hit[q->limit - 1]);
}

__attribute__((noinline)) static void keep(const struct query *q, struct query_result *out,
                                           const struct query_hit *h)
{
    size_t at = out->n;
    if (q->limit >= QUERY_KEPT) {
        out->hit[out->n++] = *h;
        return;
    }
    if (out->n == q->limit)
        at--;
    else
        out->n++;
    for (; at > 0 && is_better(h, &out->hit[at - 1]); at--)
        out->hit[at] = out->hit[at - 1];
    out->hit[at] = *h;
}

/* The usual question: nothing but the price counts, and few are asked for. What is not cheaper
 * than the last that is kept then comes too late, since of equals the first one counts. */
static bool asks_cheapest(const struct query *q)
{
    bool other = q->n_prefer || q->like.n || q->n_favourites || q->reverse;
    return q->sort == CANDO_SORT_PRICE && !other && q->limit && q->limit < QUERY_KEPT;
}

static void sort_hits(const struct query *q, struct query_result *out)
{
    bool sorted = true;
    for (size_t i = 1; i < out->n && sorted; i++)
        sorted = is_better(&out->hit[i - 1], &out->hit[i]);
    if (!sorted)
        qsort(out->hit, out->n, sizeof *out->hit, hit_cmp);
    if (out->n > q->limit)
        out->n = q->limit;
}

/* -- all of it ----------------------------------------------------------------------------- */

static bool begin_scan(struct reading *r, const struct query *q, struct scan *x)
{
    size_t words = support_words(q->from.offers.n);
    *x = (struct scan){.q = q, .offers = &q->from.offers, .words = words};
    x->day = offers_day(x->offers);
    x->early = x->day < offer_settled(x->offers) ? UINT32_MAX : 0;
    x->left = arena_array(r->ar, words + QUAD, sizeof *x->left);
    if (!x->left)
        return reading_memory(r);
    if (!x->offers->n_dated)
        return true;
    x->dated = arena_array(r->ar, words, sizeof *x->dated);
    x->price = arena_array(r->ar, x->offers->n_dated, sizeof *x->price);
    if (!x->dated || !x->price)
        return reading_memory(r);
    for (size_t i = 0; i < x->offers->n_dated; i++)
        x->dated[x->offers->dated[i] / 32] |= 1u << (x->offers->dated[i] % 32);
    return true;
}

bool query_run(struct reading *r, const struct query *q, struct query_result *out)
{
    struct scan x;
    memset(out, 0, sizeof *out);
    if (!begin_scan(r, q, &x))
        return false;
    x.result = out;
    x.count = out->count = arena_array(r->ar, OUT_TESTS + q->n_tests, sizeof *out->count);
    x.distance = arena_array(r->ar, q->like.n ? x.offers->n : 1, sizeof *x.distance);
    if (!x.count || !x.distance)
        return reading_memory(r);
    if (q->from.offers.cat && !place_providers(r, &x))
        return false;
    out->considered = begin_list(&x);
    if (!filter(r, &x))
        return false;
    size_t most = q->limit < QUERY_KEPT ? QUERY_KEPT : out->count[FITS];
    out->hit = arena_array(r->ar, most, sizeof *out->hit);
    if (!out->hit)
        return reading_memory(r);
    bool cheapest = asks_cheapest(q);
    uint64_t too_dear = UINT64_MAX; /* by what is kept so far, without a price or with that one */
    EACH_LEFT(&x, i)
    {
        struct query_hit h;
        bool late = cheapest && out->n == q->limit && row_price(&x.offers->row[i]) >= too_dear;
        if (late && !is_dated(&x, i))
            continue;
        rank_row(&x, i, q->n_favourites ? place_of(&x, i).rank : UINT16_MAX, &h);
        if (!is_kept(q, out, &h))
            continue;
        keep(q, out, &h);
        const struct query_hit *last = &out->hit[out->n - 1];
        too_dear = last->rank & 1 ? UINT64_MAX : last->value;
    }
    if (q->limit >= QUERY_KEPT)
        sort_hits(q, out);
    return true;
}

/* Nobody asks what excluded the others. */
static bool best_offering(struct scan *x, const struct suggestion *s, struct query_hit *best)
{
    const struct query *q = x->q;
    const struct offers *o = x->offers;
    uint32_t first = snapshot_provider(&o->cat->snap, s->near[0]);
    uint32_t second = snapshot_provider(&o->cat->snap, s->near[1]);
    bool found = false;
    put_in(x, 0, (uint32_t)o->n);
    for (size_t i = 0; i < q->n_tests; i++)
        filter_test(x, &q->test[i]);
    filter_status(x, 1u << ROW_ACTIVE | 1u << ROW_PREVIEW); /* the fewer are left, the better */
    EACH_LEFT(x, i)
    {
        const struct snap_row *row = &o->row[i];
        unsigned rank = row->provider == first ? 0 : row->provider == second ? 1 : 2;
        struct query_hit h;
        rank_row(x, i, rank, &h);
        if (found && !is_better(&h, best))
            continue;
        if (offer_is_backend(o, row->provider) || !offer_allowed(o, row))
            continue;
        if (s->admits && !s->admits(s->ctx, o, i))
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
    struct scan x;
    if (!offers_open(&q.from.offers, cat, r->ar))
        return reading_memory(r);
    if (!query_add_needs(r, &q, needs) || !begin_scan(r, &q, &x))
        return false;
    if (!best_offering(&x, s, &best))
        return false;
    *out = str_join(r->ar, candidate_provider(&q.from, best.index), STR("/"),
                    candidate_id(&q.from, best.index));
    return out->p || reading_memory(r);
}
