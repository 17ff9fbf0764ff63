/*
 * files.h - the functions of src/base/file.c in the module that has them, under names of their own:
 * the engine's say that there are no files, until the command line begins to run.
 */
#ifndef CANDO_WASM_FILES_H
#define CANDO_WASM_FILES_H

#include "base/file.h"

extern bool wasm_has_files;

__attribute__((weak)) cando_status system_file_read(const char *path, size_t max,
                                                    const cando_allocator *a, char **out,
                                                    size_t *len, cando_error *err);
__attribute__((weak)) cando_status system_file_list(const char *path, const char *suffix,
                                                    struct arena *ar, struct str **out, size_t *n,
                                                    cando_error *err);

#endif
