#define _POSIX_C_SOURCE 200809L
#include "requests.h"

#include "base/file.h"
#include "base/limits.h"
#include "screen.h"

#include <stdlib.h>
#include <sys/stat.h>

static int worse(int a, int b)
{
    return a > b ? a : b;
}

/* Such a mistake is none of the file's: the next would have it as well. */
static bool is_end(int code)
{
    return code == EXIT_QUESTION || code == EXIT_INTERNAL;
}

/* One request, and how far that is. */
static int judge(struct call *c, struct requests *r, request_fn *each)
{
    screen_progress_end();
    int code = each(c, r);
    r->done++;
    if (screen_progress_due())
        out_to(stderr, "%s: %'zu requests", r->file.path, r->done);
    return code;
}

static int each_line(struct call *c, struct requests *r, request_fn *each)
{
    struct request_file *f = &r->file;
    int code = EXIT_YES;
    f->line = 0;
    for (size_t at = 0, end; at < f->len; at = end + 1) {
        for (end = at; end < f->len && f->text[end] != '\n';)
            end++;
        f->line++;
        f->start = at;
        f->body = str_make(f->text + at, end - at);
        if (strspn(f->body.p, " \t\r") < f->body.n)
            code = worse(code, judge(c, r, each));
        if (is_end(code))
            break;
    }
    return code;
}

static int each_of_file(struct call *c, struct requests *r, const char *path, request_fn *each)
{
    struct str name = str_of(path);
    int code = request_read(&r->file, path, LIMIT_LINE_BYTES);
    if (code != EXIT_YES)
        return code;
    if (r->found && str_starts(name, STR("./"))) /* of the folder "." */
        r->file.path += 2;
    r->a_line = r->lines || str_ends(name, STR(".jsonl")) || str_ends(name, STR(".ndjson"));
    code = r->a_line ? each_line(c, r, each) : judge(c, r, each);
    request_free(&r->file);
    return code;
}

/* Both kinds of files below a folder, in one order. */
static cando_status list_folder(struct call *c, const char *path, struct str **out, size_t *n)
{
    struct str *plain, *lines;
    size_t n_plain, n_lines;
    cando_status st = file_list(path, ".json", &c->ar, &plain, &n_plain, &c->err);
    if (st == CANDO_OK)
        st = file_list(path, ".jsonl", &c->ar, &lines, &n_lines, &c->err);
    if (st != CANDO_OK)
        return st;
    *n = n_plain + n_lines;
    *out = arena_array(&c->ar, *n, sizeof **out);
    if (!*out)
        return error_memory(&c->err);
    for (size_t i = 0; i < *n; i++)
        (*out)[i] = i < n_plain ? plain[i] : lines[i - n_plain];
    if (*n)
        qsort(*out, *n, sizeof **out, str_order);
    return CANDO_OK;
}

static int each_below(struct call *c, struct requests *r, const char *path, request_fn *each)
{
    struct str *file;
    struct stat st;
    size_t n;
    if (list_folder(c, path, &file, &n) != CANDO_OK)
        return fail(&c->err);
    int code = EXIT_YES;
    r->found = true;
    for (size_t i = 0; i < n && !is_end(code); i++)
        if (lstat(file[i].p, &st) == 0 && S_ISREG(st.st_mode))
            code = worse(code, each_of_file(c, r, file[i].p, each));
    r->found = false;
    return code;
}

int requests_each(struct call *c, struct requests *r, char *const *path, int n, request_fn *each)
{
    struct stat st;
    int code = EXIT_YES;
    for (int i = 0; i < n && !is_end(code); i++) {
        bool folder = stat(path[i], &st) == 0 && S_ISDIR(st.st_mode);
        code = worse(code,
                     folder ? each_below(c, r, path[i], each) : each_of_file(c, r, path[i], each));
    }
    screen_progress_end();
    return code;
}
