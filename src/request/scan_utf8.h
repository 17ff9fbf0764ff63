/*
 * scan_utf8.h - tables that judge UTF-8 by pairs of neighbours; for index makers that can look
 * up many bytes at once.
 *
 * The upper and lower half of the first byte and the upper half of the second each select a set
 * of faults that they allow, and what all three allow has happened. Characters of three and four
 * bytes need one thing more, that their last bytes are where they must be: there, and nowhere
 * else, UTF8_TWO is no fault.
 */
#ifndef CANDO_SCAN_UTF8_H
#define CANDO_SCAN_UTF8_H

enum {
    UTF8_SHORT = 1, /* a lead byte without its continuation */
    UTF8_LONG = 2,  /* a continuation behind ASCII          */
    UTF8_OVERLONG_3 = 4,
    UTF8_LARGE = 8, /* beyond U+10FFFF                      */
    UTF8_SURROGATE = 16,
    UTF8_OVERLONG_2 = 32,
    UTF8_OVERLONG_4 = 64,
    UTF8_LARGE_80 = 64, /* F5 and above with 80..8F behind: the same bit does */
    UTF8_TWO = 128,     /* two continuations                    */
    UTF8_ANY = UTF8_SHORT | UTF8_LONG | UTF8_TWO,
    UTF8_BEYOND = UTF8_ANY | UTF8_LARGE | UTF8_LARGE_80,
};

static const _Alignas(16) unsigned char utf8_first_high[16] = {
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_LONG,
    UTF8_TWO,
    UTF8_TWO,
    UTF8_TWO,
    UTF8_TWO,
    UTF8_SHORT | UTF8_OVERLONG_2,
    UTF8_SHORT,
    UTF8_SHORT | UTF8_OVERLONG_3 | UTF8_SURROGATE,
    UTF8_SHORT | UTF8_LARGE | UTF8_LARGE_80 | UTF8_OVERLONG_4,
};

static const _Alignas(16) unsigned char utf8_first_low[16] = {
    UTF8_ANY | UTF8_OVERLONG_3 | UTF8_OVERLONG_2 | UTF8_OVERLONG_4,
    UTF8_ANY | UTF8_OVERLONG_2,
    UTF8_ANY,
    UTF8_ANY,
    UTF8_ANY | UTF8_LARGE,
    UTF8_BEYOND,
    UTF8_BEYOND,
    UTF8_BEYOND,
    UTF8_BEYOND,
    UTF8_BEYOND,
    UTF8_BEYOND,
    UTF8_BEYOND,
    UTF8_BEYOND,
    UTF8_BEYOND | UTF8_SURROGATE,
    UTF8_BEYOND,
    UTF8_BEYOND,
};

#define UTF8_TAIL (UTF8_LONG | UTF8_OVERLONG_2 | UTF8_TWO)
static const _Alignas(16) unsigned char utf8_second_high[16] = {
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_TAIL | UTF8_OVERLONG_3 | UTF8_LARGE_80 | UTF8_OVERLONG_4,
    UTF8_TAIL | UTF8_OVERLONG_3 | UTF8_LARGE,
    UTF8_TAIL | UTF8_SURROGATE | UTF8_LARGE,
    UTF8_TAIL | UTF8_SURROGATE | UTF8_LARGE,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
    UTF8_SHORT,
};

#endif
