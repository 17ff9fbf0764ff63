/*
 * json.h - JSON in and out.
 *
 * In: strict RFC 8259 into a tree in the caller's arena. UTF-8 is checked,
 * duplicate keys are an error, numbers keep their text, every value knows its
 * bytes in the input. A member that somebody else will read (the body of a
 * request) can be kept as it is. Out: a streaming writer into a buffer that
 * puts the commas itself.
 */
#ifndef CANDO_JSON_H
#define CANDO_JSON_H

#include "base/buf.h"
#include "base/diag.h"

enum json_kind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT,
    JSON_RAW, /* kept by json_parse_keeping: its end is known, nothing else */
};

struct json {
    enum json_kind kind;
    uint32_t at, end;     /* bytes [at, end) of the input */
    size_t n;             /* ARRAY, OBJECT: how many values; else 0 */
    struct str text;      /* STRING: decoded. NUMBER: as written. Both with a NUL behind.
                           * RAW: its bytes, in the input itself, without one */
    struct json *item;    /* ARRAY: n values. OBJECT: n values, keys in `key` */
    struct json_key *key; /* OBJECT */
};

struct json_key {
    struct str text;  /* decoded; may contain NUL bytes */
    uint32_t at, end; /* with the quotes */
};

struct json_error {
    enum code code; /* CODE_json_*, CODE_memory */
    size_t at;      /* byte offset of the culprit */
    uint32_t line, column;
    char message[160];
};

/* One value with white space around it and nothing else. NULL on error. */
struct json *json_parse(struct arena *ar, struct str text, struct json_error *err);

/* Like json_parse, but a member of the outermost object for whose key keep()
 * is true is only stepped over and becomes a JSON_RAW: strings end, brackets
 * match, nothing else in it has been checked. Who uses it must read it, by
 * json_raw_parse or in another way that checks it. An error is the one that
 * json_parse gives for the same text. */
typedef bool json_keep_fn(void *ctx, struct str key);
struct json *json_parse_keeping(struct arena *ar, struct str text, json_keep_fn *keep, void *ctx,
                                struct json_error *err);
/* Reads a JSON_RAW of that text; places are those in the whole text. Any other
 * value is given back as it is. NULL on error. */
const struct json *json_raw_parse(struct arena *ar, struct str text, const struct json *v,
                                  struct json_error *err);

/* Decodes what stands between the quotes of a valid string: writes at most
 * escaped.n bytes and returns how many. out may be where `escaped` begins. */
size_t json_unescape(struct str escaped, char *out);

/* The member of an object, or NULL. */
const struct json *json_member(const struct json *object, struct str key);
static inline const struct json *json_get(const struct json *object, const char *key)
{
    return json_member(object, str_of(key));
}
/* Of a member that may not be there. */
static inline bool json_is_true(const struct json *v)
{
    return v && v->kind == JSON_TRUE;
}
/* A whole number from 0 to LIMIT_NUMBER, written as an integer or as a number
 * with a zero fraction or an exponent that makes it whole (1e3, 2.0). */
bool json_uint(const struct json *v, uint64_t *out);
const char *json_kind_name(const struct json *v);            /* "a string", "null", ... */
bool json_equal(const struct json *a, const struct json *b); /* order of keys does not count */

/* -- writing --------------------------------------------------------------- */

#define JSON_WRITER_DEPTH 64

struct json_writer {
    struct buf *out;
    unsigned depth;
    bool more[JSON_WRITER_DEPTH + 1]; /* something stands before at this level; never at 0 */
    bool after_key;
    bool pretty; /* two spaces a level, a member a line */
};

void jw_init(struct json_writer *w, struct buf *out, bool pretty);
void jw_object(struct json_writer *w);
void jw_object_end(struct json_writer *w);
void jw_array(struct json_writer *w);
void jw_array_end(struct json_writer *w);
void jw_key(struct json_writer *w, struct str key);
/* A key of printable ASCII without '"' and '\\': it is not looked at. */
void jw_key_plain(struct json_writer *w, struct str key);
/* The same for a literal. */
#define jw_lit(w, key) jw_key_plain((w), STR("" key))
void jw_str(struct json_writer *w, struct str s); /* invalid UTF-8 becomes U+FFFD */
void jw_uint(struct json_writer *w, uint64_t v);
void jw_int(struct json_writer *w, int64_t v);
void jw_raw(struct json_writer *w, struct str json); /* a value that is JSON already */
/* A parsed value, numbers as they were written, kept bytes as they are. */
void jw_value(struct json_writer *w, const struct json *v);

static inline void jw_keyz(struct json_writer *w, const char *key)
{
    jw_key(w, str_of(key));
}

static inline void jw_bool(struct json_writer *w, bool v)
{
    jw_raw(w, v ? STR("true") : STR("false"));
}

static inline void jw_null(struct json_writer *w)
{
    jw_raw(w, STR("null"));
}

/* NULL writes null. */
static inline void jw_strz(struct json_writer *w, const char *z)
{
    if (z)
        jw_str(w, str_of(z));
    else
        jw_null(w);
}

/* The JSON Pointer (RFC 6901) escape of one reference token, appended. */
void json_pointer_token(struct buf *out, struct str token);
/* The value that a JSON Pointer points to, or NULL. */
const struct json *json_pointer(const struct json *root, struct str pointer);

#endif
