#define _XOPEN_SOURCE 700
#include "config.h"

#include "base/file.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* "$NAME/cando", or "$HOME/<otherwise>/cando". A relative path in the variable
 * counts as none, as the XDG specification has it. */
static const char *folder(struct config *c, const char *name, const char *home,
                          const char *otherwise)
{
    const char *v = getenv(name);
    if (v && v[0] == '/')
        return str_printf(c->ar, "%s/cando", v).p;
    return home ? str_printf(c->ar, "%s/%s/cando", home, otherwise).p : NULL;
}

static const char *home_folder(void)
{
    const char *home = getenv("HOME");
    return home && home[0] == '/' ? home : NULL;
}

cando_status config_init(struct config *c, struct arena *ar, cando_error *err)
{
    const char *home = home_folder();
    *c = (struct config){.ar = ar};
    c->data = folder(c, "XDG_DATA_HOME", home, ".local/share");
    c->rules = folder(c, "XDG_CONFIG_HOME", home, ".config");
    c->cache = folder(c, "XDG_CACHE_HOME", home, ".cache");
    if (home && (!c->data || !c->rules || !c->cache))
        return error_memory(err);
    if (!c->data)
        return CANDO_OK;
    c->catalog = str_printf(c->ar, "%s/catalog.snap", c->data).p;
    c->previous = str_printf(c->ar, "%s/catalog.snap.1", c->data).p;
    c->trust = str_printf(c->ar, "%s/trust.jsonl", c->data).p;
    return c->catalog && c->previous && c->trust ? CANDO_OK : error_memory(err);
}

static bool is_file(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

static bool exists(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0;
}

bool layer_find(struct str name, cando_layer *out)
{
    size_t i = words_find(LAYER_WORDS, name);
    if (i != SIZE_MAX)
        *out = (cando_layer)i;
    return i != SIZE_MAX;
}

/* "facts/openai.toml" and "defaults.toml" below a folder are of these layers. */
static cando_layer layer_of(struct str file, size_t folder, cando_layer otherwise)
{
    struct str below = str_from(file, folder);
    while (below.n && below.p[0] == '/')
        below = str_from(below, 1);
    struct str part = str_head(below, str_find_char(below, '/'));
    if (str_ends(part, STR(".toml")))
        part.n -= sizeof ".toml" - 1;
    cando_layer layer = otherwise;
    layer_find(part, &layer);
    return layer;
}

cando_status config_add(struct config *c, const char *path, cando_layer layer, bool given,
                        cando_error *err)
{
    struct str *file = NULL, root = str_of(path);
    size_t n = 0;
    while (c->bare && root.n > 1 && path[root.n - 1] == '/')
        root.n--;
    root = str_dup(c->ar, root);
    cando_status st =
        root.p ? file_list(root.p, ".toml", c->ar, &file, &n, err) : error_memory(err);
    if (st != CANDO_OK)
        return st;
    if (given && n == 0)
        return error_set(err, CANDO_BAD_INPUT, CODE_no_sources, "no .toml file below %s", path);
    for (size_t i = 0; i < n; i++) {
        bool named = c->bare && file[i].n > root.n;
        if (c->n >= CONFIG_FILES && !c->bare)
            return error_set(err, CANDO_BAD_INPUT, CODE_too_long,
                             "more than %d rule files are in force", CONFIG_FILES);
        if (!ARENA_GROW(c->ar, c->file, c->n, c->cap))
            return error_memory(err);
        c->file[c->n++] =
            (struct config_file){.path = file[i].p,
                                 .layer = named ? layer_of(file[i], root.n, layer) : layer,
                                 .found = !given};
    }
    return CANDO_OK;
}

/* Does the folder end the search: is it the home folder, or a repository's root? */
static bool is_top(const char *path, const char *home)
{
    char git[PATH_MAX + 8];
    snprintf(git, sizeof git, "%s/.git", path);
    return (home && strcmp(path, home) == 0) || exists(git);
}

/* Does some folder from here up end the search? */
static bool has_top(const char *start, const char *home)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s", start);
    while (path[0] && path[1]) {
        if (is_top(path, home))
            return true;
        *strrchr(path, '/') = '\0';
    }
    return false;
}

/* As git does: what somebody else owns does not speak for a project, unless that is root, or
 * whoever became root. A file of theirs can be named by --overlay. */
static bool is_trusted(const char *path)
{
    struct stat st;
    const char *sudo = geteuid() == 0 ? getenv("SUDO_UID") : NULL;
    if (lstat(path, &st) != 0)
        return false;
    if (st.st_uid == geteuid() || st.st_uid == 0)
        return true;
    return sudo && *sudo && strtoul(sudo, NULL, 10) == (unsigned long)st.st_uid;
}

static const char *project_file(struct config *c)
{
    char path[PATH_MAX], name[PATH_MAX + 16], real_home[PATH_MAX];
    const char *home = home_folder();
    if (home)
        home = realpath(home, real_home);
    if (!getcwd(path, sizeof path) || path[0] != '/')
        return NULL;
    bool upwards = has_top(path, home);
    for (;;) {
        snprintf(name, sizeof name, "%s/cando.toml", path[1] ? path : "");
        if (is_file(name) && is_trusted(name))
            return str_dup(c->ar, str_of(name)).p;
        if (is_file(name))
            c->passed = str_dup(c->ar, str_of(name)).p;
        if (!upwards || !path[0] || !path[1] || is_top(path, home))
            return NULL;
        *strrchr(path, '/') = '\0';
    }
}

cando_status config_find(struct config *c, cando_error *err)
{
    cando_status st = CANDO_OK;
    c->has_catalog = c->catalog && is_file(c->catalog);
    if (c->rules && exists(c->rules))
        st = config_add(c, c->rules, CANDO_LAYER_USER, false, err);
    const char *project = st == CANDO_OK ? project_file(c) : NULL;
    if (project)
        st = config_add(c, project, CANDO_LAYER_PROJECT, false, err);
    return st;
}
