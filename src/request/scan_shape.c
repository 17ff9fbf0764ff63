/*
 * scan_shape.c - what shapes find (docs/request-shapes.md).
 *
 * The walk itself sees whether a value's kind is allowed, and whether a member is missing. All
 * else is here: the tests of a value, groups of members, the word that says which of several
 * objects one is, and how loud a finding is for this target.
 */
#include "preflight.h"

#include "base/bits.h"

#include <math.h>

static struct snap_req_said said_of(const struct snapshot *s, const struct scan_found *f)
{
    if (f->member != SNAP_NONE)
        return snap_req_said(s, snap_req_member(s, f->member).said);
    return snap_req_said(s, snap_req_object(s, f->object).said);
}

/* Does "shape", "shape.member", "shape.*" or "*" mean this one? */
static bool is_meant(struct str pattern, struct str object, struct str member)
{
    if (str_is(pattern, "*") || str_eq(pattern, object))
        return true;
    if (object.n == 0)
        return str_eq(pattern, member);
    if (!str_starts(pattern, object) || pattern.n < object.n + 2 || pattern.p[object.n] != '.')
        return false;
    struct str rest = str_from(pattern, object.n + 1);
    return member.n && (str_is(rest, "*") || str_eq(rest, member));
}

void scan_shape_names(const struct snapshot *s, const struct scan_found *f, struct str *object,
                      struct str *member)
{
    uint32_t number = f->object;
    *object = *member = STR("");
    if (f->member != SNAP_NONE) {
        struct snap_req_member m = snap_req_member(s, f->member);
        *member = snap_str(s, m.name);
        number = m.object;
    }
    if (number == SNAP_NONE)
        return;
    struct snap_req_object o = snap_req_object(s, number);
    *object = snap_str(s, o.name);
    if (f->wrong == WRONG_REQUIRED && f->bit < snap_req_count(s, o.names))
        *member = snap_str(s, snap_req_item(s, o.names, f->bit));
}

static bool adjusts(const struct snapshot *s, const struct snap_req_rule *r,
                    const struct scan_found *f)
{
    struct str object, member;
    if (!(snap_req_item(s, r->adjusts, 0) >> f->wrong & 1))
        return false;
    scan_shape_names(s, f, &object, &member);
    for (uint32_t i = 1; i < snap_req_count(s, r->adjusts); i++)
        if (is_meant(snap_str(s, snap_req_item(s, r->adjusts, i)), object, member))
            return true;
    return false;
}

/* How loud it is; false: it is not said at all. The last adjustment that is about it counts. */
static bool weigh(const struct scan *s, struct scan_found *f)
{
    const struct snapshot *snap = s->t.s;
    f->severity = said_of(snap, f).severity;
    if (f->wrong == WRONG_ENUM && f->member != SNAP_NONE && f->severity == CANDO_ERROR &&
        (snap_req_type(snap, snap_req_member(snap, f->member).type).flags & TYPEF_OPEN))
        f->severity = CANDO_NOTE;
    for (uint32_t i = 0; i < s->d.n_adjusts; i++) {
        uint32_t number = s->d.rules + s->d.n_rules - 1 - i;
        struct snap_req_rule room;
        const struct snap_req_rule *r = snap_peek_req_rule(snap, number, &room);
        if (!bit_get_shared(s->t.may_fire, number) || !adjusts(snap, r, f))
            continue;
        f->severity = r->severity;
        return r->check != CHECK_OFF;
    }
    return true;
}

__attribute__((noinline)) static void add_wrong(struct scan *s, enum req_wrong wrong,
                                                uint32_t member, uint32_t object, uint32_t bit,
                                                size_t at, size_t end)
{
    struct scan_found f = {
        .rule = SNAP_NONE,
        .place = {(uint32_t)at, (uint32_t)end},
        .other = {UINT32_MAX, UINT32_MAX},
        .wrong = wrong,
        .member = member,
        .object = object,
        .bit = bit,
    };
    if (member == SNAP_NONE && object == SNAP_NONE)
        return;
    if (weigh(s, &f))
        scan_put_found(s, &f);
}

#define BASE64_HEAD 256u

/* -- tests of a value ------------------------------------------------------------------- */

static bool in_range(double d, const struct snap_req_range *range)
{
    return d >= snap_double(range->lo) && d <= snap_double(range->hi);
}

static bool number_fits(const struct snap_req_type *t, double d)
{
    if (!in_range(d, &t->range))
        return false;
    return !((t->flags & TYPEF_ABOVE) && d == snap_double(t->range.lo)) &&
           !((t->flags & TYPEF_BELOW) && d == snap_double(t->range.hi));
}

