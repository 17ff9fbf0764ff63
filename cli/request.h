/*
 * request.h - requests in files: what `check` and `fix` share.
 */
#ifndef CANDO_CLI_REQUEST_H
#define CANDO_CLI_REQUEST_H

#include "engine.h"

#define REQUEST_API_WORDS                                                                                             \
    "openai-chat openai-responses anthropic-messages gemini bedrock-converse mistral-chat ollama-chat allm allm-image " \
    "allm-embedding allm-moderation"

struct request_file {
    const char *path; /* for messages */
    char *text;
    size_t len;
};

/* Reads a file ("-" is the standard input) and sees to it that it is JSON; what is
 * wrong has been reported unless EXIT_YES comes back. */
int request_read(struct request_file *f, const char *path);
void request_free(struct request_file *f);

/* Asks `preflight`; as engine_ask. */
int request_ask(const struct engine *e, const struct request_file *f, const char *target, const char *api, bool fix,
                struct str *reply, struct str *result);

/* The findings of a result with their lines and carets, and how many there are of
 * each severity. `out` may be NULL: then they are only counted. */
void request_findings(FILE *out, const struct request_file *f, struct str result, cando_severity least, size_t count[3]);
/* Is the result's verdict this word? */
bool request_verdict(struct str result, const char *word);

#endif
