/*
 * scan_keys.h - the keys of objects: their ways, and whether one is there twice. A part of scan.c,
 * which includes it after fail() and gap_before().
 *
 *     is_expected()  the usual one: as in the last object at this depth, byte for byte
 *     other_key()    any other; what follows it may be loose_key() or any_key()
 *     far_key()      near the end of the text, where 16 bytes are too many to read
 */
#ifndef CANDO_SCAN_KEYS_H
#define CANDO_SCAN_KEYS_H

#include "scan.h"

#define KEY_ROOM 512u

/* A key without its escapes. Of a long one `room` gets the first bytes and, over and
 * over behind them, the last ones: they are all that struct req_key wants of it. */
static struct req_key plain_key(const unsigned char *p, size_t n, unsigned char room[KEY_ROOM])
{
    size_t used = 0, length = 0, at = 0;
    while (at < n) {
        if (used + 4 > KEY_ROOM) {
            memmove(room + 8, room + used - 8, 8);
            used = 16;
        }
        unsigned step = (unsigned)utf8_put(scan_char(p, n, &at), (char *)room + used);
        used += step;
        length += step;
    }
    return length == used ? req_key(room, used)
                          : req_key_of(req_load(room, 8), req_load(room + used - 8, 8), length);
}

uint64_t scan_text_hash(const unsigned char *p, size_t n)
{
    unsigned char room[KEY_ROOM];
    return memchr(p, '\\', n) ? plain_key(p, n, room).hash : req_key(p, n).hash;
}

/* Are two keys (at their quotes) the same text? */
static bool same_key(const unsigned char *p, size_t n, size_t a, size_t b)
{
    for (a++, b++;;) {
        if (p[a] == '"' || p[b] == '"')
            return p[a] == p[b];
        if (scan_char(p, n, &a) != scan_char(p, n, &b))
            return false;
    }
}

/* The number of the innermost object; it gets one if it has none. Those that have one and are
 * open are kept in a list, from the outermost on, and known by their place; their numbers rise. */
static uint32_t enter_spilt(struct scan *s, const struct scan_frame *f)
{
    uint32_t depth = (uint32_t)(f - s->frame);
    if (!s->far_used) {
        memset(s->spilt, 0, sizeof s->spilt);
        s->far_used = true;
        s->n_far_open = 0;
    }
    const struct scan_far_open *last = NULL;
    for (; s->n_far_open; s->n_far_open--) { /* what has been closed since */
        last = &s->far_open[s->n_far_open - 1];
        if (last->depth <= depth && s->frame[last->depth].at == last->at)
            break;
    }
    if (s->n_far_open && last->depth == depth)
        return last->serial;
    s->far_open[s->n_far_open++] = (struct scan_far_open){++s->serial, depth, f->at};
    return s->serial;
}

