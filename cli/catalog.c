/*
 * catalog.c - the catalog that the files in force make together; see config.h.
 */
#define _XOPEN_SOURCE 700
#include "base/file.h"
#include "base/limits.h"
#include "base/sha256.h"
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

/* -- what goes in -- */

struct inputs {
    struct config *c;
    const cando_catalog *base; /* opened when it is needed */
    size_t n_read;             /* files whose text is ours */
};

static void inputs_free(struct inputs *in)
{
    for (size_t i = 0; i < in->n_read; i++) {
        struct config_file *f = &in->c->file[i];
        mem_free(NULL, (char *)f->text.p, f->text.n + 1);
        f->text = STR_NONE;
    }
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
    error_hint(&err,
               "the built-in catalog is used; 'cando update' makes a new one, %s is the one before",
               c->previous);
    fail(&err);
    return cando_catalog_builtin();
}

static const cando_catalog *base_of(struct inputs *in)
{
    if (!in->base && in->c->base)
        in->base = cando_catalog_retain(in->c->base);
    if (!in->base)
        in->base = open_base(in->c);
    return in->base;
}

static cando_status inputs_read(struct inputs *in, cando_error *err)
{
    for (; in->n_read < in->c->n && !in->c->file[in->n_read].text.p; in->n_read++) {
        struct config_file *f = &in->c->file[in->n_read];
        char *text;
        cando_status st = file_read(f->path, LIMIT_SNAPSHOT_BYTES, NULL, &text, &f->text.n, err);
        if (st != CANDO_OK)
            return st;
        f->text.p = text;
    }
    return CANDO_OK;
}

/* -- the cache -- */

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

/* What is kept is the snapshot behind this: so the name of a file is merely where to look, and
 * one that was put there under another's name is not taken. */
struct kept {
    char magic[16];
    unsigned char inputs[SHA256_BYTES]; /* of all that went in */
    char room[16];                      /* the snapshot is aligned */
};
static const char kept_magic[16] = "cando cache 2\n";
enum { KEPT_MOST = 32 };

static void hash_text(struct sha256 *h, struct str s)
{
    uint64_t n = s.n;
    sha256_put(h, &n, sizeof n);
    sha256_put(h, s.p, s.n);
}

static bool hash_inputs(const struct inputs *in, struct kept *out)
{
    unsigned char mark[HEAD];
    struct sha256 h;
    if (!in->c->cache || !base_mark(in->c, mark))
        return false;
    *out = (struct kept){0};
    memcpy(out->magic, kept_magic, sizeof out->magic);
    sha256_init(&h);
    hash_text(&h, str_of(cando_version()));
    sha256_put(&h, mark, sizeof mark);
    for (size_t i = 0; i < in->c->n; i++) {
        const struct config_file *f = &in->c->file[i];
        uint64_t layer = (uint64_t)f->layer;
        sha256_put(&h, &layer, sizeof layer);
        hash_text(&h, str_of(f->path));
        hash_text(&h, f->text);
    }
    sha256_end(&h, out->inputs);
    return true;
}

/* "<cache>/<which files>-<what is in them>.snap" */
static bool cache_path(const struct inputs *in, const struct kept *k, char *out, size_t size)
{
    uint64_t which = 1;
    char hex[SHA256_HEX];
    for (size_t i = 0; i < in->c->n; i++)
        which = str_hash(str_of(in->c->file[i].path), which);
    sha256_hex(k->inputs, hex);
    int n = snprintf(out, size, "%s/%016jx-%.32s.snap", in->c->cache, (uintmax_t)which, hex);
    return n > 0 && (size_t)n < size;
}

/* Nobody else can have put it there. */
static bool is_own(const char *path, mode_t kind, struct stat *st)
{
    if (lstat(path, st) != 0 || (st->st_mode & S_IFMT) != kind)
        return false;
    return st->st_uid == geteuid() && !(st->st_mode & (S_IWGRP | S_IWOTH));
}

/* Forgets what was kept for the same files with another content, and what is oldest, if
 * there is more than enough. */
static void cache_sweep(const struct inputs *in, const char *path)
{
    struct arena ar;
    struct str *file = NULL;
    size_t n = 0, left = 0, same = strlen(in->c->cache) + 1 + 16 + 1;
    struct stat st;
    arena_init(&ar, NULL);
    if (file_list(in->c->cache, ".snap", &ar, &file, &n, NULL) != CANDO_OK)
        n = 0;
    for (size_t i = 0; i < n; i++) {
        bool stale = strncmp(file[i].p, path, same) == 0 && strcmp(file[i].p, path) != 0;
        if (stale)
            unlink(file[i].p);
        else
            file[left++] = file[i];
    }
    for (; left > KEPT_MOST; left--) {
        size_t oldest = SIZE_MAX;
        time_t age = 0;
        for (size_t i = 0; i < left; i++) {
            if (strcmp(file[i].p, path) == 0 || lstat(file[i].p, &st) != 0)
                continue;
            if (oldest != SIZE_MAX && st.st_mtime >= age)
                continue;
            oldest = i;
            age = st.st_mtime;
        }
        if (oldest == SIZE_MAX)
            break;
        unlink(file[oldest].p);
        file[oldest] = file[left - 1];
    }
    arena_free(&ar);
}

