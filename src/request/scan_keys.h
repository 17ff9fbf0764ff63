/*
 * scan_keys.h - the keys of objects: their ways, and whether one is there twice. A part of scan.c,
 * which includes it after fail(), gap_before(), is_quiet(), is_unwatched() and watch_at().
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
    scan_end_keys(f, f->next);
}

/* What is to be done about a string that stands at the end of a way. */
static inline enum scan_string string_kind(uint32_t info, const struct cando_watch *w)
{
    if (is_quiet(info, REQ_STRING))
        return STRING_QUIET;
    if ((w->actions & WATCH_WORDS) || ((info & WAY_CHOOSES) && !(w->actions & WATCH_EACH)))
        return STRING_WORD;
    if ((info & (REQ_STRING | WAY_TESTS)) != REQ_STRING)
        return is_unwatched(w) ? STRING_TYPED : STRING_OTHER;
    if (w->subject != WATCH_NO_SUBJECT)
        return STRING_OTHER;
    if (w->asks & REQ_STRING)
        return STRING_OTHER;
    return w->actions & WATCH_TEXT ? STRING_TEXT : STRING_HITS;
}

/* The first value on a way, in an object or array that is `node` so far. */
static inline void begin_step(struct scan_step *step, const struct snap_req_way *way,
                              const struct snap_req_node *node)
{
    step->of = node;
    step->way = way;
    step->others = ~(UINT64_C(1) << WAY_BIT(snap_le32(way->info)));
    step->string = STRING_NEW;
    step->literal = 0;
    step->type = NULL;
}

/* See struct scan_word. */
static inline uint64_t word_where(const struct scan *s, const struct scan_step *step)
{
    if (step->way->info & snap_le32(WAY_CHOOSES))
        return (size_t)((const unsigned char *)step->of - s->nodes) | WORD_CHOOSES;
    return scan_way_number(s, step->way) + UINT64_C(1);
}

/* All that there is to know of a step. */
static void make_step(const struct scan *s, struct scan_step *step)
{
    uint32_t info = snap_le32(step->way->info);
    const struct cando_watch *w = watch_at(s, info);
    step->mask = (uint64_t)((w->kinds & REQ_STRING) != 0) << (w->bit % 64);
    step->home = w->bit / 64 % REQ_MAX_WORDS;
    step->string = string_kind(info, w);
    step->where = word_where(s, step);
    step->word = s->word;
    if (step->string >= STRING_TYPED)
        scan_shape_step(s, step);
}

/* From now on the key is known by all bytes up to its value, if there is room for them. */
static inline void know_key(const struct scan *s, struct scan_key *k, const uint32_t *mark)
{
    const unsigned char *text = s->x.p + mark[0];
    size_t span = mark[1] - mark[0], left = s->x.n - mark[0];
    k->at = mark[0];
    k->bits = UINT32_MAX;
    k->span = 0;
    if (span > SCAN_KEY_TEXT)
        return;
    if (left >= SCAN_KEY_TEXT)
        memcpy(k->text, text, SCAN_KEY_TEXT);
    else
        memcpy(k->text, text, span);
    k->span = (uint32_t)span;
    k->bits = UINT32_MAX >> (32 - span);
}

/* There is room for it. */
static inline struct scan_step *keep_key(struct scan *s, struct scan_frame *f, const uint32_t *mark,
                                         uint64_t hash, const struct snap_req_way *way)
{
    struct scan_key *k = f->end;
    f->bloom |= UINT64_C(1) << (hash >> 58);
    k->hash_high = (uint32_t)(hash >> 32);
    k->id = ++s->n_keys;
    know_key(s, k, mark);
    f->next = k + 1;
    f->flat = true;
    scan_end_keys(f, k + 1);
    if (f->node) {
        begin_step(&k->step, way, f->node);
        f->need &= k->step.others;
    }
    return &k->step;
}

/* Has the object had this key already? NULL, then. If not, it has now. */
__attribute__((noinline)) static struct scan_step *put_key(struct scan *s, struct scan_frame *f,
                                                           const uint32_t *mark, uint64_t hash,
                                                           const struct snap_req_way *way)
{
    if (f->bloom >> (hash >> 58) & 1)
        for (const struct scan_key *k = f->keys; k < f->end; k++)
            if (k->hash_high == hash >> 32 && same_key(s->x.p, s->x.n, k->at, mark[0]))
                return NULL;
    if (f->end < f->full)
        return keep_key(s, f, mark, hash, way);
    f->bloom |= UINT64_C(1) << (hash >> 58);
    if (seen_far(s, f, hash, mark[0]))
        return NULL;
    if (f->node) {
        begin_step(&s->step, way, f->node);
        f->need &= s->step.others;
    }
    return &s->step;
}

