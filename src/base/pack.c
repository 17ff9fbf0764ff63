#include "pack.h"

#define PIECE_MIN 4u
#define FAR_MAX 65535u
#define PLACES 16u /* bits of the table of places where a piece stood last */
#define TRIES 256u /* places that are looked at for one piece */

/* Where pieces stood: the last place of each, and for each place the one before; all plus 1, 0:
 * none. */
struct places {
    struct str text;
    uint32_t *last, *before;
    size_t noted; /* places up to here are in it */
};

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

static void note_up_to(struct places *x, size_t end)
{
    for (; x->noted < end && x->noted + PIECE_MIN <= x->text.n; x->noted++) {
        uint32_t mix = four_bytes(x->text.p + x->noted) * UINT32_C(2654435761);
        uint32_t *last = &x->last[mix >> (32 - PLACES)];
        x->before[x->noted] = *last;
        *last = (uint32_t)x->noted + 1;
    }
}

/* The longest piece at `at` that stood before, and how far back; 0: none. */
static size_t find_piece(struct places *x, size_t at, size_t *back)
{
    size_t best = 0;
    note_up_to(x, at + 1);
    if (at >= x->noted)
        return 0;
    uint32_t from = x->before[at];
    for (unsigned i = 0; i < TRIES && from && at + 1 - from <= FAR_MAX; i++) {
        size_t n = same_bytes(x->text, from - 1, at);
        if (n > best) {
            best = n;
            *back = at + 1 - from;
        }
        from = x->before[from - 1];
    }
    return best < PIECE_MIN ? 0 : best;
}

bool pack_text(struct buf *out, struct str text, struct arena *ar)
{
    struct places x = {.text = text};
    size_t done = 0, i = 0, back = 0, later;
    if (text.n >= UINT32_MAX)
        return false;
    x.last = arena_array(ar, (size_t)1 << PLACES, sizeof *x.last);
    x.before = arena_array(ar, text.n, sizeof *x.before);
    if (!x.last || !x.before)
        return false;
    while (i < text.n) {
        size_t n = find_piece(&x, i, &back);
        if (!n || find_piece(&x, i + 1, &later) > n + 1) { /* a byte later begins a longer one */
            i++;
            continue;
        }
        put_step(out, str_make(text.p + done, i - done), n, back);
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