static bool is_word(const unsigned char *p, size_t n, struct str word)
{
    if (n == word.n && memcmp(p, word.p, n) == 0)
        return true;
    return n > word.n && memchr(p, '\\', n) && scan_text_is(p, n, word);
}

static bool is_one_of(const struct snapshot *s, uint32_t list, const unsigned char *p, size_t n)
{
    for (uint32_t i = 0; i < snap_req_count(s, list); i++)
        if (is_word(p, n, snap_str(s, snap_req_item(s, list, i))))
            return true;
    return false;
}

static bool begins_right(const struct snapshot *s, uint32_t list, const unsigned char *p, size_t n)
{
    for (uint32_t i = 0; i < snap_req_count(s, list); i++)
        if (scan_text_begins(p, n, snap_str(s, snap_req_item(s, list, i))))
            return true;
    return false;
}

/* Characters are counted only where bytes do not tell: one has 1 to 12 of them. */
static bool length_fits(const struct snap_req_type *t, const unsigned char *p, size_t n)
{
    double lo = snap_double(t->length.lo), hi = snap_double(t->length.hi);
    if (lo <= 0 && hi == INFINITY)
        return true;
    double most = (double)n, least = (double)((n + 11) / 12);
    if (least >= lo && most <= hi)
        return true;
    return in_range((double)scan_length(p, n), &t->length);
}

/* Its beginning is looked at: what is no base64 at all hardly begins like it. Lines may be broken.
 */
static bool is_base64(const unsigned char *p, size_t n)
{
    for (size_t at = 0; at < n && at < BASE64_HEAD;) {
        uint32_t c = scan_char(p, n, &at);
        bool letter = (c | 0x20) - 'a' < 26 || c - '0' < 10;
        if (c == '=')
            return true;
        if (!letter && c != '+' && c != '/' && c != '-' && c != '_' && c != '\n' && c != '\r')
            return false;
    }
    return true;
}

static enum req_wrong string_wrong(const struct snapshot *s, const struct snap_req_type *t,
                                   const unsigned char *p, size_t n)
{
    if (t->words != SNAP_NONE && !is_one_of(s, t->words, p, n))
        return WRONG_ENUM;
    if (!length_fits(t, p, n))
        return WRONG_SIZE;
    if (t->chars != SNAP_NONE && !scan_chars_fit(s, p, n, t->chars))
        return WRONG_CHARS;
    if (t->prefixes != SNAP_NONE && !begins_right(s, t->prefixes, p, n))
        return WRONG_CHARS;
    if ((t->flags & TYPEF_BASE64) && !is_base64(p, n))
        return WRONG_CHARS;
    return WRONG_NOTHING;
}

static inline enum req_wrong number_wrong(const struct snap_req_type *t, double d)
{
    if ((t->flags & TYPEF_WHOLE) && floor(d) != d)
        return WRONG_KIND;
    return number_fits(t, d) ? WRONG_NOTHING : WRONG_RANGE;
}

/* -- what must be different ----------------------------------------------------------------- */

static void put_named(struct scan *s, uint32_t number, uint64_t hash, size_t at, size_t end)
{
    if (s->n_named < SCAN_NAMED)
        s->named[s->n_named++] =
            (struct scan_named){number, (uint32_t)(hash >> 32), {(uint32_t)at, (uint32_t)end}};
}

__attribute__((noinline)) static void take_down_long(struct scan *s, uint32_t number, size_t at,
                                                     size_t end)
{
    put_named(s, number, scan_text_hash(s->x.p + at + 1, end - at - 2), at, end);
}

void scan_shape_name(struct scan *s, uint32_t number, size_t at, size_t end)
{
    size_t n = end - at - 2;
    uint64_t head, tail;
    if (n <= 16 && at < s->short_end && scan_short(s->x.p + at + 1, n, &head, &tail))
        put_named(s, number, req_key_of(head, tail, n).hash, at, end);
    else
        take_down_long(s, number, at, end);
}

/* Is it the same text? Without a backslash it is what it looks like. */
static bool same_string(const struct scan *s, struct scan_place a, struct scan_place b)
{
    size_t i = a.at + 1, k = b.at + 1, n = a.end - i - 1, m = b.end - k - 1;
    if (n == m && memcmp(s->x.p + i, s->x.p + k, n) == 0)
        return true;
    if (!s->x.escapes || (!memchr(s->x.p + i, '\\', n) && !memchr(s->x.p + k, '\\', m)))
        return false;
    while (i + 1 < a.end && k + 1 < b.end)
        if (scan_char(s->x.p, a.end - 1, &i) != scan_char(s->x.p, b.end - 1, &k))
            return false;
    return i + 1 >= a.end && k + 1 >= b.end;
}

