/*
 * scan.c - the grammar of JSON over a list of marks, and the walk down the trie.
 *
 * Between two marks of the list there is nothing but a string's text, the rest
 * of a number or word, and white space, so that the grammar looks at one byte a
 * mark. Where nobody watches (the node is SNAP_NONE) that is all that happens;
 * where somebody does, keys are looked up by their fingerprint and values are
 * handed to watch.c when they end.
 */
#include "scan.h"

#define NOBODY SNAP_NONE

struct cursor {
    const unsigned char *p;
    size_t n;
    const uint32_t *mark; /* the next one */
    const uint32_t *last; /* within the window SCAN_AHEAD - 1 more follow this one */
};

static bool refill(struct scan *s, struct cursor *c)
{
    struct scan_index *x = &s->x;
    uint32_t left = (uint32_t)(x->pos + x->n_pos - c->mark);
    memmove(x->pos, c->mark, left * sizeof *x->pos);
    x->n_pos = left;
    if (!x->ended && !x->bad)
        s->refill(x);
    c->mark = x->pos;
    /* once the text has ended, its ends stand at the list's end: they are never passed */
    c->last = x->pos + x->n_pos - SCAN_AHEAD;
    return !x->bad && x->n_pos >= SCAN_AHEAD;
}

static inline unsigned char byte_at(const struct cursor *c, size_t at)
{
    return at < c->n ? c->p[at] : 0;
}

