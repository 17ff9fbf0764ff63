/*
 * target.h - a target made ready for requests: its profile, and which request rules are
 * about it.
 *
 * The tables behind it are as long as the catalog's request rules want them, so that all
 * of it is one piece of memory:
 *
 *     struct cando_target | pivot | may_fire | only_warns | watch | op
 *
 * Which rules of an API may fire, what its watch and op and pivots are, is settled when the first
 * request of that API comes, by whoever asks. Neither the paths of rules nor the
 * shapes are in it: they are the catalog's, and the same for all targets.
 */
#ifndef CANDO_TARGET_H
#define CANDO_TARGET_H

#include "catalog/profile.h"
#include "rules/match.h"
#include "scan.h"

#include <stdatomic.h>

/* Flags: every rule that needs something may fire, whatever the target has; every rule may. */
enum { TARGET_NEEDS = 2, TARGET_ANY = 4 };

/* What it is a target of. */
struct target_key {
    uint64_t hash;
    struct str provider, model;
    unsigned flags;
};

/* What the catalog says of who is asked: asked.h. */
enum asked {
    ASKED_PROVIDER,
    ASKED_MODEL,
    ASKED_TO_CHAT,
    ASKED_AT_ALL,
    ASKED_ELSEWHERE,
    ASKED_COUNT
};
enum asked_severity { ASKED_NOTHING, ASKED_NOTE, ASKED_WARNING, ASKED_ERROR };

struct cando_target {
    _Atomic uint32_t refs;   /* 0: it lies in the caller's memory */
    _Atomic uint32_t waking; /* the lock of whoever makes the tables of an API, */
    _Atomic uint64_t awake;  /* and whose are made: a bit an API */
    uint64_t decided;        /* the same: of which APIs it is settled what may fire */
    unsigned flags;
    bool named; /* there is a model */
    const cando_allocator *a;
    struct target_key key;        /* of one on the heap; the names stand behind the tables */
    const cando_catalog *catalog; /* retained, if it is on the heap */
    cando_profile profile;
    cando_planes planes;
    struct match_query q;            /* who is asked, taken apart, if anybody is named */
    uint64_t *pivot;                 /* by word of bits: those that rules hang on which may fire */
    uint64_t *may_fire, *only_warns; /* a bit a rule: it may fire, and only warn */
    struct cando_watch *watch;       /* what a scan must look at */
    struct cando_watch_op *op;
    uint32_t n_ops;          /* for so many there is room */
    struct scan_target scan; /* what a scan needs of all this */
    uint32_t api;            /* of the provider, in the catalog's own numbers, */
    const char *api_name;    /* and its name; "": none */
    uint32_t shape;          /* the rules that tell the APIs apart, as an API */
    uint8_t tokenizer, images;
    bool neutral, denied;
    bool window_weak, input_weak; /* these limits do not reject: evidence.h */
    bool ends, end_inferred;      /* it has ended, or will; nobody but we says so */
    struct profile_life life;
    uint8_t asked[ASKED_COUNT]; /* enum asked_severity */
};

struct target_key target_key(struct str provider, struct str model, unsigned flags);
/* The parts of a name, which may be none at all. */
bool target_name(cando_name name, struct str *provider, struct str *model, cando_error *err);
cando_target *target_init(void *memory, const cando_catalog *catalog, struct str provider,
                          struct str model, unsigned flags, cando_error *err);
/* A target for requests of one API alone, a fraction of the work; `claims`, if there are any, stand
 * in place of the names. */
struct target_scope {
    uint32_t api;          /* in the catalog's own numbers */
    const uint64_t *rules; /* a bit for each that counts; NULL: all of them do */
};
cando_target *target_init_for(void *memory, const cando_catalog *catalog, struct str provider,
                              struct str model, const cando_planes *claims,
                              const struct target_scope *scope, cando_error *err);
/* Which rules of this API may fire; of a target for one API alone that is known. */
void target_settle(cando_target *t, uint32_t api);
/* What a scan for requests of this API needs. What it must look at is made when somebody asks for
 * the first time: a target has the rules of all APIs, and its requests are of one or two. */
const struct scan_target *target_scan(const cando_target *target, uint32_t api);
/* One for which each rule of an API may fire; nothing is known of it. */
cando_target *target_init_any(void *memory, const cando_catalog *catalog, uint32_t api);
/* On the heap; NULL: `err` is set. */
const cando_target *target_make(const cando_catalog *catalog, const struct target_key *k,
                                const cando_allocator *a, cando_error *err);
const cando_target *target_retain(const cando_target *t);
/* What the facts rest on that a rule about requests needs: the word of the weakest; "": of none, or
 * nobody says. */
const char *target_evidence(const cando_target *t, uint32_t rule);

#endif
