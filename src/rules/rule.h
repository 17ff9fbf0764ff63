/*
 * rule.h - the one internal form of rules, whatever file they came from.
 *
 *     text --reader--> struct ruleset --lint--> findings
 *                            |
 *                            +--compile--> snapshot --resolve--> profile
 *
 * A source is one text. Its rules say: for these providers, APIs, patterns
 * and versions, these fields have these values. How they combine:
 *
 *   - layered: every matching rule overwrites the fields that it sets, in the
 *     order of layer, source, line.
 *   - first match: the first matching rule answers alone; with `extends` it
 *     gives what it sets and the search goes on. Higher layers are asked first.
 *   - A provider without a matching rule of its own falls through to its
 *     family's rules (its walk: itself, then its parents, depth first). A rule
 *     without provider scope is everybody's own and is asked at the first step.
 *     The walk stops at the first step that has a matching rule without
 *     `extends`. In layered order it is taken in each layer by itself, and only
 *     rules that name the provider stop it.
 *   - Adjacent layers of one kind form a stage; a later stage overwrites an
 *     earlier one field by field.
 *   - Defaults lie below all rules: [defaults] first, then the defaults of the
 *     provider's family, then of the provider itself, as far as the walk got.
 *
 * Everything lives in the ruleset's arena; all names and patterns are folded.
 */
#ifndef CANDO_RULE_H
#define CANDO_RULE_H

#include "base/diag.h"
#include "base/limits.h"
#include "base/map.h"
#include "catalog/model_id.h"
#include "catalog/vocab.h"

enum match_kind { MATCH_ANY, MATCH_EXACT, MATCH_PREFIX, MATCH_GLOB, MATCH_CONTAINS };

/* One pattern as it was written. A glob has one program for each of its
 * alternatives; the other kinds are their text. */
struct pattern {
    enum match_kind kind;
    struct str text;     /* folded; GLOB: the pattern as written, folded */
    struct str *program; /* GLOB: see text/glob.h */
    size_t n_programs;
    bool literal; /* GLOB: was not well-formed, compared as plain text */
    struct place at;
};

/* A value as a rule gives it. */
struct rule_value {
    bool cleared;          /* "unknown" written on purpose */
    cando_support support; /* SUPPORT */
    bool flag;             /* FLAG */
    uint64_t number;       /* NUMBER */
    struct str text;       /* WORD, TEXT; the reason of RESTRICTED, or empty */
    struct str *item;      /* LIST; MAP: "key=value" */
    size_t n;
};

struct assign {
    unsigned field;
    struct rule_value value;
    struct place at;
};

struct scope_name {
    struct str name; /* folded */
    struct place at;
};

enum rule_kind {
    RULE_MATCH,            /* [[rules]] */
    RULE_FACT,             /* one model at one provider */
    RULE_DEFAULT,          /* [defaults] */
    RULE_PROVIDER_DEFAULT, /* [provider_defaults.X] */
};

struct version_bound {
    bool set;
    uint32_t major, minor;
    struct place at;
};

struct rule {
    enum rule_kind kind;
    uint32_t source;             /* index into ruleset.source */
    struct str name;             /* as written; may be empty */
    struct str id;               /* FACT: the model's id with its capital letters; else empty */
    struct place at;             /* of the rule's header */
    struct str origin;           /* `source`: where the claim comes from */
    struct str evidence;         /* "provider-docs", "catalog", ... or empty */
    uint32_t agreed;             /* fields that another, independent source confirms: agreed_bit */
    uint32_t checked;            /* yyyymmdd, 0 if not said */
    struct scope_name *provider; /* none: every provider */
    size_t n_providers;
    struct scope_name *api; /* none: every API */
    size_t n_apis;
    struct pattern *pattern; /* any one of them; DEFAULT kinds have one ANY */
    size_t n_patterns;
    struct version_bound min, max; /* both ends belong to the range */
    bool never;                    /* cannot match: a malformed version bound */
    bool extends;
    bool on_base; /* compared with the id's base, not the id as written */
    enum version_scheme scheme;
    struct assign *assign;
    size_t n_assigns;
};

static inline bool rule_is_default(const struct rule *r)
{
    return r->kind == RULE_DEFAULT || r->kind == RULE_PROVIDER_DEFAULT;
}

