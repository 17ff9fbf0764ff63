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
 * that somebody left in /tmp or / speaks to nobody below it. It counts only if it is the
 * user's own, or root's.
 */
#ifndef CANDO_CLI_CONFIG_H
#define CANDO_CLI_CONFIG_H

#include "base/diag.h"

#define CONFIG_FILES 256

struct config_file {
    const char *path; /* in the arena */
    cando_layer layer;
    bool found;      /* by where it lies; else somebody named it */
    struct str text; /* or none: it is to be read */
};

struct config {
    struct arena *ar;
    const char *data, *rules, *cache; /* folders of ours, or NULL: there is no home */
    const char *catalog, *previous;   /* the file that `cando update` writes, and the one
                                         before; or NULL */
    const char *trust;                /* whose signatures count (trust.h), or NULL */
    bool has_catalog;                 /* it is there */
    const cando_catalog *base;        /* instead of it and of the built-in one, or NULL */
    const char *passed;               /* a project's file that is somebody else's, or NULL */
    bool bare;                        /* no catalog is to be below the files, and none is kept */
    bool requests;                    /* bare, but what is known of requests is */
    struct config_file *file;
    size_t n, cap;
};

/* Where the user's folders are. It all lies in the arena. */
cando_status config_init(struct config *c, struct arena *ar, cando_error *err);
/* Looks which files are there, and adds them. */
cando_status config_find(struct config *c, cando_error *err);
/* A file, or all *.toml below a folder, behind those that are there. `given`: there must be
 * some. Of a bare one, files that have the name of a layer are of that. */
cando_status config_add(struct config *c, const char *path, cando_layer layer, bool given,
                        cando_error *err);

/* The catalog that these files make together (catalog.c). Rules on top of a catalog are
 * compiled with it into a new one. With some thousand models that takes a noticeable part of
 * a second, so the result is kept in the user's cache folder with the hash of all that went
 * in. What comes from there is checked like any snapshot from outside; a file
 * that does not pass, or a folder that cannot be written, costs time and nothing else.
 *
 * To be released; NULL with err. What cannot be read of a rule file has been
 * reported then, and err.code is empty. A catalog of `cando update` that is
 * damaged is reported and passed over. `find_problems` (may be NULL) is called
 * with the sources, linted, before they are freed; then nothing is taken from
 * the cache and nothing reported. */
const cando_catalog *catalog_in_force(struct config *c,
                                      void (*find_problems)(void *ctx, cando_sources *s), void *ctx,
                                      cando_error *err);
/* Makes a folder and those above it, as far as they are missing. */
bool catalog_folder(const char *path);

#define LAYER_WORDS "defaults family facts curated user project observed"
bool layer_find(struct str name, cando_layer *out);

#endif
