#include "schema.h"

static bool is_comment(struct str key)
{
    return is_word_of("description title examples $schema", key);
}

/* -- questions -- */

static void put_plain(struct buf *b, const cando_json *schema);

/* What only the outermost has: its description, behind the plain form. */
static void put_choice(struct buf *b, const cando_json *schema, const cando_json *choices)
{
    cando_bytes key;
    cando_json first = cando_json_item(choices, 0, &key);
    cando_json about = cando_json_get(schema, "description");
    put_plain(b, &first);
    if (about.kind == CANDO_JSON_NONE || !b->n || b->failed)
        return;
    b->n--; /* the bracket that ends it */
    put_key(b, STR("description"));
    put_json(b, &about);
    buf_putc(b, '}');
}

static void put_plain(struct buf *b, const cando_json *schema)
{
    cando_json choices = cando_json_get(schema, "anyOf");
    if (choices.kind == CANDO_JSON_LIST && choices.n) {
        put_choice(b, schema, &choices);
        return;
    }
    buf_putc(b, '{');
    for (struct walk w = walk_of(schema); walk_next(&w);) {
        cando_bytes none;
        cando_json first = cando_json_item(&w.value, 0, &none);
        put_key(b, w.key);
        if (str_is(w.key, "items") && w.value.kind == CANDO_JSON_OBJECT)
            put_plain(b, &w.value);
        else
            put_json(b, str_is(w.key, "type") && w.value.n ? &first : &w.value);
    }
    buf_putc(b, '}');
}

static void put_argument(struct buf *b, struct str name, const cando_json *schema,
                         const char *objects)
{
    put_key(b, name);
    if (!is_word_of(objects, name)) {
        put_plain(b, schema);
        return;
    }
    cando_json about = cando_json_get(schema, "description");
    buf_putz(b, "{\"type\":\"object\",\"description\":");
    put_json(b, &about);
    buf_putc(b, '}');
}

void schema_members(struct buf *b, const cando_json *schema, const char *members,
                    const char *objects)
{
    cando_json all = cando_json_get(schema, "properties");
    struct str name;
    while (words_next(&members, &name))
        for (struct walk w = walk_of(&all); walk_next(&w);)
            if (str_eq(w.key, name))
                put_argument(b, name, &w.value, objects);
}

/* -- answers -- */

static void put_part(struct buf *b, const cando_json *schema, const char *inner);

static void put_required(struct buf *b, const cando_json *list, const char *members,
                         const char *inner)
{
    buf_putc(b, '[');
    for (struct walk w = walk_of(list); walk_next(&w);) {
        struct str name = text_of(&w.value);
        if ((members && !is_word_of(members, name)) || is_word_of(inner, name))
            continue;
        put_comma(b);
        put_string(b, name);
    }
    buf_putc(b, ']');
}

static void put_properties(struct buf *b, const cando_json *all, const char *inner)
{
    buf_putc(b, '{');
    for (struct walk w = walk_of(all); walk_next(&w);) {
        if (is_word_of(inner, w.key))
            continue;
        put_key(b, w.key);
        put_part(b, &w.value, inner);
    }
    buf_putc(b, '}');
}

static void put_part(struct buf *b, const cando_json *schema, const char *inner)
{
    if (schema->kind != CANDO_JSON_OBJECT) {
        put_json(b, schema);
        return;
    }
    buf_putc(b, '{');
    for (struct walk w = walk_of(schema); walk_next(&w);) {
        if (is_comment(w.key))
            continue;
        put_key(b, w.key);
        if (str_is(w.key, "properties"))
            put_properties(b, &w.value, inner);
        else if (str_is(w.key, "required"))
            put_required(b, &w.value, NULL, inner);
        else if (str_is(w.key, "items") || str_is(w.key, "additionalProperties"))
            put_part(b, &w.value, inner);
        else
            put_json(b, &w.value);
    }
    buf_putc(b, '}');
}

void schema_answer(struct buf *b, const cando_json *schema, const char *members, const char *inner)
{
    cando_json all = cando_json_get(schema, "properties");
    buf_putz(b, "{\"type\":\"object\",\"properties\":{");
    for (struct walk w = walk_of(&all); walk_next(&w);) {
        if (!is_word_of(members, w.key))
            continue;
        put_key(b, w.key);
        put_part(b, &w.value, inner);
    }
    buf_putz(b, "}}");
}

/* -- values -- */

static void put_members(struct buf *b, const cando_json *v, const cando_json *schema)
{
    cando_json known = cando_json_get(schema, "properties");
    cando_json rest = cando_json_get(schema, "additionalProperties");
    buf_putc(b, '{');
    for (struct walk w = walk_of(v); walk_next(&w);) {
        cando_json own = {.kind = CANDO_JSON_NONE};
        for (struct walk k = walk_of(&known); k.i < known.n && walk_next(&k);)
            if (str_eq(k.key, w.key))
                own = k.value;
        if (own.kind == CANDO_JSON_NONE && rest.kind == CANDO_JSON_BOOL && !is_true(&rest))
            continue;
        put_key(b, w.key);
        schema_put(b, &w.value, own.kind == CANDO_JSON_NONE ? &rest : &own);
    }
    buf_putc(b, '}');
}

void schema_put(struct buf *b, const cando_json *v, const cando_json *schema)
{
    cando_json items = cando_json_get(schema, "items");
    cando_json known = cando_json_get(schema, "properties");
    cando_json rest = cando_json_get(schema, "additionalProperties");
    bool object = known.kind == CANDO_JSON_OBJECT || rest.kind == CANDO_JSON_OBJECT;
    if (v->kind == CANDO_JSON_OBJECT && object) {
        put_members(b, v, schema);
        return;
    }
    if (v->kind != CANDO_JSON_LIST || items.kind != CANDO_JSON_OBJECT) {
        put_json(b, v);
        return;
    }
    buf_putc(b, '[');
    for (struct walk w = walk_of(v); walk_next(&w);) {
        put_comma(b);
        schema_put(b, &w.value, &items);
    }
    buf_putc(b, ']');
}
