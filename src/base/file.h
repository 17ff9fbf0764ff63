/*
 * file.h - the only file access of the library.
 *
 * A build without a file system (WebAssembly) leaves file.c out, and with it
 * the three functions of cando.h that take a path.
 */
#ifndef CANDO_FILE_H
#define CANDO_FILE_H

#include "diag.h"

/* Reads a whole regular file of at most `max` bytes into memory from `a`,
 * NUL-terminated; free with mem_free(a, *out, *len + 1). */
cando_status file_read(const char *path, size_t max, const cando_allocator *a, char **out,
                       size_t *len, cando_error *err);

/* Replaces `path` by these bytes: written to a temporary file beside it,
 * synced, renamed. After a failure the old file is still there, whole, and
 * the temporary one is gone. Mode and owner stay; a new file has what the
 * umask leaves of 0666. A link stays, and what it leads to is replaced. Only
 * regular files are: a device or a pipe is written to, and so is a file whose
 * owner could not be kept. */
cando_status file_replace(const char *path, const void *data, size_t len, const cando_allocator *a,
                          cando_error *err);

/* What was renamed, linked or made in the folder of `path` outlives a loss of power. A file
 * system that cannot do so is no failure. */
void file_sync_folder(const char *path);

/* All files whose name ends in `suffix` below a folder (or the file itself),
 * sorted by path; names that begin with a dot are passed over, links to
 * folders are not followed. The list is in the arena. */
cando_status file_list(const char *path, const char *suffix, struct arena *ar, struct str **out,
                       size_t *n, cando_error *err);

#endif
