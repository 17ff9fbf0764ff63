/*
 * test.h - what a test file starts with: cmocka, and the helpers that many need.
 *
 *     LENGTH             how many items an array has
 *     random64, dice    a fixed pseudo-random sequence
 *     assert_str        a text is this one
 *     struct failing    an allocator that runs out when told to, and checks what it is told
 *     arena             one a test, with TEST_WITH_ARENA; json_of parses into it
 *
 * A feature macro (_POSIX_C_SOURCE) goes above the include of this file.
 */
#ifndef CANDO_TEST_H
#define CANDO_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka wants the ones above */
#include <cmocka.h>

#include "text/json.h"

#define LENGTH(a) (sizeof(a) / sizeof *(a))

/* -- chance, the same every time ------------------------------------------------------ */

static inline uint64_t random64(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* One of 0 to n - 1. */
static inline uint32_t dice(uint64_t *state, uint32_t n)
{
    return (uint32_t)(random64(state) >> 33) % n;
}

/* -- texts ------------------------------------------------------------------------------ */

static inline void assert_str(struct str have, const char *want)
{
    if (!str_is(have, want))
        fail_msg("want '%s', have '%.*s'", want, STR_ARG(have));
}

/* -- memory that runs out ------------------------------------------------------------------ */

struct failing {
    size_t calls;   /* requests so far */
    size_t fail_at; /* this one fails, counted from 1; 0: none */
    bool for_good;  /* and all that follow */
    bool failed;    /* one did */
    size_t live;    /* bytes that nobody gave back */
};

/* Enough memory for `n` requests, and no more. */
static inline struct failing failing_after(size_t n)
{
    return (struct failing){.fail_at = n + 1, .for_good = true};
}

/* Each block begins with its size, so that a wrong one is seen when it comes back. */
static inline void *failing_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    enum { HEAD = 16 };
    struct failing *f = user;
    char *block = ptr ? (char *)ptr - HEAD : NULL;
    size_t was = 0;
    if (block)
        memcpy(&was, block, sizeof was);
    assert_int_equal(was, old_size);
    if (new_size == 0) {
        f->live -= old_size;
        free(block);
        return NULL;
    }
    f->calls++;
    if (f->calls == f->fail_at || (f->for_good && f->calls > f->fail_at)) {
        f->failed = true;
        return NULL;
    }
    block = realloc(block, HEAD + new_size);
    assert_non_null(block);
    memcpy(block, &new_size, sizeof new_size);
    f->live += new_size - old_size;
    return block + HEAD;
}

/* -- an arena a test ------------------------------------------------------------------------ */

static struct arena arena __attribute__((unused));

static inline int arena_setup(void **state)
{
    (void)state;
    arena_init(&arena, NULL);
    return 0;
}

static inline int arena_teardown(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

#define TEST_WITH_ARENA(name) cmocka_unit_test_setup_teardown(name, arena_setup, arena_teardown)

static inline struct json *json_of_str(struct str text)
{
    struct json_error err;
    struct json *v = json_parse(&arena, text, &err);
    if (!v)
        fail_msg("refused: %.*s: %s", STR_ARG(str_head(text, 60)), err.message);
    return v;
}

static inline struct json *json_of(const char *text)
{
    return json_of_str(str_of(text));
}

#endif
