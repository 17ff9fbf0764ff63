/*
 * failing.h - an allocator that fails its n-th request, and counts what is left over.
 */
#ifndef FAILING_H
#define FAILING_H

#include "cando.h"

#include <stdlib.h>

struct failing {
    size_t live, count, fail_at; /* fail_at 0: never */
    bool failed;
};

static inline void *failing_resize(void *user, void *ptr, size_t old_size, size_t new_size)
{
    struct failing *f = user;
    if (new_size == 0) {
        f->live -= old_size;
        free(ptr);
        return NULL;
    }
    if (++f->count == f->fail_at) {
        f->failed = true;
        return NULL;
    }
    void *p = realloc(ptr, new_size);
    if (p)
        f->live += new_size - (ptr ? old_size : 0);
    return p;
}

#endif
