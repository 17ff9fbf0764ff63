/*
 * preflight.h - what the parts of preflight share.
 *
 *     target.c     a model and the request rules that are about it
 *     preflight.c  scan, findings, context fit, the answer
 *     locate.c     places of a sound JSON text: members, ends, pointers
 *     rewrite.c    edits and the pieces of the new text
 */
#ifndef CANDO_PREFLIGHT_H
#define CANDO_PREFLIGHT_H

#include "scan.h"

_Static_assert(CANDO_MAX_REQUEST_RULES == LIMIT_REQUEST_RULES, "one limit");
_Static_assert(CANDO_MAX_REQUEST_WORDS == LIMIT_REQUEST_WORDS, "one limit");
_Static_assert(CANDO_MAX_REQUEST_NODES == LIMIT_REQUEST_NODES, "one limit");
_Static_assert(CANDO_MAX_REQUEST_FINDINGS == SCAN_FOUND, "one limit");

/* -- locate.c: all of these want a text that is known to be JSON -------------------- */

size_t locate_space(struct str text, size_t at);      /* first byte from `at` on that is no space */
size_t locate_back(struct str text, size_t at);       /* the byte before `at` that is no space, or SIZE_MAX */
size_t locate_end(struct str text, size_t at);        /* behind the value at `at` */
/* The member whose value is at `at`: where its key begins. False: it is no member. */
bool locate_key(struct str text, size_t at, size_t *key);
/* The member of the object at `object`: the bytes of its value. */
bool locate_member(struct str text, size_t object, struct str name, struct scan_place *out);
/* The object or array that the value at `at` stands in; SIZE_MAX: it is the whole. */
size_t locate_parent(struct str text, size_t at);
/* The JSON Pointer of the value at `at`; its length. */
size_t locate_pointer(struct str text, size_t at, char *out, size_t size);

/* -- rewrite.c ---------------------------------------------------------------------- */

/* Can the rule's fix be applied at this place, and is it lossy? */
cando_fix rewrite_possible(const cando_target *t, const struct snap_req_rule *r, struct str text, struct scan_place place);

/* What a number becomes by a rule with FIX_CLAMP. */
double rewrite_clamped(const cando_target *t, const struct snap_req_rule *r, double v);

/* The bytes that the fix would touch: two fixes of one round must not meet. */
struct scan_place rewrite_range(const cando_target *t, const struct snap_req_rule *r, struct str text, struct scan_place place);

/* What a number is moved to, or a word is replaced by, as JSON; empty for other fixes. `room` holds it. */
struct str rewrite_value(const cando_target *t, const struct snap_req_rule *r, struct str text, struct scan_place place, char *room,
                         size_t size);

/* One change, as JSON Patch says it. */
struct change {
    const char *op;         /* "replace", "remove", "move", "add" */
    size_t at;              /* the value that is changed; for "add" the object */
    struct str name;        /* "move", "add": the new name or path below the same object */
    struct str value;       /* JSON; "replace", "add" */
    char room[64];
};
bool rewrite_change(const cando_target *t, const cando_report *r, uint32_t edit, struct str text, struct change *out);

#endif
