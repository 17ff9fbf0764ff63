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
/* The files with their texts, as questions take them. */
struct facts_texts {
    struct arena ar;
    cando_fact_source source[FACTS_FILES];
    size_t n;
};
/* Reads them; not CANDO_OK: err is set. To be freed in any case. */
cando_status facts_read(const struct facts_files *f, struct facts_texts *out, cando_error *err);
/* Adds a text of one's own, allocated with len + 1 bytes, which is taken over in any case. */
cando_status facts_add(struct facts_texts *t, struct str name, struct str day, char *text,
                       size_t len, cando_error *err);
void facts_free(struct facts_texts *t);
struct str facts_today(char text[16]);

#endif
