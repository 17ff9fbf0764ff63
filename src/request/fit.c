/*
 * fit.c - tokens from bytes.
 *
 * Ratios are bytes of plain text for one token, and tokens for one character
 * beyond ASCII, by family of tokenizer. They are wide on purpose: English prose,
 * code, tables of numbers and JSON differ by a factor of two with any of them.
 *
 * Images follow each provider's own rule where the size of the picture can be
 * read from its first bytes, and the rule's extremes where it cannot.
 */
#include "fit.h"

/* Bytes of plain text for one token: most, usual, fewest. */
#define BYTES(low, expected, high) 1 / low, 1 / expected, 1 / high

const struct fit_ratio fit_ratios[FIT_FAMILIES] = {
    [FIT_OTHER] = {BYTES(8.0, 3.9, 2.7), 0.25, 0.80, 2.0},
    [FIT_CL100K] = {BYTES(8.0, 4.1, 2.9), 0.30, 1.00, 2.0},
    [FIT_O200K] = {BYTES(8.0, 4.2, 3.0), 0.25, 0.70, 1.5},
    [FIT_CLAUDE] = {BYTES(8.0, 3.5, 2.5), 0.30, 0.95, 2.0},
    [FIT_GEMINI] = {BYTES(8.0, 4.1, 2.9), 0.25, 0.60, 1.4},
    [FIT_LLAMA] = {BYTES(8.0, 4.1, 2.9), 0.25, 0.80, 1.8},
    [FIT_MISTRAL] = {BYTES(8.0, 3.9, 2.7), 0.25, 0.80, 1.8},
    [FIT_DEEPSEEK] = {BYTES(8.0, 4.0, 2.8), 0.25, 0.65, 1.5},
    [FIT_QWEN] = {BYTES(8.0, 4.0, 2.8), 0.25, 0.65, 1.5},
};

enum fit_family fit_family_of(struct str tokenizer)
{
    static const struct {
        const char *word;
        enum fit_family family;
    } words[] = {
        {"cl100k", FIT_CL100K},      {"o200k", FIT_O200K},       {"claude-v3", FIT_CLAUDE},
        {"gemini", FIT_GEMINI},      {"llama-v3", FIT_LLAMA},    {"llama-v4", FIT_LLAMA},
        {"mistral-v3", FIT_MISTRAL}, {"deepseek", FIT_DEEPSEEK}, {"qwen", FIT_QWEN},
    };
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (str_is(tokenizer, words[i].word))
            return words[i].family;
    return FIT_OTHER;
}

void fit_text(struct fit_text *t, struct str s)
{
    t->bytes += s.n;
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        t->wide += c >> 7;
        t->tails += (c & 0xC0) == 0x80;
    }
}

/* -- pictures ------------------------------------------------------------------------- */

static uint32_t big16(const unsigned char *p)
{
    return (uint32_t)p[0] << 8 | p[1];
}

static uint32_t big32(const unsigned char *p)
{
    return big16(p) << 16 | big16(p + 2);
}

static uint32_t little16(const unsigned char *p)
{
    return (uint32_t)p[1] << 8 | p[0];
}

static bool jpeg_size(const unsigned char *p, size_t n, uint32_t *w, uint32_t *h)
{
    for (size_t at = 2; at + 9 < n && p[at] == 0xFF;) {
        unsigned marker = p[at + 1];
        if (marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 &&
            marker != 0xCC) {
            *h = big16(p + at + 5);
            *w = big16(p + at + 7);
            return true;
        }
        at += 2 + (size_t)big16(p + at + 2);
    }
    return false;
}

static bool webp_size(const unsigned char *p, size_t n, uint32_t *w, uint32_t *h)
{
    if (n < 30)
        return false;
    if (memcmp(p + 12, "VP8X", 4) == 0) {
        *w = 1 + (little16(p + 24) | (uint32_t)p[26] << 16);
        *h = 1 + (little16(p + 27) | (uint32_t)p[29] << 16);
        return true;
    }
    if (memcmp(p + 12, "VP8 ", 4) == 0) {
        *w = little16(p + 26) & 0x3FFF;
        *h = little16(p + 28) & 0x3FFF;
        return true;
    }
    if (memcmp(p + 12, "VP8L", 4) == 0) {
        uint32_t bits = little16(p + 21) | little16(p + 23) << 16;
        *w = 1 + (bits & 0x3FFF);
        *h = 1 + (bits >> 14 & 0x3FFF);
        return true;
    }
    return false;
}