static bool is_open_far(const struct scan *s, uint32_t serial)
{
    uint32_t low = 0, high = s->n_far_open;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (s->far_open[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->n_far_open && s->far_open[low].serial == serial;
}

/* Objects with many keys: a table that all of them share. A place whose object is
 * closed is free again; where eight neighbours are taken the key is not kept. */
static bool seen_far(struct scan *s, const struct scan_frame *f, uint64_t hash, uint32_t at)
{
    uint32_t serial = enter_spilt(s, f), hash_high = (uint32_t)(hash >> 32);
    uint32_t first = (uint32_t)(hash >> 54) + serial * 7;
    struct scan_spilt_key *put = NULL;
    for (unsigned i = 0; i < 8; i++) {
        struct scan_spilt_key *k = &s->spilt[(first + i) & (SCAN_KEYS_SPILT - 1)];
        if (k->serial == serial && k->hash_high == hash_high && same_key(s->x.p, s->x.n, k->at, at))
            return true;
        if (!put && !is_open_far(s, k->serial))
            put = k;
    }
    if (put)
        *put = (struct scan_spilt_key){hash_high, at, serial};
    return false;
}

/* The object goes another way than the last one at its depth did, or further. */
static inline void leave_shape(struct scan_frame *f)
{
    uint64_t bloom = 0;
    for (const struct scan_key *k = f->keys; k < f->next; k++)
        bloom |= UINT64_C(1) << (k->hash_high >> 26);
    f->bloom = bloom;
    f->end = f->next;
}

/* There is room for it. How many bytes there are up to its value is taken down when it is seen
 * again. */
static inline void keep_key(struct scan_frame *f, size_t at, uint64_t hash,
                            const struct snap_req_way *way)
{
    struct scan_key *k = f->end;
    f->bloom |= UINT64_C(1) << (hash >> 58);
    k->hash_high = (uint32_t)(hash >> 32);
    k->at = (uint32_t)at;
    k->bits = UINT32_MAX;
    k->way = way;
    k->others = ~(UINT64_C(1) << WAY_BIT(snap_le32(way->info)));
    f->need &= k->others;
    f->next = f->end = k + 1;
}

/* Has the object had this key already? If not, it has now. */
static bool seen_before(struct scan *s, struct scan_frame *f, uint64_t hash, uint32_t at,
                        const struct snap_req_way *way)
{
    if (f->bloom >> (hash >> 58) & 1)
        for (const struct scan_key *k = f->keys; k < f->end; k++)
            if (k->hash_high == hash >> 32 && same_key(s->x.p, s->x.n, k->at, at))
                return true;
    if (f->end == f->full) {
        f->bloom |= UINT64_C(1) << (hash >> 58);
        return seen_far(s, f, hash, at);
    }
    keep_key(f, at, hash, way);
    return false;
}

static const struct snap_req_way *star_of(const struct scan *s, const struct snap_req_node *n)
{
    return scan_way(s, snap_le32(n->star));
}

/* The way of a key from the node. */
static const struct snap_req_way *way_of(const struct scan *s, const struct snap_req_node *n,
                                         const struct req_key *k, const unsigned char *key)
{
    uint32_t places = snap_le32(n->places);
    for (size_t i = snap_le32(n->table) + req_key_place(k, places); places; i++) {
        const struct snap_req_way *w = scan_way(s, snap_req_place(s->tables, i));
        if (w->n == SNAP_NONE)
            break;
        if (scan_has_hash(w, k) &&
            (k->n <= 16 || memcmp(snap_str(s->t.s, snap_le32(w->key)).p, key, k->n) == 0))
            return w;
    }
    return star_of(s, n);
}

const struct snap_req_way *scan_way_of(const struct scan *s, const struct snap_req_node *n,
                                       struct str key)
{
    struct req_key k = req_key((const unsigned char *)key.p, key.n);
    return way_of(s, n, &k, (const unsigned char *)key.p);
}

/* The same for the usual key: it is known by its 16 bytes and its length. */
static inline const struct snap_req_way *quick_way(const struct scan *s,
                                                   const struct snap_req_node *n,
                                                   const struct req_key *k)
{
    uint32_t places = snap_le32(n->places);
    for (size_t i = snap_le32(n->table) + req_key_place(k, places); places; i++) {
        const struct snap_req_way *w = s->way + snap_req_place(s->tables, i);
        if (scan_has_hash(w, k))
            return w;
        if (w->n == SNAP_NONE)
            break;
    }
    return s->way + snap_le32(n->star);
}

static inline bool asks(const struct snap_req_way *way)
{
    return __builtin_expect((way->info & snap_le32(WAY_ASKS)) != 0, 0);
}

/* What stands for the way of a key where nobody looks. */
static const struct snap_req_way nobody;

/* The key at the mark, of n bytes, by its decoded text; if that is very long, it is one that nobody
 * asks for. Its way, or NULL: the object has it already. */
__attribute__((noinline)) static const struct snap_req_way *any_key(struct scan *s,
                                                                    struct scan_frame *f,
                                                                    const uint32_t *mark, size_t n)
{
    unsigned char room[KEY_ROOM];
    size_t at = mark[0];
    const unsigned char *text = s->x.p + at + 1;
    const struct snap_req_way *way = &nobody;
    struct req_key k = req_key(text, n);
    bool escaped = req_has_backslash(k.head) || req_has_backslash(k.tail);
    if (escaped || (n > 16 && memchr(text, '\\', n))) {
        k = plain_key(text, n, room);
        text = k.n + 4 <= KEY_ROOM ? room : NULL;
    }
    for (uint32_t i = 0; i < s->n_alias; i++)
        if (s->alias[i].at == at) {
            text = (const unsigned char *)s->alias[i].name.p;
            k = req_key(text, s->alias[i].name.n);
        }
    if (f->node) {
        way = text ? way_of(s, f->node, &k, text) : star_of(s, f->node);
        if (asks(way)) {
            scan_shape_ask(s, f, at);
            way = text ? way_of(s, f->node, &k, text) : star_of(s, f->node);
        }
        f->need &= ~(UINT64_C(1) << WAY_BIT(snap_le32(way->info)));
    }
    if (!seen_before(s, f, k.hash, mark[0], way))
        return way;
    fail(s, CODE_json_duplicate_key, at);
    return NULL;
}

/* The usual key: up to 16 bytes without escapes, which are head and tail of struct req_key. What
 * this calls, it calls last: it has no frame of its own. */
__attribute__((always_inline)) static inline const struct snap_req_way *short_key(
    struct scan *s, struct scan_frame *f, const uint32_t *mark, size_t n, uint64_t head,
    uint64_t tail)
{
    struct req_key k = req_key_of(head, tail, n);
    const struct snap_req_way *way = &nobody;
    if (__builtin_expect(f->bloom >> (k.hash >> 58) & 1, 0))
        return any_key(s, f, mark, n);
    if (__builtin_expect(f->end == f->full, 0))
        return any_key(s, f, mark, n);
    if (f->node)
        way = quick_way(s, f->node, &k);
    if (asks(way))
        return any_key(s, f, mark, n);
    keep_key(f, mark[0], k.hash, way);
    return way;
}

/* A key of n bytes that the last object at this depth did not have here. There are 16 bytes to
 * read, or more. */
__attribute__((always_inline)) static inline const struct snap_req_way *new_key(
    struct scan *s, struct scan_frame *f, const uint32_t *mark, size_t n)
{
    uint64_t head, tail;
    if (!f->bloom)
        leave_shape(f);
    if (__builtin_expect(n > 16, 0))
        return any_key(s, f, mark, n);
    if (__builtin_expect(!scan_short(s->x.p + mark[0] + 1, n, &head, &tail), 0))
        return any_key(s, f, mark, n);
    return short_key(s, f, mark, n, head, tail);
}

/* The same near the end of the text, where there are fewer, or where short keys need a closer
 * look as well. Behind a key there are at least four more bytes, so that it has less than 12. */
static const struct snap_req_way *last_key(struct scan *s, struct scan_frame *f,
                                           const uint32_t *mark, size_t n)
{
    const unsigned char *text = s->x.p + mark[0] + 1;
    size_t left = s->x.n - mark[0] - 1;
    if (!f->bloom)
        leave_shape(f);
    if (s->short_keys && left >= 16)
        return new_key(s, f, mark, n);
    if (!s->short_keys || left <= 8)
        return any_key(s, f, mark, n);
    uint64_t head = req_load(text, 8), tail = req_load(text + left - 8, 8) >> 8 * (16 - left);
    head &= n < 8 ? (UINT64_C(1) << 8 * n) - 1 : UINT64_MAX;
    tail &= n > 8 ? (UINT64_C(1) << 8 * (n - 8)) - 1 : 0;
    if (req_has_backslash(head) || req_has_backslash(tail))
        return any_key(s, f, mark, n);
    return short_key(s, f, mark, n, head, tail);
}

/* Is the text of n bytes up to a quote the same at both places? 16 bytes can be read. */
static inline bool same_text(const unsigned char *a, const unsigned char *b, size_t n)
{
#if defined(__SSE2__)
    if (__builtin_expect(n < 16, 1)) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)a);
        __m128i y = _mm_loadu_si128((const __m128i *)(const void *)b);
        unsigned other = ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
        return (unsigned)__builtin_ctz(other) > (unsigned)n;
    }
