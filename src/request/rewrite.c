/*
 * rewrite.c - edits, as bytes and as JSON Patch.
 *
 * An edit replaces a run of bytes by a few pieces; what lies between two edits
 * goes through as it is. Members that go take one comma with them, and a run of
 * neighbours that all go takes one for the whole run:
 *
 *     {"a":1, "b":2, "c":3}     without b, c:   {"a":1}
 *                               without a, b:   {"c":3}
 */
#include "preflight.h"

#include <stdio.h>

/* The word that a map gives for the string value at `place`, or empty. */
static struct str mapped(const struct snapshot *s, const struct snap_req_rule *r, struct str text,
                         struct scan_place place)
{
    struct str value = str_make(text.p + place.at, place.end - place.at);
    for (uint32_t i = 0; i + 1 < snap_req_count(s, r->fix_text); i += 2) {
        struct str from = snap_str(s, snap_req_item(s, r->fix_text, i));
        if (value.p[0] == '"' &&
            scan_text_is((const unsigned char *)value.p + 1, value.n - 2, from))
            return snap_str(s, snap_req_item(s, r->fix_text, i + 1));
    }
    return STR("");
}

static unsigned fix_field(const struct snapshot *s, const struct snap_req_rule *r)
{
    return snap_our_field(s, r->fix_from);
}

static struct snap_req_range fix_range(const struct snapshot *s, uint32_t from)
{
    struct snap_req_range range;
    if (from & FIX_TYPE)
        return snap_req_type(s, from & FIX_PLACE).range;
    for (uint32_t i = 0; i < 2; i++) {
        range.lo[i] = snap_req_item(s, from & FIX_PLACE, i);
        range.hi[i] = snap_req_item(s, from & FIX_PLACE, 2 + i);
    }
    return range;
}

static bool clamp_range(const cando_target *t, const struct snap_req_rule *r, double *lo,
                        double *hi)
{
    if (r->fix_from >= FIX_RANGE) {
        struct snap_req_range range = fix_range(&t->catalog->snap, r->fix_from);
        *lo = snap_double(range.lo);
        *hi = snap_double(range.hi);
        return true;
    }
    unsigned n = plane_number(fix_field(&t->catalog->snap, r));
    if (n == SLOT_NONE || !(t->planes.number_known >> n & 1))
        return false;
    *lo = 0;
    *hi = (double)t->planes.number[n];
    return true;
}

bool rewrite_into(struct str text, size_t at, struct str name, struct scan_place *object)
{
    size_t dot = str_find_char(name, '.'), parent = locate_parent(text, at);
    return dot < name.n && parent != SIZE_MAX &&
           locate_member(text, parent, str_head(name, dot), object) && text.p[object->at] == '{';
}

/* Would the new name meet a member that is there already? */
static bool name_taken(struct str text, size_t at, struct str name)
{
    size_t parent = locate_parent(text, at), dot = str_find_char(name, '.');
    struct scan_place other;
    if (rewrite_into(text, at, name, &other))
        return locate_member(text, other.at, str_from(name, dot + 1), &other);
    return parent == SIZE_MAX || locate_member(text, parent, str_head(name, dot), &other);
}

/* A list of the profile as JSON; empty: there is none, it is too long, or its words are no plain
 * text. */
static struct str list_text(const cando_target *t, const struct snap_req_rule *r, char *room,
                            size_t size)
{
    const struct snapshot *s = &t->catalog->snap;
    unsigned f = fix_field(s, r);
    size_t n = 0;
    if (t->neutral || f >= FIELD_COUNT)
        return STR("");
    cando_value v = profile_fact(&t->profile, f).value;
    for (uint32_t i = 0; v.known && i < v.count; i++) {
        struct str word = value_item(s, v, i);
        for (size_t k = 0; k < word.n; k++)
            if ((unsigned char)word.p[k] < 0x20 || word.p[k] == '"' || word.p[k] == '\\')
                return STR("");
        int more = snprintf(room + n, size - n, "%c\"%.*s\"", i ? ',' : '[', STR_ARG(word));
        if (more < 0 || (size_t)more + 2 > size - n)
            return STR("");
        n += (size_t)more;
    }
    if (n)
        room[n++] = ']';
    return str_make(room, n);
}

/* A list that the profile shall give must be there, and fit. */
static bool has_value(const cando_target *t, const struct snap_req_rule *r)
{
    char room[REWRITE_LIST];
    return r->fix_from == SNAP_NONE || list_text(t, r, room, sizeof room).n;
}

