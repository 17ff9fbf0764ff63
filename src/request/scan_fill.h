/*
 * scan_fill.h - the frame of the index makers; included by each of them.
 *
 * The including file defines FILL_TARGET, an attribute that all functions here get, FILL_INLINE,
 * which makes a function with it a part of its caller, and
 *
 *     struct scan_text read_text(const unsigned char *p)  64 bytes to bit masks
 *     struct scan_outside read_outside(const unsigned char *p)
 *     uint64_t control_bits(const unsigned char *p)      which of the 64 are control characters
 *     uint64_t prefix_xor(uint64_t bits)                 parity of the bits up to each
 *     uint64_t escape_bits(const unsigned char *p, uint64_t escaped)
 *                                                        which of the bytes behind a backslash need
 * no further look; may leave out some that do not either uint32_t *put_marks(uint32_t *out,
 * uint64_t bits, uint32_t base) base + the number of each bit; may write beyond the new end, up to
 * 64 numbers behind the old one size_t skip_plain(const unsigned char *p, size_t n)  bytes from p
 * on that are plain text inside of a string, in steps of 64 bool check_wide(struct scan_index *x,
 * size_t at, const unsigned char *p, size_t left) UTF-8 of a block that may have bytes beyond ASCII
 *
 * and, if it also defines FILL_REST,
 *
 *     void read_rest(unsigned char last[64], const unsigned char *p, size_t n)
 *                                                        n bytes, less than 64, and spaces behind
 * them
 *
 * What goes from block to block is kept in local variables, which stay in
 * registers; the index itself is touched at the ends of a window.
 */
#ifndef FILL_TARGET
#error "define FILL_TARGET, FILL_INLINE and the eight functions before"
#endif

#define FILL_QUIET                                                                                 \
    6u /* after so many blocks without quote and escape a string is worth running through */

/* Bytes behind an odd run of backslashes: they are escaped. Adding the first bit of
 * a run to the run carries to the bit behind it; whether the run's length is odd
 * shows in that its two ends lie on places of different parity. `carry` says that
 * the first byte is escaped by the block before, and becomes the same for the next:
 * a run that begins on an odd place and ends with the block has an odd length. */
FILL_INLINE uint64_t find_escaped(uint64_t backslash, uint64_t *carry)
{
    const uint64_t even = UINT64_C(0x5555555555555555);
    uint64_t run = backslash & ~*carry, start = run & ~(run << 1), sum;
    uint64_t from_even = run + (start & even);
    bool out = __builtin_add_overflow(run, start & ~even, &sum);
    uint64_t escaped = (((from_even & ~even) | (sum & even)) & ~run) | *carry;
    *carry = out;
    return escaped;
}

/* Escapes that need a closer look: \u, and what is none. */
FILL_TARGET __attribute__((noinline)) static void check_escapes(struct scan_index *x, uint64_t bits,
                                                                size_t at)
{
    for (; bits; bits &= bits - 1)
        if (!scan_escape(x, at + (size_t)__builtin_ctzll(bits) - 1))
            x->bad = true;
}

/* What goes from block to block. */
struct fill {
    uint64_t in_string, before, carry;
    unsigned quiet; /* blocks up to here that were nothing but text, without an escape */
};

/* A block with control characters, or with bytes beyond ASCII: is it in order? */
FILL_INLINE void check_special(struct scan_index *x, const unsigned char *block, size_t at,
                               size_t left, uint64_t inside)
{
    if (control_bits(block) & inside)
        x->bad = true;
    else if (!check_wide(x, at, block, left))
        x->bad = true;
}

/* The marks of a block of 64 bytes, of which the first `seen` were looked at already.
 * What follows them stands at `at` of the text, and the text has `left` more bytes. */
