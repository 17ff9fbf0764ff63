/*
 * shape.h - JSON objects as C structs: a shape is a table with one row a member.
 *
 *     #define S cando_explain_question
 *     static const struct shape_member explain_question[] = {
 *         TEXT(code, NEEDED, "the code of a finding or an error"),
 *     };
 *     #undef S
 *     static const struct shape question =
 *         SHAPE("a question", cando_explain_question, explain_question);
 *
 * From the table come the reader with all its errors (unknown member with a suggestion,
 * wrong kind, missing, each with its JSON Pointer), the writer, the JSON Schema and the
 * documentation. The row of a member names its type in C by what the row is called,
 * and a row that does not fit the struct does not compile.
 *
 *     row       in C                                  in JSON
 *     TEXT      const char *name; NULL: absent        a string without NUL
 *     MONEY     const char *name                      a decimal number as a string
 *     STRING    cando_bytes name, decoded             a string, any bytes
 *     FLAG      bool name                             true, false
 *     COUNT     uint64_t or uint32_t name             a whole number
 *     NUMBER    cando_number name; .known             a whole number, or null
 *     WORD      an enum                               one of its words
 *     JSON      cando_bytes name, as it stands        any value
 *     OBJECT    const struct *name; NULL: absent      an object
 *     SPREAD    const struct *name                    its members, at this level (answers only)
 *     LIST      const struct *name; size_t n_name     a list of objects
 *     TEXTS     const char *const *name; size_t n_name   a list of strings
 *     MAP       const struct *name; size_t n_name     an object: the first member of each
 *                                                     struct is the key, the second the value
 *                                                     (with OMIT: what has none is left out)
 *     OTHER     anything                              written by a function of its own
 */
#ifndef CANDO_SHAPE_H
#define CANDO_SHAPE_H

#include "reading.h"

enum shape_kind {
    SHAPE_TEXT,
    SHAPE_MONEY,
    SHAPE_STRING,
    SHAPE_FLAG,
    SHAPE_COUNT,
    SHAPE_COUNT32,
    SHAPE_NUMBER,
    SHAPE_WORD,
    SHAPE_JSON,
    SHAPE_OBJECT,
    SHAPE_SPREAD,
    SHAPE_LIST,
    SHAPE_TEXTS,
    SHAPE_MAP,
    SHAPE_OTHER,
};

enum shape_flags {
    NEEDED = 1,   /* a question without it is refused; an answer always has it, and never null */
    NULLS = 2,    /* null is the same as absent */
    OMIT = 4,     /* an answer leaves it out where there is nothing to say, else it is null;
                     a WORD also where it is the first */
    ALONE = 8,    /* LIST, TEXTS: one item may stand without its brackets */
    NUMBERS = 16, /* TEXT, MONEY: a JSON number is taken too, as it is written;
                     STRING-valued MAPs likewise */
    BOOLS = 32,   /* WORD: false and true are the words number 0 and 1 */
    NAMED = 64,   /* OBJECT, LIST: a string alone is the first member of the object */
    ON = 128,     /* FLAG: true where a question in JSON does not say */
    LEAVES = 128, /* LIST of objects that begin with TEXTS and JSON, a path and its value: an object
                     may stand in its place, of which each value that is none is an item */
    NONE = 0,
};

struct shape_words {
    const char *const *word; /* of the enum's values from 0 on; NULL: null */
    unsigned n;
};

struct shape_other {
    void (*write)(struct json_writer *w, const void *object); /* the whole struct, or the member */
    const char *schema;                                       /* of the value, as JSON */
};

struct shape;
struct shape_member {
    const char *name; /* in JSON */
    const char *doc;  /* one line */
    const void *of;   /* struct shape, shape_words, shape_other */
    uint16_t at, n_at;
    uint8_t kind, flags;
    uint8_t length; /* of the name */
};

struct shape {
    const char *what; /* "a requirement", for messages */
    const struct shape_member *member;
    uint16_t n, size;
    bool open; /* members that the table does not have are passed over, but for slips of the pen */
};

#define SHAPE(what, type, table)                                                                   \
    {                                                                                              \
        what, table, sizeof(table) / sizeof *(table), sizeof(type), false                          \
    }
#define SHAPE_OPEN(what, type, table)                                                              \
    {                                                                                              \
        what, table, sizeof(table) / sizeof *(table), sizeof(type), true                           \
    }
#define WORDS(table)                                                                               \
    {                                                                                              \
        table, sizeof(table) / sizeof *(table)                                                     \
    }

/* The offset of a member that has this type; any other does not compile. */
#define SHAPE_AT_(m, type)                                                                         \
    (uint16_t)(offsetof(S, m) + 0 * sizeof(char[_Generic(((S *)0)->m, type : 1)]))
#define SHAPE_SIZED_(m, bytes)                                                                     \
    (uint16_t)(offsetof(S, m) + 0 * sizeof(char[sizeof(((S *)0)->m) == (bytes) ? 1 : -1]))
#define SHAPE_N_(m) SHAPE_AT_(n_##m, size_t)

/* `json` is the name in JSON where it is not the member's. */
#define TEXT_AS(m, json, flags, doc)                                                               \
    {                                                                                              \
        json, doc, NULL, SHAPE_AT_(m, const char *), 0, SHAPE_TEXT, flags, sizeof(json) - 1        \
    }
