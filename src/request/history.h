/*
 * history.h - a conversation so far, and what of it survives on another model.
 *
 *     history (JSON of some API) --read--> turns and parts --check--> findings
 *                                                   ^
 *                                       target: API, lab, profile
 *
 * Reading is done once and knows nothing of a target; only what a target could
 * stumble over becomes a part (media, calls and their results, reasoning, what
 * hosted tools left), plain text is merely counted. A check walks the parts, so
 * that asking for many targets (a suggestion) is cheap.
 *
 * What the other side refuses is an error, what is lost or may be refused is a
 * warning. Only an explicit no is an error: where nobody knows the target's
 * API or capability, the finding warns.
 */
#ifndef CANDO_HISTORY_H
#define CANDO_HISTORY_H

#include "catalog/planes.h"
#include "fit.h"
#include "text/reading.h"

/* A place: the way up to the history itself. */
struct hist_at {
    const struct hist_at *up; /* NULL: the history */
    struct str key;           /* p is NULL: an index */
    uint32_t index;
};

struct hist_turn {
    const struct hist_at *at;
    struct str role_name;
    uint32_t part, n_parts; /* its parts */
    uint8_t role;           /* enum turn_role */
    bool text, calls, results;
    bool prefix; /* says itself that it is the begin of an answer */
    bool empty;  /* nothing in it at all */
};

struct hist_part {
    const struct hist_at *at;
    uint32_t turn;
    uint32_t next;           /* while pairing: the call under the same key before this one */
    uint8_t kind, reasoning; /* enum part_kind, enum reasoning_kind */
    bool in_result, by_url, by_file, has_signature;
    bool keyed;        /* a call or result that has an id */
    bool paired, late; /* a call with its result; a result that does not follow its call at once */
    unsigned field;    /* HOSTED: the capability behind it */
    struct str id, name; /* of calls and results; name also: the type of HOSTED, STATE and OTHER */
    struct str id_at;    /* where the id stands below the part */
    struct str data;     /* of media: a data URL, base64, or a link */
};

struct history {
    const struct api *api;
    const struct hist_at *list; /* the messages */
    struct hist_turn *turn;
    size_t n_turns, cap_turns;
    struct hist_part *part;
    size_t n_parts, cap_parts;
    const struct hist_at *system; /* instructions that stand beside the messages */
    size_t tail;                  /* from this turn on there are only calls and their results */
    struct fit_text text;         /* all that counts, */
    uint64_t json_bytes;          /* and data */
};

/* Reads `history` of a question; `at` is its place there. `guess` is the API
 * that plain messages are taken for, or NULL. False: r->error is set. */
bool history_read(struct reading *r, const struct json *v, struct str at, const struct api *guess,
                  struct history *out);
/* The API of a provider, as the catalog has it; NULL: nobody knows, or it has no
 * conversations. */
const struct api *hist_api_of(const cando_catalog *cat, struct str provider);

/* The turns and parts of a list, by the rows of its API (history_read.c). */
bool hist_read_list(struct reading *r, struct history *h, const struct json *root,
                    const struct json *list, struct str where);

/* -- a target -------------------------------------------------------------------------- */

struct hist_target {
    const cando_catalog *cat;
    struct str provider, model;   /* empty: claims alone */
    const cando_profile *profile; /* NULL: nothing is inferred */
    const cando_planes *planes;
    struct str from_provider, from_model; /* who made the history; empty: nobody said */
};

struct hist_finding {
    enum code code;
    cando_severity severity;
    unsigned field;           /* FIELD_COUNT: none */
    const struct hist_at *at; /* NULL: the whole history */
    struct str message, fix;
};

struct hist_findings {
    bool count_only; /* nothing is listed, and the first error ends it */
    struct hist_finding *item;
    size_t n, cap;
    size_t count[3];      /* by severity, listed or not */
    size_t pending;       /* of these: nobody knows */
    const struct api *to; /* in which the target will be asked; NULL: nobody knows */
};

/* What of the history does not survive on the target, in the order of the history.
 * False: no memory. */
bool history_check(struct reading *r, const struct history *h, const struct hist_target *t,
                   struct hist_findings *out);
/* The JSON Pointer of a place; p is NULL: no memory. */
struct str hist_pointer(struct reading *r, const struct hist_at *at);

#endif