/* Is one before it the same? */
static bool among_few(const struct scan *s, uint32_t first, uint32_t i)
{
    const struct scan_named *a = &s->named[i];
    for (const struct scan_named *b = &s->named[first]; b < a; b++)
        if (a->hash == b->hash && a->number == b->number && same_string(s, a->place, b->place))
            return true;
    return false;
}

/* The same with a table, which has places for twice as many as there can be, and has this one
 * afterwards. */
#define NAMED_FEW 8u
#define NAMED_BITS 9

static bool among_many(const struct scan *s, uint16_t table[1 << NAMED_BITS], uint32_t i)
{
    const struct scan_named *a = &s->named[i];
    uint32_t k = a->hash >> (32 - NAMED_BITS);
    for (; table[k]; k = (k + 1) % (1 << NAMED_BITS)) {
        const struct scan_named *b = &s->named[table[k] - 1];
        if (a->hash == b->hash && same_string(s, a->place, b->place))
            return true;
    }
    table[k] = (uint16_t)(i + 1);
    return false;
}

__attribute__((noinline)) static void compare_many(struct scan *s, uint32_t member, uint32_t number,
                                                   uint32_t first)
{
    uint16_t table[1 << NAMED_BITS] = {0};
    for (uint32_t i = first; i < s->n_named; i++) {
        struct scan_place place = s->named[i].place;
        if (s->named[i].number == number && among_many(s, table, i))
            add_wrong(s, WRONG_UNIQUE, member, SNAP_NONE, 0, place.at, place.end);
    }
}

/* Those from `first` on, some of which may be the same. */
__attribute__((noinline)) static void compare_all(struct scan *s, uint32_t member, uint32_t number,
                                                  uint32_t first)
{
    if (s->n_named - first > NAMED_FEW) {
        compare_many(s, member, number, first);
        return;
    }
    for (uint32_t i = first; i < s->n_named; i++) {
        struct scan_place place = s->named[i].place;
        if (s->named[i].number == number && among_few(s, first, i))
            add_wrong(s, WRONG_UNIQUE, member, SNAP_NONE, 0, place.at, place.end);
    }
}

/* The array at the end of this way, which began at `at`, has ended: those that were taken down in
 * it are compared, unless few bits of their hashes tell that they differ. */
static inline void compare_named(struct scan *s, const struct snap_req_way *way, uint32_t number,
                                 size_t at)
{
    uint32_t first = s->n_named;
    uint64_t seen = 0, twice = 0;
    for (; first > 0 && s->named[first - 1].place.at > at; first--) {
        uint64_t bit = UINT64_C(1) << (s->named[first - 1].hash >> 26);
        twice |= seen & bit;
        seen |= bit;
    }
    if (twice)
        compare_all(s, snap_req_way_member(s->t.s, scan_way_number(s, way)), number, first);
    s->n_named = first;
}

/* -- values ------------------------------------------------------------------------------------ */

/* The name of the member whose value is at `at`. */
__attribute__((noinline)) static void test_key(struct scan *s, uint32_t member, uint32_t type,
                                               size_t at, size_t end)
{
    struct str text = str_make((const char *)s->x.p, s->x.n);
    struct snap_req_type t = snap_req_type(s->t.s, type);
    size_t key;
    if (!locate_key(text, at, &key))
        return;
    size_t n = locate_end(text, key) - key - 2;
    enum req_wrong wrong = string_wrong(s->t.s, &t, s->x.p + key + 1, n);
    if (wrong != WRONG_NOTHING)
        add_wrong(s, WRONG_CHARS, member, SNAP_NONE, 0, at, end);
}

/* True: nothing came of it, nor will of an equal one. */
static bool test_string(struct scan *s, uint32_t member, const struct snap_req_type *t, size_t at,
                        size_t end)
{
    enum req_wrong wrong = string_wrong(s->t.s, t, s->x.p + at + 1, end - at - 2);
    if (t->named)
        scan_shape_name(s, t->named, at, end);
    if (wrong != WRONG_NOTHING)
        add_wrong(s, wrong, member, SNAP_NONE, 0, at, end);
    return wrong == WRONG_NOTHING && !t->named;
}

