/*
 * facts.h - what sources say: the option --source NAME[@DAY]=FILE of import, conflicts and update,
 * and how a disagreement is told.
 */
#ifndef CANDO_CLI_FACTS_H
#define CANDO_CLI_FACTS_H

#include "fetch.h"
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
/* What is to be had at an address; `body` is posted, if it is not NULL. */
cando_status facts_fetch(const char *url, const char *body, fetch_progress *progress, void *ctx,
                         char **text, size_t *len, cando_error *err);
/* A file, or what a server on this machine says; "http://localhost:11434/api/show#MODEL" posts
 * the name of the model. */
read_source_fn facts_here;
/* The sources as questions take them, to be freed; NULL: c->err. `read` may be NULL: they are
 * files, or servers on this machine. */
cando_fact_source *facts_read(struct call *c, const struct source *s, size_t n,
                              read_source_fn *read);
void facts_free(cando_fact_source *list, size_t n);

/* Of a disagreement the field, its kind, and what each source says, a line each behind `indent`
 * spaces; the first line is begun already. */
void conflict_print(const cando_conflict *x, size_t indent, struct arena *ar);

#endif
