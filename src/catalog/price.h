/*
 * price.h - units, price keys and rates.
 *
 * A price is a map from keys to decimals. A key is a unit and behind it the
 * conditions under which the rate holds, separated by single spaces:
 *
 *     input_tokens @batch >200000 from=2026-12-01 time=16:30-00:30
 *     |            |      |       |               `- only at this time of day (UTC)
 *     |            |      |       `- from that day on (UTC)
 *     |            |      `- once the input is above that many tokens; ^200000:
 *     |            |         for what is above it only
 *     |            `- for this service tier
 *     `- units.def
 *
 * Everything here reads in place and allocates nothing.
 */
#ifndef CANDO_PRICE_H
#define CANDO_PRICE_H

#include "base/decimal.h"
#include "base/instant.h"

enum unit {
#define UNIT(name, per, key, family, direction, modality, kind, ttl) UNIT_##name,
#include "units.def"
#undef UNIT
    UNIT_COUNT
};

enum unit_direction { UNIT_NO_DIRECTION, UNIT_INPUT, UNIT_OUTPUT };

/* Dimensions are kept side by side in one word, a byte each: so `part` lies inside of
 * `whole` if it is the same wherever that one says something. */
enum unit_dim { UNIT_DIRECTION, UNIT_MODALITY, UNIT_KIND, UNIT_TTL, UNIT_FAMILY };

struct unit_row {
    const char *name, *price_key;
    uint64_t per; /* how many a rate is for */
    uint64_t dims, says;
    uint8_t name_bytes, depth;
};
extern const struct unit_row unit_rows[UNIT_COUNT];

static inline const char *unit_name(unsigned unit)
{
    return unit_rows[unit].name;
}

static inline uint64_t unit_per(unsigned unit)
{
    return unit_rows[unit].per;
}

/* 0: of any. */
static inline unsigned unit_dim(unsigned unit, enum unit_dim at)
{
    return unit_rows[unit].dims >> 8 * at & 0xff;
}

static inline enum unit_direction unit_direction(unsigned unit)
{
    return (enum unit_direction)unit_dim(unit, UNIT_DIRECTION);
}

/* Does the unit speak of audio, images, ...? */
static inline bool unit_has_modality(unsigned unit)
{
    return unit_dim(unit, UNIT_MODALITY) != 0;
}

/* How many dimensions it has, besides its family: what lies inside of a unit has more. */
#define UNIT_DEPTH 4u
static inline unsigned unit_depth(unsigned unit)
{
    return unit_rows[unit].depth;
}

/* Does `part` lie inside of `whole`? Not of itself. */
static inline bool unit_inside(unsigned part, unsigned whole)
{
    return part != whole && (unit_rows[part].dims & unit_rows[whole].says) == unit_rows[whole].dims;
}

/* Only such units have fractions: seconds. */
bool unit_is_duration(unsigned unit);
bool unit_is_reasoning(unsigned unit);
bool unit_is_tokens(unsigned unit);
/* Tokens that are read from a cache or written into one. */
bool unit_is_cached(unsigned unit);
/* By our own name, or by genai-prices' name of its rate; UNIT_COUNT if there
 * is none. */
unsigned unit_find(struct str name);
unsigned unit_find_price_key(struct str key);
/* The nearest name for "did you mean"; empty: none is near, or it is one itself. */
struct str unit_near(struct str name);

enum price_step {
    PRICE_FLAT,      /* whatever the amount             */
    PRICE_ABOVE,     /* >n: all, once the input is more */
    PRICE_GRADUATED, /* ^n: what is above n             */
};

#define PRICE_NO_DAY INT32_MIN

struct price_key {
    uint8_t unit;
    uint8_t step; /* enum price_step */
    uint64_t threshold;
    struct str tier;    /* borrowed; empty: the standard one */
    int32_t from;       /* a day, or PRICE_NO_DAY */
    int32_t begin, end; /* seconds of the day, [begin, end), end may be
                           below begin; begin == -1: at any time */
    uint8_t days; /* of the week, in UTC, on which `begin` holds: bit 0 is Monday; 0: all */
};
/* Is `day`, counted from 1970 on, one of them? */
bool price_on_day(const struct price_key *k, int32_t day);

/* Without conditions. */
static inline struct price_key price_key_plain(unsigned unit)
{
    return (struct price_key){
        .unit = (uint8_t)unit, .tier = STR(""), .from = PRICE_NO_DAY, .begin = -1};
}

struct price_rate {
    struct price_key key;
    struct decimal rate; /* for unit_per() of them */
    uint8_t off;         /* percent that it lies below the standard rate which it was made of */
    bool unsaid;         /* nobody said what it is here: not this rate */
};

/* NULL if the key is well formed; else what is wrong with it (static text). */
const char *price_key_parse(struct str s, struct price_key *out);
/* NULL if this is a rate (a decimal that is not negative), else what is wrong. */
const char *price_rate_parse(struct str s, struct decimal *out);
/* Both as one question: for the reader of rule files. */
const char *price_wrong(struct str key, struct str rate);

/* A key written out again; false if it does not fit. */
struct buf;
void price_key_write(struct buf *b, const struct price_key *k);

/* Where the '=' stands that ends the key of an item "key=value" of a map, or
 * item.n. The keys of prices may have a '=' of their own (from=...), those of
 * other maps have none. */
size_t price_item_cut(struct str item);

#endif