#elif defined(__wasm_simd128__)
    if (__builtin_expect(n < 16, 1)) {
        unsigned other = ~wasm_i8x16_bitmask(wasm_i8x16_eq(wasm_v128_load(a), wasm_v128_load(b)));
        return (unsigned)__builtin_ctz(other) > (unsigned)n;
    }
#endif
    return memcmp(a, b, n + 1) == 0;
}

/* Is the key at `at` the one that is expected, and all up to its value as it was? No more than that
 * is to be checked then. 16 bytes can be read. */
static inline bool is_expected(const struct scan_key *k, const unsigned char *p, size_t at,
                               size_t next)
{
#if defined(__SSE2__)
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + at));
    __m128i y = _mm_loadu_si128((const __m128i *)(const void *)(p + k->at));
    unsigned other = ~(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, y));
    return !(other & k->bits) && next - at == k->span;
#elif defined(__wasm_simd128__)
    v128_t x = wasm_v128_load(p + at), y = wasm_v128_load(p + k->at);
    unsigned other = ~(unsigned)wasm_i8x16_bitmask(wasm_i8x16_eq(x, y));
    return !(other & k->bits) && next - at == k->span;
#else
    return k->bits < UINT32_MAX && next - at == k->span && memcmp(p + at, p + k->at, k->span) == 0;
