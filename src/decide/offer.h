/*
 * offer.h - the offerings of a catalog: a row of numbers each, and bits of what they can do.
 *
 * Normally both lie in the snapshot and are read in place. Where they cannot be (other
 * fields than ours, another byte order) they are packed into the arena first, from the
 * same records, so that nobody behind this sees a difference.
 */
#ifndef CANDO_OFFER_H
#define CANDO_OFFER_H

#include "catalog/planes.h"
#include "base/instant.h"
#include "catalog/profile.h"

struct offers {
    const cando_catalog *cat;
    uint32_t day;               /* that is asked about; 0: today */
    const struct snap_row *row; /* in the order of "provider/id" */
    const struct snap_run *run; /* not for inline models */
    const uint32_t *support;    /* as in planes.h */
    const uint32_t *dated;      /* rows whose price depends on the day, in order */
    size_t n, n_runs, n_dated;
};

static inline uint32_t offers_day(const struct offers *o)
{
    return o->day ? o->day : day_today();
}

/* False: no memory. */
bool offers_open(struct offers *o, const cando_catalog *cat, struct arena *ar);

static inline uint64_t row_u64(const uint32_t w[2])
{
    return (uint64_t)w[1] << 32 | w[0];
}

struct str offer_provider(const struct offers *o, const struct snap_row *row);
struct str offer_id(const struct offers *o, const struct snap_row *row);
/* The whole profile behind a row. */
void offer_profile(const struct offers *o, const struct snap_row *row, cando_profile *out);
/* What planes say of offering i, into its row and its bits. */
void offer_put(size_t i, const cando_planes *planes, struct snap_row *row, uint32_t *support);
/* What row and bits know of offering i, as planes: all slots (a restricted one as
 * emulated), the window, the output limit and the prices without a day. No single levels. */
void offer_planes(const struct offers *o, size_t i, cando_planes *out);

/* One bit for each offering. */
static inline const uint32_t *offer_bits(const struct offers *o, unsigned slot, unsigned bits)
{
    return o->support + support_at(o->support, slot, bits);
}

static inline const uint32_t *offer_status(const struct offers *o, enum row_status status)
{
    return o->support + support_status(o->support, status);
}

/* From this day on the sets of statuses are right, but for those rows whose status still depends
 * on the day. */
static inline uint32_t offer_settled(const struct offers *o)
{
    return o->support[0];
}

static inline const uint32_t *offer_dated(const struct offers *o)
{
    return o->support + support_status(o->support, ROW_STATUSES);
}

static inline enum row_status offer_status_on(const struct offers *o, uint32_t index, uint32_t day)
{
    const struct snap_row *row = &o->row[index];
    return life_status(&(struct profile_life){row->status, row->deprecated, row->retires}, day);
}

static inline bool offer_has(const struct offers *o, size_t i, unsigned slot, unsigned bits)
{
    return offer_bits(o, slot, bits)[i / 32] >> (i % 32) & 1;
}

/* Do the catalog's allow and deny lists let it be used? */
bool offer_allowed(const struct offers *o, const struct snap_row *row);
/* Is the provider of a kind that serves no models, but is an agent's backend? */
bool offer_is_backend(const struct offers *o, uint32_t provider);

/* Input and output on the day that is asked about, looked up in the record where it depends on
 * that. */
struct offer_price {
    uint64_t side[2];
};
struct offer_price offer_price(const struct offers *o, uint32_t index);
struct offer_price offer_price_dated(const struct offers *o, uint32_t index);

/* Both together, saturated; CANDO_NO_PRICE if either is unknown. */
static inline uint64_t price_sum(uint64_t in, uint64_t out)
{
    if (in == CANDO_NO_PRICE || out == CANDO_NO_PRICE)
        return CANDO_NO_PRICE;
    return in > CANDO_NO_PRICE - 1 - out ? CANDO_NO_PRICE - 1 : in + out;
}

/* Of a row that is not dated. */
static inline uint64_t row_price(const struct snap_row *row)
{
    return price_sum(row_u64(row->price[0]), row_u64(row->price[1]));
}

#endif
