/*
 * decimal.h - exact decimal numbers, for money.
 *
 *     value = (negative ? -1 : 1) * limbs / 10^scale
 *
 * The digits are one 256-bit whole number, so 77 of them fit; the scale says
 * how many stand behind the point. There is no heap, no rounding and no binary
 * fraction: a result that does not fit is refused, never bent. The one
 * operation whose result may not be a decimal at all is division, and it says
 * so. A number is kept without trailing zeros behind the point, so equal
 * numbers have equal members.
 */
#ifndef CANDO_DECIMAL_H
#define CANDO_DECIMAL_H

#include "str.h"

#define DECIMAL_LIMBS 4
#define DECIMAL_MAX_SCALE 60u       /* digits behind the point */
#define DECIMAL_MAX_EXPONENT 200    /* of a number that is read */
#define DECIMAL_TEXT 144            /* bytes that any decimal fits into as text, with the NUL */
#define DECIMAL_QUOTIENT_DIGITS 28u /* of a quotient that does not end */

struct decimal {
    uint64_t limb[DECIMAL_LIMBS]; /* lowest first */
    uint16_t scale;
    bool negative; /* never of zero */
};

#define DECIMAL_ZERO ((struct decimal){{0}, 0, false})

/* A number as JSON writes it, exponents included; a leading '+' is taken too.
 * False if it is none (also NaN and Infinity) or if it does not fit. */
bool decimal_parse(struct str text, struct decimal *out);
struct decimal decimal_from(uint64_t n);
/* A whole number from 0 to UINT64_MAX; false if it is none. */
bool decimal_whole(const struct decimal *d, uint64_t *out);

/* False: the result does not fit; *out is then zero. `out` may be an operand. */
bool decimal_add(const struct decimal *a, const struct decimal *b, struct decimal *out);
bool decimal_sub(const struct decimal *a, const struct decimal *b, struct decimal *out);
bool decimal_mul(const struct decimal *a, const struct decimal *b, struct decimal *out);
/* Times ten to the power of `exponent`, which may be negative. */
bool decimal_shift(const struct decimal *a, int exponent, struct decimal *out);
/* By n > 0. Where the quotient is a decimal it is given whole and *exact is
 * true; else it has DECIMAL_QUOTIENT_DIGITS digits (or the whole part, if that
 * is longer), rounded half to even. */
bool decimal_div(const struct decimal *a, uint64_t n, struct decimal *out, bool *exact);

int decimal_cmp(const struct decimal *a, const struct decimal *b);
static inline bool decimal_is_zero(const struct decimal *d)
{
    return !(d->limb[0] | d->limb[1] | d->limb[2] | d->limb[3]);
}

/* "0.0002483", "-3", "0": no exponent, no trailing zeros, NUL-terminated. */
struct str decimal_text(const struct decimal *d, char text[DECIMAL_TEXT]);

#endif
