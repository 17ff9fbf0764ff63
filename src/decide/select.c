/*
 * select.c - one scan over the rows.
 *
 * What depends on the provider alone (is it wanted, how much is it preferred) is
 * worked out once a provider. A row is then a few words against a few masks; only
 * where they say "no" is the culprit looked for, and only criteria that the rows do
 * not carry (other limits, lists) open the record. The matches are kept in order as
 * they come when few are asked for, and sorted at the end otherwise.
 */
#include "select.h"

#include "base/limits.h"
#include "check.h"
#include "text/glob.h"

#include <stdlib.h>

struct str select_provider(const struct select_source *s, uint32_t index)
{
    return s->offers.cat ? offer_provider(&s->offers, &s->offers.row[index]) : s->provider[index];
}

struct str select_id(const struct select_source *s, uint32_t index)
{
    return s->offers.cat ? offer_id(&s->offers, &s->offers.row[index]) : s->id[index];
}

void select_planes(const struct select_source *s, uint32_t index, cando_profile *room, cando_planes *out)
{
    if (!s->offers.cat) {
        *out = s->planes[index];
        return;
    }
    offer_profile(&s->offers, &s->offers.row[index], room);
    cando_profile_pack(room, out);
}

/* -- reasons ----------------------------------------------------------------------------------- */

/* Where in the list of reasons each kind begins. */
struct reasons {
    size_t providers, allow, deny, policy, retired, require, forbid, minimum, maximum, n;
};

static bool list_reasons(struct reading *r, const struct criteria *c, struct reasons *at, struct selection *out)
{
    size_t most = 5 + c->require.n + c->forbid.n + c->n_minimum + c->n_maximum, n = 0;
    out->reason = arena_array(r->ar, most, sizeof *out->reason);
    out->excluded = arena_array(r->ar, most, sizeof *out->excluded);
    if (!out->reason || !out->excluded)
        return reading_memory(r);
    at->providers = n;
    out->reason[n++] = STR("providers");
    at->allow = n;
    out->reason[n++] = STR("allow");
    at->deny = n;
    out->reason[n++] = STR("deny");
    at->policy = n;
    out->reason[n++] = STR("policy");
    at->retired = n;
    out->reason[n++] = STR("retired");
    at->require = n;
    for (size_t i = 0; i < c->require.n; i++)
        out->reason[n++] = str_printf(r->ar, "require %.*s", STR_ARG(c->require.need[i].name));
    at->forbid = n;
    for (size_t i = 0; i < c->forbid.n; i++)
        out->reason[n++] = str_printf(r->ar, "forbid %.*s", STR_ARG(c->forbid.need[i].name));
    at->minimum = n;
    for (size_t i = 0; i < c->n_minimum; i++)
        out->reason[n++] = str_printf(r->ar, "minimum %.*s", STR_ARG(c->minimum[i].name));
    at->maximum = n;
    for (size_t i = 0; i < c->n_maximum; i++)
        out->reason[n++] = str_printf(r->ar, "maximum %.*s", STR_ARG(c->maximum[i].name));
    at->n = out->n_reasons = n;
    for (size_t i = 0; i < n; i++)
        if (!out->reason[i].p)
            return reading_memory(r);
    return true;
}

/* -- the scan ---------------------------------------------------------------------------------------- */

struct provider_info {
    bool known, skip, out;
    uint16_t rank; /* smaller is preferred */
};

struct scan {
    const struct criteria *c;
    const struct select_source *src;
    struct reasons at;
    uint64_t native[2], usable[2], forbid[2]; /* what rows must and must not have */
    bool rows_suffice;        /* the rows carry all that is asked for */
    struct provider_info *provider; /* by number; a catalog's only */
};

static bool listed(const struct str *list, size_t n, struct str name, const cando_catalog *cat, uint32_t number, size_t *index)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq_fold(list[i], name) || (cat && snapshot_provider(&cat->snap, list[i]) == number)) {
            *index = i;
            return true;
        }
    return false;
}

static struct provider_info provider_info(const struct scan *x, struct str name, uint32_t number)
{
    const struct criteria *c = x->c;
    const cando_catalog *cat = x->src->offers.cat;
    struct provider_info info = {.known = true};
    size_t i = 0;
    bool named = listed(c->provider, c->n_providers, name, cat, number, &i);
    info.out = c->has_providers && !named;
    info.skip = cat && !named && offer_is_backend(&x->src->offers, number);
    info.rank = (uint16_t)(listed(c->prefer_provider, c->n_prefer_providers, name, cat, number, &i) && i < UINT16_MAX ? i : UINT16_MAX);
    return info;
}

static struct provider_info row_provider(const struct scan *x, uint32_t index)
{
    if (!x->provider)
        return provider_info(x, x->src->provider[index], 0);
    uint32_t number = x->src->offers.row[index].provider;
    if (!x->provider[number].known)
        x->provider[number] = provider_info(x, select_provider(x->src, index), number);
    return x->provider[number];
}

