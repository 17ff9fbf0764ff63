/*
 * request.h - requests in files: what `check` and `fix` share.
 */
#ifndef CANDO_CLI_REQUEST_H
#define CANDO_CLI_REQUEST_H

#include "api_words.h"
#include "engine.h"

struct request_file {
    const char *path; /* for messages */
    char *text;
    size_t len;
};

/* Reads a file ("-" is the standard input); what is wrong has been reported unless
 * EXIT_YES comes back. */
int request_read(struct request_file *f, const char *path);
void request_free(struct request_file *f);

/* Judges it for a target (NULL: as its API's own vendor would). Anything but EXIT_YES has
 * been reported. */
int request_ask(const struct engine *e, const struct request_file *f, const char *target,
                const char *api, bool fix, const cando_preflight_answer **out);

/* The findings with their lines and carets, and how many there are of each severity. `out`
 * may be NULL: then they are only counted. */
void request_findings(FILE *out, const struct request_file *f, const cando_preflight_answer *a,
                      cando_severity least, size_t count[3]);

#endif
