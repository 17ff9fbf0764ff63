/*
 * watch.c - from values to bits, from bits to rules that fire.
 *
 * A slot whose bit no rule that may fire asks for is passed over without a look at the
 * value; with a target that can do everything that is nearly all of them. When
 * an item ends, only rules that hang on one of its bits are looked at.
 */
#include "preflight.h"

#include "base/bits.h"

#include <math.h>

/* -- reading values ------------------------------------------------------------------ */

/* Bytes of a string that is still compared with words; an escape has six for one. */
#define LONGEST_WORD 192u

/* A value as the tests see it. */
struct value {
    unsigned kind;
    const unsigned char *p; /* a string's text without its quotes, or the bytes */
    size_t n;
    uint32_t count;
    bool looked, escaped; /* a string with escapes in its beginning, if it is a long one */
    bool parsed;
    double number; /* valid once parsed */
    size_t at;
};

static bool is_escaped(const struct scan *s, struct value *v)
{
    if (!v->looked) {
        v->escaped = s->x.escapes && memchr(v->p, '\\', v->n < LONGEST_WORD ? v->n : LONGEST_WORD);
        v->looked = true;
    }
    return v->escaped;
}

static double number_of(const struct scan *s, struct value *v)
{
    if (!v->parsed) {
        v->number = scan_value_number(s, v->at, v->at + v->n);
        v->parsed = true;
    }
    return v->number;
}

/* Does the string's text begin with `word`, and is it that word if `whole`? An
 * escape makes a text longer, never shorter. */
static bool text_is(const struct scan *s, struct value *v, struct str word, bool whole)
{
    if (v->n < word.n)
        return false;
    if ((!whole || v->n == word.n) && memcmp(v->p, word.p, word.n) == 0)
        return true;
    return is_escaped(s, v) &&
           (whole ? scan_text_is(v->p, v->n, word) : scan_text_begins(v->p, v->n, word));
}

static bool text_in(const struct scan *s, struct value *v, uint32_t list, bool whole)
{
    uint32_t n = snap_req_count(s->t.s, list);
    for (uint32_t i = 0; i < n; i++)
        if (text_is(s, v, snap_str(s->t.s, snap_req_item(s->t.s, list, i)), whole))
            return true;
    return false;
}

static inline unsigned in_set(const unsigned char *set, unsigned char c)
{
    return set[(c & 127) / 8] >> (c % 8);
}

bool scan_chars_fit(const struct snapshot *s, const unsigned char *p, size_t n, uint32_t list)
{
    const unsigned char *set = s->sec[SEC_REQ_WORDS].p + ((size_t)list + 1) * 4, *rest = set + 16;
    if (scan_chars_plain(s, p, n, list))
        return true;
    for (size_t at = 0; at < n; set = rest) {
        uint32_t c = scan_char(p, n, &at);
        if (c >= 128)
            c = 0; /* which stands for all of them */
        if (!(in_set(set, (unsigned char)c) & 1))
            return false;
    }
    return true;
}

/* The text of the name of the member whose value begins at `at`. */
static bool key_of(const struct scan *s, size_t at, const unsigned char **p, size_t *n)
{
    struct str text = str_make((const char *)s->x.p, s->x.n);
    size_t key;
    if (!locate_key(text, at, &key))
        return false;
    *p = s->x.p + key + 1;
    *n = locate_end(text, key) - key - 2;
    return true;
}

static bool key_passes(const struct scan *s, const struct snap_req_slot *slot,
                       const struct value *v)
{
    const unsigned char *p;
    size_t n;
    if (!key_of(s, v->at, &p, &n))
        return false;
    if (slot->test == TEST_KEY_CHARS)
        return !scan_chars_fit(s->t.s, p, n, slot->arg);
    double length = (double)scan_length(p, n);
    return length < snap_double(slot->lo) || length > snap_double(slot->hi);
}

/* A picture whose bytes are in the request, and a side of which is outside of [lo, hi]. */
static bool side_passes(const struct snap_req_slot *slot, const struct value *v)
{
    uint32_t width, height;
    double lo = snap_double(slot->lo), hi = snap_double(slot->hi);
    if (!fit_picture(v->p, v->n, &width, &height))
        return false;
    return width < lo || width > hi || height < lo || height > hi;
}

static bool above_fact(const struct scan *s, double d, uint32_t field)
{
    unsigned f = field < CANDO_MAX_FIELDS ? s->t.s->field[field] : FIELD_COUNT,
             number = plane_number(f);
    struct scan_trial *trial = s->t.trial;
    if (trial && number != SLOT_NONE)
        trial->most[number] = fmax(trial->most[number], d);
    if (number == SLOT_NONE || !(s->t.planes->number_known >> number & 1))
        return false;
    uint64_t limit = s->t.planes->number[number];
    return d > (double)(int64_t)(limit < INT64_MAX ? limit : INT64_MAX);
}

/* A word that the vocabulary does not know is not in the set either. */
static bool not_in_fact(const struct scan *s, struct value *v, uint32_t field)
{
    char room[LONGEST_WORD];
    struct str word = str_make((const char *)v->p, v->n);
    unsigned f = field < CANDO_MAX_FIELDS ? s->t.s->field[field] : FIELD_COUNT, set = plane_set(f);
    if (s->t.trial && set != SLOT_NONE)
        s->t.trial->sets |= UINT32_C(1) << set;
    if (set == SLOT_NONE || !(s->t.planes->set_known >> set & 1))
        return false;
    if (v->n <= sizeof room && is_escaped(s, v)) { /* decoded it is shorter */
        size_t used = 0;
        for (size_t at = 0; at < v->n;)
            used += utf8_put(scan_char(v->p, v->n, &at), room + used);
        word = str_make(room, used);
    }
    return !(s->t.planes->set[set] & set_bit(f, word));
}

