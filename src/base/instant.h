/*
 * instant.h - points in time, as texts write them, and the one look at the clock.
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

#define DAY_TEXT 11 /* bytes of a day with its NUL */

/* "2026-11-15"; years 1 to 9999. */
bool day_parse(struct str s, int32_t *out);
/* "2026-11-15" with its NUL. */
struct str day_text(int32_t day, char text[DAY_TEXT]);
/* A day as a number that sorts: "2026-11-15" is 20261115. A month is its day 0, a year its
 * month 0; 0 if it is none of these. And such a day as a text again. */
uint32_t day_number(struct str s);
const char *day_dashed(uint32_t number, char text[DAY_TEXT]);
/* Today in UTC, as such a number: the clock's day, or the one that was set. */
uint32_t day_today(void);
/* From now on this day counts as today, in all threads; 0: the clock's again. */
void day_set_today(uint32_t number);
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
