/*
 * decide.h - what the deciding verbs share: lists of values on the command line, and
 * files that are put into a request as they are.
 */
#ifndef CANDO_CLI_DECIDE_H
#define CANDO_CLI_DECIDE_H

#include "engine.h"

#define DECIDE_VALUES 128

struct values {
    const char *v[DECIDE_VALUES];
    size_t n;
};

/* False: there are too many, which has been reported. */
bool values_add(struct values *l, const char *v);

/* Sets a member of a question of an operation from the JSON of a file ("-": stdin).
 * Anything but EXIT_YES has been reported. */
int decide_file(const struct engine *e, const char *op, const char *member, const char *path,
                void *question);

#endif
