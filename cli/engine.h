/*
 * engine.h - the catalog that a verb works on.
 *
 *     (nothing)          the built-in catalog, or that of `cando update`, and over it
 *                        the user's and the project's files: config.h
 *     --no-config        the built-in catalog alone
 *     --rules FILE...    these rules instead of all that
 *     --no-builtin       an empty catalog instead of all that
 *     --overlay FILE...  on top of whichever it is, as a project's own rules
 *     --observed TRAIL   on top of all, what an audit trail has observed; without it that
 *                        of $CANDO_STORE, unless --no-config
 *
 * Everything is compiled into one catalog when the verb starts. Verbs whose
 * output goes to programs (`batch`, `import`) are `plain`: they look at no file
 * that their options do not name.
 */
#ifndef CANDO_CLI_ENGINE_H
#define CANDO_CLI_ENGINE_H

#include "config.h"
#include "verb.h"

extern const struct option_row engine_options[];

/* Reads and compiles, as the options say. Anything but EXIT_YES has been reported. */
int engine_open(struct call *c);
/* $CANDO_TODAY: the day that counts as today. Anything but EXIT_YES has been reported. */
int engine_today(void);
/* The files in force for this call, and those of --overlay. Not CANDO_OK: c->err. */
cando_status engine_config(struct call *c, struct config *out);

/* The catalog that they make, with what was observed on top; to be released. NULL: c->err, or it
 * has been reported and c->err.code is empty. */
const cando_catalog *engine_catalog(struct call *c, struct config *config);

/* Adds a file, or all *.toml below a folder, each to the layer that its name tells, or family. */
cando_status sources_add_tree(cando_sources *s, const char *path, cando_syntax syntax,
                              cando_error *err);
/* Sources that know what the built-in catalog calls its providers and vendors; its rules are no
 * part of what is judged. NULL: err. */
cando_sources *sources_new(cando_error *err);
/* Findings from `least` on; how many. */
size_t sources_report(FILE *f, const cando_sources *s, cando_severity least);

#endif
