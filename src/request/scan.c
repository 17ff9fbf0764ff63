/*
 * scan.c - the grammar of JSON over a list of marks, and the walk down the trie.
 *
 * Between two marks of the list there is nothing but a string's text, the rest
 * of a number or word, separators and white space, so that the grammar looks at
 * the byte of each mark and at the one or two before it: what is before the next
 * mark ends this value. Where nobody looks inside (the node is NULL) that is all that happens;
 * where somebody does, keys are looked up by their fingerprint, and values that more is to be
 * said of than their kind are handed to watch.c and scan_shape.c when they end.
 */
#include "scan.h"

/* The next marks, from `mark` on. Up to s->last a mark is one of the text's, and one
 * more can be looked at; before s->safe that one is the text's as well, and a key's
 * 16 bytes can be read, have it as many or not. NULL if there is no mark any more, or
 * the text is bad. */
__attribute__((noinline)) static const uint32_t *refill(struct scan *s, const uint32_t *mark)
{
    struct scan_index *x = &s->x;
    if (x->ended) /* all are there */
        return mark <= s->last ? mark : NULL;
    uint32_t left = (uint32_t)(x->pos + x->n_pos - mark);
    if (left)
        memmove(x->pos, mark, left * sizeof *x->pos);
    x->n_pos = left;
    s->refill(x);
    s->last = x->pos + x->n_pos - (x->ended ? SCAN_ENDS + 1 : SCAN_AHEAD);
    if (x->bad || x->pos > s->last)
        return NULL;
    s->safe = s->short_keys ? s->last : x->pos;
    while (s->safe > x->pos && s->safe[-1] + SCAN_KEY_ROOM > x->n)
        s->safe--;
    return x->pos;
}

