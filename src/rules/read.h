/*
 * read.h - what the readers of the three dialects share.
 *
 *     read.c         finds the dialect, runs its reader, puts rules in order,
 *                    keeps the tables of providers, families and identities
 *     read_part.c    tables, names, patterns, versions: the parts of a rule
 *     read_field.c   (field, TOML value) -> rule_value, for every dialect
 *     read_cando.c   read_nika.c   read_harn.c   one file format each
 *
 * A problem is a finding, and reading goes on: a file with five mistakes gets
 * five findings in one run. A problem is fatal if what was written cannot be
 * represented (a wrong type, an unknown key or word); a set with fatal ones is
 * linted but never compiled. All others are for lint alone.
 *
 * Functions that return bool return false if there is nothing to go on with;
 * the finding, or rs->failed, has been set by then.
 */
#ifndef CANDO_READ_H
#define CANDO_READ_H

#include "rule.h"
#include "text/toml.h"

struct reader {
    struct ruleset *rs;
    uint32_t source, file;
    cando_syntax syntax;
    enum vocabulary vocab;
    struct map field; /* every name of the vocabulary -> field */
    const struct toml *root;
    size_t first_rule; /* of this source */
    bool full;         /* a limit on counts was hit, and said: read no more */
};

/* One reader for each dialect: root table in, rules out. */
void read_cando(struct reader *r);
void read_nika(struct reader *r);
void read_harn(struct reader *r);

/* Are the providers that scopes name known? Needs the whole set, since sources
 * come in any order; ruleset_lint calls it. */
void ruleset_check_scopes(struct ruleset *rs);

/* Do the names of shapes lead to shapes? The same; read_shape.c. */
void ruleset_check_shapes(struct ruleset *rs);

/* -- findings ----------------------------------------------------------------- */

struct place read_place(const struct reader *r, struct toml_pos at);

/* With the finding's hint to follow, by READ_HINT. */
#define READ_ERROR(r, code, at, ...) diag_add(&(r)->rs->diag, code, read_place(r, at), __VA_ARGS__)
#define READ_FATAL(r, code, at, ...) ((r)->rs->fatal++, READ_ERROR(r, code, at, __VA_ARGS__))
#define READ_HINT(r, ...) diag_hint(&(r)->rs->diag, __VA_ARGS__)

/* Is it worth looking for a hint? Not once the list of findings is full: that
 * would make a hostile file slow for nothing. */
bool read_hints(const struct ruleset *rs);

/* Tries each of a list of words that are separated by spaces. */
void nearest_try_words(struct nearest *n, const char *words);

/* "'x' is a string, expected ...": fatal; returns false. */
bool read_wrong_type(struct reader *r, struct str key, const struct toml *v, const char *expected);
bool read_no_memory(struct reader *r);

/* -- tables -------------------------------------------------------------------- */

/* The keys that a table may have. `read` NULL: legal, and read elsewhere. */
struct read_key {
    struct str key;
    void (*read)(struct reader *r, const struct toml_entry *e, void *to);
};
#define READ_KEY(name, fn)                                                                         \
    {                                                                                              \
        {name, sizeof name - 1}, fn                                                                \
    }

struct read_keys {
    const char *what; /* "[[rules]]", for messages */
    const struct read_key *key;
    size_t n;
    /* Takes what no key took, if it is not NULL; true if it did. */
    bool (*rest)(struct reader *r, const struct toml_entry *e, void *to);
};
#define READ_KEYS(what, keys, rest)                                                                \
    {                                                                                              \
        what, keys, sizeof keys / sizeof *keys, rest                                               \
    }

/* Reads every entry of a table in the order of the text; a key that is not
 * known is a finding with the nearest one. */
void read_table(struct reader *r, const struct toml *t, const struct read_keys *keys, void *to);
/* The finding for a key that nobody knows; `keys` may be NULL. */
void read_unknown_key(struct reader *r, const struct toml_entry *e, const char *what,
                      const struct read_keys *keys, bool fields);
/* Calls fn for every table of an [[array]]; anything else is a wrong type. */
void read_each(struct reader *r, const struct toml_entry *e, const char *what,
               void (*fn)(struct reader *r, const struct toml *t, void *to), void *to);
bool read_is_table(struct reader *r, const struct toml_entry *e);
/* Is the key there? Else a finding, fatal or not. */
bool read_wants(struct reader *r, const struct toml *t, const char *what, struct str key,
                bool fatal);

/* -- values --------------------------------------------------------------------- */

