/*
 * alone.c - the command line in one static file that needs no library: for any Linux (make static),
 * and for machines whose libraries are not here (make cross-test).
 *
 * There is no SQLite, no zlib, and nothing that is loaded at run time (libcurl, libcrypto). Whoever
 * asks for these is told so; all else is the same program.
 */
#include "base/diag.h"
#include "cando_store.h"
#include "zlib.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

/* -- the audit trail -- */

cando_store *cando_store_open(const char *path, const cando_store_options *options,
                              const cando_allocator *a, cando_error *err)
{
    (void)options, (void)a;
    error_set(
        err, CANDO_BAD_INPUT, CODE_audit_store,
        "cannot open %.200s: an audit trail needs SQLite, which this program was built without",
        path);
    error_hint(err, "the cando of a Linux package keeps and reads audit trails");
    return NULL;
}

/* -- files, which may be packed elsewhere -- */

struct gzFile_s {
    int fd, error;
    bool begun;
};

gzFile gzdopen(int fd, const char *mode)
{
    (void)mode;
    gzFile f = calloc(1, sizeof *f);
    if (f)
        f->fd = fd;
    return f;
}

int gzbuffer(gzFile file, unsigned size)
{
    (void)file, (void)size;
    return 0;
}

int gzread(gzFile file, void *out, unsigned n)
{
    const unsigned char *p = out;
    ssize_t got;
    do
        got = read(file->fd, out, n);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        file->error = Z_ERRNO;
    else if (!file->begun && got > 1 && p[0] == 0x1f && p[1] == 0x8b)
        file->error = Z_VERSION_ERROR;
    file->begun = true;
    return file->error == Z_OK ? (int)got : -1;
}

const char *gzerror(gzFile file, int *code)
{
    *code = file->error;
    return "";
}

z_off_t gzoffset(gzFile file)
{
    (void)file;
    return -1;
}

int gzclose(gzFile file)
{
    close(file->fd);
    free(file);
    return Z_OK;
}
