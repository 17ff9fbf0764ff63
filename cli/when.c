#include "when.h"

#include "base/instant.h"

enum { SPAN_MOST = 99999 };

/* The same day of another month, or the last that this has. */
static bool month_moved(uint32_t today, int64_t months, int32_t *day)
{
    char text[40];
    int64_t at = (int64_t)(today / 10000) * 12 + today / 100 % 100 - 1 + months;
    if (at < 12 || at >= 9999 * 12)
        return false;
    for (unsigned d = today % 100; d > 27; d--) {
        snprintf(text, sizeof text, "%04d-%02d-%02u", (int)(at / 12), (int)(at % 12 + 1), d);
        if (day_parse(str_of(text), day))
            return true;
    }
    snprintf(text, sizeof text, "%04d-%02d-%02u", (int)(at / 12), (int)(at % 12 + 1),
             (unsigned)(today % 100));
    return day_parse(str_of(text), day);
}

/* "d", "day" or "days" is 'd'; 0: it is no unit. */
static char unit_of(struct str word)
{
    static const char *const units[] = {"day", "week", "month", "year"};
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        struct str unit = str_of(units[i]);
        if (str_eq_fold(word, str_head(unit, 1)) || str_eq_fold(word, unit))
            return unit.p[0];
        if (word.n == unit.n + 1 && char_fold(word.p[unit.n]) == 's' &&
            str_eq_fold(str_head(word, unit.n), unit))
            return unit.p[0];
    }
    return 0;
}

/* Behind what says the direction: "+90d", "in 90 days", "90 days ago". */
static struct str span_of(const char *text, bool back)
{
    struct str s = str_trim(str_of(text));
    if (back)
        return str_ends(s, STR(" ago")) ? str_trim(str_head(s, s.n - 4)) : s;
    if (str_starts(s, STR("in ")))
        return str_trim(str_from(s, 3));
    return str_starts(s, STR("+")) ? str_from(s, 1) : s;
}

bool when_moved(const char *span, bool back, int32_t *day)
{
    char text[16];
    uint64_t number;
    struct str s = span_of(span, back);
    size_t at = str_number(s, 18, &number);
    char unit = unit_of(str_trim(str_from(s, at)));
    if (!at || !unit || number > SPAN_MOST)
        return false;
    int64_t n = back ? -(int64_t)number : (int64_t)number;
    if (unit == 'm' || unit == 'y')
        return month_moved(day_today(), unit == 'y' ? 12 * n : n, day);
    if (!day_parse(str_of(day_dashed(day_today(), text)), day))
        return false;
    n = *day + (unit == 'w' ? 7 * n : n);
    *day = (int32_t)n;
    return n > 0;
}

static bool take(struct call *c, const struct option_row *o, const char *value, bool back)
{
    char text[16];
    int32_t day;
    if (when_moved(value, back, &day))
        value = call_text(c, day_text(day, text));
    return value && take_text(c, o, value);
}

bool take_day(struct call *c, const struct option_row *o, const char *value)
{
    return take(c, o, value, true);
}

bool take_day_ahead(struct call *c, const struct option_row *o, const char *value)
{
    return take(c, o, value, false);
}
