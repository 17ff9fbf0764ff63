/*
 * call.c - the engine and the envelope of operations.
 */
#include "op.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>

static const struct op *const ops[] = {&op_resolve, &op_lint, &op_model_id, &op_explain, &op_usage, &op_cost,
                                      &op_import, &op_conflicts, &op_needs, &op_negotiate,
                                      &op_match, &op_select, &op_redact, &op_diff, &op_models,
                                      &op_learn, &op_preflight};
#define N_OPS (sizeof ops / sizeof ops[0])

/* -- the engine ----------------------------------------------------------------------- */

cando *cando_new(const cando_catalog *catalog, const cando_allocator *a, cando_error *err)
{
    struct cando *c = mem_alloc(a, sizeof *c);
    if (!c) {
        error_memory(err);
        return NULL;
    }
    c->a = a;
    c->catalog = cando_catalog_retain(catalog ? catalog : cando_catalog_builtin());
    atomic_init(&c->lock, 0);
    return c;
}

void cando_free(cando *c)
{
    if (!c)
        return;
    cando_catalog_release(c->catalog);
    mem_free(c->a, c, sizeof *c);
}

/* Held for the two instructions between reading the pointer and taking a
 * reference: without it the catalog could be freed in between. */
static void lock(struct cando *c)
{
    while (atomic_exchange_explicit(&c->lock, 1, memory_order_acquire)) {
    }
}

static void unlock(struct cando *c)
{
    atomic_store_explicit(&c->lock, 0, memory_order_release);
}

void cando_set_catalog(cando *c, const cando_catalog *catalog)
{
    const cando_catalog *next = cando_catalog_retain(catalog ? catalog : cando_catalog_builtin());
    lock(c);
    const cando_catalog *old = c->catalog;
    c->catalog = next;
    unlock(c);
    cando_catalog_release(old);
}

const cando_catalog *cando_get_catalog(const cando *c)
{
    struct cando *own = (struct cando *)c;
    lock(own);
    const cando_catalog *catalog = cando_catalog_retain(own->catalog);
    unlock(own);
    return catalog;
}

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

/* -- the envelope -------------------------------------------------------------------------- */

static size_t arg_count(const struct op *op)
{
    size_t n = 0;
    while (op->arg[n].name)
        n++;
    return n;
}

static const struct op *find_op(struct op_call *c)
{
    const struct json *name = json_get(c->args, "op");
    if (!name) {
        op_fail(c, CODE_missing_argument, STR("/op"), "the request has no \"op\"");
        op_hint(c, "say which operation: {\"op\":\"resolve\",...}");
        return NULL;
    }
    if (name->kind != JSON_STRING) {
        op_fail(c, CODE_bad_argument, STR("/op"), "\"op\" must be a string, it is %s", json_kind_name(name));
        return NULL;
    }
    for (size_t i = 0; i < N_OPS; i++)
        if (str_is(name->text, ops[i]->name))
            return ops[i];
    op_fail(c, CODE_unknown_op, STR("/op"), "there is no operation '%.*s'", STR_ARG(str_head(name->text, 80)));
    struct nearest near = nearest_to(name->text);
    for (size_t i = 0; i < N_OPS; i++)
        nearest_try(&near, str_of(ops[i]->name));
    if (near.name.n)
        op_hint(c, "did you mean '%.*s'?", STR_ARG(near.name));
    else
        op_hint(c, "the operations are: resolve, lint, model_id, explain, usage, cost, import, conflicts, "
                   "needs, negotiate, match, select, redact, diff, models, learn, preflight");
    return NULL;
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

static bool run_call(struct op_call *c, struct str text)
{
    struct json_error bad;
    const struct json *request = json_parse(c->ar, text, &bad);
    if (!request) {
        if (bad.code == CODE_memory)
            return op_memory(c);
        op_fail(c, bad.code, STR(""), "line %u, column %u (byte %zu): %s", bad.line, bad.column, bad.at, bad.message);
        return op_hint(c, "a request is one JSON object");
    }
    if (request->kind != JSON_OBJECT)
        return op_fail(c, CODE_bad_argument, STR(""), "a request is a JSON object, this is %s", json_kind_name(request));
    c->args = request;
    c->text = text;
    const struct op *op = find_op(c);
    return op && check_args(c, op) && op->run(c);
}

static void write_id(struct json_writer *w, const struct op_call *c)
{
    const struct json *id = c->args ? json_get(c->args, "id") : NULL;
    jw_keyz(w, "id");
    if (id)
        jw_value(w, id);
    else
        jw_null(w);
}

static void write_error(struct json_writer *w, const struct op_call *c)
{
    const struct op_error *e = &c->error;
    jw_object(w);
    write_id(w, c);
    jw_keyz(w, "ok");
    jw_bool(w, false);
    jw_keyz(w, "error");
    jw_object(w);
    jw_keyz(w, "code");
    jw_strz(w, code_name(e->code));
    jw_keyz(w, "message");
    jw_str(w, e->message);
    if (e->at.n) {
        jw_keyz(w, "at");
        jw_str(w, e->at);
    }
    if (e->hint.n) {
        jw_keyz(w, "hint");
        jw_str(w, e->hint);
    }
    jw_object_end(w);
    jw_object_end(w);
}

/* The result is written into a buffer of its own first: an operation that fails
 * half-way must leave no half reply. */
static bool reply_to(const cando *c, struct op_call *call, struct str request, struct buf *reply)
{
    struct buf result;
    struct json_writer w, body;
    buf_init(&result, c->a, LIMIT_JSON_BYTES);
    jw_init(&body, &result, false);
    call->w = &body;
    bool ok = run_call(call, request);
    if (ok && result.failed)
        ok = op_memory(call);
    jw_init(&w, reply, false);
    if (ok) {
        jw_object(&w);
        write_id(&w, call);
        jw_keyz(&w, "ok");
        jw_bool(&w, true);
        jw_keyz(&w, "result");
        jw_raw(&w, str_make(result.p, result.n));
        jw_object_end(&w);
    } else if (call->error.code != CODE_memory && call->error.at.p && call->error.message.p && call->error.hint.p) {
        write_error(&w, call);
    } else {
        reply->failed = true;
    }
    buf_free(&result);
    return !reply->failed;
}

cando_status cando_call(const cando *c, const char *request, size_t request_len, char **reply, size_t *reply_len)
{
    *reply = NULL;
    *reply_len = 0;
    struct arena ar;
    struct buf out;
    arena_init(&ar, c->a);
    buf_init(&out, c->a, LIMIT_JSON_BYTES);
    const cando_catalog *catalog = cando_get_catalog(c);
    struct op_call call = {.catalog = catalog, .a = c->a, .ar = &ar};
    bool ok = reply_to(c, &call, str_make(request, request_len), &out);
    char *text = NULL;
    if (ok && buf_cstr(&out))
        text = mem_resize(c->a, out.p, out.cap, out.n + 1);
    if (text) {
        *reply = text;
        *reply_len = out.n;
    } else {
        buf_free(&out);
    }
    cando_catalog_release(catalog);
    arena_free(&ar);
    return text ? CANDO_OK : CANDO_INTERNAL;
}

void cando_free_text(const cando *c, char *text, size_t len)
{
    if (text)
        mem_free(c->a, text, len + 1);
}
