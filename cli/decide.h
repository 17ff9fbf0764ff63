/*
 * decide.h - what the deciding verbs share: lists of values on the command line, and
 * files that are put into a request as they are.
 */
#ifndef CANDO_CLI_DECIDE_H
#define CANDO_CLI_DECIDE_H

#include "engine.h"
#include "pull.h"

#define DECIDE_VALUES 128

struct values {
    const char *v[DECIDE_VALUES];
    size_t n;
};

/* False: there are too many, which has been reported. */
bool values_add(struct values *l, const char *v);

/* `,"key":["a","b"]`, or nothing where the list is empty. */
void put_names(struct buf *q, const char *key, const struct values *l);
/* `,"key":{"a":1,"b":"2.5"}` of values of the form a=1; numbers stay numbers where
 * they are whole. False: a value has another form, which has been reported. */
bool put_bounds(struct buf *q, const char *key, const struct values *l);
/* `,"key":` and the JSON text of a file ("-": stdin). Anything but EXIT_YES has been
 * reported. */
int put_file(const struct engine *e, struct buf *q, const char *key, const char *path);

/* Sets a member of a question of an operation from the JSON of a file ("-": stdin).
 * Anything but EXIT_YES has been reported. */
int decide_file(const struct engine *e, const char *op, const char *member, const char *path,
                void *question);

/* Asks, and with `json` prints the result as it is. */
int decide_ask(struct engine *e, struct buf *q, bool json, struct str *reply, struct str *result);

/* A string member decoded into b (which is cleared first); empty if it is none. */
struct str text_of(struct str object, const char *key, struct buf *b);

#endif
