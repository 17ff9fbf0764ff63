/*
 * list.h - what options name several of: texts, and capabilities with a level.
 */
#ifndef CANDO_CLI_LIST_H
#define CANDO_CLI_LIST_H

#include "verb.h"

struct list {
    const char **item;
    size_t n, cap;
};

/* One more. False: no memory, which has been reported. */
bool list_add(struct arena *ar, struct list *l, struct str text);
/* The parts of "a,b". */
bool list_split(struct arena *ar, struct list *l, const char *value);

struct wanted {
    cando_wanted *item;
    size_t n, cap;
};

/* The parts of "tool_calling,reasoning=native". False: a part has another level, or there
 * is no memory, which has been reported. */
bool wanted_split(struct arena *ar, struct wanted *l, const char *value);
/* A name, whatever is in it. */
bool wanted_add(struct arena *ar, struct wanted *l, const char *name);

/* Reports a value that is no good; false. `fmt` has one %s. */
bool list_refuse(const char *fmt, const char *value) __attribute__((format(printf, 1, 0)));

#endif
