/*
 * call.c - the envelope of operations: a question as JSON in, its answer as JSON out.
 *
 * Unknown operations, the echo of the id, rules and overlays that come with a question,
 * and all errors are handled here, once. Between reading and writing there is the typed
 * function; nothing is written before it has answered, so there is no half reply.
 */
#include "decide.h"
#include "op.h"
#include "ruled.h"

#include "base/limits.h"
#include "catalog/offered.h"
#include "rules/sources.h"

#include <stdio.h>

static const struct op *const ops[] = {
    &op_resolve,   &op_lint,  &op_model_id,  &op_explain,  &op_usage,  &op_cost,   &op_import,
    &op_conflicts, &op_needs, &op_negotiate, &op_match,    &op_select, &op_redact, &op_diff,
    &op_models,    &op_learn, &op_preflight, &op_retiring, &op_fields, &op_guard,
    &op_stand_in,
};

/* -- rules that come with a question ---------------------------------------------------------- */

struct op_source {
    cando_bytes text;
    cando_syntax syntax;
    const char *name;
};

struct op_rules {
    const struct op_source *rules, *overlay;
    size_t n_rules, n_overlay;
};

#define S struct op_source
static const struct shape_member source_members[] = {
    STRING(text, NEEDED, "the text of a rule file"),
    WORD_AS(syntax, "dialect", &op_syntaxes, NONE,
            "whose format it has; found by itself if it is not said"),
    TEXT(name, NONE, "for messages"),
};
#undef S
static const struct shape source_shape = SHAPE("a set of rules", struct op_source, source_members);

#define S struct op_rules
static const struct shape_member rules_members[] = {
    LIST(rules, &source_shape, ALONE,
         "rules to use instead of the catalog: {\"dialect\":..,\"text\":..} or a list"),
    LIST(overlay, &source_shape, ALONE, "rules on top, in the same shape"),
};
#undef S
static const struct shape rules_shape = SHAPE_OPEN("a question", struct op_rules, rules_members);

static bool add_sources(struct reading *r, cando_sources *s, const struct op_source *list, size_t n,
                        const char *what, cando_layer layer)
{
    for (size_t i = 0; i < n; i++) {
        struct str at =
            n > 1 ? str_printf(r->ar, "/%s/%zu", what, i) : str_printf(r->ar, "/%s", what);
        cando_error err = {0};
        if (!at.p)
            return reading_memory(r);
        const char *name = list[i].name ? list[i].name : at.p;
        if (cando_sources_add(s, name, list[i].text.p, list[i].text.n, list[i].syntax, layer,
                              &err) != CANDO_OK)
            return reading_error(r, at, &err);
    }
    return true;
}

static const cando_catalog *compile(struct reading *r, const struct op *op, const cando *c,
                                    const cando_catalog *base, const struct op_rules *x)
{
    cando_error err = {0};
    cando_sources *s = cando_sources_new(c->a, &err);
    const cando_catalog *made = NULL;
    bool ok = s || reading_error(r, STR(""), &err);
    if (ok && !x->rules && sources_add_catalog(s, base, &err) != CANDO_OK)
        ok = reading_error(r, STR("/overlay"), &err);
    ok = ok && add_sources(r, s, x->rules, x->n_rules, "rules", CANDO_LAYER_FAMILY);
    ok = ok && add_sources(r, s, x->overlay, x->n_overlay, "overlay", CANDO_LAYER_PROJECT);
    bool requests = x->rules && op->flags & OP_REQUESTS;
    if (ok && requests && cando_sources_add_requests(s, base, &err) != CANDO_OK)
        ok = reading_error(r, STR("/rules"), &err);
    if (ok && !(made = sources_open(s, &err)))
        reading_error(r, x->rules ? STR("/rules") : STR("/overlay"), &err);
    cando_sources_free(s);
    return made;
}

static void put_source(struct buf *b, const struct op_source *s)
{
    const char *name = s->name ? s->name : "";
    buf_printf(b, "%d %zu %zu:", (int)s->syntax, strlen(name), s->text.n);
    buf_putz(b, name);
    buf_puts(b, STR_IN(s->text));
}

