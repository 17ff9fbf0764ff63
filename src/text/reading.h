/*
 * reading.h - what every reader of a question shares: memory and the one error.
 *
 * A reader returns false and has said why: the code, the JSON Pointer of the
 * culprit, what was expected and a way out. The error is the public one, so that it
 * goes to the caller as it is.
 */
#ifndef CANDO_READING_H
#define CANDO_READING_H

#include "json_pick.h"

struct reading {
    struct arena *ar;
    cando_error error; /* .status is CANDO_OK until something failed */
};

/* For a reading of every question: most have no error, and its texts are long. */
static inline void reading_begin(struct reading *r, struct arena *ar)
{
    r->ar = ar;
    r->error.status = CANDO_OK;
    r->error.code[0] = r->error.message[0] = r->error.hint[0] = r->error.at[0] = '\0';
    r->error.line = r->error.column = 0;
}

/* Each sets the error and is false. `at` is a JSON Pointer; no memory for it or for the
 * message is an error of its own. */
bool reading_fail(struct reading *r, enum code code, struct str at, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
bool reading_hint(struct reading *r, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "did you mean 'near'?"; without one the other hint, which may be NULL. */
bool reading_suggest(struct reading *r, struct str near, const char *otherwise);
/* NULL, which is false. */
static inline void *reading_memory(struct reading *r)
{
    return no_memory(&r->error);
}
/* An error of a library call, at a place of the question. */
bool reading_error(struct reading *r, struct str at, const cando_error *err);
bool reading_no_memory(const struct reading *r);
/* The error for the caller (may be NULL); gives its status. */
cando_status reading_end(const struct reading *r, cando_error *err);

/* A copy for an answer, NUL-terminated; NULL for no text at all (p is NULL), and where
 * there is no memory, which the error then says. */
const char *reading_copy(struct reading *r, struct str s);

/* The day "at" of a question, "2026-11-15" or a time on it, as a number; 0 for NULL: today. */
bool reading_day(struct reading *r, const char *text, uint32_t *out);

/* -- a parsed value, step by step: for shapes that no table describes -- */
struct str reading_at(struct reading *r, struct str at, const char *key);
struct str reading_at_index(struct reading *r, struct str at, size_t i);
bool reading_object(struct reading *r, const struct json *v, struct str at, const char *what);
bool reading_array(struct reading *r, const struct json *v, struct str at, const char *what);
/* No keys but those of a list separated by spaces. */
bool reading_keys(struct reading *r, const struct json *v, struct str at, const char *what,
                  const char *keys);
/* A member that is a string. */
bool reading_text(struct reading *r, const struct json *v, struct str at, const char *key,
                  struct str *out);
/* JSON that stands in a question as bytes, as a tree; NULL: the error is set, at `at`. */
const struct json *reading_json(struct reading *r, cando_bytes text, struct str at);
/* Only what is picked of it. */
const struct json *reading_picked(struct reading *r, cando_bytes text, struct str at,
                                  const struct json_pick *pick, unsigned n);

#endif
