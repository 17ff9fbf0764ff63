/*
 * instant.h - points in time, as texts write them. No clock is read here.
 *
 * Days are counted from 1970-01-01 in the Gregorian calendar, seconds from
 * midnight, both in UTC; leap seconds count as the second before them.
 */
#ifndef CANDO_INSTANT_H
#define CANDO_INSTANT_H

#include "str.h"

struct instant {
    int32_t day;    /* since 1970-01-01 */
    int32_t second; /* 0 .. 86399 */
};

/* "2026-11-15"; years 1 to 9999. */
bool day_parse(struct str s, int32_t *out);
/* "2026-11-15" with its NUL. */
struct str day_text(int32_t day, char text[16]);
/* The same as a number that sorts, 20261115, by its digits alone; and back. */
uint32_t day_digits(struct str s);
const char *day_dashed(uint32_t digits, char text[16]);
/* "16:30", "16:30:05", with an offset ("Z", "+02:00") or without: UTC. Gives
 * the second of the day in UTC. */
bool time_parse(struct str s, int32_t *out);
/* RFC 3339: "2026-11-15T16:30:05.25+02:00"; the offset may lack (UTC), the
 * time of day too (midnight). */
bool instant_parse(struct str s, struct instant *out);
/* Seconds since 1970-01-01T00:00:00Z. */
bool instant_from_unix(uint64_t seconds, struct instant *out);

#define INSTANT_TEXT 32
/* "2026-11-15T16:30:05Z", with its NUL. */
struct str instant_seconds(const struct instant *t, char text[INSTANT_TEXT]);
/* Milliseconds since 1970 as "2026-11-15T16:30:05.250Z", with its NUL: texts of this
 * form sort as the times do. After the year 9999 it is the first day of 1970. */
struct str instant_text(uint64_t ms, char text[INSTANT_TEXT]);
/* A time that is not before 1970 in milliseconds (fractions of a second are cut off). */
bool instant_to_ms(const struct instant *t, uint64_t *out);

#endif
