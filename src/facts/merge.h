/*
 * merge.h - from all claims about an offering to one row, by a stated policy.
 *
 * For each field:
 *   1. A placeholder (0 tokens, a price of 0 on a model that is not sold as free)
 *      never wins, and neither does a rate out of all proportion: 1,000 times
 *      another source's for the same thing, or 500 times the median of its unit
 *      over everything that was read.
 *   2. What was inferred never wins; only a name or a date is taken from there.
 *   3. Of one voice only the last word counts: what a provider's list says
 *      itself before what others repeat of it, then the later day.
 *   4. Better evidence wins: the provider's API, its documentation, catalogs.
 *   5. Then the value that more voices agree on.
 *   6. Then what is newer by two months or more; between files of the same weeks
 *      the day says nothing of how fresh a single row is.
 *   7. Then the order of enum fact_source, by voice.
 *
 * A price is one thing: input and output rate decide together by these rules,
 * and everything conditional (tiers, days, hours) comes from the newest of those
 * who agree on them. Units and service tiers that it lacks are taken from others
 * who agree, and from nobody else. A price never crosses to another spelling.
 *
 * The window: a limit of the prompt is not a limit of the total. If both are
 * known and differ by the output limit they agree; else it is a dispute, and the
 * loser is left out of the row.
 *
 * Whatever differs from the winner is kept as a dispute with all its claims. Of what a catalog
 * says it is kept whether another one says the same and did not take it from there: RubyLLM
 * and Mastra repeat models.dev (their voice tells), and genai-prices takes token limits from
 * models.dev, LiteLLM and OpenRouter, so none of them is a second source. A window is confirmed by
 * a limit of the prompt, too, that is equal or less by the output limit.
 */
#ifndef CANDO_MERGE_H
#define CANDO_MERGE_H

#include "claim.h"

#define MERGE_ABSURD_TIMES 1000.0 /* another source's rate */
#define MERGE_ABSURD_MEDIAN 500.0 /* the median of the unit */
#define MERGE_MEDIAN_LEAST 32     /* rates without which there is no median */
#define MERGE_NEWER_DAYS 60
#define NO_CLAIM UINT32_MAX

struct dispute {
    uint32_t offering;
    uint16_t field;  /* F_context_window also for limits of the prompt */
    struct str key;  /* a price's key */
    uint32_t *claim; /* all that count, the winner first */
    size_t n;
    bool has_winner;
    uint8_t silent; /* a source that lists the model and says nothing, or FACT_SOURCES */
};

struct merged_row {
    uint32_t offering;
    uint32_t *fact; /* winning claims, one a field, in the order of the vocabulary */
    size_t n_facts;
    uint32_t *price; /* winning rates, by key */
    size_t n_prices;
    size_t dispute, n_disputes;
    uint64_t max_output;      /* 0 if unknown */
    uint8_t source, evidence; /* of the price, or of most facts */
    uint32_t day;
    bool substantial; /* says more than that the model exists */
    bool gone;        /* the provider's own list no longer has it */
    bool old;         /* see merge_mark_old */
    bool unlisted;    /* see merge_mark_unlisted */
    uint16_t said_by; /* a bit for each source that speaks of it */
    uint32_t agreed;  /* facts of catalogs that two of them state: agreed_bit */
};

struct merged {
    struct merged_row *row; /* by provider, then id */
    size_t n_rows;
    struct dispute *dispute;
    size_t n_disputes, cap_disputes;
};

/* Everything is in im's arena. False if there is no memory. */
bool merge_claims(struct import *im, struct merged *out);

/* LiteLLM keeps what hosts have long taken down. Of the rows [from, to) of one
 * provider, where models.dev lists the provider too, chat models that LiteLLM
 * alone knows are marked as old; so is what only a list of prices or of ids has. Gives how many. */
size_t merge_mark_old(const struct import *im, struct merged *m, size_t from, size_t to);

/* Of the rows [from, to) of one provider, marks those that a list of prices alone has although
 * somebody else speaks of the provider: such lists keep what has ended, and what is no id. */
void merge_mark_unlisted(struct merged *m, size_t from, size_t to);

/* A value as text: "native", "128000", "low high", "2.5". */
struct str value_text(struct arena *ar, cando_type type, const struct rule_value *v);
struct str claim_text(struct arena *ar, const struct claim *c);
/* A decimal text as a number, roughly: for ratios. */
double rate_about(struct str text);

#endif
