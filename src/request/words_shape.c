/*
 * words_shape.c - what a shape finds, in words about this request: what must be there, and
 * what is.
 */
#include "preflight.h"

#include "base/buf.h"

#include <math.h>

#define SHOWN 60u      /* bytes of a value that are shown, */
#define SHOWN_WORDS 8u /* and words of a list */
#define WORDS_BYTES (1u << 20)

/* The words on their way into the arena. */
struct words {
    const cando_report *r;
    const struct report_finding *f;
    const struct snapshot *s;
    struct buf b;
};

static void put_quoted(struct words *w, struct str text)
{
    buf_printf(&w->b, "\"%.*s\"", STR_ARG(text));
}

/* The value as it is written, cut at a character. */
static void put_value(struct words *w)
{
    struct str text = str_make(w->r->text.p + w->f->at, w->f->end - w->f->at);
    size_t n = text.n;
    if (n > SHOWN) {
        n = SHOWN;
        while (n > 0 && ((unsigned char)text.p[n] & 0xC0) == 0x80)
            n--;
    }
    buf_printf(&w->b, "%.*s%s", (int)n, text.p, n < text.n ? "..." : "");
}

static const char *kind_here(const struct words *w)
{
    switch (w->r->text.p[w->f->at]) {
    case '"':
        return "a string";
    case '{':
        return "an object";
    case '[':
        return "an array";
    case 't':
    case 'f':
        return "a boolean";
    case 'n':
        return "null";
    default:
        return "a number";
    }
}

/* "a string, an array or null" */
static void put_kinds(struct words *w, uint32_t kinds, bool whole)
{
    const struct {
        uint32_t kinds;
        const char *name;
    } rows[] = {
        {REQ_STRING, "a string"},
        {REQ_NUMBER, whole ? "a whole number" : "a number"},
        {REQ_TRUE | REQ_FALSE, "a boolean"},
        {REQ_ARRAY, "an array"},
        {REQ_OBJECT, "an object"},
        {REQ_NULL, "null"},
    };
    unsigned left = 0;
    for (size_t i = 0; i < 6; i++)
        left += (kinds & rows[i].kinds) != 0;
    for (size_t i = 0; i < 6; i++) {
        if (!(kinds & rows[i].kinds))
            continue;
        left--;
        buf_printf(&w->b, "%s%s", rows[i].name, left > 1 ? ", " : left ? " or " : "");
    }
}

static void put_list(struct words *w, uint32_t list)
{
    uint32_t n = snap_req_count(w->s, list);
    for (uint32_t i = 0; i < n; i++) {
        if (i >= SHOWN_WORDS && n > SHOWN_WORDS + 1) {
            buf_printf(&w->b, ", and %u more", n - i);
            return;
        }
        if (i)
            buf_putz(&w->b, ", ");
        put_quoted(w, snap_str(w->s, snap_req_item(w->s, list, i)));
    }
}

/* "must be one of "a", "b"", or "must be "a"". */
static void put_one_of(struct words *w, const char *what, uint32_t list)
{
    buf_printf(&w->b, "%s%s", what, snap_req_count(w->s, list) > 1 ? "one of " : "");
    put_list(w, list);
}

static void put_range(struct words *w, const struct snap_req_range *range, const char *unit)
{
    double lo = snap_double(range->lo), hi = snap_double(range->hi);
    if (lo == hi)
        buf_printf(&w->b, "%.15g", lo);
    else if (isinf(hi))
        buf_printf(&w->b, "at least %.15g", lo);
    else if (isinf(lo) || (lo == 0 && *unit))
        buf_printf(&w->b, "at most %.15g", hi);
    else
        buf_printf(&w->b, "from %.15g to %.15g", lo, hi);
    buf_putz(&w->b, unit);
}

static uint32_t count_here(const struct words *w)
{
    struct str key;
    struct scan_place v;
    uint32_t n = 0;
    for (size_t at = w->f->at + 1; locate_next(w->r->text, &at, &key, &v);)
        n++;
    return n;
}

static void put_size(struct words *w, const struct snap_req_type *t)
{
    const unsigned char *p = (const unsigned char *)w->r->text.p + w->f->at;
    if (*p == '"') {
        buf_putz(&w->b, "must have ");
        put_range(w, &t->length, " characters");
        buf_printf(&w->b, "; has %zu", scan_length(p + 1, w->f->end - w->f->at - 2));
        return;
    }
    buf_putz(&w->b, "must have ");
    put_range(w, *p == '[' ? &t->items : &t->members, *p == '[' ? " items" : " members");
    buf_printf(&w->b, "; has %u", count_here(w));
}

