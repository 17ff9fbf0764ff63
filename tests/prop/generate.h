/*
 * generate.h - random sets of rules, twice: as TOML for the library and as
 * structs for the reference resolver.
 *
 * The alphabet is tiny (a, b and a few separators, six providers, ten fields),
 * so that patterns, scopes, layers and families collide all the time. The same
 * seed gives the same set on every machine.
 */
#ifndef GENERATE_H
#define GENERATE_H

#include "reference.h"

#include <stdint.h>

struct rng {
    uint64_t s;
};
uint32_t rng_next(struct rng *r);
/* 0 .. n - 1 */
uint32_t rng_below(struct rng *r, uint32_t n);
/* true in `percent` of cases */
bool rng_chance(struct rng *r, uint32_t percent);

enum gen_type { GEN_SUPPORT, GEN_FLAG, GEN_NUMBER, GEN_WORD, GEN_TEXT, GEN_LIST, GEN_MAP };

/* A field in the words of each dialect; NULL where it has none. None of them is
 * concluded from another field, so that what is read is what a rule set. */
struct gen_field {
    const char *cando, *nika, *harn;
    enum gen_type type;
};
#define GEN_FIELDS 10
extern const struct gen_field gen_fields[GEN_FIELDS];

enum { GEN_CANDO = 1, GEN_NIKA, GEN_HARN }; /* the numbers of cando_dialect */

struct gen_source {
    char name[32];
    unsigned syntax, layer;
    char *text;
    size_t len, cap;
    unsigned line; /* of what is written next */
};

#define GEN_SOURCES 6
#define GEN_RULES 80
#define GEN_PROVIDERS 6

struct gen {
    struct rng rng;
    struct gen_source source[GEN_SOURCES];
    size_t n_sources;
    struct ref_set set;
    struct ref_source ref_source[GEN_SOURCES];
    struct ref_rule rule[GEN_RULES];
    size_t n_rules;
    struct ref_provider provider[GEN_PROVIDERS];
    struct ref_family family[GEN_PROVIDERS];
    int family_source[GEN_PROVIDERS]; /* who said it; -1: nobody */
    bool has_harn;
    bool own_bounds; /* a rule of our own dialect has a version bound */
    unsigned declared[GEN_PROVIDERS];       /* how often */
    unsigned declared_layer[GEN_PROVIDERS]; /* the highest layer so far */
    unsigned names;
    void **memory;
    size_t n_memory, cap_memory;
};

void gen_make(struct gen *g, uint64_t seed);
void gen_free(struct gen *g);

/* The provider's and the model's name of a random question. */
const char *gen_ask_provider(struct gen *g);
const char *gen_ask_id(struct gen *g);

#endif
