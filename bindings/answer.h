/*
 * answer.h - answers without their envelope, for bindings that hand out results alone.
 */
#ifndef CANDO_BINDING_ANSWER_H
#define CANDO_BINDING_ANSWER_H

#include "cando.h"

#include <stdbool.h>
#include <string.h>

/* Takes the envelope off the answer to a question without an id. False: it is an error, or has an
 * id, and stays whole. */
static inline bool binding_result(cando_bytes *answer)
{
    static const char open[] = "{\"id\":null,\"ok\":true,\"result\":";
    const size_t n = sizeof open - 1;
    if (answer->n <= n || memcmp(answer->p, open, n) != 0)
        return false;
    answer->p += n;
    answer->n -= n + 1;
    return true;
}

#endif
