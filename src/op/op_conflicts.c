/*
 * op_conflicts.c - the question and the answer of `conflicts`.
 */
#include "facts/conflicts.h"
#include "op.h"

static const struct shape_words kinds = WORDS(conflict_words);

#define S cando_conflicts_question
static const struct shape_member question[] = {
    OBJECT(target, &op_name, NAMED, "only this model"),
    TEXT(provider, NONE, "only this provider"),
    TEXT(field, NONE, "only this field; 'price' is every rate"),
    TEXT(source, NONE, "only where this source spoke"),
    WORD(kind, &kinds, NONE, "only this kind"),
    NUMBER(limit, NONE, "list at most so many"),
    LIST(sources, &op_fact_source, NONE, "compare these files, not the catalog's claims"),
};
#undef S

#define S cando_claim
static const struct shape_member claim[] = {
    TEXT(source, NEEDED, "who said it"),
    TEXT(day, NEEDED, "when"),
    TEXT(value, NONE, "null: it lists the model and says nothing"),
    TEXT(on, OMIT, "the field it spoke of, where that is another"),
    FLAG(wins, NEEDED, "this is in force"),
};
#undef S
static const struct shape claim_shape = SHAPE("a claim", cando_claim, claim);

#define S cando_conflict
static const struct shape_member conflict[] = {
    TEXT(provider, NEEDED, "who serves it"), TEXT(model, NEEDED, "its id there"),
    TEXT(field, NEEDED, "what is disputed"), WORD(kind, &kinds, NEEDED, "how bad it is"),
    TEXT(value, NONE, "what is in force"),   LIST(claims, &claim_shape, NEEDED, "what each said"),
};
#undef S
static const struct shape conflict_shape = SHAPE("a conflict", cando_conflict, conflict);

#define S cando_score
static const struct shape_member score[] = {
    COUNT(won, NEEDED, "how often its word is in force"),
    COUNT(lost, NEEDED, "how often another's"),
};
#undef S
static const struct shape score_shape = SHAPE("a score", cando_score, score);

#define S cando_source_score
static const struct shape_member source_score[] = {
    TEXT(name, NEEDED, "a source"),
    OBJECT(score, &score_shape, NEEDED, "how often it won and lost"),
};
#undef S
static const struct shape source_score_shape = SHAPE("a source", cando_source_score, source_score);

#define S cando_conflicts_answer
static const struct shape_member answer[] = {
    LIST(conflicts, &conflict_shape, NEEDED, "worst first"),
    COUNT(total, NEEDED, "how many there are, listed or not"),
    MAP(by_kind, &op_tally, NEEDED, "how many of each kind"),
    MAP(by_field, &op_tally, NEEDED, "how many about each field"),
    MAP(by_source, &source_score_shape, NEEDED, "how each source fared"),
};
#undef S

OP(conflicts, "where sources disagree, what each said and which won", 0,
   "{\"op\":\"conflicts\",\"target\":\"openai/gpt-5\",\"limit\":3}")