static bool in_range(double d, const struct snap_req_slot *slot)
{
    return d >= snap_double(slot->lo) && d <= snap_double(slot->hi);
}

/* Characters are counted only where bytes do not tell: one has 1 to 12 of them. */
static bool size_in_range(const struct value *v, const struct snap_req_slot *slot)
{
    if (v->kind != REQ_STRING)
        return in_range(v->count, slot);
    double lo = snap_double(slot->lo), hi = snap_double(slot->hi), bytes = (double)v->n,
           least = (double)((v->n + 11) / 12);
    if (bytes < lo || least > hi)
        return false;
    if (least >= lo && bytes <= hi)
        return true;
    return in_range((double)scan_length(v->p, v->n), slot);
}

/* Is the byte at `at` the begin of an escape? The backslashes up to it are odd in number. */
static bool is_escape(const unsigned char *p, size_t at)
{
    size_t slashes = 0;
    while (slashes <= at && p[at - slashes] == '\\')
        slashes++;
    return slashes % 2 == 1;
}

static bool ends_in_space(const struct value *v)
{
    size_t n = v->n, at = n >= 6 ? n - 6 : 0;
    if (n == 0 || v->p[n - 1] == ' ')
        return n != 0;
    if (n >= 2 && strchr("nrt", v->p[n - 1]) && is_escape(v->p, n - 2))
        return true;
    if (n < 6 || v->p[n - 5] != 'u' || !is_escape(v->p, at))
        return false;
    uint32_t c = scan_char(v->p, n, &at);
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

/* Nothing, or nothing but white space. */
static bool is_blank(const struct value *v)
{
    for (size_t at = 0; at < v->n;) {
        uint32_t c = scan_char(v->p, v->n, &at);
        if (c != ' ' && (c < '\t' || c > '\r'))
            return false;
    }
    return true;
}

static bool text_holds(const struct scan *s, const struct value *v, uint32_t list)
{
    uint32_t n = snap_req_count(s->t.s, list);
    for (uint32_t i = 0; i < n; i++)
        if (scan_text_has(v->p, v->n, snap_str(s->t.s, snap_req_item(s->t.s, list, i))))
            return true;
    return false;
}

__attribute__((noinline)) static bool passes(const struct scan *s, const struct snap_req_slot *slot,
                                             struct value *v)
{
    const unsigned sized = REQ_STRING | REQ_ARRAY | REQ_OBJECT;
    switch (slot->test) {
    case TEST_KIND:
        return v->kind & slot->arg;
    case TEST_WORD:
    case TEST_WORDS:
        return v->kind == REQ_STRING && text_in(s, v, slot->arg, true);
    case TEST_NOT_WORDS:
        return v->kind == REQ_STRING && !text_in(s, v, slot->arg, true);
    case TEST_PREFIX:
        return v->kind == REQ_STRING && text_in(s, v, slot->arg, false);
    case TEST_NOT_PREFIX:
        return v->kind == REQ_STRING && !text_in(s, v, slot->arg, false);
    case TEST_INSIDE:
        return v->kind == REQ_NUMBER && in_range(number_of(s, v), slot);
    case TEST_OUTSIDE:
        return v->kind == REQ_NUMBER && !in_range(number_of(s, v), slot);
    case TEST_NOT_WHOLE:
        return v->kind == REQ_NUMBER && floor(number_of(s, v)) != number_of(s, v);
    case TEST_LENGTH:
        return (v->kind & sized) && size_in_range(v, slot);
    case TEST_NOT_LENGTH:
        return (v->kind & sized) && !size_in_range(v, slot);
    case TEST_NOT_CHARS:
        return v->kind == REQ_STRING && !scan_chars_fit(s->t.s, v->p, v->n, slot->arg);
    case TEST_ABOVE_FACT:
        if (v->kind == REQ_NUMBER)
            return above_fact(s, number_of(s, v), slot->arg);
        return v->kind == REQ_ARRAY && above_fact(s, v->count, slot->arg);
    case TEST_NOT_IN_FACT:
        return v->kind == REQ_STRING && not_in_fact(s, v, slot->arg);
    case TEST_ENDS_SPACE:
        return v->kind == REQ_STRING && ends_in_space(v);
    case TEST_NOT_JSON:
        return v->kind == REQ_STRING && !scan_holds_json(v->p, v->n);
    case TEST_BLANK:
        return v->kind == REQ_STRING && is_blank(v);
    case TEST_HOLDS:
        return v->kind == REQ_STRING && text_holds(s, v, slot->arg);
    case TEST_KEY_LENGTH:
    case TEST_KEY_CHARS:
        return key_passes(s, slot, v);
    case TEST_SIDE:
        return v->kind == REQ_STRING && side_passes(slot, v);
    default:
        return false;
    }
}

/* Schemas hold schemas: is the value part of one that will be counted as a whole? */
static bool within_json(const struct scan *s)
{
    for (const struct scan_frame *f = s->in; f > s->frame; f--) {
        const struct cando_watch *w = f->watch;
        for (uint32_t i = 0; i < w->count; i++)
            if (s->t.op[w->first + i].bit == WATCH_NO_BIT &&
                s->t.op[w->first + i].arg == MEASURE_JSON)
                return true;
    }
    return false;
}

static void measure_output(struct fit *f, double d, size_t at)
{
    f->has_output = true;
    f->output = d <= 0 ? 0 : d > 1e15 ? UINT64_C(1000000000000000) : (uint64_t)(int64_t)d;
    f->output_at = (uint32_t)at;
}

__attribute__((noinline)) static void measure(struct scan *s, uint32_t what, struct value *v,
                                              size_t at)
{
    struct fit *f = &s->fit;
    switch (what) {
    case MEASURE_JSON:
        f->json_bytes +=
            (v->kind & (REQ_ARRAY | REQ_OBJECT | REQ_STRING)) && !within_json(s) ? v->n : 0;
        break;
    case MEASURE_IMAGE:
        if (v->kind == REQ_STRING)
            fit_image(f, v->p, v->n);
        break;
    case MEASURE_MEDIA:
        f->media += v->kind != REQ_NULL;
        break;
    case MEASURE_OUTPUT:
        if (v->kind == REQ_NUMBER) {
            measure_output(f, number_of(s, v), at);
        }
        break;
    default:
        break;
    }
}

/* In place where the machine's numbers are the file's; else a copy in `room`. */
static inline const struct snap_req_slot *slot_of(const struct scan *s, uint32_t i,
                                                  struct snap_req_slot *room)
{
#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    *room = snap_req_slot(s->t.s, i);
    return room;
#else
    (void)room;
    return (const struct snap_req_slot *)(const void *)(s->slots + i * s->slot_size);
#endif
}

/* Counts a value that passed; has it been enough of them? */
static bool enough(struct scan *s, unsigned bit, uint32_t at_least)
{
    uint64_t mask = UINT64_C(1) << (bit % 64);
    if (!s->counting)
        memset(s->counted, 0, sizeof s->counted);
    s->counting = true;
    if (!(s->counted[bit / 64] & mask))
        s->passed[bit] = 0;
    s->counted[bit / 64] |= mask;
    return ++s->passed[bit] >= at_least;
}

static inline struct value value_at(const struct scan *s, unsigned kind, size_t at, size_t end)
{
    struct value v;
    size_t quotes = kind == REQ_STRING;
    v.kind = kind;
    v.p = s->x.p + at + quotes;
    v.n = end - at - 2 * quotes;
    v.count = s->count;
    v.looked = v.parsed = false;
    v.at = at;
    return v;
}

/* Any of these kinds sets a bit. */
static inline void watch_kind(struct scan *s, const struct cando_watch *w, unsigned kind, size_t at,
                              size_t end)
{
    if ((w->kinds & kind) && !scan_is_hit(s, w->bit))
        scan_hit(s, w->bit, at, end);
}

/* All tests from `op` on. */
__attribute__((noinline)) static void watch_from(struct scan *s, const struct cando_watch_op *op,
                                                 const struct cando_watch_op *last, unsigned kind,
                                                 size_t at, size_t end)
{
    struct value v = value_at(s, kind, at, end);
    for (; op < last; op++) {
        if (op->bit == WATCH_NO_BIT) {
            measure(s, op->arg, &v, at);
        } else if (op->test == TEST_KIND) {
            if ((op->arg & kind) && !scan_is_hit(s, op->bit))
                scan_hit(s, op->bit, at, end);
        } else if (!scan_is_hit(s, op->bit)) {
            struct snap_req_slot room;
            const struct snap_req_slot *slot = slot_of(s, op->slot, &room);
            bool passed = passes(s, slot, &v);
            if (passed && (slot->at_least == 1 || enough(s, op->bit, slot->at_least)))
                scan_hit(s, op->bit, at, end);
        }
    }
}

void watch_value(struct scan *s, const struct cando_watch *w, unsigned kind, size_t at, size_t end)
{
    const struct cando_watch_op *op = s->t.op + w->first;
    watch_from(s, op, op + w->count, kind, at, end);
}

void watch_container(struct scan *s, const struct cando_watch *w, unsigned kind, size_t at,
                     size_t end)
{
    const struct cando_watch_op *op = s->t.op + w->first, *last = op + w->count;
    for (; op < last; op++) {
        if (op->test == TEST_KIND) {
            if ((op->arg & kind) && !scan_is_hit(s, op->bit))
                scan_hit(s, op->bit, at, end);
            continue;
        }
        struct snap_req_slot room;
        const struct snap_req_slot *slot = slot_of(s, op->slot, &room);
        bool length = op->test == TEST_LENGTH;
        if ((!length && op->test != TEST_NOT_LENGTH) || slot->at_least != 1) {
            watch_from(s, op, last, kind, at, end);
            return;
        }
        if (in_range(s->count, slot) == length && !scan_is_hit(s, op->bit))
            scan_hit(s, op->bit, at, end);
    }
}

/* Is it plain to see that the string does not pass the test? The usual ones are those of names. */
static inline bool fails(struct scan *s, const struct cando_watch_op *op, size_t at, size_t n)
{
    struct snap_req_slot room;
    const struct snap_req_slot *slot = slot_of(s, op->slot, &room);
    if (op->test == TEST_NOT_CHARS)
        return scan_chars_known(s, at, n, slot->arg);
    return op->test == TEST_NOT_LENGTH && scan_length_plain(n, slot->lo, slot->hi);
}

void watch_text(struct scan *s, const struct cando_watch *w, size_t at, size_t end)
{
    const struct cando_watch_op *op = s->t.op + w->first, *last = op + w->count;
    while (op < last && fails(s, op, at, end - at - 2))
        op++;
    if (op < last)
        watch_from(s, op, last, REQ_STRING, at, end);
}

static void test_number(struct scan *s, const struct cando_watch_op *op, double d, size_t at,
                        size_t end)
{
    struct snap_req_slot room;
    const struct snap_req_slot *slot = slot_of(s, op->slot, &room);
    bool passed = false;
    if (op->test == TEST_OUTSIDE)
        passed = !in_range(d, slot);
    else if (op->test == TEST_ABOVE_FACT)
        passed = above_fact(s, d, slot->arg);
    else if (op->test == TEST_MEASURE && op->arg == MEASURE_OUTPUT)
        measure_output(&s->fit, d, at);
    else
        watch_from(s, op, op + 1, REQ_NUMBER, at, end);
    if (passed && !scan_is_hit(s, op->bit))
        scan_hit(s, op->bit, at, end);
}

void watch_number(struct scan *s, struct scan_frame *f, const struct snap_req_way *way, size_t at,
                  size_t end)
{
    uint32_t info = snap_le32(way->info);
    const struct cando_watch *w = &s->t.watch[WAY_WATCH(info)];
    double d = scan_value_number(s, at, end);
    if (!(info & REQ_NUMBER) || ((info & WAY_TESTS) && !scan_shape_takes(s, way, d)))
        scan_shape_value(s, f, way, REQ_NUMBER, at, end, 0);
    watch_kind(s, w, REQ_NUMBER, at, end);
    s->in = f;
    for (uint32_t i = 0; i < w->count; i++)
        test_number(s, &s->t.op[w->first + i], d, at, end);
}

void watch_outer(struct scan *s, const struct cando_watch *w, unsigned kind, size_t at, size_t end)
{
    const struct cando_watch_op *op = s->t.op + w->first + w->count;
    for (;; op++) {
        if (op->test != TEST_KIND)
            watch_from(s, op, op + 1, kind, at, end);
        else if ((op->arg & kind) && !scan_is_hit(s, op->bit))
            scan_hit(s, op->bit, at, end);
        if (op->last)
            return;
    }
}

/* Does the string pass the test? A short word is compared by its numbers (struct req_key). */
static bool word_passes(const struct scan *s, const struct cando_watch_op *op, struct value *v,
                        const struct scan_word *word)
{
    struct snap_req_slot room;
    if (op->test == TEST_KIND)
        return op->arg & REQ_STRING;
    const struct snap_req_slot *slot = slot_of(s, op->slot, &room);
    if (op->test != TEST_WORD)
        return passes(s, slot, v);
    return v->n == slot->hi[0] && word->head == snap_u64(slot->lo) &&
           (uint32_t)word->tail == slot->hi[1];
}

/* Another bit that a word sets, if there is room. */
static void add_bit(struct scan_word *word, unsigned bit)
{
    if (word->n_bits && word->home != bit / 64) {
        word->home = REQ_MAX_WORDS;
        word->mask = 1;
    } else {
        word->home = (uint8_t)(bit / 64);
        word->mask |= UINT64_C(1) << (bit % 64);
    }
    word->bit[word->n_bits++] = (uint16_t)bit;
}

/* Makes all tests of a word, and keeps the bits that it sets; or not the word, if they are many. */
__attribute__((noinline)) static void learn_word(struct scan *s, const struct cando_watch *w,
                                                 struct scan_word *word, size_t at, size_t end)
{
    const struct cando_watch_op *op = s->t.op + w->first, *last = op + w->count;
    struct value v = value_at(s, REQ_STRING, at, end);
    for (; op < last; op++) {
        if (!word_passes(s, op, &v, word))
            continue;
        if (!scan_is_hit(s, op->bit))
            scan_hit(s, op->bit, at, end);
        if (word->n_bits < sizeof word->bit / sizeof *word->bit)
            add_bit(word, op->bit);
        else
            word->where = 0;
    }
}

void watch_word(struct scan *s, struct scan_frame *f, const struct snap_req_way *way, size_t at,
                size_t end, struct scan_word *word)
{
    uint32_t info = snap_le32(way->info);
    const struct cando_watch *w = &s->t.watch[WAY_WATCH(info)];
    bool sound = true;
    s->in = f;
    watch_kind(s, w, REQ_STRING, at, end);
    if (info & WAY_CHOOSES)
        sound = scan_shape_choose(s, f, REQ_STRING, at, end);
    else if (scan_tests_string(info))
        sound = scan_shape_string(s, f, way, at, end);
    if (word) {
        word->node = info & WAY_CHOOSES ? f->node : NULL;
        word->need = f->need;
        if (w->kinds & REQ_STRING)
            add_bit(word, w->bit);
        if (!sound)
            word->where = 0;
    }
    if (!(w->actions & WATCH_MORE) && !(w->initials & watch_letter(s->x.p[at + 1])))
        return;
    if (word)
        learn_word(s, w, word, at, end);
    else
        watch_value(s, w, REQ_STRING, at, end);
}

/* -- rules ------------------------------------------------------------------------------- */

/* Is there a place of the same need already, before this one? One behind it gives way. */
static bool is_needed_before(struct scan *s, uint32_t rule, size_t at)
{
    struct snap_req_rule room;
    uint32_t field = snap_peek_req_rule(s->t.s, rule, &room)->field;
    for (uint32_t i = 0; i < s->n_found; i++) {
        if (snap_peek_req_rule(s->t.s, s->found[i].rule, &room)->field != field)
            continue;
        if (s->found[i].place.at <= at)
            return true;
        s->n_found--;
        memmove(&s->found[i], &s->found[i + 1], (s->n_found - i) * sizeof s->found[i]);
        return false;
    }
    return false;
}

/* There is no room for it. What cannot be mended decides all the same. */
static void count_more(struct scan *s, const struct scan_found *f)
{
    s->more++;
    if (f->rule == SNAP_NONE) {
        s->more_errors |= f->severity == CANDO_ERROR;
        return;
    }
    struct snap_req_rule r = snap_req_rule(s->t.s, f->rule);
    bool error = r.severity == CANDO_ERROR && !bit_get_shared(s->t.only_warns, f->rule);
    s->more_errors |= error && r.fix == FIX_NONE;
    s->more_lossy |= error && (r.flags & REQF_LOSSY);
}

void scan_put_found(struct scan *s, const struct scan_found *f)
{
    if (s->n_found == SCAN_FOUND) {
        count_more(s, f);
        return;
    }
    uint32_t i = s->n_found++;
    while (i > 0 && s->found[i - 1].place.at > f->place.at) {
        s->found[i] = s->found[i - 1];
        i--;
    }
    s->found[i] = *f;
}

void scan_add_found(struct scan *s, uint32_t rule, struct scan_place place, struct scan_place other)
{
    struct scan_found f = {.rule = rule, .place = place, .other = other};
    if (s->t.trial) {
        bit_put(s->t.trial->fired, rule);
        return;
    }
    if (!s->t.once || !is_needed_before(s, rule, place.at))
        scan_put_found(s, &f);
}

static bool all_set(const struct scan *s, const uint64_t *set, uint32_t list)
{
    uint32_t n = snap_req_count(s->t.s, list);
    for (uint32_t i = 0; i < n; i++)
        if (!bit_get(set, snap_req_item(s->t.s, list, i)))
            return false;
    return true;
}

static bool any_set(const struct scan *s, const uint64_t *set, uint32_t list, uint32_t *which)
{
    uint32_t n = snap_req_count(s->t.s, list);
    for (uint32_t i = 0; i < n; i++)
        if (bit_get(set, snap_req_item(s->t.s, list, i))) {
            *which = snap_req_item(s->t.s, list, i);
            return true;
        }
    return false;
}

/* The item of the outermost array that we are in. */
static uint32_t turn_of(const struct scan *s)
{
    return s->in - s->frame >= 2 ? s->frame[2].count : 0;
}

static void add_event(struct scan *s, const struct snap_req_rule *r, struct scan_place place)
{
    if (r->event == EVENT_CUT) {
        s->cuts = true;
        return;
    }
    if (s->n_events == SCAN_EVENTS) {
        s->events_lost = true;
        return;
    }
    s->event[s->n_events++] = (struct scan_event){r->event, turn_of(s), place};
}

static const struct snap_req_beside *beside(const struct scan *s, const struct snap_req_rule *rule,
                                            struct snap_req_beside *room)
{
    return snap_peek_req_beside(s->t.s, rule->beside, room);
}

static void wait_for(struct scan *s, uint32_t word)
{
    s->waits |= UINT64_C(1) << (word % REQ_MAX_WORDS);
}

static uint64_t bits_of(const struct scan *s, uint32_t list)
{
    uint64_t bits = 0;
    for (uint32_t i = 0; i < snap_req_count(s->t.s, list); i++)
        bits |= UINT64_C(1) << (snap_req_item(s->t.s, list, i) % 64);
    return bits;
}

/* Of a rule that wants anything of it. */
static struct scan_outer outer_of(const struct scan *s, const struct snap_req_rule *rule)
{
    struct snap_req_beside room;
    const struct snap_req_beside *b = beside(s, rule, &room);
    return (struct scan_outer){bits_of(s, b->outer_all), bits_of(s, b->outer_none), b->outer};
}

static inline bool outer_fits(const struct scan *s, const struct scan_outer *o)
{
    return (s->hits[o->word] & (o->all | o->none)) == o->all;
}

/* All conditions hold. What `required` names is looked at only now. */
static void conclude(struct scan *s, const struct snap_req_rule *rule, const struct scan_found *f)
{
    if (req_reads_schema(rule->check))
        scan_check(s, f->rule, rule, f->place, f->place);
    else
        scan_add_found(s, f->rule, f->place, f->other);
}

/* All that is about the item is known by now. What a rule wants of the request waits for its
 * end. */
static void settle(struct scan *s, const struct snap_req_rule *rule, const struct scan_found *f)
{
    if (!(rule->flags & REQF_WHOLE))
        conclude(s, rule, f);
    else
        scan_put_off(s, rule, f, s->pending, &s->n_pending, &s->crowd);
}

/* The item is judged. What the rule wants of the item around it waits for that one's end. */
static void settle_item(struct scan *s, const struct snap_req_rule *rule,
                        const struct scan_found *f)
{
    if (rule->flags & REQF_AROUND) {
        struct scan_found waits = *f;
        waits.outer = outer_of(s, rule);
        scan_put_off(s, rule, &waits, s->inner, &s->n_inner, &s->inner_crowd);
        wait_for(s, waits.outer.word);
    } else {
        settle(s, rule, f);
    }
}

/* An item has ended: what was found in items of it and waits for it. */
__attribute__((noinline)) static void try_inner(struct scan *s, uint32_t word)
{
    struct snap_req_rule room;
    struct scan_crowd *c = &s->inner_crowd;
    uint32_t kept = 0, n = s->n_inner;
    for (uint32_t i = 0; i < n; i++) {
        const struct scan_found *f = &s->inner[i];
        if (f->outer.word != word)
            s->inner[kept++] = *f;
        else if (outer_fits(s, &f->outer))
            settle(s, snap_peek_req_rule(s->t.s, f->rule, &room), f);
    }
    s->n_inner = kept;
    n = c->n;
    c->n = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct scan_found f = c->first[i];
        bool open = f.outer.word != word;
        if (open || outer_fits(s, &f.outer))
            scan_crowd_add(s, open ? c : &s->crowd, &f, c->count[i]);
    }
}

