/*
 * posix.c - the command line as a WASI program: what it asks of a system beyond WASI.
 *
 * WASI has files without owners and modes, and no processes. So that the same sources do the same
 * here, a few functions are asked of the host (bindings/js/system.js, module "cando"); they return
 * 0 or one of WASI's error numbers. SQLite and the network cannot be had, which is said to whoever
 * asks for them, and there is no pager.
 */
#include "base/diag.h"
#include "base/file.h"
#include "cando_store.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define HOST(name) __attribute__((import_module("cando"), import_name(name)))

/* As the host writes it. */
struct host_stat {
    uint64_t device, inode, size, changed; /* `changed` in seconds */
    uint32_t mode, links, owner, group;
};

HOST("catalog") size_t host_catalog(unsigned char *out);
HOST("stat") int host_stat(const char *path, int fd, int follow, struct host_stat *out);
HOST("creates") void host_creates(mode_t mode);
HOST("real") int host_real(const char *path, char *out, size_t size);
HOST("user") uid_t host_user(void);
HOST("chown") int host_chown(int fd, uid_t owner, gid_t group);
HOST("chmod") int host_chmod(int fd, mode_t mode);
HOST("lock") int host_lock(int fd, int at_once);
HOST("columns") unsigned host_columns(int fd);
HOST("pipe") int host_pipe(int ends[2]);
HOST("spawn") int host_spawn(char *const argv[], char *const env[], int out, int *status);
HOST("unpack") int host_unpack(int fd);

static int done(int error)
{
    if (!error)
        return 0;
    errno = error;
    return -1;
}

/* -- the program: in its folder, with the catalog, which is a file of its own -- */

extern const unsigned char *cando_builtin_start, *cando_builtin_end;
int __main_void(void);

static bool is_program; /* else somebody asks the engine, which has no files */

static void take_catalog(void)
{
    size_t n = host_catalog(NULL);
    unsigned char *p = aligned_alloc(64, (n + 63) & ~(size_t)63);
    if (!p || host_catalog(p) != n)
        return;
    cando_builtin_start = p;
    cando_builtin_end = p + n;
}

__attribute__((export_name("main"))) _Noreturn void wasm_main(void)
{
    char here[PATH_MAX];
    if (host_real(".", here, sizeof here) == 0)
        (void)chdir(here);
    is_program = true;
    take_catalog();
    exit(__main_void());
}

/* -- files -- */

typedef cando_status read_fn(const char *path, size_t max, const cando_allocator *a, char **out,
                             size_t *len, cando_error *err);
typedef cando_status list_fn(const char *path, const char *suffix, struct arena *ar,
                             struct str **out, size_t *n, cando_error *err);
read_fn system_file_read, __real_file_read; /* of src/base/file.c; of bindings/no_files.c */
list_fn system_file_list, __real_file_list;

cando_status __wrap_file_read(const char *path, size_t max, const cando_allocator *a, char **out,
                              size_t *len, cando_error *err)
{
    return (is_program ? system_file_read : __real_file_read)(path, max, a, out, len, err);
}

cando_status __wrap_file_list(const char *path, const char *suffix, struct arena *ar,
                              struct str **out, size_t *n, cando_error *err)
{
    return (is_program ? system_file_list : __real_file_list)(path, suffix, ar, out, n, err);
}

static int stat_of(const char *path, int fd, int follow, struct stat *out)
{
    struct host_stat h;
    int error = host_stat(path, fd, follow, &h);
    if (error)
        return done(error);
    *out = (struct stat){.st_dev = h.device,
                         .st_ino = h.inode,
                         .st_size = (off_t)h.size,
                         .st_mode = h.mode,
                         .st_nlink = h.links,
                         .st_uid = h.owner,
                         .st_gid = h.group};
    out->st_mtim.tv_sec = (time_t)h.changed;
    return 0;
}

int __wrap_stat(const char *restrict path, struct stat *restrict out)
{
    return stat_of(path, -1, 1, out);
}

int __wrap_lstat(const char *restrict path, struct stat *restrict out)
{
    return stat_of(path, -1, 0, out);
}

int fstat(int fd, struct stat *out)
{
    return stat_of(NULL, fd, 1, out);
}

int __real_open(const char *path, int flags, ...);

/* WASI's has no mode: the host is told before which one a new file gets. */
int __wrap_open(const char *path, int flags, ...)
{
    if (flags & O_CREAT) {
        va_list ap;
        va_start(ap, flags);
        host_creates(va_arg(ap, mode_t));
        va_end(ap);
    }
    return __real_open(path, flags);
}

char *realpath(const char *restrict path, char *restrict out)
{
    char *own = out ? out : malloc(PATH_MAX);
    if (own && done(host_real(path, own, PATH_MAX)) == 0)
        return own;
    if (!out)
        free(own);
    return NULL;
}

