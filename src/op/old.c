/*
 * old.c - operations that still read their arguments and write their results themselves.
 * It goes when the last of them has a shape.
 */
#include "op.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>

/* -- errors of the question ------------------------------------------------------------- */

static struct str error_text(struct op_call *c, const char *fmt, va_list ap)
{
    char text[600];
    vsnprintf(text, sizeof text, fmt, ap);
    return str_dup(c->ar, str_of(text));
}

bool op_fail(struct op_call *c, enum code code, struct str at, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    c->error = (struct op_error){code, at, error_text(c, fmt, ap), STR("")};
    va_end(ap);
    return false;
}

bool op_hint(struct op_call *c, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    c->error.hint = error_text(c, fmt, ap);
    va_end(ap);
    return false;
}

bool op_memory(struct op_call *c)
{
    c->error = (struct op_error){.code = CODE_memory};
    return false;
}

bool op_fail_error(struct op_call *c, struct str at, const cando_error *err)
{
    if (err->status == CANDO_INTERNAL && str_is(str_of(err->code), "memory"))
        return op_memory(c);
    enum code code = code_find(str_of(err->code));
    if (err->line)
        op_fail(c, code < CODE_COUNT ? code : CODE_internal, at, "%s:%u:%u: %s", err->at, err->line, err->column, err->message);
    else
        op_fail(c, code < CODE_COUNT ? code : CODE_internal, at, "%s", err->message);
    return op_hint(c, "%s", err->hint);
}

static size_t arg_count(const struct op *op)
{
    size_t n = 0;
    while (op->arg[n].name)
        n++;
    return n;
}

static struct str pointer_to(struct op_call *c, struct str key)
{
    struct buf b;
    buf_init(&b, c->a, 4096);
    buf_putc(&b, '/');
    json_pointer_token(&b, str_head(key, 500));
    struct str s = b.failed ? STR_NONE : str_dup(c->ar, str_make(b.p, b.n));
    buf_free(&b);
    return s;
}

static bool check_args(struct op_call *c, const struct op *op)
{
    size_t n = arg_count(op);
    for (size_t i = 0; i < c->args->n; i++) {
        struct str key = c->args->key[i].text;
        bool known = str_is(key, "op") || str_is(key, "id");
        for (size_t k = 0; k < n && !known; k++)
            known = str_is(key, op->arg[k].name);
        if (known)
            continue;
        op_fail(c, CODE_unknown_argument, pointer_to(c, key), "'%s' takes no argument '%.*s'", op->name, STR_ARG(str_head(key, 80)));
        struct nearest near = nearest_to(key);
        for (size_t k = 0; k < n; k++)
            nearest_try(&near, str_of(op->arg[k].name));
        if (near.name.n)
            op_hint(c, "did you mean '%.*s'?", STR_ARG(near.name));
        return false;
    }
    for (size_t k = 0; k < n; k++)
        if (op->arg[k].required && !json_get(c->args, op->arg[k].name)) {
            op_fail(c, CODE_missing_argument, str_printf(c->ar, "/%s", op->arg[k].name), "'%s' needs the argument '%s'", op->name,
                    op->arg[k].name);
            return op_hint(c, "%s", op->arg[k].doc);
        }
    return true;
}


/* Runs an operation of the old form: the result goes to `out` as JSON. */
bool old_run(const struct op *op, const cando *engine, struct cando_room *room, const struct json *args, struct str text,
             struct buf *out, cando_error *err)
{
    struct json_writer w;
    const cando_catalog *cat = room_catalog(room, engine);
    jw_init(&w, out, false);
    struct op_call c = {.catalog = cat, .a = engine->a, .ar = &room->ar, .args = args, .text = text, .w = &w};
    if (cat && check_args(&c, op) && op->run(&c) && !out->failed)
        return true;
    if (!cat || c.error.code == CODE_memory || out->failed || !c.error.at.p || !c.error.message.p || !c.error.hint.p) {
        error_memory(err);
        return false;
    }
    error_set(err, CANDO_BAD_QUESTION, c.error.code, "%.*s", STR_ARG(c.error.message));
    error_hint(err, "%.*s", STR_ARG(c.error.hint));
    error_at(err, c.error.at, 0, 0);
    return false;
}
