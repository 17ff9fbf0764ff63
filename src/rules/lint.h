/*
 * lint.h - what the passes of the lint share (inside of rules/ only).
 *
 *     ruleset ──► lint_prepare: names, programs, stages
 *                     │
 *                     ├── lint_families   the graph of provider families
 *                     ├── lint_names      names that are almost another
 *                     ├── lint_versions   bounds that no id can meet
 *                     ├── lint_bases      patterns that name a vendor, which no base has
 *                     ├── lint_shadows    first match: rules that are never reached
 *                     ├── lint_overwrites layered: values that are never seen
 *                     └── lint_routes     what rules and defaults say together
 *
 * All names of providers become small numbers, aliases being the same as their
 * id; every pattern becomes the glob programs that match the same ids. The
 * passes say only what they can prove: where a search gives up (work and
 * memory are bounded by the constants below), nothing is reported.
 */
#ifndef CANDO_LINT_H
#define CANDO_LINT_H

#include "order.h"
#include "text/glob.h"

/* Bounds of the work, chosen so that 50,000 ordinary rules take seconds and no
 * set of rules takes minutes. A rule that runs into one is not judged. */
#define LINT_WORK (1u << 28)        /* candidates looked at, shared by all rules   */
#define LINT_RULE_WORK 1024u        /* and at least so many for each               */
#define LINT_PROOF_BYTES (1u << 29) /* memory asked for by all glob proofs, in sum */
#define LINT_PROGRAMS (1u << 20)    /* programs of all patterns                    */
#define LINT_NODES (1u << 22)       /* entries of one index                        */
#define LINT_HITS 32u               /* rules that may each cover a program alone   */
#define LINT_TRIES 4u               /* of these, how many a proof is tried for     */
#define LINT_UNION 64u              /* programs of one union                       */
#define LINT_WITNESS_BYTES 2048u    /* an example of what a pattern matches        */
#define LINT_ROUTE_RULES 256u       /* rules that match one example                */
#define LINT_ROUTE_PATTERNS 4u      /* examples for one rule                       */
#define LINT_ROUTE_PROVIDERS 16u    /* providers of one rule                       */
#define LINT_PIN_WORK 1000000u      /* patterns compared with OpenRouter's pins    */
#define LINT_NEAR_WORK 2000000u     /* names compared with a misspelt one          */
#define LINT_NEAR_BYTES 64u         /* names that are longer are nobody's typo     */

#define LINT_NO_API 64u
#define LINT_NONE UINT32_MAX

/* A provider, by its number; the last one is everybody: "no provider scope". */
struct lint_name {
    struct str text;
    unsigned api;      /* a bit number, or LINT_NO_API */
    uint32_t children; /* how many fall through to it directly */
    uint32_t uses;     /* rules and lines of families that name it */
    uint32_t rules;    /* how many rules name it, defaults too */
    bool declared, seen;
    struct place at;      /* where it is first written */
    cando_syntax written; /* in which kind of file */
};

/* One of the ways in which a pattern matches. */
struct lint_program {
    struct str code;
    struct str head;  /* plain bytes that every match begins with */
    struct str gram;  /* without a head: the first of the longest run of plain bytes */
    uint64_t letters; /* of the plain bytes that every match has, see lint_letters */
    uint32_t rule, pattern;
    bool whole; /* the head, and nothing else */
    bool open;  /* the head, and then anything */
    bool off;   /* takes no part any more */
};

struct lint_mask {
    uint64_t word[CANDO_MAX_FIELDS / 64];
};

struct lint_rule {
    uint32_t program, n_programs; /* none: it takes no part in the judgement */
    uint32_t scope, n_scopes;     /* in lint.scope: ascending, without repeats */
    uint64_t apis;                /* 0: every API */
    struct lint_mask fields;      /* what it sets */
    uint32_t stage;
    uint32_t order; /* first match: asked earlier; layered: wins over larger ones */
};

/* Counts what proofs cost, and notes when memory ran out inside of them. */
struct lint_memory {
    const cando_allocator *inner;
    size_t bytes;
    bool failed;
};

struct lint {
    struct ruleset *rs;
    struct arena ar;           /* freed when the lint ends; a pass ends when it failed */
    struct lint_memory memory; /* of `proof` and of each proof's scratch */
    cando_allocator proof;
    struct lint_rule *rule; /* one a rule of the set */
    struct lint_program *program;
    size_t n_programs, cap_programs;
    uint32_t *scope;
    size_t n_scopes, cap_scopes;
    struct provider_names names;
    struct lint_name *name; /* by number, and everybody */
    size_t n_names;         /* without everybody, who has the number behind them */
    struct family_graph families;
    struct rule_order rules;
    struct map api_of;
    uint32_t n_apis;
    size_t rule_work; /* candidates that may be looked at for one rule */
    bool broken;      /* some source could not be read */
};

/* -- lint.c ------------------------------------------------------------------- */

/* The number of a provider name (folded), or LINT_NONE. */
uint32_t lint_name_find(const struct lint *l, struct str name);
bool lint_rule_names(const struct lint *l, uint32_t rule, uint32_t name);
/* "'name' (file:line)" or "the rule at file:line"; lives as long as the lint. */
struct str lint_label(struct lint *l, uint32_t rule);
struct str lint_where(struct lint *l, struct place at);
/* What the syntax of this rule's file calls the field. */
struct str lint_field_name(const struct lint *l, uint32_t rule, unsigned field);
static inline uint32_t lint_everybody(const struct lint *l)
{
    return (uint32_t)l->n_names;
}

