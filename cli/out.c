#define _POSIX_C_SOURCE 200809L
#include "out.h"

#include "screen.h"
#include "verb.h"

#include <errno.h>
#include <stdarg.h>

int out_finish(int code)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) {
        screen_end();
        return code;
    }
    fprintf(stderr, "cando: error: the output could not be written: %s [io]\n",
            strerror(errno ? errno : EIO));
    return EXIT_INTERNAL;
}

/* -- text -- */

struct range {
    uint32_t first, last;
};

static const struct range zero_wide[] = {
    {0x0300, 0x036F}, {0x0591, 0x05BD}, {0x064B, 0x065F}, {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2064},
    {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF},
};
static const struct range two_wide[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xAC00, 0xD7A3},
    {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
    {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD},
};

static bool in_ranges(uint32_t cp, const struct range *r, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (cp >= r[i].first && cp <= r[i].last)
            return true;
    return false;
}

static bool is_control(uint32_t cp)
{
    /* C0, DEL, C1, and the marks that turn the direction of writing around */
    return cp < 0x20 || (cp >= 0x7F && cp < 0xA0) || (cp >= 0x202A && cp <= 0x202E) ||
           (cp >= 0x2066 && cp <= 0x2069);
}

static unsigned cp_width(uint32_t cp)
{
    if (cp < 0x300 || is_control(cp))
        return 1;
    if (in_ranges(cp, zero_wide, COUNT_OF(zero_wide)))
        return 0;
    return in_ranges(cp, two_wide, COUNT_OF(two_wide)) ? 2 : 1;
}

/* The code point at the start of s and its length; a broken byte is U+FFFD. */
static uint32_t cp_at(struct str s, unsigned *step)
{
    const unsigned char *u = (const unsigned char *)s.p;
    *step = utf8_step(s.p, s.n);
    switch (*step) {
    case 1:
        return u[0];
    case 2:
        return (uint32_t)(u[0] & 0x1F) << 6 | (u[1] & 0x3F);
    case 3:
        return (uint32_t)(u[0] & 0x0F) << 12 | (uint32_t)(u[1] & 0x3F) << 6 | (u[2] & 0x3F);
    case 4:
        return (uint32_t)(u[0] & 0x07) << 18 | (uint32_t)(u[1] & 0x3F) << 12 |
               (uint32_t)(u[2] & 0x3F) << 6 | (u[3] & 0x3F);
    default:
        *step = 1;
        return 0xFFFD;
    }
}

size_t out_width(struct str s)
{
    size_t width = 0;
    for (unsigned step; s.n; s = str_from(s, step))
        width += cp_width(cp_at(s, &step));
    return width;
}

void out_safe(FILE *f, struct str s)
{
    while (s.n) {
        size_t plain = 0;
        while (plain < s.n && s.p[plain] >= ' ' && s.p[plain] < 0x7F)
            plain++;
        fwrite(s.p, 1, plain, f);
        s = str_from(s, plain);
        if (!s.n)
            return;
        unsigned step;
        uint32_t cp = cp_at(s, &step);
        if (is_control(cp) || cp == 0xFFFD)
            fputs(cp == '\t' || cp == '\n' ? " " : "\xEF\xBF\xBD", f);
        else
            fwrite(s.p, 1, step, f);
        s = str_from(s, step);
    }
}

/* -- printing -- */

static const char *const style_code[] = {
    [STYLE_BOLD] = "\033[1m",  [STYLE_DIM] = "\033[2m",  [STYLE_GOOD] = "\033[32m",
    [STYLE_WARN] = "\033[33m", [STYLE_BAD] = "\033[31m", [STYLE_NOTE] = "\033[36m",
};

struct sink {
    FILE *f;
    bool colour, styled;
    size_t pad;    /* spaces that are due: a style ends before them */
    uint64_t last; /* number */
    va_list ap;
};

static void put_pad(struct sink *o)
{
    for (; o->pad; o->pad--)
        putc(' ', o->f);
}

static void put_style(struct sink *o, int style)
{
    if (o->styled)
        fputs("\033[0m", o->f);
    o->styled = o->colour && style != STYLE_PLAIN && style != STYLE_END;
    if (!o->styled)
        return;
    put_pad(o);
    fputs(style_code[style], o->f);
}

static void put_padded(struct sink *o, struct str s, size_t width, bool left)
{
    size_t have = out_width(s), pad = have < width ? width - have : 0;
    o->pad += left ? 0 : pad;
    put_pad(o);
    out_safe(o->f, s);
    o->pad = left ? pad : 0;
}

