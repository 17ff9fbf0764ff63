/*
 * conflicts.h - where sources disagree, worst first.
 *
 * From files that were just read (the disputes of a merge), or from the claims
 * that the rows of a catalog carry. Both become the same list, judged by the
 * same rules:
 *
 *     absurd        a rate 1,000 times another's, or out of all proportion
 *     conflict      the sources cannot both be right
 *     input-window  one speaks of the prompt, the other of prompt and answer
 *     rounding      128000 and 131072: the same number, written otherwise
 *     silent        one says yes, the other lists the model and says nothing
 *     placeholder   one has 0 where the other has a value
 */
#ifndef CANDO_CONFLICTS_H
#define CANDO_CONFLICTS_H

#include "catalog/snapshot.h"
#include "merge.h"

/* By cando_conflict_kind. */
extern const char *const conflict_words[CANDO_CONFLICT_ABSURD + 1];

struct conflict_claim {
    struct str source, day;
    struct str value; /* p == NULL: it says nothing */
    struct str on;    /* the field it spoke of, where that is another: "max_input" */
    bool wins, absurd;
};

struct conflict {
    struct str provider, model, field; /* "context_window", "price.input_tokens" */
    cando_conflict_kind kind;
    double score;     /* larger is worse */
    struct str value; /* what is in force; p == NULL: nothing */
    struct conflict_claim *claim;
    size_t n;
};

struct conflict_list {
    struct arena *ar;
    struct conflict *item;
    size_t n, cap;
};

void conflicts_init(struct conflict_list *l, struct arena *ar);
void conflicts_from_merge(struct conflict_list *l, const struct import *im, const struct merged *m);
void conflicts_from_catalog(struct conflict_list *l, const cando_catalog *c);
/* Worst first; then by provider, model, field. */
void conflicts_sort(struct conflict_list *l);

#endif