static const struct snap_req_way *star_of(const struct scan *s, const struct snap_req_node *n)
{
    return scan_way(s, snap_le32(n->star));
}

/* The way of a key from the node. */
__attribute__((noinline)) static const struct snap_req_way *way_of(const struct scan *s,
                                                                   const struct snap_req_node *n,
                                                                   const struct req_key *k,
                                                                   const unsigned char *key)
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

/* A key that nobody expected. What is expected was looked at when it was put where it is. */
static inline void note_key(struct scan *s, const uint32_t *mark)
{
    s->dollars |= s->x.p[mark[0] + 1] == '$';
}

/* The key at the mark, of n bytes, by its decoded text; if that is very long, it is one that nobody
 * asks for. NULL: the object has it already. */
__attribute__((noinline)) static struct scan_step *any_key(struct scan *s, struct scan_frame *f,
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
    }
    struct scan_step *step = put_key(s, f, mark, k.hash, way);
    if (!step)
        fail(s, CODE_json_duplicate_key, at);
    return step;
}

/* The usual key: up to 16 bytes without escapes, which are head and tail of struct req_key. What
 * this calls, it calls last: it has no frame of its own. */
__attribute__((always_inline)) static inline struct scan_step *short_key(struct scan *s,
                                                                         struct scan_frame *f,
                                                                         const uint32_t *mark,
                                                                         size_t n, uint64_t head,
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
    return keep_key(s, f, mark, k.hash, way);
}

/* A key of n bytes that the last object at this depth did not have here. There are 16 bytes to
 * read, or more. */
__attribute__((noinline)) static struct scan_step *new_key(struct scan *s, struct scan_frame *f,
                                                           const uint32_t *mark, size_t n)
{
    uint64_t head, tail;
    note_key(s, mark);
    if (!f->bloom)
        leave_shape(f);
    if (__builtin_expect(n > 16, 0))
        return any_key(s, f, mark, n);
    if (__builtin_expect(!scan_short(s->x.p + mark[0] + 1, n, &head, &tail), 0))
        return any_key(s, f, mark, n);
    return short_key(s, f, mark, n, head, tail);
}

/* The same near the end of the text, where there are fewer, or where short keys need a closer
 * look as well. */
static struct scan_step *last_key(struct scan *s, struct scan_frame *f, const uint32_t *mark,
                                  size_t n)
{
    if (s->short_keys && s->x.n - mark[0] > 16)
        return new_key(s, f, mark, n);
    note_key(s, mark);
    if (!f->bloom)
        leave_shape(f);
    return any_key(s, f, mark, n);
}

/* Is the key at `at` the one that is expected, and all up to its value as it was? No more than that
 * is to be checked then. 16 bytes can be read. A long one is said not to be. */
static inline bool is_expected(const struct scan_key *k, const unsigned char *p, uint32_t at,
                               uint32_t next)
{
#if defined(__SSE2__)
    __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + at));
    x = _mm_cmpeq_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)k->text));
    unsigned other = ~(unsigned)_mm_movemask_epi8(x);
    return !(other & k->bits) && at + k->span == next;
#elif defined(__wasm_simd128__)
    v128_t x = wasm_v128_load(p + at), y = wasm_v128_load(k->text);
    unsigned other = ~(unsigned)wasm_i8x16_bitmask(wasm_i8x16_eq(x, y));
    return !(other & k->bits) && at + k->span == next;
#else
    return k->span && at + k->span == next && memcmp(p + at, k->text, k->span) == 0;
#endif
}

