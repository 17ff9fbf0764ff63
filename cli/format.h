/*
 * format.h - findings for programs: JSON lines, SARIF 2.1.0, and the commands that GitHub
 * makes annotations of.
 */
#ifndef CANDO_CLI_FORMAT_H
#define CANDO_CLI_FORMAT_H

#include "request.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_SARIF, FORMAT_GITHUB };
#define FORMAT_WORDS "text json sarif github" /* in the order of these */

struct formatter {
    enum format format;
    cando_severity least;       /* what is below is left out */
    bool strict;                /* warnings count as errors */
    bool any;                   /* something has been written */
    enum code code[CODE_COUNT]; /* SARIF: rules in the order of their first result */
    unsigned n_codes;
};

void format_begin(struct formatter *o);
/* A request and what was found, */
void format_answer(struct formatter *o, const struct request_file *f,
                   const cando_preflight_answer *a);
/* or why it could not be judged. */
void format_failure(struct formatter *o, const struct request_file *f, const cando_error *err);
void format_end(struct formatter *o);

#endif
