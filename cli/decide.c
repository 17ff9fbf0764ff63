/*
 * decide.c - see decide.h.
 */
#include "decide.h"

#include "base/file.h"
#include "base/limits.h"

#include <stdlib.h>

bool values_add(struct values *l, const char *v)
{
    if (l->n == DECIDE_VALUES) {
        cando_error err;
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option,
                  "an option may be given at most %d times", DECIDE_VALUES);
        out_error(&err);
        return false;
    }
    l->v[l->n++] = v;
    return true;
}

void put_names(struct buf *q, const char *key, const struct values *l)
{
    if (!l->n)
        return;
    buf_printf(q, ",\"%s\":[", key);
    for (size_t i = 0; i < l->n; i++) {
        if (i)
            buf_putc(q, ',');
        out_quoted(q, str_of(l->v[i]));
    }
    buf_putc(q, ']');
}

static bool all_digits(const char *z)
{
    for (; char_is_digit(*z); z++) {
    }
    return *z == '\0';
}

bool put_bounds(struct buf *q, const char *key, const struct values *l)
{
    if (!l->n)
        return true;
    buf_printf(q, ",\"%s\":{", key);
    for (size_t i = 0; i < l->n; i++) {
        const char *eq = strchr(l->v[i], '=');
        if (!eq || eq == l->v[i] || !eq[1]) {
            cando_error err;
            error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option,
                      "'%s' is not of the form NAME=VALUE", l->v[i]);
            error_hint(&err, "for example context_window=64000");
            out_error(&err);
            return false;
        }
        if (i)
            buf_putc(q, ',');
        out_quoted(q, str_make(l->v[i], (size_t)(eq - l->v[i])));
        buf_putc(q, ':');
        if (all_digits(eq + 1) && eq[1] != '0')
            buf_putz(q, eq + 1);
        else
            out_quoted(q, str_of(eq + 1));
    }
    buf_putc(q, '}');
    return true;
}

static int read_input(const char *path, char **text, size_t *len)
{
    cando_error err;
    if (strcmp(path, "-") != 0) {
        if (file_read(path, LIMIT_LINE_BYTES, NULL, text, len, &err) == CANDO_OK)
            return EXIT_YES;
        out_error(&err);
        return EXIT_INPUT;
    }
    struct buf b;
    char piece[4096];
    buf_init(&b, NULL, LIMIT_LINE_BYTES);
    for (size_t n; (n = fread(piece, 1, sizeof piece, stdin)) > 0;)
        buf_put(&b, piece, n);
    if (ferror(stdin) || !buf_cstr(&b)) {
        error_set(&err, CANDO_INTERNAL, CODE_io, "stdin could not be read");
        out_error(&err);
        buf_free(&b);
        return EXIT_INTERNAL;
    }
    *text = mem_resize(NULL, b.p, b.cap, b.n + 1);
    *len = b.n;
    if (!*text)
        buf_free(&b);
    return *text ? EXIT_YES : EXIT_INTERNAL;
}

/* Is the text a JSON value? The library tells: any value can be redacted. */
static bool is_json(const struct engine *e, const char *text, size_t len)
{
    struct buf q;
    char *reply = NULL;
    size_t n = 0;
    buf_init(&q, NULL, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"redact\",\"value\":");
    buf_put(&q, text, len);
    buf_putc(&q, '}');
    bool ok = !q.failed && cando_call(e->c, q.p, q.n, &reply, &n) == CANDO_OK &&
              pull_kind(pull_get(str_make(reply, n), "ok")) == PULL_TRUE;
    cando_free_text(e->c, reply, n);
    buf_free(&q);
    return ok;
}

int put_file(const struct engine *e, struct buf *q, const char *key, const char *path)
{
    char *text;
    size_t len;
    int code = read_input(path, &text, &len);
    if (code != EXIT_YES)
        return code;
    if (!is_json(e, text, len)) {
        cando_error err;
        error_set(&err, CANDO_BAD_INPUT, CODE_json_syntax, "%s is not JSON",
                  strcmp(path, "-") ? path : "stdin");
        out_error(&err);
        code = EXIT_INPUT;
    } else {
        buf_printf(q, ",\"%s\":", key);
        buf_put(q, text, len);
    }
    mem_free(NULL, text, len + 1);
    return code;
}

int decide_file(const struct engine *e, const char *op, const char *member, const char *path,
                void *question)
{
    char *text;
    size_t len;
    cando_error err;
    int code = read_input(path, &text, &len);
    if (code != EXIT_YES)
        return code;
    cando_status st = cando_decode(op, member, text, len, e->room, question, &err);
    mem_free(NULL, text, len + 1);
    if (st == CANDO_OK)
        return EXIT_YES;
    if (str_starts(str_of(err.code), STR("json-")))
        error_set(&err, CANDO_BAD_INPUT, CODE_json_syntax, "%s is not JSON",
                  strcmp(path, "-") ? path : "stdin");
    return engine_failed(&err);
}

int decide_ask(struct engine *e, struct buf *q, bool json, struct str *reply, struct str *result)
{
    buf_putc(q, '}');
    int code = engine_ask(e, str_make(q->p, q->n), reply, result);
    if (code == EXIT_YES && json)
        out_line(*result);
    return code;
}

struct str text_of(struct str object, const char *key, struct buf *b)
{
    buf_clear(b);
    pull_string(pull_get(object, key), b);
    return str_make(b->p ? b->p : "", b->n);
}
