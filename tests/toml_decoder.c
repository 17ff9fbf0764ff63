/*
 * toml_decoder.c - the TOML reader behind the protocol of the toml-test suite.
 *
 * TOML on stdin, the same tree as tagged JSON on stdout: tables are objects,
 * arrays are arrays, every other value is {"type": "integer", "value": "42"}.
 * A text that is not TOML gives exit code 1 and, on stderr,
 *
 *     stdin:3:5: expected a value after '=', found the end of the line [toml-syntax]
 *         3 | key =
 *           |      ^
 *
 * Members stand in the order of the text and one to a line, so that the
 * output can be compared byte for byte. An argument, if there is one, is the
 * name that messages show in place of "stdin".
 */
#include "base/diag.h"
#include "base/limits.h"
#include "text/toml.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* -- JSON out ------------------------------------------------------------- */

static void put_string(struct str s)
{
    putchar('"');
    for (size_t i = 0; i < s.n; i++) {
        unsigned char c = (unsigned char)s.p[i];
        if (c == '"' || c == '\\')
            printf("\\%c", c);
        else if (c == '\n')
            printf("\\n");
        else if (c == '\t')
            printf("\\t");
        else if (c < 0x20 || c == 0x7f)
            printf("\\u%04x", c);
        else
            putchar(c);
    }
    putchar('"');
}

/* RFC 3339 as the suite writes it: T and Z in upper case, a fraction of a
 * second with three digits at least. */
static void put_moment(struct str s)
{
    size_t dot = str_find_char(s, '.'), end = dot + 1;
    while (end < s.n && char_is_digit(s.p[end]))
        end++;
    putchar('"');
    for (size_t i = 0; i <= s.n; i++) {
        if (i == end)
            for (size_t digits = end - dot - 1; digits < 3; digits++)
                putchar('0');
        if (i < s.n)
            putchar(s.p[i] == 't' || s.p[i] == ' ' ? 'T' : s.p[i] == 'z' ? 'Z' : s.p[i]);
    }
    putchar('"');
}

/* The shortest digits that read back as the same double. */
static void put_real(double v)
{
    char text[40];
    if (isnan(v) || isinf(v)) {
        printf("\"%s\"", isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    printf("\"%s\"", text);
}

static void put_scalar(const struct toml *v)
{
    static const char *const type[] = {
        [TOML_STRING] = "string",         [TOML_INTEGER] = "integer",          [TOML_FLOAT] = "float",
        [TOML_BOOLEAN] = "bool",          [TOML_OFFSET_DATETIME] = "datetime", [TOML_LOCAL_DATETIME] = "datetime-local",
        [TOML_LOCAL_DATE] = "date-local", [TOML_LOCAL_TIME] = "time-local",
    };
    printf("{\"type\": \"%s\", \"value\": ", type[v->kind]);
    if (v->kind == TOML_STRING)
        put_string(v->text);
    else if (v->kind == TOML_INTEGER)
        printf("\"%lld\"", (long long)v->integer);
    else if (v->kind == TOML_FLOAT)
        put_real(v->real);
    else if (v->kind == TOML_BOOLEAN)
        printf("\"%s\"", v->boolean ? "true" : "false");
    else
        put_moment(v->text);
    putchar('}');
}

static void put_line(unsigned indent)
{
    printf("\n%*s", (int)(2 * indent), "");
}

static void put_value(const struct toml *v, unsigned indent)
{
    if (v->kind != TOML_TABLE && v->kind != TOML_ARRAY) {
        put_scalar(v);
        return;
    }
    bool table = v->kind == TOML_TABLE;
    putchar(table ? '{' : '[');
    for (size_t i = 0; i < v->n; i++) {
        if (i)
            putchar(',');
        put_line(indent + 1);
        if (table) {
            put_string(v->entry[i].key);
            printf(": ");
        }
        put_value(table ? v->entry[i].value : v->item[i], indent + 1);
    }
    if (v->n)
        put_line(indent);
    putchar(table ? '}' : ']');
}

/* -- errors ------------------------------------------------------------------ */

/* The line is not trusted: what a terminal might obey is replaced. */
static void show_line(struct str line)
{
    for (size_t i = 0; i < line.n;) {
        unsigned step = utf8_step(line.p + i, line.n - i);
        unsigned char c = (unsigned char)line.p[i];
        if (!step || (c < 0x20 && c != '\t') || c == 0x7f) {
            fputc('?', stderr);
            i++;
        } else {
            fwrite(line.p + i, 1, step, stderr);
            i += step;
        }
    }
    fputc('\n', stderr);
}

/* Spaces up to the column, but tabs where the line has tabs. */
static void show_caret(struct str line, struct toml_pos at)
{
    uint32_t column = 1;
    for (size_t i = 0; i < line.n && column < at.column; i++) {
        bool starts = ((unsigned char)line.p[i] & 0xC0) != 0x80;
        if (starts) {
            fputc(line.p[i] == '\t' ? '\t' : ' ', stderr);
            column++;
        }
    }
    if (column == at.column)
        for (uint32_t i = 0; i < at.width && i < 200; i++)
            fputc('^', stderr);
    fputc('\n', stderr);
}

static void show_error(const char *name, struct str text, enum code code, struct toml_pos at, const char *message)
{
    fprintf(stderr, "%s:%u:%u: %s [%s]\n", name, (unsigned)at.line, (unsigned)at.column, message, code_name(code));
    struct arena ar;
    struct diag_list list;
    arena_init(&ar, NULL);
    diag_init(&list, &ar);
    uint32_t file = diag_add_file(&list, str_of(name), text);
    struct str line = file == UINT32_MAX ? STR("") : diag_line(&list, file, at.line);
    line = str_head(line, 400);
    int margin = fprintf(stderr, "%5u | ", (unsigned)at.line);
    show_line(line);
    fprintf(stderr, "%*s| ", margin - 2, "");
    show_caret(line, at);
    arena_free(&ar);
}

/* -- the program --------------------------------------------------------------- */

/* All of stdin, up to one byte more than the reader takes. */
static char *read_all(size_t *len)
{
    size_t cap = 1 << 16, n = 0, max = (size_t)LIMIT_TOML_BYTES + 4;
    char *text = malloc(cap);
    while (text) {
        n += fread(text + n, 1, cap - n, stdin);
        if (n < cap || n >= max)
            break;
        cap *= 2;
        char *more = realloc(text, cap);
        if (!more)
            free(text);
        text = more;
    }
    *len = n;
    return text;
}

int main(int argc, char **argv)
{
    size_t len;
    char *text = read_all(&len);
    if (!text || ferror(stdin)) {
        fprintf(stderr, "stdin: cannot be read\n");
        free(text);
        return 4;
    }
    struct arena ar;
    arena_init(&ar, NULL);
    enum code code = CODE_internal;
    struct toml_pos at = {1, 1, 1};
    char message[240];
    struct toml *root = toml_parse(&ar, str_make(text, len), &code, &at, message, sizeof message);
    if (root) {
        put_value(root, 0);
        putchar('\n');
    } else {
        show_error(argc > 1 ? argv[1] : "stdin", str_make(text, len), code, at, message);
    }
    arena_free(&ar);
    free(text);
    return root && fflush(stdout) == 0 ? 0 : 1;
}