static inline bool is_space(unsigned char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* May a number or word end before this byte? */
static inline bool is_end(unsigned char c)
{
    return c == ',' || c == '}' || c == ']' || is_space(c) || c == ':' || c == '[' || c == '{';
}

/* The end of a value whose next mark is `next`. */
static inline size_t back_over_space(const unsigned char *p, size_t next)
{
    while (is_space(p[next - 1]))
        next--;
    return next;
}

static bool fail(struct scan *s, enum code code, size_t at)
{
    s->error = code;
    s->error_at = at;
    return false;
}

/* -- numbers and words -------------------------------------------------------------- */

static inline size_t digits(const struct cursor *c, size_t at)
{
    while (at < c->n && (unsigned)c->p[at] - '0' < 10)
        at++;
    return at;
}

/* Behind the number at `at`; 0 if it is none. */
static size_t number_end(const struct cursor *c, size_t at)
{
    if (c->p[at] == '-')
        at++;
    size_t from = at;
    at = digits(c, at);
    if (at == from || (c->p[from] == '0' && at - from > 1))
        return 0;
    if (byte_at(c, at) == '.') {
        from = ++at;
        at = digits(c, at);
        if (at == from)
            return 0;
    }
    if ((byte_at(c, at) | 0x20) == 'e') {
        at++;
        if (byte_at(c, at) == '+' || byte_at(c, at) == '-')
            at++;
        from = at;
        at = digits(c, at);
        if (at == from)
            return 0;
    }
    return at == c->n || is_end(c->p[at]) ? at : 0;
}

static size_t word_end(const struct cursor *c, size_t at, unsigned *kind)
{
    size_t left = c->n - at, n = c->p[at] == 'f' ? 5 : 4;
    const char *word = c->p[at] == 'f' ? "false" : c->p[at] == 't' ? "true" : "null";
    *kind = c->p[at] == 'f' ? REQ_FALSE : c->p[at] == 't' ? REQ_TRUE : REQ_NULL;
    if (left < n || memcmp(c->p + at, word, n) != 0)
        return 0;
    return left == n || is_end(c->p[at + n]) ? at + n : 0;
}

/* -- keys ------------------------------------------------------------------------------ */

#define KEY_ROOM 512u

/* A key's text without its escapes; SIZE_MAX: too long to say. */
static size_t plain_key(const unsigned char *p, size_t n, unsigned char room[KEY_ROOM])
{
    size_t used = 0, at = 0;
    while (at < n) {
        if (used + 4 > KEY_ROOM)
            return SIZE_MAX;
        used += utf8_put(scan_char(p, n, &at), (char *)room + used);
    }
    return used;
}

static inline struct req_key key_at(const struct cursor *c, size_t at, size_t n)
{
    if (n < 8 && c->n - at >= 8) { /* one load, the rest cut off */
        uint64_t v = req_load(c->p + at, 8);
        return req_key_of(n ? v << (64 - 8 * n) >> (64 - 8 * n) : 0, 0, n);
    }
    return req_key(c->p + at, n);
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

/* Objects with many keys: a table that all of them share. A place whose object is
 * closed is free again; where eight neighbours are taken the key is not kept. */
__attribute__((noinline)) static bool seen_far(struct scan *s, const struct scan_frame *f, uint64_t print, uint32_t at)
{
    if (!s->far_used) {
        memset(s->far, 0, sizeof s->far);
        s->far_used = true;
    }
    uint32_t low = (uint32_t)print;
    struct scan_far_key *put = NULL;
    for (unsigned i = 0; i < 8; i++) {
        struct scan_far_key *k = &s->far[((uint32_t)(print >> 32) + f->serial * 7 + i) & (SCAN_KEYS_FAR - 1)];
        if (k->serial == f->serial && k->print == low && same_key(s->x.p, s->x.n, k->at, at))
            return true;
        bool open = k->serial != 0;
        for (const struct scan_frame *o = f; open && o > s->frame; o--)
            if (o->serial <= k->serial) { /* outer ones are older */
                open = o->serial == k->serial;
                break;
            }
        if (!open && !put)
            put = k;
    }
    if (put)
        *put = (struct scan_far_key){low, at, f->serial};
    return false;
}

static inline bool seen_before(struct scan *s, struct scan_frame *f, uint64_t print, uint32_t at)
{
    uint64_t bit = UINT64_C(1) << (print & 63);
    uint32_t n = s->n_keys - f->keys;
    if (f->bloom & bit)
        for (uint32_t i = f->keys; i < s->n_keys; i++)
            if (s->key[i].print == (uint32_t)(print >> 6) && same_key(s->x.p, s->x.n, s->key[i].at, at))
                return true;
    f->bloom |= bit;
    if (n < SCAN_KEYS_NEAR && s->n_keys < SCAN_KEYS) {
        s->key[s->n_keys++] = (struct scan_key){(uint32_t)(print >> 6), at};
        return false;
    }
    return seen_far(s, f, print, at);
}

static const struct snap_req_node *node_of(const struct scan *s, uint32_t node)
{
    return (const struct snap_req_node *)(const void *)(s->nodes + node * s->node_size);
}

/* The node, or nobody where there is nothing to look at. */
static inline uint32_t awake(const struct scan *s, uint32_t node)
{
    return node != NOBODY && s->t.node[node].first != WATCH_NOBODY ? node : NOBODY;
}

static inline uint64_t word_of(const uint32_t w[2])
{
    return (uint64_t)snap_le32(w[1]) << 32 | snap_le32(w[0]);
}

static uint32_t child_of(const struct scan *s, uint32_t node, const struct req_key *k, const unsigned char *key)
{
    const struct snap_req_node *at = node_of(s, node);
    uint32_t size = snap_le32(at->n_edges);
    if (size) {
        const unsigned char *base = s->edges + snap_le32(at->edges) * s->edge_size;
        for (uint32_t i = (uint32_t)k->hash & (size - 1);; i = (i + 1) & (size - 1)) {
            const struct snap_req_edge *e = (const struct snap_req_edge *)(const void *)(base + i * s->edge_size);
            if (e->node == NOBODY)
                break;
            if (word_of(e->head) == k->head && word_of(e->tail) == k->tail && snap_le32(e->n) == k->n &&
                (k->n <= 16 || memcmp(snap_str(s->t.s, snap_le32(e->key)).p, key, k->n) == 0))
                return awake(s, snap_le32(e->node));
        }
    }
    return awake(s, snap_le32(at->star));
}

/* Is one of the eight bytes a backslash? */
static inline bool has_backslash(uint64_t v)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    v ^= ones * '\\';
    return ((v - ones) & ~v & ones << 7) != 0;
}

/* A key with escapes: the same by its decoded text. */
__attribute__((noinline)) static bool take_escaped_key(struct scan *s, struct scan_frame *f, size_t at, size_t end, uint32_t *node)
{
    unsigned char room[KEY_ROOM];
    size_t n = plain_key(s->x.p + at + 1, end - at - 2, room);
    if (n == SIZE_MAX) {
        *node = f->node == NOBODY ? NOBODY : awake(s, snap_le32(node_of(s, f->node)->star));
        return true;
    }
    struct req_key k = req_key(room, n);
    if (seen_before(s, f, k.hash, (uint32_t)at))
        return false;
    *node = f->node == NOBODY ? NOBODY : child_of(s, f->node, &k, room);
    return true;
}

/* The key at the quote `at`, whose closing quote is p[end - 1]. Gives the node
 * of its value; false if the key stands there for the second time. */
static inline bool take_key(struct scan *s, const struct cursor *c, struct scan_frame *f, size_t at, size_t end, uint32_t *node)
{
    const unsigned char *key = c->p + at + 1;
    size_t n = end - at - 2;
    struct req_key k = key_at(c, at + 1, n);
    if (__builtin_expect(s->x.escapes != 0, 0) && (n > 16 ? memchr(key, '\\', n) != NULL : has_backslash(k.head) || has_backslash(k.tail)))
        return take_escaped_key(s, f, at, end, node);
    if (seen_before(s, f, k.hash, (uint32_t)at))
        return false;
    *node = f->node == NOBODY ? NOBODY : child_of(s, f->node, &k, key);
    return true;
}

/* The same where nobody watches. */
static inline bool skip_key(struct scan *s, const struct cursor *c, struct scan_frame *f, size_t at, size_t end)
{
    uint32_t node;
    size_t n = end - at - 2;
    struct req_key k = key_at(c, at + 1, n);
    if (__builtin_expect(s->x.escapes != 0, 0) &&
        (n > 16 ? memchr(c->p + at + 1, '\\', n) != NULL : has_backslash(k.head) || has_backslash(k.tail)))
        return take_escaped_key(s, f, at, end, &node);
    return !seen_before(s, f, k.hash, (uint32_t)at);
}

/* -- the walk ------------------------------------------------------------------------------ */

static inline void open_frame(struct scan *s, struct scan_frame *f, uint32_t node, size_t at, bool object)
{
    f->node = node;
    f->count = 0;
    f->at = (uint32_t)at;
    f->keys = s->n_keys;
    f->bloom = 0;
    f->serial = ++s->serial;
    f->object = object;
    if (node != NOBODY) {
        uint32_t home = snap_le32(node_of(s, node)->home);
        if (home != NOBODY) {
            f->saved = s->hits[home];
            s->hits[home] = 0;
        }
    }
}

/* A value that somebody watches has ended. A container's home is judged then;
 * `saved` has the bits of the home as they were outside. */
static inline void end_watched(struct scan *s, struct scan_frame *f, uint32_t node, unsigned kind, size_t at, size_t end, uint32_t count,
                               uint64_t saved)
{
    uint32_t home = snap_le32(node_of(s, node)->home);
    if (s->t.node[node].count)
        watch_value(s, node, kind, at, end, count);
    if (home == NOBODY)
        return;
    if ((s->hits[home] & s->pivot[home]) || s->n_later) {
        s->depth = (uint32_t)(f - s->frame); /* of what it stands in */
        watch_home(s, home, 1, (struct scan_place){(uint32_t)at, (uint32_t)end}, f->count);
    }
    s->before[home] = s->hits[home];
    s->hits[home] = saved;
}

#define NEED()                                                                                          \
    do {                                                                                                \
        if (__builtin_expect(c.mark > c.last, 0) && !refill(s, &c))                                     \
            goto broken;                                                                                \
    } while (0)

/* The rest of a container that nobody watches, from behind its bracket to behind
 * the one that ends it: the grammar alone, and equal keys. */
static bool skip(struct scan *s, struct cursor *cursor, struct scan_frame *const base)
{
    struct cursor c = *cursor;
    struct scan_frame *f = base;
    size_t at, end;
    unsigned kind;
    unsigned char byte = f->object ? '{' : '[';

first: /* behind an opening bracket */
    if (byte_at(&c, *c.mark) == byte + 2) /* } and ] come two behind their brothers */
        goto close;
    if (byte == '[')
        goto item;

key:
    NEED();
    at = c.mark[0];
    if (byte_at(&c, at) != '"' || byte_at(&c, c.mark[1]) != ':')
        goto broken;
    end = back_over_space(c.p, c.mark[1]);
    if (!skip_key(s, &c, f, at, end)) {
        fail(s, CODE_json_duplicate_key, at);
        return false;
    }
    c.mark += 2;
    goto value;

item:
    NEED();
value:
    at = *c.mark++;
    byte = byte_at(&c, at);
    if (byte == '{' || byte == '[') {
        if (f == s->frame + LIMIT_JSON_DEPTH)
            return fail(s, CODE_json_depth, at);
        f++;
        f->node = NOBODY;
        f->keys = s->n_keys;
        f->bloom = 0;
        f->serial = ++s->serial;
        f->object = byte == '{';
        goto first;
    }
    if (byte == '"') {
    } else if (byte == '-' || byte - (unsigned)'0' < 10) {
        if (!number_end(&c, at))
            goto broken;
    } else if (byte != 't' && byte != 'f' && byte != 'n') {
        goto broken;
    } else if (!word_end(&c, at, &kind)) {
        goto broken;
    }

after:
    byte = byte_at(&c, *c.mark);
    if (byte == ',') {
        c.mark++;
        if (f->object)
            goto key;
        goto item;
    }
    if (byte != (f->object ? '}' : ']'))
        goto broken;

close:
    NEED();
    c.mark++;
    s->n_keys = f->keys;
    if (f != base) {
        f--;
        goto after;
    }
    *cursor = c;
    return true;

broken:
    return fail(s, CODE_json_syntax, 0);
}

static bool walk(struct scan *s)
{
    struct cursor c = {.p = s->x.p, .n = s->x.n, .mark = s->x.pos, .last = s->x.pos};
    uint32_t node = s->d.root;
    /* the innermost open container; the first frame is for none */
    struct scan_frame *const outside = s->frame, *f = outside;
    size_t at, end;
    unsigned kind;
    unsigned char byte;
    if (!refill(s, &c))
        return fail(s, CODE_json_syntax, 0);

item: /* of an array, or the whole text */
    NEED();
value: /* of a member: the key has seen to its marks */
    at = *c.mark++;
    byte = byte_at(&c, at);
    if (byte == '"') {
        if (node != NOBODY)
            end_watched(s, f, node, REQ_STRING, at, back_over_space(c.p, *c.mark), 0, 0);
    } else if (byte == '{' || byte == '[') {
        if (f == outside + LIMIT_JSON_DEPTH)
            return fail(s, CODE_json_depth, at);
        open_frame(s, ++f, node, at, byte == '{');
        if (node == NOBODY) {
            if (!skip(s, &c, f))
                return false;
            f--;
            goto after;
        }
        if (byte_at(&c, *c.mark) == byte + 2)
            goto close;
        if (byte == '{')
            goto key;
        node = node == NOBODY ? NOBODY : awake(s, snap_le32(node_of(s, node)->item));
        goto item;
    } else if (byte == '-' || byte - (unsigned)'0' < 10) {
        end = number_end(&c, at);
        if (!end)
            goto broken;
        if (node != NOBODY)
            end_watched(s, f, node, REQ_NUMBER, at, end, 0, 0);
    } else if (byte == 't' || byte == 'f' || byte == 'n') {
        end = word_end(&c, at, &kind);
        if (!end)
            goto broken;
        if (node != NOBODY)
            end_watched(s, f, node, kind, at, end, 0, 0);
    } else {
        goto broken;
    }

after: /* a value is behind us, and a mark before us */
    at = *c.mark;
    if (f == outside) {
        if (at != c.n || !s->x.ended)
            goto broken;
        return s->x.bad ? fail(s, CODE_json_syntax, 0) : true;
    }
    f->count++;
    byte = byte_at(&c, at);
    if (byte == ',') {
        c.mark++;
        if (f->object)
            goto key;
        node = f->node == NOBODY ? NOBODY : awake(s, snap_le32(node_of(s, f->node)->item));
        goto item;
    }
    if (byte != (f->object ? '}' : ']'))
        goto broken;

close: /* the bracket that ends f is at the mark */
    NEED();
    end = *c.mark++ + (size_t)1;
    s->n_keys = f->keys;
    f--;
    if (f[1].node != NOBODY)
        end_watched(s, f, f[1].node, f[1].object ? REQ_OBJECT : REQ_ARRAY, f[1].at, end, f[1].count, f[1].saved);
    goto after;

key:
    NEED();
    at = c.mark[0];
    if (byte_at(&c, at) != '"' || byte_at(&c, c.mark[1]) != ':')
        goto broken;
    end = back_over_space(c.p, c.mark[1]);
    if (!take_key(s, &c, f, at, end, &node))
        return fail(s, CODE_json_duplicate_key, at);
    c.mark += 2;
    goto value;

broken:
    return fail(s, CODE_json_syntax, 0);
#undef NEED
}

static void watch_init(struct scan *s, const struct scan_target *t, uint32_t dialect)
{
    s->d = (struct snap_req_dialect){.root = NOBODY};
    if (dialect == SNAP_NONE)
        return;
    s->t = *t;
    s->fit.image_rule = t->images;
    s->d = snap_req_dialect(t->s, dialect);
    const struct snap_view *v = t->s->sec;
    s->nodes = v[SEC_REQ_NODES].p;
    s->node_size = v[SEC_REQ_NODES].stride;
    s->edges = v[SEC_REQ_EDGES].p;
    s->edge_size = v[SEC_REQ_EDGES].stride;
    s->words = v[SEC_REQ_WORDS].p;
    s->slots = v[SEC_REQ_SLOTS].p;
    s->slot_size = v[SEC_REQ_SLOTS].stride;
    uint32_t words = (s->d.n_bits + 63) / 64;
    for (uint32_t w = 0; w < words; w++) {
        s->pivot[w] = t->pivot[s->d.base + w];
        s->hits[w] = s->before[w] = 0;
    }
    memset(s->passed, 0, s->d.root_words * 64 * sizeof *s->passed);
}

bool scan_run(struct scan *s, const struct scan_target *t, uint32_t dialect, struct str text, enum scan_path path)
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
    s->depth = s->n_keys = s->serial = s->n_found = s->more = s->n_events = s->n_later = 0;
    s->frame[0].count = 0;
    s->far_used = s->events_lost = false;
    memset(&s->fit, 0, sizeof s->fit);
    if (text.n > LIMIT_JSON_BYTES)
        return fail(s, CODE_json_size, 0);
    watch_init(s, t, dialect);
    if (!walk(s))
        return false;
    if (dialect != SNAP_NONE)
        watch_end(s);
    return true;
}