static inline bool is_space(unsigned char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* The byte behind the last one before `next` that is no white space. There is one. */
static size_t back_over_space(const unsigned char *p, size_t next)
{
    const uint64_t spaces = UINT64_C(0x2020202020202020);
    while (next >= 8 && req_load(p + next - 8, 8) == spaces)
        next -= 8;
    while (is_space(p[next - 1]))
        next--;
    return next;
}

/* Where the value ends whose next mark is `next`, and which separator stands
 * between, 0 for none. If there are two, the end is behind the first of them and
 * is no end of the value: it is for the caller to see that. */
struct gap {
    size_t end;
    unsigned between;
};

__attribute__((noinline)) static struct gap gap_before(const unsigned char *p, size_t next)
{
    next = back_over_space(p, next);
    unsigned char c = p[next - 1];
    if (c == ',' || c == ':')
        return (struct gap){back_over_space(p, next - 1), c};
    return (struct gap){next, 0};
}

static bool fail(struct scan *s, enum code code, size_t at)
{
    s->error = code;
    s->error_at = at;
    return false;
}

/* -- numbers and words -------------------------------------------------------------- */

static inline const unsigned char *digits(const unsigned char *p, const unsigned char *end)
{
    while (p < end && (unsigned)*p - '0' < 10)
        p++;
    return p;
}

/* Are the n bytes at p a number? They are not none. */
static inline bool is_number(const unsigned char *p, size_t n)
{
    const unsigned char *end = p + n, *from = p + (*p == '-');
    p = digits(from, end);
    if (p == from || (*from == '0' && p - from > 1))
        return false;
    if (p < end && *p == '.') {
        from = p + 1;
        p = digits(from, end);
        if (p == from)
            return false;
    }
    if (p < end && (*p | 0x20) == 'e') {
        p++;
        from = p + (p < end && (*p == '+' || *p == '-'));
        p = digits(from, end);
        if (p == from)
            return false;
    }
    return p == end;
}

/* Most numbers are a few digits, and a point perhaps: s->digits by ten to the s->places
 * then. False if it is no such number. */
static inline bool is_short_number(struct scan *s, const unsigned char *p, size_t n)
{
    uint32_t v = 0;
    size_t point = 0;
    s->places = -1;
    if (n > 9)
        return false;
    for (size_t i = 0; i < n; i++) {
        unsigned d = (unsigned)p[i] - '0';
        if (d < 10)
            v = v * 10 + d;
        else if (p[i] == '.' && !point && i && i + 1 < n)
            point = i;
        else
            return false;
    }
    if (p[0] == '0' && n > 1 && point != 1)
        return false;
    s->digits = v;
    s->places = point ? (int)(n - point - 1) : 0;
    return true;
}

/* The kind of a value that is neither string nor container; 0 if it is none. */
static unsigned scalar_kind(struct scan *s, const unsigned char *p, size_t n)
{
    switch (*p) {
    case 't':
        return n == 4 && memcmp(p, "true", 4) == 0 ? REQ_TRUE : 0;
    case 'f':
        return n == 5 && memcmp(p, "false", 5) == 0 ? REQ_FALSE : 0;
    case 'n':
        return n == 4 && memcmp(p, "null", 4) == 0 ? REQ_NULL : 0;
    default:
        return is_short_number(s, p, n) || is_number(p, n) ? REQ_NUMBER : 0;
    }
}

/* -- keys ------------------------------------------------------------------------------ */

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

/* There is room for it; its node is yet to be said. */
static inline struct scan_key *keep_key(struct scan_frame *f, size_t at, uint64_t hash)
{
    struct scan_key *k = f->end;
    f->bloom |= UINT64_C(1) << (hash >> 58);
    k->at = (uint32_t)at;
    k->hash_high = (uint32_t)(hash >> 32);
    f->next = f->end = k + 1;
    return k;
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
    keep_key(f, at, hash)->way = way;
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
    uint32_t mask = snap_le32(n->mask), first = snap_le32(n->ways);
    for (uint32_t i = req_key_place(k, mask + 1); mask; i = (i + 1) & mask) {
        const struct snap_req_way *w = scan_way(s, first + (size_t)i);
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
    uint32_t mask = snap_le32(n->mask);
    const struct snap_req_way *first = s->way + snap_le32(n->ways);
    if (mask)
        for (size_t i = k->hash >> 52;; i++) {
            const struct snap_req_way *w = first + (i & mask);
            if (scan_has_hash(w, k))
                return w;
            if (w->n == SNAP_NONE)
                break;
        }
    return s->way + snap_le32(n->star);
}

/* The object has this member now. */
static inline void note_member(struct scan_frame *f, const struct snap_req_way *way)
{
    f->need &= ~(UINT64_C(1) << WAY_BIT(snap_le32(way->info)));
}

static inline bool asks(const struct snap_req_way *way)
{
    return __builtin_expect((way->info & snap_le32(WAY_ASKS)) != 0, 0);
}

/* The key at the quote `at`, of n bytes, by its decoded text; if that is very long, it is one
 * that nobody asks for. */
__attribute__((noinline)) static bool any_key(struct scan *s, struct scan_frame *f, size_t at,
                                              size_t n, const struct snap_req_way **way)
{
    unsigned char room[KEY_ROOM];
    const unsigned char *text = s->x.p + at + 1;
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
    if (!f->node) {
        *way = NULL;
    } else {
        *way = text ? way_of(s, f->node, &k, text) : star_of(s, f->node);
        if (asks(*way)) {
            scan_shape_ask(s, f, at);
            *way = text ? way_of(s, f->node, &k, text) : star_of(s, f->node);
        }
        note_member(f, *way);
    }
    return !seen_before(s, f, k.hash, (uint32_t)at, *way);
}

/* The usual key: up to 16 bytes without escapes, which are head and tail of struct req_key. */
__attribute__((always_inline)) static inline bool short_key(struct scan *s, struct scan_frame *f,
                                                            size_t at, uint64_t head, uint64_t tail,
                                                            size_t n, bool watched,
                                                            const struct snap_req_way **way)
{
    struct req_key k = req_key_of(head, tail, n);
    if (__builtin_expect(f->bloom >> (k.hash >> 58) & 1, 0))
        return any_key(s, f, at, n, way);
    if (__builtin_expect(f->end == f->full, 0))
        return any_key(s, f, at, n, way);
    struct scan_key *new = keep_key(f, at, k.hash);
    if (watched || f->node) {
        const struct snap_req_way *to = quick_way(s, f->node, &k);
        if (asks(to)) {
            scan_shape_ask(s, f, at);
            to = quick_way(s, f->node, &k);
        }
        *way = new->way = to;
        note_member(f, to);
    } else {
        *way = new->way = NULL;
    }
    return true;
}

/* A key of n bytes that the last object at this depth did not have here: the node of its value.
 * False if this object has the key already. There are 16 bytes to read, or more. `watched`: the
 * object has a node. */
__attribute__((always_inline)) static inline bool take_key(struct scan *s, struct scan_frame *f,
                                                           size_t at, size_t n, bool watched,
                                                           const struct snap_req_way **way)
{
    uint64_t head, tail;
    if (!f->bloom)
        leave_shape(f);
    if (__builtin_expect(n > 16, 0))
        return any_key(s, f, at, n, way);
    if (__builtin_expect(!scan_short(s->x.p + at + 1, n, &head, &tail), 0))
        return any_key(s, f, at, n, way);
    return short_key(s, f, at, head, tail, n, watched, way);
}

__attribute__((noinline)) static bool new_key(struct scan *s, struct scan_frame *f, size_t at,
                                              size_t n, const struct snap_req_way **way)
{
    return take_key(s, f, at, n, false, way);
}

/* The same near the end of the text, where there are fewer, or where short keys need a closer
 * look as well. Behind a key there are at least four more bytes, so that it has less than 12. */
__attribute__((noinline)) static bool far_key(struct scan *s, struct scan_frame *f, size_t at,
                                              size_t n, const struct snap_req_way **way)
{
    const unsigned char *text = s->x.p + at + 1;
    size_t left = s->x.n - at - 1;
    if (s->short_keys && left >= 16)
        return new_key(s, f, at, n, way);
    if (!f->bloom)
        leave_shape(f);
    if (!s->short_keys || left <= 8)
        return any_key(s, f, at, n, way);
    uint64_t head = req_load(text, 8), tail = req_load(text + left - 8, 8) >> 8 * (16 - left);
    head &= n < 8 ? (UINT64_C(1) << 8 * n) - 1 : UINT64_MAX;
    tail &= n > 8 ? (UINT64_C(1) << 8 * (n - 8)) - 1 : 0;
    if (req_has_backslash(head) || req_has_backslash(tail))
        return any_key(s, f, at, n, way);
    return short_key(s, f, at, head, tail, n, false, way);
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

/* Is the key the next one of the last object at this depth? */
static inline bool as_before(const struct scan_frame *f, const unsigned char *p, size_t at,
                             size_t n)
{
    return f->next < f->end && same_text(p + at + 1, p + f->next->at + 1, n);
}

/* -- the walk ------------------------------------------------------------------------------ */

/* A frame that has been in use before. */
static inline void open_object(struct scan_frame *f, const struct snap_req_node *node, size_t at)
{
    f->next = f->keys;
    f->bloom = 0;
    if (f->last != node) {
        f->end = f->keys;
        f->last = node;
        f->chosen = NULL;
    }
    f->node = node;
    f->at = (uint32_t)at;
    f->count = 0;
    f->kind = REQ_OBJECT;
    f->ends = '}';
}

/* An array leaves the keys where they are. */
static inline void open_array(struct scan_frame *f, const struct snap_req_node *node, size_t at)
{
    f->node = node;
    f->at = (uint32_t)at;
    f->count = 0;
    f->kind = REQ_ARRAY;
    f->ends = ']';
}

/* Makes another frame ready: that of the first container at its depth, or a deep one. */
__attribute__((noinline)) static bool new_frame(struct scan *s, struct scan_frame *f, size_t at)
{
    size_t depth = (size_t)(f - s->frame);
    if (depth > LIMIT_JSON_DEPTH)
        return fail(s, CODE_json_depth, at);
    if (depth <= SCAN_FRAMES_NEAR)
        s->known = f;
    if (depth <= SCAN_FRAMES_NEAR + 1)
        f->keys = s->key + (depth - 1) * SCAN_KEYS_NEAR;
    else
        f->keys = f[-1].end;
    size_t room = (size_t)(s->key + SCAN_KEYS - f->keys);
    f->full = f->keys + (room < SCAN_KEYS_NEAR ? room : SCAN_KEYS_NEAR);
    f->last = NULL;
    f->end = f->keys;
    return true;
}

/* Homes that never hold themselves: they are empty when one begins. */
__attribute__((noinline)) static void open_subjects(struct scan *s, const struct snap_req_way *way)
{
    uint32_t list = snap_req_watch(s->t.s, WAY_WATCH(snap_le32(way->info))).subjects;
    for (uint32_t i = 0; i < snap_req_count(s->t.s, list); i++) {
        uint32_t subject = snap_req_item(s->t.s, list, i);
        s->hits[subject] = 0;
        if (s->counting)
            s->counted[subject] = 0;
    }
}

/* The bits of a subject are put aside while an inner one has its own. */
static inline void open_subject(struct scan *s, struct scan_frame *f, const struct cando_watch *w)
{
    uint32_t subject = w->subject;
    if (subject != WATCH_NO_SUBJECT) {
        f->saved = s->hits[subject];
        s->hits[subject] = 0;
        if (s->counting)
            s->counted[subject] = 0;
        if (__builtin_expect(w->actions & WATCH_SUBJECTS, 0))
            open_subjects(s, f->way);
    }
}

/* A subject is judged when it ends; `saved` has its bits as they were outside. Most have nothing
 * that a rule hangs on. */
static inline void end_subject(struct scan *s, struct scan_frame *f, uint32_t subject, size_t at,
                               size_t end, uint64_t saved)
{
    uint64_t hits = s->hits[subject];
    unsigned place = scan_set_place(subject, hits);
    uint32_t fires =
        (hits & s->pivot[subject]) && (!scan_has_set(s, place, subject, hits) || s->set[place].n);
    if (__builtin_expect(fires | s->n_later | s->n_inner, 0)) {
        s->in = f;
        watch_item(s, subject, (struct scan_place){(uint32_t)at, (uint32_t)end}, f->count);
    }
    s->before[subject] = hits;
    s->hits[subject] = saved;
}

__attribute__((noinline)) static void end_subjects(struct scan *s, struct scan_frame *f,
                                                   const struct snap_req_way *way, size_t at,
                                                   size_t end)
{
    uint32_t list = snap_req_watch(s->t.s, WAY_WATCH(snap_le32(way->info))).subjects;
    for (uint32_t i = 0; i < snap_req_count(s->t.s, list); i++)
        end_subject(s, f, snap_req_item(s->t.s, list, i), at, end, 0);
}

/* Schemas hold schemas: is a subject of this number open around the container f, or is it f? */
static bool is_within(const struct scan *s, const struct scan_frame *f, uint32_t subject)
{
    for (; f > s->frame; f--)
        if (f->watch->subject == subject)
            return true;
    return false;
}

/* A value that is no container, and stands where a subject may be, has ended in the container f.
 * Where it stands in a subject of the same bits ("additionalProperties": false) it is a word of
 * the schema around it, not a subject of its own. */
__attribute__((noinline)) static void end_rare(struct scan *s, struct scan_frame *f,
                                               const struct snap_req_way *way,
                                               const struct cando_watch *w, unsigned kind,
                                               size_t at, size_t end)
{
    if (w->actions & WATCH_TEXT)
        s->fit.text_bytes += kind == REQ_STRING ? end - at - 2 : 0;
    if ((w->kinds & kind) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, at, end);
    s->in = f;
    if (w->count)
        watch_value(s, w, kind, at, end);
    if (!is_within(s, f, w->subject))
        end_subject(s, f, w->subject, at, end, 0);
    else if (w->actions & WATCH_OUTER)
        watch_outer(s, w, kind, at, end);
    if (w->actions & WATCH_SUBJECTS)
        end_subjects(s, f, way, at, end);
}

static inline const struct cando_watch *watch_at(const struct scan *s, uint32_t info)
{
    return &s->t.watch[WAY_WATCH(info)];
}

/* A value of no great interest: its kind is allowed, and nobody tests or watches it. */
static inline bool is_quiet(uint32_t info, unsigned kind)
{
    return (info & (kind | WAY_TESTS | ~UINT32_C(0x1ffff))) == kind;
}

/* A number or word has ended in the container f. */
static inline void end_scalar(struct scan *s, struct scan_frame *f, const struct snap_req_way *way,
                              unsigned kind, size_t at, size_t end)
{
    uint32_t info = snap_le32(way->info);
    if (is_quiet(info, kind) && kind != REQ_NULL)
        return;
    const struct cando_watch *w = watch_at(s, info);
    if (kind == REQ_NUMBER && w->subject == WATCH_NO_SUBJECT) {
        watch_number(s, f, way, at, end);
        return;
    }
    if (!(info & kind) || (info & WAY_TESTS) || kind == REQ_NULL)
        scan_shape_value(s, f, way, kind, at, end, 0);
    if (__builtin_expect(w->subject != WATCH_NO_SUBJECT, 0)) {
        end_rare(s, f, way, w, kind, at, end);
        return;
    }
    if ((w->kinds & kind) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, at, end);
    if (!w->count)
        return;
    s->in = f;
    watch_value(s, w, kind, at, end);
}

/* A string that some rule may look at. */
__attribute__((always_inline)) static inline void watch_string(struct scan *s, struct scan_frame *f,
                                                               const struct snap_req_way *way,
                                                               size_t at, size_t end)
{
    const struct cando_watch *w = watch_at(s, snap_le32(way->info));
    unsigned actions = w->actions;
    if (__builtin_expect(w->subject != WATCH_NO_SUBJECT, 0)) {
        end_rare(s, f, way, w, REQ_STRING, at, end);
        return;
    }
    if (actions & WATCH_TEXT)
        s->fit.text_bytes += end - at - 2;
    if ((w->kinds & REQ_STRING) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, at, end);
    if (!w->count)
        return;
    s->in = f;
    watch_value(s, w, REQ_STRING, at, end);
}

/* And some shape has more to say of it than that it is a string. */
__attribute__((noinline)) static void end_tested(struct scan *s, struct scan_frame *f,
                                                 const struct snap_req_way *way, size_t at,
                                                 size_t end)
{
    if (way->info & snap_le32(WAY_CHOOSES))
        scan_shape_choose(s, f, REQ_STRING, at, end);
    else
        scan_shape_string(s, f, way, at, end);
    watch_string(s, f, way, at, end);
}

/* The same for a string that is not quiet. Nothing is left to be done behind what it calls, so
 * that it needs no frame of its own, and the walk keeps all that it has in registers. */
__attribute__((noinline)) static void end_string(struct scan *s, struct scan_frame *f,
                                                 const struct snap_req_way *way, size_t at,
                                                 size_t end)
{
    uint32_t info = snap_le32(way->info);
    const struct cando_watch *w = watch_at(s, info);
    if (w->actions & WATCH_WORDS)
        watch_words(s, f, way, at, end);
    else if ((info & (REQ_STRING | WAY_TESTS)) != REQ_STRING)
        end_tested(s, f, way, at, end);
    else
        watch_string(s, f, way, at, end);
}

static inline uint64_t node_bits(const uint32_t w[2])
{
    return (uint64_t)snap_le32(w[1]) << 32 | snap_le32(w[0]);
}

/* The container f has ended. */
static inline void end_container(struct scan *s, struct scan_frame *f, size_t end)
{
    const struct cando_watch *w = f->watch;
    unsigned kind = f->kind;
    if (__builtin_expect(f->need != 0, 0))
        scan_shape_object(s, f, end);
    if (snap_le32(f->way->info) & WAY_COUNTS)
        scan_shape_value(s, f - 1, f->way, kind, f->at, end, f->count);
    if ((w->kinds & kind) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, f->at, end);
    if (__builtin_expect(w->count, 0)) {
        s->in = f - 1;
        s->count = f->count;
        watch_value(s, w, kind, f->at, end);
    }
    if (w->actions & WATCH_TURN)
        s->fit.turns++;
    if (w->subject == WATCH_NO_SUBJECT)
        return;
    end_subject(s, f - 1, w->subject, f->at, end, f->saved);
    if (__builtin_expect(w->actions & (WATCH_SUBJECTS | WATCH_OUTER), 0)) {
        s->in = f - 1;
        s->count = f->count;
        if (w->actions & WATCH_SUBJECTS)
            end_subjects(s, f - 1, f->way, f->at, end);
        if (w->actions & WATCH_OUTER)
            watch_outer(s, w, kind, f->at, end);
    }
}

static inline unsigned pair_at(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}
#define PAIR(a, b) ((unsigned char)(a) | (unsigned)(unsigned char)(b) << 8)

/* The compiler takes a pointer and its successor for two things worth a register each. */
#define STEP(pointer, by)                                                                          \
    do {                                                                                           \
        (pointer) += (by);                                                                         \
        __asm__("" : "+r"(pointer));                                                               \
    } while (0)

/* There is a mark, and the one behind it may be looked at. */
#define NEED()                                                                                     \
    do {                                                                                           \
        if (__builtin_expect(mark > s->last, 0)) {                                                 \
            mark = refill(s, mark);                                                                \
            if (!mark)                                                                             \
                goto broken;                                                                       \
        }                                                                                          \
    } while (0)

/* Bytes of the key at `at` whose value's mark is `next`; SIZE_MAX if there is anything but a
 * colon and spaces between the two. */
__attribute__((noinline)) static size_t key_bytes(const unsigned char *p, size_t at, size_t next)
{
    if (pair_at(p + next - 2) == PAIR('"', ':'))
        return next - at - 3;
    struct gap gap = gap_before(p, next);
    return gap.between == ':' && p[gap.end - 1] == '"' ? gap.end - at - 2 : SIZE_MAX;
}

/* Where the value ends that is neither string nor container, and what follows. */
static inline struct gap scalar_end(const unsigned char *p, size_t next)
{
    unsigned char last = p[next - 1];
    if (last == ',' && p[next - 2] > ' ')
        return (struct gap){next - 1, ','};
    if (last > ' ' && last != ',' && last != ':')
        return (struct gap){next, 0};
    return gap_before(p, next);
}

#define BETWEEN_BROKEN 1u /* neither a separator nor none */

/* A number or word of the container f is at `at`: what is between it and the next mark. */
__attribute__((noinline)) static unsigned scalar(struct scan *s, struct scan_frame *f,
                                                 const struct snap_req_way *way, size_t at,
                                                 size_t next)
{
    struct gap gap = scalar_end(s->x.p, next);
    unsigned kind = scalar_kind(s, s->x.p + at, gap.end - at);
    if (!kind)
        return BETWEEN_BROKEN;
    if (way)
        end_scalar(s, f, way, kind, at, gap.end);
    return gap.between;
}

/* Is there nothing between the opening bracket at `at` and the next mark? */
static inline bool opens(const unsigned char *p, size_t at, size_t next)
{
    if (__builtin_expect(next == at + 1, 1))
        return true;
    struct gap gap = gap_before(p, next);
    return gap.end == at + 1 && !gap.between;
}

/* The rest of a container that nobody watches, from the first mark in it to behind
 * the bracket that ends it: the grammar alone, and equal keys. NULL: it is broken. */
__attribute__((noinline, aligned(64))) static const uint32_t *skip(struct scan *s,
                                                                   const uint32_t *mark,
                                                                   struct scan_frame *const base)
{
    const unsigned char *const p = s->x.p;
    struct scan_frame *f = base;
    size_t at, next, n;
    unsigned pair, between;
    const struct snap_req_way *way;
    struct gap gap;
    if (p[*mark] == f->ends)
        goto close;

comma: /* a value and a comma are behind us, or the bracket of f */
    if (f->ends != '}')
        goto item;
key:
    if (__builtin_expect(mark >= s->safe, 0))
        goto far_key;
    at = mark[0];
    next = mark[1];
    mark++;
    if (p[at] != '"')
        goto broken;
    n = next - at - 3;
    if (__builtin_expect(pair_at(p + next - 2) != PAIR('"', ':'), 0))
        goto loose_key;
have_key:
    if (__builtin_expect(!as_before(f, p, at, n), 0))
        goto new_key;
    f->next++;
value: /* at the mark */
    at = mark[0];
    mark++;
    if (__builtin_expect(p[at] == '"', 1)) {
        next = mark[0];
        pair = pair_at(p + next - 2);
        if (pair == PAIR('"', ','))
            goto comma;
        if (__builtin_expect(pair >> 8 == '"', 1))
            goto last;
        gap = gap_before(p, next);
        if (p[gap.end - 1] != '"')
            goto broken;
        between = gap.between;
        goto gap;
    }
    if ((p[at] | 0x20) == '{') {
        f++;
        if (__builtin_expect(f > s->known, 0) && !new_frame(s, f, at))
            return NULL;
        NEED();
        next = *mark;
        if (!opens(p, at, next))
            goto broken;
        if (p[at] == '{') {
            open_object(f, NULL, at);
            if (p[next] != '}')
                goto key;
        } else {
            open_array(f, NULL, at);
            if (p[next] != ']')
                goto value;
        }
        goto close;
    }
    between = scalar(s, f, NULL, at, *mark);

gap: /* a value is behind us, and what is before the next mark */
    if (between == ',')
        goto comma;
    if (between)
        goto broken;
last: /* of its container */
    NEED();
    if (p[*mark] != f->ends)
        goto broken;

close: /* the bracket that ends f is at the mark */
    at = *mark++;
    if (f == base)
        return mark;
    f--;
    next = *mark;
    if (next == at + 1)
        goto last;
    if (__builtin_expect(next == at + 2 && p[at + 1] == ',', 1))
        goto comma;
    gap = gap_before(p, next);
    between = gap.between;
    if (gap.end == at + 1)
        goto gap;
    goto broken;

item:
    NEED();
    goto value;

far_key: /* the window ends here, or the text does */
    mark = refill(s, mark);
    if (!mark || mark == s->last)
        goto broken;
    if (mark < s->safe)
        goto key;
    at = mark[0];
    next = mark[1];
    mark++;
    if (p[at] != '"')
        goto broken;
    n = key_bytes(p, at, next);
    if (n == SIZE_MAX)
        goto broken;
    if (far_key(s, f, at, n, &way))
        goto value;
    goto twice;

new_key:
    if (new_key(s, f, at, n, &way))
        goto value;
twice:
    fail(s, CODE_json_duplicate_key, at);
    return NULL;

loose_key:
    n = key_bytes(p, at, next);
    if (n != SIZE_MAX)
        goto have_key;
broken:
    fail(s, CODE_json_syntax, 0);
    return NULL;
}

/* The text's only value, at its only mark, is neither object nor array. */
__attribute__((noinline)) static bool lone_value(struct scan *s, const uint32_t *mark)
{
    const unsigned char *p = s->x.p;
    size_t at = mark[0], next = mark[1];
    unsigned kind = REQ_STRING;
    struct gap gap = gap_before(p, next);
    if (p[at] != '"')
        kind = scalar_kind(s, p + at, gap.end - at);
    else if (p[gap.end - 1] != '"')
        kind = 0;
    if (!kind || gap.between || next != s->x.n || !s->x.ended)
        return fail(s, CODE_json_syntax, 0);
    if (s->root && kind == REQ_STRING)
        end_string(s, s->frame, s->root, at, gap.end);
    else if (s->root)
        end_scalar(s, s->frame, s->root, kind, at, gap.end);
    s->frame[0].count++;
    return true;
}

__attribute__((noinline, aligned(64))) static bool walk(struct scan *s)
{
    const unsigned char *const p = s->x.p;
    const struct snap_req_way *way = s->root, *other;
    const struct snap_req_node *node;
    struct scan_frame *f = s->frame; /* the innermost open container; the first frame is for none */
    size_t at = 0, next, n;
    unsigned pair, between;
    struct gap gap;
    const uint32_t *mark = refill(s, s->x.pos);
    if (!mark)
        goto broken;
    while (is_space(p[at]))
        at++;
    if (at != *mark)
        goto broken;
    if ((p[at] | 0x20) != '{')
        return lone_value(s, mark);
    goto open;

comma: /* a value and a comma are behind us */
    f->count++;
    if (f->ends != '}')
        goto item;
key:
    if (__builtin_expect(mark >= s->safe, 0))
        goto far_key;
    at = mark[0];
    next = mark[1];
    STEP(mark, 1);
    if (p[at] != '"')
        goto broken;
    n = next - at - 3;
    if (__builtin_expect(pair_at(p + next - 2) != PAIR('"', ':'), 0))
        goto loose_key;
have_key:
    if (__builtin_expect(!as_before(f, p, at, n), 0))
        goto new_key;
    way = f->next->way;
    f->next++;
    note_member(f, way);
value: /* at the mark; in f, and `way` leads to it */
    at = mark[0];
    if (__builtin_expect(p[at] == '"', 1)) {
        next = mark[1];
        STEP(mark, 1);
        pair = pair_at(p + next - 2);
        if (__builtin_expect(pair == PAIR('"', ','), 1)) {
            if (!is_quiet(snap_le32(way->info), REQ_STRING))
                end_string(s, f, way, at, next - 1);
            goto comma;
        }
        if (__builtin_expect(pair >> 8 != '"', 0))
            goto loose_string;
        if (!is_quiet(snap_le32(way->info), REQ_STRING))
            end_string(s, f, way, at, next);
        goto last;
    }
    if ((p[at] | 0x20) == '{')
        goto open;
    STEP(mark, 1);
    between = scalar(s, f, way, at, *mark);

gap: /* a value is behind us, and what is before the next mark */
    if (between == ',')
        goto comma;
    if (between)
        goto broken;
last: /* of its container */
    f->count++;
    if (__builtin_expect(f == s->frame, 0)) {
        if (*mark != s->x.n || !s->x.ended)
            goto broken;
        return true;
    }
    NEED();
    if (p[*mark] != f->ends)
        goto broken;

close: /* the bracket that ends f is at the mark */
    at = *mark;
    STEP(mark, 1);
    end_container(s, f, at + 1);
    STEP(f, -1);
closed:
    next = *mark;
    if (next == at + 1)
        goto last;
    if (__builtin_expect(next == at + 2 && p[at + 1] == ',', 1))
        goto comma;
    gap = gap_before(p, next);
    between = gap.between;
    if (gap.end == at + 1)
        goto gap;
    goto broken;

item:
    if (f->ends != ']')
        goto broken; /* there is but one value outside of everything */
    NEED();
    way = f->item;
    goto value;

open: /* the container at the mark, which is at `at` */
    STEP(mark, 1);
    STEP(f, 1);
    if (__builtin_expect(f > s->known, 0) && !new_frame(s, f, at))
        return false;
    NEED();
    next = *mark;
    if (!opens(p, at, next))
        goto broken;
    if (!way || way->node == SNAP_NONE)
        goto skip;
    node = scan_node(s, snap_le32(way->node));
    f->way = way;
    f->watch = watch_at(s, snap_le32(way->info));
    if (p[at] == '{') {
        open_object(f, node, at);
        f->need = node_bits(node->counted);
        open_subject(s, f, f->watch);
        if (__builtin_expect(!(way->info & snap_le32(REQ_OBJECT)), 0))
            scan_shape_value(s, f - 1, way, REQ_OBJECT, at, at + 1, 0);
        if (p[next] != '}')
            goto key;
    } else {
        open_array(f, node, at);
        f->need = 0;
        f->item = scan_way(s, snap_le32(node->item));
        open_subject(s, f, f->watch);
        if (__builtin_expect(!(way->info & snap_le32(REQ_ARRAY)), 0))
            scan_shape_value(s, f - 1, way, REQ_ARRAY, at, at + 1, 0);
        if (p[next] != ']')
            goto item;
    }
    goto close;

skip: /* nobody looks at what is in f */
    if (way && !(snap_le32(way->info) & (p[at] == '{' ? REQ_OBJECT : REQ_ARRAY)))
        scan_shape_value(s, f - 1, way, p[at] == '{' ? REQ_OBJECT : REQ_ARRAY, at, at + 1, 0);
    if (p[at] == '{')
        open_object(f, NULL, at);
    else
        open_array(f, NULL, at);
    mark = skip(s, mark, f);
    if (!mark)
        return false;
    at = mark[-1];
    STEP(f, -1);
    goto closed;

far_key: /* the window ends here, or the text does */
    mark = refill(s, mark);
    if (!mark || mark == s->last)
        goto broken;
    if (mark < s->safe)
        goto key;
    at = mark[0];
    next = mark[1];
    STEP(mark, 1);
    if (p[at] != '"')
        goto broken;
    n = key_bytes(p, at, next);
    if (n == SIZE_MAX)
        goto broken;
    if (!far_key(s, f, at, n, &other))
        return fail(s, CODE_json_duplicate_key, at);
    way = other;
    goto value;

new_key:
    if (!take_key(s, f, at, n, true, &other))
        return fail(s, CODE_json_duplicate_key, at);
    way = other;
    goto value;

loose_key:
    n = key_bytes(p, at, next);
    if (n == SIZE_MAX)
        goto broken;
    goto have_key;

loose_string:
    gap = gap_before(p, next);
    if (p[gap.end - 1] != '"')
        goto broken;
    if (!is_quiet(snap_le32(way->info), REQ_STRING))
        end_string(s, f, way, at, gap.end);
    between = gap.between;
    goto gap;

broken:
    return fail(s, CODE_json_syntax, 0);
}
#undef NEED
#undef STEP

/* The way to the whole request, by the shapes of the provider. */
static uint32_t root_of(const struct scan_target *t, const struct snap_req_api *d)
{
    for (uint32_t i = 0; i + 1 < snap_req_count(t->s, d->roots); i += 2)
        if (snap_req_item(t->s, d->roots, i) == t->provider)
            return snap_req_item(t->s, d->roots, i + 1);
    return d->root;
}

static void watch_init(struct scan *s, const struct scan_target *t, uint32_t api)
{
    s->root = NULL;
    if (api == SNAP_NONE)
        return;
    if (t != &s->t)
        s->t = *t;
    s->fit.image_rule = t->images;
    s->fit.family = t->family;
    s->d = snap_req_api(t->s, api);
    const struct snap_view *v = t->s->sec;
    s->ways = v[SEC_REQ_WAYS].p;
    s->way_size = v[SEC_REQ_WAYS].stride;
    s->way = s->way_size == sizeof *s->way ? (const void *)s->ways : NULL;
    s->nodes = v[SEC_REQ_NODES].p;
    s->node_size = v[SEC_REQ_NODES].stride;
    s->slots = v[SEC_REQ_SLOTS].p;
    s->slot_size = v[SEC_REQ_SLOTS].stride;
    s->pivot = t->pivot + s->d.base;
    s->root = scan_way(s, root_of(t, &s->d));
    memset(s->hits, 0, s->d.n_bits / 8);
    memset(s->before, 0, s->d.n_bits / 8);
}

bool scan_run(struct scan *s, const struct scan_target *t, uint32_t api, struct str text,
              enum scan_path path)
{
    struct scan_index *x = &s->x;
    x->p = (const unsigned char *)(text.n ? text.p : "");
    x->n = text.n;
    scan_index_begin(x);
    s->refill = scan_fill_for(path);
    s->known = s->frame;
    s->serial = s->n_found = s->more = s->n_events = s->n_later = s->n_inner = s->n_pending =
        s->n_named = 0;
    s->frame[0].count = s->frame[0].ends = 0;
    s->frame[0].node = NULL;
    s->frame[0].need = 0;
    s->read_again = s->words_kept = s->sets_kept = 0;
    s->far_used = s->events_lost = s->counting = s->cuts = s->more_errors = s->more_lossy = false;
    static const struct fit nothing;
    s->fit = nothing;
    if (text.n > LIMIT_JSON_BYTES)
        return fail(s, CODE_json_size, 0);
    watch_init(s, t, api);
    if (s->root && s->d.outside != SNAP_NONE && s->beside && s->beside->known)
        watch_beside(s);
    s->short_keys = (!s->root || s->way) && !s->n_alias;
    if (!walk(s))
        return false;
    if (api != SNAP_NONE)
        watch_end(s);
    return true;
}