/* True: nothing came of it, nor will of an equal value under another name. */
__attribute__((noinline)) static bool test_value(struct scan *s, const struct snap_req_way *way,
                                                 uint32_t member, unsigned kind, size_t at,
                                                 size_t end, uint32_t count)
{
    struct snap_req_type room;
    const struct snap_req_type *t =
        snap_peek_req_type(s->t.s, snap_req_member(s->t.s, member).type, &room);
    enum req_wrong wrong = WRONG_NOTHING;
    if (t->key != SNAP_NONE)
        test_key(s, member, t->key, at, end);
    switch (kind) {
    case REQ_NUMBER:
        wrong = number_wrong(t, scan_value_number(s, at, end));
        break;
    case REQ_STRING:
        return test_string(s, member, t, at, end) && t->key == SNAP_NONE;
    case REQ_ARRAY:
        wrong = in_range(count, &t->items) ? WRONG_NOTHING : WRONG_SIZE;
        if (t->unique)
            compare_named(s, way, t->unique, at);
        break;
    case REQ_OBJECT:
        wrong = in_range(count, &t->members) ? WRONG_NOTHING : WRONG_SIZE;
        break;
    default:
        break;
    }
    if (wrong != WRONG_NOTHING)
        add_wrong(s, wrong, member, SNAP_NONE, 0, at, end);
    return wrong == WRONG_NOTHING && t->key == SNAP_NONE;
}

/* Null is not there, for the groups that a member is in. */
static void take_back(struct scan_frame *f, uint32_t bit)
{
    const struct snap_req_node *n = f->node;
    if (bit == WAY_NO_BIT || !n)
        return;
    uint64_t counted = (uint64_t)snap_le32(n->counted[1]) << 32 | snap_le32(n->counted[0]),
             required = (uint64_t)snap_le32(n->required[1]) << 32 | snap_le32(n->required[0]);
    f->need |= UINT64_C(1) << bit & counted & ~required;
}

/* -- objects ------------------------------------------------------------------------- */

/* The last member of the object that stands in the group, for the finding's place. */
static struct scan_place second_of(const struct scan *s, const struct scan_frame *f, size_t end,
                                   const struct snap_req_object *o, const uint32_t *bit, uint32_t n)
{
    struct str text = str_make((const char *)s->x.p, s->x.n);
    struct scan_place last = {f->at, (uint32_t)end}, v;
    for (uint32_t i = 0; i < n; i++) {
        struct str name = snap_str(s->t.s, snap_req_item(s->t.s, o->names, bit[i]));
        if (!(f->need >> bit[i] & 1) && locate_member(text, f->at, name, &v) &&
            (last.at == f->at || v.at > last.at))
            last = v;
    }
    return last;
}

static void test_groups(struct scan *s, const struct scan_frame *f, uint32_t object, size_t end)
{
    struct snap_req_object o = snap_req_object(s->t.s, object);
    uint32_t n = snap_req_count(s->t.s, o.groups);
    for (uint32_t i = 0; i + 2 <= n;) {
        uint32_t kind = snap_req_item(s->t.s, o.groups, i), size, bit[64], there = 0;
        size = snap_req_item(s->t.s, o.groups, i + 1);
        for (uint32_t k = 0; k < size && k < 64 && i + 2 + k < n; k++) {
            bit[k] = snap_req_item(s->t.s, o.groups, i + 2 + k);
            there += !(f->need >> bit[k] & 1);
        }
        if (there == 0 && kind != GROUP_ONE)
            add_wrong(s, WRONG_REQUIRED, SNAP_NONE, object, SHAPE_GROUP + i, f->at, end);
        if (there > 1 && kind != GROUP_SOME) {
            struct scan_place p = second_of(s, f, end, &o, bit, size < 64 ? size : 64);
            add_wrong(s, WRONG_ONE, SNAP_NONE, object, SHAPE_GROUP + i, p.at, p.end);
        }
        i += 2 + size;
    }
}

/* -- which of several ---------------------------------------------------------------- */

#define CHOOSE_MARKS 512u /* so far is looked for the word */

/* Behind the value at the mark, or NULL: that cannot be seen yet. */
static const uint32_t *over_value(const struct scan *s, const uint32_t *mark, const uint32_t *last)
{
    unsigned depth = 0;
    for (; mark < last; mark++) {
        unsigned char c = s->x.p[*mark];
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth == 0)
            return mark + 1;
    }
    return NULL;
}

