/*
 * tools.c - the list of tools, and a call of one of them.
 *
 * A call that goes wrong is a result with isError, so that the model that made it reads why and
 * what to do; only a tool that does not exist, or arguments that are no object, are errors of the
 * protocol.
 */
#include "tool.h"

#include "schema.h"

#include "base/limits.h"

#include <stdarg.h>
#include <stdio.h>

static const struct tool *const tools[] = {
    &tool_can_it,    &tool_check_request, &tool_fix_request,  &tool_which_model,
    &tool_what_cost, &tool_what_breaks,   &tool_what_retires,
};
enum { TOOLS = sizeof tools / sizeof *tools };

/* Arguments that are documents of their own. Some models write them as a string with JSON in it. */
#define OBJECTS "request headers usage history"
#define DOCUMENTS OBJECTS " response"

/* -- made once ------------------------------------------------------------------------------ */

/* The two schemas of an operation. */
static bool schemas_of(const char *op, cando_room *room, cando_json *question, cando_json *answer,
                       cando_error *err)
{
    cando_bytes text;
    cando_json both;
    if (cando_schema(op, room, &text, err) != CANDO_OK)
        return false;
    if (cando_json_read(text.p, text.n, room, &both, err) != CANDO_OK)
        return false;
    *question = cando_json_get(&both, "question");
    *answer = cando_json_get(&both, "answer");
    return true;
}

static void put_input(struct buf *b, const struct tool *t, const cando_json *question)
{
    const char *needed = t->needed;
    struct str name;
    buf_putz(b, "{\"type\":\"object\",\"properties\":{");
    if (t->own)
        buf_put(b, t->own + 1, strlen(t->own) - 2);
    schema_members(b, question, t->in, OBJECTS);
    buf_putz(b, "},\"required\":[");
    while (words_next(&needed, &name)) {
        put_comma(b);
        put_string(b, name);
    }
    buf_putz(b, "],\"additionalProperties\":false}");
}

/* The schema of one part of the answer, as text and as what answers are held to. */
static bool make_answer(const struct tool_part *p, const cando_json *answer, struct arena *ar,
                        cando_room *room, cando_json *out, cando_error *err)
{
    struct buf b;
    buf_init_arena(&b, ar, 1u << 20);
    schema_answer(&b, answer, p->out, p->inner);
    if (!buf_cstr(&b)) {
        error_memory(err);
        return false;
    }
    return cando_json_read(b.p, b.n, room, out, err) == CANDO_OK;
}

static void put_output(struct buf *b, const cando_json schema[TOOL_OPS])
{
    buf_putz(b, "{\"type\":\"object\",\"properties\":{");
    for (unsigned k = 0; k < TOOL_OPS; k++) {
        cando_json all = cando_json_get(&schema[k], "properties");
        for (struct walk w = walk_of(&all); walk_next(&w);) {
            put_key(b, w.key);
            put_json(b, &w.value);
        }
    }
    buf_putz(b, "},\"additionalProperties\":false}");
}

static bool make_tool(struct tool_texts *t, unsigned i, struct arena *ar, cando_room *room,
                      cando_error *err)
{
    const struct tool *tool = tools[i];
    cando_json question, answer, schema[TOOL_OPS] = {{.kind = CANDO_JSON_NONE}};
    struct buf *b = &t->list;
    for (unsigned k = 0; k < TOOL_OPS && tool->part[k].op; k++) {
        if (!schemas_of(tool->part[k].op, room, &question, &answer, err))
            return false;
        if (!make_answer(&tool->part[k], &answer, ar, room, &schema[k], err))
            return false;
        t->schema[k][i] = schema[k];
    }
    if (!schemas_of(tool->op, room, &question, &answer, err))
        return false;
    buf_putz(b, i ? ",{\"name\":" : "[{\"name\":");
    put_string(b, str_of(tool->name));
    put_key(b, STR("title"));
    put_string(b, str_of(tool->title));
    put_key(b, STR("description"));
    put_string(b, str_of(tool->text));
    put_key(b, STR("inputSchema"));
    put_input(b, tool, &question);
    put_key(b, STR("outputSchema"));
    put_output(b, schema);
    buf_putz(b, ",\"annotations\":{\"readOnlyHint\":true,\"destructiveHint\":false,"
                "\"idempotentHint\":true,\"openWorldHint\":false}}");
    return true;
}

