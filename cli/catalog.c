#define _POSIX_C_SOURCE 200809L
#include "catalog.h"

#include "base/file.h"
#include "base/limits.h"
#include "engine.h"

#include <errno.h>
#include <limits.h>
#include <sys/stat.h>
#include <unistd.h>

bool catalog_folder(const char *path)
{
    char part[PATH_MAX];
    size_t n = strlen(path);
    if (n >= sizeof part)
        return false;
    for (size_t i = 1; i <= n; i++) {
        if (path[i] != '/' && path[i] != '\0')
            continue;
        memcpy(part, path, i);
        part[i] = '\0';
        if (mkdir(part, 0700) != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

/* -- what goes in --------------------------------------------------------------------- */

struct inputs {
    const struct config *c;
    const cando_catalog *base; /* opened when it is needed */
    struct {
        char *text;
        size_t len;
    } file[CONFIG_FILES];
};

static void inputs_free(struct inputs *in)
{
    for (size_t i = 0; i < in->c->n; i++)
        if (in->file[i].text)
            mem_free(NULL, in->file[i].text, in->file[i].len + 1);
    cando_catalog_release(in->base);
}

/* The catalog of the last update if there is one that can be read. */
static const cando_catalog *open_base(const struct config *c)
{
    cando_error err;
    if (!c->has_catalog)
        return cando_catalog_builtin();
    const cando_catalog *cat = cando_catalog_open_file(c->catalog, NULL, &err);
    if (cat)
        return cat;
    error_hint(
        &err,
        "the built-in catalog is used; 'cando update' makes a new one, %s.1 is the one before",
        c->catalog);
    fail(&err);
    return cando_catalog_builtin();
}

static const cando_catalog *base_of(struct inputs *in)
{
    if (!in->base)
        in->base = open_base(in->c);
    return in->base;
}

static cando_status inputs_read(struct inputs *in, cando_error *err)
{
    cando_status st = CANDO_OK;
    for (size_t i = 0; st == CANDO_OK && i < in->c->n; i++)
        st = file_read(in->c->file[i].path, LIMIT_TOML_BYTES, NULL, &in->file[i].text,
                       &in->file[i].len, err);
    return st;
}

/* -- the cache ---------------------------------------------------------------------------- */

enum { HEAD = 64 }; /* of a snapshot: its size, and a checksum of all the rest */

/* What tells one base catalog from another, without reading it whole. */
static bool base_mark(const struct config *c, unsigned char mark[HEAD])
{
    cando_catalog_info info;
    memset(mark, 0, HEAD);
    if (!c->has_catalog) {
        cando_catalog_describe(cando_catalog_builtin(), &info);
        uint64_t part[] = {info.source_hash, info.bytes, info.fields, info.rules, info.models};
        memcpy(mark, part, sizeof part);
        return true;
    }
    FILE *f = fopen(c->catalog, "rb");
    bool ok = f && fread(mark, 1, HEAD, f) == HEAD;
    if (f)
        fclose(f);
    return ok;
}

/* "<cache>/<which files>-<what is in them>.snap" */
static bool cache_path(const struct inputs *in, char *out, size_t size)
{
    uint64_t which = 1, what[2] = {2, 3};
    unsigned char mark[HEAD];
    if (!in->c->cache || !base_mark(in->c, mark))
        return false;
    for (unsigned k = 0; k < 2; k++) {
        what[k] = str_hash(str_of(cando_version()), what[k]);
        what[k] = str_hash(str_make((const char *)mark, HEAD), what[k]);
    }
    for (size_t i = 0; i < in->c->n; i++) {
        struct str path = str_of(in->c->file[i].path),
                   text = str_make(in->file[i].text, in->file[i].len);
        which = str_hash(path, which);
        for (unsigned k = 0; k < 2; k++) {
            what[k] = str_hash(path, what[k] + (uint64_t)in->c->file[i].layer);
            what[k] = str_hash(text, what[k]);
        }
    }
    int n = snprintf(out, size, "%s/%016jx-%016jx%016jx.snap", in->c->cache, (uintmax_t)which,
                     (uintmax_t)what[0], (uintmax_t)what[1]);
    return n > 0 && (size_t)n < size;
}

/* Forgets what was kept for the same files with another content. */
static void cache_sweep(const struct inputs *in, const char *path)
{
    struct arena ar;
    struct str *file = NULL;
    size_t n = 0, same = strlen(in->c->cache) + 1 + 16 + 1;
    arena_init(&ar, NULL);
    if (file_list(in->c->cache, ".snap", &ar, &file, &n, NULL) == CANDO_OK)
        for (size_t i = 0; i < n; i++)
            if (strncmp(file[i].p, path, same) == 0 && strcmp(file[i].p, path) != 0)
                unlink(file[i].p);
    arena_free(&ar);
}

static void cache_put(const struct inputs *in, const char *path, const void *data, size_t size)
{
    if (catalog_folder(in->c->cache) && file_replace(path, data, size, NULL, NULL) == CANDO_OK)
        cache_sweep(in, path);
}

static const cando_catalog *cache_get(const char *path)
{
    return access(path, R_OK) == 0 ? cando_catalog_open_file(path, NULL, NULL) : NULL;
}

/* -- compiling --------------------------------------------------------------------------------- */

static cando_status add_inputs(struct inputs *in, cando_sources *s, cando_error *err)
{
    cando_status st = cando_sources_add_catalog(s, base_of(in), 0, err);
    for (size_t i = 0; st == CANDO_OK && i < in->c->n; i++)
        st = cando_sources_add(s, in->c->file[i].path, in->file[i].text, in->file[i].len,
                               CANDO_SYNTAX_AUTO, in->c->file[i].layer, err);
    return st;
}

/* Errors are reported, whether they stop the build or not; a result with errors is
 * not kept, so that they are reported every time. */
static const cando_catalog *compile(struct inputs *in, cando_sources *s, const char *path,
                                    bool quiet, cando_error *err)
{
    const void *data;
    size_t size;
    cando_status st = add_inputs(in, s, err);
    if (st != CANDO_OK)
        return NULL;
    st = cando_sources_build(s, &data, &size, err);
    bool reported = !quiet && (st == CANDO_BAD_INPUT || st == CANDO_OK) &&
                    sources_report(stderr, s, CANDO_ERROR);
    if (st != CANDO_OK) {
        if (reported)
            err->code[0] = '\0';
        return NULL;
    }
    if (path && !reported)
        cache_put(in, path, data, size);
    return cando_catalog_open_copy(data, size, NULL, err);
}

const cando_catalog *catalog_in_force(const struct config *c,
                                      void (*find_problems)(void *ctx, cando_sources *s), void *ctx,
                                      cando_error *err)
{
    struct inputs in = {.c = c};
    char path[PATH_MAX];
    const cando_catalog *cat = NULL;
    if (inputs_read(&in, err) != CANDO_OK) {
        inputs_free(&in);
        return NULL;
    }
    bool cached = c->n && cache_path(&in, path, sizeof path);
    if (c->n == 0)
        cat = cando_catalog_retain(base_of(&in));
    else if (cached && !find_problems)
        cat = cache_get(path);
    if (!cat) {
        cando_sources *s = cando_sources_new(NULL, err);
        if (s)
            cat = compile(&in, s, cached && !find_problems ? path : NULL, find_problems, err);
        if (s && find_problems && cando_sources_lint(s, err) == CANDO_OK)
            find_problems(ctx, s);
        cando_sources_free(s);
    }
    inputs_free(&in);
    return cat;
}