/* Do the neighbours of the item allow the rule? The first has none before it. */
__attribute__((noinline)) static bool behind_fits(const struct scan *s,
                                                  const struct snap_req_rule *rule, uint32_t index)
{
    uint32_t which;
    struct snap_req_beside room;
    const struct snap_req_beside *b = beside(s, rule, &room);
    if (b->prev != SNAP_NONE && (index == 0 || !all_set(s, s->before, b->prev)))
        return false;
    return index == 0 || !any_set(s, s->before, b->prev_none, &which);
}

/* Waits for the items behind it. What any later item may take back waits once: the first tells. */
static void wait_later(struct scan *s, const struct snap_req_rule *rule, const struct scan_found *f)
{
    for (uint32_t i = 0; i < s->n_later && (rule->flags & REQF_LATER); i++)
        if (s->later[i].rule == f->rule)
            return;
    if (s->n_later == SCAN_LATER) {
        s->events_lost = true;
        return;
    }
    s->later[s->n_later++] = *f;
    wait_for(s, rule->subject);
    if (rule->flags & REQF_AROUND)
        wait_for(s, outer_of(s, rule).word);
}

/* Do the bits of the subject meet the rule's conditions? `*which` is the first that is set of
 * several of which one is enough. */
static bool bits_fit(const struct scan *s, const struct snap_req_rule *rule, uint32_t *which)
{
    uint32_t denied;
    if (!all_set(s, s->hits, rule->all) || any_set(s, s->hits, rule->none, &denied))
        return false;
    return rule->any == SNAP_NONE || any_set(s, s->hits, rule->any, which);
}