/* All that decides what is compiled, but for the catalog in force; "": too long to be kept. */
static struct str key_of(struct reading *r, const struct op *op, const struct op_rules *x)
{
    struct buf b;
    buf_init_arena(&b, r->ar, RULED_MAX_KEY);
    buf_printf(&b, "%d %zu %zu:", x->rules && op->flags & OP_REQUESTS, x->n_rules, x->n_overlay);
    for (size_t i = 0; i < x->n_rules; i++)
        put_source(&b, &x->rules[i]);
    for (size_t i = 0; i < x->n_overlay; i++)
        put_source(&b, &x->overlay[i]);
    return b.failed ? STR("") : STR_IN(b);
}

static struct ruled *ruled_by(struct reading *r, const struct op *op, const cando *c,
                              const struct op_rules *x)
{
    struct str key = key_of(r, op, x);
    struct ruled *out = key.n ? ruled_find(c, key) : NULL;
    if (out)
        return out;
    const cando_catalog *base = cando_get_catalog(c), *made = compile(r, op, c, base, x);
    if (made && !(out = ruled_new(c, base, key, made)))
        reading_memory(r);
    cando_catalog_release(made);
    cando_catalog_release(base);
    return out;
}

/* -- a question -----------------------------------------------------------------------------------
 */

static void unknown_op(struct reading *r, struct str name)
{
    struct nearest near = nearest_to(name);
    struct buf all;
    buf_init_arena(&all, r->ar, 4096);
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        nearest_try(&near, str_of(ops[i]->name));
        buf_printf(&all, "%s%s", i ? ", " : "the operations are: ", ops[i]->name);
    }
    if (!buf_cstr(&all)) {
        reading_memory(r);
        return;
    }
    reading_fail(r, CODE_unknown_op, STR("/op"), "there is no operation '%.*s'",
                 STR_ARG(str_head(name, 80)));
    reading_suggest(r, near.name, buf_cstr(&all));
}

static const struct op *named_op(struct str name)
{
    for (size_t i = 0; name.n && i < COUNT_OF(ops); i++)
        if (name.p[0] == ops[i]->name[0] && str_is(name, ops[i]->name))
            return ops[i];
    return NULL;
}

/* Beside the question stands its operation's name; the question may repeat it. */
static const struct op *find_beside(struct reading *r, struct str beside, const struct op *op,
                                    const struct json *name)
{
    bool same = !name || (name->kind == JSON_STRING && str_eq(name->text, beside));
    if (!op)
        unknown_op(r, beside);
    else if (!same)
        reading_fail(r, CODE_bad_argument, STR("/op"),
                     "\"op\" is another operation than '%s', which is asked", op->name);
    return same ? op : NULL;
}

static const struct op *find_op(struct reading *r, struct str beside, const struct op *named,
                                const struct json *question)
{
    const struct json *name = json_get(question, "op");
    if (beside.p)
        return find_beside(r, beside, named, name);
    if (!name) {
        reading_fail(r, CODE_missing_argument, STR("/op"), "the request has no \"op\"");
        reading_hint(r, "say which operation: {\"op\":\"resolve\",...}");
        return NULL;
    }
    if (name->kind != JSON_STRING) {
        reading_fail(r, CODE_bad_argument, STR("/op"), "\"op\" must be a string, it is %s",
                     json_kind_name(name));
        return NULL;
    }
    bool seen = named && str_is(name->text, named->name);
    const struct op *op = seen ? named : named_op(name->text);
    if (!op)
        unknown_op(r, name->text);
    return op;
}

/* What is asked of: the engine itself, or one over the rules that the question brings. */
static bool choose_engine(struct reading *r, const struct op *op, const struct json *question,
                          struct str text, const cando *c, struct ruled **out)
{
    struct op_rules x = {0};
    *out = NULL;
    if (!(op->flags & OP_RULES) || (!json_get(question, "rules") && !json_get(question, "overlay")))
        return true;
    if (!shape_read(r, &rules_shape, question, text, "", &x))
        return false;
    *out = ruled_by(r, op, c, &x);
    return *out != NULL;
}

