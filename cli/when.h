/*
 * when.h - times as people say them: 30d, 2w, 6m, 1y, 90 days from today on, or back.
 */
#ifndef CANDO_CLI_WHEN_H
#define CANDO_CLI_WHEN_H

#include "verb.h"

#define WHEN_SPANS "30d, 2w, 6m or 1y"

/* The day that lies so far before today, or behind it. Months are those of the calendar; a day that
 * its month does not have is the last one of it. False: it is no span. */
bool when_moved(const char *span, bool back, int32_t *day);
/* A member that is a text: a day as it is, or a span as the day that lies so far back. */
take_fn take_day;
#define DAY(name, m, arg, help) ROW_(name, arg, help, take_day), .at = AT_(ask, m, const char *)
/* The same, so far ahead: +90d, "in 90 days". */
take_fn take_day_ahead;
#define DAY_AHEAD(name, m, arg, help)                                                              \
    ROW_(name, arg, help, take_day_ahead), .at = AT_(ask, m, const char *)

#endif
