#define _POSIX_C_SOURCE 200809L
#include "engine.h"

#include "base/file.h"
#include "base/instant.h"
#include "trail.h"

#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

/* -- source sets -- */

cando_status sources_add_tree(cando_sources *s, const char *path, cando_syntax syntax,
                              cando_error *err)
{
    struct arena ar;
    arena_init(&ar, NULL);
    struct config c = {.ar = &ar, .bare = true};
    cando_status st = config_add(&c, path, CANDO_LAYER_FAMILY, true, err);
    for (size_t i = 0; st == CANDO_OK && i < c.n; i++)
        st = cando_sources_add_path(s, c.file[i].path, syntax, c.file[i].layer, err);
    arena_free(&ar);
    return st;
}

cando_sources *sources_new(cando_error *err)
{
    const uint32_t all_layers = (1u << CANDO_LAYER_COUNT) - 1;
    cando_sources *s = cando_sources_new(NULL, err);
    if (s && cando_sources_add_catalog(s, cando_catalog_builtin(), all_layers, err) == CANDO_OK)
        return s;
    cando_sources_free(s);
    return NULL;
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

/* -- the engine -- */

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

static cando_status add_all(struct config *out, const char **path, size_t n, cando_layer layer,
                            cando_error *err)
{
    cando_status st = CANDO_OK;
    for (size_t i = 0; st == CANDO_OK && i < n; i++)
        st = config_add(out, path[i], layer, true, err);
    return st;
}

cando_status engine_config(struct call *c, struct config *out)
{
    cando_status st = config_init(out, &c->ar, &c->err);
    out->bare = c->n_rules || c->no_builtin;
    out->requests = c->verb->requests;
    if (st == CANDO_OK && !c->plain && !out->bare)
        st = config_find(out, &c->err);
    out_to(stderr,
           MAYBE("cando: note: %s is somebody else's, and is left out; --overlay takes it\n"),
           out->passed);
    if (st == CANDO_OK)
        st = add_all(out, c->rules, c->n_rules, CANDO_LAYER_FAMILY, &c->err);
    if (st == CANDO_OK)
        st = add_all(out, c->overlay, c->n_overlay, CANDO_LAYER_PROJECT, &c->err);
    return st;
}

/* A trail of the environment that is not there yet, or cannot be read now, does not
 * stop an answer; one that was asked for does. */
static cando_status add_observed(struct call *c, struct config *out)
{
    const char *path = c->observed ? c->observed : c->plain ? NULL : trail_path(NULL);
    if (!path || (!c->observed && access(path, F_OK) != 0))
        return CANDO_OK;
    cando_status st = trail_add(path, out, &c->err);
    if (st == CANDO_OK || c->observed)
        return st;
    fail(&c->err);
    return CANDO_OK;
}

/* Was it said today already? A stamp in the cache folder has the day; where that cannot be
 * written it is said each time. */
static bool told_today(const struct config *config, const char *today)
{
    enum { STAMP_MOST = 64 }; /* bytes of a file that has a day in it */
    char path[PATH_MAX], *text;
    size_t len;
    if (!config->cache)
        return false;
    int n = snprintf(path, sizeof path, "%s/age-told", config->cache);
    if (n < 0 || (size_t)n >= sizeof path)
        return false;
    if (file_read(path, STAMP_MOST, NULL, &text, &len, NULL) == CANDO_OK) {
        bool told = str_is(str_make(text, len), today);
        mem_free(NULL, text, len + 1);
        if (told)
            return true;
    }
    if (catalog_folder(config->cache))
        (void)file_replace(path, today, strlen(today), NULL, NULL);
    return false;
}

/* On a terminal: how old the newest of the catalog's facts are, if that is old; once a day. */
static void mention_age(const cando_catalog *catalog, const struct config *config)
{
    enum { SOURCES = 32, OLD_DAYS = 60 };
    cando_catalog_source s[SOURCES];
    char today[16];
    int32_t newest = 0, day, now;
    size_t n = isatty(STDERR_FILENO) ? cando_catalog_sources(catalog, s, SOURCES) : 0;
    for (size_t i = 0; i < n; i++)
        if (*s[i].url && day_parse(str_of(s[i].checked), &day) && day > newest)
            newest = day;
    if (!newest || !day_parse(str_of(day_dashed(day_today(), today)), &now))
        return;
    if (now - newest <= OLD_DAYS || told_today(config, today))
        return;
    out_to(stderr, DIM "the catalog is of %s, %u days old: cando update makes it anew" END "\n",
           day_text(newest, today).p, (unsigned)(now - newest));
}

const cando_catalog *engine_catalog(struct call *c, struct config *config)
{
    if (add_observed(c, config) != CANDO_OK)
        return NULL;
    return catalog_in_force(config, NULL, NULL, &c->err);
}

int engine_open(struct call *c)
{
    struct config config;
    const cando_catalog *catalog = NULL;
    if (engine_config(c, &config) == CANDO_OK)
        catalog = engine_catalog(c, &config);
    if (catalog)
        c->engine = cando_new(catalog, NULL, &c->err);
    if (c->engine && !config.bare && c->verb->opens == OPENS_CATALOG)
        mention_age(catalog, &config);
    cando_catalog_release(catalog);
    if (!c->engine && c->err.code[0])
        fail(&c->err);
    return c->engine ? EXIT_YES : (int)c->err.status;
}

int engine_today(void)
{
    cando_error err;
    const char *day = getenv("CANDO_TODAY");
    if (!day || !*day)
        return EXIT_YES;
    day_set_today(day_number(str_of(day))); /* the program's own; the library has another */
    if (cando_set_today(day, &err) == CANDO_OK)
        return EXIT_YES;
    return fail_with(CANDO_BAD_QUESTION, CODE_bad_date, "write it as 2026-11-15, or leave it out",
                     "CANDO_TODAY is '%.40s', which is no day", day);
}

/* -- answers -- */

int call_json(struct call *c, const char *op, const void *answer)
{
    cando_bytes text;
    if (cando_encode(op, answer, c->room, &text, &c->err) != CANDO_OK)
        return fail(&c->err);
    for (struct str rest = STR_IN(text), part; rest.n;) {
        part = str_head(rest, str_find_char(rest, '\n')); /* of a request as it was written */
        fwrite(part.p, 1, part.n, stdout);
        rest = str_from(rest, part.n + 1);
        fputs(rest.n ? " " : "", stdout);
    }
    fputc('\n', stdout);
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