bool tools_make(struct tool_texts *t, struct arena *ar, cando_room *room, cando_error *err)
{
    buf_init_arena(&t->list, ar, 1u << 20);
    for (unsigned k = 0; k < TOOL_OPS; k++) {
        t->schema[k] = arena_array(ar, TOOLS, sizeof *t->schema[k]);
        if (!t->schema[k])
            return error_memory(err), false;
    }
    for (unsigned i = 0; i < TOOLS; i++)
        if (!make_tool(t, i, ar, room, err))
            return false;
    buf_putc(&t->list, ']');
    return !t->list.failed || (error_memory(err), false);
}

void tools_list(struct rpc *r)
{
    if (!rpc_one_page(r))
        return;
    const struct buf *list = &mcp_tools(r->m)->list;
    rpc_result(r);
    rpc_may_keep(r, 3600);
    put_key(r->out, STR("tools"));
    buf_put(r->out, list->p, list->n);
    rpc_result_end(r);
}

/* -- arguments ------------------------------------------------------------------------------ */

bool arg_fail(struct tool_call *t, const char *name, const char *hint, const char *fmt, ...)
{
    char message[400];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof message, fmt, ap);
    va_end(ap);
    error_set(&t->err, CANDO_BAD_QUESTION, CODE_bad_argument, "%s", message);
    snprintf(t->err.at, sizeof t->err.at, "/%s", name);
    if (hint)
        error_hint(&t->err, "%s", hint);
    return false;
}

bool arg_count(struct tool_call *t, const char *name, bool zero, uint64_t most, uint64_t otherwise,
               uint64_t *out)
{
    cando_json v = cando_json_get(&t->args, name);
    if (count_of(&v, most, otherwise, out) && (zero || *out))
        return true;
    return arg_fail(t, name, NULL, "'%s' must be a whole number from %d to %ju", name, !zero,
                    (uintmax_t)most);
}

/* All arguments are those of the tool, and those that it needs are there. */
static bool check_arguments(struct tool_call *t)
{
    const struct tool *tool = t->tool;
    const char *needed = tool->needed;
    cando_json own = {.kind = CANDO_JSON_NONE};
    struct str name;
    if (tool->own &&
        cando_json_read(tool->own, strlen(tool->own), t->r->room, &own, &t->err) != CANDO_OK)
        return false;
    for (struct walk w = walk_of(&t->args); walk_next(&w);) {
        struct nearest near = nearest_to(w.key);
        bool known = is_word_of(tool->in, w.key);
        for (const char *in = tool->in; words_next(&in, &name);)
            nearest_try(&near, name);
        for (struct walk k = walk_of(&own); walk_next(&k);) {
            known = known || str_eq(k.key, w.key);
            nearest_try(&near, k.key);
        }
        if (known)
            continue;
        arg_fail(t, "", NULL, "%s has no argument '%.*s'", tool->name,
                 STR_ARG(str_head(w.key, 60)));
        if (near.name.n)
            error_hint(&t->err, "did you mean '%.*s'?", STR_ARG(near.name));
        return false;
    }
    while (words_next(&needed, &name)) {
        char key[40];
        snprintf(key, sizeof key, "%.*s", STR_ARG(name));
        cando_json v = cando_json_get(&t->args, key);
        if (v.kind == CANDO_JSON_NONE)
            return arg_fail(t, key, NULL, "%s needs '%s'", tool->name, key);
    }
    return true;
}

/* -- questions and answers ------------------------------------------------------------------ */

static void put_document(struct tool_call *t, struct buf *q, const cando_json *v)
{
    cando_json inside;
    cando_error err;
    bool text = v->kind == CANDO_JSON_STRING;
    if (text && cando_json_read(v->text.p, v->text.n, t->r->room, &inside, &err) == CANDO_OK)
        put_json(q, &inside);
    else
        put_json(q, v);
}

void ask_begin(struct tool_call *t, struct buf *q, const char *op, const char *in)
{
    buf_init_arena(q, &t->ar, LIMIT_JSON_BYTES);
    buf_printf(q, "{\"op\":\"%s\"", op);
    for (struct walk w = walk_of(&t->args); walk_next(&w);) {
        if (!is_word_of(in, w.key))
            continue;
        put_key(q, w.key);
        if (is_word_of(DOCUMENTS, w.key))
            put_document(t, q, &w.value);
        else
            put_json(q, &w.value);
    }
}

