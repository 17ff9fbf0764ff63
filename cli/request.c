#include "request.h"

#include "base/file.h"

#include <unistd.h>

/* Is it written as no model is: a folder, a place in the tree, a name with the ending of a file? */
static bool is_path(const char *operand)
{
    static const char endings[] = ".json .jsonl .ndjson .txt .md .gz .toml .yaml .yml .py .js .ts "
                                  ".sh .log .sse";
    struct str s = str_of(operand), ending;
    if (strcmp(operand, "-") == 0 || access(operand, F_OK) == 0)
        return true;
    if (!s.n || strchr("./~", s.p[0]) || s.p[s.n - 1] == '/')
        return true;
    for (const char *at = endings; words_next(&at, &ending);)
        if (str_ends(s, ending))
            return true;
    return false;
}

bool request_is_model(const char *operand)
{
    return !is_path(operand) && strpbrk(operand, "/:");
}

bool request_may_be_model(const char *operand)
{
    return !is_path(operand);
}

int request_no_file(struct call *c, const char *operand)
{
    cando_error err;
    error_set(&err, CANDO_BAD_INPUT, CODE_io, "cannot open %.400s: No such file or directory",
              operand);
    if (!is_path(operand))
        error_hint(&err, "if that is a model, it comes first: cando %s %.200s FILE", c->verb->name,
                   operand);
    return fail(&err);
}

/* -- headers -- */

static void put_quoted(struct buf *b, struct str s)
{
    buf_putc(b, '"');
    for (size_t i = 0; i < s.n; i++) {
        if (s.p[i] == '"' || s.p[i] == '\\')
            buf_putc(b, '\\');
        buf_putc(b, s.p[i]);
    }
    buf_putc(b, '"');
}

/* A text in which nothing but quotes and backslashes has to be escaped. */
static bool is_plain(struct str s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((unsigned char)s.p[i] < ' ')
            return false;
    return utf8_check(s) == s.n;
}

bool take_header(struct call *c, const struct option_row *o, const char *value)
{
    struct str s = str_of(value);
    size_t cut = str_find_char(s, ':');
    if (cut == s.n || !str_trim(str_head(s, cut)).n || !is_plain(s))
        return option_refuse(o, value, "NAME:VALUE, as in the request: \"anthropic-beta: ..\"");
    return take_texts(c, o, value);
}

static struct str name_of(const char *header)
{
    return str_trim(str_head(str_of(header), str_find_char(str_of(header), ':')));
}

/* An object: of each name a list, as a header may be sent several times. */
int request_headers(struct call *c, const char *const *header, size_t n, cando_bytes *out)
{
    struct buf b;
    buf_init_arena(&b, &c->ar, LIMIT_JSON_BYTES);
    for (size_t i = 0; i < n; i++) {
        struct str name = name_of(header[i]);
        size_t k = 0;
        while (!str_eq_fold(name_of(header[k]), name))
            k++;
        if (k < i)
            continue; /* told already */
        buf_putz(&b, b.n ? "," : "{");
        put_quoted(&b, name);
        buf_putz(&b, ":[");
        for (; k < n; k++) {
            if (!str_eq_fold(name_of(header[k]), name))
                continue;
            buf_putz(&b, k > i ? "," : "");
            struct str text = str_of(header[k]);
            put_quoted(&b, str_trim(str_from(text, str_find_char(text, ':') + 1)));
        }
        buf_putc(&b, ']');
    }
    if (n)
        buf_putc(&b, '}');
    *out = (cando_bytes){b.p, b.n};
    return b.failed ? fail_memory() : EXIT_YES;
}

/* -- reading -- */

void request_on_terminal(void)
{
    if (!isatty(STDIN_FILENO))
        return;
    fputs("it is read from the terminal: type or paste it, then ^D on a line of its own\n", stderr);
}

int request_read(struct request_file *f, const char *path, size_t most)
{
    cando_error err;
    bool standard = strcmp(path, "-") == 0;
    *f = (struct request_file){.path = standard ? "<stdin>" : path};
    if (standard)
        request_on_terminal();
    cando_status st =
        file_read(standard ? "/dev/stdin" : path, most, NULL, &f->text, &f->len, &err);
    if (st != CANDO_OK)
        return fail(&err);
    f->mark = str_starts(str_make(f->text, f->len), STR(BYTE_ORDER_MARK)) ? 3 : 0;
    f->text += f->mark;
    f->len -= f->mark;
    f->body = str_make(f->text, f->len);
    f->line = 1;
    return EXIT_YES;
}

void request_free(struct request_file *f)
{
    if (f->text)
        mem_free(NULL, f->text - f->mark, f->mark + f->len + 1);
    f->text = NULL;
}

void request_quotes(cando_error *err)
{
    if (err->hint[0])
        return;
    if (strstr(err->message, "found '''") || strstr(err->message, "found a single quote"))
        error_hint(err, "JSON has double quotes; what Python prints becomes JSON by json.dumps");
}

