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
