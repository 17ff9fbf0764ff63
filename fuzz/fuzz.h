/*
 * fuzz.h - what every fuzz target has: the entry that libFuzzer calls, and a claim
 * that ends the run if it does not hold.
 */
#ifndef CANDO_FUZZ_H
#define CANDO_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MUST(x)                                                                                    \
    do {                                                                                           \
        if (!(x))                                                                                  \
            abort();                                                                               \
    } while (0)

#endif
