/*
 * scan_fill.h - the frame of the three index makers; included by each of them.
 *
 * The including file defines, all with the attribute FILL_TARGET:
 *
 *     struct masks read_block(const unsigned char *p)    64 bytes to bit masks
 *     uint64_t prefix_xor(uint64_t bits)                 parity of the bits up to each
 *     uint32_t *put_marks(uint32_t *out, uint64_t bits, uint32_t base)
 *                                                        base + the number of each bit; may write beyond
 *                                                        the new end, up to 64 numbers behind the old one
 *     size_t skip_plain(const unsigned char *p, size_t n)  bytes from p on that are plain
 *                                                        text inside of a string, in steps of 64
 *     bool check_wide(struct scan_index *x, size_t at, const unsigned char *p, size_t left)
 *                                                        UTF-8 of a block with bytes beyond ASCII
 *
 * What goes from block to block is kept in local variables, which stay in
 * registers; the index itself is touched at the ends of a window.
 */
#ifndef FILL_TARGET
#error "define FILL_TARGET and the five functions before"
#endif

#define FILL_QUIET 2u /* after so many blocks without a quote a string is worth running through */

/* Bytes behind an odd run of backslashes; validates each escape on the way.
 * x->escaped tells whether the next block's first byte is one of them. */
FILL_TARGET __attribute__((noinline)) static uint64_t find_escaped(struct scan_index *x, uint64_t backslash, uint64_t escaped, size_t at)
{
    backslash &= ~escaped;
    x->escaped = 0;
    while (backslash) {
        unsigned k = (unsigned)__builtin_ctzll(backslash);
        if (at + k + 1 >= x->n || !scan_simple_escape[x->p[at + k + 1]])
            x->bad |= !scan_escape(x, at + k);
        x->escapes++;
        if (k == 63) {
            x->escaped = 1;
            break;
        }
        escaped |= UINT64_C(2) << k;
        backslash &= ~(UINT64_C(3) << k);
    }
    return escaped;
}

FILL_TARGET __attribute__((always_inline)) static inline void fill(struct scan_index *x)
{
    const uint32_t *full = x->pos + SCAN_POSITIONS - 64;
    const unsigned char *p = x->p;
    uint64_t in_string = x->in_string, before = x->scalar;
    uint32_t *out = x->pos + x->n_pos;
    size_t at = x->at, n = x->n;
    unsigned quiet = 0;
    unsigned char last[64];
    while (out <= full && !x->bad && !x->ended) {
        if (quiet >= FILL_QUIET && in_string && !x->escaped && !x->pending)
            at += skip_plain(p + at, n - at);
        const unsigned char *block = p + at;
        size_t left = 64;
        if (__builtin_expect(n - at < 64, 0)) {
            left = n - at;
            memset(last, ' ', sizeof last);
            memcpy(last, p + at, left);
            block = last;
            x->ended = true;
        }
        struct masks m = read_block(block);
        if (__builtin_expect(m.wide || x->pending, 0) && !check_wide(x, at, block, left))
            x->bad = true;
        uint64_t quote = m.quote;
        if (m.backslash | x->escaped)
            quote &= ~find_escaped(x, m.backslash, x->escaped, at);
        uint64_t inside = prefix_xor(quote) ^ in_string;
        uint64_t tail = inside ^ quote; /* a string's text and its closing quote */
        uint64_t scalar = ~(m.op | m.space);
        uint64_t plain = scalar & ~quote;
        uint64_t follows = plain << 1 | before;
        if (__builtin_expect(m.control & inside, 0))
            x->bad = true;
        before = plain >> 63;
        in_string = (uint64_t)((int64_t)inside >> 63);
        quiet = quote ? 0 : quiet + 1;
        out = put_marks(out, (m.op | (scalar & ~follows)) & ~tail, (uint32_t)at);
        at += left;
    }
    if (x->ended) {
        if (in_string || x->escaped || x->pending)
            x->bad = true;
        for (unsigned i = 0; i < SCAN_AHEAD + 2; i++)
            *out++ = (uint32_t)n;
    }
    x->in_string = in_string;
    x->scalar = before;
    x->n_pos = (uint32_t)(out - x->pos);
    x->at = at;
}
