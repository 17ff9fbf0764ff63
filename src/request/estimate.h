/*
 * estimate.h - what a request will use and cost, before it is sent.
 *
 * Nobody knows the answer before it is there, so that an estimate is three bills:
 *
 *     low        the fewest tokens that the prompt can have, and no answer
 *     expected   the usual number, and an answer of the length that is assumed
 *     high       the most that it is likely to have, and the longest answer allowed
 *
 * The scan of preflight counts the prompt (fit.h); this reads what else of a request
 * decides about its price: how many answers, which service tier, marks for a cache,
 * text that the provider keeps and the request only names. Each of the three becomes
 * a usage and goes through the same bill as a reply. What cannot be bounded is
 * unknown at that end, with the reason; there is no guess but the one that is named:
 * the length of the answer at `expected`.
 */
#ifndef CANDO_ESTIMATE_H
#define CANDO_ESTIMATE_H

#include "cost.h"
#include "fit.h"

/* Tokens of an answer where nobody says what is expected: most of a page. */
#define ESTIMATE_ANSWER 500u
#define ESTIMATE_MEDIA 5u /* kinds of media with a unit of their own */

enum estimate_end { ESTIMATE_LOW, ESTIMATE_EXPECTED, ESTIMATE_HIGH, ESTIMATE_ENDS };
enum estimate_cache { CACHE_UNMARKED, CACHE_MARKED, CACHE_MARKED_1H };
/* Who bounds the answer. */
enum estimate_bound { BOUND_NOBODY, BOUND_REQUEST, BOUND_MODEL };
/* Where the assumed length comes from. */
enum estimate_answer { ANSWER_USUAL, ANSWER_TOLD, ANSWER_CUT, ANSWER_NONE };

struct estimate {
    /* what the request says: estimate_read */
    struct str model, tier; /* borrowed; empty: not said */
    uint64_t choices;       /* answers, 1 or more */
    const char *elsewhere;  /* why part of the prompt is not in the request, or NULL */
    const char *no_tokens;  /* why the answer is not of tokens, or NULL */
    const char *unsized;    /* why the prompt's size is open, or NULL; the caller may know more */
    enum estimate_cache cache;
    bool generates; /* there is an answer */
    bool counts;    /* the prompt was counted here: `input` is known without a scan */
    /* what scan and profile say: the caller, before estimate_settle */
    bool has_asked, has_max, has_window, has_told;
    bool hosted;                            /* tools that the provider runs */
    bool reasons;                           /* the model thinks before it answers */
    uint8_t n_media, media[ESTIMATE_MEDIA]; /* units of media in prompt or answer */
    struct fit_range input;
    uint64_t asked, max_output; /* of one answer: what the request wants, what the model gives */
    uint64_t window;            /* of the prompt */
    uint64_t told;              /* the answer's length as the question expects it */
    /* what follows: estimate_settle */
    uint64_t limit, assumed; /* tokens of one answer; limit: unless BOUND_NOBODY */
    enum estimate_bound bound;
    enum estimate_answer answer; /* where `assumed` comes from */
};

/* The model that a request of any API names; Gemini writes it as a resource. */
struct str estimate_model(const struct json *request);
/* Reads `request` as one of `api`. `family` is for prompts that no scan counts. */
void estimate_read(const struct json *request, const struct api *api, enum fit_family family,
                   struct estimate *out);
void estimate_settle(struct estimate *e);

struct estimate_bill {
    struct usage usage;
    struct cost cost;
    const char *no_input, *no_output; /* why that count is unknown, or NULL */
};
/* The bill of one end. Where the same tokens may be sold in several ways (marked for a
 * cache, as reasoning) the cheapest counts for `low` and the dearest for `high`. `room`
 * is for trying. False: a number does not fit. */
bool estimate_price(struct reading *r, const struct estimate *e, enum estimate_end end,
                    const struct pricing *p, const struct cost_options *o,
                    struct estimate_bill *out, struct estimate_bill *room);

#endif
