/*
 * rules.h - rule sets of any size for benchmarks.
 *
 * The first CORE_RULES rules are made of words that the ids are made of, so
 * that every id matches a few of them; all further rules are about models that
 * nobody asks for, but with the same first words, scopes and kinds of patterns.
 * So two sets of different size give the same answers for the same ids.
 */
#ifndef BENCH_RULES_H
#define BENCH_RULES_H

#include <stdbool.h>
#include <stddef.h>

#define CORE_RULES 500
#define BENCH_IDS 64
#define BENCH_PROVIDERS 24

enum bench_kind { BENCH_PREFIX, BENCH_GLOB, BENCH_CONTAINS, BENCH_EXACT };

struct bench_rule {
    int provider; /* -1: every provider */
    enum bench_kind kind;
    char pattern[64];
    const char *field;
    unsigned number;
};

struct bench_id {
    int provider;
    char model[64];
};

extern const char *const bench_provider[BENCH_PROVIDERS];

void bench_rules(struct bench_rule *out, size_t n);
void bench_ids(struct bench_id *out); /* BENCH_IDS */
/* The rules as a rule file; to be freed. */
char *bench_toml(const struct bench_rule *rule, size_t n, size_t *len);

#endif
