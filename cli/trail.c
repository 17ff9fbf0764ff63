#define _POSIX_C_SOURCE 200809L
#include "trail.h"

#include "base/instant.h"
#include "engine.h"
#include "when.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { DAY_MS = 86400000 };

const char *trail_path(const char *given)
{
    const char *path = given ? given : getenv("CANDO_STORE");
    return path && *path ? path : NULL;
}

cando_store *trail_open(const char *path, bool create, uint64_t wait, int *code)
{
    cando_error err;
    if (!path) {
        *code = fail_with(CANDO_BAD_QUESTION, CODE_missing_argument,
                          "give --store FILE, or set CANDO_STORE", "which audit trail?");
        return NULL;
    }
    *code = EXIT_INPUT;
    if (!create && access(path, F_OK) != 0) {
        fail_with(CANDO_BAD_INPUT, CODE_io,
                  "the first record begins it: cando switch MODEL --need NAME --json | cando audit "
                  "add, cando learn --store, cando serve --store",
                  "there is no audit trail %s yet", path);
        return NULL;
    }
    /* few attempts, since each may wait */
    const cando_store_options options = {
        .create = create,
        .busy_ms = (unsigned)(wait && wait < 3600 ? wait : TRAIL_WAIT) * 1000,
        .batch = 4096,
    };
    cando_store *s = cando_store_open(path, &options, NULL, &err);
    if (!s)
        fail(&err);
    return s;
}

uint64_t trail_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint64_t asked_now(void)
{
    char text[16];
    int32_t day;
    uint64_t now = trail_now();
    if (!day_parse(str_of(day_dashed(day_today(), text)), &day))
        return now;
    return (uint64_t)day * DAY_MS + now % DAY_MS;
}

uint64_t latest_now(void)
{
    uint64_t asked = asked_now(), now = trail_now();
    return asked > now ? asked : now;
}

bool take_time(struct call *c, const struct option_row *o, const char *value)
{
    uint64_t *out = option_member(c, o), now = trail_now();
    struct instant t;
    struct str s = str_of(value);
    int32_t day, today;
    char text[16];
    if (when_moved(value, true, &day) && day_parse(str_of(day_dashed(day_today(), text)), &today)) {
        uint64_t ago = (uint64_t)(today - day) * DAY_MS; /* from the clock's day, as records are */
        *out = ago < now ? now - ago : 1;
        return true;
    }
    if (instant_parse(s, &t) && instant_to_ms(&t, out) && *out)
        return true;
    return option_refuse(
        o, value, "a time such as 2026-11-15 or 2026-11-15T16:30:05Z, or so long ago: " WHEN_SPANS);
}

/* -- observations -- */

struct gather {
    cando_observations *o;
    cando_room *room;
};

cando_event trail_event(const cando_learnt *o, uint64_t time)
{
    return (cando_event){.kind = CANDO_EVENT_OBSERVATION,
                         .time = time,
                         .change = o->by,
                         .target = o->target,
                         .field = o->field,
                         .value = o->value,
                         .evidence = o->evidence,
                         .expires = o->expires_ms};
}

cando_status trail_observe(cando_observations *to, const cando_event *e, cando_error *err)
{
    const cando_observation o = {.target = e->target,
                                 .field = e->field,
                                 .value = e->value,
                                 .evidence = e->evidence,
                                 .by = e->change,
                                 .seen = e->time,
                                 .expires = e->expires};
    return cando_observations_add(to, &o, err);
}

static bool gather_record(void *user, const cando_store_record *r)
{
    struct gather *g = user;
    cando_event e;
    cando_error err;
    cando_room_clear(g->room);
    cando_status st = cando_event_decode(r->text.p, r->text.n, g->room, &e, &err);
    if (st == CANDO_OK)
        st = trail_observe(g->o, &e, &err);
    if (st != CANDO_OK)
        fail(&err);
    return true;
}

cando_observations *trail_observed(cando_store *s, int *code)
{
    cando_error err;
    struct gather g = {.o = NULL};
    if (!s)
        return NULL;
    g.room = cando_room_new(NULL, &err);
    g.o = g.room ? cando_observations_new(NULL, &err) : NULL;
    *code = EXIT_YES;
    if (!g.o || s->ops->query(s, &(cando_store_query){.kind = "observation", .checked = true},
                              gather_record, &g, &err) != CANDO_OK) {
        fail(&err);
        cando_observations_free(g.o);
        g.o = NULL;
        *code = EXIT_INPUT;
    }
    cando_room_free(g.room);
    s->ops->close(s);
    return g.o;
}

cando_observations *trail_observations(const char *path, int *code)
{
    return trail_observed(trail_open(path, false, 0, code), code);
}

cando_status trail_add(const char *path, struct config *out, cando_error *err)
{
    const char *text;
    size_t len;
    int code;
    cando_status st = CANDO_OK;
    cando_observations *o = trail_observations(path, &code);
    if (!o)
        return error_set(err, CANDO_BAD_INPUT, CODE_audit_store, "what %s has observed is left out",
                         path);
    cando_observations_expire(o, asked_now());
    if (cando_observations_count(o))
        st = cando_observations_rules(o, asked_now(), &text, &len, err);
    if (cando_observations_count(o) && st == CANDO_OK) {
        struct str own = str_dup(out->ar, str_make(text, len));
        if (own.p && ARENA_GROW(out->ar, out->file, out->n, out->cap))
            out->file[out->n++] =
                (struct config_file){.path = path, .layer = CANDO_LAYER_OBSERVED, .text = own};
        else
            st = error_memory(err);
    }
    cando_observations_free(o);
    return st;
}
