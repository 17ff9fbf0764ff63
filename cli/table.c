#define _DEFAULT_SOURCE
#include "table.h"

#include <sys/ioctl.h>
#include <unistd.h>

void table_init(struct table *t)
{
    *t = (struct table){0};
    arena_init(&t->ar, NULL);
}

void table_free(struct table *t)
{
    arena_free(&t->ar);
}

void table_column(struct table *t, const char *title, bool right, bool spare)
{
    if (t->columns == TABLE_COLUMNS)
        return;
    t->title[t->columns] = title;
    t->right[t->columns] = right;
    t->spare[t->columns++] = spare;
}

void table_add(struct table *t, struct str text, enum style style)
{
    struct str own = str_dup(&t->ar, text);
    if (!own.p || !ARENA_GROW(&t->ar, t->cell, t->n, t->cap)) {
        t->failed = true;
        return;
    }
    t->cell[t->n++] = (struct table_cell){own, style};
}

size_t table_room(void)
{
    struct winsize w;
    return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 ? w.ws_col : 0;
}

/* -- text ---------------------------------------------------------------------------------- */

static size_t total(const struct table *t, const size_t *width, const bool *shown)
{
    size_t sum = 0;
    for (size_t c = 0; c < t->columns; c++)
        sum += shown[c] ? width[c] + (c ? 2 : 0) : 0;
    return sum;
}

/* Leaves columns out until the rest fits, then narrows the first. */
static void fit(const struct table *t, size_t room, size_t *width, bool *shown)
{
    for (size_t c = 0; c < t->columns; c++) {
        shown[c] = true;
        width[c] = out_width(str_of(t->title[c]));
    }
    for (size_t i = 0; i < t->n; i++) {
        size_t w = out_width(t->cell[i].text);
        if (w > width[i % t->columns])
            width[i % t->columns] = w;
    }
    for (size_t c = 0; c < t->columns; c++) {
        bool any = !t->spare[c];
        for (size_t i = c; i < t->n && !any; i += t->columns)
            any = t->cell[i].text.n != 0;
        shown[c] = any;
    }
    for (size_t c = t->columns; room && c-- > 1 && total(t, width, shown) > room;)
        shown[c] = shown[c] && !t->spare[c];
    size_t sum = total(t, width, shown);
    if (room && sum > room)
        width[0] = width[0] > sum - room + 8 ? width[0] - (sum - room) : 8;
}

/* The text cut to a width, with an ellipsis for what is gone. */
static void put_cut(struct str s, enum style style, size_t width)
{
    size_t n = s.n;
    if (out_width(s) <= width) {
        out_cell(stdout, style, s, width);
        return;
    }
    while (n > 0 && (out_width(str_head(s, n)) > width - 1 || (n < s.n && (s.p[n] & 0xc0) == 0x80)))
        n--;
    out_cell(stdout, style, str_head(s, n), 0);
    out_cell(stdout, STYLE_DIM, STR("\xe2\x80\xa6"), width - out_width(str_head(s, n)));
}

static void put_line(const struct table *t, const struct table_cell *cell, const size_t *width,
                     const bool *shown)
{
    size_t last = t->columns;
    while (last > 1 && (!shown[last - 1] || !cell[last - 1].text.n))
        last--;
    for (size_t c = 0; c < last; c++) {
        if (!shown[c])
            continue;
        if (c)
            fputs("  ", stdout);
        for (size_t have = out_width(cell[c].text); t->right[c] && have < width[c]; have++)
            fputc(' ', stdout);
        bool pad = !t->right[c] && c + 1 < last;
        if (c == 0)
            put_cut(cell[c].text, cell[c].style, width[c]);
        else
            out_cell(stdout, cell[c].style, cell[c].text, pad ? width[c] : 0);
    }
    fputc('\n', stdout);
}

bool table_print(const struct table *t, size_t room)
{
    size_t width[TABLE_COLUMNS];
    bool shown[TABLE_COLUMNS];
    struct table_cell head[TABLE_COLUMNS];
    fit(t, room, width, shown);
    for (size_t c = 0; c < t->columns; c++)
        head[c] = (struct table_cell){str_of(t->title[c]), STYLE_BOLD};
    put_line(t, head, width, shown);
    for (size_t i = 0; i + t->columns <= t->n; i += t->columns)
        put_line(t, t->cell + i, width, shown);
    return !t->failed;
}

/* -- Markdown and CSV ---------------------------------------------------------------------- */

static void put_markdown(struct str s)
{
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (strchr("|\\`*_<>[]", c) && c)
            putchar('\\');
        putchar(c < ' ' ? ' ' : c);
    }
}

bool table_markdown(const struct table *t)
{
    for (size_t c = 0; c < t->columns; c++) {
        fputs(c ? " | " : "| ", stdout);
        put_markdown(str_of(t->title[c]));
    }
    fputs(" |\n", stdout);
    for (size_t c = 0; c < t->columns; c++)
        fputs(t->right[c] ? "|---:" : "|---", stdout);
    fputs("|\n", stdout);
    for (size_t i = 0; i + (t->columns - i % t->columns) <= t->n; i++) {
        fputs(i % t->columns ? " | " : "| ", stdout);
        put_markdown(t->cell[i].text);
        if (i % t->columns == t->columns - 1)
            fputs(" |\n", stdout);
    }
    return !t->failed;
}

static void put_csv(struct str s, bool last)
{
    bool quote = false;
    for (size_t i = 0; i < s.n; i++)
        quote |= s.p[i] == '"' || s.p[i] == ',' || s.p[i] == '\n' || s.p[i] == '\r';
    if (quote)
        putchar('"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"')
            putchar('"');
        putchar(s.p[i]);
    }
    if (quote)
        putchar('"');
    fputs(last ? "\r\n" : ",", stdout);
}

bool table_csv(const struct table *t)
{
    for (size_t c = 0; c < t->columns; c++)
        put_csv(str_of(t->title[c]), c + 1 == t->columns);
    for (size_t i = 0; i + (t->columns - i % t->columns) <= t->n; i++)
        put_csv(t->cell[i].text, i % t->columns == t->columns - 1);
    return !t->failed;
}
