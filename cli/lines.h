/*
 * lines.h - an input line by line, as it comes.
 *
 *     [ given | line \n | line \n part of a line ]  <--read-- input
 *
 * Whatever has been printed is flushed before the reader would have to wait, so that a
 * program can hold a conversation over two pipes, while a file runs at full speed.
 */
#ifndef CANDO_CLI_LINES_H
#define CANDO_CLI_LINES_H

#include "base/buf.h"

#include <zlib.h>

#define BYTE_ORDER_MARK "\xEF\xBB\xBF" /* some editors begin a text with it: passed over */

enum line { LINE_NONE, LINE_TEXT, LINE_LONG, LINE_FAILED };

struct lines {
    int fd;
    gzFile packed; /* what reads fd, if it may be packed by gzip */
    struct buf in;
    size_t from, len;       /* the line given last */
    size_t next;            /* what comes after it */
    uint64_t number, bytes; /* of the line given last, from 1 on; read so far, as it lies there */
    uint64_t size;          /* of a file; 0: nobody knows */
    bool begun, end, skipping; /* `skipping`: inside of a line that is too long */
};

void lines_init(struct lines *l, int fd);
/* The same for a file that may be packed by gzip. False: no memory. */
bool lines_init_packed(struct lines *l, int fd);
void lines_free(struct lines *l);
/* Why a line FAILED. */
const char *lines_error(const struct lines *l);
/* The next line, without the space at its end. LONG: it is over LIMIT_LINE_BYTES and is
 * passed over. FAILED: there is no memory (l->in.failed), stdout cannot be written, or errno
 * says why not. */
enum line lines_next(struct lines *l, struct str *line);
/* After FAILED on the standard input: says why, and gives the exit code. */
int lines_failed(const struct lines *l);
/* The exit code of a pass over a file that ended with `got`, and what is said of it; `failed`: it
 * had no memory. */
int lines_ended(const struct lines *l, enum line got, const char *file, bool failed);
/* What is wrong with a line of a file, or (0) with all of it; progress makes way. */
void lines_complain(const char *file, uint64_t line, const char *why);
/* Is there anything but space behind the line given last? That one may have moved. */
bool lines_more(struct lines *l);
struct str lines_last(const struct lines *l);
/* All from the line given last to the end, without the space at its end; LONG if that is
 * over the limit. */
enum line lines_rest(struct lines *l, struct str *text);

#endif