/* Digits, or * for an argument. */
static int read_width(struct sink *o, const char **p)
{
    int n = 0;
    if (**p == '*') {
        (*p)++;
        return va_arg(o->ap, int);
    }
    for (; char_is_digit(**p); (*p)++)
        n = n * 10 + (**p - '0');
    return n;
}

static struct str read_text(struct sink *o, size_t most)
{
    const char *z = va_arg(o->ap, const char *);
    return str_make(z, z ? strnlen(z, most) : 0);
}

static uint64_t read_count(struct sink *o, char size)
{
    o->last = size == 'z'   ? va_arg(o->ap, size_t)
              : size == 'j' ? va_arg(o->ap, uintmax_t)
                            : va_arg(o->ap, unsigned);
    return o->last;
}

/* Passes over the part that MAYBE began if there is nothing to say. */
static const char *read_maybe(struct sink *o, const char *p)
{
    va_list ahead;
    va_copy(ahead, o->ap);
    const char *z = va_arg(ahead, const char *);
    va_end(ahead);
    if (z && *z)
        return p;
    (void)va_arg(o->ap, const char *);
    return strchr(p, '\20');
}

/* What stands behind a %; gives its last character. */
static const char *put_directive(struct sink *o, const char *p)
{
    bool left = false, grouped = false;
    char digits[32];
    for (; *p == '-' || *p == '\''; p++)
        *(*p == '-' ? &left : &grouped) = true;
    size_t width = (size_t)read_width(o, &p), most = SIZE_MAX;
    if (*p == '.' && p++)
        most = (size_t)read_width(o, &p);
    char size = *p == 'z' || *p == 'j' ? *p++ : '\0';
    if (*p == 's') {
        put_padded(o, read_text(o, most), width, left);
    } else if (*p == 'u') {
        uint64_t n = read_count(o, size);
        snprintf(digits, sizeof digits, "%ju", n);
        put_padded(o, grouped ? out_number(n, digits) : str_of(digits), width, left);
    } else if (*p == 'c') {
        put_style(o, va_arg(o->ap, int));
    } else {
        putc(*p, o->f);
    }
    return p;
}

static void print_format(FILE *f, const char *fmt, va_list ap)
{
    struct sink o = {.f = f, .colour = screen_is_coloured(f == stderr)};
    va_copy(o.ap, ap);
    for (; *fmt; fmt++) {
        size_t plain = strcspn(fmt, "%" BOLD DIM GOOD WARN BAD NOTE END PLURAL "\17\20");
        if (o.pad && (plain || *fmt > STYLE_END))
            put_pad(&o);
        fwrite(fmt, 1, plain, f);
        fmt += plain;
        if (*fmt == '%')
            fmt = put_directive(&o, fmt + 1);
        else if (*fmt == '\17')
            fmt = read_maybe(&o, fmt);
        else if (*fmt == PLURAL[0])
            fputs(o.last == 1 ? "" : "s", f);
        else if (*fmt && *fmt != '\20')
            put_style(&o, *fmt);
        if (!*fmt)
            break;
    }
    put_pad(&o);
    va_end(o.ap);
}

void out(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_format(stdout, fmt, ap);
    va_end(ap);
}

void out_to(FILE *f, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    print_format(f, fmt, ap);
    va_end(ap);
}

/* Columns in which lines of text are broken, of what is written there; 0: they are left whole. */
static size_t lines_of(const FILE *f)
{
    return f == stderr ? screen_notes() : screen_lines();
}

/* Columns that a text for people has there: no more than usual. */
static size_t page_of(const FILE *f)
{
    enum { PAGE = 80 };
    size_t lines = lines_of(f);
    return lines && lines < PAGE ? lines : PAGE;
}

/* Gives the column behind the last word; `begun`: the first stands at `column`, whatever the
 * indent is. */
static size_t wrap(FILE *f, struct str text, size_t indent, size_t column, bool begun)
{
    bool fresh = true; /* nothing stands on this line yet but its indent */
    for (struct str rest = text; rest.n;) {
        if (rest.p[0] == '\n' || rest.p[0] == ' ') {
            if (rest.p[0] == '\n') {
                fputc('\n', f);
                column = 0;
                fresh = true;
            }
            rest = str_from(rest, 1);
            continue;
        }
        size_t n = 0;
        while (n < rest.n && rest.p[n] != ' ' && rest.p[n] != '\n')
            n++;
        struct str word = str_head(rest, n);
        if (!fresh && column + 1 + out_width(word) > page_of(f)) {
            fputc('\n', f);
            column = 0;
            fresh = true;
        }
        size_t gap = !fresh ? 1 : column < indent && !begun ? indent - column : 0;
        begun = false;
        fprintf(f, "%*s", (int)gap, "");
        out_safe(f, word);
        column += gap + out_width(word);
        fresh = false;
        rest = str_from(rest, n);
    }
    return column;
}