static void begin_reply(struct json_writer *w, const struct json *question, bool ok)
{
    const struct json *id = question ? json_get(question, "id") : NULL;
    jw_object(w);
    jw_key_plain(w, STR("id"));
    if (id)
        jw_value(w, id);
    else
        jw_null(w);
    jw_key_plain(w, STR("ok"));
    jw_bool(w, ok);
    jw_key_plain(w, ok ? STR("result") : STR("error"));
}

/* Answers into `w`; false: nothing was written, and the error is set. */
static bool answer_with(struct reading *r, const struct op *op, const struct json *question,
                        struct str text, const cando *c, cando_room *room, struct json_writer *w)
{
    void *q = arena_alloc(r->ar, op->question.size);
    if (!q)
        return reading_memory(r);
    const char *also = op->flags & OP_RULES ? "op id rules overlay" : "op id";
    if (!shape_read(r, &op->question, question, text, also, q))
        return false;
    const void *a = op->ask(c, q, room, &r->error);
    if (!a)
        return false;
    begin_reply(w, question, true);
    shape_write(w, &op->answer, a);
    jw_object_end(w);
    return true;
}

/* -- which operation, before anything is read ---------------------------------------------------
 */

static void skip_space(struct str *s)
{
    size_t n = 0;
    while (n < s->n && char_is_space(s->p[n]))
        n++;
    *s = str_from(*s, n);
}

static bool skip_char(struct str *s, char c)
{
    skip_space(s);
    if (!s->n || s->p[0] != c)
        return false;
    *s = str_from(*s, 1);
    return true;
}

/* A string without escapes. */
static bool take_string(struct str *s, struct str *out)
{
    if (!skip_char(s, '"'))
        return false;
    *out = str_head(*s, str_find_char(*s, '"'));
    *s = str_from(*s, out->n + 1);
    return str_find_char(*out, '\\') == out->n;
}

/* The operation that a question names among its first members, or NULL. Only to know what
 * need not be read into a tree: whoever answers looks again. */
static const struct op *peek_op(struct str s)
{
    struct str key, value;
    if (!skip_char(&s, '{'))
        return NULL;
    for (unsigned i = 0; i < 4; i++) {
        if (!take_string(&s, &key) || !skip_char(&s, ':'))
            return NULL;
        skip_space(&s);
        if (s.n && s.p[0] == '"') {
            if (!take_string(&s, &value))
                return NULL;
        } else {
            size_t n = 0;
            value = STR("");
            while (n < s.n && s.p[n] != ',' && s.p[n] != '{' && s.p[n] != '[')
                n++;
            s = str_from(s, n);
        }
        const struct op *op = str_is(key, "op") ? named_op(value) : NULL;
        if (op)
            return op;
        if (!skip_char(&s, ','))
            return NULL;
    }
    return NULL;
}

/* Members that an operation takes as bytes are stepped over. */
static bool keep_bytes(void *ctx, struct str key)
{
    const struct op *op = ctx;
    const struct shape_member *m = shape_find(&op->question, key);
    return m && m->kind == SHAPE_JSON;
}

/* `op` is NULL: all of it is read. */
static const struct json *parse_question(struct reading *r, const struct op *op, struct str text)
{
    struct json_error bad;
    const struct json *v = op ? json_parse_keeping(r->ar, text, keep_bytes, (void *)op, &bad)
                              : json_parse(r->ar, text, &bad);
    if (v)
        return v;
    if (bad.code == CODE_memory)
        return reading_memory(r);
    reading_fail(r, bad.code, STR(""), "line %u, column %u (byte %zu): %s", bad.line, bad.column,
                 bad.at, bad.message);
    reading_hint(r, "a request is one JSON object");
    return NULL;
}

/* Who offers a model that was named without its provider? Some have said it already. */
static void hint_offerings(cando_error *e, const struct json *question, const cando *c)
{
    if (strcmp(e->code, code_name(CODE_unknown_target)) != 0 ||
        str_starts(str_of(e->hint), STR("it is offered as")))
        return;
    const struct json *name = json_pointer(question, str_of(e->at));
    if (!name || name->kind != JSON_STRING)
        return;
    const cando_catalog *cat = cando_get_catalog(c);
    offered_hint(cat, name->text, e);
    cando_catalog_release(cat);
}

