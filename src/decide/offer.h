/*
 * offer.h - the offerings of a catalog, row by row.
 *
 * Normally the rows lie in the snapshot and are read in place. Where they cannot
 * be (an older file without them, other fields than ours, another byte order) they
 * are packed into the arena first, from the same records, so that nobody behind
 * this sees a difference.
 */
#ifndef CANDO_OFFER_H
#define CANDO_OFFER_H

#include "catalog/planes.h"
#include "catalog/profile.h"

struct offers {
    const cando_catalog *cat;
    const struct snap_row *row; /* in the order of "provider/id" */
    size_t n;
};

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
/* What planes say, into the row. */
void row_put_planes(struct snap_row *row, const cando_planes *planes);
/* What the row itself knows, as planes: all slots (a restricted one as emulated),
 * the window, the output limit and the prices. No single levels. */
void offer_planes(const struct snap_row *row, cando_planes *out);
/* Do the catalog's allow and deny lists let it be used? */
bool offer_allowed(const struct offers *o, const struct snap_row *row);
/* Is the provider of a kind that serves no models, but is an agent's backend? */
bool offer_is_backend(const struct offers *o, uint32_t provider);

/* Input and output price together, saturated; CANDO_NO_PRICE if either is unknown. */
static inline uint64_t row_price(const struct snap_row *row)
{
    uint64_t in = row_u64(row->price[0]), out = row_u64(row->price[1]);
    if (in == CANDO_NO_PRICE || out == CANDO_NO_PRICE)
        return CANDO_NO_PRICE;
    return in > CANDO_NO_PRICE - 1 - out ? CANDO_NO_PRICE - 1 : in + out;
}

#endif
