/*
 * standin.h - what a provider would answer to a good request: a short reply in its own form.
 *
 *     request --standin_read--> what is said: text, JSON or a call --standin_reply, _stream-->
 *
 * What has to be read of a request, and the forms of replies and events, are data (`tools`,
 * `forced`, `wants_json` and `said` of catalog/apis). The form called `reply` is the whole reply,
 * `stream` all of its events. A form is a text in which these are replaced:
 *
 *     $choice       another form of that name: the first row whose conditions hold; none: nothing
 *     $text         a word of standin_write.c, as JSON
 *     $id24         so many letters and digits, the same for the same request; $item24 and
 *                   $call24 are others, and other ones in each answer
 *     $<a/b|null>   what the request has at a/b, and if it has nothing what stands behind the bar
 *
 * A row's `each` repeats it, with commas between. A row with `event` or `chunk` is an event of the
 * stream; what stands between events is not written.
 */
#ifndef CANDO_STANDIN_H
#define CANDO_STANDIN_H

#include "base/instant.h"
#include "catalog/api.h"
#include "fit.h"

struct standin {
    struct arena *ar;
    const struct api *api;
    const struct json *request; /* as a tree; its turns are kept as they are */
    struct str model;
    struct instant at;
    uint64_t seed; /* ids follow from it */
    /* what is said: standin_read */
    struct str said; /* a text, or the arguments of a call */
    struct str name; /* of the tool that is called; empty: none is */
    struct str kind; /* of that tool, */
    bool plain;      /* whose arguments are text */
    bool cut;        /* there was no room for more */
    size_t choices;
    const char *doubt; /* what may not be as the request wants it, or NULL */
    /* counts */
    uint64_t input, output;
    /* or a list */
    const cando_offering *models;
    size_t n_models;
};

/* Reads what the request wants to be answered. `limit` is the most tokens of an answer. False:
 * no memory. */
bool standin_read(struct standin *s, cando_number limit, enum fit_family family);

/* The whole of a form, `reply`, `models` or `model`, as JSON. False: no memory, or it is too
 * long. */
bool standin_write(const struct standin *s, struct str form, struct buf *out);

/* The same as a stream: what is sent one by one, in base64 if it is no text. */
struct standin_events {
    const char **item;
    size_t n, cap;
};
bool standin_stream(const struct standin *s, enum stream_frame frame, struct standin_events *out);
const char *standin_stream_type(enum stream_frame frame);
/* Its messages are no texts. */
bool standin_is_binary(enum stream_frame frame);
/* "req_" and so many letters and digits; NULL: no memory. */
const char *standin_request_id(const struct standin *s);

#endif
