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
/* The files in force for this call, and those of --overlay. To be freed in any case. */
cando_status engine_config(const struct call *c, struct config *out, cando_error *err);

/* Files of a source set, shared with lint and build: a file, or all *.toml
 * below a folder. Below a folder, a first part that is the name of a layer
 * ("facts/openai.toml", "defaults.toml") puts a file into that layer. */
cando_status sources_add_tree(cando_sources *s, const char *path, cando_syntax syntax,
                              cando_layer layer, cando_error *err);
bool layer_find(struct str name, cando_layer *out);
#define LAYER_WORDS "defaults family facts curated user project observed"
/* Findings from `least` on; how many. */
size_t sources_report(FILE *f, const cando_sources *s, cando_severity least);
/* What they make together; to be released. */
const cando_catalog *sources_open(cando_sources *s, cando_error *err);

#endif
