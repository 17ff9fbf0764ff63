/*
 * diag.h - codes, errors and lists of findings.
 *
 * An error ends a call and lives in the caller's cando_error. A finding is
 * one of many results of a lint. Both carry a code of codes.def.
 */
#ifndef CANDO_DIAG_H
#define CANDO_DIAG_H

#include "str.h"

enum code {
#define CODE(name, dashed, severity, text, explanation) CODE_##name,
#include "codes.def"
#undef CODE
    CODE_COUNT
};

/* "rule-shadowed"; static. */
const char *code_name(enum code c);
const char *code_text(enum code c);
const char *code_explanation(enum code c);
cando_severity code_severity(enum code c);
const char *severity_name(cando_severity s);
const char *verdict_word(cando_verdict v); /* "accepted"; "" if there is none */
/* CODE_COUNT if there is none. Dashes and underscores are the same. */
enum code code_find(struct str name);

/* Fills err (may be NULL) and gives back `status`, so that a function can
 * `return error_set(err, CANDO_BAD_INPUT, CODE_io, "...", ...)`. */
cando_status error_set(cando_error *err, cando_status status, enum code code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
cando_status error_memory(cando_error *err);
/* The same for whoever gives a pointer or a bool: NULL, which is false. */
static inline void *no_memory(cando_error *err)
{
    error_memory(err);
    return NULL;
}
/* Adds to an error that was set before; err may be NULL. */
void error_hint(cando_error *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void error_at(cando_error *err, struct str at, uint32_t line, uint32_t column);

/* A place in a source text. Line and column are 1-based, in characters. */
struct place {
    uint32_t file; /* index into diag_list.file */
    uint32_t line, column, width;
};

struct finding {
    enum code code;
    cando_severity severity;
    struct place at;
    struct str message, hint, excerpt;
};

struct diag_file {
    struct str name, text;
    uint32_t seen_line; /* the line looked at last begins at text[seen_at]; */
    size_t seen_at;     /* findings mostly come in the order of the text     */
};

struct diag_list {
    struct arena *ar;
    struct diag_file *file;
    size_t n_files, cap_files;
    struct finding *item;
    size_t n, cap;
    size_t count[3]; /* by severity, also of those over the limit */
    size_t listed[3];
    bool last_listed; /* a hint belongs to the finding before it, if that is listed */
    bool failed;      /* no memory: the list is incomplete */
};

void diag_init(struct diag_list *d, struct arena *ar);
/* Registers a text that findings will point into; UINT32_MAX if no memory. */
uint32_t diag_add_file(struct diag_list *d, struct str name, struct str text);
/* The line (1-based) of a file without its line end; empty if there is none. */
struct str diag_line(const struct diag_list *d, uint32_t file, uint32_t line);

/* Adds a finding with the code's own severity. The last finding's hint is set
 * with diag_hint. */
void diag_add(struct diag_list *d, enum code code, struct place at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
void diag_hint(struct diag_list *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "did you mean 'near'?"; without one the other hint, which may be NULL. */
void diag_suggest(struct diag_list *d, struct str near, const char *otherwise);
/* By file, line, column, code; stable. Call once, when all is added. */
void diag_sort(struct diag_list *d);

#endif