struct rule_source {
    struct str name, text;
    uint32_t file;       /* in ruleset.diag */
    cando_syntax syntax; /* never AUTO once it is read */
    cando_layer layer;
    bool first_match;
    bool overrides; /* Harn's: a project's own rules, which are meant for the top of others */
    bool compiled;  /* of a snapshot: there is no text */
    bool broken;    /* could not be read to its end: not compiled */
};

struct provider {
    struct str id; /* folded */
    struct str name;
    struct str api;                    /* "" if unknown */
    struct str kind;                   /* "first-party", "cloud", ...; may be empty */
    struct scope_name *alias, *spoken; /* `spoken`: all its APIs; none: nobody says */
    struct scope_name *base;           /* "host:port/path" of the addresses that it serves */
    size_t n_aliases, n_spoken, n_bases;
    bool own_names; /* what models are called there is everybody's own matter */
    struct place at;
    uint32_t source;
};

/* `child` falls through to `parent`. A child may have several parents, in order;
 * all of them come from one declaration, that of the highest layer. A family at
 * line 0 was written by nobody: Harn's `mock`. */
struct family {
    struct str child, parent;
    struct place at;
    uint32_t source;
};

/* One entry of the tables behind model_id.h; key and value as described there. */
struct id_entry {
    enum id_table table;
    uint32_t source;
    struct str key, value;
    struct place at;
};

/* [aliases]: what is offered as provider/id is the model `target` ("provider/model")
 * of another offering. All but the price is taken from there. */
struct model_alias {
    struct str provider, id; /* folded */
    struct str written;      /* the id with its capital letters */
    struct str target;       /* folded */
    struct place at;
    uint32_t source;
};

/* [policy]: one entry of a list, or the list itself. */
enum policy_kind {
    POLICY_CLOSED, /* a list could not be read: nothing is allowed */
    POLICY_DENY,
    POLICY_ALLOW,
    POLICY_ALLOW_LIST, /* there is an allow list: what is not in it is denied */
    POLICY_KEYS,       /* somebody has a key for it; denies nothing */
};

struct policy_entry {
    enum policy_kind kind;
    struct str text; /* as written, folded: "openai", "openai/gpt-*" */
    uint32_t source;
    struct place at;
};

struct ruleset_requests;
struct snapshot;

struct ruleset {
    struct arena *ar;
    struct diag_list diag;
    struct rule_source *source;
    size_t n_sources, cap_sources;
    struct rule *rule; /* in the order of source and line */
    size_t n_rules, cap_rules;
    struct provider *provider; /* each id once, also where several layers declare it */
    size_t n_providers, cap_providers;
    struct family *family;
    size_t n_families, cap_families;
    struct id_entry *id;
    size_t n_ids, cap_ids;
    struct ruleset_requests *requests; /* NULL: no file has any; see request.h */
    struct model_alias *alias;         /* what comes later counts, within a layer */
    size_t n_aliases, cap_aliases;
    uint16_t borrow[FIELD_COUNT]; /* by field: a bit for each word of BORROW_WORDS */
    struct policy_entry *policy;
    size_t n_policies, cap_policies;
    size_t fatal; /* findings that make the set unfit to be compiled */
    bool failed;  /* no memory */
    bool linted;
    const struct snapshot *base; /* the catalog that all this lies over, or NULL */
    struct map by_name;          /* (the readers' own) a rule's name -> rule */
    struct map by_provider;      /* a provider's id or alias, folded -> provider */
    struct map by_id;            /* (the readers' own) table and key -> id entry */
    size_t known_rules, known_providers, known_ids; /* (the same) how far these maps got */
};

void ruleset_init(struct ruleset *rs, struct arena *ar);

/* Reads one text into the set. Problems are findings in rs->diag; only missing
 * memory (rs->failed) and the size limit end the call early. Name and text must
 * live as long as the arena. */
void ruleset_read(struct ruleset *rs, struct str name, struct str text, cando_syntax syntax,
                  cando_layer layer);

/* Brings the maps of names up to what is in the set. False: no memory. */
bool ruleset_index(struct ruleset *rs);
/* How by_id has the key of a table, behind a prefix if there is one. NULL text: no memory. */
struct str id_key(struct arena *ar, enum id_table table, struct str prefix, struct str key);

/* Judges the whole set; findings go to rs->diag, sorted. Once. */
void ruleset_lint(struct ruleset *rs);
/* Only what rules and defaults contradict together, on the routes that they stand for; the
 * findings come behind those that are there. */
void ruleset_lint_routes(struct ruleset *rs);

#endif
