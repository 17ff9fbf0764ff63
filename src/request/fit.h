/*
 * fit.h - how many tokens a request has, and whether it fits.
 *
 * Nobody can count tokens without the tokenizer, so that an estimate is three
 * numbers: no text that people write has fewer than `low`, most have about
 * `expected`, hardly any has more than `high`. What cannot fit (low is above the
 * limit) and what may not fit (high is) are different findings.
 *
 * The scan counts bytes by what they are; the ratio of characters beyond ASCII
 * and of escapes is known for the text as a whole.
 */
#ifndef CANDO_FIT_H
#define CANDO_FIT_H

#include "catalog/api.h"

enum fit_family {
    FIT_OTHER,
    FIT_CL100K,
    FIT_O200K,
    FIT_CLAUDE,
    FIT_GEMINI,
    FIT_LLAMA,
    FIT_MISTRAL,
    FIT_DEEPSEEK,
    FIT_QWEN,
    FIT_FAMILIES
};
/* Audio, video and documents: nobody knows their size, and this is what one may come to. */
#define FIT_MEDIA_EXPECTED 1500u
#define FIT_MEDIA_HIGH 200000u

struct fit_range {
    uint64_t low, expected, high;
};

struct fit {
    enum fit_family family;
    enum image_rule image_rule;
    uint64_t text_bytes, json_bytes, turns, images, media;
    struct fit_range image; /* tokens of all images */
    bool has_output;
    uint64_t output; /* the largest answer that is asked for */
    uint32_t output_at;
};

/* Bytes of texts by what they are: beyond ASCII, and of these those that begin no character. */
struct fit_text {
    uint64_t bytes, wide, tails;
};
void fit_text(struct fit_text *t, struct str s);

/* By the word of the vocabulary's `tokenizer`; without one it is FIT_OTHER. */
enum fit_family fit_family_of(struct str tokenizer);

/* One image: a data URL, base64 alone, or a link (then nothing is known of it). */
void fit_image(struct fit *f, const unsigned char *p, size_t n);
/* The size of a picture that is given as a data URL or as base64. */
bool fit_picture(const unsigned char *p, size_t n, uint32_t *width, uint32_t *height);
/* The size in the header of a picture's first bytes; false if it is none we know. */
bool fit_image_size(const unsigned char *p, size_t n, uint32_t *width, uint32_t *height);

struct fit_ratio {
    double low, expected, high;       /* tokens for one byte of plain text */
    double wide_low, wide, wide_high; /* and for one character beyond ASCII */
};
extern const struct fit_ratio fit_ratios[FIT_FAMILIES];

/* Tokens of the whole. `wide`, `tails`, `escapes` are of the text as a whole. Each
 * message is framed by a few tokens, and tools by a few hundred. */
static inline struct fit_range fit_input(const struct fit *f, uint64_t wide, uint64_t tails,
                                         uint64_t escapes)
{
    const struct fit_ratio *r = &fit_ratios[f->family];
    uint64_t bytes = f->text_bytes + f->json_bytes, other = wide + escapes;
    double plain = bytes > other ? (double)(int64_t)(bytes - other) : 0,
           chars = (double)(int64_t)(wide - tails);
    return (struct fit_range){
        .low = (uint64_t)(int64_t)(plain * r->low + chars * r->wide_low) + f->image.low,
        .expected = (uint64_t)(int64_t)(plain * r->expected + chars * r->wide) + f->turns * 4 + 3 +
                    f->image.expected + f->media * FIT_MEDIA_EXPECTED,
        .high = (uint64_t)(int64_t)(plain * r->high + chars * r->wide_high) + f->turns * 8 +
                (f->json_bytes ? 400 : 0) + 16 + f->image.high + f->media * FIT_MEDIA_HIGH,
    };
}

#endif
