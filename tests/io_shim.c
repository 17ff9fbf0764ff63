/*
 * io_shim.c - a disk that fails when told to, and one that remembers what was done to it.
 *
 * Loaded into the program with LD_PRELOAD (tests/torture_io.py does), it stands between the
 * program, with its SQLite, and libc. Only files below IO_ROOT are looked at.
 *
 *     IO_ROOT=DIR    a folder without links in its name; it is the working folder, too
 *     IO_FAIL=N      the N-th call fails
 *     IO_ERRNO=E     in this way
 *     IO_MODE=WORD   once: this one only; after: all that write or make something behind it,
 *                    too, as on a disk that is full; short: a write writes half, and the next
 *                    one fails
 *     IO_COUNT=FILE  a letter a call is written here when the program ends: what they are
 *     IO_LOG=FILE    all that changes a file or a folder is appended here, with its data
 *     IO_FREE=PID    nobody sleeps: who waits one and a half seconds in all ends this process,
 *                    and goes on
 *
 * A line of the log is a head, the path, and the data; all numbers as this machine has them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FDS = 1024, CALLS = 1 << 16 };

static struct {
    char root[PATH_MAX];
    size_t root_len;
    long fail_at, count, sleepy;
    int error, log, free;
    bool after, half, failing, ready;
    char calls[CALLS]; /* a letter a call */
    bool known[FDS];
} io = {.log = -1};

#define REAL(name) ((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

/* -- what is below the folder -------------------------------------------------------- */

static void begin(void)
{
    if (io.ready)
        return;
    io.ready = true;
    const char *root = getenv("IO_ROOT"), *n = getenv("IO_FAIL"), *e = getenv("IO_ERRNO");
    const char *mode = getenv("IO_MODE"), *log = getenv("IO_LOG"), *pid = getenv("IO_FREE");
    snprintf(io.root, sizeof io.root, "%s", root ? root : "/nowhere");
    io.root_len = strlen(io.root);
    io.fail_at = n ? atol(n) : 0;
    io.error = e ? atoi(e) : EIO;
    io.after = mode && strcmp(mode, "after") == 0;
    io.half = mode && strcmp(mode, "short") == 0;
    io.free = pid ? atoi(pid) : 0;
    if (log)
        io.log = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND, 0600);
}

