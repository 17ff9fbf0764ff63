/*
 * dynamic.h - libraries that are loaded when they are needed: no other verb pays for them, and the
 * program starts where they are not installed.
 */
#ifndef CANDO_CLI_DYNAMIC_H
#define CANDO_CLI_DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>

/* The first library of `names` (NULL ends them) that is there, and the address of each of the n
 * symbols into its slot. It stays loaded. False: there is none, or it lacks a symbol. */
bool dynamic_load(const char *const *names, const char *const *symbols, void **const *slots,
                  size_t n);

#endif
