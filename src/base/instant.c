/*
 * instant.c - reading dates and times.
 *
 * The calendar is the usual trick: count years from March, so that the leap
 * day comes last, and 400 years are always 146,097 days.
 */
#include "instant.h"

#include <stdatomic.h>
#include <time.h>

enum { DAY_SECONDS = 86400, ERA_DAYS = 146097, EPOCH_DAYS = 719468 };

/* `digits` digits at the front of *s. */
static bool take_number(struct str *s, size_t digits, int32_t *out)
{
    uint64_t n;
    if (str_number(*s, digits, &n) < digits)
        return false;
    *s = str_from(*s, digits);
    *out = (int32_t)n;
    return true;
}

static bool take_char(struct str *s, char c)
{
    if (!s->n || char_fold(s->p[0]) != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

static int32_t month_days(int32_t year, int32_t month)
{
    static const unsigned char days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && leap);
}

static bool take_day(struct str *s, int32_t *out)
{
    int32_t y, m, d;
    if (!take_number(s, 4, &y) || !take_char(s, '-') || !take_number(s, 2, &m) ||
        !take_char(s, '-') || !take_number(s, 2, &d))
        return false;
    if (y < 1 || m < 1 || m > 12 || d < 1 || d > month_days(y, m))
        return false;
    y -= m <= 2;
    int32_t era = y / 400, of_era = y % 400;
    int32_t of_year = (153 * (m > 2 ? m - 3 : m + 9) + 2) / 5 + d - 1;
    *out = era * ERA_DAYS + of_era * 365 + of_era / 4 - of_era / 100 + of_year - EPOCH_DAYS;
    return true;
}

bool day_parse(struct str s, int32_t *out)
{
    return take_day(&s, out) && s.n == 0;
}

uint32_t day_number(struct str s)
{
    int32_t day, y, m;
    if (s.n == 10 && day_parse(s, &day))
        return day_number(str_head(s, 7)) + (uint32_t)((s.p[8] - '0') * 10 + s.p[9] - '0');
    if (!take_number(&s, 4, &y))
        return 0;
    if (s.n == 0)
        return (uint32_t)y * 10000;
    if (!take_char(&s, '-') || !take_number(&s, 2, &m) || s.n || m < 1 || m > 12)
        return 0;
    return (uint32_t)(y * 100 + m) * 100;
}

static _Atomic uint32_t set_today;

void day_set_today(uint32_t number)
{
    atomic_store(&set_today, number);
}

uint32_t day_today(void)
{
    static _Atomic uint64_t last; /* the day since 1970, and behind it the number that it was */
    char text[16];
    uint32_t set = atomic_load(&set_today), day = (uint32_t)(time(NULL) / DAY_SECONDS);
    uint64_t known = atomic_load_explicit(&last, memory_order_relaxed);
    if (set)
        return set;
    if (known >> 32 != day) {
        known = (uint64_t)day << 32 | day_number(day_text((int32_t)day, text));
        atomic_store_explicit(&last, known, memory_order_relaxed);
    }
    return (uint32_t)known;
}

static void put_digits(char *text, unsigned digits, int32_t n)
{
    while (digits-- > 0) {
        text[digits] = (char)('0' + n % 10);
        n /= 10;
    }
}

const char *day_dashed(uint32_t number, char text[DAY_TEXT])
{
    memcpy(text, "0000-00-00", DAY_TEXT);
    put_digits(text, 4, (int32_t)(number / 10000));
    put_digits(text + 5, 2, (int32_t)(number / 100));
    put_digits(text + 8, 2, (int32_t)number);
    return text;
}

struct str day_text(int32_t day, char text[DAY_TEXT])
{
    int32_t z = day + EPOCH_DAYS;
    int32_t era = (z >= 0 ? z : z - (ERA_DAYS - 1)) / ERA_DAYS, of_era = z - era * ERA_DAYS;
    int32_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int32_t of_year = of_era - (365 * year + year / 4 - year / 100);
    int32_t mp = (5 * of_year + 2) / 153, d = of_year - (153 * mp + 2) / 5 + 1,
            m = mp < 10 ? mp + 3 : mp - 9;
    year += era * 400 + (m <= 2);
    if (year < 1 || year > 9999)
        year = 0;
    return str_of(day_dashed((uint32_t)(year * 10000 + m * 100 + d), text));
}

struct str instant_seconds(const struct instant *t, char text[INSTANT_TEXT])
{
    day_text(t->day, text);
    memcpy(text + 10, "T00:00:00Z", sizeof "T00:00:00Z");
    put_digits(text + 11, 2, t->second / 3600);
    put_digits(text + 14, 2, t->second / 60 % 60);
    put_digits(text + 17, 2, t->second % 60);
    return str_make(text, 20);
}

/* "Z", "+02:00", or nothing: seconds to take away. */
static bool take_offset(struct str *s, int32_t *out)
{
    int32_t h, m;
    *out = 0;
    if (!s->n || take_char(s, 'z'))
        return true;
    bool minus = s->p[0] == '-';
    if (!take_char(s, '+') && !take_char(s, '-'))
        return false;
    if (!take_number(s, 2, &h) || h > 23)
        return false;
    take_char(s, ':');
    if (!take_number(s, 2, &m) || m > 59)
        return false;
    *out = (minus ? -1 : 1) * (h * 3600 + m * 60);
    return true;
}

/* The second of the day as written and the offset behind it. */
static bool take_time(struct str *s, int32_t *second, int32_t *offset)
{
    int32_t h, m, sec = 0;
    if (!take_number(s, 2, &h) || !take_char(s, ':') || !take_number(s, 2, &m) || h > 23 || m > 59)
        return false;
    if (take_char(s, ':')) {
        if (!take_number(s, 2, &sec) || sec > 60)
            return false;
        if (take_char(s, '.')) {
            size_t n = 0;
            while (n < s->n && char_is_digit(s->p[n]))
                n++;
            if (n == 0)
                return false;
            *s = str_from(*s, n);
        }
    }
    *second = h * 3600 + m * 60 + (sec == 60 ? 59 : sec);
    return take_offset(s, offset);
}

bool time_parse(struct str s, int32_t *out)
{
    int32_t second, offset;
    if (!take_time(&s, &second, &offset) || s.n)
        return false;
    *out = (second - offset + DAY_SECONDS) % DAY_SECONDS;
    return true;
}

bool instant_parse(struct str s, struct instant *out)
{
    int32_t day, second = 0, offset = 0;
    if (!take_day(&s, &day))
        return false;
    if (s.n &&
        ((!take_char(&s, 't') && !take_char(&s, ' ')) || !take_time(&s, &second, &offset) || s.n))
        return false;
    second -= offset;
    if (second < 0) {
        second += DAY_SECONDS;
        day--;
    } else if (second >= DAY_SECONDS) {
        second -= DAY_SECONDS;
        day++;
    }
    *out = (struct instant){day, second};
    return true;
}

bool instant_from_unix(uint64_t seconds, struct instant *out)
{
    if (seconds / DAY_SECONDS > 2932896) /* 9999-12-31 */
        return false;
    *out = (struct instant){(int32_t)(seconds / DAY_SECONDS), (int32_t)(seconds % DAY_SECONDS)};
    return true;
}

struct str instant_text(uint64_t ms, char text[INSTANT_TEXT])
{
    struct instant t = {0};
    if (!instant_from_unix(ms / 1000, &t))
        ms = 0;
    instant_seconds(&t, text);
    memcpy(text + 19, ".000Z", 6);
    put_digits(text + 20, 3, (int32_t)(ms % 1000));
    return str_make(text, 24);
}

bool instant_to_ms(const struct instant *t, uint64_t *out)
{
    if (t->day < 0)
        return false;
    *out = ((uint64_t)t->day * DAY_SECONDS + (uint64_t)t->second) * 1000;
    return true;
}
