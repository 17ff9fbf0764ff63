/*
 * offer.c - rows in place, or packed anew.
 */
#include "offer.h"

#include "catalog/price.h"
#include "rules/policy.h"

static bool in_place(const struct snapshot *s)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    (void)s; /* stored rows are little-endian */
    return false;
#else
    return s->same_fields && s->sec[SEC_ROWS].stride == sizeof(struct snap_row) &&
           s->sec[SEC_RUNS].stride == sizeof(struct snap_run) && s->sec[SEC_SUPPORT].stride == 4 &&
           s->sec[SEC_SUPPORT].n >= SUPPORT_HEAD &&
           (!s->sec[SEC_DATED].n || s->sec[SEC_DATED].stride == 4);
#endif
}

void offer_put(size_t i, const cando_planes *planes, struct snap_row *row, uint32_t *support)
{
    snap_put64(row[i].price[0], planes->price[0]);
    snap_put64(row[i].price[1], planes->price[1]);
    snap_put64(row[i].context_window, planes->number[NUM_context_window]);
    snap_put64(row[i].max_output, planes->number[NUM_max_output]);
    support_put(support, i, planes, &row[i]);
}

bool offers_open(struct offers *o, const cando_catalog *cat, struct arena *ar)
{
    const struct snapshot *s = &cat->snap;
    *o = (struct offers){.cat = cat, .n = s->sec[SEC_ROWS].n, .n_runs = s->sec[SEC_RUNS].n};
    if (in_place(s)) {
        o->row = (const struct snap_row *)(const void *)s->sec[SEC_ROWS].p;
        o->run = (const struct snap_run *)(const void *)s->sec[SEC_RUNS].p;
        o->support = (const uint32_t *)(const void *)s->sec[SEC_SUPPORT].p;
        o->dated = (const uint32_t *)(const void *)s->sec[SEC_DATED].p;
        o->n_dated = s->sec[SEC_DATED].n;
        return true;
    }
    struct snap_row *row = arena_array(ar, o->n, sizeof *row);
    struct snap_run *run = arena_array(ar, o->n_runs, sizeof *run);
    uint32_t *support = arena_array(ar, support_size(o->n), sizeof *support);
    uint32_t *dated = arena_array(ar, o->n, sizeof *dated);
    if (!row || !run || !support || !dated)
        return false;
    support_begin(support, o->n);
    for (size_t i = 0; i < o->n_runs; i++)
        run[i] = snap_run(s, i);
    for (size_t i = 0; i < o->n; i++) {
        row[i] = snap_row(s, i);
        support_settle(support, &row[i]);
    }
    for (size_t i = 0; i < o->n; i++) {
        cando_profile p;
        cando_planes planes;
        offer_profile(o, &row[i], &p);
        cando_profile_pack(&p, &planes);
        offer_put(i, &planes, row, support);
        if (planes.dated)
            dated[o->n_dated++] = (uint32_t)i;
    }
    o->dated = dated;
    o->row = row;
    o->run = run;
    o->support = support;
    return true;
}

struct str offer_provider(const struct offers *o, const struct snap_row *row)
{
    return snap_str(&o->cat->snap, snap_provider(&o->cat->snap, row->provider).id);
}

struct str offer_id(const struct offers *o, const struct snap_row *row)
{
    return snap_str(&o->cat->snap, row->id ? row->id : row->key);
}

void offer_profile(const struct offers *o, const struct snap_row *row, cando_profile *out)
{
    out->catalog = o->cat;
    out->identity = CANDO_BY_EXACT;
    out->how = CANDO_AS_WRITTEN;
    out->day = o->day;
    out->provider = row->provider;
    out->canonical = NULL;
    out->record =
        (const uint32_t *)(const void *)(o->cat->snap.sec[SEC_RECORDS].p + (size_t)row->record * 4);
}

void offer_planes(const struct offers *o, size_t i, cando_planes *out)
{
    const struct snap_row *row = &o->row[i];
    planes_clear(out);
    out->has_levels = false;
    for (unsigned slot = 0; slot < SLOT_COUNT; slot++) {
        unsigned w = slot / 64, bit = slot % 64;
        out->known[w] |= (uint64_t)offer_has(o, i, slot, BITS_KNOWN) << bit;
        out->native[w] |= (uint64_t)offer_has(o, i, slot, BITS_NATIVE) << bit;
        out->usable[w] |= (uint64_t)offer_has(o, i, slot, BITS_USABLE) << bit;
    }
    out->price[0] = row_u64(row->price[0]);
    out->price[1] = row_u64(row->price[1]);
    uint64_t window = row_u64(row->context_window), output = row_u64(row->max_output);
    if (window)
        planes_put_number(out, NUM_context_window, window);
    if (output)
        planes_put_number(out, NUM_max_output, output);
}

struct offer_price offer_price_dated(const struct offers *o, uint32_t index)
{
    struct offer_price out = {{CANDO_NO_PRICE, CANDO_NO_PRICE}};
    cando_profile p;
    offer_profile(o, &o->row[index], &p);
    cando_value v = profile_fact(&p, F_price).value;
    for (unsigned side = 0; side < 2; side++) {
        unsigned unit = side ? UNIT_output_tokens : UNIT_input_tokens;
        struct str rate = price_on(&v, unit, offers_day(o));
        if (!price_parse(rate, &out.side[side]))
            out.side[side] = CANDO_NO_PRICE;
    }
    return out;
}

struct offer_price offer_price(const struct offers *o, uint32_t index)
{
    const struct snap_row *row = &o->row[index];
    size_t at = offer_dated_before(o, index);
    if (at < o->n_dated && o->dated[at] == index)
        return offer_price_dated(o, index);
    return (struct offer_price){{row_u64(row->price[0]), row_u64(row->price[1])}};
}

bool offer_allowed(const struct offers *o, const struct snap_row *row)
{
    const struct snapshot *s = &o->cat->snap;
    return !policy_any(s) ||
           policy_check(s, row->provider, offer_provider(o, row), offer_id(o, row), NULL).allowed;
}

bool offer_is_backend(const struct offers *o, uint32_t provider)
{
    return snap_is_backend(&o->cat->snap, provider);
}
