/*
 * version.c - the version that a model id carries.
 *
 * Two readings. SCHEME_HARN is the one of Harn's capability matrix, for its
 * `version_min`: the Anthropic scheme wherever an id is a Claude's, else the
 * OpenAI scheme, else nothing. SCHEME_ANY tries that first and then reads the
 * first number that looks like a version in any family.
 *
 * What makes it hard is that ids are full of other numbers: sizes (70b, 8x7b,
 * a22b, 16e), windows (32k), dates (20250929, 2024-08-06, 09-2025) and
 * snapshots (0613, 2411, 001). None of them is ever a version: a version part
 * has one or two digits here (three in the two schemes of Harn), and none that
 * starts with a zero has two.
 */
#include "version.h"

#include "model_id.h"

static bool is_end(char c)
{
    return c == '-' || c == '@' || c == ':' || c == '/' || c == '_';
}

static char char_at(struct str s, size_t i)
{
    return i < s.n ? s.p[i] : '-'; /* the end is a boundary like any other */
}

static size_t digits_at(struct str s, size_t i)
{
    size_t n = 0;
    while (i + n < s.n && char_is_digit(s.p[i + n]))
        n++;
    return n;
}

static uint32_t number(struct str s)
{
    uint32_t v = 0;
    for (size_t i = 0; i < s.n && i < 9; i++)
        v = v * 10 + (uint32_t)(s.p[i] - '0');
    return v;
}

/* "4-7...", "5.4-preview", "4": what follows the family's name. Four digits
 * and more are a snapshot or a date, in either place. */
static bool tail_version(struct str s, uint32_t *major, uint32_t *minor)
{
    size_t n = digits_at(s, 0);
    if (n == 0 || n > 3)
        return false;
    *major = number(str_head(s, n));
    *minor = 0;
    char c = char_at(s, n);
    size_t m = digits_at(s, n + 1);
    if (c == '.') {
        if (m == 0)
            return false; /* gpt-5.x */
        if (m <= 3)
            *minor = number(str_make(s.p + n + 1, m));
        return true;
    }
    if (!is_end(c))
        return false; /* gpt-4o */
    if (c == '-' && m > 0 && m <= 3 && is_end(char_at(s, n + 1 + m)))
        *minor = number(str_make(s.p + n + 1, m));
    return true;
}

/* Behind "claude-", which starts a Claude's id or stands after a slash or a
 * dot; s.n + 1 if it is no Claude's. */
static size_t claude_at(struct str s)
{
    for (size_t at = 0; at < s.n; at++) {
        size_t found = str_find(str_from(s, at), STR("claude-"));
        if (found == SIZE_MAX)
            break;
        at += found;
        if (at == 0 || s.p[at - 1] == '/' || s.p[at - 1] == '.')
            return at + 7;
    }
    return s.n + 1;
}

static bool claude_version(struct str s, uint32_t *major, uint32_t *minor)
{
    size_t at = claude_at(s);
    if (at > s.n)
        return false;
    struct str rest = str_from(s, at);
    if (rest.n && char_is_digit(rest.p[0]))
        return tail_version(rest, major, minor);
    static const struct str tiers[] = {STR("opus-"), STR("sonnet-"), STR("haiku-"), STR("fable-"),
                                       STR("mythos-")};
    for (size_t i = 0; i < COUNT_OF(tiers); i++) {
        size_t found = str_find(rest, tiers[i]);
        if (found != SIZE_MAX)
            return tail_version(str_from(rest, found + tiers[i].n), major, minor);
    }
    return false;
}

static bool gpt_version(struct str s, uint32_t *major, uint32_t *minor)
{
    for (size_t i = s.n; i-- > 0;)
        if (s.p[i] == '/') {
            s = str_from(s, i + 1);
            break;
        }
    size_t at = str_find(s, STR("gpt-"));
    if (at == SIZE_MAX || !tail_version(str_from(s, at + 4), major, minor))
        return false;
    if (*major == 35 && *minor == 0) { /* Azure names may hold no dot */
        *major = 3;
        *minor = 5;
    }
    return true;
}

/* Is the number that ends before `i` a count of something: 70b, 32k, 8x7b,
 * 128e? Behind a dotted version any other word may follow (qwen2.5vl), behind a
 * plain number one letter (4o, 3n): else it is part of a word (c4ai). */
