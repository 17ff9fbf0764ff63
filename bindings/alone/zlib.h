/*
 * zlib.h - in the place of zlib's own where there is no zlib: what cli/lines.c asks of it. alone.c
 * reads files as they are and refuses those that are packed.
 */
#ifndef CANDO_ALONE_ZLIB_H
#define CANDO_ALONE_ZLIB_H

#include <sys/types.h>

#define Z_OK 0
#define Z_STREAM_END 1
#define Z_ERRNO (-1)
#define Z_BUF_ERROR (-5)
#define Z_VERSION_ERROR (-6)

typedef off_t z_off_t;
typedef struct gzFile_s *gzFile;

gzFile gzdopen(int fd, const char *mode);
int gzbuffer(gzFile file, unsigned size);
int gzread(gzFile file, void *out, unsigned n);
const char *gzerror(gzFile file, int *code);
z_off_t gzoffset(gzFile file);
int gzclose(gzFile file);

#endif
