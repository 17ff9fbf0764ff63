/*
 * mentions.h - ids of models in any text: source code, configuration, logs.
 *
 *     client.chat("gpt-4-0613")       model: sonar          LLM=openai/o1
 *                  ^^^^^^^^^^                ^^^^^              ^^^^^^^^^
 *
 * One pass over the bytes. A token is a run of the characters that ids are made of; it
 * is looked up as it stands, behind the name of a provider, at the end of a path, and in
 * the spellings that model_id.h takes apart. Each token is thought about once.
 *
 * An alarm that is false costs more than one that is missing, so what a token is worth
 * depends on how much it looks like an id:
 *
 *     clear     gpt-4-0613            wherever it stands
 *     quoted    gpt-4, whisper-1      in quotes, or as the value of a key that says "model"
 *     a word    sonar, command, o1    as such a value; in quotes where the text names its
 *                                     provider, or (with a digit) models besides it
 *
 * and in the form provider/model always. An id that several providers have is the lab's
 * own, and that of each provider that the text names.
 */
#ifndef CANDO_MENTIONS_H
#define CANDO_MENTIONS_H

#include "offer.h"

#include "base/map.h"

#define MENTION_STARTS (38 * 38 * 38)

struct mentions {
    const struct offers *offers;
    struct arena *ar; /* that it failed ends a scan */
    uint32_t day;
    const uint8_t *only; /* by provider: whose ids are meant; NULL: anybody's */
    struct map ids;      /* an id -> the first row that has it */
    uint32_t *next;      /* of each row: the next with the same id */
    uint32_t starts[MENTION_STARTS / 32 + 1]; /* by which three characters ids begin */
    bool of_token[256];                       /* characters of ids */
    struct map seen;                          /* a token -> what it can mean */
    struct meaning *meaning;
    size_t n_meanings, cap_meanings;
    uint8_t *named; /* by provider: does the text at hand name it? */
    struct mention *later;
    size_t n_later, cap_later;
};

/* One place of a text. `row` is the offering that is meant; of several the one that lives
 * longest. */
struct mention {
    size_t at;
    struct str as;
    uint32_t row;
};
typedef void mention_fn(void *ctx, const struct mention *m);

/* `day` is the day that is asked about. False: no memory. */
bool mentions_open(struct mentions *m, const struct offers *o, uint32_t day, struct arena *ar);
/* Tells of every mention; those that the rest of the text decided come last. The text must live
 * as long as the arena. False: no memory. */
bool mentions_find(struct mentions *m, struct str text, mention_fn *fn, void *ctx);
/* The row of (provider number, id in any case), or SNAP_NONE. */
uint32_t mentions_row(const struct mentions *m, uint32_t provider, struct str id);

#endif
