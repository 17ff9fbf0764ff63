#include "matrix.h"

#include "screen.h"
#include "table.h"

enum { FACTS_MOST = 3 }; /* rows whose facts have room beside each other on 80 columns */

const char *const matrix_words[LEVELS] = {"unknown", "no", "restricted", "emulated", "native"};
static const char *const marks[LEVELS] = {"\xc2\xb7", "\xe2\x97\x8b", "\xe2\x97\x94",
                                          "\xe2\x97\x90", "\xe2\x97\x8f"}; /* . o and fuller */
static const enum style styles[LEVELS] = {STYLE_DIM, STYLE_BAD, STYLE_WARN, STYLE_WARN, STYLE_GOOD};

unsigned matrix_percent(const struct matrix_cell *c)
{
    return c->known ? (unsigned)(((uint64_t)c->can * 100 + c->known / 2) / c->known) : 0;
}

static enum style count_style(const struct matrix_cell *c)
{
    return !c->known                 ? STYLE_DIM
           : matrix_percent(c) >= 75 ? STYLE_GOOD
           : matrix_percent(c) >= 25 ? STYLE_WARN
                                     : STYLE_BAD;
}

/* A mark, or a share. */
static const char *cell_text(const struct matrix *m, const struct matrix_cell *c, char out[16])
{
    if (!m->counts || !c->known)
        return marks[c->level];
    snprintf(out, 16, "%u%%", matrix_percent(c));
    return out;
}

static enum style cell_style(const struct matrix *m, const struct matrix_cell *c)
{
    return m->counts ? count_style(c) : styles[c->level];
}

static void put_legend(const struct matrix *m)
{
    out("\n");
    if (m->counts) {
        puts(MATRIX_SHARES);
        return;
    }
    for (unsigned l = LEVELS; l-- > 0;)
        out("%c%s" END " %s%s", styles[l], marks[l], matrix_words[l], l ? "   " : "");
    out("\n");
}

/* The words of a cell: the mark alone where columns are narrow. */
static void add_cell(struct table *t, const struct matrix *m, const struct matrix_cell *x,
                     bool narrow)
{
    char text[16];
    bool plain = m->counts || narrow;
    table_cell(t, cell_style(m, x), "%s%s%s", cell_text(m, x, text), plain ? "" : " ",
               plain ? "" : matrix_words[x->level]);
}

/* What models are compared by before all: a line each, where anybody knows it. */
static void add_facts(struct table *t, const struct matrix *m)
{
    static const char *const names[FACTS] = {"context", "input per M", "output per M", "status"};
    for (size_t f = 0; m->facts && f < FACTS; f++) {
        bool any = false;
        for (size_t i = 0; i < m->n; i++)
            any |= m->row[i].fact[f] != NULL;
        if (!any)
            continue;
        table_cell(t, STYLE_PLAIN, "%s", names[f]);
        for (size_t i = 0; i < m->n; i++)
            table_cell(t, STYLE_PLAIN, "%s",
                       m->row[i].fact[f]  ? m->row[i].fact[f]
                       : f == FACT_STATUS ? ""
                                          : "?");
    }
}

/* Few rows stand upright: a line a capability, which needs no turned headings. Where their names
 * are too wide they are numbered, and the numbers explained. */
static int print_upright(const struct matrix *m, bool numbered)
{
    struct table t = {.ar = m->ar};
    table_column(&t, "", COLUMN_LEFT);
    for (size_t i = 0; i < m->n; i++)
        table_column(&t, numbered ? str_printf(m->ar, "%zu", i + 1).p : m->row[i].name.p,
                     m->counts ? COLUMN_RIGHT : COLUMN_LEFT);
    if (!numbered || m->n <= FACTS_MOST)
        add_facts(&t, m);
    for (size_t c = 0; c < m->columns; c++) {
        table_cell(&t, STYLE_PLAIN, "%s", m->column[c]);
        for (size_t i = 0; i < m->n; i++)
            add_cell(&t, m, &m->row[i].cell[c], numbered);
    }
    for (size_t i = 0; numbered && i < m->n; i++)
        out(BOLD "%2zu" END "  %s\n", i + 1, m->row[i].name.p);
    out(numbered ? "\n" : "");
    return table_print(&t, 0);
}

/* Few columns: a line a row, with the words. */
static int print_plain(const struct matrix *m)
{
    struct table t = {.ar = m->ar};
    table_column(&t, m->counts ? "provider" : "model", COLUMN_LEFT);
    for (size_t c = 0; c < m->columns; c++)
        table_column(&t, m->column[c], m->counts ? COLUMN_RIGHT : COLUMN_LEFT);
    for (size_t i = 0; i < m->n; i++) {
        table_cell(&t, STYLE_PLAIN, "%s", m->row[i].name.p);
        for (size_t c = 0; c < m->columns; c++)
            add_cell(&t, m, &m->row[i].cell[c], false);
    }
    return table_print(&t, 0);
}

