/*
 * need.h - what somebody wants of a model, how strongly, and who wants it.
 *
 * Requests, sessions, work orders and criteria all become lists of needs; the
 * functions that make them are here (requests, sessions, requirements, work orders)
 * and in select.h. None of them decides anything: check.h does.
 */
#ifndef CANDO_NEED_H
#define CANDO_NEED_H

#include "base/diag.h"
#include "catalog/planes.h"
#include "text/reading.h"

struct shape_words; /* text/shape.h */

enum need_kind { NEED_SLOT, NEED_NUMBER, NEED_SET };

struct need {
    uint8_t kind;           /* enum need_kind */
    uint8_t slot;           /* in the planes; a number's or set's index */
    uint8_t level;          /* cando_level */
    uint8_t min_support;    /* cando_min_support */
    bool general;           /* met as long as nobody says no */
    bool strict;            /* less than native is enough, and worth a warning */
    uint32_t set;           /* SET: words that must be there */
    uint64_t minimum;       /* NUMBER: 0 for "any" */
    struct str name;        /* as it was written */
    struct str required_by; /* empty: nobody is named */
    struct str path;        /* JSON Pointer into the text that was read */
};

/* What a check looks at of a need that is a slot. */
struct need_key {
    uint8_t slot, rule; /* rule: level << 2 | min_support */
};

/* Needs in order. The masks answer for all of them at once: which slots are
 * wanted at all, which levels there are, and whether there is anything besides
 * slots. */
struct need_list {
    struct need *need;
    struct need_key *key; /* one a need; of slots only */
    size_t n, cap, cap_keys;
    uint64_t want[2];
    uint8_t levels; /* a bit for each cando_level that occurs */
    bool others;    /* numbers or sets occur, too */
};

/* The place of a capability by a name of any vocabulary. */
bool need_find(struct str name, uint8_t *kind, uint8_t *slot);
/* The same, or an error with the nearest name. */
bool need_name(struct reading *r, struct str name, struct str at, uint8_t *kind, uint8_t *slot);
/* Our name of what is needed. */
const char *need_capability(const struct need *n);
/* The words that are bits of a set. */
bool need_set_words(struct reading *r, unsigned set, uint32_t bits, const char *const **out,
                    size_t *n);

void need_list_init(struct need_list *l);
bool need_add(struct reading *r, struct need_list *l, struct need n);

/* The parts of a session, in the order of negotiation. */
bool need_read_session(struct reading *r, const cando_session_parts *s, struct need_list *out);
/* What a request needs: each capability once, the window for the prompt and the answer,
 * the length of the answer if it asks for one. `api` may be NULL. The catalog has the
 * rules by which it is read. Not `all`: without what a verdict on the request tells better,
 * the capabilities whose no depends on the rest of the request or on who serves it. */
bool need_read_request(struct reading *r, const cando_catalog *cat, cando_bytes request,
                       const char *api, bool all, struct need_list *out);

/* Whichever of them the question has; two exclude each other. None is an error with
 * `hint`, or (NULL) needs nothing; then a request is judged besides. */
bool need_read_question(struct reading *r, const cando_catalog *cat, const cando_needs_question *q,
                        const char *hint, struct need_list *out);

/* Of a member of a question in C: is the number that of a word? */
bool need_word(struct reading *r, unsigned value, const struct shape_words *words, struct str at,
               const char *key);

extern const struct shape_words level_words, min_support_words, hook_kind_words;

/* The object behind cando_needs. */
struct cando_needs {
    const cando_allocator *a;
    struct arena ar;
    struct need_list list;
};

#endif
