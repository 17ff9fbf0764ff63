/*
 * facts.h - the option --source NAME[@DAY]=FILE of import, conflicts and update.
 */
#ifndef CANDO_CLI_FACTS_H
#define CANDO_CLI_FACTS_H

#include "verb.h"

struct source {
    const char *name, *day, *from;
};
/* Into `const struct source *source; size_t n_source;` */
#define SOURCES(arg, help)                                                                         \
    TAKES("source", take_source, arg, help), LIST_(source, n_source, const struct source *)
take_fn take_source;

/* Reads from where a source is to be had; the text is allocated with len + 1 bytes. */
typedef cando_status read_source_fn(const struct source *s, char **text, size_t *len,
                                    cando_error *err);
/* The sources as questions take them, to be freed; NULL: c->err. `read` may be NULL: they are
 * files. */
cando_fact_source *facts_read(struct call *c, const struct source *s, size_t n,
                              read_source_fn *read);
void facts_free(cando_fact_source *list, size_t n);

#endif