static bool is_count(struct str s, size_t i, bool dotted)
{
    char c = char_at(s, i);
    if (!char_is_alpha(c))
        return false;
    char next = char_at(s, i + 1);
    bool ends = is_end(next) || next == '.';
    if (c == 'b' || c == 'k' || c == 'm' || c == 't' || c == 'e')
        return ends || !dotted;
    if (c == 'x')
        return ends || !dotted || char_is_digit(next);
    return !ends && !dotted;
}

static bool is_part(struct str s, size_t i, size_t n)
{
    return n == 1 || (n == 2 && s.p[i] != '0');
}

/* "-2024" and "-15" at i: what follows the month of a date. */
static bool is_year(struct str s, size_t i)
{
    return char_at(s, i) == '-' && digits_at(s, i + 1) == 4 && s.p[i + 1] == '2' &&
           s.p[i + 2] == '0';
}

static bool is_day(struct str s, size_t i)
{
    return char_at(s, i) == '-' && i < s.n && digits_at(s, i + 1) == 2 &&
           !char_is_alpha(char_at(s, i + 3));
}

/* The minor part behind the number that ends at `i`: ".5", "p5", "_5", or "-5"
 * where nothing but a boundary follows. Its length, 0 if there is none. */
static size_t minor_at(struct str s, size_t i)
{
    char c = char_at(s, i);
    size_t n = i < s.n ? digits_at(s, i + 1) : 0;
    if (n == 0 || !is_part(s, i + 1, n))
        return 0;
    size_t end = i + 1 + n;
    if (c == '.' || c == 'p' || c == '_')
        return n;
    if (c != '-' || is_count(s, end, false) || char_at(s, end) == '.')
        return 0;
    return n == 2 && (is_year(s, end) || (number(str_make(s.p + i + 1, 2)) <= 12 && is_day(s, end)))
               ? 0
               : n;
}

bool version_find(struct str s, struct version_span *out)
{
    bool in_date = false;
    for (size_t i = 0; i < s.n;) {
        size_t n = digits_at(s, i);
        if (n == 0) {
            in_date = in_date && s.p[i] == '-';
            i++;
            continue;
        }
        size_t end = i + n;
        if (in_date || !is_part(s, i, n) || (n == 2 && is_year(s, end))) {
            in_date = n == 4 || n == 8 || n == 2;
            i = end;
            continue;
        }
        size_t m = minor_at(s, end);
        size_t stop = m ? end + 1 + m : end;
        bool dangling = char_at(s, end) == '.' && m == 0;
        if (i == 0 || dangling || is_count(s, stop, m && s.p[end] != '-')) {
            i = stop;
            continue;
        }
        size_t join = 0;
        if (s.p[i - 1] == '-')
            join = 1;
        else if (s.p[i - 1] == 'v' && i >= 2 && s.p[i - 2] == '-')
            join = 2;
        out->head = str_head(s, i - join);
        out->join = str_make(s.p + i - join, join);
        out->major = str_make(s.p + i, n);
        out->minor = str_make(s.p + end + 1, m);
        if (m == 0)
            out->minor = STR_NONE;
        out->tail = str_from(s, stop);
        return true;
    }
    return false;
}

/* Behind the last slash, and behind a vendor's or region's dots. */
static struct str last_name(struct str s)
{
    for (size_t i = s.n; i-- > 0;)
        if (s.p[i] == '/')
            return last_name(str_from(s, i + 1));
    for (size_t i = 0; i + 1 < s.n && s.p[i] != '-'; i++)
        if (s.p[i] == '.' && char_is_alpha(s.p[i + 1]))
            s = str_from(s, i + 1), i = 0;
    return s;
}

bool model_version(struct str id, enum version_scheme scheme, uint32_t *major, uint32_t *minor)
{
    char folded[LIMIT_NAME_BYTES];
    if (id.n == 0 || id.n > sizeof folded)
        return false;
    for (size_t i = 0; i < id.n; i++)
        folded[i] = char_fold(id.p[i]);
    struct str s = str_make(folded, id.n);
    if (claude_version(s, major, minor) || gpt_version(s, major, minor))
        return true;
    struct version_span v;
    if (scheme == SCHEME_HARN || !version_find(last_name(s), &v))
        return false;
    if (v.major.n == 2 && v.minor.n == 0)
        return false; /* minimax-m25: 25 or 2.5, the table has to know */
    *major = number(v.major);
    *minor = number(v.minor);
    return true;
}