#define TEXT(m, flags, doc) TEXT_AS(m, #m, flags, doc)
#define MONEY(m, flags, doc)                                                                       \
    {                                                                                              \
#m, doc, NULL, SHAPE_AT_(m, const char *), 0, SHAPE_MONEY, flags, sizeof(#m) - 1                   \
    }
#define STRING(m, flags, doc)                                                                      \
    {                                                                                              \
#m, doc, NULL, SHAPE_AT_(m, cando_bytes), 0, SHAPE_STRING, flags, sizeof(#m) - 1                   \
    }
#define FLAG(m, flags, doc)                                                                        \
    {                                                                                              \
#m, doc, NULL, SHAPE_AT_(m, bool), 0, SHAPE_FLAG, flags, sizeof(#m) - 1                            \
    }
#define COUNT(m, flags, doc)                                                                       \
    {                                                                                              \
#m, doc, NULL, (uint16_t)offsetof(S, m), 0,                                                \
            _Generic(((S *)0)->m, uint64_t                                                         \
                     : SHAPE_COUNT, uint32_t                                                       \
                     : SHAPE_COUNT32),                                                             \
            flags, sizeof(#m) - 1                                                                  \
    }
#define NUMBER(m, flags, doc)                                                                      \
    {                                                                                              \
#m, doc, NULL, SHAPE_AT_(m, cando_number), 0, SHAPE_NUMBER, flags, sizeof(#m) - 1                  \
    }
#define WORD_AS(m, json, words, flags, doc)                                                        \
    {                                                                                              \
        json, doc, words, SHAPE_SIZED_(m, 4), 0, SHAPE_WORD, flags, sizeof(json) - 1               \
    }
#define WORD(m, words, flags, doc) WORD_AS(m, #m, words, flags, doc)
#define JSON(m, flags, doc)                                                                        \
    {                                                                                              \
#m, doc, NULL, SHAPE_AT_(m, cando_bytes), 0, SHAPE_JSON, flags, sizeof(#m) - 1                     \
    }
#define OBJECT(m, shape, flags, doc)                                                               \
    {                                                                                              \
#m, doc, shape, SHAPE_SIZED_(m, sizeof(void *)), 0, SHAPE_OBJECT, flags, sizeof(#m) - 1            \
    }
#define SPREAD(m, shape)                                                                           \
    {                                                                                              \
        "", "", shape, SHAPE_SIZED_(m, sizeof(void *)), 0, SHAPE_SPREAD, 0, 0                      \
    }
#define LIST(m, shape, flags, doc)                                                                 \
    {                                                                                              \
#m, doc, shape, SHAPE_SIZED_(m, sizeof(void *)), SHAPE_N_(m), SHAPE_LIST, flags, sizeof(#m) - 1    \
    }
#define TEXTS_AS(m, json, flags, doc)                                                              \
    {                                                                                              \
        json, doc, NULL, SHAPE_AT_(m, const char *const *), SHAPE_N_(m), SHAPE_TEXTS, flags,       \
            sizeof(json) - 1                                                                       \
    }
#define TEXTS(m, flags, doc) TEXTS_AS(m, #m, flags, doc)
#define MAP_OF(m, n, shape, flags, doc)                                                            \
    {                                                                                              \
#m, doc, shape, SHAPE_SIZED_(m, sizeof(void *)), SHAPE_AT_(n, size_t), SHAPE_MAP, flags,           \
            sizeof(#m) - 1                                                                         \
    }
#define MAP(m, shape, flags, doc) MAP_OF(m, n_##m, shape, flags, doc)
/* The same, absent where the pointer m is NULL, which must not be the first member. */
#define OTHER_OF(m, other, flags, doc)                                                             \
    {                                                                                              \
        #m, doc, other, offsetof(S, m), 0, SHAPE_OTHER, flags, sizeof(#m) - 1                      \
    }
#define OTHER(json, other, flags, doc)                                                             \
    {                                                                                              \
        json, doc, other, 0, 0, SHAPE_OTHER, flags, sizeof(json) - 1                               \
    }
/* Written by a function of the member alone. */
#define OTHER_IN(m, other, flags, doc)                                                             \
    {                                                                                              \
        #m, doc, other, 0, offsetof(S, m), SHAPE_OTHER, flags, sizeof(#m) - 1                      \
    }

/* Fills `out` (zeroed, of the shape's size) from an object. `text` is what `v` was parsed
 * from; JSON members point into it. Members whose names are among the words of `also` are not
 * looked at. What is read lives in the reader's arena. */
bool shape_read(struct reading *r, const struct shape *s, const struct json *v, struct str text,
                const char *also, void *out);
/* The same of one member, by its name. */
bool shape_read_member(struct reading *r, const struct shape *s, const char *member,
                       const struct json *v, struct str text, void *out);
/* The member of this name in JSON, or NULL. */
const struct shape_member *shape_find(const struct shape *s, struct str name);
/* Writes the object. */
void shape_write(struct json_writer *w, const struct shape *s, const void *object);
/* Writes the members of its JSON Schema (2020-12) into an object that is open; `question`:
 * what may be asked, else what is answered. `also`: more "properties", as the text of
 * members that follow, or NULL. */
void shape_schema(struct json_writer *w, const struct shape *s, bool question, const char *also);
/* The same of one member. */
void shape_schema_member(struct json_writer *w, const struct shape_member *m, bool question);

#endif
