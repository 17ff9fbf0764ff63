/*
 * price.c - the table of units and the grammar of price keys.
 */
#include "price.h"

#include "base/buf.h"

enum {
    none,
    tokens,
    characters,
    messages,
    durations,
    pixels,
    document_pages,
    rerank,
    tool_calls,
    requests,
    images
};
enum { input = 1, output };
enum { text = 1, audio, image, video };
enum {
    cache_read = 1,
    cache_write,
    tool,
    reasoning,
    citation,
    annotated,
    web_search,
    social_search,
    storage_search,
    code_execution
};
enum { ttl_5m = 1, ttl_1h };

#define DIM(d, at) ((uint64_t)(d) << 8 * (at))
#define SAYS(d, at) DIM((d) ? 0xff : 0, at)

const struct unit_row unit_rows[UNIT_COUNT] = {
#define UNIT(name, per, key, family, direction, modality, kind, ttl)                               \
    {#name,                                                                                        \
     key,                                                                                          \
     UINT64_C(per),                                                                                \
     DIM(direction, UNIT_DIRECTION) | DIM(modality, UNIT_MODALITY) | DIM(kind, UNIT_KIND) |        \
         DIM(ttl, UNIT_TTL) | DIM(family, UNIT_FAMILY),                                            \
     SAYS(direction, UNIT_DIRECTION) | SAYS(modality, UNIT_MODALITY) | SAYS(kind, UNIT_KIND) |     \
         SAYS(ttl, UNIT_TTL) | SAYS(family, UNIT_FAMILY),                                          \
     sizeof #name - 1,                                                                             \
     !!(direction) + !!(modality) + !!(kind) + !!(ttl)},
#include "units.def"
#undef UNIT
};

_Static_assert(UNIT_COUNT < 128, "a unit is kept in a byte");

bool unit_is_duration(unsigned unit)
{
    return unit_dim(unit, UNIT_FAMILY) == durations;
}

bool unit_is_reasoning(unsigned unit)
{
    return unit_dim(unit, UNIT_KIND) == reasoning;
}

bool unit_is_tokens(unsigned unit)
{
    return unit_dim(unit, UNIT_FAMILY) == tokens;
}

bool unit_is_cached(unsigned unit)
{
    unsigned kind = unit_dim(unit, UNIT_KIND);
    return kind == cache_read || kind == cache_write;
}

/* The table begins with those that nearly every price list has. */
unsigned unit_find(struct str name)
{
    unsigned u = 0;
    while (u < UNIT_COUNT &&
           (unit_rows[u].name_bytes != name.n || memcmp(unit_rows[u].name, name.p, name.n) != 0))
        u++;
    return u;
}

unsigned unit_find_price_key(struct str key)
{
    unsigned u = 0;
    while (u < UNIT_COUNT && !(unit_rows[u].price_key && str_is(key, unit_rows[u].price_key)))
        u++;
    return u;
}

struct str unit_near(struct str name)
{
    struct nearest near = nearest_to(name);
    for (unsigned u = 0; u < UNIT_COUNT; u++)
        nearest_try(&near, str_of(unit_rows[u].name));
    return near.distance ? near.name : STR("");
}

/* -- keys ------------------------------------------------------------------------------ */

static bool parse_count(struct str s, uint64_t *out)
{
    if (s.n == 0 || (s.n > 1 && s.p[0] == '0'))
        return false;
    return str_number(s, 15, out) == s.n;
}

static bool tier_ok(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if (!char_is_digit(s.p[i]) && s.p[i] != '_' && s.p[i] != '-' &&
            !(s.p[i] >= 'a' && s.p[i] <= 'z'))
            return false;
    return s.n > 0 && s.n <= 32;
}

static bool parse_span(struct str s, struct price_key *k)
{
    size_t cut = str_find_char(s, '-');
    return cut < s.n && time_parse(str_head(s, cut), &k->begin) &&
           time_parse(str_from(s, cut + 1), &k->end) && k->begin != k->end;
}

static const char week[7][4] = {"mon", "tue", "wed", "thu", "fri", "sat", "sun"};

static bool parse_weekday(struct str s, unsigned *out)
{
    for (*out = 0; *out < 7; ++*out)
        if (str_is(s, week[*out]))
            return true;
    return false;
}

/* "mon-fri", "sat-sun", "sun": from one to another within a week. */
static bool parse_days(struct str s, struct price_key *k)
{
    unsigned first, last;
    size_t cut = str_find_char(s, '-');
    if (!parse_weekday(str_head(s, cut), &first))
        return false;
    last = first;
    if (cut < s.n && !parse_weekday(str_from(s, cut + 1), &last))
        return false;
    for (unsigned i = first; i <= last; i++)
        k->days |= (uint8_t)(1u << i);
    return k->days != 0;
}

