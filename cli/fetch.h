/*
 * fetch.h - a file from the network. The only code that needs libcurl.
 *
 * HTTPS with the certificate checked; plain HTTP to this machine alone, and
 * never by a redirect. Size and time are bounded. The library is loaded when
 * the first file is fetched: every other verb would else pay for it at each
 * start, several times over what it takes to answer.
 */
#ifndef CANDO_CLI_FETCH_H
#define CANDO_CLI_FETCH_H

#include "base/buf.h"
#include "base/diag.h"

#define FETCH_BYTES (64u << 20) /* the largest file */
#define FETCH_SECONDS 180L      /* for one file, all together */
#define FETCH_CONNECT_SECONDS 20L
#define FETCH_STALLED_SECONDS 30L
#define FETCH_REDIRECTS 5L

/* Told now and then how many bytes came; `total` is 0 where nobody said. */
typedef void fetch_progress(void *ctx, uint64_t bytes, uint64_t total);

bool fetch_is_url(const char *text);
/* Plain http to this machine. */
bool fetch_is_local(const char *url);
/* Appends what comes back to `out`. `body` is posted; NULL: it is a GET. `progress` may be NULL. */
cando_status fetch_url(const char *url, const char *body, struct buf *out, fetch_progress *progress,
                       void *ctx, cando_error *err);

#endif
