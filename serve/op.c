/*
 * op.c - POST /op/<name>: every operation, and POST /op for questions that name theirs.
 *
 * One JSON object gets its reply, with a status that says whether the question was good. JSON lines
 * get a line for each, in order, and the status 200: what was wrong with one stands in its own
 * reply. They are answered as the client takes the replies, so that a million lines need no more
 * memory than they have bytes, and all of them by the catalog of the first. No reply goes out
 * before the last line is in: libmicrohttpd takes a response before or behind a body, not inside.
 */
#include "events.h"
#include "http.h"

#include <stdlib.h>

enum { NAME_BYTES = 40, FILL = 12 << 10, LOOK = 256 };

/* -- what was answered, for the metrics --
 *
 * A verdict is among the first members of an answer; nothing is parsed again for it. */

static const char *verdict_in(struct str reply)
{
    static const char *const verdicts[] = {"ok",       "rewrite",  "reject",
                                           "accepted", "degraded", "rejected"};
    struct str head = str_head(reply, 160), key = STR("\"verdict\":\"");
    size_t at = str_find(head, key);
    if (at == SIZE_MAX)
        return NULL;
    head = str_from(head, at + key.n);
    head = str_head(head, str_find_char(head, '"'));
    for (size_t i = 0; i < sizeof verdicts / sizeof *verdicts; i++)
        if (str_is(head, verdicts[i]))
            return verdicts[i];
    return NULL;
}

static struct str skip_blank(struct str s)
{
    while (s.n && (s.p[0] == ' ' || s.p[0] == ':'))
        s = str_from(s, 1);
    return s;
}

/* The target as most write it, "target":"provider/model", near the beginning or the end. */
static void name_target(struct request *r, struct reply *a)
{
    struct str key = STR("\"target\""), s = str_head(r->body, LOOK);
    size_t at = str_find(s, key);
    if (at == SIZE_MAX && r->body.n > LOOK) {
        s = str_from(r->body, r->body.n - LOOK);
        at = str_find(s, key);
    }
    if (at == SIZE_MAX)
        return;
    s = skip_blank(str_from(s, at + key.n));
    if (!s.n || s.p[0] != '"')
        return;
    s = str_from(s, 1);
    s = str_head(s, str_find_char(s, '"'));
    size_t cut = str_find_char(s, '/');
    if (cut == s.n || s.n > 200 || str_find_char(s, '\\') < s.n)
        return;
    a->provider = str_dup(r->ar, str_head(s, cut)).p;
    a->model = str_dup(r->ar, str_from(s, cut + 1)).p;
}

/* -- one question ------------------------------------------------------------------------------ */

static void ask(struct request *r, struct reply *a, const char *op)
{
    cando_bytes reply;
    cando_error err;
    cando_status st =
        cando_call_op(r->engine, op, r->body.p ? r->body.p : "", r->body.n, r->room, &reply, &err);
    if (st == CANDO_INTERNAL) {
        reply_error(r, a, 500, CODE_memory, NULL, "there is no memory for the answer");
        return;
    }
    a->body = str_make(reply.p, reply.n);
    name_target(r, a);
    if (st == CANDO_OK) {
        a->verdict = verdict_in(a->body);
        events_decided(op, a->body);
        return;
    }
    enum code code = code_find(str_of(err.code));
    a->code = code_name(code);
    a->status = op && code == CODE_unknown_op ? 404 : code == CODE_too_long ? 413 : 400;
}

/* -- lines ------------------------------------------------------------------------------------- */

struct lines {
    struct stream s;
    char op[NAME_BYTES + 1]; /* or empty: they name it */
    const cando *engine;     /* held by the request, as the text is */
    struct str left;
};

static enum stream_state next_lines(struct stream *s, struct buf *out)
{
    struct lines *l = (struct lines *)s;
    while (l->left.n && out->n < FILL && !out->failed) {
        struct worker *w = http_worker();
        struct str line = str_head(l->left, str_find_char(l->left, '\n'));
        cando_bytes reply;
        l->left = str_from(l->left, line.n + 1);
        if (line.n && line.p[line.n - 1] == '\r')
            line.n--;
        if (!line.n)
            continue;
        if (!w || cando_call_op(l->engine, l->op[0] ? l->op : NULL, line.p, line.n, w->room, &reply,
                                NULL) == CANDO_INTERNAL)
            out->failed = true;
        else
            buf_puts(out, str_make(reply.p, reply.n));
        buf_putc(out, '\n');
    }
    return l->left.n ? STREAM_MORE : STREAM_END;
}

static void free_lines(struct stream *s)
{
    free(s);
}

/* Lines to an operation that is not there are one mistake, and not one each. */
static bool is_there(struct request *r, struct reply *a, const char *op)
{
    cando_bytes reply;
    cando_error err;
    cando_status st = cando_call_op(r->engine, op, "{}", 2, r->room, &reply, &err);
    if (st != CANDO_BAD_QUESTION || code_find(str_of(err.code)) != CODE_unknown_op)
        return true;
    a->body = str_make(reply.p, reply.n);
    a->status = 404;
    a->code = code_name(CODE_unknown_op);
    return false;
}

static void ask_lines(struct request *r, struct reply *a, const char *op)
{
    if (op && !is_there(r, a, op))
        return;
    struct lines *l = calloc(1, sizeof *l);
    if (!l) {
        reply_error(r, a, 503, CODE_memory, NULL, "there is no memory for the answer");
        return;
    }
    l->s = (struct stream){.next = next_lines, .free = free_lines};
    if (op)
        memcpy(l->op, op, strlen(op));
    l->engine = r->engine;
    l->left = r->body;
    a->type = "application/x-ndjson";
    a->stream = &l->s;
}

/* -- which of both ----------------------------------------------------------------------------- */

enum form { FORM_JSON, FORM_LINES, FORM_OTHER };

static enum form form_of(const struct request *r)
{
    const char *v = request_known(r, H_TYPE);
    struct str type = str_of(v ? v : "application/json");
    type = str_head(type, str_find_char(type, ';'));
    while (type.n && type.p[type.n - 1] == ' ')
        type.n--;
    if (str_eq_fold(type, STR("application/x-ndjson")) ||
        str_eq_fold(type, STR("application/jsonl")) || str_eq_fold(type, STR("application/ndjson")))
        return FORM_LINES;
    bool json = str_eq_fold(type, STR("application/json")) ||
                (type.n > 5 && str_eq_fold(str_from(type, type.n - 5), STR("+json")));
    return json ? FORM_JSON : FORM_OTHER;
}

static void answer(struct request *r, struct reply *a, const char *op)
{
    a->op = op ? op : "any";
    switch (form_of(r)) {
    case FORM_JSON:
        ask(r, a, op);
        return;
    case FORM_LINES:
        ask_lines(r, a, op);
        return;
    default:
        reply_error(r, a, 415, CODE_http_type,
                    "send Content-Type: application/json, or application/x-ndjson for JSON lines",
                    "a question is JSON, and this says that it is %.80s",
                    request_known(r, H_TYPE));
    }
}

void route_op(struct request *r, struct reply *a)
{
    if (!r->rest.n || r->rest.n > NAME_BYTES || str_find_char(r->rest, '/') < r->rest.n) {
        reply_error(r, a, 404, CODE_unknown_op, "GET /openapi.json lists the operations",
                    "there is no operation '%.*s'", STR_ARG(str_head(r->rest, 80)));
        return;
    }
    answer(r, a, str_dup(r->ar, r->rest).p);
}

void route_any_op(struct request *r, struct reply *a)
{
    answer(r, a, NULL);
}