bool price_on_day(const struct price_key *k, int32_t day)
{
    int32_t since_monday = (day % 7 + 7 + 3) % 7; /* 1970 began on a Thursday */
    return !k->days || k->days >> since_monday & 1;
}

static const char *parse_condition(struct str s, struct price_key *k)
{
    char first = s.n ? s.p[0] : ' ';
    struct str rest = str_from(s, 1);
    if (first == '@') {
        if (k->tier.n)
            return "there are two service tiers";
        if (!tier_ok(rest))
            return "a service tier is one lower-case word: @batch";
        k->tier = rest;
        return NULL;
    }
    if (first == '>' || first == '^') {
        if (k->step != PRICE_FLAT)
            return "there are two thresholds";
        if (!parse_count(rest, &k->threshold))
            return "a threshold is a whole number of tokens: >200000";
        k->step = first == '>' ? PRICE_ABOVE : PRICE_GRADUATED;
        return NULL;
    }
    if (str_starts(s, STR("from="))) {
        if (k->from != PRICE_NO_DAY)
            return "there are two dates";
        return day_parse(str_from(s, 5), &k->from) ? NULL : "a date is written from=2026-12-01";
    }
    if (str_starts(s, STR("time="))) {
        if (k->begin != -1)
            return "there are two times of day";
        return parse_span(str_from(s, 5), k) ? NULL : "a time of day is written time=16:30-00:30";
    }
    if (str_starts(s, STR("days="))) {
        if (k->days || k->begin == -1)
            return "days of the week follow a time of day: time=01:00-04:00 days=mon-fri";
        return parse_days(str_from(s, 5), k) ? NULL : "days of the week are written days=mon-fri";
    }
    return "a condition is @tier, >tokens, ^tokens, from=DATE, time=HH:MM-HH:MM or days=mon-fri";
}

/* Is it the unit's name, alone or with a space behind it? */
static bool begins_key(struct str s, unsigned unit)
{
    size_t n = unit_rows[unit].name_bytes;
    if (s.n < n || (s.n > n && s.p[n] != ' '))
        return false;
    return str_same(unit_rows[unit].name, s.p, n);
}

const char *price_key_parse(struct str s, struct price_key *out)
{
    *out = (struct price_key){.tier = STR(""), .from = PRICE_NO_DAY, .begin = -1};
    unsigned unit = 0;
    while (unit < UNIT_COUNT && !begins_key(s, unit))
        unit++;
    if (unit == UNIT_COUNT)
        return "there is no such unit";
    out->unit = (uint8_t)unit;
    for (size_t n = unit_rows[unit].name_bytes; n < s.n;) {
        s = str_from(s, n + 1);
        n = str_find_char(s, ' ');
        const char *wrong = parse_condition(str_head(s, n), out);
        if (wrong)
            return wrong;
    }
    return NULL;
}

const char *price_rate_parse(struct str s, struct decimal *out)
{
    if (!decimal_parse(s, out))
        return "a rate is a decimal number of US dollars: \"0.25\"";
    return out->negative ? "a rate is not negative" : NULL;
}

const char *price_wrong(struct str key, struct str rate)
{
    struct price_key k;
    struct decimal d;
    const char *wrong = price_key_parse(key, &k);
    return wrong ? wrong : price_rate_parse(rate, &d);
}

static void write_time(struct buf *b, int32_t second)
{
    buf_printf(b, "%02d:%02d", (int)(second / 3600), (int)(second / 60 % 60));
    if (second % 60)
        buf_printf(b, ":%02d", (int)(second % 60));
}

void price_key_write(struct buf *b, const struct price_key *k)
{
    char day[16];
    buf_putz(b, unit_name(k->unit));
    if (k->tier.n) {
        buf_putz(b, " @");
        buf_puts(b, k->tier);
    }
    if (k->step != PRICE_FLAT)
        buf_printf(b, " %c%llu", k->step == PRICE_ABOVE ? '>' : '^',
                   (unsigned long long)k->threshold);
    if (k->from != PRICE_NO_DAY) {
        buf_putz(b, " from=");
        buf_puts(b, day_text(k->from, day));
    }
    if (k->begin != -1) {
        buf_putz(b, " time=");
        write_time(b, k->begin);
        buf_putc(b, '-');
        write_time(b, k->end);
    }
    if (k->days) {
        unsigned first = (unsigned)__builtin_ctz(k->days), last = first;
        while (last < 6 && k->days >> (last + 1) & 1)
            last++;
        buf_printf(b, first == last ? " days=%s" : " days=%s-%s", week[first], week[last]);
    }
}

size_t price_item_cut(struct str item)
{
    struct price_key k;
    size_t first = str_find_char(item, '='), last = str_behind_last(item, '=');
    if (last <= first + 1)
        return first;
    return price_key_parse(str_head(item, last - 1), &k) ? first : last - 1;
}