/* An item that stands without its brackets has no number in the question. */
static void drop_numbers(cando_error *e, const struct json *question)
{
    size_t n = 0;
    const struct json *v = question;
    for (struct str rest = str_of(e->at); rest.n;) {
        struct str token = str_head(rest, 1 + str_find_char(str_from(rest, 1), '/'));
        const struct json *next = v ? json_pointer(v, token) : NULL;
        rest = str_from(rest, token.n);
        bool alone = v && !next && (v->kind == JSON_STRING || v->kind == JSON_OBJECT);
        if (alone && token.n > 1 && char_is_digit(token.p[1]))
            continue;
        memmove(e->at + n, token.p, token.n);
        n += token.n;
        v = next;
    }
    e->at[n] = '\0';
}

static bool answer(struct reading *r, struct str beside, struct str text, const cando *c,
                   cando_room *room, const struct json **question, struct json_writer *w)
{
    struct ruled *ruled;
    const struct op *named = beside.p ? named_op(beside) : peek_op(text);
    const struct json *v = parse_question(r, named, text);
    if (!v)
        return false;
    if (v->kind != JSON_OBJECT)
        return reading_fail(r, CODE_bad_argument, STR(""), "a request is a JSON object, this is %s",
                            json_kind_name(v));
    *question = v;
    const struct op *op = find_op(r, beside, named, v);
    if (!op || !choose_engine(r, op, v, text, c, &ruled))
        return false;
    const cando *engine = ruled ? ruled_engine(ruled) : c;
    bool ok = answer_with(r, op, v, text, engine, room, w);
    if (!ok) {
        hint_offerings(&r->error, v, engine);
        drop_numbers(&r->error, v);
    }
    ruled_release(ruled);
    return ok;
}

static void write_error(struct json_writer *w, const struct json *question, const cando_error *e)
{
    begin_reply(w, question, false);
    jw_object(w);
    jw_keyz(w, "code");
    jw_strz(w, e->code);
    jw_keyz(w, "message");
    jw_strz(w, e->message);
    if (e->at[0]) {
        jw_keyz(w, "at");
        jw_strz(w, e->at);
    }
    if (e->hint[0]) {
        jw_keyz(w, "hint");
        jw_strz(w, e->hint);
    }
    jw_object_end(w);
    jw_object_end(w);
}

static cando_status reply_to(const cando *c, struct str beside, struct str text, cando_room *room,
                             struct buf *reply, cando_error *err)
{
    struct reading r;
    struct json_writer w;
    const struct json *question = NULL;
    reading_begin(&r, &room->ar);
    jw_init(&w, reply, false);
    bool ok = answer(&r, beside, text, c, room, &question, &w);
    if (!ok) {
        if (reading_no_memory(&r))
            return error_memory(err);
        /* what was stepped over may have been no JSON: then the whole text is none */
        if (question && str_starts(str_of(r.error.code), STR("json-")) &&
            !parse_question(&r, NULL, text))
            question = NULL;
        if (reading_no_memory(&r))
            return error_memory(err);
        write_error(&w, question, &r.error);
    }
    if (reply->failed || !buf_cstr(reply))
        return error_memory(err);
    if (ok)
        return CANDO_OK;
    if (err)
        *err = r.error;
    return CANDO_BAD_QUESTION;
}

cando_status cando_call_op(const cando *c, const char *op, const char *question,
                           size_t question_len, cando_room *room, cando_bytes *reply,
                           cando_error *err)
{
    struct buf out;
    buf_init_arena(&out, &room->ar, LIMIT_JSON_BYTES);
    struct str beside = op ? str_of(op) : STR_NONE;
    cando_status st = reply_to(c, beside, str_make(question, question_len), room, &out, err);
    *reply = st == CANDO_INTERNAL ? (cando_bytes){NULL, 0} : (cando_bytes){out.p, out.n};
    return st;
}