cando_json ask_end(struct tool_call *t, struct buf *q)
{
    buf_putc(q, '}');
    return rpc_ask(t->r->engine, t->r->room, q, &t->err);
}

void tell(struct tool_call *t, unsigned k, const cando_json *answer, const char *member,
          const struct cut *cut)
{
    cando_json known = cando_json_get(t->schema[k], "properties");
    cando_json schema = cando_json_get(&known, member), v = cando_json_get(answer, member);
    struct buf *b = &t->result;
    if (v.kind == CANDO_JSON_NONE || schema.kind == CANDO_JSON_NONE)
        return;
    put_key(b, str_of(member));
    if (!cut || strcmp(cut->list, member) != 0 || v.kind != CANDO_JSON_LIST) {
        schema_put(b, &v, &schema);
        return;
    }
    cando_json items = cando_json_get(&schema, "items");
    buf_putc(b, '[');
    for (struct walk w = walk_of(&v); walk_next(&w);) {
        if (w.i <= cut->from || w.i > cut->from + cut->n)
            continue;
        put_comma(b);
        schema_put(b, &w.value, &items);
    }
    buf_putc(b, ']');
}

void tell_all(struct tool_call *t, unsigned k, const cando_json *answer, const struct cut *cut)
{
    const char *out = t->tool->part[k].out;
    struct str name;
    while (words_next(&out, &name)) {
        char member[40];
        snprintf(member, sizeof member, "%.*s", STR_ARG(name));
        tell(t, k, answer, member, cut);
    }
}

/* -- words ---------------------------------------------------------------------------------- */

void say_finding(struct buf *b, const cando_json *f)
{
    struct str path = text_at(f, "path"), fix = text_at(f, "fix"), kind = text_at(f, "fix_kind");
    buf_printf(b, "- %.*s %.*s", STR_ARG(text_at(f, "severity")), STR_ARG(text_at(f, "code")));
    if (path.n)
        buf_printf(b, " at %.*s", STR_ARG(path));
    buf_printf(b, ": %.*s", STR_ARG(text_at(f, "message")));
    if (fix.n)
        buf_printf(b, "; fix: %.*s", STR_ARG(fix));
    if (str_is(kind, "lossy"))
        buf_putz(b, " (loses something)");
    buf_putc(b, '\n');
}

void say_more(struct buf *b, uint64_t all, const struct cut *cut)
{
    uint64_t end = cut->from + cut->n;
    if (all > end)
        buf_printf(b, "and %ju more: \"offset\":%ju\n", (uintmax_t)(all - end), (uintmax_t)end);
}

/* "did you mean ..?": models of that provider with a name that is near. */
static void say_near(struct tool_call *t, struct str provider, struct str model)
{
    struct buf q;
    cando_error err = {0};
    buf_init_arena(&q, &t->ar, LIMIT_JSON_BYTES);
    buf_putz(&q, "{\"op\":\"models\",\"limit\":3,\"status\":[\"active\"],\"like\":");
    put_string(&q, model);
    buf_putz(&q, ",\"providers\":[");
    put_string(&q, provider);
    buf_putz(&q, "]}");
    cando_json near = rpc_ask(t->r->engine, t->r->room, &q, &err);
    near = cando_json_get(&near, "models");
    for (struct walk w = walk_of(&near); walk_next(&w);)
        buf_printf(&t->text, "%s%.*s/%.*s%s", w.i > 1 ? ", " : "did you mean ",
                   STR_ARG(text_at(&w.value, "provider")), STR_ARG(text_at(&w.value, "model")),
                   w.i == near.n ? "?\n" : "");
}

void say_state(struct tool_call *t, const cando_json *resolved)
{
    cando_json fields = cando_json_get(resolved, "fields");
    struct str identity = text_at(resolved, "identity"), status = text_at(&fields, "status");
    struct str end = text_at(&fields, "retires_on"), instead = text_at(&fields, "replaced_by");
    struct str provider = text_at(resolved, "provider"), model = text_at(resolved, "model");
    bool family = str_is(identity, "family"), none = str_is(identity, "default");
    if (family || none) {
        buf_printf(&t->text, "note: %.*s/%.*s is not in the catalog; %s\n", STR_ARG(provider),
                   STR_ARG(model),
                   family ? "what is said of it comes from rules for models of its family"
                          : "nothing is known of it but defaults");
        say_near(t, provider, model);
    }
    bool gone = str_is(status, "retired");
    if (!end.n && !gone && !str_is(status, "deprecated"))
        return;
    buf_printf(&t->text, "WARNING: %.*s/%.*s is %s", STR_ARG(provider), STR_ARG(model),
               gone ? "retired" : "deprecated");
    if (end.n)
        buf_printf(&t->text, ", %s on %.*s", gone ? "it ended" : "it ends", STR_ARG(end));
    if (instead.n)
        buf_printf(&t->text, "; its provider names %.*s instead", STR_ARG(instead));
    buf_putc(&t->text, '\n');
}

