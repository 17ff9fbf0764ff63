#define _XOPEN_SOURCE 700
#include "file.h"

#include "limits.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static cando_status fail_io(cando_error *err, const char *what, const char *path)
{
    int e = errno;
    cando_status st = e == ENOMEM ? CANDO_INTERNAL : CANDO_BAD_INPUT;
    error_set(err, st, CODE_io, "cannot %s %s: %s", what, path, strerror(e));
    error_at(err, str_of(path), 0, 0);
    return st;
}

/* Opens for reading and checks that it is a regular file within the limit. */
static int open_regular(const char *path, size_t max, size_t *size, cando_error *err)
{
    int fd;
    do
        fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    while (fd < 0 && errno == EINTR);
    struct stat st;
    if (fd < 0 || fstat(fd, &st) != 0) {
        fail_io(err, "open", path);
        if (fd >= 0)
            close(fd);
        return -1;
    }
    if (S_ISDIR(st.st_mode)) {
        error_set(err, CANDO_BAD_INPUT, CODE_io, "%s is a folder, a file is wanted", path);
        error_at(err, str_of(path), 0, 0);
        close(fd);
        return -1;
    }
    /* not to wait for somebody to open the other end of a pipe was right; to read
     * from one means to wait for what comes */
    int flags = fcntl(fd, F_GETFL);
    if (flags != -1)
        (void)fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    /* st_size is 0 for pipes and /dev/stdin: the reader finds their end itself */
    if (S_ISREG(st.st_mode) && (st.st_size < 0 || (uintmax_t)st.st_size > max)) {
        error_set(err, CANDO_BAD_INPUT, CODE_too_long, "%s has %jd bytes, the limit is %zu", path,
                  (intmax_t)st.st_size, max);
        error_at(err, str_of(path), 0, 0);
        close(fd);
        return -1;
    }
    *size = S_ISREG(st.st_mode) ? (size_t)st.st_size : 0;
    return fd;
}

cando_status file_read(const char *path, size_t max, const cando_allocator *a, char **out,
                       size_t *len, cando_error *err)
{
    size_t size, n = 0;
    int fd = open_regular(path, max, &size, err);
    if (fd < 0)
        return err ? err->status : CANDO_BAD_INPUT;
    size_t cap = size + 2; /* one to see that it ends, one for the NUL */
    char *p = mem_alloc(a, cap);
    if (!p) {
        close(fd);
        return error_memory(err);
    }
    for (;;) {
        if (n + 1 >= cap) { /* keep one byte for the NUL; a file may grow while it is read */
            size_t want = cap < 4096 ? 4096 : cap * 2;
            char *q = mem_resize(a, p, cap, want);
            if (!q) {
                mem_free(a, p, cap);
                close(fd);
                return error_memory(err);
            }
            p = q;
            cap = want;
        }
        ssize_t got = read(fd, p + n, cap - n - 1);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            fail_io(err, "read", path);
            mem_free(a, p, cap);
            close(fd);
            return err ? err->status : CANDO_BAD_INPUT;
        }
        if (got == 0)
            break;
        n += (size_t)got;
        if (n > max) {
            error_set(err, CANDO_BAD_INPUT, CODE_too_long, "%s is over the limit of %zu bytes",
                      path, max);
            error_at(err, str_of(path), 0, 0);
            mem_free(a, p, cap);
            close(fd);
            return CANDO_BAD_INPUT;
        }
    }
    close(fd);
    char *q = mem_resize(a, p, cap, n + 1);
    if (!q) {
        mem_free(a, p, cap);
        return error_memory(err);
    }
    q[n] = '\0';
    *out = q;
    *len = n;
    return CANDO_OK;
}

static bool write_all(int fd, const char *p, size_t n)
{
    while (n) {
        ssize_t put = write(fd, p, n);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        p += put;
        n -= (size_t)put;
    }
    return true;
}

void file_sync_folder(const char *path)
{
    char folder[PATH_MAX];
    const char *slash = strrchr(path, '/');
    int n = snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path + 1) : 1,
                     slash ? path : ".");
    int fd = n > 0 && (size_t)n < sizeof folder ? open(folder, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    (void)fsync(fd);
    close(fd);
}

/* Devices, pipes and what somebody else owns cannot be replaced, only written to. */
static cando_status write_through(const char *path, const void *data, size_t len, cando_error *err)
{
    int fd;
    do
        fd = open(path, O_WRONLY | O_TRUNC | O_NOCTTY | O_CLOEXEC);
    while (fd < 0 && errno == EINTR);
    if (fd < 0)
        return fail_io(err, "write", path);
    bool ok = write_all(fd, data, len);
    int e = errno;
    if (close(fd) != 0 && ok) {
        ok = false;
        e = errno;
    }
    errno = e;
    return ok ? CANDO_OK : fail_io(err, "write", path);
}

/* Makes a file beside `path` that is there for nobody else; `tmp` has room for the name. */
static int open_beside(const char *path, char *tmp, size_t size, mode_t mode)
{
    int fd = -1;
    for (unsigned i = 0; fd < 0 && i < 1000; i++) {
        snprintf(tmp, size, "%s.%ld-%u", path, (long)getpid(), i);
        fd = open(tmp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);
        if (fd < 0 && errno != EEXIST && errno != EINTR)
            break;
    }
    return fd;
}