bool fit_image_size(const unsigned char *p, size_t n, uint32_t *width, uint32_t *height)
{
    if (n >= 24 && memcmp(p, "\x89PNG\r\n\x1a\n", 8) == 0 && memcmp(p + 12, "IHDR", 4) == 0) {
        *width = big32(p + 16);
        *height = big32(p + 20);
    } else if (n >= 10 && memcmp(p, "GIF8", 4) == 0) {
        *width = little16(p + 6);
        *height = little16(p + 8);
    } else if (n >= 16 && memcmp(p, "RIFF", 4) == 0 && memcmp(p + 8, "WEBP", 4) == 0) {
        if (!webp_size(p, n, width, height))
            return false;
    } else if (n < 4 || p[0] != 0xFF || p[1] != 0xD8 || !jpeg_size(p, n, width, height)) {
        return false;
    }
    return *width > 0 && *height > 0 && *width <= 100000 && *height <= 100000;
}

static int base64_value(unsigned char c)
{
    if (c >= 'A' && c <= 'Z')
        return c - 'A';
    if (c >= 'a' && c <= 'z')
        return c - 'a' + 26;
    if (c >= '0' && c <= '9')
        return c - '0' + 52;
    return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

/* Decodes as much as fits; a character that is none ends it. */
static size_t base64_head(const unsigned char *p, size_t n, unsigned char *out, size_t size)
{
    size_t used = 0;
    uint32_t bits = 0;
    for (size_t i = 0, k = 0; i < n && used < size; i++) {
        if (p[i] == '\\' && i + 1 < n && p[i + 1] == '/')
            continue; /* \/ is a slash */
        int v = base64_value(p[i]);
        if (v < 0)
            break;
        bits = bits << 6 | (uint32_t)v;
        if (++k % 4 == 0)
            for (int shift = 16; shift >= 0 && used < size; shift -= 8)
                out[used++] = (unsigned char)(bits >> shift);
    }
    return used;
}

static void scale_to(double *w, double *h, double longest, double shortest)
{
    double big = *w > *h ? *w : *h, small = *w > *h ? *h : *w, f = 1;
    if (longest > 0 && big > longest)
        f = longest / big;
    if (shortest > 0 && small * f > shortest)
        f = shortest / small;
    *w *= f;
    *h *= f;
}

static double up(double v)
{
    double whole = (double)(uint64_t)v;
    return whole < v ? whole + 1 : whole;
}

/* What one picture of a known size costs. */
static double image_tokens(enum image_rule rule, double w, double h)
{
    switch (rule) {
    case IMAGES_TILES: /* squares of 512 pixels */
        scale_to(&w, &h, 2048, 768);
        return 85 + 170 * up(w / 512) * up(h / 512);
    case IMAGES_PATCHES: { /* squares of 32 pixels, at most 1536 of them */
        double n = up(w / 32) * up(h / 32);
        return (n > 1536 ? 1536 : n) * 1.62;
    }
    case IMAGES_AREA: /* pixels by 750, the longer side at most 1568 */
        scale_to(&w, &h, 1568, 0);
        return w * h / 750 > 1600 ? 1600 : w * h / 750;
    case IMAGES_LARGE_TILES: /* small ones as one tile, others in tiles of 768 */
        return w <= 384 && h <= 384 ? 258 : 258 * up(w / 768) * up(h / 768);
    default:
        return w * h / 750;
    }
}

static const struct fit_range image_unknown[IMAGE_RULES] = {
    [IMAGES_UNKNOWN] = {64, 1000, 4000},     [IMAGES_TILES] = {85, 765, 1445},
    [IMAGES_PATCHES] = {64, 1000, 4000},     [IMAGES_AREA] = {60, 1200, 4800},
    [IMAGES_LARGE_TILES] = {66, 1032, 2600},
};

#define IMAGE_HEAD 4096u /* a JPEG's size stands behind its thumbnail and notes */

bool fit_picture(const unsigned char *p, size_t n, uint32_t *width, uint32_t *height)
{
    struct str s = str_make((const char *)p, n < 128 ? n : 128);
    size_t comma = str_starts(s, STR("data:")) ? str_find(s, STR("base64,")) : 0;
    size_t from = comma == SIZE_MAX ? n : comma ? comma + 7 : 0;
    unsigned char head[IMAGE_HEAD];
    if (str_starts(s, STR("http")))
        return false;
    return fit_image_size(head, base64_head(p + from, n - from, head, sizeof head), width, height);
}

void fit_image(struct fit *f, const unsigned char *p, size_t n)
{
    struct fit_range r = image_unknown[f->image_rule];
    uint32_t w, h;
    if (fit_picture(p, n, &w, &h)) {
        double t = image_tokens(f->image_rule, w, h);
        r.expected = (uint64_t)t + 1;
        r.low = f->image_rule == IMAGES_TILES ? 85 : r.expected / 2;
        /* newer models look closer: up to three times as many */
        r.high = f->image_rule == IMAGES_AREA || f->image_rule == IMAGES_UNKNOWN
                     ? r.expected * 3
                     : r.expected + r.expected / 4;
    }
    f->images++;
    f->image.low += r.low;
    f->image.expected += r.expected;
    f->image.high += r.high;
}
