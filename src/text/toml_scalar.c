/*
 * toml_scalar.c - the numbers, booleans, dates and times of TOML.
 *
 * A scalar is first cut out of the text as the longest run of characters that
 * any of them may have, then read by the form of its beginning. That makes
 * the messages good: whatever is wrong, the reader knows what was meant. The
 * text is kept as written, since a price is a decimal and not a double.
 *
 * Doubles are made by strtod, but from digits and an exponent alone: a
 * decimal point would make the result hang on the locale of the program that
 * the library lives in.
 */
#include "toml_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* The scalar under the reader's eye: [q, to) is what is left of it. */
struct scalar {
    struct toml_reader *r;
    const char *from, *to;
    const char *q;
};

static bool is_scalar_char(char c)
{
    return toml_is_bare(c) || c == '.' || c == ':' || c == '+';
}

static bool left(const struct scalar *s, char c)
{
    return s->q < s->to && *s->q == c;
}

/* -- numbers ------------------------------------------------------------------ */

static int digit_value(char c)
{
    c = char_fold(c);
    return char_is_digit(c) ? c - '0' : c >= 'a' && c <= 'z' ? c - 'a' + 10 : 99;
}

/* Digits with single underscores between them. */
static bool pass_digits(struct scalar *s, int base)
{
    struct toml_reader *r = s->r;
    const char *first = s->q;
    for (;; s->q++) {
        if (s->q < s->to && digit_value(*s->q) < base)
            continue;
        if (left(s, '_')) {
            if (s->q == first || s->q[-1] == '_')
                return toml_fail(r, CODE_toml_syntax, s->q, s->q + 1,
                                 "expected a digit, found '_': "
                                 "an underscore stands between two digits");
            continue;
        }
        if (s->q == first)
            return toml_fail(r, CODE_toml_syntax, s->q, s->q, "expected a digit, found %s",
                             TOML_FOUND(r, s->q));
        if (s->q[-1] == '_')
            return toml_fail(r, CODE_toml_syntax, s->q - 1, s->q,
                             "expected a digit after '_', found %s", TOML_FOUND(r, s->q));
        return true;
    }
}

/* The value of digits that were passed before. */
static bool whole_number(struct scalar *s, const char *digits, int base, bool negative,
                         struct toml *out)
{
    uint64_t max = negative ? UINT64_C(1) << 63 : (uint64_t)INT64_MAX, v = 0;
    for (const char *q = digits; q < s->to; q++) {
        if (*q == '_')
            continue;
        uint64_t d = (uint64_t)digit_value(*q);
        if (v > (max - d) / (uint64_t)base)
            return toml_fail(s->r, CODE_toml_syntax, s->from, s->to,
                             "the integer does not fit into 64 bits: expected -9223372036854775808 "
                             "to 9223372036854775807");
        v = v * (uint64_t)base + d;
    }
    out->kind = TOML_INTEGER;
    out->integer = negative ? (int64_t)(0 - v) : (int64_t)v;
    return true;
}

/* 0x, 0o, 0b */
static bool based_number(struct scalar *s, const char *digits, int base, struct toml *out)
{
    if (digits != s->from)
        return toml_fail(s->r, CODE_toml_syntax, s->from, s->from + 1,
                         "expected no sign before '0%c', found '%c'", digits[1], *s->from);
    s->q = digits + 2;
    if (!pass_digits(s, base))
        return false;
    if (s->q != s->to)
        return toml_fail(s->r, CODE_toml_syntax, s->q, s->q,
                         "expected a digit of base %d, found %s", base, TOML_FOUND(s->r, s->q));
    return whole_number(s, digits + 2, base, false, out);
}

/* Exponents beyond this give 0 or infinity whatever the digits are, because
 * there are less than LIMIT_TOML_BYTES of those. */
#define EXPONENT_MAX 1000000000

/* The double of [from, to), which is well-formed; `exponent` is where the e
 * stands, or `to`. */
