/*
 * openapi.c - GET /openapi.json: what the daemon answers, as OpenAPI 3.1.
 *
 * Operations are described by the library (cando_schema), everything else by routes.def; nothing is
 * written here a second time. Both are the same as long as the daemon runs, so the text is made
 * once.
 */
#include "http.h"
#include "json.h"

#include "base/limits.h"

#include <pthread.h>
#include <stdio.h>

static struct {
    pthread_once_t once;
    struct buf text;
    char tag[24];
} doc = {.once = PTHREAD_ONCE_INIT};

/* -- operations -------------------------------------------------------------------------------- */

static void put_op(struct buf *b, struct str name, struct str schemas)
{
    struct str key, value, question = STR("{}"), answer = STR("{}");
    for (size_t at = 0; object_next(schemas, &at, &key, &value);)
        *(str_is(key, "question") ? &question : &answer) = value;
    buf_printf(b,
               ",\"/op/%.*s\":{\"post\":{\"operationId\":\"%.*s\",\"tags\":[\"operations\"],"
               "\"requestBody\":{\"required\":true,\"content\":{\"application/json\":{\"schema\":",
               STR_ARG(name), STR_ARG(name));
    buf_puts(b, question);
    buf_putz(b, "},\"application/x-ndjson\":{\"schema\":{\"type\":\"string\",\"description\":\"one "
                "question a line\"}}}},\"responses\":{\"200\":{\"description\":\"the answer\","
                "\"content\":{\"application/json\":{\"schema\":{\"type\":\"object\",\"properties\":"
                "{\"id\":{},\"ok\":{\"const\":true},\"result\":");
    buf_puts(b, answer);
    buf_putz(b, "},\"required\":[\"id\",\"ok\",\"result\"]}},\"application/x-ndjson\":{\"schema\":"
                "{\"type\":\"string\",\"description\":\"one reply a line, in order\"}}}},"
                "\"default\":{\"$ref\":\"#/components/responses/error\"}}}}");
}

static void put_ops(struct buf *b, struct str all)
{
    struct str name, schemas;
    for (size_t at = 0; object_next(all, &at, &name, &schemas);)
        put_op(b, name, schemas);
}

/* -- everything else --------------------------------------------------------------------------- */

static void put_lower(struct buf *b, const char *text)
{
    for (; *text; text++)
        buf_putc(b, char_fold(*text));
}

static void put_method(struct buf *b, const struct route *t, bool prefix)
{
    buf_putc(b, '"');
    put_lower(b, t->method);
    buf_putz(b, "\":{\"summary\":");
    json_text(b, t->summary);
    if (prefix)
        buf_putz(b, ",\"parameters\":[{\"name\":\"rest\",\"in\":\"path\",\"required\":true,"
                    "\"schema\":{\"type\":\"string\"}}]");
    if (t->flags & TAKES_BODY)
        buf_putz(b, ",\"requestBody\":{\"content\":{\"application/json\":{}}}");
    if (t->flags & OPEN)
        buf_putz(b, ",\"security\":[]");
    buf_putz(b, ",\"responses\":{\"200\":{\"description\":\"the answer\"},\"default\":{\"$ref\":"
                "\"#/components/responses/error\"}}}");
}

/* The first row of each path, with all methods of the path. */
static void put_route(struct buf *b, const struct route *first)
{
    struct str path = str_of(first->path);
    bool prefix = path.n && path.p[path.n - 1] == '*', more = false;
    for (const struct route *t = routes; t < first; t++)
        if (strcmp(t->path, first->path) == 0)
            return;
    if (str_starts(path, STR("/op/")))
        return; /* each by its name */
    path = str_from(path, path.p[0] == '*'); /* anywhere, and alone */
    buf_printf(b, "%s\"%.*s%s\":{", b->p[b->n - 1] == '{' ? "" : ",",
               STR_ARG(str_head(path, path.n - prefix)), prefix ? "{rest}" : "");
    for (const struct route *t = first; t->method; t++) {
        if (strcmp(t->path, first->path) != 0)
            continue;
        if (more)
            buf_putc(b, ',');
        put_method(b, t, prefix);
        more = true;
    }
    buf_putc(b, '}');
}

static void make(void)
{
    struct buf *b = &doc.text;
    cando_room *room = cando_room_new(NULL, NULL);
    cando_bytes all = {NULL, 0};
    buf_init(b, NULL, LIMIT_JSON_BYTES);
    buf_printf(b,
               "{\"openapi\":\"3.1.0\",\"info\":{\"title\":\"cando\",\"version\":\"%s\","
               "\"description\":\"what language models can do, and who says so\",\"license\":"
               "{\"name\":\"see LICENSE\"}},\"servers\":[{\"url\":\"/\"}],\"security\":[{},"
               "{\"token\":[]}],\"paths\":{",
               cando_version());
    for (const struct route *t = routes; t->method; t++)
        put_route(b, t);
    if (!room || cando_schema(NULL, room, &all, NULL) != CANDO_OK)
        b->failed = true;
    else
        put_ops(b, str_make(all.p, all.n));
    buf_putz(b, "},\"components\":{\"securitySchemes\":{\"token\":{\"type\":\"http\",\"scheme\":"
                "\"bearer\"}},\"responses\":{\"error\":{\"description\":\"what is wrong, and a way "
                "out\",\"content\":{\"application/json\":{\"schema\":{\"type\":\"object\","
                "\"properties\":{\"id\":{},\"ok\":{\"const\":false},\"error\":{\"type\":\"object\","
                "\"properties\":{\"code\":{\"type\":\"string\"},\"message\":{\"type\":\"string\"},"
                "\"at\":{\"type\":\"string\"},\"hint\":{\"type\":\"string\"}},\"required\":"
                "[\"code\",\"message\"]}},\"required\":[\"id\",\"ok\",\"error\"]}}}}}}}\n");
    cando_room_free(room);
    uint64_t hash = str_hash(str_make(b->p, b->n), 0);
    snprintf(doc.tag, sizeof doc.tag, "W/\"%016jx\"", (uintmax_t)hash);
}

void route_openapi(struct request *r, struct reply *a)
{
    pthread_once(&doc.once, make);
    if (doc.text.failed) {
        reply_error(r, a, 500, CODE_memory, NULL, "there is no memory for the description");
        return;
    }
    if (reply_unchanged(r, a, doc.tag))
        return;
    a->body = str_make(doc.text.p, doc.text.n);
    a->is_static = true;
}

void openapi_stop(void)
{
    buf_free(&doc.text);
}
