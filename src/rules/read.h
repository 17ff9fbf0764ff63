/*
 * read.h - what the readers of the three syntaxes share.
 *
 *     read.c         finds the syntax, runs its reader, puts rules in order,
 *                    keeps the tables of providers, families and identities
 *     read_part.c    tables, names, patterns, versions: the parts of a rule
 *     read_field.c   (field, TOML value) -> rule_value, for every syntax
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

/* Parses the text: r->root. */
bool read_root(struct reader *r, struct str text);
/* One reader for each syntax: root table in, rules out. */
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

static inline bool read_fatal(struct reader *r)
{
    r->rs->fatal++;
    return false;
}

/* With the finding's hint to follow, by READ_HINT. */
#define READ_ERROR(r, code, at, ...) diag_add(&(r)->rs->diag, code, read_place(r, at), __VA_ARGS__)
/* Is false. */
#define READ_FATAL(r, code, at, ...) (READ_ERROR(r, code, at, __VA_ARGS__), read_fatal(r))
#define READ_HINT(r, ...) diag_hint(&(r)->rs->diag, __VA_ARGS__)

/* Is it worth looking for a hint? Not once the list of findings is full: that
 * would make a hostile file slow for nothing. */
bool read_hints(const struct ruleset *rs);

/* Tries each of a list of words that are separated by spaces. */
void nearest_try_words(struct nearest *n, const char *words);

/* "'x' is a string, expected ...": fatal; returns false. */
bool read_wrong_type(struct reader *r, struct str key, const struct toml *v, const char *expected);
bool read_no_memory(struct reader *r);
/* Is there no room for one more? Then a fatal finding, and nothing more is read. */
bool read_full(struct reader *r, size_t n, unsigned limit, const char *what, struct place at);

/* -- tables -------------------------------------------------------------------- */

/* The keys that a table may have: a row a key. What a row is called says what stands
 * there and where it goes; `S` is the struct that the reader of the table was given.
 *
 *     READ_KEY       whatever a function takes; NULL: legal, and read elsewhere
 *     KEY_FLAG       bool                    true, false
 *     KEY_TEXT       struct str              a string without NUL
 *     KEY_NAME       struct str              as read_name; KEY_FOLDED: as read_name_fold
 *     KEY_WORD       struct str              one of `words`
 *     KEY_NAMES      struct scope_name *m; size_t n_m    a list of names, or of `words`
 *     KEY_VERSION    struct version_bound    of a rule_draft
 *     KEY_PATTERNS   the patterns of a rule_draft, of one kind
 *     KEY_TABLE      the members of a table, by rows of its own, into the same struct
 *     KEY_ENTRIES    a table of any keys: a function for each entry
 *     KEY_EACH       [[tables]]: a function for each
 */
typedef void read_entry_fn(struct reader *r, const struct toml_entry *e, void *to);
typedef void read_table_fn(struct reader *r, const struct toml *t, void *to);

enum read_kind {
    READ_BY_FUNCTION,
    READ_FLAG,
    READ_TEXT,
    READ_NAME,
    READ_FOLDED,
    READ_WORD,
    READ_NAMES,
    READ_VERSION,
    READ_PATTERNS,
    READ_TABLE,
    READ_ENTRIES,
    READ_EACH,
};

enum read_flags {
    READ_NEEDED = 1,  /* a table without it has a fatal finding; */
    READ_WANTED = 2,  /* one that is for lint alone              */
    READ_ALONE = 4,   /* NAMES: one may stand without its brackets */
    READ_FILLED = 8,  /* NAMES: an empty list is a mistake */
    READ_CHECKED = 16 /* looked at and not kept */
};

struct read_keys;
struct read_key {
    struct str key;
    read_entry_fn *read;
    read_table_fn *each;
    const struct read_keys *keys;
    const char *words; /* WORD, NAMES; EACH: "[[rules]]", for messages */
    const char *hint;  /* for whoever left the key out */
    enum code code;    /* of the finding for another word */
    enum match_kind match;
    uint16_t at, n_at;
    uint8_t kind, flags;
};
#define READ_KEY_(name, how, ...)                                                                  \
    {                                                                                              \
        .key = {name, sizeof name - 1}, .kind = how, __VA_ARGS__                                   \
    }