static bool in_patterns(const struct select_pattern *p, size_t n, struct str provider, struct str name)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < p[i].glob.n; k++)
            if (glob_run(p[i].glob.program[k], p[i].whole ? provider : name))
                return true;
    return false;
}

static bool barred(const struct scan *x, uint32_t index, size_t *reason)
{
    const struct criteria *c = x->c;
    char room[2 * LIMIT_NAME_BYTES + 2];
    struct str provider = select_provider(x->src, index), id = select_id(x->src, index);
    size_t n = 0;
    if (provider.n > LIMIT_NAME_BYTES || id.n > LIMIT_NAME_BYTES) {
        *reason = x->at.deny;
        return true;
    }
    for (size_t i = 0; i < provider.n; i++)
        room[n++] = char_fold(provider.p[i]);
    room[n++] = '/';
    for (size_t i = 0; i < id.n; i++)
        room[n++] = char_fold(id.p[i]);
    *reason = x->at.deny;
    if (in_patterns(c->deny, c->n_deny, str_make(room, provider.n), str_make(room, n)))
        return true;
    *reason = x->at.allow;
    return c->has_allow && !in_patterns(c->allow, c->n_allow, str_make(room, provider.n), str_make(room, n));
}

static bool bound_value(const struct select_bound *b, const cando_planes *p, uint64_t *out)
{
    if (b->kind != LIMIT_NUMBER_FIELD) {
        *out = p->price[b->kind == LIMIT_OUTPUT_PRICE];
        return *out != CANDO_NO_PRICE;
    }
    *out = p->number[b->number];
    return p->number_known >> b->number & 1;
}

/* The first criterion that planes fail, or SIZE_MAX. */
static size_t failing(const struct scan *x, const cando_planes *p)
{
    const struct criteria *c = x->c;
    uint64_t v;
    for (size_t i = 0; i < c->require.n; i++)
        if (check_need(&c->require.need[i], p, CANDO_UNKNOWN_DENY).effect != CANDO_MET)
            return x->at.require + i;
    for (size_t i = 0; i < c->forbid.n; i++)
        if (planes_level(p, c->forbid.need[i].slot) > CANDO_UNSUPPORTED)
            return x->at.forbid + i;
    for (size_t i = 0; i < c->n_minimum; i++)
        if (!bound_value(&c->minimum[i], p, &v) || v < c->minimum[i].value)
            return x->at.minimum + i;
    for (size_t i = 0; i < c->n_maximum; i++)
        if (!bound_value(&c->maximum[i], p, &v) || v > c->maximum[i].value)
            return x->at.maximum + i;
    return SIZE_MAX;
}

static uint64_t lacking(const struct scan *x, const struct snap_row *row)
{
    uint64_t bad = 0;
    for (unsigned w = 0; w < 2; w++) {
        uint64_t usable = row_u64(&row->usable[2 * w]);
        bad |= (x->usable[w] & ~usable) | (x->native[w] & ~row_u64(&row->native[2 * w])) | (x->forbid[w] & usable);
    }
    return bad;
}

/* Numbers of the rows alone; the others are looked up where they are. */
static bool row_in_bounds(const struct scan *x, const struct snap_row *row)
{
    const struct criteria *c = x->c;
    for (size_t k = 0; k < c->n_minimum + c->n_maximum; k++) {
        bool max = k >= c->n_minimum;
        const struct select_bound *b = max ? &c->maximum[k - c->n_minimum] : &c->minimum[k];
        uint64_t v = b->kind != LIMIT_NUMBER_FIELD        ? row_u64(row->price[b->kind == LIMIT_OUTPUT_PRICE])
                     : b->number == NUM_context_window ? row_u64(row->context_window)
                                                       : row_u64(row->max_output);
        bool known = b->kind != LIMIT_NUMBER_FIELD ? v != CANDO_NO_PRICE : v != 0;
        if (!known || (max ? v > b->value : v < b->value))
            return false;
    }
    return true;
}

/* Which criterion excludes the row, or SIZE_MAX; `*skip`: it is no candidate. */
static size_t excluded_by(const struct scan *x, uint32_t index, const struct provider_info *info, bool *skip)
{
    const struct snap_row *row = &x->src->offers.row[index];
    size_t reason;
    *skip = info->skip;
    if (info->skip || info->out)
        return x->at.providers;
    if ((x->c->has_allow || x->c->n_deny) && barred(x, index, &reason))
        return reason;
    if (x->src->offers.cat && !offer_allowed(&x->src->offers, row))
        return x->at.policy;
    if (row->status == ROW_RETIRED)
        return x->at.retired;
    if (x->rows_suffice && lacking(x, row) == 0 && row_in_bounds(x, row))
        return SIZE_MAX;
    cando_profile room;
    cando_planes planes;
    if (x->rows_suffice)
        offer_planes(row, &planes);
    else
        select_planes(x->src, index, &room, &planes);
    return failing(x, &planes);
}