/* The mark of the value of a member of the object whose first mark this is. `*sure`: the object
 * was seen to its end, and has it not. */
static const uint32_t *find_member(const struct scan *s, const uint32_t *mark, struct str name,
                                   bool *sure)
{
    const unsigned char *p = s->x.p;
    const uint32_t *last = s->last - mark > (ptrdiff_t)CHOOSE_MARKS ? mark + CHOOSE_MARKS : s->last;
    *sure = false;
    while (mark && mark <= last) {
        if (p[*mark] == '}') {
            *sure = true;
            return NULL;
        }
        if (p[*mark] != '"' || mark[1] >= s->x.n)
            return NULL;
        size_t n = 0, from = *mark + 1;
        while (from + n < mark[1] && p[from + n] != '"')
            n += p[from + n] == '\\' ? 2 : 1;
        if (from + n < mark[1] && is_word(p + from, n, name))
            return mark + 1;
        mark = over_value(s, mark + 1, last + 1);
    }
    return NULL;
}

/* The string at the mark, without its quotes. */
static struct str string_at(const struct scan *s, size_t at)
{
    const unsigned char *p = s->x.p;
    size_t n = 0;
    while (at + 1 + n < s->x.n && p[at + 1 + n] != '"')
        n += p[at + 1 + n] == '\\' ? 2 : 1;
    if (at + 1 + n >= s->x.n)
        return STR("");
    return str_make((const char *)p + at + 1, n);
}

/* The way of a word, or NULL. */
static const struct snap_req_way *case_of(const struct scan *s, const struct snap_req_choice *c,
                                          const struct req_key *k, struct str word)
{
    for (size_t i = c->table + req_key_place(k, c->places);; i++) {
        const struct snap_req_way *w = scan_way(s, snap_req_place(s->tables, i));
        if (w->n == SNAP_NONE)
            return NULL;
        if (scan_has_hash(w, k) &&
            (k->n <= 16 || str_eq(snap_str(s->t.s, snap_le32(w->key)), word)))
            return w;
    }
}

/* The same for a text that may have escapes. */
static const struct snap_req_way *spelt_case_of(const struct scan *s,
                                                const struct snap_req_choice *c, struct str spelt)
{
    for (uint32_t i = 0; i < snap_req_count(s->t.s, c->words); i++) {
        struct str word = snap_str(s->t.s, snap_req_item(s->t.s, c->words, i));
        if (!is_word((const unsigned char *)spelt.p, spelt.n, word))
            continue;
        struct req_key k = req_key((const unsigned char *)word.p, word.n);
        return case_of(s, c, &k, word);
    }
    return NULL;
}

/* The same for the usual word, a short one without escapes. Is it one? */
static inline bool short_case_of(const struct scan *s, const struct snap_req_choice *c, size_t at,
                                 size_t n, const struct snap_req_way **out)
{
    uint64_t head, tail;
    if (n > 16 || s->x.n - at <= 16 || !s->way || !scan_short(s->x.p + at + 1, n, &head, &tail))
        return false;
    struct req_key k = req_key_of(head, tail, n);
    for (size_t i = c->table + req_key_place(&k, c->places);; i++) {
        *out = s->way + snap_req_place(s->tables, i);
        if (scan_has_hash(*out, &k))
            return true;
        if ((*out)->n == SNAP_NONE)
            break;
    }
    *out = NULL;
    return true;
}

static void decide(struct scan *s, struct scan_frame *f, uint32_t node)
{
    f->node = scan_node(s, node);
    f->need = (uint64_t)snap_le32(f->node->counted[1]) << 32 | snap_le32(f->node->counted[0]);
}

/* The word of `to` decides. */
static void decide_case(struct scan *s, struct scan_frame *f, const struct snap_req_way *to)
{
    decide(s, f, snap_le32(to->node));
    f->need &= ~(UINT64_C(1) << WAY_BIT(snap_le32(to->info)));
}

/* The member that decides is here, and is none of the usual ones. */
__attribute__((noinline)) static bool choose_any(struct scan *s, struct scan_frame *f,
                                                 unsigned kind, size_t at, size_t end)
{
    struct snap_req_choice room;
    uint32_t number = snap_le32(f->node->choice), bit = SHAPE_CHOICE + number, node;
    const struct snap_req_choice *c = snap_peek_req_choice(s->t.s, number, &room);
    const struct snap_req_way *to = NULL;
    if (kind == REQ_STRING)
        to = spelt_case_of(s, c, str_make((const char *)s->x.p + at + 1, end - at - 2));
    if (to) {
        decide_case(s, f, to);
        return true;
    }
    node = kind == REQ_STRING ? c->other : CHOICE_REFUSED;
    if (node == CHOICE_REFUSED && s->t.shapes)
        add_wrong(s, kind == REQ_STRING ? WRONG_ENUM : WRONG_KIND, SNAP_NONE, c->object, bit, at,
                  end);
    decide(s, f, node == CHOICE_REFUSED ? c->free : node);
    return node != CHOICE_REFUSED;
}

