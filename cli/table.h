/*
 * table.h - rows and columns for people, for Markdown and for spreadsheets.
 *
 * Cells are added row by row. On a terminal that is too narrow the columns
 * that matter least are left out, from the first of them on, and named below the
 * table; then the first column is cut. In a pipe nothing is lost.
 */
#ifndef CANDO_CLI_TABLE_H
#define CANDO_CLI_TABLE_H

#include "out.h"

#define TABLE_COLUMNS 64

/* SPARE: may be left out. POINT: numbers whose points stand below each other. */
enum { COLUMN_LEFT = 0, COLUMN_RIGHT = 1, COLUMN_SPARE = 2, COLUMN_POINT = 4 };

struct table_cell {
    const char *text;
    enum style style;
};

/* Lives in the arena. */
struct table {
    struct arena *ar;
    const char *title[TABLE_COLUMNS];
    unsigned how[TABLE_COLUMNS];
    size_t columns;
    struct table_cell *cell;
    size_t n, cap;
    const char *whole; /* the option that shows what a terminal has no room for; NULL: none */
    bool failed;
};

void table_column(struct table *t, const char *title, unsigned how);
/* The next cell. */
void table_cell(struct table *t, enum style style, const char *fmt, ...) PRINTS(3, 4);

/* A cell in so many columns; of what is too long a third of them is its begin and the rest its
 * end, as names differ there. */
void table_put_cut(const struct table_cell *cell, size_t width);
/* As text, with two spaces between the columns. Gives the exit code: no memory is reported. */
int table_print(const struct table *t, size_t room);
int table_markdown(const struct table *t);
/* RFC 4180: lines end in CR LF, what needs quotes has them. */
int table_csv(const struct table *t);

#endif