#define READ_KEY(name, fn) READ_KEY_(name, READ_BY_FUNCTION, .read = fn)
#define KEY_FLAG(name, m) READ_KEY_(name, READ_FLAG, .at = offsetof(S, m))
#define KEY_TEXT(name, m, ...) READ_KEY_(name, READ_TEXT, .at = offsetof(S, m), __VA_ARGS__)
#define KEY_NAME(name, m) READ_KEY_(name, READ_NAME, .at = offsetof(S, m))
#define KEY_FOLDED(name, m, ...) READ_KEY_(name, READ_FOLDED, .at = offsetof(S, m), __VA_ARGS__)
#define KEY_WORD(name, m, list, c)                                                                 \
    READ_KEY_(name, READ_WORD, .at = offsetof(S, m), .words = list, .code = c)
#define KEY_NAMES(name, m, n_m, ...)                                                               \
    READ_KEY_(name, READ_NAMES, .at = offsetof(S, m), .n_at = offsetof(S, n_m), __VA_ARGS__)
#define KEY_VERSION(name, m) READ_KEY_(name, READ_VERSION, .at = offsetof(S, m))
#define KEY_PATTERNS(name, of, ...) READ_KEY_(name, READ_PATTERNS, .match = of, __VA_ARGS__)
#define KEY_TABLE(name, rows) READ_KEY_(name, READ_TABLE, .keys = rows)
#define KEY_ENTRIES(name, fn) READ_KEY_(name, READ_ENTRIES, .read = fn)
#define KEY_EACH(name, what, fn) READ_KEY_(name, READ_EACH, .words = what, .each = fn)
/* A value that must be right and is not kept. */
#define KEY_CHECKED(name, how, ...) READ_KEY_(name, how, .flags = READ_CHECKED __VA_ARGS__)

struct read_keys {
    const char *what; /* "[[rules]]", for messages */
    const struct read_key *key;
    size_t n;
    /* Takes what no key took, if it is not NULL; true if it did. */
    bool (*rest)(struct reader *r, const struct toml_entry *e, void *to);
    const char *self; /* "the rule", where that is not `what` */
};
#define READ_KEYS_OF(what, self, keys, rest)                                                       \
    {                                                                                              \
        what, keys, COUNT_OF(keys), rest, self                                                     \
    }
#define READ_KEYS(what, keys, rest) READ_KEYS_OF(what, what, keys, rest)

/* Reads every entry of a table in the order of the text; a key that is not
 * known is a finding with the nearest one, and so is each that is needed and missing. */
void read_table(struct reader *r, const struct toml *t, const struct read_keys *keys, void *to);
/* The finding for a key that nobody knows; `keys` may be NULL. */
void read_unknown_key(struct reader *r, const struct toml_entry *e, const char *what,
                      const struct read_keys *keys, bool fields);
/* Calls fn for every table of an [[array]]; anything else is a wrong type. */
void read_each(struct reader *r, const struct toml_entry *e, const char *what, read_table_fn *fn,
               void *to);
/* Calls fn for every entry of a table; anything else is a wrong type. */
void read_entries(struct reader *r, const struct toml_entry *e, read_entry_fn *fn, void *to);
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
/* An API by our own name, where Nika has another. */
struct str read_api(struct str word);
void draft_end(struct reader *r, struct rule_draft *d);
/* `name`, `on`, and `set` (or `caps`) of a rule. */
read_entry_fn read_rule_name, read_rule_on, read_rule_fields;
/* [defaults]; an entry of [provider_defaults]; resolution = "layered" or "first-match". */
read_entry_fn read_defaults, read_provider_default, read_resolution;

/* An entry of [aliases], and [policy]; read_overlay.c. A list that cannot be read closes. */
read_entry_fn read_alias, read_policy;
/* Do the aliases lead to models, are the providers of the lists known? For lint. */
void ruleset_check_overlay(struct ruleset *rs);
#define POLICY_ALTERNATIVES 16u /* of one part of a pattern */

/* The value of a field; see read_field.c. False if it cannot be used. */
bool read_value(struct reader *r, unsigned field, const struct toml_entry *e,
                struct rule_value *out);

/* -- the set's tables --------------------------------------------------------------- */

/* A provider that nothing is known of but where its table begins. */
struct provider read_provider_begin(const struct reader *r, const struct toml *t);
/* Declares a provider (id and aliases folded; r's source and p->at filled in).
 * A second declaration in another layer adds to the first. */
void read_provider(struct reader *r, struct provider *p);
/* One child = parent (or, in our own syntax, parents), in place of what earlier
 * sources or lower layers said. */
read_entry_fn read_family;
/* Harn's own rule: `mock` answers like anthropic, then like openai. */
void read_mock_family(struct reader *r);
/* A row of the identity tables: key is `prefix` (with a "/") and the folded key. */
bool read_id(struct reader *r, enum id_table table, struct str prefix, struct str key,
             struct str value, struct place at);

#endif
