/*
 * schema.h - JSON Schema: does a value fit, and a value that does.
 *
 * The keywords of the drafts 4 to 2020-12 that are about values, references within the schema, and
 * the dialect of OpenAPI 3.0 (types in any case, `nullable`, numbers as texts). What is not
 * understood makes an answer unsure, never wrong. Schemas come from anywhere: steps, depth and size
 * are bounded (LIMIT_INSTANCE_*).
 */
#ifndef CANDO_SCHEMA_H
#define CANDO_SCHEMA_H

#include "json.h"

enum schema_says { SCHEMA_NO, SCHEMA_UNSURE, SCHEMA_YES };

struct schema_work {
    const struct json *root; /* that references go into */
    unsigned steps;          /* that are left */
};

enum schema_says schema_check(struct schema_work *w, const struct json *schema,
                              const struct json *value);
/* What a reference leads to; NULL: nowhere within the schema. */
const struct json *schema_follow(const struct schema_work *w, struct str ref);
/* A number of a schema, which may be written as text. */
bool schema_number(const struct json *v, double *out);
enum schema_kinds {
    KIND_NULL = 1,
    KIND_BOOLEAN = 2,
    KIND_INTEGER = 4,
    KIND_NUMBER = 8, /* a whole one is an integer as well */
    KIND_STRING = 16,
    KIND_ARRAY = 32,
    KIND_OBJECT = 64,
    KIND_ANY = 127,
};
/* pattern_check, at the cost of some steps. */
enum schema_says schema_pattern(struct schema_work *w, struct str pattern, struct str text);
/* What a `type` stands for: a word or a list. */
unsigned schema_kinds(const struct json *type);

/* A value that fits, as short as it may be. NULL: no memory (the arena says so), or there is none
 * that could be found. *doubt is NULL if the value fits for certain, else why it may not. */
const struct json *schema_make(struct arena *ar, const struct json *schema, const char **doubt);

/* -- pattern.c: regular expressions as schemas write them -- */

/* Does the text have it? */
enum schema_says pattern_check(struct str pattern, struct str text);
/* A short text that has it, of `least` characters if there is something in it to repeat. False: it
 * could not be found. */
bool pattern_make(struct str pattern, size_t least, struct buf *out);

#endif
