/*
 * reference.h - the rules of resolution, done the slow and obvious way.
 *
 * The compiled resolver walks tries, automata and hash tables; this one reads
 * every rule from top to bottom, and follows src/rules/rule.h word by word. It
 * shares no line with the library and includes none of its headers, so that a
 * mistake would have to be made twice to go unseen. bench/ measures against it.
 *
 * Values are texts that the caller chooses; "" stands for one that was cleared.
 * All texts are NUL-terminated and borrowed. Case does not count anywhere.
 */
#ifndef REFERENCE_H
#define REFERENCE_H

#include <stdbool.h>
#include <stddef.h>

#define REF_FIELDS 16
#define REF_LAYERS 7
#define REF_STEPS 16 /* providers that one walk may visit */

enum ref_match { REF_ANY, REF_EXACT, REF_PREFIX, REF_GLOB, REF_CONTAINS };

struct ref_pattern {
    enum ref_match kind;
    const char *text;
};

struct ref_assign {
    unsigned field; /* below REF_FIELDS */
    const char *value;
};

enum ref_kind { REF_RULE, REF_FACT, REF_DEFAULT, REF_PROVIDER_DEFAULT };

struct ref_rule {
    enum ref_kind kind;
    unsigned source, line;
    const char *name;
    const char *const *provider; /* ids or aliases; none: everybody */
    size_t n_providers;
    const char *const *syntax;
    size_t n_apis;
    const struct ref_pattern *pattern;
    size_t n_patterns;
    bool has_min, has_max, never, extends, on_base;
    unsigned min[2], max[2];
    const struct ref_assign *assign;
    size_t n_assigns;
};

struct ref_source {
    unsigned layer;
    bool first_match;
    bool harn; /* in Harn's form */
};

/* What is in force of a provider once all its declarations are merged. */
struct ref_provider {
    const char *id, *syntax; /* dialect "": unknown */
    const char *const *alias;
    size_t n_aliases;
};

/* The parents that count, in their order. */
struct ref_family {
    const char *child;
    const char *const *parent;
    size_t n_parents;
};

struct ref_set {
    const struct ref_source *source;
    size_t n_sources;
    const struct ref_rule *rule; /* by source, then line */
    size_t n_rules;
    const struct ref_provider *provider;
    size_t n_providers;
    const struct ref_family *family;
    size_t n_families;
};

enum ref_way { REF_AS_WRITTEN, REF_LAYERED, REF_FIRST_MATCH };

struct ref_answer {
    const struct ref_rule *rule[REF_FIELDS]; /* who set it; NULL: nobody */
    const char *value[REF_FIELDS];
    bool matched; /* some rule did */
    bool fact;    /* a fact row of the provider itself did */
};

/* `base` is the id without its decorations, for rules that look at that. */
void ref_resolve(const struct ref_set *set, const char *provider, const char *id, const char *base, enum ref_way way,
                 struct ref_answer *out);

bool ref_glob(const char *pattern, const char *text);
bool ref_contains(const char *text, const char *word);
/* The version of an id in the Anthropic or else the OpenAI scheme. */
bool ref_version(const char *id, unsigned *major, unsigned *minor);

#endif