bool scan_shape_choose(struct scan *s, struct scan_frame *f, unsigned kind, size_t at, size_t end)
{
    const struct snap_req_choice *c = snap_find_req_choice(s->t.s, snap_le32(f->node->choice));
    const struct snap_req_way *to = NULL;
    if (!c || kind != REQ_STRING || !short_case_of(s, c, at, end - at - 2, &to) || !to)
        return choose_any(s, f, kind, at, end);
    decide_case(s, f, to);
    return true;
}

/* The mark at this place, which is one of the window. */
static const uint32_t *mark_at(const struct scan *s, size_t at)
{
    const uint32_t *low = s->x.pos, *high = s->x.pos + s->x.n_pos;
    while (high - low > 1) {
        const uint32_t *middle = low + (high - low) / 2;
        if (*middle <= at)
            low = middle;
        else
            high = middle;
    }
    return low;
}

void scan_shape_ask(struct scan *s, struct scan_frame *f, size_t at)
{
    struct snap_req_choice room;
    uint32_t number = snap_le32(f->node->choice), bit = SHAPE_CHOICE + number;
    const struct snap_req_choice *c = snap_peek_req_choice(s->t.s, number, &room);
    bool sure;
    const uint32_t *value = find_member(s, mark_at(s, at), snap_str(s->t.s, c->by), &sure);
    f->last = NULL; /* its keys are nobody's example */
    if (value && s->x.p[*value] == '"') {
        struct str word = string_at(s, *value);
        const struct snap_req_way *to = spelt_case_of(s, c, word);
        uint32_t node = to ? snap_le32(to->node) : c->other;
        if (node == CHOICE_REFUSED && s->t.shapes)
            add_wrong(s, WRONG_ENUM, SNAP_NONE, c->object, bit, *value, *value + word.n + 2);
        decide(s, f, node == CHOICE_REFUSED ? c->free : node);
        return;
    }
    uint32_t node = value || !sure ? c->free : c->missing;
    if (value && s->t.shapes)
        add_wrong(s, WRONG_KIND, SNAP_NONE, c->object, bit, *value, *value + 1);
    if (node == CHOICE_REFUSED && s->t.shapes)
        add_wrong(s, WRONG_REQUIRED, SNAP_NONE, c->object, bit, f->at, f->at + 1);
    decide(s, f, node == CHOICE_REFUSED ? c->free : node);
}

/* An object ended in which nothing asked and nothing decided: it is empty. */
static void decide_empty(struct scan *s, struct scan_frame *f)
{
    uint32_t number = snap_le32(f->node->choice);
    struct snap_req_choice c = snap_req_choice(s->t.s, number);
    if (c.missing == CHOICE_REFUSED && s->t.shapes)
        add_wrong(s, WRONG_REQUIRED, SNAP_NONE, c.object, SHAPE_CHOICE + number, f->at, f->at + 1);
    decide(s, f, c.missing == CHOICE_REFUSED ? c.free : c.missing);
}

/* -- the walk calls -------------------------------------------------------------------------- */

static void wrong_value(struct scan *s, const struct scan_frame *f, uint32_t member, uint32_t info,
                        size_t at, size_t end)
{
    if (!(info & REQ_KINDS) && f->node) /* of a closed object */
        add_wrong(s, WRONG_UNKNOWN, SNAP_NONE, snap_le32(f->node->object), 0, at, end);
    else if (member != SNAP_NONE)
        add_wrong(s, WRONG_KIND, member, SNAP_NONE, 0, at, end);
}

__attribute__((noinline)) bool scan_shape_value(struct scan *s, struct scan_frame *f,
                                                const struct snap_req_way *way, unsigned kind,
                                                size_t at, size_t end, uint32_t count)
{
    uint32_t info = snap_le32(way->info);
    if (info & WAY_CHOOSES) {
        if (f->node->choice != SNAP_NONE) /* a container is here twice */
            scan_shape_choose(s, f, kind, at, end);
        return false;
    }
    if (!s->t.shapes)
        return true;
    if (kind == REQ_NULL) {
        take_back(f, WAY_BIT(info));
        if (info & REQ_NULL)
            return false;
    }
    uint32_t member = snap_req_way_member(s->t.s, scan_way_number(s, way));
    if (!(info & kind)) {
        wrong_value(s, f, member, info, at, end);
        return false;
    }
    return member == SNAP_NONE || test_value(s, way, member, kind, at, end, count);
}

