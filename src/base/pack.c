#include "pack.h"

#define PIECE_MIN 4u /* of a piece from anywhere */
#define AGAIN_MIN 2u /* of one from as far back as an earlier one */
#define FARS 4u      /* how many of these are remembered */
#define NUMBER_BITS 28u
#define PLACES 16u      /* bits of the table of places where a piece may have stood */
#define TRIES 64u       /* of these places that are looked at */
#define PIECE_WHOLE 64u /* a piece of this length is taken at once */

/* How likely a no is, in 2048ths. */
typedef uint16_t chance;
#define CHANCE_BITS 11u
#define CHANCE_SHIFT 4u /* how fast it follows what is said */
#define RANGE_MIN (UINT32_C(1) << 24)

struct number {
    chance size[32];
    chance bit[NUMBER_BITS][NUMBER_BITS];
};

struct said {
    chance piece[4], again[4], which[FARS];
    struct number again_length, length, back[4]; /* by the length: short ones are from nearby */
    chance plain[16][256];
};

/* Where the text is: what has been said, the last steps, and the last distances. */
struct course {
    struct said said;
    unsigned last;
    size_t far[FARS];
};

static void begin(struct course *c)
{
    chance *p = (chance *)&c->said;
    for (size_t i = 0; i < sizeof c->said / sizeof *p; i++)
        p[i] = 1u << (CHANCE_BITS - 1);
    c->last = 0;
    for (size_t i = 0; i < FARS; i++)
        c->far[i] = 1;
}

static void step(struct course *c, unsigned piece)
{
    c->last = (c->last << 1 | piece) & 3;
}

static void remember(struct course *c, size_t from, size_t back)
{
    for (; from > 0; from--)
        c->far[from] = c->far[from - 1];
    c->far[0] = back;
}

static chance *plain_of(struct course *c, const char *text, size_t at)
{
    return c->said.plain[at ? (unsigned char)text[at - 1] >> 4 : 0];
}

static struct number *back_of(struct course *c, size_t length)
{
    return &c->said.back[length < PIECE_MIN + 3 ? length - PIECE_MIN : 3];
}

static unsigned bits_of(size_t n)
{
    unsigned bits = 0;
    while (n >> bits > 1)
        bits++;
    return bits;
}

/* -- writing ---------------------------------------------------------------------------- */

/* `low` has a carry above its 32 bits, which goes into the bytes that wait: `first`, and then
 * `waiting` - 1 of 255. */
struct writer {
    struct course c;
    struct buf *out;
    uint64_t low, waiting;
    uint32_t range;
    unsigned char first;
};

static void put_byte(struct writer *w)
{
    if ((uint32_t)w->low < UINT32_C(0xff000000) || w->low >> 32) {
        unsigned carry = (unsigned)(w->low >> 32);
        for (unsigned c = w->first; w->waiting; w->waiting--, c = 255)
            buf_putc(w->out, (char)(unsigned char)(c + carry));
        w->first = (unsigned char)(w->low >> 24);
    }
    w->waiting++;
    w->low = (w->low & 0xffffff) << 8;
}

static void put_bit(struct writer *w, chance *p, unsigned bit)
{
    uint32_t no = (w->range >> CHANCE_BITS) * *p;
    if (bit) {
        w->low += no;
        w->range -= no;
        *p = (chance)(*p - (*p >> CHANCE_SHIFT));
    } else {
        w->range = no;
        *p = (chance)(*p + (((1u << CHANCE_BITS) - *p) >> CHANCE_SHIFT));
    }
    for (; w->range < RANGE_MIN; w->range <<= 8)
        put_byte(w);
}

/* A number of `bits` bits, each by those before it. */
static void put_tree(struct writer *w, chance *p, unsigned bits, unsigned n)
{
    for (unsigned at = 1; bits-- > 0;) {
        unsigned bit = n >> bits & 1;
        put_bit(w, p + at, bit);
        at = at << 1 | bit;
    }
}

static void put_number(struct writer *w, struct number *p, size_t n)
{
    unsigned bits = bits_of(n + 1);
    put_tree(w, p->size, 5, bits);
    for (unsigned i = bits; i-- > 0;)
        put_bit(w, &p->bit[bits][i], (n + 1) >> i & 1);
}

struct piece {
    size_t length, back; /* length 0: none */
    size_t again;        /* which of the last distances; FARS: none */
    long worth;          /* bits, about */
};

static void put_piece(struct writer *w, const struct piece *p)
{
    struct course *c = &w->c;
    put_bit(w, &c->said.piece[c->last], 1);
    step(c, 1);
    put_bit(w, &c->said.again[c->last], p->again < FARS);
    if (p->again < FARS) {
        put_tree(w, c->said.which, 2, (unsigned)p->again);
        put_number(w, &c->said.again_length, p->length - AGAIN_MIN);
        remember(c, p->again, p->back);
    } else {
        put_number(w, &c->said.length, p->length - PIECE_MIN);
        put_number(w, back_of(c, p->length), p->back - 1);
        remember(c, FARS - 1, p->back);
    }
}

/* Where the bytes of a text stood before: a chain of places for each hash of four bytes. */
struct places {
    uint32_t *newest, *older; /* plus 1; 0: none */
    size_t known;             /* up to here */
};

