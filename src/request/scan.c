/*
 * scan.c - the grammar of JSON over a list of marks, and the walk down the trie.
 *
 * Between two marks of the list there is nothing but a string's text, the rest
 * of a number or word, separators and white space, so that the grammar looks at
 * the byte of each mark and at the one or two before it: what is before the next
 * mark ends this value. Where nobody watches (the node is NULL) that is all that happens;
 * where somebody does, keys are looked up by their fingerprint and values are
 * handed to watch.c when they end.
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
    s->safe = (!s->root || s->edge) && !s->n_alias ? s->last : x->pos; /* aliases are for any_key */
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
    size_t end, between;
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
    return length == used ? req_key(room, used) : req_key_of(req_load(room, 8), req_load(room + used - 8, 8), length);
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

/* The innermost object gets a number of its own if it has none. Those that have one
 * and are open are kept in a list, from the outermost on; their numbers rise. */
static void enter_far(struct scan *s, struct scan_frame *f)
{
    uint32_t depth = (uint32_t)(f - s->frame);
    if (!s->far_used) {
        memset(s->far, 0, sizeof s->far);
        s->far_used = true;
        s->n_far_open = 0;
    }
    while (s->n_far_open) { /* what has been closed since */
        struct scan_far_open *o = &s->far_open[s->n_far_open - 1];
        if (o->depth <= depth && s->frame[o->depth].serial == o->serial)
            break;
        s->n_far_open--;
    }
    if (!f->serial) {
        f->serial = ++s->serial;
        s->far_open[s->n_far_open++] = (struct scan_far_open){f->serial, depth};
    }
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
static bool seen_far(struct scan *s, struct scan_frame *f, uint64_t print, uint32_t at)
{
    enter_far(s, f);
    uint32_t low = (uint32_t)(print >> 32);
    struct scan_far_key *put = NULL;
    for (unsigned i = 0; i < 8; i++) {
        struct scan_far_key *k = &s->far[((uint32_t)(print >> 54) + f->serial * 7 + i) & (SCAN_KEYS_FAR - 1)];
        if (k->serial == f->serial && k->print == low && same_key(s->x.p, s->x.n, k->at, at))
            return true;
        if (!put && !is_open_far(s, k->serial))
            put = k;
    }
    if (put)
        *put = (struct scan_far_key){low, at, f->serial};
    return false;
}

static inline uint64_t key_entry(uint64_t print, size_t at)
{
    return print >> 32 << 32 | at;
}

/* Has the object had this key already? If not, it has now. */
static bool seen_before(struct scan *s, struct scan_frame *f, uint64_t print, uint32_t at)
{
    uint64_t bit = UINT64_C(1) << (print >> 58), entry = key_entry(print, at);
    if (f->bloom & bit)
        for (uint32_t i = f->keys; i < s->n_keys; i++)
            if (s->key[i] >> 32 == entry >> 32 && same_key(s->x.p, s->x.n, (uint32_t)s->key[i], at))
                return true;
    f->bloom |= bit;
    if (s->n_keys == f->full)
        return seen_far(s, f, print, at);
    s->key[s->n_keys++] = entry;
    return false;
}

/* The node of that number, or NULL where there is nothing to look at. */
static inline const struct cando_watch *node_of(const struct scan *s, uint32_t number)
{
    return number == WATCH_NOBODY ? NULL : &s->t.node[number];
}

static inline const struct cando_watch *awake(const struct scan *s, uint32_t number)
{
    const struct cando_watch *w = &s->t.node[number];
    return w->first != WATCH_NOBODY ? w : NULL;
}

/* Files of later versions may have longer records. */
static inline const struct snap_req_edge *edge_of(const struct scan *s, size_t i)
{
    const struct snap_view *v = &s->t.s->sec[SEC_REQ_EDGES];
    return (const struct snap_req_edge *)(const void *)(v->p + i * v->stride);
}

static inline bool has_print(const struct snap_req_edge *e, const struct req_key *k)
{
    uint32_t head[2] = {snap_le32(e->head[0]), snap_le32(e->head[1])}, tail[2] = {snap_le32(e->tail[0]), snap_le32(e->tail[1])};
    return snap_u64(head) == k->head && snap_u64(tail) == k->tail && snap_le32(e->n) == k->n;
}

/* Where a key leads from the node. */
static const struct cando_watch *child_of(const struct scan *s, const struct cando_watch *w, const struct req_key *k,
                                          const unsigned char *key)
{
    for (uint32_t i = req_key_place(k, w->mask + 1u); w->mask; i = (i + 1) & w->mask) {
        const struct snap_req_edge *e = edge_of(s, w->edges + (size_t)i);
        if (e->node == SNAP_NONE)
            break;
        if (has_print(e, k) && (k->n <= 16 || memcmp(snap_str(s->t.s, snap_le32(e->key)).p, key, k->n) == 0))
            return awake(s, snap_le32(e->node));
    }
    return node_of(s, w->star);
}

/* The key at the quote `at`, whose closing quote is p[end - 1]: the node of its value.
 * False if the object has the key already. By its decoded text, and if that is very
 * long, it is a key that nobody asks for. */
__attribute__((noinline)) static bool any_key(struct scan *s, struct scan_frame *f, size_t at, size_t end,
                                              const struct cando_watch **node)
{
    unsigned char room[KEY_ROOM];
    const unsigned char *text = s->x.p + at + 1;
    size_t n = end - at - 2;
    struct req_key k = req_key(text, n);
    if (n > 16 ? memchr(text, '\\', n) != NULL : req_has_backslash(k.head) || req_has_backslash(k.tail)) {
        k = plain_key(text, n, room);
        text = k.n + 4 <= KEY_ROOM ? room : NULL;
    }
    for (uint32_t i = 0; i < s->n_alias; i++)
        if (s->alias[i].at == at) {
            text = (const unsigned char *)s->alias[i].name.p;
            k = req_key(text, s->alias[i].name.n);
        }
    *node = !f->watch ? NULL : text ? child_of(s, f->watch, &k, text) : node_of(s, f->watch->star);
    return !seen_before(s, f, k.hash, (uint32_t)at);
}

/* Remembers the usual key: up to 16 bytes without escapes, not yet seen. False if it may
 * have been; nothing has happened then. */
static inline bool keep_key(struct scan *s, struct scan_frame *f, size_t at, const struct req_key *k)
{
    uint32_t i = s->n_keys;
    if (__builtin_expect(f->bloom >> (k->hash >> 58) & 1, 0) || __builtin_expect(i == f->full, 0))
        return false;
    f->bloom |= UINT64_C(1) << (k->hash >> 58);
    s->key[i] = key_entry(k->hash, at);
    s->n_keys = i + 1;
    return true;
}

/* Reads it and remembers it, where 16 bytes can be read. */
static inline bool quick_key(struct scan *s, struct scan_frame *f, const unsigned char *p, size_t at, size_t end, struct req_key *out)
{
    size_t n = end - at - 2;
    uint64_t head, tail;
    if (__builtin_expect(n > 16, 0) || __builtin_expect(!scan_short(p + at + 1, n, &head, &tail), 0))
        return false;
    *out = req_key_of(head, tail, n);
    return keep_key(s, f, at, out);
}

/* The same near the end of the text, where eight bytes can be read. */
static inline bool last_key(struct scan *s, struct scan_frame *f, const unsigned char *p, size_t at, size_t end, struct req_key *out)
{
    size_t n = end - at - 2;
    if (n >= 8 || s->x.n - at < 9)
        return false;
    uint64_t head = req_load(p + at + 1, 8) & ((UINT64_C(1) << 8 * n) - 1);
    *out = req_key_of(head, 0, n);
    return !req_has_backslash(head) && keep_key(s, f, at, out);
}

/* Where the usual key leads: it is known by its 16 bytes and its length. */
static inline const struct cando_watch *quick_child(const struct scan *s, const struct cando_watch *w, const struct req_key *k)
{
    if (!(w->bloom >> (k->hash >> 59) & 1))
        return node_of(s, w->star);
    for (size_t i = k->hash >> 52;; i++) {
        const struct snap_req_edge *e = s->edge + w->edges + (i & w->mask);
        if (has_print(e, k))
            return awake(s, snap_le32(e->node));
        if (e->node == SNAP_NONE)
            return node_of(s, w->star);
    }
}

/* -- the walk ------------------------------------------------------------------------------ */

static inline void open_frame(struct scan *s, struct scan_frame *f, const struct cando_watch *w, size_t at, unsigned char ends)
{
    uint32_t keys = s->n_keys;
    f->watch = w;
    f->count = 0;
    f->at = (uint32_t)at;
    f->keys = keys;
    f->full = keys + SCAN_KEYS_NEAR < SCAN_KEYS ? keys + SCAN_KEYS_NEAR : SCAN_KEYS;
    f->serial = 0;
    f->bloom = 0;
    f->ends = ends;
}

/* The bits of a home are put aside while an inner one has its own. */
static inline void open_home(struct scan *s, struct scan_frame *f, const struct cando_watch *w)
{
    uint32_t home = w->home;
    if (home != WATCH_NO_HOME) {
        f->saved = s->hits[home];
        s->hits[home] = 0;
        if (s->counting)
            s->counted[home] = 0;
    }
}

/* A home is judged when it ends; `saved` has its bits as they were outside. */
__attribute__((noinline)) static void end_home(struct scan *s, struct scan_frame *f, uint32_t home, size_t at, size_t end, uint64_t saved)
{
    const struct cando_home *h = &s->home[home];
    uint64_t hits = s->hits[home], pivots = hits & h->pivot;
    if (hits & h->veto)
        pivots &= ~h->vetoed;
    if (pivots | s->n_later) {
        s->in = f;
        watch_home(s, home, 1, (struct scan_place){(uint32_t)at, (uint32_t)end}, f->count);
    }
    s->before[home] = hits;
    s->hits[home] = saved;
}

/* Schemas hold schemas: is a home of this number open around the container f, or is it f? */
static bool is_within(const struct scan *s, const struct scan_frame *f, uint32_t home)
{
    for (; f > s->frame; f--)
        if (f->watch->home == home)
            return true;
    return false;
}

/* A value that somebody watches has ended, in the container f. What is no container and
 * stands where a schema may stand ("additionalProperties": false) is a word of the schema
 * around it, not a home of its own. */
static inline void end_value(struct scan *s, struct scan_frame *f, const struct cando_watch *w, unsigned kind, size_t at, size_t end)
{
    if (w->does & WATCH_TEXT)
        s->fit.text_bytes += kind == REQ_STRING ? end - at - 2 : 0;
    if ((w->kinds & kind) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, at, end);
    if (w->count) {
        s->in = f;
        if (kind != REQ_STRING || !(w->does & WATCH_WORDS))
            watch_value(s, w, kind, at, end);
        else if ((w->does & WATCH_MORE) || (w->letters & watch_letter(s->x.p[at + 1])))
            watch_words(s, w, at, end);
    }
    if (__builtin_expect(w->home != WATCH_NO_HOME, 0) && !is_within(s, f, w->home))
        end_home(s, f, w->home, at, end, 0);
}

/* The container behind f has ended. */
static inline void end_container(struct scan *s, struct scan_frame *f, unsigned kind, size_t end)
{
    const struct cando_watch *w = f[1].watch;
    if ((w->kinds & kind) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, f[1].at, end);
    if (__builtin_expect(w->count, 0)) {
        s->in = f;
        s->count = f[1].count;
        watch_value(s, w, kind, f[1].at, end);
    }
    if (w->does & WATCH_TURN)
        s->fit.turns++;
    if (w->home != WATCH_NO_HOME)
        end_home(s, f, w->home, f[1].at, end, f[1].saved);
}

static inline unsigned pair_at(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}
#define PAIR(a, b) ((unsigned char)(a) | (unsigned)(unsigned char)(b) << 8)

/* There is a mark, and the one behind it may be looked at. */
#define NEED()                                                                                          \
    do {                                                                                                \
        if (__builtin_expect(mark > s->last, 0)) {                                                      \
            mark = refill(s, mark);                                                                     \
            if (!mark)                                                                                  \
                goto broken;                                                                            \
        }                                                                                               \
    } while (0)

/* `end` of the key at `at`, between which and the next mark there is a colon. */
#define KEY_END()                                                                                       \
    do {                                                                                                \
        size_t next_ = *mark;                                                                           \
        end = next_ - 1;                                                                                \
        if (__builtin_expect(pair_at(p + next_ - 2) != PAIR('"', ':'), 0)) {                            \
            struct gap gap_ = gap_before(p, next_);                                                     \
            end = gap_.end;                                                                             \
            if (gap_.between != ':' || p[end - 1] != '"')                                               \
                goto broken;                                                                            \
        }                                                                                               \
    } while (0)

/* `end` of a string; `between`: what is between it and the next mark. */
#define STRING_END()                                                                                    \
    do {                                                                                                \
        size_t next_ = *mark;                                                                           \
        unsigned pair_ = pair_at(p + next_ - 2);                                                        \
        between = ',';                                                                                  \
        end = next_ - 1;                                                                                \
        if (__builtin_expect(pair_ != PAIR('"', ','), 0)) {                                              \
            between = 0;                                                                                \
            end = next_;                                                                                \
            if (__builtin_expect(pair_ >> 8 != '"', 0)) {                                               \
                struct gap gap_ = gap_before(p, next_);                                                 \
                end = gap_.end;                                                                         \
                between = (unsigned char)gap_.between;                                                  \
                if (p[end - 1] != '"')                                                                  \
                    goto broken;                                                                        \
            }                                                                                           \
        }                                                                                               \
    } while (0)

/* What is between the bracket that closes at `at` and the next mark. */
#define AFTER_BRACKET()                                                                                 \
    do {                                                                                                \
        size_t next_ = *mark, far_ = next_ - at;                                                        \
        between = 0;                                                                                    \
        if (far_ == 2 && p[at + 1] == ',') {                                                            \
            between = ',';                                                                              \
        } else if (__builtin_expect(far_ != 1, 0)) {                                                    \
            struct gap gap_ = gap_before(p, next_);                                                     \
            between = (unsigned char)gap_.between;                                                      \
            if (gap_.end != at + 1)                                                                     \
                goto broken;                                                                            \
        }                                                                                               \
    } while (0)

/* The same for a value that is neither string nor container, and its kind. */
#define SCALAR_END()                                                                                    \
    do {                                                                                                \
        size_t next_ = *mark;                                                                           \
        between = p[next_ - 1];                                                                         \
        end = next_ - 1;                                                                                \
        if (between != ',' || p[end - 1] <= ' ') {                                                      \
            struct gap gap_ = gap_before(p, next_);                                                     \
            end = gap_.end;                                                                             \
            between = (unsigned char)gap_.between;                                                      \
        }                                                                                               \
        kind = scalar_kind(s, p + at, end - at);                                                             \
        if (!kind)                                                                                      \
            goto broken;                                                                                \
    } while (0)

/* Is there nothing between the opening bracket at `at` and the next mark? */
static inline bool opens(const unsigned char *p, size_t at, size_t next)
{
    if (next == at + 1)
        return true;
    struct gap gap = gap_before(p, next);
    return gap.end == at + 1 && !gap.between;
}

/* The rest of a container that nobody watches, from behind its bracket to behind
 * the one that ends it: the grammar alone, and equal keys. NULL: it is broken. */
__attribute__((noinline, aligned(64))) static const uint32_t *skip(struct scan *s, const uint32_t *mark, struct scan_frame *const base)
{
    const unsigned char *const p = s->x.p;
    struct scan_frame *f = base;
    size_t at = f->at, end;
    unsigned kind;
    unsigned char byte, between, ends;
    const struct cando_watch *node;
    struct req_key k;

first: /* behind the opening bracket at `at` */
    ends = f->ends;
    NEED();
    if (!opens(p, at, *mark))
        goto broken;
    if (p[*mark] == ends)
        goto close;
    if (ends == ']')
        goto value;

key:
    if (__builtin_expect(mark >= s->safe, 0))
        goto far_key;
    at = *mark++;
    if (p[at] != '"')
        goto broken;
    KEY_END();
    if (!quick_key(s, f, p, at, end, &k) && !any_key(s, f, at, end, &node))
        goto twice;
    goto value;

far_key: /* the window ends here, or the text does */
    mark = refill(s, mark);
    if (!mark || mark == s->last)
        goto broken;
    if (mark < s->safe)
        goto key;
    at = *mark++;
    if (p[at] != '"')
        goto broken;
    KEY_END();
    if (!any_key(s, f, at, end, &node))
        goto twice;
    goto value;

item:
    NEED();
value:
    at = *mark++;
    byte = p[at];
    if (__builtin_expect(byte == '"', 1)) {
        STRING_END();
    } else if ((byte | 0x20) == '{') {
        if (f == s->frame + LIMIT_JSON_DEPTH) {
            fail(s, CODE_json_depth, at);
            return NULL;
        }
        open_frame(s, ++f, NULL, at, byte + 2); /* } and ] come two behind their brothers */
        goto first;
    } else {
        SCALAR_END();
    }

after: /* a value is behind us; `between` it and the mark before us: */
    if (between == ',') {
        if (ends == '}')
            goto key;
        goto item;
    }
    NEED();
    if (between || p[*mark] != ends)
        goto broken;

close: /* the bracket that ends f is at the mark */
    at = *mark++;
    s->n_keys = f->keys;
    if (f != base) {
        AFTER_BRACKET();
        f--;
        ends = f->ends;
        goto after;
    }
    return mark;

twice:
    fail(s, CODE_json_duplicate_key, at);
    return NULL;
broken:
    fail(s, CODE_json_syntax, 0);
    return NULL;
}

__attribute__((noinline, aligned(64))) static bool walk(struct scan *s)
{
    const unsigned char *const p = s->x.p;
    const struct cando_watch *node = s->root, *other;
    struct req_key k;
    struct scan_frame *f = s->frame; /* the innermost open container; the first frame is for none */
    size_t at = 0, end;
    unsigned kind;
    unsigned char byte, between, ends = 0;
    const uint32_t *mark = refill(s, s->x.pos);
    if (!mark)
        goto broken;
    while (is_space(p[at]))
        at++;
    if (at != *mark)
        goto broken;
    goto value;

far_key: /* the window ends here, or the text does */
    mark = refill(s, mark);
    if (!mark || mark == s->last)
        goto broken;
    if (mark < s->safe)
        goto key;
    at = *mark++;
    if (p[at] != '"')
        goto broken;
    KEY_END();
    if (s->edge && !s->n_alias && last_key(s, f, p, at, end, &k)) {
        node = quick_child(s, f->watch, &k);
        goto value;
    }
    goto slow_key;

key:
    if (__builtin_expect(mark >= s->safe, 0))
        goto far_key;
    at = *mark++;
    if (p[at] != '"')
        goto broken;
    KEY_END();
    if (__builtin_expect(quick_key(s, f, p, at, end, &k), 1)) {
        node = quick_child(s, f->watch, &k);
        goto value;
    }
slow_key:
    if (!any_key(s, f, at, end, &other))
        return fail(s, CODE_json_duplicate_key, at);
    node = other;
    goto value;

item:
    NEED();
    node = node_of(s, f->watch->item);
value:
    at = *mark++;
    byte = p[at];
    if (__builtin_expect(byte == '"', 1)) {
        STRING_END();
        if (node)
            end_value(s, f, node, REQ_STRING, at, end);
    } else if ((byte | 0x20) == '{') {
        if (f == s->frame + LIMIT_JSON_DEPTH)
            return fail(s, CODE_json_depth, at);
        ends = byte + 2; /* } and ] come two behind their brothers */
        open_frame(s, ++f, node, at, ends);
        if (!node) {
            mark = skip(s, mark, f);
            if (!mark)
                return false;
            at = mark[-1];
            f--;
            goto closed;
        }
        open_home(s, f, node);
        NEED();
        if (!opens(p, at, *mark))
            goto broken;
        if (p[*mark] == ends)
            goto close;
        if (byte == '{')
            goto key;
        goto item;
    } else {
        SCALAR_END();
        if (node)
            end_value(s, f, node, kind, at, end);
    }

after: /* a value is behind us; `between` it and the mark before us: */
    f->count++;
    if (between == ',') {
        if (ends == '}')
            goto key;
        if (ends == ']')
            goto item;
        goto broken;
    }
    if (__builtin_expect(f == s->frame, 0)) {
        if (between || *mark != s->x.n || !s->x.ended)
            goto broken;
        return true;
    }
    NEED();
    if (between || p[*mark] != ends)
        goto broken;

close: /* the bracket that ends f is at the mark */
    at = *mark++;
    s->n_keys = f->keys;
    f--;
    end_container(s, f, ends == '}' ? REQ_OBJECT : REQ_ARRAY, at + 1);
closed:
    AFTER_BRACKET();
    ends = f->ends;
    goto after;

broken:
    return fail(s, CODE_json_syntax, 0);
}
#undef NEED
#undef KEY_END
#undef STRING_END
#undef AFTER_BRACKET
#undef SCALAR_END

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
    s->root = &t->node[s->d.root];
    const struct snap_view *v = t->s->sec;
    s->edge = v[SEC_REQ_EDGES].stride == sizeof *s->edge ? (const void *)v[SEC_REQ_EDGES].p : NULL;
    s->slots = v[SEC_REQ_SLOTS].p;
    s->slot_size = v[SEC_REQ_SLOTS].stride;
    s->home = t->home + s->d.base;
    uint32_t words = (s->d.n_bits + 63) / 64;
    for (uint32_t w = 0; w < words; w++)
        s->hits[w] = s->before[w] = 0;
}

bool scan_run(struct scan *s, const struct scan_target *t, uint32_t api, struct str text, enum scan_path path)
{
    struct scan_index *x = &s->x;
    x->p = (const unsigned char *)(text.n ? text.p : "");
    x->n = text.n;
    x->at = x->utf8_at = 0;
    x->in_string = x->scalar = x->escaped = x->wide = x->tails = x->escapes = 0;
    x->low_half = SIZE_MAX;
    x->pending = x->bad = x->ended = false;
    x->n_pos = 0;
    s->refill = scan_fill_for(path);
    s->n_keys = s->serial = s->n_found = s->more = s->n_events = s->n_later = 0;
    s->frame[0].count = s->frame[0].ends = 0;
    s->far_used = s->events_lost = s->counting = s->cuts = s->more_errors = s->more_lossy = false;
    static const struct fit nothing;
    s->fit = nothing;
    if (text.n > LIMIT_JSON_BYTES)
        return fail(s, CODE_json_size, 0);
    watch_init(s, t, api);
    if (!walk(s))
        return false;
    if (api != SNAP_NONE)
        watch_end(s);
    return true;
}
