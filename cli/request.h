/*
 * request.h - files that come with a question: requests for `check` and `fix`, and JSON that
 * is put into a question as it is.
 */
#ifndef CANDO_CLI_REQUEST_H
#define CANDO_CLI_REQUEST_H

#include "api_words.h"
#include "base/limits.h"
#include "engine.h"
#include "lines.h"

/* -d, --dialect, --api of verbs that take a request */
#define REQUEST_API(m)                                                                             \
    ONE_OF("dialect", m, "NAME", API_REQUEST_WORDS,                                                \
           "the API that the request is for, where its shape does not tell (or --api)"),           \
        .letter = 'd', .also = "api"

/* --provider and --beta of the same */
#define REQUEST_PROVIDER(m)                                                                        \
    TEXT("provider", m, "NAME", "without a model: who has the one that the request names")
#define REQUEST_BETA(m, n)                                                                         \
    TEXTS("beta", m, n, "NAME", "a beta feature that it is sent with; may be repeated")

/* -H, --header of the same, */
#define REQUEST_HEADER(m, n)                                                                       \
    TAKES("header", take_header, "NAME:VALUE",                                                     \
          "a header that it is sent with: features are switched on by such; may be repeated"),     \
        LIST_(m, n, const char *const *), .letter = 'H'
take_fn take_header;
/* and those as the operation takes them. Anything but EXIT_YES has been reported. */
int request_headers(struct call *c, const char *const *header, size_t n, cando_bytes *out);

/* What is there is a request, and so is what is called as files are; else it is a model if it is
 * written as one, with its provider, */
bool request_is_model(const char *operand);
/* or may be one without. */
bool request_may_be_model(const char *operand);
/* It is neither a file nor a model in its place; gives the exit code. */
int request_no_file(struct call *c, const char *operand);
/* Says so if the standard input is a terminal, on which a program that reads seems to hang. */
void request_on_terminal(void);

struct request_file {
    const char *path; /* for messages */
    char *text;       /* behind the byte order mark, where there is one: */
    size_t len, mark;
    struct str body; /* the request: all of it, or a line */
    size_t start;    /* where its first line begins, */
    uint32_t line;   /* and which one that is */
};

/* Where a finding stands in the file; columns and width in characters, from 1 on. */
struct request_place {
    uint32_t line, column, width;
    size_t at, start, end; /* bytes of the file: the place, and the line that it is in */
};
struct request_place request_place(const struct request_file *f, const cando_finding *x);

/* Reads a file of at most `most` bytes ("-" is the standard input); what is wrong has been
 * reported unless EXIT_YES comes back. A byte order mark is passed over. */
int request_read(struct request_file *f, const char *path, size_t most);
void request_free(struct request_file *f);

/* Adds a hint to an error of a text with single quotes, which is no JSON. */
void request_quotes(cando_error *err);
/* Judges it as `q` says; the request is put in. NULL: c->err, with its place in the file; */
const cando_preflight_answer *request_judge(struct call *c, const struct request_file *f,
                                            cando_preflight_question q);
/* or c->code, and it has been reported. */
const cando_preflight_answer *request_ask(struct call *c, const struct request_file *f,
                                          cando_preflight_question q);

/* Does the request name another model than the target's? Its name, then. */
bool request_names(const struct request_file *f, const char *target,
                   char name[LIMIT_NAME_BYTES + 1]);

/* The findings with their lines and carets, and how many there are of each severity. `out`
 * may be NULL: then they are only counted. */
void request_findings(FILE *out, const struct request_file *f, const cando_preflight_answer *a,
                      cando_severity least, size_t count[3]);

/* Sets a member of a question of an operation from the JSON of a file, if there is a path.
 * Anything but EXIT_YES has been reported. */
int request_member(struct call *c, const char *op, const char *member, const char *path,
                   void *question);

#endif