bool read_bool(struct reader *r, const struct toml_entry *e, bool *out);
/* A string without NUL. */
bool read_text(struct reader *r, struct str key, const struct toml *v, struct str *out);
/* A name as written: not empty, at most LIMIT_NAME_BYTES. */
bool read_name(struct reader *r, struct str key, const struct toml *v, struct str *out);
bool read_name_fold(struct reader *r, struct str key, const struct toml *v, struct str *out);
/* The same for a key that is itself a name: [provider_defaults.groq]. */
bool read_key_name(struct reader *r, const struct toml_entry *e, struct str *out);
/* Folded; the text itself where there is nothing to fold. */
bool read_fold(struct reader *r, struct str s, struct str *out);
/* One of `words`; else a fatal finding with this code. */
bool read_word(struct reader *r, struct str key, const struct toml *v, const char *words,
               enum code code, struct str *out);

/* An array, or, if `single`, also one value in place of an array. */
struct read_items {
    struct toml *const *item;
    size_t n;
    struct toml *one;
};
bool read_items(struct reader *r, const struct toml_entry *e, bool single, size_t max,
                struct read_items *out);
/* Folded names with their places. With `words` each is one of them (code as
 * in read_word). */
bool read_names(struct reader *r, const struct toml_entry *e, bool single, const char *words,
                enum code code, struct scope_name **out, size_t *n);
/* Findings for strings that stand twice (case folded), or out of order. */
void read_repeats(struct reader *r, struct str key, struct read_items items);
void read_sorted(struct reader *r, struct str key, struct read_items items);

/* -- rules ----------------------------------------------------------------------- */

/* A rule on its way. */
struct rule_draft {
    struct rule rule;
    size_t cap_patterns, cap_assigns;
};

void draft_begin(struct reader *r, struct rule_draft *d, enum rule_kind kind, struct toml_pos at);
/* Patterns of one kind, a string or a list. */
bool draft_patterns(struct reader *r, struct rule_draft *d, const struct toml_entry *e,
                    enum match_kind kind, bool single);
bool draft_any(struct reader *r, struct rule_draft *d, struct toml_pos at);
/* The only provider of the scope. */
bool draft_provider(struct reader *r, struct rule_draft *d, struct str folded, struct toml_pos at);
/* [major, minor]; anything else makes the rule one that never matches. */
void draft_version(struct reader *r, struct rule_draft *d, const struct toml_entry *e,
                   struct version_bound *out);
/* One field; false if the vocabulary has no such name (no finding yet). */
bool draft_field(struct reader *r, struct rule_draft *d, const struct toml_entry *e);
/* A table of nothing but fields. */
void draft_fields(struct reader *r, struct rule_draft *d, const struct toml *t, const char *what);
/* Adds the rule to the set. A rule without a usable pattern is left out: it
 * has its finding, and later stages need not know such rules. */
void draft_end(struct reader *r, struct rule_draft *d);
/* [defaults], or with a folded `provider` the defaults of one. */
void read_defaults(struct reader *r, const struct toml_entry *e, struct str provider,
                   const char *what);
/* [provider_defaults.X] tables. */
void read_provider_defaults(struct reader *r, const struct toml_entry *e, void *to);
/* resolution = "layered" or "first-match". */
void read_resolution(struct reader *r, const struct toml_entry *e, void *to);

/* [aliases] and [policy]; read_overlay.c. A list that cannot be read closes. */
void read_aliases(struct reader *r, const struct toml_entry *e, void *to);
void read_policy(struct reader *r, const struct toml_entry *e, void *to);
/* Do the aliases lead to models, are the providers of the lists known? For lint. */
void ruleset_check_overlay(struct ruleset *rs);
#define POLICY_ALTERNATIVES 16u /* of one part of a pattern */

/* The value of a field; see read_field.c. False if it cannot be used. */
bool read_value(struct reader *r, unsigned field, const struct toml_entry *e,
                struct rule_value *out);

/* -- the set's tables --------------------------------------------------------------- */

/* Declares a provider (id and aliases folded; r's source and p->at filled in).
 * A second declaration in another layer adds to the first. */
void read_provider(struct reader *r, struct provider *p);
/* A table of child = parent (or, in our own dialect, parents), in place of what
 * earlier sources or lower layers said. */
void read_families(struct reader *r, const struct toml_entry *e, void *to);
/* Harn's own rule: `mock` answers like anthropic, then like openai. */
void read_mock_family(struct reader *r);
/* A row of the identity tables: key is `prefix` (with a "/") and the folded key. */
bool read_id(struct reader *r, enum id_table table, struct str prefix, struct str key,
             struct str value, struct toml_pos at);

#endif
