/*
 * op_retiring.c - retiring: the tables of its question and its answer.
 */
#include "op.h"

static const char *const endings[] = {"stopped", "stops", "not-before", "deprecated"};
static const struct shape_words ending_words = WORDS(endings);

#define S cando_text
static const struct shape_member text_members[] = {
    TEXT(name, NONE, "a file's name, for the answer"),
    STRING(text, NEEDED, "source code, configuration, a log: any text"),
    NUMBER(line, NONE, "the number of its first line; 1 if it is not said"),
};
#undef S
static const struct shape text_shape = SHAPE("a text", cando_text, text_members);

#define S cando_retiring_question
static const struct shape_member question[] = {
    LIST(texts, &text_shape, ALONE,
         "to be looked through for ids of models; without it the whole catalog is asked about"),
    TEXTS(providers, ALONE, "only these; ids in texts are taken for theirs"),
    NUMBER(within, NONE, "days: ends that come later are only counted; 90 if it is not said"),
    NUMBER(places, NONE, "how many places of each model are listed; 100 if it is not said"),
    TEXT(at, NONE, "the day that is asked about, instead of today"),
};
#undef S

#define S cando_place
static const struct shape_member place_members[] = {
    TEXT(name, NONE, "of the text"),
    COUNT(line, NEEDED, "from 1 on"),
    COUNT(column, NEEDED, "in characters, from 1 on"),
    TEXT(as, NEEDED, "how the id is written there"),
};
#undef S
static const struct shape place_shape = SHAPE("a place", cando_place, place_members);

#define S cando_retiring
static const struct shape_member retiring_members[] = {
    TEXT(provider, NEEDED, "who serves it, or did"),
    TEXT(model, NEEDED, "its id there"),
    WORD(ending, &ending_words, NEEDED,
         "stopped, stops on a day, not before a day (nobody says that it does then), or "
         "deprecated without a day"),
    TEXT(deprecated_on, NONE, "the day on which its end was announced"),
    TEXT(retires_on, NONE, "the day from which it is not served"),
    TEXT(retires_not_before, OMIT, "the day up to which it is promised"),
    NUMBER(days, NONE, "since it stopped, or until it does"),
    TEXT(replaced_by, NONE, "what its provider names instead"),
    TEXT(use, NONE, "the first of that and of what replaces it that is served; an id there"),
    FLAG(inferred, OMIT, "nobody says so: it is missing where it would be"),
    TEXT(source, NONE, "who says so"),
    TEXT(checked, NONE, "when that was looked at"),
    COUNT(mentions, NEEDED, "how often the texts name it"),
    LIST(places, &place_shape, OMIT, "where"),
};
#undef S
static const struct shape retiring_shape = SHAPE("an ending", cando_retiring, retiring_members);

#define S cando_retiring_answer
static const struct shape_member answer[] = {
    TEXT(day, NEEDED, "that was asked about"),
    LIST(retiring, &retiring_shape, NEEDED, "by ending, then in the order of days"),
    COUNT(stopped, NEEDED, "how many are no longer served"),
    COUNT(stopping, NEEDED, "how many stop within the days that are asked about"),
    COUNT(not_before, NEEDED, "how many may, as soon as within these days"),
    COUNT(deprecated, NEEDED, "how many will, without a day"),
    COUNT(later, NEEDED, "how many stop after these days"),
    COUNT(considered, NEEDED, "offerings of the catalog, of these providers"),
};
#undef S

OP(retiring, "what has stopped, what will, when, and what to take instead", OP_RULES,
   "{\"op\":\"retiring\",\"texts\":{\"name\":\"app.py\",\"text\":\"model = "
   "'gpt-3.5-turbo-0613'\"},\"at\":\"2026-11-15\"}")