cando_status cando_call_in(const cando *c, const char *question, size_t question_len,
                           cando_room *room, cando_bytes *reply)
{
    cando_status st = cando_call_op(c, NULL, question, question_len, room, reply, NULL);
    return st == CANDO_INTERNAL ? st : CANDO_OK;
}

cando_status cando_call(const cando *c, const char *question, size_t question_len, char **reply,
                        size_t *reply_len)
{
    cando_bytes out = {NULL, 0};
    *reply = NULL;
    *reply_len = 0;
    cando_room *room = engine_room(c);
    if (!room)
        return CANDO_INTERNAL;
    if (cando_call_in(c, question, question_len, room, &out) == CANDO_OK)
        *reply = mem_alloc(c->a, out.n + 1);
    if (*reply) {
        memcpy(*reply, out.p, out.n + 1);
        *reply_len = out.n;
    }
    engine_room_back(c, room);
    return *reply ? CANDO_OK : CANDO_INTERNAL;
}

void cando_free_text(const cando *c, char *text, size_t len)
{
    if (text)
        mem_free(c->a, text, len + 1);
}

/* -- answers and schemas as JSON ------------------------------------------------------------------
 */

static const struct op *op_by_name(const char *name, cando_error *err)
{
    struct nearest near = nearest_to(str_of(name));
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        if (strcmp(name, ops[i]->name) == 0)
            return ops[i];
        nearest_try(&near, str_of(ops[i]->name));
    }
    error_set(err, CANDO_BAD_QUESTION, CODE_unknown_op, "there is no operation '%.80s'", name);
    if (near.name.n) {
        error_hint(err, "did you mean '%.*s'?", STR_ARG(near.name));
        return NULL;
    }
    char all[sizeof err->hint];
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(ops) && n < sizeof all; i++)
        n += (size_t)snprintf(all + n, sizeof all - n, "%s%s", i ? ", " : "", ops[i]->name);
    error_hint(err, "the operations are: %s", all);
    return NULL;
}

cando_status op_give(struct buf *b, cando_bytes *out, cando_error *err)
{
    if (!buf_cstr(b))
        return error_memory(err);
    *out = (cando_bytes){b->p, b->n};
    return CANDO_OK;
}

cando_status cando_encode(const char *name, const void *answer, cando_room *room, cando_bytes *out,
                          cando_error *err)
{
    struct buf b;
    struct json_writer w;
    const struct op *op = op_by_name(name, err);
    if (!op)
        return CANDO_BAD_QUESTION;
    buf_init_arena(&b, &room->ar, LIMIT_JSON_BYTES);
    jw_init(&w, &b, false);
    shape_write(&w, &op->answer, answer);
    return op_give(&b, out, err);
}

cando_status cando_decode(const char *name, const char *member, const char *json, size_t len,
                          cando_room *room, void *question, cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const struct op *op = op_by_name(name, err);
    if (!op)
        return CANDO_BAD_QUESTION;
    struct str text = str_dup(&room->ar, str_make(json, len)); /* members point into it */
    const struct json *v = text.p ? reading_json(&r, (cando_bytes){text.p, text.n}, STR("")) : NULL;
    if (!text.p)
        reading_memory(&r);
    if (v && shape_read_member(&r, &op->question, member, v, text, question))
        return CANDO_OK;
    return reading_end(&r, err);
}

static void begin_schema(struct json_writer *w, const char *title, const char *doc)
{
    jw_object(w);
    jw_keyz(w, "$schema");
    jw_strz(w, "https://json-schema.org/draft/2020-12/schema");
    jw_keyz(w, "title");
    jw_strz(w, title);
    jw_keyz(w, "description");
    jw_strz(w, doc);
}

static void begin_side(struct json_writer *w, const struct op *op, const char *side)
{
    char title[64];
    snprintf(title, sizeof title, "%s: %s", op->name, side);
    begin_schema(w, title, op->doc);
}

