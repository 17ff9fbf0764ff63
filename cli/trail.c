#define _POSIX_C_SOURCE 200809L
#include "trail.h"

#include "base/instant.h"
#include "base/limits.h"
#include "out.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

const char *trail_path(const char *given)
{
    const char *path = given ? given : getenv("CANDO_STORE");
    return path && *path ? path : NULL;
}

struct store *trail_open(const char *path, bool create, int *code)
{
    cando_error err;
    struct store *s = NULL;
    *code = EXIT_QUESTION;
    if (!path) {
        error_set(&err, CANDO_BAD_QUESTION, CODE_missing_argument, "which audit trail?");
        error_hint(&err, "give --store FILE, or set CANDO_STORE");
    } else if (!create && access(path, F_OK) != 0) {
        *code = EXIT_INPUT;
        error_set(&err, CANDO_BAD_INPUT, CODE_io, "there is no audit trail %s", path);
    } else {
        *code = EXIT_INPUT;
        s = sqlite_store_open(path, &(struct sqlite_options){.create = create, .busy_ms = 2000},
                              NULL, &err);
    }
    if (!s)
        out_error(&err);
    return s;
}

uint64_t trail_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

bool trail_time(const char *text, const char *option, uint64_t *out)
{
    struct instant t;
    struct str s = str_of(text);
    if (s.n > 1 && s.n < 7 && s.p[s.n - 1] == 'd' && char_is_digit(s.p[0])) {
        char *end;
        unsigned long days = strtoul(text, &end, 10);
        uint64_t now = trail_now();
        if (end == text + s.n - 1 && days < now / 86400000) {
            *out = now - days * 86400000;
            return true;
        }
    }
    if (instant_parse(s, &t) && instant_to_ms(&t, out) && *out)
        return true;
    cando_error err;
    error_set(&err, CANDO_BAD_QUESTION, CODE_bad_option, "--%s does not take '%s'", option, text);
    error_hint(&err,
               "a time such as 2026-11-15 or 2026-11-15T16:30:05Z, or 30d for thirty days ago");
    out_error(&err);
    return false;
}

/* -- observations ---------------------------------------------------------------------- */

struct gather {
    cando_observations *o;
    cando_room *room;
};

static bool gather_record(void *user, const struct store_record *r)
{
    struct gather *g = user;
    cando_event e;
    cando_error err;
    cando_room_clear(g->room);
    cando_status st = cando_event_decode(r->text.p, r->text.n, g->room, &e, &err);
    if (st == CANDO_OK) {
        cando_observation o = {.target = e.target,
                               .field = e.field,
                               .value = e.value,
                               .evidence = e.evidence,
                               .by = e.change,
                               .seen = e.time,
                               .expires = e.expires};
        st = cando_observations_add(g->o, &o, &err);
    }
    if (st != CANDO_OK)
        out_error(&err);
    return true;
}

cando_observations *trail_observations(const char *path, int *code)
{
    cando_error err;
    struct gather g = {.o = NULL};
    struct store *s = trail_open(path, false, code);
    if (!s)
        return NULL;
    g.room = cando_room_new(NULL, &err);
    g.o = g.room ? cando_observations_new(NULL, &err) : NULL;
    *code = EXIT_YES;
    if (!g.o || s->ops->query(s, &(struct store_query){.kind = "observation"}, gather_record, &g,
                              &err) != CANDO_OK) {
        out_error(&err);
        cando_observations_free(g.o);
        g.o = NULL;
        *code = EXIT_INPUT;
    }
    cando_room_free(g.room);
    s->ops->close(s);
    return g.o;
}

static cando_status build_with(const char *name, const char *text, size_t len,
                               const cando_catalog **catalog, cando_error *err)
{
    const void *data;
    size_t size;
    cando_sources *s = cando_sources_new(NULL, err);
    if (!s)
        return err->status;
    cando_status st =
        cando_sources_add_catalog(s, *catalog ? *catalog : cando_catalog_builtin(), 0, err);
    if (st == CANDO_OK)
        st = cando_sources_add(s, name, text, len, CANDO_SYNTAX_CANDO, CANDO_LAYER_OBSERVED, err);
    if (st == CANDO_OK)
        st = cando_sources_build(s, &data, &size, err);
    const cando_catalog *made =
        st == CANDO_OK ? cando_catalog_open_copy(data, size, NULL, err) : NULL;
    if (st == CANDO_OK && !made)
        st = err->status;
    cando_sources_free(s);
    if (!made)
        return st;
    if (*catalog)
        cando_catalog_release(*catalog);
    *catalog = made;
    return CANDO_OK;
}

cando_status trail_put_on_top(const char *path, const cando_catalog **catalog, cando_error *err)
{
    const char *text;
    size_t len;
    int code;
    cando_status st = CANDO_OK;
    cando_observations *o = trail_observations(path, &code);
    if (!o)
        return error_set(err, CANDO_BAD_INPUT, CODE_audit_store, "what %s has observed is left out",
                         path);
    cando_observations_expire(o, trail_now());
    if (cando_observations_count(o)) {
        st = cando_observations_rules(o, trail_now(), &text, &len, err);
        if (st == CANDO_OK)
            st = build_with(path, text, len, catalog, err);
    }
    cando_observations_free(o);
    return st;
}
