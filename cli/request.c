/*
 * request.c - requests in files: reading, asking, and findings with their lines.
 */
#include "request.h"

#include "base/file.h"
#include "base/limits.h"

/* -- reading ------------------------------------------------------------------------------ */

int request_read(struct request_file *f, const char *path)
{
    cando_error err;
    bool standard = strcmp(path, "-") == 0;
    *f = (struct request_file){.path = standard ? "<stdin>" : path};
    cando_status st =
        file_read(standard ? "/dev/stdin" : path, LIMIT_LINE_BYTES, NULL, &f->text, &f->len, &err);
    return st == CANDO_OK ? EXIT_YES : engine_failed(&err);
}

void request_free(struct request_file *f)
{
    if (f->text)
        mem_free(NULL, f->text, f->len + 1);
    f->text = NULL;
}

int request_ask(const struct engine *e, const struct request_file *f, const char *target,
                const char *api, bool fix, const cando_preflight_answer **out)
{
    cando_error err;
    cando_preflight_question q = {
        .request = {f->text, f->len},
        .api = api,
        .target = target ? &(cando_name){.model = target} : NULL,
        .fix = fix,
    };
    *out = cando_ask_preflight(e->c, &q, e->room, &err);
    if (*out)
        return EXIT_YES;
    if (err.line) /* it is the file that is not JSON */
        error_at(&err, str_of(f->path), err.line, err.column);
    return engine_failed(&err);
}

/* -- findings ---------------------------------------------------------------------------------- */

#define EXCERPT 96 /* bytes of a line that are shown; requests often are one long line */

struct spot {
    uint32_t line, column;
    struct str excerpt;
    size_t before, width; /* characters in front of the caret, and under it */
};

/* Back to the first byte of a character. */
static size_t whole(struct str s, size_t at)
{
    while (at > 0 && at < s.n && ((unsigned char)s.p[at] & 0xC0) == 0x80)
        at--;
    return at;
}

static struct spot spot_of(const struct request_file *f, size_t at)
{
    struct str text = str_make(f->text, f->len);
    struct spot s = {.line = 1};
    size_t start = 0;
    at = at > text.n ? text.n : at;
    for (size_t i = 0; i < at; i++)
        if (text.p[i] == '\n') {
            s.line++;
            start = i + 1;
        }
    size_t end = at;
    while (end < text.n && text.p[end] != '\n' && text.p[end] != '\r')
        end++;
    s.column = (uint32_t)str_utf8_len(str_make(text.p + start, at - start)) + 1;
    size_t from = at - start > EXCERPT / 2 ? whole(text, at - EXCERPT / 2) : start;
    size_t to = end - from > EXCERPT ? whole(text, from + EXCERPT) : end;
    s.excerpt = str_make(text.p + from, to - from);
    s.before = out_width(str_make(text.p + from, at - from));
    size_t stop = at;
    while (stop < to && !strchr(",]}\n\r", text.p[stop]))
        stop++;
    s.width = out_width(str_make(text.p + at, stop - at));
    return s;
}

static void put_excerpt(FILE *out, const struct spot *s)
{
    fputs("    ", out);
    out_safe(out, s->excerpt);
    fprintf(out, "\n    %*s", (int)s->before, "");
    char caret[EXCERPT + 2];
    size_t n = s->width < 1 ? 1 : s->width > EXCERPT ? EXCERPT : s->width;
    memset(caret, '~', n);
    caret[0] = '^';
    caret[n] = '\0';
    out_print(out, STYLE_BAD, caret);
    fputc('\n', out);
}

static void put_finding(FILE *out, const struct request_file *f, const cando_finding *x)
{
    static const enum style styles[] = {STYLE_NOTE, STYLE_WARN, STYLE_BAD};
    size_t space = 0; /* places are counted from the request's first bracket */
    while (space < f->len && strchr(" \n\r\t", f->text[space]))
        space++;
    struct spot s = spot_of(f, space + x->at);
    out_print(out, STYLE_BOLD, f->path);
    fprintf(out, ":%u:%u: ", s.line, s.column);
    out_print(out, styles[x->severity], severity_name(x->severity));
    fputs(": ", out);
    out_safe(out, str_of(x->message));
    fprintf(out, " [%s]\n", x->code);
    put_excerpt(out, &s);
    fputs("    at ", out);
    out_safe(out, str_of(*x->path ? x->path : "the request itself"));
    fputc('\n', out);
    if (!x->hint)
        return;
    out_print(out, STYLE_NOTE, "    hint: ");
    out_safe(out, str_of(x->hint));
    if (x->fix == CANDO_FIX_SAFE || x->fix == CANDO_FIX_LOSSY)
        fputs(x->fix == CANDO_FIX_SAFE ? " (cando fix does it)" : " (cando fix --lossy does it)",
              out);
    fputc('\n', out);
}

void request_findings(FILE *out, const struct request_file *f, const cando_preflight_answer *a,
                      cando_severity least, size_t count[3])
{
    count[0] = count[1] = count[2] = 0;
    for (size_t i = 0; i < a->n_findings; i++) {
        cando_severity severity = a->findings[i].severity;
        count[severity]++;
        if (out && severity >= least)
            put_finding(out, f, &a->findings[i]);
    }
}
