#define _GNU_SOURCE
#include "fleet.h"

#include "base/file.h"
#include "base/limits.h"
#include "engine.h"
#include "trail.h"

#include <limits.h>

#if defined(__wasm__) || defined(CANDO_STATIC)

const struct fleet_calls *fleet_load(cando_error *err)
{
    error_set(err, CANDO_BAD_QUESTION, CODE_bad_option, "this program has no fleet in it");
    return NULL;
}

#else

#include <dlfcn.h>
#include <stdlib.h>
#include <unistd.h>

static const char *const places[] = {"", "../lib/cando/"};

static void *load(void)
{
    char own[PATH_MAX], path[PATH_MAX + 64];
    void *lib = NULL;
    char *slash = realpath("/proc/self/exe", own) ? strrchr(own, '/') : NULL;
    for (size_t i = 0; slash && !lib && i < COUNT_OF(places); i++) {
        snprintf(path, sizeof path, "%.*s/%s" FLEET_LIBRARY, (int)(slash - own), own, places[i]);
        if (access(path, F_OK) == 0)
            lib = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    }
    return lib;
}

const struct fleet_calls *fleet_load(cando_error *err)
{
    (void)dlerror();
    void *lib = load();
    const char *why = lib ? NULL : dlerror();
    const struct fleet_calls *calls = lib ? dlsym(lib, "cando_fleet_calls") : NULL;
    if (calls && strcmp(calls->version, CANDO_VERSION) == 0)
        return calls;
    error_set(err, CANDO_INTERNAL, CODE_fleet, "--nats: %s",
              why ? why : calls ? "its library is of another version" : "its library is not here");
    error_hint(err, why ? "install it (Debian: apt-get install libnats3.4)"
                        : "install libnats-dev and run make, which builds " FLEET_LIBRARY);
    return NULL;
}

#endif

cando_store *fleet_trail(struct call *c, bool create, uint64_t wait, int *code)
{
    const char *store = trail_path(c->store);
    if (!c->nats.url)
        return trail_open(store, create, wait, code);
    if (create && !store) {
        *code = fail_with(CANDO_BAD_QUESTION, CODE_missing_argument,
                          "give --store FILE, too: what the fleet has not got yet waits there",
                          "which audit trail?");
        return NULL;
    }
    const struct fleet_calls *f = fleet_load(&c->err);
    cando_store *s = f ? f->trail(&c->nats, create ? store : NULL, &c->err) : NULL;
    if (!s)
        *code = fail(&c->err);
    return s;
}

/* -- giving ------------------------------------------------------------------------------------ */

/* "overlay." and the file's name without its folder and its end, or "catalog". */
static const char *key_of(struct call *c, const char *path)
{
    struct str name = str_of(path);
    const char *slash = strrchr(path, '/');
    if (!str_ends(name, STR(".toml")))
        return "catalog";
    if (slash)
        name = str_from(name, (size_t)(slash - path) + 1);
    name.n -= sizeof ".toml" - 1;
    return str_printf(&c->ar, "overlay.%.*s", (int)name.n, name.p).p;
}

/* What lint objects to would be refused by every node. */
static bool judge(struct call *c, const char *path)
{
    cando_sources *s = sources_new(&c->err);
    cando_status st = s ? cando_sources_add_path(s, path, CANDO_SYNTAX_AUTO, CANDO_LAYER_USER,
                                                 &c->err)
                        : c->err.status;
    if (st == CANDO_OK)
        st = cando_sources_lint(s, &c->err);
    if (st != CANDO_OK)
        fail(&c->err);
    bool ok = st == CANDO_OK && !sources_report(stderr, s, CANDO_ERROR);
    cando_sources_free(s);
    return ok;
}

static bool read_gift(struct call *c, const char *path, struct fleet_gift *g)
{
    char *text;
    size_t n;
    g->key = key_of(c, path);
    if (!g->key || file_read(path, LIMIT_SNAPSHOT_BYTES, NULL, &text, &n, &c->err) != CANDO_OK) {
        fail(&c->err);
        return false;
    }
    g->data = (cando_bytes){text, n};
    if (strcmp(g->key, "catalog") != 0)
        return judge(c, path);
    const cando_catalog *ok = cando_catalog_open_copy(text, n, NULL, &c->err);
    if (!ok)
        fail(&c->err);
    cando_catalog_release(ok);
    return ok != NULL;
}

int fleet_give_files(struct call *c, const char *const *file, size_t n, const char *const *name,
                     size_t n_names)
{
    const struct fleet_calls *f = fleet_load(&c->err);
    struct fleet_gift *g = f ? arena_array(&c->ar, n + n_names, sizeof *g) : NULL;
    bool ok = true;
    if (!g)
        return f ? fail_memory() : fail(&c->err);
    memset(g, 0, (n + n_names) * sizeof *g);
    for (size_t i = 0; i < n && ok; i++)
        ok = read_gift(c, file[i], &g[i]);
    for (size_t i = 0; i < n_names; i++)
        g[n + i].key = strcmp(name[i], "catalog") == 0
                           ? name[i]
                           : str_printf(&c->ar, "overlay.%s", name[i]).p;
    int code = EXIT_INPUT;
    if (ok)
        code = f->give(&c->nats, g, n + n_names, &c->err) == CANDO_OK ? EXIT_YES : fail(&c->err);
    for (size_t i = 0; i < n; i++)
        if (g[i].data.p)
            mem_free(NULL, (char *)g[i].data.p, g[i].data.n + 1);
    for (size_t i = 0; i < n + n_names && code == EXIT_YES; i++)
        out("the fleet %s %s\n", g[i].data.n ? "has" : "no longer has", g[i].key);
    return code;
}
