/*
 * ruled.h - engines over the rules that come with questions.
 *
 * To compile an overlay means to compile the whole catalog with it, a tenth of a second; and who
 * brings rules with one question brings the same rules with the next. So an engine keeps those
 * that it was asked with last, with their catalog and all targets, until its own catalog is
 * swapped. They are counted: what falls out lives on while a question is answered with it.
 */
#ifndef CANDO_RULED_H
#define CANDO_RULED_H

#include "catalog/engine.h"

#define RULED_MAX_KEY (1u << 20) /* longer rules are compiled for one question */

/* The engine for these rules, if it is kept; `key` is all that they say. To be released. */
struct ruled *ruled_find(const cando *c, struct str key);
/* An engine over `made`, which `base` and the rules of `key` gave; kept if `base` is still in force
 * and the key is not empty. To be released. NULL: no memory. */
struct ruled *ruled_new(const cando *c, const cando_catalog *base, struct str key,
                        const cando_catalog *made);
const cando *ruled_engine(const struct ruled *r);
void ruled_release(struct ruled *r);

#endif
