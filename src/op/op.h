/*
 * op.h - operations: one table, every door.
 *
 * An operation is a row: its name, the shapes of its question and its answer, and the
 * typed function between them. The envelope, the echo of the id, rules that come with a
 * question and all errors are handled once, in call.c.
 */
#ifndef CANDO_OP_H
#define CANDO_OP_H

#include "base/diag.h"
#include "catalog/engine.h"
#include "text/shape.h"

/* Takes `rules` and `overlay`; and without a catalog what it says of requests is still known. */
enum { OP_RULES = 1, OP_REQUESTS = 2 };

/* An operation: its name, what it is for, the shapes of question and answer, and the
 * typed function between them. */
struct op {
    const char *name;
    const char *doc;
    unsigned flags;
    struct shape question, answer;
    const void *(*ask)(const cando *c, const void *question, cando_room *room, cando_error *err);
    const char *example; /* a question */
};

/* The row of cando_ask_<id>, whose tables are called `question` and `answer`. */
#define OP(id, says, what, sample)                                                                 \
    static const void *ask(const cando *c, const void *q, cando_room *room, cando_error *err)      \
    {                                                                                              \
        return cando_ask_##id(c, q, room, err);                                                    \
    }                                                                                              \
    const struct op op_##id = {                                                                    \
        .name = #id,                                                                               \
        .doc = says,                                                                               \
        .flags = what,                                                                             \
        .ask = ask,                                                                                \
        .example = sample,                                                                         \
        .question = SHAPE("'" #id "'", cando_##id##_question, question),                           \
        .answer = SHAPE("the answer", cando_##id##_answer, answer),                                \
    };

/* Shapes and words that several operations share (shared.c). */
extern const struct shape_words op_severities, op_syntaxes;
extern const struct shape op_name;    /* cando_name, with NAMED */
extern const struct shape op_finding; /* cando_finding, of a request */
extern const struct shape op_tokens;
extern const struct shape op_tally, op_fact_source;
/* Fields of a view as an object; the name "a/b" is the member b of the object a. */
void op_put_fields(struct json_writer *w, const cando_field_value *field, size_t n_fields);
extern const struct shape op_field_value; /* of a MAP: cando_field_value */
/* A cando_value: "native", {"restricted":{"reason":..}}, 200000, ["low"], {"agent":"off"}, null. */
extern const struct shape_other op_value;
extern const struct shape op_reply; /* cando_usage_answer: op_usage.c */

/* What was written into a room's buffer. */
cando_status op_give(struct buf *b, cando_bytes *out, cando_error *err);

extern const struct op op_usage, op_cost;
extern const struct op op_needs, op_negotiate, op_match, op_select, op_redact, op_diff;
extern const struct op op_resolve, op_lint, op_model_id, op_explain;
extern const struct op op_import, op_conflicts;
extern const struct op op_models, op_retiring;
extern const struct shape op_preflight_answer;
extern const struct shape op_header; /* of a MAP: cando_guard_header */
extern const struct op op_preflight, op_fields, op_guard, op_stand_in;
extern const struct op op_learn;

#endif
