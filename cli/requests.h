/*
 * requests.h - the requests that operands name: files, folders and lines.
 *
 * A file holds one request, or one on each line if its name ends in .jsonl (or where
 * `lines` says so of all). A folder stands for the .json and .jsonl files below it; names
 * that begin with a dot are passed over, and so are links.
 */
#ifndef CANDO_CLI_REQUESTS_H
#define CANDO_CLI_REQUESTS_H

#include "request.h"

struct requests {
    bool lines; /* all files hold a request a line */
    /* of the request at hand: */
    struct request_file file;
    bool found;  /* in a folder: nobody has said that it is a request */
    bool a_line; /* it is one of several in its file */
    size_t done; /* before it */
};

/* Gives the exit code for one request. */
typedef int request_fn(struct call *c, const struct requests *r);

/* One request after the other; a file that cannot be read is reported, and the others follow.
 * The worst exit code of all. */
int requests_each(struct call *c, struct requests *r, char *const *path, int n, request_fn *each);

#endif