void out_wrapped(FILE *f, struct str text, size_t indent, size_t column)
{
    wrap(f, text, indent, column, false);
    fputc('\n', f);
}

void out_note(FILE *f, struct str text, size_t indent, size_t column)
{
    if (lines_of(f))
        wrap(f, text, indent, column, true);
    else
        out_safe(f, text);
    fputc('\n', f);
}

void out_notef(FILE *f, size_t indent, const char *fmt, ...)
{
    char text[3000];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    size_t lead = strspn(text, " ");
    fprintf(f, "%.*s", (int)lead, text);
    out_note(f, str_of(text + lead), indent, lead);
}

void out_line(struct str s)
{
    fwrite(s.p, 1, s.n, stdout);
    fputc('\n', stdout);
}

struct str out_number(uint64_t n, char text[32])
{
    char *end = text + 31, *p = end;
    *end = '\0';
    unsigned digits = 0;
    do {
        if (digits && digits % 3 == 0)
            *--p = ',';
        *--p = (char)('0' + n % 10);
        digits++;
        n /= 10;
    } while (n);
    return str_make(p, (size_t)(end - p));
}

/* -- errors and findings -- */

enum style out_severity(cando_severity s)
{
    return s == CANDO_ERROR ? STYLE_BAD : s == CANDO_WARNING ? STYLE_WARN : STYLE_NOTE;
}

/* "error: message [code]", which begins at `column`: on as many lines as a terminal needs. */
static void put_problem(FILE *f, size_t column, cando_severity severity, const char *message,
                        const char *code)
{
    enum { INDENT = 4 };
    out_to(f, "%c%s" END ": ", out_severity(severity), severity_name(severity));
    if (!lines_of(f)) {
        out_to(f, BOLD "%s" END " [" DIM "%s" END "]\n", message, code);
        return;
    }
    struct sink o = {.f = f, .colour = screen_is_coloured(f == stderr)};
    put_style(&o, STYLE_BOLD);
    column = wrap(f, str_of(message), INDENT, column + strlen(severity_name(severity)) + 2, true);
    put_style(&o, STYLE_END);
    bool fits = column + 3 + strlen(code) <= page_of(f);
    fprintf(f, "%s%*s", fits ? "" : "\n", fits ? 1 : INDENT, "");
    out_to(f, "[" DIM "%s" END "]\n", code);
}

void out_problem(FILE *f, const char *file, uint32_t line, uint32_t column, const cando_finding *x)
{
    char place[32] = "";
    if (line)
        snprintf(place, sizeof place, ":%u:%u", line, column);
    out_to(f, BOLD "%s" END "%s: ", file, place);
    put_problem(f, out_width(str_of(file)) + strlen(place) + 2, x->severity, x->message, x->code);
}

static void put_hint(FILE *f, const char *hint)
{
    if (!hint || !*hint)
        return;
    out_to(f, "  " NOTE "hint" END ": ");
    out_note(f, str_of(hint), 8, 8);
}

int fail(const cando_error *err)
{
    fflush(stdout);
    char place[32] = "";
    const char *of = err->at[0] && err->line ? err->at : "cando";
    if (of == err->at)
        snprintf(place, sizeof place, ":%u:%u", err->line, err->column);
    out_to(stderr, "%s%s: ", of, place);
    put_problem(stderr, out_width(str_of(of)) + strlen(place) + 2, CANDO_ERROR, err->message,
                err->code);
    put_hint(stderr, err->hint);
    return (int)err->status;
}

int fail_with(cando_status status, enum code code, const char *hint, const char *fmt, ...)
{
    cando_error err;
    char message[sizeof err.message];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    error_set(&err, status, code, "%s", message);
    error_hint(&err, "%s", hint ? hint : "");
    return fail(&err);
}

int fail_memory(void)
{
    cando_error err;
    error_memory(&err);
    return fail(&err);
}

int fail_unknown(enum code code, const char *what, const char *name, const struct nearest *near,
                 const char *meant, const char *otherwise)
{
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, code, what, name);
    if (near->name.n)
        error_hint(&err, meant, near->name.p);
    else
        error_hint(&err, "%s", otherwise);
    return fail(&err);
}