static bool real_number(struct scalar *s, const char *exponent, struct toml *out)
{
    char small[128], *text = small;
    size_t room = sizeof small, need = (size_t)(exponent - s->from) + 24;
    if (need > room) {
        room = need;
        if (!(text = arena_alloc(s->r->ar, room)))
            return toml_fail_memory(s->r);
    }
    size_t n = 0;
    int64_t scale = 0, written = 0;
    bool fraction = false;
    for (const char *q = s->from; q < exponent; q++) {
        if (*q == '.') {
            fraction = true;
        } else if (*q != '_') {
            text[n++] = *q;
            scale -= fraction;
        }
    }
    for (const char *q = exponent; q < s->to; q++)
        if (char_is_digit(*q) && written < EXPONENT_MAX)
            written = written * 10 + (*q - '0');
    bool negative = exponent + 1 < s->to && exponent[1] == '-';
    scale += negative ? -written : written;
    snprintf(text + n, room - n, "e%lld", (long long)scale);
    out->kind = TOML_FLOAT;
    out->real = strtod(text, NULL);
    return true;
}

static bool number(struct scalar *s, struct toml *out)
{
    struct toml_reader *r = s->r;
    bool negative = left(s, '-');
    if (negative || left(s, '+'))
        s->q++;
    const char *digits = s->q;
    if (s->to - digits >= 2 && *digits == '0') {
        int base = digits[1] == 'x' ? 16 : digits[1] == 'o' ? 8 : digits[1] == 'b' ? 2 : 0;
        if (base)
            return based_number(s, digits, base, out);
    }
    if (!pass_digits(s, 10))
        return false;
    if (*digits == '0' && s->q - digits > 1)
        return toml_fail(r, CODE_toml_syntax, digits, s->q,
                         "expected no zeros before the first digit of a number");
    if (s->q == s->to)
        return whole_number(s, digits, 10, negative, out);
    if (left(s, '.')) {
        s->q++;
        if (!pass_digits(s, 10))
            return false;
    }
    const char *exponent = s->q;
    if (left(s, 'e') || left(s, 'E')) {
        s->q++;
        if (left(s, '+') || left(s, '-'))
            s->q++;
        if (!pass_digits(s, 10))
            return false;
    }
    if (s->q != s->to)
        return toml_fail(r, CODE_toml_syntax, s->q, s->q,
                         "expected the end of the number, found %s", TOML_FOUND(r, s->q));
    return real_number(s, exponent, out);
}

/* -- dates and times ------------------------------------------------------------ */

/* `n` digits and nothing else; the number must lie in [min, max]. */
static bool field(struct scalar *s, const char *name, unsigned n, unsigned min, unsigned max,
                  unsigned *out)
{
    const char *from = s->q;
    unsigned v = 0;
    for (unsigned i = 0; i < n; i++, s->q++) {
        if (s->q == s->to || !char_is_digit(*s->q))
            return toml_fail(s->r, CODE_toml_syntax, s->q, s->q,
                             "expected %u digits for the %s, found %s", n, name,
                             TOML_FOUND(s->r, s->q));
        v = v * 10 + (unsigned)(*s->q - '0');
    }
    if (v < min || v > max)
        return toml_fail(s->r, CODE_toml_syntax, from, s->q,
                         "expected the %s to be from %02u to %02u, found %.*s", name, min, max,
                         (int)n, from);
    if (out)
        *out = v;
    return true;
}

static bool separator(struct scalar *s, char c, const char *form)
{
    if (left(s, c)) {
        s->q++;
        return true;
    }
    return toml_fail(s->r, CODE_toml_syntax, s->q, s->q, "expected '%c' (%s), found %s", c, form,
                     TOML_FOUND(s->r, s->q));
}

static bool date(struct scalar *s)
{
    static const uint8_t days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const char *form = "a date is YYYY-MM-DD";
    unsigned year = 0, month = 1;
    if (!field(s, "year", 4, 0, 9999, &year) || !separator(s, '-', form) ||
        !field(s, "month", 2, 1, 12, &month) || !separator(s, '-', form))
        return false;
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return field(s, "day", 2, 1, month == 2 && leap ? 29 : days[month - 1], NULL);
}

/* Second 60 is a leap second; which minutes have one is for no table to know. */
static bool time_of_day(struct scalar *s)
{
    const char *form = "a time is HH:MM:SS";
    if (!field(s, "hour", 2, 0, 23, NULL) || !separator(s, ':', form) ||
        !field(s, "minute", 2, 0, 59, NULL) || !separator(s, ':', form) ||
        !field(s, "second", 2, 0, 60, NULL))
        return false;
    if (!left(s, '.'))
        return true;
    s->q++;
    if (s->q == s->to || !char_is_digit(*s->q))
        return toml_fail(s->r, CODE_toml_syntax, s->q, s->q, "expected a digit after '.', found %s",
                         TOML_FOUND(s->r, s->q));
    while (s->q < s->to && char_is_digit(*s->q))
        s->q++;
    return true;
}