/* What the shapes say of the value that a way leads to, or NULL: that needs a closer look. */
static inline const struct snap_req_type *type_of(const struct scan *s,
                                                  const struct snap_req_way *way)
{
    uint32_t member = snap_req_way_member(s->t.s, scan_way_number(s, way));
    if ((way->info & snap_le32(WAY_CHOOSES)) || !s->t.shapes || member == SNAP_NONE)
        return NULL;
    const struct snap_req_member *m = snap_find_req_member(s->t.s, member);
    return m ? snap_find_req_type(s->t.s, m->type) : NULL;
}

void scan_shape_container(struct scan *s, struct scan_frame *f, size_t end)
{
    if (s->list_way != f->way) {
        s->list_way = f->way;
        s->list_type = type_of(s, f->way);
    }
    const struct snap_req_type *t = s->list_type;
    if (t && f->kind == REQ_ARRAY && t->key == SNAP_NONE && in_range(f->count, &t->items) &&
        (f->way->info & snap_le32(REQ_ARRAY))) {
        if (t->unique)
            compare_named(s, f->way, t->unique, f->at);
        return;
    }
    scan_shape_value(s, f - 1, f->way, f->kind, f->at, end, f->count);
}

static bool same_classes(const struct snapshot *s, uint32_t a, uint32_t b)
{
    const unsigned char *words = s->sec[SEC_REQ_WORDS].p;
    return memcmp(words + ((size_t)a + 1) * 4, words + ((size_t)b + 1) * 4, 32) == 0;
}

/* Does a string of the type, as long as the step says, pass no test of those that watch it? */
static bool are_idle(const struct scan *s, const struct scan_step *step)
{
    const struct cando_watch *w = &s->t.watch[WAY_WATCH(snap_le32(step->way->info))];
    const struct cando_watch_op *op = s->t.op + w->first, *last = op + w->count;
    if (w->subject != WATCH_NO_SUBJECT || (w->actions & (WATCH_TEXT | WATCH_WORDS)))
        return false;
    for (; op < last; op++) {
        struct snap_req_slot slot = snap_req_slot(s->t.s, op->slot);
        bool idle = op->test == TEST_KIND && !(op->arg & REQ_STRING);
        if (op->test == TEST_NOT_CHARS)
            idle =
                step->type->chars != SNAP_NONE && same_classes(s->t.s, slot.arg, step->type->chars);
        if (op->test == TEST_NOT_LENGTH)
            idle = snap_double(slot.lo) <= step->least && step->most <= snap_double(slot.hi);
        if (op->bit == WATCH_NO_BIT || !idle)
            return false;
    }
    return true;
}

void scan_shape_step(const struct scan *s, struct scan_step *step)
{
    const struct snap_req_type *t = type_of(s, step->way);
    if (!t || !(step->way->info & snap_le32(REQ_STRING)) || (t->flags & TYPEF_BASE64))
        return;
    double lo = snap_double(t->length.lo), hi = snap_double(t->length.hi);
    if ((t->words & t->prefixes & t->key) != SNAP_NONE || lo > 1 || hi < 1)
        return;
    step->type = t;
    step->least = lo > 0;
    step->most = hi < UINT8_MAX ? (uint8_t)hi : UINT8_MAX;
    if (step->string == STRING_OTHER && are_idle(s, step))
        step->string = STRING_TYPED;
    if (step->string == STRING_TYPED && t->named && t->chars == SNAP_NONE && lo <= 0 &&
        hi == INFINITY)
        step->string = STRING_NAMED;
}

bool scan_shape_fits(struct scan *s, const struct scan_step *step, size_t at, size_t end)
{
    const struct snap_req_type *t = step->type;
    size_t n = end - at - 2;
    if (n < step->least || n > step->most)
        return false;
    if (t->chars != SNAP_NONE && !scan_chars_known(s, at, n, t->chars))
        return false;
    if (t->named)
        scan_shape_name(s, t->named, at, end);
    return true;
}

