#define _POSIX_C_SOURCE 200809L
#include "engine.h"

#include "base/file.h"
#include "catalog.h"
#include "trail.h"

#include <unistd.h>

/* -- source sets ---------------------------------------------------------------- */

bool layer_find(struct str name, cando_layer *out)
{
    struct str word;
    unsigned n = 0;
    for (const char *words = LAYER_WORDS; words_next(&words, &word); n++)
        if (str_eq(word, name)) {
            *out = (cando_layer)n;
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

cando_status sources_add_tree(cando_sources *s, const char *path, cando_syntax syntax,
                              cando_layer layer, cando_error *err)
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
        st = cando_sources_add_path(s, file[i].p, syntax,
                                    itself ? layer : layer_of(file[i], root_len, layer), err);
    }
    arena_free(&ar);
    return st;
}

size_t sources_report(FILE *f, const cando_sources *s, cando_severity least)
{
    size_t shown = 0;
    for (size_t i = 0; i < cando_sources_findings(s); i++) {
        cando_finding x = cando_sources_finding(s, i);
        if (x.severity < least)
            continue;
        out_finding(f, &x);
        shown++;
    }
    return shown;
}

const cando_catalog *sources_open(cando_sources *s, cando_error *err)
{
    const void *data;
    size_t size;
    if (cando_sources_build(s, &data, &size, err) != CANDO_OK)
        return NULL;
    return cando_catalog_open_copy(data, size, NULL, err);
}

/* -- the engine -------------------------------------------------------------------- */

#define ENGINE(name, m, type, arg, help, take)                                                     \
    ROW_(name, arg, help, take), .at = AT_(call, m, type), .of_call = true

const struct option_row engine_options[] = {
    {ENGINE("rules", rules, const char **, "FILE",
            "use these rules instead of the built-in catalog; may be repeated", take_texts),
     .n_at = AT_(call, n_rules, size_t)},
    {ENGINE("overlay", overlay, const char **, "FILE",
            "put these rules on top, as a project's own; may be repeated", take_texts),
     .n_at = AT_(call, n_overlay, size_t)},
    {ENGINE("no-builtin", no_builtin, bool, NULL, "leave the built-in catalog out", take_flag)},
    {ENGINE("observed", observed, const char *, "TRAIL",
            "put what an audit trail has observed on top (else $CANDO_STORE)", take_text)},
    {ENGINE("no-config", plain, unsigned, NULL,
            "leave the user's and the project's files out: see cando where", take_value),
     .value = true},
    {0},
};

static cando_status add_all(cando_sources *s, const char **path, size_t n, cando_layer layer,
                            cando_error *err)
{
    cando_status st = CANDO_OK;
    for (size_t i = 0; st == CANDO_OK && i < n; i++)
        st = sources_add_tree(s, path[i], CANDO_SYNTAX_AUTO, layer, err);
    return st;
}

/* Compiles the files to a catalog of their own. Refused with its findings if a
 * file cannot be read to its end (the error then has no code: all is said);
 * what lint would say is no matter here. */
static const cando_catalog *compile(struct call *c)
{
    cando_sources *s = cando_sources_new(NULL, &c->err);
    const cando_catalog *catalog = NULL;
    if (!s)
        return NULL;
    cando_status st = add_all(s, c->rules, c->n_rules, CANDO_LAYER_FAMILY, &c->err);
    if (st == CANDO_OK)
        st = add_all(s, c->overlay, c->n_overlay, CANDO_LAYER_PROJECT, &c->err);
    if (st == CANDO_OK)
        catalog = sources_open(s, &c->err);
    if (st == CANDO_OK && !catalog && c->err.status == CANDO_BAD_INPUT &&
        sources_report(stderr, s, CANDO_ERROR))
        c->err.code[0] = '\0';
    cando_sources_free(s);
    return catalog;
}

cando_status engine_config(const struct call *c, struct config *out, cando_error *err)
{
    cando_status st = config_init(out) ? CANDO_OK : error_memory(err);
    if (st == CANDO_OK && !c->plain)
        st = config_find(out, err);
    for (size_t i = 0; st == CANDO_OK && i < c->n_overlay; i++)
        st = config_add(out, c->overlay[i], CANDO_LAYER_PROJECT, true, err);
    return st;
}

static const cando_catalog *open_in_force(struct call *c)
{
    struct config config;
    const cando_catalog *catalog = NULL;
    if (engine_config(c, &config, &c->err) == CANDO_OK)
        catalog = catalog_in_force(&config, NULL, NULL, &c->err);
    config_free(&config);
    return catalog;
}

/* A trail of the environment that is not there yet, or cannot be read now, does not
 * stop an answer; one that was asked for does. */
static cando_status open_observed(struct call *c, const cando_catalog **catalog)
{
    const char *path = c->observed ? c->observed : c->plain ? NULL : trail_path(NULL);
    if (!path || (!c->observed && access(path, F_OK) != 0))
        return CANDO_OK;
    cando_status st = trail_put_on_top(path, catalog, &c->err);
    if (st == CANDO_OK || c->observed)
        return st;
    fail(&c->err);
    return CANDO_OK;
}

int engine_open(struct call *c)
{
    bool own = c->n_rules || c->no_builtin, builtin = !own && c->plain && !c->n_overlay;
    const cando_catalog *catalog = own ? compile(c) : builtin ? NULL : open_in_force(c);
    if ((catalog || builtin) && open_observed(c, &catalog) == CANDO_OK)
        c->engine = cando_new(catalog, NULL, &c->err);
    if (catalog)
        cando_catalog_release(catalog);
    if (!c->engine && c->err.code[0])
        fail(&c->err);
    return c->engine ? EXIT_YES : (int)c->err.status;
}

/* -- answers -------------------------------------------------------------------------- */

int call_json(struct call *c, const char *op, const void *answer)
{
    cando_bytes text;
    if (cando_encode(op, answer, c->room, &text, &c->err) != CANDO_OK)
        return fail(&c->err);
    out_line(str_make(text.p, text.n));
    return EXIT_YES;
}

bool call_page(struct call *c, const char *op, const void *answer)
{
    c->code = !answer ? fail(&c->err) : c->json ? call_json(c, op, answer) : EXIT_YES;
    return answer && !c->json;
}

int call_end(const struct call *c, bool yes)
{
    return c->code == EXIT_YES && !yes ? EXIT_NO : c->code;
}
