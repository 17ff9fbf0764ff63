/*
 * watch.h - what a scan must look at for one target: target.c makes it, scan.c and
 * watch.c go by it.
 */
#ifndef CANDO_WATCH_H
#define CANDO_WATCH_H

#include <stdint.h>

/* A node of the trie of paths. */
struct cando_watch {
    uint16_t first, count; /* in the list of cando_watch_op */
    uint16_t item, star;   /* where its items and its other keys lead */
    uint16_t mask;         /* of its table of keys, */
    uint8_t home;          /* word of its bits */
    uint8_t does;          /* what is counted, and how the tests go */
    uint8_t kinds;         /* any of these kinds sets .. */
    uint8_t letters;       /* with which the words begin that strings are compared with */
    uint16_t bit;          /* .. this bit */
    uint32_t edges;        /* where the table begins, */
    uint32_t bloom;        /* and what of it leads somewhere else than `star` */
};

/* A test of the values at a node. */
struct cando_watch_op {
    uint16_t slot, bit;
    uint8_t test, arg;
};

/* A word of bits. */
struct cando_home {
    uint64_t pivot;        /* bits that rules hang on */
    uint64_t veto, vetoed; /* with the bit `veto` nothing that hangs on `vetoed` can fire */
};

#endif
