/*
 * test_file.c - reading, replacing, mapping and listing files.
 */
#define _XOPEN_SOURCE 700
#include "test.h"

#include "base/file.h"

#include <dirent.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char root[64];
static char path_room[4][256];

static const char *in_root(const char *name, int room)
{
    snprintf(path_room[room], sizeof path_room[room], "%s/%s", root, name);
    return path_room[room];
}

static int setup(void **state)
{
    (void)state;
    strcpy(root, "/tmp/cando-test-file-XXXXXX");
    return mkdtemp(root) ? 0 : -1;
}

static void remove_all(const char *path)
{
    DIR *dir = opendir(path);
    struct dirent *e;
    while (dir && (e = readdir(dir))) {
        char child[512];
        struct stat st;
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(child, sizeof child, "%s/%s", path, e->d_name);
        if (lstat(child, &st) == 0 && S_ISDIR(st.st_mode))
            remove_all(child);
        else
            unlink(child);
    }
    if (dir)
        closedir(dir);
    rmdir(path);
}

static int teardown(void **state)
{
    (void)state;
    remove_all(root);
    return 0;
}

static void put(const char *name, const char *text)
{
    FILE *f = fopen(in_root(name, 0), "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

static size_t entries(void)
{
    size_t n = 0;
    DIR *dir = opendir(root);
    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void test_read(void **state)
{
    (void)state;
    char *text;
    size_t n;
    cando_error err;
    put("a", "hello");
    assert_int_equal(file_read(in_root("a", 0), 100, NULL, &text, &n, &err), CANDO_OK);
    assert_int_equal(n, 5);
    assert_string_equal(text, "hello");
    mem_free(NULL, text, n + 1);
    put("empty", "");
    assert_int_equal(file_read(in_root("empty", 0), 100, NULL, &text, &n, &err), CANDO_OK);
    assert_int_equal(n, 0);
    assert_string_equal(text, "");
    mem_free(NULL, text, n + 1);
    assert_int_equal(file_read(in_root("a", 0), 5, NULL, &text, &n, &err), CANDO_OK); /* as long as the limit */
    mem_free(NULL, text, n + 1);
    assert_int_equal(file_read(in_root("a", 0), 4, NULL, &text, &n, &err), CANDO_BAD_INPUT);
    assert_string_equal(err.code, "too-long");
    assert_int_equal(file_read(in_root("none", 0), 4, NULL, &text, &n, &err), CANDO_BAD_INPUT);
    assert_string_equal(err.code, "io");
    assert_string_equal(err.at, in_root("none", 0));
    assert_int_equal(file_read(root, 4, NULL, &text, &n, &err), CANDO_BAD_INPUT);
    assert_non_null(strstr(err.message, "folder"));
    assert_int_equal(file_read(in_root("none", 0), 4, NULL, &text, &n, NULL), CANDO_BAD_INPUT);
}

/* Who has no standard input gets its number for the first file, to read or to write. */
static void test_without_stdin(void **state)
{
    (void)state;
    char *text;
    size_t n;
    cando_error err = {0};
    int in = dup(0);
    put("a", "hello");
    close(0);
    cando_status read = file_read(in_root("a", 0), 100, NULL, &text, &n, &err);
    cando_status written = file_replace(in_root("b", 0), "new", 3, NULL, &err);
    if (in >= 0) {
        dup2(in, 0);
        close(in);
    }
    assert_int_equal(read, CANDO_OK);
    assert_string_equal(text, "hello");
    mem_free(NULL, text, n + 1);
    assert_int_equal(written, CANDO_OK);
    assert_int_equal(file_read(in_root("b", 0), 100, NULL, &text, &n, &err), CANDO_OK);
    assert_string_equal(text, "new");
    mem_free(NULL, text, n + 1);
}

/* A pipe is read to its end: who writes to it may take his time between two pieces. */
static void test_read_pipe(void **state)
{
    (void)state;
    char *text, path[40];
    size_t n;
    cando_error err;
    int ends[2], left = 1;
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool ok = write(ends[1], "one ", 4) == 4;
        while (ok && ioctl(ends[1], FIONREAD, &left) == 0 && left > 0)
            sched_yield(); /* until it is read */
        for (int i = 0; i < 100; i++)
            sched_yield();
        _exit(ok && write(ends[1], "two", 3) == 3 ? 0 : 1);
    }
    close(ends[1]);
    cando_status st = file_read(path, 100, NULL, &text, &n, &err);
    close(ends[0]);
    if (st != CANDO_OK)
        kill(child, SIGKILL);
    assert_int_equal(waitpid(child, &left, 0), child);
    assert_int_equal(st, CANDO_OK);
    assert_string_equal(text, "one two");
    mem_free(NULL, text, n + 1);
}

static mode_t mode_of(const char *name)
{
    struct stat st;
    assert_int_equal(stat(in_root(name, 0), &st), 0);
    return st.st_mode & 0777;
}

static void assert_text(const char *name, const char *want)
{
    char *text;
    size_t n;
    assert_int_equal(file_read(in_root(name, 0), 1 << 20, NULL, &text, &n, NULL), CANDO_OK);
    assert_string_equal(text, want);
    mem_free(NULL, text, n + 1);
}

static void test_replace(void **state)
{
    (void)state;
    cando_error err;
    assert_int_equal(file_replace(in_root("r", 0), "one", 3, NULL, &err), CANDO_OK);
    assert_text("r", "one");
    assert_int_equal(mode_of("r"), 0644);
    assert_int_equal(chmod(in_root("r", 0), 0600), 0);
    int before = open(in_root("r", 0), 0);
    assert_int_equal(file_replace(in_root("r", 0), "second", 6, NULL, &err), CANDO_OK);
    assert_text("r", "second");
    assert_int_equal(mode_of("r"), 0600); /* as it was */
    char old[8] = "";
    assert_int_equal(read(before, old, 8), 3); /* who had it open still reads the old one, whole */
    assert_string_equal(old, "one");
    close(before);
    size_t n = entries();
    assert_int_equal(file_replace(in_root("r", 0), "", 0, NULL, &err), CANDO_OK);
    assert_text("r", "");
    assert_int_equal(entries(), n); /* nothing is left beside it */
}

/* The name beside it may be taken, by another thread that writes as well: then the next one is. */
static void test_replace_beside_another(void **state)
{
    (void)state;
    cando_error err;
    char name[64];
    snprintf(name, sizeof name, "taken.%ld-0", (long)getpid());
    put(name, "another's");
    size_t n = entries();
    assert_int_equal(file_replace(in_root("taken", 0), "mine", 4, NULL, &err), CANDO_OK);
    assert_text("taken", "mine");
    assert_text(name, "another's");
    assert_int_equal(entries(), n + 1);
}

static void test_replace_fails(void **state)
{
    (void)state;
    cando_error err;
    assert_int_equal(file_replace(in_root("none/x", 0), "a", 1, NULL, &err), CANDO_BAD_INPUT);
    assert_string_equal(err.code, "io");
    /* a folder cannot be replaced by a file; the temporary file goes again */
    assert_int_equal(mkdir(in_root("dir", 0), 0755), 0);
    put("dir/inside", "kept");
    size_t n = entries();
    assert_int_equal(file_replace(in_root("dir", 0), "a", 1, NULL, &err), CANDO_BAD_INPUT);
    assert_int_equal(entries(), n);
    assert_text("dir/inside", "kept");
}

/* What cannot be written whole leaves the old one as it was. */
static void test_replace_is_whole(void **state)
{
    (void)state;
    cando_error err;
    struct rlimit was, small;
    put("whole", "as it was");
    size_t n = entries();
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &was), 0);
    small = was;
    small.rlim_cur = 4;
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    cando_status st = file_replace(in_root("whole", 0), "longer than it", 14, NULL, &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &was), 0);
    signal(SIGXFSZ, handler);
    assert_int_equal(st, CANDO_BAD_INPUT);
    assert_string_equal(err.code, "io");
    assert_text("whole", "as it was");
    assert_int_equal(entries(), n);
}

