/*
 * facts.h - the option --source NAME[@DAY]=FILE, shared by import and conflicts.
 */
#ifndef CANDO_CLI_FACTS_H
#define CANDO_CLI_FACTS_H

#include "base/buf.h"
#include "base/diag.h"

#define FACTS_FILES 32
#define FACTS_OPTION_HELP "a catalog's file, and the day it is of (today); may be repeated"

struct facts_files {
    const char *value[FACTS_FILES]; /* as written */
    size_t n;
};

/* Takes one option; a mistake has been reported if false. */
bool facts_option(struct facts_files *f, const char *value);
/* Adds `,"sources":[..]` with the texts to a request on its way. Not CANDO_OK:
 * err is set. */
cando_status facts_put(const struct facts_files *f, struct buf *request, cando_error *err);

#endif
