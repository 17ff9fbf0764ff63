/*
 * offer.c - rows in place, or packed anew.
 */
#include "offer.h"

#include "rules/policy.h"

#include <stdlib.h>

static bool in_place(const struct snapshot *s)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    (void)s; /* stored rows are little-endian */
    return false;
#else
    return s->same_fields && s->sec[SEC_ROWS].stride == sizeof(struct snap_row) &&
           s->sec[SEC_ROWS].n;
#endif
}

static void put64(uint32_t out[2], uint64_t v)
{
    out[0] = (uint32_t)v;
    out[1] = (uint32_t)(v >> 32);
}

void row_put_planes(struct snap_row *row, const cando_planes *planes)
{
    for (unsigned w = 0; w < 2; w++) {
        put64(&row->known[2 * w], planes->known[w]);
        put64(&row->native[2 * w], planes->native[w]);
        put64(&row->usable[2 * w], planes->usable[w]);
        put64(row->price[w], planes->price[w]);
    }
    put64(row->context_window, planes->number[NUM_context_window]);
    put64(row->max_output, planes->number[NUM_max_output]);
}

/* `given` is the stored row, or one that holds nothing but who it is. */
static void pack_row(const struct offers *o, struct snap_row given, struct snap_row *out)
{
    cando_profile p;
    cando_planes planes;
    *out = given;
    offer_profile(o, out, &p);
    cando_profile_pack(&p, &planes);
    row_put_planes(out, &planes);
}

struct named_row {
    struct snap_row row;
    struct str provider, id;
};

/* As "provider/id" compares. */
static int by_name(const void *a, const void *b)
{
    const struct named_row *x = a, *y = b;
    size_t n = x->provider.n < y->provider.n ? x->provider.n : y->provider.n;
    int c = memcmp(x->provider.p, y->provider.p, n);
    if (c || x->provider.n == y->provider.n)
        return c ? c : str_cmp(x->id, y->id);
    char next = x->provider.n < y->provider.n ? y->provider.p[n] : x->provider.p[n];
    int shorter_first = (unsigned char)'/' < (unsigned char)next ? -1 : 1;
    return x->provider.n < y->provider.n ? shorter_first : -shorter_first;
}

/* From the rows of a file whose planes are not ours, or from the index of ids. */
static size_t gather(const struct offers *o, struct named_row *list)
{
    const struct snapshot *s = &o->cat->snap;
    size_t n = 0;
    for (size_t i = 0; i < s->sec[SEC_ROWS].n; i++)
        list[n++].row = snap_row(s, i);
    for (size_t i = 0; s->sec[SEC_ROWS].n == 0 && i < s->sec[SEC_EXACT].n; i++) {
        struct snap_exact x = snap_exact(s, i);
        if (x.record == SNAP_NONE || x.provider == SNAP_NONE ||
            snap_u32(s, SEC_RECORDS, x.record) != CANDO_BY_EXACT)
            continue;
        list[n++].row = (struct snap_row){.provider = x.provider, .key = x.key, .record = x.record};
    }
    return n;
}

bool offers_open(struct offers *o, const cando_catalog *cat, struct arena *ar)
{
    const struct snapshot *s = &cat->snap;
    *o = (struct offers){.cat = cat, .n = s->sec[SEC_ROWS].n};
    if (in_place(s)) {
        o->row = (const struct snap_row *)(const void *)s->sec[SEC_ROWS].p;
        return true;
    }
    size_t most =
        s->sec[SEC_ROWS].n > s->sec[SEC_EXACT].n ? s->sec[SEC_ROWS].n : s->sec[SEC_EXACT].n;
    struct named_row *list = arena_array(ar, most, sizeof *list);
    struct snap_row *row = arena_array(ar, most, sizeof *row);
    if (!list || !row)
        return false;
    o->n = gather(o, list);
    for (size_t i = 0; i < o->n; i++) {
        list[i].provider = offer_provider(o, &list[i].row);
        list[i].id = snap_str(s, list[i].row.key);
    }
    if (o->n)
        qsort(list, o->n, sizeof *list, by_name);
    for (size_t i = 0; i < o->n; i++)
        pack_row(o, list[i].row, &row[i]);
    o->row = row;
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
    out->provider = row->provider;
    out->canonical = NULL;
    out->record =
        (const uint32_t *)(const void *)(o->cat->snap.sec[SEC_RECORDS].p + (size_t)row->record * 4);
}

void offer_planes(const struct snap_row *row, cando_planes *out)
{
    planes_clear(out);
    out->has_levels = false;
    for (unsigned w = 0; w < 2; w++) {
        out->known[w] = row_u64(&row->known[2 * w]);
        out->native[w] = row_u64(&row->native[2 * w]);
        out->usable[w] = row_u64(&row->usable[2 * w]);
        out->price[w] = row_u64(row->price[w]);
    }
    uint64_t window = row_u64(row->context_window), output = row_u64(row->max_output);
    if (window)
        planes_put_number(out, NUM_context_window, window);
    if (output)
        planes_put_number(out, NUM_max_output, output);
}

bool offer_allowed(const struct offers *o, const struct snap_row *row)
{
    const struct snapshot *s = &o->cat->snap;
    return !policy_any(s) ||
           policy_check(s, row->provider, offer_provider(o, row), offer_id(o, row), NULL).allowed;
}

bool offer_is_backend(const struct offers *o, uint32_t provider)
{
    const struct snapshot *s = &o->cat->snap;
    return str_is(snap_str(s, snap_provider(s, provider).kind), "backend");
}