/* The same on every machine, so that what is packed is. */
static uint32_t place_of(struct str text, size_t at)
{
    const unsigned char *b = (const unsigned char *)text.p + at;
    uint32_t four =
        (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
    return four * UINT32_C(2654435761) >> (32 - PLACES);
}

static size_t same_bytes(struct str s, size_t a, size_t b)
{
    size_t n = 0;
    while (b + n < s.n && s.p[a + n] == s.p[b + n])
        n++;
    return n;
}

static void better(struct piece *best, size_t length, size_t back, size_t again, long costs)
{
    long worth = (long)length * 8 - costs;
    if (worth > best->worth)
        *best = (struct piece){length, back, again, worth};
}

static struct piece find_piece(const struct course *c, struct places *l, struct str text, size_t at)
{
    struct piece best = {.again = FARS};
    for (size_t i = 0; i < FARS && at < text.n; i++) {
        size_t n = c->far[i] <= at ? same_bytes(text, at - c->far[i], at) : 0;
        if (n >= AGAIN_MIN)
            better(&best, n, c->far[i], i, 4);
    }
    if (at + PIECE_MIN > text.n)
        return best;
    for (; l->known < at; l->known++) {
        uint32_t *newest = &l->newest[place_of(text, l->known)];
        l->older[l->known] = *newest;
        *newest = (uint32_t)l->known + 1;
    }
    uint32_t from = l->newest[place_of(text, at)];
    for (unsigned tries = TRIES; from && tries; tries--, from = l->older[from - 1]) {
        size_t n = same_bytes(text, from - 1, at), back = at + 1 - from;
        if (n >= PIECE_MIN)
            better(&best, n, back, FARS, 10 + (long)bits_of(back));
    }
    return best;
}

bool pack_text(struct buf *out, struct arena *ar, struct str text)
{
    struct writer w = {.out = out, .range = UINT32_MAX, .waiting = 1};
    struct places l = {.newest = arena_array(ar, (size_t)1 << PLACES, sizeof *l.newest),
                       .older = arena_array(ar, text.n + 1, sizeof *l.older)};
    if (!l.newest || !l.older || text.n > PACK_MAX)
        return false;
    begin(&w.c);
    for (size_t i = 0; i < text.n;) {
        struct piece p = find_piece(&w.c, &l, text, i);
        /* One that begins a byte later may be longer by more than that byte. */
        if (p.length && p.length < PIECE_WHOLE &&
            find_piece(&w.c, &l, text, i + 1).length > p.length + 1)
            p.length = 0;
        if (p.length) {
            put_piece(&w, &p);
            i += p.length;
            continue;
        }
        put_bit(&w, &w.c.said.piece[w.c.last], 0);
        step(&w.c, 0);
        put_tree(&w, plain_of(&w.c, text.p, i), 8, (unsigned char)text.p[i]);
        i++;
    }
    for (int i = 0; i < 5; i++)
        put_byte(&w);
    return !out->failed;
}

/* -- reading ---------------------------------------------------------------------------- */

struct reader {
    struct course c;
    struct str in;
    uint32_t range, code;
    bool failed; /* it ended too soon */
};

static void get_byte(struct reader *r)
{
    r->failed |= !r->in.n;
    r->code = r->code << 8 | (r->in.n ? (unsigned char)r->in.p[0] : 0u);
    if (r->in.n)
        r->in = str_from(r->in, 1);
}

static unsigned get_bit(struct reader *r, chance *p)
{
    uint32_t no = (r->range >> CHANCE_BITS) * *p;
    unsigned bit = r->code >= no;
    if (bit) {
        r->code -= no;
        r->range -= no;
        *p = (chance)(*p - (*p >> CHANCE_SHIFT));
    } else {
        r->range = no;
        *p = (chance)(*p + (((1u << CHANCE_BITS) - *p) >> CHANCE_SHIFT));
    }
    for (; r->range < RANGE_MIN; r->range <<= 8)
        get_byte(r);
    return bit;
}

static unsigned get_tree(struct reader *r, chance *p, unsigned bits)
{
    unsigned at = 1;
    for (unsigned i = 0; i < bits; i++)
        at = at << 1 | get_bit(r, p + at);
    return at - (1u << bits);
}

static size_t get_number(struct reader *r, struct number *p)
{
    unsigned bits = get_tree(r, p->size, 5);
    size_t n = 1;
    if (bits >= NUMBER_BITS) {
        r->failed = true;
        return 0;
    }
    for (unsigned i = bits; i-- > 0;)
        n = n << 1 | get_bit(r, &p->bit[bits][i]);
    return n - 1;
}

static void get_piece(struct reader *r, size_t *length, size_t *back)
{
    struct course *c = &r->c;
    if (get_bit(r, &c->said.again[c->last])) {
        unsigned which = get_tree(r, c->said.which, 2);
        *length = get_number(r, &c->said.again_length) + AGAIN_MIN;
        *back = c->far[which];
        remember(c, which, *back);
    } else {
        *length = get_number(r, &c->said.length) + PIECE_MIN;
        *back = get_number(r, back_of(c, *length)) + 1;
        remember(c, FARS - 1, *back);
    }
}

bool unpack_text(struct str packed, char *text, size_t n)
{
    struct reader r = {.in = packed, .range = UINT32_MAX};
    begin(&r.c);
    for (int i = 0; i < 5; i++)
        get_byte(&r);
    for (size_t at = 0; at < n && !r.failed;) {
        unsigned piece = get_bit(&r, &r.c.said.piece[r.c.last]);
        step(&r.c, piece);
        if (!piece) {
            unsigned c = get_tree(&r, plain_of(&r.c, text, at), 8);
            text[at++] = (char)(unsigned char)c;
            continue;
        }
        size_t length, back;
        get_piece(&r, &length, &back);
        if (back > at || length > n - at)
            return false;
        for (size_t end = at + length; at < end; at++) /* it may reach into itself */
            text[at] = text[at - back];
    }
    return !r.failed && !r.in.n && !r.code;
}
