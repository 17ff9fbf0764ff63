/*
 * no_files.c - for engines that are asked by JavaScript: there are no files.
 *
 * It is linked in place of src/base/file.c, in WebAssembly and in the addon alike, so that both
 * give the same answers: an operation that is asked to read a file says that it cannot.
 */
#include "base/file.h"

cando_status file_read(const char *path, size_t max, const cando_allocator *a, char **out,
                       size_t *len, cando_error *err)
{
    (void)max, (void)a, (void)out, (void)len;
    return error_set(err, CANDO_BAD_INPUT, CODE_io, "cannot read %s: there are no files here",
                     path);
}

cando_status file_list(const char *path, const char *suffix, struct arena *ar, struct str **out,
                       size_t *n, cando_error *err)
{
    (void)suffix, (void)ar, (void)out;
    *n = 0;
    return file_read(path, 0, NULL, NULL, NULL, err);
}