/* The place of the first of the rule's conditions that holds elsewhere. */
static inline struct scan_place other_place(const struct scan *s, const struct snap_req_rule *rule,
                                            struct scan_place place)
{
    uint32_t n = snap_req_count(s->t.s, rule->all);
    for (uint32_t i = 0; i < n; i++) {
        struct scan_place p = s->place[snap_req_item(s->t.s, rule->all, i)];
        if (p.at != place.at)
            return p;
    }
    return (struct scan_place){UINT32_MAX, UINT32_MAX};
}

static inline bool is_later(const struct snap_req_rule *rule)
{
    return rule->flags & (REQF_LAST | REQF_AHEAD);
}

/* Waits all that comes of the rule, once it is met, for the end of the item around? */
static inline bool waits_outer(const struct snap_req_rule *rule)
{
    return (rule->flags & REQF_AROUND) && !is_later(rule) &&
           (rule->check == CHECK_NONE || req_reads_schema(rule->check));
}

static inline void put_outer(const struct scan *s, struct scan_found *f, uint32_t number,
                             const struct snap_req_rule *rule, const struct scan_outer *outer,
                             struct scan_place place, struct scan_place subject)
{
    f->rule = number;
    f->outer = *outer;
    if (req_reads_schema(rule->check)) {
        f->place = subject; /* that is what it looks at, once all else is known */
    } else {
        f->place = place;
        f->other = other_place(s, rule, place);
    }
}

