/*
 * request.h - request rules as they are read: what a request must not say, to
 * whom, and what to do about it. catalog/requests.h has their compiled form,
 * docs/requests.md their file format (schema "cando/requests@1").
 */
#ifndef CANDO_RULES_REQUEST_H
#define CANDO_RULES_REQUEST_H

#include "api_words.h"
#include "catalog/requests.h"
#include "read.h"

/* The dialects of requests; "shape" holds the rules that tell them apart. */
#define REQUEST_APIS API_REQUEST_WORDS " shape"

struct req_cond {
    struct str path; /* relative to the rule's subject; "" is the subject itself */
    enum req_test test;
    uint32_t kinds;   /* TEST_KIND                                          */
    struct str *word; /* words, prefixes, classes                           */
    size_t n_words;
    unsigned field; /* TEST_ABOVE_FACT, TEST_NOT_IN_FACT                  */
    enum req_measure measure;
    double lo, hi;
    uint32_t at_least;
    bool point;
    bool absolute; /* the path is the request's, not the subject's; */
    bool outer;    /* or that of the item around it */
    unsigned uses; /* of `uses`: the capability that passing it needs; else FIELD_COUNT */
    struct place at;
};

struct req_fact_cond {
    unsigned field;
    enum req_fact fact;
    struct str text;
};

struct req_conds {
    struct req_cond *item;
    size_t n, cap;
};

struct req_rule {
    struct rule_draft scope;  /* name, source, providers, patterns, versions */
    struct rule_draft except; /* patterns that are left out                  */
    struct str api, subject;
    struct req_conds all, none, any, prev, each;
    struct req_conds prev_none, next, next_none;
    struct req_conds outer_all, outer_none; /* of an item's rule: about the item around it, */
    struct req_conds root_all, root_none, root_any; /* of an item's rule: about the request */
    struct str *known; /* keys of the subject that `*` does not mean     */
    size_t n_known;
    struct req_fact_cond *fact;
    size_t n_facts, cap_facts;
    enum req_effect effect;
    unsigned flags; /* enum req_rule_flag: FIRST, LAST, LOSSY, FINALIZE */
    unsigned field; /* the capability, or FIELD_COUNT              */
    struct str code, message, advice, confidence;
    cando_severity severity;
    bool severity_said;
    enum req_fix fix;
    struct str fix_text, *fix_pair;
    size_t n_fix_pairs;
    double fix_lo, fix_hi;
    unsigned fix_field;
    enum req_check check;
    enum req_event event;
    struct str *adjust; /* REQ_ADJUST: shapes and members */
    size_t n_adjusts;
    uint32_t wrongs; /* bits of enum req_wrong */
};

/* -- shapes: docs/request-shapes.md ----------------------------------------------------- */

struct shape_range {
    double lo, hi; /* infinite where there is no bound */
};

/* A kind, as it was written: alternatives that JSON kinds tell apart. */
struct shape_kind {
    uint32_t kinds;
    bool any_string, whole;
    struct str name[4]; /* shapes */
    unsigned n_names;
    struct shape_kind *item, *map; /* of an array, of an object with names of one's own */
    struct place at;
};

struct shape_test {
    struct str *word, *prefix;
    size_t n_words, n_prefixes;
    struct str chars[2]; /* classes of the first character and of the others; p NULL: none */
    struct shape_range range, length, items, members;
    bool above, below; /* the bound itself is left out */
    bool open;         /* other words may come */
    bool base64;
    struct str unique; /* a path; "" is the item itself; p NULL: no */
    struct shape_test *key;
};

/* Who says so; what is not said is the shape's, then the file's. */
struct shape_said {
    bool severe; /* `severity` was said */
    cando_severity severity;
    struct str source, confidence;
    uint32_t checked;
};

struct shape_member {
    struct str name;
    struct str *also;
    size_t n_also;
    struct shape_kind *kind;
    struct shape_test test;
    bool required;
    struct shape_said said;
    struct place at;
};

struct shape_case {
    struct str word, shape;
    struct place at;
};

struct shape_group {
    enum req_group kind;
    struct str *name;
    size_t n;
    struct place at;
};

