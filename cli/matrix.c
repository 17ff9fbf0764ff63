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
    return !c->known          ? STYLE_DIM
           : matrix_percent(c) >= 75 ? STYLE_GOOD
           : matrix_percent(c) >= 25 ? STYLE_WARN
                              : STYLE_BAD;
}

static struct str cell_text(const struct matrix *m, const struct matrix_cell *c, char out[16])
{
    if (m->counts && c->known)
        snprintf(out, 16, "%u%%", matrix_percent(c));
    else
        snprintf(out, 16, "%s", marks[c->level]);
    return str_of(out);
}

static void put_legend(const struct matrix *m)
{
    fputc('\n', stdout);
    if (m->counts) {
        puts("the share of a provider's models that can, of those that anybody knows about");
        return;
    }
    for (unsigned l = LEVELS; l-- > 0;) {
        out_print(stdout, styles[l], marks[l]);
        printf(" %s%s", level_words[l], l ? "   " : "\n");
    }
}

/* Few rows stand upright: a line a capability, which needs no turned headings. */
static void print_upright(const struct matrix *m)
{
    struct table t;
    char text[16];
    table_init(&t);
    table_column(&t, "", false, false);
    for (size_t i = 0; i < m->n; i++)
        table_column(&t, m->row[i].name.p, false, false);
    for (size_t c = 0; c < m->columns; c++) {
        table_add(&t, str_of(m->column[c]), STYLE_PLAIN);
        for (size_t i = 0; i < m->n; i++) {
            const struct matrix_cell *x = &m->row[i].cell[c];
            if (m->counts) {
                table_add(&t, cell_text(m, x, text), count_style(x));
            } else {
                struct str word =
                    str_printf(&t.ar, "%s %s", marks[x->level], level_words[x->level]);
                table_add(&t, word.p ? word : STR(""), styles[x->level]);
            }
        }
    }
    table_print(&t, 0);
    table_free(&t);
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
            size_t n = strlen(m->column[c]), from = height - n;
            printf("%*c", (int)width,
                   line < from                        ? ' '
                   : m->column[c][line - from] == '_' ? ' '
                                                      : m->column[c][line - from]);
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
        out_cell(stdout, STYLE_PLAIN, m->row[i].name, name);
        for (size_t c = 0; c < m->columns; c++) {
            const struct matrix_cell *x = &m->row[i].cell[c];
            struct str s = cell_text(m, x, text);
            printf("%*s", (int)(width - out_width(s)), "");
            out_print(stdout, m->counts ? count_style(x) : styles[x->level], s.p);
        }
        fputc('\n', stdout);
    }
}

void matrix_print(const struct matrix *m)
{
    size_t room = table_room() ? table_room() : 120, need = 24;
    for (size_t i = 0; i < m->n; i++)
        need += 2 + (out_width(m->row[i].name) > 12 ? out_width(m->row[i].name) : 12);
    if (need <= room)
        print_upright(m);
    else
        print_flat(m);
    put_legend(m);
}

void matrix_markdown(const struct matrix *m)
{
    struct table t;
    char text[16];
    table_init(&t);
    table_column(&t, m->counts ? "provider" : "model", false, false);
    for (size_t c = 0; c < m->columns; c++)
        table_column(&t, m->column[c], false, false);
    for (size_t i = 0; i < m->n; i++) {
        table_add(&t, m->row[i].name, STYLE_PLAIN);
        for (size_t c = 0; c < m->columns; c++) {
            const struct matrix_cell *x = &m->row[i].cell[c];
            if (m->counts)
                table_add(&t, x->known ? cell_text(m, x, text) : STR("?"), STYLE_PLAIN);
            else
                table_add(&t, str_of(x->level == CANDO_UNKNOWN ? "?" : level_words[x->level]),
                          STYLE_PLAIN);
        }
    }
    table_markdown(&t);
    table_free(&t);
}