static void write_schema(struct json_writer *w, const struct op *op)
{
    struct buf also;
    buf_init(&also, w->out->a, 1 << 16);
    buf_printf(&also, "\"op\":{\"const\":\"%s\"},\"id\":{}", op->name);
    if (op->flags & OP_RULES) {
        struct json_writer own;
        static const struct shape_member *const m = rules_members;
        for (size_t i = 0; i < 2; i++) {
            buf_printf(&also, ",\"%s\":", m[i].name);
            jw_init(&own, &also, false);
            shape_schema_member(&own, &m[i], true);
        }
    }
    jw_object(w);
    jw_keyz(w, "question");
    begin_side(w, op, "question");
    jw_keyz(w, "examples");
    jw_array(w);
    jw_raw(w, str_of(op->example));
    jw_array_end(w);
    shape_schema(w, &op->question, true, also.failed ? NULL : buf_cstr(&also));
    jw_object_end(w);
    jw_keyz(w, "answer");
    begin_side(w, op, "answer");
    shape_schema(w, &op->answer, false, NULL);
    jw_object_end(w);
    jw_object_end(w);
    buf_free(&also);
}

/* Documents that questions refer to, by their names. */
static const struct document {
    const char *name, *doc;
    const struct shape *shape; /* NULL: a manifest */
} documents[] = {
    {"work_order", "what an order wants of an agent backend", &op_work_order},
    {"session", "the parts of a session, each of which needs something", &op_session},
    {"manifest", "what an agent backend advertises; what it leaves out is not there", NULL},
};

static void write_manifest_schema(struct json_writer *w)
{
    static const char level[] =
        "{\"anyOf\":[{\"enum\":[\"native\",\"emulated\",\"unsupported\"]},{\"type\":\"object\","
        "\"properties\":{\"restricted\":{\"type\":\"object\",\"properties\":{\"reason\":{\"type\":"
        "\"string\"}},\"required\":[\"reason\"],\"additionalProperties\":false}},\"required\":"
        "[\"restricted\"],\"additionalProperties\":false}]}";
    jw_keyz(w, "type");
    jw_strz(w, "object");
    jw_keyz(w, "properties");
    jw_object(w);
    for (unsigned f = 0; f < FIELD_COUNT; f++) {
        const char *at = vocab_row(f)->names;
        struct str name;
        while (words_next(&at, &name)) {
            if (!str_starts(name, STR("abp:")))
                continue;
            jw_key(w, str_from(name, 4));
            jw_object(w);
            jw_keyz(w, "description");
            jw_strz(w, vocab_row(f)->doc);
            jw_keyz(w, "$ref");
            jw_strz(w, "#/$defs/level");
            jw_object_end(w);
        }
    }
    jw_object_end(w);
    jw_keyz(w, "additionalProperties");
    jw_bool(w, false);
    jw_keyz(w, "$defs");
    jw_object(w);
    jw_keyz(w, "level");
    jw_raw(w, STR(level));
    jw_object_end(w);
}

static bool write_document(struct json_writer *w, struct str name)
{
    for (size_t i = 0; i < COUNT_OF(documents); i++) {
        const struct document *d = &documents[i];
        if (!str_is(name, d->name))
            continue;
        begin_schema(w, d->name, d->doc);
        if (d->shape)
            shape_schema(w, d->shape, true, NULL);
        else
            write_manifest_schema(w);
        jw_object_end(w);
        return true;
    }
    return false;
}

cando_status cando_schema(const char *name, cando_room *room, cando_bytes *out, cando_error *err)
{
    struct buf b;
    struct json_writer w;
    buf_init_arena(&b, &room->ar, LIMIT_JSON_BYTES);
    jw_init(&w, &b, true);
    if (name && write_document(&w, str_of(name)))
        return op_give(&b, out, err);
    const struct op *op = name ? op_by_name(name, err) : NULL;
    if (name && !op)
        return CANDO_BAD_QUESTION;
    if (op) {
        write_schema(&w, op);
        return op_give(&b, out, err);
    }
    jw_object(&w);
    for (size_t i = 0; i < COUNT_OF(ops); i++) {
        jw_keyz(&w, ops[i]->name);
        write_schema(&w, ops[i]);
    }
    jw_object_end(&w);
    return op_give(&b, out, err);
}