/* The characters that there may be behind the first, as a class of them would be written. */
static void put_class(struct words *w, uint32_t list)
{
    for (unsigned c = 0; c < 128; c++) {
        unsigned to = c;
        while (to < 128 && snap_req_item(w->s, list, 4 + to / 32) >> (to % 32) & 1)
            to++;
        if (to == c)
            continue;
        to--;
        if (c < ' ')
            buf_printf(&w->b, "\\x%02x", c);
        else
            buf_printf(&w->b, "%c", (char)c);
        if (to > c + 1)
            buf_printf(&w->b, "-%c", to < 127 ? (char)to : '~');
        else if (to > c)
            buf_printf(&w->b, "%c", (char)to);
        c = to;
    }
}

/* Does the string begin as it must? */
static bool begins_right(const struct words *w, uint32_t prefixes)
{
    struct str text = str_make(w->r->text.p + w->f->at + 1, w->f->end - w->f->at - 2);
    for (uint32_t i = 0; i < snap_req_count(w->s, prefixes); i++)
        if (str_starts(text, snap_str(w->s, snap_req_item(w->s, prefixes, i))))
            return true;
    return prefixes == SNAP_NONE;
}

static bool in_class(const struct words *w, uint32_t list, uint32_t first, uint32_t c)
{
    uint32_t bit = c < 128 ? c : 0; /* what is beyond ASCII is there, or is not, as a whole */
    return snap_req_item(w->s, list, first + bit / 32) >> (bit % 32) & 1;
}

/* The characters that there may be; of a class of nearly all the first that there may not. */
static void put_charset(struct words *w, uint32_t list)
{
    const unsigned char *p = (const unsigned char *)w->r->text.p + w->f->at + 1;
    size_t n = w->f->end - w->f->at - 2, at = 0;
    char room[4];
    if (!in_class(w, list, 4, 128)) {
        buf_putz(&w->b, "must have no other characters than ");
        put_class(w, list);
        return;
    }
    uint32_t c = scan_char(p, n, &at);
    for (uint32_t from = 0; in_class(w, list, from, c) && at < n; from = 4)
        c = scan_char(p, n, &at);
    buf_printf(&w->b, "must not have '%.*s'", (int)utf8_put(c, room), room);
}

static void put_chars(struct words *w, const struct snap_req_type *t)
{
    if (t->key != SNAP_NONE) {
        struct snap_req_type key = snap_req_type(w->s, t->key);
        buf_putz(&w->b, "its name must have ");
        put_range(w, &key.length, " characters");
        if (key.chars != SNAP_NONE) {
            buf_putz(&w->b, " of ");
            put_class(w, key.chars);
        }
        return;
    }
    if (t->prefixes != SNAP_NONE && !begins_right(w, t->prefixes))
        put_one_of(w, "must begin with ", t->prefixes);
    else if (t->chars != SNAP_NONE)
        put_charset(w, t->chars);
    else {
        buf_putz(&w->b, "must be base64");
    }
    buf_putz(&w->b, "; it is ");
    put_value(w);
}

static void put_number(struct words *w, const struct snap_req_type *t)
{
    buf_putz(&w->b, "must be ");
    if (t->flags & TYPEF_ABOVE)
        buf_printf(&w->b, "above %.15g", snap_double(t->range.lo));
    if ((t->flags & TYPEF_ABOVE) && !isinf(snap_double(t->range.hi)))
        buf_putz(&w->b, " and ");
    if (t->flags & TYPEF_BELOW)
        buf_printf(&w->b, "below %.15g", snap_double(t->range.hi));
    else if (!(t->flags & TYPEF_ABOVE))
        put_range(w, &t->range, "");
    else if (!isinf(snap_double(t->range.hi)))
        buf_printf(&w->b, "at most %.15g", snap_double(t->range.hi));
    buf_putz(&w->b, "; it is ");
    put_value(w);
}

/* -- members ---------------------------------------------------------------------------------- */

/* The name of the member at the finding's place, decoded. */
static struct str name_here(struct words *w, char room[SHOWN + 4])
{
    size_t key, used = 0;
    if (!locate_key(w->r->text, w->f->at, &key))
        return STR("");
    const unsigned char *p = (const unsigned char *)w->r->text.p + key + 1;
    size_t n = locate_end(w->r->text, key) - key - 2;
    for (size_t at = 0; at < n && used < SHOWN;)
        used += utf8_put(scan_char(p, n, &at), room + used);
    return str_make(room, used);
}

/* The member of the object whose name is nearest; empty: none is near. */
/* top_k and top_p: where a word is one letter, another letter is another word. */
static bool differ_in_a_word(struct str a, struct str b)
{
    size_t i = 0;
    if (a.n != b.n)
        return false;
    while (i < a.n && a.p[i] == b.p[i])
        i++;
    return i < a.n && (i == 0 || a.p[i - 1] == '_') && (i + 1 == a.n || a.p[i + 1] == '_') &&
           str_eq(str_from(a, i + 1), str_from(b, i + 1));
}

static struct str meant_by(const struct words *w, struct str name)
{
    struct snap_req_object o = snap_req_object(w->s, w->f->object);
    struct nearest near = nearest_to(name);
    for (uint32_t i = 0; i < snap_req_count(w->s, o.names); i++) {
        struct str other = snap_str(w->s, snap_req_item(w->s, o.names, i));
        if (!differ_in_a_word(name, other))
            nearest_try(&near, other);
    }
    return near.name;
}

