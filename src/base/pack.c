#include "pack.h"

#define PIECE_MIN 4u
#define FAR_MAX 65535u
#define PLACES 12u /* bits of the table of places where a piece may have stood */

/* The same on every machine, so that what is packed is. */
static uint32_t four_bytes(const char *p)
{
    const unsigned char *b = (const unsigned char *)p;
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

static size_t same_bytes(struct str s, size_t a, size_t b)
{
    size_t n = 0;
    while (b + n < s.n && s.p[a + n] == s.p[b + n])
        n++;
    return n;
}

static void put_more(struct buf *out, size_t n)
{
    for (; n >= 255; n -= 255)
        buf_putc(out, (char)255);
    buf_putc(out, (char)n);
}

/* `piece` 0: the last step. */
static void put_step(struct buf *out, struct str plain, size_t piece, size_t back)
{
    size_t more = piece ? piece - PIECE_MIN : 0;
    unsigned high = plain.n < 15 ? (unsigned)plain.n : 15, low = more < 15 ? (unsigned)more : 15;
    buf_putc(out, (char)(high << 4 | low));
    if (high == 15)
        put_more(out, plain.n - 15);
    buf_puts(out, plain);
    if (low == 15)
        put_more(out, more - 15);
    if (piece) {
        buf_putc(out, (char)(back & 255));
        buf_putc(out, (char)(back >> 8));
    }
}

bool pack_text(struct buf *out, struct str text)
{
    uint32_t place[1u << PLACES] = {0}; /* plus 1; 0: none */
    size_t done = 0, i = 0;
    while (i + PIECE_MIN <= text.n && text.n < UINT32_MAX) {
        uint32_t *at = &place[four_bytes(text.p + i) * UINT32_C(2654435761) >> (32 - PLACES)];
        size_t from = *at, n = 0;
        *at = (uint32_t)i + 1;
        if (from && i + 1 - from <= FAR_MAX)
            n = same_bytes(text, from - 1, i);
        if (n < PIECE_MIN) {
            i++;
            continue;
        }
        put_step(out, str_make(text.p + done, i - done), n, i + 1 - from);
        i += n;
        done = i;
    }
    put_step(out, str_from(text, done), 0, 0);
    return !out->failed;
}

/* The length that begins with a half byte; false if the text ends in it. */
static bool get_more(struct str *in, size_t half, size_t *n)
{
    *n = half;
    for (unsigned char c = 255; half == 15 && c == 255;) {
        if (!in->n)
            return false;
        c = (unsigned char)in->p[0];
        *n += c;
        *in = str_from(*in, 1);
    }
    return true;
}

bool unpack_text(struct str in, char *text, size_t n)
{
    size_t at = 0, plain, piece;
    while (in.n) {
        unsigned head = (unsigned char)in.p[0];
        in = str_from(in, 1);
        if (!get_more(&in, head >> 4, &plain) || plain > in.n || plain > n - at)
            return false;
        if (text && plain)
            memcpy(text + at, in.p, plain);
        at += plain;
        in = str_from(in, plain);
        if (!in.n)
            break;
        if (!get_more(&in, head & 15, &piece) || in.n < 2)
            return false;
        size_t back = (unsigned char)in.p[0] | (size_t)(unsigned char)in.p[1] << 8;
        in = str_from(in, 2);
        piece += PIECE_MIN;
        if (!back || back > at || piece > n - at)
            return false;
        for (size_t i = at; text && i < at + piece; i++) /* it may reach into itself */
            text[i] = text[i - back];
        at += piece;
    }
    return at == n;
}
