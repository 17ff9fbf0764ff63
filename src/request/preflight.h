/*
 * preflight.h - what the parts of preflight share.
 *
 *     target.c     a model and the request rules that are about it
 *     targets.c    those that an engine keeps ready
 *     preflight.c  scan, findings, context fit, the verdict
 *     scan_shape.c      what shapes find
 *     locate.c     places of a sound JSON text: members, ends, pointers
 *     rewrite.c    edits and the pieces of the new text
 *     words.c      findings and changes for people
 *     refuse.c     findings as the provider itself would tell them
 *     route.c      whom a request goes to, by its address
 */
#ifndef CANDO_PREFLIGHT_H
#define CANDO_PREFLIGHT_H

#include "target.h"

_Static_assert(LIMIT_REQUEST_FINDINGS == SCAN_FOUND, "one limit");

#define REWRITE_PIECES 680u
#define REWRITE_LIST 512u /* bytes of a list of the profile in a rewrite */

struct report_finding {
    uint32_t rule;                       /* SNAP_NONE: of cando's own, */
    const char *advice;                  /* with these words */
    enum code code;
    uint32_t wrong, member, object, bit; /* a shape's: as in struct scan_found */
    cando_severity severity;
    cando_fix fix;
    bool applied; /* the rewrite does it */
    uint32_t at, end;
    uint32_t other; /* of a rule about two members: where the other one is; UINT32_MAX: it is not */
};

struct report_edit {
    uint32_t rule; /* of a finding, or a silent one; as target_rule takes it */
    struct scan_place place;
};

/* A run of bytes, and what takes its place. */
struct edit {
    uint32_t at, end;
    cando_bytes piece[8];
    uint32_t n_pieces;
    bool drop;
};

/* The scan is done with when a rewrite is planned. */
struct plan {
    uint32_t n_pieces, n_edits, used;
    size_t length; /* of all pieces together */
    cando_bytes piece[REWRITE_PIECES];
    struct edit edit[2 * LIMIT_REQUEST_FINDINGS];
    char room[4096]; /* numbers of the new text, of up to 40 bytes each */
};

struct cando_report {
    const cando_allocator *a;
    const cando_target *target;
    struct str text;
    const char *api;
    cando_verdict verdict;
    bool lossy, strict;
    bool partial;                           /* what is rejected is repaired, too */
    bool edited;                            /* something is repaired, even if that does not help */
    bool scanned, shaped; /* `work` is a scan's, with what it has kept; and so is `shape` */
    uint64_t allow[(CODE_COUNT + 63) / 64]; /* codes whose repairs are wanted, lossy or not */
    uint32_t day;                           /* that is asked about; 0: today */
    struct scan_beside beside; /* the caller's; nothing unless it is set after cando_report_init */
    uint32_t n_findings, more, n_edits;
    struct fit_range tokens; /* of the input */
    cando_number output;
    struct report_finding finding[LIMIT_REQUEST_FINDINGS]; /* in the order of the request */
    struct report_edit edit[LIMIT_REQUEST_FINDINGS];
    union {
        struct scan scan;
        struct plan plan;
    } work;
    struct scan shape; /* tells whose API it is of: apart, so that both keep what they know */
};

/* Reads a request with the rules of an API: of the one that is told, or (NULL) of the one whose
 * shape it has, which is found with `shape`; that may be the same scan. */
cando_status preflight_scan(const cando_target *t, struct scan *s, struct scan *shape, bool once,
                            const char *api, struct str text, const struct scan_beside *beside,
                            cando_error *err);

/* All repairs of findings with this code are wanted, whatever they lose. After cando_report_init.
 */
void report_allow(cando_report *out, enum code code);

/* A finding that no rule has made. */
void report_add(cando_report *out, enum code code, cando_severity severity, uint32_t at,
                const char *advice);

/* The API whose shape it has; the name lies in the catalog. */
cando_status preflight_api(const cando_target *t, cando_report *work, struct str text,
                           struct str *out, cando_error *err);

/* The name of the shape that a request has, which the target has no part in; false: it is no JSON.
 * And the API that it is of where `own` is spoken (in the catalog's own numbers; SNAP_NONE: of
 * none): some shapes are of several. */
bool preflight_shape(const cando_target *t, cando_report *work, struct str text, struct str *out);
uint32_t preflight_api_at(const struct snapshot *snap, struct str shape, struct str own,
                          bool neutral);

/* The rules of an API that may have a say about the request, whatever the target, and what they
 * compare with: all others fire for none. `out->fired` is clear, `memory` room for a target. False:
 * it is no JSON. */
bool preflight_try(void *memory, const cando_catalog *cat, cando_report *work, uint32_t api,
                   struct str text, struct scan_trial *out);

/* The report of a room: all 0 at first, then as it was left. NULL: no memory. */
cando_report *report_room(struct cando_room *room);
/* As cando_report_init, for one that is all 0 or was used before: what its scan knows of the last
 * target's requests stays. */
void report_begin(cando_report *r);
/* Makes the marks of a request ahead, for who wants to look at them before preflight does; NULL:
 * there are none. They are to be taken back before the bytes change. */
const struct scan_index *report_mark(cando_report *r, struct str text);
void report_unmark(cando_report *r);
/* Where a request names its model, in the words of any API. The text need not be sound. */
bool request_model_at(struct str text, struct scan_place *v);
/* The string at this place, without its escapes: as cando_request_model. The text need not be
 * sound. 0: it is none. */