struct str report_shape_meant(const cando_report *r, const struct report_finding *f)
{
    char room[SHOWN + 4];
    struct words w = {.r = r, .f = f, .s = &r->target->catalog->snap};
    bool unknown = f->wrong == WRONG_UNKNOWN && f->member == SNAP_NONE;
    return unknown ? meant_by(&w, name_here(&w, room)) : STR("");
}

static void put_unknown(struct words *w)
{
    char room[SHOWN + 4];
    struct snap_req_object o = snap_req_object(w->s, w->f->object);
    struct str name = name_here(w, room), meant = meant_by(w, name);
    buf_putz(&w->b, "unknown member ");
    put_quoted(w, name);
    if (meant.n) {
        buf_putz(&w->b, "; did you mean ");
        put_quoted(w, meant);
        buf_putz(&w->b, "?");
    } else if (snap_req_count(w->s, o.names) > SHOWN_WORDS) {
        buf_printf(&w->b, "; cando fields %s lists those that are known", w->r->api);
    } else if (snap_req_count(w->s, o.names)) {
        buf_putz(&w->b, "; known here: ");
        put_list(w, o.names);
    }
}

static void put_group(struct words *w)
{
    struct snap_req_object o = snap_req_object(w->s, w->f->object);
    uint32_t at = w->f->bit - SHAPE_GROUP, kind = snap_req_item(w->s, o.groups, at);
    uint32_t n = snap_req_item(w->s, o.groups, at + 1);
    buf_printf(&w->b, "must have %s of ",
               kind == GROUP_SOME  ? "at least one"
               : kind == GROUP_ONE ? "at most one"
                                   : "exactly one");
    for (uint32_t i = 0; i < n; i++) {
        uint32_t bit = snap_req_item(w->s, o.groups, at + 2 + i);
        if (i)
            buf_putz(&w->b, ", ");
        put_quoted(w, snap_str(w->s, snap_req_item(w->s, o.names, bit)));
    }
    buf_putz(&w->b, w->f->wrong == WRONG_ONE ? "; has more" : "; has none");
}

static void put_choice(struct words *w)
{
    struct snap_req_choice c = snap_req_choice(w->s, w->f->bit - SHAPE_CHOICE);
    if (w->f->wrong == WRONG_REQUIRED) {
        put_quoted(w, snap_str(w->s, c.by));
        put_one_of(w, " is required: ", c.words);
        return;
    }
    put_one_of(w, "must be ", c.words);
    buf_putz(&w->b, "; it is ");
    put_value(w);
}

static void put_missing(struct words *w)
{
    struct snap_req_object o = snap_req_object(w->s, w->f->object);
    put_quoted(w, snap_str(w->s, snap_req_item(w->s, o.names, w->f->bit)));
    buf_putz(&w->b, " is required");
}

static void put_of_object(struct words *w)
{
    if (w->f->wrong == WRONG_UNKNOWN)
        put_unknown(w);
    else if (w->f->bit >= SHAPE_CHOICE)
        put_choice(w);
    else if (w->f->bit >= SHAPE_GROUP)
        put_group(w);
    else
        put_missing(w);
}

static void put_of_member(struct words *w)
{
    struct snap_req_type t = snap_req_type(w->s, snap_req_member(w->s, w->f->member).type);
    switch (w->f->wrong) {
    case WRONG_KIND:
        buf_putz(&w->b, "must be ");
        put_kinds(w, t.kinds, t.flags & TYPEF_WHOLE);
        buf_printf(&w->b, "; it is %s", kind_here(w));
        if ((t.flags & TYPEF_WHOLE) && strcmp(kind_here(w), "a number") == 0) {
            buf_putz(&w->b, ", ");
            put_value(w);
        }
        break;
    case WRONG_ENUM:
        if (t.flags & TYPEF_OPEN) {
            buf_putz(&w->b, "known are ");
            put_list(w, t.words);
        } else {
            put_one_of(w, "must be ", t.words);
        }
        buf_putz(&w->b, "; it is ");
        put_value(w);
        break;
    case WRONG_RANGE:
        put_number(w, &t);
        break;
    case WRONG_SIZE:
        put_size(w, &t);
        break;
    case WRONG_CHARS:
        put_chars(w, &t);
        break;
    default:
        put_value(w);
        buf_putz(&w->b, " is there twice");
    }
}

struct str report_shape_words(struct arena *ar, const cando_report *r,
                              const struct report_finding *f)
{
    struct words w = {.r = r, .f = f, .s = &r->target->catalog->snap};
    buf_init_arena(&w.b, ar, WORDS_BYTES);
    if (f->member != SNAP_NONE)
        put_of_member(&w);
    else
        put_of_object(&w);
    const char *text = buf_cstr(&w.b);
    return text ? str_make(text, w.b.n) : STR_NONE;
}