static bool offset(struct scalar *s)
{
    if (left(s, 'Z') || left(s, 'z')) {
        s->q++;
        return true;
    }
    s->q++; /* the sign */
    return field(s, "hour of the offset", 2, 0, 23, NULL) &&
           separator(s, ':', "an offset is Z or +HH:MM") &&
           field(s, "minute of the offset", 2, 0, 59, NULL);
}

static bool moment(struct scalar *s, bool with_date, struct toml *out)
{
    out->kind = with_date ? TOML_LOCAL_DATE : TOML_LOCAL_TIME;
    if (with_date && !date(s))
        return false;
    if (with_date && (left(s, 'T') || left(s, 't') || left(s, ' '))) {
        out->kind = TOML_LOCAL_DATETIME;
        s->q++;
    }
    if (out->kind != TOML_LOCAL_DATE && !time_of_day(s))
        return false;
    if (out->kind == TOML_LOCAL_DATETIME && s->q < s->to && strchr("Zz+-", *s->q)) {
        out->kind = TOML_OFFSET_DATETIME;
        if (!offset(s))
            return false;
    }
    return s->q == s->to ||
           toml_fail(s->r, CODE_toml_syntax, s->q, s->q, "expected the end of the %s, found %s",
                     with_date ? "date" : "time", TOML_FOUND(s->r, s->q));
}

/* -- all of them ------------------------------------------------------------------ */

/* true, false, inf, nan; or a word that is no value. */
static bool word(struct scalar *s, struct toml *out)
{
    const char *bare = s->from + (*s->from == '+' || *s->from == '-');
    bool negative = *s->from == '-', is_signed = bare != s->from;
    struct str w = str_make(bare, (size_t)(s->to - bare));
    if (!is_signed && (str_is(w, "true") || str_is(w, "false"))) {
        out->kind = TOML_BOOLEAN;
        out->boolean = w.n == 4;
        return true;
    }
    if (str_is(w, "inf") || str_is(w, "nan")) {
        out->kind = TOML_FLOAT;
        out->real = w.p[0] == 'i' ? (negative ? -INFINITY : INFINITY) : negative ? -NAN : NAN;
        return true;
    }
    const char *hint = "a string needs quotes";
    if (is_signed)
        hint = "a number needs digits";
    else if (str_eq_fold(w, STR("true")) || str_eq_fold(w, STR("false")) ||
             str_eq_fold(w, STR("inf")) || str_eq_fold(w, STR("nan")))
        hint = "write it in lower case";
    return toml_fail(s->r, CODE_toml_syntax, s->from, s->to, "expected a value, found %s (%s)",
                     TOML_FOUND(s->r, s->from), hint);
}

bool toml_scalar(struct toml_reader *r, struct toml *out)
{
    struct scalar s = {r, r->cur, r->cur, r->cur};
    while (s.to < r->end && is_scalar_char(*s.to))
        s.to++;
    if (s.to == s.from)
        return toml_fail(r, CODE_toml_syntax, s.from, s.from, "expected a value, found %s",
                         TOML_FOUND(r, s.from));

    const char *digits = s.from;
    while (digits < s.to && char_is_digit(*digits))
        digits++;
    bool some = digits > s.from && digits < s.to;
    bool is_date = some && *digits == '-', is_time = some && *digits == ':';
    if (is_date && s.to - s.from == 10 && r->end - s.to >= 2 && *s.to == ' ' &&
        char_is_digit(s.to[1])) {
        s.to++; /* a space in place of the T */
        while (s.to < r->end && is_scalar_char(*s.to))
            s.to++;
    }

    char c = s.from[(*s.from == '+' || *s.from == '-') && s.to - s.from > 1];
    bool ok = is_date || is_time ? moment(&s, is_date, out)
              : char_is_alpha(c) ? word(&s, out)
                                 : number(&s, out);
    if (!ok)
        return false;
    r->cur = s.to;
    out->text = toml_keep(r, s.from, s.to);
    return true;
}
