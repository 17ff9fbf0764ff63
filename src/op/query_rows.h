/*
 * query_rows.h - the members of a query as JSON, for models and select: the same names
 * with the same meaning in both. `one` is ALONE where an item may stand without brackets.
 */
#ifndef CANDO_OP_QUERY_ROWS_H
#define CANDO_OP_QUERY_ROWS_H

#include "op.h"

extern const struct shape op_wanted, op_bound;
extern const struct shape_words op_sorts, op_or_unknown;

#define QUERY_ROWS(one)                                                                            \
    TEXTS(providers, one, "only of these providers: ids or aliases"),                              \
        TEXTS(kinds, one,                                                                          \
              "only of providers of these kinds: \"first-party\", \"cloud\", \"host\", "           \
              "\"router\", .."),                                                                   \
        TEXTS(allow, one,                                                                          \
              "only these: \"openai\" is a provider, \"openai/gpt-*\" a glob over provider/id"),   \
        TEXTS(deny, one, "none of these; it wins over 'allow'"),                                   \
        TEXT(model, NONE, "the offerings of one model, under whatever spelling"),                  \
        TEXTS(match, one, "a glob over the id or over \"provider/id\""),                           \
        TEXTS(words, one, "all of these stand somewhere in \"provider/id\""),                      \
        TEXT(like, NONE, "names that are near to this one, the nearest first"),                    \
        LIST(require, &op_wanted, NAMED | one, "capabilities that must be there, known for sure"), \
        LIST(can, &op_wanted, NAMED | one, "the same as 'require'"),                               \
        LIST(forbid, &op_wanted, NAMED | one,                                                      \
             "capabilities that must not be there; unknown is fine"),                              \
        LIST(cannot, &op_wanted, NAMED | one, "capabilities that are known to be missing"),        \
        LIST(prefer, &op_wanted, NAMED | one,                                                      \
             "providers in order of preference, and capabilities that are welcome"),               \
        TEXTS(input, one, "kinds of input: \"image\", \"audio\", \"video\", \"pdf\", \"text\""),   \
        TEXTS(output, one,                                                                         \
              "kinds of output: \"image\", \"audio\", \"video\", \"text\", \"embedding\""),        \
        TEXTS_AS(purpose, "for", one,                                                              \
                 "what they are for: \"chat\", \"embedding\", \"rerank\", \"speech\", "            \
                 "\"transcription\", \"image\", ..: the words of the field model_kind"),           \
        MAP(minimum, &op_bound, NONE, "{\"context_window\":n,\"max_output\":n,..}"),               \
        MAP(maximum, &op_bound, NONE, "{\"input_price\":\"1.5\",..} in USD per million tokens"),   \
        TEXT(released_after, NONE, "a day, a month or a year: then or later"),                     \
        TEXT(released_before, NONE, "a day, a month or a year: earlier than that"),                \
        TEXTS(status, one,                                                                         \
              "\"active\", \"preview\", \"unlisted\", \"deprecated\", \"retired\""),               \
        TEXT(at, NONE, "the day that is asked about, instead of today"),                           \
        WORD(unknown, &op_or_unknown, NONE, "does what nobody knows pass?"),                       \
        JSON(request, NONE,                                                                        \
             "a request that shall run there: its needs are required, and that preflight does "    \
             "not reject it"),                                                                     \
        TEXT_AS(api, "dialect", NONE,                                                              \
                "the form of the request, if it shall not be found by itself"),                    \
        WORD(sort, &op_sorts, NONE, "best first, unknown last, then the name"),                    \
        FLAG(reverse, NONE, "the other way round"),                                                \
        NUMBER(limit, NONE, "how many are listed; all without it")

#endif
