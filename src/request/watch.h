/*
 * watch.h - what a scan must look at for one target: target.c makes it, scan.c and
 * watch.c go by it.
 */
#ifndef CANDO_WATCH_H
#define CANDO_WATCH_H

#include <stdint.h>

/* What to do with a value at some places of rules (struct snap_req_watch). */
struct cando_watch {
    uint16_t first, count; /* in the list of cando_watch_op */
    uint16_t bit;          /* any of `kinds` sets this bit */
    uint8_t kinds;
    uint8_t subject;  /* word of its bits */
    uint8_t actions;  /* what is counted, and how the tests go */
    uint8_t initials; /* with which the words begin that strings are compared with */
    uint8_t asks;     /* kinds of values that the tests may do something about */
    uint8_t room[5];  /* a size that numbers are multiplied by at no cost */
};

/* A test of the values there. Behind those that `count` counts are those of the subject around, the
 * last of them marked. */
struct cando_watch_op {
    uint16_t slot, bit;
    uint8_t test, arg;
    uint8_t last;
};

#endif