/* Is it plain to see that the string is of its type? That has no tests but those of most. */
static inline bool is_plain(const struct snap_req_type *t, size_t n)
{
    if ((t->words & t->prefixes & t->key) != SNAP_NONE || (t->flags & TYPEF_BASE64))
        return false;
    return scan_length_plain(n, t->length.lo, t->length.hi);
}

bool scan_shape_string(struct scan *s, struct scan_frame *f, const struct snap_req_way *way,
                       size_t at, size_t end)
{
    const struct snap_req_type *t = type_of(s, way);
    size_t n = end - at - 2;
    if (!t || !(way->info & snap_le32(REQ_STRING)) || !is_plain(t, n))
        return scan_shape_value(s, f, way, REQ_STRING, at, end, 0);
    if (t->chars != SNAP_NONE && !scan_chars_plain(s->t.s, s->x.p + at + 1, n, t->chars))
        return scan_shape_value(s, f, way, REQ_STRING, at, end, 0);
    if (t->named)
        scan_shape_name(s, t->named, at, end);
    return !t->named;
}

bool scan_shape_takes(const struct scan *s, const struct snap_req_way *way, double d)
{
    const struct snap_req_type *t = type_of(s, way);
    return t && t->key == SNAP_NONE && number_wrong(t, d) == WRONG_NOTHING;
}

__attribute__((noinline)) void scan_shape_object(struct scan *s, struct scan_frame *f, size_t end)
{
    if (f->node->choice != SNAP_NONE)
        decide_empty(s, f);
    const struct snap_req_node *n = f->node;
    uint64_t required = (uint64_t)snap_le32(n->required[1]) << 32 | snap_le32(n->required[0]);
    uint32_t object = snap_le32(n->object);
    if (!s->t.shapes || object == SNAP_NONE)
        return;
    for (uint64_t bits = f->need & required; bits; bits &= bits - 1)
        add_wrong(s, WRONG_REQUIRED, SNAP_NONE, object, (uint32_t)__builtin_ctzll(bits), f->at,
                  end);
    if (f->need >> WAY_GROUP_BIT & 1)
        test_groups(s, f, object, end);
}

/* -- findings ------------------------------------------------------------------------------ */

uint32_t found_rule(const struct scan_found *f)
{
    uint32_t number = f->member != SNAP_NONE ? f->member : f->object;
    return f->rule != SNAP_NONE ? f->rule : SHAPE_RULE | f->wrong << 26 | (number & 0x3ffffff);
}

enum code scan_shape_code(uint32_t wrong)
{
    static const enum code codes[WRONG_COUNT] = {
        [WRONG_UNKNOWN] = CODE_member_unknown,   [WRONG_REQUIRED] = CODE_parameter_required,
        [WRONG_KIND] = CODE_wrong_kind,          [WRONG_ENUM] = CODE_value_unsupported,
        [WRONG_RANGE] = CODE_value_out_of_range, [WRONG_SIZE] = CODE_limit_exceeded,
        [WRONG_CHARS] = CODE_value_malformed,    [WRONG_UNIQUE] = CODE_value_repeated,
        [WRONG_ONE] = CODE_parameters_conflict,
    };
    return codes[wrong < WRONG_COUNT ? wrong : WRONG_UNKNOWN];
}

/* A number can be moved into its range, unless the bound itself is out of it. */
static bool can_clamp(const struct snap_req_type *t)
{
    return !(t->flags & (TYPEF_ABOVE | TYPEF_BELOW)) &&
           snap_double(t->range.lo) <= snap_double(t->range.hi);
}

struct snap_req_rule target_rule(const cando_target *t, uint32_t rule)
{
    const struct snapshot *s = &t->catalog->snap;
    if (!is_shape_rule(rule))
        return snap_req_rule(s, rule);
    uint32_t wrong = rule >> 26 & 31;
    struct snap_req_rule r = {.effect = REQ_FINDING,
                              .severity = CANDO_ERROR,
                              .flags = REQF_LOSSY,
                              .fix = FIX_NONE,
                              .fix_from = SNAP_NONE,
                              .fix_text = SNAP_NONE,
                              .advice = SNAP_NONE};
    if (wrong == WRONG_UNKNOWN)
        r.fix = FIX_DROP;
    if (wrong == WRONG_RANGE) {
        uint32_t number = snap_req_member(s, rule & 0x3ffffff).type;
        struct snap_req_type type = snap_req_type(s, number);
        r.fix_from = FIX_TYPE | number;
        r.fix = can_clamp(&type) ? FIX_CLAMP : FIX_NONE;
    }
    return r;
}
