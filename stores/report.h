/*
 * report.h - what verification says: the first problem in words, and how many there were.
 */
#ifndef CANDO_STORES_REPORT_H
#define CANDO_STORES_REPORT_H

#include "cando_store.h"

#include <stdarg.h>
#include <stdio.h>

static inline void __attribute__((format(printf, 3, 4)))
problem(cando_store_report *r, uint64_t at, const char *fmt, ...)
{
    va_list ap;
    if (r->problems++)
        return;
    va_start(ap, fmt);
    vsnprintf(r->problem, sizeof r->problem, fmt, ap);
    va_end(ap);
    r->at = at;
}

#endif