size_t request_text(struct str text, struct scan_place v, char *out, size_t size);

/* What the API would answer to a request with these findings: JSON behind what `out` has. None of
 * them an error: status 0, and nothing is written. */
cando_refusal refusal_write(const char *api, const cando_finding *finding, size_t n, size_t more,
                            struct buf *out);

/* As cando_route_find, with memory of route_kept_size() bytes, all 0 at first, in which the last
 * address is kept. `work`, which may be NULL, has marks of the body then, or none. */
struct route_kept;
size_t route_kept_size(void);
const char *route_find(struct route_kept *k, const cando_catalog *catalog, struct str url,
                       const char *provider, struct str body, cando_report *work, cando_route *out);

/* As cando_route_find, at an address where somebody stands in for the providers: if the host is
 * none of theirs, the first step of the path may be the id of one, and if it is not, the API's own
 * vendor is asked. `get`, if it is not NULL, are the headers of a request without a body, which
 * wants to read a list. *row is the route. */
struct api_route;
const char *route_stand_in(const cando_catalog *catalog, struct str url, const char *provider,
                           struct str body, const struct json *get, cando_route *out,
                           const struct api_route **row);

#define REWRITE_ROUNDS 4 /* rewrites of rewrites */

/* A finding of a shape has a number beyond those of the rules: what is wrong, with which member. */
#define SHAPE_RULE 0x80000000u

static inline bool is_shape_rule(uint32_t rule)
{
    return rule != SNAP_NONE && (rule & SHAPE_RULE);
}

uint32_t found_rule(const struct scan_found *f);
/* The rule, or what a rule would be that has the repair of a shape's finding. */
struct snap_req_rule target_rule(const cando_target *t, uint32_t rule);
enum code scan_shape_code(uint32_t wrong);

/* -- locate.c: all of these want a text that is known to be JSON, but for locate_member,
 *    which ends on any ------------------------------------------------------------------ */

size_t locate_space(struct str text, size_t at); /* first byte from `at` on that is no space */
size_t locate_back(struct str text,
                   size_t at); /* the byte before `at` that is no space, or SIZE_MAX */
size_t locate_end(struct str text, size_t at); /* behind the value at `at` */
/* The member whose value is at `at`: where its key begins. False: it is no member. */
bool locate_key(struct str text, size_t at, size_t *key);
/* The member of the object at `object`: the bytes of its value. */
bool locate_member(struct str text, size_t object, struct str name, struct scan_place *out);
/* Steps to the next member or item of the container whose inside *at is in. The key, without its
 * quotes, is empty for an item. */
bool locate_next(struct str text, size_t *at, struct str *key, struct scan_place *value);
/* The object or array that the value at `at` stands in; SIZE_MAX: it is the whole. */
size_t locate_parent(struct str text, size_t at);
/* The JSON Pointer of the value at `at`; its length. */
size_t locate_pointer(struct str text, size_t at, char *out, size_t size);
/* The same in an arena; p is NULL: no memory. */
struct str locate_path(struct arena *ar, struct str text, size_t at);

/* -- rewrite.c ---------------------------------------------------------------------- */

/* Can the rule's fix be applied at this place, and is it lossy? */
cando_fix rewrite_possible(const cando_target *t, const struct snap_req_rule *r, struct str text,
                           struct scan_place place);

/* What a number becomes by a rule with FIX_CLAMP. */
double rewrite_clamped(const cando_target *t, const struct snap_req_rule *r, double v);

/* The bytes that the fix would touch: two fixes of one round must not meet. */
struct scan_place rewrite_range(const cando_target *t, const struct snap_req_rule *r,
                                struct str text, struct scan_place place);

/* Would the two fixes touch the same bytes, or make one member of two? */
bool rewrite_meets(const cando_target *t, struct str text, const struct snap_req_rule *a,
                   struct scan_place at, const struct snap_req_rule *b, struct scan_place b_at);
/* Is "a.b" the new name of the member at `at`, and the object "a" beside it there already? */
bool rewrite_into(struct str text, size_t at, struct str name, struct scan_place *object);

/* Where a member of the request stands, "a" or "a.b": the object that has it or shall have it, and
 * in `name` what of its name is to be written there. */
size_t rewrite_add_place(struct str text, struct str *name);
/* What a number is moved to, or a word is replaced by, as JSON; empty for other fixes. `room` holds
 * it. */
struct str rewrite_value(const cando_target *t, const struct snap_req_rule *r, struct str text,
                         struct scan_place place, char *room, size_t size);

/* All pieces of a rewrite, one behind the other. */
void rewrite_join(const cando_bytes *piece, size_t n, char *to);

/* -- words_shape.c ------------------------------------------------------------------- */

/* What a shape finds wrong with this request. p NULL: no memory. */
struct str report_shape_words(struct arena *ar, const cando_report *r,
                              const struct report_finding *f);
/* Of a member that is not known: what it may have been meant to be; else empty. */
struct str report_shape_meant(const cando_report *r, const struct report_finding *f);

/* -- words.c ------------------------------------------------------------------------ */

/* One finding in words. False: no memory. */
bool report_words(struct arena *ar, const cando_report *r, size_t i, cando_finding *out);

/* The changes of the report's rewrite as JSON Patch, behind those in `list`. False: no memory. */
struct change_list {
    cando_patch *item;
    size_t n, cap;
};
bool report_changes(const cando_report *r, struct arena *ar, struct change_list *list);

#endif
