/*
 * request.c - requests in files: reading, asking, and findings with their lines.
 */
#include "request.h"

#include "base/file.h"
#include "base/limits.h"
#include "pull.h"

#include <stdlib.h>

/* -- reading ------------------------------------------------------------------------------ */

/* Is it JSON at all? The operation would say so too, but of the question that it is
 * a part of, and not of the file. */
static cando_status probe(const struct request_file *f, cando_error *err)
{
    cando_target *t = calloc(1, sizeof *t);
    cando_report *r = calloc(1, sizeof *r);
    cando_status st = t && r ? CANDO_OK : error_memory(err);
    if (st == CANDO_OK)
        st = cando_target_init(t, cando_catalog_builtin(), "", 0, "", 0, 0, err);
    if (st == CANDO_OK)
        st = cando_preflight(t, "allm", f->text, f->len, false, r, err);
    if (st == CANDO_BAD_QUESTION)
        st = CANDO_OK; /* a catalog without request rules: nothing was read */
    free(t);
    free(r);
    return st;
}

int request_read(struct request_file *f, const char *path)
{
    cando_error err;
    bool standard = strcmp(path, "-") == 0;
    *f = (struct request_file){.path = standard ? "<stdin>" : path};
    cando_status st = file_read(standard ? "/dev/stdin" : path, LIMIT_LINE_BYTES, NULL, &f->text, &f->len, &err);
    if (st == CANDO_OK) {
        st = probe(f, &err);
        if (st != CANDO_OK)
            error_at(&err, str_of(f->path), err.line, err.column);
    }
    if (st == CANDO_OK)
        return EXIT_YES;
    out_error(&err);
    request_free(f);
    return (int)st;
}

void request_free(struct request_file *f)
{
    if (f->text)
        mem_free(NULL, f->text, f->len + 1);
    f->text = NULL;
}

int request_ask(const struct engine *e, const struct request_file *f, const char *target, const char *api, bool fix,
                struct str *reply, struct str *result)
{
    struct buf q;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"preflight\",\"request\":");
    buf_put(&q, f->text, f->len);
    if (target) {
        buf_putz(&q, ",\"target\":");
        out_quoted(&q, str_of(target));
    }
    if (api)
        buf_printf(&q, ",\"dialect\":\"%s\"", api);
    if (fix)
        buf_putz(&q, ",\"fix\":true");
    buf_putc(&q, '}');
    int code = engine_ask(e, str_make(q.p, q.n), reply, result);
    buf_free(&q);
    return code;
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

static cando_severity severity_of(struct str word)
{
    return str_is(word, "\"error\"") ? CANDO_ERROR : str_is(word, "\"warning\"") ? CANDO_WARNING : CANDO_NOTE;
}

/* A string of the result, decoded into b. */
static struct str text_of(struct str object, const char *key, struct buf *b)
{
    buf_clear(b);
    if (!pull_string(pull_get(object, key), b))
        buf_clear(b);
    return str_make(b->p, b->n);
}

static void put_finding(FILE *out, const struct request_file *f, struct str x, cando_severity severity, struct buf *b)
{
    static const enum style styles[] = {STYLE_NOTE, STYLE_WARN, STYLE_BAD};
    uint64_t at = 0;
    size_t space = 0; /* places are counted from the request's first bracket */
    while (space < f->len && strchr(" \n\r\t", f->text[space]))
        space++;
    pull_number(pull_get(x, "at"), &at);
    struct spot s = spot_of(f, space + (size_t)at);
    out_print(out, STYLE_BOLD, f->path);
    fprintf(out, ":%u:%u: ", s.line, s.column);
    out_print(out, styles[severity], severity_name(severity));
    fputs(": ", out);
    out_safe(out, text_of(x, "message", b));
    fputs(" [", out);
    out_safe(out, text_of(x, "code", b));
    fputs("]\n", out);
    put_excerpt(out, &s);
    struct str path = text_of(x, "path", b);
    fputs("    at ", out);
    out_safe(out, path.n ? path : STR("the request itself"));
    fputc('\n', out);
    struct str fix = text_of(x, "fix", b);
    if (fix.n) {
        out_print(out, STYLE_NOTE, "    hint: ");
        out_safe(out, fix);
        struct str kind = text_of(x, "fix_kind", b);
        if (str_is(kind, "lossy") || str_is(kind, "safe"))
            fputs(str_is(kind, "safe") ? " (cando fix does it)" : " (cando fix --lossy does it)", out);
        fputc('\n', out);
    }
}

void request_findings(FILE *out, const struct request_file *f, struct str result, cando_severity least, size_t count[3])
{
    struct buf b;
    struct str x;
    buf_init(&b, NULL, LIMIT_JSON_BYTES);
    count[0] = count[1] = count[2] = 0;
    for (struct str at = pull_get(result, "findings"); pull_next(&at, NULL, &x);) {
        cando_severity severity = severity_of(pull_get(x, "severity"));
        count[severity]++;
        if (!out || severity < least)
            continue;
        put_finding(out, f, x, severity, &b);
    }
    buf_free(&b);
}

bool request_verdict(struct str result, const char *word)
{
    struct str v = pull_get(result, "verdict");
    return v.n == strlen(word) + 2 && memcmp(v.p + 1, word, v.n - 2) == 0;
}
