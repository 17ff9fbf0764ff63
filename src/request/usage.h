/*
 * usage.h - what a reply says was used, in our units, inclusive.
 *
 * A reply is a provider's whole answer, the list of the events of its stream,
 * or one of the two in an envelope (an event with its data, a line of a batch
 * job). What it does not say stays absent: a count that nobody reported is
 * never 0.
 */
#ifndef CANDO_USAGE_H
#define CANDO_USAGE_H

#include "cost.h"

enum usage_shape {
#define REPLY(id, name) REPLY_##id,
#define PATH(shape, key, unit, how)
#include "usage_paths.def"
    REPLY_COUNT, /* not told: found by its keys */
};

struct reply {
    struct usage usage;
    enum usage_shape shape;   /* REPLY_COUNT: no usage was found */
    struct str model;         /* borrowed, with a NUL behind; p == NULL: not said */
    struct str service_tier;  /* the same */
    bool dated;
    struct instant at;        /* when the reply was made, if it says so */
    bool partial;             /* the stream ends before its usage does */
    struct money reported;    /* the provider's own account of the cost */
};

/* For messages. */
#define USAGE_SHAPES                                                                       \
    "openai-chat, openai-responses, anthropic-messages, gemini, bedrock-converse, "        \
    "mistral-chat, ollama-chat, cohere"

const char *usage_shape_name(enum usage_shape shape);
/* By the name of an API ("openai-chat", "mistral-chat", ...); false if no
 * reply has that form. */
bool usage_shape_find(struct str api, enum usage_shape *out);

/* The members of a reply that anything here looks at, and those of a log's envelope. */
#define USAGE_PICKS 35
extern const struct json_pick usage_picks[USAGE_PICKS];

/* `at` is where it stands in the question; `provider` may be empty: xAI and Perplexity
 * count differently. */
bool usage_from_reply(struct reading *r, const struct json *reply, struct str at,
                      enum usage_shape told, struct str provider, struct reply *out);
/* From a bare usage object of that shape. */
bool usage_from_object(struct reading *r, const struct json *v, struct str at,
                       enum usage_shape shape, struct str provider, struct usage *out);
/* From an object in our own units: {"input_tokens":1000,"cache_read_tokens":null}. */
bool usage_from_units(struct reading *r, const struct json *v, struct str at, struct usage *out);

/* Who answered, as far as the form of the reply gives it away (the prefix of
 * an id, a key that one provider alone has); empty if it does not. */
const char *usage_provider(const struct json *reply, const struct reply *r);

#endif