cando_fix rewrite_possible(const cando_target *t, const struct snap_req_rule *r, struct str text,
                           struct scan_place place)
{
    cando_fix yes = r->flags & REQF_LOSSY ? CANDO_FIX_LOSSY : CANDO_FIX_SAFE;
    bool advised = r->advice != SNAP_NONE && snap_str(&t->catalog->snap, r->advice).n;
    cando_fix no = advised ? CANDO_FIX_ADVICE : CANDO_FIX_NONE;
    size_t key;
    double lo, hi;
    switch (r->fix) {
    case FIX_RENAME:
        return locate_key(text, place.at, &key) &&
                       !name_taken(text, place.at, snap_str(&t->catalog->snap, r->fix_text))
                   ? yes
                   : no;
    case FIX_DROP:
        return locate_key(text, place.at, &key) ? yes : no;
    case FIX_SET:
        return has_value(t, r) ? yes : no;
    case FIX_ADD:
        return text.p[locate_space(text, 0)] == '{' && has_value(t, r) ? yes : no;
    case FIX_CLAMP:
        return clamp_range(t, r, &lo, &hi) ? yes : no;
    case FIX_MAP:
        return mapped(&t->catalog->snap, r, text, place).n ? yes : no;
    default:
        return no;
    }
}

size_t rewrite_add_place(struct str text, struct str *name)
{
    size_t root = locate_space(text, 0), dot = str_find_char(*name, '.');
    struct scan_place outer;
    if (dot == name->n || !locate_member(text, root, str_head(*name, dot), &outer) ||
        text.p[outer.at] != '{')
        return root;
    *name = str_from(*name, dot + 1);
    return outer.at;
}

struct scan_place rewrite_range(const cando_target *t, const struct snap_req_rule *r,
                                struct str text, struct scan_place place)
{
    const struct snapshot *s = &t->catalog->snap;
    struct scan_place range = place;
    size_t key;
    if (r->fix == FIX_ADD) {
        struct str name = snap_str(s, snap_req_item(s, r->fix_text, 0));
        size_t at = rewrite_add_place(text, &name);
        if (!locate_member(text, at, name, &range))
            range = (struct scan_place){(uint32_t)at, (uint32_t)at + 1};
    }
    if ((r->fix == FIX_DROP || r->fix == FIX_RENAME) && locate_key(text, place.at, &key))
        range.at = (uint32_t)key;
    return range;
}

/* Does a member of the same parent get this rename, too, to the same name or into the same new
 * object? */
static bool same_name(struct str text, struct str a, size_t at, struct str b, size_t b_at)
{
    struct scan_place object;
    size_t dot = str_find_char(a, '.');
    if (locate_parent(text, at) != locate_parent(text, b_at))
        return false;
    if (!rewrite_into(text, at, a, &object) &&
        str_eq(str_head(a, dot), str_head(b, str_find_char(b, '.'))))
        return true;
    return str_eq(a, b);
}

static bool overlap(struct scan_place a, struct scan_place b)
{
    return a.at < b.end && b.at < a.end;
}

bool rewrite_meets(const cando_target *t, struct str text, const struct snap_req_rule *a,
                   struct scan_place at, const struct snap_req_rule *b, struct scan_place b_at)
{
    const struct snapshot *s = &t->catalog->snap;
    struct scan_place mine = rewrite_range(t, a, text, at), other = rewrite_range(t, b, text, b_at);
    struct scan_place into, b_into;
    struct str name = a->fix == FIX_RENAME ? snap_str(s, a->fix_text) : STR("");
    struct str b_name = b->fix == FIX_RENAME ? snap_str(s, b->fix_text) : STR("");
    if (overlap(mine, other))
        return true;
    if (name.n && b_name.n && same_name(text, name, at.at, b_name, b_at.at))
        return true;
    bool moves = rewrite_into(text, at.at, name, &into);
    bool b_moves = rewrite_into(text, b_at.at, b_name, &b_into);
    if (moves && b_moves && into.at == b_into.at) /* what comes first brings the comma */
        return text.p[locate_space(text, into.at + 1)] == '}';
    return (moves && overlap(into, other)) || (b_moves && overlap(b_into, mine));
}

double rewrite_clamped(const cando_target *t, const struct snap_req_rule *r, double v)
{
    double lo = 0, hi = 0;
    clamp_range(t, r, &lo, &hi);
    return v < lo ? lo : v > hi ? hi : v;
}

static struct str clamp_text(const cando_target *t, const struct snap_req_rule *r, struct str text,
                             struct scan_place place, char *room, size_t size)
{
    double v = scan_number((const unsigned char *)text.p + place.at, place.end - place.at);
    int n = snprintf(room, size, "%.15g", rewrite_clamped(t, r, v));
    if (n < 0 || (size_t)n >= size)
        return STR("");
    for (int i = 0; i < n; i++)
        if (room[i] == ',')
            room[i] = '.'; /* a locale's idea of a decimal point */
    return str_make(room, (size_t)n);
}

