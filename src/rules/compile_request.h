/*
 * compile_request.h - between the parts of the compiler of request rules.
 *
 *     compile_path.c     paths of rules: places, and the sets of them that a value may be in
 *     compile_shape.c    shapes: types and objects; nodes and ways from both
 *     compile_request.c  slots, rules, and the writing of all
 *
 * A path alone would make a tree. But a key may be named by one rule and be "any key" to
 * another, and a JSON schema is what one rule finds at a plain path and another at every depth.
 * So a value may be at several *places* at once, and the nodes of the graph are made of sets of
 * places, as those of an automaton are made of sets of states; and each of the type that the
 * shapes give to the value:
 *
 *     tools[].function.parameters      the place of a plain path, and
 *     tools[].function.parameters~     the one of every schema in it: a set of two
 */
#ifndef CANDO_COMPILE_REQUEST_H
#define CANDO_COMPILE_REQUEST_H

#include "compile.h"
#include "request.h"

struct edge {
    struct str key;
    uint32_t place;
};

/* `*` of a rule that may leave keys out. */
struct star {
    const struct str *known;
    size_t n_known;
    uint32_t place;
};

struct place_of_path {
    struct edge *edge;
    size_t n_edges, cap_edges;
    struct star *star;
    size_t n_stars, cap_stars;
    uint32_t item;
    uint32_t too;   /* another place that a value here is at as well */
    uint32_t *slot; /* in builder.slot */
    size_t n_slots, cap_slots;
    uint32_t *subject; /* in builder.subject */
    size_t n_subjects, cap_subjects;
    bool loop; /* a schema, which may hold itself */
};

struct slot {
    uint32_t place, subject; /* subject: index into builder.subject */
    struct req_cond cond;
    uint32_t bit;
    uint32_t *rule; /* that hang on it */
    size_t n_rules, cap_rules;
    uint32_t number; /* in the snapshot */
};

struct subject {
    uint32_t place;
    uint32_t n_slots, word;
};

/* A set of places; number 0 is the empty one. */
struct place_set {
    const uint32_t *place;
    size_t n;
    uint32_t watch; /* 0: no slot and no subject */
};

/* A type as it is compiled; number 0 is anything. Each member has one of its own. */
struct type {
    uint32_t kinds;
    struct shape_test test;
    bool whole;
    uint32_t object;            /* in builder.object, or SNAP_NONE: any */
    uint32_t item;              /* type of an array's items */
    bool has_object, has_array; /* an alternative that is a shape had one */
    uint32_t named, unique;
    const struct shape_test *key; /* of the name of the member that has this type */
    /* what a finding calls it: whose member, and which */
    uint32_t owner;
    struct str name;
    const struct shape_said *said;
    uint32_t number, member; /* in the snapshot, or SNAP_NONE: not written yet */
};

struct member {
    struct str name;
    const struct str *also;
    size_t n_also;
    uint32_t type, bit;
};

struct object {
    const struct shape_set *set;
    const struct req_shape *shape; /* NULL: names of one's own, each leads to `rest` */
    bool built, closed;
    struct member *member;
    size_t n_members, cap_members;
    struct map by_name; /* its members */
    uint32_t rest;      /* type of all others, or SNAP_NONE */
    uint64_t counted, required;
    const struct req_shape *choice; /* that has `by`, or NULL */
    uint32_t number;                /* in the snapshot */
};

struct node {
    uint32_t set, type;
    struct snap_req_node rec;
};

struct builder {
    struct compiler *c;
    struct str api;
    bool snake;                  /* names are taken in snake_case as well */
    struct place_of_path *place; /* [0] is the request, [1] what comes beside it */
    size_t n_places, cap_places;
    struct slot *slot;
    size_t n_slots, cap_slots;
    struct subject *subject; /* [0] is the request */
    size_t n_subjects, cap_subjects;
    struct place_set *set;
    size_t n_sets, cap_sets;
    struct map by_places;
    struct type *type;
    size_t n_types, cap_types;
    struct object *object;
    size_t n_objects, cap_objects;
    struct node *node; /* [0] leads nowhere */
    size_t n_nodes, cap_nodes;
    struct map by_set_type;
    struct map by_way;    /* bytes of a way and its member -> its number */
    struct map by_ways;   /* bytes of a table of ways -> its first place */
    uint32_t *shape_type; /* of the set at hand: by shape, type + 1 */
    uint32_t plain[128];  /* types without tests, by their kinds: number + 1 */
    uint32_t n_named;
    uint32_t first_node, first_watch, n_watches;
    uint32_t root_words, n_words;
};

/* 0, which is false. */
static inline uint32_t builder_failed(struct builder *b)
{
    b->c->failed = true;
    return 0;
}

/* -- compile_path.c ------------------------------------------------------------------ */

#define PLACE_REQUEST 0u
#define PLACE_BESIDE 1u

uint32_t new_place(struct builder *b);
/* Where the path leads from a place; `known` are keys that `*` does not mean. */
uint32_t walk_path(struct builder *b, uint32_t at, struct str path, const struct str *known,
                   size_t n_known);
uint32_t set_of_place(struct builder *b, uint32_t place);
uint32_t set_by_key(struct builder *b, uint32_t set, struct str key);
uint32_t set_by_star(struct builder *b, uint32_t set);
uint32_t set_by_item(struct builder *b, uint32_t set);
/* The keys that lead somewhere else than others: appended to a list, some twice. */
struct key_list {
    struct str *item;
    size_t n, cap;
};
bool set_keys(struct builder *b, uint32_t set, struct key_list *out);
/* In snake_case; the text itself where that is the same. p NULL: no memory. */
struct str snake_of(struct builder *b, struct str key);

/* -- compile_shape.c ------------------------------------------------------------------ */

/* The way to a value of a shape (NULL: of none) at the places of a set. Makes all nodes behind
 * it. */
uint32_t compile_root(struct builder *b, uint32_t set, const struct shape_set *shapes);
void compile_nodes_begin(struct builder *b);
void compile_nodes_end(struct builder *b);

/* -- compile_request.c -------------------------------------------------------------------- */

uint32_t req_put_strings(struct compiler *c, const struct str *s, size_t n);
uint32_t req_put_classes(struct compiler *c, const struct str *set);
uint32_t req_put_list(struct compiler *c, const uint32_t *item, size_t n);
/* The number of a type that is like this one; if there is none, it is put. */
uint32_t req_put_type(struct compiler *c, const struct snap_req_type *type);
void req_put_double(double d, uint32_t out[2]);
void req_put_way(struct compiler *c, const struct snap_req_way *way, uint32_t member);

#endif
