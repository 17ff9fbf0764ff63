#include "matrix.h"

#include "table.h"

const char *const level_words[LEVELS] = {"unknown", "no", "restricted", "emulated", "native"};
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
        out("the share of a provider's models that can, of those that anybody knows about\n");
        return;
    }
    for (unsigned l = LEVELS; l-- > 0;)
        out("%c%s" END " %s%s", styles[l], marks[l], level_words[l], l ? "   " : "");
    out("\n");
}

/* Few rows stand upright: a line a capability, which needs no turned headings. */
static int print_upright(const struct matrix *m)
{
    struct table t = {.ar = m->ar};
    char text[16];
    table_column(&t, "", COLUMN_LEFT);
    for (size_t i = 0; i < m->n; i++)
        table_column(&t, m->row[i].name.p, COLUMN_LEFT);
    for (size_t c = 0; c < m->columns; c++) {
        table_cell(&t, STYLE_PLAIN, "%s", m->column[c]);
        for (size_t i = 0; i < m->n; i++) {
            const struct matrix_cell *x = &m->row[i].cell[c];
            table_cell(&t, cell_style(m, x), "%s%s%s", cell_text(m, x, text), m->counts ? "" : " ",
                       m->counts ? "" : level_words[x->level]);
        }
    }
    return table_print(&t, 0);
}

/* The names of the columns, turned: one letter a line. */
static void put_headings(const struct matrix *m, size_t name, size_t width)
{
    size_t height = 0;
    for (size_t c = 0; c < m->columns; c++)
        height = strlen(m->column[c]) > height ? strlen(m->column[c]) : height;
    for (size_t line = 0; line < height; line++) {
        printf("%*s", (int)name, "");
        for (size_t c = 0; c < m->columns; c++) {
            size_t from = height - strlen(m->column[c]);
            char letter = line < from ? ' ' : m->column[c][line - from];
            printf("%*c", (int)width, letter == '_' ? ' ' : letter);
        }
        fputc('\n', stdout);
    }
}

static void print_flat(const struct matrix *m)
{
    size_t name = 0, width = m->counts ? 5 : 2;
    char text[16];
    for (size_t i = 0; i < m->n; i++)
        name = out_width(m->row[i].name) > name ? out_width(m->row[i].name) : name;
    put_headings(m, name, width);
    for (size_t i = 0; i < m->n; i++) {
        out("%-*s", (int)name, m->row[i].name.p);
        for (size_t c = 0; c < m->columns; c++) {
            const struct matrix_cell *x = &m->row[i].cell[c];
            const char *cell = cell_text(m, x, text);
            out("%*s%c%s" END, (int)(width - out_width(str_of(cell))), "", cell_style(m, x), cell);
        }
        out("\n");
    }
}

int matrix_print(const struct matrix *m)
{
    size_t room = table_room() ? table_room() : 120, need = 24;
    int code = 0;
    for (size_t i = 0; i < m->n; i++)
        need += 2 + (out_width(m->row[i].name) > 12 ? out_width(m->row[i].name) : 12);
    if (need <= room)
        code = print_upright(m);
    else
        print_flat(m);
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
                                   : level_words[x->level]);
        }
    }
    return table_markdown(&t);
}
