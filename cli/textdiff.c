/*
 * textdiff.c - see textdiff.h.
 *
 * Myers' greedy search for the fewest lines that go and come: a row says, for each diagonal
 * k = x - y that so many of them lead to, how far down it one gets. A repair changes few lines,
 * so that d stays small however long the text is; where it does not, all that lies between the
 * first and the last change is shown as changed.
 */
#include "textdiff.h"

#include <stdio.h>

enum { CONTEXT = 3, CHANGES_MAX = 500 };

struct side {
    struct str *line; /* each with its line end */
    bool *changed;
    size_t n;
};

struct textdiff {
    struct arena *ar;
    struct side from, to;
    size_t same; /* lines that both begin with; those of the middle are counted from there: */
    long n, m;
};

static bool split(struct arena *ar, struct str text, struct side *out)
{
    size_t n = 1;
    for (size_t i = 0; i < text.n; i++)
        n += text.p[i] == '\n';
    out->line = arena_array(ar, n, sizeof *out->line);
    out->changed = arena_array(ar, n, sizeof *out->changed);
    for (out->n = 0; out->line && text.n; out->n++) {
        size_t end = str_find_char(text, '\n');
        end += end < text.n;
        out->line[out->n] = str_head(text, end);
        text = str_from(text, end);
    }
    return out->line && out->changed;
}

static bool is_same(const struct textdiff *d, long x, long y)
{
    return str_eq(d->from.line[d->same + (size_t)x], d->to.line[d->same + (size_t)y]);
}

/* A row of the search: where `steps` changes lead to on the diagonals -steps to steps, with two
 * more at either side that nothing leads to. */
struct row {
    long *reached;
    long steps;
};
enum { NOWHERE = -2 };

static long reached(const struct row *r, long k)
{
    return r->reached[k + r->steps + 2];
}

static bool row_begin(struct arena *ar, struct row *r, long steps)
{
    size_t width = (size_t)(2 * steps + 5);
    *r = (struct row){arena_array(ar, width, sizeof *r->reached), steps};
    for (size_t i = 0; r->reached && i < width; i++)
        r->reached[i] = NOWHERE;
    return r->reached;
}

/* Where a line more that goes (or comes) leads to on diagonal k. */
static long step(const struct row *before, long k, bool *goes)
{
    long gone = reached(before, k - 1) + 1, come = reached(before, k + 1);
    *goes = gone >= come;
    return *goes ? gone : come;
}

static void row_fill(const struct textdiff *d, const struct row *before, struct row *r)
{
    bool goes;
    for (long k = -r->steps; k <= r->steps; k += 2) {
        long x = r->steps ? step(before, k, &goes) : 0;
        if (x < 0 || x > d->n || x - k < 0 || x - k > d->m)
            continue;
        while (x < d->n && x - k < d->m && is_same(d, x, x - k))
            x++;
        r->reached[k + r->steps + 2] = x;
    }
}

/* Back from the end, marking what each step was. */
static void mark(struct textdiff *d, const struct row *row, long steps)
{
    long k = d->n - d->m;
    for (; steps > 0; steps--) {
        bool goes;
        long x = step(&row[steps - 1], k, &goes);
        if (goes)
            d->from.changed[d->same + (size_t)(x - 1)] = true;
        else
            d->to.changed[d->same + (size_t)(x - k - 1)] = true;
        k += goes ? -1 : 1;
    }
}

static bool compare(struct textdiff *d)
{
    struct row *row = arena_array(d->ar, CHANGES_MAX + 1, sizeof *row);
    if (!row)
        return false;
    for (long steps = 0; steps <= CHANGES_MAX; steps++) {
        if (!row_begin(d->ar, &row[steps], steps))
            return false;
        row_fill(d, steps ? &row[steps - 1] : NULL, &row[steps]);
        long k = d->n - d->m;
        if (k >= -steps && k <= steps && reached(&row[steps], k) == d->n) {
            mark(d, row, steps);
            return true;
        }
    }
    for (size_t i = 0; i < (size_t)d->n; i++)
        d->from.changed[d->same + i] = true;
    for (size_t i = 0; i < (size_t)d->m; i++)
        d->to.changed[d->same + i] = true;
    return true;
}

/* -- printing -- */

static void put_line(char mark, struct str line)
{
    putchar(mark);
    fwrite(line.p, 1, line.n, stdout);
    if (!line.n || line.p[line.n - 1] != '\n')
        fputs("\n\\ No newline at end of file\n", stdout);
}

/* "@@ -1,5 +1,6 @@"; of nothing the line before is named. */
static void put_range(char mark, size_t first, size_t n)
{
    printf(n == 1 ? "%c%zu" : "%c%zu,%zu", mark, n ? first + 1 : first, n);
}

static bool is_changed(const struct textdiff *d, size_t x, size_t y)
{
    return (x < d->from.n && d->from.changed[x]) || (y < d->to.n && d->to.changed[y]);
}

/* From one change to the last one that is near; *x and *y are behind it then. */
static void put_hunk(const struct textdiff *d, size_t *x, size_t *y)
{
    size_t lead = *x < CONTEXT ? *x : CONTEXT, a = *x - lead, b = *y - lead, equal = 0;
    while (*x < d->from.n || *y < d->to.n) {
        bool from = *x < d->from.n && d->from.changed[*x];
        bool to = !from && *y < d->to.n && d->to.changed[*y];
        equal = from || to ? 0 : equal + 1;
        if (equal > 2 * CONTEXT)
            break;
        *x += !to;
        *y += !from;
    }
    size_t back = equal > CONTEXT ? (equal > 2 * CONTEXT ? equal - 1 : equal) - CONTEXT : 0;
    size_t end_x = *x - back, end_y = *y - back;
    fputs("@@ ", stdout);
    put_range('-', a, end_x - a);
    putchar(' ');
    put_range('+', b, end_y - b);
    fputs(" @@\n", stdout);
    while (a < end_x || b < end_y) {
        if (a < end_x && d->from.changed[a])
            put_line('-', d->from.line[a++]);
        else if (b < end_y && d->to.changed[b])
            put_line('+', d->to.line[b++]);
        else
            put_line(' ', d->from.line[a++]), b++;
    }
}

static void put_all(const struct textdiff *d, const char *name)
{
    printf("--- %s\n+++ %s\n", name, name);
    for (size_t x = 0, y = 0; x < d->from.n || y < d->to.n;) {
        if (is_changed(d, x, y)) {
            put_hunk(d, &x, &y);
        } else {
            x++;
            y++;
        }
    }
}

bool textdiff_put(struct arena *ar, const char *name, struct str from, struct str to)
{
    struct textdiff d = {.ar = ar};
    if (str_eq(from, to))
        return true;
    if (!split(ar, from, &d.from) || !split(ar, to, &d.to))
        return false;
    size_t least = d.from.n < d.to.n ? d.from.n : d.to.n, tail = 0;
    while (d.same < least && str_eq(d.from.line[d.same], d.to.line[d.same]))
        d.same++;
    while (tail < least - d.same &&
           str_eq(d.from.line[d.from.n - 1 - tail], d.to.line[d.to.n - 1 - tail]))
        tail++;
    d.n = (long)(d.from.n - d.same - tail);
    d.m = (long)(d.to.n - d.same - tail);
    if (!compare(&d))
        return false;
    put_all(&d, name);
    return true;
}
