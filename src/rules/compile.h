/*
 * compile.h - from the rule form to the bytes of a snapshot.
 */
#ifndef CANDO_COMPILE_H
#define CANDO_COMPILE_H

#include "base/buf.h"
#include "catalog/planes.h"
#include "catalog/profile.h"
#include "catalog/snapshot.h"
#include "order.h"

/* Compiles a set that has no fatal findings. `*out` comes from `a` and is freed
 * with mem_free(a, *out, *len). Identical sets give identical bytes. */
cando_status ruleset_compile(const struct ruleset *rs, const cando_allocator *a, void **out,
                             size_t *len, cando_error *err);

/* -- between the parts of the compiler -------------------------------------------- */

struct compiler {
    const struct ruleset *rs;
    const cando_allocator *a;
    struct arena ar;
    struct buf sec[SEC_END]; /* the sections as they grow */
    struct map strings;      /* text -> reference */
    struct map lists;        /* bytes of a list -> index */
    struct map req_lists;    /* the same for lists and types of requests: bytes -> number */
    struct map req_types;
    struct provider_names providers;
    struct map alias;     /* a provider's id or alias -> number: a copy of theirs */
    struct map api;       /* name -> number */
    struct str *api_name; /* by number */
    size_t cap_api_names;
    struct rule_order order;
    uint32_t *provider_scope; /* provider -> scope, or SNAP_NONE */
    uint32_t *api_scope;
    uint32_t n_apis, n_scopes, n_patterns;
    struct compile_pairs *pairs; /* of compile_exact.c */
    struct compile_alias {
        struct str key; /* "provider/id" */
        const struct model_alias *alias;
    } * alias_of; /* those that count */
    size_t n_alias_of;
    bool failed;    /* no memory, but for what `ar` says itself */
    bool too_large; /* a table outgrew its numbers */
};

uint32_t compile_string(struct compiler *c, struct str s);
void compile_u32(struct compiler *c, enum snap_section sec, uint32_t v);
void compile_words(struct compiler *c, enum snap_section sec, const uint32_t *word, size_t n);
/* A record of the section. */
void compile_put(struct compiler *c, enum snap_section sec, const void *record);
/* How many records the section has. */
uint32_t compile_count(const struct compiler *c, enum snap_section sec);
/* Postings of n numbers; 0 for none. */
uint32_t compile_postings(struct compiler *c, const uint32_t *item, size_t n);
/* The versions from and to which a rule holds, in SEC_NUMBERS; 0: it has no such bounds. */
uint32_t compile_bounds(struct compiler *c, const struct rule *r);

/* compile_match.c: scopes with their tries and automata, and the patterns. */
void compile_matchers(struct compiler *c);

/* compile_rows.c: the offerings of fact rows, packed for selection. */
struct row_list {
    struct compile_row {
        struct snap_row row;
        cando_planes planes;
        struct str name; /* "provider/id": the order */
    } * item;
    size_t n, cap;
};
/* `written` is the id with its capital letters. */
void compile_row(struct compiler *c, struct row_list *l, uint32_t provider, struct str id,
                 struct str written, uint32_t record, const cando_profile *p);
void compile_row_forget(struct row_list *l, uint32_t provider, uint32_t key);
void compile_rows(struct compiler *c, struct row_list *l);

/* compile_request.c: request rules, all sections of their own. */
void compile_requests(struct compiler *c);

/* compile_exact.c: resolves every id that is named whole, through the snapshot
 * as it stands so far, and adds its records. */
void compile_exact(struct compiler *c, const cando_catalog *draft);
/* One more finished profile, in place of what the pair may have had. */
void compile_pair_put(struct compiler *c, uint32_t provider, struct str id, struct str written,
                      const cando_profile *p, cando_identity identity);
/* Writes the index and the rows (again). */
void compile_pairs_end(struct compiler *c);

/* compile_overlay.c: allow and deny lists; the aliases that count; and, through a
 * snapshot that has all else, their profiles. */
void compile_policy(struct compiler *c);
bool compile_alias_list(struct compiler *c);
void compile_aliases(struct compiler *c, const cando_catalog *draft);

#endif
