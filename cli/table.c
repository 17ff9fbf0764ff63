#include "table.h"

#include "base/map.h"
#include "verb.h"

#include <stdarg.h>

void table_column(struct table *t, const char *title, unsigned how)
{
    if (t->columns == TABLE_COLUMNS)
        return;
    t->title[t->columns] = title;
    t->how[t->columns++] = how;
}

void table_cell(struct table *t, enum style style, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    char *text = n < 0 ? NULL : arena_alloc(t->ar, (size_t)n + 1);
    if (text && ARENA_GROW(t->ar, t->cell, t->n, t->cap)) {
        vsnprintf(text, (size_t)n + 1, fmt, again);
        t->cell[t->n++] = (struct table_cell){text, style};
    } else {
        t->failed = true;
    }
    va_end(again);
    va_end(ap);
}

static int end(const struct table *t)
{
    return t->failed ? fail_memory() : EXIT_YES;
}

/* -- text -- */

/* How a table stands on the page. */
struct layout {
    size_t width[TABLE_COLUMNS], tail[TABLE_COLUMNS]; /* of a column; behind its points */
    bool shown[TABLE_COLUMNS];
    size_t cut_at, begin; /* the column of names that is cut, and how much is kept before it */
};

static size_t total(const struct table *t, const struct layout *l)
{
    size_t sum = 0;
    for (size_t c = 0; c < t->columns; c++)
        sum += l->shown[c] ? l->width[c] + (c ? 2 : 0) : 0;
    return sum;
}

/* The bytes of a number from its point on. */
static size_t behind_point(const char *text)
{
    const char *point = strrchr(text, '.');
    return point && point[1 + strspn(point + 1, "0123456789")] == '\0' ? strlen(point) : 0;
}

/* How much shorter behind its point a number is than `tail`; words have none. */
static size_t lacks(const char *text, size_t tail)
{
    size_t n = strlen(text);
    return n && char_is_digit(text[n - 1]) ? tail - behind_point(text) : 0;
}

/* What is to be added behind each number of a column, so that all points are below each other. */
static size_t longest_tail(const struct table *t, size_t c)
{
    size_t most = 0;
    for (size_t i = c; t->how[c] & COLUMN_POINT && i < t->n; i += t->columns) {
        size_t n = behind_point(t->cell[i].text);
        most = n > most ? n : most;
    }
    return most;
}

enum {
    NAME_LEAST = 44,   /* columns that names have before others are left out, */
    NAME_FLOOR = 24,   /* before texts are cut, too, */
    TEXT_FLOOR = 12,   /* to so many, */
    NAME_SHORTEST = 8, /* and when nothing else helps */
};

/* Makes a column narrower by what is too much, but not below `least`; what is still too much. */
static size_t narrow(size_t *width, size_t least, size_t over)
{
    size_t spare = *width > least ? *width - least : 0;
    size_t taken = spare < over ? spare : over;
    *width -= taken;
    return over - taken;
}

/* The column of names that is cut: the widest of those at the left edge of the table. */
static size_t name_column(const struct table *t, const size_t *width)
{
    size_t widest = 0;
    for (size_t c = 1; c < t->columns && !(t->how[c] & ~(unsigned)COLUMN_LEFT); c++)
        widest = width[c] > width[widest] ? c : widest;
    return widest;
}

static bool is_inside(struct str s, size_t at)
{
    return at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80;
}

/* A text of which the middle is left out. */
struct cut {
    struct str head, tail;
    size_t room; /* columns for the tail */
};

/* Cut to a width, of which the begin has at most `begin`. */
static struct cut cut_text(struct str s, size_t width, size_t begin)
{
    size_t head = s.n, tail = 0;
    while (head > 0 && (out_width(str_head(s, head)) > begin || is_inside(s, head)))
        head--;
    size_t left = width - 1 - out_width(str_head(s, head));
    while (tail < s.n && (out_width(str_from(s, tail)) > left || is_inside(s, tail)))
        tail++;
    return (struct cut){str_head(s, head), str_from(s, tail), left};
}