int fchown(int fd, uid_t owner, gid_t group)
{
    return done(host_chown(fd, owner, group));
}

int fchmod(int fd, mode_t mode)
{
    return done(host_chmod(fd, mode));
}

uid_t geteuid(void)
{
    return host_user();
}

int flock(int fd, int operation)
{
    return done(host_lock(fd, operation & LOCK_NB));
}

/* Nobody can tell whether there is input, so that what was printed is flushed before each read. */
int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    (void)fds, (void)n, (void)timeout;
    return 0;
}

/* -- the terminal -- */

int ioctl(int fd, int request, ...)
{
    va_list ap;
    va_start(ap, request);
    struct winsize *w = va_arg(ap, struct winsize *);
    va_end(ap);
    unsigned columns = request == TIOCGWINSZ ? host_columns(fd) : 0;
    if (!columns)
        return done(ENOTTY);
    *w = (struct winsize){.ws_col = (unsigned short)columns};
    return 0;
}

/* -- other programs: git is run whole, with its output behind a pipe; a pager is not there -- */

enum { THE_PROCESS = 2 };

static int status_of_last;

int pipe2(int ends[2], int flags)
{
    (void)flags;
    return done(host_pipe(ends));
}

int posix_spawn_file_actions_init(posix_spawn_file_actions_t *a)
{
    a->out = -1;
    return 0;
}

int posix_spawn_file_actions_destroy(posix_spawn_file_actions_t *a)
{
    (void)a;
    return 0;
}

int posix_spawn_file_actions_adddup2(posix_spawn_file_actions_t *a, int from, int to)
{
    if (to != STDOUT_FILENO)
        return ENOTSUP;
    a->out = from;
    return 0;
}

/* The host gives it no input and passes over what it complains of. */
int posix_spawn_file_actions_addopen(posix_spawn_file_actions_t *restrict a, int fd,
                                     const char *restrict path, int flags, mode_t mode)
{
    (void)a, (void)fd, (void)path, (void)flags, (void)mode;
    return 0;
}

int posix_spawnp(pid_t *restrict pid, const char *restrict file,
                 const posix_spawn_file_actions_t *actions, const void *restrict attributes,
                 char *const argv[restrict], char *const env[restrict])
{
    (void)file, (void)attributes;
    *pid = THE_PROCESS;
    return host_spawn(argv, env, actions->out, &status_of_last);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
    (void)options;
    if (status)
        *status = status_of_last;
    return pid;
}

int pipe(int ends[2])
{
    (void)ends;
    return done(ENOTSUP);
}

pid_t fork(void)
{
    return done(ENOTSUP);
}

int dup2(int from, int to)
{
    (void)from, (void)to;
    return done(ENOTSUP);
}

int execl(const char *path, const char *arg, ...)
{
    (void)path, (void)arg;
    return done(ENOTSUP);
}

int execv(const char *path, char *const argv[])
{
    (void)path, (void)argv;
    return done(ENOTSUP);
}

/* -- what is packed by gzip: the host unpacks it, and the file reads as if it had not been -- */

struct packed {
    struct gzFile_s head; /* which zlib.h shows to its macros */
    int fd;
    int error;
};

/* For gzdopen alone, whose gzclose here does not close: so the same number will do. */
int dup(int fd)
{
    return fd;
}

gzFile gzdopen(int fd, const char *mode)
{
    (void)mode;
    struct packed *p = calloc(1, sizeof *p);
    if (!p)
        return NULL;
    p->fd = fd;
    p->error = host_unpack(fd);
    return &p->head;
}

int gzbuffer(gzFile file, unsigned size)
{
    (void)file, (void)size;
    return 0;
}

/* What came before the damage has been read when it is told. */
int gzread(gzFile file, void *out, unsigned n)
{
    const struct packed *p = (const struct packed *)file;
    ssize_t got = read(p->fd, out, n);
    if (got != 0 || p->error == Z_OK)
        return (int)got;
    errno = EFBIG; /* which Z_ERRNO stands for: more than the host can hold at once */
    return -1;
}

const char *gzerror(gzFile file, int *code)
{
    const struct packed *p = (const struct packed *)file;
    *code = p->error;
    return "";
}

z_off_t gzoffset(gzFile file)
{
    (void)file;
    return -1;
}

int gzclose(gzFile file)
{
    free(file);
    return Z_OK;
}

/* -- the audit trail -- */

cando_store *cando_store_open(const char *path, const cando_store_options *options,
                              const cando_allocator *a, cando_error *err)
{
    (void)options, (void)a;
    error_set(err, CANDO_BAD_INPUT, CODE_audit_store,
              "cannot open %.200s: an audit trail needs SQLite, which the program for Node has not",
              path);
    error_hint(err, "build and install the program itself: it keeps and reads audit trails");
    return NULL;
}
