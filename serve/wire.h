/*
 * wire.h - the bytes of connections on their way into the HTTP library.
 *
 * libmicrohttpd shows no raw bytes to anybody, and takes a bare line feed, a folded header or two
 * lengths without a word. It reads by recv(), as everybody does; wire.c is the recv() that it is
 * linked to, which puts each byte through strict.h first. What is refused is answered from here and
 * never gets to the library. That holds for any version of it, and a test sends the bytes.
 *
 * Here is also known who is slow: a head or a body that does not come to its end in time, drop by
 * drop, and an answer that nobody fetches.
 *
 * And its sendmsg() and epoll_wait() are here, too: answers of one wave of requests go out
 * together; and its epoll_ctl(), so that it stops without a quarrel among its threads.
 */
#ifndef CANDO_SERVE_WIRE_H
#define CANDO_SERVE_WIRE_H

#include "strict.h"

/* For descriptors below `fds`. False: no memory. Times are in seconds. */
bool wire_init(size_t fds, unsigned read_time, unsigned reply_time);
void wire_free(void);

/* A connection begins and ends; a descriptor that is too high is false. */
bool wire_open(int fd);
void wire_close(int fd);
/* A request has begun to be answered, though nothing is sent yet. */
void wire_asked(int fd);
/* An answer to it begins, or has gone out. `no_limit`: a stream, which may take long. */
void wire_reply(int fd, bool begins, bool no_limit);
/* What this thread holds back of answers goes out: what comes next may take a while. */
void wire_push(void);

/* Ends connections that are too slow; how many. */
unsigned wire_sweep(void);
/* How many connections are inside of a request that has not been read whole, or were taken a moment
 * ago and have not asked yet? */
unsigned wire_inside(void);
/* How many were refused, and how many were too slow. */
uint64_t wire_refused(void);
uint64_t wire_slow(void);

#endif