static void put_cut(const struct table_cell *cell, size_t width, size_t begin)
{
    struct str s = str_of(cell->text);
    if (out_width(s) <= width) {
        out("%c%-*s" END, cell->style, (int)width, s.p);
        return;
    }
    struct cut x = cut_text(s, width, begin);
    out("%c%.*s" END DIM "\xe2\x80\xa6" END "%c%-*s" END, cell->style, STR_ARG(x.head), cell->style,
        (int)x.room, x.tail.p);
}

void table_put_cut(const struct table_cell *cell, size_t width)
{
    put_cut(cell, width, width / 3);
}

/* Do two names of a column look alike when they are cut so? */
static bool looks_alike(const struct table *t, size_t c, size_t width, size_t begin)
{
    struct map seen;
    map_init(&seen, t->ar, false);
    for (size_t i = c; i < t->n; i += t->columns) {
        struct str s = str_of(t->cell[i].text);
        if (out_width(s) <= width)
            continue;
        struct cut x = cut_text(s, width, begin);
        struct str shown = str_printf(t->ar, "%.*s\n%s", STR_ARG(x.head), x.tail.p);
        uint32_t *other = shown.p ? map_get(&seen, shown) : NULL;
        if (other && strcmp(t->cell[*other].text, s.p) != 0)
            return true;
        if (!other && (!shown.p || !map_put(&seen, shown, (uint32_t)i)))
            return false;
    }
    return false;
}

/* How much of a name is its begin: a third, unless that makes two of them the same. */
static size_t begin_of(const struct table *t, size_t c, size_t width)
{
    size_t usual = width / 3;
    if (!looks_alike(t, c, width, usual))
        return usual;
    for (size_t begin = usual + 1; begin + 1 < width; begin++)
        if (!looks_alike(t, c, width, begin))
            return begin;
    return usual;
}

/* Leaves columns out until the rest fits, then narrows the names. */
static void fit(const struct table *t, size_t room, struct layout *l)
{
    size_t *width = l->width;
    bool *shown = l->shown;
    for (size_t c = 0; c < t->columns; c++) {
        shown[c] = !(t->how[c] & COLUMN_SPARE);
        width[c] = out_width(str_of(t->title[c]));
        size_t tail = l->tail[c] = longest_tail(t, c);
        for (size_t i = c; i < t->n; i += t->columns) {
            size_t w = out_width(str_of(t->cell[i].text));
            w += tail ? lacks(t->cell[i].text, tail) : 0;
            width[c] = w > width[c] ? w : width[c];
            shown[c] |= t->cell[i].text[0] != '\0';
        }
    }
    size_t at = l->cut_at = name_column(t, width);
    size_t cut = width[at] > NAME_LEAST ? width[at] - NAME_LEAST : 0;
    for (size_t c = 1; room && c < t->columns && total(t, l) > room + cut; c++)
        shown[c] = shown[c] && !(t->how[c] & COLUMN_SPARE);
    size_t sum = total(t, l), over = room && sum > room ? sum - room : 0;
    over = narrow(&width[at], NAME_FLOOR, over);
    for (size_t c = t->columns; c-- > 0;)
        if (c != at && shown[c] && t->how[c] == COLUMN_LEFT)
            over = narrow(&width[c], TEXT_FLOOR, over);
    narrow(&width[at], NAME_SHORTEST, over);
    l->begin = begin_of(t, at, width[at]);
}

/* The columns that did not fit, and that say something. */
static void name_missing(const struct table *t, const bool *shown)
{
    bool any = false;
    for (size_t c = 1; c < t->columns; c++) {
        bool says = false;
        for (size_t i = c; i < t->n && !shown[c]; i += t->columns)
            says |= t->cell[i].text[0] != '\0';
        if (says)
            out("%s" DIM "%s" END, any ? ", " : "too narrow for: ", t->title[c]);
        any |= says;
    }
    if (any)
        out(MAYBE("; %s shows all") "\n", t->whole);
}

