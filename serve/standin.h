/*
 * standin.h - how strict the stand-in for the providers is, and how fast.
 */
#ifndef CANDO_SERVE_STANDIN_H
#define CANDO_SERVE_STANDIN_H

#include <stdbool.h>

#define STANDIN_PACE 60000u /* milliseconds at most */

/* Before the first request. `strict`: models that nobody knows are refused. `pace`: milliseconds
 * before each event of a stream but the first, unless the request says otherwise. */
void standin_start(bool strict, unsigned pace);

#endif
