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

/* The compiler takes a pointer and what is made of it for several things worth a register each. */
#define KEEP(pointer) __asm__("" : "+r"(pointer))
#define STEP(pointer, by)                                                                          \
    do {                                                                                           \
        (pointer) += (by);                                                                         \
        KEEP(pointer);                                                                             \
    } while (0)

static inline unsigned pair_at(const unsigned char *p)
{
    return p[0] | (unsigned)p[1] << 8;
}
#define PAIR(a, b) ((unsigned char)(a) | (unsigned)(unsigned char)(b) << 8)

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
__attribute__((always_inline)) static inline unsigned scalar_kind(struct scan *s,
                                                                  const unsigned char *p, size_t n)
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

#include "scan_keys.h"

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
    f->last = f->first = NULL;
    f->way = NULL;
    f->end = f->keys;
    return true;
}

static inline const struct cando_watch *watch_at(const struct scan *s, uint32_t info)
{
    return &s->t.watch[WAY_WATCH(info)];
}

/* The container that begins in f stands on another way than the last one there. */
static inline void change_way(struct scan *s, struct scan_frame *f, const struct snap_req_way *way)
{
    f->way = way;
    f->first = NULL;
    f->calm = 0;
    if (!way || way->node == SNAP_NONE)
        return;
    f->first = scan_node(s, snap_le32(way->node));
    f->watch = watch_at(s, snap_le32(way->info));
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
 * that a rule hangs on: true, then. */
static inline bool end_subject(struct scan *s, struct scan_frame *f, uint32_t subject, size_t at,
                               size_t end, uint64_t saved)
{
    uint64_t hits = s->hits[subject];
    unsigned place = scan_set_place(subject, hits);
    bool fires =
        (hits & s->pivot[subject]) && (!scan_has_set(s, place, subject, hits) || s->set[place].n);
    if (fires || (s->waits >> subject & 1)) {
        s->in = f;
        watch_item(s, subject, (struct scan_place){(uint32_t)at, (uint32_t)end}, f->count);
    }
    s->before[subject] = hits;
    s->hits[subject] = saved;
    return !fires;
}

/* The same for the container f, whose subject may have the same bits as the last one's had. */
static inline void end_own_subject(struct scan *s, struct scan_frame *f, uint32_t subject,
                                   size_t end)
{
    uint64_t hits = s->hits[subject];
    if (__builtin_expect(hits == f->calm && !(s->waits >> subject & 1), 1)) {
        s->before[subject] = hits;
        s->hits[subject] = f->saved;
    } else if (end_subject(s, f - 1, subject, f->at, end, f->saved)) {
        f->calm = hits;
    }
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
    if (w->asks & kind)
        watch_value(s, w, kind, at, end);
    if (!is_within(s, f, w->subject))
        end_subject(s, f, w->subject, at, end, 0);
    else if (w->actions & WATCH_OUTER)
        watch_outer(s, w, kind, at, end);
    if (w->actions & WATCH_SUBJECTS)
        end_subjects(s, f, way, at, end);
}

/* A value of no great interest: its kind is allowed, and nobody tests or watches it. */
static inline bool is_quiet(uint32_t info, unsigned kind)
{
    return (info & (kind | WAY_TESTS | ~UINT32_C(0x1ffff))) == kind;
}

/* A number or word has ended in the container f. */
__attribute__((always_inline)) static inline void end_scalar(struct scan *s, struct scan_frame *f,
                                                             const struct snap_req_way *way,
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
    if (!(w->asks & kind))
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
    if (!(w->asks & REQ_STRING))
        return;
    s->in = f;
    watch_text(s, w, at, end);
}

/* Where a string of n bytes stands, in one number: its way, or if it decides what its object is,
 * the node that is not decided yet; and n. Addresses have no use for their uppermost byte. */
static inline uint64_t word_where(const struct snap_req_way *way, const struct snap_req_node *node,
                                  size_t n)
{
    const void *where = way->info & snap_le32(WAY_CHOOSES) ? (const void *)node : way;
    return (uint64_t)(uintptr_t)where ^ (uint64_t)n << 56;
}

/* The place of `word` for a string that scan_short has read. */
static inline unsigned word_place(uint64_t where, uint64_t head, uint64_t tail)
{
    return (unsigned)((head ^ tail ^ where) * UINT64_C(0xA0761D6478BD642F) >> 58);
}

/* A string that is compared with words, or that decides what its object is, and does nothing
 * that its text alone does not settle. Most have been seen before. */
__attribute__((noinline)) static void end_word(struct scan *s, struct scan_frame *f,
                                               const struct snap_req_way *way, size_t at,
                                               size_t end)
{
    size_t n = end - at - 2;
    uint64_t head, tail;
    if (n > 16 || s->x.n - at <= 16 || !scan_short(s->x.p + at + 1, n, &head, &tail)) {
        watch_word(s, f, way, at, end, NULL);
        return;
    }
    uint64_t where = word_where(way, f->node, n);
    unsigned place = word_place(where, head, tail);
    struct scan_word *word = &s->word[place];
    KEEP(word);
    uint64_t other = (word->head ^ head) | (word->tail ^ tail) | (word->where ^ where);
    if (__builtin_expect(other != 0 || !(s->words_kept >> place & 1), 0)) {
        s->words_kept &= ~(UINT64_C(1) << place);
        word->where = where;
        word->head = head;
        word->tail = tail;
        watch_word(s, f, way, at, end, word);
        return;
    }
    for (unsigned i = 0; i < word->n_bits; i++)
        if (!scan_is_hit(s, word->bit[i]))
            scan_hit(s, word->bit[i], at, end);
    if (word->node) {
        f->node = word->node;
        f->need = word->need;
        scan_note_choice(f);
    }
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

/* Has a string no consequences but those of its shape? */
static inline bool is_unwatched(const struct cando_watch *w)
{
    return w->subject == WATCH_NO_SUBJECT && !(w->actions & WATCH_TEXT) &&
           !((w->kinds | w->asks) & REQ_STRING);
}

/* The same for a string that is not quiet. Nothing is left to be done behind what it calls, so
 * that it needs no frame of its own, and the walk keeps all that it has in registers. */
__attribute__((noinline)) static void end_string(struct scan *s, struct scan_frame *f,
                                                 const struct snap_req_way *way, size_t at,
                                                 size_t end)
{
    uint32_t info = snap_le32(way->info);
    const struct cando_watch *w = watch_at(s, info);
    if ((w->actions & WATCH_WORDS) || ((info & WAY_CHOOSES) && !(w->actions & WATCH_EACH)))
        end_word(s, f, way, at, end);
    else if ((info & (REQ_STRING | WAY_TESTS)) != REQ_STRING && is_unwatched(w))
        scan_shape_string(s, f, way, at, end);
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
    if (__builtin_expect(w->asks & kind, 0)) {
        s->in = f - 1;
        s->count = f->count;
        watch_value(s, w, kind, f->at, end);
    }
    if (w->subject != WATCH_NO_SUBJECT)
        end_own_subject(s, f, w->subject, end);
    if (__builtin_expect(w->actions & (WATCH_TURN | WATCH_SUBJECTS | WATCH_OUTER), 0)) {
        s->fit.turns += (w->actions & WATCH_TURN) != 0;
        s->in = f - 1;
        s->count = f->count;
        if (w->actions & WATCH_SUBJECTS)
            end_subjects(s, f - 1, f->way, f->at, end);
        if (w->actions & WATCH_OUTER)
            watch_outer(s, w, kind, f->at, end);
    }
}

/* There is a mark, and the one behind it may be looked at. */
#define NEED()                                                                                     \
    do {                                                                                           \
        if (__builtin_expect(mark > s->last, 0)) {                                                 \
            mark = refill(s, mark);                                                                \
            if (!mark)                                                                             \
                goto broken;                                                                       \
        }                                                                                          \
    } while (0)

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
    size_t at, next;
    unsigned pair, between;
    struct gap gap;
    if (p[*mark] == f->ends)
        goto close;

comma: /* a value and a comma are behind us, or the bracket of f */
    if (f->ends != '}')
        goto item;
key:
    if (__builtin_expect(mark >= s->safe, 0))
        goto far_key;
    if (__builtin_expect(f->next >= f->end || !is_expected(f->next, p, mark[0], mark[1]), 0)) {
        if (!other_key(s, f, mark))
            return NULL;
        mark++;
        goto value;
    }
    mark++;
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
    if (!far_key(s, f, mark))
        return NULL;
    mark++;
    goto value;

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
    const struct snap_req_way *way = s->root;
    const struct snap_req_node *node;
    struct scan_frame *f = s->frame; /* the innermost open container; the first frame is for none */
    struct scan_key *key;
    size_t at = 0, next;
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
    key = f->next;
    if (__builtin_expect(key >= f->end || !is_expected(key, p, mark[0], mark[1]), 0))
        goto other_key;
    way = key->way;
    f->next = key + 1;
    f->need &= key->others;
    STEP(mark, 1);
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
    if (__builtin_expect(mark > s->last, 0))
        goto need_last;
have_last:
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
    if (__builtin_expect(f->way != way, 0))
        change_way(s, f, way);
    node = f->first;
    if (!node)
        goto skip;
    if (p[at] == '{') {
        open_object(f, node, at);
        f->need = node_bits(node->counted);
        open_subject(s, f, f->watch);
        if (__builtin_expect(!(way->info & snap_le32(REQ_OBJECT)), 0))
            scan_shape_value(s, f - 1, way, REQ_OBJECT, at, at + 1, 0);
        goto key; /* if it is empty, there is none */
    } else {
        open_array(f, node, at);
        f->need = 0;
        f->item = scan_way(s, snap_le32(node->item));
        open_subject(s, f, f->watch);
        if (__builtin_expect(!(way->info & snap_le32(REQ_ARRAY)), 0))
            scan_shape_value(s, f - 1, way, REQ_ARRAY, at, at + 1, 0);
        if (p[next] != ']')
            goto item;
        goto close;
    }

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

need_last: /* the window ends here, or the text does */
    if (f == s->frame) {
        if (*mark != s->x.n || !s->x.ended)
            goto broken;
        return true;
    }
    mark = refill(s, mark);
    if (!mark)
        goto broken;
    goto have_last;

far_key: /* the same for a key */
    mark = refill(s, mark);
    if (!mark)
        goto broken;
    if (mark < s->safe)
        goto key;
    if (f->count == 0 && p[*mark] == '}')
        goto close;
    if (mark == s->last)
        goto broken;
    way = far_key(s, f, mark);
    if (!way)
        return false;
    STEP(mark, 1);
    goto value;

other_key:
    if (f->count == 0 && p[*mark] == '}')
        goto close;
    way = other_key(s, f, mark);
    if (!way)
        return false;
    STEP(mark, 1);
    goto value;

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
    s->tables = v[SEC_REQ_TABLES].p;
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
    s->frame[0].count = 0;
    s->frame[0].ends = SCAN_NO_END;
    s->frame[0].node = NULL;
    s->frame[0].need = 0;
    s->read_again = s->words_kept = s->sets_kept = s->waits = 0;
    s->no_dollar = (struct scan_place){0, 0};
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
