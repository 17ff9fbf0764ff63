#define _GNU_SOURCE
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static cando_status fail_io(cando_error *err, const char *what, const char *path)
{
    return error_set(err, CANDO_BAD_INPUT, CODE_io, "cannot %s %.400s: %s", what, path,
                     strerror(errno));
}

static bool add_file(struct tree *t, const char *folder, struct str name)
{
    bool slash = *folder && folder[strlen(folder) - 1] == '/';
    bool here = strcmp(folder, ".") == 0;
    struct str path =
        str_printf(t->ar, "%s%s%.*s", here ? "" : folder, here || slash ? "" : "/", STR_ARG(name));
    if (!path.p || t->n >= TREE_FILES || !ARENA_GROW(t->ar, t->file, t->n, t->cap))
        return false;
    t->file[t->n++] = path.p;
    return true;
}

/* -- git -- */

/* The environment without what a hook of git sets: it is of the repository that calls. */
static char **plain_environment(struct arena *ar)
{
    size_t n = 0, kept = 0;
    while (environ[n])
        n++;
    char **list = arena_array(ar, n + 1, sizeof *list);
    for (size_t i = 0; list && i < n; i++)
        if (strncmp(environ[i], "GIT_", 4) != 0)
            list[kept++] = environ[i];
    return list;
}

static bool read_all(int fd, struct buf *out)
{
    char piece[1 << 16];
    for (;;) {
        ssize_t n = read(fd, piece, sizeof piece);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n == 0;
        buf_put(out, piece, (size_t)n);
        if (out->failed)
            return false;
    }
}

/* Starts git with its output in *fd; false: it cannot be had. */
static bool start_git(struct tree *t, const char *path, pid_t *pid, int *fd)
{
    char *const argv[] = {"git",      "-C", (char *)path, "-c",       "core.fsmonitor=false",
                          "ls-files", "-z", "--cached",   "--others", "--exclude-standard",
                          NULL};
    int ends[2];
    posix_spawn_file_actions_t files;
    char **env = plain_environment(t->ar);
    if (!env || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    int failed = posix_spawnp(pid, argv[0], &files, NULL, argv, env);
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    *fd = ends[0];
    if (failed)
        close(ends[0]);
    return !failed;
}

/* The names that git gives, each with a NUL behind it. False: it gave none. */
static bool ask_git(struct tree *t, const char *path)
{
    struct buf names;
    pid_t pid;
    int fd, status;
    if (!start_git(t, path, &pid, &fd))
        return false;
    buf_init(&names, NULL, (size_t)1 << 30);
    bool ok = read_all(fd, &names);
    close(fd);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    ok = ok && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    for (size_t at = 0; ok && at < names.n;) {
        struct str name =
            str_head(str_make(names.p + at, names.n - at), strnlen(names.p + at, names.n - at));
        ok = add_file(t, path, name);
        at += name.n + 1;
    }
    buf_free(&names);
    return ok && t->n;
}

/* -- without git -- */

static bool walk(struct tree *t, const char *folder, unsigned depth);

static bool visit(struct tree *t, const char *folder, const char *name, unsigned depth)
{
    struct stat st;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || strcmp(name, ".git") == 0)
        return true;
    size_t before = t->n;
    if (!add_file(t, folder, str_of(name)))
        return false;
    const char *path = t->file[before];
    bool there = lstat(path, &st) == 0;
    if (there && S_ISREG(st.st_mode))
        return true;
    t->n = before;
    return !there || !S_ISDIR(st.st_mode) || depth >= TREE_DEPTH || walk(t, path, depth + 1);
}

/* What cannot be opened is passed over: a tree has corners that are not ours. */
static bool walk(struct tree *t, const char *folder, unsigned depth)
{
    DIR *d = opendir(folder);
    bool ok = true;
    for (struct dirent *e; ok && d && (e = readdir(d));)
        ok = visit(t, folder, e->d_name, depth);
    if (d)
        closedir(d);
    return ok;
}

cando_status tree_list(struct tree *t, const char *path, struct arena *ar, cando_error *err)
{
    struct stat st;
    *t = (struct tree){.ar = ar};
    if (strcmp(path, "-") == 0 || (stat(path, &st) == 0 && !S_ISDIR(st.st_mode))) {
        t->named = true;
        if (!ARENA_GROW(ar, t->file, t->n, t->cap))
            return error_memory(err);
        t->file[t->n++] = path;
        return CANDO_OK;
    }
    if (stat(path, &st) != 0)
        return fail_io(err, "read", path);
    t->git_asked = ask_git(t, path);
    if (!t->git_asked) {
        t->n = 0;
        if (!walk(t, path, 0))
            return ar->failed ? error_memory(err)
                              : error_set(err, CANDO_BAD_INPUT, CODE_too_long,
                                          "%.400s has more than %u files", path, TREE_FILES);
    }
    if (t->n)
        qsort(t->file, t->n, sizeof *t->file, text_order);
    return CANDO_OK;
}
