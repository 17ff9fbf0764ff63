/*
 * text_number.c - the number that a JSON text spells.
 */
#include "scan.h"

#include <math.h>

static double power(int exponent)
{
    static const double small[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                   1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    return exponent <= 18 ? small[exponent] : pow(10, exponent > 400 ? 400 : exponent);
}

double scan_number(const unsigned char *p, size_t n)
{
    size_t at = 0;
    bool minus = n && p[0] == '-', point = false;
    uint64_t digits = 0;
    int scale = 0, exponent = 0;
    for (at += minus; at < n; at++) {
        if (p[at] == '.') {
            point = true;
            continue;
        }
        unsigned d = (unsigned)p[at] - '0';
        if (d > 9)
            break;
        if (digits < UINT64_C(100000000000000000))
            digits = digits * 10 + d, scale -= point;
        else
            scale += !point;
    }
    if (at < n && (p[at] | 0x20) == 'e') {
        bool down = ++at < n && p[at] == '-';
        for (at += at < n && (p[at] == '-' || p[at] == '+'); at < n && exponent < 100000; at++)
            exponent = exponent * 10 + (p[at] - '0');
        exponent = down ? -exponent : exponent;
    }
    exponent += scale;
    double v = (double)digits;
    if (v != 0) /* a division is exact where a power below one is not */
        v = exponent < 0 ? v / power(-exponent) : exponent ? v * power(exponent) : v;
    return minus ? -v : v;
}
