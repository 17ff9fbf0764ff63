#define _POSIX_C_SOURCE 200809L
#include "engine.h"

#include "base/file.h"
#include "base/limits.h"
#include "catalog.h"
#include "trail.h"

#include <unistd.h>

/* -- source sets ---------------------------------------------------------------- */

static const char *const layer_names[CANDO_LAYER_COUNT] = {
    "defaults", "family", "facts", "curated", "user", "project", "observed",
};

bool layer_find(struct str name, cando_layer *out)
{
    for (unsigned i = 0; i < CANDO_LAYER_COUNT; i++)
        if (str_is(name, layer_names[i])) {
            *out = (cando_layer)i;
            return true;
        }
    return false;
}

bool syntax_find(const char *name, cando_syntax *out)
{
    static const char *const names[] = {"auto", "cando", "nika", "harn"};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) {
            *out = (cando_syntax)i;
            return true;
        }
    return false;
}

/* The layer that the first part of a path below `root` names, or `otherwise`. */
static cando_layer layer_of(struct str file, size_t root_len, cando_layer otherwise)
{
    struct str below = str_from(file, root_len);
    while (below.n && below.p[0] == '/')
        below = str_from(below, 1);
    struct str part = str_head(below, str_find_char(below, '/'));
    if (str_ends(part, STR(".toml")))
        part.n -= sizeof ".toml" - 1;
    cando_layer layer = otherwise;
    layer_find(part, &layer);
    return layer;
}

cando_status sources_add_tree(cando_sources *s, const char *path, cando_syntax syntax, cando_layer layer,
                              cando_error *err)
{
    struct arena ar;
    struct str *file = NULL;
    size_t n = 0, root_len = strlen(path);
    while (root_len > 1 && path[root_len - 1] == '/')
        root_len--;
    arena_init(&ar, NULL);
    struct str root = str_dup(&ar, str_make(path, root_len));
    cando_status st = root.p ? file_list(root.p, ".toml", &ar, &file, &n, err) : error_memory(err);
    if (st == CANDO_OK && n == 0)
        st = error_set(err, CANDO_BAD_INPUT, CODE_no_sources, "no .toml file below %s", path);
    for (size_t i = 0; st == CANDO_OK && i < n; i++) {
        bool itself = file[i].n == root_len;
        st = cando_sources_add_path(s, file[i].p, syntax, itself ? layer : layer_of(file[i], root_len, layer), err);
    }
    arena_free(&ar);
    return st;
}

size_t sources_report(const cando_sources *s, cando_severity least)
{
    size_t shown = 0;
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding x = cando_sources_finding(s, i);
        if (x.severity < least)
            continue;
        out_finding(stderr, &x);
        shown++;
    }
    return shown;
}

/* -- the engine -------------------------------------------------------------------- */

void engine_init(struct engine *e)
{
    *e = (struct engine){0};
}

static bool add_file(const char **list, size_t *n, const char *path)
{
    if (*n == ENGINE_FILES) {
        cando_error err;
        error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "more than %d files for one option", ENGINE_FILES);
        error_hint(&err, "name their folder instead");
        out_error(&err);
        return false;
    }
    list[(*n)++] = path;
    return true;
}

bool engine_option(struct engine *e, int id, const char *value)
{
    switch (id) {
    case OPTION_RULES:
        return add_file(e->rules, &e->n_rules, value);
    case OPTION_OVERLAY:
        return add_file(e->overlay, &e->n_overlays, value);
    case OPTION_NO_BUILTIN:
        e->no_builtin = true;
        return true;
    case OPTION_NO_CONFIG:
        e->plain = true;
        return true;
    case OPTION_OBSERVED_TRAIL:
        e->observed = value;
        return true;
    default:
        return false;
    }
}

static cando_status add_all(cando_sources *s, const char *const *path, size_t n, cando_layer layer, cando_error *err)
{
    cando_status st = CANDO_OK;
    for (size_t i = 0; st == CANDO_OK && i < n; i++)
        st = sources_add_tree(s, path[i], CANDO_SYNTAX_AUTO, layer, err);
    return st;
}

