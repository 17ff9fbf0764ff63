#include "reading.h"

#include "base/instant.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>

/* -- errors ------------------------------------------------------------------------------- */

bool reading_fail(struct reading *r, enum code code, struct str at, const char *fmt, ...)
{
    va_list ap;
    if (!at.p)
        return reading_memory(r);
    memset(&r->error, 0, sizeof r->error);
    r->error.status = CANDO_BAD_QUESTION;
    snprintf(r->error.code, sizeof r->error.code, "%s", code_name(code));
    va_start(ap, fmt);
    vsnprintf(r->error.message, sizeof r->error.message, fmt, ap);
    va_end(ap);
    error_at(&r->error, at, 0, 0);
    return false;
}

bool reading_hint(struct reading *r, const char *fmt, ...)
{
    va_list ap;
    if (reading_no_memory(r))
        return false;
    va_start(ap, fmt);
    vsnprintf(r->error.hint, sizeof r->error.hint, fmt, ap);
    va_end(ap);
    return false;
}

bool reading_suggest(struct reading *r, struct str near, const char *otherwise)
{
    if (near.n)
        return reading_hint(r, "did you mean '%.*s'?", STR_ARG(near));
    return otherwise ? reading_hint(r, "%s", otherwise) : false;
}

bool reading_error(struct reading *r, struct str at, const cando_error *err)
{
    if (!at.p)
        return reading_memory(r);
    r->error = *err;
    if (err->line)
        snprintf(r->error.message, sizeof r->error.message, "%.100s:%u:%u: %.300s", err->at,
                 err->line, err->column, err->message);
    if (err->status != CANDO_INTERNAL)
        r->error.status = CANDO_BAD_QUESTION;
    error_at(&r->error, at, 0, 0);
    return false;
}

bool reading_no_memory(const struct reading *r)
{
    return strcmp(r->error.code, "memory") == 0;
}

cando_status reading_end(const struct reading *r, cando_error *err)
{
    if (err)
        *err = r->error;
    return r->error.status;
}

const char *reading_copy(struct reading *r, struct str s)
{
    struct str own = s.p ? str_dup(r->ar, s) : STR_NONE;
    if (s.p && !own.p)
        reading_memory(r);
    return own.p;
}

/* -- shapes --------------------------------------------------------------------------------- */

struct str reading_at(struct reading *r, struct str at, const char *key)
{
    return str_join(r->ar, at, STR("/"), str_of(key));
}

struct str reading_at_index(struct reading *r, struct str at, size_t i)
{
    char digits[20];
    size_t first = sizeof digits;
    do
        digits[--first] = (char)('0' + i % 10);
    while (i /= 10);
    return str_join(r->ar, at, STR("/"), str_make(digits + first, sizeof digits - first));
}

bool reading_object(struct reading *r, const struct json *v, struct str at, const char *what)
{
    if (v->kind == JSON_OBJECT)
        return true;
    return reading_fail(r, CODE_bad_argument, at, "%s must be an object, it is %s", what,
                        json_kind_name(v));
}

bool reading_array(struct reading *r, const struct json *v, struct str at, const char *what)
{
    if (v->kind == JSON_ARRAY)
        return true;
    return reading_fail(r, CODE_bad_argument, at, "%s must be a list, it is %s", what,
                        json_kind_name(v));
}

bool reading_keys(struct reading *r, const struct json *v, struct str at, const char *what,
                  const char *keys)
{
    for (size_t i = 0; i < v->n; i++) {
        if (words_have(keys, v->key[i].text))
            continue;
        reading_fail(r, CODE_unknown_argument, at, "%s has no '%.*s'", what,
                     STR_ARG(str_head(v->key[i].text, 80)));
        return reading_hint(r, "it has: %s", keys);
    }
    return true;
}

bool reading_text(struct reading *r, const struct json *v, struct str at, const char *key,
                  struct str *out)
{
    const struct json *m = json_get(v, key);
    *out = STR("");
    if (!m)
        return reading_fail(r, CODE_missing_argument, reading_at(r, at, key), "'%s' is missing",
                            key);
    if (m->kind != JSON_STRING)
        return reading_fail(r, CODE_bad_argument, reading_at(r, at, key),
                            "'%s' must be a string, it is %s", key, json_kind_name(m));
    if (m->text.n > LIMIT_NAME_BYTES)
        return reading_fail(r, CODE_too_long, reading_at(r, at, key), "a name has at most %u bytes",
                            LIMIT_NAME_BYTES);
    *out = m->text;
    return true;
}

bool reading_day(struct reading *r, const char *text, uint32_t *out)
{
    struct instant t;
    char day[16];
    *out = 0;
    if (!text)
        return true;
    if (!instant_parse(str_of(text), &t)) {
        reading_fail(r, CODE_bad_argument, STR("/at"), "'%.40s' is no day", text);
        return reading_hint(r, "for example 2026-11-15");
    }
    *out = day_number(day_text(t.day, day));
    return true;
}

static const struct json *or_why(struct reading *r, const struct json *v, struct str at,
                                 const struct json_error *bad)
{
    if (v)
        return v;
    if (bad->code == CODE_memory)
        reading_memory(r);
    else
        reading_fail(r, bad->code, at, "line %u, column %u: %s", bad->line, bad->column,
                     bad->message);
    return NULL;
}

const struct json *reading_json(struct reading *r, cando_bytes text, struct str at)
{
    struct json_error bad;
    const struct json *v = json_parse(r->ar, STR_IN(text), &bad);
    return or_why(r, v, at, &bad);
}

const struct json *reading_picked(struct reading *r, cando_bytes text, struct str at,
                                  const struct json_pick *pick, unsigned n)
{
    struct json_error bad;
    const struct json *v = json_parse_picking(r->ar, STR_IN(text), pick, n, &bad);
    return or_why(r, v, at, &bad);
}