const cando_preflight_answer *request_judge(struct call *c, const struct request_file *f,
                                            cando_preflight_question q)
{
    q.request = (cando_bytes){f->body.p, f->body.n};
    const cando_preflight_answer *a = cando_ask_preflight(c->engine, &q, c->room, &c->err);
    if (!a)
        request_quotes(&c->err);
    if (!a && c->err.line) /* it is the file that is not JSON */
        error_at(&c->err, str_of(f->path), c->err.line + f->line - 1, c->err.column);
    return a;
}

const cando_preflight_answer *request_ask(struct call *c, const struct request_file *f,
                                          cando_preflight_question q)
{
    const cando_preflight_answer *a = request_judge(c, f, q);
    c->code = a ? EXIT_YES : fail(&c->err);
    return a;
}

/* Is one of the names the end of the other, behind a slash or a colon? */
static bool same_model(struct str a, struct str b)
{
    struct str longer = a.n < b.n ? b : a, shorter = a.n < b.n ? a : b;
    struct str end = str_from(longer, longer.n - shorter.n);
    return str_eq_fold(end, shorter) && (end.p == longer.p || strchr("/:", end.p[-1]));
}

bool request_names(const struct request_file *f, const char *target,
                   char name[LIMIT_NAME_BYTES + 1])
{
    size_t n = cando_request_model(f->body.p, f->body.n, name, LIMIT_NAME_BYTES + 1);
    if (!n || n > LIMIT_NAME_BYTES)
        return false;
    name[n] = '\0';
    return !same_model(str_make(name, n), str_of(target));
}

int request_member(struct call *c, const char *op, const char *member, const char *path,
                   void *question)
{
    struct request_file f;
    int code = path ? request_read(&f, path, LIMIT_LINE_BYTES) : EXIT_YES;
    if (!path || code != EXIT_YES)
        return code;
    cando_status st = cando_decode(op, member, f.text, f.len, c->room, question, &c->err);
    request_free(&f);
    if (st == CANDO_OK)
        return EXIT_YES;
    if (str_starts(str_of(c->err.code), STR("json-")))
        error_set(&c->err, CANDO_BAD_INPUT, CODE_json_syntax, "%s is not JSON",
                  strcmp(path, "-") ? path : "stdin");
    return fail(&c->err);
}

/* -- findings -- */

#define EXCERPT 76 /* bytes of a line that are shown; requests often are one long line */

/* Back to the first byte of a character. */
static size_t whole(struct str s, size_t at)
{
    while (at > 0 && at < s.n && ((unsigned char)s.p[at] & 0xC0) == 0x80)
        at--;
    return at;
}

static uint32_t characters(struct str s, size_t from, size_t to)
{
    return (uint32_t)str_utf8_len(str_make(s.p + from, to - from));
}

struct request_place request_place(const struct request_file *f, const cando_finding *x)
{
    struct str text = str_make(f->text, f->len);
    struct request_place p = {.line = f->line, .start = f->start};
    p.at = (size_t)(f->body.p - f->text);
    while (p.at < text.n && strchr(" \n\r\t", text.p[p.at]))
        p.at++; /* places are counted from the request's first bracket */
    p.at = p.at + x->at > text.n ? text.n : p.at + x->at;
    for (size_t i = p.start; i < p.at; i++)
        if (text.p[i] == '\n') {
            p.line++;
            p.start = i + 1;
        }
    for (p.end = p.at; p.end < text.n && text.p[p.end] != '\n' && text.p[p.end] != '\r';)
        p.end++;
    size_t stop = p.at;
    while (stop < p.end && !strchr(",]}", text.p[stop]))
        stop++;
    p.column = characters(text, p.start, p.at) + 1;
    p.width = characters(text, p.at, stop);
    return p;
}

static void put_finding(FILE *out, const struct request_file *f, const cando_finding *x)
{
    struct str text = str_make(f->text, f->len);
    struct request_place p = request_place(f, x);
    size_t from = p.at - p.start > EXCERPT / 2 ? whole(text, p.at - EXCERPT / 2) : p.start;
    size_t to = p.end - from > EXCERPT ? whole(text, from + EXCERPT) : p.end;
    uint32_t shown = characters(text, p.at, to);
    out_problem(out, f->path, p.line, p.column, x);
    out_excerpt(out, str_make(text.p + from, to - from), characters(text, from, p.at) + 1,
                p.width < shown ? p.width : shown);
    out_to(out, "    at %s\n", *x->path ? x->path : "the request itself");
    if (!x->hint)
        return;
    char hint[1200], how[100] = "";
    if (x->fix == CANDO_FIX_LOSSY)
        snprintf(how, sizeof how, " (cando fix --lossy does it)");
    else if (x->fix == CANDO_FIX_SAFE && x->severity == CANDO_NOTE) /* nobody asked for it */
        snprintf(how, sizeof how, " (cando fix --allow %s does it)", x->code);
    else if (x->fix == CANDO_FIX_SAFE)
        snprintf(how, sizeof how, " (cando fix does it)");
    snprintf(hint, sizeof hint, "%s%s", x->hint, how);
    out_to(out, NOTE "    hint: " END);
    out_note(out, str_of(hint), 10, 10);
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
