/*
 * table.h - rows and columns for people, for Markdown and for spreadsheets.
 *
 * Cells are added row by row. On a terminal that is too narrow the columns
 * that matter least are left out, from the last one on, and then the first
 * column is cut; in a pipe nothing is lost.
 */
#ifndef CANDO_CLI_TABLE_H
#define CANDO_CLI_TABLE_H

#include "out.h"

#define TABLE_COLUMNS 64

struct table_cell {
    struct str text;
    enum style style;
};

struct table {
    struct arena ar;
    const char *title[TABLE_COLUMNS];
    bool right[TABLE_COLUMNS], spare[TABLE_COLUMNS]; /* aligned right; may be left out */
    size_t columns;
    struct table_cell *cell;
    size_t n, cap;
    bool failed;
};

void table_init(struct table *t);
void table_free(struct table *t);
void table_column(struct table *t, const char *title, bool right, bool spare);
/* The next cell; the text is copied. */
void table_add(struct table *t, struct str text, enum style style);

/* Columns of the terminal that stdout is, or 0 if it is none. */
size_t table_room(void);
/* As text, with two spaces between the columns. False: no memory. */
bool table_print(const struct table *t, size_t room);
bool table_markdown(const struct table *t);
/* RFC 4180: lines end in CR LF, what needs quotes has them. */
bool table_csv(const struct table *t);

#endif