/* There may be no room for another one. */
__attribute__((noinline)) static void wait_crowded(struct scan *s, uint32_t number,
                                                   const struct snap_req_rule *rule,
                                                   const struct scan_outer *outer,
                                                   struct scan_place place,
                                                   struct scan_place subject)
{
    struct scan_found f;
    put_outer(s, &f, number, rule, outer, place, subject);
    scan_put_off(s, rule, &f, s->inner, &s->n_inner, &s->inner_crowd);
}

/* The rule wants something of the item around its own, which has not ended. Mostly there is room,
 * and it is written where it stays. */
static inline void wait_outer(struct scan *s, uint32_t number, const struct snap_req_rule *rule,
                              const struct scan_outer *outer, struct scan_place place,
                              struct scan_place subject)
{
    wait_for(s, outer->word);
    if (__builtin_expect(s->n_inner < SCAN_FOUND, 1))
        put_outer(s, &s->inner[s->n_inner++], number, rule, outer, place, subject);
    else
        wait_crowded(s, number, rule, outer, place, subject);
}

__attribute__((noinline)) static void fire_now(struct scan *s, uint32_t number,
                                               const struct snap_req_rule *rule,
                                               struct scan_place place, struct scan_place subject)
{
    if (waits_outer(rule)) {
        struct scan_outer outer = outer_of(s, rule);
        wait_outer(s, number, rule, &outer, place, subject);
        return;
    }
    struct scan_found f = {.rule = number, .place = place, .other = other_place(s, rule, place)};
    if (req_reads_schema(rule->check))
        f.place = subject; /* that is what it looks at, once all else is known */
    if (is_later(rule))
        wait_later(s, rule, &f);
    else
        settle(s, rule, &f);
}