/* A word of the catalog as JSON; there is room for it. */
static struct str quoted(struct str word, char *room)
{
    room[0] = '"';
    memcpy(room + 1, word.p, word.n);
    room[1 + word.n] = '"';
    return str_make(room, word.n + 2);
}

struct str rewrite_value(const cando_target *t, const struct snap_req_rule *r, struct str text,
                         struct scan_place place, char *room, size_t size)
{
    double lo, hi;
    struct str word;
    if ((r->fix == FIX_SET || r->fix == FIX_ADD) && r->fix_from != SNAP_NONE)
        return list_text(t, r, room, size);
    if (r->fix == FIX_SET)
        return snap_str(&t->catalog->snap, r->fix_text);
    if (r->fix == FIX_ADD)
        return snap_str(&t->catalog->snap, snap_req_item(&t->catalog->snap, r->fix_text, 1));
    if (r->fix == FIX_CLAMP && clamp_range(t, r, &lo, &hi))
        return clamp_text(t, r, text, place, room, size);
    if (r->fix == FIX_MAP && (word = mapped(&t->catalog->snap, r, text, place)).n)
        return quoted(str_head(word, size - 4), room);
    return str_make(room, 0);
}

/* -- edits --------------------------------------------------------------------------------- */

static void add_piece(struct edit *e, struct str s)
{
    e->piece[e->n_pieces++] = (cando_bytes){s.p, s.n};
}

static void add_quoted(struct edit *e, struct str s)
{
    add_piece(e, STR("\""));
    add_piece(e, s);
    add_piece(e, STR("\""));
}

/* Away from here, and to the front of the object. */
static uint32_t move_edits(struct str text, size_t key, struct scan_place place, struct str name,
                           size_t object, struct edit *e)
{
    bool alone = text.p[locate_space(text, object + 1)] == '}';
    e[0] = (struct edit){.at = (uint32_t)key, .end = place.end, .drop = true};
    e[1] = (struct edit){.at = (uint32_t)object + 1, .end = (uint32_t)object + 1};
    add_quoted(&e[1], name);
    add_piece(&e[1], STR(":"));
    add_piece(&e[1], str_make(text.p + place.at, place.end - place.at));
    add_piece(&e[1], alone ? STR("") : STR(","));
    return 2;
}

/* "output_format": V  becomes  "output_config":{"format": V}; two edits, of which
 * the second closes the brace. */
static uint32_t rename_edits(struct str text, struct scan_place place, struct str name,
                             struct edit *e)
{
    size_t key = 0, dot = str_find_char(name, '.');
    struct scan_place object;
    locate_key(text, place.at, &key);
    if (rewrite_into(text, place.at, name, &object))
        return move_edits(text, key, place, str_from(name, dot + 1), object.at, e);
    size_t close = locate_end(text, key);
    e[0] = (struct edit){.at = (uint32_t)key, .end = (uint32_t)close};
    if (dot == name.n) {
        add_quoted(&e[0], name);
        return 1;
    }
    add_quoted(&e[0], str_head(name, dot));
    add_piece(&e[0], STR(":{\""));
    add_piece(&e[0], str_from(name, dot + 1));
    add_piece(&e[0], STR("\""));
    e[1] = (struct edit){.at = place.end, .end = place.end};
    add_piece(&e[1], STR("}"));
    return 2;
}

/* Its value, or a new member at the front. */
static uint32_t add_edits(const struct snapshot *s, const struct snap_req_rule *r, struct str text,
                          struct str value, struct edit *e)
{
    struct str name = snap_str(s, snap_req_item(s, r->fix_text, 0));
    size_t at = rewrite_add_place(text, &name), dot = str_find_char(name, '.');
    struct scan_place old;
    if (locate_member(text, at, name, &old)) {
        *e = (struct edit){.at = old.at, .end = old.end};
        add_piece(e, value);
        return 1;
    }
    bool last = text.p[locate_space(text, at + 1)] == '}';
    *e = (struct edit){.at = (uint32_t)at + 1, .end = (uint32_t)at + 1};
    add_piece(e, STR("\""));
    add_piece(e, str_head(name, dot));
    add_piece(e, dot < name.n ? STR("\":{\"") : STR("\":"));
    if (dot < name.n) {
        add_piece(e, str_from(name, dot + 1));
        add_piece(e, STR("\":"));
    }
    add_piece(e, value);
    add_piece(e, dot < name.n ? (last ? STR("}") : STR("},")) : last ? STR("") : STR(","));
    return 1;
}

/* The new value; what must be made lies in the plan's room. */
static struct str value_room(const cando_target *t, const struct snap_req_rule *r, struct str text,
                             struct scan_place place, struct plan *w)
{
    char *room = w->room + w->used;
    struct str value = rewrite_value(t, r, text, place, room, sizeof w->room - w->used);
    w->used += value.p == room ? (uint32_t)value.n : 0;
    return value;
}

