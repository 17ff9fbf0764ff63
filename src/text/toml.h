/*
 * toml.h - a complete reader of TOML 1.0 that knows the place of everything.
 *
 * The text is parsed into a tree in the caller's arena. Every key and every
 * value has its line, column and width, because what we do with rule files is
 * mostly to complain about them. Strings and keys are decoded copies; numbers
 * and dates keep the text they were written as, so that a price of 0.1 is 0.1.
 * All of these lie in the arena, not in the text given, and end with a NUL.
 */
#ifndef CANDO_TOML_H
#define CANDO_TOML_H

#include "base/diag.h"

enum toml_kind {
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOLEAN,
    TOML_OFFSET_DATETIME, /* 1979-05-27T07:32:00Z */
    TOML_LOCAL_DATETIME,
    TOML_LOCAL_DATE,
    TOML_LOCAL_TIME,
    TOML_ARRAY,
    TOML_TABLE,
};

/* 1-based line and column; columns and widths count characters. */
struct toml_pos {
    uint32_t line, column, width;
};

struct toml {
    enum toml_kind kind;
    struct toml_pos at;       /* of the value; for a [table] of its header's last key part */
    struct str text;          /* STRING: decoded. Numbers, booleans, dates: as written */
    int64_t integer;          /* INTEGER */
    double real;              /* FLOAT */
    bool boolean;             /* BOOLEAN */
    bool of_tables;           /* ARRAY: written as [[name]] */
    uint8_t closed;           /* (the reader's own) */
    struct toml **item;       /* ARRAY */
    struct toml_entry *entry; /* TABLE, in the order of the text */
    size_t n;                 /* number of items or entries */
    size_t cap;               /* (the reader's own) */
    void *index;              /* (the reader's own) */
};

struct toml_entry {
    struct str key;
    struct toml_pos at;
    struct toml *value;
};

/* Parses `text` (UTF-8, a BOM is skipped). Gives the root table, or NULL with
 * `*code`, `*at` and a message in `message` (size bytes): the first error ends
 * the parse. Out of memory is CODE_memory. */
struct toml *toml_parse(struct arena *ar, struct str text, enum code *code, struct toml_pos *at,
                        char *message, size_t size);

/* The value of a key in a table, or NULL. */
struct toml *toml_get(const struct toml *table, struct str key);
/* The entry (with the key's place), or NULL. */
struct toml_entry *toml_entry_of(const struct toml *table, struct str key);
/* "a string", "an integer", ...: for messages. */
const char *toml_kind_name(enum toml_kind kind);

#endif