/* The bits of the subject meet the rule's conditions. */
static inline void fire(struct scan *s, uint32_t number, const struct snap_req_rule *rule,
                        struct scan_place place, struct scan_place subject)
{
    if (rule->check == CHECK_REFS && scan_has_no_ref(s, place))
        s->read_again += place.end - place.at;
    else if (rule->check != CHECK_NONE && !req_reads_schema(rule->check))
        scan_check(s, number, rule, place, subject);
    else
        fire_now(s, number, rule, place, subject);
}

/* The same, if the rule is one about items that stand here. */
static inline void try_rule(struct scan *s, uint32_t number, const struct snap_req_rule *rule,
                            uint32_t which, struct scan_place subject, uint32_t index)
{
    struct scan_place place = subject;
    if ((rule->flags & REQF_FIRST) && index != 0)
        return;
    if ((rule->flags & REQF_BEHIND) && !behind_fits(s, rule, index))
        return;
    if (rule->point != SNAP_NONE && bit_get(s->hits, rule->point))
        place = s->place[rule->point];
    else if (which != WATCH_NO_BIT)
        place = s->place[which];
    if (rule->effect == REQ_EVENT)
        add_event(s, rule, place);
    else
        fire(s, number, rule, place, subject);
}

__attribute__((noinline)) static void try_copy(struct scan *s, uint32_t number, uint32_t which,
                                               struct scan_place subject, uint32_t index)
{
    struct snap_req_rule rule = snap_req_rule(s->t.s, number);
    try_rule(s, number, &rule, which, subject, index);
}

__attribute__((noinline)) static void try_here(struct scan *s, uint32_t number, uint32_t which,
                                               struct scan_place subject, uint32_t index)
{
    const struct snap_req_rule *rule = snap_find_req_rule(s->t.s, number);
    if (rule)
        try_rule(s, number, rule, which, subject, index);
    else
        try_copy(s, number, which, subject, index);
}

