/*
 * out.h - everything that the command line prints.
 *
 * Results go to stdout, everything else to stderr. Colour is used on a
 * terminal only, and never where NO_COLOR is set or TERM is "dumb". Text that
 * came from outside is printed as %s of `out`, or through out_safe, so that no
 * file or model name can send an escape sequence to the terminal.
 */
#ifndef CANDO_CLI_OUT_H
#define CANDO_CLI_OUT_H

#include "base/buf.h"
#include "base/diag.h"

#include <stdio.h>

#define PRINTS(fmt, args) __attribute__((format(printf, fmt, args)))

/* The styles are characters of a format, too; the last ends the one before. */
enum style {
    STYLE_PLAIN,
    STYLE_BOLD,
    STYLE_DIM,
    STYLE_GOOD,
    STYLE_WARN,
    STYLE_BAD,
    STYLE_NOTE,
    STYLE_END
};
#define BOLD "\1"
#define DIM "\2"
#define GOOD "\3"
#define WARN "\4"
#define BAD "\5"
#define NOTE "\6"
#define END "\7"
/* And in a format, too: an s, unless the number before it is 1; */
#define PLURAL "\16"
/* a text with one %s, or nothing where that is NULL or empty. */
#define MAYBE(text) "\17" text "\20"

/* Flushes stdout and turns an exit code into the final one: a result that could
 * not be written is a failure. */
int out_finish(int code);

/* Columns of a text on a terminal: combining marks take none, CJK and emoji two. */
size_t out_width(struct str s);
/* The text with control characters replaced. */
void out_safe(FILE *f, struct str s);

/* To stdout, or to `f`. Of printf's directives there are
 *
 *     %s              text from anywhere, made safe; NULL is nothing
 *     %u %zu %ju      a number (ju is uint64_t); with the flag ' as "1,047,576"
 *     %c              a style to begin, where it is not one of those above
 *
 * with a width in columns, -, * and a precision as printf has them. */
void out(const char *fmt, ...) PRINTS(1, 2);
void out_to(FILE *f, const char *fmt, ...) PRINTS(2, 3);
/* Paragraphs, broken at spaces to fit a page; lines after the first of each are
 * put behind `indent` spaces, and the first begins at `column`. */
void out_wrapped(FILE *f, struct str text, size_t indent, size_t column);
/* One line, which begins at `column`; a terminal that is too narrow gets it broken like that, and
 * a pipe as it is. */
void out_note(FILE *f, struct str text, size_t indent, size_t column);
/* The same from the first column on, blanks at its begin included, and printf makes it. */
void out_notef(FILE *f, size_t indent, const char *fmt, ...) PRINTS(3, 4);
/* Bytes as they are and a line end, to stdout: for --json. */
void out_line(struct str s);

/* "1,047,576" */
struct str out_number(uint64_t n, char text[32]);
/* "57 rules, 2,779 models, 1 provider, 8 bytes", a line on stdout */
void out_catalog(const cando_catalog_info *info, size_t bytes);
/* "2 errors, 1 warning"; "no findings" */
void out_counts(FILE *f, size_t errors, size_t warnings, size_t notes);

enum style out_severity(cando_severity s);
/* `file:line:column: severity: message [code]`, the line, a caret, the hint. */
void out_finding(FILE *f, const cando_finding *x);
/* The first line of it, and the two that follow: a text, with a caret and tildes below
 * the `width` characters from `column` on. */
void out_problem(FILE *f, const char *file, uint32_t line, uint32_t column, const cando_finding *x);
void out_excerpt(FILE *f, struct str line, uint32_t column, uint32_t width);

/* `cando: error: message [code]` and its hint, to stderr. Gives the exit code. */
int fail(const cando_error *err);
int fail_with(cando_status status, enum code code, const char *hint, const char *fmt, ...)
    PRINTS(4, 5);
int fail_memory(void);
/* A name that nobody knows. `what` and `meant`, for the nearest one, each have one %s. */
int fail_unknown(enum code code, const char *what, const char *name, const struct nearest *near,
                 const char *meant, const char *otherwise);

/* JSON or HTML to stdout. Of printf's directives there are %s (in JSON a string in quotes, or
 * null; in HTML with its markup escaped), %d (true or false), %u, %zu and %ju; ' stands for ". */
void json(const char *fmt, ...) PRINTS(1, 2);
void html(const char *fmt, ...) PRINTS(1, 2);

#endif