struct req_shape {
    struct str name, like;
    struct shape_kind *kind, *rest; /* NULL: not said */
    struct shape_test test;
    struct shape_member *member;
    size_t n_members, cap_members;
    struct str *required;
    size_t n_required;
    enum { CLOSED_UNSAID, CLOSED_NO, CLOSED_YES } closed;
    struct shape_group *group;
    size_t n_groups, cap_groups;
    struct str by, other, missing; /* empty: not said; `other`: "open", "closed", or a shape */
    struct shape_case *choice;
    size_t n_choices;
    bool nulls; /* of its file: a member that is not required may be null */
    struct shape_said said;
    uint32_t before; /* the one of the same name before it, or SNAP_NONE */
    struct place at;
};

/* The shapes of an API: everybody's, or those of some providers. */
struct shape_set {
    struct str api, root;
    const struct scope_name *provider;
    size_t n_providers; /* 0: everybody's */
    struct req_shape *shape;
    size_t n, cap;
    struct map by_name; /* the last one of each name */
    struct place at;
};

/* One [measure] entry is a rule without a rule: a condition that only counts. */
struct req_measure_path {
    struct str api;
    struct req_cond cond;
};

struct req_text {
    uint32_t source;
    struct str text;
    struct str api, vendor; /* vendor: may be empty */
    bool also_snake;        /* names are taken in snake_case as well */
};

struct ruleset_requests {
    struct req_rule *rule;
    size_t n, cap;
    struct req_measure_path *measure;
    size_t n_measures, cap_measures;
    struct req_text *text;
    size_t n_texts, cap_texts;
    struct str packed; /* the first `n_packed` texts, as the snapshot has them that they are of */
    size_t n_packed;
    struct shape_set *set;
    size_t n_sets, cap_sets;
};

/* What a file says for all that is in it. */
struct req_file {
    struct str api;
    struct str vendor;           /* whose API it is; may be empty */
    struct scope_name *provider; /* of rules that name none */
    size_t n_providers;
    struct shape_said said; /* of shapes */
    bool closed, nulls;
    struct str root;
    struct place at;
    const struct req_rule *also; /* for whom else its rules are that name no model, or NULL */
};

/* read_shape.c: [shape.NAME] tables. */
void read_shapes(struct reader *r, const struct toml_entry *e, const struct req_file *f);
/* The shape of a name, or NULL; what a later file says of it comes first. */
const struct req_shape *req_shape_find(const struct shape_set *set, struct str name);

/* -- read_condition.c ------------------------------------------------------------------ */

/* A path alone, a condition, or a list of these. */
bool req_conds(struct reader *r, const struct toml_entry *e, struct req_conds *out);
bool req_path_ok(struct reader *r, struct str path, struct toml_pos at);
/* The name of a field of this type. */
bool req_field(struct reader *r, const struct toml_entry *e, cando_type type, unsigned *out);

/* -- parts that several readers need ---------------------------------------------------- */

bool req_range(struct reader *r, const struct toml_entry *e, double *lo, double *hi);
bool req_number(struct reader *r, struct str key, const struct toml *v, double *out);
bool req_words(struct reader *r, const struct toml_entry *e, struct str **out, size_t *n);
bool req_chars(struct reader *r, const struct toml_entry *e, struct str out[2]);
bool req_day(struct reader *r, const struct toml_entry *e, uint32_t *out);
bool req_severity(struct reader *r, const struct toml_entry *e, cando_severity *out);
bool req_confidence(struct reader *r, const struct toml_entry *e, struct str *out);

/* Reads a file of request rules; r->root is its table. */
void read_requests(struct reader *r, struct str text);
/* The same for a text that was compiled before. */
void ruleset_read_requests(struct ruleset *rs, uint32_t source, struct str text);

/* A step of a path. */
struct req_step {
    enum { STEP_KEY, STEP_ITEM, STEP_STAR, STEP_END } kind;
    struct str key;
    bool schema; /* and every schema inside */
};
/* The item that holds the items of `subject`: "messages[]" of "messages[].content[]"; or empty. */
struct str req_around(struct str subject);
/* Takes the next step off *path. False: it cannot be read. */
bool req_step(struct str *path, struct req_step *out);

#endif
