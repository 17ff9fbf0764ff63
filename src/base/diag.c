#include "diag.h"

#include "limits.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

struct code_row {
    const char *name;
    uint8_t severity;
    const char *text, *explanation;
};

static const struct code_row code_rows[CODE_COUNT] = {
#define CODE(name, dashed, severity, text, explanation)                                            \
    {dashed, CANDO_##severity, text, explanation},
#include "codes.def"
#undef CODE
};

/* Of the names, side by side: who looks for a name goes over these. */
static const uint8_t code_lengths[CODE_COUNT] = {
#define CODE(name, dashed, severity, text, explanation) sizeof dashed - 1,
#include "codes.def"
#undef CODE
};

const char *code_name(enum code c)
{
    return c < CODE_COUNT ? code_rows[c].name : "internal";
}

const char *code_text(enum code c)
{
    return c < CODE_COUNT ? code_rows[c].text : "";
}

const char *code_explanation(enum code c)
{
    return c < CODE_COUNT ? code_rows[c].explanation : "";
}

cando_severity code_severity(enum code c)
{
    return c < CODE_COUNT ? (cando_severity)code_rows[c].severity : CANDO_ERROR;
}

const char *severity_name(cando_severity s)
{
    return s == CANDO_ERROR ? "error" : s == CANDO_WARNING ? "warning" : "note";
}

const char *verdict_word(cando_verdict v)
{
    static const char *const words[] = {"accepted", "degraded", "rewrite", "rejected"};
    return (unsigned)v <= CANDO_REJECTED ? words[v] : "";
}

/* A name of ours in any case, and with underlines for dashes; as long as the given one. */
static bool code_is(const char *own, struct str name)
{
    for (size_t i = 0; i < name.n; i++)
        if (own[i] != char_fold(name.p[i]) && (own[i] != '-' || name.p[i] != '_'))
            return false;
    return true;
}

enum code code_find(struct str name)
{
    const uint8_t *at = code_lengths, *end = code_lengths + CODE_COUNT;
    if (name.n > UINT8_MAX)
        return CODE_COUNT;
    while (at < end && (at = memchr(at, (int)name.n, (size_t)(end - at))) != NULL) {
        size_t c = (size_t)(at++ - code_lengths);
        if (code_is(code_rows[c].name, name))
            return (enum code)c;
    }
    return CODE_COUNT;
}

const char *cando_explain(const char *code)
{
    enum code c = code ? code_find(str_of(code)) : CODE_COUNT;
    return c == CODE_COUNT ? NULL : code_explanation(c);
}

/* -- errors --------------------------------------------------------------- */

static void put_text(char *out, size_t size, const char *fmt, va_list ap)
{
    vsnprintf(out, size, fmt, ap);
}

cando_status error_set(cando_error *err, cando_status status, enum code code, const char *fmt, ...)
{
    if (!err)
        return status;
    memset(err, 0, sizeof *err);
    err->status = status;
    snprintf(err->code, sizeof err->code, "%s", code_name(code));
    va_list ap;
    va_start(ap, fmt);
    put_text(err->message, sizeof err->message, fmt, ap);
    va_end(ap);
    return status;
}

cando_status error_memory(cando_error *err)
{
    return error_set(err, CANDO_INTERNAL, CODE_memory, "out of memory");
}

void error_hint(cando_error *err, const char *fmt, ...)
{
    if (!err)
        return;
    va_list ap;
    va_start(ap, fmt);
    put_text(err->hint, sizeof err->hint, fmt, ap);
    va_end(ap);
}

void error_at(cando_error *err, struct str at, uint32_t line, uint32_t column)
{
    if (!err)
        return;
    snprintf(err->at, sizeof err->at, "%.*s", STR_ARG(at));
    err->line = line;
    err->column = column;
}

/* -- findings -------------------------------------------------------------- */

void diag_init(struct diag_list *d, struct arena *ar)
{
    *d = (struct diag_list){.ar = ar};
}

uint32_t diag_add_file(struct diag_list *d, struct str name, struct str text)
{
    if (d->n_files >= UINT32_MAX - 1 || !ARENA_GROW(d->ar, d->file, d->n_files, d->cap_files)) {
        d->failed = true;
        return UINT32_MAX;
    }
    d->file[d->n_files] = (struct diag_file){.name = name, .text = text.p ? text : STR("")};
    return (uint32_t)d->n_files++;
}

/* Finds where `line` begins, starting from line *at_line at *at, which it
 * leaves there. False if the text has no such line. */
static bool line_find(struct str text, uint32_t line, uint32_t *at_line, size_t *at)
{
    while (*at_line > line) {
        size_t begin = *at - 1;
        while (begin > 0 && text.p[begin - 1] != '\n')
            begin--;
        *at = begin;
        --*at_line;
    }
    while (*at_line < line) {
        struct str rest = str_from(text, *at);
        size_t end = str_find_char(rest, '\n');
        if (end == rest.n)
            return false;
        *at += end + 1;
        ++*at_line;
    }
    return true;
}

static struct str line_at(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    struct str s = str_head(rest, str_find_char(rest, '\n'));
    if (s.n && s.p[s.n - 1] == '\r')
        s.n--;
    return s;
}

struct str diag_line(const struct diag_list *d, uint32_t file, uint32_t line)
{
    uint32_t at_line = 1;
    size_t at = 0;
    if (file >= d->n_files || line == 0 || !line_find(d->file[file].text, line, &at_line, &at))
        return STR("");
    return line_at(d->file[file].text, at);
}

/* The same, going on from the last look where it can: a text with ten thousand
 * findings must not be walked ten thousand times. */
static struct str next_line(struct diag_list *d, uint32_t file, uint32_t line)
{
    if (file >= d->n_files || line == 0)
        return STR("");
    struct diag_file *f = &d->file[file];
    if (f->seen_line == 0)
        f->seen_line = 1;
    return line_find(f->text, line, &f->seen_line, &f->seen_at) ? line_at(f->text, f->seen_at)
                                                                : STR("");
}

static struct str diag_vprintf(struct arena *ar, const char *fmt, va_list ap)
{
    char text[1024];
    int n = vsnprintf(text, sizeof text, fmt, ap);
    size_t len = n < 0 ? 0 : (size_t)n < sizeof text ? (size_t)n : sizeof text - 1;
    while (len && utf8_check((struct str){text, len}) != len)
        len--; /* a cut character at the end */
    return str_dup(ar, (struct str){text, len});
}

#define EXCERPT_BYTES 400

void diag_add(struct diag_list *d, enum code code, struct place at, const char *fmt, ...)
{
    cando_severity severity = code_severity(code);
    d->count[severity]++;
    d->last_listed = d->listed[severity] < LIMIT_FINDINGS / 3; /* each severity has its own room */
    if (!d->last_listed)
        return;
    if (!ARENA_GROW(d->ar, d->item, d->n, d->cap)) {
        d->failed = true;
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    struct str message = diag_vprintf(d->ar, fmt, ap);
    va_end(ap);
    struct str excerpt = str_dup(d->ar, str_head(next_line(d, at.file, at.line), EXCERPT_BYTES));
    if (!message.p || !excerpt.p) {
        d->failed = true;
        return;
    }
    d->listed[severity]++;
    d->item[d->n++] = (struct finding){code, severity, at, message, STR(""), excerpt};
}

void diag_hint(struct diag_list *d, const char *fmt, ...)
{
    if (d->n == 0 || !d->last_listed || d->failed)
        return;
    va_list ap;
    va_start(ap, fmt);
    struct str hint = diag_vprintf(d->ar, fmt, ap);
    va_end(ap);
    if (hint.p)
        d->item[d->n - 1].hint = hint;
    else
        d->failed = true;
}

void diag_suggest(struct diag_list *d, struct str near, const char *otherwise)
{
    if (near.n)
        diag_hint(d, "did you mean '%.*s'?", STR_ARG(near));
    else if (otherwise)
        diag_hint(d, "%s", otherwise);
}

static int finding_cmp(const struct finding *a, const struct finding *b)
{
    if (a->at.file != b->at.file)
        return a->at.file < b->at.file ? -1 : 1;
    if (a->at.line != b->at.line)
        return a->at.line < b->at.line ? -1 : 1;
    if (a->at.column != b->at.column)
        return a->at.column < b->at.column ? -1 : 1;
    if (a->code != b->code)
        return a->code < b->code ? -1 : 1;
    return str_cmp(a->message, b->message);
}

static int finding_qsort(const void *a, const void *b)
{
    return finding_cmp(a, b);
}

void diag_sort(struct diag_list *d)
{
    if (d->n)
        qsort(d->item, d->n, sizeof *d->item, finding_qsort);
    size_t all = d->count[CANDO_NOTE] + d->count[CANDO_WARNING] + d->count[CANDO_ERROR];
    if (all > d->n)
        diag_add(d, CODE_too_many, (struct place){.file = UINT32_MAX},
                 "%zu further findings are not listed", all - d->n);
}
