/*
 * matrix.h - who can do what: rows of names against columns of capabilities.
 *
 * A cell of a model is its level. A cell of a provider is how many of its
 * models can, of those that anybody knows about.
 */
#ifndef CANDO_CLI_MATRIX_H
#define CANDO_CLI_MATRIX_H

#include "out.h"

#define MATRIX_COLUMNS 96

#define LEVELS (CANDO_NATIVE + 1)

struct matrix_cell {
    cando_support level;
    uint32_t can, known; /* of a provider: its models */
    const char *reason;  /* of a restriction */
};

enum { FACT_WINDOW, FACT_INPUT, FACT_OUTPUT, FACT_STATUS, FACTS };

struct matrix_row {
    struct str name;         /* "openai/gpt-4o" */
    const char *fact[FACTS]; /* what one compares besides, in words; NULL: not known */
    uint32_t models; /* of a provider */
    struct matrix_cell *cell;
};

struct matrix {
    struct arena *ar;
    const char *column[MATRIX_COLUMNS]; /* names of fields, */
    cando_field field[MATRIX_COLUMNS];  /* and these */
    size_t columns;
    struct matrix_row *row;
    size_t n, cap;
    bool counts; /* the rows are providers */
    bool facts;  /* tell these, too, where the rows stand upright */
    const char *title;
    bool failed;
};

extern const char *const matrix_words[LEVELS];
#define MATRIX_SHARES "the share of a provider's models that can, of those that anybody knows about"

/* How many of a provider's models can, of those that anybody knows about. */
unsigned matrix_percent(const struct matrix_cell *c);

int matrix_print(const struct matrix *m); /* gives the exit code */
int matrix_markdown(const struct matrix *m);
/* A page that needs nothing but itself (matrix_html.c). */
void matrix_html(const struct matrix *m);

#endif