/* What waited for the item behind it: here it is, or (`ends`) there is none. */
static void try_later(struct scan *s, const struct scan_found *f, bool ends)
{
    struct snap_req_rule room;
    const struct snap_req_rule *rule = snap_peek_req_rule(s->t.s, f->rule, &room);
    uint32_t which;
    if (rule->flags & REQF_LAST) {
        if (ends)
            settle_item(s, rule, f);
        return;
    }
    struct snap_req_beside around;
    const struct snap_req_beside *b = beside(s, rule, &around);
    if (rule->flags & REQF_LATER) {
        bool taken_back = (b->next != SNAP_NONE && all_set(s, s->hits, b->next)) ||
                          any_set(s, s->hits, b->next_none, &which);
        if (ends)
            settle_item(s, rule, f);
        else if (!taken_back)
            wait_later(s, rule, f);
        return;
    }
    if (ends ? b->next != SNAP_NONE : !all_set(s, s->hits, b->next))
        return;
    if (ends || !any_set(s, s->hits, b->next_none, &which))
        settle_item(s, rule, f);
}

/* Those of a subject whose next item has ended; the first item of an array has no other before it,
 * so that what waits is of an array that has ended. So has one in an item that has. */
__attribute__((noinline)) static void try_waiting(struct scan *s, uint32_t word, bool ends)
{
    struct scan_found due[SCAN_LATER];
    bool last[SCAN_LATER];
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->n_later;) {
        struct snap_req_rule room;
        struct snap_req_beside around;
        const struct snap_req_rule *rule = snap_peek_req_rule(s->t.s, s->later[i].rule, &room);
        bool own = rule->subject == word;
        if (!own && (!(rule->flags & REQF_AROUND) || beside(s, rule, &around)->outer != word)) {
            i++;
            continue;
        }
        last[n] = ends || !own;
        due[n++] = s->later[i];
        s->later[i] = s->later[--s->n_later];
    }
    for (uint32_t i = 0; i < n; i++)
        try_later(s, &due[i], last[i]);
}

/* May the rule fire, which hangs on the bit `pivot`, by the bits of its subject? */
static bool is_met(const struct scan *s, uint32_t number, uint32_t pivot, uint32_t *which)
{
    struct snap_req_rule room;
    *which = WATCH_NO_BIT;
    if (!bit_get_shared(s->t.may_fire, number))
        return false;
    const struct snap_req_rule *rule = snap_peek_req_rule(s->t.s, number, &room);
    if (!bits_fit(s, rule, which))
        return false;
    /* a rule that hangs on alternatives fires for the first of them that is set */
    return rule->all != SNAP_NONE || *which == pivot;
}

#define SET_RULES (sizeof((struct scan_set *)0)->met / sizeof(struct scan_met))

/* The bits of the set meet the rule. */
static void keep_rule(const struct scan *s, struct scan_set *set, uint32_t number, uint32_t which)
{
    uint32_t i = set->n++;
    if (i >= SET_RULES)
        return;
    const struct snap_req_rule *rule = snap_find_req_rule(s->t.s, number);
    struct scan_met *met = &set->met[i];
    *met = (struct scan_met){
        .rule = rule, .number = (uint16_t)number, .which = (uint16_t)which, .place = which};
    if (!rule)
        return;
    met->always = !(rule->flags & (REQF_FIRST | REQF_BEHIND));
    met->waits = waits_outer(rule) && rule->effect != REQ_EVENT;
    if (met->waits)
        met->outer = outer_of(s, rule);
    if (rule->point == SNAP_NONE)
        return;
    if (rule->point / 64 != set->subject)
        met->always = false;
    else if (set->hits >> (rule->point % 64) & 1)
        met->place = (uint16_t)rule->point;
}

/* The rules that hang on a bit of this word, and which of them the bits set off. */
__attribute__((noinline)) static void try_word(struct scan *s, uint32_t word,
                                               struct scan_place subject, uint32_t index,
                                               struct scan_set *set)
{
    for (uint64_t bits = s->hits[word] & s->pivot[word]; bits; bits &= bits - 1) {
        uint32_t bit = word * 64 + (uint32_t)__builtin_ctzll(bits), which;
        struct snap_req_slot room;
        uint32_t rules = slot_of(s, snap_req_item(s->t.s, s->d.bits, bit), &room)->rules,
                 n = snap_req_count(s->t.s, rules);
        for (uint32_t i = 0; i < n; i++) {
            uint32_t number = snap_req_item(s->t.s, rules, i);
            if (!is_met(s, number, bit, &which))
                continue;
            keep_rule(s, set, number, which);
            try_here(s, number, which, subject, index);
        }
    }
}

/* A rule that is known to be met. */
static inline void try_again(struct scan *s, const struct scan_met *met, struct scan_place item,
                             uint32_t index)
{
    const struct snap_req_rule *rule = met->rule;
    if (!met->always) {
        try_here(s, met->number, met->which, item, index);
        return;
    }
    struct scan_place place = met->place == WATCH_NO_BIT ? item : s->place[met->place];
    if (met->waits)
        wait_outer(s, met->number, rule, &met->outer, place, item);
    else if (rule->effect == REQ_EVENT)
        add_event(s, rule, place);
    else
        fire(s, met->number, rule, place, item);
}

void watch_again(struct scan *s, const struct scan_set *set, struct scan_place item, uint32_t index)
{
    for (const struct scan_met *met = set->met, *last = met + set->n; met < last; met++)
        try_again(s, met, item, index);
}