static uint64_t preferred_count(const struct criteria *c, const struct select_source *src, uint32_t index)
{
    const struct snap_row *row = &src->offers.row[index];
    uint64_t n = 0;
    for (size_t i = 0; i < c->prefer.n; i++) {
        const struct need *want = &c->prefer.need[i];
        if (want->kind == NEED_SLOT) {
            const uint32_t *plane = want->min_support == CANDO_MIN_NATIVE ? row->native : row->usable;
            n += plane[want->slot / 32] >> (want->slot % 32) & 1;
            continue;
        }
        cando_profile room;
        cando_planes planes;
        select_planes(src, index, &room, &planes);
        n += check_need(want, &planes, CANDO_UNKNOWN_DENY).effect == CANDO_MET;
    }
    return n;
}

static struct select_match rank_row(const struct scan *x, uint32_t index, uint16_t rank)
{
    const struct snap_row *row = &x->src->offers.row[index];
    struct select_match m = {.rank = (uint64_t)rank << 32 | (UINT32_MAX - preferred_count(x->c, x->src, index)), .index = index};
    switch (x->c->sort) {
    case SORT_PRICE:
        m.value = row_price(row);
        break;
    case SORT_CONTEXT:
        m.value = ~row_u64(row->context_window);
        break;
    case SORT_RELEASE:
        m.value = ~(uint64_t)row->release;
        break;
    default:
        break;
    }
    return m;
}

static int match_cmp(const void *a, const void *b)
{
    const struct select_match *x = a, *y = b;
    if (x->rank != y->rank)
        return x->rank < y->rank ? -1 : 1;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

#define SELECT_KEPT 64 /* up to here the list is kept in order while scanning */

static void keep(struct selection *out, size_t limit, struct select_match m)
{
    size_t at = out->n;
    if (out->n == limit) {
        if (limit == 0 || match_cmp(&m, &out->match[limit - 1]) > 0)
            return;
        at--;
    } else {
        out->n++;
    }
    for (; at > 0 && match_cmp(&m, &out->match[at - 1]) < 0; at--)
        out->match[at] = out->match[at - 1];
    out->match[at] = m;
}

static void prepare(struct scan *x)
{
    const struct criteria *c = x->c;
    x->rows_suffice = true;
    for (size_t i = 0; i < c->require.n; i++) {
        const struct need *n = &c->require.need[i];
        x->rows_suffice &= n->kind == NEED_SLOT;
        if (n->kind == NEED_SLOT)
            (n->min_support == CANDO_MIN_NATIVE ? x->native : x->usable)[n->slot / 64] |= UINT64_C(1) << (n->slot % 64);
    }
    for (unsigned w = 0; w < 2; w++)
        x->forbid[w] = c->forbid.want[w];
    for (size_t k = 0; k < c->n_minimum + c->n_maximum; k++) {
        const struct select_bound *b = k < c->n_minimum ? &c->minimum[k] : &c->maximum[k - c->n_minimum];
        x->rows_suffice &= b->kind != LIMIT_NUMBER_FIELD || b->number == NUM_context_window || b->number == NUM_max_output;
    }
}

bool select_run(struct reading *r, const struct criteria *c, const struct select_source *src, struct selection *out)
{
    struct scan x = {.c = c, .src = src};
    size_t n = src->offers.n, room = c->limit < SELECT_KEPT ? SELECT_KEPT : n;
    memset(out, 0, sizeof *out);
    prepare(&x);
    out->match = arena_array(r->ar, room, sizeof *out->match);
    if (src->offers.cat)
        x.provider = arena_array(r->ar, src->offers.cat->snap.sec[SEC_PROVIDERS].n, sizeof *x.provider);
    if (!out->match || (src->offers.cat && !x.provider) || !list_reasons(r, c, &x.at, out))
        return reading_memory(r);
    for (uint32_t i = 0; i < n; i++) {
        bool skip;
        struct provider_info info = row_provider(&x, i);
        size_t reason = excluded_by(&x, i, &info, &skip);
        if (skip)
            continue;
        out->considered++;
        if (reason != SIZE_MAX) {
            out->excluded[reason]++;
            continue;
        }
        out->matched++;
        struct select_match m = rank_row(&x, i, info.rank);
        if (c->limit < SELECT_KEPT)
            keep(out, c->limit, m);
        else
            out->match[out->n++] = m;
    }
    if (c->limit >= SELECT_KEPT) {
        if (out->n)
            qsort(out->match, out->n, sizeof *out->match, match_cmp);
        out->n = out->n < c->limit ? out->n : c->limit;
    }
    return true;
}
