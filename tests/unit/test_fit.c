/*
 * test_fit.c - sizes of pictures and ranges of tokens.
 */

#include "test.h"

#include "request/fit.h"

static void test_image_sizes(void **state)
{
    (void)state;
    static const unsigned char png[] = "\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\x04\0\0\0\x03\0", gif[] = "GIF89a\x40\x01\xf0\0",
                               jpeg[] = "\xff\xd8\xff\xe0\0\x10JFIF\0\1\1\0\0\1\0\1\0\0\xff\xc0\0\x11\x08\x02\x58\x03\x20\3\1";
    static const unsigned char
        tables[] = "\xff\xd8\xff\xc4\0\4\0\0\xff\xc8\0\2\xff\xcc\0\2\xff\xcf\0\x11\x08\x02\x58\x03\x20\3",
        webp[] = "RIFF\0\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0\xff\1\0\x7f\1\0",
        lossy[] = "RIFF\0\0\0\0WEBPVP8 \0\0\0\0\0\0\0\x9d\1\x2a\x40\xc1\xf0\x40",
        lossless[] = "RIFF\0\0\0\0WEBPVP8L\0\0\0\0\x2f\x3f\xc1\x3b\0\0\0\0\0\0\0";
    static const struct {
        const unsigned char *p;
        size_t n, least; /* bytes that tell it */
        uint32_t w, h;
    } cases[] = {
        {png, sizeof png, 24, 1024, 768},         {gif, sizeof gif, 10, 320, 240},
        {jpeg, sizeof jpeg, 30, 800, 600},        {tables, sizeof tables, 26, 800, 600},
        {webp, sizeof webp, 30, 512, 384},        {lossy, sizeof lossy, 30, 320, 240},
        {lossless, sizeof lossless, 30, 320, 240}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t w = 0, h = 0;
        assert_true(fit_image_size(cases[i].p, cases[i].n, &w, &h));
        assert_int_equal(w, cases[i].w);
        assert_int_equal(h, cases[i].h);
        for (size_t n = 0; n < cases[i].n; n++) { /* cut before that there is no size */
            unsigned char *cut = malloc(n ? n : 1);
            assert_non_null(cut);
            memcpy(cut, cases[i].p, n);
            assert_int_equal(fit_image_size(cut, n, &w, &h), n >= cases[i].least);
            free(cut);
        }
    }
    unsigned char wide[sizeof png];
    uint32_t w, h;
    memcpy(wide, png, sizeof png);
    memcpy(wide + 16, "\0\1\x86\xa0\0\1\x86\xa0", 8); /* 100,000 and no more; and not nothing */
    assert_true(fit_image_size(wide, sizeof wide, &w, &h));
    assert_int_equal(w, 100000);
    for (unsigned i = 16; i < 24; i += 4) {
        wide[i + 3]++;
        assert_false(fit_image_size(wide, sizeof wide, &w, &h));
        memset(wide + i, 0, 4);
        assert_false(fit_image_size(wide, sizeof wide, &w, &h));
        wide[i + 3] = 1;
        assert_true(fit_image_size(wide, sizeof wide, &w, &h));
    }
}

static struct fit_range image(enum image_rule rule, const char *text)
{
    struct fit f = {.image_rule = rule};
    fit_image(&f, (const unsigned char *)text, strlen(text));
    assert_int_equal(f.images, 1);
    assert_true(f.image.low <= f.image.expected && f.image.expected <= f.image.high);
    return f.image;
}

static void test_image_tokens(void **state)
{
    (void)state;
    static const char png[] = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAABAAAAAMACAYAAAA=";
    assert_int_equal(image(IMAGES_TILES, png).expected, 85 + 170 * 4 + 1); /* 1024 x 768: two by two tiles */
    assert_int_equal(image(IMAGES_AREA, png).expected, 1024 * 768 / 750 + 1);
    assert_int_equal(image(IMAGES_LARGE_TILES, png).expected, 258 * 2 + 1);
    assert_int_equal(image(IMAGES_TILES, png + 22).expected, 85 + 170 * 4 + 1); /* base64 alone */
    /* 1023 x 768, with a slash in it, which JSON may spell with a backslash */
    static const char *const slash[] = {"iVBORw0KGgoAAAANSUhEUgAAA/8AAAMACA==",
                                        "iVBORw0KGgoAAAANSUhEUgAAA\\/8AAAMACA=="};
    for (unsigned i = 0; i < LENGTH(slash); i++)
        assert_int_equal(image(IMAGES_AREA, slash[i]).expected, 1023 * 768 / 750 + 1);
    assert_int_equal(image(IMAGES_AREA, "iVBORw0KGgoAAAANSUhEUgAAA\\x/8AAAMACA==").expected,
                     image(IMAGES_AREA, "").expected);
    for (unsigned rule = 0; rule < IMAGE_RULES; rule++) {
        image((enum image_rule)rule, "https://example.com/a.png");
        image((enum image_rule)rule, "");
        image((enum image_rule)rule, "data:image/png;base64,####");
        image((enum image_rule)rule, "data:text/plain,hello");
    }
}

static void test_text(void **state)
{
    (void)state;
    for (unsigned family = 0; family < FIT_FAMILIES; family++) {
        struct fit_range last = {0};
        for (uint64_t bytes = 0; bytes < 100000; bytes += 9999) {
            struct fit f = {.family = (enum fit_family)family, .text_bytes = bytes, .turns = 2};
            struct fit_range t = fit_input(&f, 0, 0, 0);
            assert_true(t.low <= t.expected && t.expected <= t.high);
            assert_true(t.low >= last.low && t.expected >= last.expected && t.high >= last.high);
            last = t;
        }
        struct fit plain = {.family = (enum fit_family)family, .text_bytes = 3000};
        /* a thousand characters of three bytes are more than so many plain bytes */
        assert_true(fit_input(&plain, 3000, 2000, 0).expected > fit_input(&plain, 0, 0, 0).expected / 3);
    }
    /* English prose: between four and five bytes a token */
    struct fit prose = {.family = FIT_O200K, .text_bytes = 45000};
    struct fit_range t = fit_input(&prose, 0, 0, 0);
    assert_true(t.low < 9500 && t.high > 11500 && t.expected > 9000 && t.expected < 12500);
}

static void test_families(void **state)
{
    (void)state;
    assert_int_equal(fit_family_of(STR("o200k")), FIT_O200K);
    assert_int_equal(fit_family_of(STR("claude-v3")), FIT_CLAUDE);
    assert_int_equal(fit_family_of(STR("")), FIT_OTHER);
    assert_int_equal(api_images(STR("anthropic"), STR("claude-opus-5")), IMAGES_AREA);
    assert_int_equal(api_images(STR("openai"), STR("gpt-4o")), IMAGES_TILES);
    assert_int_equal(api_images(STR("openai"), STR("gpt-4.1-mini")), IMAGES_PATCHES);
    assert_int_equal(api_images(STR(""), STR("x")), IMAGES_UNKNOWN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_image_sizes),
        cmocka_unit_test(test_image_tokens),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_families),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
