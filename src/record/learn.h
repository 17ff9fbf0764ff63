/*
 * learn.h - what a provider's error reply tells about a model.
 *
 *     reply --(JSON or plain)--> messages --shapes--> field = value, with the sentence
 *
 * Providers say in many words that a model does not take a parameter or does not do
 * something; catalog/refusals.toml and catalog/apis have the words. What is learnt must
 * hold of the model: a sentence with a condition ("when thinking is enabled"), of an account
 * or of an endpoint is passed over, and the reason is kept. Learning nothing is the safe
 * side.
 *
 * The reply is as hostile as any input. Whatever it says, only fields and values of
 * the vocabulary come out, and one sentence of it as evidence, without secrets.
 */
#ifndef CANDO_LEARN_H
#define CANDO_LEARN_H

#include "base/buf.h"
#include "base/limits.h"
#include "catalog/vocab.h"

struct learnt {
    unsigned field;
    struct str value;    /* as an observation writes it */
    struct str evidence; /* one line */
};

struct learning {
    struct arena *ar;
    struct str model; /* its id: replies name it */
    struct learnt item[LIMIT_LEARNT];
    size_t n;
    struct str why_not; /* why a sentence that looked like one was passed over; or empty */
};

/* Reads the reply; l->ar and l->model are set, the rest is zero. False: no memory. */
bool learn_from(struct learning *l, struct str reply);

/* One line of at most LIMIT_EVIDENCE_BYTES without control characters and secrets; p is
 * NULL if there was no memory. */
struct str learn_line(struct arena *ar, struct str text);

#endif
