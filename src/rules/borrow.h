/*
 * borrow.h - what an offering takes from the same model elsewhere.
 *
 * Who serves a model says little of it, or nothing: then its lab's own offering speaks,
 * and else other hosts, where all that say something agree. What an offering's own facts
 * or a later layer say always wins; rules for families give way. A price is never
 * borrowed, and neither is anything that a file's [borrow] does not name:
 *
 *     [borrow]
 *     input_image = ["lab", "lab-no", "hosts"]
 *
 *     twin, twin-no     the same provider says so of another id of the model: an alias and its
 *                       dated id, a region; this comes first
 *     lab, lab-no       the lab's own offering says yes (or a number); says no
 *     hosts, hosts-no   two hosts or more say so, and none says otherwise
 *     host, host-no     one says so, and no other says anything
 *     version, family   the models before it say yes: inherit.h
 *
 * The finished profiles of fact rows have it filled in. What may be borrowed of a model is
 * kept once more under its canonical name, for offerings that nobody has listed.
 */
#ifndef CANDO_BORROW_H
#define CANDO_BORROW_H

#include "compile.h"
#include "resolve.h"

#define BORROW_WORDS "lab lab-no hosts hosts-no host host-no twin twin-no version family"
#define BORROW_ALL 0x3ffu /* a bit for each word */
enum borrow_from { BORROW_LAB, BORROW_HOSTS = 2, BORROW_HOST = 4, BORROW_TWIN = 6 }; /* + 1: a no */
enum { BORROW_VERSION = 8, BORROW_FAMILY }; /* a yes only */

/* What an offering, or all of a model, say of one field. */
struct borrow_said {
    enum { SAID_NOTHING, SAID_YES, SAID_NO } what;
    bool mine; /* a fact of the offering itself, lent or not: it takes nothing from others */
    bool firm; /* a no that is good enough to reject */
    uint32_t value, rule;
};

/* Which of the words it is; it is one of them. */
unsigned borrow_word(struct str word);

/* A fact row before it is finished. */
struct offering {
    uint32_t provider;
    struct str id, written;
    struct str canonical; /* borrow_name; empty: nobody can know */
    struct str model;     /* the same for an alias and its dated id */
    bool listed;          /* the lab has it among its own */
    cando_profile profile;
};

/* Under which name offerings of one model find each other: the canonical one, "lab/model", or where
 * the lab's own list lacks the model, what is left of the id behind its lab. */
#define BORROW_NAME_ROOM (2 * LIMIT_NAME_BYTES + 2)
struct str borrow_name(struct match_query *q, char room[BORROW_NAME_ROOM]);

/* Fills the profiles of all offerings, and calls compile_pair_put for what is kept under
 * each canonical name. */
void borrow_fill(struct compiler *c, struct offering *list, size_t n);

/* The same for an offering that is in no list, when its walk is done. */
void borrow_apply(struct match_query *q, cando_profile *out);

#endif
