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
    struct str path; /* relative to the rule's home; "" is the home itself */
    enum req_test test;
    uint32_t kinds;   /* TEST_KIND                                          */
    struct str *word; /* words, prefixes, classes                           */
    size_t n_words;
    unsigned field; /* TEST_ABOVE_FACT, TEST_NOT_IN_FACT                  */
    enum req_measure measure;
    double lo, hi;
    uint32_t at_least;
    bool point;
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
    struct str api, home;
    struct req_conds all, none, any, prev, each;
    struct str *known; /* keys of the home that `*` does not mean     */
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
};

struct ruleset_requests {
    struct req_rule *rule;
    size_t n, cap;
    struct req_measure_path *measure;
    size_t n_measures, cap_measures;
    struct req_text *text;
    size_t n_texts, cap_texts;
};

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
/* Takes the next step off *path. False: it cannot be read. */
bool req_step(struct str *path, struct req_step *out);

#endif