#endif
}

/* Bytes of the key at `at` whose value's mark is `next`; SIZE_MAX if there is anything but a
 * colon and spaces between the two. */
static inline size_t key_bytes(const unsigned char *p, size_t at, size_t next)
{
    if (pair_at(p + next - 2) == PAIR('"', ':'))
        return next - at - 3;
    struct gap gap = gap_before(p, next);
    return gap.between == ':' && p[gap.end - 1] == '"' ? gap.end - at - 2 : SIZE_MAX;
}

/* The key is the next one of the last object at this depth: from now on it is known by all bytes
 * up to its value. */
static inline const struct snap_req_way *same_key_again(struct scan_frame *f, const uint32_t *mark)
{
    struct scan_key *k = f->next;
    k->at = mark[0];
    k->span = mark[1] - mark[0];
    k->bits = k->span < 32 ? (UINT32_C(1) << k->span) - 1 : UINT32_MAX;
    f->next = k + 1;
    f->need &= k->others;
    return k->way;
}

static const struct snap_req_way *no_key(struct scan *s)
{
    fail(s, CODE_json_syntax, 0);
    return NULL;
}

/* A key that is long, or has spaces behind it, if it is one. */
__attribute__((noinline)) static const struct snap_req_way *loose_key(struct scan *s,
                                                                      struct scan_frame *f,
                                                                      const uint32_t *mark)
{
    const unsigned char *p = s->x.p;
    size_t at = mark[0], n = key_bytes(p, at, mark[1]);
    if (p[at] != '"' || n == SIZE_MAX)
        return no_key(s);
    if (f->next < f->end && same_text(p + at + 1, p + f->next->at + 1, n))
        return same_key_again(f, mark);
    return new_key(s, f, mark, n);
}

/* The key at the mark, which is not as it was expected, up to its value: its way. NULL: the text is
 * broken. */
__attribute__((always_inline)) static inline const struct snap_req_way *other_key(
    struct scan *s, struct scan_frame *f, const uint32_t *mark)
{
    const unsigned char *p = s->x.p;
    size_t at = mark[0], next = mark[1], n = next - at - 3;
    if (__builtin_expect(p[at] != '"' || pair_at(p + next - 2) != PAIR('"', ':') || n >= 16, 0))
        return loose_key(s, f, mark);
    if (f->next < f->end && same_text(p + at + 1, p + f->next->at + 1, n))
        return same_key_again(f, mark);
    return new_key(s, f, mark, n);
}

/* The same for one that is beyond s->safe, but before s->last. */
__attribute__((noinline)) static const struct snap_req_way *far_key(struct scan *s,
                                                                    struct scan_frame *f,
                                                                    const uint32_t *mark)
{
    size_t n = key_bytes(s->x.p, mark[0], mark[1]);
    if (s->x.p[mark[0]] != '"' || n == SIZE_MAX)
        return no_key(s);
    return last_key(s, f, mark, n);
}

#endif
