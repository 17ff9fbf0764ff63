/*
 * observe.h - what the daemon tells of itself: a line of the access log and the numbers of
 * /metrics, for each reply. No body, no header and no query is in them.
 *
 * Names are those of OpenTelemetry: http.* of its conventions for HTTP, gen_ai.* of those for
 * GenAI. What a request costs has no settled name there yet; it is told only where --cost-names
 * asks for it.
 */
#ifndef CANDO_SERVE_OBSERVE_H
#define CANDO_SERVE_OBSERVE_H

#include "route.h"

/* `path`: of the log; "-" is stdout, NULL: there is none. False: it has been reported. */
bool observe_start(const char *path, bool cost_names);
void observe_stop(void);
/* The log's file anew, where somebody has moved it; after a SIGHUP. */
void observe_reopen(void);
/* The lines that wait are written; now and then. */
void observe_flush(void);

void observe_reply(const struct request *r, const struct reply *a, uint64_t ns);

#endif