FILL_INLINE uint32_t *fill_block(struct scan_index *x, struct fill *f, const unsigned char *block,
                                 unsigned seen, size_t at, size_t left, uint32_t *out)
{
    struct scan_text m = read_text(block);
    m.quote >>= seen;
    m.backslash >>= seen;
    uint64_t quote = m.quote;
    if (m.backslash | f->carry) {
        uint64_t escaped = m.backslash << 1 | f->carry;
        if (__builtin_expect((m.backslash & escaped) != 0, 0))
            escaped = find_escaped(m.backslash, &f->carry);
        else /* each of them stands alone */
            f->carry = m.backslash >> 63;
        uint64_t simple = m.quote | m.backslash | escape_bits(block, escaped << seen) >> seen;
        quote &= ~escaped;
        x->escapes += (unsigned)__builtin_popcountll(m.backslash);
        if (__builtin_expect((escaped & ~simple) != 0, 0))
            check_escapes(x, escaped & ~simple, at);
    }
    if (!quote && f->in_string) { /* text from end to end */
        f->quiet = m.backslash ? 0 : f->quiet + 1;
        if (__builtin_expect((m.special | x->pending) != 0, 0))
            check_special(x, block, at, left, ~UINT64_C(0));
        return out;
    }
    f->quiet = 0;
    struct scan_outside o = read_outside(block);
    o.bracket >>= seen;
    o.scalar >>= seen;
    uint64_t inside = prefix_xor(quote) ^ f->in_string;
    uint64_t tail = inside ^ quote; /* a string's text and its closing quote */
    uint64_t plain = o.scalar & ~quote;
    uint64_t follows = plain << 1 | f->before;
    if (__builtin_expect((m.special | x->pending) != 0, 0))
        check_special(x, block, at, left, inside);
    f->before = plain >> 63;
    f->in_string = (uint64_t)((int64_t)inside >> 63);
    return put_marks(out, (o.bracket | (o.scalar & ~follows)) & ~tail, (uint32_t)at);
}

/* The rest of the text, less than a block. Where it cannot be read as a block that ends in spaces,
 * its bytes end the last 64 of the text; they are copied into a block where there are no 64, or
 * where these are to be looked at one by one. */
FILL_TARGET static uint32_t *fill_rest(struct scan_index *x, struct fill *f, size_t at,
                                       uint32_t *out)
{
    size_t left = x->n - at;
    unsigned char last[64];
#if defined(FILL_REST)
    read_rest(last, x->p + at, left);
#else
    const unsigned char *block = x->n >= 64 ? x->p + x->n - 64 : NULL;
    if (block && !x->pending && !read_text(block).special)
        return fill_block(x, f, block, (unsigned)(64 - left), at, left, out);
    memset(last, ' ', sizeof last);
    memcpy(last, x->p + at, left);
#endif
    return fill_block(x, f, last, 0, at, left, out);
}

FILL_INLINE void fill(struct scan_index *x)
{
    const uint32_t *full = x->pos + SCAN_POSITIONS - 64;
    struct fill f = {x->in_string, x->scalar, x->escaped, 0};
    uint32_t *out = x->pos + x->n_pos;
    size_t at = x->at, blocks_end = x->n & ~(size_t)63;
    while (out <= full && at < blocks_end) {
        out = fill_block(x, &f, x->p + at, 0, at, 64, out);
        at += 64;
        if (f.quiet >= FILL_QUIET && !x->pending)
            at += skip_plain(x->p + at, x->n - at);
    }
    if (out <= full) { /* what is left is less than a block, or nothing */
        if (x->n > at)
            out = fill_rest(x, &f, at, out);
        at = x->n;
        if (f.in_string || f.carry || x->pending)
            x->bad = true;
        x->ended = true;
        for (unsigned i = 0; i < SCAN_ENDS; i++)
            *out++ = (uint32_t)at;
    }
    x->in_string = f.in_string;
    x->scalar = f.before;
    x->escaped = f.carry;
    x->n_pos = (uint32_t)(out - x->pos);
    x->at = at;
}
