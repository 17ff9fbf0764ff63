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

/* Up to s->last a mark is one of the text's, and one more can be looked at; before s->safe that one
 * is the text's as well, and a key's 16 bytes can be read, have it as many or not. NULL if there
 * is no mark any more, or the text is bad. */
static const uint32_t *window(struct scan *s)
{
    const struct scan_index *x = &s->x;
    s->last = x->pos + x->n_pos - (x->ended ? SCAN_ENDS + 1 : SCAN_AHEAD);
    if (x->bad || x->pos > s->last)
        return NULL;
    s->safe = s->short_keys ? s->last : x->pos;
    while (s->safe > x->pos && s->safe[-1] + SCAN_KEY_ROOM > x->n)
        s->safe--;
    return x->pos;
}

/* The next marks, from `mark` on, or NULL. */
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
    return window(s);
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

/* The kind of a value that is neither string nor container; 0 if it is none, a number if it is no
 * word. */
__attribute__((always_inline)) static inline unsigned literal_kind(const unsigned char *p, size_t n)
{
    switch (*p) {
    case 't':
        return n == 4 && memcmp(p, "true", 4) == 0 ? REQ_TRUE : 0;
    case 'f':
        return n == 5 && memcmp(p, "false", 5) == 0 ? REQ_FALSE : 0;
    case 'n':
        return n == 4 && memcmp(p, "null", 4) == 0 ? REQ_NULL : 0;
    default:
        return REQ_NUMBER;
    }
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

/* Has a string no consequences but those of its shape? */
static inline bool is_unwatched(const struct cando_watch *w)
{
    return w->subject == WATCH_NO_SUBJECT && !(w->actions & WATCH_TEXT) &&
           !((w->kinds | w->asks) & REQ_STRING);
}

#include "scan_keys.h"

/* -- the walk ------------------------------------------------------------------------------ */

/* A frame that has been in use before. */
static inline void open_object(struct scan_frame *f, const struct snap_req_node *node, size_t at)
{
    f->next = f->keys;
    f->bloom = 0;
    if (f->last != node) {
        scan_end_keys(f, f->keys);
        f->last = node;
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
    struct scan_key *const last = s->key + SCAN_KEYS - 1; /* is no key, but may end several lists */
    if (depth <= SCAN_FRAMES_NEAR + 1)
        f->keys = s->key + (depth - 1) * (SCAN_KEYS_NEAR + 1);
    else
        f->keys = f[-1].end < last ? f[-1].end + 1 : last;
    f->full = (size_t)(last - f->keys) < SCAN_KEYS_NEAR ? last : f->keys + SCAN_KEYS_NEAR;
    f->last = f->first = f->item.of = NULL;
    f->way = NULL;
    f->flat = false;
    f->vain = 0;
    scan_end_keys(f, f->keys);
    return true;
}

/* The container that begins in f stands on another way than the last one there. */
static inline void change_way(struct scan *s, struct scan_frame *f, const struct snap_req_way *way)
{
    f->way = way;
    f->first = NULL;
    f->calm = 0;
    if (!way || way->node == SNAP_NONE)
        return;
    uint32_t info = snap_le32(way->info);
    const struct cando_watch *w = watch_at(s, info);
    f->first = scan_node(s, snap_le32(way->node));
    f->watch = w;
    f->plain = (info & (REQ_OBJECT | WAY_COUNTS)) == REQ_OBJECT && !(w->asks & REQ_OBJECT) &&
               !(w->actions & (WATCH_SUBJECTS | WATCH_OUTER));
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

/* Is there a rule to be looked at for a subject with these bits? */
static inline bool sets_off(const struct scan *s, uint32_t subject, uint64_t hits)
{
    unsigned place = scan_set_place(subject, hits);
    if (!(hits & s->pivot[subject]))
        return false;
    return !scan_has_set(s, place, subject, hits) || s->set[place].n;
}

/* A subject is judged when it ends; `saved` has its bits as they were outside. Most have nothing
 * that a rule hangs on: true, then. */
static inline bool end_subject(struct scan *s, struct scan_frame *f, uint32_t subject, size_t at,
                               size_t end, uint64_t saved)
{
    uint64_t hits = s->hits[subject];
    unsigned place = scan_set_place(subject, hits);
    bool kept = scan_has_set(s, place, subject, hits),
         fires = kept ? s->set[place].n : (hits & s->pivot[subject]) != 0;
    s->in = f;
    if (s->waits >> subject & 1)
        watch_waiting(s, subject, f->count);
    if (fires) {
        const struct scan_place item = {(uint32_t)at, (uint32_t)end};
        if (kept)
            watch_again(s, &s->set[place], item, f->count);
        else
            watch_item(s, subject, item, f->count);
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

/* A number or word has ended in the container f. Always true, for those that call it last. */
__attribute__((noinline)) static bool end_scalar(struct scan *s, struct scan_frame *f,
                                                 const struct snap_req_way *way, unsigned kind,
                                                 size_t at, size_t end)
{
    uint32_t info = snap_le32(way->info);
    if (is_quiet(info, kind) && kind != REQ_NULL)
        return true;
    const struct cando_watch *w = watch_at(s, info);
    if (kind == REQ_NUMBER && w->subject == WATCH_NO_SUBJECT) {
        watch_number(s, f, way, at, end);
        return true;
    }
    if (!(info & kind) || (info & WAY_TESTS) || kind == REQ_NULL)
        scan_shape_value(s, f, way, kind, at, end, 0);
    if (__builtin_expect(w->subject != WATCH_NO_SUBJECT, 0)) {
        end_rare(s, f, way, w, kind, at, end);
        return true;
    }
    if ((w->kinds & kind) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, at, end);
    if (!(w->asks & kind))
        return true;
    s->in = f;
    watch_value(s, w, kind, at, end);
    return true;
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

static inline bool is_word(const struct scan_word *word, uint64_t where, uint64_t head,
                           uint64_t tail)
{
    return word->head == head && word->tail == tail && word->where == where;
}

/* The word of a string that scan_short has read, or the place for it. */
static inline struct scan_word *word_at(struct scan *s, uint64_t where, uint64_t head,
                                        uint64_t tail)
{
    uint64_t place = (head ^ where) * UINT64_C(0xA0761D6478BD642F) >> (64 - SCAN_WORD_BITS);
    struct scan_word *word = &s->word[2 * place];
    KEEP(word);
    return __builtin_expect(is_word(word, where, head, tail), 1) ? word : word + 1;
}

/* Some bits of a word, none of which is set. */
static inline void set_bits(struct scan *s, uint32_t home, uint64_t bits, size_t at, size_t end)
{
    struct scan_place *place = s->place + home * 64u;
    s->hits[home] |= bits;
    for (; bits; bits &= bits - 1)
        place[__builtin_ctzll(bits)] = (struct scan_place){(uint32_t)at, (uint32_t)end};
}

/* A word that sets bits of several words. */
__attribute__((noinline)) static void set_each(struct scan *s, const struct scan_word *word,
                                               size_t at, size_t end)
{
    for (unsigned i = 0; i < word->n_bits; i++)
        if (!scan_is_hit(s, word->bit[i]))
            scan_hit(s, word->bit[i], at, end);
}

/* The same where nothing is known of it, or it is too long, or too near to the end. */
__attribute__((noinline)) static void new_word(struct scan *s, struct scan_frame *f,
                                               const struct scan_step *step, size_t at, size_t end)
{
    size_t n = end - at - 2;
    uint64_t head, tail;
    struct scan_word *word = NULL;
    if (n <= 16 && at < s->short_end && scan_short(s->x.p + at + 1, n, &head, &tail)) {
        word = word_at(s, step->where, head, tail); /* the second one: the older of the two goes */
        word[0] = word[-1];
        word--;
        *word = (struct scan_word){.head = head, .tail = tail, .where = step->where};
    }
    watch_word(s, f, step->way, at, end, word);
}

/* A string that is compared with words, or that decides what its object is, and does nothing
 * that its text alone does not settle. Most have been seen before. */
__attribute__((noinline)) static void end_word(struct scan *s, struct scan_frame *f,
                                               struct scan_step *step, size_t at, size_t end)
{
    size_t n = end - at - 2;
    uint64_t head, tail;
    if (__builtin_expect(n > 16 || at >= s->short_end, 0)) {
        new_word(s, f, step, at, end);
        return;
    }
    scan_short(s->x.p + at + 1, n, &head, &tail);
    const struct scan_word *word = step->word;
    if (!is_word(word, step->where, head, tail)) {
        word = word_at(s, step->where, head, tail);
        step->word = word;
        if (__builtin_expect(!is_word(word, step->where, head, tail), 0)) {
            new_word(s, f, step, at, end);
            return;
        }
    }
    uint64_t fresh = word->mask & ~s->hits[word->home];
    if (word->node) {
        f->node = word->node;
        f->need = word->need;
    }
    if (!fresh)
        return;
    if (__builtin_expect(word->home == REQ_MAX_WORDS, 0))
        set_each(s, word, at, end);
    else
        set_bits(s, word->home, fresh, at, end);
}

/* And some shape has more to say of it than that it is a string. */
__attribute__((noinline)) static void end_tested(struct scan *s, struct scan_frame *f,
                                                 const struct scan_step *step, size_t at,
                                                 size_t end)
{
    const struct snap_req_way *way = step->way;
    if (way->info & snap_le32(WAY_CHOOSES))
        scan_shape_choose(s, f, REQ_STRING, at, end);
    else if (!step->type || !scan_shape_fits(s, step, at, end))
        scan_shape_string(s, f, way, at, end);
    watch_string(s, f, way, at, end);
}

/* The same for a string that is neither quiet nor a word. Nothing is left to be done behind what it
 * calls, so that it needs no frame of its own, and the walk keeps all that it has in registers. */
__attribute__((noinline)) static void end_other(struct scan *s, struct scan_frame *f,
                                                const struct scan_step *step, size_t at, size_t end)
{
    uint32_t info = snap_le32(step->way->info);
    if ((info & (REQ_STRING | WAY_TESTS)) != REQ_STRING)
        end_tested(s, f, step, at, end);
    else
        watch_string(s, f, step->way, at, end);
}

/* A string has ended in the container f. */
__attribute__((always_inline)) static inline void end_known(struct scan *s, struct scan_frame *f,
                                                            const struct scan_step *step, size_t at,
                                                            size_t end)
{
    if (step->string <= STRING_TEXT) {
        if (step->string == STRING_TEXT)
            s->fit.text_bytes += end - at - 2;
    } else if (step->string == STRING_NAMED) {
        scan_shape_name(s, step->type->named, at, end);
    } else if (step->string != STRING_TYPED || !step->type || !scan_shape_fits(s, step, at, end)) {
        end_other(s, f, step, at, end);
        return;
    }
    if (step->mask & ~s->hits[step->home])
        scan_hit(s, step->home * 64u + (unsigned)__builtin_ctzll(step->mask), at, end);
}

/* The first one on a step, or the second. */
__attribute__((noinline)) static void end_new(struct scan *s, struct scan_frame *f,
                                              struct scan_step *step, size_t at, size_t end)
{
    uint32_t info = snap_le32(step->way->info);
    enum scan_string kind = string_kind(info, watch_at(s, info));
    if (step->string == STRING_SEEN)
        make_step(s, step);
    else
        step->string = STRING_SEEN;
    if (kind == STRING_WORD) {
        step->where = word_where(s, step);
        step->word = s->word;
        end_word(s, f, step, at, end);
    } else if (kind == STRING_TYPED) {
        scan_shape_string(s, f, step->way, at, end);
    } else if (kind != STRING_QUIET) {
        end_other(s, f, step, at, end);
    }
}

__attribute__((always_inline)) static inline void end_string(struct scan *s, struct scan_frame *f,
                                                             struct scan_step *step, size_t at,
                                                             size_t end)
{
    if (step->string == STRING_QUIET)
        return;
    if (step->string == STRING_WORD)
        end_word(s, f, step, at, end);
    else if (step->string < STRING_NEW)
        end_known(s, f, step, at, end);
    else
        end_new(s, f, step, at, end);
}

static inline uint64_t node_bits(const uint32_t w[2])
{
    return (uint64_t)snap_le32(w[1]) << 32 | snap_le32(w[0]);
}

#include "scan_flat.h"

/* The container f has ended. */
static inline void end_container(struct scan *s, struct scan_frame *f, size_t end)
{
    const struct cando_watch *w = f->watch;
    unsigned kind = f->kind;
    if (__builtin_expect(f->need != 0, 0))
        scan_shape_object(s, f, end);
    if (snap_le32(f->way->info) & WAY_COUNTS)
        scan_shape_container(s, f, end);
    if ((w->kinds & kind) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, f->at, end);
    if (__builtin_expect(w->asks & kind, 0)) {
        s->in = f - 1;
        s->count = f->count;
        watch_container(s, w, kind, f->at, end);
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

/* A number of the container f. False: it is none. */
__attribute__((noinline)) static bool number(struct scan *s, struct scan_frame *f,
                                             const struct snap_req_way *way, size_t at, size_t end)
{
    const unsigned char *p = s->x.p + at;
    if (!is_short_number(s, p, end - at) && !is_number(p, end - at))
        return false;
    return !way || end_scalar(s, f, way, REQ_NUMBER, at, end);
}

/* The bits that a value of this kind sets where it stands in a subject of the same word, if they
 * are all that comes of it. */
static bool literal_bits(const struct scan *s, const struct cando_watch *w, unsigned kind,
                         uint64_t *bits, uint8_t *home)
{
    const struct cando_watch_op *op = s->t.op + w->first + w->count;
    uint32_t word = w->bit / 64;
    *home = (uint8_t)(word % REQ_MAX_WORDS);
    *bits = (uint64_t)((w->kinds & kind) != 0) << (w->bit % 64);
    if ((w->asks & kind) || (w->actions & WATCH_SUBJECTS))
        return false;
    if (w->subject == WATCH_NO_SUBJECT || !(w->actions & WATCH_OUTER))
        return true;
    for (;; op++) {
        if (op->test != TEST_KIND)
            return false;
        if (op->arg & kind) {
            if (*bits && op->bit / 64 != word)
                return false;
            word = op->bit / 64;
            *home = (uint8_t)word;
            *bits |= UINT64_C(1) << (op->bit % 64);
        }
        if (op->last)
            return true;
    }
}

/* A word that is no number, for the first time on this step or not as the last time. */
__attribute__((noinline)) static bool end_literal(struct scan *s, struct scan_frame *f,
                                                  struct scan_step *step, unsigned kind, size_t at,
                                                  size_t end)
{
    uint32_t info = snap_le32(step->way->info);
    const struct cando_watch *w = watch_at(s, info);
    bool plain = kind != REQ_NULL && (info & kind) && !(info & WAY_TESTS);
    step->literal = 0;
    if (plain && literal_bits(s, w, kind, &step->literal_mask, &step->literal_home)) {
        step->subject = w->subject;
        step->literal = (uint8_t)kind;
    }
    return end_scalar(s, f, step->way, kind, at, end);
}

/* A number or word of the container f. False: it is neither. */
__attribute__((noinline)) static bool scalar(struct scan *s, struct scan_frame *f,
                                             struct scan_step *step, size_t at, size_t end)
{
    unsigned kind = literal_kind(s->x.p + at, end - at);
    if (kind == REQ_NUMBER)
        return number(s, f, step ? step->way : NULL, at, end);
    if (!kind || !step)
        return kind;
    if (step->literal != kind ||
        (step->subject != WATCH_NO_SUBJECT && f->watch->subject != step->subject))
        return end_literal(s, f, step, kind, at, end);
    uint64_t fresh = step->literal_mask & ~s->hits[step->literal_home];
    if (fresh)
        set_bits(s, step->literal_home, fresh, at, end);
    return true;
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
    if (__builtin_expect(!is_expected(f->next, p, mark[0], mark[1]), 0) &&
        !is_expected_long(f->next, p, mark[0], mark[1])) {
        if (!other_key(s, f, mark))
            return NULL;
        mark++;
        goto value;
    }
    f->next->at = mark[0];
    f->next++;
    mark++;
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
    gap = scalar_end(p, *mark);
    if (!scalar(s, f, NULL, at, gap.end))
        goto broken;
    between = gap.between;

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
    struct gap gap = gap_before(p, next);
    if (gap.between || next != s->x.n || !s->x.ended)
        return fail(s, CODE_json_syntax, 0);
    struct scan_step *step = s->root ? &s->step : NULL;
    if (step)
        begin_step(step, s->root, NULL);
    if (p[at] != '"') {
        if (!scalar(s, s->frame, step, at, gap.end))
            return fail(s, CODE_json_syntax, 0);
    } else if (p[gap.end - 1] != '"') {
        return fail(s, CODE_json_syntax, 0);
    } else if (step) {
        end_string(s, s->frame, step, at, gap.end);
    }
    s->frame[0].count++;
    return true;
}

__attribute__((noinline, aligned(64))) static bool walk(struct scan *s)
{
    const unsigned char *const p = s->x.p;
    struct scan_step *step = &s->step; /* to the value that is looked at */
    const struct snap_req_way *way;
    const struct snap_req_node *node;
    struct scan_frame *f = s->frame; /* the innermost open container; the first frame is for none */
    struct scan_key *key;
    size_t at = 0, next;
    unsigned pair, between;
    struct gap gap;
    const uint32_t *mark = s->marked ? window(s) : refill(s, s->x.pos);
    s->marked = false;
    s->step.way = s->root;
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
    if (__builtin_expect(!is_expected(key, p, mark[0], mark[1]), 0) &&
        !is_expected_long(key, p, mark[0], mark[1]))
        goto other_key;
    step = take_key(s, f, mark[0]);
    if (__builtin_expect(!step, 0))
        goto other_key;
    STEP(mark, 1);
value: /* at the mark, in f */
    at = mark[0];
    if (__builtin_expect(p[at] == '"', 1)) {
        next = mark[1];
        STEP(mark, 1);
        pair = pair_at(p + next - 2);
        if (__builtin_expect(pair == PAIR('"', ','), 1)) {
            end_string(s, f, step, at, next - 1);
            goto comma;
        }
        if (__builtin_expect(pair >> 8 != '"', 0))
            goto loose_string;
        end_string(s, f, step, at, next);
        goto last;
    }
    if ((p[at] | 0x20) == '{')
        goto open;
    STEP(mark, 1);
    gap = scalar_end(p, *mark);
    if (!scalar(s, f, step, at, gap.end))
        goto broken;
    between = gap.between;

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
    step = &f->item;
    goto value;

open: /* the container at the mark, which is at `at` */
    STEP(mark, 1);
    STEP(f, 1);
    way = step->way;
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
        if (f->flat && f->plain && f->last == node && is_worth_it(f)) {
            const uint32_t *behind = flat(s, f, mark);
            if (behind) {
                mark = behind;
                at = mark[-1];
                f->vain = 0;
                STEP(f, -1);
                goto closed;
            }
        }
        open_object(f, node, at);
        f->need = node_bits(node->counted);
        open_subject(s, f, f->watch);
        if (__builtin_expect(!(way->info & snap_le32(REQ_OBJECT)), 0))
            scan_shape_value(s, f - 1, way, REQ_OBJECT, at, at + 1, 0);
        goto key; /* if it is empty, there is none */
    } else {
        open_array(f, node, at);
        f->need = 0;
        if (__builtin_expect(f->item.of != node, 0))
            begin_step(&f->item, scan_way(s, snap_le32(node->item)), node);
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
    step = far_key(s, f, mark);
    if (!step)
        return false;
    STEP(mark, 1);
    goto value;

other_key:
    if (f->count == 0 && p[*mark] == '}')
        goto close;
    step = other_key(s, f, mark);
    if (!step)
        return false;
    STEP(mark, 1);
    goto value;

loose_string:
    gap = gap_before(p, next);
    if (p[gap.end - 1] != '"')
        goto broken;
    end_string(s, f, step, at, gap.end);
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
    s->hits[REQ_MAX_WORDS] = 0;
    memset(s->before, 0, s->d.n_bits / 8);
}

/* Drops what is known of requests for one target and one API. */
static void forget(struct scan *s)
{
    s->known = s->frame;
    s->sets_kept = 0;
    s->whole_kept = false;
    s->n_keys = 0;
    s->list_way = NULL;
    s->dollars = false;
    for (unsigned i = 0; i < SCAN_WORDS; i++)
        s->word[i].where = 0;
    for (unsigned i = 0; i < SCAN_TURNS; i++)
        s->turn[i].key = 0;
}

/* Begins the list of marks. */
static void begin_marks(struct scan *s, struct str text, enum scan_path path)
{
    s->x.p = (const unsigned char *)(text.n ? text.p : "");
    s->x.n = text.n;
    scan_index_begin(&s->x);
    s->refill = scan_fill_for(path);
}

bool scan_mark(struct scan *s, struct str text)
{
    s->marked = false;
    if (!text.n || text.n > LIMIT_JSON_BYTES)
        return false;
    begin_marks(s, text, SCAN_BEST);
    s->refill(&s->x);
    s->marked = s->x.ended && !s->x.bad;
    return s->marked;
}

void scan_take_marks(struct scan *s, const struct scan *from)
{
    const struct scan_index *x = &from->x;
    size_t first = 0;
    while (first < x->n && is_space(x->p[first]))
        first++;
    s->marked = x->ended && !x->bad && x->n_pos > SCAN_ENDS && x->pos[0] == first;
    if (s == from || !s->marked)
        return;
    memcpy(&s->x, x, offsetof(struct scan_index, pos) + x->n_pos * sizeof *x->pos);
    s->refill = from->refill;
}

bool scan_run(struct scan *s, const struct scan_target *t, uint32_t api, struct str text,
              enum scan_path path)
{
    s->short_end = text.n > 16 ? text.n - 16 : 0;
    s->marked = s->marked && (const char *)s->x.p == text.p && s->x.n == text.n;
    if (!s->marked)
        begin_marks(s, text, path);
    s->serial = s->n_found = s->more = s->n_events = s->n_later = s->n_inner = s->n_pending =
        s->crowd.n = s->inner_crowd.n = s->n_named = 0;
    s->frame[0].count = 0;
    s->frame[0].ends = SCAN_NO_END;
    s->frame[0].node = NULL;
    s->frame[0].need = 0;
    s->read_again = s->waits = 0;
    s->plain_set = NULL;
    s->no_dollar = (struct scan_place){0, 0};
    s->far_used = s->events_lost = s->counting = s->cuts = s->more_errors = s->more_lossy = false;
    static const struct fit nothing;
    s->fit = nothing;
    if (text.n > LIMIT_JSON_BYTES)
        return fail(s, CODE_json_size, 0);
    uint64_t id = api != SNAP_NONE && !s->n_alias ? t->id : 0;
    if (!id || s->kept_of != id || s->kept_api != api) {
        forget(s);
        watch_init(s, t, api);
        s->kept_of = id;
        s->kept_api = api;
    }
    if (s->root) {
        if (t != &s->t)
            s->t = *t;
        s->fit.image_rule = t->images;
        s->fit.family = t->family;
        memset(s->hits, 0, s->d.n_bits / 8);
        memset(s->before, 0, s->d.n_bits / 8);
    }
    if (s->root && s->d.outside != SNAP_NONE && s->beside && s->beside->known)
        watch_beside(s);
    s->short_keys = (!s->root || s->way) && !s->n_alias;
    if (!walk(s))
        return false;
    if (api != SNAP_NONE)
        watch_end(s);
    return true;
}