__attribute__((destructor)) static void tell(void)
{
    const char *count = getenv("IO_COUNT");
    long n = io.count < CALLS ? io.count : CALLS;
    int fd =
        count ? (int)syscall(SYS_openat, AT_FDCWD, count, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (fd >= 0 && syscall(SYS_write, fd, io.calls, n) != n)
        _exit(99);
}

static bool path_known(const char *path)
{
    begin();
    if (path[0] != '/')
        return true;
    return strncmp(path, io.root, io.root_len) == 0 &&
           (path[io.root_len] == '/' || !path[io.root_len]);
}

static bool fd_known(int fd)
{
    begin();
    return fd >= 0 && fd < FDS && io.known[fd];
}

/* -- failing ------------------------------------------------------------------------------ */

/* Letters: o open, c create, w write, r read, s sync, n name (rename, link, mkdir), u unlink,
 * t truncate, m mode and owner, p map, x close. */
static bool needs_room(char what)
{
    return strchr("cwsntp", what) != NULL;
}

static bool fails(char what)
{
    if (io.count < CALLS)
        io.calls[io.count] = what;
    io.count++;
    if (!io.fail_at)
        return false;
    bool now = io.count == io.fail_at && !(io.half && what == 'w');
    if (io.failing && io.half && what == 'w') { /* the call behind the short one */
        io.failing = false;
        now = true;
    }
    if (io.after && io.count >= io.fail_at && needs_room(what))
        now = true;
    if (now)
        errno = io.error;
    return now;
}

/* How much of a write is let through. */
static size_t let_through(size_t n)
{
    if (!io.half || io.count != io.fail_at || n < 2)
        return n;
    io.failing = true;
    return n / 2;
}

/* -- remembering ------------------------------------------------------------------------------ */

struct head {
    char what[8];
    int32_t fd, path_len;
    int64_t offset, len;
};

static void put(const void *p, size_t n)
{
    if (syscall(SYS_write, io.log, p, n) != (long)n)
        _exit(98);
}

static void note(const char *what, int fd, const char *path, int64_t offset, const void *data,
                 size_t n)
{
    if (io.log < 0)
        return;
    struct head h = {.fd = fd, .offset = offset, .len = data ? (int64_t)n : 0};
    snprintf(h.what, sizeof h.what, "%s", what);
    h.path_len = path ? (int32_t)strlen(path) : 0;
    put(&h, sizeof h);
    if (path)
        put(path, strlen(path));
    if (data)
        put(data, n);
}

/* -- the calls -------------------------------------------------------------------------------- */

static int opened(int fd, const char *path, int flags, bool was_there)
{
    if (fd < 0 || fd >= FDS)
        return fd;
    io.known[fd] = true;
    note(!was_there && (flags & O_CREAT) ? "create" : "open", fd, path, 0, NULL, 0);
    if (was_there && (flags & O_TRUNC))
        note("trunc", fd, NULL, 0, NULL, 0);
    return fd;
}

static int any_open(const char *path, int flags, mode_t mode)
{
    struct stat st;
    bool mine = path_known(path), there = mine && lstat(path, &st) == 0;
    if (mine && fails(!there && (flags & O_CREAT) ? 'c' : 'o'))
        return -1;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (fd >= 0 && fd < FDS)
        io.known[fd] = false;
    return mine ? opened(fd, path, flags, there) : fd;
}

#define OPEN(name)                                                                                 \
    int name(const char *path, int flags, ...);                                                    \
    int name(const char *path, int flags, ...)                                                     \
    {                                                                                              \
        va_list ap;                                                                                \
        va_start(ap, flags);                                                                       \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;                      \
        va_end(ap);                                                                                \
        return any_open(path, flags, mode);                                                        \
    }
OPEN(open)
OPEN(open64)
int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return any_open(path, flags, 0);
}
int __open64_2(const char *path, int flags);
int __open64_2(const char *path, int flags)
{
    return any_open(path, flags, 0);
}

int close(int fd)
{
    bool mine = fd_known(fd), bad = mine && fails('x');
    if (mine) {
        io.known[fd] = false;
        note("close", fd, NULL, 0, NULL, 0);
    }
    int e = errno, rc = (int)syscall(SYS_close, fd); /* it is closed in any case */
    if (bad)
        errno = e;
    return bad ? -1 : rc;
}

ssize_t write(int fd, const void *p, size_t n)
{
    if (!fd_known(fd))
        return syscall(SYS_write, fd, p, n);
    if (fails('w'))
        return -1;
    n = let_through(n);
    off_t at = lseek(fd, 0, SEEK_CUR);
    ssize_t put_n = syscall(SYS_write, fd, p, n);
    if (put_n > 0)
        note("write", fd, NULL, at, p, (size_t)put_n);
    return put_n;
}

static ssize_t any_pwrite(int fd, const void *p, size_t n, off_t at)
{
    if (!fd_known(fd))
        return syscall(SYS_pwrite64, fd, p, n, at);
    if (fails('w'))
        return -1;
    n = let_through(n);
    ssize_t put_n = syscall(SYS_pwrite64, fd, p, n, at);
    if (put_n > 0)
        note("write", fd, NULL, at, p, (size_t)put_n);
    return put_n;
}
ssize_t pwrite(int fd, const void *p, size_t n, off_t at)
{
    return any_pwrite(fd, p, n, at);
}
ssize_t pwrite64(int fd, const void *p, size_t n, off64_t at)
{
    return any_pwrite(fd, p, n, at);
}