/* -- lint_pattern.c: programs and what can be said of them ---------------------- */

/* Makes the programs of a rule's patterns. False: no memory. */
bool lint_programs_add(struct lint *l, uint32_t rule);
/* A text that the program matches, with `run` in place of each `*`. Empty and
 * *ok false if it does not fit. */
struct str lint_witness(const struct lint_program *p, struct str run, char room[LINT_WITNESS_BYTES],
                        bool *ok);
/* A bit for each character of ids; others share a few. */
uint64_t lint_letters(struct str text);
/* Is all that `b` matches matched by `a`, or by all of a[0..n) together? */
bool lint_one_covers(struct lint *l, const struct lint_program *a, const struct lint_program *b);
bool lint_union_covers(struct lint *l, const struct str *a, size_t n, const struct lint_program *b);
bool lint_overlap(struct lint *l, const struct lint_program *a, const struct lint_program *b);
static inline bool lint_is_any(const struct lint_program *p)
{
    return p->open && p->head.n == 0;
}

/* -- lint_version.c ----------------------------------------------------------------- */

/* Does `a` admit the version of every id that `b` admits? */
bool lint_version_covers(const struct rule *a, const struct rule *b);
/* Does a rule with these bounds take an id of this text? */
bool lint_version_takes(const struct rule *r, struct str id);
void lint_versions(struct lint *l);

/* -- lint_index.c: which rules cover a program ------------------------------------- */

struct lint_slot;
struct lint_node;
struct lint_index {
    struct lint *l;
    struct lint_slot *slot;
    size_t n_slots, cap_slots;
    struct lint_node *node;
    size_t n_nodes, cap_nodes;
    uint32_t *sorted; /* all programs by their head; made by the first union */
    uint64_t lengths; /* bit n: some head has n bytes */
    uint64_t grams;   /* the same for grams */
    bool layered;
    bool *in;    /* one a rule */
    size_t work; /* what is left of it for the present rule */
};

bool lint_index_init(struct lint_index *x, struct lint *l, bool layered);
void lint_index_add(struct lint_index *x, uint32_t rule);

/* Steps through the programs that are filed under `name` (and under everybody,
 * if `all`) and may match `text`: their head begins it, their gram is in it. */
struct lint_cursor {
    const struct lint_index *x;
    struct str text;
    uint64_t letters; /* programs that need others are passed over */
    uint32_t name;
    bool all;
    bool heads_only, in_grams;
    size_t from, length; /* of the key in the text */
    uint64_t hash;
    uint32_t node;
    size_t *work; /* how many more may be looked at */
};
void lint_cursor_init(struct lint_cursor *c, const struct lint_index *x, struct str text,
                      uint32_t name, bool all, size_t *work);
/* LINT_NONE at the end, or when there is no work left. */
uint32_t lint_cursor_next(struct lint_cursor *c);
/* Takes off what it costs to match the text. */
void lint_charge(size_t *work, struct str code, struct str text);

enum lint_own { OWN_NOT, OWN_TOO, OWN_ONLY };

struct lint_ask {
    uint32_t rule;
    enum lint_own own; /* do the rule's other patterns count? */
};

/* Who gives a field instead: the first of them in order, and whether there are more. */
struct lint_takers {
    uint32_t rule[CANDO_MAX_FIELDS];
    bool several[CANDO_MAX_FIELDS];
    uint32_t any; /* the first rule for any model among them, or LINT_NONE */
};
void lint_takers_init(struct lint_takers *t);

/* Which of the wanted fields are given by rules in the index, for every id that
 * the program matches and in all of its rule's scopes? */
struct lint_mask lint_index_ask(struct lint_index *x, const struct lint_ask *ask, uint32_t program,
                                struct lint_mask want, struct lint_takers *t);

static inline bool lint_mask_any(struct lint_mask m)
{
    return (m.word[0] | m.word[1] | m.word[2]) != 0;
}

static inline bool lint_mask_has(struct lint_mask m, unsigned bit)
{
    return m.word[bit / 64] >> (bit % 64) & 1;
}

static inline void lint_mask_set(struct lint_mask *m, unsigned bit)
{
    m->word[bit / 64] |= UINT64_C(1) << (bit % 64);
}

static inline struct lint_mask lint_mask_and(struct lint_mask a, struct lint_mask b)
{
    return (struct lint_mask){
        {a.word[0] & b.word[0], a.word[1] & b.word[1], a.word[2] & b.word[2]}};
}

static inline struct lint_mask lint_mask_or(struct lint_mask a, struct lint_mask b)
{
    return (struct lint_mask){
        {a.word[0] | b.word[0], a.word[1] | b.word[1], a.word[2] | b.word[2]}};
}

static inline struct lint_mask lint_mask_less(struct lint_mask a, struct lint_mask b)
{
    return (struct lint_mask){
        {a.word[0] & ~b.word[0], a.word[1] & ~b.word[1], a.word[2] & ~b.word[2]}};
}

_Static_assert(CANDO_MAX_FIELDS == 192, "lint_mask has three words");

/* -- the passes ---------------------------------------------------------------------- */

void lint_families(struct lint *l); /* lint_family.c */
void lint_names(struct lint *l);    /* lint_name.c */
void lint_bases(struct lint *l);    /* lint_base.c */
/* Which rule is asked before which; what shadows and overwrites find out on their way. */
void lint_order(struct lint *l);
void lint_shadows(struct lint *l);  /* lint_cover.c */
void lint_overwrites(struct lint *l);
void lint_routes(struct lint *l); /* lint_route.c */

#endif