/* The letter that stands for a column. */
static char code_of(size_t column)
{
    static const char codes[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return codes[column % (sizeof codes - 1)];
}

/* "a tool_calling  b reasoning", as many on a line as fit, in columns of one width. */
static void put_codes(const struct matrix *m, size_t room)
{
    size_t width = 0;
    for (size_t c = 0; c < m->columns; c++)
        width = strlen(m->column[c]) > width ? strlen(m->column[c]) : width;
    size_t each = room / (width + 4) ? room / (width + 4) : 1;
    for (size_t c = 0; c < m->columns; c++) {
        char code[2] = {code_of(c), '\0'};
        bool last = (c + 1) % each == 0 || c + 1 == m->columns;
        out(BOLD "%s" END " %-*s", code, last ? 0 : (int)width + 2, m->column[c]);
        if (last)
            out("\n");
    }
    out("\n");
}

/* Some of the columns, as many as fit. */
static void print_block(const struct matrix *m, size_t from, size_t to, size_t name, size_t width)
{
    char text[16];
    out("%*s", (int)name, "");
    for (size_t c = from; c < to; c++)
        out(BOLD "%*s" END, (int)width, (char[]){code_of(c), '\0'});
    out("\n");
    for (size_t i = 0; i < m->n; i++) {
        table_put_cut(&(struct table_cell){m->row[i].name.p, STYLE_PLAIN}, name);
        for (size_t c = from; c < to; c++) {
            const struct matrix_cell *x = &m->row[i].cell[c];
            const char *cell = cell_text(m, x, text);
            out("%*s%c%s" END, (int)(width - out_width(str_of(cell))), "", cell_style(m, x), cell);
        }
        out("\n");
    }
}

/* Many of both: a line a row, and a letter for each column, which is explained first. */
static void print_flat(const struct matrix *m, size_t room)
{
    enum { NAME_LEAST = 28 }; /* columns of a name, which is cut to make room */
    size_t name = 0, width = m->counts ? 5 : 2, least;
    for (size_t i = 0; i < m->n; i++)
        name = out_width(m->row[i].name) > name ? out_width(m->row[i].name) : name;
    least = name < NAME_LEAST ? name : NAME_LEAST;
    if (name + m->columns * width > room)
        name = least + m->columns * width < room ? room - m->columns * width : least;
    size_t most = name + 4 * width < room ? (room - name) / width : 4;
    put_codes(m, room);
    for (size_t from = 0; from < m->columns; from += most) {
        out(from ? "\n" : "");
        print_block(m, from, from + most < m->columns ? from + most : m->columns, name, width);
    }
}

int matrix_print(const struct matrix *m)
{
    size_t room = screen_room() ? screen_room() : 120, wide = 24, plain = 0;
    size_t numbered = 24 + m->n * (m->counts ? 6 : 4);
    int code = 0;
    for (size_t i = 0; i < m->n; i++) {
        size_t name = out_width(m->row[i].name);
        wide += 2 + (name > 12 ? name : 12);
        plain = name > plain ? name : plain;
    }
    for (size_t c = 0; c < m->columns; c++)
        plain += 2 + (strlen(m->column[c]) > 12 ? strlen(m->column[c]) : 12);
    if (m->n < TABLE_COLUMNS && wide <= room)
        code = print_upright(m, false);
    else if (m->columns < TABLE_COLUMNS && plain <= room)
        code = print_plain(m);
    else if (m->n < TABLE_COLUMNS && numbered <= room)
        code = print_upright(m, true);
    else
        print_flat(m, room);
    put_legend(m);
    return code;
}

int matrix_markdown(const struct matrix *m)
{
    struct table t = {.ar = m->ar};
    char text[16];
    table_column(&t, m->counts ? "provider" : "model", COLUMN_LEFT);
    for (size_t c = 0; c < m->columns; c++)
        table_column(&t, m->column[c], COLUMN_LEFT);
    for (size_t i = 0; i < m->n; i++) {
        table_cell(&t, STYLE_PLAIN, "%s", m->row[i].name.p);
        for (size_t c = 0; c < m->columns; c++) {
            const struct matrix_cell *x = &m->row[i].cell[c];
            bool known = m->counts ? x->known : x->level != CANDO_UNKNOWN;
            table_cell(&t, STYLE_PLAIN, "%s",
                       !known      ? "?"
                       : m->counts ? cell_text(m, x, text)
                                   : matrix_words[x->level]);
        }
    }
    return table_markdown(&t);
}
