/*
 * ask.h - what the questions about facts share: files of other catalogs, read into claims.
 */
#ifndef CANDO_FACTS_ASK_H
#define CANDO_FACTS_ASK_H

#include "catalog/engine.h"
#include "claim.h"
#include "text/reading.h"

bool ask_sources(struct reading *r, const cando_fact_source *list, size_t n,
                 const struct id_tables *ids, struct import *im);

#endif
