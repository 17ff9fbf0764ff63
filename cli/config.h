/*
 * config.h - which files are in force, found in the environment.
 *
 *     built-in catalog
 *     $XDG_DATA_HOME/cando/catalog.snap      instead of it, where `cando update` wrote one
 *     $XDG_CONFIG_HOME/cando/          the *.toml in it: the user's own rules, by name
 *     cando.toml                             the project's
 *     --overlay FILE                         this call's
 *
 * Each lies over those before it. The library reads no environment; this is
 * the only place where the program does. A project's file is looked for in the
 * current folder and above it, up to the root of the repository or to the
 * home folder; outside of both only the current folder counts, so that a file
 * that somebody left in /tmp or / speaks to nobody below it.
 */
#ifndef CANDO_CLI_CONFIG_H
#define CANDO_CLI_CONFIG_H

#include "base/diag.h"

#define CONFIG_FILES 256

struct config_file {
    const char *path; /* in the arena */
    cando_layer layer;
    bool given; /* by --overlay */
};

struct config {
    struct arena ar;
    const char *data, *rules, *cache; /* folders of ours, or NULL: there is no home */
    const char *catalog;              /* the file that `cando update` writes, or NULL */
    bool has_catalog;                 /* it is there */
    struct config_file file[CONFIG_FILES];
    size_t n;
};

/* Where the user's folders are. False: no memory. Free in any case. */
bool config_init(struct config *c);
void config_free(struct config *c);
/* Looks which files are there, and adds them. */
cando_status config_find(struct config *c, cando_error *err);
/* A file, or all *.toml below a folder, behind those that are there. */
cando_status config_add(struct config *c, const char *path, cando_layer layer, bool given,
                        cando_error *err);

#endif
