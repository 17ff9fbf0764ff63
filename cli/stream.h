/*
 * stream.h - captured streams of events (text/event-stream), as the lists that the library
 * reads: what stands behind "data:" of each event, with commas between.
 *
 *     event: message_start                     [{"type":"message_start", ..},
 *     data: {"type":"message_start", ..}        {"type":"message_delta", ..}]
 *                                    ---->
 *     data: {"type":"message_delta", ..}
 *     data: [DONE]
 */
#ifndef CANDO_CLI_STREAM_H
#define CANDO_CLI_STREAM_H

#include "base/buf.h"

/* Does this line begin a capture? */
bool stream_begins(struct str line);
/* The next stream of `rest`, up to its [DONE] or to the end, as a list; false: there is none.
 * `out` must have been initialised; out->failed: no memory. */
bool stream_next(struct str *rest, struct buf *out);

#endif