/* -- a call --------------------------------------------------------------------------------- */

static void say_error(struct tool_call *t)
{
    const cando_error *e = &t->err;
    buf_clear(&t->text);
    buf_printf(&t->text, "error: %s", e->message);
    if (e->at[0] && e->at[1])
        buf_printf(&t->text, " (at %s)", e->at);
    if (e->hint[0])
        buf_printf(&t->text, "\nhint: %s", e->hint);
    if (e->code[0])
        buf_printf(&t->text, "\ncode: %s", e->code);
}

/* Text of which no more is sent than a context can bear; cut at the end of a line. */
static struct str cut_text(struct buf *b)
{
    struct str s = str_make(b->p, b->n);
    while (s.n && s.p[s.n - 1] == '\n')
        s.n--;
    if (s.n <= TOOL_TEXT)
        return s;
    s.n = TOOL_TEXT;
    while (s.n && s.p[s.n - 1] != '\n')
        s.n--;
    b->n = s.n;
    buf_putz(b, "(cut here: the structured result has the rest)");
    return str_make(b->p, b->n);
}

static void put_call(struct tool_call *t, bool ok)
{
    struct rpc *r = t->r;
    struct str text = cut_text(&t->text);
    rpc_result(r);
    put_key(r->out, STR("content"));
    buf_putz(r->out, "[{\"type\":\"text\",\"text\":");
    put_string(r->out, text);
    buf_putz(r->out, "}]");
    if (ok) {
        put_key(r->out, STR("structuredContent"));
        buf_put(r->out, t->result.p, t->result.n);
    }
    put_key(r->out, STR("isError"));
    buf_putz(r->out, ok ? "false" : "true");
    rpc_result_end(r);
}

static void call(struct rpc *r, unsigned i, cando_json args)
{
    const struct tool_texts *made = mcp_tools(r->m);
    struct tool_call t = {.r = r, .tool = tools[i], .args = args};
    for (unsigned k = 0; k < TOOL_OPS; k++)
        t.schema[k] = &made->schema[k][i];
    arena_init(&t.ar, NULL);
    buf_init_arena(&t.text, &t.ar, LIMIT_MCP_REPLY);
    buf_init_arena(&t.result, &t.ar, LIMIT_MCP_REPLY);
    buf_putc(&t.result, '{');
    bool ok = check_arguments(&t) && t.tool->run(&t);
    buf_putc(&t.result, '}');
    if (!ok)
        say_error(&t);
    if (t.err.status == CANDO_INTERNAL || t.text.failed || t.result.failed)
        rpc_error(r, RPC_INTERNAL, NULL, "there is not enough memory for the answer");
    else
        put_call(&t, ok);
    arena_free(&t.ar);
}

void tools_call(struct rpc *r)
{
    cando_json name = cando_json_get(&r->params, "name");
    cando_json args = cando_json_get(&r->params, "arguments");
    struct nearest near = nearest_to(text_of(&name));
    if (name.kind != CANDO_JSON_STRING) {
        rpc_error(r, RPC_PARAMS, NULL, "tools/call needs the name of a tool");
        return;
    }
    if (args.kind != CANDO_JSON_NONE && args.kind != CANDO_JSON_OBJECT) {
        rpc_error(r, RPC_PARAMS, NULL, "the arguments of a tool are an object");
        return;
    }
    for (unsigned i = 0; i < TOOLS; i++) {
        if (str_is(text_of(&name), tools[i]->name)) {
            call(r, i, args);
            return;
        }
        nearest_try(&near, str_of(tools[i]->name));
    }
    rpc_error(r, RPC_PARAMS, NULL, "there is no tool '%.*s'%s%.*s%s",
              STR_ARG(str_head(text_of(&name), 100)), near.name.n ? "; did you mean '" : "",
              STR_ARG(near.name), near.name.n ? "'?" : "");
}
