/*
 * put.h - JSON into a buffer, and JSON as words for people.
 */
#ifndef CANDO_MCP_PUT_H
#define CANDO_MCP_PUT_H

#include "base/buf.h"

static inline struct str bytes_str(cando_bytes b)
{
    return str_make(b.p, b.n);
}

/* The text of a string; empty for anything else. */
static inline struct str text_of(const cando_json *v)
{
    return v->kind == CANDO_JSON_STRING ? bytes_str(v->text) : STR("");
}

static inline struct str text_at(const cando_json *v, const char *key)
{
    cando_json x = cando_json_get(v, key);
    return text_of(&x);
}

static inline bool is_true(const cando_json *v)
{
    return v->kind == CANDO_JSON_BOOL && v->bytes.p[0] == 't';
}

/* A whole number from 0 to `most`; `otherwise` if it is absent. False: it is none. */
bool count_of(const cando_json *v, uint64_t most, uint64_t otherwise, uint64_t *out);

/* Is the word in a list separated by spaces? */
bool is_word_of(const char *list, struct str word);

/* A value without white space between its parts: it may come from a page for people, and a message
 * on stdio is one line. */
void put_json(struct buf *b, const cando_json *v);
/* A string in quotes. */
void put_string(struct buf *b, struct str s);
/* `"key":`, with a comma before it unless it is the first in its object. */
void put_key(struct buf *b, struct str key);
/* The comma alone, before an item that is not the first of its list. */
void put_comma(struct buf *b);

/* Of an object its members, of a list its items, one after the other:
 *
 *     for (struct walk w = walk_of(&v); walk_next(&w);)
 *         w.key, w.value
 */
struct walk {
    cando_json of, value;
    struct str key;
    size_t i; /* behind this one */
};
static inline struct walk walk_of(const cando_json *v)
{
    return (struct walk){.of = *v};
}
static inline bool walk_next(struct walk *w)
{
    cando_bytes key;
    if (w->i >= w->of.n)
        return false;
    w->value = cando_json_item(&w->of, w->i++, &key);
    w->key = bytes_str(key);
    return true;
}

/* In words: "native", "restricted: why", "low, high", "a = b, c = d"; null is "unknown". */
void put_words(struct buf *b, const cando_json *v);
/* A number with commas: 1,047,576. Anything else as it is. */
void put_count(struct buf *b, const cando_json *v);

#endif