static bool read_fails(int fd)
{
    return fd_known(fd) && fails('r');
}
ssize_t read(int fd, void *p, size_t n)
{
    return read_fails(fd) ? -1 : syscall(SYS_read, fd, p, n);
}
ssize_t pread(int fd, void *p, size_t n, off_t at)
{
    return read_fails(fd) ? -1 : syscall(SYS_pread64, fd, p, n, at);
}
ssize_t pread64(int fd, void *p, size_t n, off64_t at)
{
    return read_fails(fd) ? -1 : syscall(SYS_pread64, fd, p, n, at);
}
ssize_t __read_chk(int fd, void *p, size_t n, size_t room);
ssize_t __read_chk(int fd, void *p, size_t n, size_t room)
{
    if (n > room)
        abort();
    return read(fd, p, n);
}
ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t room);
ssize_t __pread_chk(int fd, void *p, size_t n, off_t at, size_t room)
{
    if (n > room)
        abort();
    return pread(fd, p, n, at);
}
ssize_t __pread64_chk(int fd, void *p, size_t n, off64_t at, size_t room);
ssize_t __pread64_chk(int fd, void *p, size_t n, off64_t at, size_t room)
{
    if (n > room)
        abort();
    return pread(fd, p, n, at);
}

static int any_sync(int fd, long call)
{
    if (fd_known(fd) && fails('s'))
        return -1;
    int rc = (int)syscall(call, fd);
    if (rc == 0 && fd_known(fd))
        note("sync", fd, NULL, 0, NULL, 0);
    return rc;
}
int fsync(int fd)
{
    return any_sync(fd, SYS_fsync);
}
int fdatasync(int fd)
{
    return any_sync(fd, SYS_fdatasync);
}

static int any_truncate(int fd, off_t n)
{
    if (fd_known(fd) && fails('t'))
        return -1;
    int rc = (int)syscall(SYS_ftruncate, fd, n);
    if (rc == 0 && fd_known(fd))
        note("trunc", fd, NULL, n, NULL, 0);
    return rc;
}
int ftruncate(int fd, off_t n)
{
    return any_truncate(fd, n);
}
int ftruncate64(int fd, off64_t n)
{
    return any_truncate(fd, n);
}

int rename(const char *from, const char *to)
{
    bool mine = path_known(from);
    if (mine && fails('n'))
        return -1;
    int rc = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (mine && rc == 0)
        note("rename", -1, from, 0, to, strlen(to));
    return rc;
}
int link(const char *from, const char *to)
{
    bool mine = path_known(from);
    if (mine && fails('n'))
        return -1;
    int rc = (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (mine && rc == 0)
        note("link", -1, from, 0, to, strlen(to));
    return rc;
}
int unlink(const char *path)
{
    bool mine = path_known(path);
    if (mine && fails('u'))
        return -1;
    int rc = (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (mine && rc == 0)
        note("unlink", -1, path, 0, NULL, 0);
    return rc;
}
int mkdir(const char *path, mode_t mode)
{
    bool mine = path_known(path);
    if (mine && fails('n'))
        return -1;
    int rc = (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (mine && rc == 0)
        note("mkdir", -1, path, 0, NULL, 0);
    return rc;
}
int fchmod(int fd, mode_t mode)
{
    if (fd_known(fd) && fails('m'))
        return -1;
    return (int)syscall(SYS_fchmod, fd, mode);
}
int fchown(int fd, uid_t uid, gid_t gid)
{
    if (fd_known(fd) && fails('m'))
        return -1;
    return (int)syscall(SYS_fchown, fd, uid, gid);
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t from)
{
    if (!(flags & MAP_ANONYMOUS) && fd_known(fd) && fails('p'))
        return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, from);
}
void *mmap64(void *at, size_t n, int prot, int flags, int fd, off64_t from)
{
    return mmap(at, n, prot, flags, fd, from);
}

/* -- waiting ------------------------------------------------------------------------------- */

static bool woken(long us)
{
    begin();
    if (!io.free)
        return false;
    io.sleepy += us;
    if (io.sleepy < 1500000)
        return true;
    if (kill(io.free, 0) == 0) {
        kill(io.free, SIGKILL);
        while (kill(io.free, 0) == 0) /* until somebody has fetched it, and its locks are gone */
            syscall(SYS_sched_yield);
    }
    return true;
}
int usleep(useconds_t us)
{
    return woken((long)us) ? 0 : REAL(usleep)(us);
}
int nanosleep(const struct timespec *t, struct timespec *left)
{
    return woken(t->tv_sec * 1000000 + t->tv_nsec / 1000) ? 0 : REAL(nanosleep)(t, left);
}