void watch_item(struct scan *s, uint32_t word, struct scan_place item, uint32_t index)
{
    uint64_t hits = s->hits[word];
    unsigned place = scan_set_place(word, hits);
    struct scan_set *set = &s->set[place];
    *set = (struct scan_set){.hits = hits, .subject = (uint16_t)word};
    s->sets_kept |= UINT64_C(1) << place;
    try_word(s, word, item, index, set);
    if (set->n > SET_RULES) /* too many to be kept */
        s->sets_kept &= ~(UINT64_C(1) << place);
}

void watch_waiting(struct scan *s, uint32_t word, uint32_t index)
{
    s->waits ^= UINT64_C(1) << word;
    if (s->n_later)
        try_waiting(s, word, index == 0);
    if (s->n_inner + s->inner_crowd.n)
        try_inner(s, word);
}

/* A value that is not in the text: its findings are about the whole request. */
static void watch_apart(struct scan *s, const struct snap_req_way *way, struct value v)
{
    const struct cando_watch *w = &s->t.watch[WAY_WATCH(snap_le32(way->info))];
    const struct cando_watch_op *op = s->t.op + w->first, *last = op + w->count;
    if (w->kinds & v.kind)
        scan_hit(s, w->bit, 0, 0);
    for (; op < last; op++) {
        struct snap_req_slot room;
        const struct snap_req_slot *slot = slot_of(s, op->slot, &room);
        if (op->bit != WATCH_NO_BIT && passes(s, slot, &v))
            scan_hit(s, op->bit, 0, 0);
    }
}

static struct value text_beside(struct str text)
{
    return (struct value){
        .kind = REQ_STRING, .p = (const unsigned char *)text.p, .n = text.n, .looked = true};
}

void watch_beside(struct scan *s)
{
    const struct scan_beside *b = s->beside;
    const struct snap_req_way *way = scan_way(s, s->d.outside);
    if (way->node == SNAP_NONE)
        return;
    const struct snap_req_node *node = scan_node(s, snap_le32(way->node));
    if (b->version.n)
        watch_apart(s, scan_way_of(s, node, STR("version")), text_beside(b->version));
    way = scan_way_of(s, node, STR("betas"));
    struct value list = {.kind = REQ_ARRAY, .count = (uint32_t)b->n_betas, .looked = true};
    watch_apart(s, way, list);
    if (way->node == SNAP_NONE)
        return;
    way = scan_way(s, snap_le32(scan_node(s, snap_le32(way->node))->item));
    for (size_t i = 0; i < b->n_betas; i++)
        watch_apart(s, way, text_beside(b->beta[i]));
}

/* Do the request's own conditions hold? */
static bool request_fits(const struct scan *s, const struct snap_req_rule *rule)
{
    uint32_t which;
    struct snap_req_beside room;
    const struct snap_req_beside *b = beside(s, rule, &room);
    return all_set(s, s->hits, b->root_all) && !any_set(s, s->hits, b->root_none, &which) &&
           (b->root_any == SNAP_NONE || any_set(s, s->hits, b->root_any, &which));
}

/* So many of a rule had no room, of which the first is this one. They are as good as told where it
 * is full of them anyway. */
static void conclude_crowd(struct scan *s, const struct snap_req_rule *rule,
                           const struct scan_found *first, uint32_t count)
{
    conclude(s, rule, first);
    if (count > 1 && scan_is_looked_at(rule)) {
        s->events_lost = true;
    } else if (count > 1 && !s->t.once && !s->t.trial) {
        s->events_lost |= s->n_found < SCAN_FOUND;
        s->more += count - 2;
        count_more(s, first);
    }
}

/* What waits for them. */
static void try_pending(struct scan *s)
{
    struct snap_req_rule room;
    for (uint32_t i = 0; i < s->n_pending; i++) {
        const struct scan_found *f = &s->pending[i];
        const struct snap_req_rule *rule = snap_peek_req_rule(s->t.s, f->rule, &room);
        if (request_fits(s, rule))
            conclude(s, rule, f);
    }
    for (uint32_t i = 0; i < s->crowd.n; i++) {
        const struct scan_found *f = &s->crowd.first[i];
        const struct snap_req_rule *rule = snap_peek_req_rule(s->t.s, f->rule, &room);
        if (request_fits(s, rule))
            conclude_crowd(s, rule, f, s->crowd.count[i]);
    }
    s->n_pending = s->crowd.n = 0;
}

/* The rules about the whole request. Its bits are several words, and mostly those of the last one
 * for the same target. */
static void judge_request(struct scan *s, struct scan_place all)
{
    size_t words = s->d.root_words;
    struct scan_set *set = &s->whole;
    if (s->whole_kept && memcmp(s->whole_hits, s->hits, words * sizeof *s->hits) == 0) {
        for (uint32_t i = 0; i < set->n; i++)
            try_here(s, set->met[i].number, set->met[i].which, all, 0);
        return;
    }
    *set = (struct scan_set){.subject = UINT16_MAX};
    memcpy(s->whole_hits, s->hits, words * sizeof *s->hits);
    for (uint32_t w = 0; w < words; w++)
        if (s->hits[w] & s->pivot[w])
            try_word(s, w, all, 0, set);
    s->whole_kept = set->n <= SET_RULES;
}

void watch_end(struct scan *s)
{
    struct scan_place all = {0, (uint32_t)s->x.n};
    uint64_t any = s->n_later + s->n_pending + s->crowd.n;
    for (uint32_t w = 0; w < s->d.root_words; w++)
        any |= s->hits[w] & s->pivot[w];
    if (!any)
        return;
    while (s->x.p[all.at] <= ' ') /* it is white space: the text is sound */
        all.at++;
    s->in = s->frame;
    for (uint32_t i = 0; i < s->n_later; i++)
        try_later(s, &s->later[i], true);
    s->n_later = 0;
    judge_request(s, all);
    try_pending(s);
}