/* Only what is a file is replaced; links, modes and the umask are kept. */
static void test_replace_keeps(void **state)
{
    (void)state;
    cando_error err;
    struct stat st;
    char got[8] = "";
    mode_t mask = umask(077);
    assert_int_equal(file_replace(in_root("u", 0), "x", 1, NULL, &err), CANDO_OK);
    umask(mask);
    assert_int_equal(mode_of("u"), 0600);
    put("t", "old");
    assert_int_equal(chmod(in_root("t", 0), 0640), 0);
    assert_int_equal(symlink("t", in_root("link", 0)), 0);
    assert_int_equal(file_replace(in_root("link", 0), "new", 3, NULL, &err), CANDO_OK);
    assert_int_equal(lstat(in_root("link", 0), &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_text("t", "new");
    assert_int_equal(mode_of("t"), 0640);
    assert_int_equal(mkfifo(in_root("fifo", 0), 0600), 0);
    int fd = open(in_root("fifo", 0), O_RDWR | O_NONBLOCK);
    assert_true(fd >= 0);
    assert_int_equal(file_replace(in_root("fifo", 0), "pipe", 4, NULL, &err), CANDO_OK);
    assert_int_equal(read(fd, got, sizeof got), 4);
    assert_string_equal(got, "pipe");
    close(fd);
    assert_int_equal(stat(in_root("fifo", 0), &st), 0);
    assert_true(S_ISFIFO(st.st_mode));
    assert_int_equal(file_replace("/dev/null", "x", 1, NULL, &err), CANDO_OK);
    assert_int_equal(symlink("nowhere", in_root("dangling", 0)), 0);
    assert_int_equal(file_replace(in_root("dangling", 0), "x", 1, NULL, &err), CANDO_BAD_INPUT);
    if (geteuid() == 0) { /* somebody else's stays his */
        put("his", "old");
        assert_int_equal(chown(in_root("his", 0), 65534, 65534), 0);
        assert_int_equal(file_replace(in_root("his", 0), "new", 3, NULL, &err), CANDO_OK);
        assert_int_equal(stat(in_root("his", 0), &st), 0);
        assert_int_equal(st.st_uid, 65534);
    }
}

/* Who may write to a file, but not give one to its owner, writes through. */
static void test_replace_of_another(void **state)
{
    (void)state;
    struct stat st;
    int left = 0;
    if (geteuid() != 0)
        skip();
    assert_int_equal(chmod(root, 0711), 0);
    assert_int_equal(mkdir(in_root("open", 0), 0755), 0);
    assert_int_equal(chmod(in_root("open", 0), 0777), 0);
    put("open/his", "longer than the new one");
    assert_int_equal(chmod(in_root("open/his", 0), 0666), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(setgid(65534) == 0 && setuid(65534) == 0 &&
                      file_replace(in_root("open/his", 0), "new", 3, NULL, NULL) == CANDO_OK
                  ? 0
                  : 1);
    assert_int_equal(waitpid(child, &left, 0), child);
    assert_int_equal(left, 0);
    assert_text("open/his", "new");
    assert_int_equal(stat(in_root("open/his", 0), &st), 0);
    assert_int_equal(st.st_uid, 0);
    assert_int_equal(chmod(root, 0700), 0);
}

static void test_list(void **state)
{
    (void)state;
    struct arena ar;
    struct str *list;
    size_t n;
    cando_error err;
    arena_init(&ar, NULL);
    assert_int_equal(mkdir(in_root("l", 0), 0755), 0);
    assert_int_equal(mkdir(in_root("l/b", 0), 0755), 0);
    assert_int_equal(mkdir(in_root("l/.git", 0), 0755), 0);
    put("l/z.toml", "");
    put("l/b/y.toml", "");
    put("l/a.toml", "");
    put("l/B.toml", "");
    put("l/a.txt", "");
    put("l/.hidden.toml", "");
    put("l/.git/x.toml", "");
    put("out.toml", "");
    assert_int_equal(symlink(in_root("out.toml", 0), in_root("l/link.toml", 1)), 0);
    assert_int_equal(symlink("nowhere", in_root("l/dead.toml", 1)), 0);
    assert_int_equal(symlink("..", in_root("l/up", 1)), 0); /* links to folders are not followed */
    assert_int_equal(file_list(in_root("l", 0), ".toml", &ar, &list, &n, &err), CANDO_OK);
    static const char *const want[] = {"l/B.toml", "l/a.toml", "l/b/y.toml", "l/link.toml", "l/z.toml"};
    assert_int_equal(n, 5);
    for (size_t i = 0; i < n; i++)
        assert_string_equal(list[i].p, in_root(want[i], 2));
    /* a slash at the end changes nothing; a file is itself, whatever its name */
    assert_int_equal(file_list(in_root("l/", 0), ".toml", &ar, &list, &n, &err), CANDO_OK);
    assert_string_equal(list[0].p, in_root("l/B.toml", 2));
    assert_int_equal(file_list(in_root("l/a.txt", 0), ".toml", &ar, &list, &n, &err), CANDO_OK);
    assert_int_equal(n, 1);
    assert_int_equal(file_list(in_root("l/b", 0), ".none", &ar, &list, &n, &err), CANDO_OK);
    assert_int_equal(n, 0);
    assert_int_equal(file_list(in_root("nothing", 0), ".toml", &ar, &list, &n, &err), CANDO_BAD_INPUT);
    assert_string_equal(err.code, "io");
    arena_free(&ar);
}

static void test_list_deep(void **state)
{
    (void)state;
    struct arena ar;
    struct str *list;
    size_t n;
    cando_error err;
    char name[200] = "deep";
    arena_init(&ar, NULL);
    for (int i = 0; i < 20; i++) {
        assert_int_equal(mkdir(in_root(name, 0), 0755), 0);
        strcat(name, "/d");
    }
    assert_int_equal(file_list(in_root("deep", 0), ".toml", &ar, &list, &n, &err), CANDO_BAD_INPUT);
    assert_string_equal(err.code, "too-long");
    arena_free(&ar);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_without_stdin),
        cmocka_unit_test(test_read_pipe),
        cmocka_unit_test(test_replace),
        cmocka_unit_test(test_replace_beside_another),
        cmocka_unit_test(test_replace_fails),
        cmocka_unit_test(test_replace_is_whole),
        cmocka_unit_test(test_replace_keeps),
        cmocka_unit_test(test_replace_of_another),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_list_deep),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
