/*
 * op.h - operations: one table, every door.
 *
 * An operation is a row: its name, its arguments and a function that reads the
 * parsed arguments and writes the result. The envelope, unknown arguments, the
 * echo of the id and all errors of the question are handled once, in call.c.
 */
#ifndef CANDO_OP_H
#define CANDO_OP_H

#include "base/diag.h"
#include "catalog/engine.h"
#include "text/shape.h"

/* A bad question. `at` is a JSON Pointer into the request. */
struct op_error {
    enum code code;
    struct str at, message, hint;
};

struct op_call {
    const cando_catalog *catalog; /* in force for this call */
    const cando_allocator *a;
    struct arena *ar;             /* for the length of the call */
    const struct json *args;      /* the whole request object */
    struct str text;              /* the request as it came: values know their bytes in it */
    struct json_writer *w;        /* the result goes here */
    struct op_error error;
};

struct op_arg {
    const char *name;
    bool required;
    const char *doc;
};

enum { OP_RULES = 1 }; /* takes `rules` and `overlay` */

/* An operation: its name, what it is for, the shapes of question and answer, and the
 * typed function between them. */
struct op {
    const char *name;
    const char *doc;
    const struct op_arg *arg; /* (old form) ends with a NULL name */
    /* (old form) False: c->error is set (CODE_memory if there is none). */
    bool (*run)(struct op_call *c);
    unsigned flags;
    struct shape question, answer;
    const void *(*ask)(const cando *c, const void *question, cando_room *room, cando_error *err);
    const char *example; /* a question */
};

/* The row of cando_ask_<id>, whose tables are called `question` and `answer`. */
#define OP(id, says, what, sample)                                                                              \
    static const void *ask(const cando *c, const void *q, cando_room *room, cando_error *err)                   \
    {                                                                                                           \
        return cando_ask_##id(c, q, room, err);                                                                 \
    }                                                                                                           \
    const struct op op_##id = {.name = #id, .doc = says, .flags = what, .ask = ask, .example = sample,          \
                               .question = SHAPE("'" #id "'", cando_##id##_question, question),                 \
                               .answer = SHAPE("the answer", cando_##id##_answer, answer)};

/* Shapes and words that several operations share (shared.c). */
extern const struct shape_words op_severities, op_syntaxes;
extern const struct shape op_name; /* cando_name, with NAMED */
extern const struct shape op_finding; /* cando_finding, of a request */
extern const struct shape op_tokens;
extern const struct shape op_tally, op_fact_source;
extern const struct shape op_field_value; /* of a MAP: cando_field_value */
/* One value: "native", {"restricted":{"reason":..}}, 200000, ["low"], {"agent":"off"}, null. */
void op_value(struct json_writer *w, const cando_value *v);
/* The JSON Schema of such values. */
extern const char op_value_schema[];
extern const struct shape op_reply; /* cando_usage_answer: op_usage.c */

/* What was written into a room's buffer. */
cando_status op_give(struct buf *b, cando_bytes *out, cando_error *err);

extern const struct op op_usage, op_cost;
extern const struct op op_needs, op_negotiate, op_match, op_select, op_redact, op_diff;
extern const struct op op_resolve, op_lint, op_model_id, op_explain;
extern const struct op op_import, op_conflicts;
extern const struct op op_models;
extern const struct op op_preflight;
extern const struct op op_learn;

bool old_run(const struct op *op, const cando *engine, struct cando_room *room, const struct json *args, struct str text,
             struct buf *out, cando_error *err);

/* Sets the error and returns false. `at` names the argument. */
bool op_fail(struct op_call *c, enum code code, struct str at, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
bool op_hint(struct op_call *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
bool op_memory(struct op_call *c);
/* From a library error (its message, hint and place). */
bool op_fail_error(struct op_call *c, struct str at, const cando_error *err);

/* -- arguments that several operations share (args.c) ------------------------------- */

/* A text argument; *out is empty if it is absent. */
bool arg_text(struct op_call *c, const char *name, struct str *out);
/* One of a list of words; *out is the index, or `absent`. */
bool arg_word(struct op_call *c, const char *name, const char *const *words, unsigned n, unsigned absent, unsigned *out);
/* `target`: "provider/model", "provider:model" or {"provider":..,"model":..}. */
bool arg_target(struct op_call *c, const char *name, struct str *provider, struct str *model);
/* The catalog that `rules` and `overlay` ask for: the one in force, or a new
 * one. To be released. NULL: c->error is set. */
const cando_catalog *arg_catalog(struct op_call *c);
bool syntax_by_name(struct str name, cando_syntax *out);
/* `sources`: files of other catalogs, read into claims (op_import.c). */
struct import;
bool arg_fact_sources(struct op_call *c, const struct id_tables *ids, struct import *im);

#endif
