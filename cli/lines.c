#define _POSIX_C_SOURCE 200809L
#include "lines.h"
#include "screen.h"
#include "verb.h"

#include "base/limits.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 1 << 16 };

void lines_init(struct lines *l, int fd)
{
    *l = (struct lines){.fd = fd};
    buf_init(&l->in, NULL, (size_t)LIMIT_LINE_BYTES + (1u << 20));
}

bool lines_init_packed(struct lines *l, int fd)
{
    struct stat st;
    int own = dup(fd); /* which gzclose closes */
    lines_init(l, fd);
    l->packed = own < 0 ? NULL : gzdopen(own, "rb");
    if (!l->packed && own >= 0)
        close(own);
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode))
        l->size = (uint64_t)st.st_size;
    return l->packed && gzbuffer(l->packed, 2 * CHUNK) == 0;
}

void lines_free(struct lines *l)
{
    if (l->packed)
        gzclose(l->packed);
    buf_free(&l->in);
}

const char *lines_error(const struct lines *l)
{
    int code = Z_OK;
    if (l->packed)
        gzerror(l->packed, &code);
    return code == Z_OK || code == Z_ERRNO ? strerror(errno)
           : code == Z_BUF_ERROR           ? "what is packed by gzip ends too early"
           : code == Z_VERSION_ERROR
               ? "it is packed by gzip, and this program was built without zlib: unpack it first"
               : "what is packed by gzip is damaged";
}

/* As read(2) has it; a packed file that ends too early is an error. */
static ssize_t read_some(struct lines *l)
{
    ssize_t got;
    int code = Z_OK;
    if (!l->packed) {
        do
            got = read(l->fd, l->in.p + l->in.n, CHUNK);
        while (got < 0 && errno == EINTR);
        l->bytes += got > 0 ? (size_t)got : 0;
        return got;
    }
    got = gzread(l->packed, l->in.p + l->in.n, CHUNK);
    if (got == 0)
        gzerror(l->packed, &code);
    off_t at = gzoffset(l->packed);
    l->bytes = at > 0 ? (uint64_t)at : l->bytes + (got > 0 ? (size_t)got : 0);
    return code == Z_OK || code == Z_STREAM_END ? got : -1;
}

/* Reads on; what stands before the line given last is forgotten. */
static bool fill(struct lines *l)
{
    struct pollfd p = {.fd = l->fd, .events = POLLIN};
    ssize_t got;
    if (poll(&p, 1, 0) <= 0 && fflush(stdout) != 0)
        return false;
    if (l->from) {
        l->in.n -= l->from;
        memmove(l->in.p, l->in.p + l->from, l->in.n);
        l->next -= l->from;
        l->from = 0;
    }
    if (!buf_reserve(&l->in, CHUNK))
        return false;
    bool first = !l->begun;
    got = read_some(l);
    if (got < 0)
        return false;
    l->begun = true;
    l->end = got == 0;
    l->in.n += (size_t)got;
    if (first && str_starts(STR_IN(l->in), STR(BYTE_ORDER_MARK)))
        l->from = l->next = 3; /* at the very beginning: a line begins behind it */
    return true;
}

struct str lines_last(const struct lines *l)
{
    struct str s = str_make(l->in.p + l->from, l->len);
    while (s.n && char_is_space(s.p[s.n - 1]))
        s.n--;
    return s;
}

enum line lines_next(struct lines *l, struct str *line)
{
    size_t seen = l->from = l->next;
    for (;;) {
        size_t n =
            seen < l->in.n ? str_find_char(str_make(l->in.p + seen, l->in.n - seen), '\n') : 0;
        bool whole = seen + n < l->in.n;
        l->len = seen + n - l->from;
        seen += n;
        if (whole || (l->end && l->len)) {
            bool skipped = l->skipping;
            l->next = seen + whole;
            l->skipping = false;
            if (!skipped) {
                l->number++;
                *line = lines_last(l);
                return l->len > LIMIT_LINE_BYTES ? LINE_LONG : LINE_TEXT;
            }
            l->from = seen = l->next;
            continue;
        }
        if (l->end)
            return LINE_NONE;
        bool found = !l->skipping && l->len > LIMIT_LINE_BYTES;
        if (found || l->skipping) { /* of such a line nothing is kept */
            l->from = l->next = seen;
            l->skipping = true;
        }
        if (found) {
            l->number++;
            return LINE_LONG;
        }
        seen -= l->from;
        if (!fill(l))
            return LINE_FAILED;
    }
}

int lines_failed(const struct lines *l)
{
    if (l->in.failed)
        return fail_memory();
    if (ferror(stdout))
        return EXIT_INTERNAL; /* out_finish says why */
    return fail_with(CANDO_BAD_INPUT, CODE_io, NULL, "cannot read the standard input: %s",
                     strerror(errno));
}

int lines_ended(const struct lines *l, enum line got, const char *file, bool failed)
{
    if (got == LINE_LONG)
        return fail_with(CANDO_BAD_INPUT, CODE_too_long, NULL,
                         "%s:%ju: the line is longer than %u bytes", file, l->number,
                         LIMIT_LINE_BYTES);
    if (failed || l->in.failed)
        return fail_memory();
    if (got == LINE_FAILED)
        return fail_with(CANDO_BAD_INPUT, CODE_io, NULL, "cannot read %s: %s", file,
                         lines_error(l));
    return EXIT_YES;
}

void lines_complain(const char *file, uint64_t line, const char *why)
{
    screen_progress_end();
    if (line)
        out_notef(stderr, 4, "%.999s:%ju: %.300s", file, (uintmax_t)line, why);
    else
        out_notef(stderr, 4, "%.999s: %.300s", file, why);
}

bool lines_more(struct lines *l)
{
    size_t at = l->next - l->from;
    for (;;) {
        for (; l->from + at < l->in.n; at++)
            if (!char_is_space(l->in.p[l->from + at]))
                return true;
        if (l->end || !fill(l))
            return !l->end;
    }
}

enum line lines_rest(struct lines *l, struct str *text)
{
    while (!l->end) {
        if (l->in.n - l->from > LIMIT_LINE_BYTES)
            return LINE_LONG;
        if (!fill(l))
            return LINE_FAILED;
    }
    l->len = l->in.n - l->from;
    l->next = l->in.n;
    *text = lines_last(l);
    return LINE_TEXT;
}
