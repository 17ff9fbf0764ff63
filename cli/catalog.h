/*
 * catalog.h - the catalog that the files in force make together.
 *
 * Rules on top of a catalog are compiled with it into a new one. With some
 * thousand models that takes a noticeable part of a second, so the result is
 * kept in the user's cache folder under a name made of the hash of all that
 * went in. What comes from there is checked like any snapshot from outside; a
 * file that does not pass, or a folder that cannot be written, costs time and
 * nothing else.
 */
#ifndef CANDO_CLI_CATALOG_H
#define CANDO_CLI_CATALOG_H

#include "config.h"

/* To be released; NULL with err. What cannot be read of a rule file has been
 * reported then, and err.code is empty. A catalog of `cando update` that is
 * damaged is reported and passed over. `find_problems` (may be NULL) is called
 * with the sources, linted, before they are freed; then nothing is taken from
 * the cache and nothing reported. */
const cando_catalog *catalog_in_force(const struct config *c,
                                      void (*find_problems)(void *ctx, cando_sources *s), void *ctx,
                                      cando_error *err);

/* Makes a folder and those above it, as far as they are missing. */
bool catalog_folder(const char *path);

#endif