static uint32_t make_edits(const cando_target *t, const struct snap_req_rule *r, struct str text,
                           struct scan_place place, struct plan *w, struct edit *e)
{
    const struct snapshot *s = &t->catalog->snap;
    size_t key = 0;
    switch (r->fix) {
    case FIX_RENAME:
        return rename_edits(text, place, snap_str(s, r->fix_text), e);
    case FIX_ADD:
        return add_edits(s, r, text, value_room(t, r, text, place, w), e);
    case FIX_DROP:
        locate_key(text, place.at, &key);
        *e = (struct edit){.at = (uint32_t)key, .end = place.end, .drop = true};
        return 1;
    case FIX_SET:
        *e = (struct edit){.at = place.at, .end = place.end};
        add_piece(e, value_room(t, r, text, place, w));
        return 1;
    case FIX_MAP:
        *e = (struct edit){.at = place.at, .end = place.end};
        add_quoted(e, mapped(s, r, text, place));
        return 1;
    case FIX_CLAMP: {
        *e = (struct edit){.at = place.at, .end = place.end};
        size_t left = sizeof w->room - w->used;
        struct str number = clamp_text(t, r, text, place, w->room + w->used, left < 40 ? left : 40);
        w->used += (uint32_t)(number.n < left ? number.n : left);
        add_piece(e, number);
        return 1;
    }
    default:
        return 0;
    }
}

/* Sorted by place; of two that overlap the first counts. */
static uint32_t sort_edits(struct edit *e, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t k = i; k > 0 && e[k - 1].at > e[k].at; k--) {
            struct edit swap = e[k];
            e[k] = e[k - 1];
            e[k - 1] = swap;
        }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++)
        if (kept == 0 || e[i].at >= e[kept - 1].end)
            e[kept++] = e[i];
    return kept;
}

/* Runs of members that go become one edit that takes the right comma along. */
static uint32_t join_drops(struct edit *e, uint32_t n, struct str text)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct edit d = e[i];
        while (d.drop && i + 1 < n && e[i + 1].drop) {
            size_t comma = locate_space(text, d.end);
            if (comma >= text.n || text.p[comma] != ',' ||
                locate_space(text, comma + 1) != e[i + 1].at)
                break;
            d.end = e[++i].end;
        }
        if (d.drop) {
            size_t before = locate_back(text, d.at), behind = locate_space(text, d.end);
            if (before != SIZE_MAX && text.p[before] == ',')
                d.at = (uint32_t)before;
            else if (behind < text.n && text.p[behind] == ',')
                d.end = (uint32_t)locate_space(text, behind + 1);
        }
        e[kept++] = d;
    }
    return kept;
}

static bool put_piece(struct plan *w, const char *p, size_t n)
{
    if (n == 0)
        return true;
    if (w->n_pieces == REWRITE_PIECES)
        return false;
    w->piece[w->n_pieces++] = (cando_bytes){p, n};
    w->length += n;
    return true;
}

static bool put_pieces(struct plan *w, struct str text)
{
    size_t at = 0;
    for (uint32_t i = 0; i < w->n_edits; i++) {
        const struct edit *e = &w->edit[i];
        if (e->at < at)
            continue; /* lies within one that went before */
        if (!put_piece(w, text.p + at, e->at - at))
            return false;
        for (uint32_t k = 0; k < e->n_pieces; k++)
            if (!put_piece(w, e->piece[k].p, e->piece[k].n))
                return false;
        at = e->end;
    }
    return put_piece(w, text.p + at, text.n - at);
}

const cando_bytes *cando_report_rewrite(cando_report *r, size_t *n, size_t *length,
                                        cando_error *err)
{
    struct plan *w = &r->work.plan;
    *n = *length = 0;
    if (r->n_edits == 0) {
        error_set(err, CANDO_BAD_QUESTION, CODE_bad_argument, "the report has nothing to rewrite");
        return NULL;
    }
    r->scanned = false;
    w->n_pieces = w->n_edits = w->used = 0;
    w->length = 0;
    for (uint32_t i = 0; i < r->n_edits; i++) {
        struct snap_req_rule rule = target_rule(r->target, r->edit[i].rule);
        w->n_edits +=
            make_edits(r->target, &rule, r->text, r->edit[i].place, w, &w->edit[w->n_edits]);
    }
    w->n_edits = join_drops(w->edit, sort_edits(w->edit, w->n_edits), r->text);
    if (!put_pieces(w, r->text)) {
        error_set(err, CANDO_INTERNAL, CODE_too_many, "the rewrite has too many pieces");
        return NULL;
    }
    *n = w->n_pieces;
    *length = w->length;
    return w->piece;
}

void rewrite_join(const cando_bytes *piece, size_t n, char *to)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(to, piece[i].p, piece[i].n);
        to += piece[i].n;
    }
}
