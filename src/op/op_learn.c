/*
 * op_learn.c - learn: what an error reply or a probe tells, as observations and as a rule.
 *
 * No clock is read here: `now` comes from the caller, and without it the rule has no
 * date and nothing expires.
 */
#include "op.h"

#include "base/instant.h"
#include "base/limits.h"
#include "record/insert.h"
#include "record/learn.h"

static const struct op_arg args[] = {
    {"target", true, "\"provider/model\" or {\"provider\":..,\"model\":..}"},
    {"error", false, "the provider's error reply: JSON, or its text"},
    {"probe", false, "what a probe gave: {\"field\":..,\"value\":..,\"evidence\":..} or a list"},
    {"now", false, "when it was seen: \"2026-11-15T16:30:05Z\""},
    {"days", false, "for how many days it counts; without it, for ever"},
    {"into", false, "the text of a rule file: the reply has it with the rule in it"},
    {0},
};

struct learn_call {
    struct op_call *c;
    cando_observations *o;
    struct str target;
    uint64_t now, expires;
    struct str why_not;
};

static bool read_times(struct learn_call *l)
{
    struct str now;
    struct instant t;
    const struct json *days = json_get(l->c->args, "days");
    uint64_t n = 0;
    if (!arg_text(l->c, "now", &now))
        return false;
    if (now.n && (!instant_parse(now, &t) || !instant_to_ms(&t, &l->now)))
        return op_fail(l->c, CODE_bad_argument, STR("/now"), "'now' is not a time such as 2026-11-15T16:30:05Z");
    if (!days)
        return true;
    if (!json_uint(days, &n) || n == 0 || n > 36500)
        return op_fail(l->c, CODE_bad_argument, STR("/days"), "'days' is a whole number from 1 to 36500");
    if (!now.n)
        return op_fail(l->c, CODE_missing_argument, STR("/now"), "'days' counts from 'now', which is missing");
    l->expires = l->now + n * 86400000;
    return true;
}

static bool read_error(struct learn_call *l, struct str model)
{
    const struct json *error = json_get(l->c->args, "error");
    if (!error)
        return true;
    struct buf b;
    struct json_writer w;
    buf_init(&b, l->c->a, LIMIT_REPLY_BYTES);
    jw_init(&w, &b, false);
    if (error->kind == JSON_STRING)
        buf_puts(&b, error->text);
    else
        jw_value(&w, error);
    bool large = b.failed && b.n + error->text.n + 4096 > LIMIT_REPLY_BYTES, ok = !b.failed;
    struct learning *found = ok ? arena_alloc(l->c->ar, sizeof *found) : NULL;
    if (found) {
        found->ar = l->c->ar;
        found->model = model;
        ok = learn_from(found, str_make(b.p, b.n));
    }
    if (ok && found && found->n == 0)
        l->why_not = found->why_not.n ? found->why_not : STR("nothing in it is known as a refusal");
    for (size_t i = 0; ok && found && i < found->n; i++) {
        struct str value = str_dup(l->c->ar, found->item[i].value), evidence = str_dup(l->c->ar, found->item[i].evidence);
        cando_observation x = {.target = l->target.p, .field = vocab_row(found->item[i].field)->name, .value = value.p,
                               .evidence = evidence.p, .by = "error-reply", .seen = l->now, .expires = l->expires};
        cando_error err = {0};
        if (!value.p || !evidence.p)
            ok = false;
        else if (cando_observations_add(l->o, &x, &err) != CANDO_OK) {
            buf_free(&b);
            return op_fail_error(l->c, STR("/target"), &err);
        }
    }
    buf_free(&b);
    if (large)
        return op_fail(l->c, CODE_too_long, STR("/error"), "an error reply has at most %u bytes", LIMIT_REPLY_BYTES);
    return (ok && found) || op_memory(l->c);
}

static bool probe_text(struct learn_call *l, const struct json *probe, struct str at, const char *key, bool required, const char **out)
{
    const struct json *v = json_get(probe, key);
    *out = "";
    if (!v && !required)
        return true;
    if (!v || v->kind != JSON_STRING)
        return op_fail(l->c, v ? CODE_bad_argument : CODE_missing_argument, at, "'%s' of a probe is a string", key);
    struct str own = str_dup(l->c->ar, v->text);
    *out = own.p;
    return own.p || op_memory(l->c);
}

static bool read_probe(struct learn_call *l, const struct json *probe, struct str at)
{
    cando_observation x = {.target = l->target.p, .by = "probe", .seen = l->now, .expires = l->expires};
    cando_error err = {0};
    if (!at.p)
        return op_memory(l->c);
    if (probe->kind != JSON_OBJECT)
        return op_fail(l->c, CODE_bad_argument, at, "a probe is {\"field\":..,\"value\":..}, this is %s", json_kind_name(probe));
    for (size_t i = 0; i < probe->n; i++) {
        struct str key = probe->key[i].text;
        if (!str_is(key, "field") && !str_is(key, "value") && !str_is(key, "evidence"))
            return op_fail(l->c, CODE_unknown_argument, at, "a probe has 'field', 'value' and 'evidence', not '%.*s'",
                           STR_ARG(str_head(key, 80)));
    }
    if (!probe_text(l, probe, at, "field", true, &x.field) || !probe_text(l, probe, at, "value", true, &x.value) ||
        !probe_text(l, probe, at, "evidence", false, &x.evidence))
        return false;
    return cando_observations_add(l->o, &x, &err) == CANDO_OK || op_fail_error(l->c, at, &err);
}

