/*
 * strict.h - is this one HTTP/1 request after the other, and nothing that two readers could take
 * for different things?
 *
 * The bytes of a connection go through here before the HTTP library sees them. What passes is what
 * RFC 9112 lets a client send, without the parts that only smugglers use: a line ends in CR LF and
 * in nothing else, a header is on one line, a name stands right before its colon, a length is
 * digits, the one transfer coding is "chunked", never both; chunks have no extensions and no
 * trailers. Host must be there, once. So library, proxy and we agree where each request ends.
 *
 *     feed bytes ──► all pass               give them on
 *                └─► some pass, then status  answer that status, and read nothing more
 *
 * No allocation, no copies: a few bytes of state, one look at each byte of a head, none at a body.
 */
#ifndef CANDO_SERVE_STRICT_H
#define CANDO_SERVE_STRICT_H

#include "base/str.h"

/* What is over-long. The HTTP library keeps a head in memory of its own, which is larger. */
#define STRICT_METHOD_BYTES 16u
#define STRICT_TARGET_BYTES 2048u
#define STRICT_LINE_BYTES 4096u /* a header */
#define STRICT_HEAD_BYTES 8192u
#define STRICT_HEADERS 64u
#define STRICT_NAME_BYTES 40u /* of a header that we look at */

struct strict {
    uint8_t state;
    bool old;     /* HTTP/1.0 */
    bool chunked; /* what was found in the head */
    bool has_length;
    unsigned status; /* 0: all is well; else what to answer */
    const char *why; /* static */
    uint32_t seen;   /* headers that may stand there once, a bit each */
    uint32_t at;     /* bytes of this part */
    uint32_t head;   /* bytes of the head */
    uint32_t headers;
    int field;     /* which header the line is about; -1: no matter */
    uint64_t left; /* bytes of the body, or of the chunk, still to come */
    char word[STRICT_NAME_BYTES];
};

void strict_init(struct strict *s);
/* How many of the bytes pass. Fewer than n: s->status is set, and nothing passes from then on. */
size_t strict_feed(struct strict *s, const char *p, size_t n);
/* Has a request begun that has not ended? */
bool strict_is_inside(const struct strict *s);

#endif