/* The mode and the owner of what is replaced; false with EPERM: the owner cannot be kept. */
static bool keep_owner(int fd, const struct stat *old)
{
    struct stat own;
    if (fstat(fd, &own) != 0)
        return false;
    bool same = own.st_uid == old->st_uid && own.st_gid == old->st_gid;
    if (!same && fchown(fd, old->st_uid, old->st_gid) != 0)
        return false;
    return fchmod(fd, old->st_mode & 07777) == 0;
}

/* `path` is a name, or where a link leads to; `old` is what stands there, or NULL. */
static cando_status replace_file(const char *path, const struct stat *old, const void *data,
                                 size_t len, const cando_allocator *a, cando_error *err)
{
    size_t size = strlen(path) + 40;
    char *tmp = mem_alloc(a, size);
    if (!tmp)
        return error_memory(err);
    cando_status st = CANDO_OK;
    int fd = open_beside(path, tmp, size, old ? 0600 : 0666);
    bool made = fd >= 0, kept = made && (!old || keep_owner(fd, old));
    bool ok = kept && write_all(fd, data, len) && fsync(fd) == 0;
    int e = errno;
    if (made && close(fd) != 0 && ok) {
        ok = false;
        e = errno;
    }
    if (ok && rename(tmp, path) != 0) {
        ok = false;
        e = errno;
    }
    if (made && !ok)
        unlink(tmp);
    errno = e;
    if (ok)
        file_sync_folder(path);
    else if (made && !kept && e == EPERM)
        st = write_through(path, data, len, err);
    else
        st = fail_io(err, "write", path);
    mem_free(a, tmp, size);
    return st;
}

cando_status file_replace(const char *path, const void *data, size_t len, const cando_allocator *a,
                          cando_error *err)
{
    struct stat old;
    char real[PATH_MAX];
    if (lstat(path, &old) != 0)
        return replace_file(path, NULL, data, len, a, err);
    if (S_ISLNK(old.st_mode)) { /* the link stays, and what it leads to is replaced */
        if (stat(path, &old) != 0 || (S_ISREG(old.st_mode) && !realpath(path, real)))
            return fail_io(err, "write", path);
        if (S_ISREG(old.st_mode))
            path = real;
    }
    if (S_ISREG(old.st_mode))
        return replace_file(path, &old, data, len, a, err);
    return write_through(path, data, len, err);
}

struct lister {
    struct arena *ar;
    const char *suffix;
    struct str *list;
    size_t n, cap;
    cando_error *err;
};

#define FOLDER_DEPTH 16

static cando_status list_into(struct lister *l, const char *path, unsigned depth);

static cando_status list_folder(struct lister *l, const char *path, unsigned depth)
{
    DIR *dir = opendir(path);
    if (!dir)
        return fail_io(l->err, "list", path);
    cando_status st = CANDO_OK;
    struct dirent *e;
    while (st == CANDO_OK && (errno = 0, e = readdir(dir))) {
        if (e->d_name[0] == '.')
            continue;
        size_t n = strlen(path);
        struct str child =
            str_printf(l->ar, "%s%s%s", path, n && path[n - 1] == '/' ? "" : "/", e->d_name);
        if (!child.p)
            st = error_memory(l->err);
        else
            st = list_into(l, child.p, depth + 1);
    }
    if (st == CANDO_OK && errno)
        st = fail_io(l->err, "list", path);
    closedir(dir);
    return st;
}

static cando_status list_into(struct lister *l, const char *path, unsigned depth)
{
    struct stat st;
    if ((depth == 0 ? stat(path, &st) : lstat(path, &st)) != 0)
        return fail_io(l->err, "open", path);
    if (S_ISDIR(st.st_mode)) {
        if (depth < FOLDER_DEPTH)
            return list_folder(l, path, depth);
        return error_set(l->err, CANDO_BAD_INPUT, CODE_too_long,
                         "%s is nested more than %d folders deep", path, FOLDER_DEPTH);
    }
    if (depth != 0 &&
        (S_ISLNK(st.st_mode) ? stat(path, &st) != 0 || !S_ISREG(st.st_mode) : !S_ISREG(st.st_mode)))
        return CANDO_OK;
    struct str s = str_of(path);
    if (depth != 0 && !str_ends(s, str_of(l->suffix)))
        return CANDO_OK;
    if (l->n >= LIMIT_FILES)
        return error_set(l->err, CANDO_BAD_INPUT, CODE_too_long,
                         "more than %u files below the folder", LIMIT_FILES);
    s = str_dup(l->ar, s);
    if (!s.p || !ARENA_GROW(l->ar, l->list, l->n, l->cap))
        return error_memory(l->err);
    l->list[l->n++] = s;
    return CANDO_OK;
}

cando_status file_list(const char *path, const char *suffix, struct arena *ar, struct str **out,
                       size_t *n, cando_error *err)
{
    struct lister l = {.ar = ar, .suffix = suffix, .err = err};
    cando_status st = list_into(&l, path, 0);
    if (st != CANDO_OK)
        return st;
    if (l.n)
        qsort(l.list, l.n, sizeof *l.list, str_order);
    *out = l.list;
    *n = l.n;
    return CANDO_OK;
}