static bool read_probes(struct learn_call *l)
{
    const struct json *v = json_get(l->c->args, "probe");
    if (!v)
        return true;
    if (v->kind != JSON_ARRAY)
        return read_probe(l, v, STR("/probe"));
    for (size_t i = 0; i < v->n; i++)
        if (!read_probe(l, &v->item[i], str_printf(l->c->ar, "/probe/%zu", i)))
            return false;
    return true;
}

static void write_time(struct json_writer *w, const char *key, uint64_t ms)
{
    char text[INSTANT_TEXT];
    jw_keyz(w, key);
    if (ms)
        jw_str(w, instant_text(ms, text));
    else
        jw_null(w);
}

static void write_observations(struct learn_call *l)
{
    struct json_writer *w = l->c->w;
    jw_keyz(w, "observations");
    jw_array(w);
    for (size_t i = 0; i < cando_observations_count(l->o); i++) {
        cando_observation x = cando_observations_get(l->o, i);
        const char *const keys[] = {"target", "field", "value", "evidence", "by"};
        const char *const texts[] = {x.target, x.field, x.value, x.evidence, x.by};
        jw_object(w);
        for (size_t k = 0; k < 5; k++) {
            jw_keyz(w, keys[k]);
            jw_strz(w, *texts[k] ? texts[k] : NULL);
        }
        write_time(w, "seen", x.seen);
        write_time(w, "expires", x.expires);
        jw_object_end(w);
    }
    jw_array_end(w);
}

/* The rules alone, without the line that begins a file. */
static bool write_rule(struct learn_call *l)
{
    const char *text;
    size_t len;
    cando_error err = {0};
    jw_keyz(l->c->w, "rule");
    if (!cando_observations_count(l->o)) {
        jw_null(l->c->w);
        return true;
    }
    if (cando_observations_rules(l->o, l->now, &text, &len, &err) != CANDO_OK)
        return op_fail_error(l->c, STR(""), &err);
    size_t head = sizeof OBSERVE_SCHEMA; /* and the empty line behind it */
    jw_str(l->c->w, str_make(text + head, len - head));
    return true;
}

static bool write_into(struct learn_call *l)
{
    struct str file;
    struct buf out;
    struct insert_result result;
    cando_error err = {0};
    if (!arg_text(l->c, "into", &file))
        return false;
    if (!json_get(l->c->args, "into"))
        return true;
    buf_init(&out, l->c->a, LIMIT_TOML_BYTES);
    bool ok = insert_rules(&out, file, l->o, l->now, &result, &err) == CANDO_OK;
    if (ok) {
        jw_keyz(l->c->w, "added");
        jw_uint(l->c->w, result.added);
        jw_keyz(l->c->w, "present");
        jw_uint(l->c->w, result.present);
        jw_keyz(l->c->w, "text");
        jw_str(l->c->w, str_make(out.p, out.n));
    }
    buf_free(&out);
    return ok || op_fail_error(l->c, STR("/into"), &err);
}

static bool run_with(struct learn_call *l)
{
    struct str provider, model;
    if (!arg_target(l->c, "target", &provider, &model) || !read_times(l))
        return false;
    l->target = str_printf(l->c->ar, "%.*s/%.*s", STR_ARG(provider), STR_ARG(model));
    if (!l->target.p)
        return op_memory(l->c);
    if (!json_get(l->c->args, "error") && !json_get(l->c->args, "probe"))
        return op_fail(l->c, CODE_missing_argument, STR("/error"), "'learn' takes an 'error', a 'probe', or both");
    if (!read_error(l, model) || !read_probes(l))
        return false;
    jw_object(l->c->w);
    write_observations(l);
    if (!write_rule(l))
        return false;
    if (l->why_not.n) {
        jw_keyz(l->c->w, "why_not");
        jw_str(l->c->w, l->why_not);
    }
    if (!write_into(l))
        return false;
    jw_object_end(l->c->w);
    return true;
}

static bool run(struct op_call *c)
{
    cando_error err = {0};
    struct learn_call l = {.c = c, .o = cando_observations_new(c->a, &err)};
    if (!l.o)
        return op_memory(c);
    bool ok = run_with(&l);
    cando_observations_free(l.o);
    return ok;
}

const struct op op_learn = {.name = "learn", .doc = "what an error reply or a probe tells about a model", .arg = args, .run = run};
