/*
 * decimal.c - exact decimals on 256-bit whole numbers.
 *
 * Nearly all prices and counts fit into one limb, and so do most of their sums
 * and products: these go a short way of their own. On the long one all loops run
 * over at most four limbs. Every step that could carry out of the top reports it,
 * and the report reaches the caller.
 */
#include "decimal.h"

__extension__ typedef unsigned __int128 wide;

enum { N = DECIMAL_LIMBS };

#define TENS 20u /* powers of ten that fit into a limb */
#define E3(x) x, x##0, x##00
static const uint64_t ten[TENS] = {
    E3(1),
    E3(1000),
    E3(1000000),
    E3(1000000000),
    E3(1000000000000),
    E3(1000000000000000),
    1000000000000000000,
    10000000000000000000u,
};
#undef E3

/* -- whole numbers of 256 bits ------------------------------------------------------ */

static bool big_is_zero(const uint64_t a[N])
{
    return !(a[0] | a[1] | a[2] | a[3]);
}

static int big_cmp(const uint64_t a[N], const uint64_t b[N])
{
    for (int i = N - 1; i >= 0; i--)
        if (a[i] != b[i])
            return a[i] < b[i] ? -1 : 1;
    return 0;
}

/* a = a * m + add; false if it does not fit. */
static bool big_mul_small(uint64_t a[N], uint64_t m, uint64_t add)
{
    wide carry = add;
    for (int i = 0; i < N; i++) {
        carry += (wide)a[i] * m;
        a[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return carry == 0;
}

/* a = a / m, gives the remainder. */
static uint64_t big_div_small(uint64_t a[N], uint64_t m)
{
    int top = N - 1;
    while (top > 0 && a[top] == 0)
        top--;
    if (top == 0) {
        uint64_t rest = a[0] % m;
        a[0] /= m;
        return rest;
    }
    wide rest = 0;
    for (int i = top; i >= 0; i--) {
        rest = rest << 64 | a[i];
        a[i] = (uint64_t)(rest / m);
        rest %= m;
    }
    return (uint64_t)rest;
}

static bool big_add(const uint64_t a[N], const uint64_t b[N], uint64_t out[N])
{
    wide carry = 0;
    for (int i = 0; i < N; i++) {
        carry += (wide)a[i] + b[i];
        out[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return carry == 0;
}

/* a >= b */
static void big_sub(const uint64_t a[N], const uint64_t b[N], uint64_t out[N])
{
    uint64_t borrow = 0;
    for (int i = 0; i < N; i++) {
        wide d = (wide)a[i] - b[i] - borrow;
        out[i] = (uint64_t)d;
        borrow = (uint64_t)(d >> 64) & 1;
    }
}

static bool big_mul(const uint64_t a[N], const uint64_t b[N], uint64_t out[N])
{
    uint64_t r[2 * N] = {0};
    for (int i = 0; i < N; i++) {
        wide carry = 0;
        if (!a[i])
            continue;
        for (int k = 0; k < N; k++) {
            carry += (wide)a[i] * b[k] + r[i + k];
            r[i + k] = (uint64_t)carry;
            carry >>= 64;
        }
        r[i + N] = (uint64_t)carry;
    }
    memcpy(out, r, N * sizeof *out);
    return big_is_zero(r + N);
}

static bool big_scale(uint64_t a[N], unsigned digits)
{
    if (big_is_zero(a))
        return true;
    for (; digits >= TENS; digits -= TENS - 1)
        if (!big_mul_small(a, ten[TENS - 1], 0))
            return false;
    return big_mul_small(a, ten[digits], 0);
}

static unsigned big_digits(const uint64_t a[N])
{
    uint64_t t[N];
    unsigned n = 0;
    memcpy(t, a, sizeof t);
    for (; !big_is_zero(t); n++)
        big_div_small(t, 10);
    return n;
}

/* -- decimals ------------------------------------------------------------------------- */

static bool refuse(struct decimal *out)
{
    *out = DECIMAL_ZERO;
    return false;
}

/* Drops zeros at the end of the fraction, then looks whether the scale fits. */
static bool settle(uint64_t limb[N], unsigned scale, bool negative, struct decimal *out)
{
    while (scale > 0 && limb[0] % 2 == 0) {
        uint64_t t[N];
        memcpy(t, limb, sizeof t);
        if (big_div_small(t, 10))
            break;
        if (big_is_zero(limb)) {
            scale = 0;
            break;
        }
        memcpy(limb, t, sizeof t);
        scale--;
    }
    if (scale > DECIMAL_MAX_SCALE)
        return refuse(out);
    memcpy(out->limb, limb, sizeof out->limb);
    out->scale = (uint16_t)scale;
    out->negative = negative && !big_is_zero(limb);
    return true;
}

/* -- of one limb ------------------------------------------------------------------------- */

static bool is_small(const struct decimal *d)
{
    return !(d->limb[1] | d->limb[2] | d->limb[3]);
}

static bool settle_small(uint64_t v, unsigned scale, bool negative, struct decimal *out)
{
    if (!v)
        scale = 0;
    for (; scale >= 3 && v % 1000 == 0; scale -= 3)
        v /= 1000;
    for (; scale > 0 && v % 10 == 0; scale--)
        v /= 10;
    if (scale > DECIMAL_MAX_SCALE)
        return refuse(out);
    *out = (struct decimal){{v, 0, 0, 0}, (uint16_t)scale, negative && v};
    return true;
}

/* Both at the larger scale; false: not in one limb. */
static bool align_small(const struct decimal *a, const struct decimal *b, uint64_t *x, uint64_t *y)
{
    *x = a->limb[0];
    *y = b->limb[0];
    if (!is_small(a) || !is_small(b))
        return false;
    if (a->scale == b->scale)
        return true;
    unsigned more = a->scale < b->scale ? b->scale - a->scale : a->scale - b->scale;
    uint64_t *low = a->scale < b->scale ? x : y;
    return more < TENS && !__builtin_mul_overflow(*low, ten[more], low);
}

/* A plain number of up to 19 digits; false: it is another. */
static bool parse_small(struct str s, struct decimal *out)
{
    uint64_t v = 0;
    size_t point = s.n;
    bool negative = s.n && s.p[0] == '-';
    size_t first = negative, i = first;
    if (s.n - first > TENS - 1 || s.n == first || !char_is_digit(s.p[s.n - 1]))
        return false;
    if (s.p[first] == '0' && s.n > first + 1 && s.p[first + 1] != '.')
        return false;
    for (; i < s.n; i++) {
        if (char_is_digit(s.p[i]))
            v = v * 10 + (uint64_t)(s.p[i] - '0');
        else if (s.p[i] == '.' && point == s.n && i > first)
            point = i;
        else
            return false;
    }
    return settle_small(v, point < s.n ? (unsigned)(s.n - point - 1) : 0, negative, out);
}

/* -- all of them ------------------------------------------------------------------------- */

struct decimal decimal_from(uint64_t n)
{
    return (struct decimal){{n, 0, 0, 0}, 0, false};
}

bool decimal_whole(const struct decimal *d, uint64_t *out)
{
    if (d->negative || d->scale || !is_small(d))
        return false;
    *out = d->limb[0];
    return true;
}

/* The exponent behind 'e', bounded so that no sum with it can overflow. */
static bool parse_exponent(struct str s, int *out)
{
    bool negative = s.n && s.p[0] == '-';
    int n = 0;
    if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
        s = str_from(s, 1);
    if (!s.n)
        return false;
    for (size_t i = 0; i < s.n; i++) {
        if (!char_is_digit(s.p[i]))
            return false;
        n = n * 10 + (s.p[i] - '0');
        if (n > DECIMAL_MAX_EXPONENT)
            return false;
    }
    *out = negative ? -n : n;
    return true;
}

/* Takes digits from the front of *s. Zeros at the very end of the fraction are
 * held back, so that "1.000..." costs no digits. */
static bool parse_digits(struct str *s, bool fraction, uint64_t limb[N], unsigned *scale)
{
    size_t n = 0;
    unsigned zeros = 0;
    for (; n < s->n && char_is_digit(s->p[n]); n++) {
        if (fraction && s->p[n] == '0') {
            if (++zeros > 4 * DECIMAL_MAX_EXPONENT)
                return false;
            continue;
        }
        if (!big_scale(limb, zeros) || !big_mul_small(limb, 10, (uint64_t)(s->p[n] - '0')))
            return false;
        if (fraction)
            *scale += zeros + 1;
        zeros = 0;
    }
    if (n == 0)
        return false;
    *s = str_from(*s, n);
    return true;
}

bool decimal_parse(struct str s, struct decimal *out)
{
    uint64_t limb[N] = {0};
    unsigned scale = 0;
    int exponent = 0;
    bool negative = s.n && s.p[0] == '-';
    if (parse_small(s, out))
        return true;
    if (s.n && (s.p[0] == '-' || s.p[0] == '+'))
        s = str_from(s, 1);
    if (s.n > 1 && s.p[0] == '0' && char_is_digit(s.p[1]))
        return refuse(out);
    if (!parse_digits(&s, false, limb, &scale))
        return refuse(out);
    if (s.n && s.p[0] == '.') {
        s = str_from(s, 1);
        if (!parse_digits(&s, true, limb, &scale))
            return refuse(out);
    }
    if (s.n && (s.p[0] == 'e' || s.p[0] == 'E')) {
        if (!parse_exponent(str_from(s, 1), &exponent))
            return refuse(out);
        s.n = 0;
    }
    if (s.n)
        return refuse(out);
    if (big_is_zero(limb))
        return settle(limb, 0, false, out);
    if (exponent >= (int)scale) {
        if (!big_scale(limb, (unsigned)(exponent - (int)scale)))
            return refuse(out);
        scale = 0;
    } else {
        scale = (unsigned)((int)scale - exponent);
    }
    return settle(limb, scale, negative, out);
}

static bool align(const struct decimal *a, const struct decimal *b, uint64_t x[N], uint64_t y[N],
                  unsigned *scale)
{
    memcpy(x, a->limb, sizeof a->limb);
    memcpy(y, b->limb, sizeof b->limb);
    *scale = a->scale > b->scale ? a->scale : b->scale;
    return big_scale(x, *scale - a->scale) && big_scale(y, *scale - b->scale);
}

bool decimal_add(const struct decimal *a, const struct decimal *b, struct decimal *out)
{
    uint64_t x[N], y[N], r[N];
    unsigned scale = a->scale > b->scale ? a->scale : b->scale;
    bool negative = a->negative;
    if (decimal_is_zero(a)) { /* as sums begin */
        *out = *b;
        return true;
    }
    if (align_small(a, b, x, y)) {
        if (negative != b->negative)
            return x[0] >= y[0] ? settle_small(x[0] - y[0], scale, negative, out)
                                : settle_small(y[0] - x[0], scale, !negative, out);
        if (!__builtin_add_overflow(x[0], y[0], r))
            return settle_small(r[0], scale, negative, out);
    }
    if (!align(a, b, x, y, &scale))
        return refuse(out);
    if (a->negative == b->negative) {
        if (!big_add(x, y, r))
            return refuse(out);
    } else if (big_cmp(x, y) >= 0) {
        big_sub(x, y, r);
    } else {
        big_sub(y, x, r);
        negative = b->negative;
    }
    return settle(r, scale, negative, out);
}

bool decimal_sub(const struct decimal *a, const struct decimal *b, struct decimal *out)
{
    struct decimal minus = *b;
    minus.negative = !b->negative && !decimal_is_zero(b);
    return decimal_add(a, &minus, out);
}

bool decimal_mul(const struct decimal *a, const struct decimal *b, struct decimal *out)
{
    uint64_t r[N];
    unsigned scale = (unsigned)a->scale + b->scale;
    bool negative = a->negative != b->negative;
    if (is_small(a) && is_small(b) && !__builtin_mul_overflow(a->limb[0], b->limb[0], r))
        return settle_small(r[0], scale, negative, out);
    if (!big_mul(a->limb, b->limb, r))
        return refuse(out);
    return settle(r, scale, negative, out);
}

bool decimal_shift(const struct decimal *a, int exponent, struct decimal *out)
{
    uint64_t r[N];
    memcpy(r, a->limb, sizeof r);
    int scale = (int)a->scale - exponent;
    if (scale < 0) {
        if (!big_scale(r, (unsigned)-scale))
            return refuse(out);
        scale = 0;
    }
    return settle(r, (unsigned)scale, a->negative, out);
}

/* How often p divides *n, which is divided by it. */
static unsigned take_factor(uint64_t *n, uint64_t p)
{
    unsigned count = 0;
    for (; *n % p == 0; count++)
        *n /= p;
    return count;
}

/* A quotient that goes on for ever: as many digits as promised. The remainder
 * decides the rounding; a tie cannot be, for it would be a decimal. */
static bool div_rounded(const struct decimal *a, uint64_t n, struct decimal *out)
{
    uint64_t r[N], whole[N];
    unsigned more = 0;
    memcpy(whole, a->limb, sizeof whole);
    big_div_small(whole, n);
    unsigned have = big_digits(whole);
    if (have < DECIMAL_QUOTIENT_DIGITS) {
        uint64_t t[N];
        more = DECIMAL_QUOTIENT_DIGITS - have;
        for (;; more++) { /* a quotient below 1 begins with zeros, which do not count */
            memcpy(t, a->limb, sizeof t);
            if (!big_scale(t, more))
                return refuse(out);
            big_div_small(t, n);
            if (big_digits(t) >= DECIMAL_QUOTIENT_DIGITS)
                break;
        }
    }
    memcpy(r, a->limb, sizeof r);
    if (!big_scale(r, more))
        return refuse(out);
    uint64_t rest = big_div_small(r, n);
    if (rest > n - rest && !big_mul_small(r, 1, 1))
        return refuse(out);
    return settle(r, a->scale + more, a->negative, out);
}

/* Divides by p, one of the two factors of ten: either it goes into the digits,
 * or the other factor comes to them and the point moves. */
static bool div_factor(uint64_t r[N], uint64_t p, unsigned *scale)
{
    uint64_t t[N];
    memcpy(t, r, sizeof t);
    if (big_div_small(t, p) == 0) {
        memcpy(r, t, sizeof t);
        return true;
    }
    ++*scale;
    return big_mul_small(r, 10 / p, 0);
}

bool decimal_div(const struct decimal *a, uint64_t n, struct decimal *out, bool *exact)
{
    uint64_t r[N], odd = n;
    unsigned scale = a->scale;
    *exact = true;
    for (unsigned i = 0; i < TENS && is_small(a); i++)
        if (ten[i] == n)
            return settle_small(a->limb[0], scale + i, a->negative, out);
    unsigned twos = take_factor(&odd, 2), fives = take_factor(&odd, 5);
    memcpy(r, a->limb, sizeof r);
    if (big_div_small(r, odd)) {
        *exact = false;
        return div_rounded(a, n, out);
    }
    while (twos && fives) { /* tens only move the point */
        scale++;
        twos--;
        fives--;
    }
    for (; twos; twos--)
        if (!div_factor(r, 2, &scale))
            return refuse(out);
    for (; fives; fives--)
        if (!div_factor(r, 5, &scale))
            return refuse(out);
    return settle(r, scale, a->negative, out);
}

int decimal_cmp(const struct decimal *a, const struct decimal *b)
{
    uint64_t x[N], y[N];
    unsigned scale;
    if (a->negative != b->negative)
        return a->negative ? -1 : 1;
    int sign = a->negative ? -1 : 1;
    if (align_small(a, b, x, y))
        return x[0] == y[0] ? 0 : x[0] < y[0] ? -sign : sign;
    if (align(a, b, x, y, &scale))
        return sign * big_cmp(x, y);
    /* The one with the smaller scale did not fit when it was stretched to the
     * larger: so it is the larger number. */
    return a->scale < b->scale ? sign : -sign;
}

static unsigned count_digits(uint64_t n)
{
    unsigned bits = 64 - (unsigned)__builtin_clzll(n | 1), least = bits * 1233 >> 12; /* log 2 */
    return least + (n >= ten[least] || !least);
}

#define TEN(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
static const char hundred[] =
    TEN("0") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5") TEN("6") TEN("7") TEN("8") TEN("9");
#undef TEN

/* The lowest `digits` digits of a whole number, so that they end at `end`; what is left. */
static inline uint64_t put_digits(uint64_t n, unsigned digits, char *end)
{
    for (; digits >= 2; digits -= 2) {
        end -= 2;
        memcpy(end, &hundred[n % 100 * 2], 2);
        n /= 100;
    }
    if (digits) {
        *--end = (char)('0' + n % 10);
        n /= 10;
    }
    return n;
}

static struct str text_small(const struct decimal *d, char *text)
{
    uint64_t n = d->limb[0];
    unsigned digits = count_digits(n), scale = d->scale;
    char *p = text;
    if (digits <= scale)
        digits = scale + 1;
    *p = '-';
    p += d->negative + digits;
    if (scale) {
        n = put_digits(n, scale, ++p);
        p[-(int)scale - 1] = '.';
    }
    put_digits(n, digits - scale, p - scale - (scale ? 1 : 0));
    *p = '\0';
    return str_make(text, (size_t)(p - text));
}

struct str decimal_text(const struct decimal *d, char text[DECIMAL_TEXT])
{
    char digits[DECIMAL_TEXT];
    size_t n = 0, at = 0;
    uint64_t t[N];
    if (is_small(d))
        return text_small(d, text);
    memcpy(t, d->limb, sizeof t);
    while (!big_is_zero(t)) {
        uint64_t part = big_div_small(t, ten[9]);
        for (int i = 0; i < 9 && (part || !big_is_zero(t)); i++) {
            digits[n++] = (char)('0' + part % 10);
            part /= 10;
        }
    }
    while (n <= d->scale)
        digits[n++] = '0';
    if (d->negative)
        text[at++] = '-';
    while (n > 0) {
        text[at++] = digits[--n];
        if (n == d->scale && n > 0)
            text[at++] = '.';
    }
    text[at] = '\0';
    return str_make(text, at);
}