void out_excerpt(FILE *f, struct str line, uint32_t column, uint32_t width)
{
    enum { TAB = 4 };
    size_t before = 0, under = 0;
    uint32_t at = 1;
    fputs("    ", f);
    for (unsigned step; line.n; line = str_from(line, step), at++) {
        uint32_t cp = cp_at(line, &step);
        size_t w = cp == '\t' ? TAB : cp_width(cp);
        if (cp == '\t')
            fputs("    ", f);
        else
            out_safe(f, str_head(line, step));
        if (at < column)
            before += w;
        else if (at < column + (width ? width : 1))
            under += w;
    }
    char mark[128];
    size_t n = under ? under : 1;
    if (n > sizeof mark - 1)
        n = sizeof mark - 1;
    memset(mark, '~', n);
    mark[0] = '^';
    out_to(f, "\n    %*s" GOOD "%.*s" END "\n", (int)before, "", (int)n, mark);
}

/* The part of a line around a column that a page has room for. */
static void put_excerpt(FILE *f, struct str line, uint32_t column, uint32_t width)
{
    enum { BEFORE = 40, SHOWN = 96 };
    unsigned step;
    for (; line.n && column > BEFORE && str_utf8_len(line) > SHOWN; column--) {
        cp_at(line, &step);
        line = str_from(line, step);
    }
    size_t n = 0;
    for (unsigned i = 0; n < line.n && i < SHOWN; i++) {
        cp_at(str_from(line, n), &step);
        n += step;
    }
    out_excerpt(f, str_head(line, n), column, width);
}

void out_finding(FILE *f, const cando_finding *x)
{
    struct str line = str_of(x->excerpt);
    out_problem(f, x->file, x->line, x->column, x);
    if (x->line && line.n && utf8_check(line) == line.n) /* else it is no text to look at */
        put_excerpt(f, line, x->column, x->width);
    put_hint(f, x->hint);
}

void out_counts(FILE *f, size_t errors, size_t warnings, size_t notes)
{
    if (errors)
        out_to(f, "%'zu error" PLURAL "%s", errors, warnings || notes ? ", " : "");
    if (warnings)
        out_to(f, "%'zu warning" PLURAL "%s", warnings, notes ? ", " : "");
    if (notes)
        out_to(f, "%'zu note" PLURAL, notes);
    if (!errors && !warnings && !notes)
        fputs("no findings", f);
}

void out_catalog(const cando_catalog_info *info, size_t bytes)
{
    out("%'u rule" PLURAL ", %'u model" PLURAL ", %'u provider" PLURAL ", %'zu byte" PLURAL "\n",
        info->rules, info->models, info->providers, bytes);
}

/* -- JSON and HTML -- */

static void put_quoted(struct str s)
{
    if (!s.p) {
        fputs("null", stdout);
        return;
    }
    putchar('"');
    for (unsigned step; s.n; s = str_from(s, step)) {
        uint32_t cp = cp_at(s, &step);
        if (cp == '"' || cp == '\\')
            printf("\\%c", (int)cp);
        else if (cp == '\n')
            fputs("\\n", stdout);
        else if (is_control(cp))
            printf("\\u%04x", (unsigned)cp);
        else if (cp == 0xFFFD)
            fputs("\xEF\xBF\xBD", stdout);
        else
            fwrite(s.p, 1, step, stdout);
    }
    putchar('"');
}

/* Text in which whatever is markup is escaped. */
static void put_escaped(struct str s)
{
    static const char marks[] = "&<>\"";
    static const char *const escaped[] = {"&amp;", "&lt;", "&gt;", "&quot;"};
    for (unsigned step; s.n; s = str_from(s, step)) {
        const char *at = strchr(marks, s.p[0]);
        uint32_t cp = cp_at(s, &step);
        if (at && *at)
            fputs(escaped[at - marks], stdout);
        else if (cp < ' ')
            putchar(' ');
        else
            out_safe(stdout, str_head(s, step));
    }
}

/* The format with its ' as ", and each text by `put`. */
static void put_markup(const char *fmt, va_list ap, void (*put)(struct str s))
{
    struct sink o = {.f = stdout};
    va_copy(o.ap, ap);
    for (; *fmt; fmt++) {
        if (*fmt != '%') {
            putchar(*fmt == '\'' ? '"' : *fmt);
            continue;
        }
        char size = *++fmt == 'z' || *fmt == 'j' ? *fmt++ : '\0';
        if (*fmt == 's')
            put(read_text(&o, SIZE_MAX));
        else if (*fmt == 'd')
            fputs(va_arg(o.ap, int) ? "true" : "false", stdout);
        else
            printf("%ju", read_count(&o, size));
    }
    va_end(o.ap);
}

void json(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_markup(fmt, ap, put_quoted);
    va_end(ap);
}

void html(const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    put_markup(fmt, ap, put_escaped);
    va_end(ap);
}
