/*
 * http.h - the HTTP side of the daemon: from libmicrohttpd to routes and back.
 *
 *     wire.c (strict) ─► libmicrohttpd ─► judge ─► route ─► reply ─► packed, sent
 *
 * A few threads, each with an epoll of its own, take connections from one socket. Each has one room
 * that all its answers are worked out in.
 */
#ifndef CANDO_SERVE_HTTP_H
#define CANDO_SERVE_HTTP_H

#include "route.h"

struct http_options {
    int socket; /* listens already */
    bool given; /* and somebody else has it, too */
    unsigned threads;
    unsigned connections;
    size_t body;       /* bytes of a body at most */
    unsigned idle;     /* seconds that a connection may be silent */
    bool any_host;     /* Host is not looked at: a Unix socket, or a token that everybody needs */
    const char **host; /* names besides those of the machine itself */
    size_t n_hosts;
    const char *token; /* NULL: nobody needs one */
};

/* False: it has been reported. */
bool http_start(const struct http_options *o);
/* Takes no more connections, lets requests come to their end for so many seconds, and ends all. */
void http_stop(unsigned seconds);
/* Is it about to end? Streams end then. */
bool http_is_ending(void);
/* Wakes all streams that wait: for something to be said now and then. */
void http_wake_streams(void);

/* What openapi.c keeps is freed. */
void openapi_stop(void);

const char *http_reason(unsigned status);
/* What a thread works with; cleared. NULL: no memory. */
struct worker {
    cando_room *room;
    struct arena ar;
};
struct worker *http_worker(void);
/* The connections that are open, and the requests that are being answered. */
unsigned http_connections(void);
unsigned http_requests(void);

#endif
