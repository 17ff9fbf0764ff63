/*
 * out.h - everything that the command line prints.
 *
 * Results go to stdout, everything else to stderr. Colour is used on a
 * terminal only, and never where NO_COLOR is set or TERM is "dumb". Text that
 * came from outside is printed through out_safe, so that no file or model name
 * can send an escape sequence to the terminal.
 */
#ifndef CANDO_CLI_OUT_H
#define CANDO_CLI_OUT_H

#include "base/buf.h"
#include "base/diag.h"

#include <stdio.h>

enum style { STYLE_PLAIN, STYLE_BOLD, STYLE_DIM, STYLE_GOOD, STYLE_WARN, STYLE_BAD, STYLE_NOTE };

/* Looks at the two streams and the environment, once. */
void out_init(void);
/* Flushes stdout and turns an exit code into the final one: a result that could
 * not be written is a failure. */
int out_finish(int code);

/* Columns of a text on a terminal: combining marks take none, CJK and emoji two. */
size_t out_width(struct str s);
/* The text with control characters replaced. */
void out_safe(FILE *f, struct str s);
/* The same in a style, padded with spaces to at least `width` columns. */
void out_cell(FILE *f, enum style style, struct str s, size_t width);
void out_print(FILE *f, enum style style, const char *z);
/* Paragraphs, broken at spaces to fit a page; lines after the first of each are
 * put behind `indent` spaces, and the first begins at `column`. */
void out_wrapped(FILE *f, struct str text, size_t indent, size_t column);
/* Bytes as they are and a line end, to stdout: for --json. */
void out_line(struct str s);

/* "1,047,576" */
struct str out_number(uint64_t n, char text[32]);

/* `cando: error: message [code]` and its hint, to stderr. */
void out_error(const cando_error *err);
/* `file:line:column: severity: message [code]`, the line, a caret, the hint. */
void out_finding(FILE *f, const cando_finding *x);
/* "1,204 rules", and what follows it */
void out_count(FILE *f, uint64_t n, const char *what, const char *after);
/* "2 errors, 1 warning"; "no findings" */
void out_counts(FILE *f, size_t errors, size_t warnings, size_t notes);

/* A JSON string in quotes, for requests and for --json. */
void out_quoted(struct buf *b, struct str s);

#endif