/* The same for one that is longer than that. */
static inline bool is_expected_long(const struct scan_key *k, const unsigned char *p, uint32_t at,
                                    uint32_t next)
{
    size_t n = k->span;
    if (n <= 16 || at + n != next)
        return false;
#if defined(__SSE2__)
    const void *a = p + at, *b = k->text, *a_end = p + next - 16, *b_end = k->text + n - 16;
    __m128i x = _mm_cmpeq_epi8(_mm_loadu_si128(a), _mm_loadu_si128(b));
    __m128i y = _mm_cmpeq_epi8(_mm_loadu_si128(a_end), _mm_loadu_si128(b_end));
    return _mm_movemask_epi8(_mm_and_si128(x, y)) == 0xffff;
#else
    return memcmp(p + at, k->text, n) == 0;
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

static inline struct scan_turn *turn_at(struct scan *s, const struct scan_key *k,
                                        const struct snap_req_node *node)
{
    return &s->turn[(k->id ^ (uintptr_t)node / sizeof *node) % SCAN_TURNS];
}

/* The step of a key in an object that was decided to be `node`, if it is known. */
static inline struct scan_step *step_of(struct scan *s, struct scan_key *k,
                                        const struct snap_req_node *node)
{
    if (__builtin_expect(k->step.of == node, 1))
        return &k->step;
    struct scan_turn *turn = turn_at(s, k, node);
    return turn->key == k->id && turn->step.of == node ? &turn->step : NULL;
}

/* The same, once it is looked for. NULL: what the object is must be asked for first. */
__attribute__((noinline)) static struct scan_step *find_step(struct scan *s,
                                                             const struct scan_key *k,
                                                             const struct snap_req_node *node)
{
    struct scan_turn *turn = turn_at(s, k, node);
    const unsigned char *text = k->text + 1;
    unsigned char room[KEY_ROOM];
    size_t n = 0;
    while (text[n] != '"')
        n += text[n] == '\\' ? 2 : 1;
    struct req_key key = req_key(text, n);
    if (memchr(text, '\\', n)) {
        key = plain_key(text, n, room);
        text = room;
    }
    const struct snap_req_way *way = way_of(s, node, &key, text);
    if (asks(way))
        return NULL;
    turn->key = k->id;
    begin_step(&turn->step, way, node);
    return &turn->step;
}

/* The key at `at` is the next one by all its bytes. NULL: it is not to be taken for it. */
static inline struct scan_step *take_key(struct scan *s, struct scan_frame *f, size_t at)
{
    struct scan_key *k = f->next;
    struct scan_step *step = step_of(s, k, f->node);
    if (__builtin_expect(!step, 0))
        step = f->node ? find_step(s, k, f->node) : &k->step;
    if (__builtin_expect(!step, 0))
        return NULL;
    f->need &= step->others;
    k->at = (uint32_t)at;
    f->next = k + 1;
    return step;
}

static struct scan_step *no_key(struct scan *s)
{
    fail(s, CODE_json_syntax, 0);
    return NULL;
}

/* Is the key of n bytes the one that is expected, whatever is behind it? */
static inline bool is_same_key(const struct scan_frame *f, const unsigned char *p, size_t at,
                               size_t n)
{
    const struct scan_key *k = f->next;
    return n + 2 < k->span && memcmp(p + at, k->text, n + 2) == 0;
}

/* A key that is long, or has spaces behind it, if it is one. */
__attribute__((noinline)) static struct scan_step *loose_key(struct scan *s, struct scan_frame *f,
                                                             const uint32_t *mark)
{
    const unsigned char *p = s->x.p;
    size_t at = mark[0], next = mark[1];
    struct scan_key *k = f->next;
    struct scan_step *step = NULL;
    if (k->span == next - at && memcmp(p + at, k->text, k->span) == 0)
        step = take_key(s, f, at);
    if (step)
        return step;
    size_t n = key_bytes(p, at, next);
    if (p[at] != '"' || n == SIZE_MAX)
        return no_key(s);
    if (is_same_key(f, p, at, n) && next - at <= SCAN_KEY_TEXT) {
        know_key(s, k, mark);
        step = take_key(s, f, at);
    }
    return step ? step : new_key(s, f, mark, n);
}

/* The key at the mark, which is not as it was expected, up to its value. NULL: the text is
 * broken. */
__attribute__((noinline)) static struct scan_step *other_key(struct scan *s, struct scan_frame *f,
                                                             const uint32_t *mark)
{
    const unsigned char *p = s->x.p;
    size_t at = mark[0], next = mark[1], n = next - at - 3;
    if (__builtin_expect(p[at] != '"' || pair_at(p + next - 2) != PAIR('"', ':') || n > 13, 0))
        return loose_key(s, f, mark);
    if (__builtin_expect(is_same_key(f, p, at, n), 0))
        return loose_key(s, f, mark);
    return new_key(s, f, mark, n);
}

/* The same for one that is beyond s->safe, but before s->last. */
__attribute__((noinline)) static struct scan_step *far_key(struct scan *s, struct scan_frame *f,
                                                           const uint32_t *mark)
{
    const unsigned char *p = s->x.p;
    size_t at = mark[0], next = mark[1];
    const struct scan_key *k = f->next;
    struct scan_step *step = NULL;
    if (s->short_keys && k->span == next - at && memcmp(p + at, k->text, k->span) == 0)
        step = take_key(s, f, at);
    if (step)
        return step;
    size_t n = key_bytes(p, at, next);
    if (p[at] != '"' || n == SIZE_MAX)
        return no_key(s);
    return last_key(s, f, mark, n);
}

#endif
