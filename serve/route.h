/*
 * route.h - what answers a request: one row of routes.def, one function.
 *
 *     ROUTE("POST", "/op", route_any_op, TAKES_BODY, "any operation")     a row of routes.def
 *
 *     void route_any_op(struct request *r, struct reply *a)
 *     {
 *         struct str name = r->rest;                     of a prefix: what is behind it
 *         ...
 *         a->body = ...;                                 in r->room or r->ar, or static
 *     }
 *
 * That row and that function are all that a route is: the prototype comes from routes.def, and the
 * metrics, the log, OPTIONS, 405 and 404 follow it. A path ends in "*" to be a prefix, and
 * begins with "*" to stand anywhere; of several rows the first that fits is taken, so special ones
 * stand before general ones. `GET` rows answer HEAD too.
 *
 * Before a route is called the request has been read whole and judged: its framing, its size, its
 * Host and Origin, its token. A route therefore deals with what is asked and with nothing else.
 *
 * A route is called on one of a few threads, and all other clients of that thread wait for it: it
 * does not sleep, wait or read files. Who has to wait says so:
 *
 *     a stream       the answer comes in pieces; `next` is asked for one whenever the client has
 * room later          somebody else finishes the answer: request_later(), then request_finish()
 * from any thread
 */
#ifndef CANDO_SERVE_ROUTE_H
#define CANDO_SERVE_ROUTE_H

#include "base/buf.h"
#include "base/diag.h"

enum {
    TAKES_BODY = 1, /* a body is legal; else it is refused */
    OPEN = 2,       /* needs no token: what says whether the daemon is well, and the page */
};

struct epoch;    /* the engine in force, held: epoch.h */
struct exchange; /* (private) http.c */

struct request {
    const char *method; /* "POST"; of HEAD it is "GET", and `head` is set */
    struct str path;    /* as it came, without the query; "%2F" stays "%2F" */
    struct str rest;    /* of a prefix: what is behind it; else empty */
    struct str body;    /* whole; no NUL behind it */
    bool head;
    const cando *engine; /* one catalog for the whole request, whatever is reloaded meanwhile */
    cando_room *room; /* for answers of the engine; empty, cleared when the reply has been made */
    struct arena *ar; /* and for what the route makes itself, for as long */
    struct exchange *x;
};

/* The path of its row, "/op" and so on; "none" if there is none. */
const char *request_route(const struct request *r);
/* The value of a header (its name in any case), or NULL. */
const char *request_header(const struct request *r, const char *name);
/* The same of one that is read of every request, without looking for it again. */
#define KNOWN_HEADERS                                                                              \
    KNOWN(H_HOST, "Host")                                                                          \
    KNOWN(H_ORIGIN, "Origin")                                                                      \
    KNOWN(H_AUTHORIZATION, "Authorization")                                                        \
    KNOWN(H_LENGTH, "Content-Length")                                                              \
    KNOWN(H_CODING, "Content-Encoding")                                                            \
    KNOWN(H_TRANSFER, "Transfer-Encoding")                                                         \
    KNOWN(H_TYPE, "Content-Type")                                                                  \
    KNOWN(H_ACCEPT_ENCODING, "Accept-Encoding")
#define KNOWN(which, name) which,
enum known_header { KNOWN_HEADERS H_COUNT };
#undef KNOWN
const char *request_known(const struct request *r, enum known_header which);
/* May the answer be packed? */
bool request_takes_gzip(const struct request *r);
/* Calls fn for all headers, until it is false. */
void request_each_header(const struct request *r,
                         bool (*fn)(void *ctx, struct str name, struct str value), void *ctx);
/* A member of the query, percent signs decoded, in the arena; NULL: there is none. */
const char *request_query(const struct request *r, const char *name);
/* Text with %XX as bytes, in the arena. p is NULL: it is no good text, or there is no memory. */
struct str request_decode(const struct request *r, struct str s);

/* A stream. `next` appends the next piece to `out`, at best some KB; it is called on one thread at
 * a time. `free` is called once, when the stream has ended or the client has gone. */
enum stream_state {
    STREAM_MORE, /* there is more: call again when the client has taken this */
    STREAM_WAIT, /* nothing now: call again after stream_wake, or after some seconds */
    STREAM_END,
};
struct stream {
    enum stream_state (*next)(struct stream *s, struct buf *out);
    void (*free)(struct stream *s);
    struct exchange *x; /* (private) */
};
/* From any thread, between `next` and `free`. */
void stream_wake(struct stream *s);
/* From `next`, which then says STREAM_WAIT: wake it after so many milliseconds, if nothing else has
 * by then. */
void stream_wake_in(struct stream *s, unsigned ms);

#define REPLY_HEADERS 12
struct reply {
    unsigned status;  /* 200 unless it is set */
    const char *type; /* "application/json" unless it is set; static */
    struct str body;
    bool is_static;        /* the body outlives the daemon: it is not copied */
    bool packed;           /* the body is gzip already, and Content-Encoding says so */
    bool no_pack;          /* the body is not worth packing */
    struct stream *stream; /* instead of a body */
    bool close;            /* the connection ends behind it */
    size_t n_headers;
    struct reply_header {
        const char *name; /* static */
        const char *value;
    } header[REPLY_HEADERS];
    /* for the log and the metrics: static texts, or in the arena; NULL: none. Names of
     * OpenTelemetry's conventions for GenAI stand in log.c */
    const char *op, *verdict, *provider, *model, *cost;
    const char *code; /* of the error */
};

/* One more header; `value` is static or lies in the arena. */
void reply_header(struct reply *a, const char *name, const char *value);
/* Puts the ETag (W/"..": static or in the arena) on the reply. True: the client has it
 * already, and the reply is 304. */
bool reply_unchanged(struct request *r, struct reply *a, const char *tag);
/* An error as operations have it: {"id":null,"ok":false,"error":{"code","message","hint"}}. */
void reply_error(struct request *r, struct reply *a, unsigned status, enum code code,
                 const char *hint, const char *fmt, ...) __attribute__((format(printf, 6, 7)));

/* The answer is not there yet. The route returns at once; the body of the request stays, the room
 * does not. */
void request_later(struct request *r);
/* The answer is there. Its texts are copied here; `a` is the caller's. From any thread, once. */
void request_finish(struct request *r, const struct reply *a);

struct route {
    const char *method, *path;
    void (*answer)(struct request *r, struct reply *a);
    unsigned flags;
    const char *summary;
};
extern const struct route routes[]; /* one without a method ends it */

#define ROUTE(method, path, fn, flags, summary) void fn(struct request *r, struct reply *a);
#include "routes.def"
#undef ROUTE

#endif