/* Compiles the files to a catalog of their own. Refused with its findings if a
 * file cannot be read to its end (the error then has no code: all is said);
 * what lint would say is no matter here. */
static cando_status compile(struct engine *e, const cando_catalog **out, cando_error *err)
{
    cando_sources *s = cando_sources_new(NULL, err);
    if (!s)
        return err->status;
    const void *data;
    size_t size;
    cando_status st = add_all(s, e->rules, e->n_rules, CANDO_LAYER_FAMILY, err);
    if (st == CANDO_OK)
        st = add_all(s, e->overlay, e->n_overlays, CANDO_LAYER_PROJECT, err);
    if (st == CANDO_OK && (st = cando_sources_build(s, &data, &size, err)) == CANDO_BAD_INPUT &&
        sources_report(s, CANDO_ERROR))
        err->code[0] = '\0';
    if (st == CANDO_OK) {
        *out = cando_catalog_open_copy(data, size, NULL, err);
        st = *out ? CANDO_OK : err->status;
    }
    cando_sources_free(s);
    return st;
}

/* The files in force and those of --overlay over the catalog. */
static cando_status open_in_force(struct engine *e, const cando_catalog **out, cando_error *err)
{
    struct config c;
    cando_status st = config_init(&c) ? CANDO_OK : error_memory(err);
    if (st == CANDO_OK && !e->plain)
        st = config_find(&c, err);
    for (size_t i = 0; st == CANDO_OK && i < e->n_overlays; i++)
        st = config_add(&c, e->overlay[i], CANDO_LAYER_PROJECT, true, err);
    if (st == CANDO_OK) {
        *out = catalog_in_force(&c, NULL, NULL, err);
        st = *out ? CANDO_OK : err->status;
    }
    config_free(&c);
    return st;
}

/* A trail of the environment that is not there yet, or cannot be read now, does not
 * stop an answer; one that was asked for does. */
static cando_status open_observed(const struct engine *e, const cando_catalog **out, cando_error *err)
{
    const char *path = e->observed ? e->observed : e->plain ? NULL : trail_path(NULL);
    if (!path || (!e->observed && access(path, F_OK) != 0))
        return CANDO_OK;
    cando_status st = trail_put_on_top(path, out, err);
    if (st == CANDO_OK || e->observed)
        return st;
    out_error(err);
    return CANDO_OK;
}

int engine_open(struct engine *e)
{
    const cando_catalog *catalog = NULL;
    cando_error err;
    cando_status st = CANDO_OK;
    if (e->n_rules || e->no_builtin)
        st = compile(e, &catalog, &err);
    else if (!e->plain || e->n_overlays)
        st = open_in_force(e, &catalog, &err);
    if (st == CANDO_OK)
        st = open_observed(e, &catalog, &err);
    if (st == CANDO_OK) {
        e->c = cando_new(catalog, NULL, &err);
        st = e->c ? CANDO_OK : err.status;
    }
    if (st == CANDO_OK) {
        e->room = cando_room_new(NULL, &err);
        st = e->room ? CANDO_OK : err.status;
    }
    if (catalog)
        cando_catalog_release(catalog);
    if (st != CANDO_OK && err.code[0])
        out_error(&err);
    return (int)st;
}

void engine_close(struct engine *e)
{
    cando_room_free(e->room);
    if (e->c)
        cando_free(e->c);
}

int engine_failed(const cando_error *err)
{
    out_error(err);
    return (int)err->status;
}

int engine_json(const struct engine *e, const char *op, const void *answer)
{
    cando_error err;
    cando_bytes text;
    if (cando_encode(op, answer, e->room, &text, &err) != CANDO_OK)
        return engine_failed(&err);
    out_line(str_make(text.p, text.n));
    return EXIT_YES;
}