static void cache_put(const struct inputs *in, const struct kept *k, const char *path,
                      const void *data, size_t size)
{
    struct buf b;
    struct stat st;
    if (!catalog_folder(in->c->cache) || !is_own(in->c->cache, S_IFDIR, &st))
        return;
    buf_init(&b, NULL, sizeof *k + LIMIT_SNAPSHOT_BYTES);
    buf_put(&b, k, sizeof *k);
    buf_put(&b, data, size);
    if (!b.failed && file_replace(path, b.p, b.n, NULL, NULL) == CANDO_OK)
        cache_sweep(in, path);
    buf_free(&b);
}

static const cando_catalog *cache_get(const struct inputs *in, const struct kept *k,
                                      const char *path)
{
    struct stat st;
    char *text;
    size_t len;
    const cando_catalog *cat = NULL;
    if (!is_own(in->c->cache, S_IFDIR, &st) || !is_own(path, S_IFREG, &st))
        return NULL;
    if (file_read(path, sizeof *k + LIMIT_SNAPSHOT_BYTES, NULL, &text, &len, NULL) != CANDO_OK)
        return NULL;
    if (len > sizeof *k && memcmp(text, k, sizeof *k) == 0)
        cat = cando_catalog_open_copy(text + sizeof *k, len - sizeof *k, NULL, NULL);
    mem_free(NULL, text, len + 1);
    return cat;
}

/* -- compiling -- */

/* A file that nobody named, and that is not known for one of ours, may be anything, a link to
 * somebody's password too: what is wrong with it is told without its text. */
static bool may_be_shown(const struct inputs *in, const cando_finding *x)
{
    struct stat st;
    for (size_t i = 0; i < in->c->n; i++) {
        const struct config_file *f = &in->c->file[i];
        if (!f->found || strcmp(f->path, x->file) != 0)
            continue;
        if (lstat(f->path, &st) == 0 && S_ISLNK(st.st_mode))
            return false;
        struct str rest = f->text, line;
        for (uint32_t n = 1; n < x->line && rest.n; n++, rest = str_from(rest, line.n + 1)) {
            line = str_head(rest, str_find_char(rest, '\n'));
            if (str_starts(line, STR("schema")) && str_find(line, STR("/")) != SIZE_MAX)
                return true;
        }
        return false;
    }
    return true;
}

static bool report(const struct inputs *in, const cando_sources *s)
{
    size_t n = cando_sources_findings(s), shown = 0;
    for (size_t i = 0; i < n; i++) {
        cando_finding x = cando_sources_finding(s, i);
        if (x.severity < CANDO_ERROR)
            continue;
        if (!may_be_shown(in, &x)) {
            x.excerpt = "";
            x.column = 1;
            if (strcmp(x.code, "schema-missing") != 0)
                x.message = "this is no rule file: no line above it names a schema of ours, or it "
                            "is a link";
        }
        out_finding(stderr, &x);
        shown++;
    }
    return shown > 0;
}

static cando_status add_inputs(struct inputs *in, cando_sources *s, cando_error *err)
{
    cando_status st = in->c->bare ? CANDO_OK : cando_sources_add_catalog(s, base_of(in), 0, err);
    for (size_t i = 0; st == CANDO_OK && i < in->c->n; i++) {
        const struct config_file *f = &in->c->file[i];
        st = cando_sources_add(s, f->path, f->text.p, f->text.n, CANDO_SYNTAX_AUTO, f->layer, err);
    }
    if (st == CANDO_OK && in->c->bare && in->c->requests)
        st = cando_sources_add_requests(s, base_of(in), err);
    return st;
}

/* Errors are reported, whether they stop the build or not; a result with errors is
 * not kept, so that they are reported every time. Of a bare one those that stop it: what
 * lint would say is no matter there. */
static const cando_catalog *compile(struct inputs *in, cando_sources *s, const struct kept *k,
                                    const char *path, bool quiet, cando_error *err)
{
    const void *data;
    size_t size;
    cando_status st = add_inputs(in, s, err);
    if (st != CANDO_OK)
        return NULL;
    st = cando_sources_build(s, &data, &size, err);
    bool tell = st == CANDO_BAD_INPUT || (st == CANDO_OK && !in->c->bare);
    bool reported = !quiet && tell && report(in, s);
    if (st != CANDO_OK) {
        if (reported)
            err->code[0] = '\0';
        return NULL;
    }
    if (path && !reported)
        cache_put(in, k, path, data, size);
    return cando_catalog_open_copy(data, size, NULL, err);
}

const cando_catalog *catalog_in_force(struct config *c,
                                      void (*find_problems)(void *ctx, cando_sources *s), void *ctx,
                                      cando_error *err)
{
    struct inputs in = {.c = c};
    struct kept kept;
    char path[PATH_MAX];
    const cando_catalog *cat = NULL;
    if (inputs_read(&in, err) != CANDO_OK) {
        inputs_free(&in);
        return NULL;
    }
    bool files_only = c->n && in.n_read == c->n && !c->bare && !c->base; /* else none is kept */
    bool cached = files_only && !find_problems && hash_inputs(&in, &kept) &&
                  cache_path(&in, &kept, path, sizeof path);
    if (c->n == 0 && !c->bare)
        cat = cando_catalog_retain(base_of(&in));
    else if (cached)
        cat = cache_get(&in, &kept, path);
    if (!cat) {
        cando_sources *s = cando_sources_new(NULL, err);
        if (s)
            cat = compile(&in, s, &kept, cached ? path : NULL, find_problems, err);
        if (s && find_problems && cando_sources_lint(s, err) == CANDO_OK)
            find_problems(ctx, s);
        cando_sources_free(s);
    }
    inputs_free(&in);
    return cat;
}
