/*
 * ask_learn.c - learn: what an error reply or a probe tells, as observations and as a rule.
 *
 * No clock is read here: `now` comes from the caller, and without it the rule has no
 * date and nothing expires.
 */
#include "base/instant.h"
#include "base/limits.h"
#include "catalog/engine.h"
#include "insert.h"
#include "learn.h"
#include "text/reading.h"

#define DAY_MS UINT64_C(86400000)

struct job {
    const cando_learn_question *q;
    struct reading r;
    cando_observations *o;
    const char *target;
    struct str model;
    uint64_t now, expires;
    cando_learn_answer *a;
};

static bool read_times(struct job *j)
{
    struct instant t;
    const cando_learn_question *q = j->q;
    if (q->now && (!instant_parse(str_of(q->now), &t) || !instant_to_ms(&t, &j->now)))
        return reading_fail(&j->r, CODE_bad_argument, STR("/now"),
                            "'now' is not a time such as 2026-11-15T16:30:05Z");
    if (!q->days.known)
        return true;
    if (q->days.value == 0 || q->days.value > 36500)
        return reading_fail(&j->r, CODE_bad_argument, STR("/days"),
                            "'days' is a whole number from 1 to 36500");
    if (!q->now)
        return reading_fail(&j->r, CODE_missing_argument, STR("/now"),
                            "'days' counts from 'now', which is missing");
    j->expires = j->now + q->days.value * DAY_MS;
    return true;
}

static bool read_target(struct job *j)
{
    struct str provider;
    if (!name_split(*j->q->target, &provider, &j->model, STR("/target"), &j->r.error))
        return false;
    struct str whole = str_printf(j->r.ar, "%.*s/%.*s", STR_ARG(provider), STR_ARG(j->model));
    j->target = whole.p;
    return whole.p || reading_memory(&j->r);
}

static bool observe(struct job *j, const char *field, const char *value, const char *evidence,
                    const char *by, struct str at)
{
    cando_observation x = {.target = j->target,
                           .field = field,
                           .value = value,
                           .evidence = evidence ? evidence : "",
                           .by = by,
                           .seen = j->now,
                           .expires = j->expires};
    cando_error err = {0};
    if (cando_observations_add(j->o, &x, &err) == CANDO_OK)
        return true;
    return reading_error(&j->r, at, &err);
}

/* A reply that is one JSON string is the text in it. */
static bool error_text(struct job *j, struct str *out)
{
    *out = STR_IN(j->q->error);
    if (out->n && out->p[0] == '"') {
        const struct json *v = reading_json(&j->r, j->q->error, STR("/error"));
        if (!v)
            return false;
        *out = v->text;
    }
    if (out->n <= LIMIT_REPLY_BYTES)
        return true;
    return reading_fail(&j->r, CODE_too_long, STR("/error"), "an error reply has at most %u bytes",
                        LIMIT_REPLY_BYTES);
}

static bool read_error(struct job *j)
{
    struct str text;
    if (!j->q->error.p)
        return true;
    if (!error_text(j, &text))
        return false;
    struct learning *found = arena_alloc(j->r.ar, sizeof *found);
    if (!found)
        return reading_memory(&j->r);
    found->ar = j->r.ar;
    found->model = j->model;
    if (!learn_from(found, text))
        return reading_memory(&j->r);
    if (found->n == 0)
        j->a->why_not = found->why_not.n ? reading_copy(&j->r, found->why_not)
                                         : "nothing in it is known as a refusal";
    for (size_t i = 0; i < found->n; i++) {
        const char *value = reading_copy(&j->r, found->item[i].value);
        const char *evidence = reading_copy(&j->r, found->item[i].evidence);
        if (!value || !evidence)
            return false;
        if (!observe(j, vocab_row(found->item[i].field)->name, value, evidence, "error-reply",
                     STR("/target")))
            return false;
    }
    return true;
}