static void put_line(const struct table *t, const struct table_cell *cell, const struct layout *l,
                     const struct table_cell *head)
{
    const size_t *width = l->width;
    size_t last = t->columns;
    while (last > 0 && (!l->shown[last - 1] || !cell[last - 1].text[0]))
        last--;
    for (size_t c = 0; c < last; c++) {
        size_t tail = cell == head ? 0 : l->tail[c];
        if (!l->shown[c])
            continue;
        tail = tail ? lacks(cell[c].text, tail) : 0;
        bool wide = t->how[c] == COLUMN_LEFT && out_width(str_of(cell[c].text)) > width[c];
        if (wide || (c == l->cut_at && c + 1 < last)) {
            out("%s", c ? "  " : "");
            put_cut(&cell[c], width[c], c == l->cut_at ? l->begin : width[c] / 3);
        } else if (t->how[c] & (COLUMN_RIGHT | COLUMN_POINT))
            out("%s%*s%c%s" END "%*s", c ? "  " : "",
                (int)(width[c] - out_width(str_of(cell[c].text)) - tail), "", cell[c].style,
                cell[c].text, c + 1 < last ? (int)tail : 0, "");
        else if (c == 0)
            out("%c%-*s" END, cell[c].style, c + 1 < last ? (int)width[c] : 0, cell[c].text);
        else
            out("  %c%-*s" END, cell[c].style, c + 1 < last ? (int)width[c] : 0, cell[c].text);
    }
    out("\n");
}

int table_print(const struct table *t, size_t room)
{
    struct layout l;
    struct table_cell head[TABLE_COLUMNS];
    fit(t, room, &l);
    for (size_t c = 0; c < t->columns; c++)
        head[c] = (struct table_cell){t->title[c], STYLE_BOLD};
    put_line(t, head, &l, head);
    for (size_t i = 0; i + t->columns <= t->n; i += t->columns)
        put_line(t, t->cell + i, &l, head);
    if (room)
        name_missing(t, l.shown);
    return end(t);
}

/* -- Markdown and CSV -- */

static void put_markdown(const char *z, bool first, bool last)
{
    fputs(first ? "| " : " | ", stdout);
    while (*z) {
        size_t plain = strcspn(z, "|\\`*_<>[]");
        out_safe(stdout, str_make(z, plain));
        z += plain;
        if (*z)
            printf("\\%c", *z++);
    }
    fputs(last ? " |\n" : "", stdout);
}

/* Does a spreadsheet take it for a formula? A number is none, whatever its sign. */
static bool is_formula(const char *z)
{
    if (!*z || !strchr("=+-@\t\r", *z))
        return false;
    return !(strchr("+-", *z) && char_is_digit(z[1]) && !z[strspn(z + 1, "0123456789.") + 1]);
}

static void put_csv(const char *z, bool first, bool last)
{
    bool formula = is_formula(z), quote = formula || z[strcspn(z, "\",\n\r")] != '\0';
    fputs(first ? "" : ",", stdout);
    fputs(quote ? "\"" : "", stdout);
    fputs(formula ? "'" : "", stdout); /* it is shown as text then */
    while (*z) {
        size_t plain = strcspn(z, "\"\n");
        out_safe(stdout, str_make(z, plain));
        z += plain;
        if (*z == '"')
            putchar('"');
        if (*z)
            putchar(*z++);
    }
    fputs(quote ? "\"" : "", stdout);
    fputs(last ? "\r\n" : "", stdout);
}

/* The titles, what goes below them, and all whole rows. */
static int put_all(const struct table *t, void (*put)(const char *z, bool first, bool last),
                   void (*rule)(const struct table *t))
{
    size_t n = t->columns;
    for (size_t c = 0; c < n; c++)
        put(t->title[c], c == 0, c + 1 == n);
    if (rule)
        rule(t);
    for (size_t i = 0; n && i < t->n - t->n % n; i++)
        put(t->cell[i].text, i % n == 0, i % n == n - 1);
    return end(t);
}

static void put_rule(const struct table *t)
{
    for (size_t c = 0; c < t->columns; c++)
        fputs(t->how[c] & COLUMN_RIGHT ? "|---:" : "|---", stdout);
    fputs("|\n", stdout);
}

int table_markdown(const struct table *t)
{
    return put_all(t, put_markdown, put_rule);
}

int table_csv(const struct table *t)
{
    return put_all(t, put_csv, NULL);
}
