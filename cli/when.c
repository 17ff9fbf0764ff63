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

bool when_moved(const char *span, bool back, int32_t *day)
{
    char text[16];
    int64_t n = 0;
    const char *p = span;
    for (; char_is_digit(*p) && n <= SPAN_MOST; p++)
        n = n * 10 + (*p - '0');
    if (p == span || !*p || p[1] || n > SPAN_MOST)
        return false;
    n = back ? -n : n;
    char unit = char_fold(*p);
    if (unit == 'm' || unit == 'y')
        return month_moved(day_today(), unit == 'y' ? 12 * n : n, day);
    if ((unit != 'd' && unit != 'w') || !day_parse(str_of(day_dashed(day_today(), text)), day))
        return false;
    n = *day + (unit == 'w' ? 7 * n : n);
    *day = (int32_t)n;
    return n > 0;
}

bool take_day(struct call *c, const struct option_row *o, const char *value)
{
    char text[16];
    int32_t day;
    if (when_moved(value, true, &day))
        value = call_text(c, day_text(day, text));
    return value && take_text(c, o, value);
}