static bool read_probes(struct job *j)
{
    const cando_learn_question *q = j->q;
    for (size_t i = 0; i < q->n_probe; i++) {
        struct str at = reading_at_index(&j->r, STR("/probe"), i);
        const cando_probe *p = &q->probe[i];
        if (!p->field || !p->value)
            return reading_fail(&j->r, CODE_missing_argument, at,
                                "a probe has a 'field' and a 'value'");
        if (!observe(j, p->field, p->value, p->evidence, "probe", at))
            return false;
    }
    return true;
}

static const char *time_text(struct job *j, uint64_t ms)
{
    char text[INSTANT_TEXT];
    return ms ? reading_copy(&j->r, instant_text(ms, text)) : NULL;
}

static const char *some(struct job *j, const char *text)
{
    return *text ? reading_copy(&j->r, str_of(text)) : NULL;
}

static bool take_observations(struct job *j)
{
    size_t n = cando_observations_count(j->o);
    cando_learnt *list = arena_array(j->r.ar, n, sizeof *list);
    if (!list)
        return reading_memory(&j->r);
    for (size_t i = 0; i < n; i++) {
        cando_observation x = cando_observations_get(j->o, i);
        list[i] = (cando_learnt){some(j, x.target),       some(j, x.field), some(j, x.value),
                                 some(j, x.evidence),     some(j, x.by),    time_text(j, x.seen),
                                 time_text(j, x.expires), x.expires};
    }
    j->a->observations = list;
    j->a->n_observations = n;
    return !reading_no_memory(&j->r);
}

/* The rules alone, without the line that begins a file. */
static bool take_rule(struct job *j)
{
    const char *text;
    size_t len, head = sizeof OBSERVE_SCHEMA; /* and the empty line behind it */
    cando_error err = {0};
    if (!j->a->n_observations)
        return true;
    if (cando_observations_rules(j->o, j->now, &text, &len, &err) != CANDO_OK)
        return reading_error(&j->r, STR(""), &err);
    j->a->rule = reading_copy(&j->r, str_make(text + head, len - head));
    return j->a->rule != NULL;
}

static bool take_file(struct job *j)
{
    struct buf out;
    struct insert_result result;
    cando_error err = {0};
    if (!j->q->into.p)
        return true;
    buf_init(&out, j->r.ar->a, LIMIT_TOML_BYTES);
    struct str file = STR_IN(j->q->into);
    bool ok = insert_rules(&out, file, j->o, j->now, &result, &err) == CANDO_OK ||
              reading_error(&j->r, STR("/into"), &err);
    if (ok) {
        j->a->added = (cando_number){result.added, true};
        j->a->present = (cando_number){result.present, true};
        j->a->text.p = reading_copy(&j->r, str_make(out.p ? out.p : "", out.n));
        j->a->text.n = out.n;
        ok = j->a->text.p != NULL;
    }
    buf_free(&out);
    return ok;
}

static bool answer(struct job *j)
{
    if (!j->q->target)
        return reading_fail(&j->r, CODE_missing_argument, STR("/target"), "'learn' needs a target");
    if (!read_target(j) || !read_times(j))
        return false;
    if (!j->q->error.p && !j->q->n_probe)
        return reading_fail(&j->r, CODE_missing_argument, STR("/error"),
                            "'learn' takes an 'error', a 'probe', or both");
    return read_error(j) && read_probes(j) && take_observations(j) && take_rule(j) && take_file(j);
}

const cando_learn_answer *cando_ask_learn(const cando *c, const cando_learn_question *q,
                                          cando_room *room, cando_error *err)
{
    struct job j = {.q = q, .r = {.ar = &room->ar}, .a = arena_alloc(&room->ar, sizeof *j.a)};
    j.o = j.a ? cando_observations_new(c->a, err) : NULL;
    if (!j.o)
        return no_memory(err);
    bool ok = answer(&j);
    cando_observations_free(j.o);
    if (ok)
        return j.a;
    reading_end(&j.r, err);
    return NULL;
}
