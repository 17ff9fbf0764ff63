/*
 * view.c - JSON for programs that use the library: the tree of src/text/json.h, seen from outside.
 *
 * A value knows its place in the text, so a view needs nothing but the value and where the text
 * begins; that follows from the view that it was asked of.
 */
#include "catalog/engine.h"
#include "text/reading.h"

static cando_json view(const char *text, const struct json *v)
{
    static const cando_json_kind kinds[] = {
        [JSON_NULL] = CANDO_JSON_NULL,     [JSON_FALSE] = CANDO_JSON_BOOL,
        [JSON_TRUE] = CANDO_JSON_BOOL,     [JSON_NUMBER] = CANDO_JSON_NUMBER,
        [JSON_STRING] = CANDO_JSON_STRING, [JSON_ARRAY] = CANDO_JSON_LIST,
        [JSON_OBJECT] = CANDO_JSON_OBJECT,
    };
    if (!v)
        return (cando_json){.kind = CANDO_JSON_NONE};
    cando_json out = {.kind = kinds[v->kind], .n = v->n, .of = v};
    out.bytes = (cando_bytes){text + v->at, v->end - v->at};
    if (v->kind == JSON_STRING)
        out.text = (cando_bytes){v->text.p, v->text.n};
    return out;
}

static cando_json inside(const cando_json *v, const struct json *child)
{
    const struct json *own = v->of;
    return child ? view(v->bytes.p - own->at, child) : (cando_json){.kind = CANDO_JSON_NONE};
}

cando_status cando_json_read(const char *text, size_t len, cando_room *room, cando_json *out,
                             cando_error *err)
{
    struct reading r = {.ar = &room->ar};
    const struct json *v = reading_json(&r, (cando_bytes){text, len}, STR(""));
    *out = view(text, v);
    if (!v && !reading_no_memory(&r))
        r.error.status = CANDO_BAD_INPUT;
    return v ? CANDO_OK : reading_end(&r, err);
}

cando_json cando_json_get(const cando_json *v, const char *key)
{
    bool object = v->kind == CANDO_JSON_OBJECT;
    return inside(v, object ? json_get(v->of, key) : NULL);
}

cando_json cando_json_item(const cando_json *v, size_t i, cando_bytes *key)
{
    const struct json *own = v->of;
    bool there = i < v->n;
    *key = (cando_bytes){NULL, 0};
    if (there && v->kind == CANDO_JSON_OBJECT)
        *key = (cando_bytes){own->key[i].text.p, own->key[i].text.n};
    return inside(v, there ? &own->item[i] : NULL);
}
