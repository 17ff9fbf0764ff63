/*
 * engine.h - the catalog that a verb works on, and questions to it.
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

#include "out.h"
#include "verb.h"

enum { OPTION_RULES = OPTION_LONG + 100, OPTION_OVERLAY, OPTION_NO_BUILTIN, OPTION_NO_CONFIG, OPTION_OBSERVED_TRAIL };

#define ENGINE_OPTIONS                                                                                             \
    {OPTION_RULES, "rules", "FILE", NULL, "use these rules instead of the built-in catalog; may be repeated"},      \
    {OPTION_OVERLAY, "overlay", "FILE", NULL, "put these rules on top, as a project's own; may be repeated"},       \
    {OPTION_NO_BUILTIN, "no-builtin", NULL, NULL, "leave the built-in catalog out"},                                \
    {OPTION_OBSERVED_TRAIL, "observed", "TRAIL", NULL, "put what an audit trail has observed on top (else $CANDO_STORE)"}, \
    {OPTION_NO_CONFIG, "no-config", NULL, NULL, "leave the user's and the project's files out: see cando where"}

#define ENGINE_FILES 64

struct engine {
    const char *rules[ENGINE_FILES], *overlay[ENGINE_FILES];
    size_t n_rules, n_overlays;
    const char *observed; /* a trail, or NULL */
    bool no_builtin;
    bool plain; /* no file but those of the options; also by --no-config */
    cando *c;
    cando_room *room; /* what is asked of it is answered here */
};

void engine_init(struct engine *e);
/* Takes one of ENGINE_OPTIONS; false if `id` is another option, or there are
 * more files than ENGINE_FILES, which has been reported then. */
bool engine_option(struct engine *e, int id, const char *value);
/* Reads and compiles. Anything but EXIT_YES has been reported. */
int engine_open(struct engine *e);
void engine_close(struct engine *e);

/* Reports why a question was not answered; gives the exit code. */
int engine_failed(const cando_error *err);
/* An answer of cando_ask_<op> as a line of JSON; gives the exit code. */
int engine_json(const struct engine *e, const char *op, const void *answer);

/* Files of a source set, shared with lint and build: a file, or all *.toml
 * below a folder. Below a folder, a first part that is the name of a layer
 * ("facts/openai.toml", "defaults.toml") puts a file into that layer. */
cando_status sources_add_tree(cando_sources *s, const char *path, cando_syntax syntax, cando_layer layer,
                              cando_error *err);
bool layer_find(struct str name, cando_layer *out);
bool syntax_find(const char *name, cando_syntax *out);
#define LAYER_WORDS "defaults family facts curated user project observed"
#define SYNTAX_WORDS "auto cando nika harn"
/* Findings from `least` on, to stderr; how many. */
size_t sources_report(const cando_sources *s, cando_severity least);

#endif
